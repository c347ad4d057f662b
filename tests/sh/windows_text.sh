#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-symbolize --text on logs of Windows: Unreal's CrashContext.runtime-xml and log, Unity's crash log, WinDbg's stacks.
# The lines have the forms of published reports, with addresses of a program that is made here; what they are is what
# llvm-symbolizer 19 says of them: of the first call at its address, of callers at the address before.
set -u
. "$SRC/tests/check.bash"

for tool in clang++-19 lld-link-19 llvm-symbolizer-19 llvm-nm-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - windows_text: no $tool"
		exit 0
	}
done
cat >game.cpp <<'END'
int sink;
static inline __attribute__((always_inline)) int twice(int x) { sink += x; return 2 * x; }
extern "C" __attribute__((noinline)) int leaf(int x) { sink++; return twice(x) + 1; }
namespace game { __attribute__((noinline)) int outer(int x) { return leaf(x) + sink; } }
extern "C" __declspec(dllexport) int exported(int x) { return game::outer(x) - sink; }
extern "C" int mainCRTStartup(void) { return exported(3) + 1; }
END
if ! clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O1 -ffreestanding -fno-exceptions -fno-rtti -c game.cpp -o game.o 2>err ||
	! lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console /machine:x64 /timestamp:1618955385 /pdb:My-Game.pdb /out:My-Game.exe game.o 2>>err; then
	echo "skip - windows_text: cannot be made: $(head -n 1 err)"
	exit 0
fi
# shellcheck disable=SC2317 # check calls it
same() { diff "$1" "$2" >err; }
text() { tm-symbolize -q --text -e My-Game.exe "$@" 2>err; }
truth_of() { # FILE OFFSET
	llvm-symbolizer-19 --relative-address --output-style=GNU -e "$1" "$(printf 0x%x $((0x$2)))" | paste -d ' ' - - | grep -v '^ *$'
}
# truth OFFSET: "function file:line:column" of each call at an RVA, innermost first
truth() { truth_of My-Game.exe "$1"; }
before() { printf %x $((0x$1 - 1)); }

# Return addresses in outer and exported: behind the calls that llvm-objdump lists.
mapfile -t calls < <(llvm-objdump-19 -d --no-show-raw-insn My-Game.exe | awk '/callq/ { getline; sub(":", "", $1); print $1 }')
base=140000000
rva() { printf %x $((0x$1 - 0x$base)); }
first=$(printf %x $((0x1000 + 2))) # in leaf, which is first in .text
callers=("$(rva "${calls[0]}")" "$(rva "${calls[1]}")")
loaded=00007ff7e7e30000
image_size=$(($(llvm-readobj-19 --file-headers My-Game.exe | sed -n 's/ *SizeOfImage: //p')))
exported=$(llvm-readobj-19 --coff-exports My-Game.exe | sed -n 's/ *RVA: 0x//p')
address() { printf '%016x' $((0x$loaded + 0x$1)); }

behind() { # TEXT OFFSET: a line of each call at the offset, as most tools have it
	truth "$2" | sed "s|^\(.*\) \([^ ]*\)$|$1 in \1 \2|"
}
unity() { # TEXT OFFSET
	truth "$2" | sed "s|^\(.*\) \([^ ]*\)$|$1 [\2] \1|"
}

# --- Unreal ---
{
	printf '<FGenericCrashContext>\r\n<PCallStack>\r\n\r\n'
	for offset in "$first" "${callers[@]}"; do printf 'My-Game 0x%s + %s \r\n' $loaded "$offset"; done
	printf 'KERNEL32 0x00007ffb9ee00000 + 17374 \r\n</PCallStack>\r\n'
	printf '<Thread>\r\n<CallStack>My-Game\r\n'
	printf 'My-Game 0x%s + %s\r\n' $loaded "$first"
} >context.xml
text context.xml | tr -d '\r' >got
{
	printf '<FGenericCrashContext>\n<PCallStack>\n\n'
	behind "My-Game 0x$loaded + $first" "$first"
	for offset in "${callers[@]}"; do behind "My-Game 0x$loaded + $offset" "$(before "$offset")"; done
	printf 'KERNEL32 0x00007ffb9ee00000 + 17374 \n</PCallStack>\n<Thread>\n<CallStack>My-Game\n'
	behind "My-Game 0x$loaded + $first" "$first"
} >want
check "Unreal's portable stacks ($(grep -c ' in ' want) calls)" same want got

