#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# timeout: 1000
#
# Unity's profiler streams against what their generator knows, in every layout; damaged ones; and
# the golden numbers of a real log (formats/unity-il2cpp-mono.md, section 1.4).
set -u
: "${GEN:?}"

failed=0
ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1"
	failed=1
}
same() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then ok "$1"; else bad "$1: $2, expected $3"; fi
}

# A dump as the generator's truth: marker, frame, thread and total lines.
as_truth() {
	tm-dump "$1" 2>/dev/null | awk '
	function field(name,  i) {
		for (i = 2; i <= NF; i++)
			if (index($i, name "=") == 1) return substr($i, length(name) + 2)
		return ""
	}
	function hex(s,  i, v) {
		v = 0
		for (i = 3; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
		return v
	}
	function quoted(key) {
		return match($0, key "=\"[^\"]*\"") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 3) : ""
	}
	$1 == "marker" { name[$2] = quoted("name") }
	$1 == "thread" { thread[$2] = quoted("name") }
	$1 == "location" { runtime[$2] = $3 == "runtime" }
	$1 == "stack" { outside[$2] = runtime[field("location")] || outside[field("parent")] }
	$1 == "frame" { f = field("value"); order[++n] = f }
	$1 == "sample" {
		m = field("type"); calls[m]++; total[m] += field("value"); self[m] += hex(field("target"))
		samples++; in_frame[f]++; in_thread[field("thread")]++
	}
	$1 == "alloc" {
		allocs++; bytes += field("requested"); allocs_in[f]++; bytes_in[f] += field("requested")
		callstacks += outside[field("stack")]
	}
	$1 == "counter" && $2 ~ /^value=/ { counters++; sum += field("value") }
	$1 == "note" && /"blocks"/ { blocks = field("count") }
	$1 == "note" && /"messages: / { messages += field("count") }
	END {
		for (m in calls) printf "marker\t%s\t%d\t%.0f\t%.0f\n", name[m], calls[m], total[m], self[m]
		for (i = 1; i <= n; i++) {
			f = order[i]
			printf "frame\t%s\t%d\t%d\t%d\n", f, in_frame[f], allocs_in[f], bytes_in[f]
		}
		for (t in thread) printf "thread\t%s\t%d\n", thread[t], in_thread[t]
		printf "samples\t%d\nallocs\t%d\t%d\ncallstacks\t%d\ncounters\t%d\t%d\n", samples, allocs, bytes, callstacks, counters, sum
		printf "blocks\t%d\nmessages\t%d\n", blocks, messages
	}'
}

# stream NAME OPTION...: the generator's, and what is read.
stream() {
	local name=$1

	shift
	"$GEN/unity" "$@" >"$name.raw" 2>"$name.truth"
	as_truth "$name.raw" | LC_ALL=C sort >got
	LC_ALL=C sort "$name.truth" >want
	if [ -s want ] && cmp -s got want; then
		ok "unity $*: markers, frames, threads and totals"
	else
		diff got want | head -n 8
		bad "unity $*: markers, frames, threads and totals"
	fi
}

stream plain --block 2000
stream aligned --aligned --block 2000
stream 2018.1 --version 20171110 --block 2000
stream 2018.2 --version 20180123 --block 2000
stream 2018.3 --version 20181101 --block 2000
stream 2019.1 --version 20180306 --block 2000 --aligned
stream 2021.2 --version 20210412 --block 2000
stream 2022.1 --version 20210919 --block 2000
stream 2022.2 --version 20220328 --tail --block 2000
stream tail --version 20211028 --tail --block 2000 --aligned
stream notail --version 20220328 --block 2000
stream 6000.5 --version 20260108 --tail --block 2000
stream split --split --block 100
stream split_aligned --split --block 108 --aligned
stream tcp --tcp swapped --block 2000
stream tcp_plain --tcp plain --block 2000 --version 20220328 --tail
stream late --lag 6 --workers 8 --frames 40 --block 1000
stream thirds --ticks 1000/3 --block 2000
stream big_ticks --ticks 12345678901234567/1234567890123457 --block 2000
stream deep --depth 3000 --calls 6000 --frames 2 --rich 0
stream no_rich --rich 0 --block 2000

# More samples in a frame than wait: all are there, and it is said that frames are a guess.
"$GEN/unity" --frames 3 --calls 300000 --workers 1 --depth 4 >wide.raw 2>wide.truth
same 'three frames of 900000 samples: markers, threads and totals' \
	"$(as_truth wide.raw | grep -v ^frame | LC_ALL=C sort | cksum)" \
	"$(grep -v ^frame wide.truth | LC_ALL=C sort | cksum)"
