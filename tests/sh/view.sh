#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-view answers as the programs do: the same bytes, the same messages, the same exit status, whatever
# is asked of whatever was loaded, through each door. What may not be asked is refused, and HTTP lets in
# who knows the token, by the printed name only.
# timeout: 900
# expects: signals
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates, and calls functions
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

"$GEN/trace" --seed 3 --allocs 20000 --live 500 --stacks 300 --frames 50 >a.tmt
"$GEN/trace" --seed 4 --allocs 20000 --live 700 --stacks 320 --frames 50 >b.tmt
"$GEN/calls" >calls.tmt <<'END'
thread Main
> 0 A
> 1000000 B
< 4000000 B
> 4500000 C
< 4600000 C
< 9000000 A
END
cp "$DATA/unity/small.raw" "$DATA/unity/bad-cut.raw" "$DATA/heap/before.tmt" "$DATA/heap/after.tmt" .
head -c $(($(wc -c <a.tmt) - 20000)) a.tmt >cut.tmt
echo 'no capture' >none.txt
tm-compare -q --save-baseline a.tma a.tmt 2>err
printf '[owner]\nteam A: function A\n' >policy

policy= # a gate's, for tm-view
same() { # FILES... -- QUESTION: as the command says it
	local files=() question form
	while [ "$1" != -- ]; do
		files+=("$1")
		shift
	done
	question=$2
	case $question in
	*--as* | *--csv*) form='' ;;
	*) form='--as json' ;;
	esac
	eval "tm-$question $form -- $(printf "'%s' " "${files[@]}")" >want 2>want.err </dev/null
	local status=$?
	tm-view -q --no-symbols ${policy:+--gate "$policy"} --query "$question" "${files[@]}" >got 2>got.err </dev/null
	local is=$?
	# What tm-view itself says while it loads comes first; it has no help of other programs.
	grep -v '^tm-view: ' got.err >err
	sed -i '/: try tm-[a-z]* --help$/d' want.err
	check "${files[*]}: $question" eval "cmp -s want got && diff -q want.err err >/dev/null && [ $status = $is ]"
}

for q in 'top' 'top --by type' 'top --by type,site' 'top --by thread,stack --show-stacks 2' 'top --by function --cumulative' 'top --tree' 'top --bottom-up --min-percent 2' 'top --by stack -n 5' \
	'top --by site --metrics all --sort peak' 'top --sort lifetime' 'top --sort temporary' 'top --leaks' 'top --memory' \
	'top --by thread' 'top --frame 10..20' 'top --frame 3 --by type' 'top --time 1ms..2ms' 'top --size 16..64' \
	"top --peek '.'" 'frames' 'frames -n 3 --sort real' 'frames --frame 5' 'frames --every 1ms' 'frames --by type -n 9' 'frames --tops 2' \
	'frames --spike 2x' 'frames --spread --by site' 'frames --spread --every 1ms' 'frames --new' 'spikes' 'compare --base-frame 1..20 --new-frame 21..40' 'top --as csv --by location' \
	'top --as text' 'top --as markdown' 'export --as folded' 'frames --counters nope' 'top --by' "top --focus '('" 'heap'; do
	same a.tmt -- "$q"
done
same a.tmt b.tmt -- compare
same a.tmt b.tmt -- 'compare --by function --sort live --all'
same a.tmt b.tmt -- 'top --by type'
same calls.tmt -- top
same calls.tmt -- 'top --by function --sort self-time'
same calls.tmt -- 'top --tree'
same calls.tmt -- spikes
same calls.tmt -- 'frames --every 1ms'
same calls.tmt -- 'export --as chrome'
same small.raw -- top
same small.raw -- frames
same small.raw -- 'frames --frame 3'
same bad-cut.raw -- top
same bad-cut.raw -- frames
same before.tmt after.tmt -- heap
same after.tmt -- 'heap --by root --objects 3'
same after.tmt -- "heap --who '.' --paths 2"
same after.tmt -- 'heap --dominators'
same after.tmt -- 'heap --dominators --min 5 -n 4 --sort count'
same before.tmt after.tmt -- 'heap --set add'
same cut.tmt -- top
same cut.tmt -- 'frames -n 2'
same none.txt -- top
same a.tma -- top
same a.tma -- 'top --by type'
same a.tma b.tmt -- compare
same a.tmt none.txt -- top

