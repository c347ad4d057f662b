#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-llvm-symbolizer --filter-markup compared with llvm-symbolizer 19, output and complaints byte
# for byte: every element with what is right and wrong in it, and a few thousand lines of elements
# put together at random. What must hold by the format alone is asked without llvm-symbolizer, too.
set -u
. "$SRC/tests/diff/builds.bash"
needs llvm_markup gcc readelf nm

cat >log.c <<'C'
int shared[4];
static inline __attribute__((always_inline)) int inlined(int x) { volatile int y = x; return y + 1; }
int function(int x) { return inlined(x) + shared[0]; }
int main(int c, char **v) { return function(c) + !v; }
C
gcc -g -O1 -Wl,--build-id=sha1 -o program log.c || exit 1
id=$(readelf -n program | sed -n 's/.*Build ID: //p')
mkdir -p "dbg/.build-id/${id:0:2}"
cp program "dbg/.build-id/${id:0:2}/${id:2}.debug"
at() { # SYMBOL BYTES: an address, moved to where the log says that the program is
	printf '0x%x' $((16#$(nm program | sed -n "s/ . $1\$//p") + 0x70000000 + $2))
}
known="{{{module:0:program:elf:$id}}}
{{{mmap:0x70000000:0x10000:load:0:rx:0x0}}}"

filter() { # NAME [OPTION...]: our output for the file log
	local name=$1

	shift
	tm-llvm-symbolizer --lenient --filter-markup --debug-file-directory=dbg "$@" <log >got 2>errors
	have llvm-symbolizer-19 || return 0
	llvm-symbolizer-19 --filter-markup --debug-file-directory=dbg "$@" <log >want 2>errors.llvm
	if cmp -s want got && cmp -s errors.llvm errors && [ -s want ]; then
		echo "ok - $name ${*} ($(wc -l <got) lines, $(wc -l <errors) of complaints)"
	else
		diff -a want got | head -n 10
		diff -a errors.llvm errors | head -n 10
		echo "not ok - $name ${*}"
	fi
}

# By the format: nothing but elements is touched, and what they say.
printf '%s\nplain text\n{{{pc:%s}}} {{{data:%s}}}\n{{{bt:2:%s}}}\n{{{reset}}}\nend' "$known" "$(at function 0)" "$(at shared 0)" \
	"$(at function 1)" >log
filter 'the elements'
filter 'the elements' --color=always
filter 'the elements' --color
filter 'the elements' --color=auto
filter 'the elements' --no-demangle --basenames
filter 'the elements' -f=none
# the column of what is inlined: its first statement's variable
column=$(awk 'NR == 2 { print index($0, "y = x") }' log.c)
base=0x$(nm program | sed -n 's/ . function$//p')
tm-llvm-symbolizer --filter-markup --debug-file-directory=dbg <log >got
if printf '%s\n' "[[[ELF module #0x0 \"program\"; BuildID=$id [0x70000000-0x7000ffff](rx)]]]" 'plain text' \
	"function[$PWD/log.c:2] shared" "    #2.1  $(printf 0x%016x $((base + 0x70000000))) inlined $PWD/log.c:2:$column (program+$(printf 0x%x $((base))))" \
	"    #2    $(printf 0x%016x $((base + 0x70000000))) function $PWD/log.c:3:30 (program+$(printf 0x%x $((base))))" \
	'[[[reset]]]' end | diff - got; then
	echo 'ok - a log by the format'
else
	echo 'not ok - a log by the format'
fi

# Modules and mappings: what is one line, what is swallowed, what overlaps, what is unknown.
printf '%s\n' "before {{{module:0:program:elf:$id}}} behind" "x {{{mmap:0x1000:0x1000:load:0:rX:0x0}}} y" \
	'{{{mmap:0x4000:0x1000:load:0:RwX:0x0}}}' '{{{mmap:0x3000:0x1000:load:0:w:0x0}}}' $'text\r' \
	'{{{mmap:0x1800:0x10:load:0:r:0x0}}}' '{{{mmap:0x500:0xb01:load:0:r:0x0}}}' '{{{mmap:0x500:0xb00:load:0:r:0x0}}}' \
	"{{{module:0:program:elf:$id}}}" "{{{module:0x1:other:elf:123}}}" '{{{mmap:0x9000:0:load:1:r:0x5}}}' '{{{mmap:0x9000:0x10:load:0:r:0x7}}}' \
	'{{{mmap:0x8000:0xffffffffffffffff:load:0:r:0x5}}}' "{{{module:2:a:pe:$id}}}" '{{{module:2:a:elf:xyz}}}' '{{{module:2:a:elf:}}}' \
	"{{{module:07:a:elf:ABCDEF:more}}}" "{{{module:08:a:elf:00}}}" '{{{module:2:a}}}' '{{{module}}}' '{{{mmap}}}' '{{{mmap:0x5:1:store:0:r:0}}}' \
	'{{{mmap:0x5:1:load:9:r:0}}}' '{{{mmap:0x5:-1:load:0:r:0}}}' '{{{mmap:5:1:load:0:r:0}}}' '{{{mmap:0x5:1:load:0:xr:0}}}' '{{{mmap:0x5:1:load:0::0}}}' \
	'{{{mmap:0x5:1:load:0:rr:0}}}' '{{{mmap:0x5:1:load:0:r:1}}}' '{{{mmap:0x5:1:load:0:r:0:7}}}' '{{{mmap:00:0b11:load:7:x:0000}}}' $'{{{reset:1}}} z\r' '{{{reset}}}' \
	"{{{module:5:again:elf:$id}}}" 'a {{{reset}}} {{{symbol:_Z1fv}}}' >log
filter 'modules and mappings'
filter 'modules and mappings' --color=always

# Questions: fields, kinds of address, what is not there, a module without a file; names; other braces.
f=$(at function 4)
printf '%s\n' "$known" "{{{module:1:gone:elf:0123456789}}}" '{{{mmap:0x5000:0x1000:load:1:r:0}}}' \
	"{{{pc:$f}}}|{{{pc:$f:pc}}}|{{{pc:$f:ra}}}|{{{pc:$f:xx}}}|{{{pc:$f:pc:1}}}|{{{pc:$f:zz:1}}}|{{{pc}}}|{{{pc:}}}|{{{pc:123}}}|{{{pc:0xg}}}|{{{pc:0}}}" \
	"{{{bt:0:$f}}}|{{{bt:123456:$f:pc}}}|{{{bt:0x1:$f}}}|{{{bt:1:$f:ra:9}}}|{{{bt:1}}}|{{{bt}}}|{{{bt:1:0x70000000}}}|{{{bt:1:0x1}}}|{{{bt:1:$f:}}}" \
	$'{{{bt:7:'"$f"$'}}}\r' "{{{data:$(at shared 5)}}}|{{{data:0x70000001}}}|{{{data:0x1}}}|{{{data}}}|{{{data:1:2}}}|{{{data:}}}" \
	'{{{pc:0x5001}}} {{{bt:0:0x5002}}} {{{data:0x5003}}} {{{pc:0x70000001}}}' \
	'{{{symbol:_ZN3foo3barEi}}} {{{symbol:main}}} {{{symbol:}}} {{{symbol}}} {{{symbol:_Z1av:_Z1bv}}}' \
	'{{{}}} {{{:x}}} {{{other:1:2}}} {{{Upper}}} {{{a1}}} {{{{pc:0x1}}}} {{{symbol:_Z1fv}} {{{symbol:_Z1gv}}}}' '{{{symbol:_Z1' '1fv}}} {{{' \
	'}}} {{{hexdict:x}}}' '' '{{{symbol:_Z1fv' >log
filter 'questions'
filter 'questions' --color=always

# Colours of the log itself are known by their codes, and shown only where colours are.
printf '%s\n' "$known" $'\033[31mred {{{pc:'"$f"$'}}} \033[1mbold {{{pc:'"$f"$'}}} \033[34mblue {{{bt:1:'"$f"$'}}}\033[0m none' \
	$'\033[1mbold {{{symbol:_Z1fv}}}' $'next \033[2J \033[38m \033[3m \033[30\033[37m\033[0m\033[0m' $'\033[32m{{{reset}}}' >log
filter 'colours' --color=always
filter 'colours' --color=never
printf 'no colours in a pipe \033[31mred\033[0m {{{symbol:_Z1fv}}}\n' >log
tm-llvm-symbolizer --filter-markup <log >got
if echo 'no colours in a pipe red f()' | cmp -s - got; then
	echo 'ok - no colours in a pipe'
else
	echo 'not ok - no colours in a pipe'
fi

# At random: pieces of elements, so that most of them are nearly right. The seed is fixed.
awk -v id="$id" -v f="$f" -v d="$(at shared 0)" 'BEGIN {
	srand(15)
	n = split("{{{ }}} : {{{module:0:a:elf:" id "}}} {{{module:1:b:elf:" id "}}} {{{mmap:0x70000000:0x2000:load:0:r:0}}}" \
		" {{{mmap:0x70004000:0x1000:load:0:RW:0x4000}}} {{{mmap:0x70002000:0x2000:load:1:rx:0x2000}}} {{{reset}}} {{{pc:" f "}}}" \
		" {{{bt:1:" f "}}} {{{bt:2:" f ":pc}}} {{{data:" d "}}} {{{symbol:_Z1fv}}} text \033[31m \033[0m \033[1m \r {{{pc {{{bt:3: " f " _Z1gv 0x70001130 load", piece, " ")
	for (i = 0; i < 4000; i++) {
		line = ""
		for (k = int(rand() * 4); k >= 0; k--)
			line = line piece[1 + int(rand() * n)] (rand() < .3 ? " " : "")
		print line
	}
}' >log
filter 'at random' --color=always
filter 'at random' --color=never

# Of ours alone: what is malformed is status 3, what has no answer 4; lines that are too long are
# reported.
tm-llvm-symbolizer --filter-markup <<<'{{{pc:zz}}}' >got 2>errors
malformed=$?
printf '%s\n{{{pc:0x70000001}}}\n' "$known" | tm-llvm-symbolizer --filter-markup --debug-file-directory=dbg >got 2>errors
unanswered=$?
if [ "$malformed $unanswered" = '3 4' ]; then
	echo 'ok - the status'
else
	echo "not ok - the status: $malformed $unanswered"
fi
# 2^20 bytes of a line are read, 7 are left out.
{ head -c 1048583 /dev/zero | tr '\0' x && echo; } | tm-llvm-symbolizer --filter-markup >got 2>errors
if [ "$(wc -c <got)" = 1048577 ] && grep -q ' 7 bytes of lines longer than 1048576 are left out' errors; then
	echo 'ok - a line that is too long'
else
	cat errors
	echo 'not ok - a line that is too long'
fi
