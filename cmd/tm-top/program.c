/* SPDX-License-Identifier: MIT */
#include "cmd/tm-top/program.h"

#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/cli/aggregate.h"
#include "lib/cli/autosymbolize.h"
#include "lib/cli/session.h"
#include "lib/cli/top.h"
#include "lib/cli/walk.h"
#include "lib/group/filter_sink.h"
#include "lib/group/notes.h"
#include "lib/group/own_code.h"
#include "lib/report/frames/worst.h"
#include "lib/report/top/first_screen.h"
#include "lib/report/top/guess.h"
#include "lib/report/top/memory_report.h"
#include "lib/report/top/overview.h"
#include "lib/report/top/source_costs.h"
#include "lib/report/top/top.h"
#include "lib/report/top/tree.h"
#include "lib/rules/leaks.h"
#include "lib/trace/tee.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 30, CALLERS = 3 };

/* All but the first are of stacks, whatever --by says. */
enum report { REPORT_RANKING, REPORT_TREE, REPORT_PEEK, REPORT_SOURCE };

struct request {
	struct cli_top given;
	struct tally_memory sizes;
	uint64_t captures, seen[EV_KINDS]; /* events in them */
	enum report as;                    /* unless memory */
	unsigned min_share;
	struct match *match;
	size_t stacks; /* the grouping by stack alone; 0: none */
	int n;
	char **operands;
	struct cli_loop loop;
	struct grouped_profile project;
	struct buf words;
	struct aggregate_asked asked;
	struct cli_symbols symbols;
	struct walk_files walk; /* by -e, stacks of dumps */
	bool some_rows;         /* --top was given */
	bool by_given;
	struct leaks *none, *caches; /* what is no leak; what the first screen leaves out */
	struct buf suppressed;
	struct buf guessed;   /* what is passed over without a rule */
	size_t own;           /* the grouping by own code; 0: none */
	struct sink_tee both; /* what two reports are made from */
	bool aggregates;      /* some was read */
	bool has_sizes;
	bool first_screen;
	struct frames_worst *worst;
};

/* NULL: there is no such order. */
static void *top_make_report(const struct grouped_profile *p, const struct request *q,
			     struct err *e)
{
	const struct tree_options tree = {q->stacks, q->given.top.sort, q->given.bottom_up,
					  q->min_share};
	const struct peek_options peek = {q->stacks, q->given.top.sort, q->match, q->given.top.n};
	const struct source_options source = {
	    q->stacks,      q->given.top.sort,          q->match,
	    q->given.top.n, q->given.source_dirs.items, q->given.source_dirs.n};

	switch (q->as) {
	case REPORT_TREE: return tree_new(p, &tree, e);
	case REPORT_PEEK: return peek_new(p, &peek, e);
	case REPORT_SOURCE: return source_costs_new(p, &source, e);
	default: return top_new(p, &q->given.top, e);
	}
}

static const struct table *top_report_table(enum report as, const void *report)
{
	switch (as) {
	case REPORT_TREE: return tree_table(report);
	case REPORT_PEEK: return peek_table(report);
	case REPORT_SOURCE: return source_costs_table(report);
	default: return top_table(report);
	}
}

static void top_free_report(enum report as, void *report)
{
	switch (as) {
	case REPORT_TREE: tree_free(report); break;
	case REPORT_PEEK: peek_free(report); break;
	case REPORT_SOURCE: source_costs_free(report); break;
	default: top_free(report);
	}
}

static void top_capture_notes(void *arg, struct trace *t)
{
	struct request *q = arg;

	if (q->none)
		leaks_next(q->none);
	if (q->caches)
		leaks_next(q->caches);
	for (size_t i = 0; i < EV_KINDS; i++)
		q->seen[i] += t->events[i];
	q->captures++;
	if (q->worst)
		frames_worst_captured(q->worst, &q->project);
	cli_report_notes(q->loop.file, t);
}

static enum status top_sliced(void *arg, struct trace *t, const struct tally_slice *s,
			      struct err *e)
{
	struct request *q = arg;

	(void)e;
	frames_worst_sliced(q->worst, &q->project, t, s);
	return ST_OK;
}

static enum status top_read_aggregate(void *arg, struct input *in, bool *taken, struct err *e)
{
	struct request *q = arg;
	enum status st = cli_aggregate_ready(in, taken, e);

