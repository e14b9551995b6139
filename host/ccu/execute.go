package ccu

import (
	"fmt"

	"hsim/host/mem"
)

// execute does what an instruction says; its wait is over.
func (t *thread) execute(ins *Instruction) {
	u, v := t.u, &ins.V
	if ins.Op&typeMask == 0 {
		t.load(ins)
		return
	}
	switch ins.Op {
	case OpJump:
		if u.xn[v[SlotB]] != v[SlotImm] {
			t.pc = int(u.xn[v[SlotA]])
			return
		}
		t.pc++
	case OpSetCKE:
		t.pc++
		t.signal(ins)
	case OpClearCKE:
		t.pc++
		u.cke[v[SlotSet]] &^= uint16(v[SlotSetMask])
	case OpLoopGroup:
		t.group(ins)
	case OpSyncCKE, OpSyncGSA, OpSyncXn:
		t.across(ins)
	case OpMemToMS, OpMSToMem, OpMSToMS, OpMemToMem, OpRead, OpWrite, OpRemoteMemToMS, OpMSToRemoteMem:
		t.move(ins)
	case OpAdd, OpMax, OpMin:
		t.reduce(ins)
	case OpLoop:
		t.refuse(StatusOpcode, "got a loop outside a loop group")
	default:
		t.refuse(StatusOpcode, "got a move to or from the buffers of a peer, which this engine does not make")
	}
}

// refuse fails the mission at the present instruction.
func (t *thread) refuse(s Status, format string, args ...any) {
	t.m.fail(s, t.pc, fmt.Errorf(format, args...))
}

// load executes an instruction of type 0.
func (t *thread) load(ins *Instruction) {
	u, v := t.u, &ins.V
	switch ins.Op {
	case OpLoadArgXn, OpLoadArgGSA:
		if v[SlotB] >= argsPerSQE {
			t.refuse(StatusOpcode, "got argument %d, want less than %d", v[SlotB], argsPerSQE)
			return
		}
		if arg := t.m.args[v[SlotB]]; ins.Op == OpLoadArgXn {
			u.xn[v[SlotA]] = arg
		} else {
			u.gsa[v[SlotA]] = arg
		}
	case OpLoadImmXn:
		u.xn[v[SlotA]] = v[SlotImm]
	case OpLoadImmGSA:
		u.gsa[v[SlotA]] = v[SlotImm]
	case OpAddGSAXn:
		u.gsa[v[SlotA]] = u.gsa[v[SlotB]] + u.xn[v[SlotC]]
	case OpAddGSA:
		u.gsa[v[SlotA]] = u.gsa[v[SlotB]] + u.gsa[v[SlotC]]
	case OpAddXn:
		u.xn[v[SlotA]] = u.xn[v[SlotB]] + u.xn[v[SlotC]]
	}
	t.pc++
}

// signal sets the bits that an instruction sets when it is complete.
func (t *thread) signal(ins *Instruction) {
	if mask := uint16(ins.V[SlotSetMask]); mask != 0 {
		t.u.set(int(ins.V[SlotSet])+t.cke, mask)
	}
}

// across writes a register of the peer, and then bits of its events.
func (t *thread) across(ins *Instruction) {
	u, v := t.u, &ins.V
	c := u.channelOf(v[SlotChannel])
	if c == nil {
		t.refuse(StatusRemote, "got channel %d, want one that is open", v[SlotChannel])
		return
	}
	target, ok := c.remote(ins.Op, int(v[SlotA]))
	r := Request{Kind: Notify, Notify: target}
	switch ins.Op {
	case OpSyncCKE:
		r.Value = uint64(u.cke[v[SlotB]]) & v[SlotC]
	case OpSyncXn:
		r.Local, r.Value = u.Variable(int(v[SlotB])), u.xn[v[SlotB]]
	case OpSyncGSA:
		r.Local, r.Value = u.Address(int(v[SlotB])), u.gsa[v[SlotB]]
	}
	var then mem.Addr
	if ins.Op != OpSyncCKE {
		var fine bool
		then, fine = c.remote(OpSyncCKE, int(v[SlotC]))
		ok = ok && fine
	}
	if !ok {
		t.refuse(StatusRemote, "got a register that the peer %s does not have", c.peer.unit.Name())
		return
	}
	t.m.spin = 0
	if c.conn == 0 {
		err := u.e.cfg.Mem.WriteRegister(target, r.Value)
		if err == nil && then != 0 {
			err = u.e.cfg.Mem.WriteRegister(then, v[SlotD])
		}
		if err != nil {
			t.refuse(StatusLocal, "%w", err)
			return
		}
		t.pc++
		t.signal(ins)
		return
	}
	if then != 0 {
		// One message: the value, and after it the bits.
		r.Kind, r.Inline, r.Remote, r.Len, r.Notify, r.Value = WriteNotify, true, target, mem.RegisterSize, then, v[SlotD]
	}
	x := transfer{op: ins.Op}
	t.begin(&x, ins)
	t.post(c, &r, &x)
}

// channelOf finds an open channel by its number on the die.
func (u *Unit) channelOf(n uint64) *Channel {
	if n >= uint64(len(u.chans)) {
		return nil
	}
	return u.chans[n]
}

// operand is the address of a memory operand: loops and clones move it. A token
// may say that results are wider than operands, and the steps with them.
func (t *thread) operand(gsa, token uint64) mem.Addr {
	move := t.addr + t.iter*t.step
	return mem.Addr(t.u.gsa[gsa] + move<<(t.u.xn[token]>>tokenExpand&3))
}

// buffer is the address of a buffer operand.
func (t *thread) buffer(ms uint64) (mem.Addr, bool) {
	n := int(ms&msNumber) + t.ms
	return t.u.Buffer(n), n < t.u.Capacity(Buffers) && int(ms>>15) == t.u.die
}
