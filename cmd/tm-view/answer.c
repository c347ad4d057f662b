/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/answer.h"

#include "cmd/tm-compare/program.h"
#include "cmd/tm-export/program.h"
#include "cmd/tm-frames/program.h"
#include "cmd/tm-heap/program.h"
#include "cmd/tm-inspect/program.h"
#include "cmd/tm-spikes/program.h"
#include "cmd/tm-top/program.h"
#include "cmd/tm-view/sums.h"
#include "lib/cli/session.h"

#include <string.h>
#include <unistd.h>

/* Of one question. */
static _Thread_local struct view_question {
	const struct view *view;
	struct query_args *args;
	struct view_sums second; /* of the side that is read last */
	struct event_store with_second;
	const struct event_store *of; /* which store it is the same as; NULL: none */
} question;

static _Thread_local struct cli_session session;
static _Thread_local struct cli_host host;

static const struct event_store *view_store_of(void *arg, const char *operand)
{
	static const struct event_store nothing = {
	    .why = {ST_UNSUPPORTED, ERR_NO_OFFSET, "tm-view was not given this file"}};
	const struct view_question *q = arg;

	for (size_t i = 0; i < q->view->n_files; i++) {
		const struct event_store *k = q->view->files[i].store;

		if (!strcmp(q->view->files[i].name, operand))
			return k == q->of ? &q->with_second : k;
	}
	return &nothing;
}

/* A comparison's sides are read at the same time, where there is more than one processor. */
static void view_prefetch(void *arg, const struct event_store *k, const struct tally_options *o)
{
	struct view_question *q = arg;

	if (!k || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	q->of = k;
	q->with_second = *k;
	sums_start_selected(&q->second, &q->with_second, o);
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
	const struct view *v = ((const struct view_question *)arg)->view;
	const struct {
		const char *word;
		const char *const *names;
		size_t n;
		const char *why;
	} lists[] = {
	    {"source-dir", v->source_dirs, v->n_source_dirs,
	     "tm-view was not given this folder with --source-dir"},
	    {"debug-dir", v->debug_dirs, v->n_debug_dirs,
	     "tm-view was not given this folder with --debug-dir"},
	    {"exe", v->runner.binaries, v->runner.n_binaries,
	     "tm-view was not given this binary with -e"},
	    {"trace", v->runner.files, v->runner.n_files, "tm-view was not given this file"},
	    {word, v->allowed, v->n_allowed, "tm-view was not given this file with --allow"},
	};
	size_t i = 0;

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
	const struct view_question *q = arg;

	return query_form_write(q->args, d, o, out, e);
}

static void view_answer(void *arg, struct query_args *q, FILE *out, FILE *err)
{
	question = (struct view_question){.view = arg, .args = q};
	host = (struct cli_host){.arg = &question,
				 .store = view_store_of,
				 .refuse = view_guard,
				 .write = view_write,
				 .prefetch = view_prefetch};
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

void answer_by_programs(struct query_runner *r, struct view *v)
{
	r->programs = programs;
	r->answer = view_answer;
	r->status = view_status;
	r->arg = v;
}
