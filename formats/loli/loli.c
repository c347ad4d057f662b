/* SPDX-License-Identifier: MIT */
#include "formats/loli/loli.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/utf.h"

#include <stdio.h>
#include <stdlib.h>

enum { STRING_LIMIT = 16 << 20 };

enum status loli_init(struct loli *l, struct import *im, const char *format, enum loli_frees frees,
		      struct err *e)
{
	const struct import_options *o = im->options;

	*l = (struct loli){.im = im, .format = format, .frees = frees};
	if (o->config) {
		enum status st = loli_config_read(&l->config, o->config, e);

		if (st)
			return st;
	}
	if (o->locations)
		l->kind = o->locations;
	else if (l->config.build == LOLI_BUILD_INSTRUMENTED)
		l->kind = LOCATION_ENTRY;
	else
		l->kind =
		    l->config.build == LOLI_BUILD_UNWIND ? LOCATION_RETURN : LOCATION_UNSTATED;
	l->space = o->offsets ? o->offsets : SPACE_OFFSET_OR_VADDR;
	return ST_OK;
}

static void forget(struct loli *l)
{
	loli_seqs_release(&l->seqs);
	map64_release(&l->stacks);
	intern_release(&l->libraries);
	l->n_modules = 0;
	l->bad_times = l->repeated = 0;
}

void loli_release(struct loli *l)
{
	forget(l);
	free(l->library_module);
	free(l->ids);
	loli_config_release(&l->config);
}

static enum metric_state recorded(const struct loli *l)
{
	uint64_t threshold = l->config.has_threshold ? l->config.threshold : LOLI_THRESHOLD_DEFAULT;

	switch (l->config.mode) {
	case LOLI_MODE_NOSTACK: return METRIC_EXACT;
	case LOLI_MODE_LOOSE: return METRIC_ESTIMATED;
	case LOLI_MODE_STRICT: return threshold > 1 ? METRIC_LOWER_BOUND : METRIC_EXACT;
	default: return METRIC_LOWER_BOUND;
	}
}

static void loli_notes(struct loli *l)
{
	struct trace *t = l->im->t;
	const struct loli_config *c = &l->config;

	if (c->mode == LOLI_MODE_UNKNOWN)
		trace_note(t, NOTE_GUESS, 0,
			   "the recording rule is unknown (%s): sizes and counts are assumed "
			   "to be lower bounds",
			   l->im->options->config ? "loli3.conf has no mode"
						  : "loli3.conf was not given");

	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_INFO, c->mode == LOLI_MODE_LOOSE,
		    "recorded in loose mode: sizes below the threshold are estimates, and counts "
		    "are counts of samples"),
	    LOSS_IF(NOTE_GUESS, c->build == LOLI_BUILD_INSTRUMENTED,
		    "in instrumented builds the agent drops the two innermost functions of every "
		    "stack"),
	    LOSS_IF(NOTE_INFO, c->hook_mmap, "mmap hook: each page of 4096 bytes is one record"),
	    LOSS(NOTE_INFO, c->refused, "lines of loli3.conf were not understood"),
	    LOSS_IF(NOTE_GUESS, l->frees == LOLI_FREES,
		    "agents v0.9.9b to v1.2.5 lose the free of a block that realloc moves: some "
		    "live blocks may be such false leaks, and no capture shows which"),
	    LOSS_IF(NOTE_GUESS, l->frees == LOLI_FREES_NONE,
		    "the format has no frees: every record counts as live"),
	    LOSS_IF(NOTE_INFO, l->frees == LOLI_FREES_UNKNOWN,
		    "the format has no frees: live bytes are unknown"),
	};

	TRACE_LOSSES(t, losses);
}

void loli_describe(struct loli *l)
{
	static const char *const modes[] = {"unknown", "strict", "loose", "nostack"};
	struct trace *t = l->im->t;
	enum metric_state state = recorded(l);
	const char *text = l->config.text.data;
	const char *end = text ? text + l->config.text.len : NULL;
	static const enum metric_state live[] = {METRIC_ABSENT, METRIC_ABSENT, METRIC_ESTIMATED,
						 METRIC_ABSENT};

	trace_metric(t, METRIC_COUNT, state, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, state, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, l->frees == LOLI_FREES ? state : live[l->frees],
		     METRIC_AT_ALL);
	trace_set(t, "format", l->format);
	if (l->frees != LOLI_FREES_SUMMED) {
		trace_set(t, "clock", "wall");
		trace_set(t, "time_resolution_ns", "1000000");
	}
	if (l->im->options->config)
		trace_set(t, "loli.mode", modes[l->config.mode]);
	while (text != end) {
		const char *value = text + strlen(text) + 1;
		char key[32];

		snprintf(key, sizeof key, "loli.%s", text);
		if (strcmp(text, "mode") != 0)
			trace_set(t, key, value);
		text = value + strlen(value) + 1;
	}
	loli_notes(l);
	t->unordered = true;
}

enum status loli_begin(struct loli *l, struct err *e)
{
	loli_describe(l);
	return import_begin(l->im, e);
}

void loli_needs_maps(struct loli *l)
{
	if (!l->im->options->maps)
		trace_note(l->im->t, NOTE_INFO, 0,
			   "the format has no memory map: addresses need the smaps text of the "
			   "process (--maps)");
}

void loli_end(struct loli *l)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, l->bad_times, "records have a time outside 292 years: left out"),
	    LOSS(NOTE_GUESS, l->repeated,
		 "records have the number of another record: two runs of the application may be "
		 "mixed"),
	};

	TRACE_LOSSES(l->im->t, losses);
	forget(l);
}