same 'three frames of 900000 samples: a note' "$(tm-dump --no-events --no-tables wide.raw |
	grep -c '^note guess .*came after their frame')" 1

for f in tcp tcp_plain; do
	if tm-dump --no-events --no-tables $f.raw | grep -q '^note info .*other messages in the connection: ping'; then
		ok "$f: other messages are counted"
	else
		bad "$f: other messages are counted"
	fi
done

# Lines of the game's log, put behind each block: the frame of each is the last one that begins in a file that is cut
# there. What the file says otherwise is as without them.
"$GEN/unity" --frames 12 --workers 0 --block 1500 >bare.raw 2>truth
python3 - <<'PYTHON'
import struct
data = open('bare.raw', 'rb').read()
def message(guid, body):
    return struct.pack('<I', 0x67A54E8F) + bytes.fromhex(guid) + struct.pack('<I', len(body)) + body
DATA, LOG = 'c58d77184f4b4b59b3fffc6f800ae10e', '394ada038ba04f26b0011a6cdeb05a62'
at = data.index(struct.pack('<I', 0xB10C7EAD))
out, i, places = message(DATA, data[:at]), 0, []
while at < len(data):
    size = 20 + struct.unpack_from('<I', data, at + 16)[0] + 8
    at += size
    out += message(DATA, data[at - size:at])
    text = ('line %d' % i).encode()
    out += message(LOG, struct.pack('<I', i % 6) + (struct.pack('<I', len(text)) if i % 2 else b'') + text)
    places.append(at)
    i += 1
out += message(LOG, struct.pack('<I', 0) + b'x' * 9000)
open('logged.raw', 'wb').write(out)
open('places', 'w').write(''.join('%d\n' % p for p in places))
PYTHON
i=0
while read -r place; do
	((i % 7)) || echo "line $i $(head -c "$place" bare.raw | tm-dump -q --no-tables - 2>err | awk '/^frame / { for (k = 2; k <= NF; k++) if ($k ~ /^value=/) f = substr($k, 7) } END { print f }')"
	i=$((i + 1))
done <places >want
tm-dump -q --no-tables logged.raw >dumped
awk '/^frame / { for (k = 2; k <= NF; k++) if ($k ~ /^value=/) f = substr($k, 7) }
	/^log / { split($0, q, "\""); split(q[2], w, " "); if (w[2] % 7 == 0 && w[1] == "line") print q[2], f }' dumped | sort -k 2n >got
same 'log: each line is in the frame that had begun' "$(cat got)" "$(cat want)"
same 'log: as many lines as messages' "$(grep -c '^log ' dumped)" $((i + 1))
same 'log: the rest is as without it' "$(grep -v '^log \|^note\|^totals\|^attribute' dumped | sed 's/ thread=.*//' | cksum)" \
	"$(tm-dump -q --no-tables bare.raw | grep -v '^note\|^totals\|^attribute' | sed 's/ thread=.*//' | cksum)"
if grep -q 'note loss count=1 "lines of the log are cut after 4096 bytes"' dumped; then
	ok 'log: a line that is too long is cut, and that is told'
else
	bad 'log: a line that is too long is cut, and that is told'
fi
frame=$(awk 'NR == 2 { print $3 }' want)
tm-import -q -o logged.tmt logged.raw
for f in logged.raw logged.tmt; do
	same "log: tm-frames --frame shows it ($f)" \
		"$(tm-frames -q --frame "$frame" -n 0 --csv --table log $f | tr -d '\r' | awk -F , 'NR == 1 { while (++k <= NF) if ($k == "text") t = k } NR > 1 { print $1, $t }' | sort)" \
		"$(awk -v frame="$frame" '/^frame / { for (k = 2; k <= NF; k++) if ($k ~ /^value=/) f = substr($k, 7) }
			/^log / && f == frame { split($0, q, "\""); print f, q[2] }' dumped | sort)"
done
same 'log: tm-filter keeps that of a frame' "$(tm-filter -q --frame "$frame" logged.tmt | tm-dump -q - | grep -c '^log ')" \
	"$(tm-frames -q --frame "$frame" -n 0 --csv --table log logged.raw | tail -n +2 | wc -l)"