# As Unreal writes the file: columns, and no line's end behind <CallStack>. Names are text of XML, and lines end as before.
{
	printf '<FGenericCrashContext>\r\n\t<CallStack>My-Game      0x%s + %-16s\r\n' $loaded "$exported"
	printf 'My-Game      0x%s + %s</CallStack>\r\n' $loaded "${callers[0]}"
} >columns.xml
text columns.xml >got
check "... in columns, between tags" [ "$(tr -d '\r' <got | grep -cF " + $exported in $(truth "$exported" | head -n 1)")" = 1 ]
check "... the last one" grep -qF " + ${callers[0]} in $(truth "$(before "${callers[0]}")" | tail -n 1)</CallStack>" got
check "... each line ends as before" [ "$(grep -c $'\r$' got)" = "$(wc -l <got)" ]
check "... still XML" python3 -c 'import sys, xml.dom.minidom as m; m.parseString(open("got").read() + "</FGenericCrashContext>")'
{
	printf 'LogWindows: Error: [Callstack] 0x%s My-Game.exe!UnknownFunction []\n' "$(address "$first")" "$(address "${callers[0]}")"
	printf 'LogWindows: Error: === Handled ensure: ===\nLogWindows: Error: [Callstack] 0x%s My-Game.exe!UnknownFunction []\n' "$(address "$exported")"
	cat context.xml
} >ensure.log
text ensure.log >got
check "... the first call of a second stack in Unreal's log" grep -qF "My-Game.exe!UnknownFunction [] in $(truth "$exported" | head -n 1)" got
{
	printf '[2026.09.02-04.50.33:156][ 12]LogWindows: Error: [Callstack] 0x%s My-Game.exe!UnknownFunction []\n' "$(address "$first")"
	printf '[2026.09.02-04.50.33:156][ 12]LogWindows: Error: [Callstack] 0x%s My-Game.exe!UnknownFunction []\n' "$(address "${callers[0]}")"
	printf '[2026.09.02-04.50.33:156][ 12]LogWindows: Error: [Callstack] 0x00007ffbc73f1234 ntdll.dll!UnknownFunction []\n\n'
	cat context.xml
} >both.log
text both.log | head -n 3 >got
check "Unreal's log, whose modules a stack below places" \
	grep -qF "My-Game.exe!UnknownFunction [] in $(truth "$(before "${callers[0]}")" | tail -n 1)" got
check "... and one that nothing places stays" grep -q 'ntdll.dll!UnknownFunction \[\]$' got

# --- Unity ---
{
	printf '========== OUTPUTTING STACK TRACE ==================\n\n'
	printf '0x%s (My-Game) exported\n' "$(address "$first" | tr a-f A-F)"
	printf "SymInit: Symbol-SearchPath: '.;D:/Game', symOptions: 534, UserName: 'x'\nOS-Version: 10.0.0\n"
	printf "D:\\\\Game\\\\My-Game.exe:My-Game.exe (%s), size: %d (result: 0), SymType: '-exported-', PDB: 'D:\\\\Game\\\\My-Game.exe', fileVersion: 1.1.0.46777\n" "$(tr a-f A-F <<<$loaded)" "$image_size"
	printf "C:\\\\Windows\\\\SYSTEM32\\\\ntdll.dll:ntdll.dll (00007FFBC73F0000), size: 2064384 (result: 0), SymType: '-exported-', PDB: '', fileVersion: 10.0.19041.6456\n"
	printf "  ERROR: SymGetSymFromAddr64, GetLastError: 'Attempt to access invalid address.' (Address: 00007FFB4537AEBC)\n"
	printf '0x%s (My-Game) (function-name not available)\n' "$(address "${callers[0]}")"
	printf '0x00007FFBC73F1234 (ntdll) RtlUserThreadStart\n0x00007FFB4537AEBC (other) (function-name not available)\n'
	printf '\n========== END OF STACKTRACE ===========\n'
} >unity.log
text unity.log >got
{
	sed -n 1,2p unity.log
	unity "0x$(address "$first" | tr a-f A-F) (My-Game)" "$first"
	sed -n 4,8p unity.log
	unity "0x$(address "${callers[0]}") (My-Game)" "$(before "${callers[0]}")"
	sed -n '10,$p' unity.log
} >want
check "Unity's crash log: modules that are listed behind the first call" same want got
{
	cat unity.log
	sed "s/$(tr a-f A-F <<<$loaded)/00007FF8E7E30000/; s/0x00007FF7E/0x00007FF8E/; s/0x00007ff7e/0x00007ff8e/" unity.log
} >twice.log
text twice.log >got
{
	cat want
	sed "s/$(tr a-f A-F <<<$loaded)/00007FF8E7E30000/; s/0x00007FF7E/0x00007FF8E/; s/0x00007ff7e/0x00007ff8e/" want
} >want2
check "... and two reports in one log, loaded elsewhere" same want2 got

