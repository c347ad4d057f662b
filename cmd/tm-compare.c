/* SPDX-License-Identifier: MIT
 *
 * tm-compare: builds, runs or parts of a capture side by side, and a policy held against them.
 */
#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/cli/report.h"
#include "lib/report/compare_inputs.h"
#include "lib/report/compare_view.h"
#include "lib/report/gate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const sort_words[] = {"auto",
					 "count",
					 "entries",
					 "requested",
					 "real",
					 "slack",
					 "live-count",
					 "live-requested",
					 "live-real",
					 "freed-count",
					 "freed-requested",
					 "freed-real",
					 "peak-count",
					 "peak-requested",
					 "peak-real",
					 "temporary",
					 "lifetime",
					 "live",
					 NULL};
static const int sorts[] = {
    COMPARE_SORT_AUTO,   SUM_COUNT,      SUM_ENTRIES,        SUM_REQUESTED,      SUM_REAL,
    SUM_SLACK,           SUM_LIVE_COUNT, SUM_LIVE_REQUESTED, SUM_LIVE_REAL,      SUM_FREED_COUNT,
    SUM_FREED_REQUESTED, SUM_FREED_REAL, SUM_PEAK_COUNT,     SUM_PEAK_REQUESTED, SUM_PEAK_REAL,
    SUM_TEMPORARY,       SUM_LIFETIME,   COMPARE_SORT_LIVE};
static const char *const domain_words[] = {"auto", "malloc", "pool", "mmap",
					   "mono", "lua",    "all",  NULL};
static const char *const per_words[] = {"run", "frame", "second", NULL};

struct program {
	struct cli_loop loop;
	struct compare_inputs in;
	struct policy policy;
	struct compare_options options;
	struct cli_report report;
	const char *policy_path, *today, *save;
	bool allow_loss;
};

static void capture_notes(void *arg, struct trace *t)
{
	const struct program *p = arg;

	cli_notes(p->loop.file, t, 0, NOTE_GUESS);
}

static void after_file(void *arg, const char *file)
{
	struct program *p = arg;

	if (p->in.project.now.captures)
		compare_inputs_take(&p->in, file);
}

static enum status read_baseline(void *arg, struct input *in, bool *taken, struct err *e)
{
	struct program *p = arg;

	*taken = baseline_is(&in->cur);
	return *taken ? compare_inputs_baseline(&p->in, &in->cur, p->loop.file, e) : ST_OK;
}

static void begin_group(struct program *p, const char *label)
{
	struct err e = ERR_INIT;

	if (compare_inputs_group(&p->in, label, &e))
		cli_usage("%s", e.msg);
}

static void read_file(struct program *p, const char *path)
{
	char *operand[] = {mem_strdup(path)};

	compare_inputs_drop(&p->in);
	cli_inputs(&p->loop, 1, operand);
	free(operand[0]);
}

static void read_list(struct program *p, const char *label, const struct opt_list *files)
{
	begin_group(p, label);
	for (size_t i = 0; i < files->n; i++)
		if (files->items[i])
			read_file(p, files->items[i]);
}

static void read_groups(struct program *p, const struct opt_list *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		if (groups->items[i]) {
			read_file(p, groups->items[i]);
			continue;
		}
		begin_group(p, groups->items[++i]);
		if (i + 1 == groups->n || !groups->items[i + 1])
			cli_usage("--group %s: no files", groups->items[i]);
	}
}

static void read_operands(struct program *p, int n, char **operands)
{
	static const char *const two[] = {"base", "new"};

	for (int i = 0; i < n; i++) {
		begin_group(p, n == 2 ? two[i] : operands[i]);
		read_file(p, operands[i]);
	}
}

static void read_policy(struct program *p)
{
	struct err e = ERR_INIT;

	if (!p->policy_path || !policy_read(&p->policy, p->policy_path, &e))
		return;
	cli_error(p->policy_path, "%s", e.msg);
	cli_status(e.code == ST_BAD ? EXIT_USAGE : EXIT_INPUT);
	exit(cli_exit());
}

static const char *today(const char *given)
{
	static char text[16];
	time_t now = time(NULL);
	struct tm tm;

	if (given && !policy_date(given))
		cli_usage("--today: '%s' is no date (YYYY-MM-DD)", given);
	if (given)
		return given;
	localtime_r(&now, &tm);
	strftime(text, sizeof text, "%Y-%m-%d", &tm);
	return text;
}

/* What is compared by, what the policy asks for, and stacks where they are drawn. */
static void choose_keys(const struct program *p, struct project_options *what)
{
	unsigned keys = 1u << p->options.by | gate_keys(&p->policy);

	if (p->save)
		keys |= (1u << KEYS) - 1 - (1u << KEY_LOCATION) - (1u << KEY_FRAME);
	if (p->report.format != RENDER_TEXT && p->report.format != RENDER_CSV &&
	    p->report.format != RENDER_TSV)
		keys |= 1u << KEY_STACK;
	for (enum key k = 0; k < KEYS; k++)
		if (keys >> k & 1)
			what->by[what->n_by++].by = k;
}

static void save(struct program *p)
{
	struct err e = ERR_INIT;

	if (p->in.compare.groups[0].n != 1)
		return; /* its error is told */
	if (baseline_save(&p->in.things, p->in.compare.groups[0].runs[0], p->save, &e))
		cli_fail(p->save, &e);
}

