#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# Captures of Miku-LuaProfiler against the truth that testdata/gen/miku.c tells: every node of every
# layout, its calls, times and own bytes; and damage: cut short, claims, lost strings, great depth.
set -u
: "${GEN:?}"

failed=0
step=1
if [ -n "${SAN-}" ] || ldd "$BIN/tm-import" | grep -q san; then
	step=23 # a sanitizer's runtime starts slowly
fi

same() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		diff <(echo "$3") <(echo "$2") | head -n 6 | sed 's/^/    /'
		echo "not ok - $1"
		failed=1
	fi
}

# FRAME PATH CALLS TOTAL SELF LUA MONO of each node in a dump, as the generator tells it.
nodes() {
	tm-dump -q "$@" | awk '
		function field(name,  i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1) return substr($i, length(name) + 2)
			return ""
		}
		function decimal(hex,  i, v) {
			for (i = 3; i <= length(hex); i++)
				v = v * 16 + index("123456789abcdef", substr(hex, i, 1))
			return v + 0
		}
		function flush() {
			if (have)
				printf "%d %s %d %.0f %s %.0f %.0f\n", frame, path[stack], calls, total, self, lua, mono
			have = lua = mono = 0
		}
		$1 == "location" {
			match($0, / name="[^"]*"/)
			name[$2] = substr($0, RSTART + 7, RLENGTH - 8)
			gsub(/ /, "_", name[$2])
		}
		$1 == "stack" {
			path[$2] = name[field("location")]
			if (field("parent")) path[$2] = path[field("parent")] ";" path[$2]
		}
		$1 == "frame" { flush(); frame = field("value") }
		$1 == "sample" {
			flush()
			have = 1; stack = field("stack"); calls = field("count"); total = field("value")
			self = field("target") == "" ? "-" : sprintf("%.0f", decimal(field("target")))
		}
		$1 == "alloc" { lua += field("requested") }
		$1 == "delta" && /domain=lua/ { lua += field("value") }
		$1 == "delta" && /domain=mono/ { mono += field("value") }
		END { flush() }'
}

note() { # NAME SEVERITY PATTERN: the note's count
	tm-dump "$1" | sed -n "s/^note $2 count=\([0-9]*\) \"$3.*/\1/p"
}

# --- every layout, every node ---

for layout in A0 A1 A2 A3 B0 B1 C D E wire4 wire31 wire30 wire23 beta tool; do
	for seed in 1 2 3; do
		"$GEN/miku" --seed $seed "$layout" >file 2>truth
		same "$layout: all nodes of $(wc -l <truth)" "$(nodes file)" "$(cat truth)"
	done
	tm-import -q -o file.tmt file
	same "$layout: the same from a trace" "$(nodes file.tmt)" "$(cat truth)"
	for option in unclamped collapsed; do
		"$GEN/miku" --variant $option "$layout" >file 2>truth
		case $option in
		unclamped) word=--unclamped ;;
		*) word=--collapse-resumes ;;
		esac
		tm-import -q $word -o file.tmt file
		same "$layout: $word" "$(nodes file.tmt)" "$(cat truth)"
	done
done
for layout in A0 A1 A2 A3 B0 B1 C D E; do
	"$GEN/miku" "$layout" >file 2>truth
	same "$layout: found" "$(tm-dump -q file | sed -n 's/^attribute miku.layout=//p')" "\"$layout\""
	"$GEN/miku" --variant merged "$layout" >file 2>truth
	same "$layout: a result save's nodes" "$(nodes file)" "$(cat truth)"
	same "$layout: a result save has no frames, and says so" \
		"$(tm-dump file | grep -c -e '^frame' -e 'no root has a frame number')" 1
done

# --- what the layout does not say ---

