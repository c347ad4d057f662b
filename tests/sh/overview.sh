#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The lines above tables: what they count, on one clock, marked as the table is. Two threads allocate, each a block
# of 100 bytes (112 real) in two of three frames; a third has none, and a fourth a counter. The first event is at 2 ms,
# the last at 12 ms; the pool has 40 bytes in each frame, and before the first frame there is one block.
# shellcheck disable=SC2015 # ok says nothing that fails
set -u
has() { # what, text, command ...
	local what="$1" text="$2"

	shift 2
	"$@" 2>err | grep -qxF -e "$text" && echo "ok - $what" || {
		echo "not ok - $what: no '$text' in"
		"$@" 2>&1 | head -n 12 | sed 's/^/# /'
	}
}
script() { # the state of what is counted and live
	printf 'metric %s %s\n' count "$1" requested "$1" real "$1" live "$2"
	cat <<'S'
thread main 1
alloc malloc main;start 100 2000000 112 4096
frame 0 4000000
alloc malloc main;a 100 4000000 112 8192
alloc pool main;p 40 4000000 - 65536
thread audio 2
alloc malloc mix;b 100 5000000 112 12288
thread idle 3
frame 1 6000000
thread main 1
alloc pool main;p 40 6000000 - 69632
free 12288 7000000
frame 2 8000000
alloc pool main;p 40 8000000 - 73728
alloc malloc main;a 100 8000000 112 16384
thread audio 2
alloc malloc mix;b 100 9000000 112 12288
thread tracemill 4
counter fps - 60 12000000
S
}
script exact exact | "$GEN/script" >all.tmt
script estimated estimated | "$GEN/script" >sampled.tmt
script lower-bound estimated | "$GEN/script" >attached.tmt

rate='in 10.00 ms (500 a second)'
has 'threads are those that allocate, times those of --time' "5 allocations, 560 B $rate, from 2.00 ms to 12.00 ms, 2 threads" \
	tm-top --domain malloc all.tmt
has 'the peak is at a time that --time takes' 'peak 448 B after 9.00 ms; live at the end 448 B in 4 blocks; 20.00% temporary' \
	tm-top --domain malloc all.tmt
has '... and is in that range' 'peak 448 B after 9.00 ms; live at the end 448 B in 4 blocks; 20.00% temporary' \
	tm-top --domain malloc --time 0..9000001ns all.tmt
has 'a range is from its first event' '3 allocations, 336 B in 4.00 ms (750 a second), from 2.00 ms to 6.00 ms, 2 threads' \
	tm-top --domain malloc --time 0..6ms all.tmt
has '--thread is one thread' "2 allocations, 224 B in 10.00 ms (200 a second), from 2.00 ms to 12.00 ms" tm-top --domain malloc --thread audio all.tmt
has 'the pool is of one' "3 allocations, 120 B in 10.00 ms (300 a second), from 2.00 ms to 12.00 ms" tm-top --domain pool all.tmt
has 'its peak is of requested bytes' 'peak 120 B after 8.00 ms; live at the end 120 B in 3 blocks; 0.00% temporary' \
	tm-top --domain pool all.tmt
# What a thread allocates next is not known of samples, nor where allocations are missing.
has 'nothing is temporary in samples' 'peak ~448 B after 9.00 ms; live at the end ~448 B in ~4 blocks' \
	tm-top --domain malloc sampled.tmt
# Frees of massif are guessed from what is in use, and its records are bytes of a stack, not blocks: no number of
# blocks is known.
printf '%s\n' 'cmd: ./x' 'time_unit: B' '#---' snapshot=0 '#---' time=9 mem_heap_B=1000 mem_heap_extra_B=8 mem_stacks_B=0 heap_tree=peak \
	'n2: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.' ' n0: 600 0x10: f (a.c:1)' ' n0: 400 0x20: g (a.c:2)' \
	'#---' snapshot=1 '#---' time=10 mem_heap_B=600 mem_heap_extra_B=8 mem_stacks_B=0 heap_tree=detailed \
	'n1: 600 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.' ' n0: 600 0x10: f (a.c:1)' >massif.out
has 'massif tells no blocks' 'peak ~1000 B; live at the end ~600 B' tm-top massif.out
for metric in temporary live-count freed-count peak-count lifetime; do
	tm-top -q --sort $metric massif.out >/dev/null 2>&1
	[ $? = 2 ] && echo "ok - massif: no $metric" || echo "not ok - massif: no $metric"
done
has 'one mark for one number' 'peak ~448 B after 9.00 ms; live at the end ~448 B in ~4 blocks' tm-top --domain malloc attached.tmt
tm-top -q --domain malloc --sort temporary sampled.tmt >/dev/null 2>&1
[ $? = 2 ] && echo 'ok - --sort temporary, too' || echo 'not ok - --sort temporary, too'

has 'tm-frames: what comes before the first frame is no frame' '3 of 3 frames' tm-frames all.tmt
has '... nor of the rows of -n, which has the worst frame' '1 of 3 frames' tm-frames -n 1 all.tmt
has '... tm-top --by frame: likewise' 'top 1 of 3 frames by real bytes' tm-top -q --domain malloc --by frame -n 1 all.tmt
has 'tm-top --by frame: likewise' 'top 3 of 3 frames by real bytes' tm-top -q --domain malloc --by frame all.tmt
[ "$(tm-top -q --csv --domain malloc --by frame all.tmt | wc -l)" = 5 ] && echo 'ok - ... and a row' || echo 'not ok - ... and a row'
printf 'metric time exact\nsample main;a 1 5 5\n' | "$GEN/script" >none.tmt
has 'no frames' 'no frames' tm-frames -q none.tmt
has 'no frames, ranked' 'top 0 of 0 frames by self time' tm-top -q --by frame none.tmt
tm-frames -q --csv all.tmt | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $at["frame"], $at["counter:alloc.malloc"], $at["counter:alloc.pool"] }' >counters
printf '%s\n' ' 112 0' '0 224 40' '1 0 40' '2 224 40' | cmp -s - counters && echo "ok - alloc.pool has the pool's bytes" ||
	{ echo "not ok - alloc.pool has the pool's bytes" && cat counters; }
