#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Any range of frames or of time: what tm-view answers from what it keeps, and from sums that a process
# beside has made, is what the command line says of the file, byte for byte; also of two ranges compared, whose
# sides tm-view reads at the same time.
# timeout: 600
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates, and calls functions
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

"$GEN/trace" --seed 5 --allocs 60000 --live 2000 --stacks 900 --frames 200 --rich 1 >a.tmt
"$GEN/trace" --seed 6 --allocs 60000 --live 2500 --stacks 900 --frames 200 --rich 1 >b.tmt
RANDOM=1
range() { # OF: at random
	local from=$((RANDOM % $1))

	echo "$from$2..$((from + RANDOM % ($1 / (1 + RANDOM % 20)) + 1))$2"
}
form() { # any of the words
	local words=("$@")

	echo "${words[RANDOM % $#]}"
}
for ((i = 0; i < 30; i++)); do
	frames=$(range 200 '') time=$(range 60 ms)
	echo "top $(form '' '--by stack --metrics all' '--by type,site' '--by thread --metrics all' '--domain all --sort peak') $(form "--frame $frames" "--time $time" "--frame $frames --time $time" "--frame ..${frames#*..}" "--frame $frames --size 100..500") a.tmt"
	echo "frames -n 0 --frame $frames a.tmt"
done >questions
for ((i = 0; i < 30; i++)); do
	echo "compare $(form '' '--by stack' '--by type' '--domain pool' '--thread 101') $(form "--base-frame $(range 200 '') --new-frame $(range 200 '') a.tmt" "--base-time $(range 60 ms) --new-time $(range 60 ms) a.tmt" "--base-frame $(range 200 '') --new-frame $(range 200 '') a.tmt b.tmt" "--frame $(range 200 '') a.tmt b.tmt" "--size 30..300 a.tmt b.tmt")"
done >>questions
tm-view -q --no-symbols --lines a.tmt b.tmt <questions >answers 2>err
bad=0 n=0
while read -r question <&3 && read -r answer <&4; do
	eval "tm-$question --as json" >want 2>want.err
	status=$?
	((n++))
	[ "$(jq -c .answer <<<"$answer")" = "$(jq -c . want)" ] && [ "$(jq -r .messages <<<"$answer")" = "$(cat want.err)" ] &&
		[ "$(jq .exit <<<"$answer")" = $status ] && continue
	((bad++))
	echo "$question"
done 3<questions 4<answers
check "$n questions about any ranges" [ "$n $bad" = "$(wc -l <questions) 0" ]
echo 'compare --base-frame 9..1 --new-frame 3 a.tmt' | tm-view -q --no-symbols --lines a.tmt >got 2>err
check 'a range that is none is an error of use, once' [ "$(jq '[.exit, (.messages | split("\n") | map(select(test("ends before"))) | length)] | tostring' got)" = '"[2,1]"' ]
exit $failed
