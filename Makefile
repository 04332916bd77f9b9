# Every target works from a clean clone with Go, and with redis-server in PATH
# where a server is needed. SERVERS are commands, each one argument:
#   make fixtures SERVERS='redis-server "chroot /srv/trixie valkey-server"'

GO       ?= go
FUZZTIME ?= 10m
FUZZJOBS ?= 2
BENCHDIR ?= $(CURDIR)/bin/bench
SERVERS  ?=
SEED     ?= 1

# Without C, packages are compiled once for the binary and the tests. Only make race needs
# a C compiler.
export CGO_ENABLED ?= 0

# ./... does not include packages below testdata.
PACKAGES    = ./... ./testdata/gen ./testdata/mutants ./testdata/results ./testdata/testtool ./testdata/watchdog
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: argo axe chinese cluster duckdb engines pictures build test lint race fuzz golden bench bench-gzip bench-peers growth memory-truth restore-truth target-truth advice-truth nightly-fleet nightly-tests nights mutants fixtures million pace pgo dist clean

build: ## bin/rdblens, statically linked
	CGO_ENABLED=0 $(GO) build -o bin/rdblens ./cmd/rdblens

test: ## all tests; at the end those that were skipped, and why
	{ $(GO) test -timeout 20m -json $(PACKAGES); cd testdata/kubernetes && $(GO) test -json ./...; } | $(GO) run ./testdata/results

nightly-tests: ## all tests with all keys, seeds and damaged bytes, the race detector on all packages, and a minute of each fuzz target
	RDBLENS_NIGHTLY=1 $(MAKE) test
	$(MAKE) race RACED='$(PACKAGES)' LONG= SCRIPTS= FRAMES=15
	$(MAKE) fuzz FUZZTIME=1m

lint: ## gofmt, go vet and staticcheck
	@unformatted=$$(gofmt -l cmd parser thresholds report testdata); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(PACKAGES)
	$(GO) run $(STATICCHECK) $(PACKAGES)
	cd testdata/kubernetes && $(GO) vet ./...

axe: bin/axe.min.js ## the checker of accessibility that a test of the page uses, from npm

bin/axe.min.js:
	@mkdir -p bin
	cd bin && npm pack --silent axe-core@4.10.3 >/dev/null && tar -xzf axe-core-4.10.3.tgz --strip-components=1 package/axe.min.js && rm axe-core-4.10.3.tgz && touch axe.min.js

DUCKDB = @duckdb/node-api@1.5.6-r.1

duckdb: bin/duckdb/node_modules ## DuckDB, with which tests read Parquet, from npm

bin/duckdb/node_modules:
	@mkdir -p bin/duckdb
	cd bin/duckdb && echo '{}' >package.json && npm install --silent --no-audit --no-fund $(DUCKDB) >/dev/null

ARGO = @kubernetes-models/argo-workflows@2.0.0 typescript@5.9.3

argo: bin/argo/node_modules ## the types of Argo Workflows, with which a test compares argo.yaml, from npm

bin/argo/node_modules:
	@mkdir -p bin/argo
	cd bin/argo && echo '{}' >package.json && npm install --silent --no-audit --no-fund $(ARGO) >/dev/null

engines: argo ## scan and merge by Slurm and GNU parallel (Debian: slurm-wlm, parallel), the nights of three jobs in a Prometheus, on this machine; the types of Argo
	RDBLENS_ENGINES=1 $(GO) test -count=1 -run '^(TestSlurm|TestParallel|TestPrometheus)$$' ./cmd/rdblens
	cd testdata/kubernetes && $(GO) test -count=1 -run '^TestArgo' .

# The packages that run things side by side, and their tests in which nothing does: those
# of texts, pages, files and a compiled binary, and long ones.
RACED = ./parser ./report ./cmd/rdblens
TEXTS = TestLanguage|TestSizes|TestLayers|TestReadme.*|TestHelpTranslated|TestTranslated|TestTemplatesTranslated|TestStaticBinary|TestMan|TestCommandLine|TestCommitText|TestChats|TestGrafanaDashboard|TestAlertRules|TestSystemdUnits|TestPage.*|TestScreen|TestTicket.*|TestPprofReads|TestParquet.*|TestRedact.*
LONG  = |TestScreenHeight|TestFrameDiagnosis|TestScansFitSchema|TestBaselineAccepts.*|TestMemory.*|TestShowMemory|TestBounds|TestSharedTruth|TestTruth|TestTextLengths|TestMergeOfStates|TestDamagedStates|TestTopsAreThoseOfASort|TestTrendFormats|TestDiffFormats|TestAllocatorFound|TestFullTable|TestFoldedPlaces|TestTreeIsExact|TestGroupsAreExact|TestFindingsAreThoseOfTheRules|TestAnnouncedDamage|TestRecordsFixtures|TestSmallReads|TestShowJSON|TestShowInputs|TestNobodyReads|TestConfigSuggest|TestShowHugeTexts|TestKeysBelow

# FRAMES is the number of bytes damaged in each compressed snapshot.
FRAMES = 3

# Each command of a script starts the test's binary anew, which is slow with the race detector.
SCRIPTS = |TestScripts

