#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Rows of run.sh for the readers of Unity, Mono, Lua and instrumented captures, and for the reports
# that read them: tens of MB each, since rates do not change beyond that. What is read is compared
# with what the generator says before anything is timed.

# The goals of readers, MB a second of the processor's time.
declare -A goal_of=(['Unity .raw, harsher']=250 [PET]=200 ['folded stacks']=250 [luatrace]=150 ['tarantool sysprof']=150
	['Mono .mlpd']=250 ['Chrome trace events']=300 [perf.data]=500)

# reader NAME FILE KINDS TRUTH COMMAND...: makes FILE (FOLDER/info of a folder), checks that tm-import finds as many events of
# KINDS as the awk program TRUTH prints of what the generator said, and adds the row.
reader() {
	local name="import $1" file=$2 kinds=$3 truth=$4

	shift 4
	case $name in *"$only"*) ;; *) return ;; esac
	[ -z "${BENCH_GOALS-}" ] || [ -n "${goal_of[${name#import }]-}" ] || return 0
	make_input "$file" "$@"
	# shellcheck disable=SC2086 # kinds are words
	right "$file" "events ($kinds)" "$(count "$file" $kinds)" "$(awk "$truth" "$file.truth")"
	row "$name" "$(size "${file%/info}")" "$(count "$file" "$every")" tm-import -q "$file"
	[ -z "${goal_of[${name#import }]-}" ] || rate "${name#import }" "${goal_of[${name#import }]}"
}
every='frame alloc profile free freed type-total enter exit sample counter object reference delta log'

total() { echo "\$1 == \"$1\" { print \$2 }"; } # "WORD N" of the truth, as a program
calls='$1 == "enters" || $1 == "exits" { n += $2 } END { print n }'
lines='END { print NR }'

# awk programs, for formats of which text is all there is
pet='BEGIN {
	for (i = 0; i < n; i++) {
		printf "PET: Function took too long: %d.%02d MSec Thread: Main Thread frame %d\n",
			i % 40 + 1, i % 100, i
		print "Function Name Trace"
		for (k = 0; k < 8; k++)
			printf "%d) 0x%x - Game::Level%d::Step%d\n", k, 2187634048 + i % 997 * 64 + k * 4096,
				k, i % 997
	}
	print "samples", n >"/dev/stderr"
}'
loli='BEGIN {
	print "=== LoliProfiler Profile Report ===\n"
	print "Total allocations: " n * 8 "\nTotal size: 0 Bytes\n\n=== Memory Allocations ===\n"
	for (i = 0; i < n; i++) {
		printf "Game::Thread%d::Run(int, char const*), 64.00 KB, 8\n", i
		for (k = 0; k < 8; k++)
			printf "    Game::Level%d::Step%d(std::map<int, float>&), 8.00 KB, 1\n", i % 997, k
	}
	print "leaves", n * 8 >"/dev/stderr"
}'
dated='BEGIN {
	for (i = 0; i < n; i++)
		printf "2026-11-29T%02d:%02d:%02d.%03dZ INFO renderer: line %d of the log\n", i / 3600000 % 24,
			i / 60000 % 60, i / 1000 % 60, i % 1000, i
	print "lines", n >"/dev/stderr"
}'
csv='BEGIN {
	print "time_ms,frame,pss (B),heap (B),temperature,power,fps (fps)"
	for (i = 0; i < n; i++)
		printf "%d,%d,%d,%d,%d,%d,%d\n", i * 16, i, 1e8 + i % 1000 * 4096, 5e7 + i * 16, 40 + i % 9,
			2000 + i % 300, 60 - i % 7
	print "readings", n * 5 >"/dev/stderr"
}'
awk=$(command -v awk)

# What a stream of many small blocks out of order, without two equal frames, costs compared with
# run.raw.
reader 'Unity .raw, harsher' hard.raw sample "$(total samples)" "$GEN/unity" --bytes $((mb / 4 + 1))M \
	--workers 6 --calls 60 --depth 12 --split --block 3000 --lag 3 --rich 3 --spread 8
