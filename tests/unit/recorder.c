/* SPDX-License-Identifier: MIT
 *
 * lib/recorder without hooks: its parts, and a whole recording of eight threads that hand addresses
 * to each other, read back with the suite's own reader. Meant for SAN=thread too.
 */
#include "formats/reader.h"
#include "lib/base/hash.h"
#include "lib/recorder/base/sample.h"
#include "lib/recorder/capture.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

TEST(settings)
{
	struct cap_settings s;

	CHECK(cap_settings_parse(&s, ""));
	CHECK(s.fd == -1 && s.depth == CAP_DEPTH && !s.pid && !*s.out);
	CHECK(cap_settings_parse(&s, "pid=12  fd=200 stacks=fp threshold=18446744073709551615 "
				     "depth=9999 mmap=1 children=0 out=/a b/c=d"));
	CHECK(s.pid == 12 && s.fd == 200 && s.stacks == CAP_STACKS_FP && s.mmap && !s.children);
	CHECK(s.threshold == UINT64_MAX && s.depth == CAP_DEPTH_MAX);
	CHECK_STR(s.out, "/a b/c=d");
	CHECK(cap_settings_parse(&s, "stacks=shadow calls=markers"));
	CHECK(s.stacks == CAP_STACKS_SHADOW && s.calls == CAP_CALLS_MARKERS);
	CHECK(!cap_settings_parse(&s, "calls=some"));
	CHECK(!cap_settings_parse(&s, "pid"));
	CHECK(!cap_settings_parse(&s, "pid="));
	CHECK(!cap_settings_parse(&s, "pid=1x"));
	CHECK(!cap_settings_parse(&s, "pid=18446744073709551616"));
	CHECK(!cap_settings_parse(&s, "stacks=f"));
	CHECK(!cap_settings_parse(&s, "what=1"));
	CHECK(!cap_settings_parse(&s, "depth=0"));
}

static void path_of(const struct cap_stacks_table *t, uint32_t id, uint64_t *pc, unsigned *n)
{
	for (*n = 0; id; id = t->nodes[id].parent)
		pc[(*n)++] = t->nodes[id].pc;
}

TEST(stacks)
{
	static struct cap_stacks_table t;
	static struct cap_last last[2];
	static uint32_t ids[3000];
	uint64_t pc[32], back[64];
	unsigned n;

	CHECK(cap_stacks_init(&t, 0));
	CHECK_EQ(cap_stacks_id(&t, &last[0], pc, 0), 0);
	/* Enough to grow the table; all of two outermost callers. */
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 3000; i++) {
			uint32_t id;

			for (unsigned k = 0; k < 20; k++)
				pc[k] = 0x1000 + (k < 10 ? i * 64 + k : k);
			id = cap_stacks_id(&t, &last[round], pc, 20);
			if (!round)
				ids[i] = id;
			CHECK_EQ(id, ids[i]);
			path_of(&t, id, back, &n);
			CHECK(n == 20 && !memcmp(back, pc, sizeof *pc * 20));
		}
	CHECK_EQ(atomic_load(&t.n), 10 + 3000 * 10);
	cap_stacks_forget(&t);
	CHECK(cap_stacks_id(&t, &last[0], pc, 20) > ids[2999]);
}

TEST(stacks_full)
{
	static struct cap_stacks_table t;
	static struct cap_last last;
	uint64_t pc[4] = {1, 2, 3, 4};
	uint32_t id;

	CHECK(cap_stacks_init(&t, 3));
	id = cap_stacks_id(&t, &last, pc, 4); /* all but the innermost */
	CHECK_EQ(t.nodes[id].pc, 2);
	CHECK_EQ(atomic_load(&t.cut), 1);
	CHECK_EQ(cap_stacks_id(&t, &last, pc + 1, 3), id);
	CHECK_EQ(atomic_load(&t.cut), 1);
}

TEST(pcs)
{
	struct cap_pcs p = {0};

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= 20000; i++) {
			uint32_t *id = cap_pcs_put(&p, (uint64_t)i * 4096);

			CHECK_EQ(*id, round ? i : 0);
			*id = i;
		}
	cap_pcs_clear(&p);
	CHECK_EQ(*cap_pcs_put(&p, 4096), 0);
	cap_pcs_clear(&p);
}

