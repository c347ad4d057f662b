/* SPDX-License-Identifier: MIT
 *
 * tm-view: looks into captures that are loaded once, in a browser and from scripts.
 */
#include "cmd/tm-session/session.h"
#include "cmd/tm-view/answer.h"
#include "cmd/tm-view/load.h"
#include "cmd/tm-view/sessions.h"
#include "lib/base/clock.h"
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
/* A file is read on while nothing is asked: all questions of a picture are of the same part. At first it waits for a
 * browser. */
enum { QUIET_MS = 150, START_MS = 1500 };
static const uint64_t answer_bytes = 256 << 20, capture_bytes = (uint64_t)16 << 30;

struct cli_view {
	struct cli_import import;
	const char *query, *listen, *gate;
	bool lines, mcp, follow, open;
	uint64_t seconds, rows, bytes;
	size_t memory; /* of the process */
	struct opt_list sources, allowed, exes, debug_dirs;
	const char **binaries; /* the files of exes */
	int64_t asked;         /* clock_ms, when a question was at work */
	int64_t begun;         /* when the address was printed */
	struct view_load load;
	struct view view;
	atomic_int working;
	struct view_sessions sessions; /* place NULL: there is no store */
};

static enum view_growth growth_of(const struct cli_view *c, const struct view_loaded *l)
{
	return !c->follow || !l->follow     ? GROWTH_NONE
	       : follow_ended(l->follow)    ? GROWTH_ENDED
	       : follow_deserted(l->follow) ? GROWTH_DESERTED
					    : GROWTH_GOES_ON;
}

