# shellcheck shell=bash
# shellcheck disable=SC2154
# SPDX-License-Identifier: MIT
#
# The two engines against each other, and against llvm-symbolizer --inlines: every byte of .text of a
# build, every frame's function, file, line and column. The two engines must agree to the byte.
#
# What is made equal first:
# - llvm-symbolizer takes the outermost name from .symtab where it can (a destructor's D1 where
#   DWARF says D2, ".cold" and ".part" suffixes). The engine's contract is DWARF's names, so llvm
#   is given a copy of the file without .symtab. Likewise .dynsym, where that names code of the file:
#   clang links its sanitizers' runtime, which has no DWARF, into a program that is sanitized.
# - Names are raw in both (--functions=linkage --no-demangle).
# Nothing else. What still differs must be in tests/diff/llvm.txt, sorted, with a reason; a line
# there that no longer occurs fails as well.
. "$SRC/tests/diff/builds.bash"
known=$SRC/tests/diff/llvm.txt
resolve=$GEN/resolve

# One line per address: "ADDRESS: FUNCTION FILE:LINE:COLUMN | FUNCTION ..."
flatten_places() {
	awk 'BEGIN { RS = ""; FS = "\n" }
	{
		s = $1 ": " $2 " " $3
		for (i = 4; i < NF; i += 2)
			s = s " | " $i " " $(i + 1)
		print s
	}'
}

# engines_agree NAME: NAME.ours is the reference engine's
engines_agree() {
	local name=$1

	if "$resolve" -e fast -j 2 "$name" >"$name.fast" 2>"$name.err-fast" &&
		cmp -s "$name.ours" "$name.fast"; then
		echo "ok - $name: the fast engine answers as the reference engine does"
	else
		echo "not ok - $name: the fast engine answers as the reference engine does"
		diff "$name.ours" "$name.fast" | head -n 5
		cat "$name.err-fast"
	fi
}

# compare NAME [ENGINE]: differences are kept as "NAME OUR-INNERMOST-FUNCTION LLVMS"
compare() {
	local name=$1 engine=${2-reference} n

	ran="$ran$name "
	if ! "$resolve" -e "$engine" "$name" >"$name.ours" 2>"$name.err"; then
		echo "not ok - $name: resolve failed"
		cat "$name.err"
		return
	fi
	if [ "$engine" = reference ]; then
		engines_agree "$name"
		if ! cmp -s "$name.err" "$name.err-fast"; then
			echo "not ok - $name: the fast engine complains otherwise"
			cat "$name.err-fast"
		fi
	fi
	llvm-objcopy -R .symtab -R .strtab "$name" "$name.nosym"
	if nm -D --defined-only "$name.nosym" 2>/dev/null | grep -q ' [TtWi] '; then
		llvm-objcopy --update-section .dynsym=/dev/null "$name.nosym" "$name.nodyn" &&
			mv "$name.nodyn" "$name.nosym"
	fi
	grep '^0x' "$name.ours" |
		llvm-symbolizer-19 --obj="$name.nosym" --inlines --functions=linkage --no-demangle \
			--addresses >"$name.llvm"
	flatten_places <"$name.ours" >ours.flat
	flatten_places <"$name.llvm" >llvm.flat
	n=$(wc -l <ours.flat)
	if [ "$n" -lt 800 ] || [ "$(grep -c ' | ' ours.flat)" -lt 100 ]; then
		echo "not ok - $name: too little to compare: $n addresses"
	elif [ "$(wc -l <llvm.flat)" != "$n" ]; then
		echo "not ok - $name: llvm-symbolizer-19 answered $(wc -l <llvm.flat) of $n addresses"
	elif grep -v '^[a-z ]*: [0-9]* ' "$name.err" | grep -q .; then
		echo "not ok - $name: complaints"
		cat "$name.err"
	else
		paste -d '\n' ours.flat llvm.flat | awk -v name="$name" -v known="$known" '
			BEGIN {
				while ((getline line < known) > 0) {
					split(line, f, " ")
					listed[f[1] " " f[2] " " f[3]] = 1
				}
			}
			NR % 2 { ours = $0; mine = $2; next }
			ours != $0 {
				key = name " " mine " " $2
				print key >>"differences"
				if (!(key in listed) && shown++ < 5)
					print "  ours " ours "\n  llvm " $0
				bad += !(key in listed)
				some++
			}
			END {
				printf "%s - %s: %d addresses, %d listed differences", (bad ? "not ok" : "ok"),
					name, NR / 2, some - bad
				print bad ? ", " bad " others" : ""
			}' || echo "not ok - $name: no comparison"
	fi
}

# variant NAME COMPILER FLAGS...; with HOW=build_c of C alone
variant() {
	local name=$1 cc=$2

	if ! have "$cc"; then
		echo "skip - $name (no $cc)"
	elif ! ${HOW-build} "$@" >build.log 2>&1; then
		# a linker or a flag that this machine's tools do not have
		echo "skip - $name (does not build: $(head -n 1 build.log))"
	else
		compare "$name"
	fi
}
