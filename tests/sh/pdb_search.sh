#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The search for the PDB of a PE file, over generated files whose answers are known (testdata/gen/pdb_bytes.h): each
# place, what is refused, and what is said of it.
set -u

key=0403020106050807090A0B0C0D0E0F101
at=0x14000111c # two inlined calls
want='game::ai::think'

"$GEN/pdb" exe 1 'C:\build\app.pdb' >app.exe
"$GEN/pdb" pdb 1 >right
"$GEN/pdb" pdb 2 >older

# check WHAT COMMAND...: it prints the name of an inlined call
check() {
	local what=$1 out
	shift
	out=$("$@" 2>&1)
	case $out in
	*"$want"*) echo "ok - $what" ;;
	*) echo "not ok - $what: $out" ;;
	esac
}

# says WHAT TEXT COMMAND...: it prints a text, and not the name
says() {
	local what=$1 text=$2 out
	shift 2
	out=$("$@" 2>&1)
	case $out in
	*"$want"*) echo "not ok - $what: it has the names" ;;
	*"$text"*) echo "ok - $what" ;;
	*) echo "not ok - $what: $out" ;;
	esac
}

ask=(tm-addr2line --no-cache -f -i -e)

says "a PDB that is missing is named" "app.pdb ($key), which was not found" "${ask[@]}" app.exe $at
says "... with what looks for it" "which was not found; --debug-dir DIR looks for it in a folder, --symbol-server URL asks a server for it" "${ask[@]}" app.exe $at
says "... its program's id is spelled as symbol servers have it" "build-id: $key" tm-addr2line --no-cache --explain -e app.exe $at
out=$(tm-inspect --table verdicts --csv app.exe 2>&1)
case $out in
*'in the PDB C:\build\app.pdb, which was not found'*) echo "ok - tm-inspect names it, too" ;;
*) echo "not ok - tm-inspect names it, too: $out" ;;
esac
says "... and --prewarm" "no index: its functions and lines are in the PDB C:\\build\\app.pdb ($key), which was not found" tm-symbolize --prewarm app.exe
printf '    #0 0x7ff600001000  (app.exe+0x111c)\n' >log
out=$(tm-symbolize --no-cache --text log -e app.exe 2>&1)
case $out in
*'in the PDB C:\build\app.pdb ('"$key), which was not found"*) echo "ok - tm-symbolize names it, too" ;;
*) echo "not ok - tm-symbolize names it, too: $out" ;;
esac

out=$(tm-inspect --table verdicts --csv right 2>&1)
case $out in
*"build-id,yes,GUID and age $key"*) echo "ok - tm-inspect has the id of a PDB" ;;
*) echo "not ok - tm-inspect and the id of a PDB: $out" ;;
esac

cp right app.pdb
check "beside the file" "${ask[@]}" app.exe $at
check "in a log" tm-symbolize --no-cache --text log -e app.exe
out=$(tm-inspect --table verdicts --csv app.exe 2>&1)
case $out in
*lines,yes,*PDB*) echo "ok - tm-inspect counts its lines" ;;
*) echo "not ok - tm-inspect counts its lines: $out" ;;
esac
cp older app.pdb
says "another age is refused" "app.pdb: age differs: the program has 0403020106050807090A0B0C0D0E0F101, the PDB 0403020106050807090A0B0C0D0E0F102" "${ask[@]}" app.exe $at
printf x | dd of=app.pdb bs=1 seek=$(($(grep -abo $'\001\002\003\004\005' app.pdb | head -n 1 | cut -d: -f1) + 2)) \
	conv=notrunc 2>/dev/null
says "another GUID is refused" "app.pdb: GUID differs" "${ask[@]}" app.exe $at
rm app.pdb

cp right APP.pdb
check "beside the file, in other letters" "${ask[@]}" app.exe $at
rm APP.pdb

