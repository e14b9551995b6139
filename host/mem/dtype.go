package mem

import "fmt"

// Dtype is the type of the elements of a reduction; the numbers are those of
// HcclDataType.
type Dtype uint8

// The data types of HCCL.
const (
	Int8   Dtype = 0
	Int16  Dtype = 1
	Int32  Dtype = 2
	FP16   Dtype = 3
	FP32   Dtype = 4
	Int64  Dtype = 5
	Uint64 Dtype = 6
	Uint8  Dtype = 7
	Uint16 Dtype = 8
	Uint32 Dtype = 9
	FP64   Dtype = 10
	BF16   Dtype = 11
	Int128 Dtype = 12
	HIF8   Dtype = 14
	E4M3   Dtype = 15 // fp8, OCP e4m3: no infinity, largest value 448
	E5M2   Dtype = 16 // fp8, OCP e5m2: infinities, largest value 57344
	E8M0   Dtype = 17 // fp8, a scale: powers of two only

	dtypes = 18
)

var dtypeTable = [dtypes]struct {
	name string
	size uint8
}{
	Int8: {"int8", 1}, Int16: {"int16", 2}, Int32: {"int32", 4}, FP16: {"fp16", 2}, FP32: {"fp32", 4},
	Int64: {"int64", 8}, Uint64: {"uint64", 8}, Uint8: {"uint8", 1}, Uint16: {"uint16", 2}, Uint32: {"uint32", 4},
	FP64: {"fp64", 8}, BF16: {"bfp16", 2}, Int128: {"int128", 16}, HIF8: {"hif8", 1}, E4M3: {"fp8e4m3", 1},
	E5M2: {"fp8e5m2", 1}, E8M0: {"fp8e8m0", 1},
}

// Size is the size of one element in bytes, 0 for a number that is no type.
func (d Dtype) Size() int64 {
	if d < dtypes {
		return int64(dtypeTable[d].size)
	}
	return 0
}

// String names the type as hccl_test does.
func (d Dtype) String() string {
	if d < dtypes && dtypeTable[d].size != 0 {
		return dtypeTable[d].name
	}
	return fmt.Sprintf("dtype %d", uint8(d))
}

// ParseDtype finds a type by its hccl_test name, or by the usual short forms
// bf16, fp8_e4m3, fp8_e5m2, float16, float32, float64, bfloat16.
func ParseDtype(name string) (Dtype, error) {
	switch name {
	case "bf16", "bfloat16":
		return BF16, nil
	case "fp8_e4m3":
		return E4M3, nil
	case "fp8_e5m2":
		return E5M2, nil
	case "float16":
		return FP16, nil
	case "float32":
		return FP32, nil
	case "float64":
		return FP64, nil
	}
	for d := range dtypeTable {
		if dtypeTable[d].name == name && name != "" {
			return Dtype(d), nil
		}
	}
	return 0, fmt.Errorf("mem: parse data type: got %q, want one of int8, int16, int32, int64, uint8, uint16, uint32, uint64, fp16, bfp16, fp32, fp64, fp8e4m3, fp8e5m2", name)
}

// Op is the operator of a reduction; the numbers are those of HcclReduceOp.
type Op uint8

// The operators of HCCL.
const (
	Sum  Op = 0
	Prod Op = 1
	Max  Op = 2
	Min  Op = 3
)

// String names the operator as hccl_test does.
func (o Op) String() string {
	if o <= Min {
		return [...]string{"sum", "prod", "max", "min"}[o]
	}
	return fmt.Sprintf("op %d", uint8(o))
}

// ParseOp finds an operator by its hccl_test name.
func ParseOp(name string) (Op, error) {
	for o := Sum; o <= Min; o++ {
		if o.String() == name {
			return o, nil
		}
	}
	return 0, fmt.Errorf("mem: parse reduce operator: got %q, want sum, prod, max or min", name)
}

// Overflow says what a result outside its type's range becomes. The zero value
// wraps integers and gives floats their infinity (fp8 e4m3, which has none: NaN).
type Overflow uint8

const (
	// SaturateInt clamps integers to the type's range.
	SaturateInt Overflow = 1 << iota
	// SaturateFloat clamps finite operands' overflow to the largest finite
	// value; infinities and NaN in the operands are kept.
	SaturateFloat
)
