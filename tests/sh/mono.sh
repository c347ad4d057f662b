#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Logs of Mono's profiler: every cut and every flipped bit of a small one; and, where Mono is
# installed, a real capture against what mprof-report says of the same file.
set -u
status=0
ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	[ -s "${2:-/dev/null}" ] && sed 's/^/# /' "$2" | head -n 20
	status=1
}

: "${DATA:?}" "${GEN:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Behind the header and behind each of the five buffers a cut is a sound, shorter file.
for file in 17 14; do
	"$GEN/cuts" --silent 6 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" "$DATA/mono/$file.mlpd" \
		tm-import || status=1
done

# One bit of every third byte.
size=$(stat -c %s "$DATA/mono/17.mlpd") bad=0 n=0
for ((at = 0; at < size; at += 3)); do
	cp "$DATA/mono/17.mlpd" flipped
	byte=$(od -An -tu1 -j $at -N1 flipped)
	printf '%b' "\\x$(printf %02x $((byte ^ 1 << (at / 3 % 8))))" |
		dd of=flipped bs=1 seek=$at conv=notrunc 2>/dev/null
	timeout 20 tm-import -q flipped >out 2>err
	got=$?
	n=$((n + 1))
	if [ $got -ne 0 ] && { [ $got -ne 3 ] || [ "$(wc -l <err)" != 1 ]; }; then
		echo "  a bit of byte $at: status $got"
		bad=1
	fi
done
if [ $bad = 0 ]; then ok "$n logs with a flipped bit: read, or one line"; else not_ok "logs with a flipped bit"; fi

"$GEN/mono" reused >reused.mlpd
tm-top -q --csv --by thread reused.mlpd | tr -d "\r" | cut -d , -f 9-11,14 >got
printf 'self_ns,total_ns,calls,thread\n2000,2000,1,First\n500,500,1,Second\n' >want
if cmp -s want got; then ok "a thread's number that another gets again"; else not_ok "a thread's number that another gets again" got; fi
tm-top -q --csv --by function reused.mlpd | cut -d , -f 9-11,22 >got
printf 'self_ns,total_ns,calls,function\n2500,2500,2,Game:Play (int)\n' >want
if cmp -s want got; then ok "calls have the names of their methods"; else not_ok "calls have the names of their methods" got; fi

# The image's unload has no id: what follows it in its buffer is there.
"$GEN/mono" unload >unload.mlpd
tm-dump -q unload.mlpd >got
if grep -q '^totals.* alloc=2' got && ! grep '^note loss' got >err; then
	ok "an image's unload without an id"
else
	not_ok "an image's unload without an id" got
fi
"$GEN/mono" native >native.mlpd
tm-top --csv --by function native.mlpd 2>err | tr -d '\r' | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["function"] ~ /^(near|far)$/ { print $at["function"], $at["samples"]; next }
	{ rest += $at["samples"] }
	END { print "rest", rest }' | sort >got
printf 'far 1\nnear 2\nrest 2\n' >want
if cmp -s want got; then ok "native samples by the symbol below"; else not_ok "native samples by the symbol below" got; fi
if grep -q 'guess: native addresses.*: 3$' err; then ok "... which a note counts"; else not_ok "... which a note counts" err; fi
# Two logs in one file are two captures, each as it is alone.
cat "$DATA/mono/17.mlpd" "$DATA/mono/14.mlpd" unload.mlpd >three.mlpd
tm-dump -q three.mlpd >got
for log in "$DATA/mono/17.mlpd" "$DATA/mono/14.mlpd" unload.mlpd; do tm-dump -q "$log"; done >want
if cmp -s want got; then ok "logs one behind the other"; else not_ok "logs one behind the other" <(diff want got); fi
{ cat unload.mlpd && printf 'some bytes' && cat unload.mlpd; } >between.mlpd
tm-dump -q between.mlpd >got
if [ "$(grep -c '^totals.* alloc=2' got)" = 2 ] && [ "$(grep -c '^note loss' got)" = 1 ]; then
	ok "... with bytes between them"
else
	not_ok "... with bytes between them" got
fi

for tool in mono mcs mprof-report; do
	if ! command -v $tool >/dev/null; then
		echo "skip - a real capture of Mono ($tool is not installed)"
		exit $status
	fi
done

