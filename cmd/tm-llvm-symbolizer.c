/* SPDX-License-Identifier: MIT
 *
 * tm-llvm-symbolizer: addresses of any files -> functions, files, lines and columns, as
 * llvm-symbolizer and llvm-addr2line print them.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/pool.h"
#include "lib/cli/args.h"
#include "lib/cli/binaries.h"
#include "lib/cli/cli.h"
#include "lib/cli/managed.h"
#include "lib/compat/markup.h"
#include "lib/compat/print.h"
#include "lib/compat/request.h"
#include "lib/demangle/demangle_llvm.h"

#include <stdlib.h>
#include <string.h>

enum { STYLE_LLVM, STYLE_GNU, STYLE_JSON };
enum { COLOR_ALWAYS, COLOR_AUTO, COLOR_NEVER };
enum { PATHS_WHOLE, PATHS_BASE, PATHS_RELATIVE };

struct job {
	struct lookup lookup;
	struct print_options print;
	const char *file, *build_id; /* of all requests, or NULL */
	struct opt_list modules;     /* NAME=FILE */
	uint64_t adjust;
	int style;
	bool hex, lenient, as_peer; /* as_peer: called by its name, so no notes */
	bool list;                  /* JSON of operands is one array */
	uint32_t told;              /* files up to this one have been complained about */
	struct buf notes;           /* for when all is answered: a line each */
	struct markup markup;
};

/* One request and the queries that it takes. */
struct asked {
	struct compat_request r;
	size_t first, n;
};

/* Notes in the middle of another program's report would be taken for a part of it. */
static void note(struct job *j, const char *path, const char *text)
{
	buf_addf(&j->notes, "%s%s%s\n", path, *path ? ": " : "", text);
}

static void tell_notes(struct job *j)
{
	const char *line = buf_str(&j->notes), *end;

	for (; !j->as_peer && (end = strchr(line, '\n')); line = end + 1)
		cli_note(NULL, "%.*s", (int)(end - line), line);
	buf_release(&j->notes);
}

/* An odd first digit is a byte of its own. */
static struct lookup_file *find_by_id(struct lookup *l, const char *s, size_t n)
{
	struct object_build_id id = {.len = 0};
	unsigned byte = 0;

	for (size_t i = 0; i < n && id.len < OBJECT_BUILD_ID_MAX; i++) {
		byte = (byte << 4 | (unsigned)num_hex_digit(s[i])) & 0xff;
		if ((n - i) % 2)
			id.bytes[id.len++] = (uint8_t)byte;
	}
	return lookup_file_by_id(l, &id);
}

static struct lookup_file *file_by_id(struct job *j, const char *s, size_t n)
{
	struct lookup_file *f = find_by_id(&j->lookup, s, n);

	if (!f) {
		cli_error(NULL, "'%.*s': could not find build ID", (int)n, s);
		if (!j->lenient)
			cli_status(EXIT_INPUT);
	}
	return f;
}

static struct lookup_file *file_of(struct job *j, const struct compat_request *r)
{
	if (r->kind == REQUEST_BAD)
		return NULL;
	if (r->build_id)
		return file_by_id(j, r->file, r->n_file);
	if (r->file)
		return cli_module_file(&j->lookup, &j->modules, r->file, r->n_file);
	if (j->build_id)
		return file_by_id(j, j->build_id, strlen(j->build_id));
	return j->file ? lookup_file(&j->lookup, j->file, strlen(j->file)) : NULL;
}

/* Where the symbols of the name are; none is one query of no file. */
static void add_symbols(struct lookup_query **queries, size_t *cap, struct asked *a, size_t *n,
			struct lookup_file *f)
{
	const struct object_symbol *sym;

	while (f && f->object &&
	       (sym = object_any_symbol_named(f->object, a->r.symbol, a->r.n_symbol, a->n))) {
		bool within = sym->sized && a->r.addr < sym->hi - sym->lo;

		VEC_PUSH(*queries, *n, *cap) =
		    (struct lookup_query){.file = f, .addr = sym->lo + (within ? a->r.addr : 0)};
		a->n++;
	}
}

