#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-symbolize --slide auto: the demo's captures without their maps get the symbols that they have
# with them; another build gives a refusal and no symbols; slides of large libraries of this machine.
set -u

result() { # WHAT OK
	echo "$([ "$2" = 0 ] && echo ok || echo not ok) - $1"
}

demo=$DATA/demo/gcc-dwarf5-O2
if [ ! -r "$demo/arcade.mem" ]; then
	echo "skip - lost_slide (no demo)"
	exit 0
fi
files=(-e "$demo/bin/arcade" -e "$demo/bin/libengine.so")

# Where each of the demo's own locations is, by its function and line.
places() {
	tm-dump --no-events "$1" | awk '
		/^binding / { ours = /object="[^"]*(arcade|libengine.so)"/; sub(/object="[^"]*"/, "") }
		!/^(binding |  call )/ { ours = 0 }
		ours'
}
tm-symbolize -q --no-local "${files[@]}" --maps "$demo/arcade.maps" "$demo/arcade.mem" -o mapped.tmt
tm-symbolize --slide auto --no-local "${files[@]}" "$demo/arcade.mem" -o found.tmt 2>told
result 'without maps' $?
places mapped.tmt >mapped
places found.tmt >found
[ "$(wc -l <mapped)" -gt 40 ] && cmp -s mapped found
result 'the same symbols as with maps' $?
for f in arcade libengine.so; do
	base=$(awk -v f="/$f" 'substr($6, length($6) - length(f) + 1) == f { print $1; exit }' \
		"$demo/arcade.maps" | cut -d- -f 1)
	grep -q "$f: slide 0x$base found: \([0-9]*\) of the \1 addresses in its code follow a call, of the next best" told
	result "$f: its slide is the map's" $?
done

base=$(awk -F- '/libengine.so$/ { print "0x" $1; exit }' "$demo/arcade.maps")
for slide in "$base" "$((base + 0x1000))" "$((base - 0x200000))" 0; do
	tm-symbolize --slide "$slide" --no-local -e "$demo/bin/libengine.so" "$demo/arcade.mem" \
		-o slid.tmt 2>told
	case $slide in
	"$base") ! grep -q 'is wrong' told ;;
	*) grep -q "loss: libengine.so: the slide .* is wrong, and so are names: .*; $base puts .*: --slide $base\$" told ;;
	esac
	result "--slide of $((slide - base)) bytes beside the right one" $?
done

other=$DATA/demo/clang-dwarf5-O2/bin/libengine.so
if [ -r "$other" ]; then
	tm-symbolize --slide auto --no-local -e "$other" "$demo/arcade.mem" -o other.tmt 2>told
	grep -q 'libengine.so: its slide was not found: the best' told
	result "another compiler's build: refused" $?
	! tm-dump --no-events other.tmt | grep -q '^binding .*"resolved"'
	result 'and nothing is named by it' $?
fi

tm-symbolize --slide 0x 2>told <"$demo/arcade.mem" >/dev/null
[ $? = 2 ] && grep -q -- "--slide: '0x' is not a number" told
result 'no number' $?
tm-top --slide auto "$demo/arcade.mem" >/dev/null 2>&1
[ $? = 2 ]
result 'only where there are binaries' $?
tm-top --slide auto "$demo/arcade.mem" 2>&1 >/dev/null | grep -q 'is not a number; tm-symbolize --slide auto finds it$'
result '... which says where' $?
tm-symbolize --help all | grep -A 1 -e '--slide ' | grep -q auto
result 'the help names it' $?

for lib in "$BIN/tm-symbolize" "$(readlink -f /usr/lib/x86_64-linux-gnu/libstdc++.so.6)"; do
	if [ "$(uname -m)" != x86_64 ] || [ ! -r "$lib" ]; then
		echo "skip - ${lib##*/} (not there)"
		continue
	fi
	for n in 8 20 400 5000; do
		"$GEN/callsites" "$lib" lost $n >addrs 2>slide
		grep -q "^found $(cat slide) $n/$n " <("$GEN/callsites" "$lib" find <addrs)
		result "${lib##*/}: $n of its addresses" $?
	done
done