	q->aggregates |= *taken;
	return st || !*taken ? st
			     : grouped_profile_read_aggregate(&in->cur, &q->project, &q->asked, e);
}

static const char flame_name[] = "stacks";

/* All of the report, with a flame graph of the stacks, is for pages, and for programs that ask for no part
 * of it: some rows, or a table. */
static bool has_all(const struct request *q)
{
	return q->given.report.format == RENDER_HTML ||
	       (q->given.report.format == RENDER_JSON && !q->given.report.options.table &&
		!q->some_rows);
}

static bool has_flame(const struct request *q)
{
	return has_all(q) ||
	       (q->given.report.format == RENDER_JSON && q->given.report.options.table &&
		!strcmp(q->given.report.options.table, flame_name));
}

static void top_check_functions(struct request *q, const char *option, const char *pattern)
{
	unsigned flags = (q->given.filter.literal ? MATCH_LITERAL : 0) |
			 (q->given.filter.caseless ? MATCH_CASELESS : 0);
	struct err e = ERR_INIT;

	if (!pattern)
		return;
	q->match = match_new((struct match_place){option, 0}, pattern, strlen(pattern), flags, &e);
	if (!q->match)
		cli_usage("%s: '%s': %s", option, pattern, e.msg);
}

static void top_check_folder(const char *dir)
{
	struct stat st;

	if (!stat(dir, &st) && S_ISDIR(st.st_mode))
		return;
	cli_die(dir, "--source-dir: no such folder");
}

static void top_check(struct request *q)
{
	struct err e = ERR_INIT;

	if (q->given.metrics && metrics_parse(q->given.metrics, &q->given.top.metrics, &e))
		cli_usage("--metrics: %s", e.msg);
	if (q->given.tree + q->given.bottom_up + (q->given.peek != NULL) +
		(q->given.source != NULL) + q->given.memory >
	    1)
		cli_usage("give only one of --tree, --bottom-up, --peek, --source and --memory");
	q->as = q->given.peek                         ? REPORT_PEEK
		: q->given.source                     ? REPORT_SOURCE
		: q->given.tree || q->given.bottom_up ? REPORT_TREE
						      : REPORT_RANKING;
	if (q->given.below >= 0) {
		if (q->given.by == q->given.below || q->given.by == KEY_FRAME ||
		    q->given.below == KEY_FRAME || q->given.by == KEY_STACK)
			cli_usage("--by %s,%s: the keys must differ, neither may be frame, and the "
				  "first may not be stack",
				  key_words[q->given.by], key_words[q->given.below]);
		if (q->given.top.cumulative)
			cli_usage("--cumulative needs a single key");
	}
	if ((q->given.by == KEY_OWNER || q->given.below == KEY_OWNER) && !q->given.filter.owners)
		cli_usage("--by owner needs --owners FILE");
	q->min_share = cli_parse_percent("--min", q->given.min_percent, 50);
	top_check_functions(q, "--peek", q->given.peek);
	top_check_functions(q, "--source", q->given.source);
	if (q->given.source_dirs.n && !q->given.source)
		cli_usage("--source-dir needs --source");
	for (size_t i = 0; i < q->given.source_dirs.n; i++)
		top_check_folder(q->given.source_dirs.items[i]);
}

static bool is_one_of(const char *s, const char *const *words)
{
	while (s && *words && strcmp(s, *words) != 0)
		words++;
	return s && *words;
}

/* Nothing was asked for but a form, a part of the report, or a part of the events. */
static bool is_first_report(const struct request *q)
{
	return q->as == REPORT_RANKING && !q->by_given && !q->given.sort && !q->given.metrics &&
	       !q->given.top.cumulative && !q->given.leaks && !q->given.suppressions.n &&
	       !q->given.top.stacks;
}

/* A report of memory begins with what a person asks first, unless some order was asked for. */
static bool wants_first_screen(const struct request *q)
{
	const char *table = q->given.report.options.table;
	bool has = q->given.report.format == RENDER_TEXT ||
		   q->given.report.format == RENDER_MARKDOWN ||
		   q->given.report.format == RENDER_JSON || q->given.report.format == RENDER_HTML;

	if (table)
		return is_one_of(table, first_screen_names);
	return has && is_first_report(q);
}

