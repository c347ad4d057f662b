#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# All scripts pass shellcheck. The .cmd cases are left out: they are one-liners whose $BIN, $DATA
# and so on come from tests/run.
set -u
cd "$SRC" || exit 1

files=$(find .ci tests testdata fleet man docs \( -name '*.sh' -o -name '*.bash' -o -path tests/run \
	-o -path tests/fleet/run -o -path tests/programs/run -o -path '.ci/*' ! -name '*.txt' -o -path 'fleet/*' ! -path fleet/sizing \) -type f | sort)
# SC1091: sourced files are in the list themselves. SC2154: variables that tests/run sets. SC2016:
# awk and messages want their $ as they are. SC2001: sed is fine.
# shellcheck disable=SC2086
if ! out=$(shellcheck --shell=bash -e SC1091,SC2154,SC2016,SC2001 -f gcc $files); then
	echo "$out" | sed 's/^/  /'
	echo "not ok - shell: $(echo "$out" | wc -l) remarks"
	exit 1
fi
echo "ok - shell: $(echo "$files" | wc -l) scripts"
