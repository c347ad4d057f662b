/* SPDX-License-Identifier: MIT
 *
 * Miku-LuaProfiler's saved samples, .sample: i32 number of roots, then the roots; before layout E
 * each with its length before it. No magic and no version: the layout is found by trying each one
 * on the first roots. Layout E is written over a longer file without truncating it.
 */
#include "formats/miku/miku.h"

#include "formats/emit.h"
#include <stdlib.h>

enum { WINDOW = 1 << 20, TRIAL_ROOTS = 64, NODE_MIN = 28, ROOTS_MOST = 1 << 27 };

struct trial {
	size_t roots, nodes; /* read, and in them */
	size_t bad;          /* roots that break a rule of the layout */
	size_t cut;          /* nodes of roots that the window cuts, or that are bad */
	struct miku_evidence evidence;
};

/* Reads a root as far as the window has it. False: the trial ends with this one. */
static bool miku_sample_try_root(struct trial *r, struct miku_tree *t, struct miku_names *names,
				 enum miku_layout l, struct cursor *c)
{
	uint32_t n = miku_blobs(l) ? cursor_u32(c) : 0;
	uint64_t end = cursor_offset(c) + n;
	const uint8_t *p = c->pos;
	bool whole = miku_blobs(l) && n <= cursor_window(c);

	if (cursor_failed(c))
		return false;
	if (!miku_tree_read(t, names, l, c, end)) {
		r->roots++;
		r->nodes += t->n;
		miku_look(&r->evidence, t, names);
		return true;
	}
	r->cut += t->n;
	if (!t->broken && !whole)
		return false;
	r->bad++;
	if (!whole)
		return false;
	c->pos = p + n; /* its length says where the next one is */
	c->failed = false;
	return true;
}

static void miku_sample_try_layout(struct trial *r, enum miku_layout l, const uint8_t *p, size_t n,
				   bool whole)
{
	struct miku_tree t = {.strict = true};
	struct miku_names names = {0};
	struct err e = ERR_INIT;
	struct cursor c;
	uint32_t roots;

	*r = (struct trial){0};
	cursor_init(&c, p, n, 0, &e);
	roots = cursor_u32(&c);
	if (!cursor_failed(&c) && roots && roots <= ROOTS_MOST)
		while (r->roots + r->bad < roots && r->roots < TRIAL_ROOTS &&
		       r->bad < TRIAL_ROOTS && cursor_window(&c) &&
		       miku_sample_try_root(r, &t, &names, l, &c))
			;
	if (whole && r->roots == roots && miku_blobs(l) && cursor_window(&c))
		r->bad++; /* these are written to a new file, which ends there */
	miku_tree_release(&t);
	miku_names_release(&names);
}

/* Whole roots count most; of a root that the window cuts its nodes do. */
static int64_t points(const struct trial *r)
{
	return ((int64_t)r->roots - (int64_t)r->bad) * (1 << 28) + (int64_t)r->nodes +
	       (int64_t)r->cut;
}

static enum miku_layout best_layout(struct trial *best, const uint8_t *p, size_t n, bool whole)
{
	enum miku_layout found = MIKU_E;

	for (int l = MIKU_A0; l < MIKU_SAMPLE_LAYOUTS; l++) {
		struct trial r;

		miku_sample_try_layout(&r, (enum miku_layout)l, p, n, whole);
		if (l == MIKU_A0 || points(&r) > points(best)) {
			*best = r;
			found = (enum miku_layout)l;
		}
	}
	return found;
}

/* Bytes behind the last root. */
static uint64_t rest(struct cursor *c)
{
	uint64_t from = cursor_offset(c);
	size_t n;

	while ((n = cursor_available(c, 1)))
		c->pos += n;
	return cursor_offset(c) - from;
}

static enum status miku_sample_read_root(struct miku *m, uint64_t *damaged, struct err *e)
{
	struct cursor *c = &m->im->in->cur, blob;
	struct err inner = ERR_INIT;
	uint64_t offset;
	const uint8_t *p;
	enum status st;
	uint32_t n;

