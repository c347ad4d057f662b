#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Stacks of minidumps walked by .pdata: x64 code that clang makes for Windows runs here, in a process of Linux that maps
# its sections. Each function notes its own return address; the innermost one calls out, and a minidump of that moment
# is written. The walk must have those addresses. It must also have them at each instruction, prologues and epilogues
# among them: the trap flag stops the program there, and the host keeps the return addresses by what calls push.
set -u
. "$SRC/tests/check.bash"

for tool in clang-19 lld-link-19 gcc; do
	command -v "$tool" >/dev/null || {
		echo "skip - minidump_walk: no $tool"
		exit 0
	}
done
if [ "$(uname -m)" != x86_64 ]; then
	echo "skip - minidump_walk: x86-64 only"
	exit 0
fi

cat >game.c <<'END'
struct probe {
	void (*hook)(void);
	unsigned n;
	void *returns[64];
	unsigned long long sum;
};
#define NOTE p->returns[p->n++] = __builtin_return_address(0)
#define FN __attribute__((noinline)) static double
#define KEEP __asm__ volatile("" ::: "memory")
FN leaf(struct probe *p, double x) { NOTE; p->hook(); KEEP; p->n--; return x + 1; }
FN pushes(struct probe *p, double x)
{
	NOTE;
	unsigned long long a = p->sum + 1, b = a * 3, c = b ^ a, d = c + 7, e = d * 5, f = e ^ 9, g = f + 2;
	double r = leaf(p, x);
	p->sum += a + b * c + d * e + f * g;
	p->n--;
	return r;
}
FN small(struct probe *p, double x) { NOTE; volatile char room[72]; room[0] = 1; double r = pushes(p, x); KEEP; p->n--; return r + room[0]; }
FN large(struct probe *p, double x) { NOTE; volatile char room[70000]; room[9] = 1; double r = small(p, x); KEEP; p->n--; return r + room[9]; }
FN larger(struct probe *p, double x) { NOTE; volatile char room[600000]; room[9] = 1; double r = large(p, x); KEEP; p->n--; return r + room[9]; }
FN floats(struct probe *p, double x)
{
	NOTE;
	double a = x * 2, b = x * 3, c = a + b, d = a * b, r = larger(p, a);
	p->n--;
	return r + a * b + c * d;
}
FN frame(struct probe *p, double x)
{
	NOTE;
	unsigned n = p->n * 16;
	volatile char *room = __builtin_alloca(n);
	room[0] = 3;
	double r = floats(p, x);
	KEEP;
	p->n--;
	return r + room[0];
}
FN many(struct probe *p, double x, double a, double b, double c, double d, double e) { NOTE; double r = frame(p, x + e); KEEP; p->n--; return r + a + b + c + d; }
__declspec(dllexport) double entry(struct probe *p)
{
	NOTE;
	double r = many(p, 1, 2, 3, 4, 5, 6);
	KEEP;
	p->n--;
	return r;
}
int _fltused;
int mainCRTStartup(void) { return 0; }
END

