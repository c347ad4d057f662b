/* SPDX-License-Identifier: MIT
 *
 * Charts of Unicode blocks (U+2581 to U+2588), for a terminal.
 */
#include "lib/base/mem.h"
#include "lib/render/out.h"
#include "lib/render/width.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, LABEL = 11, PLOT_WIDTH = 80, STEPS = 8 };

struct bar {
	bool present;
	decimal value;
};

static void value_text(struct buf *b, const struct series_line *l, decimal v,
		       const struct render_options *o)
{
	struct table_column c = {.type = l->type, .decimals = l->decimals};
	struct table_cell cell = cell_decimal(v);

	cell_for_people(b, &c, &cell, o->exact_bytes);
}

/* A column of the chart is the highest of its points, so that no spike is lost. */
static size_t make_bars(const struct table_series *s, const struct series_line *l, struct bar *bars,
			size_t n)
{
	size_t used = s->n_points < n ? s->n_points : n;

	for (size_t k = 0; k < used; k++) {
		size_t from = (size_t)((unsigned __int128)s->n_points * k / used);
		size_t to = (size_t)((unsigned __int128)s->n_points * (k + 1) / used);

		bars[k] = (struct bar){.present = false};
		for (size_t i = from; i < to; i++)
			if (l->y[i] != SERIES_ABSENT &&
			    (!bars[k].present || l->y[i] > bars[k].value))
				bars[k] = (struct bar){true, l->y[i]};
	}
	return used;
}

static void put_label(struct buf *b, struct buf *label)
{
	size_t w = label->len ? text_width(label->data, label->len) : 0;

	for (; w < LABEL; w++)
		buf_addc(b, ' ');
	buf_add(b, label->data, label->len);
	label->len = 0;
}

/* Of STEPS * ROWS steps; what is above the floor has at least one. */
static unsigned height(const struct bar *bar, decimal low, decimal high)
{
	unsigned __int128 range = (unsigned __int128)high - (unsigned __int128)low;
	unsigned __int128 above = (unsigned __int128)bar->value - (unsigned __int128)low;
	unsigned h;

	for (; range >> 120; range >>= 1) /* so that it can be multiplied */
		above >>= 1;

	if (!bar->present || !range)
		return bar->present && bar->value ? STEPS * ROWS / 2 : 0;
	h = (unsigned)((above * STEPS * ROWS + range / 2) / range);
	return h || !above ? h : 1;
}

/* A tenth of the differences, so that the least value has a bar. */
static decimal below(const struct series_line *l, decimal low, decimal high)
{
	decimal range = high - low, tenth = (range ? range : low < 0 ? -low : low) / 10;

	return low - (l->type == COLUMN_DECIMAL && tenth
			  ? tenth
			  : tenth / DECIMAL_ONE * DECIMAL_ONE + DECIMAL_ONE);
}

static void plot_put_line(const struct table_series *s, const struct series_line *l,
			  const struct render_options *o, struct buf *b, struct bar *bars,
			  size_t width)
{
	size_t n = make_bars(s, l, bars, width);
	decimal low = 0, high = 0;
	struct buf label = BUF_INIT;
	bool any = !s->cropped;

	for (size_t i = 0; i < n; i++) {
		if (!bars[i].present)
			continue;
		low = !any || bars[i].value < low ? bars[i].value : low;
		high = !any || bars[i].value > high ? bars[i].value : high;
		any = true;
	}
	if (s->cropped)
		low = below(l, low, high);
	buf_add_readable(b, l->title, strlen(l->title));
	buf_addc(b, '\n');
	for (unsigned row = ROWS; row-- > 0;) {
		size_t blanks = 1;

		if (row == ROWS - 1)
			value_text(&label, l, high, o);
		else if (!row)
			value_text(&label, l, low, o);
		put_label(b, &label);
		for (size_t i = 0; i < n; i++) {
			unsigned h = height(&bars[i], low, high);
			unsigned here = h > row * STEPS ? h - row * STEPS : 0;

			if (!here) {
				blanks++;
				continue;
			}
			for (; blanks; blanks--)
				buf_addc(b, ' ');
			buf_adds(b, "\xe2\x96");
			buf_addc(b, (char)(0x80 + (here < STEPS ? here : STEPS)));
		}
		buf_addc(b, '\n');
	}
	buf_release(&label);
}

static void plot_put_x(const struct table_series *s, const struct render_options *o, struct buf *b,
		       size_t width)
{
	struct series_line x = {.type = s->x_type};
	struct buf from = BUF_INIT, to = BUF_INIT;
	size_t n = s->n_points < width ? s->n_points : width, used;

	if (s->x_title)
		buf_add_readable(&from, s->x_title, strlen(s->x_title));
	put_label(b, &from);
	buf_addc(b, ' ');
	value_text(&from, &x, decimal_of(s->x[0]), o);
	value_text(&to, &x, decimal_of(s->x[s->n_points - 1]), o);
	buf_add(b, from.data, from.len);
	if (s->n_points > 1) {
		for (used = from.len + to.len; used < n || used == from.len + to.len; used++)
			buf_addc(b, ' ');
		buf_add(b, to.data, to.len);
	}
	buf_addc(b, '\n');
	buf_release(&from);
	buf_release(&to);
}

static void plot_put_mark(const struct table_series *s, const struct series_mark *m,
			  const struct render_options *o, struct buf *b)
{
	struct series_line x = {.type = s->x_type};

	if (!m->text || m->first >= s->n_points || m->last >= s->n_points)
		return;
	if (s->x_title) {
		buf_add_readable(b, s->x_title, strlen(s->x_title));
		buf_addc(b, ' ');
	}
	value_text(b, &x, decimal_of(s->x[m->first]), o);
	if (m->last > m->first) {
		buf_adds(b, " to ");
		value_text(b, &x, decimal_of(s->x[m->last]), o);
	}
	buf_adds(b, ": ");
	buf_add_readable(b, m->text, strlen(m->text));
	buf_addc(b, '\n');
}

void text_plot(const struct table_series *s, const struct render_options *o, struct buf *b)
{
	enum { MARKS_SHOWN = 10 };
	size_t width = o->width > LABEL + 20 ? o->width - LABEL - 1 : PLOT_WIDTH;
	struct bar *bars = mem_zarray(width, sizeof *bars);

	for (size_t i = 0; i < s->n_lines; i++)
		plot_put_line(s, &s->lines[i], o, b, bars, width);
	if (s->n_points)
		plot_put_x(s, o, b, width);
	else
		buf_adds(b, "no points\n");
	for (size_t i = 0; i < s->n_marks && i < MARKS_SHOWN; i++)
		plot_put_mark(s, &s->marks[i], o, b);
	if (s->n_marks > MARKS_SHOWN)
		buf_addf(b, "... %zu more\n", s->n_marks - MARKS_SHOWN);
	free(bars);
}
