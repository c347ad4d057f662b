/* SPDX-License-Identifier: MIT */
#include "lib/cli/filter.h"

#include "lib/base/num.h"

#include <stdlib.h>

const char *const cli_domain_choices[] = {"auto", "malloc", "pool", "mmap",
					  "mono", "lua",    "all",  NULL};

static const char *const options[FILTER_KINDS] = {
    [FILTER_FOCUS] = "--focus",   [FILTER_IGNORE] = "--ignore",    [FILTER_HIDE] = "--hide",
    [FILTER_SHOW] = "--show",     [FILTER_PRUNE] = "--prune-from", [FILTER_TYPE] = "--type",
    [FILTER_MODULE] = "--module", [FILTER_FILE] = "--file",        [FILTER_OWNER] = "--owner"};

static void add_patterns(struct cli_filter *f, enum filter_kind kind)
{
	const struct opt_list *from = &f->patterns[kind];
	unsigned flags = (f->literal ? MATCH_LITERAL : 0) | (f->caseless ? MATCH_CASELESS : 0);
	struct err e = ERR_INIT;

	for (size_t i = 0; i < from->n; i++) {
		const char *s = from->items[i];

		if (!filters_add(f->filters, kind, options[kind], s, flags, &e))
			continue;
		if (filters_is_file(s))
			cli_bad_rules(s + 1, options[kind], &e);
		cli_usage("%s: '%s': %s", options[kind], s, e.msg);
	}
}

static void add_ranges(struct tally_selection *s, const char *option, const struct opt_list *from,
		       enum status (*add)(struct tally_selection *s, const char *text,
					  struct err *e))
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < from->n; i++)
		if (add(s, from->items[i], &e))
			cli_usage("--%s: %s", option, e.msg);
}

static void add_selection(struct cli_filter *f)
{
	unsigned flags = (f->literal ? MATCH_LITERAL : 0) | (f->caseless ? MATCH_CASELESS : 0);
	struct err e = ERR_INIT;

	selection_init(&f->selection);
	add_ranges(&f->selection, "frame", &f->frames, selection_frames);
	add_ranges(&f->selection, "time", &f->times, selection_times);
	add_ranges(&f->selection, "size", &f->sizes, selection_sizes);
	for (size_t i = 0; i < f->threads.n; i++)
		if (selection_thread(&f->selection, f->threads.items[i], flags, &e))
			cli_usage("--thread: '%s': %s", f->threads.items[i], e.msg);
}

static void print_sites(void)
{
	struct buf b = BUF_INIT;

	sites_list(&b);
	cli_put(b.data, b.len);
	buf_release(&b);
	exit(cli_exit());
}

void cli_filter_done(struct cli_filter *f)
{
	struct err e = ERR_INIT;

	if (f->list_sites)
		print_sites();
	f->filters = filters_new();
	for (enum filter_kind k = 0; k < FILTER_KINDS; k++)
		add_patterns(f, k);
	f->sites = sites_new();
	for (size_t i = 0; i < f->site_files.n; i++)
		if (sites_add_file(f->sites, f->site_files.items[i], &e))
			cli_bad_rules(f->site_files.items[i], "--sites", &e);
	if (f->owner_files.n)
		f->owners = owners_new();
	for (size_t i = 0; i < f->owner_files.n; i++)
		if (owners_add_file(f->owners, f->owner_files.items[i], &e))
			cli_bad_rules(f->owner_files.items[i], "--owners", &e);
	f->paths = paths_new();
	for (size_t i = 0; i < f->path_maps.n; i++)
		if (paths_add(f->paths, f->path_maps.items[i], &e))
			cli_usage("--map-path: %s", e.msg);
	add_selection(f);
	if (f->patterns[FILTER_OWNER].n && !f->owners)
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

void cli_filter_project(const struct cli_filter *f, struct project_options *o)
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
	for (enum filter_kind k = 0; k < FILTER_KINDS; k++)
		opt_list_release(&f->patterns[k]);
	opt_list_release(&f->owner_files);
	opt_list_release(&f->site_files);
	opt_list_release(&f->path_maps);
	opt_list_release(&f->frames);
	opt_list_release(&f->times);
	opt_list_release(&f->sizes);
	opt_list_release(&f->threads);
	selection_release(&f->selection);
	filters_free(f->filters);
	owners_free(f->owners);
	sites_free(f->sites);
	paths_free(f->paths);
}
