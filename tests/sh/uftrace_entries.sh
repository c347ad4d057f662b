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
LC_ALL=C uftrace report -d uf --no-pager -f call 2>/dev/null | awk 'NR > 2 { print $2, $1 }' | sort >want
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
exit $failed
