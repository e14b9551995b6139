package guest

import (
	"fmt"

	"hsim/host/mem"
)

// findLeaks lists what the process still holds when it ends, one kind a line.
func (p *Process) findLeaks() []string {
	var out []string
	say := func(n int, what string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, what))
		}
	}
	for _, x := range p.acl.Held() {
		say(x.Count, x.What)
	}
	comms := 0
	for _, m := range p.members {
		if !m.gone {
			comms++
		}
	}
	say(comms, "communicators")
	blocks, bytes, host, hostBytes := 0, int64(0), 0, int64(0)
	p.acl.Runtime().Mem().Ranges(func(r mem.Range) bool {
		if r.Freed || r.Pid != p.acl.Pid() {
			return true
		}
		switch {
		case r.Kind == mem.KindHost && p.isPinned(r.Start):
			host++
			hostBytes += r.Size
		case r.Kind == mem.KindMalloc && r.Device != mem.Host, r.Kind == mem.KindReserve, r.Kind == mem.KindIPC:
			blocks++
			bytes += r.Size
		}
		return true
	})
	say(blocks, fmt.Sprintf("pieces of device memory, %d bytes", bytes))
	say(host, fmt.Sprintf("pieces of page-locked memory, %d bytes", hostBytes))
	return out
}

func (p *Process) isPinned(a mem.Addr) bool {
	for _, x := range p.host.pinned {
		if x.addr == a {
			return true
		}
	}
	return false
}
