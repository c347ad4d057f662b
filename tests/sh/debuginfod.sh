#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Files from debuginfod servers: elfutils' own on the loopback interface, and one that lies, stalls,
# sends junk or half of a file (testdata/gen/debuginfod.c). Nothing is asked unless a server was
# named; what comes is compared; what is wrong leaves nothing behind and all goes on without it.
# expects: signals
# timeout: 600
# shellcheck disable=SC2317 # functions are called by check
set -u
: "${SRC:?}" "${BIN:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/servers.bash
. "$SRC/tests/servers.bash"

for tool in gcc objcopy strip readelf; do
	if ! command -v $tool >/dev/null 2>&1; then
		echo "skip - debuginfod (no $tool)"
		exit 0
	fi
done
unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH TRACEMILL_DEBUGINFOD_URLS
export XDG_CACHE_HOME=$PWD/home TMPDIR=$PWD/tmp http_proxy='' no_proxy='*'
mkdir -p home tmp served bin
trap server_stop EXIT

cat >game.c <<'X'
#include <stdio.h>
static inline __attribute__((always_inline)) int roll(int sides)
{
	return printf("%d\n", sides);
}
int play(int n)
{
	return roll(n) + 1;
}
int main(int argc, char **argv)
{
	(void)argv;
	return play(argc);
}
X
gcc -g -O1 -Wl,--build-id=sha1 game.c -o game || exit 1
gcc -g -O1 -DOTHER -Wl,--build-id=sha1 -x c <(cat game.c; echo 'int other;') -o other || exit 1
for f in game other; do
	objcopy --only-keep-debug $f served/$f.debug
	strip -o bin/$f $f
done
id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
build_id=$(id game)
address=0x$(nm game | awk '/ play$/ { print $1 }')
tm-addr2line -q --no-cache -f -i -e game "$address" >want 2>err
tm-addr2line -q --no-cache -f -i -e bin/game "$address" >without 2>err

# ask OPTION...: what comes of asking, in got and err
ask() { tm-addr2line --cache cache --lenient -f -i -e bin/game "$@" "$address" >got 2>err; }
found() { cmp -s want got; }
not_found() { cmp -s without got; }
left() { find cache tmp -mindepth 1 2>/dev/null | wc -l; }
nothing_left() { [ "$(left)" = 0 ]; }
clean() { rm -rf cache tmp/*; }
asked() { wc -l <server.port.log; }

check 'the game has a build-id and its lines' grep -q 'game.c:7' want
check 'which are not in the stripped one' grep -q '^??:' without

server_stub serve served/game.debug
clean
DEBUGINFOD_URLS=$url ask
check 'DEBUGINFOD_URLS alone: not asked' not_found
check 'not even once' test "$(asked)" = 0
check 'and nothing is said' test ! -s err
DEBUGINFOD_URLS=$url ask --debuginfod
check 'DEBUGINFOD_URLS and --debuginfod: asked' found
check 'once' test "$(asked)" = 1
check 'by the build-id' grep -q "^GET /buildid/$build_id/debuginfo " server.port.log
check 'the file is kept' cmp -s cache/debuginfod-*-debug.tmx served/game.debug
check 'and nothing else' test "$(left)" = 1
ask --debuginfod="$url"
check 'again: from the cache' found
check 'without asking' test "$(asked)" = 1
echo spoilt >"$(echo cache/debuginfod-*-debug.tmx)"
ask --debuginfod="$url"
check 'a kept file that was spoilt is got again' found
check 'by asking again' test "$(asked)" = 2
# tracemill run: the program is stripped, its lines come from the server. --no-cache is no option of it.
before=$(asked)
XDG_CACHE_HOME=$PWD/cache tracemill run -o run.tmt bin/game >got 2>err
check 'tracemill run: no server is asked unasked' test "$(asked)" = "$before"
XDG_CACHE_HOME=$PWD/cache tracemill run --debuginfod="$url" -o run.tmt bin/game >got 2>err
tm-dump -q --no-events run.tmt >got
check 'tracemill run --debuginfod=URL: lines' grep -q 'call function="main" file=".*game.c" line=' got
check 'tracemill run --debuginfod=URL: asked' test "$(asked)" -gt "$before"
clean
DEBUGINFOD_URLS=$url XDG_CACHE_HOME=$PWD/cache tracemill run --debuginfod -o run.tmt bin/game >got 2>err
tm-dump -q --no-events run.tmt >got
check 'tracemill run --debuginfod: of the environment' grep -q 'call function="main" file=".*game.c" line=' got
clean
XDG_CACHE_HOME=$PWD/cache tm-record --debuginfod -o run.tmt bin/game >got 2>err
check 'tm-record --debuginfod without a server: before anything runs' test $? = 2
check '... names that of the system' grep -q 'DEBUGINFOD_URLS is not set; .* server is --debuginfod=https://' err
check '... and nothing has run' test ! -s got
TRACEMILL_DEBUGINFOD_URLS=$url ask
check 'TRACEMILL_DEBUGINFOD_URLS: asked' found
clean
TRACEMILL_DEBUGINFOD_URLS=$url ask --no-debuginfod
check '--no-debuginfod: not asked' not_found
ask --debuginfod="$url" --no-cache
check '--no-cache: asked' found
check 'and nothing is kept' nothing_left
tm-addr2line -e bin/game --debuginfod 0 >got 2>err
check '--debuginfod without a server is wrong usage' test $? = 2
ask --debuginfod=nowhere
check 'as is what is no address' grep -q "'nowhere' is not the address of a server" err
clean
ask --debuginfod="$url" --progress=always
check 'progress is shown' grep -q '^debuginfod: ' err
for program in 'tm-atos -o bin/game' 'tm-llvm-symbolizer --obj bin/game' 'tm-inspect bin/game'; do
	clean
	$program --cache cache --debuginfod="$url" "${program/*inspect*/bin/other}" >got 2>err "$address"
	check "${program%% *}: asked, too" test "$(find cache -name 'debuginfod-*' | wc -l)" -ge 1
