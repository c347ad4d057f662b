#!/bin/bash
# SPDX-License-Identifier: MIT
# expects: signals
# timeout: 600
#
# tm-record on a program that knows what it allocates (testdata/src/record/blocks.c), by frame
# pointers and by unwind tables; however the program ends; and where no recording is possible.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

CC=${CC:-cc}
build() { # output, flags...
	local to=$1

	shift
	$CC -std=c11 -D_GNU_SOURCE -g -I"$SRC" "$SRC/testdata/src/record/blocks.c" -o "$to" "$@" -lpthread
}
if ! build blocks -O1 -fno-omit-frame-pointer || ! build tables -O2 -fomit-frame-pointer; then
	echo "not ok - blocks.c compiles"
	exit 1
fi

truth() { # what, program, mode: x.tmt is as the program says
	tm-record -o x.tmt --stacks "${stacks:-auto}" -- "./$2" "$3" 2>said
	grep '^allocs' said >want
	sums x.tmt >got
	if [ -s want ] && cmp -s want got; then
		echo "ok - $1"
	else
		diff want got
		echo "not ok - $1"
	fi
}

for mode in family frames random; do
	stacks=fp truth "$mode, by frame pointers: exactly what the program knows" blocks $mode
	stacks=unwind truth "$mode, by unwind tables" tables $mode
	stacks=none truth "$mode, without stacks" blocks $mode
done
truth "fork: the child is not in it" blocks fork
ok "fork: nothing of the child's 13 bytes" [ "$(tm-dump -q x.tmt | grep -c requested=13)" = 0 ]
for mode in exit handler failed; do
	truth "$mode: all is there" blocks $mode
	ok "$mode: the trace is whole" [ "$(tm-dump x.tmt 2>&1 | grep -c 'cut short')" = 0 ]
