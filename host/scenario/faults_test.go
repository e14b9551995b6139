package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// onStar is an all_reduce by ring on one star of eight ideal or real chips.
func onStar(profile, size, more string) string {
	return "[cluster]\nprofile = \"" + profile + "\"\n[sim]\ndata = \"phantom\"\n[env]\nHCCL_RDMA_TIMEOUT = \"5\"\nHCCL_RDMA_RETRY_CNT = \"3\"\n" +
		"[[run]]\nop = \"all_reduce\"\nalgorithm = \"ring\"\nsizes = \"" + size + "\"\n" + more
}

func timeOf(t *testing.T, text string) sim.Time {
	t.Helper()
	v := execute(t, text, Options{}).Variants[0]
	require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
	return sim.Time(v.Rows[0].TimeUS)
}

// A ring with one slow link takes what the slow link takes: 2(p-1)/p of the bytes at its rate.
func TestSlowLinkOfARing(t *testing.T) {
	const bytes = 256 << 20
	closed := func(rate float64) float64 { return 2 * 7.0 / 8 * bytes * 8 / rate * 1e12 }
	assert.InEpsilon(t, closed(400e9), float64(timeOf(t, onStar("ideal", "256MiB", ""))), 0.01)
	for _, where := range []string{"link = \"3/0\"", "link = \"sw0/3\"\ndirection = \"out\"", "device = 3", "rank = 3\ndirection = \"in\""} {
		got := timeOf(t, onStar("ideal", "256MiB", "[[fault]]\nrate = \"200Gbps\"\n"+where+"\n"))
		assert.InEpsilon(t, closed(200e9), float64(got), 0.01, where)
	}
	// For a time: what the link did not carry meanwhile is added.
	pair := "[cluster]\nprofile = \"ideal\"\ndevices = 2\n[sim]\ndata = \"phantom\"\n[[run]]\nop = \"all_gather\"\nalgorithm = \"mesh\"\nsizes = \"256MiB\"\n"
	healthy := timeOf(t, pair)
	slow := timeOf(t, pair+"[[fault]]\nlink = \"1/0\"\nrate = \"100Gbps\"\nat = \"1ms\"\nfor = \"2ms\"\n")
	assert.InEpsilon(t, float64(healthy+2*sim.Millisecond*3/4), float64(slow), 0.01)
}

// A link that is slower by its latency costs it once a step, of which a ring has 2(p-1).
func TestLatencyOfARing(t *testing.T) {
	healthy := timeOf(t, onStar("ideal", "64KiB", ""))
	late := timeOf(t, onStar("ideal", "64KiB", "[[fault]]\nlink = \"3/0\"\ndirection = \"out\"\nlatency = \"1ms\"\n"))
	assert.Equal(t, healthy+14*sim.Millisecond, late)
}

// A link that stays down ends a collective with a task that failed, at the last retry, and names ranks and link.
func TestLinkDownForEver(t *testing.T) {
	for profile, want := range map[string]struct {
		text  string
		after sim.Time
	}{
		"a2":   {"(post): link error at", 100*sim.Microsecond + 4*4096*32*sim.Nanosecond}, // four time-outs of 4.096 us * 2^5
		"910d": {"(post): link error at", 4 * sim.Second},
	} {
		v := execute(t, onStar(profile, "8MiB", "[[fault]]\nat = \"100us\"\ndevice = 3\ndown = true\n"), Options{}).Variants[0]
		require.Equal(t, OutcomeFailed, v.Outcome, profile)
		require.Len(t, v.Errors, 1)
		assert.Contains(t, v.Errors[0], want.text)
		assert.Contains(t, v.Errors[0], "retry exceeded (completion status 12), from rank ")
		assert.Regexp(t, `rank 3 \(npu3\).*; faults until then: all links of npu3 down from 100us on$`, v.Errors[0])
		assert.Equal(t, Failed, v.Rows[0].Check)
		require.NotNil(t, v.Stall)
		assert.True(t, v.Stall.AfterFailure, "the others wait for the failed task, which is no stall of its own")
		assert.GreaterOrEqual(t, sim.Time(v.EndUS), want.after)
	}
}

// What a failed rank had queued behind waits for its time-outs beyond sim.limit: the failure is named all the same.
func TestLinkDownWithRepetitions(t *testing.T) {
	text := strings.Replace(onStar("a2", "8MiB", "[[fault]]\nat = \"100us\"\ndevice = 3\ndown = true\n"), "all_reduce", "broadcast", 1)
	once := execute(t, text, Options{Sets: []string{"run.algorithm=nhr"}}).Variants[0]
	often := execute(t, text, Options{Sets: []string{"run.algorithm=nhr", "run.iterations=10"}}).Variants[0]
	require.Equal(t, OutcomeFailed, once.Outcome)
	require.Equal(t, OutcomeFailed, often.Outcome)
	require.Contains(t, once.Errors[0], "retry exceeded (completion status 12), from rank ")
	assert.Equal(t, once.Errors[0], often.Errors[0])
}

