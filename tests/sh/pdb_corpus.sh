#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Programs of Windows with PDBs below a folder (make check T=sh/pdb_corpus PDB_FILES=DIR): up to 3,000 addresses of each, drawn at random
# over all its code, at least a third of them with inlined calls if there are so many, asked of tm-llvm-symbolizer and of
# llvm-symbolizer 19. pdb_referee.py says of each difference who is right by the records. A PDB belongs to the programs
# whose CodeView record has its GUID; for one without, a program is made. The test fails if more than one of 1,000 answers
# that anything is known of is neither LLVM's nor proven to be right.
#
# What it prints for public files is the table of tm-llvm-symbolizer(1): those of getsentry/symbolic, mozilla/dump_syms,
# mstange/samply, mstange/pdb-addr2line, google/breakpad and rizinorg/rizin-testbins.
# timeout: 7200
set -u

dir=${PDB_FILES:-}
if [ -z "$dir" ]; then
	echo "skip - pdb_corpus: no folder is given (PDB_FILES=)"
	exit 0
fi
for tool in llvm-symbolizer-19 llvm-pdbutil-19 llvm-undname-19 llvm-objdump-19 llvm-readobj-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - pdb_corpus: no $tool"
		exit 0
	}
done
. "$SRC/tests/diff/pdb_addresses.bash"
work=$PWD
resolved=0 unproven=0 files=0 seen=

guid() {
	sed -n 's/^ *\(PDBGUID\|GUID\): {\(.*\)}$/\2/p' | head -n 1
}

# LLVM's answers: where it ends by a signal, the address that it had is left out, and it goes on behind it.
ask_llvm() { # FILE <addresses
	local n
	cat >"$work/left"
	while [ -s "$work/left" ]; do
		llvm-symbolizer-19 -a -e "$1" <"$work/left" >"$work/part" 2>/dev/null
		n=$(grep -c '^0x' "$work/part")
		cat "$work/part"
		[ "$n" -lt "$(wc -l <"$work/left")" ] || break
		# its output ends with an empty line or not: the request that it stopped at is in neither case complete
		sed -i "1,$((n + 1))d" "$work/left"
		echo
	done
}

compare() { # NAME PROGRAM PDB
	local n said
	draw "$2" 9000 >"$work/drawn"
	[ -s "$work/drawn" ] || return
	ask_llvm "$2" <"$work/drawn" >"$work/first" 2>/dev/null
	python3 "$SRC/tests/diff/pdb_referee.py" --choose "$work/first" <"$work/drawn" >"$work/asked"
	tm-llvm-symbolizer --no-cache --lenient -a -e "$2" <"$work/asked" >"$work/got" 2>"$work/err"
	said=$(python3 "$SRC/tests/diff/pdb_referee.py" "$2" "$3" "$work/first" "$work/got" "$work/differences")
	echo "$1: ${said#* }"
	n=$(sed -n '1s/.* resolved \([0-9]*\) .*/\1/p' <<<"$said")
	resolved=$((resolved + n))
	n=$(sed -n '1s/.* llvm \([0-9]*\) neither \([0-9]*\)$/\1 + \2/p' <<<"$said")
	unproven=$((unproven + n))
	files=$((files + 1))
	if ((n)) || [ -n "${V:-}" ]; then
		cat "$work/differences"
	fi
}

while IFS= read -r -d '' file; do
	[ "$(head -c 2 "$file" | tr -d "\0")" = MZ ] || continue
	id=$(llvm-readobj-19 --coff-debug-directory "$file" 2>/dev/null | guid)
	[ -n "$id" ] && printf '%s\t%s\n' "$id" "$file"
done < <(find "$dir" -type f -print0 | sort -z) >"$work/programs"

while IFS= read -r -d '' pdb; do
	[ "$(head -c 15 "$pdb" | tr -d "\0")" = "Microsoft C/C++" ] || continue
	sum=$(sha256sum <"$pdb")
	case $seen in *"$sum"*) continue ;; esac
	seen+=$sum
	id=$(llvm-pdbutil-19 dump --summary "$pdb" 2>/dev/null | guid)
	[ -n "$id" ] || continue
	program=$(awk -F '\t' -v id="$id" '$1 == id { print $2; exit }' "$work/programs")
	rm -rf "$work/pair"
	mkdir "$work/pair"
	name=$(basename "$pdb")
	if [ -n "$program" ]; then
		cp "$program" "$work/pair/program.exe"
		name=$(llvm-readobj-19 --coff-debug-directory "$program" | sed -n 's/^ *PDBFileName: //p' | head -n 1)
		name=${name##*[\\/]}
	fi
	cp "$pdb" "$work/pair/$name"
	[ -n "$program" ] ||
		python3 "$SRC/tests/diff/pdb_referee.py" --program "$work/pair/$name" "$work/pair/program.exe" || continue
	compare "${pdb#"$dir"/}" "$work/pair/program.exe" "$work/pair/$name"
done < <(find "$dir" -type f -iname '*.pdb' -print0 | sort -z)

((files > 0 && unproven * 1000 <= resolved)) || printf 'not '
echo "ok - pdb_corpus: $files files, $resolved answers, $unproven of them neither LLVM's nor proven to be right"
