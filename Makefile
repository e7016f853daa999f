# tools/lint/go.mod pins the linters, apart from the libraries of the program.
TOOL := go tool -modfile=tools/lint/go.mod
MODULE_PATH := $(shell go list -m)
FUZZTIME ?= 30s

# The race detector makes code five to twenty times slower. It is on in packages whose code starts goroutines or uses
# package sync, apart from commands and from helpers of tests, and off in these for SQLite, which is translated C, and for
# packages whose data goroutines do not share or whose tests do one thing after the other (servers with all of them run
# with it in ./serve and ./internal/api). Of packages that mostly compute, only the tests that divide work run with it,
# and of packages that take long, only tests in which several things happen at once.
STEPPED := ./internal/study/planning ./internal/store/storetest ./serve ./internal/study/owner ./internal/api
STEPS := 'Bombs|^TestAccess$$|Stuffing|ToldOnce|LeastPeople|SnapshotAtStop|TestMajority|Slices|Erase(dOr|AndGoOn|OneOfMany|Under|When(Done|Stopped))|^TestCopy$$|Killed|ImportMemory|IsStaged|TestStore//(transcripts|import (large|fails|and)|many)'
SHARING = $$(grep -rlE '"sync(/atomic)?"|golang.org/x/sync|^\s+go [a-z]' --include='*.go' --exclude='*_test.go' choice internal serve simulate | xargs -n 1 dirname | \
	grep -vE '/(browser|studytest|testpostgres|testsupport|cataloguetest|paper|access|terminal|watch|results|statement|observe|read|encode)$$|^choice|^simulate' | sort -u | sed 's,^,./,' | grep -vxF "$$(printf '%s\n' $(STEPPED))")
UNSHARED := github.com/google/go-cmp/... gonum.org/... $(addprefix $(MODULE_PATH)/,checks crowd design evidence strategy/...)
RACE := -race $(foreach package,modernc.org/... $(UNSHARED),-gcflags='$(package)=-race=false')
# Packages that take long start first. Some of them mostly wait for servers and browsers, beside others.
LONGEST := ./internal/endtoend ./internal/web ./internal/study/replay ./strategy/racing ./cmd/bestpick ./simulate
# Databases of tests need not survive a power cut, and memory spares them the disk.
MEMORY := $(shell test -w /dev/shm && df -k /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print "/dev/shm" }')
TEST := $(if $(MEMORY),GOTMPDIR=$${TMPDIR:-/tmp} TMPDIR=$(MEMORY)) go test -vet=off -timeout 30m
# Packages without benchmarks would be linked for nothing.
BENCHED = $$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | sort -u)
APIFUZZTIME ?= 10m
LOADTIME ?= 1m

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install the programs that the tests need besides Go, on Debian and Ubuntu, and print which
	@tools/setup.sh

.PHONY: data-check
data-check: ## Check the data files of docs/data.md: SHA-256, state and source of each one
	@tools/data.sh

.PHONY: fmt
fmt: ## Format all code
	$(TOOL) golangci-lint fmt

.PHONY: lint
lint: language ## Run the linters of .golangci.yml, and check the language
	GOLANGCI_LINT_CACHE="$$(go env GOCACHE)/lint$(CURDIR)" $(TOOL) golangci-lint run # findings in the cache name files of one checkout

.PHONY: language
language: ## Check comments, messages and documents for the words that docs/language.md rejects
	go test ./tools/docs -run TestLanguage

.PHONY: vulnerabilities
vulnerabilities: ## Check the dependencies with govulncheck, where its database can be reached
	@if ! curl --silent --fail --max-time 20 --output /dev/null https://vuln.go.dev/index/db.json; then \
		echo "vulnerabilities: the database cannot be reached, nothing was checked"; \
	else go run golang.org/x/vuln/cmd/govulncheck@v1.1.4 ./...; fi

.PHONY: lint-api
lint-api: setup ## Check the OpenAPI document with the two linters that tools/docs/package-lock.json pins
	@linter="$$(go env GOCACHE)/openapi-lint" && mkdir -p "$$linter" && \
	{ cmp -s tools/docs/package-lock.json "$$linter/package-lock.json" && test -x "$$linter/node_modules/.bin/spectral" || \
		{ cp tools/docs/package.json tools/docs/package-lock.json "$$linter" && npm ci --prefix "$$linter" --ignore-scripts --no-audit --no-fund; }; } && \
	document=$$(mktemp --suffix .json) && report=$$(mktemp) && trap 'rm -f "$$document" "$$report"' EXIT && \
	go run ./tools/docs openapi > "$$document" && \
	{ REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true "$$linter/node_modules/.bin/redocly" lint --config tools/docs/redocly.yaml --max-problems 1000 --format stylish "$$document" > "$$report" 2>&1 || \
		echo "the linter reports an error" >> "$$report"; } && \
	cat "$$report" && ! grep -qE 'warning|error' "$$report" && \
	"$$linter/node_modules/.bin/spectral" lint --ruleset tools/docs/spectral.yaml --fail-severity warn "$$document"

