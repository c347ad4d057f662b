#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tracemill: every program is behind its door, as built, as installed and when called from elsewhere; what
# is misspelled is suggested; `show` tells files by what their formats' documents say they begin with.
# shellcheck disable=SC2016,SC2034,SC2059,SC2086,SC2317 # check evaluates; bytes are octal
set -u
: "${SRC:?}" "${BIN:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
run() { timeout 60 "$@" >out 2>err </dev/null; status=$?; }

programs=$(cd "$SRC/cmd" && printf '%s\n' tm-*.c | sed 's/\.c$//; s/^tm-//')
run tracemill
check 'tracemill alone: status 0, on one screen of 80 by 24' eval \
	'[ $status = 0 ] && [ ! -s err ] && [ "$(wc -l <out)" -le 24 ] && ! grep -q ".\{81\}" out'
cp out screen
names() { sed -nE 's/^(to [a-z]+|instead of|) +([a-z0-9-]+) .*/\2/p' screen | LC_ALL=C sort; }
for p in $programs; do
	"tm-$p" --help >want 2>&1
	run tracemill "$p" --help
	check "tracemill $p --help" cmp -s out want
	run tracemill help "$p"
	check "tracemill help $p" cmp -s out want
done
check 'the screen has every program, and no other' [ "$(names | grep -vx 'run\|show\|doctor')" = "$(echo "$programs" | LC_ALL=C sort)" ]
run tracemill --version
check 'tracemill --version' grep -Eq '^tracemill \(tracemill\) [0-9]' out

run tracemill show --help
check 'tracemill show --help names a page that is there' grep -q 'see tracemill(1), tracemill(7)$' out

# Options and status go through.
"$GEN/trace" --seed 4 --events 50 >a.tmt
tm-top -q --csv a.tmt >want
run tracemill top -q --csv a.tmt
check 'options go through' eval '[ $status = 0 ] && cmp -s out want'
run tracemill tm-top -q --csv a.tmt
check 'so does the whole name' cmp -s out want
run tracemill top --no-such
check 'so does the status' eval '[ $status = 2 ] && grep -q "^tm-top: unknown option --no-such" err'

suggests() { # WORD WANT
	run tracemill "$1"
	want=$2
	check "tracemill $1: $2" eval '[ $status = 2 ] && [ ! -s out ] && grep -qF -- "$want" err'
}
suggests tpo 'did you mean top?'
suggests symbolise 'did you mean symbolize?'
suggests tm-recor 'did you mean record?'
suggests shwo 'did you mean show?'
suggests nothing-like-it 'to record a program: tracemill run nothing-like-it'
suggests a.tmt 'tracemill show a.tmt'
suggests run 'no program to run'
suggests --no-such 'unknown option --no-such'

# An option of another program (lib/cli/options.txt): which one.
owner() { # PROGRAM OPTION WANT
	run "$1" "$2" a.tmt
	want="$1: unknown option ${2%%=*}$3"
	check "$1 $2$3" eval '[ $status = 2 ] && [ "$(head -n 1 err)" = "$want" ]'
}
owner tm-symbolize --unwind ', an option of tm-import'
owner tm-symbolize --unwind=game.exe ', an option of tm-import'
owner tm-top --allow-loss ', an option of tm-compare, tm-session and tm-spikes'
owner tm-export --source-dir ', an option of tm-top and tm-view'
owner tm-top --tops ', an option of tm-frames; did you mean --top?'
owner tm-dump --debuginfod ', an option of tm-symbolize and tm-record'
owner tm-addr2line --unwind ''

# Its place.
mkdir -p other/bin links
cp "$BIN/tracemill" other/bin
run env PATH=/usr/bin:/bin other/bin/tracemill top a.tmt
check 'alone in a folder: status 127, and says what is missing' eval \
	'[ $status = 127 ] && grep -q "^tracemill: tm-top: not found beside" err'
ln -s "$BIN/tm-top" other/bin
run env PATH=/usr/bin:/bin other/bin/tracemill top -q --csv a.tmt
check 'the program beside it is taken, from any folder' cmp -s out want
ln -s "$PWD/other/bin/tracemill" links/tracemill
run env PATH=/usr/bin:/bin links/tracemill top -q --csv a.tmt
check 'called by a link it looks where it stands' cmp -s out want
rm other/bin/tm-top
run env PATH="$BIN:/usr/bin:/bin" other/bin/tracemill top -q --csv a.tmt
check 'else the one in PATH' cmp -s out want

