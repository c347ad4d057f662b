#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The tables of tracemill-gate(7) are those of tests/simulate/judge.txt, in which every promise is kept.
set -u

sed -n '/^\.\\" tables of/,/^\.\\" end of tables/{//!p}' "$SRC/man/tracemill-gate.7" >page
bash "$SRC/tests/simulate/page.sh" >tables
if [ -s page ] && diff page tables >differs; then
	echo 'ok - the tables of the page'
else
	head -n 5 differs | sed 's/^/    /'
	echo 'not ok - the tables of the page (tests/simulate/page.sh --write)'
fi
if grep 'not kept' "$SRC/tests/simulate/judge.txt"; then
	echo 'not ok - promises that are kept'
else
	echo 'ok - promises that are kept'
fi
