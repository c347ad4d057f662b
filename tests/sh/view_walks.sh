#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-view's page in a headless browser, as a person goes through it: from the tiles to the worst frame and what it calls,
# growth, who calls a function and what it calls, a thread's time, a range for all views, transforms, short names,
# and the way back out of each. What must be found is planted here, so it is known.
# timeout: 600
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/browser.bash
. "$SRC/tests/browser.bash"
if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - in a browser: built without libmicrohttpd'
	exit 0
fi
# 100 frames of 16 ms, but frame 60 takes 50: in it Load takes 40. Worker has a job of 5 ms in each tenth frame.
awk 'BEGIN {
	at = 0
	for (i = 0; i < 100; i++) {
		print "thread Main\nframe " i " " at
		long = i == 60 ? 34000 : 0
		print "> " at " Tick @game.cpp:10\n> " at + 1000 " Update @game.cpp:20\n< " at + 9000 " Update"
		if (long) print "> " at + 9000 " Load @level.cpp:30\n< " at + 49000 " Load"
		print "< " at + 15000 + long " Tick"
		if (i % 10 == 5) print "thread Worker\n> " at + 2000 " Job @job.cpp:5\n< " at + 7000 " Job"
		at += 16000 + long
	}
}' </dev/null | "$GEN/calls" >calls.tmt
# 100 frames of 20 ms, but frame 60 takes 110; of 16 ms, but each third takes 18 and frame 60 takes 50; and of 100 ms.
for frames in 'slow 20 20 110' 'late 16 18 50' 'tenth 100 100 100'; do
	awk -v frames="$frames" 'BEGIN {
		split(frames, f)
		for (i = 0; i < 100; i++) {
			long = i == 60 ? f[4] : i % 3 ? f[2] : f[3]
			print "thread Main\nframe " i " " at * 1000 "\n> " at * 1000 " Tick\n< " (at + long) * 1000 " Tick"
			at += long
		}
	}' </dev/null | "$GEN/calls" >"${frames%% *}.tmt"
done
# 60 frames of 20 ms, of which 20 and 50 take 60: of these Load takes 40, and fill allocates. Worker has a script's job of 5 ms
# in each, and allocates nothing.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nmetric time exact\n'
	at=0
	for i in {0..59}; do
		printf 'thread Main 1\nframe %d %d\nenter tick@game.cpp:10 %d\n' "$i" $at $at
		long=20000000
		if [ $((i % 30)) = 20 ]; then
			long=60000000
			printf 'enter load@level.cpp:30 %d\nexit load@level.cpp:30 %d\n' $((at + 1000000)) $((at + 41000000))
			printf 'alloc malloc main;tick;fill@fill.cpp:3 4096 %d - %d\n' $((at + 42000000)) $((i * 4096 + 4096))
		fi
		printf 'exit tick@game.cpp:10 %d\n' $((at + long))
		printf 'thread Worker 2\nenter job@job.lua:5 %d\nexit job@job.lua:5 %d\n' $((at + 2000000)) $((at + 7000000))
		at=$((at + long))
	done
} | "$GEN/script" >both.tmt
# 4000 calls of 1 us, one each 100 us, of 50 functions: 4 ms in calls. The last ends at 399.901 ms. Busy has half of the time.
awk 'BEGIN {
	print "thread Main"
	for (i = 0; i < 4000; i++) print "> " i * 100 " f" i % 50 "\n< " i * 100 + 1 " f" i % 50
	print "thread Busy\n> 0 job\n< 100000 job\n> 300000 job\n< 399901 job"
}' </dev/null | "$GEN/calls" >tiny.tmt
# One frame without an end, in which two threads work for 10 ms at once.
printf '%s\n' 'thread Main' 'frame 0 0' '> 0 a' '< 10000 a' 'thread Worker' '> 0 b' '< 10000 b' | "$GEN/calls" >once.tmt
# 50 blocks of 100 bytes before the first frame. Then in each of 20 frames of 10 ms: 2 blocks of 10 bytes of step, the first of
# which is freed at once, and a block of Worker, which it frees.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	for i in {1..50}; do echo "alloc malloc main;load@load.cpp:3 100 ${i}000 - $((i * 4096))"; done
	for i in {0..19}; do
		echo "frame $i $((10 + i * 10))000000"
		echo "alloc malloc main;step@step.cpp:4 10 $((11 + i * 10))000000 - $((i * 8192 + 1048576))"
		echo "free $((i * 8192 + 1048576)) $((12 + i * 10))000000"
		echo "alloc malloc main;step@step.cpp:5 10 $((13 + i * 10))000000 - $((i * 8192 + 1052672))"
		printf 'thread Worker 2\n'
		echo "alloc malloc job@job.cpp:2 7 $((14 + i * 10))000000 - 524288"
		echo "free 524288 $((15 + i * 10))000000"
		printf 'thread main 1\n'
	done
} | "$GEN/script" >load.tmt
# Frames 0, 7, 14 and so on, modulo 40, each frees what the one before it allocated: 100 bytes are live after each.
# The names hide a mark that turns the direction of texts.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	for i in {0..39}; do
		echo "frame $((i * 7 % 40)) $((i * 10))000000"
		echo "alloc malloc main;a"$'\xe2\x80\xae'"b;c"$'\xe2\x80\xae'"d@tick.cpp:4 100 $((i * 10 + 1))000000 - $((i * 4096 + 4096))"
		[ "$i" = 0 ] || echo "free $((i * 4096)) $((i * 10 + 2))000000"
	done
} | "$GEN/script" >order.tmt
# Each frame leaves 1000 bytes of Keep behind, and 500 of a vector.
python3 - <<'END'
import json
with open("grow.mem", "w") as f:
    for i in range(100):
        stacks = [["operator new(unsigned long) (in Game) (/x/new.cc:1)", "std::vector<int, std::allocator<int> >::push_back(int&&) (in Game) (/usr/include/c++/12/bits/stl_vector.h:9)", "fill(std::vector<int, std::allocator<int> >&) (in Game) (/a/fill.cpp:7)", "main (in Game) (/a/main.cpp:5)"],
                  ["keep() (in Game) (/a/keep.cpp:3)", "tick() (in Game) (/a/main.cpp:9)", "main (in Game) (/a/main.cpp:5)"]]
        f.write(json.dumps({"f": i, "d": [{"t": "A", "s": 1500, "r": 1500, "st": [";".join(s) + ";" for s in stacks], "sz": [500, 1000]}]}) + "\n")
