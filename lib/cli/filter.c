/* SPDX-License-Identifier: MIT */
#include "lib/cli/filter.h"

#include <stdlib.h>

const char *const cli_domain_choices[] = {"auto", "malloc", "pool", "mmap",
					  "mono", "lua",    "all",  NULL};

static const char *const words[FILTER_KINDS] = {
    [FILTER_FOCUS] = "focus",   [FILTER_IGNORE] = "ignore",    [FILTER_HIDE] = "hide",
    [FILTER_SHOW] = "show",     [FILTER_PRUNE] = "prune-from", [FILTER_TYPE] = "type",
    [FILTER_MODULE] = "module", [FILTER_FILE] = "file",        [FILTER_OWNER] = "owner"};

static _Noreturn void bad_file(const char *file, const char *option, const struct err *e)
{
	cli_error(file, "--%s: %s", option, e->msg);
	cli_status(EXIT_INPUT);
	exit(cli_exit());
}

static void add_patterns(struct cli_filter *f, enum filter_kind kind)
{
	const struct opt_list *from = &f->patterns[kind];
	unsigned flags = (f->literal ? MATCH_LITERAL : 0) | (f->caseless ? MATCH_CASELESS : 0);
	struct err e = ERR_INIT;

	for (size_t i = 0; i < from->n; i++) {
		const char *s = from->items[i];

		if (!filters_add(f->filters, kind, s, flags, &e))
			continue;
		if (filters_is_file(s))
			bad_file(s + 1, words[kind], &e);
		cli_usage("--%s: '%s': %s", words[kind], s, e.msg);
	}
}

static void print_sites(void)
{
	struct buf b = BUF_INIT;

	sites_list(&b);
	fwrite(b.data, 1, b.len, stdout);
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
			bad_file(f->site_files.items[i], "sites", &e);
	if (f->owner_files.n)
		f->owners = owners_new();
	for (size_t i = 0; i < f->owner_files.n; i++)
		if (owners_add_file(f->owners, f->owner_files.items[i], &e))
			bad_file(f->owner_files.items[i], "owners", &e);
	if (f->patterns[FILTER_OWNER].n && !f->owners)
		cli_usage("--owner needs --owners FILE");
}

void cli_filter_project(const struct cli_filter *f, struct project_options *o)
{
	o->filters = f->filters;
	o->sites = f->sites;
	o->owners = f->owners;
	o->domain = f->domain - 1; /* auto is DOMAIN_DEFAULT, all DOMAIN_ALL */
}

static void tell_given_up(const char *option, uint64_t names)
{
	if (names)
		cli_error(NULL,
			  "--%s: given up on %llu names, which count as not matching: the "
			  "expression backtracks too much",
			  option, (unsigned long long)names);
}

void cli_filter_release(struct cli_filter *f)
{
	for (enum filter_kind k = 0; k < FILTER_KINDS; k++) {
		if (f->filters)
			tell_given_up(words[k], filters_gave_up(f->filters, k));
		opt_list_release(&f->patterns[k]);
	}
	if (f->owners)
		tell_given_up("owners", owners_gave_up(f->owners));
	opt_list_release(&f->owner_files);
	opt_list_release(&f->site_files);
	filters_free(f->filters);
	owners_free(f->owners);
	sites_free(f->sites);
}
