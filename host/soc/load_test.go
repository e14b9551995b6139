package soc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEmbeddedProfilesLoad(t *testing.T) {
	for _, n := range append(Names(), "910d") {
		p, err := Load(n)
		require.NoError(t, err, n)
		for _, c := range p.Constants() {
			require.NotEmpty(t, c.Source, "%s %s", n, c.Key)
			require.NotContains(t, c.Source, ".toml", "%s %s: no source of its own", n, c.Key)
		}
	}
}
