/* SPDX-License-Identifier: MIT */
#include "cmd/tm-history/history.h"

#include "lib/base/mem.h"
#include "lib/cli/aggregate.h"
#include "lib/group/metric.h"
#include "lib/history/blame.h"
#include "lib/history/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of enum key, behind total. */
const char *const history_by_words[] = {"total", "site",   "function", "location", "stack", "type",
					"file",  "module", "frame",    "thread",   "owner", NULL};

static const char *date_of(const char *option, const char *given, char *to)
{
	if (given && !history_date(given, to))
		cli_usage("--%s: '%s' is not a date (YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ)", option,
			  given);
	return given ? to : NULL;
}

static void cli_history_read_labels(struct cli_history *c)
{
	size_t most = sizeof c->label_items / sizeof *c->label_items;

	if (c->labels.n > most)
		cli_usage("--label: more than %zu", most);
	for (size_t i = 0; i < c->labels.n; i++) {
		const char *text = c->labels.items[i];
		size_t n = strcspn(text, "=");

		if (!n || !text[n] || !text[n + 1])
			cli_usage("--label: '%s' is not NAME=VALUE", text);
		c->label_items[i].name = arena_strndup(&c->texts, text, n);
		c->label_items[i].value = text + n + 1;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(c->label_items[k].name, c->label_items[i].name))
				cli_usage("--label: '%s' is given twice", c->label_items[i].name);
	}
}

static void no_empty(const char *option, const char *text)
{
	if (text && !*text)
		cli_usage("--%s: a name is needed", option);
}

static double number_of(const char *option, const char *text, double least, double most)
{
	char *end;
	double v = strtod(text, &end);

	if (!*text || *end || !(v >= least && v <= most))
		cli_usage("--%s: '%s' is not a number from %g to %g", option, text, least, most);
	return v;
}

void cli_history_start(struct cli_history *c, bool adding)
{
	const char *until = date_of("until", c->until, c->dates[2]);

	c->date = date_of("date", c->date, c->dates[0]);
	c->since = date_of("since", c->since, c->dates[1]);
	/* A day is all of it. */
	if (until && strlen(c->until) == 10)
		memcpy(c->dates[2] + 10, "T23:59:60Z", 11);
	c->until = until;
	cli_history_read_labels(c);
	no_empty("build", c->build);
	no_empty("branch", c->branch);
	no_empty("machine", c->machine);
	no_empty("commit", c->commit);
	if (adding && (c->since || c->until || c->last))
		cli_usage("add: --since, --until and --last select from stored runs");
	if (!adding && (c->date || c->commit))
		cli_usage("--date and --commit need add");
	c->modules = cli_maps("map-module", &c->map_modules, false, NULL, 0, &c->texts);
	c->functions = cli_maps("map-function", &c->map_functions, true, NULL, 0, &c->texts);
	if (adding && c->map_modules.n)
		cli_usage("add takes no --map-module");
	if (adding && c->map_functions.n)
		cli_usage("add takes no --map-function");
	c->error_rate = c->alpha ? number_of("alpha", c->alpha, 1e-6, 0.5) : 0.05;
	c->least_percent = c->least ? number_of("min", c->least, 0, 1e9) : 0;
	if (c->wait > 1000000)
		cli_usage("--wait: more than 1000000 seconds");
}

bool cli_history_open(struct cli_history *c, bool adding)
{
	struct history_choice choice = {.branch = c->branch,
					.machine = c->machine,
					.status =
					    c->status < 0 ? NULL : history_statuses[c->status],
					.build = c->build,
					.since = c->since,
					.until = c->until,
					.items = c->label_items,
					.n = c->labels.n,
					.last = c->last};
	struct err e = ERR_INIT;

	if (history_open(&c->h, c->store, adding ? DB_CREATE : DB_READ, (unsigned)c->wait, &e) ||
	    (!adding &&
	     (db_begin_reading(c->h.db, &e) || history_runs(&c->h, &choice, &c->runs, &e)))) {
		cli_fail(c->h.shown, &e);
		return false;
	}
	c->h.maps = (struct identity_options){.modules = c->modules,
					      .n_modules = c->map_modules.n,
					      .functions = c->functions,
					      .n_functions = c->map_functions.n};
	return true;
}

