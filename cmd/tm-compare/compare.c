/* SPDX-License-Identifier: MIT */
#include "cmd/tm-compare/compare.h"

#include "lib/base/mem.h"
#include "lib/cli/aggregate.h"
#include "lib/profile/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct cli_compare_sides {
	struct cli_loop loop;
	struct tally_selection ranges[2]; /* of the base and of the new side */
	bool has_ranges;
	struct input_digest digest; /* of the present file */
};

static void cli_compare_capture_notes(void *arg, struct trace *t)
{
	const struct cli_compare *c = arg;

	cli_report_notes(c->sides->loop.file, t);
}

static void cli_compare_after_file(void *arg, const char *file)
{
	struct cli_compare *c = arg;
	struct err e = ERR_INIT;

	struct profile_input from = {.hash = c->sides->digest.hash,
				     .bytes = c->sides->digest.bytes};

	digest_release(&c->sides->digest);
	if (c->in.project.now.captures && compare_inputs_add_run(&c->in, file, &from, &e))
		cli_fail(file, &e);
}

static enum status cli_compare_read_aggregate(void *arg, struct input *in, bool *taken,
					      struct err *e)
{
	struct cli_compare *c = arg;
	struct cli_compare_sides *s = c->sides;

	*taken = aggregate_is(&in->cur);
	if (*taken && s->has_ranges)
		return err_set(e, ST_UNSUPPORTED, "an aggregate has no events to select from");
	if (!*taken || cli_aggregate_ready(in, taken, e))
		return *taken ? err_failure(e) : ST_OK;
	return compare_inputs_aggregate(&c->in, &in->cur, s->loop.file, e);
}

static const char *today(const char *given)
{
	static _Thread_local char text[40];
	time_t now = time(NULL);
	struct tm tm;

	if (given && !policy_date(given))
		cli_usage("--today: '%s' is not a date (YYYY-MM-DD)", given);
	if (given)
		return given;
	gmtime_r(&now, &tm);
	/* strftime sets the time zone, which is the process's */
	snprintf(text, sizeof text, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	return text;
}

static void add_ranges(const char *option, const struct opt_list *from, struct tally_selection *to,
		       enum status (*add)(struct tally_selection *, const char *, struct err *))
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < from->n; i++)
		if (add(to, from->items[i], &e))
			cli_usage("--%s: %s", option, e.msg);
}

static void read_policy(struct cli_compare *c)
{
	struct err e = ERR_INIT;

	if (!c->policy_path || !policy_read(&c->policy, c->policy_path, &e))
		return;
	cli_bad_rules(c->policy_path, NULL, &e);
}

static void check_source(const char *option, const char *dir)
{
	struct stat st;

	if (dir && (stat(dir, &st) || !S_ISDIR(st.st_mode)))
		cli_usage("--%s: '%s' is not a folder", option, dir);
}

/* The sides that files and groups are. */
static size_t count_sides(const struct cli_compare *c, int n)
{
	size_t sides = (size_t)n;

	for (size_t i = 0; i < c->groups.n; i++)
		sides += !c->groups.items[i];
	return sides;
}

void cli_compare_start(struct cli_compare *c, const struct cli_filter *f, int n, bool single)
{
	struct cli_compare_sides *s = mem_zalloc(sizeof *s);
	bool lists = c->base.n || c->new.n;

	c->sides = s;
	cli_filter_words(f, &c->filters);
	selection_init(&s->ranges[0]);
	selection_init(&s->ranges[1]);
	add_ranges("base-frame", &c->base_frames, &s->ranges[0], selection_frames);
	add_ranges("base-time", &c->base_times, &s->ranges[0], selection_times);
	add_ranges("new-frame", &c->new_frames, &s->ranges[1], selection_frames);
	add_ranges("new-time", &c->new_times, &s->ranges[1], selection_times);
	s->has_ranges = !selection_all(&s->ranges[0]) || !selection_all(&s->ranges[1]);
	if (s->has_ranges && (f->given[CLI_FRAME].n || f->given[CLI_TIME].n))
		cli_usage("--frame and --time select from both sides: they cannot be combined "
			  "with ranges of one side");
	for (size_t i = 0; i < 2; i++) {
		cli_filter_select(f, CLI_SIZE, &s->ranges[i]);
		cli_filter_select(f, CLI_THREAD, &s->ranges[i]);
	}
	today(c->today);
	if (single && !c->policy_given)
		c->policy_path = NULL; /* nothing is judged */
	if (single) {
		if (n != 1 || lists || c->groups.n || s->has_ranges || c->policy_path)
			cli_usage("--save-baseline takes one file and does not compare");
		return;
	}
	if (c->init) {
		if (n < 2 || lists || c->groups.n || s->has_ranges || c->history || c->policy_given)
			cli_usage("--init-policy takes two or more runs of one build, and no base");
		c->policy_path = NULL;
		return;
	}
	if ((n > 0) + lists + (c->groups.n > 0) != 1)
		cli_usage("give files, or --base and --new, or --group");
	if (lists && (!c->base.n || !c->new.n))
		cli_usage("--base and --new need each other");
	if (s->has_ranges && (c->groups.n || n > 2))
		cli_usage("ranges need exactly two sides");
	if (!c->history && (c->base_branch || c->base_machine || c->base_last || c->branch))
		cli_usage("--base-branch, --base-machine, --base-last and --branch need --history");
	if (!c->history && c->allow_no_base)
		cli_usage("--allow-no-base needs --history");
	if (c->history && (lists || c->groups.n || s->has_ranges))
		cli_usage("--history provides the base: give the files to judge, and no groups or "
			  "ranges");
	if (n == 1 && !s->has_ranges && !c->history)
		cli_usage("nothing to compare with: give another file, or two ranges of this one");
	if (c->policy_path && !c->history && count_sides(c, n) > 2)
		cli_usage("--gate judges one side against one base, and these are %zu sides: give "
			  "--base and --new, each with its files",
			  count_sides(c, n));
	if (!c->base_source != !c->new_source)
		cli_usage("--base-source and --new-source need each other");
	check_source("base-source", c->base_source);
	check_source("new-source", c->new_source);
	read_policy(c);
	paths_add_all(f->paths, c->policy.paths);
}

