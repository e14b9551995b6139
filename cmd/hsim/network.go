package main

import (
	"fmt"
	"io"
	"strings"

	"hsim/host/scenario"
	"hsim/host/units"
)

// printNetwork names the busiest port where the network set the pace, one line for each variant: of the row in which it had
// least pause. What was lost or damaged is said in any case.
func printNetwork(w io.Writer, r *scenario.Report) error {
	var b strings.Builder
	for _, v := range r.Variants {
		label := ""
		if v.Name != "" {
			label = v.Name + ": "
		}
		if row := mostLimited(v); row != nil {
			p := row.Busiest
			fmt.Fprintf(&b, "%s%s of %s: %s to %s busy %.0f %% of the time at %s", label, row.Op, units.FormatSize(row.Size), p.Port, p.Peer,
				100*float64(p.Utilisation), units.FormatRate(units.Rate(p.Rate)))
			if p.Alike > 1 {
				fmt.Fprintf(&b, ", %d more of %d ports as busy", p.Alike-1, p.Ports)
			} else if p.Ports > 1 {
				fmt.Fprintf(&b, ", the other %d ports less", p.Ports-1)
			}
			b.WriteByte('\n')
		}
		if n := v.Network; n != nil && n.Drops+n.Corrupt > 0 {
			fmt.Fprintf(&b, "%s%s lost, %d damaged, %d sent again; most at %s\n", label, plural(int(n.Drops), "packet", "packets"), n.Corrupt, n.Resent, worstPort(n))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\nnetwork\n"+b.String())
	return err
}

// mostLimited is the row whose busiest port was busiest, nil where the network set no row's pace.
func mostLimited(v *scenario.VariantReport) *scenario.Row {
	var best *scenario.Row
	for i := range v.Rows {
		if r := &v.Rows[i]; r.Busiest.Limiting() && (best == nil || r.Busiest.Utilisation > best.Busiest.Utilisation) {
			best = r
		}
	}
	return best
}

// worstPort is the port at which most packets were lost or damaged.
func worstPort(n *scenario.NetworkReport) string {
	worst := &n.Ports[0]
	for i := range n.Ports {
		if p := &n.Ports[i]; p.Drops+p.Corrupt > worst.Drops+worst.Corrupt {
			worst = p
		}
	}
	return worst.Port + " to " + worst.Peer
}
