/* SPDX-License-Identifier: MIT
 *
 * Files of rules for names: the first byte chooses site rules, owners, suppressions of leaks, filters from
 * the command line (a pattern a line, with its option before it), or a project's defaults. Behind a NUL byte
 * come names to ask about. What is refused says where; what is read twice answers the same; a rule's number
 * and owner exist; no rules say nothing.
 */
#include "lib/cli/defaults.h"
#include "lib/group/filter.h"
#include "lib/rules/leaks.h"
#include "lib/rules/owners.h"
#include "lib/rules/sites.h"
#include "lib/select/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ASKED = 16, NAME = 256, LINES = 24 };

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* The next line as a string, cut to what fits. */
static bool take_line(const char **p, const char *end, char line[NAME])
{
	const char *nl;
	size_t n;

	if (*p >= end)
		return false;
	nl = memchr(*p, '\n', (size_t)(end - *p));
	n = (size_t)((nl ? nl : end) - *p);
	snprintf(line, NAME, "%.*s", n < NAME ? (int)n : NAME - 1, *p);
	*p += n + (nl != NULL);
	return true;
}

static void ask_sites(struct sites *s, struct sites *none, const char *p, const char *end)
{
	char name[NAME];

	for (int i = 0; i < ASKED && take_line(&p, end, name); i++) {
		unsigned all[3] = {sites_function(s, name, name), sites_module(s, name),
				   sites_file(s, name)};
		unsigned shipped[3] = {sites_function(none, name, name), sites_module(none, name),
				       sites_file(none, name)};

		for (int k = 0; k < 3; k++) {
			must(!(all[k] & ~(unsigned)(SITE_PASS | SITE_STAY)));
			/* More rules say more; what the shipped ones said stays said. */
			must((all[k] & shipped[k]) == shipped[k]);
		}
	}
}

static void read_sites(const char *p, const char *end, const char *names, const char *names_end)
{
	struct sites *s = sites_new(), *none = sites_new();
	struct err e = ERR_INIT;

	if (sites_add(s, "fuzz", p, (size_t)(end - p), &e))
		must(!strncmp(e.msg, "line ", 5));
	else
		ask_sites(s, none, names, names_end);
	sites_free(s);
	sites_free(none);
}

static void ask_owners(struct owners *o, const char *p, const char *end)
{
	char name[NAME];

	for (int i = 0; i < ASKED && take_line(&p, end, name); i++) {
		uint64_t gave_up = match_all_timed_out();
		uint32_t rule[4] = {owners_function(o, name, name), owners_module(o, name),
				    owners_file(o, name), owners_type(o, name, strlen(name))};

		for (int k = 0; k < 4; k++) {
			const char *owner = owners_name(o, rule[k]);

			must(owner && *owner);
			must((rule[k] == OWNER_NONE) == !owners_id(o, rule[k]));
			must(rule[k] == OWNER_NONE ||
			     !strcmp(owner, owners_name_of(o, owners_id(o, rule[k]))));
		}
		must(owners_module(o, name) == rule[1] || match_all_timed_out() > gave_up);
	}
}

static void read_owners(const char *p, const char *end, const char *names, const char *names_end)
{
	struct owners *o = owners_new();
	struct err e = ERR_INIT;

	if (owners_add(o, "fuzz", p, (size_t)(end - p), &e))
		must(!strncmp(e.msg, "line ", 5));
	else
		ask_owners(o, names, names_end);
	owners_free(o);
}

/* A file of these bytes, which has this path while the descriptor is open. */
static int file_of(const char *p, const char *end, char path[NAME])
{
	int fd = memfd_create("rules", MFD_CLOEXEC);
	size_t n = (size_t)(end - p);

	must(fd >= 0 && (size_t)pwrite(fd, p, n, 0) == n);
	snprintf(path, NAME, "/proc/self/fd/%d", fd);
	return fd;
}

