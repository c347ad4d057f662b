#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fast engine against the reference engine, and that against llvm-symbolizer --inlines: every
# byte of .text of many builds of testdata/src/dwarf, every frame's function, file, line and column.
# The two engines must agree to the byte.
#
# What is made equal first:
# - llvm-symbolizer takes the outermost name from .symtab where it can (a destructor's D1 where
#   DWARF says D2, ".cold" and ".part" suffixes). The engine's contract is DWARF's names, so llvm
#   is given a copy of the file without .symtab.
# - Names are raw in both (--functions=linkage --no-demangle).
# Nothing else. What still differs must be in tests/diff/llvm.txt, sorted, with a reason; a line
# there that no longer occurs fails as well.
# timeout: 300
set -u

known=$SRC/tests/diff/llvm.txt
src=$SRC/testdata/src/dwarf
resolve=$GEN/resolve
ran=" "
: >differences

have() {
	command -v "$1" >/dev/null 2>&1
}

# build NAME COMPILER FLAGS...: -fuse-ld and -Wl go to the link as well
build() {
	local name=$1 cc=$2 cxx=g++ flag link=() flags=()

	shift 2
	[ "$cc" = clang ] && cxx=clang++
	for flag; do
		case $flag in
		-fuse-ld=* | -Wl,* | -static) link+=("$flag") ;;
		-flto) link+=("$flag") && flags+=("$flag") ;;
		*) flags+=("$flag") ;;
		esac
	done
	"$cc" -g "${flags[@]}" -c "$src/plain.c" -o plain.o &&
		"$cxx" -g "${flags[@]}" -c "$src/main.cpp" -o main.o &&
		"$cxx" -g "${flags[@]}" -c "$src/other.cpp" -o other.o &&
		"$cxx" -g "${flags[@]}" "${link[@]}" -o "$name" main.o other.o plain.o
}

# One line per address: "ADDRESS: FUNCTION FILE:LINE:COLUMN | FUNCTION ..."
flatten() {
	awk 'BEGIN { RS = ""; FS = "\n" }
	{
		s = $1 ": " $2 " " $3
		for (i = 4; i < NF; i += 2)
			s = s " | " $i " " $(i + 1)
		print s
	}'
}

# engines_agree NAME: NAME.ours is the reference engine's
engines_agree() {
	local name=$1

	if "$resolve" -e fast -j 2 "$name" >"$name.fast" 2>"$name.err-fast" &&
		cmp -s "$name.ours" "$name.fast"; then
		echo "ok - $name: the fast engine answers as the reference engine does"
	else
		echo "not ok - $name: the fast engine answers as the reference engine does"
		diff "$name.ours" "$name.fast" | head -n 5
		cat "$name.err-fast"
	fi
}

# compare NAME [ENGINE]: differences are kept as "NAME OUR-INNERMOST-FUNCTION LLVMS"
compare() {
	local name=$1 engine=${2-reference} n

	ran="$ran$name "
	if ! "$resolve" -e "$engine" "$name" >"$name.ours" 2>"$name.err"; then
		echo "not ok - $name: resolve failed"
		cat "$name.err"
		return
	fi
	if [ "$engine" = reference ]; then
		engines_agree "$name"
		if ! cmp -s "$name.err" "$name.err-fast"; then
			echo "not ok - $name: the fast engine complains otherwise"
			cat "$name.err-fast"
		fi
	fi
	strip --strip-all --keep-section='.debug*' -o "$name.nosym" "$name"
	grep '^0x' "$name.ours" |
		llvm-symbolizer --obj="$name.nosym" --inlines --functions=linkage --no-demangle \
			--addresses >"$name.llvm"
	flatten <"$name.ours" >ours.flat
	flatten <"$name.llvm" >llvm.flat
	n=$(wc -l <ours.flat)
	if [ "$n" -lt 1000 ] || [ "$(grep -c ' | ' ours.flat)" -lt 100 ]; then
		echo "not ok - $name: too little to compare: $n addresses"
	elif [ "$(wc -l <llvm.flat)" != "$n" ]; then
		echo "not ok - $name: llvm-symbolizer answered $(wc -l <llvm.flat) of $n addresses"
	elif grep -v '^[a-z ]*: [0-9]* ' "$name.err" | grep -q .; then
		echo "not ok - $name: complaints"
		cat "$name.err"
	else
		paste -d '\n' ours.flat llvm.flat | awk -v name="$name" -v known="$known" '
			BEGIN {
				while ((getline line < known) > 0) {
					split(line, f, " ")
					listed[f[1] " " f[2] " " f[3]] = 1
				}
			}
			NR % 2 { ours = $0; mine = $2; next }
			ours != $0 {
				key = name " " mine " " $2
				print key >>"differences"
				if (!(key in listed) && shown++ < 5)
					print "  ours " ours "\n  llvm " $0
				bad += !(key in listed)
				some++
			}
			END {
				printf "%s - %s: %d addresses, %d listed differences", (bad ? "not ok" : "ok"),
					name, NR / 2, some - bad
				print bad ? ", " bad " others" : ""
			}' || echo "not ok - $name: no comparison"
	fi
}

