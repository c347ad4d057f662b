#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-inspect on PE files for x64, x86 and arm64, with and without a PDB, frame pointers, hooks and unwind tables: against
# what is known of the builds, and what llvm-readobj 19 reads.
set -u
. "$SRC/tests/check.bash"

for tool in clang-19 lld-link-19 llvm-readobj-19 jq; do
	command -v "$tool" >/dev/null || {
		echo "skip - inspect_pe: no $tool"
		exit 0
	}
done

fit() { tm-inspect --no-debuginfod --as json "$1" | jq -r --arg c "$2" '.sections[] | select(.name == "verdicts") | .rows[] | select(.capability == $c) | .fit'; }
why() { tm-inspect --no-debuginfod --as json "$1" | jq -r --arg c "$2" '.sections[] | select(.name == "verdicts") | .rows[] | select(.capability == $c) | .why'; }
fact() { tm-inspect --no-debuginfod --as json "$1" | jq -r --arg c "$2" '.sections[] | select(.name == "facts") | .rows[] | select(.fact == $c) | .value'; }

# Six functions, of which four call others; two of these call both hooks.
cat >game.c <<'END'
#ifdef HOOKS
HOOKS void _penter(void);
HOOKS void _pexit(void);
#define IN _penter()
#define OUT _pexit()
#else
#define IN
#define OUT
#endif
int sink;
__attribute__((noinline)) int leaf(int x) { sink += x; return x * 3; }
__attribute__((noinline)) int leaf2(int x) { sink -= x; return x * 5; }
__attribute__((noinline)) int one(int x) { IN; int y = leaf(x) + leaf2(x + 1); OUT; return y + sink; }
__attribute__((noinline)) int two(int x) { IN; int y = one(x) + leaf(x); OUT; return y - sink; }
__attribute__((noinline)) int three(int x) { return two(x) + leaf2(sink) + 1; }
int mainCRTStartup(void) { return three(3) + two(1); }
END
cat >hooks.c <<'END'
int n;
#ifdef SHOWN
#define SHOW __declspec(dllexport)
#else
#define SHOW
#endif
SHOW void _penter(void) { n++; }
SHOW void _pexit(void) { n--; }
SHOW void loli_set_allocandfree(void *a, void *b) { n += a == b; }
SHOW void *get_stack_backtrace(void) { return &n; }
SHOW void set_loli_ignore_func(int x) { n = x; }
int _DllMainCRTStartup(void *a, int b, void *c) { return n += b + (a == c); }
END

compile() { # OUTPUT TARGET OPTION...
	local out=$1 target=$2
	shift 2
	clang-19 "--target=$target-pc-windows-msvc" -ffreestanding -mno-stack-arg-probe -fno-stack-protector -fasynchronous-unwind-tables -O1 -c "$@" -o "$out" 2>>err
}
link() { # OUTPUT MACHINE OPTION...
	local out=$1 machine=$2
	shift 2
	lld-link-19 /nodefaultlib /subsystem:console "/machine:$machine" "/out:$out" "$@" 2>>err
}
readobj() { llvm-readobj-19 "$@" 2>>err; }

