/* SPDX-License-Identifier: MIT
 *
 * tm-atos: addresses of one image -> symbols, as macOS's atos prints them.
 */
#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/cli/symbolizer.h"
#include "lib/compat/print.h"
#include "lib/compat/request.h"

#include <stdlib.h>
#include <string.h>

struct job {
	struct tracemill_symbolizer *symbolizer;
	struct tracemill_binary *binary;
	struct tracemill_binary_facts facts;
	struct print_options print;
	uint64_t minus, plus;
	bool lenient;
};

/* Addresses of all lines; several in a line are separated by blanks. */
static struct input_line *split(const struct input_line *lines, size_t n, size_t *n_words)
{
	static const char blanks[] = " \t\r";
	struct input_line *words = NULL;
	size_t cap = 0;

	*n_words = 0;
	for (size_t i = 0; i < n; i++)
		for (const char *s = lines[i].s; *(s += strspn(s, blanks)); s += strcspn(s, blanks))
			VEC_PUSH(words, *n_words, cap) = (struct input_line){s, strcspn(s, blanks)};
	return words;
}

static void atos_print(struct job *j, struct buf *out, const struct input_line *words,
		       const struct tracemill_query *queries, const uint64_t *shown, size_t n)
{
	struct tracemill_views v = {.calls = NULL};
	const struct print_from from = {j->symbolizer, &v, &j->print};

	for (size_t i = 0; i < n; i++) {
		struct print_answer a = {.n = 0};

		if (!tracemill_view(j->symbolizer, &queries[i], 1, &v))
			a = print_viewed(&v, 0);
		if (queries[i].binary) {
			print_atos(out, &from, &queries[i], shown[i], a);
		} else {
			buf_add(out, words[i].s, words[i].n);
			buf_addc(out, '\n');
		}
		if (!a.n && !j->lenient)
			cli_status(queries[i].binary ? EXIT_INCOMPLETE : EXIT_INPUT);
	}
	tracemill_views_release(&v);
}

static void atos_answer(void *arg, const struct input_line *lines, size_t n_lines)
{
	struct job *j = arg;
	size_t n;
	struct input_line *words = split(lines, n_lines, &n);
	struct tracemill_query *queries = mem_zarray(n, sizeof *queries);
	uint64_t *shown = mem_array(n, sizeof *shown);
	struct buf out = BUF_INIT;
	const char *complaint;

	for (size_t i = 0; i < n; i++)
		if (request_atos(words[i].s, words[i].n, &shown[i]))
			queries[i] = (struct tracemill_query){
			    .binary = j->binary, .address = shown[i] - j->minus + j->plus};
	if (tracemill_symbolize(j->symbolizer, queries, n))
		cli_symbolizer_fail(j->symbolizer, j->facts.path);
	atos_print(j, &out, words, queries, shown, n);
	while ((complaint = tracemill_next_warning(j->symbolizer)))
		cli_note(NULL, "%s", complaint);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_ARCHIVES);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_CACHE);
	cli_print(out.data, out.len);
	if (tracemill_check_files(j->symbolizer))
		cli_symbolizer_fail(j->symbolizer, j->facts.path);
	buf_release(&out);
	free(shown);
	free(queries);
	free(words);
}

static bool atos_open_image(struct job *j, const char *path, const char *arch)
{
	const char *machine;

	j->facts.size = sizeof j->facts;
	if (tracemill_binary_open(j->symbolizer, path, &j->binary) ||
	    tracemill_binary_facts(j->symbolizer, j->binary, &j->facts)) {
		cli_symbolizer_fail(j->symbolizer, path);
		return false;
	}
	if (*j->facts.complaint)
		cli_note(path, "%s", j->facts.complaint);
	machine = j->facts.machine;
	if (arch && strncmp(arch, machine, strlen(machine)) != 0) {
		cli_error(path, "is for %s, not for %s", *machine ? machine : "another machine",
			  arch);
		cli_status(EXIT_INPUT);
		return false;
	}
	return true;
}

