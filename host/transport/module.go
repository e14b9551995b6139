package transport

import (
	"fmt"
	"unsafe"

	"hsim/abi"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/wasm"
)

// ModuleConfig says how a transport module is used. Count, Trace and Log may be
// nil.
type ModuleConfig struct {
	Engine   *sim.Engine
	Settings []wasm.Setting
	Seed     uint64
	Log      func(line string)
	Count    func(plugin, name string, by int64)
}

// NewModule makes a plugin of a loaded module of kind transport.
func NewModule(m *wasm.Module, c ModuleConfig) (Plugin, error) {
	p := &modulePlugin{mod: m, cfg: c}
	in, err := m.Instantiate(wasm.InstanceConfig{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	f, err := in.Func("hsim_abi_transport_v1")
	if err != nil {
		return nil, err
	}
	features, err := f.Call()
	if err != nil {
		return nil, err
	}
	p.features = uint32(features)
	return p, nil
}

type modulePlugin struct {
	mod      *wasm.Module
	cfg      ModuleConfig
	features uint32
}

func (p *modulePlugin) Name() string     { return p.mod.Name() }
func (p *modulePlugin) Features() uint32 { return p.features }

// fuel of one call: a plugin that takes more steps for a packet is taken to loop.
const fuel = 20_000_000

func (p *modulePlugin) New(device topo.NodeID) (Protocol, error) {
	m := &moduleProtocol{}
	pages := uint32(wasm.DefaultPages)
	if p.features&abi.FeatureShared != 0 {
		pages *= 16 // 64 KiB a connection
	}
	in, err := p.mod.Instantiate(wasm.InstanceConfig{Fuel: fuel, LimitPages: pages, Seed: p.cfg.Seed ^ uint64(device)*0x9e3779b97f4a7c15,
		Now: p.cfg.Engine.Now, Log: p.cfg.Log, Settings: p.cfg.Settings, Imports: p.imports(m)})
	if err != nil {
		return nil, err
	}
	m.in, m.live = in, in.EpochAt()
	for _, f := range []struct {
		to   **wasm.Func
		name string
	}{{&m.next, "next"}, {&m.receive, "receive"}, {&m.timer, "timer"}, {&m.open, "open"}, {&m.modify, "modify"}, {&m.closing, "close"}} {
		if *f.to, err = in.Func("hsim_transport_" + f.name); err != nil {
			return nil, err
		}
	}
	size := func(n uintptr) uint32 { return uint32(n+15) &^ 15 }
	pkt, ver, conn := size(unsafe.Sizeof(abi.Packet{})), size(unsafe.Sizeof(abi.Verdict{})), size(unsafe.Sizeof(abi.Conn{}))
	buf, err := in.Func("hsim_buffer")
	if err != nil {
		return nil, err
	}
	base, err := buf.Call(uint64(pkt + ver + conn + abi.MaxExt))
	if err != nil {
		return nil, err
	}
	m.at = uint32(base)
	if m.at == 0 || m.at%16 != 0 {
		return nil, fmt.Errorf("transport: plugin %s: hsim_buffer(%d): got address %d, want one that is a multiple of 16", p.Name(), pkt+ver+conn+abi.MaxExt, m.at)
	}
	m.ver, m.con, m.ext, m.size = m.at+pkt, m.at+pkt+ver, m.at+pkt+ver+conn, pkt+ver+conn+abi.MaxExt
	if err := m.overlay(); err != nil {
		return nil, err
	}
	*m.pktp = abi.Packet{Size: uint32(unsafe.Sizeof(abi.Packet{}))}
	*m.verp = abi.Verdict{Size: uint32(unsafe.Sizeof(abi.Verdict{}))}
	*m.conp = abi.Conn{Size: uint32(unsafe.Sizeof(abi.Conn{}))}
	start, err := in.Func("hsim_transport_start")
	if err != nil {
		return nil, err
	}
	if err := start.Status(); err != nil {
		return nil, err
	}
	return m, nil
}

func (p *modulePlugin) imports(m *moduleProtocol) map[string]wasm.Import {
	return map[string]wasm.Import{
		"send": m.send,
		"count": func(c *wasm.CallCtx, stack []uint64) {
			if p.cfg.Count != nil {
				p.cfg.Count(p.Name(), c.Text(stack[0], stack[1]), int64(stack[2]))
			}
		},
		"trace": func(*wasm.CallCtx, []uint64) {},
	}
}

// moduleProtocol is one instance; the records lie in its memory and are read
// and written in place.
type moduleProtocol struct {
	live                                        *uint32 // the instance's count of moves of its memory
	in                                          *wasm.Instance
	next, receive, timer, open, modify, closing *wasm.Func
	at, ver, con, ext, size, epoch              uint32
	out                                         *Outbox
	extp                                        *[abi.MaxExt]byte
	pktp                                        *abi.Packet
	verp                                        *abi.Verdict
	conp                                        *abi.Conn
}

func (m *moduleProtocol) overlay() error {
	p, err := m.in.Pointer(m.at, m.size)
	if err != nil {
		return fmt.Errorf("transport: plugin %s: hsim_buffer: %w", m.in.Module().Name(), err)
	}
	m.epoch = m.in.Epoch()
	m.pktp = (*abi.Packet)(p)
	m.verp = (*abi.Verdict)(unsafe.Add(p, m.ver-m.at))
	m.conp = (*abi.Conn)(unsafe.Add(p, m.con-m.at))
	m.extp = (*[abi.MaxExt]byte)(unsafe.Add(p, m.ext-m.at))
	return nil
}

// moved takes the records' addresses again after guest memory has moved. The
// buffer was inside memory before and memory never shrinks, so it cannot fail.
func (m *moduleProtocol) moved() {
	if m.epoch != *m.live {
		_ = m.overlay()
	}
}

func (m *moduleProtocol) Packet() *abi.Packet {
	m.moved()
	return m.pktp
}

func (m *moduleProtocol) Verdict() *abi.Verdict {
	m.moved()
	return m.verp
}

func (m *moduleProtocol) Next(id int32, left, room int64) (int64, error) {
	r, err := m.next.Call(uint64(uint32(id)), uint64(left), uint64(room), uint64(m.at))
	return int64(r), err
}

func (m *moduleProtocol) Receive() error {
	_, err := m.receive.Call(uint64(m.at), uint64(m.ver))
	return err
}

func (m *moduleProtocol) Timer(id int32) error {
	_, err := m.timer.Call(uint64(uint32(id)), uint64(m.ver))
	return err
}

func (m *moduleProtocol) Conn() *abi.Conn {
	m.moved()
	return m.conp
}

// Attach says where the packets of send go.
func (m *moduleProtocol) Attach(o *Outbox) uint32 {
	m.out = o
	return m.ext
}

// Ext is where the module reads what travels beside a packet.
func (m *moduleProtocol) Ext() []byte {
	m.moved()
	return m.extp[:]
}

// Bytes is a part of the module's memory.
func (m *moduleProtocol) Bytes(at, n uint32) ([]byte, error) { return m.in.Bytes(at, n) }

// send is the import: it records what leaves after the call.
func (m *moduleProtocol) send(c *wasm.CallCtx, stack []uint64) {
	at := uint32(stack[0])
	status := abi.State
	if m.out != nil {
		status = m.record(c.In, at)
	}
	stack[0] = uint64(uint32(status))
}

func (m *moduleProtocol) record(in *wasm.Instance, at uint32) abi.Status {
	p, err := in.Pointer(at, uint32(unsafe.Sizeof(abi.Packet{})))
	if err != nil || at%8 != 0 {
		return abi.Local
	}
	k := (*abi.Packet)(p)
	if k.Size < uint32(unsafe.Sizeof(abi.Packet{})) {
		return abi.Short
	}
	if k.ExtLen > abi.MaxExt {
		return abi.Invalid
	}
	var ext []byte
	if k.ExtLen > 0 {
		if ext, err = in.Bytes(k.ExtPtr, k.ExtLen); err != nil {
			return abi.Local
		}
	}
	return m.out.Add(k, ext)
}

func (m *moduleProtocol) Open() error { return m.open.Status(uint64(m.con)) }

func (m *moduleProtocol) Modify() error { return m.modify.Status(uint64(m.con)) }

func (m *moduleProtocol) Close(id int32) error {
	_, err := m.closing.Call(uint64(uint32(id)))
	return err
}