# --- WinDbg ---
tick() { address "$1" | sed 's/^......../&`/'; }
{
	printf 'STACK_TEXT:  \n'
	printf '00000061`74dff620 %s     : 00000000`00000000 00000061`74dffcc0 000001c5`b55e0000 00007ffd`71a8cd51 : My_Game+0x%s\n' "$(tick "${callers[0]}")" "$first"
	printf '00000061`74dff7c0 %s     : 00007ff6`40000000 00000000`00000008 00000000`00000008 00000061`74dfdf70 : My_Game+0x%s\n' "$(tick "${callers[1]}")" "${callers[0]}"
	printf '00000061`74dff9c0 00007ffd`71267374     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : My_Game!exported+0x%x\n' \
		$((0x${callers[1]} - 0x$exported))
	printf '00000061`74dffde0 00007ffd`71a7cc91     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : kernel32!BaseThreadInitThunk+0x14\n\n'
	printf 'STACK_COMMAND: ~0s; .ecxr ; kb\n'
} >windbg.log
text windbg.log >got
check "WinDbg's stacks: the first call" grep -qF ": My_Game+0x$first in $(truth "$first" | head -n 1)" got
check "... a caller" grep -qF ": My_Game+0x${callers[0]} in $(truth "$(before "${callers[0]}")" | tail -n 1)" got
check "... one behind the name of an export" grep -qF ": My_Game!exported+0x9 in $(truth "$(before "${callers[1]}")" | tail -n 1)" got
check "... one of another module stays" grep -q 'kernel32!BaseThreadInitThunk+0x14$' got
# .symopt without undecorated names: as the linker has them. leaf, the first in game.o, is at 0x1000.
outer=$(llvm-nm-19 game.o | awk '$3 == "?outer@game@@YAHH@Z" { print $1 }')
{
	printf '00 00000061`74dff620 %s     My_Game!?outer@game@@YAHH@Z+0x5\n\n' "$(tick "${callers[1]}")"
	printf '00 00000061`74dff620 %s     My_Game!?outer@game@@YAHH+0x5\n' "$(tick "${callers[1]}")"
} >decorated.log
text decorated.log >got
check "... a decorated name" grep -qF 'YAHH@Z+0x5 in '"$(truth "$(printf %x $((0x$outer + 0x1005)))" | tail -n 1)" got
check "... which is a whole one" grep -q 'YAHH+0x5$' got
printf ' # Child-SP          RetAddr               Call Site\n00 00000061`74dff620 %s     My_Game+0x%s\n01 00000061`74dff7c0 00007ffd`71267374     My_Game+0x%s\n' "$(tick "${callers[0]}")" "$first" "${callers[0]}" >k.log
text k.log >got
check "... with numbers, as k prints them" [ "$(grep -c ' in ' got)" = "$(($(truth "$first" | wc -l) + $(truth "$(before "${callers[0]}")" | wc -l)))" ]
printf '00 00000061`74dff620 %s     My_Game+0x%s\n%s\n' "$(tick "${callers[0]}")" "$exported" "$(tail -n 1 k.log)" >two.log
cat two.log two.log >twice.log
text twice.log >got
check "... a call numbered 0 begins the next stack" [ "$(grep -cF "My_Game+0x$exported in $(truth "$exported" | head -n 1)" got)" = 2 ]
# A first call without an offset, and inlined ones, are calls: what follows the one is a caller, not what follows the others.
printf '00 00000061`74dff620 %s     ntdll!DbgBreakPoint\n01 00000061`74dff7c0 00007ffd`71267374     My_Game+0x%s\n' "$(tick "${callers[0]}")" "${callers[0]}" >first.log
text first.log >got
check "... a caller of a call without an offset" grep -qF "My_Game+0x${callers[0]} in $(truth "$(before "${callers[0]}")" | tail -n 1)" got
printf '00 (Inline Function) --------`--------     My_Game!twice+0x5\n01 00000061`74dff620 %s     My_Game+0x%s\n' "$(tick "${callers[0]}")" "$exported" >inline.log
text inline.log >got
check "... the call that an inlined one is in" grep -qF "My_Game+0x$exported in $(truth "$exported" | head -n 1)" got
# A stack without numbers begins behind its heading, as the first one did.
for heading in 'Child-SP          RetAddr           Call Site' 'ChildEBP RetAddr' 'ChildEBP RetAddr  Args to Child' 'STACK_TEXT:  '; do
	printf '%s\n00000061`74dff620 %s My_Game+0x%s\n%s\n' "$heading" "$(tick "${callers[0]}")" "$exported" "$(tail -n 1 k.log | cut -c 4-)" >plain.log
	{
		printf '0:000> k\n'
		cat plain.log
		printf '0:000> k\n'
		cat plain.log
	} >twice.log
	text twice.log >got
	check "... a stack without numbers behind another one: $heading" [ "$(grep -cF "My_Game+0x$exported in $(truth "$exported" | head -n 1)" got)" = 2 ]
	check "... its callers" [ "$(grep -cF "My_Game+0x${callers[0]} in $(truth "$(before "${callers[0]}")" | tail -n 1)" got)" = 2 ]