// A link that is back before the retries end costs its outage and no more than a time-out, and the result is right.
func TestLinkDownForAWhile(t *testing.T) {
	text := strings.Replace(onStar("a2", "8MiB", ""), "phantom", "real", 1)
	healthy := timeOf(t, text)
	v := execute(t, text+"[[fault]]\nat = \"100us\"\nlink = \"3/7\"\ndown = \"300us\"\n", Options{}).Variants[0]
	require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
	assert.Equal(t, Success, v.Rows[0].Check)
	assert.Greater(t, sim.Time(v.Rows[0].TimeUS), healthy+300*sim.Microsecond)
	assert.Less(t, sim.Time(v.Rows[0].TimeUS), healthy+3*131072*sim.Nanosecond+100*sim.Microsecond)
}

// RDMA sends again what is lost or damaged. Compact transport does not: the loss is final, and the task fails.
func TestLoss(t *testing.T) {
	healthy := timeOf(t, onStar("a2", "8MiB", ""))
	for _, what := range []string{"loss = 0.001", `corrupt = "0.1%"`} {
		text := strings.Replace(onStar("a2", "8MiB", "[[fault]]\nlink = \"3/7\"\n"+what+"\n"), "phantom", "real", 1)
		v := execute(t, text, Options{}).Variants[0]
		require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
		assert.Equal(t, Success, v.Rows[0].Check)
		assert.Greater(t, sim.Time(v.Rows[0].TimeUS), healthy)
		bad := v.Network.Drops + v.Network.Corrupt
		assert.Positive(t, bad)
		assert.GreaterOrEqual(t, int64(v.Network.Resent), bad-bad/2, "what was lost of the data was sent again; acknowledgements are not")
	}
	v := execute(t, onStar("910d", "8MiB", "[[fault]]\ndevice = 3\nloss = 0.001\n"), Options{}).Variants[0]
	require.Equal(t, OutcomeFailed, v.Outcome)
	assert.Contains(t, v.Errors[0], "losing 0.1 % of its packets from 0s on")
}

func TestFaultsOfVariants(t *testing.T) {
	text := onStar("a2", "1MiB", "[[fault]]\nlink = \"3/7\"\nrate = \"100Gbps\"\n") + "[[variant]]\nname = \"healthy\"\nfault = []\n" +
		"[[variant]]\nname = \"two\"\n[[variant.fault]]\nlink = \"1/7\"\nlatency = \"5us\"\n[[variant.fault]]\nlink = \"2/7\"\nloss = 0.01\n"
	sc, bad := load(t, text, Options{})
	require.Empty(t, bad)
	var links [][]string
	for _, c := range sc.Variants {
		var of []string
		for _, f := range c.Faults {
			of = append(of, f.Link)
		}
		links = append(links, of)
	}
	assert.Equal(t, [][]string{{"3/7"}, nil, {"1/7", "2/7"}}, links)
	sc, bad = load(t, text, Options{Variant: "two", Sets: []string{`fault[1].loss="5%"`}})
	require.Empty(t, bad)
	assert.EqualValues(t, 50000, sc.Variants[0].Faults[1].PPM)
	sc, bad = load(t, text, Options{Variant: "two", Sets: []string{`fault=[{rank = 1, down = "1us"}]`}})
	require.Empty(t, bad)
	require.Len(t, sc.Variants[0].Faults, 1)
	assert.Equal(t, 1, sc.Variants[0].Faults[0].Rank)
	var keys []string
	for _, kv := range sc.Variants[0].Keys() {
		if strings.HasPrefix(kv.Key, "fault") {
			keys = append(keys, kv.Key+" = "+kv.Value)
		}
	}
	assert.Equal(t, []string{`fault[0].down = "1us"`, "fault[0].rank = 1"}, keys)
	// The same fault later, and one of another kind, stand beside it.
	_, bad = load(t, onStar("a2", "1MiB", "[[fault]]\nlink = \"3/7\"\ndown = \"10us\"\n[[fault]]\nat = \"10us\"\nlink = \"3/7\"\ndown = true\n[[fault]]\nlink = \"3/7\"\nloss = 0.5\n"), Options{})
	require.Empty(t, bad)
}

func TestBadFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"link = \"3/7\"": `sim.toml:13: fault[0]: does not say what is wrong, want one of down, rate, latency, loss or corrupt`,
		"down = true":    `sim.toml:13: fault[0]: does not say where it is, want one of link, device or rank`,
		"link = \"3/7\"\ndown = true\nloss = 0.1":                       `sim.toml:15: fault[0].loss = 0.1: stands beside down, want one of them (try a [[fault]] for each)`,
		"link = \"3/7\"\nrank = 1\ndown = true":                         `sim.toml:14: fault[0].rank = 1: stands beside link, want one of them`,
		"link = \"8/7\"\ndown = true":                                   `sim.toml:13: fault[0].link = "8/7": there is no device 8, the cluster has devices 0 to 7`,
		"link = \"sx0/7\"\ndown = true":                                 "fault[0].link = \"sx0/7\": there is no node sx0, `hsim topo --dot` names them (try sw0)",
		"link = \"3/2\"\ndown = true":                                   `fault[0].link = "3/2": npu3 has no link at port 2, it has links at 0/7, 0/8`,
		"link = \"3\"\ndown = true":                                     `fault[0].link = "3": want DEVICE/PORT such as "0/3"`,
		"link = \"3/x\"\ndown = true":                                   `fault[0].link = "3/x": want DEVICE/PORT`,
		"device = 8\ndown = true":                                       `fault[0].device = 8: the cluster has devices 0 to 7`,
		"rank = 8\ndown = true":                                         `fault[0].rank = 8: the cluster has ranks 0 to 7`,
		"link = \"3/7\"\ndown = false":                                  `fault[0].down = false: want how long, such as "500us", or true, which is for ever`,
		"link = \"3/7\"\ndown = \"0\"":                                  `fault[0].down = "0": want how long`,
		"link = \"3/7\"\ndown = \"1us\"\nfor = \"2us\"":                 `fault[0].for = "2us": fault.down says how long already (try one of the two)`,
		"link = \"3/7\"\nrate = \"0Gbps\"":                              `fault[0].rate = "0Gbps": `,
		"link = \"3/7\"\nrate = \"200Gbps\"":                            `fault[0].rate = "200Gbps": the link runs at 200Gbps, want less: a fault makes it slower`,
		"link = \"3/7\"\nlatency = \"0\"":                               `fault[0].latency = "0": want more than 0`,
		"link = \"3/7\"\nlatency = \"-1us\"":                            `fault[0].latency = "-1us": `,
		"link = \"3/7\"\nloss = 0":                                      `fault[0].loss = 0: want a share of more than 0 and at most 1, such as 0.01 or "1%"`,
		"link = \"3/7\"\nloss = 1.5":                                    `fault[0].loss = 1.5: want a share`,
		"link = \"3/7\"\ncorrupt = \"101%\"":                            `fault[0].corrupt = "101%": want a share`,
		"link = \"3/7\"\ncorrupt = \"nan%\"":                            `fault[0].corrupt = "nan%": want a share`,
		"link = \"3/7\"\nloss = 0.1\nfor = \"0\"":                       `fault[0].for = "0": want more than 0`,
		"link = \"3/7\"\nloss = 0.1\nat = \"3h\"":                       `fault[0].at = "3h": the run ends at 7200s (sim.limit), before the fault`,
		"link = \"3/7\"\nloss = 0.1\ndirection = \"up\"":                `fault[0].direction = "up": want one of both, out, in`,
		"link = \"3/7\"\nlose = 0.1":                                    `fault[0].lose = 0.1: unknown key (try fault[0].loss)`,
		"link = \"3/7\"\nloss = 0.1\n[[fault]]":                         `fault[1] = {...}: is empty`,
		"rank = 3\nloss = 0.1\n[[fault]]\nlink = \"sw0/3\"\nloss = 0.2": `sim.toml:17: fault[1].loss = 0.2: at the same time fault[0] (sim.toml:14) has loss on sw0:0/3 - npu3:0/7, want one`,
	} {
		text := refused(t, t.TempDir(), onStar("a2", "1MiB", "[[fault]]\n"+fault+"\n"), Options{})
		assert.Contains(t, text, want, fault)
		assert.NotContains(t, text, "\n", "one mistake, one line: %s", fault)
	}
	for set, want := range map[string]string{
		"fault[3].link=1/1": `--set fault[3].link=1/1: fault[3].link = "1/1": there is no fault[3], the list ends before it (try --set 'fault=[{...}]' for a new list)`,
		"fault.link=1/1":    `--set fault.link=1/1: fault.link = "1/1": unknown key (try fault[0].link)`,
	} {
		assert.Equal(t, want, refused(t, t.TempDir(), onStar("a2", "1MiB", "[[fault]]\nlink = \"3/7\"\ndown = true\n"), Options{Sets: []string{set}}))
	}
	twoDies := refused(t, t.TempDir(), onStar("910d", "1MiB", "[cluster.topology]\nkind = \"mesh-clos\"\n[[fault]]\nlink = \"0/3\"\ndown = true\n"), Options{})
	assert.Contains(t, twoDies, `fault[0].link = "0/3": npu0 has a port 3 on each of 2 dies (try "0/0/3" or "0/1/3")`)
}
