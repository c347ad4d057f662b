#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Other people's ELF files (make diff-corpus DIR=...): up to some 180 addresses of code of each - where
# symbols start, five bytes later, and evenly over .text - asked of tm-addr2line and of its peers.
# An answer that none of them gives is printed, with theirs, for a person to judge: of old or broken
# files the peers give different ones, too. What must not happen at all is a crash or a hang, here
# and of tm-inspect. What has been judged, and why ours is right, is in corpus.txt beside this: a reason,
# and below it, indented, the files (and addresses, where it is those alone). A file that is not
# there is printed as news.
set -u
: "${BIN:?is set by make diff-corpus}" "${SRC:?}"

dir=${1:?usage: corpus.sh DIR}
: "${EACH:=60}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DEBUGINFOD_URLS=
grep $'^\t' "$SRC/tests/diff/corpus.txt" | tr -s ', \t' '\n' | sort -u >"$work/judged"
files=0 news=0 same=0 other=0 bad=0 asked=0

# One line an address: its functions and places, innermost first, without folders.
normal() {
	awk '/^0x[0-9a-f]+/ { if (n++) print r; r = ""; next }
	     { sub(/ \(discriminator [0-9]+\)/, ""); sub(/^.*\//, ""); sub(/:[?0]$/, ":?")
	       sub(/^ *\(inlined by\) */, ""); gsub(/@@?[A-Za-z0-9_.]+/, ""); r = r "|" $0 }
	     END { if (n) print r }'
}

addresses() { # FILE
	local lo size at step

	readelf -SW "$1" 2>/dev/null | sed 's/^ *\[ *[0-9]*\]//' >"$work/sections"
	awk '$7 ~ /X/ && $2 ~ /BITS/ { print $3, $5 }' "$work/sections" >"$work/code"
	{
		nm --defined-only "$1" 2>/dev/null
		nm -D --defined-only "$1" 2>/dev/null
	} | awk '$2 ~ /^[tTwWi]$/ { print $1 }' | sort -u | head -n "$EACH" | while read -r at; do
		printf '%x\n%x\n' $((16#$at)) $((16#$at + 5))
	done >"$work/wanted"
	awk '$1 == ".text" { print $3, $5; exit }' "$work/sections" | while read -r lo size; do
		step=$((16#$size / EACH + 1))
		for ((at = 0; at < 16#$size; at += step)); do
			printf '%x\n' $((16#$lo + at))
		done
	done >>"$work/wanted"
	sort -u "$work/wanted" | while read -r at; do
		while read -r lo size; do
			if ((16#$at >= 16#$lo && 16#$at - 16#$lo < 16#$size)); then
				echo "0x$at"
				break
			fi
		done <"$work/code"
	done
}

while IFS= read -r -d '' file; do
	[ "$(head -c 4 "$file" | tail -c 3 | tr -d "\0")" = ELF ] || continue
	files=$((files + 1))
	name=${file#"$dir"/}
	addresses "$file" >"$work/addrs" 2>/dev/null
	timeout 60 "$BIN"/tm-inspect "$file" >/dev/null 2>"$work/err"
	inspected=$?
	timeout 60 "$BIN"/tm-addr2line -a -f -i -e "$file" <"$work/addrs" >"$work/ours" 2>>"$work/err"
	status=$?
	if [ $status -gt 5 ] || [ $inspected -gt 5 ]; then
		echo "BAD $name: tm-addr2line ended with $status, tm-inspect with $inspected"
		bad=$((bad + 1))
		continue
	fi
	if [ ! -s "$work/addrs" ] || [ ! -s "$work/ours" ]; then
		continue
	fi
	timeout 60 addr2line -a -f -i -e "$file" <"$work/addrs" 2>/dev/null | normal >"$work/gnu"
	timeout 60 eu-addr2line -a -f -i -e "$file" <"$work/addrs" 2>/dev/null | normal >"$work/eu"
	timeout 60 llvm-symbolizer-19 --no-demangle --output-style=GNU --addresses -f -i -e "$file" \
		<"$work/addrs" 2>/dev/null | sed '/^$/d' | normal >"$work/llvm"
	what='news: '
	grep -qxF -- "${name##*/}" "$work/judged" && what='judged: '
	normal <"$work/ours" | paste "$work/addrs" - "$work/gnu" "$work/eu" "$work/llvm" |
		awk -F '\t' -v name="$what$name" -v counts="$work/counts" '
		{ n++; if ($2 == $3 || $2 == $4 || $2 == $5) same++
		  else { other++; if (other <= 3)
			printf "%s %s: %s; addr2line %s; elfutils %s; llvm %s\n", name, $1, $2, $3, $4, $5 } }
		END { print n + 0, same + 0, other + 0 >counts }'
	read -r n s o <"$work/counts"
	[ "$what" = 'judged: ' ] || [ "$o" = 0 ] || news=$((news + 1))
	asked=$((asked + n)) same=$((same + s)) other=$((other + o))
done < <(find "$dir" -type f -print0 | sort -z)
echo "$files files, $asked addresses: $same as one of the peers says, $other otherwise; $news files are news, $bad ended badly"
[ $bad = 0 ]
