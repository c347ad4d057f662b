/* SPDX-License-Identifier: MIT */
#include "lib/compat/print.h"

#include "lib/base/num.h"
#include "lib/base/path.h"

#include <inttypes.h>
#include <string.h>

const char *print_name(const struct lookup *l, uint32_t function, const struct print_options *o)
{
	const struct symbol_function *f;

	if (!function)
		return "";
	f = &l->symbols.functions[function];
	return intern_text(&l->symbols.strings, o->demangle ? f->display : f->raw, NULL);
}

const char *print_path(const struct lookup *l, uint32_t id, const struct print_options *o)
{
	const char *file = intern_text(&l->symbols.strings, id, NULL);

	return o->base_names ? path_base(file) : file;
}

const char *print_file(const struct lookup *l, const struct symbol_call *c,
		       const struct print_options *o)
{
	return print_path(l, c->file, o);
}

static const char *print_symbol_file(const struct lookup_query *q)
{
	const struct object_symbol *sym =
	    q->file && q->file->object ? object_symbol_at(q->file->object, q->addr) : NULL;

	return sym && sym->file ? sym->file : "";
}

static char *put(char *to, const char *s, size_t n)
{
	memcpy(to, s, n);
	return to + n;
}

static char *put_number(char *to, uint32_t v)
{
	unsigned n = 1;

	for (uint32_t ten = 10; n < 10 && v >= ten; ten *= 10)
		n++;
	to += n;
	do
		*--to = (char)('0' + v % 10);
	while (v /= 10);
	return to + n;
}

/* In one piece: this is most of what a large batch costs. */
static void print_gnu_call(struct buf *b, const struct lookup_query *q, const struct lookup_call *c,
			   uint32_t discriminator, const struct print_options *o)
{
	const char *file = c->file, *name = c->name;
	size_t n_file = c->n_file, n_name = c->n_name;
	char *to, *start;

	if (!n_file && !c->inlined) {
		file = print_symbol_file(q);
		n_file = strlen(file);
	}
	if (o->base_names)
		file = path_base_n(file, &n_file);
	if (!n_file) {
		file = "??";
		n_file = 2;
	}
	if (!n_name) {
		name = "??";
		n_name = 2;
	}
	if (o->names == NAMES_NONE)
		n_name = 0;
	to = start = buf_reserve(b, n_name + n_file + 64);
	if (o->names != NAMES_NONE) {
		to = put(to, name, n_name);
		to = o->pretty ? put(to, " at ", 4) : put(to, "\n", 1);
	}
	to = put(to, file, n_file);
	*to++ = ':';
	if (c->line)
		to = put_number(to, c->line);
	else
		*to++ = '?';
	if (c->line && discriminator) {
		to = put(to, " (discriminator ", 16);
		to = put_number(to, discriminator);
		*to++ = ')';
	}
	*to++ = '\n';
	b->len += (size_t)(to - start);
}

/* What has been made of an answer, as a view of it. */
static struct lookup_call made_call(const struct lookup *l, uint32_t call,
				    const struct print_options *o)
{
	const struct symbol_call *c = &l->symbols.calls[call];
	struct lookup_call v = {.line = c->line, .inlined = c->outer != 0};
	size_t n_file;

	v.name = print_name(l, c->function, o);
	v.n_name = (uint32_t)strlen(v.name);
	v.file = intern_text(&l->symbols.strings, c->file, &n_file);
	v.n_file = (uint32_t)n_file;
	v.discriminator = lookup_extra(l, call)->discriminator;
	return v;
}

static void gnu_head(struct buf *b, const struct lookup_query *q, uint64_t shown,
		     const struct print_options *o)
{
	char digits[NUM_HEX_DIGITS], *to, *start;
	size_t left_out = NUM_HEX_DIGITS / 2;

	if (!o->addresses)
		return;
	num_hex_text(shown, digits);
	if (!q->file || lookup_is_64(q->file) || shown > UINT32_MAX)
		left_out = 0;
	to = start = buf_reserve(b, NUM_HEX_DIGITS + 8);
	to = put(to, "0x", 2);
	to = put(to, digits + left_out, NUM_HEX_DIGITS - left_out);
	to = o->pretty ? put(to, ": ", 2) : put(to, "\n", 1);
	b->len += (size_t)(to - start);
}

static void gnu_unknown(struct buf *b, const struct print_options *o)
{
	if (o->names != NAMES_NONE)
		buf_adds(b, o->pretty ? "?? " : "??\n");
	buf_adds(b, "??:0\n");
}

bool print_gnu_view(struct buf *b, const struct lookup_query *q, uint64_t shown,
		    const struct lookup_call *calls, size_t n, const struct print_options *o)
{
	gnu_head(b, q, shown, o);
	if (!n)
		gnu_unknown(b, o);
	/* GNU says the innermost place's discriminator for the calls around it, too. */
	for (size_t i = 0; i < (o->inlines ? n : n != 0); i++) {
		if (i && o->pretty)
			buf_adds(b, " (inlined by) ");
		print_gnu_call(b, q, &calls[i], calls[0].discriminator, o);
	}
	return n;
}

bool print_gnu(struct buf *b, const struct lookup *l, const struct lookup_query *q, uint64_t shown,
	       const struct print_options *o)
{
	uint32_t call = q->named.call;
	uint32_t discriminator = lookup_extra(l, call)->discriminator;

	gnu_head(b, q, shown, o);
	if (!call)
		gnu_unknown(b, o);
	for (uint32_t at = call; at; at = o->inlines ? l->symbols.calls[at].outer : 0) {
		struct lookup_call c = made_call(l, at, o);

		if (at != call && o->pretty)
			buf_adds(b, " (inlined by) ");
		print_gnu_call(b, q, &c, discriminator, o);
	}
	return call;
}

static void atos_call(struct buf *b, const struct lookup *l, const struct lookup_query *q,
		      const struct symbol_call *c, const struct print_options *o)
{
	const char *file = print_file(l, c, o), *name = print_name(l, c->function, o);
	const struct object_symbol *sym = object_symbol_at(q->file->object, q->addr);

	if (*name)
		buf_adds(b, name);
	else
		buf_addf(b, "0x%" PRIx64, q->addr);
	buf_addf(b, " (in %s)", path_base(q->file->path));
	if (*file)
		buf_addf(b, " (%s:%" PRIu32 ")", file, c->line);
	else if (sym)
		buf_addf(b, " + %" PRIu64, q->addr - sym->lo);
}

void print_atos(struct buf *b, const struct lookup *l, const struct lookup_query *q, uint64_t shown,
		const struct print_options *o)
{
	uint32_t call = q->named.call;

	if (!call)
		buf_addf(b, "0x%" PRIx64, shown);
	while (call) {
		const struct symbol_call *c = &l->symbols.calls[call];

		atos_call(b, l, q, c, o);
		call = o->inlines ? c->outer : 0;
		if (call)
			buf_adds(b, o->delimiter);
	}
	buf_addc(b, '\n');
}