# show: what it says, its status; the marks are those of the formats' own documents (file_kind.h).
shows() { # FILE STATUS TEXT
	run tracemill show "$1"
	file=$1 want=$3 expected=$2
	check "show $1: $3" eval '[ $status = $expected ] && head -n 1 out | grep -F -- "$want" | grep -qF "$file: "'
}
tm-compare -q --save-baseline a.tma a.tmt
shows a.tmt 0 'a trace of tracemill'
# What comes first in it is an allocation or an object, at random: tm-top is for allocations.
"$GEN/trace" --allocs 50 --rich 1 >allocs.tmt
shows allocs.tmt 0 'a trace of tracemill'
tail -n +3 out >rest
tm-top allocs.tmt >want 2>/dev/null
check '... and then prints what tm-top prints' cmp -s rest want
# A killed recording, a full disk, a broken download: at any byte it ends by itself, in words.
size=$(stat -c %s a.tmt) wrong=
for n in 1 11 12 20 30 60 100 $(seq 200 397 "$size"); do
	head -c "$n" a.tmt >cut.tmt
	timeout 10 tracemill show cut.tmt >out 2>err </dev/null
	status=$?
	case $status in
	0) grep -q '^cut.tmt: a trace' out ;;
	3) [ -s err ] || grep -q '^  ' out ;;
	*) false ;;
	esac || wrong="$wrong $n:$status"
done
check "a trace that is cut anywhere${wrong:+: not$wrong}" [ -z "$wrong" ]
gzip -k a.tmt
shows a.tmt.gz 0 'a trace of tracemill'
shows a.tma 0 'an aggregate'
"$GEN/memtracer" --frames 3 --types 4 --stacks 5 >a.mem
shows a.mem 0 'MemTracer'
"$GEN/heap" big 20 60 >heap.tmt
shows heap.tmt 0 'a trace of tracemill'
tm-heap heap.tmt >want 2>/dev/null
tail -n +3 out >rest
check '... and then prints what tm-heap prints' cmp -s rest want
shows "$BIN/tm-dump" 0 'a program or library (ELF)'
printf 'BSJB\1\0\1\0\0\0\0\0' >portable.pdb
shows portable.pdb 3 'a portable PDB of .NET'
# IMAGE_FILE_HEADER: machine, sections, time, symbols at, number of symbols, optional header, flags.
{ printf '\144\206\1\0\0\0\0\0\74\0\0\0\1\0\0\0\0\0\0\0' && head -c 60 /dev/zero; } >game.obj
shows game.obj 3 'an object file of Windows (COFF)'
printf '{"app_name":"G","bug_type":"309"}\n{}\n' >game.ips
shows game.ips 3 'a crash report of macOS or iOS (JSON)'
check 'show game.ips: what names its frames, which have no addresses' grep -q 'tm-atos -o PROGRAM --offset IMAGEOFFSET' out
printf 'main;f 3\nmain;g 4\n' >stacks.folded
shows stacks.folded 0 'folded'
"$GEN/gmon" plain >gmon.out 2>err
shows gmon.out 0 "gprof's gmon.out"
check 'show gmon.out: the command that gives names' grep -qx 'the file does not name its program; for names of functions: tm-top -e PROGRAM gmon.out' out
foreign() { # NAME TEXT BYTES
	printf "$3" >"$1"
	shows "$1" 3 "$2"
}
foreign lfs.mem 'a Git LFS pointer' \
	'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n'
check '... and says how to fetch it' grep -q 'git lfs pull' out
"$GEN/perf_data" --samples 20 plain >perf.data 2>err
shows perf.data 0 'perf.data of perf'
"$GEN/heaptrack_log" --events 4 3 >heaptrack.g 2>err
shows heaptrack.g 0 'heaptrack 1.x'
"$GEN/perfetto" --n 4 calls >run.pftrace 2>err
shows run.pftrace 0 'traces of Perfetto'
"$GEN/massif" plain >massif.out.1 2>err
shows massif.out.1 0 "Valgrind's massif.out"
foreign dhat.out.1 "valgrind's DHAT" '{"dhatFileVersion":2\n,"mode":"heap"\n'
"$GEN/callgrind" plain >callgrind.out.1 2>err
shows callgrind.out.1 0 "Valgrind's callgrind.out"
foreign game.tracy 'Tracy' 'tr\375P\002\001'
foreign game.utrace 'Unreal Engine' '2CRT\0\0\0\0'
foreign game.exe 'Windows (PE)' 'MZ\220\0\003\0\0\0'
foreign game.pdb 'Windows (PDB)' 'Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0'
foreign game.etl 'Windows (ETL)' '\0\0\001\0\0\0\001\0'
foreign game.zip 'a zip file' 'PK\003\004\024\0\0\0'
"$GEN/speedscope" time >a.json 2>err
shows a.json 0 "speedscope's JSON"
"$GEN/chrome" --frames 1 complete >b.json 2>err
shows b.json 0 "Chrome's trace events"
foreign game.usym "Unity's symbols of a binary (usym)" 'usym\002\0\0\0\0\0\0\0'
foreign lite.usym "Unity's lines of a binary (usymlite)" 'sym-\002\0\0\0\0\0\0\0'
foreign lines.json 'a line map of il2cpp' '{"/cpp/A.cpp" : {\n"./A.cs" : {\n"12" : 3}}}'
foreign Build.wasm.map 'a source map' '{"version": 3, "sources": ["g.cpp"], "names": [], "mappings": "AAAA"}'
foreign mapping.txt 'R8' '# compiler: R8\na.b -> a:\n'
foreign il2cppFileRoot.txt 'the folder of a line map of il2cpp' '/Users/x/cpp'
foreign MethodMap.tsv 'a method map of il2cpp' 'A_b_m1\tvoid A::b()\tA.dll\n'
foreign tracemill.ini 'defaults for tracemill' 'debug-dir = debug\n'
foreign perf-1.map 'perf-PID.map' '7f0010 20 foo bar\n7f0030 1c z\n'
foreign words.txt 'text, in no known format' 'decade bed is a word\nadded fed too\n'
foreign store.db 'SQLite' 'SQLite format 3\0\020\0\001\001'
foreign what.bin 'binary data' '\001\002\003\004\005'
foreign core.1 'a core' '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\004\0\076\0'
cat /proc/self/maps >maps.txt
shows maps.txt 3 'a module map'
: >empty
shows empty 3 'an empty file'
shows /proc/self/maps 3 'a module map' # its size is said to be 0
run tracemill show none
check 'show: no such file' eval '[ $status = 3 ] && grep -q "none: .*No such file" err'
run tracemill show stacks.folded what.bin none
check 'show: several files, the worst status' eval \
	'[ $status = 3 ] && grep -q "^stacks.folded: " out && grep -q "^what.bin: " out'
