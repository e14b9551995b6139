package ns3ub

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSharedCasesLoad(t *testing.T) {
	dirs, _ := filepath.Glob("../../../shared/cases/ubsim/*")
	for _, d := range dirs {
		start := time.Now()
		c, err := Load(os.DirFS(d), d)
		require.NoError(t, err, d)
		t.Log(d, len(c.Tasks), len(c.groups), len(c.Channels), time.Since(start), c.Notes)
	}
}
