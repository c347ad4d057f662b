#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# C# in the recording of tm-record: Mono's profiler with the real Mono, and the header for IL2CPP against a stub of its
# interface. What there must be is in the heads of tests/kits/mono/Game.cs and tests/kits/il2cpp/game.cpp.
# timeout: 300
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
: "${BIN:?}"

field() { # file, what the last column or the site is, column's number
	tr -d '\r' <"$1" | awk -F, -v want="$2" -v n="$3" '$NF == want || $(NF - 1) == want { print $n; exit }'
}

mkdir include
cp "$SRC/lib/recorder/tracemill.h" include/
check 'il2cpp: the header compiles' g++ -Wall -Wextra -Werror -g -Iinclude -I"$SRC/tests/kits/il2cpp" -I"$SRC/examples/il2cpp" "$SRC/tests/kits/il2cpp/game.cpp" -o il2cpp
check 'il2cpp: without a recorder nothing happens' ./il2cpp
tm-record -q -o il2cpp.tmt -- ./il2cpp 2>err
tm-top -q --by type --domain mono --csv il2cpp.tmt >il2cpp.csv
equals 'il2cpp: objects and bytes' "$(field il2cpp.csv Game.Shot 2) $(field il2cpp.csv Game.Shot 4) $(field il2cpp.csv Tile 2) $(field il2cpp.csv Tile 4)" '7 224 2 8192'
equals 'il2cpp: the heap' "$(tm-dump -q il2cpp.tmt | sed -n 's/^counter value=\([0-9]*\) .*/\1/p')" 9437184

agent=$BIN/../lib/mono/libmono-profiler-tracemill.so
if ! command -v mono >/dev/null || ! command -v mcs >/dev/null || [ ! -e "$agent" ]; then
	echo 'skip - mono: no Mono, or no headers of it when this was built'
	exit $failed
fi
export LD_LIBRARY_PATH=${agent%/*}
printf '#include <stdlib.h>\nvoid *native_load(int n) { return malloc((size_t)n); }\n' >game.c
${CC:-cc} -g -shared -fPIC game.c -o libgame.so
check 'mono: the game compiles' mcs -debug -nowarn:649 -out:game.exe "$SRC/tests/kits/mono/Game.cs"
equals 'mono: without a recorder it says so, and the game runs' "$(timeout 60 mono --profile=tracemill game.exe 2>&1)" \
	'tracemill: nothing records this program: start it with tm-record
done'
equals 'mono: the game ends as before' "$(timeout 60 tm-record -q -o mono.tmt -- mono --debug --profile=tracemill game.exe frames 2>err; echo "$? $(cat err)")" 'done
0 '
tm-dump -q mono.tmt >dump
calls() { # trace, name: how many
	tm-top -q --by function --domain mono --sort calls --csv -n 0 "$1" >functions.csv
	field functions.csv "$2" 11
}
equals 'mono: frames' "$(grep -c '^frame' dump)" 60
tm-top -q --by type --domain mono --csv -n 0 mono.tmt >types.csv
equals 'mono: shots' "$(field types.csv Arcade.Shot 2) $(field types.csv Arcade.Shot 4)" '180 5760'
equals 'mono: tiles' "$(field types.csv Arcade.Level.Tile 2) $(field types.csv Arcade.Level.Tile 4)" '1000 32000'
for f in 'Fire 180' 'Tick 60' 'Load 1' 'Fail 4' 'Tile..ctor 1000' 'Main 1'; do
	equals "mono: calls of $f" "$(calls mono.tmt "Arcade.Level.${f% *}")" "${f#* }"
done
equals 'mono: each call ends, also by an exception' "$(grep -c '^enter' dump)" "$(grep -c '^exit' dump)"
check 'mono: the collection of frame 50' [ "$(calls mono.tmt 'collection of all objects')" -ge 1 ]
check 'mono: and the heap after it' grep -q '^counter [0-9]* name="mono.used"' dump
tm-top -q --by stack --focus 'Arcade.Shot|Fire' --domain mono --csv -n 0 mono.tmt | tr -d '\r' >stacks.csv
check 'mono: the stack of a shot' grep -q '^[0-9]*,180,.*Arcade.Level.Main;Arcade.Level.Tick;Arcade.Level.Fire$' stacks.csv
line=$(grep -n 'static void Fire' "$SRC/tests/kits/mono/Game.cs" | cut -d: -f 1)
check "mono: its line, $line" grep -q "Game.cs,$line," stacks.csv
tm-top -q --by stack --domain malloc --min 0 -n 0 --focus native_load --csv mono.tmt | tr -d '\r' >native.csv
check 'mono: a native block has the stack of C#' grep -Eq ',54321,.*Arcade.Level.Main;Arcade.Level.Tick;Arcade.Level.Load;.*native_load$' native.csv
equals 'mono: in frame 30' "$(tm-top -q --by type --domain mono --csv --frame 30 -n 0 mono.tmt >f.csv; field f.csv Arcade.Level.Tile 2)" 1000

timeout 60 tm-record -q -o off.tmt -- mono --profile=tracemill:calls=off game.exe frames >said 2>err
tm-top -q --by type --domain mono --csv -n 0 off.tmt >types.csv
equals 'mono, calls=off: the same objects' "$(field types.csv Arcade.Shot 2) $(field types.csv Arcade.Level.Tile 2)" '180 1000'
equals 'mono, calls=off: no calls but collections' "$(calls off.tmt Arcade.Level.Tick)" ''
check 'mono, calls=off: stacks of C#' eval "tm-top -q --by stack --domain mono --csv -n 0 off.tmt | tr -d '\r' | grep -Eq '^[0-9]*,1000,.*Arcade.Level.Main;Arcade.Level.Tick;Arcade.Level.Load'"
exit $failed
