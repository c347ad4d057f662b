/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's saved captures (`.loli`), big-endian, written with Qt's QDataStream. Version 106
 * (all releases since v0.9.9b), 107 (106 with something after it) and the first layout of 105
 * (v0.9.8c, v0.9.9), which has text where the others have numbers.
 *
 * The file does not say whether it keeps file offsets or link-time addresses, nor which records
 * were dropped when it was saved.
 */
#include "formats/loli/file.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <stdlib.h>

static void loli_file_release(struct loli_file *f)
{
	for (size_t i = 0; i < f->n_library; i++)
		map64_release(&f->library[i]);
	for (size_t i = 0; i < f->n_map; i++)
		free(f->map[i].ranges);
	free(f->library);
	free(f->map);
	free(f->frames);
	free(f->nodes);
	free(f->stacks);
	map64_release(&f->ids);
	map64_release(&f->node_index);
	map64_release(&f->freed);
	map64_release(&f->uuids);
	intern_release(&f->names);
	smaps_release(&f->smaps);
	buf_release(&f->text);
	buf_release(&f->other);
	loli_release(&f->l);
}

/* A section of the map that is a file: not "anonymous", [heap] and their like. */
static bool is_module(const char *name, size_t n)
{
	return n && (name[0] != '[' || (n == 6 && !memcmp(name, "[vdso]", 6))) &&
	       !(n == 9 && !memcmp(name, "anonymous", 9));
}

static void add_modules(struct loli_file *f)
{
	if (f->n_map && f->l.im->options->maps) {
		trace_note(f->l.im->t, NOTE_INFO, f->n_map,
			   "sections of the file's own memory map are not used because of "
			   "--maps");
		return;
	}
	for (size_t i = 0; i < f->n_map; i++) {
		size_t n;
		const char *name = intern_text(&f->names, f->map[i].name, &n);

		if (is_module(name, n))
			loli_module_mapped(&f->l, name, n, f->map[i].ranges, f->map[i].n);
	}
	if (f->bad_ranges)
		trace_note(f->l.im->t, NOTE_LOSS, f->bad_ranges,
			   "mapped ranges end before they begin");
}

/* The trace's stacks, now that every location's name is known. */
static void loli_file_add_stacks(struct loli_file *f)
{
	struct trace *t = f->l.im->t;
	uint32_t *locations = mem_array(f->n_frames + 1, sizeof *locations);

	for (uint32_t i = 1; i < f->n_frames; i++) {
		const struct loli_frame *a = &f->frames[i];
		size_t n;
		const char *library = intern_text(&f->names, a->library, &n);

		locations[i] = loli_location(&f->l, library, n, a->addr, a->name);
	}
	f->stacks = mem_zarray(f->n_nodes + 1, sizeof *f->stacks);
	for (uint32_t i = 1; i < f->n_nodes; i++)
		f->stacks[i] =
		    trace_stack(t, f->stacks[f->nodes[i].parent], locations[f->nodes[i].frame]);
	free(locations);
	free(f->nodes);
	free(f->frames);
	f->nodes = NULL;
	f->frames = NULL;
	map64_release(&f->node_index);
	map64_release(&f->l.stacks);
}

/* node: of its stack, if it has one; 0: not there. */
static uint32_t stack_of(struct loli_file *f, const struct loli_record *r, uint32_t node)
{
	const char *library = f->text.data;
	size_t n = f->text.len;

	if (node && node != LOLI_NODE_EMPTY)
		return f->stacks[node];
	f->lost_stacks += r->has_stack && !node;
	if (!f->texts)
		library = intern_text(&f->names, loli_file_library(f, r->library), &n);
	return loli_library_stack(&f->l, library, n);
}

static enum status push_record(struct loli_file *f, const struct loli_record *r, uint32_t node,
			       struct err *e)
{
	if (!loli_seqs_add(&f->l.seqs, r->seq))
		f->l.repeated++;
	if (!f->frees_a_record)
		f->frees_a_record = r->seq < map64_get(&f->freed, r->addr);
	return loli_alloc(&f->l, r->seq, r->ms, r->size, r->addr, stack_of(f, r, node), e);
}

/* In batches, so that the misses of the large tables of stack ids and of stacks overlap. */
static enum status push_records(struct loli_file *f, struct err *e)
{
	enum { BATCH = 64 };
	uint32_t left = loli_file_count(f), got, nodes[BATCH];
	struct loli_record batch[BATCH];
	enum status st = ST_OK;

	while (!st && left && !cursor_failed(f->c)) {
		uint32_t most = f->texts ? 1 : left < BATCH ? left : BATCH;

		for (got = 0; got < most && loli_file_record(f, &batch[got], true); got++)
			map64_prefetch(&f->uuids, batch[got].stack.hash);
		for (uint32_t i = 0; i < got; i++) {
			const struct loli_record *r = &batch[i];

			nodes[i] = r->has_stack ? loli_keys_get(&f->uuids, r->stack) : 0;
			if (nodes[i] != LOLI_NODE_EMPTY)
				__builtin_prefetch(&f->stacks[nodes[i]]);
		}
		for (uint32_t i = 0; !st && i < got; i++)
			st = push_record(f, &batch[i], nodes[i], e);
		left -= most;
	}
	return st;
}

