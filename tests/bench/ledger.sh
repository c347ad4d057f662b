#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench-ledger: different addresses of large debug files, which nothing here was tuned on, by tm-addr2line and by
# gimli's addr2line (tests/bench/gimli), as a table with the geometric mean of the ratios. Whole processes in
# alternation on cached files, their text to /dev/null; a ratio is the median of those within a round, of processor time
# and of time on the clock. Rows that are not to be had are named below the table.
#
#   BENCH_RUNS   rounds (9)
#   BENCH_COUNT  addresses, or as many as a file has code for (400000)
#   BENCH_FILES  more files: "NAME=PATH ..."
# shellcheck disable=SC2086 # counts are numbers
set -eu -o pipefail
: "${SRC:?is set by make bench-ledger}" "${BIN:?}" "${GEN:?}"
export LC_ALL=C
PATH=$BIN:$PATH
runs=${BENCH_RUNS:-9} count=${BENCH_COUNT:-400000}
work=$SRC/build/bench-ledger
gimli=$SRC/build/bench-symbolize/gimli/target/release/gimli-addr2line
mkdir -p "$work"
cd "$work"

. "$SRC/tests/diff/packages.bash"

[ -x "$gimli" ] || {
	echo "bench-ledger: no gimli: run make bench-symbolize first" >&2
	exit 1
}
: >absent
: >table

# The largest file of a package, its sections decompressed, as NAME.debug.
of_package() { # NAME PACKAGE
	local largest

	[ ! -f "$1.debug" ] || return 0
	fetch "$2" 2>>absent || return 1
	largest=$(find "$packages/$2" -name '*.debug' -printf '%s %p\n' | sort -rn | head -n 1)
	objcopy --decompress-debug-sections "${largest#* }" part && mv part "$1.debug"
}

# Go's own compiler, which is a large program of Go.
of_go() {
	[ ! -f go-compile.debug ] || return 0
	command -v go >/dev/null || { echo 'go-compile: there is no go' >>absent && return 1; }
	(cd / && GOFLAGS=-buildvcs=false GOCACHE=$work/go HOME=$work go build -o "$work/part.go" cmd/compile) 2>>absent || return 1
	objcopy --decompress-debug-sections part.go part && mv part go-compile.debug
}

dwarf_bytes() {
	readelf -SW "$1" | sed -n 's/.*\.debug_[a-z_]* *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/0x\1/p' |
		{ n=0; while read -r size; do n=$((n + size)); done; echo $n; }
}

measure() { # NAME FILE
	local n=$count round

	while ! "$GEN/addresses" -n $n -s 1 "$2" >"$1.shuffled" 2>err || [ "$(sort -u "$1.shuffled" | wc -l)" != $n ]; do
		n=$((n / 2))
		[ $n -gt 1000 ] || { echo "$1: no code" >>absent && return 0; }
	done
	sort "$1.shuffled" >"$1.sorted"
	cat "$2" >/dev/null
	: >"$1.samples"
	for ((round = 0; round < runs; round++)); do
		"$GEN/rss" -o one tm-addr2line -q --lenient --no-cache -afi -e "$2" <"$1.shuffled" >/dev/null 2>err
		printf 'us\t%s\n' "$(<one)" >>"$1.samples"
		"$GEN/rss" -o one "$gimli" "$2" <"$1.sorted" >/dev/null 2>err
		printf 'gimli\t%s\n' "$(<one)" >>"$1.samples"
	done
	awk -v name="$1" -v n=$n -v bytes="$(stat -Lc %s "$2")" -v dwarf="$(dwarf_bytes "$2")" '
		function median(v, n, i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
			return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
		}
		{ wall[$1, ++k[$1]] = $2; cpu[$1, k[$1]] = $3 + $4; if ($5 > peak[$1]) peak[$1] = $5 }
		END {
			for (i = 1; i <= k["us"]; i++) {
				w[i] = wall["us", i] / wall["gimli", i]
				c[i] = cpu["us", i] / cpu["gimli", i]
			}
			printf "%s\t%d\t%d\t%d\t%.3f\t%.3f\t%.2f\n", name, bytes / 1e6, dwarf / 1e6, n, median(c, k["us"]), median(w, k["us"]), peak["us"] / peak["gimli"]
		}' "$1.samples" >>table
}

for row in libjvm=openjdk-17-dbg ceph-osd=ceph-osd-dbg workbench=connectome-workbench-dbg valgrind=valgrind-dbg; do
	! of_package "${row%%=*}" "${row#*=}" || measure "${row%%=*}" "${row%%=*}.debug"
done
! of_go || measure go-compile go-compile.debug
for row in ${BENCH_FILES-}; do
	measure "${row%%=*}" "${row#*=}"
done
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg); tracemill $(<"$SRC/VERSION"), $runs rounds"
echo
echo '| file | MB | MB of DWARF | addresses | CPU / gimli | wall / gimli | peak / gimli |'
echo '|---|--:|--:|--:|--:|--:|--:|'
awk -F '\t' '{ printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7; c += log($5); w += log($6); n++ }
	END { if (n) printf "\ngeometric mean of %d: CPU %.3f, wall %.3f (goal: none above 0.18)\n", n, exp(c / n), exp(w / n) }' table
cat absent