static void show_files(struct cli_view *c)
{
	for (size_t i = 0; i < c->load.n; i++) {
		const struct view_loaded *l = &c->load.items[i];

		c->view.files[i] = (struct view_file){.name = c->load.names[i],
						      .store = &l->store,
						      .folder = l->session,
						      .ns = l->ns,
						      .growth = growth_of(c, l),
						      .grew = l->grew,
						      .size = l->size,
						      .taken = load_taken(l)};
	}
	c->view.version = c->load.version;
	c->view.reads = load_reads(&c->load);
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

/* For the next questions of a picture; first for a browser, and for what it asks when it has the page. */
static int64_t wait_until(const struct cli_view *c)
{
	int64_t begun = c->view.opened ? c->view.opened : c->begun;

	return c->asked ? c->asked + QUIET_MS : begun + START_MS;
}

static void view_refresh(struct view *v)
{
	struct cli_view *c = v->arg;
	bool read = v->reads;

	/* A browser asks for several at once, and again. */
	if (!query_none_works(&c->view.runner, c->query || c->lines || c->mcp ? WAIT_MS : 0)) {
		c->asked = clock_ms();
		return;
	}
	if (read && clock_ms() < wait_until(c))
		return;
	if (!load_changed(&c->load) && !read)
		return;
	show_files(c);
	if (read && !v->reads) {
		report_loaded(c);
		v->refresh = c->follow ? v->refresh : NULL;
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

struct view_assistant {
	struct cli_view *view;
	struct mcp *mcp;
};

static void view_answer_mcp(void *arg, const struct input_line *lines, size_t n)
{
	const struct view_assistant *m = arg;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (m->view->follow)
			view_refresh(&m->view->view);
		b.len = 0;
		mcp_line(m->mcp, lines[i].s, lines[i].n, &b);
		cli_write(buf_at(&b, 0), b.len);
		cli_flush();
	}
	buf_release(&b);
}

static void run(struct cli_view *c, struct http *door)
{
	struct err e = ERR_INIT;
	struct view_assistant m = {.view = c};

	if (c->query) {
		view_answer_query(c);
	} else if (c->lines) {
		cli_text_lines(LINE, view_answer_lines, c);
	} else if (c->mcp) {
		m.mcp = mcp_new(&c->view);
		cli_text_lines(LINE, view_answer_mcp, &m);
		mcp_free(m.mcp);
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

static void check(const struct cli_view *c, int n, char **operands)
{
	for (int i = 0; c->follow && i < n; i++)
		if (session_is_folder(operands[i]))
			cli_usage("--follow follows recordings, and %s is a folder", operands[i]);
	if ((c->query != NULL) + c->lines + c->mcp > 1)
		cli_usage("give only one of --query, --lines and --mcp");
	if (c->listen && (c->query || c->lines || c->mcp))
		cli_usage("--listen cannot be combined with --query, --lines or --mcp");
	if (c->sessions.place && (n || c->query || c->lines || c->mcp || c->follow || c->exes.n))
		cli_usage(
		    "--store serves a store of sessions, and takes neither files nor --query, "
		    "--lines, --mcp, --follow and -e; --debug-dir finds the binary of each build");
	if (!c->sessions.place && (c->sessions.folder || c->sessions.public_at ||
				   c->sessions.keep_last || c->sessions.keep_days))
		cli_usage("--captures, --public, --keep-last and --keep-days need --store");
	if (!n && !c->sessions.place)
		cli_usage("no file is given");
	if (!c->seconds || !c->rows || !c->bytes)
		cli_usage("--rows, --time-limit and --answer-bytes must be above 0");
}

/* The server of sessions, tm-view --store. */
static int view_serve(struct cli_view *c)
{
	struct err e = ERR_INIT;
	struct http *door;

	sessions_check(&c->sessions);
	door = http_new(&c->view, c->listen, &e);
	if (!door)
		cli_usage("%s", e.msg);
	c->sessions.view = &c->view;
	if (sessions_start(&c->sessions)) {
		cli_sandbox("tm-view", sessions_when(&c->sessions));
		sessions_run(&c->sessions, door);
	}
	http_free(door);
	if (!sessions_release(&c->sessions))
		_exit(cli_exit());
	return cli_exit();
}

/* What is given by options: limits, and what questions may name. */
static void view_take_options(struct cli_view *c)
{
	c->view = (struct view){
	    .runner = {.seconds = c->seconds,
		       .rows = c->rows,
		       .bytes = (size_t)c->bytes,
		       .memory = c->memory,
		       .working = &c->working,
		       .binaries = c->binaries,
		       .n_binaries = c->exes.n},
	    .follow = c->follow,
	    .gate = c->gate,
	    .language = cli_language(),
	    .source_dirs = c->sources.items,
	    .n_source_dirs = c->sources.n,
	    .debug_dirs = c->debug_dirs.items,
	    .n_debug_dirs = c->debug_dirs.n,
	    .allowed = c->allowed.items,
	    .n_allowed = c->allowed.n,
	    .arg = c,
	};
}

static int view_main(int argc, char **argv)
{
	struct cli_view c = {.seconds = SECONDS,
			     .rows = ROWS,
			     .bytes = answer_bytes,
			     .sessions = {.most = capture_bytes}};
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
	    ROW_GROUP("a server of sessions:"),
	    ROW_STRING(0, "store", "PLACE", "serve a store: a folder, or postgresql://HOST/NAME",
		       &c.sessions.place),
	    ROW_STRING(0, "captures", "DIR", "folder of captures of a store in PostgreSQL",
		       &c.sessions.folder),
	    ROW_STRING(0, "public", "HOST", "name by which browsers know a reverse proxy",
		       &c.sessions.public_at),
	    ROW_NUMBER(0, "capture-bytes", "N", "largest capture (default 16 GiB)",
		       &c.sessions.most),
	    ROW_NUMBER(0, "keep-last", "N", "keep the captures of the newest N sessions a branch",
		       &c.sessions.keep_last),
	    ROW_NUMBER(0, "keep-days", "N", "keep captures and unfinished uploads for N days",
		       &c.sessions.keep_days),
	    CLI_IMPORT_ROWS(c.import),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-view", "FILE|FOLDER...",
	    "Explores captures in a browser, by scripts and by assistants.", table};
	struct http *door = NULL;
	struct err e = ERR_INIT;
	int n = opt_parse(&program, argc, argv);
	const char *when;

	cli_import_done(&c.import);
	check(&c, n, argv + 1);
	c.memory = SANDBOX_SANITIZED ? 0 : (size_t)(machine_memory() / 4 * 3);
	resource_scopes_limit(c.memory);
	tzset();                          /* once, before there are threads that ask for the date */
	mallopt(M_MMAP_THRESHOLD, LARGE); /* what an answer frees is nobody's */
	view_parse_binaries(&c);
	view_take_options(&c);
	opt_allow_defaults();
	if (c.sessions.place)
		return view_serve(&c);
	if (!c.query && !c.lines && !c.mcp) {
		door = http_new(&c.view, c.listen, &e);
		if (!door)
			cli_usage("%s", e.msg);
	}
	c.load.symbols.exes = c.exes.items;
	c.load.symbols.n_exes = c.exes.n;
	c.load.symbols.of_captures = c.exes.n;
	c.load.symbols.debug_dirs = c.debug_dirs.items;
	c.load.symbols.n_debug_dirs = c.debug_dirs.n;
	if (c.follow && !c.load.symbols.off)
		when = door ? "--follow" : "--follow without a browser";
	else
		when = door ? NULL : "without a browser";
	disasm_load(&e); /* for tm-inspect's answers, which say if it failed */
	load_start(&c.load, n, argv + 1, &c.import.options, when, c.follow);
	cli_sandbox("tm-view", when);
	load_all(&c.load, !c.query, !c.query, door != NULL);
	c.view.runner.files = c.load.names;
	c.view.runner.n_files = c.load.n;
	c.view.files = mem_zarray(c.load.n, sizeof *c.view.files);
	c.view.n_files = c.load.n;
	c.view.refresh = c.follow || load_reads(&c.load) ? view_refresh : NULL;
	answer_by_programs(&c.view.runner, &c.view);
	show_files(&c);
	if (!c.query && !c.view.reads)
		report_loaded(&c);
	c.begun = clock_ms();
	run(&c, door);
	http_free(door);
	if (!query_none_works(&c.view.runner,
			      WAIT_MS)) /* what was told to end has not yet heard of it */
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
