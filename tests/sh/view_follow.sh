#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-view --follow on the streams that tm-record --serve and --unity write: wherever the file ends when it
# is looked at, answers, messages, status and notes are those of a fresh load of what is there; sessions
# behind one another; what has not grown is not read again; another file in its place is loaded, which is said.
# timeout: 600
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates, and calls functions
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

"$GEN/loli" -n 20000 stream >first.bin 2>/dev/null
"$GEN/loli" -n 5000 -S 2 stream >second.bin 2>/dev/null
cat first.bin second.bin >loli
"$GEN/unity" --tcp swapped --frames 60 >first.tcp 2>/dev/null
"$GEN/unity" --tcp swapped --frames 20 --seed 2 >second.tcp 2>/dev/null
cat first.tcp second.tcp >unity
"$GEN/unity" --frames 20 >raw 2>/dev/null
mkdir fresh

# The door of lines and the one for assistants, on one file each, which is in this folder and in fresh/.
ask() { # TO FROM QUESTION
	echo "$3" >&"$1"
	read -r answer <&"$2"
}
load='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load"}}'
state() { jq -c '.result.structuredContent.loaded.files[0] | del(.growth, .silent_ms, .load_ns)'; }

follow() { # FILE BYTES... -- QUESTION...: it grows to so many bytes, one after the other
	local whole=$1 from=0 cuts=() to q growth=
	shift
	while [ "$1" != -- ]; do
		cuts+=("$1")
		shift
	done
	shift
	rm -f grows
	exec 9>grows # its writer
	head -c "${cuts[0]}" "$whole" >&9
	rm -f to.lines from.lines to.mcp from.mcp
	mkfifo to.lines from.lines to.mcp from.mcp
	tm-view -q --no-symbols --follow --lines grows <to.lines >from.lines 2>lines.err 9>&- &
	tm-view -q --no-symbols --follow --mcp grows <to.mcp >from.mcp 2>mcp.err 9>&- &
	exec 5<>to.lines 6<from.lines 7<>to.mcp 8<from.mcp
	for to in "${cuts[@]}"; do
		[ "$from" = 0 ] || tail -c +$((from + 1)) "$whole" | head -c $((to - from)) >&9
		from=$to
		head -c "$to" "$whole" >fresh/grows
		for q; do
			ask 5 6 "$q"
			echo "$q" | (cd fresh && tm-view -q --no-symbols --lines grows 2>/dev/null) >want
			check "$whole at $to: $q" [ "$answer" = "$(cat want)" ]
		done
		ask 7 8 "$load"
		growth+=$(jq -r .result.structuredContent.loaded.files[0].growth <<<"$answer")/
		echo "$load" | (cd fresh && tm-view -q --no-symbols --mcp grows 2>/dev/null) | state >want
		check "$whole at $to: what is loaded, and its notes" [ "$(state <<<"$answer")" = "$(cat want)" ]
	done
	exec 9>&-
	ask 7 8 "$load"
	check "$whole: it goes on, and has ended: $growth" eval '[[ $growth != *ended* ]] && [ "$(jq -r .result.structuredContent.loaded.files[0].growth <<<"$answer")" = ended ]'
	ask 5 6 "$1"
	echo "$1" | (cd fresh && tm-view -q --no-symbols --lines grows 2>/dev/null) >want
	check "$whole: all of it, with its sums" [ "$answer" = "$(cat want)" ]
	exec 5<&- 6<&- 7<&- 8<&-
	wait
}
size() { stat -c %s "$1"; }
l=$(size first.bin) u=$(size first.tcp)
follow loli 2 11 12 600 65535 65537 $((l / 2)) $((l - 1)) "$l" $((l + 3)) $((l + 900)) "$(size loli)" -- \
	'top --by stack --metrics all' 'export --as folded' 'top --leaks' 'top --memory'
follow unity 30 84 500 65536 70001 $((u / 2)) $((u - 5)) "$u" $((u + 30)) $((u + 90)) "$(size unity)" -- \
	'top --by stack --metrics all' 'frames -n 0' 'spikes'
follow raw 36 64 200 9999 "$(size raw)" -- 'frames -n 0'

# What has not grown is not read again.
"$GEN/loli" -n 300000 stream >big.bin 2>/dev/null
cp big.bin grows
coproc lines { tm-view -q --no-symbols --follow --lines grows 2>lines.err; }
read_bytes() { sed -n 's/^rchar: //p' "/proc/$lines_PID/io"; }
ask "${lines[1]}" "${lines[0]}" 'top -n 1 --as csv'
before=$(read_bytes)
ask "${lines[1]}" "${lines[0]}" 'top -n 1 --as csv'
check "nothing came behind $(size big.bin): $(($(read_bytes) - before)) were read" [ $(($(read_bytes) - before)) -lt $(($(size big.bin) / 50)) ]
end=$lines_PID
eval "exec ${lines[1]}>&-"
wait "$end"

# Replaced, cut, written over.
cp first.bin grows
coproc lines { tm-view --no-symbols --follow --lines grows 2>lines.err; }
ask "${lines[1]}" "${lines[0]}" 'top --by stack --as csv -n 0'
again() { # WHAT: the file is as it is now, and that was said COUNT times
	ask "${lines[1]}" "${lines[0]}" 'top --by stack --as csv -n 0'
	check "$1: loaded again" [ "$(jq -r .answer <<<"$answer")" = "$(tm-top -q --no-symbols --by stack --as csv -n 0 grows 2>/dev/null)" ]
	check "$1: said" [ "$(grep -c 'grows: the file was replaced, cut or overwritten' lines.err)" = "$2" ]
}
cp second.bin other
mv other grows
again 'another file in its place' 1
truncate -s 3000 grows
again 'a file that was cut' 2
cat first.bin >grows
again 'a file that was written over' 3
cp first.tcp other
mv other grows
again 'a file of another format' 4
"$GEN/trace" --seed 6 --allocs 3000 --live 500 --stacks 300 --frames 50 >other
mv other grows
again 'a trace in its place' 5
rm grows
ask "${lines[1]}" "${lines[0]}" 'top -n 1 --as csv'
check 'a file that was removed stays as it was' [ "$(jq .exit <<<"$answer")" = 0 ]
end=$lines_PID
eval "exec ${lines[1]}>&-"
wait "$end"
exit $failed
