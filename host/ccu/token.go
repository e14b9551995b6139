package ccu

import (
	"fmt"

	"hsim/host/mem"
)

// Token is the token of a registered region: what programs name together with an
// address of it, and pass to peers.
func Token(r mem.Region) uint64 {
	return tokenValid | uint64(r.RKey>>1&ownTokenID)<<32 | uint64(r.RKey)
}

// allowed checks a side's token: of the device's own memory the region it names,
// of a peer's only that it is one, for the peer checks the rest.
func (u *Unit) allowed(s *side, n int64) error {
	if s.token&tokenValid == 0 {
		return fmt.Errorf("got token 0x%x, want a valid one (pass the token of the buffer along with its address)", s.token)
	}
	if s.far {
		return nil
	}
	if s.token&^(3<<tokenExpand) == u.token {
		if off := int64(s.at - u.xnAt); s.at < u.xnAt || off < 0 || n > int64(len(u.xn))*mem.RegisterSize-off {
			return fmt.Errorf("got address %v with the token of the die's variables, want one of them", s.at)
		}
		return nil
	}
	m := u.e.cfg.Mem
	r, ok := m.Region(uint32(s.token))
	switch off := int64(s.at - r.Addr); {
	case !ok:
		return fmt.Errorf("got token 0x%x, want that of registered memory", s.token)
	case r.Device != u.e.cfg.Device:
		return fmt.Errorf("got a token of device %d, want one of device %d", r.Device, u.e.cfg.Device)
	case s.at < r.Addr || off > r.Len || n > r.Len-off:
		return fmt.Errorf("got %d bytes at %v, want bytes of the token's region: %d from %v on", n, s.at, r.Len, r.Addr)
	case s.write && r.Access&mem.LocalWrite == 0:
		return fmt.Errorf("got a write to a region that grants %v", r.Access)
	}
	return nil
}
