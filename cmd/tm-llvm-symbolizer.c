/* SPDX-License-Identifier: MIT
 *
 * tm-llvm-symbolizer: addresses of any files -> functions, files, lines and columns, as
 * llvm-symbolizer and llvm-addr2line print them.
 */
#include "cmd/tm-llvm-symbolizer/markup.h"
#include "lib/base/id_text.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/cli/args.h"
#include "lib/cli/cli.h"
#include "lib/cli/session.h"
#include "lib/cli/symbolizer.h"
#include "lib/compat/print.h"
#include "lib/compat/request.h"

#include <stdlib.h>
#include <string.h>

enum { STYLE_LLVM, STYLE_GNU, STYLE_JSON };
enum { COLOR_ALWAYS, COLOR_AUTO, COLOR_NEVER };
enum { PATHS_WHOLE, PATHS_BASE, PATHS_RELATIVE };

struct job {
	struct tracemill_symbolizer *symbolizer;
	struct tracemill_views views;
	struct intern paths;          /* of files that were asked for */
	struct print_binary **opened; /* of path i + 1 */
	size_t n_opened, cap_opened;
	struct print_options print;
	const char *file, *build_id; /* of all requests, or NULL */
	struct opt_list modules;     /* NAME=FILE */
	uint64_t adjust;
	int style;
	bool relative;              /* addresses count from the image base of a PE file */
	bool hex, lenient, as_peer; /* as_peer: called by its name, so no notes */
	bool list;                  /* JSON of operands is one array */
	struct buf notes;           /* for when all is answered: a line each */
	/* Of the present batch; their memory is the next one's, too. */
	struct buf out;
	struct asked *asked;
	struct tracemill_query *queries;
	size_t cap_asked, cap_queries;
	struct markup markup;
};

/* The queries that a request takes. A request itself is read from its line again: hundreds of thousands would take more
 * memory than their answers. */
struct asked {
	struct print_binary *binary; /* NULL: not found */
	uint32_t first, n;
};

/* Notes in the middle of another program's report would be taken for a part of it. */
static void note(struct job *j, const char *path, const char *text)
{
	buf_addf(&j->notes, "%s%s%s\n", path, *path ? ": " : "", text);
}

static void report_notes(struct job *j)
{
	const char *line, *end;
	char text[240];

	for (size_t i = 0; i < j->n_opened; i++) {
		const struct print_binary *x = j->opened[i];

		if (request_above_end(&x->above, x->image_base, x->image_end, text))
			note(j, x->path, text);
	}
	line = buf_str(&j->notes);

	for (; !j->as_peer && (end = strchr(line, '\n')); line = end + 1)
		cli_note(NULL, "%.*s", (int)(end - line), line);
	buf_release(&j->notes);
}

/* Libraries in a zip file, as files that a request names. */
static void report_met(struct job *j)
{
	enum tracemill_severity severity;
	const char *text;

	while (
	    (text = tracemill_next_message(j->symbolizer, TRACEMILL_TOPIC_ARCHIVES, &severity))) {
		if (severity == TRACEMILL_NOTE)
			note(j, "", text);
		else if (!j->print.json)
			cli_error(NULL, "%s", text);
		if (severity == TRACEMILL_FAIL && !j->lenient)
			cli_status(EXIT_INPUT);
	}
}

/* The first look at a file, and what there is to say of it. */
static struct print_binary *open_binary(struct job *j, const char *path)
{
	struct print_binary *x = mem_zalloc(sizeof *x);
	struct tracemill_binary_facts facts = {.size = sizeof facts};

	x->path = path;
	x->why = "";
	if (tracemill_binary_open(j->symbolizer, path, &x->binary)) {
		x->why = mem_strdup(tracemill_error(j->symbolizer));
		if (!j->print.json)
			cli_error(path, "%s", x->why);
		if (!j->lenient)
			cli_status(EXIT_INPUT);
	} else if (!tracemill_binary_facts(j->symbolizer, x->binary, &facts)) {
		x->image_base = facts.image_base;
		x->image_end = facts.image_end;
		if (!facts.is_zip && *facts.complaint)
			note(j, path, facts.complaint);
	}
	return x;
}