static void gate_status(const struct gate *g)
{
	if (gate_failed(g))
		cli_status(EXIT_GATE);
	if (gate_incomplete(g))
		cli_status(EXIT_INCOMPLETE);
	if (gate_inconclusive(g))
		cli_status(EXIT_INCONCLUSIVE);
}

static void print(struct program *p)
{
	struct gate_options o = {p->policy_path, today(p->today), p->allow_loss};
	const struct compare *c = &p->in.compare;
	struct document d = {.program = "tm-compare"};
	struct err e = ERR_INIT;
	struct compare_view *v;
	struct gate *g = NULL;

	for (size_t i = 0; i < c->n_groups; i++)
		for (size_t k = 0; k < c->groups[i].n; k++)
			document_input(&d, c->groups[i].names[k], c->groups[i].label);
	v = compare_view_new(c, &p->options, &e);
	if (!v)
		cli_usage("%s", e.msg);
	compare_view_add(v, &d);
	if (p->policy_path) {
		g = gate_new(c, &p->policy, &o, &e);
		if (!g)
			cli_usage("%s: %s", p->policy_path, e.msg);
		document_checks(&d, gate_checks(g));
		gate_status(g);
	}
	cli_report_print(&p->report, &d);
	document_release(&d);
	gate_free(g);
	compare_view_free(v);
}

static bool complete(const struct compare *c)
{
	for (size_t g = 0; g < c->n_groups; g++)
		if (!c->groups[g].n)
			return false;
	return c->n_groups > 1;
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	struct opt_list base = {0}, new = {0}, groups = {0};
	int by = KEY_SITE, sort = 0, domain = 0, per = 0, n;
	struct program p = {.options = {.n = 30}};
	const struct opt table[] = {
	    ROW_MANY(0, "base", "FILE...", "runs to compare with", &base),
	    ROW_MANY(0, "new", "FILE...", "runs to judge", &new),
	    ROW_MANY(0, "group", "NAME FILE...",
		     "one of several groups of runs; the first is the base", &groups),
	    ROW_CHOICE(
		0, "by", "KEY",
		"what a row is: site, function, location, stack, type, file, module, thread or "
		"owner",
		&by, key_words),
	    ROW_CHOICE(0, "sort", "METRIC", "rank by the change in this (default: bytes)", &sort,
		       sort_words),
	    ROW_FLAG(0, "cumulative", "totals, not self, of functions, locations, files, modules",
		     &p.options.cumulative),
	    ROW_CHOICE(0, "per", "UNIT", "divide by run, frame or second", &per, per_words),
	    ROW_NUMBER('n', "top", "N", "rows to show; 0: all (default 30)", &p.options.n),
	    ROW_FLAG(0, "all", "rows that did not change, too", &p.options.all),
	    ROW_CHOICE(0, "domain", "NAME",
		       "count auto, malloc, pool, mmap, mono, lua or all (default: the first of "
		       "these that there is)",
		       &domain, domain_words),
	    ROW_HEADING("gate:"),
	    ROW_STRING(0, "policy", "FILE", "fail where this is broken: tracemill-policy(5)",
		       &p.policy_path),
	    ROW_FLAG(0, "allow-loss", "judge captures that have lost something, too",
		     &p.allow_loss),
	    ROW_STRING(0, "today", "DATE", "the day for waivers (default: today's)", &p.today),
	    ROW_STRING(0, "save-baseline", "FILE", "keep what one capture comes to, for later",
		       &p.save),
	    CLI_REPORT_ROWS(p.report),
	    CLI_IMPORT_ROWS(import),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-compare", "[FILE...]", "Compares builds, and fails where one is too much worse.",
	    table};
	struct project_options what = {.captured = capture_notes, .arg = &p};

	n = opt_parse(&program, argc, argv);
	cli_import_done(&import);
	p.options.by = (enum key)by;
	p.options.sort = sorts[sort];
	today(p.today);
	if ((n > 0) + (base.n || new.n) + (groups.n > 0) != 1)
		cli_usage("give files, or --base and --new, or --group");
	if (p.save ? n != 1 : (base.n > 0) != (new.n > 0) || n == 1)
		cli_usage(p.save ? "--save-baseline takes one capture"
				 : "nothing to compare with: two files, or --base and --new");
	read_policy(&p);
	if (!p.save)
		cli_report_start(&p.report);
	what.domain = domain - 1; /* auto is DOMAIN_DEFAULT, all DOMAIN_ALL */
	choose_keys(&p, &what);
	compare_inputs_init(&p.in, &what, NULL);
	p.in.compare.per = (enum compare_per)per;
	p.loop = (struct cli_loop){.import = &import.options,
				   .sink = &p.in.sink,
				   .after = after_file,
				   .instead = read_baseline,
				   .arg = &p};
	if (base.n) {
		read_list(&p, "base", &base);
		read_list(&p, "new", &new);
	}
	read_groups(&p, &groups);
	read_operands(&p, n, argv + 1);
	if (p.save)
		save(&p);
	else if (complete(&p.in.compare))
		print(&p);
	compare_inputs_release(&p.in);
	policy_release(&p.policy);
	opt_list_release(&base);
	opt_list_release(&new);
	opt_list_release(&groups);
	return cli_exit();
}
