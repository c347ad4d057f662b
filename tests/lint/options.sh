#!/bin/bash
# SPDX-License-Identifier: MIT
#
# lint/options [TREE]: every option is in lib/cli/options.txt, with its argument and the programs
# that have it, and every row there has its option: so a word has one meaning, and a meaning one
# word.
set -u
cd "${1:-$SRC}" || exit 1
table=lib/cli/options.txt
failed=0
fault() {
	echo "  $1"
	failed=1
}

# A row of a program's table as "WORD ARGUMENT WHERE"; - where it takes none. Macros go on behind \.
rows() { # FILE WHERE
	tr '\n\t' '  ' <"$1" | sed 's/\\ / /g; s/  */ /g' |
		grep -oE "ROW_[A-Z_]+\( ?(0|'.'), \"[^\"]+\"(, \"[^\"]*\")?|\.word = \"[^\"]+\",( \.arg = \"[^\"]+\")?|ROW_ALIAS\(\"[^\"]+\", \"[^\"]+\"" |
		sed -E "s/^ROW_ALIAS\(\"([^\"]+)\", \"([^\"]+)\"/old:\1 \2/
			s/^ROW_(FLAG|SWITCH|CLEAR)\( ?(0|'.'), \"([^\"]+)\".*/\3 -/
			s/^ROW_[A-Z_]+\( ?(0|'.'), \"([^\"]+)\", \"([^\"]+)\"/\2 \3/
			s/^ROW_[A-Z_]+\( ?(0|'.'), \"([^\"]+)\"/\2 -/
			s/^\.word = \"([^\"]+)\", \.arg = \"([^\"]+)\"/\1 \2/
			s/^\.word = \"([^\"]+)\",/\1 -/
			s/\$/ $2/"
}
inventory() {
	local f where

	for f in cmd/tm-*.c cmd/tm-*/*.[ch] lib/cli/*.h lib/cli/opt.c; do
		if [ ! -f "$f" ] || [ "$f" = lib/cli/opt.h ]; then
			continue
		fi
		where=${f#*/}
		where=${where#cli/}
		where=${where#tm-}
		where=${where%%/*}
		where=${where%.[ch]}
		rows "$f" "$where"
	done | LC_ALL=C sort -u
}
[ "${2-}" != --list ] || {
	inventory
	exit 0
}

# The table's rows in the same form; ARGUMENTs with | between, in the order of their programs or one for all.
wanted=$(awk '!/^#/ && NF {
	word = $1; n = split($2, args, "|"); m = split($3, where, ",")
	for (i = 1; i <= m; i++)
		print word, n == 1 ? args[1] : args[i], where[i]
}' "$table" | LC_ALL=C sort)
while read -r mark word argument where; do
	case $mark in
	'<') fault "$table: --$word $argument is of no table of $where" ;;
	'>') fault "--$word $argument of $where is not in $table" ;;
	esac
done < <(diff <(echo "$wanted") <(inventory) | grep '^[<>]')

# One row for a word, one word for a meaning. Other tools' words are theirs.
while read -r word; do
	fault "$table: --$word has two rows: one word has one meaning"
done < <(awk '/^# Other tools/ { exit } !/^#/ && NF && $1 !~ /^old:/ { print $1 }' "$table" | LC_ALL=C sort | uniq -d)
while read -r meaning; do
	fault "$table: two words mean: $meaning"
done < <(awk '/^# Other tools/ { exit } !/^#/ && NF && $1 !~ /^old:/ { $1 = $2 = $3 = ""; sub(/^ */, ""); print }' "$table" |
	LC_ALL=C sort | uniq -d)
while read -r word; do
	fault "$table: --$word is an old word and a new one of the same program"
done < <(echo "$wanted" | awk '{ w = $1; sub(/^old:/, "", w); k = w " " $3 } k in seen { print w } { seen[k] = 1 }')

if [ $failed = 1 ]; then
	echo "not ok - options: the table and the programs differ"
	exit 1
fi
echo "ok - options: $(echo "$wanted" | wc -l) rows of programs' tables"
