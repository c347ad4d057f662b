/* SPDX-License-Identifier: MIT */
#include "formats/lua/lualloc.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTER_EVERY = 10000000 /* ns, where there are no frames */ };
static const uint64_t size_limit = (uint64_t)1 << 48;
enum { TAG_STRING = 4, TAG_TABLE, TAG_FUNCTION, TAG_USERDATA, TAG_THREAD, TAG_LAST = 10 };

static uint32_t kind_of_type(struct lualloc *l, uint32_t type)
{
	uint32_t *at = map64_put(&l->by_type, type);

	if (!*at) {
		VEC_PUSH(l->kinds, l->n_kinds, l->cap_kinds) = (struct lualloc_kind){.type = type};
		*at = (uint32_t)(l->n_kinds - 1);
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
	uint32_t kind = map64_get(&l->by_number, number);
	const char *name = tag_name(l, number);
	char text[40];

	if (kind)
		return kind;
	if (!name) {
		snprintf(text, sizeof text, "kind %" PRIu64, number);
		name = text;
	}
	kind = lualloc_kind_name(l, name, strlen(name));
	*map64_put(&l->by_number, number) = kind;
	return kind;
}

/* What osize says where there is no block yet. Lua passes sizes of arrays of other things there
 * too, so only the numbers of kinds count. */
static uint32_t kind_of_osize(struct lualloc *l, uint64_t osize)
{
	if (tag_name(l, osize))
		return lualloc_kind_number(l, osize);
	if (!l->lua && osize > TAG_THREAD && osize <= TAG_LAST) {
		l->unnumbered++;
		return lualloc_kind_number(l, osize);
	}
	return l->other;
}

static uint32_t counter_of(struct lualloc *l, const char *name, const char *unit)
{
	struct trace *t = l->im->t;
	struct counter c = {trace_strz(t, name), trace_strz(t, unit)};

	return trace_counter(t, &c);
}

enum status lualloc_begin(struct lualloc *l, const uint64_t *heap, struct err *e)
{
	struct trace *t = l->im->t;
	char text[16];

	if (l->lua) {
		snprintf(text, sizeof text, "%u.%u", l->lua / 10, l->lua % 10);
		trace_set(t, "lua", text);
	}
	if (heap) {
		l->heap = (int64_t)*heap;
		l->has_heap_base = true;
	}
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	if (!l->no_addresses)
		trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	l->n_kinds = 0;
	VEC_PUSH(l->kinds, l->n_kinds, l->cap_kinds) = (struct lualloc_kind){.type = 0};
	l->other = lualloc_kind_name(l, "other", 5);
	l->heap_counter = counter_of(l, "lua.heap", "B");
	return import_begin(l->im, e);
}

static enum status put_counter(struct lualloc *l, uint32_t counter, int64_t value, bool has_time,
			       int64_t time, struct err *e)
{
	struct event ev = {
	    .kind = EV_COUNTER, .has = EV_HAS_TYPE | EV_HAS_VALUE, .type = counter, .value = value};

	if (has_time) {
		ev.has |= EV_HAS_TIME;
		ev.time = time;
	}
	return import_event(l->im, &ev, e);
}

static enum status lualloc_put_counters(struct lualloc *l, bool has_time, int64_t time,
					struct err *e)
{
	enum status st = put_counter(l, l->heap_counter, l->heap, has_time, time, e);

	for (size_t i = 1; !st && i < l->n_kinds; i++) {
		struct lualloc_kind *k = &l->kinds[i];

		if (!k->reallocs)
			continue;
		if (!k->counter) {
			struct buf name = BUF_INIT;

			buf_addf(&name, "lua.reallocs.%s",
				 trace_text(l->im->t, l->im->t->types[k->type]));
			k->counter = counter_of(l, buf_str(&name), "");
			buf_release(&name);
		}
		st = put_counter(l, k->counter, (int64_t)k->reallocs, has_time, time, e);
		k->reallocs = 0;
	}
	l->has_last = has_time;
	l->last = time;
	return st;
}

enum status lualloc_frame(struct lualloc *l, uint64_t number, bool has_time, int64_t time,
			  struct err *e)
{
	struct event ev = {.kind = EV_FRAME, .has = EV_HAS_VALUE, .value = (int64_t)number};
	enum status st = ST_OK;

	if (l->has_frame && number == l->frame)
		return ST_OK;
	if (l->has_frame) {
		l->back += number < l->frame;
		st = lualloc_put_counters(l, has_time, time, e);
	}
	l->has_frame = true;
	l->frame = number;
	if (has_time) {
		ev.has |= EV_HAS_TIME;
		ev.time = time;
	}
	return st ? st : import_event(l->im, &ev, e);
}

/* Also of a free: the size the block had goes to *size. False: the block is not known. */
static bool take_block(struct lualloc *l, uint64_t address, struct lualloc_block *b)
{
	uint32_t at = map64_get(&l->by_address, address);

	if (!at)
		return false;
	*b = l->blocks[at - 1];
	l->blocks[at - 1].kind = l->hole;
	l->hole = at;
	map64_remove(&l->by_address, address);
	return true;
}

static void lualloc_add_block(struct lualloc *l, uint64_t address, uint64_t size, uint32_t kind)
{
	struct lualloc_block old;
	uint32_t at;

	if (take_block(l, address, &old)) {
		l->twice++;
		l->heap = (int64_t)((uint64_t)l->heap - old.size);
	}
	at = l->hole;
	if (at) {
		l->hole = l->blocks[at - 1].kind;
	} else {
		VEC_PUSH(l->blocks, l->n_blocks, l->cap_blocks) = (struct lualloc_block){.size = 0};
		at = (uint32_t)l->n_blocks;
	}
	l->blocks[at - 1] = (struct lualloc_block){size, kind};
	*map64_put(&l->by_address, address) = at;
}

static uint32_t thread_of(struct lualloc *l, uint64_t ud)
{
	uint32_t *at = map64_put(&l->threads, ud);
	struct thread th = {.tid = ud};
	char text[32];

	if (!*at) {
		snprintf(text, sizeof text, "ud 0x%" PRIx64, ud);
		th.name = trace_strz(l->im->t, text);
		*at = trace_thread(l->im->t, &th);
	}
	return *at;
}

static enum status put(struct lualloc *l, const struct lualloc_record *r, struct event *ev,
		       struct err *e)
{
	ev->has |= EV_HAS_DOMAIN;
	ev->domain = DOMAIN_LUA;
	if (r->has & LUALLOC_UD) {
		ev->has |= EV_HAS_THREAD;
		ev->thread = thread_of(l, r->ud);
	}
	if (r->has & LUALLOC_TIME) {
		ev->has |= EV_HAS_TIME;
		ev->time = r->time;
	}
	return import_event(l->im, ev, e);
}

static enum status put_free(struct lualloc *l, const struct lualloc_record *r, struct err *e)
{
	struct event ev = {.kind = EV_FREE, .has = EV_HAS_ADDRESS, .address = r->ptr};

	return put(l, r, &ev, e);
}

static enum status put_alloc(struct lualloc *l, const struct lualloc_record *r, uint32_t kind,
			     struct err *e)
{
	struct event ev = {.kind = EV_ALLOC,
			   .has = EV_HAS_TYPE | EV_HAS_REQUESTED,
			   .type = l->kinds[kind].type,
			   .requested = r->nsize};

	if (r->has & LUALLOC_RESULT) {
		ev.has |= EV_HAS_ADDRESS;
		ev.address = r->result;
		lualloc_add_block(l, r->result, r->nsize, kind);
	}
	return put(l, r, &ev, e);
}

/* The end of a block, or of the part of it that a realloc takes. */
static enum status release_block(struct lualloc *l, const struct lualloc_record *r, uint32_t *kind,
				 struct err *e)
{
	struct lualloc_block b = {.size = 0};
	bool known = take_block(l, r->ptr, &b);

	if (known) {
		*kind = b.kind;
		l->sizes += b.size != r->osize;
	} else {
		if (!l->early)
			l->early = lualloc_kind_name(l, "unknown", 7);
		*kind = l->early;
		l->before += !l->no_addresses;
	}
	l->heap = (int64_t)((uint64_t)l->heap - (known ? b.size : r->osize));
	return put_free(l, r, e);
}

static enum status lualloc_call(struct lualloc *l, const struct lualloc_record *r, struct err *e)
{
	bool failed = r->nsize && (r->has & LUALLOC_RESULT) && !r->result;
	uint32_t kind = LUALLOC_KIND_NONE;
	enum status st = ST_OK;

	l->failed += failed;
	l->idle += !r->ptr && !r->nsize;
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
	l->kinds[kind].reallocs += r->ptr != 0;
	l->heap = (int64_t)((uint64_t)l->heap + r->nsize);
	return put_alloc(l, r, kind, e);
}

enum status lualloc_record(struct lualloc *l, const struct lualloc_record *r, struct err *e)
{
	bool has_time = r->has & LUALLOC_TIME;
	enum status st = ST_OK;

	l->records++;
	if ((r->ptr ? r->osize : 0) > size_limit || r->nsize > size_limit) {
		l->huge++;
		return ST_OK;
	}
	if (r->has & LUALLOC_FRAME)
		st = lualloc_frame(l, r->frame, has_time, r->time, e);
	if (!st)
		st = lualloc_call(l, r, e);
	if (st || l->has_frame || !has_time)
		return st;
	if (!l->has_last) {
		l->has_last = true;
		l->last = r->time;
	}
	return r->time / COUNTER_EVERY > l->last / COUNTER_EVERY
		   ? lualloc_put_counters(l, true, r->time, e)
		   : ST_OK;
}

static void note(struct lualloc *l, enum severity severity, uint64_t count, const char *text)
{
	if (count)
		trace_note(l->im->t, severity, count, "%s", text);
}

enum status lualloc_end(struct lualloc *l, const uint64_t *records, struct err *e)
{
	enum status st = lualloc_put_counters(l, l->has_last, l->last, e);
	struct trace *t = l->im->t;

	if (!records)
		trace_note(t, NOTE_LOSS, 0,
			   "the log has no end: it was cut, or its program did not close it");
	else if (*records != l->records)
		trace_note(t, NOTE_LOSS, 0,
			   "the log has %" PRIu64 " records and says that it has %" PRIu64,
			   l->records, *records);
	note(l, NOTE_LOSS, l->huge, "records with a size above 256 TiB were left out");
	note(l, NOTE_LOSS, l->twice,
	     "blocks were handed out that were not freed: frees are missing");
	note(l, NOTE_LOSS, l->sizes,
	     "calls name another osize than the block was made with: the block's counts");
	note(l, NOTE_INFO, l->before,
	     "frees and reallocs are of blocks from before the log, whose kind it does not say");
	note(l, NOTE_INFO, l->failed, "calls failed: they returned NULL");
	note(l, NOTE_INFO, l->idle, "calls asked for nothing and had nothing to free");
	note(l, NOTE_INFO, l->back, "frame numbers are smaller than the one before");
	note(
	    l, NOTE_GUESS, l->unnumbered,
	    "objects of kind 9 or 10, which depend on the version of Lua: the log does not say it");
	if (l->no_addresses)
		trace_note(t, NOTE_INFO, 0,
			   "the log has no addresses of new blocks: what is live is not known");
	if (l->before && !l->has_heap_base)
		trace_note(t, NOTE_INFO, 0,
			   "lua.heap begins at 0: the log does not say what was in use before it");
	return st;
}

void lualloc_release(struct lualloc *l)
{
	free(l->kinds);
	free(l->blocks);
	map64_release(&l->by_type);
	map64_release(&l->by_number);
	map64_release(&l->by_address);
	map64_release(&l->threads);
}
