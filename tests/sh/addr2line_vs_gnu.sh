#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-addr2line against GNU addr2line, byte for byte: every address of the code of several builds,
# then every combination of -f -i -C -p -s -a on a sample of addresses on which both agree.
#
# What differs belongs to a class, checked for each address:
#   past-end   no symbol with a size holds the address: we name no function, GNU names the last one
#   gnu-alone  llvm-symbolizer says what we say, GNU something else
# or is listed by the two answers' functions. tests/diff/addr2line.txt has a row for each build and
# class, or pair, with the reason; a row that no longer occurs fails as well.
# timeout: 800
set -u

. "$SRC/tests/diff/builds.bash"
needs addr2line_vs_gnu addr2line llvm-symbolizer-19 g++ gcc strip llvm-objcopy objdump nm
known=$SRC/tests/diff/addr2line.txt


# compare NAME STEP: differences are kept as "NAME CLASS" or "NAME OURS THEIRS"
compare() {
	local name=$1 step=$2 n

	ran="$ran$name "
	addresses "$name" "$step" >asked.llvm
	sed 's/^0x//' asked.llvm >asked
	n=$(wc -l <asked)
	llvm-objcopy -R .symtab -R .strtab "$name" nosym
	sized_symbols "$name" >sized
	tm-addr2line -q --lenient -afi -e "$name" <asked | flatten >ours.i
	tm-addr2line -q --lenient -af -e "$name" <asked | flatten >ours.one
	addr2line -afi -e "$name" <asked | flatten >gnu.i
	addr2line -af -e "$name" <asked | flatten >gnu.one
	for f in "$name" nosym; do
		llvm-symbolizer-19 --obj="$f" --output-style=GNU -a -i --functions=linkage --no-demangle \
			<asked.llvm | flatten
	done >llvm.i
	if [ "$(wc -l <ours.i)" != "$n" ] || [ "$(wc -l <gnu.i)" != "$n" ] ||
		[ "$(wc -l <ours.one)" != "$n" ] || [ "$(wc -l <llvm.i)" != $((2 * n)) ]; then
		echo "not ok - $name: $n addresses, but other numbers of answers"
		return
	fi
	tm-addr2line --lenient --verify 1000000 -e "$name" <asked >/dev/null 2>err
	local want=', 0 different, 0 unknown'
	# A symbol table is not libdwarf's.
	readelf -SW "$name" | grep -q '\.debug_info' || want='verify: [1-9][0-9]* unknown: the file has no DWARF$'
	if grep -q "$want" err; then
		echo "ok - $name: libdwarf says the same"
	else
		echo "not ok - $name: libdwarf says the same"
		head -n 5 err
	fi
	if ! cut -d'|' -f1-3 ours.i | cmp - ours.one; then
		echo "not ok - $name: without -i not the first call of -i"
		return
	fi
	paste -d '\n' ours.i gnu.i ours.one gnu.one asked | awk -v name="$name" -v known="$known" '
		# Without the address; no line is 0; the symbol of a part of a function is its own.
		function plain(s) {
			gsub(/:\?/, ":0", s)
			gsub(/ \(discriminator [0-9]+\)/, "", s)
			gsub(/\.(cold|part\.[0-9]+|isra\.[0-9]+|constprop\.[0-9]+)/, "", s)
			sub(/^[^|]*\|/, "", s)
			return s
		}
		function first(s, f) { split(s, f, "|"); return f[1] "|" f[2] }
		function differ(ours, gnu, llvm1, llvm2, f, g, i, where) {
			split(ours, f, "|")
			split(gnu, g, "|")
			if (f[2] == "??") {
				where = substr(f[1], 3)
				while (length(where) < 16)
					where = "0" where
				for (i = 1; i <= sized && !(from[i] <= where && where < to[i]); i++)
					;
				if (i > sized)
					return "past-end"
			}
			if (plain(ours) == llvm1 || plain(ours) == llvm2)
				return "gnu-alone"
			return f[2] " " g[2]
		}
		function report(key, ours, gnu) {
			key = name " " key
			print key >>"differences"
			if (!(key in listed)) {
				if (shown++ < 5)
					print "  " key "\n  ours " ours "\n  gnu  " gnu
				bad++
			}
			some++
		}
		BEGIN {
			while ((getline line < known) > 0) {
				n = split(line, w, " ")
				listed[w[1] " " w[2]] = 1
				listed[w[1] " " w[2] " " w[3]] = 1
			}
			while ((getline line < "sized") > 0) {
				split(line, w, " ")
				from[++sized] = w[1]
				to[sized] = w[2]
			}
			while ((getline line < "llvm.i") > 0)
				llvm[++lines] = plain(line)
		}
		NR % 5 == 1 { ours = $0; next }
		NR % 5 == 2 { gnu = $0; next }
		NR % 5 == 3 { one = $0; next }
		NR % 5 == 4 { gnu_one = $0; next }
		{
			at++
			a = llvm[at]
			b = llvm[at + lines / 2]
			if (ours != gnu)
				report(differ(ours, gnu, a, b), ours, gnu)
			if (one != gnu_one)
				report(differ(one, gnu_one, first(a), first(b)), one, gnu_one)
			if (ours == gnu && one == gnu_one)
				print $0 >"agreed"
		}
		END {
			printf "%s - %s: %d addresses, %d explained differences", (bad ? "not ok" : "ok"), name,
				at, some - bad
			print bad ? ", " bad " others" : ""
		}'
	combinations "$name"
}

