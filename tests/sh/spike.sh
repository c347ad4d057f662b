#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 600
#
# PET's markers (tracemill/spike.h) in a frame loop that knows its spikes (testdata/src/spike), in C
# and C++, by markers, by compilers' hooks and by both: the log is what was planted, byte for byte,
# and what tm-spikes makes of the recorded calls.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"
src=$SRC/testdata/src/spike
lib=$BIN/../lib
CC=${CC:-cc}
CXX=${CXX:-c++}

same() { # what: want is got
	diff want got
	ok "$1" cmp -s want got
}

# What was planted, as the log has it; addresses and places are left out below.
cat >planted <<'END'
!!!!!
!!!!! slow script in frame 11
PET: Function took too long: 3.00 MSec Thread: frames PEAK frame 11
Function Name Trace
0) Tick
1) Script
Description: script 11
PET: Function took too long: 9.00 MSec Thread: frames PEAK frame 13
Function Name Trace
0) Tick
1) Physics
PET: Thread (frames) Function took too long: 17.611 MSec
0) Tick
PET: Function took too long: 2.345 MSec Thread: frames PEAK frame 17
Function Name Trace
0) Tick
1) Render
2) Particles
PET: Thread (frames) Function took too long: 3.345 MSec
1) Render
END
names() { # C++ has more of them
	sed -E 's/^([0-9]+\)) 0x[0-9a-f]+ - /\1 /; s/ \(.* - LINE: [0-9]+\)$//; s/\((int)?\)$//; s/^([0-9]+\)) _Z[0-9]([A-Za-z]*)[iv]$/\1 \2/' "$1"
}

compilers="$CC $CXX"
for other in gcc g++ clang clang++; do
	for x in $compilers; do
		[ "$(readlink -f "$(command -v "$x")")" = "$(readlink -f "$(command -v $other)")" ] && continue 2
	done
	compilers+=" $other"
done
for compiler in $compilers; do
	if ! command -v "$compiler" >/dev/null 2>&1; then
		echo "skip - $compiler (not here)"
		continue
	fi
	language=
	[[ $compiler == *++ ]] && language='-x c++'
	for how in -O0 -O2 '-O0 -finstrument-functions' '-O2 -finstrument-functions'; do
		# shellcheck disable=SC2086
		if ! "$compiler" $language $how -Wall -Wextra -Werror -g -DMARKERS -I"$SRC" "$src/frames.c" -rdynamic -o frames; then
			echo "not ok - $compiler $how: frames.c compiles"
			continue
		fi
		tm-record -o x.tmt --calls all --spikes log -- ./frames
		names log >got
		cp planted want
		same "$compiler $how: the log is what was planted"
		tm-symbolize -q x.tmt | tm-spikes -q --pet --rules "$src/frames.rules" >spikes
		names spikes >want
		same "$compiler $how: tm-spikes finds the same in what was recorded"
		ok "$compiler $how: one call ended by longjmp" [ "$(tm-dump -q x.tmt | grep '^note loss')" = \
			'note loss count=1 "calls that ended by a jump, at an unknown time"' ]
	done
done

