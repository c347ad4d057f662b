/* SPDX-License-Identifier: MIT
 *
 * tm-addr2line: addresses of one file -> functions, files and lines, as GNU addr2line prints them.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/pages.h"
#include "lib/base/pool.h"
#include "lib/cli/cli.h"
#include "lib/cli/symbolizer.h"
#include "lib/compat/print.h"
#include "lib/compat/print_many.h"
#include "lib/compat/request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
	struct tracemill_symbolizer *symbolizer;
	struct tracemill_binary *binary;
	struct tracemill_binary_facts facts;
	unsigned jobs;
	bool section; /* addresses are offsets in one */
	uint64_t section_address, section_size;
	struct print_options print;
	bool lenient, explain;
	bool below; /* an address below the image base was asked for, and a note says so */
	bool odd;   /* a request was neither address nor symbol, and a note says so */
	struct request_above above;
};

/* NAME or NAME+OFFSET, where there is such a symbol. */
static bool ask_by_name(struct job *j, const struct input_line *line, uint64_t *addr)
{
	const char *name = line->s;
	size_t n = line->n;
	uint64_t offset, start;

	if (!request_gnu_name(&name, &n, &offset) ||
	    tracemill_binary_symbol(j->symbolizer, j->binary, name, n, &start))
		return false;
	*addr = start + offset;
	return true;
}

/* What a line asks for that says this address. */
static void ask(const struct job *j, struct tracemill_query *q, uint64_t *shown)
{
	bool image =
	    j->facts.image_end; /* GNU cuts addresses of ELF only, others where it prints them */

	if (!j->facts.is_64 && !image)
		*shown &= UINT32_MAX;
	*q = (struct tracemill_query){.address = *shown + j->section_address};
	if (!j->facts.is_64)
		*shown &= UINT32_MAX;
	if (!j->section || *shown < j->section_size)
		q->binary = j->binary;
}

struct answers {
	struct job *j;
	struct tracemill_query *queries;
	uint64_t *shown;
	const struct input_line *lines;
	size_t n;
	bool odd;     /* one of the lines is no number */
	bool unknown; /* one of them has no answer */
};

enum { LINES_AT_ONCE = 8192 };

static void addr2line_ask_some(size_t item, unsigned worker, void *arg)
{
	struct answers *a = arg;
	size_t from = item * LINES_AT_ONCE;
	size_t end = from + LINES_AT_ONCE < a->n ? from + LINES_AT_ONCE : a->n;
	bool odd = false;

	(void)worker;
	for (size_t i = from; i < end; i++) {
		odd |= !request_gnu(a->lines[i].s, a->lines[i].n, &a->shown[i]);
		ask(a->j, &a->queries[i], &a->shown[i]);
	}
	if (odd)
		__atomic_store_n(&a->odd, true, __ATOMIC_RELAXED);
}

static void note_odd(const struct input_line *line)
{
	const int n = line->n < 200 ? (int)line->n : 200;

	if (line->n && num_hex_digit(line->s[0]) >= 0 && !memchr(line->s, '+', line->n))
		cli_note(NULL,
			 "'%.*s' begins with a hexadecimal digit, so it was read as an address", n,
			 line->s);
	else
		cli_note(NULL, "'%.*s' is neither an address nor a symbol%s", n, line->s,
			 memmem(line->s, line->n, "+0x", 3)
			     ? "; tm-symbolize --text -e FILE names FILE+0xOFFSET in a log"
			     : "");
}

/* Lines that name symbols, for which the handle is one thread's, and those that are nothing. */
static void ask_odd_ones(struct answers *a)
{
	for (size_t i = 0; i < a->n; i++) {
		uint64_t shown;

		if (request_gnu(a->lines[i].s, a->lines[i].n, &shown))
			continue;
		if (ask_by_name(a->j, &a->lines[i], &a->shown[i])) {
			ask(a->j, &a->queries[i], &a->shown[i]);
		} else if (!a->j->lenient) {
			a->queries[i].binary = NULL;
			cli_status(EXIT_INPUT);
			if (!a->j->odd)
				note_odd(&a->lines[i]);
			a->j->odd = true;
		}
	}
}