END
# Two functions of one short name, vector<char>::push_back, and one of another.
python3 - <<'END'
import json
with open("twins.mem", "w") as f:
    for i in range(10):
        stacks = [["std::vector<char, std::allocator<char> >::push_back(%s) (in Game) (/a/%s.cpp:9)" % (p, n), "fill() (in Game) (/a/fill.cpp:7)", "main (in Game) (/a/main.cpp:5)"]
                  for p, n in (("char const&", "one"), ("char&&", "two"))] + [["std::vector<int, std::allocator<int> >::push_back(int&&) (in Game) (/a/three.cpp:9)", "main (in Game) (/a/main.cpp:5)"]]
        f.write(json.dumps({"f": i, "d": [{"t": "A", "s": 1500, "r": 1500, "st": [";".join(s) + ";" for s in stacks], "sz": [500, 400, 600]}]}) + "\n")
END
# 100 bytes stay of frame 0; frame 1 has 900 more for 4 ms, from two lines of one function; frame 2 keeps 50.
"$GEN/script" >peak.tmt <<'END'
metric count exact
metric requested exact
metric live exact
thread main 1
frame 0 0
alloc malloc main;load@load.cpp:3 100 1000000 - 4096
frame 1 20000000
alloc malloc main;tick;temp@temp.cpp:7 400 22000000 - 8192
alloc malloc main;tick;temp@temp.cpp:8 500 22000000 - 12288
free 8192 26000000
free 12288 26000000
frame 2 70000000
alloc malloc main;load@load.cpp:3 50 71000000 - 16384
frame 3 80000000
END
# Of 40 frames one adds 4000 bytes, and one 100; each from frame 16 on 10, 1000 are from the first. All stays.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	for i in {0..39}; do
		echo "frame $i $((i * 16))000000"
		[ "$i" != 0 ] || echo "alloc malloc main;load@load.cpp:3 1000 1000000 - 4096"
		[ "$i" != 12 ] || echo "alloc malloc main;ui::tick@tick.cpp:4;ui::open@open.cpp:7 4000 193000000 - 8192"
		[ "$i" != 15 ] || echo "alloc malloc main;log@log.cpp:2 100 241000000 - 16384"
		[ "$i" -lt 16 ] || echo "alloc malloc main;drip@drip.cpp:6 10 $((i * 16 + 2))000000 - $((i * 4096 + 65536))"
	done
} | "$GEN/script" >step.tmt
# 40 blocks of 1 KiB, one in each of 40 frames of 16 ms; the last frame, which has no end, frees 39 of them after 10 ms.
{
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	for i in {0..39}; do
		echo "frame $i $((i * 16))000000"
		echo "alloc malloc main;load@load.cpp:3 1024 $((i * 16 + 1))000000 - $((i * 4096 + 4096))"
	done
	for i in {1..39}; do echo "free $((i * 4096)) 634000000"; done
} | "$GEN/script" >ends.tmt
"$GEN/trace" --seed 6 --allocs 60000 --live 500 --stacks 300 --frames 50 --rich 1 >whole.tmt
"$GEN/trace" --seed 6 --allocs 300 --live 50 --stacks 30 --frames 5 >plain.tmt
"$GEN/heaptrack" <plain.tmt >plain.heaptrack # no real sizes, and no telling which free ends which block
# Three lines of a log: in frame 11 at 168.4 ms, and two in frame 151 at 2948.45 ms.
"$GEN/table" -n 200 unreal >unreal.csv
cp unreal.csv log.csv
# Two programs of one source, each with a function of the same name: in one.cpp:3 it allocates 4000 bytes, in two.cpp:8 6000.
for of in 'one 3 fa0' 'two 8 1770'; do
	read -r name line bytes <<<"$of"
	{
		printf 'v 10400 3\nX %s\nI 1000 100000\ns %x %s\ns 4 main\ns c a::load(int)\ns 7 %s.cpp\n' "$name" ${#name} "$name" "$name"
		printf 'i 2000 1 2 4 14\ni 2100 1 3 4 %s\nt 1 0\nt 2 1\na %s 2\nc 1\n+ 0\nc 5\n' "$line" "$bytes"
	} >"$name.ht"
done
echo nothing >none.txt
head -c 600 calls.tmt >cut.tmt
"$GEN/memcheck" log >leaks.log
cp "$DATA/heap/il2cpp.snap" heap.snap
cp "$DATA/heap/before.tmt" "$DATA/heap/after.tmt" .
"$GEN/session" night --lua-offset 12345678
exec python3 "$SRC/tests/view_walks.py" "$browser" "$SRC"
