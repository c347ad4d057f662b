#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 300
#
# tm-top on a trace without names, wrappers that it guesses, and what its output may be called. What a row
# is follows from the program below: of 1300 allocations each of its thirteen users makes 100.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
same() { diff "$1" "$2" >err; }
status() { # WANT COMMAND...
	local want=$1

	shift
	"$@" >out 2>err
	[ $? = "$want" ]
}

cat >wrap.c <<'X'
#include <stdlib.h>
#define USE(N, HOW) __attribute__((noinline)) static void *use##N(void) { void *p = HOW(N * 100 + 16); __asm__ volatile("" ::: "memory"); return p; }
__attribute__((noinline)) static void *my_alloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
__attribute__((noinline)) static void *my_zalloc(size_t n) { char *p = my_alloc(n); p[0] = 0; return p; }
USE(1, my_alloc) USE(2, my_zalloc) USE(3, my_alloc) USE(4, my_zalloc) USE(5, my_alloc) USE(6, my_zalloc) USE(7, my_alloc)
USE(8, my_zalloc) USE(9, my_alloc) USE(10, my_zalloc) USE(11, my_alloc) USE(12, my_zalloc)
__attribute__((noinline)) static void *maker(void) { void *p = my_alloc(50); __asm__ volatile("" ::: "memory"); return p; }
int main(void)
{
	void *(*f[])(void) = {use1, use2, use3, use4, use5, use6, use7, use8, use9, use10, use11, use12, maker};
	for (int i = 0; i < 1300; i++) free(f[i % 13]());
	return 0;
}
X
# work() allocates and has helpers that do: it hands nothing on. one() has a single caller.
cat >work.c <<'X'
#include <stdlib.h>
#define NO __attribute__((noinline)) static
NO void *one(size_t n) { void *p = malloc(n); __asm__ volatile("" ::: "memory"); return p; }
NO void *work(size_t n) { free(one(n)); void *p = malloc(n); __asm__ volatile("" ::: "memory"); return p; }
#define USE(N) NO void *use##N(void) { void *p = work(N * 100 + 16); __asm__ volatile("" ::: "memory"); return p; }
USE(1) USE(2) USE(3) USE(4) USE(5) USE(6) USE(7) USE(8)
int main(void)
{
	void *(*f[])(void) = {use1, use2, use3, use4, use5, use6, use7, use8};
	for (int i = 0; i < 800; i++) free(f[i % 8]());
	return 0;
}
X
sites() { tm-top -q --csv -n 0 "$@" 2>err | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["site"], $at["count"] }' | sort; }
if ! ${CC:-cc} -g -O1 -fno-omit-frame-pointer -Wl,--build-id wrap.c -o wrap 2>err || ! ${CC:-cc} -g -O1 -Wl,--build-id work.c -o work 2>err ||
	! tm-record -q --no-symbols -o raw.tmt ./wrap 2>err || ! tm-record -q -o work.tmt ./work 2>err; then
	echo "skip - recorded programs (none can be recorded here)"
	exit $failed
fi
tm-symbolize -q -o named.tmt raw.tmt 2>err
check 'a trace without names gets them' same <(sites named.tmt) <(sites raw.tmt)
check '... and it has them' grep -q my_alloc <(sites --by site raw.tmt)
check '--no-symbols: it has none' grep -q '^wrap[+!]0x' <(sites --no-symbols raw.tmt)
zstd -q -f raw.tmt && check 'a packed one as well' same <(sites named.tmt) <(sites raw.tmt.zst)
check 'several at once' grep -qx 'my_alloc 2600' <(sites --by site raw.tmt named.tmt)
check 'from standard input it stays as it is' grep -q '^wrap[+!]0x' <(sites - <raw.tmt)
check '--if-useful: nothing of a trace that has names' [ -z "$(tm-symbolize -q --if-useful named.tmt | head -c 1)" ]
check '--if-useful: all of one that has none' cmp -s <(tm-symbolize -q --if-useful raw.tmt) named.tmt
mv wrap other
check 'a binary that is gone gives no names' grep -q '^wrap[+!]0x' <(sites raw.tmt)
sed -i s/50/51/ wrap.c && ${CC:-cc} -g -O1 -Wl,--build-id wrap.c -o wrap 2>err
check 'nor does another build of it' grep -q '^wrap[+!]0x' <(sites raw.tmt)
check '--if-useful: none of the other build' eval '! tm-symbolize -q --if-useful raw.tmt 2>err | grep -qa my_alloc'
mv other wrap

{
	for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "use$n 100"; done
	echo 'maker 100'
} | sort >want
check '--guess-sites: thirteen users, no wrapper' same want <(sites --guess-sites named.tmt)
check '... by itself, since my_alloc has more than half' same want <(sites named.tmt)
check '... of a pipe, too' same want <(sites - <named.tmt)
check '... but not where sites are asked for' grep -qx 'my_alloc 1300' <(sites --by site named.tmt)
check '... or with --guess-sites=never' grep -qx 'my_alloc 1300' <(sites --guess-sites=never named.tmt)
check '... of several captures' grep -qx 'maker 200' <(sites named.tmt raw.tmt)
check '... of a trace without names' same want <(sites --guess-sites raw.tmt)
check '... and says so' grep -q 'guessed allocator wrappers.*my_alloc (8 callers.*my_zalloc (6 callers' <(tm-top --guess-sites named.tmt 2>err)
check '... in JSON, too' grep -q '"guessed": *"guessed allocator wrappers' <(tm-top --guess-sites --as json named.tmt 2>err)
sites --by site work.tmt >plain
check 'who allocates otherwise, too, is no wrapper; nor is who has one caller' \
	same plain <(sites --guess-sites --by site work.tmt)
