/* SPDX-License-Identifier: MIT */
#include "cmd/tm-compare/program.h"

#include "cmd/tm-compare/compare.h"
#include "lib/base/mem.h"
#include "lib/cli/aggregate.h"
#include "lib/cli/report.h"
#include "lib/group/metric.h"
#include "lib/report/compare/counters.h"
#include "lib/report/compare/policy_init.h"
#include "lib/report/compare/view.h"

#include <string.h>
#include <time.h>

/* Programs read everything, people what they asked for. */
static bool for_programs(enum render_format f)
{
	return f == RENDER_CSV || f == RENDER_TSV || f == RENDER_JSON || f == RENDER_HTML;
}

static bool shows_flame(const struct cli_report *r)
{
	return r->format != RENDER_CSV && r->format != RENDER_TSV && for_programs(r->format) &&
	       (!r->options.table || !strcmp(r->options.table, COMPARE_FLAME));
}

static void choose(struct grouped_profile_options *what, enum key by, unsigned more, int sort,
		   const struct compare_policy *p, const struct cli_report *r)
{
	unsigned keys = 1u << by | gate_keys(p);

	if (p->n_rules)
		keys |= 1u << KEY_SITE; /* of which program a run is */

	if (shows_flame(r))
		keys |= 1u << KEY_STACK;
	keys |= more | identity_keys(keys | more);
	for (enum key k = 0; k < KEYS; k++)
		if (keys >> k & 1)
			what->by[what->n_by++].by = k;
	what->want = TALLY_TOP | sort_wants(sort) | gate_sums(p);
	if (for_programs(r->format))
		what->want = SUMS_ALL;
}

static const char *compare_gate_title(const struct gate *g)
{
	return gate_failed(g) || gate_incomplete(g) ? "The policy is broken"
	       : gate_inconclusive(g)               ? "The policy cannot be decided"
	       : gate_compared(g)                   ? "The policy is kept"
						    : "There is nothing to compare with yet";
}

/* Where a group has no run there are only the checks, which say so. */
static void compare_print(struct cli_compare *c, const struct compare_options *o, bool complete,
			  struct cli_report *to)
{
	const struct compare *from = &c->in.compare;
	struct table_document d = {.program = "tm-compare"};
	struct err e = ERR_INIT;
	struct compare_view *v = complete ? compare_view_new(from, o, &e) : NULL;
	struct compare_counters counters = {.table = {.n_rows = 0}};
	struct gate *g;

	if (complete && !v)
		cli_usage("%s", e.msg);
	for (size_t i = 0; i < from->n_groups; i++)
		for (size_t k = 0; k < from->groups[i].n; k++)
			document_input(&d, from->groups[i].names[k], from->groups[i].label);
	if (from->normalize)
		document_fact(&d, "normalized", from->groups[from->n_groups - 1].label);
	g = cli_compare_gate(c);
	/* A comment is read from its top. */
	if (g && to->format == RENDER_MARKDOWN) {
		d.title = compare_gate_title(g);
		document_checks(&d, gate_checks(g));
	}
	if (complete) {
		compare_view_add(v, &d);
		compare_counters_init(&counters, from);
	}
	if (counters.table.n_rows)
		document_table(&d, &counters.table);
	if (g && to->format != RENDER_MARKDOWN)
		document_checks(&d, gate_checks(g));
	cli_report_print(to, &d);
	document_release(&d);
	gate_free(g);
	if (complete)
		compare_counters_release(&counters);
	compare_view_free(v);
}

static void init_policy(struct cli_compare *c)
{
	struct compare_doubts d;
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT;
	const char *doubt;

	doubts_find(&d, &c->in.compare, 0);
	doubts_find_builds(&d, &c->in.compare);
	doubt = doubts_first(&d, &c->allowed);
	if (doubt) {
		cli_error(NULL, "--init-policy: no policy fits these runs: %s", doubt);
		cli_status(EXIT_INCONCLUSIVE);
		doubts_release(&d);
		return;
	}
	doubts_release(&d);
	if (policy_init(&c->in.compare, &b, &e))
		cli_usage("%s", e.msg);
	cli_write(b.data, b.len);
	buf_release(&b);
}

