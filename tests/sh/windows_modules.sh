#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-symbolize --text on logs of Windows: which given file a module is, if two have one stem; what the log says of a module
# (time stamp, size, names of functions) against its file; C++ names of WinDbg. llvm-symbolizer 19 says what is at an
# address, and llvm-readobj 19 what a PE file has.
# shellcheck disable=SC2317 # check calls functions
set -u
. "$SRC/tests/check.bash"

for tool in clang++-19 lld-link-19 llvm-symbolizer-19 llvm-readobj-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - windows_modules: no $tool"
		exit 0
	}
done
# build NAME TIME WORDS...: NAME.exe or NAME.dll with its PDB beside it; WORDS are in its functions
build() {
	local name=$1 time=$2 word=$3

	cat >code.cpp <<X
int sink;
namespace $word { struct Class { int v;
__attribute__((noinline)) int f(int x) { sink += x; return v + sink; }
template <class T> __attribute__((noinline)) T g(T x) { sink += (int)x; return x + sink; }
__attribute__((noinline)) int operator()(int a, int b) { sink ^= a * b; return sink; } };
__attribute__((noinline)) int over(int x) { sink |= x; return sink * 5; }
__attribute__((noinline)) int over(double x) { sink |= (int)x; return sink * 7 + (int)x / 3; } }
extern "C" int _fltused = 0;
extern "C" __declspec(dllexport) int start(void) { $word::Class c{1}; return c.f(3) + c.g<int>(4) + c.g<unsigned char>(3) + c(3, 4) + $word::over(3) + $word::over(3.0); }
X
	mkdir -p "$(dirname "$name")"
	clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O1 -ffreestanding -fno-exceptions -fno-rtti -c code.cpp -o code.o 2>err &&
		lld-link-19 /debug /nodefaultlib /entry:start /subsystem:console /machine:x64 /timestamp:"$time" /pdb:"$name.pdb" /out:"$name" code.o 2>>err
}
if ! build game.exe 1618955385 program || ! build game.dll 1618955386 library || ! build next/game.exe 1618955387 later; then
	echo "skip - windows_modules: cannot be made: $(head -n 1 err)"
	exit 0
fi
# truth FILE OFFSET: "function file:line" at an RVA
truth() { llvm-symbolizer-19 --relative-address --output-style=GNU -e "$1" "0x$2" | paste -d ' ' - - | head -n 1 | sed 's/:[0-9]*$//'; }
text() { tm-symbolize --text "$@" 2>err; }
size_of() { printf %d "$(llvm-readobj-19 --file-headers "$1" | sed -n 's/ *SizeOfImage: //p')"; }
stamp_of() { printf %x "$1"; }
of_exe=$(truth game.exe 1002) of_dll=$(truth game.dll 1002)
check "the files differ" [ "$of_exe" != "$of_dll" ]

# --- two files with one stem ---
printf '  Fault Module Name:\tgame.dll\n  Exception Offset:\t00001002\n' >dll.log
sed 's/game.dll/game.exe/' dll.log >exe.log
for files in '-e game.exe -e game.dll' '-e game.dll -e game.exe' '-e game=game.exe -e game.dll' '-e game.exe=game.exe -e GAME.DLL=game.dll'; do
	# shellcheck disable=SC2086 # words
	text $files dll.log >got
	check "$files: game.dll" grep -qF " in $of_dll" got
done
for files in '-e game.exe -e game.dll' '-e game.dll -e game.exe'; do
	# shellcheck disable=SC2086 # words
	text $files exe.log >got
	check "$files: game.exe" grep -qF " in $of_exe" got
