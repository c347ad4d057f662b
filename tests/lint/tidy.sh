#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 3000
#
# clang-tidy with .clang-tidy's checks. A file whose preprocessed text has passed before is not
# looked at again. `tidy.sh FILE` looks at one file and prints only what is wrong.
#
# The analyzer's walk through a function ends after TIDY_NODES states. A fifth of its default keeps CI
# within its hour; `make lint-deep` has the default (225000).
set -u
cd "$SRC" || exit 1
cache=build/lint/tidy
flags=(-D_GNU_SOURCE '-DTM_VERSION="0"' -I. -Ibuild/made -std=c11 -Wall -Wextra)
# lib/recorder/lua is looked at with the headers of one Lua; libpq has a folder of its own.
read -ra lua < <(pkg-config --cflags lua5.4 2>/dev/null)
read -ra libpq < <(pkg-config --cflags libpq 2>/dev/null)
flags+=("${lua[@]}" "${libpq[@]}")
nodes=${TIDY_NODES:-45000}
mkdir -p "$cache"

if [ $# -eq 1 ]; then
	case $1 in
	lib/base/err.c | lib/base/cursor.c) ;;
	*) flags+=(-include tests/lint/tidy.h) ;;
	esac
	key=$({
		echo "$nodes"
		cat .clang-tidy
		clang "${flags[@]}" -E "$1"
	} 2>&1 | sha256sum | cut -d' ' -f1)
	[ -e "$cache/$key" ] && exit 0
	if out=$(clang-tidy --quiet "$1" -- "${flags[@]}" \
		-Xclang -analyzer-config -Xclang "max-nodes=$nodes" 2>/dev/null); then
		touch "$cache/$key"
	else
		# In one write, so that files do not interleave.
		printf '%s\nnot ok - tidy: %s\n' "$out" "$1"
	fi
	exit 0
fi

out=$(find lib formats cmd -name '*.c' | sort | xargs -r -P "$(nproc)" -n 1 bash "$SRC/tests/lint/tidy.sh")
if [ -n "$out" ]; then
	echo "$out"
	exit 1
fi
find "$cache" -type f -mtime +7 -delete
echo "ok - tidy: $(find lib formats cmd -name '*.c' | wc -l) files"
