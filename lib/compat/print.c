/* SPDX-License-Identifier: MIT */
#include "lib/compat/print.h"

#include "lib/base/num.h"
#include "lib/base/path.h"

#include <inttypes.h>
#include <string.h>

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
static void print_gnu_call(struct buf *b, const struct tracemill_call *c, uint32_t discriminator,
			   const struct print_options *o)
{
	const char *file = c->file, *name = c->function;
	size_t n_file = c->n_file, n_name = c->n_function;
	char *to, *start;

	if (o->base_names)
		file = path_base_captured_n(file, &n_file);
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
	if (c->line && discriminator && !o->no_discriminators) {
		to = put(to, " (discriminator ", 16);
		to = put_number(to, discriminator);
		*to++ = ')';
	}
	*to++ = '\n';
	b->len += (size_t)(to - start);
}

static void gnu_head(struct buf *b, uint64_t shown, bool wide, const struct print_options *o)
{
	char digits[NUM_HEX_DIGITS], *to, *start;
	size_t left_out = wide || shown > UINT32_MAX ? 0 : NUM_HEX_DIGITS / 2;

	if (!o->addresses)
		return;
	num_hex_text(shown, digits);
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

bool print_gnu(struct buf *b, uint64_t shown, bool wide, struct print_answer a,
	       const struct print_options *o)
{
	gnu_head(b, shown, wide, o);
	if (!a.n)
		gnu_unknown(b, o);
	/* GNU says the innermost place's discriminator for the calls around it, too. */
	for (size_t i = 0; i < (o->inlines ? a.n : a.n != 0); i++) {
		if (i && o->pretty)
			buf_adds(b, " (inlined by) ");
		print_gnu_call(b, &a.calls[i], a.calls[0].discriminator, o);
	}
	return a.n;
}

struct atos_place {
	struct tracemill_binary *binary;
	uint64_t address;
	const char *image; /* its base name */
	int n_image;
};

/* Game.dSYM and Game.app.dSYM are of Game. */
static int image_length(const char *image)
{
	static const char *const bundles[] = {".dSYM", ".app", ".framework"};
	size_t n = strlen(image), first = n;

	for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++) {
		size_t k = strlen(bundles[i]);

		if (n > k && !strncmp(image + n - k, bundles[i], k) && (!i || n < first))
			n -= k;
	}
	return (int)n;
}

static void atos_call(struct buf *b, const struct print_from *from, const struct atos_place *at,
		      const struct tracemill_call *c)
{
	struct tracemill_symbol symbol = {.size = sizeof symbol};
	size_t n_file = c->by & TRACEMILL_FILE_BY_SYMBOL ? 0 : c->n_file;
	const char *file = c->file;

	if (c->n_function)
		buf_add(b, c->function, c->n_function);
	else
		buf_addf(b, "0x%" PRIx64, at->address);
	buf_addf(b, " (in %.*s)", at->n_image, at->image);
	if (from->options->base_names)
		file = path_base_captured_n(file, &n_file);
	if (n_file)
		buf_addf(b, " (%.*s:%" PRIu32 ")", (int)n_file, file, c->line);
	else if (!tracemill_symbol_at(from->symbolizer, at->binary, TRACEMILL_CODE, at->address,
				      &symbol))
		buf_addf(b, " + %" PRIu64, at->address - symbol.address);
}

void print_atos(struct buf *b, const struct print_from *from, const struct tracemill_query *query,
		uint64_t shown, struct print_answer a)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};
	struct atos_place at;

	if (!a.n || tracemill_resolved(from->symbolizer, query, &at.binary, &at.address) ||
	    tracemill_binary_facts(from->symbolizer, at.binary, &facts)) {
		buf_addf(b, "0x%" PRIx64 "\n", shown);
		return;
	}
	at.image = path_base(facts.path);
	at.n_image = image_length(at.image);
	for (size_t i = 0; i < (from->options->inlines ? a.n : 1); i++) {
		buf_adds(b, i ? from->options->delimiter : "");
		atos_call(b, from, &at, &a.calls[i]);
	}
	buf_addc(b, '\n');
}