/* Each name is a function's in a stack of its own; what is suppressed is counted, once. */
static void ask_leaks(struct leaks *l, const char *p, const char *end)
{
	struct trace *t = trace_new();
	struct leaks_counted c;
	uint64_t none = 0, counted = 0;
	char name[NAME];

	for (int i = 0; i < ASKED && take_line(&p, end, name); i++) {
		struct location place = {.space = SPACE_NAME, .name = trace_strz(t, name)};
		uint32_t stack = trace_stack(t, 0, trace_location(t, &place));
		bool is_none = leaks_none(l, t, stack, 1, 1);

		must(leaks_none(l, t, stack, 1, 1) == is_none);
		none += is_none ? 2 : 0;
	}
	leaks_next(l);
	for (size_t i = 0; leaks_counted(l, i, &c); i++) {
		must(*c.rule && c.blocks == c.bytes);
		counted += c.blocks;
	}
	must(counted == none);
	trace_free(t);
}

static void read_leaks(const char *p, const char *end, const char *names, const char *names_end)
{
	struct leaks *l = leaks_new(false);
	struct err e = ERR_INIT;
	char path[NAME];
	int fd = file_of(p, end, path);

	if (leaks_add_file(l, path, &e))
		must(!strncmp(e.msg, "line ", 5));
	else
		ask_leaks(l, names, names_end);
	leaks_free(l);
	close(fd);
}

static void read_defaults(const char *p, const char *end)
{
	struct cli_defaults d = {.n = 0};
	struct err e = ERR_INIT;
	char path[NAME];
	int fd = file_of(p, end, path);
	enum status st;

	must(!setenv("TRACEMILL_CONFIG", path, 1));
	st = defaults_find(&d, &e);
	must(!strcmp(d.path, path) && (!st || strstr(e.msg, path)));
	for (size_t i = 0; i < d.n; i++) {
		const struct default_row *r = &d.rows[i];

		must((st && i + 1 == d.n) || (r->word && r->arg && r->value && *r->value));
		must(r->line > (i ? d.rows[i - 1].line : 0));
		free((char *)(uintptr_t)r->value);
	}
	free(d.rows);
	free(d.path);
	close(fd);
}

/* "KIND FLAGS PATTERN", each a digit but the last. Files are not opened. */
static void read_filters(const char *p, const char *end, const char *names, const char *names_end)
{
	struct filters *f = filters_new();
	struct err e = ERR_INIT;
	char line[NAME];
	uint32_t bits;
	size_t n = 0;

	for (int i = 0; i < LINES && take_line(&p, end, line); i++) {
		const char *pattern = strlen(line) > 2 ? line + 2 : "";

		if (!*pattern || filters_is_file(pattern))
			continue;
		if (filters_add(f, (enum filter_kind)((unsigned char)line[0] % FILTER_KINDS),
				"--fuzz", pattern, (unsigned char)line[1] & 3u, &e))
			must(e.msg[0]);
		else
			n++;
	}
	must(filters_any(f) == (n > 0));
	for (int i = 0; i < ASKED && take_line(&names, names_end, line); i++) {
		size_t size = strlen(line);

		for (enum filter_kind k = 0; k < FILTER_KINDS; k++)
			must(!filters_match(f, k, line, size) || filters_has(f, k));
		bits = filters_name(f, &(struct name_suffix_name){line, size, line, size}) |
		       filters_module(f, line, size) | filters_file(f, line, size);
		must(filters_kept(f, bits) || n);
	}
	filters_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *p = (const char *)data + 1, *end = (const char *)data + n, *nul;

	if (!n)
		return 0;
	nul = n > 1 ? memchr(p, 0, n - 1) : NULL;
	switch (data[0]) {
	case 'o': read_owners(p, nul ? nul : end, nul ? nul + 1 : end, end); break;
	case 'f': read_filters(p, nul ? nul : end, nul ? nul + 1 : end, end); break;
	case 'l': read_leaks(p, nul ? nul : end, nul ? nul + 1 : end, end); break;
	case 'd': read_defaults(p, end); break;
	default: read_sites(p, nul ? nul : end, nul ? nul + 1 : end, end);
	}
	return 0;
}
