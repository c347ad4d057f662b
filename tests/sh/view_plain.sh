#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# What tm-view's page says of numbers, in a headless browser: at which rate frames are judged, what is an estimate, what is
# not known, and which frames a selection has where their numbers go back; how long its tasks are; and a page that was saved
# opens at the same place.
# timeout: 600
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/browser.bash
. "$SRC/tests/browser.bash"
if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - in a browser: built without libmicrohttpd'
	exit 0
fi
# 60 frames of 1/90 s; frame 30 takes three times as long. The same of 1/120 s, of 1/30 s, and of 9.7 ms, which is no display's.
for frames in '90 11111' '120 8333' '30 33333' 'free 9700'; do
	awk -v f="$frames" 'BEGIN {
		split(frames = f, part)
		for (i = 0; i < 60; i++) {
			long = i == 30 ? 3 * part[2] : part[2]
			print "thread Main\nframe " i " " at + 0 "\n> " at + 0 " Tick\n< " at + long " Tick"
			at += long
		}
	}' </dev/null | "$GEN/calls" >"hz${frames%% *}.tmt"
done
awk 'BEGIN { for (i = 0; i < 60; i++) print "thread Main\nframe " i " " i * 150 "\n> " i * 150 " Tick\n< " i * 150 + 150 " Tick" }' </dev/null | "$GEN/calls" >tiny.tmt
# One frame without an end, in which two threads work for 10 ms at once.
printf '%s\n' 'thread Main' 'frame 0 0' '> 0 a' '< 10000 a' 'thread Worker' '> 0 b' '< 10000 b' | "$GEN/calls" >once.tmt
# 60 frames of 16 ms; Load takes 30 of the 48 ms that frame 30 has. Another thread waits all the time, in calls as long as the frames.
awk 'BEGIN {
	for (pass = 0; pass < 2; pass++) {
		print "thread " (pass ? "Audio" : "Main")
		for (i = at = 0; i < 60; i++) {
			long = i == 30 ? 48000 : 16000
			if (pass)
				print "> " at " Wait\n< " at + long " Wait"
			else
				print "frame " i " " at "\n> " at " Tick" (i == 30 ? "\n> " at + 9000 " Load\n< " at + 39000 " Load" : "") "\n< " at + long " Tick"
			at += long
		}
	}
}' </dev/null | "$GEN/calls" >waits.tmt
# Samples of an unknown interval, and a heap of which every 64 KiB a block was recorded: all is estimated.
"$GEN/speedscope" --samples 400 time >samples.json 2>truth
{
	printf 'set capture.sample_interval 65536\nmetric count estimated\nmetric requested estimated\nmetric live estimated\nthread main 1\n'
	for i in {0..39}; do
		echo "frame $i $((i * 16))000000"
		echo "alloc malloc main;tick;a@a.cpp:3 70000 $((i * 16 + 1))000000 - $((i * 4096 + 4096)) 3"
	done
} | "$GEN/script" >sampled.tmt
# Two runs of the game, frames 0 to 19 each. Each frame of 10 ms allocates 100 bytes, which the next one frees.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	for i in {0..39}; do
		echo "frame $((i % 20)) $((i * 10))000000"
		echo "alloc malloc main;tick@tick.cpp:4 100 $((i * 10 + 1))000000 - $((i * 4096 + 4096))"
		[ "$i" = 0 ] || echo "free $((i * 4096)) $((i * 10 + 2))000000"
	done
} | "$GEN/script" >again.tmt
# 40 blocks of 1 KiB, one in each frame of 16 ms; the last frame, which has no end, frees them all after 10 ms.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	for i in {0..39}; do
		echo "frame $i $((i * 16))000000"
		echo "alloc malloc main;load@load.cpp:3 1024 $((i * 16 + 1))000000 - $((i * 4096 + 4096))"
	done
	for i in {0..39}; do echo "free $((i * 4096 + 4096)) 634000000"; done
} | "$GEN/script" >freed.tmt
for i in {1..6}; do cp freed.tmt "many$i.tmt"; done
# The peak is 10 times 83000 bytes, all but "log"; then what read_pack has goes, and half of what load_level has.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	n=0
	for i in {1..10}; do
		for of in 'load_level 40000' 'open_bank 20000' 'grow 10000' 'read_pack 8000' 'font 5000'; do
			echo "alloc malloc main;${of% *}@${of% *}.cpp:3 ${of#* } - - $((++n * 65536))"
		done
	done
	for i in {0..9}; do echo "free $(((i * 5 + 4) * 65536))"; done
	for i in {0..4}; do echo "free $(((i * 5 + 1) * 65536))"; done
	for i in {1..3}; do echo "alloc malloc main;log@log.cpp:3 4000 - - $((++n * 65536))"; done
} | "$GEN/script" >same.tmt
# The peak of 114000 bytes has 9000 of setlocale, a library cache, which stays; then half of what load_level has goes.
"$GEN/script" >cached.tmt <<'END'
metric count exact
metric requested exact
metric live exact
thread main 1
alloc malloc main;load_level@load.cpp:3 40000 - - 65536
alloc malloc main;load_level@load.cpp:3 40000 - - 131072
alloc malloc main;open_bank@bank.cpp:3 20000 - - 196608
alloc malloc setlocale 9000 - - 262144
alloc malloc main;font@font.cpp:3 5000 - - 327680
free 65536
alloc malloc main;log@log.cpp:3 4000 - - 393216
END
# From 1 ms to 101 ms: load has 10 blocks of 1000 bytes until 10 ms, and frees 5 of them until 24 ms. Library code alone has 1000.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	for i in {1..10}; do echo "alloc malloc main;load@load.cpp:3 1000 ${i}000000 - $((i * 4096))"; done
	for i in {1..5}; do echo "free $((i * 4096)) $((19 + i))000000"; done
	echo 'alloc malloc std::sort<int> 1000 101000000 - 65536'
} | "$GEN/script" >half.tmt
# 40 frames of 16 ms within one call, of which the first 13 allocate.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nmetric time exact\nthread main 1\n'
	for i in {0..39}; do
		echo "frame $i $((i * 16))000000"
		[ "$i" -gt 0 ] || echo 'enter loop@loop.cpp:1 500000'
		[ "$i" -gt 12 ] || echo "alloc malloc main;load@load.cpp:3 1024 $((i * 16 + 1))000000 - $((i * 4096 + 4096))"
	done
	echo 'exit loop@loop.cpp:1 640000000'
} | "$GEN/script" >early.tmt
# Two runs of 1 s: in the second small takes 50 us longer and has 5 blocks less, and other takes 20 us longer.
for run in 'first 100000 10 30000' 'second 150000 5 50000'; do
	read -r name small blocks other <<<"$run"
	{
		printf 'metric count exact\nmetric requested exact\nmetric time exact\nthread main 1\nenter big@big.cpp:1 0\nexit big@big.cpp:1 1000000000\n'
		printf 'enter small@small.cpp:2 1000000000\nexit small@small.cpp:2 %d\n' $((1000000000 + small))
		printf 'enter other@other.cpp:3 1001000000\nexit other@other.cpp:3 %d\n' $((1001000000 + other))
		for ((i = 0; i < blocks; i++)); do echo "alloc malloc small@small.cpp:2 16 100200000$i -"; done
	} | "$GEN/script" >"$name.tmt"
