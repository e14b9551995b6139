package scenario

import (
	"context"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// explained is what is said of a file, and the time of its one size.
func explained(t *testing.T, text string) (said string, us float64) {
	t.Helper()
	sc, err := LoadText("sim.toml", t.TempDir(), text, Options{})
	require.NoError(t, err)
	said, err = Explain(sc)
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^    1MiB +(\S+)`).FindStringSubmatch(said)
	require.NotNil(t, m, said)
	us, err = strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	return said, us
}

// Predictions know the packet sizes of devices, and say what they do not know.
func TestExplainTakesDevicesIn(t *testing.T) {
	base := "[cluster]\nprofile = \"a2\"\nservers = 2\ndevices = 1\n[transport]\nROCE = { plugin = \"rdma\", params = { ack_every = 64 } }\n" + reduceOne
	small := func(id, mtu string) string { return "[[device]]\nid = " + id + "\nmtu = " + mtu + "\n" }
	said, plain := explained(t, base)
	assert.NotContains(t, said, "predictions")
	// Headers of 82 B are 2 % of a packet of 4 KiB and 24 % of one of 256 B. With few acknowledgements the run agrees.
	said, us := explained(t, base+small("0", "256")+small("1", "256"))
	assert.Contains(t, said, "predictions leave out: acknowledgements, of which packets of 256B make many (ROCE)\n")
	assert.Greater(t, us, plain)
	sc, err := LoadText("sim.toml", t.TempDir(), base+small("0", "256")+small("1", "256"), Options{})
	require.NoError(t, err)
	r, err := Run(context.Background(), sc, Hooks{})
	require.NoError(t, err)
	assert.InEpsilon(t, r.Variants[0].Rows[0].TimeUS.Float(), us, 0.01)
	// The smaller of two is what both use.
	said, one := explained(t, base+small("0", "256"))
	assert.InDelta(t, us, one, 1e-9)
	assert.NotContains(t, said, "[[device]]")
	said, _ = explained(t, "[cluster]\nprofile = \"a2\"\ndevices = 4\n"+reduceOne+small("0", "256"))
	assert.Contains(t, said, "as of 256B, the smallest that the [[device]] tables make; between some ranks they are larger\n")
	said, _ = explained(t, base+"[[fault]]\nrank = 0\nlatency = \"1us\"\n")
	assert.Contains(t, said, "predictions leave out: 1 [[fault]]\n")
}
