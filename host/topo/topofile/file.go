package topofile

import (
	"hsim/host/topo"
	"hsim/host/topo/form"
)

// Version is the only one there is.
const Version = "2.0"

// BackupID is the local id of a backup device.
const BackupID = 64

// The ranges of a file.
const (
	maxPeers    = 65
	maxLocal    = BackupID
	maxEdges    = 1 << 20
	maxLayer    = 7
	maxEdgePort = 32
	maxInstance = 1<<31 - 1
)

// File is a topology file. Peers and edges are in the order of the file; edges
// that occur twice are there once.
type File struct {
	Name     string // of the file
	Hardware string
	Peers    []int
	Edges    []Edge
	Spec     *topo.Spec // of an exported topology whose inside the format cannot say; nil = none
	Notes    []form.Note

	specLine int
}

// Edge is the cables from one peer to another (Net false) or to a network.
type Edge struct {
	Layer     int
	Net       bool // PEER2NET
	Host      bool // position HOST: the ports are the host's
	TopoType  string
	Instance  int // of several networks of a layer
	A, B      int // local ids; B is -1 for a network
	APorts    []Port
	BPorts    []Port
	Protocols topo.ProtocolSet
	Line      int
}

// Port is a port of a device by die and index.
type Port struct{ Die, Index int }

// Member is a device of a cluster: its id in the file, and what its network of
// each layer is called. Devices with the same name of layer 0 are one copy of
// the file's peers; "" is a name like any other.
type Member struct {
	Local    int
	Instance [maxLayer + 1]string
}
