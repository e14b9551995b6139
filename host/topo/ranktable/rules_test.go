package ranktable

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/topo/form"
)

// one is a good table; the rules below change one thing in it.
const (
	servers10 = `{"status": "completed", "version": "1.0", "server_count": "2", "server_list": [
 {"server_id": "a", "host_ip": "10.1.0.1", "device": [
  {"device_id": "0", "device_ip": "10.0.0.1", "device_port": "16666", "rank_id": "0"},
  {"device_id": "1", "device_ip": "10.0.0.2", "rank_id": "1"}]},
 {"server_id": "b", "device": [
  {"device_id": "0", "device_ip": "10.0.0.3", "rank_id": "2"},
  {"device_id": "1", "device_ip": "10.0.0.4", "rank_id": "3"}]}]}`
	pods12 = `{"status": "completed", "version": "1.2", "server_count": "2", "server_list": [
 {"server_id": "a", "device": [
  {"device_id": "0", "super_device_id": "0", "device_ip": "10.0.0.1", "device_port": "16666", "backup_device_ip": "10.0.0.2", "backup_device_port": "16667", "rank_id": "0"},
  {"device_id": "1", "super_device_id": "1", "device_ip": "10.0.0.2", "device_port": "16666", "backup_device_ip": "10.0.0.1", "rank_id": "1"}]},
 {"server_id": "b", "device": [
  {"device_id": "0", "super_device_id": "0", "device_ip": "10.0.0.3", "rank_id": "2"},
  {"device_id": "1", "super_device_id": "1", "device_ip": "10.0.0.4", "rank_id": "3"}]}],
 "super_pod_list": [
 {"super_pod_id": "p", "server_list": [{"server_id": "a"}]},
 {"super_pod_id": "q", "server_list": [{"server_id": "b"}]}]}`
	groups2 = `{"status": "completed", "group_count": "1", "group_list": [
 {"group_name": "w", "instance_count": "2", "device_count": "2", "instance_list": [
  {"pod_name": "x", "server_id": "a", "devices": [{"device_id": "0", "device_ip": "10.0.0.1"}]},
  {"pod_name": "y", "server_id": "b", "devices": [{"device_id": "1", "device_ip": "10.0.0.2"}]}]}]}`
	nodes11 = `{"status": "completed", "version": "1.1", "collective_id": "c", "master_ip": "10.1.0.1", "master_port": "18000", "node_list": [
 {"node_addr": "10.1.0.1", "ranks": [
  {"rank_id": "0", "device_id": "0", "rank_ip": "10.0.0.1", "port": "60008"},
  {"rank_id": "1", "device_id": "-1", "port": "5555"}]},
 {"node_addr": "10.1.0.2", "ranks": [{"rank_id": "2", "device_id": "1"}]}]}`
	ranks20 = `{"status": "completed", "version": "2.0", "rank_count": 2, "rank_list": [
 {"rank_id": 0, "device_id": 0, "local_id": 0, "device_port": 16666, "host_port": 60001, "level_list": [
  {"net_layer": 0, "net_instance_id": "pod0", "net_type": "TOPO_FILE_DESC", "net_attr": "", "rank_addr_list": [
   {"addr_type": "EID", "addr": "000000000000000000100000dfdf0020", "ports": ["1/0"], "plane_id": "p"}]},
  {"net_layer": 1, "net_instance_id": "az", "net_type": "CLOS", "rank_addr_list": [
   {"addr_type": "IPV4", "addr": "10.0.0.1", "ports": ["0/4", "0/5"]}]}]},
 {"rank_id": 1, "device_id": 1, "local_id": 1, "level_list": [
  {"net_layer": 0, "net_instance_id": "pod0", "net_type": "TOPO_FILE_DESC", "rank_addr_list": []},
  {"net_layer": 3, "net_instance_id": "az", "net_type": "CLOS", "rank_addr_list": [
   {"addr_type": "IPV4", "addr": "10.0.0.2", "ports": ["d2h"]}]}]}]}`
)

