#!/bin/bash
# SPDX-License-Identifier: MIT
# needs: shared
#
# The samples under ../shared against the totals that come with them (samples/README.md,
# formats/loliprofiler.md section 12, formats/unity-il2cpp-mono.md section 2.1). The totals are
# computed here, by awk, from tm-dump's text, with the live rule of loliprofiler.md section 7.1.
set -u
: "${SHARED:?}"

failed=0
same() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1: $2, expected $3"
		failed=1
	fi
}

# A dump's events as "kind key=value ..."; field() picks a value.
field='function field(name,  i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1) return substr($i, length(name) + 2)
	return ""
}'

# Frame by frame: requested bytes of the types, real bytes of the types and of the stacks.
frames() {
	tm-dump "$1" | awk "$field"'
		$1 == "frame" { f = field("value"); order[++n] = f }
		$1 == "type-total" { req[f] += field("requested"); real[f] += field("real") }
		$1 == "alloc" { stacks[f] += field("real"); entries++ }
		END {
			for (i = 1; i <= n; i++) {
				f = order[i]
				printf "%s:%d/%d/%d ", f, req[f], real[f], stacks[f]
			}
			print "entries:" entries
		}'
}

# Allocations and bytes; then those that no free with a higher number follows at their address.
live() {
	tm-dump "$@" | awk "$field"'
		$1 == "alloc" {
			n++; bytes += field("requested")
			address[n] = field("address"); seq[n] = field("seq"); size[n] = field("requested")
		}
		$1 == "free" || $1 == "freed" {
			a = field("address")
			if (!(a in freed) || freed[a] < field("seq") + 0) freed[a] = field("seq") + 0
		}
		END {
			for (i = 1; i <= n; i++)
				if (!(address[i] in freed) || seq[i] + 0 >= freed[address[i]]) {
					alive++; alive_bytes += size[i]
				}
			printf "%d/%d live %d/%d\n", n, bytes, alive, alive_bytes
		}'
}

# The parents of stack lines give its length.
depths() {
	tm-dump "$1" | awk "$field"'
		$1 == "stack" { depth[$2] = 1 + depth[field("parent")] }
		$1 == "alloc" { d = field("stack"); print d == "" ? 0 : depth[d] }' | xargs
}

for f in "$SHARED"/samples/memtracer/*.mem; do
	same "${f##*/}: requested, real and the stacks' real bytes of both frames" "$(frames "$f")" \
		'9763:496/592/592 9764:364/464/464 entries:11'
	same "${f##*/}: ten locations in every stack" "$(depths "$f")" '10 10 10 10 10 10 10 10 10 10 10'
done
samples=$SHARED/samples/loliprofiler
same 'synthetic_v106: 6 records, 5 live' "$(live "$samples/synthetic_v106_qt5158.loli")" \
	'6/1056320 live 5/1055808'
same 'synthetic_v106: 4 stacks and a record without one' \
	"$(tm-dump "$samples/synthetic_v106_qt5158.loli" | awk "$field"'
		$1 == "alloc" { s = field("stack"); if (s == "") none++; else if (!seen[s]++) n++ }
		END { print n, none }')" '4 1'
# The stream's four records: frames, no frames, a library's name, a free of the second one.
same 'synthetic_stream: 3 allocations, 2 live' "$(live "$samples/synthetic_stream.bin")" \
	'3/4685 live 2/4173'
same 'synthetic_cache_0: 2 records, no frees' "$(live "$samples/synthetic_cache_0.bin")" \
	'2/4608 live 2/4608'

# Miku-LuaProfiler (formats/lua.md section 1): bytes of its own serializers with one set of invented
# values in each family. Expected: from these values, and from a reader of a few lines in Python.
miku=$SHARED/samples/lua/miku

