/* SPDX-License-Identifier: MIT
 *
 * How evenly frames came (tally/pacing.h): of each capture, and of its sections. A section begins with a frame that
 * has a name, and ends before the next one with another name.
 */
#include "lib/tally/pacing.h"

#include "lib/base/mem.h"
#include "lib/report/frames/report.h"

#include <string.h>

enum {
	SECTION_CAPTURE,
	SECTION_NAME,
	SECTION_FIRST,
	SECTION_FRAMES,
	SECTION_TIME,
	SECTION_SMALL,
	SECTION_JANKS,
	SECTION_BIG,
	SECTION_METRICS,
	SECTION_COLUMNS = SECTION_METRICS + PACING_METRICS
};
enum { SECTIONS_MOST = 200 };

struct frames_section {
	uint32_t capture, name; /* 0: all frames */
	int64_t first;          /* a frame's number */
	uint64_t frames, small, janks, big;
	uint64_t time; /* ns */
	struct {
		bool known;
		decimal v;
	} metrics[PACING_METRICS];
};

/* Of rows [from, to). False: there is nothing to tell, since too few frames come one after the other. */
static bool frames_pacing_section(struct frames_report *r, size_t from, size_t to, uint32_t name)
{
	const struct frame *rows = r->f->rows;
	struct pacing p = {.n = 0};
	struct frames_section s = {
	    .capture = rows[from].capture, .name = name, .first = rows[from].number};
	bool told;

	for (size_t i = from; i < to; i++)
		pacing_add(&p, rows[i].has_duration, rows[i].duration);
	told = p.judged && r->n_sections < SECTIONS_MOST;
	for (unsigned m = 0; m < PACING_METRICS && told; m++)
		s.metrics[m].known = pacing_value(&p, (enum pacing_metric)m, &s.metrics[m].v);
	s.frames = p.n;
	s.small = p.small;
	s.janks = p.janks;
	s.big = p.big;
	s.time = p.time > UINT64_MAX ? UINT64_MAX : (uint64_t)p.time;
	if (told)
		VEC_PUSH(r->sections, r->n_sections, r->cap_sections) = s;
	pacing_release(&p);
	return told;
}

static void frames_pacing_capture(struct frames_report *r, size_t from, size_t to)
{
	const struct frame *rows = r->f->rows;
	size_t begin = from, sections = 0, all = r->n_sections;

	if (!frames_pacing_section(r, from, to, 0))
		return;
	for (size_t i = from; i <= to; i++) {
		if (i < to && (!rows[i].name || rows[i].name == rows[begin].name))
			continue;
		if (i > begin && rows[begin].name)
			sections += frames_pacing_section(r, begin, i, rows[begin].name);
		begin = i;
	}
	/* One that is the whole capture says nothing new. */
	if (sections == 1 && r->sections[all + 1].frames == r->sections[all].frames)
		r->n_sections--;
}

static void frames_pacing_fill(void *arg, size_t i, struct table_row *row)
{
	const struct frames_report *r = arg;
	const struct frames_section *s = &r->sections[i];
	size_t n;
	const char *name = intern_text(&r->f->names, s->name, &n);

	row->cells[SECTION_CAPTURE] = cell_number(s->capture);
	row->cells[SECTION_NAME] = s->name ? cell_text(name, n) : cell_text("[all frames]", 12);
	row->cells[SECTION_FIRST] = cell_signed(s->first);
	row->cells[SECTION_FRAMES] = cell_number(s->frames);
	row->cells[SECTION_TIME] = cell_number(s->time);
	row->cells[SECTION_SMALL] = cell_number(s->small);
	row->cells[SECTION_JANKS] = cell_number(s->janks);
	row->cells[SECTION_BIG] = cell_number(s->big);
	for (unsigned m = 0; m < PACING_METRICS; m++)
		if (s->metrics[m].known)
			row->cells[SECTION_METRICS + m] = cell_decimal(s->metrics[m].v);
}

void frames_pacing_columns(struct table_column *to)
{
	for (unsigned m = 0; m < PACING_METRICS; m++) {
		const struct pacing_word *w = &pacing_words[m];
		bool people = m == PACING_RATE || m == PACING_LOW_1 || m == PACING_JANK ||
			      m == PACING_STUTTER;

		to[m] = (struct table_column){.key = w->key,
					      .title = w->title,
					      .type = m == PACING_EVENNESS ? COLUMN_TIME
									   : COLUMN_DECIMAL,
					      .decimals = 2,
					      .flags = people ? 0 : COLUMN_SPARE};
	}
}

void frames_add_pacing(struct frames_report *r)
{
	static const struct table_column columns[SECTION_METRICS] = {
	    [SECTION_CAPTURE] = {"capture", "capture", COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [SECTION_NAME] = {"section", "section", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    [SECTION_FIRST] = {"first", "first", COLUMN_INT, 0, 0},
	    [SECTION_FRAMES] = {"frames", "frames", COLUMN_INT, 0, 0},
	    [SECTION_TIME] = {"time_ns", "time", COLUMN_TIME, 0, 0},
	    [SECTION_SMALL] = {"small_janks", "small janks", COLUMN_INT, COLUMN_SPARE, 0},
	    [SECTION_JANKS] = {"janks", "janks", COLUMN_INT, 0, 0},
	    [SECTION_BIG] = {"big_janks", "big janks", COLUMN_INT, 0, 0},
	};
	const struct frames *f = r->f;
	struct table_column *all = arena_zalloc(&r->arena, SECTION_COLUMNS * sizeof *all);
	uint32_t captures = 0;

	if (f->options.every || frames_are_merged(f))
		return;
	for (size_t from = 0, to; from < f->n; from = to) {
		for (to = from; to < f->n && f->rows[to].capture == f->rows[from].capture; to++)
			;
		from += f->rows[from].kind == SLICE_BEFORE;
		if (from < to)
			frames_pacing_capture(r, from, to);
		captures++;
	}
	memcpy(all, columns, sizeof columns);
	if (captures > 1)
		all[SECTION_CAPTURE].flags = 0;
	frames_pacing_columns(all + SECTION_METRICS);
	r->pacing = (struct table){.name = "pacing",
				   .title = "how evenly frames came",
				   .columns = all,
				   .n_columns = SECTION_COLUMNS,
				   .n_rows = r->n_sections,
				   .fill = frames_pacing_fill,
				   .arg = r};
	if (r->n_sections == SECTIONS_MOST)
		frames_note(r, "how evenly frames came is shown for the first %d sections",
			    (int)SECTIONS_MOST);
}
