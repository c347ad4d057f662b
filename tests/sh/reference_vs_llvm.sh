#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The two engines and llvm-symbolizer on many builds for this machine, by the rules of
# tests/diff/engines.bash; then the same builds compressed, split, or with separate debug files.
# timeout: 800
set -u

. "$SRC/tests/diff/engines.bash"
needs reference_vs_llvm llvm-symbolizer-19 llvm-objcopy g++ gcc strip

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

# C alone.
for cc in gcc clang; do
	for level in 0 2 3; do
		HOW=build_c variant $cc-5-c-O$level $cc -gdwarf-5 -O$level
	done
	HOW=build_c variant $cc-4-c-O2 $cc -gdwarf-4 -O2
done

# Split units: what is said of the same code in one file, by both engines.
for cc in gcc clang; do
	for version in 4 5; do
		name=$cc-$version-split
		if build $name-whole $cc -gdwarf-$version -O2 >build.log 2>&1 &&
			build $name $cc -gdwarf-$version -O2 -gsplit-dwarf >>build.log 2>&1; then
			"$resolve" -e reference $name >$name.ours 2>$name.err
			engines_agree $name
			"$resolve" -e fast $name-whole >$name.whole 2>$name.err-whole
			if cmp -s $name.whole $name.ours; then
				echo "ok - $name: as in one file"
			else
				echo "not ok - $name: as in one file"
				diff $name.whole $name.ours | head -n 5
			fi
		else
			echo "skip - $name (does not build: $(head -n 1 build.log))"
		fi
	done
done

# Rust's line tables have rows that begin an epilogue, which libdwarf 20210528 takes for ends.
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
			compare rust-$level
			compare rust-$level fast
		else
			echo "skip - rust-$level (does not build: $(head -n 1 build.log))"
		fi
	done
else
	echo "skip - rust (no rustc)"
fi

# A larger program: our own.
# A program without libc++abi, whose code has symbols alone. With AddressSanitizer units of data have code,
# which their DWARF does not own: there it is a part of it, built without.
if ldd "$BIN/tm-inspect" | grep -q 'lib[a-z]*san'; then
	"${CC:-cc}" -std=c11 -D_GNU_SOURCE -g -O2 -shared -fPIC -I"$SRC" -o ourselves "$SRC"/lib/base/*.c "$SRC"/lib/table/*.c 2>err
else
	cp "$BIN/tm-inspect" ourselves
fi
compare ourselves
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

check_list llvm.txt
