/* SPDX-License-Identifier: MIT
 *
 * What valgrind's DHAT and Rust's crate dhat write, JSON (dhatFileVersion 2):
 *
 *	{"dhatFileVersion":2,"mode":"heap","bklt":true,"tu":"instrs",..,
 *	 "pps":[{"tb":BYTES,"tbk":BLOCKS,"eb":BYTES,"ebk":BLOCKS,..,"fs":[N..]}..],"ftbl":["[root]","0x10918F: f (d.c:4)"..]}
 *
 * tb, tbk: in all; gb, gbk: when the heap was largest; eb, ebk: at the end. fs: the stack, innermost first, as places in
 * ftbl, which comes behind. From dhat/dh_main.c of valgrind 3.19 and its docs/dh-manual.xml.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "formats/valgrind/place.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum dhat_place {
	FILE_ = JSON_PLACES,
	VERSION,
	MODE,
	POINTS,
	POINT,
	AMOUNT,
	FRAMES,
	FRAME,
	TABLE,
	TEXT
};

static const struct json_row dhat_rows[] = {
    {JSON_TOP, "{", FILE_},
    {FILE_, "dhatFileVersion", VERSION},
    {FILE_, "mode", MODE},
    {FILE_, "pps[", POINTS},
    {POINTS, "{", POINT},
    {POINT, "*", AMOUNT},
    {POINT, "fs[", FRAMES},
    {FRAMES, "", FRAME},
    {FILE_, "ftbl[", TABLE},
    {TABLE, "", TEXT},
    {0},
};

enum amount { ALL_BYTES, ALL_BLOCKS, PEAK_BYTES, END_BYTES, END_BLOCKS, AMOUNTS };
static const char *const amount_words[AMOUNTS] = {"tb", "tbk", "gb", "eb", "ebk"};
enum { DHAT_STACK_MOST = 4096 };

struct dhat_point {
	uint64_t v[AMOUNTS];
	size_t first, n; /* of frames */
	unsigned known;
};

struct dhat {
	struct import *im;
	struct json_result at;
	struct dhat_point *points;
	size_t n_points, cap_points;
	uint32_t *frames; /* places in the table */
	size_t n_frames, cap_frames;
	uint32_t *locations;
	size_t n_locations, cap_locations;
	int key; /* enum amount, -1: none */
	uint64_t version, odd;
	bool other_mode;
};

static enum status dhat_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct dhat *d = arg;
	struct dhat_point *p = d->n_points ? &d->points[d->n_points - 1] : NULL;
	uint64_t n = 0;

	(void)e;
	if (place == VERSION)
		num_dec(v.s, v.n, &d->version);
	else if (place == MODE)
		d->other_mode = !text_is(v.s, v.n, "heap") && !text_is(v.s, v.n, "rust-heap");
	else if (place == TEXT)
		VEC_PUSH(d->locations, d->n_locations, d->cap_locations) =
		    v.kind == JSON_STRING ? valgrind_place(d->im->t, v.s, v.n)
					  : emit_named(d->im->t, 0, 0, 0);
	else if (place == AMOUNT && p && d->key >= 0) {
		if (v.kind == JSON_NUMBER && num_dec(v.s, v.n, &n) && n <= INT64_MAX) {
			p->v[d->key] = n;
			p->known |= 1U << d->key;
		} else {
			d->odd++;
		}
	} else if (place == FRAME && p) {
		d->odd += !num_dec(v.s, v.n, &n) || n > UINT32_MAX;
		VEC_PUSH(d->frames, d->n_frames, d->cap_frames) = (uint32_t)n;
		p->n++;
	}
	return ST_OK;
}

static enum status dhat_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	struct dhat *d = arg;

	(void)e;
	d->key = -1;
	for (int i = 0; in == POINT && i < AMOUNTS; i++)
		if (text_is(s, n, amount_words[i]))
			d->key = i;
	return ST_OK;
}

static enum status dhat_begin(void *arg, unsigned place, struct err *e)
{
	struct dhat *d = arg;

	(void)e;
	if (place == POINT)
		VEC_PUSH(d->points, d->n_points, d->cap_points) =
		    (struct dhat_point){.first = d->n_frames};
	return ST_OK;
}

/* --- events --- */