done
text -e game.exe dll.log >got
check "game.dll is not game.exe" cmp dll.log got
printf '00000061`74dff620 00007ff7`e7e31046 game+0x1002\n' >bare.log
text -e game.exe -e game.dll bare.log >got
check "a bare stem of two files: neither" cmp bare.log got
check "... and why" grep -q 'game: nothing says whether it is game.exe or game.dll: none is used; -e game=FILE says it$' err
check "... neither is said to be in no call's module" [ "$(grep -c 'not used: no call' err)" = 0 ]
text -e game=game.dll -e game.exe bare.log >got
check "... -e game=FILE says it" grep -qF " in $of_dll" got
text -e game.exe -e game.exe.pdb bare.log >got
check "a program and its PDB are one" grep -qF " in $of_exe" got
mv game.exe.pdb game.pdb
text -e game.pdb -e game.exe bare.log >got
check "... in any order, under the same stem" grep -qF " in $of_exe" got
mv game.pdb game.exe.pdb
text -e game.exe -e next/game.exe exe.log >got
check "two builds of one name: neither" cmp exe.log got
check "... and why" grep -q 'game.exe: nothing says whether it is game.exe or next/game.exe' err
# Unity's list has the whole names, by which an address decides.
{
	printf '0x00007ff7e7e31002 (game) start\n0x00007ff8a0001002 (game) start\n'
	printf "D:\\\\g\\\\game.exe:game.exe (00007FF7E7E30000), size: %d (result: 0), SymType: '-exported-'\n" "$(size_of game.exe)"
	printf "D:\\\\g\\\\game.dll:game.dll (00007FF8A0000000), size: %d (result: 0), SymType: '-exported-'\n" "$(size_of game.dll)"
} >unity.log
text -e game.exe -e game.dll unity.log >got
check "Unity's list: the program" grep -qF "0x00007ff7e7e31002 (game) [$(sed 's/^\([^ ]*\) \(.*\)/\2/' <<<"$of_exe" | sed 's/.* //')" got
check "... and the library, which is a return address" grep -qF "0x00007ff8a0001002 (game) [$(truth game.dll 1001 | sed 's/.* //')" got
# Unreal's log has whole names, and the XML behind it the addresses of both.
{
	printf 'LogWindows: Error: [Callstack] 0x0000000140001002 game.exe!UnknownFunction []\n\n'
	printf 'LogWindows: Error: [Callstack] 0x0000000180001002 game.dll!UnknownFunction []\n\n'
	printf '<FGenericCrashContext>\n<PCallStack>\ngame 0x0000000180000000 + 1002\ngame 0x0000000140000000 + 1002\n</PCallStack>\n'
} >unreal.log
for order in 'game.exe game.dll' 'game.dll game.exe'; do
	# shellcheck disable=SC2046,SC2086 # words
	text $(printf ' -e %s' $order) unreal.log >got
	check "Unreal, $order: the program" grep -qF "game.exe!UnknownFunction [] in $of_exe" got
	check "... the library" grep -qF "game.dll!UnknownFunction [] in $of_dll" got
	check "... and the stems at their addresses" [ "$(grep -c ' + 1002 in ' got)" = 2 ]
done
text -e game.exe unreal.log >got
check "the program alone is not the library of its stem" [ "$(grep -n ' in ' got | cut -d : -f 1 | tr '\n' ' ')" = '1 8 ' ]
grep -v UnknownFunction unreal.log | sed '/180000000/d' >stems.log
text -e game.exe stems.log >got
check "a stem that nothing completes is a guess" grep -q 'game: the log has neither its extension nor a GUID or time stamp: nothing shows whether game.exe is this module, and of this build$' err
# Crashes whose lists of modules follow their stacks, and such whose lists are before them. Without sizes, a module may be
# 4 GiB long: the first one's holds the address of the second.
unreal_call() { printf 'LogWindows: Error: [Callstack] 0x%016x game.exe!UnknownFunction []\n\n' "$((0x$1 + 0x1002))"; }
unreal_list() { printf '<PCallStack>\ngame 0x%016x + 1002\n</PCallStack>\n' "0x$1"; }
for form in 'call:1 list:1 call:2 list:2' 'list:1 call:1 list:2 call:2' 'call:1 list:1 list:2 call:2'; do
	for word in $form; do "unreal_${word%:*}" "1${word#*:}0000000"; done >two.log
	text -e game.exe two.log >got
	check "$form: each stack has its own list" [ "$(grep -cF "game.exe!UnknownFunction [] in $of_exe" got)" = 2 ]
done

