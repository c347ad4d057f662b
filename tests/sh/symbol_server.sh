#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# PDBs from symbol servers of Windows over HTTP, on the loopback interface: asked only where one was named, by
# NAME/GUIDAGE/NAME, kept, compared; a compressed file and a file.ptr are named; what is wrong, cut, slow, huge or
# redirected without end leaves nothing behind and all goes on without it.
# expects: signals
# timeout: 300
# shellcheck disable=SC2317 # functions are called by check
set -u
: "${SRC:?}" "${BIN:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/servers.bash
. "$SRC/tests/servers.bash"

for tool in clang-19 lld-link-19 llvm-readobj-19 llvm-pdbutil-19; do
	command -v $tool >/dev/null || {
		echo "skip - symbol_server: no $tool"
		exit 0
	}
done
unset DEBUGINFOD_URLS TRACEMILL_DEBUGINFOD_URLS
export XDG_CACHE_HOME=$PWD/home TMPDIR=$PWD/tmp http_proxy='' no_proxy='*'
mkdir -p home tmp served
trap server_stop EXIT

cat >game.c <<'X'
static inline __attribute__((always_inline)) int roll(int sides)
{
	return sides * 3;
}
__declspec(dllexport) int play(int n)
{
	return roll(n) + 1;
}
#ifdef OTHER
int other(int n) { return play(n) + 2; }
#endif
int mainCRTStartup(void) { return play(4); }
X
make_game() {
	clang-19 --target=x86_64-pc-windows-msvc -ffreestanding -g -gcodeview -O1 -fno-inline-functions "$@" -c game.c -o game.obj &&
		lld-link-19 /nodefaultlib /entry:mainCRTStartup /subsystem:console /debug /pdb:game.pdb /pdbaltpath:game.pdb /out:game.exe game.obj
}
if ! { make_game -DOTHER && mv game.pdb served/other.pdb && make_game; } >err 2>&1; then
	echo "skip - symbol_server: cannot be made: $(head -n 1 err)"
	exit 0
fi
mv game.pdb served/game.pdb
address=0x$(printf %x $((0x140000000 + $(llvm-readobj-19 --coff-exports game.exe | sed -n 's/ *RVA: //p'))))
# As LLVM writes it; the age is 1.
key=$(llvm-readobj-19 --coff-debug-directory game.exe | sed -n 's/.*PDBGUID: {\(.*\)}/\1/p' | tr -d -)1
tm-addr2line --no-cache --lenient -f -i -e game.exe "$address" >without 2>err
mkdir beside && cp game.exe served/game.pdb beside
tm-addr2line --no-cache -f -i -e beside/game.exe "$address" >want 2>err

