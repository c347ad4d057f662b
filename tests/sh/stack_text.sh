#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 400
#
# tm-symbolize --text: logs with stacks get names. What the sanitizers' runtime prints with names is
# what we make of its report without; llvm-symbolizer (as ndk-stack asks it) and addr2line say what
# calls of other logs are.
# shellcheck disable=SC2016,SC2086,SC2119,SC2120,SC2317
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }
same() { diff "$1" "$2" >err; } # of pipes
text() { tm-symbolize -q --text "$@" 2>err; }

cat >leak.cc <<'X'
#include <cstdlib>
#include <string>
#include <vector>
static inline __attribute__((always_inline)) char *inner(int n) { return (char *)malloc(n); }
__attribute__((noinline)) char *outer(int n) { char *p = inner(n); if (p) p[0] = 1; return p; }
void *volatile sink;
int main(int argc, char **)
{
	for (int i = 0; i < 3; i++) { sink = outer(10 + i); sink = nullptr; }
	if (argc > 1) { std::vector<int> v(3); int *p = &v[0]; v.resize(100); return p[argc]; }
	return 0;
}
X
cat >race.cc <<'X'
#include <thread>
int global;
static void __attribute__((always_inline)) inline touch() { global++; }
__attribute__((noinline)) void work() { touch(); }
int main() { std::thread a(work), b(work); a.join(); b.join(); return 0; }
X
# Runs differ in process numbers and, without setarch, in addresses.
plain() { sed -e 's/==[0-9]*==/==N==/' -e 's/[(]pid=[0-9]*[)]/(pid=N)/' -e 's/tid=[0-9]*, [a-z]*/tid=N/' -e 's/0x[0-9a-f]\{9,\}/ADDRESS/g' "$@"; }
still=$(setarch -R true 2>/dev/null && echo setarch -R)
run() { # OPTIONS COMMAND...
	local options=$1

	shift
	# the test's own ones send reports elsewhere
	env -u LSAN_OPTIONS -u UBSAN_OPTIONS ASAN_OPTIONS="$options:exitcode=0" TSAN_OPTIONS="$options:exitcode=0" $still "$@" 2>&1
}
clang=$(command -v clang++-19 || command -v clang++)
llvm=$(command -v llvm-symbolizer-19)
if [ -n "$clang" ] && [ -n "$llvm" ] && "$clang" -g -O1 -fsanitize=address leak.cc -o leak 2>err && "$clang" -g -O1 -fsanitize=thread race.cc -o race 2>err &&
	run symbolize=0 ./leak >leak.raw; then
	on=symbolize=1:external_symbolizer_path=$llvm
	run "$on" ./leak | plain >want
	text leak.raw | plain >got
	check 'leaks: the text is that of a run with names' equal want got
	check 'leaks: inlined calls have lines of their own' grep -q '#2 ADDRESS in outer(int)' got
	# ThreadSanitizer and the library functions of a use after free: which debug files there are
	# decides what LLVM finds, so only what is ours is compared.
	for how in 'leak 1' race; do
		{
			run "$on" ./$how | plain >want
			run symbolize=0 ./$how >raw
		}
		text raw | plain >got
		ours() { grep -E '^ +#[0-9]+ .*(leak|race)[.]cc|SUMMARY' "$1" | sed 's/#[0-9]* //'; }
		ours want >want.ours
		ours got >got.ours
		check "$how: calls of the program are those of a run with names" equal want.ours got.ours
	done
	if command -v asan_symbolize-19 >/dev/null; then
		LLVM_SYMBOLIZER_PATH=$llvm asan_symbolize-19 -d <leak.raw 2>err | grep -v '??:0' >want
		text leak.raw | grep -v ' in malloc ' >got
		check 'leaks: but for what it calls ??, the text is that of asan_symbolize' equal want got
	fi
	# A log that is followed: the first report is there before the second one is written.
	mkfifo pipe
	text <pipe >followed &
	exec 7>pipe
	cat leak.raw >&7
	for ((i = 0; i < 600; i++)); do
		grep -q 'in inner(int)' followed && break
		sleep 0.1
	done
	check 'what came through a pipe is printed before more comes' grep -q 'in inner(int)' followed
	cat leak.raw >&7
	exec 7>&-
	wait
	check 'and the same again' same <(text <leak.raw; text <leak.raw) followed
	sed 's/$/\r/' leak.raw >crlf
	check 'line ends of Windows stay' same <(text leak.raw) <(text crlf | tr -d '\r')
	for ((i = 0; i < 4000; i++)); do cat leak.raw; done >many
	text leak.raw | wc -l >lines
	check 'many reports: all of their text' \
		[ "$("$GEN/rss" -o rss tm-symbolize -q --text many 2>err | wc -l)" = $((4000 * $(cat lines))) ]
	[ -n "${SAN-}" ] || check 'many reports: little memory' [ "$(cut -d ' ' -f 4 rss)" -lt 150000 ]
