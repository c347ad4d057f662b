#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Stacks of minidumps of arm64 code of Windows, walked by .pdata and .xdata: code that clang makes runs in qemu, one
# instruction after the other, and each state is a thread of a minidump (tests/simulate/windows_arm64.py). The walk must
# have the calls that the shadow stack has, prologues and epilogues among them. Packed unwind data in all combinations
# is compared with the prologues that llvm-readobj reads from it (windows_arm64_packed.py).
set -u
. "$SRC/tests/check.bash"

for tool in clang-19 lld-link-19 llvm-readobj-19 qemu-aarch64 python3; do
	command -v "$tool" >/dev/null || {
		echo "skip - minidump_walk_arm64: no $tool"
		exit 0
	}
done

cat >game.c <<'END_C'
struct probe { unsigned n; unsigned long long sum; double values[16]; };
#define FN __attribute__((noinline)) static double
#define KEEP __asm__ volatile("" ::: "memory")
#define NONVOLATILE __asm__ volatile("" ::: "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15", "memory")
FN leaf(struct probe *p, double x) { p->n++; return x + 1; }
FN leaf_with_room(struct probe *p, double x) { volatile char room[48]; room[3] = 1; return x + room[3] + p->n; }
FN large(struct probe *p, double x) { volatile char room[40000]; room[9] = 1; double r = leaf(p, x) + leaf_with_room(p, x); KEEP; return r + room[9]; }
FN medium(struct probe *p, double x) { volatile char room[5000]; room[9] = 1; double r = large(p, x); KEEP; return r + room[9]; }
FN small(struct probe *p, double x) { volatile char room[72]; room[0] = 1; double r = medium(p, x); KEEP; return r + room[0]; }
FN one(struct probe *p, double x) { __asm__ volatile("" ::: "x19", "memory"); double r = small(p, x); return r + p->n; }
FN three(struct probe *p, double x) { __asm__ volatile("" ::: "x19", "x20", "x21", "d8", "d9", "d10", "memory"); double r = one(p, x); return r + p->n; }
FN all(struct probe *p, double x) { NONVOLATILE; double r = three(p, x); NONVOLATILE; return r + p->n; }
FN floats(struct probe *p, double x)
{
	double a = x * 2, b = x * 3, c = a + b, d = a * b, r = all(p, a);
	return r + a * b + c * d;
}
FN variadic(struct probe *p, ...)
{
	__builtin_va_list list;
	double r = 0;

	__builtin_va_start(list, p);
	for (int i = 0; i < 3; i++)
		r += __builtin_va_arg(list, double);
	__builtin_va_end(list);
	return r + floats(p, r);
}
FN frame(struct probe *p, double x)
{
	unsigned n = p->n * 16 + 16;
	volatile char *room = __builtin_alloca(n);
	room[0] = 3;
	double r = variadic(p, x, 2.0, 3.0);
	KEEP;
	return r + room[0];
}
FN many(struct probe *p, double x, double a, double b, double c, double d, double e) { double r = frame(p, x + e); KEEP; return r + a + b + c + d; }
FN choose(struct probe *p, double x) { if (p->n) return many(p, x, 2, 3, 4, 5, 6); double r = many(p, x, 1, 2, 3, 4, 5); if (r > 3) return r; return r + leaf(p, r); }
__declspec(dllexport) double entry(struct probe *p) { double r = choose(p, 1); KEEP; p->n++; return r + choose(p, 2); }
int _fltused;
int mainCRTStartup(void) { return 0; }
END_C

# Calls of each thread of a dump, the innermost first.
calls() {
	tm-import -q --unwind "$1" "$2" 2>err | tm-dump -q 2>>err | awk '
		$1 == "location" { address[$2] = $NF }
		$1 == "stack" { split($3, l, "="); of[$2] = l[2]; split($4, p, "="); outer[$2] = p[2] }
		$1 == "sample" {
			sub(/.*stack=/, "")
			line = ""
			for (s = $0; s; s = outer[s])
				line = line (line ? " " : "") address[of[s]]
			print line
		}'
}
equal() { # NAME WHAT LEAST
	calls "$1.exe" "$1.dmp" >"$1.got"
	all=$(wc -l <"$1.want")
	wrong=$(diff "$1.want" "$1.got" | grep -c '^<')
	check "$2: $all places, $wrong wrong" [ "$all" -ge "$3" -a "$wrong" = 0 ]
	[ "$wrong" = 0 ] || diff "$1.want" "$1.got" | head -n 4 | sed 's/^/    /' >&2
}
for options in -O0 -O1 -O2 "-Os -mbranch-protection=pac-ret"; do
	# shellcheck disable=SC2086 # several words
	if ! clang-19 --target=aarch64-pc-windows-msvc -ffreestanding -mno-stack-arg-probe -fno-stack-protector \
		-fasynchronous-unwind-tables $options -c game.c -o game.o 2>err ||
		! lld-link-19 /nodefaultlib /entry:mainCRTStartup /subsystem:console /base:0x140000000 /debug \
			/pdb:game.pdb /out:game.exe game.o 2>>err; then
		echo "skip - minidump_walk_arm64 $options: cannot be made: $(head -n 1 err)"
		continue
	fi
	python3 "$SRC/tests/simulate/windows_arm64.py" game.exe game 2>err || cat err >&2
	equal game "$options" 300
done
# Without the file what is found is a guess.
tm-import -q game.dmp | tm-dump -q >text
check "without the file: guesses, and said so" grep -q '^note guess .*frame pointers' text

python3 "$SRC/tests/simulate/windows_arm64_packed.py" packed 2>err || cat err >&2
equal packed "packed unwind data" 30000

# What it reads may be anything.
bad=0
cp game.exe right.exe
for at in $(seq 0 61 9000); do
	cp right.exe game.exe
	printf '\377\377\377\177' | dd of=game.exe bs=1 seek="$at" conv=notrunc status=none
	(ulimit -v 2000000 && tm-import -q --unwind game.exe -o out.tmt game.dmp 2>err)
	[ $? -le 3 ] || bad=$((bad + 1))
done
equals "a file with any four bytes changed: crashes" $bad 0
exit $failed