# The log is a capture of its own: the same bytes, read and written again.
tm-spikes -q --threshold 0 --pet log >again
ok "the log is read and written again as it was" cmp -s log again
if $CC -g -DMARKERS -I"$SRC" "$src/frames.c" -o frames; then
	tm-record -o x.tmt --calls markers --spikes log -- ./frames
	tm-spikes -q --pet --rules "$src/frames.rules" x.tmt >again
	ok "by markers alone: the same bytes, with places" cmp -s log again
	ok "the places are in the source" [ "$(sed -n 's/^2) Script (.*frames\.c - LINE: \([0-9]*\))/\1/p; s/^1) Script (.*frames\.c - LINE: \([0-9]*\))/\1/p' log | head -n 1)" = \
		"$(awk '/^KEEP void Script/ { getline; getline; print NR }' "$src/frames.c")" ]
	tm-spikes -q --pet x.tmt >again
	ok "tm-spikes without rules: by the program's own limits" cmp -s log again
	tm-spikes -q --threshold 44ms --pet x.tmt | grep took >got
	echo 'PET: Function took too long: 51.611 MSec Thread: frames PEAK frame 7' >want
	same "tm-spikes with a threshold: by that"
	tm-spikes -q --rules "$src/frames.rules" --table spikes --csv x.tmt | cut -d , -f 1,2,12 | LC_ALL=C sort >got
	printf '%s\n' 1,17611000,Tick 1,2345000,Particles 1,3000000,Script 1,3345000,Render 1,9000000,Physics count,worst_ns,function | LC_ALL=C sort >want
	same "tm-spikes: each spike once"
	tm-record -o x.tmt -- ./frames
	ok "tm-top: the leak, 20 blocks of 1000 bytes and their numbers" [ "$(tm-symbolize -q x.tmt |
		tm-top -q --csv | awk -F , '/,Physics,/ { print $2, $6, $7 }')" = '20 20 20190' ]
	tm-frames -q --csv x.tmt | awk -F , 'NR > 1 { print $2, $5, $8, $12 }' >got
	awk 'BEGIN {
		for (f = 0; f < 20; f++) {
			us = 11611
			if (f == 7) us += 40000
			if (f == 11) us += 2400
			if (f == 13) us += 6000
			if (f == 17) us += 9000 + 2345
			print f, f < 19 ? us * 1000 : "", 1000 + f, left += 1000 + f
		}
	}' >want
	same "tm-frames: how long each frame took, and what it left"
	tm-record -o x.tmt --spikes /nowhere/log -- ./frames 2>err
	ok "no place for the log" [ "$? $(wc -l <err) $(grep -c '/nowhere/log: .*No such file' err)" = "3 1 1" ]
	rm -f log
	./frames log
	ok "without the library: nothing, and the program runs" [ "$? $(ls log 2>/dev/null)" = "0 " ]
	tm-record -o /dev/null -- ./frames log
	names log >got
	cp planted want
	same "a log that the program asks for itself"
else
	echo "not ok - frames.c compiles"
fi

# Hooks alone: no marker says what is allowed; rules or the threshold do.
if $CC -O2 -finstrument-functions -g -I"$SRC" "$src/frames.c" -rdynamic -o frames; then
	TRACEMILL_SPIKE_US=8999 tm-record -o x.tmt --calls all --spikes log -- ./frames
	names log | grep -E '^(PET|[0-9]+\))' >got
	cat >want <<-'END'
		PET: Function took too long: 40.01 MSec Thread: frames PEAK frame 7
		0) Tick
		1) LoadLevel
		PET: Thread (frames) Function took too long: 44.61 MSec
		0) Tick
		PET: Function took too long: 9.00 MSec Thread: frames PEAK frame 13
		0) Tick
		1) Physics
		PET: Thread (frames) Function took too long: 10.61 MSec
		0) Tick
		PET: Function took too long: 12.345 MSec Thread: frames PEAK frame 17
		0) Tick
		1) Render
		PET: Thread (frames) Function took too long: 15.955 MSec
		0) Tick
	END
	same "hooks alone: what is over the threshold"
	tm-symbolize -q x.tmt | tm-spikes -q --threshold 8999us --pet >log2
	ok "hooks alone: as tm-spikes has it" cmp -s log log2
	ok "markers that are off leave nothing" [ "$(nm frames | grep -c 'tracemill_spike_\(begin\|end\|thr\|desc\|mess\|is_\)')" = 0 ]
else
	echo "not ok - frames.c compiles with hooks"
fi

