#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The end of a recording: the notes say of a program what its source says (the arithmetic is here),
# the trace has names, what cannot be done leaves it as it was recorded; tracemill run.
# expects: signals
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
: "${SRC:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
run() { timeout 120 "$@" >out 2>err </dev/null; status=$?; }
said() { grep -q -- "$1" err; }
CC=${CC:-cc}

# 1000 blocks of 160 bytes, each freed at once; then 100 of 10000 that stay; half of them freed.
# Allocated are 160000 + 1000000 bytes in 1100 blocks; live at the peak the 100; live at the end 50 of
# them, 500000 bytes; temporary are the 1000 of 1100 (90.91%), and of the 50 freed at the end the last:
# they are freed newest first, and nothing was allocated behind it: 1001 of 1100 are 91.00%.
cat >game.c <<'X'
#include <stdlib.h>
#include <unistd.h>
static void *keep[100];
__attribute__((noinline)) static void *game_alloc(size_t n) { return malloc(n); }
__attribute__((noinline)) static void think(void) { free(game_alloc(160)); __asm__ volatile(""); }
__attribute__((noinline)) static void load(int i) { keep[i] = game_alloc(10000); __asm__ volatile(""); }
int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		think();
	for (int i = 0; i < 100; i++)
		load(i);
	for (int i = 100; i-- > 50;)
		free(keep[i]);
	if (argc > 1 && argv[1][0] == 'k') {
		usleep(500000); /* what is a tenth of a second old is in the trace */
		kill(getpid(), 9);
	}
	return argc > 2 && argv[1][0] == '-' ? atoi(argv[2]) : 0;
}
X
sed -i '1i #include <signal.h>' game.c
$CC -g -O1 game.c -o game 2>err || { echo "not ok - game.c compiles"; exit 1; }

run tm-record -o x.tmt ./game
check 'status is the program'"'"'s' [ $status = 0 ]
check 'the program is named, with its time, CPU and memory' said '^tm-record: ./game: ran .*, CPU .*, peak RSS .* [KM]iB$'
check 'its blocks are counted' said '^tm-record: 1100 allocations, 1.1 MiB in '
tm-dump -q x.tmt | awk '$1 == "alloc" || $1 == "free" { print }' >events
# The peak, the end and temporary, by address, from the events alone.
awk '{ for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
	$1 == "alloc" { size[v["address"]] = v["real"]; live += v["real"]; n++; last = v["address"]
		if (live > peak) peak = live }
	$1 == "free" { a = v["address"]; live -= size[a]; n--; if (a == last) { t++; last = "" } }
	END { printf "%.1f KiB %.1f KiB %d %d\n", peak / 1024, live / 1024, n, t }' events >truth
read -r peak _ live _ blocks temporary <truth
check 'the events say what the source says: 50 blocks, 1001 temporary' [ "$blocks $temporary" = '50 1001' ]
check 'peak, live at the end and temporary are theirs' said \
	"^tm-record: peak $peak KiB after .*; live at the end $live KiB in 50 blocks; 91.00% temporary"
check 'the next command is told' said '^tm-record: the trace is in x.tmt; to view it: tracemill view x.tmt$'
tm-top --callers 3 x.tmt >top 2>err
check 'the trace has names' grep -q 'game_alloc  .*game.c:5$' top
check 'tm-top has the same two lines at its head' eval \
	'[ "$(head -n 1 top | cut -d , -f 1)" = "1100 allocations" ] && sed -n 2p top | grep -q "^peak $peak KiB after .* in 50 blocks; 91.00% temporary$"'
check 'who calls the site stands beneath it: load has 1000000 of 1160000 bytes and more' grep -Eq \
	'^    by load < main: 8[5-6]\.[0-9]*% of it$' top
check 'more than half in one site: says how to look past it' grep -qF \
	"more than half comes from game_alloc: --hide '^game_alloc\$'" top
