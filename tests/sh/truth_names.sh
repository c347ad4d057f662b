#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Names, places and identities of binaries, beside binutils' and elfutils'.
set -u
. "$SRC/tests/truth.bash"

equal() { # how many lines of two files are the same, of those that the second one knows
	python3 - "$@" <<'end'
import sys
got, want = ([line.rstrip() for line in open(f, errors='replace')] for f in sys.argv[1:3])
known = [i for i, line in enumerate(want) if len(sys.argv) < 4 or not line.startswith('??')]
print(sum(i < len(got) and got[i] == want[i] for i in known))
end
}

cat >names.cpp <<'end'
#include <cstdio>
#include <vector>
namespace shop {
struct basket {
	std::vector<int> v;
	__attribute__((noinline)) void add(int n) { v.push_back(n); }
	template <class T> __attribute__((noinline)) T sum(T start) const { for (int i : v) start += i; return start; }
};
static inline int twice(int n)
{
	return n * 2;
}
__attribute__((noinline)) int operator+(const basket &b, int n) { return b.sum(twice(n)); }
}
extern "C" __attribute__((noinline)) int plain_c(int n) { return n + 1; }
int main(int argc, char **) { shop::basket b; b.add(argc); auto l = [&](int n) { return plain_c(n); }; printf("%d\n", b + l(argc)); }
end
cat >plain.c <<'end'
struct pair { int a, b; };
int global;
__attribute__((noinline)) int first(struct pair *p, int n)
{
	for (int i = 0; i < n; i++)
		p->a += i ^ p->b;
	return p->a;
}
__attribute__((noinline)) int second(int n)
{
	struct pair p = {n, 3};
	return n > 5 ? first(&p, n) : second(n + 1) - global;
}
int main(int argc, char **argv)
{
	(void)argv;
	return second(argc) & 1;
}
end
code() { # addresses in a file's own functions, of each third byte
	nm -S --defined-only "$1" | python3 -c '
import sys
for line in sys.stdin:
    w = line.split()
    if len(w) == 4 and w[2] in "tTwW" and w[3] != "_start":
        for a in range(int(w[0], 16), int(w[0], 16) + int(w[1], 16), 3):
            print("%#x" % a)'
}
for level in O0 O2; do
	g++ -$level -g -o names-$level names.cpp || exit 1
	gcc -$level -g -o plain-$level plain.c || exit 1
	# GNU's takes the name of the file from another unit for some inlined C++ code, which elfutils does not.
	code plain-$level >places
	for options in -f -afi; do
		addr2line $options -e plain-$level <places >want
		tm-addr2line --no-cache $options -e plain-$level <places >got
		truth 'GNU addr2line' "lines equal, $level, $options" "$(equal got want)" "$(wc -l <want)"
	done
	if command -v eu-addr2line >/dev/null; then
		# elfutils prints "FILE:LINE:COLUMN".
		code names-$level >places
		eu-addr2line -e names-$level <places | sed 's/:[0-9]*$//' >want
		tm-addr2line --no-cache -e names-$level <places | sed 's/ (discriminator .*//' >got
		truth elfutils "places equal of all that it knows, $level" "$(equal got want known)" "$(grep -cv '^??' want)"
	fi
	id=$(readelf -n names-$level | sed -n 's/.*Build ID: //p')
	truth readelf "build-id, $level" "$(tm-inspect -q --as json names-$level | grep -o "$id" | head -1)" "$id"
done

# c++filt's spelling of each name that the linker knows.
nm --defined-only names-O0 | awk '$3 ~ /^_Z/ { print $3 }' >mangled
c++filt <mangled >want
# A folded stack is a name, as a capture may have it.
sed 's/$/ 1/' mangled >mangled.folded
tm-top -q -f folded -n 0 --csv --by function mangled.folded | python3 -c '
import csv, sys
print("\n".join(sorted(r["function"] for r in csv.DictReader(sys.stdin))))' >got
truth 'c++filt' "names equal, of $(wc -l <mangled)" "$(LC_ALL=C comm -12 <(LC_ALL=C sort -u want) <(LC_ALL=C sort -u got) | wc -l)" "$(LC_ALL=C sort -u want | wc -l)"

# The names in a report are those of the symbol table.
tm-record -q -o names.tmt -- ./names-O0 >/dev/null
# Of an address the last call is the function itself: those before it are inlined, and may have no symbol.
tm-symbolize -q --no-cache names.tmt | tm-dump -q --no-events - | awk '
	$1 != "call" { if (raw != "") print raw; raw = "" }
	$1 == "call" { raw = match($0, / raw="_Z[^"]*"/) ? substr($0, RSTART + 6, RLENGTH - 7) : "" }' | sort -u >raw
nm --defined-only names-O0 | awk '{ print $3 }' | sort -u >symbols
truth nm 'linkage names of a recording that the symbol table has' "$(LC_ALL=C comm -12 <(LC_ALL=C sort -u raw) <(LC_ALL=C sort symbols) | wc -l)" \
	"$(grep -c . raw)"
# Modules, beside what the loader says of itself.
LD_TRACE_LOADED_OBJECTS=1 ./names-O0 | awk '/=> \// { n = split($3, p, "/"); print p[n] }' | sort >want
tm-dump -q --no-events names.tmt | grep -o '^module .*name="[^"]*"' | sed 's/.*name="\([^"]*\)"/\1/; s|.*/||' | sort -u >got
truth 'the loader' 'libraries of the program among the modules' "$(comm -12 got want | wc -l)" "$(wc -l <want)"
