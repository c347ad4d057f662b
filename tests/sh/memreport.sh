#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Unreal Engine's .memreport against how it was made (testdata/gen/memreport.c), table by table, in the
# layouts of 4.27 and of 5.6; and cut at every byte.
# shellcheck disable=SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
is() { # GOT WANT
	[ "$1" = "$2" ] || { printf 'got %s, not %s\n' "$1" "$2" >err && false; }
}

# "COUNT REQUESTED REAL" of the types that match or do not.
sums() { # FORMAT FILE [!] REGEX
	local format=$1 file=$2 not=
	shift 2
	[ "$1" = ! ] && not=1 && shift
	tm-top -q -f "$format" --csv -n 0 --by type "$file" 2>err | tr -d '\r' |
		awk -F , -v re="$1" -v not="$not" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			($NF ~ re) == (not == "") { n += $at["count"]; b += $at["requested"]; r += $at["real"] }
			END { printf "%.0f %.0f %.0f\n", n, b, r }'
}
table() { awk -v t="$1" '$1 == t { print $2, $3, $4 }' truth; }
counters() {
	tm-dump -q "$1" | awk '
		$1 == "counter" && /name=/ { match($0, /name="[^"]*"/); name[$2] = substr($0, RSTART + 6, RLENGTH - 7); next }
		$1 == "counter" { match($0, / type=[0-9]+/); t = substr($0, RSTART + 6, RLENGTH - 6)
			match($0, / value=-?[0-9]+/); print name[t], substr($0, RSTART + 7, RLENGTH - 7) }' | sort
}

for layout in 4 5; do
	"$GEN/memreport" --rows 200 $layout >r$layout.memreport 2>truth
	f=r$layout.memreport
	check "$layout: classes" is "$(sums memreport $f ! 'resources')" "$(table classes)"
	check "$layout: their resources" is "$(sums memreport $f 'resources')" "$(table resources)"
	check "$layout: objects, of a list that is there twice" is "$(sums memreport-objects $f ! 'resources')" "$(table objects)"
	check "$layout: their resources" is "$(sums memreport-objects $f 'resources')" "$(table objects-resources)"
	for t in rhi targets textures; do
		check "$layout: $t" is "$(sums memreport-$t $f .)" "$(table $t)"
	done
	awk '$1 == "counter"' truth | cut -d ' ' -f 2- | sort >want
	counters $f >got
	check "$layout: totals are counters" is "$(comm -23 want got)" ''
	check "$layout: nothing is lost" is "$(tm-dump -q $f | grep -c '^note loss')" 0
	check "$layout: who ran it is not kept" is "$(tm-dump $f | grep -c 'secret\|somebody')" 0
done
check '4: pools' is "$(sums memreport-pools r4.memreport .)" "$("$GEN/memreport" --rows 200 4 2>&1 >out | awk '$1 == "pools" { print (200 * 201 / 2), $3, $4 }')"
check '5: resources of the RHI' is "$(sums memreport-resources r5.memreport .)" "$("$GEN/memreport" --rows 200 5 2>&1 >out | awk '$1 == "tracked" { print $2, $3, $4 }')"
check '5: ... of which not all are in it' grep -q 'guess: resources are not in the report.*: 13$' \
	<(tm-import -v -f memreport-resources -o x.tmt r5.memreport 2>&1)
tm-top -q -f memreport-textures --csv --by function -n 0 r5.memreport >got
check 'folders of textures have totals' is "$(grep -c '/Game/T3' got)" 1
check 'a table that is not there: status' is "$(tm-top -q -f memreport-pools r5.memreport >out 2>err; echo $?)" 3
"$GEN/memreport" commands >few.memreport 2>truth
check 'a report of a few commands is recognized' grep -q 'format="memreport"' <(tm-dump -q few.memreport)

"$GEN/memreport" broken >broken.memreport 2>truth
"$GEN/memreport" 4 >r4.memreport 2>truth
for t in memreport memreport-objects memreport-pools memreport-targets memreport-textures memreport-rhi; do
	tm-import -f $t -o x.tmt broken.memreport 2>notes
	check "$t: a row that is none is a loss, of one" grep -q 'loss: rows .* line [0-9]*: 1$' notes
	tm-top -q -f $t --csv -n 0 --by type broken.memreport >got
	tm-top -q -f $t --csv -n 0 --by type r4.memreport >want
	check "$t: ... and the others are there" cmp -s want got
done

# Two reports, of which the second has five classes more.
"$GEN/memreport" --rows 25 4 >more.memreport 2>truth
tm-compare -q --by type --csv -n 0 r4.memreport more.memreport 2>err | tr -d '\r' >got
check 'compared: the classes that came' is "$(grep -c ',new,Class2[0-4],' got)" 5

"$GEN/memreport" --rows 1 4 >small 2>truth
"$GEN/cuts" --step 7 --silent 9999 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import || failed=1
iconv -f UTF-8 -t UTF-16 r5.memreport >wide.memreport
check 'in UTF-16, as Windows may write it: the same' cmp -s <(tm-dump -q r5.memreport) <(tm-dump -q wide.memreport)
# "memreport" without -full has no list of classes: what has something is said, with as many rows as there are.
sed '/^Obj List: -alphasort/,/^[0-9]* Objects (/d' r5.memreport | tr -d '\r' >none.memreport
tm-top none.memreport >out 2>notes
for t in objects rhi targets textures; do
	tm-top -q -f memreport-$t --csv -n 0 --by type none.memreport 2>err | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $NF !~ /resources/ { n += $at["count"] } END { printf "%d", n }' >n
	check "without classes: $t" grep -q -e "-f memreport-$t has $(cat n) rows" notes
done

exit $failed
