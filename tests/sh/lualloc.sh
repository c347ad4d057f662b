#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# lua_Alloc logs against how they were made: testdata/gen/lualloc.c prints the truth by kind and by
# frame; and a real Lua 5.4 that runs testdata/src/lua/objects.lua, which makes known numbers of
# objects.
set -u
: "${GEN:?}" "${DATA:?}"

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

field='function field(name,  i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1) {
			gsub(/"/, "", $i)
			return substr($i, length(name) + 2)
		}
	return ""
}'

# "KIND allocs frees reallocs allocated freed live live-bytes" from tm-top, reallocs from the
# counters.
kinds() {
	{
		tm-dump -q "$1" | awk "$field"'
			$1 == "counter" && $2 ~ /^[0-9]/ { name[$2] = field("name") }
			$1 == "counter" && name[field("type")] ~ /^lua.reallocs/ {
				sum[name[field("type")]] += field("value")
			}
			END { for (n in sum) print "realloc," substr(n, 14) "," sum[n] }'
		tm-top -q -n 0 --by type --metrics count,requested,freed,live --csv "$1" | tr -d '\r'
	} | awk -F, '
		$1 == "realloc" { realloc[$2] = $3; next }
		$1 == "rank" { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 ~ /^[0-9]+$/ {
			r = realloc[$at["type"]] + 0
			if (!("live_count" in at)) # no addresses: not known
				$at["live_count"] = $at["live_requested"] = $at["freed_count"] = ""
			printf "kind %s %d %s %d %d %s %s %s\n", $at["type"], $at["count"] - r,
				$at["freed_count"] - r, r, $at["requested"], $at["freed_requested"],
				$at["live_count"], $at["live_requested"]
		}' | LC_ALL=C sort
}

# "NUMBER allocs bytes heap", the heap from the counter at the frame's end
frames() {
	tm-dump -q "$1" | awk "$field"'
		$1 == "counter" && $2 ~ /^[0-9]/ { name[$2] = field("name"); next }
		$1 == "frame" { frame = field("value"); order[++n] = frame }
		$1 == "alloc" { allocs[frame]++; bytes[frame] += field("requested") }
		$1 == "counter" && name[field("type")] == "lua.heap" { heap[frame] = field("value") }
		END {
			for (i = 1; i <= n; i++) {
				f = order[i]
				printf "frame %s %d %d %d\n", f, allocs[f], bytes[f], heap[f]
			}
		}'
}

check() { # WHAT FILE TRUTH
	same "$1: totals by kind" "$(kinds "$2")" "$(grep '^kind' "$3" | LC_ALL=C sort)"
	same "$1: by frame, and the running total" "$(frames "$2")" "$(grep '^frame' "$3")"
}

for kind in text binary; do
	for lua in 54 53 52 51; do
		"$GEN/lualloc" --seed $lua --events 3000 --lua $lua $kind >log 2>truth
		check "$kind, Lua $lua" log truth
	done
	for variant in named nil before columns states; do
		"$GEN/lualloc" --seed 9 --variant $variant $kind >log 2>truth
		if [ $variant = before ]; then
			# frees of what came before: tm-top cannot know them
			same "$kind, $variant: by frame" "$(frames log)" "$(grep '^frame' truth)"
			same "$kind, $variant: is said" "$(tm-dump -q --no-tables --no-events log | grep -c '^note info .*older than the log')" 1
		else
			check "$kind, $variant" log truth
		fi
	done
	"$GEN/lualloc" --seed 9 --variant bare $kind >log 2>truth
	same "$kind, without results: allocated by kind" \
		"$(tm-top -q -n 0 --by type --metrics count,requested --csv log | tr -d '\r' |
			awk -F, 'NR > 1 && $1 + 0 { print $NF, $2, $4 }' | LC_ALL=C sort)" \
		"$(awk '$1 == "kind" { print $2, $3 + $5, $6 }' truth | LC_ALL=C sort)"
	same "$kind, without results: live is absent" \
		"$(tm-dump -q --no-tables --no-events log | head -n 1 | grep -o 'live=[a-z]*')" 'live=absent'
	same "$kind, without results: the heap" "$(frames log)" "$(grep '^frame' truth)"
	"$GEN/lualloc" --variant plain $kind >log 2>truth
	same "$kind: the peak" \
		"$(tm-top -q --by type --metrics peak --as json log | jq -r '[.. | objects | .peak_requested? // empty] | max')" \
		"$(awk '$1 == "peak" { print $2 }' truth)"
	"$GEN/lualloc" --variant cut $kind >log 2>truth
	same "$kind, without its end: a loss" "$(tm-import log 2>&1 >/dev/null | grep -c 'loss: the log has no end')" 1
done

# --- cut at every byte; a byte changed everywhere ---

limit=100 step=1
if [ -n "${SAN-}" ] || ldd "$BIN/tm-import" | grep -q san; then
	limit=0 step=29
fi
for kind in text binary; do
	"$GEN/lualloc" --events 8 --frames 2 $kind >small.$kind 2>/dev/null
	"$GEN/cuts" --step $step --silent 1 --rss $limit small.$kind tm-import || failed=1
	"$GEN/flips" --step $step --rss $limit small.$kind tm-import || failed=1
done

# --- a real Lua ---

if [ ! -s "$DATA/lua/real.text" ]; then
	echo 'skip - a real Lua 5.4 (liblua5.4-dev is not installed)'
	exit $failed
fi
new() { # FILE FRAME KIND: how many objects a frame made
	tm-top -q -n 0 --frame "$2" --by type --metrics count --csv "$1" | tr -d '\r' |
		awk -F, -v kind="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["type"] == kind { print $at["count"]; n = 1 } END { if (!n) print 0 }'
}
live() { # FILE LAST-FRAME KIND: what the frames to here left behind
	tm-top -q -n 0 --frame "1..$2" --by type --metrics live --csv "$1" | tr -d '\r' |
		awk -F, -v kind="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["type"] == kind { print $at["live_count"] }'
}
for kind in text binary; do
	log=$DATA/lua/real.$kind
	same "real Lua, $kind: tables" "$(new "$log" 2 Table)" 1000
	same "real Lua, $kind: functions" "$(new "$log" 3 Function)" 200
	same "real Lua, $kind: upvalues" "$(new "$log" 3 UpVal)" 200
	same "real Lua, $kind: threads" "$(new "$log" 4 Thread)" 50
	same "real Lua, $kind: userdata" "$(new "$log" 5 UserData)" 30
	same "real Lua, $kind: strings" "$(new "$log" 6 String)" 100
	same "real Lua, $kind: prototypes" "$(new "$log" 7 Proto)" 10
	same "real Lua, $kind: lua.heap is what Lua counts" \
		"$(frames "$log" | tail -n 1 | cut -d ' ' -f 5)" \
		"$(awk '$1 == "heap" { print $2 }' "$log.truth")"
	same "real Lua, $kind: live bytes are, too" \
		"$(tm-top -q -n 0 --by type --metrics live --csv "$log" | tr -d '\r' |
			awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				$1 + 0 { sum += $at["live_requested"] } END { print sum }')" \
		"$(awk '$1 == "heap" { print $2 }' "$log.truth")"
	same "real Lua, $kind: no loss" "$(tm-import "$log" 2>&1 >/dev/null | grep -c loss)" 0
	for object in Thread UserData Proto; do
		same "real Lua, $kind: $object is collected" "$(live "$log" 9 $object)" "$(live "$log" 1 $object)"
	done
done
exit $failed
