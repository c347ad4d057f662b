# SPDX-License-Identifier: MIT
#
# One Makefile, not recursive, no lists of files: a new .c under lib/, formats/, cmd/, tests/unit,
# tests/fuzz or testdata/gen is picked up by its name. cmd/tm-x.c and cmd/tm-x/*.c are the program tm-x.
#
#: make                      the programs, in build/plain/bin; installs no packages, and says what is missing
#: make deps                 installs the packages that compiling needs; make demo and make check do so, too
#: make check [T=WORDS]      the tests of every day, in minutes; or, of all, those whose name contains
#:                           one of the words
#: make check-all            what CI runs besides: other compilers, servers, browsers, static
#:                           analysis, and unit tests and golden cases under ASan and UBSan
#: make oracle               the programs beside the independent oracle, where that lies beside the project
#: make check-deep           hours, before an issue is resolved or a release: all that follow
#: make check-san [T=WORDS]       every test under ASan and UBSan
#: make check-clang, check-tsan   and of clang's ASan and UBSan; of TSan
#: make check-fleet [T=NAME]      GNU parallel, Slurm, SSH and servers on loopback
#: make check-packages       Debian's and RPM's packages: built from the tarball, installed in an empty Debian, purged;
#:                           and the image of Containerfile
#: make check-roots [T=NAME]      make demo and make check in empty Debians and Ubuntus, and without apt
#: make check-arm64          Debian's packages for arm64, built in an empty Debian; the golden cases by qemu
#: make check-programs [T=NAME]   Rust, Java, Mono and others run as plain while recorded
#: make demo                 a capture of a real process, symbolized, as a TopN report
#: make golden [T=PATTERN]   rewrite tests/golden/*/*.want; then read the diff
#: make tables               the tables of formats in the manual and in docs/, from tm-import --list-formats
#: make lint                 layers, formatting, static analysis, scripts, manual pages
#: make lint-deep            the analyzer's walk three times as long
#: make fuzz R=NAME TIME=60  libFuzzer on tests/fuzz/fuzz_NAME.c, or on the reader NAME
#: make fuzz-all TIME=SECONDS  all targets in turn, for that much CPU time; goes on where it was
#: make fuzz-table           what that came to so far
#: make fuzz-minimise        small inputs of it that are worth checking in, into build/minimised
#: make bench                rates and peak memory
#: make bench-symbolize      the symbolizer beside its peers, on a large file of Debian
#: make bench-ledger         the same on large files of other projects
#: make bench-hooks          what instrumented calls cost with the shadow stack
#: make bench-kits           frames a second of a game that is recorded (examples/README.md)
#: make bench-record         the recorder beside heaptrack and valgrind's DHAT
#: make bench-ci             quick ones of these, and what got worse since tests/bench/baseline.txt; never fails
#: make simulate             what gates decide of simulated builds: tests/simulate/judge.txt again
#: make stress-record        the recorder's faults, with a million threads
#: make diff                 answers compared on large files of Debian
#: make diff-corpus DIR=...  the same on the ELF files of a folder
#: make diff-builds [T=WORD]  and on programs of many compilers and languages
#: make install uninstall    with DESTDIR PREFIX BINDIR MANDIR LIBEXECDIR DATADIR LIBDIR
#:                           INCLUDEDIR
#: make docs                 the manual as HTML, in build/docs
#: make pictures             docs/*.png: the demo's pages in Chromium
#: make abi                  libtracemill's interface as it is now: tests/library/libtracemill.abi
#: make dist                 build/tracemill-VERSION.tar.gz, the same bytes each time
#: make packages             and of it .deb and .rpm, in build/release: those that this system can make
#: make longest              the longest source files, to look at
#: make fmt cover compdb clean help
#: knobs: SAN=address,undefined  SAN=thread  CC=clang  CFLAGS=...  WERROR=1  V=1
#:        NODEPS=1 (never look for packages)  STRIP= (install what debuggers need, too)

VERSION := $(shell cat VERSION)
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
LIBEXECDIR ?= $(PREFIX)/libexec
DATADIR ?= $(PREFIX)/share
LIBDIR  ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

# Objects of different compilers and sanitizers live apart, so switching costs no rebuild and
# mixes nothing.
comma    := ,
compiler := $(notdir $(lastword $(CC)))
MODE     := $(if $(SAN),$(subst $(comma),-,$(SAN)),plain)$(if \
            $(filter-out cc gcc,$(compiler)),-$(compiler))$(if $(COV),-cov)
B        := build/$(MODE)
# Of a cross compiler the prefix, which its other tools have, too: make CC=aarch64-linux-gnu-gcc. What is
# built so and has to run here is run by EMULATOR: "qemu-aarch64 -L FOLDER".
cross    := $(if $(filter %-gcc,$(compiler)),$(compiler:%gcc=%))
LD       := $(if $(filter default,$(origin LD)),$(cross)ld,$(LD))
AR       := $(if $(filter default,$(origin AR)),$(cross)ar,$(AR))
OBJCOPY  ?= $(cross)objcopy
PKG_CONFIG ?= $(if $(cross),$(shell command -v $(cross)pkg-config || echo pkg-config),pkg-config)
export PKG_CONFIG
EMULATOR ?=
# g++ is make's default, which would mix clang's and gcc's sanitizer runtimes.
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(compiler)),$(patsubst %$(compiler),%$(subst \
       clang,clang++,$(compiler)),$(CC)),$(cross)g++)
endif

# make has no way to ask how parallel it is before 4.4; a -j on the command line still wins.
MAKEFLAGS += $(if $(filter-out 0,$(MAKELEVEL)),,-j$(shell nproc 2>/dev/null || echo 1))

# A packager's CFLAGS, CPPFLAGS and LDFLAGS are kept; what the code relies on is added to them.
# Under sanitizers less is enough: -Og compiles in half of the time of -O1.
optimize := $(if $(SAN),-Og -g1,-O2 -g)
CFLAGS   ?= $(optimize)
CXXFLAGS ?= $(optimize)
WARN     := -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef \
            -Wformat=2 -Wvla
SECTIONS := -ffunction-sections -fdata-sections
# The same objects are linked into programs and into the library that installed programs share.
PIC      := -fPIC -fno-semantic-interposition
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
COVFLAGS := $(if $(COV),-fprofile-instr-generate -fcoverage-mapping -DCOVERAGE)
override CPPFLAGS += -D_GNU_SOURCE -DTM_VERSION='"$(VERSION)"' -I. -Ibuild/made
override CFLAGS   += -std=c11 $(WARN) -Wmissing-prototypes -Wstrict-prototypes $(SECTIONS) \
                     $(SANFLAGS) $(COVFLAGS) $(if $(WERROR),-Werror) $(PIC)
override CXXFLAGS += -std=c++17 -Wall -Wextra $(SECTIONS) $(PIC) $(SANFLAGS) $(COVFLAGS)
# What reads hostile files gets what Debian gives its packages; a packager's own flags stay. Not the
# recorder, which calls nothing of the C library that lib/recorder does not list.
HARDENED := $(if $(SAN)$(COV)$(findstring -O0,$(CFLAGS))$(findstring FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,-fstack-protector-strong \
            -D_FORTIFY_SOURCE=2)
# A program links only what it uses: unused sections go, then libraries without a reference.
override LDFLAGS  += -Wl,--as-needed -Wl,--gc-sections $(SANFLAGS) $(COVFLAGS)

# The libraries' flags are found once and kept. The goals of brings install what is missing first; all others say
# what is missing, and stop. make then starts over by itself, since an included file has changed.
brings   := $(filter deps demo check check-% oracle golden lint lint-% fuzz fuzz-% bench bench-% simulate stress-record \
            diff diff-% packages pictures cover,$(MAKECMDGOALS))
ifneq ($(filter-out clean help uninstall fmt docs deps,$(or $(MAKECMDGOALS),all)),)
include $(if $(brings),build/deps-build) build/deps.mk
endif
override CPPFLAGS += $(TM_CPPFLAGS)
# LLVM's demangler (lib/demangle/demangle_llvm.c) is a part of what is built, and no library to link with.
llvm_a   := $(filter %/libLLVMDemangle.a,$(TM_LIBS))
# Capstone and libmicrohttpd are loaded at their first use (lib/base/shared_library.h).
override LDLIBS   += $(filter-out $(llvm_a) -lcapstone -lmicrohttpd,$(TM_LIBS))

# The tests that T names may be of any tier.
tiers    := $(or $(TIER),$(if $(T),$(shell tests/run --tiers $(T)),check))
# Empty, and read only so that make starts over when a package was installed: what follows looks around.
ifneq ($(filter check,$(MAKECMDGOALS)),)
include $(tiers:%=build/deps-%)
endif

# What protoc-c makes of a .proto is no source of ours: it lives under build/.
proto    := $(wildcard lib/*/*.proto)
made     := $(proto:%.proto=build/made/%.pb-c.c)
# The hooks of the capture runtime would catch our own programs' calls: they are in its library only.
# These include what a Lua brings.
lua_host := $(addprefix lib/recorder/lua/,blocks.c module.c names.c natives.c shapes.c sizes.c snapshot.c)
lib_src  := $(filter-out lib/base/resource_scope.c lib/recorder/hooks/% lib/recorder/mono/% $(lua_host),$(wildcard lib/*/*.c lib/*/*/*.c formats/*.c \
            formats/*/*.c)) $(made)
