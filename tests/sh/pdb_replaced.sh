#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A program that waits for addresses notices that the PDB of a PE file was replaced, has come, or does not fit any more.
# llvm-symbolizer 19, started anew, says what is at the address.
set -u
. "$SRC/tests/check.bash"

for tool in clang++-19 lld-link-19 llvm-symbolizer-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - pdb_replaced: no $tool"
		exit 0
	}
done
build() { # NAME FUNCTION
	mkdir -p "$1" && echo "extern \"C\" int $2(void) { return 3; }" >"$1/code.cpp"
	clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O1 -ffreestanding -c "$1/code.cpp" -o "$1/code.o" 2>err &&
		lld-link-19 /debug /nodefaultlib /entry:"$2" /subsystem:console /machine:x64 /pdbaltpath:game.pdb /pdb:"$1/game.pdb" /out:"$1/game.exe" "$1/code.o" 2>>err
}
if ! build one first || ! build two second; then
	echo "skip - pdb_replaced: cannot be made: $(head -n 1 err)"
	exit 0
fi
mkdir here && cp one/game.exe here/
coproc waiting { tm-llvm-symbolizer --relative-address -e here/game.exe 2>err; }
# ask WORDS [WANT]: the answer is WANT, or what LLVM says now
ask() {
	local line got='' want=${2:-}

	echo 0x1000 >&"${waiting[1]}"
	while read -r -t 60 line <&"${waiting[0]}" && [ -n "$line" ]; do got+="$line "; done
	[ -n "$want" ] || want=$(llvm-symbolizer-19 --relative-address -e here/game.exe 0x1000 | paste -s -d ' ' - | sed 's/ *$//')
	check "$1" [ "${got% }" = "$want" ]
}
ask 'no PDB: nothing is known' '?? ??:0:0'
cp one/game.pdb here/
ask 'the PDB has come'
cp two/game.pdb here/new && mv here/new here/game.pdb
ask 'a PDB of another build has its place' '?? ??:0:0'
cp one/game.pdb here/game.pdb
ask 'the PDB is there again'
cp two/game.exe two/game.pdb here/
ask 'program and PDB are another build'
pid=$waiting_PID
eval "exec ${waiting[1]}>&-"
wait "$pid"
check "a note says that the PDB did not fit" grep -q 'here/game.exe: read again: its functions and lines are in the PDB game.pdb (.*), which was not found: here/game.pdb: GUID differs' err
# An address in memory (RVA) without the option, and what tm-inspect says of the PDB that does not fit.
tm-llvm-symbolizer -e here/game.exe 0x1000 0x1001 >got 2>err
check "an address below the image base: one note" [ "$(grep -c 'here/game.exe: 0x1000 is below the image base 0x140000000: with --relative-address' err)" = 1 ]
check "... not of the others" [ "$(grep -c 'is below' err)" = 1 ]
tm-llvm-symbolizer --relative-address -e here/game.exe 0x1000 >got 2>err
check "... none with the option" [ "$(grep -c 'is below' err)" = 0 ]
tm-addr2line -e here/game.exe 0x1000 0x1001 >got 2>err
check "... tm-addr2line: one note, with the way" [ "$(grep -c 'here/game.exe: 0x1000 is below the image base 0x140000000: add the base to offsets in memory (RVA), as tm-llvm-symbolizer --relative-address does' err)" = 1 ]
tm-addr2line -e here/game.exe 0x140001000 >got 2>err
check "... none of an address of the program" [ "$(grep -c 'is below' err)" = 0 ]
check "... nor above it" [ "$(grep -c 'above the image' err)" = 0 ]
# 0x7ff600001000 is where a process had it; twice, and the first address behind the image.
end=$((0x140000000 + $(llvm-readobj-19 --file-headers here/game.exe | sed -n 's/ *SizeOfImage: //p')))
for program in tm-llvm-symbolizer tm-addr2line; do
	$program -e here/game.exe 0x7ff600001000 0x140001000 "0x$(printf %x $end)" "0x$(printf %x $((end - 1)))" >got 2>err
	check "$program: addresses above the image: one note, counted" \
		[ "$(grep 'above the image' err)" = "$program: here/game.exe: 2 addresses are above the image's end 0x$(printf %x $end), the first is 0x7ff600001000: where the module was loaded elsewhere, ask for address - load address + 0x140000000, or tm-atos -l LOADADDRESS ADDRESS" ]
done
id=$(llvm-readobj-19 --coff-debug-directory here/game.exe | sed -n 's/ *PDBGUID: {\(.*\)}/\1/p' | tr -d -)
age=$(llvm-readobj-19 --coff-debug-directory here/game.exe | sed -n 's/ *PDBAge: //p')
tm-inspect here/game.exe >got 2>err
check "the build-id as symbol servers write it" grep -q "^build-id  *$id$(printf %X "$age")\$" got
cp one/game.pdb here/game.pdb
tm-inspect here/game.exe >got 2>err
check "why a PDB was refused" grep -q '^lines  *no  *in the PDB game.pdb, which was not found: here/game.pdb: GUID differs' got
exit $failed
