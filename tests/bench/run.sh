#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench: import and report rates and peak memory, as a table. Inputs of fixed seeds are made
# under build/; each output is checked first; then each program runs several times as a whole
# process on cached files, and the median counts. Below the tables stand the figures that have goals: rates by the best
# processor seconds of a row, unless it says otherwise. Nothing here passes or fails by time.
#
#   BENCH_MB    size of the MemTracer file, in MB (1000)
#   BENCH_RUNS  runs of each row (5)
#   BENCH_ONLY  a word: only rows that contain it
#   BENCH_MANY  stacks and locations of the captures that have many (1000000)
#   BENCH_VIEW  events of the captures that tm-view is asked about (10000000)
#   BENCH_BIG   size of a large MemTracer file, in MB; 0: none (ten times BENCH_MB)
#   BENCH_GOALS 1: only rows that goals are about
#
# readers.bash has the rows of the other readers, big.bash those of a large file, view.bash those of tm-view; all use lib.bash.
set -eu
. "${SRC:?is set by make bench}/tests/bench/lib.bash"
mb=${BENCH_MB:-1000}
all='frame alloc free freed type-total'

free_mb=$(df -Pm . | awk 'NR == 2 {print $4}')
if [ "$free_mb" -lt $((mb * 5 + 1500)) ]; then
	say "only $free_mb MB are free here; set BENCH_MB to less than $mb"
	exit 2
fi
records=$((mb * 2000)) # of about 200 bytes: several hundred MB
make_input run.mem "$GEN/memtracer" --seed 1 --bytes "${mb}M"
make_input run.stream "$GEN/loli" -S 1 -n $records -d 32 -s 20000 stream
make_input run.cache "$GEN/loli" -S 1 -n $((records / 2)) -d 32 -s 20000 cache
make_input run.loli "$GEN/loli" -S 1 -n $records -d 32 -s 20000 loli-106
make_input run.text "$GEN/loli" -S 1 -n $((records / 4)) -d 32 -s 20000 text
make_input run.raw "$GEN/unity" --bytes "${mb}M" --workers 6 --calls 400 --spread 2 --depth 7 \
	--rich 30 --steady
make_input run.tmt "$GEN/trace" --seed 1 --allocs $((mb * 20000)) --live 100000 --stacks 1000000 \
	--frames 1000

# heaptrack_print takes minutes for what is seconds here: both get a smaller one.
make_input small.tmt "$GEN/trace" --seed 2 --allocs $((mb * 1000)) --live 10000 --stacks 50000 \
	--frames 100
make_input small.heaptrack "$GEN/heaptrack" <small.tmt

say 'checking what is read'
right run.mem frames "$(count run.mem frame)" "$(wc -l <run.mem)"
for f in run.stream run.cache run.loli run.text; do
	got=$(count $f alloc)
	right $f allocations "$got" "$(told $f records)"
done
right run.raw samples "$(count run.raw sample)" "$(awk '$1 == "samples" { print $2 }' run.raw.truth)"
right run.tmt events "$(count run.tmt alloc free)" $((mb * 20000))

# more COMMAND...: unless only what has goals is wanted.
more() {
	[ -n "${BENCH_GOALS-}" ] || "$@"
}

# rate FORMAT MB/S: of the row before. A machine's speed is not in the ratio to another reader's.
rate() {
	goal "import $1, MB/s" "$mbs" ">= $2"
	goal "import $1 / import MemTracer, MB/s" "$(part "$mbs" "$memtracer_mbs")"
}

goals_begin readers
titles
raw=$("$GEN/stream_size" <run.stream)
row 'import MemTracer' "$(size run.mem)" "$(count run.mem "$all")" tm-import -q run.mem
memtracer_mbs=$mbs
goal 'import MemTracer, MB/s' "$mbs" '>= 400'
if [ -n "$(command -v jq)" ]; then
	# The nearest thing on Debian to a peer: reading the JSON alone.
	runs_kept=$runs runs=1
	row '  jq -c .f (JSON alone)' "$(size run.mem)" 0 jq -c .f run.mem
	goal 'import MemTracer / jq, MB/s' "$(part "$memtracer_mbs" "$mbs")"
	runs=$runs_kept
