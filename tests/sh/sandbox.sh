#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The sandbox of the programs as they run: it is on by default, --no-sandbox turns it off, -v says
# what holds, and what they do for real works in it. What the kernel does to a call outside of a
# profile is in tests/unit/sandbox.c; that all else works, in every other test.
# expects: signals
# shellcheck disable=SC2317 # functions are called by check
set -u
: "${SRC:?}" "${BIN:?}" "${GEN:?}" "${BUILD:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

"$GEN/trace" --module /gone/game --base 0x10000 --address 0x10100 >one.tmt
tm-compare -q --save-baseline one.tma one.tmt
# A session does not wait for anything; this one takes some seconds.
"$GEN/trace" --allocs 1000000 >many.tmt
mkdir session
for i in $(seq 60); do ln many.tmt "session/$i.tmt"; done
mkfifo in
exec 3<>in # so that programs wait for what never comes

# How each program is made to wait for its standard input.
cat >programs <<X
tm-addr2line --verbose -e $BIN/tm-dump
tm-atos -v -o $BIN/tm-dump
tm-compare -v - one.tmt
tm-dump -v
tm-export -v --as folded
tm-filter -v -o filtered.tmt
tm-frames -v
tm-heap -v
tm-history -v add store.db --build b -
tm-import -v -o imported.tmt
tm-inspect -v --disassemble main --trace - $BIN/tm-dump
tm-llvm-symbolizer --notes -e $BIN/tm-dump
tm-merge -v --from-lines
tm-record -v -o recorded.tmt -- cat
tm-session -v session
tm-spikes -v
tm-symbolize -v -o symbolized.tmt
tm-top -v
tm-view -v --query top -
X
programs() { (cd "$SRC/cmd" && printf '%s\n' tm-*.c | sed 's/\.c$//'); }
check 'every program is tried' test "$(programs)" = "$(cut -d' ' -f1 programs)"
check 'every program has its row in the table' test "$(programs)" = "$(
	sed -n 's/^ *{"\(tm-[a-z0-9-]*\)", NULL, .*/\1/p' "$SRC/lib/sandbox/profiles.c" | sort
)"
check 'and is in SANDBOX of tracemill(7)' test "$(programs)" = "$(
	sed -n '/^\.Sh SANDBOX/,/^\.Sh EXIT/p' "$SRC/man/tracemill.7" | grep -o 'tm-[a-z0-9-]* 1' |
		sed 's/ 1$//' | sort -u
)"

# What the kernel says of a program that waits, once it has said what holds: "NO-NEW-PRIVILEGES
# SECCOMP ".
held() { # PROGRAM ARGUMENT...
	local pid i

	: >err
	"$@" >out 2>err <in 3<&- &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		grep -q ' sandbox: ' err && break
		sleep 0.05
	done
	sed -n 's/^\(Seccomp\|NoNewPrivs\):[^0-9]*//p' /proc/$pid/status | tr '\n' ' '
	kill $pid
	wait $pid 2>/dev/null
}

said() { sed -n 's/^[a-z0-9-]*: sandbox: //p' err; }

tm-dump -v one.tmt >out 2>err
case $(said) in
'off: a sanitizer'*)
	while read -r program rest; do
		if [ "$program ${SAN-}" = 'tm-record thread' ]; then
			echo "skip - $program (ThreadSanitizer holds signals back while it waits for cat)"
			continue
		fi
		# shellcheck disable=SC2086 # words of the table
		held "$program" $rest >got
		check "$program: says that it is off here" grep -q ' sandbox: off: ' err
	done <programs
	exit $failed
	;;
none*)
	echo "skip - sandbox ($(said))"
	exit $failed
	;;
seccomp*) ;;
*) echo "skip - system calls are not held ($(said))" ;;
esac

while read -r program rest; do
	# shellcheck disable=SC2086
	held "$program" $rest >got
	case $program in
	tm-record)
		check "$program: not held" test "$(cat got)" = '0 0 '
		check "$program: says why" grep -q ' sandbox: off: it starts the program' err
		;;
	*)
		check "$program: held by default" test "$(cat got)" = '1 2 '
		check "$program: says so" grep -q ' sandbox: seccomp.*: no network, no exec, reads ' err
		# shellcheck disable=SC2086
		held "$program" --no-sandbox $rest >got
		check "$program --no-sandbox: not held" test "$(cat got)" = '0 0 '
		check "$program --no-sandbox: says so" grep -q ' sandbox: off: --no-sandbox$' err
		;;
	esac