TEST(live_blocks)
{
	static struct cap_live l;
	static bool there[5000];
	uint64_t random = 99;

	CHECK(cap_live_init(&l));
	for (int i = 0; i < 200000; i++) {
		uint64_t k = cap_random(&random) % 5000, address = 0x10000 + k * 16;

		if (cap_random(&random) >> 63) {
			CHECK(cap_live_add(&l, address));
			there[k] = true;
		} else {
			CHECK_EQ(cap_live_remove(&l, address), there[k]);
			there[k] = false;
		}
	}
	cap_live_clear(&l);
	CHECK(!cap_live_remove(&l, 0x10000));
}

TEST(blocks_from_before)
{
	static struct cap_blocks b;
	static bool there[1 << 18]; /* more than the set has room for at first */
	uint64_t random = 7, n = 0;

	CHECK(cap_blocks_init(&b));
	for (int i = 0; i < 1000000; i++) {
		uint64_t k = cap_random(&random) % (1 << 18), block = (k + 1) * 16;

		if (cap_random(&random) % 3) {
			CHECK(cap_blocks_add(&b, block));
			n += !there[k];
			there[k] = true;
		} else {
			CHECK_EQ(cap_blocks_remove(&b, block), there[k]);
			n -= there[k];
			there[k] = false;
		}
		CHECK_EQ(b.n, n);
	}
	cap_blocks_release(&b);
}

TEST(mappings)
{
	static struct cap_mappings m;
	struct cap_range gone, rest[2];

	CHECK(!cap_mappings_remove(&m, 0, UINT64_MAX, &gone, rest));
	CHECK(cap_mappings_add(&m, 100, 200, 1));
	CHECK(cap_mappings_add(&m, 300, 400, 2));
	CHECK(cap_mappings_add(&m, 200, 300, 3));
	CHECK(cap_mappings_remove(&m, 150, 160, &gone, rest));
	CHECK(gone.lo == 100 && rest[0].hi == 150 && rest[1].lo == 160 && rest[1].hi == 200);
	CHECK(rest[0].stack == 1 && rest[1].stack == 1);
	CHECK_EQ(atomic_load(&m.rests), 2);
	CHECK(!cap_mappings_remove(&m, 150, 160, &gone, rest));
	CHECK_EQ(m.n, 4);
	CHECK(cap_mappings_remove(&m, 180, 500, &gone, rest) && gone.lo == 160);
	CHECK(cap_mappings_remove(&m, 180, 500, &gone, rest) && gone.lo == 200);
	CHECK(cap_mappings_remove(&m, 180, 500, &gone, rest) && gone.lo == 300);
	CHECK(!cap_mappings_remove(&m, 180, 500, &gone, rest));
	CHECK_EQ(m.n, 2);
}

/* The estimates of count and bytes are within five standard errors of the truth, for sizes far
 * below, around and above the interval. */
TEST(sampling)
{
	uint64_t random = 12345;

	for (uint64_t size = 16; size <= 1 << 20; size *= 8) {
		const uint64_t interval = 4096;
		double n = 400000, p = 1 - exp(-(double)size / (double)interval), sum = 0, hits = 0;
		double variance = (1 - p) / p + 0.25 * p; /* of one block's weight */
		int64_t until = 0;

		for (int i = 0; i < (int)n; i++)
			if (cap_sample_hit(&until, &random, size, interval)) {
				sum += cap_sample_weight(&random, size, interval);
				hits++;
			}
		CHECK(fabs(sum - n) < 5 * sqrt(n * variance) + 1);
		CHECK(fabs(hits - n * p) < 5 * sqrt(n * p * (1 - p)) + 1);
	}
}

/* A thread that was stopped between its number and its record holds no other thread up for longer
 * than is said; its record is left out when it comes, and counted once. */
static uint64_t taken[16], n_taken;

static void take_one(void *arg, struct cap_ring *ring, const struct cap_record *rec)
{
	(void)arg, (void)ring;
	if (n_taken < 16)
		taken[n_taken] = rec->seq;
	n_taken++;
}

