package entity

// Ids count from 0 in the order of the rows of a table, devices as the graph
// numbers them, backups behind the others. A foreign key that does not apply is
// None. The tags are those of the tables of package acl: col is the column, key
// says "pk" or the column of another table that it refers to, null the value that
// refers to nothing.

// None is a foreign key that refers to nothing.
const None = -1

// Server is one server; PodID is its superpod, Version that of the rank table.
type Server struct {
	ServerID int    `col:"server_id" key:"pk"`
	Name     string `col:"name"`
	PodID    string `col:"pod_id"`
	Version  string `col:"version"`
}

// Host is one host CPU. Arch is always aarch64: the servers of these chips are
// Kunpeng machines unless a profile says otherwise, which none does.
type Host struct {
	HostID   int    `col:"host_id" key:"pk"`
	ServerID int    `col:"server_id" key:"server.server_id" null:"-1"`
	IP       string `col:"ip"`
	Arch     string `col:"arch"`
}

// Port is one port of a device; Status is 1 where a link is on it, else 0.
type Port struct {
	PortID   int    `col:"port_id" key:"pk"`
	DeviceID int    `col:"device_id" key:"device.device_id" null:"-1"`
	DieID    int    `col:"die_id"`
	Status   int    `col:"status"`
	Name     string `col:"name"` // "die/port"
}

// EndPoint is one address. DeviceID is None for the addresses of hosts and
// switches, RankID where no rank uses the node. FuncID is the die whose CCU
// reaches it.
type EndPoint struct {
	EndPointID int    `col:"endpoint_id" key:"pk"`
	DeviceID   int    `col:"device_id" key:"device.device_id" null:"-1"`
	RankID     int    `col:"rank_id"`
	Addr       string `col:"addr"`
	Type       string `col:"type"` // EID, IPV4, IPV6
	FuncID     int    `col:"func_id"`
}

// EndPointPort says that an endpoint is reached through a port.
type EndPointPort struct {
	MappingID  int `col:"mapping_id" key:"pk"`
	PortID     int `col:"port_id" key:"port.port_id" null:"-1"`
	EndPointID int `col:"endpoint_id" key:"endpoint.endpoint_id" null:"-1"`
}

// Link is one link. Type is PEER2PEER between devices, PEER2NET from a device or
// host to a switch and between switches, D2H from a device to its host.
type Link struct {
	LinkID           int    `col:"link_id" key:"pk"`
	LocalEndPointID  int    `col:"local_endpoint_id" key:"endpoint.endpoint_id" null:"-1"`
	RemoteEndPointID int    `col:"remote_endpoint_id" key:"endpoint.endpoint_id" null:"-1"`
	NetLayer         int    `col:"net_layer"`
	Type             string `col:"type"`
}

// LinkProtocol is one protocol that a link carries.
type LinkProtocol struct {
	MappingID int    `col:"link_protocol_mapping_id" key:"pk"`
	LinkID    int    `col:"link_id" key:"link.link_id" null:"-1"`
	Protocol  string `col:"protocol"`
}

// Tables are all rows of a cluster.
type Tables struct {
	Servers       []Server
	Hosts         []Host
	Ports         []Port
	EndPoints     []EndPoint
	EndPointPorts []EndPointPort
	Links         []Link
	LinkProtocols []LinkProtocol
}
