package ns3ub

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"hsim/host/sim"
)

// Attributes is what network_attribute.txt says of the model, with the
// simulator's own values where it is silent.
type Attributes struct {
	CTP       bool // compact transport, else RTP
	MultiPath bool // a task's slices go over all channels of its pair
	Shortest  bool // only channels of the lowest metric
	SprayRTP  bool // switches pick a port per packet
	SprayCTP  bool

	Allocation sim.Time // of a switch or device, per packet
	Segments   int64    // slices queued on one channel
	Window     int64    // packets in flight on one channel
	Early      int64    // packets a receiver holds beyond the next
	Inflight   int64    // slices in flight of one jetty
	Retransmit bool
	RTO        sim.Time // the first time-out of a packet
	Exponent   int64    // doublings of it at every time-out
	Retries    int64

	FlowControl     string
	FlitBytes       int64
	FlitsPerCell    int64
	GrainData       int64 // cells that a packet in the other direction returns
	CreditThreshold int64 // cells that are owed before credits are returned
	InitCredit      int64 // cells of one lane
	SharedCredit    int64 // cells of all lanes of a port
	Reserve         int64 // bytes of a port and lane in the buffer of a switch
	Shared          int64 // bytes that all of a switch share
	Headroom        int64
	Alpha           int64
	ResumeGap       int64
	PauseAbove      int64 // bytes
	ResumeBelow     int64
	Lanes           int64

	StoreBytes, LoadBytes        int64
	LoadRequestBytes             int64
	StoresInFlight, LoadInFlight int64

	PacketTrace bool // the result has the times of packets
}

// spray is the switch of the transport in use.
func (a *Attributes) spray() bool {
	if a.CTP {
		return a.SprayCTP
	}
	return a.SprayRTP
}

func defaults() Attributes {
	return Attributes{Shortest: true, Allocation: 10 * sim.Nanosecond, Segments: 1000, Window: 1000, Early: 2048, Inflight: 10000,
		RTO: 25600 * sim.Nanosecond, Exponent: 1, Retries: 7,
		FlowControl: "CBFC", FlitBytes: 20, FlitsPerCell: 8, GrainData: 4, CreditThreshold: 1024, InitCredit: 6553, SharedCredit: 4096,
		Reserve: 1 << 20, Alpha: 1, ResumeGap: 4096,
		PauseAbove: 819200, ResumeBelow: 655360, Lanes: 16,
		StoreBytes: 512, LoadBytes: 512, LoadRequestBytes: 64, StoresInFlight: 64, LoadInFlight: 64}
}

// setting is an attribute that means something here.
type setting struct {
	name string // without the leading ns3::
	set  func(a *Attributes, value string) error
}

func flag(at func(*Attributes) *bool) func(*Attributes, string) error {
	return func(a *Attributes, s string) error {
		v, err := parseBool(s)
		*at(a) = v
		return err
	}
}

func count(lo, hi int64, at func(*Attributes) *int64) func(*Attributes, string) error {
	return func(a *Attributes, s string) error {
		n, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 10, 64)
		if err != nil || n < lo || n > hi {
			return fmt.Errorf("got %q, want a whole number from %d to %d", s, lo, hi)
		}
		*at(a) = n
		return nil
	}
}

// oneOf reads a name.
func oneOf(names []string, at func(*Attributes, string)) func(*Attributes, string) error {
	return func(a *Attributes, s string) error {
		for _, n := range names {
			if n == s {
				at(a, s)
				return nil
			}
		}
		return fmt.Errorf("got %q, want one of %s%s", s, listed(names), tryName(s, names))
	}
}

// firstTimeout reads a time-out in the range that the ub plugin takes.
func firstTimeout(a *Attributes, s string) (err error) {
	if a.RTO, err = parseTime(s); err == nil && (a.RTO < 4*sim.Microsecond || a.RTO > 2097152*sim.Microsecond) {
		err = fmt.Errorf("got %q, want 4us to 2097152us", s)
	}
	return err
}

// allocation reads the time that a port takes to choose.
func allocation(a *Attributes, s string) (err error) {
	if a.Allocation, err = parseTime(s); err == nil && a.Allocation > sim.Second {
		err = fmt.Errorf("got %q, want at most 1s (a number without a unit is seconds)", s)
	}
	return err
}

