# Every target works from a clean clone with Go and redis-server; what needs
# more says so.

GO       ?= go
FUZZTIME ?= 10m
PACKAGES  = ./...
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
BENCHDIR ?= $(CURDIR)/bin/bench
SERVERS  ?=

.PHONY: build test lint race fuzz golden bench bench-peers memory-truth fixtures pgo clean

build: ## bin/rdblens
	$(GO) build -o bin/rdblens ./cmd/rdblens

test: ## all tests
	$(GO) test $(PACKAGES)

lint: ## what gofmt, go vet and staticcheck have to say
	@unformatted=$$(gofmt -l cmd parser thresholds report testdata); \
	if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(PACKAGES)
	$(GO) run $(STATICCHECK) $(PACKAGES)

race: ## the tests under the race detector
	$(GO) test -race $(PACKAGES)

fuzz: ## every fuzz target for FUZZTIME
	@for package in $$($(GO) list $(PACKAGES)); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target $(FUZZTIME)"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

golden: ## write the golden files and generated pages anew; git diff shows what changed
	$(GO) test ./report -run 'Golden' -update
	$(GO) generate $(PACKAGES)

bench: ## Go benchmarks of every stage
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

bench-peers: build ## whole processes beside hdt3213/rdb (needs redis-server, hyperfine)
	$(GO) run ./testdata/gen peers -rdblens bin/rdblens $(BENCHDIR)

memory-truth: build ## the memory model against real servers (SERVERS="path ...")
	$(GO) run ./testdata/gen memory -rdblens bin/rdblens $(SERVERS)

fixtures: ## the committed snapshots and their truth, from real servers (SERVERS="path ...")
	$(GO) run ./testdata/gen fixtures $(SERVERS)

pgo: build ## cmd/rdblens/default.pgo from the benchmark snapshots
	$(GO) run ./testdata/gen pgo $(BENCHDIR)

clean:
	rm -rf bin
