/* SPDX-License-Identifier: MIT */
#include "lib/cli/binaries.h"

#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/cli/cli.h"
#include "lib/index/cache_dir.h"
#include "lib/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

static void binaries_reading(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	cli_progress("reading debug files", done, total);
}

static void binaries_fetching(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	cli_progress("debuginfod", done, total);
}

/* Separated by blanks, as libdebuginfod has them. */
static void add_words(struct cli_binaries *b, const char *list)
{
	static const char blanks[] = " \t\r\n";

	free(b->list);
	b->list = mem_strdup(list ? list : "");
	for (char *s = b->list; *(s += strspn(s, blanks));) {
		size_t n = strcspn(s, blanks);
		bool last = !s[n];

		s[n] = 0;
		VEC_PUSH(b->words.items, b->words.n, b->words.cap) = s;
		if (last)
			break;
		s += n + 1;
	}
}

static void binaries_find_servers(struct cli_binaries *b)
{
	bool environment = false;

	if (b->no_server) {
		b->urls.n = 0;
		return;
	}
	for (size_t i = 0; i < b->urls.n; i++)
		environment |= !*b->urls.items[i];
	if (environment)
		add_words(b, getenv("DEBUGINFOD_URLS"));
	else if (!b->urls.n)
		add_words(b, getenv("TRACEMILL_DEBUGINFOD_URLS"));
	if (environment && !b->words.n && b->urls.n == 1 && !b->servers_optional)
		cli_usage("--debuginfod: DEBUGINFOD_URLS is not set; --debuginfod=URL");
	for (size_t i = 0; i < b->urls.n; i++)
		if (*b->urls.items[i])
			VEC_PUSH(b->words.items, b->words.n, b->words.cap) = b->urls.items[i];
	for (size_t i = 0; i < b->words.n; i++)
		if (!strstr(b->words.items[i], "://") || strpbrk(b->words.items[i], " \t\r\n"))
			cli_usage("--debuginfod: '%s' is no address of a server",
				  b->words.items[i]);
}

void cli_check_modules(const struct opt_list *modules)
{
	for (size_t i = 0; i < modules->n; i++) {
		const char *equals = strchr(modules->items[i], '=');

		if (!equals || equals == modules->items[i] || !equals[1])
			cli_usage("--module-file: '%s' is not NAME=FILE", modules->items[i]);
	}
}

struct lookup_file *cli_module_file(struct lookup *l, const struct opt_list *modules,
				    const char *name, size_t n)
{
	for (size_t i = 0; i < modules->n; i++) {
		const char *text = modules->items[i], *equals = strchr(text, '=');

		if ((size_t)(equals - text) == n && !memcmp(text, name, n))
			return lookup_file(l, equals + 1, strlen(equals + 1));
	}
	return lookup_file(l, name, n);
}

void cli_binaries_done(struct cli_binaries *b)
{
	struct search_options o;
	struct err e = ERR_INIT;

	b->engine = b->engine_name ? dwarf_engine_by_name(b->engine_name) : dwarf_engine_default();
	if (!b->engine)
		cli_usage("--engine: there is no '%s'", b->engine_name);
	if (b->seconds > 24 * 3600)
		cli_usage("--debuginfod-timeout: at most a day, 86400");
	binaries_find_servers(b);
	for (size_t i = 0; i < b->debug_dirs.n; i++)
		cli_need_folder("debug-dir", b->debug_dirs.items[i]);
	if (b->sysroot && *b->sysroot)
		cli_need_folder("sysroot", b->sysroot);
	o = (struct search_options){.dirs = b->debug_dirs.items,
				    .n_dirs = b->debug_dirs.n,
				    .sysroot = b->sysroot,
				    .urls = b->words.items,
				    .n_urls = b->words.n,
				    .seconds = (unsigned)b->seconds,
				    .cache = b->cache,
				    .jobs = b->jobs ? (unsigned)b->jobs : pool_cpus(),
				    .explain = b->explain,
				    .reading = binaries_reading,
				    .fetching = binaries_fetching};
	search_init(&b->search, &o);
	b->search.object.dwp = b->dwp;
	/* What cannot be made, or written to, is reported by the cache. */
	if (b->search.cache && !cache_dir_make(b->search.cache, &e))
		sandbox_allow(SANDBOX_CACHE, b->search.cache);
}

void cli_binaries_tell(struct cli_binaries *b)
{
	char text[1000];
	const char *word;
	bool bad;

	while ((word = search_told(&b->search, &bad, text, sizeof text)))
		(bad ? cli_note : cli_info)(NULL, "%s", word);
}

void cli_binaries_release(struct cli_binaries *b)
{
	search_release(&b->search);
	opt_list_release(&b->debug_dirs);
	opt_list_release(&b->urls);
	opt_list_release(&b->words);
	free(b->list);
}