# --- what the log says of a module ---
event() { printf 'Faulting module name: game.exe, version: 1.0.0.0, time stamp: 0x%s\nException code: 0xc0000005\nFault offset: 0x0000000000001002\n' "$1"; }
details() { printf '  Fault Module Name:\tgame.exe\n  Fault Module Version:\t1.0.0.0\n  Fault Module Timestamp:\t%s\n  Exception Offset:\t00001002\n' "$1"; }
report() { printf 'Sig[3].Name=Fault Module Name\nSig[3].Value=game.exe\nSig[5].Name=Fault Module Timestamp\nSig[5].Value=%s\nSig[7].Name=Exception Offset\nSig[7].Value=0000000000001002\n' "$1"; }
parameters() { printf 'Event Name: APPCRASH\nP4: game.exe\nP5: 1.0.0.0\nP6: %s\nP7: c0000005\nP8: 0000000000001002\n' "$1"; }
frame() { printf '00000061`74dff620 00007ff7`e7e31046 game+0x1002\n'; }
module() { printf '00007ff7`e7e30000 00007ff7`%08x   game       ' $((0xe7e30000 + $(size_of game.exe))); }
lmt() { frame; module; printf 'Tue Apr 20 21:49:45 2021 (%s)\n' "$(tr a-f A-F <<<"$1")"; }
lmv() { module; printf '(deferred)\n    Image path: C:\\g\\game.exe\n    Image name: game.exe\n    Timestamp:        Tue Apr 20 21:49:45 2021 (%s)\n    ImageSize:        %08X\n' "$1" "$(size_of game.exe)"; frame; }
hash() { module; printf '(deferred)\n    Timestamp:        %s (This is a reproducible build file hash, not a timestamp)\n' "$(tr a-f A-F <<<"$1")"; frame; }
analyze() { frame; printf 'MODULE_NAME: game\n\nIMAGE_NAME:  game.exe\n\nDEBUG_FLR_IMAGE_TIMESTAMP:  %s\n' "$1"; }
for form in event details report parameters lmt lmv hash analyze; do
	$form "$(stamp_of 1618955385)" >said.log
	text -e game.exe said.log >got
	check "$form: the time stamp of the file" grep -qF " in $of_exe" got
	check "... shows the build" [ "$(grep -c 'nothing shows' err)" = 0 ]
	text -e next/game.exe said.log >got
	check "$form: another time stamp" cmp said.log got
	check "... is said" grep -q "game.*: next/game.exe is of another build: the log has the time stamp $(stamp_of 1618955385), the file $(stamp_of 1618955387)\$" err
	check "... and counted" grep -q '1 call stays as it was: the file of its module.* is of another build' err
	for files in '-e game.exe -e next/game.exe' '-e next/game.exe -e game.exe' '-e next/game.exe -e next/game.exe.pdb -e game.exe'; do
		# shellcheck disable=SC2086 # words
		text $files said.log >got
		check "$form, $files: the file of the time stamp" grep -qF " in $of_exe" got
	done
done
# !analyze without a time stamp has the whole name all the same.
image() { frame; printf 'MODULE_NAME: game\n\nIMAGE_NAME:  game.%s\n' "$1"; }
for files in '-e game.exe -e game.dll' '-e game.dll -e game.exe'; do
	# shellcheck disable=SC2086 # words
	text $files <(image exe) >got
	check "$files: IMAGE_NAME alone: the program" grep -qF " in $of_exe" got
	# shellcheck disable=SC2086 # words
	text $files <(image dll) >got
	check "... the library" grep -qF " in $of_dll" got
	# shellcheck disable=SC2086 # words
	text $files <(image dll && image exe) >got
	check "... each stack has its own" [ "$(grep -cF " in $of_dll" <(head -n 4 got)),$(grep -cF " in $of_exe" <(tail -n 4 got))" = 1,1 ]
done
text -e game.dll <(image exe) >got
check "IMAGE_NAME is no library of its stem" [ "$(grep -c ' in ' got)" = 0 ]
text -e game.dll <(module && printf '(deferred)\n' && image exe) >got
check "... nor with a list of WinDbg, which has the stem" [ "$(grep -c ' in ' got)" = 0 ]
# Two crashes, each with its list behind it: of two builds.
{
	lmt "$(stamp_of 1618955387)"
	lmt "$(stamp_of 1618955385)"
} >two.log
text -e game.exe -e next/game.exe two.log >got
check "lists behind their stacks: each has its own" grep -qF "$(truth next/game.exe 1002)" <(sed -n 1p got)
check "... the second one, too" grep -qF "$of_exe" <(sed -n 3p got)
# Two lists of WinDbg in a row, of processes in which the program was elsewhere: the first is of the stack before, the second
# of the one behind.
list() { # BASE TIME: lmt; or lmv, which says the whole name, too
	printf '%016x %016x   game       ' "$1" $(($1 + $(size_of game.exe))) | sed 's/\(.\{8\}\)\(.\{8\}\) \(.\{8\}\)/\1`\2 \3`/'
	if [ "$lists" = lmt ]; then
		printf 'Tue Apr 20 21:49:45 2021 (%s)\n' "$(tr a-f A-F <<<"$2")"
	else
		printf '(deferred)\n    Image name: game.exe\n    Timestamp:        Tue Apr 20 21:49:45 2021 (%s)\n' "$2"
	fi
}
for lists in lmt lmv; do
	{
		frame
		list 0x7ff7e7e30000 "$(stamp_of 1618955387)"
		list 0x7ff6a0000000 "$(stamp_of 1618955385)"
		frame
	} >row.log
	text -e game.exe -e next/game.exe row.log >got
	check "$lists in a row: the first stack has the first list" grep -qF "$(truth next/game.exe 1002)" <(sed -n 1p got)
	check "... the second stack the second" grep -qF "$of_exe" <(sed -n '$p' got)
