# SPDX-License-Identifier: MIT
#
# For tests of the capture runtime: one line per check, what a trace adds up to, and the runtime built with
# another compiler. Read after set -u.
# shellcheck shell=bash
: "${SRC:?}"

ok() { # what, then a test
	local what=$1

	shift
	if "$@"; then
		echo "ok - $what"
	else
		echo "not ok - $what"
	fi
}

# Headers that are not the C library's, for compilers that do not look where the native one does.
headers() { # into a folder: its own, then the kernel's in kernel/
	local file

	mkdir -p "$1/own" "$1/kernel"
	file=$(echo '#include <xxhash.h>' | ${CC:-cc} -M -x c - | tr ' ' '\n' | grep '/xxhash\.h$')
	ln -sf "$file" "$1/own/"
	for file in linux asm-generic asm; do
		ln -sfn "$(echo '#include <linux/futex.h>' | ${CC:-cc} -M -x c - | tr ' ' '\n' |
			sed -n "s,/$file/.*,/$file,p" | head -n 1)" "$1/kernel/$file"
	done
}

# As the Makefile compiles it; the compiler with its options is $compiler.
runtime() { # folder for the objects, flags...
	local to=$1 f

	shift
	mkdir -p "$to"
	for f in "$SRC"/lib/recorder/{,base/,stacks/,hooks/}*.c "$SRC"/lib/trace/{encode,column_encoder}.c \
		"$SRC"/lib/base/{hash_bytes,decimal_split}.c; do
		$compiler -std=c11 -D_GNU_SOURCE -DTM_VERSION='"0"' -DXXH_INLINE_ALL -O2 -g -Wall -Wextra \
			-Werror -I"$SRC" -Iinclude/own -fPIC -fvisibility=hidden -fno-omit-frame-pointer \
			-fexceptions "$@" -c "$f" -o "$to/${f##*/}.o" || return 1
	done
}

# The words that blocks.c prints of itself: sums over the events of a trace; a block is freed that is
# live, and none is handed out twice.
sums() {
	tm-dump -q "$1" | awk '
		function field(name, i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
			return 0
		}
		/ domain=/ { next }
		$1 == "alloc" {
			allocs++
			requested += field("requested")
			real += field("real")
			at = field("address")
			if (at in live)
				wrong++
			live[at] = field("real")
			left += live[at]
		}
		$1 == "free" {
			frees++
			at = field("address")
			if (!(at in live))
				wrong++
			left -= live[at]
			delete live[at]
		}
		END {
			printf "allocs %d frees %d requested %d real %d live %d\n", allocs, frees, requested, real, left
			if (wrong)
				printf "%d blocks out of order\n", wrong
		}'
}

# What depths.c knows of its stacks: the calls from main's or the thread's on, and how many blocks.
depths_truth() {
	awk 'BEGIN {
		for (d = 1; d <= 40; d++) {
			s = s ";down"
			print "main;rounds" s ";leaf", d
			print "thread;rounds" s ";leaf", d
		}
	}' | LC_ALL=C sort
}
depths_of() { # trace
	tm-symbolize -q "$1" | tm-export -q --as folded --sort count |
		sed -nE 's/^(.*;)?(main|thread);rounds;/\2;rounds;/p' | LC_ALL=C sort
}
