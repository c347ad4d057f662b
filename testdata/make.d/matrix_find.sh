#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/matrix/<row>/ for tests/sh/matrix.sh: places where the debug file of a stripped program may be.
# The program is testdata/src/matrix; its answers are those that llvm-symbolizer 19 gives for it as it
# was before it was stripped (see matrix_dwarf.sh).
set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
src=$SRC/testdata/src/matrix
all=$DATA/matrix
one=$DATA/matrix-find
rows='debug-dir-deep debug-dir-several debug-dir-wrong-build debuginfod debuginfod-lie
	sysroot-build-id-tree sysroot-debuglink'

why=
for tool in g++ strip objcopy readelf llvm-symbolizer-19 llvm-objcopy c++filt; do
	command -v "$tool" >/dev/null 2>&1 || why="no $tool"
done
for row in $rows; do
	rm -rf "${all:?}/$row"
	mkdir -p "$all/$row"
	[ -z "$why" ] || echo "$why" >"$all/$row/skip"
done
if [ -n "$why" ]; then
	echo "skip - rows of the matrix ($why)"
	exit 0
fi

# build FOLDER FLAGS...: a program there, its debug file, and itself stripped.
build() {
	mkdir -p "$1"
	cd "$1"
	shift
	# shellcheck disable=SC2086
	g++ -g -O2 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -fno-stack-protector -fno-ipa-sra \
		-fno-asynchronous-unwind-tables -ffile-prefix-map="$src=/game" \
		-ffile-prefix-map="$PWD=/game" -static "$@" "$src/game.cpp" "$src/world.cpp" -o whole
	objcopy --only-keep-debug whole game.debug
	strip -o game whole
}

rm -rf "$one"
(build "$one/this" -Wl,--build-id=sha1)
(build "$one/other" -Wl,--build-id=0x0102030405060708)
(build "$one/nameless" -Wl,--build-id=none)
cd "$one"
llvm-objcopy -R .symtab -R .strtab this/whole plain
"$GEN/addresses" -n 300 -s 7 this/whole | sort >addresses
llvm-symbolizer-19 --obj=plain --output-style=GNU -i --functions=linkage --no-demangle <addresses |
	c++filt | sed 's/ (discriminator [0-9]*)$//' >want
sed 's/.*/??\n??:0/' addresses >nothing
id=$(readelf -n this/whole | sed -n 's/.*Build ID: //p')
tree=.build-id/$(echo "$id" | cut -c 1-2)
file=$(echo "$id" | cut -c 3-).debug

# row NAME ARGS: begins one, with the stripped program and the answers
row() {
	cd "$all/$1"
	shift
	cp "$one/this/game" "$one/addresses" "$one/want" .
	echo "-e game $*" >args
}
# refused LINE: the row has no answers, and says so
refused() {
	cp "$one/nothing" want
	echo 4 >status
	echo "$1" >err
}

row debug-dir-deep --debug-dir symbols
mkdir -p symbols/2026/11/game-7
cp "$one/this/game.debug" symbols/2026/11/game-7/0001
cp "$one/other/game.debug" symbols/2026/11/game-7/0002

row debug-dir-several --debug-dir one --debug-dir two --debug-dir three
mkdir -p one two three/below
cp "$one/other/game.debug" one
cp "$one/other/game.debug" two
cp "$one/this/game.debug" three/below

row debug-dir-wrong-build --debug-dir symbols
mkdir symbols
cp "$one/other/game.debug" symbols
refused 'symbols/game.debug: build-id differs'

row sysroot-build-id-tree --sysroot root
mkdir -p "root/usr/lib/debug/$tree"
cp "$one/this/game.debug" "root/usr/lib/debug/$tree/$file"

row sysroot-debuglink --sysroot root
mkdir -p root/opt/game root/usr/lib/debug/opt/game
cp "$one/nameless/game.debug" root/usr/lib/debug/opt/game/game.dbg
objcopy --add-gnu-debuglink=root/usr/lib/debug/opt/game/game.dbg "$one/nameless/game" root/opt/game/game
rm game
echo '-e root/opt/game/game --sysroot root' >args

row debuginfod --debuginfod=@URL@
mkdir served
cp "$one/this/game.debug" served
echo 'elfutils served' >server

row debuginfod-lie --debuginfod=@URL@
cp "$one/other/game.debug" other.debug
echo 'serve other.debug' >server
refused 'the server sent a wrong file, which was removed: its build-id is another one'

rm -rf "$one"
