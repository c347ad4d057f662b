#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# ELuaProfiler, slua, xLua and the texts of Lua snapshots against how they were made: the generators
# (testdata/gen/elua.c, slua.c, lua_texts.c) print the truth. Then cut at every byte, and with
# every byte changed.
set -u
: "${GEN:?}"

failed=0
same() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		diff <(echo "$2") <(echo "$3") | head -n 20 | sed 's/^/    /'
		echo "not ok - $1"
		failed=1
	fi
}

# The value of a field of a dump's line, a number in decimals: field("name").
fields='
function hex(s,  i, v) {
	if (s !~ /^0x/) return s
	for (i = 3; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v
}
function field(name,  s) {
	if (match($0, " " name "=\"([^\"\\\\]|\\\\.)*\"")) {
		s = substr($0, RSTART, RLENGTH)
		sub(/^[^"]*"/, "", s)
		sub(/"$/, "", s)
		return s
	}
	if (match($0, " " name "=[^ ]*")) {
		s = substr($0, RSTART, RLENGTH)
		sub(/^[^=]*=/, "", s)
		return hex(s)
	}
	return ""
}
$1 == "location" { where[$2] = field("name") " " field("file") ":" field("line") + 0 }
$1 == "stack" { inner[$2] = field("location"); parent[$2] = field("parent") }
'

# "function NAME FILE:LINE calls self net gross", as far as the first argument's columns go.
functions() { # COLUMNS FILE
	tm-dump -q "$2" | awk -v columns="$1" "$fields"'
		$1 == "sample" || ($1 == "delta" && columns > 2) || $1 == "alloc" {
			w = where[inner[field("stack")]]
			seen[w]
		}
		$1 == "sample" { calls[w] += field("count"); self[w] += field("target") }
		$1 == "delta" && columns > 2 { net[w] += field("value") }
		$1 == "alloc" { gross[w] += field("requested") }
		END {
			for (w in seen) {
				printf "function %s %.0f", w, calls[w]
				if (columns > 1) printf " %.0f", self[w]
				if (columns > 2) printf " %.0f %.0f", net[w], gross[w]
				print ""
			}
		}' | LC_ALL=C sort
}

roots() { # the inclusive time of what nothing called, and the frames
	tm-dump -q "$1" | awk "$fields"'
		$1 == "sample" && !parent[field("stack")] { sum += field("value") }
		$1 == "frame" { frames++ }
		END { printf "total %.0f\nframes %d\n", sum, frames }'
}

elua() { # WHAT COLUMNS OPTION...
	local what=$1 columns=$2

	shift 2
	"$GEN/elua" "$@" >file 2>truth
	same "ELua, $what: by function" "$(functions "$columns" file)" \
		"$(awk -v n="$columns" '$1 == "function" { NF -= 4 - (n > 2 ? 4 : n); print }' truth | LC_ALL=C sort)"
	[ "$columns" = 1 ] || same "ELua, $what: the whole" "$(roots file)" "$(grep -E '^(total|frames)' truth)"
}

for version in v0 v1 v2; do
	elua $version 4 --nodes 300 $version
	elua "$version, callees longer than callers" 4 --nodes 300 --variant negative $version
	elua "$version, one chain" 4 --nodes 3000 --variant deep $version
	elua "$version, numbers that are none" 1 --nodes 300 --variant nan $version
	[ $version = v0 ] || elua "$version, frames" 4 --frames 20 $version
	if [ $version != v2 ]; then
		elua "$version, before 2024-11" 4 --variant old $version
		same "ELua, $version, before 2024-11: is said" \
			"$(tm-dump -q --no-tables --no-events file | grep -c '^attribute elua.bytes="gross"\|^note guess')" 2
	fi
done
elua 'v2, closures' 4 --nodes 300 --variant closures v2
elua 'v2, a function without a name' 4 --nodes 300 --variant nameless v2
"$GEN/elua" --frames 3 v2 2>/dev/null | tm-dump -q - >piped
"$GEN/elua" --frames 3 v2 2>/dev/null >file
same 'ELua: from a pipe' "$(tm-dump -q file | cksum)" "$(cksum <piped)"

# --- slua ---

memory() { # "file NAME bytes": what is in use at the end; "heap"; "frames"
	tm-dump -q "$1" | awk "$fields"'
		$1 == "delta" {
			w = where[inner[field("stack")]]
			sub(/^.* /, "", w)
			sub(/:[0-9]*$/, "", w)
			bytes[w] += field("value")
		}
		$1 == "counter" && $2 !~ /^[0-9]/ { heap = field("value") }
		$1 == "frame" { frames++ }
		END {
			for (w in bytes) print "file", w, bytes[w]
			print "heap", heap
			print "frames", frames
		}' | LC_ALL=C sort
}
lines() {
	tm-dump -q "$1" | awk "$fields"'
		$1 == "delta" {
			w = where[inner[field("stack")]]
			sub(/^.* /, "", w)
			bytes[w] += field("value")
		}
		END { for (w in bytes) if (bytes[w]) print "line", w, bytes[w] }' | LC_ALL=C sort
}
for variant in plain negative; do
	for frames in 1 61 150; do
		"$GEN/slua" --frames $frames --variant $variant >file 2>truth
		same "slua, $variant, $frames frames: by function" "$(functions 2 file)" \
			"$(grep '^function' truth | awk '$(NF - 1)' | LC_ALL=C sort)"
		same "slua, $variant, $frames frames: bytes by file" "$(memory file)" \
			"$(grep -E '^(file|heap|frames)' truth | awk '$1 != "file" || $NF' | LC_ALL=C sort)"
		[ $frames = 150 ] || same "slua, $variant, $frames frames: bytes by line" "$(lines file)" \
			"$(grep '^line' truth | LC_ALL=C sort)"
	done
done
"$GEN/slua" --frames 150 --variant broken >file 2>truth
same 'slua, a broken block: bytes by file of the others' "$(memory file | grep -v frames)" \
	"$(grep -E '^(file|heap)' truth | LC_ALL=C sort)"
same 'slua, a broken block: a loss' "$(tm-import file 2>&1 >/dev/null | grep -c 'loss: the block at byte')" 1
"$GEN/slua" --variant oodle >file 2>/dev/null
same 'slua, Oodle is refused by name' "$(tm-import file 2>&1 >/dev/null | grep -c 'byte 20: .*Oodle')" 1
"$GEN/slua" --variant v3 >file 2>/dev/null
same 'slua, version 3 is refused' "$(tm-import file 2>&1 >/dev/null | grep -c 'version 3: tracemill reads version 4')" 1

# --- snapshots ---

counts() { # "object TYPE N", "place FILE:LINE N", "edge NAME N"
	tm-dump -q "$1" | awk "$fields"'
		$1 == "type" { type[$2] = field("name") }
		$1 == "object" {
			t = type[field("type")]
			n["object " t]++
			p = field("name")
			if (t == "function") n["place " p]++
		}
		$1 == "reference" { n["edge " field("name")]++ }
		END { for (k in n) print k, n[k] }' | LC_ALL=C sort
}
for form in memdump snapshot print memref compared tables leaks; do
	for newlines in 0 1; do
		"$GEN/lua_texts" --objects 300 --newlines $newlines $form >file 2>truth
		same "$form, newlines $newlines" "$(counts file)" "$(LC_ALL=C sort truth)"
		same "$form, newlines $newlines: no loss" "$(tm-import file 2>&1 >/dev/null | grep -c 'loss: ')" 0
	done
done
"$GEN/lua_texts" times >file 2>truth
same 'times' "$(tm-dump -q file | awk "$fields"'
	$1 == "sample" { print "function", where[inner[field("stack")]], field("count"), field("value") }' |
	sed 's/\\"/"/g' | LC_ALL=C sort)" "$(LC_ALL=C sort truth)"

# --- damage ---

limit=100 step=1
if [ -n "${SAN-}" ] || ldd "$BIN/tm-import" | grep -q san; then
	limit=0 step=29
fi
small() { # STEP SILENT GENERATOR OPTION...
	local each=$(($1 * step)) silent=$2 name=$3-${*: -1}

	"$GEN/$3" "${@:4}" >"$name" 2>/dev/null
	"$GEN/cuts" --step $each --silent "$silent" --rss $limit "$name" tm-import || failed=1
	"$GEN/flips" --step $each --rss $limit "$name" tm-import || failed=1
}
small 1 0 elua --nodes 3 v0
small 1 1 elua --nodes 3 v1 # behind the mode: no tree
small 5 1 elua --nodes 3 --frames 2 v2
small 7 0 slua --frames 3 --block 2
# a line that is cut is said; one that is missing cannot be
for form in memdump snapshot print memref compared tables leaks times; do
	small 3 12 lua_texts --objects 4 $form
done
exit $failed
