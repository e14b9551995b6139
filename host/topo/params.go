package topo

import (
	"hsim/host/sim"
	"hsim/host/units"
)

// Params are the keys of [cluster.topology]; 0 or nil takes the default that
// each field states. Set fills them from a file's values.
type Params struct {
	Dims       []int      // mesh: devices along each dimension (default: one dimension, the chip's mesh group, else all)
	Planes     int        // switch planes (default: every switch port of the chip); link: parallel links (default 1)
	Group      int        // mesh-clos: devices in one full mesh (default: the chip's mesh group, else a server)
	Leaves     int        // clos, mesh-clos: leaf switches of a plane (default: clos one per server, mesh-clos none)
	Spines     int        // clos: spine switches of a plane (default: one per leaf uplink)
	Oversub    int        // clos: device bandwidth of a leaf over its uplink bandwidth (default 1)
	K          int        // fattree: ports of a switch (default: the smallest that fits)
	Tiers      int        // fattree: 2 or 3 (default 3)
	Backup     int        // superpod: 1 adds a backup device to every 64 (default 0)
	Replaced   []int      // superpod with backups: devices that are out of service, whose place the backup of their 64 takes (default: none)
	Superpods  int        // scale-up domains the servers are split into (default 1)
	Rate       units.Rate // device links (default: the chip's)
	UplinkRate units.Rate // switch-to-switch links (default: as device links)
	Latency    *sim.Time  // a device link (default: the chip's)
	Uplink     *sim.Time  // a switch-to-switch link (default: the chip's)
	Hop        *sim.Time  // processing in a switch (default: the chip's)
	Store      *bool      // store-and-forward switches (default: the chip's)
	Package    *bool      // links between the devices of one package (default: clos yes, others no)
	NIC        string     // scale-out network: "star" or "none" (default: star where the chip has NIC ports left)
}
