#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Stripped code is grouped by the function starts of .eh_frame. Truth: the functions that nm has of the twin that is not
# stripped, and the rows that the twin's names make of the same capture: each row of a start has the sums of the row
# of the function that begins there. For other processors captures are written here, with a block at each fourth byte
# of the code.
# shellcheck disable=SC2317 # check calls the functions
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

cat >work.c <<'C'
#include <stdlib.h>
#define APART __attribute__((noinline, noclone))
void *keep[4096]; unsigned n;
#define BLOCK(size) (keep[n++ % 4096] = malloc(size))
static APART void add(size_t size) { BLOCK(size); __asm__ volatile(""); }
APART void many(int k) { for (int i = 0; i < k; i++) add(100 + i); BLOCK(7); __asm__ volatile(""); }
APART void two_places(int k) { for (int i = 0; i < k; i++) { BLOCK(1000); __asm__ volatile(""); } BLOCK(3000); __asm__ volatile(""); }
APART __attribute__((cold)) void seldom(void) { BLOCK(50000); __asm__ volatile(""); }
APART void in_parts(int k) { if (k == 5) { BLOCK(777); seldom(); BLOCK(778); } BLOCK(20); __asm__ volatile(""); }
int work(int k) { for (int i = 0; i < 50; i++) { many(3); two_places(i & 3); in_parts(i % 7); } return k; }
C
cat >main.c <<'C'
extern int work(int);
int main(int argc, char **argv) { (void)argv; return work(argc) > 5; }
C

# FILE: "ROW REQUESTED COUNT" by site of what is in the program's own modules
rows() {
	tm-top -q --csv -n 0 --by "${by:-site}" "$1" | tr -d '\r' | awk -F , -v by="${by:-site}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["module"] ~ /^(prog|libwork[.]so)$/ { print $at[by], $at[by == "site" ? "requested" : "total_requested"], $at[by == "site" ? "count" : "total_count"] }' | sort
}
# NM FILE MODULE: "NAME MODULE!fn_0xSTART", as tm-top would have it, of what has no name in the stripped file: what a
# library exports keeps its own
starts() {
	"$1" -D --defined-only "$2" 2>/dev/null | awk '{ print $3 }' >exported
	"$1" "$2" | awk -v m="$3" 'FILENAME == "exported" { keep[$1] = 1; next }
		$2 ~ /^[tT]$/ && !($3 in keep) { sub(/^0*/, "", $1); print $3, m "!fn_0x" $1 }' exported -
}
# The rows of names with the starts in place of the names; $1: the starts
by_start() {
	awk 'NR == FNR { at[$1] = $2; next } $1 in at { $1 = at[$1] } { print }' "$1" - | sort
}
same() { # WHAT LEAST: want and got, of at least so many starts
	diff want got >err
	check "$1: $(grep -c '!fn_0x' got) rows of starts have the sums of their functions" \
		test ! -s err -a "$(grep -c '!fn_0x' got)" -ge "$2"
}

# --- recorded: a program, and a library with another base ---

