/* SPDX-License-Identifier: MIT */
#include "cmd/tm-spikes/program.h"

#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/cli/autosymbolize.h"
#include "lib/cli/filter.h"
#include "lib/cli/report.h"
#include "lib/cli/session.h"
#include "lib/report/spikes/gate.h"
#include "lib/report/spikes/pet.h"
#include "lib/report/spikes/report.h"
#include "lib/report/spikes/suggest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct spikes_cli {
	struct cli_import import;
	struct cli_report report;
	struct cli_filter filter;
	struct cli_loop loop;
	struct cli_symbols symbols;
	struct opt_list rule_files, channels;
	const char *threshold, *hook_cost;
	uint64_t n, depth, max;
	bool has_max, allow_loss, lossy, pet, suggest;
	int sort, n_operands;
	char **operands;

	struct spike_rules rules;
	struct spikes spikes;
	struct spike_groups groups;
	struct spikes_pet log;
	struct buf out;
};

static enum status spiked(void *arg, const struct spike_seen *s, struct err *e)
{
	struct spikes_cli *c = arg;
	bool peak = spike_groups_add(&c->groups, s, c->spikes.captures);

	if (!c->pet)
		return ST_OK;
	spikes_pet_add(&c->log, s, peak, &c->out);
	cli_flush_if_large(&c->out);
	return ferror(cli_out()) ? err_sys(e, "%s", cli_output_name()) : ST_OK;
}

static void spikes_captured(void *arg, struct trace *t)
{
	struct spikes_cli *c = arg;

	spikes_pet_capture(&c->log);
	cli_report_notes(c->loop.file, t);
	/* What the engine could not judge is lost to the gate as well. */
	for (size_t i = 0; i < t->n_notes; i++)
		c->lossy |= t->notes[i].severity == NOTE_LOSS;
}

static void read_rules(struct spikes_cli *c)
{
	struct err e = ERR_INIT;

	spike_rules_init(&c->rules);
	for (size_t i = 0; i < c->rule_files.n; i++)
		if (spike_rules_add_file(&c->rules, c->rule_files.items[i], &e))
			cli_bad_rules(c->rule_files.items[i], "--rules", &e);
	if (spike_rules_channels(&c->rules, c->channels.items, c->channels.n, &e))
		cli_usage("--channel: %s", e.msg);
}

static void spikes_parse(struct spikes_cli *c, struct spikes_options *o)
{
	if (c->pet && c->suggest)
		cli_usage("--pet and --suggest exclude each other");
	if ((c->pet || c->suggest) && (c->report.csv || c->report.as))
		cli_usage("--%s writes its own text: no --as", c->pet ? "pet" : "suggest");
	if (c->filter.given[CLI_SIZE].n)
		cli_usage("--size: calls have no size");
	if (!c->depth || c->depth > SPIKES_DEPTH_MAX)
		cli_usage("--nesting: 1 to %d", SPIKES_DEPTH_MAX);
	if (c->n > SPIKES_WORST_MAX)
		cli_usage("--top: at most %d", SPIKES_WORST_MAX);
	o->threshold = c->rules.has_threshold ? c->rules.threshold : SPIKES_THRESHOLD;
	if (c->threshold && !spike_parse_limit(c->threshold, strlen(c->threshold), &o->threshold))
		cli_usage("--threshold: '%s' is not a time such as 1ms or 100us, or never",
			  c->threshold);
	o->strict = c->threshold || c->rules.has_threshold;
	o->hook_cost = c->hook_cost ? cli_hook_cost(c->hook_cost) : 0;
	o->rules = &c->rules;
	o->filters = c->filter.filters;
	o->selection = &c->filter.selection;
	o->owners = c->filter.owners;
	o->mangled = c->filter.mangled;
	o->depth = (size_t)c->depth;
	o->spiked = spiked;
	o->captured = spikes_captured;
	o->arg = c;
}

/* Why nothing is certain; NULL: it is. */
static const char *unsure(const struct spikes_cli *c)
{
	if ((c->loop.lossy || c->lossy) && !c->allow_loss)
		return "the input has lost something, so no verdict is certain (--allow-loss)";
	if (c->spikes.stacks && !c->spikes.calls)
		return "the input has no calls with a time, so none was judged";
	return NULL;
}

static void spikes_print(struct spikes_cli *c)
{
	struct table_document d = {.program = "tm-spikes"};
	struct spikes_gate gate;
	struct spikes_report *r;

	spike_functions_disambiguate(&c->spikes.functions);
	r = spikes_report_new(&c->spikes, &c->groups, (enum spikes_sort)c->sort, c->n);

	for (int i = 0; i < c->n_operands; i++)
		document_input(&d, c->operands[i], NULL);
	spikes_report_add(r, &d);
	if (c->has_max) {
		spikes_gate_init(&gate, &c->spikes, &c->groups, c->max, unsure(c),
				 match_all_timed_out() > 0);
		document_checks(&d, &gate.checks);
	}
	cli_report_print(&c->report, &d);
	document_release(&d);
	if (c->has_max)
		spikes_gate_release(&gate);
	spikes_report_free(r);
}