# same NAME AS [ARGUMENTS...]: the same answers from the same build in another wrapping
same() {
	local name=$1 as=$2 engine

	shift 2
	for engine in reference fast; do
		"$resolve" -e $engine "$@" "$name" >got 2>err
		if cmp -s got "$as.ours"; then
			echo "ok - $name answers as $as does ($engine)"
		else
			echo "not ok - $name answers as $as does ($engine)"
			cat err
		fi
	done
}

if ! have llvm-symbolizer || ! have g++ || ! have gcc || ! have strip; then
	echo "skip - reference_vs_llvm (needs llvm-symbolizer, g++ and binutils)"
	exit 0
fi

variant() {
	local name=$1 cc=$2

	if ! have "$cc"; then
		echo "skip - $name (no $cc)"
	elif ! build "$@" >build.log 2>&1; then
		# a linker or a flag that this machine's tools do not have
		echo "skip - $name (does not build: $(head -n 1 build.log))"
	else
		compare "$name"
	fi
}

for cc in gcc clang; do
	for version in 4 5; do
		variant $cc-$version-O0 $cc -gdwarf-$version -O0
		variant $cc-$version-O2 $cc -gdwarf-$version -O2
		variant $cc-$version-O3 $cc -gdwarf-$version -O3
	done
done
variant gcc-2-O2 gcc -gdwarf-2 -gstrict-dwarf -O2
variant gcc-3-O2 gcc -gdwarf-3 -O2
variant clang-2-O2 clang -gdwarf-2 -O2
variant clang-3-O2 clang -gdwarf-3 -O2
variant gcc-4-dwarf64 gcc -gdwarf-4 -gdwarf64 -O2
variant clang-5-aranges clang -gdwarf-5 -gdwarf-aranges -O2
variant gcc-5-dwarf64 gcc -gdwarf-5 -gdwarf64 -O2
variant gcc-5-lto gcc -gdwarf-5 -O2 -flto
variant gcc-4-lto gcc -gdwarf-4 -O2 -flto
variant gcc-5-types gcc -gdwarf-5 -O2 -fdebug-types-section
variant gcc-4-types gcc -gdwarf-4 -O2 -fdebug-types-section
variant clang-5-types clang -gdwarf-5 -O2 -fdebug-types-section
variant gcc-4-gc gcc -gdwarf-4 -O1 -ffunction-sections -Wl,--gc-sections
variant gcc-5-gc gcc -gdwarf-5 -O1 -ffunction-sections -Wl,--gc-sections
variant clang-5-gc-lld clang -gdwarf-5 -O1 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections
variant clang-4-gc-lld clang -gdwarf-4 -O1 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections
variant clang-5-lto clang -gdwarf-5 -O2 -flto -fuse-ld=lld
variant clang-5-icf clang -gdwarf-5 -O1 -ffunction-sections -fuse-ld=gold -Wl,--gc-sections,--icf=all