.PHONY: test
test: setup ## Test, with the race detector in packages that share data between goroutines
	@test -z "$$(gofmt -l .)" || { echo "not formatted: $$(gofmt -l .)"; exit 1; }
	@tools/data.sh -q
	{ $(TEST) $(RACE) -skip $(STEPS) $(STEPPED); stepped=$$?; \
		$(TEST) $(RACE) $(SHARING); shared=$$?; \
		$(TEST) $(RACE) -run 'Cores|Likelihoods|Workers|Interruption|DoStops|CellsAreShared|BadCSV|EmbeddingFeatures' ./choice ./simulate ./internal/paper ./internal/catalogue/read ./internal/catalogue/encode; divided=$$?; \
		$(TEST) -run $(STEPS) $(STEPPED) && exit $$((stepped + shared + divided)); } & raced=$$!; \
	$(TEST) -p 3 $(LONGEST) $$(go list ./... | grep -vxF "$$(go list $(STEPPED) $(SHARING) $(LONGEST))"); plain=$$?; \
	wait $$raced && exit $$plain

# Tests that take longer, by subject. make test-long runs all of them, one subject after the other.
LONG = go test -tags long -run '^TestLong' -timeout 3h -v
LONG_PARTS := statistics stores faults service docs
.PHONY: test-long $(addprefix test-long-,$(LONG_PARTS))
test-long: $(addprefix test-long-,$(LONG_PARTS)) ## The statistical and fault tests that take longer, in all parts
test-long-statistics: ## Long tests of estimates, errors and strategies
	$(LONG) ./choice ./evidence ./strategy/... ./simulate ./theory ./internal/fitting ./internal/paper
test-long-stores: ## Long tests of both databases: kills, imports, jobs, bytes per answer
	$(LONG) ./internal/store/... ./tools/load
test-long-faults: ## Long tests of whole servers, which measure latency: kills, restarts, full disks, clocks, connections
	$(LONG) -skip 'Transcripts|Demo' ./internal/endtoend
test-long-service: ## Long tests of studies, the API and files
	$(LONG) ./internal/api ./internal/catalogue/... ./internal/study/...
test-long-docs: ## The commands of the documents that take longer, and two releases
	$(LONG) ./internal/boundaries
	go test -tags long -run 'TestLongTranscripts|TestLongDemo' -timeout 3h -v ./internal/endtoend

.PHONY: bench-once
bench-once: ## Run every benchmark once, so that none breaks
	$(TEST) -run '^$$' -bench . -benchtime 1x $(BENCHED)

.PHONY: bench
bench: ## Measure speed and memory
	go test -run '^$$' -bench . -benchmem $(BENCHED)

.PHONY: load
load: setup ## Measure how many answers per second a server takes, on SQLite and on PostgreSQL, LOADTIME (1m) each
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && go build -o "$$folder/" ./cmd/bestpick ./tools/load && \
	echo "SQLite" && "$$folder/load" --program "$$folder/bestpick" --for $(LOADTIME) && \
	echo && echo "PostgreSQL" && "$$folder/load" --program "$$folder/bestpick" --for $(LOADTIME) --postgres

.PHONY: peers
peers: ## Compare estimates and their times with other packages (Debian: r-base-core, r-cran-survival, python3-statsmodels)
	go run ./tools/peers --python /usr/bin/python3 "$${BESTPICK_DATA:-../shared/data}"

.PHONY: release
release: ## Build the archives of a release for Linux, macOS and Windows in dist/, with notices, checksums and lists of modules
	tools/release/release.sh dist

.PHONY: rename
rename: ## Rename the module: make rename MODULE=example.org/me/bestpick
	tools/rename.sh $(MODULE)

.PHONY: image
image: ## Build the container image with docker, podman or buildah, and start a server in it
	@tools/image.sh

