/* SPDX-License-Identifier: MIT
 *
 * A reader of LoliProfiler captures from memory that keeps the sink's input as text: a line per
 * event, then per capture its modules and notes.
 */
#ifndef TM_TESTS_UNIT_LOLI_H
#define TM_TESTS_UNIT_LOLI_H

#include "tests/unit/test.h"

#include "formats/reader.h"
#include "testdata/gen/loli_traps.h"

#include <unistd.h>

struct collector {
	struct sink sink;
	struct buf text;     /* events; "end" after each capture */
	struct buf counters; /* "name=value@time" lines; no @ without a time */
	struct buf notes;    /* "severity count text" lines, modules, metrics, attributes */
	uint64_t allocs, bytes, frees, freed;
	unsigned captures;
	uint64_t fail_after; /* events; 0: never */
	bool quiet;          /* only count */
	enum status status;
	bool lossy;
	struct err e;
	int bid; /* of the winner */
	const struct reader *reader;
};

static inline void add_stack(struct buf *b, const struct trace *t, uint32_t stack)
{
	for (; stack; stack = t->stacks[stack].parent) {
		const struct location *l = &t->locations[t->stacks[stack].location];
		const char *kind = l->kind ? location_kind_name(l->kind) : "";

		buf_addf(b, " %s%s", kind, l->kind ? ":" : "");
		if (l->module)
			buf_addf(b, "%s!", trace_text(t, t->modules[l->module].name));
		if (l->space == SPACE_NAME)
			buf_addf(b, "%s", trace_text(t, l->name));
		else if (l->space == SPACE_UNKNOWN)
			buf_addc(b, '?');
		else
			buf_addf(b, "%s%" PRIx64,
				 l->space == SPACE_RUNTIME           ? ""
				 : l->space == SPACE_OFFSET_OR_VADDR ? "~"
				 : l->space == SPACE_VADDR           ? "v"
								     : "o",
				 l->raw);
		if (l->space != SPACE_NAME && l->name)
			buf_addf(b, "(%s)", trace_text(t, l->name));
	}
}

static inline enum status on_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	(void)e;
	(void)t;
	c->captures++;
	return ST_OK;
}

static inline enum status on_event(struct sink *s, struct trace *t, const struct event *ev,
				   struct err *e)
{
	struct collector *c = (struct collector *)s;
	struct buf *b = &c->text;

	if (c->fail_after && !--c->fail_after)
		return err_set(e, ST_PIPE, "closed");
	c->allocs += ev->kind == EV_ALLOC;
	c->bytes += ev->kind == EV_ALLOC ? ev->requested : 0;
	c->frees += ev->kind == EV_FREE;
	c->freed += ev->kind == EV_FREED;
	if (ev->kind == EV_COUNTER) {
		buf_addf(&c->counters, "%s=%" PRId64, trace_text(t, t->counters[ev->type].name),
			 ev->value);
		if (ev->has & EV_HAS_TIME)
			buf_addf(&c->counters, "@%" PRId64, ev->time);
		buf_addc(&c->counters, '\n');
	}
	if (c->quiet || ev->kind == EV_COUNTER)
		return ST_OK;
	buf_addf(b, "%s %" PRIu64 " @%" PRIx64, event_kind_name(ev->kind), ev->seq, ev->address);
	if (ev->has & EV_HAS_TIME)
		buf_addf(b, " %" PRId64, ev->time);
	if (ev->has & EV_HAS_REQUESTED)
		buf_addf(b, " %" PRIu64, ev->requested);
	if (ev->has & EV_HAS_DOMAIN)
		buf_addf(b, " %s", domain_name(ev->domain));
	if (ev->has & (EV_HAS_COUNT | EV_HAS_REAL | EV_HAS_THREAD | EV_HAS_TYPE))
		buf_adds(b, " too much");
	if (ev->has & EV_HAS_STACK)
		add_stack(b, t, ev->stack);
	buf_addc(b, '\n');
	return ST_OK;
}

static inline enum status on_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				   struct err *e)
{
	return sink_each(s, t, b, e, on_event);
}

