/* SPDX-License-Identifier: MIT
 *
 * Traces and rules of tm-spikes. What begins with '[' or '#' is a rule file, applied to one short
 * trace; anything else is read as a capture, with rules that use every setting. All is grouped,
 * suggested and printed, and what is suggested is read as rules again.
 */
#include "lib/render/render.h"
#include "lib/report/spikes/pet.h"
#include "lib/report/spikes/report.h"
#include "lib/report/spikes/suggest.h"
#include "tests/fuzz/reading.h"

static const char all_rules[] =
    "[spikes]\nthreshold = 10ns\nframe-time = 1us\n"
    "[thread t]\nmatch = a\nthreshold = 5ns\n[thread u]\nmatch = ^b\nactive = no\n"
    "[function c]\nmatch = c\nchildren = 3ns\nbelow = a\n"
    "[function d]\nmatch = d\nparents = 1ns\nmessage = {ms} {frames} {frame}\n"
    "[function e]\nmatch = e\npause = yes\nframe = 1..\n"
    "[function f]\nmatch = f\nignore-children = yes\ntime = 1ns..\nthread = .\n"
    "[subsystem g]\nfile = g\nmodule = .\nthreshold = 1ns\n"
    "[function h]\nmatch = .\ndescription = {function}\n";
static const char short_log[] = "PET: Function took too long: 5 MSec Thread: a frame 1\n"
				"Function Name Trace\n0) a (g.c - LINE: 1)\n1) 0x10 - c\n2) d\n"
				"PET: Thread (a) Function took too long: 6 MSec\n1) 0x10 - c\n"
				"PET: Thread (a) Function took too long: 7 MSec\n0) e\n";

struct target {
	struct spikes s;
	struct spike_groups groups;
	struct spikes_pet log;
	struct buf out;
};

static enum status spiked(void *arg, const struct spike_seen *s, struct err *e)
{
	struct target *x = arg;
	bool peak = spike_groups_add(&x->groups, s, x->s.captures);

	(void)e;
	if (!s->depth || s->total <= s->limit)
		abort();
	x->out.len = 0;
	spikes_pet_add(&x->log, s, peak, &x->out);
	return ST_OK;
}

static void captured(void *arg, struct trace *t)
{
	struct target *x = arg;

	(void)t;
	spikes_pet_capture(&x->log);
}

static void print(struct target *x)
{
	struct spikes_report *r = spikes_report_new(&x->s, &x->groups, SPIKES_BY_P95, 0);
	struct render_options o = {.width = 80};
	struct table_document d = {.program = "fuzz"};
	FILE *null = fopen("/dev/null", "w");
	struct spike_rules again;
	struct err e = ERR_INIT;

	spikes_report_add(r, &d);
	if (null && render(&d, RENDER_TEXT, &o, null, &e))
		abort();
	if (null && render(&d, RENDER_JSON, &o, null, &e))
		abort();
	if (null)
		fclose(null);
	document_release(&d);
	spikes_report_free(r);
	x->out.len = 0;
	spikes_suggest(&x->s, &x->groups, 0, &x->out);
	spike_rules_init(&again);
	if (spike_rules_add(&again, "test", x->out.data, x->out.len, &e))
		abort();
	spike_rules_release(&again);
}

static void judge(const struct spike_rules *rules, const void *p, size_t n)
{
	struct target x = {.out = BUF_INIT};
	struct spikes_options o = {.rules = rules,
				   .threshold = 100,
				   .hook_cost = 1,
				   .depth = 9,
				   .spiked = spiked,
				   .captured = captured,
				   .arg = &x};
	struct import_options options = {.format = NULL};
	struct reading_sink checked;
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	spikes_init(&x.s, &o);
	spike_groups_init(&x.groups, &x.s.functions, 5);
	spikes_pet_init(&x.log, &x.s.functions);
	reading_sink_init(&checked, NULL, spikes_sink(&x.s));
	checked.trace = true; /* or anything else */
	input_memory(&in, "fuzz", p, n, &e);
	if (!capture_read(&in, &options, &checked.sink, &lossy, &e))
		print(&x);
	input_close(&in);
	spikes_pet_release(&x.log);
	spike_groups_release(&x.groups);
	spikes_release(&x.s);
	buf_release(&x.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	bool is_rules = n && (*data == '[' || *data == '#');
	struct spike_rules rules;
	struct err e = ERR_INIT;
	enum status st;

	spike_rules_init(&rules);
	st = is_rules ? spike_rules_add(&rules, "test", (const char *)data, n, &e)
		      : spike_rules_add(&rules, "test", all_rules, sizeof all_rules - 1, &e);
	if (st && !e.msg[0])
		abort();
	if (!st && is_rules)
		judge(&rules, short_log, sizeof short_log - 1);
	else if (!st)
		judge(&rules, data, n);
	spike_rules_release(&rules);
	return 0;
}
