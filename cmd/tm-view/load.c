/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/load.h"

#include "lib/aggregate/file.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void load_start(struct view_load *l, int n, char **operands, const struct import_options *import,
		bool symbols)
{
	*l = (struct view_load){.import = import, .n = (size_t)n};
	l->items = mem_zarray((size_t)n + 1, sizeof *l->items);
	l->names = mem_zarray((size_t)n + 1, sizeof *l->names);
	for (int i = 0; i < n; i++)
		l->names[i] = operands[i];
	if (symbols)
		cli_named_start(&l->named, n, operands, import, false);
}

static enum status take_raw(struct input *in, struct buf *to)
{
	const uint8_t *p;
	size_t n;

	while ((n = cursor_available(&in->cur, 1)) > 0) {
		p = cursor_bytes(&in->cur, n, "aggregate");
		if (!p)
			return in->cur.e->code;
		buf_add(to, p, n);
	}
	return in->cur.e->code;
}

/* The pipe of what names it, if anything comes through; else the file. */
static enum status open_one(struct view_load *l, struct input *in, const char *path, struct err *e)
{
	int fd = cli_named_take(&l->named, path);

	if (fd >= 0) {
		if (!input_pipe(in, fd, path, e) && cursor_available(&in->cur, 1))
			return ST_OK;
		input_close(in);
		*e = (struct err)ERR_INIT;
	}
	return input_open(in, path, e);
}

static bool look(const char *path, int64_t *changed, uint64_t *size)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	*changed = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	*size = (uint64_t)st.st_size;
	return true;
}

static void load_one(struct view_load *l, size_t i, bool tell)
{
	struct view_loaded *to = &l->items[i];
	struct kept *k = &to->kept;
	struct err e = ERR_INIT;
	struct input in = {0};
	struct cli_watch w;
	uint64_t begin = (uint64_t)clock_process_ns();
	enum status st;

	kept_release(k);
	kept_init(k, l->names[i]);
	look(l->names[i], &to->changed, &to->size);
	st = open_one(l, &in, l->names[i], &e);
	if (!st && aggregate_is(&in.cur))
		st = take_raw(&in, &k->raw);
	else if (!st)
		st = capture_read(&in, l->import, cli_watch(&w, &in, &k->sink), &k->lossy, &e);
	input_close(&in);
	cli_progress_clear();
	if (st) {
		k->why = e;
		k->raw.len = 0;
		if (tell)
			cli_error(l->names[i], "%s", e.msg);
	}
	to->ns = (uint64_t)clock_process_ns() - begin;
}

void load_all(struct view_load *l, bool tell)
{
	for (size_t i = 0; i < l->n; i++)
		load_one(l, i, tell);
	l->version++;
}

bool load_changed(struct view_load *l)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		int64_t changed;
		uint64_t size;

		if (!look(l->names[i], &changed, &size) ||
		    (changed == l->items[i].changed && size == l->items[i].size))
			continue;
		load_one(l, i, true);
		any = true;
	}
	l->version += any;
	return any;
}

struct kept *load_find(struct view_load *l, const char *operand)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->names[i], operand))
			return &l->items[i].kept;
	return NULL;
}

void load_release(struct view_load *l)
{
	for (size_t i = 0; i < l->n; i++)
		kept_release(&l->items[i].kept);
	cli_named_release(&l->named);
	free(l->items);
	free(l->names);
}