race: ## the tests with the race detector, which needs a C compiler
	CGO_ENABLED=1 RDBLENS_FRAMES=$(FRAMES) $(GO) test -race -timeout 40m -skip '^($(TEXTS)$(LONG)$(SCRIPTS))$$' $(RACED)

fuzz: ## every fuzz target for FUZZTIME, FUZZJOBS at a time
	@mkdir -p bin && grep -rE --include='*_test.go' '^func Fuzz' cmd parser report thresholds | \
		sed -E 's|^(.*)/[^/]*:func (Fuzz[A-Za-z0-9]*)\(.*|./\1 \2|' | sort >bin/fuzz.txt
	@# Compile before they run side by side, or each would.
	@cut -d ' ' -f 1 bin/fuzz.txt | uniq | xargs -n 1 $(GO) test -c -o /dev/null -fuzz .
	@GO="$(GO)" FUZZFLAGS="$(FUZZFLAGS) -parallel=1" xargs -P $(FUZZJOBS) -L 1 .ci/fuzz $(FUZZTIME) <bin/fuzz.txt

golden: ## regenerate golden files, generated pages and the README's examples; see git diff
	$(GO) test ./report -run '^(TestGolden|TestDiffFormats|TestTrendFormats)$$' -update
	$(GO) generate ./...
	$(GO) test ./cmd/rdblens -run Readme -update

chinese: ## the sentences that have no Chinese translation yet
	@mkdir -p bin && : >bin/chinese.txt
	@RDBLENS_CHINESE=$(CURDIR)/bin/chinese.txt $(GO) test -count=1 -run 'Translated|^TestNouns$$|^TestScripts$$' ./cmd/rdblens ./report ./report/language
	@sort -u bin/chinese.txt; echo "$$(sort -u bin/chinese.txt | wc -l) sentences without Chinese"

pictures: ## the pictures of the README, with chromium
	$(GO) test ./report -count=1 -run ReadmePictures -args -readme-pictures html

bench: ## Go benchmarks of all packages
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

bench-peers: build ## compare whole processes with hdt3213/rdb; makes snapshots of 1.2 GB in BENCHDIR
	$(GO) run ./testdata/gen peers -rdblens bin/rdblens $(BENCHDIR)

bench-gzip: build ## scan of gzip files compared with a pipe from gzip; makes snapshots of 1.2 GB in BENCHDIR
	$(GO) run ./testdata/gen backups -rdblens bin/rdblens $(BENCHDIR)

growth: build ## time and memory by the number of keys and elements; makes snapshots in BENCHDIR
	$(GO) run ./testdata/gen growth -rdblens bin/rdblens $(BENCHDIR)

million: ## time and memory that reading a million lines of source code takes
	RDBLENS_NIGHTLY=1 $(GO) test ./report/internal/codebase -count=1 -run Million -v

pace: ## how fast one goroutine walks JSON documents and Dragonfly's compressed blocks; makes snapshots in BENCHDIR
	$(GO) run ./testdata/gen pace $(BENCHDIR)

cluster: build ## 64 shards of a cluster: one scan against a scan of each and a merge; makes snapshots in BENCHDIR
	$(GO) run ./testdata/gen cluster -rdblens bin/rdblens -keys 1500000 $(BENCHDIR)/cluster

memory-truth: ## errors of the memory model against servers, with 200,000 keys; with CHURN=1 changed by all write commands, SEED=N repeats one
	$(GO) run ./testdata/gen memory $(if $(CHURN),-churn) $(if $(SEED),-seed $(SEED)) $(SERVERS)

restore-truth: build ## keys that show --format resp puts back on the servers, against the servers that loaded them
	$(GO) run ./testdata/gen restore -rdblens bin/rdblens $(SERVERS)

target-truth: ## start the servers with all snapshots, those below DIR, too, and compare what they load with scan --target
	$(GO) run ./testdata/gen target $(if $(DIR),-dir $(DIR)) $(SERVERS)

advice-truth: ## follow the advice on all findings in a rich snapshot on the servers, and look for new findings
	$(GO) run ./testdata/gen advice $(SERVERS)

nights: ## snapshots of servers under traffic: what diff reports of planted changes, and what a stream has; SERVERS
	$(GO) run ./testdata/gen nights -keys 1000000 $(SERVERS)

nightly-fleet: build ## 31 nights of 64 snapshots with 40 planted events, and 50 runs that are killed: what nightly tells of them
	$(GO) run ./testdata/gen fleet -rdblens bin/rdblens $(BENCHDIR)/fleet

mutants: ## a sample of 200 changes of the code that tests should notice; those they do not
	$(GO) run ./testdata/mutants -seed $(SEED)

fixtures: ## make the committed snapshots and their truth files
	$(GO) run ./testdata/gen fixtures $(SERVERS)

pgo: ## make the compiler's profile, with which make dist builds, from the benchmark snapshots
	$(GO) run ./testdata/gen pgo $(BENCHDIR) packaging/rdblens.pgo

dist: ## binaries, packages, completions and man pages of a release, in dist/; VERSION=v1.2.3 names it
	GO="$(GO)" VERSION="$(VERSION)" .ci/dist

clean:
	rm -rf bin dist
