/* SPDX-License-Identifier: MIT */
#include "lib/profile/merge.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A heap of the readers that have a record, the one with the least key on top. */
struct merge {
	struct aggregate_reader *readers;
	size_t *heap, n;
	const struct aggregate_merge_options *o;
	struct aggregate_record to, from;
};

static int key_order(const struct aggregate_reader *a, const struct aggregate_reader *b)
{
	size_t n = a->key.len < b->key.len ? a->key.len : b->key.len;
	int r = memcmp(a->key.data, b->key.data, n);

	return r ? r : (a->key.len > b->key.len) - (a->key.len < b->key.len);
}

/* Of equal keys in the order of the readers, so that messages do not depend on chance. */
static bool before(const struct merge *m, size_t a, size_t b)
{
	int r = key_order(&m->readers[m->heap[a]], &m->readers[m->heap[b]]);

	return r < 0 || (!r && m->heap[a] < m->heap[b]);
}

static void swap(struct merge *m, size_t a, size_t b)
{
	size_t t = m->heap[a];

	m->heap[a] = m->heap[b];
	m->heap[b] = t;
}

static void sink_down(struct merge *m, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2; k++)
			if (k < m->n && before(m, k, least))
				least = k;
		if (least == i)
			return;
		swap(m, i, least);
		i = least;
	}
}

static void push(struct merge *m, size_t reader)
{
	size_t i = m->n++;

	m->heap[i] = reader;
	for (; i && before(m, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(m, i, (i - 1) / 2);
}

static size_t pop(struct merge *m)
{
	size_t top = m->heap[0];

	m->heap[0] = m->heap[--m->n];
	sink_down(m, 0);
	return top;
}

static enum status load(const struct merge *m, size_t reader, struct aggregate_record *to,
			struct err *e)
{
	const struct aggregate_reader *r = &m->readers[reader];
	enum status st = aggregate_key_read(to, r->key.data, r->key.len, e);

	return st ? st : aggregate_record_read(to, r->known, r->n_known, r->offset, e);
}

/* Next record of a reader that was popped; it goes back when it has one. */
static enum status advance(struct merge *m, size_t reader, struct err *e)
{
	enum status st = aggregate_reader_next(&m->readers[reader], e);

	if (st == ST_NONE)
		return ST_OK;
	if (!st)
		push(m, reader);
	return st;
}

static bool is_input(const struct aggregate_reader *r)
{
	return r->key.len && r->key.data[0] == AGG_INPUT;
}

/* One key: all that have it. same: room for the readers. */
static enum status merge_key(struct merge *m, size_t *same, struct aggregate_writer *w,
			     struct aggregate_merge_fault *fault, struct err *e)
{
	size_t n = 0;
	enum status st = ST_OK;
	const struct aggregate_reader *first;
	bool watched, joined;

	same[n++] = fault->which = pop(m);
	first = &m->readers[same[0]];
	while (m->n && !key_order(&m->readers[m->heap[0]], first))
		same[n++] = pop(m);
	watched = m->o->input && is_input(first);
	joined = n > 1;
	if (joined || watched)
		st = load(m, same[0], &m->to, e);
	if (!st && watched)
		st = m->o->input(m->o->arg, same[0], &m->to, e);
	for (size_t i = 1; i < n && !st; i++) {
		fault->which = same[i];
		st = load(m, same[i], &m->from, e);
		if (!st && watched)
			st = m->o->input(m->o->arg, same[i], &m->from, e);
		if (!st) {
			st = aggregate_record_join(&m->to, &m->from, e);
			fault->other = st ? same[0] : SIZE_MAX;
		}
	}
	if (!st && joined)
		aggregate_writer_record(w, &m->to);
	else if (!st)
		aggregate_writer_add(w, first->key.data, first->key.len, first->known,
				     first->n_known);
	for (size_t i = 0; i < n && !st; i++) {
		fault->which = same[i];
		st = advance(m, same[i], e);
	}
	return st;
}

enum status aggregate_merge(struct aggregate_reader *readers, size_t n,
			    const struct aggregate_merge_options *o, struct aggregate_writer *to,
			    struct aggregate_merge_fault *fault, struct err *e)
{
	struct merge m = {.readers = readers, .o = o};
	size_t *same = mem_array(n + 1, sizeof *same);
	enum status st = ST_OK;

	m.heap = mem_array(n + 1, sizeof *m.heap);
	*fault = (struct aggregate_merge_fault){SIZE_MAX, SIZE_MAX};
	for (size_t i = 0; i < n && !st; i++) {
		fault->which = i;
		st = aggregate_reader_next(&readers[i], e);
		if (st == ST_NONE)
			st = o->parts ? ST_OK : err_set(e, ST_BAD, "an aggregate of nothing");
		else if (!st && !o->parts && readers[i].key.data[0] != AGG_HEAD)
			st = err_set(e, ST_BAD, "the aggregate has no head: it is a part of one");
		else if (!st)
			push(&m, i);
	}
	while (m.n && !st)
		st = merge_key(&m, same, to, fault, e);
	free(m.heap);
	free(same);
	aggregate_record_release(&m.to);
	aggregate_record_release(&m.from);
	return st;
}
