/* SPDX-License-Identifier: MIT
 *
 * The progress line on stderr.
 */
#include "lib/base/clock.h"
#include "lib/cli/cli.h"
#include "lib/trace/allocs.h"
#include "lib/trace/blocks.h"

#include <string.h>
#include <unistd.h>

static int mode;
static bool shown;
static double started, last;

void cli_progress_mode(int m)
{
	mode = m;
}

void cli_progress(const char *what, uint64_t done, uint64_t total)
{
	static const char *current;
	double t;

	if (mode == 2 || cli_quiet || (mode == 0 && !isatty(STDERR_FILENO)))
		return;
	t = clock_seconds();
	if (!current || strcmp(current, what)) {
		current = what;
		started = last = t;
	}
	/* Always: a line at once, for logs. Else nothing before half a second has gone by. */
	if (t - last < 0.2 && !(mode == 1 && last == started))
		return;
	if (mode == 0 && t - started < 0.5)
		return;
	last = t;
	shown = mode == 0;
	if (total && done <= total)
		fprintf(stderr, "%s%s: %3.0f%%, %.0f s left   %s", mode ? "" : "\r", what,
			100.0 * (double)done / (double)total,
			done ? (t - started) * (double)(total - done) / (double)done : 0.0,
			mode ? "\n" : "");
	else
		fprintf(stderr, "%s%s: %llu, %.0f s   %s", mode ? "" : "\r", what,
			(unsigned long long)done, t - started, mode ? "\n" : "");
}

void cli_progress_clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}

static enum status progress_watch_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct cli_watch *w = (struct cli_watch *)s;

	return w->to->begin(w->to, t, e);
}

static enum status progress_watch_event(struct sink *s, struct trace *t, const struct event *ev,
					struct err *e)
{
	struct cli_watch *w = (struct cli_watch *)s;

	if (++w->events % 65536 == 0)
		cli_progress("reading", input_consumed(w->in), w->in->size);
	return w->to->event(w->to, t, ev, e);
}

static void progress_count(struct cli_watch *w, size_t n)
{
	if ((w->events + n) / 65536 != w->events / 65536)
		cli_progress("reading", input_consumed(w->in), w->in->size);
	w->events += n;
}

static enum status progress_watch_events(struct sink *s, struct trace *t, const struct event *ev,
					 size_t n, struct err *e)
{
	struct cli_watch *w = (struct cli_watch *)s;

	progress_count(w, n);
	return sink_pass(w->to, t, ev, n, e);
}

static enum status progress_watch_blocks(struct sink *s, struct trace *t,
					 const struct sink_blocks *b, struct err *e)
{
	struct cli_watch *w = (struct cli_watch *)s;

	progress_count(w, b->n);
	return w->to->blocks(w->to, t, b, e);
}

static unsigned progress_watch_fields(struct sink *s, const struct trace *t)
{
	return sink_allocs_fields(((struct cli_watch *)s)->to, t);
}

static enum status progress_watch_allocs(struct sink *s, struct trace *t,
					 const struct sink_allocs *a, struct err *e)
{
	struct cli_watch *w = (struct cli_watch *)s;

	progress_count(w, a->n + a->n_free + a->n_freed);
	return w->to->allocs->take(w->to, t, a, e);
}

static const struct sink_takes_allocs progress_takes_allocs = {progress_watch_fields,
							       progress_watch_allocs};

static enum status progress_watch_end(struct sink *s, struct trace *t, struct err *e)
{
	struct cli_watch *w = (struct cli_watch *)s;

	return w->to->end(w->to, t, e);
}

struct sink *cli_watch(struct cli_watch *w, const struct input *in, struct sink *to)
{
	*w = (struct cli_watch){.sink = {progress_watch_begin, progress_watch_event,
					 progress_watch_end,
					 to->events ? progress_watch_events : NULL,
					 to->blocks ? progress_watch_blocks : NULL, NULL,
					 to->allocs ? &progress_takes_allocs : NULL},
				.to = to,
				.in = in};
	return &w->sink;
}
