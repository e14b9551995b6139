package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hsim/host/ccu"
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/topo"
)

// R031: a device with communication units has die 0 and die 1.
func TestR031TwoDies(t *testing.T) {
	b := newBench(t, profile(t, "950dt"), 1)
	b.run(func(th *Thread) {
		for die := range 2 {
			_, err := th.GetCcudieInfo(0, die)
			b.must(err)
		}
		for _, die := range []int{2, -1} {
			_, err := th.GetCcudieInfo(0, die)
			b.code(InvalidDieID, err)
			_, err = th.CcuBufAlloc(0, die, 4096)
			b.code(InvalidDieID, err)
			_, err = th.VariableCreate(0, die)
			b.code(InvalidDieID, err)
			_, err = th.GetDeviceLocalAddr(0, die)
			b.code(InvalidDieID, err)
			_, err = th.GetDeviceRemoteAddr(0, die, 0, 1)
			b.code(InvalidDieID, err)
		}
		_, err := th.CreateNotify(CcuDie(2))
		b.code(InvalidDieID, err)
		_, err = th.CreateNotify(CcuDie(0) | CcuDie(1))
		b.code(ParamInvalid, err)
		_, err = th.CreateEventWithFlag(EventSync | CcuDie(3))
		b.code(InvalidDieID, err)
	})
}

// R032: each die holds buffers, variables, notifies, completed events and
// addresses, and reaches the device's memory.
func TestR032WhatADieHolds(t *testing.T) {
	b := newBench(t, profile(t, "950dt"), 1)
	b.run(func(th *Thread) {
		d, err := th.Malloc(device.SliceBytes, 0)
		b.must(err, b.mem.Fill(d, device.SliceBytes, 9))
		for die := range 2 {
			buf, err := th.CcuBufAlloc(0, die, 1)
			b.must(err)
			_, err = th.VariableCreate(0, die)
			b.must(err)
			_, err = th.CreateNotify(CcuDie(die))
			b.must(err)
			_, err = th.CreateEventWithFlag(EventSync | CcuDie(die))
			b.must(err)
			_, err = th.GetDeviceLocalAddr(0, die)
			b.must(err)
			a, err := th.CcuBufGetAddr(buf)
			b.must(err, b.mem.Copy(a, d, device.SliceBytes)) // as a move of the unit would
			got := make([]byte, 1)
			b.must(b.mem.Read(a+device.SliceBytes-1, got))
			assert.Equal(t, byte(9), got[0])
		}
	})
	ccus := Rows[CcuRow](b.rt)
	bufs, vars, events, addrs := Rows[CcuBufRow](b.rt), Rows[CcuVariableRow](b.rt), Rows[CompletedEventRow](b.rt), Rows[CcuAddrRow](b.rt)
	for i, c := range ccus {
		assert.Equal(t, i, c.DieID)
		assert.Equal(t, c.CcuID, bufs[i].CcuID)
		assert.Equal(t, c.CcuID, vars[i].CcuID)
		assert.Equal(t, c.CcuID, Rows[NotifyRow](b.rt)[i].CcuID)
		assert.Equal(t, c.CcuID, events[i].CcuID)
		assert.Equal(t, c.CcuID, addrs[i].CcuID)
		assert.Equal(t, c.ResourceAddr, addrs[i].Addr)
	}
}

// R033: both units are ready right after SetDevice, without any call; a chip
// without has none to ask about.
func TestR033ReadyAtStart(t *testing.T) {
	b := newBench(t, profile(t, "950dt"), 1)
	b.run(func(th *Thread) {
		for die := range 2 {
			info, err := th.GetCcudieInfo(0, die)
			b.must(err)
			assert.True(t, info.Ready)
		}
	})
	for _, c := range Rows[CcuRow](b.rt) {
		assert.Equal(t, "ready", c.Status)
	}
	a3 := newBench(t, profile(t, "a3"), 1)
	a3.run(func(th *Thread) {
		_, err := th.GetCcudieInfo(0, 0)
		a3.code(FeatureNotSupport, err)
		_, err = th.CcuBufAlloc(0, 0, 4096)
		a3.code(FeatureNotSupport, err)
		_, err = th.VariableCreate(0, 0)
		a3.code(FeatureNotSupport, err)
		_, err = th.CreateNotify(CcuDie(0))
		a3.code(FeatureNotSupport, err)
		_, err = th.GetCcudieInfo(1, 0)
		a3.code(InvalidDeviceID, err)
	})
}

