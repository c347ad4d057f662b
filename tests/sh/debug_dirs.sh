#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# --debug-dir: any layout, several folders, links in circles, folders without rights, what is no
# binary; the cache of build-ids, and what changes behind its back; many files. --sysroot, --module-file.
# timeout: 600
# shellcheck disable=SC2317 # functions are called by check
set -u
: "${SRC:?}" "${BIN:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/nobody.bash
. "$SRC/tests/nobody.bash"

for tool in gcc objcopy strip readelf setsid; do
	if ! command -v $tool >/dev/null 2>&1; then
		echo "skip - debug_dirs (no $tool)"
		exit 0
	fi
done
export XDG_CACHE_HOME=$PWD/home
unset TRACEMILL_DEBUGINFOD_URLS
mkdir -p bin dir/a/b home

cat >game.c <<'X'
int play(int n)
{
	return n + 1;
}
int main(void)
{
	return play(1);
}
X
for f in game other; do
	gcc -g -O0 -Wl,--build-id=sha1 -x c <(cat game.c; echo "int is_$f;") -o $f || exit 1
	objcopy --only-keep-debug $f $f.debug
	strip -o bin/$f $f
done
build_id=$(readelf -n game | sed -n 's/.*Build ID: //p')
address=0x$(nm game | awk '/ play$/ { print $1 }')
tm-addr2line --no-cache -f -e game "$address" >want

# Everything is old enough to be remembered.
age() { find "$@" -exec touch -h -d '1 hour ago' {} +; }
ask() { tm-addr2line --lenient --verbose --cache cache -f -e bin/game "$@" "$address" >got 2>err; }
found() { cmp -s want got; }
not_found() { ! found; }
opened() { grep -q ": $1 files, $2 with a build-id; $3 had to be opened" err; }

# A name that says nothing, among what is no binary.
cp game.debug dir/a/b/0001.bin
cp other.debug dir/a/0002.bin
cp game.c dir/a
: >dir/empty
head -c 100 game.debug >dir/cut
mkfifo dir/pipe
ln -s .. dir/a/up
ln -s here dir/here
ln -s /nowhere/at/all dir/gone
age dir
ask --debug-dir dir
check 'found by its build-id, far below' found
check 'every file was looked at once, links in circles left out' opened 5 2 5
ask --debug-dir dir
check 'again' found
check 'nothing had to be opened' opened 5 2 0
ask --no-cache --debug-dir dir
check 'without the cache' found
check 'all were opened' opened 5 2 5

# What is behind the cache's back: another file in its place, one more, one less, one renamed.
cp other.debug dir/a/b/0001.bin
age dir
ask --debug-dir dir
check 'overwritten by another build: not found' not_found
cp game.debug dir/new
age dir/new
ask --debug-dir dir
check 'a new one is found' found
check 'it alone had to be opened' opened 6 3 1
mv dir/new dir/a/renamed
ask --debug-dir dir
check 'renamed: found' found
check 'nothing had to be opened for that' opened 6 3 0
rm dir/a/renamed
ask --debug-dir dir
check 'removed: not found' not_found
cp game.debug dir/a/b/0001.bin
age dir
for what in "truncate -s 40" "truncate -s 0" "sh -c 'printf x | dd of=\$1 bs=1 seek=50 conv=notrunc 2>/dev/null' -" \
	"cp /dev/null"; do
	ask --debug-dir dir
	eval "$what" "$(echo cache/ids-*.tmx)"
	ask --debug-dir dir
	check "a cache that is damaged is made anew: ${what%% -*}" found
done
touch dir/a/b/0001.bin
ask --debug-dir dir
ask --debug-dir dir
check 'what was modified just now is not remembered' opened 5 2 1
age dir/a/b/0001.bin
ask --debug-dir dir

# Several folders, and one inside the other.
mkdir empty
ask --debug-dir empty --debug-dir dir/a --debug-dir dir
check 'several folders' found
check 'what is in two of them counts once' opened 5 2 5
ask --debug-dir dir
check 'and the cache of the outer one is still good' opened 5 2 0
ask --debug-dir empty
check 'an empty one' not_found
ask --debug-dir gone
check 'one that is not there: an error' grep -q 'gone: --debug-dir: no such folder' err
free=$(nobody_folder tm-addr2line) || exit 1
mkdir -p "$free/open/locked" "$free/open/listed"
cp game.debug "$free/open/z"
cp game.debug "$free/open/locked"
cp bin/game "$free/"
chmod 000 "$free/open/locked"
chmod 744 "$free/open/listed"
(cd "$free" && as_nobody bin/tm-addr2line --no-cache -f -e game --debug-dir open "$address") >got 2>err
check 'a folder without rights is left out' found
check 'and told' grep -q '1 folders could not be read, the first is open/locked' err
chmod -R u+rwx "$free" && rm -rf "$free"

