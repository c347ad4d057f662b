#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The error rates of gates: a tenth of the table of tracemill-gate(7) simulated again, with the same seeds; and
# pairs of builds of each kind of noise through the command line, whose exit status is that of the judge in process.
# tier: all
# timeout: 600
set -u
judge=$BUILD/tests/simulate/judge

if [ ! -x "$judge" ]; then
	echo 'skip - the rates of the judge (make simulate has not built the judge)'
	exit 0
fi

cat >policy.ini <<'END'
[rule sites]
metric = samples
key = function
each = yes
percent = 0
END

wrong=0 pairs=0 ends=' '
for noise in normal tails outliers pareto bimodal zero steps drift ar1 machine spread; do
	for cell in 3-3-20:1 3-3-20:2 5-5-20:3 5-5-20:4 5-1-20:5 3-3-200:6 8-8-20:7; do
		mkdir run
		want=$("$judge" write "$noise-${cell%:*}" "${cell#*:}" run)
		"$BIN/tm-compare" -q --gate policy.ini --base run/base*.folded --new run/new*.folded >out 2>&1
		status=$?
		pairs=$((pairs + 1)) ends="$ends$status "
		if [ "$status" != "$want" ]; then
			wrong=$((wrong + 1))
			echo "    $noise-$cell: $status, in process $want"
			head -n 3 out | sed 's/^/    /'
		fi
		rm -r run
	done
done
case "$ends" in *' 0 '*) ;; *) wrong=1 ;; esac
case "$ends" in *' 1 '*) ;; *) wrong=1 ;; esac
case "$ends" in *' 5 '*) ;; *) wrong=1 ;; esac
if [ $wrong = 0 ]; then
	echo "ok - $pairs pairs through tm-compare"
else
	echo "not ok - $wrong of $pairs pairs through tm-compare ($ends)"
fi

"$judge" tenth
