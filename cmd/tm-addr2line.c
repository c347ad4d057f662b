/* SPDX-License-Identifier: MIT
 *
 * tm-addr2line: addresses of one file -> functions, files and lines, as GNU addr2line prints them.
 */
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/pool.h"
#include "lib/cli/binaries.h"
#include "lib/cli/cli.h"
#include "lib/cli/managed.h"
#include "lib/compat/explain.h"
#include "lib/compat/print.h"
#include "lib/compat/print_many.h"
#include "lib/compat/request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
	struct lookup lookup;
	struct lookup_file *file;
	struct object_section section; /* size 0: addresses are the file's */
	struct print_options print;
	bool lenient, explain;
};

/* NAME or NAME+OFFSET, where there is such a symbol. */
static bool ask_by_name(struct job *j, const struct input_line *line, uint64_t *addr)
{
	const char *name = line->s;
	size_t n = line->n;
	uint64_t offset, start;

	if (!j->file->object || !request_gnu_name(&name, &n, &offset) ||
	    !object_symbol_value(j->file->object, name, n, &start))
		return false;
	*addr = start + offset;
	return true;
}

/* False: an answer of ?? without looking. */
static bool ask(struct job *j, const struct input_line *line, struct lookup_query *q,
		uint64_t *shown, bool *bad)
{
	bool good = request_gnu(line->s, line->n, shown) || ask_by_name(j, line, shown);

	if (!lookup_is_64(j->file))
		*shown &= UINT32_MAX;
	if (!good && !j->lenient) {
		*bad = true;
		return false;
	}
	q->addr = *shown + j->section.addr;
	return !j->section.name || *shown < j->section.size;
}

struct answers {
	struct job *j;
	const struct lookup_query *queries;
	const uint64_t *shown;
	bool unknown; /* one of them has no answer */
	const struct input_line *lines;
	struct lookup_query *made; /* queries, as they are made */
	uint64_t *made_shown;
	size_t n;
	bool bad; /* one of the lines is no address */
};

enum { LINES_AT_ONCE = 8192 };

static void addr2line_ask_some(size_t item, unsigned worker, void *arg)
{
	struct answers *a = arg;
	size_t from = item * LINES_AT_ONCE;
	size_t end = from + LINES_AT_ONCE < a->n ? from + LINES_AT_ONCE : a->n;
	bool bad = false;

	(void)worker;
	for (size_t i = from; i < end; i++) {
		a->made[i] = (struct lookup_query){.file = NULL};
		if (ask(a->j, &a->lines[i], &a->made[i], &a->made_shown[i], &bad))
			a->made[i].file = a->j->file;
	}
	if (bad)
		__atomic_store_n(&a->bad, true, __ATOMIC_RELAXED);
}

static bool print_views(struct answers *a, struct buf *b, size_t from, size_t to)
{
	struct lookup_views v = {.n = 0};
	bool known = true;

	for (size_t i = from; i < to; i += LOOKUP_VIEWS) {
		size_t n = to - i < LOOKUP_VIEWS ? to - i : LOOKUP_VIEWS;

		lookup_view(&a->j->lookup, a->queries + i, n, &v);
		for (size_t k = 0; k < n; k++)
			known &= print_gnu_view(b, &a->queries[i + k], a->shown[i + k],
						v.calls + v.first[k], v.first[k + 1] - v.first[k],
						&a->j->print);
	}
	lookup_views_release(&v);
	return known;
}

static void addr2line_print_some(void *arg, struct buf *b, size_t from, size_t to)
{
	struct answers *a = arg;
	bool known = true;

	if (a->j->lookup.viewing)
		known = print_views(a, b, from, to);
	else
		for (size_t i = from; i < to; i++)
			known &=
			    print_gnu(b, &a->j->lookup, &a->queries[i], a->shown[i], &a->j->print);
	if (!known)
		__atomic_store_n(&a->unknown, true, __ATOMIC_RELAXED);
}

static bool addr2line_put_out(void *arg, const char *s, size_t n)
{
	(void)arg;
	cli_print(s, n);
	return !ferror(stdout);
}

static void explain(struct job *j, const struct input_line *lines,
		    const struct lookup_query *queries, size_t n)
{
	struct explain x = {.n = 0};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		explain_query(&x, &b, &j->lookup, &queries[i], lines[i].s, lines[i].n);
		cli_pour(&b);
	}
	cli_print(b.data, b.len);
	buf_release(&b);
	explain_release(&x);
}

static void addr2line_answer(void *arg, const struct input_line *lines, size_t n)
{
	struct job *j = arg;
	struct lookup_query *queries = pages_array(n, sizeof *queries);
	uint64_t *shown = pages_array(n, sizeof *shown);
	struct err e = ERR_INIT;
	struct answers a = {.j = j,
			    .queries = queries,
			    .shown = shown,
			    .lines = lines,
			    .made = queries,
			    .made_shown = shown,
			    .n = n};
	const char *complaint;

	pool_run(j->lookup.options.dwarf.jobs, (n + LINES_AT_ONCE - 1) / LINES_AT_ONCE,
		 addr2line_ask_some, &a);
	if (a.bad)
		cli_status(EXIT_INPUT);
	if (lookup_run(&j->lookup, queries, n, &e))
		cli_fail(j->file->path, &e);
	if (j->explain)
		explain(j, lines, queries, n);
	else
		print_many(j->lookup.options.dwarf.jobs, n, addr2line_print_some, addr2line_put_out,
			   &a);
	for (size_t i = 0; j->explain && i < n; i++)
		a.unknown |= !queries[i].named.call;
	if (a.unknown && !j->lenient)
		cli_status(EXIT_INCOMPLETE);
	if (lookup_intact(&j->lookup, &e))
		cli_fail(j->file->path, &e);
	while ((complaint = lookup_complaint(&j->lookup)))
		cli_note(NULL, "%s", complaint);
	while ((complaint = cache_told(&j->lookup.cache)))
		cli_info(NULL, "%s", complaint);
	free(shown);
	free(queries);
}