done
{
	printf ' # RetAddr               : Args to Child                                                           : Call Site\n'
	printf '00 %s     : 00000000`00000001 00000000`00000000 00000000`00000000 00000000`00000000 : My_Game+0x%s\n' "$(tick "${callers[0]}")" "$first"
	printf '01 00007ffd`71267374     : 00000000`00000001 00000000`00000000 00000000`00000000 00000000`00000000 : My_Game+0x%s\n' "${callers[0]}"
} >kb.log
cut -c 4- kb.log >plain.log
for log in kb plain; do
	tm-symbolize --text -e My-Game.exe $log.log >got 2>err
	check "... kb of x64, $log: the first call" grep -qF ": My_Game+0x$first in $(truth "$first" | head -n 1)" got
	check "... its caller" grep -qF ": My_Game+0x${callers[0]} in $(truth "$(before "${callers[0]}")" | tail -n 1)" got
	check "... counted" grep -q ' 2 of 2 calls were named' err
done
sed 's/ : My_Game/ My_Game/; s/^0[01] //; s/\(+0x[0-9a-f]*\)$/\1 (FPO: [Uses EBP] [0,0,0]) (CONV: cdecl)/' kb.log >kv.log
text kv.log >got
check "... kv, with the calling convention behind the call" grep -qF "+0x$first (FPO: [Uses EBP] [0,0,0]) (CONV: cdecl) in $(truth "$first" | head -n 1)" got
printf 'FAULTING_IP: \nMy_Game+%s\n%s 8b00 mov eax,dword ptr [rax]\n\n%s\n\nSYMBOL_NAME:  My_Game+%s\n\nMy_Game+%s\n' "$first" "$(tick "$first")" "$(cat kb.log)" "${callers[0]}" "$first" >analyze.log
text analyze.log >got
check "... FAULTING_IP of !analyze" grep -qxF "My_Game+$first in $(truth "$first" | head -n 1)" got
check "... SYMBOL_NAME, which is a caller of the stack" grep -qF "SYMBOL_NAME:  My_Game+${callers[0]} in $(truth "$(before "${callers[0]}")" | tail -n 1)" got
check "... the same text anywhere else stays" [ "$(tail -n 1 got)" = "My_Game+$first" ]
printf 'SYMBOL_NAME:  My_Game!exported+0\nSYMBOL_NAME:  My_Game+%s\n' "$first" >analyze.log
text analyze.log >got
check "... SYMBOL_NAME, which is no caller" grep -qxF "SYMBOL_NAME:  My_Game+$first in $(truth "$first" | head -n 1)" got
# --- Windows Error Reporting: its event, the details that people copy, and Report.wer, which is UTF-16 ---
{
	printf 'Faulting application name: other.exe, version: 1.0.0.0, time stamp: 0x60c8ec2a\r\n'
	printf 'Faulting module name: My-Game.exe, version: 1.0.0.0, time stamp: 0x607f4c79\r\nException code: 0xc0000005\r\nFault offset: 0x%016x\r\n' $((0x$first))
	printf '  Fault Module Name:\tMy-Game.exe\r\n  Exception Code:\tc0000005\r\n  Exception Offset:\t%08x\r\n' $((0x$exported))
} >event.log
text event.log | tr -d '\r' >got
{
	tr -d '\r' <event.log | sed -n 1,3p
	behind "$(printf 'Fault offset: 0x%016x' $((0x$first)))" "$first"
	tr -d '\r' <event.log | sed -n 5,6p
	behind "$(printf '  Exception Offset:\t%08x' $((0x$exported)))" "$exported"
} >want
check "Windows' event of a crash, and details of a problem" same want got
{
	printf 'Version=1\r\nEventType=APPCRASH\r\nSig[3].Name=Fault Module Name\r\nSig[3].Value=My-Game.exe\r\n'
	printf 'Sig[6].Name=Exception Code\r\nSig[6].Value=c0000005\r\nSig[7].Name=Exception Offset\r\nSig[7].Value=%016x\r\n' $((0x$first))
} | iconv -t UTF-16 >Report.wer
text Report.wer >got
check "Report.wer" grep -qF "$(printf 'Sig[7].Value=%016x in ' $((0x$first)))$(truth "$first" | head -n 1)" got
# Event 1001: what its numbers have depends on its name. In CLR20r3 they are a method and an offset in its IL.
parameters() { # EVENT OFFSET'S-NUMBER
	printf 'Fault bucket , type 0\r\nEvent Name: %s\r\n\r\nProblem signature:\r\nP1: other.exe\r\nP4: My-Game.exe\r\nP7: c0000005\r\nP8: c0000005\r\n' "$1" |
		sed "s/^P$2: .*/P$2: $(printf %016x $((0x$first)))\r/"
}
for event in 'APPCRASH 8' 'BEX64 7'; do
	# shellcheck disable=SC2086 # words
	parameters $event >1001.log
	text 1001.log >got
	check "event 1001, $event" grep -qF "$(printf 'P%s: %016x in ' "${event#* }" $((0x$first)))$(truth "$first" | head -n 1)" got
	check "... nothing else" [ "$(grep -c ' in ' got)" = "$(truth "$first" | wc -l)" ]
done
parameters CLR20r3 8 >1001.log
text 1001.log >got
check "... not of managed code" cmp 1001.log got
printf 'Fault offset: 0x12\nFaulting module name: \nFault offset: 0x12\nSig[7].Value=12\nFaulting module name: My-Game.exe\nFault offset: 0x12 x\n' >other.log
text other.log >got
check "... without a module, or a number, nothing" cmp other.log got
# -e MODULE=FILE has the name as the log has it, the stem or the whole.
cp My-Game.exe renamed.exe
mkdir -p away && mv My-Game.exe away/
for log in k unity context.xml; do
	[ -e $log ] || mv $log.log $log
	for name in My-Game My-Game.exe my-game MY_GAME.EXE; do
		tm-symbolize --text -e $name=renamed.exe $log >got 2>err
		check "-e $name=FILE of $log" grep -qF "$(truth_of renamed.exe "$first" | head -n 1 | cut -d ' ' -f 1)" got
		check "... is used" [ "$(grep -c 'not used' err)" = 0 ]
	done
done
tm-symbolize --text -e other2=renamed.exe unity >got 2>err
check "a module that the log has not: a note has those that it has" grep -q "the modules of the log: My-Game, ntdll, other$" err
tm-symbolize --text -e My-Game=renamed.exe unity >got 2>err
check "... and only then" [ "$(grep -c 'modules of the log' err)" = 0 ]
mv away/My-Game.exe .
# Another build: nothing of a log speaks against it but calls, which are not before its return addresses.
mkdir -p other
(cd other && { for i in $(seq 64); do echo "extern \"C\" __declspec(dllexport) int more$i(int x) { return x * $i + x / 7 - (x ^ 5); }"; done; echo 'extern "C" int mainCRTStartup(void) { return 0; }'; } >other.cpp &&
	clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O0 -ffreestanding -fno-exceptions -fno-rtti -c other.cpp -o other.o &&
	lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console /machine:x64 /out:My-Game.exe other.o) 2>err
{
	cat k
	for ((i = 1; i < 16; i++)); do printf '%02x 00000061`74dff7c0 00007ffd`71267374     My_Game+0x%x\n' $i $((0x1000 + i * 37)); done
} >other.log
tm-symbolize --text -e My-Game.exe k >got 2>err
check "no build-id: said of a module, once" [ "$(grep -c 'My_Game: the log has neither its extension nor a GUID or time stamp: nothing shows whether My-Game.exe is this module, and of this build' err)" = 1 ]
check "... the calls of the right file do not speak against it" [ "$(grep -c 'follow a call' err)" = 0 ]
tm-symbolize --text -e other/My-Game.exe other.log >got 2>err
check "... return addresses that follow no calls" grep -q 'My-Game.exe: 0 of .* return addresses (0%) follow a call' err
# Boost.Stacktrace has return addresses alone, of which the first is one, too.
for at in "${callers[@]}"; do printf ' 0# My-Game.exe+0x%s\n 1# My-Game.exe+0x%s\n\n' "$at" "$at"; done >boost.log
text boost.log >got
for at in "${callers[@]}"; do
	for number in 0 1; do behind " $number# My-Game.exe+0x$at" "$(before "$at")"; done
	echo
done >want
check "Boost.Stacktrace: the first call, too" same want got
# WinDbg names static functions, too, and without their parameters: of two of one name, no one is taken.
mkdir -p names
(cd names && echo 'volatile int sink; __attribute__((noinline)) int update(int a) { for (int i = 0; i < a; i++) sink = sink + i * a; return sink; }
int b(int); extern "C" int mainCRTStartup() { return update(sink) + b(3); }' >a.cpp &&
	echo 'extern volatile int sink; namespace { struct S { int v; }; }
static __attribute__((noinline)) int update(S s) { int q = 0; for (int i = 0; i < s.v; i++) { q -= sink; sink = q / 3; } return q; }
static __attribute__((noinline)) int alone(int a) { sink = sink / 7 + a; return sink - a; }
int b(int a) { return update(S{a}) + update(S{a + 1}) + alone(a); }' >b.cpp &&
	clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O1 -ffreestanding -fno-exceptions -fno-rtti -c a.cpp b.cpp &&
	lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console /machine:x64 /out:g.exe a.o b.o) 2>err
printf '00 00000061`74dff620 00007ff6`73dd1486     g!update+0x12\n01 00000061`74dff650 00007ff6`73dd1602     g!alone+0x2\n' >names/k
tm-symbolize --text -e names/g.exe names/k >got 2>err
check "a static function and another of its name" grep -q 'g: 2 functions of names/g.exe are called update$' err
check "... no one is taken; a static function alone is" [ "$(grep -c ' in ' got) $(grep -c 'g!alone+0x2 in alone.* .*b.cpp:3' got)" = '1 1' ]
# What is none of these stays.
printf 'My 0x10 + 12\ndeadbeef cafe+0x12\n0x12 nothing\n0x12345678 (x\n00000061`74dff620 : x+0x12\n(00), size: x\n' >other.log
text other.log >got
check "other text stays" cmp other.log got
exit $failed
