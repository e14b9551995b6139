package hccl

import (
	"fmt"
	"strings"

	"hsim/host/mem"
)

// typeRow is what one chip generation accepts; source: the data type and
// operator lists of HCCL's interface documentation.
type typeRow struct {
	generations []string
	reduce      []mem.Dtype // all_reduce, reduce_scatter
	noProd      []mem.Dtype // of those, not with prod
	move        []mem.Dtype // all_gather, broadcast, all_to_all
}

var typeTable = [...]typeRow{
	{
		generations: []string{"950", "960"},
		reduce:      []mem.Dtype{mem.Int8, mem.Int16, mem.Int32, mem.Int64, mem.Uint64, mem.FP16, mem.FP32, mem.FP64, mem.BF16},
		noProd:      []mem.Dtype{mem.Int16, mem.BF16},
		move: []mem.Dtype{mem.Int8, mem.Uint8, mem.Int16, mem.Uint16, mem.Int32, mem.Uint32, mem.Int64, mem.Uint64, mem.E5M2, mem.E4M3,
			mem.E8M0, mem.HIF8, mem.FP16, mem.FP32, mem.FP64, mem.BF16},
	},
	{
		generations: []string{"A2", "A3"},
		reduce:      []mem.Dtype{mem.Int8, mem.Int16, mem.Int32, mem.Int64, mem.FP16, mem.FP32, mem.BF16},
		noProd:      []mem.Dtype{mem.Int16, mem.BF16},
		move: []mem.Dtype{mem.Int8, mem.Uint8, mem.Int16, mem.Uint16, mem.Int32, mem.Uint32, mem.Int64, mem.Uint64, mem.FP16, mem.FP32,
			mem.FP64, mem.BF16},
	},
	{
		generations: []string{"910"},
		reduce:      []mem.Dtype{mem.Int8, mem.Int32, mem.Int64, mem.FP16, mem.FP32},
		move: []mem.Dtype{mem.Int8, mem.Uint8, mem.Int16, mem.Uint16, mem.Int32, mem.Uint32, mem.Int64, mem.Uint64, mem.FP16, mem.FP32,
			mem.FP64},
	},
}

func typesOf(generation string) *typeRow {
	for i := range typeTable {
		if has(typeTable[i].generations, generation) {
			return &typeTable[i]
		}
	}
	return nil
}

func has[T comparable](list []T, x T) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// CheckType says whether the chip generation runs the operation on the type, nil
// or an *Error with ErrNotSupport (a type or operator that HCCL has, but not
// here) or ErrPara (a number that is no type). A generation without a table
// ("ideal") runs whatever host/mem can reduce.
func CheckType(generation string, op OpKind, dt mem.Dtype, red mem.Op) error {
	bad := func(code Result, format string, args ...any) error {
		return &Error{Code: code, ID: "EI0003", Call: op.Call(), Rank: -1, Text: fmt.Sprintf(format, args...)}
	}
	if dt.Size() == 0 {
		return bad(ErrPara, "got data type %d, want an HcclDataType", uint8(dt))
	}
	if op.Reduces() && red > mem.Min {
		name := fmt.Sprintf("reduce operator %d", uint8(red))
		if red == 4 {
			name += " (AVG elsewhere)"
		}
		return bad(ErrNotSupport, "got %s, want SUM 0, PROD 1, MAX 2 or MIN 3 (for an average, SUM and scale)", name)
	}
	row := typesOf(generation)
	if row == nil {
		if op.Reduces() && !mem.ReduceSupported(dt, red) {
			return bad(ErrNotSupport, "got %v of %v, want a type that reduces", red, dt)
		}
		return nil
	}
	list := row.move
	if op.Reduces() {
		list = row.reduce
	}
	if !has(list, dt) {
		return bad(ErrNotSupport, "got %v, want one of %s on generation %s", dt, dtypeNames(list), generation)
	}
	if op.Reduces() && red == mem.Prod && has(row.noProd, dt) {
		return bad(ErrNotSupport, "got PROD of %v, want a type other than %s on generation %s", dt, dtypeNames(row.noProd), generation)
	}
	return nil
}

func dtypeNames(list []mem.Dtype) string {
	s := make([]string, len(list))
	for i, d := range list {
		s[i] = d.String()
	}
	return strings.Join(s, ", ")
}

// CheckDevices says whether the chip generation allows a communicator over
// these devices of one server, given by their numbers in the server; nil or an
// *Error. The first generation takes 1, 2, 4 or 8 devices; 0-3 and 4-7 are two
// planes, one and two devices must share one, four are one whole plane.
func CheckDevices(generation string, local []int) error {
	if generation != "910" {
		return nil
	}
	bad := func(code Result, id, format string, args ...any) error {
		return &Error{Code: code, ID: id, Call: "HcclCommInit", Rank: -1, Text: fmt.Sprintf(format, args...)}
	}
	switch len(local) {
	case 1, 2, 4, 8:
	default:
		return bad(ErrPara, "EI0003", "got %d devices in one server, want 1, 2, 4 or 8 on generation 910", len(local))
	}
	if len(local) == 8 {
		return nil
	}
	for _, d := range local {
		if d/4 != local[0]/4 {
			return bad(ErrPara, "EI0010", "device %d and device %d are not on the same plane (want all in 0-3 or all in 4-7)", local[0], d)
		}
	}
	return nil
}