# Skeleton units: those of DWARF 5 the fast engine reads, GNU's of DWARF 4 it leaves to libdwarf.
for cc in gcc clang; do
	for version in 4 5; do
		name=$cc-$version-split
		if build $name $cc -gdwarf-$version -O2 -gsplit-dwarf >build.log 2>&1; then
			"$resolve" -e reference $name >$name.ours 2>$name.err
			engines_agree $name
			if [ $version = 4 ] && ! grep -q 'left to libdwarf' $name.err-fast; then
				echo "not ok - $name: says what it leaves to libdwarf"
			fi
		else
			echo "skip - $name (does not build: $(head -n 1 build.log))"
		fi
	done
done

# Rust's line tables have rows that libdwarf 20210528 loses: only the fast engine is compared.
if have rustc; then
	cat >hello.rs <<-'END'
		use std::collections::HashMap;
		fn main() {
		    let mut count: HashMap<String, u32> = HashMap::new();
		    for a in std::env::args() {
		        *count.entry(a).or_default() += 1;
		    }
		    println!("{count:?}");
		}
	END
	for level in 0 2; do
		if rustc -g -C opt-level=$level hello.rs -o rust-$level 2>build.log; then
			compare rust-$level fast
		else
			echo "skip - rust-$level (does not build: $(head -n 1 build.log))"
		fi
	done
else
	echo "skip - rust (no rustc)"
fi

# A larger program: our own.
cp "$resolve" ourselves && compare ourselves
for engine in reference fast; do
	"$resolve" -e $engine -j 4 ourselves >got 2>err
	if cmp -s got ourselves.ours; then
		echo "ok - four workers answer as one does ($engine)"
	else
		echo "not ok - four workers answer as one does ($engine)"
	fi
done

# The same build in other wrappings. A build-id would hide what the debug link does.
build linked gcc -gdwarf-5 -O2 -Wl,--build-id=none && "$resolve" -e reference linked >linked.ours 2>err
base=gcc-5-O2
for how in zlib zlib-gnu zstd; do
	if objcopy --compress-debug-sections=$how $base $base-$how 2>err; then
		same $base-$how $base
	else
		echo "skip - $base-$how ($(head -n 1 err))"
	fi
done
mkdir -p far .debug tree/.build-id
objcopy --only-keep-debug linked linked.dbg2
objcopy --strip-all --add-gnu-debuglink=linked.dbg2 linked beside
same beside linked
mv linked.dbg2 .debug/
same beside linked
mv .debug/linked.dbg2 far/
same beside linked -d far
printf 'x' >>far/linked.dbg2
"$resolve" -d far beside >got 2>err
if grep -q 'checksum differs' err && grep -q '^no DWARF: ' err; then
	echo "ok - a debug file with another checksum is refused"
else
	echo "not ok - a debug file with another checksum is refused"
	cat err
fi
id=$(readelf -n $base | sed -n 's/.*Build ID: //p')
if [ -n "$id" ]; then
	mkdir -p "tree/.build-id/${id:0:2}"
	objcopy --only-keep-debug --compress-debug-sections=zlib $base "tree/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --strip-all $base bare
	same bare $base -d tree
else
	echo "skip - a build-id tree (the linker writes none)"
fi

if grep -v '^#' "$known" | sort -c 2>err; then
	echo "ok - tests/diff/llvm.txt is sorted"
else
	echo "not ok - tests/diff/llvm.txt is sorted"
	cat err
fi
grep -v '^#' "$known" | while read -r name ours llvm why; do
	[[ $ran == *" $name "* ]] || continue
	[ -n "$why" ] || echo "not ok - tests/diff/llvm.txt: $name $ours $llvm: no reason"
	grep -qxF -- "$name $ours $llvm" differences ||
		echo "not ok - tests/diff/llvm.txt: $name $ours $llvm: does not occur any more"
done
