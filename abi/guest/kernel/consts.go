// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package kernel

// Status codes of imports and exports; positive values are the plugin's own.
const (
	StatusOK          int32 = 0   // done
	StatusInvalid     int32 = -1  // an argument is outside its range
	StatusAddress     int32 = -2  // a device address is not mapped, or the range leaves its buffer
	StatusLocal       int32 = -3  // a range is outside the module's own memory, or misaligned
	StatusAccess      int32 = -4  // the range may not be read or written by this device
	StatusUnsupported int32 = -5  // this chip, data type or mode does not offer the operation
	StatusLimit       int32 = -6  // the hardware has no more of the resource
	StatusNotFound    int32 = -7  // no such identifier
	StatusState       int32 = -8  // not allowed in the present state
	StatusFault       int32 = -9  // the peer or the link failed
	StatusTimeout     int32 = -10 // waited too long
	StatusAborted     int32 = -11 // the task or the run is being stopped
	StatusShort       int32 = -12 // a record is shorter than this version needs
	StatusNoMemory    int32 = -13 // the host grants no more memory
)

// Data types, numbered as HcclDataType.
const (
	DtypeInt8    uint32 = 0
	DtypeInt16   uint32 = 1
	DtypeInt32   uint32 = 2
	DtypeFp16    uint32 = 3
	DtypeFp32    uint32 = 4
	DtypeInt64   uint32 = 5
	DtypeUint64  uint32 = 6
	DtypeUint8   uint32 = 7
	DtypeUint16  uint32 = 8
	DtypeUint32  uint32 = 9
	DtypeFp64    uint32 = 10
	DtypeBf16    uint32 = 11
	DtypeInt128  uint32 = 12
	DtypeHif8    uint32 = 14
	DtypeFp8e4m3 uint32 = 15
	DtypeFp8e5m2 uint32 = 16
	DtypeFp8e8m0 uint32 = 17
)

// Reduce operations, numbered as HcclReduceOp.
const (
	ReduceSum  uint32 = 0
	ReduceProd uint32 = 1
	ReduceMax  uint32 = 2
	ReduceMin  uint32 = 3
)

// Relations between a watched word and a value, unsigned.
const (
	CompareEQ uint32 = 0 // word == value
	CompareNE uint32 = 1 // word != value
	CompareGE uint32 = 2 // word >= value
	CompareGT uint32 = 3 // word > value
	CompareLE uint32 = 4 // word <= value
	CompareLT uint32 = 5 // word < value
)
