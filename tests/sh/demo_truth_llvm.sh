#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Is the demo's truth true? Every variant's truth.sites and truth.stacks against
# llvm-symbolizer --inlines. Nothing of ours but the demo and the checker runs here: what passes
# may be held against our own programs.

set -u
status=0
ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	status=1
}

symbolizer=${LLVM_SYMBOLIZER:-llvm-symbolizer-19}
if ! command -v "$symbolizer" > /dev/null; then
	echo "skip - demo truth against llvm-symbolizer (no $symbolizer)"
	exit 0
fi
: "${SRC:?}" "${DATA:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
check=$DATA/../testdata-gen/truthcheck
if [ ! -x "$check" ]; then
	check=$work/truthcheck
	${CC:-cc} -D_GNU_SOURCE -std=c11 -O1 -o "$check" "$SRC/testdata/gen/truthcheck.c" || exit 1
fi

# symbolize DIR ADJUST: module, captured vaddr and calls of every address of DIR's own modules.
symbolize() {
	local module
	for module in arcade libengine.so; do
		awk -F '\t' -v m="$module" '$2 == m && $5 == 1 { print $3 }' "$1/truth.sites" > "$work/at"
		while read -r vaddr; do
			printf '0x%x\n' $((vaddr - $2))
		done < "$work/at" |
			"$symbolizer" --obj="$1/bin/$module" --inlines --demangle --functions=linkage \
				--output-style=LLVM "${debug[@]}" > "$work/out" || return 1
		awk -v m="$module" -v at="$work/at" '
			function flush() { if (n) { getline a < at; print m "\t" a line } n = 0; line = "" }
			/^$/ { flush(); next }
			{ line = line "\t" $0; n++ }
			END { flush() }' "$work/out"
	done
}

# per_stack DIR < sites: the same calls, one line per captured stack.
per_stack() {
	awk -F '\t' '
		NR == FNR { calls = $0; sub(/^[^\t]*\t[^\t]*/, "", calls); of[$1 "\t" $2] = calls; next }
		function flush() { if (key) print key line; key = line = "" }
		$1 == "stack" { flush() }
		$1 == "addr" { key = key $2 ";"; line = line of[$3 "\t" $4] }
		END { flush() }' - "$1/truth.stacks"
}

found=0
for dir in "$DATA"/demo/*-dwarf*/; do
	dir=${dir%/}
	name=${dir##*/}
	[ -e "$dir/truth.sites" ] || continue
	found=$((found + 1))
	debug=()
	[ -d "$dir/debug" ] && debug=(--debug-file-directory="$dir/debug")

	if ! symbolize "$dir" 1 > "$work/tsv"; then
		not_ok "$name: llvm-symbolizer failed"
		continue
	fi
	if said=$("$check" "$dir/truth.sites" < "$work/tsv"); then
		ok "$name: every address ($said)"
	else
		not_ok "$name: an address differs"
		printf '# %s\n' "${said//$'\n'/$'\n# '}"
	fi
	if said=$(per_stack "$dir" < "$work/tsv" | "$check" "$dir/truth.stacks"); then
		ok "$name: every stack ($said)"
	else
		not_ok "$name: a stack differs"
		printf '# %s\n' "${said//$'\n'/$'\n# '}"
	fi

	# The truth has teeth: the address after the calls that end require() and fail_load()
	# is another function's, and one changed line is noticed.
	symbolize "$dir" 0 > "$work/raw"
	past=$(awk -F '\t' '
		function simple(f) { sub(/\(.*/, "", f); sub(/ .*/, "", f); sub(/.*::/, "", f); return f }
		NR == FNR { physical[$1 "\t" $2] = simple($(NF - 1)); next }
		FNR == 1 { next }
		$2 == "libengine.so" && $(NF - 2) ~ /^(require|fail_load)$/ &&
			physical[$2 "\t" $3] != $(NF - 2) { n++ }
		END { print n + 0 }' "$work/raw" "$dir/truth.sites")
	if [ "$past" -gt 0 ]; then
		ok "$name: $past return addresses lie in the next function"
	else
		not_ok "$name: no return address lies in the next function"
	fi
	if "$check" "$dir/truth.sites" < "$work/raw" > /dev/null; then
		not_ok "$name: return addresses taken as they are go unnoticed"
	else
		ok "$name: return addresses taken as they are are noticed"
	fi
	sed '1s/\.cpp:/.cpp:9/' "$work/tsv" > "$work/bent"
	if "$check" "$dir/truth.sites" < "$work/bent" > /dev/null; then
		not_ok "$name: a wrong line goes unnoticed"
	else
		ok "$name: a wrong line is noticed"
	fi
done
if ! ls -d "$DATA"/demo/clang-*/ > /dev/null 2>&1; then
	echo "skip - demo truth of clang's builds (no clang++)"
fi
if [ $found = 0 ]; then
	not_ok "no demo variants in $DATA/demo"
fi
exit $status