# Maps the image, runs it, and writes minidumps NAME.N.dmp with the return addresses in NAME.N.want: where it calls out,
# and, with "step", at the instructions of it.
cat >host.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
struct probe { void (*hook)(void); unsigned n; void *returns[64]; unsigned long long sum; };
static struct probe probe;
static uint64_t regs[17], top, base, image;
static const char *name;
static unsigned written;
static unsigned char *file;
static uint64_t id_at;
static int stepping, at_all;
static void put(FILE *f, uint64_t v, int n) { fwrite(&v, n, 1, f); }
static void dump(void)
{
	char path[200];
	snprintf(path, sizeof path, "%s.%u.want", name, written);
	FILE *f = fopen(path, "w");
	fprintf(f, "0x%llx\n", (unsigned long long)regs[16]);
	for (unsigned i = probe.n; i-- > 1;)
		fprintf(f, "0x%llx\n", (unsigned long long)(uintptr_t)probe.returns[i]);
	fclose(f);
	snprintf(path, sizeof path, "%s.%u.dmp", name, written++);
	f = fopen(path, "wb");
	const char wide[] = "g\0a\0m\0e\0.\0e\0x\0e\0";
	uint32_t system = 32 + 36, module = system + 56, text = module + 4 + 108, cv = text + 4 + 16 + 2, context = cv + 32, stack = context + 1232, threads;
	uint64_t sp = regs[4], size = top - sp;
	threads = stack + (uint32_t)size;
	fwrite("MDMP", 4, 1, f); put(f, 0xa793, 4); put(f, 3, 4); put(f, 32, 4); put(f, 0, 8); put(f, 0, 8);
	put(f, 7, 4); put(f, 56, 4); put(f, system, 4);
	put(f, 4, 4); put(f, 4 + 108, 4); put(f, module, 4);
	put(f, 3, 4); put(f, 4 + 48, 4); put(f, threads, 4);
	put(f, 9, 2); for (int i = 2; i < 20; i++) put(f, 0, 1); put(f, 2, 4); for (int i = 24; i < 56; i++) put(f, 0, 1);
	put(f, 1, 4); put(f, base, 8); put(f, image, 4); put(f, 0, 8); put(f, text, 4);
	for (int i = 24; i < 76; i++) put(f, 0, 1);
	put(f, 32, 4); put(f, cv, 4); for (int i = 84; i < 108; i++) put(f, 0, 1);
	put(f, 16, 4); fwrite(wide, 16, 1, f); put(f, 0, 2);
	fwrite(file + id_at, 24, 1, f); put(f, 0x65, 8);
	for (int i = 0; i < 0x78; i++) put(f, 0, 1);
	for (int i = 0; i < 16; i++) put(f, regs[i], 8);
	put(f, regs[16], 8); for (int i = 0x100; i < 1232; i++) put(f, 0, 1);
	fwrite((void *)sp, size, 1, f);
	put(f, 1, 4); put(f, 1, 4); for (int i = 4; i < 24; i++) put(f, 0, 1);
	put(f, sp, 8); put(f, size, 4); put(f, stack, 4); put(f, 1232, 4); put(f, context, 4);
	fclose(f);
}
void seen(void) { if (!stepping) dump(); }
void hook(void);
__asm__(".globl hook\nhook:\n movq %rax, regs(%rip)\n movq %rcx, regs+8(%rip)\n movq %rdx, regs+16(%rip)\n movq %rbx, regs+24(%rip)\n"
	" leaq 8(%rsp), %rax\n movq %rax, regs+32(%rip)\n movq %rbp, regs+40(%rip)\n movq %rsi, regs+48(%rip)\n movq %rdi, regs+56(%rip)\n"
	" movq %r8, regs+64(%rip)\n movq %r9, regs+72(%rip)\n movq %r10, regs+80(%rip)\n movq %r11, regs+88(%rip)\n movq %r12, regs+96(%rip)\n"
	" movq %r13, regs+104(%rip)\n movq %r14, regs+112(%rip)\n movq %r15, regs+120(%rip)\n movq (%rsp), %rax\n movq %rax, regs+128(%rip)\n"
	" pushq %rbx\n movq %rsp, %rbx\n andq $-16, %rsp\n subq $256, %rsp\n pushq %rsi\n pushq %rdi\n movups %xmm6, 16(%rsp)\n movups %xmm7, 32(%rsp)\n movups %xmm8, 48(%rsp)\n movups %xmm9, 64(%rsp)\n"
	" call seen\n movups 16(%rsp), %xmm6\n movups 32(%rsp), %xmm7\n movups 48(%rsp), %xmm8\n movups 64(%rsp), %xmm9\n popq %rdi\n popq %rsi\n movq %rbx, %rsp\n popq %rbx\n ret\n");
/* The return addresses at an instruction: those that were noted, but what the innermost frames noted is not complete
 * there; the ABI of the host is: a shadow stack of calls and returns, kept by stepping. */