/* Then paths of calls are kept for the causes, as for a person who looks. */
static bool names_worst_frames(const struct request *q)
{
	const char *table = q->given.report.options.table;

	return table && !strcmp(table, FRAMES_WORST_TABLE);
}

static bool wants_worst_frames(const struct request *q)
{
	const char *table = q->given.report.options.table;

	if (q->given.memory || q->as != REPORT_RANKING || q->given.by != KEY_SITE ||
	    q->given.below >= 0 || q->given.top.stacks)
		return false;
	return table ? names_worst_frames(q) : wants_first_screen(q);
}

static void top_choose_worst(struct request *q, struct grouped_profile_options *o)
{
	int64_t budget = 0;

	if (q->given.budget &&
	    (!num_time(q->given.budget, strlen(q->given.budget), &budget) || budget <= 0))
		cli_usage("--budget: '%s' is not a duration such as 16.7ms or 33ms",
			  q->given.budget);
	if (!wants_worst_frames(q))
		return;
	q->worst = frames_worst_new(o, o->n_by - 1, budget);
	o->sliced = top_sliced;
}

/* The sums that the options need. */
static void top_choose(struct request *q, struct grouped_profile_options *o)
{
	int last;
	bool first = is_first_report(q);

	if (q->as != REPORT_RANKING) {
		q->given.by = KEY_STACK;
		q->given.below = -1;
	}
	last = q->given.below < 0 ? q->given.by : q->given.below;
	o->by[o->n_by++].by = (enum key)q->given.by;
	if (q->given.below >= 0) {
		q->given.top.shown = o->n_by;
		o->by[o->n_by++] =
		    (struct grouping_key){.by = (enum key)q->given.below, .within = 1};
	}
	if (last == KEY_STACK || last == KEY_FRAME)
		q->given.top.stacks = 0; /* a row is one already, or is no cell */
	if (q->given.guess == WHEN_ALWAYS && (q->given.by != KEY_SITE || q->given.below >= 0))
		cli_usage("--guess-sites needs --by site");
	if (q->given.guess == WHEN_AUTO && !first)
		q->given.guess = WHEN_NEVER;
	if (q->given.top.stacks) {
		o->by[o->n_by] =
		    (struct grouping_key){.by = KEY_STACK, .within = (unsigned)o->n_by};
		o->n_by++;
	}
	/* Every stack is kept for it, which pays for a person who looks. */
	if (q->given.top.callers == CLI_TOP_AUTO)
		q->given.top.callers = q->given.report.options.terminal ? CALLERS : 0;
	if (q->given.top.stacks || q->given.by != KEY_SITE || q->given.below >= 0 ||
	    q->given.report.format != RENDER_TEXT)
		q->given.top.callers = 0;
	q->first_screen = wants_first_screen(q);
	if (q->first_screen) {
		q->caches = o->caches = leaks_new(true);
		o->want |= first_screen_wants();
	}
	if (q->given.top.callers || q->first_screen || wants_worst_frames(q) ||
	    (q->given.guess != WHEN_NEVER && !q->given.top.stacks))
		o->by[o->n_by++] = (struct grouping_key){
		    .by = KEY_STACK,
		    .within = 1,
		    .sums = q->given.top.callers || q->given.guess != WHEN_NEVER
				? 0
				: first_screen_wants(),
		    .spare = !q->given.top.callers && q->given.guess != WHEN_ALWAYS &&
			     !names_worst_frames(q)};
	top_choose_worst(q, o);
	if (has_flame(q)) {
		q->stacks = q->given.by == KEY_STACK ? 0 : o->n_by;
		if (q->given.by != KEY_STACK)
			o->by[o->n_by++] = (struct grouping_key){.by = KEY_STACK};
	}
	o->totals = true;
	o->want |= (q->given.top.metrics ? q->given.top.metrics : TALLY_TOP) |
		   sort_wants(q->given.top.sort);
}

