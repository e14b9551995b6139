package hccl

import "testing"

// FuzzPlans proves plans of any shape: rank count, division, root, rounds, and
// who works in place.
func FuzzPlans(f *testing.F) {
	f.Add(uint8(0), uint8(1), uint8(7), uint16(20), uint8(0), uint16(0), uint32(0))
	f.Add(uint8(3), uint8(2), uint8(12), uint16(5), uint8(11), uint16(3), uint32(0x5555))
	f.Add(uint8(0), uint8(3), uint8(11), uint16(50), uint8(0), uint16(40), uint32(7))
	f.Fuzz(func(t *testing.T, op, alg, ranks uint8, count uint16, root uint8, scratch uint16, inPlace uint32) {
		p := Params{Op: OpKind(op % uint8(numOps)), Ranks: int(ranks%24) + 1, Count: int64(count % 200), Elem: 4, Scratch: int64(scratch%4000) * 4}
		p.Group = int(alg >> 4)
		list := fitting(p.Op, p.Ranks, p.Group)
		p.Alg = list[int(alg&15)%len(list)]
		p.Root = int(root) % p.Ranks
		for s := range p.Streams() {
			if _, err := Walk(p, s); err != nil {
				t.Skip("the scratch memory holds no element: ", err)
			}
		}
		err := Verify(p, func(r int) bool { return p.Op != AllToAll && p.Op != Broadcast && inPlace>>r&1 != 0 })
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
	})
}
