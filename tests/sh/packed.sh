#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The programs' answers to captures larger than every buffer do not depend on how they are packed,
# by the compressors' own programs, nor on where they come from: a file, a redirected one, a pipe.
# tests/unit/input_large.c tries the ways to read; here readers that go back (luau-heap, with one
# token of 1.4 MB) and that do not (folded, trace) are met whole.
set -u

noise() { head -c "$1" /dev/urandom | base64 -w "$2"; }

noise 900000 60 | sed 's/$/;main 7/' >folded
noise 1050000 0 >token
{
	printf '{"objects":{\n"0x1":{"type":"table","cat":0,"size":48},\n'
	printf '"0x2":{"type":"string","cat":0,"size":1400024,"data":"'
	cat token
	printf '"}\n},"roots":{"mainthread":"0x1","registry":"0x1"},'
	printf '"stats":{"size":1400072,"categories":{"0":{"name":"none","size":1400072}}}}\n'
} >heap
tm-import -q -f folded -o trace folded || exit 1

skippable() { # what pzstd and lz4 may write before a frame
	printf '\x53\x2a\x4d\x18\x04\0\0\0tail'
	cat
}
pack() { # $1: how
	case $1 in
	gzip) gzip -1 ;;
	bzip2) bzip2 -1 ;;
	xz) xz -0 ;;
	zstd) zstd -q -1 ;;
	zstd-long) zstd -q -1 --long=27 ;;
	zstd-skippable) zstd -q -1 | skippable ;;
	lz4-small) lz4 -q -B4 ;;
	lz4-large) lz4 -q -B7 ;;
	lz4-skippable) lz4 -q -B7 | skippable ;;
	esac
}

answer() { # $1: format, $2: capture
	tm-import -q -f "$1" "$2" | sha256sum
}

tried=0
for capture in folded heap trace; do
	format=$capture
	[ "$capture" = heap ] && format=luau-heap
	want=$(answer $format $capture)
	lines=$(tm-dump -q -f "$format" --no-tables "$capture" | wc -l)
	# 900,000 bytes are 1,200,000 of base64: 20,000 lines of 60; the heap has two objects
	case $capture in
	heap) least=2 ;;
	*) least=20000 ;;
	esac
	if [ "$lines" -lt "$least" ]; then
		echo "not ok - $capture itself is read: $lines lines"
		continue
	fi
	for how in gzip bzip2 xz zstd zstd-long zstd-skippable lz4-small lz4-large lz4-skippable; do
		pack $how <$capture >packed || exit 1
		for from in "$(answer $format packed)" "$(answer $format - <packed)" \
			"$(pack $how <$capture | answer $format -)"; do
			tried=$((tried + 1))
			[ "$from" = "$want" ] || echo "not ok - $capture by $how"
		done
	done
done
# 3 captures, 9 ways to pack them, 3 places
if [ $tried = 81 ]; then
	echo "ok - packed captures ($tried)"
else
	echo "not ok - packed captures: $tried were tried"
fi
