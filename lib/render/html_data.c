/* SPDX-License-Identifier: MIT */
#include "lib/render/html_data.h"

#include "lib/render/json.h"

#include <inttypes.h>
#include <string.h>

/* Cut between characters, so that no half of one is left. */
size_t html_cut(const char *s, size_t n)
{
	if (n <= HTML_TEXT)
		return n;
	for (n = HTML_TEXT; n > HTML_TEXT - 4 && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

/* As in the page's tables: the scripts draw it as it is. */
void html_shown(struct buf *b, const char *s, size_t n)
{
	struct buf shown = BUF_INIT;

	buf_add_visible(&shown, s, n, "\\");
	json_text(b, shown.data ? shown.data : "", shown.len);
	buf_release(&shown);
}

/* A number that needs no decimals of its column is one of its own to the page's scripts. */
const char *html_type(enum column_type type)
{
	return type == COLUMN_DECIMAL ? "decimal" : json_types[type];
}

static void add_shown_string(struct buf *b, const char *s)
{
	if (s)
		html_shown(b, s, strlen(s));
	else
		json_string(b, NULL);
}

static decimal largest(const decimal *v, size_t from, size_t to)
{
	decimal most = SERIES_ABSENT;

	for (size_t i = from; i < to; i++)
		most = v[i] > most ? v[i] : most; /* absent is the least there is */
	return most;
}

/* Of x and of times: the first of each step. */
static void places(const struct table_series *s, const char *key, const int64_t *v, size_t step,
		   struct buf *b)
{
	json_key(b, key);
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_points; i += step)
		buf_addf(b, "%s%" PRId64, i ? "," : "", v[i]);
	buf_addc(b, ']');
}

static void points(const struct table_series *s, const char *key, const decimal *v, size_t step,
		   struct buf *b)
{
	json_key(b, key);
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_points; i += step) {
		size_t end = s->n_points - i < step ? s->n_points : i + step;
		decimal value = largest(v, i, end);

		if (i)
			buf_addc(b, ',');
		if (value == SERIES_ABSENT)
			buf_adds(b, "null");
		else
			decimal_text(b, value);
	}
	buf_addc(b, ']');
}

static void html_data_lines(const struct table_series *s, size_t step, struct buf *b)
{
	json_key(b, "lines");
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_lines; i++) {
		const struct series_line *l = &s->lines[i];

		buf_adds(b, i ? ",\n{" : "\n{");
		json_key(b, "title");
		add_shown_string(b, l->title);
		json_key(b, "type");
		json_string(b, html_type(l->type));
		json_key(b, "decimals");
		buf_add_u64(b, l->decimals);
		points(s, "y", l->y, step, b);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

static void html_data_marks(const struct table_series *s, size_t step, struct buf *b)
{
	json_key(b, "marks");
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_marks; i++) {
		buf_addf(b, "%s{\"first\":%zu,\"last\":%zu", i ? ",\n" : "\n",
			 s->marks[i].first / step, s->marks[i].last / step);
		json_key(b, "mark");
		json_string(b, json_marks[s->marks[i].mark]);
		json_key(b, "text");
		add_shown_string(b, s->marks[i].text);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
	json_key(b, "limits");
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_limits; i++) {
		buf_addf(b, "%s{\"line\":%zu,\"value\":", i ? ",\n" : "\n", s->limits[i].line);
		decimal_text(b, s->limits[i].value);
		json_key(b, "title");
		add_shown_string(b, s->limits[i].title);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

void html_series_data(const struct table_series *s, size_t step, struct buf *b)
{
	buf_addc(b, '{');
	json_key(b, "x_title");
	add_shown_string(b, s->x_title);
	json_key(b, "x_type");
	json_string(b, json_types[s->x_type]);
	if (s->cropped)
		buf_adds(b, ",\"cropped\":true");
	places(s, "x", s->x, step, b);
	if (s->time)
		places(s, "time", s->time, step, b);
	if (s->labels && step == 1) {
		json_key(b, "labels");
		buf_addc(b, '[');
		for (size_t i = 0; i < s->n_points; i++) {
			const char *label = s->labels[i];

			if (i)
				buf_addc(b, ',');
			if (label)
				html_shown(b, label, html_cut(label, strlen(label)));
			else
				buf_adds(b, "null");
		}
		buf_addc(b, ']');
	}
	html_data_lines(s, step, b);
	html_data_marks(s, step, b);
	buf_addc(b, '}');
}
