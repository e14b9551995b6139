package fabric

// SetLost says who is told of every packet that will not arrive. It may not send.
func (f *Fabric) SetLost(told func(p *Packet)) { f.told = told }

func (f *Fabric) lost(p *Packet) {
	if f.told != nil {
		c := *p // so that packets of callers need not be in the heap
		f.told(&c)
	}
}