static uint32_t dhat_stack(struct dhat *d, const struct dhat_point *p)
{
	uint32_t stack = 0;

	for (size_t i = p->n < DHAT_STACK_MOST ? p->n : DHAT_STACK_MOST; i-- > 0;) {
		uint32_t at = d->frames[p->first + i];

		d->odd += at >= d->n_locations;
		stack = trace_stack(d->im->t, stack,
				    at < d->n_locations ? d->locations[at]
							: emit_named(d->im->t, 0, 0, 0));
	}
	return stack;
}

static enum status dhat_push(struct dhat *d, struct err *e)
{
	struct emit_blocks blocks = {.im = d->im};
	const unsigned ends = 1U << END_BYTES | 1U << END_BLOCKS;
	struct trace *t = d->im->t;
	uint64_t peak = 0;
	bool has_peak = false, lives = false;
	enum status st;

	for (size_t i = 0; i < d->n_points; i++) {
		lives |= (d->points[i].known & ends) == ends;
		has_peak |= d->points[i].known >> PEAK_BYTES & 1;
		peak += d->points[i].v[PEAK_BYTES];
	}
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	t->unordered = true;
	if (lives)
		emit_blocks_live(&blocks, METRIC_EXACT);
	st = import_begin(d->im, e);
	if (!st && has_peak && peak <= INT64_MAX)
		st = emit_counter(d->im, emit_counter_id(d->im, "dhat.peak", "B"), ABSENT,
				  (int64_t)peak, e);
	for (size_t i = 0; i < d->n_points && !st; i++) {
		const struct dhat_point *p = &d->points[i];
		const int64_t all[BLOCKS_AMOUNTS] = {(int64_t)p->v[ALL_BLOCKS],
						     (int64_t)p->v[ALL_BYTES], 0};
		const int64_t live[BLOCKS_AMOUNTS] = {(int64_t)p->v[END_BLOCKS],
						      (int64_t)p->v[END_BYTES], 0};
		int64_t gone[BLOCKS_AMOUNTS];
		struct emit_profile row = {.domain = KNOWN(DOMAIN_MALLOC), .known = BLOCKS_SIZED};

		if (emit_blocks_huge(&blocks, all) || emit_blocks_huge(&blocks, live)) {
			d->odd++;
			continue;
		}
		row.stack = dhat_stack(d, p);
		emit_blocks_gone(&blocks, all, live, BLOCKS_SIZED, gone);
		if (blocks.live && (live[0] || live[1]))
			st = emit_blocks(&blocks, &row, live, PROFILE_LIVE, e);
		if (!st && (gone[0] || gone[1]))
			st = emit_blocks(&blocks, &row, gone, PROFILE_FREED, e);
	}
	emit_blocks_note(&blocks);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, d->odd, "numbers of a heap profile are impossible"),
	    LOSS(NOTE_INFO, d->at.repaired, "bytes of invalid UTF-8 became U+FFFD"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

static enum status dhat_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {
	    .rows = dhat_rows, .begin = dhat_begin, .value = dhat_value, .key = dhat_key};
	static const struct json_options options = {.repair_utf8 = true};
	struct dhat d = {.im = im, .key = -1};
	enum status st = json_walk(&im->in->cur, &walker, &d, &options, &d.at, NULL, e);

	if (!st && d.other_mode)
		st =
		    err_set(e, ST_UNSUPPORTED, "DHAT's modes copy and ad-hoc count no allocations");
	else if (!st && d.version != 2)
		st = err_set(e, ST_UNSUPPORTED, "a file of DHAT of version %d: 2 is read",
			     (int)(d.version & INT32_MAX));
	else if (!st && !d.n_points)
		st = err_at(e, ST_BAD, 0, "the file has no places that allocate");
	if (!st)
		st = dhat_push(&d, e);
	free(d.points);
	free(d.frames);
	free(d.locations);
	return st;
}

static int dhat_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char key[] = "\"dhatFileVersion\"";
	size_t i = 0;

	(void)whole;
	while (i < n && (head[i] == '{' || head[i] == ' ' || head[i] == '\n' || head[i] == '\r' ||
			 head[i] == '\t'))
		i++;
	return i && n - i > sizeof key && !memcmp(head + i, key, sizeof key - 1)
		   ? 8 * (int)sizeof key
		   : 0;
}

const struct reader reader_dhat = {
    .name = "dhat",
    .family = "Valgrind",
    .page = "valgrind",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_COUNTERS,
    .what = "heap profiles of valgrind's DHAT, and of Rust's crate dhat (JSON)",
    .suffixes = "json",
    .cut = CUT_NEVER, /* names come last */
    .bid = dhat_bid,
    .read = dhat_read,
};
