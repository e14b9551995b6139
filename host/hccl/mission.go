package hccl

import (
	"fmt"

	"hsim/host/ccu"
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
)

// mission is one rank's run of a microprogram.
type mission struct {
	op      device.MissionOp
	keys    []uint32 // of the buffers
	entries int
	next    int
}

// prepare registers the program and the buffers of the operation and asks for
// the arguments, as the host does when it launches.
func (f *feeder) prepare(a *opArgs, send, recv mem.Addr, p *Params) error {
	m := f.r.comm
	programs, err := m.register(a)
	if err != nil {
		return err
	}
	n := &mission{}
	token := func(at mem.Addr, size int64, access mem.Access) uint64 {
		if err != nil {
			return 0
		}
		var g mem.Region
		g, err = m.mem.RegisterRegion(mem.RegionSpec{Device: f.r.dev.Index(), Addr: at, Len: size, Access: access})
		if err == nil {
			n.keys = append(n.keys, g.RKey)
		}
		return ccu.Token(g)
	}
	const all = mem.LocalWrite | mem.RemoteWrite | mem.RemoteRead | mem.RemoteAtomic
	in, out := p.InBytes(), p.OutBytes()
	v := ccu.Invocation{Rank: uint32(f.r.rank), World: uint32(len(m.ranks)), Root: uint32(a.root), Operation: operationCodes[a.op], Reduce: uint32(a.red),
		Dtype: uint32(a.dtype), OutDtype: uint32(a.dtype), Count: uint64(a.count), Input: uint64(send), InputBytes: uint64(in),
		Output: uint64(recv), OutputBytes: uint64(out), Scratch: uint64(f.r.scratch), ScratchBytes: uint64(2 * m.cfg.BufferBytes)}
	if a.op == Broadcast { // works in one buffer
		v.InputToken = token(send, in, all)
		v.OutputToken = v.InputToken
	} else {
		v.InputToken, v.OutputToken = token(send, in, mem.RemoteRead), token(recv, out, all)
	}
	v.ScratchToken = token(f.r.scratch, 2*m.cfg.BufferBytes, all)
	var args []uint64
	if err == nil {
		args, err = programs[f.r.rank].Args(v)
	}
	if err == nil {
		n.op.Launch, err = programs[f.r.rank].Launch(args)
	}
	f.ccu = n
	if err != nil {
		f.dismiss()
		return err
	}
	n.entries = n.op.Launch.Entries()
	return nil
}

// dismiss ends what prepare began.
func (f *feeder) dismiss() {
	for _, k := range f.ccu.keys {
		_ = f.r.comm.mem.Deregister(k) // its own key
	}
	f.ccu.keys = nil
}

// entry fills t for the next queue entry of the mission; false after the last.
func (f *feeder) entry(t *device.Task) bool {
	n := f.ccu
	if n.next == n.entries {
		return false
	}
	t.Kind, t.Op, t.Value, t.Timeout = device.KindOp, &n.op, uint64(n.next), f.r.comm.timeout
	n.next++
	f.at = f.at.Add(f.per)
	t.Ready = f.at
	return true
}

// explainMission gives the fault of a mission the words of HCCL.
func (f *feeder) explainMission(fault *device.Fault) {
	m := f.r.comm
	e := &Error{Code: ErrInternal, Call: f.rec.args.op.Call(), Rank: int(f.r.rank), Err: fault.Err}
	switch fault.Cause {
	case device.CauseTimeout:
		e.Code, e.ID = ErrTimeout, "EI0002"
	case device.CauseCCU:
	default:
		return
	}
	e.Text = fmt.Sprintf("the mission of operation %d of %s failed: %v by %v, %v", f.seq+1, m.cfg.Name, f.rec.args, f.rec.choice.Algorithm, f.rec.choice.Expansion)
	fault.Err = e
}

// What a mission executes one after the other: of the program that comes with
// hsim, and about as many of any that exchanges addresses, writes to all peers,
// waits and says farewell.
const (
	missionBase    = 18
	missionPerPeer = 7
)

// predictMission predicts an operation whose ranks run one microprogram of the
// mesh each: two queue entries, both handshakes, and the writes in between; local
// copies overlap.
func (m *Model) predictMission(p Params) (stamp, error) {
	var s stamp
	c := m.chip
	s.add(PartHostCall, c.HostCall)
	s.add(PartHostLaunch, 2*c.HostLaunch)
	s.add(PartDispatch, c.TSDispatch)
	s.add(PartIssue, sim.Time(missionBase+missionPerPeer*(p.Ranks-1))*c.CCU.Issue)
	if p.Ranks == 1 {
		s.add(PartCopy, rateTime(c.CCU.MSCopyRate, p.OutBytes()))
		return s, nil
	}
	way := m.path(0, 1)
	if way.err != nil {
		return s, way.err
	}
	notify := rateTime(way.rate, way.wire.bytes(0, true, true, true))
	for range 2 {
		s.add(PartLatency, way.latency)
		s.add(PartHeader, notify)
		s.add(PartSync, c.SyncCCU)
	}
	n := FormOf(p, false).Bytes
	payload := rateTime(way.rate, n)
	s.add(PartPayload, payload)
	s.add(PartHeader, rateTime(way.rate, way.wire.bytes(n, true, true, false))-payload)
	s.add(PartLatency, 2*way.latency) // there, and the acknowledgement back
	return s, nil
}
