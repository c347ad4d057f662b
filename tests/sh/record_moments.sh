#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 600
#
# tm-record on a program that allocates when its host can do least (testdata/src/record/moments.c):
# recorded in whatever way it ends as it does alone, and all its blocks are there.
set -u
. "$SRC/tests/capture.bash"

${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -finstrument-functions -I"$SRC" \
	"$SRC/testdata/src/record/moments.c" -o moments -lpthread 2>said || {
	cat said
	echo "not ok - moments.c compiles"
	exit 1
}
# Status and what is printed; then the blocks of the trace, and whether that is whole.
alone() { # mode
	timeout 60 ./moments "$1" >out 2>err
	echo "$? $(cat out err) $(sed -n 's/^blocks //p' err) 1"
}
recorded() { # options, then mode
	local mode=${!#}

	timeout 60 tm-record -q -o x.tmt "${@:1:$#-1}" -- ./moments "$mode" >out 2>err
	echo "$? $(cat out err) $(tm-dump -q x.tmt | grep -c '^alloc.* requested=123 ') $(tm-dump -q x.tmt |
		grep -c ^totals)"
}
${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -shared -fPIC \
	"$SRC/testdata/src/record/moments_module.c" -o moments_module.so || exit 1
for mode in $(./moments); do
	alone "$mode" >want
	for how in "--stacks none" "--stacks fp" "--stacks unwind" "--stacks shadow" "--threshold 123" \
		"--sample 1" "--calls all"; do
		# shellcheck disable=SC2086 # two words
		recorded $how "$mode" >got
		ok "$mode, $how" cmp want got
	done
done
