/* SPDX-License-Identifier: MIT
 *
 * Elements of symbolizer markup as text, in the words of llvm-symbolizer.
 */
#include "cmd/tm-llvm-symbolizer/markup.h"
#include "lib/base/mem.h"
#include "lib/compat/print_llvm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLUE = 4, CYAN = 6, GREEN = 2 };

static void add_color(struct buf *b, struct markup_ink k, int color)
{
	if (k.on)
		buf_addf(b, "\033[0;%s3%dm", k.bold ? "1;" : "", color);
}

void markup_highlight(struct buf *b, struct markup_ink k)
{
	add_color(b, k, k.color == BLUE ? CYAN : BLUE);
}

void markup_restore(struct buf *b, struct markup_ink k)
{
	if (k.color >= 0)
		add_color(b, k, k.color);
	else if (k.on)
		buf_adds(b, k.bold ? "\033[0m\033[1m" : "\033[0m");
}

void markup_value(struct buf *b, struct markup_ink k, const char *s, size_t n)
{
	add_color(b, k, GREEN);
	buf_add(b, s, n);
	markup_highlight(b, k);
}

static void value(struct buf *b, struct markup_ink k, const char *s)
{
	markup_value(b, k, *s ? s : "<invalid>", *s ? strlen(s) : 9);
}

void markup_valuef(struct buf *b, struct markup_ink k, const char *fmt, ...)
{
	char text[40];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	markup_value(b, k, text, n > 0 ? (size_t)n : 0);
}

void markup_raw(struct buf *b, struct markup_ink k, const char *s, size_t n)
{
	markup_highlight(b, k);
	buf_adds(b, "[[[");
	for (;;) {
		const char *colon = memchr(s, ':', n);
		size_t part = colon ? (size_t)(colon - s) : n;

		markup_value(b, k, s, part);
		if (!colon)
			break;
		buf_addc(b, ':');
		s += part + 1;
		n -= part + 1;
	}
	buf_adds(b, "]]]");
	markup_restore(b, k);
}

static bool is_known(const struct llvm_frame *f)
{
	return *f->name || *f->file || f->line;
}

static void print_symbol(struct buf *b, const struct markup_part *p)
{
	char *raw = mem_strndup(p->text, p->n_text), *name = llvm_demangle(raw);

	markup_highlight(b, p->ink);
	if (name)
		buf_adds(b, name);
	else
		buf_add(b, p->text, p->n_text);
	markup_restore(b, p->ink);
	free(name);
	free(raw);
}

static void markup_print_pc(struct buf *b, struct markup *m, const struct markup_part *p,
			    const struct print_from *from)
{
	const struct llvm_answer a = llvm_answer(from, &m->queries[p->query]);
	struct print_options one = *from->options;
	struct llvm_frame f;

	one.mixed = true;
	f = llvm_frame(from, &a, 0, &one);
	if (is_known(&f)) {
		markup_highlight(b, p->ink);
		value(b, p->ink, f.name);
		buf_addc(b, '[');
		value(b, p->ink, f.file);
		buf_addc(b, ':');
		markup_valuef(b, p->ink, "%" PRIu32, f.line);
		buf_addc(b, ']');
		markup_restore(b, p->ink);
	} else {
		m->unanswered = true;
		markup_raw(b, p->ink, p->text, p->n_text);
	}
	free(f.owned);
}

/* The number in six columns, the calls that were inlined as .1, .2. */
static void print_bt_head(struct buf *b, const struct markup_part *p, unsigned number, bool last)
{
	char text[24], inlined[16];
	int width = snprintf(text, sizeof text, "%" PRIu64, p->frame);

	buf_addf(b, "%*s#", width < 5 ? 5 - width : 0, "");
	markup_value(b, p->ink, text, (size_t)width);
	snprintf(inlined, sizeof inlined, "%-2u", number);
	if (last) {
		buf_adds(b, "   ");
	} else {
		buf_addc(b, '.');
		markup_value(b, p->ink, inlined, strlen(inlined));
	}
	markup_valuef(b, p->ink, " 0x%016" PRIx64 " ", p->addr);
}

static void markup_print_bt(struct buf *b, struct markup *m, const struct markup_part *p,
			    const struct print_from *from)
{
	const struct llvm_answer a = llvm_answer(from, &m->queries[p->query]);
	size_t i = 0;
	bool last;

	markup_highlight(b, p->ink);
	do {
		struct llvm_frame f = llvm_frame(from, &a, i, from->options);

		last = i + 1 >= a.calls.n;
		print_bt_head(b, p, (unsigned)i + 1, last);
		if (is_known(&f)) {
			value(b, p->ink, f.name);
			buf_addc(b, ' ');
			value(b, p->ink, f.file);
			buf_addc(b, ':');
			markup_valuef(b, p->ink, "%" PRIu32, f.line);
			buf_addc(b, ':');
			markup_valuef(b, p->ink, "%" PRIu32, f.column);
			buf_addc(b, ' ');
		} else {
			m->unanswered = true;
		}
		buf_addc(b, '(');
		markup_value(b, p->ink, p->module, p->n_module);
		buf_addc(b, '+');
		markup_valuef(b, p->ink, "0x%" PRIx64, p->relative);
		buf_addc(b, ')');
		if (!last)
			buf_adds(b, p->crlf ? "\r\n" : "\n");
		free(f.owned);
		i++;
	} while (!last);
	markup_restore(b, p->ink);
}

static void print_data(struct buf *b, struct markup *m, const struct markup_part *p,
		       const struct print_from *from)
{
	const struct tracemill_query *q = &m->queries[p->query];
	struct tracemill_symbol g = {.size = sizeof g};
	struct tracemill_binary *binary;
	uint64_t address;
	bool known = !tracemill_resolved(from->symbolizer, q, &binary, &address) && binary &&
		     !tracemill_symbol_at(from->symbolizer, binary, TRACEMILL_DATA, address, &g) &&
		     *g.name;
	char *name = known && from->options->demangle ? llvm_demangle(g.name) : NULL;

	m->unanswered |= !known;
	markup_highlight(b, p->ink);
	buf_adds(b, name ? name : known ? g.name : "<invalid>");
	markup_restore(b, p->ink);
	free(name);
}

void markup_print(struct buf *b, struct markup *m, const struct print_from *from, size_t i)
{
	size_t begin = i ? m->parts[i - 1].behind : 0;
	size_t to = i < m->n_parts ? m->parts[i].behind : m->text.len;
	const struct markup_part *p;

	buf_add(b, buf_at(&m->text, begin), to - begin);
	if (i == m->n_parts)
		return;
	p = &m->parts[i];
	switch (p->kind) {
	case MARKUP_SYMBOL: print_symbol(b, p); break;
	case MARKUP_PC: markup_print_pc(b, m, p, from); break;
	case MARKUP_BT: markup_print_bt(b, m, p, from); break;
	case MARKUP_DATA: print_data(b, m, p, from); break;
	}
}