mkdir -p "srv/app.pdb/$key" flat any
cp right "srv/app.pdb/$key/app.pdb"
cp right flat/app.pdb
cp right any/renamed.pdb
check "in the folder of a symbol server" "${ask[@]}" app.exe --debug-dir srv $at
check "in a folder" "${ask[@]}" app.exe --debug-dir flat $at
check "by its GUID, under another name" "${ask[@]}" app.exe --debug-dir any $at
check "by the id that symbol servers and our programs spell" tm-llvm-symbolizer --no-cache --build-id "$key" --debug-dir any 0x111c
python3 -c 'import zipfile; z = zipfile.ZipFile("build.zip", "w", zipfile.ZIP_DEFLATED); z.write("right", "bin/app.pdb")'
printf '    #0 0x7ff600001000  (app.pdb+0x111c)\n' >zip.log
check "a member of a zip file that is no library" tm-symbolize --no-cache --text zip.log -e build.zip/bin/app.pdb
check "given, under another name" tm-symbolize --no-cache --text log -e app.exe -e any/renamed.pdb
out=$(tm-symbolize --no-cache --text log -e app.exe -e any/renamed.pdb 2>&1)
case $out in
*'not found'* | *'not used'*) echo "not ok - ... and is neither missing nor unused: $out" ;;
*) echo "ok - ... and is neither missing nor unused" ;;
esac
mkdir -p "old/app.pdb/0000000000000000000000000000000001"
says "a folder of other builds is named as such" "old/app.pdb: is a folder of other builds" "${ask[@]}" app.exe --debug-dir old $at
rm "srv/app.pdb/$key/app.pdb"
printf 'MSCF\0\0\0\0' >"srv/app.pdb/$key/app.pd_"
says "a compressed one is named" "app.pd_: is compressed" "${ask[@]}" app.exe --debug-dir srv $at
case $out in
*'other builds'*) echo "not ok - ... its folder is not one of other builds: $out" ;;
*) echo "ok - ... its folder is not one of other builds" ;;
esac
head -c 100 right >"srv/app.pdb/$key/app.pdb"
says "one that is cut is named" "srv/app.pdb/$key/app.pdb: " "${ask[@]}" app.exe --debug-dir srv $at
case $out in
*'other builds'*) echo "not ok - ... and no folder of other builds: $out" ;;
*) echo "ok - ... and no folder of other builds" ;;
esac
rm "srv/app.pdb/$key/app.pdb"

"$GEN/pdb" exe 1 "$PWD/flat/app.pdb" >other.exe
mkdir alone && mv other.exe alone/app.exe
check "at the recorded path" "${ask[@]}" alone/app.exe $at

check "as an operand, by RVA" "${ask[@]}" right 0x111c
"$GEN/pdb" managed 1 >managed.pdb
says "code of .NET has no machine addresses" "its code is that of .NET (IL), which has no machine addresses" \
	"${ask[@]}" managed.pdb 0x111c
out=$("${ask[@]}" managed.pdb 0x1204 2>/dev/null)
case $out in
local_fn*) echo "ok - ... a native function beside it is named" ;;
*) echo "not ok - ... a native function beside it: $out" ;;
esac
"$GEN/pdb" fastlink 1 >fast.pdb
says "one of /DEBUG:FASTLINK is named" /DEBUG:FASTLINK "${ask[@]}" fast.pdb 0x111c
printf 'BSJB\1\0\1\0\0\0\0\0' >portable.pdb
says "a portable one is named" "portable PDB of .NET" "${ask[@]}" portable.pdb 0x111c