void cli_history_release(struct cli_history *c)
{
	history_runs_release(&c->runs);
	history_close(&c->h);
	policy_release(&c->policy);
	opt_list_release(&c->labels);
	opt_list_release(&c->names);
	opt_list_release(&c->map_modules);
	opt_list_release(&c->map_functions);
	free(c->modules);
	free(c->functions);
	arena_release(&c->texts);
}

static struct table_document document_of(struct cli_history *c, const char *title)
{
	struct table_document d = {.program = "tm-history", .title = title};

	document_input(&d, c->h.shown, "history");
	if (c->branch)
		document_fact(&d, "branch", c->branch);
	if (c->machine)
		document_fact(&d, "machine", c->machine);
	return d;
}

void cli_history_list(struct cli_history *c, struct cli_report *r)
{
	struct history_view_options o = {.top = 0};
	struct history_view *v = history_view_new(&c->runs, NULL, &o);
	struct table_document d = document_of(c, NULL);

	history_view_runs(v, &d);
	cli_report_print(r, &d);
	document_release(&d);
	history_view_free(v);
}

/* --- series --- */

static void read_policy(struct cli_history *c)
{
	struct err e = ERR_INIT;

	if (!policy_read(&c->policy, c->policy_path, &e)) {
		if (c->policy.paths)
			cli_note(c->policy_path,
				 "map-path: a store keeps the paths of its runs as added");
		return;
	}
	cli_bad_rules(c->policy_path, NULL, &e);
}

/* What options ask for, as a rule of a policy would. */
static struct policy_rule cli_history_rule_of(struct cli_history *c, struct err *e)
{
	struct policy_rule r = {.name = "",
				.kind = POLICY_MAX,
				.key = c->by <= 0 ? POLICY_TOTAL : c->by - 1,
				.stat = COUNTER_MEAN,
				.each = true,
				.cumulative = c->cumulative};
	const char *colon = c->counter ? strrchr(c->counter, ':') : NULL;

	if (c->cumulative && (r.key == POLICY_TOTAL || !key_has_total((enum key)r.key)))
		cli_usage("--cumulative needs --by function, file or module");
	if (c->counter) {
		size_t n = strlen(c->counter);

		for (unsigned k = 0; colon && k < COUNTER_STATS; k++)
			if (!strcmp(counter_stat_words[k], colon + 1)) {
				r.stat = (enum counter_stat)k;
				n = (size_t)(colon - c->counter);
			}
		r.counter = arena_strndup(&c->texts, c->counter, n);
		return r;
	}
	r.match = mem_zarray(c->names.n + 1, sizeof *r.match);
	for (size_t i = 0; i < c->names.n; i++) {
		r.match[i] = match_new((struct match_place){"--name", 0}, c->names.items[i],
				       strlen(c->names.items[i]), 0, e);
		if (!r.match[i])
			cli_usage("--name: %s", e->msg);
		r.n_match++;
	}
	history_metric(&c->h, &c->runs, sort_of(c->metric), &r.metric, e);
	return r;
}

static void release_rule(struct policy_rule *r)
{
	for (size_t i = 0; i < r->n_match; i++)
		match_free(r->match[i]);
	free(r->match);
}

static bool cli_history_read_series(struct cli_history *c, struct history_lines *l)
{
	enum run_per per = c->per < 0 ? PER_CAPTURE : (enum run_per)c->per;
	struct err e = ERR_INIT;
	struct policy_rule r;
	enum status st;

	for (size_t i = 0; i < c->policy.n_rules; i++) {
		const struct policy_rule *rule = &c->policy.rules[i];

		st = history_series(&c->h, l, rule, rule->per, rule->name, &e);
		if (st == ST_UNSUPPORTED)
			cli_note(c->policy_path, "rule '%s' has no series: %s", rule->name, e.msg);
		else if (st)
			break;
		e = (struct err)ERR_INIT;
	}
	if (c->policy_path && !e.code)
		return true;
	if (!c->policy_path) {
		r = cli_history_rule_of(c, &e);
		if (!e.code)
			history_series(&c->h, l, &r, per, NULL, &e);
		release_rule(&r);
	}
	if (e.code == ST_UNSUPPORTED)
		cli_usage("%s", e.msg);
	if (e.code)
		cli_fail(c->h.shown, &e);
	return !e.code;
}

