#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --verify: libdwarf's reading of DWARF against our own, in every program that has it; and against
# programs with a planted defect in the finding of split units, lib/dwarf/fast/split.c, which must be
# shown: the reader on libdwarf has its own.
set -u
. "$SRC/tests/check.bash"
libs=$(sed -n 's/^TM_LIBS :=//p' "$SRC/build/deps.mk")
san=${SAN:+-fsanitize=$SAN}

for name in one two; do
	cat >$name.c <<-C
		volatile int sink;
		static inline void inner_$name(int v) { sink += v; }
		int first_$name(int v) { inner_$name(v); return v + 1; }
		int second_$name(int v) { inner_$name(v + 2); return v + 2; }
		__attribute__((cold, noinline)) int third_$name(int v) { sink = v; inner_$name(3); return v; }
	C
done
sed -i 's/^volatile/extern volatile/' two.c
echo 'extern int nothing;' >last.c # the last unit has no code, and ends with an attribute of no bytes
echo 'int first_one(int); int third_two(int); int main(void) { return first_one(1) + third_two(2); }' >main.c
for version in 4 5; do
	check "a program of split units, DWARF $version" \
		"${CC:-cc}" -gdwarf-$version -gsplit-dwarf -O1 -o split$version one.c two.c main.c last.c 2>err
	nm split$version | awk '/ T (first|second|third)_/ { print "0x" $1 }' >asked$version
done
check "a program in one file" "${CC:-cc}" -g -O1 -o whole one.c two.c main.c 2>err
nm whole | awk '/ T (first|second|third)_/ { print "0x" $1 }' >asked
check "there are 6 functions" [ "$(wc -l <asked)" = 6 ]

says() { # WHAT STATUS SUMS; then a program: what it says of its answers
	local what=$1 want=$2 sums=$3 status

	shift 3
	"$@" >out 2>err
	status=$?
	check "$what: status $want" [ $status = "$want" ]
	check "$what: $sums" grep -q "verify: $sums unknown to libdwarf" err
}

equal='6 asked, 6 equal, 0 different, 0'
# shellcheck disable=SC2046 # addresses
{
	says tm-addr2line 0 "$equal" tm-addr2line --no-cache --verify 100 -e whole $(<asked)
	says tm-atos 0 "$equal" tm-atos --no-cache --verify 100 -o whole $(<asked)
	says tm-llvm-symbolizer 0 "$equal" tm-llvm-symbolizer --no-cache --verify 100 --obj whole $(<asked)
	says 'two answers' 0 '2 asked, 2 equal, 0 different, 0' tm-addr2line --no-cache --verify 2:7 -e whole $(<asked)
	check 'the seed is printed' grep -q 'the same again: --verify 2:7$' err
	says 'the index' 0 "$equal" tm-addr2line --cache cache --verify 6 -e whole $(<asked)
	cp whole bare
	strip bare
	says 'no DWARF' 5 '6 asked, 0 equal, 0 different, 6' tm-addr2line --lenient --no-cache --verify 6 -e bare $(<asked)
	check 'no DWARF: the reason' grep -q 'verify: 6 unknown: the file has no DWARF' err
	tm-addr2line --no-cache -e whole $(<asked) >plain 2>err
	tm-addr2line --no-cache --verify 6 -e whole $(<asked) >out 2>err
	check "answers are as without --verify" cmp plain out
	tm-addr2line --verify 0 -e whole 0 2>err
	check "--verify 0 is wrong usage" [ $? = 2 ]
}
awk '{ print "#" NR - 1 " pc " substr($1, 3) "  whole" }' asked >crash.log
says 'tm-symbolize --text' 0 "$equal" tm-symbolize --no-cache --text -e whole --verify 100 crash.log

# Nothing of it is there unasked: no process.
if command -v strace >/dev/null && [ -z "$san" ]; then
	# shellcheck disable=SC2046
	strace -f -e trace=process -o calls tm-addr2line --no-cache -e whole $(<asked) >out 2>err
	check "unasked no process is started" eval '! grep -E "fork|clone\(|clone3\(" calls | grep -v CLONE_THREAD | grep -q .'
fi

# The program with a defect: its own split.c comes before the library's.
planted() { # WHAT SED VERSION
	sed "$2" "$SRC/lib/dwarf/fast/split.c" >planted.c
	if cmp -s planted.c "$SRC/lib/dwarf/fast/split.c"; then
		[ "$2" ] && check "$1: a defect is planted" false
	fi
	# shellcheck disable=SC2086 # options
	check "$1: it compiles" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -w $san -I"$SRC" -I/usr/include/yajl -o planted planted.c \
		"$BUILD/obj/cmd/tm-addr2line.c.o" "$BUILD/rooms.a" $libs 2>err || return
	# shellcheck disable=SC2046
	./planted --no-sandbox --lenient --no-cache --verify 100:1 -f -e "split$3" $(<"asked$3") >out 2>err
	status=$?
}

for version in 4 5; do
	planted "split $version" '' "$version"
	check "split $version: sound, and equal" [ "$status:$(grep -c 'verify: 6 asked, 6 equal' err)" = 0:1 ]
	planted "split $version, wrong addresses" 's/addr_base = skeleton->addr_base/addr_base = skeleton->addr_base + 8/' "$version"
	check "split $version, wrong addresses: status 1" [ "$status" = 1 ]
	check "split $version, wrong addresses: shown" grep -q 'verify: split.*: different: answered: .*; libdwarf: ' err
	mkdir -p away
	cp split$version-*.dwo away
	cp split$version-two.dwo split$version-one.dwo
	planted "split $version, any file is right" 's/= map64_get(&d->ids, x->skeleton->dwo_id);/= 1;/' "$version"
	check "split $version, any file is right: status 1" [ "$status" = 1 ]
	check "split $version, any file is right: shown" grep -q 'different: answered: .*_two at .*; libdwarf: ? at ' err
	planted "split $version, the file is of another unit" '' "$version"
	check "split $version, the file is of another unit: both say so" [ "$status:$(grep -c 'verify: 6 asked, 6 equal' err)" = 0:1 ]
	cp away/*.dwo .
done
exit $failed
