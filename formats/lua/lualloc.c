/* SPDX-License-Identifier: MIT */
#include "formats/lua/lualloc.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTER_EVERY = 10000000 /* ns, where there are no frames */ };
static const uint64_t size_limit = (uint64_t)1 << 48;
enum { TAG_STRING = 4, TAG_TABLE, TAG_FUNCTION, TAG_USERDATA, TAG_THREAD, TAG_LAST = 10 };

struct lualloc_kind {
	uint32_t type;     /* of the trace */
	uint32_t counter;  /* "lua.reallocs.Table"; 0: not made */
	uint64_t reallocs; /* since the counter's last event */
};

struct lualloc_block {
	uint64_t size;
	uint32_t kind; /* of a hole: the next one, + 1 */
};

struct lualloc_reading {            /* from lualloc_begin to lualloc_release */
	struct lualloc_kind *kinds; /* [0] unused */
	size_t n_kinds, cap_kinds;
	struct map64 by_type, by_number; /* kinds */
	struct map64 by_address;         /* blocks + 1 */
	struct map64 threads;            /* of ud */
	struct lualloc_block *blocks;
	size_t n_blocks, cap_blocks;
	uint32_t hole; /* the first, + 1 */
	uint32_t other, early, heap_counter;
	bool has_frame, has_last, has_heap_base;
	uint64_t frame, records;
	int64_t heap; /* bytes; from 0 or what the header says */
	int64_t last; /* time of the last heap counter */
	bool has_start;
	int64_t start; /* the first time of the log */
	uint64_t failed, idle, before, sizes, twice, back, unnumbered, huge;
};

static uint32_t kind_of_type(struct lualloc *l, uint32_t type)
{
	struct lualloc_reading *x = l->reading;
	uint32_t *at = map64_put(&x->by_type, type);

	if (!*at) {
		VEC_PUSH(x->kinds, x->n_kinds, x->cap_kinds) = (struct lualloc_kind){.type = type};
		*at = (uint32_t)(x->n_kinds - 1);
	}
	return *at;
}

uint32_t lualloc_kind_name(struct lualloc *l, const char *s, size_t n)
{
	return kind_of_type(l, trace_type(l->im->t, s, n));
}

/* NULL: no kind of object. */
static const char *tag_name(const struct lualloc *l, uint64_t tag)
{
	static const char *const names[] = {"String", "Table", "Function", "UserData", "Thread"};
	if (l->lua && l->lua < 52)
		return NULL;
	if (tag >= TAG_STRING && tag <= TAG_THREAD)
		return names[tag - TAG_STRING];
	switch (l->lua) {
	case 52: return tag == 9 ? "Proto" : tag == 10 ? "UpVal" : NULL;
	case 53: return tag == 9 ? "Proto" : NULL;
	case 54: return tag == 9 ? "UpVal" : tag == 10 ? "Proto" : NULL;
	default: return NULL;
	}
}

uint32_t lualloc_kind_number(struct lualloc *l, uint64_t number)
{
	struct lualloc_reading *x = l->reading;
	uint32_t kind = map64_get(&x->by_number, number);
	const char *name = tag_name(l, number);
	char text[40];

	if (kind)
		return kind;
	if (!name) {
		snprintf(text, sizeof text, "kind %" PRIu64, number);
		name = text;
	}
	kind = lualloc_kind_name(l, name, strlen(name));
	*map64_put(&x->by_number, number) = kind;
	return kind;
}

/* What osize says where there is no block yet. Lua passes sizes of arrays of other things there
 * too, so only the numbers of kinds count. */
static uint32_t kind_of_osize(struct lualloc *l, uint64_t osize)
{
	struct lualloc_reading *x = l->reading;

	if (tag_name(l, osize))
		return lualloc_kind_number(l, osize);
	if (!l->lua && osize > TAG_THREAD && osize <= TAG_LAST) {
		x->unnumbered++;
		return lualloc_kind_number(l, osize);
	}
	return x->other;
}

enum status lualloc_begin(struct lualloc *l, const uint64_t *heap, struct err *e)
{
	struct lualloc_reading *x = mem_zalloc(sizeof *x);
	struct trace *t = l->im->t;
	char text[16];

	l->reading = x;
	if (l->lua) {
		snprintf(text, sizeof text, "%u.%u", l->lua / 10, l->lua % 10);
		trace_set(t, "lua", text);
	}
	if (heap) {
		x->heap = (int64_t)*heap;
		x->has_heap_base = true;
	}
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	if (!l->no_addresses)
		trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	VEC_PUSH(x->kinds, x->n_kinds, x->cap_kinds) = (struct lualloc_kind){.type = 0};
	x->other = lualloc_kind_name(l, "other", 5);
	x->heap_counter = emit_counter_id(l->im, "lua.heap", "B");
	return import_begin(l->im, e);
}

