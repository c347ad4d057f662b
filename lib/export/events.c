/* SPDX-License-Identifier: MIT */
#include "lib/export/events.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/input/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *thread_title(const struct trace *t, uint32_t thread)
{
	const struct thread *th = thread && thread < t->n_threads ? &t->threads[thread] : NULL;
	struct buf b = BUF_INIT;
	char *title;

	if (!th) {
		buf_adds(&b, "no thread");
	} else {
		if (th->process)
			buf_addf(&b, "process %" PRIu32 " ", th->process);
		if (th->name)
			buf_addf(&b, "%s (%" PRIu64 ")", trace_text(t, th->name), th->tid);
		else
			buf_addf(&b, "thread %" PRIu64, th->tid);
		if (th->generation)
			buf_addf(&b, " #%" PRIu32, th->generation);
	}
	title = mem_strdup(buf_str(&b));
	buf_release(&b);
	return title;
}

void events_begin(struct export_events *x, const struct trace *t, const char *file)
{
	(void)t;
	x->capture = file;
	x->captures++;
	x->first_what = x->n_whats;
	x->untimed = x->unclosed = 0;
	map64_release(&x->index);
	map64_release(&x->what_index);
	open_calls_reset(&x->open);
}

static bool open_file(struct export_events *x)
{
	int fd = input_temporary(&x->e);

	if (fd >= 0 && !(x->file = fdopen(fd, "w+b"))) {
		err_sys(&x->e, "temporary file");
		close(fd);
	}
	x->failed = !x->file;
	return !x->failed;
}

static enum status write_block(struct export_events *x, struct events_thread *th)
{
	if (!x->file && !open_file(x))
		return x->e.code;
	memset(th->tail + th->n_tail, 0, (EVENTS_BLOCK - th->n_tail) * sizeof *th->tail);
	if (fwrite(th->tail, sizeof *th->tail, EVENTS_BLOCK, x->file) != EVENTS_BLOCK) {
		x->failed = true;
		return err_sys(&x->e, "temporary file");
	}
	VEC_PUSH(th->blocks, th->n_blocks, th->cap_blocks) = x->n_written++;
	th->n_tail = 0;
	return ST_OK;
}

static void keep(struct export_events *x, struct events_thread *th, struct events_entry entry)
{
	if (th->n_tail == EVENTS_BLOCK && write_block(x, th))
		return;
	entry.at = th->last;
	th->tail[th->n_tail++] = entry;
	th->n_events++;
}

/* A pause begins: what is open ends. */
static void interrupt(struct export_events *x, struct events_thread *th,
		      const struct open_thread *open)
{
	for (size_t i = open->n; open->calls && i-- && !x->failed;)
		keep(x, th, (struct events_entry){.what = open->calls[i].user});
}

/* It is over. */
static void resume(struct export_events *x, struct events_thread *th,
		   const struct open_thread *open)
{
	for (size_t i = 0; i < open->n && !x->failed; i++)
		keep(x, th,
		     (struct events_entry){
			 .what = open->calls[i].user, .enter = true, .continued = true});
}

static struct events_thread *export_events_thread_of(struct export_events *x, const struct trace *t,
						     uint32_t thread, int64_t at)
{
	uint32_t *id = map64_put(&x->index, (uint64_t)thread + 1);

	if (!*id) {
		struct buf b = BUF_INIT;
		char *title = thread_title(t, thread);

		if (x->captures > 1)
			buf_addf(&b, "%s: ", x->capture ? x->capture : "");
		buf_adds(&b, title);
		VEC_PUSH(x->threads, x->n_threads, x->cap_threads) = (struct events_thread){
		    .name = mem_strdup(buf_str(&b)),
		    .first = at,
		    .last = at,
		    .tail = mem_zarray(EVENTS_BLOCK, sizeof(struct events_entry))};
		buf_release(&b);
		free(title);
		*id = (uint32_t)x->n_threads;
	}
	return &x->threads[*id - 1];
}

static uint32_t what_of(struct export_events *x, struct trace *t, const struct event *ev)
{
	uint32_t location = open_calls_location(&x->open, t, ev->type, ev->stack);
	uint32_t *id = map64_put(&x->what_index, location);

	if (!*id) {
		VEC_PUSH(x->whats, x->n_whats, x->cap_whats) =
		    (struct events_what){.location = location};
		*id = (uint32_t)x->n_whats;
	}
	return *id - 1;
}

