/* SPDX-License-Identifier: MIT
 *
 * What there is to say besides answers: complaints, notes, and why an answer is what it is.
 */
#include "lib/base/mem.h"
#include "lib/library/symbolizer.h"

static enum tracemill_status symbolizer_next_warning(struct library_call *c)
{
	*(const char **)c->a = lookup_complaint(&c->s->opened->lookup);
	return TRACEMILL_OK;
}

const char *tracemill_next_warning(struct tracemill_symbolizer *s)
{
	const char *text = NULL;

	if (!s->opened || symbolizer_call(&(struct library_call){
			      .s = s, .fn = symbolizer_next_warning, .a = &text}))
		return NULL;
	return text;
}

struct next_message {
	enum tracemill_topic topic;
	enum tracemill_severity severity;
	const char *text;
};

/* What is wrong with a file. */
static void set_file_message(struct library_opened *x, struct next_message *t, const char *path,
			     struct err e)
{
	handle_place(&e);
	x->text.len = 0;
	buf_addf(&x->text, "%s: %s", path, e.msg);
	t->text = buf_str(&x->text);
}

/* Given files that cannot be read, and then what was found otherwise. */
static void symbolizer_managed_message(struct library_opened *x, struct next_message *t)
{
	struct managed *m = &x->lookup.managed;

	managed_load(m);
	if (x->n_failures == m->n_failures) {
		t->text = managed_next_message(m);
		return;
	}
	set_file_message(x, t, m->failures[x->n_failures].path, m->failures[x->n_failures].e);
	x->n_failures++;
	t->severity = TRACEMILL_FAIL;
}

static void symbolizer_archive_message(struct library_opened *x, struct next_message *t)
{
	for (; !t->text && x->n_archives < x->lookup.n_files; x->n_archives++) {
		const struct lookup_file *f = x->lookup.files[x->n_archives];

		if (!f->met || !f->e.msg[0])
			continue;
		set_file_message(x, t, f->path, f->e);
		t->severity = lookup_usable(f) ? TRACEMILL_NOTE : TRACEMILL_FAIL;
	}
}

static enum tracemill_status symbolizer_next_message(struct library_call *c)
{
	struct library_opened *x = c->s->opened;
	struct next_message *t = c->a;
	bool bad = false;

	switch (t->topic) {
	case TRACEMILL_TOPIC_CACHE: t->text = cache_next_message(&x->lookup.cache); break;
	case TRACEMILL_TOPIC_SEARCH:
		t->text = search_next_message(&x->search, &bad, x->line, sizeof x->line);
		t->severity = bad ? TRACEMILL_NOTE : TRACEMILL_INFO;
		break;
	case TRACEMILL_TOPIC_MANAGED: symbolizer_managed_message(x, t); break;
	case TRACEMILL_TOPIC_ARCHIVES: symbolizer_archive_message(x, t); break;
	case TRACEMILL_TOPIC_VERIFY:
		t->text = x->verify ? verify_complaint(x->verify, x->n_verified++) : NULL;
		t->severity = TRACEMILL_NOTE;
		break;
	}
	return TRACEMILL_OK;
}

const char *tracemill_next_message(struct tracemill_symbolizer *s, enum tracemill_topic topic,
				   enum tracemill_severity *severity)
{
	struct next_message t = {.topic = topic, .severity = TRACEMILL_INFO};

	if (symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_next_message, .a = &t}))
		return NULL;
	if (severity)
		*severity = t.severity;
	return t.text;
}

struct explaining {
	struct tracemill_binary *binary;
	const struct lookup_query *query;
	const char **text;
	size_t *n;
};

static enum tracemill_status symbolizer_explain_it(struct library_call *c)
{
	struct library_opened *x = c->s->opened;
	const struct explaining *g = c->a;

	x->text.len = 0;
	if (g->query && g->query->file) {
		explain_query(&x->explain, &x->text, &x->lookup, g->query);
	} else if (g->binary) {
		const struct lookup_file *f = symbolizer_file(c->s, g->binary);

		if (f->object)
			explain_object(&x->text, f->object, f->path);
	}
	*g->text = buf_str(&x->text);
	*g->n = x->text.len;
	return TRACEMILL_OK;
}

static enum tracemill_status explain_for(struct tracemill_symbolizer *s, struct explaining *g)
{
	if (!(s->options.flags & TRACEMILL_EXPLAIN))
		return handle_misuse(&s->handle, "without TRACEMILL_EXPLAIN");
	return symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_explain_it, .a = g});
}

enum tracemill_status tracemill_explain_binary(struct tracemill_symbolizer *s,
					       struct tracemill_binary *binary, const char **text,
					       size_t *n)
{
	return explain_for(s, &(struct explaining){.binary = binary, .text = text, .n = n});
}

enum tracemill_status tracemill_explain(struct tracemill_symbolizer *s,
					const struct tracemill_query *query, const char **text,
					size_t *n)
{
	const struct lookup_query *q = symbolizer_query(s, query);

	if (!q)
		return handle_misuse(&s->handle, "not a query of the last batch");
	return explain_for(s, &(struct explaining){.query = q, .text = text, .n = n});
}

struct source_asked {
	struct tracemill_binary *binary;
	uint64_t address;
	const char *path, **text;
	size_t *n;
};

/* The calls of one stack are often in one file. */
static enum tracemill_status symbolizer_read_source(struct library_call *c)
{
	struct library_opened *x = c->s->opened;
	const struct source_asked *a = c->a;
	struct lookup_file *f = a->binary ? symbolizer_file(c->s, a->binary) : NULL;

	if (!x->source_path.len || f != x->source_of ||
	    strcmp(buf_str(&x->source_path), a->path) != 0) {
		x->source.len = x->source_path.len = 0;
		x->has_source = explain_source(&x->explain, &x->search.object, f ? f->object : NULL,
					       a->address, a->path, &x->source);
		x->source_of = f;
		buf_adds(&x->source_path, a->path);
	}
	*a->text = buf_str(&x->source);
	*a->n = x->source.len;
	return x->has_source ? TRACEMILL_OK : TRACEMILL_NOTHING;
}

enum tracemill_status tracemill_source(struct tracemill_symbolizer *s,
				       struct tracemill_binary *binary, uint64_t address,
				       const char *path, const char **text, size_t *n)
{
	struct source_asked a = {binary, address, path, text, n};

	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_read_source, .a = &a});
}
