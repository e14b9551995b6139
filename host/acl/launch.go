package acl

import (
	"encoding/binary"
	"errors"
	"fmt"

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

// launchConfig is the configuration of a launch, kept for the tables.
type launchConfig struct {
	object
	blocks  int
	timeout sim.Time
	engine  string
	attrs   []LaunchAttr
}

// launchOp is one launch: arguments that lie in device memory are read when it
// starts.
type launchOp struct {
	device.KernelOp
	bin      *Binary
	p        *Process
	use      *deviceUse
	args     mem.Addr
	size     int64
	reread   bool     // args lie in device memory
	captured bool     // into a model, which runs it again and again
	own      mem.Addr // the runtime's copy of the arguments, 0 without
}

// Start implements device.Op.
func (o *launchOp) Start(s *device.Stream, t *device.Task) device.Status {
	o.Spec.Guard = o
	if o.reread {
		o.Spec.Args = make([]byte, o.size)
		if err := s.System().Mem().Read(o.args, o.Spec.Args); err != nil {
			s.Fail(device.CauseAICore, err)
			o.Ended()
			return device.Done
		}
	}
	return o.KernelOp.Start(s, t)
}

// Ended hears of the end of the launch.
func (o *launchOp) Ended() {
	if !o.captured {
		o.release()
	}
}

// Drop hears that the launch never started.
func (o *launchOp) Drop(*device.Stream, *device.Task) { o.Ended() }

// release gives back what the launch holds.
func (o *launchOp) release() {
	o.bin.busy--
	if o.own != 0 {
		_ = o.p.rt.mem.Free(o.own) // the runtime's own
		o.own = 0
	}
}

// Reach implements kernel.Guard: memory of another process needs an import,
// memory of another device peer access.
func (o *launchOp) Reach(index, pid int, a mem.Addr) error {
	if pid != 0 && pid != o.p.pid {
		return fmt.Errorf("acl: %v belongs to process %d, the kernel is of process %d (import the memory first)", a, pid, o.p.pid)
	}
	if index == mem.Host || index == o.use.dev.Index() || o.use.peers[index] != nil {
		return nil
	}
	if r, ok := o.p.rt.mem.Lookup(a); ok && o.p.mayReach(o.use.dev.Index(), a, r) {
		return nil
	}
	return fmt.Errorf("acl: %v is on device %d, which device %d may not access (call aclrtDeviceEnablePeerAccess first)", a, index, o.use.dev.Index())
}

// Notify implements kernel.NotifyGuard: the process must have a handle of it.
func (o *launchOp) Notify(id uint32) error {
	if o.p.registers[register{o.use.dev, int(id)}] == 0 {
		return fmt.Errorf("acl: process %d has no handle of notify %d of %s", o.p.pid, id, o.use.dev.Name())
	}
	return nil
}

// Address implements kernel.AddressSpace.
func (o *launchOp) Address(own uint32) (mem.Addr, bool) {
	if o.p.addresses == nil {
		return 0, false
	}
	return o.p.addresses(own)
}

// SetAddresses sets how the process's kernels understand its own numbers for
// device memory, which are below 4 GiB.
func (p *Process) SetAddresses(f func(own uint32) (mem.Addr, bool)) { p.addresses = f }

// LaunchKernel queues a kernel whose packed arguments lie in device memory.
// Errors: StreamContext, InvalidHandle, ParamInvalid for no blocks, memory that
// does not hold the arguments, or a kernel without code for the cores it is sent
// to. A kernel that fails is what the stream's synchronisation returns.
func (t *Thread) LaunchKernel(f *Function, blocks uint32, args mem.Addr, size int64, s *Stream) error {
	const call = "aclrtLaunchKernel"
	s, err := t.launchable(call, f, blocks, s)
	if err != nil {
		return err
	}
	if size < 0 || size > maxArgs {
		return fail(ParamInvalid, call, "got %d bytes of arguments, want 0 to %d", size, maxArgs)
	}
	o := &launchOp{args: args, size: size, reread: size > 0}
	var a *KernelArgs
	if size > 0 {
		r, loc := t.locate(args)
		if loc == LocationHost {
			return fail(ParamInvalid, call, "arguments %v are host memory, want memory of the device (aclrtLaunchKernelWithHostArgs takes them from the host)", args)
		}
		if err := t.checkRange(call, "arguments", args, size, r, loc, mem.Readable); err != nil {
			return err
		}
		if t.p.rt.rows != nil {
			a = &KernelArgs{f: f, device: true, final: true, size: size}
			t.p.rt.args.add(a, t.p.rt.now())
		}
	}
	return t.launch(call, o, f, blocks, s, nil, a)
}

// LaunchKernelWithConfig queues a kernel with collected arguments, which are
// copied now. Errors beside those of LaunchKernel: ParamInvalid for arguments that
// are not final or of another function, and for attributes.
func (t *Thread) LaunchKernelWithConfig(f *Function, blocks uint32, s *Stream, attrs []LaunchAttr, args *KernelArgs) error {
	const call = "aclrtLaunchKernelWithConfig"
	s, err := t.launchable(call, f, blocks, s)
	if err != nil {
		return err
	}
	o := &launchOp{}
	if args != nil {
		if err := t.argsOf(call, args); err != nil {
			return err
		}
		switch {
		case !args.final:
			return fail(ParamInvalid, call, "the arguments of %s are not final (call aclrtKernelArgsFinalize first)", f.name)
		case args.f != f:
			return fail(ParamInvalid, call, "the arguments are those of %s, want those of %s", args.f.name, f.name)
		}
		o.Spec.Args = append([]byte(nil), args.data...)
	}
	return t.launch(call, o, f, blocks, s, attrs, args)
}

// PlaceHolder is a pointer in packed arguments to data behind them.
type PlaceHolder struct {
	AddrOffset int // of the pointer
	DataOffset int // of the data
}

// LaunchKernelWithHostArgs queues a kernel whose packed arguments the host has:
// they are copied now, and pointers set to the device's copy of the data that
// they stand for.
func (t *Thread) LaunchKernelWithHostArgs(f *Function, blocks uint32, s *Stream, attrs []LaunchAttr, args []byte, holders []PlaceHolder) error {
	const call = "aclrtLaunchKernelWithHostArgs"
	s, err := t.launchable(call, f, blocks, s)
	if err != nil {
		return err
	}
	if len(args) > maxArgs {
		return fail(ParamInvalid, call, "got %d bytes of arguments, want at most %d", len(args), maxArgs)
	}
	o := &launchOp{}
	o.Spec.Args = append([]byte(nil), args...)
	for i, h := range holders {
		if h.AddrOffset < 0 || h.AddrOffset+8 > len(args) || h.DataOffset < 0 || h.DataOffset >= len(args) {
			return fail(ParamInvalid, call, "placeholder %d has its pointer at %d and its data at %d of %d bytes", i, h.AddrOffset, h.DataOffset, len(args))
		}
	}
	a := &KernelArgs{f: f, final: true, size: int64(len(args)), data: o.Spec.Args}
	if len(holders) > 0 {
		p, err := t.p.rt.mem.Alloc(mem.AllocSpec{Device: s.ctx.use.dev.Index(), Size: int64(len(args)), Pid: t.p.pid, Ctx: s.ctx.id, Kind: mem.KindTs,
			Name: "arguments of " + f.name})
		if err != nil {
			return resource(call, err)
		}
		for _, h := range holders {
			binary.LittleEndian.PutUint64(o.Spec.Args[h.AddrOffset:], uint64(p.Add(int64(h.DataOffset))))
			a.parts = append(a.parts, argPart{off: h.AddrOffset, size: 8, placeholder: true, buffer: p.Add(int64(h.DataOffset))})
		}
		if err := t.p.rt.mem.Write(p, o.Spec.Args); err != nil {
			return wrap(ParamInvalid, call, err)
		}
		o.own = p
	}
	if t.p.rt.rows != nil {
		t.p.rt.args.add(a, t.p.rt.now())
	}
	err = t.launch(call, o, f, blocks, s, attrs, a)
	if err != nil && o.own != 0 {
		_ = t.p.rt.mem.Free(o.own) // made just now
	}
	return err
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
			o.Spec.Timeout = limit(uint32(a.Value) & (1<<31 - 1))
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
	if err := t.enterLaunch(call); err != nil {
		return nil, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	if err := t.function(call, f); err != nil {
		return nil, err
	}
	switch {
	case f.bin.ctx.use != s.ctx.use:
		return nil, fail(ParamInvalid, call, "%s is loaded on %s, %v is not on it", f.name, f.bin.ctx.use.dev.Name(), s)
	case blocks == 0 || blocks > kernel.MaxBlocks:
		return nil, fail(ParamInvalid, call, "got %d blocks, want 1 to %d", blocks, kernel.MaxBlocks)
	}
	return s, t.implicit(call, s)
}

func (t *Thread) launch(call string, o *launchOp, f *Function, blocks uint32, s *Stream, attrs []LaunchAttr, args *KernelArgs) error {
	if err := o.configure(call, attrs); err != nil {
		return err
	}
	o.Fn, o.Spec.Blocks = f.fn, int(blocks)
	o.bin, o.p, o.use = f.bin, t.p, s.ctx.use
	if o.Spec.Unit == kernel.AnyUnit && t.ts == 1 {
		o.Spec.Unit = kernel.VectorCore
	}
	unit, err := f.fn.Unit(o.Spec.Unit)
	switch {
	case err != nil:
		return wrap(ParamInvalid, call, err)
	case unit == kernel.AICPU && blocks != 1:
		return fail(ParamInvalid, call, "got %d blocks of %s, want 1 on an AI CPU", blocks, f.name)
	}
	if o.Spec.Timeout == 0 {
		o.Spec.Timeout = t.p.opExecute
	}
	row := TaskRow{Type: TypeKernel, What: f.name, Blocks: int(blocks), Function: f.id}
	if r := t.p.rt; r.rows != nil {
		row.Unit, row.Scheduler, row.TS = computeKind(s.ctx.use.dev.Chip(), unit)
		cfg := &launchConfig{blocks: int(blocks), timeout: o.Spec.Timeout, engine: unit.String(), attrs: append([]LaunchAttr(nil), attrs...)}
		r.configs.add(cfg, r.now())
		row.Config = cfg.id
		if args != nil {
			row.Args = args.id
		}
	}
	f.bin.busy++
	o.captured = s.capture != nil || s.group != nil
	if err := t.push(call, s, &device.Task{Kind: device.KindOp, Op: o}, &row); err != nil {
		o.release()
		return err
	}
	return nil
}

// kernelCode is the code of a kernel's failure, 0 when err is none. Code for
// vector cores alone has codes of its own; code for both kinds has the AI core's.
func kernelCode(err error) Code {
	var f *kernel.Fault
	if !errors.As(err, &f) {
		return 0
	}
	codes := [...]Code{AICoreTimeout, AICoreTrapException, AICoreException}
	switch {
	case f.Unit == kernel.AICPU:
		codes = [...]Code{AICPUTimeout, AICPUException, AICPUException}
	case f.Unit == kernel.VectorCore && f.Own:
		codes = [...]Code{VectorCoreTimeout, VectorCoreTrapException, VectorCoreException}
	}
	switch f.Cause {
	case kernel.Timeout, kernel.Fuel:
		return codes[0]
	case kernel.Trap:
		return codes[1]
	case kernel.Peer:
		return SuspectRemoteError
	case kernel.Canceled:
		return DeviceTaskAbort
	}
	return codes[2]
}
