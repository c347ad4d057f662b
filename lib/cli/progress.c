/* SPDX-License-Identifier: MIT
 *
 * The progress line on stderr.
 */
#include "lib/base/clock.h"
#include "lib/cli/cli.h"
#include "lib/cli/session.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool shown;
static double began, started, last; /* began: the program */

/* A second thread that says how long it takes what cannot say how far it is. */
static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	const char *what;
	bool runs, ends;
} working = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static bool wanted(void)
{
	return cli_now->progress != 2 && !cli_now->quiet && !cli_now->host &&
	       (cli_now->progress == 1 || isatty(STDERR_FILENO));
}

void cli_progress_mode(void)
{
	if (!cli_now->host)
		began = clock_seconds();
}

static void progress_stop_working(void)
{
	if (!working.runs)
		return;
	pthread_mutex_lock(&working.lock);
	working.ends = true;
	pthread_cond_signal(&working.over);
	pthread_mutex_unlock(&working.lock);
	pthread_join(working.thread, NULL);
	working.runs = false;
}

static void *progress_work(void *arg)
{
	enum { HALF = 500, SECOND = 1000, FOR_LOGS = 10000 }; /* ms */
	double from = clock_seconds();
	int mode = cli_now->progress;
	long wait = mode == 1 ? FOR_LOGS : from - began > 0.5 ? 1 : HALF;

	(void)arg;
	pthread_mutex_lock(&working.lock);
	while (!working.ends) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += wait % SECOND * 1000000;
		until.tv_sec += wait / SECOND + until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (!pthread_cond_timedwait(&working.over, &working.lock, &until))
			continue;
		fprintf(stderr, "%s%s: %.0f s   %s", mode ? "" : "\r", working.what,
			clock_seconds() - from, mode ? "\n" : "");
		wait = mode == 1 ? FOR_LOGS : SECOND;
	}
	pthread_mutex_unlock(&working.lock);
	return NULL;
}

void cli_progress_working(const char *what)
{
	int mode = cli_now->progress;

	if (!wanted())
		return;
	cli_progress_clear();
	if (mode == 1)
		fprintf(stderr, "%s\n", what);
	working.what = what;
	working.ends = false;
	working.runs = !pthread_create(&working.thread, NULL, progress_work, NULL);
	shown = working.runs && mode == 0;
}

void cli_progress(const char *what, uint64_t done, uint64_t total)
{
	static const char *current;
	static uint64_t before;
	static double from; /* of this file */
	int mode = cli_now->progress;
	double t;

	if (!wanted())
		return;
	progress_stop_working();
	t = clock_seconds();
	if (!current || strcmp(current, what)) {
		current = what;
		started = last = from = t;
	} else if (done < before) {
		from = t;
	}
	before = done;
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
			done ? (t - from) * (double)(total - done) / (double)done : 0.0,
			mode ? "\n" : "");
	else
		fprintf(stderr, "%s%s: %llu, %.0f s   %s", mode ? "" : "\r", what,
			(unsigned long long)done, t - from, mode ? "\n" : "");
}

void cli_progress_clear(void)
{
	if (cli_now->host)
		return;
	progress_stop_working();
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}

static enum status progress_watch_batch(struct sink_tap *tap, struct trace *t,
					const struct sink_batch *b, struct err *e)
{
	struct cli_watch *w = (struct cli_watch *)tap;

	(void)t, (void)e;
	if ((w->events + b->n) / 65536 != w->events / 65536)
		cli_progress("reading", input_consumed(w->in), w->in->size);
	w->events += b->n;
	return ST_OK;
}

static const struct tap_hooks progress_watch_hooks = {.batch = progress_watch_batch};

struct sink *cli_watch(struct cli_watch *w, const struct input *in, struct sink *to)
{
	*w = (struct cli_watch){.in = in};
	sink_tap_init(&w->tap, to, &progress_watch_hooks, false);
	return &w->tap.sink;
}
