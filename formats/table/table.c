/* SPDX-License-Identifier: MIT
 *
 * A table is read twice. The first reading finds what no line can say alone: the complete header, which may stand
 * at the end; which columns are texts; whether rows are frames; and of which processes they are. Each of these is
 * a capture, and a reading of its own. Our own counters need none of it, and are read once.
 */
#include "formats/table/table.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/input/csv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	LINE_MOST = 1 << 20,
	COLUMNS_MOST = 4096,
	PREAMBLE_MOST = 1024, /* lines before the header */
	HEAD_LINES = PREAMBLE_MOST,
	PROCESSES_MOST = 64,
	NUMBER_MOST = 64, /* digits of a number with a decimal comma */
};
#define NO_PROCESS UINT32_MAX

struct column {
	char *name, *unit; /* owned; unit: as the name says */
	enum table_role role;
	int64_t ns;
	uint32_t counter; /* of the present capture; 0: not asked for yet */
	/* Of the first reading: */
	bool seen, text, varies;
	char *first; /* of a text: the value of the first row that has one */
};

struct table {
	struct import *im;
	const struct table_tool *tool;
	struct csv csv;
	struct column *columns;
	size_t n, cap;
	size_t named;    /* columns of the first header */
	size_t preamble; /* lines up to the header, and with it */
	bool axis;       /* a column tells durations */
	bool frames;     /* rows are frames */
	bool by_number;  /* rows have frames' numbers */
	struct attribute {
		char *key, *value;
	} * attributes;
	size_t n_attributes, cap_attributes;
	struct intern processes;
	struct buf process;
	bool ended; /* what stands behind the rows was reached */
	/* Of the first reading, where rows are frames or not: */
	decimal sum, first, last;
	bool timed;
	/* Of the present capture: */
	struct reading {
		uint32_t counter;
		decimal value;
	} * readings; /* of a line */
	size_t n_readings, cap_readings;
	uint32_t process_at; /* its number; 0: all rows are of one */
	bool in_frame, based;
	int64_t frame, clock, base, before;
	uint64_t nobodys; /* rows that do not say of which process they are; of the first reading */
	uint64_t rows, refused, rounded, short_lines, long_lines, unnamed, headers, backward,
	    unlasting, unusual;
};

/* A row, as far as it is one of a frame. */
struct row {
	bool has_begin, has_end, has_duration, has_number;
	int64_t begin, end, duration, number;
	struct csv_field events;
	int64_t unusual;
};

static bool is_name(const char *s, size_t n, const char *name)
{
	return n == strlen(name) && !strncasecmp(s, name, n);
}

static bool fits(const struct table_rule *r, const char *name)
{
	size_t n = strlen(r->name), len = strlen(name);

	if (r->name[0] == '*')
		return len >= n - 1 && !strcasecmp(name + len - (n - 1), r->name + 1);
	if (r->name[n - 1] == '*')
		return len >= n - 1 && !strncasecmp(name, r->name, n - 1);
	return !strcasecmp(name, r->name);
}

static bool has_field(const struct csv *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_name(c->fields[i].s, c->fields[i].n, name))
			return true;
	return false;
}

static bool is_header(const struct csv *c, const struct table_tool *tool)
{
	for (size_t i = 0; i < TABLE_MARKS && tool->marks[i]; i++)
		if (!has_field(c, tool->marks[i]))
			return false;
	return true;
}

const struct table_tool *table_tool_of(const uint8_t *head, size_t n,
				       const struct table_tool *tools, size_t n_tools)
{
	const struct table_tool *found = NULL;
	const char *at = (const char *)head, *end = at + n;
	struct csv c = {0};

	for (int line = 0; !found && line < HEAD_LINES && at < end; line++) {
		const char *to = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((to ? to : end) - at);

		c.separator = csv_separator(at, len);
		csv_split(&c, at, len);
		for (size_t i = 0; i < n_tools && !found; i++)
			if (tools[i].marks[0] && is_header(&c, &tools[i]))
				found = &tools[i];
		at = to ? to + 1 : end;
	}
	csv_release(&c);
	return found;
}