# Threads: limits of each, none mixed up; 8 threads, i us for i from 2 on, over 900 us.
for how in -O1 '-O1 -finstrument-functions'; do
	# shellcheck disable=SC2086
	if ! $CC $how -g -I"$SRC" "$src/threads.c" -o threads -pthread; then
		echo "not ok - threads.c compiles"
		continue
	fi
	TRACEMILL_SPIKE_US=900 tm-record -o x.tmt --calls all --spikes log -- ./threads 8
	# Whole threads: outer over 900 from 901 to 1001, middle from 902, inner from 903; half ones, and
	# the last call, of all.
	ok "threads $how: spikes of each level" [ "$(grep -c 'took too long' log)" = \
		$((4 * (101 + 100 + 99) + 8 * 3)) ]
	ok "threads $how: messages" [ "$(grep -c '^!!!!! call ' log) $(grep -c '^!!!!! not yet' log)" = "$((4 * 99 + 8)) 0" ]
	ok "threads $how: no entry in another's" [ "$(grep -c 'PET:' log)" = "$(grep -c '^PET:' log)" ]
	ok "threads $how: enters and exits, none lost" [ "$(tm-dump -q x.tmt | awk '
		/^enter/ { e++ } /^exit/ { x++ } /^note loss/ { print } END { print e, x }')" = \
		"$((3 * (4 * 1001 + 4 * 501))) $((3 * (4 * 1001 + 4 * 501)))" ]
	ok "threads $how: descriptions" [ "$(tm-dump -q x.tmt | grep -c '^enter.*name="number ')" = $((4 * 1001 + 4 * 501)) ]
	ok "threads $how: as tm-spikes has it" [ "$(tm-spikes -q --threshold 900us --pet x.tmt | grep -c 'took too long')" = \
		"$(grep -c 'took too long' log)" ]
done

# The header: alone, strict, and off.
cat >strict.c <<'END'
#include <tracemill/spike.h>
int main(void)
{
	PET_FUNCTION_CONDITIONAL_PAUSED(1);
	PET_SetFunctionDescf("%d", 1);
	{
		PET_SECTION_MANUAL("a");
		PET_SECTION_MANUAL("b");
	}
	PET_OTMessagef("none");
	PET_SetGlobalThresholdMSec(2);
	PET_SetThreadActive(1);
	PET_Pause();
	PET_Unpause();
	return 0;
}
END
mkdir -p include/tracemill
cp "$SRC/lib/recorder/spike.h" include/tracemill/
cp strict.c strict.cpp
for std in c99 c11 c++11 c++17; do
	file=strict.c
	compiler=$CC
	case $std in c++*)
		file=strict.cpp
		compiler=$CXX
		;;
	esac
	for off in '' -DTRACEMILL_OFF; do
		# shellcheck disable=SC2086
		if $compiler -std=$std -Wall -Wextra -Wshadow -Wpedantic -Wno-gnu-zero-variadic-macro-arguments -Werror $off -Iinclude $file -o strict; then
			ok "spike.h, $std $off" ./strict
		else
			echo "not ok - spike.h, $std $off"
		fi
	done
	ok "spike.h, $std: off is nothing" [ "$(nm strict | grep -c tracemill)" = 0 ]
done

# Linked in, without tm-record; a log that cannot be written is reported once.
if $CC -g -DMARKERS -I"$SRC" "$src/frames.c" "$lib/libtracemill-capture.a" -lm -o frames; then
	rm -f log
	TRACEMILL_SPIKES=log ./frames
	names log >got
	cp planted want
	same "linked in: the log alone"
	TRACEMILL_SPIKES=/dev/full ./frames 2>err
	ok "a full disk: said once, and the program ends as it would" [ "$? $(grep -c 'cannot write the log of spikes' err) $(wc -l <err)" = "0 1 1" ]
else
	echo "not ok - linked in"
fi

# The page's example.
mkdir -p include
cp "$SRC/lib/recorder/tracemill.h" include/
awk '/^\.Sh EXAMPLES/ { on = 1 } /^\.Ed/ { code = 0 } code { print } on && /^\.Bd/ { code = 1 }' \
	"$SRC/man/libtracemill-capture.3" >example.c
echo 'int main(void) { Tick(); return 0; }' >>example.c
ok "the page's example compiles" "$CC" -Wall -Wextra -Werror -Iinclude example.c -o example
ok "the page's example runs" ./example