func TestGoodTables(t *testing.T) {
	for _, c := range []struct {
		text, profile string
		ranks         int
	}{
		{servers10, "910", 4}, {servers10, "a2", 4}, {servers10, "a3", 4}, {servers10, "", 4},
		{pods12, "a3", 4}, {groups2, "910", 2}, {groups2, "a2", 2}, {nodes11, "910", 3}, {ranks20, "950dt", 2}, {ranks20, "ideal", 2},
	} {
		o := Options{}
		if c.profile != "" {
			o.Chip = chip(t, c.profile)
		}
		table, err := Parse("t.json", []byte(c.text), o)
		require.NoError(t, err, c.profile)
		require.Len(t, table.Ranks, c.ranks)
		require.Empty(t, table.Notes)
		for i, r := range table.Ranks {
			require.Equal(t, i, r.ID)
		}
	}
}

// Each rule: what is replaced in a good table, and the fault that comes of it.
func TestRules(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, c := range []struct {
		text, profile, old, new, want string
	}{
		{servers10, "a2", `"server_count": "2"`, `"server_count": "3"`, `EI0014 t.json:1: server_count: got "3", want 2, the length of server_list`},
		{servers10, "a2", `"server_count": "2"`, `"server_count": "0"`, `EI0014 t.json:1: server_count: got "0", want a whole number from 1 to 65536 as a string of digits`},
		{servers10, "a2", `"server_count": "2"`, `"server_count": 2`, `EI0014 t.json:1: server_count: got 2, a number, want a whole number from 1 to 65536 as a string of digits (try "2")`},
		{servers10, "a2", `"completed"`, `"initializing"`, `EI0014 t.json:1: status: got "initializing", want "completed"`},
		{servers10, "a2", `"version": "1.0", `, ``, `EI0017 t.json:1: version: got no such key, want the version of the format: 1.0 or 1.1`},
		{servers10, "950dt", ``, ``, `EI0014 t.json:1: version: got "1.0", want "2.0": profile "950dt" is generation 950 (try a profile of the generation that the table was written for: 910 or a2)`},
		{servers10, "a2", `"server_id": "b"`, `"server_id": "a"`, `EI0014 t.json:5: server_list[1].server_id: got "a", want every server once (try the devices of both entries in one)`},
		{servers10, "a2", `"server_id": "a"`, `"server_id": ""`, `EI0014 t.json:2: server_list[0].server_id: got "", want a name of 1 to 64 characters`},
		{servers10, "a2", `"server_id": "a"`, `"server_id": "` + long + `"`, `EI0014 t.json:2: server_list[0].server_id: got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"..., want a name of 1 to 64 characters: it has 65 characters`},
		{servers10, "a2", `"host_ip": "10.1.0.1"`, `"host_ip": "10.1.0.256"`, `EI0014 t.json:2: server_list[0].host_ip: got "10.1.0.256", want a valid IP address`},
		{servers10, "910", `"device_id": "1", "device_ip": "10.0.0.2"`, `"device_id": "8", "device_ip": "10.0.0.2"`, `EI0014 t.json:4: server_list[0].device[1].device_id: got "8", want a whole number from 0 to 7 as a string of digits`},
		{servers10, "a2", `"device_id": "1", "device_ip": "10.0.0.2"`, `"device_id": "0", "device_ip": "10.0.0.2"`, `EI0014 t.json:4: server_list[0].device[1].device_id: got "0", want every device of a server once`},
		{servers10, "a2", `"device_id": "1", "device_ip": "10.0.0.2"`, `"device_id": 1, "device_ip": "10.0.0.2"`, `EI0014 t.json:4: server_list[0].device[1].device_id: got 1, a number, want a whole number from 0 to 15 as a string of digits (try "1")`},
		{servers10, "a2", `"device_port": "16666"`, `"device_port": "0"`, `EI0014 t.json:3: server_list[0].device[0].device_port: got "0", want a whole number from 1 to 65535 as a string of digits`},
		{servers10, "a2", `"device_port": "16666"`, `"device_port": "65536"`, `EI0014 t.json:3: server_list[0].device[0].device_port: got "65536", want a whole number from 1 to 65535 as a string of digits`},
		{servers10, "a2", `"rank_id": "3"`, `"rank_id": "4"`, `EI0014 t.json:7: server_list[1].device[1].rank_id: got "4", want the ids 0 to 3, each once: the table has 4 ranks`},
		{servers10, "a2", `"rank_id": "3"`, `"rank_id": "2"`, `EI0014 t.json:7: server_list[1].device[1].rank_id: got "2", want every id once`},
		{servers10, "a2", `"rank_id": "3"`, `"rank_id": "0x3"`, `EI0014 t.json:7: server_list[1].device[1].rank_id: got "0x3", want a whole number from 0 to 65535 as a string of digits`},
		{servers10, "a2", `"device_ip": "10.0.0.4"`, `"device_ip": "10.0.0.1"`, `EI0014 t.json:7: server_list[1].device[1].device_ip: got "10.0.0.1", want every address once`},
		{servers10, "a2", `"device_ip": "10.0.0.4", `, ``, `EI0017 t.json:7: server_list[1].device[1].device_ip: got no such key, want a valid IP address: several servers reach each other over it`},
		{servers10, "a2", `"10.0.0.4"`, `""`, `EI0014 t.json:7: server_list[1].device[1].device_ip: got "", want a valid IP address`},
		{servers10, "a2", `"10.0.0.4"`, `"10.0.0.4,10.0.1.4"`, `EI0014 t.json:7: server_list[1].device[1].device_ip: got 2 of them, want as many addresses as the first rank has: 1`},
		{servers10, "a2", `"10.0.0.4"`, `"fe80::4"`, `EI0001 t.json:7: server_list[1].device[1]: got "fe80::4" of family 10 at rank 3, want addresses of one family: the first is of family 2 (2 is IPv4, 10 is IPv6)`},
		{servers10, "910", `{"device_id": "1", "device_ip": "10.0.0.4", "rank_id": "3"}`, `{"device_id": "1", "device_ip": "10.0.0.4", "rank_id": "3"}, {"device_id": "2", "device_ip": "10.0.0.5", "rank_id": "4"}`,
			`EI0014 t.json:5: server_list[1].device: got 3 devices, want 1, 2, 4 or 8 devices of a server: the first generation has no other groups (try profile a2, which takes any number)`},
		{servers10, "910", `"device_id": "1", "device_ip": "10.0.0.4"`, `"device_id": "5", "device_ip": "10.0.0.4"`, `EI0010 t.json:5: server_list[1].device: got the devices 0 and 5, want devices of one plane: 0 to 3 or 4 to 7`},
		{servers10, "910", `,
  {"device_id": "1", "device_ip": "10.0.0.4", "rank_id": "3"}`, ``, `EI0014 t.json:5: server_list[1].device: got 1 device, want 2, as many as the first server has`},
		{servers10, "a2", `"device": [
  {"device_id": "0", "device_ip": "10.0.0.3", "rank_id": "2"},
  {"device_id": "1", "device_ip": "10.0.0.4", "rank_id": "3"}]`, `"device": []`, `EI0014 t.json:5: server_list[1].device: got 0 entries, want at least one of objects`},

		{pods12, "a3", `"super_pod_id": "q"`, `"super_pod_id": "p"`, `EI0014 t.json:10: super_pod_list[1].super_pod_id: got "p", want every superpod once`},
		{pods12, "a3", `"super_pod_id": "q"`, `"super_pod_id": ""`, `EI0014 t.json:10: super_pod_list[1].super_pod_id: got "", want a name of 1 to 128 characters`},
		{pods12, "a3", `[{"server_id": "b"}]`, `[{"server_id": "c"}]`, `EI0014 t.json:10: super_pod_list[1].server_list[0].server_id: got "c", want a server_id of the server_list above`},
		{pods12, "a3", `[{"server_id": "b"}]`, `[{"server_id": "a"}]`, `EI0014 t.json:10: super_pod_list[1].server_list[0].server_id: got "a", want every server in one superpod`},
		{pods12, "a3", `"super_device_id": "1", "device_ip": "10.0.0.2"`, `"super_device_id": "0", "device_ip": "10.0.0.2"`, `EI0014 t.json:4: server_list[0].device[1].super_device_id: got "0", want every id once in a superpod`},
		{pods12, "a3", `"super_device_id": "1", "device_ip": "10.0.0.2"`, `"device_ip": "10.0.0.2"`, `EI0017 t.json:4: server_list[0].device[1].super_device_id: got no such key, want it on every device, as it is on some`},
		{pods12, "a3", `"backup_device_ip": "10.0.0.2"`, `"backup_device_ip": "10.0.0.3"`, `EI0014 t.json:3: server_list[0].device[0].backup_device_ip: got "10.0.0.3", want "10.0.0.2", the device_ip of device 1: the other die of the package`},
		{pods12, "a3", `"backup_device_port": "16667"`, `"backup_device_port": "16666"`, `EI0014 t.json:3: server_list[0].device[0].backup_device_port: got "16666", want another port than 16666, on which device 1 listens itself`},

		{groups2, "a2", `"group_count": "1"`, `"group_count": "2"`, `EI0014 t.json:1: group_count: got "2", want 1, what group_list has`},
		{groups2, "a2", `"device_count": "2"`, `"device_count": "3"`, `EI0014 t.json:2: group_list[0].device_count: got "3", want 2, what instance_list has`},
		{groups2, "a3", ``, ``, `EI0014 t.json:1: group_list: got the template with group_list, want server_list or rank_list: profile "a3" is generation A3 (try profile 910 or a2)`},

		{nodes11, "910", `"node_addr": "10.1.0.2"`, `"node_addr": "10.1.0.1"`, `EI0014 t.json:5: node_list[1].node_addr: got "10.1.0.1", want every node once`},
		{nodes11, "910", `"device_id": "-1"`, `"device_id": "-2"`, `EI0014 t.json:4: node_list[0].ranks[1].device_id: got "-2", want a whole number from -1 to 7 as a string of digits`},
		{nodes11, "910", `"master_port": "18000"`, `"master_port": "x"`, `EI0014 t.json:1: master_port: got "x", want a whole number from 1 to 65535 as a string of digits`},
		{nodes11, "a3", ``, ``, `EI0014 t.json:1: version: got "1.1", want "1.2", or "1.0" for single servers: profile "a3" is generation A3 (try a profile of the generation that the table was written for: 910 or a2)`},

		{ranks20, "950dt", `"rank_count": 2`, `"rank_count": 3`, `EI0014 t.json:1: rank_count: got 3, want 2, the length of rank_list`},
		{ranks20, "950dt", `"rank_count": 2`, `"rank_count": "2"`, `EI0014 t.json:1: rank_count: got "2", a string, want a whole number from 1 to 65536 (try 2 without quotes)`},
		{ranks20, "950dt", `"rank_count": 2`, `"rank_count": 2.5`, `EI0014 t.json:1: rank_count: got 2.5, want a whole number from 1 to 65536`},
		{ranks20, "950dt", `"rank_id": 1`, `"rank_id": 0`, `EI0014 t.json:7: rank_list[1].rank_id: got 0, want every id once`},
		{ranks20, "950dt", `"local_id": 1`, `"local_id": 65`, `EI0014 t.json:7: rank_list[1].local_id: got 65, want a whole number from 0 to 64`},
		{ranks20, "950dt", `"local_id": 1`, `"local_id": 0`, `EI0014 t.json:7: rank_list[1].local_id: got 0, want every local_id of "pod0" once`},
		{ranks20, "950dt", `"local_id": 1`, `"local_id": 64`, `EI0017 t.json:7: rank_list[1].replaced_local_id: got no such key, want the local_id that the backup device stands in for`},
		{ranks20, "950dt", `"local_id": 1`, `"local_id": 64, "replaced_local_id": 64`, `EI0014 t.json:7: rank_list[1].replaced_local_id: got 64, want a whole number from 0 to 63`},
		{ranks20, "950dt", `"local_id": 1`, `"local_id": 64, "replaced_local_id": 0`, `EI0014 t.json:7: rank_list[1].replaced_local_id: got 0, want the local_id of a device that is not in the table`},
		{ranks20, "950dt", `"device_id": 1`, `"device_id": 65`, `EI0014 t.json:7: rank_list[1].device_id: got 65, want a whole number from 0 to 64`},
		{ranks20, "950dt", `"host_port": 60001`, `"host_port": 0`, `EI0014 t.json:2: rank_list[0].host_port: got 0, want a whole number from 1 to 65535`},
		{ranks20, "950dt", `"net_layer": 3`, `"net_layer": 8`, `EI0014 t.json:9: rank_list[1].level_list[1].net_layer: got 8, want a whole number from 0 to 7`},
		{ranks20, "950dt", `"net_layer": 3`, `"net_layer": 0`, `EI0014 t.json:9: rank_list[1].level_list[1].net_layer: got 0, want every layer of a rank once`},
		{ranks20, "950dt", `"net_instance_id": "pod0", "net_type": "TOPO_FILE_DESC", "net_attr"`, `"net_instance_id": "", "net_type": "TOPO_FILE_DESC", "net_attr"`, `EI0014 t.json:3: rank_list[0].level_list[0].net_instance_id: got "", want a name of 1 to 1024 characters`},
		{ranks20, "950dt", `"net_type": "CLOS", "rank_addr_list": [
   {"addr_type": "IPV4", "addr": "10.0.0.2"`, `"net_type": "MESH", "rank_addr_list": [
   {"addr_type": "IPV4", "addr": "10.0.0.2"`, `EI0014 t.json:9: rank_list[1].level_list[1].net_type: got "MESH", want one of TOPO_FILE_DESC, CLOS`},
		{ranks20, "950dt", `"addr_type": "EID"`, `"addr_type": "GID"`, `EI0014 t.json:4: rank_list[0].level_list[0].rank_addr_list[0].addr_type: got "GID", want one of EID, IPV4, IPV6`},
		{ranks20, "950dt", `000000000000000000100000dfdf0020`, `00000000000000000010000dfdf0020`, `EI0014 t.json:4: rank_list[0].level_list[0].rank_addr_list[0].addr: got "00000000000000000010000dfdf0020", want 32 hex digits, as addr_type EID says`},
		{ranks20, "950dt", `"addr": "10.0.0.1"`, `"addr": "::1"`, `EI0014 t.json:6: rank_list[0].level_list[1].rank_addr_list[0].addr: got "::1", want an address of the family that addr_type says: IPV4`},
		{ranks20, "950dt", `"addr_type": "IPV4", "addr": "10.0.0.1"`, `"addr_type": "IPV6", "addr": "::1"`, `EI0001 t.json:7: rank_list[1]: got "10.0.0.2" of family 2 at rank 1, want addresses of one family: the first is of family 10 (2 is IPv4, 10 is IPv6)`},
		{ranks20, "950dt", `["1/0"]`, `[]`, `EI0014 t.json:4: rank_list[0].level_list[0].rank_addr_list[0].ports: got 0 entries, want at least one of ports`},
		{ranks20, "950dt", `["1/0"]`, `["1-0"]`, `EI0014 t.json:4: rank_list[0].level_list[0].rank_addr_list[0].ports[0]: got "1-0", want a port "die/port" such as "0/3", or "d2h"`},
		{ranks20, "950dt", `["1/0"]`, `["` + strings.Repeat(`1/0","`, 16) + `1/1"]`, `EI0014 t.json:4: rank_list[0].level_list[0].rank_addr_list[0].ports: got 17 entries, want 1 to 16 ports`},
		{ranks20, "950dt", `"status": "completed", `, `"detour": "sad", `, `EI0014 t.json:1: detour: got "sad", want one of true, false`},
		{ranks20, "a2", ``, ``, `EI0014 t.json:1: version: got "2.0", want "1.0" (or "1.1"): profile "a2" is generation A2 (try a profile of the generation that the table was written for: 950dt or 950pr)`},
	} {
		text := c.text
		if c.old != "" {
			text = strings.Replace(text, c.old, c.new, 1)
			require.NotEqual(t, c.text, text, c.old)
		}
		_, err := Parse("t.json", []byte(text), Options{Chip: chip(t, c.profile)})
		var all *form.Faults
		require.True(t, errors.As(err, &all), "%s -> %s: %v", c.old, c.new, err)
		var got []string
		for _, f := range all.List {
			got = append(got, f.Error())
		}
		require.Contains(t, got, c.want, "%s", strings.Join(got, "\n"))
	}
}