done
# Two crashes of two builds in one event log: each has its own.
{
	event "$(stamp_of 1618955387)"
	event "$(stamp_of 1618955385)"
} >two.log
text -e game.exe two.log >got
check "a stamp is of its crash alone" [ "$(grep -n ' in ' got | cut -d : -f 1 | tr '\n' ' ')" = '6 ' ]
text -e game.exe -e next/game.exe two.log >got
check "... with both files each has its own" grep -qF "$(truth next/game.exe 1002)" <(sed -n 3p got)
check "... in the second one, too" grep -qF "$of_exe" <(sed -n 6p got)
# The width of addresses, which WinDbg's columns show: a file for the other one is of another build. The machine of a header
# is behind "PE\0\0", and its magic 20 bytes behind: 0x14c and 0x10b are those of 32 bits.
python3 - <<'X'
import struct
b = bytearray(open("game.exe", "rb").read())
at = struct.unpack_from("<I", b, 60)[0]
struct.pack_into("<H", b, at + 4, 0x14C)
struct.pack_into("<H", b, at + 24, 0x10B)
open("narrow.exe", "wb").write(b)
X
frame >wide.log
printf '00 0019ff00 009d1002 game+0x1002\n' >narrow.log
text -e game=narrow.exe wide.log >got
check "addresses of 64 bits and a file of 32" cmp wide.log got
check "... why" grep -q 'narrow.exe is of another build: the log has addresses of 64 bits, the file is for 32$' err
printf 'SYMBOL_NAME:  game+1002\n' >>wide.log
text -e game=narrow.exe wide.log >got
check "... nor a line that shows no width" cmp wide.log got
text -e game.exe narrow.log >got
check "addresses of 32 bits and a file of 64" cmp narrow.log got
check "... why" grep -q 'game.exe is of another build: the log has addresses of 32 bits, the file is for 64$' err
# Unity prints as many digits as a pointer has.
printf 'C:\\\\g\\\\game.exe:game.exe (00400000), size: 20480 (result: 0)\n\n0x00401002 (game) (function-name not available)\n' >unity32.log
text -e game.exe unity32.log >got
check "Unity's addresses of 32 bits and a file of 64" cmp unity32.log got
check "... why" grep -q 'game.exe is of another build: the log has addresses of 32 bits, the file is for 64$' err
# addr2line of GNU has no name for an address above 32 bits.
for program in 'tm-addr2line -f -e' 'tm-llvm-symbolizer -e'; do
	$program narrow.exe 0x7ff600001002 >got 2>err
	check "$program: an address above 32 bits has no name" grep -q '^??' got
	check "... and is named as it was typed" grep -q 'the first is 0x7ff600001002:' err
done
# A capture, in which the module was above 4 GiB.
echo '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x7f0000001002;"],"sz":[8]}]}' >run.mem
printf '%s\n' '7f0000000000-7f0000010000 r-xp 00000000 00:00 0    C:\g\game.exe' >high.maps
for program in 'tm-symbolize -o named.tmt' tm-top; do
	# shellcheck disable=SC2086 # words
	$program --maps high.maps -e game=narrow.exe run.mem >got 2>err
	check "$program: a file of 32 bits for a module above 4 GiB" grep -q 'run.mem: loss: not used, since the file is for 32 bits, and the module was above 4 GiB: game.exe$' err
	# shellcheck disable=SC2086 # words
	$program --maps high.maps -e game.exe run.mem >got 2>err
	check "$program: nothing proves the build" [ "$(grep -c 'run.mem: guess: no build-id proves that the given files are of the captured build: game.exe$' err)" = 1 ]
done
tm-symbolize -o named.tmt --slide 0x7effc0000000 -e game.exe run.mem 2>err
check "without a map: the note has the file's name" grep -q 'guess: no build-id proves that the given files are of the captured build: game.exe$' err
# Folded stacks with a call that has no name.
printf 'main;game.exe+0x1002 3\n' >place.folded
tm-symbolize -q --locations exact -e game.exe place.folded 2>err | tm-export -q --as folded - >got
check "folded stacks: a place in a module gets its name" [ "$(cat got)" = "main;${of_exe% *} 3" ]
# A program of another system.
echo 'int sink; int start(void) { return sink += 3; }' >code.c
clang-19 --target=x86_64-linux-gnu -g -c code.c -o game 2>err
for files in '-e game -e game.exe' '-e game.exe -e game'; do
	# shellcheck disable=SC2086 # words
	text $files bare.log >got
	check "$files: a log of Windows takes the PE file" grep -qF " in $of_exe" got
