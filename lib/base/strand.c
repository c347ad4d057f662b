/* SPDX-License-Identifier: MIT */
#include "lib/base/strand.h"

#include "lib/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

struct strand {
	ucontext_t here, caller;
	void (*run)(void *arg);
	void *arg;
	char *stack; /* a page that must not be touched, and STRAND_STACK bytes */
	size_t size;
	bool over;
};

/* makecontext hands on ints. */
static void strand_begin(unsigned high, unsigned low)
{
	struct strand *s = (struct strand *)((uintptr_t)((uint64_t)high << 32 | low));

	s->run(s->arg);
	s->over = true;
}

struct strand *strand_new(void (*run)(void *arg), void *arg)
{
	struct strand *s = mem_zalloc(sizeof *s);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t self = (uintptr_t)s;

	s->run = run;
	s->arg = arg;
	s->size = STRAND_STACK + page;
	s->stack = mmap(NULL, s->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->stack == MAP_FAILED || mprotect(s->stack, page, PROT_NONE) || getcontext(&s->here))
		mem_exhausted();
	s->here.uc_stack.ss_sp = s->stack + page;
	s->here.uc_stack.ss_size = STRAND_STACK;
	s->here.uc_link = &s->caller;
	makecontext(&s->here, (void (*)(void))strand_begin, 2, (unsigned)(self >> 32),
		    (unsigned)self);
	return s;
}

bool strand_go_on(struct strand *s)
{
	if (!s->over)
		swapcontext(&s->caller, &s->here);
	return !s->over;
}

void strand_wait(struct strand *s)
{
	swapcontext(&s->here, &s->caller);
}

void strand_free(struct strand *s)
{
	if (!s)
		return;
	munmap(s->stack, s->size);
	free(s);
}
