#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tracemill run takes tm-top's options: what it prints is what tm-top prints of the trace with the same options. Which
# options these are is read from tm-top's own --help.
set -u
: "${SRC:?}"

cat >game.c <<'C'
#include <stdlib.h>
void *kept[100];
void update(int i) { kept[i] = malloc(64); }
void render(void) { free(malloc(1000)); }
int main(void)
{
	for (int i = 0; i < 100; i++) {
		update(i);
		render();
	}
	return 0;
}
C
"${CC:-cc}" -g -O1 -fno-inline -fno-builtin game.c -o game || exit 1

# Report and nothing else: -q.
same() {
	local rows=(--top=10)

	case "$*" in *--as* | *--csv*) rows=() ;; esac
	rm -f t.tmt
	tracemill run -q -o t.tmt "$@" ./game 2>got
	tm-top -q --no-pager --callers=3 "${rows[@]}" --width=100 "${@/#--min=?*%/--min=1}" -- t.tmt >want 2>&1
	if [ -s want ] && cmp -s want got; then
		echo "ok - run $*: $(wc -l <want) lines"
	else
		echo "not ok - run $*"
		diff want got | head -n 6 | sed 's/^/# /'
	fi
}
same
same --by function
same --by type,site
same --sort count -n 1
same --csv
same --as json
same --as markdown --leaks
same --tree --min=1%
same --peek render --sort count
same --focus render --bytes
same -Fi --hide UPDATE
same --table live
same --memory
same --guess-sites=never --metrics count,live
same --size 100.. --width 60

# 100 blocks of 64 bytes stay, of 200.
tracemill run -q -o t.tmt --csv --sort live-requested ./game 2>&1 | tr -d '\r' >got
if grep -q '^1,100,100,6400,[0-9]*,100,6400,' got; then
	echo 'ok - 100 blocks of 64 bytes are live'
else
	echo 'not ok - 100 blocks of 64 bytes are live'
	sed 's/^/# /' got
fi

refused() { # words, options ...
	local words=$1

	shift
	rm -f t.tmt ran
	"$@" >out 2>&1
	if [ $? = 2 ] && grep -qF -- "$words" out && [ ! -e t.tmt ]; then
		echo "ok - refused before the program runs: ${*:1:4}"
	else
		echo "not ok - ${*:1:4}"
		sed 's/^/# /' out
	fi
}
refused "'nothing' is not one of its values" tracemill run -o t.tmt --by nothing ./game
refused "did you mean --cumulative" tracemill run -o t.tmt --cumulativ ./game
refused "is not a number" tracemill run -o t.tmt --callers many ./game
refused "--by is an option of the report" tm-record -o t.tmt --by type ./game

# Every option of tm-top, by its own table, but --format, an old word of the recording's: a trace needs no format.
tm-top --help all | sed -n '/^until the next/q; s/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | grep -oE -e '--[a-z][a-z-]+' | sort -u >options
tracemill run --help all | grep -oE -e '--[a-z][a-z-]+' | sort -u >there
missing=$(grep -vx -e --format options | comm -23 - there | tr '\n' ' ')
if [ "$(wc -l <options)" -gt 50 ] && [ -z "$missing" ]; then
	echo "ok - run --help has $(wc -l <options) options of tm-top"
else
	echo "not ok - run --help has not: $missing"
fi
if tracemill help run | grep -q "of the report.*as in tm-top"; then
	echo 'ok - help run, too'
else
	echo 'not ok - help run'
fi
for shell in bash zsh fish; do
	if tm-record --completion=$shell | grep -q -e guess-sites; then
		echo "ok - $shell completes them"
	else
		echo "not ok - $shell completes them"
	fi
done
