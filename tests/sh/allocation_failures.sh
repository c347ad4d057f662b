#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 1800
#
# Every allocation of the main commands fails once, the libraries' too: no crash, and nothing that is
# not whole is taken for whole (testdata/gen/failures.c says what is judged). STEP=N fails each N-th
# only, STEP=1 all; without it each command's own step counts, times 5 to 7 by the day unless DAYS=all (tests/run).
set -u
: "${GEN:?}" "${SRC:?}" "${CC:?}"

if [ -n "${SAN-}" ]; then
	echo "skip - allocations that fail (a sanitizer brings its own malloc)"
	exit 0
fi

failed=0
$CC -O2 -shared -fPIC -o failing.so "$SRC/testdata/src/faults/failing_malloc.c" || exit 1
printf '[rule all]\nmetric = requested\nkey = site\neach = yes\npercent = 1\n' >policy.ini
cat >prog.c <<'C'
#include <stdlib.h>
static void *one(int n) { return malloc((size_t)n); }
int main(int c, char **v) { for (int i = 0; i < 10; i++) free(one(i + c)); return v == 0; }
C
$CC -g -O1 -o prog prog.c || exit 1
tm-record -q -o rec.tmt -- ./prog
"$GEN/trace" --allocs 300 --live 20 --stacks 30 --frames 5 >t.tmt
"$GEN/memtracer" --bytes 20000 --seed 1 >m.mem
printf 'main;a 5\nmain;b 7\n' >s.folded
tm-compare -q --save-baseline a.tma t.tmt
tm-compare -q --save-baseline b.tma m.mem
for build in b1 b2 b3; do
	tm-history add -q runs.db t.tmt --build $build >/dev/null
done
mkdir out

times=$((5 + DAY % 3))
[ "${DAYS-}" != all ] || times=1
# STEP of the command's own, [--out FILE], command
fails() {
	local step=${STEP:-$(($1 * times))} out=()

	shift
	if [ "$1" = --out ]; then
		out=(--out "$2")
		shift 2
	fi
	"$GEN/failures" --step "$step" "${out[@]}" "$PWD/failing.so" "$@" </dev/null || failed=1
}

fails 1 tm-import m.mem
fails 1 --out out/i.tmt tm-import -o out/i.tmt "$DATA/loli/good-105.loli"
fails 1 tm-import "$DATA/unity/good-frames.raw"
fails 1 tm-import "$DATA/mono/17.mlpd"
fails 1 tm-dump t.tmt
fails 3 tm-top t.tmt
fails 5 tm-top --tree --focus 'm.*c' t.tmt
fails 5 --out out/top.html tm-top --as html -o out/top.html t.tmt
fails 1 tm-top a.tma
fails 3 tm-frames t.tmt
fails 1 tm-spikes t.tmt
fails 7 tm-compare --gate policy.ini t.tmt t.tmt
fails 9 --out out/b.tma tm-compare -q --save-baseline out/b.tma t.tmt
fails 1 --out out/m.tma tm-merge -o out/m.tma a.tma b.tma
fails 3 tm-filter --size 10.. t.tmt
fails 1 tm-heap "$DATA/heap/after.tmt"
fails 1 tm-symbolize --no-cache -j 1 rec.tmt
fails 1 tm-addr2line --no-cache -f -i -e prog 0x1139 0x1150
fails 1 tm-llvm-symbolizer --no-cache -e prog 0x1139
fails 1 tm-atos -o prog 0x1139
fails 1 tm-inspect --no-cache --disassemble main prog
for kind in pprof folded speedscope chrome; do
	fails 5 --out "out/e.$kind" tm-export --as "$kind" -o "out/e.$kind" t.tmt
done
fails 97 --out out/e.sqlite tm-export --as sqlite -o out/e.sqlite t.tmt
fails 9 tm-history trend runs.db
fails 9 tm-history list runs.db
exit $failed
