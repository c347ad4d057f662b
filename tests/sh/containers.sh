#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Binaries inside other files, beyond the rows of the matrix: captures that name an APK, the cache of
# unpacked libraries, universal files, symbol files for captured modules; and damaged ones, which give
# one clear line and write nothing outside the cache.
# timeout: 600
set -u
: "${DATA:?}"
matrix=$DATA/matrix
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache

ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	[ -s "${2:-/dev/null}" ] && sed 's/^/# /' "$2" | head -n 12
}
check() { # WHAT COMMAND...
	local what=$1
	shift
	if "$@"; then ok "$what"; else not_ok "$what" err; fi
}
# have ROW...: these rows could be made
have() {
	local row
	for row; do
		if [ ! -s "$matrix/$row/args" ]; then
			echo "skip - ${FUNCNAME[1]}: no row $row ($(cat "$matrix/$row/skip" 2>/dev/null))"
			return 1
		fi
	done
}
plain() { sed -e 's/ (discriminator [0-9]*)$//' -e 's/:?$/:0/' "$@"; }
# one COMMAND...: it fails with one line on standard error
one() {
	"$@" >got 2>err
	[ $? = 3 ] && [ "$(wc -l <err)" = 1 ]
}
says() { # TEXT COMMAND...
	local text=$1
	shift
	one "$@" && grep -qF -- "$text" err
}

cached() {
	have apk-deflated || return 0
	local row=$matrix/apk-deflated copies
	cp "$row"/base.apk .
	ask() { tm-addr2line -f -i -C -e base.apk!/lib/x86_64/libgame.so <"$row/addresses" 2>err | plain >got; }
	ask
	check "a packed library is unpacked into the cache" cmp -s got <(plain "$row/want")
	copies=$(find cache -name 'member-*.tmx' | wc -l)
	check "one copy, and nothing else" test "$copies $(find cache -type f | wc -l)" = '1 1'
	local copy before
	copy=$(find cache -name 'member-*.tmx')
	before=$(stat -c %i "$copy")
	ask
	check "the next run takes the copy" test "$(stat -c %i "$copy")" = "$before"
	printf 'x' | dd of="$copy" bs=1 seek=2000 conv=notrunc status=none
	ask
	check "a copy that has changed is made anew" cmp -s got <(plain "$row/want")
	check "and is sound again" cmp -s "$copy" "$row/lib/x86_64/libgame.so"
	rm -rf cache
	tm-addr2line --no-cache -e base.apk!/lib/x86_64/libgame.so 0x1000 >got 2>err
	check "--no-cache leaves no copy" test ! -e cache
}

# A member's name never becomes a path.
traversal() {
	have apk-deflated || return 0
	command -v zip >/dev/null || return 0
	mkdir -p aa/aa deep/er
	cp "$matrix/gsym/game.gsym" aa/aa/evil.so 2>/dev/null || cp /bin/true aa/aa/evil.so
	zip -q -9 evil.zip aa/aa/evil.so
	sed -i 's,aa/aa/evil.so,../../evil.so,g' evil.zip
	mv evil.zip deep/er
	rm -rf aa
	(cd deep/er && tm-addr2line -e 'evil.zip!/../../evil.so' 0x1000 >/dev/null 2>&1)
	check "a name with .. is written nowhere" test ! -e evil.so -a ! -e deep/evil.so
}

# A bomb: what is no binary is not unpacked, and no disk is filled.
bomb() {
	command -v zip >/dev/null || return 0
	mkdir -p lib/x86
	head -c 100000000 /dev/zero >lib/x86/libbomb.so
	zip -q -9 bomb.zip lib/x86/libbomb.so
	rm -rf lib cache
	check "100 MB of zeroes in a zip file" says 'no binary or debug file of a known kind' \
		bash -c 'ulimit -f 1000; tm-addr2line -e bomb.zip!/lib/x86/libbomb.so 0x10'
	check "leave nothing in the cache" test -z "$(find cache -type f 2>/dev/null)"
}

damaged_zip() {
	have apk-deflated || return 0
	local size directory n=0 bad=0 status
	cp "$matrix/apk-deflated/base.apk" .
	check "an APK alone names no binary" says 'name one, as in FILE!/MEMBER' tm-addr2line -e base.apk 0x10
	check "and for tm-inspect" says 'base.apk!/lib/' tm-inspect base.apk
	check "no such member" says "no member 'lib/none.so'" tm-addr2line -e base.apk!/lib/none.so 0x10
	size=$(stat -c %s base.apk)
	directory=$(od -An -tu4 -j $((size - 6)) -N4 base.apk)
	for ((at = directory; at < size; at++)); do
		cp base.apk flipped.apk
		byte=$(od -An -tu1 -j $at -N1 base.apk)
		printf '%b' "\\x$(printf %02x $((byte ^ 1 << (at % 8))))" |
			dd of=flipped.apk bs=1 seek=$at conv=notrunc status=none
		timeout 20 tm-addr2line --no-cache -e flipped.apk!/lib/x86_64/libgame.so 0x1000 >got 2>err
		status=$?
		n=$((n + 1))
		case $status in
		0 | 3 | 4) ;;
		*)
			bad=1
			echo "# byte $at: status $status"
			;;
		esac
	done
	check "$n APKs with a flipped bit in the directory" test $bad = 0
}