fi
row 'import LoliProfiler stream, raw' "$raw" "$(count run.stream "$all")" tm-import -q run.stream
rate 'LoliProfiler stream' 900
row 'import LoliProfiler cache' "$(size run.cache)" "$(count run.cache "$all")" tm-import -q run.cache
row 'import LoliProfiler .loli' "$(size run.loli)" "$(count run.loli "$all")" tm-import -q run.loli
rate 'LoliProfiler .loli' 600
row 'import LoliProfiler text' "$(size run.text)" "$(count run.text "$all")" tm-import -q run.text
row 'import Unity .raw' "$(size run.raw)" "$(count run.raw "$all sample counter")" tm-import -q run.raw
events=$(count run.tmt "$all")
row 'import a trace (copy)' "$(size run.tmt)" "$events" tm-import -q run.tmt
row 'tm-dump --no-events' "$(size run.tmt)" "$events" tm-dump -q --no-events --no-tables run.tmt
for by in type stack function site; do
	more row "tm-top --by $by" "$(size run.tmt)" "$events" tm-top -q --by $by run.tmt
done

# Rates by the clock: sums alone, and with blocks matched with their frees, of few stacks and of many.
one=(taskset -c 0)
make_input few.tmt "$GEN/trace" --seed 3 --allocs $((mb * 10000)) --live 100000 --stacks 20000 --frames 1000
make_input live.tmt "$GEN/trace" --seed 4 --allocs $((mb * 10000)) --live $((mb * 1000)) --stacks 20000 --frames 1000
few=$(count few.tmt "$all")
# rates NAME EVENTS LIMIT FILE COMMAND...: on one processor, and how many times as fast on two.
rates() {
	local name=$1 events=$2 limit=$3 file=$4 one_clock one_cpu one_peak

	shift 4
	row "$name, 1 CPU" "$(size "$file")" "$events" "${one[@]}" "$@" "$file"
	[ -z "$limit" ] || goal "$name, one processor, M events/s" "$clock_mevs" "$limit"
	one_clock=$clock one_cpu=$cpu one_peak=$peak
	row "$name" "$(size "$file")" "$events" taskset -c 0,1 "$@" "$file"
	goal "$name: one processor / two, time" "$(part "$one_clock" "$clock")" '>= 1.7'
	cpu=$one_cpu peak=$one_peak
}
rates 'tm-top, sums, 20,000 stacks' "$few" '>= 40' few.tmt tm-top -q --metrics count,requested
sums=$cpu
rates 'tm-top, sums, 1 M stacks' "$events" '>= 20' run.tmt tm-top -q --metrics count,requested
rates 'tm-top, live blocks, 20,000 stacks' "$few" '>= 12' few.tmt tm-top -q
goal 'tm-top with live blocks / without' "$(part "$cpu" "$sums")"
top=$cpu
rates 'tm-top, live blocks, 1 M stacks' "$events" '>= 8' run.tmt tm-top -q
rates 'tm-frames, 20,000 stacks' "$few" '' few.tmt tm-frames -q
goal 'tm-frames / tm-top, rates' "$(part "$top" "$cpu")" '>= 0.8'
frames=$cpu
rates 'tm-import, MemTracer' "$(count run.mem "$all")" '' run.mem tm-import -q
rates 'tm-import, LoliProfiler stream' "$(count run.stream "$all")" '' run.stream tm-import -q
rates 'tm-import, Unity .raw' "$(count run.raw sample)" '' run.raw tm-import -q
row 'tm-frames --by type, 20,000 stacks' "$(size few.tmt)" "$few" "${one[@]}" tm-frames -q --by type few.tmt
goal 'tm-frames --by type / tm-frames, time' "$(part "$cpu" "$frames")" '<= 1.5'
row 'tm-top, sums, many blocks live' "$(size live.tmt)" "$few" "${one[@]}" tm-top -q --metrics count,requested live.tmt
few_peak=$peak
row 'tm-top, many blocks live' "$(size live.tmt)" "$few" "${one[@]}" tm-top -q live.tmt
[ -z "$peak" ] || goal 'bytes a live block' $(((peak - few_peak) * 1024 / (mb * 1000))) '<= 48'
more row 'tm-compare, with itself' "$((2 * $(size run.tmt)))" $((2 * events)) tm-compare -q run.tmt run.tmt
small=$(count small.tmt "$all")
row 'tm-top of a smaller trace' "$(size small.tmt)" "$small" tm-top -q small.tmt
small_cpu=$cpu
if [ -n "$(command -v heaptrack_print)" ]; then
	right small.heaptrack allocations "$(heaptrack_print small.heaptrack |
		awk '/^calls to allocation functions:/ {print $5}')" "$(count small.tmt alloc)"
	runs_kept=$runs runs=1
	row '  heaptrack_print of the same' "$(size small.heaptrack)" "$small" heaptrack_print small.heaptrack
	goal 'tm-top / heaptrack_print, time' "$(part "$small_cpu" "$cpu")"
	runs=$runs_kept
