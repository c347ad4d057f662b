/* SPDX-License-Identifier: MIT
 *
 * The shadow stack and the times of calls without hooks: random calls, inlined ones, tail calls and
 * exceptions against a naive twin; and a recording of eight threads, read back. Meant for
 * SAN=thread too.
 */
#include "formats/reader.h"
#include "lib/recorder/base/sample.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/spike_log.h"
#include "tests/unit/test.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { FUNCTIONS = 40 };

/* Far apart, so that a hook's address says of which function it is. */
static uintptr_t function_at(unsigned i)
{
	return (uintptr_t)(i + 1) << 20;
}

struct twin {              /* the machine's stack */
	unsigned n, frame; /* calls; frames */
	struct cap_call calls[2000];
};

static struct cap_shadow *fresh(void)
{
	struct cap_shadow *s = cap_shadow_mine();

	s->n = s->over = 0;
	s->odd = 0;
	s->bounds = (struct cap_bounds){.hi = UINTPTR_MAX};
	return s;
}

static bool same(const struct cap_shadow *s, const struct twin *t)
{
	unsigned kept = t->n < CAP_SHADOW ? t->n : CAP_SHADOW;

	return s->n == kept && s->over == t->n - kept &&
	       !memcmp(s->calls, t->calls, kept * sizeof *t->calls);
}

static void call(struct cap_shadow *s, struct twin *t, uint64_t random)
{
	struct cap_call c = {.function = function_at(random % FUNCTIONS)}, *caller = NULL;

	if (t->n)
		caller = &t->calls[t->n - 1];
	c.sp = caller ? caller->sp - 32 - random / 64 % 16 * 16 : (uintptr_t)1 << 40;
	/* A place of the machine function that calls, which is where its hook is. */
	c.site = caller ? (caller->hook & ~(uintptr_t)0xfff) + 64 + random / 4096 % 4 * 8 : 16;
	c.hook = c.function + 8;
	if (caller && random >> 60 == 0) { /* inlined there */
		c.sp = caller->sp;
		c.site = caller->site;
		c.hook = (caller->hook & ~(uintptr_t)0xfff) + 0x800 + (t->n & 63) * 8;
	}
	t->calls[t->n++] = c;
	cap_shadow_enter(s, c.function, c.site, c.sp, c.hook);
}

static bool leave(struct cap_shadow *s, struct twin *t, bool tail)
{
	struct cap_call c = t->calls[--t->n];
	uintptr_t sp = c.sp, hook = c.hook + 16;
	int at;

	/* The hook is jumped to from where the caller's stack pointer is. */
	if (tail && t->n && t->calls[t->n - 1].sp != c.sp) {
		sp = t->calls[t->n - 1].sp;
		hook = c.site;
	}
	at = cap_shadow_exit(s, c.function, c.site, sp, hook);
	if (at >= 0)
		s->n = (unsigned)at;
	return at >= 0 || t->n >= CAP_SHADOW;
}

TEST(shadow_twin)
{
	static struct twin t;
	struct cap_shadow *s = fresh();
	uint64_t random = 4711;

	cap_shadow_counts.orphans = cap_shadow_counts.skipped = 0;
	for (int i = 0; i < 300000; i++) {
		uint64_t r = cap_random(&random), kind = cap_random(&random) % 1000;
		/* Deep in the middle. */
		uint64_t deeper = i / 50000 == 3 ? 530 : 500;

		if (t.n < 1990 && (kind < deeper || !t.n)) {
			call(s, &t, r);
		} else if (kind < 999 || i / 50000 == 3) {
			CHECK(leave(s, &t, r & 1));
		} else { /* an exception: some are over, and are reported by their catcher */
			unsigned n = 1 + (unsigned)(r % t.n);

			while (n && n < t.n && t.calls[n].sp == t.calls[n - 1].sp)
				n--; /* not in the middle of a machine frame */
			if (!n)
				continue;
			t.n = n;
			cap_shadow_caught(t.calls[n - 1].sp);
			/* Which of those that are not kept are over is not known yet. */
			if (n >= CAP_SHADOW)
				s->over = n - CAP_SHADOW;
		}
		if (!same(s, &t)) { /* once */
			CHECK(same(s, &t));
			break;
		}
	}
	CHECK_EQ(atomic_load(&cap_shadow_counts.orphans), 0);
	CHECK(atomic_load(&cap_shadow_counts.deep) > 0);
	CHECK(atomic_load(&cap_shadow_counts.skipped) > 0);
}