while read -r machine target; do
	: >err
	if ! compile dll.o "$target" -DSHOWN hooks.c || ! link "$machine-hooks.dll" "$machine" /dll /entry:_DllMainCRTStartup /noimplib dll.o ||
		! link "$machine-import.dll" "$machine" /dll /entry:_DllMainCRTStartup "/implib:$machine.lib" dll.o; then
		echo "skip - $machine: cannot be made: $(head -n 1 err)"
		continue
	fi
	compile quiet.o "$target" hooks.c
	link "$machine-hidden.dll" "$machine" /dll /entry:_DllMainCRTStartup /debug "/pdb:$machine-hidden.pdb" quiet.o
	compile keep.o "$target" -g -gcodeview -fno-omit-frame-pointer game.c
	link "$machine-keep.exe" "$machine" /entry:mainCRTStartup /debug "/pdb:$machine-keep.pdb" keep.o
	compile omit.o "$target" -fomit-frame-pointer game.c
	link "$machine-omit.exe" "$machine" /entry:mainCRTStartup omit.o
	compile direct.o "$target" -DHOOKS='__declspec(dllimport)' -g -gcodeview game.c
	link "$machine-direct.exe" "$machine" /entry:mainCRTStartup /debug "/pdb:$machine-direct.pdb" direct.o "$machine.lib"
	compile thunk.o "$target" -DHOOKS= -g -gcodeview game.c
	link "$machine-thunk.exe" "$machine" /entry:mainCRTStartup /debug "/pdb:$machine-thunk.pdb" thunk.o "$machine.lib"
	compile own.o "$target" -DHOOKS= -g -gcodeview game.c
	link "$machine-own.exe" "$machine" /entry:mainCRTStartup /debug "/pdb:$machine-own.pdb" own.o quiet.o

	keep=$machine-keep.exe omit=$machine-omit.exe
	guid=$(readobj --coff-debug-directory "$keep" | sed -n 's/.*PDBGUID: {\(.*\)}/\1/p' | tr -d -)
	age=$(readobj --coff-debug-directory "$keep" | sed -n 's/.*PDBAge: //p')
	equals "$machine: the CodeView record" "$(fact "$keep" CodeView | cut -d ' ' -f 1)" "$guid$age"
	equals "$machine: what symbol servers have the program by" "$(fact "$omit" 'time stamp and size')" \
		"$(readobj --file-headers "$omit" | sed -n 's/ *TimeDateStamp: .*(0x\(.*\))/\1/p; s/ *SizeOfImage: //p' | { read -r time; read -r size; printf '%08X%x' "0x$time" "$size"; })"
	equals "$machine: it identifies the file" "$(fit "$keep" build-id)" yes
	equals "$machine: a file without one" "$(fit "$omit" build-id) $(fit "$omit" lines) $(fit "$omit" names)" "no no no"
	equals "$machine: lines are in the PDB" "$(fit "$keep" lines) $(why "$keep" lines)" "yes PDB beside it"
	equals "$machine: names, too" "$(fit "$keep" names)" yes
	if llvm-pdbutil-19 dump -l "$machine-hidden.pdb" 2>>err | grep -q '\.c '; then
		echo "not ok - $machine: the PDB has lines"
	fi
	equals "$machine: a PDB without lines" "$(fit "$machine-hidden.dll" lines) $(why "$machine-hidden.dll" lines)" "no the PDB beside it has no lines"
	equals "$machine: itself, too" "$(fit "$machine-hidden.pdb" lines) $(why "$machine-hidden.pdb" lines)" "no the PDB has no lines"
	equals "$machine: one with lines itself" "$(fit "$machine-keep.pdb" lines)" yes
	equals "$machine: the gate" "$(tm-inspect --no-debuginfod --gate lines "$machine-hidden.dll" >out 2>>err; echo $?)" 1
	if [ "$machine" = x86 ]; then
		equals "x86: no unwind tables" "$(fit "$keep" unwind-tables)" no
		equals "x86: frame pointers kept" "$(fit "$keep" frame-pointers) $(why "$keep" frame-pointers | cut -d ' ' -f 1-3)" "yes 4 of 4"
	else
		n=$(readobj --unwind "$keep" | grep -c 'RuntimeFunction {')
		equals "$machine: unwind tables" "$(fit "$keep" unwind-tables) $(why "$keep" unwind-tables)" \
			"yes .pdata has entries for 4 of 4 functions that call others (100%)"
		check "$machine: as many entries or more are in the file ($n)" [ "$n" -ge 4 ]
		equals "$machine: without symbols functions are those of .pdata" \
			"$(fact "$omit" functions | cut -d ' ' -f 1-3)" "$(readobj --unwind "$omit" | grep -c 'RuntimeFunction {') by .pdata:"
	fi
	# Without symbols x86 has no functions to look at.
	[ "$machine" = x86 ] || [ "$machine" = arm64 ] ||
		equals "$machine: frame pointers omitted" "$(fit "$omit" frame-pointers)" no
	equals "$machine: not instrumented" "$(fit "$keep" instrumentation)" no
	for how in direct thunk own; do
		equals "$machine: instrumented, $how" \
			"$(why "$machine-$how.exe" instrumentation | sed 's/ of.*report/ report/; s/;.*//')" "2 report their entry, 2 their exit"
	done
	exports=$(readobj --coff-exports "$machine-hooks.dll" | sed -n 's/^ *Name: \(.\)/\1/p' | grep -c .)
	equals "$machine: names of a library that has only exports" "$(fit "$machine-hooks.dll" names) $(why "$machine-hooks.dll" names)" \
		"no stripped: only $exports exported symbols are left"
	for c in loli-alloc loli-stack; do
		equals "$machine: $c exported" "$(fit "$machine-hooks.dll" $c)" yes
		equals "$machine: $c hidden" "$(fit "$machine-hidden.dll" $c)" no
		check "$machine: ... and says what to do" grep -q "^$c .*not exported .*dllexport" <(tm-inspect --no-debuginfod "$machine-hidden.dll")
		equals "$machine: $c absent" "$(why "$keep" $c | sed 's/.*: //')" "not found"
	done
	equals "$machine: pages of Android" "$(fit "$keep" pages-16k)" unknown
done <<'END'
x64 x86_64
x86 i686
arm64 aarch64
END