// Limits that take long lists.
func TestLongLists(t *testing.T) {
	addr := `{"addr_type": "EID", "addr": "000000000000000000100000dfdf0020", "ports": ["1/0"], "plane_id": "p"}`
	_, err := Parse("t.json", []byte(strings.Replace(ranks20, addr, addr+strings.Repeat(","+addr, 24), 1)), Options{})
	require.EqualError(t, err, `EI0014 t.json:3: rank_list[0].level_list[0].rank_addr_list: got 25 entries, want 0 to 24 objects`)
	level := `{"net_layer": 3, "net_instance_id": "az", "net_type": "CLOS", "rank_addr_list": [`
	var more strings.Builder
	for layer := range 8 {
		fmt.Fprintf(&more, `{"net_layer": %d, "net_instance_id": "az", "net_type": "CLOS", "rank_addr_list": []},`, layer)
	}
	_, err = Parse("t.json", []byte(strings.Replace(ranks20, level, more.String()+level, 1)), Options{})
	require.ErrorContains(t, err, `rank_list[1].level_list: got 10 entries, want 1 to 8 objects`)
}

func TestNotes(t *testing.T) {
	text := strings.Replace(servers10, `"server_count": "2", `, `"az": 1, `, 1)
	text = strings.ReplaceAll(text, `"rank_id"`, `"dpu_ip": "10.9.9.9", "rank_id"`)
	table, err := Parse("t.json", []byte(text), Options{})
	require.NoError(t, err)
	require.Equal(t, []form.Note{
		{File: "t.json", Text: "server_count is missing; the 2 servers of server_list count"},
		{File: "t.json", Line: 1, Text: "keys that hsim does not read: az, dpu_ip"}}, table.Notes)

	text = strings.Replace(pods12, `"super_pod_list"`, `"pods"`, 1)
	table, err = Parse("t.json", []byte(text), Options{Chip: chip(t, "a3")})
	require.NoError(t, err)
	require.Contains(t, table.Notes[0].Text, "server mode")

	two := strings.Replace(groups2, `"group_count": "1"`, `"group_count": "2"`, 1)
	group := two[strings.Index(two, ` {"group_name"`) : len(two)-2]
	two = two[:len(two)-2] + "," + strings.Replace(group, `"w"`, `"v"`, 1) + "]}"
	table, err = Parse("t.json", []byte(two), Options{Chip: chip(t, "910")})
	require.NoError(t, err)
	require.Len(t, table.Ranks, 2, "a device of two groups is one rank")
	require.Contains(t, table.Notes[0].Text, "2 groups are merged into hccl_world_group")
}

