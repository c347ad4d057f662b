#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What tm-record says, and when: calls that it cannot see, files that are there, and names when the time of the
# recording is over while the program goes on.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >server.c <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void serve(void)
{
	void *volatile p = malloc(321);

	free(p);
}
int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 0, turns = argc > 2 ? atoi(argv[2]) : 10;

	for (int i = 0; i < children; i++)
		if (!fork()) {
			serve();
			exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < turns; i++) {
		serve();
		usleep(10000);
	}
	FILE *f = fopen("ended", "w");
	fclose(f);
	return 7;
}
X
${CC:-cc} -g -O0 server.c -o server && ${CC:-cc} -g -O0 -finstrument-functions server.c -o instrumented ||
	echo "not ok - server.c compiles"

tm-record --calls all -o x.tmt -- ./server 2>err
ok "--calls all, a program without hooks: said" grep -q 'server: --calls all will see no calls in its own code' err
tm-record --calls all -o x.tmt -- ./instrumented 2>err
ok "... with hooks: not" [ "$(grep -c 'will see no calls' err)" = 0 ]
ok "... and there are calls" [ "$(tm-dump -q x.tmt | grep -c ^enter)" -ge 11 ]

for children in 0 1 2; do
	mkdir -p apart$children
	# Of another run, an hour ago.
	touch -d '1 hour ago' apart$children/x.server.1.tmt
	tm-record --pid-children -o apart$children/x.tmt -- ./server $children 2>err
	there=$(find apart$children -name 'x.server.*.tmt' -newer server.c ! -name x.server.1.tmt | wc -l)
	ok "--pid-children, $children: as many files" [ "$there" = $children ]
	case $children in
	0) ok "... none: nothing is said of them" [ "$(grep -c 'process.* that it started' err)" = 0 ] ;;
	1) ok "... one: it is named, and there" [ -s "$(sed -n 's/.* a process that it started has its own trace: //p' err)" ] ;;
	2) ok "... two: so many" grep -q ' processes that it started have 2 traces: apart2/x\.PROGRAM\.PID\.tmt$' err ;;
	esac
done

rm -f ended
tm-record --duration 1 -o x.tmt -- ./server 0 1000 2>err &
recorder=$!
for ((i = 0; i < 400; i++)); do
	grep -qs 'the trace is x.tmt' err && break
	sleep 0.02
done
ok "--duration: told when it is over" grep -q 'the trace is x.tmt' err
ok "... before the program ends" [ ! -e ended ]
ok "... with names" grep -q ',serve,' <(tm-top -q --csv x.tmt)
wait $recorder
ok "... whose status is tm-record's" [ $? = 7 ]
ok "... once" [ "$(grep -c 'the trace is' err)" = 1 ]
ok "... and it was not stopped" [ -e ended ]

# 16 of 1,000,000,000 bytes: hardly a sample, and surely no block of 1,000,000.
printf '#include <stdlib.h>\nint main(void) { void *volatile p = malloc(16); free(p); }\n' >one.c
${CC:-cc} -o one one.c
for few in '--sample 1000000000' '--min 1000000'; do
	# shellcheck disable=SC2086
	tm-record $few -o x.tmt -- ./one 2>err
	ok "$few: that nothing was recorded is no fault of the program" \
		[ "$(grep -c 'no allocation was recorded: none was a sample' err)$(grep -c 'come through malloc' err)" = 10 ]
done
