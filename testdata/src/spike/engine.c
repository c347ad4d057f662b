/* SPDX-License-Identifier: MIT
 *
 * A pool allocator of an engine, patched as LoliProfiler's documentation patches MallocBinned2:
 * each block that it hands out or takes back is reported by loli_alloc_ptr and loli_free_ptr. With
 * -DOWN the engine has these names, and the hooks of instrumented functions, itself; else they are
 * the capture library's. pool.c uses it.
 *
 * The pool takes 64 KiB from malloc at a time and cuts them into blocks of 32, 64, 128 ... bytes.
 */
#include "testdata/src/spike/engine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HOOK   __attribute__((no_instrument_function))
#define PUBLIC __attribute__((visibility("default")))

#ifdef OWN
static HOOK __attribute__((noinline)) void nobody_alloc(void *p, size_t n)
{
	(void)p;
	(void)n;
}

static HOOK __attribute__((noinline)) void nobody_free(void *p)
{
	(void)p;
}

void (*loli_alloc_ptr)(void *, size_t) = nobody_alloc;
void (*loli_free_ptr)(void *) = nobody_free;

PUBLIC HOOK void loli_set_allocandfree(void (*alloc)(void *, size_t), void (*to_free)(void *))
{
	loli_alloc_ptr = alloc;
	loli_free_ptr = to_free;
}

/* Downwards, so that the innermost call is first. */
enum { DEPTH = 128 };
struct calls {
	void *function[DEPTH];
	int next;
};
static __thread struct calls *mine;
static void (*ignore)(bool);

static HOOK struct calls *calls(void)
{
	if (!mine) { /* which is what the agent is to ignore */
		if (ignore)
			ignore(true);
		mine = malloc(sizeof *mine);
		if (ignore)
			ignore(false);
		mine->next = DEPTH;
	}
	return mine;
}

void __cyg_profile_func_enter(void *function, void *site);
PUBLIC HOOK void __cyg_profile_func_enter(void *function, void *site)
{
	struct calls *c = calls();

	(void)site;
	if (c->next > 0)
		c->function[--c->next] = function;
}

void __cyg_profile_func_exit(void *function, void *site);
PUBLIC HOOK void __cyg_profile_func_exit(void *function, void *site)
{
	struct calls *c = calls();

	(void)function;
	(void)site;
	if (c->next < DEPTH)
		c->next++;
}

PUBLIC HOOK int get_stack_backtrace(void **entry, int max)
{
	struct calls *c = calls();
	int n = DEPTH - c->next < max ? DEPTH - c->next : max;

	if (n > 0)
		memcpy(entry, &c->function[c->next], sizeof *entry * (size_t)n);
	return n;
}

PUBLIC HOOK void set_loli_ignore_func(void (*f)(bool))
{
	ignore = f;
}
#else
extern void (*loli_alloc_ptr)(void *, size_t);
extern void (*loli_free_ptr)(void *);
#endif

enum { CLASSES = 8, CHUNK = 64 << 10 };

struct block { /* in front of each: its class while it is used, the next one while it is free */
	uint64_t class;
	struct block *next;
};
static struct block *unused[CLASSES];

HOOK static int class_of(size_t n)
{
	int c = 0;

	while (c < CLASSES - 1 && (size_t)32 << c < n)
		c++;
	return c;
}

HOOK static struct block *cut(int class)
{
	size_t each = sizeof(struct block) + ((size_t)32 << class);
	unsigned char *chunk = malloc(CHUNK);

	for (size_t at = 0; chunk && at + each <= CHUNK; at += each) {
		struct block *b = (struct block *)(chunk + at);

		b->class = (uint64_t) class;
		b->next = unused[class];
		unused[class] = b;
	}
	return unused[class];
}

PUBLIC void *EngineMalloc(size_t n)
{
	int class = class_of(n);
	struct block *b = unused[class] ? unused[class] : cut(class);

	if (!b)
		return NULL;
	unused[class] = b->next;
	loli_alloc_ptr(b + 1, n);
	return b + 1;
}

PUBLIC void EngineFree(void *p)
{
	struct block *b = p;

	loli_free_ptr(p); /* NULL too, as in the patch */
	if (!b)
		return;
	b[-1].next = unused[b[-1].class];
	unused[b[-1].class] = b - 1;
}

/* As the patch has it: freed before, allocated behind. */
PUBLIC void *EngineRealloc(void *p, size_t n)
{
	struct block *b = p;
	void *to;

	loli_free_ptr(p);
	if (p && n <= (size_t)32 << b[-1].class) {
		to = p;
		loli_alloc_ptr(to, n);
	} else {
		to = EngineMalloc(n);
		if (to && p) {
			memcpy(to, p, (size_t)32 << b[-1].class);
			b[-1].next = unused[b[-1].class];
			unused[b[-1].class] = b - 1;
		}
	}
	return to;
}
