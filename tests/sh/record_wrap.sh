#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-record --wrap-at: calls of functions of a program that was compiled as it is. It prints what it prints alone, and each
# function has as many calls as tests/kits/wrap/game.cpp makes: recurse 101, and 4 times 100 times 1 + 2 ... + 10.
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
if [ "$(uname -m)" != x86_64 ] || ! command -v g++ >/dev/null; then
	echo 'skip - wrap: not on x86-64, or no g++'
	exit 0
fi
functions=(first floats by_memory variable eight extended recurse allocates throws catches jumps sleeps on_fiber hidden calls_first)
wraps=("${functions[@]/#/--wrap-at=}")
want='allocates 1
by_memory 1
calls_first 1
catches 6
eight 1
extended 1
first 1
floats 4001
hidden(int) 1
jumps 6
on_fiber 1
recurse 22101
sleeps 1
throws 6
variable 1'
calls() { # trace
	tm-top -q --by function --sort calls --csv -n 0 "$1" | tr -d '\r' | awk -F, '$11 && NR > 1 { print $22, $11 }' | LC_ALL=C sort
}
for how in 'g++ -O0' 'g++ -O2' 'g++ -O2 -fcf-protection=full -no-pie' 'g++ -O1 -fno-omit-frame-pointer' 'clang++-19 -O2'; do
	command -v "${how%% *}" >/dev/null || { echo "skip - $how: no ${how%% *}"; continue; }
	$how -std=c++17 -g -pthread "$SRC/tests/kits/wrap/game.cpp" -o game 2>err || { echo "not ok - $how: compiles"; continue; }
	./game >alone
	rm -f wrap.tmt fp.tmt
	timeout 60 tm-record -q "${wraps[@]}" -o wrap.tmt -- ./game >said 2>err
	equals "$how: it ends as alone" "$? $(cat said)" "0 $(cat alone)"
	equals "$how: calls" "$(calls wrap.tmt)" "$want"
	equals "$how: a call of 50 ms takes that long" "$(tm-top -q --by function --sort calls --csv -n 0 wrap.tmt | awk -F, '$22 == "sleeps" { print ($10 >= 50000000 && $10 < 1000000000) }')" 1
	equals "$how: stacks go through" "$(tm-top -q --by stack --focus allocates --csv wrap.tmt | tr -d '\r' | awk -F, '/,12345,/ { n = split($NF, f, ";"); print f[n - 1] ";" f[n] }')" 'main;allocates'
	timeout 60 tm-record -q --stacks fp "${wraps[@]}" -o fp.tmt -- ./game >said 2>err
	equals "$how: --stacks fp" "$? $(cat said) $(calls fp.tmt | md5sum)" "0 $(cat alone) $(calls wrap.tmt | md5sum)"
done
g++ -O2 -std=c++17 -g -pthread "$SRC/tests/kits/wrap/game.cpp" -o game
# 5001 calls are open at once, of 4095 that can be: what is deeper than 1024 is counted as for a compiler's hooks.
./game 5000 >alone
timeout 60 tm-record --wrap-at recurse -o deep.tmt -- ./game 5000 >said 2>told
equals 'more calls than can be open: it ends as alone' "$? $(cat said)" "0 $(cat alone)"
check 'and they are counted' grep -q 'loss: calls deeper than the shadow stack: 3977$' told

refused() { # function, why
	tm-record -q -o no.tmt --wrap-at "$1" -- ./game >said 2>err
	equals "refused: $1" "$? $(head -n 1 err)" "2 tm-record: --wrap-at: $2"
}
refused loops 'loops cannot be wrapped: a branch leads to its first instructions'
refused branches 'branches cannot be wrapped: it begins with a branch that reaches only its own surroundings (jrcxz, loop)'
refused tiny 'tiny cannot be wrapped: it is shorter than the jump of 5 bytes'
refused nothing "'nothing' is not a function of ./game"
tm-record -q -o no.tmt --pid $$ --wrap-at first 2>err
equals 'refused: --pid' "$? $(head -n 1 err)" '2 tm-record: --wrap-at needs a program to start: not with --pid'
# A program that is started by exec is another one: its code is as it was.
printf '#include <unistd.h>\nint first(int n) { return n + 1; }\nint main(void) { first(1); execlp("./game", "./game", (char *)0); return 1; }\n' >starts.c
${CC:-cc} -O0 starts.c -o starts
./game >alone
timeout 60 tm-record -q --wrap-at first -o exec.tmt -- ./starts >said 2>err
equals 'a program that is started by exec' "$? $(cat said)" "0 $(cat alone)"
exit $failed
