#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 600
#
# Enter/exit captures: what is read of each form is what its generator says it wrote; damage is
# counted; a real program's hooks and the real uftrace agree with what is read of them.
set -u
: "${GEN:?}" "${SRC:?}"

failed=0
check() { # WHAT FILE FILE
	if diff "$2" "$3" >differences; then
		echo "ok - $1"
	else
		head -n 5 differences | sed 's/^/    /'
		echo "not ok - $1"
		failed=1
	fi
}

# events CAPTURE: as the generator's truth has them.
events() {
	tm-import -q "$1" | tm-dump -q | LC_ALL=C awk '
		function field(name,  i, f) {
			for (i = 2; i <= NF; i++) { split($i, f, "="); if (f[1] == name) return f[2] }
			return "-"
		}
		$1 == "location" { raw[$2] = $5 }
		$1 == "stack" { split($3, f, "="); top[$2] = f[2] }
		$1 == "thread" { tid[$2] = field("tid") }
		$1 == "frame" { print "frame", field("time"), field("value") }
		$1 == "enter" || $1 == "exit" { print $1, field("time"), tid[field("thread")], raw[top[field("stack")]] }'
}
# Each function's name, calls and times.
calls_of() {
	tm-top -q --csv -n 0 --by function "$1" | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["function"], $at["calls"], $at["self_ns"], $at["total_ns"] }' | sort
}
for seed in 1 2 3; do
	"$GEN/instrument" truth $seed >events.truth
	for form in calls calls-32 enter-exit; do
		"$GEN/instrument" $form $seed >capture
		events capture >got
		check "$form, seed $seed: every event" events.truth got
	done
	# One thread behind the other, and no frames.
	grep -v frame events.truth | sort -s -k 3,3n >by-thread
	rm -rf uf && mkdir uf
	"$GEN/instrument" uftrace uf $seed
	first=$(awk 'NR == 1 || $2 < least { least = $2 } END { print least }' by-thread)
	awk -v first="$first" '{ $2 -= first; print }' by-thread >want
	events uf >got
	check "uftrace, seed $seed: every event" want got
	events uf/info >got
	check "uftrace, seed $seed: by its file info" want got
	rm -rf sized && mkdir sized
	"$GEN/instrument" uftrace-sized sized $seed
	calls_of uf >want
	calls_of sized >got
	check "uftrace since 0.14, seed $seed: sizes of symbols, two modules of one name: the same names" want got
	"$GEN/instrument" e-x $seed >capture
	# No threads in it; time goes back where the next thread begins.
	awk 'NR == 1 { first = $2 } { print $1, $2 - first, "-", $4 }' by-thread |
		sed 's/ - / /' >want
	events capture | sed 's/  / /' >got
	check "e-x, seed $seed: every event" want got
done

"$GEN/instrument" calls-odd 1 >odd
tm-import -v odd 2>notes >/dev/null
for note in 'lost during the recording.*17' 'unreadable records were left out.*1' 'unknown kind.*1' 'before the start.*1'; do
	if grep -Eq "$note" notes; then
		echo "ok - calls-odd: $note"
	else
		sed 's/^/    /' notes
		echo "not ok - calls-odd: $note"
		failed=1
	fi
done
{ "$GEN/instrument" calls 1 && "$GEN/instrument" calls 2; } >two
n=$(tm-dump -q two | grep -c '^capture')
if [ "$n" = 2 ]; then
	echo 'ok - two captures in one file'
else
	echo "not ok - two captures in one file: $n"
	failed=1
fi

# Cut anywhere: kept, counted.
head -c 3000 odd >short
"$GEN/instrument" enter-exit 1 | head -c 1500 >short.txt
"$GEN/cuts" --step 7 --silent 100 --rss 100 short tm-import || failed=1
"$GEN/cuts" --step 7 --silent 1500 --rss 100 short.txt tm-import || failed=1
rm -rf cut && cp -r uf cut
head -c 1000 uf/701.dat >cut/701.dat
rm cut/702.dat
printf '\1\2\3\4\5\6\7\10' | dd of=cut/700.dat bs=1 seek=64 conv=notrunc status=none
tm-import cut 2>notes >/dev/null
status=$?
if [ $status = 0 ] && grep -q 'no file of records.*1' notes && grep -q 'end within a record.*1' notes &&
	grep -q 'unreadable bytes between records were left out' notes; then
	echo 'ok - a damaged uftrace directory: losses are counted'
else
	sed 's/^/    /' notes
	echo "not ok - a damaged uftrace directory: status $status"
	failed=1
fi
tm-import - <uf/info 2>err >/dev/null
status=$?
if [ $status = 3 ] && grep -q 'give the directory' err; then
	echo 'ok - uftrace through a pipe is refused with advice'
else
	echo "not ok - uftrace through a pipe: status $status"
	failed=1
fi

# A real program whose hooks write the documented records.
cat >game.c <<'X'
#define PLAIN __attribute__((noinline))
PLAIN int b(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
PLAIN int a(int n) { return b(n) + b(2 * n); }
int main(void) { return (a(10) + a(20)) & 0; }
X
sed -n '/BEGIN hooks/,/END hooks/p' "$SRC/man/tracemill-instrument.5" >hooks.c
if cc -O1 -g -finstrument-functions game.c -c -o game.o && cc -O1 -g hooks.c game.o -o game &&
	./game && tm-import -q calls.tmcalls -o real.tmt; then
	tm-dump -q --no-tables real.tmt | awk '$1 == "enter" || $1 == "exit" { n[$1]++ }
			END { print n["enter"], n["exit"] }' >got
	echo '7 7' >want
	check "the manual's hooks in a real program: main, 2 a, 4 b" want got
else
	echo "not ok - the manual's hooks do not build or run"
	failed=1
fi

if command -v uftrace >/dev/null; then
	if cc -O1 -g -pg game.c -o game-pg && uftrace record -d real ./game-pg >/dev/null 2>err; then
		uftrace dump -d real 2>/dev/null | awk '$3 == "[entry]" || ($3 == "[exit" && $4 == "]") {
			name = $3 == "[entry]" ? $4 : $5
			sub(/\(.*/, "", name)
			print ($3 == "[entry]" ? "enter" : "exit"), name }' >want
		tm-dump -q real | awk '
			$1 == "location" { id = $2; sub(/.*name="/, ""); sub(/"$/, ""); name[id] = $0 }
			$1 == "stack" { split($3, f, "="); top[$2] = f[2] }
			$1 == "enter" || $1 == "exit" { for (i = 2; i <= NF; i++) { split($i, f, "=")
				if (f[1] == "stack") print $1, name[top[f[2]]] } }' >got
		check 'uftrace itself: the same records with the same names' want got
	else
		echo "not ok - uftrace record failed: $(head -n 1 err)"
		failed=1
	fi
else
	echo 'skip - uftrace itself (not installed)'
fi
exit $failed