static struct lookup_query *llvm_symbolizer_read_requests(struct job *j,
							  const struct input_line *lines, size_t n,
							  struct asked *asked, size_t *n_queries)
{
	struct lookup_query *queries = NULL;
	size_t cap = 0;

	*n_queries = 0;
	for (size_t i = 0; i < n; i++) {
		struct asked *a = &asked[i];
		struct lookup_file *f;

		a->r = request_llvm(lines[i].s, lines[i].n, !j->file && !j->build_id, j->hex);
		a->first = *n_queries;
		a->n = 0;
		if (a->r.why)
			cli_error(NULL, "'%.*s': %s", (int)(a->r.n_text < 200 ? a->r.n_text : 200),
				  a->r.text, a->r.why);
		f = file_of(j, &a->r);
		if (a->r.why && a->r.build_id)
			a->r.file = NULL;
		if (a->r.why && !a->r.file && j->file) {
			a->r.file = j->file;
			a->r.n_file = strlen(j->file);
		}
		if (a->r.kind == REQUEST_CODE && a->r.symbol)
			add_symbols(&queries, &cap, a, n_queries, f);
		if (a->n)
			continue;
		a->n = 1;
		VEC_PUSH(queries, *n_queries, cap) =
		    (struct lookup_query){.file = f, .addr = a->r.addr - j->adjust};
	}
	return queries;
}

static void tell_files(struct job *j)
{
	for (; j->told < j->lookup.n_files; j->told++) {
		const struct lookup_file *f = j->lookup.files[j->told];

		if (f->object && f->e.msg[0])
			note(j, f->path, f->e.msg);
		else if (!lookup_usable(f) && !j->print.json)
			cli_error(f->path, "%s", f->e.msg);
		if (!lookup_usable(f) && !j->lenient)
			cli_status(EXIT_INPUT);
	}
}

static bool has_answer(const struct asked *a, const struct lookup_query *q)
{
	size_t n;

	switch (a->r.kind) {
	case REQUEST_DATA: return lookup_global(q).symbol;
	case REQUEST_FRAME: return lookup_locals(q, &n);
	default: return q->named.call;
	}
}

/* What the status says, when it is not to be lenient. */
static void judge(struct job *j, const struct asked *a, const struct lookup_query *q)
{
	if (j->lenient || (a->r.kind == REQUEST_BAD && !a->r.why))
		return;
	if (a->r.kind == REQUEST_BAD)
		cli_status(EXIT_INPUT);
	else if (!has_answer(a, q))
		cli_status(EXIT_INCOMPLETE);
}

static void llvm_symbolizer_answer(void *arg, const struct input_line *lines, size_t n)
{
	struct job *j = arg;
	struct asked *asked = mem_array(n, sizeof *asked);
	size_t n_queries;
	struct lookup_query *queries =
	    llvm_symbolizer_read_requests(j, lines, n, asked, &n_queries);
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT, pretty = BUF_INIT;
	const char *complaint;

	tell_files(j);
	if (lookup_run(&j->lookup, queries, n_queries, &e))
		cli_fail(NULL, &e);
	if (j->list)
		buf_addc(&out, '[');
	for (size_t i = 0; i < n; i++) {
		const struct asked *a = &asked[i];

		if (j->list && i)
			buf_addc(&out, ',');
		judge(j, a, &queries[a->first]);
		print_llvm(&out, &j->lookup, &queries[a->first], a->n, &a->r, &j->print);
		if (j->print.json && !j->list)
			buf_addc(&out, '\n');
		if (!j->print.pretty)
			cli_pour(&out);
	}
	if (j->list)
		buf_adds(&out, "]\n");
	while ((complaint = lookup_complaint(&j->lookup)))
		note(j, "", complaint);
	while ((complaint = cache_told(&j->lookup.cache)))
		cli_info(NULL, "%s", complaint);
	if (j->print.json && j->print.pretty)
		print_indented(&pretty, out.data, out.len);
	cli_print(pretty.len ? pretty.data : out.data, pretty.len ? pretty.len : out.len);
	if (lookup_intact(&j->lookup, &e))
		cli_fail(j->file, &e);
	buf_release(&pretty);
	buf_release(&out);
	free(asked);
	free(queries);
}

