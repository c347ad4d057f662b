#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# Lua captures but Miku's and ELua's: against how they were made, against what the tools say of
# files that they wrote, against LuaJIT as it is installed, and damaged at every byte.
set -u
: "${GEN:?}" "${DATA:?}"

failed=0
same() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		diff <(echo "$2") <(echo "$3") | head -n 10 | sed 's/^/    /'
		echo "not ok - $1"
		failed=1
	fi
}

# The events of a capture, as the generators' truth has them.
events() {
	tm-dump -q "$@" | awk -f "$SRC/tests/sh/lua_others.awk" | LC_ALL=C sort
}

count() { # the sum of the samples' counts
	events "$1" | awk '$1 == "sample" { n += $3 == "-" ? 1 : $3 } END { print n + 0 }'
}

# --- made files ---

texts='folded jp-states jp-raw luaprofiler luatrace luau-profile luau-heap'
for format in $texts memprof sysprof; do
	gen=lua_profiles
	case $format in memprof | sysprof) gen=tarantool ;; esac
	for seed in 1 2 3 4; do
		"$GEN/$gen" --seed "$seed" --events 200 --truth truth "$format" >capture
		same "$format $seed: every event as it was made" "$(events capture)" \
			"$(sed 's/a b\.lua/a_b.lua/g' truth | LC_ALL=C sort)"
	done
	tm-import -q capture >capture.tmt
	same "$format: the same through tm-import" "$(events capture.tmt)" "$(events capture)"
	same "$format: nothing to remark" "$(tm-import -o /dev/null capture 2>&1 | grep -c 'loss')" 0
done

# --- files of the tools ---

