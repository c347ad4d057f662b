#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What uftrace's records have is the function that is entered, though its first instruction is inlined from
# another one: with symbols as without, calls are of the functions that uftrace names.
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}"
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

for tool in uftrace gcc; do
	if ! command -v $tool >/dev/null; then
		echo "skip - entered functions of uftrace ($tool is not installed)"
		exit 0
	fi
done
cat >entry.c <<'C'
static inline __attribute__((always_inline)) int twice(const volatile int *p) { return *p * 2; }
int __attribute__((noinline, noclone)) work(const volatile int *p) { return twice(p) + 1; }
int main(void) { volatile int x = 3; int s = 0; for (int i = 0; i < 5; i++) s += work(&x); return s == 0; }
C
if ! gcc -O2 -g -pg -mfentry -fno-pie -no-pie entry.c -o entry 2>err || ! uftrace record -d uf ./entry >/dev/null 2>>err; then
	echo "skip - entered functions of uftrace (it cannot record here: $(tail -n 1 err))"
	exit 0
fi
# A function's name may have words: "linux:schedule (pre-empted)", when the machine was busy.
report() { # DIRECTORY
	LC_ALL=C uftrace report -d "$1" --no-pager -f call 2>/dev/null |
		awk 'NR > 2 { calls = $1; sub(/^ *[0-9]+ +/, ""); sub(/ +$/, ""); print $0, calls }' | sort
}
report uf >want
tm-import -q uf | tm-symbolize -q -e entry >named.tmt 2>err
# The premise: at the address that is recorded another function's code is inlined.
address=$(tm-import -q uf | tm-dump | sed -n 's/^location.* 0x\([0-9a-f]*\) .*name="work"$/0x\1/p')
check 'another function is inlined where work is entered' eval '[ "$(tm-addr2line -fie entry "$address" | head -n 1)" = twice ]'
tm-top -q --by function --csv -n 0 uf | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["function"], $at["calls"] }' | sort >got
check 'without symbols: calls as uftrace counts them' diff want got
tm-top -q --by function --csv -n 0 named.tmt | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["function"], $at["calls"] }' |
	sed 's/@plt / /' | sort >got # a stub of the PLT, which uftrace calls by the function's name
check 'with symbols: of the same functions' diff want got
check 'and the line is that of the function' eval '[ "$(tm-top -q --by site --csv named.tmt | grep -c "entry.c,2,")" = 1 ]'

# Source lines and arguments: what uftrace's own replay prints beside each call, and what its report counts. The
# layout of 0.14 and newer, sizes in NAME.sym, is made here of that of the uftrace that is here.
cat >lines.c <<'C'
#include <string.h>
int __attribute__((noinline)) add(int a, int b) { return a + b; }

int __attribute__((noinline)) size(const char *s) { return (int)strlen(s); }
double __attribute__((noinline)) half(double x) { return x / 2; }
int main(int argc, char **argv) { int s = size(argv[0]); for (int i = 0; i < 7; i++) s += add(i, argc); return s + (int)half(3) == 0; }
C
if ! gcc -O1 -g -pg lines.c -o lines 2>err || ! uftrace record -a --srcline -d args ./lines >/dev/null 2>>err || [ ! -s args/lines.dbg ]; then
	echo "skip - arguments and source lines of uftrace (it has none here: $(tail -n 1 err))"
	exit $failed
fi
LC_ALL=C uftrace replay -d args --srcline --no-pager 2>/dev/null | grep -o '[a-z]*(.*/\* .*\.c:[0-9]*' | sed 's/^\([a-z]*\)(.*\/\* /\1 /' | sort -u >want
table() { # DIRECTORY COLUMN...
	tm-top -q --by site --csv -n 0 "$1" | tr -d '\r' | awk -F, -v want="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		want == "line" && $at["line"] { print $at["site"], $at["file"] ":" $at["line"] }
		want == "calls" { sub(/ \[.*/, "", $at["site"]); print $at["site"], $at["calls"] }' | sort
}
check 'lines of functions are those of replay' eval '[ "$(wc -l <want)" = 4 ] && diff want <(table args line)'
cp -r args sized
awk '/^#/ || NF == 4 { print; next } { print $1, "00000400", $2, $3 }' args/lines.sym >sized/lines.sym
check 'where symbols have sizes, too' diff want <(table sized line)
report args >want
check 'arguments change no call' diff want <(table args calls)
check 'and are counted as left out' eval 'tm-import -v args 2>&1 >out | grep -q "arguments, which are not read"'
sed -i 's/^L: 2 .*/L: two lines.c/' sized/lines.dbg
check 'a line that makes no sense is a loss, the others stay' eval '
	tm-import sized 2>&1 >out | grep -q "unreadable lines" && [ "$(table sized line | wc -l)" = 3 ]'
exit $failed