# Many questions to one: sums of the whole are made once, and what lies outside of a range is not walked.
"$GEN/trace" --seed 5 --allocs 60000 --live 900 --stacks 300 --frames 60 --rich 1 >rich.tmt
"$GEN/trace" --seed 6 --allocs 30000 --live 300 --stacks 200 --frames 30 --rich 1 >rich2.tmt
many() { # FILES... -- , and questions on standard input
	local files=() q n=0 status
	while [ "$1" != -- ]; do
		files+=("$1")
		shift
	done
	cat >questions
	tm-view -q --no-symbols --lines "${files[@]}" <questions >answers 2>err
	while read -r q; do
		n=$((n + 1))
		eval "tm-$q -- $(printf "'%s' " "${files[@]}")" >want 2>want.err </dev/null
		status=$?
		sed -i '/: try tm-[a-z]* --help$/d' want.err
		sed -n "${n}p" answers >answer
		case $q in
		*'--as json'*) jq -S .answer answer >got && jq -S . want >want.same ;;
		*) jq -j .answer answer >got && cp want want.same ;;
		esac
		jq -j .messages answer | grep -v '^tm-view: ' >got.err
		check "one of many, ${files[*]}: $q" eval "cmp -s want.same got && cmp -s want.err got.err && [ $status = \"\$(jq .exit answer)\" ]"
	done <questions
}
for f in rich.tmt a.tmt calls.tmt; do
	many $f -- <<'END'
top --as json
top --as json --table top --metrics all
top --as csv --by type --metrics all --sort peak
top --as csv --by function --metrics all --focus 1
top --as csv --by stack --metrics all --ignore 2 -n 0
top --as csv --by type,site --metrics lifetime,temporary
top --as text --by thread --metrics all
top --as csv --domain pool --metrics all
top --as csv --domain all --metrics all --by site
top --as csv --metrics requested --by module
top --as json --table top --frame 10..20 --metrics all
top --as json --table top --frame 0..0
top --as json --table top --frame 50..
top --as json --table top --frame 5..9 --frame 30..31 --metrics all
top --as json --table top --frame 20..40 --time 25ms..30ms
top --as json --table top --time 20ms..30ms --metrics all
top --as json --table top --time 20ms..30ms --metrics count
top --as json --table top --time ..10ms --thread Main
top --as json --table top --time 1s..2s
top --as json --table top --frame 10..20 --size 100..500 --metrics all
top --as text --tree --frame 3..4
top --as text --memory
frames --as csv
frames --as csv --frame 10..20
compare --as json --base-frame 1..20 --new-frame 21..40
compare --as json --base-time 1ms..9ms --new-time 20ms..22ms
END
done
many rich.tmt rich2.tmt -- <<'END'
compare --as json
compare --as csv --by function --sort peak-real --focus 3
top --as csv --metrics all
END

# Gates: what fails, what is waived, what passes; with loss nothing is decided.
policy=gate.ini
printf '[rule %s]\nmetric = requested\n%s\n' whole 'percent = 0' bounded 'max = 1GiB' later 'percent = 0' sites 'key = site
each = yes
percent = 5' >$policy
printf '[waiver w]\nrule = later\nuntil = 2099-01-01\nreason = later\n' >>$policy
same a.tmt b.tmt -- 'compare --gate gate.ini'
check 'three verdicts, and a failure' eval '[ "$(jq -c ".sections[] | select(.kind == \"checks\") | [.rules[].verdict]" got)" = "[\"fail\",\"pass\",\"waived\",\"fail\"]" ]'
same b.tmt cut.tmt -- 'compare --gate gate.ini'
check 'with loss nothing is decided' eval 'jq -e ".sections[] | select(.kind == \"checks\") | .counts.inconclusive > 0" got >/dev/null'
same a.tmt b.tmt -- 'compare --gate gate.ini --by type --as text'
policy=

