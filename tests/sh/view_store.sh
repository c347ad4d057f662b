#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A server of sessions, tm-view --store, with curl as the testers have it: uploads, what is told of them, what goes on
# after a break, who may do what, what is refused, and a full disk. Digests are sha256sum's, sums are tm-history's.
# timeout: 600
# expects: signals
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/view_store.bash
. "$SRC/tests/view_store.bash"
if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - a server of sessions: built without libmicrohttpd'
	exit 0
fi

"$GEN/trace" --seed 3 --allocs 20000 --live 500 --stacks 300 --frames 50 >a.tmt
"$GEN/trace" --seed 4 --allocs 30000 --live 700 --stacks 320 --frames 50 >b.tmt
head -c 3000000 /dev/urandom >big.bin
: >err

# --- an upload is what it was, and is added up as tm-history adds it ---

serve
check 'it serves, on loopback' eval '[[ $page = http://127.0.0.1:*/ && $send = http://127.0.0.1:*/upload/ ]]'
labels='build=1.0&branch=main&machine=pixel7&suite=menus&date=2026-10-01'
equals 'a capture is stored' "$(put a.tmt "$send?$labels")" 201
equals 'and said to be' "$(cat reply)" 'session 1: stored'
equals 'a second time it was there' "$(put a.tmt "$send?$labels") $(cat reply)" '200 session 1: was there'
equals 'the order of labels does not matter' "$(put a.tmt "${send}a.tmt?suite=menus&date=2026-10-01&machine=pixel7&branch=main&build=1.0")" 200
equals 'other labels are another session' "$(put a.tmt "$send?build=1.1&branch=main&date=2026-10-02")" 201
equals 'of the same bytes one file is kept' "$(find store/captures -type f | wc -l)" 1
equals 'by its SHA-256' "$(basename store/captures/*)" "$(sha256sum <a.tmt | cut -d' ' -f1)"
equals 'other bytes of the same name and labels are another session' "$(put b.tmt "${send}a.tmt?$labels")" 201
check 'what is kept is what was sent' cmp store/captures/"$(sha256sum <b.tmt | cut -d' ' -f1)" b.tmt
settle
tm-history add -q other.db a.tmt --build 1.0 --branch main --machine pixel7 --label suite=menus --date 2026-10-01 >/dev/null 2>err
equals 'its sums are those of tm-history add' \
	"$(tm-history trend store/history.db --by function --csv -n 0 --branch main --machine pixel7 --last 1 --build 1.0 --label suite=menus | cut -d, -f1-4 | sort | head -n 3 | wc -l)" 3
sqlite3 store/history.db 'SELECT t.key, t.name, s.count, s.requested FROM tm_sums s JOIN tm_things t ON t.id = s.thing WHERE s.run = 1 ORDER BY 1, 2, 3, 4' >got
sqlite3 other.db 'SELECT t.key, t.name, s.count, s.requested FROM tm_sums s JOIN tm_things t ON t.id = s.thing ORDER BY 1, 2, 3, 4' >want
check 'row by row' cmp got want
equals 'labels have their places' "$(sqlite3 store/history.db 'SELECT build, branch, machine, date FROM tm_runs WHERE id = 1; SELECT name, value FROM tm_labels WHERE run = 1')" \
	"$(sqlite3 other.db 'SELECT build, branch, machine, date FROM tm_runs; SELECT name, value FROM tm_labels')"
curl -s "${page}capture/1" >back
check 'a capture can be had again' cmp back a.tmt

# --- frame times: of 100 frames that take 1 to 100 ms in turn, 99 % take at most 99 ms ---

{
	echo 'thread Main'
	for ((i = 1, t = 0; i <= 100; t += i, i++)); do printf '> %d000000 Frame\n< %d000000 Frame\n' "$t" $((t + i)); done
} | "$GEN/calls" >calls.tmt
equals 'a capture without marks of frames is taken' "$(put calls.tmt "$send")" 201
cp "$DATA/unity/small.raw" frames.raw
equals 'and one with frames' "$(put frames.raw "$send")" 201
settle
equals 'no frames: no time of theirs' "$(sessions '.sessions[] | select(.name == "calls.tmt") | .p99_ns')" null
equals 'the time of 99 % of the frames is that of tm-frames' "$(sessions '.sessions[] | select(.name == "frames.raw") | .p99_ns')" \
	"$(tm-frames -q --as json frames.raw | jq -r '.sections[] | select(.name == "statistics") | .rows[] | select(.statistic == "p99") | .duration_ns')"