# captured NAME HEX...: a capture whose addresses are in a mapping of NAME from offset 0 on
captured() {
	local name=$1 stack=
	shift
	for at; do
		stack+=$(printf '0x%x;' $((0x7000000000 + at + 1)))
	done
	printf '7000000000-7100000000 r-xp 00000000 08:01 12 %s\n' "$name" >maps
	printf '{"f":1,"d":[{"t":"A","s":8,"r":8,"st":["%s"],"sz":[8]}]}\n' "$stack" >run.mem
}
bound() { tm-symbolize --no-local --maps maps run.mem "$@" 2>err | tm-dump -q --no-events; }

apk_in_a_capture() {
	have apk-offsets || return 0
	local row=$matrix/apk-offsets at want
	at=$(sed -n 60p "$row/addresses")
	want=$(cd "$row" && tm-addr2line -f -C -e base.apk "$at" | head -n 1)
	captured /data/app/~~x==/com.game-1/base.apk "$at"
	bound -e "$row/base.apk" >got
	check "a module base.apk: $want" grep -qF "call function=\"$want" got
	captured '/data/app/com.game-1/base.apk!/lib/x86_64/libgame.so' 0
	bound -e "$matrix/apk-stored/base.apk" >got
	check "a module base.apk!/lib/... is that library" grep -q '^binding .*libgame.so' got
}

# The same name for several processors: the captured path decides.
several_abis() {
	local at offset vaddr abi
	if ! command -v zip >/dev/null || ! command -v clang >/dev/null || ! command -v ld.lld >/dev/null; then
		echo "skip - several_abis: no zip, clang or ld.lld"
		return 0
	fi
	for abi in arm64-v8a:aarch64 x86_64:x86_64; do
		mkdir -p "lib/${abi%:*}"
		printf 'int update_%s(int x)\n{\n\treturn x * 3;\n}\n' "${abi#*:}" >f.c
		clang --target="${abi#*:}-linux-gnu" -g -O1 -shared -nostdlib -fuse-ld=lld -Wl,--build-id=none \
			-o "lib/${abi%:*}/libgame.so" f.c
	done
	zip -q -0 abis.zip lib/arm64-v8a/libgame.so lib/x86_64/libgame.so
	for abi in arm64:arm64-v8a:aarch64 x86_64:x86_64:x86_64; do
		IFS=: read -r device folder arch <<<"$abi"
		at=$(llvm-nm "lib/$folder/libgame.so" | awk '/ T update_/ { print "0x" $1 }')
		read -r offset vaddr <<<"$(llvm-readelf -lW "lib/$folder/libgame.so" | awk '/ R E /{ print $2, $3; exit }')"
		captured "/data/app/com.game-1/lib/$device/libgame.so" $((at - vaddr + offset))
		bound -e abis.zip >got
		check "a library for $device among two of its name" grep -q "call function=\"update_$arch" got
	done
}

symbol_files() {
	have gsym breakpad || return 0
	local row at
	for row in gsym:gsym breakpad:sym; do
		cp "$matrix/${row%:*}/game.${row#*:}" "libgame.so.${row#*:}"
		at=$(sed -n 40p "$matrix/${row%:*}/addresses")
		captured /data/app/com.game-1/lib/arm64/libgame.so "$at"
		want=$(tm-addr2line -f -i -C -e "libgame.so.${row#*:}" "$at" | tail -n 1)
		bound -e "libgame.so.${row#*:}" >got
		check "libgame.so.${row#*:} is for libgame.so: $want" \
			grep -qF "file=\"${want%:*}\" line=${want##*:}" got
		check "what its addresses count from is said" grep -q "note guess.*count from" got
	done
	check "nothing to inspect in it" says 'symbol file (GSYM)' tm-inspect libgame.so.gsym
	{ cat libgame.so.sym && printf 'junk\nFUNC zz\n'; } >junk.sym
	tm-addr2line -f -e junk.sym "$at" >got 2>err
	check "lines that are none of a .sym are counted" grep -q '2 lines are not lines of a Breakpad' err
	printf 'MODULE x\n' >bad.sym
	check "MODULE must be sound" says 'MODULE record' tm-addr2line -e bad.sym 0x0
	cp libgame.so.gsym bad.gsym
	printf '\377\377\377\377' | dd of=bad.gsym bs=1 seek=16 conv=notrunc status=none
	check "GSYM: a count that is not true" says 'addresses lie outside the file' tm-addr2line -e bad.gsym 0x0
	cp libgame.so.gsym bad.gsym
	printf '\7' | dd of=bad.gsym bs=1 seek=4 conv=notrunc status=none
	check "GSYM: a version that is unknown" says 'unknown GSYM version 7' tm-addr2line -e bad.gsym 0x0
}

