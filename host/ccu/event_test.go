package ccu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

// waits is a program that waits for bits of its one event, and then for more.
func (r *rig) waits(u *Unit, masks ...uint32) (*Program, func(bits uint64)) {
	p := r.must(u, func(x *Recorder) {
		ev := x.Events(1)
		for _, m := range masks {
			x.EventWait(ev, m)
		}
	})
	first := p.Taken(Events).First
	return p, func(bits uint64) { require.NoError(r.t, r.mem.WriteRegister(u.Event(first), bits)) }
}

func TestEventsAddBitsAndWaitsTakeTheirs(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	p, write := r.waits(u, 0x0003, 0x0100)
	x := r.launch(p)
	us := sim.Microsecond
	r.at(10*us, func() { write(0x0001) })
	r.at(20*us, func() { write(0x8100) })
	r.at(30*us, func() { write(0x0002) })
	r.sim.Run(0)
	require.True(t, x.done)
	// A bit is seen one synchronisation after it was written; the second wait finds its bit there.
	require.Equal(t, 30*us+r.chip.SyncCCU+r.chip.CCU.Issue, x.at)
	require.Equal(t, uint16(0x8000), u.cke[p.Taken(Events).First], "bits that nobody waits for stay")
}

func TestBitSetTwiceIsLost(t *testing.T) {
	r := newRig(t, 1)
	p, write := r.waits(r.dev[0].units[0], 1, 1)
	write(1)
	write(1)
	var x *run
	r.at(10*sim.Microsecond, func() { x = r.launch(p) })
	res := r.sim.Run(0)
	require.False(t, x.done)
	require.ErrorContains(t, stall{res.Stall}, "at instruction 1 of program probe since 10.02us")
}

func TestNotifiesAreDeliveredWrites(t *testing.T) {
	r := newRig(t, 2)
	a, b := r.join(0, 1)
	u, v := a.unit, b.unit
	sender := r.must(u, func(x *Recorder) {
		val := x.Variables(1)
		x.LoadArg(val, 0)
		x.NotifyRecord(0, 3, 0x0010)
		x.WriteVariableWithNotify(0, val, 5, 3, 0x0020)
		x.Set(val, 99) // the value has left
	}, a)
	out, token := r.buffer(1, make([]byte, 8))
	receiver := r.must(v, func(x *Recorder) {
		w, at, ev := x.Variables(2), x.Addresses(1), x.Events(1)
		x.LoadArg(w, 0)
		x.LoadArg(w+1, 1)
		x.AddressFrom(at, w)
		x.NotifyWait(0, 3, 0x0030)
		got := x.ChannelVariable(0, 5)
		x.Store(Mem{at, w + 1}, got, 1, Done{ev, 1})
		x.EventWait(ev, 1)
	}, b)
	y := r.launch(receiver, uint64(out), token)
	x := r.launch(sender, 1<<63|7)
	r.sim.Run(0)
	require.True(t, x.done && y.done)
	require.NoError(t, y.err)
	require.Equal(t, uint64(1<<63|7), le(r.read(out, 8)))
	i := r.chip.CCU.Issue
	require.Equal(t, 4*i, x.at, "the sender does not wait for the network")
	store := 4 * i // three constants and the copy, which is over before the wait for it is issued
	require.Equal(t, 3*i+wireLatency+r.chip.SyncCCU+store+i, y.at)
	require.Equal(t, uint16(0), v.cke[b.events+3])
}

func TestOtherDieOfTheDevice(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units
	a, b, err := Join(End{Unit: u[0]}, End{Unit: u[1]}, 0)
	require.NoError(t, err)
	record := r.must(u[0], func(x *Recorder) { x.NotifyRecord(0, 0, 1) }, a)
	wait := r.must(u[1], func(x *Recorder) { x.NotifyWait(0, 0, 1) }, b)
	y := r.launch(wait)
	x := r.launch(record)
	r.sim.Run(0)
	require.Equal(t, r.chip.CCU.Issue, x.at)
	require.Equal(t, r.chip.CCU.Issue+r.chip.SyncCCU, y.at)

	_, _, err = Join(End{Unit: u[0]}, End{Unit: u[0]}, 0)
	require.ErrorContains(t, err, "want two units")
	_, _, err = Join(End{Unit: u[0], Conn: 4}, End{Unit: u[1], Conn: 5}, 0)
	require.ErrorContains(t, err, "none between dies of one device")
}

func TestTagsAreSharedByTheProgramsOfADie(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units
	record := r.must(u[0], func(x *Recorder) { x.TagRecord("go", 0x8) })
	wait := r.must(u[0], func(x *Recorder) { x.TagWait("go", 0x8) })
	elsewhere := r.must(u[1], func(x *Recorder) { x.TagWait("go", 0x8) })
	y, z := r.launch(wait), r.launch(elsewhere)
	r.at(sim.Microsecond, func() { r.launch(record) })
	res := r.sim.Run(0)
	require.True(t, y.done)
	require.False(t, z.done, "another die has its own")
	require.ErrorContains(t, stall{res.Stall}, `(tag "go")`)
}

type stall struct{ *sim.Stall }

func (s stall) Error() string { return s.String() }

func TestVariablesAreRegistersOf64Bits(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	p := r.must(u, func(x *Recorder) {
		v := x.Variables(3)
		x.Set(v, ^uint64(0))
		x.Set(v+1, 3)
		x.Add(v+2, v, v+1)
	})
	r.one(p)
	first := p.Taken(Variables).First
	for i, want := range []uint64{^uint64(0), 3, 2} {
		got, err := r.mem.ReadRegister(u.Variable(first + i))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.NoError(t, r.mem.WriteRegister(u.Variable(first), 11))
	require.Equal(t, uint64(11), u.xn[first])
	u.SetVariable(first, 12)
	require.Equal(t, uint64(12), u.xn[first])
	require.NoError(t, r.mem.WriteRegister(u.Address(50), 13))
	got, err := r.mem.ReadRegister(u.Address(50))
	require.NoError(t, err)
	require.Equal(t, uint64(13), got)
	require.True(t, r.mem.IsRegister(u.Event(0)))
	got, err = r.mem.ReadRegister(u.Event(onesCKE))
	require.NoError(t, err)
	require.Equal(t, uint64(0xffff), got)
}

func TestStallNamesDieEventAndMask(t *testing.T) {
	r := newRig(t, 2)
	_, b := r.join(0, 1)
	u := b.unit
	local, _ := r.waits(u, 0x0012)
	remote := r.must(u, func(x *Recorder) { x.NotifyWait(0, 6, 0x0400) }, b)
	r.launch(local)
	r.launch(remote)
	require.NoError(t, r.mem.WriteRegister(u.Event(local.Taken(Events).First), 0x0002))
	res := r.sim.Run(0)
	require.Equal(t, sim.Stalled, res.Reason)
	text := res.Stall.String()
	require.Contains(t, text, "device 1 / die 1 / mission 0 waits for CKE 32 of die 1, mask 0x0012, of which 0x0010 is not set at instruction 0 of program probe since 10ns")
	require.Contains(t, text, "device 1 / die 1 / mission 2 waits for CKE 22 of die 1, mask 0x0400, of which 0x0400 is not set (notify 6 of the channel to rank 0)")
	require.Contains(t, text, "device 0 / die 1, where no program uses the channel should act")
	_, err := r.mem.Alloc(mem.AllocSpec{Size: 1})
	require.NoError(t, err)
}
