/* SPDX-License-Identifier: MIT */
#include "lib/cli/filter.h"

#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/cli/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_domain_choices[] = {"auto", "malloc", "pool", "mmap",
					  "mono", "lua",    "all",  NULL};

/* Of an option that was given: as the program's table has it. */
static const char *word_of(const struct cli_filter *f, unsigned option)
{
	const struct opt *row = cli_now->parsed->options;

	while (row->to != &f->given[option])
		row++;
	return row->word;
}

static bool is_rules(unsigned option)
{
	return option == CLI_OWNERS || option == CLI_SITES;
}

/* Adds one text that was given to f's filters, rules and paths, or to *to. A wrong one ends the program. */
static void add_given(const struct cli_filter *f, unsigned option, const char *text,
		      struct tally_selection *to)
{
	unsigned flags = (f->literal ? MATCH_LITERAL : 0) | (f->caseless ? MATCH_CASELESS : 0);
	bool quoted = option <= CLI_THREAD; /* other messages have the text */
	char dashed[24];
	struct err e = ERR_INIT;
	enum status st;

	snprintf(dashed, sizeof dashed, "--%s", word_of(f, option));
	switch (option) {
	case CLI_THREAD: st = selection_thread(to, text, flags, &e); break;
	case CLI_FRAME: st = selection_frames(to, text, &e); break;
	case CLI_TIME: st = selection_times(to, text, &e); break;
	case CLI_SIZE: st = selection_sizes(to, text, &e); break;
	case CLI_MAP_PATH: st = paths_add(f->paths, text, &e); break;
	case CLI_OWNERS: st = owners_add_file(f->owners, text, &e); break;
	case CLI_SITES: st = sites_add_file(f->sites, text, &e); break;
	default:
		st = filters_add(f->filters, (enum filter_kind)option, dashed, text, flags, &e);
		if (st && filters_is_file(text))
			cli_bad_rules(text + 1, dashed, &e);
	}
	if (st && is_rules(option))
		cli_bad_rules(text, dashed, &e);
	if (st && quoted)
		cli_usage("%s: '%s': %s", dashed, text, e.msg);
	if (st)
		cli_usage("%s: %s", dashed, e.msg);
}

void cli_filter_select(const struct cli_filter *f, unsigned option, struct tally_selection *to)
{
	for (size_t i = 0; i < f->given[option].n; i++)
		add_given(f, option, f->given[option].items[i], to);
}

/* The same rules under another path are the same. A missing file was reported before. */
static void add_digest(struct buf *to, const char *path)
{
	struct err e = ERR_INIT;
	struct input in = {0};
	struct input_digest d = {.hash = 0};

	if (!input_open(&in, path, &e)) {
		input_want_digest(&in, &d);
		input_digest(&in, &e);
	}
	input_close(&in);
	buf_addf(to, "%s:%016" PRIx64, path_name(path), d.hash);
	digest_release(&d);
}

void cli_filter_words(const struct cli_filter *f, struct buf *to)
{
	for (unsigned k = 0; k < CLI_FILTERS; k++)
		for (size_t i = 0; i < f->given[k].n; i++) {
			buf_addf(to, "%s--%s ", to->len ? " " : "", word_of(f, k));
			if (is_rules(k))
				add_digest(to, f->given[k].items[i]);
			else
				buf_adds(to, f->given[k].items[i]);
		}
	if (f->domain)
		buf_addf(to, "%s--domain %s", to->len ? " " : "", cli_domain_choices[f->domain]);
	if (f->hook_cost)
		buf_addf(to, "%s--hook-cost %s", to->len ? " " : "", f->hook_cost);
	if (f->no_library)
		buf_addf(to, "%s--hide-library", to->len ? " " : "");
	if (f->literal && to->len)
		buf_adds(to, " --literal");
	if (f->caseless && to->len)
		buf_adds(to, " --ignore-case");
}

bool cli_filter_any(const struct cli_filter *f)
{
	size_t n = 0;

	for (unsigned k = 0; k < CLI_FILTERS; k++)
		n += f->given[k].n;
	return n || f->domain || f->hook_cost || f->no_library;
}

static void print_sites(void)
{
	struct buf b = BUF_INIT;

	sites_list(&b);
	cli_write(b.data, b.len);
	buf_release(&b);
	cli_leave(cli_exit());
}

void cli_filter_done(struct cli_filter *f)
{
	if (f->list_sites)
		print_sites();
	f->filters = filters_new();
	f->sites = sites_new();
	f->paths = paths_new();
	if (f->given[CLI_OWNERS].n)
		f->owners = owners_new();
	selection_init(&f->selection);
	for (unsigned k = 0; k < CLI_FILTERS; k++)
		cli_filter_select(f, k, &f->selection);
	if (f->no_library)
		filters_hide_library(f->filters);
	if (f->given[FILTER_OWNER].n && !f->owners)
		cli_usage("--owner needs --owners FILE");
}

uint64_t cli_hook_cost(const char *text)
{
	uint64_t cost;
	int64_t ns;

	if (num_dec(text, strlen(text), &cost))
		return cost;
	if (!num_time(text, strlen(text), &ns) || ns < 0)
		cli_usage("--hook-cost: '%s' is not a time such as 25, 180ns or 0.5us", text);
	return (uint64_t)ns;
}

void cli_filter_project(const struct cli_filter *f, struct grouped_profile_options *o)
{
	o->filters = f->filters;
	o->sites = f->sites;
	o->selection = selection_all(&f->selection) ? NULL : &f->selection;
	o->owners = f->owners;
	o->mangled = f->mangled;
	o->paths = paths_count(f->paths) ? f->paths : NULL;
	o->hook_cost = f->hook_cost ? cli_hook_cost(f->hook_cost) : 0;
	o->domain = f->domain - 1; /* auto is DOMAIN_DEFAULT, all DOMAIN_ALL */
}

void cli_filter_release(struct cli_filter *f)
{
	for (unsigned k = 0; k < CLI_FILTERS; k++)
		opt_list_release(&f->given[k]);
	selection_release(&f->selection);
	filters_free(f->filters);
	owners_free(f->owners);
	sites_free(f->sites);
	paths_free(f->paths);
}
