# SPDX-License-Identifier: BSD-2-Clause
# wakecost. `make help` lists what can be made.

VERSION := 0.1.0

O        ?= .output
PREFIX   ?= /usr/local
DESTDIR  ?=
CFLAGS   ?= -O2 -g
CLANG    ?= clang
BPFTOOL  ?= $(firstword $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool) bpftool)
RST2MAN  ?= $(firstword $(shell command -v rst2man rst2man.py) rst2man)
PKGCONF  ?= pkg-config
PROTOC_C ?= protoc-c
DEPS     ?= 1
V        ?= 0

ifeq ($(origin CC),default)
CC := gcc
endif

ifeq ($(V),1)
  Q   :=
  msg :=
else
  Q   := @
  msg = @printf '  %-8s %s\n' '$(1)' '$(patsubst $(O)/%,%,$(2))';
  MAKEFLAGS += --no-print-directory
endif

# What there is: a new file needs no line here.

BPF_SRCS      := $(wildcard bpf/*.bpf.c)
USER_SRCS     := $(wildcard user/*.c user/*/*.c)
WORKLOAD_SRCS := $(wildcard workloads/*.c workloads/net/*.c)
UNIT_SRCS     := $(wildcard tests/unit/test_*.c)
BATS_CLI      := $(wildcard tests/cli/*.bats)
BATS_ROOT     := $(wildcard tests/root/*.bats)
BATS_VM       := $(wildcard tests/vm/*.bats)
BROWSER       := $(wildcard tests/browser/*.sh)
C_FILES       := $(sort $(foreach d,bpf vmlinux user user/* workloads workloads/* tests/*, \
                   $(wildcard $(d)/*.c $(d)/*.h)))
SH_FILES      := $(sort .ci/run docs/wakecost.bash $(wildcard scripts/*.sh vmlinux/*.sh tests/*/*.sh \
                   tests/*.bash tests/*/*.bash tests/vm/guest/*))

SKELS         := $(patsubst bpf/%.bpf.c,$(O)/%.skel.h,$(BPF_SRCS))
PROTOS        := $(wildcard proto/*.proto)
PROTO_HDRS    := $(PROTOS:%.proto=$(O)/%.pb-c.h)
PROTO_OBJS    := $(PROTOS:%.proto=$(O)/%.pb-c.o)
USER_OBJS     := $(USER_SRCS:%.c=$(O)/%.o) $(PROTO_OBJS)
LIB_OBJS      := $(filter-out $(O)/user/main.o,$(USER_OBJS))
WORKLOAD_OBJS := $(WORKLOAD_SRCS:%.c=$(O)/%.o)
WORKLOAD_LIB  := $(filter-out $(O)/workloads/main.o,$(WORKLOAD_OBJS))
UNIT_BINS     := $(UNIT_SRCS:%.c=$(O)/%)
ROOT_BINS     := $(patsubst %.c,$(O)/%,$(wildcard tests/root/*.c))
VM_BINS       := $(patsubst %.c,$(O)/%,$(wildcard tests/vm/*.c))

# Flags.

ARCH      := $(shell uname -m | sed 's/x86_64/x86/;s/aarch64/arm64/')
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
WARN      := -Wall -Wextra -Wshadow -Wmissing-prototypes
BPF_FLAGS := -target bpf -mcpu=v3 -g -O2 $(WARN) -Wno-missing-prototypes -Wno-unused-parameter \
             -D__TARGET_ARCH_$(ARCH) \
             -Ivmlinux -I. $(if $(MULTIARCH),-idirafter /usr/include/$(MULTIARCH))
PKGS      := libbpf sqlite3 jansson libelf zlib libprotobuf-c libdw liblzma
# Recursive on purpose: `make deps` may install what is asked about.
PKG_CFLAGS = $(shell $(PKGCONF) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(or $(shell $(PKGCONF) --libs $(PKGS) 2>/dev/null),-lbpf -lsqlite3 -ljansson -ldw -lelf -llzma -lz -lprotobuf-c)
# Frame pointers: our own programs are measured, and their stacks looked at. Generated headers are
# not ours to warn about.
C_FLAGS   := -std=gnu11 -D_GNU_SOURCE -fno-omit-frame-pointer $(WARN) -I. -isystem $(O)
GIT_ID    := $(shell git describe --always --dirty 2>/dev/null)

.PHONY: all run test lab lab-quick deps golden check-unit check-cli check-root check-browser \
	check-asan check-layers format-check \
	format lint bench man install clean help unit-bins root-bins FORCE
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

# The plugin once for each version of the emulator's interface: user/lab/plugin/qemu_api.h.
LAB_PARTS     := $(patsubst %,$(O)/wakecost-lab-%,init workload plugin1.so plugin2.so plugin3.so)

all: $(O)/wakecost $(O)/wakecost-workload $(O)/libwakecost-slots.so $(LAB_PARTS)

# Build. The probes never see the BTF of the machine that builds: vmlinux/ is written by hand.

$(O)/%.bpf.o: bpf/%.bpf.c
	$(call msg,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -MMD -MP -c $< -o $@

$(O)/%.skel.h: $(O)/%.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst .,_,$*)_bpf > $@

# Encoders of protobuf messages, made from what proto/ says of them.
$(O)/%.pb-c.c $(O)/%.pb-c.h: %.proto
	$(call msg,PROTO,$@)
	@mkdir -p $(@D)
	$(Q)$(PROTOC_C) --c_out=$(O) $<

$(O)/%.pb-c.o: $(O)/%.pb-c.c
	$(call msg,CC,$@)
	$(Q)$(CC) -std=gnu11 -I$(O) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(patsubst %.c,$(O)/%.o,$(wildcard user/output/pprof*.c user/output/perfetto*.c)): $(PROTO_HDRS)
# Named, as headers made into $(O) count as the system's and are in no list of dependencies.
$(patsubst %.c,$(O)/%.o,$(wildcard user/probe/session*.c)): $(SKELS)
$(O)/user/%.o: user/%.c | $(SKELS) $(PROTO_HDRS)
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(O)/workloads/%.o: workloads/%.c
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(CPPFLAGS) $(CFLAGS) -pthread -MMD -MP -c $< -o $@

$(O)/wakecost: $(USER_OBJS)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(PKG_LIBS) -lm -o $@

$(O)/wakecost-workload: $(WORKLOAD_OBJS)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -lm -o $@

# Loaded into programs of others: nothing but libc, and no name of ours for them to meet.
$(O)/libwakecost-slots.so: workloads/preload/slots.c
	$(call msg,PRELOAD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(CPPFLAGS) -O2 -g -fPIC -fvisibility=hidden -pthread -shared \
		-Wl,-z,defs $(LDFLAGS) $< -o $@

# What `wakecost lab` puts into guests, which have no libraries, and into the emulator.
$(O)/wakecost-lab-init: user/lab/guest/init.c
	$(call msg,LAB,$@)
	$(Q)$(CC) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) -static $< -o $@

$(O)/wakecost-lab-workload: $(WORKLOAD_OBJS)
	$(call msg,LAB,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread $^ -lm -o $@

$(O)/wakecost-lab-plugin%.so: user/lab/plugin/plugin.c user/lab/plugin/qemu_api.h
	$(call msg,LAB,$@)
	$(Q)$(CC) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) -DWC_QEMU_API=$* -shared -fPIC -fvisibility=hidden \
		$< -o $@

# One object knows the version; it is rebuilt when that changes, and only then.
VERSION_H := $(O)/wakecost-version.h
$(VERSION_H): FORCE
	@mkdir -p $(@D)
	@printf '#define WC_VERSION "%s"\n#define WC_GIT_ID "%s"\n' '$(VERSION)' '$(GIT_ID)' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(O)/user/util/version.o: $(VERSION_H)

# What the assembler takes in.
$(O)/user/output/flame_assets.o: $(wildcard user/output/flame/*)
$(O)/user/output/explain_assets.o: $(wildcard user/output/explain/*)

# Unit tests link everything but the two main()s.

$(O)/tests/unit/%: tests/unit/%.c $(LIB_OBJS)
	$(call msg,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -MT $@ -MF $@.d \
		$(filter %.c %.o,$^) -lcmocka $(PKG_LIBS) -pthread -lm -o $@

$(O)/tests/unit/test_workload%: tests/unit/test_workload%.c $(WORKLOAD_LIB)
	$(call msg,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -MT $@ -MF $@.d \
		$(filter %.c %.o,$^) -lcmocka -pthread -lm -o $@

unit-bins: $(UNIT_BINS)
root-bins: $(ROOT_BINS)

# Programs that link the same objects and are no unit test.

$(O)/tests/%: tests/%.c $(LIB_OBJS)
	$(call msg,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -MT $@ -MF $@.d \
		$(filter %.c %.o,$^) $(PKG_LIBS) -lm -o $@

# What measuring costs, beside other tools: docs/overhead.md. Peers not installed are left out.
bench:
	@DEPS=$(DEPS) scripts/deps.sh build bench
	@$(MAKE) all $(O)/tests/bench/bench
	@PATH=$(abspath $(O)):$$PATH $(O)/tests/bench/bench $(BENCH_ROUNDS)

# The probes on kernels other than this machine's, in emulation: docs/lab.md. lab-quick is its first
# half: one boot of each kernel with the best sources alone, skipped where packages cannot be had.
lab lab-quick:
	@DEPS=$(DEPS) scripts/deps.sh build $(if $(filter lab,$@),lab,lab-if-possible)
	@$(MAKE) all root-bins $(VM_BINS)
	@WAKECOST_OUT=$(abspath $(O)) tests/vm/lab.sh $(if $(filter lab,$@),$(LAB),quick); status=$$?; \
		scripts/give-back.sh $(O); exit $$status

# Tests: every suite speaks TAP, prove counts.

PROVE := WAKECOST=$(abspath $(O))/wakecost WAKECOST_OUT=$(abspath $(O)) prove --directives \
	 --exec scripts/tap.sh
ASAN_DIR   := $(O)/asan
ASAN_FLAGS := -O1 -g -Werror -fno-omit-frame-pointer -fsanitize=address,undefined \
	      -fno-sanitize-recover=all
ASAN_MAKE   = $(MAKE) O=$(ASAN_DIR) CFLAGS='$(ASAN_FLAGS)'
ASAN_BINS  := $(UNIT_SRCS:%.c=$(ASAN_DIR)/%)

check-unit: unit-bins
	@$(PROVE) $(UNIT_BINS)

# Expected outputs, made anew: read the difference before it is committed.
GOLDEN_BINS := $(addprefix $(O)/tests/unit/test_,table json csv prom work record_table record_json record_text explain_html)
golden: $(GOLDEN_BINS)
	$(Q)set -e; for t in $(GOLDEN_BINS); do WAKECOST_GOLDEN=write $$t; done

check-asan:
	@$(ASAN_MAKE) unit-bins
	@$(PROVE) $(ASAN_BINS)

check-cli: all
	@$(PROVE) $(BATS_CLI)

check-root: all $(ROOT_BINS)
	@$(PROVE) $(BATS_ROOT)

# Needs node, npm and chromium, and says so where they are not to be had.
BROWSER_DRAWS := $(O)/tests/helpers/flame_fixture
check-browser: $(BROWSER_DRAWS)
	@DEPS=$(DEPS) scripts/deps.sh browser
	@$(PROVE) $(BROWSER)

check-layers:
	$(call msg,LAYERS,.)
	$(Q)scripts/check-layers.sh .

test:
	@DEPS=$(DEPS) scripts/deps.sh build test browser
	@$(MAKE) all $(BROWSER_DRAWS)
	@$(MAKE) check-layers format-check
	@$(MAKE) lint
	@$(MAKE) unit-bins root-bins
	@$(ASAN_MAKE) unit-bins
	@scripts/give-back.sh $(O)
	@$(PROVE) $(UNIT_BINS) $(ASAN_BINS) $(BATS_CLI) $(BATS_ROOT) $(BROWSER); status=$$?; \
		scripts/give-back.sh $(O); exit $$status

# The main experiment: what do parked threads cost a handoff, and in which stage?

run:
	@DEPS=$(DEPS) scripts/deps.sh build
	@$(MAKE) all
	@scripts/give-back.sh $(O)
	$(O)/wakecost run handoff -P background=none,pause,futex-own -P parked=0,4000,16000 \
		-P placement=same --rounds 7 -o wakecost.data

deps:
	@scripts/deps.sh build test

# Form.

format:
	$(Q)clang-format -i $(C_FILES)

format-check:
	$(call msg,FORMAT,$(words $(C_FILES)) files)
	$(Q)clang-format --dry-run -Werror $(C_FILES)

# What cppcheck cannot know: libbpf's macro, the arithmetic shift both compilers promise, and that
# touching the stack is what alloca is there for.
CPPCHECK_KNOWS := '-DLIBBPF_OPTS(t,n,...)=t n={__VA_ARGS__}' \
	--suppress=shiftTooManyBitsSigned:bpf/hist.h --suppress=allocaCalled:workloads/stacks.c
# make lint ANALYZE=deep follows calls further, and takes three times as long.
ANALYZE ?= shallow
TIDY := TIDY_CACHE=$(O)/tidy TIDY_MODE=$(ANALYZE)
# bats runs each test in a subshell, under errexit, with variables of its own.
BATS_NOISE := SC2013,SC2016,SC2030,SC2031,SC2154,SC2164

lint: $(SKELS) $(PROTO_HDRS) $(VERSION_H)
	$(call msg,TIDY,$(words $(USER_SRCS) $(WORKLOAD_SRCS) $(UNIT_SRCS) $(BPF_SRCS)) files)
	$(Q)printf '%s\n' $(USER_SRCS) $(WORKLOAD_SRCS) workloads/preload/slots.c $(UNIT_SRCS) | \
		$(TIDY) scripts/tidy.sh $(C_FLAGS) $(PKG_CFLAGS)
	$(Q)printf '%s\n' $(BPF_SRCS) | $(TIDY) scripts/tidy.sh $(BPF_FLAGS)
	$(call msg,CPPCHECK,user workloads)
	$(Q)cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr -j 2 \
		--enable=warning,performance,portability --suppress=missingIncludeSystem \
		$(CPPCHECK_KNOWS) -D_GNU_SOURCE -I. user workloads
	$(call msg,SHELL,$(words $(SH_FILES)) files)
	$(Q)shellcheck $(SH_FILES)
	$(if $(BATS_CLI)$(BATS_ROOT),$(Q)shellcheck --shell=bats --exclude=$(BATS_NOISE) \
		$(BATS_CLI) $(BATS_ROOT) $(BATS_VM))

# Manual and installation.

man: $(O)/wakecost.1

$(O)/wakecost.1: docs/wakecost.rst Makefile
	$(call msg,MAN,$@)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< | $(RST2MAN) --strict > $@

# The manual is left out where there is nothing to make it with.
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/wakecost \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(O)/wakecost $(DESTDIR)$(PREFIX)/bin/wakecost
	install -m 755 $(O)/wakecost-workload $(DESTDIR)$(PREFIX)/libexec/wakecost/wakecost-workload
	install -m 755 $(O)/libwakecost-slots.so \
		$(DESTDIR)$(PREFIX)/libexec/wakecost/libwakecost-slots.so
	install -m 755 $(LAB_PARTS) $(DESTDIR)$(PREFIX)/libexec/wakecost/
	install -m 644 docs/wakecost.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/wakecost
	@if command -v $(RST2MAN) >/dev/null; then \
		$(MAKE) man && install -D -m 644 $(O)/wakecost.1 \
			$(DESTDIR)$(PREFIX)/share/man/man1/wakecost.1; \
	else echo 'wakecost.1 not installed: no rst2man (python3-docutils)'; fi

clean:
	$(Q)rm -rf $(O)

help:
	@echo 'make              build $(O)/wakecost and $(O)/wakecost-workload'
	@echo 'sudo make run     install what is missing, build, run the main experiment'
	@echo 'sudo make test    install what is missing, build, run every test'
	@echo 'sudo make lab     the probes on kernels 6.1 and 6.12, in emulation; lab-quick: part of it'
	@echo 'make deps         install the Debian packages of the build and the tests (DEPS=0: never)'
	@echo 'make check-unit | check-asan | check-cli | check-root       one suite of tests'
	@echo 'make check-browser                                          flame graphs in chromium'
	@echo 'make check-layers | format-check | lint                     form'
	@echo 'make lint ANALYZE=deep                                      slower, finds more'
	@echo 'make format       clang-format on every C file'
	@echo 'sudo make bench   what measuring costs, beside other tools'
	@echo 'make man          $(O)/wakecost.1'
	@echo 'make install      to $$DESTDIR$$PREFIX ($(PREFIX))'
	@echo 'make clean'
	@echo
	@echo 'V=1 shows commands; CC, CLANG, CFLAGS, BPFTOOL can be given.'

-include $(USER_OBJS:.o=.d) $(WORKLOAD_OBJS:.o=.d) $(UNIT_BINS:=.d) $(ROOT_BINS:=.d) $(VM_BINS:=.d) \
	$(patsubst bpf/%.bpf.c,$(O)/%.bpf.d,$(BPF_SRCS))
