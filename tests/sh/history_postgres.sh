#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A history in PostgreSQL: the same answers as in a file, of a server that is started here from
# Debian's package, as a user without rights, on a socket of this folder; many writers, a writer and
# a server that are killed, locks, rights, versions, and no password in any message.
# expects: signals
# timeout: 600
# shellcheck disable=SC2034,SC2016,SC2317 # check evaluates, a trap calls
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/history.bash
. "$SRC/tests/history.bash"

postgres=
for d in /usr/lib/postgresql/*/bin; do
	[ ! -x "$d/initdb" ] || postgres=$d
done
if [ -z "$postgres" ]; then
	echo 'skip - history in PostgreSQL: no server here (postgresql-15)'
	exit 0
fi

# A socket's name is short, and a server does not run as root.
short=$(TMPDIR='' mktemp -d)
as() { env -i PATH="$PATH" LC_ALL=C.UTF-8 "$@"; }
if [ "$(id -u)" = 0 ]; then
	chown nobody "$short"
	as() { setpriv --reuid=nobody --regid=nogroup --clear-groups env -i PATH="$PATH" LC_ALL=C.UTF-8 "$@"; }
fi
stop_postgres() { # view_store.bash has a stop of its own
	(cd "$short" && as "$postgres/pg_ctl" -D "$short/data" -m immediate -w stop >/dev/null 2>&1)
	rm -rf "$short"
}
trap stop_postgres EXIT
# The configuration of the machine, if any, is not looked at.
export PGPASSFILE=/dev/null PGSERVICEFILE=/dev/null PGSYSCONFDIR=/dev/null
secret='gEh3im:;&'
echo "$secret" >"$short/password"
start() {
	(cd "$short" && as "$postgres/pg_ctl" -D "$short/data" -w -l "$short/log" \
		-o "-k $short -c listen_addresses= -c fsync=off" start >/dev/null)
}
if ! (cd "$short" && as "$postgres/initdb" -D "$short/data" -A scram-sha-256 -U tm -E UTF8 \
	--pwfile="$short/password" --no-sync >"$short/init" 2>&1) || ! start; then
	cat "$short/init" "$short/log" 2>/dev/null | tail -n 5
	echo 'not ok - a server starts'
	exit 1
fi
url="postgresql://tm:gEh3im%3a%3b%26@/postgres?host=$short"
sql() { PGPASSWORD=$secret "$postgres/psql" -h "$short" -U tm -d "${2:-postgres}" -AtqX -c "$1"; }
: >said
quiet() { ! grep -qiE 'gEh3im' said out err; } # and what was said before
keep() { cat out err >>said 2>/dev/null; }

make_builds
tm-history list "$url" >out 2>err
status=$?
check 'nothing was added yet: no history' eval '[ $status = 3 ] && grep -q "not a history" err'
keep
add_builds "$url" >out 2>err
check 'twenty builds are added' [ $? = 0 ]
store_says postgres "$url"
keep

# --- the same as in a file ---

add_builds runs.db >out 2>err
for command in 'list --table runs' 'trend --by site -n 0' 'trend --by type --sort count' \
	'change-points --by function' 'blame -n 0'; do
	# shellcheck disable=SC2086
	set -- $command
	tm-history "$1" "$url" "${@:2}" --csv 2>err | sed 's/,[^,]*$//' >of-server
	tm-history "$1" runs.db "${@:2}" --csv 2>err | sed 's/,[^,]*$//' >of-file
	check "tm-history $command: as from a file" eval '[ -s of-file ] && cmp of-server of-file'
done
sqlite3 runs.db "SELECT sql FROM sqlite_master WHERE name LIKE 'tm_%' AND sql IS NOT NULL" | grep -o 'tm_[a-z]*' | sort -u >want
sql "SELECT relname FROM pg_class WHERE relname LIKE 'tm\\_%' AND relkind = 'r' OR relname LIKE 'tm\\_%\\_%' AND relkind = 'i' AND relname !~ '(pkey|key)\$'" | sort -u >got
check 'the same tables' eval '[ "$(grep -xE "tm_(store|runs|labels|aggregates|keys|things|sums|counters)" want)" = "$(grep -xE "tm_(store|runs|labels|aggregates|keys|things|sums|counters)" got)" ]'
sqlite3 runs.db 'SELECT lower(hex(bytes)) FROM tm_aggregates ORDER BY run' | md5sum >want
sql "SELECT encode(bytes, 'hex') FROM tm_aggregates ORDER BY run" | md5sum >got
check 'the same aggregates' cmp got want

# --- many at once, and killed ---

sql 'CREATE DATABASE many'
many="postgresql://tm:gEh3im%3a%3b%26@/many?host=$short"
: >failed
for i in $(seq 101 112); do
	tm-history add -q "$many" "b$i.tmt" >/dev/null 2>>many.err || echo "$i" >>failed &
done
wait
cp many.err err
check 'twelve writers make the tables and write at once' eval '[ ! -s failed ] && [ "$(tm-history list "$many" --csv | wc -l)" = 13 ]'
"$GEN/memtracer" --frames 60 --types 40 --stacks 3000 >large.mem
for wait in 0.05 0.1 0.15 0.2 0.3 0.4 0.6; do
	tm-history add -q "$many" large.mem --build "after $wait" >/dev/null 2>&1 &
	pid=$!
	sleep $wait
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
done
tm-history add -q "$many" large.mem --build last >out 2>err
check 'writers that were killed hold nobody up' [ $? = 0 ]
check 'and leave whole runs' [ "$(sql 'SELECT count(*) FROM tm_runs r WHERE
	(SELECT count(*) FROM tm_aggregates a WHERE a.run = r.id) <> 1 OR
	(SELECT count(*) FROM tm_sums s WHERE s.run = r.id) < 5' many)" = 0 ]

# --- what is wrong with a store ---

mkfifo hold
PGPASSWORD=$secret "$postgres/psql" -h "$short" -U tm -d many -AtqX >/dev/null 2>&1 <hold &
holder=$!
exec 3>hold
echo 'BEGIN; SELECT pg_advisory_xact_lock(1953327209);' >&3
for ((i = 0; i < 600; i++)); do
	[ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted" many)" = 0 ] || break
	sleep 0.1
done
tm-history add "$many" b101.tmt --build other --wait 1 >out 2>err
status=$?
check 'locked: add says so' eval '[ $status = 3 ] && grep -q "locked by another program for more than 1 s" err && [ "$(wc -l <err)" = 1 ]'
keep
tm-history list "$many" >out 2>err
check 'and it can be looked at' [ $? = 0 ]
keep
exec 3>&-
wait $holder

sql "CREATE ROLE reader LOGIN PASSWORD 'gEh3im2'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader" many
reader="postgresql://reader:gEh3im2@/many?host=$short"
tm-history list "$reader" >out 2>err
check 'a role that may only read can look' [ $? = 0 ]
keep
tm-history add "$reader" b101.tmt --build x >out 2>err
status=$?
check 'and is refused to add' eval '[ $status = 3 ] && grep -q "permission denied" err && [ "$(wc -l <err)" = 1 ]'
keep
sql 'UPDATE tm_store SET schema_version = 99' many
for command in list add; do
	file=
	[ $command = list ] || file=b101.tmt
	tm-history $command "$many" ${file:+"$file"} >out 2>err
	status=$?
	check "a newer schema: $command" eval '[ $status = 3 ] && grep -q "newer tracemill: schema 99" err'
	keep
done

# --- no password anywhere ---

n=0
for bad in "postgresql://tm:gEh3im@/postgres?host=$short" "postgresql://tm:gEh@3im@/postgres?host=$short" \
	"postgresql://tm:gEh3im/x@/postgres?host=$short" "postgresql://tm:gEh3im%zz@/postgres" \
	"postgresql://tm:gEh3im@[::1/x" "postgresql://tm@/postgres?password=gEh3im&host=$short" \
	"postgresql://tm@/postgres?host=$short&PassWord=gEh3im" "postgresql://tm@/p?pass%77ord=gEh3im&host=$short" \
	"postgresql://tm:gEh3im@localhost:1/x" "postgresql://tm:gEh3im@no.such.host.invalid/x" \
	"postgresql://tm:gEh3im@localhost:port/x" "postgresql://:gEh3im@/x?host=$short" \
	"postgres://tm:gEh3im@/postgres?host=$short&nothing=1"; do
	for command in list add trend; do
		file=
		[ $command != add ] || file=b101.tmt
		tm-history $command "$bad" ${file:+"$file"} >out 2>err
		status=$?
		if [ $status != 3 ] || [ "$(wc -l <err)" != 1 ]; then
			n=$((n + 1))
			cat err
		fi
		keep
	done
	tm-history "$bad" list >out 2>err
	keep
	tm-history add runs.db "$bad" >out 2>err
	keep
	tm-compare --history "$bad" b101.tmt >out 2>err
	keep
done
check 'URLs that are wrong: status 3 and a line' [ $n = 0 ]
for format in text csv json markdown html; do
	tm-history trend "$url" --as $format >out 2>err
	keep
done
check 'no password in anything that was printed' quiet

# --- a server that goes ---

(cd "$short" && as "$postgres/pg_ctl" -D "$short/data" -m immediate -w stop >/dev/null 2>&1)
tm-history list "$url" >out 2>err
status=$?
check 'a server that is away is told' eval '[ $status = 3 ] && [ "$(wc -l <err)" = 1 ]'
keep
start
tm-history list "$url" --csv >out 2>err
check 'after a crash all that was added is there' eval '[ "$(wc -l <out)" = 21 ]'
keep
check 'no password, again' quiet
# --- a server of sessions ---

# shellcheck source=tests/view_store.bash
. "$SRC/tests/view_store.bash"
if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - a server of sessions: built without libmicrohttpd'
else
	folder=$url
	cp b101.tmt sent.tmt
	serve --captures kept
	equals 'tm-view --store takes a capture' "$(put sent.tmt "$send?build=sent&machine=phone")" 201
	settle
	equals 'and adds it to the same history' "$(sql "SELECT machine, status FROM tm_runs WHERE build = 'sent'")" 'phone|unknown'
	run=$(sessions '.runs[] | select(.build == "sent") | .run')
	echo 'a note' >note
	equals 'a note, twice' "$(put note "${page}note/$run") $(put note "${page}note/$run") $(sessions '.runs[] | select(.build == "sent") | .note')" '200 200 a note'
	equals 'a trend' "$(curl -s -o trend.json -w '%{http_code}' "${page}trend?by=total")" 200
	number=$(sessions '.sessions[0].id')
	equals 'the session opens' "$(curl -s -m 60 -o page.html -w '%{http_code}' "${page}session/$number/")" 200
	curl -s -m 60 -G --data-urlencode 'q=top --by function -n 20 --as csv' "${page}session/$number/ask" >got
	tm-top -q --by function -n 20 --as csv sent.tmt >want
	check 'and answers as the file does' eval '[ -s want ] && cmp got want'
	sessions . >out
	cp serve.err err
	check 'no password is told' quiet
	kill "$server"
	wait "$server"
fi
exit $failed
