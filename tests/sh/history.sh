#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A history in a SQLite file: what it says of captures with known sums, many writers at once, a
# writer that is killed, and what is wrong with a store: locked, full, read-only, newer, damaged.
# expects: signals
# timeout: 600
# shellcheck disable=SC2034,SC2016 # check evaluates
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/nobody.bash
. "$SRC/tests/nobody.bash"
# shellcheck source=tests/history.bash
. "$SRC/tests/history.bash"

make_builds
add_builds runs.db 2>err
check 'twenty builds are added' [ $? = 0 ]
store_says sqlite runs.db

# --- owners, and rules about each of them ---

printf '[Art]\nfunction ^Texture::\nfunction ^Mesh::\n[Sound]\nfunction ^Audio::\n' >owners.txt
for i in $(seq 101 120); do
	tm-history add -q owned.db "b$i.tmt" --owners owners.txt --date "2026-10-$((i - 91))" >/dev/null 2>>err
done
tm-history change-points owned.db --by owner --alpha 0.01 --csv >steps.csv 2>err
check 'the owner of what stepped, and no other' eval '[ "$(columns steps.csv direction key name build_before build)" = "up owner Art b114 b115" ]'
printf '[rule team]\nmetric = requested\nkey = owner\neach = yes\npercent = 2\n' >team.ini
tm-history trend owned.db --rules team.ini --csv >team.csv 2>err
columns team.csv rule name build value | sort >got
truth_by_function | awk '{ sum["team " ($2 ~ /^Audio/ ? "Sound" : "Art") " " $1] += $3 } END { for (k in sum) printf "%s %.3f\n", k, sum[k] }' | sort >want
check 'a series for each owner of a rule' cmp got want
tm-history change-points owned.db --rules team.ini --alpha 0.01 --csv >steps.csv 2>err
check 'steps per rule and owner' eval '[ "$(columns steps.csv direction rule name build)" = "up team Art b115" ]'

# --- adding ---

tm-history add runs.db b101.tmt --branch main --machine m1 --csv >out 2>err
check 'what is added again was there' grep -q '^1,b101,was there,b101.tmt' out
tm-history add runs.db b101.tmt --branch main --machine m1 --status red --csv >out 2>err
check 'and its status changes' eval 'grep -q "^1,b101,status changed" out &&
	[ "$(tm-history list runs.db --csv --status red | columns /dev/stdin build)" = b101 ]'
tm-history add -q runs.db b101.tmt --branch main --machine m1 --status green >/dev/null

tm-compare -q --save-baseline b101.tma b101.tmt 2>err
tm-history add made.db b101.tma b102.tmt --date 2026-10-01 >/dev/null 2>err
tm-history add made2.db b101.tmt b102.tmt --date 2026-10-01 >/dev/null 2>>err
check 'an aggregate is what its capture is' eval '[ "$(tm-history trend made.db --by site --csv)" = "$(
	tm-history trend made2.db --by site --csv)" ]'
tm-history add made.db b101.tma --focus x >out 2>err
check 'but nothing can be chosen from it' [ $? = 3 ]
tm-history add -q made.db missing.tmt b103.tmt >out 2>err
status=$?
check 'one that cannot be read is told, and the others are added' eval '[ $status = 3 ] && grep -q "^tm-history: missing.tmt: " err &&
	[ "$(tm-history list made.db --csv | wc -l)" = 4 ]'
tm-history add -q made.db --build z --label suite=menus --label lang=de - <b104.tmt >/dev/null 2>err
check 'standard input, with labels' eval '[ "$(tm-history list made.db --label suite=menus --csv | columns /dev/stdin build labels)" = "z lang=de suite=menus" ]'
check 'labels choose' eval '[ "$(tm-history list made.db --label suite=others --csv | wc -l)" = 1 ]'
printf 'name;\377\200 \033[31m' >odd
tm-history add -q made.db --build "$(cat odd)" b105.tmt >/dev/null 2>err
status=$?
check 'a label of any bytes' eval '[ $status = 0 ] && ! tm-history list made.db | grep -q "$(printf "\033")"'

# --- many at once ---

