/* SPDX-License-Identifier: MIT
 *
 * tm-atos: addresses of one image -> symbols, as macOS's atos prints them.
 */
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/cli/binaries.h"
#include "lib/cli/cli.h"
#include "lib/cli/managed.h"
#include "lib/compat/print.h"
#include "lib/compat/request.h"

#include <stdlib.h>
#include <string.h>

struct job {
	struct lookup lookup;
	struct lookup_file *file;
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

static void atos_answer(void *arg, const struct input_line *lines, size_t n_lines)
{
	struct job *j = arg;
	size_t n;
	struct input_line *words = split(lines, n_lines, &n);
	struct lookup_query *queries = mem_zarray(n, sizeof *queries);
	uint64_t *shown = mem_array(n, sizeof *shown);
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;
	const char *complaint;

	for (size_t i = 0; i < n; i++)
		if (request_atos(words[i].s, words[i].n, &shown[i])) {
			queries[i].file = j->file;
			queries[i].addr = shown[i] - j->minus + j->plus;
		}
	if (lookup_run(&j->lookup, queries, n, &e))
		cli_fail(j->file->path, &e);
	for (size_t i = 0; i < n; i++) {
		if (queries[i].file) {
			print_atos(&out, &j->lookup, &queries[i], shown[i], &j->print);
		} else {
			buf_add(&out, words[i].s, words[i].n);
			buf_addc(&out, '\n');
		}
		if (!queries[i].named.call && !j->lenient)
			cli_status(queries[i].file ? EXIT_INCOMPLETE : EXIT_INPUT);
	}
	while ((complaint = lookup_complaint(&j->lookup)))
		cli_note(NULL, "%s", complaint);
	while ((complaint = cache_told(&j->lookup.cache)))
		cli_info(NULL, "%s", complaint);
	cli_print(out.data, out.len);
	if (lookup_intact(&j->lookup, &e))
		cli_fail(j->file->path, &e);
	buf_release(&out);
	free(shown);
	free(queries);
	free(words);
}

static bool atos_open_image(struct job *j, const char *path, const char *arch)
{
	const char *machine;

	j->file = lookup_file(&j->lookup, path, strlen(path));
	if (!lookup_usable(j->file)) {
		cli_fail(path, &j->file->e);
		return false;
	}
	if (j->file->e.msg[0])
		cli_note(path, "%s", j->file->e.msg);
	machine = lookup_machine(j->file);
	if (arch && strncmp(arch, machine, strlen(machine)) != 0) {
		cli_error(path, "is for %s, not for %s", *machine ? machine : "another machine",
			  arch);
		cli_status(EXIT_INPUT);
		return false;
	}
	return true;
}

/* The lowest link-time address of code: of a kernel's __TEXT_EXEC, of others' __TEXT. */
static uint64_t code_base(const struct lookup_file *f)
{
	size_t n = 0;
	const struct object_segment *s = f->object ? object_segments(f->object, &n) : NULL;
	uint64_t base = UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (s[i].executable && s[i].vaddr < base)
			base = s[i].vaddr;
	return base == UINT64_MAX ? lookup_base(f) : base;
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
	struct lookup_options o = {.dwarf = {.jobs = pool_cpus()}, .demangle = true};
	bool full_path = false, offset = false, code_slide = false, header;
	int n, status;
	const struct opt options[] = {
	    ROW_STRING('o', "binary", "FILE", "the image", &binary),
	    ROW_STRING(0, "arch", "ARCH", "what the image must be for, as x86_64 or arm64", &arch),
	    ROW_STRING('l', "load-address", "ADDR", "where the image was loaded; hexadecimal",
		       &load),
	    ROW_STRING('s', "slide", "ADDR", "load address minus link-time address; hexadecimal",
		       &slide),
	    ROW_STRING(0, "textExecAddress", "ADDR",
		       "where its segment with code was loaded; hexadecimal", &code),
	    ROW_FLAG(0, "textExecSlide", "-s is that of the segment with code", &code_slide),
	    ROW_FLAG(0, "offset", "addresses are offsets in the image", &offset),
	    ROW_FLAG('i', "inlineFrames", "calls that were inlined there too", &j.print.inlines),
	    ROW_STRING('d', "delimiter", "TEXT", "between the calls of -i (a line end)",
		       &j.print.delimiter),
	    ROW_FLAG(0, "fullPath", "files with folders", &full_path),
	    ROW_STRING('f', "file", "FILE", "read addresses from there", &file),
	    ROW_FLAG(0, "printHeader", "ignored: a process is named in it", &header),
	    ROW_STRING('p', "process", "PID", "refused: no process is asked", &process),
	    ROW_HEADING("not in atos:"),
	    ROW_FLAG(0, "lenient", "status 0 for what has no answer", &j.lenient),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_MANAGED_ROWS(managed),
	    OPT_END,
	};
	const struct opt_program program = {called ? called : "tm-atos", "[ADDRESS...]",
					    "Prints symbols of addresses.", options};
	const struct opt_style style = {
	    .drop_in = true, .dash_words = true, .usage_status = called ? 1 : 0};

	n = opt_parse_as(&style, &program, argc, argv);
	if (process)
		cli_usage("-p: a running process cannot be asked; -o names its image, -l or -s "
			  "where it is");
	if (!binary)
		cli_usage("-o is needed: the image");
	if ((load != NULL) + (slide != NULL) + (code != NULL) + offset > 1)
		cli_usage("only one of -l, -s, -textExecAddress and -offset");
	if (code_slide && !slide)
		cli_usage("-textExecSlide is of -s");
	cli_binaries_done(&binaries);
	o.engine = binaries.engine;
	o.cache = binaries.cache;
	o.search = binaries.search.object;
	j.minus = load    ? address("load-address", load)
		  : slide ? address("slide", slide)
		  : code  ? address("textExecAddress", code)
			  : 0;
	j.print.demangle = o.demangle;
	j.print.base_names = !full_path;
	o.managed = cli_managed_done(&managed);
	o.managed.names = cli_managed_given(&managed);
	o.arch = arch;
	cli_sandbox("tm-atos", NULL);
	lookup_init(&j.lookup, &o);
	cli_managed_load(&j.lookup.managed);
	if (atos_open_image(&j, binary, arch)) {
		j.plus = load || offset ? lookup_base(j.file) : code ? code_base(j.file) : 0;
		if (file)
			cli_request_lines(file, atos_answer, &j);
		if (!file || n)
			cli_requests(n, argv + 1, atos_answer, &j);
	}
	cli_binaries_tell(&binaries);
	cli_managed_release(&managed);
	lookup_release(&j.lookup);
	cli_binaries_release(&binaries);
	status = cli_exit();
	return called && status ? 1 : status;
}
