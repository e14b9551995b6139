package ranktable

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"hsim/host/topo/form"
)

const wantIP = "a valid IP address"

// validIP reports whether text is an IPv4 or IPv6 address.
func validIP(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Zone() == ""
}

// maskedHint says what is wrong with the addresses of printed examples.
func maskedHint(s string) string {
	if strings.ContainsAny(s, "*x") {
		return "the real address: this one is masked"
	}
	return ""
}

// ip reads an address that must be there and valid.
func (p *parser) ip(o *form.Object, key string) string {
	s, ok := o.Text(key, 0, 256, wantIP)
	if ok && !validIP(s) {
		o.Bad(key, wantIP, maskedHint(s))
		return ""
	}
	return s
}

// deviceIPs reads device_ip of a 1.x table: one address or several with commas.
// One server alone needs none; an empty one is legal only there, and only on the
// first generation.
func (p *parser) deviceIPs(o *form.Object, servers int) []string {
	if !o.Has("device_ip") {
		if servers > 1 {
			o.Missing("device_ip", wantIP+": several servers reach each other over it", "")
		}
		return nil
	}
	s, ok := o.Text("device_ip", 0, 1024, wantIP)
	if !ok {
		return nil
	}
	if gen := p.o.generation(); s == "" && servers <= 1 && (gen == "" || gen == "910") {
		return nil
	}
	ips := strings.Split(s, ",")
	for _, ip := range ips {
		if !validIP(ip) {
			try := maskedHint(ip)
			if s == "" && servers <= 1 {
				try = "the table without device_ip"
			}
			o.Bad("device_ip", wantIP, try)
			return nil
		}
	}
	return ips
}

// isEID reports whether text is 32 hex digits.
func isEID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// families refuses IPv4 addresses beside IPv6 ones, addresses that come twice,
// and ranks with different numbers of addresses.
func (p *parser) families() {
	var first *Rank
	family := 0
	taken := map[string]bool{}
	for i := range p.t.Ranks {
		r := &p.t.Ranks[i]
		if r.Device < 0 {
			continue
		}
		if first != nil && p.t.Version != "1.1" && len(r.IPs) != len(first.IPs) {
			p.r.Fault(form.Fault{Code: form.Invalid, Line: r.line, Key: r.path + ".device_ip", Value: fmt.Sprintf("%d of them", len(r.IPs)),
				Want: fmt.Sprintf("as many addresses as the first rank has: %d", len(first.IPs))})
			return
		}
		if first == nil {
			first = r
		}
		for _, ip := range r.IPs {
			if taken[ip] {
				p.r.Fault(form.Fault{Code: form.Invalid, Line: r.line, Key: r.path + ".device_ip", Value: strconv.Quote(ip), Want: "every address once"})
			}
			taken[ip] = true
		}
		for _, ip := range r.addresses() {
			f := familyOf(ip)
			if family == 0 {
				family = f
			}
			if f != 0 && f != family {
				p.r.Fault(form.Fault{Code: form.Family, Line: r.line, Key: r.path, Value: fmt.Sprintf("%s of family %d at rank %d", strconv.Quote(ip), f, r.ID),
					Want: fmt.Sprintf("addresses of one family: the first is of family %d (2 is IPv4, 10 is IPv6)", family)})
				return
			}
		}
	}
}

// addresses are the IP addresses of a rank.
func (r *Rank) addresses() []string {
	out := slices.Clone(r.IPs)
	for _, l := range r.Levels {
		for _, a := range l.Addrs {
			if a.Type != "EID" {
				out = append(out, a.Addr)
			}
		}
	}
	return out
}

// familyOf is the number of an address family: 2 is IPv4, 10 is IPv6.
func familyOf(ip string) int {
	a, err := netip.ParseAddr(ip)
	switch {
	case err != nil:
		return 0
	case a.Is4():
		return 2
	}
	return 10
}