static enum status lualloc_put_counters(struct lualloc *l, struct known_number time, struct err *e)
{
	struct lualloc_reading *x = l->reading;
	enum status st = emit_counter(l->im, x->heap_counter, time, x->heap, e);

	for (size_t i = 1; !st && i < x->n_kinds; i++) {
		struct lualloc_kind *k = &x->kinds[i];

		if (!k->reallocs)
			continue;
		if (!k->counter) {
			struct buf name = BUF_INIT;

			buf_addf(&name, "lua.reallocs.%s",
				 trace_text(l->im->t, l->im->t->types[k->type]));
			k->counter = emit_counter_id(l->im, buf_str(&name), "");
			buf_release(&name);
		}
		st = emit_counter(l->im, k->counter, time, (int64_t)k->reallocs, e);
		k->reallocs = 0;
	}
	x->has_last = time.is;
	x->last = (int64_t)time.v;
	return st;
}

/* The first time is 0, whatever the clock of the log began with. */
static int64_t lualloc_since_start(struct lualloc *l, int64_t time)
{
	struct lualloc_reading *x = l->reading;
	int64_t since;

	if (!x->has_start) {
		x->has_start = true;
		x->start = time;
	}
	if (__builtin_sub_overflow(time, x->start, &since))
		return time < 0 ? INT64_MIN : INT64_MAX;
	return since;
}

static enum status begin_frame(struct lualloc *l, uint64_t number, struct known_number time,
			       struct err *e)
{
	struct lualloc_reading *x = l->reading;
	enum status st = ST_OK;

	if (x->has_frame && number == x->frame)
		return ST_OK;
	if (x->has_frame) {
		x->back += number < x->frame;
		st = lualloc_put_counters(l, time, e);
	}
	x->has_frame = true;
	x->frame = number;
	return st ? st : emit_frame(l->im, KNOWN(number), time, e);
}

enum status lualloc_frame(struct lualloc *l, uint64_t number, bool has_time, int64_t time,
			  struct err *e)
{
	return begin_frame(l, number, has_time ? KNOWN(lualloc_since_start(l, time)) : ABSENT, e);
}

/* Also of a free: the size the block had goes to *size. False: the block is not known. */
static bool pop_block(struct lualloc *l, uint64_t address, struct lualloc_block *b)
{
	struct lualloc_reading *x = l->reading;
	uint32_t at = map64_get(&x->by_address, address);

	if (!at)
		return false;
	*b = x->blocks[at - 1];
	x->blocks[at - 1].kind = x->hole;
	x->hole = at;
	map64_remove(&x->by_address, address);
	return true;
}

static void lualloc_add_block(struct lualloc *l, uint64_t address, uint64_t size, uint32_t kind)
{
	struct lualloc_reading *x = l->reading;
	struct lualloc_block old;
	uint32_t at;

	if (pop_block(l, address, &old)) {
		x->twice++;
		x->heap = (int64_t)((uint64_t)x->heap - old.size);
	}
	at = x->hole;
	if (at) {
		x->hole = x->blocks[at - 1].kind;
	} else {
		VEC_PUSH(x->blocks, x->n_blocks, x->cap_blocks) = (struct lualloc_block){.size = 0};
		at = (uint32_t)x->n_blocks;
	}
	x->blocks[at - 1] = (struct lualloc_block){size, kind};
	*map64_put(&x->by_address, address) = at;
}

static uint32_t thread_of(struct lualloc *l, uint64_t ud)
{
	uint32_t *at = map64_put(&l->reading->threads, ud);
	struct thread th = {.tid = ud};
	char text[32];

	if (!*at) {
		snprintf(text, sizeof text, "ud 0x%" PRIx64, ud);
		th.name = trace_strz(l->im->t, text);
		*at = trace_thread(l->im->t, &th);
	}
	return *at;
}

static enum status put_free(struct lualloc *l, const struct lualloc_record *r, struct err *e)
{
	const struct emit_free end = {.address = r->ptr,
				      .domain = KNOWN(DOMAIN_LUA),
				      .thread = r->has & LUALLOC_UD ? thread_of(l, r->ud) : 0,
				      .time = KNOWN_IF(r->has & LUALLOC_TIME, r->time)};

	return emit_free(l->im, &end, e);
}

static enum status put_alloc(struct lualloc *l, const struct lualloc_record *r, uint32_t kind,
			     struct err *e)
{
	const struct emit_alloc alloc = {.type = l->reading->kinds[kind].type,
					 .requested = KNOWN(r->nsize),
					 .address = KNOWN_IF(r->has & LUALLOC_RESULT, r->result),
					 .domain = KNOWN(DOMAIN_LUA),
					 .thread = r->has & LUALLOC_UD ? thread_of(l, r->ud) : 0,
					 .time = KNOWN_IF(r->has & LUALLOC_TIME, r->time)};

	if (r->has & LUALLOC_RESULT)
		lualloc_add_block(l, r->result, r->nsize, kind);
	return emit_alloc(l->im, &alloc, e);
}