/* A field that a tool writes where it has no value. */
static bool is_absent(const struct table *t, const struct csv_field *f)
{
	static const char *const words[] = {"NA", "N/A", "-", "--", "null"};

	for (size_t i = 0; i < sizeof words / sizeof *words && !t->tool->strict; i++)
		if (text_is(f->s, f->n, words[i]))
			return true;
	return !f->n;
}

/* "16,7" is a number where no comma is between fields. */
static enum decimal_read parse(const struct table *t, const struct csv_field *f, decimal *v)
{
	const char *comma = t->csv.separator == ',' ? NULL : memchr(f->s, ',', f->n);
	char text[NUMBER_MOST];

	if (!comma || f->n > sizeof text || memchr(f->s, '.', f->n))
		return decimal_parse(f->s, f->n, v);
	memcpy(text, f->s, f->n);
	text[comma - f->s] = '.';
	return decimal_parse(text, f->n, v);
}

/* A time or a number: a decimal number times so much, the nearest whole one. */
static bool parse_whole(const struct table *t, const struct csv_field *f, int64_t scale, int64_t *v)
{
	decimal d;

	if (parse(t, f, &d) > DECIMAL_ROUNDED || __builtin_mul_overflow(d, scale, &d))
		return false;
	d = decimal_round(d, 0);
	if (d >= (decimal)DECIMAL_UNIT << 63 || -d > (decimal)DECIMAL_UNIT << 63)
		return false;
	*v = decimal_whole(d);
	return true;
}

static void add_attribute(struct table *t, const char *key, size_t n_key, const char *value,
			  size_t n_value)
{
	struct buf b = BUF_INIT;

	if (!n_key || !n_value || t->n_attributes == COLUMNS_MOST)
		return;
	buf_addf(&b, "%s.", t->tool->name);
	buf_add(&b, key, n_key);
	VEC_PUSH(t->attributes, t->n_attributes, t->cap_attributes) =
	    (struct attribute){mem_strdup(buf_str(&b)), mem_strndup(value, n_value)};
	buf_release(&b);
}

/* ---- the header ---- */

/* "frametime (ms)", "Memory[MB]": the name without its unit. */
static void split_unit(struct column *c)
{
	size_t n = strlen(c->name), at;
	char close = n ? c->name[n - 1] : '\0', open = close == ')' ? '(' : '[';
	const char *from = close == ')' || close == ']' ? strchr(c->name, open) : NULL;

	if (!from)
		return;
	at = (size_t)(from - c->name);
	c->unit = mem_strndup(from + 1, n - at - 2);
	while (at && c->name[at - 1] == ' ')
		at--;
	c->name[at] = '\0';
}

static const struct table_axis *find_axis(const struct table *t)
{
	for (size_t i = 0; i < sizeof t->tool->axes / sizeof *t->tool->axes; i++)
		for (size_t k = 0; t->tool->axes[i].duration && k < t->n; k++)
			if (!strcasecmp(t->columns[k].name, t->tool->axes[i].duration))
				return &t->tool->axes[i];
	return NULL;
}

static bool taken(const struct table *t, size_t before, enum table_role role)
{
	for (size_t i = 0; i < before; i++)
		if (t->columns[i].role == role)
			return true;
	return false;
}

static void give_role(struct table *t, size_t at, enum table_role role, int64_t ns,
		      const char *unit)
{
	struct column *c = &t->columns[at];
	bool one = role == TABLE_BEGIN || role == TABLE_END || role == TABLE_DURATION ||
		   role == TABLE_FRAME || role == TABLE_EVENTS;

	if (one && taken(t, at, role)) /* the second of its kind is a counter */
		return;
	c->role = role;
	c->ns = ns;
	if (unit) {
		free(c->unit);
		c->unit = mem_strdup(unit);
	}
}