# What the project says once holds for questions as for commands.
mkdir project
printf 'owners = policy\nsites = sites\nmap-path = /src=/elsewhere\ndebug-dir = .\nsysroot = .\n' >project/tracemill.ini
printf '[team A]\nfunction .*1\n' >project/policy
echo 'function ^A$' >project/sites
cp a.tmt project
cd project || exit 1
same a.tmt -- 'top --by owner'
check '... which are there' grep -q 'team A' got
same a.tmt -- 'top --no-config'
same a.tmt -- 'frames -n 2'
cd ..

# What was loaded is what is answered from; nothing else can be named, and nothing written.
ask() { tm-view -q --no-symbols --query "$1" a.tmt >got 2>err; }
refused() { ! ask "$1" && [ ! -s got ]; }
check 'an output is refused' eval 'refused "top -o out.txt" && [ ! -e out.txt ]'
check 'a baseline is refused' eval 'refused "compare --save-baseline x.tma" && [ ! -e x.tma ]'
check 'a file that was not named' refused 'top b.tmt --by type -- b.tmt'
check 'an option with such a file' refused 'top --owners policy'
check 'a policy that was not named' refused 'compare --gate gate.ini -- a.tmt a.tmt'
check 'an expression in a file' refused 'top --focus @policy'
check 'the sandbox stays' refused 'top --no-sandbox'
check 'another program' refused 'record ./a'
check 'an open quote' refused "top --focus 'x"
tm-view -q --no-symbols --allow policy --query 'top --focus @policy' a.tmt >got 2>err
check 'a file that was named is read' grep -q tracemill-report got
tm-view -q --no-symbols --gate gate.ini --query 'compare --gate policy' a.tmt b.tmt >got 2>err
check 'another policy than the named one' eval '[ ! -s got ] && grep -q "tm-view was not given this file with --allow" err'

# Lines: a line of JSON for each, in order.
printf '%s\n' '{"id":1,"query":"top --by type"}' 'frames -n 2' '{"id":"x"}' '[]' '' '{"id":{"a":[1]},"query":"top --as csv -n 1"}' |
	tm-view -q --no-symbols --lines a.tmt >got 2>err
check 'five lines, five answers' [ "$(wc -l <got)" = 5 ]
tm-top -q --by type --as json a.tmt >want
check 'the answer is the report' eval '[ "$(sed -n 1p got | jq -c .answer)" = "$(jq -c . want)" ]'
check 'ids come back' eval '[ "$(jq -c .id got | tr "\n" " ")" = "1 null \"x\" null {\"a\":[1]} " ]'
check 'what is no question says so' eval '[ "$(jq -c .exit got | tr "\n" " ")" = "0 0 2 2 0 " ]'
check 'other forms are text' eval 'sed -n 5p got | jq -e ".answer | startswith(\"rank,\")" >/dev/null'

# Limits.
check 'rows are limited' eval 'tm-view -q --no-symbols --rows 2 --query "top -n 0" a.tmt 2>err | jq -e ".sections[0].rows | length == 2" >/dev/null'
tm-view -q --no-symbols --answer-bytes 1000 --query top a.tmt >got 2>err
status=$?
check 'bytes are limited' eval '[ $status = 3 ] && [ ! -s got ]'
check '... and it is said' grep -q answer-bytes err

# Grown files are loaded again.
"$GEN/trace" --seed 3 --allocs 100 --live 50 --stacks 30 --frames 5 >grow.tmt
{
	echo 'top --as csv -n 0'
	sleep 1
	cp b.tmt grow.tmt
	echo 'top --as csv -n 0'
} | tm-view -q --no-symbols --follow --lines grow.tmt >got 2>err
check 'a file that has changed is loaded again' eval '[ "$(sed -n 2p got | jq -r .answer)" = "$(tm-top -q --no-symbols --as csv -n 0 grow.tmt)" ] && [ "$(sed -n 1p got)" != "$(sed -n 2p got)" ]'

