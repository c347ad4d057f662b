#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-llvm-symbolizer against llvm-symbolizer 19, byte for byte: every address of the code of several
# builds, with names by linkage, short and none, with and without inlined calls, and all facts; then combinations of
# all options, in the three styles, on a sample of addresses on which both agree.
#
# What is made equal first: LLVM 19 loses the file that a function is declared in when the attribute is a
# DW_FORM_implicit_const (its value knows no unit then), or calls it <invalid>; ours is taken away there (class start-file).
# What differs then is of a class, checked for each address, or is listed by the two answers' first
# functions:
#   start-file see above
#   no-symbol  no symbol with a size holds the address: we name no function, llvm does
# tests/diff/llvm-symbolizer.txt has a row for each build and class, or pair, with the reason; a row that
# no longer occurs fails as well.
# timeout: 800
set -u

. "$SRC/tests/diff/builds.bash"
needs llvm_vs_llvm llvm-symbolizer-19 g++ gcc strip objdump nm
known=$SRC/tests/diff/llvm-symbolizer.txt
# forgive OURS LLVM: "<invalid>" is as good as nothing, and where llvm has no file for the start of a
# function that we know, ours is taken away. Only whole lines are paired; the k-th start of one with
# the k-th of the other.
# shellcheck disable=SC2031 # name is set in the loop that calls this
forgive() {
	sed -i -e 's/\(Function start filename: \)<invalid>/\1/g' -e 's/\("StartFileName": *"\)<invalid>/\1/g' "$2"
	paste -d '\n' "$1" "$2" | awk -v name="$name" '
		function forgiven(ours, llvm, start, done, value) {
			start = "(Function start filename: |\"StartFileName\": ?\")"
			while (match(ours, start)) {
				done = done substr(ours, 1, RSTART + RLENGTH - 1)
				ours = substr(ours, RSTART + RLENGTH)
				if (!match(llvm, start))
					break
				llvm = substr(llvm, RSTART + RLENGTH)
				match(llvm, /^[^|"]*/)
				value = RLENGTH
				match(ours, /^[^|"]*/)
				if (!value && RLENGTH) {
					ours = substr(ours, RLENGTH + 1)
					some = 1
				}
			}
			return done ours
		}
		NR % 2 { ours = $0; next }
		{ print forgiven(ours, $0) }
		END { if (some) print name " start-file" >>"differences" }' >forgiven
	mv forgiven "$1"
}

# compare NAME STEP: differences are kept as "NAME CLASS" or "NAME OURS THEIRS"
compare() {
	local name=$1 step=$2 how n=0

	ran="$ran$name "
	addresses "$name" "$step" >asked
	sized_symbols "$name" >sized
	rm -f pairs agreed
	for how in --functions=linkage '--functions=linkage --no-inlines' --functions=short --functions=none \
		--output-style=GNU --verbose '--verbose --no-inlines' '--verbose --relativenames'; do
		# shellcheck disable=SC2086
		tm-llvm-symbolizer -q --lenient -a $how --no-demangle --obj="$name" <asked | flatten >ours
		# shellcheck disable=SC2086
		llvm-symbolizer-19 -a $how --no-demangle --obj="$name" <asked | flatten >llvm
		if [ "$(wc -l <ours)" != "$(wc -l <asked)" ] || [ "$(wc -l <llvm)" != "$(wc -l <asked)" ]; then
			echo "not ok - $name: $(wc -l <asked) addresses, but $(wc -l <ours) and $(wc -l <llvm) answers"
			return
		fi
		forgive ours llvm
		paste -d '\n' ours llvm asked >>pairs
		n=$((n + 1))
	done
	tm-llvm-symbolizer --lenient --verify 1000000 --obj="$name" <asked >/dev/null 2>err
	local want=', 0 different, 0 unknown'
	# A symbol table is not libdwarf's.
	readelf -SW "$name" | grep -q '\.debug_info' || want='verify: [1-9][0-9]* unknown: the file has no DWARF$'
	if grep -q "$want" err; then
		echo "ok - $name: libdwarf says the same"
	else
		echo "not ok - $name: libdwarf says the same"
		head -n 5 err
	fi
	awk -v name="$name" -v known="$known" -v times="$n" '
		function padded(a) { sub(/^0x/, "", a); while (length(a) < 16) a = "0" a; return a }
		function kind(ours, llvm, f, g, i, where) {
			split(ours, f, "|")
			split(llvm, g, "|")
			if (f[2] == "??" || f[2] == "??:0:0") {
				where = padded(f[1])
				for (i = 1; i <= sized && !(from[i] <= where && where < to[i]); i++)
					;
				if (i > sized)
					return "no-symbol"
			}
			return f[2] " " g[2]
		}
		BEGIN {
			while ((getline line < known) > 0) {
				split(line, w, " ")
				listed[w[1] " " w[2]] = 1
				listed[w[1] " " w[2] " " w[3]] = 1
			}
			while ((getline line < "sized") > 0) {
				split(line, w, " ")
				from[++sized] = w[1]
				to[sized] = w[2]
			}
		}
		NR % 3 == 1 { ours = $0 }
		NR % 3 == 2 && ours != $0 {
			key = name " " kind(ours, $0)
			print key >>"differences"
			if (!(key in listed)) {
				if (shown++ < 5)
					print "  " key "\n  ours " ours "\n  llvm " $0
				bad++
			}
			some++
		}
		NR % 3 == 2 { same = ours == $0 }
		NR % 3 == 0 && same && ++agreed[$0] == times { print >"agreed" }
		END {
			printf "%s - %s: %d answers, %d explained differences", (bad ? "not ok" : "ok"), name,
				NR / 3, some - bad
			print bad ? ", " bad " others" : ""
		}' pairs
}

# combinations NAME WORD...: each word is a comma-separated list of choices for one place
combinations() {
	local name=$1 lists=() i n=0 all=0 bad=0

	shift
	awk -v step=$(($(wc -l <agreed) / 50 + 1)) 'NR % step == 0' agreed >some
	# Without the few names that LLVM cannot demangle.
	llvm-symbolizer-19 -a --output-style=GNU --obj="$name" <some | flatten | grep -v '|_Z' |
		sed 's/|.*//' >sampled
	tail -n 5 agreed >>sampled # those that are nowhere
	printf '%s\n' zzz '' 99999999999999999999 >>sampled
	if [ "$(wc -l <sampled)" -lt 25 ]; then
		echo "not ok - $name: only $(wc -l <sampled) requests for the combinations"
		return
	fi
	eval "lists=($(printf ' {%s,}' "$@" | sed 's/^ //; s/,}/}/g; s/} {/}@{/g'))"
	for i in "${lists[@]}"; do
		IFS=@ read -ra options <<<"$i"
		all=$((all + 1))
		tm-llvm-symbolizer -q --lenient "${options[@]}" --obj="$name" <sampled >got 2>/dev/null
		llvm-symbolizer-19 "${options[@]}" --obj="$name" <sampled >want 2>/dev/null
		[ "$(wc -l <got)" != "$(wc -l <want)" ] || forgive got want
		if cmp -s got want && [ -s got ]; then
			n=$((n + 1))
		elif ((bad++ < 5)); then
			diff want got | head -n 6
			echo "not ok - $name ${options[*]}"
		fi
	done
	if [ $n -gt 1 ] && [ $n = $all ]; then
		echo "ok - $name: $n combinations of options, $(wc -l <sampled) requests"
	else
		echo "not ok - $name: $n of $all combinations agree"
	fi
}

style='--output-style=LLVM,--output-style=GNU,--output-style=JSON'
inlines='--inlines,--no-inlines'
names='--functions=none,--functions=short,--functions=linkage'
spelling='--demangle,--no-demangle'

build gcc-5-O2 gcc -gdwarf-5 -O2 && compare gcc-5-O2 1 &&
	combinations gcc-5-O2 $style $inlines $names $spelling -a,--demangle -p,--relativenames \
		-s,--addresses --verbose,--print-source-context-lines=5
for name in gcc-4-O0 gcc-5-O0; do
	build $name gcc -gdwarf-"${name:4:1}" -O0 && compare $name 1 &&
		combinations $name $style $inlines $names $spelling
done
if command -v clang >/dev/null 2>&1; then
	for name in clang-4-O2 clang-5-O0 clang-5-O2; do
		build $name clang -gdwarf-"${name:6:1}" -"${name:8:2}" && compare $name 1 &&
			combinations $name $style $inlines $names $spelling
	done
else
	echo "skip - clang's builds (no clang)"
fi
strip --strip-debug -o symbols-only gcc-5-O2 && compare symbols-only 1 &&
	combinations symbols-only $style $inlines $names $spelling
strip -o stripped gcc-5-O2 && compare stripped 7 && combinations stripped $style $names
game=$DATA/demo/gcc-dwarf5-O2/bin/arcade
if [ -f "$game" ]; then
	cp "$game" demo && compare demo 5 && combinations demo $style $inlines $names $spelling
else
	echo "skip - demo (no demo here)"
fi

# Requests of all forms, with the file in each, as operands and as lines.
from=$(nm gcc-5-O2 | sed -n 's/ T main$//p')
printf '%s\n' "gcc-5-O2 0x$from" "\"gcc-5-O2\" 0x$from" "'gcc-5-O2' 0x$from" "CODE gcc-5-O2 0x$from junk" \
	"  gcc-5-O2   0x$from" "gcc-5-O2 0o10240" 'gcc-5-O2 0b1000010100000' 'gcc-5-O2 010240' 'gcc-5-O2 4256' \
	'"gcc-5-O2 4256' 'gcc-5-O2' 'gcc-5-O2 zzz' '' ' ' 'CODE' 'not-there 0x10' 'DATA gcc-5-O2 0x0' \
	'gcc-5-O2 main' 'gcc-5-O2 main+3' 'gcc-5-O2 main+0x10000' 'gcc-5-O2 main+x' 'FILE:gcc-5-O2 main' \
	'FILE: "gcc-5-O2" main' 'FILE:FILE:gcc-5-O2 main' 'FILE:' 'BUILDID:' 'BUILDID:xyz 1' 'FILE:"gcc-5-O2 1' \
	'DATA gcc-5-O2 main' 'FRAME gcc-5-O2 0x0' 'DATA no-data 0x10' 'FRAME no-frame 1' 'no-name main' \
	'gcc-5-O2 0x' 'gcc-5-O2 10zz' $'gcc-5-O2 \t4256\t' >requests
for style in LLVM GNU JSON; do
	tm-llvm-symbolizer -q --lenient --output-style=$style <requests 2>err >got
	llvm-symbolizer-19 --output-style=$style <requests 2>err.llvm >want
	sed -i 's/^[^:]*: \(error: \)*//' err.llvm
	sed -i -e 's/^[^:]*: //' -e "s/^\([a-z-]*\): cannot open: /'\1': /" err
	# Of a file that is not there llvm tells the first request alone, and only then.
	if diff want got && diff <(sort -u err.llvm) <(sort -u err) && [ "$(wc -l <got)" -ge 16 ]; then
		echo "ok - requests of all forms, $style"
	else
		echo "not ok - requests of all forms, $style"
	fi
done
mapfile -t operands <requests
tm-llvm-symbolizer -q --lenient "${operands[@]}" >got 2>/dev/null
tm-llvm-symbolizer -q --lenient <requests >want 2>/dev/null
if cmp got want; then
	echo "ok - operands are answered as lines are"
else
	echo "not ok - operands are answered as lines are"
fi
ln -s "$BIN/tm-llvm-symbolizer" llvm-addr2line
for options in '' -f -fi -fiC -afip -a -s; do
	# shellcheck disable=SC2086
	printf '%s\n' "$from" 0 zz main "0x$from" | ./llvm-addr2line $options -e gcc-5-O2 >got
	# shellcheck disable=SC2086
	printf '%s\n' "$from" 0 zz main "0x$from" | llvm-addr2line-19 $options -e gcc-5-O2 >want
	if cmp got want; then
		echo "ok - llvm-addr2line $options"
	else
		echo "not ok - llvm-addr2line $options"
	fi
done

# Source around line 0: the first lines of the file.
if command -v clang-19 >/dev/null; then
	printf '/* one */\n/* two */\nint f(void)\n{\n\tint volatile x = 0;\n\treturn x;\n}\n' >zero.c
	clang-19 -gdwarf-4 -O0 -S zero.c -o zero.s && sed -i 's/\.loc\t1 5 [0-9]*/.loc\t1 0 0/' zero.s &&
		clang-19 -c zero.s -o zero.o && ld -Ttext=0x2000 -e f -o zero zero.o
	for lines in 1 3 20; do
		tm-llvm-symbolizer --print-source-context-lines=$lines -e zero 0x2000 0x2004 >got
		llvm-symbolizer-19 --print-source-context-lines=$lines -e zero 0x2000 0x2004 >want
		if grep -q 'zero.c:0:0$' want && cmp got want; then
			echo "ok - $lines lines of source around line 0"
		else
			echo "not ok - $lines lines of source around line 0"
		fi
	done
fi

unlisted=$(grep ' start-file$' differences | sort -u | while read -r row; do
	grep -q "^$row " "$known" || echo "  $row"
done)
if [ -n "$unlisted" ]; then
	echo "$unlisted"
	echo "not ok - start-file is listed for every build where it occurs"
else
	echo "ok - start-file is listed for every build where it occurs"
fi
check_list llvm-symbolizer.txt