/* Of columns from `first` on. Names are whole: a unit is not split off yet. */
static void give_roles(struct table *t, size_t first)
{
	const struct table_axis *a = find_axis(t);

	t->axis = a != NULL;
	for (size_t i = first; i < t->n; i++) {
		const struct table_rule *r = t->tool->rules;
		const char *name = t->columns[i].name;

		for (; r && r->name && !fits(r, name); r++)
			;
		if (a && !strcasecmp(name, a->duration))
			give_role(t, i, TABLE_DURATION, a->duration_ns, NULL);
		else if (a && a->time && !strcasecmp(name, a->time))
			give_role(t, i, a->time_role, a->time_ns, NULL);
		else if (r && r->name)
			give_role(t, i, r->role, r->ns, r->unit);
		t->by_number |= t->columns[i].role == TABLE_FRAME;
		if (!t->columns[i].unit)
			split_unit(&t->columns[i]);
	}
}

static enum status add_columns(struct table *t, struct err *e)
{
	size_t first = t->n;

	if (t->csv.n > COLUMNS_MOST)
		return err_at(e, ST_LIMIT, cursor_offset(&t->im->in->cur),
			      "the limit is %d columns", COLUMNS_MOST);
	for (size_t i = first; i < t->csv.n; i++)
		VEC_PUSH(t->columns, t->n, t->cap) =
		    (struct column){.name = mem_strndup(t->csv.fields[i].s, t->csv.fields[i].n)};
	give_roles(t, first);
	return ST_OK;
}

/* Lines of names and values before a header: "//GameName=re2.exe", or a line of names and one of values. */
static void read_preamble(struct table *t, struct buf *names, const char *s, size_t n)
{
	const char *equals = n > 2 && s[0] == '/' && s[1] == '/' ? memchr(s, '=', n) : NULL;
	struct csv of_names = {.separator = t->csv.separator};

	if (equals) {
		add_attribute(t, s + 2, (size_t)(equals - s) - 2, equals + 1,
			      (size_t)(s + n - equals) - 1);
		return;
	}
	csv_split(&of_names, buf_at(names, 0), names->len);
	for (size_t i = 0; names->len && of_names.n > 1 && of_names.n == t->csv.n && i < t->csv.n;
	     i++)
		add_attribute(t, of_names.fields[i].s, of_names.fields[i].n, t->csv.fields[i].s,
			      t->csv.fields[i].n);
	csv_release(&of_names);
	names->len = 0;
	buf_add(names, s, n);
}

static enum status no_header(const struct table *t, struct err *e)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < TABLE_MARKS && t->tool->marks[i]; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", t->tool->marks[i]);
	err_at(e, ST_BAD, 0, "no line is a header with the column%s %s",
	       t->tool->marks[1] ? "s" : "", buf_str(&b));
	buf_release(&b);
	return err_failure(e);
}

static enum status read_header(struct table *t, struct err *e)
{
	struct cursor *in = &t->im->in->cur;
	struct buf names = BUF_INIT;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	for (;;) {
		s = t->preamble < PREAMBLE_MOST ? cursor_line(in, &n, LINE_MOST) : NULL;
		if (!s)
			break;
		t->preamble++;
		t->csv.separator = t->tool->strict ? ',' : csv_separator(s, n);
		csv_split(&t->csv, s, n);
		if (is_header(&t->csv, t->tool)) {
			st = add_columns(t, e);
			t->named = t->n;
			break;
		}
		if (!t->tool->texts)
			read_preamble(t, &names, s, n);
	}
	buf_release(&names);
	if (!st && !s)
		st = cursor_failed(in) ? err_failure(e)
		     : !t->preamble    ? err_at(e, ST_BAD, 0, "the file is empty")
				       : no_header(t, e);
	return st;
}

/* ---- the first reading ---- */

/* Attributes behind the rows: "[platform],Windows,[config],Test". */
static void read_trailer(struct table *t)
{
	for (size_t i = 0; i + 1 < t->csv.n; i += 2) {
		const struct csv_field *key = &t->csv.fields[i], *value = key + 1;

		if (key->n > 2 && key->s[0] == '[' && key->s[key->n - 1] == ']')
			add_attribute(t, key->s + 1, key->n - 2, value->s, value->n);
	}
}