# --- what cannot be read says why ---

printf 'no capture at all\n' >junk.txt
equals 'what is no capture is stored, too' "$(put junk.txt "$send")" 201
check '... and who sent it is told' eval '[[ "$(cat reply)" = "session "*": stored, but it is no capture that can be read: unknown capture format"* ]]'
cp "$DATA/unity/bad-cut.raw" cut.tmt
equals 'and what is cut' "$(put cut.tmt "$send")" 201
settle
check 'what is no capture is listed with the reason' eval '[[ "$(sessions ".sessions[] | select(.name == \"junk.txt\") | .state + \": \" + .reason")" = "failed: unknown capture format"* ]]'
check 'what is cut is added, with its loss' eval '[ "$(sessions ".sessions[] | select(.name == \"cut.tmt\") | .state")" = added ] &&
	[ "$(sessions ".runs[] | select(.file == \"cut.tmt\") | .losses")" -ge 1 ]'

# --- a break, and on ---

at="${send}big.bin?build=2"
head -c 1234567 big.bin >part.bin
equals 'nothing is there yet' "$(told "$at" 3000000) $(curl -s -o reply -w '%{http_code}' -I -H 'Upload-Length: 3000000' "$at")" '  404'
equals 'HEAD says of which file' "$(curl -s -o reply -w '%{http_code}' -I "$at") $(curl -s -o reply -w '%{http_code}' -I -H 'Upload-Length: 3x' "$at")" '400 400'
equals 'a part, by its range' "$(put part.bin "$at" -H 'Content-Range: bytes 0-1234566/3000000')" 202
equals 'how much is there' "$(told "$at" 3000000)" '1234567 ?0'
equals 'it does not go on elsewhere' "$(put big.bin "$at" -C 1000000)" 409
equals 'but where it says' "$(put big.bin "$at" -C 1234567)" 201
equals 'then all is there, and nothing goes on' "$(told "$at" 3000000)" ' ?1'
check 'byte for byte' cmp store/captures/"$(sha256sum <big.bin | cut -d' ' -f1)" big.bin
equals 'nothing is left of it' "$(find store/incoming -type f | wc -l)" 0
at="${send}big.bin?build=3"
curl -s -m 60 --limit-rate 700k -T big.bin "$at" >/dev/null &
slow=$!
sleep 1.5
equals 'the same upload is refused while it is under way' "$(put big.bin "$at")" 423
check 'it is seen to arrive' eval '[ "$(sessions ".arrivals[] | .name + \" \" + (.live | tostring)")" = "big.bin true" ]'
kill -9 $slow
wait $slow 2>/dev/null
for ((i = 0; i < 100; i++)); do [ "$(sessions '.arrivals[0].live')" = false ] && break; sleep 0.1; done
had=$(told "$at" 3000000)
check 'a client that is killed leaves what came' eval '[ "${had% *}" -gt 0 ] && [ "${had% *}" -lt 3000000 ]'
end_hard
serve
equals 'as does the server' "$(told "${send}big.bin?build=3" 3000000)" "$had"
equals 'and it goes on' "$(put big.bin "${send}big.bin?build=3" -C "${had% *}")" 201
put part.bin "${send}other.bin" -H 'Content-Range: bytes 0-1234566/2000000' >/dev/null
equals 'what is of a file of another length does not go on' "$(put big.bin "${send}other.bin" -C 1234567)" 409
equals 'it begins again' "$(put big.bin "${send}other.bin")" 201

# Another file of the same name and labels, by the lines of the manual: HEAD says no offset that PUT refuses, nor one that
# curl takes for the end of a shorter file.
go_on() { # FILE ADDRESS CURL'S OPTIONS: the status of HTTP, and curl's
	local n

	n=$(curl -sI -H "Upload-Length: $(stat -c %s "$1")" "${@:3}" "$2" | sed -n 's/^Upload-Offset: \([0-9]*\).*/\1/p')
	curl -s -m 60 -o reply -w '%{http_code}' --fail -C "${n:-0}" -T "$1" "${@:3}" "$2"
	echo " $?"
}
tail -c 1000000 big.bin >short.bin
tail -c 2500000 big.bin >longer.bin
head -c 3000000 /dev/zero >zero.bin
for other in short longer; do
	at="${send}other.bin?build=$other"
	equals "a part, before a $other file" "$(put part.bin "$at" -H 'Content-Range: bytes 0-1234566/2000000')" 202
	equals "of a $other file nothing is there" "$(told "$at" "$(stat -c %s $other.bin)")" ' '
	equals "a $other file begins anew" "$(go_on $other.bin "$at")" '201 0'
	check "a $other file is whole" cmp store/captures/"$(sha256sum <$other.bin | cut -d' ' -f1)" $other.bin
	equals "the file before a $other one begins anew, too" "$(go_on big.bin "$at")" '201 0'
	equals "a $other file of the same length as what is whole, too" "$(go_on zero.bin "$at")" '201 0'
done
at="${send}other.bin?build=same"
put part.bin "$at" -H 'Content-Range: bytes 0-1234566/3000000' >/dev/null
equals 'the same file goes on' "$(told "$at" 3000000) $(go_on big.bin "$at")" '1234567 ?0 201 0'
digest() { echo "Repr-Digest: sha-256=:$(python3 -c 'import base64, hashlib, sys
print(base64.b64encode(hashlib.sha256(open(sys.argv[1], "rb").read()).digest()).decode())' "$1"):"; }
at="${send}other.bin?build=digest"
put part.bin "$at" -H 'Content-Range: bytes 0-1234566/3000000' -H "$(digest big.bin)" >/dev/null
equals 'a file of the same length and another digest begins anew' "$(go_on zero.bin "$at" -H "$(digest zero.bin)")" '201 0'
put part.bin "$at" -H 'Content-Range: bytes 0-1234566/3000000' -H "$(digest big.bin)" >/dev/null
equals 'the file of the digest goes on' "$(go_on big.bin "$at" -H "$(digest big.bin)")" '201 0'
equals 'bytes that are not those of the digest are refused' "$(put zero.bin "${send}wrong.bin" -H "$(digest big.bin)")" 400
equals '... and are no longer there' "$(told "${send}wrong.bin" 3000000)" ' '
equals 'a digest that is none is refused' "$(put zero.bin "${send}wrong.bin" -H 'Repr-Digest: sha-256=:x:')" 400
equals 'in chunks, with no length' "$(curl -s -o reply -w '%{http_code}' -T - "${send}piped.bin" <big.bin)" 201
equals 'one file for all of big.bin' "$(find store/captures -size +2000k | wc -l)" 3

# --- who may do what ---

token() { awk -v role="$1" '$1 == role { print $2 }' store/tokens; }
root=http://127.0.0.1:$port
code() { curl -s -m 60 -o reply -w '%{http_code}' "$@"; }
equals 'no token' "$(code "$root/sessions") $(code "$root/") $(put a.tmt "$root/upload/")" '403 403 403'
equals 'a wrong one' "$(code "$root/$(token read | tr 0-9a-f 1-9a-f0)/sessions") $(put a.tmt "$root/$(token upload)x/upload/")" '403 403'
equals 'who uploads reads nothing' "$(code "$root/$(token upload)/sessions") $(code "$root/$(token upload)/capture/1") $(code "$root/$(token upload)/")" '403 403 403'
equals 'who reads uploads nothing, and writes no notes' "$(put a.tmt "$root/$(token read)/upload/") $(put junk.txt "$root/$(token read)/note/1")" '403 403'
equals 'who reads reads' "$(code "$root/$(token read)/sessions") $(code "$root/$(token read)/capture/1")" '200 200'
equals 'a token in a header' "$(put a.tmt "$root/upload/h.tmt" -H "Authorization: Bearer $(token upload)") $(code -H "Authorization: Bearer $(token read)" "$root/sessions")" '201 200'
equals 'a wrong one there' "$(code -H "Authorization: Bearer no" "$root/sessions")" 403
equals 'by another name' "$(code -H 'Host: evil.example' "${page}sessions")" 403
equals 'from the page of another site' "$(code -H 'Origin: http://evil.example' "${page}sessions") $(code -H 'Sec-Fetch-Site: cross-site' "${page}sessions")" '403 403'
equals 'tokens are for nobody else to read' "$(stat -c %a store/tokens store/sessions)" $'600\n700'

# --- notes ---

printf 'slow after 10 minutes <b>&"\n' >note.txt
equals 'a note' "$(put note.txt "${page}note/1")" 200
equals 'is there' "$(sessions '.runs[0].note')" 'slow after 10 minutes <b>&"'
equals 'also for tm-history' "$(sqlite3 store/history.db "SELECT value FROM tm_labels WHERE run = 1 AND name = 'note'")" 'slow after 10 minutes <b>&"'
: >empty.txt
equals 'and goes away' "$(put empty.txt "${page}note/1") $(sessions '.runs[0].note')" '200 null'
equals 'on no run' "$(put note.txt "${page}note/99999")" 404
head -c 5000 big.bin >long.txt
equals 'not too long' "$(put long.txt "${page}note/1")" 413

# --- the history ---

equals 'a trend' "$(curl -s "${page}trend?branch=main" | jq -r '[.sections[].name] | index("values") != null')" true
curl -s "${page}compare?from=1&to=3&by=site&sort=requested" | jq '[.sections[] | select(.name == "blame") | .rows[]] | length' >n
check 'two runs side by side' [ "$(cat n)" -gt 1 ]
equals 'as tm-history says it' "$(curl -s "${page}compare?from=1&to=3&by=site&sort=requested" | jq -c '[.sections[] | select(.name == "blame") | .rows[] | .change] | sort')" \
	"$(tm-history blame store/history.db --from '#1' --to '#3' --by site --sort requested --as json -n 100 --build 1.0 2>err | jq -c '[.sections[] | select(.name == "blame") | .rows[] | .change] | sort')"
equals 'not of what is not there' "$(code "${page}compare?from=1&to=77") $(code "${page}trend?by=nothing") $(code "${page}trend?sort=x") $(code "${page}trend?branch=none")" '404 400 400 404'

# --- what a request may be ---

for name in ../../x ..%2f..%2fx .hidden -x 'a%20b' "$(printf 'x%.0s' {1..200})" 'a%00b' '%2e%2e'; do
	equals "the name $name" "$(code --path-as-is -T a.tmt "$send$name" | tr 0-3 4)" 444
done
check 'nothing is written elsewhere' [ "$(find . -newer note.txt -name 'x' -o -name '.hidden' | wc -l)" = 0 ]
for q in 'Build=1' 'build=' 'build=a%0ab' 'build=%ff' 'build=1&build=2' 'status=purple' 'date=yesterday' "build=$(printf 'x%.0s' {1..300})" 'a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1&q=1'; do
	equals "labels ${q:0:30}" "$(put a.tmt "${send}l.tmt?$q")" 400
done
for range in 'bytes 0-5/3' 'bytes 5-3/9' 'bytes 0-1/2' 'bytes x' 'bytes 0-18446744073709551615/*' 'bytes -1-3/4' 'lines 0-1/2'; do
	equals "the range $range" "$(put a.tmt "${send}r.tmt" -H "Content-Range: $range")" 400
done
equals 'methods' "$(code -X POST -d x "${page}sessions") $(code -X DELETE "${page}capture/1") $(code "${send}a.tmt" -X PATCH -d x)" '405 405 405'
equals 'paths' "$(code "${page}nothing/here") $(code "${page}capture/x") $(code "${page}capture/99")" '404 400 404'
equals 'a huge header' "$(code -H "X-Big: $(head -c 90000 /dev/zero | tr '\0' x)" -H "X-Big2: $(head -c 90000 /dev/zero | tr '\0' y)" "${page}sessions" | tr 0-9 x)" xxx
put a.tmt "${send}hostile.tmt?build=%3Cscript%3Ealert(1)%3C/script%3E&machine=%E2%80%AEevil" >/dev/null
equals 'hostile labels are text' "$(sessions '.sessions[-1].labels.build')" '<script>alert(1)</script>'
check 'and hidden characters are escaped' eval '! curl -s "${page}sessions" | grep -q "$(printf "\xe2\x80\xae")"'
equals 'it still serves' "$(code "${page}sessions")" 200

# --- the trend of frame times: of 100 frames 98 take 10 ms, and two take 20 ms, from the 7th build on 40 ms ---

for ((b = 1; b <= 12; b++)); do
	awk -v slow=$((b > 6 ? 40 : 20)) -v pid=$((100 + b)) 'BEGIN {
		print "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,MsInPresentAPI,MsBetweenPresents"
		for (i = 1; i <= 100; i++) {
			ms = i % 50 ? 10 : slow
			t += ms / 1000
			printf "game.exe,%d,0x0,DXGI,0,0,0,%.6f,1.0,%.4f\n", pid, t, ms
		}
	}' >present$b.csv
	put present$b.csv "${send}present$b.csv?build=p$((100 + b))&branch=frames" >/dev/null
done
settle
curl -s "${page}trend?sort=p99-frame&branch=frames" >trend
equals 'each run has what its list says' "$(jq -c '[.sections[] | select(.name == "values") | .rows[].value]' trend)" \
	'[20000000,20000000,20000000,20000000,20000000,20000000,40000000,40000000,40000000,40000000,40000000,40000000]'
equals 'the change point is the 7th build' "$(jq -r '.sections[] | select(.name == "steps") | .rows[] | "\(.build) \(.before) \(.after)"' trend)" 'p107 20000000 40000000'
equals 'not of a part of a run, and not without frames' "$(code "${page}trend?sort=p99-frame&by=site") $(code "${page}trend?sort=p99-frame&branch=main")" '400 404'

# --- those who never end their request ---

python3 - "$port" <<'END' &
import socket, sys, time
all = []
for i in range(900):
    try:
        s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
        s.sendall(b"GET /x HTTP/1.1\r\nHost: ")
        all.append(s)
    except OSError:
        pass
print(len(all), flush=True)
time.sleep(20)
END
loris=$!
sleep 3
equals 'nine hundred slow ones keep nobody out' "$(code "${page}sessions") $(put a.tmt "${send}loris.tmt")" '200 201'
kill $loris
wait $loris 2>/dev/null

# --- limits ---

stop
status=$?
check 'it ends by a signal, in order' [ $status = 0 ]
serve --capture-bytes 2000000
equals 'too large, told at once' "$(put big.bin "${send}large.bin")" 413
equals 'too large, in chunks' "$(curl -s -o reply -w '%{http_code}' -T - "${send}large2.bin" <big.bin)" 413
tm-view --store store >out 2>err
status=$?
check 'one server to a store' eval '[ $status = 3 ] && grep -q "another tm-view serves this store" err'
stop
(
	ulimit -f 2000 # blocks of 1024 bytes
	serve && {
		equals 'no room in the middle' "$(put big.bin "${send}full.bin" --limit-rate 20M)" 507
		check 'what came is kept' eval '[[ "$(told "${send}full.bin" 3000000)" = "2048000 ?0" ]]'
		stop
	}
	exit $failed
) || failed=1
serve
equals 'and goes on with more room' "$(put big.bin "${send}full.bin" -C "$(told "${send}full.bin" 3000000 | cut -d' ' -f1)")" 201
stop
mkdir -p small
if mount -t tmpfs -o size=3m none small 2>/dev/null; then
	folder=small/store
	serve
	equals 'no room, told before it comes' "$(put big.bin "$send" -H 'Expect: 100-continue')" 507
	equals 'a small one has room' "$(put a.tmt "$send")" 201
	stop
	folder=store
	umount small
else
	echo 'skip - a small file system: it cannot be mounted'
fi

# --- two hundred at once, and fifty who read ---

"$GEN/trace" --seed 9 --allocs 300 --live 20 --stacks 9 --frames 3 >tiny.tmt
mkdir many
for ((i = 0; i < 200; i++)); do
	{ cat tiny.tmt; head -c $((i * 500)) big.bin; } >many/$i.bin
done
serve
for ((i = 0; i < 200; i++)); do
	curl -s -m 120 --limit-rate 300k -o many/$i.reply -w '%{http_code}\n' -T many/$i.bin "${send}?build=m$i" >many/$i.code 2>/dev/null &
	[ $((i % 4)) = 0 ] && curl -s -m 120 -o /dev/null -w '%{http_code}\n' "${page}sessions" >many/$i.read &
done
# shellcheck disable=SC2046 # numbers
wait $(jobs -p | grep -v "^$server\$")
equals '200 uploads at once' "$(cat many/*.code | sort | uniq -c | tr -s ' ')" ' 200 201'
equals '50 readers beside them' "$(cat many/*.read | sort | uniq -c | tr -s ' ')" ' 50 200'
bad=0
for ((i = 0; i < 200; i++)); do
	cmp -s many/$i.bin store/captures/"$(sha256sum <many/$i.bin | cut -d' ' -f1)" || bad=$((bad + 1))
done
equals 'each is whole' "$bad" 0
stop

# --- what is not kept ---

serve --keep-last 1
settle
sleep 1
stop
serve --keep-last 1
sleep 1
equals 'the newest of a branch is kept' "$(sessions '[.sessions[] | select(.labels.branch == "main" and .kept)] | length')" 1
equals 'and its file' "$(code "${page}capture/$(sessions '[.sessions[] | select(.kept and .labels.branch == "main")][0].id')") $(code "${page}capture/1")" '200 410'
check 'sums stay' eval '[ "$(sessions "[.runs[] | select(.branch == \"main\")] | length")" -ge 2 ]'
stop

# --- what somebody else put into the folder is named, and stays ---

cp a.tmt store/mine.tmt
for i in 1 2 3 4 5 6; do echo "$i" >store/captures/mine-$i; done
echo x >store/incoming/theirs
widow=store/incoming/$(printf '%064d' 1).who # of an upload that is a session: the server was killed before it went
echo x >"$widow"
touch -d '100 days ago' store/incoming/theirs
: >store/captures/"$(printf 'ab%.0s' {1..32})" # of an upload that nobody was told of
: >address
tm-view --store store --keep-days 1 >address 2>serve.err &
server=$!
for ((try = 0; try < 100; try++)); do
	[ "$(wc -l <address)" -ge 2 ] && break
	sleep 0.1
done
sleep 1
stop
check 'a file beside the store' grep -q 'store: 1 file is not of the store, and not served: mine.tmt$' serve.err
check 'files among its captures, five of them by name' grep -q 'store: 6 files are not of the store, and not served: captures/mine-1, .*, captures/mine-5 and 1 more$' serve.err
check 'and one among its uploads' grep -q 'store: 1 file is not of the store, and not served: incoming/theirs$' serve.err
check 'what an upload without bytes was is no more' [ ! -e "$widow" ]
check 'none of them was removed' eval '[ -f store/mine.tmt ] && [ -f store/incoming/theirs ] && [ "$(ls store/captures | grep -c mine-)" = 6 ]'
check 'a capture of no session was' [ ! -e store/captures/abab* ]
rm store/mine.tmt store/captures/mine-? store/incoming/theirs

# --- usage ---

for options in '--store store a.tmt' '--store store --lines' '--keep-last 3 a.tmt' '--store postgresql://x/y' '--store store --captures x' '--store store --capture-bytes 0' '--store store --public http://x/'; do
	# shellcheck disable=SC2086
	tm-view $options >out 2>err
	status=$?
	check "usage: $options" eval '[ $status = 2 ] && [ ! -s out ]'
done
exit $failed
