#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make demo: builds the game in testdata/src/demo, runs it for 300 frames, and shows the
# commands that turn the captures it wrote of itself into reports, with what they print. Then
# records a program that is not ours: Debian's python3, with the names of python3.11-dbg. Its sentences are in Chinese
# where the environment asks for it; what the programs print to a terminal is English.

set -eu
SRC=${SRC:-$(cd "$(dirname "$0")/.." && pwd)}
BUILD=${BUILD:-$SRC/build/plain}
PATH=${BIN:-$BUILD/bin}:$PATH
export SRC

DATA=$BUILD sh "$SRC/testdata/make.d/demo.sh" gcc-dwarf5-O2 300
cd "$BUILD/demo/gcc-dwarf5-O2"

case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
zh*) say() { echo "$2"; } ;;
*) say() { echo "$1"; } ;;
esac
here=${PWD#"$SRC"/}
say "A small game ran for 300 frames and wrote these captures of itself, in $here:" \
	"一个小游戏运行了 300 帧，把自己的采集数据写到了 $here："
wc -c arcade.mem arcade.stream arcade.maps arcade.smaps | sed '$d'

status=0
show() { # $1: what to see, $2: the same in Chinese, $3: the command
	echo
	say "$1" "$2"
	printf '\n$ %s\n' "$3"
	bash -c "set -o pipefail; $3" || {
		status=$?
		printf 'demo.sh: exit status %d\n' "$status" >&2
	}
}

files='-e bin/arcade -e bin/libengine.so'
show 'First, the addresses of the capture get their functions, files and lines, once for all reports:' \
	'第一步，地址解析：为采集数据补上函数名、文件名和行号，之后的所有报告都用它：' \
	"tm-symbolize $files --maps arcade.maps arcade.mem > mem.tmt"
show 'Which types does the game allocate? Share is the part of all bytes:' \
	'游戏分配了哪些类型的对象？share 是占全部字节的比例：' \
	"tm-top -n 10 --by type mem.tmt"
show "Which lines ask for them? The engine's own allocators are passed over, so that a row is a line of the game:" \
	'是哪些代码行在分配？引擎自己的分配器封装会被跳过，因此每一行都是游戏里的一行代码：' \
	"tm-top -n 10 mem.tmt"
show "Who causes the native allocations of the same run? Total is a function's own and those of all that it calls:" \
	'同一次运行里，原生内存是谁分配的？total 是函数自身的分配加上它调用的所有函数的分配：' \
	"tm-import --maps arcade.smaps --config loli3.conf arcade.stream | tm-symbolize $files | tm-top -n 10 --by function --cumulative"

python=/usr/bin/python3.11
words=$SRC/testdata/src/record
id=$(readelf -n "$python" 2>/dev/null | sed -n 's/^ *Build ID: //p')
if [ -n "$id" ] && [ -f "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ]; then
	cp "$words/words.py" "$words/python.sites" .
	show "A program that is not ours, recorded: Debian's Python counts the words of its own library." \
		'再录制一个不是我们写的程序：Debian 的 Python 在统计它自带库里的单词。' \
		"tm-record -q -o python.tmt -- $python words.py"
	show 'Which functions of Python allocate, and how much of it is still live at the end?' \
		'Python 的哪些函数在分配，结束时还有多少没有释放？' \
		"tm-symbolize python.tmt | tm-top -n 10 --sites python.sites"
else
	echo
	say "Not shown: $python recorded, since it or its symbols (python3.11, python3.11-dbg) are not here." \
		"这里没有演示录制 $python，因为没有安装它或它的符号（python3.11、python3.11-dbg）。"
fi

tm-top -q --as html mem.tmt >arcade.html || status=$?
bin=${BIN:-$BUILD/bin}
bin=${bin#"$SRC"/}
say "
The ranking of lines as a page: $here/arcade.html
Next:
    $bin/tracemill run ./your-program      records your program and reports
    $bin/tracemill view $here/mem.tmt      looks around in a browser
    $bin/tracemill show FILE      says what a file is, and prints what fits it" "
代码行的分配排行，网页版：$here/arcade.html
接下来可以输入：
    $bin/tracemill run ./your-program      录制你的程序并给出报告
    $bin/tracemill view $here/mem.tmt      在浏览器里查看
    $bin/tracemill show FILE      说明文件是什么，并给出合适的报告"
exit $status
