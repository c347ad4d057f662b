#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tests/fuzz/campaign.sh run SECONDS    fuzzes all targets until that much CPU time is spent
# tests/fuzz/campaign.sh table          what all runs so far came to, a line for each target
# tests/fuzz/campaign.sh minimise      inputs worth checking in, into build/minimised
#
# (make fuzz-all, fuzz-table and fuzz-minimise build the targets and set the environment up.)
#
# Targets get slices of SLICE seconds (120), JOBS of them at a time (1), the one that had the least
# time next; a shallow target and one that still finds new edges count as having had half of theirs.
# Every slice that ended is a line in build/fuzz.tsv, so a run can be stopped at any time and the
# next goes on from there: corpora grow in build/corpus/NAME. TARGETS="a b" fuzzes only these.
#
# A finding ends its slice. It is known by the kind of report and its first three functions of ours:
# one input for each is kept, build/crashes/NAME-KEY with NAME-KEY.log beside it, and more of the
# same are counted only. What is too slow or too large only because the machine is busy (it ends
# when it is tried alone with 10 s of CPU time) is no crash.
#
# What minimise leaves has reached what no input checked in does: up to 4 KB each and SHARE bytes
# (48,000) for a target, the smallest first.
set -u

: "${SRC:?is set by make fuzz-all}" "${BUILD:?}" "${DATA:?}"
cd "$SRC" || exit 2
programs=$BUILD/tests/fuzz
ledger=build/fuzz.tsv
slice=${SLICE:-120}
jobs_max=${JOBS:-1}
# Without its path only AddressSanitizer finds it.
symbolizer=external_symbolizer_path=$(command -v llvm-symbolizer-19)
export ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1:$symbolizer
export UBSAN_OPTIONS=print_stacktrace=1:$symbolizer

targets=()
for f in $(sh tests/fuzz/targets.sh); do
	[[ -n ${TARGETS-} && " $TARGETS " != *" $f "* ]] || targets+=("$f")
done

# The columns: when, target, CPU seconds, executions, edges, inputs in the corpus, end. The end is
# "-", or the key of a finding.
header=$'ended\ttarget\tseconds\texecutions\tedges\tcorpus\tend'

seeds() { # $1: target; what is checked in and what testdata made
	local folder

	for folder in "tests/fuzz/corpus/$1" "$DATA/corpus/$1"; do
		[ ! -d "$folder" ] || echo "$folder"
	done
}

# Kind and first functions of a report, as letters: what makes two findings the same.
key_of() { # $1: log
	local kind frames

	kind=$(sed -n 's/^SUMMARY: [A-Za-z]*: \([A-Za-z-]*\).*/\1/p; s/.*runtime error: \([a-z]* [a-z]*\).*/\1/p' "$1" |
		head -n 1)
	frames=$(sed -n 's/^ *#[0-9]* 0x[0-9a-f]* in \([^ ]*\) .*/\1/p' "$1" | awk '
		/^(__|fuzzer::|abort$|raise$|gsignal$|malloc$|calloc$|realloc$|free$|mem_)/ { next }
		n < 3 && $0 != last { printf "%s%s", n++ ? "-" : "", last = $0 }')
	printf '%s' "${kind:-unknown}-${frames:-nowhere}" | tr -c 'A-Za-z0-9_-' _ | cut -c 1-120
}

# Only slow while others run: it ends by itself within ten seconds of its own time.
only_slow() { # $1: target, $2: input
	(ulimit -t 10 && "$programs/fuzz_$1" -timeout=300 "$2") >/dev/null 2>&1
}

# One slice of a target; a line for the ledger.
fuzz_slice() { # $1: target, $2: seconds
	local name=$1 work=build/fuzzing/$1 options=() key='-' spent found status
	local TIMEFORMAT='%U %S' dictionary=tests/fuzz/dict/$1.dict

	rm -rf "$work"
	mkdir -p "$work/found" "build/corpus/$name" build/crashes
	[ ! -f "$dictionary" ] || options+=("-dict=$dictionary")
	mapfile -t folders < <(seeds "$name")
	{
		time timeout -k 10 $(($2 * 2 + 600)) nice -n 19 "$programs/fuzz_$name" \
			-max_total_time="$2" -timeout=60 -rss_limit_mb=1500 -reload=0 -print_final_stats=1 \
			-artifact_prefix="$work/found/" ${options[@]+"${options[@]}"} "build/corpus/$name" \
			${folders[@]+"${folders[@]}"} >"$work/log" 2>&1
		status=$?
	} 2>"$work/time"
	spent=$(awk '{ printf "%d", $1 + $2 + 1 }' "$work/time")
	found=$(find "$work/found" -type f -print -quit)
	if [ -n "$found" ] && ! { [[ $found == */timeout-* || $found == */slow-* ]] && only_slow "$name" "$found"; }; then
		key=$(key_of "$work/log")
		if [ ! -e "build/crashes/$name-$key" ]; then
			mv "$found" "build/crashes/$name-$key"
			cp "$work/log" "build/crashes/$name-$key.log"
			echo "finding: build/crashes/$name-$key" >&2
		fi
	elif [ -z "$found" ] && [ $status -ne 0 ] && [ $status -ne 72 ]; then # 72: interrupted
		key=no-input-$status
		cp "$work/log" "build/crashes/$name-$key.log"
		echo "no end, no input (status $status): build/crashes/$name-$key.log" >&2
	fi
	awk -v name="$name" -v spent="$spent" -v key="$key" -v now="$(date -u +%FT%TZ)" '
		/^#[0-9]+/ {
			n = substr($1, 2) + 0
			for (i = 2; i < NF; i++) {
				if ($i == "cov:") edges = $(i + 1)
				if ($i == "corp:") { split($(i + 1), part, "/"); inputs = part[1] }
			}
		}
		/^stat::number_of_executed_units:/ { n = $2 }
		END { OFS = "\t"; print now, name, spent, n + 0, edges + 0, inputs + 0, key }' "$work/log"
	rm -rf "$work"
}

