#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tracemill-trace(5) is enough to write a reader from: testdata/gen/second_reader.c, which was
# written from it and shares no code with lib/trace, prints the same as tm-dump.
set -u

page=$SRC/man/tracemill-trace.5
# The page's hex bytes, from the first block under EXAMPLES.
bytes=$(sed -n '/^\.Sh EXAMPLES/,$p' "$page" | sed -n '/od -An/,/^\.Ed/s/^ \([0-9a-f ]*\)$/\1/p')
# shellcheck disable=SC2046,SC2086
printf '%b' "$(printf '\\x%s' $bytes)" >page.tmt
sed -n '/^\$ .*| tm-dump$/,/^\.Ed/p' "$page" | sed '1d;$d' >page.txt
if [ ! -s page.tmt ] || [ ! -s page.txt ]; then
	echo "not ok - the page has no example"
	exit 1
fi
if "$GEN/second_reader" <page.tmt >second.txt && diff -u page.txt second.txt; then
	echo "ok - the page's bytes are the page's text, for a reader written from the page"
else
	echo "not ok - the page's bytes are the page's text, for a reader written from the page"
fi

# "at | bytes" rows of the walk through the example are really there.
rows=0 wrong=0
while read -r at hex; do
	rows=$((rows + 1))
	# shellcheck disable=SC2086
	set -- $hex
	found=$(od -An -v -tx1 -j "0x$at" -N $# page.tmt | tr -d '\n')
	if [ "$found" != " $*" ]; then
		echo "  at $at: $*, but there is:$found"
		wrong=1
	fi
done < <(sed -n 's/^\.It Li \([0-9a-f]\{2,3\}\) Ta Li "\{0,1\}\([0-9a-f ]*[0-9a-f]\).*/\1 \2/p' "$page")
if [ $rows -gt 10 ] && [ $wrong -eq 0 ]; then
	echo "ok - the walk through the example is right, $rows places"
else
	echo "not ok - the walk through the example is right, $rows places"
fi

same() { # what; the trace is in x.tmt
	if "$GEN/second_reader" <x.tmt >second.txt && tm-dump -q x.tmt >first.txt && [ -s first.txt ] &&
		cmp first.txt second.txt; then
		echo "ok - $1: both readers agree on $(wc -l <first.txt) lines"
	else
		diff first.txt second.txt | head -n 10
		echo "not ok - $1: both readers agree"
	fi
}

captures=$DATA/demo/gcc-dwarf5-O2
if [ -f "$captures/arcade.mem" ]; then
	cd "$captures" || exit 1
	work=$OLDPWD
	tm-import -q --maps arcade.maps -o "$work/mem.tmt" arcade.mem
	tm-import -q --maps arcade.smaps --config loli3.conf -o "$work/stream.tmt" arcade.stream
	tm-symbolize -q -e bin/arcade -e bin/libengine.so -o "$work/named.tmt" "$work/stream.tmt"
	cd "$work" || exit 1
	for part in mem stream named; do
		cp $part.tmt x.tmt
		same "demo, $part"
	done
	cat mem.tmt named.tmt mem.tmt >x.tmt
	same "three captures in one file"
	# More rows and events than a chunk holds, over several chunks of each table.
	awk 'BEGIN {
		for (f = 1; f <= 40; f++) {
			printf "{\"f\":%d,\"d\":[", f
			for (t = 0; t < 1000; t++)
				printf "%s{\"t\":\"T%d_%d\",\"s\":8,\"r\":16,\"st\":[\"0x%x;0x%x;\"],\"sz\":[16]}",
					t ? "," : "", f, t, f * 65536 + t * 4, t * 64
			print "]}"
		}
	}' | tm-import -q >x.tmt
	same "many chunks"
else
	echo "skip - demo captures (not here)"
fi
