#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Names of fuzz targets: those of fuzz_NAME.c; and each reader without such a file, for which reader.c is the target.
# targets.sh readers: the latter alone. A hyphen in the name of a format is an underscore here.
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
[ "${1-}" = readers ] || printf '%s\n' tests/fuzz/fuzz_*.c | sed 's/.*fuzz_\(.*\)\.c$/\1/'
sed -n '/^const struct reader reader_/{n;s/^    \.name = "\([a-z0-9-]*\)",$/\1/p;}' formats/*.c formats/*/*.c | tr - _ |
	while read -r name; do
		[ -e "tests/fuzz/fuzz_$name.c" ] || echo "$name"
	done
