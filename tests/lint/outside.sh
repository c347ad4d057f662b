#!/bin/bash
# SPDX-License-Identifier: MIT
#
# outside.sh [ROOT]: lib/recorder/outside.txt has a line, and a reason, for each function of other
# libraries that the capture runtime (as built, or ROOT/library.so) calls, and for nothing else.
set -u
cd "${1:-$SRC}" || exit 1
library=${1:+library.so}
library=${library:-$BUILD/lib/libtracemill-capture.so}
table=lib/recorder/outside.txt
bad=0

# Sanitizers bring calls of their own, and clang leaves other ones.
case $library in
*build/plain/* | library.so) ;;
*)
	echo "skip - calls of the capture runtime (the table is of the plain build)"
	exit 0
	;;
esac
called=$(
	{
		nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }'
		# What it looks up by name; operators of C++ are all as _Znwm, and not here.
		sed -n '/^#define CAP_NEXT_C/,/^$/p' lib/recorder/hooks/next.h 2>/dev/null | grep -oE 'X\([a-z_]+\)' | tr -d 'X()'
		grep -hoE 'cap_next_named\("[a-zA-Z_]+"' lib/recorder/hooks/*.c 2>/dev/null | grep -oE '"[a-zA-Z_]+"' | tr -d '"'
	} | sort -u
)
listed=$(awk '!/^#/ && NF { print $1 }' "$table" | sort -u)
for f in $(comm -23 <(echo "$called") <(echo "$listed")); do
	echo "  $table: the runtime calls $f, which has no line: may it, in a hook?"
	bad=1
done
for f in $(comm -13 <(echo "$called") <(echo "$listed")); do
	echo "  $table: nobody calls $f"
	bad=1
done
awk -v table="$table" '!/^#/ && NF && (NF < 3 || $2 !~ /^([hfwlscem]+|-)$/) {
	printf "  %s:%d: a function, when it is called, and why it may\n", table, NR
	bad = 1
}
END { exit bad }' "$table" || bad=1
if [ $bad = 0 ]; then
	echo "ok - each call of the capture runtime has its reason"
else
	echo "not ok - each call of the capture runtime has its reason"
fi

# libtracemill: which memory of other libraries comes into its hands. What it has of its own is its scope's, and free
# ends that alone (lib/base/resource_names.h).
table=lib/library/outside.txt
objects=${1:+objects}
objects=${objects:-$BUILD/library}
if [ ! -f $table ]; then
	exit $bad
fi
wrong=0
cc=${CC:-cc}
if [ -f "$objects/members" ]; then tr ' ' '\n' <"$objects/members" | grep . ; else find "$objects" -name '*.o'; fi | sort >"${TMPDIR:-/tmp}/outside.$$"
called=$(xargs nm -A --undefined-only <"${TMPDIR:-/tmp}/outside.$$" | awk '{ print $NF, $1 }' | grep -v '^_' | sort -u)
own=$(xargs nm --defined-only <"${TMPDIR:-/tmp}/outside.$$" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u)
rm -f "${TMPDIR:-/tmp}/outside.$$"
c_library=$(for f in libc.so.6 libm.so.6; do nm -D --defined-only "$($cc -print-file-name=$f)"; done |
	awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u)
foreign=$(awk '{ print $1 }' <<<"$called" | sort -u | comm -23 - <(sort -u <(echo "$own") <(echo "$c_library")))
# One of "NEW|OLD" is called, by the version of its library.
for f in $(comm -23 <(echo "$foreign") <(awk '!/^#/ && NF { print $1 }' $table | tr '|' '\n' | sort -u)); do
	echo "  $table: the library calls $f, which has no line: what ends the memory that it gives?"
	wrong=1
done
while read -r f; do
	grep -qxE "$f" <<<"$foreign" || {
		echo "  $table: nobody calls $f"
		wrong=1
	}
done < <(awk '!/^#/ && NF { print $1 }' $table)
awk -v table="$table" '!/^#/ && NF && (NF != 2 || $2 == "free") {
	printf "  %s:%d: a function, and that of its own library which ends what it gives, or -\n", table, NR
	bad = 1
}
END { exit bad }' $table || wrong=1
# What the C library gives for free to end, but by the scope.
gives='^(malloc|calloc|realloc|reallocarray|aligned_alloc|memalign|posix_memalign|valloc|pvalloc|free|strdup|strndup|asprintf|
	|vasprintf|__asprintf_chk|__vasprintf_chk|getline|getdelim|__getdelim|open_memstream|open_wmemstream|scandir|scandirat|
	|getcwd|get_current_dir_name|tempnam|realpath|canonicalize_file_name|wcsdup|fmemopen|getaddrinfo|glob|wordexp) '
while read -r f object; do
	echo "  ${object%:}: $f gives or takes memory that is no scope's"
	wrong=1
done < <(grep -E "${gives//[$'\n\t']/}" <<<"$called" | grep -v 'lib/base/resource_scope\.c\.o:')
if [ $wrong = 0 ]; then
	echo "ok - all memory in the hands of libtracemill is its scope's, or ended by who gave it"
else
	echo "not ok - all memory in the hands of libtracemill is its scope's, or ended by who gave it"
fi
exit $((bad | wrong))