done
# 40 frames of 16 ms: tick has 14 of them, and in it update has 10. In frame 30 load has 20 more, which is no two thirds of 36.
{
	echo 'thread Main'
	at=0
	for i in {1..40}; do
		echo "frame $i $at"
		printf '%s\n' "> $((at + 1000)) tick @src/game/tick.cpp:3" "> $((at + 2000)) update @src/engine/update.cpp:5" "< $((at + 12000)) update"
		if [ "$i" = 30 ]; then
			printf '%s\n' "> $((at + 12000)) load @src/engine/load.cpp:9" "< $((at + 32000)) load"
			at=$((at + 20000))
		fi
		echo "< $((at + 15000)) tick"
		at=$((at + 16000))
	done
	echo "frame 41 $at"
} | "$GEN/calls" >odd.tmt
# 75 ms in own code and 25 ms in library code that nothing calls.
printf '%s\n' 'thread Main' '> 0 tick @game.cpp:3' '< 75000 tick' '> 75000 std::sort<int>' '< 100000 std::sort<int>' | "$GEN/calls" >alone.tmt
printf '%s\n' 'metric requested exact' 'alloc malloc main;Load@level.cpp:3 100' 'alloc malloc main;Load@sound.cpp:4 20' | "$GEN/script" >namesakes.tmt
# Two runs with a counter in nanoseconds: of 6458652 and of 3229326.
for ns in 6458652 3229326; do
	printf '%s\n' 'metric count exact' 'metric requested exact' 'thread main 1' 'frame 0 0' 'alloc malloc main;load@load.cpp:3 1024 1000000 -' "counter waits ns $ns 2000000" 'frame 1 16000000' | "$GEN/script" >"run$ns.tmt"
