#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 300
#
# tm-top --leaks: what a program leaks, and what libraries keep for good. The C++ program below has one leak
# of 3 blocks of 100 bytes; libstdc++ has its pool, setlocale its tables, stdio its buffer.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
status() { # WANT COMMAND...
	local want=$1

	shift
	"$@" >out 2>err
	[ $? = "$want" ]
}
cat >leaks.cc <<'X'
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>
__attribute__((noinline)) void *leak() { return malloc(100); }
__attribute__((noinline)) void *cache() { return malloc(50); }
void *volatile keep;
int main()
{
	setlocale(LC_ALL, "C.UTF-8");
	std::string s(100, 'x');
	for (int i = 0; i < 3; i++)
		keep = leak();
	keep = cache();
	printf("%s\n", s.c_str());
	return 0;
}
X
if ! ${CXX:-c++} -g -O1 leaks.cc -o leaks 2>err || ! tm-record -q -o run.tmt ./leaks >printed 2>err; then
	echo 'skip - a recorded program (none can be recorded here)'
	exit $failed
fi
rows() { tm-top -q --csv -n 0 --metrics live-count,live-requested "$@" run.tmt 2>err | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["live_count"] > 0 { print $at["site"], $at["live_count"], $at["live_requested"] }'; }
check 'without it there are others' [ "$(rows --by site | wc -l)" -gt 2 ]
check '--leaks: the two of the program' [ "$(rows --leaks)" = "leak() 3 300
cache() 1 50" ]
tm-top --leaks run.tmt >text 2>err
check 'what was suppressed is counted' grep -q '^not counted as leaks: 1 block, [0-9.]* KiB (libstdc++' text
check '... by what keeps it' grep -q 'block.*(buffers of standard I/O)' text
echo '# ours
leak:^cache' >ours
check 'a rule of one'"'"'s own' [ "$(rows --leaks --suppressions ours)" = 'leak() 3 300' ]
check '... alone: the libraries are there' grep -q . <(rows --suppressions ours | grep -v leak)
check '... and is counted' grep -q '1 block, [0-9]* B (^cache)' <(tm-top --leaks --suppressions ours run.tmt 2>err)
for pattern in 'leak:leaks.cc' 'leak:*/leaks' 'leak:^main$' 'leak:ma*n'; do
	echo "$pattern" >rule
	check "$pattern: all of the program" [ -z "$(rows --leaks --suppressions rule)" ]
done
for pattern in 'leak:^eak' 'leak:lea$' 'leak:^ain'; do
	echo "$pattern" >rule
	check "$pattern: nothing" [ "$(rows --leaks --suppressions rule | wc -l)" = 2 ]
done
check 'allocations stay counted' [ "$(tm-top -q -n 0 --leaks run.tmt 2>err | awk '/\(all [0-9]+\)$/ { print $1 }')" = \
	"$(tm-top -q --csv -n 0 run.tmt 2>err | awk -F, 'NR > 1 { n += $2 } END { print n }')" ]
check 'each row has a live block' eval 'tm-top -q --csv -n 0 --leaks run.tmt 2>err | awk -F, "NR > 1 && !(\$6 > 0) { bad = 1 } END { exit bad || NR < 2 }"'
check 'the shipped ones can be read back' eval 'tm-top --list-suppressions >shipped && status 0 tm-top -q --suppressions shipped run.tmt'
echo 'race:x' >rule
check 'what is no suppression of leaks is told by line' eval 'status 3 tm-top --suppressions rule run.tmt; grep -q "rule: --suppressions: line 1" err'
printf 'leak:a\0b\n' >rule
check 'a NUL byte, too' eval 'status 3 tm-top --suppressions rule run.tmt; grep -q "rule: --suppressions: line 1, column [0-9]*: a NUL byte" err'
check 'a file that is not there' status 3 tm-top --suppressions none run.tmt
check '--leaks is an order' status 2 tm-top --leaks --sort count run.tmt
exit $failed
