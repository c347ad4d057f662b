#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What run.sh and readers.bash share: inputs, checks of what is read, rows.
: "${SRC:?is set by make bench}" "${BUILD:?}" "${BIN:?}" "${GEN:?}"
. "$SRC/tests/bench/goals.bash"
export LC_ALL=C
PATH=$BIN:$PATH
runs=${BENCH_RUNS:-5} only=${BENCH_ONLY-}
work=$BUILD/bench
mkdir -p "$work"
cd "$work" || exit

say() { echo "bench: $*" >&2; }

# make_input FILE COMMAND...: unless there is one made by the same command and generator.
make_input() {
	local file=$1 key

	shift
	key="${BENCH_MB-} $* $(cksum <"$1")"
	if [ -f "$file" ] && [ "$(cat "$file.key" 2>/dev/null)" = "$key" ]; then
		return
	fi
	say "making $file"
	"$@" >"$file" 2>"$file.truth"
	echo "$key" >"$file.key"
}

count() { # FILE KIND...: events of these kinds, by the totals of tm-dump
	local file=$1

	shift
	tm-dump -q --no-tables --no-events "$file" | awk -v kinds="$*" '
		BEGIN { split(kinds, k, " "); for (i in k) want[k[i]] = 1 }
		$1 == "totals" { for (i = 2; i <= NF; i++) { split($i, f, "="); if (f[1] in want) n += f[2] } }
		END { print n + 0 }'
}

# right FILE WHAT GOT WANT
right() {
	if [ "$3" != "$4" ]; then
		say "$1: $3 $2, expected $4: the rates below would mean nothing"
		exit 1
	fi
}
told() { # FILE WORD: a number of the generator's truth
	tr ' ' '\n' <"$1.truth" | awk -v word="$2" 'before == word {print; exit} {before = $0}'
}
# row NAME BYTES EVENTS COMMAND...: sets what goals are about: the best MB and M events a second of processor
# time (mbs, mevs), the same by the clock (clock_mevs), the best processor seconds and seconds by the clock (cpu, clock), and
# the peak in KiB; empty where there is no such row.
row() {
	local name=$1 bytes=$2 events=$3 i

	shift 3
	# shellcheck disable=SC2034
	mbs='' mevs='' clock_mevs='' cpu='' clock='' peak=''
	case $name in *"$only"*) ;; *) return ;; esac
	: >samples
	for ((i = 0; i < runs; i++)); do
		"$GEN/rss" -o one "$@" >/dev/null 2>err || {
			say "$name: status $?"
			head -n 3 err >&2
			return
		}
		cat one >>samples
	done
	sort -n samples | awk -v name="$name" -v bytes="$bytes" -v events="$events" '
		{ wall[NR] = $1; if ($4 > rss) rss = $4; if (!cpu || $2 + $3 < cpu) cpu = $2 + $3 }
		END {
			t = wall[int((NR + 1) / 2)]
			if (t < 0.001) t = 0.001
			if (cpu < 0.001) cpu = 0.001
			if (wall[1] < 0.001) wall[1] = 0.001
			printf "%-34s %8.0f %10.2f %8.3f %8.3f %8.3f %8.0f %9.2f %9.0f\n", name, bytes / 1e6,
				events / 1e6, t, wall[1], cpu, bytes / t / 1e6, events / t / 1e6, rss / 1024
			printf "%.1f %.2f %.2f %.3f %.3f %d\n", bytes / cpu / 1e6, events / cpu / 1e6, events / wall[1] / 1e6, cpu, wall[1],
				rss >"figures"
		}'
	# shellcheck disable=SC2034 # for the caller
	read -r mbs mevs clock_mevs cpu clock peak <figures
}
size() { du -Lsb "$1" | cut -f 1; } # of a folder too

titles() {
	grep -m 1 '^model name' /proc/cpuinfo | sed 's/.*: //' || true
	echo "median of $runs runs, $(nproc) processors, tracemill $(cat "$SRC/VERSION")"
	printf '%-34s %8s %10s %8s %8s %8s %8s %9s %9s\n' '' MB 'M events' median/s best/s cpu/s MB/s 'M ev/s' 'peak MiB'
}