exporters := $(shell sed -n 's/^const struct exporter \(exporter_[a-z0-9_]*\) = {$$/\1/p' $(sort $(wildcard lib/export/*.c)))
readers  := $(shell sed -n 's/^const struct reader \(reader_[a-z0-9_]*\) = {$$/\1/p' $(sort $(wildcard formats/*.c formats/*/*.c)))
cap_src  := $(filter-out lib/recorder/lua/% lib/recorder/mono/%,$(wildcard lib/recorder/*.c lib/recorder/*/*.c)) \
            lib/trace/encode.c lib/trace/column_encoder.c lib/base/hash_bytes.c lib/base/decimal_split.c
cmd_src  := $(wildcard cmd/*.c)
# What only tm-x uses: cmd/tm-x/ next to cmd/tm-x.c.
own_src  := $(wildcard cmd/*/*.c)
unit_src := $(wildcard tests/unit/*.c)
fuzz_src := $(wildcard tests/fuzz/fuzz_*.c)
fuzz_own := $(filter-out $(fuzz_src) tests/fuzz/driver.c tests/fuzz/reader.c,$(wildcard tests/fuzz/*.c))
gen_so   := $(wildcard testdata/gen/*.so.c)
gen_src  := $(filter-out $(gen_so),$(wildcard testdata/gen/*.c testdata/gen/*.cpp))
data_src := $(sort $(shell find testdata -type f))

# All rooms, for our programs where they are built; and once on a disk, for those that are installed: what symbolizes is
# a library of its own, since libdwarf would cost every start of a report's program.
LIB      := $(B)/rooms.a
ROOMS    := $(B)/installed/libtracemill-rooms-$(VERSION).so
SYMBOLS  := $(B)/installed/libtracemill-symbols-$(VERSION).so
# What others build on: lib/library and what it needs, with its own names for memory (resource_scope.h). Our programs
# have the same rooms, the interface too, with memory as programs have it; tm-view has them as the library has.
library_src := $(wildcard lib/library/*.c lib/base/*.c lib/trace/*.c lib/object/*.c lib/dwarf/*.c \
            lib/dwarf/*/*.c lib/pdb/*.c lib/demangle/*.c lib/index/*.c lib/find/*.c lib/managed/*.c lib/symbolize/*.c \
            lib/input/*.c lib/pack/*.c lib/disasm/code.c lib/sandbox/*.c) formats/maps.c formats/minidump.c formats/smaps.c formats/emit.c
library_major := $(shell sed -n 's/.*UINT32_C(\([0-9]*\)) << 16.*/\1/p' lib/library/tracemill/version.h)
library_api := $(wildcard lib/library/tracemill/*.h)
library_names := $(shell sed -n 's/^\t\(tracemill_[a-z_]*\);/\1/p' lib/library/libtracemill.map)
LIBRARY  := $(B)/lib/libtracemill.so $(B)/lib/libtracemill.a
CAPTURE  := $(B)/lib/libtracemill-capture
RUNTIME  := $(CAPTURE).so $(CAPTURE).a $(B)/lib/libtracemill-wrap.a
# For programs of musl, and for those with words of 32 bits that this machine runs, too: where a compiler
# for them is here and this is no cross build.
MUSL_CC  ?= $(if $(filter cc gcc,$(compiler)),$(shell command -v musl-gcc))
ifeq ($(origin CC32),undefined)
CC32     := $(if $(filter cc gcc,$(compiler)),$(shell case $$($(CC) -dumpmachine 2>/dev/null) in \
              (x86_64-*) command -v i686-linux-gnu-gcc || \
                ! echo '\#include <stdio.h>' | $(CC) -m32 -shared -x c -o /dev/null - 2>/dev/null || echo '$(CC) -m32';; \
              (aarch64-*) command -v arm-linux-gnueabihf-gcc;; esac))
endif
CAPTURES := $(if $(MUSL_CC),musl) $(if $(CC32),32)
# Programs of musl are linked statically more often than not.
OTHERS   := $(CAPTURES:%=$(B)/lib/%/libtracemill-capture.so) $(if $(MUSL_CC),$(B)/lib/musl/libtracemill-wrap.a)
# A Lua module for each Lua whose headers are here.
LUAS     := $(shell for v in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do \
              $(PKG_CONFIG) --exists $$v 2>/dev/null && echo $$v; done)
LUA_SO   := $(LUAS:%=$(B)/lib/%/tracemill.so)
LUA_A    := $(LUAS:%=$(B)/lib/%/libtracemill-lua.a)
# Mono's profiler, where its headers are here.
MONO_SO  := $(if $(shell $(PKG_CONFIG) --exists mono-2 2>/dev/null && echo yes),$(B)/lib/mono/libmono-profiler-tracemill.so)
PROGRAMS := $(cmd_src:cmd/%.c=$(B)/bin/%)
INSTALLED := $(cmd_src:cmd/%.c=$(B)/installed/%)
UNITS    := $(unit_src:tests/unit/%.c=$(B)/tests/unit/%)
FUZZERS  := $(patsubst tests/fuzz/%.c,$(B)/tests/fuzz/%,$(filter-out %/fuzz_library.c,$(fuzz_src)))
# One program, which looks at the name that it is called by.
FUZZ_READERS := $(patsubst %,$(B)/tests/fuzz/fuzz_%,$(shell sh tests/fuzz/targets.sh readers))
# Through the public interface alone, in the library's own build.
FUZZ_LIBRARY := $(B)/tests/fuzz/fuzz_library
# Generators and what they make are the same whatever the programs are built with.
DATA     := build/plain/testdata
GEN      := build/plain/testdata-gen
GENS_C   := $(patsubst testdata/gen/%.c,$(GEN)/%,$(filter %.c,$(gen_src)))
GENS_CXX := $(patsubst testdata/gen/%.cpp,$(GEN)/%,$(filter %.cpp,$(gen_src)))
GENS_SO  := $(gen_so:testdata/gen/%.so.c=$(GEN)/%.so)
GENS     := $(GENS_C) $(GENS_CXX) $(GENS_SO)
obj       = $(addprefix $(B)/obj/,$(addsuffix .o,$(1)))
# Both pages are made of these; page.css and page.js are the mailed page's own.
shared_css := lib/render/html/theme.css
shared_js  := $(patsubst %,lib/render/html/%.js,texts format dom flame rows chart)
html_assets := $(shared_css) lib/render/html/page.css $(shared_js) $(patsubst %,lib/render/html/%.js,table page)
view_assets := $(sort $(wildcard lib/view/page/*.*)) $(shared_css) $(shared_js)
made_obj := $(patsubst %,$(B)/obj/gen/%.c.o,html_assets view_assets option_owners)
lib_obj  := $(call obj,$(lib_src)) $(made_obj)
symbols_obj := $(filter $(foreach r,compat disasm dwarf find index inspect library managed object pdb record recorder \
            symbolize,$(B)/obj/lib/$(r)/%) $(foreach c,autosymbolize binaries given managed search symbolizer walk,%/lib/cli/$(c).c.o),$(lib_obj))
# Of tm-view alone.
view_own := $(filter $(B)/obj/lib/view/% $(B)/obj/gen/view_assets.c.o,$(lib_obj))
simulate_src := $(sort $(wildcard tests/simulate/*.c))
all_obj  := $(lib_obj) $(call obj,$(cmd_src) $(own_src) $(unit_src) $(fuzz_src) $(fuzz_own) $(gen_src) tests/fuzz/driver.c tests/fuzz/reader.c \
            $(simulate_src) $(gen_so))
simulations := $(addprefix $(B)/tests/simulate/,judge steps)

# What tests/run, testdata/make.sh, testdata/demo.sh and tests/bench/run.sh may rely on.
export TM_ENV := SRC=$(CURDIR) BUILD=$(CURDIR)/$(B) BIN=$(CURDIR)/$(B)/bin \
                 DATA=$(CURDIR)/$(DATA) GEN=$(CURDIR)/$(GEN)
# Fuzz corpora are replayed under ASan and UBSan whatever the mode; an address mode is its own.
REPLAY := $(if $(findstring address,$(SAN)),$(B),build/address-undefined$(if \
          $(filter-out cc gcc,$(compiler)),-$(compiler)))

Q := $(if $(V),,@)
say = $(if $(V),,@if [ -t 2 ]; then printf '  %-5s %s\033[K\r' $(1) '$(2)' >&2; else printf '  %-5s %s\n' $(1) '$(2)' >&2; fi;)

stress_record = env $(TM_ENV) CC='$(CC)' THREADS=$(or $(THREADS),1000000) \
                PATH='$(CURDIR)/$(B)/bin':"$$PATH" bash '$(CURDIR)/tests/sh/record_faults.sh'

.PHONY: all deps check check-all oracle check-deep check-san check-clang check-tsan check-fleet check-packages check-roots check-arm64 check-programs demo golden tables lint lint-deep fuzz bench bench-symbolize \
        bench-ledger bench-hooks bench-kits bench-record bench-ci simulate fuzz-all fuzz-table fuzz-minimise stress-record diff diff-corpus diff-builds \
        install uninstall abi dist packages docs pictures fmt longest cover compdb clean help \
        test-programs replay-programs generators fixtures FORCE
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

all: $(PROGRAMS) $(LIBRARY) $(RUNTIME) $(OTHERS) $(LUA_SO) $(LUA_A) $(MONO_SO)

# What was built without an optional package gets it, too, before a goal that installs.
build/deps.mk: .ci/deps .ci/packages.txt $(if $(brings),build/deps-build)
	@mkdir -p $(@D)
	$(if $(NODEPS)$(brings),,@.ci/deps look)
	@.ci/deps flags >$@

build/deps-build: .ci/deps .ci/packages.txt
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps build)
	@touch $@

deps:
	@rm -f build/deps-build
	+@$(MAKE) -s --no-print-directory NODEPS= brings=deps build/deps.mk >&2

# Behind the other, whose packages these are, too: two installations at once are one too many.
# One after the other: both are installations.
build/deps-all: | $(and $(filter all,$(tiers)),$(filter check,$(tiers)),build/deps-check)
build/deps-check build/deps-all: build/deps-%: .ci/deps .ci/packages.txt | build/deps.mk
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps $*)
	@touch $@

# Without them the demo says what it does not show.
build/deps-demo: .ci/deps .ci/packages.txt
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps demo && touch $@ || :)

build/deps-fuzz: .ci/deps .ci/packages.txt
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps fuzz)
	@touch $@

build/deps-fleet: .ci/deps .ci/packages.txt
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps fleet)
	@touch $@

build/deps-builds: .ci/deps .ci/packages.txt
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps builds && touch $@ || :)

build/deps-packages: .ci/deps .ci/packages.txt
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps packages)
	@touch $@

# What cannot be installed is a row that says so.
build/deps-programs: .ci/deps .ci/packages.txt
	@mkdir -p $(@D)
	$(if $(NODEPS),,@.ci/deps programs && touch $@ || :)

# Rewritten only when their text changes. Every object depends on the first, so other flags
# rebuild; the archive depends on the second, so a deleted source leaves it.
$(B)/flags: export TEXT = $(CC) $(CXX) $(CPPFLAGS) $(LIBRARY_FLAGS) $(HARDENED) $(CAPFLAGS) $(CXXFLAGS) $(LDFLAGS) $(LDLIBS)
$(B)/members: export TEXT = $(lib_obj)
$(B)/library/members: export TEXT = $(library_obj)
$(B)/places: export TEXT = $(rooms_at)
# The lists of formats/reader.c and lib/export/export.c.
build/made/formats/readers.h: export TEXT = $(patsubst %,READER(%),$(readers))
build/made/lib/export/exporters.h: export TEXT = $(patsubst %,EXPORTER(%),$(exporters))
$(B)/flags $(B)/members $(B)/library/members $(B)/places build/made/formats/readers.h build/made/lib/export/exporters.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$TEXT" | cmp -s - $@ || printf '%s\n' "$$TEXT" >$@

build/made/%.pb-c.c build/made/%.pb-c.h: %.proto
	@mkdir -p build/made
	$(call say,PROTO,$<)protoc-c --c_out=build/made $<

$(call obj,$(foreach p,$(proto),$(wildcard $(dir $(p))*.c))): | $(made)
$(call obj,formats/reader.c): build/made/formats/readers.h
$(call obj,lib/export/export.c): build/made/lib/export/exporters.h

$(B)/obj/%.c.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDENED) -MMD -MP -c -o $@ $<

$(B)/obj/%.cpp.o: %.cpp $(B)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(HARDENED) -MMD -MP -c -o $@ $<

# The files of a page as C strings. In a mailed page all modules are one script: they import nothing.
as_string := sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/'
$(B)/gen/html_assets.c: $(html_assets) Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@){ echo '#include "lib/render/html/assets.h"'; \
	  echo 'const char html_styles[] ='; cat $(filter %.css,$(html_assets)) | $(as_string); \
	  echo '; const char html_scripts[] ='; \
	  sed '/^import /d; s/^export //' $(filter %.js,$(html_assets)) | $(as_string); echo ';'; } >$@

# Those of tm-view's page, by their names. A page names the modules that its first one imports, and those that they
# import, so that a browser asks for all of them at once.
preloads := awk 'FNR == 1 { f = FILENAME; sub(".*/", "", f) } \
	  /^<!doctype/ { page = FILENAME } \
	  FILENAME == page { line[++n] = $$0; if (/type="module"/) { split($$0, q, "\""); todo[m = 1] = q[4]; at = n } next } \
	  match($$0, /(from|^import) "\.\/[a-z_]+\.js"/) { split(substr($$0, RSTART, RLENGTH), q, /"\.\/|"/); all[f] = all[f] " " q[2] } \
	  END { for (i = 1; i <= m; i++) { k = split(all[todo[i]], q, " "); for (j = 1; j <= k; j++) if (!had[q[j]]++) todo[++m] = q[j] } \
	    for (i = 1; i <= n; i++) { if (i == at) for (j = 2; j <= m; j++) print "<link rel=\"modulepreload\" href=\"" todo[j] "\">"; print line[i] } }'
