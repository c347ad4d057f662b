#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Manners that all programs share (tracemill(7)): help, usage errors, operands, output, pipes.
# shellcheck disable=SC2317,SC2086 # functions are called by check; numbers need no quotes
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# run PROGRAM ARGUMENT...: sets status; files out and err.
run() {
	timeout 60 "$@" >out 2>err </dev/null
	status=$?
}

empty() { [ ! -s "$1" ]; }
lines() { [ "$(wc -l <"$1")" = "$2" ]; }

programs=
for p in "$BIN"/tm-*; do
	programs="$programs ${p##*/}"
done
# A capture for the program: tm-heap wants objects.
allocations() { # FILE OPTIONS
	if [ "$p" = tm-heap ]; then
		"$GEN/heap" big 20000 60000 >"$1"
	else
		"$GEN/memtracer" "${@:2}" >"$1"
	fi
}

"$GEN/trace" --seed 4 --events 50 >a.tmt
echo nonsense >bad
# tm-export has no format of its own choice: it is always given one here.
mkdir given
printf '#!/bin/sh\nexec "%s/tm-export" --as folded "$@"\n' "$BIN" >given/tm-export
chmod +x given/tm-export
PATH=$PWD/given:$PATH

for p in $programs; do
	help_is_fine() { [ $status = 0 ] && grep -q "^usage: $p " out && grep -q -- '--version' out && empty err; }
	run "$p" --help
	check "$p --help: standard output, status 0" help_is_fine
	screen() { [ "$(wc -l <out)" -le 40 ] && ! grep -qE '.{81}' out; }
	check "$p --help: one screen, 80 columns" screen
	version_is_fine() { [ $status = 0 ] && grep -Eq "^$p \(tracemill\) [0-9]" out && lines out 1 && empty err; }
	run "$p" --version
	check "$p --version" version_is_fine
	run "$p" --help all
	check "$p --help all: 80 columns" eval 'help_is_fine && ! grep -qE ".{81}" out'
	run "$p" -V --help
	check "$p -V --help: help wins" help_is_fine
	if [ -w /dev/full ]; then
		"$p" --help >/dev/full 2>err
		status=$?
		help_full() { [ $status = 3 ] && lines err 1 && grep -q "^$p: standard output: " err; }
		check "$p --help on a full disk" help_full
	fi

	# These read addresses, binaries, programs, aggregates and folders, not captures:
	# tests/sh/{drop_ins,inspect,record,merge,session}.sh.
	case $p in
	tm-addr2line | tm-llvm-symbolizer | tm-atos | tm-inspect | tm-record | tm-merge | tm-session) continue ;;
	esac
	allocations a.mem --frames 3 --types 4 --stacks 5

	usage_error() { [ $status = 2 ] && empty out && grep -q "^$p: .*$1" err && [ "$(wc -l <err)" -le 2 ]; }
	run "$p" --no-such-option a.mem
	check "$p: an unknown word" usage_error 'unknown option --no-such-option'
	run "$p" -q@ a.mem
	check "$p: an unknown letter" usage_error 'unknown option -@'
	run "$p" --format
	check "$p: a missing value" usage_error '--format needs a value'
	run "$p" --format=nothing a.mem
	check "$p: an unknown format" usage_error "'nothing' is not a format"
	run "$p" --slide=0x1g a.mem
	check "$p: a bad number" usage_error "'0x1g' is not a number"
	run "$p" --slide=18446744073709551616 a.mem
	check "$p: a number of 65 bits" usage_error 'is not a number'
	run "$p" --slide=-1 a.mem
	check "$p: a negative number" usage_error 'is not a number'
	run "$p" --locations=sideways a.mem
	check "$p: an unknown choice" usage_error "'sideways'"
	run "$p" --quiet=yes a.mem
	check "$p: a flag with a value" usage_error 'takes no value'

	# One operand is nothing to compare: tests/golden/tm-compare/usage.cmd.
	[ "$p" != tm-compare ] || continue
	# This one has commands and a store: tests/sh/history.sh.
	[ "$p" != tm-history ] || continue
	# This one serves until it is interrupted, or answers what it is asked: tests/sh/view.sh.
	[ "$p" != tm-view ] || continue

	# Operands
	run "$p" a.mem bad a.tmt
	several() {
		[ $status = 3 ] && [ "$(grep -c "^$p: bad: unknown capture format" err)" = 1 ] && [ -s out ]
	}
	check "$p: one bad operand of three: status 3" several
	run "$p" a.mem a.tmt
	cp out both
	run "$p" a.mem bad a.tmt
	check "$p: ... and the others are worked on" cmp -s out both
	run "$p" -- a.mem
	cp out file
	check "$p -- FILE" [ $status = 0 ]
	same_as_file() { sed 's/<stdin>/a.mem/' out | cmp -s - file; } # tm-heap names snapshots
	"$p" - <a.mem >out 2>err
	check "$p -: standard input" same_as_file
	"$p" <a.mem >out 2>err
	check "$p without operands: standard input" same_as_file
	"$p" <&- >out 2>err
	status=$?
	closed() { [ $status = 3 ] && lines err 1 && grep -q "^$p: <stdin>: cannot read" err; }
	check "$p: standard input closed" closed
	touch ./-odd
	run "$p" -- -odd
	odd() { [ $status = 3 ] && grep -q "^$p: -odd: empty file" err; }
	check "$p: an operand with a dash behind --" odd

	# Pipes that close early end quietly, whether SIGPIPE is ignored or not.
	"$p" a.mem a.mem a.mem a.mem 2>err | head -n 1 >/dev/null
	quiet() { ! grep -Eiq 'pipe|standard output|write' err; }
	check "$p | head -1" quiet
	(
		trap '' PIPE
		"$GEN/memtracer" --frames 4000 | "$p" 2>err | head -c 1 >/dev/null
	)
	check "$p | head -1, SIGPIPE ignored" quiet

	# Progress and colour
	allocations big.mem --frames 9000
	run "$p" -q big.mem
	no_progress() { [ $status = 0 ] && ! grep -Eq "^reading: +[0-9]|$(printf "\\r")|$(printf "\\033")" err; }
	check "$p: no progress where there is no terminal" no_progress
	run "$p" --progress=never big.mem
	check "$p --progress=never" no_progress
	if [ "$p" != tm-symbolize ]; then
		run "$p" --progress=always big.mem
		check "$p --progress=always" grep -Eq '^reading: +[0-9]+' err
	fi
	case $p in # what comes after reading is said too
	tm-top) check "$p --progress=always: after reading" grep -qx 'adding up' err ;;
	tm-export) check "$p --progress=always: after reading" grep -qx 'writing' err ;;
	esac
	run "$p" -q a.mem
	check "$p -q: nothing on standard error" empty err
	NO_COLOR=1 "$p" a.mem >out 2>err
	check "$p: NO_COLOR changes nothing in a file" cmp -s out file
	case $p in
	tm-dump | tm-top | tm-frames | tm-export) check "$p: no escapes in a file" sh -c '! grep -q "$(printf "\033")" out' ;;
	esac