// R034: the pools of the dies are apart: with die 0 empty, die 1 still gives.
func TestR034PoolsPerDie(t *testing.T) {
	c := *profile(t, "950dt")
	c.CCU.MS, c.CCU.Xn, c.CCU.CKE = 128, 48+16, 16+16 // 48 variables and 16 registers are the die's own
	b := newBench(t, &c, 1)
	b.run(func(th *Thread) {
		take := func(die int) (bufs, vars, notifies int) {
			for {
				if _, err := th.CcuBufAlloc(0, die, 1); err != nil {
					b.code(ResourceAllocFail, err)
					break
				}
				bufs++
			}
			for {
				if _, err := th.VariableCreate(0, die); err != nil {
					b.code(ResourceAllocFail, err)
					break
				}
				vars++
			}
			for {
				if _, err := th.CreateNotify(CcuDie(die)); err != nil {
					b.code(NoNotifyResource, err)
					break
				}
				notifies++
			}
			_, err := th.CreateEventWithFlag(EventSync | CcuDie(die))
			b.code(NoEventResource, err)
			return bufs, vars, notifies
		}
		for die := range 2 {
			bufs, vars, notifies := take(die)
			assert.Equal(t, []int{128, 16, 256}, []int{bufs, vars, notifies}, "die %d", die)
		}
	})
}

// R035: a completed event is set when the task before it has ended, not earlier.
func TestR035CompletedEvent(t *testing.T) {
	b := newBench(t, profile(t, "950dt"), 1)
	b.run(func(th *Thread) {
		e, err := th.CreateEventWithFlag(EventSync | EventTimeLine | CcuDie(1))
		b.must(err, th.work(nil, 10*us), th.RecordEvent(e, nil))
		set := func() bool { return Rows[CompletedEventRow](b.rt)[0].Status }
		th.Proc().Sleep(5 * us)
		assert.False(t, set())
		b.must(th.SynchronizeStream(nil))
		assert.True(t, set())
		b.must(th.ResetEvent(e, nil), th.SynchronizeStream(nil))
		assert.False(t, set())
		b.must(th.DestroyEvent(e))
	})
}

// R036: buffers are limited by the chip: 1536 slices, adjacent ones for one
// allocation; the next one fails, and a free makes room.
func TestR036BufferLimit(t *testing.T) {
	for _, name := range []string{"950dt", "950pr", "960"} {
		c := profile(t, name)
		b := newBench(t, c, 1)
		b.run(func(th *Thread) {
			info, err := th.GetCcudieInfo(0, 0)
			b.must(err)
			assert.Equal(t, 1536, info.MS, name)
			all, err := th.CcuBufAlloc(0, 0, 1534*4096-1)
			b.must(err)
			last, err := th.CcuBufAlloc(0, 0, 2*4096)
			b.must(err)
			_, err = th.CcuBufAlloc(0, 0, 1)
			b.code(ResourceAllocFail, err)
			_, err = th.CcuBufAlloc(0, 0, 1<<62)
			b.code(ResourceAllocFail, err)
			_, err = th.CcuBufAlloc(0, 0, 0)
			b.code(ParamInvalid, err)
			at, err := th.CcuBufGetAddr(last)
			b.must(err)
			first, err := th.CcuBufGetAddr(all)
			b.must(err)
			assert.EqualValues(t, 1534*4096, at-first)
			b.must(th.CcuBufFree(last))
			b.code(InvalidHandle, th.CcuBufFree(last))
			_, err = th.CcuBufGetAddr(last)
			b.code(InvalidHandle, err)
			again, err := th.CcuBufAlloc(0, 0, 4096)
			b.must(err)
			back, _ := th.CcuBufGetAddr(again)
			assert.Equal(t, at, back)
		})
		assert.Equal(t, []bool{true, false, true}, func() (x []bool) {
			for _, r := range Rows[CcuBufRow](b.rt) {
				x = append(x, r.InUse)
			}
			return x
		}())
	}
}

