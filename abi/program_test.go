package abi

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrototypes(t *testing.T) {
	f := parsePrototype("aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)")
	require.Equal(t, "aclrtMemcpy", f.Name)
	require.Equal(t, "aclError", f.Result)
	require.Equal(t, []Arg{{"dst", "void *"}, {"destMax", "size_t"}, {"src", "const void *"}, {"count", "size_t"}, {"kind", "aclrtMemcpyKind"}}, f.Args)
	require.Equal(t, "(i32, i32, i32, i32, i32) -> i32", f.Signature())
	f = parsePrototype("const char *aclrtGetSocName()")
	require.Equal(t, "const char *", f.Result)
	require.Empty(t, f.Args)
	f = parsePrototype("void time_sleep(int64_t ps)")
	require.Equal(t, "(i64)", f.Signature())
	f = parsePrototype("aclError aclrtEventElapsedTime(float *ms, double x, float y)")
	require.Equal(t, "(i32, f64, f32) -> i32", f.Signature())
	f = parsePrototype("aclError f(const int32_t phyDevId, int32_t *const logicDevId)")
	require.Equal(t, []Arg{{"phyDevId", "const int32_t"}, {"logicDevId", "int32_t *const"}}, f.Args)
}

// TestProgramTypesAreDeclared holds that every type of a prototype is C's own or declared by a header.
func TestProgramTypesAreDeclared(t *testing.T) {
	var text strings.Builder
	for _, pattern := range []string{"include/acl/*.h", "include/hccl/*.h"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			text.Write(b)
		}
	}
	known := map[string]bool{"void": true, "char": true, "float": true, "double": true, "size_t": true,
		"int32_t": true, "uint32_t": true, "int64_t": true, "uint64_t": true}
	for _, m := range regexp.MustCompile(`(?m)^(?:typedef .*?|\} )\*?\(?\*?(\w+)\)?(?:\(.*\))?;$`).FindAllStringSubmatch(text.String(), -1) {
		known[m[1]] = true
	}
	strip := regexp.MustCompile(`\b(const|struct)\b|[*\s]`)
	for _, f := range Lookup(Program).Imports {
		require.True(t, f.Result == "" || known[strip.ReplaceAllString(f.Result, "")], "%s: result %s", f.Name, f.Result)
		for _, a := range f.Args {
			require.NotEmpty(t, a.Name, f.Name)
			require.True(t, known[strip.ReplaceAllString(a.Type, "")], "%s: argument %s %s", f.Name, a.Type, a.Name)
		}
	}
}

func TestProgramImports(t *testing.T) {
	i := Lookup(Program)
	seen := map[string]bool{}
	for _, f := range i.Imports {
		require.False(t, seen[f.Name], "%s is there twice", f.Name)
		seen[f.Name] = true
		require.NotEmpty(t, f.Group, f.Name)
		require.Contains(t, i.Modules(), f.Module, f.Name)
		require.True(t, strings.HasSuffix(f.Doc, "."), "%s: %s", f.Name, f.Doc)
		if f.Real != "" && f.Real != f.Name {
			require.NotNil(t, i.Import(f.Real), "%s stands for %s", f.Name, f.Real)
			require.Equal(t, i.Import(f.Real).Signature(), f.Signature(), f.Name)
		}
	}
	require.Equal(t, ModuleRT, i.Import("lrtWaitAndResetNotify").Module)
	require.Equal(t, "aclrtReleaseMemAddress", i.Import("ReleaseMemAddress").Real)
	require.True(t, i.Import("aclrtMapMem").Model)
	require.False(t, i.Import("aclrtMalloc").Model)
}
