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
	[ -s "${2:-/dev/null}" ] && sed 's/^/# /' "$2" | head -n "${SHOWN:-20}"
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

# Raw names, whole paths and lines of every call of every location in the demo's own modules.
ours() {
	awk '
		function field(key,    s) {
			if (!match($0, " " key "=\"([^\"\\\\]|\\\\.)*\"")) return ""
			s = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
			gsub(/\\"/, "\"", s)
			return s
		}
		function flush() { if (at != "") print at line; at = line = "" }
		$1 == "binding" {
			flush()
			object = field("object")
			sub(/.*\//, "", object)
			# A record with no more than the name of its library has no address.
			if ((object == "arcade" || object == "libengine.so") && match($0, / vaddr=0x[1-9a-f][0-9a-f]*/)) {
				at = object "\t" substr($0, RSTART + 7, RLENGTH - 7)
			}
		}
		$1 == "call" && at != "" {
			name = field("raw")
			if (name == "") name = field("function")
			name = name " " field("file")
			match($0, / line=[0-9]+/)
			line = line "\t" name ":" substr($0, RSTART + 6, RLENGTH - 6)
		}
		END { flush() }' | sort -u
}

# llvm-symbolizer takes physical functions' names from the symbol table of the file it is given,
# never from a separate debug file's; so it is given the debug file itself where there is one.
with_symbols() { # DIR MODULE
	local id file
	id=$(readelf -n "$1/bin/$2" | awk '/Build ID:/ { print $3 }')
	for file in "$1/bin/$2.debug" "$1/bin/.debug/$2.debug" "$1/debug/.build-id/${id:0:2}/${id:2}.debug"; do
		[ -e "$file" ] && echo "$file" && return
	done
	echo "$1/bin/$2"
}

theirs() { # DIR; reads $work/ours
	local module
	for module in arcade libengine.so; do
		awk -F '\t' -v m="$module" '$1 == m { print $2 }' "$work/ours" > "$work/at"
		while read -r vaddr; do printf '0x%x\n' $((vaddr - 1)); done < "$work/at" |
			llvm-symbolizer-19 --obj="$(with_symbols "$1" "$module")" --inlines --no-demangle --functions=linkage \
				--output-style=LLVM |
			awk -v m="$module" -v at="$work/at" '
				function flush() { if (n) { getline a < at; print m "\t" a line } n = 0; line = "" }
				/^$/ { flush(); next }
				n++ % 2 == 0 { line = line "\t" $0; next }
				{ sub(/:[0-9]+$/, ""); line = line " " $0 }
				END { flush() }'
	done | sort -u
}

if command -v llvm-symbolizer-19 > /dev/null; then
	: > "$work/differences"
	n=0
	for dir in "$DATA"/demo/*-dwarf*/; do
		dir=${dir%/}
		options=(-e "$dir/bin/arcade" -e "$dir/bin/libengine.so")
		[ -d "$dir/debug" ] && options+=(--debug-dir "$dir/debug")
		for capture in mem stream; do
			tm-symbolize -q --maps "$dir/arcade.maps" --locations return "${options[@]}" \
				"$dir/arcade.$capture" | tm-dump -q --no-events
		done | ours > "$work/ours"
		theirs "$dir" > "$work/theirs"
		n=$((n + $(wc -l < "$work/ours")))
		# Addresses differ from build to build; what differs is named by function and line.
		diff "$work/ours" "$work/theirs" | sed -n 's/^\([<>]\) [^\t]*\t[^\t]*\t/\1 /p' |
			sed "s|$SRC/||g; s|^|${dir##*/} |" >> "$work/differences"
	done
	grep -v '^#' "$SRC/tests/diff/demo.txt" | sort > "$work/listed"
	sort -u "$work/differences" > "$work/found"
	if [ "$n" -eq 0 ]; then
		not_ok "no location to compare with llvm-symbolizer"
	elif cmp -s "$work/listed" "$work/found"; then
		ok "every inline frame of $n locations agrees with llvm-symbolizer, but for $(wc -l < "$work/listed") listed"
	else
		diff "$work/listed" "$work/found" > "$work/said"
		not_ok "unlisted (>) or stale (<) differences from llvm-symbolizer" "$work/said"
	fi
else
	echo "skip - every inline frame against llvm-symbolizer (it is not here)"
fi
[ $found -gt 0 ] || not_ok "no demo variants in $DATA/demo"
exit $status
