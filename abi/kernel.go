package abi

// MaxPipes is the number of asynchronous DMA pipes of a block.
const MaxPipes = 8

func kernelInterface() *Interface {
	return &Interface{
		Kind:   Kernel,
		Module: importModule(Kernel),
		Doc: "Functions of AI cores and AI CPUs. The module's memory is the core's local memory; device memory is reached by DMA with 64-bit " +
			"addresses: copy in, compute, copy out. Imports that move data, wait or cost time return when the simulated time has passed.",
		Exports: []Func{
			declare("hsim_kernel_<name>(args cptr, args_len u32, block u32, blocks u32) i32",
				"Run block number block of blocks on one AI core. The name may end in _aic (cube core) or _aiv (vector core)."),
			declare("hsim_cpu_<name>(args cptr, args_len u32) i32", "Run on an AI CPU."),
		},
		Imports: []Func{
			declare("dma_in(local ptr, dev dev, n u32) i32", "Copy n bytes of device memory to local memory; returns when they are there."),
			declare("dma_out(dev dev, local cptr, n u32) i32", "Copy n bytes of local memory to device memory; an address of a peer crosses the fabric."),
			declare("dma_in_2d(local ptr, local_stride u32, dev dev, dev_stride u64, row u32, rows u32) i32",
				"Copy rows rows of row bytes each, strides in bytes from row start to row start."),
			declare("dma_out_2d(dev dev, dev_stride u64, local cptr, local_stride u32, row u32, rows u32) i32", "The same outward."),
			declare("dma_out_reduce(dev dev, local cptr, n u32, dtype u32, op u32) i32", "Combine n bytes of local memory into device memory."),
			declare("dma_start_in(pipe u32, local ptr, dev dev, n u32) i32",
				"Begin a copy in on a pipe (0..7) and return; transfers of one pipe run in order. Local memory is written by the time dma_wait returns."),
			declare("dma_start_out(pipe u32, dev dev, local cptr, n u32) i32",
				"Begin a copy out on a pipe. The bytes are read before this call returns, so the buffer's content is safe; its place in time is not."),
			declare("dma_start_out_reduce(pipe u32, dev dev, local cptr, n u32, dtype u32, op u32) i32", "Begin a copy out with reduce on a pipe."),
			declare("dma_wait(pipe u32) i32", "Wait until everything begun on the pipe is done; returns the first failure."),
			declare("mem_wait(dev dev, compare u32, value u64) i32", "Wait until the 64-bit word in device or peer memory fulfils the relation."),
			declare("vector(elems u64, dtype u32) i32", "Spend the time of one vector operation on elems elements."),
			declare("cube(m u32, n u32, k u32, dtype u32) i32", "Spend the time of a matrix product m x k by k x n on the cube unit."),
			declare("scalar(cycles u64) i32", "Spend cycles of the core's clock."),
			declare("barrier() i32", "Wait for all blocks of the launch."),
			declare("notify_record(id u32) i32", "Set a notify of this device."),
			declare("notify_wait(id u32) i32", "Wait for a notify of this device and reset it."),
			declare("thread_copy(thread u64, dst dev, src dev, n u64) i32",
				"AI CPU: enqueue a copy on a thread (a stream). This and the imports up to batch_end return at once, with a status."),
			declare("thread_reduce(thread u64, dst dev, src dev, n u64, dtype u32, op u32) i32", "AI CPU: enqueue dst = dst op src over n bytes."),
			declare("thread_notify_record(thread u64, target u64, notify u32) i32", "AI CPU: enqueue a record of a notify of the thread target."),
			declare("thread_notify_wait(thread u64, notify u32, seconds u32) i32",
				"AI CPU: enqueue a wait for a notify of the thread, which resets it; 0 seconds wait for ever."),
			declare("channel_write(thread u64, channel u64, dst dev, src dev, n u64) i32", "AI CPU: enqueue a write to the peer of a channel."),
			declare("channel_write_reduce(thread u64, channel u64, dst dev, src dev, n u64, dtype u32, op u32) i32",
				"AI CPU: enqueue a write that combines into the peer's memory."),
			declare("channel_write_notify(thread u64, channel u64, dst dev, src dev, n u64, notify u32) i32",
				"AI CPU: enqueue a write that records a notify of the peer when its bytes have landed."),
			declare("channel_read(thread u64, channel u64, dst dev, src dev, n u64) i32",
				"AI CPU: enqueue a read from the peer; later tasks of the thread find the bytes."),
			declare("channel_notify_record(thread u64, channel u64, notify u32) i32", "AI CPU: enqueue a record of a notify of the peer, after earlier writes."),
			declare("channel_notify_wait(thread u64, channel u64, notify u32, seconds u32) i32",
				"AI CPU: enqueue a wait for a notify that the peer records."),
			declare("channel_fence(thread u64, channel u64) i32", "AI CPU: enqueue a wait until all earlier writes of the thread to the peer have landed."),
			declare("batch_start() i32", "AI CPU: hold what is enqueued back."),
			declare("batch_end() i32", "AI CPU: let go of what was held back, all at once."),
			declare("log(text cptr, n u32)", "Write a line to the log."),
			declare("fail(text cptr, n u32)", "End the kernel with an error; does not return."),
		},
		Enums: []Enum{compareEnum()},
	}
}