# The target that had the least for what it deserves; $1: those that run, between spaces.
next_target() {
	printf '%s\n' "${targets[@]}" | awk -F '\t' -v running=" $1 " '
		FILENAME == "-" { names[++n] = $1; next }
		FNR > 1 {
			had[$2] += $3 + 10 # one that ends at once does not come again at once
			grew[$2] = $5 > edges[$2]
			if ($5 > edges[$2]) edges[$2] = $5
		}
		END {
			for (i = 1; i <= n; i++) {
				name = names[i]
				if (index(running, " " name " ")) continue
				share = had[name] / ((edges[name] < 300 ? 2 : 1) * (grew[name] ? 2 : 1))
				if (best == "" || share < least) { best = name; least = share }
			}
			print best
		}' "$ledger" -
}

# $1: a line of the ledger before which the run began; the CPU seconds since.
spent_since() {
	awk -F '\t' -v from="$1" 'NR > from { sum += $3 } END { print sum + 0 }' "$ledger"
}

# Slices that were begun are ended, and recorded.
stop() {
	local pid

	trap - INT TERM
	for pid in $(jobs -p); do
		pkill -TERM -P "$pid"
	done
	wait
	exit 130
}

run() { # $1: CPU seconds
	local from name pid left length

	mkdir -p build/fuzzing build/crashes
	[ -f "$ledger" ] || echo "$header" >"$ledger"
	from=$(wc -l <"$ledger")
	trap stop INT TERM
	declare -A of=()
	while :; do
		left=$(($1 - $(spent_since "$from") - slice * ${#of[@]}))
		if ((left > 0 && ${#of[@]} < jobs_max)); then
			name=$(next_target "${of[*]-}")
			if [ -n "$name" ]; then
				length=$((left < slice ? left : slice))
				fuzz_slice "$name" "$length" >>"$ledger" &
				of[$!]=$name
				continue
			fi
		fi
		((${#of[@]})) || break
		wait -n -p pid "${!of[@]}"
		unset "of[$pid]"
	done
}

table() {
	[ -f "$ledger" ] || {
		echo "no run yet: make fuzz-all TIME=SECONDS" >&2
		exit 1
	}
	awk -F '\t' '
		NR == 1 { next }
		{
			names[$2]
			seconds[$2] += $3
			executions[$2] += $4
			if ($5 > edges[$2]) edges[$2] = $5
			corpus[$2] = $6
			if ($7 != "-" && !seen[$2, $7]++) findings[$2]++
		}
		END {
			for (name in names)
				printf "%s\t%d\t%d\t%d\t%d\t%d\n", name, seconds[name], executions[name],
					edges[name], corpus[name], findings[name]
		}' "$ledger" | sort | awk -F '\t' '
		BEGIN {
			row = "%-16s %9s %13s %8s %8s %9s\n"
			printf row, "target", "CPU s", "executions", "edges", "inputs", "findings"
		}
		{
			printf row, $1, $2, $3, $4, $5, $6
			seconds += $2; executions += $3; findings += $6
		}
		END { printf row, NR " targets", seconds, executions, "", "", findings }'
}

minimise() {
	local name out file size sum kept

	for name in "${targets[@]}"; do
		[ -d "build/corpus/$name" ] || continue
		out=build/minimised/$name
		rm -rf "$out" "$out.part"
		mkdir -p "$out.part"
		mapfile -t folders < <(seeds "$name")
		# The first folder gets what the others have beyond it: it starts as what is checked in.
		if [ -d "tests/fuzz/corpus/$name" ]; then
			cp "tests/fuzz/corpus/$name"/* "$out.part/"
		fi
		nice -n 19 "$programs/fuzz_$name" -merge=1 -max_len=4096 -timeout=60 -rss_limit_mb=1500 \
			-artifact_prefix=build/crashes/minimise- "$out.part" "build/corpus/$name" \
			${folders[@]+"${folders[@]}"} >"build/minimised/$name.log" 2>&1 || {
			echo "minimise: $name failed: build/minimised/$name.log" >&2
			rm -rf "$out.part"
			continue
		}
		[ ! -d "tests/fuzz/corpus/$name" ] || for file in "tests/fuzz/corpus/$name"/*; do
			rm -f "$out.part/${file##*/}"
		done
		mkdir -p "$out"
		sum=0 kept=0
		while read -r size file; do
			((sum + size <= ${SHARE:-48000})) || break
			mv "$file" "$out/"
			sum=$((sum + size)) kept=$((kept + 1))
		done < <(find "$out.part" -type f -printf '%s %p\n' | sort -n)
		rm -rf "$out.part" "build/minimised/$name.log"
		echo "$name: $kept inputs, $sum bytes"
	done
}

case ${1-} in
run)
	[[ ${2-} =~ ^[1-9][0-9]*$ ]] || {
		echo 'usage: make fuzz-all TIME=SECONDS (of CPU time) [SLICE=120] [JOBS=1] [TARGETS="a b"]' >&2
		exit 2
	}
	run "$2"
	table
	;;
table) table ;;
minimise) minimise ;;
*)
	echo "usage: $0 run SECONDS|table|minimise" >&2
	exit 2
	;;
esac
