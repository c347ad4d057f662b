#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Questions to tm-view in threads of one process: many at once are answered as the programs answer; one that is ended by
# its time, its length or the memory ends alone, and gives back what it took; and no process is started.
# timeout: 600
# shellcheck disable=SC2016,SC2034,SC2317,SC2012 # check evaluates, and calls functions; threads are numbers
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

"$GEN/trace" --seed 3 --allocs 20000 --live 500 --stacks 300 --frames 50 >a.tmt
"$GEN/trace" --seed 4 --allocs 20000 --live 700 --stacks 320 --frames 50 --rich 1 >b.tmt
"$GEN/calls" >calls.tmt <<'EOF'
thread Main
> 0 A
> 1000000 B
< 4000000 B
> 4500000 C
< 4600000 C
< 9000000 A
EOF
cp "$DATA/heap/after.tmt" .
tm-compare -q --save-baseline a.tma a.tmt 2>err
files=(a.tmt b.tmt calls.tmt after.tmt a.tma)
questions=('top --by type a.tmt' 'top --tree b.tmt' 'compare a.tmt b.tmt' 'frames -n 0 a.tmt' 'top --leaks a.tmt'
	'frames --spread --by site b.tmt' "top --focus 1 --by function --metrics all b.tmt" "top --focus '(' a.tmt"
	'compare --base-frame 1..20 --new-frame 21..40 a.tmt' 'export --as folded a.tmt' 'spikes calls.tmt'
	'top --memory b.tmt' 'top --frame 3..9 a.tmt' 'heap after.tmt' 'heap --dominators after.tmt' 'top --tree calls.tmt'
	'frames --every 1ms calls.tmt' 'top --by function --sort self-time calls.tmt' 'top --by type a.tma' 'compare a.tma b.tmt'
	"top --ignore '.*' a.tmt" 'top --by nothing a.tmt' 'export --as pprof b.tmt' 'top --owners nowhere a.tmt' 'frames --by type -n 9 b.tmt')

with_form() { # as tm-view asks
	case $1 in
	*--as*) echo "$1" ;;
	*) echo "$1 --as json" ;;
	esac
}

# Twice as many at once as there are places.
if command -v curl >/dev/null; then
	tm-view -q --no-symbols "${files[@]}" >address 2>view.err &
	view=$!
	for _ in $(seq 100); do
		[ -s address ] && break
		sleep 0.1
	done
	at=$(cat address)
else
	at=
fi
if [ -n "$at" ]; then
	children=$(cat "/proc/$view/task/$view/children")
	jobs=()
	for twice in 1 2; do
		for i in "${!questions[@]}"; do
			curl -sS -G --data-urlencode "q=${questions[$i]}" --data page=1 -D "head.$twice.$i" -o "got.$twice.$i" "${at}ask" 2>>err &
			jobs+=($!)
		done
	done
	wait "${jobs[@]}"
	for i in "${!questions[@]}"; do
		eval "tm-$(with_form "${questions[$i]}")" >want 2>want.err </dev/null
		status=$?
		touch "got.1.$i" "got.2.$i"
		case ${questions[$i]} in
		*' nowhere '*) status=2 want=/dev/null ;; # is not asked for at all
		*) want=want ;;
		esac
		check "of fifty at once: ${questions[$i]}" eval 'cmp -s $want got.1.$i && cmp -s $want got.2.$i && grep -q "^X-Exit: $status" head.1.$i && grep -q "^X-Exit: $status" head.2.$i'
	done
	check 'no process was started' [ "$children$(cat "/proc/$view/task/$view/children")" = "" ]
	kill "$view"
	wait "$view"
else
	echo 'skip - many at once: there is no curl, or no libmicrohttpd'
fi

# Each of these names takes the expression a twentieth of a second, until it is given up.
{
	echo 'thread Main'
	for i in $(seq 200); do
		printf '> %d %s%d\n< %d %s%d\n' "$((i * 1000))" "$(printf 'a%.0s' {1..60})" "$i" "$((i * 1000 + 500))" "$(printf 'a%.0s' {1..60})" "$i"
	done
} | "$GEN/calls" >slow.tmt
limit=3
coproc door { exec tm-view -q --no-symbols --time-limit "$limit" --answer-bytes 100000 --lines a.tmt slow.tmt 2>view.err; }
pid=$door_PID
ask() {
	echo "$1" >&"${door[1]}"
	read -r answer <&"${door[0]}"
}
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; }
alone() { # all threads but the first have ended
	for _ in $(seq 100); do
		[ "$(ls "/proc/$pid/task" | wc -l)" = 1 ] && return 0
		sleep 0.1
	done
	return 1
}
small='top --by type --as csv a.tmt'
tm-top --by type --as csv a.tmt >want 2>err
right() { [ "$(jq -r .answer <<<"$answer")" = "$(cat want)" ]; }
ask "$small"
check 'a question' right
ask "top --by function --focus '(a+)+\$' slow.tmt"
check 'one that takes too long is ended' eval '[ "$(jq -r .ended <<<"$answer")" = "stopped after '"$limit"' s: start tm-view with --time-limit '"$((4 * limit))"', or choose a range" ]'
check '... and so is its thread' alone
ask 'top --by stack --show-stacks 9 --metrics all -n 0 --as json a.tmt'
check 'one that prints too much is ended' eval 'jq -r .ended <<<"$answer" | grep -q answer-bytes'
check '... and its thread' alone
ask "$small"
check 'the next one is answered' right
for i in $(seq 100); do
	ask "$small"
done
before=$(resident)
for i in $(seq 250); do
	ask "$small"
	right || break
	ask "top --focus '(' a.tmt"
	[ "$(jq .exit <<<"$answer")" = 2 ] || break
done
check 'five hundred more, of which half fail' [ "$i" = 250 ]
after=$(resident)
if [ -n "${SAN-}" ]; then
	echo 'skip - memory (sanitizers keep what is freed)'
else
	check "they leave nothing behind: $before, then $after kB" [ "$after" -lt $((before + before / 10)) ]
fi
eval "exec ${door[1]}>&-"
wait "$pid"

if [ -n "${SAN-}" ]; then
	echo 'skip - memory that runs out (sanitizers need more)'
	exit $failed
fi
"$GEN/trace" --seed 9 --allocs 1000000 --live 50000 --stacks 100000 --frames 100 --rich 1 >big.tmt
printf '%s\n' 'top --by type --as csv -n 1' 'top --by stack --metrics all -n 0 --as json' 'top --by type --as csv -n 1' >questions
(ulimit -d 220000 && exec tm-view -q --no-symbols --lines big.tmt <questions >answers 2>view.err)
check 'a question for which memory runs out ends alone' eval '[ "$(jq -c .exit answers | tr "\n" " ")" = "0 3 0 " ] && [ "$(sed -n 2p answers | jq -r .messages)" = "tm-top: out of memory" ]'
exit $failed
