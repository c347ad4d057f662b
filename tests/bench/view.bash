#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Rows of run.sh for tm-view: the seconds of loading and of questions about BENCH_VIEW (10000000) events
# over 100,000 stacks in 1,000 frames; of each question the middle of its runs, and the seconds of the
# processor that they took. The first question about all of the capture waits for its sums. Then how long the tasks of its
# page take, where Chromium is installed.

view_events=${BENCH_VIEW:-10000000}

view_ask() { # QUESTION: seconds, and seconds of the processor, behind those before
	local before after from=$EPOCHREALTIME answer

	before=$(awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$view_pid/stat")
	echo "$1 --as json" >&"${view[1]}"
	read -r -u "${view[0]}" answer
	after=$(awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$view_pid/stat")
	case $answer in *'"exit":0,'*) ;; *)
		say "$1: ${answer:0:300}"
		return 1
		;;
	esac
	echo "$EPOCHREALTIME $from $before $after $(getconf CLK_TCK)" |
		awk '{ print $1 - $2, ($4 - $3) / $5 }' >>samples
}

view_row() { # NAME QUESTION
	: >samples
	for ((i = 0; i < runs; i++)); do
		view_ask "$2" || return 0
	done
	sort -n samples | awk -v name="$1" '{ wall[NR] = $1; cpu[NR] = $2 }
		END { m = int((NR + 1) / 2); printf "%-52s %8.3f %8.3f\n", name, wall[m], cpu[m] }'
}

view_rows() {
	local from name=tm-view

	case $name in *"$only"*) ;; *) return ;; esac
	for n in 1 2; do
		make_input view$n.tmt "$GEN/trace" --seed $n --allocs "$view_events" --live 100000 --stacks 100000 \
			--frames 1000 --rich 1
	done
	from=$EPOCHREALTIME
	coproc view { exec tm-view -q --no-symbols --lines view1.tmt view2.tmt 2>view.err; }
	view_pid=$view_PID
	printf '%-52s %8s %8s\n' 'tm-view' seconds processor
	: >samples
	view_ask 'top --table top view1.tmt'
	echo "$EPOCHREALTIME $from" | awk '{ printf "%-52s %8.3f\n", "two files, and the first answer", $1 - $2 }'
	view_ask 'top --table top view2.tmt'
	view_row 'every metric, one filter' 'top --metrics all --focus Class7 --table top view1.tmt'
	view_row '  by function' 'top --by function --metrics all --focus Class7 --table top view1.tmt'
	view_row '  by type and site' 'top --by type,site --metrics all --focus Class7 --table top view1.tmt'
	view_row 'a hundred frames' 'top --frame 400..499 --table top view1.tmt'
	view_row 'ten frames' 'top --frame 400..409 --table top view1.tmt'
	view_row 'two files compared' 'compare --table changes view1.tmt view2.tmt'
	view_row 'two ranges compared' 'compare --base-frame 100..199 --new-frame 700..799 --table changes view1.tmt'
	view_row 'peak, temporary, lifetime of half of the time' \
		"top --metrics peak-real,temporary,lifetime --time $((view_events / 4000000 + 1))s..$((view_events * 3 / 4000000))s --table top view1.tmt"
	view_row 'frames' 'frames --table frames view1.tmt'
	eval "exec ${view[1]}>&-"
	wait "$view_pid"
	if command -v chromium >/dev/null; then
		make_input stacks.tmt "$GEN/trace" --seed 5 --allocs 400000 --live 1000 --stacks 200000 --frames 3
		python3 "$SRC/tests/bench/page.py" chromium "$SRC" stacks.tmt
	else
		say "tm-view's page: no Chromium is here"
	fi
}
view_rows
