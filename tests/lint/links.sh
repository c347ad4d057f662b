#!/bin/bash
# SPDX-License-Identifier: MIT
#
# links.sh [ROOT]: every symbol that an object (of the plain build, or below ROOT/build) needs of another
# room is an edge of tests/lint/layers.txt: an include alone does not show it. No two rooms need each
# other; a row has no item that no include and no symbol needs, and none for all rooms.
# tests/lint/links.txt lists the edges that are still to go, and may not name others.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$SRC}" || exit 1
build=${1:+build}
build=${build:-$BUILD}

# Other builds need other symbols: sanitizers bring calls of their own, and clang inlines differently.
case $build in
*build/plain | build) ;;
*)
	echo "skip - links of objects (the table is of the plain build)"
	exit 0
	;;
esac
{
	# What the headers for other programs declare, lib/library defines for them.
	grep -rhoE '\btracemill_[a-z_0-9]+ ?\(' lib/library/tracemill 2>/dev/null | sed 's/ *($//; s/^/public /' | sort -u
	grep -rE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' cmd lib formats --include='*.[ch]' |
		sed -E 's/^([^:]*):[^"]*"([^"]*)".*/include \1 \2/'
	# The capture runtime's objects define malloc: they are a program of their own.
	# tm-view is built as the library is, and answers with functions of programs.
	for program in obj cap; do
		{
			for part in cmd lib formats build/made/lib; do
				[ -d "$build/$program/$part" ] && find "$build/$program/$part" -name '*.o' ! -path '*/cmd/tm-view[./]*'
			done
			[ $program = cap ] || find "$build/library/cmd" -path '*/cmd/tm-view[./]*.o' 2>/dev/null
		} | sort | while read -r object; do
			source=${object#"$build/$program/"}
			source=${source#"$build/library/"}
			source=${source%.o}
			# A file that was removed leaves its object.
			if [ -f "$source" ]; then
				echo "object $program ${source#build/made/} $object"
			fi
		done
	done
} >"${TMPDIR:-/tmp}/links.$$"
{
	cat "${TMPDIR:-/tmp}/links.$$"
	awk '$1 == "object" { print $4 }' "${TMPDIR:-/tmp}/links.$$" | xargs -r nm -A -P -g
} | awk -v table=tests/lint/layers.txt -v left=tests/lint/links.txt "$(cat "$here/layers.awk")"'
	# The edges in links.txt, with the reason of each.
	function read_left(line, word) {
		while ((getline line < left) > 0) {
			if (line ~ /^#/ || line !~ /[^ \t]/)
				continue
			split(line, word, " ")
			to_go[word[1] " " word[2]] = 1
			if (line !~ /^[^ ]+ +[^ ]+ +[^ ]+ [^ ]+/) {
				printf "  %s: two rooms, and why the first still needs the second: %s\n", left, line
				bad++
			}
		}
	}
	function use(from, item) {
		used[from in copy ? copy[from] : from, item] = 1
	}
	function edge(from_file, to_file, symbol, from, to, item) {
		from = row(from_file)
		to = row(to_file)
		if (from == to)
			return
		# The registry of readers names each of them, and only it.
		if (from == "formats/reader.c" && symbol ~ /^reader_/)
			return
		if (!((from, to) in edges))
			order[++pairs] = from SUBSEP to
		edges[from, to]++
		item = from == "" ? "" : permits(from, to_file)
		if (item != "")
			use(from, item)
		else if ((from " " to) in to_go)
			going[from " " to] = 1
		else if (++shown[from, to] <= 3) {
			printf "  %s needs %s of %s: %s may not need %s\n", from_file, symbol, to_file,
			       from == "" ? "it has no row, and" : from, to
			bad++
		}
	}
	BEGIN {
		read_layers()
		read_left()
	}
	$1 == "public" { public[$2] = 1; next }
	$1 == "include" {
		item = permits(row($2), $3)
		if (item != "")
			use(row($2), item)
		next
	}
	$1 == "object" {
		file[$4] = $3
		program[$4] = $2
		objects++
		next
	}
	{
		object = $1
		sub(/:$/, "", object)
		if ($3 ~ /^[Uwv]$/)
			needs[++n_needs] = object " " $2
		else if ($2 != "main")
			defined[program[object], $2] = file[object]
	}
	END {
		for (i = 1; i <= n_needs; i++) {
			split(needs[i], part, " ")
			from = file[part[1]]
			to = defined[program[part[1]], part[2]]
			if (to == "")
				continue
			if (part[2] in public && to ~ /^lib\/library\// && from !~ /^lib\/library\//)
				to = "lib/library/tracemill/"
			edge(from, to, part[2])
			links++
		}
		for (i = 1; i <= pairs; i++) {
			split(order[i], part, SUBSEP)
			if (part[1] < part[2] && ((part[2], part[1]) in edges)) {
				pair = part[1] " " part[2]
				back = part[2] " " part[1]
				if (pair in to_go || back in to_go)
					continue
				printf "  %s and %s need each other\n", part[1], part[2]
				bad++
			}
		}
		for (pair in to_go)
			if (!(pair in going)) {
				printf "  %s: is not needed any more: %s\n", left, pair
				bad++
			}
		if (!links) {
			print "not ok - links: no symbol seen at all: make first"
			exit 1
		}
		for (from in allowed) {
			if (from !~ /^(cmd|lib|formats)/ || from in copy)
				continue
			n = split(allowed[from], list, " ")
			for (i = 1; i <= n; i++) {
				if (list[i] ~ /\*/)
					printf "  %s: %s may need everything: %s\n", table, from, list[i]
				else if (!((from, list[i]) in used))
					printf "  %s: %s does not need %s\n", table, from, list[i]
				else
					continue
				bad++
			}
		}
		if (bad)
			printf "not ok - links: %d problems\n", bad
		else
			printf "ok - links: %d symbols of %d objects\n", links, objects
		exit bad > 0
	}'
status=$?
rm -f "${TMPDIR:-/tmp}/links.$$"
exit $status