# LAYOUT frames samples; calls, time, own time, own Lua bytes, own Mono bytes of all nodes.
miku_sums() {
	tm-dump -q "$1" | awk "$field"'
		function decimal(hex,  i, v) {
			for (i = 3; i <= length(hex); i++)
				v = v * 16 + index("123456789abcdef", substr(hex, i, 1))
			return v + 0
		}
		$1 == "attribute" && /miku.layout/ { split($2, at, "\""); layout = at[2] }
		$1 == "frame" { frames++ }
		$1 == "sample" {
			n++; calls += field("count"); total += field("value"); own += decimal(field("target"))
		}
		$1 == "alloc" { lua += field("requested") }
		$1 == "delta" && /domain=lua/ { lua += field("value") }
		$1 == "delta" && /domain=mono/ { mono += field("value") }
		END {
			printf "%s %d %d; %d %.0f %.0f %d %d\n", layout, frames, n, calls, total, own, lua, mono
		}'
}
# Three roots of 25, 9 and 0.1 ms; 4096 B, of them 2048 and 10 below; 128 B.
same 'miku v2.1' "$(miku_sums "$miku/miku_v2.1.sample")" 'A1 3 9; 15 102300000 75000000 12288 0'
same 'miku v2.3.2.beta' "$(miku_sums "$miku/miku_v2.3.2.beta.sample")" \
	'B0 3 9; 15 102300000 75000000 12288 384'
same 'miku 3.1.4' "$(miku_sums "$miku/miku_3.1.4.sample")" 'D 3 9; 15 102300000 75000000 12288 384'
# Frames 100 to 105 have a root of 4196 B and more by one in each; 100, 102 and 104 a second one of
# 40 ms and 512 B. In frame 103 an exception of -5 B makes the own bytes of all nodes 5 B more.
v4='E 6 29; 41 325517000 270615000 26732 768'
same 'miku v4' "$(miku_sums "$miku/miku_v4.sample")" "$v4"
same 'miku v4, network stream' "$(miku_sums "$miku/miku_v4_tcp_stream.bin")" "$v4"
same 'miku v4, network stream: the heap of the marks' \
	"$(tm-dump "$miku/miku_v4_tcp_stream.bin" | awk '/^counter .*"lua.heap"/ { id = $2 }
		/^counter value/ && $3 == "type=" id { n[$2]++ } END { for (v in n) print v, n[v] }')" \
	'value=52428800 6'
same 'miku v4, network stream: what C# holds' \
	"$(tm-dump "$miku/miku_v4_tcp_stream.bin" | grep '^object')" \
	'object address=0x1234 type=1 name="game/main.lua:12"'
same 'miku v4, overwritten: two roots' "$(miku_sums "$miku/miku_v4_overwritten_trailing.sample")" \
	'E 1 5; 7 74250000 65100000 4708 128'
same 'miku v4, overwritten: 1182 bytes behind them' \
	"$(tm-dump "$miku/miku_v4_overwritten_trailing.sample" | grep -c '^note guess count=1182 ')" 1
same 'miku diff, new: two tables' "$(tm-dump "$miku/add.txt" | grep '^reference')" \
	'reference address=0x0 target=0x1 name="[_G]->[UI]->[later]"
reference address=0x0 target=0x2 name="[_G]->[UI]->[later]->[x]"'
same 'miku diff, leaks: a function and two tables' "$(tm-dump "$miku/remain.txt" | awk "$field"'
	$1 == "type" { name[$2] = $3 } $1 == "object" { print name[field("type")] }' | xargs)" \
	'name=function name=table name=table'

# Through a trace nothing changes.
for f in "$SHARED"/samples/memtracer/*.mem "$samples"/* "$miku"/*; do
	tm-dump "$f" | LC_ALL=C sort >direct
	tm-import -q "$f" | tm-dump | LC_ALL=C sort >by_trace
	if cmp -s direct by_trace; then
		echo "ok - ${f##*/}: the same through tm-import"
	else
		diff direct by_trace | head -n 5
		echo "not ok - ${f##*/}: the same through tm-import"
		failed=1
	fi
done
exit $failed
