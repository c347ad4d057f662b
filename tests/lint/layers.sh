#!/bin/bash
# SPDX-License-Identifier: MIT
#
# layers.sh [ROOT]: every #include "..." is an edge that tests/lint/layers.txt allows, and the
# table itself has no cycle.
set -u
cd "${1:-$SRC}" || exit 1
table=tests/lint/layers.txt

find cmd lib formats tests testdata -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' | sort |
	xargs -r awk -v table="$table" '
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	# The longest row that path lies under: lib/a/b.c, lib/a, lib.
	function row(path) {
		while (!(path in allowed) && path ~ /\//)
			path = folder(path)
		return path in allowed ? path : ""
	}
	# cmd/tm-x.c and cmd/tm-x/y.h are of tm-x.
	function program(path, part) { split(path, part, "/"); sub(/\.[ch]$/, "", part[2]); return part[2] }
	function permits(from, to, n, list, i, p) {
		n = split(allowed[from], list, " ")
		for (i = 1; i <= n; i++) {
			p = list[i]
			if (p == to || p == layer[to] || (p ~ /\/\*$/ && index(to, substr(p, 1, length(p) - 1)) == 1))
				return 1
		}
		return 0
	}
	function visit(x, path, n, list, i) {
		if (state[x] == 1) {
			printf "  a cycle in %s: %s %s\n", table, path, x
			bad++
			return
		}
		if (state[x] == 2 || !(x in allowed))
			return
		state[x] = 1
		n = split(allowed[x], list, " ")
		for (i = 1; i <= n; i++)
			visit(list[i], path " " x " ->")
		state[x] = 2
	}
	BEGIN {
		while ((getline line < table) > 0) {
			sub(/#.*/, "", line)
			n = split(line, word, " ")
			if (!n)
				continue
			if (word[1] in allowed) {
				printf "  %s: %s is there twice\n", table, word[1]
				bad++
			}
			allowed[word[1]] = ""
			for (i = 2; i <= n; i++)
				allowed[word[1]] = allowed[word[1]] " " word[i]
			rows++
		}
		if (!rows) {
			printf "  %s: no rows\n", table
			bad++
		}
		for (x in allowed)
			visit(x, "")
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		to = part[2]
		from = row(FILENAME)
		if (from == "testdata/src" && to !~ /\//)
			next # programs of their own, with headers of their own beside them
		if (FILENAME ~ /^lib\/library\/tracemill\// && to !~ /\//)
			next # public headers, which are installed beside each other
		target = row(to)
		layer[to] = target
		edges++
		if (from == "")
			why = "its folder has no row"
		else if (target == "" || to !~ /\//)
			why = "not written from the root of the project"
		else if (to ~ /\.\./)
			why = "goes up the tree"
		else if (to ~ /\.c$/)
			why = "is not a header"
		else if (from == "cmd" && target == "cmd" && program(to) != program(FILENAME))
			why = "belongs to another program"
		else if (target == from || permits(from, to))
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