	if (!miku_blobs(m->layout)) {
		st = miku_tree_read(&m->tree, &m->names, m->layout, c, 0);
		return st ? st : miku_root(m, e);
	}
	n = cursor_u32(c);
	offset = cursor_offset(c);
	p = cursor_bytes(c, n, "root");
	if (!p)
		return err_failure(e);
	cursor_init(&blob, p, n, offset, &inner);
	if (!miku_tree_read(&m->tree, &m->names, m->layout, &blob, offset + n))
		return miku_root(m, e);
	++*damaged;
	return ST_OK;
}

static enum status miku_sample_read_roots(struct miku *m, uint32_t roots, struct err *e)
{
	struct trace *t = m->im->t;
	enum status st = ST_OK;
	uint64_t damaged = 0, extra = 0;
	uint32_t i;

	for (i = 0; !st && i < roots; i++)
		st = miku_sample_read_root(m, &damaged, e);
	if (!st)
		extra = rest(&m->im->in->cur);
	if (damaged == roots && roots && !st)
		st = err_at(e, ST_BAD, 4, "none of the %u roots can be read", roots);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, damaged, "roots are damaged: left out"),
	    LOSS(NOTE_LOSS, st ? roots - i + 1 : 0, "roots are missing"),
	};

	TRACE_LOSSES(t, losses);
	if (extra && miku_blobs(m->layout))
		trace_note(t, NOTE_LOSS, extra,
			   "bytes follow the last root, where the file should end: they were "
			   "not read");
	else if (extra)
		trace_note(t, NOTE_GUESS, extra,
			   "bytes follow the last root: the rest of a longer file that was "
			   "overwritten");
	return st;
}

static bool believable(const struct trial *r)
{
	return r->roots || (r->cut && !r->bad);
}

/* In a window that holds a whole root, where there is one: of a part of it two layouts may look the
 * same. */
static enum miku_layout miku_sample_find_layout(struct trial *best, struct cursor *c)
{
	size_t n = cursor_available(c, WINDOW);
	enum miku_layout l;

	n = n < WINDOW ? n : WINDOW;
	l = best_layout(best, c->pos, n, c->at_end && n == cursor_window(c));
	if (!best->roots && best->cut && miku_blobs(l)) {
		struct cursor at = *c;
		uint64_t need;

		cursor_skip(&at, 4, "number of roots");
		need = (uint64_t)cursor_u32(&at) + 8;
		if (need > n && need < LIMIT_CURSOR) {
			n = cursor_available(c, need);
			l = best_layout(best, c->pos, n, c->at_end);
		}
	}
	return l;
}

static enum status miku_sample_read(struct import *im, struct err *e)
{
	struct cursor *c = &im->in->cur;
	struct trial best = {0};
	struct miku m;
	enum status st;
	uint32_t roots;

	miku_init(&m, im);
	m.layout = miku_sample_find_layout(&best, c);
	roots = cursor_u32(c);
	if (cursor_failed(c))
		return err_failure(e);
	if (roots && !best.roots && !best.cut && !best.bad)
		return err_at(e, ST_BAD, 0, "not a saved sample of Miku-LuaProfiler");
	if (!roots)
		trace_note(im->t, NOTE_INFO, 0, "the file has no samples");
	st = miku_begin(&m, &best.evidence, e);
	if (!st)
		st = miku_sample_read_roots(&m, roots, e);
	miku_end(&m);
	miku_release(&m);
	return st;
}

static int miku_sample_bid(const uint8_t *head, size_t n, bool whole)
{
	struct trial best;
	enum miku_layout l;

	if (whole && n == 4 && !memcmp(head, "\0\0\0", 4))
		return 8;
	if (n < 4 + NODE_MIN)
		return 0;
	l = best_layout(&best, head, n, whole);
	if (!believable(&best))
		return 0;
	if (!best.roots)
		return 16;
	return miku_blobs(l) ? 48 : 40;
}

const struct reader reader_miku_sample = {
    .name = "miku-sample",
    .family = "Miku-LuaProfiler",
    .page = "miku",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_CALLS |
		    CAPABILITY_TIME | CAPABILITY_FRAMES | CAPABILITY_COUNTERS,
    .what = "Miku-LuaProfiler: saved samples, .sample (v2.0 to 4.x)",
    .suffixes = "sample",
    .guesses = true,
    .cut = CUT_NEVER, /* which layout it is, is tried over the first roots */
    .bid = miku_sample_bid,
    .read = miku_sample_read,
};
