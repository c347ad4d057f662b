#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A trace that has symbols is symbolized again: the new ones replace the old ones, whichever were
# better, and equal those that the capture would have got. Two captures of one file keep apart.
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

cat >prog.c <<'X'
static inline __attribute__((always_inline)) int inner(int x) { return x * 70000; }
int outer(int x) { return inner(x) + 1; }
int main(void) { return outer(2); }
X
if ! ${CC:-cc} -g -O1 -fno-pie -no-pie prog.c -o prog 2>err; then
	echo "skip - symbolizing again (${CC:-cc} cannot build for it)"
	exit 0
fi
at=$((0x$(nm prog | awk '$3 == "outer" {print $1}')))
printf '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x%x;0x%x;0x10;"],"sz":[8]}]}\n' $((at + 2)) $((at + 5)) >prog.mem

tm-import -q --slide 0 prog.mem -o prog.tmt
with='-q -e prog'
without='-q --no-local'
dump() { tm-dump "$@" | grep -E '^(capture|location|binding|  call|totals)'; }
# shellcheck disable=SC2086
{
	tm-symbolize $with prog.tmt -o with.tmt
	tm-symbolize $without prog.tmt -o without.tmt
	tm-symbolize $with without.tmt -o gained.tmt
	tm-symbolize $without with.tmt -o lost.tmt
	tm-symbolize $with with.tmt -o again.tmt
	cat with.tmt without.tmt >two.tmt
	tm-symbolize $with two.tmt -o both.tmt
} 2>err
for f in with without gained lost again both; do
	dump $f.tmt >$f
done
check 'there are names to gain' eval 'grep -q "^  call function=\"inner\"" with && ! grep -q "^  call" without'
check 'symbols are put where there were none' cmp -s gained with
check 'symbols go when there is no binary' cmp -s lost without
check 'symbols are replaced by the same ones' cmp -s again with
cat with with >want
check 'two captures, one with symbols' cmp -s both want

# Notes about symbols go with the symbols; notes about the capture stay.
printf '%x-%x r-xp 00001000 00:00 1 %s\n' $((0x7f0000001000)) $((0x7f0000003000)) "$PWD/prog" >maps
printf '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x7f0000001005;"],"sz":[9]}]}\n' >mapped.mem
# Not the call sites: what there is of them depends on the symbols every time.
notes() { tm-dump "$@" | grep '^note ' | grep -v 'follow a call'; }
tm-import -q --maps maps mapped.mem -o mapped.tmt
tm-symbolize -q mapped.tmt -o guessed.tmt
tm-symbolize -q guessed.tmt -o guessed2.tmt
tm-symbolize -q -e prog guessed.tmt -o given.tmt
tm-import -q guessed.tmt -o copied.tmt
tm-symbolize -q -e prog copied.tmt -o given2.tmt
for f in mapped guessed guessed2 given copied given2; do
	notes $f.tmt >$f.notes
done
check 'a guess is noted' grep -q 'captured path' guessed.notes
check 'symbolizing twice notes it once' cmp -s guessed.notes guessed2.notes
# A file of -e has a guess of its own, as the map has no build-id.
for f in given given2; do
	check "$f: nothing proves the given file" [ "$(grep -c 'given files are of the captured build: prog"' $f.notes)" = 1 ]
	sed -i '/given files are of/d' $f.notes
done
check 'a guess that no longer holds goes' cmp -s mapped.notes given.notes
check 'what the capture says of itself stays' grep -q 'sum is above' given.notes
check 'a copied trace keeps its notes' cmp -s guessed.notes copied.notes
check '... and knows which are about symbols' cmp -s mapped.notes given2.notes

# What the user says that a file is goes before what it looks like.
for p in tm-import tm-symbolize tm-dump tm-top; do
	"$p" -q -f memtracer prog.tmt >out 2>err
	status=$?
	check "$p -f memtracer of a trace" eval '[ $status = 3 ] && [ ! -s out ] && grep -q "^$p: prog.tmt: " err'
	"$p" -q -f trace prog.mem >out 2>err
	status=$?
	check "$p -f trace of a capture" eval '[ $status = 3 ] && [ ! -s out ] && grep -q "no trace begins here" err'
done

exit $failed
