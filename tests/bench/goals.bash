# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What run.sh, symbolize.sh and record.sh share: figures beside their goals, marked where they are missed,
# and kept as lines "NAME<tab>VALUE<tab>LIMIT" of build/goals/BENCH for baseline.sh. A name with " / " is
# a ratio, which another machine has much the same.

# goals_begin BENCH: its figures are measured anew.
goals_begin() {
	goals=$SRC/build/goals/$1
	mkdir -p "${goals%/*}"
	: >"$goals"
	: >"$goals.shown"
}

# goal NAME VALUE [LIMIT]: LIMIT as "<= 0.15"; none: kept for the baseline only. VALUE may be empty: not measured.
goal() {
	[ -n "$2" ] || return 0
	printf '%s\t%s\t%s\n' "$1" "$2" "${3-}" >>"$goals"
	[ -n "${3-}" ] || return 0
	awk -v name="$1" -v value="$2" -v limit="$3" 'BEGIN {
		split(limit, l, " ")
		met = l[1] == "<=" ? value + 0 <= l[2] + 0 : l[1] == "<" ? value + 0 < l[2] + 0 : value + 0 >= l[2] + 0
		printf "- %s: %s (goal: %s)%s\n", name, value, limit, met ? "" : " MISSED"
	}' >>"$goals.shown"
}

# Lines "NAME<tab>VALUE<tab>LIMIT" of a program's.
goal_lines() {
	local name value limit

	while IFS=$'\t' read -r name value limit; do
		goal "$name" "$value" "$limit"
	done
}

# part OVER UNDER: their ratio; empty where one of them is.
part() {
	[ -z "$1" ] || [ -z "$2" ] || awk -v a="$1" -v b="$2" 'BEGIN { if (b) printf "%.3f", a / b }'
}

# goals_end: all of them, below the tables.
goals_end() {
	[ ! -s "$goals.shown" ] || { echo && cat "$goals.shown"; }
	rm -f "$goals.shown"
}