cp stacks.folded ./-n.folded
run tracemill show -- -n.folded
check 'show: a name that begins like an option' eval '[ $status = 0 ] && grep -q " g$" out'
run tracemill show - <stacks.folded
check 'show: standard input is refused' [ $status = 2 ]
run tracemill show
check 'show: without a file' eval '[ $status = 2 ] && grep -q "no file to show" err'
[ ! -w /dev/full ] || {
	tracemill >/dev/full 2>err
	status=$?
	check 'a full disk' [ $status = 3 ]
}

# Completion.
tracemill --completion=bash >tracemill.bash
check 'bash takes the script' bash -n tracemill.bash
for p in top record; do "tm-$p" --completion=bash >tm-$p; done
. ./tracemill.bash
offer() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_tracemill
	printf '%s\n' "${COMPREPLY[@]}"
}
# As bash finds it: beside the script of tracemill.
cp tracemill.bash tracemill
. ./tracemill
check 'bash: commands' [ "$(offer tracemill sh)" = show ]
check 'bash: options of a command' [ "$(offer tracemill top --cumu)" = --cumulative ]
check 'bash: values of its options' [ "$(offer tracemill top --by fu)" = function ]
check 'bash: run has the options of record' [ "$(offer tracemill run --pid-c)" = --pid-children ]
if command -v zsh >/dev/null; then
	tracemill --completion=zsh >tracemill.zsh
	check 'zsh takes the script' zsh -n tracemill.zsh
fi
if command -v fish >/dev/null; then
	tracemill --completion=fish >tracemill.fish
	tm-top --completion=fish >>tracemill.fish
	HOME=$PWD fish --no-config -c "source tracemill.fish; complete -C 'tracemill sh'" >got 2>err
	check 'fish: commands' grep -qx show got
	HOME=$PWD fish --no-config -c "source tracemill.fish; complete -C 'tracemill top --cumu'" >got 2>err
	check 'fish: options of a command' grep -q '^--cumulative' got
fi
# On a terminal of a desktop a browser opens the page; the address is printed in any case.
printf '#!/bin/sh\necho "$1" >%s/opened\n' "$PWD" >browser
chmod +x browser
on_a_terminal() { # VARIABLE=VALUE ... : tracemill view until it has been opened, or 2 s
	rm -f opened typed
	env -u CI -u SSH_CONNECTION -u SSH_TTY DISPLAY=:0 BROWSER="$PWD/browser:other" "$@" \
		script -qec 'timeout 2 tracemill view a.tmt' typed </dev/null >/dev/null 2>&1
	grep -q '^http://127' typed
}
if ! command -v script >/dev/null || tm-view --listen nowhere x 2>&1 | grep -q 'without libmicrohttpd'; then
	echo 'skip - tracemill view opens a browser: no script, or no libmicrohttpd'
else
	check 'tracemill view prints its address' on_a_terminal A=1
	check '... and a browser opens it' eval 'grep -q ^http://127 opened && grep -qF "$(cat opened)" typed'
	for not in CI=1 SSH_CONNECTION=x DISPLAY=; do
		check "with $not: the address alone" eval 'on_a_terminal "$not" && [ ! -e opened ]'
	done
fi
check 'tracemill has its row in the table of sandboxes' grep -q '{"tracemill", NULL, ' "$SRC/lib/sandbox/profiles.c"
exit $failed
