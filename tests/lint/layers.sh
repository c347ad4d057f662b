#!/bin/bash
# SPDX-License-Identifier: MIT
#
# layers.sh [ROOT]: every #include "..." is an edge that tests/lint/layers.txt allows, and the
# table itself has no cycle.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$SRC}" || exit 1

find cmd lib formats tests testdata -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' | sort |
	xargs -r awk -v table=tests/lint/layers.txt "$(cat "$here/layers.awk")"'
	BEGIN { read_layers() }
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		to = part[2]
		from = row(FILENAME)
		if (from == "testdata/src" && to !~ /\//)
			next # programs of their own, with headers of their own beside them
		if (FILENAME ~ /^lib\/library\/tracemill\// && to !~ /\//)
			next # public headers, which are installed beside each other
		target = row(to)
		edges++
		if (from == "")
			why = "its folder has no row"
		else if (target == "" || to !~ /\//)
			why = "not written from the root of the project"
		else if (to ~ /\.\./)
			why = "goes up the tree"
		else if (to ~ /\.c$/)
			why = "is not a header"
		else if (target == from || permits(from, to) != "")
			next
		else
			why = from " may not include " target
		printf "  %s:%d: \"%s\": %s\n", FILENAME, FNR, to, why
		bad++
	}
	END {
		if (bad)
			printf "not ok - layers: %d problems\n", bad
		else if (!edges)
			print "not ok - layers: no #include seen at all"
		else
			printf "ok - layers: %d edges\n", edges
		exit bad > 0 || !edges
	}'