$(B)/gen/view_assets.c: $(view_assets) Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@){ echo '#include "lib/view/asset.h"'; echo 'const struct view_asset view_assets[] = {'; \
	  for f in $(view_assets); do echo "{\"$${f##*/}\","; \
	  case $$f in *.html) $(preloads) $$f $(filter %.js,$(view_assets)) | $(as_string);; *) $(as_string) "$$f";; esac; \
	  echo '},'; done; echo '{0, 0}};'; } >$@

# The programs of each option, but for those of drop-ins. A table that several programs share has a program that stands
# for them: tm-symbolize looks for binaries, tm-filter filters; a word that nearly all have is nobody's.
$(B)/gen/option_owners.c: lib/cli/options.txt Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@){ echo '#include "lib/cli/option_owners.h"'; echo '#include <stddef.h>'; \
	  echo 'const struct option_owners option_owners[] = {'; \
	  awk '/^# Other tools/ { exit } /^#/ || !NF || /^old:/ { next } \
	    { n = split($$3, p, ","); text = ""; left = 0; \
	      for (i = 1; i <= n; i++) if (p[i] ~ /^(binaries|managed)$$/) p[i] = "symbolize"; \
	      for (i = 1; i <= n; i++) if (p[i] !~ /^(cli|opt|report|addr2line|atos|llvm-symbolizer)$$/) has[++left] = "tm-" p[i]; \
	      for (i = 1; i <= left; i++) text = text (i == 1 ? "" : i == left ? " and " : ", ") has[i]; \
	      if (left) print "{\"" $$1 "\", \"" text "\"}," }' $<; echo '{NULL, NULL}};'; } >$@

