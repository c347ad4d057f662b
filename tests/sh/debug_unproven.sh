#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Debug files of programs without a build-id: one of another build, which has the same segments, is refused by the checksum
# that .gnu_debuglink has, also under a name that is looked for anyway; without a checksum a note says that nothing shows
# the build. The same of object files that a debug map names without their time. The builds differ in a function's name.
set -u
. "$SRC/tests/check.bash"

build() { # NAME FUNCTION
	mkdir -p "$1" && echo "int $2(int n) { return n * 3; } int main(void) { return $2(1) - 3; }" >"$1/code.c" &&
		${CC:-cc} -g -O0 -Wl,--build-id=none "$1/code.c" -o "$1/game" && objcopy --only-keep-debug "$1/game" "$1/game.debug" &&
		strip "$1/game"
}
if ! build one first 2>err || ! build two other 2>>err; then
	echo "skip - debug_unproven: cannot be made: $(head -n 1 err)"
	exit 0
fi
at=0x$(nm one/game.debug | awk '$3 == "first" { print $1 }')
what() { tm-llvm-symbolizer -e "$1" "$at" 2>err | head -n 1; }
check "without a checksum the file of that name is taken" [ "$(what one/game)" = first ]
check "... and a note says that nothing shows the build" grep -q 'one/game: neither a build-id nor a checksum shows that its debug file is of this build' err
objcopy --add-gnu-debuglink=one/game.debug one/game
check "with its checksum it is taken" [ "$(what one/game)" = first ]
check "... and no note is needed" [ ! -s err ]
cp two/game.debug one/game.debug
check "the debug file of another build is refused by its checksum" [ "$(what one/game)" != other ]
check "... which is said" grep -q 'one/game.debug: checksum differs' err
rm one/game.debug && mkdir -p elsewhere && cp two/game.debug elsewhere/game.debug
check "... also in a --debug-dir" [ "$(tm-llvm-symbolizer --debug-file-directory=elsewhere -e one/game "$at" 2>err | head -n 1)" != other ]

for tool in clang-19 ld64.lld-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - debug maps: no $tool"
		exit $failed
	}
done
echo 'int first(int n) { return n * 3; } int main(void) { return first(1) - 3; }' >code.c
for time in 0 1000000000; do
	clang-19 --target=x86_64-apple-macos11 -g -c code.c -o code.o && touch -d @$time code.o
	if ! ld64.lld-19 -arch x86_64 -platform_version macos 11.0 11.0 -undefined dynamic_lookup -e _main -o mapped code.o; then
		echo "not ok - a debug map with the time $time: not linked"
		exit 1
	fi
	# lld writes 0: the second time, 1000000000 (0x3b9aca00) is put there
	((time)) && LC_ALL=C grep -abo $'\x66.\x01' mapped | cut -d: -f1 | while read -r offset; do
		printf '\x00\xca\x9a\x3b' | dd of=mapped bs=1 seek=$((offset + 4)) conv=notrunc 2>/dev/null
	done
	at=0x$(llvm-nm-19 mapped | awk '$3 == "_first" { print $1 }')
	check "a debug map with the time $time" [ "$(what mapped)" = first ]
	check "... which a note says" [ "$(grep -c 'mapped: it does not say when its object files were written' err)" = $((time == 0)) ]
done
# shellcheck disable=SC2317 # called by check
lines() { tm-inspect --no-debuginfod mapped 2>err | grep '^lines '; }
check 'tm-inspect: the lines are in the object file' eval "lines | grep -q 'yes.*in 1 object file of its debug map'"
mv code.o away.o
check '... and not when it is gone' eval "lines | grep -q 'no .*0 of 1 object files of its debug map are there'"
exit $failed
