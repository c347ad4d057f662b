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
	0) ok "... none: nothing is said of them" [ "$(grep -c 'child process' err)" = 0 ] ;;
	1) ok "... one: it is named, and there" [ -s "$(sed -n 's/.* a child process has its own trace: //p' err)" ] ;;
	2) ok "... two: so many" grep -q ' child processes have 2 traces: apart2/x\.PROGRAM\.PID\.tmt$' err ;;
	esac
done

rm -f ended
tm-record --duration 1 -o x.tmt -- ./server 0 1000 2>err &
recorder=$!
for ((i = 0; i < 400; i++)); do
	grep -qs 'the trace is in x.tmt' err && break
	sleep 0.02
done
ok "--duration: told when it is over" grep -q 'the trace is in x.tmt' err
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
		[ "$(grep -c 'no allocation was recorded: none was sampled' err)$(grep -c 'come through malloc' err)" = 10 ]
done

# Of 1000 x 16 B and 20 x 100000 B the small ones are below --min: no sample of them would be seen, so that "less than
# 3 N bytes" is true of larger blocks only. That a block of 100000 B has no point in 1000 B has a chance of exp(-100).
printf '#include <stdlib.h>\nint main(void) { for (int i = 0; i < 1020; i++) { void *volatile p = malloc(i < 1000 ? 16 : 100000); } }\n' >sizes.c
${CC:-cc} -o sizes sizes.c
for how in '--min 2000 --sample 1000' '--min 2000'; do
	# shellcheck disable=SC2086
	tm-record $how -o x.tmt -- ./sizes 2>err
	tm-top x.tmt >top 2>>err
	ok "$how: the summary says of what" grep -Eq 'tm-record: (~|>=|>=~)20 allocations, .* of blocks of at least 2000 bytes' err
	ok '... and the report' grep -Eq '^(~|>=|>=~)20 allocations, .* of blocks of at least 2000 bytes' top
	ok '... and that sums are lower bounds' grep -Eq '^blocks below 2000 bytes were not recorded: sums are lower bounds(, besides estimates)?$' top
	ok '... and JSON' grep -q '"least_block":2000' <(tm-top --as json x.tmt 2>/dev/null)
	case $how in
	*sample*) ok '... and the confidence is of such blocks' grep -q 'less than [0-9.]* [KMi]*B of blocks of at least 2000 bytes, with a confidence of 95 %$' top ;;
	esac
done

# A program of one thread takes no more CPU than time. What looks at it before it runs is not its CPU: with descriptors
# up to 20000 that took five times the run. Of 5 MiB mapped and 2 x 1000 B by malloc, the domain that is not counted is told.
printf '#include <stdlib.h>\n#include <sys/mman.h>\nint main(void) { mmap(0, 5 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); for (int i = 0; i < 2; i++) { void *volatile p = malloc(1000); } }\n' >maps.c
${CC:-cc} -o maps maps.c
(ulimit -n 20000 2>/dev/null; tm-record --mmap -o x.tmt -- ./maps 2>err)
ok "CPU is the program's" awk '
	function ms(v, unit) { return v * (unit == "us" ? 0.001 : unit == "ms" ? 1 : unit == "ns" ? 0.000001 : 1000) }
	/ ran [0-9.]+ [a-z]+, CPU / { for (i = 1; i < NF; i++) { if ($i == "ran") ran = ms($(i + 1), substr($(i + 2), 1, 2) == "s," ? "s" : substr($(i + 2), 1, 2)); if ($i == "CPU") cpu = ms($(i + 1), substr($(i + 2), 1, 2) == "s," ? "s" : substr($(i + 2), 1, 2)) } }
	END { exit !(ran > 0 && cpu <= ran) }' err
ok 'the summary says what it counts' grep -Eq '^tm-record: counted: [0-9]+ records? of domain mmap' err
ok '... and what it does not' grep -Eq '^tm-record: not counted: 2 records of domain malloc, .* 2.0 KiB requested' err