tm-top --hide '^game_alloc$' x.tmt >top 2>err
check '... which is true' grep -Eq '^1 .*  load ' top
tm-top --callers 0 x.tmt >top 2>err
check '--callers 0: no callers' eval '! grep -q "^    by" top'
run tm-record --no-symbols -o y.tmt ./game
check '--no-symbols: none' eval '! tm-top --no-symbols y.tmt 2>&1 | grep -q game_alloc && ! said "no names"'
run tm-record -q -o y.tmt ./game
check '-q: no notes, names' eval '[ ! -s err ] && tm-top -q y.tmt | grep -q game_alloc'
tm-record ./game 2>err | tm-top >top 2>&1
check 'a pipe gets the trace as it is recorded' eval '! said "the trace is" && ! grep -q game_alloc top'

# Options end with the program.
run tm-record -o y.tmt ./game -n 7
check 'what follows the program is its own' [ $status = 7 ]
run tm-record -o y.tmt -- ./game -n 7
check '-- too' [ $status = 7 ]

# Without names.
cp game bare && strip bare
run tm-record -o y.tmt ./bare
check 'a stripped program: says whose names are missing' said \
	'^tm-record: bare: no names for 100.00% of the bytes: build with -g'
run tm-record -o y.tmt ./game
check 'not of one that has them' eval '! said "no names"'
owner=$(dpkg -S "$(readlink -f "$(command -v dash)")" 2>/dev/null || dpkg -S /bin/dash 2>/dev/null)
id=$(readelf -n "$(command -v dash)" 2>/dev/null | sed -n 's/.*Build ID: //p')
if [ -n "$owner" ] && [ ! -e "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ]; then
	run tm-record -o y.tmt dash -c 'x=1; for i in 1 2 3 4 5 6; do x=$x$x$x$x; done'
	check 'the package of a file is the one that dpkg says' said "${owner%%:*}-dbgsym"
	# What it says to type is of this system's own os-release.
	os=$(. /etc/os-release; echo "${ID-} ${VERSION_CODENAME-}")
	case $os in
	'debian '?*)
		name=Debian server=https://debuginfod.debian.net
		archive="echo deb http://debug.mirrors.debian.org/debian-debug \$s main;" ;;
	'ubuntu '?*)
		name=Ubuntu server=https://debuginfod.ubuntu.com
		archive="echo deb http://ddebs.ubuntu.com \$s main restricted universe multiverse;" ;;
	*)
		name='' ;;
	esac
	if [ -n "$name" ]; then
		check '... it is the command that installs it' said "^tm-record: .*: sudo apt install ${owner%%:*}-dbgsym$"
		check '... the server is named' said \
			"^tm-record: from $name's server: tm-symbolize --debuginfod=$server -o y.tmt y.tmt$"
		grep -rqs 'debian-debug\|ddebs.ubuntu.com' /etc/apt/sources.list /etc/apt/sources.list.d ||
			check '... and the archive, before the line that installs from it' eval 'said "for s in ${os#* }-" && grep -qF "$archive" err &&
				grep -e "for s in ${os#* }-" -e "apt install ${owner%%:*}" err | head -n 1 | grep -q "for s in"'
	fi
else
	echo "skip - the package of a file (no dpkg, or debug files are installed)"
fi

# What is no end.
run tm-record -o y.tmt ./game kill
check 'killed: names and notes for what is there' eval '[ $status = 137 ] && said "ended by signal 9" && tm-top -q y.tmt | grep -q game_alloc'
# Killed before an event is in the file: there is nothing to name, and tm-symbolize is not asked for it.
run tm-record -q -o y.tmt sh -c 'kill -9 $$'
check 'killed at once: its status, nothing else with -q' eval '[ $status = 137 ] && ! said .'
run tm-record -o y.tmt sh -c 'kill -9 $$'
check 'without -q: that nothing is in it, by one program, and no command to view it' eval 'said "^tm-record: y.tmt: the trace ends before its first events" &&
	! said tm-symbolize && ! said "tracemill view"'
