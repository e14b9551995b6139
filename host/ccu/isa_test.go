package ccu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Bytes written by hand from the published layout: header word, then 16-bit words.
func TestKnownEncodings(t *testing.T) {
	words := func(w ...uint16) (out [InstructionSize]byte) {
		for i, v := range w {
			out[2*i], out[2*i+1] = byte(v), byte(v>>8)
		}
		return out
	}
	set := func(op Op, v map[Slot]uint64) *Instruction {
		i := &Instruction{Op: op}
		for s, x := range v {
			i.V[s] = x
		}
		return i
	}
	for _, c := range []struct {
		ins  *Instruction
		want [InstructionSize]byte
		text string
	}{
		{set(OpLoadImmXn, map[Slot]uint64{SlotA: 5, SlotImm: 0x1122334455667788, SlotSecret: 1}),
			words(0x0003, 5, 0x7788, 0x5566, 0x3344, 0x1122, 1), "LoadImdToXn         xn=X5 imm=0x1122334455667788 secret=1"},
		{set(OpJump, map[Slot]uint64{SlotA: 7, SlotB: 8, SlotImm: 1}), words(0x0805, 7, 8, 1), "Jmp                 to=X7 if=X8 imm=0x1"},
		{set(OpClearCKE, map[Slot]uint64{SlotClear: 1, SlotWait: 20, SlotWaitMask: 0x8001}), words(0x0804, 1, 0, 0, 20, 0x8001),
			"ClearCKE            clear=1 wait=C20 waitMask=0x8001"},
		{set(OpSyncXn, map[Slot]uint64{SlotA: 49, SlotB: 66, SlotChannel: 2, SlotC: 16, SlotD: 4}), words(0x100d, 49, 66, 0, 2, 16, 4),
			"SyncXn              remote=49 local=X66 channel=2 remoteSet=16 remoteMask=0x0004"},
		{set(OpWrite, map[Slot]uint64{SlotA: 1, SlotB: 2, SlotC: 3, SlotD: 4, SlotLen: 5, SlotChannel: 6, SlotDtype: 7, SlotReduce: 10,
			SlotLenOn: 1, SlotReduceOn: 1, SlotSet: 8, SlotSetMask: 9, SlotWait: 11, SlotWaitMask: 12, SlotClear: 1}),
			words(0x1009, 1, 2, 3, 4, 5, 6, 0xa700, 0, 0, 0, 7, 8, 9, 11, 12),
			"TransLocMemToRmtMem to=G1 toToken=X2 from=G3 fromToken=X4 len=X5 channel=6 clear=1 set=C8 setMask=0x0009 wait=C11 waitMask=0x000c dtype=7 reduce=10 reduceOn=1"},
		{set(OpAdd, map[Slot]uint64{SlotA: 0x8001, SlotB: 0x8002, SlotC: 0x8003, SlotLen: 9, SlotCount: 1, SlotCast: 2, SlotDtype: 6, SlotSet: 4, SlotSetMask: 1}),
			words(0x1800, 0x8001, 0x8002, 0x8003, 0, 0, 0, 0, 0, 9, 0, 1<<1|2<<4|6<<11, 4, 1),
			"Add                 ms0=M1 ms1=M2 ms2=M3 len=X9 count=1 dtype=6 cast=2 set=C4 setMask=0x0001"},
	} {
		require.Equal(t, c.want, c.ins.Encode(), c.text)
		require.Equal(t, c.text, c.ins.String())
	}
}

func TestEveryFormatIsSound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range Formats() {
		var used [InstructionSize * 8]string
		for b := range 16 {
			used[b] = "header"
		}
		i := Instruction{Op: f.Op}
		for _, x := range f.Fields {
			require.LessOrEqual(t, int(x.Bit)+int(x.Bits), len(used), "%s.%s", f.Name, x.Name)
			for b := x.Bit; b != x.Bit+x.Bits; b++ {
				require.Empty(t, used[b], "%s: %s overlaps", f.Name, x.Name)
				used[b] = x.Name
			}
			i.V[x.Slot] = random.Uint64() & x.mask()
		}
		b := i.Encode()
		got, ok := Decode(b[:])
		require.True(t, ok, f.Name)
		require.Equal(t, i, got, f.Name)
	}
	_, ok := Decode(make([]byte, 31))
	require.False(t, ok, "too short")
	_, ok = Decode([]byte{0x03, 0x08, 31: 0})
	require.False(t, ok, "type 1 has no code 3")
	require.Equal(t, "    7  unknown 0308000000000000000000000000000000000000000000000000000000000000\n", Disassemble([]byte{0x03, 0x08, 31: 0}, 7))
}
