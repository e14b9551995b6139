package acl

// Held is how many objects of one kind a process holds.
type Held struct {
	What  string
	Count int
}

// Held lists what the process has made and not destroyed, kinds with nothing left
// out: contexts and streams that are not default ones, events, notifies, loaded
// images, physical memory, models.
func (p *Process) Held() (all []Held) {
	r := p.rt
	contexts, streams := 0, 0
	for _, c := range p.Contexts() {
		if !c.primary {
			contexts++
		}
		for _, s := range c.streams {
			if !s.IsDefault() {
				streams++
			}
		}
	}
	say := func(what string, n int) {
		if n > 0 {
			all = append(all, Held{what, n})
		}
	}
	say("contexts", contexts)
	say("streams", streams)
	say("events", count(&r.events, func(e *Event) bool { return e.ctx.p == p }))
	say("notifies", count(&r.notifies, func(n *Notify) bool { return n.ctx.p == p }))
	say("kernel images", count(&r.binaries, func(b *Binary) bool { return b.ctx.p == p }))
	say("pieces of physical memory", count(&r.physical, func(h *PhysHandle) bool { return h.p == p }))
	say("models", count(&r.models, func(m *Model) bool { return m.ctx.p == p }))
	return all
}

// count is how many live objects of a ledger are the process's.
func count[T any, P held[T]](l *ledger[T, P], mine func(P) bool) (n int) {
	l.live(func(x P) {
		if mine(x) {
			n++
		}
	})
	return n
}

// CheckStream resolves a stream argument of a call that another package makes on
// the thread's behalf: nil is the current context's default stream. Errors:
// ContextNull, InvalidHandle, StreamContext.
func (t *Thread) CheckStream(call string, s *Stream) (*Stream, error) { return t.stream(call, s) }
