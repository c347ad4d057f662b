/* SPDX-License-Identifier: MIT */
#include "lib/demangle/demangle_llvm.h"

#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/demangle/demangle.h"

#ifdef HAVE_LLVM_DEMANGLE

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

/* std::string_view of libstdc++. */
struct llvm_text {
	size_t n;
	const char *s;
};

/* A name under way. */
struct reading {
	char *(*how)(struct llvm_text);
	struct llvm_text raw;
	char *text; /* in one of the pieces; NULL: it is not mangled, or has too long a text */
	struct piece *pieces;
	size_t taken, copied;
	bool no_memory;
	jmp_buf away;
};

static _Thread_local struct reading *reading;

#define SAME_AS(f) __attribute__((alias(#f)))

/* llvm/Demangle/Demangle.h; what they need of C++ and of the C library's memory is below (Makefile). */
char *llvm_itanium(struct llvm_text mangled, bool parameters);
char *llvm_microsoft(struct llvm_text mangled, size_t *read, int *status, int flags);
char *llvm_dlang(struct llvm_text mangled);
_Noreturn void llvm_abort(void);
_Noreturn void llvm_terminate(void) SAME_AS(llvm_abort);
_Noreturn void llvm_out_of_range(void) SAME_AS(llvm_abort);
_Noreturn void llvm_string(void) SAME_AS(llvm_abort); /* it makes none */
void *llvm_malloc(size_t n);
void *llvm_new(size_t n) SAME_AS(llvm_malloc);
void *llvm_new_array(size_t n) SAME_AS(llvm_malloc);
void *llvm_realloc(void *p, size_t n);
void llvm_free(void *p);
void llvm_delete(void *p) SAME_AS(llvm_free);
void llvm_delete_array(void *p) SAME_AS(llvm_free);
void *llvm_memcpy(void *to, const void *from, size_t n);
void *llvm_memmove(void *to, const void *from, size_t n);

enum { /* as llvm-symbolizer has it */
       MSDF_NO_ACCESS = 1 << 1,
       MSDF_NO_CONVENTION = 1 << 2,
       MSDF_NO_RESULT = 1 << 3,
       MSDF_NO_MEMBER = 1 << 4,
       MICROSOFT_FLAGS = MSDF_NO_ACCESS | MSDF_NO_CONVENTION | MSDF_NO_RESULT | MSDF_NO_MEMBER,
};

/* Its classes say what they are, which nobody asks. */
extern const char llvm_class[64], llvm_derived_class[64];
const char llvm_class[64], llvm_derived_class[64];

void llvm_abort(void)
{
	longjmp(reading->away, 1);
}

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

void *llvm_malloc(size_t n)
{
	struct piece *p = NULL;

	if (n <= MOST_MEMORY - reading->taken) {
		p = malloc(offsetof(struct piece, bytes) + n);
		reading->no_memory = !p;
	}
	if (!p)
		llvm_abort();
	*p = (struct piece){.next = reading->pieces, .n = n};
	if (p->next)
		p->next->before = p;
	reading->pieces = p;
	reading->taken += n;
	return p->bytes;
}

void *llvm_realloc(void *p, size_t n)
{
	size_t had = p ? piece_of(p)->n : 0;
	void *to = llvm_malloc(n);

	if (had)
		memcpy(to, p, had < n ? had : n);
	llvm_free(p);
	return to;
}

void llvm_free(void *p)
{
	if (!p)
		return;
	unlink_piece(piece_of(p));
	free(piece_of(p));
}

/* It prints by these: there is no other way to stop it. */
static void count_copied(size_t n)
{
	reading->copied += n + COPY;
	if (reading->copied > MOST_COPIED)
		llvm_abort();
}

void *llvm_memcpy(void *to, const void *from, size_t n)
{
	count_copied(n);
	return memcpy(to, from, n);
}

void *llvm_memmove(void *to, const void *from, size_t n)
{
	count_copied(n);
	return memmove(to, from, n);
}

static char *read_itanium(struct llvm_text raw)
{
	return llvm_itanium(raw, true);
}

static char *read_microsoft(struct llvm_text raw)
{
	return llvm_microsoft(raw, NULL, NULL, MICROSOFT_FLAGS);
}

static void llvm_read(size_t item, unsigned worker, void *arg)
{
	(void)item;
	(void)worker;
	reading = arg; /* of its thread */
	if (!setjmp(reading->away))
		reading->text = reading->how(reading->raw);
}

static char *demangle_llvm_text(char *(*how)(struct llvm_text), const char *raw)
{
	size_t n = strnlen(raw, LONGEST + 1);
	struct reading r = {.how = how, .raw = {n, raw}}, *outer = reading;
	char *text = NULL;

	if (n > LONGEST)
		return NULL;
	reading = &r;
	if (n > SHALLOW)
		pool_run_deep(n * STACK_OF_BYTE, llvm_read, &r);
	else
		llvm_read(0, 0, &r);
	if (r.text && strlen(r.text) <= LONGEST_TEXT)
		text = mem_strdup(r.text);
	while (r.pieces)
		llvm_free(r.pieces->bytes);
	reading = outer;
	if (r.no_memory)
		mem_exhausted();
	return text;
}

char *demangle_microsoft(const char *raw)
{
	return *raw == '?' ? demangle_llvm_text(read_microsoft, raw) : NULL;
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
	if (!strncmp(raw, "_D", 2))
		return demangle_llvm_text(llvm_dlang, raw);
	if (!underscores || raw[underscores] != 'Z' || demangle_is_rust(raw))
		return demangle(raw);
	if (block)
		text = demangle_llvm_text(read_itanium, block);
	if (!text)
		text = demangle_llvm_text(read_itanium, raw + underscores - 1);
	return text ? text : demangle(raw);
}

#else

char *demangle_microsoft(const char *raw)
{
	(void)raw;
	return NULL;
}

char *demangle_llvm(const char *raw)
{
	return demangle(raw);
}

#endif
