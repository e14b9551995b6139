package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/topo"
)

const four950 = "[cluster]\nprofile = \"950dt\"\ndevices = 4\n"
const reduceOne = "[[run]]\nop = \"all_reduce\"\nsizes = \"1MiB\"\n"

// The file may choose another protocol of the same ports: a 950 over RTP, with its channels, repairs what CTP cannot.
func TestScaleUpProtocol(t *testing.T) {
	rtp := strings.Replace(four950, "devices", "scale_up = \"UB_TP\"\ndevices", 1)
	channels := "[transport.UB_TP.params]\nchannels = 4\n"
	loss := "[[fault]]\nrank = 1\nloss = 0.01\n"
	ctp := execute(t, four950+reduceOne, Options{}).Variants[0]
	require.Equal(t, "UB_CTP", ctp.Transports[0].Protocol)

	r := execute(t, rtp+reduceOne+channels, Options{})
	require.Empty(t, r.Notes)
	v := r.Variants[0]
	require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
	require.Len(t, v.Transports, 1)
	assert.Equal(t, "UB_TP", v.Transports[0].Protocol)
	assert.Equal(t, Success, v.Rows[0].Check)
	wire := func(v *VariantReport) (n int64) {
		for _, p := range v.Network.Ports {
			n += p.Bytes
		}
		return n
	}
	assert.Greater(t, wire(v), wire(ctp), "headers of RTP are longer")

	lossy := execute(t, rtp+reduceOne+channels+"selective = true\nrto = \"dynamic\"\n"+loss, Options{}).Variants[0]
	require.Equal(t, OutcomeOK, lossy.Outcome, lossy.Errors)
	assert.Equal(t, Success, lossy.Rows[0].Check)
	assert.Positive(t, lossy.Network.Drops)
	assert.Positive(t, lossy.Network.Resent)
	assert.Greater(t, lossy.Rows[0].TimeUS, v.Rows[0].TimeUS)
	failed := execute(t, four950+reduceOne+loss, Options{}).Variants[0]
	assert.Equal(t, OutcomeFailed, failed.Outcome, "CTP sends nothing again")

	out := execute(t, strings.Replace(four950, "devices", "servers = 2\nscale_out = \"ROCE\"\ntopology = { kind = \"clos\", superpods = 2 }\ndevices", 1)+reduceOne, Options{}).Variants[0]
	require.Equal(t, OutcomeOK, out.Outcome, out.Errors)
	require.Len(t, out.Transports, 2)
	assert.Equal(t, "ROCE", out.Transports[1].Protocol)

	for text, want := range map[string]string{
		"scale_up = \"UBOE\"":                        `sim.toml:2: cluster.scale_up = "UBOE": the ports of the chip 950dt that speak UB_CTP carry UB_CTP,UB_TP,UB_MEM (try "UB_CTP")`,
		"scale_out = \"UB_TP\"":                      `sim.toml:2: cluster.scale_out = "UB_TP": the ports of the chip 950dt that speak UBOE carry UBOE,ROCE,TCP (try "UBOE")`,
		"scale_up = \"UB_CTP\"\nprofile = \"a3\"":    `sim.toml:2: cluster.scale_up = "UB_CTP": the ports of the chip a3 that speak HCCS carry UB_MEM,HCCS (try "HCCS")`,
		"scale_up = \"RTP\"":                         `sim.toml:2: cluster.scale_up = "RTP": want one of UB_CTP, `,
		"scale_up = \"UB_TP\"\nns3ub = \"testdata\"": `sim.toml:2: cluster.scale_up = "UB_TP": the links of a case speak UB_CTP`,
	} {
		if !strings.Contains(text, "profile") {
			text += "\nprofile = \"950dt\""
		}
		assert.Contains(t, refused(t, t.TempDir(), "[cluster]\n"+text+"\n"+reduceOne, Options{}), want)
	}
}