/* Whether the line that was split is a row; else it is a header, or stands behind the rows. */
static bool is_row(const struct table *t, bool *trailer)
{
	const struct csv_field *f = &t->csv.fields[0];

	if (t->tool->texts && t->csv.n < 3) {
		*trailer = false;
		return false;
	}
	*trailer = t->tool->header_at_end && f->n > 1 && f->s[0] == '[';
	if (*trailer)
		return false;
	return t->tool->strict || !t->n || !is_name(f->s, f->n, t->columns[0].name) ||
	       !t->tool->marks[0] || !is_header(&t->csv, t->tool);
}

static void see_field(struct table *t, struct column *c, const struct csv_field *f)
{
	decimal v;

	if (is_absent(t, f))
		return;
	if (!c->seen) {
		c->seen = true;
		c->text = parse(t, f, &v) == DECIMAL_NONE;
		c->first = c->text ? mem_strndup(f->s, f->n) : NULL;
	} else if (c->text && !c->varies) {
		c->varies = !text_is(f->s, f->n, c->first);
	}
	if (t->tool->rows != TABLE_EITHER || parse(t, f, &v) > DECIMAL_ROUNDED ||
	    __builtin_mul_overflow(v, c->ns, &v))
		return;
	if (c->role == TABLE_DURATION && t->timed && __builtin_add_overflow(t->sum, v, &t->sum))
		t->sum = 0;
	if (c->role == TABLE_END || c->role == TABLE_BEGIN) {
		t->first = t->timed ? t->first : v;
		t->last = v;
		t->timed = true;
	}
}

/* The number of the process that the row is of; NO_PROCESS: it is too short to say. */
static uint32_t find_process(struct table *t, bool add)
{
	t->process.len = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].role == TABLE_PROCESS) {
			if (i >= t->csv.n)
				return NO_PROCESS;
			buf_add(&t->process, t->csv.fields[i].s, t->csv.fields[i].n);
			buf_addc(&t->process, '\n');
		}
	if (!t->process.len)
		return 0;
	if (add && intern_count(&t->processes) <= PROCESSES_MOST)
		return intern_add(&t->processes, t->process.data, t->process.len);
	return intern_find(&t->processes, t->process.data, t->process.len);
}

static enum status scan_line(struct table *t, struct err *e)
{
	bool trailer;

	if (!is_row(t, &trailer)) {
		if (trailer) {
			read_trailer(t);
			t->ended = true;
			return ST_OK;
		}
		t->headers += !t->tool->header_at_end && t->csv.n > 2;
		return t->tool->header_at_end ? add_columns(t, e) : ST_OK;
	}
	for (size_t i = 0; i < t->csv.n && i < t->n; i++)
		see_field(t, &t->columns[i], &t->csv.fields[i]);
	t->nobodys += find_process(t, true) == NO_PROCESS;
	return ST_OK;
}

/* With a gap of a tenth, as where a row is left out now and then. */
static bool are_frames(const struct table *t)
{
	if (t->tool->rows != TABLE_EITHER)
		return t->tool->rows == TABLE_FRAMES && (t->axis || taken(t, t->n, TABLE_BEGIN));
	return t->axis && t->timed && t->sum >= (t->last - t->first) / 10 * 9;
}

static enum status scan(struct table *t, struct err *e)
{
	struct cursor *in = &t->im->in->cur;
	enum status st = read_header(t, e);
	const char *s;
	size_t n;

	while (!st && !t->ended && (s = cursor_line(in, &n, LINE_MOST)))
		if (n) {
			csv_split(&t->csv, s, n);
			st = scan_line(t, e);
		}
	if (!st && cursor_failed(in))
		st = err_failure(e);
	if (!st && intern_count(&t->processes) > PROCESSES_MOST)
		st = err_set(e, ST_LIMIT, "rows are of more than %d processes", PROCESSES_MOST);
	t->ended = false;
	t->frames = are_frames(t);
	return st ? st : input_rewind(t->im->in);
}

/* ---- rows ---- */

static void counter_of_column(struct table *t, struct column *c)
{
	struct counter row = {.name = trace_strz(t->im->t, c->name)};

	if (c->unit)
		row.unit = trace_strz(t->im->t, c->unit);
	c->counter = trace_counter(t->im->t, &row);
}

static void add_reading(struct table *t, struct column *c, decimal v)
{
	if (!c->counter)
		counter_of_column(t, c);
	VEC_PUSH(t->readings, t->n_readings, t->cap_readings) = (struct reading){c->counter, v};
}