done

# --- output of traces ---

for p in tm-import tm-symbolize; do
	command -v "$p" >/dev/null || continue
	run "$p" a.mem
	cp out want.tmt
	run "$p" a.mem -o made.tmt
	written() { [ $status = 0 ] && empty out && cmp -s made.tmt want.tmt; }
	check "$p -o" written
	check "$p -o: nothing is left beside it" [ "$(find . -name 'made.tmt*' | wc -l)" = 1 ]
	check "$p -o: permissions follow umask" [ "$(stat -c %a made.tmt)" = "$(printf %o $((0666 & ~$(umask))))" ]
	echo precious >kept.tmt
	run "$p" bad -o kept.tmt
	kept() { [ $status = 3 ] && [ "$(cat kept.tmt)" = precious ] && [ "$(find . -name 'kept.tmt*' | wc -l)" = 1 ]; }
	check "$p -o: a file stays when everything failed" kept
	run "$p" a.mem -o missing/x.tmt
	nowhere() { [ $status = 3 ] && lines err 1 && grep -q "^$p: missing/x.tmt: No such file" err; }
	check "$p -o into a folder that is not there" nowhere
	run "$p" a.mem -o /dev/null
	check "$p -o /dev/null" [ $status = 0 ]
	check "$p -o /dev/null: which stays a device" [ -c /dev/null ]
	run "$p" a.tmt -o a-copy.tmt
	cp a.tmt same.tmt
	run "$p" same.tmt -o same.tmt
	check "$p: a file onto itself" cmp -s same.tmt a-copy.tmt
	if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
		script -qec "$p a.mem" /dev/null >out 2>err </dev/null
		status=$?
		terminal() { [ $status = 2 ] && grep -q 'not for a terminal' out; }
		check "$p: a trace is not for a terminal" terminal
	else
		echo "skip - $p: a trace is not for a terminal (no script(1), or no pseudo terminals)"
	fi
	run tm-dump made.tmt
	cp out one.text
	cat made.tmt made.tmt >two.tmt
	cat one.text one.text >two.text
	run tm-dump two.tmt
	check "$p: two traces in one file are two captures" cmp -s out two.text
	run "$p" a.mem bad a.mem
	mv out three.tmt
	run tm-dump three.tmt
	check "$p: a bad operand leaves nothing between two good ones" cmp -s out two.text
done

# --- nothing named, and nobody's bytes at standard input ---

if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	for p in tm-top tm-frames tm-dump tm-spikes tm-heap 'tm-import -o x.tmt' 'tm-symbolize -o x.tmt' \
		'tm-filter -o x.tmt' 'tm-export --as folded -o x.folded'; do
		timeout 20 script -qec "$p" /dev/null >out 2>err </dev/null
		status=$?
		silent() { [ $status = 2 ] && grep -q 'no file is given, and standard input is a terminal' out; }
		check "${p%% *}: does not wait for what is typed" silent
	done
else
	echo "skip - programs without a file (no script(1), or no pseudo terminals)"
fi

# --- the same output with any number of workers ---

run tm-symbolize -j1 -e "$BIN/tm-import" --slide 0x12c000000 a.mem -o j1.tmt
for j in 2 3; do
	run tm-symbolize -j$j -e "$BIN/tm-import" --slide 0x12c000000 a.mem -o j$j.tmt
	check "tm-symbolize -j$j writes what -j1 does" cmp -s j1.tmt j$j.tmt
done
run tm-symbolize a.mem --jobs 0
jobs_error() { [ $status = 2 ] && grep -q "^tm-symbolize: --jobs" err; }
check "tm-symbolize --jobs 0" jobs_error
run tm-import --list-formats
formats() { [ $status = 0 ] && [ "$(grep -c . out)" -ge 6 ] && grep -q '^memtracer ' out; }
check 'tm-import --list-formats' formats

exit $failed