# A trace whose writer is at work: what has come, without a loss, then more, then the end.
"$GEN/trace" --seed 6 --allocs 300000 --live 500 --stacks 300 --frames 50 >whole.tmt
size=$(stat -c %s whole.tmt)
coproc door { tm-view -q --no-symbols --follow --lines grows.tmt 2>view.err; }
ask_view() {
	echo "$1" >&"${door[1]}"
	read -r answer <&"${door[0]}"
}
head -c $((size / 3)) whole.tmt >grows.tmt
ask_view 'top --by type --as csv -n 0'
cp grows.tmt part.tmt
check 'of a trace that goes on: what has come' eval '[ "$(jq -r .answer <<<"$answer")" = "$(tm-top --no-symbols --by type --as csv -n 0 part.tmt 2>err)" ] && grep -q "cut short\|needs" err'
check '... and a chunk that is cut is no loss' [ "$(jq -r .messages <<<"$answer")" = "" ]
first=$answer
tail -c +$((size / 3 + 1)) whole.tmt | head -c $((size / 3)) >>grows.tmt
ask_view 'top --by type --as csv -n 0'
check 'it has grown' [ "$(jq -r .answer <<<"$first")" != "$(jq -r .answer <<<"$answer")" ]
tail -c +$((size / 3 + size / 3 + 1)) whole.tmt >>grows.tmt
for q in 'top --by type --as csv -n 0' 'frames --as csv -n 0' 'top --leaks --as csv'; do
	ask_view "$q"
	eval "tm-$q whole.tmt" >want 2>err
	check "all of it: $q" [ "$(jq -r .answer <<<"$answer")" = "$(cat want)" ]
done
cp b.tmt other.tmt
mv other.tmt grows.tmt
ask_view 'top --as csv -n 0'
check 'another file in its place' [ "$(jq -r .answer <<<"$answer")" = "$(tm-top -q --no-symbols --as csv -n 0 b.tmt)" ]
head -c 100000 /dev/zero >>grows.tmt
ask_view 'top --as csv -n 0'
check 'what is no chunk is a loss' eval '[ "$(jq -r .answer <<<"$answer")" = "$(tm-top -q --no-symbols --as csv -n 0 b.tmt)" ] && jq -e "(.messages | length) > 0" <<<"$answer" >/dev/null'
rm grows.tmt
ask_view 'top --as csv -n 0'
check 'a file that was removed stays as it was' [ "$(jq -r .answer <<<"$answer")" = "$(tm-top -q --no-symbols --as csv -n 0 b.tmt)" ]
end=$door_PID
eval "exec ${door[1]}>&-"
wait "$end"

# Numbers of nodes while it grows, and what the door for assistants says of it.
head -c $((size / 3)) whole.tmt >grows.tmt
exec 9>>grows.tmt # its writer
# shellcheck disable=SC2094 # answers are waited for
{
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"children","arguments":{"limit":3}}}'
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"load"}}'
	for _ in $(seq 200); do # what goes on is asked about while it does
		grep -q '"id":2' got && break
		sleep 0.05
	done
	tail -c +$((size / 3 + 1)) whole.tmt >&9
	echo '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"children","arguments":{"limit":500,"node":"1.0"}}}'
	echo '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"load"}}'
} | tm-view -q --no-symbols --follow --mcp grows.tmt >got 2>err
check 'nodes keep their names while it grows' eval 'jq -se "(.[0].result.structuredContent.children) as \$a | (.[2].result.structuredContent.children) as \$b
	| \$a | length == 3 and all(. as \$x | \$b | any(.node == \$x.node and .name == \$x.name and .total > \$x.total))" got >/dev/null'