void compare_unread(struct cli_compare *c, const char *what, enum status why)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s %s", what,
		 why == ST_BAD ? "is damaged or cut short, as after a crash" : "could not be read");
	c->in.compare.unread = arena_strndup(&c->in.names, b.data, b.len);
	buf_release(&b);
}

void compare_begin_group(struct cli_compare *c, const char *label)
{
	struct err e = ERR_INIT;
	size_t side = c->in.compare.n_groups;

	if (compare_inputs_group(&c->in, label, &e))
		cli_usage("%s", e.msg);
	if (c->sides->has_ranges)
		c->in.project.tally.options.selection = &c->sides->ranges[side];
}

static void read_file(struct cli_compare *c, const char *path)
{
	const struct compare_group *g = &c->in.compare.groups[c->in.compare.n_groups - 1];
	char *operand[] = {mem_strdup(path)};
	size_t had = g->n;

	compare_inputs_drop(&c->in);
	digest_release(&c->sides->digest);
	cli_inputs(&c->sides->loop, 1, operand);
	free(operand[0]);
	if (g->n == had && !c->in.compare.unread)
		compare_unread(c, path, c->sides->loop.failed);
}

static void read_list(struct cli_compare *c, const char *label, const struct opt_list *files)
{
	compare_begin_group(c, label);
	for (size_t i = 0; i < files->n; i++)
		if (files->items[i])
			read_file(c, files->items[i]);
}

static void read_groups(struct cli_compare *c)
{
	const struct opt_list *l = &c->groups;

	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i]) {
			read_file(c, l->items[i]);
			continue;
		}
		compare_begin_group(c, l->items[++i]);
		if (i + 1 == l->n || !l->items[i + 1])
			cli_usage("--group %s: no files", l->items[i]);
	}
	if (c->in.compare.n_groups == 1)
		cli_usage("--group: no second group to compare '%s' with",
			  c->in.compare.groups[0].label);
}

static const char *range_label(const char *side, const struct opt_list *frames,
			       const struct opt_list *times, struct arena *arena)
{
	struct buf b = BUF_INIT;
	const char *text;

	for (size_t i = 0; i < frames->n; i++)
		buf_addf(&b, "%sframes %s", b.len ? ", " : "", frames->items[i]);
	for (size_t i = 0; i < times->n; i++)
		buf_addf(&b, "%stime %s", b.len ? ", " : "", times->items[i]);
	text = b.len ? arena_strndup(arena, b.data, b.len) : side;
	buf_release(&b);
	return text;
}

/* The second of two sides, where a selection says that its sums are not there already. */
static void compare_begin_ahead(const struct cli_compare *c, int n, char **operands)
{
	const struct cli_compare_sides *s = c->sides;
	struct tally_options o = c->in.project.tally.options;

	bool two = !c->init && !c->history && !c->base.n && !c->groups.n &&
		   (n == 2 || (n == 1 && s->has_ranges));

	if (s->has_ranges)
		o.selection = &s->ranges[1];
	two &= o.selection && !selection_all(o.selection);
	cli_prefetch(two ? operands[n - 1] : NULL, &o);
}

/* What is judged is read first, since the base is chosen by what it is. */
static void read_history(struct cli_compare *c, const char *label, int n, char **operands)
{
	struct compare_group *g = c->in.compare.groups;

	compare_begin_group(c, label);
	for (int i = 0; i < n; i++)
		read_file(c, operands[i]);
	if (g[0].n && compare_base_read(c) && c->in.compare.n_groups == 2) {
		struct compare_group new = g[0];

		g[0] = g[1];
		g[1] = new;
	}
}

