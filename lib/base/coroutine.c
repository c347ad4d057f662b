/* SPDX-License-Identifier: MIT */
#include "lib/base/coroutine.h"

#include "lib/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* AddressSanitizer hears of each change of the stack, where it is in the program: it keeps variables apart and
 * takes those of another stack for gone. */
extern void __sanitizer_start_switch_fiber(void **kept, const void *to, size_t size)
    __attribute__((weak));
extern void __sanitizer_finish_switch_fiber(void *kept, const void **from, size_t *size)
    __attribute__((weak));

struct coroutine {
	ucontext_t here, caller;
	void *here_kept, *caller_kept; /* AddressSanitizer's, as are these: */
	const void *caller_stack;
	size_t caller_size;
	void (*run)(void *arg);
	void *arg;
	char *stack; /* a page that must not be touched, and the stack */
	size_t size;
	bool over;
};

static void leave_stack(void **kept, const void *to, size_t size)
{
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(kept, to, size);
}

static void enter_stack(void *kept, const void **from, size_t *size)
{
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(kept, from, size);
}

/* makecontext hands on ints. */
static void coroutine_begin(unsigned high, unsigned low)
{
	struct coroutine *s = (struct coroutine *)((uintptr_t)((uint64_t)high << 32 | low));

	enter_stack(NULL, &s->caller_stack, &s->caller_size);
	s->run(s->arg);
	s->over = true;
	leave_stack(NULL, s->caller_stack, s->caller_size);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void make_stack(struct coroutine *s, size_t size)
{
	size_t page = page_size();

	s->size = ((size + page - 1) & ~(page - 1)) + page;
	s->stack = mmap(NULL, s->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->stack == MAP_FAILED || mprotect(s->stack, page, PROT_NONE))
		mem_exhausted();
}

/* A context may return twice: what is needed behind getcontext is in s. */
static void make_context(struct coroutine *s)
{
	uint64_t self = (uintptr_t)s;

	if (getcontext(&s->here))
		mem_exhausted();
	s->here.uc_stack.ss_sp = s->stack + page_size();
	s->here.uc_stack.ss_size = s->size - page_size();
	s->here.uc_link = &s->caller;
	makecontext(&s->here, (void (*)(void))coroutine_begin, 2, (unsigned)(self >> 32),
		    (unsigned)self);
}

struct coroutine *coroutine_new(void (*run)(void *arg), void *arg, size_t stack)
{
	struct coroutine *s = mem_zalloc(sizeof *s);

	s->run = run;
	s->arg = arg;
	make_stack(s, stack);
	make_context(s);
	return s;
}

bool coroutine_resume(struct coroutine *s)
{
	if (!s->over) {
		leave_stack(&s->caller_kept, s->here.uc_stack.ss_sp, s->here.uc_stack.ss_size);
		swapcontext(&s->caller, &s->here);
		enter_stack(s->caller_kept, NULL, NULL);
	}
	return !s->over;
}

void coroutine_yield(struct coroutine *s)
{
	leave_stack(&s->here_kept, s->caller_stack, s->caller_size);
	swapcontext(&s->here, &s->caller);
	enter_stack(s->here_kept, &s->caller_stack, &s->caller_size);
}

void coroutine_free(struct coroutine *s)
{
	if (!s)
		return;
	munmap(s->stack, s->size);
	free(s);
}
