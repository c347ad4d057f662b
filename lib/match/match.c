/* SPDX-License-Identifier: MIT */
#include "lib/match/match.h"

#include "lib/base/mem.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* About 50 ms of backtracking; names take a few hundred steps. */
enum { MATCH_STEPS = 2000000, MATCH_HEAP_KIB = 16 << 10, JIT_STACK_MAX = 1 << 20 };

struct match {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	uint64_t gave_up;
};

struct match *match_new(const char *pattern, size_t n, unsigned flags, struct err *e)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
			   (flags & MATCH_LITERAL ? PCRE2_LITERAL : 0) |
			   (flags & MATCH_CASELESS ? PCRE2_CASELESS : 0);
	struct match *m;
	pcre2_code *code;
	PCRE2_SIZE at = 0;
	int error = 0;

	/* PCRE2_LITERAL tolerates few companions. */
	if (flags & MATCH_LITERAL)
		options &= ~(uint32_t)PCRE2_NEVER_BACKSLASH_C;
	code = pcre2_compile((PCRE2_SPTR)pattern, n, options, &error, &at, NULL);
	if (!code) {
		PCRE2_UCHAR text[200];

		if (error == PCRE2_ERROR_NOMEMORY)
			mem_array(SIZE_MAX, 2); /* memory that runs out has one end */
		pcre2_get_error_message(error, text, sizeof text);
		err_set(e, ST_BAD, "column %zu: %s", at + 1, (const char *)text);
		return NULL;
	}
	m = mem_zalloc(sizeof *m);
	m->code = code;
	/* Without a JIT (a hardened kernel refuses its memory) pcre2 interprets. */
	if (!pcre2_jit_compile(code, PCRE2_JIT_COMPLETE))
		m->stack = pcre2_jit_stack_create(32 << 10, JIT_STACK_MAX, NULL);
	m->data = pcre2_match_data_create(1, NULL);
	m->context = pcre2_match_context_create(NULL);
	if (!m->data || !m->context)
		mem_array(SIZE_MAX, 2);
	pcre2_set_match_limit(m->context, MATCH_STEPS);
	pcre2_set_heap_limit(m->context, MATCH_HEAP_KIB);
	if (m->stack)
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	pcre2_code_free(m->code);
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->context);
	pcre2_jit_stack_free(m->stack);
	free(m);
}

bool match_test(struct match *m, const char *s, size_t n)
{
	int r = pcre2_match(m->code, (PCRE2_SPTR)(s ? s : ""), n, 0, 0, m->data, m->context);

	if (r < 0 && r != PCRE2_ERROR_NOMATCH)
		m->gave_up++;
	return r >= 0;
}

uint64_t match_gave_up(const struct match *m)
{
	return m->gave_up;
}
