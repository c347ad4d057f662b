/* SPDX-License-Identifier: MIT */
#include "lib/render/html_picture.h"

#include "lib/render/xml.h"

enum { HEIGHT = 100 }; /* of the drawing; a bar is one wide */

static void value_text(const struct series_line *l, decimal v, struct buf *b)
{
	struct table_column c = {.type = l->type, .decimals = l->decimals};
	struct table_cell cell = cell_decimal(v);

	cell_for_people(b, &c, &cell, false);
}

static const char *class_of(const struct table_series *s, size_t from, size_t to)
{
	for (size_t i = 0; i < s->n_marks; i++)
		if (s->marks[i].first < to && s->marks[i].last >= from)
			return s->marks[i].mark == MARK_BAD    ? " class=\"bad\""
			       : s->marks[i].mark == MARK_GOOD ? " class=\"good\""
							       : "";
	return "";
}

static decimal largest(const struct series_line *l, size_t from, size_t to)
{
	decimal most = SERIES_ABSENT;

	for (size_t i = from; i < to; i++)
		most = l->y[i] > most ? l->y[i] : most;
	return most;
}

static void bar(const struct table_series *s, const struct series_line *l, size_t from, size_t to,
		size_t at, double low, double high, struct buf *b)
{
	decimal v = largest(l, from, to);
	double floor = s->cropped ? low : 0;
	double y = (high - decimal_to_double(v)) / (high - low) * HEIGHT;
	double foot = (high - floor) / (high - low) * HEIGHT;

	if (v == SERIES_ABSENT)
		return;
	buf_addf(b, "<rect%s x=\"%zu.1\" width=\"0.8\" y=\"%.2f\" height=\"%.2f\"><title>",
		 class_of(s, from, to), at, y < foot ? y : foot,
		 (y < foot ? foot - y : y - foot) + 0.3);
	if (s->labels && s->labels[from]) {
		xml_string(b, s->labels[from]);
		buf_adds(b, ": ");
	}
	value_text(l, v, b);
	buf_adds(b, "</title></rect>\n");
}

static void html_picture_ends_of(const struct table_series *s, const struct series_line *l,
				 double *low, double *high)
{
	bool any = !s->cropped;

	*low = *high = 0;
	for (size_t i = 0; i < s->n_points; i++) {
		double v;

		if (l->y[i] == SERIES_ABSENT)
			continue;
		v = decimal_to_double(l->y[i]);
		*low = !any || v < *low ? v : *low;
		*high = !any || v > *high ? v : *high;
		any = true;
	}
	if (s->cropped)
		*low -= *high > *low ? (*high - *low) / 10 : 1;
	if (*high <= *low)
		*high = *low + 1;
}

static void html_picture_draw(const struct table_series *s, const struct series_line *l,
			      struct buf *b)
{
	size_t n = s->n_points < PICTURE_BARS ? s->n_points : PICTURE_BARS;
	double low, high;

	html_picture_ends_of(s, l, &low, &high);
	buf_adds(b, "<p class=\"line-title\">");
	xml_string(b, l->title);
	if (largest(l, 0, s->n_points) != SERIES_ABSENT) {
		buf_adds(b, ", up to ");
		value_text(l, largest(l, 0, s->n_points), b);
	}
	buf_addf(b,
		 "</p>\n<svg class=\"still\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" "
		 "role=\"img\">\n",
		 n ? n : 1, HEIGHT);
	for (size_t k = 0; k < n; k++)
		bar(s, l, s->n_points * k / n, s->n_points * (k + 1) / n, k, low, high, b);
	buf_adds(b, "</svg>\n");
}

void html_series_picture(const struct table_series *s, struct buf *b)
{
	buf_adds(b, "<noscript>\n");
	for (size_t i = 0; i < s->n_lines; i++)
		html_picture_draw(s, &s->lines[i], b);
	for (size_t i = 0; i < s->n_marks && i < 20; i++)
		if (s->marks[i].text) {
			buf_adds(b, "<p class=\"meta\">");
			xml_string(b, s->marks[i].text);
			buf_adds(b, "</p>\n");
		}
	buf_adds(b, "</noscript>\n");
}
