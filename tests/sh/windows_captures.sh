#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Captures of a game on Windows, from addresses to names: LoliProfiler's text, a log of PET and a stream of Unity's profiler
# with addresses of a program whose names and lines are in its PDB. Each call is compared with llvm-symbolizer 19 on the byte
# before the return address.
set -u
: "${GEN:?}"

for tool in clang++-19 lld-link-19 llvm-symbolizer-19 llvm-objdump-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - windows_captures: no $tool"
		exit 0
	}
done

cat >game.cpp <<'END'
int sink;
extern "C" int _fltused = 1;
#define IN static inline __attribute__((always_inline))
#define OUT __attribute__((noinline))
IN int roll(int x) {
	sink ^= x;
	return x * 7;
}
IN int attack(int a, int b) {
	int first = roll(a);
	return first + roll(b);
}
extern "C" OUT int think(int n) {
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += attack(i, n);
	return sum;
}
extern "C" OUT int tick(int n) {
	int damage = think(n) + attack(n, 1);
	if (damage > 3)
		damage -= think(2);
	return damage;
}
extern "C" OUT int physics(int n) {
	int force = attack(n, 3) + attack(n, 5);
	for (int i = 0; i < 3; i++)
		force ^= attack(i, force) - attack(force, i);
	return force;
}
extern "C" OUT int render(int n) { return tick(n) ^ attack(n, n) ^ physics(n); }
extern "C" int mainCRTStartup(void) { return render(tick(3)) + attack(sink, 2); }
END
if ! clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -ffreestanding -fno-exceptions -fno-rtti -O0 -c game.cpp \
	-o game.o 2>err ||
	! lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console /pdb:game.pdb /out:game.exe game.o 2>>err; then
	echo "skip - windows_captures: the program cannot be made: $(head -n 1 err)"
	exit 0
fi