static void read_counter(struct table *t, struct column *c, const struct csv_field *f)
{
	decimal v;
	enum decimal_read read = parse(t, f, &v);

	if (read > DECIMAL_ROUNDED) {
		t->refused++;
		return;
	}
	t->rounded += read == DECIMAL_ROUNDED;
	add_reading(t, c, v);
}

static void read_field(struct table *t, struct column *c, const struct csv_field *f,
		       struct row *row)
{
	bool *has;
	int64_t *to, v;

	switch (c->role) {
	case TABLE_BEGIN: has = &row->has_begin, to = &row->begin; break;
	case TABLE_END: has = &row->has_end, to = &row->end; break;
	case TABLE_DURATION: has = &row->has_duration, to = &row->duration; break;
	case TABLE_FRAME: has = &row->has_number, to = &row->number; break;
	case TABLE_EVENTS: row->events = *f; return;
	case TABLE_UNUSUAL: row->unusual |= !parse_whole(t, f, 1, &v) || v; return;
	case TABLE_COUNTER:
		if (!c->text)
			read_counter(t, c, f);
		return;
	case TABLE_LEFT_OUT:
	case TABLE_PROCESS:
	case TABLE_MOMENT:
	default: return;
	}
	*has = parse_whole(t, f, c->ns ? c->ns : 1, to) && (c->role != TABLE_DURATION || *to >= 0);
	t->refused += !*has;
	/* Of rows that are no frames it is a number like others. */
	if (*has && c->role == TABLE_DURATION && !t->frames && !t->by_number)
		read_counter(t, c, f);
}

/* When the row's frame begins, or its readings were taken, from all that the row says. */
static void place_row(struct table *t, struct row *row)
{
	if (row->has_end && row->has_begin && !row->has_duration && row->end >= row->begin) {
		row->duration = row->end - row->begin;
		row->has_duration = true;
	} else if (row->has_end && !row->has_begin) {
		row->has_begin = !t->frames || !row->has_duration ||
				 !__builtin_sub_overflow(row->end, row->duration, &row->begin);
		row->begin = t->frames && row->has_duration ? row->begin : row->end;
	} else if (!row->has_begin && t->axis) {
		row->begin = t->clock;
		row->has_begin = true;
		if (row->has_duration && __builtin_add_overflow(t->clock, row->duration, &t->clock))
			t->clock = row->begin;
	}
	if (row->has_begin && t->tool->from_first) {
		t->base = t->based ? t->base : row->begin;
		t->based = true;
		if (__builtin_sub_overflow(row->begin, t->base, &row->begin))
			row->has_begin = false;
	}
	if (row->has_begin) {
		t->backward += t->rows > 1 && row->begin < t->before;
		t->before = row->begin;
	}
}

static enum status push_events(struct table *t, const struct row *row, struct err *e)
{
	const char *s = row->events.s, *end = s + row->events.n;
	enum status st = ST_OK;

	while (!st && s && s < end) {
		const char *to = memchr(s, ';', (size_t)(end - s));
		size_t n = (size_t)((to ? to : end) - s);

		if (n)
			st = emit_log(
			    t->im,
			    &(struct emit_log){.text = trace_string(t->im->t, s, n),
					       .time = KNOWN_IF(row->has_begin, row->begin)},
			    e);
		s = to ? to + 1 : NULL;
	}
	return st;
}

static enum status push_row(struct table *t, const struct row *row, struct err *e)
{
	struct known_number at = KNOWN_IF(row->has_begin, row->begin);
	bool frame = t->by_number ? row->has_number : t->frames;
	int64_t number = row->has_number ? row->number : (int64_t)t->rows;
	enum status st = ST_OK;

