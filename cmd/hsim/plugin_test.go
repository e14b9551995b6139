package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPluginInspect(t *testing.T) {
	r := hsim(t, repository, "plugin", "inspect", "plugins/rdma/rdma.wasm")
	require.Equal(t, 0, r.code, r.stderr)
	for _, want := range []string{`(?m)^kind +transport, version 1$`, `(?m)^features +reliable, .*notify_with_write`, `(?m)^mtu +bytes +4KiB `} {
		assert.Regexp(t, regexp.MustCompile(want), r.stdout)
	}
	r = hsim(t, repository, "plugin", "inspect", "plugins/kernels/kernels.wasm")
	assert.Contains(t, r.stdout, "add_bf16, add_fp16, add_fp32, add_int32")
	r = hsim(t, repository, "plugin", "inspect", "--as", "kernel", "plugins/rdma/rdma.wasm")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "got another kind of plugin")
	r = hsim(t, repository, "plugin", "inspect", "sim.toml")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "sim.toml")
}
