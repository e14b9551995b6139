package ccu

import (
	"fmt"
	"strings"
)

// String writes the instruction as one line: its name and its fields, registers
// as X, G, C and M with their numbers. Fields that say "not used" are left out.
func (i *Instruction) String() string {
	f := i.Op.Format()
	if f == nil {
		return fmt.Sprintf("unknown 0x%04x", uint16(i.Op))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-19s", f.Name)
	for _, x := range f.Fields {
		if i.unused(x) {
			continue
		}
		fmt.Fprintf(&b, " %s=%s", x.Name, x.text(i.V[x.Slot]))
	}
	return strings.TrimRight(b.String(), " ")
}

// unused says whether a field has no effect with the values of the others.
func (i *Instruction) unused(x Field) bool {
	v := &i.V
	switch x.Slot {
	case SlotSet, SlotSetMask:
		return v[SlotSetMask] == 0
	case SlotWait, SlotWaitMask, SlotClear:
		return v[SlotWaitMask] == 0
	case SlotLen:
		return v[SlotLenOn] == 0 && i.Op&typeMask == transfers
	case SlotLenOn:
		return true // shown by the length
	case SlotReduceOn, SlotType, SlotCast, SlotSecret:
		return v[x.Slot] == 0
	case SlotReduce:
		return v[SlotReduceOn] == 0
	case SlotDtype:
		return i.Op&typeMask == transfers && v[SlotReduceOn] == 0
	case SlotC, SlotD:
		if i.Op == OpSyncXn || i.Op == OpSyncGSA || i.Op == OpMSToRemoteMS {
			return v[SlotD] == 0
		}
	}
	if i.Op&typeMask == reductions && x.Kind == KindMS {
		return uint64(x.Slot-SlotA) >= v[SlotCount]+2
	}
	return false
}

func (x *Field) text(v uint64) string {
	switch x.Kind {
	case KindXn:
		return fmt.Sprintf("X%d", v)
	case KindGSA:
		return fmt.Sprintf("G%d", v)
	case KindCKE:
		return fmt.Sprintf("C%d", v)
	case KindMS:
		return fmt.Sprintf("M%d", v&msNumber)
	case KindMask:
		return fmt.Sprintf("0x%04x", v)
	case KindInstruction:
		return fmt.Sprintf("@%d", v)
	}
	if x.Bits == 64 {
		return fmt.Sprintf("0x%x", v)
	}
	return fmt.Sprint(v)
}

// Disassemble lists encoded instructions, one a line with its number from first
// on. Bytes that are no instruction are shown as such.
func Disassemble(image []byte, first int) string {
	var b strings.Builder
	for n := first; len(image) >= InstructionSize; n++ {
		i, ok := Decode(image)
		text := i.String()
		if !ok {
			text = fmt.Sprintf("unknown %x", image[:InstructionSize])
		}
		fmt.Fprintf(&b, "%5d  %s\n", n, text)
		image = image[InstructionSize:]
	}
	return b.String()
}