static void hold(struct cli_compare *c, const struct import_options *import, int n, char **operands)
{
	const char *when = !c->history                  ? NULL
			   : cli_store_file(c->history) ? "--history"
							: "--history on PostgreSQL";
	const struct opt_list *lists[] = {&c->base, &c->new, &c->groups};
	struct opt_list all = {.n = 0};

	tzset(); /* reads a file, for the date of today */
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (size_t k = 0; k < lists[i]->n; k++)
			VEC_PUSH(all.items, all.n, all.cap) = lists[i]->items[k];
	for (int i = 0; i < n; i++)
		VEC_PUSH(all.items, all.n, all.cap) = operands[i];
	cli_autosymbolize(&c->symbols, "tm-compare", when, import, all.n, all.items);
	opt_list_release(&all);
	cli_sandbox("tm-compare", when);
}

int tm_compare(int argc, char **argv)
{
	struct cli_import import = {0};
	struct cli_compare compare = {.policy_path = NULL};
	struct cli_filter filter = {.domain = 0};
	struct cli_report report = {0};
	struct compare_options options = {.n = 30};
	const char *save = NULL, *origin = NULL;
	int by = KEY_SITE, sort = 0, per = 0, n;
	bool normalize = false;
	const struct opt table[] = {
	    CLI_COMPARE_ROWS(compare),
	    ROW_CHOICE(
		0, "by", "KEY",
		"one row per site, function, location, stack, type, file, module, thread or owner",
		&by, key_words),
	    ROW_CHOICE(0, "sort", "METRIC", "rank by the change in this; --help all has the list",
		       &sort, sort_words),
	    ROW_FLAG(0, "cumulative", "compare total (inclusive) instead of self",
		     &options.cumulative),
	    ROW_CHOICE(0, "per", "UNIT", "divide by run, frame, second or capture", &per,
		       per_words),
	    ROW_FLAG(0, "normalize", "scale both sides to one total, to compare shares",
		     &normalize),
	    ROW_NUMBER('n', "top", "N", "rows to show; 0: all (default 30)", &options.n),
	    ROW_FLAG(0, "all", "show rows that did not change, too", &options.all),
	    CLI_POLICY_ROWS(compare),
	    CLI_COMPARE_PARTS(compare),
	    ROW_STRING(0, "save-baseline", "FILE",
		       "write the totals of one capture to FILE and end", &save),
	    ROW_STRING(0, "origin", "FILE", "--save-baseline: the capture that was symbolized",
		       &origin),
	    CLI_FILTER_ROWS(filter),
	    ROW_LIST(0, "map-module", "OLD=NEW", "match module OLD of the base to module NEW",
		     &compare.map_modules),
	    ROW_LIST(0, "map-function", "OLD=NEW", "match function OLD of the base to function NEW",
		     &compare.map_functions),
	    CLI_VIEW_ROWS(filter),
	    CLI_CHECKED_REPORT_ROWS(report),
	    CLI_IMPORT_ROWS(import),
	    CLI_SYMBOLS_ROW(compare.symbols),
	    ROW_ALIAS("policy", "gate"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-compare", "[FILE...]",
	    "Compares builds, runs or parts of a capture, and fails a build that got worse.",
	    table};
	struct grouped_profile_options what = {.domain = 0};
	bool complete;

	n = opt_parse(&program, argc, argv);
	cli_import_done(&import);
	if (origin && !save)
		cli_usage("--origin needs --save-baseline");
	if (normalize && compare.policy_path)
		cli_usage("--normalize cannot be combined with --gate");
	if (by == KEY_FRAME)
		cli_usage("--by frame: use tm-frames");
	if (save)
		cli_output(save);
	else
		cli_report_start(&report);
	hold(&compare, &import.options, n, argv + 1);
	cli_filter_done(&filter);
	cli_compare_start(&compare, &filter, n, save != NULL);
	cli_filter_project(&filter, &what);
	if (save) {
		cli_save_aggregate(argv[1], origin, &import.options, &compare.symbols, &what,
				   compare.filters.len ? buf_str(&compare.filters) : NULL);
	} else {
		options.by = (enum key)by;
		options.sort = sort_of(sort);
		options.flame = shows_flame(&report);
		what.counters = true;
		choose(&what, compare.init ? KEY_SITE : options.by,
		       compare.init ? 1u << KEY_STACK : 0, options.sort, &compare.policy, &report);
		if (compare.init)
			what.want = SUMS_ALL;
		complete = cli_compare_read(&compare, &import.options, &what, n, argv + 1);
		compare.in.compare.per = (enum run_per)per;
		compare.in.compare.normalize = normalize;
		if (complete && compare.init)
			init_policy(&compare);
		else if (complete || compare.policy_path)
			compare_print(&compare, &options, complete, &report);
	}
	cli_symbols_release(&compare.symbols);
	cli_compare_release(&compare);
	cli_filter_release(&filter);
	return cli_exit();
}