exec 9>&-
check 'it goes on, and has ended' [ "$(jq -c '.result.structuredContent.loaded.files[0].growth // empty' got | tr '\n' ' ')" = '"goes on" "ended" ' ]

# A program that is being recorded, with the names of its functions; then the packed trace in its place.
cat >slow.c <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void *hold(size_t n)
{
	return malloc(n);
}
int main(void)
{
	void *volatile last;
	char c;
	while (read(0, &c, 1) == 1)
		for (int i = 0; i < 1000; i++)
			last = hold(64);
	return last == NULL;
}
END
if ! "${CC:-cc}" -g -O1 -fno-omit-frame-pointer -o slow slow.c 2>err; then
	echo 'skip - of a program that is being recorded: it does not compile'
	exit $failed
fi
mkfifo go
timeout 120 tm-record -q -o live.tmt -- ./slow <go 2>record.err &
record=$!
coproc door { tm-view -q --follow --lines live.tmt 2>view.err; }
exec 7>go
held() { # COUNT: until hold() has so many
	local i
	for ((i = 0; i < 300; i++)); do
		ask_view 'top --by function --as csv -n 0'
		case $(jq -r .answer <<<"$answer") in
		*"$1,"*hold,slow*) return 0 ;;
		esac
		sleep 0.1
	done
	return 1
}
printf a >&7
check 'what a program that is being recorded has allocated' held 1000
printf aa >&7
check '... and what it allocates then' held 3000
exec 7>&-
wait $record
check '... and all of it when it has ended' held 3000
end=$door_PID
eval "exec ${door[1]}>&-"
wait "$end"

# The same, killed with who recorded it: its end never comes.
timeout 120 tm-record -q -o killed.tmt -- ./slow <go 2>record.err &
record=$!
exec 7>go
for ((i = 0; i < 300; i++)); do
	program=$(pgrep -P "$(pgrep -P $record -x tm-record)" -x slow) && [ -s killed.tmt ] && break
	sleep 0.1
done
printf a >&7
load='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load"}}'
{
	echo "$load"
	sleep 2
	kill -KILL "$(pgrep -P $record -x tm-record)" "$program"
	sleep 2
	echo "$load"
} | tm-view -q --no-symbols --follow --mcp killed.tmt >got 2>err
exec 7>&-
wait $record
check 'it goes on, then it was killed' [ "$(jq -c '.result.structuredContent.loaded.files[0].growth // empty' got | tr '\n' ' ')" = '"goes on" "no writer" ' ]

# HTTP.
if ! command -v curl >/dev/null; then
	echo 'skip - over HTTP: there is no curl'
	exit $failed
fi
mkdir -p src/game
echo 'int main(void) {}' >src/game/a.c
echo secret_text >outside.c
ln -s ../outside.c src/link.c
cat >run.mem <<END
{"f":1,"d":[{"t":"A","s":60,"r":64,"st":["Main (in Game) (/build/ci/src/game/a.c:1);","Link (in Game) (link.c:1);","Up (in Game) (game/../../outside.c:1);","Own (in Game) ($PWD/outside.c:1);"],"sz":[32,16,12,4]}]}
END
tm-view -q --no-symbols --source-dir src a.tmt bad-cut.raw none.txt run.mem >address 2>view.err &
view=$!
for _ in $(seq 100); do
	[ -s address ] && break
	sleep 0.1
done
if [ ! -s address ]; then
	wait $view
	if grep -q 'without libmicrohttpd' view.err; then
		echo 'skip - over HTTP: built without libmicrohttpd'
	else
		check 'the address is printed' false
	fi
	exit $failed
