#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
# timeout: 600
#
# The recorder under the tools that look for faults: its core, without hooks, under ThreadSanitizer;
# all of it, preloaded, under valgrind's Memcheck.
set -u
. "$SRC/tests/capture.bash"

core=$(find "$SRC/lib/recorder" -name "*.c" ! -path "*/hooks/*" ! -path "*/lua/*" ! -path "*/mono/*")
# shellcheck disable=SC2086
if ${CC:-cc} -std=c11 -D_GNU_SOURCE -DTM_VERSION='"0"' -DXXH_INLINE_ALL -O1 -g -fno-omit-frame-pointer \
	-fsanitize=thread -I"$SRC" $core "$SRC"/lib/trace/{encode,column_encoder}.c "$SRC"/lib/base/{hash_bytes,decimal_split}.c \
	"$SRC/testdata/src/record/core.c" -o core -lpthread -lm 2>said; then
	for how in stacks=fp stacks=unwind "stacks=fp threshold=5" "stacks=none drop=1"; do
		rm -f x.tmt
		TSAN_OPTIONS=exitcode=66:log_path=tsan ./core "$how out=x.tmt" >said
		ok "ThreadSanitizer, $how: no race" [ "$? $(find . -name 'tsan.*' | wc -l)" = "0 0" ]
		head -n 20 tsan.* 2>/dev/null
		rm -f tsan.*
		[ "$how" = "stacks=none drop=1" ] && continue
		ok "ThreadSanitizer, $how: the trace has it all, in order" [ "$(sums x.tmt | cut -d ' ' -f 1-4) $(sums x.tmt |
			grep -c order)" = "$(cat said) 0" ]
	done
elif ${CC:-cc} -fsanitize=thread -x c - -o nothing <<<'int main(void) { return 0; }' 2>/dev/null; then
	head -n 5 said
	echo "not ok - the core compiles with -fsanitize=thread"
else
	echo "skip - the core under ThreadSanitizer (the compiler has none)"
fi

if ! command -v valgrind >/dev/null 2>&1; then
	echo "skip - preloaded under valgrind (not here)"
	exit 0
fi
if [ -n "${SAN-}" ]; then
	echo "skip - preloaded under valgrind (it runs no program with a sanitizer, which tm-record is here)"
	exit 0
fi
for program in blocks depths; do
	${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -I"$SRC" \
		"$SRC/testdata/src/record/$program.c" -o $program -lpthread || exit 1
done
# bounds.c asks the kernel whether pages can be read, by a call that is refused, of which valgrind says
# a word each time. Their contents are not looked at.
cat >pages.supp <<'end'
{
   pages of the stack are tried
   Memcheck:Param
   rt_sigprocmask(set)
   fun:syscall
   ...
   fun:cap_bounds_reach
}
end
# Valgrind puts its own malloc in the place of any, ours too, unless an option says that there is no
# other.
memcheck() { # stacks, program...
	local stacks=$1

	shift
	local status

	valgrind -q --error-exitcode=77 --suppressions="$PWD/pages.supp" --log-file=memcheck.all --soname-synonyms=somalloc=nouserintercepts \
		--trace-children=yes tm-record -q -o x.tmt --stacks "$stacks" -- "$@" 2>said
	status=$?
	sed "/sigprocmask: unknown 'how' field -1\$/d" memcheck.all >memcheck
	return $status
}
depths_truth >depths.want
for how in "fp frames" "unwind family" "unwind threads"; do
	# shellcheck disable=SC2086
	memcheck ${how% *} ./blocks ${how#* }
	ok "Memcheck, $how: no error" [ "$? $(wc -c <memcheck)" = "0 0" ]
	head -n 20 memcheck
	[ "$how" = "unwind threads" ] && continue
	# What valgrind has the C library do in the process is not the program's.
	tm-symbolize -q x.tmt | tm-filter -q --focus '^main$' >main.tmt
	sums main.tmt | awk '{ print $2, $6 }' >got
	awk '/^allocs/ { print $2, $6 }' said >want
	ok "Memcheck, $how: exactly what the program knows" cmp want got
done
for stacks in fp unwind; do
	memcheck $stacks ./depths
	ok "Memcheck, $stacks: depths, no error" [ "$? $(wc -c <memcheck)" = "0 0" ]
	head -n 20 memcheck
	depths_of x.tmt >got
	ok "Memcheck, $stacks: every stack of depths" cmp depths.want got
done
