/* SPDX-License-Identifier: MIT
 *
 * The loop over a program's inputs: each operand opened, its reader chosen, its captures read.
 */
#include "lib/base/num.h"
#include "lib/cli/cli.h"
#include "lib/cli/session.h"
#include "lib/cli/symbols.h"
#include "lib/profile/file.h"
#include "lib/trace/known_marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const cli_location_choices[] = {"auto", "return", "exact", "entry", "sample", NULL};
const char *const cli_offset_choices[] = {"auto", "file", "vaddr", NULL};

/* Reported once and at once, whether or not a reader comes to need it. */
static void need_file(const char *option, const char *path)
{
	if (!path || !access(path, R_OK))
		return;
	cli_die(path, "--%s: %s", option, strerror(errno));
}

void cli_import_done(struct cli_import *i)
{
	static const uint8_t kinds[] = {LOCATION_UNSTATED, LOCATION_RETURN, LOCATION_EXACT,
					LOCATION_ENTRY, LOCATION_SAMPLE};
	static const uint8_t spaces[] = {0, SPACE_FILE_OFFSET, SPACE_VADDR};

	i->find_slide = i->may_find_slide && i->slide && !strcmp(i->slide, "auto");
	i->options.has_slide = i->slide && !i->find_slide;
	if (i->options.has_slide && !num_auto(i->slide, strlen(i->slide), &i->options.slide))
		cli_usage("--slide: '%s' is not a number%s", i->slide,
			  strcmp(i->slide, "auto") ? "" : "; tm-symbolize --slide auto finds it");
	i->options.locations = kinds[i->locations];
	i->options.offsets = spaces[i->offsets];
	if (i->options.format && !reader_by_name(i->options.format, NULL))
		cli_usage("--format: '%s' is not a format (tm-import --list-formats has the list)",
			  i->options.format);
	need_file("maps", i->options.maps);
	need_file("config", i->options.config);
}

const struct event_store *cli_preloaded(const char *operand)
{
	const struct cli_host *h = cli_now->host;

	return h && h->store ? h->store(h->arg, operand) : NULL;
}

void cli_prefetch(const char *operand, const struct tally_options *o)
{
	const struct cli_host *h = cli_now->host;

	if (h && h->prefetch)
		h->prefetch(h->arg, operand ? cli_preloaded(operand) : NULL, o);
}

static enum status open_one(struct input *in, const char *path, const struct event_store *store,
			    struct err *e)
{
	if (!store)
		return input_open(in, path, e);
	input_memory(in, path, buf_at(&store->raw, 0), store->raw.len, e);
	return ST_OK;
}

static void inputs_reading(const struct input *in)
{
	cli_progress("reading", input_consumed(in), in->size);
}

static struct sink *as_marked(struct known_marks *marks, struct sink *to)
{
	return known_marks_any(marks) ? &marks->forward.sink : to;
}

static void report_no_frames(const struct cli_loop *l, const struct known_marks *marks)
{
	if (l->frames_selected && known_marks_none(marks))
		cli_note(l->file,
			 "no frames are marked: --frame selects nothing; --time selects by "
			 "time");
}

/* What happened when it was read happens again. */
static void read_store(struct cli_loop *l, const struct event_store *k)
{
	struct known_marks marks;
	struct err e = k->why;

	known_marks_init(&marks, l->sink);
	if (l->marks && !e.code)
		event_store_replay(k, &marks.find, &e);
	report_no_frames(l, &marks);
	if (!e.code)
		event_store_replay(k, as_marked(&marks, l->sink), &e);
	l->failed = e.code;
	if (e.code) {
		cli_fail(l->file, &e);
		known_marks_release(&marks);
		return;
	}
	known_marks_release(&marks);
	l->lossy |= k->lossy;
	l->read++;
	if (l->after)
		l->after(l->arg, l->file);
}

/* A reading before the reading: marks of frames that come behind events of their time. What it says is said
 * again; what can be read but once has its marks from their places on. */
static void find_marks(struct cli_loop *l, const char *path, const struct event_store *store,
		       struct known_marks *marks)
{
	struct input in = {0};
	struct err e = ERR_INIT;
	struct stat st;
	bool lossy = false;

	if (!store && (!strcmp(path, "-") || stat(path, &st) ||
		       (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))))
		return;
	if (open_one(&in, path, store, &e))
		return;
	if (!l->instead || !aggregate_is(&in.cur))
		capture_read(&in, l->import, &marks->find, &lossy, &e);
	input_close(&in);
}

static void inputs_read_one(struct cli_loop *l, const char *path)
{
	const struct event_store *store = cli_preloaded(path),
				 *kept = l->digest ? NULL : cli_symbols_store(l->symbols, path);
	struct known_marks marks;
	struct err e = ERR_INIT;
	struct input in = {0};
	struct cli_watch w;
	struct cli_symbols_tap symbols;
	struct sink *to;
	bool lossy = false, taken = false;
	enum status st;

	l->file = strcmp(path, "-") ? path : "<stdin>";
	if (kept || (store && !store->raw.len)) {
		read_store(l, kept ? kept : store);
		return;
	}
	known_marks_init(&marks, l->sink);
	if (l->marks)
		find_marks(l, path, store, &marks);
	report_no_frames(l, &marks);
	to = cli_symbols_sink(&symbols, l->symbols, path, as_marked(&marks, l->sink));
	st = open_one(&in, path, store, &e);
	if (!st)
		input_watch(&in, inputs_reading);
	if (!st && l->digest)
		input_want_digest(&in, l->digest);
	if (!st && l->instead)
		st = l->instead(l->arg, &in, &taken, &e);
	if (!st && !taken)
		st = capture_read(&in, l->import, cli_watch(&w, &in, to), &lossy, &e);
	if (!st && l->digest)
		st = input_digest(&in, &e);
	input_close(&in);
	known_marks_release(&marks);
	cli_progress_clear();
	l->lossy |= lossy | symbols.lossy;
	l->failed = st;
	if (st) {
		cli_fail(l->file, &e);
		return;
	}
	l->read++;
	if (l->after)
		l->after(l->arg, l->file);
}

void cli_reject_tty(int n)
{
	if (!n && isatty(STDIN_FILENO))
		cli_usage("no file is given, and standard input is a terminal");
}

void cli_inputs(struct cli_loop *l, int n, char **operands)
{
	cli_reject_tty(n);
	if (!n)
		inputs_read_one(l, "-");
	for (int i = 0; i < n; i++)
		inputs_read_one(l, operands[i]);
}

enum status cli_read_maps(const char *path, struct buf *text, struct err *e)
{
	enum { MOST = 1 << 30 };
	struct input in = {0};
	enum status st = input_open(&in, path, e);
	size_t n;

	while (!st && (n = cursor_available(&in.cur, 1))) {
		if (n > MOST - text->len)
			st = err_set(e, ST_LIMIT, "larger than a gibibyte");
		else
			buf_add(text, in.cur.pos, n);
		in.cur.pos += n;
	}
	if (!st && cursor_failed(&in.cur))
		st = err_failure(e);
	input_close(&in);
	return st ? err_of_file(e, "module map", path) : ST_OK;
}

void cli_need_folder(const char *option, const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return;
	cli_error(path, "--%s: no such folder", option);
	cli_status(EXIT_INPUT);
}
