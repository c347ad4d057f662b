/* SPDX-License-Identifier: MIT */
#include "lib/demangle/demangle_llvm.h"

#include "lib/base/coroutine.h"
#include "lib/base/mem.h"
#include "lib/demangle/demangle.h"

#ifdef HAVE_LIBCXXABI

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	LONGEST = 64 << 10, /* and its text, as in demangle.c: */
	LONGEST_TEXT = 256 << 10,
	SHALLOW = 2048,       /* a name of so many bytes recurses on the caller's stack */
	STACK_OF_BYTE = 2048, /* of a longer name, for each of its bytes; measured: at most 250 */
	MOST_MEMORY = 16 << 20,
	MOST_COPIED = 8 << 20, /* bytes of pieces of text, of which each counts COPY more */
	COPY = 16,
};

/* Memory that it has while it reads a name. */
struct piece {
	struct piece *next, *before;
	size_t n;
	max_align_t bytes[];
};

/* A name under way. */
struct reading {
	const char *raw;
	char *text; /* in one of the pieces; NULL: it is not mangled, or has too long a text */
	struct piece *pieces;
	size_t taken, copied;
	bool no_memory;
	jmp_buf away;
};

static _Thread_local struct reading *reading;

/* Itanium C++ ABI, section 5.1.3.5 and following: __cxa_demangle, of which malloc, realloc, free and memcpy
 * are those below (Makefile). */
char *libcxxabi_demangle(const char *mangled, char *buffer, size_t *n, int *status);
void *libcxxabi_malloc(size_t n);
void *libcxxabi_realloc(void *p, size_t n);
void libcxxabi_free(void *p);
void *libcxxabi_memcpy(void *to, const void *from, size_t n);

static struct piece *piece_of(void *p)
{
	return (struct piece *)(void *)((char *)p - offsetof(struct piece, bytes));
}

static void unlink_piece(struct piece *p)
{
	reading->taken -= p->n;
	if (p->next)
		p->next->before = p->before;
	if (p->before)
		p->before->next = p->next;
	else
		reading->pieces = p->next;
}

void *libcxxabi_malloc(size_t n)
{
	struct piece *p = NULL;

	if (n <= MOST_MEMORY - reading->taken) {
		p = malloc(offsetof(struct piece, bytes) + n);
		reading->no_memory = !p;
	}
	if (!p)
		longjmp(reading->away, 1);
	*p = (struct piece){.next = reading->pieces, .n = n};
	if (p->next)
		p->next->before = p;
	reading->pieces = p;
	reading->taken += n;
	return p->bytes;
}

void *libcxxabi_realloc(void *p, size_t n)
{
	size_t had = p ? piece_of(p)->n : 0;
	void *to = libcxxabi_malloc(n);

	if (had)
		memcpy(to, p, had < n ? had : n);
	libcxxabi_free(p);
	return to;
}

void libcxxabi_free(void *p)
{
	if (!p)
		return;
	unlink_piece(piece_of(p));
	free(piece_of(p));
}

/* It prints by this: there is no other way to stop it. */
void *libcxxabi_memcpy(void *to, const void *from, size_t n)
{
	reading->copied += n + COPY;
	if (reading->copied > MOST_COPIED)
		longjmp(reading->away, 1);
	return memcpy(to, from, n);
}

static void llvm_read(void *arg)
{
	reading = arg;
	if (!setjmp(reading->away))
		reading->text = libcxxabi_demangle(reading->raw, NULL, NULL, NULL);
}

/* raw has n bytes. */
static char *demangle_llvm_text(const char *raw, size_t n)
{
	struct reading r = {.raw = raw}, *outer = reading;
	char *text = NULL;

	if (n > SHALLOW) {
		struct coroutine *s = coroutine_new(llvm_read, &r, n * STACK_OF_BYTE);

		coroutine_resume(s);
		coroutine_free(s);
	} else {
		llvm_read(&r);
	}
	if (r.text && strlen(r.text) <= LONGEST_TEXT)
		text = mem_strdup(r.text);
	while (r.pieces)
		libcxxabi_free(r.pieces->bytes);
	reading = outer;
	if (r.no_memory)
		mem_exhausted();
	return text;
}

/* Blocks of Clang have names of two or three underscores more, "___Z3foov_block_invoke"; Mach-O puts one in
 * front of every name. */
static const char *is_block(const char *raw, size_t underscores)
{
	return underscores < 3 || !strstr(raw, "_block_invoke") ? NULL : raw + underscores - 3;
}

char *demangle_llvm(const char *raw)
{
	size_t underscores = strspn(raw, "_"), n = strnlen(raw, LONGEST + 1);
	const char *block = is_block(raw, underscores);
	char *text = NULL;

	if (underscores && n > 4 && n <= LONGEST && !strcmp(raw + n - 4, "@plt"))
		return demangle_with_suffix(raw, raw + n - 4, demangle_llvm);
	if (!strcmp(raw, "_Dmain"))
		return mem_strdup("D main");
	if (!underscores || raw[underscores] != 'Z' || n > LONGEST || demangle_is_rust(raw))
		return demangle(raw);
	if (block)
		text = demangle_llvm_text(block, n);
	if (!text)
		text = demangle_llvm_text(raw + underscores - 1, n);
	return text ? text : demangle(raw);
}

#else

char *demangle_llvm(const char *raw)
{
	return demangle(raw);
}

#endif
