#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The persistent index: the same answers as without it, byte for byte, from every program that reads
# it, and whatever happens to its files: builders at once, kill -9, a full disk, flipped bits, other
# binaries, no rights, a limit.
# expects: signals
# timeout: 1200
# shellcheck disable=SC2317 # functions are called by check
set -u
: "${SRC:?}" "${DATA:?}" "${BIN:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck source=tests/nobody.bash
. "$SRC/tests/nobody.bash"

for tool in g++ objcopy objdump strip; do
	if ! command -v $tool >/dev/null 2>&1; then
		echo "skip - index (no $tool)"
		exit 0
	fi
done
src=$SRC/testdata/src/dwarf
cache=$PWD/cache
unset XDG_CACHE_HOME TRACEMILL_CACHE_LIMIT

build() { # NAME COMPILER FLAGS...
	local name=$1 cc=$2 cxx=g++

	shift 2
	[ "$cc" = clang ] && cxx=clang++
	"$cc" -g "$@" -c "$src/plain.c" -o plain.o &&
		"$cxx" -g "$@" -c "$src/main.cpp" -o main.o &&
		"$cxx" -g "$@" -c "$src/other.cpp" -o other.o &&
		"$cxx" -g "$@" -o "$name" main.o other.o plain.o
}

# Every byte of the code (with a sanitizer every seventh), and what is nowhere.
step=1
[ -z "${SAN-}" ] || step=7
addresses() { # FILE
	local from to

	from=$(objdump -h "$1" 2>/dev/null | awk '$2 == ".init" || $2 == ".text" { print $4; exit }')
	to=$(objdump -h "$1" 2>/dev/null | awk '$2 == ".fini" || $2 == ".text" { f = $4; s = $3 } END { print f, s }')
	from=$((16#${from:-1000}))
	to=$((16#${to% *} + 16#${to#* }))
	((to - from < 1 << 20)) || to=$((from + (1 << 20)))
	seq $((from > 16 ? from - 16 : 0)) $step $((to + 40)) | xargs printf '0x%x\n'
	printf '0x%s\n' 0 1 ffffffffffffffff 7fffffffffff 123456789
}

# ask OUT OPTIONS...: what every program says of the file x for the addresses in asked; what its
# sandbox holds differs by the cache's folder.
ask() {
	local out=$1

	shift
	{
		tm-addr2line --verbose -afi -e x "$@" <asked
		echo "status $?"
		tm-addr2line --lenient -fC -e x "$@" <asked
		tm-llvm-symbolizer -e x --output-style=LLVM "$@" <asked
		echo "status $?"
		tm-llvm-symbolizer -e x --output-style=JSON --no-demangle "$@" <asked
		tm-atos --lenient -i -o x "$@" <asked
	} 2>&1 | grep -v '^tm-addr2line: sandbox: ' >"$out"
	return 0
}
prewarm() { tm-symbolize --prewarm --cache "$cache" "$@" >out 2>err; }
indexes() { find "${1:-$cache}" -name '*.tmx' 2>/dev/null | wc -l; }
leftovers() { find "$cache" ! -name '*.tmx' ! -type d | grep -q .; }

# same NAME: the file x, from the engine and from a fresh index
same() {
	rm -rf "$cache"
	[ -n "${2-}" ] || addresses x >asked
	ask want --no-cache
	prewarm x
	status=$?
	ask got --cache "$cache"
	cmp -s want got && return 0
	diff want got | head -n 8
	return 1
}
same_indexed() { same "$@" && [ "$status" = 0 ] && [ "$(indexes)" = 1 ]; }

# --- builds: every byte of their code ---

# shellcheck disable=SC2086 # several flags
with_flags() { build x "$cc" $flags 2>err; }
while read -r name cc flags; do
	if ! command -v "$cc" >/dev/null 2>&1; then
		echo "skip - index of $name (no $cc)"
	elif ! with_flags; then
		echo "skip - index of $name ($cc cannot build it: $(head -n 1 err))"
	else
		check "$name: every byte, every program" same_indexed
		case $name in gcc-O2) cp x keep ;; esac
	fi
done <<'BUILDS'
gcc-O0 gcc -O0
gcc-O2 gcc -O2
gcc-O3-sections gcc -O3 -ffunction-sections -Wl,--gc-sections
gcc-lto gcc -O2 -flto
gcc-dwarf2 gcc -O2 -gdwarf-2 -gstrict-dwarf
gcc-dwarf3 gcc -O2 -gdwarf-3
gcc-dwarf4 gcc -O2 -gdwarf-4 -fdebug-types-section
gcc-dwarf64 gcc -O2 -gdwarf-5 -gdwarf64
clang-O2 clang -O2
clang-dwarf4 clang -O1 -gdwarf-4
no-build-id gcc -O2 -Wl,--build-id=none
BUILDS
[ -f keep ] || exit 1

# Their functions are elsewhere: asked of the engine, with its complaints.
if build x gcc -O2 -gdwarf-5 -gsplit-dwarf 2>err; then
	check "split DWARF: asked of the engine" same
fi
cp keep x
objcopy --compress-debug-sections=zlib x
check "compressed sections" same_indexed
cp keep x
objcopy --only-keep-debug x x.debug && strip x && objcopy --add-gnu-debuglink=x.debug x
check "a debug file beside it" same_indexed
rm -f x.debug

# Damaged files: what is said of an address may depend on what else is asked, complaints too.
if [ -d "$DATA/corpus/fast" ]; then
	# shellcheck disable=SC2012 # names without blanks, and too many for one loop of processes
	every=$(ls "$DATA"/corpus/fast/* | awk '!/-[0-9][0-9][0-9][0-9]$/ || NR % 4 == 0')
	rm -rf "$cache"
	# shellcheck disable=SC2086 # several files
	index_check() { "$GEN/index_check" "$cache" $every >err; }
	check "damaged and unusual files, asked at once, in part and alone" index_check
	tail -n 1 err | sed 's/^/    /'
else
	echo "skip - damaged files ($DATA/corpus is not there)"
fi

# --- PDBs: all have one GUID ---

for kind in pdb scattered wide cross x86 omap omap-headers; do
	"$GEN/pdb" $kind 1 >"$kind.pdb"
done
rm -rf "$cache"
pdbs() { "$GEN/index_check" "$cache" ./*.pdb "$SRC"/tests/fuzz/corpus/pdb/* >err; }
check "PDBs, asked at once, in part and alone" pdbs
check "... of which each has an index" grep -q '^12 files, 12 with an index' err
"$GEN/pdb" exe 1 app.pdb >app.exe
seq $((0x140000ff0)) $((0x140001510)) | xargs printf '0x%x\n' >asked
other_pdb() { # KIND AGE
	"$GEN/pdb" "$1" "$2" >app.pdb && "$GEN/pdb" exe "$2" app.pdb >app.exe && prewarm app.exe &&
		tm-addr2line -afi --lenient --no-cache -e app.exe <asked >want 2>err &&
		tm-addr2line -afi --lenient --cache "$cache" -e app.exe <asked >got 2>err && cmp want got &&
		[ "$(grep -c think got)" -gt 20 ]
}
rm -rf "$cache"
other_pdbs() { other_pdb pdb 1 && other_pdb pdb 2 && other_pdb cross 2 && other_pdb omap 2 && [ "$(indexes)" = 4 ]; }
check "a PDB of another age, or with other streams: not the old index" other_pdbs
rm -f ./*.pdb app.exe

# --- whole traces, and their notes ---

traces=0
for dir in "$DATA"/demo/*-dwarf*/; do
	dir=${dir%/}
	[ -e "$dir/arcade.maps" ] || continue
	options=(-q --maps "$dir/arcade.maps" -e "$dir/bin/arcade" -e "$dir/bin/libengine.so")
	[ -d "$dir/debug" ] && options+=(--debug-dir "$dir/debug")
	rm -rf "$cache"
	tm-symbolize "${options[@]}" --no-cache "$dir/arcade.mem" >want 2>err
	tm-symbolize --prewarm --cache "$cache" ${options[7]+"${options[@]:7:2}"} "$dir/bin/arcade" "$dir/bin/libengine.so" >out 2>err
	tm-symbolize "${options[@]}" --cache "$cache" "$dir/arcade.mem" >got 2>err
	trace() { [ "$(indexes)" = 2 ] && [ -s want ] && cmp -s want got; }
	check "${dir##*/}: the same trace" trace
	traces=$((traces + 1))
done
[ $traces -gt 0 ] || echo "skip - traces of the demo ($DATA/demo is not there)"

# --- when it is built ---

cp keep x
batch() { seq 1048576 $((1048576 + $1 - 1)) | xargs printf '0x%x\n'; }
rm -rf "$cache"
no_index() { [ -z "$(find "$cache" -type f)" ]; } # the folder is made before the sandbox holds
batch 19999 | tm-addr2line --lenient -e x --cache "$cache" >got 2>err
check "19,999 addresses: no index" no_index
batch 20000 | tm-addr2line --lenient -e x --cache "$cache" >got 2>err
check "20,000 addresses: an index" [ "$(indexes)" = 1 ]
check "... and nothing is said" [ ! -s err ]
rm -rf "$cache" home
batch 20000 | XDG_CACHE_HOME=$PWD/own tm-addr2line --lenient -e x >got 2>err
check "XDG_CACHE_HOME" [ "$(indexes own/tracemill)" = 1 ]
batch 20000 | HOME=$PWD/home tm-addr2line --lenient -e x >got 2>err
check "HOME that is not there is not made" [ ! -e home ]
mkdir home
batch 20000 | HOME=$PWD/home tm-addr2line --lenient -e x >got 2>err
check "HOME" [ "$(indexes home/.cache/tracemill)" = 1 ]
rm -rf home
batch 20000 >many
for program in 'tm-addr2line -e' 'tm-llvm-symbolizer -e' 'tm-atos -o'; do
	# shellcheck disable=SC2086 # program and option
	HOME=$PWD/home $program x --no-cache --lenient <many >got 2>err
done
tm-symbolize -q --no-cache -e x "$DATA"/demo/*/arcade.mem >got 2>err
check "--no-cache: no file" [ ! -e home ]
nowhere() {
	env -u HOME -u XDG_CACHE_HOME tm-addr2line --lenient -e x <many >got 2>err && [ ! -s err ] &&
		env -u HOME -u XDG_CACHE_HOME tm-addr2line --verbose -e x 0 2>&1 | grep -q 'no cache: neither'
}
check "no HOME: nothing is said, but with --verbose" nowhere
unwritable() {
	HOME=/proc/none tm-addr2line --lenient -e x <many >got 2>err && [ ! -s err ] &&
		HOME=/proc/none tm-addr2line --verbose --lenient -e x <many 2>&1 | grep -q 'no index: '
}
check "a HOME that cannot be written to: the same" unwritable
prewarm_fails() { ! HOME=/proc/none tm-symbolize --prewarm x 2>err && [ "$(wc -l <err)" = 1 ]; }
check "--prewarm: an error then" prewarm_fails
tm-symbolize --prewarm 2>err
check "--prewarm without a file: status 2" [ $? = 2 ]
prewarm "$src/main.cpp"
check "--prewarm of what is no binary: status 3" [ $? = 3 ]
if command -v zip >/dev/null; then
	cp x lib.so
	zip -q -0 -X some.zip lib.so
	prewarm some.zip
	check "... and of a zip file, with what to name: status 3" \
		[ "$? $(cat err)" = "3 tm-symbolize: some.zip: a zip file: name a library in it (there are 1), as in some.zip!/lib.so" ]
else
	echo "skip - --prewarm of a zip file (no zip)"
fi
strip -o bare keep
tm-symbolize --prewarm --cache "$cache" bare 2>err
check "--prewarm without DWARF: status 4" [ $? = 4 ]

# --- several at once ---

cp "$BIN/tm-symbolize" x
objcopy --remove-section=.gnu_debuglink x 2>/dev/null
addresses x 2>/dev/null | head -n 3000 >asked
ask want --no-cache
rm -rf "$cache"
jobs_bad=0
pids=()
for i in 1 2 3 4 5 6 7 8; do
	if ((i % 2)); then
		tm-symbolize --prewarm --cache "$cache" x 2>>err.$i &
	else
		tm-addr2line --lenient -e x --cache "$cache" <many >/dev/null 2>>err.$i &
	fi
	pids+=($!)
done
for p in "${pids[@]}"; do
	wait "$p" || jobs_bad=1
done
at_once() { [ "$jobs_bad" = 0 ] && [ "$(indexes)" = 1 ] && ! leftovers && [ ! -s err.1 ] && [ ! -s err.2 ]; }
check "8 builders at once: one index" at_once
ask got --cache "$cache"
check "... and its answers" cmp -s want got
good=$(find "$cache" -name '*.tmx')
cp "$good" good
rm -rf "$cache"
prewarm -j 1 x
check "the same bytes from one worker" cmp -s good "$good"

left=0
for i in $(seq 1 12); do
	rm -f "$good"
	tm-symbolize --prewarm --cache "$cache" x 2>/dev/null &
	p=$!
	sleep "0.0$((RANDOM % 6))$((RANDOM % 10))"
	kill -9 $p 2>/dev/null
	wait $p 2>/dev/null
	leftovers && left=$((left + 1))
	[ ! -e "$good" ] || cmp -s good "$good" || echo "not ok - half an index after kill -9"
done
: >"$cache/other.1.tmx.part"
rm -f "$good"
prewarm x
killed() { ! leftovers && cmp -s good "$good"; }
check "kill -9 while it is built, 12 times ($left left a file): built anew, nothing left" killed

# --- a disk that is full ---

rm -rf "$cache"
(
	ulimit -f 16
	tm-symbolize --prewarm --cache "$cache" x 2>&1
	echo "status $?"
	tm-addr2line --lenient -e x --cache "$cache" <asked 2>&1
	tm-addr2line --lenient -e x --cache "$cache" <many 2>&1
	echo "status $?"
) | cat >got
full() {
	[ "$(sed -n 2p got)" = 'status 3' ] && head -n 1 got | grep -q 'too large' &&
		[ "$(tail -n 1 got)" = 'status 0' ] && [ "$(wc -l <got)" = $((3 + 3000 + 20000)) ] &&
		[ "$(indexes)" = 0 ] && ! leftovers
}
check "a full disk: an error of --prewarm, else nothing; no file" full

# --- damage ---

prewarm x
size=$(stat -c %s good)
tm-addr2line -afi -e x --no-cache <asked >want 2>/dev/null
tm-addr2line --lenient -e x --no-cache "$(head -n 500 asked | tail -n 1)" >want.one
bad=0 unmended=0 flips=0
flip() { # AT
	local byte

	byte=$(od -An -tu1 -j "$1" -N 1 good)
	cp good "$good"
	# shellcheck disable=SC2059 # an escape
	printf "\\$(printf %o $((byte ^ (1 << (flips % 8)))))" | dd of="$good" bs=1 seek="$1" conv=notrunc status=none
}
# shellcheck disable=SC2046 # numbers
for at in 0 8 12 16 24 32 36 40 44 48 56 64 72 88 104 120 136 137 200 201 504 511 512 520 \
	$(for i in $(seq 1 24); do echo $((i * size / 25)); done) $((size - 1)); do
	flips=$((flips + 1))
	flip "$at"
	tm-addr2line --lenient -e x --cache "$cache" "$(head -n 500 asked | tail -n 1)" >got.one 2>err
	cmp -s want.one got.one && [ ! -s err ] || bad=$((bad + 1))
	flip "$at"
	tm-addr2line -afi -e x --cache "$cache" <asked >got 2>/dev/null
	cmp -s want got || bad=$((bad + 1))
	flip "$at"
	prewarm x
	cmp -s good "$good" || unmended=$((unmended + 1))
done
mended() { [ "$bad" = 0 ] && [ "$unmended" = 0 ]; }
check "$flips flipped bits: the same answers, and --prewarm mends" mended
bad=0
for n in 0 1 511 512 513 600 $((size / 2)) $((size - 1)); do
	head -c "$n" good >"$good"
	tm-addr2line -afi -e x --cache "$cache" <asked >got 2>/dev/null
	cmp -s want got && cmp -s good "$good" || bad=$((bad + 1))
done
{ cat good; echo; } >"$good"
tm-addr2line -afi -e x --cache "$cache" <asked >got 2>/dev/null
cmp -s want got && cmp -s good "$good" || bad=$((bad + 1))
check "cut short, or longer: the same answers, and built anew" [ $bad = 0 ]
rm -f "$good"
mkdir "$good"
tm-addr2line -afi -e x --cache "$cache" <asked >got 2>/dev/null
check "a folder in its place" cmp -s want got
rmdir "$good"
mkfifo "$good"
timeout 20 tm-addr2line -afi -e x --cache "$cache" <asked >got 2>/dev/null
check "a FIFO in its place" cmp -s want got
rm -f "$good"

# --- another binary at the same path ---

build one gcc -O2
build two gcc -O0
build no-id gcc -O2 -Wl,--build-id=none
build no-id2 gcc -O1 -Wl,--build-id=none
stale() { # FIRST SECOND
	rm -rf "$cache"
	cp "$1" x
	prewarm x
	rm -f x
	cp "$2" x
	addresses x >asked
	ask want --no-cache
	ask got --cache "$cache"
	cmp -s want got
}
check "linked anew: not the old index" stale one two
check "... without a build-id" stale no-id no-id2
objcopy --remove-section=.debug_line one no-lines
check "one build-id: no lines, then all" stale no-lines one
check "... all, then no lines" stale one no-lines
strip --strip-debug -o symbols one
check "... all, then symbols only" stale one symbols
check "... symbols only, then all" stale symbols one
rm -rf "$cache"
prewarm one no-lines two no-id
check "each has its own" [ "$(indexes)" = 4 ]
in_place() {
	rm -rf "$cache"
	cp no-id x
	prewarm x
	cat no-id2 >x
	addresses x >asked
	ask want --no-cache
	ask got --cache "$cache"
	cmp -s want got
}
check "without a build-id, written over" in_place

# --- rights ---

rm -rf "$cache"
cp one x
prewarm x
cp -r "$cache" shared
chmod -R a+rX,a-w shared
before=$(find shared -type f -printf '%f %s %T@\n')
addresses x >asked
tm-addr2line -afi -e x --no-cache <asked >want 2>/dev/null
shared() (
	cd "$open" || exit
	as_nobody bin/tm-addr2line -afi -e x --cache shared <asked 2>/dev/null | cmp -s want - &&
		[ "$(find shared -type f -printf '%f %s %T@\n')" = "$before" ] &&
		[ -z "$(as_nobody bin/tm-addr2line --lenient -e two --cache shared <many 2>&1 >/dev/null)" ] &&
		[ "$(find shared -type f -printf '%f %s %T@\n')" = "$before" ]
)
open=$(nobody_folder tm-addr2line) || exit 1
cp -a shared x two asked many want "$open"
chmod -R a+rX "$open"
check "a folder that can only be read" shared
chmod -R u+w shared "$open"
rm -rf "$open"

# --- the limit ---

rm -rf "$cache"
for n in 1 2 3 4; do
	cp "$BIN/tm-symbolize" big$n
	printf '%s' $n >>big$n
	objcopy --remove-section=.note.gnu.build-id big$n
done
tm-symbolize --prewarm --cache "$cache" big1 2>err
each=$(find "$cache" -name '*.tmx' -printf '%s')
mib=$((each * 5 / 2 / 1048576))
if [ $mib -lt 1 ] || [ $((mib * 1048576)) -lt "$each" ]; then
	mib=$(((each + 1048575) / 1048576))
fi
touch -d '3 days ago' "$cache"/*.tmx
first=$(find "$cache" -name '*.tmx')
: >"$cache/not-ours"
for n in 2 3 4; do
	TRACEMILL_CACHE_LIMIT=$mib tm-symbolize --prewarm --cache "$cache" big$n 2>err
done
limited() {
	[ ! -e "$first" ] && [ -e "$cache/not-ours" ] && [ "$(indexes)" -ge 1 ] &&
		[ "$(find "$cache" -name '*.tmx' -printf '%s\n' | awk '{ n += $1 } END { print n }')" -le $((mib * 1048576)) ]
}
check "the limit: what was used longest ago goes, other files stay" limited
rm -rf "$cache"
TRACEMILL_CACHE_LIMIT=0 tm-symbolize --prewarm --cache "$cache" big1 2>err
over() { [ "$(indexes)" = 0 ] && ! leftovers && grep -q 'over the cache' err; }
check "an index over the limit: an error of --prewarm" over
exit $failed
