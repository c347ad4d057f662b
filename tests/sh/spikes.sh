#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 600
#
# tm-spikes compared with what others say: the two logs on the slides of the talk on PET (seed 004),
# awk over the events as tm-dump prints them, PET logs written and read again, logs cut and damaged,
# and memory that does not grow with the length of the capture.
set -u
: "${SRC:?}" "${GEN:?}"

failed=0
ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1"
	failed=1
}
same() { # WHAT WANTED GOT
	if [ -s "$2" ] && diff -u "$2" "$3"; then ok "$1"; else bad "$1"; fi
}

# --- the slides: their numbers of ms and their line ends are lost, and so are most lines below the
# short entries. Words that ours has more than that are a difference.

# One word a line; dashes as ASCII.
words() { sed 's/\xe2\x80\x93/-/g' | tr -s ' ' '\n'; }
slide() { grep -o 'PET: Function took too long: MSec Thread.*MSec' "$seed" | sed -n "$1p"; }
ours() {
	sed -E 's/took too long: [0-9.]+ MSec/took too long: MSec/; s/takes [0-9.]+ ms/takes ms/' |
		awk '/^PET: Thread/ { short = 1; print; next }
			short && /^[0-9]+\) / { short = 0; if (/^7\) 0x82d690ac/) print; next }
			{ print }' | words
}
seed=$(echo "$SHARED"/seeds/004_*.txt)
if [ -f "$seed" ]; then
	for which in address:1 file:2; do
		case=$SRC/tests/golden/tm-spikes/listing-${which%:*}.cmd
		slide "${which#*:}" | words >want
		bash "$case" 2>/dev/null | ours >got
		same "the talk's listing with ${which%:*}" want got
	done
	# The transcript itself is read: as many entries, and the same calls in the listing.
	for n in 1 2; do
		slide $n >log
		tm-import -q log | tm-dump >dump
		tr ' ' '\n' <log | grep -c '^PET:$' | sed "s/\$/ entries, frame $((2323 + 99 * (n - 1)))/" >want
		sed -n 's/^totals .*sample=\([0-9]*\).*/\1 entries, frame/p' dump | tr '\n' ' ' >got
		sed -n 's/^frame value=//p' dump >>got
		same "the transcript of slide $n is read" want got
	done
else
	echo "skip - the slides (no ../shared)"
fi

# --- awk's own stack of calls over the dump, on one thread

"$GEN/calls" --events 20000 --depth 12 --functions 6 >run.tmt
tm-spikes -q --threshold 300us --csv --table worst -n 0 run.tmt | tr -d '\r' |
	awk -F , 'NR > 1 { print $8, $1, $2 }' | sort -n >got
tm-dump run.tmt | awk '
	function value(key) { match($0, " " key "=[0-9]+"); return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) + 0 }
	/^enter/ { start[++n] = value("time"); below[n] = 0 }
	/^exit/ {
		total = value("time") - start[n]
		if (total > 300000)
			print start[n], total, total - below[n]
		below[--n] += total
	}' | sort -n >want
same "total and self of $(wc -l <want) spikes, against awk" want got

# --- what it writes it reads: the same log again

tm-spikes -q --threshold 300us --pet run.tmt >one.log
tm-spikes -q --threshold 0 --pet one.log >two.log
# Without the lives of calls a caller that ended twice in a row cannot be distinguished from one
# listing.
same 'a PET log of a PET log' one.log two.log

# --- a log cut anywhere is the log up to there: no more entries, never a failure past the first

bash "$SRC/tests/golden/tm-spikes/listing-file.cmd" 2>/dev/null >short.log
size=$(wc -c <short.log)
step=7
[ -z "${SAN-}" ] || step=53
last=0 worse=0
for ((n = 60; n <= size; n += step)); do
	head -c "$n" short.log >cut.log
	entries=$(timeout 20 tm-import -q cut.log | tm-dump --no-tables | grep -c '^sample')
	[ "$entries" -ge "$last" ] && [ "$entries" -ge 1 ] || worse=$((worse + 1))
	last=$entries
done
if [ $worse = 0 ] && [ "$last" -ge 7 ]; then
	ok "a log cut every $step bytes: up to $last entries"
else
	bad "a log cut every $step bytes: $worse times fewer entries than before, $last at last"
fi

# --- memory: the same calls five times as long cost nothing, nor do a million nested ones

if [ -n "${SAN-}" ]; then
	echo "skip - memory of tm-spikes (a sanitizer's own is far larger)"
	exit $failed
fi
peak() { # WHAT OPTION...
	"$GEN/calls" "$@" | "$GEN/rss" -o rss tm-spikes -q --threshold 10ms >/dev/null
	[ "$(cut -d ' ' -f 5 rss)" = 0 ] || bad "tm-spikes: status $(cut -d ' ' -f 5 rss)"
	cut -d ' ' -f 4 rss
}
small=$(peak --events 2000000)
large=$(peak --events 20000000)
deep=$(peak --events 4000000 --deeper)
for what in "20 M events:$large" "2 M nested calls:$deep"; do
	if [ "${what#*:}" -gt 0 ] && [ "${what#*:}" -le $((small + 4096)) ]; then
		ok "tm-spikes, ${what%:*} after 2 M in $small KiB: ${what#*:} KiB"
	else
		bad "tm-spikes, ${what%:*} after 2 M in $small KiB: ${what#*:} KiB"
	fi
done
exit $failed