cat >game.cs <<'X'
using System;
using System.Collections.Generic;
class Node { public Node next; public int[] data; public Node(int n) { data = new int[n]; } }
static class Program {
	static List<object> keep = new List<object>();
	static object Make(int i) {
		return i % 3 == 0 ? (object)new Node(10) : i % 3 == 1 ? (object)new byte[100] : "s" + i;
	}
	static void Fill(int n) { for (int i = 0; i < n; i++) { var o = Make(i); if (i % 7 == 0) keep.Add(o); } }
	static void Main() { Fill(1000); GC.Collect(); Fill(500); Console.WriteLine(keep.Count); }
}
X
if ! mcs -nowarn:0649 game.cs 2>err; then
	echo "skip - a real capture of Mono (mcs: $(head -n 1 err))"
	exit $status
fi
for modes in alloc heapshot=1gc alloc,calls,zip; do
	file=${modes//,/-}
	if ! mono "--profile=log:$modes,maxframes=8,output=$file.mlpd" game.exe >out 2>err; then
		echo "skip - a real capture of Mono ($modes: $(head -n 1 err))"
		continue
	fi
	# Without its profiler's library Mono says nothing and runs on.
	if [ ! -e "$file.mlpd" ]; then
		echo "skip - a real capture of Mono ($modes: there is no libmono-profiler)"
		continue
	fi
	modes=$file
	tm-import -q "$modes.mlpd" -o "$modes.tmt"
	tm-dump -q "$modes.tmt" >"$modes.text"
	if grep '^note loss' "$modes.text" >lost; then
		not_ok "$modes: nothing is lost" lost
	else
		ok "$modes: nothing is lost"
	fi
done

# Bytes and number by type.
types() {
	awk -v kind="$1" '
		$1 == "capture" { delete name; n++ }
		$1 == "type" { match($0, /name="[^"]*"/); name[$2] = substr($0, RSTART + 6, RLENGTH - 7) }
		$1 == kind {
			match($0, /requested=[0-9]+/); size = substr($0, RSTART + 10, RLENGTH - 10)
			match($0, / type=[0-9]+/); t = name[substr($0, RSTART + 6, RLENGTH - 6)]
			bytes[n " " t] += size; count[n " " t]++
		}
		END { for (k in bytes) print k, bytes[k], count[k] }' "./$2" | sed 's/^[0-9]* //' | sort
}
# Both alike, but that mprof-report does not know a class that is named behind its first object: those
# are one row to it, which must be what the rows that only we have sum up to.
same() { # WANT GOT
	awk '
		{ row = $0; count = $NF; bytes = $(NF - 1); sub(/ [0-9]+ [0-9]+$/, "") }
		FNR == NR { if (/^unresolved class/) { b += bytes; n += count } else want[row]++; next }
		want[row] > 0 { want[row]--; next }
		{ b -= bytes; n -= count; more = more row "\n" }
		END {
			for (row in want) if (want[row]) { print "only mprof-report: " row; bad = 1 }
			if (b || n) { printf "only tm-import:\n%s", more; bad = 1 }
			exit bad
		}' "$1" "$2"
}
# The same of a table of mprof-report: bytes, count, average, name.
report() {
	awk '/^[ \t]+Bytes +Count/ { on = 1; next } on && $1 ~ /^[0-9]+$/ && NF >= 4 {
		name = $4; for (i = 5; i <= NF && $i !~ /^\(bytes:/; i++) name = name " " $i
		print name, $1, $2 }' | sort
}
for modes in alloc alloc-calls-zip; do
	[ -e $modes.text ] || continue
	mprof-report --reports=alloc $modes.mlpd | report >want
	types alloc $modes.text >got
	if [ -s want ] && same want got >differ; then
		ok "$modes: $(wc -l <got) types have mprof-report's bytes and counts"
	else
		not_ok "$modes: types have mprof-report's bytes and counts" differ
	fi
done
if [ -e heapshot=1gc.text ]; then
	mprof-report --verbose --reports=heapshot heapshot=1gc.mlpd | report >want
	types object heapshot=1gc.text >got
	if [ -s want ] && same want got >differ; then
		ok "heap snapshots: $(wc -l <got) rows of mprof-report's"
	else
		not_ok "heap snapshots have mprof-report's types" differ
	fi
fi
# The source says who allocates nodes: Main, Fill, Make.
if [ -e alloc.tmt ] && tm-top -q --by stack --type '^Node$' alloc.tmt | tr -d ' ' | tr '\n' ' ' |
	grep -q 'Program:Make(int) Program:Fill(int) Program:Main() '; then
	ok "the stack of a node is the source's"
elif [ -e alloc.tmt ]; then
	tm-top -q --by stack --type '^Node$' alloc.tmt >got
	not_ok "the stack of a node is the source's" got
fi
exit $status