// Programs see the devices 4 and 7 as 0 and 1; a table names them by their
// physical ids.
func TestVisibleDevices(t *testing.T) {
	visible := []int{4, 7}
	_, err := Parse("t.json", []byte(servers10), Options{Chip: chip(t, "a2"), Visible: visible})
	var f *form.Fault
	require.True(t, errors.As(err, &f))
	require.Equal(t, form.Unavail, f.Result)
	require.Equal(t, `EI0014 t.json:3: server_list[0].device[0].device_id: got 0, want the physical id (devicePhyId) of a visible device: 4, 7 (try device_id 4: logic id 0 is that device)`, f.Error())

	text := strings.NewReplacer(`"device_id": "0"`, `"device_id": "4"`, `"device_id": "1"`, `"device_id": "7"`).Replace(servers10)
	table, err := Parse("t.json", []byte(text), Options{Chip: chip(t, "a2"), Visible: visible})
	require.NoError(t, err)
	c, _, err := table.Cluster(nil, chip(t, "a2"), 0)
	require.NoError(t, err)
	c.Visible = visible
	for server := range 2 {
		for logic, d := range c.Logic(server) {
			require.EqualValues(t, visible[logic], c.Graph.Nodes[d].Index)
			require.EqualValues(t, server, c.Graph.Nodes[d].Server)
			require.Equal(t, 2*server+logic, c.RankOf(d))
		}
	}
	// in the mesh of eight, the ports are those towards device 7 and device 4
	var ports []string
	for _, l := range c.Graph.Links {
		if l.Layer == 0 {
			ports = append(ports, c.Graph.PortName(l.A)+" "+c.Graph.PortName(l.B))
		}
	}
	require.Equal(t, []string{"npu0:0/6 npu1:0/4", "npu2:0/6 npu3:0/4"}, ports)
}

