#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
# timeout: 600
#
# tm-record --pid: programs that run are recorded and go on as if nothing had been. Of attached.c it is known
# what it allocates; sqlite3 and python3 were made by others, and end with the output that they have alone.
# Whatever cannot be attached to is said in one line, with status 3. ROUNDS (default: 3) more of each.
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
: "${SRC:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/nobody.bash
. "$SRC/tests/nobody.bash"
CC=${CC:-cc}
if [ "$(uname -m)" != x86_64 ]; then
	sleep 60 &
	tm-record -o x.tmt --pid $! 2>err
	status=$?
	check 'of another machine: said' eval '[ $status = 3 ] && grep -q "only on x86-64" err'
	exit $failed
fi
said() { grep -Eq -- "$1" err; }
until_there() { # WORDS FILE
	local i

	for ((i = 0; i < 3000; i++)); do
		grep -Eqs -- "$1" "$2" && return 0
		sleep 0.02
	done
	echo "    '$1' did not come into $2"
	return 1
}
reap() { # PID: its status, or 124 and the end of it when it does not end
	local i

	for ((i = 0; i < 3000; i++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.02
	done
	if kill -9 "$1" 2>/dev/null; then
		wait "$1" 2>/dev/null
		return 124
	fi
	wait "$1"
}

cat >module.c <<'X'
#include <stdlib.h>
void make(int n);
void make(int n) { while (n--) *(volatile char *)malloc(333) = 1; }
X
$CC -g -O1 -fPIC -shared module.c -o module.so && mkdir -p beside && cp module.so beside/module2.so &&
	$CC -std=c11 -D_GNU_SOURCE -g -O1 "$SRC/testdata/src/record/attached.c" -o attached -pthread -ldl \
		-Wl,-rpath,"$PWD/beside" || echo "not ok - attached.c compiles"

# begin [SECONDS]: it runs, as $program; its standard input is 9.
begin() {
	rm -f in out
	mkfifo in
	./attached "${1:-0.5}" "$PWD/module.so" module2.so <in >out 2>theirs 9>&- &
	program=$!
	exec 9>in
	until_there ready out
}
tell() { # LINE
	echo "$1" >&9
	until_there "did $1" out
}
attach() { # in the background, as $recorder
	rm -f err
	tm-record --no-symbols -o x.tmt --pid "$program" 2>err 9>&- &
	recorder=$!
	until_there 'is being recorded' err
}
end() {
	echo end >&9
	exec 9>&-
	reap "$program"
}
# Blocks, bytes and blocks live at the end, by who asked for them.
rows() { tm-symbolize -q "$1" | tm-top -q --by function --metrics count,requested,live-count --csv | tr -d '\r' |
	sed -nE 's/^[0-9]+,//; s/^([0-9]+),([0-9]*),([0-9]*),([0-9]*).*,(work|main|make|churn),.*/\5 \1 \2 \3 \4/p' | LC_ALL=C sort; }

begin
tell work
end
cp out plain.out
begin
attach
tell work
kill -INT $recorder
reap $recorder
check 'interrupted: status 0' [ $? = 0 ]
check 'the process goes on' kill -0 "$program"
check '... which is said' said '^tm-record: attached: goes on without the recorder$'
check '100 frees of blocks from before the attach, counted apart' said \
	'^tm-record: attached: frees of blocks from before the attach: 100$'
check '... and no loss' eval '! said loss'
tm-dump -q x.tmt | awk '/^(alloc|free) /' >events
tell churn
check 'what it does then is not recorded' [ "$(tm-dump -q x.tmt | grep -c '^alloc')" = "$(grep -c ^alloc events)" ]
end
check 'its status is as alone' [ $? = 7 ]
check 'so is its output' [ "$(cat out)" = "$(cat plain.out; echo did churn)" ]
# 8 threads: 1000 of 100 bytes and 100 of 200; 900 are freed. main: 10 of 2000, freed. Two modules: 10 of 333 each.
awk '$1 == "alloc" && / requested=(100|200|333|2000)( |$)/ { match($0, /requested=[0-9]+/); print substr($0, RSTART, RLENGTH) }' events |
	sort | uniq -c | awk '{ print $1, $2 }' >sizes
check 'the blocks are those that the program says' [ "$(tr '\n' ' ' <sizes)" = \
	'8000 requested=100 800 requested=200 10 requested=2000 20 requested=333 ' ]
# 7200 of the threads, 10 that have grown
check 'so are the frees' [ "$(awk '
	{ match($0, /address=[0-9a-fx]+/); at = substr($0, RSTART, RLENGTH) }
	$1 == "alloc" && / requested=(100|200|333|2000)( |$)/ { live[at] = 1 }
	$1 == "free" && at in live { n++; delete live[at] }
	END { print n + 0 }' events)" = 7210 ]
check 'no free is without its block' [ "$(awk '
	{ match($0, /address=[0-9a-fx]+/); at = substr($0, RSTART, RLENGTH) }
	$1 == "alloc" { live[at] = 1 }
	$1 == "free" && !(at in live) { n++ }
	$1 == "free" { delete live[at] }
	END { print n + 0 }' events)" = 0 ]
check 'sums are lower bounds, and what is live is estimated' grep -q \
	'^capture count=lower-bound requested=lower-bound real=lower-bound live=estimated' <(tm-dump -q x.tmt)
check 'the notes say why' grep -q 'note info .*attached to a running process' <(tm-dump -q x.tmt)

# Again and again, at any moment.
rounds=${ROUNDS:-3}
wrong=
for ((i = 0; i < rounds; i++)); do
	begin 0.7
	echo churn >&9
	for n in 1 2; do
		rm -f err
		tm-record --no-symbols -o "y$n.tmt" --pid "$program" 2>err 9>&- &
		recorder=$!
		until_there 'is being recorded' err || wrong="$wrong never"
		sleep 0.0$((RANDOM % 9 + 1))
		kill -INT $recorder
		reap $recorder || wrong="$wrong recorder:$?"
		lost=$(tm-dump -q "y$n.tmt" 2>&1 | grep 'note loss') && wrong="$wrong $lost"
	done
	until_there 'did churn' out || wrong="$wrong stuck"
	end
	[ $? = 7 ] || wrong="$wrong status"
done
check "8 threads that allocate, attached to twice, $rounds times:$wrong" [ -z "$wrong" ]

# What others have made.
busy() { # NAME WANT COMMAND...: it says begun, then runs for seconds
	local name=$1 want=$2 wrong='' i

	shift 2
	for ((i = 0; i < rounds; i++)); do
		"$@" >theirs.out 2>theirs.err &
		program=$!
		sleep 0.$((RANDOM % 4 + 2))
		timeout 100 tm-record --no-symbols -o z.tmt --duration 1 --pid $program 2>err || wrong="$wrong recorder:$?"
		[ "$(tm-top -q --no-symbols --csv --by module --metrics count z.tmt | awk -F, 'NR > 1 { n += $2 } END { print (n > 1000) }')" = 1 ] ||
			wrong="$wrong few"
		reap $program || wrong="$wrong status:$?"
		[ "$(cat theirs.out)" = "$want" ] || wrong="$wrong output"
		[ ! -s theirs.err ] || wrong="$wrong said:$(head -n 1 theirs.err)"
	done
	check "$name, $rounds times:$wrong" [ -z "$wrong" ]
}
cat >busy.py <<'X'
import time
end, n = time.time() + 2.5, 0
while time.time() < end:
    n += len([bytearray(600) for _ in range(100)])
print("made", n > 1000)
X
if command -v /usr/bin/python3 >/dev/null; then
	busy python3 'made True' /usr/bin/python3 busy.py
else
	echo "skip - python3 (not here)"
fi
if command -v sqlite3 >/dev/null; then
	for ((i = 0; i < 60; i++)); do
		echo 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 30000) SELECT count(DISTINCT x || printf("%d", x)) FROM c;'
	done >busy.sql
	busy sqlite3 "$(yes 30000 | head -n 60)" sqlite3 :memory: '.read busy.sql'
else
	echo "skip - sqlite3 (not here)"
fi

# Its end, and ours.
begin
attach
kill -KILL "$program"
reap $recorder
status=$?
check 'the process is killed: what it had done is there' eval '[ $status = 0 ] && said "^tm-record: attached: has ended" && [ -s x.tmt ]'
exec 9>&-
wait "$program" 2>/dev/null
begin
attach
tell work
echo exec >&9
reap $recorder
status=$?
check 'it becomes another program: said' eval '[ $status = 0 ] && said "^tm-record: attached: became another program"'
check '... and the trace is whole' grep -q 'note info .*the program called exec' <(tm-dump -q x.tmt)
exec 9>&-
reap "$program"
begin
attach
kill -KILL $recorder
wait $recorder 2>/dev/null
sleep 11
tell work
check 'tm-record is killed: the recording ends by itself' grep -q 'note info .*since tm-record was gone' <(tm-dump -q x.tmt)
check '... without what came later' [ "$(tm-dump -q x.tmt | grep -c 'requested=333')" = 0 ]
end
check '... and the process is as ever' [ $? = 7 ]

# What cannot be.
refused() { # WHAT WORDS PID
	tm-record -o none.tmt --pid "$3" 2>err
	status=$?
	want=$2
	check "$1: status 3, one line" eval '[ $status = 3 ] && [ "$(wc -l <err)" = 1 ] && said "$want" && [ ! -e none.tmt ]'
}
refused 'no such process' 'no such process' 99999999
refused 'a number that is no process' 'no such process' 99999999999
refused 'no such process: 0' 'no such process' 0
begin
attach
refused 'recorded already, by another' 'is recorded already' "$program"
ln -s /dev/null device
tm-record -q -o device --pid "$program" 2>err
check '... and what is not a regular file is not removed' [ -L device ]
kill -INT $recorder
reap $recorder
kill -STOP "$program"
refused 'stopped' 'is stopped: let it go on' "$program"
kill -CONT "$program"
refused 'a thread' 'is a thread of process' "$(basename "$(printf '%s\n' /proc/"$program"/task/* | sed -n 2p)")"
tm-record --no-symbols -o /nowhere/x.tmt --pid "$program" 2>err
status=$?
check 'no place for the trace: status 3' eval '[ $status = 3 ] && said "^tm-record: /nowhere/x.tmt: cannot open"'
end
asleep() { # PID FILE: waits until the process has begun the file and sleeps
	for ((try = 0; try < 500; try++)); do
		[[ $(readlink "/proc/$1/exe") == */"$2" ]] && grep -q '^State:.S' "/proc/$1/status" && break
		sleep 0.02
	done
}
tm-record -q --no-symbols -o w.tmt sleep 30 &
recorder=$!
for ((try = 0; try < 500; try++)); do
	program=$(pgrep -P $recorder -x sleep) && break
	sleep 0.02
done
asleep "$program" sleep
refused 'recorded since its start' 'is recorded already' "$program"
kill "$program" $recorder
wait $recorder
echo 'int sleep(unsigned); int main(void) { return sleep(20); }' >doze.c
cat >nap.c <<'X'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv) {
	struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog p = {1, all};
	if (argc > 1 && *argv[1] == 'i') signal(SIGSEGV, SIG_IGN);
	if (argc > 1 && *argv[1] == 'f') { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p); }
	if (argc > 1 && *argv[1] == 'd') prctl(PR_SET_DUMPABLE, 0);
	sleep(20);
	return 0;
}
X
nap() { # COMPILER OPTION...; the program is refused with WHAT WORDS
	local what=$1 words=$2

	shift 2
	if "$@" doze.c -o doze 2>err; then
		./doze &
		program=$!
		asleep $program doze
		refused "$what" "$words" $program
		kill -9 $program
		wait $program 2>/dev/null
	else
		echo "skip - $what ($*: not here)"
	fi
}
nap 'a static program' 'is linked statically' "$CC" -static
nap 'AddressSanitizer' 'is built with AddressSanitizer' "$CC" -fsanitize=address
nap 'a program of 32 bits' 'has words of 32 bits' i686-linux-gnu-gcc
nap 'a program of musl' 'is built for the C library musl' musl-gcc
$CC nap.c -o nap
in_mode() { # WHAT WORDS COMMAND...
	local what=$1 words=$2

	shift 2
	"$@" &
	program=$!
	asleep $program nap
	refused "$what" "$words" $program
	kill $program
	wait $program 2>/dev/null
}
in_mode 'SIGSEGV ignored' 'ignores SIGSEGV' ./nap ignore
in_mode 'a filter of system calls' 'has a filter of system calls' ./nap filter
if unshare -m true 2>/dev/null; then
	in_mode 'another file system' 'sees other files than we do' unshare -m sh -c \
		"mount -t tmpfs none '$(dirname "$(readlink -f "$BIN/../lib/libtracemill-capture.so")")' && exec ./nap"
else
	echo "skip - a process that sees other files (needs root)"
fi
./nap &
program=$!
if [ "$(id -u)" = 0 ] && folder=$(nobody_folder tm-record); then
	mkdir -p "$folder/lib" && cp "$BIN/../lib/libtracemill-capture.so" "$folder/lib/" && chmod -R a+rX "$folder"
	as_nobody "$folder/bin/tm-record" -o "$folder/none.tmt" --pid $program 2>err
	status=$?
	check "another user's: status 3, one line" eval '[ $status = 3 ] && [ "$(wc -l <err)" = 1 ] && said "is another user.s"'
	rm -rf "$folder"
else
	echo "skip - another user's process (needs root)"
fi
kill $program
wait $program 2>/dev/null
for with in '--as loli' --serve --pid-children '--calls all' '--spikes x.log' '--stacks shadow' true; do
	# shellcheck disable=SC2086 # words
	tm-record -o x2.tmt --pid $$ $with 2>err
	check "--pid with $with: status 2" [ $? = 2 ]
done
exit $failed