static void judge(struct spikes_cli *c)
{
	if (!c->has_max)
		return;
	if (unsure(c)) {
		cli_error(NULL, "--gate: %s", unsure(c));
		cli_status(EXIT_INCONCLUSIVE);
		/* The rule that was given up on might have allowed it. */
		if (match_all_timed_out())
			return;
	}
	if (c->spikes.found <= c->max)
		return;
	cli_error(NULL, "gate failed: %" PRIu64 " spike%s, limit %" PRIu64, c->spikes.found,
		  plural_s(c->spikes.found), c->max);
	cli_status(EXIT_GATE);
}

static void spikes_run(struct spikes_cli *c, const struct spikes_options *o)
{
	spikes_init(&c->spikes, o);
	spike_groups_init(&c->groups, &c->spikes.functions, c->n ? (size_t)c->n : SPIKES_WORST_MAX);
	spikes_pet_init(&c->log, &c->spikes.functions);
	c->loop.sink = spikes_sink(&c->spikes);
	c->loop.marks = true;
	c->loop.frames_selected = c->filter.selection.frames.n;
	cli_inputs(&c->loop, c->n_operands, c->operands);
	if (c->suggest && c->spikes.captures)
		spikes_suggest(&c->spikes, &c->groups, c->n, &c->out);
	if (c->out.len)
		cli_print(c->out.data, c->out.len);
	if (!c->pet && !c->suggest && c->spikes.captures)
		spikes_print(c);
	if (c->spikes.captures)
		judge(c);
	buf_release(&c->out);
	spikes_pet_release(&c->log);
	spike_groups_release(&c->groups);
	spikes_release(&c->spikes);
}

int tm_spikes(int argc, char **argv)
{
	struct spikes_cli c = {.n = 30, .depth = SPIKES_DEPTH};
	const struct opt table[] = {
	    ROW_STRING(0, "threshold", "TIME", "limit of calls without a rule (default 1ms)",
		       &c.threshold),
	    ROW_LIST(0, "rules", "FILE", "rules with limits: tracemill-spikes(5) (repeatable)",
		     &c.rule_files),
	    ROW_LIST(0, "channel", "NAME", "use the rules of this channel, too", &c.channels),
	    ROW_STRING(0, "hook-cost", "TIME", "the profiler's own time for each call",
		       &c.hook_cost),
	    ROW_NUMBER(0, "nesting", "N", "ignore calls nested deeper than N (default 1024)",
		       &c.depth),
	    ROW_NUMBER('n', "top", "N", "rows of each table; 0: all (default 30)", &c.n),
	    ROW_CHOICE(0, "sort", "METRIC", "rank stacks by worst, count, sum or p95", &c.sort,
		       spikes_sort_words),
	    ROW_FLAG(0, "pet", "print all spikes as PET's log", &c.pet),
	    ROW_FLAG(0, "suggest", "print rules that fit the capture and end", &c.suggest),
	    {.type = OPT_UNSIGNED,
	     .word = "gate",
	     .arg = "N",
	     .help = "end with status 1 if there are more than N spikes",
	     .to = &c.max,
	     .given = &c.has_max},
	    ROW_FLAG(0, "allow-loss", "judge captures that have lost something, too",
		     &c.allow_loss),
	    CLI_FILTER_ROWS(c.filter),
	    CLI_MANGLED_ROW(c.filter.mangled),
	    CLI_CHECKED_REPORT_ROWS(c.report),
	    CLI_IMPORT_ROWS(c.import),
	    CLI_SYMBOLS_ROW(c.symbols),
	    ROW_ALIAS("max-spikes", "gate"),
	    ROW_ALIAS("depth", "nesting"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-spikes", "[FILE...]", "Finds calls that took longer than their limit.", table};
	struct spikes_options o = {.hook_cost = 0};

	c.n_operands = opt_parse(&program, argc, argv);
	c.operands = argv + 1;
	cli_import_done(&c.import);
	cli_report_start(&c.report);
	cli_autosymbolize(&c.symbols, "tm-spikes", NULL, &c.import.options, (size_t)c.n_operands,
			  (const char *const *)c.operands);
	cli_sandbox("tm-spikes", NULL);
	cli_filter_done(&c.filter);
	c.loop.import = &c.import.options;
	c.loop.symbols = &c.symbols;
	read_rules(&c);
	spikes_parse(&c, &o);
	spikes_run(&c, &o);
	spike_rules_release(&c.rules);
	cli_symbols_release(&c.symbols);
	cli_filter_release(&c.filter);
	opt_list_release(&c.rule_files);
	opt_list_release(&c.channels);
	return cli_exit();
}