static bool addr2line_open_all(struct job *j, const char *path, const char *section)
{
	struct err e = ERR_INIT;

	j->file = lookup_file(&j->lookup, path, strlen(path));
	if (!lookup_usable(j->file)) {
		cli_fail(path, &j->file->e);
		return false;
	}
	if (j->file->e.msg[0])
		cli_note(path, "%s", j->file->e.msg);
	if (j->explain) {
		struct buf b = BUF_INIT;

		explain_object(&b, j->file->object, path);
		cli_print(b.data, b.len);
		buf_release(&b);
	}
	if (!section)
		return true;
	if (!j->file->object || object_section(j->file->object, section, &j->section, &e)) {
		cli_error(path, "no section %s", section);
		cli_status(EXIT_INPUT);
		return false;
	}
	return true;
}

/* Standard input is a file of so many questions that some will ask the symbol table. */
static bool is_long(void)
{
	enum { LONG = 1 << 20 };
	struct stat s;

	return !fstat(STDIN_FILENO, &s) && S_ISREG(s.st_mode) && s.st_size > LONG;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"addr2line", NULL};
	static const char *const styles[] = {"none", "auto", "gnu",  "gnu-v3", "lucid", "arm", "hp",
					     "edg",  "java", "gnat", "dlang",  "rust",  NULL};
	const char *called = cli_called(argv[0], names), *exe = "a.out", *section = NULL;
	const char *target;
	struct cli_binaries binaries = {0};
	struct job j = {.lenient = called};
	struct cli_managed managed = {0};
	struct lookup_options o = {.dwarf = {.jobs = pool_cpus(), .discriminators = true}};
	bool functions = false, ignored;
	int demangling = 0, n, status;
	const struct opt options[] = {
	    ROW_STRING('e', "exe", "FILE", "the binary (a.out)", &exe),
	    ROW_FLAG('f', "functions", "names of functions", &functions),
	    ROW_FLAG('i', "inlines", "calls that were inlined there too", &j.print.inlines),
	    ROW_OPTIONAL('C', "demangle", "STYLE", "demangle names; none: do not", &demangling,
			 styles, "auto"),
	    ROW_FLAG('p', "pretty-print", "one line per call", &j.print.pretty),
	    ROW_FLAG('s', "basenames", "files without folders", &j.print.base_names),
	    ROW_FLAG('a', "addresses", "the address before its answer", &j.print.addresses),
	    ROW_STRING('j', "section", "NAME", "addresses are offsets in this section", &section),
	    ROW_STRING('b', "target", "NAME", "ignored", &target),
	    ROW_FLAG('r', "no-recurse-limit", "ignored", &ignored),
	    ROW_FLAG('R', "recurse-limit", "ignored", &ignored),
	    ROW_FLAG(0, "no-recursion-limit", NULL, &ignored),
	    ROW_FLAG(0, "recursion-limit", NULL, &ignored),
	    ROW_HEADING("not in GNU addr2line:"),
	    ROW_FLAG(0, "lenient", "status 0 for what has no answer", &j.lenient),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_EXPLAIN_ROW(binaries),
	    CLI_MANAGED_ROWS(managed),
	    OPT_END,
	};
	const struct opt_program program = {called ? called : "tm-addr2line", "[ADDRESS...]",
					    "Prints functions, files and lines of addresses.",
					    options};
	const struct opt_style style = {.drop_in = true,
					.prefixes = true,
					.v_is_version = true,
					.usage_status = called ? 1 : 0};

	n = opt_parse_as(&style, &program, argc, argv);
	cli_binaries_done(&binaries);
	j.explain = binaries.explain;
	o.engine = binaries.engine;
	o.cache = binaries.cache;
	o.search = binaries.search.object;
	j.print.names = functions ? NAMES_LINKAGE : NAMES_NONE;
	j.print.demangle = o.demangle = demangling != 0;
	o.views = !binaries.explain;
	o.managed = cli_managed_done(&managed);
	o.managed.names = cli_managed_given(&managed);
	cli_sandbox("tm-addr2line", NULL);
	lookup_init(&j.lookup, &o);
	cli_managed_load(&j.lookup.managed);
	if (addr2line_open_all(&j, exe, section)) {
		if (!n && is_long())
			lookup_expect(&j.lookup, j.file);
		cli_requests(n, argv + 1, addr2line_answer, &j);
	}
	cli_binaries_tell(&binaries);
	cli_managed_release(&managed);
	if (MEM_MOVES) /* a checker looks for leaks; else the end of the program is faster at it */
		lookup_release(&j.lookup);
	cli_binaries_release(&binaries);
	status = cli_exit();
	return called && status ? 1 : status;
}
