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