static struct print_binary *binary_at(struct job *j, const char *path, size_t n)
{
	uint32_t id = intern_add(&j->paths, path, n);

	while (j->n_opened < id) {
		struct print_binary *x = open_binary(
		    j, mem_strdup(intern_text(&j->paths, (uint32_t)j->n_opened + 1, NULL)));

		VEC_PUSH(j->opened, j->n_opened, j->cap_opened) = x;
	}
	return j->opened[id - 1];
}

/* A GUID and an age, as symbol servers spell them, have a length that no build-id has. Of others an odd first digit is a
 * byte of its own. */
static enum tracemill_status find_by_id(struct job *j, const char *s, size_t n,
					struct tracemill_binary **binary)
{
	uint8_t id[64];
	size_t length = 0;
	unsigned byte = 0;

	if (n > 32 && n < 40)
		length = id_text_read(true, s, n, id, sizeof id);
	for (size_t i = length ? n : 0; i < n && length < sizeof id; i++) {
		byte = (byte << 4 | (unsigned)num_hex_digit(s[i])) & 0xff;
		if ((n - i) % 2)
			id[length++] = (uint8_t)byte;
	}
	return tracemill_binary_by_id(j->symbolizer, id, length, binary);
}

static struct print_binary *binary_by_id(struct job *j, const char *s, size_t n)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};
	struct tracemill_binary *binary;
	enum tracemill_status st = find_by_id(j, s, n, &binary);

	if (!st && !tracemill_binary_facts(j->symbolizer, binary, &facts))
		return binary_at(j, facts.path, strlen(facts.path));
	if (st == TRACEMILL_NOTHING)
		cli_error(NULL, "'%.*s': could not find build ID", (int)n, s);
	else if (!j->print.json)
		cli_error(NULL, "%s", tracemill_error(j->symbolizer));
	if (!j->lenient)
		cli_status(EXIT_INPUT);
	return NULL;
}

static struct print_binary *binary_of(struct job *j, const struct compat_request *r)
{
	const char *path;
	size_t n = r->n_file;

	if (r->kind == REQUEST_BAD)
		return NULL;
	if (r->build_id)
		return binary_by_id(j, r->file, r->n_file);
	if (r->file) {
		path = cli_module_path(&j->modules, r->file, &n);
		return binary_at(j, path, n);
	}
	if (j->build_id)
		return binary_by_id(j, j->build_id, strlen(j->build_id));
	return j->file ? binary_at(j, j->file, strlen(j->file)) : NULL;
}

static void release_binaries(struct job *j)
{
	for (size_t i = 0; i < j->n_opened; i++) {
		if (*j->opened[i]->why)
			free((char *)(uintptr_t)j->opened[i]->why);
		free((char *)(uintptr_t)j->opened[i]->path);
		free(j->opened[i]);
	}
	free(j->opened);
	intern_release(&j->paths);
}

/* Where the symbols of the name are; none is one query of no file. */
static void add_symbols(struct job *j, const struct compat_request *r, struct asked *a, size_t *n)
{
	struct tracemill_symbol sym = {.size = sizeof sym};
	struct tracemill_binary *binary = a->binary ? a->binary->binary : NULL;

	while (binary &&
	       !tracemill_symbol_named(j->symbolizer, binary, r->symbol, r->n_symbol, a->n, &sym)) {
		bool within = sym.sized && r->addr < sym.bytes;

		VEC_PUSH(j->queries, *n, j->cap_queries) = (struct tracemill_query){
		    .binary = binary, .address = sym.address + (within ? r->addr : 0)};
		a->n++;
	}
}

static uint64_t image_base(struct job *j, const struct print_binary *x)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};

	if (!x || !x->binary || tracemill_binary_facts(j->symbolizer, x->binary, &facts))
		return 0;
	return facts.image_base;
}

static struct compat_request request_of(const struct job *j, const struct input_line *line)
{
	return request_llvm(line->s, line->n, !j->file && !j->build_id, j->hex);
}