// What a file sets for a protocol that no run speaks is said, with the way to speak it.
func TestNotesOfUnusedProtocols(t *testing.T) {
	text := four950 + reduceOne + "[transport.UB_TP.params]\nchannels = 4\n"
	want := `transport.UB_TP has no effect: no run uses UB_TP, devices of the chip 950dt speak UB_CTP here (try cluster.scale_up = "UB_TP")`
	assert.Equal(t, []string{want}, execute(t, text, Options{}).Notes)
	variant := "[[variant]]\nname = \"tp\"\ncluster.scale_up = \"UB_TP\"\n"
	assert.Empty(t, execute(t, text+variant, Options{}).Notes, "a variant uses it")
	assert.Empty(t, execute(t, text+variant, Options{Variant: "base"}).Notes, "the variants that are left out may")
	assert.Equal(t, []string{want}, execute(t, four950+reduceOne+variant, Options{Variant: "base", Sets: []string{"transport.UB_TP.params.channels=4"}}).Notes)
	assert.Empty(t, execute(t, four950+reduceOne, Options{}).Notes)
	got := execute(t, four950+reduceOne+"[transport]\nROCE = \"ub\"\n", Options{}).Notes
	require.Len(t, got, 1)
	assert.Contains(t, got[0], `(try cluster.scale_out = "ROCE" and a cluster of several scale-up domains)`)

	sc, err := LoadText("sim.toml", t.TempDir(), text, Options{})
	require.NoError(t, err)
	explained, err := Explain(sc)
	require.NoError(t, err)
	assert.Contains(t, explained, "note: "+want)
}

// Legal settings without the effect that they seem to have are noted beside the result.
func TestNotesOfSettingsWithoutEffect(t *testing.T) {
	roce := "[cluster]\nprofile = \"a2\"\nservers = 2\ndevices = 1\n" + reduceOne
	for text, want := range map[string]string{
		"[transport.ROCE.params]\nspray = true\nretransmit = \"go-back-n\"\n": `transport.ROCE.params.retransmit = "go-back-n" has no effect beside transport.ROCE.params.spray`,
		"[transport.ROCE.params]\ncc = \"dcqcn\"\nrate_min = \"900Gbps\"\n":   `transport.ROCE.params.rate_min = "900Gbps": no port that carries ROCE is faster than 200Gbps, so that congestion never slows a sender`,
		"[transport.ROCE.params]\ncc = \"dcqcn\"\nrate_min = \"100Gbps\"\n":   "",
		"[transport.ROCE.params]\nspray = true\nretransmit = \"selective\"\n": "",
		"[[fault]]\nrank = 0\ndown = true\nat = \"1s\"\n":                     "fault[0] had no effect: it begins at 1s, and the last row ended at ",
		"[[fault]]\nrank = 0\nlatency = \"1us\"\nat = \"1us\"\n":              "",
	} {
		v := execute(t, roce+text, Options{}).Variants[0]
		require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
		require.Equal(t, topo.ROCE.String(), v.Transports[0].Protocol)
		if want == "" {
			assert.Empty(t, v.Notes, text)
			continue
		}
		require.Len(t, v.Notes, 1, text)
		assert.Contains(t, v.Notes[0], want)
	}
	v := execute(t, strings.Replace(four950, "devices = 4", "scale_up = \"UB_TP\"\nservers = 2\ndevices = 1\ntopology = { kind = \"clos\", superpods = 2 }", 1)+reduceOne, Options{}).Variants[0]
	assert.Equal(t, []string{`cluster.scale_up = "UB_TP" has no effect: no links between devices of this cluster carry it`}, v.Notes)
	// A device has fast and slow links.
	v = execute(t, four950+reduceOne+"[[fault]]\nlink = \"0/0\"\nrate = \"100Gbps\"\n", Options{}).Variants[0]
	assert.Empty(t, v.Notes)
	v = execute(t, strings.Replace(four950, "devices", "servers = 2\ntopology = { kind = \"clos\", superpods = 2 }\ndevices", 1)+reduceOne+"[[fault]]\nrank = 0\nrate = \"420Gbps\"\n", Options{}).Variants[0]
	require.Len(t, v.Notes, 1)
	assert.Regexp(t, `^fault\[0\]\.rate slows \d+ of \d+ links: the others run at no more than 420Gbps anyway$`, v.Notes[0])
}
