#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Stripped Mach-O programs: beside their .dSYM all functions have names, also those of objects without DWARF; alone a
# symbol ends where LC_FUNCTION_STARTS has another function; and the .dSYM alone names what a capture maps. Truth:
# llvm-nm 19 on the file before strip.
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

for tool in clang-19 ld64.lld-19 dsymutil-19 llvm-nm-19 llvm-objdump-19 llvm-strip-19 llvm-symbolizer-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - mach_stripped: no $tool"
		exit 0
	}
done

cat >main.c <<'C'
volatile int sum = 1;
int first(int), second(int);
int main(int c, char **v) { return first(c) + second(c); }
C
cat >plain.c <<'C'
extern volatile int sum;
int first(int x) { return sum + x; }
static __attribute__((noinline)) int hidden(int x) { return sum * x - 7; }
static __attribute__((noinline)) int deeper(int x) { return hidden(x) * sum - 9; }
int second(int x) { return hidden(x) * 3 + deeper(x); }
/* What compact unwind cannot say has an entry in __eh_frame, which dsymutil copies: DW_OP_breg7 8. */
__asm__(".text\n.globl _odd\n.p2align 4\n_odd:\n.cfi_startproc\n nop\n .cfi_escape 0x0f, 2, 0x77, 8\n nop\n ret\n"
	".cfi_endproc\n");
C

# names FILE: "ADDRESS NAME" of its functions
names() { llvm-nm-19 -n "$1" | awk '$2 ~ /^[tT]$/ && $3 != "__mh_execute_header" { sub(/^0+/, "0x", $1); sub(/^_/, "", $3); print $1, $3 }'; }
# ask FILE: the same by tm-atos, at the fourth byte of all functions of the file before strip
ask() {
	local addr name
	names full | while read -r addr name; do
		name=$(tm-atos -o "$1" "$(printf 0x%x $((addr + 3)))" 2>>err)
		echo "$addr ${name%% *}"
	done
}

for arch in x86_64 arm64; do
	mkdir $arch && cd $arch || exit
	clang-19 --target=$arch-apple-macos11 -O1 -g -c ../main.c -o main.o 2>err &&
		clang-19 --target=$arch-apple-macos11 -O1 -c ../plain.c -o plain.o 2>err &&
		ld64.lld-19 -arch $arch -platform_version macos 11.0 11.0 -undefined dynamic_lookup -e _main -o game main.o plain.o 2>err &&
		dsymutil-19 game -o game.dSYM 2>err && cp game full && llvm-strip-19 -S -x game 2>err
	check "$arch: strip leaves 4 of 6 functions" [ "$(names full | wc -l) $(names game | wc -l)" = '6 4' ]
	names full >want
	ask game >got
	check "$arch: beside its .dSYM it has all names" cmp got want
	ask game.dSYM >got
	check "$arch: and so has the .dSYM" cmp got want
	hidden=$(awk '$2 == "hidden" { print $1 }' want)
	echo "#1 0x1 (game+$hidden)" >log
	check "$arch: a log, too" grep -q 'in hidden' <(tm-symbolize -q --text -e game log 2>err)
	mkdir away && mv game.dSYM away
	names game >left
	while read -r addr name; do
		grep -qx "$addr $name" left || name=$(printf 0x%x $((addr + 3)))
		echo "$addr $name"
	done <want >alone
	ask game >got
	check "$arch: alone it has only those that are left" cmp got alone
	echo "#1 0x1 (game+$hidden)" >log
	check "$arch: and no others in a log" cmp log <(tm-symbolize -q --text -e game log 2>err)
	tm-llvm-symbolizer --no-cache -e game "$(printf 0x%x $((hidden + 3)))" >got 2>err
	check "$arch: llvm-symbolizer's answers stay those of llvm-symbolizer" \
		cmp got <(llvm-symbolizer-19 -e game "$(printf 0x%x $((hidden + 3)))")
	uuid=$(llvm-objdump-19 --macho --private-headers game | awk '$1 == "uuid" { print $2 }')
	cat >sample.txt <<S
Analysis of sampling game (pid 4242) every 1 millisecond
Process:         game [4242]
Path:            /Applications/game
Load Address:    0x104c3c000
Report Version:  7
----