static uint64_t shadow[64];
static unsigned depth;
static uint64_t last_pc, last_sp;
static int last_call;
static void step(int sig, siginfo_t *si, void *arg)
{
	static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	ucontext_t *u = arg;
	uint64_t pc = u->uc_mcontext.gregs[REG_RIP], sp = u->uc_mcontext.gregs[REG_RSP];
	static unsigned count;
	(void)sig, (void)si;
	if (last_call && sp == last_sp - 8)
		shadow[depth++] = *(uint64_t *)sp;
	else if (depth && sp == last_sp + 8 && shadow[depth - 1] == pc)
		depth--;
	int inside = pc >= base && pc < base + image;
	last_pc = pc;
	last_sp = sp;
	const unsigned char *p = (void *)pc;
	last_call = p[0] == 0xe8 || (p[0] == 0xff && (p[1] >> 3 & 7) == 2) || (p[0] == 0x41 && p[1] == 0xff && (p[2] >> 3 & 7) == 2);
	if (!inside || ++count % at_all)
		return;
	for (int i = 0; i < 17; i++)
		regs[i] = u->uc_mcontext.gregs[order[i]];
	/* As noted: the calls inside of the image. */
	unsigned n = 0;
	probe.returns[0] = 0;
	void *kept[64];
	unsigned kept_n = probe.n;
	memcpy(kept, probe.returns, sizeof kept);
	for (unsigned i = 0; i < depth; i++)
		if (shadow[i] >= base && shadow[i] < base + image)
			probe.returns[++n] = (void *)shadow[i];
	probe.n = n + 1;
	dump();
	probe.n = kept_n;
	memcpy(probe.returns, kept, sizeof kept);
}
static uint32_t le(uint64_t at) { uint32_t v; memcpy(&v, file + at, 4); return v; }
int main(int argc, char **argv)
{
	FILE *f = fopen(argv[1], "rb");
	file = malloc(1 << 20);
	size_t n = fread(file, 1, 1 << 20, f);
	name = argv[2];
	uint64_t pe = le(0x3c), optional = pe + 24, sections = optional + (le(pe + 20) & 0xffff), count = le(pe + 4) >> 16;
	memcpy(&base, file + optional + 24, 8);
	image = le(optional + 56);
	char *to = mmap((void *)base, image, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (to != (char *)base)
		return 77;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t s = sections + 40 * i, size = le(s + 16);
		if (size)
			memcpy(to + le(s + 12), file + le(s + 20), size);
	}
	for (id_at = 0; id_at + 24 < n && memcmp(file + id_at, "RSDS", 4); id_at++)
		;
	uint64_t marker[64];
	top = (uint64_t)(marker + 64) & ~7ull;
	probe.hook = hook;
	uint32_t exports = le(optional + 112);
	uint64_t entry = base + *(uint32_t *)(to + *(uint32_t *)(to + exports + 28));
	double (__attribute__((ms_abi)) *fn)(struct probe *) = (void *)entry;
	if (argc > 3) {
		stepping = 1;
		at_all = atoi(argv[3]);
		static char other[1 << 16];
		sigaltstack(&(stack_t){.ss_sp = other, .ss_size = sizeof other}, 0);
		sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = step, .sa_flags = SA_SIGINFO | SA_ONSTACK}, 0);
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	}
	fn(&probe);
	if (stepping)
		__asm__ volatile("pushfq; andq $-257, (%%rsp); popfq" ::: "memory", "cc");
	return 0;
}
END
gcc -O1 -mno-red-zone -fno-stack-protector -no-pie -o host host.c 2>err || {
	cat err
	echo "not ok - the host compiles"
	exit 1
}
# Addresses of a dump's first thread, the innermost first.
calls() { tm-import -q --unwind game.exe "$1" 2>err | tm-dump -q 2>>err | sed -n 's/^location [0-9]* runtime [a-z]* //p'; }
for level in -O0 -O1 -O2; do
	if ! clang-19 --target=x86_64-pc-windows-msvc -ffreestanding -mno-stack-arg-probe -fno-stack-protector -fasynchronous-unwind-tables $level -c game.c -o game.o 2>err ||
		! lld-link-19 /nodefaultlib /entry:mainCRTStartup /subsystem:console /fixed /base:0x140000000 /debug /pdb:game.pdb /out:game.exe game.o 2>>err; then
		echo "skip - minidump_walk $level: cannot be made: $(head -n 1 err)"
		continue
	fi
	(ulimit -s unlimited 2>/dev/null; ./host game.exe "out$level")
	status=$?
	if [ $status = 77 ]; then
		echo "skip - minidump_walk: the address is taken"
		exit 0
	fi
	calls "out$level.0.dmp" >got
	n=$(wc -l <"out$level.0.want")
	check "$level: $n calls, as the functions noted them" [ "$n" = 9 -a "$(cat got)" = "$(cat "out$level.0.want")" ]
	./host game.exe "step$level" 1
	all=0 wrong=0
	for want in step"$level".*.want; do
		all=$((all + 1))
		calls "${want%.want}.dmp" >got
		cmp -s "$want" got || {
			wrong=$((wrong + 1))
			[ $wrong -gt 3 ] || { echo "    $want"; diff "$want" got | head -n 4 | sed 's/^/    /'; } >&2
		}
		rm -f "${want%.want}.dmp"
	done
	check "$level: at $all instructions, prologues and epilogues among them ($wrong wrong)" [ $all -gt 150 -a $wrong = 0 ]