reader 'Unity .data' run.data sample "$(total samples)" "$GEN/unity_data" --frames "$mb" \
	--threads 4 --calls 200 data
reader 'Unity .pdata' run.pdata sample "$(total samples)" "$GEN/unity_data" --frames $((mb * 4)) \
	--threads 4 --calls 200 --version 7 pdata
reader 'LoliProfiler report' run.report alloc "$(total leaves)" "$awk" -v n=$((mb * 2000)) "$loli"
reader PET run.pet sample "$(total samples)" "$awk" -v n=$((mb * 100)) "$pet"
reader 'instrument, records' run.calls 'enter exit' "$calls" "$GEN/instrument" calls 1 $((mb * 1000))
reader 'instrument, text' run.ex 'enter exit' "$calls" "$GEN/instrument" e-x 1 $((mb * 1000))
mkdir -p uftrace
reader uftrace uftrace/info 'enter exit' "$calls" "$GEN/instrument" uftrace uftrace 1 $((mb * 1000))
reader 'Mono .mlpd' run.mlpd alloc '{ print $2 }' "$GEN/mono" many $((mb * 2000))
if [ -n "$(command -v mprof-report)" ] && [ -n "$cpu" ]; then
	mlpd=$cpu
	row '  mprof-report of the same' "$(size run.mlpd)" 0 mprof-report run.mlpd
	goal 'import .mlpd / mprof-report, time' "$(part "$mlpd" "$cpu")" '<= 3'
fi
for format in snap heap memsnap2 memsnap3; do
	reader "Unity heap, $format" run.$format object "$(total objects)" "$GEN/unity_heap" \
		--many $((mb * 200)) $format
done
reader 'Miku .sample' run.miku sample "$lines" "$GEN/miku" --frames $((mb * 10)) E
reader 'Miku stream' run.mikutcp sample "$lines" "$GEN/miku" --frames $((mb * 10)) wire4
reader ELua run.elprof sample "$(total nodes)" "$GEN/elua" --nodes 2000 --frames $((mb / 4 + 1)) v2
# An allocation that grew is a free and another one.
reader 'lua_Alloc log, text' run.lualloc alloc '$1 == "kind" { n += $3 + $5 } END { print n }' \
	"$GEN/lualloc" --events $((mb * 500)) --frames "$mb" text
reader 'lua_Alloc log, binary' run.lualloc2 alloc '$1 == "kind" { n += $3 + $5 } END { print n }' \
	"$GEN/lualloc" --events $((mb * 500)) --frames "$mb" binary
reader sluaunreal run.sluastat frame "$(total frames)" "$GEN/slua" --frames $((mb * 50))
# Equal lines are one sample.
reader 'folded stacks' run.folded sample '{ $3 = "" } !lines[$0]++ { n++ } END { print n }' "$GEN/lua_profiles" --events $((mb * 500)) \
	--truth /dev/stderr folded
reader luatrace run.luatrace sample "$lines" "$GEN/lua_profiles" --events $((mb * 2000)) \
	--truth /dev/stderr luatrace
reader 'tarantool memprof' run.memprof alloc '$1 == "alloc" { n++ } END { print n }' \
	"$GEN/tarantool" --events $((mb * 1000)) --truth /dev/stderr memprof
reader 'tarantool sysprof' run.sysprof sample "$lines" "$GEN/tarantool" --events $((mb * 1000)) \
	--truth /dev/stderr sysprof
reader 'Chrome trace events' run.trace.json 'enter exit' '$1 == "calls" { print $2 * 2 }' "$GEN/chrome" --frames $((mb * 1000)) begin
if [ -n "$cpu" ] && ${CXX:-c++} -O2 -std=c++17 "$SRC/tests/bench/simdjson.cpp" -o simdjson -lsimdjson 2>/dev/null; then
	chrome=$cpu
	row '  simdjson on demand, of the same' "$(size run.trace.json)" 0 ./simdjson run.trace.json
	goal 'simdjson on demand / import Chrome trace events, CPU' "$(part "$cpu" "$chrome")" '>= 0.8'
