#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 3000
#
# clang-tidy with .clang-tidy's checks. A file whose preprocessed text has passed before is not
# looked at again. `tidy.sh FILE...` looks at some files and prints only what is wrong.
#
# The analyzer's walk through a function ends after TIDY_NODES states. A tenth of its default and a choice of files (those of
# the newest commits, 80 at most, and a tenth of all each day: tests/run) keep CI within its hour; DAYS=all looks at all files, and
# `make lint-deep` has the default (225000), too.
set -u
cd "$SRC" || exit 1
cache=build/lint/tidy
# lib/recorder/lua is looked at with the headers of one Lua; libpq and Mono have folders of their own.
export TIDY_HEADERS=${TIDY_HEADERS-$(pkg-config --cflags lua5.4 2>/dev/null) $(pkg-config --cflags libpq 2>/dev/null) $(pkg-config --cflags mono-2 2>/dev/null)}
read -ra headers <<<"$TIDY_HEADERS"
flags=(-D_GNU_SOURCE '-DTM_VERSION="0"' -I. -Ibuild/made -std=c11 -Wall -Wextra "${headers[@]}")
nodes=${TIDY_NODES:-22500}
mkdir -p "$cache"

flags_of() { # FILE: into own
	own=("${flags[@]}")
	case $1 in
	lib/base/err.c | lib/base/cursor.c) ;;
	*) own+=(-include tests/lint/tidy.h) ;;
	esac
}

# FILE...: of one set of flags
look() {
	flags_of "$1"
	clang-tidy --quiet "$@" -- "${own[@]}" -Xclang -analyzer-config -Xclang "max-nodes=$nodes" 2>/dev/null
}

if [ $# -gt 0 ]; then
	settings=$nodes$(cat .clang-tidy)
	declare -A keys=()
	for f in "$@"; do
		flags_of "$f"
		key=$({
			echo "$settings"
			clang "${own[@]}" -E "$f"
		} 2>&1 | sha256sum)
		[ -e "$cache/${key%% *}" ] || keys[$f]=$cache/${key%% *}
	done
	# All in one process; if one is wrong, each is looked at by itself.
	case " ${!keys[*]} " in
	"  ") exit 0 ;;
	*" lib/base/err.c "* | *" lib/base/cursor.c "*) ;;
	*)
		if look "${!keys[@]}" >/dev/null; then
			touch "${keys[@]}"
			exit 0
		fi
		;;
	esac
	for f in "${!keys[@]}"; do
		if out=$(look "$f"); then
			touch "${keys[$f]}"
		else
			# In one write, so that files do not interleave.
			printf '%s\nnot ok - tidy: %s\n' "$out" "$f"
		fi
	done
	exit 0
fi

mapfile -t all < <(find lib formats cmd -name '*.c' | sort)
files=("${all[@]}")
if [ "${DAYS-}" != all ]; then
	mapfile -t files < <({
		git log -n 30 --name-only --format= -- lib formats cmd 2>/dev/null | grep '\.c$' | awk '!seen[$0]++ && n++ < 80'
		printf '%s\n' "${all[@]}" | awk -v day="$DAY" '(NR + day) % 10 == 0'
	} | sort -u | while read -r f; do [ ! -e "$f" ] || echo "$f"; done)
fi
out=$(printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" -n 8 bash "$SRC/tests/lint/tidy.sh")
if [ -n "$out" ]; then
	echo "$out"
	exit 1
fi
find "$cache" -type f -mtime +7 -delete
echo "ok - tidy: ${#files[@]} files"
[ ${#files[@]} = ${#all[@]} ] || echo "skip - tidy: $((${#all[@]} - ${#files[@]})) of ${#all[@]} files on other days"
