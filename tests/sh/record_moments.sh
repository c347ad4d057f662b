#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 1200
#
# tm-record on a program that allocates when its host can do least (testdata/src/record/moments.c):
# recorded in whatever way it ends as it does alone, and all its blocks are there.
set -u
. "$SRC/tests/capture.bash"

${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -finstrument-functions -I"$SRC" \
	"$SRC"/testdata/src/record/moments{,_threads}.c -o moments -lpthread -ldl -lm 2>said || {
	cat said
	echo "not ok - moments.c compiles"
	exit 1
}
# Status and what is printed; then the blocks of the trace, and whether that is whole.
alone() { # mode
	timeout 60 ./moments "$1" >out 2>err
	echo "$? $(cat out err) $(sed -n 's/^blocks //p' err) 1"
}
# What is printed with an allocator that counts how often it is called (moments_malloc.c).
counted() { # alone or recorded, with its words
	LD_PRELOAD=./moments_malloc.so MOMENTS_CALLS=1 "$@" >/dev/null
	cat out err
}
# Blocks in the trace, and those that its notes say are missing: two events each.
told() {
	tm-dump -q x.tmt | awk '/^alloc.* requested=123 / { n++ }
		/^note loss count=[0-9]+ "events from signal handlers/ { split($3, c, "="); n += c[2] / 2 }
		/^note loss count=[0-9]+ "events, or parts of them, given up/ { split($3, c, "="); n += c[2] }
		END { print n + 0 }'
}
recorded() { # options, then mode
	local mode=${!#}

	timeout 60 tm-record -q -o x.tmt "${@:1:$#-1}" -- ./moments "$mode" >out 2>err
	echo "$? $(cat out err) $(tm-dump -q x.tmt | grep -c '^alloc.* requested=123 ') $(tm-dump -q x.tmt |
		grep -c ^totals)"
}
${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -shared -fPIC \
	"$SRC/testdata/src/record/moments_module.c" -o moments_module.so || exit 1
${CC:-cc} -std=c11 -g -O1 -fno-builtin -shared -fPIC "$SRC/testdata/src/record/moments_malloc.c" \
	-o moments_malloc.so || exit 1
for mode in $(./moments); do
	alone "$mode" >want
	for how in "--stacks none" "--stacks fp" "--stacks unwind" "--stacks shadow" "--min 123" \
		"--sample 1" "--calls all"; do
		# shellcheck disable=SC2086 # two words
		recorded $how "$mode" >got
		ok "$mode, $how" cmp want got
	done
	# The recorder itself calls the allocator never.
	if [ -n "${SAN-}" ]; then
		echo "skip - $mode: calls of the allocator (a sanitizer's is in tm-record, before any other)"
		continue
	fi
	counted alone "$mode" >want
	for how in "--stacks unwind" "--stacks shadow" "--sample 1"; do
		# shellcheck disable=SC2086
		counted recorded $how "$mode" >got
		ok "$mode, $how: calls of the allocator" cmp want got
	done
done
for how in "--stacks none" "--stacks fp" "--stacks unwind" "--stacks shadow"; do
	[ -z "${SAN-}" ] || {
		echo "skip - interrupted, $how (the same)"
		continue
	}
	# shellcheck disable=SC2086
	LD_PRELOAD=./moments_malloc.so recorded $how interrupted | tr '\n' ' ' >got
	ok "interrupted, $how: ends as alone" grep -q '^0 blocks .* 1 $' got
	ok "interrupted, $how: every block is there or counted" [ "$(told)" = "$(sed -n 's/^blocks //p' err)" ]
done
for how in "--stacks fp" "--stacks unwind" "--stacks shadow" "--min 123"; do
	# shellcheck disable=SC2086
	recorded $how suspend | tr '\n' ' ' >got
	ok "suspend, $how: the others end" grep -q '^0 blocks .* 1 $' got
	ok "suspend, $how: every block is there or counted" [ "$(told)" -ge "$(sed -n 's/^blocks //p' err)" ]
done
# What the dynamic linker binds at its first use saves the processor's registers on the stack that the program is on,
# which a signal's has no room for: once the program's own functions are bound, nothing of the unwinder is.
${CC:-cc} -std=c11 -D_GNU_SOURCE -g -o stacks "$SRC/tests/programs/src/stacks.c" -lpthread || exit 1
for how in fp unwind shadow; do
	rm -f bound.*
	LD_DEBUG=bindings LD_DEBUG_OUTPUT=bound tm-record -q --no-symbols --stacks $how -o x.tmt ./stacks >out 2>&1
	# Of the program's own process.
	awk 'FNR == 1 { handled = 0 }
		/binding file \.\/stacks .*`raise/ { handled = 1; print "raise" }
		handled && /binding file [^ ]*(libgcc_s|capture)/' bound.* >late
	ok "alternate stack, $how: nothing is bound on it" [ "$(tr '\n' ' ' <late)$(grep -o 'handled 100' out)" = "raise handled 100" ]
	sed -n 2,5p late
done
