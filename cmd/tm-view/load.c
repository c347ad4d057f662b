/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/load.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/profile/file.h"
#include "lib/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

enum { OFTEN_MS = 1000 };

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

void load_start(struct view_load *l, int n, char **operands, const struct import_options *import,
		const char *when, bool follow)
{
	l->import = import;
	l->n = (size_t)n;
	l->follows = follow;
	l->items = mem_zarray((size_t)n + 1, sizeof *l->items);
	l->names = mem_zarray((size_t)n + 1, sizeof *l->names);
	for (int i = 0; i < n; i++)
		l->names[i] = operands[i];
	if (follow)
		load_start_followed(l);
	else
		cli_autosymbolize(&l->symbols, "tm-view", when, import, l->n, l->names);
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

static void load_one(struct view_load *l, size_t i, bool tell)
{
	struct view_loaded *to = &l->items[i];
	struct event_store *k = &to->store;
	struct err e = ERR_INIT;
	struct input in = {0};
	struct cli_watch w;
	struct cli_symbols_tap symbols = {.lossy = false};
	uint64_t begin = (uint64_t)clock_process_ns();
	enum status st;

	sums_release(&to->sums, k);
	follow_free(to->follow);
	event_store_release(k);
	event_store_init(k, l->names[i]);
	to->grew = clock_ms();
	to->follow = l->follows ? follow_new(l->names[i], l->import, k, l->symbolizer) : NULL;
	if (to->follow && follow_grows(to->follow)) {
		follow_names(to->follow);
		to->ns = (uint64_t)clock_process_ns() - begin;
		load_sums(l, to);
		return;
	}
	/* What was begun of it counts for nothing. */
	event_store_release(k);
	event_store_init(k, l->names[i]);
	st = input_open(&in, l->names[i], &e);
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
	to->ns = (uint64_t)clock_process_ns() - begin;
	load_sums(l, to);
}

void load_all(struct view_load *l, bool tell, bool many)
{
	l->many = many;
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

struct event_store *load_find(struct view_load *l, const char *operand)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->names[i], operand))
			return &l->items[i].store;
	return NULL;
}

void load_release(struct view_load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		sums_release(&l->items[i].sums, &l->items[i].store);
		follow_free(l->items[i].follow);
		event_store_release(&l->items[i].store);
		free(l->items[i].folder);
	}
	cli_symbolizer_end(l->symbolizer);
	cli_symbols_release(&l->symbols);
	free(l->items);
	free(l->names);
}