fi
at=$(cat address)
host=${at#http://}
host=${host%%/*}
code() { curl -s -o body -w '%{http_code}' "$@"; }
check 'on loopback, with a token' eval 'grep -Eqx "http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/" address'
check 'the page' eval '[ "$(code "$at")" = 200 ] && grep -q "<title>tracemill" body'
curl -s -D head "$at" >/dev/null
check 'its policy lets nothing in' eval "grep -qi \"^content-security-policy: default-src 'none'; script-src 'self'\" head && ! grep -qi unsafe head"
for f in "$SRC"/lib/view/page/* "$SRC"/lib/render/html/{theme.css,texts.js,format.js,dom.js,flame.js,rows.js,chart.js}; do
	# With the modules that a page names.
	curl -s "$at${f##*/}" | sed '/^<link rel="modulepreload" /d' >body
	check "${f##*/} is in the program" cmp -s "$f" body
done
tm-top --as json -- a.tmt bad-cut.raw none.txt run.mem >want 2>want.err
curl -s -D head "${at}ask?q=top" >got
check 'an answer is the report' cmp -s want got
check 'its status' grep -q '^X-Exit: 3' head
check 'what failed is in the state' eval 'curl -s "${at}state" | jq -e ".files[2].error and .files[1].lossy and (.files[1].notes | any(.severity == \"loss\"))" >/dev/null'
check 'no token' [ "$(code "http://$host/")" = 403 ]
check 'another token' [ "$(code "http://$host/0123456789abcdef0123456789abcdef/")" = 403 ]
check 'another name (DNS rebinding)' [ "$(code -H 'Host: game.example' "$at")" = 403 ]
check 'another port' [ "$(code -H 'Host: 127.0.0.1:1' "${at}state")" = 403 ]
check 'another page (Origin)' [ "$(code -H 'Origin: http://game.example' "${at}ask?q=top")" = 403 ]
check 'another page (Sec-Fetch-Site)' [ "$(code -H 'Sec-Fetch-Site: cross-site' "${at}ask?q=top")" = 403 ]
check 'itself' [ "$(code -H "Origin: http://$host" -H 'Sec-Fetch-Site: same-origin' "${at}ask?q=top")" = 200 ]
check 'POST changes nothing' [ "$(code -d q=top "${at}ask")" = 405 ]
check 'no question' [ "$(code "${at}ask")" = 400 ]
check 'a wrong one' [ "$(code "${at}ask?q=rm")" = 400 ]
# A large trace is read while questions are answered. The page gets what was read so far, with X-Taken; a script waits
# until all is read, and a trace that is cut shows its loss.
"$GEN/trace" --seed 9 --allocs 700000 --live 500 --stacks 300 --frames 50 >large.tmt
head -c $(($(wc -c <large.tmt) - 30000)) large.tmt >large-cut.tmt
read_while() { # FILE: its server, in $large and $pid
	rm -f large
	tm-view -q --no-symbols "$1" >large 2>large.err &
	pid=$!
	for _ in {1..600}; do
		[ -s large ] && break
		sleep 0.1
	done
	large=$(cat large)
	curl -s "$large" >body
}
tm-top --as json large.tmt >want
for _ in {1..5}; do # where the machine is busy, all may have been read by then
	read_while large.tmt
	curl -s "${large}state" >state
	curl -s -D ./head "${large}ask?q=top&page=1" >got
	taken=$(tr -d '\r' <./head | sed -n 's/^X-Taken: //p')
	curl -s "${large}ask?q=top" >all
	curl -s "${large}state" >state.after
	kill $pid
	wait $pid
	check 'a script gets an answer of all' cmp -s want all
	check "the page's is of $taken percent" eval '[ "$taken" = 100 ] && cmp -s want got || ! cmp -s want got'
	[ "$taken" = 100 ] || break
done
if [ "$taken" = 100 ]; then
	echo 'skip - the page has numbers before all is read (five times all was read before it asked)'
else
	check 'the page has numbers before all is read' jq -e '.files[0] | .taken_percent < 100 and .file_bytes > 1000000 and .growth == null' state
fi
check '... and then that all is there' jq -e '.files[0] | .taken_percent == 100 and .events > 700000' state.after
read_while large-cut.tmt
tm-top --as json large-cut.tmt >want 2>err
curl -s "${large}ask?q=top" >got
curl -s "${large}state" >state.after
kill $pid
wait $pid
check 'a large trace that is cut: its answer' cmp -s want got
check '... and its loss' jq -e '.files[0] | .lossy and .taken_percent == 100 and (.notes | any(.severity == "loss"))' state.after
# What no report comes of: its status, and why, in the body. There is no help to be tried in a browser.
told() { # QUESTION STATUS TEXT
	local got

	got=$(code "${at}ask?q=$1")
	check "$1: $2, with the reason" eval "[ $got = $2 ] && grep -qF -- \"$3\" body && ! grep -q -e --help body"
}
told 'top%20--by%20colour' 400 "--by: 'colour'"
told 'top%20--sort%20nothing' 400 "--sort: 'nothing'"
told 'top%20--no-such' 400 'unknown option --no-such'
told 'top%20-n%20x' 400 "--top: 'x'"
told 'top%20--focus%20(' 400 '--focus'
told 'frames%20--time%207..3' 400 '--time'
told 'frames%20--every%200s' 400 '--every'
told 'compare%20--gate%20nowhere' 400 '--gate'
told 'spikes%20--threshold%20soon' 400 '--threshold'
told 'heap%20a.tmt' 400 'no snapshot in the input'
check 'nothing else is there' [ "$(code "${at}etc")" = 404 ]
tm-top -q --source . --source-dir src --as json -- run.mem >want
code "${at}ask?q=top%20--source%20.%20--source-dir%20src%20run.mem" >/dev/null
check 'source lines are those of the command' eval 'cmp -s want body && grep -q "int main(void)" body'
check 'none from above the folder, none by a link' eval '[ "$(jq -c "[.sections[0].rows[] | select(._depth == 0 and .read_from == null) | .function]" body)" = "[\"Link\",\"Up\",\"Own\"]" ] && ! grep -q secret_text body'
check 'no other folder' eval 'code "${at}ask?q=top%20--source%20.%20--source-dir%20src/game%20run.mem" >/dev/null; ! grep -q "int main" body'
check 'no file by its name' [ "$(code "${at}source?file=game/a.c")" = 404 ]
check 'the folders are in the state' eval 'curl -s "${at}state" | jq -e ".sources == [\"src\"]" >/dev/null'
# Where a capture names its device and build, the state has both; a build-id is that of the module.
printf '%s\n' 'CommandLine Options: ' 'Time Since Boot: 12.5 Seconds' 'Changelist: 4711' 'Device Name: Pixel_7' '' \
	'Platform Memory Stats for Android' 'Process Physical Memory: 100.00 MB used, 120.00 MB peak' >device.memreport
"$GEN/perf_data" --samples 3 plain >device.data 2>err
tm-view -q --no-symbols device.memreport device.data a.tmt >device.at 2>err &
named=$!
for ((i = 0; i < 100; i++)); do [ -s device.at ] && break; sleep 0.1; done
curl -s "$(cat device.at)state" >device.state
kill $named
check 'device and build of a capture are in the state' jq -e '.files[0] | .device == "Pixel_7" and .build == "4711"' device.state
check 'a build-id is told as such' [ "$(jq -r '.files[1].build_id' device.state)" = "$(tm-dump -q device.data 2>err | sed -n 's/^module .*build-id=\([0-9a-f]*\).*/\1/p' | head -1)" ]
check 'of what names none there is none' jq -e '.files[2] | has("device") or has("build") | not' device.state
for _ in 1 2 3 4 5 6 7 8; do
	curl -s "${at}ask?q=top" -o /dev/null &
	clients+=($!)
done
wait "${clients[@]}"
curl -s --max-time 0.02 "${at}ask?q=top%20--by%20stack" -o /dev/null
check 'clients that come together, or leave, are no harm' [ "$(code "${at}state")" = 200 ]
kill -TERM $view
wait $view
check 'it ends when it is told to' [ $? = 0 ]
exit $failed
