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

// hostModule is what the imports of a kind are bound through: its functions find the instance by the context of the call,
// and their slot in it by their place in the interface's table.
type hostModule struct {
	names []string
	built map[string]bool // import modules that exist
}

// host returns the imports of a kind, building the import module named module at first use.
func (r *Runtime) host(iface *abi.Interface, module string) (*hostModule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := iface.Kind.String()
	h := r.hosts[key]
	if h == nil {
		h = &hostModule{built: map[string]bool{}}
		for i := range iface.Imports {
			h.names = append(h.names, iface.Imports[i].Name)
		}
		r.hosts[key] = h
	}
	if h.built[module] {
		return h, nil
	}
	b := r.rt.NewHostModuleBuilder(module)
	for i := range iface.Imports {
		f := &iface.Imports[i]
		if iface.ModuleOf(f) != module {
			continue
		}
		b = b.NewFunctionBuilder().
			WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
				c := ctx.(*CallCtx)
				c.In.imports[i](c, stack)
			}), valTypes(f.Params()), valTypes(f.Results())).
			Export(f.Name)
	}
	if _, err := b.Instantiate(context.Background()); err != nil {
		return nil, fmt.Errorf("wasm: build import module %s: %w", module, err)
	}
	h.built[module] = true
	return h, nil
}

func valTypes(in []abi.ValType) []api.ValueType {
	out := make([]api.ValueType, len(in))
	for i, t := range in {
		out[i] = api.ValueType(t)
	}
	return out
}
