package acl

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every rule of the data model's sections 1, 2, 3, 5, 6 and 7, and every case that
// this package answers for, has a test that is named after it.
func TestEveryRuleHasATest(t *testing.T) {
	var want []string
	for i := 1; i <= 61; i++ {
		want = append(want, fmt.Sprintf("R%03d", i))
	}
	for i := 94; i <= 104; i++ {
		want = append(want, fmt.Sprintf("R%03d", i))
	}
	want = append(want, "R110", "B30", "B32", "B33", "B34", "B35", "B36", "B37", "B38", "B39", "B40", "B41", "B42", "B44")
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			want = slices.DeleteFunc(want, func(rule string) bool {
				n := len("Test") + len(rule)
				return len(fn.Name.Name) > n && fn.Name.Name[:n] == "Test"+rule
			})
		}
	}
	assert.Empty(t, want, "rules without a test")
}
