#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
#
# Messages of tm-record that say what to do, followed as they are printed: the option, the command or the file that the
# message names is taken out of it, and then there is what was missing. tests/packages/roots.sh follows those that need
# another root, and those of .ci/deps are in tests/sh/deps.sh.
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/nobody.bash
. "$SRC/tests/nobody.bash"
CC=${CC:-cc}
lib=$BIN/../lib

cat >game.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void *load(size_t n)
{
	void *volatile p = malloc(n);
	return p;
}
__attribute__((noinline)) static void *level(size_t n)
{
	void *volatile p = load(n);
	return p;
}
int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 10;

	if (argc > 2 && !fork()) {
		load(4321);
		exit(0);
	}
	for (int i = 0; i < turns; i++) {
		level(1234);
		if (turns > 10)
			usleep(10000);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
C
$CC -g -O1 -fno-omit-frame-pointer -Wl,--build-id game.c -o game || exit 1
said() { grep -Eq -e "$1" err; }
# The words of err that the expression's parentheses take.
out_of_it() { sed -nE "s|.*$1.*|\\1|p" err | head -n 1; }
blocks() { tm-dump -q "$1" 2>/dev/null | grep -c "^alloc.*requested=$2 "; }
refused() { # WHAT WORDS OPTIONS...
	local what=$1 words=$2

	shift 2
	rm -f x.tmt
	tm-record -o x.tmt "$@" >out 2>err
	check "$what: $words" eval '[ $? = 3 ] || said "$words"'
	check "... that is said" said "$words"
}
record() { # OPTIONS...
	tm-record -o x.tmt "$@" >out 2>err
}

# --- what is said of a recording

record -- ./game
line=$(out_of_it 'the trace is in x\.tmt; to view it: (tracemill view .*)$')
check "the last line is typed: $line" eval '$line --query "top --by site" >out && grep -q "load.*game.c" out'

record -- ./game 10 child
option=$(out_of_it 'are not in the trace: record them with (--[a-z-]+)')
check 'processes that it started are not in the trace' said 'are not in the trace'
record "$option" -- ./game 10 child
check "... $option: they have traces" [ "$(cat x.game.*.tmt | tm-dump -q - 2>/dev/null | grep -c 'requested=4321 ')" = 1 ]

if [ "$(uname -m)" = x86_64 ]; then
	$CC -g -O1 -fomit-frame-pointer game.c -o nofp
	record --stacks fp -- ./nofp
	option=$(out_of_it '\((--stacks [a-z]+) does not\)')
	# shellcheck disable=SC2086 # two words
	record ${option:-none} -- ./nofp
	check "--stacks fp would cut stacks short; $option does not" \
		grep -q 'main;level;load' <(tm-top -q --by stack --csv x.tmt)
	check '... and says so no more' eval '! said "cut its stacks"'
fi

for kind in musl 32; do
	case $kind in
	musl) compiler=musl-gcc ;;
	32) compiler=i686-linux-gnu-gcc ;;
	esac
	if [ ! -f "$lib/$kind/libtracemill-capture.so" ] || ! $compiler -g game.c -o $kind 2>err || ! ./$kind 2>err; then
		echo "skip - a program of $kind (no $compiler, a build without that library, or a system that does not run it)"
		continue
	fi
	mkdir -p alone/bin alone/lib
	cp "$BIN/tm-record" alone/bin/
	cp "$lib/libtracemill-capture.so" alone/lib/
	alone/bin/tm-record -o x.tmt -- ./$kind 2>err
	option=$(out_of_it 'name one that is built for [a-z]+ with (--[a-z]+)')
	check "$kind, without its library: ${option:-no option}" [ -n "$option" ]
	alone/bin/tm-record "$option" "$lib/$kind/libtracemill-capture.so" -o x.tmt -- ./$kind 2>err
	check '... which is given, and it is recorded' [ "$(blocks x.tmt 1234)" = 10 ]
done

$CC -static game.c -o static 2>err || echo "skip - a static program (no static C library)"
if [ -f static ]; then
	record -- ./static
	archive=$(out_of_it 'link ([a-z-]+\.a) into it')
	# The page has the words for the linker.
	words=$(sed -n 's/^\.Fl \(Wl,--wrap=.*\)/-\1/p' "$SRC/man/tm-record.1")
	check "a static program: link $archive" [ -n "$archive" ]
	# shellcheck disable=SC2086
	check "... with $words: it links" $CC -static -o static game.c $words "$lib/$archive" -lm
	record -- ./static
	check '... and is recorded' [ "$(blocks x.tmt 1234)" = 10 ]
fi

cp game changes && chmod u+s changes
record -- ./changes
check 'a setuid program: record a copy' said 'changes its user or group .*; record a copy'
cp changes copy
record -- ./copy
check '... which is recorded' [ "$(blocks x.tmt 1234)" = 10 ]

# --- names

objcopy --only-keep-debug game game.debug && objcopy --strip-all game stripped
id=$(readelf -n game | sed -n 's/.*Build ID: //p')
install -D game.debug "kept/.build-id/${id:0:2}/${id:2}.debug"
record -- ./stripped
option=$(out_of_it 'the folder of its symbols to (tm-symbolize --[a-z-]+)')
check "no names: their folder to $option" [ -n "$option" ]
check '... which is given' eval '$option kept x.tmt >y.tmt 2>err && tm-top -q --csv y.tmt | grep -q "load"'

# --- nothing was recorded

