/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/opened.h"

#include "cmd/tm-view/answer.h"
#include "cmd/tm-view/load.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/cli/session.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { END_MS = 2000 };

struct opened {
	uint64_t ids[OPENED_SIDES];
	size_t n;
	char names[OPENED_SIDES][STORE_NAME + 32]; /* "session-5/run.tmt" */
	const char *named[OPENED_SIDES];
	char devices[OPENED_SIDES][STORE_VALUE], builds[OPENED_SIDES][STORE_VALUE]; /* labels */
	char *paths[OPENED_SIDES];
	struct view view;
	struct view_file files[OPENED_SIDES];
	atomic_int working;
	unsigned users;
	int64_t asked, until;
	/* The thread's, until it has ended: */
	pthread_t thread;
	struct resource_scope *scope;
	struct view_load load; /* in the scope */
	enum resource_scope_end end;
	atomic_bool cancelled, loaded;
	bool runs; /* the thread is to be joined */
	/* Behind that: */
	bool settled, again;
	struct event_store none; /* why nothing is there */
};

/* --- loading --- */

static void opened_load(void *arg)
{
	static const struct import_options import;
	struct opened *one = arg;

	load_named(&one->load, one->n, (const char *const *)one->paths, one->named, &import);
	load_all(&one->load, false, false, false);
}

static void *opened_run(void *arg)
{
	static const struct cli_host host; /* no process: it has no progress */
	struct cli_session session = {.host = &host};
	struct opened *one = arg;

	cli_now = &session;
	one->end = resource_scope_run(one->scope, opened_load, one);
	atomic_store_explicit(&one->loaded, true, memory_order_release);
	return NULL;
}

static bool is_loaded(const struct opened *one)
{
	return atomic_load_explicit(&one->loaded, memory_order_acquire);
}

/* A share of the memory, which they have together. */
static size_t opened_memory(const struct opened_sessions *o)
{
	return o->like->runner.memory / 2;
}

static bool opened_start(const struct opened_sessions *o, struct opened *one)
{
	sigset_t before;

	atomic_store(&one->loaded, false);
	atomic_store(&one->cancelled, false);
	one->settled = false;
	one->load = (struct view_load){.n = 0};
	one->until = clock_ms() + (int64_t)o->like->runner.seconds * 1000;
	one->scope = resource_scope_new(&one->cancelled);
	if (!one->scope)
		return false;
	resource_scope_limit(one->scope, opened_memory(o));
	query_block_signals(&before);
	one->runs = !pthread_create(&one->thread, NULL, opened_run, one);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return one->runs;
}

static bool has_captures(const struct opened *one)
{
	return one->settled && !one->none.why.code;
}

/* What was loaded goes as a whole. */
static void opened_unload(struct opened *one)
{
	if (one->runs)
		pthread_join(one->thread, NULL);
	one->runs = false;
	for (size_t i = 0; has_captures(one) && i < one->n; i++)
		sums_release(&one->load.items[i].sums, NULL);
	resource_scope_free(one->scope);
	one->scope = NULL;
}

static void opened_free(struct opened *one)
{
	resource_scope_free(one->scope);
	for (size_t i = 0; i < one->n; i++)
		free(one->paths[i]);
	free(one);
}

/* Waits for questions that were told to end. */
static bool opened_close(struct opened *one, int ms)
{
	if (one->users || !is_loaded(one) || !query_none_works(&one->view.runner, ms))
		return false;
	opened_unload(one);
	opened_free(one);
	return true;
}

/* The one that was asked least recently, but for this one. */
static bool opened_make_room(struct opened_sessions *o, const struct opened *but)
{
	bool tried[OPENED_MOST] = {false};

	for (;;) {
		size_t oldest = OPENED_MOST;

		for (size_t i = 0; i < OPENED_MOST; i++)
			if (o->items[i] && o->items[i] != but && !tried[i] &&
			    (oldest == OPENED_MOST || o->items[i]->asked < o->items[oldest]->asked))
				oldest = i;
		if (oldest == OPENED_MOST)
			return false;
		tried[oldest] = true;
		if (opened_close(o->items[oldest], 0)) {
			o->items[oldest] = NULL;
			return true;
		}
	}
}

static size_t opened_bytes(const struct opened *one)
{
	size_t n = one->scope ? resource_scope_holds(one->scope) : 0;

	for (size_t i = 0; has_captures(one) && i < one->n; i++)
		n += one->load.items[i].sums.size;
	return n;
}

static size_t opened_hold(const struct opened_sessions *o)
{
	size_t n = 0;

	for (size_t i = 0; i < OPENED_MOST; i++)
		n += o->items[i] ? opened_bytes(o->items[i]) : 0;
	return n;
}

static void opened_show(struct opened *one)
{
	for (size_t i = 0; i < one->n; i++) {
		struct view_loaded *it = &one->load.items[i];

		sums_start(&it->sums, &it->store);
		one->files[i].store = &it->store;
		one->files[i].ns = it->ns;
		one->files[i].size = it->size;
	}
}

static void opened_fail(struct opened *one)
{
	err_set(&one->none.why, ST_LIMIT, "%s",
		one->end == RESOURCE_SCOPE_NO_MEMORY
		    ? "it takes more memory than an open session may have"
		    : "reading it took longer than may be (--time-limit)");
}