: >failed
for i in $(seq 101 112); do
	tm-history add -q many.db "b$i.tmt" >/dev/null 2>>many.err || echo "$i" >>failed &
done
wait
cp many.err err
check 'twelve writers make a store and write to it at once' eval '[ ! -s failed ] && [ "$(tm-history list many.db --csv | wc -l)" = 13 ]'
check 'each with all that it is' eval '[ "$(tm-history trend many.db --by function -n 0 --csv | wc -l)" = 37 ]'

# --- killed ---

"$GEN/memtracer" --frames 60 --types 40 --stacks 3000 >large.mem
cp runs.db killed.db
for wait in 0.02 0.05 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.7; do
	tm-history add -q killed.db large.mem --build "after $wait" >/dev/null 2>&1 &
	pid=$!
	sleep $wait
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
done
check 'a store whose writers were killed is sound' [ "$(sqlite3 killed.db 'PRAGMA integrity_check')" = ok ]
check 'its runs are whole: an aggregate, keys, sums' [ "$(sqlite3 killed.db 'SELECT count(*) FROM tm_runs r WHERE
	(SELECT count(*) FROM tm_aggregates a WHERE a.run = r.id) <> 1 OR
	(SELECT count(*) FROM tm_keys k WHERE k.run = r.id) < 5 OR
	(SELECT count(*) FROM tm_sums s WHERE s.run = r.id) < 5')" = 0 ]
check 'nothing is there of what is not' [ "$(sqlite3 killed.db 'SELECT count(*) FROM tm_sums s WHERE NOT EXISTS
	(SELECT 1 FROM tm_runs r WHERE r.id = s.run)')" = 0 ]
check 'and the others are as they were' eval '[ "$(tm-history trend killed.db --branch main --by function -n 0 --csv)" = "$(
	tm-history trend runs.db --branch main --by function -n 0 --csv)" ]'
tm-history add -q killed.db large.mem --build last >out 2>err
check 'it can be written to' [ $? = 0 ]

# --- what is wrong with a store ---

refused() { # WHAT STATUS TEXT STORE: list and add, one line each, and the bytes of the store stay
	local what=$1 want=$2 text=$3 store=$4 command

	cp "$store" before
	for command in "list $store" "add $store b101.tmt" "trend $store" "blame $store"; do
		# shellcheck disable=SC2086
		tm-history $command >out 2>err
		status=$?
		check "$what: tm-history ${command%% *}" eval '[ $status = $want ] && [ "$(wc -l <err)" = 1 ] &&
			grep -q "^tm-history: $store: .*$text" err && [ ! -s out ]'
	done
	check "$what: nothing is written" cmp -s before "$store"
}

# Stores of older versions, as those had made them, are read as they are.
for old in 5:waiting_ns 3:period; do
	tm-history trend --csv runs.db >new.csv 2>err
	sqlite3 runs.db 'VACUUM INTO "old.db"'
	sqlite3 old.db 'ALTER TABLE tm_sums DROP COLUMN waiting_ns' "UPDATE tm_store SET schema_version = ${old%:*}"
	[ "${old%:*}" -gt 3 ] || sqlite3 old.db 'ALTER TABLE tm_sums DROP COLUMN period' \
		'ALTER TABLE tm_runs DROP COLUMN arguments' 'ALTER TABLE tm_runs DROP COLUMN exit_status'
	chmod a-w old.db
	check "a store of schema ${old%:*}, without ${old#*:}" eval '[ -s new.csv ] && tm-history trend --csv old.db 2>err | cmp -s - new.csv'
	rm -f old.db
done

sqlite3 runs.db 'VACUUM INTO "newer.db"' 'VACUUM INTO "other.db"' 'VACUUM INTO "cut.db"'
sqlite3 newer.db 'UPDATE tm_store SET schema_version = 99'
refused 'a newer schema' 3 'newer tracemill: schema 99, the newest known schema is 6' newer.db
echo 'this is no database, but a text that is long enough to be looked at as one, so to say' >junk.db
refused 'no database' 3 'not a database' junk.db
rm -f other.db && sqlite3 other.db 'CREATE TABLE t(x)'
tm-history list other.db >out 2>err
status=$?
check "another program's database" eval '[ $status = 3 ] && grep -q "not a history" err'
tm-history list missing.db >out 2>err
status=$?
check 'a store that is not there is not made by looking' eval '[ $status = 3 ] && [ ! -e missing.db ] && grep -q "No such file" err'
tm-history add -q no/such/folder.db b101.tmt >out 2>err
check 'nor is a folder' [ $? = 3 ]

size=$(wc -c <cut.db)
bad=0
for part in 1 3 5 8 10 13 15 17 19; do
	head -c $((size * part / 20)) cut.db >cut2.db
	for command in 'list cut2.db' 'trend cut2.db --by function' 'blame cut2.db --from b114 --to b115' 'add -q cut2.db b104.tmt --build x'; do
		# shellcheck disable=SC2086
		tm-history $command >out 2>err
		status=$?
		[ $status = 3 ] || [ $status = 0 ] || [ $status = 5 ] || [ $status = 2 ] || bad=$((bad + 1))
		[ $status != 3 ] || [ "$(wc -l <err)" = 1 ] || bad=$((bad + 1))
	done
	rm -f cut2.db-*
done
check 'cut at nine places: an error in one line, or what is sound' [ $bad = 0 ]
for seed in $(seq 1 40); do
	awk -v seed="$seed" -v size="$size" 'BEGIN { srand(seed); for (i = 0; i < 20; i++) print int(rand() * size), int(rand() * 256) }' >places
	cp cut.db flipped.db
	while read -r at byte; do
		printf '%b' "\\x$(printf %02x "$byte")" | dd of=flipped.db bs=1 seek="$at" conv=notrunc 2>/dev/null
	done <places
	for command in list 'trend --by function' 'blame --from b114 --to b115'; do
		# shellcheck disable=SC2086
		tm-history $command flipped.db >out 2>err
		status=$?
		[ $status -le 5 ] || { bad=$((bad + 1)); cp flipped.db "bad-$seed.db"; }
	done
done
check 'bytes changed in forty copies: no crash' [ $bad = 0 ]
sqlite3 cut.db "UPDATE tm_aggregates SET bytes = substr(bytes, 1, length(bytes) - 30) WHERE run = 15"
tm-history blame cut.db --from b114 --to b115 >out 2>err
status=$?
check 'a damaged aggregate is named' eval '[ $status = 3 ] && grep -q "damaged: the aggregate of run .#15.: byte" err'

sqlite3 cut.db 'PRAGMA writable_schema = ON' "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'tm_runs'"
sqlite3 cut.db 'UPDATE tm_runs SET date = NULL, added = NULL, build = NULL, status = NULL, captures = NULL WHERE id > 10' 'UPDATE tm_sums SET run = -1 WHERE rowid % 3 = 0' 2>/dev/null
for command in list trend 'trend --by site --as html' change-points 'blame --from b101 --to b102'; do
	# shellcheck disable=SC2086
	set -- $command
	tm-history "$1" cut.db "${@:2}" >out 2>err
	status=$?
	check "what is missing in the tables: tm-history $command" [ $status -le 5 ]
done

mkfifo hold
sqlite3 runs.db >/dev/null <hold &
holder=$!
exec 3>hold
printf '.timeout 60000\nBEGIN IMMEDIATE;\n' >&3
for ((i = 0; i < 600; i++)); do
	sqlite3 runs.db 'BEGIN IMMEDIATE; ROLLBACK' 2>/dev/null || break
	sleep 0.1
done
tm-history add runs.db b102.tmt --build other --wait 1 >out 2>err
status=$?
check 'a locked store: add says so' eval '[ $status = 3 ] && grep -qx "tm-history: runs.db: locked by another program for more than 1 s" err'
tm-history list runs.db >out 2>err
check 'and can be looked at' [ $? = 0 ]
exec 3>&-
wait $holder

(
	trap '' XFSZ
	ulimit -f $(($(wc -c <runs.db) / 1024 + 40))
	tm-history add -q runs.db large.mem --build full >out 2>err
	echo $? >status
)
check 'a full disk is an error' eval '[ "$(cat status)" = 3 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^tm-history: runs.db: " err'
check 'of which nothing is left' eval '[ "$(sqlite3 runs.db "PRAGMA integrity_check")" = ok ] && [ "$(tm-history list runs.db --csv | wc -l)" = 21 ]'

chmod a-w runs.db
open=$(nobody_folder tm-history) || exit 1
mkdir "$open/still" && cp runs.db "$open/still/" && cp b101.tmt "$open/" && chmod a-w "$open/still/runs.db" "$open/still"
chmod a+r "$open/still/runs.db" "$open/b101.tmt"
(cd "$open" && as_nobody bin/tm-history list still/runs.db --csv) >out 2>err
status=$?
check 'a store where nothing can be written is looked at' eval '[ $status = 0 ] && [ "$(wc -l <out)" = 21 ]'
(cd "$open" && as_nobody bin/tm-history add still/runs.db b101.tmt --build x) >out 2>err
status=$?
check 'but not added to' eval '[ $status = 3 ] && grep -q "^tm-history: still/runs.db: read-only; nothing was written" err'
mkdir still && cp runs.db still/
chmod -R u+w "$open" && rm -rf "$open"

# --- who looks leaves nothing, while somebody adds neither ---

mkdir clean && cp still/runs.db clean/ && chmod u+w clean/runs.db
while IFS= read -r reader; do
	eval "$reader" >out 2>err
	check "$reader: leaves nothing beside the store" eval '[ -s out ] && [ "$(ls clean)" = runs.db ]'
done <<'X'
tm-history list clean/runs.db
tm-history trend clean/runs.db --by function
tm-history change-points clean/runs.db
tm-history blame clean/runs.db --from b114 --to b115
tm-history trend clean/runs.db -n 1 | head -n 1
tm-compare --history clean/runs.db b101.tmt
X
cp clean/runs.db clean/before.db
for i in 1 2 3 4; do
	for k in 1 2 3 4 5; do tm-history list clean/runs.db --csv >clean.$i 2>>err.$i || echo "reader $i" >>wrong; done &
	tm-history add clean/runs.db b101.tmt --build "more$i" >/dev/null 2>>err || echo "writer $i" >>wrong
done
wait
check 'readers beside writers' [ ! -e wrong ]
check 'what they added is there' eval '[ $(($(tm-history list clean/runs.db --csv | wc -l) - $(tm-history list clean/before.db --csv | wc -l))) = 4 ]'
check 'the store is whole, and alone' eval '[ "$(sqlite3 clean/runs.db "PRAGMA integrity_check")" = ok ] && [ "$(ls clean | tr "\n" " ")" = "before.db runs.db " ]'

# A journal, of whoever, is not obeyed by who only looks.
mkdir strange && cp clean/before.db strange/runs.db
head -c 4096 /dev/urandom >strange/runs.db-journal
cksum strange/runs.db strange/runs.db-journal >strange.sums
tm-history list strange/runs.db >out 2>err
check 'a journal beside the store is left alone' eval 'cksum strange/runs.db strange/runs.db-journal | cmp -s - strange.sums'

# --- a page ---

tm-history trend still/runs.db --by function -o trend.html 2>err
check 'a page names the planted regression' eval 'grep -q "latest_step_up: requested of function Texture::load by .* with build b115; most of it in Texture::load" trend.html'
check 'and nothing beyond itself' eval '! grep -Eqi "(src|href)=\"?[a-z]*:?//|@import|url\(" trend.html'
check 'has charts without scripts' eval '[ "$(grep -c "<svg class=.still" trend.html)" = 3 ]'
tm-history trend still/runs.db --by function --as json >out 2>err
check 'JSON is valid' eval 'jq -e ".sections | length > 5" out >/dev/null'
if python3 -c 'import jsonschema' 2>/dev/null; then
	check 'by its schema' python3 -c 'import json, sys, jsonschema
jsonschema.validate(json.load(open("out")), json.load(open(sys.argv[1])))' "$SRC/man/tracemill-report.schema.json"
fi
exit $failed
