/* SPDX-License-Identifier: MIT */
#include "lib/cli/symbols.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void cli_symbols_file_release(struct cli_symbols_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		trace_free(f->captures[i]);
	if (f->store)
		event_store_release(f->store);
	free(f->store);
	free(f->captures);
	free(f->path);
}

void cli_symbols_add(struct cli_symbols *s, struct cli_symbols_file *f, const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		cli_symbols_file_release(f);
		return;
	}
	f->path = mem_strdup(path);
	f->device = st.st_dev;
	f->inode = st.st_ino;
	VEC_PUSH(s->files, s->n, s->cap) = *f;
}

void cli_symbols_release(struct cli_symbols *s)
{
	for (size_t i = 0; i < s->n; i++)
		cli_symbols_file_release(&s->files[i]);
	free(s->files);
	s->files = NULL;
	s->n = s->cap = 0;
}

static struct trace *symbols_of(const struct cli_symbols_tap *t)
{
	return t->capture < t->file->n ? t->file->captures[t->capture] : NULL;
}

static enum status symbols_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct trace *from = symbols_of((struct cli_symbols_tap *)tap);

	(void)e;
	if (from && !t->symbols.n_bindings) {
		t->symbols = from->symbols;
		from->symbols = (struct trace_symbols){.n_objects = 0};
	}
	return ST_OK;
}

static enum status symbols_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct cli_symbols_tap *s = (struct cli_symbols_tap *)tap;
	const struct trace *from = symbols_of(s);

	(void)e;
	for (size_t i = 0; from && i < from->n_notes; i++) {
		const struct trace_note *note = &from->notes[i];

		trace_note(t, note->severity, note->count, "%s", note->text);
		t->notes[t->n_notes - 1].symbolizing = true;
		s->lossy |= note->severity == NOTE_LOSS;
	}
	return ST_OK;
}

/* An operand may be read again. Who keeps the trace has its symbols, too, and leaves none. */
static void symbols_ended(struct sink_tap *tap, struct trace *t)
{
	struct cli_symbols_tap *s = (struct cli_symbols_tap *)tap;
	struct trace *from = symbols_of(s);

	if (from && !from->symbols.n_bindings) {
		from->symbols = t->symbols;
		t->symbols = (struct trace_symbols){.n_objects = 0};
	}
	s->capture++;
}

static const struct tap_hooks symbols_hooks = {
    .begin = symbols_begin, .end = symbols_end, .ended = symbols_ended};

/* NULL: none, or another file is there now. */
static struct cli_symbols_file *file_at(const struct cli_symbols *s, const char *path)
{
	struct stat st;

	for (size_t i = 0; s && i < s->n; i++) {
		struct cli_symbols_file *f = &s->files[i];

		if (!strcmp(f->path, path) && !stat(path, &st) && f->device == st.st_dev &&
		    f->inode == st.st_ino)
			return f;
	}
	return NULL;
}

const struct event_store *cli_symbols_store(const struct cli_symbols *s, const char *path)
{
	const struct cli_symbols_file *f = file_at(s, path);

	return f ? f->store : NULL;
}

struct sink *cli_symbols_sink(struct cli_symbols_tap *t, struct cli_symbols *s, const char *path,
			      struct sink *to)
{
	struct cli_symbols_file *f = file_at(s, path);

	*t = (struct cli_symbols_tap){.file = f};
	if (!f)
		return to;
	sink_tap_init(&t->tap, to, &symbols_hooks, false);
	return &t->tap.sink;
}