done
# Nothing is guessed: without the file, or with one of another build, the place where it stopped is all.
tm-import -q out-O2.0.dmp | tm-dump -q | grep -c '^location' >got
equals "without the file" "$(cat got)" 1
cp game.exe right.exe
lld-link-19 /nodefaultlib /entry:mainCRTStartup /subsystem:console /fixed /base:0x140000000 /debug /pdb:other.pdb /out:game.exe game.o 2>err
equals "with another build's" "$(calls out-O2.0.dmp | wc -l)" 1
cp right.exe game.exe
# What -e names walks its stacks, too, in tm-symbolize and in tm-top, which reads the file a second time when no name was found.
of() { "$@" 2>>err | tm-dump -q 2>>err | sed -n 's/^location [0-9]* runtime [a-z]* //p'; }
cp out-O2.0.dmp game.dmp
equals "tm-symbolize -e" "$(of tm-symbolize -q -e game.exe game.dmp)" "$(cat out-O2.0.want)"
cp right.exe "other=name.exe"
equals "tm-symbolize -e MODULE=FILE" "$(of tm-symbolize -q -e game.exe=other=name.exe game.dmp)" "$(cat out-O2.0.want)"
equals "a file with = in its name" "$(of tm-symbolize -q -e other=name.exe game.dmp)" "$(cat out-O2.0.want)"
tm-top --by stack --csv -e game.exe game.dmp >got 2>err
check "tm-top -e: no stack has its innermost call alone" [ "$(grep -c 'only the innermost call' err)" = 0 ]
n=$(tm-dump -q <(tm-symbolize -q -e game.exe game.dmp 2>>err) | grep -c '^location')
equals "tm-top -e: calls of the deepest stack" "$(tr -dc ';\n' <got | awk '{ if (length > most) most = length } END { print most + 1 }')" "$n"
lld-link-19 /nodefaultlib /entry:mainCRTStartup /subsystem:console /fixed /base:0x140000000 /debug /pdb:other.pdb /out:game.exe game.o 2>err
equals "tm-symbolize -e, of another build" "$(of tm-symbolize -q -e game.exe game.dmp | wc -l)" 1
cp right.exe game.exe
# What it reads may be anything.
bad=0
for at in $(seq 0 61 4000); do
	cp right.exe game.exe
	printf '\377\377\377\177' | dd of=game.exe bs=1 seek="$at" conv=notrunc status=none
	(ulimit -v 2000000 && tm-import -q --unwind game.exe -o out.tmt out-O2.0.dmp 2>err)
	[ $? -le 3 ] || bad=$((bad + 1))
done
equals "a file with any four bytes changed: crashes" $bad 0
exit $failed