TEST(shadow_stale)
{
	struct cap_shadow *s = fresh();
	uintptr_t sp = 0x100000;

	CHECK(cap_shadow_enter(s, 1 << 20, 16, sp, (1 << 20) + 8));
	/* The same function from the same place, again: the first one has gone without an exit. */
	for (int i = 0; i < 3; i++) {
		CHECK(cap_shadow_enter(s, 2 << 20, (1 << 20) + 64, sp - 64, (2 << 20) + 8));
		CHECK_EQ(s->n, 2);
	}
	/* Another one, whose frame is smaller. */
	CHECK(cap_shadow_enter(s, 3 << 20, (1 << 20) + 72, sp - 48, (3 << 20) + 8));
	CHECK(s->n == 2 && s->calls[1].function == 3 << 20);
	/* The caller's exit takes all with it. */
	CHECK_EQ(cap_shadow_exit(s, 1 << 20, 16, sp, (1 << 20) + 90), 0);
	s->n = 0;
	CHECK_EQ(cap_shadow_exit(s, 1 << 20, 16, sp, (1 << 20) + 90), -1);
	/* Not on this stack. */
	s->bounds = (struct cap_bounds){sp - 0x10000, sp + 8, sp - 0x10000};
	CHECK(cap_shadow_foreign(s, sp + 8));
	CHECK(cap_shadow_foreign(s, sp - 0x10008));
	CHECK(!cap_shadow_foreign(s, sp));
	CHECK(cap_shadow_enter(s, 1 << 20, 16, sp, (1 << 20) + 8));
}

/* A recording in a child process, since it is one of the process. */
enum { THREADS = 8, ROUNDS = 4000 };
static struct shared {
	_Atomic uint64_t enters, entries, peaks, wrong;
} * shared;

static __thread int64_t now;
static int64_t clock_of_thread(void)
{
	return now;
}

static void sink(const char *text, size_t n)
{
	static const char head[] = "PET: Function took too long: 2.00 MSec Thread: ";

	atomic_fetch_add(&shared->entries, 1);
	if (n < sizeof head || memcmp(text, head, sizeof head - 1) != 0 || text[n - 1] != '\n')
		atomic_fetch_add(&shared->wrong, 1);
	if (memmem(text, n, " PEAK", 5))
		atomic_fetch_add(&shared->peaks, 1);
}

static void begin_call(struct cap_shadow *s, unsigned i, uintptr_t sp)
{
	cap_shadow_busy(s, true);
	if (cap_shadow_enter(s, function_at(i), function_at(i - 1) + 64, sp, function_at(i) + 8))
		cap_timing_enter(s);
	cap_shadow_busy(s, false);
	atomic_fetch_add(&shared->enters, 1);
}

static void end_call(struct cap_shadow *s, unsigned i, uintptr_t sp)
{
	int at;

	cap_shadow_busy(s, true);
	at = cap_shadow_exit(s, function_at(i), function_at(i - 1) + 64, sp, function_at(i) + 16);
	if (at < 0) {
		atomic_fetch_add(&shared->wrong, 1);
	} else {
		cap_timing_exit(s, (unsigned)at);
		s->n = (unsigned)at;
	}
	cap_shadow_busy(s, false);
}

/* Three levels; the innermost takes 0.5 ms, and 2 ms each hundredth round, of which its callers do
 * not know: it gives them 10. */
static void *work(void *arg)
{
	struct cap_shadow *s = cap_shadow_mine();
	uintptr_t sp;

	if (!cap_bounds_have(&s->bounds, (uintptr_t)__builtin_frame_address(0)))
		atomic_fetch_add(&shared->wrong, 1);
	sp = s->bounds.hi - 64;
	for (int i = 0; i < ROUNDS; i++) {
		for (unsigned level = 1; level <= 3; level++)
			begin_call(s, level, sp - level * 64);
		cap_shadow_busy(s, true);
		for (unsigned level = 0; level < 2; level++)
			s->timing->calls[level].limit = 10000000;
		cap_shadow_busy(s, false);
		now += i % 100 == 99 ? 2000000 : 500000;
		cap_alloc(arg, 10, 16, 0, CAP_HERE);
		for (unsigned level = 3; level; level--)
			end_call(s, level, sp - level * 64);
	}
	return NULL;
}

static void record(const char *path)
{
	static char blocks[THREADS];
	struct cap_settings s;
	pthread_t id[THREADS];
	char text[256];

	atomic_store(&cap_clock, clock_of_thread);
	cap_spike_log_sink(sink);
	snprintf(text, sizeof text, "stacks=shadow calls=all out=%s", path);
	if (!cap_settings_parse(&s, text) || !cap_start(&s))
		_exit(1);
	atomic_store(&cap.ready, true);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, work, &blocks[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	cap_finish(NULL);
}

struct check {
	struct sink sink;
	uint64_t enters, exits, allocs, wrong, depth[THREADS + 2];
	int64_t last[THREADS + 2];
	bool complete;
};

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)s, (void)t, (void)e;
	return ST_OK;
}

static enum status event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct check *c = (struct check *)s;
	uint32_t thread = ev->thread < THREADS + 2 ? ev->thread : 0;

	(void)e;
	if (ev->kind == EV_ENTER || ev->kind == EV_EXIT) {
		const struct location *l = &t->locations[t->stacks[ev->stack].location];
		uint64_t level = ev->kind == EV_ENTER ? ++c->depth[thread] : c->depth[thread]--;

		c->wrong += l->raw != function_at((unsigned)level) || l->kind != LOCATION_ENTRY ||
			    t->stacks[ev->stack].parent || ev->time < c->last[thread];
		c->last[thread] = ev->time;
		c->enters += ev->kind == EV_ENTER;
		c->exits += ev->kind == EV_EXIT;
	} else if (ev->kind == EV_ALLOC) {
		c->allocs++;
		c->wrong += c->depth[thread] != 3;
	}
	return ST_OK;
}

static enum status batch(struct sink *s, struct trace *t, const struct sink_batch *b, struct err *e)
{
	return sink_each(s, t, b, e, event);
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	(void)e;
	((struct check *)s)->complete = t->complete;
	return ST_OK;
}

TEST(calls_of_threads)
{
	char path[] = "capture-XXXXXX";
	struct check c = {.sink = {.begin = begin, .batch = batch, .end = end}};
	struct import_options o = {0};
	struct err e = ERR_INIT;
	struct input in = {0};
	bool lossy = true;
	int status;
	pid_t pid;

	shared =
	    mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	close(mkstemp(path));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		cap_shadow = NULL; /* the other tests' */
		memset(&cap_shadow_counts, 0, sizeof cap_shadow_counts);
		record(path);
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK_EQ(input_open(&in, path, &e), ST_OK);
	CHECK_EQ(capture_read(&in, &o, &c.sink, &lossy, &e), ST_OK);
	input_close(&in);
	unlink(path);
	CHECK(c.complete && !lossy);
	CHECK_EQ(c.wrong, 0);
	CHECK_EQ(c.enters, THREADS * ROUNDS * 3);
	CHECK_EQ(c.exits, c.enters);
	CHECK_EQ(c.allocs, THREADS * ROUNDS);
	CHECK_EQ(atomic_load(&shared->enters), c.enters);
	CHECK_EQ(atomic_load(&shared->entries), THREADS * ROUNDS / 100);
	CHECK_EQ(atomic_load(&shared->wrong), 0);
	CHECK_EQ(atomic_load(&shared->peaks), 1); /* they have one name, and one stack */
	munmap(shared, sizeof *shared);
}

TEST_MAIN()
