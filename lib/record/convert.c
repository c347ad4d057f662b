/* SPDX-License-Identifier: MIT */
#include "lib/record/convert.h"

#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/recorder/base/far.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct both { /* the form and the modules from one reading */
	struct sink sink;
	struct sink *form, *maps;
	struct convert *c;
};

static enum status convert_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct both *b = (struct both *)s;
	enum status st = b->form->begin(b->form, t, e);

	return st ? st : b->maps->begin(b->maps, t, e);
}

static enum status convert_event(struct sink *s, struct trace *t, const struct event *ev,
				 struct err *e)
{
	return sink_pass(((struct both *)s)->form, t, ev, 1, e);
}

static enum status convert_events(struct sink *s, struct trace *t, const struct event *ev, size_t n,
				  struct err *e)
{
	return sink_pass(((struct both *)s)->form, t, ev, n, e);
}

static enum status convert_end(struct sink *s, struct trace *t, struct err *e)
{
	struct both *b = (struct both *)s;
	enum status st = b->maps->end(b->maps, t, e);

	if (!st)
		st = b->form->end(b->form, t, e);
	b->c->ended(t);
	return st;
}

static enum status read_all(struct both *b, int fd, struct err *e)
{
	const struct import_options o = {.format = "trace"};
	struct input in = {0};
	char path[32];
	bool lossy;
	enum status st;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	st = input_open(&in, path, e);
	if (!st)
		st = capture_read(&in, &o, &b->sink, &lossy, e);
	input_close(&in);
	return st;
}

static enum status write_maps(struct export *maps, FILE *out, const char *path, struct err *e)
{
	enum status st = maps->finish(maps, e);

	if (fclose(out) && !st)
		st = err_sys(e, "write");
	return st ? err_of_file(e, "module map", path) : ST_OK;
}

static void keep_first(enum status *st, struct err *e, enum status new, const struct err *of_new)
{
	if (*st || !new)
		return;
	*st = new;
	*e = *of_new;
}

static enum status convert(struct convert *c, int fd, FILE *to, const char *path, struct err *e)
{
	const struct export_options o = {.domain = EXPORT_DOMAIN_AGENT, .live = c->server};
	struct both b = {.sink = {.begin = convert_begin,
				  .event = convert_event,
				  .end = convert_end,
				  .events = convert_events},
			 .c = c};
	FILE *out = fopen(path, "we");
	struct export *form, *maps;
	struct err second = ERR_INIT;
	enum status st;

	if (!out) {
		err_sys(e, "cannot write");
		return err_of_file(e, "module map", path);
	}
	form = c->form->open(&o, to, e);
	maps = exporter_by_name("maps")->open(&o, out, e);
	b.form = form->sink;
	b.maps = maps->sink;
	st = read_all(&b, fd, e);
	keep_first(&st, e, form->finish(form, &second), &second);
	memcpy(c->summary, form->summary, sizeof form->summary);
	keep_first(&st, e, write_maps(maps, out, path, &second), &second);
	form->free(form);
	maps->free(maps);
	return st;
}

enum status convert_program(struct convert *c, struct launch *l, char **argv, struct err *e)
{
	struct buf maps = BUF_INIT, smaps = BUF_INIT;
	struct err second = ERR_INIT;
	FILE *to = c->out;
	enum status st;
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return err_sys(e, "cannot make a pipe");
	buf_addf(&maps, "%s.maps", c->name);
	buf_addf(&smaps, "%s.smaps", c->name);
	l->fd = cap_far(pipes[1], 0);
	pid = launch(l, argv);
	st = pid < 0 ? err_sys(e, "cannot start a process") : ST_OK;
	close(l->fd);
	signal(SIGPIPE, SIG_IGN);
	if (!st && c->server) {
		to = serve_begin(c->server, pid, buf_str(&smaps), buf_str(&maps), c->out);
		st = to ? ST_OK : err_sys(e, "cannot serve");
	}
	if (!st)
		st = convert(c, pipes[0], to, buf_str(&maps), e);
	/* Behind this the program's runtime sees that its output is not read, and stops
	 * recording. */
	close(pipes[0]);
	if (to && to != c->out && fclose(to))
		keep_first(&st, e, err_sys(&second, "write"), &second);
	if (c->out && fclose(c->out))
		keep_first(&st, e, err_sys(&second, "write"), &second);
	if (pid > 0)
		c->status = launch_wait(&c->sig, NULL);
	if (c->server)
		serve_end(c->server, c->wait_ms, c->summary, sizeof c->summary);
	buf_release(&maps);
	buf_release(&smaps);
	return st;
}
