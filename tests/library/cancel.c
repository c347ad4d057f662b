/* SPDX-License-Identifier: MIT
 *
 * Wrong and interrupted calls of libtracemill: cancel, other versions, wrong arguments, a file that
 * shrinks.
 *
 *     cancel BINARY ADDRESS LARGE
 *
 * ADDRESS is main's; LARGE, whose .debug_str is too large to be read at once, is cut here.
 */
#include <tracemill/symbolize.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The names of its functions lie in what is lost. */
static bool check_shrinking(const char *path)
{
	const struct tracemill_options o = {.size = sizeof o, .flags = TRACEMILL_GUARD_FILES};
	struct tracemill_symbolizer *guarded;
	struct tracemill_query q = {.address = 0};
	struct tracemill_views v = {0};
	unsigned sum = 0;
	bool good;

	if (tracemill_symbolizer_new(&guarded, &o) ||
	    tracemill_binary_open(guarded, path, &q.binary) ||
	    tracemill_binary_symbol(guarded, q.binary, "last", 4, &q.address) ||
	    tracemill_symbolize(guarded, &q, 1))
		return check("a large file", false);
	good = check("a whole file is intact", !tracemill_check_files(guarded));
	if (truncate(path, 4096))
		return false;
	if (!tracemill_view(guarded, &q, 1, &v))
		for (uint32_t i = 0; i < v.first[1]; i++) {
			for (uint32_t k = 0; k < v.calls[i].n_function; k++)
				sum += (unsigned char)v.calls[i].function[k];
			for (uint32_t k = 0; k < v.calls[i].n_file; k++)
				sum += (unsigned char)v.calls[i].file[k];
		}
	good &= check("one that has shrunk since is not, and that is said",
		      tracemill_check_files(guarded) == TRACEMILL_BAD && *tracemill_error(guarded));
	tracemill_views_release(&v);
	tracemill_symbolizer_free(guarded);
	return good && sum < UINT32_MAX;
}

/* Engines that cannot be chosen any more: the only name is that of the one that answers. */
static bool check_engine(void)
{
	struct tracemill_options o = {.size = sizeof o, .flags = TRACEMILL_REFERENCE_ENGINE};
	struct tracemill_symbolizer *s;
	bool good;

	o.engine = "reference";
	good = check("the engine that checks answers cannot be chosen",
		     tracemill_symbolizer_new(&s, &o) == TRACEMILL_MISUSE);
	o.engine = "fast";
	if (!check("the one that answers can", !tracemill_symbolizer_new(&s, &o)))
		return false;
	tracemill_symbolizer_free(s);
	return good;
}

