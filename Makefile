# Commands for users:        make demo    make demo-server    make test
# Commands for contributors: make test-optimized  make test-full  make bench  make fuzz  make format  make lint  make docs  make clean
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build demo-classes demo demo-server test test-optimized example test-full left-stores bench fuzz format lint docs clean

PACKAGES := libsqlite3-dev libxml2-dev zlib1g-dev libpq-dev pkg-config
SOURCES := Package.swift Sources Tests tools Benchmarks Plugins
DEMO := .build/demo

help:
	@echo "make demo            set up, generate Swift from a Core Data model, open its store through ModelContext"
	@echo "make demo-server     the same classes over a private PostgreSQL server: rows, a migration, a second process that watches"
	@echo "make test            set up, run the tests (minutes), and build and run the examples"
	@echo "make example         build and run the examples alone"
	@echo "make test-optimized  the tests in an optimized build, as users link it"
	@echo "make test-full       the longer tests too"
	@echo "make bench           compare with GRDB, bare SQLite, libpq and libxml2 (release build)"
	@echo "make fuzz            run the fuzzers of XML, archives and stores, TIME seconds each (600)"
	@echo "make format          format the sources; make lint checks format, layers and documentation"
	@echo "make docs            build the documentation into .build/docs"

# Installs the system libraries when it may; otherwise says how.
setup:
	@if pkg-config --exists sqlite3 libxml-2.0 zlib libpq 2>/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then sudo=; \
	elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo=sudo; \
	else echo "Missing system libraries. Run: sudo apt-get install -y $(PACKAGES)" >&2; exit 1; fi; \
	$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq $(PACKAGES)

build: setup
	swift build

# The classes of the sample model, which have to be those that the demos are compiled with.
demo-classes: setup
	@swift build --product generate-models
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@"$$(swift build --show-bin-path)/generate-models" SampleModels/Library.xcdatamodeld --output $(DEMO)/Generated \
	  2> $(DEMO)/notes.txt || { cat $(DEMO)/notes.txt >&2; exit 2; }; \
	echo "$$(grep -c ' note: ' $(DEMO)/notes.txt || true) notes on what Swift does not express: $(DEMO)/notes.txt"; \
	diff -r $(DEMO)/Generated tools/library-demo/Generated

demo: demo-classes
	@swift build --product library-demo
	@swift build --product store-tool
	@bin="$$(swift build --show-bin-path)"; \
	"$$bin/library-demo" SampleModels/Library.sqlite $(DEMO); \
	"$$bin/store-tool" check $(DEMO)/Library.sqlite

# The server is private, on a Unix socket in a temporary folder, and gone afterwards.
demo-server: demo-classes
	@swift build --product server-demo
	@swift build --product store-tool
	@tools/server-demo/run sh -c '"$$0/server-demo" "$$1" && \
	  "$$0/store-tool" copy "$$1" $(DEMO)/FromServer.sqlite --schema library --check' "$$(swift build --show-bin-path)"

test: setup
	tools/run-tests
	$(MAKE) example

# Flights that are loaded on two actors and shown by live queries; and the package that generates source with both plug-ins: at
# build time, and into its sources, which have to be current. Then the tests of a server, over a file and over PostgreSQL.
#
# Two of them take the modules that this package has compiled. Plug-ins compile their tools once for each package that is built, so
# LibraryApp has a folder of its own: in a shared one, each `swift build` here would compile the tools anew. Who builds only once,
# such as CI, names the shared folder: LIBRARYAPP_BUILD=.build.
LIBRARYAPP_BUILD ?= Examples/LibraryApp/.build
SHARED_BUILD := --scratch-path .build --disable-build-manifest-caching
LIBRARYAPP := --package-path Examples/LibraryApp --scratch-path $(LIBRARYAPP_BUILD) --disable-build-manifest-caching
example: setup
	swift run --package-path Examples/Enroute $(SHARED_BUILD) Enroute
	swift run $(LIBRARYAPP) LibraryApp
	swift package $(LIBRARYAPP) --allow-writing-to-package-directory generate-models --access public --check
	@if tools/server-demo/run true; then \
	  tools/server-demo/run sh -c 'TEST_DATABASE_URL="$$0" swift test --package-path Examples/LibraryServer $(SHARED_BUILD)'; \
	else echo "The server's tests run over a file only." >&2; swift test --package-path Examples/LibraryServer $(SHARED_BUILD); fi

# The optimizer releases objects earlier, and can make crashes of its own. The first build takes more than 20 minutes.
test-optimized: setup
	tools/run-tests -c release -Xswiftc -enable-testing

# The suites that file stores and PostgreSQL share run behind a pooler as well.
#
# The generated code of every real bundle, a quarter of a million lines, expands ten times as fast in an optimized plug-in.
test-full: setup
	swift build -c release --product SwiftDataMacros
	OPENSWIFTDATA_FULL_TESTS=1 tools/run-tests
	if PATH="$$PATH:/usr/sbin" command -v pgbouncer >/dev/null; then \
	  OPENSWIFTDATA_POOLER=1 tools/run-tests --skip-build --filter SwiftDataPostgreSQLTests; \
	else echo "Nothing is tested behind a pooler: sudo apt-get install -y pgbouncer" >&2; fi
	if [ -d ../shared/tools ]; then $(MAKE) left-stores; else echo "Left stores are not checked: no ../shared/tools." >&2; fi
	tools/thread-sanitizer/run

# Runs the tests once more, keeps the stores that they leave, and has the independent checker look at each. The suites left out here keep
# their rows on a server, or compile programs.
LEFT_STORES := $(CURDIR)/.build/left-stores
left-stores: setup
	rm -rf "$(LEFT_STORES)"
	OPENSWIFTDATA_LEFT_STORES="$(LEFT_STORES)" tools/run-tests --skip 'PostgreSQL|ServerConformance|GeneratedCodeTests'
	tools/check-left-stores "$(LEFT_STORES)"
	rm -rf "$(LEFT_STORES)"

bench: setup
	swift run --package-path Benchmarks -c release benchmarks
	swift run -c release importer-benchmark
	swift run -c release store-benchmark
	@tools/server-demo/run true || { echo "The PostgreSQL store is left out." >&2; exit 0; }; \
	tools/server-demo/run swift run -c release server-benchmark

# TIME is in seconds, for each of the three readers; see tools/fuzz/run.
fuzz: setup
	tools/fuzz/run $(or $(TIME),600)

format:
	swift format --in-place --parallel --recursive $(SOURCES)

lint:
	swift format lint --strict --parallel --recursive $(SOURCES)
	tools/check-layers
	tools/check-citations
	tools/check-examples

# These two targets need all modules that the documentation is of.
docs: setup
	swift build --target SwiftDataPostgreSQL
	swift build --target SwiftDataMetrics
	tools/build-docs

clean:
	rm -rf .build Benchmarks/.build Examples/*/.build