/* The stacks that are no leaks: the shipped ones are asked for by --leaks. */
static void top_choose_leaks(struct request *q, struct grouped_profile_options *o)
{
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT;

	if (q->given.list_suppressions) {
		leaks_list(&b);
		cli_write(b.data, b.len);
		buf_release(&b);
		cli_leave(cli_exit());
	}
	if (q->given.leaks && q->given.sort)
		cli_usage("--leaks cannot be combined with --sort");
	if (!q->given.leaks && !q->given.suppressions.n)
		return;
	q->none = leaks_new(q->given.leaks);
	for (size_t i = 0; i < q->given.suppressions.n; i++)
		if (leaks_add_file(q->none, q->given.suppressions.items[i], &e))
			cli_bad_rules(q->given.suppressions.items[i], "--suppressions", &e);
	o->leaks = q->none;
	if (q->given.leaks)
		q->given.top.sort = SORT_LIVE;
}

static void report_leaks(struct request *q, struct table_document *d)
{
	struct leaks_counted c;
	struct buf b = BUF_INIT;

	for (size_t i = 0; q->none && leaks_counted(q->none, i, &c); i++) {
		buf_addf(&b, "%s%" PRIu64 " block%s, ",
			 i ? "; " : "not counted as leaks: ", c.blocks, plural_s(c.blocks));
		size_text(&b, c.bytes);
		buf_addf(&b, " (%s)", c.rule);
	}
	if (b.len) {
		buf_add(&q->suppressed, b.data, b.len);
		document_head(d, buf_str(&q->suppressed));
		document_fact(d, "suppressed", buf_str(&q->suppressed));
	}
	buf_release(&b);
}

/* A page's reader chooses among the sums that the rows have. */
static void add_measures(const struct grouped_profile *p, struct request *q, struct flame *f)
{
	static const enum sum sums[] = {
	    SUM_COUNT,     SUM_ENTRIES,        SUM_REQUESTED, SUM_REAL,           SUM_LIVE_COUNT,
	    SUM_LIVE_REAL, SUM_LIVE_REQUESTED, SUM_PEAK_REAL, SUM_PEAK_REQUESTED, SUM_TEMPORARY,
	    SUM_TIME_SELF, SUM_CALLS,          SUM_SAMPLES,   SUM_PERIOD};
	const struct profile_known *known = &p->now.keys[q->stacks].known;
	unsigned valued = sums_valued(&p->now.all);
	const char *first = f->measure;
	struct err e = ERR_INIT;

	if (q->given.report.format != RENDER_HTML)
		return;
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		if (valued >> sums[i] & 1 && profile_knows(known, sums[i]) &&
		    first != metric_table[sums[i]].title &&
		    (sums[i] != SUM_ENTRIES || !profile_knows(known, SUM_COUNT)))
			tree_flame(p, q->stacks, (int)sums[i], f, &e);
}

/* A page begins with the curve of live bytes. */
static void add_memory(const struct memory_report *m, const struct request *q,
		       struct table_document *d)
{
	if (q->given.report.format == RENDER_HTML && memory_report_live(m)) {
		document_series(d, memory_report_live(m));
		document_fact(d, "curve",
			      q->sizes.weigh == 2 ? "of real bytes" : "of requested bytes");
	}
	if (q->given.report.format == RENDER_HTML && memory_report_growth(m))
		document_fact(d, "growth", memory_report_growth(m));
	if (memory_report_sizes(m))
		document_table(d, memory_report_sizes(m));
}

/* What is passed over, and how to see the report without. A table alone has no head. */
static void top_report_guess(struct request *q, struct table_document *d)
{
	enum render_format format = q->given.report.format;
	bool alone =
	    format == RENDER_CSV || format == RENDER_TSV ||
	    (q->given.report.options.table && format != RENDER_JSON && format != RENDER_HTML);

	if (!q->guessed.len)
		return;
	if (alone)
		cli_note(NULL, "%s", buf_str(&q->guessed));
	document_head(d, buf_str(&q->guessed));
	document_fact(d, "guessed", buf_str(&q->guessed));
}

static struct top *top_new_own(const struct grouped_profile *p, const struct request *q,
			       struct err *e)
{
	const struct top_options o = {
	    .sort = q->given.top.sort, .n = q->given.top.n, .shown = q->own, .own = true};

	return q->own ? top_new(p, &o, e) : NULL;
}

