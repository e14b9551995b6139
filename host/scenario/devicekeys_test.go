package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/topo/ranktable"
)

const fourA2 = "[cluster]\nprofile = \"a2\"\ndevices = 4\ntopology = \"star\"\n"
const gatherOne = "[[run]]\nop = \"all_gather\"\nsizes = \"1MiB\"\n"

// A smaller packet of one device is what its connections use, and the headers of more packets cost what they cost; a
// forced one fails the connection, by name.
func TestMTUOfADevice(t *testing.T) {
	plain := execute(t, fourA2+gatherOne, Options{}).Variants[0]
	small := execute(t, fourA2+gatherOne+"[[device]]\nid = 2\nmtu = \"1KiB\"\n", Options{}).Variants[0]
	require.Equal(t, OutcomeOK, small.Outcome, small.Errors)
	assert.Equal(t, Success, small.Rows[0].Check)
	assert.Greater(t, small.Rows[0].TimeUS, plain.Rows[0].TimeUS)
	bytes := func(v *VariantReport, port string) int64 {
		for _, p := range v.Network.Ports {
			if p.Port == port {
				return p.Bytes
			}
		}
		return 0
	}
	assert.Greater(t, bytes(small, "npu2:0/7"), bytes(plain, "npu2:0/7"))

	forced := execute(t, fourA2+gatherOne+"[[device]]\nid = 2\nmtu = 1024\nmtu_forced = true\n", Options{}).Variants[0]
	require.Equal(t, OutcomeFailed, forced.Outcome)
	assert.Contains(t, forced.Errors[0], "packet of 4096 bytes to npu2: its MTU is 1024 (try mtu_forced = false")
	assert.Contains(t, forced.Errors[0], "to rank 2 (npu2)")
}

// The address of an adapter must be that of the rank table.
func TestAddressOfADevice(t *testing.T) {
	sc, bad := load(t, fourA2+gatherOne+"[[device]]\nid = 1\nip = \"192.168.7.9\"\n", Options{})
	require.Empty(t, bad)
	cl, err := sc.Variants[0].Named()
	require.NoError(t, err)
	files, err := ranktable.Export(cl)
	require.NoError(t, err)
	assert.Contains(t, string(files.RankTable), "192.168.7.9")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "table.json"), files.RankTable, 0o600))
	from := "[cluster]\nprofile = \"a2\"\nrank_table = \"table.json\"\n" + gatherOne + "[[device]]\nid = 1\nip = "
	_, err = LoadText("sim.toml", dir, from+"\"192.168.7.9\"\n", Options{})
	require.NoError(t, err)
	got := refused(t, dir, from+"\"192.168.7.8\"\n", Options{})
	assert.Contains(t, got, `sim.toml:3: cluster.rank_table = "table.json": EI0014`)
	assert.Contains(t, got, `"192.168.7.8", the address of the network adapter (try the same address in both)`)
}

func TestBadDevices(t *testing.T) {
	for keys, want := range map[string]string{
		"mtu = 1024":                 `sim.toml:9: device[0]: does not say which device it is (try id = 0)`,
		"id = 4":                     `sim.toml:9: device[0].id = 4: the cluster has devices 0 to 3`,
		"id = 1\n[[device]]\nid = 1": `sim.toml:11: device[1].id = 1: device[0] is the same device, want one table for each`,
		"id = 1\nip = \"1.2.3\"":     `device[0].ip = "1.2.3": want a valid IP address (try "192.168.1.8")`,
		"id = 1\nip = \"1.2.3.4\"\n[[device]]\nid = 2\nip = \"1.2.3.4\"": `device[1].ip = "1.2.3.4": device[0] has this address, want one for each`,
		"id = 1\nmtu = 1000":        `device[0].mtu = 1000: want 256, 512, 1024, 2048, 4096 or 8192`,
		"id = 1\nmtu = 128":         `device[0].mtu = 128: want 256 to 8192 bytes`,
		"id = 1\nmtu = 8192":        `device[0].mtu = 8192: ROCE: plugin rdma: parameter mtu: the plugin refuses the value 8192 (status -1, invalid), mtu is: payload of a full packet: 256, 512, 1024, 2048 or 4096`,
		"id = 1\nmtu_forced = true": `device[0].mtu_forced = true: has no meaning without device.mtu`,
		"id = 1\ntls = true":        `device[0].tls = true: HcclCommInit: HCCL_E_PARA (1), EI0016: TLS is on at rank 1 and off at ranks 0, 2, 3, want all or none`,
		"id = 1\ntls = \"yes\"":     `device[0].tls = "yes": want true or false, without quotes`,
	} {
		assert.Contains(t, refused(t, t.TempDir(), fourA2+gatherOne+"[[device]]\n"+keys+"\n", Options{}), want, keys)
	}
	all := fourA2 + gatherOne
	for _, id := range []string{"0", "1", "2", "3"} {
		all += "[[device]]\nid = " + id + "\ntls = true\n"
	}
	assert.Equal(t, OutcomeOK, execute(t, all, Options{}).Outcome, "all agree")
	one := strings.Replace(fourA2, `"a2"`, `"950dt"`, 1) + gatherOne + "[[device]]\nid = 1\ntls = true\n"
	assert.Equal(t, OutcomeOK, execute(t, one, Options{}).Outcome, "950 does not compare")
}