static void addr2line_print_some(void *arg, struct buf *b, size_t from, size_t to)
{
	struct tracemill_views v = {.calls = NULL};
	struct answers *a = arg;
	bool known = true;

	for (size_t i = from; i < to; i += TRACEMILL_VIEWS) {
		const struct tracemill_query *q = a->queries + i;
		size_t n = to - i < TRACEMILL_VIEWS ? to - i : TRACEMILL_VIEWS;

		if (tracemill_view(a->j->symbolizer, q, n, &v))
			break;
		for (size_t k = 0; k < n; k++)
			known &= print_gnu(b, a->shown[i + k], !q[k].binary || a->j->facts.is_64,
					   print_viewed(&v, k), &a->j->print);
	}
	tracemill_views_release(&v);
	if (!known)
		__atomic_store_n(&a->unknown, true, __ATOMIC_RELAXED);
}

static bool addr2line_put_out(void *arg, const char *s, size_t n)
{
	(void)arg;
	cli_print(s, n);
	return !ferror(stdout);
}

static void add_text(struct buf *b, const char *text, size_t n)
{
	buf_add(b, text, n);
	cli_flush_if_large(b);
}

static void explain(struct answers *a)
{
	struct tracemill_views v = {.calls = NULL};
	struct buf b = BUF_INIT;
	const char *text;
	size_t n;

	for (size_t i = 0; i < a->n; i++) {
		const struct tracemill_query *q = &a->queries[i];

		if (!q->binary) {
			buf_adds(&b, "address ");
			buf_add_escaped(&b, a->lines[i].s, a->lines[i].n);
			buf_adds(&b, "\n  but: it is none of this file\n");
		} else if (!tracemill_explain(a->j->symbolizer, q, &text, &n)) {
			add_text(&b, text, n);
		}
		a->unknown |= tracemill_view(a->j->symbolizer, q, 1, &v) || !v.first[1];
	}
	cli_print(b.data, b.len);
	buf_release(&b);
	tracemill_views_release(&v);
}

/* Below the image, or above it. */
static void note_outside(struct job *j, const struct answers *a)
{
	char text[160];

	for (size_t i = 0; i < a->n && j->facts.image_end && !j->section; i++)
		if (a->queries[i].binary)
			request_count_above(&j->above, a->queries[i].address, j->facts.image_end);

	for (size_t i = 0; i < a->n && j->facts.image_base && !j->section && !j->below; i++) {
		j->below = a->queries[i].binary &&
			   request_below_base(a->queries[i].address, j->facts.image_base,
					      "add the base to offsets in memory (RVA), as "
					      "tm-llvm-symbolizer --relative-address does",
					      text);
		if (j->below)
			cli_note(j->facts.path, "%s", text);
	}
}

static void note_above_end(const struct job *j)
{
	char text[240];

	if (request_above_end(&j->above, j->facts.image_base, j->facts.image_end, text))
		cli_note(j->facts.path, "%s", text);
}

static void addr2line_answer(void *arg, const struct input_line *lines, size_t n)
{
	struct job *j = arg;
	struct answers a = {.j = j,
			    .queries = pages_array(n, sizeof *a.queries),
			    .shown = pages_array(n, sizeof *a.shown),
			    .lines = lines,
			    .n = n};
	const char *complaint;

	pool_run(j->jobs, (n + LINES_AT_ONCE - 1) / LINES_AT_ONCE, addr2line_ask_some, &a);
	if (a.odd)
		ask_odd_ones(&a);
	note_outside(j, &a);
	if (tracemill_symbolize(j->symbolizer, a.queries, n))
		cli_symbolizer_fail(j->symbolizer, j->facts.path);
	if (j->explain)
		explain(&a);
	else
		print_many(j->jobs, n, addr2line_print_some, addr2line_put_out, &a);
	if (a.unknown && !j->lenient)
		cli_status(EXIT_INCOMPLETE);
	if (tracemill_check_files(j->symbolizer))
		cli_symbolizer_fail(j->symbolizer, j->facts.path);
	while ((complaint = tracemill_next_warning(j->symbolizer)))
		cli_note(NULL, "%s", complaint);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_ARCHIVES);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_CACHE);
	free(a.shown);
	free(a.queries);
}