# A frame pointer in the middle of a frame ends the chain.
cat >deep.c <<'END'
void use(volatile char *p);
__attribute__((noinline)) void use(volatile char *p) { p[0] = 1; }
__attribute__((noinline)) int deep(int x) { volatile char room[600]; use(room); return room[x]; }
int mainCRTStartup(void) { return deep(3); }
END
compile deep.o x86_64 -g -gcodeview -fno-omit-frame-pointer deep.c
link deep.exe x64 /entry:mainCRTStartup /debug /pdb:deep.pdb deep.o
equals "x64: a frame pointer into the middle of a frame is none" "$(why deep.exe frame-pointers | cut -d ' ' -f 1-3)" "0 of 1"

# Tables that miss: assembler without .seh directives.
cat >bare.s <<'END'
	.text
	.globl mainCRTStartup
	.def mainCRTStartup; .scl 2; .type 32; .endef
mainCRTStartup:
	subq $40, %rsp
	callq other
	addq $40, %rsp
	retq
	.globl other
	.def other; .scl 2; .type 32; .endef
other:
	retq
END
compile bare.o x86_64 bare.s
link bare.exe x64 /entry:mainCRTStartup /debug /pdb:bare.pdb bare.o
equals "x64: no .pdata" "$(fit bare.exe unwind-tables) $(why bare.exe unwind-tables)" "no no .pdata"

if command -v x86_64-w64-mingw32-gcc >/dev/null; then
	x86_64-w64-mingw32-gcc -g -O1 -finstrument-functions -nostdlib -e mainCRTStartup -o mingw.exe game.c -x c - <<'END' 2>err
void __attribute__((no_instrument_function)) __cyg_profile_func_enter(void *a, void *b) {}
void __attribute__((no_instrument_function)) __cyg_profile_func_exit(void *a, void *b) {}
void __attribute__((no_instrument_function)) __main(void) {}
END
	equals "mingw: DWARF" "$(fit mingw.exe lines) $(why mingw.exe lines)" "yes DWARF"
	equals "mingw: names" "$(fit mingw.exe names)" yes
	equals "mingw: unwind tables" "$(fit mingw.exe unwind-tables)" yes
	equals "mingw: instrumentation" "$(fit mingw.exe instrumentation) $(why mingw.exe instrumentation | cut -d ' ' -f 1)" "yes 6"
else
	echo "skip - inspect_pe: no x86_64-w64-mingw32-gcc"
fi
# Instructions of a function, as objdump has them.
tm-inspect --no-debuginfod --disassemble two x64-keep.exe >listed 2>err
at=$(llvm-objdump-19 -d --no-show-raw-insn x64-keep.exe | awk '/^ *[0-9a-f]+:/ { print $1 }' | tr -d :)
n=0
while read -r address; do
	grep -q "^ *$address:" <(echo "$at" | sed 's/$/:/') && n=$((n + 1))
done < <(grep -oE '^ *0x[0-9a-f]+' listed | sed 's/.*0x0*//')
check "the instructions of a function begin where llvm-objdump-19 has them ($n)" [ "$n" -ge 8 ]

# A file whose sections end behind its own end, as a copy that was stopped.
at=$(llvm-readobj-19 --sections x64-keep.exe | awk '/Name: .text/ { of = 1 } of && /PointerToRawData/ { print $2; exit }')
head -c $((at + 10)) x64-keep.exe >cut.exe
tm-inspect --no-debuginfod cut.exe >out 2>err
# shellcheck disable=SC2034 # check evaluates
status=$?
check 'a program that is cut short' eval '[ $status = 3 ] && grep -q "section .text of .* is cut short" err'

# A function of C++ by its readable name, as by the decorated one of the PDB; and nothing is said of what a file cannot have.
cat >boss.cpp <<'END'
namespace game { struct Boss { int hp; int hit(int d); }; int Boss::hit(int d) { for (int i = 0; i < d; i++) hp -= i * d; return hp; } }
extern "C" int mainCRTStartup() { return sizeof(game::Boss); }
END
if clang-19 --target=x86_64-pc-windows-msvc -ffreestanding -g -gcodeview -O1 -c boss.cpp -o boss.obj 2>>err &&
	link boss.exe x64 /debug /entry:mainCRTStartup boss.obj; then
	tm-inspect --no-debuginfod --disassemble '?hit@Boss@game@@QEAAHH@Z' boss.exe >decorated 2>>err
	tm-inspect --no-debuginfod --disassemble game::Boss::hit boss.exe >readable 2>>err
	check 'a function of C++ by its name' grep -q 'jle\|test' readable
	check 'and by the decorated one' cmp readable decorated
	equals 'no calls: frame pointers' "$(fit boss.exe frame-pointers) $(why boss.exe frame-pointers)" 'unknown no function calls another one'
	equals 'unwind tables of a PDB' "$(fit boss.pdb unwind-tables) $(why boss.pdb unwind-tables)" 'unknown not checked for PDB files'
else
	echo 'skip - inspect_pe: no C++ for Windows'
fi
exit $failed
