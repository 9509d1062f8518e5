# The front door: thin rules over CMake. `make demo` and `make check` are all a newcomer needs.
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
MAKEFLAGS += --no-print-directory

.PHONY: EP ep ep-class all configure demo check check-full check-gpu asan tsan bench install format lint clean \
        bootstrap bootstrap-check
.NOTPARALLEL: # cmake and ctest run side by side what can be; the rules keep their order

all: $(BUILD)/CMakeCache.txt
	+cmake --build $(BUILD) $(if $(filter -j%,$(MAKEFLAGS)),,-j $(JOBS))

$(BUILD)/CMakeCache.txt:
	cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_ARGS)

# Looks again for what the bootstrap may have brought since the folder was made.
configure:
	cmake -S . -B $(BUILD) $(CMAKE_ARGS)

bootstrap:
	@scripts/bootstrap.sh build

bootstrap-check:
	@scripts/bootstrap.sh check

demo: bootstrap configure all
	$(BUILD)/bin/co2_forecast --out $(BUILD)/demo

check: bootstrap-check configure all
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -LE full

check-full: bootstrap-check configure all
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

check-gpu: bootstrap-check configure all
	scripts/check_gpu.sh $(BUILD)

# The sanitizers slow a test down several times over: of the grids one case in so many runs, and
# NVRTC is left to itself, for the library's own code is but a caller there.
asan: export QUERN_TEST_THIN = 40
asan: export LSAN_OPTIONS = suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
asan:
	$(MAKE) BUILD=$(BUILD)-asan CMAKE_ARGS="-DQUERN_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo" all
	ctest --test-dir $(BUILD)-asan --output-on-failure -j $(JOBS) -LE "full|bench" -E "^kernels.nvrtc$$"

tsan: export QUERN_TEST_THIN = 40
tsan:
	$(MAKE) BUILD=$(BUILD)-tsan CMAKE_ARGS="-DQUERN_SANITIZE=thread -DCMAKE_BUILD_TYPE=RelWithDebInfo" all
	ctest --test-dir $(BUILD)-tsan --output-on-failure -j $(JOBS) -L threads

bench: bootstrap configure all
	scripts/bench.sh $(BUILD)/bin/quern

# As in NPB: make EP CLASS=S leaves bin/ep.S.x, a link to the command.
CLASS ?= S
EP ep: ep-class all
	@mkdir -p bin
	ln -sf $(abspath $(BUILD))/bin/quern bin/ep.$$(echo $(CLASS) | tr a-z A-Z).x

ep-class:
	@case '$(CLASS)' in [SWABCDEFswabcdef]) ;; *) echo "CLASS is one of S W A B C D E F" >&2; exit 2;; esac

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cu')

lint:
	scripts/lint.sh $(BUILD)

clean:
	cmake -E rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan
