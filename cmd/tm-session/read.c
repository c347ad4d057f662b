/* SPDX-License-Identifier: MIT */
#include "cmd/tm-session/session.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/group/rank.h"
#include "lib/trace/tee.h"

#include <stdlib.h>
#include <string.h>

struct import_options session_options_of(const struct session_file *f,
					 const struct import_options *import)
{
	struct import_options o = *import;

	o.format = f->format ? f->format : o.format;
	return o;
}

/* --- surveys and clocks --- */

static void read_survey(struct session_file *f, const struct import_options *import)
{
	const struct import_options o = session_options_of(f, import);
	struct cli_loop loop = {.import = &o, .sink = &f->survey.sink};

	survey_init(&f->survey);
	cli_inputs(&loop, 1, &f->path);
	f->surveyed = f->survey.captures;
	f->reading_failed |= !loop.read;
	if (loop.lossy && !f->survey.loss)
		f->survey.loss = mem_strdup("it is damaged");
}

/* Of two files with as many frames the one whose times are finer, then the one with native blocks. */
static bool is_better(const struct survey *v, const struct survey *best, bool with_frames)
{
	if (!with_frames)
		return v->extent.last - v->extent.first > best->extent.last - best->extent.first;
	if (v->n != best->n)
		return v->n > best->n;
	if (v->resolution != best->resolution)
		return v->resolution < best->resolution;
	return (v->domains >> DOMAIN_MALLOC & 1) > (best->domains >> DOMAIN_MALLOC & 1);
}

/* The file with most frames; without any, that which takes longest. */
static void choose_reference(struct session *s)
{
	s->reference = s->n;
	for (int with_frames = 1; s->reference == s->n && with_frames >= 0; with_frames--)
		for (size_t i = 0; i < s->n; i++) {
			const struct survey *v = &s->files[i].survey;

			if (s->files[i].surveyed && v->extent.any &&
			    (!with_frames || survey_frames(v).n) &&
			    (s->reference == s->n ||
			     is_better(v, &s->files[s->reference].survey, with_frames)))
				s->reference = i;
		}
}

/* Tries to read file i's clock by that of file k, which is placed. */
static void offer_clock(struct session *s, size_t i, size_t k)
{
	struct session_file *f = &s->files[i];
	const struct session_file *to = &s->files[k];
	struct session_clock c;

	if (!survey_clock(&to->survey, &f->survey, &c)) {
		if (k == s->reference)
			f->clock.why = c.why;
		return;
	}
	if (k != s->reference) {
		clock_chain(&c, &to->clock);
		c.lag += to->clock.lag;
		/* Frames that are a capture's are the axis's only if that capture's are. */
		if (to->clock.by > c.by)
			c.by = to->clock.by;
	}
	if (f->offer.by &&
	    (f->offer.by < c.by || (f->offer.by == c.by && f->offer.error <= c.error)))
		return;
	f->offer = c;
	f->through = k;
}

/* Each by the surest way to one that is placed already; of those the surest comes first. */
static void place_all(struct session *s)
{
	for (size_t placed = s->reference, best; placed < s->n; placed = best) {
		best = s->n;
		for (size_t i = 0; i < s->n; i++) {
			struct session_file *f = &s->files[i];

			if (!f->surveyed || f->clock.by)
				continue;
			offer_clock(s, i, placed);
			if (f->offer.by && (best == s->n || f->offer.by < s->files[best].offer.by ||
					    (f->offer.by == s->files[best].offer.by &&
					     f->offer.error < s->files[best].offer.error)))
				best = i;
		}
		if (best < s->n)
			s->files[best].clock = s->files[best].offer;
	}
}

static int compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void set_axis(struct session *s)
{
	const struct survey *v = &s->files[s->reference].survey;
	int64_t *all = mem_array(v->n + 1, sizeof *all);
	size_t n = 0;

	s->median = -1;
	if (v->ordered)
		s->axis = (struct session_axis){v->frames, v->numbers, v->n};
	s->frames = s->axis.n ? v->n_frames : 0;
	for (size_t i = 0; i < s->axis.n; i++)
		if (v->frames[i].duration >= 0)
			all[n++] = v->frames[i].duration;
	sort_array(all, n, sizeof *all, compare_i64);
	if (n)
		s->median = all[n / 2];
	free(all);
	s->files[s->reference].clock = (struct session_clock){.by = CLOCK_ITSELF};
	s->files[s->reference].through = s->reference;
}

bool session_placed(const struct session *s, const struct session_file *f)
{
	return f->clock.by && s->median >= 0 && f->clock.error <= s->median / 2;
}