done <programs

# What -v says is what the command line asks for.
tm-top -v one.tmt >out 2>err
check 'a reader: only what it was given' grep -q 'reads what it was given, has [a-z]* files in [^,]*$' err
tm-top -v -o report.txt one.tmt >out 2>err
check 'an output: nothing more, a thread of its own names it' grep -q 'has [a-z]* files in [^,]*$' err
check 'and it is there' test -s report.txt
mkdir below
tm-import -v -o below/copy.tmt one.tmt >out 2>err
check 'an output elsewhere is there, alone' test "$(ls below)" = copy.tmt
tm-symbolize -v --no-cache one.tmt 2>err >out
check 'no cache: nothing is written below one' test "$(grep -c 'sandbox: .*writes below' err)" = 0
tm-symbolize -v --cache kept one.tmt 2>err >out
check 'a cache: its folder' grep -q 'reads any file.*, writes below kept$' err
echo one.tma >list
tm-merge -v --files-from list -o merged.tma 2>err
check 'names in a list: any file' grep -q 'sandbox: .* reads any file' err
check 'and they are read' test -s merged.tma
tm-compare -v --base one.tmt --new one.tmt >out 2>err
check 'files behind options are given' grep -q 'reads what it was given' err
check 'and read' test -s out
mkdir beside
tm-history -v add beside/store.db one.tmt >out 2>err
check 'a store: files beside it' grep -q 'writes below .*beside/$' err
check 'and it is written' grep -q added out
tm-history -v list beside/store.db >out 2>err
check 'and read' grep -q one out
tm-addr2line --lenient --verbose -f --verify 1 -e "$BIN/tm-dump" 0x1 >out 2>err
check "libdwarf's reader: none of its calls is missed" test "$(grep -vc ' sandbox: \|verify: 1 asked, 1 equal' err)" = 0

# A file that was not there when the program began does not count as named.
if [[ $(said) == *Landlock* ]]; then
	cp one.tmt two.tmt
	mkfifo later
	tm-dump -v later two.tmt >out 2>err 3<&- &
	pid=$!
	exec 4>later # when it has opened the other end
	cp one.tmt three.tmt
	mv three.tmt two.tmt
	cat one.tmt >&4
	exec 4>&-
	wait $pid
	check 'a file that took the place of a named one: not read' test $? = 3
	check 'and said why' grep -q '^tm-dump: two.tmt: the sandbox allows only' err
	check 'but the one before it is' cmp -s out <(tm-dump one.tmt)
fi

# What preloads has calls of its own.
LD_PRELOAD=$(ldd "$BIN/tm-dump" | sed -n 's/.*=> \(.*libc\.so[^ ]*\) .*/\1/p') tm-dump -v one.tmt >out 2>err
check 'LD_PRELOAD: off, and said' grep -q ' sandbox: off: LD_PRELOAD' err

# Without libseccomp paths are held all the same. (Objects by name come before the library's.)
libs=$(sed -n 's/^TM_LIBS :=//p' "$SRC/build/deps.mk")
if [[ $libs == *-lseccomp* ]]; then
	# shellcheck disable=SC2086
	check 'builds without libseccomp' "${CC:-cc}" -std=c11 -D_GNU_SOURCE -I"$SRC" -o dump \
		"$SRC/cmd/tm-dump.c" "$SRC/lib/sandbox/calls.c" "$BUILD/rooms.a" ${libs//-lseccomp/}
	./dump -v one.tmt >out 2>err
	check 'which says what holds then' grep -q ' sandbox: \(Landlock ABI [0-9]* (seccomp: \|none: \)' err
	check 'and reads' grep -q '^location ' out
fi

# A pager is started before, and shows what comes later.
if command -v script >/dev/null; then
	cat >pager <<'X'
#!/bin/sh
echo PAGED
cat
X
	chmod +x pager
	PAGER=$PWD/pager script -qc 'tm-top -v one.tmt' /dev/null >got 2>err </dev/null
	check 'a pager is started' grep -q PAGED got
	check 'by a program in its sandbox' grep -q ' sandbox: seccomp' got
	check 'and shows the report' grep -q 'game\|0x10100\|no ' got
	PAGER=/gone/pager script -qc 'tm-top one.tmt' /dev/null >got 2>err </dev/null
	check 'one that cannot be started: the report all the same' grep -q 'game\|0x10100\|no ' got
else
	echo 'skip - a pager in the sandbox (no script)'
fi
exit $failed