static void find_steps(const struct cli_history *c, struct history_lines *l, bool joint)
{
	struct history_steps_options o = {{c->error_rate, c->seed}, c->least_percent, joint};

	history_steps_find(l, &o);
	history_lines_sort(l);
}

/* joint: the series share the error rate, since one verdict is made of them. */
static bool cli_history_begin_series(struct cli_history *c, struct history_lines *l, bool joint)
{
	size_t present = 0;

	history_runs_gather(&c->runs);
	history_lines_init(l, &c->runs);
	if (!c->runs.n) {
		cli_error(c->h.shown, "no run is left");
		cli_status(EXIT_INPUT);
		return false;
	}
	if (!cli_history_read_series(c, l))
		return false;
	for (size_t i = 0; i < l->n; i++)
		present += l->items[i].present;
	if (!present) {
		cli_error(c->h.shown, "no chosen run has a value%s",
			  l->full ? ": they are above the largest number of a store, 2^63-1"
			  : c->per == PER_FRAME  ? ": the runs have no frames to "
						   "divide by"
			  : c->per == PER_SECOND ? ": the runs have no times to "
						   "divide by"
						 : "");
		cli_status(EXIT_INPUT);
		return false;
	}
	find_steps(c, l, joint);
	return true;
}

/* --- blame --- */

static struct identity_map *with_renamed(struct cli_history *c, const struct history_lines *l,
					 struct identity_map *maps, size_t *n)
{
	struct identity_map *to = mem_array(*n + l->n_renamed + 1, sizeof *to);

	for (size_t i = 0; i < *n; i++)
		to[i] = maps[i];
	for (size_t i = 0; i < l->n_renamed; i++) {
		const char *was = l->renamed[i].was, *now = l->renamed[i].now;

		to[(*n)++] = (struct identity_map){arena_strndup(&c->texts, was, strlen(was)),
						   arena_strndup(&c->texts, now, strlen(now))};
	}
	free(maps);
	return to;
}

/* What series join by a guess is one in blame, too, as if --map-function or --map-module said so. Of stacks it is the
 * functions. What it is goes to *note. */
static void follow_renamed(struct cli_history *c, enum sum sum, struct buf *note)
{
	struct policy_rule r = {.name = "", .kind = POLICY_MAX, .metric = sum, .each = true};
	struct history_lines l;
	struct err e = ERR_INIT;

	r.key = c->by <= 0 || c->by == KEY_STACK + 1 ? KEY_FUNCTION : c->by - 1;
	history_lines_init(&l, &c->runs);
	if ((r.key == KEY_FUNCTION || r.key == KEY_SITE || r.key == KEY_MODULE) &&
	    !history_series(&c->h, &l, &r, PER_CAPTURE, NULL, &e) && l.n_renamed) {
		if (r.key == KEY_MODULE)
			c->h.maps.modules = c->modules =
			    with_renamed(c, &l, c->modules, &c->h.maps.n_modules);
		else
			c->h.maps.functions = c->functions =
			    with_renamed(c, &l, c->functions, &c->h.maps.n_functions);
		history_renamed_text(&l, note);
	}
	history_lines_release(&l);
}

static struct history_blame *cli_history_new_blame(struct cli_history *c,
						   const struct history_sides *s, enum sum sum,
						   const struct policy_rule *about, bool flame,
						   struct err *e)
{
	static const enum key keys[] = {KEY_STACK, KEY_SITE, KEY_TYPE};
	struct history_blame_options o = {.sum = sum,
					  .per = c->per,
					  .top = c->has_top ? c->top : 30,
					  .flame = flame,
					  .up = !c->from,
					  .about = about};
	struct history_blame *b = NULL;
	bool is_chosen = c->by > 0;

	for (size_t i = 0; i < (is_chosen ? 1 : sizeof keys / sizeof *keys) && !b; i++) {
		*e = (struct err)ERR_INIT;
		o.by = is_chosen ? (enum key)(c->by - 1) : keys[i];
		b = history_blame_new(&c->h, &s->base, &s->new, &o, e);
		if (!b && e->code != ST_UNSUPPORTED)
			break;
	}
	return b;
}

static bool shows_charts(enum render_format f)
{
	return f == RENDER_HTML || f == RENDER_JSON || f == RENDER_TEXT;
}

