#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A program of Windows with DWARF of one object, as mingw's start code has it, and with a PDB for the others: LLVM's
# answers for the program itself and, where these have no line, for a copy without its DWARF, which it names by the PDB.
set -u

v=
for x in -19 -18 -17 ""; do
	command -v "clang++$x" "ld.lld$x" "llvm-symbolizer$x" "llvm-objcopy$x" >list
	[ "$(wc -l <list)" = 4 ] && v=$x && break
done
if [ "$(wc -l <list)" != 4 ]; then
	echo "skip - pe_both: no clang++ with lld and LLVM's tools"
	exit 0
fi

cat >a.cpp <<'END'
int sink;
extern int start(int n);
static inline __attribute__((always_inline)) int twice(int x) { sink += x; return 2 * x; }
__attribute__((noinline)) int work(int n) {
	for (int i = 0; i < n; i++) sink ^= twice(i);
	return sink;
}
extern "C" int mainCRTStartup(void) { return start(3) + work(4); }
END
cat >b.cpp <<'END'
extern int sink;
static inline __attribute__((always_inline)) int thrice(int x) { sink += x; return 3 * x; }
__attribute__((noinline)) int start(int n) {
	for (int i = 0; i < n; i++) sink ^= thrice(i);
	return sink;
}
END
flags="--target=x86_64-w64-windows-gnu -O2 -fno-exceptions -fno-rtti -ffreestanding -mno-stack-arg-probe -fdebug-compilation-dir=."
# shellcheck disable=SC2086 # words
if ! { "clang++$v" $flags -g -gcodeview -c a.cpp && "clang++$v" $flags -gdwarf-4 -c b.cpp &&
	"ld.lld$v" -m i386pep --entry=mainCRTStartup --pdb=both.pdb a.o b.o -o both.exe; } 2>err; then
	echo "skip - pe_both: no program: $(head -n 1 err)"
	exit 0
fi
mkdir bare && cp both.pdb bare && "llvm-objcopy$v" --strip-debug both.exe bare/both.exe

# The bytes of .text, each an address.
"llvm-objdump$v" -h both.exe | awk '$2 == ".text" { print $3, $4 }' | while read -r size lo; do
	for ((i = 0; i < 16#$size; i++)); do printf '0x%x\n' $((16#$lo + i)); done
done >addrs

blocks() { awk -v RS= '{ gsub("\n", "|"); print }' "$1"; }
"llvm-symbolizer$v" -e both.exe <addrs >dwarf
"llvm-symbolizer$v" -e bare/both.exe <addrs >pdb
paste <(blocks dwarf) <(blocks pdb) | awk -F'\t' '{ print $1 ~ /cpp:/ ? $1 : $2 }' >want
tm-llvm-symbolizer --no-cache -e both.exe <addrs >got 2>err
blocks got >is
a=$(grep -c 'a\.cpp' want) b=$(grep -c 'b\.cpp' want)
if [ "$a" -gt 30 ] && [ "$b" -gt 30 ] && cmp -s want is; then
	echo "ok - $a addresses by the PDB, $b by DWARF"
else
	echo "not ok - $a addresses by the PDB, $b by DWARF"
	diff want is | head -n 5
fi
tm-llvm-symbolizer --cache cache -e both.exe <addrs >/dev/null 2>&1
for _ in {1..400}; do cat addrs; done | tm-llvm-symbolizer --cache cache -e both.exe 2>/dev/null | head -n "$(wc -l <got)" >many
cmp -s got many && echo "ok - with an index, too" || echo "not ok - with an index, too"

at=$(grep -n 'a\.cpp' want | head -n 1 | cut -d: -f1) at=$(sed -n "${at}p" addrs)
says() {
	local what=$1 text=$2 out
	shift 2
	out=$("$@" 2>&1)
	case $out in
	*"$text"*) echo "ok - $what" ;;
	*) echo "not ok - $what: $out" ;;
	esac
}
says "tm-inspect knows both" "lines,yes,\"DWARF, and PDB beside it\"" tm-inspect --table verdicts --csv both.exe
says "--explain, too" "its own, and where it has none" tm-addr2line --no-cache --explain -e both.exe "$at"

# The PDB is not where the program says that it is, but is given.
mkdir away given
mv both.exe away && mv both.pdb given
says "a PDB that is missing is named" "functions and lines that its DWARF lacks may be in the PDB" \
	tm-addr2line --no-cache -e away/both.exe "$at"
says "... by tm-inspect" "lines,partly," tm-inspect --table verdicts --csv away/both.exe
printf '7ff600000000-7ff600004000 r-xp 00000000 00:00 0    C:\\game\\both.exe\n' >maps
printf '%s\n' 'PET: Function took too long: 16.58 MSec Thread: MainThread PEAK frame 2323' 'Function Name Trace' \
	"0) $(printf '0x%x' $((at - 0x140000000 + 0x7ff600000000))) - " >pet.log
tm-symbolize --no-cache --maps maps -e away/both.exe -e given/both.pdb -o out.tmt pet.log 2>err
says "a given PDB answers for the given program" a.cpp tm-dump out.tmt
grep -q 'not used' err && echo "not ok - it is used: $(cat err)" || echo "ok - it is used"
says "--verify does not blame an answer of the PDB" " 0 different" \
	tm-symbolize --no-cache --verify 10 --maps maps -e away/both.exe -e given/both.pdb -o out.tmt pet.log