if ${CC:-cc} -O2 -fno-lto -Wl,--build-id=sha1 -o prog work.c main.c 2>err &&
	${CC:-cc} -O2 -fno-lto -shared -fPIC -Wl,--build-id=sha1 -o libwork.so work.c 2>>err &&
	${CC:-cc} -O2 -fno-lto -Wl,--build-id=sha1 -Wl,-rpath,"$PWD" -o user main.c ./libwork.so 2>>err; then
	mkdir -p full
	cp prog libwork.so full
	strip --strip-all prog libwork.so
	nm prog 2>&1 | grep -q 'no symbols' || echo 'not ok - strip leaves no symbols'
	for program in prog user; do
		file=prog least=6
		[ $program = user ] && file=libwork.so least=2 # add, and the part of in_parts that lies apart
		tm-record -q --no-symbols -o $program.tmt -- ./$program 2>err || cat err
		tm-symbolize -q -e $file -o stripped.tmt $program.tmt 2>err
		tm-symbolize -q -e full/$file -o named.tmt $program.tmt 2>err
		for by in site function; do
			rows named.tmt | by_start <(starts nm full/$file $file) >want
			rows stripped.tmt >got
			same "$program, by $by" $least
		done
	done
	tm-symbolize -q -e prog -o stripped.tmt prog.tmt 2>err

	# --- what is said of them ---

	tm-top -q stripped.tmt >text
	check 'a note says so' grep -qx "6 rows are grouped by function starts (fn_0x...): names need the module's debug information" text
	check 'none where all have names' test "$(tm-top -q named.tmt | grep -c 'function starts')" = 0
	tm-symbolize -q --explain -e prog prog.tmt >explained 2>err
	check 'tm-symbolize --explain says what the name is' \
		grep -q "call: fn_0x[0-9a-f]* (a function's start, without a name)" explained
	check 'a location has its module alone, as before' \
		test "$(tm-top -q --as json stripped.tmt | grep -c '"known": *"module only"')" -ge 1

	# --- what does not change: answers to addresses, in all programs that stand for others ---

	start=$(nm full/prog | awk '$3 == "two_places" { print "0x" $1 }')
	equals 'tm-addr2line does not know it' "$(tm-addr2line -fe prog "$start")" "$(printf '??\n??:0')"
	equals 'tm-llvm-symbolizer does not know it' "$(tm-llvm-symbolizer --obj=prog "$start" | head -n 2)" \
		"$(printf '??\n??:0:0')"
	printf '    #1 0x7f0000000000  (%s+%s)\n' "$PWD/prog" "$start" >log
	check 'nor does a log get a name for it' test "$(tm-symbolize -q --text log | grep -c fn_0x)" = 0

	# --- rules mean names, and starts are addresses ---

	printf 'function fn_\nfunction ^prog!\n' >rules.txt
	check 'a rule for sites does not match' cmp -s <(tm-top -q --csv --sites rules.txt stripped.tmt) <(tm-top -q --csv stripped.tmt)
	printf '[Mine]\nfunction fn_\n' >owners.txt
	check 'a rule for owners does not match' \
		test "$(tm-top -q --csv --by owner --owners owners.txt stripped.tmt | grep -c Mine)" = 0
	printf 'leak:fn_\n' >leaks.txt
	check 'a suppression does not match' test "$(tm-top -q --suppressions leaks.txt stripped.tmt | grep -c 'not counted as leaks')" = 0
	check 'a filter does, which somebody asked for' \
		test "$(tm-top -q --csv --hide 'fn_0x' stripped.tmt | grep -c '!fn_0x')" = 0

	# --- another build, whose functions lie elsewhere ---

	# What is before seldom moves by some bytes, and two_places has another size of block: a start of one build that is
	# also one of the other is another function.
	sed -e 's/BLOCK(50000);/BLOCK(50000); BLOCK(50001); BLOCK(50002); BLOCK(50003);/' work.c >work2.c
	mkdir -p second/full
	if ${CC:-cc} -O2 -fno-lto -Wl,--build-id=sha1 -o second/prog work2.c main.c 2>err; then
		cp second/prog second/full
		strip --strip-all second/prog
		tm-record -q --no-symbols -o second.tmt -- second/prog 2>err
		tm-symbolize -q -e second/prog -o second-stripped.tmt second.tmt 2>err
		tm-symbolize -q -e second/full/prog -o second-named.tmt second.tmt 2>err
		for kind in named stripped; do
			second=second-$kind.tmt
			tm-compare -q --by site --all -n 0 --csv --table changes --sort requested $kind.tmt "$second" |
				tr -d '\r' | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
					{ print $at["base_requested"], $at["new_requested"] }' | sort >changes-$kind
		done
		check 'rows of starts are joined with the rows of the same function, not of the same address' \
			cmp -s changes-named changes-stripped
	fi
else
	cat err
	echo 'not ok - the programs build'
fi

# --- written: a block of 16 bytes at each fourth byte of the functions and of the PLT, by its address behind a call ---

