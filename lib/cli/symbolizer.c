/* SPDX-License-Identifier: MIT */
#include "lib/cli/symbolizer.h"

#include "lib/base/clock.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "N" or "N:SEED". */
static void read_verify(const char *text, struct tracemill_options *o)
{
	size_t n = strcspn(text, ":");
	bool has_seed = text[n];

	/* another choice each time, of few enough digits to be typed again */
	o->verify_seed =
	    (uint32_t)hash_u64((uint64_t)(clock_seconds() * 1e9) ^ (uint64_t)getpid() << 32);
	if (!num_dec(text, n, &o->verify) || !o->verify || o->verify > 1000000 ||
	    (has_seed && !num_dec(text + n + 1, strlen(text + n + 1), &o->verify_seed)))
		cli_usage("--verify: '%s' is not N or N:SEED, with N from 1 to 1000000", text);
}

struct tracemill_options cli_symbolizer_options(struct cli_binaries *b, const struct cli_managed *m)
{
	bool managed = m->line_maps.n || m->method_maps.n || m->usyms.n;

	struct tracemill_options o;

	cli_binaries_check(b);
	o = (struct tracemill_options){
	    .size = sizeof(struct tracemill_options),
	    .flags = TRACEMILL_GUARD_FILES | (b->no_cache ? 0 : TRACEMILL_CACHE) |
		     (b->explain ? TRACEMILL_EXPLAIN : 0) |
		     (managed ? TRACEMILL_MANAGED_NAMES : 0) |
		     (m->has_window ? TRACEMILL_LINE_MAP_WINDOW : 0),
	    .threads = (unsigned)b->jobs,
	    .debug_dirs = b->debug_dirs.items,
	    .n_debug_dirs = b->debug_dirs.n,
	    .sysroot = b->sysroot,
	    .debuginfod_urls = b->words.items,
	    .n_debuginfod_urls = b->words.n,
	    .debuginfod_seconds = (unsigned)b->seconds,
	    .cache_dir = b->cache,
	    .dwp = b->dwp,
	    .reading = cli_binaries_reading,
	    .fetching = cli_binaries_fetching,
	    .line_maps = m->line_maps.items,
	    .n_line_maps = m->line_maps.n,
	    .method_maps = m->method_maps.items,
	    .n_method_maps = m->method_maps.n,
	    .usyms = m->usyms.items,
	    .n_usyms = m->usyms.n,
	    .line_map_window = m->window,
	};
	if (b->verify)
		read_verify(b->verify, &o);
	return o;
}

struct tracemill_symbolizer *cli_symbolizer_new(const struct tracemill_options *o)
{
	struct tracemill_symbolizer *s;
	enum tracemill_status st = tracemill_symbolizer_new(&s, o);

	if (!st)
		return s;
	cli_die(NULL, "%s", tracemill_status_text(st));
}

static void report_one(const char *text, enum tracemill_severity severity)
{
	(severity == TRACEMILL_INFO   ? cli_info
	 : severity == TRACEMILL_NOTE ? cli_note
				      : cli_error)(NULL, "%s", text);
	if (severity == TRACEMILL_FAIL)
		cli_status(EXIT_INPUT);
}

void cli_symbolizer_load(struct tracemill_symbolizer *s)
{
	enum tracemill_severity severity = TRACEMILL_FAIL;
	const char *text;

	while (severity == TRACEMILL_FAIL &&
	       (text = tracemill_next_message(s, TRACEMILL_TOPIC_MANAGED, &severity)))
		report_one(text, severity);
}

void cli_file_fail(const char *path, const char *why)
{
	struct err e = ERR_INIT;

	err_set(&e, ST_BAD, "%s", why);
	cli_fail(path, &e);
}

void cli_symbolizer_fail(const struct tracemill_symbolizer *s, const char *file)
{
	cli_file_fail(file, tracemill_error(s));
}

void cli_symbolizer_report(struct tracemill_symbolizer *s, enum tracemill_topic topic)
{
	enum tracemill_severity severity;
	const char *text;

	while ((text = tracemill_next_message(s, topic, &severity)))
		report_one(text, severity);
}

/* Of the reasons why libdwarf has no answer, how often there is each. */
static void report_unknown(const struct intern *whys, const uint64_t *counts)
{
	for (uint32_t i = 1; i <= intern_count(whys); i++)
		cli_note("verify", "%" PRIu64 " unknown: %s", counts[i],
			 intern_text(whys, i, NULL));
}

static void report_differences(struct tracemill_symbolizer *s)
{
	struct tracemill_difference d = {.size = sizeof d};
	struct intern whys = {0};
	uint64_t *counts = NULL;
	size_t n = 0, cap = 0;

	VEC_PUSH(counts, n, cap) = 0;
	for (size_t i = 0; !tracemill_difference(s, i, &d); i++) {
		uint32_t id = d.unknown ? intern_add(&whys, d.libdwarf, strlen(d.libdwarf)) : 0;

		if (!d.unknown)
			cli_error("verify",
				  "%s: 0x%" PRIx64 ": different: answered: %s; libdwarf: %s",
				  d.path, d.address, d.answer, d.libdwarf);
		while (n <= id)
			VEC_PUSH(counts, n, cap) = 0;
		counts[id]++;
	}
	report_unknown(&whys, counts);
	intern_release(&whys);
	free(counts);
}

void cli_verify(struct tracemill_symbolizer *s, const struct cli_binaries *b)
{
	struct tracemill_verified v = {.size = sizeof v};

	if (!b->verify)
		return;
	cli_progress_clear();
	if (tracemill_verify(s, &v)) {
		cli_symbolizer_fail(s, "verify");
		return;
	}
	report_differences(s);
	cli_symbolizer_report(s, TRACEMILL_TOPIC_VERIFY);
	cli_note("verify",
		 "%" PRIu64 " asked, %" PRIu64 " equal, %" PRIu64 " different, %" PRIu64
		 " unknown to libdwarf; the same again: --verify %.*s:%" PRIu64,
		 v.asked, v.equal, v.different, v.unknown, (int)strcspn(b->verify, ":"), b->verify,
		 v.seed);
	if (v.different)
		cli_status(EXIT_GATE);
	else if (!v.equal)
		cli_status(EXIT_INCONCLUSIVE);
}