$(B)/obj/gen/%.c.o: $(B)/gen/%.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Of LLVM's demangler what makes names of C++, D and Microsoft's C++, as one object with three names. Its memory is ours,
# and so bounded; what it has of C++ beside that (types that name themselves, exceptions) is ours, too, or its end.
llvm_obj := $(if $(llvm_a),$(B)/llvm_demangle.o)
llvm_itanium   := _ZN4llvm15itaniumDemangleESt17basic_string_viewIcSt11char_traitsIcEEb
llvm_microsoft := _ZN4llvm17microsoftDemangleESt17basic_string_viewIcSt11char_traitsIcEEPmPiNS_15MSDemangleFlagsE
llvm_dlang     := _ZN4llvm13dlangDemangleESt17basic_string_viewIcSt11char_traitsIcEE
llvm_names     := llvm_itanium llvm_microsoft llvm_dlang
llvm_becomes   := $(foreach f,$(llvm_names),$($f)=$f) $(foreach f,malloc realloc free memcpy memmove abort,$f=llvm_$f) \
                  _Znwm=llvm_new _Znam=llvm_new_array _ZdlPvm=llvm_delete _ZdaPv=llvm_delete_array \
                  _ZTVN10__cxxabiv117__class_type_infoE=llvm_class _ZTVN10__cxxabiv120__si_class_type_infoE=llvm_derived_class \
                  _ZSt9terminatev=llvm_terminate _ZSt24__throw_out_of_range_fmtPKcz=llvm_out_of_range \
                  _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm=llvm_string
$(B)/llvm_demangle.o: $(llvm_a) $(B)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(LD) -r --gc-sections --force-group-allocation $(foreach f,$(llvm_names),-u $($f)) -o $@.tmp $(llvm_a) && \
	  $(OBJCOPY) $(llvm_becomes:%=--redefine-sym %) $(llvm_names:%=--keep-global-symbol=%) $@.tmp $@ && rm $@.tmp

$(B)/rooms.a: $(lib_obj) $(llvm_obj) $(B)/members
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(lib_obj) $(llvm_obj)

# Of our programs alone, and of this version: no interface.
link_so = $(call say,LINK,$@)$(CC) $(LDFLAGS) -shared -Wl,-z,defs,-z,now,-Bsymbolic-functions,-soname,$(@F) \
          '-Wl,-rpath,$$ORIGIN' -o $@ $(filter %.o,$^) $(filter %.so,$^) $(LDLIBS)

$(ROOMS): $(filter-out $(view_own) $(symbols_obj),$(lib_obj)) $(llvm_obj) $(B)/members
	@mkdir -p $(@D)
	$(link_so)

$(SYMBOLS): $(symbols_obj) $(ROOMS)
	$(link_so)

# libtracemill: the names of lib/library/libtracemill.map and nothing else.
LIBRARY_FLAGS = $(CFLAGS) -fvisibility=hidden -DTM_LIBRARY -include lib/base/resource_names.h
library_obj := $(addprefix $(B)/library/,$(addsuffix .o,$(library_src)))
library_own := $(filter $(B)/library/lib/library/%,$(library_obj))
soname   := libtracemill.so.$(library_major)

$(B)/library/%.c.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(LIBRARY_FLAGS) $(HARDENED) -MMD -MP -c -o $@ $<

$(B)/library/rooms.a: $(library_obj) $(llvm_obj) $(B)/library/members
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(library_obj) $(llvm_obj)

$(B)/lib/$(soname): $(library_own) $(B)/library/rooms.a lib/library/libtracemill.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) -shared $(if $(SAN),,-Wl$(comma)-z$(comma)defs) -Wl,-z,now,-soname,$(soname) \
	  -Wl,--version-script=lib/library/libtracemill.map -o $@ $(filter %.o %/rooms.a,$^) $(LDLIBS)

$(B)/lib/libtracemill.so: $(B)/lib/$(soname)
	$(Q)ln -sf $(soname) $@

# The runtime inside a program: nothing of it is seen but what it hooks and tracemill.h; no library
# but the C library. A sanitizer has hooks of its own, which ours must not come before. An agent that is
# called at a hook's end finds the engine behind itself on the stack: the call is a jump, at -O1 too.
CAPFLAGS = $(filter-out $(SANFLAGS),$(CFLAGS)) -foptimize-sibling-calls -fno-builtin-bcmp -fPIC -fvisibility=hidden -fno-omit-frame-pointer -fexceptions
cap_obj  := $(addprefix $(B)/cap/,$(addsuffix .o,$(cap_src)))

$(B)/cap/%.c.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CAPFLAGS) -DXXH_INLINE_ALL -MMD -MP -c -o $@ $<

$(CAPTURE).so: $(cap_obj)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(filter-out $(SANFLAGS),$(LDFLAGS)) -shared -Wl,-z,defs,-z,now,-soname,$(@F) -o $@ $^ -lm

# One object, of which nothing but the hooks and tracemill.h can meet a program's own names.
archive = $(call say,AR,$@)rm -f $@ && $(LD) -r -o $(@:.a=.o) $^ && \
          $(OBJCOPY) --localize-hidden $(@:.a=.o) && $(AR) rcs $@ $(@:.a=.o) && rm $(@:.a=.o)

# One object of what the interface needs.
$(B)/lib/libtracemill.a: $(library_own) $(B)/library/rooms.a
	@mkdir -p $(@D)
	$(call say,AR,$@)rm -f $@ && $(LD) -r --gc-sections $(library_names:%=-u %) \
	  -o $(@:.a=.o) $^ && $(OBJCOPY) --localize-hidden $(@:.a=.o) && $(AR) rcs $@ $(@:.a=.o) && rm $(@:.a=.o)

$(CAPTURE).a: $(cap_obj)
	@mkdir -p $(@D)
	$(archive)

# The same for -Wl,--wrap=malloc and its like, where nothing can be preloaded.
wrap_src := $(filter-out lib/recorder/hooks/new.c lib/recorder/hooks/mmap.c lib/recorder/hooks/attach.c,$(cap_src))
wrap_obj := $(addprefix $(B)/wrap/,$(addsuffix .o,$(wrap_src)))

$(B)/wrap/%.c.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CAPFLAGS) -DCAP_WRAP -DXXH_INLINE_ALL -MMD -MP -c -o $@ $<

$(B)/lib/libtracemill-wrap.a: $(wrap_obj)
	@mkdir -p $(@D)
	$(archive)

# For another C library or another length of words, with the one header that is not the C library's; for
# musl with the kernel's, too: musl-gcc looks in none of their folders.
OTHER_FLAGS = -D_GNU_SOURCE -DTM_VERSION='"$(VERSION)"' -I. -isystem $(B)/$1/include $(CAPFLAGS) -DXXH_INLINE_ALL
other_obj = $(addprefix $(B)/$1/,$(addsuffix .o,$(cap_src)))
define other_capture # FOLDER COMPILER
$(call other_obj,$1): $(B)/$1/%.c.o: %.c $(B)/flags | $(B)/$1/include
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)$2 $$(call OTHER_FLAGS,$1) -MMD -MP -c -o $$@ $$<

$(B)/lib/$1/libtracemill-capture.so: $(call other_obj,$1)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$2 $$(filter-out $$(SANFLAGS),$$(LDFLAGS)) -shared \
	  -Wl,-z,defs,-z,now,--eh-frame-hdr,-soname,$$(@F) -o $$@ $$^ -lm
endef
$(eval $(call other_capture,musl,$(MUSL_CC)))

musl_wrap := $(wrap_src:%=$(B)/musl/wrap/%.o)

$(musl_wrap): $(B)/musl/wrap/%.c.o: %.c $(B)/flags | $(B)/musl/include
	@mkdir -p $(@D)
	$(call say,CC,$<)$(MUSL_CC) $(call OTHER_FLAGS,musl) -DCAP_WRAP -MMD -MP -c -o $@ $<

$(B)/lib/musl/libtracemill-wrap.a: $(musl_wrap)
	@mkdir -p $(@D)
	$(archive)

# GCC says that its version 11 has changed how 64-bit atomics lie; nothing older compiles this.
$(eval $(call other_capture,32,$(CC32) -Wno-psabi))

