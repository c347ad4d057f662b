#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The commands under EXAMPLES of every manual page run unchanged, each block in a folder with
# the demo's captures and binaries (and example.mem, which tracemill-trace(5) prints, and the
# folder unity of testdata/gen/unity_traps.c, and other, the binaries of another build); the
# tutorial's all in one, with the program that it lists. A command
# ends with 0, or with what the text before its block says: (exit status 3). Where lines follow
# it, they are what it prints. So does the block of docs/demo.md, but for the folders of the
# sources and the width of columns. What the README's first screen and the tutorial's first block show of
# tracemill run is what it prints of the tutorial's program, but for times, rates, memory and the process.
set -u

captures=$DATA/demo/gcc-dwarf5-O2
if [ ! -f "$captures/arcade.mem" ]; then
	echo "skip - examples (no demo captures here)"
	exit 0
fi
scratch=$PWD

# Blocks of a page: a line "block N STATUS", then the block's lines, as a terminal shows them.
blocks() {
	awk '
		/^\.Sh / { examples = $0 == ".Sh EXAMPLES" }
		!examples { next }
		/^\.Bd -literal$/ { inside = 1; print "block " ++n " " status + 0; next }
		/^\.Ed/ { inside = 0; status = 0; next }
		inside {
			gsub(/\\e/, "\\")
			gsub(/\\&/, "")
			print
			next
		}
		match($0, /\(exit status [0-9]+\)/) { status = substr($0, RSTART + 13, 1) }
	' "$1"
}

# One command, with what it should print ("" when the page does not show it).
run() { # $1: status, $2: command, $3: file with the lines wanted
	local status

	bash -o pipefail -c "$2" >got 2>&1 </dev/null
	status=$?
	# head and its like end what feeds them by SIGPIPE.
	if [ $status -ne "$1" ] && [ $status -ne 141 ]; then
		sed 's/^/  /' got
		echo "  \$ $2"
		echo "not ok - $name: exit status $status, not $1"
		return 1
	fi
	if [ -s "$3" ] && ! diff -u --label page --label got "$3" got; then
		echo "  \$ $2"
		echo "not ok - $name: prints something else"
		return 1
	fi
}

folder() {
	rm -rf "$scratch/example"
	mkdir "$scratch/example"
	cd "$scratch/example" || exit 1
	cp -r "$captures"/. .
	cp -r "$DATA/demo/clang-dwarf5-O2/bin" other # another build of the same game
	cp -r "$DATA/unity" .
	[ ! -d "$DATA/heap" ] || cp "$DATA"/heap/*.tmt "$DATA"/heap/il2cpp.snap .
	sed -n 's/^{"f":7,/&/p' "$SRC/man/tracemill-trace.5" >example.mem
	awk '/^\.Sh / { listed = /THE PROGRAM/ }
		listed && /^\.Bd/ { inside = 1; next }
		/^\.Ed/ { inside = 0 }
		inside { gsub(/\\e/, "\\"); print }' "$SRC/man/tracemill-tutorial.7" >game.c
	export CPATH="$SRC/lib/recorder" # where tracemill.h is until it is installed
}

check_page() {
	local line n=0 status=0 command='' bad=0

	folder
	: >want
	while IFS= read -r line; do
		case $line in
		'block '[0-9e]* | '$ '*)
			if [ -n "$command" ]; then
				run "$status" "$command" want || bad=1
				commands=$((commands + 1))
			fi
			command=
			: >want
			;;
		esac
		case $line in
		'block '[0-9e]*)
			read -r _ n status <<<"$line"
			name="$(basename "$1"), example $n"
			case $n:$1 in
			end:* | [2-9]:*tutorial.7 | ??:*tutorial.7) ;; # it is one story
			*) folder ;;
			esac
			: >want
			;;
		'$ '*) command=${line#'$ '} ;;
		*)
			echo "$line" >>want
			if [ -z "$command" ]; then
				echo "not ok - $name: output without a command: $line"
				bad=1
			fi
			;;
		esac
	done < <(blocks "$1"; echo 'block end 0')
	return $bad
}

for page in "$SRC"/man/*.[1-9]; do
	commands=0
	name=$(basename "$page")
	if check_page "$page"; then
		case $commands:$page in
		0:*.1) echo "not ok - ${page##*/} has no examples" ;;
		0:*) ;;
		*) echo "ok - ${page##*/}: $commands commands" ;;
		esac
	fi
	cd "$scratch" || exit 1
done

# The demo's block in docs/demo.md and in its twin, on a game of as many frames as they say.
block() { sed -n '/^```$/,/^```$/p' "$SRC/docs/$1" | sed '1d;$d'; }
plain() { sed -e 's| [^ ]*/\([a-z]*\.cpp:\)| \1|' -e 's/  */ /g' -e 's/ $//'; }

folder
bin/arcade --frames 300 --out . >/dev/null
block demo.md | sed -n 's/^\$ //p' >commands
bash -e -o pipefail commands 2>errors </dev/null | plain >got
status=${PIPESTATUS[0]}
for page in demo.md demo.zh-CN.md; do
	block $page | sed '/^\$ /d' | plain >want
	if [ -s commands ] && [ "$status" -eq 0 ] && block $page | sed -n 's/^\$ //p' | cmp -s - commands &&
		diff -u --label docs/$page --label got want got; then
		echo "ok - docs/$page: $(wc -l <commands) commands"
	else
		cat errors
		echo "not ok - docs/$page: exit status $status"
	fi
done

# The first screen of both. How long a frame takes is chance on a busy machine, but for the one that loads the level, which
# is among the five in any case.
folder
mkdir first && cd first || exit 1
cp ../game.c .
shown() {
	sed -E -e 's/[0-9.]+ (ns|us|ms|s)\>/TIME/g' -e 's/[0-9.]+ (thousand |million |)a second/RATE/' \
		-e 's/RSS [0-9.]+ [KM]iB/RSS/' -e 's/game\.[0-9]+\.tmt/game.PID.tmt/g' -e '/^$/d' \
		-e 's/^frame +duration +/frame duration /' -e 's/^ *[0-9]+ +TIME +/N TIME /' -e '/^N TIME .* spawn_and_kill /d'
}
${CC:-cc} -g -O1 -fno-inline -ffile-prefix-map="$PWD"=/src game.c -o game
tracemill run ./game 2>&1 | shown >got
sed -n '/^    \$ tracemill run/,/^[^ ]/s/^    //p' "$SRC/README.md" | sed 1d | shown >readme
sed -n '/^    \$ tracemill run/,/^[^ ]/s/^    //p' "$SRC/README.zh-CN.md" | sed 1d | shown >zh-CN
awk '/^\.Bd -literal -offset indent/ { on = 1; next } /^\.Ed/ && on { exit } on' \
	"$SRC/man/tracemill-tutorial.7" | shown >tutorial
for page in readme zh-CN tutorial; do
	if [ -s got ] && [ "$(wc -l <got)" -gt 12 ] && diff -u --label $page --label got $page got; then
		echo "ok - the first screen of $page is what tracemill run prints"
	else
		echo "not ok - the first screen of $page is what tracemill run prints"
	fi
done