else
	say 'there is no simdjson: apt-get install libsimdjson-dev'
fi
reader cpuprofile run.cpuprofile sample '$1 == "total" { print '$((mb * 10000))' }' "$GEN/cpuprofile" --samples $((mb * 10000)) nodes
reader "V8's heap snapshot" run.heapsnapshot object "$(total objects)" "$GEN/heapsnapshot" --objects $((mb * 10000)) plain
reader "Java's heap dump" run.hprof object "$(total objects)" "$GEN/hprof" --objects $((mb * 10000)) java
reader "Java's Flight Recorder" run.jfr sample "$(total samples)" "$GEN/jfr" --samples $((mb * 80000)) plain
reader .nettrace run.nettrace sample "$(total samples)" "$GEN/nettrace" --samples $((mb * 20000)) plain
reader .gcdump run.gcdump object "$(total objects)" "$GEN/gcdump" --objects $((mb * 60000)) plain
reader 'Firefox Profiler' run.firefox sample "$(total total)" "$GEN/firefox" --samples $((mb * 10000)) ms
reader gmon.out run.gmon sample "$(total rows)" "$GEN/gmon" --rows $((mb * 40000)) plain
reader memcheck run.memcheck profile "$(total rows)" "$GEN/memcheck" --rows $((mb * 5000)) log
reader DHAT run.dhat profile "$(total rows)" "$GEN/dhat" --rows $((mb * 5000)) heap
reader stackprof run.stackprof sample "$(total stacks)" "$GEN/stackprof" --samples $((mb * 10000)) wall
reader Safari run.safari sample "$(total samples)" "$GEN/profilers" --rows $((mb * 10000)) safari
reader "V8's log" run.v8log sample "$(total samples)" "$GEN/profilers" --rows $((mb * 15000)) v8-log
reader 'ART, method traces' run.art enter "$(total calls)" "$GEN/profilers" --rows $((mb * 20000)) art-trace
reader Cleopatra run.cleopatra sample "$(total samples)" "$GEN/profilers" --rows $((mb * 15000)) cleopatra
reader 'memleak of bcc' run.memleak profile "$(total rows)" "$GEN/profilers" --rows $((mb * 5000)) memleak
reader "macOS's vmmap" run.vmmap counter "$(total readings)" "$GEN/profilers" --rows $((mb * 12000)) vmmap
reader MetricKit run.metrickit sample '$1 == "rows" { print $2 + 2 }' "$GEN/profilers" --rows $((mb * 3000)) metrickit
reader xctrace run.xctrace sample "$(total samples)" "$GEN/profilers" --rows $((mb * 4500)) xctrace
reader bpftrace run.bpftrace sample "$(total rows)" "$GEN/profilers" --rows $((mb * 18000)) bpftrace
reader "macOS's leaks" run.leaks profile "$(total blocks)" "$GEN/profilers" --rows $((mb * 5000)) leaks
reader "macOS's heap" run.macheap profile "$(total rows)" "$GEN/profilers" --rows $((mb * 12000)) heap
reader "jemalloc's statistics" run.jestats profile '$1 == "rows" { print $2 * 2 - 1 }' "$GEN/profilers" --rows $((mb * 8000)) jemalloc-text
mimalloc='BEGIN {
	for (i = 0; i < n; i++) {
		print "heap stats:    peak      total      freed    current       unit      count   "
		for (k = 0; k < 8; k++)
			printf "      row%d:   32.0 MiB   32.0 MiB    1.0 KiB   32.0 MiB                 ok\n", k
		printf "   elapsed: %9.3f s\n   process: user: 0.1 s, rss: 2.3 MiB\n", i / 100
	}
	print "readings", n * 33 >"/dev/stderr"
}'
reader "mimalloc's statistics" run.mistats counter "$(total readings)" "$awk" -v n=$((mb * 1300)) "$mimalloc"
# The generator's trees have few rows: here each row is a function of its own.
pmcstat='BEGIN {
	printf "@ inst_retired.any [%d samples]\n\n", n
	for (i = 0; i < n; i++)
		printf "1.00%%  [1]     f%d @ /boot/kernel/game.ko\n 100.0%%  [1]      main\n", i
	print "samples", n >"/dev/stderr"
}'
sample='BEGIN {
	print "Analysis of sampling game (pid 4242) every 1 millisecond\nProcess:         game [4242]"
	printf "Analysis Tool:   /usr/bin/sample\n\n----\n\nCall graph:\n    %d Thread_77: worker\n", n
	for (i = 0; i < n; i++)
		printf "    + 1 f%d  (in game) + 910  [0x1%08x]  main.c:353\n", i, 6144 + 16 * i
	print "\nBinary Images:\n       0x100000000 -        0x1ffffffff +game (0) <7DBD2D57-A2D7-3F65-9B9E-A1F4D75DF533> /x/game"
	print "samples", n >"/dev/stderr"
}'
perf_report='BEGIN {
	print "# comment\n# Samples: 9  of event \047cycles\047\n# Event count (approx.): 1000000"
	print "# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......"
	for (i = 0; i < n; i++)
		printf "     0.01%%  game     game           [.] f%d\n", i
	print "rows", n >"/dev/stderr"
}'
reader 'perf report' run.perfreport sample "$(total rows)" "$awk" -v n=$((mb * 12000)) "$perf_report"
reader pmcstat run.pmcstat sample "$(total samples)" "$awk" -v n=$((mb * 8000)) "$pmcstat"
reader "macOS's sample" run.macsample sample "$(total samples)" "$awk" -v n=$((mb * 12000)) "$sample"
reader GHC run.ghc alloc "$(total nodes)" "$GEN/profilers" --rows $((mb * 10000)) ghc
reader Papyrus run.papyrus enter "$(total calls)" "$GEN/profilers" --rows $((mb * 5000)) papyrus
reader speedscope run.speedscope sample '$1 == "total" { print 8 }' "$GEN/speedscope" --samples $((mb * 10000)) time
reader perf.data run.perfdata sample "$(total samples)" "$GEN/perf_data" --samples $((mb * 4000)) plain
reader 'perf script' run.perf sample "$(total samples)" "$GEN/perf_script" --samples $((mb * 4000)) plain
reader 'logs with stacks' run.log alloc "$(total stacks)" "$GEN/crash_log" --stacks $((mb * 2500)) lsan
reader 'logs with dates' run.dated log "$(total lines)" "$awk" -v n=$((mb * 15000)) "$dated"
reader "Android's heap dump" run.dump alloc "$(total stacks)" "$GEN/crash_log" --stacks $((mb * 2500)) heap
reader 'minidump, 65,000 threads' run.dmp sample 'END { print 65000 }' "$GEN/minidump" many 65000
reader 'gperftools heap' run.gperf freed 'END { print '$((mb * 5000))' }' "$GEN/heap_text" --rows $((mb * 5000)) gperftools
reader callgrind run.callgrind sample "$(total lines)" "$GEN/callgrind" --functions $((mb * 100)) flat
reader massif run.massif frame "$(total snapshots)" "$GEN/massif" --snapshots $((mb * 1000)) plain
reader heaptrack run.heaptrack alloc "$(total allocations)" "$GEN/heaptrack_log" --events $((mb * 10000)) 3
reader Perfetto run.pftrace 'enter exit' 'END { print '$((mb * 12000 + 2))' }' "$GEN/perfetto" --n $((mb * 1000)) calls
reader "Perfetto, Android's" run.sched 'enter exit' 'END { print '$((mb * 8000))' }' "$GEN/perfetto" --n $((mb * 1000)) sched
reader systrace run.systrace 'enter exit' 'END { print '$((mb * 6000))' }' "$GEN/systrace" --n $((mb * 600)) atrace
reader pprof run.pb sample "$(total rows)" "$GEN/pprof" --rows $((mb * 1000)) --functions 5000 inline
reader 'Insights, timing events' run.insights.csv 'enter exit' '$1 == "calls" { print $2 * 2 }' "$GEN/insights" --frames $((mb * 6500)) session
reader 'Tracy, zones' run.zones.csv 'enter exit' '$1 == "calls" { print $2 * 2 }' "$GEN/tracy_csv" --frames $((mb * 2000)) each
# A class a row, and the resources of every third.
reader 'Unreal .memreport' run.memreport alloc 'END { n = '$((mb * 100))'; print n + int(n / 3) }' \
	"$GEN/memreport" --rows $((mb * 100)) 5
