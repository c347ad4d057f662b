#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Texts with a byte order mark, in UTF-8 and in UTF-16 as Windows' shells write them, are read as the
# same text without it: from files, from pipes and compressed. iconv writes them.
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

marked() { # FILE FORM: as the file "form"
	case $2 in
	UTF-8) printf '\357\273\277' && cat "$1" ;;
	UTF-16LE) printf '\377\376' && iconv -f UTF-8 -t UTF-16LE "$1" ;;
	UTF-16BE) printf '\376\377' && iconv -f UTF-8 -t UTF-16BE "$1" ;;
	esac >form
}

printf 'main;update;draw 12\r\nmain;net.lua:40 3\r\nmain;caf\303\251;\360\237\230\200 5\r\n' >a.folded
printf 'frame,time_ms,heap (B)\r\n1,0,100\r\n2,16.5,200\r\n' >a.csv
"$GEN/chrome" --frames 3 names >a.json 2>truth
"$GEN/perf_script" --samples 40 plain >a.perf 2>truth
# More than the windows of the input, with characters of all lengths across their ends.
awk 'BEGIN { for (i = 0; i < 60000; i++)
	printf "main;\346\227\245\346\234\254\350\252\236%d;\360\237\230\200;\303\251 1\n", i % 7 }' >large.folded
for file in a.folded a.csv a.json a.perf large.folded; do
	check "$file: is read" tm-dump -q $file >/dev/null
	tm-dump -q - <$file >want
	for form in UTF-8 UTF-16LE UTF-16BE; do
		marked $file $form
		tm-dump -q - <form >got 2>err
		check "$file, $form: as the plain text" cmp -s want got
		gzip -c form | tm-dump -q - >got 2>err
		check "$file, $form: compressed, from a pipe" cmp -s want got
	done
done
# Byte by byte, so that the mark and the characters come in parts.
tm-dump -q - <a.folded >want
for form in UTF-8 UTF-16LE UTF-16BE; do
	marked a.folded $form
	dd if=form bs=1 status=none | tm-dump -q - >got 2>err
	check "$form: byte by byte from a pipe" cmp -s want got
done
# A surrogate without its other half, and half a character behind the last line's end: the second
# function's name is U+FFFD, and both are reported.
printf 'a;b 7\na;' | iconv -f UTF-8 -t UTF-16LE >part
printf ' 4\n' | iconv -f UTF-8 -t UTF-16LE >rest
{ printf '\377\376' && cat part && printf '\075\330' && cat rest && printf 'c'; } >broken.folded
printf 'a;b 7\na;\357\277\275 4\n' >plain.folded
check 'broken UTF-16: is read' tm-import -o broken.tmt broken.folded 2>notes
check 'broken UTF-16: a note counts two' grep -q 'loss: .*UTF-16.*: 2$' notes
events() { tm-dump -q "$1" | grep -v '^note '; }
events broken.folded >got
events plain.folded >want
check 'broken UTF-16: the rest is there' cmp -s want got
for form in UTF-8 UTF-16LE UTF-16BE; do
	marked /dev/null $form
	tm-import form >out 2>err
	check "$form: only a mark is an empty file" grep -q 'empty file' err
done
exit $failed
