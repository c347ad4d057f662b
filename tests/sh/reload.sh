#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Modules that are replaced: a plugin that is built and loaded again while the program runs, a program whose own file
# is replaced, a file that is another one when names are looked for. Truth: arithmetic. Build i makes i hundred
# allocations of i hundred bytes in spawn_v<i>.
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
cc=${CC:-cc}

cat >game.c <<'X'
#include <stdlib.h>
static __attribute__((noinline)) void SPAWN(size_t n) { void *volatile p = malloc(n); (void)p; }
void step(void) { for (int i = 0; i < N; i++) SPAWN(N); }
X
cat >host.c <<'X'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* Each file in turn becomes game.so, is loaded and unloaded. With "early" the next one is there before the
 * last one is unloaded, as where a build runs beside the game. */
int main(int argc, char **argv)
{
	int early = argv[1][0] == 'e';

	for (int i = 2; i < argc; i++) {
		void *handle;
		void (*step)(void);

		if ((!early || i == 2) && rename(argv[i], "game.so"))
			return 2;
		handle = dlopen("./game.so", RTLD_NOW);
		if (!handle)
			return 3;
		*(void **)&step = dlsym(handle, "step");
		step();
		if (early) {
			usleep(1000000); /* ticks of the recorder */
			if (i + 1 < argc && rename(argv[i + 1], "game.so"))
				return 4;
		}
		dlclose(handle);
	}
	return 0;
}
X
$cc -O1 -o host host.c -ldl || exit 1
builds() { # FLAGS...
	for i in 1 2 3; do
		$cc -O1 -fPIC -shared "$@" -DSPAWN=spawn_v$i -DN=${i}00 -o g$i.so game.c || return 1
	done
}
rows() { # FILE COLUMN: its rows whose name is in game.so, as "name count requested"
	tm-top -q -n 0 --csv --by "$2" --metrics count,requested "$1" 2>err | tr -d '\r' | awk -F , -v key="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["count"] >= 100 && $at[key] ~ /spawn|game/ { print $at[key], $at["count"], $at["requested"] }' | sort
}
printf 'spawn_v%d %d00 %d0000\n' 1 1 1 2 2 4 3 3 9 >want

for id in sha1 none; do
	for when in late early; do
		builds -Wl,--build-id=$id || exit 1
		tm-record -q -o x.tmt ./host $when g1.so g2.so g3.so 2>err
		rows x.tmt function >got
		check "build-id $id, $when: each build has its own function" cmp -s want got
		builds -Wl,--build-id=$id || exit 1
		tm-record -q --no-symbols -o x.tmt ./host $when g1.so g2.so g3.so 2>err
		tm-filter -q -o filtered.tmt x.tmt 2>err
		tm-symbolize -q -o y.tmt filtered.tmt 2>err
		rows y.tmt function >got
		check "build-id $id, $when: ... in what is made of the trace" cmp -s want got
	done
	# Nothing names them: neither are they one row. The address is that of one code.
	builds -Wl,--build-id=$id -s || exit 1
	tm-record -q -o x.tmt ./host late g1.so g2.so g3.so 2>err
	rows x.tmt function | sed -E 's/[!+](fn_)?0x[0-9a-f]+//' | sort >got
	printf 'game.so%s %d00 %d0000\n' '' 1 1 '#2' 2 4 '#3' 3 9 | sort >want_stripped
	check "build-id $id, stripped: each build has its own row" cmp -s want_stripped got
done

# The same file loaded again is the same build: 3 times 100 in one row, with its line.
$cc -g -O1 -fPIC -shared -Wl,--build-id=none -DSPAWN=spawn_v1 -DN=100 -o game.so game.c
cat >again.c <<'X'
#include <dlfcn.h>
int main(void)
{
	for (int i = 0; i < 3; i++) {
		void *handle = dlopen("./game.so", RTLD_NOW);
		void (*step)(void);

		*(void **)&step = dlsym(handle, "step");
		step();
		dlclose(handle);
	}
}
X
$cc -O1 -o again again.c -ldl
tm-record -q -o x.tmt ./again 2>err
check "one file three times: one row" [ "$(rows x.tmt function)" = "spawn_v1 300 30000" ]
check "... with its line" [ "$(tm-top -q --by site x.tmt | grep -c 'game.c:2')" = 1 ]