.PHONY: screenshots
screenshots: setup ## Take the screenshots of the five main pages from the real program
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && go build -o "$$folder/bestpick" ./cmd/bestpick && \
	BESTPICK_PROGRAM="$$folder/bestpick" go test -count=1 -tags screenshots ./tools/docs -run TestScreenshots

.PHONY: pictures
pictures: ## Draw the charts of the documentation
	go run ./tools/docs pictures docs/img

.PHONY: fuzz
fuzz: ## Fuzz everything that reads, FUZZTIME (30s) each, and the HTTP interface, APIFUZZTIME (10m)
	go test ./internal/table -run '^$$' -fuzz '^FuzzReader$$' -fuzztime $(FUZZTIME)
	go test ./internal/table -run '^$$' -fuzz '^FuzzEqualsLibrary$$' -fuzztime $(FUZZTIME)
	go test ./internal/recorded -run '^$$' -fuzz '^FuzzReadLong$$' -fuzztime $(FUZZTIME)
	go test ./internal/recorded -run '^$$' -fuzz '^FuzzReadWide$$' -fuzztime $(FUZZTIME)
	go test ./internal/recorded -run '^$$' -fuzz '^FuzzReadPairs$$' -fuzztime $(FUZZTIME)
	go test ./internal/recorded -run '^$$' -fuzz '^FuzzReadItems$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/recorded -run '^$$' -fuzz '^FuzzExpression$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/picture -run '^$$' -fuzz '^FuzzRead$$' -fuzztime $(FUZZTIME)
	go test ./internal/catalogue/read -run '^$$' -fuzz '^FuzzCSV$$' -fuzztime $(FUZZTIME)
	go test ./internal/catalogue/read -run '^$$' -fuzz '^FuzzWorkbook$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/catalogue/read -run '^$$' -fuzz '^FuzzSheet$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/catalogue/read -run '^$$' -fuzz '^FuzzJSONLines$$' -fuzztime $(FUZZTIME)
	go test ./internal/catalogue/read -run '^$$' -fuzz '^FuzzParquet$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/catalogue/read -run '^$$' -fuzz '^FuzzNPY$$' -fuzztime $(FUZZTIME)
	go test ./strategy/racing -run '^$$' -fuzz '^FuzzRestore$$' -fuzztime $(FUZZTIME)
	go test ./internal/catalogue/product -run '^$$' -fuzz '^FuzzProfiles$$' -fuzztime $(FUZZTIME)
	go test ./internal/catalogue/archive -run '^$$' -fuzz '^FuzzLoad$$' -fuzztime $(FUZZTIME)
	go test ./internal/catalogue/archive -run '^$$' -fuzz '^FuzzLoadEncoding$$' -fuzztime $(FUZZTIME)
	go test ./internal/catalogue/archive -run '^$$' -fuzz '^FuzzLoadArms$$' -fuzztime $(FUZZTIME)
	go test ./internal/engine -run '^$$' -fuzz '^FuzzReply$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/study/replay -run '^$$' -fuzz '^FuzzVerify$$' -fuzztime $(FUZZTIME)
	go test ./internal/study/dispatch -run '^$$' -fuzz '^FuzzTicket$$' -fuzztime $(FUZZTIME)
	go test ./client -run '^$$' -fuzz '^FuzzVerifyWebhook$$' -fuzztime $(FUZZTIME)
	go test ./internal/api -run '^$$' -fuzz '^FuzzStrictJSON$$' -fuzztime $(FUZZTIME)
	go test ./internal/study/owner -run '^$$' -fuzz '^FuzzReadMembers$$' -fuzztime $(FUZZTIME)
	go test ./internal/web/page -run '^$$' -fuzz '^FuzzSession$$' -fuzztime $(FUZZTIME)
	go test ./internal/web/page -run '^$$' -fuzz '^FuzzOwnPath$$' -fuzztime $(FUZZTIME)
	go test ./internal/web/setup -run '^$$' -fuzz '^FuzzChoices$$' -fuzztime $(FUZZTIME)
	go test ./internal/answers -run '^$$' -fuzz '^FuzzReadCSV$$' -fuzztime $(FUZZTIME)
	go test ./internal/answers -run '^$$' -fuzz '^FuzzReadJSONLines$$' -fuzztime $(FUZZTIME)
	go test ./internal/web/respond -run '^$$' -fuzz '^FuzzPicture$$' -fuzztime $(FUZZTIME)
	go test ./internal/endtoend -run '^$$' -fuzz '^FuzzAPI$$' -fuzztime $(APIFUZZTIME) -fuzzminimizetime 1x -timeout 0