cat >none.c <<'X'
int main(void) { return 0; }
X
$CC none.c -o none
run tm-record -o y.tmt ./none
check 'nothing allocated: said' said 'no allocation was recorded'
# What is not seen, and why: by what the programs are made of.
cat >own.c <<'X'
#include <stddef.h>
static _Alignas(16) char heap[1 << 20];
static size_t used;
void *malloc(size_t n) { void *p = heap + used; used += (n + 15) / 16 * 16; return p; }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
void free(void *p) { (void)p; }
int main(void) { for (int i = 0; i < 50; i++) *(volatile char *)malloc(1000) = 1; return 0; }
X
$CC -O1 -fno-builtin -rdynamic own.c -o own || echo "not ok - own.c compiles"
run tm-record -o y.tmt ./own
check 'a malloc of its own: said at the start' said '^tm-record: ./own: has its own malloc'
check '... and that nothing came, at the end' said 'no allocation was recorded'
run tm-record -o y.tmt ./game
check 'one that has none: not a word' eval '! said "of its own"'
cat >go.c <<'X'
__attribute__((section(".go.buildinfo"))) const char build[] = "\xff Go buildinf:";
int main(void) { return 0; }
X
$CC go.c -o go
run tm-record -o y.tmt ./go
check 'a Go program (debug/buildinfo): its heap is not seen' said "^tm-record: ./go: is a Go program: its Go heap is not"
check '... but by its own profiler' said "Go's own pprof records it .*, and tracemill top reads its profiles$"
if $CC -static go.c -o go 2>/dev/null; then
	run tm-record -o y.tmt ./go
	check 'a static one: no word of what a C program would do' eval \
		'[ $status = 3 ] && said "^tm-record: ./go: is a Go program without C code: Go.s own pprof" && ! said wrap'
fi
if [ "$(uname -m)" = x86_64 ]; then
	$CC -O2 -fomit-frame-pointer game.c -o nofp && $CC -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer game.c -o fp
	run tm-record -o y.tmt --stacks fp ./nofp
	check '--stacks fp, and code without frame pointers: said' said '^tm-record: ./nofp: --stacks fp will cut its stacks short'
	run tm-record -o y.tmt --stacks fp ./fp
	check '... not of code that has them' eval '! said "will cut"'
	run tm-record -o y.tmt ./nofp
	check '... nor without --stacks fp' eval '! said "will cut"'
	$CC -O1 -finstrument-functions game.c -o hooked
	run tm-record -o y.tmt --stacks shadow ./nofp
	check '--stacks shadow, and no hooks: said' said '^tm-record: ./nofp: --stacks shadow will see no calls'
	run tm-record -o y.tmt --stacks shadow ./hooked
	check '... not of a program that has them' eval '! said "will see no"'
fi
if musl-gcc game.c -o musl 2>err; then
	# As where there is no library for it.
	mkdir -p alone/bin alone/lib
	cp "$BIN/tm-record" alone/bin/
	cp "$BIN/../lib/libtracemill-capture.so" alone/lib/
	run alone/bin/tm-record -o y.tmt ./musl
	check 'a program of musl: refused by name' eval '[ $status = 3 ] && said "^tm-record: ./musl: is built for the C library musl"'
else
	echo "skip - a program of musl (no musl-gcc)"
fi
# daemon(3) ends the first process inside of the C library: what it had done until then is there.
cat >demon.c <<'X'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 1000; i++)
		*(volatile char *)malloc(10) = 1;
	return daemon(1, 1);
}
X
$CC -D_DEFAULT_SOURCE demon.c -o demon
run tm-record --no-symbols -o y.tmt ./demon
check 'daemon: the 1000 blocks before it' eval '[ $status = 0 ] && [ "$(tm-dump -q y.tmt | grep -c "^alloc.* requested=10 ")" = 1000 ]'
check '... and a note says where the program went' grep -q 'note info .*the program went on in the background' <(tm-dump -q y.tmt)
echo 'no library' >bad.so
run tm-record -q --library "$PWD/bad.so" -o y.tmt ./game
check 'the library cannot be loaded, as in another root: an error, with -q too' eval \
	'[ $status = 3 ] && said "^tm-record: ./game: nothing was recorded: .*bad.so"'
