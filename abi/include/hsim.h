/* Code generated from the tables of package abi by go generate; DO NOT EDIT. */
#ifndef HSIM_H
#define HSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSIM_ABI_VERSION 1

#define HSIM_EXPORT(name) __attribute__((export_name(name), used))
#define HSIM_IMPORT(module, name) __attribute__((import_module(module), import_name(name)))

/* Put one of these, with the feature bits, into a module; it marks kind and version. */
#define HSIM_MODULE(kind, features) \
	HSIM_EXPORT("hsim_abi_" #kind "_v1") int32_t hsim_abi_##kind##_v1(void) { return (int32_t)(features); }

/* Room of n bytes that the host may write: arguments and records. */
#define HSIM_BUFFER(n) \
	static unsigned char hsim_buffer_space_[n] __attribute__((aligned(16))); \
	HSIM_EXPORT("hsim_buffer") void *hsim_buffer(uint32_t size) { return size <= sizeof hsim_buffer_space_ ? hsim_buffer_space_ : (void *)0; }

/* A JSON text that describes the module and its parameters; hsim_set_param is yours to write if there are any. */
#define HSIM_DESCRIBE(text) \
	static const char hsim_describe_text_[] = text; \
	HSIM_EXPORT("hsim_describe") uint64_t hsim_describe(void) \
	{ return (uint64_t)(uintptr_t)hsim_describe_text_ << 32 | (sizeof hsim_describe_text_ - 1); } \
	HSIM_EXPORT("hsim_set_param") int32_t hsim_set_param(uint32_t index, int64_t value);

/* A message from a literal. */
#define HSIM_LOG(text) hsim_log(text, sizeof text - 1)
#define HSIM_FAIL(text) hsim_fail(text, sizeof text - 1)

/* Status codes of imports and exports; positive values are the plugin's own. */
enum {
	HSIM_STATUS_OK = 0, /* done */
	HSIM_STATUS_INVALID = -1, /* an argument is outside its range */
	HSIM_STATUS_ADDRESS = -2, /* a device address is not mapped, or the range leaves its buffer */
	HSIM_STATUS_LOCAL = -3, /* a range is outside the module's own memory, or misaligned */
	HSIM_STATUS_ACCESS = -4, /* the range may not be read or written by this device */
	HSIM_STATUS_UNSUPPORTED = -5, /* this chip, data type or mode does not offer the operation */
	HSIM_STATUS_LIMIT = -6, /* the hardware has no more of the resource */
	HSIM_STATUS_NOT_FOUND = -7, /* no such identifier */
	HSIM_STATUS_STATE = -8, /* not allowed in the present state */
	HSIM_STATUS_FAULT = -9, /* the peer or the link failed */
	HSIM_STATUS_TIMEOUT = -10, /* waited too long */
	HSIM_STATUS_ABORTED = -11, /* the task or the run is being stopped */
	HSIM_STATUS_SHORT = -12, /* a record is shorter than this version needs */
	HSIM_STATUS_NO_MEMORY = -13, /* the host grants no more memory */
};

/* Data types, numbered as HcclDataType. */
enum {
	HSIM_DTYPE_INT8 = 0,
	HSIM_DTYPE_INT16 = 1,
	HSIM_DTYPE_INT32 = 2,
	HSIM_DTYPE_FP16 = 3,
	HSIM_DTYPE_FP32 = 4,
	HSIM_DTYPE_INT64 = 5,
	HSIM_DTYPE_UINT64 = 6,
	HSIM_DTYPE_UINT8 = 7,
	HSIM_DTYPE_UINT16 = 8,
	HSIM_DTYPE_UINT32 = 9,
	HSIM_DTYPE_FP64 = 10,
	HSIM_DTYPE_BF16 = 11,
	HSIM_DTYPE_INT128 = 12,
	HSIM_DTYPE_HIF8 = 14,
	HSIM_DTYPE_FP8E4M3 = 15,
	HSIM_DTYPE_FP8E5M2 = 16,
	HSIM_DTYPE_FP8E8M0 = 17,
};

/* Reduce operations, numbered as HcclReduceOp. */
enum {
	HSIM_REDUCE_SUM = 0,
	HSIM_REDUCE_PROD = 1,
	HSIM_REDUCE_MAX = 2,
	HSIM_REDUCE_MIN = 3,
};

/* Relations between a watched word and a value, unsigned. */
enum {
	HSIM_COMPARE_EQ = 0, /* word == value */
	HSIM_COMPARE_NE = 1, /* word != value */
	HSIM_COMPARE_GE = 2, /* word >= value */
	HSIM_COMPARE_GT = 3, /* word > value */
	HSIM_COMPARE_LE = 4, /* word <= value */
	HSIM_COMPARE_LT = 5, /* word < value */
};

/* Collective operations. */
enum {
	HSIM_OPERATION_ALL_REDUCE = 0,
	HSIM_OPERATION_ALL_GATHER = 1,
	HSIM_OPERATION_REDUCE_SCATTER = 2,
	HSIM_OPERATION_BROADCAST = 3,
	HSIM_OPERATION_REDUCE = 4,
	HSIM_OPERATION_SCATTER = 5,
	HSIM_OPERATION_GATHER = 6,
	HSIM_OPERATION_ALL_TO_ALL = 7,
	HSIM_OPERATION_ALL_GATHER_V = 8,
	HSIM_OPERATION_REDUCE_SCATTER_V = 9,
	HSIM_OPERATION_ALL_TO_ALL_V = 10,
	HSIM_OPERATION_SEND = 11,
	HSIM_OPERATION_RECEIVE = 12,
	HSIM_OPERATION_BATCH_SEND_RECEIVE = 13,
	HSIM_OPERATION_BARRIER = 14,
};

/* Arithmetic of version 2. */
enum {
	HSIM_CCU_ADD = 0,
	HSIM_CCU_SUB = 1,
	HSIM_CCU_MUL = 2, /* 32 x 32 to 64 bits */
	HSIM_CCU_AND = 3,
	HSIM_CCU_OR = 4,
	HSIM_CCU_XOR = 5,
	HSIM_CCU_NOT = 6, /* of the first operand */
	HSIM_CCU_SHL = 7,
	HSIM_CCU_SHR = 8,
	HSIM_CCU_SAR = 9, /* arithmetic */
	HSIM_CCU_POPCOUNT = 10, /* of the first operand */
};

/* Limits. */
enum {
	HSIM_MAX_CCU_CHANNELS = 64,
	HSIM_MAX_CCU_ARGS = 256,
	HSIM_MAX_PATHS = 16,
	HSIM_MAX_EXT = 256, /* bytes */
};

/* Kinds of packets. */
enum {
	HSIM_PACKET_DATA = 0,
	HSIM_PACKET_ACK = 1,
	HSIM_PACKET_NAK = 2,
	HSIM_PACKET_SACK = 3,
	HSIM_PACKET_CNP = 4, /* congestion notification */
	HSIM_PACKET_READ_REQUEST = 5,
	HSIM_PACKET_PROBE = 6,
};

/* Bits of packet.flags. */
enum {
	HSIM_FLAG_FIRST = 1, /* first packet of a message */
	HSIM_FLAG_LAST = 2, /* last packet of a message */
	HSIM_FLAG_ACK_REQUEST = 4,
	HSIM_FLAG_SPRAY = 8, /* switches may pick a path per packet */
	HSIM_FLAG_CORRUPT = 16, /* arrived with a bad checksum */
	HSIM_FLAG_RETRANSMISSION = 32,
	HSIM_FLAG_NOTIFY = 64, /* the message carries a notify */
	HSIM_FLAG_NO_RECEIVE = 128, /* receive: a send without a posted receive; answer not-ready, do not deliver */
};

/* Values of verdict.deliver. */
enum {
	HSIM_DELIVER_NONE = 0, /* nothing for the host */
	HSIM_DELIVER_IN_ORDER = 1,
	HSIM_DELIVER_OUT_OF_ORDER = 2,
	HSIM_DELIVER_DROP = 3,
};

/* Services of a connection. */
enum {
	HSIM_SERVICE_RELIABLE = 0,
	HSIM_SERVICE_UNRELIABLE = 1,
	HSIM_SERVICE_DATAGRAM = 2,
	HSIM_SERVICE_MEMORY = 3,
};

/* Bits of conn.flags in a modify. */
enum {
	HSIM_CONN_PAUSE = 1, /* send nothing until a modify without this bit */
	HSIM_CONN_DRAIN = 2, /* finish what is in flight, start nothing new */
	HSIM_CONN_ERROR = 4, /* the host has failed the connection */
	HSIM_CONN_RESET = 8, /* back to the state after open */
};

/* Bits returned by hsim_abi_transport_v1. */
enum {
	HSIM_FEATURE_RELIABLE = 1,
	HSIM_FEATURE_UNRELIABLE = 2,
	HSIM_FEATURE_DATAGRAM = 4,
	HSIM_FEATURE_MEMORY = 8,
	HSIM_FEATURE_NOTIFY_WITH_WRITE = 16,
	HSIM_FEATURE_REDUCE = 32, /* write with reduce */
	HSIM_FEATURE_REMOTE_REGISTERS = 64,
	HSIM_FEATURE_READ = 128,
	HSIM_FEATURE_SEND = 256,
	HSIM_FEATURE_ATOMIC = 512,
	HSIM_FEATURE_ORDERED = 1024, /* messages land in posting order */
	HSIM_FEATURE_MULTIPATH = 2048, /* a connection may use several ports; without it the host gives it one path */
	HSIM_FEATURE_SHARED = 4096, /* nothing is kept but the state of connections, so that an instance may serve several devices */
};

/* Buffers of a rank. */
enum {
	HSIM_BUFFER_INPUT = 0,
	HSIM_BUFFER_OUTPUT = 1,
	HSIM_BUFFER_SCRATCH = 2,
};

/* A channel of the program's die. */
struct hsim_ccu_channel {
	uint32_t peer; /* rank at the other end */
	uint8_t die; /* die of this end */
	uint8_t peer_die;
	uint8_t protocol; /* information only */
	uint8_t _pad0;
};
_Static_assert(sizeof(struct hsim_ccu_channel) == 8, "struct hsim_ccu_channel");

/* What a microprogram is recorded for. */
struct hsim_register {
	uint32_t size;
	uint32_t rank;
	uint32_t world;
	uint32_t die;
	uint32_t version; /* 1 or 2 */
	uint32_t operation; /* hsim_operation_* */
	uint32_t reduce; /* hsim_reduce_* */
	uint32_t dtype; /* hsim_dtype_* of the input */
	uint32_t out_dtype;
	uint32_t root;
	uint32_t nchannels;
	struct hsim_ccu_channel channels[64];
	uint32_t user_ptr; /* bytes of the caller */
	uint32_t user_len;
	uint32_t _pad0;
};
_Static_assert(sizeof(struct hsim_register) == 568, "struct hsim_register");

/* One launch of a recorded microprogram. */
struct hsim_invocation {
	uint32_t size;
	uint32_t rank;
	uint32_t world;
	uint32_t root;
	uint32_t operation;
	uint32_t reduce;
	uint32_t dtype;
	uint32_t out_dtype;
	uint64_t count; /* elements */
	uint64_t input; /* device address */
	uint64_t input_bytes;
	uint64_t output;
	uint64_t output_bytes;
	uint64_t scratch;
	uint64_t scratch_bytes;
	uint64_t input_token;
	uint64_t output_token;
	uint64_t scratch_token;
	uint32_t user_ptr;
	uint32_t user_len;
};
_Static_assert(sizeof(struct hsim_invocation) == 120, "struct hsim_invocation");

/* One way of a connection through the network. */
struct hsim_path {
	uint16_t local_port;
	uint16_t peer_port;
	uint32_t tpn; /* number of the transport channel */
};
_Static_assert(sizeof(struct hsim_path) == 8, "struct hsim_path");

/* A connection, for open and modify. */
struct hsim_conn {
	uint32_t size;
	int32_t id;
	int32_t peer_device;
	uint8_t service; /* hsim_service_* */
	uint8_t protocol; /* information only */
	uint8_t order; /* 0 default, 1 by target, 2 by initiator, 3 by lower layer, 4 none */
	uint8_t lane;
	uint8_t service_level;
	uint8_t _pad0;
	uint16_t npaths;
	struct hsim_path paths[16];
	uint32_t mtu; /* payload bytes of a full packet */
	uint32_t initial_psn;
	uint32_t window; /* packets in flight, 0: the plugin's own */
	uint32_t ack_timeout; /* 4.096 us * 2^n, 0: never */
	uint32_t retry_count;
	uint32_t rnr_count;
	uint32_t rnr_timer; /* verbs code */
	uint32_t udp_port; /* source port */
	uint32_t entropy; /* packet.entropy as the host fills it: a function of both devices and udp_port */
	int64_t rate; /* bit/s */
	int64_t base_rtt; /* ps */
	uint32_t hops;
	uint32_t flags; /* hsim_conn_* */
};
_Static_assert(sizeof(struct hsim_conn) == 208, "struct hsim_conn");

/* One packet or a train of npkts packets with consecutive numbers. */
struct hsim_packet {
	uint32_t size;
	uint8_t kind; /* hsim_packet_* */
	uint8_t lane;
	uint16_t flags; /* hsim_flag_* */
	uint16_t path; /* index in conn.paths */
	uint16_t port;
	uint32_t entropy; /* what switches hash */
	uint32_t npkts; /* packets in the train, at least 1 */
	uint32_t marked; /* how many carry a congestion mark */
	uint32_t psn; /* of the first packet */
	uint32_t payload; /* bytes of the train */
	uint32_t wire; /* bytes of the train with all headers */
	uint32_t msn;
	int32_t conn; /* receive: the receiver's id of the connection */
	uint32_t _pad0;
	uint64_t offset; /* first byte of the packet, counted from the start of its message */
	uint32_t cc[4]; /* for congestion control; switches may rewrite it */
	int64_t sent_at; /* ps */
	int64_t now; /* ps */
	int64_t not_before; /* next returned 0: when to ask again, 0: after a verdict with wake */
	int64_t timer; /* next: when to call the timer, 0: leave, -1: cancel */
	uint32_t ext_ptr; /* receive and send: bytes beside a packet that is not data */
	uint32_t ext_len; /* at most 256 */
};
_Static_assert(sizeof(struct hsim_packet) == 112, "struct hsim_packet");

/* What the plugin decided; the host clears it before the call, except size, now and what only counts beside a flag. */
struct hsim_verdict {
	uint32_t size;
	uint8_t deliver; /* hsim_deliver_* */
	uint8_t wake; /* 1: ask the connection for packets again */
	uint16_t flags;
	int32_t status; /* not 0: fail the connection with this completion status */
	uint8_t acked_valid;
	uint8_t go_back_valid;
	uint8_t resend_valid;
	uint8_t reply; /* 1: send the reply packet */
	uint32_t acked; /* all packets before this one are acknowledged */
	uint32_t go_back; /* resume sending from this packet */
	uint32_t resend; /* send packets again, from this one on */
	uint8_t reply_kind;
	uint8_t _pad0;
	uint16_t reply_flags;
	uint32_t reply_psn;
	uint32_t reply_wire;
	uint32_t reply_msn;
	uint32_t reply_cc[4];
	uint32_t reply_ext_ptr;
	uint32_t reply_ext_len;
	uint32_t _pad1;
	int64_t timer; /* as packet.timer */
	int64_t now; /* ps */
	uint32_t resend_count; /* packets from resend on, 0: one */
	uint32_t resend_map; /* not 0: address of resend_count bits (at most 2048), lowest first: which of them */
};
_Static_assert(sizeof(struct hsim_verdict) == 96, "struct hsim_verdict");

/* One rank's view of a collective operation. */
struct hsim_op {
	uint32_t size;
	uint32_t operation; /* hsim_operation_* */
	uint32_t dtype; /* hsim_dtype_* */
	uint32_t reduce; /* hsim_reduce_* */
	uint32_t rank;
	uint32_t ranks;
	uint32_t root;
	uint32_t elem; /* bytes of one element */
	uint64_t count; /* elements of the operation, as in the collective's call */
	uint64_t input; /* bytes of the input buffer, which is only read */
	uint64_t output; /* bytes of the output buffer */
	uint64_t scratch; /* bytes of the scratch buffer */
	uint32_t group; /* ranks of each server, which are neighbours in rank order; 0: they are not, or uneven */
	uint32_t streams; /* streams a rank may use */
};
_Static_assert(sizeof(struct hsim_op) == 72, "struct hsim_op");

/* Modules of kind kernel: Functions of AI cores and AI CPUs. The module's memory is the core's local memory; device memory is reached by DMA with 64-bit addresses: copy in, compute, copy out. Imports that move data, wait or cost time return when the simulated time has passed. */
#ifdef HSIM_KIND_KERNEL

/* Copy n bytes of device memory to local memory; returns when they are there. */
HSIM_IMPORT("hsim_kernel_v1", "dma_in") int32_t hsim_dma_in(void *local, uint64_t dev, uint32_t n);

/* Copy n bytes of local memory to device memory; an address of a peer crosses the fabric. */
HSIM_IMPORT("hsim_kernel_v1", "dma_out") int32_t hsim_dma_out(uint64_t dev, const void *local, uint32_t n);

/* Copy rows rows of row bytes each, strides in bytes from row start to row start. */
HSIM_IMPORT("hsim_kernel_v1", "dma_in_2d") int32_t hsim_dma_in_2d(void *local, uint32_t local_stride, uint64_t dev, uint64_t dev_stride, uint32_t row, uint32_t rows);

/* The same outward. */
HSIM_IMPORT("hsim_kernel_v1", "dma_out_2d") int32_t hsim_dma_out_2d(uint64_t dev, uint64_t dev_stride, const void *local, uint32_t local_stride, uint32_t row, uint32_t rows);

/* Combine n bytes of local memory into device memory. */
HSIM_IMPORT("hsim_kernel_v1", "dma_out_reduce") int32_t hsim_dma_out_reduce(uint64_t dev, const void *local, uint32_t n, uint32_t dtype, uint32_t op);

/* Begin a copy in on a pipe (0..7) and return; transfers of one pipe run in order. Local memory is written by the time dma_wait returns. */
HSIM_IMPORT("hsim_kernel_v1", "dma_start_in") int32_t hsim_dma_start_in(uint32_t pipe, void *local, uint64_t dev, uint32_t n);

/* Begin a copy out on a pipe. The bytes are read before this call returns, so the buffer's content is safe; its place in time is not. */
HSIM_IMPORT("hsim_kernel_v1", "dma_start_out") int32_t hsim_dma_start_out(uint32_t pipe, uint64_t dev, const void *local, uint32_t n);

/* Begin a copy out with reduce on a pipe. */
HSIM_IMPORT("hsim_kernel_v1", "dma_start_out_reduce") int32_t hsim_dma_start_out_reduce(uint32_t pipe, uint64_t dev, const void *local, uint32_t n, uint32_t dtype, uint32_t op);

/* Wait until everything begun on the pipe is done; returns the first failure. */
HSIM_IMPORT("hsim_kernel_v1", "dma_wait") int32_t hsim_dma_wait(uint32_t pipe);

/* Wait until the 64-bit word in device or peer memory fulfils the relation. */
HSIM_IMPORT("hsim_kernel_v1", "mem_wait") int32_t hsim_mem_wait(uint64_t dev, uint32_t compare, uint64_t value);

/* Spend the time of one vector operation on elems elements. */
HSIM_IMPORT("hsim_kernel_v1", "vector") int32_t hsim_vector(uint64_t elems, uint32_t dtype);

/* Spend the time of a matrix product m x k by k x n on the cube unit. */
HSIM_IMPORT("hsim_kernel_v1", "cube") int32_t hsim_cube(uint32_t m, uint32_t n, uint32_t k, uint32_t dtype);

/* Spend cycles of the core's clock. */
HSIM_IMPORT("hsim_kernel_v1", "scalar") int32_t hsim_scalar(uint64_t cycles);

/* Wait for all blocks of the launch. */
HSIM_IMPORT("hsim_kernel_v1", "barrier") int32_t hsim_barrier(void);

/* Set a notify of this device. */
HSIM_IMPORT("hsim_kernel_v1", "notify_record") int32_t hsim_notify_record(uint32_t id);

/* Wait for a notify of this device and reset it. */
HSIM_IMPORT("hsim_kernel_v1", "notify_wait") int32_t hsim_notify_wait(uint32_t id);

/* AI CPU: enqueue a copy on a thread (a stream). This and the imports up to batch_end return at once, with a status. */
HSIM_IMPORT("hsim_kernel_v1", "thread_copy") int32_t hsim_thread_copy(uint64_t thread, uint64_t dst, uint64_t src, uint64_t n);

/* AI CPU: enqueue dst = dst op src over n bytes. */
HSIM_IMPORT("hsim_kernel_v1", "thread_reduce") int32_t hsim_thread_reduce(uint64_t thread, uint64_t dst, uint64_t src, uint64_t n, uint32_t dtype, uint32_t op);

/* AI CPU: enqueue a record of a notify of the thread target. */
HSIM_IMPORT("hsim_kernel_v1", "thread_notify_record") int32_t hsim_thread_notify_record(uint64_t thread, uint64_t target, uint32_t notify);

/* AI CPU: enqueue a wait for a notify of the thread, which resets it; 0 seconds wait for ever. */
HSIM_IMPORT("hsim_kernel_v1", "thread_notify_wait") int32_t hsim_thread_notify_wait(uint64_t thread, uint32_t notify, uint32_t seconds);

/* AI CPU: enqueue a write to the peer of a channel. */
HSIM_IMPORT("hsim_kernel_v1", "channel_write") int32_t hsim_channel_write(uint64_t thread, uint64_t channel, uint64_t dst, uint64_t src, uint64_t n);

/* AI CPU: enqueue a write that combines into the peer's memory. */
HSIM_IMPORT("hsim_kernel_v1", "channel_write_reduce") int32_t hsim_channel_write_reduce(uint64_t thread, uint64_t channel, uint64_t dst, uint64_t src, uint64_t n, uint32_t dtype, uint32_t op);

/* AI CPU: enqueue a write that records a notify of the peer when its bytes have landed. */
HSIM_IMPORT("hsim_kernel_v1", "channel_write_notify") int32_t hsim_channel_write_notify(uint64_t thread, uint64_t channel, uint64_t dst, uint64_t src, uint64_t n, uint32_t notify);

/* AI CPU: enqueue a read from the peer; later tasks of the thread find the bytes. */
HSIM_IMPORT("hsim_kernel_v1", "channel_read") int32_t hsim_channel_read(uint64_t thread, uint64_t channel, uint64_t dst, uint64_t src, uint64_t n);

/* AI CPU: enqueue a record of a notify of the peer, after earlier writes. */
HSIM_IMPORT("hsim_kernel_v1", "channel_notify_record") int32_t hsim_channel_notify_record(uint64_t thread, uint64_t channel, uint32_t notify);

/* AI CPU: enqueue a wait for a notify that the peer records. */
HSIM_IMPORT("hsim_kernel_v1", "channel_notify_wait") int32_t hsim_channel_notify_wait(uint64_t thread, uint64_t channel, uint32_t notify, uint32_t seconds);

/* AI CPU: enqueue a wait until all earlier writes of the thread to the peer have landed. */
HSIM_IMPORT("hsim_kernel_v1", "channel_fence") int32_t hsim_channel_fence(uint64_t thread, uint64_t channel);

/* AI CPU: hold what is enqueued back. */
HSIM_IMPORT("hsim_kernel_v1", "batch_start") int32_t hsim_batch_start(void);

/* AI CPU: let go of what was held back, all at once. */
HSIM_IMPORT("hsim_kernel_v1", "batch_end") int32_t hsim_batch_end(void);

/* Write a line to the log. */
HSIM_IMPORT("hsim_kernel_v1", "log") void hsim_log(const void *text, uint32_t n);

/* End the kernel with an error; does not return. */
HSIM_IMPORT("hsim_kernel_v1", "fail") __attribute__((noreturn)) void hsim_fail(const void *text, uint32_t n);

/* Run block number block of blocks on one AI core. The name may end in _aic (cube core) or _aiv (vector core). */
#define HSIM_KERNEL(name) HSIM_EXPORT("hsim_kernel_" #name) int32_t hsim_kernel_##name(const void *args, uint32_t args_len, uint32_t block, uint32_t blocks)

/* Run on an AI CPU. */
#define HSIM_CPU(name) HSIM_EXPORT("hsim_cpu_" #name) int32_t hsim_cpu_##name(const void *args, uint32_t args_len)
#endif

/* Modules of kind ccu: Microprograms of collective communication units. hsim_ccu_<name> runs once per registration and records operations; it does not move data. Resources are small positive identifiers; a run of n of them is contiguous, so that id + i names the i-th. An event mask has 16 bits. Operands in memory are an address and a token. Moves and reduces finish later and then set bits of an event; everything else happens in order. What does not fit a die, and version 2 operations on version 1, fail the registration. */
#ifdef HSIM_KIND_CCU

/* Take n 64-bit variables; the first identifier, or a negative status, as for the next three. */
HSIM_IMPORT("hsim_ccu_v1", "variables") int32_t hsim_variables(uint32_t n);

/* Take n addresses. */
HSIM_IMPORT("hsim_ccu_v1", "addresses") int32_t hsim_addresses(uint32_t n);

/* Take n events of 16 bits. */
HSIM_IMPORT("hsim_ccu_v1", "events") int32_t hsim_events(uint32_t n);

/* Take n on-chip buffers of 4096 bytes. */
HSIM_IMPORT("hsim_ccu_v1", "buffers") int32_t hsim_buffers(uint32_t n);

/* The variable that a channel mirrors on both ends under an index. */
HSIM_IMPORT("hsim_ccu_v1", "channel_variable") int32_t hsim_channel_variable(uint32_t channel, uint32_t index);

/* Set a variable from a launch argument; before everything else. */
HSIM_IMPORT("hsim_ccu_v1", "load_arg") int32_t hsim_load_arg(int32_t var, uint32_t arg);

/* Set a variable to a constant. */
HSIM_IMPORT("hsim_ccu_v1", "set") int32_t hsim_set(int32_t var, uint64_t value);

/* Copy a variable. */
HSIM_IMPORT("hsim_ccu_v1", "move") int32_t hsim_move(int32_t var, int32_t from);

/* Sum of two variables. */
HSIM_IMPORT("hsim_ccu_v1", "add") int32_t hsim_add(int32_t var, int32_t a, int32_t b);

/* Set an address to a constant. */
HSIM_IMPORT("hsim_ccu_v1", "address_set") int32_t hsim_address_set(int32_t addr, uint64_t value);

/* Copy an address. */
HSIM_IMPORT("hsim_ccu_v1", "address_move") int32_t hsim_address_move(int32_t addr, int32_t from);

/* Set an address from a variable. */
HSIM_IMPORT("hsim_ccu_v1", "address_from") int32_t hsim_address_from(int32_t addr, int32_t var);

/* Sum of an address and a variable. */
HSIM_IMPORT("hsim_ccu_v1", "address_add") int32_t hsim_address_add(int32_t addr, int32_t a, int32_t var);

/* Sum of two addresses. */
HSIM_IMPORT("hsim_ccu_v1", "address_add_address") int32_t hsim_address_add_address(int32_t addr, int32_t a, int32_t b);

/* Version 2: hsim_ccu_* of two variables. */
HSIM_IMPORT("hsim_ccu_v1", "alu") int32_t hsim_alu(uint32_t op, int32_t var, int32_t a, int32_t b);

/* Version 2: hsim_ccu_* of a variable and a 16-bit constant. */
HSIM_IMPORT("hsim_ccu_v1", "alu_const") int32_t hsim_alu_const(uint32_t op, int32_t var, int32_t a, uint32_t value);

/* Peer memory to own memory; n is a variable. */
HSIM_IMPORT("hsim_ccu_v1", "read") int32_t hsim_read(uint32_t channel, int32_t to, int32_t to_token, int32_t from, int32_t from_token, int32_t n, int32_t event, uint32_t mask);

/* Own memory to peer memory. */
HSIM_IMPORT("hsim_ccu_v1", "write") int32_t hsim_write(uint32_t channel, int32_t to, int32_t to_token, int32_t from, int32_t from_token, int32_t n, int32_t event, uint32_t mask);

/* Peer memory to a buffer. */
HSIM_IMPORT("hsim_ccu_v1", "read_buffer") int32_t hsim_read_buffer(uint32_t channel, int32_t buffer, int32_t from, int32_t from_token, int32_t n, int32_t event, uint32_t mask);

/* A buffer to peer memory. */
HSIM_IMPORT("hsim_ccu_v1", "write_buffer") int32_t hsim_write_buffer(uint32_t channel, int32_t to, int32_t to_token, int32_t buffer, int32_t n, int32_t event, uint32_t mask);

/* Combine peer memory into own memory. */
HSIM_IMPORT("hsim_ccu_v1", "read_reduce") int32_t hsim_read_reduce(uint32_t channel, int32_t to, int32_t to_token, int32_t from, int32_t from_token, int32_t n, uint32_t dtype, uint32_t op, int32_t event, uint32_t mask);

/* Combine own memory into peer memory. */
HSIM_IMPORT("hsim_ccu_v1", "write_reduce") int32_t hsim_write_reduce(uint32_t channel, int32_t to, int32_t to_token, int32_t from, int32_t from_token, int32_t n, uint32_t dtype, uint32_t op, int32_t event, uint32_t mask);

/* Own memory to own memory. */
HSIM_IMPORT("hsim_ccu_v1", "local_copy") int32_t hsim_local_copy(int32_t to, int32_t to_token, int32_t from, int32_t from_token, int32_t n, int32_t event, uint32_t mask);

/* Own memory to a buffer. */
HSIM_IMPORT("hsim_ccu_v1", "local_copy_in") int32_t hsim_local_copy_in(int32_t buffer, int32_t from, int32_t from_token, int32_t n, int32_t event, uint32_t mask);

/* A buffer to own memory. */
HSIM_IMPORT("hsim_ccu_v1", "local_copy_out") int32_t hsim_local_copy_out(int32_t to, int32_t to_token, int32_t buffer, int32_t n, int32_t event, uint32_t mask);

/* Combine own memory into own memory. */
HSIM_IMPORT("hsim_ccu_v1", "local_reduce") int32_t hsim_local_reduce(int32_t to, int32_t to_token, int32_t from, int32_t from_token, int32_t n, uint32_t dtype, uint32_t op, int32_t event, uint32_t mask);

/* Combine count (2..8) consecutive buffers in order into the first, widening to out_dtype. */
HSIM_IMPORT("hsim_ccu_v1", "buffer_reduce") int32_t hsim_buffer_reduce(int32_t buffer, uint32_t count, uint32_t dtype, uint32_t out_dtype, uint32_t op, int32_t n, int32_t event, uint32_t mask);

/* Read count consecutive variables from own memory. */
HSIM_IMPORT("hsim_ccu_v1", "load") int32_t hsim_load(int32_t var, int32_t addr, int32_t token, uint32_t count, int32_t event, uint32_t mask);

/* Write count consecutive variables to own memory. */
HSIM_IMPORT("hsim_ccu_v1", "store") int32_t hsim_store(int32_t addr, int32_t token, int32_t var, uint32_t count, int32_t event, uint32_t mask);

/* Set bits of an event. */
HSIM_IMPORT("hsim_ccu_v1", "event_record") int32_t hsim_event_record(int32_t event, uint32_t mask);

/* Wait for all bits of mask and clear them. */
HSIM_IMPORT("hsim_ccu_v1", "event_wait") int32_t hsim_event_wait(int32_t event, uint32_t mask);

/* Set bits of the notify that programs of one die share under a name. */
HSIM_IMPORT("hsim_ccu_v1", "tag_record") int32_t hsim_tag_record(const void *tag, uint32_t n, uint32_t mask);

/* Wait for such bits and clear them. */
HSIM_IMPORT("hsim_ccu_v1", "tag_wait") int32_t hsim_tag_wait(const void *tag, uint32_t n, uint32_t mask);

/* Set bits of the peer's notify 0..7 of a channel. */
HSIM_IMPORT("hsim_ccu_v1", "notify_record") int32_t hsim_notify_record(uint32_t channel, uint32_t index, uint32_t mask);

/* Wait for bits of the own notify of a channel and clear them. */
HSIM_IMPORT("hsim_ccu_v1", "notify_wait") int32_t hsim_notify_wait(uint32_t channel, uint32_t index, uint32_t mask);

/* Write a variable to the peer's channel variable, then set bits of its notify. */
HSIM_IMPORT("hsim_ccu_v1", "write_variable_with_notify") int32_t hsim_write_variable_with_notify(uint32_t channel, int32_t var, uint32_t index, uint32_t notify, uint32_t mask);

/* Version 2: add a variable to the peer's channel variable in one step. */
HSIM_IMPORT("hsim_ccu_v1", "sync_add") int32_t hsim_sync_add(uint32_t channel, int32_t var, uint32_t index);

/* Version 2: wait until a variable fulfils the relation with another. */
HSIM_IMPORT("hsim_ccu_v1", "variable_wait") int32_t hsim_variable_wait(int32_t var, uint32_t compare, int32_t value);

/* Begin a block that runs when the relation holds; ge, gt, le and lt need version 2. */
HSIM_IMPORT("hsim_ccu_v1", "if_begin") int32_t hsim_if_begin(int32_t var, uint32_t compare, uint64_t value);

/* Begin the other block. */
HSIM_IMPORT("hsim_ccu_v1", "if_else") int32_t hsim_if_else(void);

/* End it. */
HSIM_IMPORT("hsim_ccu_v1", "if_end") int32_t hsim_if_end(void);

/* Begin a block that repeats while the relation holds. */
HSIM_IMPORT("hsim_ccu_v1", "while_begin") int32_t hsim_while_begin(int32_t var, uint32_t compare, uint64_t value);

/* End it. */
HSIM_IMPORT("hsim_ccu_v1", "while_end") int32_t hsim_while_end(void);

/* Begin a block that runs at least once. */
HSIM_IMPORT("hsim_ccu_v1", "do_begin") int32_t hsim_do_begin(void);

/* End it; it repeats while the relation holds. */
HSIM_IMPORT("hsim_ccu_v1", "do_end") int32_t hsim_do_end(int32_t var, uint32_t compare, uint64_t value);

/* Begin a function; its identifier, or a negative status. */
HSIM_IMPORT("hsim_ccu_v1", "function_begin") int32_t hsim_function_begin(void);

/* End it. */
HSIM_IMPORT("hsim_ccu_v1", "function_end") int32_t hsim_function_end(void);

/* Run a function. */
HSIM_IMPORT("hsim_ccu_v1", "call") int32_t hsim_call(int32_t function);

/* Begin the body of a loop and return its identifier; both arguments are variables, step in bytes is added to every address per iteration. No if, call or event_record inside. */
HSIM_IMPORT("hsim_ccu_v1", "loop_begin") int32_t hsim_loop_begin(int32_t iterations, int32_t step);

/* End the body. */
HSIM_IMPORT("hsim_ccu_v1", "loop_end") int32_t hsim_loop_end(void);

/* Run loops consecutive loops in parallel, and the ones from repeat_first on again in repeats (a variable) clones with the steps added; waits for all. */
HSIM_IMPORT("hsim_ccu_v1", "loop_group") int32_t hsim_loop_group(int32_t first, uint32_t loops, uint32_t repeat_first, int32_t repeats, uint32_t buffer_step, uint32_t event_step, int32_t address_step, uint32_t variable_step);

/* Write a line to the log. */
HSIM_IMPORT("hsim_ccu_v1", "log") void hsim_log(const void *text, uint32_t n);

/* Refuse the registration with an error; does not return. */
HSIM_IMPORT("hsim_ccu_v1", "fail") __attribute__((noreturn)) void hsim_fail(const void *text, uint32_t n);

/* Record the microprogram. */
#define HSIM_CCU(name) HSIM_EXPORT("hsim_ccu_" #name) int32_t hsim_ccu_##name(struct hsim_register *reg)

/* Write at most max u64 arguments of one invocation to args; return how many, or a negative status. */
#define HSIM_CCU_LAUNCH(name) HSIM_EXPORT("hsim_ccu_" #name "_launch") int32_t hsim_ccu_##name##_launch(struct hsim_invocation *op, void *args, uint32_t max)
#endif

/* Modules of kind transport: The protocol engine of a network port: sequence numbers, windows, acknowledgements, retransmission, time-outs, congestion control and path choice. One instance per device; nothing blocks; the host owns queues, matching, completion order and flush. hsim_abi_transport_v1 returns the services and features that the plugin carries. */
#ifdef HSIM_KIND_TRANSPORT

/* Send a packet that is not data after the present call returns: a probe, a notification. conn, kind, psn, msn, wire, flags, lane, path, cc and ext_* are read; entropy 0 is the connection's. */
HSIM_IMPORT("hsim_transport_v1", "send") int32_t hsim_send(const void *packet);

/* The next number of the instance's seeded stream. */
HSIM_IMPORT("hsim_transport_v1", "random") uint64_t hsim_random(void);

/* Add to a named counter of the report. */
HSIM_IMPORT("hsim_transport_v1", "count") void hsim_count(const void *name, uint32_t n, int64_t by);

/* Add a sample to a named track of the trace. */
HSIM_IMPORT("hsim_transport_v1", "trace") void hsim_trace(const void *name, uint32_t n, int64_t value);

/* Write a line to the log. */
HSIM_IMPORT("hsim_transport_v1", "log") void hsim_log(const void *text, uint32_t n);

/* End the run of this plugin with an error; does not return. */
HSIM_IMPORT("hsim_transport_v1", "fail") __attribute__((noreturn)) void hsim_fail(const void *text, uint32_t n);

/* Begin; called once after the parameters are set. */
HSIM_EXPORT("hsim_transport_start") int32_t hsim_transport_start(void);

/* Add a connection. */
HSIM_EXPORT("hsim_transport_open") int32_t hsim_transport_open(struct hsim_conn *conn);

/* Attributes of a connection changed, or the host asks for what conn.flags says. */
HSIM_EXPORT("hsim_transport_modify") int32_t hsim_transport_modify(struct hsim_conn *conn);

/* Forget a connection. */
HSIM_EXPORT("hsim_transport_close") void hsim_transport_close(int32_t id);

/* Fill the connection's next packet from at most left bytes of the message and room bytes of credit; return its payload bytes, or 0 and packet.not_before. */
HSIM_EXPORT("hsim_transport_next") int64_t hsim_transport_next(int32_t id, int64_t left, int64_t room, struct hsim_packet *packet);

/* A packet arrived. */
HSIM_EXPORT("hsim_transport_receive") void hsim_transport_receive(struct hsim_packet *packet, struct hsim_verdict *verdict);

/* The connection's timer expired. */
HSIM_EXPORT("hsim_transport_timer") void hsim_transport_timer(int32_t id, struct hsim_verdict *verdict);

/* A port's link went up or down or changed its rate. */
HSIM_EXPORT("hsim_transport_link") void hsim_transport_link(uint32_t port, uint32_t up, int64_t rate);
#endif

/* Modules of kind algorithm: Collective schedules. The function is called once per rank and emits that rank's steps in order through the imports; offsets and lengths are bytes, whole elements. Steps of one stream run in order, streams of one rank run at the same time. A run of sends followed by a run of receives on one stream is an exchange: its receives are announced before its sends wait for theirs. Channels are 0 to 15; each direction of one belongs to one stream. */
#ifdef HSIM_KIND_ALGORITHM

/* Send a range to a peer; matches the peer's receives on the channel in order. No bytes: a signal. */
HSIM_IMPORT("hsim_algorithm_v1", "send") int32_t hsim_send(uint32_t buffer, uint64_t offset, uint64_t n, uint32_t peer, uint32_t channel, uint32_t stream);

/* Receive into a range of output or scratch. */
HSIM_IMPORT("hsim_algorithm_v1", "receive") int32_t hsim_receive(uint32_t buffer, uint64_t offset, uint64_t n, uint32_t peer, uint32_t channel, uint32_t stream);

/* Receive and combine into a range of output or scratch. */
HSIM_IMPORT("hsim_algorithm_v1", "receive_reduce") int32_t hsim_receive_reduce(uint32_t buffer, uint64_t offset, uint64_t n, uint32_t peer, uint32_t channel, uint32_t stream);

/* Copy inside the rank. */
HSIM_IMPORT("hsim_algorithm_v1", "copy") int32_t hsim_copy(uint32_t to, uint64_t to_offset, uint32_t from, uint64_t from_offset, uint64_t n, uint32_t stream);

/* Combine inside the rank. */
HSIM_IMPORT("hsim_algorithm_v1", "reduce") int32_t hsim_reduce(uint32_t to, uint64_t to_offset, uint32_t from, uint64_t from_offset, uint64_t n, uint32_t stream);

/* Let stream wait for everything emitted so far on the other stream, and for the arrival of what that has sent. */
HSIM_IMPORT("hsim_algorithm_v1", "sync") int32_t hsim_sync(uint32_t stream, uint32_t other);

/* Write a line to the log. */
HSIM_IMPORT("hsim_algorithm_v1", "log") void hsim_log(const void *text, uint32_t n);

/* Refuse the operation with an error; does not return. */
HSIM_IMPORT("hsim_algorithm_v1", "fail") __attribute__((noreturn)) void hsim_fail(const void *text, uint32_t n);

/* Emit the steps of one rank. */
#define HSIM_ALGO(name) HSIM_EXPORT("hsim_algo_" #name) int32_t hsim_algo_##name(struct hsim_op *op)
#endif

#ifdef __cplusplus
}
#endif

#endif