# The program itself is missing: its PDB has all but the image base.
mkdir missing folder
cp right missing/game.pdb
cp right folder/game.pdb
printf '    #0 0x7ff60000111c  (C:\\game\\game.exe+0x111c)\n' >log
printf '7ff600000000-7ff600004000 r-xp 00000000 00:00 0    C:\\game\\game.exe\n' >maps
printf '%s\n' 'PET: Function took too long: 16.58 MSec Thread: MainThread PEAK frame 2323' 'Function Name Trace' \
	'0) 0x7ff60000111c - ' >pet.log
{
	printf '%s\n' '[seq,time,size,addr,library,funcaddr]' '1,1,64,4096,game.exe,4380' 'game.exe,0x111c,' '' \
		'[stackAddrMap]' 'game.exe:' '0x1, nothing'
} >loli.txt
for given in '-e missing/game.pdb' '-e game.exe=missing/game.pdb' '--debug-dir folder'; do
	# shellcheck disable=SC2086 # words
	check "in a log, $given" tm-symbolize --no-cache --text log $given
	# shellcheck disable=SC2086,SC2016 # words
	check "in a capture with a map, $given" bash -c 'tm-symbolize --no-cache --maps maps "$@" pet.log | tm-top --by function' - $given
	# shellcheck disable=SC2086,SC2016 # words
	check "in a capture with offsets, $given" bash -c 'tm-symbolize --no-cache "$@" loli.txt | tm-top --by function' - $given
done
for given in missing/game.pdb game.exe=missing/game.pdb; do
	check "tm-top of a capture with a map, -e $given" tm-top --maps maps -e "$given" --by function pet.log
	check "tm-top of a capture with offsets, -e $given" tm-top -e "$given" --by function loli.txt
done
printf '    #0 0x7ff60000111c  (C:\\Game\\GAME.EXE+0x111c)\n' >upper
for given in missing/game.pdb game.exe=missing/game.pdb; do
	check "a module in other letters, -e $given" tm-symbolize --no-cache --text upper -e "$given"
done
for program in tm-addr2line tm-llvm-symbolizer; do
	check "$program, RVA" "$program" --no-cache -f -i -e missing/game.pdb 0x111c
done
printf '%s\n' '"C:\game\game.exe" 0x111c' >asked
# shellcheck disable=SC2016
check "tm-llvm-symbolizer --module-file" bash -c '"$@" <asked' - tm-llvm-symbolizer --no-cache --module-file game.exe=missing/game.pdb
printf '    #0 0x7ff60000111c  (GAME.EXE+0x111c)\n' >upper
check "a module in other letters, without a folder" tm-symbolize --no-cache --text upper -e game.exe=missing/game.pdb
says "a module of another name has no names of it" "no file for its module" tm-symbolize --no-cache --text log -e other.exe=missing/game.pdb
out=$(tm-inspect --table verdicts --csv missing/game.pdb 2>&1)
case $out in
*lines,yes,*PDB*) echo "ok - tm-inspect of the PDB" ;;
*) echo "not ok - tm-inspect of the PDB: $out" ;;
esac

# A PDB of another build beside the program that names its own: whichever comes first.
mkdir both
cp app.exe both/app.exe
mkdir both/foreign
cp older both/foreign/app.pdb
printf '    #0 0x7ff600001000  (app.exe+0x111c)\n' >log
for given in '-e both/foreign/app.pdb -e both/app.exe' '-e both/app.exe -e both/foreign/app.pdb'; do
	# shellcheck disable=SC2086 # words
	says "a PDB that the program does not name, $given" 'foreign/app.pdb: not the PDB that both/app.exe names: age differs: the program has 0403020106050807090A0B0C0D0E0F101, the PDB 0403020106050807090A0B0C0D0E0F102' \
		tm-symbolize --no-cache --text log $given
done
cp right both/app.pdb
# shellcheck disable=SC2086 # words
check "the program with its own PDB, behind a foreign one" tm-symbolize --no-cache --text log -e both/foreign/app.pdb -e both/app.exe

# A header of COFF: x86-64, one section, no optional header.
{
	printf '\x64\x86\1\0'
	head -c 60 /dev/zero
} >one.obj
says "an object of COFF is named" "one.obj: an object of COFF, which is not read" "${ask[@]}" one.obj 0x0