// R037: a variable's value is what its register on the die holds, by whatever way
// the die or a peer reads it.
func TestR037Variables(t *testing.T) {
	b := newBench(t, profile(t, "950dt"), 1)
	b.run(func(th *Thread) {
		v, err := th.VariableCreate(0, 1)
		b.must(err, th.VariableSet(v, 42))
		base, err := th.GetDeviceLocalAddr(0, 1)
		b.must(err)
		got, err := b.mem.ReadRegister(base.Add(int64(v.Register()) * mem.RegisterSize))
		b.must(err)
		assert.EqualValues(t, 42, got)
		assert.EqualValues(t, 42, v.Die().Unit().Xn(v.Register()), "what a microprogram finds there")
		b.must(b.mem.WriteRegister(v.Die().VariableAddr(v.Register()), 43))
		assert.EqualValues(t, 43, Rows[CcuVariableRow](b.rt)[0].Value)
		b.must(th.VariableDestroy(v))
		b.code(InvalidHandle, th.VariableDestroy(v))
		b.code(InvalidHandle, th.VariableSet(v, 1))
		b.code(ParamInvalid, th.VariableSet(nil, 1))
		w, err := th.VariableCreate(0, 1)
		b.must(err)
		assert.Equal(t, v.Register(), w.Register())
		assert.Zero(t, w.Value(), "a new variable is 0")
	})
}

// R038: a notify of one die lets a task go that waits on the other's stream; it is
// reset by the wait.
func TestR038NotifyAcrossDies(t *testing.T) {
	b := newBench(t, profile(t, "ideal"), 1)
	b.run(func(th *Thread) {
		s0, err := th.CreateStream()
		b.must(err)
		s1, err := th.CreateStream()
		b.must(err)
		n, err := th.CreateNotify(CcuDie(1))
		b.must(err)
		b.must(th.work(s0, 10*us), th.RecordNotify(n, s0), th.WaitAndResetNotify(n, s1, 0), th.work(s1, us), th.SynchronizeDevice())
		rows := b.rt.TasksOf(s1)
		assert.Equal(t, SchedulerCCU, rows[0].Scheduler)
		assert.Equal(t, 10*us, rows[0].End)
		assert.Equal(t, 10*us, rows[1].Start)
		assert.Zero(t, n.Value())
		b.must(th.WaitAndResetNotify(n, s1, 1))
		b.code(TaskTimeout, th.SynchronizeStream(s1))
		b.must(th.DestroyNotify(n))
		_, _, free := n.Die().Free()
		assert.Equal(t, n.Die().Unit().Free(ccu.Events)*16, free)
	})
}

// R039: the remote address of a die is where a program of another die writes its
// registers; without a link there is none.
func TestR039RemoteAddr(t *testing.T) {
	c := profile(t, "950dt")
	b := wired(t, c, topo.Spec{Kind: "mesh-clos", Servers: 1, Devices: 2, Hosts: 1})
	b.run(func(th *Thread) {
		v, err := th.VariableCreate(1, 1)
		b.must(err)
		a, err := th.GetDeviceRemoteAddr(0, 0, 1, 1)
		b.must(err, b.mem.WriteRegister(a.Add(int64(v.Register())*mem.RegisterSize), 77))
		assert.EqualValues(t, 77, v.Value())
		across, err := th.GetDeviceRemoteAddr(0, 0, 0, 1)
		b.must(err)
		local, err := th.GetDeviceLocalAddr(0, 1)
		b.must(err)
		assert.Equal(t, local, across)
		_, err = th.GetDeviceRemoteAddr(0, 0, 2, 0)
		b.code(InvalidDeviceID, err)
		row := Rows[CcuAddrRow](b.rt)[0]
		assert.Equal(t, "remote", row.Kind)
		assert.NotEqual(t, row.CcuID, row.PeerCcuID)
	})
	apart := newBench(t, c, 2)
	apart.run(func(th *Thread) {
		_, err := th.GetDeviceRemoteAddr(0, 0, 1, 0)
		apart.code(LinkTypeNotSupported, err)
	})
}

// R098: what the queries say of a unit is the profile's.
func TestR098CcuInfo(t *testing.T) {
	for _, name := range []string{"950dt", "960"} {
		c := profile(t, name)
		b := newBench(t, c, 1)
		b.run(func(th *Thread) {
			info, err := th.GetCcudieInfo(0, 1)
			b.must(err)
			assert.Equal(t, c.CCU.Version, info.Version)
			assert.Equal(t, []int{c.CCU.Xn, c.CCU.CKE, c.CCU.MS, c.CCU.Channels, c.CCU.GSA}, []int{info.Xn, info.CKE, info.MS, info.Channels, info.GSA})
		})
		for _, x := range Rows[CcuSchedulerRow](b.rt) {
			assert.Equal(t, map[int]string{1: "v1", 2: "v2"}[c.CCU.Version], x.Version)
			assert.Equal(t, []int{c.CCU.Xn, c.CCU.CKE, c.CCU.MS, c.CCU.Channels}, []int{x.XnNum, x.CkeNum, x.MsNum, x.ChannelNum})
		}
	}
}