check '... which are two sites' [ "$(tr '\n' ' ' <plain)" = 'one 800 work 800 ' ]
# Three instances of one template and two functions call pool(), 100 times each: five callers, of a fifth each.
# Then Vec<T>::grow, of three fifths, is called by three functions; and each Tree<T>::make by the same one.
cat >templates.cpp <<'X'
#include <stdlib.h>
#define NO __attribute__((noinline))
#define KEEP __asm__ volatile("" ::: "memory")
NO static void *pool(size_t n) { void *p = malloc(n); KEEP; return p; }
template <class T> struct Vec { NO static void *grow(T) { void *p = pool(96); KEEP; return p; } };
template <class T> struct Tree { NO static void *make(T) { void *p = malloc(96); KEEP; return p; } };
NO static void *ints() { void *p = Vec<int>::grow(1); KEEP; return p; }
NO static void *floats() { void *p = Vec<float>::grow(1); KEEP; return p; }
NO static void *longs() { void *p = Vec<long>::grow(1); KEEP; return p; }
NO static void *first() { void *p = pool(96); KEEP; return p; }
NO static void *second() { void *p = pool(96); KEEP; return p; }
NO static void forest() { free(Tree<int>::make(1)); free(Tree<float>::make(1)); free(Tree<long>::make(1)); KEEP; }
int main(int argc, char **)
{
	void *(*f[])() = {ints, floats, longs, first, second};
	for (int i = 0; i < 500 && argc == 1; i++) free(f[i % 5]());
	for (int i = 0; i < 100 && argc > 1; i++) forest();
}
X
if ${CXX:-c++} -g -O1 -Wl,--build-id templates.cpp -o templates 2>err && tm-record -q -o vec.tmt ./templates 2>err &&
	tm-record -q -o tree.tmt ./templates trees 2>err; then
	of() { sites "$@" | grep ' 100$'; } # the C++ library may have a block of its own
	check 'by site it is the pool' grep -qx 'pool([a-z ]*) 500' <(sites --by site vec.tmt)
	check '--guess-sites: instances of a template are one function' same \
		<(printf '%s() 100\n' first floats ints longs second) <(of --guess-sites vec.tmt)
	check '... which is said, with how many' grep -q 'pool(.*) (5 callers.* Vec<>::grow (3 instances, 3 callers, ' \
		<(tm-top --guess-sites vec.tmt 2>err)
	check '... but not when one function calls them all' same <(of tree.tmt) <(of --guess-sites tree.tmt)
	check '... which are three' [ "$(of tree.tmt | grep -c '^"*Tree<.*>::make')" = 3 ]
else
	echo "skip - instances of templates (no C++ compiler)"
fi
# The game of make demo, by the rules that its authors would write, and without.
first() { tm-top -q --csv -n 4 "$@" 2>err | cut -d, -f 1-4; }
game=$DATA/demo/gcc-dwarf5-O2
if [ -e "$game/arcade.mem" ]; then
	tm-symbolize -q -e "$game/bin/arcade" -e "$game/bin/libengine.so" --maps "$game/arcade.maps" -o game.tmt "$game/arcade.mem" 2>err
	check "the demo's first rows are the game's without its file of rules" \
		same <(first --by site --sites "$SRC/testdata/src/demo/arcade.sites" game.tmt) <(first game.tmt)
fi
check '--guess-sites of standard input' same want <(sites --guess-sites --by site - <named.tmt)
check '--guess-sites is of sites' status 2 tm-top --guess-sites --by type named.tmt

for ext in pdf svg zst tmt; do
	check "a report is not written as .$ext" status 2 tm-top -o "x.$ext" named.tmt
done
check 'nothing was written' eval '! ls x.* >err 2>&1'
check 'rules of a policy: by the name of the file' eval '! tm-top -o x.xml named.tmt 2>err; grep -q "^tm-top: -o x.xml: the report has no rules" err'
cp named.tmt recording
check 'a report replaces no recording' status 2 tm-top -o recording named.tmt
check '... which is as it was' cmp -s named.tmt recording
check 'but a report, it does' eval 'echo x >old.txt && tm-top -q -o old.txt named.tmt && grep -q my_alloc old.txt'
check 'traces are not packed by name' status 2 tm-import -o x.tmt.zst named.tmt
tm-top --focus nosuch named.tmt >out 2>err
check 'nothing is left: it is said' grep -q 'no record is left: the filters drop all 1300 records' err
tm-symbolize -o x.tmt -e /bin/true raw.tmt 2>err
check 'a binary of no module: it is said' grep -q 'true: not used: no module has its name or build-id' err
exit $failed