Call graph:
    100 Thread_77   DispatchQueue_1: com.apple.main-thread  (serial)
      60 ???  (in game)  load address 0x104c3c000 + 0x3  [$(printf 0x%x $((hidden + 0x4c3c003)))]
      40 ???  (in game)  load address 0x104c3c000 + 0x7  [$(printf 0x%x $((hidden + 0x4c3c007)))]

Binary Images:
       0x104c3c000 -        0x104c3ffff +game (0) <$uuid> /Applications/game
S
	tm-top -q --csv --by function -e game sample.txt >got 2>err
	check "$arch: all samples of one function are one row, which has its start" \
		[ "$(grep -c "fn_$hidden" got) $(grep -c second got)" = '1 0' ]
	tm-top -q --csv --by function -e away/game.dSYM sample.txt >got 2>err
	check "$arch: and with the .dSYM alone, it has its name" [ "$(grep -c hidden got) $(wc -l <got)" = '1 2' ]
	size=$(llvm-objdump-19 --macho --private-headers away/game.dSYM/Contents/Resources/DWARF/game |
		awk '$2 == "__TEXT" && !n { n = 1 } n == 1 && $1 == "filesize" { print $2; n = 2 }')
	check "$arch: of whose __TEXT it has __eh_frame, if dsymutil copies that ($size)" [ "$arch$size" = arm640 -o "$size" -gt 0 ]
	cd ..
done

# What sample has interrupted is where it says, also behind a call; callers are at the call before.
mkdir kinds && cd kinds || exit
printf '%s\n' 'volatile int sum;' '__attribute__((noinline)) void leaf(void) { sum++; }' 'int inner(int x) {' '	leaf();' '	sum = x;' \
	'	return x; }' 'int main(int c, char **v) { return inner(c); }' >kinds.c
clang-19 --target=x86_64-apple-macos11 -O1 -g -c kinds.c -o kinds.o 2>err &&
	ld64.lld-19 -arch x86_64 -platform_version macos 11.0 11.0 -undefined dynamic_lookup -e _main -o game kinds.o 2>err &&
	dsymutil-19 game -o game.dSYM 2>err
behind=$(llvm-objdump-19 -d game | awk '/^[0-9a-f]+ <_inner>:/ { on = 1 } on && called { sub(/:$/, "", $1); print $1; exit } on && /call/ { called = 1 }')
leaf=$(llvm-nm-19 game | awk '$3 == "_leaf" { print $1 }')
# sample ROW...: each ADDRESS DEPTH
sample() {
	printf '%s\n' 'Analysis of sampling game (pid 4242) every 1 millisecond' 'Load Address:    0x100000000' 'Report Version:  7' ---- '' \
		'Call graph:' '    100 Thread_77'
	while [ $# -gt 0 ]; do
		printf '%*s100 ???  (in game)  load address 0x100000000 + 0x1  [0x%x]\n' "$2" '' $((16#$1))
		shift 2
	done
	printf '%s\n' '' 'Binary Images:' "       0x100000000 -        0x100003fff +game (0) <$(llvm-objdump-19 --macho --private-headers game |
		awk '$1 == "uuid" { print $2 }')> /Applications/game"
}
sample "$behind" 6 >exact.txt
sample "$behind" 6 "$leaf" 8 >caller.txt
check "an interrupted instruction behind a call" grep -q 'kinds.c:5' <(tm-top -q --by stack -e game exact.txt 2>err)
check "a caller of what was interrupted" grep -q 'inner.*kinds.c:4' <(tm-top -q --by stack -e game caller.txt 2>err)
check "the debug information is the .dSYM's" grep -q 'debug information: game.dSYM/' <(tm-symbolize --explain -e game exact.txt 2>err)
cd ..

# Reports of the sanitizers on macOS name the part of a universal file.
if llvm-lipo-19 -create x86_64/full arm64/full -output fat 2>err; then
	for arch in x86_64 arm64; do
		while read -r addr name; do
			echo "    #1 0x1  (/Applications/fat:$arch+$addr)" >&3
			echo "    #1 0x1 in $name (/Applications/fat:$arch+$addr)"
		done <$arch/want
	done 3>log >named
	# those with DWARF get their place
	tm-symbolize -q --text -e fat log 2>err | sed 's, [^ ]*/main.c:.*,,' | sed 's/ (.*//' >got
	check "a sanitizer's report of macOS" cmp got <(sed 's/ (.*//' named)
	check "the same for tm-top" [ "$(tm-top -q --csv --by function -e fat log 2>err | grep -c 'hidden.*fat')" = 1 ]
fi
exit $failed