static enum status push_frees(struct loli_file *f, struct err *e)
{
	uint32_t count = loli_file_count(f), seq;
	enum status st = ST_OK;
	uint64_t addr;

	for (uint32_t i = 0; !st && i < count && loli_file_free(f, &addr, &seq); i++)
		st = loli_free(&f->l, true, addr, seq, e);
	return st;
}

/* The second pass. It stops where the first one did, quietly. */
static enum status push(struct loli_file *f, struct err *e)
{
	enum status st = loli_file_head(f, e);

	if (st)
		return st;
	st = loli_chart_push(f, e);
	if (st)
		return st;
	loli_file_libraries(f, false);
	st = push_records(f, e);
	if (st || !f->n_frees)
		return st;
	loli_file_skip_stacks(f);
	loli_file_skip_symbols(f);
	return push_frees(f, e);
}

static void loli_file_add_notes(struct loli_file *f, bool whole)
{
	struct trace *t = f->l.im->t;

	loli_chart_notes(f);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, f->shots, "screenshots are not imported"),
	    LOSS(NOTE_GUESS, f->duplicate_stacks,
		 "stacks have the id of an earlier one: the last counts"),
	    LOSS(NOTE_GUESS, f->unnamed_ids,
		 "locations have a library without a name in the file: they are read as addresses "
		 "of the process"),
	    LOSS(NOTE_LOSS, !whole && f->lost_stacks ? f->lost_stacks : 0,
		 "records have a stack in the missing part of the file"),
	};

	TRACE_LOSSES(t, losses);
	if (f->trailing && f->version == 107)
		trace_note(t, NOTE_INFO, f->trailing,
			   "bytes of the comparison part of version 107 were not read");
	else if (f->trailing)
		trace_note(t, NOTE_LOSS, f->trailing, "bytes after the end were not read");
	if (f->n_frees && f->diff.records && !f->frees_a_record) {
		if (f->n_sampled < LOLI_FREES_SAMPLE)
			trace_note(t, NOTE_INFO, 0,
				   "no record is freed although the file has frees: freed "
				   "records were dropped when the file was saved");
		else
			trace_note(t, NOTE_GUESS, 0,
				   "none of %d checked frees frees a record: freed records "
				   "seem to have been dropped",
				   LOLI_FREES_SAMPLE);
	}
}

static enum status loli_file_second_pass(struct loli_file *f, bool whole, struct err *e)
{
	enum status st;

	add_modules(f);
	loli_file_add_stacks(f);
	st = input_rewind(f->l.im->in);
	if (!st)
		st = loli_begin(&f->l, e);
	if (!st)
		st = push(f, e);
	if (!st && !f->l.im->smaps.n)
		st = smaps_push(&f->smaps, f->l.im, e);
	if (!st && whole && cursor_failed(f->c)) /* it has changed since the first pass */
		st = err_failure(e);
	loli_file_add_notes(f, whole);
	loli_end(&f->l);
	return st;
}

static enum status loli_file_read(struct import *im, struct err *e)
{
	struct loli_file f = {.c = &im->in->cur};
	enum status st = loli_init(&f.l, im, "loli", LOLI_FREES, e);
	struct err cut = ERR_INIT;

	if (!st)
		st = loli_file_index(&f, e);
	if (st == ST_BAD || st == ST_LIMIT) {
		cut = *e;
		if (f.diff.records) {
			st = ST_OK;
			*e = (struct err)ERR_INIT;
		}
	}
	if (!st && loli_diff_is(&f.diff) && !f.chart.points && !f.n_frees && !f.shots && !f.n_map)
		st = err_set(e, ST_UNSUPPORTED,
			     "the file is a comparison of two captures, "
			     "not a capture");
	if (!st)
		st = loli_file_second_pass(&f, !cut.code, e);
	if (!st && cut.code) {
		*e = cut;
		st = cut.code;
	}
	loli_file_release(&f);
	return st;
}

static int loli_file_bid(const uint8_t *head, size_t n, bool whole)
{
	uint32_t version = n >= 8 ? be32(head + 4) : 0;

	(void)whole;
	if (n < 4 || be32(head) != 0xA4B3C2D1)
		return 0;
	return version >= 100 && version < 200 ? 56 : 32;
}

const struct reader reader_loli = {
    .name = "loli",
    .family = "LoliProfiler",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_TIME |
		    CAPABILITY_THREADS | CAPABILITY_COUNTERS | CAPABILITY_ADDRESSES,
    .what = "LoliProfiler: saved capture (.loli 105, 106, 107)",
    .suffixes = "loli",
    .rewinds = true,
    .bid = loli_file_bid,
    .read = loli_file_read,
};