	/* A frame of no length, or one up to the next, would be a number that nobody measured. */
	if (frame && t->axis && t->frames && !row->has_duration) {
		t->unlasting++;
		frame = false;
	}
	if (frame && (!t->in_frame || number != t->frame || !t->by_number)) {
		uint32_t label =
		    row->events.n ? trace_string(t->im->t, row->events.s, row->events.n) : 0;

		st = emit_frame_lasting(t->im, KNOWN(number), label, at,
					KNOWN_IF(row->has_duration, row->duration), e);
	}
	t->in_frame |= frame;
	t->frame = frame ? number : t->frame;
	if (!st)
		st = push_events(t, row, e);
	for (size_t i = 0; !st && i < t->n_readings; i++)
		st = emit_decimal(t->im, t->readings[i].counter, at, t->readings[i].value, e);
	return st;
}

/* Moments of a row count from its begin, which may stand behind them. */
static void read_moments(struct table *t, const struct row *row)
{
	int64_t v, since = row->begin;

	if (!row->has_begin)
		return;
	if (t->based)
		since += t->base;
	for (size_t i = 0; i < t->n && i < t->csv.n; i++)
		if (t->columns[i].role == TABLE_MOMENT &&
		    parse_whole(t, &t->csv.fields[i], 1, &v) && v >= since && v < INT64_MAX)
			add_reading(t, &t->columns[i], decimal_of(v - since));
}

static enum status read_row(struct table *t, struct err *e)
{
	struct row row = {.has_begin = false};

	t->n_readings = 0;
	for (size_t i = 0; i < t->csv.n; i++) {
		const struct csv_field *f = &t->csv.fields[i];

		if (is_absent(t, f))
			continue;
		if (i >= t->n && t->tool->header_at_end) {
			t->unnamed++;
			continue;
		}
		if (i >= t->n) { /* no field has a column for sure */
			t->long_lines++;
			return ST_OK;
		}
		read_field(t, &t->columns[i], f, &row);
	}
	if (row.unusual) {
		t->unusual++;
		return ST_OK;
	}
	t->rows++;
	t->short_lines += t->csv.n < t->named;
	place_row(t, &row);
	read_moments(t, &row);
	return push_row(t, &row, e);
}

static enum status read_rows(struct table *t, struct err *e)
{
	struct cursor *in = &t->im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;
	bool trailer;

	for (bool ended = false; !st && !ended && (s = cursor_line(in, &n, LINE_MOST));) {
		if (!n)
			continue;
		csv_split(&t->csv, s, n);
		if (is_row(t, &trailer)) {
			if (!t->process_at || find_process(t, false) == t->process_at)
				st = read_row(t, e);
		} else {
			ended = trailer;
		}
	}
	return !st && cursor_failed(in) ? err_failure(e) : st;
}

static void note_losses(struct table *t)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, t->refused, "fields are not numbers or too large"),
	    LOSS(NOTE_LOSS, t->long_lines, "lines have more fields than columns: left out"),
	    LOSS(t->tool->strict ? NOTE_LOSS : NOTE_INFO, t->short_lines,
		 "lines have fewer fields than columns"),
	    LOSS(NOTE_LOSS, t->unnamed, "values are of columns without a name: left out"),
	    LOSS(NOTE_LOSS, t->process_at == 1 ? t->nobodys : 0,
		 "rows are too short to say of which process they are: left out"),
	    LOSS(NOTE_LOSS, t->unlasting,
		 "rows do not say how long their frame took: they are no frames"),
	    LOSS(NOTE_GUESS, t->backward, "rows begin before the row above them"),
	    LOSS(NOTE_INFO, t->headers, "lines repeat the header"),
	    LOSS(NOTE_INFO, t->unusual, "rows are marked as unusual: left out"),
	    LOSS(NOTE_INFO, t->rounded, "values have more than 18 decimals: they are rounded"),
	    LOSS_IF(NOTE_INFO, t->axis && !t->frames && !t->by_number && t->rows,
		    "rows are readings in steps of time, not frames"),
	};

	TRACE_LOSSES(t->im->t, losses);
}

/* A text that all rows have alike says what was captured. */
static void set_attributes(struct table *t)
{
	struct trace *trace = t->im->t;
	struct buf b = BUF_INIT;

	trace_set(trace, "format", t->tool->name);
	for (size_t i = 0; i < t->n_attributes; i++)
		trace_set(trace, t->attributes[i].key, t->attributes[i].value);
	for (size_t i = 0; i < t->n; i++) {
		const struct column *c = &t->columns[i];

		if (!c->text || c->varies || c->role == TABLE_EVENTS || c->role == TABLE_PROCESS)
			continue;
		b.len = 0;
		buf_addf(&b, "%s.%s", t->tool->name, c->name);
		trace_set(trace, buf_str(&b), c->first);
	}
	buf_release(&b);
}

