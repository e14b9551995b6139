package entity

// Ids count from 0 in the order of the rows of a table. A foreign key that does
// not apply is None.

// None is a foreign key that refers to nothing.
const None = -1

// Server is one server; PodID is its superpod, Version that of the rank table.
type Server struct {
	ServerID int
	Name     string
	PodID    string
	Version  string
}

// Host is one host CPU. Arch is always aarch64: the servers of these chips are
// Kunpeng machines unless a profile says otherwise, which none does.
type Host struct {
	HostID   int
	ServerID int
	IP       string
	Arch     string
}

// Device is one device. LogicID is None for a device that is not visible;
// Status is "online", or "backup" for a spare.
type Device struct {
	DeviceID     int
	ServerID     int
	LogicID      int
	PhysicalID   int
	CcuDieNum    int
	OverflowMode string // of 8-bit sums: saturate or wrap
	Status       string
	SocVersion   string
	DeviceType   string
	MaxStreamCnt int
	MaxNotifyCnt int
	MaxEventCnt  int
}

// Port is one port of a device; Status is 1 where a link is on it, else 0.
type Port struct {
	PortID   int
	DeviceID int
	DieID    int
	Status   int
	Name     string // "die/port"
}

// EndPoint is one address. DeviceID is None for the addresses of hosts and
// switches, RankID where no rank uses the node. FuncID is the die whose CCU
// reaches it.
type EndPoint struct {
	EndPointID int
	DeviceID   int
	RankID     int
	Addr       string
	Type       string // EID, IPV4, IPV6
	FuncID     int
}

// EndPointPort says that an endpoint is reached through a port.
type EndPointPort struct {
	MappingID  int
	PortID     int
	EndPointID int
}

// Link is one link. Type is PEER2PEER between devices, PEER2NET from a device or
// host to a switch and between switches, D2H from a device to its host.
type Link struct {
	LinkID           int
	LocalEndPointID  int
	RemoteEndPointID int
	NetLayer         int
	Type             string
}

// LinkProtocol is one protocol that a link carries.
type LinkProtocol struct {
	MappingID int
	LinkID    int
	Protocol  string
}

// Tables are all rows of a cluster.
type Tables struct {
	Servers       []Server
	Hosts         []Host
	Devices       []Device
	Ports         []Port
	EndPoints     []EndPoint
	EndPointPorts []EndPointPort
	Links         []Link
	LinkProtocols []LinkProtocol
}