/* The page names what the latest step up is made of. */
static struct history_blame *blame_of_trend(struct cli_history *c, const struct history_lines *l,
					    const struct stats_step **s,
					    const struct history_line **line)
{
	struct err e = ERR_INIT;
	struct buf note = BUF_INIT; /* that of the series is the same */
	struct history_blame *b;
	struct history_sides sides;
	enum sum sum;

	*s = history_last_rise(l, line);
	if (!*s || c->counter || c->policy_path ||
	    history_metric(&c->h, &c->runs, sort_of(c->metric), &sum, &e))
		return NULL;
	history_sides_of(&c->runs, *line, *s, &sides);
	follow_renamed(c, sum, &note);
	buf_release(&note);
	c->by = -1;
	b = cli_history_new_blame(c, &sides, sum, NULL, true, &e);
	if (!b)
		cli_note(c->h.shown, "the causes of the step cannot be shown: %s", e.msg);
	return b;
}

static void name_the_rise(const struct cli_history *c, const struct stats_step *s,
			  const struct history_line *l, struct history_blame *b, bool as_fact,
			  struct buf *to)
{
	const char *most = b ? history_blame_text(b) : NULL;
	double percent = history_step_percent(s);

	buf_addf(to, "%s%s of %s %s by ", as_fact ? "" : "latest step up: ", l->metric, l->key,
		 l->name);
	history_value_text(l, s->after - s->before, false, to);
	if (isfinite(percent))
		buf_addf(to, " (%+.1f %%)", percent);
	else
		buf_adds(to, " (was 0)");
	buf_addf(to, " with build %s", c->runs.items[s->at].build);
	if (most)
		buf_addf(to, "; most of it in %s", most);
}

void cli_history_trend(struct cli_history *c, struct cli_report *r)
{
	bool one = r->format == RENDER_CSV || r->format == RENDER_TSV;
	struct history_view_options o = {.top = c->top,
					 .values = r->format != RENDER_TEXT || r->options.table,
					 .values_first = one,
					 .charts = shows_charts(r->format),
					 .alpha = c->error_rate};
	const struct history_line *line = NULL;
	const struct stats_step *s = NULL;
	struct history_blame *b = NULL;
	struct history_view *v;
	struct history_lines l;
	struct buf rise = BUF_INIT;
	struct table_document d;

	if (c->policy_path)
		read_policy(c);
	if (cli_history_begin_series(c, &l, false)) {
		o.values |= l.n == 1;
		v = history_view_new(&c->runs, &l, &o);
		if (!one)
			b = blame_of_trend(c, &l, &s, &line);
		d = document_of(c, "trend");
		if (s)
			name_the_rise(c, s, line, b, r->format != RENDER_TEXT, &rise);
		if (s && r->format == RENDER_TEXT)
			document_note(&d, buf_str(&rise));
		else if (s)
			document_fact(&d, "latest_step_up", buf_str(&rise));
		if (!one)
			history_view_steps(v, &d);
		history_view_trend(v, &d);
		if (one)
			history_view_steps(v, &d);
		if (b && r->format != RENDER_TEXT)
			history_blame_add(b, &d);
		if (r->format != RENDER_TEXT)
			history_view_runs(v, &d);
		cli_report_print(r, &d);
		document_release(&d);
		history_blame_free(b);
		history_view_free(v);
	}
	buf_release(&rise);
	history_lines_release(&l);
}

/* The last level of some series, with enough runs to be one, is above the one before. What a
 * pattern gave up on is in no series, or is missing in a sum. */
static void judge(const struct history_lines *l)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct history_line *line = &l->items[i];
		const struct stats_step *last =
		    line->n_steps ? &line->steps[line->n_steps - 1] : NULL;

		any |= last && last->after > last->before;
	}
	if (any && !match_all_timed_out())
		cli_status(EXIT_GATE);
	else if (!l->asked || l->undecided || match_all_timed_out())
		cli_status(EXIT_INCONCLUSIVE);
}