static void top_print(const struct grouped_profile *p, struct request *q)
{
	struct table_document d = {.program = "tm-top"};
	struct flame flame = FLAME_INIT;
	struct memory_report *sizes = NULL;
	struct top_overview overview;
	struct first_screen *screen = NULL;
	const struct table *worst =
	    q->worst && !q->aggregates ? frames_worst_table(q->worst, &q->project) : NULL;
	struct err e = ERR_INIT;
	void *report;
	struct top *own;

	q->given.top.frames_shown = worst != NULL;
	report = top_make_report(p, q, &e);
	own = top_new_own(p, q, &e);
	if (!report)
		cli_usage("--sort: %s", e.msg);
	for (int i = 0; i < q->n; i++)
		document_input(&d, q->operands[i], NULL);
	if (overview_make(p, &overview)) {
		document_head(&d, overview.run);
		document_fact(&d, "run", overview.run);
		if (*overview.memory) {
			document_head(&d, overview.memory);
			document_fact(&d, "memory", overview.memory);
		}
		overview_numbers(p, &d);
	} else {
		overview_span(p, &d);
	}
	report_leaks(q, &d);
	if (q->first_screen)
		screen = first_screen_new(p);
	top_report_guess(q, &d);
	document_table(&d, top_report_table(q->as, report));
	if (own)
		document_table(&d, top_table(own));
	first_screen_add(screen, &d);
	if (worst) {
		document_table(&d, worst);
		frames_worst_numbers(q->worst, &d);
	}
	flame.name = flame.title = flame_name;
	if (has_flame(q) && !tree_flame(p, q->stacks, q->given.top.sort, &flame, &e)) {
		add_measures(p, q, &flame);
		document_flame(&d, &flame);
	}
	/* An aggregate has no sizes of blocks. */
	if (q->has_sizes && q->sizes.captures == p->now.captures)
		sizes = memory_report_new(&q->sizes, p->options.domain == DOMAIN_ALL
							 ? DOMAIN_DEFAULT
							 : p->options.domain);
	if (sizes)
		add_memory(sizes, q, &d);
	cli_report_print(&q->given.report, &d);
	document_release(&d);
	flame_release(&flame);
	memory_report_free(sizes);
	first_screen_free(screen);
	top_free(own);
	top_free_report(q->as, report);
}

static void top_read_all(struct request *q, const struct grouped_profile_options *what)
{
	grouped_profile_init(&q->project, what);
	/* What a filter leaves is known of stacks when all is read, and not of each event. */
	q->has_sizes = has_all(q) && q->as == REPORT_RANKING && !filters_any(what->filters) &&
		       selection_all(&q->given.filter.selection);
	if (q->has_sizes) {
		memory_init(&q->sizes);
		q->sizes.lives = q->given.report.format == RENDER_HTML;
		sink_tee_init(&q->both, grouped_profile_sink(&q->project), &q->sizes.sink);
		q->loop.sink = &q->both.tap.sink;
	}
	cli_inputs(&q->loop, q->n, q->operands);
	cli_progress_working("adding up");
	grouped_profile_close(&q->project);
}

/* A site of an aggregate was settled when it was made, and has no stacks. */
static void top_guess(struct request *q)
{
	struct grouped_profile *p = &q->project;
	struct buf names = BUF_INIT;
	enum sum sum;
	struct err e = ERR_INIT;

	if (q->aggregates || (q->given.guess == WHEN_NEVER && !q->given.top.callers) ||
	    sort_choose(&p->now, &p->now.keys[0].known, q->given.top.sort, key_words[KEY_SITE],
			&sum, &e))
		return;
	if (q->given.guess == WHEN_ALWAYS)
		guess_sites(p, sum, &names);
	else if (q->given.guess == WHEN_AUTO)
		guess_if_needed(p, sum, &names);
	if (names.len)
		buf_addf(&q->guessed, "guessed allocator wrappers (%s): %s",
			 q->given.guess == WHEN_AUTO ? "--guess-sites=never shows them"
						     : "--guess-sites",
			 buf_str(&names));
	buf_release(&names);
	if (q->given.top.callers)
		q->given.top.advice = guess_advice(p, sum);
}