done
text -e game bare.log >got
check "an ELF file alone" cmp bare.log got
check "... is said" grep -q 'game is of another build: the log is one of Windows, the file is ELF$' err
# Sizes, where there is no stamp.
other=$(($(size_of game.exe) + 8192))
unity() { printf "0x00007ff7e7e31002 (game) start\nD:\\\\g\\\\game.exe:game.exe (00007FF7E7E30000), size: %d (result: 0)\n" "$1"; }
load() { printf 'ModLoad: 00007ff7`e7e30000 00007ff7`%08x   C:\\g\\game.exe\n' $((0xe7e30000 + $1)); frame; }
short() { printf '00007ff7`e7e30000 00007ff7`%08x   game     C (export symbols)       C:\\g\\game.exe\n' $((0xe7e30000 + $1)); frame; }
for form in unity load short; do
	$form "$(size_of game.exe)" >said.log
	text -e game.exe said.log >got
	check "$form: the size of the file" [ "$(grep -cF "${of_exe%% *}" got)" = 1 ]
	$form $other >said.log
	text -e game.exe said.log >got
	check "$form: another size" cmp said.log got
	check "... is said" grep -q "game.exe is of another build: in the log it has $other bytes of memory, in the file $(size_of game.exe)\$" err
done
# A log that is followed: what came before the list of modules has been printed.
mkfifo pipe
tm-symbolize --text -e next/game.exe <pipe >got 2>err &
exec 7>pipe
frame >&7
for ((i = 0; i < 600; i++)); do
	grep -q ' in ' got && break
	sleep 0.1
done
lmt "$(stamp_of 1618955385)" | tail -n 1 >&7
frame >&7
exec 7>&-
wait
check "a list of modules behind what was printed: no more names" [ "$(grep -c ' in ' got)" = 1 ]
check "... and what was printed may be wrong" grep -q 'this line came when 1 call had been named, which may be wrong' err
# The log names functions with their lines: the file has others there.
{
	printf '0x0000000140001002 game.exe!program::Class::f() [D:\\src\\code.cpp:3]\n'
	printf '<FGenericCrashContext>\n<PCallStack>\ngame 0x0000000140000000 + 1002\n</PCallStack>\n'
} | sed "s/program::Class::f/$(cut -d '(' -f 1 <<<"$of_exe")/" >named.log
text -e game.exe named.log >got
check "the function that the log names" [ "$(grep -cF " in $of_exe" got)" = 2 ]
sed 's/!program::[^(]*/!program::Class::other/' named.log >other.log
text -e game.exe other.log >got
check "another function than the log names: the line stays" [ "$(head -n 1 got)" = "$(head -n 1 other.log)" ]
check "... and is said" grep -q 'of another build: where the log has program::Class::other(), the file has program::' err

sed 's/code[.]cpp:3/elsewhere.cpp:3/' named.log >other.log
text -e game.exe other.log >got
check "another source file than the log names: the line stays" [ "$(head -n 1 got)" = "$(head -n 1 other.log)" ]
check "... and is said" grep -q 'of another build: where the log has D:.src.elsewhere.cpp, the file has .*code.cpp$' err

# --- a minidump of the process: its GUID and age, or the time stamp and size of a module without a GUID ---
"$GEN/minidump" x64 >x64.dmp # C:\g\game.exe at 0x140000000, stopped 0x1000 behind it
cat >patch.py <<'X'
import struct, sys, uuid
stamp, size, guid, age = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
b = bytearray(open("x64.dmp", "rb").read())
at = b.index(struct.pack("<QI", 0x140000000, 0x4000))
b[at + 8 : at + 12], b[at + 16 : at + 20] = struct.pack("<I", size), struct.pack("<I", stamp)
at = b.index(b"RSDS")
if guid == "-":
    b[at : at + 4] = b"none"
else:
    b[at + 4 : at + 24] = uuid.UUID(guid).bytes_le + struct.pack("<I", age)