/* So many of the thread's innermost calls end. */
static void leave(struct export_events *x, struct events_thread *th, struct open_thread *open,
		  size_t n)
{
	while (n-- && !x->failed) {
		struct open_call c = open_calls_pop(open);
		const struct open_call *caller = open_calls_top(open);

		if (!c.pause)
			keep(x, th, (struct events_entry){.what = c.user});
		else if (caller && !caller->pause)
			resume(x, th, open);
	}
}

enum status events_add(struct export_events *x, struct trace *t, const struct event *ev,
		       struct err *e)
{
	struct open_call c = {.type = ev->type, .stack = ev->stack, .pause = open_calls_pause(ev)};
	const struct open_call *top;
	struct open_thread *open;
	struct events_thread *th;

	if (!(ev->has & EV_HAS_TIME)) {
		x->untimed++;
		return ST_OK;
	}
	th = export_events_thread_of(x, t, ev->thread, ev->time);
	open = open_calls_thread(&x->open, ev->thread);
	open_calls_elapsed(&x->open, open, ev->time);
	if (ev->time > th->last)
		th->last = ev->time;
	if (ev->kind == EV_EXIT) {
		leave(x, th, open, open_calls_exit(&x->open, open, t, c.type, c.stack));
	} else {
		top = open_calls_top(open);
		if (top && top->pause)
			c.pause = top->pause;
		else if (c.pause)
			interrupt(x, th, open);
		if (!c.pause)
			c.user = what_of(x, t, ev);
		if (open_calls_enter(&x->open, open, &c) && !c.pause)
			keep(x, th, (struct events_entry){.what = c.user, .enter = true});
	}
	if (x->failed)
		*e = x->e;
	return x->failed ? err_failure(e) : ST_OK;
}

static void note(struct trace *t, enum severity severity, uint64_t n, const char *text)
{
	if (n)
		trace_note(t, severity, n, "%s", text);
}

void events_end(struct export_events *x, struct trace *t)
{
	for (uint32_t i = 0; i < x->open.n; i++) {
		struct open_thread *open = &x->open.threads[i];
		uint32_t th = map64_get(&x->index, (uint64_t)i + 1);

		x->unclosed += open->n;
		if (th)
			leave(x, &x->threads[th - 1], open, open->n);
	}
	note(t, NOTE_LOSS, x->untimed, "enter and exit events have no time: left out");
	note(t, NOTE_LOSS, x->open.orphans, "exits without an enter left out");
	note(t, NOTE_LOSS, x->open.too_deep, "enters nested too deep left out");
	note(t, NOTE_GUESS, x->open.unclosed, "calls ended by the exit of an outer call");
	note(t, NOTE_GUESS, x->unclosed, "calls still open at the end: they end there");
	note(t, NOTE_GUESS, x->open.backward,
	     "events earlier than the event before them in their thread: moved to its time");
}

enum status events_replay(struct export_events *x, size_t thread,
			  void (*each)(void *arg, size_t number, const struct events_entry *entry,
				       uint32_t frame),
			  void *arg, struct err *e)
{
	const struct events_thread *th = &x->threads[thread];
	struct events_entry block[EVENTS_BLOCK];
	size_t number = 0;

	if (x->failed) {
		*e = x->e;
		return err_failure(e);
	}
	for (size_t i = 0; i <= th->n_blocks; i++) {
		const struct events_entry *from = th->tail;
		size_t n = th->n_tail;

		if (i < th->n_blocks) {
			from = block;
			n = EVENTS_BLOCK;
			if (fseeko(x->file, (off_t)th->blocks[i] * (off_t)sizeof block, SEEK_SET) ||
			    fread(block, sizeof block, 1, x->file) != 1)
				return err_sys(e, "temporary file");
		}
		for (size_t k = 0; k < n; k++)
			each(arg, number++, &from[k], x->whats[from[k].what].frame);
	}
	return ST_OK;
}

void events_release(struct export_events *x)
{
	for (size_t i = 0; i < x->n_threads; i++) {
		free(x->threads[i].name);
		free(x->threads[i].blocks);
		free(x->threads[i].tail);
	}
	free(x->threads);
	free(x->whats);
	map64_release(&x->index);
	map64_release(&x->what_index);
	open_calls_release(&x->open);
	if (x->file)
		fclose(x->file);
	*x = (struct export_events){.n_threads = 0};
}
