# The tools are pinned in tools/go.mod, apart from the program's own libraries.
TOOL := go tool -modfile=tools/go.mod
FUZZTIME ?= 30s

# The race detector makes code five to twenty times slower. Packages that start no goroutine are tested without it, and
# those that run the whole program, whose parts are tested with it; and so are two libraries inside the others: SQLite,
# which is translated C, and arithmetic.
SERIAL := answers checks cmd crowd design evidence internal/endtoend recorded strategy theory
RACE := -race -gcflags='modernc.org/...=-race=false' -gcflags='gonum.org/...=-race=false'
CONCURRENT = $$(go list ./... | grep -vE '^bestpick/($(subst $() ,|,$(SERIAL)))(/|$$)')
APIFUZZTIME ?= 10m
LOADTIME ?= 1m

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what the tests need besides Go (a C compiler, for the race detector; PostgreSQL; Python; Chromium; nginx; HAProxy)
	@command -v gcc >/dev/null || command -v clang >/dev/null || { \
		echo "installing gcc for the race detector"; apt-get update && apt-get install -y gcc libc6-dev; }
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
		echo "installing PostgreSQL, without starting a server"; \
		apt-get update && apt-get install -y postgresql-common && \
		sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf && \
		apt-get install -y postgresql; }
	@command -v python3 >/dev/null || { \
		echo "installing Python for the tests of its client"; apt-get update && apt-get install -y python3; }
	@command -v chromium >/dev/null || { \
		echo "installing Chromium for the tests of the pages"; apt-get update && apt-get install -y chromium; }
	@PATH="$$PATH:/usr/sbin"; command -v nginx >/dev/null && command -v haproxy >/dev/null || { \
		echo "installing nginx and HAProxy for the tests of their configurations, without starting servers"; \
		policy=/usr/sbin/policy-rc.d; \
		test -e $$policy || { trap "rm -f $$policy" EXIT; printf '#!/bin/sh\nexit 101\n' >$$policy; chmod +x $$policy; }; \
		apt-get update && apt-get install -y --no-install-recommends nginx haproxy && \
		if test -d /run/systemd/system; then systemctl disable nginx haproxy; fi; }

.PHONY: fmt
fmt: ## Format all code
	$(TOOL) golangci-lint fmt

.PHONY: lint
lint: ## Run the linters of .golangci.yml
	$(TOOL) golangci-lint run

.PHONY: test
test: setup ## Vet, test with the race detector where there are goroutines, and run every benchmark once
	@test -z "$$(gofmt -l .)" || { echo "not formatted: $$(gofmt -l .)"; exit 1; }
	go vet ./...
	go vet -tags long ./...
	go test $(addsuffix /...,$(addprefix ./,$(SERIAL)))
	go test $(RACE) $(CONCURRENT)
	go test -run '^$$' -bench . -benchtime 1x ./...

.PHONY: test-long
test-long: ## The statistical tests that take longer
	go test -tags long -run '^TestLong' -timeout 60m -v ./...

.PHONY: bench
bench: ## Measure speed and memory
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: load
load: setup ## Measure how many answers a server takes, on SQLite and on PostgreSQL, LOADTIME (1m) each
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && go build -o "$$folder/bestpick" ./cmd/bestpick && \
	echo "SQLite" && "$$folder/bestpick" load --for $(LOADTIME) && \
	echo && echo "PostgreSQL" && go run ./internal/withpostgres "$$folder/bestpick" load --for $(LOADTIME) --database {}

.PHONY: screenshots
screenshots: setup ## Take the pictures of the README anew, from the real program
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && go build -o "$$folder/bestpick" ./cmd/bestpick && \
	go run ./internal/screenshots "$$folder/bestpick" docs/img

.PHONY: pictures
pictures: ## Draw the pictures of docs/model-checks.md anew
	go run ./internal/pictures docs/img

.PHONY: fuzz
fuzz: ## Fuzz everything that reads, FUZZTIME (30s) each, and the HTTP interface, APIFUZZTIME (10m)
	go test ./table -run '^$$' -fuzz '^FuzzReader$$' -fuzztime $(FUZZTIME)
	go test ./table -run '^$$' -fuzz '^FuzzBlocks$$' -fuzztime $(FUZZTIME)
	go test ./recorded -run '^$$' -fuzz '^FuzzReadLong$$' -fuzztime $(FUZZTIME)
	go test ./recorded -run '^$$' -fuzz '^FuzzReadPairs$$' -fuzztime $(FUZZTIME)
	go test ./internal/parquets -run '^$$' -fuzz '^FuzzOpen$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./catalogue/read -run '^$$' -fuzz '^FuzzCSV$$' -fuzztime $(FUZZTIME)
	go test ./catalogue/read -run '^$$' -fuzz '^FuzzJSONLines$$' -fuzztime $(FUZZTIME)
	go test ./catalogue/read -run '^$$' -fuzz '^FuzzParquet$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./catalogue/read -run '^$$' -fuzz '^FuzzNPY$$' -fuzztime $(FUZZTIME)
	go test ./strategy -run '^$$' -fuzz '^FuzzRestore$$' -fuzztime $(FUZZTIME)
	go test ./catalogue/product -run '^$$' -fuzz '^FuzzProfiles$$' -fuzztime $(FUZZTIME)
	go test ./catalogue/archive -run '^$$' -fuzz '^FuzzLoad$$' -fuzztime $(FUZZTIME)
	go test ./catalogue/archive -run '^$$' -fuzz '^FuzzLoadEncoding$$' -fuzztime $(FUZZTIME)
	go test ./catalogue/archive -run '^$$' -fuzz '^FuzzLoadArms$$' -fuzztime $(FUZZTIME)
	go test ./study -run '^$$' -fuzz '^FuzzVerify$$' -fuzztime $(FUZZTIME)
	go test ./study -run '^$$' -fuzz '^FuzzTicket$$' -fuzztime $(FUZZTIME)
	go test ./webhook -run '^$$' -fuzz '^FuzzVerify$$' -fuzztime $(FUZZTIME)
	go test ./api -run '^$$' -fuzz '^FuzzReadJSON$$' -fuzztime $(FUZZTIME)
	go test ./api -run '^$$' -fuzz '^FuzzReadMembers$$' -fuzztime $(FUZZTIME)
	go test ./web -run '^$$' -fuzz '^FuzzSession$$' -fuzztime $(FUZZTIME)
	go test ./web -run '^$$' -fuzz '^FuzzOwnPath$$' -fuzztime $(FUZZTIME)
	go test ./answers -run '^$$' -fuzz '^FuzzReadCSV$$' -fuzztime $(FUZZTIME)
	go test ./answers -run '^$$' -fuzz '^FuzzReadJSONLines$$' -fuzztime $(FUZZTIME)
	go test ./web -run '^$$' -fuzz '^FuzzPicture$$' -fuzztime $(FUZZTIME)
	go test ./api/hostile -run '^$$' -fuzz '^FuzzAPI$$' -fuzztime $(APIFUZZTIME) -fuzzminimizetime 1x -timeout 0