run tm-record --library "$PWD/bad.so" -o y.tmt sh -c 'exit 5'
check '... the status is the program'"'"'s if that is one' eval '[ $status = 5 ] && said "nothing was recorded"'
run tm-record --library "$PWD/bad.so" --as loli -o y.loli ./game
check '... of another form, too' eval '[ $status = 3 ] && said "nothing was recorded"'
if $CC -static none.c -o static 2>err; then
	run tm-record -o y.tmt sh -c 'exec ./static'
	check 'exec of a static program: said' eval '[ $status = 0 ] && said "^tm-record: sh: became another program (exec)"'
fi
run tm-record -o y.tmt sh -c 'exec ./game'
check 'exec of one that is recorded: nothing to say' eval '! said "another program"'
run tm-record -o y.tmt sh -c 'exec ./no-such'
check 'exec of none: nothing to say' eval '! said "became another"'
run tm-record -o y.tmt sh -c './game; true'
check 'what it started is not in the trace: said' said 'child processes (.* of CPU time) are not in the trace'
run tm-record -o /dev/null ./game
check 'a device: no notes of a trace' eval '[ $status = 0 ] && ! said "the trace is"'
# The second trace finds no room: the first stays.
# (What goes through a pipe is as large as what is on the disk while it is recorded.)
size=$((($(tm-record -q --no-symbols -o - ./game 2>/dev/null | wc -c) / 4096 + 1) * 4))
if mkdir room && mount -t tmpfs -o size=${size}k none room 2>/dev/null; then
	run tm-record -o room/x.tmt ./game
	left=$(tm-dump -q room/x.tmt 2>/dev/null | grep -c '^alloc')
	umount room
	check 'a full disk while names are put in: the trace is as recorded' eval \
		'[ "$left" = 1100 ] && said "has no names"'
else
	echo "skip - a full disk (no tmpfs can be mounted here)"
fi
run env PATH="$BIN:$PATH" tm-record --as loli --report -o y.bin ./game
check '--report is of a trace' eval '[ $status = 2 ] && said "--report needs a trace"'

# tracemill run.
mkdir work && cd work || exit 1
cp ../game .
tracemill run ./game -n 5 >out 2>err
status=$?
check "run: the program's status" [ $status = 5 ]
check 'run: standard output is the program'"'"'s' [ ! -s out ]
check 'run: the report' eval 'grep -q "^top 1 of 1 site by real bytes" err && grep -q "^    by load < main" err'
check 'run: a trace named after the program' eval '[ "$(ls game.*.tmt | wc -l)" = 1 ] && grep -q "the trace is in game\.[0-9]*\.tmt" err'
check 'run: at most 100 columns where there is no terminal' eval '! grep "^[ 0-9#]" err | LC_ALL=C.UTF-8 grep -q ".\{101\}"'
tracemill run -- ./game >out 2>err
check 'run --' [ $? = 0 ]
tracemill run /etc/passwd >out 2>err
status=$?
check 'run: what cannot be recorded says why' eval '[ $status = 3 ] && grep -q "tm-record: /etc/passwd: is not executable" err'
printf 'MZ\220\0' >game.exe
printf '\0asm\1\0\0\0' >game.wasm
check 'run: programs of other systems are said to be theirs, executable or not' eval '
	for mode in -x +x; do
		chmod $mode game.exe game.wasm
		tracemill run ./game.exe
		tracemill run ./game.wasm
	done >out 2>&1
	[ "$(grep -c "is a program of Windows" out) $(grep -c "is a program of WebAssembly" out)" = "2 2" ] && tracemill doctor ./game.wasm 2>/dev/null | grep -q "^recording *no *is a program of WebAssembly"'
exit $failed
