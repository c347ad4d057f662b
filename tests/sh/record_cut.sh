#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What is missing of recorded stacks: a walk by frame pointers ends before what is no code, and
# --depth cuts; both are counted, in notes of the trace, in tm-record's last words and in reports
# (testdata/src/record/stray.c).
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

CC=${CC:-cc}
echo 'int stray_code(int a); int stray_code(int a) { return a + 1; }' |
	$CC -shared -fPIC -x c - -o module.so || exit 1
if ! $CC -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls \
	-finstrument-functions -I"$SRC" "$SRC/testdata/src/record/stray.c" -o stray -ldl; then
	echo "not ok - stray.c compiles"
	exit 1
fi
# SIZE LOCATIONS of each block, in the order of the events.
depths() {
	tm-dump -q "$1" | awk '
		function field(name, i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
			return 0
		}
		$1 == "stack" { n[$2] = n[field("parent")] + 1 }
		$1 == "alloc" { print field("requested"), n[field("stack")] + 0 }'
}
note() { # trace, text: the count
	tm-dump --no-tables --no-events "$1" | sed -n "s/^note loss count=\([0-9]*\) .*$2.*/\1/p"
}
stray="there is no code where they lead" deep="deeper than --depth"

tm-record -o w.tmt --stacks fp -- ./stray ./module.so >want 2>said
if grep -q '^no code for this machine' want; then
	echo "skip - walks by frame pointers (stray.c has no code for this machine)"
else
	depths w.tmt | awk '$1 >= 1000 && $1 < 1100' >got
	while read -r size n what && read -r size_got n_got <&3; do
		ok "$what: $n locations" [ "$size $n" = "$size_got $n_got" ]
	done <want 3<got
	ok "as many blocks as there were" [ "$(wc -l <want)" = "$(wc -l <got)" ]
	# The C library's own blocks have such stacks too.
	ok "they are counted" [ "$(note w.tmt "$stray")" -ge "$(awk '$2 == 2' want | wc -l)" ]
	ok "tm-record tells them" grep -qE "^tm-record: w.tmt: loss: .*$stray: [1-9]" said
	tm-top w.tmt 2>said >top
	ok "tm-top tells them" grep -qE "^tm-top: w.tmt: loss: .*$stray: [1-9]" said
fi

# As many of the 30 as have more than 12 locations, which a recording of all of them tells.
for how in "--stacks fp" "--stacks unwind" "--stacks shadow" "--stacks fp --sample 1" \
	"--stacks unwind --min 500"; do
	# shellcheck disable=SC2086 # words
	tm-record -q $how --depth 256 -o all.tmt -- ./stray
	# shellcheck disable=SC2086
	tm-record $how --depth 12 -o cut.tmt -- ./stray 2>said
	depths all.tmt | awk '$1 == 500 && $2 > 12' | wc -l >want
	ok "$how: some are deep, not all" [ "$(cat want)" -gt 5 ] && [ "$(cat want)" -lt 30 ]
	ok "$how: nothing was cut at 256" [ -z "$(note all.tmt "$deep")" ]
	ok "$how: what --depth has cut is counted" [ "$(note cut.tmt "$deep")" = "$(cat want)" ]
	ok "$how: none is deeper" [ "$(depths cut.tmt | awk '$2 > 12' | wc -l)" = 0 ]
	ok "$how: the others are whole" \
		cmp -s <(depths all.tmt | awk '$1 == 500 { print $2 < 12 ? $2 : 12 }') \
		<(depths cut.tmt | awk '$1 == 500 { print $2 }')
	ok "$how: tm-record tells it" \
		grep -q "^tm-record: cut.tmt: loss: .*$deep: $(cat want)\$" said
	tm-top cut.tmt 2>said >top
	ok "$how: tm-top tells it" grep -q "^tm-top: cut.tmt: loss: .*$deep: $(cat want)\$" said
done
tm-record -q --stacks fp --depth 12 -o cut.tmt -- ./stray 2>said
ok "-q: tm-record is quiet" [ ! -s said ]

# A program that ends by a system call of its own, as Go's do: its trace has no totals, which its status
# and a line tell, with -q too.
cat >ends.c <<'END'
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *volatile p = malloc(500);

	free(p);
	if (argc > 2)
		return atoi(argv[1]);
	syscall(SYS_exit_group, atoi(argv[1]));
}
END
$CC -D_GNU_SOURCE -O1 -g ends.c -o ends || exit 1
whole="the trace is incomplete"
for case in "0 3" "5 5"; do
	tm-record -q -o ends.tmt -- ./ends "${case% *}" 2>said
	ok "ends by itself with ${case% *}: ${case#* }" [ $? = "${case#* }" ]
	ok "and says so" grep -q "^tm-record: ends.tmt: $whole: the program ended by a system call" said
done
for status in 0 5; do
	tm-record -o ends.tmt -- ./ends $status well 2>said
	ok "ends well with $status: $status" [ $? = $status ]
	ok "and says nothing of it" eval "! grep -q \"$whole\" said"
done
