package formtest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// A value copied into itself over and over would double the document each time.
func TestMutateStaysSmall(t *testing.T) {
	out := Mutate(`{"a": [{"b": [1, 2, 3]}]}`, bytes.Repeat([]byte{0x82}, 1024))
	require.Less(t, len(out), 1<<20)
}