done
# A folder with a capture, and counters without times.
mkdir folder
cp freed.tmt folder
printf 'frame,ms,fps\n0,16,60\n1,17,59\n2,40,25\n' >folder/fps.csv
# Threads without names: one works for 12 ms, the other for 3 of them. One of no thread works for 2 of 4 ms.
printf '%s\n' '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":12000},{"ph":"X","name":"b","pid":1,"tid":2,"ts":1000,"dur":3000}]' >nameless.json
# Frames 1 and 2 of 10 ms, then 1 of 20 ms and 2, which has no end: frame 1 has 30 ms, between which are 10 of another.
printf '%s\n' 'thread Main' 'frame 1 0' '> 0 a' '< 10000 a' 'frame 2 10000' '> 10000 a' '< 20000 a' 'frame 1 20000' '> 20000 a' '< 40000 a' 'frame 2 40000' '> 40000 a' '< 43000 a' |
	"$GEN/calls" >twice.tmt
# Samples with a frame without an end, and calls without an end, which is a guess.
printf '%s\n' '[{"ph":"B","name":"open","pid":1,"tid":1,"ts":0},{"ph":"X","name":"b","pid":1,"tid":1,"ts":1000,"dur":3000}]' >guessed.json
# Frame 6 of 20 lasts 20 ms, the others 10. Main is in work below game all the time, Worker in a work of its own for 15 ms of frame 6.
{
	echo 'thread Main'
	for i in {0..19}; do
		at=$((i * 10000 + (i > 6) * 10000)) long=$((i == 6 ? 20000 : 10000))
		printf '%s\n' "frame $i $at" "> $at game" "> $at work" "< $((at + long)) work" "< $((at + long)) game"
	done
	printf '%s\n' 'frame 20 210000' 'thread Worker' '> 60000 work' '< 75000 work'
} | "$GEN/calls" >worker.tmt
# The peak of 100 bytes is in frame 1, and most is live after frame 2: 60 bytes. Before frame 0 are 5 bytes, 2 us earlier.
printf '%s\n' 'metric count exact' 'metric requested exact' 'metric live exact' 'thread main 1' 'alloc malloc main;load@a.cpp:1 5 -2000 - 512' 'free 512 -1000' 'frame 0 0' 'frame 1 10000' \
	'alloc malloc main;tick@a.cpp:3 100 11000 - 4096' 'free 4096 12000' 'frame 2 20000' 'alloc malloc main;tick@a.cpp:3 60 21000 - 8192' 'frame 3 30000' 'alloc malloc main;tick@a.cpp:3 1 31000 - 16384' |
	"$GEN/script" >peaks.tmt
"$GEN/trace" --seed 6 --allocs 60000 --live 500 --stacks 300 --frames 50 --rich 1 >whole.tmt
exec python3 "$SRC/tests/view_plain.py" "$browser" "$SRC"