func settings() []setting {
	return []setting{
		{"UbApp::TransportMode", oneOf([]string{"RTP", "CTP"}, func(a *Attributes, s string) { a.CTP = s == "CTP" })},
		{"UbApp::EnableMultiPath", flag(func(a *Attributes) *bool { return &a.MultiPath })},
		{"UbApp::UseShortestPaths", flag(func(a *Attributes) *bool { return &a.Shortest })},
		{"UbApp::UsePacketSpray", flag(func(a *Attributes) *bool { return &a.SprayCTP })},
		{"UbTransportChannel::UsePacketSpray", flag(func(a *Attributes) *bool { return &a.SprayRTP })},
		{"UbSwitchAllocator::AllocationTime", allocation},
		{"UbTransportChannel::DefaultMaxWqeSegNum", count(1, 1<<30, func(a *Attributes) *int64 { return &a.Segments })},
		{"UbTransportChannel::DefaultMaxInflightPacketSize", count(1, 1<<30, func(a *Attributes) *int64 { return &a.Window })},
		{"UbTransportChannel::TpOooThreshold", count(1, 2048, func(a *Attributes) *int64 { return &a.Early })},
		{"UbTransportChannel::EnableRetrans", flag(func(a *Attributes) *bool { return &a.Retransmit })},
		{"UbTransportChannel::InitialRTO", firstTimeout},
		{"UbTransportChannel::RetransExponentFactor", count(0, 7, func(a *Attributes) *int64 { return &a.Exponent })},
		{"UbTransportChannel::MaxRetransAttempts", count(0, 7, func(a *Attributes) *int64 { return &a.Retries })},
		{"UbJetty::UbInflightMax", count(1, 1<<30, func(a *Attributes) *int64 { return &a.Inflight })},
		{"UbJetty::UbJettyInflightMax", count(1, 1<<30, func(a *Attributes) *int64 { return &a.Inflight })},
		{"UbSwitch::FlowControl", oneOf([]string{"NONE", "CBFC", "CBFC_SHARED", "PFC_FIXED", "PFC_DYNAMIC"}, func(a *Attributes, s string) { a.FlowControl = s })},
		{"UbPort::CbfcFlitLenByte", count(1, 255, func(a *Attributes) *int64 { return &a.FlitBytes })},
		{"UbPort::CbfcFlitsPerCell", count(1, 128, func(a *Attributes) *int64 { return &a.FlitsPerCell })},
		{"UbPort::CbfcRetCellGrainDataPacket", count(1, 255, func(a *Attributes) *int64 { return &a.GrainData })},
		{"UbPort::CbfcSharedInitCreditCell", count(0, 1<<30, func(a *Attributes) *int64 { return &a.SharedCredit })},
		{"UbQueueManager::ReservePerQueueBytes", count(0, 1<<40, func(a *Attributes) *int64 { return &a.Reserve })},
		{"UbQueueManager::SharedPoolBytes", count(0, 1<<40, func(a *Attributes) *int64 { return &a.Shared })},
		{"UbQueueManager::HeadroomPerPortBytes", count(0, 1<<40, func(a *Attributes) *int64 { return &a.Headroom })},
		{"UbQueueManager::AlphaShift", count(0, 32, func(a *Attributes) *int64 { return &a.Alpha })},
		{"UbQueueManager::DynamicPfcResumeGapBytes", count(0, 1<<40, func(a *Attributes) *int64 { return &a.ResumeGap })},
		{"UbPort::CbfcCtrlCrdRtrThldCell", count(1, 1<<30, func(a *Attributes) *int64 { return &a.CreditThreshold })},
		{"UbPort::CbfcInitCreditCell", count(1, 1<<30, func(a *Attributes) *int64 { return &a.InitCredit })},
		{"UbPort::PfcUpThld", count(1, 1<<30, func(a *Attributes) *int64 { return &a.PauseAbove })},
		{"UbPort::PfcLowThld", count(0, 1<<30, func(a *Attributes) *int64 { return &a.ResumeBelow })},
		{"UbLdstThread::StoreRequestSize", count(1, 8192, func(a *Attributes) *int64 { return &a.StoreBytes })},
		{"UbLdstThread::LoadResponseSize", count(1, 8192, func(a *Attributes) *int64 { return &a.LoadBytes })},
		{"UbLdstThread::LoadRequestSize", count(0, 8192, func(a *Attributes) *int64 { return &a.LoadRequestBytes })},
		{"UbLdstThread::StoreOutstanding", count(1, 1<<20, func(a *Attributes) *int64 { return &a.StoresInFlight })},
		{"UbLdstThread::LoadOutstanding", count(1, 1<<20, func(a *Attributes) *int64 { return &a.LoadInFlight })},
		{"UB_VL_NUM", count(1, 16, func(a *Attributes) *int64 { return &a.Lanes })},
		{"UB_PACKET_TRACE_ENABLE", flag(func(a *Attributes) *bool { return &a.PacketTrace })},
	}
}

// readAttributes reads network_attribute.txt: lines of "default" or "global", a
// name and a quoted value.
func (c *Case) readAttributes(fsys fs.FS, probs *problems) {
	c.Attr = defaults()
	path := c.path("network_attribute.txt")
	text, err := fs.ReadFile(fsys, "network_attribute.txt")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.note(path + ": there is no such file: every attribute has its default")
		return
	case err != nil:
		probs.add(path, 0, "cannot be read: %v", err)
		return
	}
	known := map[string]setting{}
	for _, s := range settings() {
		known[s.name] = s
	}
	var unused []string
	lines := map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := attribute(line)
		if !ok {
			probs.add(path, i+1, `got %q, want default ns3::CLASS::ATTRIBUTE "VALUE" or global NAME "VALUE"`, line)
			continue
		}
		if old, twice := lines[name]; twice {
			probs.add(path, i+1, "attribute %s is in line %d already, want it once", name, old)
			continue
		}
		lines[name] = i + 1
		s, models := known[name]
		if !models {
			unused = append(unused, name)
			continue
		}
		if err := s.set(&c.Attr, value); err != nil {
			probs.add(path, i+1, "attribute %s: %v", name, err)
		}
	}
	if c.Attr.ResumeBelow > c.Attr.PauseAbove {
		probs.add(path, lines["UbPort::PfcLowThld"], "attribute UbPort::PfcLowThld: got %d, want at most PfcUpThld, %d", c.Attr.ResumeBelow, c.Attr.PauseAbove)
	}
	if len(unused) > 0 {
		c.note(path + ": attributes that are not modelled: " + listed(unused))
	}
}

// attribute cuts a line into name and value.
func attribute(line string) (name, value string, ok bool) {
	kind, rest, _ := strings.Cut(line, " ")
	name, value, found := strings.Cut(strings.TrimSpace(rest), " ")
	value = strings.TrimSpace(value)
	if !found || kind != "default" && kind != "global" || len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", "", false
	}
	return strings.TrimPrefix(name, "ns3::"), value[1 : len(value)-1], true
}
