#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a program says of its own allocators by <tracemill.h> and <tracemill-loli.h>: in the trace, and in
# LoliProfiler's form, where pool and malloc are one (testdata/src/record/own_pool.c has the numbers).
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -I"$SRC" "$SRC/testdata/src/record/own_pool.c" -o own_pool; then
	echo "not ok - own_pool.c compiles"
	exit 1
fi
rows() { tm-top -q --by type --metrics count,requested,live --csv "$@" | tr -d '\r' | sed 1d | cut -d, -f2,4-6,9 | LC_ALL=C sort; }

ok "unrecorded it runs" ./own_pool
ok "recorded" tm-record -q -o x.tmt -- ./own_pool
# 50 + 1 without a type, 500 + 1000 bytes, 20 + 1 live; 50 + 1 Mesh, 500 + 50 bytes; 19 of 10 and one of 50 live.
ok "a pool's blocks, with types" [ "$(rows --domain pool x.tmt)" = "51,1500,21,1200,[no type]
51,550,20,240,Mesh" ]
ok "Lua's are another domain" [ "$(rows --domain lua x.tmt)" = "1,7,0,0,table" ]
# A pool has no real bytes: none in any frame, which is not 0 of them.
ok "frames have no real bytes of a pool" [ "$(tm-frames -q --domain pool --csv x.tmt | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { n++; none += $at["real"] $at["live_real"] $at["freed_real"] $at["slack"] == "" && $at["requested"] != "" }
	END { print (n > 0 && n == none) }')" = 1 ]
ok "their stacks begin in the allocator's caller" eval "tm-symbolize -q x.tmt | tm-top -q --domain pool --by function --csv | grep -q pool_get"
# malloc's block (64000), 100 of 10, 50 and 1000; 39 of 10, 50 and 1000 are live.
# malloc's block and 102 of the pool; 60 given back, one moved, and the block of malloc where a pool's begins.
tm-record --as loli -o l.bin -- ./own_pool 2>said
ok "loli: pool and malloc" grep -q '103 allocations, 62 frees; 2 records of other domains' said
ok "loli: what is live" [ "$(rows -f loli-stream l.bin | cut -d, -f1-4)" = "103,66050,41,1440" ]
exit 0
