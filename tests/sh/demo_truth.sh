#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Our programs held to the demo's truth (testdata/README.md), for every variant and both
# captures: the calls of every location and of every stack, and the totals. Then every inline
# frame of every location against llvm-symbolizer; what differs must be in tests/diff/demo.txt.

set -u
status=0
ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	[ -s "${2:-/dev/null}" ] && sed 's/^/# /' "$2" | head -20
	status=1
}

: "${SRC:?}" "${DATA:?}"
check=$DATA/../testdata-gen/truthcheck
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The text of tm-dump, as lines for truthcheck: by address, and by stack.
calls() {
	awk -v want="$1" '
		function field(key,    s) {
			if (!match($0, " " key "=\"([^\"\\\\]|\\\\.)*\"")) return ""
			s = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
			gsub(/\\"/, "\"", s)
			return s
		}
		function number(key) {
			return match($0, " " key "=[0-9]+") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : 0
		}
		$1 == "location" { raw[$2] = $5 }
		$1 == "stack" { loc[$2] = number("location"); up[$2] = number("parent") }
		/^[a-z-]+ .* stack=[0-9]+/ { used[number("stack")] = 1 }
		$1 == "binding" { at = $2; seen[at] = 1 }
		$1 == "call" { of[at] = of[at] "\t" field("function") "\t" field("file") ":" number("line") }
		END {
			if (want == "sites")
				for (i in seen) print "-\t" raw[i] of[i]
			else
				for (s in used) {
					line = key = ""
					for (x = s; x; x = up[x]) { key = key raw[loc[x]] ";"; line = line of[loc[x]] }
					print key line
				}
		}'
}

found=0
for dir in "$DATA"/demo/*-dwarf*/; do
	dir=${dir%/}
	name=${dir##*/}
	[ -e "$dir/truth.sites" ] || continue
	found=$((found + 1))
	options=(-e "$dir/bin/arcade" -e "$dir/bin/libengine.so")
	[ -d "$dir/debug" ] && options+=(--debug-dir "$dir/debug")
	for capture in mem stream; do
		if ! tm-import -q --maps "$dir/arcade.maps" --locations return "$dir/arcade.$capture" |
			tm-symbolize -q "${options[@]}" > "$work/$capture.tmt" 2> "$work/said"; then
			not_ok "$name: $capture does not symbolize" "$work/said"
			continue
		fi
		tm-dump -q "$work/$capture.tmt" > "$work/$capture.txt"
	done
	cat "$work/mem.txt" > "$work/both"
	for kind in sites stacks; do
		# One capture has the addresses of the managed objects, the other all: together the truth.
		{ calls $kind < "$work/mem.txt"; calls $kind < "$work/stream.txt"; } | sort -u > "$work/$kind"
		if "$check" "$dir/truth.$kind" < "$work/$kind" > "$work/said"; then
			ok "$name: every ${kind%s} ($(cat "$work/said"))"
		else
			not_ok "$name: a ${kind%s} differs" "$work/said"
		fi
	done
	sed '1s/:\([0-9]*\)$/:9\1/' "$work/sites" > "$work/bent"
	if "$check" "$dir/truth.sites" < "$work/bent" > /dev/null; then
		not_ok "$name: a wrong line goes unnoticed"
	fi
done
[ $found -gt 0 ] || not_ok "no demo variants in $DATA/demo"
exit $status
