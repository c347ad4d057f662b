/* SPDX-License-Identifier: MIT */
#include "lib/input/json_path.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum shape { SHAPE_VALUE, SHAPE_OBJECT, SHAPE_ARRAY, SHAPES };

struct step {
	const char *key;
	uint8_t n;
	uint8_t to[SHAPES];
};

struct place {
	uint8_t first, end;      /* of steps */
	uint8_t element[SHAPES]; /* of an array */
	uint8_t any[SHAPES];     /* "*" */
	bool has_any;
};

struct walk {
	struct json_walker h;
	void *arg;
	struct step steps[JSON_ROWS_MOST];
	struct place places[JSON_PLACES_MOST];
	const uint8_t *next; /* by shape: the place of the next value */
	uint8_t *open;       /* places, by depth; 0: the top */
	unsigned depth, most;
};

/* --- the table --- */

static void add_row(struct walk *w, struct place *p, const struct json_row *row)
{
	size_t n = strlen(row->step);
	enum shape shape = n && row->step[n - 1] == '{'   ? SHAPE_OBJECT
			   : n && row->step[n - 1] == '[' ? SHAPE_ARRAY
							  : SHAPE_VALUE;

	n -= shape != SHAPE_VALUE;
	if (!n) {
		p->element[shape] = row->to;
		return;
	}
	if (n == 1 && *row->step == '*') {
		p->any[shape] = row->to;
		p->has_any = true;
		return;
	}
	for (size_t i = p->first; i < p->end; i++)
		if (w->steps[i].n == n && !memcmp(w->steps[i].key, row->step, n)) {
			w->steps[i].to[shape] = row->to;
			return;
		}
	w->steps[p->end] = (struct step){.key = row->step, .n = (uint8_t)n};
	w->steps[p->end++].to[shape] = row->to;
}

/* Steps of a place lie together. */
static void add_rows(struct walk *w)
{
	const struct json_row *tables[] = {w->h.rows, w->h.more};
	uint8_t end = 0;

	for (unsigned in = JSON_TOP; in < JSON_PLACES_MOST; in++) {
		w->places[in].first = w->places[in].end = end;
		for (size_t i = 0; i < 2; i++)
			for (const struct json_row *row = tables[i]; row && row->in; row++)
				if (row->in == in)
					add_row(w, &w->places[in], row);
		end = w->places[in].end;
		for (size_t i = w->places[in].first; i < end; i++)
			for (int k = 0; k < SHAPES; k++)
				if (!w->steps[i].to[k])
					w->steps[i].to[k] = w->places[in].any[k];
	}
}

/* --- JSON --- */

static enum status json_path_key(void *arg, const char *s, size_t n, struct err *e)
{
	struct walk *w = arg;
	unsigned in = w->open[w->depth];
	const struct place *p = &w->places[in];

	w->next = p->any;
	for (const struct step *step = w->steps + p->first, *end = w->steps + p->end; step < end;
	     step++)
		if (step->n == n && *step->key == *s && !memcmp(step->key, s, n)) {
			w->next = step->to;
			break;
		}
	return p->has_any && w->h.key ? w->h.key(w->arg, in, s, n, e) : ST_OK;
}

static enum status json_path_begin(void *arg, char bracket, struct err *e)
{
	struct walk *w = arg;
	unsigned place = w->next[bracket == '{' ? SHAPE_OBJECT : SHAPE_ARRAY];

	w->depth++;
	if (w->depth == w->most) {
		size_t cap = w->most;

		w->open = mem_grow(w->open, &cap, w->depth + 1, sizeof *w->open);
		w->most = (unsigned)cap;
	}
	w->open[w->depth] = (uint8_t)place;
	w->next = w->places[place].element;
	return place && w->h.begin ? w->h.begin(w->arg, place, e) : ST_OK;
}

static enum status json_path_end(void *arg, char bracket, struct err *e)
{
	struct walk *w = arg;
	unsigned place = w->open[w->depth--];

	(void)bracket;
	w->next = w->places[w->open[w->depth]].element;
	return place && w->h.end ? w->h.end(w->arg, place, e) : ST_OK;
}

static inline enum status give(struct walk *w, enum json_kind kind, const char *s, size_t n,
			       struct err *e)
{
	unsigned place = w->next[SHAPE_VALUE];

	return place ? w->h.value(w->arg, place, (struct json_value){s, n, kind}, e) : ST_OK;
}

static enum status json_path_number(void *arg, const char *s, size_t n, struct err *e)
{
	return give(arg, JSON_NUMBER, s, n, e);
}

static enum status json_path_string(void *arg, const char *s, size_t n, struct err *e)
{
	return give(arg, JSON_STRING, s, n, e);
}

static enum status json_path_boolean(void *arg, bool v, struct err *e)
{
	return give(arg, JSON_BOOLEAN, v ? "true" : "false", v ? 4 : 5, e);
}

static enum status json_path_null(void *arg, struct err *e)
{
	return give(arg, JSON_NULL, "null", 4, e);
}

enum status json_walk(struct cursor *in, const struct json_walker *h, void *arg,
		      const struct json_options *o, struct json_result *r, unsigned *depth,
		      struct err *e)
{
	static const struct json_handler handler = {.null = json_path_null,
						    .boolean = json_path_boolean,
						    .number = json_path_number,
						    .string = json_path_string,
						    .key = json_path_key,
						    .begin = json_path_begin,
						    .end = json_path_end};
	struct walk w = {.h = *h, .arg = arg, .most = 16};
	enum status st;

	add_rows(&w);
	w.next = w.places[JSON_TOP].element;
	w.open = mem_array(w.most, sizeof *w.open);
	w.open[0] = JSON_TOP;
	st = json_parse(in, &handler, &w, o, r, e);
	if (depth)
		*depth = w.depth;
	free(w.open);
	return st;
}
