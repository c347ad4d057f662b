#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A program whose folder, files, module, functions and thread have Chinese names, recorded and reported: each name is
# in every format as it is, tables have the columns and the widths that letters of two cells make, as Unicode's table
# East_Asian_Width in Python has it, and files with such names are read and written.
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
if ! command -v python3 >/dev/null; then
	echo 'skip - Chinese names: no Python'
	exit 0
fi
mkdir 项目 && cd 项目 || exit 1
cat >纹理.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
void *表[2000];
int 数;
__attribute__((noinline)) void 加载纹理(int k)
{
	表[数++] = memset(malloc(2048), k, 2048);
}
__attribute__((noinline)) void 生成并销毁粒子(void)
{
	for (int i = 0; i < 50; i++) {
		void *p = malloc(500);

		memset(p, 0, 500);
		__asm__ volatile("" ::"r"(p) : "memory");
		free(p);
	}
}
__attribute__((noinline)) void *渲染线程(void *x)
{
	pthread_setname_np(pthread_self(), "渲染线程");
	for (int i = 0; i < 300; i++)
		加载纹理(i);
	return x;
}
END
cat >主.c <<'END'
#include <pthread.h>
void 加载纹理(int), 生成并销毁粒子(void), *渲染线程(void *);
__attribute__((noinline)) void load_level_一(void)
{
	for (int i = 0; i < 1000; i++)
		加载纹理(i);
}
int main(void)
{
	pthread_t t;

	load_level_一();
	for (int i = 0; i < 60; i++)
		生成并销毁粒子();
	pthread_create(&t, 0, 渲染线程, 0);
	pthread_join(t, 0);
	return 0;
}
END
if ! ${CC:-cc} -g -O1 -fPIC -shared -pthread 纹理.c -o lib引擎.so 2>/dev/null ||
	! ${CC:-cc} -g -O1 -pthread 主.c -o 游戏 ./lib引擎.so; then
	echo 'skip - Chinese names: the compiler takes no such names'
	exit 0
fi
check 'recorded' tm-record -q -o 采集.tmt -- ./游戏

# Its twin has two letters where it has a Chinese one, so that both have the same columns; where a name is cut,
# a letter of two cells may leave one free.
cat >../twin.py <<'END'
import sys
import unicodedata

def cells(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)

def twin(text):
    return "".join(chr(97 + ord(c) % 26) * 2 if unicodedata.east_asian_width(c) in "WF" else c for c in text)

if len(sys.argv) == 1:
    sys.stdout.write(twin(sys.stdin.read()))
    sys.exit(0)
ours, theirs = (open(f, encoding="utf-8").read().split("\n") for f in sys.argv[1:3])
bad = len(ours) != len(theirs) or not any("加" in line for line in ours)
for x, y in zip(ours, theirs):
    cut = "…" in x or "…" in y
    if twin(x) != y and not cut or cut and not cells(y) - 2 <= cells(x) <= cells(y):
        print("%d cells: %s\n%d cells: %s" % (cells(x), x, cells(y), y))
        bad = True
sys.exit(bad)
END
cat >../calls <<'END'
thread 主线程
> 0 主循环
> 1000000 加载纹理并解压缩到显存
< 8000000 加载纹理并解压缩到显存
> 8500000 渲染场景Draw
< 8600000 渲染场景Draw
< 9000000 主循环
thread 后台加载线程
> 0 Job
< 2000000 Job
END
python3 ../twin.py <../calls >../twin
"$GEN/calls" <../calls >../调用.tmt
"$GEN/calls" <../twin >../twin.tmt
same() { # $1: the program; then its options
	local program=$1
	shift
	"$program" -q "$@" ../调用.tmt >../ours
	"$program" -q "$@" ../twin.tmt >../theirs
	python3 ../twin.py ../ours ../theirs
}
for width in 0 100 72 50; do
	check "$width: by function and thread" same tm-top --width $width --by function,thread
	check "$width: by stack" same tm-top --width $width --by stack
	check "$width: a tree" same tm-top --width $width --tree
	check "$width: spikes" same tm-spikes --width $width --threshold 1ms
	check "$width: frames" same tm-frames --width $width --every 1ms --spread --by function
done

# Each format has them as they are.
for name in 加载纹理 生成并销毁粒子 load_level_一 渲染线程 项目/纹理.c lib引擎.so; do
	for as in csv json html; do
		tm-top -q --as $as --by stack 采集.tmt >../out
		check "$as has $name" grep -qF "$name" ../out
	done
done
check 'folded stacks' eval 'tm-export --as folded 采集.tmt | grep -q "main;load_level_一;加载纹理 2056000"'
check 'a focus' eval '[ "$(tm-top -q --focus "^渲染线程$" --as csv 采集.tmt | cut -d, -f2 | tail -n 1)" = 300 ]'
check 'a thread' eval '[ "$(tm-top -q --thread 渲染 --by thread --as csv 采集.tmt | cut -d, -f2 | tail -n 1)" = 300 ]'
check 'the source' eval 'tm-top -q --source 加载纹理 --source-dir . 采集.tmt | grep -q "表\[数++\] = memset"'
check 'a view' eval 'tm-view -q --query "top --focus 渲染线程" 采集.tmt | grep -q "\"site\":\"加载纹理\""'
nm lib引擎.so | sed -n 's/ T .*//p' >../addresses
if command -v addr2line >/dev/null; then
	check 'as addr2line has them' eval 'cmp <(addr2line -f -e lib引擎.so <../addresses) <(tm-addr2line -f -e lib引擎.so <../addresses)'
fi
tm-top -q -o 报告.html 采集.tmt
check 'a report of such a name' grep -q '采集\.tmt' 报告.html
tm-top -q 没有.tmt 2>../err
check 'a message has it' grep -q '^tm-top: 没有\.tmt: ' ../err
# By bytes, which is the order of letters in UTF-8: 加 U+52A0, 渲 U+6E32, 生 U+751F.
printf 'main;%s 5\n' 生成 渲染 加载 Draw >../stacks.folded
check 'rows of one size are in the order of their names' eval \
	'[ "$(tm-top -q --as csv --by function ../stacks.folded | cut -d, -f20 | sed 1d | grep -v main | tr "\n" " ")" = "Draw 加载 渲染 生成 " ]'