same 'log: instants of Chrome' "$(tm-export -q --as chrome logged.raw | jq '[.traceEvents[] | select(.ph == "i" and .cat == "log")] | length')" \
	"$(awk '/^frame / { f = 1 } /^log / && (f || / time=/) { n++ } END { print n }' dumped)"
tm-export -q --as sqlite --events -o logged.db logged.raw
same 'log: events of SQLite' "$(sqlite3 logged.db "SELECT count(*) FROM events WHERE kind = 'log'")" $((i + 1))

# saved VERSION FORM: frames that the editor or Profile Analyzer saved.
saved() {
	"$GEN/unity_data" --version "$1" "$2" >"saved.$2" 2>saved.truth
	as_truth "saved.$2" | grep -Ev '^(counters|blocks|messages)' | LC_ALL=C sort >got
	LC_ALL=C sort saved.truth >want
	if [ -s want ] && cmp -s got want && ! loss "saved.$2" | grep -q .; then
		ok ".$2 $1: markers, frames, threads and totals"
	else
		tm-dump --no-events --no-tables "saved.$2" 2>&1 | grep -E 'note|tm-dump'
		diff got want | head -n 8
		bad ".$2 $1: markers, frames, threads and totals"
	fi
}
loss() { # FILE: the notes of loss
	tm-dump --no-events --no-tables "$1" 2>/dev/null | sed -n 's/^note loss //p'
}
for version in 20170327 20171110 20180123 20180704 20181101 20180306 20190514 20190821 20191104 \
	20191122 20200312 20200828 20200924 20210412 20210919 20211025 20211028 20220328 20260108; do
	saved $version data
done
for version in 1 2 3 4 5 6 7; do
	saved $version pdata
done
same '.data: counters' "$(tm-dump saved.data 2>/dev/null | awk '
	$1 == "counter" && match($0, /name="[^"]*"/) { name[$2] = substr($0, RSTART + 6, RLENGTH - 7) }
	$1 == "counter" && $2 ~ /^value=/ {
		for (i = 2; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] }
		sum[name[v["type"]]] += v["value"]
	}
	END { print sum["unity.memory.total"] / 1024, sum["unity.draw.draw-calls"], sum["unity.time.cpu"], sum["unity.time.rendering"] }')" \
	'5015 385 80000000 5000'

# Names of what was called, through MethodJitInfo.
same 'a callstack within its sample, outermost last' "$(tm-dump plain.raw 2>/dev/null | awk '
	$1 == "location" { l[$2] = $0 }
	$1 == "stack" { split($3, a, "="); split($4, p, "="); loc[$2] = a[2]; up[$2] = p[2] }
	$1 == "alloc" && match($0, /stack=[0-9]+/) {
		s = substr($0, RSTART + 6, RLENGTH - 6)
		if (l[loc[up[up[s]]]] !~ /runtime return 0x7f0000001234/) next
		ok += l[loc[s]] ~ /name="Ns.Jit:Method[0-9]+ \(\)" file="Assets\/Jit.cs" line=/
		n++
	}
	END { print (n == ok && n > 0) }')" 1

# --- damage ---

samples() { tm-dump --no-events --no-tables "$1" 2>/dev/null | sed -n 's/^totals .* sample=\([0-9]*\).*/\1/p'; }
whole=$(samples plain.raw)
size=$(stat -c %s plain.raw)

# Without 3000 bytes in the middle.
{
	head -c $((size / 2)) plain.raw
	tail -c +$((size / 2 + 3000)) plain.raw
} >spliced.raw
if loss spliced.raw >out && grep -q 'block numbers are missing' out &&
	grep -q 'bytes belong to no block' out && [ "$(samples spliced.raw)" -gt $((whole / 2)) ]; then
	ok 'a stream without a piece of it: blocks and bytes are counted, the rest is kept'
else
	cat out
	bad 'a stream without a piece of it: blocks and bytes are counted, the rest is kept'
