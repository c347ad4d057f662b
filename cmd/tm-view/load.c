/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/load.h"

#include "cmd/tm-session/session.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/profile/file.h"
#include "lib/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OFTEN_MS = 1000 };
/* Events that are read before the first question, and between two. What is a picture of them takes some times as long to
 * add up as they take to read: the next one is due when there are MULTIPLE as many, in the first half of the file. */
enum { FIRST = 1 << 18, NEXT = 1 << 17, MULTIPLE = 8 };

/* A file that takes this one's place can be opened only where its folder may be read. */
static void allow_folder(struct view_load *l, size_t i)
{
	const char *slash = strrchr(l->names[i], '/');

	l->items[i].folder =
	    slash ? mem_strndup(l->names[i], (size_t)(slash - l->names[i]) + 1) : mem_strdup(".");
	sandbox_allow(SANDBOX_READ, l->items[i].folder);
}

static void load_start_followed(struct view_load *l)
{
	for (size_t i = 0; i < l->n; i++)
		allow_folder(l, i);
	if (!l->symbols.off)
		l->symbolizer = cli_symbolizer_start(&l->symbols, l->import);
}

void load_named(struct view_load *l, size_t n, const char *const *paths, const char *const *names,
		const struct import_options *import)
{
	l->import = import;
	l->n = n;
	l->symbols.off = true;
	l->items = mem_zarray(n + 1, sizeof *l->items);
	l->names = mem_zarray(n + 1, sizeof *l->names);
	for (size_t i = 0; i < n; i++) {
		l->names[i] = names[i];
		l->items[i].path = paths[i];
	}
}

/* Why a folder cannot be listed is said when it is loaded. */
static void start_folder(struct view_loaded *it)
{
	it->session = mem_zalloc(sizeof *it->session);
	it->store.why = (struct err)ERR_INIT;
	session_list(it->session, it->path, &it->store.why);
}

/* Of all files, also those in folders. */
static void look_up_symbols(struct view_load *l, const char *when)
{
	const char **paths = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct session *s = l->items[i].session;

		for (size_t k = 0; s && k < s->n; k++)
			VEC_PUSH(paths, n, cap) = s->files[k].path;
		if (!s)
			VEC_PUSH(paths, n, cap) = l->names[i];
	}
	cli_autosymbolize(&l->symbols, "tm-view", when, l->import, n, paths);
	free(paths);
}

void load_start(struct view_load *l, int n, char **operands, const struct import_options *import,
		const char *when, bool follow)
{
	l->import = import;
	l->n = (size_t)n;
	l->follows = follow;
	l->items = mem_zarray((size_t)n + 1, sizeof *l->items);
	l->names = mem_zarray((size_t)n + 1, sizeof *l->names);
	for (int i = 0; i < n; i++) {
		l->names[i] = l->items[i].path = operands[i];
		if (session_is_folder(operands[i]))
			start_folder(&l->items[i]);
	}
	if (follow)
		load_start_followed(l);
	else
		look_up_symbols(l, when);
}

static enum status read_raw(struct input *in, struct buf *to)
{
	const uint8_t *p;
	size_t n;

	while ((n = cursor_available(&in->cur, 1)) > 0) {
		p = cursor_bytes(&in->cur, n, "aggregate");
		if (!p)
			return err_failure(in->cur.e);
		buf_add(to, p, n);
	}
	return cursor_failed(&in->cur) ? err_failure(in->cur.e) : ST_OK;
}

/* Once it is whole; names may come later. What is whole as far as is known can grow again. */
static void load_sums(struct view_load *l, struct view_loaded *it)
{
	bool grows = it->follow && follow_grows(it->follow) && !follow_ended(it->follow);

	if (l->many && !it->sums.memory && !grows)
		sums_start(&it->sums, &it->store);
}

static void load_clear(struct view_loaded *it, const char *name)
{
	sums_release(&it->sums, &it->store);
	event_store_release(&it->store);
	event_store_init(&it->store, name);
}

/* What cannot be read of it is said by the session's notes, and at once. */
static void load_session(struct view_load *l, struct view_loaded *it, bool tell)
{
	struct session *s = it->session;
	struct err e = it->store.why;

	load_clear(it, it->path);
	if (!e.code) {
		session_place(s, l->import);
		session_write(s, l->import, &l->symbols, &it->store.sink, &e);
	}
	it->store.why = e;
	if (e.code && tell)
		cli_error(it->path, "%s", e.msg);
}

/* By its format's reader, with what was begun of it counting for nothing. */
static void load_whole(struct view_load *l, size_t i, bool tell)
{
	struct view_loaded *to = &l->items[i];
	struct event_store *k = &to->store;
	struct err e = ERR_INIT;
	struct input in = {0};
	struct cli_watch w;
	struct cli_symbols_tap symbols = {.lossy = false};
	enum status st;

	load_clear(to, l->names[i]);
	st = input_open(&in, to->path, &e);
	if (!st && aggregate_is(&in.cur))
		st = read_raw(&in, &k->raw);
	else if (!st)
		st = capture_read(
		    &in, l->import,
		    cli_watch(&w, &in,
			      cli_symbols_sink(&symbols, &l->symbols, l->names[i], &k->sink)),
		    &k->lossy, &e);
	k->lossy |= symbols.lossy;
	input_close(&in);
	cli_progress_clear();
	if (st) {
		k->why = e;
		k->raw.len = 0;
		if (tell)
			cli_error(l->names[i], "%s", e.msg);
	}
}

