# Everything here needs Go, git, make and a C compiler (for the race detector), nothing else.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

OCB := go.opentelemetry.io/collector/cmd/builder@v0.165.0
COLLECTOR := _build/otelcol-loopguard
FUZZTIME ?= 60s
DATASETS ?= ../shared/datasets
MIN_COVERAGE := 90

# A workspace of the developer's must not change what is built, and a checkout that git does not trust must not stop it.
export GOWORK := off
export GOFLAGS := $(strip $(shell go env GOFLAGS) -buildvcs=false)

MODULES := $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path './_build/*' -not -path './internal/tools/*' | sort))
SOURCES := $(shell find . -name '*.go' -not -name '*_test.go' -not -path './_build/*' -not -path './internal/e2e/*' -not -path './internal/calibrate/*' -not -path './cmd/*')
TOOL := go tool -modfile=$(CURDIR)/internal/tools/go.mod

# in_modules runs a command in every module of the repository.
in_modules = for module in $(MODULES); do (cd $$module && $(1)); done

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: $(COLLECTOR) ## build a collector, send it a looping and a healthy agent run, print the verdicts
	@cd internal/e2e && go run ./demo -collector $(CURDIR)/$(COLLECTOR) -root $(CURDIR)

.PHONY: test
test: ## run all tests but the end-to-end ones, with the race detector
	@$(call in_modules,go test -race -skip '^TestEndToEnd' ./...)

.PHONY: e2e
e2e: $(COLLECTOR) ## run the end-to-end tests against the built collector
	@cd internal/e2e && LOOPGUARD_COLLECTOR=$(CURDIR)/$(COLLECTOR) go test -count=1 -run '^TestEndToEnd' ./...

.PHONY: examples
examples: $(COLLECTOR) ## let the built collector validate the configurations in examples/
	@for config in examples/*/config.yaml; do echo $$config; $(COLLECTOR) validate --config $$config; done

.PHONY: lint
lint: ## check formatting, go vet, staticcheck and tidiness of the modules
	@unformatted=$$(find . -name '*.go' -not -path './_build/*' -exec gofmt -l {} +); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	@$(call in_modules,go vet ./...)
	@$(call in_modules,$(TOOL) staticcheck ./...)
	@$(call in_modules,go mod tidy -diff)

.PHONY: fmt
fmt: ## format the Go files
	@find . -name '*.go' -not -path './_build/*' -exec gofmt -w {} +

.PHONY: generate
generate: ## bring the files that metadata.yaml describes up to date
	@internal/tools/generate.sh

.PHONY: check-generated
check-generated: ## fail if a generated file is not up to date
	@internal/tools/generate.sh --check || { echo "run make generate and commit the result"; exit 1; }

.PHONY: cover
cover: ## fail if a package of the processor has less than 90 % test coverage
	@mkdir -p _build
	@go test -coverprofile=_build/cover.out ./... >_build/cover.log || { cat _build/cover.log; exit 1; }
	@awk -v min=$(MIN_COVERAGE) -f internal/tools/coverage.awk _build/cover.out

.PHONY: emitters
emitters: ## print how each recorded SDK, scenario and capture fares
	@go test -count=1 -v -run '^TestRecordings$$' . | grep -E '^ *\|' | sed 's/^ *//'

.PHONY: bench
bench: ## run the benchmarks
	@go test -run '^$$' -bench . -benchmem ./...

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (60s)
	@for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package; \
	  done; \
	done

.PHONY: calibrate
calibrate: ## run the public data sets in DATASETS through the guard, write docs/calibration.md
	@go run ./internal/calibrate -data $(DATASETS) -date $$(date -u +%F) -o docs/calibration.md

.PHONY: build
build: $(COLLECTOR) ## build the collector of builder-config.yaml

$(COLLECTOR): builder-config.yaml go.mod go.sum $(SOURCES)
	@echo "Building $@ (minutes the first time, seconds later)"
	@mkdir -p _build
	@go run $(OCB) --config builder-config.yaml --skip-strict-versioning=false >_build/ocb.log 2>&1 || { cat _build/ocb.log; exit 1; }
	@touch $@

.PHONY: clean
clean: ## remove what was built
	rm -rf _build