/* Below the image, or above it. */
static void note_outside(struct job *j, struct print_binary *x, uint64_t address)
{
	char text[160];

	if (x && !j->relative)
		request_count_above(&x->above, address, x->image_end);
	if (!x || x->below || j->relative ||
	    !request_below_base(address, x->image_base,
				"with --relative-address, addresses count from the base", text))
		return;
	x->below = true;
	note(j, x->path, text);
}

/* How many queries they take. */
static size_t llvm_symbolizer_read_requests(struct job *j, const struct input_line *lines, size_t n)
{
	size_t n_queries = 0;

	if (n > j->cap_asked)
		j->asked = mem_grow(j->asked, &j->cap_asked, n, sizeof *j->asked);
	if (n > j->cap_queries)
		j->queries = mem_grow(j->queries, &j->cap_queries, n, sizeof *j->queries);
	for (size_t i = 0; i < n; i++) {
		struct compat_request r = request_of(j, &lines[i]);
		struct asked *a = &j->asked[i];

		a->first = (uint32_t)n_queries;
		a->n = 0;
		if (r.why)
			cli_error(NULL, "'%.*s': %s", (int)(r.n_text < 200 ? r.n_text : 200),
				  r.text, r.why);
		a->binary = binary_of(j, &r);
		if (r.kind == REQUEST_CODE && r.symbol)
			add_symbols(j, &r, a, &n_queries);
		if (a->n)
			continue;
		a->n = 1;
		if (r.kind == REQUEST_CODE && !r.symbol)
			note_outside(j, a->binary, r.addr - j->adjust);
		VEC_PUSH(j->queries, n_queries, j->cap_queries) = (struct tracemill_query){
		    .binary = a->binary ? a->binary->binary : NULL,
		    .address = r.addr - j->adjust + (j->relative ? image_base(j, a->binary) : 0)};
	}
	return n_queries;
}

static bool has_answer(struct job *j, const struct compat_request *r,
		       const struct tracemill_query *q)
{
	struct tracemill_symbol symbol = {.size = sizeof symbol};
	const struct tracemill_local *locals;
	struct tracemill_binary *binary = NULL;
	uint64_t address = 0;
	size_t n = 0;

	if (r->kind != REQUEST_DATA && r->kind != REQUEST_FRAME)
		return !tracemill_view(j->symbolizer, q, 1, &j->views) && j->views.first[1];
	if (tracemill_resolved(j->symbolizer, q, &binary, &address) || !binary)
		return false;
	if (r->kind == REQUEST_FRAME)
		return !tracemill_locals(j->symbolizer, binary, address, &locals, &n) && n;
	return !tracemill_symbol_at(j->symbolizer, binary, TRACEMILL_DATA, address, &symbol) &&
	       *symbol.name;
}

/* What the status says, when it is not to be lenient. */
static void judge(struct job *j, const struct compat_request *r, const struct tracemill_query *q)
{
	if (j->lenient || (r->kind == REQUEST_BAD && !r->why))
		return;
	if (r->kind == REQUEST_BAD)
		cli_status(EXIT_INPUT);
	else if (!has_answer(j, r, q))
		cli_status(EXIT_INCOMPLETE);
}

/* A request that is none is answered for the file of all. */
static void name_binary(const struct job *j, struct compat_request *r)
{
	if (r->why && r->build_id)
		r->file = NULL;
	if (r->why && !r->file && j->file) {
		r->file = j->file;
		r->n_file = strlen(j->file);
	}
}

