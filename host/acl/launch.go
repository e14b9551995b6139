package acl

import (
	"errors"

	"hsim/host/device"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
)

// LaunchAttr is one attribute of a launch.
type LaunchAttr struct {
	ID    int
	Value uint64
}

// The attributes of a launch. Those that only steer hardware details are
// accepted and have no effect.
const (
	LaunchSchemMode   = 1
	LaunchLocalMemory = 2
	LaunchEngine      = 3 // 0 cube, 1 vector
	LaunchBlockOffset = 4
	LaunchPrefetch    = 5
	LaunchDump        = 6
	LaunchTimeout     = 7 // seconds
	LaunchTimeoutUs   = 8 // microseconds
)

// launchOp is one launch: arguments that lie in device memory are read when it
// starts.
type launchOp struct {
	device.KernelOp
	args mem.Addr
	size int64
}

// Start implements device.Op.
func (o *launchOp) Start(s *device.Stream, t *device.Task) device.Status {
	if o.size > 0 {
		o.Spec.Args = make([]byte, o.size)
		if err := s.System().Mem().Read(o.args, o.Spec.Args); err != nil {
			s.Fail(device.CauseAICore, err)
			return device.Done
		}
	}
	return o.KernelOp.Start(s, t)
}

// LaunchKernel queues a kernel whose packed arguments lie in device memory.
func (t *Thread) LaunchKernel(f *Function, blocks uint32, args mem.Addr, size int64, s *Stream) error {
	const call = "aclrtLaunchKernel"
	t.payLaunch()
	s, err := t.launchable(call, f, blocks, s)
	if err != nil {
		return err
	}
	if size < 0 || size > maxArgs {
		return fail(ParamInvalid, call, "got %d bytes of arguments, want 0 to %d", size, maxArgs)
	}
	if size > 0 {
		r, loc := t.locate(args)
		if err := t.checkRange(call, "arguments", args, size, r, loc, mem.Readable); err != nil {
			return err
		}
	}
	o := &launchOp{args: args, size: size}
	return t.launch(call, o, f, blocks, s)
}

// LaunchKernelWithConfig queues a kernel with collected arguments.
func (t *Thread) LaunchKernelWithConfig(f *Function, blocks uint32, s *Stream, attrs []LaunchAttr, args *KernelArgs) error {
	const call = "aclrtLaunchKernelWithConfig"
	t.payLaunch()
	s, err := t.launchable(call, f, blocks, s)
	if err != nil {
		return err
	}
	o := &launchOp{}
	if args != nil {
		switch {
		case !args.final:
			return fail(ParamInvalid, call, "the arguments of %s are not final (call aclrtKernelArgsFinalize first)", f.name)
		case args.f != f:
			return fail(ParamInvalid, call, "the arguments are those of %s, want those of %s", args.f.name, f.name)
		}
		o.Spec.Args = append([]byte(nil), args.data...)
	}
	if err := o.configure(call, attrs); err != nil {
		return err
	}
	return t.launch(call, o, f, blocks, s)
}

func (o *launchOp) configure(call string, attrs []LaunchAttr) error {
	limits := 0
	for _, a := range attrs {
		switch a.ID {
		case LaunchSchemMode, LaunchLocalMemory, LaunchBlockOffset, LaunchPrefetch, LaunchDump:
		case LaunchEngine:
			if a.Value > 1 {
				return fail(ParamInvalid, call, "got engine %d, want 0 (cube) or 1 (vector)", a.Value)
			}
			o.Spec.Unit = [...]kernel.Unit{kernel.CubeCore, kernel.VectorCore}[a.Value]
		case LaunchTimeout:
			o.Spec.Timeout = sim.Time(a.Value&(1<<31-1)) * sim.Second
			limits++
		case LaunchTimeoutUs:
			o.Spec.Timeout = sim.Time(a.Value&(1<<40-1)) * sim.Microsecond
			limits++
		default:
			return fail(ParamInvalid, call, "got attribute %d, want 1 to 8", a.ID)
		}
	}
	if limits > 1 {
		return fail(ParamInvalid, call, "got a time-out in seconds and one in microseconds, want one of them")
	}
	return nil
}

func (t *Thread) launchable(call string, f *Function, blocks uint32, s *Stream) (*Stream, error) {
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fail(ParamInvalid, call, "got a null function")
	}
	if err := t.binary(call, f.bin); err != nil {
		return nil, err
	}
	if f.bin.ctx.use != s.ctx.use {
		return nil, fail(ParamInvalid, call, "%s is loaded on %s, %v is not on it", f.name, f.bin.ctx.use.dev.Name(), s)
	}
	if blocks == 0 || blocks > kernel.MaxBlocks {
		return nil, fail(ParamInvalid, call, "got %d blocks, want 1 to %d", blocks, kernel.MaxBlocks)
	}
	return s, nil
}

func (t *Thread) launch(call string, o *launchOp, f *Function, blocks uint32, s *Stream) error {
	o.Fn, o.Spec.Blocks = f.fn, int(blocks)
	if o.Spec.Timeout == 0 {
		o.Spec.Timeout = t.p.opExecute
	}
	return t.push(call, s, &device.Task{Kind: device.KindOp, Op: o}, &TaskRow{Type: TypeKernel, What: f.name, Blocks: int(blocks)})
}

// kernelCode is the code of a kernel's failure, 0 when err is none.
func kernelCode(err error) Code {
	var f *kernel.Fault
	if !errors.As(err, &f) {
		return 0
	}
	cpu := f.Unit == kernel.AICPU
	switch f.Cause {
	case kernel.Timeout, kernel.Fuel:
		if cpu {
			return AICPUTimeout
		}
		return AICoreTimeout
	case kernel.Trap:
		if cpu {
			return AICPUException
		}
		return AICoreTrapException
	case kernel.Peer:
		return SuspectRemoteError
	case kernel.Canceled:
		return DeviceTaskAbort
	}
	if cpu {
		return AICPUException
	}
	return AICoreException
}
