package wasm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"hsim/abi"
)

// NoCache is the value of Options.CacheDir that keeps compiled code in memory only.
const NoCache = "none"

// Options configure a Runtime. The zero value is ready to use.
type Options struct {
	// CacheDir keeps compiled code between runs: empty = hsim/wasm under the user's cache directory, NoCache = nowhere.
	// A directory that cannot be used is not an error; modules are then compiled each time.
	CacheDir string
}

// Runtime holds compiled modules and everything instantiated from them. Its methods may be called from several
// goroutines; an Instance belongs to one simulation.
type Runtime struct {
	rt    wazero.Runtime
	cache wazero.CompilationCache
	mu    sync.Mutex
	hosts map[string]*hostModule // import modules built so far, by name
}

// NewRuntime starts a runtime. The caller closes it; that ends all its modules and instances.
func NewRuntime(o Options) (*Runtime, error) {
	cfg := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2).
		WithMemoryLimitPages(MaxPages).
		WithDebugInfoEnabled(false).
		WithCloseOnContextDone(false) // costs 1.3 us a call; fuel stops runaway guests instead
	r := &Runtime{hosts: map[string]*hostModule{}}
	if dir := cacheDir(o.CacheDir); dir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(dir); err == nil {
			r.cache = cache
			cfg = cfg.WithCompilationCache(cache)
		}
	}
	r.rt = wazero.NewRuntimeWithConfig(context.Background(), cfg)
	return r, nil
}

func cacheDir(want string) string {
	switch want {
	case NoCache:
		return ""
	case "":
		base, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return filepath.Join(base, "hsim", "wasm")
	}
	return want
}

// Close frees all modules and instances.
func (r *Runtime) Close() error {
	err := r.rt.Close(context.Background())
	if r.cache != nil {
		if cerr := r.cache.Close(context.Background()); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return fmt.Errorf("wasm: close runtime: %w", err)
	}
	return nil
}

// hostModule is one import module: its functions find the instance through the context of the call.
type hostModule struct {
	names []string
	slot  map[string]int
}

// host returns the import module of a kind, building it at first use.
func (r *Runtime) host(iface *abi.Interface) (*hostModule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.hosts[iface.Module]; h != nil {
		return h, nil
	}
	h := &hostModule{slot: map[string]int{}}
	b := r.rt.NewHostModuleBuilder(iface.Module)
	for i := range iface.Imports {
		f := &iface.Imports[i]
		h.slot[f.Name] = i
		h.names = append(h.names, f.Name)
		b = b.NewFunctionBuilder().
			WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
				c := ctx.(*CallCtx)
				c.In.imports[i](c, stack)
			}), valTypes(f.Params()), valTypes(f.Results())).
			Export(f.Name)
	}
	if _, err := b.Instantiate(context.Background()); err != nil {
		return nil, fmt.Errorf("wasm: build import module %s: %w", iface.Module, err)
	}
	r.hosts[iface.Module] = h
	return h, nil
}

func valTypes(in []abi.ValType) []api.ValueType {
	out := make([]api.ValueType, len(in))
	for i, t := range in {
		out[i] = api.ValueType(t)
	}
	return out
}