sys.stdout.buffer.write(b)
X
guid_of() { llvm-readobj-19 --coff-debug-directory "$1" | sed -n 's/ *PDBGUID: //p'; }
printf 'LogWindows: Error: [Callstack] 0x0000000140001002 game.exe!UnknownFunction []\n' >address.log
printf ' 0# 0x0000000140001002 in C:\\\\g\\\\game.exe\n' >boost.log
text -e game.exe address.log >got
check "a log without the base of a module" cmp address.log got
check "... where to get it" grep -q 'game.exe: the log does not say where it was in memory: give log and CrashContext.runtime-xml in one input (cat LOG XML | tm-symbolize --text), or the minidump with --maps$' err
text -e game.exe unreal.log >got
check "... and no note that the file is of no call" [ "$(grep -c 'not used: no' err)" = 0 ]
text -e game.exe=game.exe address.log >got
check "... nor of a file that was given for this module" [ "$(grep -c 'not used: \|the modules of the log' err)" = 0 ]
text -e other=game.exe address.log >got
check "a file for a module that the log has not" grep -q "game.exe: not used: no call lies in a module 'other'\$" err
check "... and the modules that it has" grep -q 'the modules of the log: game.exe$' err
echo '140000000-140004000 r-xp 00000000 00:00 0 C:\g\other.exe' >process.maps
text --maps process.maps -e game.exe address.log >got
check "the module map of another process" grep -q 'memory, and the module map has no game.exe: --maps takes the module map of the process that crashed$' err
echo '150000000-150004000 r-xp 00000000 00:00 0 C:\g\game.exe' >process.maps
text --maps process.maps -e game.exe address.log >got
check "... in which the module is elsewhere" grep -q 'memory, and the module map has it at another place: --maps takes the module map of the process that crashed$' err
printf '#0 0x140001002\n' >handler.log
text -e game.exe handler.log >got
check "a log without modules" grep -q 'game.exe: not used: no call of the log names its module$' err
check "... by number" grep -q ': 1 call has an address and no module: ' err
python3 patch.py 1618955385 "$(size_of game.exe)" "$(guid_of game.exe)" 1 >own.dmp
text --maps own.dmp -e game.exe handler.log >got
check "an address in a module of a minidump" grep -qF " in $of_exe" got
check "... which shows the build" [ "$(grep -c 'nothing shows' err)" = 0 ]
check "... no option is named that --text refuses" [ "$(grep -c -- --locations err)" = 0 ]
check "... one call" grep -q ': 1 of 1 call was named$' err
# A PDB alone counts from the module's first byte: tm-inspect joins it with the program all the same.
mkdir pdbs && cp game.exe.pdb pdbs/game.pdb
tm-symbolize -q --debug-dir pdbs -o by_pdb.tmt own.dmp
tm-symbolize -q -e game.exe -o by_exe.tmt own.dmp
for trace in by_pdb by_exe; do
	tm-inspect --trace $trace.tmt --csv game.exe >$trace.csv 2>err
	tm-inspect --trace $trace.tmt --disassemble 0x140001000 --csv game.exe >>$trace.csv 2>err
done
check "tm-inspect --trace of a trace that a PDB alone names" cmp by_pdb.csv by_exe.csv
check "... has the instruction" [ "$(grep -c '^[0-9,]*0x140001000' by_pdb.csv)" = 2 ]
# A place in a module without a file is one place, looked up or not.
tm-import -q -o plain.tmt own.dmp
tm-symbolize -q --no-local -o looked_up.tmt own.dmp
tm-top -q --no-symbols plain.tmt >plain.txt
tm-top -q --no-symbols looked_up.tmt >looked_up.txt
check "a place without a file is the same before tm-symbolize and after" cmp plain.txt looked_up.txt
check "... an offset" grep -q 'game.exe+0x1000$' plain.txt
tm-symbolize --text -e game.exe looked_up.txt >got 2>err
check "... and a row that --text names" [ "$(grep -c 'game.exe+0x1000 in program::' got)" = 1 ]
text --maps own.dmp -e next/game.exe handler.log >got
check "... of another build: it stays" cmp handler.log got
check "... not where CrashContext is there" [ "$(grep -c 'does not say where' err)" = 0 ]
text -e game.exe x64.dmp >got
check "a capture for --text" grep -q 'x64.dmp: a capture (minidumps .*): without --text, tm-symbolize names its calls$' err
text -e game.exe game.dll >got
check "a program for --text" grep -q 'game.dll: .*Windows.*, and no log: tm-symbolize -e FILE' err
frame >windbg.log
details 0 >wer.log
for log in windbg wer; do
	tm-symbolize -e game.exe $log.log >got 2>err
	check "$log without --text" grep -q "$log.log: .* a log with a stack of Windows: tm-symbolize --text -e PROGRAM FILE names its calls\$" err
