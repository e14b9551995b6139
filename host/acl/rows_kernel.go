package acl

import (
	"fmt"
	"strings"

	"hsim/host/mem"
	"hsim/host/sim"
)

// KernelBinaryRow is a row of table kernel_binary. Loads from file and data make
// one of their own.
type KernelBinaryRow struct {
	ID        int    `col:"id" key:"pk"`
	File      string `col:"file"`
	Bytes     int    `col:"bytes"`
	CreatePid int    `col:"create_pid"`
	Life
}

// BinaryHandleRow is a row of table kernel_binary_handle.
type BinaryHandleRow struct {
	HandleID int      `col:"handle_id" key:"pk"`
	KernelID int      `col:"kernel_id" key:"kernel_binary.id"`
	CtxID    int      `col:"ctx_id" key:"context.ctx_id"`
	Addr     mem.Addr `col:"addr"` // of the image in device memory, 0 before a lazy load
	Life
}

// FuncHandleRow is a row of table kernel_func_handle.
type FuncHandleRow struct {
	HandleID   int      `col:"handle_id" key:"pk"`
	BinaryID   int      `col:"binary_id" key:"kernel_binary_handle.handle_id"`
	FuncName   string   `col:"func_name"`
	KernelName string   `col:"kernel_name"`
	AicAddr    mem.Addr `col:"aic_addr"`
	AivAddr    mem.Addr `col:"aiv_addr"`
	Life
}

// The kinds of argument handle.
const (
	ArgsHost   = "host"   // collected by the runtime
	ArgsDevice = "device" // packed by the program in device memory
)

// ArgsHandleRow is a row of table kernel_func_args_handle.
type ArgsHandleRow struct {
	ArgsHandleID int    `col:"args_handle_id" key:"pk"`
	FuncID       int    `col:"func_id" key:"kernel_func_handle.handle_id"`
	ArgsSize     int64  `col:"args_size"`
	Type         string `col:"type"`
	Life
}

// ArgsParamRow is a row of table kernel_func_args_param_handle.
type ArgsParamRow struct {
	ArgsParamID   int  `col:"args_param_id" key:"pk"`
	ArgsID        int  `col:"args_id" key:"kernel_func_args_handle.args_handle_id"`
	ParamSize     int  `col:"param_size"`
	IsPlaceHolder bool `col:"is_place_holder"`
}

// LaunchCfgRow is a row of table kernel_launch_cfg.
type LaunchCfgRow struct {
	LaunchCfgID int      `col:"launch_cfg_id" key:"pk"`
	Blocks      int      `col:"blocks"`
	Timeout     sim.Time `col:"timeout"`
	Engine      string   `col:"engine"`
	Attrs       string   `col:"attrs"`
}

func (r *Runtime) kernelTables() []Table {
	return []Table{
		table("kernel_binary", func(yield func(KernelBinaryRow)) {
			r.images.each(func(b *BinaryImage) { yield(KernelBinaryRow{b.id, b.file, len(b.data), b.p.pid, b.Life}) })
		}),
		table("kernel_binary_handle", func(yield func(BinaryHandleRow)) {
			r.binaries.each(func(b *Binary) { yield(BinaryHandleRow{b.id, b.image.id, b.ctx.id, b.space, b.Life}) })
		}),
		table("kernel_func_handle", func(yield func(FuncHandleRow)) {
			r.functions.each(func(f *Function) {
				aic, aiv := f.addrs()
				yield(FuncHandleRow{f.id, f.bin.id, f.fn.Name, f.name, aic, aiv, f.Life})
			})
		}),
		table("kernel_func_args_handle", func(yield func(ArgsHandleRow)) {
			r.args.each(func(a *KernelArgs) {
				row := ArgsHandleRow{a.id, a.f.id, max(a.size, int64(len(a.data))), ArgsHost, a.Life}
				if a.device {
					row.Type = ArgsDevice
				}
				yield(row)
			})
		}),
		table("kernel_func_args_param_handle", func(yield func(ArgsParamRow)) {
			id := 0
			r.args.each(func(a *KernelArgs) {
				for _, p := range a.parts {
					id++
					yield(ArgsParamRow{id, a.id, p.size, p.placeholder})
				}
			})
		}),
		table("kernel_launch_cfg", func(yield func(LaunchCfgRow)) {
			r.configs.each(func(c *launchConfig) {
				var attrs []string
				for _, a := range c.attrs {
					attrs = append(attrs, fmt.Sprintf("%d=%d", a.ID, a.Value))
				}
				yield(LaunchCfgRow{c.id, c.blocks, c.timeout, c.engine, strings.Join(attrs, " ")})
			})
		}),
	}
}
