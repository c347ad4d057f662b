/* SPDX-License-Identifier: MIT */
#include "lib/cli/binaries.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/cli/distribution.h"
#include "lib/index/cache_dir.h"
#include "lib/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void cli_binaries_reading(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	cli_progress("reading debug files", done, total);
}

void cli_binaries_fetching(void *arg, uint64_t done, uint64_t total)
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

static _Noreturn void binaries_no_server(void)
{
	struct distribution d;
	const char *name;

	distribution_here(&d);
	name = distribution_name(&d);
	cli_usage("--debuginfod: DEBUGINFOD_URLS is not set; %s's server is --debuginfod=%s",
		  name ? name : "elfutils", distribution_server(&d));
}

/* With the mark that tells them from debuginfod's (lib/find/debuginfod.h). */
static void add_symbol_servers(struct cli_binaries *b)
{
	b->symbols = mem_zarray(b->symbol_servers.n + 1, sizeof *b->symbols);
	for (size_t i = 0; i < b->symbol_servers.n; i++) {
		const char *url = b->symbol_servers.items[i];
		struct buf text = BUF_INIT;

		if ((strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) ||
		    strpbrk(url, " \t\r\n"))
			cli_usage("--symbol-server: '%s' is not an address with http:// or "
				  "https://; for a folder: --debug-dir",
				  url);
		buf_addf(&text, "srv*%s", url);
		b->symbols[i] = mem_strdup(buf_str(&text));
		buf_release(&text);
		VEC_PUSH(b->words.items, b->words.n, b->words.cap) = b->symbols[i];
	}
}

void cli_binaries_servers(struct cli_binaries *b)
{
	bool environment = false;

	if (b->no_server) {
		b->urls.n = b->symbol_servers.n = 0;
		return;
	}
	for (size_t i = 0; i < b->urls.n; i++)
		environment |= !*b->urls.items[i];
	if (environment)
		add_words(b, getenv("DEBUGINFOD_URLS"));
	else if (!b->urls.n)
		add_words(b, getenv("TRACEMILL_DEBUGINFOD_URLS"));
	if (environment && !b->words.n && b->urls.n == 1 && !b->servers_optional)
		binaries_no_server();
	for (size_t i = 0; i < b->urls.n; i++)
		if (*b->urls.items[i])
			VEC_PUSH(b->words.items, b->words.n, b->words.cap) = b->urls.items[i];
	for (size_t i = 0; i < b->words.n; i++)
		if (!strstr(b->words.items[i], "://") || strpbrk(b->words.items[i], " \t\r\n"))
			cli_usage("--debuginfod: '%s' is not the address of a server",
				  b->words.items[i]);
	add_symbol_servers(b);
}

void cli_check_modules(const struct opt_list *modules)
{
	for (size_t i = 0; i < modules->n; i++) {
		const char *equals = strchr(modules->items[i], '=');

		if (!equals || equals == modules->items[i] || !equals[1])
			cli_usage("--module-file: '%s' is not NAME=FILE", modules->items[i]);
	}
}

const char *cli_module_path(const struct opt_list *modules, const char *name, size_t *n)
{
	size_t base = *n;

	while (base && name[base - 1] != '/' && name[base - 1] != '\\')
		base--;
	for (size_t i = 0; i < modules->n; i++) {
		const char *text = modules->items[i], *equals = strchr(text, '=');
		size_t length = (size_t)(equals - text);

		if ((length == *n && !memcmp(text, name, *n)) ||
		    (length == *n - base && !memcmp(text, name + base, length))) {
			*n = strlen(equals + 1);
			return equals + 1;
		}
	}
	return name;
}

/* What cannot be made, or written to, is reported by the cache. */
static void allow_cache(struct cli_binaries *b)
{
	struct err e = ERR_INIT;

	if (b->no_cache)
		return;
	b->cache_folder = b->cache ? mem_strdup(b->cache) : cache_dir_default();
	if (b->cache_folder && !cache_dir_make(b->cache_folder, &e))
		sandbox_allow(SANDBOX_CACHE, b->cache_folder);
}

/* What is no folder is said, and not looked into. */
static void need_debug_dirs(struct opt_list *dirs)
{
	size_t n = 0;
	struct stat st;

	for (size_t i = 0; i < dirs->n; i++) {
		const char *dir = dirs->items[i];

		cli_need_folder("debug-dir", dir);
		if (!stat(dir, &st) && S_ISDIR(st.st_mode))
			dirs->items[n++] = dir;
	}
	dirs->n = n;
}

void cli_binaries_check(struct cli_binaries *b)
{
	if (b->engine && strcmp(b->engine, "fast") != 0 && strcmp(b->engine, "reference") != 0)
		cli_usage("--engine: unknown engine '%s'", b->engine);
	if (b->engine)
		cli_note(NULL, "--engine has no effect any more: --verify asks libdwarf again");
	if (b->seconds > 24 * 3600)
		cli_usage("--debuginfod-timeout: at most a day, 86400");
	cli_binaries_servers(b);
	need_debug_dirs(&b->debug_dirs);
	if (b->sysroot && *b->sysroot)
		cli_need_folder("sysroot", b->sysroot);
	allow_cache(b);
}

void cli_binaries_release(struct cli_binaries *b)
{
	opt_list_release(&b->debug_dirs);
	opt_list_release(&b->urls);
	opt_list_release(&b->words);
	opt_list_release(&b->symbol_servers);
	for (size_t i = 0; b->symbols && b->symbols[i]; i++)
		free(b->symbols[i]);
	free(b->symbols);
	free(b->list);
	free(b->cache_folder);
}
