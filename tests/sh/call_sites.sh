#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# "Does the instruction before a return address call?" against llvm-objdump: at every instruction of
# programs for five processors, and of large libraries of this machine where they are.
# timeout: 800
set -u

. "$SRC/tests/diff/engines.bash"
needs call_sites clang clang++ ld.lld llvm-objdump

# Of every instruction: the address behind it, and whether it calls. A gap, or padding that is no
# instruction, is not looked at.
parse='
/^ *[0-9a-f]+:/ {
	at = $1; sub(/:$/, "", at)
	bytes = 0
	for (i = 2; i <= NF && $i ~ /^[0-9a-f]+$/ && length($i) % 2 == 0 && length($i) <= 8; i++) {
		if (arch == "x86" && length($i) != 2) break
		bytes += length($i) / 2
		if (arch != "x86" && (bytes == 4 || (i == 2 && length($i) == 8))) { i++; break }
		if (arch == "arm" && length($i) == 4 && $(i + 1) !~ /^[0-9a-f][0-9a-f][0-9a-f][0-9a-f]$/) { i++; break }
	}
	if ($i ~ /^<unknown>|^\.(word|byte|short|long|inst)/) next
	call = $i ~ /^(callq?|calll|blr?|blx?|blr[ab][a-z]*|bl[a-z][a-z])(\.w)?$/ &&
		$i !~ /^(ble|blt|bls|blo)(\.[nw])?$/
	if ($0 ~ /0x0 </) next # what is not defined anywhere is called at address 0: none is asked
	printf "%x %d %s\n", hex(at) + bytes, call, $0
}
function hex(s,  v, j) {
	v = 0
	for (j = 1; j <= length(s); j++) v = v * 16 + index("0123456789abcdef", substr(s, j, 1)) - 1
	return v
}'

# against_objdump NAME ARCH FILE LEAST: a direct call that leaves the file is distinguished from
# others by its target, so files are whole programs
against_objdump() {
	local name=$1 arch=$2 file=$3 least=$4 n rate

	# Instructions of x86 have no alignment: the end of one and the next can look like a call.
	rate=1000000
	[ "$arch" = x86 ] && rate=300

	llvm-objdump -d --print-imm-hex "$file" | awk -v arch="$arch" "$parse" >listing
	cut -d " " -f 1 listing >asked
	"$GEN/callsites" "$file" - <asked | LC_ALL=C sort -u >got
	awk '$2 { print $1 }' listing | LC_ALL=C sort -u >want
	n=$(wc -l <want)
	LC_ALL=C comm -13 got want >missed
	LC_ALL=C comm -23 got want >wrong
	if [ "$n" -lt "$least" ]; then
		echo "not ok - $name: only $n calls"
	elif [ -s missed ] || [ $(($(wc -l <wrong) * rate)) -gt "$(wc -l <listing)" ]; then
		echo "not ok - $name: of $n calls $(wc -l <missed) missed, $(wc -l <wrong) more"
		awk 'NR == FNR { bad[$1]; next } $1 in bad && n++ < 5' <(cat missed wrong) listing
	else
		echo "ok - $name: $n calls of $(wc -l <listing) instructions, $(wc -l <missed) missed, $(wc -l <wrong) more"
	fi
	"$GEN/callsites" "$file" >sites
	if LC_ALL=C comm -23 got <(LC_ALL=C sort sites) | grep -q .; then
		echo "not ok - $name: the list of sites lacks some"
	else
		echo "ok - $name: the list of sites has all of them"
	fi
}

while read -r name arch target flags; do
	# shellcheck disable=SC2086
	if cross "$name" $target -O2 $flags 2>build.log; then
		against_objdump "$name" "$arch" "$name" 20
	else
		echo "not ok - $name does not build"
		head -n 3 build.log
	fi
done <<'END'
x86_64 x86 x86_64-linux-gnu
i686 x86 i686-linux-gnu
aarch64 a64 aarch64-linux-gnu
arm arm arm-linux-gnueabihf -march=armv7-a -marm
thumb arm arm-linux-gnueabihf -march=armv7-a -mthumb
END

# Of this machine: whole programs with every way to call.
for file in "$BIN/tm-symbolize" "$(readlink -f /usr/lib/x86_64-linux-gnu/libstdc++.so.6)"; do
	if [ "$(uname -m)" = x86_64 ] && [ -r "$file" ]; then
		against_objdump "${file##*/}" x86 "$file" 2000
	else
		echo "skip - ${file##*/} (not there)"
	fi
done
