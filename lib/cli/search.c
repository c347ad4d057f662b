/* SPDX-License-Identifier: MIT */
#include "lib/cli/search.h"

#include "lib/base/pool.h"
#include "lib/cli/cli.h"

void cli_search_done(struct cli_search *s, struct cli_binaries *b)
{
	struct search_options o;

	cli_binaries_check(b);
	s->cache = (struct cache_options){.dir = b->cache, .off = b->no_cache};
	o = (struct search_options){.dirs = b->debug_dirs.items,
				    .n_dirs = b->debug_dirs.n,
				    .sysroot = b->sysroot,
				    .urls = b->words.items,
				    .n_urls = b->words.n,
				    .seconds = (unsigned)b->seconds,
				    .cache = s->cache,
				    .jobs = b->jobs ? (unsigned)b->jobs : pool_cpus(),
				    .explain = b->explain,
				    .reading = cli_binaries_reading,
				    .fetching = cli_binaries_fetching};
	search_init(&s->search, &o);
	s->search.object.dwp = b->dwp;
}

void cli_search_report(struct cli_search *s)
{
	char text[1000];
	const char *word;
	bool bad;

	while ((word = search_next_message(&s->search, &bad, text, sizeof text)))
		(bad ? cli_note : cli_info)(NULL, "%s", word);
}

void cli_search_release(struct cli_search *s)
{
	search_release(&s->search);
}