ask() { tm-addr2line --cache cache --lenient -f -i -e game.exe "$@" "$address" >got 2>err; }
found() { cmp -s want got; }
not_found() { cmp -s without got; }
left() { find cache tmp -mindepth 1 2>/dev/null | wc -l; }
nothing_left() { [ "$(left)" = 0 ]; }
clean() { rm -rf cache tmp/*; }
asked() { wc -l <server.port.log; }

check 'the PDB has lines' grep -q 'game.c:[37]' want
check 'which are not in the program' test "$(cat want)" != "$(cat without)"

server_stub serve served/game.pdb
clean
ask
check 'no option: not asked' not_found
check 'not even once' test "$(asked)" = 0
ask --symbol-server "$url/symbols/"
check 'named: found' found
check 'by name, GUID and age' grep -q "^GET /symbols/game.pdb/$key/game.pdb " server.port.log
check 'at the first request' test "$(asked)" = 1
check 'the file is kept' cmp -s "cache/symbols-$key.tmx" served/game.pdb
check 'and nothing else' test "$(left)" = 1
ask --symbol-server "$url/symbols"
check 'again: from the cache' test "$(asked)" = 1
echo spoilt >"cache/symbols-$key.tmx"
ask --symbol-server "$url"
check 'a kept file that was spoilt is got again' found
ask --symbol-server "$url" --no-debuginfod
clean
ask --symbol-server "$url" --no-debuginfod
check '--no-debuginfod asks no server' not_found
clean
tm-llvm-symbolizer --cache cache --symbol-server "$url" --obj=game.exe "$address" >got 2>err
check 'tm-llvm-symbolizer has the option' grep -q 'game.c:[37]' got
clean
tm-addr2line --symbol-server ftp://host -e game.exe 0 >got 2>err
check 'only http and https' grep -q "symbol-server: 'ftp://host' is not an address" err
tm-addr2line --symbol-server "$PWD/served" -e game.exe 0 >got 2>err
check '... and folders have an option of their own' grep -q 'for a folder: --debug-dir' err

# What goes wrong: MODE FILE TEXT OPTION...
wrong() {
	server_stub "$1" "$2"
	clean
	ask --symbol-server "$url" "${@:4}"
	check "$1: no answer" not_found
	check "$1: said so" grep -q "$3" err
	check "$1: nothing is left" nothing_left
}
server_stub missing /dev/null
clean
ask --symbol-server "$url"
check 'missing: no answer' not_found
check 'missing: asked for what may stand in for it' grep -q "^GET /game.pdb/$key/file.ptr " server.port.log
check 'missing: nothing is left' nothing_left
check 'missing: one complaint' test "$(grep 'symbol server:' err)" = "tm-addr2line: symbol server: $url: asked for 1 file, does not have it"
wrong serve served/other.pdb 'symbol server: .*wrong file, which was removed: its GUID is another one'
wrong serve game.exe 'wrong file, which was removed: it is no PDB'
wrong junk /dev/null 'wrong file, which was removed: it is no PDB'
wrong empty /dev/null 'wrong file, which was removed: it is no PDB'
wrong error /dev/null 'it answered with status 500'
wrong truncate served/game.pdb 'symbol server: '
wrong cut served/game.pdb 'wrong file, which was removed'
wrong noise /dev/null 'symbol server: '
wrong stall /dev/null 'no answer in time' --debuginfod-timeout 1
wrong drip served/game.pdb 'too slow' --debuginfod-timeout 1
wrong huge /dev/null 'too large'
wrong circle /dev/null 'symbol server: '
wrong packed game.exe 'compressed, as game.pd_'
printf '%s\n' 'PATH:\\builds\store\game.pdb' >pointer
wrong pointer pointer 'file.ptr in its place: PATH:.*store.*game.pdb'

# A minidump, whose game.exe is not here: C:\\g\\game.exe, which stopped at 0x1000 in it, the first function.
"$GEN/minidump" x64 | python3 -c 'import sys, uuid
guid = uuid.UUID(sys.argv[1][:32]).bytes_le
sys.stdout.buffer.write(sys.stdin.buffer.read().replace(bytes(range(16, 32)), guid))' "$key" >game.dmp
first=$(tm-addr2line --no-cache -f -e beside/game.exe 0x140001000 | tail -n 1)
server_stub serve served/game.pdb
clean
tm-symbolize --cache cache -o dump.tmt game.dmp >out 2>err
check 'a minidump without its program: no server is asked unless one was named' test "$(asked)" = 0
tm-symbolize --cache cache --symbol-server "$url" -o dump.tmt game.dmp >out 2>err
check '... asked by the name of the module' grep -q "^GET /game.pdb/$key/game.pdb " server.port.log
check '... once' test "$(asked)" = 1
tm-dump -q dump.tmt >out 2>err
check "... named" grep -q "function=\"play\".* line=${first##*:}\$" out
server_stub missing /dev/null
clean
sed 's/game/gape/g' game.dmp >gape.dmp
tm-symbolize --cache cache --symbol-server "$url" game.dmp gape.dmp >out 2>err
check '... a server that has nothing: said once, for all captures' test "$(grep -c 'symbol server: .*: asked for [0-9]* files*, \(has none of them\|does not have it\)$' err)" = 1
server_stub serve served/other.pdb
clean
tm-symbolize --cache cache --symbol-server "$url" -o dump.tmt game.dmp >out 2>err
check '... another PDB is refused' grep -q 'wrong file, which was removed: its GUID is another one' err

server_stub redirect served/game.pdb
clean
ask --symbol-server "$url"
check 'redirected: found' found
server_stop
clean
ask --symbol-server "$url"
check 'out of reach: no answer' not_found
check 'out of reach: said so' grep -q 'symbol server: ' err
check 'out of reach: nothing is left' nothing_left
# Of two servers the one that does not answer is named, once, and the other one goes on.
gone=$url
cp game.exe twin.exe
make_game -DOTHER >out 2>&1 && mv game.exe other.exe && mv twin.exe game.exe
address2=0x$(printf %x $((0x140000000 + $(llvm-readobj-19 --coff-exports other.exe | sed -n 's/ *RVA: //p'))))
printf '%s\n' "game.exe $address" "other.exe $address2" >asks
clean
server_stub serve served/game.pdb
tm-llvm-symbolizer --cache cache --lenient --symbol-server "$gone" --symbol-server "$url" <asks >got 2>err
check 'one of two is out of reach: the other one has the file' grep -q 'game.c:[37]' got
check '... said once' test "$(grep -c "symbol server: $gone: .*; skipped from now on" err)" = 1
check '... and of no other one' test "$(grep -c "skipped" err)" = 1
server_stop
clean
tm-llvm-symbolizer --cache cache --lenient --symbol-server "$gone" <asks >got 2>err
check 'the only one is out of reach: one message, for two modules' test "$(grep -c 'symbol server: ' err)" = 1
exit $failed
