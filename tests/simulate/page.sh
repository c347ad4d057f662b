#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The tables of tracemill-gate(7), from judge.txt: printed; --write puts them into the page.
set -eu
cd "$(dirname "$0")/../.."

# Two tables of one line per noise and number of runs: what healthy pairs end with, and what is found of growth.
tables() {
	awk '
	/:/ && $1 != "noise" {
		broken += / not kept/
		sub(/ *not kept.*/, "")
		gsub(/[(),]/, " ")
		$0 = $0
		key = sprintf("%-8s %5s", $1, $2)
		if (!(key in seen)) {
			seen[key] = 1
			keys[++n] = key
		}
		split($2, runs, ":")
		both[key] = runs[1] == runs[2]
		healthy[key] = healthy[key] sprintf("  %4.1f %4.1f", $4, $5)
		each = !both[key] ? 1 : $3 == 1 ? 2 : 3
		found[key] = found[key] sprintf("  %3d %3d %3d", $6, $(6 + each), $(6 + 2 * each))
		passed += $(6 + 3 * each + 1)
	}
	END {
		print ".Bd -literal -compact"
		print "                    sites: 1          20         200         500"
		print "noise     runs  fail unsure"
		for (i = 1; i <= n; i++)
			print keys[i] healthy[keys[i]]
		print ".Ed"
		print ".Pp"
		print "Percent of pairs in which growth of one site by 5, 10 and 50 % is found:"
		print ".Bd -literal -compact"
		print "                sites: 1           20          200          500"
		for (i = 1; i <= n; i++)
			if (both[keys[i]])
				print keys[i] found[keys[i]]
		print ".Ed"
		printf "If the site grew to ten times its size, and both sides have it, %s passed.\n",
			passed ? passed " pairs" : "no pair"
	}' tests/simulate/judge.txt
}

if [ "${1:-}" != --write ]; then
	tables
	exit
fi
page=man/tracemill-gate.7
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
	sed '/^\.\\" tables of/q' $page
	tables
	sed -n '/^\.\\" end of tables/,$p' $page
} >"$new"
cat "$new" >$page
