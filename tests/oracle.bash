#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tests/oracle.bash ORACLE BIN [LISTS]
#
# Runs the independent oracle ORACLE/run on the programs in BIN and judges its failures by two lists,
# tests/oracle-open and tests/oracle-wrong (LISTS: their folder). A line of a list begins with a case
# (family/case) or a family. Blank lines and lines that begin with # are left out.
#   oracle-open   the rest of the line is the title of the open issue that will turn the case green
#   oracle-wrong  the rest of the line says why the oracle is wrong, and which third way proves that
# A line of oracle-wrong that begins with family/case-* is about one check of cases that the seed draws:
# the check stands in "quotes" before the reason, as the oracle prints it, and no other is excused. On some
# days none of them is drawn: only such a line is never stale. A line about a case may have a check, too.
# A failure that no list names is a failure here. A line of which no case failed is one, too: it is
# stale and has to go. A failure that a list names is printed and counts as skipped.
#
# The seed is ORACLE_SEED, else the day of the newest commit, so that the cases of a commit do not
# change between two runs. The last line is "N passed, N failed, N skipped"; build/summary gets it, too.
set -u
oracle=${1:?ORACLE BIN} bin=${2:?ORACLE BIN}
tests=$(cd "$(dirname "$0")" && pwd)
lists=${3:-$tests}

summary() { # $1: passed, $2: failed, $3: skipped
	echo "$1 passed, $2 failed, $3 skipped"
	[ -z "${SUMMARY-}" ] || echo "$1 passed, $2 failed, $3 skipped" >>"$SUMMARY"
	[ "$2" = 0 ]
	exit
}

if [ ! -x "$oracle/run" ]; then
	echo "skip - the oracle is not here: $oracle/run"
	summary 0 0 1
fi
seed=${ORACLE_SEED:-$(($(git -C "$tests" log -1 --format=%ct) / 86400))}
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
"$oracle/run" "$bin" --seed "$seed" ${ORACLE_ONLY:+--only "$ORACLE_ONLY"} >"$out" 2>&1
status=$?
grep -v '^FAIL ' "$out"

awk -v status="$status" -v only="${ORACLE_ONLY-}" -v open="$lists/oracle-open" -v wrong="$lists/oracle-wrong" '
	function read(file, kind,   line, name) {
		while ((getline line <file) > 0) {
			if (line ~ /^[ \t]*(#|$)/)
				continue
			name = line
			sub(/[ \t].*/, "", name)
			sub(/^[^ \t]+[ \t]*/, "", line)
			if (line == "") {
				print "not ok - " file ": " name ": no reason follows"
				failed++
			}
			if (name ~ /-\*$/) {
				if (line !~ /^"[^"]+"[ \t]*[^ \t]/ || file != wrong) {
					print "not ok - " file ": " name ": a \"check\" and the reason follow, in oracle-wrong"
					failed++
					continue
				}
				split(line, parts, "\"")
				name = name ": " parts[2]
				drawn[name] = 1
			} else if (file == wrong && line ~ /^"[^"]+"[ \t]*[^ \t]/) {
				split(line, parts, "\"")
				name = name ": " parts[2]
			}
			why[name] = kind ": " line
			lines[++n] = name
		}
		close(file)
	}
	BEGIN {
		read(open, "open")
		read(wrong, "the oracle is wrong")
	}
	/^FAIL / {
		name = $2
		sub(/:$/, "", name)
		family = name
		sub(/\/.*/, "", family)
		text = substr($0, index($0, ": ") + 2)
		sub(/;.*/, "", text)
		check = name
		sub(/[0-9]+$/, "*", check)
		check = check ": " text
		line = check in drawn ? check : name ": " text in why ? name ": " text : name in why ? name : family in why ? family : ""
		if (line == "") {
			print "not ok - " substr($0, 6)
			failed++
		} else {
			red[line]++
			skipped++
		}
	}
	/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
		passed = $1
		skipped += $5
		ended = 1
	}
	END {
		if (!ended) {
			print "not ok - the oracle did not end as it should: status " status
			failed++
		}
		for (i = 1; i <= n; i++)
			if (red[lines[i]])
				print "skip - " lines[i] ": " red[lines[i]] " checks fail (" why[lines[i]] ")"
			else if (!(lines[i] in drawn) && (only == "" || lines[i] == only || index(lines[i], only "/") == 1)) {
				print "not ok - " lines[i] ": the line is stale: nothing failed (" why[lines[i]] ")"
				failed++
			}
		print passed + 0, failed + 0, skipped + 0 >"/dev/stderr"
	}' "$out" 2>"$out.sums"
read -r passed failed skipped <"$out.sums"
rm -f "$out.sums"
summary "${passed:-0}" "${failed:-1}" "${skipped:-0}"