/* The end of a block, or of the part of it that a realloc takes. */
static enum status release_block(struct lualloc *l, const struct lualloc_record *r, uint32_t *kind,
				 struct err *e)
{
	struct lualloc_reading *x = l->reading;
	struct lualloc_block b = {.size = 0};
	bool known = pop_block(l, r->ptr, &b);

	if (known) {
		*kind = b.kind;
		x->sizes += b.size != r->osize;
	} else {
		if (!x->early)
			x->early = lualloc_kind_name(l, "unknown", 7);
		*kind = x->early;
		x->before += !l->no_addresses;
	}
	x->heap = (int64_t)((uint64_t)x->heap - (known ? b.size : r->osize));
	return put_free(l, r, e);
}

static enum status lualloc_call(struct lualloc *l, const struct lualloc_record *r, struct err *e)
{
	struct lualloc_reading *x = l->reading;
	bool failed = r->nsize && (r->has & LUALLOC_RESULT) && !r->result;
	uint32_t kind = LUALLOC_KIND_NONE;
	enum status st = ST_OK;

	x->failed += failed;
	x->idle += !r->ptr && !r->nsize;
	if (failed)
		return ST_OK;
	if (r->ptr)
		st = release_block(l, r, &kind, e);
	else if (r->nsize)
		kind = kind_of_osize(l, r->osize);
	if (r->kind)
		kind = r->kind;
	if (st || !r->nsize)
		return st;
	x->kinds[kind].reallocs += r->ptr != 0;
	x->heap = (int64_t)((uint64_t)x->heap + r->nsize);
	return put_alloc(l, r, kind, e);
}

enum status lualloc_record(struct lualloc *l, const struct lualloc_record *record, struct err *e)
{
	struct lualloc_reading *x = l->reading;
	struct lualloc_record own = *record, *r = &own;
	bool has_time = r->has & LUALLOC_TIME;
	enum status st = ST_OK;

	if (has_time)
		r->time = lualloc_since_start(l, r->time);
	x->records++;
	if ((r->ptr ? r->osize : 0) > size_limit || r->nsize > size_limit) {
		x->huge++;
		return ST_OK;
	}
	if (r->has & LUALLOC_FRAME)
		st = begin_frame(l, r->frame, KNOWN_IF(has_time, r->time), e);
	if (!st)
		st = lualloc_call(l, r, e);
	if (st || x->has_frame || !has_time)
		return st;
	if (!x->has_last) {
		x->has_last = true;
		x->last = r->time;
	}
	return r->time / COUNTER_EVERY > x->last / COUNTER_EVERY
		   ? lualloc_put_counters(l, KNOWN(r->time), e)
		   : ST_OK;
}

enum status lualloc_end(struct lualloc *l, const uint64_t *records, struct err *e)
{
	struct lualloc_reading *x = l->reading;
	enum status st = lualloc_put_counters(l, KNOWN_IF(x->has_last, x->last), e);
	struct trace *t = l->im->t;

	if (!records)
		trace_note(t, NOTE_LOSS, 0,
			   "the log has no end record: it was cut short, or its program did "
			   "not close it");
	else if (*records != x->records)
		trace_note(t, NOTE_LOSS, 0,
			   "the log has %" PRIu64 " records, but its end record says %" PRIu64,
			   x->records, *records);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->huge, "records with a size above 256 TiB were left out"),
	    LOSS(NOTE_LOSS, x->twice,
		 "blocks were handed out twice without a free: frees are missing"),
	    LOSS(NOTE_LOSS, x->sizes,
		 "calls give an osize that is not the size of the block: the size of the block "
		 "counts"),
	    LOSS(NOTE_INFO, x->before,
		 "frees and reallocs are of blocks older than the log, whose kind is unknown"),
	    LOSS(NOTE_INFO, x->failed, "calls failed: they returned NULL"),
	    LOSS(NOTE_INFO, x->idle, "calls had nothing to allocate and nothing to free"),
	    LOSS(NOTE_INFO, x->back, "frame numbers are smaller than the number before them"),
	    LOSS(NOTE_GUESS, x->unnumbered,
		 "objects have kind 9 or 10, whose meaning depends on the version of Lua: the log "
		 "does not state the version"),
	    LOSS_IF(NOTE_INFO, l->no_addresses,
		    "the log has no addresses of new blocks: live bytes are unknown"),
	    LOSS_IF(NOTE_INFO, x->before && !x->has_heap_base,
		    "lua.heap begins at 0: the log does not state how much was in use before"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

void lualloc_release(struct lualloc *l)
{
	struct lualloc_reading *x = l->reading;

	if (!x)
		return;
	free(x->kinds);
	free(x->blocks);
	map64_release(&x->by_type);
	map64_release(&x->by_number);
	map64_release(&x->by_address);
	map64_release(&x->threads);
	free(x);
	l->reading = NULL;
}
