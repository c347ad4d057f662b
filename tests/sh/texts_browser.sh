#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Reports and every view of tm-view's page in a headless browser, in Chinese: no text that is seen is in English,
# but for names, options and units; the language is the address's, else that of who made the page, else the browser's.
# timeout: 600
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
mkdir a b
"$game/bin/arcade" --frames 20 --out a
"$game/bin/arcade" --frames 20 --leak 64 --grow 7 --out b
for run in a b; do
	tm-symbolize -q --maps $run/arcade.maps --locations return -e "$game/bin/arcade" \
		-e "$game/bin/libengine.so" $run/arcade.stream >$run.tmt
done
"$GEN/calls" >calls.tmt <<'END'
thread Main
> 0 Update
> 1000000 Physics
< 8000000 Physics
> 8500000 加载纹理并解压缩到显存
< 8600000 加载纹理并解压缩到显存
< 9000000 Update
thread Worker
> 0 Job
< 2000000 Job
END
cp "$DATA/heap/il2cpp.snap" heap.snap
echo nothing >none.txt
cat >budget.ini <<'END'
[rule requested]
metric = requested
percent = 1
[rule sites]
metric = requested
key = site
each = yes
percent = 5
[rule count]
metric = count
percent = 900
END
tm-top -q -o top.html a.tmt
tm-top -q -n 5 --by type -o types.html a.tmt
tm-top -q --memory -o memory.html a.tmt
tm-top -q --tree -o tree.html a.tmt
tm-top -q --peek main -o peek.html a.tmt
tm-top -q -o times.html calls.tmt
tm-frames -q -o frames.html a.tmt
tm-frames -q --frame 2 -o frame.html a.tmt
tm-frames -q --spike 0.5x -o runs.html a/arcade.mem
tm-frames -q --spread --by type -o spread.html a.tmt
tm-compare -q -o compare.html a.tmt b.tmt
tm-compare -q --normalize --by type -o normalized.html a.tmt b.tmt
tm-compare -q --gate budget.ini -o gate.html a.tmt b.tmt
tm-spikes -q --threshold 1ms -o spikes.html calls.tmt
tm-spikes -q --threshold 1ms --gate 0 -o many.html calls.tmt
tm-heap -q -o heap.html heap.snap
tm-heap -q --dominators -o dominators.html heap.snap
"$GEN/perf_script" --samples 9 plain 2>err | sed 's/ cpu-clock:[^ ]*/ cycles:/' >cycles.perf
tm-top -q -o cycles.html cycles.perf
printf '%s\n' 'events: Ir' 'fl=main.cpp' 'fn=main' '1 10' 'cfn=Update' 'calls=1 2' '1 30' 'fn=Update' '2 30' >ir.callgrind
tm-top -q -o ir.html ir.callgrind
exec python3 "$SRC/tests/texts_browser.py" "$browser" "$SRC"
