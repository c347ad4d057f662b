#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Minidumps cut at bytes of their first kilobyte and at some others, and with bytes changed: an error or a capture,
# never a crash. A fifth of the places each day (tests/run). And a module's age, which is compared besides the GUID: the
# PDB's age in DBI must be that of the dump, as in Microsoft's PDB::OpenValidate.
# shellcheck disable=SC2317 # functions are called by check
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

parts=5 part=$((DAY % 5))
[ "${DAYS-}" != all ] || parts=1 part=0
# Windows writes the directory first: each cut is said, with its place, and the threads that are left are kept.
"$GEN/minidump" x86 front >front.dmp
size=$(stat -c %s front.dmp)
tm-import -q -o out.tmt front.dmp
check 'a whole one is not cut' [ "$(tm-dump -q out.tmt | grep -c 'cut short')" = 0 ]
kept=0 unsaid=0
for ((n = 200 + 13 * part; n < size; n += 13 * parts)); do
	head -c $n front.dmp >cut.dmp
	tm-import -o cut.tmt cut.dmp 2>err
	status=$?
	grep -q "cut short: .* is missing.*" err && grep -q -e "byte $n" err || unsaid=$((unsaid + 1))
	[ $status != 0 ] || kept=$((kept + 1))
	[ $status = 0 ] || [ $status = 3 ] || unsaid=$((unsaid + 1))
done
check "cut at a place in $((13 * parts)): all are said" [ $unsaid = 0 ]
check "threads are kept, of $kept" [ $kept -gt $((20 / parts)) ]

# A cut inside of the list of threads, whose registers and stacks lie before it: the whole records are kept.
"$GEN/minidump" x86 | python3 -c '
import struct, sys
d = bytearray(sys.stdin.buffer.read())
n, at = struct.unpack_from("<II", d, 8)
for i in range(at, at + 12 * n, 12):
    kind, size, place = struct.unpack_from("<III", d, i)
    if kind == 3:
        rows = d[place + size % 48:place + size]
        count, moved = 2 * len(rows) // 48, len(d)
        struct.pack_into("<II", d, i + 4, 4 + 48 * count, moved)
        d += struct.pack("<I", count) + rows + rows
        d = d[:moved + 4 + len(rows) + 10]
sys.stdout.buffer.write(d)' >list.dmp
"$GEN/minidump" x86 >x86.dmp
tm-import -q -o whole.tmt x86.dmp 2>err
tm-import -o list.tmt list.dmp 2>err
check 'a cut in the list of threads: the status is 0' [ $? = 0 ]
check '... which is said' grep -q 'cut short: a stream is missing' err
check '... and the threads before it are there' \
	[ "$(tm-dump -q list.tmt | grep -c "^sample")" = "$(tm-dump -q whole.tmt | grep -c "^sample")" ]

for v in x86 linux mac; do
	"$GEN/minidump" $v >$v.dmp
	size=$(stat -c %s $v.dmp)
	bad=0
	for ((n = 1 + 7 * part; n < size; n += (n < 1024 ? 7 : 61) * parts)); do
		head -c $n $v.dmp >cut.dmp
		tm-dump -q -f minidump cut.dmp >out 2>err
		[ $? -le 3 ] || bad=$((bad + 1))
	done
	check "$v: cut short" [ $bad = 0 ]
	bad=0
	for ((n = 13 * part; n < size; n += 13 * parts)); do
		cp $v.dmp changed.dmp
		printf '\377\377\377\177' | dd of=changed.dmp bs=1 seek=$n conv=notrunc status=none
		(ulimit -v 2000000 && tm-dump -q -f minidump changed.dmp >out 2>err)
		[ $? -le 3 ] || bad=$((bad + 1))
	done
	check "$v: changed" [ $bad = 0 ]
done

# The module's GUID becomes that of the generator's PDB: 1 to 16; its age is 1.
"$GEN/minidump" x64 | LC_ALL=C sed 's/\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f/\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10/' >x64.dmp
asked() { tm-symbolize -q --no-cache --explain -e "$1" x64.dmp >err 2>&1; }
refused() { asked "$1" && grep -q 'but is another build: age differs' err && grep -q 'but: build-id differs' err; }
taken() { asked "$1" && grep -q 'build-id agrees' err && ! grep -q differs err; }
sym() { # AGE: of a GUID, whose first three fields are numbers
	printf 'MODULE windows x86_64 0403020106050807090A0B0C0D0E0F10%s game.pdb\n' "$1"
	printf 'INFO CODE_ID 5F5E10014000 game.exe\nFUNC 1000 2000 0 f\n'
}
"$GEN/pdb" pdb 1 >game.pdb
check "a PDB of the module's age" taken game.pdb
# In a folder it is found by its id, and the second time by what the cache knows of the folder.
mkdir -p store/renamed.pdb/0403020106050807090A0B0C0D0E0F101
cp game.pdb store/renamed.pdb/0403020106050807090A0B0C0D0E0F101/renamed.pdb
touch -d '1 hour ago' store/renamed.pdb/*/renamed.pdb
for time in first second; do
	tm-symbolize -q --cache folders --explain --debug-dir store x64.dmp >err 2>&1
	check "a PDB of the module's age in a folder, the $time time" grep -q 'renamed.pdb.*build-id agrees' err
done
"$GEN/pdb" pdb 2 >store/renamed.pdb/0403020106050807090A0B0C0D0E0F101/renamed.pdb
tm-symbolize -q --no-cache --explain --debug-dir store x64.dmp >err 2>&1
check 'one of another age is not' [ "$(grep -c 'build-id agrees' err)" = 0 ]
# What is at the place where a symbol server has it is named, whatever it is; and so is a place that is empty.
mkdir -p server/game.pdb/0403020106050807090A0B0C0D0E0F101 empty
"$GEN/pdb" pdb 2 >server/game.pdb/0403020106050807090A0B0C0D0E0F101/game.pdb
tm-symbolize --no-cache --debug-dir server -o out.tmt x64.dmp 2>err
check 'a wrong PDB in the folder of a symbol server is named, with what differs' grep -q 'not used, since the file found is of another build: game.exe (server/.*: age differs: the capture has 0403020106050807090A0B0C0D0E0F101, the file 0403020106050807090A0B0C0D0E0F102)' err
tm-symbolize -q --no-cache --explain --debug-dir empty x64.dmp >err 2>&1
check '... and an empty place is, too' grep -q 'empty/game.pdb/0403020106050807090A0B0C0D0E0F101/game.pdb.*not there' err
"$GEN/pdb" pdb 2 >game.pdb
check "a PDB of another age: refused" refused game.pdb
sym 1 >game.sym
check "a Breakpad file of the module's age" taken game.exe=game.sym
sym A >game.sym
check "a Breakpad file of another age: refused" refused game.exe=game.sym
# The thread of the crash, by the generator: its stack is in none of the first rows where more threads wait at one place.
"$GEN/minidump" x64 >crash.dmp
tm-dump -q crash.dmp >out
thread=$(sed -n 's/^thread 1 tid=\([0-9]*\).*/\1/p' out) name=$(sed -n 's/^marker 1 name="\(.*\)"/\1/p' out)
tm-top -q --by stack crash.dmp >out
check 'a report names the exception, and its thread' grep -qx "crash: $name in thread $thread (--by stack --thread $thread: its stack alone)" out
exit $failed