static struct lookup_file *llvm_symbolizer_markup_file(void *arg, const char *id, size_t n)
{
	struct lookup_file *f = find_by_id(arg, id, n);

	return f && lookup_usable(f) ? f : NULL;
}

/* What has gathered, once it is worth it. */
static void llvm_symbolizer_pour_markup(struct job *j, size_t enough)
{
	struct markup *m = &j->markup;
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;

	if (m->text.len + m->complaints.len + m->n_parts < enough)
		return;
	cli_tell(buf_at(&m->complaints, 0), m->complaints.len);
	if (m->n_queries && lookup_run(&j->lookup, m->queries, m->n_queries, &e))
		cli_fail(NULL, &e);
	for (size_t i = 0; i <= m->n_parts; i++) {
		markup_print(&out, m, &j->lookup, i, &j->print);
		if (out.len >= enough || i == m->n_parts) {
			cli_print_colored(buf_at(&out, 0), out.len);
			out.len = 0;
		}
	}
	if (lookup_intact(&j->lookup, &e))
		cli_fail(NULL, &e);
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
	j->markup.arg = &j->lookup;
	cli_text_lines(MARKUP_LONGEST, llvm_symbolizer_filter_lines, j);
	markup_end(&j->markup);
	llvm_symbolizer_pour_markup(j, 0);
	if (j->markup.malformed && !j->lenient)
		cli_status(EXIT_INPUT);
	else if (j->markup.unanswered && !j->lenient)
		cli_status(EXIT_INCOMPLETE);
	markup_release(&j->markup);
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
			.style = gnu ? STYLE_GNU : STYLE_LLVM};
	struct cli_managed managed = {0};
	struct lookup_options o = {.dwarf = {.jobs = pool_cpus()},
				   .demangle = !gnu,
				   .demangler = demangle_llvm,
				   .dwarf_names = true};
	struct cli_binaries binaries = {0};
	static const char *const path_kinds[] = {"", "base", "relative", NULL};
	static const char *const colors[] = {"always", "auto", "never", NULL};
	bool filter = false, dia;
	uint64_t cache_size;
	int paths = PATHS_WHOLE, color = COLOR_AUTO;
	struct cli_args args;
	int kind = gnu ? NAMES_NONE : NAMES_LINKAGE, n, status;
	const struct opt options[] = {
	    ROW_STRING('e', "obj", "FILE", "the binary; without it each request begins with one",
		       &j.file),
	    ROW_STRING(0, "exe", "FILE", NULL, &j.file),
	    ROW_CHOICE(0, "output-style", "STYLE", "LLVM, GNU or JSON", &j.style, styles),
	    ROW_OPTIONAL('f', "functions", "KIND", "names: none, short or linkage", &kind, kinds,
			 "linkage"),
	    ROW_SWITCH('i', "inlines", "calls that were inlined there too", &j.print.inlines),
	    ROW_CLEAR(0, "no-inlines", "only one call", &j.print.inlines),
	    ROW_SWITCH(0, "inlining", NULL, &j.print.inlines),
	    ROW_SWITCH('C', "demangle", "demangle names", &o.demangle),
	    ROW_CLEAR(0, "no-demangle", "raw names", &o.demangle),
	    ROW_FLAG('p', "pretty-print", "one line per call", &j.print.pretty),
	    ROW_OPTIONAL('s', "basenames", NULL, "files without folders", &paths, path_kinds,
			 "base"),
	    ROW_OPTIONAL(0, "relativenames", NULL, "files without the compilation directory",
			 &paths, path_kinds, "relative"),
	    ROW_FLAG('a', "addresses", "the address before its answer", &j.print.addresses),
	    ROW_FLAG(0, "print-address", NULL, &j.print.addresses),
	    ROW_FLAG(0, "verbose", "a row for each fact", &j.print.verbose),
	    ROW_NUMBER(0, "print-source-context-lines", "N", "lines of the source, if it is there",
		       &j.print.context),
	    ROW_ADDRESS(0, "adjust-vma", "ADDR", "take this from every address", &j.adjust, NULL),
	    ROW_LIST(0, "debug-file-directory", "DIR", "where debug files are; again for more",
		     &binaries.debug_dirs),
	    ROW_LIST(0, "fallback-debug-path", "DIR", NULL, &binaries.debug_dirs),
	    ROW_FLAG(0, "relative-address", NULL, &untagged), /* PE's */
	    ROW_FLAG(0, "no-untag-addresses", NULL, &untagged),
	    ROW_GROUP("less often:"),
	    ROW_STRING(0, "default-arch", "ARCH", "of a universal Mach-O file this part", &o.arch),
	    ROW_LIST(0, "dsym-hint", "DIR", "where the .dSYM of Mach-O files are; again for more",
		     &binaries.debug_dirs),
	    ROW_STRING(0, "build-id", "ID", "the binary of all requests, by its build-id",
		       &j.build_id),
	    ROW_STRING(0, "dwp", "FILE", "the package of split units", &binaries.dwp),
	    ROW_NUMBER(0, "cache-size", "BYTES", "ignored", &cache_size),
	    ROW_OPTIONAL(0, "color", "WHEN", "of --filter-markup: always, auto or never", &color,
			 colors, "always"),
	    ROW_FLAG(0, "dia", "ignored", &dia),
	    ROW_FLAG(0, "filter-markup", "replace symbolizer markup in the text of standard input",
		     &filter),
	    ROW_HEADING("not in llvm-symbolizer:"),
	    ROW_FLAG(0, "notes", "more notes, as the others' --verbose", &cli_verbose),
	    ROW_FLAG(0, "lenient", "status 0 for what has no answer", &j.lenient),
	    ROW_LIST(0, "module-file", "NAME=FILE", "the file for requests that begin with NAME",
		     &j.modules),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_MANAGED_ROWS(managed),
	    ROW_OLD("module", "module-file"),
	    OPT_END,
	};
	const struct opt_program program = {called ? called : "tm-llvm-symbolizer",
					    "[[FILE] ADDRESS...]",
					    "Prints functions, files, lines and columns.", options};
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
			cli_usage("--build-id: '%s' is none", j.build_id);
	binaries.servers_optional = true;
	j.print.base_names = paths == PATHS_BASE;
	o.dwarf.relative = paths == PATHS_RELATIVE;
	cli_check_modules(&j.modules);
	cli_binaries_done(&binaries);
	o.engine = binaries.engine;
	o.cache = binaries.cache;
	o.search = binaries.search.object;
	if (j.print.context > 10000)
		cli_usage("--print-source-context-lines: at most 10000");
	j.print.names = (uint8_t)kind;
	j.print.demangle = o.demangle;
	j.print.columns = j.style == STYLE_LLVM;
	j.print.json = j.style == STYLE_JSON;
	j.print.mixed = !j.print.inlines && j.style != STYLE_GNU;
	o.dwarf.extras =
	    j.print.verbose || j.style != STYLE_LLVM || kind == NAMES_SHORT || o.dwarf.relative;
	j.list = n && j.print.json;
	o.managed = cli_managed_done(&managed);
	o.managed.names = cli_managed_given(&managed);
	cli_sandbox("tm-llvm-symbolizer", NULL);
	lookup_init(&j.lookup, &o);
	cli_managed_load(&j.lookup.managed);
	if (filter)
		filter_markup(&j, color);
	else
		cli_requests(n, args.argv + 1, llvm_symbolizer_answer, &j);
	tell_notes(&j);
	if (!called)
		cli_binaries_tell(&binaries);
	cli_managed_release(&managed);
	lookup_release(&j.lookup);
	cli_binaries_release(&binaries);
	opt_list_release(&j.modules);
	args_release(&args);
	status = cli_exit();
	return called && status ? 1 : status;
}