// The address of the adapter and that of the table must agree.
func TestCheckIP(t *testing.T) {
	table, err := Parse("t.json", []byte(servers10), Options{})
	require.NoError(t, err)
	require.NoError(t, table.CheckIP(1, "10.0.0.2"))
	require.EqualError(t, table.CheckIP(1, "10.0.0.9"),
		`EI0014 t.json:4: server_list[0].device[1].device_ip: got "10.0.0.2", want "10.0.0.9", the address of the network adapter (try the same address in both)`)
}

// Ranks on the host's CPU run on the host node of their server.
func TestHostRanks(t *testing.T) {
	table, err := Parse("t.json", []byte(nodes11), Options{Chip: chip(t, "910")})
	require.NoError(t, err)
	c, _, err := table.Cluster(nil, chip(t, "910"), 0)
	require.NoError(t, err)
	require.Equal(t, 2, c.Graph.Devices)
	require.Equal(t, "host0", c.Graph.Nodes[c.Ranks[1].Node].Name)
	require.Equal(t, []string{"10.1.0.1", "10.1.0.2"}, c.HostIPs)
}

// A level that needs the topology file says so.
func TestNeedsTopology(t *testing.T) {
	table, err := Parse("t.json", []byte(ranks20), Options{Chip: chip(t, "950dt")})
	require.NoError(t, err)
	_, _, err = table.Cluster(nil, chip(t, "950dt"), 0)
	require.EqualError(t, err, `EI0004 t.json:2: rank_list[0].level_list: got net_type TOPO_FILE_DESC and no topology file, want the topology file that says how the devices are wired (try --topo FILE, or topo = "FILE" under [cluster])`)

	text := strings.ReplaceAll(ranks20, "TOPO_FILE_DESC", "CLOS")
	text = strings.Replace(text, `"net_layer": 3`, `"net_layer": 1`, 1)
	text = strings.Replace(text, `"d2h"`, `"0/4"`, 1)
	table, err = Parse("t.json", []byte(text), Options{Chip: chip(t, "950dt")})
	require.NoError(t, err)
	c, _, err := table.Cluster(nil, chip(t, "950dt"), 0)
	require.NoError(t, err)
	info, ok := c.Graph.PathInfo(0, 1, c.Chip.ScaleUp)
	require.True(t, ok)
	require.Equal(t, 2, info.Hops)
}

