#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Blocks of Lua have no real bytes. A report of them beside malloc's is by requested bytes, which all have: the peak as
# well as the live bytes. The largest requested sum is at 2 ms, the largest real one at 0 ms, and 10 + 50 bytes stay.
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
"$GEN/script" >mixed.tmt <<'END'
metric count exact
metric requested exact
metric real exact
metric live exact
alloc malloc main;a 1000 0 5000 16
free 16 500000
alloc malloc main;b 4000 2000000 4008 32
free 32 2500000
alloc lua main;c 10 4000000 - 48
alloc malloc main;d 50 5000000 56 64
END
number() { sed -n 's/.*"numbers":{\([^}]*\)}.*/,\1/p' | sed -n "s/.*,\"$1\":\([0-9]*\).*/\1/p"; }
sum() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { s += $c } END { print s }'; }

tm-top --as json --domain all mixed.tmt >all.json
equals 'all domains: bytes, the peak and its time, live bytes' \
	"$(for n in requested peak_requested peak_at_ns live_requested live_blocks; do number $n <all.json; done | xargs)" \
	'5060 4000 2000000 60 2'
tm-top -q --csv --domain all --by site --metrics peak-requested,peak-count mixed.tmt >all.csv
equals '... and the rows have the same peak' "$(sum peak_requested <all.csv) $(sum peak_count <all.csv)" '4000 1'
equals 'a ranking by the peak is one by requested bytes' \
	"$(tm-top -q --domain all --sort peak --by site mixed.tmt | grep -c 'by peak requested bytes')" 1
tm-top --as json --domain malloc mixed.tmt >malloc.json
equals 'malloc alone: real bytes' \
	"$(for n in real peak_real peak_at_ns live_real; do number $n <malloc.json; done | xargs)" '9064 5000 0 56'
tm-top -q --csv --domain malloc --by site --metrics peak-real mixed.tmt >malloc.csv
equals '... of the rows, too' "$(sum peak_real <malloc.csv)" 5000

# Steps: real bytes are blank where no block has them, and 0 where there is no block.
tm-frames -q --csv --every 1ms --domain all mixed.tmt >steps.csv
columns() {
	awk -F, -v want="$1" 'NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $at[w[i]]; print line }' steps.csv | xargs
}
equals 'steps: requested, real and slack' "$(columns 'frame requested real slack')" \
	'0,1000,5000,4000 2,4000,4008,8 4,10,, 5,50,56,6'
equals 'steps: live bytes' "$(columns 'live_count live_requested live_real')" '0,0,0 0,0,0 1,10, 2,60,56'
equals 'steps: the peak' "$(columns 'peak_count peak_requested peak_real')" '1,1000,5000 1,4000,4008 1,10, 2,60,56'
equals 'steps: freed bytes' "$(columns 'freed_count freed_requested freed_real')" '1,1000,5000 1,4000,4008 0,0,0 0,0,0'
exit "$failed"