done
# A row of a report and the stack below it: a place is of no stack, so the first instruction of a function is its own, also below.
begin=$(llvm-readobj-19 --coff-exports game.exe | sed -n 's/ *RVA: 0x//p')
printf '1  2  50.00%%  game.exe+0x%s\n    game.exe+0x%s\n' "$begin" "$begin" >rows.log
text -e game.exe rows.log >got
check "a function's first instruction in rows of a report" [ "$(grep -cF " in start " got)" = 2 ]
# A process with two modules of one name, as a library and one that stands before it: the address decides.
python3 patch.py 1618955385 "$(size_of game.exe)" "$(guid_of game.exe)" 1 >one.dmp
python3 - "$(guid_of next/game.exe)" "$(size_of next/game.exe)" >two.dmp <<'X'
import struct, sys, uuid
b = bytearray(open("one.dmp", "rb").read())
first = b.index(struct.pack("<Q", 0x140000000) + struct.pack("<I", struct.unpack_from("<I", b, b.index(struct.pack("<Q", 0x141000000)) - 108 + 8)[0]))
second = first + 108  # bytes of a MINIDUMP_MODULE
at = b.index(b"RSDS")
size = struct.unpack_from("<I", b, first + 76)[0]  # of the record that says the PDB
record = b"RSDS" + uuid.UUID(sys.argv[1]).bytes_le + struct.pack("<I", 1) + b[at + 24 : at + size]
struct.pack_into("<I", b, second + 8, int(sys.argv[2]))
b[second + 20 : second + 24] = b[first + 20 : first + 24]  # its name
struct.pack_into("<II", b, second + 76, len(record), len(b))
sys.stdout.buffer.write(b + record)
X
of_next=$(truth next/game.exe 1002)
printf ' 0# 0x0000000140001002 in C:\\g\\game.exe\n 1# 0x0000000141001003 in C:\\g\\game.exe\n' >twice.log
for files in 'game.exe next/game.exe' 'next/game.exe game.exe' game.exe next/game.exe; do
	read -ra words <<<"${files/ / -e }"
	text --maps two.dmp -e "${words[@]}" twice.log >got
	for file in game.exe next/game.exe; do
		of=$of_exe line=1
		[ $file = game.exe ] || of=$of_next line=2
		case " $files " in
		*" $file "*) check "two modules of one name, $files: the one of $file" [ "$(sed -n ${line}p got | grep -cF " in $of")" = 1 ] ;;
		*) check "two modules of one name, $files: none of another file" [ "$(sed -n ${line}p got)" = "$(sed -n ${line}p twice.log)" ] ;;
		esac
	done
