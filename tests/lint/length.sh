#!/bin/bash
# SPDX-License-Identifier: MIT
#
# length.sh [ROOT]: a source file of more than 600 lines is two files.
set -u
cd "${1:-$SRC}" || exit 1

long=$(find cmd lib formats tests testdata \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.sh' \) \
	-exec awk 'END { if (NR > 600) printf "  %s: %d lines\n", FILENAME, NR }' {} \;)
if [ -n "$long" ]; then
	echo "$long"
	echo "not ok - length: more than 600 lines"
	exit 1
fi
echo "ok - length: no source file over 600 lines"
