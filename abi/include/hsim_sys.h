/* Code generated from the tables of package abi by go generate; DO NOT EDIT. */
/* What the simulator adds: threads, virtual time, the processes of a run. */
#ifndef HSIM_SYS_H
#define HSIM_SYS_H

#include <stddef.h>
#include <stdint.h>


#ifdef __cplusplus
extern "C" {
#endif

/* Start void *entry(void *arg) as a thread with a stack of so many bytes, 0 = 256 KiB; returns its id, above 0, or a negative error number. */
__attribute__((import_module("hsim_sys_v1"), import_name("thread_create")))
int32_t hsim_thread_create(void *entry, void *arg, uint32_t stack);

/* Wait for the end of a thread; 0, or an error number. */
__attribute__((import_module("hsim_sys_v1"), import_name("thread_join")))
int32_t hsim_thread_join(int32_t id, void **result);

/* Nobody will join the thread. */
__attribute__((import_module("hsim_sys_v1"), import_name("thread_detach")))
int32_t hsim_thread_detach(int32_t id);

/* Id of the calling thread; the first one is 1. */
__attribute__((import_module("hsim_sys_v1"), import_name("thread_self")))
int32_t hsim_thread_self(void);

/* End the calling thread; does not return. */
__attribute__((import_module("hsim_sys_v1"), import_name("thread_exit"), noreturn))
void hsim_thread_exit(void *result);

/* Let others run that can at this time. */
__attribute__((import_module("hsim_sys_v1"), import_name("thread_yield")))
void hsim_thread_yield(void);

/* Wait for futex_wake at addr unless the word there differs from expected, at most ns nanoseconds (negative: for ever); 0, or an error number. why names the reason in reports: 0 word, 1 mutex, 2 condition, 3 semaphore, 4 barrier, 5 lock. */
__attribute__((import_module("hsim_sys_v1"), import_name("futex_wait")))
int32_t hsim_futex_wait(const void *addr, uint32_t expected, int64_t ns, uint32_t why);

/* Wake up to so many threads that wait at addr; returns how many. */
__attribute__((import_module("hsim_sys_v1"), import_name("futex_wake")))
int32_t hsim_futex_wake(const void *addr, uint32_t count);

/* Virtual time in picoseconds. */
__attribute__((import_module("hsim_sys_v1"), import_name("time_now")))
int64_t hsim_time_now(void);

/* Sleep in virtual time. */
__attribute__((import_module("hsim_sys_v1"), import_name("time_sleep")))
void hsim_time_sleep(int64_t ps);

/* Number of the process in the simulation, which whitelists compare. */
__attribute__((import_module("hsim_sys_v1"), import_name("process_pid")))
int32_t hsim_process_pid(void);

/* Number of the server that the process runs on. */
__attribute__((import_module("hsim_sys_v1"), import_name("process_server")))
int32_t hsim_process_server(void);

/* Number of the process among the processes of the run. */
__attribute__((import_module("hsim_sys_v1"), import_name("process_rank")))
int32_t hsim_process_rank(void);

/* Number of processes of the run. */
__attribute__((import_module("hsim_sys_v1"), import_name("process_count")))
int32_t hsim_process_count(void);

/* Give every process size bytes of each one, in order of rank; waits for all. 0, or an error number. */
__attribute__((import_module("hsim_sys_v1"), import_name("process_exchange")))
int32_t hsim_process_exchange(const void *mine, void *all, uint32_t size);

/* A handle by which AI CPU functions of the stream's device enqueue work on it, as a thread; its notifies are those that other threads record, by their place. 0, or an error of the runtime. */
__attribute__((import_module("hsim_sys_v1"), import_name("stream_export")))
int32_t hsim_stream_export(void *stream, void *const *notifies, uint32_t count, uint64_t *handle);

/* A channel between two devices for AI CPU functions: a handle for each end. The notifies of an end are those that its peer records. 0, or an error of the runtime. */
__attribute__((import_module("hsim_sys_v1"), import_name("devices_connect")))
int32_t hsim_devices_connect(int32_t deviceId, int32_t peerDeviceId, void *const *near, uint32_t nears, void *const *far, uint32_t fars, uint64_t *here, uint64_t *there);

/* End a thread, or an end of a channel. 0, or an error of the runtime. */
__attribute__((import_module("hsim_sys_v1"), import_name("export_end")))
int32_t hsim_export_end(uint64_t handle);

/* How threads wait for the current device (0 automatic, 1 spin, 2 yield, 3 block; kept and shown) and for how many milliseconds aclrtSynchronizeDevice waits, 0 = for ever. 0, or an error of the runtime. */
__attribute__((import_module("hsim_sys_v1"), import_name("device_synchronize")))
int32_t hsim_device_synchronize(int32_t strategy, int32_t timeout);

/* The 64-bit address behind a device pointer, as kernels see it; 0 when it is none. */
__attribute__((import_module("hsim_sys_v1"), import_name("device_address")))
uint64_t hsim_device_address(const void *ptr);

/* Memory of a device in 64-bit numbers; 0, or an error of the runtime. */
__attribute__((import_module("hsim_sys_v1"), import_name("device_memory")))
int32_t hsim_device_memory(int32_t deviceId, uint64_t *free, uint64_t *total);

#ifdef __cplusplus
}
#endif

#endif
