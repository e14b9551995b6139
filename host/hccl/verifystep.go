package hccl

import "fmt"

// step carries out one step of a thread; false when it has to wait.
func (v *verifier) step(i int32, st *Step) (bool, error) {
	r := v.threads[i].rank
	switch st.Kind {
	case Ready:
		return true, v.record(regKey{regReady, st.Channel, st.Peer, r}, i)
	case Last:
		return true, v.record(regKey{regLast, st.Channel, st.Peer, r}, i)
	case Signal:
		return true, v.record(regKey{regSignal, 0, r, int32(st.Dst.Off)}, i)
	case AwaitReady:
		return v.wait(regKey{regReady, st.Channel, r, st.Peer}, i), nil
	case AwaitLast:
		return v.wait(regKey{regLast, st.Channel, r, st.Peer}, i), nil
	case AwaitSignal:
		return v.wait(regKey{regSignal, 0, r, int32(st.Dst.Off)}, i), nil
	case AwaitData:
		k := regKey{regData, st.Channel, r, st.Peer}
		if !v.wait(k, i) {
			return false, nil
		}
		for _, x := range v.flying[k] {
			x.to, x.end = i, v.threads[i].clock[i]
		}
		v.flying[k] = v.flying[k][:0]
		return true, nil
	case Send:
		return true, v.send(i, st)
	}
	return true, v.local(i, st)
}

func (v *verifier) record(k regKey, i int32) error {
	g := v.reg(k)
	if g.set {
		return fmt.Errorf("the notify at rank %d is raised twice: a record is lost", k.owner)
	}
	clock := v.threads[i].clock
	if clock[g.consumer] < g.consumed {
		return fmt.Errorf("the notify at rank %d may be raised before the record before it was consumed", k.owner)
	}
	g.set = true
	g.clock = append(g.clock[:0], clock...)
	clock[i]++
	return nil
}

func (v *verifier) wait(k regKey, i int32) bool {
	g := v.regs[k]
	if g == nil || !g.set {
		return false
	}
	g.set = false
	mine := v.threads[i].clock
	for j, t := range g.clock {
		mine[j] = max(mine[j], t)
	}
	mine[i]++
	g.consumer, g.consumed = i, mine[i]
	return true
}

func (v *verifier) send(i int32, st *Step) error {
	r := v.threads[i].rank
	a, err := v.mems[r].at(st.Src, st.Len)
	if err != nil {
		return err
	}
	b, err := v.mems[st.Peer].at(st.Dst, st.Len)
	if err != nil {
		return fmt.Errorf("at rank %d: %w", st.Peer, err)
	}
	x := &transfer{from: i, to: i, step: *st}
	by := access{thread: i, xfer: x}
	src, dst := align(v.mems[r], a, v.mems[st.Peer], b)
	for j := range src {
		if err := v.touch(&src[j], by, i, false); err != nil {
			return fmt.Errorf("source byte %d: %w", src[j].off-a.lo, err)
		}
		if err := v.touch(&dst[j], by, i, true); err != nil {
			return fmt.Errorf("target byte %d: %w", dst[j].off-b.lo, err)
		}
		dst[j].val = src[j].val
	}
	k := regKey{regData, st.Channel, st.Peer, r}
	v.flying[k] = append(v.flying[k], x)
	if st.Notify {
		return v.record(k, i)
	}
	return nil
}

func (v *verifier) local(i int32, st *Step) error {
	m := v.mems[v.threads[i].rank]
	a, err := m.at(st.Src, st.Len)
	if err != nil {
		return err
	}
	b, err := m.at(st.Dst, st.Len)
	if err != nil {
		return err
	}
	if a.store == b.store && a.lo < b.hi && b.lo < a.hi && a != b {
		return fmt.Errorf("source and target overlap")
	}
	by := access{thread: i, tick: v.threads[i].clock[i]}
	src, dst := align(m, a, m, b)
	for j := range src {
		if err := v.touch(&src[j], by, i, false); err != nil {
			return err
		}
		if err := v.touch(&dst[j], by, i, true); err != nil {
			return err
		}
		if st.Kind == Copy {
			dst[j].val = src[j].val
			continue
		}
		x, y := &dst[j].val, &src[j].val
		switch {
		case x.ranks.empty() || y.ranks.empty() || x.elem != y.elem:
			return fmt.Errorf("reduce of %v with %v", *x, *y)
		case x.ranks.meets(&y.ranks):
			return fmt.Errorf("reduce counts a rank twice: %v with %v", *x, *y)
		}
		x.ranks.add(&y.ranks)
	}
	return nil
}
