# hsim: `make test` needs Go alone; `make check` is the gate and installs what it needs.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Packages in which goroutines or coroutines live.
RACE        := ./host/sim ./host/wasm ./host/kernel ./host/device ./host/acl ./host/transport ./host/guest ./host/scenario
# Packages that are compiled for programs and Go plugins.
GUEST       := ./abi/guest/... ./examples/algorithm-go/... ./examples/ccu-go/... ./examples/kernel-go/... ./examples/transport-go/...

.PHONY: build test check tools plugins generate bench nightly clean

build:
	$(GO) build -o bin/hsim ./cmd/hsim

test:
	$(GO) test ./...

tools:
	@.ci/tools

plugins: tools
	$(GO) run ./plugins/internal/compile

generate:
	$(GO) generate ./abi

check: tools
	@test -z "$$(gofmt -l .)" || { echo "gofmt: these files are not formatted:"; gofmt -l .; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	GOOS=wasip1 GOARCH=wasm $(GO) vet $(GUEST)
	GOOS=linux GOARCH=arm64 $(GO) vet ./host/...
	$(GO) run $(STATICCHECK) ./...
	$(GO) run ./plugins/internal/compile -check
	HSIM_CHECK=1 $(GO) test ./...
	$(GO) test -race $(RACE)

bench:
	$(GO) test -run '^$$' -bench . ./host/...

# The large grids: every workload and every seed, minutes rather than seconds.
nightly: check
	HSIM_NIGHTLY=1 $(GO) test -timeout 60m ./host/... ./cmd/...
	$(GO) test -run '^$$' -bench . -benchtime 3x ./host/...

clean:
	rm -rf bin out
