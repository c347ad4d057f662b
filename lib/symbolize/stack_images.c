/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/stack_images.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <stdlib.h>

enum { MOST = 65536 }; /* images that are known */

struct stack_images_list {
	size_t first, end; /* in items */
	uint64_t line;     /* of its last image */
	bool sorted;
};

void stack_images_release(struct stack_images *m)
{
	free(m->items);
	free(m->lists);
	intern_release(&m->texts);
	*m = (struct stack_images){.n = 0};
}

/* The digits of a UUID, which tools write with dashes or without. */
static uint32_t add_uuid(struct stack_images *m, struct stack_text_part uuid)
{
	char digits[STACK_LINE_UUID];
	size_t n = 0;

	for (size_t i = 0; i < uuid.n && n < sizeof digits; i++)
		if (num_hex_digit(uuid.s[i]) >= 0)
			digits[n++] = uuid.s[i];
	return intern_add(&m->texts, digits, n);
}

void stack_images_add(struct stack_images *m, const struct stack_line_image *image, uint64_t line)
{
	struct stack_images_list *list;

	if (m->n >= MOST)
		return;
	if (!m->open)
		VEC_PUSH(m->lists, m->n_lists, m->cap_lists) =
		    (struct stack_images_list){.first = m->n};
	m->open = true;
	VEC_PUSH(m->items, m->n, m->cap) =
	    (struct stack_image){.lo = image->lo,
				 .hi = image->hi,
				 .path = intern_add(&m->texts, image->path.s, image->path.n),
				 .uuid = add_uuid(m, image->uuid)};
	list = &m->lists[m->n_lists - 1];
	list->end = m->n;
	list->line = line;
	list->sorted = false;
}

void stack_images_call(struct stack_images *m)
{
	m->open = false;
}

static int by_place(const void *a, const void *b)
{
	const struct stack_image *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

const struct stack_image *stack_images_at(struct stack_images *m, uint64_t address, uint64_t line)
{
	size_t at = BISECT(i, 0, m->n_lists, m->lists[i].line < line);
	struct stack_images_list *list;

	if (!m->n_lists)
		return NULL;
	list = &m->lists[at < m->n_lists ? at : m->n_lists - 1];
	if (!list->sorted)
		sort_array(m->items + list->first, list->end - list->first, sizeof *m->items,
			   by_place);
	list->sorted = true;
	at = BISECT(i, list->first, list->end, m->items[i].lo <= address);
	return at > list->first && address < m->items[at - 1].hi ? &m->items[at - 1] : NULL;
}
