#!/bin/bash
# SPDX-License-Identifier: MIT
#
# words.sh [ROOT]: what must not be committed: paths of one machine (in captures and binaries too),
# notes to oneself, warnings switched off, comments whose lines a formatter has joined, members of a
# header that are called private, comments in words of our own.
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
# A comment that asks not to look keeps nothing apart: CONTRIBUTING.md, Insides.
mark='/\*[[:space:]]*([[:alnum:]_]+:[[:space:]]*)?[Pp]rivate[[:space:]]*(\*/|[:,;]|$)'
private=$(find cmd lib formats -name '*.h' -exec grep -nE "$mark" {} + 2>/dev/null)
if [ -n "$private" ]; then
	echo "$private" | sed 's/^/  /'
	echo "not ok - words: a header calls members private: behind a pointer, or say what they are"
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
# Comments only, since strings are tested as they are, and joined, since a phrase may go over a line's
# end. What is in backticks is a name of the code.
dialect='(^|[^[:alnum:]_])(is none|[Nn]obody|what (it|they) came to|[Tt]old)([^[:alnum:]_]|$)'
# shellcheck disable=SC2016 # awk's $0
odd=$(find cmd lib formats tests testdata -name '*.[ch]' -exec \
	grep -lE 'none|obody|came|old' {} + 2>/dev/null | LC_ALL=C sort |
	xargs -r awk -v dialect="$dialect" '
	function take(s) {
		sub(/^[ \t]*\**/, "", s)
		text = text " " s
	}
	function done() {
		gsub(/`[^`]*`/, "", text)
		gsub(/[ \t]+/, " ", text)
		if (match(text, dialect))
			printf "%s:%d: ...%s...\n", FILENAME, first,
				substr(text, RSTART > 30 ? RSTART - 30 : 1, RLENGTH + 60)
		text = ""
		inside = 0
	}
	FNR == 1 { inside = 0; text = "" }
	{
		rest = $0
		while (rest != "") {
			if (inside) {
				end = index(rest, "*/")
				take(end ? substr(rest, 1, end - 1) : rest)
				if (!end)
					next
				rest = substr(rest, end + 2)
				done()
			} else if (!match(rest, /\/\*|\/\/|"|'"'"'/)) {
				next
			} else {
				mark = substr(rest, RSTART, RLENGTH)
				first = FNR
				rest = substr(rest, RSTART)
				if (mark == "/*") {
					inside = 1
					rest = substr(rest, 3)
				} else if (mark == "//") {
					take(substr(rest, 3))
					done()
					next
				} else if (match(rest, /^"([^"\\]|\\.)*"|^'"'"'([^'"'"'\\]|\\.)*'"'"'/)) {
					rest = substr(rest, RLENGTH + 1)
				} else {
					rest = substr(rest, 2)
				}
			}
		}
	}')
if [ -n "$odd" ]; then
	echo "$odd" | sed 's/^/  /'
	echo "not ok - words: comments that say \"is none\", \"nobody\", \"what it came to\" or \"told\":" \
		"0: none; no reader; the sums; reported"
	exit 1
fi
echo "ok - words: no machine's paths, no notes to oneself, comments in plain words"
