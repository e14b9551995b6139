package ccu

import "fmt"

// build records, translates and loads.
func (p *Program) build(chans []*Channel, with *Program, record func(r *Recorder) error) error {
	u := p.u
	if v := u.Version(); v != 1 {
		return fmt.Errorf("got a die of version %d, want version 1: programs are translated to no other", v)
	}
	r := newRecorder(u, chans)
	err := record(r)
	if r.err != nil {
		return r.err
	}
	if err == nil {
		err = r.finish()
	}
	if err != nil {
		return err
	}
	p.args = len(r.args)
	if err := p.board(with); err != nil {
		return err
	}
	t, err := r.translate(p.engines)
	if err != nil {
		return err
	}
	for c := range numClasses {
		if p.blocks[c], err = u.pools[classResource[c]].take(r.need[c]); err != nil {
			return err
		}
	}
	if p.code, err = u.pools[Instructions].take(t.size()); err != nil {
		return err
	}
	code, err := t.link(p.code.First, p.blocks)
	if err != nil {
		return err
	}
	p.derive, p.chans = t.derive, chans
	p.u.e.keys++
	p.key = p.u.e.keys * 0x9e3779b1
	for _, c := range chans {
		if c.unit == u {
			c.user = p
		}
	}
	return u.load(p.code.First, code)
}

// board gives the program a mission, another program's or its own.
func (p *Program) board(with *Program) error {
	if with != nil {
		p.lane = with.lane
		p.lane.users++
		return nil
	}
	b, err := p.u.e.missions.take(1)
	if err == nil {
		p.lane = &lane{e: p.u.e, missions: b, users: 1}
	}
	return err
}

// engines takes loop engines, or shares those of the lane.
func (p *Program) engines(n int) (int, error) {
	for _, l := range p.lane.engines {
		if l.die == p.u.die && l.block.N >= n {
			p.loops = l.block
			return l.block.First, nil
		}
	}
	b, err := p.u.pools[Loops].take(n)
	if err != nil {
		return 0, fmt.Errorf("loop_group: %w", err)
	}
	p.lane.engines = append(p.lane.engines, laneEngines{p.u.die, b})
	p.loops = b
	return b.First, nil
}
