/* SPDX-License-Identifier: MIT
 *
 * tm-view: looks into captures that are loaded once, in a browser and from scripts.
 */
#include "cmd/tm-compare/program.h"
#include "cmd/tm-export/program.h"
#include "cmd/tm-frames/program.h"
#include "cmd/tm-heap/program.h"
#include "cmd/tm-inspect/program.h"
#include "cmd/tm-spikes/program.h"
#include "cmd/tm-top/program.h"
#include "cmd/tm-view/load.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/cli/report.h"
#include "lib/cli/session.h"
#include "lib/disasm/disasm.h"
#include "lib/sandbox/sandbox.h"
#include "lib/view/http.h"
#include "lib/view/mcp.h"
#include "lib/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 30, ROWS = 100000, LINE = 1 << 20, LARGE = 1 << 20, WAIT_MS = 2000 };
static const uint64_t answer_bytes = 256 << 20;

struct cli_view {
	struct cli_import import;
	const char *query, *listen, *gate;
	bool lines, mcp, follow, open;
	uint64_t seconds, rows, bytes;
	size_t memory; /* of the process */
	struct opt_list sources, allowed, exes, debug_dirs;
	const char **binaries; /* the files of exes */
	struct view_load load;
	struct view view;
};

static struct cli_view *view_of; /* for what is given no argument of its own */

/* Of one question. */
static _Thread_local struct view_question {
	struct view_sums second; /* of the side that is read last */
	struct event_store with_second;
	const struct event_store *of; /* which store it is the same as; NULL: none */
	struct query_args *args;
} question;

static const struct event_store *view_store_of(void *arg, const char *operand)
{
	static const struct event_store nothing = {
	    .why = {ST_UNSUPPORTED, ERR_NO_OFFSET, "tm-view was not given this file"}};
	const struct event_store *k = load_find(&view_of->load, operand);

	(void)arg;
	return !k ? &nothing : k == question.of ? &question.with_second : k;
}

/* A comparison's sides are read at the same time, where there is more than one processor. */
static void view_prefetch(void *arg, const struct event_store *k, const struct tally_options *o)
{
	(void)arg;
	if (!k || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	question.of = k;
	question.with_second = *k;
	sums_start_selected(&question.second, &question.with_second, o);
}

static bool is_named(const char *const *names, size_t n, const char *file)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], file))
			return true;
	return false;
}

/* A question reads what was named when tm-view began, and writes nothing. */
static const char *view_guard(void *arg, const char *word, const char *file)
{
	static const char *const refused[] = {
	    "output", "recording", "save-baseline", "history",       "no-sandbox", "completion",
	    "origin", "cache",     "debuginfod",    "symbol-server", "sysroot"};
	const struct cli_view *v = view_of;
	const struct {
		const char *word;
		const char *const *names;
		size_t n;
		const char *why;
	} lists[] = {
	    {"source-dir", v->sources.items, v->sources.n,
	     "tm-view was not given this folder with --source-dir"},
	    {"debug-dir", v->debug_dirs.items, v->debug_dirs.n,
	     "tm-view was not given this folder with --debug-dir"},
	    {"exe", v->binaries, v->exes.n, "tm-view was not given this binary with -e"},
	    {"trace", v->load.names, v->load.n, "tm-view was not given this file"},
	    {word, v->allowed.items, v->allowed.n, "tm-view was not given this file with --allow"},
	};
	size_t i = 0;

	(void)arg;
	if (is_named(refused, sizeof refused / sizeof *refused, word))
		return "not allowed in a query";
	if (!file || (v->gate && !strcmp(v->gate, file)))
		return NULL;
	while (strcmp(lists[i].word, word) != 0)
		i++;
	return is_named(lists[i].names, lists[i].n, file) ? NULL : lists[i].why;
}

static enum status view_write(void *arg, const struct table_document *d,
			      const struct render_options *o, FILE *out, struct err *e)
{
	(void)arg;
	(void)out;
	return query_form_make(question.args, d, o, e);
}

static _Thread_local struct cli_session session;

static void view_answer(void *arg, struct query_args *q, FILE *out, FILE *err)
{
	static const struct cli_host host = {.store = view_store_of,
					     .refuse = view_guard,
					     .write = view_write,
					     .prefetch = view_prefetch};

	(void)arg;
	question.args = q;
	session = (struct cli_session){.out = out, .err = err, .host = &host};
	cli_now = &session;
	q->program->run((int)q->words.n, q->words.items);
}

static int view_status(void)
{
	return session.status;
}

/* Symbols are in already; and nothing is asked of servers, or kept. */
static const struct query_program programs[] = {
    {"top", tm_top, "--no-symbols", NULL},
    {"frames", tm_frames, NULL, NULL},
    {"compare", tm_compare, NULL, NULL},
    {"heap", tm_heap, NULL, NULL},
    {"spikes", tm_spikes, NULL, NULL},
    {"export", tm_export, NULL, NULL},
    {"inspect", tm_inspect, "--no-symbols --no-debuginfod --no-cache", "--trace"},
    {.name = NULL},
};

