/* SPDX-License-Identifier: MIT */
#include "cmd/tm-merge/run.h"

#include "lib/base/mem.h"
#include "lib/profile/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_line(const struct aggregate_reader *r, struct buf *line)
{
	line->len = 0;
	aggregate_line_add(line, r->key.data, r->key.len, r->known, r->n_known);
	cli_write(line->data, line->len);
}

/* Loss of which nothing is known cannot be reported, and was not counted. */
static void report_pruned(const struct aggregate_prune *p)
{
	for (enum key k = 0; k < KEYS; k++) {
		const struct aggregate_prune_lost *l = &p->lost[k];
		struct buf b = BUF_INIT;

		aggregate_lost_text(&b, &l->sums);
		if (l->entities)
			cli_note(NULL, "--min leaves out %" PRIu64 " %s%s%s", l->entities,
				 key_plurals[k], b.len ? ": " : "", buf_str(&b));
		buf_release(&b);
	}
}

/* A whole aggregate in an unlinked file, pruned into another or to the output. */
static enum status merge_run_prune(struct cli_merge_request *q, FILE *from, FILE *to, struct err *e)
{
	struct input in = {0};
	struct aggregate_reader r;
	struct aggregate_writer w;
	enum status st = input_fd(&in, fileno(from), "merged", e);

	if (st)
		return st;
	aggregate_reader_init(&r, &in.cur);
	aggregate_writer_init(&w, to, NULL);
	st = aggregate_prune(&r, &q->prune, &w, e);
	if (!st)
		aggregate_writer_end(&w);
	fflush(to);
	aggregate_writer_release(&w);
	aggregate_reader_release(&r);
	input_close(&in);
	if (!st)
		report_pruned(&q->prune);
	return st;
}

static enum status print_lines(FILE *from, struct err *e)
{
	struct input in = {0};
	struct aggregate_reader r;
	struct buf line = BUF_INIT;
	enum status st = input_fd(&in, fileno(from), "merged", e);

	aggregate_reader_init(&r, &in.cur);
	while (!st && !(st = aggregate_reader_next(&r, e)))
		put_line(&r, &line);
	aggregate_reader_release(&r);
	input_close(&in);
	buf_release(&line);
	return st == ST_NONE ? ST_OK : st;
}

static FILE *temporary(struct err *e)
{
	int fd = input_temporary(e);

	return fd < 0 ? NULL : fdopen(fd, "w+");
}

/* Lines that are sorted already, joined; as lines again, or as an aggregate. */
static enum status merge_lines(struct cli_merge_request *q, const char *path, FILE *to,
			       struct err *e)
{
	struct input in = {0};
	struct aggregate_lines l;
	struct aggregate_writer w;
	struct aggregate_account account = {0, 0};
	struct buf line = BUF_INIT;
	enum status st = input_open(&in, path, e);
	bool first = true;

	aggregate_lines_init(&l, &in.cur);
	aggregate_writer_init(&w, q->lines ? NULL : to, &line);
	line.len = 0;
	while (!st && !(st = aggregate_lines_next(&l, e))) {
		if (first && !q->lines && l.key.data[0] != AGG_HEAD) {
			st = err_set(e, ST_BAD,
				     "the lines are a part of an aggregate: its head is missing");
			break;
		}
		first = false;
		if (!q->lines) {
			st = aggregate_lines_account(&l, &account, e);
			if (!st && l.record.key.kind == AGG_INPUT && l.record.counts[0] > 1 &&
			    !q->merge.allow_duplicates)
				st = err_set(e, ST_BAD,
					     "the input '%.*s' is there %" PRIu64
					     " times (--allow-duplicates)",
					     (int)l.record.texts[0].n, l.record.texts[0].s,
					     l.record.counts[0]);
			if (st)
				break;
			aggregate_writer_add(&w, l.key.data, l.key.len, l.known.data, l.known.len);
			continue;
		}
		line.len = 0;
		aggregate_line_add(&line, l.key.data, l.key.len, l.known.data, l.known.len);
		cli_write(line.data, line.len);
	}
	if (st == ST_NONE && first && !q->lines)
		st = err_set(e, ST_BAD, "there is nothing to merge");
	if (st == ST_NONE && !q->lines && aggregate_account_check(&account, e)) {
		st = err_failure(e);
		err_prefix(e, "lines are missing, or there twice");
	}
	if (st == ST_NONE && !q->lines)
		aggregate_writer_end(&w);
	aggregate_writer_release(&w);
	aggregate_lines_release(&l);
	input_close(&in);
	buf_release(&line);
	return st == ST_NONE ? ST_OK : st;
}

bool cli_merge_run(struct cli_merge_request *q, int n, char **operands)
{
	bool later = q->prune_below || (q->lines && !q->from_lines);
	struct err e = ERR_INIT;
	FILE *merged = later ? temporary(&e) : stdout, *pruned = NULL;
	const char *name = NULL;
	enum status st = merged ? ST_OK : e.code;
	bool is_reported = false;

	if (!st && q->from_lines) {
		cli_reject_tty(n);
		name = n && strcmp(operands[0], "-") ? operands[0] : "<stdin>";
		st = merge_lines(q, n ? operands[0] : "-", merged, &e);
	} else if (!st) {
		for (int i = 0; i < n; i++)
			cli_merge_add(&q->merge, operands[i]);
		for (size_t i = 0; i < q->lists.n; i++)
			cli_merge_list(&q->merge, q->lists.items[i]);
		is_reported = !cli_merge_end(&q->merge, merged);
	}
	fflush(merged ? merged : stdout);
	if (!st && !is_reported && q->prune_below) {
		name = NULL;
		pruned = q->lines ? temporary(&e) : stdout;
		st = pruned ? merge_run_prune(q, merged, pruned, &e) : e.code;
	}
	if (!st && !is_reported && later && q->lines)
		st = print_lines(pruned ? pruned : merged, &e);
	if (st)
		cli_fail(name, &e);
	if (merged && merged != stdout)
		fclose(merged);
	if (pruned && pruned != stdout)
		fclose(pruned);
	return !st && !is_reported;
}
