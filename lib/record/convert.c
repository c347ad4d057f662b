/* SPDX-License-Identifier: MIT */
#include "lib/record/convert.h"

#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/recorder/base/high_fd.h"
#include "lib/trace/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct convert_tap {         /* before the form: the modules from the same reading */
	struct sink_tap tap; /* first */
	struct sink *maps;   /* it looks at no event */
	struct convert *c;
};

static enum status convert_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct sink *maps = ((struct convert_tap *)tap)->maps;

	return maps->begin(maps, t, e);
}

static enum status convert_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct sink *maps = ((struct convert_tap *)tap)->maps;

	return maps->end(maps, t, e);
}

static void convert_ended(struct sink_tap *tap, struct trace *t)
{
	((struct convert_tap *)tap)->c->ended(t);
}

static const struct tap_hooks convert_hooks = {
    .begin = convert_begin, .end = convert_end, .ended = convert_ended};

static enum status read_all(struct sink *to, int fd, struct err *e)
{
	const struct import_options o = {.format = "trace"};
	struct input in = {0};
	char path[32];
	bool lossy;
	enum status st;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	st = input_open(&in, path, e);
	if (!st)
		st = capture_read(&in, &o, to, &lossy, e);
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
	struct convert_tap b = {.c = c};
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
	sink_tap_init(&b.tap, form->sink, &convert_hooks, false);
	b.maps = maps->sink;
	st = read_all(&b.tap.sink, fd, e);
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
	l->fd = cap_high_fd(pipes[1], 0);
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
