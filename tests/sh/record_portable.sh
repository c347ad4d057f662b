#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
# timeout: 600
#
# The capture runtime is plain C: what it calls is in Android's C library, it compiles for
# Android's target, and with musl, which is no more glibc than bionic is, it records what a program
# knows of itself.
set -u
. "$SRC/tests/capture.bash"

headers include

# --- names that bionic has ---
library=$BIN/../lib/libtracemill-capture.so
nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >needed
sed 's/#.*//' "$SRC/tests/sh/bionic.txt" | awk 'NF { print $1 }' | sort -u >known
ok "the list of names has names" [ "$(wc -l <needed)" -gt 40 ]
comm -23 needed known >strange
ok "every function that it calls is in bionic" [ ! -s strange ]
sed 's/^/    not in bionic: /' strange

# --- Android's target ---
musl=$(command -v musl-gcc >/dev/null 2>&1 && musl-gcc -E -v -x c - </dev/null 2>&1 |
	sed -n 's,^ \(/[^ ]*musl[^ ]*\)$,\1,p' | head -n 1)
if [ -z "$musl" ] || ! command -v clang >/dev/null 2>&1; then
	echo "skip - compiled for Android's targets (clang or musl is not here)"
else
	# musl's headers here are of a 64-bit machine; for the other one glibc's have to do.
	arm=$(arm-linux-gnueabihf-gcc -print-file-name=libc.so.6 2>/dev/null)
	arm=$(realpath -q "${arm%/*}/../include")
	for target in x86_64-linux-android29 aarch64-linux-android29 armv7a-linux-androideabi29; do
		compiler="clang --target=$target -nostdlibinc -isystem $musl -isystem include/kernel"
		if [ "${target%%-*}" = armv7a ]; then
			compiler="clang --target=$target -nostdlibinc -isystem $arm -D__ARM_PCS_VFP"
			if [ ! -f "$arm/sched.h" ]; then
				echo "skip - clang compiles it for $target (no headers of a 32-bit machine)"
				continue
			fi
		fi
		if runtime android >said 2>&1; then
			echo "ok - clang compiles it for $target"
		else
			head -n 5 said
			echo "not ok - clang compiles it for $target"
		fi
	done
fi

# --- another C library, another length of words: with all that they do at run time ---
# tm-record takes their library by itself.
other() { # NAME FOLDER COMPILER...
	local name=$1 library=$BIN/../lib/$2/libtracemill-capture.so program stacks mode

	shift 2
	if ! command -v "$1" >/dev/null 2>&1; then
		echo "skip - recorded: $name ($1 is not here)"
		return
	fi
	if [ ! -f "$library" ]; then
		echo "skip - recorded: $name (a build of this kind has no library for it)"
		return
	fi
	for program in blocks depths; do
		"$@" -std=c11 -D_GNU_SOURCE -g -O2 -fno-omit-frame-pointer -I"$SRC" \
			-Wl,--eh-frame-hdr "$SRC/testdata/src/record/$program.c" -o $program || exit 1
	done
	if ! ./depths >said 2>&1; then
		echo "skip - recorded: $name (this machine does not run it)"
		return
	fi
	for stacks in fp unwind none; do
		for mode in family random frames handler exit failed; do
			tm-record -o x.tmt --stacks $stacks -- ./blocks $mode 2>said
			sed -n 's/^\(allocs.*\)/\1/p' said >want
			sums x.tmt >got
			if [ -s want ] && cmp -s want got && [ "$(tm-dump x.tmt 2>&1 | grep -c 'cut short')" = 0 ]; then
				echo "ok - $name, $stacks: $mode, exactly what the program knows"
			else
				diff want got
				echo "not ok - $name, $stacks: $mode, exactly what the program knows"
			fi
		done
		[ $stacks = none ] && continue
		tm-record -o x.tmt --stacks $stacks -- ./depths
		depths_of x.tmt >got
		ok "$name, $stacks: every stack of depths" cmp depths.want got
	done
	for mode in threads nested exec; do
		tm-record -o x.tmt -- ./blocks $mode 2>said
		ok "$name: $mode, whole and in order" [ "$(tm-dump -q x.tmt | grep -c ^totals) $(sums x.tmt | grep -c order)" = \
			"$((1 + (${#mode} == 4))) 0" ]
	done
	tm-record -o x.tmt --mmap -- ./blocks mmap 2>said
	ok "$name: mappings, cut and moved" [ "$(tm-dump -q x.tmt | grep -c '^alloc.*domain=mmap')" -ge 5 ]
}
depths_truth >depths.want
other musl musl musl-gcc
[ ! -f "$BIN/../lib/musl/libtracemill-capture.so" ] ||
	ok "musl: nothing of glibc's in it" [ "$(readelf -d "$BIN/../lib/musl/libtracemill-capture.so" | grep -c 'NEEDED.*libc\.so\.6')" = 0 ]
wrapped=$BIN/../lib/musl/libtracemill-wrap.a
if command -v musl-gcc >/dev/null 2>&1 && [ -f "$wrapped" ]; then
	names=-Wl
	for f in malloc calloc realloc reallocarray free memalign aligned_alloc posix_memalign valloc; do
		names+=,--wrap=$f
	done
	ok "musl, static, with --wrap: it links" musl-gcc -std=c11 -D_GNU_SOURCE -g -O1 -static -fno-omit-frame-pointer \
		-I"$SRC" -o wrapped "$SRC/testdata/src/record/blocks.c" "$names" "$wrapped" -lm
	for mode in family frames; do
		TRACEMILL_CAPTURE='out=x.tmt' ./wrapped $mode 2>said
		sed -n 's/^\(allocs.*\)/\1/p' said >want
		sums x.tmt >got
		ok "... and records exactly what the program knows: $mode" cmp want got
	done
else
	echo "skip - musl, static, with --wrap (no musl-gcc, or a build of this kind has no library for it)"
fi
other 'words of 32 bits' 32 i686-linux-gnu-gcc
