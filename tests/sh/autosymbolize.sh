#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A trace without names has them in every program that shows some: `tm-R x` prints the same as
# `tm-symbolize x | tm-R`, of any number of files and with any option on their reading. The program is run for real,
# so the names are those of its source: a() and main() call malloc.
# shellcheck disable=SC2317 # functions are called by check
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

cat >s.c <<'X'
#include <stdlib.h>
__attribute__((noinline)) void *a(int i) { return malloc(100 + i); }
int main(void)
{
	for (int i = 0; i < 1000; i++)
		free(a(i));
	return 0;
}
X
if ! ${CC:-cc} -g -O0 -Wl,--build-id s.c -o sp 2>err || ! tm-record -q --no-symbols -o q1.tmt ./sp 2>err; then
	echo "skip - a recorded program (none can be recorded here)"
	exit $failed
fi
for i in 2 3 4 5 6 7 8 9; do cp q1.tmt q$i.tmt; done
mkdir named
for i in 1 2 3 4 5 6 7 8 9; do tm-symbolize -q -o named/q$i.tmt q$i.tmt 2>err; done
check 'the trace has no names, and gets them' eval '! tm-dump q1.tmt | grep -q s.c && tm-dump named/q1.tmt | grep -q s.c'

# The same words in the folder of the files without names and in that of those with names.
same() {
	"$@" >got 2>got.err
	(cd named && "$@" >../want 2>../want.err)
	diff want got >err && diff want.err got.err >>err && grep -q '\<a\>' got
}
nine='q1.tmt q2.tmt q3.tmt q4.tmt q5.tmt q6.tmt q7.tmt q8.tmt q9.tmt'
cp /proc/self/maps own.maps
echo 'threshold=128' >loli3.conf
# --maps is of captures that do not say where their modules are: a trace does.
options="--maps=$PWD/own.maps
--config=$PWD/loli3.conf
--slide=0x1000
--locations=return
--format=trace
--offsets=file"
try() { # PROGRAM ARGUMENT...
	local option

	check "$*: one file" same "$@" q1.tmt
	# shellcheck disable=SC2086 # words of the list
	check "$*: nine files" same "$@" $nine
	while read -r option; do
		check "$* ${option%%=*}" same "$@" "$option" q1.tmt
	done <<<"$options"
}
try tm-top -q --csv
# A format whose modules have no build-ids: the binary is given.
"$GEN/addresses" -n 40 -s 1 sp >addresses
"$GEN/memtracer" --seed 1 --addresses addresses --slide 0x100000 --frames 10 --stacks 20 --depth 3 >given.mem
tm-symbolize -q -e sp given.mem 2>err | tm-top -q --csv --by function >want 2>>err
tm-top -q --csv --by function -e sp given.mem >got 2>>err
check 'tm-top -e: as tm-symbolize -e before it' eval 'grep -q ",main,sp" want && cmp want got'
for file in absent "given=$PWD/absent"; do
	tm-symbolize -q -e "$file" given.mem >got 2>want
	check "... and of no such file the same error: $file" eval '! tm-top -q -e "$file" given.mem >got 2>err && sed s/tm-symbolize/tm-top/ want | cmp - err'
done
tm-top --by function -e other=sp given.mem >got 2>err
check 'tm-top -e NAME=FILE: no module has the name' grep -q "^tm-top: sp: not used: there is no module 'other'" err
tm-top -q --csv --by function -e sp --no-symbols given.mem >got 2>err
check '... nor with --no-symbols' eval '! grep -q ",main,sp" got && [ "$(wc -l <got)" -gt 2 ]'
check 'tm-top --no-symbols: none' eval '! tm-top -q --csv --no-symbols q1.tmt | grep -q "s\.c"'
try tm-frames -q --csv --detail
try tm-frames -q --csv --by site
# Several captures are one file each; so is what a store keeps of them.
check 'tm-export: folded' same tm-export -q --as folded q1.tmt
check 'tm-export: speedscope' same tm-export -q --as speedscope q1.tmt
compare() { tm-compare -q --as csv --by site --all "$@"; }
check 'tm-compare: two files' same compare q1.tmt q2.tmt
check 'tm-compare: two sides' same compare --base q1.tmt q2.tmt q3.tmt --new q4.tmt q5.tmt q6.tmt q7.tmt q8.tmt q9.tmt
check 'tm-compare: groups' same compare --group one q1.tmt q2.tmt --group two q3.tmt q4.tmt
baseline() {
	tm-compare -q --save-baseline base.tma "$1" && tm-top -q --csv base.tma
}
check 'tm-compare --save-baseline' same baseline q1.tmt
history() {
	rm -f store.db
	tm-history -q add store.db --build b --date 2026-01-01 "$@" && tm-history trend store.db --by site --csv
}
check 'tm-history add' same history q1.tmt q2.tmt
view() { tm-view -q --query 'top --by site --csv' "$@"; }
check 'tm-view: one file' same view q1.tmt
# shellcheck disable=SC2086 # words of the list
check 'tm-view: nine files' same view $nine
check 'tm-view --slide' same view --slide=0x1000 q1.tmt
check 'tm-view --follow' same view --follow q1.tmt
# shellcheck disable=SC2086 # words of the list
check 'tm-view --follow: nine files' same view --follow $nine
check 'tm-view --no-symbols: none' eval '! view --no-symbols q1.tmt | grep -q "s\.c"'
check 'tm-view --follow --no-symbols: none' eval '! view --follow --no-symbols q1.tmt | grep -q "s\.c"'
check 'tm-inspect --trace' same tm-inspect -q --disassemble a --trace q1.tmt "$PWD/sp"
exit $failed