static void llvm_symbolizer_answer(void *arg, const struct input_line *lines, size_t n)
{
	struct job *j = arg;
	size_t n_queries = llvm_symbolizer_read_requests(j, lines, n);
	const struct print_from from = {j->symbolizer, &j->views, &j->print};
	struct buf *out = &j->out, pretty = BUF_INIT;
	const char *complaint;

	out->len = 0;
	if (tracemill_symbolize(j->symbolizer, j->queries, n_queries))
		cli_symbolizer_fail(j->symbolizer, NULL);
	if (j->list)
		buf_addc(out, '[');
	for (size_t i = 0; i < n; i++) {
		const struct asked *a = &j->asked[i];
		struct compat_request r = request_of(j, &lines[i]);

		if (j->list && i)
			buf_addc(out, ',');
		judge(j, &r, &j->queries[a->first]);
		name_binary(j, &r);
		print_llvm(out, &from, a->binary, &j->queries[a->first], a->n, &r);
		if (j->print.json && !j->list)
			buf_addc(out, '\n');
		if (!j->print.pretty)
			cli_flush_if_large(out);
	}
	if (j->list)
		buf_adds(out, "]\n");
	while ((complaint = tracemill_next_warning(j->symbolizer)))
		note(j, "", complaint);
	report_met(j);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_CACHE);
	if (j->print.json && j->print.pretty)
		print_indented(&pretty, out->data, out->len);
	cli_print(pretty.len ? pretty.data : out->data, pretty.len ? pretty.len : out->len);
	if (tracemill_check_files(j->symbolizer))
		cli_symbolizer_fail(j->symbolizer, j->file);
	buf_release(&pretty);
}

static struct tracemill_binary *llvm_symbolizer_markup_file(void *arg, const char *id, size_t n)
{
	struct tracemill_binary *binary;

	return find_by_id(arg, id, n, &binary) ? NULL : binary;
}

/* What has gathered, once it is worth it. */
static void llvm_symbolizer_pour_markup(struct job *j, size_t enough)
{
	struct markup *m = &j->markup;
	const struct print_from from = {j->symbolizer, &j->views, &j->print};
	struct buf out = BUF_INIT;

	if (m->text.len + m->complaints.len + m->n_parts < enough)
		return;
	cli_write_stderr(buf_at(&m->complaints, 0), m->complaints.len);
	if (m->n_queries && tracemill_symbolize(j->symbolizer, m->queries, m->n_queries))
		cli_symbolizer_fail(j->symbolizer, NULL);
	for (size_t i = 0; i <= m->n_parts; i++) {
		markup_print(&out, m, &from, i);
		if (out.len >= enough || i == m->n_parts) {
			cli_print_colored(buf_at(&out, 0), out.len);
			out.len = 0;
		}
	}
	if (tracemill_check_files(j->symbolizer))
		cli_symbolizer_fail(j->symbolizer, NULL);
	buf_release(&out);
	markup_clear(m);
}

static void llvm_symbolizer_filter_lines(void *arg, const struct input_line *lines, size_t n)
{
	struct job *j = arg;

	for (size_t i = 0; i < n; i++) {
		markup_line(&j->markup, lines[i].s, lines[i].n);
		llvm_symbolizer_pour_markup(j, i + 1 < n ? 256 << 10 : 0);
	}
}

static void filter_markup(struct job *j, int color)
{
	const char *term = getenv("TERM");
	bool able = cli_terminal() && term && *term && strcmp(term, "dumb") != 0;

	markup_init(&j->markup, color == COLOR_ALWAYS || (color == COLOR_AUTO && able));
	j->markup.find = llvm_symbolizer_markup_file;
	j->markup.arg = j;
	cli_text_lines(MARKUP_LONGEST, llvm_symbolizer_filter_lines, j);
	markup_end(&j->markup);
	llvm_symbolizer_pour_markup(j, 0);
	if (j->markup.malformed && !j->lenient)
		cli_status(EXIT_INPUT);
	else if (j->markup.unanswered && !j->lenient)
		cli_status(EXIT_INCOMPLETE);
	markup_release(&j->markup);
}