done
for mode in abort kill; do
	truth "$mode: what was recorded until then" blocks $mode 2>/dev/null
	ok "$mode: told as cut, once" [ "$(tm-dump -q x.tmt | grep -c '^note loss')" = 1 ]
	ok "$mode: for that reason" [ "$(tm-dump -q x.tmt | grep -c '^note loss "trace ends without its totals')" = 1 ]
done

# Of what the threads' stacks need (pthread_create) the program does not know.
tm-record -o x.tmt -- ./tables threads 2>said
tm-symbolize -q x.tmt | tm-filter -q --focus '^pass$' --show '^pass$' 2>/dev/null >y.tmt ||
	tm-symbolize -q x.tmt | tm-filter -q --focus '^pass$' >y.tmt
ok "threads: allocations of all threads" [ "$(tm-dump -q y.tmt | grep -c ^alloc)" = 160000 ]
ok "threads: no block freed before, or handed out twice" [ "$(sums x.tmt | grep -c order)" = 0 ]
ok "threads: eight of them and the main thread" [ "$(tm-dump -q x.tmt | grep -c ^thread)" -ge 8 ]

tm-record -o x.tmt --stacks fp -- ./blocks short 20000 2>said
ok "20000 threads, one after the other" [ "$(tm-dump -q x.tmt | grep -c 'alloc.*requested=100 ')" = 20000 ]

tm-record -o x.tmt -- ./blocks exec 2>said
ok "exec: two captures in one file" [ "$(tm-dump -q x.tmt | grep -c ^totals)" = 2 ]
ok "exec: the summary says what a capture is" grep -q 'each call of exec begins another capture' said
ok "exec: each with what it allocated" [ "$(sums x.tmt)" = "$(awk '/^allocs/ {
	for (i = 2; i <= NF; i += 2) s[i] += $i
	} END { print "allocs", s[2], "frees", s[4], "requested", s[6], "real", s[8], "live", s[10] }' said)" ]

tm-record -o x.tmt -- ./blocks frames 2>said
ok "frames: ten, each with its blocks and its counter" [ "$(tm-dump -q x.tmt |
	awk '$1 == "frame" { f++; a = 0 } $1 == "counter" { c += $2 == "value=" (f - 1) * 3 }
		$1 == "alloc" && ++a == f * 100 { full++ } END { print f, c, full }')" = "10 10 10" ]
ok "frames: tm-frames knows them" [ "$(tm-frames -q --csv x.tmt | wc -l)" -ge 11 ]

# The other reader, and names.
for mode in frames family; do
	tm-record -o x.tmt --mmap -- ./tables $mode 2>said
	tm-dump -q x.tmt >first
	if "$GEN/second_reader" <x.tmt >second && cmp first second; then
		echo "ok - $mode: the second reader agrees on $(wc -l <first) lines"
	else
		echo "not ok - $mode: the second reader agrees"
	fi
done
tm-record -- ./tables frames 2>said | tm-symbolize -q | tm-top -q --csv >top
ok "piped: the site is where the program allocates, with its line" \
	[ "$(grep -c '^1,5500,.*,blocks,.*/blocks\.c,[0-9]' top)" = 1 ]

# Sampling; freed blocks are not live. A block of s bytes is taken with p = 1 - exp(-s / 20000) and stands
# for 1 / p: over the 100,000 sizes from 1 to 4000 the standard error is 1.0 % of the bytes, and 1.1 % of the
# count of the 74,999 from 1000 bytes on (of all it would be 2.1 %, of which one block of a byte can be ten).
# 6 % is missed once in 10^7 runs.
tm-record -o x.tmt --sample 20000 -- ./blocks random 2>said
# shellcheck disable=SC2034 # words of the line
read -r _ allocs _ frees _ requested _ <said
ok "sampling: the estimates of bytes and counts" [ "$(tm-dump -q x.tmt | awk -v r="$requested" '
	function field(name, i) {
		for (i = 2; i <= NF; i++)
			if (index($i, name "=") == 1)
				return substr($i, length(name) + 2)
		return 1
	}
	function near(estimate, truth) { return estimate > truth * .94 && estimate < truth * 1.06 }
	$1 == "alloc" { n++; b += field("requested"); if (field("requested") / field("count") >= 1000) c += field("count") }
	END { print (n > 5000 && n < 15000 && near(c, 74999) && near(b, r)) }')" = 1 ]
ok "sampling: the trace says so" [ "$(tm-dump -q x.tmt | grep -c '^capture count=estimated requested=estimated real=estimated live=estimated')" = 1 ]
ok "sampling: no free without its allocation" [ "$(sums x.tmt | grep -c order)" = 0 ]
tm-record -o x.tmt --min 2000 -- ./blocks random 2>said
tm-record -o y.tmt -- ./blocks random 2>said
ok "threshold: the blocks of so many bytes, and their frees" [ "$(tm-dump -q x.tmt | grep -c ^alloc)" = \
	"$(tm-dump -q y.tmt | awk '$1 == "alloc" && /requested=([2-9]...|....[0-9]+)( |$)/' | wc -l)" ]
ok "threshold: no free of others" [ "$(sums x.tmt | grep -c order)" = 0 ]

tm-record -o x.tmt --mmap -- ./blocks mmap 2>said
ok "mmap: cut, moved, one record each" [ "$(tm-dump -q x.tmt | awk -v page="$(getconf PAGESIZE)" '
	/^alloc.*domain=mmap/ { sub(/.*requested=/, ""); sub(/ .*/, ""); printf "%g ", ($0 + 1) / page * 10 - ($0 + 1) / page * 10 % 1 }
	/^free.*domain=mmap/ { printf "free " }')" = "100 50 free 20 50 free 500 free " ]

# Of 10 pages, 2 and 5 remain, at the call that mapped them and not at that which unmapped some.
tm-record -o x.tmt --mmap -- ./tables mmap 2>said
ok "mmap: what remains has the stack of the mapping" [ "$(tm-dump -q x.tmt | awk -v page="$(getconf PAGESIZE)" '
	!/^alloc.*domain=mmap/ { next }
	{ match($0, /stack=[0-9]+/); s = substr($0, RSTART, RLENGTH); match($0, /requested=[0-9]+/); r = substr($0, RSTART + 10, RLENGTH - 10) / page }
	r == 10 { of = s } (r == 2 || r == 5) && s == of { n++ } END { print n }')" = 2 ]
ok "mmap: a note counts what remains" [ "$(tm-dump -q x.tmt | grep -c '^note info count=2 "what remains of mappings')" = 1 ]

tm-record -o x.tmt -- ./blocks nested 2>said
ok "signal handlers inside of the recorder: counted, and no deadlock" [ "$(tm-dump -q x.tmt | grep -c ^totals)" = 1 ]

tm-record -o x.tmt --duration 1 -- bash -c 'sleep 1.5; : "$(seq 10)"' 2>said
ok "duration: ended, and says so" [ "$(tm-dump -q x.tmt | grep -c "recording's time was over")" = 1 ]

mkdir children
printf '#!/bin/sh\n:\n' >tool
chmod +x tool
tm-record -o children/x.tmt --pid-children -- bash -c \
	'./blocks fork & echo $! >pids; ./blocks frames & echo $! >>pids; ./tool & echo $! >>pids; wait' 2>said
{ read -r forks && read -r frames && read -r tool; } <pids
# What the shell says its three children are; the first forks a fourth process, which execs nothing.
ok "children: a trace has the name of its program and the number of its process" \
	[ -s "children/x.blocks.$forks.tmt" -a -s "children/x.blocks.$frames.tmt" ]
ok "children: a script is its own name" [ -s "children/x.tool.$tool.tmt" ]
ok "children: between fork and exec they are the shell" [ -s "children/x.bash.$frames.tmt" ]
ok "children: their traces say what they are called after" [ "$(for f in children/x.*.tmt; do
	tm-dump -q "$f" | sed -n 's/^attribute capture.p[a-z]*="\(.*\)"/\1/p' | paste -sd .
done)" = "$(for f in children/x.*.tmt; do sed -E 's,.*/x\.(.*)\.([0-9]+)\.tmt,\2.\1,' <<<"$f"; done)" ]
forked=$(find children -name 'x.blocks.*' ! -name "*.$forks.*" ! -name "*.$frames.*")
ok "children: the child of fork has its parent's name, and its 77 blocks" \
	[ "$(tm-dump -q "$forked" | grep -c '^alloc.*requested=13 ')" = 77 ]
files() { find children -name "$1" | wc -l; }
# More than processes: one that calls exec has a trace under each name.
ok "children: it is said where, and how many" \
	grep -qx "tm-record: child processes have $(files 'x.*.*.tmt') traces: children/x.PROGRAM.PID.tmt" said
tm-record -o children/y.of --pid-children -- bash -c './blocks frames & echo $! >pids; wait' 2>said
ok "children: behind a name of another kind" [ -s "children/y.of.blocks.$(cat pids)" ]
ok "children: ... which is said, too" \
	grep -qx "tm-record: child processes have $(files 'y.of.*') traces: children/y.of.PROGRAM.PID" said

# C++'s operators, some of which call others: one record for each, with the caller's line.
if ${CXX:-c++} -std=c++17 -fsized-deallocation -O1 -g "$SRC/testdata/src/record/news.cpp" -o news; then
	tm-record -o x.tmt -- ./news
	ok "operators new: the program's exceptions are its own" [ $? = 0 ]
	tm-symbolize -q x.tmt | tm-top -q --csv | awk -F , '/,made\(\),/ { print $3, $4, $6 }' | sort -n >got
	printf '100 %d 0\n' 1000 2000 3000 4000 6400 12800 25600 >want
	echo 100 51200 100 >>want
	sort -n -o want want
	ok "operators new and delete: each once" cmp -s want got
	tm-symbolize -q x.tmt | tm-top -q -n 0 --csv | awk -F , '/,(changed|handler|left)\(\),/ { print $3, $4, $6 }' | sort -n >got
	printf '100 %s\n' '0 0' '0 0' '0 0' '0 0' '500 0' '10000 0' '500000 100' '7700 100' '100 0' | sort -n >want
	ok "operators that ask for another size: each once, of the size that the program asked for" cmp want got
	# A library's own operator, which puts 8 bytes behind each block.
	cat >tail.cpp <<-'end'
		#include <cstdlib>
		#include <new>
		void *operator new(std::size_t n)
		{
			if (void *p = std::malloc(n + 8))
				return p;
			throw std::bad_alloc();
		}
		void operator delete(void *p) noexcept { std::free(p); }
	end
	cat >tailed.cpp <<-'end'
		#include <new>
		int main() { for (int i = 0; i < 300; i++) ::operator delete(::operator new(i)); }
	end
	${CXX:-c++} -fPIC -shared -o libtail.so tail.cpp && ${CXX:-c++} -O0 -o tailed tailed.cpp ./libtail.so
	tm-record -o x.tmt -- ./tailed
	ok "a library's operator that asks for more: each once" [ "$(tm-top -q -n 0 --csv x.tmt | awk -F , '/libtail|tailed/ { print $3, $6 }')" = "300 0" ]
	tm-record -o x.tmt -- ./news
	ok "operators delete: none of what was not allocated" [ "$(sums x.tmt | grep -c order)" = 0 ]
	ok "exceptions are allocations too" [ "$(tm-symbolize -q x.tmt | tm-top -q --csv | awk -F , '/,main,/ { n += $2 } END { print n }')" = 200 ]
else
	echo "not ok - news.cpp compiles"
fi

# Two libraries at the same addresses, one after the other: each allocation is of the right one.
plugin=$SRC/testdata/src/record/plugin.c
if $CC -g -fPIC -shared -DPLUGIN=one -DSIZE=111 "$plugin" -o one.so &&
	$CC -g -fPIC -shared -DPLUGIN=two -DSIZE=222 "$plugin" -o two.so &&
	$CC -g "$plugin" -o plugins -ldl; then
	tm-record -o x.tmt -- ./plugins
	tm-symbolize -q x.tmt | tm-top -q --csv | awk -F , '/,(one|two),/ { print $10, $2, $4 }' | sort >got
	printf '%s\n' 'one 500 55500' 'two 500 111000' >want
	ok "dlopen and dlclose: who was at an address then" cmp -s want got
else
	echo "not ok - plugin.c compiles"
fi

# Linked in instead of preloaded; a static C library allocates a little on its own account.
lib=$BIN/../lib
if build linked -O1 "$lib/libtracemill-capture.a" -lm; then
	TRACEMILL_CAPTURE='out=x.tmt' ./linked family 2>want
	ok "linked in: exactly what the program knows" [ "$(sums x.tmt)" = "$(cat want)" ]
	tm-record -q --no-symbols -o y.tmt ./linked family 2>want
	ok "... by tm-record too, which preloads nothing then" [ "$? $(sums y.tmt)" = "0 $(cat want)" ]
else
	echo "not ok - linked in"
fi
wrap=-Wl
for f in malloc calloc realloc reallocarray free memalign aligned_alloc posix_memalign; do
	wrap+=,--wrap=$f
done
if build wrapped -O1 -static "$wrap" "$lib/libtracemill-wrap.a" -lm 2>/dev/null; then
	TRACEMILL_CAPTURE='out=x.tmt' ./wrapped frames 2>want
	ok "static, with --wrap: the program's blocks" [ "$(tm-symbolize -q x.tmt | tm-filter -q --focus '^blocks$' | tm-dump -q |
		grep -c '^alloc.*requested=50 ') $(tm-dump -q x.tmt | grep -c ^frame)" = "5500 10" ]
	strip -o stripped wrapped
	tm-record -q --no-symbols -o y.tmt ./stripped frames 2>err
	ok "tm-record: a static program that has the library linked in records itself" \
		[ "$? $(tm-dump -q y.tmt | grep -c '^alloc.*requested=50 ')" = "0 $(tm-dump -q x.tmt | grep -c '^alloc.*requested=50 ')" ]
else
	echo "skip - static, with --wrap (no static C library)"
fi

# Kept out, each with its reason and status 3.
refused() { # what, words of the message, arguments
	local what=$1 words=$2

	shift 2
	tm-record "$@" >out 2>err
	ok "$what" [ "$? $(wc -l <err) $(grep -c -- "$words" err)" = "3 1 1" ]
}
if build fixed -static 2>/dev/null; then
	refused "a static program" "is linked statically" -o x.tmt -- ./fixed frames
else
	echo "skip - a static program (no static C library)"
fi
cp blocks changes
chmod u+s changes
refused "a setuid program" "changes its user or group" -o x.tmt -- ./changes frames
refused "no such program" "no such program" -o x.tmt -- ./nowhere
echo text >text
chmod +x text
refused "neither a program nor a script" "neither an ELF program nor a script" -o x.tmt -- ./text
# By the beginnings that the formats' documents give. A class of Java 8 has 0xcafebabe, too.
for other in 'Windows MZ' 'WebAssembly \0asm' 'macOS \317\372\355\376' 'macOS \312\376\272\276\0\0\0\2'; do
	# shellcheck disable=SC2059 # the bytes are octal
	{ printf "${other#* }"; head -c 80 /dev/zero; } >text
	refused "a program of ${other%% *}" "is a program of ${other%% *}.*OTHER SYSTEMS in libtracemill-capture" -o x.tmt -- ./text
done
{ printf '\312\376\272\276\0\0\0\64'; head -c 80 /dev/zero; } >text
refused "a class of Java" "neither an ELF program nor a script" -o x.tmt -- ./text
refused "no library" "capture library is not there" --library /nowhere -o x.tmt -- ./blocks frames
refused "no place for the output" "No such file or directory" -o /nowhere/x.tmt -- ./blocks frames

# Output that fails: the program goes on; it is said at once and at the end, and the status is not 0.
tm-record -o /dev/full -- ./blocks random 2>err
ok "a full disk: the program ends as it would, and the status tells" \
	[ "$? $(grep -c 'recording stopped.*No space left' err) $(grep -c 'trace is incomplete: No space left' err) $(grep -c ^allocs err)" = "3 1 1 1" ]
tm-record -o /dev/full -- sh -c 'exit 5' 2>err
ok "a full disk: a program that fails keeps its status" [ "$? $(grep -c 'trace is incomplete' err)" = "5 1" ]
tm-record -o /dev/full -- sh -c 'kill -TERM $$' 2>err
ok "a full disk: or its signal" [ "$? $(grep -c 'trace is incomplete' err)" = "143 1" ]
# Its first chunk of events fits in, of 65536; what is cut within a chunk is lost as a whole.
(
	ulimit -f 800
	tm-record -o x.tmt -- ./blocks random 2>err
	echo $? >status
)
ok "a file that may not grow: no signal, and the status" [ "$(cat status) $(grep -c '^allocs' err) $(grep -c 'incomplete: File too large' err)" = "3 1 1" ]
ok "a file that may not grow: whole up to there" [ "$(tm-dump -q x.tmt | grep -c ^alloc)" -gt 100 ]
{
	tm-record -- ./blocks random 2>err
	echo $? >status
} | head -c 100 >/dev/null
ok "a closed pipe: likewise" [ "$(cat status) $(grep -c ^allocs err)" = "3 1" ]
{
	tm-record -- ./blocks random 2>err
	echo $? >status
} | { sleep 1; }
ok "a pipe that is closed in the middle of a write: likewise" [ "$(cat status) $(grep -c ^allocs err)" = "3 1" ]
env --default-signal=INT tm-record -o x.tmt -- sleep 60 2>err &
for ((i = 0; i < 600; i++)); do
	[ "$(ps -o comm= --ppid $!)" != sleep ] || break
	sleep 0.1
done
if [ "${SAN-}" = thread ]; then # which keeps a signal until waitpid has returned
	kill -KILL "$(ps -o pid= --ppid $!)"
	echo "skip - an interrupt that is sent to it alone (ThreadSanitizer holds signals back)"
else
	kill -INT $!
	wait $!
	ok "an interrupt that is sent to it alone reaches the program" [ $? = 130 ]
fi
{ tm-record --drop -- ./blocks random 2>err; } | { sleep 1; cat >x.tmt; }
ok "a slow output with --drop: what is lost is counted" [ "$(tm-dump -q x.tmt |
	awk '$1 == "alloc" || $1 == "free" { n++ } /output was too slow/ { n += substr($3, 7) } END { print n }')" = 149953 ]

# Other tools count the same.
tm-record -o x.tmt -- ./tables random 2>said
if command -v heaptrack >/dev/null 2>&1 && command -v heaptrack_print >/dev/null 2>&1; then
	heaptrack -o ht ./tables random >/dev/null 2>&1
	# Its library brings libstdc++ along, which allocates once: only stacks of ours count.
	for cost in allocations leaked; do
		heaptrack_print -F $cost --flamegraph-cost-type $cost ht.* >printed 2>/dev/null
		awk '/blocks\.c/ { n += $NF } END { printf "%d ", n }' $cost
	done >theirs
	tm-top -q --csv x.tmt | awk -F , 'NR > 1 { n += $2; b += $7 } END { printf "%d %d ", n, b }' >ours
	ok "heaptrack counts the same allocations and bytes left ($(cat ours))" cmp -s ours theirs
else
	echo "skip - heaptrack counts the same (not here)"
fi
if command -v valgrind >/dev/null 2>&1; then
	valgrind --tool=dhat --dhat-out-file=dhat.json ./tables random >/dev/null 2>dhat.txt
	ok "DHAT counts the same blocks and bytes" [ "$(sed -n 's/.*Total: *\([0-9,]*\) bytes in \([0-9,]*\) blocks.*/\1 \2/p' dhat.txt | tr -d ,)" = \
		"$(sums x.tmt | awk '{ print $6, $2 }')" ]
else
	echo "skip - DHAT counts the same (no valgrind)"
fi
