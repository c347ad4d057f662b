#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 900
#
# Every function of libtracemill's headers, with every flag, from a program of C and from one of C++, which
# are linked as an installed library is: by pkg-config, with the shared library and with the archive. What
# there is to call, and with what, is read from the headers, so that a new function or flag without a call
# fails. Names are right when nm's are spelled as c++filt and llvm-cxxfilt 19 spell them.
set -u
. "$SRC/tests/check.bash"
export NODEPS=1
unset MAKEFLAGS MFLAGS MAKELEVEL
api=$SRC/lib/library/tracemill
san=${SAN:+-fsanitize=$SAN}

check "make install" make -s -C "$SRC" SAN="${SAN-}" CC="${CC:-cc}" PREFIX=/opt/t DESTDIR="$PWD/to" \
	install >out 2>err
root=$PWD/to/opt/t

# --- what pkg-config says ---

pc=$root/lib/pkgconfig/tracemill.pc
bad=$(grep -n "$SRC\|build/" "$pc")
check "tracemill.pc names nothing of the build's tree ($bad)" [ -z "$bad" ]
bad=$(tr ' ' '\n' <"$pc" | grep '^/' | grep -v '^/opt/t' | while read -r f; do [ -e "$f" ] || echo "$f"; done)
check "... and no file that is not there ($bad)" [ -z "$bad" ]
export PKG_CONFIG_SYSROOT_DIR=$PWD/to PKG_CONFIG_PATH=$root/lib/pkgconfig

# --- a library of C++, its names, and how they are spelled ---

cat >names.cpp <<'CPP'
#include <utility>
namespace outer { template <class T> struct Box { T value; __attribute__((noinline)) T get(int x) const { return value + x; } }; }
struct A { int x; operator bool() const; A &operator<<=(int); };
A::operator bool() const { return x != 0; }
A &A::operator<<=(int n) { x <<= n; return *this; }
template <class... T> __attribute__((noinline)) int many(T... t) { return (0 + ... + (int)t); }
int pairs(std::pair<std::pair<int, long>, const char *> p) { return p.first.first; }
int calls(int n) { auto twice = [n](int x) __attribute__((noinline)) { return x * n; }; return twice(n) + many(1, 'a', 2.0); }
int box() { return outer::Box<int>{3}.get(1); }
extern "C" int plain(int n) { return calls(n) + box(); }
CPP
# A name of some thousand bytes: libiberty spells it up to 1,024, LLVM's any.
{
	for i in $(seq 500); do printf 'struct T%03d {};' "$i"; done
	echo 'template <class... T> struct List {};'
	printf 'int deep(List<T001'
	for i in $(seq 2 500); do printf ', T%03d' "$i"; done
	echo '>) { return 1; }'
} >>names.cpp
check "a library of C++ compiles" "${CXX:-c++}" -std=c++17 -g -O1 -shared -fPIC -Wl,--build-id -o names.so names.cpp 2>err
# How LLVM spells a name, where it is asked and can be: without its demangler in this build as GNU does.
llvm_spells() { # NAME GNU'S
	if ! grep -q -e -DHAVE_LLVM_DEMANGLE "$SRC/build/deps.mk"; then
		echo "$2"
	elif command -v llvm-cxxfilt-19 >/dev/null 2>&1; then
		llvm-cxxfilt-19 "$1"
	else
		echo '?' # not known
	fi
}
nm names.so | awk '$2 ~ /[TtW]/ && ($3 ~ /^_Z/ || $3 == "plain") { print $1, $3 }' | while read -r at name; do
	gnu=$(c++filt "$name")
	printf '%s\t%s\t%s\t%s\n' "$at" "$name" "$gnu" "$(llvm_spells "$name" "$gnu")"
done >names
check "... one of more than 2,048 bytes" [ "$(awk -F '\t' 'length($2) > 2048' names | wc -l)" = 1 ]

# --- what there is to call ---

sed -n 's/^\t\(tracemill_[a-z_]*\);/called \1/p' "$SRC/lib/library/libtracemill.map" |
	grep -vwf <(grep -oE 'tracemill_[a-z_]+\(' "$api/deprecated.h" | tr -d '(') >want
# Constants that a caller hands in: all but those of enums that only answer.
sed 's://.*$::' "$api"/*.h | awk '
	/^enum tracemill_[a-z_]* \{|^enum \{/ { inside = $2 !~ /_(status|outcome|by|severity|reason)$/ && $2 ~ /^tracemill/ }
	/^\};/ { inside = 0 }
	inside && match($0, /^\tTRACEMILL_[A-Z_]+/) { print "used " substr($0, 2, RLENGTH - 1) }' >>want
LC_ALL=C sort -u -o want want
check "the headers have $(grep -c ^called want) functions and $(grep -c ^used want) constants" \
	[ "$(grep -c ^called want)" -gt 70 -a "$(grep -c ^used want)" -gt 60 ]
for struct in options trace_symbolizer_options; do
	bad=$(sed -n "/^struct tracemill_$struct {/,/^};/p" "$api"/*.h | sed 's:/\*.*::; s:^\t \*.*::' |
		sed -n 's/^\t.*[ *(]\([a-z_]*\)\()(.*\)\{0,1\};.*/\1/p' | while read -r m; do
			grep -q "\.$m\b" "$SRC/tests/library/every.c" || echo "$m"
		done)
	check "every member of struct tracemill_$struct is set (${bad//$'\n'/ })" [ -z "$bad" ]
done

# --- called ---

# shellcheck disable=SC2317 # check calls it
build() { # TO COMPILER LANGUAGE STANDARD LIBRARIES...
	# shellcheck disable=SC2086,SC2046 # options
	"$2" -x "$3" -std="$4" -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror $san $(pkg-config --cflags tracemill) \
		-o "$1" "$SRC/tests/library/every.c" -x none "${@:5}"
}
# shellcheck disable=SC2034 # ${!how}
shared=$(pkg-config --libs tracemill)
# shellcheck disable=SC2034
static=$(pkg-config --static --libs tracemill | sed 's/-ltracemill/-l:libtracemill.a/')
for row in "c ${CC:-cc} c c11" "cpp ${CXX:-c++} c++ c++17"; do
	read -r name compiler language standard <<<"$row"
	for how in shared static; do
		# shellcheck disable=SC2086
		check "$language, $how: compiles without a word" build "$name-$how" "$compiler" $language $standard ${!how} 2>err
		mkdir "$name-$how.d"
		(cd "$name-$how.d" && XDG_CACHE_HOME=$PWD LD_LIBRARY_PATH=$root/lib timeout 600 \
			"../$name-$how" "$PWD/../names.so" ../names) >got 2>err
		status=$?
		grep -v '^called\|^used' got | head -n 20
		check "$language, $how: every answer is right" [ $status = 0 ]
		grep '^called\|^used' got | LC_ALL=C sort -u | LC_ALL=C comm -13 - want >missing
		[ ! -s missing ] || head missing
		check "$language, $how: every function is called, with every flag" [ ! -s missing ]
	done
done
if [ -z "$san" ] && command -v valgrind >/dev/null 2>&1; then
	mkdir valgrind.d
	(cd valgrind.d && XDG_CACHE_HOME=$PWD LD_LIBRARY_PATH=$root/lib timeout 800 valgrind -q --error-exitcode=99 \
		--exit-on-first-error=yes --trace-children=no ../cpp-shared "$PWD/../names.so" ../names) >got 2>err
	check "valgrind has nothing to say" [ $? = 0 ]
fi
exit $failed
