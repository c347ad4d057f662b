/* SPDX-License-Identifier: MIT */
#include "formats/smaps.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *line, *counter;
} keys[] = {
    [SMAPS_SIZE] = {"Size", "smaps.size"},
    [SMAPS_RSS] = {"Rss", "smaps.rss"},
    [SMAPS_PSS] = {"Pss", "smaps.pss"},
    [SMAPS_SHARED_CLEAN] = {"Shared_Clean", "smaps.shared-clean"},
    [SMAPS_SHARED_DIRTY] = {"Shared_Dirty", "smaps.shared-dirty"},
    [SMAPS_PRIVATE_CLEAN] = {"Private_Clean", "smaps.private-clean"},
    [SMAPS_PRIVATE_DIRTY] = {"Private_Dirty", "smaps.private-dirty"},
    [SMAPS_SWAP] = {"Swap", "smaps.swap"},
    [SMAPS_SWAP_PSS] = {"SwapPss", "smaps.swap-pss"},
};

/* In bytes a sum stays below 2^63; the largest processes have 2^38 kB. */
static const uint64_t sum_max = (uint64_t)INT64_MAX >> 10;

bool smaps_line(struct smaps_sizes *s, const char *line, size_t n)
{
	const char *colon = memchr(line, ':', n), *end = line + n, *p, *digits;
	unsigned k = 0;

	while (colon && k < SMAPS_KEYS &&
	       (strlen(keys[k].line) != (size_t)(colon - line) ||
		memcmp(keys[k].line, line, (size_t)(colon - line)) != 0))
		k++;
	if (!colon || k == SMAPS_KEYS)
		return false;
	for (p = colon + 1; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	for (digits = p; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (!num_dec(digits, (size_t)(p - digits), &s->kb[k]))
		return false;
	s->has |= 1u << k;
	return true;
}

static void add(struct smaps_sizes *to, const struct smaps_sizes *from)
{
	for (unsigned k = 0; k < SMAPS_KEYS; k++)
		if (from->has >> k & 1)
			to->kb[k] += from->kb[k];
	to->has |= from->has;
}

/* Without the numbers that would be too large in the sum of all. */
static struct smaps_sizes sound(struct smaps *s, const struct smaps_sizes *sizes)
{
	struct smaps_sizes r = *sizes;

	for (unsigned k = 0; k < SMAPS_KEYS; k++)
		if (r.has >> k & 1 &&
		    (r.kb[k] > sum_max || s->items[0].kb[k] + r.kb[k] > sum_max)) {
			r.has &= ~(1u << k);
			s->refused++;
		}
	return r;
}

void smaps_add(struct smaps *s, const char *name, size_t n, const struct smaps_sizes *sizes)
{
	static const char anonymous[] = "anonymous";
	struct smaps_sizes fine;
	uint32_t id;

	if (!sizes->has)
		return;
	if (n && name[0] != '[')
		name = path_base_n(name, &n);
	id = n ? intern_add(&s->names, name, n)
	       : intern_add(&s->names, anonymous, sizeof anonymous - 1);
	while (s->n <= id)
		VEC_PUSH(s->items, s->n, s->cap) = (struct smaps_sizes){.has = 0};
	fine = sound(s, sizes);
	add(&s->items[0], &fine);
	add(&s->items[id], &fine);
}

static enum status push(struct import *im, const char *name, uint64_t kb, struct err *e)
{
	return emit_counter(im, emit_counter_id(im, name, "B"), ABSENT, (int64_t)(kb << 10), e);
}

struct named {
	const char *name;
	uint64_t kb;
};

static int smaps_largest_first(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->kb != y->kb ? (x->kb < y->kb) - (x->kb > y->kb) : strcmp(x->name, y->name);
}

static enum status smaps_push_names(const struct smaps *s, struct import *im, struct err *e)
{
	struct named *list = mem_array(s->n, sizeof *list);
	struct buf name = BUF_INIT;
	enum status st = ST_OK;
	uint64_t others = 0;
	size_t n = 0;

	for (uint32_t id = 1; id < s->n; id++)
		if (s->items[id].has >> SMAPS_PSS & 1)
			list[n++] = (struct named){intern_text(&s->names, id, NULL),
						   s->items[id].kb[SMAPS_PSS]};
	sort_array(list, n, sizeof *list, smaps_largest_first);
	for (size_t i = 0; !st && i < n && i < SMAPS_LARGEST; i++) {
		name.len = 0;
		buf_addf(&name, "smaps.pss %s", list[i].name);
		st = push(im, buf_str(&name), list[i].kb, e);
	}
	for (size_t i = SMAPS_LARGEST; i < n; i++)
		others += list[i].kb;
	if (!st && n > SMAPS_LARGEST) {
		trace_note(im->t, NOTE_INFO, n - SMAPS_LARGEST,
			   "smaller modules of smaps share one counter, smaps.pss (others)");
		st = push(im, "smaps.pss (others)", others, e);
	}
	buf_release(&name);
	free(list);
	return st;
}

enum status smaps_push(const struct smaps *s, struct import *im, struct err *e)
{
	enum status st = ST_OK;

	if (s->refused)
		trace_note(im->t, NOTE_LOSS, s->refused,
			   "mappings have impossible sizes and were "
			   "left out");
	for (unsigned k = 0; !st && s->n && k < SMAPS_KEYS; k++)
		if (s->items[0].has >> k & 1)
			st = push(im, keys[k].counter, s->items[0].kb[k], e);
	return st || !s->n ? st : smaps_push_names(s, im, e);
}

void smaps_release(struct smaps *s)
{
	intern_release(&s->names);
	free(s->items);
	*s = (struct smaps){.n = 0};
}
