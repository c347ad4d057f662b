/* SPDX-License-Identifier: MIT
 *
 * The answers of an engine in memory (engine.h): calls, texts and notes on faults.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/dwarf/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dwarf_answers_init(struct dwarf_answers *a, size_t n)
{
	*a = (struct dwarf_answers){.n = n};
	store_init(&a->store);
	a->of = pages_array(n, sizeof *a->of);
	memset(a->of, 0, n * sizeof *a->of);
	VEC_PUSH(a->calls, a->n_calls, a->cap_calls) = (struct dwarf_call){0};
}

void dwarf_answers_release(struct dwarf_answers *a)
{
	store_release(&a->store);
	intern_release(&a->strings);
	id_set_release(&a->call_ids);
	free(a->calls);
	free(a->extras);
	free(a->of);
	free(a->complaints);
	*a = (struct dwarf_answers){0};
}

static uint64_t answers_call_hash(const void *table, uint32_t id)
{
	const struct dwarf_answers *a = table;

	return hash_bytes(&a->calls[id], sizeof *a->calls);
}

static bool answers_call_equal(const void *table, uint32_t id, const void *key)
{
	const struct dwarf_answers *a = table;

	return !memcmp(&a->calls[id], key, sizeof *a->calls);
}

static const struct id_rows call_rows = {answers_call_hash, answers_call_equal};

void dwarf_answers_reserve_calls(struct dwarf_answers *a, size_t n)
{
	id_set_reserve(&a->call_ids, n, &call_rows, a);
}

uint32_t dwarf_answers_call(struct dwarf_answers *a, const struct dwarf_call *c)
{
	uint64_t hash = hash_bytes(c, sizeof *c);
	uint32_t id = id_set_find(&a->call_ids, &call_rows, a, hash, c);

	if (!id) {
		VEC_PUSH(a->calls, a->n_calls, a->cap_calls) = *c;
		id = (uint32_t)a->n_calls - 1;
		id_set_add(&a->call_ids, &call_rows, a, hash, id);
	}
	return id;
}

uint32_t dwarf_extras_add(struct dwarf_extra **all, size_t *n, size_t *cap,
			  const struct dwarf_extra *x)
{
	static const struct dwarf_extra nothing = {.start = DWARF_NO_START};
	enum { BACK = 32 }; /* equal ones are neighbours, mostly; two equal ones do no harm */

	if (!memcmp(x, &nothing, sizeof *x) || *n >= UINT32_MAX)
		return 0;
	if (!*n)
		VEC_PUSH(*all, *n, *cap) = nothing;
	for (size_t i = *n - 1; i && i + BACK >= *n; i--) {
		if (!memcmp(&(*all)[i], x, sizeof *x))
			return (uint32_t)i;
	}
	VEC_PUSH(*all, *n, *cap) = *x;
	return (uint32_t)*n - 1;
}

static uint32_t adopt_text(struct dwarf_answers *a, const struct dwarf_answers *from, uint32_t id)
{
	size_t n;
	const char *t = dwarf_text(from, id, &n);

	return id ? intern_add(&a->strings, t, n) : 0;
}

static uint32_t adopt_extra(struct dwarf_answers *a, const struct dwarf_answers *from,
			    const struct dwarf_call *c)
{
	struct dwarf_extra x = dwarf_extra_of(from, c);

	if (a->bare)
		return x.discriminator;
	x.name = adopt_text(a, from, x.name);
	x.file = adopt_text(a, from, x.file);
	return dwarf_extras_add(&a->extras, &a->n_extras, &a->cap_extras, &x);
}

uint32_t dwarf_answers_adopt(struct dwarf_answers *a, const struct dwarf_answers *from,
			     uint32_t *ids, uint32_t *path, uint32_t call)
{
	struct dwarf_call made;
	uint32_t outer = 0;
	size_t n = 0;

	for (; dwarf_call_at(from, call, &made); call = dwarf_outer(&made, call)) {
		outer = ids[dwarf_call_slot(from, call)];
		if (outer)
			break;
		path[n++] = call;
	}
	while (n) {
		dwarf_call_at(from, path[--n], &made);
		made.outer = outer;
		made.extra = adopt_extra(a, from, &made);
		made.function = adopt_text(a, from, made.function);
		made.file = adopt_text(a, from, made.file);
		outer = ids[dwarf_call_slot(from, path[n])] = dwarf_answers_call(a, &made);
	}
	return outer;
}

void dwarf_answers_complain(struct dwarf_answers *a, const char *text, size_t n)
{
	struct buf b = BUF_INIT;
	uint32_t id;

	buf_add_escaped(&b, text, n);
	id = intern_add(&a->strings, b.data ? b.data : "", b.len);
	buf_release(&b);
	for (size_t i = 0; i < a->n_complaints; i++) {
		if (a->complaints[i] == id)
			return;
	}
	VEC_PUSH(a->complaints, a->n_complaints, a->cap_complaints) = id;
}

void dwarf_answers_complain_of(struct dwarf_answers *a, size_t *n, const char *fmt, va_list args)
{
	enum { MOST = 64 };
	char text[400];
	int length;

	if ((*n)++ > MOST)
		return;
	length = *n > MOST ? snprintf(text, sizeof text, "more complaints like these")
			   : vsnprintf(text, sizeof text, fmt, args);
	dwarf_answers_complain(a, text,
			       length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}
