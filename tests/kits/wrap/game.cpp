// SPDX-License-Identifier: MIT
//
// Functions whose arguments, results, ends and first instructions are of each kind that --wrap-at must keep. How often each
// is called is in tests/sh/record_wrap.sh.
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

static volatile int counter = 7; // found relative to the instruction
static jmp_buf env;
static ucontext_t outside, fiber;

struct big {
	long a[6];
};

extern "C" {
APART int first(int n)
{
	return counter = counter + n;
}
APART double floats(double a, float b, int c, double d)
{
	return a * b + c - d;
}
APART big by_memory(long x)
{
	return {{x, x + 1, x + 2, x + 3, x + 4, x + 5}};
}
APART int variable(const char *types, ...)
{
	va_list v;
	int sum = 0;

	va_start(v, types);
	for (; *types; types++)
		sum += *types == 'i' ? va_arg(v, int) : static_cast<int>(va_arg(v, double));
	va_end(v);
	return sum;
}
APART long eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
APART long double extended(long double x)
{
	return x * 2;
}
APART int recurse(int n)
{
	return n ? recurse(n - 1) + counter - counter + 1 : 0;
}
APART void *allocates(size_t n)
{
	void *volatile p = std::malloc(n);

	return p;
}
APART void throws(int n)
{
	if (n > 2)
		throw std::runtime_error("as planned");
	counter = counter + n;
}
APART int catches(int n)
{
	try {
		throws(n);
	} catch (const std::exception &) {
		return -1;
	}
	return n;
}
APART void jumps(int n)
{
	if (n > 2)
		longjmp(env, n);
	counter = counter + n;
}
APART void sleeps(int ms)
{
	usleep(static_cast<useconds_t>(ms) * 1000);
	counter = counter + 1;
}
APART void on_fiber(int n)
{
	swapcontext(&fiber, &outside); // goes on in another thread
	counter = counter + n;
}
// What cannot be wrapped: a loop to the second instruction, a branch without a longer form, and less than 5 bytes; and what
// can: a call at first.
int loops(int n), branches(int n), tiny(int n), calls_first(int n);
}
__asm__(".text\n"
	".globl loops\n.type loops, @function\nloops: xor %eax, %eax\n1: inc %eax\n dec %edi\n jnz "
	"1b\n ret\n.size loops, . - loops\n"
	".globl branches\n.type branches, @function\nbranches: jrcxz 1f\n1: mov %edi, %eax\n nop\n "
	"nop\n nop\n ret\n.size branches, . - branches\n"
	".globl tiny\n.type tiny, @function\ntiny: mov %edi, %eax\n ret\n.size tiny, . - tiny\n"
	".globl calls_first\n.type calls_first, @function\ncalls_first: call tiny\n inc %eax\n "
	"ret\n.size calls_first, . - calls_first\n"
	".section .note.GNU-stack, \"\", @progbits\n.text\n");

static APART int hidden(int a)
{
	return counter - a;
}

static void fiber_begin()
{
	on_fiber(5);
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	std::vector<std::thread> threads;
	int sum = 0;
	volatile int jumped = 0;

	std::printf("%d %.3f %ld %d\n", first(1), floats(1.5, 2.5f, 3, 4.25), by_memory(10).a[5],
		    variable("idi", 1, 2.5, 3));
	std::printf("%ld %.1Lf %d\n", eight(1, 2, 3, 4, 5, 6, 7, 8), extended(1.25L),
		    recurse(argc > 1 ? std::atoi(argv[1]) : 100));
	std::free(allocates(12345));
	for (int i = 0; i < 6; i++)
		sum += catches(i);
	for (volatile int i = 0; i < 6; i = i + 1)
		if (!setjmp(env))
			jumps(i);
		else
			jumped = jumped + 1;
	std::printf("%d %d %d\n", sum, jumped, hidden(3));
	for (int k = 0; k < 4; k++)
		threads.emplace_back([] {
			for (int i = 0; i < 1000; i++) {
				volatile double kept = floats(i, 1, 2, 3) + recurse(i % 10);

				(void)kept;
			}
		});
	for (auto &t : threads)
		t.join();
	sleeps(50);
	getcontext(&fiber);
	fiber.uc_stack.ss_sp = stack;
	fiber.uc_stack.ss_size = sizeof stack;
	fiber.uc_link = &outside;
	makecontext(&fiber, fiber_begin, 0);
	swapcontext(&outside, &fiber);
	std::thread([] { swapcontext(&outside, &fiber); }).join();
	std::printf("%d %d %d %d\n", loops(3), branches(4), tiny(5), calls_first(6));
	return 0;
}