static bool addr2line_open_all(struct job *j, const char *path, const char *section)
{
	const char *text;
	size_t n;

	j->facts.size = sizeof j->facts;
	if (tracemill_binary_open(j->symbolizer, path, &j->binary) ||
	    tracemill_binary_facts(j->symbolizer, j->binary, &j->facts)) {
		cli_symbolizer_fail(j->symbolizer, path);
		return false;
	}
	j->print.no_discriminators = j->facts.image_base;
	if (*j->facts.complaint)
		cli_note(path, "%s", j->facts.complaint);
	if (j->explain && !tracemill_explain_binary(j->symbolizer, j->binary, &text, &n))
		cli_print(text, n);
	if (!section)
		return true;
	j->section = true;
	if (tracemill_binary_section(j->symbolizer, j->binary, section, &j->section_address,
				     &j->section_size)) {
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
	struct tracemill_options o;
	bool functions = false, ignored;
	int demangling = 0, n, status;
	const struct opt options[] = {
	    ROW_STRING('e', "exe", "FILE", "the binary (a.out)", &exe),
	    ROW_FLAG('f', "functions", "print function names", &functions),
	    ROW_FLAG('i', "inlines", "print inlined calls, too", &j.print.inlines),
	    ROW_OPTIONAL('C', "demangle", "STYLE", "demangle names; none: do not", &demangling,
			 styles, "auto"),
	    ROW_FLAG('p', "pretty-print", "print one line per call", &j.print.pretty),
	    ROW_FLAG('s', "basenames", "print files without folders", &j.print.base_names),
	    ROW_FLAG('a', "addresses", "print each address before its answer", &j.print.addresses),
	    ROW_STRING('j', "section", "NAME", "addresses are offsets in this section", &section),
	    ROW_STRING('b', "target", "NAME", "ignored", &target),
	    ROW_FLAG('r', "no-recurse-limit", "ignored", &ignored),
	    ROW_FLAG('R', "recurse-limit", "ignored", &ignored),
	    ROW_FLAG(0, "no-recursion-limit", NULL, &ignored),
	    ROW_FLAG(0, "recursion-limit", NULL, &ignored),
	    ROW_HEADING("not in GNU addr2line:"),
	    ROW_FLAG(0, "lenient", "status 0 although an address has no answer", &j.lenient),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_EXPLAIN_ROW(binaries),
	    CLI_VERIFY_ROW(binaries),
	    CLI_MANAGED_ROWS(managed),
	    OPT_END,
	};
	const struct opt_program program = {called ? called : "tm-addr2line", "[ADDRESS...]",
					    "Prints the functions, files and lines of addresses.",
					    options};
	const struct opt_style style = {.drop_in = true,
					.prefixes = true,
					.v_is_version = true,
					.usage_status = called ? 1 : 0};

	n = opt_parse_as(&style, &program, argc, argv);
	j.explain = binaries.explain;
	o = cli_symbolizer_options(&binaries, &managed);
	j.print.names = functions ? NAMES_LINKAGE : NAMES_NONE;
	j.print.demangle = demangling != 0;
	if (demangling)
		o.flags |= TRACEMILL_DEMANGLE;
	j.jobs = o.threads = pool_cpus();
	j.symbolizer = cli_symbolizer_new(&o);
	cli_sandbox("tm-addr2line", NULL);
	cli_symbolizer_load(j.symbolizer);
	if (addr2line_open_all(&j, exe, section)) {
		if (!n && is_long())
			tracemill_prefetch(j.symbolizer, j.binary);
		cli_requests(n, argv + 1, addr2line_answer, &j);
		note_above_end(&j);
		cli_verify(j.symbolizer, &binaries);
	}
	cli_symbolizer_report(j.symbolizer, TRACEMILL_TOPIC_SEARCH);
	cli_managed_release(&managed);
	if (MEM_MOVES) /* a checker looks for leaks; else the end of the program is faster at it */
		tracemill_symbolizer_free(j.symbolizer);
	else
		tracemill_symbolizer_exit(j.symbolizer);
	cli_binaries_release(&binaries);
	status = cli_exit();
	return called && status ? 1 : status;
}