// One server needs no addresses; an empty one is legal on the first generation
// alone.
func TestOneServerNeedsNoAddresses(t *testing.T) {
	one := `{"version": "1.0", "server_count": "1", "server_list": [{"server_id": "0", "device": [
 {"device_id": "0", "rank_id": "0"IP}, {"device_id": "1", "rank_id": "1"IP}]}]}`
	for _, c := range []struct{ ip, profile, want string }{
		{``, "910", ""}, {``, "a2", ""}, {``, "a3", ""},
		{`, "device_ip": ""`, "910", ""},
		{`, "device_ip": ""`, "a2", `server_list[0].device[0].device_ip: got "", want a valid IP address (try the table without device_ip)`},
		{`, "device_ip": "10.0.0.1,10.0.1.1"`, "910", ""},
		{`, "device_ip": "10.0.0.1,"`, "910", `want a valid IP address`},
	} {
		text := strings.Replace(strings.ReplaceAll(one, "IP", c.ip), "10.0.0.1,10.0.1.1", "10.0.0.2,10.0.1.2", 1)
		table, err := Parse("t.json", []byte(text), Options{Chip: chip(t, c.profile)})
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		cl, _, err := table.Cluster(nil, chip(t, c.profile), 0)
		require.NoError(t, err)
		require.Len(t, cl.Ranks, 2)
	}
}
