package ranktable

import (
	"hsim/host/soc"
	"hsim/host/topo/form"
)

// Table is a rank table that has been checked. Ranks are in the order of their
// ids.
type Table struct {
	Name    string // of the file
	Version string // 1.0, 1.1, 1.2 or 2.0; "" = the template with group_list
	Servers []Server
	Pods    []string // ids of the superpods; none where the table has none
	Ranks   []Rank
	Hosts   int // per server, of a table that hsim wrote; 0 = not given

	CollectiveID string // 1.1
	MasterIP     string // 1.1
	MasterPort   int    // 1.1; 0 = not given
	TopoPath     string // root info: its topology file, relative to the file

	Notes []form.Note
}

// Server is one server. Pod is an index of Table.Pods, -1 without one.
type Server struct {
	ID     string
	HostIP string // "" = not given
	Pod    int
}

// Rank is one rank. Numbers that the table does not give are 0 for ports and -1
// for ids.
type Rank struct {
	ID         int
	Server     int // index of Table.Servers
	Device     int // physical id; -1 = the rank runs on the host's CPU
	Local      int // 2.0: id in the topology file
	Replaced   int // 2.0: the local id that a backup device stands in for
	Super      int // 1.2: id in the superpod
	IPs        []string
	DevicePort int
	HostPort   int
	BackupIP   string
	BackupPort int
	Levels     []Level // 2.0, by layer

	line int
	path string // of its object in the file
}

// Level is the place of a rank in the network of one layer.
type Level struct {
	Layer    int
	Instance string
	FromTopo bool // net_type TOPO_FILE_DESC; false = CLOS
	Addrs    []Addr
}

// Addr is one address of a rank and the ports it is reached through.
type Addr struct {
	Type  string // EID, IPV4, IPV6
	Addr  string
	Ports []string // "die/port", "d2h"
	Plane string   // "" = not given
}

// Options say what a table is checked against.
type Options struct {
	Chip    *soc.Chip // nil = any chip
	Visible []int     // physical ids of the devices that programs see; nil = not checked
	Delta   bool      // a table of changes: rank ids need not begin at 0 or be complete
}

// generation is the chip's, "" for any.
func (o *Options) generation() string {
	if o.Chip == nil || o.Chip.Generation == "ideal" {
		return ""
	}
	return o.Chip.Generation
}

// Load reads and checks a rank table.
func Load(name string, o Options) (*Table, error) {
	data, err := form.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data, o)
}

// maxRanks is the most a table may list.
const maxRanks = 65536