/* As LLVM's, which opens the file of all requests before it reads any: without it none is answered. */
static bool has_file(struct job *j)
{
	const struct print_from from = {j->symbolizer, &j->views, &j->print};
	const struct compat_request none = {
	    .kind = REQUEST_CODE, .file = j->file, .n_file = strlen(j->file)};
	const struct tracemill_query query = {.address = 0};
	const struct print_binary *x = binary_at(j, j->file, strlen(j->file));

	if (x->binary)
		return true;
	cli_status(EXIT_INPUT);
	if (!j->print.json)
		return false;
	print_llvm(&j->out, &from, x, &query, 1, &none);
	buf_addc(&j->out, '\n');
	cli_print(j->out.data, j->out.len);
	return false;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"llvm-addr2line", "llvm-symbolizer", NULL};
	static const char *const styles[] = {"LLVM", "GNU", "JSON", NULL};
	static const char *const kinds[] = {"none", "short", "linkage", NULL};
	const char *called = cli_called(argv[0], names);
	bool gnu = called && !strcmp(called, names[0]), untagged;
	struct job j = {.lenient = called,
			.as_peer = called,
			.hex = gnu,
			.print = {.demangle = !gnu},
			.style = gnu ? STYLE_GNU : STYLE_LLVM};
	struct cli_managed managed = {0};
	struct tracemill_options o;
	const char *arch = NULL;
	struct cli_binaries binaries = {0};
	static const char *const path_kinds[] = {"", "base", "relative", NULL};
	static const char *const colors[] = {"always", "auto", "never", NULL};
	bool filter = false, dia;
	uint64_t cache_size;
	int paths = PATHS_WHOLE, color = COLOR_AUTO;
	struct cli_args args;
	int kind = gnu ? NAMES_NONE : NAMES_LINKAGE, n, status;
	const struct opt options[] = {
	    ROW_STRING('e', "obj", "FILE", "the binary (default: each request begins with one)",
		       &j.file),
	    ROW_STRING(0, "exe", "FILE", NULL, &j.file),
	    ROW_CHOICE(0, "output-style", "STYLE", "LLVM, GNU or JSON", &j.style, styles),
	    ROW_OPTIONAL('f', "functions", "KIND", "function names: none, short or linkage", &kind,
			 kinds, "linkage"),
	    ROW_SWITCH('i', "inlines", "print inlined calls, too", &j.print.inlines),
	    ROW_CLEAR(0, "no-inlines", "print one call only", &j.print.inlines),
	    ROW_SWITCH(0, "inlining", NULL, &j.print.inlines),
	    ROW_SWITCH('C', "demangle", "demangle names", &j.print.demangle),
	    ROW_CLEAR(0, "no-demangle", "print linkage names", &j.print.demangle),
	    ROW_FLAG('p', "pretty-print", "print one line per call", &j.print.pretty),
	    ROW_OPTIONAL('s', "basenames", NULL, "print files without folders", &paths, path_kinds,
			 "base"),
	    ROW_OPTIONAL(0, "relativenames", NULL, "print files without the compilation directory",
			 &paths, path_kinds, "relative"),
	    ROW_FLAG('a', "addresses", "print each address before its answer", &j.print.addresses),
	    ROW_FLAG(0, "print-address", NULL, &j.print.addresses),
	    ROW_FLAG(0, "verbose", "print one row per fact", &j.print.verbose),
	    ROW_NUMBER(0, "print-source-context-lines", "N", "lines of source to print",
		       &j.print.context),
	    ROW_ADDRESS(0, "adjust-vma", "ADDR", "subtract this from every address", &j.adjust,
			NULL),
	    ROW_LIST(0, "debug-file-directory", "DIR", "search DIR for debug files (repeatable)",
		     &binaries.debug_dirs),
	    ROW_LIST(0, "fallback-debug-path", "DIR", NULL, &binaries.debug_dirs),
	    ROW_GROUP("rarely used:"),
	    ROW_FLAG(0, "relative-address", "addresses are offsets from the image base of PE files",
		     &j.relative),
	    ROW_STRING(0, "default-arch", "ARCH",
		       "architecture to read from a universal Mach-O file", &arch),
	    ROW_LIST(0, "dsym-hint", "DIR", "search DIR for .dSYM folders (repeatable)",
		     &binaries.debug_dirs),
	    ROW_STRING(0, "build-id", "ID", "build-id of the binary of all requests", &j.build_id),
	    ROW_STRING(0, "dwp", "FILE", "the .dwp package of split units", &binaries.dwp),
	    ROW_NUMBER(0, "cache-size", "BYTES", "ignored", &cache_size),
	    ROW_OPTIONAL(0, "color", "WHEN", "colours of --filter-markup: always, auto or never",
			 &color, colors, "always"),
	    ROW_FLAG(0, "dia", "ignored", &dia),
	    ROW_FLAG(0, "no-untag-addresses", NULL, &untagged),
	    ROW_FLAG(0, "filter-markup", "replace symbolizer markup in standard input", &filter),
	    ROW_HEADING("not in llvm-symbolizer:"),
	    ROW_FLAG(0, "notes", "more notes, as --verbose elsewhere", &cli_now->verbose),
	    ROW_FLAG(0, "lenient", "status 0 although an address has no answer", &j.lenient),
	    ROW_LIST(0, "module-file", "NAME=FILE", "file for requests that begin with NAME",
		     &j.modules),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_VERIFY_ROW(binaries),
	    CLI_MANAGED_ROWS(managed),
	    ROW_ALIAS("module", "module-file"),
	    OPT_END,
	};
	const struct opt_program program = {
	    called ? called : "tm-llvm-symbolizer", "[[FILE] ADDRESS...]",
	    "Prints the functions, files, lines and columns of addresses.", options};
	const struct opt_style style = {.drop_in = true,
					.dash_words = true,
					.v_is_version = true,
					.usage_status = called ? 1 : 0};

	j.print.inlines = !gnu;
	cli_start(program.name, style.usage_status ? style.usage_status : EXIT_USAGE);
	args_expand(&args, argc, argv, gnu ? "LLVM_ADDR2LINE_OPTS" : "LLVM_SYMBOLIZER_OPTS");
	n = opt_parse_as(&style, &program, args.argc, args.argv);
	if (j.build_id && j.file)
		cli_usage("only one of --build-id and --obj");
	for (size_t i = 0; j.build_id && (!i || j.build_id[i]); i++)
		if (num_hex_digit(j.build_id[i]) < 0)
			cli_usage("--build-id: '%s' is not a build-id", j.build_id);
	binaries.servers_optional = true;
	j.print.base_names = paths == PATHS_BASE;
	cli_check_modules(&j.modules);
	o = cli_symbolizer_options(&binaries, &managed);
	o.arch = arch;
	o.flags |= TRACEMILL_DWARF_NAMES | TRACEMILL_DETAILS | TRACEMILL_LLVM_SPELLING;
	if (j.print.demangle)
		o.flags |= TRACEMILL_DEMANGLE;
	if (paths == PATHS_RELATIVE)
		o.flags |= TRACEMILL_RELATIVE;
	if (j.print.context > 10000)
		cli_usage("--print-source-context-lines: at most 10000");
	j.print.names = (uint8_t)kind;
	j.print.columns = j.style == STYLE_LLVM;
	j.print.json = j.style == STYLE_JSON;
	j.print.mixed = !j.print.inlines && j.style != STYLE_GNU;
	if (j.print.verbose || j.style != STYLE_LLVM || kind == NAMES_SHORT ||
	    paths == PATHS_RELATIVE)
		o.flags |= TRACEMILL_DECLARED;
	j.list = n && j.print.json;
	j.symbolizer = cli_symbolizer_new(&o);
	cli_sandbox("tm-llvm-symbolizer", NULL);
	cli_symbolizer_load(j.symbolizer);
	if (filter)
		filter_markup(&j, color);
	else if (!j.file || has_file(&j))
		cli_requests(n, args.argv + 1, llvm_symbolizer_answer, &j);
	report_notes(&j);
	cli_verify(j.symbolizer, &binaries);
	if (!called)
		cli_symbolizer_report(j.symbolizer, TRACEMILL_TOPIC_SEARCH);
	cli_managed_release(&managed);
	tracemill_views_release(&j.views);
	buf_release(&j.out);
	free(j.asked);
	free(j.queries);
	tracemill_symbolizer_free(j.symbolizer);
	release_binaries(&j);
	cli_binaries_release(&binaries);
	opt_list_release(&j.modules);
	args_release(&args);
	status = cli_exit();
	return called && status ? 1 : status;
}