done
# Two files, and both are of other builds than the map says: no choice, but a reason.
build last/game.exe 1618955388 last
tm-symbolize --text --maps one.dmp -e last/game.exe -e next/game.exe boost.log >got 2>err
check "two files of other builds" cmp boost.log got
check "... and why" grep -q 'game.exe: last/game.exe is of another build: its GUID differs' err
while read -r what file agrees differs stamp size guid age; do
	# shellcheck disable=SC2086 # words
	python3 patch.py $stamp $size "$guid" $age >game.dmp
	text --maps game.dmp -e "$file" address.log >got
	if [ "$differs" = - ]; then
		check "$what: the log is named" grep -qF " in $of_exe" got
		check "... and shows the build" [ "$(grep -c 'nothing shows' err)" = 0 ]
	else
		check "$what: the log is not named" cmp address.log got
		check "... and why" grep -q "game.exe: $file is of another build: its ${differs//_/ } differs from that in the module map: the capture has [0-9A-F]*, the file [0-9A-F]*\$" err
	fi
	text --maps game.dmp -e "$file" boost.log >got
	check "... an address of Boost.Stacktrace" [ "$(grep -cF "0x0000000140001002 in $of_exe" got)" = "$([ "$differs" = - ] && echo 1 || echo 0)" ]
	tm-symbolize -q --no-cache --explain -e "$file" game.dmp >got 2>err
	if [ "$differs" = - ]; then
		check "... the dump's own stacks are named" grep -q "${of_exe%%(*}" got
	else
		check "... the dump's own stacks are not" [ "$(grep -c 'program::' got)" = 0 ]
		check "... and why" grep -q "is another build: ${differs//_/ } differs" got
	fi
	[ "$agrees" = - ] || check "... a PDB alone: $agrees" [ "$(text --maps game.dmp -e game.exe=game.exe.pdb address.log | grep -c "${of_exe%%(*}")" = "$agrees" ]
done <<X
the_GUID_and_age_of_the_file game.exe 1 - 0 $(size_of game.exe) $(guid_of game.exe) 1
another_GUID game.exe 0 GUID 1618955385 $(size_of game.exe) $(guid_of next/game.exe) 1
another_age game.exe 0 age 1618955385 $(size_of game.exe) $(guid_of game.exe) 7
the_time_stamp_and_size_of_the_file game.exe 1 - 1618955385 $(size_of game.exe) - 0
another_time_stamp game.exe - time_stamp 1618955387 $(size_of game.exe) - 0
another_size game.exe - size_in_memory 1618955385 $other - 0
X

# --- C++ names of WinDbg ---
{
	while read -r name plus; do
		printf '00000061`74dff620 00007ff7`e7e31046 game!%s+0x%s\n' "${name//_/ }" "$plus"
	done <<'X'
program::Class::f 7
program::Class::g<int> 7
program::Class::g<unsigned_char> 7
program::Class::operator() 7
X
} >cxx.log
text -e game.exe cxx.log >got
check "C++ names" [ "$(grep -c ' in program::Class::' got)" = 4 ]
for name in 'f(int)' 'g<int>(int)' 'g<unsigned char>(unsigned char)' 'operator()(int, int)'; do
	check "... $name" grep -qF "!program::Class::${name%(*}+0x7 in program::Class::$name $PWD/code.cpp:" got
done
printf '00000061`74dff620 00007ff7`e7e31046 game!program::over+0x5\n' >over.log
text -e game.exe over.log >got
check "two functions of one name: neither" cmp over.log got
check "... and why" grep -q 'game: 2 functions of game.exe are called program::over$' err

# Names that the log spells as tools of Microsoft do, or as the compiler has them in its PDB; LLVM spells the public symbols.
cat >names.cpp <<'X'
int sink;
extern "C" int _fltused = 0;
void operator delete(void *, unsigned long long) noexcept { sink++; }
namespace ns {
template <class T> __attribute__((noinline)) int f(T *p) { sink += p != nullptr; return (int)sizeof *p + sink; }
template <class A, class B, class C, class D> __attribute__((noinline)) int fp(A (*p)(B, C, D)) { sink += p != nullptr; return sink * 3; }
struct S { int v; virtual ~S(); };
S::~S() { sink += v; }
template <class T, unsigned long long N> __attribute__((noinline)) int span(T x) { return x + (int)N + sink; }
template <int N> __attribute__((noinline)) int at() { return N + sink; }
}
extern "C" __declspec(dllexport) int start(ns::S *s) {
	int (*p)(const char *, ns::S &, unsigned) = nullptr;
	delete s;
	return ns::f((const char **)nullptr) + ns::f((const volatile int **)nullptr) + ns::f((unsigned long long *)nullptr) + ns::fp(p) +
		ns::span<int, ~0ull>(3) + ns::span<int, ~0ull - 1>(3) + ns::at<-1>();
}
X
if clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O0 -ffreestanding -fno-exceptions -fno-rtti -c names.cpp -o names.o 2>err &&
	lld-link-19 /debug /nodefaultlib /entry:start /subsystem:console /machine:x64 /pdb:names.pdb /out:names.exe names.o 2>>err; then
	cat >wanted <<'X'
ns::f<const char *>|ns::f<char const *>(
ns::f<char const *>|ns::f<char const *>(
ns::f<unsigned long long>|ns::f<unsigned __int64>(
ns::f<unsigned __int64>|ns::f<unsigned __int64>(
ns::fp<int,const char *,ns::S &,unsigned int>|ns::fp<int, char const *, struct ns::S &, unsigned int>(
ns::S::`scalar deleting destructor'|ns::S::`scalar deleting dtor'(
ns::span<int,18446744073709551615>|ns::span<int, -1>(
ns::span<int,18446744073709551614>|ns::span<int, -2>(
ns::at<-1>|ns::at<-1>(
X
	while IFS='|' read -r name is; do
		printf '00000061`74dff620 00007ff7`e7e31046 names!%s+0x1\n' "$name" >name.log
		text -e names.exe name.log >got
		check "a name of Microsoft's tools: $name" grep -qF " in $is" got
	done <wanted
	printf '00000061`74dff620 00007ff7`e7e31046 names!ns::f<char *>+0x1\n' >name.log
	text -e names.exe name.log >got
	check "without const it is another function" cmp name.log got
else
	echo "skip - names of Microsoft's tools: $(head -n 1 err)"
fi
exit $failed
