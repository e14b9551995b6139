package abi

// Field is one member of a record. Count is 0 for a single value and the length for an array. A field whose name starts
// with an underscore is padding.
type Field struct {
	Name   string
	Type   string // u8, u16, u32, i32, u64, i64, or the name of another record
	Count  int
	Offset int
	Doc    string
}

// Record is a structure in guest memory: little-endian, naturally aligned, its own size in the first field. Longer records
// than the host knows are accepted, shorter ones are not.
type Record struct {
	Name   string // as in C: struct hsim_<name>
	Doc    string
	Fields []Field
	Size   int
	Align  int
}

// field returns a Field without an offset; layout fills it.
func field(name, typ, doc string) Field { return Field{Name: name, Type: typ, Doc: doc} }

func array(name, typ string, n int, doc string) Field {
	return Field{Name: name, Type: typ, Count: n, Doc: doc}
}

func sizeOf(typ string, known []Record) (size, align int) {
	switch typ {
	case "u8", "i8":
		return 1, 1
	case "u16", "i16":
		return 2, 2
	case "u32", "i32":
		return 4, 4
	case "u64", "i64":
		return 8, 8
	}
	for i := range known {
		if known[i].Name == typ {
			return known[i].Size, known[i].Align
		}
	}
	return 0, 1
}

// layout computes offsets, size and alignment. A hole is an error of the table: golden_test refuses records where a
// field does not follow the one before it.
func layout(r Record, known ...Record) Record {
	off, align := 0, 1
	for i := range r.Fields {
		f := &r.Fields[i]
		size, a := sizeOf(f.Type, known)
		off = (off + a - 1) / a * a
		f.Offset = off
		if f.Count > 0 {
			size *= f.Count
		}
		off += size
		align = max(align, a)
	}
	r.Align = align
	r.Size = (off + align - 1) / align * align
	return r
}
