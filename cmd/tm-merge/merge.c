/* SPDX-License-Identifier: MIT */
#include "cmd/tm-merge/merge.h"

#include "lib/base/arena.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/profile/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MERGE_LEVELS = 12, ENDS_MAX = MERGE_FILES * (MERGE_LEVELS + 1), NAME_MAX_LINE = 64 << 10 };

struct merge_rounds { /* from the first file to cli_merge_release */
	struct merge_file {
		const char *name; /* of a round: its first file's */
		FILE *f;          /* a round's result; NULL: to be opened by its name */
		size_t number;    /* of names */
	} waiting[MERGE_FILES], levels[MERGE_LEVELS][MERGE_FILES];
	size_t n_waiting, n_level[MERGE_LEVELS];
	const char **names;
	size_t cap_names;
	struct arena texts;
	struct map64 seen; /* an input's hash -> the name it came in, + 1 */
	bool failed;
};

static struct merge_rounds *rounds_of(struct cli_merge *m)
{
	if (!m->rounds)
		m->rounds = mem_zalloc(sizeof *m->rounds);
	return m->rounds;
}

void cli_merge_release(struct cli_merge *m)
{
	struct merge_rounds *r = m->rounds;

	for (size_t l = 0; r && l < MERGE_LEVELS; l++)
		for (size_t i = 0; i < r->n_level[l]; i++)
			fclose(r->levels[l][i].f);
	if (r) {
		free(r->names);
		arena_release(&r->texts);
		map64_release(&r->seen);
	}
	free(r);
	*m = (struct cli_merge){.n = 0};
}

struct round {
	struct cli_merge *m;
	const struct merge_file *files;
};

/* The same input in two files, or twice in one. */
static enum status cli_merge_saw_input(void *arg, size_t which, const struct aggregate_record *r,
				       struct err *e)
{
	const struct round *round = arg;
	struct merge_rounds *rounds = round->m->rounds;
	const struct merge_file *f = &round->files[which];
	uint64_t id = r->key.hash ^ hash_u64(r->key.bytes);
	uint32_t *at;

	if (f->f)
		return ST_OK; /* its files have been looked at */
	at = map64_put(&rounds->seen, id);
	if (!*at && r->counts[0] < 2) {
		*at = (uint32_t)f->number + 1;
		return ST_OK;
	}
	if (!*at) {
		*at = (uint32_t)f->number + 1;
		cli_note(f->name, "holds the input '%.*s' (%016" PRIx64 ") %" PRIu64 " times",
			 (int)r->texts[0].n, r->texts[0].s ? r->texts[0].s : "", r->key.hash,
			 r->counts[0]);
		return ST_OK;
	}
	if (!round->m->allow_duplicates)
		return err_set(e, ST_BAD,
			       "its input '%.*s' (%016" PRIx64
			       ") is in '%s' too and would count twice (--allow-duplicates)",
			       (int)(r->texts[0].n < 100 ? r->texts[0].n : 100),
			       r->texts[0].s ? r->texts[0].s : "", r->key.hash,
			       rounds->names[*at - 1]);
	cli_note(f->name, "its input '%.*s' (%016" PRIx64 ") is in '%s' too and counts again",
		 (int)r->texts[0].n, r->texts[0].s ? r->texts[0].s : "", r->key.hash,
		 rounds->names[*at - 1]);
	return ST_OK;
}

static enum status open_one(const struct merge_file *f, struct input *in, struct err *e)
{
	enum status st = f->f ? input_fd(in, fileno(f->f), f->name, e) : input_open(in, f->name, e);

	if (!st && !aggregate_is(&in->cur) && !cursor_failed(&in->cur))
		st = err_set(
		    e, ST_BAD,
		    "not an aggregate: tm-compare --save-baseline makes one from a capture");
	return st ? st : cursor_failed(&in->cur) ? err_failure(e) : ST_OK;
}

