#!/bin/bash
# SPDX-License-Identifier: MIT
#
# layers.sh [ROOT]: every #include "..." is an edge that tests/lint/layers.txt allows, and the
# table itself has no cycle. lib/README.md says of each room what it holds; of a family of formats only if its name does not.
# Its tables of decisions name files that are there, and words that are in them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$SRC}" || exit 1

# shellcheck disable=SC2016 # the quotes of Markdown
rooms=$([ ! -f lib/README.md ] || comm -3 <(grep -oE '^\| `[^`]*/`' lib/README.md | sed -E 's#.*`(.*)/`#lib/\1#; s#^lib/\.\./##' | sort) \
	<(find cmd lib formats -name '*.c' | sed -E 's#/[^/]*$##; s#^cmd/.*#cmd#' | sort -u) |
	grep -v "$(printf '^\tformats/')")
if [ -n "$rooms" ]; then
	echo "$rooms" | sed -E 's#^\t(.*)#  \1: lib/README.md does not say what it holds#; t; s#.*#  lib/README.md: & is no room#'
	echo "not ok - layers: lib/README.md has other rooms"
	exit 1
fi

# shellcheck disable=SC2016
places=$([ ! -f lib/README.md ] || sed -nE '/^## Where it is decided/,/^## Words/ { /^\| /!d
	/^\| what is decided/d; s/^\| .* \| `([^`]+)`(: `([^`]+)`)? \|$/\1\t\3/; p }' lib/README.md |
	while IFS=$'\t' read -r path word; do
		case $path in
		'| '*) echo "  lib/README.md: no one file: $path" ;;
		*) if [ ! -f "lib/$path" ]; then
			echo "  lib/README.md: there is no lib/$path"
		elif ! grep -qF -- "$word" "lib/$path"; then
			echo "  lib/README.md: lib/$path has no $word"
		fi ;;
		esac
	done)
if [ -n "$places" ]; then
	echo "$places"
	echo "not ok - layers: lib/README.md says of decisions where they are not"
	exit 1
fi

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
