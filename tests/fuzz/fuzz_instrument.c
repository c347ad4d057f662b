/* SPDX-License-Identifier: MIT
 *
 * The first byte chooses: records, lines, or the files of a uftrace directory, which a bar (|)
 * parts: task.txt, sid-1.map, game.sym, 1.dat.
 */
#include "formats/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum status on_edge(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

static enum status on_event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	(void)s;
	(void)e;
	if ((ev->has & EV_HAS_THREAD) && (!ev->thread || ev->thread >= t->n_threads))
		abort();
	if ((ev->has & EV_HAS_STACK) && (!ev->stack || ev->stack >= t->n_stacks))
		abort();
	return ST_OK;
}

static void from(struct input *in, const char *format, struct err *e)
{
	struct sink sink = {on_edge, on_event, on_edge, NULL};
	struct import_options o = {.format = format};
	bool lossy;

	capture_read(in, &o, &sink, &lossy, e);
	input_close(in);
}

static void folder(const uint8_t *data, size_t n)
{
	static const char info[] = "Ftrace!\0\4\0\0\0\50\0\1\2\42\0\0\0\0\0\0";
	static const char *const names[] = {"info", "task.txt", "sid-1.map", "game.sym", "1.dat"};
	const uint8_t *at = data, *end = data + n;
	char dir[] = "/tmp/fuzz-uftrace-XXXXXX", path[64];
	struct err e = ERR_INIT;
	struct input in;

	if (!mkdtemp(dir))
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const uint8_t *bar = i == 4 ? NULL : memchr(at, '|', (size_t)(end - at));
		FILE *f;

		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		f = fopen(path, "wbe");
		if (!f)
			continue;
		if (!i) {
			fwrite(info, 1, sizeof info - 1, f);
		} else {
			fwrite(at, 1, (size_t)((bar ? bar : end) - at), f);
			at = bar ? bar + 1 : end;
		}
		fclose(f);
	}
	if (!input_open(&in, dir, &e))
		from(&in, "uftrace", &e);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const formats[] = {"instrument", "instrument-text"};
	struct err e = ERR_INIT;
	struct input in;

	if (!n)
		return 0;
	if (data[0] % 3 == 2) {
		folder(data + 1, n - 1);
		return 0;
	}
	reader_by_name(formats[data[0] % 3])->bid(data + 1, n - 1, true);
	input_memory(&in, "fuzz", data + 1, n - 1, &e);
	from(&in, formats[data[0] % 3], &e);
	return 0;
}
