package ns3ub

import (
	"io/fs"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// Case is a case directory as read: every id is the file's own, and every entry
// knows the line it came from.
type Case struct {
	Dir      string
	Nodes    []Node // by id, ascending
	Links    []Link
	Channels []Channel
	Tasks    []Task // in the order of the file
	Attr     Attributes
	// Notes is what a user should know of how the case was read: files that were
	// not there, columns and attributes that have no meaning here. One line each.
	Notes []string

	byID     map[int64]int // node id -> index in Nodes
	routes   *routes       // nil without a routing table
	shortest *topo.Routes  // then
	phases   map[int64]*phase
	groups   []group
	traffic  *table // as read, for the result in the same columns
	layout   *layout
}

// Node is a device or a switch with its numbered ports.
type Node struct {
	ID     int64
	Switch bool
	Ports  int
	// Forward is the time from a packet's arrival until it may leave; Given
	// without one in the file, which means that the attribute counts.
	Forward sim.Time
	Given   bool
	line    int
	linked  []bool // per port
}

// Link joins two ports.
type Link struct {
	NodeA, PortA int64
	NodeB, PortB int64
	Rate         units.Rate
	Delay        sim.Time
	line         int
}

// Channel is a transport channel between two devices, usable in both directions.
type Channel struct {
	NodeA, PortA, TPNA int64
	NodeB, PortB, TPNB int64
	Priority           int64
	Metric             int64
	line               int
}

// Op is what a task does.
type Op uint8

// The operations of traffic.csv.
const (
	OpWrite Op = iota // URMA_WRITE
	OpRead            // URMA_READ
	OpStore           // MEM_STORE
	OpLoad            // MEM_LOAD
)

var opNames = [...]string{"URMA_WRITE", "URMA_READ", "MEM_STORE", "MEM_LOAD"}

func (o Op) String() string { return opNames[o] }

// Task moves Size bytes between two devices once all tasks of the phases it
// depends on are complete and Delay has passed.
type Task struct {
	ID          int64
	Src, Dst    int64
	Size        int64
	Op          Op
	Priority    int64
	Delay       sim.Time
	Phase       int64
	After       []int64
	SrcEntity   int64 // -1 without
	DstEntity   int64
	SrcPortHint int64 // -1 without
	DstPortHint int64
	line        int
	row         int // in the file's table
	group       int32
}

// phase is the tasks of one phase id.
type phase struct {
	tasks []int
	after map[int64]int // phases that its tasks wait for -> a line that says so
	line  int
}

const (
	maxID    = 1<<24 - 1
	maxNodes = 1 << 17
	maxPorts = 1 << 12 // of a node
	allPorts = 1 << 22 // of all nodes
	maxBytes = 1 << 40
	noPort   = -1
)

// Load reads and checks the case in fsys; dir is what errors call it. An error
// is an *InputError with everything that is wrong, at its file and line.
func Load(fsys fs.FS, dir string) (*Case, error) {
	c := &Case{Dir: dir, byID: map[int64]int{}, phases: map[int64]*phase{}}
	probs := &problems{}
	c.readNodes(fsys, probs)
	if probs.any() {
		return nil, probs.err() // every other file speaks of nodes
	}
	c.readLinks(fsys, probs)
	if probs.any() {
		return nil, probs.err() // and of linked ports
	}
	c.readRoutes(fsys, probs)
	c.readChannels(fsys, probs)
	c.readTraffic(fsys, probs)
	c.readAttributes(fsys, probs)
	if probs.any() {
		return nil, probs.err()
	}
	c.lay(probs)
	if probs.any() {
		return nil, probs.err()
	}
	if c.routes == nil {
		var err error
		if c.shortest, err = c.layout.graph.Routes(); err != nil {
			probs.add(c.path("topology.csv"), 0, "%v", err)
			return nil, probs.err()
		}
	}
	c.assign()
	c.checkPhases(probs)
	c.checkRoutes(probs)
	if probs.any() {
		return nil, probs.err()
	}
	return c, nil
}

// node is the node of an id, nil without one.
func (c *Case) node(id int64) *Node {
	if i, ok := c.byID[id]; ok {
		return &c.Nodes[i]
	}
	return nil
}

func (c *Case) path(file string) string { return join(c.Dir, file) }

func (c *Case) note(text string) { c.Notes = append(c.Notes, text) }

// noteColumns mentions the columns of a file that nothing here uses.
func (c *Case) noteColumns(t *table) {
	if len(t.extra) > 0 {
		c.note(t.path + ": columns without meaning here: " + listed(t.extra))
	}
}
