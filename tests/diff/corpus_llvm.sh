#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Other people's ELF files (make diff-corpus DIR=...): tm-llvm-symbolizer beside llvm-symbolizer 19 on up to some
# 180 addresses of code of each: where symbols start, five bytes later, and evenly over .text. What differs is
# of a class of classes.bash, and corpus_llvm.txt has a row for each file and class, or address, with
# the reason for the class. A row of a file that is there and whose difference is not fails, as does a
# difference without a row.
set -u
: "${SRC:?is set by make diff-corpus}"
dir=$(realpath "${1:?usage: corpus_llvm.sh DIR}")
: "${EACH:=60}"
known=$SRC/tests/diff/corpus_llvm.txt
. "$SRC/tests/diff/classes.bash"
if ! command -v llvm-symbolizer-19 >/dev/null 2>&1; then
	echo "skip - corpus_llvm (no llvm-symbolizer-19)"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export DEBUGINFOD_URLS=
bad=0 files=0
: >differences
: >totals

addresses() { # FILE
	local lo size at step all=()

	readelf -SW "$1" 2>/dev/null | sed 's/^ *\[ *[0-9]*\]//' >table
	mapfile -t all < <(awk '$7 ~ /X/ && $2 ~ /BITS/ { print $3, $5 }' table)
	{
		{
			nm --defined-only "$1" 2>/dev/null
			nm -D --defined-only "$1" 2>/dev/null
		} | awk '$2 ~ /^[tTwWi]$/ { print $1 }' | sort -u | head -n "$EACH" | while read -r at; do
			echo $((16#$at)) $((16#$at + 5))
		done | tr ' ' '\n'
		awk '$1 == ".text" { print $3, $5; exit }' table | while read -r lo size; do
			step=$((16#$size / EACH + 1))
			for ((at = 0; at < 16#$size; at += step)); do
				echo $((16#$lo + at))
			done
		done
	} | sort -nu | while read -r at; do
		for range in "${all[@]}"; do
			lo=$((16#${range% *})) size=$((16#${range#* }))
			if ((at >= lo && at - lo < size)); then
				printf '0x%x\n' "$at"
				break
			fi
		done
	done
}

while IFS= read -r -d '' file; do
	[ "$(head -c 4 "$file" | tail -c 3 | tr -d "\0")" = ELF ] || continue
	addresses "$file" >addrs 2>/dev/null
	[ -s addrs ] || continue
	files=$((files + 1))
	classify "${file##*/}" "$file" || bad=$((bad + 1))
done < <(find "$dir" -type f -print0 | sort -z)

# A row of the list: CLASS FILE, or other FILE ADDRESS.
sed -n 's/^\t//p' "$known" | sort -u >listed
awk '{ print $2, $1 ($2 == "other" ? " " $3 : "") }' differences | sort | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print $0 "\t" n }' >found
cut -f 1 found | sort -u >rows
comm -23 rows listed >news
awk '{ print $1 }' totals | sort -u >there
comm -13 rows listed | awk 'NR == FNR { there[$1] = 1; next } $2 in there' there - >stale
while read -r class file at; do
	grep -F -- "$file $class ${at:-0x}" differences | head -n 2 | sed 's/^/news: /'
done <news
sed 's/^/stale: /' stale
awk -F '\t' '{ split($1, w, " "); n[w[1]] += $2; of[w[1]]++ } END { for (c in n) print "  " n[c], c, "in", of[c], (c == "other" ? "addresses" : "files") }' found | sort -k 2
awk -v files=$files -v bad=$bad '{ n += $2; same += $3 } END { printf "%d files, %d addresses: %d the same chain as llvm-symbolizer 19, %d of listed classes or news; %d ended badly\n", files, n, same, n - same, bad }' totals
[ ! -s news ] && [ ! -s stale ] && [ $bad = 0 ]