# What a destructor allocates while its module goes is of that module: each of two plugins, loaded in turn 10 times,
# allocates once as it is loaded, twice in step and, as it is unloaded, as often as MORE says. The layouts are equal, or not.
cat >plugin.c <<'X'
#include <stdlib.h>
void *volatile p;
static __attribute__((constructor)) void COME(void) { p = malloc(7); }
static __attribute__((noinline)) void CALLED(void) { for (int i = 0; i < 2; i++) p = malloc(5); }
void step(void) { CALLED(); p = NULL; }
static __attribute__((destructor)) void WENT(void) { for (int i = 0; i < MORE; i++) p = malloc(9); }
X
cat >turns.c <<'X'
#include <dlfcn.h>
int main(void)
{
	for (int i = 0; i < 20; i++) {
		void *handle = dlopen(i % 2 ? "./b.so" : "./a.so", RTLD_NOW);
		void (*step)(void);

		*(void **)&step = dlsym(handle, "step");
		step();
		dlclose(handle);
	}
}
X
$cc -O1 -o turns turns.c -ldl
for more in 1 3; do
	for x in a b; do
		$cc -g -O1 -fPIC -shared -DMORE="$([ $x = a ] && echo 1 || echo $more)" \
			-DCALLED=called_$x -DCOME=come_$x -DWENT=went_$x -o $x.so plugin.c
	done
	for i in 1 2 3; do
		tm-record -q -o x.tmt ./turns 2>err
		tm-top -q -n 0 --csv --by function --module '^[ab][.]so$' --metrics count x.tmt 2>err | tr -d '\r' | awk -F , '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["count"] && $at["function"] ~ /called|come|went|[.]so/ { print $at["function"], $at["count"] }' | sort
	done >got
	for i in 1 2 3; do
		printf '%s\n' 'called_a 20' 'called_b 20' 'come_a 10' 'come_b 10' 'went_a 10' "went_b $((10 * more))"
	done >want
	check "a destructor's blocks are its module's: $more" cmp want got
done

# A program that is built anew while it runs. The code differs: a build-id is of the code, not of its names.
cat >main.c <<'X'
#include <stdio.h>
#include <stdlib.h>
static __attribute__((noinline)) void FUNCTION(void) { void *volatile p = malloc(SIZE); (void)p; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 700; i++)
		FUNCTION();
	return argc > 1 && rename(argv[1], argv[0]);
}
X
for id in sha1 none; do
	$cc -O1 -Wl,--build-id=$id -DFUNCTION=old_spawn -DSIZE=70 -o prog main.c
	$cc -O1 -Wl,--build-id=$id -DFUNCTION=new_spawn -DSIZE=71 -o newer main.c
	tm-record -q -o x.tmt ./prog newer 2>err
	check "build-id $id: a program replaced while it runs" [ "$(rows x.tmt function)" = "old_spawn 700 49000" ]

	# After the recording: in place, as by cp; then by another file.
	$cc -O1 -Wl,--build-id=$id -DFUNCTION=old_spawn -DSIZE=70 -o prog main.c
	$cc -O1 -Wl,--build-id=$id -DFUNCTION=new_spawn -DSIZE=71 -o newer main.c
	tm-record -q --no-symbols -o x.tmt ./prog 2>err
	tm-symbolize -q -o y.tmt x.tmt 2>err
	check "build-id $id: the file is the one that ran" [ "$(rows y.tmt function)" = "old_spawn 700 49000" ]
	cp newer prog
	tm-symbolize -o y.tmt x.tmt 2>said
	check "build-id $id: overwritten since: none of its names" [ "$(tm-dump -q y.tmt | grep -c new_spawn)" = 0 ]
	if [ $id = none ]; then
		check "... since the module was replaced, which is said" grep -q 'loss: not used, since the module was replaced: .*: prog$' said
		check "... of its addresses too" grep -q '"module was replaced' <(tm-dump -q y.tmt)
		check "... and none in a report that looks itself" [ "$(tm-top -q -n 0 --csv x.tmt | grep -c new_spawn)" = 0 ]
		tm-symbolize -q -e prog -o y.tmt x.tmt 2>err
		check "... but what -e gives is used" grep -q new_spawn <(tm-dump -q y.tmt)
	else
		check "... since it is of another build" grep -q 'loss: not used, since the file found is of another build' said
	fi
	$cc -O1 -Wl,--build-id=$id -DFUNCTION=old_spawn -DSIZE=70 -o other main.c && mv other prog
	tm-symbolize -q -o y.tmt x.tmt 2>err
	check "build-id $id: built again, the same: by its build-id alone" \
		[ "$(tm-dump -q y.tmt | grep -c old_spawn)" = "$([ $id = sha1 ] && echo 1 || echo 0)" ]
done

# A copy elsewhere, with its time: below a sysroot.
$cc -O1 -Wl,--build-id=none -DFUNCTION=old_spawn -DSIZE=70 -o prog main.c
tm-record -q --no-symbols -o x.tmt ./prog 2>err
mkdir -p "root$PWD" && cp -p prog "root$PWD/prog" && rm prog
tm-symbolize -q --sysroot root -o y.tmt x.tmt 2>err
check "a copy below a sysroot, with its time" grep -q old_spawn <(tm-dump -q y.tmt)
touch -d '2001-02-03' "root$PWD/prog"
tm-symbolize -q --sysroot root -o y.tmt x.tmt 2>err
check "... and none of another time" [ "$(tm-dump -q y.tmt | grep -c old_spawn)" = 0 ]
exit $failed