bool session_frame_at(const struct session *s, int64_t time, size_t *frame)
{
	const struct clock_frame *f = s->axis.frames;
	size_t i;

	if (!s->axis.n)
		return false;
	i = BISECT(k, (size_t)0, s->axis.n, f[k].start <= time);
	if (!i || (f[i - 1].duration >= 0 && time >= f[i - 1].start + f[i - 1].duration))
		return false;
	*frame = i - 1;
	return true;
}

int64_t session_duration(const struct session *s)
{
	const struct survey *v;

	if (s->reference == s->n)
		return 0;
	v = &s->files[s->reference].survey;
	return v->extent.last - v->extent.first;
}

/* --- lines of logs --- */

struct log_sink {
	struct sink sink;
	const struct session *session;
	struct session_file *file;
	uint64_t captures; /* the clock is that of the first */
};

/* Keeps the line if it is one of the nearest. */
static void keep_line(struct session_lines *to, const struct session_line *line, const char *text,
		      size_t n, const char *level)
{
	size_t at = to->n;

	to->all++;
	while (at && to->items[at - 1].away > line->away)
		at--;
	if (at == SESSION_LINES)
		return;
	if (to->n == SESSION_LINES) {
		to->n--;
		free(to->items[to->n].text);
		free(to->items[to->n].level);
	}
	memmove(&to->items[at + 1], &to->items[at], (to->n - at) * sizeof *to->items);
	to->items[at] = *line;
	to->items[at].nth = to->all;
	to->items[at].text = mem_strndup(text, n);
	to->items[at].level = mem_strdup(level);
	to->n++;
}

/* How far from the frame a time is; below 0: further than the error. */
static int64_t away_from(const struct clock_frame *f, int64_t time, int64_t error)
{
	int64_t end = f->start + (f->duration > 0 ? f->duration : 0);
	int64_t away = time < f->start ? f->start - time : time > end ? time - end : 0;

	return away <= error ? away : -1;
}

static enum status log_sink_event(struct sink *sink, struct trace *t, const struct event *ev,
				  struct err *e)
{
	struct log_sink *l = (struct log_sink *)sink;
	const struct session *s = l->session;
	struct session_line line;
	const char *text, *level;
	size_t n;

	(void)e;
	if (ev->kind != EV_LOG || !(ev->has & EV_HAS_TIME) || l->captures > 1)
		return ST_OK;
	line.time = clock_there(&l->file->clock, ev->time);
	text = intern_text(&t->strings, ev->has & EV_HAS_NAME ? ev->name : 0, &n);
	level = ev->has & EV_HAS_TYPE ? trace_text(t, t->markers[ev->type].name) : "";
	for (size_t i = 0; i < s->n_worst; i++) {
		line.away =
		    away_from(&s->axis.frames[s->worst[i].frame], line.time, l->file->clock.error);
		if (line.away >= 0)
			keep_line(&l->file->lines[i], &line, text, n, level);
	}
	return ST_OK;
}

static enum status log_sink_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				  struct err *e)
{
	return sink_each(s, t, b, e, log_sink_event);
}

static enum status log_sink_begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)t, (void)e;
	((struct log_sink *)s)->captures++;
	return ST_OK;
}

static enum status log_sink_end(struct sink *s, struct trace *t, struct err *e)
{
	(void)s, (void)t, (void)e;
	return ST_OK;
}

static void read_log(struct session *s, struct session_file *f, const struct import_options *import)
{
	struct log_sink log = {
	    .sink = {.begin = log_sink_begin, .batch = log_sink_batch, .end = log_sink_end},
	    .session = s,
	    .file = f};
	const struct import_options o = session_options_of(f, import);
	struct cli_loop loop = {.import = &o, .sink = &log.sink};

	f->lines = mem_zarray(s->n_worst + 1, sizeof *f->lines);
	cli_inputs(&loop, 1, &f->path);
}

/* --- what is in the frames --- */

/* What is loaded before the first frame does not grow; and what the program frees when it ends was there. The last frame
 * has no end: where not much follows, that is a part of it. */
