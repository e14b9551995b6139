package abi

// The names of hsim_sys_v1 are this simulator's own. In C they carry the prefix hsim_ (hsim_sys.h).
var sysCalls = []call{
	{"thread", "int32_t thread_create(void *entry, void *arg, uint32_t stack)", "", "Start void *entry(void *arg) as a thread with a stack of so many bytes, 0 = 256 KiB; returns its id, above 0, or a negative error number."},
	{"thread", "int32_t thread_join(int32_t id, void **result)", "", "Wait for the end of a thread; 0, or an error number."},
	{"thread", "int32_t thread_detach(int32_t id)", "", "Nobody will join the thread."},
	{"thread", "int32_t thread_self()", "", "Id of the calling thread; the first one is 1."},
	{"thread", "void thread_exit(void *result)", "", "End the calling thread; does not return."},
	{"thread", "void thread_yield()", "", "Let others run that can at this time."},
	{"thread", "int32_t futex_wait(const void *addr, uint32_t expected, int64_t ns, uint32_t why)", "", "Wait for futex_wake at addr unless the word there differs from expected, at most ns nanoseconds (negative: for ever); 0, or an error number. why names the reason in reports: 0 word, 1 mutex, 2 condition, 3 semaphore, 4 barrier, 5 lock."},
	{"thread", "int32_t futex_wake(const void *addr, uint32_t count)", "", "Wake up to so many threads that wait at addr; returns how many."},
	{"time", "int64_t time_now()", "", "Virtual time in picoseconds."},
	{"time", "void time_sleep(int64_t ps)", "", "Sleep in virtual time."},
	{"process", "int32_t process_pid()", "", "Number of the process in the simulation, which whitelists compare."},
	{"process", "int32_t process_server()", "", "Number of the server that the process runs on."},
	{"process", "int32_t process_rank()", "", "Number of the process among the processes of the run."},
	{"process", "int32_t process_count()", "", "Number of processes of the run."},
	{"process", "int32_t process_exchange(const void *mine, void *all, uint32_t size)", "", "Give every process size bytes of each one, in order of rank; waits for all. 0, or an error number."},
	{"kernel", "int32_t stream_export(void *stream, void *const *notifies, uint32_t count, uint64_t *handle)", "", "A handle by which AI CPU functions of the stream's device enqueue work on it, as a thread; its notifies are those that other threads record, by their place. 0, or an error of the runtime."},
	{"kernel", "int32_t devices_connect(int32_t deviceId, int32_t peerDeviceId, void *const *near, uint32_t nears, void *const *far, uint32_t fars, uint64_t *here, uint64_t *there)", "", "A channel between two devices for AI CPU functions: a handle for each end. The notifies of an end are those that its peer records. 0, or an error of the runtime."},
	{"kernel", "int32_t export_end(uint64_t handle)", "", "End a thread, or an end of a channel. 0, or an error of the runtime."},
	{"device", "int32_t device_synchronize(int32_t strategy, int32_t timeout)", "", "How threads wait for the current device (0 automatic, 1 spin, 2 yield, 3 block; kept and shown) and for how many milliseconds aclrtSynchronizeDevice waits, 0 = for ever. 0, or an error of the runtime."},
	{"memory", "uint64_t device_address(const void *ptr)", "", "The 64-bit address behind a device pointer, as kernels see it; 0 when it is none."},
	{"memory", "int32_t device_memory(int32_t deviceId, uint64_t *free, uint64_t *total)", "", "Memory of a device in 64-bit numbers; 0, or an error of the runtime."},
}
