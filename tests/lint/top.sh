#!/bin/bash
# SPDX-License-Identifier: MIT
#
# top.sh [ROOT]: the top level of the tree holds what is listed here and nothing else, so that a file that somebody
# tried something with is not committed. Files that git does not know are nobody's business.
set -u
cd "${1:-$SRC}" || exit 1

known='.ci .clang-format .clang-tidy .dockerignore .editorconfig .gitignore CONTRIBUTING.md Containerfile LICENSE Makefile NEWS README.md README.zh-CN.md VERSION cmd
	debian docs examples fleet formats lib man python rpm share testdata tests'

{
	if [ -e .git ]; then
		git ls-files
	else
		ls -A
	fi
} | cut -d/ -f1 | sort -u | awk -v known="$known" '
	BEGIN {
		count = split(known, names)
		for (i = 1; i <= count; i++)
			listed[names[i]] = 1
		listed["build"] = 1
	}
	!($0 in listed) {
		printf "  %s: not listed in tests/lint/top.sh\n", $0
		bad++
	}
	END {
		if (bad || !NR)
			printf "not ok - top level: %d of %d names are not listed\n", bad, NR
		else
			printf "ok - top level: %d names\n", NR
		exit bad > 0 || !NR
	}'