universal() {
	have mach-universal || return 0
	local row=$matrix/mach-universal at
	cp -r "$row"/* .
	at=$(sed -n 40p addresses)
	check "a universal file alone names none" says 'name one, as in FILE:' tm-addr2line -e game "$at"
	check "a part that is not there" says 'has no armv7, only' tm-addr2line -e game:armv7 "$at"
	tm-llvm-symbolizer --default-arch arm64 --dsym-hint symbols --obj=game "$at" >got 2>err
	tm-llvm-symbolizer --dsym-hint symbols --obj=game:arm64 "$at" >want 2>>err
	check "--default-arch" cmp -s got want
	tm-atos -arch x86_64 -o game -fullPath 0x330 >got 2>err
	check "tm-atos -arch" grep -q '(in game)' got
	cp -r symbols/*.dSYM Sky.app.dSYM 2>/dev/null || cp -r ./*.dSYM Sky.app.dSYM
	tm-atos -arch x86_64 -o Sky.app.dSYM 0x330 >got 2>err
	check "tm-atos -o of a folder of symbols: the program's name" grep -q '(in Sky)' got
	tm-inspect --debug-dir symbols game:arm64 >got 2>err
	check "tm-inspect reads a Mach-O file" grep -q '^names *yes *[1-9]' got
	check "its frame pointers" grep -q '^frame-pointers *yes *[1-9]' got
	check "its DWARF" grep -q '^lines *yes *DWARF in its debug file' got
	captured /private/var/containers/Bundle/Application/x/game 0x400
	bound -e game >got
	check "its parts are for the module of its name" grep -q 'binding .*"resolved\|binding .*object=.*game' got
	# the second part moved onto the first
	cp game bad
	dd if=game of=bad bs=1 skip=16 seek=36 count=4 conv=notrunc status=none
	check "parts that overlap" says 'overlap' tm-addr2line -e bad "$at"
	cp game bad
	printf '\0\0\0\0' | dd of=bad bs=1 seek=16 conv=notrunc status=none
	check "a part that holds its own header" says 'in its header' tm-addr2line -e bad "$at"
	cp game bad
	offset=$((0x$(od -An -tx1 -j 16 -N4 game | tr -d ' ')))
	dd if=game of=bad bs=1 count=8 seek=$offset conv=notrunc status=none
	check "a universal file in one" one tm-addr2line -e bad:x86_64 "$at"
}

libraries() {
	have archive archive-thin || return 0
	cp "$matrix/archive/libgame.a" .
	check "a static library alone names no object" says 'libgame.a(game.o)' tm-addr2line -e libgame.a 0x0
	check "a member that is not there" says "no member 'x.o'" tm-addr2line -e 'libgame.a(x.o)' 0x0
	cp libgame.a bad.a
	printf '9999999999' | dd of=bad.a bs=1 seek=$((8 + 48)) conv=notrunc status=none
	check "a member's size that is not true" says 'outside the archive' tm-addr2line -e 'bad.a(game.o)' 0x0
	head -c 5000 libgame.a >bad.a
	check "a library that is cut" one tm-addr2line -e 'bad.a(game.o)' 0x0
	cp "$matrix/archive-thin/libgame.a" .
	check "a thin one without its members" says 'member of a thin archive' \
		tm-addr2line -e 'libgame.a(game.o)' 0x0
}

objects() {
	command -v clang >/dev/null || return 0
	printf 'int f(int x)\n{\n\treturn x * 3;\n}\n' >f.c
	clang --target=avr -g -c f.c -o avr.o 2>/dev/null || return 0
	tm-addr2line -f -e avr.o 0x0 >got 2>err
	check "relocations of another machine are told" grep -q 'unknown relocation type' err
	clang -g -c f.c -o f.o
	tm-inspect f.o >got 2>err
	check "tm-inspect reads an object" grep -q '^lines *yes' got
	check "and says that its calls are not linked" grep -q '^instrumentation *unknown *not linked' got
}

for t in cached traversal bomb damaged_zip apk_in_a_capture several_abis symbol_files universal libraries objects; do
	$t
done