/* Where most sites have no names, the first report has own code below them. Of calls the stacks may be without paths. */
static void top_find_own(struct request *q)
{
	const unsigned sums = SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_ENTRIES) | SUM_BIT(SUM_REQUESTED) |
			      SUM_BIT(SUM_REAL) | SUM_BIT(SUM_SAMPLES) | SUM_BIT(SUM_PERIOD);
	struct grouped_profile *p = &q->project;
	const struct profile_known *known = &p->now.keys[0].known;
	struct err e = ERR_INIT;
	enum sum sum;

	if (!is_first_report(q) || q->given.by != KEY_SITE || q->aggregates ||
	    profile_knows(known, SUM_TIME_TOTAL) ||
	    sort_choose(&p->now, known, q->given.top.sort, key_words[KEY_SITE], &sum, &e))
		return;
	if (sums >> sum & 1 && own_code_is_wanted(p, sum))
		q->own = own_code_add(p, sum);
}

static void top_report_unselected(const struct request *q)
{
	const struct tally_selection *s = &q->given.filter.selection;
	const struct {
		const char *option;
		size_t n;
	} given[] = {{"--frame", s->frames.n},
		     {"--time", s->times.n},
		     {"--size", s->sizes.n},
		     {"--thread", s->n_threads}};
	struct buf said = BUF_INIT;

	if (selection_all(s))
		return;
	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].n)
			buf_addf(&said, "%s%s", said.len ? " and " : "", given[i].option);
	if (q->seen[EV_FRAME])
		buf_addf(&said, " (frames in it: %" PRIu64 ")", q->seen[EV_FRAME]);
	cli_note(NULL, "no record is left by %s", buf_str(&said));
	buf_release(&said);
}

/* Why there is no row, and which domain or metric has one. */
static void top_report_empty(const struct request *q)
{
	static const struct {
		enum event_kind kind;
		const char *what;
	} others[] = {{EV_FRAME, "frames, which tm-frames shows"},
		      {EV_COUNTER, "readings of counters, which tm-frames and tm-dump show"}};
	static const enum event_kind ranked[] = {EV_ALLOC, EV_PROFILE, EV_TYPE_TOTAL, EV_SAMPLE,
						 EV_ENTER, EV_EXIT,    EV_DELTA};
	const char *between = "; it has ";
	struct buf has = BUF_INIT;

	if (q->seen[EV_OBJECT]) /* cli_report_notes has said whose they are */
		return;
	for (size_t i = 0; i < sizeof ranked / sizeof *ranked; i++)
		if (q->seen[ranked[i]]) {
			top_report_unselected(q);
			return;
		}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (q->seen[others[i].kind]) {
			buf_addf(&has, "%s%s: %" PRIu64, between, others[i].what,
				 q->seen[others[i].kind]);
			between = ", ";
		}
	cli_note(NULL, "no allocations, samples or calls in the input%s", buf_str(&has));
	buf_release(&has);
}

static void report_nameless(const struct request *q)
{
	const struct profile *r = &q->project.now;
	struct buf text = BUF_INIT;

	/* A ranking says it below its table. */
	if (q->as != REPORT_RANKING && nameless_note(r, &text))
		cli_note(NULL, "%s", buf_str(&text));
	buf_release(&text);
	if (q->captures && !r->unfiltered.v[SUM_ENTRIES])
		top_report_empty(q);
	if (r->unfiltered.v[SUM_ENTRIES] && !r->all.v[SUM_ENTRIES])
		cli_note(NULL, "no record is left: the filters drop all %" PRIu64 " records",
			 r->unfiltered.v[SUM_ENTRIES]);
}

/* Not by who, but what there was: of what the filters keep. */
static void top_report_memory(struct request *q, const struct grouped_profile_options *what)
{
	struct table_document d = {.program = "tm-top"};
	struct grouped_profile_options kept = *what;
	static const char *const without_modules[] = {"sizes", "live", "pages", NULL};
	bool all =
	    !filters_any(what->filters) && (!what->selection || selection_all(what->selection));
	struct memory_report *r;
	struct tally_memory m;
	struct filter_sink *filtered = NULL;
	struct memory_modules *modules = NULL;

	memory_init(&m);
	m.captured = top_capture_notes;
	m.arg = q;
	kept.captured = NULL;
	q->loop.sink = &m.sink;
	if (!is_one_of(q->given.report.options.table, without_modules)) {
		modules = memory_modules_new(&kept);
		sink_tee_init(&q->both, &m.sink, memory_modules_sink(modules));
		q->loop.sink = &q->both.tap.sink;
	}
	if (!all) {
		filtered = filter_sink_new(q->loop.sink, &kept);
		q->loop.sink = filter_sink_in(filtered);
	}
	q->loop.instead = NULL;
	cli_inputs(&q->loop, q->n, q->operands);
	r = memory_report_new(&m, what->domain == DOMAIN_ALL ? DOMAIN_DEFAULT : what->domain);
	for (int i = 0; i < q->n; i++)
		document_input(&d, q->operands[i], NULL);
	if (r) {
		if (modules)
			memory_report_modules(r, modules);
		memory_report_add(r, &d);
		cli_report_print(&q->given.report, &d);
	} else if (m.captures) {
		cli_note(NULL, "no allocation is left");
	}
	document_release(&d);
	memory_report_free(r);
	filter_sink_free(filtered);
	memory_modules_free(modules);
	memory_release(&m);
}

