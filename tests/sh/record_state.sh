#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 600
#
# What the C library, the kernel and the processor keep for a thread is, after each thing that the recorder
# catches, what it is when the program runs alone: testdata/src/record/thread_state.c, for each state of
# lib/recorder/thread_state.txt. The truth is the plain run.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >plugin.cpp <<'X'
#include <string>
extern "C" void made() { delete new std::string(100, 'x'); delete[] new char[50]; }
extern "C" void thrown() { try { throw 1; } catch (int) { } }
X
source=$SRC/testdata/src/record/thread_state.c
${CXX:-c++} -shared -fPIC -g -O1 plugin.cpp -o libplugin.so &&
	${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 "$source" -o linked -L. -lplugin -Wl,-rpath,"$PWD" -lm -lpthread -ldl &&
	${CC:-cc} -std=c11 -D_GNU_SOURCE -DLATE="\"$PWD/libplugin.so\"" -g -O1 "$source" -o late -lm -lpthread -ldl ||
	echo "not ok - thread_state.c compiles"

./linked states | sort >tested
awk '!/^#/ && NF { print $1 }' "$SRC/lib/recorder/thread_state.txt" | sort >listed
ok "each state of the list is tested, and each that is tested is in the list" cmp listed tested
ok "there are some" [ "$(wc -l <tested)" -ge 17 ]

# As a user would see it: why a game's plugin does not load.
cat >loads.cpp <<'X'
#include <dlfcn.h>
#include <iostream>
#include <string>
int main()
{
	if (!dlopen("libplugin-of-a-game.so", RTLD_NOW)) {
		std::string m = std::string("cannot load the plugin: ") + dlerror();
		std::cout << m << std::endl;
		return 3;
	}
	return 0;
}
X
${CXX:-c++} -g -O0 loads.cpp -o loads -ldl || echo "not ok - loads.cpp compiles"

for how in "--stacks fp" "--stacks unwind" "--stacks shadow --calls all" "--sample 4096"; do
	# shellcheck disable=SC2086 # several words
	for program in linked late; do
		for event in $(./linked events); do
			./$program "$event" >>plain
			tm-record -q $how -o x.tmt -- ./$program "$event" >>recorded 2>&1
		done
		ok "$how, C++ $program: each state after each event is as alone" diff plain recorded
		ok "$how, C++ $program: of all" [ "$(wc -l <plain)" = $((3 * $(./linked events | wc -l) * $(wc -l <tested))) ]
		rm plain recorded
	done
	# shellcheck disable=SC2086
	tm-record -q $how -o x.tmt -- ./loads >out
	status=$?
	ok "$how: a game says why its plugin does not load" [ "$(cat out):$status" = "$(./loads):3" ]
done
