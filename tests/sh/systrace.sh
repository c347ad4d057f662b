#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The kernel's trace as text: its forms against one another, against the same trace of Perfetto, against a second reading
# of twenty lines, and against the times that the generator put in.
# shellcheck disable=SC2016,SC2094,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

is() { # GOT WANT
	[ "$1" = "$2" ] || { echo "got '$1', want '$2'" >err && false; }
}
# The columns of a report, by their names.
columns() { # FILE KEY COLUMN...
	tm-top -q --csv -n 0 --by "$2" "$1" 2>err | tr -d '\r' | awk -F , -v want="${*:3}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, name, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' | LC_ALL=C sort
}

for form in atrace old page new cpus; do
	"$GEN/systrace" --n 40 $form >$form
	columns $form function function calls self_ns total_ns >$form.calls
done
check 'atrace: the times of calls, waits and runs, 40 frames' is "$(head -n 5 atrace.calls | tr '\n' ' ')" \
	"$(printf '%s\n' 'Frame 40 200000000 480000000' 'Wait 40 80000000 280000000' '[runnable] 40 40000000 40000000' \
		'[running]  400000000 400000000' '[sleeping] 40 160000000 160000000' | LC_ALL=C sort | tr '\n' ' ')"
check 'atrace: loads that overlap, of 20 ms' grep -qx 'load 40 800000000 800000000' atrace.calls
for form in old page new cpus; do
	check "$form: the same" cmp atrace.calls $form.calls
done
"$GEN/perfetto" --n 40 sched >binary
check 'the same trace of Perfetto' cmp <(grep -v ^load atrace.calls) <(columns binary function function calls self_ns total_ns)
check 'threads and their processes' is "$(tm-dump -q atrace | grep -c -e '^thread .* tid=10[12] process=100')" 2
check 'the counter' is "$(tm-dump -q atrace | grep -c -e '^counter value=[0-9]*\.5 ')" 40
check 'clocks' grep -q '^counter [0-9]* name="cpu3.frequency" unit="kHz"' <(tm-dump -q atrace)

# --- a second reading
for form in atrace page cpus; do
	python3 "$SRC/tests/sh/systrace.py" $form >second
	check "$form: calls by a second reading" cmp <(grep -v '^\[cpu\]' second) \
		<(grep -e ^Frame -e ^Wait $form.calls | cut -d ' ' -f 1,2,4)
	check "$form: time on the processor by a second reading" is "$(awk '/^\[cpu\]/ { s += $3 } END { print s }' second)" \
		"$(awk '!/^\[(runnable|sleeping)\]/ && !/^load/ { s += $NF ? $(NF - 1) : 0 } END { print s }' $form.calls)"
done

# --- what is none
"$GEN/systrace" --n 2 odd >odd
tm-dump odd >dump 2>&1
check 'odd: arguments that are not there are counted' grep -q 'note info count=2 "prints and events of the kernel.s trace have another form' dump
check 'odd: other events are counted' grep -q 'note info count=1 "other events of the kernel.s trace were not read' dump
check 'odd: the rest is read' is "$(columns odd function function calls | head -n 1)" 'Frame 2'
printf '# tracer: nop\n#\n' >none
check 'a trace without events' eval '! tm-dump none >dump 2>err && grep -q "no line of the kernel" err'
exit $failed