# The program is loaded at 7f0000000000: a native address of Unity's generator, 7f0000001234, is in its code.
printf '%s\n' '7f0000000000-7f0000010000 r-xp 00000000 00:00 0    C:\Games\game.exe' >game.maps
mapfile -t rvas < <(llvm-objdump-19 -h game.exe | awk '$2 == ".text" { print $3, $4 }' | while read -r size lo; do
	for ((i = 3; i < 16#$size; i += 5)); do printf '%x\n' $((16#$lo - 16#140000000 + i)); done
done)

{
	echo "PET: Function took too long: 16.58 MSec Thread: MainThread PEAK frame 2323"
	echo "Function Name Trace"
	for i in "${!rvas[@]}"; do echo "$i) 0x7f000000${rvas[i]} - "; done
} >pet.log
{
	echo "[seq,time,size,addr,library,funcaddr]"
	for i in "${!rvas[@]}"; do
		echo "$((i + 1)),$i,64,$((4096 + 64 * i)),game.exe,$((16#${rvas[i]}))"
		printf 'game.exe,0x%s,\n\n' "${rvas[i]}"
	done
	echo "[stackAddrMap]"
	echo "game.exe:"
	echo "0x1, nothing"
} >loli.txt
"$GEN/unity" --frames 3 --rich 2 >unity.raw 2>truth

# compare CAPTURE LEAST: at least so many places have the calls that llvm-symbolizer says
compare() {
	local n differ
	tm-symbolize --no-cache -q --locations return --maps game.maps -e game.exe -o "$1.tmt" "$1" 2>err ||
		echo "not ok - $1: $(head -n 1 err)"
	# vaddr, and its calls in one line
	tm-dump --no-events "$1.tmt" | awk '
		/^binding / {
			if (at)
				print at, calls
			at = calls = ""
			if (match($0, /vaddr=0x14000[0-9a-f]+ kind=return/))
				at = substr($0, RSTART + 6, RLENGTH - 18)
			next
		}
		/^  call / && at {
			gsub(/^  call |function=|file=|"/, "")
			sub(/ line=/, ":")
			sub(/ column=[0-9]*/, "")
			calls = calls $0 ";"
			next
		}
		at { print at, calls; at = "" }' | sort -u >got
	while read -r at _; do
		printf '%s ' "$at"
		llvm-symbolizer-19 --no-demangle -e game.exe $((at - 1)) | awk '
			/^$/ { next }
			NR % 2 { name = $0; next }
			{
				sub(/:[0-9]+$/, "")
				printf "%s%s;", name, $0 == "??:0" ? "" : " " $0
			}
			END { print "" }'
	done <got >want
	n=$(wc -l <got)
	differ=$(diff want got | grep -c '^<')
	if [ "$n" -ge "$2" ] && [ "$differ" = 0 ]; then
		echo "ok - $1: $n places, as llvm-symbolizer-19"
	else
		echo "not ok - $1: $n places, $differ differ"
		diff want got | head -n 4
	fi
}

compare pet.log 60
compare loli.txt 60
compare unity.raw 1

# Ids of modules as Chrome's traces and profiles of pprof have them, spelled by llvm-readobj's words of the program: GUID and
# age, or time stamp and size in memory. Those of other builds are refused.
command -v python3 >/dev/null || exit 0
cat >ids.py <<'END'
import sys
def v(n):
    o = b''
    while n > 127:
        o += bytes([n & 127 | 128])
        n >>= 7
    return o + bytes([n])
def f(k, x):
    return v(k << 3) + v(x) if isinstance(x, int) else v(k << 3 | 2) + v(len(x)) + x
what, path, ident, out, pcs = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode(), sys.argv[4], [int(x, 16) for x in sys.argv[5:]]
if what == 'pprof':
    texts = [b'', b'samples', b'count', path, ident]
    b = f(1, f(1, 1) + f(2, 2)) + f(3, f(1, 1) + f(2, 0x7f0000000000) + f(3, 0x7f0000010000) + f(5, 3) + f(6, 4))
    for i, pc in enumerate(pcs):
        b += f(2, f(1, i + 1) + f(2, 1)) + f(4, f(1, i + 1) + f(2, 1) + f(3, 0x7f0000000000 + pc))
    b += b''.join(f(6, x) for x in texts)
else: # a StreamingProfilePacket, whose frames have offsets in their module
    interned = f(16, f(1, 1) + f(2, ident)) + f(17, f(1, 1) + f(2, path)) + f(19, f(1, 1) + f(2, 1) + f(7, 1))
    for i, pc in enumerate(pcs):
        interned += f(6, f(1, i + 1) + f(3, 1) + f(4, pc)) + f(7, f(1, i + 1) + f(2, i + 1))
    b = f(1, f(10, 7) + f(13, 1) + f(87, 1) + f(44, f(1, 10) + f(2, 11) + f(5, b'main') + f(6, 1000)))
    b += f(1, f(8, 2000000) + f(10, 7) + f(13, 2) + f(12, interned) +
           f(54, b''.join(f(1, i + 1) for i in range(len(pcs))) + b''.join(f(2, 1000) for _ in pcs)))
    if what == 'symbols': # ModuleSymbols, of the id alone: traceconv has the text that the capture has
        b += f(1, f(61, f(1, b'game.exe') + f(2, ident) + b''.join(
            f(3, f(1, pc) + f(2, f(1, b'Named::f%x' % pc) + f(2, b'named.cpp') + f(3, 7))) for pc in pcs)))
open(out, 'wb').write(b)
END
llvm-readobj-19 --file-headers --coff-debug-directory game.exe >headers
field() { awk -v name="$1:" '$1 == name { print $2; exit }' headers; }
guid=$(grep -o 'PDBGUID: .*' headers | tr -d '{}-' | awk '{ print $2 }') age=$(field PDBAge)
stamp=$(grep -o 'TimeDateStamp: .*(0x[0-9A-Fa-f]*)' headers | head -n 1 | sed 's/.*(0x//; s/)//') size=$(field SizeOfImage)
if [ ${#guid} != 32 ] || [ -z "$stamp" ]; then
	echo "not ok - ids: llvm-readobj-19 says '$guid' '$age' '$stamp' '$size'"
	exit 0
fi
pe=$(printf '%08X%x' $((16#$stamp)) "$size")
mkdir ids && cp game.exe game.pdb ids

# named WHAT PATH ID RESULT OPTION...: the module of this id has a file, or not
named() {
	local what=$1 path=$2 id=$3 want=$4 got
	shift 4
	rm -f ids.tmt
	python3 ids.py "$what" "$path" "$id" "ids.$what" "${rvas[@]:0:9}"
	tm-symbolize --no-cache --locations exact "$@" -o ids.tmt "ids.$what" 2>err
	got=$(grep -c ' [1-9] with line' err)
	if [ "$got" = "$want" ]; then
		echo "ok - $what $path $id: $([ "$want" = 1 ] && echo named || echo refused)"
	else
		echo "not ok - $what $path $id: $(cat err)"
	fi
}
mkdir -p "store/game.exe/$pe" && cp game.exe game.pdb "store/game.exe/$pe" # as symbol servers have programs
for what in pprof chrome; do
	named $what 'C:\Games\game.exe' "$pe" 1 --debug-dir store
	named $what 'C:\Games\game.exe' "0${pe:1}" 0 --debug-dir store
	named $what 'C:\Games\game.exe' "$guid$age" 1 --debug-dir ids
	named $what 'D:/Games/x\game.exe' "$guid$age" 1 -e game.exe
	named $what 'C:\Games\game.exe' "$guid$((age + 1))" 0 -e game.exe
	named $what 'C:\Games\game.exe' "0${guid:1}$age" 0 -e game.exe
	named $what 'C:\Games\game.exe' "$pe" 1 -e game.exe
	named $what 'C:\Games\game.exe' "0${pe:1}" 0 -e game.exe
done
printf '%s\t%s\n' "$guid$age" 'C:\Games\game.exe' >want
for what in pprof chrome; do
	python3 ids.py $what 'C:\Games\game.exe' "$guid$age" "ids.$what" "${rvas[0]}"
	tm-symbolize --no-cache --missing "ids.$what" 2>err | cut -f 1,2 >got
	cmp -s got want && echo "ok - $what: --missing spells the id so" || echo "not ok - $what: --missing: $(cat got)"
done
# The symbols that a trace of Perfetto has itself, by the id as it is spelled there.
for id in "$guid$age" "$pe"; do
	python3 ids.py symbols 'C:\Games\game.exe' "$id" ids.symbols "${rvas[@]:0:3}"
	tm-top -q --by function --as csv ids.symbols 2>err | grep -o 'Named::f[0-9a-f]*' | sort >got
	printf 'Named::f%x\n' "0x${rvas[0]}" "0x${rvas[1]}" "0x${rvas[2]}" | sort | cmp -s got - &&
		echo "ok - symbols in the trace by $id" || echo "not ok - symbols in the trace by $id: $(cat got err)"
done

rm -f ids.tmt
tm-symbolize --no-cache -e game.exe -o ids.tmt ids.chrome 2>err
tm-export --as pprof -o again.pprof.gz ids.tmt 2>err
gunzip -c again.pprof.gz 2>>err | grep -qa "$guid" && echo "ok - tm-export --as pprof spells the id so" ||
	echo "not ok - tm-export --as pprof: $(cat err)"

# A program without a GUID is known by time stamp and size, below any folder.
rm -rf ids.tmt bare && mkdir -p bare/some/where
if lld-link-19 /nodefaultlib /entry:mainCRTStartup /subsystem:console /timestamp:1793000000 /out:bare/some/where/game.exe \
	game.o 2>err; then
	llvm-readobj-19 --file-headers bare/some/where/game.exe >headers
	pe=$(printf '%08X%x' 1793000000 "$(field SizeOfImage)")
	# found ID FOLDER: a file is found, which has no names
	found() {
		rm -f ids.tmt
		python3 ids.py pprof 'C:\Games\game.exe' "$1" ids.pprof 1000
		tm-symbolize --no-cache --debug-dir "$2" -o ids.tmt ids.pprof >out 2>&1
		grep -q 'no function or symbol covers it' out
	}
	found "$pe" bare && echo "ok - a program without a GUID below --debug-dir" ||
		echo "not ok - a program without a GUID below --debug-dir: $(cat out)"
	found "0${pe:1}" bare && echo "not ok - one of another build is not" || echo "ok - one of another build is not"
	tm-symbolize --collect kept bare/some/where/game.exe 2>err
	found "$pe" kept && echo "ok - --collect keeps it" || echo "not ok - --collect keeps it: $(cat err out)"
else
	echo "skip - a program without a GUID: $(head -n 1 err)"
fi

# Two builds of one GUID, which differ in the age: the byte behind the GUID in the program.
at=$(grep -abo RSDS game.exe | head -n 1 | cut -d: -f1)
mkdir older && cp game.exe older && printf '\7' | dd of=older/game.exe bs=1 seek=$((at + 20)) conv=notrunc 2>/dev/null
rm -rf kept
for exe in game.exe older/game.exe; do tm-symbolize --no-cache --collect kept $exe 2>>err; done
for exe in game.exe older/game.exe; do
	find kept -type f ! -name '*.debug' -exec cmp -s $exe {} \; -print | grep -q . && echo "ok - --collect keeps $exe" ||
		echo "not ok - --collect keeps $exe: $(find kept)"
done