static void set_steps(const struct session *s, const struct session_file *f, struct session_part *p)
{
	const struct session_axis *a = &s->axis;
	const int64_t first = f->survey.extent.first, last = f->survey.extent.last;
	bool framed = f->clock.by && a->n > SESSION_STEPS && s->median >= 0;

	for (unsigned i = 0; i <= SESSION_STEPS; i++) {
		int64_t *t = &p->steps[i];

		*t = first + (int64_t)((double)(last - first) * i / SESSION_STEPS);
		if (framed)
			*t = clock_back(&f->clock, a->frames[(a->n - 1) * i / SESSION_STEPS].start);
		*t = *t < first ? first : *t > last ? last : *t;
	}
	p->cut = framed && last - p->steps[SESSION_STEPS] > 2 * s->median;
	if (!p->cut)
		p->steps[SESSION_STEPS] = last;
	p->every = (p->steps[SESSION_STEPS] - p->steps[0]) / (SESSION_STEPS * SESSION_PARTS) + 1;
}

static void add_part(struct session *s, struct session_file *f, unsigned what)
{
	const struct survey *v = &f->survey;
	struct session_part *p = &f->parts[f->n_parts++];
	struct frames_options o = {.bare = true, .tops = what == PART_COUNTERS ? 0 : SESSION_SITES};
	struct frames_lines_options l = {.n = FRAMES_LINES_MOST, .places = true};

	p->what = what;
	set_steps(s, f, p);
	p->placed = session_placed(s, f);
	p->bytes = what == PART_CALLS ? SUM_TIME_SELF : v->requested ? SUM_REQUESTED : SUM_REAL;
	o.project.by[0] = (struct grouping_key){.by = KEY_SITE, .by_script = what < DOMAINS};
	o.project.n_by = 1;
	o.project.domain = what < DOMAINS ? (int)what : DOMAIN_ALL;
	o.project.want = what < DOMAINS ? SUMS_BASE : SUMS_TIME;
	o.sort = what == PART_COUNTERS ? FRAMES_AUTO : (int)p->bytes;
	frames_init(&p->frames, &o);
	if (what >= DOMAINS || !v->events[EV_ALLOC] || !v->extent.any)
		return;
	l.project = o.project;
	l.metric = p->bytes == SUM_REQUESTED ? SUM_LIVE_REQUESTED : SUM_LIVE_REAL;
	l.project.want = SUM_BIT(l.metric) | SUM_BIT(SUM_LIVE_COUNT);
	l.every = p->every;
	p->lines = frames_lines_new(&l);
}

