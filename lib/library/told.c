/* SPDX-License-Identifier: MIT
 *
 * What there is to say besides answers: complaints, notes, and why an answer is what it is.
 */
#include "lib/base/mem.h"
#include "lib/library/symbolizer.h"

static enum tracemill_status symbolizer_next_complaint(struct library_call *c)
{
	*(const char **)c->a = lookup_complaint(&c->s->opened->lookup);
	return TRACEMILL_OK;
}

const char *tracemill_complaint(struct tracemill_symbolizer *s)
{
	const char *text = NULL;

	if (!s->opened || symbolizer_call(&(struct library_call){
			      .s = s, .fn = symbolizer_next_complaint, .a = &text}))
		return NULL;
	return text;
}

struct told {
	enum tracemill_about about;
	enum tracemill_weight weight;
	const char *text;
};

/* What is wrong with a file. */
static void tell_of(struct library_opened *x, struct told *t, const char *path, struct err e)
{
	handle_place(&e);
	x->text.len = 0;
	buf_addf(&x->text, "%s: %s", path, e.msg);
	t->text = buf_str(&x->text);
}

/* Given files that cannot be read, and then what was found otherwise. */
static void symbolizer_tell_managed(struct library_opened *x, struct told *t)
{
	struct managed *m = &x->lookup.managed;

	managed_load(m);
	if (x->n_failures == m->n_failures) {
		t->text = managed_told(m);
		return;
	}
	tell_of(x, t, m->failures[x->n_failures].path, m->failures[x->n_failures].e);
	x->n_failures++;
	t->weight = TRACEMILL_FAIL;
}

static void symbolizer_tell_met(struct library_opened *x, struct told *t)
{
	for (; !t->text && x->n_met < x->lookup.n_files; x->n_met++) {
		const struct lookup_file *f = x->lookup.files[x->n_met];

		if (!f->met || !f->e.msg[0])
			continue;
		tell_of(x, t, f->path, f->e);
		t->weight = lookup_usable(f) ? TRACEMILL_NOTE : TRACEMILL_FAIL;
	}
}

static enum tracemill_status symbolizer_tell(struct library_call *c)
{
	struct library_opened *x = c->s->opened;
	struct told *t = c->a;
	bool bad = false;

	switch (t->about) {
	case TRACEMILL_ABOUT_CACHE: t->text = cache_told(&x->lookup.cache); break;
	case TRACEMILL_ABOUT_SEARCH:
		t->text = search_told(&x->search, &bad, x->line, sizeof x->line);
		t->weight = bad ? TRACEMILL_NOTE : TRACEMILL_INFO;
		break;
	case TRACEMILL_ABOUT_MANAGED: symbolizer_tell_managed(x, t); break;
	case TRACEMILL_ABOUT_MET: symbolizer_tell_met(x, t); break;
	case TRACEMILL_ABOUT_VERIFY:
		t->text = x->verify ? verify_complaint(x->verify, x->n_verified++) : NULL;
		t->weight = TRACEMILL_NOTE;
		break;
	}
	return TRACEMILL_OK;
}

const char *tracemill_told(struct tracemill_symbolizer *s, enum tracemill_about about,
			   enum tracemill_weight *weight)
{
	struct told t = {.about = about, .weight = TRACEMILL_INFO};

	if (symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_tell, .a = &t}))
		return NULL;
	if (weight)
		*weight = t.weight;
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
