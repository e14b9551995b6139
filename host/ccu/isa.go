package ccu

import "encoding/binary"

// InstructionSize is the size of an encoded instruction in bytes.
const InstructionSize = 32

// Op is an instruction of version 1 as its header word has it: the code in bits
// 0 to 10, the type in bits 11 to 14.
type Op uint16

// The instructions of version 1: type 0 loads and adds, type 1 controls, type 2
// moves and synchronises, type 3 reduces.
const (
	OpLoadArgGSA Op = iota
	OpLoadArgXn
	OpLoadImmGSA
	OpLoadImmXn
	OpAddGSAXn
	OpAddGSA
	OpAddXn

	OpLoop      = controls
	OpLoopGroup = controls + 1
	OpSetCKE    = controls + 2
	OpClearCKE  = controls + 4
	OpJump      = controls + 5

	OpMemToMS       = transfers
	OpRemoteMemToMS = transfers + 1
	OpMSToMem       = transfers + 2
	OpMSToRemoteMem = transfers + 3
	OpRemoteMSToMem = transfers + 4
	OpMSToMS        = transfers + 5
	OpRemoteMSToMS  = transfers + 6
	OpMSToRemoteMS  = transfers + 7
	OpRead          = transfers + 8
	OpWrite         = transfers + 9
	OpMemToMem      = transfers + 10
	OpSyncCKE       = transfers + 11
	OpSyncGSA       = transfers + 12
	OpSyncXn        = transfers + 13

	OpAdd = reductions
	OpMax = reductions + 1
	OpMin = reductions + 2
)

// The types, where they stand in the header word.
const (
	controls   Op = 1 << 11
	transfers  Op = 2 << 11
	reductions Op = 3 << 11
	typeMask   Op = 15 << 11
)

// Slot is what a field of an instruction means, the same in all instructions.
type Slot uint8

// The slots. A to H are operands in the order of the format.
const (
	SlotA Slot = iota
	SlotB
	SlotC
	SlotD
	SlotE
	SlotF
	SlotG
	SlotH
	SlotImm      // 64-bit constant
	SlotSecret   // the constant is a token
	SlotLen      // Xn with a length in bytes
	SlotChannel  //
	SlotDtype    // of a reduction
	SlotReduce   // operator of a reducing move
	SlotType     // user-defined reduction, 0 = none
	SlotCount    // operands of a reduction less two
	SlotCast     // output type of a reduction
	SlotClear    // a wait clears what it waited for
	SlotLenOn    // the length is in SlotLen, else it is a whole buffer
	SlotReduceOn // the move reduces
	SlotSet      // CKE set when the instruction is complete
	SlotSetMask  //
	SlotWait     // CKE waited for before it begins
	SlotWaitMask //
	numSlots
)

// FieldKind says what number a field holds.
type FieldKind uint8

// The kinds of field. Remote ones are numbers of the peer's registers.
const (
	KindNumber FieldKind = iota
	KindXn
	KindGSA
	KindCKE
	KindMS
	KindMask
	KindInstruction
	KindRemote
)

// Field places a slot in the 32 bytes: bit 0 is the lowest of the header word.
type Field struct {
	Name string
	Slot Slot
	Kind FieldKind
	Bit  uint8
	Bits uint8
}

// Format is the layout of one instruction.
type Format struct {
	Op     Op
	Name   string
	Fields []Field
}

// Instruction is a decoded instruction; slots that its format lacks are 0.
type Instruction struct {
	Op Op
	V  [numSlots]uint64
}

// Formats lists the instructions of version 1 in the order of their codes.
// Source: the field lists of the unit's public instruction header.
func Formats() []Format { return formats[:] }

// Format returns the layout of an operation, nil when there is none.
func (o Op) Format() *Format {
	for i := range formats {
		if formats[i].Op == o {
			return &formats[i]
		}
	}
	return nil
}

// String is the instruction's name.
func (o Op) String() string {
	if f := o.Format(); f != nil {
		return f.Name
	}
	return "unknown"
}

// Encode writes the instruction's 32 bytes. Values wider than their field lose
// their upper bits, as in hardware.
func (i *Instruction) Encode() (out [InstructionSize]byte) {
	binary.LittleEndian.PutUint16(out[:], uint16(i.Op))
	f := i.Op.Format()
	if f == nil {
		return out
	}
	var wide [InstructionSize + 8]byte
	copy(wide[:], out[:])
	for _, x := range f.Fields {
		at := wide[x.Bit/8:]
		word := binary.LittleEndian.Uint64(at)
		binary.LittleEndian.PutUint64(at, word|(i.V[x.Slot]&x.mask())<<(x.Bit%8))
	}
	copy(out[:], wide[:])
	return out
}

// Decode reads an instruction from 32 bytes; ok is false for an unknown code.
func Decode(b []byte) (i Instruction, ok bool) {
	if len(b) < InstructionSize {
		return i, false
	}
	i.Op = Op(binary.LittleEndian.Uint16(b) & 0x7fff)
	f := i.Op.Format()
	if f == nil {
		return i, false
	}
	var wide [InstructionSize + 8]byte
	copy(wide[:], b[:InstructionSize])
	for _, x := range f.Fields {
		i.V[x.Slot] = binary.LittleEndian.Uint64(wide[x.Bit/8:]) >> (x.Bit % 8) & x.mask()
	}
	return i, true
}

// mask covers the field. No field of more than 57 bits starts inside a byte.
func (x *Field) mask() uint64 { return 1<<x.Bits - 1 }
