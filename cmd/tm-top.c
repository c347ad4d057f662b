/* SPDX-License-Identifier: MIT
 *
 * tm-top: what allocates most, by site, function, location, stack or type.
 */
#include "lib/cli/cli.h"
#include "lib/cli/report.h"
#include "lib/report/top.h"

#include <stdlib.h>
#include <string.h>

static const char *const sort_words[] = {"auto", "count",      "entries",        "requested",
					 "real", "live-count", "live-requested", "live-real",
					 "live", NULL};
static const int sorts[] = {SORT_AUTO,          SUM_COUNT,     SUM_ENTRIES,
			    SUM_REQUESTED,      SUM_REAL,      SUM_LIVE_COUNT,
			    SUM_LIVE_REQUESTED, SUM_LIVE_REAL, SORT_LIVE};
static const char *const domain_words[] = {"auto", "malloc", "pool", "mmap",
					   "mono", "lua",    "all",  NULL};

static void capture_notes(void *arg, struct trace *t)
{
	const struct cli_loop *loop = arg;

	cli_notes(loop->file, t, 0, NOTE_GUESS);
}

static void add_filters(struct filters *to, enum filter_kind kind, const char *option,
			const struct opt_list *from, unsigned flags)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < from->n; i++)
		if (filters_add(to, kind, from->items[i], flags, &e))
			cli_usage("--%s: %s", option, e.msg);
}

static struct sites *load_sites(const struct opt_list *files)
{
	struct sites *s = sites_new();
	struct err e = ERR_INIT;

	for (size_t i = 0; i < files->n; i++)
		if (sites_add_file(s, files->items[i], &e)) {
			cli_error(files->items[i], "--sites: %s", e.msg);
			cli_status(EXIT_INPUT);
			exit(cli_exit());
		}
	return s;
}

static void list_sites(void)
{
	struct buf b = BUF_INIT;

	sites_list(&b);
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
	exit(cli_exit());
}

static void print(const struct project *p, const struct top_options *o, struct cli_report *report,
		  int n, char **operands)
{
	struct document d = {.program = "tm-top"};
	struct err e = ERR_INIT;
	struct top *top = top_new(p, o, &e);

	if (!top)
		cli_usage("--sort: %s", e.msg);
	for (int i = 0; i < n; i++)
		document_input(&d, operands[i], NULL);
	document_table(&d, top_table(top));
	cli_report_print(report, &d);
	document_release(&d);
	top_free(top);
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	struct opt_list focus = {0}, ignore = {0}, sites = {0};
	struct cli_report report = {0};
	bool list = false, literal = false, caseless = false;
	int by = KEY_SITE, sort = 0, domain = 0;
	struct top_options options = {.n = 30};
	const struct opt table[] = {
	    ROW_CHOICE(0, "by", "KEY", "what a row is: site, function, location, stack or type",
		       &by, key_words),
	    ROW_CHOICE(0, "sort", "METRIC",
		       "rank by auto, count, entries, requested, real, live, live-count, "
		       "live-requested or live-real",
		       &sort, sort_words),
	    ROW_FLAG(0, "cumulative", "rank functions and locations by total, not self",
		     &options.cumulative),
	    ROW_NUMBER('n', "top", "N", "rows to show; 0: all (default 30)", &options.n),
	    ROW_HEADING("choosing:"),
	    ROW_LIST(0, "focus", "REGEX", "keep stacks that have a matching call", &focus),
	    ROW_LIST(0, "ignore", "REGEX", "drop stacks that have a matching call", &ignore),
	    ROW_FLAG('F', "literal", "--focus and --ignore take plain strings", &literal),
	    ROW_FLAG('i', "caseless", "--focus and --ignore match either case", &caseless),
	    ROW_CHOICE(
		0, "domain", "NAME",
		"count auto, malloc, pool, mmap, mono, lua or all (default: the first of these "
		"that there is)",
		&domain, domain_words),
	    ROW_LIST(0, "sites", "FILE", "more rules for what is no site", &sites),
	    ROW_FLAG(0, "list-sites", "print the shipped rules and end", &list),
	    CLI_REPORT_ROWS(report),
	    CLI_IMPORT_ROWS(import),
	    OPT_END,
	};
	const struct opt_program program = {"tm-top", "[FILE...]", "Ranks what allocates most.",
					    table};
	struct filters *filters = filters_new();
	struct cli_loop loop = {.import = &import.options};
	struct project_options what = {.filters = filters, .captured = capture_notes, .arg = &loop};
	struct project p;
	int n = opt_parse(&program, argc, argv);
	unsigned flags = (literal ? MATCH_LITERAL : 0) | (caseless ? MATCH_CASELESS : 0);

	if (list)
		list_sites();
	cli_import_done(&import);
	cli_report_start(&report);
	what.by[0].by = (enum key)by;
	what.domain = domain - 1; /* auto is DOMAIN_DEFAULT, all DOMAIN_ALL */
	add_filters(filters, FILTER_FOCUS, "focus", &focus, flags);
	add_filters(filters, FILTER_IGNORE, "ignore", &ignore, flags);
	what.sites = load_sites(&sites);
	options.sort = sorts[sort];
	project_init(&p, &what);
	loop.sink = project_sink(&p);
	cli_inputs(&loop, n, argv + 1);
	if (p.now.captures)
		print(&p, &options, &report, n, argv + 1);
	project_release(&p);
	filters_free(filters);
	sites_free(what.sites);
	opt_list_release(&focus);
	opt_list_release(&ignore);
	opt_list_release(&sites);
	return cli_exit();
}
