/* SPDX-License-Identifier: MIT */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/dwarf/engine.h"

#include <stdlib.h>
#include <string.h>

void dwarf_answers_init(struct dwarf_answers *a, size_t n)
{
	*a = (struct dwarf_answers){.n = n};
	a->of = mem_zarray(n, sizeof *a->of);
	VEC_PUSH(a->calls, a->n_calls, a->cap_calls) = (struct dwarf_call){0};
}

void dwarf_answers_release(struct dwarf_answers *a)
{
	intern_release(&a->strings);
	map64_release(&a->call_ids);
	free(a->calls);
	free(a->of);
	free(a->complaints);
	*a = (struct dwarf_answers){0};
}

uint32_t dwarf_answers_call(struct dwarf_answers *a, const struct dwarf_call *c)
{
	for (uint64_t key = hash_bytes(c, sizeof *c);; key++) {
		uint32_t *id = map64_put(&a->call_ids, key);

		if (!*id) {
			*id = (uint32_t)a->n_calls;
			VEC_PUSH(a->calls, a->n_calls, a->cap_calls) = *c;
			return (uint32_t)a->n_calls - 1;
		}
		if (!memcmp(&a->calls[*id], c, sizeof *c))
			return *id;
	}
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
