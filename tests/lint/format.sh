#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# All C, C++ and headers are as clang-format leaves them (make fmt).
set -u
cd "$SRC" || exit 1

files=$(find cmd lib formats tests testdata -name '*.[ch]' -o -name '*.cpp' | sort)
# shellcheck disable=SC2086
if ! out=$(clang-format --dry-run --Werror $files 2>&1); then
	echo "$out" | grep error: | cut -d: -f1,2 | sort -u | head -n 40 | sed 's/^/  /'
	echo "not ok - format: make fmt repairs it"
	exit 1
fi
echo "ok - format: $(echo "$files" | wc -l) files"
