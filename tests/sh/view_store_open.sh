#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Sessions of a store that are opened: each answers as tm-view FILE does, and two as tm-view FILE FILE. More than may be
# open at a time, what cannot be read, who may open them, what a question may name, and limits.
# timeout: 300
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/view_store.bash
. "$SRC/tests/view_store.bash"
if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - opened sessions: built without libmicrohttpd'
	exit 0
fi

"$GEN/trace" --seed 3 --allocs 20000 --live 500 --stacks 300 --frames 50 >a.tmt
"$GEN/trace" --seed 4 --allocs 30000 --live 700 --stacks 320 --frames 50 >b.tmt
printf 'no capture at all\n' >junk.txt
printf '[rule r]\nmetric = requested\npercent = 1\n' >gate.ini
printf '[rule r]\nmetric = requested\npercent = 1\n' >other.ini
code() { curl -s -m 60 -o reply -w '%{http_code}' "$@"; }
ask() { # SESSIONS QUESTION
	curl -s -m 60 -G --data-urlencode "q=$2" "${page}session/$1/ask"
}
state() { # SESSIONS FILTER of jq
	curl -s -m 60 "${page}session/$1/state" | jq -r "$2"
}

serve --gate gate.ini
put a.tmt "$send?build=1" >/dev/null
put b.tmt "$send?build=2" >/dev/null
put junk.txt "$send" >/dev/null
put "$DATA/unity/bad-cut.raw" "${send}cut.raw" >/dev/null
cp "$DATA/heap/il2cpp.snap" heap.snap
put heap.snap "$send" >/dev/null

# --- one, and two ---

equals 'the page, and its files' "$(code "${page}session/1/") $(code "${page}session/1/main.js") $(code "${page}session/1/nothing.js")" '200 200 404'
equals 'the address may come from a chat' "$(code -H 'Sec-Fetch-Site: cross-site' "${page}session/1/") $(code -H 'Sec-Fetch-Site: cross-site' "${page}session/1/state")" '200 403'
equals 'what is loaded' "$(state 1 '.files[] | "\(.name) \(.error) \(.taken_percent)"')" 'session-1/a.tmt null 100'
equals 'and where the list is' "$(state 1 .home)" ../../
for q in 'top --by function -n 20 --as csv' 'frames --as csv' 'top --tree -n 30 --as csv' 'export --as folded'; do
	ask 1 "$q" >got
	# shellcheck disable=SC2086 # words
	tm-${q%% *} -q ${q#* } a.tmt >want 2>err
	check "$q is that of the file" cmp got want
	check '... and is no empty one' [ "$(wc -l <got)" -gt 5 ]
done
ask 1-2 'compare --by site --as csv' >got
tm-compare -q --by site --as csv a.tmt b.tmt >want
check 'two are compared' cmp got want
ask 2-1 'compare --by site --as csv' >got
tm-compare -q --by site --as csv b.tmt a.tmt >want
check 'in the order of the address' cmp got want
equals 'by the policy' "$(ask 1-2 'compare --gate gate.ini' | jq -c '.sections[] | select(.kind == "checks") | .counts.fail')" \
	"$(tm-compare -q --gate gate.ini --as json a.tmt b.tmt | jq -c '.sections[] | select(.kind == "checks") | .counts.fail')"
equals 'a heap' "$(ask 5 'heap --as csv -n 5')" "$(tm-heap -q --as csv -n 5 heap.snap)"

# --- what cannot be read ---

check 'what is no capture says so' eval '[[ "$(state 3 ".files[0].error")" = "unknown capture format"* ]]'
check 'as does its answer' eval '[[ "$(ask 3 top)" = *"unknown capture format"* ]]'
check 'what is cut shows its loss' eval '[ "$(state 4 "[.files[0].notes[] | select(.severity == \"loss\")] | length")" -gt 0 ]'

# --- who, and what ---

token() { awk -v role="$1" '$1 == role { print $2 }' store/tokens; }
root=http://127.0.0.1:$port
equals 'who uploads opens nothing, who reads does' "$(code "$root/$(token upload)/session/1/") $(code "$root/$(token read)/session/1/state")" '403 200'
equals 'a token in a header' "$(code -H "Authorization: Bearer $(token read)" "$root/session/1/state")" 200
equals 'what is not there' "$(code "${page}session/99/") $(code "${page}session/1-99/state") $(code "${page}session/0/") $(code "${page}session/1") $(code "${page}session/1-/") $(code "${page}session/x/") $(code "${page}session/1-2-3/")" \
	'404 404 400 400 400 400 400'
equals 'only GET' "$(code -X POST -d x "${page}session/1/state")" 405
for q in "top $PWD/b.tmt" 'top session-2/b.tmt' 'top store/captures/x' 'compare --gate other.ini' 'top --output x' 'compare --history store/history.db' "top --source-dir $PWD"; do
	curl -s -m 60 -i -G --data-urlencode "q=$q" "${page}session/1/ask" >got
	check "not: $q" grep -Eqi 'not(%20| )(given|allowed)' got
done

# --- more than are open at a time, and again ---

for ((i = 0; i < 12; i++)); do put a.tmt "${send}n.tmt?build=n$i" >/dev/null; done
events=$(state 1 '.files[0].events')
bad=0
for round in 1 2; do
	for ((i = 6; i < 18; i++)); do [ "$(state $i '.files[0].events')" = "$events" ] || bad=$((bad + 1)); done
done
equals 'twelve one after the other, twice' "$events $bad" "$(state 1 '.files[0].events') 0"
for ((i = 6; i < 18; i++)); do state $i '.files[0].events' >at.$i & done
# shellcheck disable=SC2046 # numbers
wait $(jobs -p | grep -v "^$server\$")
check 'twelve at once: none has another answer' eval '! cat at.* 2>/dev/null | grep -vqx -e "$events" -e ""'
equals 'the first again' "$(ask 1 'top --by function -n 20 --as csv' | md5sum)" "$(tm-top -q --by function -n 20 --as csv a.tmt | md5sum)"

# --- limits ---

stop
status=$?
check 'it ends in order' [ $status = 0 ]
"$GEN/trace" --seed 5 --allocs 6000000 --live 500 --stacks 300 --frames 5 >long.tmt
serve --time-limit 1
put long.tmt "$send" >/dev/null
n=$(sessions '.sessions[-1].id')
equals 'one that takes too long says so, or is there' "$(state "$n" '.files[0] | if .error then (.error | startswith("reading it took longer")) else .events > 6000000 end')" true
equals 'the others are answered' "$(state 1 '.files[0].events')" "$events"
curl -s -m 1 -o /dev/null "${page}session/$n/state"
equals 'also where nobody waits' "$(code "${page}sessions")" 200
stop
status=$?
check 'it ends in the middle' [ $status = 0 ]
serve --keep-last 1
settle
for ((i = 0; i < 50; i++)); do [ "$(sessions '.sessions[0].kept')" = false ] && break; sleep 0.1; done
equals 'what is no longer kept' "$(code "${page}session/1/") $(cat reply)" '410 the capture is no longer kept'
stop
exit $failed
