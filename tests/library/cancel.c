/* SPDX-License-Identifier: MIT
 *
 * Wrong and interrupted calls of libtracemill: cancel, other versions, wrong arguments.
 *
 *     cancel BINARY ADDRESS
 */
#include <tracemill/symbolize.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tracemill_symbolizer *s;
static bool impatient = true;

static void progress(void *arg, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	++*(unsigned *)arg;
	if (impatient)
		tracemill_cancel(s);
}

static bool check(const char *what, bool good)
{
	printf("%s - library: %s\n", good ? "ok" : "not ok", what);
	return good;
}

int main(int argc, char **argv)
{
	unsigned calls = 0;
	const struct tracemill_options o = {
	    .size = sizeof o, .progress = progress, .progress_arg = &calls, .threads = 2};
	struct tracemill_options none = {.size = 0};
	struct tracemill_binary_facts facts = {.size = sizeof facts}, no_facts = {.size = 0};
	struct tracemill_binary *b, *again;
	struct tracemill_views v = {0};
	struct tracemill_query q;
	enum tracemill_status st;
	bool good;

	if (argc != 3 || tracemill_symbolizer_new(&s, &o))
		return 2;
	good = check("another major version is refused",
		     tracemill_symbolizer_new_of(&s, &o, 2u << 16) == TRACEMILL_VERSIONS);
	good &= check("options without a size are refused",
		      tracemill_symbolizer_new(&s, &none) == TRACEMILL_MISUSE);
	good &= check("a file that is not there",
		      tracemill_binary_open(s, "/nowhere/at/all", &b) == TRACEMILL_SYSTEM &&
			  strstr(tracemill_error(s), "No such file"));
	if (tracemill_binary_open(s, argv[1], &b))
		return 1;
	good &= check("the same binary for the same path",
		      !tracemill_binary_open(s, argv[1], &again) && again == b);
	q = (struct tracemill_query){.binary = b, .address = strtoull(argv[2], NULL, 16)};
	st = tracemill_symbolize(s, &q, 1);
	good &= check("cancelled from progress", st == TRACEMILL_CANCELLED && calls);
	good &= check("no answers then", tracemill_view(s, &q, 1, &v) == TRACEMILL_MISUSE);
	impatient = false;
	st = tracemill_symbolize(s, &q, 1);
	good &= check("the same handle answers the next batch",
		      !st && q.why == TRACEMILL_FUNCTION && !tracemill_view(s, &q, 1, &v) &&
			  v.first[1] && v.calls[0].line && v.calls[0].n_function);
	good &= check("facts of a binary", !tracemill_binary_facts(s, b, &facts) &&
					       facts.has_dwarf && !strcmp(facts.path, argv[1]));
	good &= check("facts without a size are refused",
		      tracemill_binary_facts(s, b, &no_facts) == TRACEMILL_MISUSE);
	good &= check("a build-id that nobody has",
		      tracemill_binary_by_id(s, "tracemill", 9, &again) == TRACEMILL_NOTHING);
	q = (struct tracemill_query){.address = 1};
	good &= check("a query without a binary", !tracemill_symbolize(s, &q, 1) &&
						      q.why == TRACEMILL_NO_BINARY &&
						      !tracemill_view(s, &q, 1, &v) && !v.first[1]);
	good &= check("an empty batch", !tracemill_symbolize(s, NULL, 0));
	tracemill_views_release(&v);
	tracemill_symbolizer_free(s);
	tracemill_symbolizer_free(NULL);
	return !good;
}
