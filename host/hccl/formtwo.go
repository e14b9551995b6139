package hccl

import "fmt"

// share is what one level adds to a form.
type share struct{ steps, bytes, reduced int64 }

func (s share) plus(o share) share {
	return share{s.steps + o.steps, s.bytes + o.bytes, s.reduced + o.reduced}
}

// levelForm is one level of p members; shared says that a mesh has one port.
type levelForm struct {
	alg    Algorithm
	p      int64
	shared bool
}

// gather moves chunks of c bytes to all members, reduce combines them, spread is
// the root's way to hand them out.
func (l levelForm) gather(c int64) share {
	switch l.alg {
	case Mesh:
		if !l.shared {
			return share{steps: 1, bytes: c}
		}
		return share{steps: 1, bytes: (l.p - 1) * c}
	case NHR, RHD:
		return share{steps: int64(logCeil(int32(l.p))), bytes: (l.p - 1) * c}
	}
	return share{steps: l.p - 1, bytes: (l.p - 1) * c}
}

func (l levelForm) reduce(c int64) share {
	s := l.gather(c)
	s.reduced = (l.p - 1) * c
	return s
}

func (l levelForm) spread(c int64) share {
	if l.alg == Ring { // from the root to each, as a mesh
		l.alg = Mesh
	}
	return l.gather(c)
}

// twoLevelForm is the form of one round.
func twoLevelForm(p *Params, shared bool) Form {
	h := &hierarchies[p.Alg]
	near := levelForm{h.intra, int64(p.Group), shared}
	far := levelForm{h.inter, int64(p.Ranks / p.Group), true}
	if !h.parallel {
		return orderedForm(p, near, far, p.Op == ReduceScatter, p.Count)
	}
	half := (p.Count + 1) / 2
	f := orderedForm(p, near, far, p.Op == ReduceScatter, half)
	g := orderedForm(p, near, far, p.Op != ReduceScatter, p.Count-half)
	f.Text = fmt.Sprintf("the longer of two halves of n: %s; %s", f.Text, g.Text)
	f.Other = &g
	return f
}

// orderedForm is the form of count elements with one order of the levels: as in
// twoLevel, the outer one first.
func orderedForm(p *Params, near, far levelForm, farFirst bool, count int64) Form {
	outer, inner := near, far
	if farFirst {
		outer, inner = far, near
	}
	block := count * p.Elem
	chunk := (count + outer.p - 1) / outer.p
	part := (chunk + inner.p - 1) / inner.p * p.Elem
	chunk *= p.Elem
	var o, i share
	switch p.Op {
	case AllReduce:
		o = outer.reduce(chunk).plus(outer.gather(chunk))
		i = inner.reduce(part).plus(inner.gather(part))
	case ReduceScatter:
		o, i = outer.reduce(inner.p*block), inner.reduce(block)
	case AllGather:
		o, i = outer.gather(block), inner.gather(outer.p*block)
	case Broadcast:
		o = outer.spread(chunk).plus(outer.gather(chunk))
		i = inner.spread(part).plus(inner.gather(part))
	default:
		o, i = outer.gather(inner.p*block), inner.gather(outer.p*block)
	}
	f := Form{Reduced: o.reduced + i.reduced}
	n, w := o, i
	if farFirst {
		n, w = i, o
	}
	f.Alphas, f.Bytes, f.FarAlphas, f.FarBytes = n.steps, n.bytes, w.steps, w.bytes
	f.Text = orderedText(p.Op, outer, inner, farFirst)
	return f
}

// orderedText writes the form in p ranks, L in each of G servers, and n bytes of
// the whole operation.
func orderedText(op OpKind, outer, inner levelForm, farFirst bool) string {
	o, i := "L", "G"
	if farFirst {
		o, i = i, o
	}
	oChunk, iChunk := "n/"+o, "n/p"
	switch op {
	case AllGather:
		oChunk, iChunk = "n/p", "n/"+i
	case AllToAll:
		iChunk = "n/" + i
	}
	times := ""
	if op == AllReduce || op == Broadcast {
		times = "2 "
	}
	near, far := outer.text(op, o, oChunk, times, ""), inner.text(op, i, iChunk, times, "'")
	if farFirst {
		near, far = inner.text(op, i, iChunk, times, ""), outer.text(op, o, oChunk, times, "'")
	}
	s := near + " inside servers of L + " + far + " between G"
	if op.Reduces() {
		s += fmt.Sprintf(" + ((%s-1) %s + (%s-1) %s) g", o, oChunk, i, iChunk)
	}
	return s
}

// text is one level's steps and bytes; the members are called by a letter.
func (l levelForm) text(op OpKind, members, chunk, times, mark string) string {
	steps, bytes := times, times+"("+members+"-1) "+chunk+" "
	switch l.alg {
	case Mesh:
		if !l.shared {
			bytes = times + chunk + " "
		}
	case NHR, RHD:
		steps += "ceil(log2 " + members + ") "
	default:
		steps += "(" + members + "-1) "
		if op == Broadcast { // one step to spread, a ring to gather
			steps = members + " "
			if !l.shared {
				bytes = members + " " + chunk + " "
			}
		}
	}
	return steps + "a" + mark + " + " + bytes + "b" + mark
}