# Folders too deep for a path.
mkdir open && cp game.debug open/z
(
	cd open || exit
	name=$(printf 'd%.0s' {1..250})
	for ((i = 0; i < 20; i++)); do
		mkdir "$name" 2>/dev/null || break
		cd "$name" 2>/dev/null || break
	done
)
tm-addr2line --no-cache -f -e bin/game --debug-dir open "$address" >got 2>err
check 'folders deeper than a path can be' found

# Many files: 20,000 that are no binaries, then the one.
mkdir -p many/{1..20}
(cd many && for d in {1..20}; do (cd "$d" && printf 'f%d\0' {1..1000} | xargs -0 touch); done)
cp game.debug many/17/here
age many
ask --debug-dir many
check 'one of 20,001 files' found
SECONDS=0
ask --debug-dir many
check 'again, none opened' opened 20001 1 0
check 'at once' test $SECONDS -le 5

# A sysroot: its own build-id tree and debug folder, for binaries that are there and for modules.
tree=root/usr/lib/debug/.build-id/${build_id:0:2}
mkdir -p "$tree" root/opt/game/bin
cp game.debug "$tree/${build_id:2}.debug"
tm-addr2line -f -e bin/game --sysroot root "$address" >got 2>err
check 'the build-id tree of a sysroot' found
rm -r root/usr
mkdir -p root/usr/lib/debug/opt/game/bin
cp game.debug root/usr/lib/debug/opt/game/bin/game.dbgsym
objcopy --remove-section .note.gnu.build-id --add-gnu-debuglink=root/usr/lib/debug/opt/game/bin/game.dbgsym \
	bin/game root/opt/game/bin/game 2>err
tm-addr2line -f -e root/opt/game/bin/game --sysroot root "$address" >got 2>err
check 'the debug folder of a sysroot, by debug link' found

# Modules of a capture.
module() { # OPTION...: the function that is named
	tm-symbolize "$@" --cache cache one.tmt 2>err | tm-dump -q --no-events | sed -n 's/.*call function="\([^"]*\)".*/\1/p'
}
"$GEN/trace" --module /opt/game/bin/game --build-id "$build_id" --base 0x10000 \
	--address $((0x10000 + address)) >one.tmt
is() { [ "$1" = "$2" ]; }
check 'no file' is "$(module)" ''
check 'only its debug file, in a folder: enough for names' is "$(module --debug-dir dir)" play
rm -r root
mkdir -p "$tree" root/opt/game/bin
cp other root/opt/game/bin/game
check 'another build at its path in the sysroot: not used' is "$(module --sysroot root)" ''
check 'and told' grep -q 'of another build: .* (.*: build-id differs)' err
cp game "$tree/${build_id:2}"
check "but the one in the sysroot's build-id tree" is "$(module --sysroot root)" play
cp game 'a=b'
check '--module-file' is "$(module --no-local --module-file game=a=b)" play
check '--module-file, by its path' is "$(module --no-local --module /opt/game/bin/game=game)" play
check '--module-file, another build' is "$(module --no-local --module-file game=other)" ''
check 'is told' grep -q 'of another build: .* (.*: build-id differs)' err
tm-llvm-symbolizer --module /far/away/game=game --output-style=GNU --functions "/far/away/game $address" >got 2>err
check 'tm-llvm-symbolizer --module-file' cmp -s want got
tm-symbolize --module-file game one.tmt >/dev/null 2>err
check '--module-file without a file: wrong usage' is $? 2

# The supplementary file that dwz makes of what two programs have in common, by its build-id.
if command -v dwz >/dev/null; then
	for f in 1 2; do
		{
			for i in {1..80}; do echo "struct s$i { int a$i; struct s$i *b$i; } v$i;"; done
			cat game.c
			echo "int only_$f;"
		} >many$f.c
		gcc -g -O0 -gdwarf-4 -Wl,--build-id=sha1 many$f.c -o many$f || failed=1
		cp many$f whole$f
	done
	dwz -m common many1 many2 2>err
	address=0x$(nm many1 | awk '/ play$/ { print $1 }')
	tm-addr2line --no-cache -f -e whole1 "$address" >want
	mkdir -p supplements/below
	mv common supplements/below/7
	readelf -S many1 | grep -q gnu_debugaltlink && tm-addr2line --no-cache -f -e many1 --debug-dir supplements "$address" >got 2>err
	check "dwz's supplementary file, somewhere below a folder" found
	check 'and nothing is said' test ! -s err
else
	echo 'skip - a supplementary file (no dwz)'
fi
"$GEN/minidump" x64 >x64.dmp
tm-symbolize --no-cache --explain --debug-dir no-folder x64.dmp >explained 2>err
check 'a folder that is not there is said once' [ "$(cat err explained | grep -c no-folder)" = 1 ]

exit $failed