fi
# A block taken out whole: exactly one is missing, and no byte is skipped.
offsets=$(LC_ALL=C grep -aboP '\xad\x7e\x0c\xb1' plain.raw | cut -d: -f1 | sed -n '40p;41p')
first=${offsets%%$'\n'*} second=${offsets##*$'\n'}
{
	head -c "$first" plain.raw
	tail -c +$((second + 1)) plain.raw
} >block.raw
same 'a lost block' "$(loss block.raw | grep -c '^count=1 "block numbers are missing"') $(loss block.raw | grep -c 'belong to no block')" '1 0'
# Two streams in one file are two captures.
cat plain.raw aligned.raw >two.raw
same 'two streams in one file' "$(tm-dump --no-events --no-tables two.raw 2>/dev/null | grep -c '^totals ')" 2
# The begin of a stream with bytes before each block's signature that look like one.
{
	head -c 36 plain.raw
	for _ in $(seq 1 2000); do printf '\255\176\014\261\0\0\0\0\0\0\0\0\0\0\0\0\377\377\177\0'; done
	tail -c +37 plain.raw
} >signatures.raw
same 'two thousand signatures that are no blocks' "$(samples signatures.raw)" "$whole"

for cut in tcp.raw plain.raw aligned.raw; do
	case $cut in
	tcp.raw) layout='--tcp swapped' ;;
	aligned.raw) layout=--aligned ;;
	*) layout= ;;
	esac
	# shellcheck disable=SC2086 # several options
	"$GEN/unity" --frames 2 --calls 3 --workers 1 --rich 3 $layout 2>/dev/null >"small.$cut"
	n=$(stat -c %s "small.$cut")
	"$GEN/cuts" --step $((n / 150 + 1)) --silent 40 --rss 100 "small.$cut" tm-import || failed=1
done

# One bit after the other of a small stream: read or refused, and what is read says what it lost or
# has no fewer samples.
flips=0 wrong=0
cp "$DATA/unity/good-frames.raw" flip.raw
size=$(stat -c %s flip.raw)
whole=$(samples flip.raw)
put() { # BYTE: at that place
	printf '%b' "\\x$(printf %02x "$1")" | dd of=flip.raw bs=1 seek=$at conv=notrunc status=none
}
for ((at = 0; at < size; at += 13)); do
	byte=$(od -An -tu1 -j $at -N 1 "$DATA/unity/good-frames.raw")
	put $((byte ^ 1 << at % 8))
	timeout 20 tm-dump -f unity-raw --no-tables flip.raw >out 2>err
	status=$?
	case $status in
	0) grep -q '^note loss' out || [ "$(grep -c ^sample out)" = "$whole" ] || grep -q '^note info.*\(open at\|have no begin\)' out || wrong=$((wrong + 1)) ;;
	3) [ "$(wc -l <err)" = 1 ] || wrong=$((wrong + 1)) ;;
	*) wrong=$((wrong + 1)) ;;
	esac
	flips=$((flips + 1))
	put "$byte"
done
same "a flipped bit at $flips places" $wrong 0

# --- the real log ---

log=${SHARED-}/samples/unity/mylog.raw
if [ ! -r "$log" ]; then
	echo 'skip - the golden numbers of a real log (it is not here)'
	exit $failed
fi
as_truth "$log" >real
notes=$(tm-dump --no-events --no-tables "$log" 2>/dev/null | sed -n 's/^note info count=\([0-9]*\) "\(.*\)"/\2=\1/p')
golden='blocks=33
messages: ProfilerState=2
messages: MarkerInfo=3881
messages: ThreadInfo=68
messages: Frame=5
messages: BeginSample=1329
messages: EndSample=1403
messages: BeginSampleWithInstanceId=52
messages: BeginSampleWithMetadata=46
messages: FlowEvent=489
markers=3776
values of samples: i32=29
values of samples: u32=16
values of samples: u64=15
values of samples: string=16
ends of samples have no begin in the file=2'
same 'real log: blocks, messages, values, orphans' "$(grep -v '^samples were open' <<<"$notes")" "$golden"
same 'real log: nothing is lost' "$(loss "$log")" ''
same 'real log: GC.Alloc' "$(grep ^allocs real)" $'allocs\t16\t804'
same 'real log: frames' "$(grep ^frame real | cut -f 1,2)" $'frame\t4313'
top=$(grep ^marker real | sort -t$'\t' -k4,4nr)
row() { grep -F $'\t'"$1"$'\t' <<<"$top" | cut -f 3-; }
same 'real log: Idle' "$(row Idle | cut -f 1,2)" $'591\t15986204500'
same 'real log: Mono.JIT' "$(row Mono.JIT)" $'29\t2283900\t2183500'
same 'real log: EarlyUpdate.XRUpdate' "$(row EarlyUpdate.XRUpdate)" $'1\t876700\t103300'
same 'real log: File.Write' "$(row File.Write | cut -f 1,2)" $'15\t337400'
exit $failed