static bool cli_merge_files(struct cli_merge *m, const struct merge_file *files, size_t n, FILE *to)
{
	struct input *in = mem_zarray(n + 1, sizeof *in);
	struct aggregate_reader *all = mem_zarray(n + 1, sizeof *all);
	struct round round = {m, files};
	struct aggregate_merge_options o = {.input = cli_merge_saw_input, .arg = &round};
	struct aggregate_merge_fault fault = {0, SIZE_MAX};
	struct aggregate_writer w;
	struct err e = ERR_INIT;
	enum status st = ST_OK;

	for (size_t i = 0; i < n && !st; i++) {
		fault.which = i;
		st = open_one(&files[i], &in[i], &e);
		aggregate_reader_init(&all[i], &in[i].cur);
	}
	aggregate_writer_init(&w, to, NULL);
	if (!st)
		st = aggregate_merge(all, n, &o, &w, &fault, &e);
	if (!st) {
		aggregate_writer_end(&w);
		if (fflush(to) || ferror(to)) {
			st = err_sys(&e, "cannot write the result");
			fault = (struct aggregate_merge_fault){SIZE_MAX, SIZE_MAX};
		}
	}
	if (st && fault.other != SIZE_MAX) {
		e.offset = ERR_NO_OFFSET;
		err_prefix(&e, "does not merge with '%s'", files[fault.other].name);
	}
	if (st)
		cli_fail(fault.which != SIZE_MAX ? files[fault.which].name : NULL, &e);
	aggregate_writer_release(&w);
	for (size_t i = 0; i < n; i++) {
		aggregate_reader_release(&all[i]);
		input_close(&in[i]);
	}
	free(in);
	free(all);
	m->rounds->failed |= st != ST_OK;
	return !st;
}

/* Files into an unlinked one, which goes a level higher; full levels go on. */
static void cli_merge_round_up(struct cli_merge *m, struct merge_file *files, size_t *n,
			       size_t level)
{
	struct merge_rounds *r = m->rounds;
	struct err e = ERR_INIT;
	int fd = input_temporary(&e);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
	struct merge_file made = {.name = files[0].name, .f = f};

	if (!f || level == MERGE_LEVELS) {
		cli_fail(NULL, &e);
		r->failed = true;
		if (f)
			fclose(f);
		return;
	}
	cli_merge_files(m, files, *n, f);
	for (size_t i = 0; i < *n; i++)
		if (files[i].f)
			fclose(files[i].f);
	*n = 0;
	r->levels[level][r->n_level[level]++] = made;
	if (!r->failed && r->n_level[level] == MERGE_FILES)
		cli_merge_round_up(m, r->levels[level], &r->n_level[level], level + 1);
}

void cli_merge_add(struct cli_merge *m, const char *name)
{
	struct merge_rounds *r = rounds_of(m);
	const char *text;

	if (r->failed)
		return;
	text = arena_strndup(&r->texts, name, strlen(name));
	r->waiting[r->n_waiting++] = (struct merge_file){.name = text, .number = m->n};
	VEC_PUSH(r->names, m->n, r->cap_names) = text;
	if (r->n_waiting == MERGE_FILES)
		cli_merge_round_up(m, r->waiting, &r->n_waiting, 0);
}

void cli_merge_list(struct cli_merge *m, const char *path)
{
	struct merge_rounds *r = rounds_of(m);
	struct input in = {0};
	struct err e = ERR_INIT;
	enum status st = input_open(&in, path, &e);

	while (!st && !r->failed && !cursor_done(&in.cur)) {
		size_t n;
		const char *s = cursor_line(&in.cur, &n, NAME_MAX_LINE);
		char *name = s && n ? mem_strndup(s, n) : NULL;

		if (name)
			cli_merge_add(m, name);
		free(name);
	}
	if (st || cursor_failed(&in.cur)) {
		cli_fail(strcmp(path, "-") ? path : "<stdin>", &e);
		r->failed = true;
	}
	input_close(&in);
}

bool cli_merge_end(struct cli_merge *m, FILE *to)
{
	struct merge_rounds *r = rounds_of(m);
	struct merge_file *all = mem_array(ENDS_MAX, sizeof *all);
	size_t n = 0;

	for (size_t i = 0; i < r->n_waiting; i++)
		all[n++] = r->waiting[i];
	for (size_t l = 0; l < MERGE_LEVELS; l++)
		for (size_t i = 0; i < r->n_level[l]; i++)
			all[n++] = r->levels[l][i];
	if (!r->failed && !n) {
		struct err e = ERR_INIT;

		err_set(&e, ST_BAD, "there is nothing to merge");
		cli_fail(NULL, &e);
		r->failed = true;
	}
	if (!r->failed)
		cli_merge_files(m, all, n, to);
	free(all);
	return !r->failed;
}