done

# The binary of a module that is not here: its own build-id is asked for.
"$GEN/trace" --module /gone/game --build-id "$build_id" --base 0x10000 \
	--address $((0x10000 + address)) >one.tmt
for what in game served/game.debug; do
	server_stub serve $what
	clean
	tm-symbolize --cache cache --debuginfod="$url" one.tmt 2>err >named.tmt
	check "a module's file is got: $what" grep -q "^GET /buildid/$build_id/executable " server.port.log
	tm-dump -q --no-events named.tmt >got
	check 'and names its function' grep -q 'call function="play"' got
done
server_stub missing served/game.debug
clean
tm-symbolize -q --cache cache --debuginfod="$url" --explain one.tmt >got 2>err
check '--explain says that the server has none' grep -q "file not used: $url: the server has no such file" got

# What is wrong is found out, said, and leaves nothing.
wrong() { # MODE FILE WHAT-IS-SAID
	clean
	server_stub "$1" "$2"
	SECONDS=0
	ask --debuginfod="$url" --debuginfod-timeout 2
	check "$1: answered without it" not_found
	check "$1: said" grep -q "$3" err
	check "$1: in time" test $SECONDS -lt 12
	check "$1: nothing is kept" nothing_left
}
wrong serve served/other.debug 'was removed: its build-id is another one'
wrong junk served/game.debug 'was removed: no binary or debug file of a known kind'
wrong cut served/game.debug 'was removed: .*outside the file'
wrong truncate served/game.debug 'debuginfod: http.*: transfer closed with'
wrong empty served/game.debug 'debuginfod: http.*: nothing came'
wrong error served/game.debug 'debuginfod: http.*: .* error: 500'
wrong noise served/game.debug 'debuginfod: http.*: Received HTTP/0.9'
wrong stall served/game.debug 'no answer in time; it is skipped from now on'
wrong drip served/game.debug 'too slow; it is skipped from now on\|no answer in time; it is skipped'
wrong huge served/game.debug 'too large'
clean
server_stub missing served/game.debug
ask --debuginfod="$url"
check 'missing: no word of it' test ! -s err
check 'missing: nothing is kept' nothing_left
server_stop
XDG_CACHE_HOME=$PWD/cache tm-record --debuginfod="$url" -o run.tmt bin/game >got 2>err
check 'offline: tm-record says so, and has its trace' eval 'grep -q "it is skipped from now on" err && [ -s run.tmt ]'
ask --debuginfod="$url"
check 'offline: answered without it' not_found
check 'offline: said once' test "$(grep -c 'it is skipped from now on' err)" = 1

if ! command -v debuginfod >/dev/null; then
	echo "skip - elfutils' server (no debuginfod)"
	exit $failed
fi
server_elfutils "$PWD/served" "$PWD/bin"
clean
ask --debuginfod="$url"
check "elfutils' server: found" found
check "elfutils' server: the file is kept" cmp -s cache/debuginfod-"$build_id"-debug.tmx served/game.debug
clean
tm-symbolize --cache cache --debuginfod="$url" one.tmt 2>err >named.tmt
tm-dump -q --no-events named.tmt >got
check "elfutils' server: binary and debug file of a module" grep -q 'call function="play" file=".*game.c" line=' got
check "elfutils' server: both are kept" test "$(find cache -name 'debuginfod-*' | wc -l)" = 2
gcc -g -O1 -DTHIRD -Wl,--build-id=sha1 -x c <(cat game.c; echo 'int third;') -o third && strip third
tm-addr2line --cache cache --lenient -f -i -e third --debuginfod="$url" "$address" >got 2>err
check "elfutils' server: what it does not have is no error" test ! -s err
server_stop
ask --debuginfod="$url"
check "elfutils' server gone: answered from the cache" found
exit $failed
