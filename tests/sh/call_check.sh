#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The call-site check of tm-symbolize on captures of the demo: right files, a wrong slide, another
# build's file without a build-id, addresses that are no return addresses; and what a report at the
# pipe's end says before its table.
set -u

result() { # WHAT OK
	echo "$([ "$2" = 0 ] && echo ok || echo not ok) - $1"
}

demo=$DATA/demo/gcc-dwarf5-O2
other=$DATA/demo/clang-dwarf5-O2/bin/libengine.so
if [ ! -r "$demo/arcade.mem" ]; then
	echo "skip - call_check (no demo)"
	exit 0
fi
cd "$demo" || exit 1
out=$OLDPWD
files=(-e bin/arcade -e bin/libengine.so)

tm-symbolize -v "${files[@]}" --maps arcade.maps arcade.mem >"$out/right.tmt" 2>"$out/right"
cd "$out" || exit 1
grep -q 'arcade: \([0-9]*\) of \1 return addresses follow a call (100%' right &&
	grep -q 'libengine.so: \([0-9]*\) of \1 return addresses follow a call (100%' right
result 'right files: every address follows a call' $?
! grep -q 'names are wrong' right
result 'right files: no complaint' $?

# The code a page further on in the file than it was.
awk '{
	if ($2 ~ /x/ && $6 ~ /arcade$|libengine/)
		print $1, $2, substr($3, 1, 4) sprintf("%04x", hex(substr($3, 5)) + 4096), $4, $5, $6
	else
		print
}
function hex(s,  v, j) {
	v = 0
	for (j = 1; j <= length(s); j++) v = v * 16 + index("0123456789abcdef", substr(s, j, 1)) - 1
	return v
}' "$demo/arcade.maps" >moved.maps
if cmp -s moved.maps "$demo/arcade.maps"; then
	echo "not ok - the maps were changed"
fi
(cd "$demo" && tm-symbolize "${files[@]}" --no-local --maps "$out/moved.maps" arcade.mem) \
	2>wrong >wrong.tmt
grep -Eq 'arcade: [0-9]+ of [0-9]+ return addresses \([0-9]%\) follow a call, random ones do in [0-9]%: names are wrong' wrong
result 'a wrong offset is seen' $?

if [ -r "$other" ]; then
	objcopy --remove-section .note.gnu.build-id "$other" libengine.so
	(cd "$demo" && tm-symbolize -e bin/arcade -e "$out/libengine.so" --no-local \
		--maps arcade.maps arcade.mem) 2>"$out/build" >build.tmt
	grep -q 'libengine.so: .* follow a call, random ones .*: names are wrong' build
	result "another compiler's build is seen" $?
	tm-top build.tmt >top 2>&1
	grep -q 'names are wrong' top
	result 'and a report says so' $?
	awk '/names are wrong/ { note = NR } /^ *#  / { table = NR } END { exit !(note && note < table) }' top
	result 'before its first name' $?
fi

(cd "$demo" && tm-symbolize -v "${files[@]}" --locations exact --maps arcade.maps arcade.mem) \
	2>told >told.tmt
! grep -q 'follow a call' told
result 'nothing is asked of exact addresses' $?
