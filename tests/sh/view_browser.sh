#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-view's page in a headless browser, with real clicks, drags and keys: the five questions. Which frame
# was worst, and why; what grew between two builds; who calls this; what holds this texture; where is the
# time of this thread. What must be found is what the game counted itself. Then the address, the
# keyboard, names that would be markup or hide something, a file that cannot be read, a program that has ended, and what is
# shown of a large file before all of it is read, and how long the page's tasks take with a hundred thousand rows.
# timeout: 900
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/browser.bash
. "$SRC/tests/browser.bash"
if tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - in a browser: built without libmicrohttpd'
	exit 0
fi
game=$DATA/demo/gcc-dwarf5-O2
if [ ! -x "$game/bin/arcade" ]; then
	echo 'skip - in a browser: there is no demo here'
	exit 0
fi
mkdir -p a b
"$game/bin/arcade" --frames 20 --out a
"$game/bin/arcade" --frames 20 --leak 64 --grow 7 --out b
for run in a b; do
	tm-symbolize -q --maps $run/arcade.maps --locations return -e "$game/bin/arcade" \
		-e "$game/bin/libengine.so" $run/arcade.stream >$run.tmt
done
tm-symbolize -q --maps a/arcade.maps --locations return -e "$game/bin/arcade" \
	-e "$game/bin/libengine.so" a/arcade.mem >mem.tmt
sed 's/RIGHT|TO|LEFT|AND|NOTHING/re\xe2\x80\xaever\xe2\x80\x8bse/' <<'END' | "$GEN/calls" >calls.tmt
thread Main
> 0 Update
> 1000000 Physics
< 8000000 Physics
> 8500000 渲染场景
< 8600000 渲染场景
> 8700000 RIGHT|TO|LEFT|AND|NOTHING
< 8800000 RIGHT|TO|LEFT|AND|NOTHING
< 9000000 Update
thread Worker
> 0 Job
< 2000000 Job
END
"$GEN/trace" --seed 5 --allocs 400000 --live 1000 --stacks 200000 --frames 3 >many.tmt
"$GEN/trace" --seed 6 --allocs 300000 --live 500 --stacks 300 --frames 50 >whole.tmt
"$GEN/trace" --seed 9 --allocs 3000000 --live 500 --stacks 300 --frames 50 >large.tmt
cp "$DATA/heap/il2cpp.snap" heap.snap
echo nothing >none.txt
exec python3 "$SRC/tests/view_browser.py" "$browser" "$SRC" "$game"
