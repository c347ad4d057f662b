#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Files that hold parts of the debug information, beyond tests/sh/matrix.sh: what is in the index of
# them, what is lost without them, links that lead in circles, .dwo and supplementary files that are
# cut or have flipped bits.
# expects: signals
# timeout: 800
set -u
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
matrix=$DATA/matrix
resolve=$GEN/resolve

take() { # ROW: a copy of it in ./x; false: it could not be made here
	rm -rf x
	[ -d "$matrix/$1" ] && [ ! -e "$matrix/$1/skip" ] && cp -r "$matrix/$1" x && return 0
	echo "skip - $1 (not made here)"
	return 1
}

ask() { # CACHE-OPTIONS...: of ./x
	(cd x && tm-addr2line -f -i -C "$@" -e game <addresses)
}

same() {
	ask --no-cache >without 2>without.err
	ask --cache cache >with 2>with.err
	cmp without with && cmp without.err with.err
}

# prewarmed PATTERN: what is said of a stretch; the index is there, and answers as the engine does
prewarmed() {
	rm -rf x/cache
	(cd x && tm-symbolize --prewarm --cache cache game) 2>err || return 1
	find x/cache -name '*.tmx' | grep -q . && same
}

for row in g++-split-dwarf4 g++-split-dwarf5 clang++-split-dwarf5 g++-dwp-dwarf5; do
	take $row || continue
	check "$row: an index, and its answers" prewarmed
	# nothing is left to the engine: it would complain of what is gone from the index
	check "$row: the same with the index" same
	mkdir away
	mv x/*.dw[op] away
	check "$row: not what the index said, when the file is gone" same
	check "$row: the reason is told" grep -q 'split DWARF: functions are in' with.err
	mv away/* x
	rmdir away
	check "$row: and again with it" same
	check "$row: no complaint then" test ! -s with.err
done

# Two programs with one build-id and other .dwo files would be distinguished by dwo_id; a .dwo file
# that is replaced is seen.
if take g++-split-dwarf5 && prewarmed; then
	cp x/world.dwo x/game.dwo
	check "a .dwo file of another unit takes its place" same
	check "it is refused" grep -q 'dwo_id differs' with.err
fi

# --explain names the file that a unit's functions are in.
if take g++-split-dwarf5; then
	(cd x && tm-addr2line --explain -e game "$(head -n 1 addresses)") >got 2>err
	check "the .dwo file is named" grep -q '^  part: .*\.dwo$' got
	check "with the functions in it" grep -q '^  function: DIE' got
	rm x/*.dwo
	(cd x && tm-addr2line --explain -e game "$(head -n 1 addresses)") >got 2>err
	check "or that it is not there" grep -q '^  part: split DWARF: .* does not exist$' got
fi

# Without the supplementary file a name may be missing, and no name is another one.
for row in dwz-common-dwarf4 dwz-common-dwarf5 dwz-sup-dwarf5; do
	take $row || continue
	"$resolve" -e fast x/game >whole 2>/dev/null
	rm x/common.debug
	for engine in fast reference; do
		"$resolve" -e $engine x/game >got.$engine 2>got.err
		check "$row: $engine says that it is missing" \
			grep -q 'supplementary file .*common.debug: not there' got.err
		paste -d '\n' whole got.$engine >both
		check "$row: $engine, names are missing and none is wrong" awk '
			NR % 2 { want = $0; next }
			$0 != want && $0 != "??" { bad++ }
			$0 == "??" && want != "??" { lost++ }
			END { exit bad || !lost }' both
	done
	check "$row: both engines miss the same" cmp got.fast got.reference
done

# refused ROW WHAT TEXT: the file in ./x is asked, by both engines, and says TEXT
refused() {
	local engine

	for engine in fast reference; do
		if timeout 60 "$resolve" -e $engine x/game >got 2>err && grep -q "$2" err; then
			echo "ok - $1: $engine"
		else
			echo "not ok - $1: $engine"
			head -n 3 err
		fi
	done
}

if take dwz-common-dwarf5; then
	link() { # FILE NAME BUILD-ID-OF
		{
			printf '%s\0' "$2"
			# shellcheck disable=SC2059 # bytes by their numbers
			[ "$3" ] && printf "$(readelf -n "$3" | sed -n 's/.*Build ID: //p' | sed 's/../\\x&/g')"
		} >link.bin
		objcopy --remove-section .gnu_debugaltlink "$1" &&
			objcopy --add-section .gnu_debugaltlink=link.bin "$1"
	}
	cp x/common.debug common.good
	"$resolve" -e fast x/game >whole 2>err
	# each names the other: the second link is not followed
	link x/common.debug game x/game
	"$resolve" -e fast x/game >got 2>err
	check "two files that name each other" cmp got whole
	# a file that names itself
	cp common.good x/common.debug
	id=$(readelf -n x/game | sed -n 's/.*Build ID: //p')
	if [ "$id" ]; then
		link x/game game x/game
		refused "a file that names itself" 'is the file with the link itself'
	fi
	take dwz-common-dwarf5
	link x/game common.debug ""
	refused "a link without a build-id" 'the link to it has no build-id'
	take dwz-common-dwarf5
	cp "$matrix/dwz-common-dwarf4/common.debug" x/common.debug 2>/dev/null
	refused "another build's supplementary file" 'build-id differs'
	take dwz-common-dwarf5
	head -c 700 "$matrix/dwz-common-dwarf5/common.debug" >x/common.debug
	refused "a supplementary file that is cut" 'supplementary file'
fi

# Damage: no engine dies or hangs, the fast one answers alike however many workers there are.
# damaged WHAT FILE SEEDS: copies of x/FILE, which then is itself again
damaged() {
	local what=$1 file=$2 n=$3 i bad=0

	cp "x/$file" good
	mkdir -p mutated
	rm -f mutated/*
	"$GEN/mutate" dwarf "$n" mutated good
	for i in mutated/*; do
		cp "$i" "x/$file"
		timeout 60 "$resolve" -e fast -j 1 x/game >one 2>one.err || [ $? = 3 ] || bad=$((bad + 1))
		timeout 60 "$resolve" -e fast -j 3 x/game >three 2>/dev/null
		cmp -s one three || bad=$((bad + 1))
	done
	cp good "x/$file"
	if [ $bad = 0 ] && [ -e "$i" ]; then
		echo "ok - $what: $(find mutated -type f | wc -l) damaged copies"
	else
		echo "not ok - $what: $bad damaged copies"
	fi
}
take g++-split-dwarf5 && damaged "a .dwo file of DWARF 5" game.dwo 60
take clang++-split-dwarf4 && damaged "a .dwo file of DWARF 4" game.dwo 60
take g++-dwp-dwarf5 && damaged "a .dwp file" game.dwp 60
take dwz-common-dwarf5 && damaged "a supplementary file" common.debug 60