"$GEN/miku" E >counter 2>truth
"$GEN/miku" --variant heap E >heap.sample 2>heap.truth
"$GEN/miku" wire4 >wire 2>wire.truth
same 'a heap far above the cost' "$(nodes heap.sample)" "$(cat heap.truth)"
kinds() { tm-dump -q "$1" | awk '/domain=lua/ { n[$1]++ } END { print n["alloc"] + 0, (n["delta"] > 0) }'; }
same 'a counter: bytes allocated' "$(kinds counter)" "$(awk '$6 > 0' truth | wc -l) 0"
same 'a heap: growth' "$(kinds heap.sample)" '0 1'
heaps() {
	tm-dump -q "$1" | awk '/^counter .*"lua.heap"/ { id = $2 }
		/^counter value/ && $3 == "type=" id { sub("value=", "", $2); print $2 }' | xargs
}
same 'a counter gives no heap' "$(heaps counter)" ''
same "the heap of every root" "$(heaps heap.sample)" "7000000 7001000 7002000 7003000 7004000 7005000 7006000 7007000"
same "the heap of the stream's marks" "$(heaps wire)" '52428800 52428800 52428800 52428800'
tm-import -q --tick-rate 1000000 -o file.tmt counter
same '--tick-rate: ten times as long' "$(nodes file.tmt | awk '{ print $4, $5 }')" \
	"$(awk '{ printf "%.0f %.0f\n", $4 * 10, $5 * 10 }' truth)"

# --- bad input ---

"$GEN/miku" --variant trailing E >file 2>truth
same 'trailing bytes: all nodes' "$(nodes file)" "$(cat truth)"
same 'trailing bytes are counted' "$(note file guess 'bytes follow the last root')" 400
for layout in D E wire4; do
	"$GEN/miku" --variant floats $layout >file 2>truth
	same "$layout: no numbers" "$(note file loss 'values of fps or power')" "$([ $layout = wire4 ] && echo 2 || echo 2)"
	same "$layout: negative heaps" "$(note file loss 'heap sizes are negative')" \
		"$([ $layout = D ] && echo 2 || echo 1)"
	same "$layout: negative times" "$(note file loss 'times are negative')" 1
done
for layout in A0 B1 D; do
	"$GEN/miku" --variant lying $layout >file 2>truth
	same "$layout: a root that claims too much is left out" "$(note file loss 'roots are damaged')" 1
	same "$layout: the other roots are there" "$(nodes file | wc -l)" \
		"$(awk 'NR > 1 && index($2, ";") == 0 { root++ } root != 1' truth | wc -l)"
done
"$GEN/miku" --variant lying E >file 2>truth
same 'E: nothing behind a root that claims too much' "$(tm-dump file | grep -c '^note loss.*the rest was not read')" 1
"$GEN/miku" --variant number E >file 2>truth
tm-dump -f miku-sample file >out 2>err
same 'E: a string with a number that is not the next' "$? $(grep -c 'not the next number' err)" '3 1'
for layout in A3 B1 D E; do
	"$GEN/miku" --variant deep $layout >file 2>truth
	same "$layout: 100000 nodes deep" "$(tm-dump -q file | grep -c ^sample)" 100000
done
"$GEN/miku" --variant wide E >file 2>truth
same 'E: 70000 nodes below one: the 4464 that the count says, and the next one as a root' \
	"$(tm-dump -q file | grep -c ^sample)" 4466
same 'E: 70000 nodes below one: the others are counted as bytes' \
	"$(note file guess 'bytes follow the last root')" $((47 * (70000 - 4465 + 1)))
"$GEN/miku" wire4 >whole 2>truth
"$GEN/miku" --variant lost wire4 >file 2>truth
same 'a stream without its beginning: lost names' \
	"$(tm-dump file | grep -c '^location .*name="<str#0>"')" 1
same 'a stream without its beginning: all nodes' "$(nodes file | cut -d ' ' -f 1,3-)" \
	"$(awk 'NR > 1 && index($2, ";") == 0 { on = 1 } on' truth | cut -d ' ' -f 1,3-)"
same 'junk between messages is passed over and counted' \
	"$(note file loss 'bytes belong to no readable message')" 21
"$GEN/miku" --variant again wire4 >file 2>truth
same 'two connections: all nodes twice' "$(nodes file)" "$(cat truth truth)"
same 'two connections, and it says so' "$(note file info 'more connections follow')" 1
printf '\0\0\0\0' >empty.sample
same 'an empty save' "$(tm-dump empty.sample | grep -c 'the file has no samples')" 1

# --- cut at every byte ---

for layout in A0 A1 A2 A3 B0 B1 C D E wire4 wire31 wire23 beta; do
	"$GEN/miku" --frames 1 --seed 5 $layout >file 2>truth
	each=$((1 + $(stat -c %s file) / 400)) silent=0
	case $layout in wire* | beta) silent=12 ;; esac # behind a message
	"$GEN/cuts" --step $((each * step)) --silent $silent file tm-import || failed=1
done
exit $failed
