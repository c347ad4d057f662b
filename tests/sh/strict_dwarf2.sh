#!/bin/bash
# SPDX-License-Identifier: MIT
#
# DWARF 2 to the letter (-gstrict-dwarf) has no lists of ranges: a function's cold part is a DIE of its own, calls that were
# inlined there stand in the function, outside of its addresses, and thunks have no DIE. The same code, of which
# DWARF 4 says more, is the truth: GNU addr2line reads that.
# shellcheck disable=SC2086 # several options
set -u
. "$SRC/tests/check.bash"

cat >cold.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static inline __attribute__((always_inline)) void report(const char *w, int n)
{
	if (n > 3)
		fprintf(stderr, "bad %s %d\n", w, n);
	else
		fputs(w, stderr);
}
__attribute__((cold)) static void fail(const char *w)
{
	fputs(w, stderr);
	exit(1);
}
int f(int a, char *s)
{
	if (__builtin_expect(a == 7, 0)) {
		report(s, a);
		fail("f");
	}
	return a * 2 + (int)strlen(s);
}
int h(int a, char *s)
{
	if (__builtin_expect(a < 0, 0)) {
		report("h", a);
		abort();
	}
	return f(a, s);
}
int main(int c, char **v)
{
	return h(c, v[0]);
}
C
cat >thunks.cpp <<'CPP'
#include <cstdlib>
struct A { virtual ~A() {} virtual int fa(int x) { return x; } int a = 1; };
struct B { virtual ~B() {} virtual int fb(int x) { return x; } int b = 2; };
struct V { virtual ~V() {} virtual int fv(int x) = 0; int v = 3; };
struct C : A, B, virtual V {
	int fb(int x) override { return x + b; }
	int fv(int x) override { return x == 3 ? abs(x) : x; }
};
int main(int c, char **) { C x; B *b = &x; V *w = &x; return b->fb(c) + w->fv(c); }
CPP
# Calls, innermost first, without a part's suffix, a function in itself as one; then the line of the innermost.
cat >calls.py <<'PY'
import re, sys
of = {}
for line in open(sys.argv[1]):
    line = re.sub(r' \(discriminator \d+\)', '', line.rstrip('\n'))
    if line.startswith('0x'):
        of[line] = rows = []
    else:
        rows.append(line)
for at, rows in of.items():
    names = [re.sub(r'\.cold$|^__second_sect_of_', '', n) for n in rows[::2]]
    names = [n for i, n in enumerate(names) if not i or n != names[i - 1]]
    print(at, ' '.join(names) if len(sys.argv) == 2 else '', re.sub('.*/', '', rows[1]))
PY
compare() { # SYMBOLS COMPILER SOURCE WHAT LEAST [lines]
	"$2" -O2 -gdwarf-2 -gstrict-dwarf -freorder-blocks-and-partition -o two "$3" &&
		"$2" -O2 -gdwarf-4 -freorder-blocks-and-partition -o four "$3" || exit 1
	for f in two four; do
		objcopy -O binary -j .text $f $f.code
	done
	check "$4: the same code" cmp two.code four.code
	objdump -d --no-show-raw-insn -j .text four | awk -v of="$1" '
		/^[0-9a-f]+ <.*>:$/ { on = $2 ~ of }
		on && /^ +[0-9a-f]+:/ && !/nop|xchg/ { sub(":", "", $1); print "0x" $1 }' >asked
	if [ ! -s asked ]; then
		echo "skip - $4: $2 makes none"
		return
	fi
	addr2line -afie four <asked >want
	python3 calls.py want ${6-} >want.calls
	tm-addr2line --no-cache --verify 100000 -afie two <asked >got 2>verified
	python3 calls.py got ${6-} >got.calls
	diff want.calls got.calls >err
	check "$4: $(wc -l <want.calls) addresses as addr2line has them of DWARF 4" \
		[ ! -s err -a "$(wc -l <want.calls)" -ge "$5" ]
	check "$4: and as libdwarf has them" grep -q ', 0 different, 0 unknown' verified
}
compare '[.]cold>' gcc cold.c 'cold parts' 8
compare '_ZT[hv]' g++ thunks.cpp thunks 4 lines
exit $failed