else
	echo 'skip - the sanitizers of clang 19 (they, or llvm-symbolizer-19, are not here)'
fi

# A library as tombstones have it: its address, build-id, and the names that ndk-stack would print.
cat >lib.c <<'X'
static inline __attribute__((always_inline)) int half(int n) { return n / 2 + (int)sizeof(long); }
__attribute__((noinline)) int quarter(int n) { return half(half(n)); }
int eighth(int n) { return quarter(n) + half(n); }
X
if ! ${CC:-cc} -g -O1 -shared -fPIC -Wl,--build-id lib.c -o libtext.so 2>err; then
	echo 'skip - logs of a library (no shared libraries are made here)'
	exit $failed
fi
id=$(readelf -n libtext.so | sed -n 's/ *Build ID: //p')
at=$(nm libtext.so | awk '$3 == "quarter" { print $1 }')
place=$((0x$at + 4))
names() { # the functions and lines at ADDR, as addr2line says
	addr2line -fi -e libtext.so "0x$1" | sed 's/ (discriminator.*//'
}
printf -v hex %x $place
{
	echo "04-15 12:35:33.304  1  1 F DEBUG   : *** *** *** *** *** *** *** ***"
	printf '04-15 12:35:33.304  1  1 F DEBUG   :       #00 pc %016x  /data/app/x/libtext.so (BuildId: %s)\n' $place "$id"
	printf '#01 pc %016x  /data/app/x/libother.so (known+4)\n' $place
	printf '#02 pc %016x  /data/app/x/libtext.so (BuildId: 0123456789abcdef)\n' $place
	echo "other words"
} >tombstone
text -e libtext.so tombstone >got
{
	head -n 2 tombstone
	names "$hex" | sed 's/\(.*\)/FN \1/'
	tail -n 3 tombstone
} >want
check 'Android: functions and lines stand below their call' \
	same <(sed -e 's/^ \{20,\}/FN /' -e 's/\(:[0-9]*\):[0-9]*$/\1/' got) want
tm-symbolize --text -e libtext.so tombstone 2>err >/dev/null
check 'Android: what has no answer is counted' grep -q '1 of 3 calls was named' err
check 'Android: the build-id of the log shows the build' [ "$(grep -c 'nothing shows' err)" = 0 ]
check 'Android: another build is not used' grep -q '1 call stays as it was: .*build' err
check 'a build of which too little is known is status 4' \
	[ "$(tm-symbolize -q --text --gate 90 -e libtext.so tombstone >/dev/null 2>err; echo $?)" = 4 ]
{
	echo "C  [libtext.so+0x$hex]  quarter+0x4"
	echo
	echo "7f0000000000-7f0000001000 r-xp 00000000 08:01 12   $PWD/libtext.so"
} >hs_err.log
grep 'r-xp' hs_err.log >maps
grep -v 'r-xp' hs_err.log >mapless.log
text hs_err.log >got
text --maps maps mapless.log >by_map
check 'a module map from elsewhere' cmp <(grep -v 'r-xp' got) by_map
check 'Java: the map at the end says where a library is' \
	same <(names "$hex" | sed -n 1p) <(sed -n '1s/.*[]]  \([a-z]*\)  (.*/\1/p' got)
