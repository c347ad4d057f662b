#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a front end says of the files of -e is what tm-symbolize says of them.
# shellcheck disable=SC2016,SC2317 # check evaluates
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

printf 'game+0x1139;game+0x1150 3\n' >calls.folded
cp /bin/true other
echo 'no binary' >game.map
printf 'PK\5\6%018d' 0 | tr 0 '\0' >empty.zip

while read -r file status; do
	tm-symbolize --no-cache -e "$file" calls.folded 2>all >named
	grep -F ": ${file#*=}: " all | sed 's/^tm-symbolize: //' >want
	timeout 60 tm-top -e "$file" calls.folded >out 2>err
	# shellcheck disable=SC2034 # check evaluates
	got=$?
	grep -F ": ${file#*=}: " err | sed 's/^tm-top: //' >said
	check "tm-top -e $file: status $status, and what tm-symbolize says" eval '[ $got = "$status" ] && [ -s want ] && cmp want said'
done <<'END'
game.map 3
empty.zip 3
other 0
absent=other 0
END

"$GEN/pdb" pdb 1 >app.pdb
tracemill show app.pdb >out 2>err
check 'tracemill show of a PDB is that of tm-inspect' eval 'grep -q "^build-id .*GUID and age" out'
echo '    at https://x/3f2b9c1d0e.wasm.br:wasm-function[10]:0x300' >hashed.log
printf '\0asm\1\0\0\0' >Build.wasm
tm-symbolize --text --no-cache -e Build.wasm hashed.log >out 2>err
check 'a file that no line of a log has a module for: how to give it to one' grep -q 'not used: .*-e MODULE=Build.wasm$' err
tm-symbolize --text other >out 2>err
check 'a program is no log, and is not printed' eval '[ ! -s out ] && grep -q "other: .*, and no log" err'
tm-symbolize --text absent.log >out 2>err
check 'a log that is not there: one line' [ "$(wc -l <err)" = 1 ]

echo '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x1020;0x1010;"],"sz":[8]}]}' >run.mem
for program in tm-top 'tm-symbolize -o out.tmt'; do
	for file in other x=other; do
		$program -e $file run.mem >out 2>err
		check "$program -e $file: a capture without modules takes a map, or a slide" \
			grep -q 'other: not used: the capture has no list of modules: --maps FILE takes .*, or --slide ADDR ' err
		check '... and no module has to be named' [ "$(grep -c 'module without a name\|MODULE=' err)" = 0 ]
	done
done

tm-top -e other <calls.folded >out 2>err
check 'tm-top -e of a pipe says that it gives no names' grep -q 'stdin.*tm-symbolize -e FILE | tm-top' err

exit $failed
