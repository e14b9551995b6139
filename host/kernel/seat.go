package kernel

import (
	"hsim/host/sim"
	"hsim/host/wasm"
)

// seat is an instance with the functions that were looked up in it, which takes
// longer than a small kernel.
type seat struct {
	in   *wasm.Instance
	size uint32 // of its memory when it was new
	run  []*wasm.Func
}

// seats are the instances of one binary on one device, reset between blocks.
type seats struct {
	pool *wasm.Pool
	free map[*wasm.Instance]*seat
}

// seat gives an instance as if it were new.
func (e *Engine) seat(b *Binary) (*seat, error) {
	s := e.seats[b]
	if s == nil {
		cfg := &e.cfg
		s = &seats{free: map[*wasm.Instance]*seat{}, pool: b.mod.NewPool(wasm.InstanceConfig{
			Imports: e.imports, LimitPages: e.localPages(b.mod), Fuel: cfg.Fuel, Seed: cfg.Seed, Now: cfg.Sim.Now, Log: e.log,
			Sleep: func(d sim.Time) { cfg.Sim.Current().Sleep(d) },
		})}
		e.seats[b] = s
	}
	in, err := s.pool.Get()
	if err != nil {
		return nil, err
	}
	t := s.free[in]
	if t == nil {
		t = &seat{in: in}
		_, t.size = in.Base()
		s.free[in] = t
	}
	return t, nil
}

// leave gives a seat back. Memory cannot shrink: an instance whose memory grew is
// not used again.
func (e *Engine) leave(b *Binary, t *seat) {
	s := e.seats[b]
	if _, size := t.in.Base(); size != t.size {
		delete(s.free, t.in)
	}
	s.pool.Put(t.in)
}

// function finds an export once.
func (t *seat) function(name string) (*wasm.Func, error) {
	for _, f := range t.run {
		if f.Name() == name {
			return f, nil
		}
	}
	f, err := t.in.Func(name)
	if err == nil {
		t.run = append(t.run, f)
	}
	return f, err
}

// Close ends the instances that are kept for later launches.
func (e *Engine) Close() {
	for _, s := range e.seats {
		s.pool.Close()
	}
	e.seats = map[*Binary]*seats{}
}