static uint32_t find_module(const struct trace *t, const char *name, size_t n)
{
	uint32_t found = 0, matches = 0;

	for (uint32_t id = 1; id < t->n_modules; id++) {
		size_t len;
		const char *s = intern_text(&t->strings, t->modules[id].name, &len);

		if (len == n && !memcmp(s, name, n))
			return id;
		s = path_name_n(s, &len);
		if (len == n && !memcmp(s, name, n)) {
			found = id;
			matches++;
		}
	}
	return matches == 1 ? found : 0;
}

/* The place of a library's module id, made with 0. */
static uint32_t *library_place(struct loli *l, const char *name, size_t n)
{
	uint32_t library = intern_add(&l->libraries, name, n);

	while (l->n_modules <= library)
		VEC_PUSH(l->library_module, l->n_modules, l->cap_modules) = 0;
	return &l->library_module[library];
}

void loli_module_mapped(struct loli *l, const char *name, size_t n, struct map_range *ranges,
			uint32_t n_ranges)
{
	uint32_t *place = library_place(l, name, n);
	struct module m = {
	    .name = trace_string(l->im->t, name, n), .ranges = ranges, .n_ranges = n_ranges};
	uint32_t id = trace_module(l->im->t, &m);

	if (!*place)
		*place = id;
}

uint32_t loli_module(struct loli *l, const char *name, size_t n)
{
	struct trace *t = l->im->t;
	uint32_t *place = library_place(l, name, n);

	if (!*place && l->im->options->maps)
		*place = find_module(t, name, n);
	if (!*place)
		*place = trace_module(t, &(struct module){.name = trace_string(t, name, n)});
	return *place;
}

bool loli_library_known(const char *name, size_t n)
{
	return n && !(n == 7 && !memcmp(name, "unknown", 7));
}

uint32_t loli_location(struct loli *l, const char *library, size_t n, uint64_t addr, uint32_t name)
{
	struct location at = {.raw = addr, .name = name, .kind = l->kind};

	if (loli_library_known(library, n)) {
		at.space = l->space;
		at.module = loli_module(l, library, n);
	} else {
		at.space = SPACE_RUNTIME;
	}
	return trace_location(l->im->t, &at);
}

uint32_t loli_runtime_stack(struct loli *l, struct loli_key key, const uint8_t *frames, size_t n,
			    bool big_endian)
{
	uint32_t *stack;

	if (!n)
		return 0;
	stack = loli_keys_put(&l->stacks, key);
	if (*stack)
		return *stack;
	if (l->cap_ids < n)
		l->ids = mem_grow(l->ids, &l->cap_ids, n, sizeof *l->ids);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = frames + i * 8;

		l->ids[i] = trace_location(l->im->t,
					   &(struct location){.raw = big_endian ? be64(p) : le64(p),
							      .space = SPACE_RUNTIME,
							      .kind = l->kind});
	}
	return *stack = trace_stack_of(l->im->t, l->ids, n);
}

uint32_t loli_library_stack(struct loli *l, const char *name, size_t n)
{
	struct location at = {.space = SPACE_UNKNOWN};

	if (!loli_library_known(name, n))
		return 0;
	at.module = loli_module(l, name, n);
	return trace_stack(l->im->t, 0, trace_location(l->im->t, &at));
}

enum status loli_alloc(struct loli *l, uint64_t seq, int64_t ms, uint32_t size, uint64_t addr,
		       uint32_t stack, struct err *e)
{
	struct emit_alloc alloc = {.stack = stack,
				   .seq = KNOWN(seq),
				   .address = KNOWN(addr),
				   .requested = KNOWN(size),
				   .domain = KNOWN_IF(l->config.hook_mmap, DOMAIN_MMAP)};
	int64_t ns;

	if (__builtin_mul_overflow(ms, 1000000, &ns))
		l->bad_times++;
	else
		alloc.time = KNOWN(ns);
	return emit_alloc(l->im, &alloc, e);
}

enum status loli_free(struct loli *l, bool freed, uint64_t addr, uint64_t seq, struct err *e)
{
	const struct emit_free end = {.seq = KNOWN(seq),
				      .address = addr,
				      .domain = KNOWN_IF(l->config.hook_mmap, DOMAIN_MMAP)};

	return freed ? emit_freed(l->im, &end, e) : emit_free(l->im, &end, e);
}

bool loli_diff_is(const struct loli_diff *d)
{
	return d->records && !d->timed && !d->placed && (d->negative || !d->unnumbered);
}

/* The bytes of a QString; NULL with *n = 0 when it is empty or null. */
static const uint8_t *string_bytes(struct cursor *c, uint32_t *n, const char *what)
{
	const uint8_t *p = cursor_bytes(c, 4, what);

	*n = p ? be32(p) : 0;
	if (*n == UINT32_MAX)
		*n = 0;
	if (*n % 2)
		cursor_fail(c, ST_BAD, "%s: the string of %u bytes is not UTF-16", what, *n);
	else if (*n > STRING_LIMIT)
		cursor_fail(c, ST_LIMIT, "%s: the string of %u bytes is above the limit of %d",
			    what, *n, STRING_LIMIT);
	p = *n ? cursor_bytes(c, *n, what) : NULL;
	if (!p)
		*n = 0;
	return p;
}

void loli_string(struct cursor *c, struct buf *out, const char *what)
{
	uint32_t n;
	const uint8_t *p = string_bytes(c, &n, what);

	out->len = 0;
	buf_reserve(out, 1);
	if (p)
		utf16_to_utf8(out, p, n, true);
}

void loli_string_skip(struct cursor *c, const char *what)
{
	uint32_t n;

	string_bytes(c, &n, what);
}

bool loli_uuid(struct cursor *c, struct loli_key *key)
{
	uint32_t n;
	const uint8_t *p = string_bytes(c, &n, "stack id");

	if (p)
		*key = loli_key_uuid(p, n);
	return p != NULL;
}
