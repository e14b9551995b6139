package hccl

import (
	"hsim/host/sim"
	"hsim/host/units"
)

// Form is the closed form of an algorithm: T = Alphas*a + bytes*b + reduced*g,
// a the start-up of a step, b and g seconds per byte of the wire and of the
// reduction. Two-level algorithms also have steps and bytes between servers, with
// an a and b of their own; those of two halves take as long as the longer one.
type Form struct {
	Text    string // in p ranks and n bytes of the whole operation; L ranks in each of G servers
	Alphas  int64
	Bytes   int64 // of the largest chunks where the division is uneven
	Reduced int64

	FarAlphas, FarBytes int64
	Other               *Form
}

// Steps is the number of start-ups on the longest way.
func (f Form) Steps() int64 {
	n := f.Alphas + f.FarAlphas
	if f.Other != nil {
		n = max(n, f.Other.Steps())
	}
	return n
}

// Link is the start-up of a step and the rate of the wire at one level.
type Link struct {
	Alpha sim.Time
	Wire  units.Rate
}

// Between evaluates the form of a two-level algorithm.
func (f Form) Between(near, far Link, reduce units.Rate) sim.Time {
	t := f.Time(near.Alpha, near.Wire, reduce) + sim.Time(f.FarAlphas)*far.Alpha + rateTime(far.Wire, f.FarBytes)
	if f.Other != nil {
		t = max(t, f.Other.Between(near, far, reduce))
	}
	return t
}

// Time evaluates the form.
func (f Form) Time(alpha sim.Time, wire, reduce units.Rate) sim.Time {
	return sim.Time(f.Alphas)*alpha + rateTime(wire, f.Bytes) + rateTime(reduce, f.Reduced)
}

// FormOf is the closed form for one round. shared says that a rank's messages
// share one port, so that a step of a mesh takes the bytes of all of them.
func FormOf(p Params, shared bool) Form {
	n := int64(p.Ranks)
	if n == 1 {
		return Form{Text: "0"}
	}
	if p.Alg.TwoLevel() {
		return twoLevelForm(&p, shared)
	}
	log := int64(logCeil(int32(n)))
	chunk := (p.Count + n - 1) / n * p.Elem // of a vector that is divided
	part := p.Count * p.Elem                // of a rank
	vector := p.Count * p.Elem
	if p.Op == AllGather || p.Op == ReduceScatter || p.Op == AllToAll {
		chunk = part
	}
	// A step of a mesh: one chunk on each of p-1 links, or all on one port.
	mesh, meshText := int64(1), "n/p b"
	if shared {
		mesh, meshText = n-1, "(p-1)/p n b"
	}
	switch p.Op {
	case AllReduce:
		switch p.Alg {
		case Ring:
			return flatForm("2(p-1) a + 2(p-1)/p n b + (p-1)/p n g", 2*(n-1), 2*(n-1)*chunk, (n-1)*chunk)
		case Mesh:
			return flatForm("2 a + 2 "+meshText+" + (p-1)/p n g", 2, 2*mesh*chunk, (n-1)*chunk)
		case MeshOneShot:
			text := "a + n b + (p-1) n g"
			if shared {
				text = "a + (p-1) n b + (p-1) n g"
			}
			return flatForm(text, 1, mesh*vector, (n-1)*vector)
		case NHR, RHD:
			return flatForm("2 ceil(log2 p) a + 2(p-1)/p n b + (p-1)/p n g", 2*log, 2*(n-1)*chunk, (n-1)*chunk)
		}
	case AllGather, ReduceScatter:
		f := Form{}
		switch p.Alg {
		case Ring:
			f = flatForm("(p-1) a + (p-1)/p n b", n-1, (n-1)*chunk, 0)
		case Mesh:
			f = flatForm("a + "+meshText, 1, mesh*chunk, 0)
		case NHR, RHD:
			f = flatForm("ceil(log2 p) a + (p-1)/p n b", log, (n-1)*chunk, 0)
		}
		if p.Op == ReduceScatter {
			f.Text += " + (p-1)/p n g"
			f.Reduced = (n - 1) * chunk
		}
		return f
	case Broadcast:
		switch p.Alg {
		case Ring:
			return flatForm("(p-1) (a + n b)", n-1, (n-1)*vector, 0)
		case Mesh:
			return flatForm("2 a + 2 "+meshText, 2, 2*mesh*chunk, 0)
		case NHR, RHD:
			return flatForm("2 ceil(log2 p) a + 2(p-1)/p n b", 2*log, 2*(n-1)*chunk, 0)
		}
	case AllToAll:
		if p.Alg == Mesh {
			return flatForm("a + "+meshText, 1, mesh*chunk, 0)
		}
		return flatForm("(p-1) a + (p-1)/p n b", n-1, (n-1)*chunk, 0)
	}
	return Form{}
}

func flatForm(text string, alphas, bytes, reduced int64) Form {
	return Form{Text: text, Alphas: alphas, Bytes: bytes, Reduced: reduced}
}
