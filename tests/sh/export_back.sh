#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Names written back into .loli and .mem files: our own readers find the same totals and the same
# names as in the trace, everything else in the file is as it was, and damaged files end well.
# shellcheck disable=SC2016,SC2086,SC2317 # check evaluates; names have no blanks
set -u
: "${SRC:?}" "${DATA:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# same WHAT A B: equal files with something in them
same() {
	equal() { [ -s "$2" ] && diff "$1" "$2" >err; }
	check "$1 ($(wc -l <"$3") rows)" equal "$2" "$3"
}

# --- .loli: a library of which every MiB is a function ---

"$GEN/export" library >library.s
if ! { ${CC:-cc} -c -o library.o library.s && ${CC:-cc} -shared -nostdlib -Wl,-Ttext=0x5900000 \
	-Wl,-z,noseparate-code -o libUE4.so library.o; } 2>err; then
	echo "skip - .loli (the compiler makes no such library)"
else
	# As CSV has it; clang's assembler leaves a backslash in it.
	odd=$(nm libUE4.so | sed -n 's/^[0-9a-f]* T \(odd;.*"é name\)$/\1/p')
	odd=${odd//\"/\"\"}
	check "the library has such a name" [ -n "$odd" ]
	for version in 105 106 107; do
		"$GEN/loli" -n 500 -s 40 loli-$version >a.loli 2>/dev/null
		tm-symbolize -q --offsets vaddr --locations return -e libUE4.so -o a.tmt a.loli
		tm-export -v --as loli --original a.loli -o named.loli a.tmt 2>err
		check "loli $version: status" [ $? = 0 ]
		check "loli $version: the count is told" grep -q '[1-9][0-9]* of [1-9][0-9]* locations have a name' err
		# Totals of everything but names: the records, frees and stacks are the same.
		for file in a named; do
			tm-dump -q --no-tables --no-symbols $file.loli >$file.events
			tm-top -q --csv -n 0 --by stack $file.loli | cut -d, -f 1-9 >$file.stacks
		done
		same "loli $version: the same records" named.events a.events
		same "loli $version: the same sums of stacks" named.stacks a.stacks
		# Named by the file, or by the symbols: the same functions.
		functions() { tm-top -q --csv -n 0 --by function "$1" | cut -d, -f 2- | sed 's/!0x/+0x/g' | sort; }
		functions a.tmt >want
		functions named.loli >got
		same "loli $version: functions are the trace's" got want
		check "loli $version: a name with quotes and other alphabets" grep -qF "$odd" got
		# Once more: nothing changes.
		tm-export -q --as loli --original named.loli -o again.loli a.tmt
		check "loli $version: written again, the same bytes" cmp -s again.loli named.loli
		# Without names from the trace the file is as it was.
		tm-import -q -o raw.tmt a.loli
		tm-export -q --as loli --original a.loli -o same.loli raw.tmt
		check "loli $version: no names, the same bytes" cmp -s same.loli a.loli
		size=$(stat -c %s a.loli)
		bad=0
		for ((cut = 0; cut < size; cut += size / 60 + 1)); do
			head -c "$cut" a.loli >cut.loli
			timeout 60 tm-export -q --as loli --original cut.loli -o cut.out a.tmt >out 2>err
			status=$?
			# Behind the symbols, what is left is copied.
			[ $status = 0 ] || { [ $status = 3 ] && [ "$(wc -l <err)" = 1 ] && [ ! -e cut.out ]; } || bad=1
			rm -f cut.out
		done
		check "loli $version: cut anywhere" [ $bad = 0 ]
	done
	gzip -k a.loli
	tm-export -q --as loli --original a.loli.gz -o unzipped.loli a.tmt
	check "loli: a compressed original" cmp -s unzipped.loli named.loli
	"$GEN/loli" -n 500 -s 40 -S 99 loli-106 >other.loli 2>/dev/null
	"$GEN/memtracer" --frames 2 >a.mem
	tm-export -q --as loli --original a.mem -o no.loli a.tmt 2>err
	status=$?
	check "loli: an original that is none" eval '[ $status = 3 ] && grep -q "not a .loli" err'
	tm-import -q a.mem | tm-export -q --as loli --original a.loli -o no.loli 2>err
	status=$?
	check "loli: names of a capture of another format" eval '[ $status = 3 ] && [ ! -e no.loli ]'
fi
loli=$SHARED/samples/loliprofiler/synthetic_v106_qt5158.loli
if [ -f "$loli" ]; then
	tm-import -q -o qt.tmt "$loli"
	tm-export -q --as loli --original "$loli" -o qt.loli qt.tmt
	check "loli: a file that Qt wrote stays as it is" cmp -s qt.loli "$loli"
fi

# --- .mem ---

# Two stacks of one type are equal: as many come back.
"$GEN/memtracer" --frames 40 --types 3 --stacks 5 >few.mem
tm-export -q --as memtracer few.mem >back.mem
entries() { jq -r '.f as $f | .d[] | .t as $t | .st | to_entries[] | "\($f) \($t)"' "$1" | sort | uniq -c; }
check "memtracer: as many stacks of each type come back" eval '[ "$(entries few.mem)" = "$(entries back.mem)" ]'
printf '{"f":1,"d":[{"t":"A","s":24,"r":32,"st":["0x1;0x2;","0x1;0x2;"],"sz":[16,16]}]}\n' >two.mem
check "memtracer: equal ones, too" eval '[ "$(tm-export -q --as memtracer two.mem)" = "$(cat two.mem)" ]'

demo=$DATA/demo/gcc-dwarf5-O2
if [ ! -f "$demo/arcade.mem" ]; then
	echo "skip - .mem (no demo captures here)"
	exit $failed
fi
tm-symbolize -q -e "$demo/bin/arcade" -e "$demo/bin/libengine.so" --maps "$demo/arcade.maps" \
	-o mem.tmt "$demo/arcade.mem"
tm-export -q --as mem --original "$demo/arcade.mem" -o named.mem mem.tmt
for key in type function; do
	tm-top -q --csv -n 0 --by $key mem.tmt >want
	tm-top -q --csv -n 0 --by $key named.mem >got
	same "mem: by $key as in the trace" got want
done
strip_stacks() { sed -E 's/"st":\[[^]]*("[^"]*",?)*\]/"st":[]/g' "$1"; }
strip_stacks "$demo/arcade.mem" >want
strip_stacks named.mem >got
same "mem: everything else is as it was" got want
check "mem: as atos prints" grep -Eq '"eng::gc_alloc\([^"]*\) \(in libengine.so\) \(gc.cpp:[0-9]+\);' named.mem
tm-export -q --as mem --original named.mem -o again.mem mem.tmt
check "mem: written again, the same bytes" cmp -s again.mem named.mem
tm-import -q -o raw.tmt "$demo/arcade.mem"
tm-export -q --as mem --original "$demo/arcade.mem" -o same.mem raw.tmt
check "mem: no names, the same bytes" cmp -s same.mem "$demo/arcade.mem"
{ printf '[\n' && sed '1d; s/$/,/; $s/,$//; s/:/ :\t/g' "$demo/arcade.mem" && printf ']\n'; } >array.mem
tm-export -q --as mem --original array.mem -o array.out mem.tmt
tm-top -q --csv -n 0 --by function mem.tmt >want
tm-top -q --csv -n 0 --by function array.out >got
same "mem: as one array, with white space" got want
size=$(stat -c %s "$demo/arcade.mem")
bad=0
for ((cut = 0; cut < size; cut += size / 60 + 1)); do
	head -c "$cut" "$demo/arcade.mem" >cut.mem
	timeout 60 tm-export -q --as mem --original cut.mem -o cut.out raw.tmt >out 2>err
	status=$?
	# Behind a frame nothing tells that others follow.
	if [ "$(tail -c 2 cut.mem)" = '}' ] || [ "$(tail -c 1 cut.mem)" = '}' ] && python3 -c 'import json; [json.loads(l) for l in open("cut.mem")]' 2>/dev/null; then
		[ $status = 0 ] && cmp -s cut.out cut.mem || bad=1
	else
		[ $status = 3 ] && [ "$(wc -l <err)" = 1 ] && [ ! -e cut.out ] || bad=1
	fi
	rm -f cut.out
done
check "mem: cut anywhere: one line, and no file" [ $bad = 0 ]
head -c 3000 "$demo/arcade.mem" >cut.mem
tm-export -q --as mem --original cut.mem -o cut.out raw.tmt 2>err
check "mem: that it is cut is said" grep -q 'cut short' err
tm-export -q --as mem --original "$demo/arcade.maps" -o cut.out raw.tmt 2>err
status=$?
check "mem: an original that is none" eval '[ $status = 3 ] && [ ! -e cut.out ]'
printf '{"f":1,"d":[{"t":"x","s":1,"r":1,"st":["0x1;0x2;"],"sz":[1]}]}\n' >foreign.mem
tm-export -q --as mem --original foreign.mem -o foreign.out mem.tmt 2>err
status=$?
check "mem: another capture's trace" eval '[ $status = 3 ] && grep -q "another capture" err && [ ! -e foreign.out ]'
tm-export --as mem mem.tmt >out 2>err
check "mem: needs --original" [ $? = 2 ]

exit $failed
