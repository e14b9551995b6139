package ranktable

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table whose ranks all run on hosts is well-formed and has no cluster.
func TestNoDevices(t *testing.T) {
	tab, err := Parse("t.json", []byte(strings.NewReplacer(`"device_id": "0"`, `"device_id": "-1"`, `"device_id": "1"`, `"device_id": "-1"`).Replace(nodes11)), Options{})
	require.NoError(t, err)
	_, _, err = tab.Cluster(nil, chip(t, "a2"), 0)
	require.ErrorContains(t, err, `device_id: got -1, want at least one rank on a device`)
}
