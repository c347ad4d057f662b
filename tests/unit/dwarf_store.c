/* SPDX-License-Identifier: MIT
 *
 * Stores of calls and texts (lib/dwarf/store.h), and calls adopted from other answers.
 */
#include "lib/base/mem.h"
#include "lib/dwarf/engine.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = 3 * STORE_BLOCK + 5 };

/* Two writers in turn: chains of three calls, each with a text of its own that says its number. */
TEST(what_is_stored_stays)
{
	struct dwarf_answers a;
	struct store_writer w[2];
	uint32_t *ids = mem_array(MANY, sizeof *ids);
	size_t wrong = 0;

	dwarf_answers_init(&a, 0);
	a.bare = true;
	for (size_t k = 0; k < 2; k++)
		w[k] = (struct store_writer){.store = &a.store};
	for (uint32_t i = 0; i < MANY; i++) {
		struct dwarf_call c = {.line = i + 1, .extra = i % 3};
		char text[20];
		int n = snprintf(text, sizeof text, "name %u", i);

		/* outer: what the same writer has written before */
		c.outer = i / 2 % 3 ? ids[i - 2] : 0;
		c.function = store_copy(&w[i % 2], text, (size_t)n);
		ids[i] = store_call(&w[i % 2], &c);
	}
	for (size_t k = 0; k < 2; k++)
		store_writer_done(&w[k]);
	for (uint32_t i = 0; i < MANY; i++) {
		const struct dwarf_call *c = dwarf_call_at(&a, ids[i]);
		char text[20];
		size_t n;

		snprintf(text, sizeof text, "name %u", i);
		wrong += !c || c->line != i + 1 || dwarf_outer(c, ids[i]) != c->outer ||
			 (c->outer != 0) != (i / 2 % 3 != 0) ||
			 strcmp(dwarf_text(&a, c->function, &n), text) != 0 || n != strlen(text) ||
			 dwarf_extra_of(&a, c).discriminator != i % 3;
	}
	CHECK_EQ(wrong, 0);
	/* what was not used says nothing; what is not there is not there */
	CHECK_EQ(dwarf_call_at(&a, (uint32_t)(a.store.n_calls - 1) | STORE_BIT)->line, 0);
	CHECK(!dwarf_call_at(&a, (uint32_t)a.store.n_calls | STORE_BIT));
	CHECK_STR(dwarf_text(&a, (uint32_t)a.store.n_texts | STORE_BIT, NULL), "");
	CHECK_EQ(dwarf_text_slot(&a, (uint32_t)a.store.n_texts | STORE_BIT), 0);
	CHECK_EQ(dwarf_text_slot(&a, UINT32_MAX), 0);
	CHECK_EQ(dwarf_text_slot(&a, STORE_BIT - 1), 0);
	CHECK_EQ(dwarf_text_slot(&a, (uint32_t)(a.store.n_texts - 1) | STORE_BIT),
		 dwarf_text_slots(&a) - 1);
	a.mute = true;
	CHECK_EQ(dwarf_extra_of(&a, dwarf_call_at(&a, ids[1])).discriminator, 0);
	dwarf_answers_release(&a);
	free(ids);
}

/* A chain in another's tables: texts and discriminators come along, equal ends are one. */
TEST(adopted_chains)
{
	struct dwarf_answers from, to;
	struct store_writer w;
	uint32_t outer, inner[2], got[2], *ids, *path;

	dwarf_answers_init(&from, 0);
	dwarf_answers_init(&to, 0);
	from.bare = true;
	w = (struct store_writer){.store = &from.store};
	outer = store_call(&w, &(struct dwarf_call){.function = store_copy(&w, "f", 1), .line = 7});
	for (uint32_t i = 0; i < 2; i++)
		inner[i] =
		    store_call(&w, &(struct dwarf_call){.outer = outer, .line = i, .extra = 9});
	store_writer_done(&w);
	ids = mem_zarray(dwarf_call_slots(&from), sizeof *ids);
	path = mem_array(dwarf_call_slots(&from), sizeof *path);
	for (size_t i = 0; i < 2; i++)
		got[i] = dwarf_answers_adopt(&to, &from, ids, path, inner[i]);
	CHECK_EQ(to.n_calls, 1 + 3);
	CHECK_EQ(dwarf_call_at(&to, got[0])->outer, dwarf_call_at(&to, got[1])->outer);
	CHECK_EQ(dwarf_call_at(&to, got[1])->line, 1);
	CHECK_EQ(dwarf_extra_of(&to, dwarf_call_at(&to, got[1])).discriminator, 9);
	outer = dwarf_call_at(&to, got[1])->outer;
	CHECK_EQ(dwarf_call_at(&to, outer)->line, 7);
	CHECK_STR(dwarf_text(&to, dwarf_call_at(&to, outer)->function, NULL), "f");
	free(ids);
	free(path);
	dwarf_answers_release(&from);
	dwarf_answers_release(&to);
}

TEST_MAIN()
