package topo

import (
	"hsim/host/sim"
	"hsim/host/units"
)

// Params are the keys of [cluster.topology]; 0 or nil takes the default that
// each field states.
type Params struct {
	Dims       []int      // mesh: devices along each dimension (default: one dimension, the chip's mesh group)
	Planes     int        // switch planes (default: every switch port of the chip)
	Group      int        // mesh-clos: devices in one full mesh (default: the chip's mesh group, else a server)
	Leaves     int        // clos: leaf switches of a plane (default: one per server)
	Spines     int        // clos: spine switches of a plane (default: one per leaf uplink)
	Oversub    int        // clos: device bandwidth of a leaf over its uplink bandwidth (default 1)
	K          int        // fattree: ports of a switch (default: the smallest that fits)
	Tiers      int        // fattree: 2 or 3 (default 3)
	Superpods  int        // scale-up domains the servers are split into (default 1)
	Rate       units.Rate // rate of every device link to a switch or peer (default: the chip's)
	UplinkRate units.Rate // rate of every switch-to-switch link (default: the device link's)
	Latency    sim.Time   // latency of a device link (default: the chip's)
	Uplink     sim.Time   // latency of a switch-to-switch link (default: the chip's)
	Hop        sim.Time   // processing in a switch (default: the chip's)
	SetLatency [3]bool    // Latency, Uplink, Hop given, so that 0 can be asked for
	Store      *bool      // store-and-forward switches (default: not, unless the chip says so)
	Package    *bool      // links between the devices of one package (default: clos only)
	NIC        string     // scale-out network: "star" or "none" (default: star where the chip has NIC ports left)
}
