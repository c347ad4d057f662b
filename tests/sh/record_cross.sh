#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
# timeout: 1200
#
# The capture runtime on 64-bit and 32-bit arm, under qemu-user: its unwinders against libgcc's,
# recordings against what the recorded program knows of its blocks and stacks, and pages of 16 and
# 64 KiB, which a library before ours says there are.
set -u
. "$SRC/tests/capture.bash"

headers include
depths_truth >depths.want

cross() { # name, compiler, emulator, stacks...
	local name=$1 emulator=$3 root page words mode stacks
	compiler=$2
	shift 3

	if ! command -v "$compiler" >/dev/null 2>&1 || ! command -v "$emulator" >/dev/null 2>&1; then
		echo "skip - $name ($compiler or $emulator is not here)"
		return
	fi
	root=$($compiler -print-file-name=libc.so.6)
	emulator="$emulator -L $(realpath "$(dirname "$root")/..")"
	mkdir "$name"
	if ! runtime "$name/cap" 2>said || ! $compiler -shared -Wl,-z,defs,--gc-sections \
		-o "$name/capture.so" "$name"/cap/*.o -lm 2>>said; then
		cat said
		echo "not ok - $name: the runtime compiles without warnings"
		return
	fi
	echo "ok - $name: the runtime compiles without warnings"
	for words in blocks depths; do
		$compiler -std=c11 -D_GNU_SOURCE -g -O2 -fno-omit-frame-pointer -funwind-tables -I"$SRC" \
			"$SRC/testdata/src/record/$words.c" -o "$name/$words" -lpthread || return
	done
	$compiler -std=c11 -D_GNU_SOURCE -g -O2 -fno-omit-frame-pointer -funwind-tables -I"$SRC" \
		"$SRC/tests/unit/unwind.c" "$SRC"/lib/recorder/{base/memory,stacks/bounds,stacks/unwind,stacks/cfi}.c \
		-o "$name/unwind" -lpthread || return
	$emulator "$name/unwind" | sed "s/ - / - $name: unwinders, /"

	# The library is loaded as tm-record does it; what reads the trace is of this machine.
	recorded() { # settings, then the program
		local settings=$1

		shift
		rm -f x.tmt
		$emulator -E LD_PRELOAD="${before-}$PWD/$name/capture.so" \
			-E TRACEMILL_CAPTURE="$settings out=$PWD/x.tmt" "$@"
	}
	for stacks; do
		for mode in family random frames; do
			recorded "stacks=$stacks" "$name/blocks" $mode 2>want
			sums x.tmt >got
			ok "$name, $stacks: $mode, exactly what the program knows" cmp -s want got
		done
		recorded "stacks=$stacks" "$name/depths"
		depths_of x.tmt >got
		ok "$name, $stacks: every stack of depths" cmp depths.want got
	done
	recorded stacks=unwind "$name/blocks" threads 2>/dev/null
	ok "$name: eight threads, no block freed before or handed out twice" \
		[ "$(sums x.tmt | grep -c order)" = 0 ]
	ok "$name: each block of theirs" [ "$(tm-symbolize -q x.tmt | tm-filter -q --focus '^pass$' | tm-dump -q |
		grep -c ^alloc)" = 160000 ]
	recorded stacks=none "$name/blocks" kill 2>/dev/null
	ok "$name: killed, and marked as cut" [ "$(tm-dump -q x.tmt | grep -c 'note loss "trace ends without')" = 1 ]
	recorded stacks=fp "$name/blocks" failed 2>said
	ok "$name: an exec that fails, two captures in one file" [ "$(tm-dump -q x.tmt | grep -c ^totals)" = 2 ]

	for page in 4096 16384 65536; do
		$compiler -D_GNU_SOURCE -fPIC -shared -DPAGE=$page "$SRC/testdata/src/record/pages.c" \
			-o "$name/pages.so" || return
		before=$PWD/$name/pages.so: recorded "mmap=1 stacks=unwind" "$name/blocks" mmap 2>said
		ok "$name: mappings with pages of $page bytes" [ "$(mappings x.tmt $page)" = "$mappings_want" ]
		before=$PWD/$name/pages.so: recorded stacks=unwind "$name/depths"
		depths_of x.tmt >got
		ok "$name: stacks and modules with pages of $page bytes" cmp depths.want got
		ok "$name: modules lie on pages of $page bytes" [ "$(modules x.tmt $page)" = 0 ]
	done
}

# Requested and real in pages: blocks.c, mode mmap.
mappings_want="10/10 5/5 free 2/2 5/5 free 50/50 free "
mappings() { # trace, page
	tm-dump -q "$1" | awk -v page="$2" '
		function field(name, i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
		}
		!/domain=mmap/ { next }
		$1 == "alloc" { printf "%g/%g ", int((field("requested") + page - 1) / page), field("real") / page }
		$1 == "free" { printf "free " }'
}
modules() { # trace, page: bounds of segments that lie on none
	local at wrong=0 n=0

	for at in $(tm-dump -q "$1" | sed -n 's/^module .* slide=[^ ]* //p' | tr -d x | tr '@-' '  '); do
		n=$((n + 1))
		wrong=$((wrong + (16#$at % $2 != 0)))
	done
	echo "$((n < 12 ? -1 : wrong))"
}

cross arm64 aarch64-linux-gnu-gcc qemu-aarch64 fp unwind
cross arm arm-linux-gnueabihf-gcc qemu-arm unwind
