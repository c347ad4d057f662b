#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 900
# tier: all
#
# A handle that keeps what it has decoded (tracemill_options.keep): addresses asked one at a time get the answers of one
# batch that keeps nothing, in builds whose debug information differs; a file that is replaced is noticed, by lines that
# this script has put where they are; a binary that is closed gives all back.
set -u
. "$SRC/tests/check.bash"

lib=$BUILD/lib
export LD_LIBRARY_PATH=$lib
san=${SAN:+-fsanitize=$SAN}
# shellcheck disable=SC2086 # options
check "tests/library/one_by_one.c compiles" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror $san \
	-I"$SRC" -I"$SRC/lib/library" -o one_by_one "$SRC/tests/library/one_by_one.c" -L"$lib" -ltracemill -lpthread 2>err
[ ! -s err ] || cat err

# --- the same answers ---

cat >shapes.h <<-END
	#include <map>
	#include <string>
	#include <vector>
	struct shape { virtual ~shape() {} virtual int area() const = 0; };
	template <class T> struct box : shape {
	 std::vector<T> all;
	 int area() const override { int sum = 0; for (const T &x : all) sum += (int)x; return sum; }
	};
END
cat >a.cpp <<-END
	#include "shapes.h"
	static int twice(int x) { return 2 * x; }
	int words(const std::string &s) {
	 std::map<std::string, int> m;
	 struct local { static int half(int x) { return x / 2; } };
	 auto add = [&](const std::string &w) { return m[w] += twice(local::half(7)); };
	 return add(s) + add(s + s) + (int)m.size();
	}
END
cat >b.cpp <<-END
	#include "shapes.h"
	int words(const std::string &s);
	int main(int argc, char **argv) {
	 box<int> b; box<double> d;
	 for (int i = 0; i < argc; i++) { b.all.push_back(i); d.all.push_back(i / 2.0); }
	 return b.area() + d.area() + words(argv[0]);
	}
END
cat >c.c <<-END
	int plain(int x) { int sum = 0; for (int i = 0; i < x; i++) { if (i & 1) sum += i; else sum -= x; } return sum; }
END
one() { # NAME BINARY
	local size at step

	read -r size at < <(objdump -h "$2" | awk '$2 == ".text" { print $3, $4 }')
	step=$((16#$size / 1500 + 1))
	for ((i = -8; i < 16#$size + 8; i += step)); do printf '%x\n' $((16#$at + i)); done >addresses
	./one_by_one same "$2" addresses >got 2>err
	check "$1: one at a time as in a batch ($(grep -c '^ok' got) ways)" [ "$?:$(grep -c '^ok' got):$(grep -c '^not' got)" = 0:15:0 ]
	[ ! -s err ] || cat err
	grep '^not' got
}
build() { # NAME COMPILER OPTIONS...
	local name=$1

	shift
	if "$1" "${@:2}" -c a.cpp b.cpp 2>err && "${CC:-cc}" -g -O1 -c c.c && "$1" "${@:2}" -o "$name" a.o b.o c.o 2>>err; then
		one "$name" "$name"
	else
		echo "skip - $name: $(head -n 1 err)"
	fi
}
build O2 g++ -g -O2
build O0 g++ -g -O0
build dwarf4 g++ -g -O2 -gdwarf-4
build dwarf2 g++ -g -O2 -gdwarf-2 -gstrict-dwarf
build split g++ -g -O2 -gsplit-dwarf
build types g++ -g -O2 -fdebug-types-section
build lto g++ -g -O2 -flto
build nothing g++ -O2
if command -v clang++ >/dev/null; then
	build clang clang++ -g -O2
fi
objcopy --compress-debug-sections O2 packed && one "packed sections" packed
if command -v dwz >/dev/null; then
	cp O2 dwz && dwz dwz && one "after dwz" dwz
fi
# One bit of a unit is wrong: what is said of it does not depend on how it is asked.
cp O0 broken
at=$(objdump -h O0 | awk '$2 == ".debug_info" { print $6 }')
printf '\377\377' | dd of=broken bs=1 seek=$((16#$at + 400)) conv=notrunc 2>err
one "a broken unit" broken

# --- replaced ---

# The same function at the same address, a line further down.
line() { # LINES BINARY
	{
		for ((i = 1; i < $1; i++)); do echo; done
		echo 'int found(void) { return 7; }'
	} >found.c
	"${CC:-cc}" -g -O0 -shared -fPIC -nostdlib -o "$2" found.c
}
line 10 old.so
line 25 new.so
at=$(nm old.so | sed -n 's/ T found$//p')
check "both have it at one address" [ "$at" = "$(nm new.so | sed -n 's/ T found$//p')" ]
cp old.so x.so
cp new.so y.so
./one_by_one replaced x.so y.so "$at" >got 2>err
check "a file that is replaced is read anew, one that is deleted read on" [ "$?:$(cat got)" = '0:lines 10 25 10 10' ]
# The debug file is replaced, and the binary is not.
strip -o x.so old.so
objcopy --only-keep-debug old.so x.so.debug
objcopy --only-keep-debug new.so z.debug
objcopy --remove-section .note.gnu.build-id x.so x.so
objcopy --remove-section .note.gnu.build-id x.so.debug x.so.debug
objcopy --remove-section .note.gnu.build-id z.debug z.debug
tm-addr2line --no-cache -e x.so "$at" >got 2>&1
if grep -q ':10$' got; then
	./one_by_one replaced x.so.debug z.debug "$at" >got 2>err
	check "a debug file, too" [ "$?:$(cut -d' ' -f1-4 got)" = '0:lines 10 25 10' ]
else
	not_ok "the debug file beside x.so is not found: $(cat got)"
fi

# --- closed ---

./one_by_one close O2 "$(nm O2 | sed -n 's/ T main$//p')" || failed=1
exit "${failed:-0}"