static enum view_growth growth_of(const struct view_loaded *l)
{
	return !l->follow                   ? GROWTH_NONE
	       : follow_ended(l->follow)    ? GROWTH_ENDED
	       : follow_deserted(l->follow) ? GROWTH_DESERTED
					    : GROWTH_GOES_ON;
}

static void show_files(struct cli_view *c)
{
	for (size_t i = 0; i < c->load.n; i++)
		c->view.files[i] = (struct view_file){
		    c->load.names[i], &c->load.items[i].store, c->load.items[i].ns,
		    growth_of(&c->load.items[i]), c->load.items[i].grew};
	c->view.version = c->load.version;
}

static void view_refresh(struct view *v)
{
	struct cli_view *c = v->arg;

	/* A browser asks for several at once, and again. */
	if (query_none_works(c->query || c->lines || c->mcp ? WAIT_MS : 0) &&
	    load_changed(&c->load))
		show_files(c);
}

static void report_loaded(const struct cli_view *c)
{
	for (size_t i = 0; i < c->load.n; i++) {
		const struct event_store *k = &c->load.items[i].store;

		if (k->why.code || k->raw.len || !k->events)
			continue;
		cli_note(k->name, "%" PRIu64 " events in %.1f bytes each, %.2f s", k->events,
			 (double)k->bytes / (double)k->events, (double)c->load.items[i].ns / 1e9);
		for (size_t j = 0; j < k->n && k->captures[j].t; j++)
			cli_notes(k->name, k->captures[j].t, 0, NOTE_GUESS);
	}
}

static void view_answer_query(struct cli_view *c)
{
	struct err e = ERR_INIT;
	struct query_args q;
	struct query_result a;

	if (query_args_make(&q, &c->view.runner, c->query, strlen(c->query), &e))
		cli_usage("--query: %s", e.msg);
	if (query_result_start(&a, &c->view.runner, &q, &e)) {
		query_result_wait(&a);
		cli_print(buf_at(&a.text, 0), a.ended ? 0 : a.text.len);
		cli_write_stderr(buf_at(&a.messages, 0), a.messages.len);
		if (a.ended)
			cli_error(NULL, "%s", a.ended);
		cli_status(a.ended || a.status > EXIT_INCONCLUSIVE ? EXIT_INPUT
								   : (enum exit_status)a.status);
		query_result_release(&a);
	} else {
		cli_fail(NULL, &e);
	}
	query_args_release(&q);
}

static void view_answer_lines(void *arg, const struct input_line *lines, size_t n)
{
	struct cli_view *c = arg;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (c->follow)
			view_refresh(&c->view);
		b.len = 0;
		if (lines[i].n)
			view_line(&c->view, lines[i].s, lines[i].n, &b);
		cli_write(buf_at(&b, 0), b.len);
		cli_flush();
	}
	buf_release(&b);
}

static void view_answer_mcp(void *arg, const struct input_line *lines, size_t n)
{
	struct mcp *m = arg;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (view_of->follow)
			view_refresh(&view_of->view);
		b.len = 0;
		mcp_line(m, lines[i].s, lines[i].n, &b);
		cli_write(buf_at(&b, 0), b.len);
		cli_flush();
	}
	buf_release(&b);
}

static void run(struct cli_view *c, struct http *door)
{
	struct err e = ERR_INIT;
	struct mcp *m;

	if (c->query) {
		view_answer_query(c);
	} else if (c->lines) {
		cli_text_lines(LINE, view_answer_lines, c);
	} else if (c->mcp) {
		m = mcp_new(&c->view);
		cli_text_lines(LINE, view_answer_mcp, m);
		mcp_free(m);
	} else if (http_run(door, &e)) {
		cli_fail(NULL, &e);
	}
}

/* MODULE=FILE names FILE. */
static void view_parse_binaries(struct cli_view *c)
{
	c->binaries = mem_zarray(c->exes.n + 1, sizeof *c->binaries);
	for (size_t i = 0; i < c->exes.n; i++) {
		const char *path = c->exes.items[i], *equals = strchr(path, '=');

		if (equals && access(path, F_OK))
			path = equals + 1;
		if (access(path, R_OK))
			cli_die(path, "-e: %s", strerror(errno));
		sandbox_allow(SANDBOX_READ, path);
		c->binaries[i] = path;
	}
}

static void check(const struct cli_view *c, int n)
{
	if ((c->query != NULL) + c->lines + c->mcp > 1)
		cli_usage("give only one of --query, --lines and --mcp");
	if (c->listen && (c->query || c->lines || c->mcp))
		cli_usage("--listen cannot be combined with --query, --lines or --mcp");
	if (!n)
		cli_usage("no file is given");
	if (!c->seconds || !c->rows || !c->bytes)
		cli_usage("--rows, --time-limit and --answer-bytes must be above 0");
}

