#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 600
#
# Captures of calls are call trees: every report of enters and exits agrees with calls.py, a twin
# that knows nothing of tracemill, and with uftrace's own reports.
set -u
: "${GEN:?}" "${SRC:?}"

failed=0
check() { # WHAT FILE FILE
	if [ -s "$2" ] && diff "$2" "$3" >differences; then
		echo "ok - $1"
	else
		head -n 5 differences | sed 's/^/    /'
		echo "not ok - $1"
		failed=1
	fi
}
twin() { python3 "$SRC/tests/sh/calls.py" "$@"; }
# columns NAME...: these of a CSV, with blanks between; nothing where there is nothing.
columns() {
	python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(*(row[name] or "0" for name in sys.argv[1:]))' "$@"
}

# Events put back on a stack for each thread; an E or C that is not of the innermost, a time that goes
# back and what stays open is an error.
replayed() { # chrome|speedscope
	python3 -c '
import json, sys
from collections import defaultdict
from decimal import Decimal
whole, own = json.load(sys.stdin, parse_float=Decimal), defaultdict(int)
threads = defaultdict(list)
if sys.argv[1] == "chrome":
    for e in whole["traceEvents"]:
        if e["ph"] in "BE":
            threads[e["tid"]].append((e["ph"] == "B", e["name"], int(e["ts"] * 1000)))
else:
    names = [f["name"] for f in whole["shared"]["frames"]]
    for i, p in enumerate(whole["profiles"]):
        if p["type"] == "evented":
            assert p["unit"] == "nanoseconds"
            for e in p["events"]:
                assert p["startValue"] <= e["at"] <= p["endValue"]
                threads[i].append((e["type"] == "O", names[e["frame"]], e["at"]))
for events in threads.values():
    stack, last = [], events[0][2]
    for enters, name, at in events:
        assert at >= last
        if stack:
            own[tuple(stack)] += at - last
        last = at
        if enters:
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
for path, ns in own.items():
    if ns:
        print(";".join(path), ns)' "$@"
}
sampled() {
	python3 -c '
import json, sys
whole = json.load(sys.stdin)
p = [p for p in whole["profiles"] if p["type"] == "sampled" and p["name"] == "time"][0]
names = [f["name"] for f in whole["shared"]["frames"]]
assert sum(p["weights"]) == p["endValue"] and whole["profiles"][whole["activeProfileIndex"]] is p
for stack, weight in zip(p["samples"], p["weights"]):
    print(";".join(names[i] for i in stack), weight)'
}
pprof=
command -v go >/dev/null && [ -x "$(go tool -n pprof 2>/dev/null)" ] && pprof=y

for seed in 1 2 3; do
	for form in calls uftrace; do
		"$GEN/instrument" truth $seed | grep -v frame >events
		in=capture functions='0x10280 0x11680'
		"$GEN/instrument" calls $seed >capture
		cp events truth
		if [ $form = uftrace ]; then
			in=uf functions='function2 function18'
			rm -rf uf && mkdir uf
			"$GEN/instrument" uftrace uf $seed
			python3 -c '
