#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 1500
#
# The programs, not functions of theirs, over changed files, options and surroundings: fuzz_programs.py. The seed
# is the day's; FUZZ_SEED repeats one, FUZZ_SECONDS says how long: 20, in check-all 240.
# expects: signals
set -u
: "${SRC:?}" "${BIN:?}" "${DATA:?}"
export FUZZ_SEED=${FUZZ_SEED:-$(date +%Y%m%d)}

command -v python3 >/dev/null || {
	echo 'skip - programs on changed files (no python3)'
	exit 0
}
[ "${TIER-}" = all ] && seconds=240 || seconds=20
python3 "$SRC/tests/sh/fuzz_programs.py" "$FUZZ_SEED" "${FUZZ_SECONDS:-$seconds}"