/* libdwarf's second answer: only where it was asked for; its processes end with the call. */
static bool check_verify(const char *path, uint64_t address)
{
	struct tracemill_options o = {.size = sizeof o, .verify = 1000001};
	struct tracemill_verified v = {.size = sizeof v};
	struct tracemill_difference d = {.size = sizeof d};
	struct tracemill_symbolizer *s;
	struct tracemill_query q[2] = {{.address = address}, {.address = address + 1}};
	bool good;

	good = check("more answers than can be chosen",
		     tracemill_symbolizer_new(&s, &o) == TRACEMILL_MISUSE);
	o.verify = 0;
	if (!check("a handle that keeps no answers", !tracemill_symbolizer_new(&s, &o)))
		return false;
	good &= check("it cannot verify", tracemill_verify(s, &v) == TRACEMILL_MISUSE &&
					      tracemill_difference(s, 0, &d) == TRACEMILL_MISUSE);
	tracemill_symbolizer_free(s);
	o.verify = 10;
	if (!check("one that does", !tracemill_symbolizer_new(&s, &o) &&
					!tracemill_binary_open(s, path, &q[0].binary)))
		return false;
	q[1].binary = q[0].binary;
	good &=
	    check("before any answer it has none to verify", !tracemill_verify(s, &v) && !v.asked);
	good &= check("libdwarf has the same two answers",
		      !tracemill_symbolize(s, q, 2) && !tracemill_symbolize(s, q, 2) &&
			  !tracemill_verify(s, &v) && v.asked == 2 && v.equal == 2 &&
			  tracemill_difference(s, 0, &d) == TRACEMILL_NOTHING);
	errno = 0;
	good &= check("its processes are gone", waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	tracemill_symbolizer_free(s);
	return good;
}

/* What is asked besides answers; the sizes of main's symbol and of the binary's own table. */
static bool check_besides(const char *path, uint64_t address)
{
	const char *const maps[] = {"/nowhere/LineNumberMappings.json"};
	const struct tracemill_options o = {.size = sizeof o,
					    .flags = TRACEMILL_EXPLAIN | TRACEMILL_DETAILS,
					    .line_maps = maps,
					    .n_line_maps = 1};
	struct tracemill_symbol at = {.size = sizeof at}, named = {.size = sizeof named};
	struct tracemill_symbolizer *x;
	struct tracemill_query q = {.address = address + 1};
	struct tracemill_details d = {.size = sizeof d};
	struct tracemill_binary *binary;
	struct tracemill_views v = {0};
	enum tracemill_severity severity = TRACEMILL_INFO;
	const char *text;
	uint64_t looked_up = 0;
	bool good;
	size_t n;

	if (tracemill_symbolizer_new(&x, &o) || tracemill_binary_open(x, path, &q.binary) ||
	    tracemill_prefetch(x, q.binary))
		return check("a handle that explains", false);
	text = tracemill_next_message(x, TRACEMILL_TOPIC_MANAGED, &severity);
	good =
	    check("a file of the options that is not there is told once, by its name",
		  text && severity == TRACEMILL_FAIL && !strncmp(text, maps[0], strlen(maps[0])));
	good &= check("main by its name and by an address in it",
		      !tracemill_symbol_named(x, q.binary, "main", 4, 0, &named) &&
			  named.address == address && named.sized &&
			  tracemill_symbol_named(x, q.binary, "main", 4, 1, &named) ==
			      TRACEMILL_NOTHING &&
			  !tracemill_symbol_at(x, q.binary, TRACEMILL_OWN_CODE, q.address, &at) &&
			  at.address == address && !strcmp(at.name, "main"));
	good &= check("nothing is at the end of memory",
		      tracemill_symbol_at(x, q.binary, TRACEMILL_DATA, UINT64_MAX, &at) ==
			  TRACEMILL_NOTHING);
	at.size = 0;
	good &= check("a struct without its size",
		      tracemill_symbol_at(x, q.binary, TRACEMILL_CODE, address, &at) ==
			  TRACEMILL_MISUSE);
	good &= check("no batch yet: no query of it",
		      tracemill_explain(x, &q, &text, &n) == TRACEMILL_MISUSE);
	good &= check("a query is looked up as it was asked",
		      !tracemill_symbolize(x, &q, 1) &&
			  !tracemill_resolved(x, &q, &binary, &looked_up) && binary == q.binary &&
			  looked_up == q.address);
	good &= check("details of main", !tracemill_view(x, &q, 1, &v) && v.first[1] == 1 &&
					     !tracemill_call_details(x, &v.calls[0], &d) &&
					     !strcmp(d.linkage, "main") &&
					     strstr(d.file, "symbolize.c"));
	good &= check("... explained with its section",
		      !tracemill_explain(x, &q, &text, &n) && strlen(text) == n &&
			  strstr(text, "  section: .text") && strstr(text, "  call: main at "));
	good &= check("... and its file", !tracemill_explain_binary(x, q.binary, &text, &n) &&
					      strstr(text, "  debug information: its own\n"));
	tracemill_views_release(&v);
	tracemill_symbolizer_free(x);
	return good;
}

static bool check_server(void)
{
	const char *const urls[] = {"http://127.0.0.1:9"};
	const struct tracemill_options o = {
	    .size = sizeof o, .debuginfod_urls = urls, .n_debuginfod_urls = 1};
	struct tracemill_symbolizer *asking;
	bool good;

	errno = 0;
	good = check("no process is started for nothing",
		     waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	good &= check("what asks servers is there with the handle",
		      !tracemill_symbolizer_new(&asking, &o) && !waitpid(-1, NULL, WNOHANG));
	tracemill_symbolizer_exit(asking);
	good &= check("and gone with it", waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t address = 0, size = 0;
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

	if (argc != 4 || tracemill_symbolizer_new(&s, &o))
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
					       facts.has_dwarf && !strcmp(facts.path, argv[1]) &&
					       facts.is_64 == (sizeof(void *) == 8));
	good &= check("facts without a size are refused",
		      tracemill_binary_facts(s, b, &no_facts) == TRACEMILL_MISUSE);
	good &= check("a build-id that nobody has",
		      tracemill_binary_by_id(s, "tracemill", 9, &again) == TRACEMILL_NOTHING);
	good &=
	    check("a symbol by its name", !tracemill_binary_symbol(s, b, "mainly", 4, &address) &&
					      address == strtoull(argv[2], NULL, 16));
	good &= check("a name that nobody has",
		      tracemill_binary_symbol(s, b, "mainly", 6, &size) == TRACEMILL_NOTHING);
	good &= check("a section, in which it is",
		      !tracemill_binary_section(s, b, ".text", &q.address, &size) &&
			  address - q.address < size);
	good &=
	    check("a section that is not there",
		  tracemill_binary_section(s, b, ".txet", &q.address, &size) == TRACEMILL_NOTHING);
	q = (struct tracemill_query){.address = 1};
	good &= check("a query without a binary", !tracemill_symbolize(s, &q, 1) &&
						      q.why == TRACEMILL_NO_BINARY &&
						      !tracemill_view(s, &q, 1, &v) && !v.first[1]);
	good &= check("an empty batch", !tracemill_symbolize(s, NULL, 0));
	tracemill_views_release(&v);
	tracemill_symbolizer_free(s);
	tracemill_symbolizer_free(NULL);
	good &= check_verify(argv[1], strtoull(argv[2], NULL, 16));
	good &= check_engine();
	good &= check_besides(argv[1], strtoull(argv[2], NULL, 16));
	good &= check_server();
	good &= check_shrinking(argv[3]);
	return !good;
}