static inline enum status on_end(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	(void)e;
	buf_adds(&c->text, "end\n");
	for (size_t i = 1; i < t->n_modules; i++) {
		const struct module *m = &t->modules[i];

		buf_addf(&c->notes, "module %s", trace_text(t, m->name));
		for (uint32_t k = 0; k < m->n_ranges; k++)
			buf_addf(&c->notes, " %" PRIx64 "-%" PRIx64 "+%" PRIx64 "%s",
				 m->ranges[k].lo, m->ranges[k].hi, m->ranges[k].offset,
				 m->ranges[k].executable ? "x" : "");
		buf_addc(&c->notes, '\n');
	}
	for (size_t i = 0; i < t->n_notes; i++)
		buf_addf(&c->notes, "%s %" PRIu64 " %s\n", severity_name(t->notes[i].severity),
			 t->notes[i].count, t->notes[i].text);
	for (int m = 0; m < METRICS; m++)
		buf_addf(&c->notes, "%s %s\n", metric_name((unsigned)m),
			 metric_state_name(t->metrics[m].state));
	for (size_t i = 0; i < t->n_attributes; i++)
		buf_addf(&c->notes, "%s=%s\n", t->attributes[i].key, t->attributes[i].value);
	if (!t->unordered)
		buf_adds(&c->notes, "ordered\n");
	return ST_OK;
}

static inline void collect(struct collector *c, const void *p, size_t n,
			   const struct import_options *o)
{
	static const struct import_options none;
	struct input in;

	c->sink = (struct sink){.begin = on_begin, .batch = on_batch, .end = on_end};
	c->e = (struct err)ERR_INIT;
	c->reader = reader_by_bid(p, n, true, &c->bid);
	input_memory(&in, "test", p, n, &c->e);
	c->status = capture_read(&in, o ? o : &none, &c->sink, &c->lossy, &c->e);
	input_close(&in);
	buf_str(&c->text);
	buf_str(&c->notes);
	buf_str(&c->counters);
}

static inline void collect_release(struct collector *c)
{
	buf_release(&c->text);
	buf_release(&c->notes);
	buf_release(&c->counters);
	*c = (struct collector){0};
}

static inline void trap_bytes(const char *name, struct buf *b)
{
	for (int i = 0; i < LOLI_TRAPS; i++)
		if (!strcmp(loli_traps[i].name, name)) {
			loli_traps[i].write(b);
			return;
		}
	CHECK_STR("no trap", name);
}

static inline void collect_trap(struct collector *c, const char *name,
				const struct import_options *o)
{
	struct buf b = BUF_INIT;

	trap_bytes(name, &b);
	collect(c, b.data, b.len, o);
	buf_release(&b);
}

/* Whether the notes have a line with this text in it, after the severity and the count. */
static inline bool noted(const struct collector *c, const char *severity, uint64_t count,
			 const char *text)
{
	char start[64];
	size_t n = (size_t)snprintf(start, sizeof start, "%s %" PRIu64 " ", severity, count);

	for (const char *s = c->notes.data; s && *s;) {
		const char *end = strchr(s, '\n');

		if (!strncmp(s, start, n) && memmem(s, (size_t)(end - s), text, strlen(text)))
			return true;
		s = end + 1;
	}
	return false;
}

static inline bool has_line(const struct buf *b, const char *line)
{
	size_t n = strlen(line);

	for (const char *s = b->data; (s = strstr(s, line)); s++)
		if ((s == b->data || s[-1] == '\n') && s[n] == '\n')
			return true;
	return false;
}

/* A file in $TMPDIR with this text; its name is valid until the next call. */
static inline const char *text_file(const char *text, size_t n)
{
	static char path[64];
	int fd;

	snprintf(path, sizeof path, "/tmp/tm-unit-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		printf("cannot write %s\n", path);
	close(fd);
	return path;
}

/* Every beginning of the trap: an answer of some kind, and never more than the whole has. */
static inline void check_cuts(const char *name)
{
	struct collector whole = {.quiet = true};
	struct buf b = BUF_INIT;
	uint64_t most = 0;

	trap_bytes(name, &b);
	collect(&whole, b.data, b.len, NULL);
	for (size_t n = 0; n < b.len; n++) {
		struct collector c = {.quiet = true};
		char *copy = mem_alloc(n ? n : 1); /* its own block, for a sanitizer */

		memcpy(copy, b.data, n);
		collect(&c, copy, n, NULL);
		CHECK(c.allocs <= whole.allocs);
		CHECK(c.bytes <= whole.bytes);
		if (c.status)
			CHECK(c.e.msg[0]);
		most = c.allocs > most ? c.allocs : most;
		free(copy);
		collect_release(&c);
	}
	CHECK(most <= whole.allocs);
	buf_release(&b);
	collect_release(&whole);
}

/* The file in ../shared/samples/loliprofiler, NULL when it is not there. */
static inline char *sample(const char *name, size_t *n)
{
	char in_shared[256], *p;
	const char *path;
	FILE *f;
	long size;

	snprintf(in_shared, sizeof in_shared, "samples/loliprofiler/%s", name);
	path = test_shared(in_shared);
	f = path ? fopen(path, "rb") : NULL;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	p = mem_alloc((size_t)size + 1);
	*n = fread(p, 1, (size_t)size, f);
	fclose(f);
	return p;
}

#endif
