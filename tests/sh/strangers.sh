#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What others have put in the way: a tracemill.ini above, views in a store, connections that say nothing,
# stacks that are nested without measure, a kill in the middle. The answer is what it is without them, or a line.
# expects: signals
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}" "${BIN:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
printf 'main;f 3\nmain;g 4\n' >x.folded
cp x.folded y.folded

# --- a tracemill.ini above: one that is obeyed ends with status 2, as it has no line that is one ---

mkdir -p above/below
below() { # STATUS WHAT [SETPRIV...]
	local want=$1 what=$2
	shift 2
	(cd above/below && "$@" timeout 20 "$BIN/tm-top" -q ../../x.folded >../../out 2>../../err </dev/null)
	status=$?
	check "tracemill.ini above: $what" eval '[ $status = '"$want"' ]'
}
echo nonsense >above/tracemill.ini
below 2 'the own one is obeyed'
chmod 666 above/tracemill.ini
below 0 'one that everybody may write to is not'
check '... and a line says so' grep -q 'tracemill.ini: ignored: it is world-writable' err
rm above/tracemill.ini
mkfifo above/tracemill.ini
below 0 'a pipe is not'
check '... and a line says so' grep -q 'ignored: it is not a regular file' err
rm above/tracemill.ini
if [ "$(id -u)" = 0 ]; then
	echo nonsense >above/tracemill.ini
	chown 65534 above/tracemill.ini
	below 0 "another user's is not"
	check '... and a line says so' grep -q 'ignored: it belongs to another user' err
	TRACEMILL_CONFIG=$PWD/above/tracemill.ini below 2 'but one that is named is'
	rm above/tracemill.ini
else
	echo "skip - another user's tracemill.ini (not root)"
fi
mkfifo above/rules
echo 'sites = rules' >above/tracemill.ini
below 2 'a pipe that it names is an error'
check '... in words' grep -q 'sites: .*rules is not a regular file' err
rm -r above

# --- a store with a view of all numbers, and a trigger ---

if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
	tm-history add --build a store.db x.folded >out 2>err
	cp store.db views.db
	python3 - <<'X'
import sqlite3
s = sqlite3.connect("views.db")
s.execute("ALTER TABLE tm_runs RENAME TO kept")
s.execute("CREATE VIEW tm_runs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
          "SELECT kept.* FROM n, kept")
s.commit()
s = sqlite3.connect("store.db")
s.execute("CREATE TRIGGER t AFTER INSERT ON tm_runs BEGIN DELETE FROM tm_things; END")
s.commit()
X
	for command in list trend change-points; do
		timeout 60 tm-history $command views.db >out 2>err
		status=$?
		check "tm-history $command: a view of all numbers ends" eval '[ $status = 3 ] && grep -q "view" err'
	done
	timeout 60 tm-compare --history views.db x.folded >out 2>err
	status=$?
	check 'tm-compare --history: so does it there' eval '[ $status = 3 ]'
	things() { python3 -c 'import sqlite3; print(sqlite3.connect("store.db").execute("SELECT COUNT(*) FROM tm_things").fetchone()[0])'; }
	before=$(things)
	tm-history add --build b store.db y.folded >out 2>err
	check "a store's trigger does not run" eval '[ "$(things)" -ge "$before" ] && [ "$before" -gt 0 ]'
else
	echo 'skip - views and triggers of a store (no python3 with sqlite3)'
fi

# --- 20,000 nested calls: written one by one n (n + 1) / 2 = 200,010,000 ---

{
	echo 'thread Main'
	for ((i = 0; i < 20000; i++)); do echo "> $i f$((i % 10))"; done
	for ((i = 19999; i >= 0; i--)); do echo "< $((40000 - i)) f$((i % 10))"; done
} | "$GEN/calls" >nested.tmt
nested() { # WHAT COMMAND...: in 64 MiB of files and 2 GB of memory
	local what=$1
	shift
	(
		ulimit -f 65536
		[ -n "${SAN-}" ] || ulimit -v 2000000
		exec timeout 300 "$@"
	) >out 2>err </dev/null
	status=$?
}
nested baseline tm-compare -q --save-baseline nested.tma nested.tmt
check '20,000 nested calls: a baseline' [ $status = 0 ]
check '... is no larger than its stacks as a tree: 20,000 records of at most 200 bytes' \
	eval '[ "$(stat -c %s nested.tma)" -lt 4000000 ]'
tm-top -q --csv --by function nested.tmt >want 2>err
nested 'read again' tm-top -q --csv --by function nested.tma
check '... and says what the capture says' cmp -s out want
nested history tm-history add nested.db nested.tmt
check '20,000 nested calls: a history' [ $status = 0 ]
for form in speedscope pprof folded; do
	nested $form tm-export -q --as $form nested.tmt
	check "20,000 nested calls: --as $form says that it cannot hold them" \
		eval '[ $status = 3 ] && grep -q "nested too deeply" err'
	[ $form = folded ] || check '... and how many they are' grep -q ' 200010000 calls, of which 20000 ' err
done

# --- 200 connections that say nothing ---

tm-view x.folded >address 2>err &
pid=$!
for _ in $(seq 100); do
	[ -s address ] && break
	sleep 0.1
done
if [ ! -s address ] || ! command -v python3 >/dev/null; then
	echo 'skip - connections that say nothing (no server, or no python3)'
else
	timeout 120 python3 - "$(cat address)" >out 2>err <<'X'
import socket, sys, time, urllib.request
url = sys.argv[1].strip()
host, port = url.split("/")[2].rsplit(":", 1)
held = []
for i in range(200):
    s = socket.create_connection((host, int(port)), 5)
    s.sendall(b"GET ")
    held.append(s)
    time.sleep(0.005)
print(urllib.request.urlopen(url, timeout=20).status)
s = socket.create_connection((host, int(port)), 5)
s.sendall(b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000000\r\n\r\n")
sent = 0
try:
    while sent < 200 << 20:
        sent += s.send(b"a" * 65536)
    print("all")
except OSError:
    print("refused")
X
	check '200 connections that say nothing keep no user out' [ "$(head -n 1 out)" = 200 ]
	check 'a body without an end is not read on' [ "$(sed -n 2p out)" = refused ]
fi
kill $pid
wait $pid 2>/dev/null

# --- killed while it writes ---

# Until it is complete the file has no name, where the file system can.
mkfifo wait
env -u BASH_ENV bash -c '
	exec 3<>wait
	tm-export -q --as sqlite -o killed.db - <&3 3<&- &
	for ((i = 0; i < 300; i++)); do
		readlink /proc/$!/fd/* | grep -F "$PWD/" | grep -v /wait >seen && break
		sleep 0.1
	done
	kill -KILL $!
	wait $!' 2>/dev/null
check 'tm-export --as sqlite that is killed leaves nothing' eval '[ -s seen ] && ! compgen -G "killed.db*" >/dev/null'

# --- a trace whose modules have no build-ids: as a file and through a pipe ---

"$GEN/trace" --module "$BIN/tm-dump" --base 0x10000 --address 0x10100 >by_path.tmt
tm-top -q --csv --by function by_path.tmt >want 2>err
tm-top -q --csv --by function <by_path.tmt >out 2>err
check 'no name from a file that no build-id proves: a file and a pipe say the same' cmp -s out want

exit $failed