# A sample for each function that has time of its own, for draw below each function, and for main.
reader "Instruments' deep copy" run.deepcopy sample 'END { print NR - 2 + '$((mb * 5000))' }' \
	"$GEN/deep_copy" --functions $((mb * 5000)) time
reader 'table of frames' frames.csv frame "$(total frames)" "$GEN/table" -n $((mb * 10000)) presentmon2
reader "meminfo of Android" run.meminfo.txt counter "$(total readings)" "$GEN/table" -n $((mb * 700)) meminfo
reader "tombstone of Android" run.tombstone.pb sample "$(total threads)" "$GEN/tombstone" --threads $((mb * 1000)) plain
reader "report of simpleperf" run.simpleperf.trace sample "$(total samples)" "$GEN/simpleperf" --samples $((mb * 5000)) plain
reader "CapFrameX" run.capframex.json frame "$(total frames)" "$GEN/table" -n $((mb * 3000)) capframex
reader "Android's thermalservice" run.thermal counter "$(total readings)" "$GEN/table" -n $((mb * 900)) thermal
reader 'counters as CSV' run.csv counter "$(total readings)" "$awk" -v n=$((mb * 500)) "$csv"

# report NAME FILE COMMAND...
report() {
	local name=$1 file=$2

	shift 2
	# shellcheck disable=SC2034
	mbs='' cpu='' peak=''
	[ -z "${BENCH_GOALS-}" ] || [ "${1-}" = tm-heap ] || return 0
	row "$name" "$(size "$file")" "$(count "$file" "$every")" "$@" "$file"
}
make_input calls.tmt "$GEN/calls" --events $((mb * 3000)) --depth 40
right calls.tmt events "$(count calls.tmt enter exit)" $((mb * 3000))
make_input objects.tmt "$GEN/heap" big $((mb * 5000)) $((mb * 15000))
right objects.tmt objects "$(count objects.tmt object)" $((mb * 5000))
report tm-spikes calls.tmt tm-spikes -q --threshold 500us
report 'tm-spikes, Unity .raw' run.raw tm-spikes -q --threshold 1ms
report 'tm-top, self time of calls' calls.tmt tm-top -q --by function
report 'tm-top, self time of .raw' run.raw tm-top -q --by function
report 'tm-frames, .raw' run.raw tm-frames -q
report tm-heap objects.tmt tm-heap -q
if [ -n "$cpu" ]; then # goals of 5 M objects
	goal 'tm-heap, s for 5 M objects and 15 M references' "$(part "$cpu" "$(part "$mb" 1000)")" '<= 5'
	goal 'tm-heap, MiB for them' "$(part $((peak / 1024)) "$(part "$mb" 1000)")" '<= 400'
fi
report 'tm-top, heaptrack' run.heaptrack tm-top -q
if [ -n "$(command -v heaptrack_print)" ]; then # goal: three times of ours
	report '  heaptrack_print of the same' run.heaptrack heaptrack_print
fi
