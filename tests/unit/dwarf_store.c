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

/* What has room in one node, the first that has none, and all bits. */
static uint32_t column_of(uint32_t i)
{
	static const uint32_t columns[] = {0, 7, 2047, 2048, UINT32_MAX};

	return columns[i % 5];
}

static uint32_t extra_of(uint32_t i)
{
	static const uint32_t extras[] = {0,       1,         2, (1 << 21) - 2, (1 << 21) - 1,
					  1 << 21, UINT32_MAX};

	return extras[i / 5 % 7];
}

/* Two writers in turn: chains of three calls, each with a text of its own that says its number. */
TEST(what_is_stored_stays)
{
	struct dwarf_answers a;
	struct dwarf_call call;
	struct store_writer w[2];
	uint32_t *ids = mem_array(MANY, sizeof *ids);
	size_t wrong = 0;

	dwarf_answers_init(&a, 0);
	a.bare = true;
	for (size_t k = 0; k < 2; k++)
		w[k] = (struct store_writer){.store = &a.store};
	for (uint32_t i = 0; i < MANY; i++) {
		struct dwarf_call c = {.line = i + 1, .column = column_of(i), .extra = extra_of(i)};
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
		struct dwarf_call c = {0};
		char text[20];
		size_t n;

		snprintf(text, sizeof text, "name %u", i);
		wrong += !dwarf_call_at(&a, ids[i], &c) || c.line != i + 1 ||
			 dwarf_outer(&c, ids[i]) != c.outer || (c.outer != 0) != (i / 2 % 3 != 0) ||
			 strcmp(dwarf_text(&a, c.function, &n), text) != 0 || n != strlen(text) ||
			 c.column != column_of(i) ||
			 dwarf_extra_of(&a, &c).discriminator != extra_of(i);
	}
	CHECK_EQ(wrong, 0);
	/* Behind the last call there is none; the last block is the second writer's, who has not written the last call.
	 * What is not there is not there. */
	CHECK(dwarf_call_at(&a, (uint32_t)(a.store.n_calls - 1) | STORE_BIT, &call));
	CHECK_EQ(call.line, MANY - 1);
	CHECK(!dwarf_call_at(&a, (uint32_t)a.store.n_calls | STORE_BIT, &call));
	CHECK_STR(dwarf_text(&a, (uint32_t)a.store.n_texts | STORE_BIT, NULL), "");
	CHECK_EQ(dwarf_text_slot(&a, (uint32_t)a.store.n_texts | STORE_BIT), 0);
	CHECK_EQ(dwarf_text_slot(&a, UINT32_MAX), 0);
	CHECK_EQ(dwarf_text_slot(&a, STORE_BIT - 1), 0);
	CHECK_EQ(dwarf_text_slot(&a, (uint32_t)(a.store.n_texts - 1) | STORE_BIT),
		 dwarf_text_slots(&a) - 1);
	a.mute = true;
	CHECK(dwarf_call_at(&a, ids[1], &call));
	CHECK_EQ(dwarf_extra_of(&a, &call).discriminator, 0);
	dwarf_answers_release(&a);
	free(ids);
}

/* A chain in another's tables: texts and discriminators come along, equal ends are one. */
TEST(adopted_chains)
{
	struct dwarf_answers from, to;
	struct dwarf_call c, d = {0};
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
	CHECK(dwarf_call_at(&to, got[0], &c) && dwarf_call_at(&to, got[1], &d));
	CHECK_EQ(c.outer, d.outer);
	CHECK_EQ(d.line, 1);
	CHECK_EQ(dwarf_extra_of(&to, &d).discriminator, 9);
	CHECK(dwarf_call_at(&to, d.outer, &c));
	CHECK_EQ(c.line, 7);
	CHECK_STR(dwarf_text(&to, c.function, NULL), "f");
	free(ids);
	free(path);
	dwarf_answers_release(&from);
	dwarf_answers_release(&to);
}

TEST_MAIN()
