#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# What tm-inspect says of files of macOS and Windows: ids, advice and places are those of their own tools and folders.
set -u
. "$SRC/tests/check.bash"

for tool in clang-19 ld64.lld-19 lld-link-19 llvm-objdump-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - inspect_texts: no $tool"
		exit 0
	}
done
echo 'int first(int n) { return n * 3; } int main(void) { return first(1) - 3; } int mainCRTStartup(void) { return main(); }' >code.c
row() { tm-inspect --table verdicts --csv --no-debuginfod "${@:2}" 2>err | tr -d '\r' | cut -d, -f2- | grep "^$1,"; }
mac() {
	clang-19 --target=arm64-apple-macos11 -c code.c -o code.o 2>err &&
		ld64.lld-19 -arch arm64 -platform_version macos 11.0 11.0 -undefined dynamic_lookup -e _main "${link[@]}" -o game code.o 2>>err
}
link=()
mac || {
	cat err
	echo "not ok - a program of macOS is made"
	exit 1
}
uuid=$(llvm-objdump-19 --macho --private-headers game | awk '$1 == "uuid" { gsub("-", "", $2); print tolower($2); exit }')
equals "the UUID of a Mach-O file" "$(row build-id game)" "build-id,yes,UUID $uuid,"
check "its lines are to be in a .dSYM" grep -q 'dSYM that dsymutil makes' <(row lines game)
link=(-no_uuid)
if mac; then
	check "without a UUID, Apple's option" grep -q '^build-id,no,no UUID.*,link without -no_uuid' <(row build-id game)
fi

if ! clang-19 --target=x86_64-pc-windows-msvc -g -gcodeview -ffreestanding -c code.c -o code.obj 2>err ||
	! lld-link-19 /nodefaultlib /entry:mainCRTStartup /subsystem:console /debug /pdb:app.pdb /out:app.exe code.obj 2>>err; then
	cat err
	echo "not ok - a program of Windows is made"
	exit 1
fi
equals "a PDB in the folder of the file" "$(row lines app.exe)" "lines,yes,PDB beside it,"
mkdir store && mv app.pdb store
place=$(row lines app.exe --debug-dir store)
check "a PDB in another folder, with its place" grep -q '^lines,yes,PDB .*store/app\.pdb,$' <(echo "$place")
tm-inspect --recording app.exe >got 2>&1
check "a file of this folder is not in PATH" grep -q 'is not in PATH: ./app.exe is the one of this folder' got
exit $failed