static int view_main(int argc, char **argv)
{
	struct cli_view c = {.seconds = SECONDS, .rows = ROWS, .bytes = answer_bytes};
	const struct opt table[] = {
	    ROW_STRING(0, "query", "QUESTION",
		       "print the answer to `top --by type` or another question and end", &c.query),
	    ROW_FLAG(0, "lines", "read questions and write answers as lines of JSON", &c.lines),
	    ROW_FLAG(0, "mcp", "speak the Model Context Protocol on standard streams", &c.mcp),
	    ROW_STRING(0, "listen", "ADDRESS",
		       "serve browsers at [HOST:]PORT (127.0.0.1, any port)", &c.listen),
	    ROW_FLAG(0, "follow", "follow a recording that still runs", &c.follow),
	    ROW_LIST(0, "source-dir", "DIR", "search DIR for source files (repeatable)",
		     &c.sources),
	    ROW_LIST('e', "exe", "FILE", "binary whose instructions may be shown (repeatable)",
		     &c.exes),
	    ROW_LIST(0, "debug-dir", "DIR", "search DIR for debug files (repeatable)",
		     &c.debug_dirs),
	    ROW_LIST(0, "allow", "FILE", "file that questions may name: rules, owners, policies",
		     &c.allowed),
	    ROW_STRING(0, "gate", "FILE", "judge comparisons by this policy", &c.gate),
	    CLI_SYMBOLS_ROW(c.load.symbols),
	    ROW_NUMBER(0, "time-limit", "SECONDS", "longest time for an answer (default 30)",
		       &c.seconds),
	    ROW_NUMBER(0, "rows", "N", "largest number of rows of a table (default 100000)",
		       &c.rows),
	    ROW_NUMBER(0, "answer-bytes", "N", "largest size of an answer (default 256 MiB)",
		       &c.bytes),
	    CLI_IMPORT_ROWS(c.import),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-view", "FILE...", "Explores captures in a browser, by scripts and by assistants.",
	    table};
	struct http *door = NULL;
	struct err e = ERR_INIT;
	int n = opt_parse(&program, argc, argv);
	const char *when;

	view_of = &c;
	cli_import_done(&c.import);
	check(&c, n);
	if (!c.query && !c.lines && !c.mcp) {
		door = http_new(&c.view, c.listen, &e);
		if (!door)
			cli_usage("%s", e.msg);
	}
	view_parse_binaries(&c);
	opt_allow_defaults();
	c.load.symbols.exes = c.exes.items;
	c.load.symbols.n_exes = c.exes.n;
	c.load.symbols.of_captures = c.exes.n;
	c.load.symbols.debug_dirs = c.debug_dirs.items;
	c.load.symbols.n_debug_dirs = c.debug_dirs.n;
	if (c.follow && !c.load.symbols.off)
		when = door ? "--follow" : "--follow without a browser";
	else
		when = door ? NULL : "without a browser";
	c.memory = SANDBOX_SANITIZED ? 0 : (size_t)(machine_memory() / 4 * 3);
	resource_scopes_limit(c.memory);
	tzset();                          /* once, before there are threads that ask for the date */
	mallopt(M_MMAP_THRESHOLD, LARGE); /* what an answer frees is nobody's */
	disasm_load(&e);                  /* for tm-inspect's answers, which say if it failed */
	load_start(&c.load, n, argv + 1, &c.import.options, when, c.follow);
	cli_sandbox("tm-view", when);
	load_all(&c.load, !c.query, !c.query);
	c.view = (struct view){
	    .runner = {.programs = programs,
		       .files = c.load.names,
		       .n_files = c.load.n,
		       .binaries = c.binaries,
		       .n_binaries = c.exes.n,
		       .seconds = c.seconds,
		       .rows = c.rows,
		       .bytes = (size_t)c.bytes,
		       .memory = c.memory,
		       .answer = view_answer,
		       .status = view_status,
		       .arg = &c},
	    .files = mem_zarray(c.load.n, sizeof *c.view.files),
	    .n_files = c.load.n,
	    .follow = c.follow,
	    .gate = c.gate,
	    .language = cli_language(),
	    .source_dirs = c.sources.items,
	    .n_source_dirs = c.sources.n,
	    .debug_dirs = c.debug_dirs.items,
	    .n_debug_dirs = c.debug_dirs.n,
	    .refresh = c.follow ? view_refresh : NULL,
	    .arg = &c,
	};
	show_files(&c);
	if (!c.query)
		report_loaded(&c);
	run(&c, door);
	http_free(door);
	if (!query_none_works(WAIT_MS)) /* what was told to end has not yet heard of it */
		_exit(cli_exit());
	load_release(&c.load);
	free(c.view.files);
	opt_list_release(&c.sources);
	opt_list_release(&c.allowed);
	opt_list_release(&c.exes);
	opt_list_release(&c.debug_dirs);
	free(c.binaries);
	return cli_exit();
}

struct view_start {
	int argc;
	char **argv;
	int status;
};

static void view_start(void *arg)
{
	struct view_start *s = arg;

	s->status = view_main(s->argc, s->argv);
}

int main(int argc, char **argv)
{
	struct view_start s = {argc, argv, EXIT_INPUT};

	if (resource_scope_run(NULL, view_start, &s) == RESOURCE_SCOPE_NO_MEMORY)
		mem_on_failure();
	return s.status;
}