void cli_history_steps(struct cli_history *c, struct cli_report *r)
{
	struct history_view_options o = {.alpha = c->error_rate, .joint = c->fail};
	struct history_view *v;
	struct history_lines l;
	struct table_document d;

	if (c->policy_path)
		read_policy(c);
	if (cli_history_begin_series(c, &l, c->fail)) {
		v = history_view_new(&c->runs, &l, &o);
		d = document_of(c, NULL);
		history_view_steps(v, &d);
		cli_report_print(r, &d);
		if (c->fail)
			judge(&l);
		document_release(&d);
		history_view_free(v);
	}
	history_lines_release(&l);
}

/* The runs up to one, or from one on, the nearest. */
static struct history_side side_at(const struct cli_history *c, const struct history_run *run,
				   bool before, size_t most, const struct history_run **to)
{
	size_t at = (size_t)(run - c->runs.items), n = before ? at + 1 : c->runs.n - at;
	size_t first;

	n = n < most ? n : most;
	first = before ? at + 1 - n : at;
	for (size_t i = 0; i < n; i++)
		to[i] = &c->runs.items[first + i];
	return (struct history_side){to, n};
}

static const struct history_run *run_named(const struct cli_history *c, const char *option,
					   const char *name)
{
	const struct history_run *r = history_run_named(&c->runs, name);

	if (!r)
		cli_usage("--%s: no run of build %s", option, name);
	return r;
}

/* A build is named for its last run; all of its runs are behind the step. */
static const struct history_run *first_of_build(const struct cli_history *c,
						const struct history_run *run, const char *name)
{
	while (*name != '#' && run > c->runs.items && run[-1].nth_build == run->nth_build)
		run--;
	return run;
}

static bool cli_history_find_sides(struct cli_history *c, struct history_sides *s)
{
	const struct history_line *line = NULL;
	const struct stats_step *step;
	struct history_lines l;
	int by = c->by;
	bool found;

	history_runs_gather(&c->runs);
	if (c->from) {
		const struct history_run *from = run_named(c, "from", c->from);
		const struct history_run *to = first_of_build(c, run_named(c, "to", c->to), c->to);

		/* The other way round nothing lies between them. */
		size_t most = from < to ? BLAME_RUNS : 1;

		s->base = side_at(c, from, true, most, s->items[0]);
		s->new = side_at(c, to, false, most, s->items[1]);
		return true;
	}
	if (by <= 0 || by == KEY_STACK + 1)
		c->by = 0;
	found = cli_history_begin_series(c, &l, true);
	c->by = by;
	step = found ? history_last_rise(&l, &line) : NULL;
	if (step)
		history_sides_of(&c->runs, line, step, s);
	else if (found) {
		cli_error(c->h.shown, "no step up was found: give two runs with --from and --to");
		cli_status(EXIT_INCONCLUSIVE);
	}
	history_lines_release(&l);
	return step != NULL;
}

void cli_history_blame(struct cli_history *c, struct cli_report *r)
{
	struct err e = ERR_INIT;
	struct history_blame *b = NULL;
	struct buf note = BUF_INIT;
	struct policy_rule about;
	struct table_document d;
	struct history_sides s;
	enum sum sum;

	if (!c->from != !c->to)
		cli_usage("--from and --to need each other");
	if (c->by == 0 || c->by == KEY_FRAME + 1 || c->by == KEY_LOCATION + 1)
		cli_usage("blame needs --by stack, site, function, type, file, module, thread "
			  "or owner");
	if (c->counter || c->policy_path || c->cumulative)
		cli_usage("blame adds up self values: it cannot be combined with --counter, "
			  "--rules or --cumulative");
	if (history_metric(&c->h, &c->runs, sort_of(c->metric), &sum, &e)) {
		cli_fail(c->h.shown, &e);
		return;
	}
	if (!cli_history_find_sides(c, &s))
		return;
	follow_renamed(c, sum, &note);
	about = cli_history_rule_of(c, &e);
	b = cli_history_new_blame(c, &s, sum, &about,
				  r->format == RENDER_HTML || r->format == RENDER_JSON, &e);
	release_rule(&about);
	if (!b && e.code == ST_UNSUPPORTED)
		cli_usage("%s", e.msg);
	if (!b) {
		cli_fail(c->h.shown, &e);
		buf_release(&note);
		return;
	}
	d = document_of(c, NULL);
	history_blame_add(b, &d);
	if (note.len)
		document_note(&d, buf_str(&note));
	cli_report_print(r, &d);
	buf_release(&note);
	document_release(&d);
	history_blame_free(b);
}