$(B)/musl/include $(B)/32/include: $(B)/flags
	@mkdir -p $@
	@ln -sf $$(echo '#include <xxhash.h>' | $(CC) -M -x c - | tr ' ' '\n' | grep '/xxhash\.h$$') $@/
	@for d in $(if $(findstring musl,$@),linux asm-generic asm); do \
	  ln -sfn "$$(echo '#include <linux/futex.h>' | $(CC) -M -x c - | \
	    tr ' ' '\n' | sed -n "s,/$$d/.*,/$$d,p" | head -n 1)" $@/$$d; done

# The Lua module: the same source with each one's headers. Its host has Lua's functions.
lua_src  := $(wildcard lib/recorder/lua/*.c)
lua_own  := $(addprefix $(B)/cap/,$(addsuffix .o,lib/recorder/base/output.c lib/recorder/base/log_line.c lib/trace/encode.c \
            lib/trace/column_encoder.c lib/base/hash_bytes.c lib/base/decimal_split.c))

$(LUA_SO): $(B)/lib/%/tracemill.so: $(lua_src) $(wildcard lib/recorder/lua/*.h) $(lua_own)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CPPFLAGS) $(shell $(PKG_CONFIG) --cflags $*) \
	  $(if $(filter luajit,$*),-DTM_LUAJIT) $(CAPFLAGS) \
	  $(filter-out $(SANFLAGS),$(LDFLAGS)) -shared -o $@ $(lua_src) $(lua_own)

# Its host has Mono's functions, and the recorder's.
$(MONO_SO): lib/recorder/mono/agent.c lib/recorder/script.h lib/recorder/tracemill.h $(B)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CPPFLAGS) $(shell $(PKG_CONFIG) --cflags mono-2) $(CAPFLAGS) \
	  $(filter-out $(SANFLAGS),$(LDFLAGS)) -shared -o $@ $<

# The same for programs that link it in: tracemill_lua_open.
$(LUA_A): $(B)/lib/%/libtracemill-lua.a: $(lua_src) $(wildcard lib/recorder/lua/*.h) $(lua_own)
	@mkdir -p $(@D)/lua
	$(call say,CC,$@)for f in $(lua_src); do $(CC) $(CPPFLAGS) $(shell $(PKG_CONFIG) --cflags $*) \
	  $(if $(filter luajit,$*),-DTM_LUAJIT) $(CAPFLAGS) -c -o $(@D)/lua/$$(basename $$f).o $$f || exit 1; done
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $(lua_src:lib/recorder/lua/%=$(@D)/lua/%.o) $(lua_own)

bind_now := -Wl,-z,relro,-z,now
# What only tests run is linked in half of the time by LLVM's linker, where that is installed.
$(UNITS) $(FUZZERS) $(B)/tests/fuzz/reader $(FUZZ_LIBRARY) $(if $(SAN),$(PROGRAMS)): linker := \
  $(if $(cross),,$(if $(shell command -v ld.lld),-fuse-ld=lld))
link_c   = $(call say,LINK,$@)$(CC) $(LDFLAGS) $(linker) $(bind_now) -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(LDLIBS)
link_cxx = $(call say,LINK,$@)$(CXX) $(LDFLAGS) $(bind_now) -o $@ $^ $(LDLIBS)

$(filter-out %/tm-view,$(PROGRAMS)): $(B)/bin/%: $(B)/obj/cmd/%.c.o $(LIB)
	@mkdir -p $(@D)
	$(link_c)

# tm-view answers with the programs themselves, in threads of which each has a resource scope: so it is built as
# libtracemill is, and of nothing else (resource_names.h). A folder is a session, as tm-session reads it.
answering := tm-top tm-frames tm-compare tm-heap tm-spikes tm-export tm-inspect
view_src  := cmd/tm-view.c $(filter $(foreach p,tm-view tm-session $(answering),cmd/$p/%),$(own_src))
view_obj  := $(addprefix $(B)/library/,$(addsuffix .o,$(view_src) $(lib_src) lib/base/resource_scope.c)) \
             $(made_obj) $(llvm_obj)

$(B)/bin/tm-view $(B)/installed/tm-view: $(view_obj)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(bind_now) -o $@ $(filter %.o,$^) $(LDLIBS)

$(foreach s,$(filter-out cmd/tm-view/%,$(own_src)),$(eval $(patsubst cmd/%/,$(B)/bin/%,$(dir $(s))) \
  $(patsubst cmd/%/,$(B)/installed/%,$(dir $(s))): $(call obj,$(s))))

# As they are installed: all rooms are in two libraries, which no others may link with; tm-view has its own. A tree that is moved as a whole
# still works.
rooms_at = $(if $(and $(filter $(PREFIX)/bin,$(BINDIR)),$(filter $(PREFIX)/%,$(LIBDIR))),$$ORIGIN/$(LIBDIR:$(PREFIX)/%=../%),$(LIBDIR))/tracemill
$(filter-out %/tm-view,$(INSTALLED)): $(B)/installed/%: $(B)/obj/cmd/%.c.o $(SYMBOLS) $(ROOMS) $(B)/places
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(bind_now) '-Wl,-rpath,$(rooms_at)' -o $@ $(filter %.o,$^) $(filter %.so,$^) $(LDLIBS)

$(UNITS): $(B)/tests/unit/%: $(B)/obj/tests/unit/%.c.o $(LIB)
	@mkdir -p $(@D)
	$(link_c)

# The same source is a libFuzzer program or, with our driver, a replayer of files.
$(FUZZERS) $(B)/tests/fuzz/reader: $(B)/tests/fuzz/%: $(B)/obj/tests/fuzz/%.c.o \
            $(if $(LIBFUZZER),,$(B)/obj/tests/fuzz/driver.c.o) $(call obj,$(fuzz_own)) $(LIB)
	@mkdir -p $(@D)
	$(link_c) $(if $(LIBFUZZER),-fsanitize=fuzzer)

$(FUZZ_READERS): $(B)/tests/fuzz/reader
	@ln -sf reader $@

$(B)/tests/fuzz/fuzz_markup: $(call obj,$(wildcard cmd/tm-llvm-symbolizer/*.c))

$(FUZZ_LIBRARY): $(B)/obj/tests/fuzz/fuzz_library.c.o $(if $(LIBFUZZER),,$(B)/obj/tests/fuzz/driver.c.o) \
            $(library_own) $(B)/library/rooms.a
	@mkdir -p $(@D)
	$(link_c) $(if $(LIBFUZZER),-fsanitize=fuzzer)

# Mutators that know an input's structure call libFuzzer, which nothing else has.
ifneq ($(LIBFUZZER),)
$(call obj,$(fuzz_src) $(fuzz_own)): override CPPFLAGS += -DLIBFUZZER
endif

ifeq ($(MODE),plain)
# Stripped, so that what the library's unused parts say to a debugger does not make new fixtures.
$(GENS_C): $(GEN)/%: $(B)/obj/testdata/gen/%.c.o $(LIB)
	@mkdir -p $(@D)
	$(link_c) -s

$(GENS_CXX): $(GEN)/%: $(B)/obj/testdata/gen/%.cpp.o $(LIB)
	@mkdir -p $(@D)
	$(link_cxx) -s

# What is preloaded into a program.
$(GENS_SO): $(GEN)/%.so: testdata/gen/%.so.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -MMD -MP -MT $@ -MF $(B)/obj/$<.d -o $@ $<

generators: $(GENS)

# Fixtures are made again when a generator or a file under testdata really changed: generators
# are linked again with every change of the library, mostly to the same bytes.
$(B)/testdata.key: $(GENS) $(data_src) FORCE
	@mkdir -p $(@D)
	@cat /dev/null $(GENS) $(data_src) | sha256sum | cmp -s - $@ || \
	  cat /dev/null $(GENS) $(data_src) | sha256sum >$@

$(DATA)-%.done: $(B)/testdata.key | build/deps-%
	@echo '  DATA  $(DATA)'; env $(TM_ENV) TIER=$* CC='$(CC)' CXX='$(CXX)' bash testdata/make.sh
	@touch $@

# One after the other.
$(DATA)-all.done: $(DATA)-check.done

fixtures: $(GENS) $(tiers:%=$(DATA)-%.done)
else
generators fixtures:
	+@$(MAKE) --no-print-directory SAN= COV= $(if $(filter cc gcc,$(compiler)),,CC=cc CXX=g++) $@
endif

# T=unit/x or T=lint/x needs no fixtures and no programs, only the unit tests it names; lint/links reads objects.
few := $(and $(T),$(if $(filter-out unit/% lint/%,$(T)),,yes))
# A replay needs fuzz targets, in a build of their own.
replays := $(if $(T),$(filter-out unit/% golden/% sh/% lint/%,$(T)),yes)
test-programs: $(if $(few),$(foreach t,$(T),$(foreach u,$(UNITS),$(if \
               $(findstring $(t),$(u)),$(u)))) \
               $(if $(filter lint/links lint/outside,$(T)),all),$(PROGRAMS) $(LIBRARY) $(RUNTIME) $(OTHERS) $(LUA_SO) $(LUA_A) $(MONO_SO) \
               $(if $(replays)$(filter unit/%,$(T)),$(UNITS)) \
               $(if $(filter all,$(tiers)),$(simulations)) fixtures)
replay-programs: $(FUZZERS) $(FUZZ_READERS) $(FUZZ_LIBRARY)

run_tests = +@env $(TM_ENV) REPLAY='$(CURDIR)/$(REPLAY)' CC='$(CC)' CXX='$(CXX)' SAN='$(SAN)' V='$(V)'

check: $(tiers:%=build/deps-%) test-programs $(made)
	+@$(if $(replays),$(MAKE) --no-print-directory SAN=address$(comma)undefined COV= replay-programs)
	$(run_tests) TIER='$(TIER)' tests/run $(T)

check-all:
	+@$(MAKE) --no-print-directory check TIER=all
	+@GOLDEN_DAYS=$(if $(DAYS),1,3) $(MAKE) --no-print-directory SAN=address$(comma)undefined check TIER=check T='unit/ golden/'

# Truth from elsewhere, where it lies beside the project: see the script.
oracle: all
	@SUMMARY=build/summary bash tests/oracle.bash $(abspath ..)/shared/oracle $(B)/bin

# Lint looks at sources, which are the same.
sanitized := $(or $(T),unit/ golden/ sh/ fuzz/)
check-san:
	+@$(MAKE) --no-print-directory SAN=address$(comma)undefined check T='$(sanitized)'

check-clang:
	+@$(MAKE) --no-print-directory CC=clang SAN=address$(comma)undefined check T='$(sanitized)'

check-tsan:
	+@$(MAKE) --no-print-directory SAN=thread check T='$(filter-out fuzz/,$(sanitized))'

# Each even when one before it has failed.
check-deep: export DAYS := all
check-deep:
	+@failed=; for t in check check-all lint-deep check-san check-clang check-tsan check-fleet check-packages check-roots check-arm64 check-programs \
	  stress-record diff diff-builds; do \
	  $(MAKE) --no-print-directory $$t || failed="$$failed $$t"; done; \
	  echo "check-deep: $${failed:-nothing} failed"; [ -z "$$failed" ]

# What it starts it installs first, on loopback only, and stops.
check-fleet: build/deps-fleet $(PROGRAMS) fixtures
	+@env $(TM_ENV) bash tests/fleet/run $(T)

check-packages: packages
	@env $(TM_ENV) bash tests/packages/run.sh; status=$$?; env $(TM_ENV) bash tests/packages/image.sh && exit $$status

check-roots: build/deps-packages all
	+@$(MAKE) --no-print-directory dist
	@env $(TM_ENV) bash tests/packages/roots.sh $(T)

check-arm64: build/deps-packages fixtures
	+@$(MAKE) --no-print-directory dist
	@env $(TM_ENV) bash tests/packages/arm64.sh

# Other people's programs, recorded. T= takes the names of rows.
check-programs: all build/deps-programs
	@env $(TM_ENV) CC='$(CC)' CXX='$(CXX)' bash tests/programs/run $(T)

golden: test-programs
	$(run_tests) tests/run --rewrite $(or $(T),golden/)

tables: $(B)/bin/tm-import
	@PATH='$(CURDIR)/$(B)/bin':"$$PATH" bash man/formats.sh
	@SRC=. bash tests/lint/files.sh --write

lint: all build/deps-all $(made)
	$(run_tests) tests/run lint/

lint-deep: export TIDY_NODES = 225000
lint-deep: build/deps-all $(made)
	$(run_tests) tests/run lint/tidy

demo: all generators build/deps-demo
	@[ ! -t 2 ] || printf '\033[K' >&2
	@env $(TM_ENV) CC='$(CC)' CXX='$(CXX)' bash testdata/demo.sh

bench: all generators
	@[ -f tests/bench/run.sh ] || { echo 'bench: there is no tests/bench/run.sh' >&2; exit 1; }
	@env $(TM_ENV) CC='$(CC)' CXX='$(CXX)' bash tests/bench/run.sh

bench-symbolize: all generators
	@env $(TM_ENV) bash tests/bench/symbolize.sh

bench-ledger: all generators
	@env $(TM_ENV) bash tests/bench/ledger.sh

bench-hooks: all
	@env $(TM_ENV) bash tests/bench/hooks.sh

bench-kits: all
	@env $(TM_ENV) bash tests/bench/kits.sh

bench-record: all
	@env $(TM_ENV) CC='$(CC)' CXX='$(CXX)' bash tests/bench/record.sh

# Ratios alone are compared, so sizes may be small. BENCH_ACCEPT=1: what is in build/goals is the new baseline.
bench-ci: all generators
	@[ -n '$(BENCH_ACCEPT)' ] || { export $(TM_ENV) CC='$(CC)' CXX='$(CXX)' BENCH_GOALS=1 BENCH_RUNS=3 BENCH_MB=200; \
	  for b in symbolize run record; do bash tests/bench/$$b.sh || echo "bench-ci: $$b.sh did not end" >&2; done; }
	@env $(TM_ENV) BENCH_ACCEPT='$(BENCH_ACCEPT)' bash tests/bench/baseline.sh

stress-record: all
	@rm -rf $(B)/stress; mkdir -p $(B)/stress; cd $(B)/stress && $(stress_record) | tee result; ! grep -q '^not ok' result

$(B)/tests/simulate/judge: $(call obj,$(filter-out %/steps.c,$(simulate_src))) $(LIB)
$(B)/tests/simulate/steps: $(call obj,tests/simulate/steps.c) $(LIB)
$(simulations):
	@mkdir -p $(@D)
	$(link_c)

# To the same bytes, until the judge judges otherwise: it draws the same numbers each time. With -j cells are simulated in
# parallel; what was stopped goes on where it was, since each cell has a file of its own.
simulate: $(B)/tests/simulate/judge
	+@$(MAKE) --no-print-directory $$($< names | sed 's|^|$(B)/simulate/|')
	@{ $< head; cd $(B)/simulate && cat $$($(CURDIR)/$< names); } >$(B)/judge.txt && cp $(B)/judge.txt tests/simulate/judge.txt
	@bash tests/simulate/page.sh --write
	@! grep 'not kept' tests/simulate/judge.txt >&2

$(B)/simulate/%: $(simulate_src) $(wildcard lib/report/compare/judge*.[ch]) lib/stats/exchange.c | $(B)/tests/simulate/judge
	@mkdir -p $(@D)
	@$(B)/tests/simulate/judge cell $* >$@.new && mv $@.new $@

diff: all generators
	@env $(TM_ENV) bash tests/diff/large.sh

diff-corpus: all
	@env $(TM_ENV) bash tests/diff/corpus.sh '$(DIR)'
	@env $(TM_ENV) bash tests/diff/corpus_llvm.sh '$(DIR)'

diff-builds: all build/deps-builds
	@env $(TM_ENV) bash tests/diff/languages.sh '$(T)'

# Growth of the corpus goes to build/: pick what is worth keeping by hand. An older clang counts
# edges too, but has fewer ways to change an input.
fuzz_cc   := $(if $(shell command -v clang-19 2>/dev/null),clang-19,clang)
fuzz_mode := fuzzer-no-link-address-undefined-$(fuzz_cc)
fuzz_make  = $(MAKE) --no-print-directory CC=$(fuzz_cc) SAN=fuzzer-no-link,address,undefined LIBFUZZER=1

fuzz: build/deps-fuzz
	@sh tests/fuzz/targets.sh | grep -qx '$(R)' || { echo 'usage: make fuzz R=NAME [TIME=60]; names:' \
	  $$(sh tests/fuzz/targets.sh) >&2; exit 2; }
	+@$(fuzz_make) build/$(fuzz_mode)/tests/fuzz/fuzz_$(R)
	@mkdir -p build/corpus/$(R) build/crashes tests/fuzz/corpus/$(R)
	build/$(fuzz_mode)/tests/fuzz/fuzz_$(R) -max_total_time=$(or $(TIME),60) -timeout=10 \
	  -rss_limit_mb=1024 -artifact_prefix=build/crashes/$(R)- \
	  $(addprefix -dict=,$(wildcard tests/fuzz/dict/$(R).dict)) \
	  build/corpus/$(R) tests/fuzz/corpus/$(R) $(wildcard $(B)/testdata/corpus/$(R))

campaign = env $(TM_ENV) BUILD='$(CURDIR)/build/$(fuzz_mode)' bash tests/fuzz/campaign.sh

fuzz-all fuzz-minimise: build/deps-fuzz $(DATA)-all.done
	+@$(fuzz_make) replay-programs
	@$(campaign) $(if $(filter fuzz-all,$@),run '$(TIME)',minimise)

fuzz-table:
	@$(campaign) table

fleet     := $(wildcard fleet/*)
schema    := tracemill-report.schema.json
man_pages := $(wildcard man/*.[1-9])
man_dest   = $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
# `man tracemill top` looks for tracemill-top(1).
man_links  = $(notdir $(wildcard man/tm-*.1))
man_link   = $(DESTDIR)$(MANDIR)/man1/$(1:tm-%=tracemill-%)

# The drop-ins by the names of what they stand in for, where they shadow nothing.
compat     := $(LIBEXECDIR)/tracemill/compat
drop_ins   := addr2line=tm-addr2line llvm-addr2line=tm-llvm-symbolizer \
              llvm-symbolizer=tm-llvm-symbolizer atos=tm-atos

# For desktops, which read both after update-desktop-database and update-mime-database.
desktop    := $(DATADIR)/applications/tracemill-view.desktop
mime       := $(DATADIR)/mime/packages/tracemill.xml

docs       := $(DATADIR)/doc/tracemill
examples   := $(wildcard $(foreach d,. ci cpp godot il2cpp library love lua mono unity unreal wasm wasm/libc,examples/$(d)/*.*))

# Completion of options, printed by the programs themselves.
shells     := bash zsh fish
complete_at = $(DESTDIR)$(DATADIR)/$(if $(filter bash,$(1)),bash-completion/completions/$(2),$(if \
              $(filter zsh,$(1)),zsh/site-functions/_$(2),fish/vendor_completions.d/$(2).fish))
programs    = $(cmd_src:cmd/%.c=%)

$(B)/completions: $(PROGRAMS)
	@mkdir -p $@
	@for p in $(programs); do for s in $(shells); do \
	  LD_LIBRARY_PATH=$(B)/lib $(EMULATOR) $(B)/bin/$$p --completion=$$s >$@/$$p.$$s || exit 1; done; done
	@touch $@

# Where that Lua looks; LuaJIT has a folder of its own, since it and 5.1 look in one.
lua_dir     = $(LIBDIR)/$(if $(filter luajit,$(1)),tracemill/luajit,lua/$(1:lua%=%))

# By what lies beside it: an installation may be moved as a whole.
from_pc     = $${pcfiledir}/$(shell realpath -m --relative-to='$(LIBDIR)/pkgconfig' '$(1)')
pkg_config  = printf '%s\n' 'libdir=$(call from_pc,$(LIBDIR))' 'includedir=$(call from_pc,$(INCLUDEDIR))' '' 'Name: tracemill' \
              'Description: addresses to functions and lines; traces read and written' \
              'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -ltracemill' \
              'Libs.private: $(LDLIBS)'

# No symbols where no linker looks; no words for debuggers in archives.
STRIP    ?= $(cross)strip
strip_at  = $(INSTALLED:$(B)/installed/%=$(BINDIR)/%) \
            $(addprefix $(LIBDIR)/,$(addprefix tracemill/,$(notdir $(ROOMS) $(SYMBOLS))) $(soname) $(notdir $(CAPTURE).so)) \
            $(patsubst $(B)/lib/%,$(LIBDIR)/tracemill/%,$(filter %.so,$(OTHERS))) \
            $(foreach v,$(LUAS),$(call lua_dir,$(v))/tracemill.so) $(MONO_SO:$(B)/lib/%=$(LIBDIR)/tracemill/%)
debug_at  = $(patsubst $(B)/lib/%,$(LIBDIR)/%,$(filter %.a,$(RUNTIME) $(LIBRARY))) \
            $(patsubst $(B)/lib/%,$(LIBDIR)/tracemill/%,$(filter %.a,$(OTHERS)))

install: all $(INSTALLED) $(B)/completions
	install -d '$(DESTDIR)$(BINDIR)'
	$(if $(INSTALLED),install -m 755 $(INSTALLED) '$(DESTDIR)$(BINDIR)')
	install -d '$(DESTDIR)$(LIBDIR)/tracemill' && install -m 644 $(ROOMS) $(SYMBOLS) '$(DESTDIR)$(LIBDIR)/tracemill'
	$(foreach m,$(man_pages),install -D -m 644 $(m) '$(call man_dest,$(m))' &&) :
	$(foreach m,$(man_links),ln -sf $(m) '$(call man_link,$(m))' &&) :
	install -d '$(DESTDIR)$(LIBDIR)/pkgconfig' && install -m 644 $(RUNTIME) $(B)/lib/$(soname) \
	  $(B)/lib/libtracemill.a '$(DESTDIR)$(LIBDIR)'
	ln -sf $(soname) '$(DESTDIR)$(LIBDIR)/libtracemill.so'
	$(foreach o,$(OTHERS:$(B)/lib/%=%),install -D -m 644 $(B)/lib/$(o) '$(DESTDIR)$(LIBDIR)/tracemill/$(o)' &&) true
	$(pkg_config) >'$(DESTDIR)$(LIBDIR)/pkgconfig/tracemill.pc'
	install -d '$(DESTDIR)$(INCLUDEDIR)/tracemill' && install -m 644 $(library_api) \
	  '$(DESTDIR)$(INCLUDEDIR)/tracemill'
	$(foreach v,$(LUAS),install -D -m 755 $(B)/lib/$(v)/tracemill.so \
	  '$(DESTDIR)$(call lua_dir,$(v))/tracemill.so' &&) :
	$(if $(MONO_SO),install -D -m 755 $(MONO_SO) '$(DESTDIR)$(LIBDIR)/tracemill/mono/$(notdir $(MONO_SO))')
	install -D -m 644 lib/recorder/tracemill-lua.h '$(DESTDIR)$(INCLUDEDIR)/tracemill-lua.h'
	install -D -m 644 lib/recorder/tracemill.h '$(DESTDIR)$(INCLUDEDIR)/tracemill.h'
	install -D -m 644 lib/recorder/spike.h '$(DESTDIR)$(INCLUDEDIR)/tracemill/spike.h'
	install -D -m 644 lib/recorder/tracemill-loli.h '$(DESTDIR)$(INCLUDEDIR)/tracemill-loli.h'
	install -D -m 644 man/$(schema) '$(DESTDIR)$(DATADIR)/tracemill/$(schema)'
	$(foreach s,$(shells),$(foreach p,$(programs),install -D -m 644 $(B)/completions/$(p).$(s) \
	  '$(call complete_at,$(s),$(p))' &&)) :
	install -D -m 644 share/tracemill-view.desktop '$(DESTDIR)$(desktop)'
	install -D -m 644 share/tracemill.xml '$(DESTDIR)$(mime)'
	install -D -m 644 share/lua/add-marks.lua '$(DESTDIR)$(DATADIR)/tracemill/lua/add-marks.lua'
	install -d '$(DESTDIR)$(DATADIR)/tracemill/fleet' && install -m 755 $(fleet) \
	  '$(DESTDIR)$(DATADIR)/tracemill/fleet'
	install -d '$(DESTDIR)$(compat)'
	$(foreach d,$(drop_ins),ln -srf '$(DESTDIR)$(BINDIR)/$(lastword $(subst =, ,$(d)))' \
	  '$(DESTDIR)$(compat)/$(firstword $(subst =, ,$(d)))' &&) :
	$(foreach f,$(examples),install -D -m $(if $(filter %.sh,$(f)),755,644) $(f) \
	  '$(DESTDIR)$(docs)/$(f)' &&) :
	$(if $(STRIP),$(STRIP) $(strip_at:%='$(DESTDIR)%'))
	$(if $(STRIP),$(STRIP) -g $(debug_at:%='$(DESTDIR)%'))

# The stable interface as a table; "What stays" in tracemill(7) says when it may change.
abi: $(B)/lib/$(soname)
	abidw --exported-interfaces-only --headers-dir lib/library/tracemill --drop-private-types \
	  --drop-undefined-syms --no-elf-needed --no-corpus-path --no-comp-dir-path \
	  --no-show-locs --type-id-style hash --out-file '$(or $(ABI),tests/library/libtracemill.abi)' $<

# What a release is: the sources of the last commit, the same bytes from everybody who makes it. The
# build needs no git.
dist:
	@mkdir -p build
	git -c tar.tar.gz.command='gzip -9n' archive --format=tar.gz --prefix=tracemill-$(VERSION)/ \
	  -o build/tracemill-$(VERSION).tar.gz HEAD
	@echo build/tracemill-$(VERSION).tar.gz

own_folders = $(foreach d,$(docs)/examples/wasm/libc $(docs)/examples/ci $(docs)/examples/library $(docs)/examples/lua \
              $(foreach k,cpp godot il2cpp love mono unity unreal,$(docs)/examples/$(k)) $(docs)/examples/wasm $(docs)/examples $(docs) $(DATADIR)/tracemill/fleet $(DATADIR)/tracemill/lua $(DATADIR)/tracemill $(compat) $(LIBEXECDIR)/tracemill \
              $(LIBDIR)/tracemill/luajit $(LIBDIR)/tracemill/mono $(LIBDIR)/tracemill/musl $(LIBDIR)/tracemill/32 $(LIBDIR)/tracemill $(INCLUDEDIR)/tracemill,'$(DESTDIR)$(d)')

# Folders that other software uses too stay: bin, man1 and their like.
uninstall:
	rm -f $(foreach p,$(cmd_src:cmd/%.c=%),'$(DESTDIR)$(BINDIR)/$(p)') \
	  $(foreach m,$(man_pages),'$(call man_dest,$(m))') \
	  $(foreach m,$(man_links),'$(call man_link,$(m))') \
	  '$(DESTDIR)$(DATADIR)/tracemill/$(schema)' '$(DESTDIR)$(DATADIR)/tracemill/lua/add-marks.lua' \
	  $(foreach f,$(fleet),'$(DESTDIR)$(DATADIR)/tracemill/$(f)') \
	  $(foreach r,$(RUNTIME) $(LIBRARY) $(soname) pkgconfig/tracemill.pc,'$(DESTDIR)$(LIBDIR)/$(if $(filter pkgconfig/%,$(r)),$(r),$(notdir $(r)))') \
	  $(foreach o,$(OTHERS:$(B)/lib/%=%),'$(DESTDIR)$(LIBDIR)/tracemill/$(o)') \
	  '$(DESTDIR)$(INCLUDEDIR)/tracemill.h' '$(DESTDIR)$(INCLUDEDIR)/tracemill/spike.h' \
	  $(foreach h,$(notdir $(library_api)),'$(DESTDIR)$(INCLUDEDIR)/tracemill/$(h)') \
	  '$(DESTDIR)$(INCLUDEDIR)/tracemill-loli.h' '$(DESTDIR)$(INCLUDEDIR)/tracemill-lua.h' \
	  $(foreach v,$(LUAS),'$(DESTDIR)$(call lua_dir,$(v))/tracemill.so') \
	  $(MONO_SO:$(B)/lib/%='$(DESTDIR)$(LIBDIR)/tracemill/%') \
	  $(foreach s,$(shells),$(foreach p,$(programs),'$(call complete_at,$(s),$(p))')) \
	  $(foreach d,$(drop_ins),'$(DESTDIR)$(compat)/$(firstword $(subst =, ,$(d)))') \
	  $(foreach f,$(examples),'$(DESTDIR)$(docs)/$(f)') \
	  '$(DESTDIR)$(desktop)' '$(DESTDIR)$(mime)' \
	  '$(DESTDIR)$(LIBDIR)/libtracemill.so' $(foreach l,$(notdir $(ROOMS) $(SYMBOLS)),'$(DESTDIR)$(LIBDIR)/tracemill/$(l)')
	for d in $(own_folders); do [ ! -d "$$d" ] || rmdir --ignore-fail-on-non-empty "$$d" || exit 1; done

# Where there is no git. On Debian the names of RPM's packages are not looked for, and its Python has a folder of its own.
RELEASE  := build/release
alone    := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u DESTDIR LC_ALL=C.UTF-8
packages: build/deps-packages
	+@$(MAKE) --no-print-directory dist
	@rm -rf $(RELEASE) && mkdir -p $(RELEASE) && tar -xf build/tracemill-$(VERSION).tar.gz -C $(RELEASE)
	@! command -v dpkg-buildpackage >/dev/null || (cd $(RELEASE)/tracemill-$(VERSION) && \
	  $(alone) dpkg-buildpackage -us -uc -b >../deb.log 2>&1) || { tail -n 20 $(RELEASE)/deb.log; exit 1; }
	@set --; ! command -v dpkg >/dev/null || set -- --nodeps --define 'python3_sitelib /usr/lib/python3/dist-packages'; \
	  ! command -v rpmbuild >/dev/null || $(alone) rpmbuild -tb --define '_topdir $(CURDIR)/$(RELEASE)/rpm' "$$@" \
	  build/tracemill-$(VERSION).tar.gz >$(RELEASE)/rpm.log 2>&1 || { tail -n 20 $(RELEASE)/rpm.log; exit 1; }
	@for f in $(RELEASE)/rpm/RPMS/*/*.rpm; do [ ! -f "$$f" ] || mv "$$f" $(RELEASE); done
	@ls $(RELEASE)/*.deb $(RELEASE)/*.rpm 2>/dev/null || { echo 'packages: neither dpkg-buildpackage nor rpmbuild is here' >&2; exit 1; }

# The manual for a browser.
docs:
	$(if $(NODEPS),,@.ci/deps docs)
	@sh man/html.sh build/docs
	@echo build/docs/index.html

# Look at each before it is committed.
pictures: all
	$(if $(NODEPS),,@.ci/deps pictures)
	@env $(TM_ENV) PATH='$(CURDIR)/$(B)/bin':"$$PATH" CXX='$(CXX)' bash docs/pictures.sh

longest:
	@find cmd lib formats tests testdata \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.sh' \) \
	  -exec awk 'END { print NR, FILENAME }' {} \; | sort -rn | head -n 20

fmt:
	find cmd lib formats tests testdata \( -name '*.[ch]' -o -name '*.cpp' \) \
	  -exec clang-format -i {} +

# Line coverage of everything `make check` runs.
cover:
	+@LLVM_PROFILE_FILE='$(CURDIR)/build/profile/%p-%m' $(MAKE) --no-print-directory CC=clang COV=1 \
	  check T='$(or $(T),unit/ golden/ sh/)'
	@llvm-profdata merge -o build/profile.data build/profile/*
	@set -- $$(for p in build/plain-clang-cov/tests/unit/* build/plain-clang-cov/bin/*; do \
	  echo "-object $$p"; done); shift; llvm-cov report -instr-profile build/profile.data "$$@" \
	  lib formats cmd

# clangd looks for this in build/ by itself.
compdb:
	@mkdir -p build
	@{ sep='['; for f in $(lib_src) $(cmd_src) $(own_src) $(unit_src) $(fuzz_src); do printf '%s\n' "$$sep" \
	  "{\"directory\": \"$(CURDIR)\", \"file\": \"$$f\", \"command\": \"cc -D_GNU_SOURCE -I. \
	  -DTM_VERSION='\\\"0\\\"' -std=c11 $(WARN) -c $$f\"}"; sep=,; done; echo ']'; \
	  } >build/compile_commands.json

clean:
	rm -rf build

help:
	@sed -n '/^#:/s/^#: \{0,1\}//p' Makefile

-include $(all_obj:.o=.d) $(sort $(library_obj:.o=.d) $(view_obj:.o=.d)) $(cap_obj:.o=.d) $(wrap_obj:.o=.d) $(musl_wrap:.o=.d) $(foreach c,$(CAPTURES),$(patsubst %.o,%.d,$(call other_obj,$(c))))