static void report_ranked(struct request *q, const struct grouped_profile_options *what)
{
	top_read_all(q, what);
	top_guess(q);
	top_find_own(q);
	names_disambiguate(&q->project.names);
	if (q->project.now.captures)
		top_print(&q->project, q);
	report_nameless(q);
	grouped_profile_release(&q->project);
}

int tm_top(int argc, char **argv)
{
	struct request q = {.given = CLI_TOP_INIT};
	const struct opt table[] = {
	    CLI_TOP_ROWS(q.given),
	    ROW_ALIAS("stacks", "show-stacks"),
	    ROW_ALIAS("min-percent", "min"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-top", "[FILE...]",
	    "Ranks code by the memory that it allocates or the time that it takes.", table};
	struct grouped_profile_options what = {.captured = top_capture_notes, .arg = &q};

	q.n = opt_parse(&program, argc, argv);
	q.operands = argv + 1;
	q.by_given = q.given.by >= 0;
	if (!q.by_given)
		q.given.by = KEY_SITE;
	q.some_rows = q.given.top.n != CLI_TOP_AUTO;
	if (q.given.top.n == CLI_TOP_AUTO)
		q.given.top.n = ROWS;
	cli_import_done(&q.given.import);
	cli_report_start(&q.given.report);
	q.symbols.off = q.given.no_symbols;
	q.symbols.exes = (const char *const *)q.given.exes.items;
	q.symbols.n_exes = q.given.exes.n;
	q.symbols.of_captures = q.given.exes.n;
	walk_files_given(&q.walk, q.given.exes.n, q.symbols.exes);
	q.given.import.options.walker = &q.walk.walker;
	cli_autosymbolize(&q.symbols, "tm-top", NULL, &q.given.import.options, (size_t)q.n,
			  (const char *const *)q.operands);
	cli_sandbox("tm-top", NULL);
	cli_filter_done(&q.given.filter);
	q.given.top.sort = sort_of(q.given.sort);
	top_choose_leaks(&q, &what);
	top_check(&q);
	top_choose(&q, &what);
	cli_filter_project(&q.given.filter, &what);
	q.asked = cli_aggregate_asked(&q.given.filter, &q.words, &q.loop.file);
	q.asked.stacks_spare = q.given.top.callers || q.first_screen || q.given.guess == WHEN_AUTO;
	q.loop = (struct cli_loop){.import = &q.given.import.options,
				   .sink = grouped_profile_sink(&q.project),
				   .instead = top_read_aggregate,
				   .symbols = &q.symbols,
				   .marks = q.given.filter.selection.frames.n ||
					    q.given.by == KEY_FRAME || q.given.below == KEY_FRAME,
				   .frames_selected = q.given.filter.selection.frames.n,
				   .arg = &q};
	if (q.given.memory)
		top_report_memory(&q, &what);
	else
		report_ranked(&q, &what);
	cli_symbols_release(&q.symbols);
	memory_release(&q.sizes);
	buf_release(&q.words);
	buf_release(&q.guessed);
	buf_release(&q.suppressed);
	leaks_free(q.none);
	leaks_free(q.caches);
	frames_worst_free(q.worst);
	walk_files_release(&q.walk);
	opt_list_release(&q.given.exes);
	opt_list_release(&q.given.suppressions);
	opt_list_release(&q.given.source_dirs);
	match_free(q.match);
	cli_filter_release(&q.given.filter);
	return cli_exit();
}