static void put_one(struct cap_rings *r, struct cap_ring *ring, uint64_t seq)
{
	struct cap_record *rec = cap_ring_next(ring);

	memset(rec, 0, sizeof *rec);
	rec->seq = seq;
	rec->kind = CAP_FREE;
	cap_ring_put(ring);
	cap_ring_done(ring);
	cap_rings_drain(r, UINT64_MAX, take_one, NULL);
}

TEST(stopped_thread)
{
	static struct cap_rings r;
	struct cap_ring *stopped = cap_rings_consume(&r, 11), *other = cap_rings_consume(&r, 12);
	uint64_t first, late;

	n_taken = 0;
	first = cap_ring_number(&r, stopped);
	put_one(&r, stopped, first);
	late = cap_ring_number(&r, stopped);
	for (unsigned i = 0; i < 3; i++)
		put_one(&r, other, cap_ring_number(&r, other));
	CHECK_EQ(n_taken, 1);
	cap_rings_wait(&r, 1000, 50); /* begins to wait */
	cap_rings_wait(&r, 1049, 50);
	cap_rings_drain(&r, UINT64_MAX, take_one, NULL);
	CHECK_EQ(n_taken, 1);
	CHECK_EQ(atomic_load(&r.waited), 0);
	cap_rings_wait(&r, 1050, 50);
	cap_rings_drain(&r, UINT64_MAX, take_one, NULL);
	CHECK_EQ(n_taken, 4);
	CHECK_EQ(atomic_load(&r.waited), 1);
	cap_rings_wait(&r, 2000, 50);
	cap_rings_wait(&r, 3000, 50);
	CHECK_EQ(atomic_load(&r.waited), 1);
	put_one(&r, stopped, late);
	CHECK_EQ(n_taken, 4);
	put_one(&r, stopped, cap_ring_number(&r, stopped));
	CHECK_EQ(n_taken, 5);
	CHECK_EQ(taken[0], first);
	for (unsigned i = 1; i < 5; i++)
		CHECK_EQ(taken[i], late + i);
	/* At the end no thread is waited for. */
	cap_ring_number(&r, stopped);
	put_one(&r, other, cap_ring_number(&r, other));
	CHECK_EQ(n_taken, 5);
	cap_rings_wait(&r, 4000, 0);
	cap_rings_drain(&r, UINT64_MAX, take_one, NULL);
	CHECK_EQ(n_taken, 6);
	CHECK_EQ(atomic_load(&r.waited), 2);
}

/* 50 ms of patience; the machine stands still for a second: 10 ms of that count, and what the thread
 * then writes down is kept. */
TEST(stopped_machine)
{
	static struct cap_rings r;
	struct cap_ring *late = cap_rings_consume(&r, 11), *other = cap_rings_consume(&r, 12);
	const int64_t ms = 1000000, begun = 1;
	uint64_t seq = cap_ring_number(&r, late);

	n_taken = 0;
	put_one(&r, other, cap_ring_number(&r, other));
	cap_rings_wait(&r, begun, 50 * ms);
	cap_rings_wait(&r, begun + 1000 * ms, 50 * ms);
	cap_rings_wait(&r, begun + 1039 * ms, 50 * ms); /* 10 + 10 */
	cap_rings_wait(&r, begun + 1048 * ms, 50 * ms); /* + 9 */
	CHECK_EQ(atomic_load(&r.waited), 0);
	put_one(&r, late, seq);
	CHECK_EQ(n_taken, 2);
	CHECK_EQ(taken[0], seq);
}

/* Given up after what was said, by the next one at once, and by none when it is free again. */
TEST(given_up_lock)
{
	struct cap_lock l = {0};
	int64_t from = cap_now();
	sigset_t before;

	cap_lock(&l);
	CHECK(!cap_lock_wait(&l, 20));
	CHECK(cap_now() - from >= 20 * 1000000);
	CHECK(!cap_lock_held(&l, &before));
	cap_unlock(&l);
	CHECK(cap_lock_held(&l, &before));
	CHECK(!cap_trylock(&l));
	cap_unlock_held(&l, &before);
	CHECK(cap_trylock(&l));
}

