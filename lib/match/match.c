/* SPDX-License-Identifier: MIT */
#include "lib/match/match.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/match/near.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* About 50 ms of backtracking; names take a few hundred steps. */
enum { MATCH_STEPS = 2000000, MATCH_HEAP_KIB = 16 << 10 };

struct match {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	struct match_place from;
	char *pattern, *name; /* from.name is name */
	uint64_t timed_out;
	struct match_option *option; /* NULL: it is of a file */
};

/* This thread's, until it ends: a program's, or a question's. */
struct match_option {
	struct match_nothing use;
	struct near near;
};
static _Thread_local struct match_option **asked;
static _Thread_local size_t n_asked, cap_asked;
static _Thread_local struct match_timeout *timeouts;
static _Thread_local size_t n_timeouts, cap_timeouts;
static _Thread_local uint64_t all_timed_out;

static void *match_alloc(size_t n, void *arg)
{
	(void)arg;
	return mem_alloc(n);
}

static void match_free_block(void *p, void *arg)
{
	(void)arg;
	free(p);
}

/* Memory that runs out has one end, in pcre2 too: of its ways to say so some read like a fault of
 * the pattern. They live as long as the thread. */
static _Thread_local pcre2_general_context *memory;
static _Thread_local pcre2_compile_context *compiling;

static void match_lend_memory(void)
{
	memory = pcre2_general_context_create(match_alloc, match_free_block, NULL);
	compiling = pcre2_compile_context_create(memory);
}

/* Equal ones are one: a policy, or a second reading, asks the same again. */
static struct match_option *option_of(const struct match *m, unsigned flags)
{
	struct match_option *o;

	if (m->from.line || strncmp(m->name, "--", 2) != 0)
		return NULL;
	for (size_t i = 0; i < n_asked; i++)
		if (!strcmp(asked[i]->use.option, m->name) &&
		    !strcmp(asked[i]->use.pattern, m->pattern))
			return asked[i];
	o = mem_zalloc(sizeof *o);
	near_init(&o->near, m->pattern, strlen(m->pattern), !(flags & MATCH_LITERAL));
	o->use = (struct match_nothing){
	    .option = mem_strdup(m->name), .pattern = mem_strdup(m->pattern), .near = o->near.name};
	VEC_PUSH(asked, n_asked, cap_asked) = o;
	return o;
}

struct match *match_new(struct match_place from, const char *pattern, size_t n, unsigned flags,
			struct err *e)
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
	if (!memory)
		match_lend_memory();
	code = pcre2_compile((PCRE2_SPTR)pattern, n, options, &error, &at, compiling);
	if (!code) {
		PCRE2_UCHAR text[200];

		pcre2_get_error_message(error, text, sizeof text);
		err_set(e, ST_BAD, "column %zu: %s", at + 1, (const char *)text);
		return NULL;
	}
	m = mem_zalloc(sizeof *m);
	m->code = code;
	m->name = mem_strdup(from.name);
	m->from = (struct match_place){m->name, from.line};
	m->pattern = mem_zalloc(n + 1);
	if (n)
		memcpy(m->pattern, pattern, n);
	m->option = option_of(m, flags);
	m->data = pcre2_match_data_create(1, memory);
	m->context = pcre2_match_context_create(memory);
	pcre2_set_match_limit(m->context, MATCH_STEPS);
	pcre2_set_heap_limit(m->context, MATCH_HEAP_KIB);
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	pcre2_code_free(m->code);
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->context);
	free(m->name);
	free(m->pattern);
	free(m);
}

static void add_timeout(struct match *m)
{
	size_t i = 0;

	m->timed_out++;
	all_timed_out++;
	while (i < n_timeouts && (timeouts[i].from.line != m->from.line ||
				  strcmp(timeouts[i].from.name, m->name) != 0 ||
				  strcmp(timeouts[i].pattern, m->pattern) != 0))
		i++;
	if (i == n_timeouts)
		VEC_PUSH(timeouts, n_timeouts, cap_timeouts) = (struct match_timeout){
		    {mem_strdup(m->name), m->from.line}, mem_strdup(m->pattern), 0};
	timeouts[i].times++;
}

bool match_test(struct match *m, const char *s, size_t n)
{
	int r;

	resource_scope_poll();
	r = pcre2_match(m->code, (PCRE2_SPTR)(s ? s : ""), n, 0, 0, m->data, m->context);
	if (r < 0 && r != PCRE2_ERROR_NOMATCH)
		add_timeout(m);
	if (m->option && !m->option->use.matched && n) {
		m->option->use.asked = true;
		m->option->use.matched = r >= 0;
		near_try(&m->option->near, s, n);
	}
	return r >= 0;
}

bool match_may_begin(const struct match *m, char c)
{
	const uint8_t *bits = NULL;
	uint32_t kind = 0, first = 0;

	pcre2_pattern_info(m->code, PCRE2_INFO_FIRSTBITMAP, &bits);
	if (bits)
		return bits[(unsigned char)c / 8] >> (unsigned char)c % 8 & 1;
	pcre2_pattern_info(m->code, PCRE2_INFO_FIRSTCODETYPE, &kind);
	pcre2_pattern_info(m->code, PCRE2_INFO_FIRSTCODEUNIT, &first);
	/* it may be meant in both cases, which pcre2 does not say */
	return kind != 1 || first >= 0x80 || (first | 0x20) == ((unsigned char)c | 0x20);
}

bool match_may_go_on(struct match *m, const char *s, size_t n)
{
	return pcre2_match(m->code, (PCRE2_SPTR)s, n, 0, PCRE2_ANCHORED | PCRE2_PARTIAL_HARD,
			   m->data, m->context) != PCRE2_ERROR_NOMATCH;
}

bool match_test_at(struct match *m, const char *s, size_t n, size_t at)
{
	int r = pcre2_match(m->code, (PCRE2_SPTR)(s ? s : ""), n, at, PCRE2_ANCHORED, m->data,
			    m->context);

	if (r < 0 && r != PCRE2_ERROR_NOMATCH)
		add_timeout(m);
	/* pcre2 steps over what is not UTF-8, and begins behind it */
	return r >= 0 && pcre2_get_ovector_pointer(m->data)[0] == at;
}

bool match_covers(struct match *m, const char *s, size_t n, size_t from, size_t to)
{
	size_t at = 0;

	while (at <= from) {
		int r = pcre2_match(m->code, (PCRE2_SPTR)s, n, at, 0, m->data, m->context);
		const PCRE2_SIZE *found = pcre2_get_ovector_pointer(m->data);

		if (r < 0 && r != PCRE2_ERROR_NOMATCH)
			add_timeout(m);
		if (r < 0 || found[0] > from)
			return false;
		if (found[1] >= to) {
			if (m->option)
				m->option->use.matched = true;
			return true;
		}
		at = found[0] + 1;
	}
	return false;
}

bool match_unmatched(const struct match *m)
{
	return m->option && !m->option->use.matched;
}

const struct match_nothing *match_option_at(size_t i)
{
	return i < n_asked ? &asked[i]->use : NULL;
}

uint64_t match_timed_out(const struct match *m)
{
	return m->timed_out;
}

const char *match_pattern(const struct match *m)
{
	return m->pattern;
}

size_t match_all_timeouts(const struct match_timeout **items)
{
	*items = timeouts;
	return n_timeouts;
}

uint64_t match_all_timed_out(void)
{
	return all_timed_out;
}
