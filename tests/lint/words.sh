#!/bin/bash
# SPDX-License-Identifier: MIT
#
# words.sh [ROOT]: lines that must not be committed: paths of one machine (in captures and binaries too),
# notes to oneself, warnings switched off, comments whose lines a formatter has joined, e->code as a status.
set -u
cd "${1:-$SRC}" || exit 1

# Bracketed so that this file does not find itself.
words='(^|[^[:alnum:]_./$}])/[w]ork/|/[h]ome/[a-z]|\b([T]ODO|[F]IXME|[X]XX)\b'
words+='|pragma (GCC|clang) [d]iagnostic|[N]OLINT'
here=$(ls -d cmd lib formats fleet tests testdata man .ci .clang* Makefile ./*.md 2>/dev/null)
# Captures and corpora are other people's words.
# shellcheck disable=SC2086
found=$(grep -rnIE --exclude-dir=corpus --exclude='*.want' "$words" $here)
if [ -n "$found" ]; then
	echo "$found" | sed 's/^/  /'
	echo "not ok - words: $(echo "$found" | wc -l) found"
	exit 1
fi
# Their paths are not: a corpus is made in a folder without a name of its own.
paths='/[w]ork/|/[r]oot/|/[h]ome/[a-z]'
held=$(for d in tests/fuzz/corpus tests/golden testdata examples; do
	[ ! -d "$d" ] || grep -rlaE "$paths" "$d"
done)
if [ -n "$held" ]; then
	echo "$held" | sed 's/^/  /'
	echo "not ok - words: files that hold paths of the machine they were made on"
	exit 1
fi
joined=$(find cmd lib formats tests testdata -name '*.[ch]' -exec grep -nE '^ \*[[:alnum:]>]' {} + 2>/dev/null)
if [ -n "$joined" ]; then
	echo "$joined" | sed 's/^/  /'
	echo "not ok - words: comments whose lines were joined"
	exit 1
fi
# NULL for a loss whose reason went elsewhere would pass for success: err_failure(), lib/base/err.h.
trusted=$(find cmd lib formats -name '*.[ch]' ! -path lib/base/err.c -exec \
	grep -nE '([r]eturn|\?|:|[[:alnum:]_] =) ([a-z_]+(->|\.))*e->code( *:|;)' {} + 2>/dev/null)
if [ -n "$trusted" ]; then
	echo "$trusted" | sed 's/^/  /'
	echo "not ok - words: e->code as the status of what has failed: err_failure(e)"
	exit 1
fi
echo "ok - words: no machine's paths, no notes to oneself, no joined comments"
