# Every target works from a clean clone with Go and redis-server in the path;
# what needs more says so. SERVERS are commands, each one argument:
#   make fixtures SERVERS='redis-server "chroot /srv/trixie valkey-server"'

GO       ?= go
FUZZTIME ?= 10m
BENCHDIR ?= $(CURDIR)/bin/bench
SERVERS  ?=

# Patterns pass over testdata, so what makes it is named.
PACKAGES    = ./... ./testdata/gen ./testdata/watchdog
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test lint race fuzz golden bench bench-peers growth memory-truth restore-truth fixtures pgo clean

build: ## bin/rdblens, which needs no library at run time
	CGO_ENABLED=0 $(GO) build -o bin/rdblens ./cmd/rdblens

test: ## all tests
	$(GO) test -timeout 20m $(PACKAGES)

lint: ## what gofmt, go vet and staticcheck have to say
	@unformatted=$$(gofmt -l cmd parser thresholds report testdata); \
	if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(PACKAGES)
	$(GO) run $(STATICCHECK) $(PACKAGES)

race: ## the tests under the race detector, fewer damaged fixtures among them
	$(GO) test -race -short -timeout 20m $(PACKAGES)

fuzz: ## every fuzz target for FUZZTIME
	@for package in $$($(GO) list $(PACKAGES)); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			GO="$(GO)" .ci/fuzz $$package $$target $(FUZZTIME) || exit 1; \
		done; \
	done

golden: ## golden files, generated pages and the README's examples anew; git diff shows what changed
	$(GO) test ./report -run Golden -update
	$(GO) generate ./...
	$(GO) test ./cmd/rdblens -run Readme -update

bench: ## Go benchmarks of every stage
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

bench-peers: build ## whole processes beside hdt3213/rdb; makes the snapshots in BENCHDIR, 1.2 GB
	$(GO) run ./testdata/gen peers -rdblens bin/rdblens $(BENCHDIR)

growth: build ## time and memory by the number of keys and elements; makes the snapshots in BENCHDIR
	$(GO) run ./testdata/gen growth -rdblens bin/rdblens $(BENCHDIR)

memory-truth: ## the memory model against the servers, on 200,000 keys
	$(GO) run ./testdata/gen memory $(SERVERS)

restore-truth: build ## keys that show --format resp puts back on the servers, against the servers that loaded them
	$(GO) run ./testdata/gen restore -rdblens bin/rdblens $(SERVERS)

fixtures: ## the committed snapshots and what the servers say of them
	$(GO) run ./testdata/gen fixtures $(SERVERS)

pgo: ## the profile for the compiler, from the benchmark snapshots
	$(GO) run ./testdata/gen pgo $(BENCHDIR) cmd/rdblens/default.pgo

clean:
	rm -rf bin