import re, sys
for line in sys.stdin: # what its table of symbols says
    print(re.sub("0x1.*", lambda m: "function%d" % ((int(m[0], 16) - 0x10000) // 0x140), line), end="")
' <events >truth
		fi
		say() { echo "$form, seed $seed: $*"; }

		twin functions <truth | grep -v '(all)' | sort >want
		tm-top -q --csv -n 0 --by function $in | columns self_ns total_ns calls function | sort >got
		check "$(say functions)" want got
		twin means <truth | sort >want
		tm-top -q --csv -n 0 --by function $in | columns mean_ns function | sort >got
		check "$(say mean time)" want got
		twin threads <truth | sort >want
		tm-top -q --csv --by thread $in | columns self_ns total_ns calls thread |
			sed 's/\[thread \(.*\)\]/\1/' | sort >got
		check "$(say threads)" want got
		twin tree <truth >want
		tm-top -q --csv --tree --min 0 $in |
			columns total_self_ns self_ns depth function | tail -n +2 >got
		check "$(say tree)" want got
		twin bottom-up <truth >want
		tm-top -q --csv --bottom-up --min 0 $in |
			columns total_self_ns depth function | tail -n +2 >got
		check "$(say bottom-up)" want got
		for f in $functions; do
			twin peek "$f" <truth | sort >want
			tm-top -q --csv --peek "^$f\$" $in | columns self_ns relation function | sort >got
			check "$(say callers and callees of "$f")" want got
			twin functions "$f" <truth | grep -v '(all)' | sort >want
			tm-top -q --csv -n 0 --by function --focus "^$f\$" $in |
				columns self_ns total_ns calls function | sort >got
			check "$(say --focus "$f")" want got
			twin functions "-$f" <truth | grep -v '(all)' | sort >want
			tm-top -q --csv -n 0 --by function --ignore "^$f\$" $in |
				columns self_ns calls function | sort >got
			awk '$1 || $3 {print $1, $3, $4}' want | sort >want2
			check "$(say --ignore "$f")" want2 got
			twin prune "$f" <truth | sort >want
			tm-top -q --csv -n 0 --by stack --prune-from "^$f\$" $in |
				columns self_ns stack | awk '$1 {print $2, $1}' | sort >got
			check "$(say --prune-from "$f")" want got
		done
		twin folded <truth | sort >want
		tm-export -q --as folded $in | sort >got
		check "$(say folded)" want got
		twin folded calls <truth | sort >want
		tm-export -q --as folded --sort calls $in | sort >got
		check "$(say folded calls)" want got
		tm-export -q --as chrome $in >capture.chrome
		tm-export -q --as speedscope $in >capture.speedscope
		twin folded <truth | sort >want
		replayed chrome <capture.chrome | sort >got
		check "$(say chrome: B and E are balanced, and by path what the calls took)" want got
		replayed speedscope <capture.speedscope | sort >got
		check "$(say speedscope: evented profiles keep the format\'s rules, and by path)" want got
		sampled <capture.speedscope | sort >got
		check "$(say speedscope: the sampled profile of time)" want got
		if [ -n "$pprof" ]; then
			tm-export -q --as pprof -o capture.pb.gz $in
			twin functions <truth | grep -v '(all)' | awk '{print $1, $2, $4}' | sort >want
			go tool pprof -top -cum -nodecount=0 -nodefraction=0 -edgefraction=0 -unit=ns capture.pb.gz 2>err |
				sed '1,/flat%/d' | awk '{print $1 + 0, $4 + 0, $6}' | sort >got
			check "$(say pprof -top -cum)" want got
		fi
	done
done
[ -n "$pprof" ] || echo 'skip - pprof (go tool pprof is not installed)'

# Comparisons, aggregates and policies on total time have the same sums.
"$GEN/instrument" calls 1 >one
"$GEN/instrument" calls 2 >two
for seed in 1 2; do
	"$GEN/instrument" truth $seed | twin functions | grep -v '(all)' | sort >"functions.$seed"
done
python3 -c '
rows = [{}, {}]
for r, name in zip(rows, ("functions.1", "functions.2")):
    for line in open(name):
        own, total, n, f = line.split()
        r[f] = (own, total, n)
for f in sorted(rows[0].keys() | rows[1].keys()):
    a, b = (r.get(f, ("0", "0", "0")) for r in rows)
    if a != b:
        print(f, *a, *b)' | sort >want
tm-compare -q --csv -n 0 --by function --sort total-time one two |
	columns function base_self_ns base_total_ns base_calls new_self_ns new_total_ns new_calls | sort >got
check 'tm-compare by total time' want got
tm-compare -q --save-baseline one.tma one
tm-top -q --csv -n 0 --by function one.tma | columns self_ns total_ns calls function | sort >got
check 'an aggregate' functions.1 got
total=$(awk '$4 == "0x11680" {print $2}' functions.1)
for limit in "$total" $((total - 1)); do
	printf '[rule recursion]\nmetric = total-time\nkey = function\nmatch = ^0x11680$\nmax = %sns\n' "$limit" >policy
	tm-compare -q --gate policy two one >/dev/null 2>err
	echo "$? $(cat err)"
done >got
printf '0 \n1 \n' >want
check 'a policy on total time: at its limit, and a nanosecond over it' want got

# Thread 701's number goes to another one in the middle: what is open ends there, and an exit of it
# is of nothing. Records begin at 6902.1347 s (testdata/gen/instrument.c).
rm -rf uf && mkdir uf
"$GEN/instrument" uftrace uf 1
middle=$("$GEN/instrument" truth 1 | awk '$3 == 701 {t[++n] = $2} END {print t[int(n / 2)]}')
awk -v ns="$middle" 'BEGIN {printf "TASK timestamp=6902.%09d tid=701 pid=700\n", 134700000 + ns}' >>uf/task.txt
"$GEN/instrument" truth 1 | awk -v at="$middle" '$3 == 701 && $2 >= at {$3 = "701b"} {print}' |
	twin tree | awk '{print $1, $2, $3}' | sort >want
tm-top -q --csv --tree --min 0 uf | columns total_self_ns self_ns depth | tail -n +2 | sort >got
check 'uftrace: a number that goes to another thread' want got
tm-import -q uf | tm-dump | grep '^thread' | grep -c tid=701 >got
echo 2 >want
check 'uftrace: they are two' want got

# Bad input: lines are missing (so calls have no exit, and exits no enter), exits are of other threads,
# times go back, calls are open at the end; what is known of calls is what the twin knows.
for seed in 1 2 3 4 5 6; do
	"$GEN/instrument" truth $seed | grep -v frame | python3 -c '
import random, sys
random.seed(int(sys.argv[1]))
for line in sys.stdin:
    what, time, tid, f = line.split()
    chance = random.random()
    if chance < 0.08:
        continue
    if chance < 0.12 and what == "exit":
        tid = str(random.choice((700, 701, 702)))
    if chance > 0.97:
        time = str(max(0, int(time) - random.randrange(3000000)))
    print(what, time, tid, f)' $seed >known
	awk '{print "[" $3 "]", $1, $4, $2}' known >bad.txt
	twin functions <known | grep -v '(all)' | sort >want
	tm-top -q --csv -n 0 --by function bad.txt | columns self_ns total_ns calls function | sort >got
	check "bad input, seed $seed: functions" want got
	twin tree <known | awk '$1' >want
	tm-top -q --csv --tree --min 0 bad.txt |
		columns total_self_ns self_ns depth function | tail -n +2 >got
	check "bad input, seed $seed: tree" want got
	twin folded <known | sort >want
	tm-export -q --as folded bad.txt | sort >got
	check "bad input, seed $seed: folded" want got
	for form in chrome speedscope; do
		echo balanced >want
		tm-export -q --as $form bad.txt >bad.json
		: >got
		if replayed $form <bad.json >replay && [ -s replay ]; then echo balanced >got; fi
		check "bad input, seed $seed: $form" want got
	done
done

# 10,000 levels deep, of three functions, and an exit of the outermost: 9,999 calls have none.
python3 -c '
for i in range(10000):
    print("[1] enter 0x%x %d" % (0x1000 + (i % 3 if i else 9) * 16, i * 10))
print("[1] exit 0x1090 100000")' >deep.txt
awk '{print $2, $4, 1, $3}' deep.txt >known
twin functions <known | grep -v '(all)' | sort >want
tm-top -q --csv -n 0 --by function deep.txt | columns self_ns total_ns calls function | sort >got
check '10,000 levels deep: functions' want got
# Each line has all its callers: 350 MB here, which is refused; a fifth of the levels has 14.
tm-export -q --as folded deep.txt 2>&1 | grep -c 'nested too deeply' >got
echo 1 >want
check '10,000 levels deep: folded is refused' want got
head -n 2000 deep.txt >less.txt
echo '[1] exit 0x1090 100000' >>less.txt
awk '{print $2, $4, 1, $3}' less.txt >known
twin folded <known | sort >want
tm-export -q --as folded less.txt | sort >got
check '2,000 levels deep: folded' want got
tm-top --by function deep.txt 2>&1 >/dev/null | grep -c 'calls have no exit: they ended with their callers: 9999' >got
echo 1 >want
check '10,000 levels deep: what has no exit is counted' want got

# Calls that only markers name: A > (B, A > B), twice; tm-spikes judges them with the same callers.
printf '> 0 %%A\n> 10 %%B\n< 30 %%B\n> 40 %%A\n> 50 %%B\n< 70 %%B\n< 75 %%A\n< 100 %%A\n' |
	"$GEN/calls" >markers.tmt
twin tree >want <<X
enter 0 1 A
enter 10000 1 B
exit 30000 1 B
enter 40000 1 A
enter 50000 1 B
exit 70000 1 B
exit 75000 1 A
exit 100000 1 A
X
tm-top -q --csv --tree markers.tmt | columns total_self_ns self_ns depth function | tail -n +2 >got
check 'calls that only markers name: tree' want got
tm-top -q --csv --by function markers.tmt | columns self_ns total_ns calls function >got
printf '60000 100000 2 A\n40000 40000 2 B\n' >want
check 'calls that only markers name: functions' want got
tm-spikes -q --threshold 0 --csv markers.tmt | columns stack self_ns | sort >got
printf 'A 45000\nA;A 15000\nA;A;B 20000\nA;B 20000\n' >want
check 'tm-spikes has the same paths' want got

# What uftrace itself says: each function's total, self and calls, and each node of its graph; time
# off the processor is linux:schedule there. Its times are cut after three decimals.
cat >fib.c <<'EOS'
#include <time.h>
static void __attribute__((noinline)) nap(void) { struct timespec t = {0, 3000000}; nanosleep(&t, 0); }
static int __attribute__((noinline)) fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int __attribute__((noinline)) update(int i) { return fib(7) + i; }
int main(void) { int s = 0; nap(); for (int i = 0; i < 3; i++) s += update(i); return s + fib(5) == 0; }
EOS
if ! command -v uftrace >/dev/null; then
	echo 'skip - the real uftrace (it is not installed)'
elif ! cc -O0 -finstrument-functions fib.c -o fib || ! uftrace record -d real ./fib >/dev/null 2>&1; then
	echo 'skip - the real uftrace (it cannot record here)'
else
	as_uftrace() {
		python3 -c '
import csv, sys
def time(ns):
    for unit, per in (("us", 1000), ("ms", 1000000), ("s", 1000000000)):
        if ns < per * 1000:
            return "%d.%03d %s" % (ns // per, ns % per * 1000 // per, unit)
for row in csv.DictReader(sys.stdin):
    print(*(time(int(row[n] or 0)) if n.endswith("_ns") else row[n] for n in sys.argv[1:]))' "$@"
	}
	LC_ALL=C uftrace report -d real --no-pager | awk 'NR > 2 {$1 = $1; print}' | sort >want
	tm-top -q --csv -n 0 --by function real | as_uftrace total_ns self_ns calls function | sort >got
	check 'uftrace report: total, self and calls of every function' want got
	LC_ALL=C uftrace graph -d real --no-pager main | sed -n 's/^ *\([0-9.]* [mu]*s\) : .*([0-9]*) \(.*\)/\1 \2/p' |
		sort >want
	tm-top -q --csv --tree --min 0 real | as_uftrace total_self_ns function | tail -n +2 | sort >got
	check 'uftrace graph: every node of the tree' want got
fi
exit $failed
