/* SPDX-License-Identifier: MIT
 *
 * stray MODULE: blocks whose caller has a frame that the program made up: the return address in it
 * is code, or not. Prints a line for each: its size, how many locations a walk by frame pointers
 * can know, and what the word is. MODULE has a function stray_code.
 *
 * stray: DEPTHS blocks of 500 bytes, the first in a call of its own, each next one call deeper.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { DEPTHS = 30, KNOWN = 2 };

static size_t size = 1000;
static void *volatile block;

/* Called by what is below, whose frame pointer is not one of a compiler's. */
__attribute__((used, noinline)) void stray_block(void)
{
	block = malloc(size);
	free(block);
}

/* with_frame(f): stray_block() with f in the register of the frame pointer. */
void with_frame(const uintptr_t *frame);
#if defined __x86_64__
__asm__(".text\n.type with_frame,@function\nwith_frame:\n"
	"push %rbp\nmov %rdi,%rbp\ncall stray_block\npop %rbp\nret\n"
	".size with_frame,.-with_frame\n");
#elif defined __aarch64__
__asm__(".text\n.type with_frame,%function\nwith_frame:\n"
	"stp x29,x30,[sp,-16]!\nmov x29,x0\nbl stray_block\nldp x29,x30,[sp],16\nret\n"
	".size with_frame,.-with_frame\n");
#else
void with_frame(const uintptr_t *frame)
{
	(void)frame;
	puts("no code for this machine");
	exit(0);
}
#endif

static void stray(uintptr_t word, int more, const char *what)
{
	uintptr_t frame[] = {0, word, 0, 0};

	with_frame(frame);
	printf("%zu %d %s\n", size++, KNOWN + more, what);
}

/* A block of another size: it is not known how much of its stack is. */
static void unknown(uintptr_t word)
{
	uintptr_t frame[] = {0, word, 0, 0};
	size_t before = size;

	size = 700;
	with_frame(frame);
	size = before;
}

static void wait_a_little(void)
{
	struct timespec t = {0, 600000000};

	nanosleep(&t, NULL);
}

static void words(const char *path)
{
	static int data;
	static const int constant = 1;
	char *page =
	    mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *made = mmap(NULL, 1 << 16, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *module, *heap = malloc(77);
	uintptr_t code = 0;

	stray(0x22, 0, "a small number");
	stray(0x123456, 0, "a number");
	stray((uintptr_t)-1, 0, "a negative number");
	stray((uintptr_t)0xdead0000beef0000, 0, "no address of this machine");
	stray((uintptr_t)heap, 0, "a block");
	stray((uintptr_t)&heap, 0, "a variable");
	stray((uintptr_t)&data, 0, "data of the program");
	stray((uintptr_t)&constant, 0, "a constant");
	stray((uintptr_t)(page + 100), 0, "a mapping");
	stray((uintptr_t)words + 4, 1, "code of the program");
	stray((uintptr_t)qsort + 4, 1, "code of the C library");
	stray((uintptr_t)(made + 100), 1, "code that was made just now");
	for (int i = 0; i < 3; i++) {
		module = dlopen(path, RTLD_NOW);
		code = module ? (uintptr_t)dlsym(module, "stray_code") : 0;
		stray(code + 4, 1, "code of a module that came just now");
		if (module)
			dlclose(module);
		stray(code + 4, 0, "where a module was");
	}
	wait_a_little();
	stray((uintptr_t)(page + 100), 0, "a mapping, later");
	mprotect(page, 1 << 16, PROT_READ | PROT_EXEC);
	unknown((uintptr_t)(page + 100));
	wait_a_little();
	stray((uintptr_t)(page + 100), 1, "a mapping that has become code");
	free(heap);
}

__attribute__((noinline)) static int down(int n)
{
	if (n)
		return down(n - 1) + 1;
	block = malloc(500);
	free(block);
	return 0;
}

int main(int argc, char **argv)
{
	volatile int sum = 0;

	if (argc > 1)
		words(argv[1]);
	for (int i = 0; i < DEPTHS && argc < 2; i++)
		sum += down(i);
	return 0;
}
