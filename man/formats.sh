#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The tables of formats in docs/formats.md, tm-import(1) and tracemill(7), made from `tm-import --list-formats`:
# make tables writes them between their marks; with --check, prints the pages that differ, and ends with 1 if one does.
set -euo pipefail
cd "${SRC:-$(dirname "$0")/..}"
bad=0

# NAME, WHAT, PAGE and CONTENTS of each format, with tabs between them; by name.
formats() {
	tm-import --list-formats | awk -v OFS='\t' '
		/^[a-z][a-z0-9-]* +[^ ]/ { name = $1; sub(/^[^ ]+ +/, ""); what = $0; next }
		/^ +has / {
			page = match($0, /; see [^ ]+$/) ? substr($0, RSTART + 6) : "tm-import(1)"
			sub(/^ +has /, "")
			sub(/;.*/, "")
			print name, what, page, $0
		}' | LC_ALL=C sort
}

# Puts standard input between the lines of FILE with "formats: make tables" and "formats: end".
between() { # FILE
	local new

	new=$(TABLE=$(cat) awk '
		/formats: end/ { inside = 0 }
		!inside { print }
		/formats: make tables/ { inside = 1; print ENVIRON["TABLE"] }' "$1")
	if [ "$check" ]; then
		cmp -s "$1" - <<<"$new" || { echo "$1: its table is not what tm-import --list-formats says: make tables"; bad=1; }
	else
		printf '%s\n' "$new" >"$1"
	fi
}

check=${1-}
list=$(formats)
between docs/formats.md < <(awk -F'\t' '
	BEGIN { print "| name | capture | contents | page |\n|---|---|---|---|" }
	{ printf "| `%s` | %s | %s | `%s` |\n", $1, $2, $4, $3 }' <<<"$list")
# A hyphen of a page is a minus in its source.
between man/tracemill.7 < <(awk -F'\t' '{ gsub(/-/, "\\-", $2); print ".It " $1 "\n" $2 }' <<<"$list")
between man/tm-import.1 < <(awk -F'\t' '$3 != "tm-import(1)" {
	sub(/\(/, " ", $3)
	sub(/\)/, "", $3)
	print ".It " $1 "\n.Xr " $3
}' <<<"$list")
exit $bad
