#!/bin/bash
# SPDX-License-Identifier: MIT
# expects: signals
#
# tm-record --pid and handlers of signals: a program that has installed some, or in which some have run, is
# attached to however its stack is used later; one whose thread is in a handler is not. What the stack has
# is what the program does; whether the recording is right, arithmetic: 100 blocks of 321 bytes a second at most.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

if [ "$(uname -m)" != x86_64 ]; then
	echo "skip - handlers of signals (attaching is for x86-64)"
	exit 0
fi
cat >handlers.c <<'X'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *how;
static int rests;
static __attribute__((noinline)) void rest(void)
{
	for (int i = 0; i < 3000; i++) {
		void *volatile p = malloc(321);

		free(p);
		usleep(10000);
	}
}
static void h(int s)
{
	(void)s;
	if (rests)
		rest();
}
static __attribute__((noinline)) void install(void)
{
	signal(SIGUSR1, h);
	signal(SIGHUP, h);
	if (strcmp(how, "installed") != 0)
		raise(SIGUSR1);
}
/* What install has left below is in the middle of this one's variables, of which the first is written. */
static __attribute__((noinline)) void loop(void)
{
	volatile char big[32768];

	big[0] = 1;
	rest();
}
int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "";
	rests = !strcmp(how, "runs");
	install();
	loop();
	return 0;
}
X
${CC:-cc} -O0 -g handlers.c -o handlers || echo "not ok - handlers.c compiles"

for how in installed ran runs; do
	./handlers $how &
	program=$!
	sleep 0.3
	tm-record --no-symbols --duration 1 -o x.tmt --pid $program 2>err
	status=$?
	if [ $how = installed ] && grep -q 'may not be attached to' err; then
		echo "skip - handlers of signals (no process may be attached to here)"
		kill $program
		exit 0
	fi
	if [ $how = runs ]; then
		ok "a handler runs: not attached to" [ $status = 3 ]
		ok "... which is said" grep -q 'in a handler of a signal\|none of its threads' err
	else
		ok "handlers were $how: attached to" [ $status = 0 ]
		n=$(tm-dump -q x.tmt | grep -c '^alloc.*requested=321')
		ok "... and recorded: $n blocks" [ "$n" -gt 5 -a "$n" -le 200 ]
	fi
	ok "... the program goes on" kill -0 $program
	kill $program
	wait $program 2>/dev/null || :
done
