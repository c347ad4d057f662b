#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The judge of gates beside a second one, which was written from tracemill-gate(7) by somebody who had not
# read the first: 1,200 random cases, of 1 to 25 runs a side, 12 kinds of noise and of growth. Where all sets of
# runs are tried p is equal; where they are drawn, the words are, but where chance decides.
# tier: all
# timeout: 600
set -u
judge=$BUILD/tests/simulate/judge

if [ ! -x "$judge" ]; then
	echo 'skip - the twin of the judge (make simulate has not built the judge)'
	exit 0
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/simulate/cases.py" --check "$judge" 7 1200 >said
status=$?
grep 'all  ' said | sed 's/^/    /'
if [ $status = 0 ]; then
	echo 'ok - 1,200 cases'
else
	grep '^case' said | head -n 5 | sed 's/^/    /'
	echo 'not ok - 1,200 cases'
fi