else
	say 'there is no heaptrack_print: apt-get install heaptrack'
fi
more row 'tm-frames' "$(size run.tmt)" "$events" tm-frames -q run.tmt
more row 'tm-frames --by type' "$(size run.tmt)" "$events" tm-frames -q --by type run.tmt
row 'tm-frames MemTracer' "$(size run.mem)" "$(count run.mem "$all")" tm-frames -q run.mem
row 'tm-top MemTracer' "$(size run.mem)" "$(count run.mem "$all")" tm-top -q run.mem
row 'start: tm-top --version' 0 0 tm-top --version

# What a stack, and a location with a stack, take.
many=${BENCH_MANY:-1000000}
make_input stacks.tmt "$GEN/many" --stacks "$many" --locations 1000
make_input deep.tmt "$GEN/many" --stacks "$many" --locations 1000 --depth 16
make_input locations.tmt "$GEN/many" --stacks "$many" --locations "$many"
each() { # NAME FILE COMMAND...: the row, and bytes for each of them
	local name=$1 file=$2

	shift 2
	case $name in *"$only"*) ;; *) return ;; esac
	row "$name" "$(size "$file")" "$(count "$file" alloc)" "$@" -q "$file"
	awk -v n="$many" '{ if ($4 > rss) rss = $4 }
		END { printf "%-34s %8.0f bytes each\n", "", rss * 1024 / n }' samples
}
for f in stacks deep locations; do
	[ -z "${BENCH_GOALS-}" ] || break
	each "$f: tm-import" $f.tmt tm-import
	each "$f: tm-symbolize" $f.tmt tm-symbolize
	for by in site function stack; do
		each "$f: tm-top --by $by" $f.tmt tm-top --by "$by"
	done
	each "$f: tm-top --tree" $f.tmt tm-top --tree
	each "$f: tm-export --as folded" $f.tmt tm-export --as folded
	each "$f: tm-export --as pprof" $f.tmt tm-export --as pprof -o many.pb
	each "$f: tm-compare" $f.tmt tm-compare "$f.tmt"
	each "$f: tm-frames" $f.tmt tm-frames
	each "$f: tm-filter" $f.tmt tm-filter --focus 0x
done
. "$SRC/tests/bench/readers.bash"
. "$SRC/tests/bench/big.bash"
[ -n "${BENCH_GOALS-}" ] || . "$SRC/tests/bench/view.bash"
goals_end
