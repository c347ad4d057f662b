#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Stubs of the PLT are named as GNU objdump -d labels them, in programs of the system and in libraries that are linked
# here for other processors; where objdump has no labels (RISC-V, lld's for ARM) as readelf's relocations say, in their
# order, by the sizes that the psABI gives. The drop-ins print what their originals print.
# shellcheck disable=SC2012,SC2015 # names without blanks; ok says nothing that fails
set -u
. "$SRC/tests/check.bash"

cat >ex.c <<'C'
extern int alpha(int), beta(int), gamma_(int), delta(int);
int own(int x) { return alpha(x) + 1; }
int (*p)(int) = delta;
int use(int x) { return own(x) + beta(x) + gamma_(x) + delta(x) + (int)(long)&delta; }
C
cat >ex.cpp <<'CPP'
struct A { virtual ~A(); int get(int) const; };
int use(A *a, int n) { int *p = new int[n]; *p = a->get(n); n = *p; delete[] p; return n; }
CPP

# Names are spelled as LLVM does, where it can be asked and this build has its demangler, else as GNU does.
filt=c++filt
if grep -q -e -DHAVE_LLVM_DEMANGLE "$SRC/build/deps.mk" && command -v llvm-cxxfilt-19 >/dev/null; then
	filt=llvm-cxxfilt-19
fi
named() { # FILE: the addresses in want -> got
	awk -v f="$1" '{ print "    #1 0x7f0000000000  (" f "+0x" $1 ")" }' want >in
	tm-symbolize -q --no-cache --text <in 2>err | sed -n 's/^ *#1 0x7f0000000000 in \(.*\) (.*+0x\([0-9a-f]*\))/\2 \1/p' |
		sed 's/>>/> >/g' >got
}
# shellcheck disable=SC2317 # check calls it
equal() {
	diff want got >err && [ "$(wc -l <want)" -ge "$1" ]
}
labels() { # OBJDUMP FILE LEAST: every label of a stub
	LC_ALL=C "$1" -d "$2" 2>/dev/null | sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' |
		sed 's/@plt$/ @plt/' | $filt | c++filt | sed 's/ @plt$/@plt/; s/>>/> >/g' >want
	named "$2"
	check "$(wc -l <want) stubs of $(basename "$2"), as $1" equal "$3"
}

# --- programs of the system ---

n=0
for f in $(cd /usr/bin && ls -S | head -n 300); do
	[ $n -lt 20 ] && head -c 4 "/usr/bin/$f" 2>/dev/null | grep -q ELF && [ "$(stat -Lc %s "/usr/bin/$f")" -lt 8000000 ] &&
		objdump -h "/usr/bin/$f" 2>/dev/null | grep -q ' \.plt' || continue
	labels objdump "/usr/bin/$f" 0
	n=$((n + 1))
done
check "20 programs of the system" [ $n = 20 ]

# --- linked here ---

# NAME OBJDUMP COMPILER FLAGS; "order HEADER EACH" instead of objdump: the PLT's own order
while read -r name by compiler flags; do
	case $name in *++*) source=ex.cpp ;; *) source=ex.c ;; esac
	header=${by#*:} each=${header#*:} header=${header%:*}
	# shellcheck disable=SC2086
	if ! command -v "$compiler" >/dev/null || ! command -v "${by%%:*}" >/dev/null ||
		! $compiler -shared -fPIC -O1 -nostdlib -o "$name" $source $flags 2>err; then
		echo "skip - $name ($compiler: $(head -n 1 err 2>/dev/null))"
		continue
	fi
	if [[ $by != *:* ]]; then
		labels "$by" "$PWD/$name" 2
		continue
	fi
	at=$(readelf -SW "$name" | awk '{ sub(/^ *\[ *[0-9]+\] */, "") } $1 == ".plt" { print $3 }')
	readelf -rW "$name" | awk '/JU?MP_SLOT?/ { print $5 }' | while read -r symbol; do
		printf '%x %s@plt\n' $((0x$at + header)) "$symbol"
		header=$((header + each))
	done >want
	named "$PWD/$name"
	check "$(wc -l <want) stubs of $name, as readelf's relocations" equal 3
done <<'END'
x86-64 objdump gcc
x86-64-now objdump gcc -Wl,-z,now
x86-64-ibt objdump gcc -fcf-protection -Wl,-z,ibtplt
x86-64-ibt-now objdump gcc -fcf-protection -Wl,-z,ibtplt,-z,now
x86-64++ objdump g++
x86-64-gold objdump gcc -fuse-ld=gold
x86-64-lld objdump clang -fuse-ld=lld
i386 objdump i686-linux-gnu-gcc
i386-now objdump i686-linux-gnu-gcc -Wl,-z,now
i386-ibt objdump i686-linux-gnu-gcc -fcf-protection -Wl,-z,ibtplt
i386-gold objdump i686-linux-gnu-gcc -fuse-ld=gold
i386-lld objdump clang --target=i386-linux-gnu -fuse-ld=lld
arm64 aarch64-linux-gnu-objdump aarch64-linux-gnu-gcc
arm64-now aarch64-linux-gnu-objdump aarch64-linux-gnu-gcc -Wl,-z,now
arm64-bti aarch64-linux-gnu-objdump aarch64-linux-gnu-gcc -mbranch-protection=standard -Wl,-z,force-bti
arm64-pac aarch64-linux-gnu-objdump aarch64-linux-gnu-gcc -mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt
arm64-lld aarch64-linux-gnu-objdump clang --target=aarch64-linux-gnu -fuse-ld=lld
arm arm-linux-gnueabihf-objdump arm-linux-gnueabihf-gcc -marm
arm-thumb arm-linux-gnueabihf-objdump arm-linux-gnueabihf-gcc -mthumb
arm-long arm-linux-gnueabihf-objdump arm-linux-gnueabihf-gcc -marm -Wl,--long-plt
arm-lld readelf:32:16 clang --target=arm-linux-gnueabihf -fuse-ld=lld
riscv64 readelf:32:16 clang --target=riscv64-linux-gnu -fuse-ld=lld -mno-relax
riscv32 readelf:32:16 clang --target=riscv32-linux-gnu -fuse-ld=lld -mno-relax
END

# --- the drop-ins ---

labels objdump "$PWD/x86-64" 3
awk '{ print "0x" $1 }' want >asked
addr2line -fe x86-64 <asked >want
tm-addr2line -fe x86-64 <asked >got 2>err
check "tm-addr2line prints no name of a stub where addr2line has none" equal 3
tm-llvm-symbolizer --obj=x86-64 <asked >got 2>err
check "... nor tm-llvm-symbolizer" [ "$(grep -c @plt got)" = 0 ]
exit $failed