samples=${SHARED-}/samples/lua
if [ -d "$samples/tarantool" ]; then
	# memprof.txt is the output of the tool on memprof.bin: place, events, bytes. Allocations and
	# reallocations share a place here; a reallocation is a free and an allocation with one number.
	f=$samples/tarantool/memprof.bin
	tm-dump -q "$f" | awk '
		function field(key) {
			if (!match($0, " " key "=[^ ]*"))
				return ""
			return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
		}
		$1 == "location" {
			match($0, " (file|name)=\"[^\"]*\"( line=.*)?$")
			s = substr($0, RSTART, RLENGTH)
			line = field("line")
			sub(/^ [a-z]*="/, "", s)
			sub(/".*/, "", s)
			place[$2] = line == "" ? s : s ":" line
		}
		$1 == "stack" { at[$2] = place[field("location")] }
		$1 == "free" || $1 == "alloc" { n++; kind[n] = $1; seq[n] = field("seq")
			where[n] = at[field("stack")]; bytes[n] = field("requested") }
		END {
			for (i = 1; i <= n; i++) {
				part = kind[i] == "alloc" ? "ALLOCATIONS" : "DEALLOCATIONS"
				plus = bytes[i]; minus = 0
				if (kind[i] == "free" && seq[i + 1] == seq[i]) {
					part = "REALLOCATIONS"; minus = bytes[i]; plus = bytes[++i]
				} else if (kind[i] == "free") {
					minus = bytes[i]; plus = 0
				}
				key = part " " where[i]
				events[key]++; up[key] += plus; down[key] += minus
			}
			for (k in events)
				print k ": " events[k] " events +" up[k] "B -" down[k] "B"
		}' | LC_ALL=C sort >got
	awk '/^[A-Z]+$/ { part = $1 }
		/^HEAP SUMMARY/ { exit }
		match($0, /: [0-9]+ events/) {
			where = substr($0, 1, RSTART - 1); sub(/^@/, "", where)
			n = split(substr($0, RSTART + 2), f, /[ \t]+/)
			key = part " " where
			events[key] += f[1]; up[key] += f[3]; down[key] -= f[4]
		}
		END { for (k in events) print k ": " events[k] " events +" up[k] "B -" down[k] "B" }' \
		"$samples/tarantool/memprof.txt" | LC_ALL=C sort >want
	same "memprof.bin: every line of the tool's own output" "$(cat got)" "$(cat want)"
	# The tool leaves the block out that was reallocated (32 to 64 bytes) but not allocated here.
	same "memprof.bin: live bytes, the tool's 411 and a block that is older than the file" \
		"$(tm-top -q --csv --metrics live "$f" | awk -F, '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /live.requested/) c = i }
			$1 ~ /^[0-9]+$/ { n += $c } END { print n }')" $((271 + 72 + 48 + 20 + 64))

	for f in "$samples"/luajit-jp/jp_*G.txt; do
		same "${f##*/}: samples" "$(count "$f")" "$(awk '{ n += $NF } END { print n }' "$f")"
	done
	same "jp_r.txt: samples" "$(count "$samples/luajit-jp/jp_r.txt")" 16
	same "jp_G.txt: main is an address, and the depth of the deepest stack" \
		"$(events "$samples/luajit-jp/jp_G.txt" | awk '{ n = split($NF, a, ";")
			if (n > most) most = n; if (a[1] != "entry:0x5597e23d92c0") bad++ }
			END { print most, bad + 0 }')" "$(awk '{ n = split($1, a, ";")
			if (n > most) most = n } END { print most, 0 }' "$samples/luajit-jp/jp_G.txt")"

	f=$samples/luaprofiler/lprof_work.out
	same "lprof_work.out: calls, local and total time" \
		"$(events "$f" | awk '{ n += $3; v += $4; s += $5 } END { printf "%d %.0f %.0f\n", n, s, v }')" \
		"$(awk -F'\t' 'NR > 1 { n++; s += $6 * 1e9; v += $7 * 1e9 }
			END { printf "%d %.0f %.0f\n", n, s, v }' "$f")"
	same "lprof_work.out: top calls mid, and mid leaf" \
		"$(events "$f" | awk '{ gsub(/@[^;]*/, "", $NF); n[$NF]++ }
			END { print n["top;mid;leaf"], n["top;mid"], n["top"] }')" \
		"$(awk '{ n[$3]++ } $3 == "top" { print n["leaf"], n["mid"], n["top"]; exit }' "$f")"
	for f in "$samples"/luatrace/trace-*.txt; do
		same "${f##*/}: time, and calls that it has entered" \
			"$(events "$f" | awk '{ n += $3; s += $5 } END { printf "%d %.0f\n", n, s }')" \
			"$(awk '/^[0-9]/ { v += $2 * 1000 } /^>/ { n++ }
				END { printf "%d %.0f\n", n, v }' "$f")"
	done
else
	echo 'skip - files of the tools (no shared samples)'
fi

# --- LuaJIT as it is installed ---

if ! command -v luajit >/dev/null; then
	echo 'skip - captures of LuaJIT (luajit is not installed)'
elif ! luajit -jp=f,probe -e 'return' 2>/dev/null || [ ! -e probe ]; then
	echo 'skip - captures of LuaJIT (its profiler, jit/p.lua, is not there)'
else
	cat >work.lua <<'X'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function fill() local t = {} for i = 1, 1000 do t[i] = {i} end return t end
local function order() local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 2003 end
	table.sort(t) end
local function frame() fib(18) fill() order() string.rep("x", 1000) end
local co = coroutine.wrap(function() while true do frame() coroutine.yield() end end)
for i = 1, 60 do frame() co() end
X
	# Collapsed: the sum of the lines of one level. f, F, l: what frames are; v, z: two levels.
	for mode in G fG FG lG pFG fvG vfG fzG 5FG; do
		luajit "-jp=i1${mode},jp.out" work.lua
		want=$(awk '$0 ~ /^(Compiled|Interpreted|C code|Garbage Collector|JIT Compiler|\(none\)) [0-9]+$/ {
				next } { n += $NF } END { print n + 0 }' jp.out)
		same "luajit -jp=$mode: $want samples, each once" "$(count jp.out)" "$want"
	done
	# Lists: the first level's numbers, in samples or percent.
	for mode in f fr lr sr 3sr -3sr vr vfr fvr fl\<r 4 -2s vf fl\< m1r; do
		luajit "-jp=i1${mode},jp.out" work.lua
		want=$(awk '/^ *[0-9]+%?  / { sub(/%/, "", $1); n += $1 } END { print n + 0 }' jp.out)
		same "luajit -jp=$mode: first level $want" "$(count jp.out)" "$want"
	done
	# Annotated: the numbers before the source.
	for mode in a A ar Ar; do
		luajit "-jp=i1${mode},jp.out" work.lua
		want=$(awk '/^ *[0-9]+%? \| / { sub(/%/, "", $1); n += $1 } END { print n + 0 }' jp.out)
		same "luajit -jp=$mode: lines $want" "$(count jp.out)" "$want"
		same "luajit -jp=$mode: at the lines of the source" "$(events jp.out | awk '
			{ sub(/.*:/, "", $NF); print $NF }' | sort -n | awk '$1 < 1 || $1 > 7')" ''
	done
	luajit -jp=i100000,jp.out -e 'return'
	same 'luajit: no samples' "$(tm-dump -q jp.out | tail -n 1)" \
		'totals locations=0 stacks=0 types=0 modules=0'
fi

# --- folded stacks of other tools: comments, decimals, what Windows makes of them ---

printf 'a;b;c 1\na;b 5\n' >plain.folded
printf '# comment; 7\n// other comment\n#\na;b;c 1\n\na;b 5' >comments.folded
same 'folded: comments and blank lines are none of the stacks' "$(events comments.folded)" "$(events plain.folded)"
same 'folded: ... and no loss' "$(tm-dump -q comments.folded | grep -c '^note loss')" 0
printf '#main;f 3\n//x;g 4\n' >names.folded
same 'folded: functions that are called so' "$(count names.folded)" 7
printf 'a;b;c 1\r\n\r\na;b 5\r\n' >crlf.folded
same 'folded: CRLF' "$(events crlf.folded)" "$(events plain.folded)"
printf 'a;b;c 1.5\na;b 2\na;d 0.25\nx;y 12345678.5\n' >decimals.folded
same 'folded: decimals, as millionths' "$(events decimals.folded)" 'sample - 12345678500000 - - x;y
sample - 1500000 - - a;b;c
sample - 2000000 - - a;b
sample - 250000 - - a;d'
same 'folded: ... which is told' "$(tm-import -v -o /dev/null decimals.folded 2>&1 | grep -c '1000000 stands for 1')" 1
# Of more decimals than six the last ones go, which is a loss: 0.1234567 is nearest to 123457 millionths.
printf 'a;b 9000000000.1234567\na;c 1\n' >fine.folded
same 'folded: decimals that do not fit' "$(events fine.folded)" 'sample - 1000000 - - a;c
sample - 9000000000123457 - - a;b'
same 'folded: ... are a loss' "$(tm-dump -q fine.folded | grep -c '^note loss')" 1

# --- damaged files ---

step=1 limit=100 # MiB
if [ -n "${SAN-}" ] || ldd "$BIN/tm-import" | grep -q san; then
	step=29 limit=0
fi
for format in $texts memprof sysprof; do
	f=$DATA/lua-others/$format
	# Texts: behind an end of line a sound, shorter file is left.
	silent=$(grep -c '' "$f")
	size=$(stat -c %s "$f")
	# A last line that can be read counts as it is, and a note says so, which tm-import shows
	# with -v only.
	case $format in
	memprof | sysprof) silent=0 ;;
	luau-heap) silent=1 ;;
	folded | luatrace) silent=$((3 * silent)) ;; # within a number
	jp-* | luau-profile) silent=$((size / 2)) ;; # within a name, too
	esac
	each=$((step + size / 400))
	"$GEN/cuts" --step $each --silent "$silent" --rss $limit "$f" tm-import || failed=1
	"$GEN/flips" --step $each --rss $limit "$f" tm-import || failed=1
done
exit $failed
