#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make diff: the comparison of tests/diff/engines.bash on large files that others have built: for each
# package of Debian the largest file with DWARF, every function's first address and 200,000 others.
# The fast engine must answer as the reference engine does, to the byte, and both as llvm-symbolizer
# (19, fetched; given a copy without .symtab) does but for what tests/diff/large.txt explains. One
# line per file; what differs is left in build/diff. Nothing is installed.
#
# What differs is listed by package, peer and class, or our innermost function and the peer's.
#
#   DIFF_PACKAGES  packages with debug files, or paths of ELF files
#   DIFF_COUNT     addresses of each besides the first ones of functions (200000)
#   DIFF_SEED      of the addresses (1)
set -u -o pipefail
: "${SRC:?is set by make diff}" "${GEN:?}"
export LC_ALL=C
names=${DIFF_PACKAGES:-openjdk-17-dbg libstdc++6-12-dbg libc6-dbg python3.11-dbg}
count=${DIFF_COUNT:-200000} seed=${DIFF_SEED:-1}
work=$SRC/build/diff
known=$SRC/tests/diff/large.txt
mkdir -p "$work"
cd "$work" || exit 2
. "$SRC/tests/diff/packages.bash"

for tool in apt-get dpkg-deb llvm-objcopy readelf; do
	command -v $tool >/dev/null || {
		echo "diff: needs $tool" >&2
		exit 2
	}
done
free_mb=$(df -Pm . | awk 'NR == 2 {print $4}')
if [ "$free_mb" -lt 5000 ]; then
	echo "diff: needs 5000 MB of disk in build/; $free_mb are free" >&2
	exit 2
fi

if ! fetch_llvm; then
	echo "diff: needs the package llvm-19" >&2
	exit 2
fi

# One line per address: "ADDRESS: FUNCTION FILE:LINE:COLUMN | FUNCTION ..."
flatten() {
	awk 'BEGIN { RS = ""; FS = "\n" }
	{
		s = $1 ": " $2 " " $3
		for (i = 4; i < NF; i += 2)
			s = s " | " $i " " $(i + 1)
		print s
	}'
}

largest() { # PACKAGE: the largest file with DWARF
	find "$packages/$1" -type f -size +64k ! -name '*.a' -printf '%s %p\n' | sort -rn | while read -r _ file; do
		if readelf -SW "$file" 2>/dev/null | grep "[.]z*debug_info" >/dev/null; then
			echo "$file"
			break
		fi
	done
}

failed=0
for package in $names; do
	name=${package##*/}
	if [ -f "$package" ]; then
		file=$package
	elif ! fetch "$package"; then
		echo "skip - $name"
		continue
	else
		file=$(largest "$package")
		[ -n "$file" ] || {
			echo "skip - $name (no file with DWARF)"
			continue
		}
	fi
	rm -f "$name".*.differ
	"$GEN/addresses" -a -n "$count" -s "$seed" "$file" >asked || {
		failed=1
		continue
	}
	"$GEN/resolve" -e fast -j 2 "$file" - <asked 2>"$name.err" | flatten >"$name.fast"
	"$GEN/resolve" -e reference -j 2 "$file" - <asked 2>"$name.err-reference" | flatten >"$name.reference"
	llvm-objcopy --decompress-debug-sections -R .symtab -R .strtab "$file" nosym
	cut -d: -f1 "$name.fast" | "${llvm[@]}" --obj=nosym --inlines --functions=linkage --no-demangle --addresses \
		2>llvm.err | flatten >"$name.llvm"
	rm -f nosym
	for peer in reference llvm; do
		paste -d '\n' "$name.fast" "$name.$peer" | awk -v name="$name" -v peer="$peer" -v known="$known" '
			BEGIN {
				while ((getline line < known) > 0) {
					split(line, f, " ")
					if (f[1] == name && f[2] == peer)
						listed[f[3] ~ /^(symbol-only|outermost)$/ ? f[3] : f[3] " " f[4]] = 1
				}
			}
			# Both from .dynsym, which llvm reads and the engine does not. symbol-only: of a part without
			# DWARF; outermost: the same but for the name of the function that all the rest is in.
			function without(s, n, f) {
				n = split(s, f, " ")
				f[n - 1] = "-"
				s = f[1]
				for (n = 2; n in f; n++)
					s = s " " f[n]
				return s
			}
			function kind(ours, theirs, f, g) {
				split(ours, f, " ")
				split(theirs, g, " ")
				if (f[2] == "??" && f[3] == "??:0:0" && g[3] == "??:0:0" && !(4 in g))
					return "symbol-only"
				if (without(ours) == without(theirs))
					return "outermost"
				return f[2] " " g[2]
			}
			NR % 2 { ours = $0; next }
			ours != $0 {
				what = kind(ours, $0)
				happened[what] = 1
				if (what in listed)
					known_ones++
				else {
					print "  fast " ours "\n  " peer " " $0 >(name "." peer ".differ")
					bad++
				}
			}
			END {
				for (what in listed)
					if (!(what in happened)) {
						print "  tests/diff/large.txt: no longer occurs: " name " " peer " " what
						bad++
					}
				printf "%s - %s: %d addresses, %d differ from %s, %d more are explained\n",
					(bad || NR < 2 ? "not ok" : "ok"), name, NR / 2, bad, peer, known_ones
				exit bad || NR < 2
			}' || failed=1
	done
	sed 's/^/  /' "$name.err" | tail -n 3
done
exit $failed