bool opened_ready(struct opened_sessions *o, struct opened *one)
{
	if (one->settled)
		return true;
	if (!is_loaded(one))
		return false;
	if (one->end == RESOURCE_SCOPE_NO_MEMORY && !one->again) {
		one->again = true;
		if (opened_make_room(o, one)) {
			while (opened_make_room(o, one))
				;
			opened_unload(one);
			if (opened_start(o, one))
				return false;
			atomic_store(&one->loaded, true); /* and failed as before */
		}
	}
	if (one->end == RESOURCE_SCOPE_DONE)
		opened_show(one);
	else
		opened_fail(one);
	one->settled = true;
	one->view.version++;
	while (opened_memory(o) && opened_hold(o) > opened_memory(o) && opened_make_room(o, one))
		;
	return true;
}

/* --- which are there --- */

static struct opened *opened_find(struct opened_sessions *o, const uint64_t *ids, size_t n)
{
	for (size_t i = 0; i < OPENED_MOST; i++)
		if (o->items[i] && o->items[i]->n == n &&
		    !memcmp(o->items[i]->ids, ids, n * sizeof *ids))
			return o->items[i];
	return NULL;
}

static void opened_make_view(struct opened_sessions *o, struct opened *one)
{
	one->view = *o->like;
	one->view.runner.files = one->named;
	one->view.runner.n_files = one->n;
	one->view.runner.working = &one->working;
	one->view.files = one->files;
	one->view.n_files = one->n;
	one->view.refresh = NULL;
	one->view.home = "../../";
	answer_by_programs(&one->view.runner, &one->view);
	for (size_t i = 0; i < one->n; i++)
		one->files[i] = (struct view_file){.name = one->names[i],
						   .store = &one->none,
						   .device = one->devices[i],
						   .build = one->builds[i],
						   .taken = 100};
}

static void keep_label(const struct store_session *is, const char *name, char to[STORE_VALUE])
{
	const char *value = store_meta_get(&is->meta, name);

	snprintf(to, STORE_VALUE, "%s", value ? value : "");
}

/* NULL: as opened_take. */
static struct opened *opened_new(struct opened_sessions *o, const uint64_t *ids, size_t n,
				 unsigned *status, const char **why)
{
	struct opened *one = mem_zalloc(sizeof *one);
	struct store_session is;

	for (; one->n < n; one->n++) {
		size_t i = one->n;

		*status = store_session(o->store, ids[i], &is) ? 410 : 404;
		*why = *status == 404 ? "no such session" : "the capture is no longer kept";
		if (*status == 404 || is.gone) {
			opened_free(one);
			return NULL;
		}
		one->ids[i] = ids[i];
		snprintf(one->names[i], sizeof one->names[i], "session-%" PRIu64 "/%s", ids[i],
			 is.meta.name);
		one->named[i] = one->names[i];
		keep_label(&is, "machine", one->devices[i]);
		keep_label(&is, "build", one->builds[i]);
		one->paths[i] = store_capture_path(o->store, is.digest);
	}
	opened_make_view(o, one);
	return one;
}

static struct opened **opened_place(struct opened_sessions *o)
{
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < OPENED_MOST; i++)
			if (!o->items[i])
				return &o->items[i];
		if (!opened_make_room(o, NULL))
			return NULL;
	}
	return NULL;
}

struct opened *opened_take(struct opened_sessions *o, const uint64_t *ids, size_t n,
			   unsigned *status, const char **why)
{
	struct opened *one = opened_find(o, ids, n), **place;

	if (!one) {
		one = opened_new(o, ids, n, status, why);
		if (!one)
			return NULL;
		place = opened_place(o);
		*status = 503;
		*why = place ? "no memory or thread is left"
			     : "as many sessions are being read as may be";
		if (!place || !opened_start(o, one)) {
			opened_free(one);
			return NULL;
		}
		*place = one;
	}
	one->users++;
	one->asked = clock_ms();
	return one;
}

void opened_give_back(struct opened *one)
{
	if (one)
		one->users--;
}

struct view *opened_view(struct opened *one)
{
	return &one->view;
}

void opened_look(struct opened_sessions *o)
{
	int64_t now = clock_ms();

	for (size_t i = 0; i < OPENED_MOST; i++) {
		struct opened *one = o->items[i];

		if (one && !is_loaded(one) && now >= one->until)
			atomic_store(&one->cancelled, true);
		if (one && now - one->asked >= OPENED_IDLE_MS && opened_close(one, 0))
			o->items[i] = NULL;
	}
}

bool opened_release(struct opened_sessions *o)
{
	bool all = true;

	for (size_t i = 0; i < OPENED_MOST; i++)
		if (o->items[i])
			atomic_store(&o->items[i]->cancelled, true);
	for (size_t i = 0; i < OPENED_MOST; i++) {
		struct opened *one = o->items[i];

		for (int ms = 0; one && !is_loaded(one) && ms < END_MS; ms++)
			nanosleep(&(struct timespec){0, 1000000}, NULL);
		all &= !one || opened_close(one, END_MS);
	}
	return all;
}