# GNU's names depend on what it was asked before: only what it says again counts.
sample() { # NAME
	awk -v step=$(($(wc -l <agreed) / 60 + 1)) 'NR % step == 0' agreed >some
	printf '0\nffffffffffffffff\n' >>some
	for i in '' i; do
		tm-addr2line -q --lenient -af$i -e "$1" <some | flatten >ours.some$i
		addr2line -af$i -e "$1" <some | flatten >gnu.some$i
	done
	paste -d '\n' ours.some gnu.some ours.somei gnu.somei some | awk '
		NR % 5 == 0 && same == 2
		NR % 5 == 1 { same = 0 }
		NR % 5 == 1 || NR % 5 == 3 { ours = $0 }
		NR % 5 == 2 || NR % 5 == 4 { same += ours == $0 }'
}

combinations() {
	local name=$1 bits i options n=0 letters=(f i C p s a)

	sample "$name" >sampled
	if [ "$(wc -l <sampled)" -lt 20 ]; then
		echo "not ok - $name: only $(wc -l <sampled) addresses for the combinations"
		return
	fi
	for ((bits = 0; bits < 64; bits++)); do
		options=()
		for ((i = 0; i < 6; i++)); do
			((bits >> i & 1)) && options+=("-${letters[i]}")
		done
		if ((bits % 2)); then
			# shellcheck disable=SC2046
			tm-addr2line -q --lenient "${options[@]}" -e "$name" $(cat sampled) >got
		else
			tm-addr2line -q --lenient "${options[@]}" -e "$name" <sampled >got
		fi
		addr2line "${options[@]}" -e "$name" <sampled >want
		if cmp -s got want; then
			n=$((n + 1))
		else
			diff want got | head -n 6
			echo "not ok - $name ${options[*]}"
		fi
	done
	[ $n = 64 ] && echo "ok - $name: 64 combinations of options, $(wc -l <sampled) addresses"
}

try() { # BUILD-FUNCTION NAME ARGUMENTS...
	if "$@" 2>build.log; then
		compare "$2" 1
		[ ! -f "$2-c" ] || compare "$2-c" 1
	else
		echo "skip - $2 (does not build: $(head -n 1 build.log))"
	fi
}

for cc in gcc clang; do
	have $cc || continue
	for version in 4 5; do
		for level in 0 2; do
			try build $cc-$version-O$level $cc -gdwarf-$version -O$level
		done
		try build_c $cc-$version-c-O2 $cc -gdwarf-$version -O2
	done
done
if have ld.lld && have clang; then
	for version in 4 5; do
		try cross aarch64-$version aarch64-linux-gnu -gdwarf-$version -O2
		try cross thumb-$version arm-linux-gnueabihf -gdwarf-$version -O2 -march=armv7-a -mthumb
		try cross powerpc64-$version powerpc64-linux-gnu -gdwarf-$version -O2 -mabi=elfv2
	done
else
	echo "skip - programs for other processors (no clang or no lld)"
fi

strip --strip-debug -o symbols-only gcc-5-O2 && compare symbols-only 1
strip -o stripped gcc-5-O2 && compare stripped 7
game=$DATA/demo/gcc-dwarf5-O2/bin/arcade
if [ -f "$game" ]; then
	cp "$game" demo && compare demo 5
else
	echo "skip - demo (no demo here)"
fi

check_list addr2line.txt