cat >entry.c <<'C'
extern int alpha(int), beta(int);
__attribute__((noinline)) static int inner(int x) { return alpha(x) * 7 + beta(x + 1); }
__attribute__((noinline)) int outer(int x) { return inner(x) + inner(x + alpha(3)); }
__attribute__((noinline, cold)) int rare(int x) { return beta(x) ^ x; }
int _start(int x) { return x > 77 ? rare(x) : outer(x) - 3; }
C
echo '{ global: nothing; local: *; };' >local.map
# READELF NM FILE: "START SIZE" of the functions of .text, then those of sections of PLTs
spans() {
	"$2" -S --defined-only "$3" | awk '$3 ~ /^[tT]$/ { print "f", $1, $2 }'
	"$1" -SW "$3" | sed -n 's/^ *\[ *[0-9]*\] \(\.i*plt[^ ]*\) *[A-Z]* *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/p \2 \3/p'
}
written() { # FILE BASE: the capture
	perl -e '
		my ($file, $base) = (shift, hex shift);
		my (@at, $end);
		while (<STDIN>) {
			my ($kind, $lo, $size) = split;
			for (my $a = hex($lo); $a < hex($lo) + hex($size); $a += 4) { push @at, $a + 1; $end = $a if $a > $end; }
		}
		my $n = @at;
		my $bytes = 16 * $n;
		print "heap profile: $n: $bytes [$n: $bytes] @ heapprofile\n";
		printf " 1: 16 [ 1: 16] @ 0x%x\n", $base + $_ for @at;
		print "\nMAPPED_LIBRARIES:\n";
		printf "%x-%x r-xp 00000000 08:01 7 %s\n", $base, $base + $end + 65536, $file;' "$1" "$2"
}
# The blocks that the functions have, as starts: what the capture was made of
written_starts() { # MODULE
	perl -ne 'my ($kind, $lo, $size) = split; my $n = int((hex($size) + 3) / 4);
		printf "%s!fn_0x%x %d %d\n", "'"$1"'", hex($lo), 16 * $n, $n if $kind eq "f" && $n' | sort
}
while read -r name tool compiler flags; do
	command -v "${compiler}" >/dev/null || {
		echo "skip - $name (no $compiler)"
		continue
	}
	if [ "$tool" = - ]; then
		tool=
	fi
	# shellcheck disable=SC2086
	if ! $compiler $flags -O2 -fasynchronous-unwind-tables -fno-builtin -ffreestanding -nostdlib -shared -fPIC \
		-Wl,--build-id=sha1,-Bsymbolic,--version-script=local.map -o full/lib.so entry.c 2>err; then
		echo "skip - $name does not build ($(head -n 1 err))"
		continue
	fi
	cp full/lib.so lib.so
	"${tool}strip" --strip-all lib.so
	spans "${tool}readelf" "${tool}nm" full/lib.so >code.spans
	written "$PWD/lib.so" 7f0000000000 <code.spans >code.heap
	[[ $name == i686* ]] && written "$PWD/lib.so" 70000000 <code.spans >code.heap
	written_starts lib.so <code.spans >want
	for how in '' ', without .eh_frame_hdr'; do
		[ -z "$how" ] || "${tool}objcopy" --remove-section .eh_frame_hdr lib.so
		tm-symbolize -q --no-cache -e lib.so -o stripped.tmt code.heap 2>err
		tm-top -q --csv -n 0 stripped.tmt | tr -d '\r' | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ print $at["site"], $at["live_requested"], $at["live_count"] }' >all
		grep '!fn_0x' all | sort >got
		same "$name$how" 4
		check "$name$how: stubs of the PLT have their names" \
			test "$(grep -c -e '^alpha@plt ' -e '^beta@plt ' all)" = 2
	done
done <<'END'
x86_64 - gcc
x86_64-lld - clang -fuse-ld=lld -Wl,-z,separate-loadable-segments
aarch64 aarch64-linux-gnu- aarch64-linux-gnu-gcc
i686 i686-linux-gnu- i686-linux-gnu-gcc
END
exit $failed