printf 'int main(void) { return 0; }\n' >none.c
$CC -o none none.c
record -- ./none
program=$(out_of_it '\(check the binary with (tm-[a-z]+)\)')
check "no allocation was recorded: $program tells" eval '"$program" ./none >out 2>err && [ -s out ]'

# --- Go

if command -v go >/dev/null; then
	cat >heap.go <<'GO'
package main

import (
	"os"
	"runtime/pprof"
)

var kept [][]byte

//go:noinline
func loadLevel() {
	for i := 0; i < 64; i++ {
		kept = append(kept, make([]byte, 1<<20))
	}
}

func main() {
	loadLevel()
	f, _ := os.Create("heap.pb.gz")
	pprof.WriteHeapProfile(f)
	f.Close()
}
GO
	HOME=$PWD GOFLAGS=-mod=mod GOCACHE=$PWD/cache go build -ldflags=-linkmode=external -o heap heap.go >err 2>&1 ||
		HOME=$PWD GOCACHE=$PWD/cache go build -o heap heap.go >err 2>&1
	record -- ./heap
	line=$(out_of_it 'pprof records it .*, and (tracemill [a-z]+) reads')
	check "a Go program: its own profiler records it, ${line:-nothing} reads that" eval '$line -q heap.pb.gz >out 2>err && grep -q "main.loadLevel" out'
else
	echo "skip - a Go program (no go)"
fi

# --- Lua

# What is live at the end: 40 strings of 10,000 letters, which string.rep makes for keep. The printed line has an argument
# with a blank and a quote in it.
cat >keep.lua <<'LUA'
kept = {}
function keep(i) kept[i] = string.rep("x", 10000 + i) end
for i = 1, 40 do keep(i) end
os.exit(arg[2] == "it's a word" and 0 or 7, true)
LUA
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	if ! command -v $lua >/dev/null || [ ! -f "$lib/$lua/tracemill.so" ]; then
		echo "skip - a script of $lua (it or its module is not there)"
		continue
	fi
	record -- $lua keep.lua first "it's a word"
	line=$(out_of_it 'this records those of the script: (.*)$')
	rm -f keep.lua.tmt
	check "$lua runs Lua: ${line:-no line}" eval "$line"
	check '... and its functions are ranked, not those that Lua has' \
		eval '[ "$(tm-top -q --csv --table live keep.lua.tmt | sed -n "2s/,.*keep,.*/ keep/p")" ] && ! tm-top -q --csv keep.lua.tmt | grep -q string.rep'
done

# --- Python: 20,000 strings of their own, which its arenas hold

python=$(for p in /usr/bin/python3.[0-9] /usr/bin/python3.[0-9][0-9]; do [ -x "$p" ] && echo "$p"; done | tail -n 1)
allocations() { tm-top -q --as json "$1" | jq '[.sections[] | select(.name == "top").rows[].count] | add'; }
if [ -n "$python" ] && command -v jq >/dev/null; then
	echo 'kept = [str(i) + "it is" for i in range(20000)]' >"kept it's.py"
	record -- "$python" "kept it's.py"
	line=$(out_of_it 'this records them: (.*)$')
	cp x.tmt without.tmt
	check "$python runs Python: ${line:-no line}" eval "${line/tracemill run/tm-record -q -o with.tmt}"
	check '... and its strings are recorded' eval '[ $(($(allocations with.tmt) - $(allocations without.tmt))) -ge 20000 ]'
else
	echo "skip - a script of Python (no python3, or no jq)"
fi

# --- a process that runs

if [ "$(uname -m)" != x86_64 ]; then
	echo "skip - attaching (x86-64 only)"
	exit $failed
fi
alive() { # PROGRAM...
	"$@" 3000 >/dev/null 2>&1 &
	pid=$!
	sleep 0.3
}
alive ./game
kill -STOP $pid
sleep 0.1
tm-record --pid $pid --duration 1 -o x.tmt >out 2>err
line=$(out_of_it 'let it go on first \((kill -CONT)\)')
check "a process that is stopped: $line" [ -n "$line" ]
$line $pid
tm-record --pid $pid --duration 1 -o x.tmt >out 2>err
check '... and it is recorded' [ "$(blocks x.tmt 1234)" -gt 10 ]
if [ "$(id -u)" = 0 ]; then
	folder=$(nobody_folder tm-record)
	mkdir "$folder/lib" && cp "$lib/libtracemill-capture.so" "$folder/lib/" && chmod -R a+rX "$folder"
	(cd "$folder" && as_nobody ./bin/tm-record --pid $pid --duration 1 -o /tmp/never.tmt) >out 2>err
	check "another user's process: that user or root may" said "that user or root may attach"
	tm-record --pid $pid --duration 1 -o x.tmt >out 2>err
	check '... root does' [ "$(blocks x.tmt 1234)" -gt 10 ]
	rm -rf "$folder" /tmp/never.tmt
else
	echo "skip - another user's process (needs root)"
fi
kill $pid
wait $pid 2>/dev/null || :
for kind in musl 32; do
	if [ ! -x ./$kind ] || ! ./$kind 1 2>/dev/null; then
		continue
	fi
	alive ./$kind
	tm-record --pid $pid --duration 1 -o x.tmt >out 2>err
	check "a process of $kind: it is recorded from its start" said 'it is recorded from its start'
	kill $pid
	wait $pid 2>/dev/null || :
	record -- ./$kind
	check '... and is' [ "$(blocks x.tmt 1234)" = 10 ]
done
exit $failed