printf -v after %x $((place + 1)) # a return address is one behind its call
echo "./libtext.so(quarter+0x5) [0x7f00]" | text >got
check 'glibc: a name and what is behind it' grep -q "in half .*lib[.]c:1" got
echo "./libtext.so(+0x$after) [0x7f00]" | text | sed 's/(+0x[0-9a-f]*)/(quarter+0x5)/' >got2
check 'glibc: the same by its address' equal got got2
echo "./libtext.so(+0x$after) [0x7f00]" | tm-symbolize --text -e libtext.so 2>err >/dev/null
check 'glibc: no build-id, which is said' grep -q 'libtext.so: the log has no build-id: nothing shows whether libtext.so is of this build$' err
# A signal stopped it at the first instruction: the byte before belongs to another function.
echo "./libtext.so(eighth+0x0) [0x7f00]" | text >got
check 'glibc: the start of a function is in it' grep -q "in eighth .*lib[.]c:3" got

# Addresses alone, as a program's own handler prints them: the module map of the process says what was there. addr2line says
# what is at these places; the program knows where it was itself.
cat >own.c <<'X'
#include <execinfo.h>
#include <stdio.h>
extern const char __ehdr_start[];
__attribute__((noinline)) int inner(int n)
{
	void *a[32];
	FILE *base = fopen("base", "w"), *in = fopen("/proc/self/maps", "r"), *out = fopen("own.maps", "w");
	int k = backtrace(a, 32), c;

	for (int i = 0; i < k; i++)
		printf("#%d %p%s\n", i, a[i], n > 1 ? " <unknown>" : "");
	fprintf(base, "%p\n", (const void *)__ehdr_start);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	return k + fclose(base) + fclose(in) + fclose(out);
}
__attribute__((noinline)) int outer(int n) { return inner(n) + 1; }
int main(int argc, char **argv) { (void)argv; return outer(argc) < 3; }
X
# A loader that maps the files anew gives no build-id: the notes are not what is asked here.
if ${CC:-cc} -g -O1 -fPIE -pie own.c -o own 2>err; then
	for words in '' ' <unknown>'; do
		./own ${words:+more} >own.log
		base=$(cat base)
		text own.log >got
		check "addresses alone${words}: without the map they stay" equal own.log got
		tm-symbolize --text own.log 2>err >/dev/null
		check '... and the map is asked for' grep -qE '[0-9]+ calls have an address and no module: --maps' err
		text --maps own.maps own.log >got
		for i in 0 1 2; do
			address=$(sed -n "s/^#$i \(0x[0-9a-f]*\).*/\1/p" own.log)
			want=$(addr2line -fe own "$(printf '0x%x' $((address - base - 1)))" | tr '\n' ' ')
			check "... with it call $i is $want" \
				[ "$(sed -n "s/^#$i $address in \([^ ]*\) \([^ ]*\):[0-9]*\$/\1 \2 /p" got)" = "$want" ]
		done
	done
	printf '#0 0x1000\n#1 0x2000 in ?? ()\n' >nowhere.log
	text --maps own.maps nowhere.log >got
	check 'no module is there: the line stays' equal nowhere.log got
else
	echo "skip - addresses alone: $(head -n 1 err)"
fi

# Nothing is known: nothing is changed.
for form in lsan named asan tsan tombstone logcat leaks old harmony hs_err glibc; do
	"$GEN/crash_log" --stacks 30 $form >file 2>truth
	tm-symbolize --text --no-local <file >got 2>notes
	check "$form: without its binaries the text stays" equal file got
	n=$(awk '$1 == "calls" { print $2 }' truth)
	check "$form: each call is counted" \
		awk -v n="$n" '/calls? (was|were) named/ { for (i = 1; i < NF; i++) if ($i == "of") all = $(i + 1) } END { exit !(all >= n) }' notes
done
check 'no stack is said' grep -q 'no line of the log is a call' <(echo words | tm-symbolize --text 2>&1)
check '--text and --explain exclude each other' [ "$(tm-symbolize --text --explain x 2>err; echo $?)" = 2 ]
exit $failed
