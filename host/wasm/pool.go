package wasm

import "bytes"

// Pool keeps instances of one module for calls that come and go, such as the blocks of kernels. Every instance that Get
// returns is in the state the first one had when it was new, so what a call leaves behind never reaches another.
type Pool struct {
	m     *Module
	cfg   InstanceConfig
	free  []*Instance
	image *image
}

// image is the state of an instance: memory up to the last byte that is not zero, and the mutable globals.
type image struct {
	size    int
	memory  []byte
	globals []uint64
}

// NewPool returns an empty pool; cfg holds for all its instances.
func (m *Module) NewPool(cfg InstanceConfig) *Pool { return &Pool{m: m, cfg: cfg} }

// Get returns an instance that nobody else uses; Put gives it back.
func (p *Pool) Get() (*Instance, error) {
	if n := len(p.free); n > 0 {
		in := p.free[n-1]
		p.free = p.free[:n-1]
		return in, nil
	}
	in, err := p.m.Instantiate(p.cfg)
	if err != nil {
		return nil, err
	}
	if !p.m.resettable() {
		return in, nil
	}
	in.lookUpGlobals()
	if p.image == nil {
		p.image = in.save()
	} else {
		in.restore(p.image)
	}
	return in, nil
}

// Put takes an instance back when no call of it is under way; calls that ended in a trap are fine.
func (p *Pool) Put(in *Instance) {
	if p.image == nil || !p.m.resettable() || !in.restore(p.image) {
		_ = in.Close()
		return
	}
	p.free = append(p.free, in)
}

// Close ends the instances that are not in use.
func (p *Pool) Close() {
	for _, in := range p.free {
		_ = in.Close()
	}
	p.free = nil
}

// resettable tells whether memory and visible globals are all the state that a call can change.
func (m *Module) resettable() bool { return m.info.whole && !m.info.sticky }

func (in *Instance) save() *image {
	buf := in.mem.buf
	im := &image{size: len(buf), memory: bytes.Clone(bytes.TrimRight(buf, "\x00"))}
	for _, g := range in.globals {
		im.globals = append(im.globals, g.Get())
	}
	return im
}

// restore puts an instance into a saved state; it fails when memory has grown, because it cannot shrink.
func (in *Instance) restore(im *image) bool {
	buf := in.mem.buf
	if len(buf) != im.size || in.wz.IsClosed() {
		return false
	}
	clear(buf[copy(buf, im.memory):])
	for i, g := range in.globals {
		g.Set(im.globals[i])
	}
	return true
}
