#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fills $DATA (default build/testdata) with generated fixtures: runs every testdata/make.d/*.sh whose
# inputs have changed since: the generators that it names, and testdata/src. When a script itself
# has changed, all is made anew. Those with a line "# tier: all" are for make check-all: with TIER=check
# they are left out.
# Lines "skip - what (why)" say what this machine cannot build.

set -eu
SRC=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-${DATA:-$SRC/build/testdata}}"
DATA=$(cd "${1:-${DATA:-$SRC/build/testdata}}" && pwd)
JOBS=${JOBS:-2}
export SRC DATA JOBS

scripts=$(cat "$0" "$SRC"/testdata/make.d/*.sh | sha256sum)
if [ "$scripts" != "$(cat "$DATA/.made/scripts" 2>/dev/null)" ]; then
	rm -rf "$DATA"
	mkdir -p "$DATA/.made"
	echo "$scripts" >"$DATA/.made/scripts"
fi

# What a part is made from.
inputs() {
	find "$SRC/testdata/src" -type f -print0 | sort -z | xargs -0 cat
	# shellcheck disable=SC2013,SC2016 # names of programs; a dollar as such
	for name in $(grep -o '\$GEN/[a-z_]*' "$1" | sed 's,.*/,,' | sort -u); do
		cat "${GEN:?}/$name"
	done
}

status=0
for part in "$SRC"/testdata/make.d/*.sh; do
	if [ "${TIER:-all}" = check ] && grep -q '^# tier: all$' "$part"; then
		continue
	fi
	made=$DATA/.made/$(basename "$part")
	key=$(inputs "$part" | sha256sum)
	if [ "$key" = "$(cat "$made" 2>/dev/null)" ]; then
		continue
	fi
	rm -f "$made"
	if sh "$part"; then
		echo "$key" >"$made"
	else
		echo "make.sh: $part failed" >&2
		status=1
	fi
done
exit $status
