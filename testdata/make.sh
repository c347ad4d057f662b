#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fills $DATA (default build/testdata) with generated fixtures: runs every testdata/make.d/*.sh,
# each of which owns one subdirectory and does nothing when it is up to date.
# Lines "skip - what (why)" say what this machine cannot build.

set -eu
SRC=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-${DATA:-$SRC/build/testdata}}"
DATA=$(cd "${1:-${DATA:-$SRC/build/testdata}}" && pwd)
JOBS=${JOBS:-2}
export SRC DATA JOBS

status=0
for part in "$SRC"/testdata/make.d/*.sh; do
	sh "$part" || {
		echo "make.sh: $part failed" >&2
		status=1
	}
done
exit $status