/* Of the process whose rows are read. */
static void name_process(struct table *t)
{
	size_t n, at = 0, len;
	const char *s = intern_text(&t->processes, t->process_at, &n);
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < t->n && at < n; i++) {
		char value[256];

		if (t->columns[i].role != TABLE_PROCESS)
			continue;
		len = (size_t)((const char *)memchr(s + at, '\n', n - at) - (s + at));
		len = len < sizeof value ? len : sizeof value - 1;
		memcpy(value, s + at, len);
		value[len] = '\0';
		b.len = 0;
		buf_addf(&b, "%s.%s", t->tool->name, t->columns[i].name);
		trace_set(t->im->t, buf_str(&b), value);
		at = (size_t)((const char *)memchr(s + at, '\n', n - at) - s) + 1;
	}
	buf_release(&b);
}

static enum status read_capture(struct table *t, struct err *e)
{
	uint64_t headers = t->headers;
	enum status st;

	for (size_t i = 0; i < t->n; i++)
		t->columns[i].counter = 0;
	for (size_t i = 0; i < t->n; i++) /* in the order of the file */
		if (t->tool->strict && t->columns[i].role == TABLE_COUNTER)
			counter_of_column(t, &t->columns[i]);
	t->in_frame = t->based = false;
	t->frame = t->clock = t->base = t->before = 0;
	t->rows = t->refused = t->rounded = t->short_lines = t->long_lines = t->unnamed = 0;
	t->backward = t->unlasting = t->unusual = 0;
	set_attributes(t);
	if (t->process_at)
		name_process(t);
	st = import_begin(t->im, e);
	if (!st)
		st = read_rows(t, e);
	t->headers = headers;
	note_losses(t);
	return st;
}

static enum status skip_preamble(struct table *t, struct err *e)
{
	size_t n;

	for (size_t i = 0; i < t->preamble; i++)
		if (!cursor_line(&t->im->in->cur, &n, LINE_MOST))
			return err_failure(e);
	return ST_OK;
}

static enum status read_captures(struct table *t, struct err *e)
{
	uint32_t n = intern_count(&t->processes);
	enum status st = ST_OK;

	for (uint32_t i = n ? 1 : 0; !st && i <= n; i++) {
		if (i > 1) {
			st = import_next(t->im, e);
			if (!st)
				st = input_rewind(t->im->in);
		}
		t->process_at = i;
		if (!st)
			st = skip_preamble(t, e);
		if (!st)
			st = read_capture(t, e);
	}
	return st;
}

static enum status check_counters(const struct table *t, struct err *e)
{
	if (!t->n || t->columns[0].role == TABLE_COUNTER)
		return err_at(e, ST_BAD, 0,
			      "the first column must be time_s, time_ms, time_us, time_ns or "
			      "frame");
	if (t->n == 1)
		return err_at(e, ST_BAD, 0, "the file has no counters");
	return ST_OK;
}

static void table_release(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->columns[i].name);
		free(t->columns[i].unit);
		free(t->columns[i].first);
	}
	for (size_t i = 0; i < t->n_attributes; i++) {
		free(t->attributes[i].key);
		free(t->attributes[i].value);
	}
	free(t->columns);
	free(t->attributes);
	free(t->readings);
	intern_release(&t->processes);
	buf_release(&t->process);
	csv_release(&t->csv);
}

enum status table_read(struct import *im, const struct table_tool *tool, struct err *e)
{
	struct table t = {.im = im, .tool = tool};
	enum status st;

	if (tool->strict) {
		st = read_header(&t, e);
		if (!st)
			st = check_counters(&t, e);
		if (!st)
			st = read_capture(&t, e);
	} else {
		st = scan(&t, e);
		if (!st)
			st = read_captures(&t, e);
	}
	table_release(&t);
	return st;
}