/* libtsan starts threads by code without frame pointers: outer callers are missing there, a loss. */
#ifdef __SANITIZE_THREAD__
#define CUTS_STACKS 1
#else
#define CUTS_STACKS 0
#endif

/* A recording in a child process, since it is one of the process. */
enum { THREADS = 8, ROUNDS = 30000, SLOTS = 32, TYPES = 50 };
static _Atomic uint64_t slots[SLOTS], given_back[SLOTS];
static _Atomic uint64_t next_address = 0x100000;

/* An allocator: addresses that one thread gives back another has next. */
static void *work(void *arg)
{
	uint64_t random = (uintptr_t)arg * 77 + 5;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t slot = cap_random(&random) >> 32, p, old;

		p = atomic_exchange(&given_back[slot % SLOTS], 0);
		if (!p)
			p = atomic_fetch_add(&next_address, 16);
		cap_alloc((void *)(uintptr_t)p, 10, 16, 0, CAP_HERE);
		if (i % 100 == 0) { /* all threads come with the same names */
			char type[32];

			snprintf(type, sizeof type, "Type%d", i / 100 % TYPES);
			cap_typed(type, 3, 8, CAP_HERE);
		}
		old = atomic_exchange(&slots[slot / SLOTS % SLOTS], p);
		if (!old)
			continue;
		cap_free((void *)(uintptr_t)old, 0);
		atomic_store(&given_back[slot % SLOTS], old);
	}
	return NULL;
}

static void record(const char *path)
{
	struct cap_settings s;
	pthread_t id[THREADS];
	char text[256];

	snprintf(text, sizeof text, "stacks=fp out=%s", path);
	if (!cap_settings_parse(&s, text) || !cap_start(&s))
		_exit(1);
	atomic_store(&cap.ready, true);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		cap_mark_frame(NULL, i);
		pthread_join(id[i], NULL);
	}
	cap_finish(NULL);
}

struct check {
	struct sink sink;
	struct map64 live;
	uint64_t allocs, frees, frames, typed, wrong;
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

	(void)e;
	if (ev->kind == EV_FRAME) {
		c->frames++;
	} else if (ev->kind == EV_ALLOC && ev->domain == DOMAIN_MONO) {
		const char *name = trace_text(t, t->types[ev->type]);

		c->wrong += strncmp(name, "Type", 4) != 0 || ev->requested != 3 || ev->real != 8 ||
			    ev->has & EV_HAS_ADDRESS || !ev->stack || t->n_types > TYPES + 1;
		c->typed++;
	} else if (ev->kind == EV_ALLOC) {
		uint32_t *there = map64_put(&c->live, ev->address);

		c->allocs++;
		c->wrong += *there == 1 || ev->requested != 10 || ev->real != 16 || !ev->stack ||
			    ev->thread >= t->n_threads;
		*there = 1;
	} else if (ev->kind == EV_FREE) {
		uint32_t *there = map64_put(&c->live, ev->address);

		c->frees++;
		c->wrong += *there != 1;
		*there = 2;
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

TEST(recording)
{
	char path[] = "capture-XXXXXX";
	struct check c = {.sink = {.begin = begin, .batch = batch, .end = end}};
	struct import_options o = {0};
	struct err e = ERR_INIT;
	struct input in = {0};
	uint64_t live = 0;
	bool lossy = true;
	int status;
	pid_t pid;

	close(mkstemp(path));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		record(path);
		for (int i = 0; i < SLOTS; i++)
			live += slots[i] != 0;
		exit((int)live);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	CHECK_EQ(input_open(&in, path, &e), ST_OK);
	CHECK_EQ(capture_read(&in, &o, &c.sink, &lossy, &e), ST_OK);
	input_close(&in);
	unlink(path);
	CHECK(c.complete);
	CHECK(!lossy || CUTS_STACKS);
	CHECK_EQ(c.wrong, 0);
	CHECK_EQ(c.frames, THREADS);
	CHECK_EQ(c.typed, THREADS * (ROUNDS / 100));
	CHECK_EQ(c.allocs, THREADS * ROUNDS);
	CHECK_EQ(c.allocs - c.frees, (uint64_t)WEXITSTATUS(status));
	map64_release(&c.live);
}

TEST_MAIN()