/* Hexadecimal whether 0x is there or not. */
static uint64_t address(const char *option, const char *text)
{
	uint64_t v;

	if (!request_gnu(text, strlen(text), &v))
		cli_usage("--%s: '%s' is not a number", option, text);
	return v;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"atos", NULL};
	const char *called = cli_called(argv[0], names), *load = NULL, *slide = NULL;
	const char *binary = NULL, *arch = NULL, *file = NULL, *process = NULL, *code = NULL;
	struct job j = {.lenient = called, .print = {.names = NAMES_LINKAGE, .delimiter = "\n"}};
	struct cli_managed managed = {0};
	struct cli_binaries binaries = {0};
	struct tracemill_options o;
	bool full_path = false, offset = false, code_slide = false, header;
	int n, status;
	const struct opt options[] = {
	    ROW_STRING('o', "binary", "FILE", "the image to read", &binary),
	    ROW_STRING(0, "arch", "ARCH", "architecture of the image, such as x86_64 or arm64",
		       &arch),
	    ROW_STRING('l', "load-address", "ADDR",
		       "address at which the image was loaded, hexadecimal", &load),
	    ROW_STRING('s', "slide", "ADDR", "load address minus link-time address, hexadecimal",
		       &slide),
	    ROW_STRING(0, "textExecAddress", "ADDR",
		       "load address of the image's code segment, hexadecimal", &code),
	    ROW_FLAG(0, "textExecSlide",
		     "with -s: the slide is that of the code segment; changes nothing",
		     &code_slide),
	    ROW_FLAG(0, "offset", "addresses are offsets in the image", &offset),
	    ROW_FLAG('i', "inlineFrames", "print inlined calls, too", &j.print.inlines),
	    ROW_STRING('d', "delimiter", "TEXT",
		       "text between the calls of -i (default: a newline)", &j.print.delimiter),
	    ROW_FLAG(0, "fullPath", "print files with folders", &full_path),
	    ROW_STRING('f', "file", "FILE", "read addresses from FILE", &file),
	    ROW_FLAG(0, "printHeader", "ignored: the header names a process", &header),
	    ROW_STRING('p', "process", "PID", "refused: tm-atos reads no process", &process),
	    ROW_HEADING("not in atos:"),
	    ROW_FLAG(0, "lenient", "status 0 although an address has no answer", &j.lenient),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_VERIFY_ROW(binaries),
	    CLI_MANAGED_ROWS(managed),
	    OPT_END,
	};
	const struct opt_program program = {called ? called : "tm-atos", "[ADDRESS...]",
					    "Prints the symbols of addresses.", options};
	const struct opt_style style = {
	    .drop_in = true, .dash_words = true, .usage_status = called ? 1 : 0};

	n = opt_parse_as(&style, &program, argc, argv);
	if (process)
		cli_usage("-p: tm-atos cannot read a running process: give its image with -o and "
			  "its place with -l or -s");
	if (!binary)
		cli_usage("no image: -o FILE is missing");
	if ((load != NULL) + (slide != NULL) + (code != NULL) + offset > 1)
		cli_usage("only one of -l, -s, -textExecAddress and -offset");
	if (code_slide && !slide)
		cli_usage("-textExecSlide needs -s");
	o = cli_symbolizer_options(&binaries, &managed);
	o.flags |= TRACEMILL_DEMANGLE;
	o.arch = arch;
	j.minus = load    ? address("load-address", load)
		  : slide ? address("slide", slide)
		  : code  ? address("textExecAddress", code)
			  : 0;
	j.print.demangle = true;
	j.print.base_names = !full_path;
	j.symbolizer = cli_symbolizer_new(&o);
	cli_sandbox("tm-atos", NULL);
	cli_symbolizer_load(j.symbolizer);
	if (atos_open_image(&j, binary, arch)) {
		j.plus = load || offset ? j.facts.base : code ? j.facts.code_base : 0;
		if (file)
			cli_request_lines(file, atos_answer, &j);
		if (!file || n)
			cli_requests(n, argv + 1, atos_answer, &j);
		cli_verify(j.symbolizer, &binaries);
	}
	cli_symbolizer_report(j.symbolizer, TRACEMILL_TOPIC_SEARCH);
	cli_managed_release(&managed);
	tracemill_symbolizer_free(j.symbolizer);
	cli_binaries_release(&binaries);
	status = cli_exit();
	return called && status ? 1 : status;
}
