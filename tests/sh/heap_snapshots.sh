#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 1200
#
# Damaged snapshots: each file cut at every byte and with every byte changed ends with 0 or 3 (2: no snapshot is left), one
# line, no signal, bounded memory. And a large one: the same numbers from 3 formats, memory that is
# stated in tm-heap(1).
set -u
: "${GEN:?}" "${DATA:?}"

failed=0
limit=100 # MiB
step=7
if [ -n "${SAN-}" ] || ldd "$BIN/tm-import" | grep -q san; then
	limit=0 step=151
fi

# Cut behind its last value a file is whole but for what ends it, or the bytes behind it.
for f in il2cpp.heap mono.memsnap3 il2cpp.memsnap2; do
	"$GEN/cuts" --step "$step" --silent 2 --rss $limit "$DATA/heap/$f" tm-import || failed=1
done
"$GEN/cuts" --step $((step * 4)) --silent 0 --rss $limit "$DATA/heap/il2cpp.snap" tm-import || failed=1
for f in mono.heap il2cpp.memsnap3 mono.snap v9.snap; do
	"$GEN/flips" --step "$step" --rss $limit "$DATA/heap/$f" tm-import || failed=1
done
# 2: a trace without the snapshot, whose records another byte made others.
"$GEN/flips" --step "$step" --rss $limit --also 2 "$DATA/heap/after.tmt" tm-heap -q || failed=1

# Compressed, and through a pipe, a .snap is read as well as from its file.
tm-heap -q --csv "$DATA/heap/il2cpp.snap" >want
gzip -c "$DATA/heap/il2cpp.snap" >packed
tm-heap -q --csv packed >got
if cmp -s want got; then
	echo "ok - a compressed .snap"
else
	echo "not ok - a compressed .snap"
	failed=1
fi
gzip -dc packed | tm-heap -q --csv >got
if cmp -s want got; then
	echo "ok - a .snap from a pipe"
else
	echo "not ok - a .snap from a pipe"
	failed=1
fi

# 40,000 native objects more: 65 kB chunks, counts from the generator.
"$GEN/unity_heap" --many 40000 snap >many.snap
got=$(tm-heap -q --csv --type Texture2D many.snap | tr -d '\r' | cut -d, -f 2,4,8 | tail -n 1)
if [ "$got" = "$(((40000 + 2) * 4096)),$((40000 + 2)),native Texture2D" ]; then
	echo "ok - many native objects"
else
	echo "not ok - many native objects: $got"
	failed=1
fi

# No more than 200 bytes for an object with three references.
"$GEN/heap" big 200000 600000 >big.tmt
"$GEN/rss" -o rss tm-heap -q --csv big.tmt >/dev/null
kib=$(cut -d ' ' -f 4 rss)
if ((limit == 0)); then
	echo "skip - memory (a sanitizer's)"
elif ((kib * 1024 < 200000 * 200 + 12 * 1024 * 1024)); then
	echo "ok - memory of a large snapshot"
else
	echo "not ok - memory of a large snapshot: $kib KiB"
	failed=1
fi
exit $failed