bool cli_compare_read(struct cli_compare *c, const struct import_options *import,
		      const struct grouped_profile_options *what, int n, char **operands)
{
	struct cli_compare_sides *s = c->sides;
	struct grouped_profile_options o = *what;
	const char *labels[2];

	o.captured = cli_compare_capture_notes;
	o.arg = c;
	compare_inputs_init(&c->in, &o, c->filters.len ? buf_str(&c->filters) : NULL);
	s->loop =
	    (struct cli_loop){.import = import,
			      .symbols = &c->symbols,
			      .sink = grouped_profile_sink(&c->in.project),
			      .marks = s->ranges[0].frames.n || s->ranges[1].frames.n,
			      .frames_selected = s->ranges[0].frames.n || s->ranges[1].frames.n,
			      .after = cli_compare_after_file,
			      .instead = cli_compare_read_aggregate,
			      .digest = &s->digest,
			      .arg = c};
	c->in.compare.parts = s->has_ranges;
	c->in.compare.domain_given = what->domain != DOMAIN_DEFAULT;
	c->modules = cli_maps("map-module", &c->map_modules, false, c->policy.modules,
			      c->policy.n_modules, &c->in.names);
	c->functions = cli_maps("map-function", &c->map_functions, true, c->policy.functions,
				c->policy.n_functions, &c->in.names);
	c->in.compare.identity =
	    (struct identity_options){.modules = c->modules,
				      .n_modules = c->map_modules.n + c->policy.n_modules,
				      .functions = c->functions,
				      .n_functions = c->map_functions.n + c->policy.n_functions,
				      .base_source = c->base_source,
				      .new_source = c->new_source};
	compare_begin_ahead(c, n, operands);
	labels[0] = range_label("base", &c->base_frames, &c->base_times, &c->in.names);
	labels[1] = range_label("new", &c->new_frames, &c->new_times, &c->in.names);
	if (c->base.n) {
		read_list(c, labels[0], &c->base);
		read_list(c, labels[1], &c->new);
	}
	read_groups(c);
	if (c->history) {
		read_history(c, n == 1 ? operands[0] : labels[1], n, operands);
		n = 0;
	}
	for (int i = 0; i < n || (i == 1 && s->has_ranges && n == 1); i++) {
		const char *path = operands[i < n ? i : 0];

		if (s->has_ranges && n == 1 && !strcmp(path, "-"))
			cli_usage("two ranges of standard input, which cannot be read twice");
		if (!c->init || !i)
			compare_begin_group(c,
					    i < 2 && (n == 2 || s->has_ranges) ? labels[i] : path);
		read_file(c, path);
	}
	compare_inputs_done(&c->in);
	compare_disambiguate(&c->in.compare, &c->in.entities);
	for (size_t g = 0; g < c->in.compare.n_groups; g++)
		if (!c->in.compare.groups[g].n)
			return false;
	return true;
}

struct gate *cli_compare_gate(struct cli_compare *c)
{
	struct gate_options o = {.policy = c->policy_path,
				 .today = today(c->today),
				 .allow_loss = c->allow_loss,
				 .allowed = c->allowed,
				 .no_base = c->no_base,
				 .allow_no_base = c->allow_no_base && c->is_beginning,
				 .notes = c->notes,
				 .n_notes = c->n_notes};
	struct err e = ERR_INIT;
	struct gate *g;

	if (!c->policy_path)
		return NULL;
	g = gate_new(&c->in.compare, &c->policy, &o, &e);
	if (!g)
		cli_usage("%s: %s", c->policy_path, e.msg);
	if (g && gate_failed(g))
		cli_status(EXIT_GATE);
	if (g && gate_incomplete(g))
		cli_status(EXIT_INCOMPLETE);
	if (g && gate_inconclusive(g))
		cli_status(EXIT_INCONCLUSIVE);
	return g;
}

void cli_compare_release(struct cli_compare *c)
{
	struct opt_list *lists[] = {&c->base,       &c->new,        &c->groups,   &c->base_frames,
				    &c->base_times, &c->new_frames, &c->new_times};

	compare_inputs_release(&c->in);
	free(c->modules);
	free(c->functions);
	free(c->notes);
	opt_list_release(&c->map_modules);
	opt_list_release(&c->map_functions);
	buf_release(&c->filters);
	policy_release(&c->policy);
	if (c->sides) {
		digest_release(&c->sides->digest); /* of a file that failed */
		selection_release(&c->sides->ranges[0]);
		selection_release(&c->sides->ranges[1]);
	}
	free(c->sides);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		opt_list_release(lists[i]);
}