static void load_unfollow(struct view_loaded *it)
{
	follow_free(it->follow);
	it->follow = NULL;
}

/* ok: what was followed goes on. Without --follow it counts only with its end: what is cut is read again by the reader
 * that says what is lost. */
static void load_followed(struct view_load *l, size_t i, bool ok, bool tell)
{
	struct view_loaded *it = &l->items[i];

	it->reading = ok && follow_taken(it->follow) < 100;
	if (it->reading)
		return;
	if (!l->follows) {
		ok = ok && follow_ended(it->follow);
		load_unfollow(it);
		it->store.lossy |= it->symbols.lossy;
	} else if (ok) {
		follow_names(it->follow);
	}
	if (!ok)
		load_whole(l, i, tell);
	load_sums(l, it);
}

static void load_one(struct view_load *l, size_t i, bool tell)
{
	struct view_loaded *to = &l->items[i];
	struct event_store *k = &to->store;
	uint64_t begin = (uint64_t)clock_process_ns();
	struct stat is;

	to->size = stat(to->path, &is) || !S_ISREG(is.st_mode) ? 0 : (uint64_t)is.st_size;
	load_unfollow(to);
	to->grew = clock_ms();
	if (to->session) {
		load_session(l, to, tell);
		load_sums(l, to);
		to->ns = (uint64_t)clock_process_ns() - begin;
		return;
	}
	load_clear(to, l->names[i]);
	to->symbols = (struct cli_symbols_tap){.lossy = false};
	if (l->follows || l->in_pieces)
		to->follow =
		    follow_new(l->names[i], l->import, k, l->symbolizer,
			       cli_symbols_sink(&to->symbols, &l->symbols, l->names[i], &k->sink),
			       l->in_pieces ? FIRST : 0);
	to->shown = k->events;
	load_followed(l, i, to->follow && follow_grows(to->follow), tell);
	to->ns = (uint64_t)clock_process_ns() - begin;
}

unsigned load_taken(const struct view_loaded *it)
{
	return it->reading ? follow_taken(it->follow) : 100;
}

bool load_reads(const struct view_load *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].reading)
			return true;
	return false;
}

static bool load_go_on(struct view_load *l, size_t i)
{
	struct view_loaded *it = &l->items[i];
	uint64_t begin = (uint64_t)clock_process_ns();

	load_followed(l, i, follow_read_on(it->follow, it->store.events + NEXT), true);
	it->ns += (uint64_t)clock_process_ns() - begin;
	it->grew = clock_ms();
	if (it->reading &&
	    (it->store.events < MULTIPLE * it->shown || 2 * follow_taken(it->follow) > 100))
		return false;
	it->shown = it->store.events;
	return true;
}

void load_all(struct view_load *l, bool tell, bool many, bool in_pieces)
{
	l->many = many;
	/* Of several files as much would have to be read of each. */
	l->in_pieces = in_pieces && l->n == 1;
	for (size_t i = 0; i < l->n; i++)
		load_one(l, i, tell);
	l->version++;
}

/* Not for most of the time, where it takes long. */
static bool loads_again(const struct view_loaded *it)
{
	uint64_t ms = it->ns / 1000000;

	return ms < OFTEN_MS || (uint64_t)(clock_ms() - it->grew) >= 2 * ms;
}

/* True: there is something new. */
static bool load_look(struct view_load *l, size_t i)
{
	struct view_loaded *it = &l->items[i];
	enum follow_news news;
	bool named;

	if (it->reading)
		return load_go_on(l, i);
	if (!it->follow)
		return false;
	if (follow_grows(it->follow) && sums_busy(&it->sums))
		return false;
	news = follow_look(it->follow);
	if (news == FOLLOW_OTHER || news == FOLLOW_REPLACED) {
		if (!loads_again(it))
			return false;
		if (news == FOLLOW_REPLACED)
			cli_note(l->names[i], "the file was replaced, cut or overwritten: loaded "
					      "again from the start");
		load_one(l, i, true);
		return true;
	}
	if (news == FOLLOW_GREW)
		it->grew = clock_ms();
	named = follow_names(it->follow);
	if (news != FOLLOW_SAME)
		load_sums(l, it);
	return named || news != FOLLOW_SAME;
}

bool load_changed(struct view_load *l)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++)
		any |= load_look(l, i);
	l->version += any;
	return any;
}

void load_release(struct view_load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		sums_release(&l->items[i].sums, &l->items[i].store);
		follow_free(l->items[i].follow);
		event_store_release(&l->items[i].store);
		if (l->items[i].session)
			session_release(l->items[i].session);
		free(l->items[i].session);
		free(l->items[i].folder);
	}
	cli_symbolizer_end(l->symbolizer);
	cli_symbols_release(&l->symbols);
	free(l->items);
	free(l->names);
}