static void add_parts(struct session *s, struct session_file *f)
{
	const struct survey *v = &f->survey;

	f->parts = mem_zarray(PART_COUNTERS + 1, sizeof *f->parts);
	for (unsigned d = 0; d < DOMAINS; d++)
		if (v->domains >> d & 1)
			add_part(s, f, d);
	if (!session_placed(s, f))
		return;
	if (v->events[EV_ENTER] || v->events[EV_SAMPLE])
		add_part(s, f, PART_CALLS);
	if (v->events[EV_COUNTER])
		add_part(s, f, PART_COUNTERS);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

bool part_value(const struct session_part *p, size_t frame, enum sum sum, uint64_t *v)
{
	decimal d;

	if (!p->rows || !p->rows[frame])
		return false;
	if (!frames_value(&p->frames, p->rows[frame] - 1, (int)sum, &d) || d < 0)
		return false;
	*v = (uint64_t)(d / DECIMAL_UNIT);
	return true;
}

static void end_part(struct session *s, struct session_part *p)
{
	uint64_t *all = mem_array(s->axis.n + 1, sizeof *all), v;
	size_t n = 0;

	names_disambiguate(&p->frames.project.names);
	if (p->placed) {
		p->rows = mem_zarray(s->axis.n + 1, sizeof *p->rows);
		for (size_t i = 0; i < p->frames.n; i++) {
			const struct frame *f = &p->frames.rows[i];

			if (f->capture == 1 && f->kind == SLICE_FRAME && f->number >= 0 &&
			    (uint64_t)f->number < s->axis.n)
				p->rows[f->number] = (uint32_t)i + 1;
		}
	}
	for (size_t i = 0; i < s->axis.n; i++)
		if (part_value(p, i, p->bytes, &v))
			all[n++] = v;
	sort_array(all, n, sizeof *all, compare_u64);
	p->median = n ? all[(n - 1) / 2] : 0; /* the nearest rank */
	free(all);
}

/* A sink that hands on to s, too. */
static struct sink *tee_to(struct sink_tee *tees, size_t *n, struct sink *s, struct sink *to)
{
	if (!to)
		return s;
	sink_tee_init(&tees[*n], s, to);
	return &tees[(*n)++].tap.sink;
}

static void read_parts(struct session *s, struct session_file *f,
		       const struct import_options *import, struct cli_symbols *symbols)
{
	const struct import_options o = session_options_of(f, import);
	struct cli_loop loop = {.import = &o, .symbols = symbols};
	struct sink_tee tees[2 * (PART_COUNTERS + 1)];
	struct axis_tap tap;
	struct sink *to = NULL;
	size_t n = 0;

	add_parts(s, f);
	if (!f->n_parts)
		return;
	for (size_t i = 0; i < f->n_parts; i++) {
		struct session_part *p = &f->parts[i];

		to = tee_to(tees, &n, frames_sink(&p->frames), to);
		if (p->lines)
			to = tee_to(tees, &n, grouped_profile_sink(frames_lines_project(p->lines)),
				    to);
	}
	axis_tap_init(&tap, to, &s->axis, &f->survey, &f->clock);
	loop.sink = &tap.tap.sink;
	cli_inputs(&loop, 1, &f->path);
	axis_tap_release(&tap);
	for (size_t i = 0; i < f->n_parts; i++)
		end_part(s, &f->parts[i]);
}

/* --- the frames that are shown --- */

static struct session_worst *worst_of(struct session *s, size_t frame)
{
	size_t i = 0;

	while (i < s->n_worst && s->worst[i].frame < frame)
		i++;
	if (i < s->n_worst && s->worst[i].frame == frame)
		return &s->worst[i];
	VEC_PUSH(s->worst, s->n_worst, s->cap_worst) = (struct session_worst){.frame = frame};
	memmove(&s->worst[i + 1], &s->worst[i], (s->n_worst - 1 - i) * sizeof *s->worst);
	s->worst[i] = (struct session_worst){.frame = frame};
	return &s->worst[i];
}

static void add_why(struct session_worst *w, const char *text)
{
	if (w->why.len)
		buf_adds(&w->why, ", ");
	buf_adds(&w->why, text);
}

/* Indexes of the n largest values of the axis's frames; how many there are. */
static size_t largest(const struct session *s, const struct session_part *p, size_t *to,
		      size_t most)
{
	uint64_t values[SESSION_LONGEST > SESSION_MOST ? SESSION_LONGEST : SESSION_MOST], v;
	size_t n = 0;

	for (size_t i = 0; i < s->axis.n; i++) {
		const struct clock_frame *f = &s->axis.frames[i];
		size_t at;

		if (!p && f->duration < 0)
			continue;
		v = p ? 0 : (uint64_t)f->duration;
		if (p && !part_value(p, i, p->bytes, &v))
			continue;
		for (at = n; at && values[at - 1] < v; at--)
			if (at < most) {
				values[at] = values[at - 1];
				to[at] = to[at - 1];
			}
		if (at < most) {
			values[at] = v;
			to[at] = i;
			n += n < most;
		}
	}
	return n;
}

static void choose_longest(struct session *s)
{
	size_t at[SESSION_LONGEST], n = largest(s, NULL, at, SESSION_LONGEST);

	for (size_t i = 0; i < n; i++) {
		struct session_worst *w = worst_of(s, at[i]);

		w->longest = true;
		add_why(w, "duration");
	}
}

static void choose_of_part(struct session *s, const struct session_file *f,
			   const struct session_part *p)
{
	size_t at[SESSION_MOST], n = largest(s, p, at, SESSION_MOST);
	struct buf b = BUF_INIT;
	uint64_t v;

	buf_addf(&b, "%s of %s", part_word(p), f->name);
	for (size_t i = 0; i < n; i++)
		if (part_value(p, at[i], p->bytes, &v) && v && v / SESSION_OUTLIER >= p->median)
			add_why(worst_of(s, at[i]), buf_str(&b));
	buf_release(&b);
}

void session_place(struct session *s, const struct import_options *import)
{
	session_look(s);
	for (size_t i = 0; i < s->n; i++)
		if (s->files[i].capture)
			read_survey(&s->files[i], import);
	choose_reference(s);
	s->median = -1;
	if (s->reference == s->n)
		return;
	set_axis(s);
	place_all(s);
}

/* Logs come last, when all frames that are shown are known. */
void session_read(struct session *s, const struct import_options *import,
		  struct cli_symbols *symbols)
{
	session_place(s, import);
	if (s->reference == s->n)
		return;
	choose_longest(s);
	for (size_t i = 0; i < s->n; i++) {
		struct session_file *f = &s->files[i];

		/* Without times there is neither a frame nor growth over time. */
		if (!f->surveyed || !f->survey.extent.any || f->survey.events[EV_OBJECT])
			continue;
		read_parts(s, f, import, symbols);
		for (size_t k = 0; k < f->n_parts; k++)
			if (f->parts[k].what < DOMAINS)
				choose_of_part(s, f, &f->parts[k]);
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->files[i].clock.by && s->files[i].survey.events[EV_LOG] && s->n_worst)
			read_log(s, &s->files[i], import);
}

const char *part_word(const struct session_part *p)
{
	static const char *const words[] = {
	    [DOMAIN_MALLOC] = "native",  [DOMAIN_POOL] = "pools", [DOMAIN_MMAP] = "mappings",
	    [DOMAIN_MONO] = "managed",   [DOMAIN_LUA] = "Lua",    [PART_CALLS] = "calls",
	    [PART_COUNTERS] = "counters"};

	return words[p->what];
}

bool part_estimated(const struct session_part *p)
{
	return p->what < DOMAINS && p->frames.project.now.known.state[p->bytes] == METRIC_ESTIMATED;
}

/* --- growth --- */

/* How many points of the series are over when so many steps are. */
static size_t points_of(const struct session_part *p, const struct table_series *t, unsigned steps)
{
	if (steps < SESSION_STEPS)
		return BISECT(i, (size_t)0, t->n_points, t->x[i] < p->steps[steps]);
	return p->cut ? BISECT(i, (size_t)0, t->n_points, t->x[i] + p->every <= p->steps[steps])
		      : t->n_points;
}

static struct session_growth growth_of(const struct session_part *p, const struct table_series *t,
				       const char *site, const decimal *y)
{
	const unsigned quarter = SESSION_STEPS / 4;
	struct session_growth g = {
	    .site = site, .from = p->steps[quarter], .until = p->steps[SESSION_STEPS]};
	size_t n = points_of(p, t, quarter);
	decimal before = n ? y[n - 1] : 0, after = before;

	/* The last of them may end later than the step. */
	if (n && t->x[n - 1] + p->every > g.from)
		g.from = t->x[n - 1] + p->every;
	g.before = (uint64_t)(before / DECIMAL_UNIT);
	for (unsigned i = quarter + 1; i <= SESSION_STEPS; i++, before = after) {
		n = points_of(p, t, i);
		after = n ? y[n - 1] : 0;
		g.rises += after > before;
		g.falls |= after < before;
	}
	g.after = (uint64_t)(after / DECIMAL_UNIT);
	if (p->cut && n)
		g.until = t->x[n - 1] + p->every;
	return g;
}

size_t session_growths(struct session_part *p, struct session_growth *to, size_t most)
{
	const struct table_series *t;
	decimal *all;
	size_t n = 0;

	if (!p->lines)
		return 0;
	names_disambiguate(&frames_lines_project(p->lines)->names);
	t = frames_lines_series(p->lines);
	if (!t || t->x_type != COLUMN_TIME || p->steps[SESSION_STEPS] - p->steps[0] < SESSION_STEPS)
		return 0;
	all = mem_zarray(t->n_points, sizeof *all);
	for (size_t i = 0; i < t->n_lines; i++)
		for (size_t k = 0; k < t->n_points; k++)
			all[k] += t->lines[i].y[k];
	to[n] = growth_of(p, t, "", all);
	to[n++].whole = true;
	free(all);
	for (size_t i = 0; i < t->n_lines && n < most; i++)
		if (strcmp(t->lines[i].key, "others") != 0)
			to[n++] = growth_of(p, t, t->lines[i].title, t->lines[i].y);
	return n;
}

bool session_leaks(const struct session_growth *g)
{
	return !g->whole && !g->falls && g->rises + 1 >= SESSION_STEPS - SESSION_STEPS / 4 &&
	       g->after > g->before;
}

static void release_lines(struct session_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].text);
		free(l->items[i].level);
	}
}

void session_release(struct session *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct session_file *f = &s->files[i];

		for (size_t k = 0; k < f->n_parts; k++) {
			frames_release(&f->parts[k].frames);
			frames_lines_free(f->parts[k].lines);
			free(f->parts[k].rows);
		}
		free(f->parts);
		survey_release(&f->survey);
		for (size_t k = 0; f->lines && k < s->n_worst; k++)
			release_lines(&f->lines[k]);
		free(f->lines);
		free(f->path);
	}
	for (size_t i = 0; i < s->n_worst; i++)
		buf_release(&s->worst[i].why);
	for (size_t i = 0; i < PASSED_REASONS; i++)
		buf_release(&s->passed[i]);
	free(s->worst);
	free(s->files);
	arena_release(&s->texts);
}
