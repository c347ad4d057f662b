/* SPDX-License-Identifier: MIT
 *
 * A generator of Unity profiler streams, to standard output, and of their contents, to standard
 * error.
 *
 *	unity [--seed N] [--frames N | --bytes N[k|M|G]] [--workers N] [--calls N] [--depth N]
 *	      [--version HEX] [--aligned] [--tail] [--split] [--block N] [--lag N]
 *	      [--tcp plain|swapped] [--steady] [--rich N] [--spread N]
 *	      [--ticks NUMERATOR/DENOMINATOR]
 *
 * --calls: samples of a thread in a frame; --split: blocks end anywhere, also within a message;
 * --block: bytes of a body; --lag: frames that a worker's blocks come late; --rich N: every N-th
 * sample is a GC allocation, has an instance id, metadata, a callstack, a flow or a counter in it;
 * --spread: different markers that one calls (4); --steady: 15 of 16 frames do the same.
 * Memory: the blocks that wait.
 *
 * The truth, tab-separated: marker NAME CALLS TOTAL SELF (ns); frame NUMBER SAMPLES ALLOCS BYTES
 * (those that ended in it); thread NAME SAMPLES; and the totals: samples N, allocs N BYTES,
 * callstacks N, counters N SUM, blocks N, messages N.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "testdata/gen/unity_bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MARKERS = 200, GC_ALLOC_ID = 900, COUNTER_ID = 901, METHODS = 16, FRAMES_MAX = 1 << 22 };
enum { BODY_MIN = 64 };

static struct {
	uint64_t seed, frames, bytes, workers, calls, depth, version, block, lag, rich, spread, num,
	    den;
	bool aligned, tail, split, steady;
	const char *tcp;
} opt = {1, 10, 0, 3, 40, 6, 0x20191122, 16000, 2, 9, 4, 1000000000, 10000000, 0, 0, 0, 0, NULL};

struct waiting { /* a block with the frame at which it goes out */
	uint64_t due;
	struct buf bytes;
};

struct stream {
	uint64_t id, time;
	const char *name;
	struct buf body;
	uint32_t block;
	uint64_t lag, samples;
	bool untied;
	struct waiting *queue;
	size_t n, first, cap;
};

static struct {
	uint64_t calls, total, self;
} markers[MARKERS + 1]; /* the last is GC.Alloc */

struct frame {
	uint64_t samples, allocs, bytes, start;
};

static struct frame *frames;
static size_t cap_frames;
static uint64_t frame_now;
static struct {
	uint64_t samples, allocs, bytes, callstacks, counters, sum, blocks, messages, out;
} truth;

static uint64_t ordinal(void)
{
	return opt.version == 0x20180306 ? 0x20190306 : opt.version;
}

static uint64_t shape;

/* What the tree of calls looks like, apart from times and values. */
static uint32_t draw_shape(uint32_t below)
{
	return (uint32_t)lcg_below(&shape, below);
}

static uint64_t to_ns(uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * opt.num / opt.den);
}

static void write_out(const void *p, size_t n)
{
	if (n && fwrite(p, n, 1, stdout) != 1)
		exit(3);
	truth.out += n;
}

static uint64_t logs;

/* Data goes out bare, or as messages with others between them. */
static void write_data(const struct buf *b)
{
	static unsigned count;
	struct buf head = BUF_INIT;
	bool swapped = opt.tcp && !strcmp(opt.tcp, "swapped");

	if (opt.tcp) {
		if (count++ % 5 == 1) {
			put_message(&head, GUID_LOG, swapped, 4 + 9);
			put(&head, logs++ % 5, 4);
			buf_adds(&head, "a message");
		}
		if (count % 7 == 2)
			put_message(&head, GUID_PING, swapped, 0);
		put_message(&head, GUID_DATA, swapped, (uint32_t)b->len);
		write_out(head.data, head.len);
		buf_release(&head);
	}
	write_out(b->data, b->len);
}

static void queue_block(struct stream *s, const char *p, size_t n)
{
	struct waiting w = {.due = frame_now + s->lag};

	put(&w.bytes, 0xB10C7EAD, 4);
	put(&w.bytes, s->block++, 4);
	put(&w.bytes, s->id, 8);
	put(&w.bytes, n, 4);
	buf_add(&w.bytes, p, n);
	put(&w.bytes, s->block, 4);
	put(&w.bytes, 0xB10CF007, 4);
	VEC_PUSH(s->queue, s->n, s->cap) = w;
	truth.blocks++;
}

static void send(struct stream *s, bool all)
{
	while (s->first < s->n && (all || s->queue[s->first].due <= frame_now)) {
		write_data(&s->queue[s->first].bytes);
		buf_release(&s->queue[s->first++].bytes);
	}
	if (s->first == s->n)
		s->first = s->n = 0;
}

static void flush(struct stream *s)
{
	if (s->body.len)
		queue_block(s, s->body.data, s->body.len);
	s->body.len = 0;
}

static void end_stream(struct stream *s)
{
	buf_release(&s->body);
	free(s->queue);
}

/* Behind each message. */
static void end_message(struct stream *s)
{
	size_t at = 0;

	truth.messages++;
	if (!opt.split) {
		if (s->body.len + BODY_MIN > opt.block)
			flush(s);
		return;
	}
	for (; s->body.len - at >= opt.block; at += opt.block)
		queue_block(s, s->body.data + at, opt.block);
	memmove(s->body.data, s->body.data + at, s->body.len - at);
	s->body.len -= at;
}

static void put_type(struct stream *s, unsigned type)
{
	put(&s->body, type, 2);
	put_pad(&s->body, opt.aligned);
}

static void put_sample(struct stream *s, unsigned type, uint32_t id)
{
	put_type(s, type);
	put(&s->body, 0, 1);
	put_pad(&s->body, opt.aligned);
	put(&s->body, id, 4);
	put(&s->body, s->time, 8);
}

static void put_value(struct stream *s, unsigned type, uint64_t v, unsigned n)
{
	put(&s->body, type, 1);
	put_pad(&s->body, opt.aligned);
	put(&s->body, v, n);
}

static void put_count(struct stream *s, unsigned n)
{
	put(&s->body, n, 1);
	put_pad(&s->body, opt.aligned);
}

/* Which frame a time is in; for threads that have no frames of their own. */
static struct frame *frame_at(const struct stream *s)
{
	uint64_t f = frame_now;

	while (s->untied && f > 0 && frames[f].start > s->time)
		f--;
	return &frames[f];
}

static void count_sample(struct stream *s, unsigned marker, uint64_t total, uint64_t self)
{
	markers[marker].calls++;
	markers[marker].total += total;
	markers[marker].self += self;
	frame_at(s)->samples++;
	s->samples++;
	truth.samples++;
}

static void count_alloc(struct stream *s, uint32_t bytes)
{
	frame_at(s)->allocs++;
	frame_at(s)->bytes += bytes;
	truth.allocs++;
	truth.bytes += bytes;
}

/* An allocation within the open sample; returns the ns that its own sample took. */
static uint64_t allocate(struct stream *s)
{
	uint32_t bytes = 16 + draw(500);
	uint64_t ticks;

	if (ordinal() < 0x20181101) {
		put_type(s, 52);
		put(&s->body, bytes, 4);
		end_message(s);
		count_alloc(s, bytes);
		return 0;
	}
	put_sample(s, 42, GC_ALLOC_ID);
	put_count(s, 1);
	put_value(s, 3, bytes, 4);
	end_message(s);
	if (draw(4) == 0) {
		put_type(s, 3);
		put(&s->body, 77, 4);
		put(&s->body, 3, 1);
		for (unsigned i = 0; i < 3; i++) /* methods, and at last code of the runtime */
			put(&s->body,
			    i == 2 ? 0x7f0000001234 : 0x50000000 + draw(METHODS) * 256 + 9, 8);
		end_message(s);
		truth.callstacks++;
	}
	ticks = 1 + draw(20);
	s->time += ticks;
	put_sample(s, 37, GC_ALLOC_ID);
	end_message(s);
	count_sample(s, MARKERS, to_ns(ticks), to_ns(ticks));
	count_alloc(s, bytes);
	return to_ns(ticks);
}

static void put_counter(struct stream *s)
{
	uint32_t v = draw(1000);

	put_sample(s, 44, COUNTER_ID);
	put_count(s, 1);
	put_value(s, 3, v, 4);
	end_message(s);
	truth.counters++;
	truth.sum += v;
}

static void put_begin(struct stream *s, uint32_t marker, unsigned form)
{
	if (form == 1) {
		put_sample(s, 39, marker);
		put(&s->body, 4242, 4);
	} else if (form == 2) {
		put_sample(s, 42, marker);
		put_count(s, 4);
		put_value(s, 2, 7, 4);
		put_value(s, 5, 8, 8);
		put_value(s, 7, 0, 8);
		put(&s->body, 8, 1);
		put_pad(&s->body, opt.aligned);
		put_text(&s->body, "Assets/a.prefab", opt.aligned);
	} else {
		put_sample(s, 36, marker);
	}
	end_message(s);
}

/* A sample with others in it, at most *left of them; returns its ns. */
static uint64_t sample(struct stream *s, uint64_t depth, uint64_t *left, unsigned parent)
{
	unsigned marker = (parent * 7 + draw_shape((uint32_t)opt.spread) + 1) % MARKERS;
	bool rich = opt.rich && draw_shape((uint32_t)opt.rich) == 0;
	unsigned form = rich ? draw_shape(6) : 0;
	uint64_t begin, total, children = 0;

	if (form > 2 && ordinal() < 0x20181101)
		form = 3;
	begin = s->time;
	put_begin(s, marker, form);
	s->time += 1 + draw(30);
	if (form == 3)
		children += allocate(s);
	if (form == 4)
		put_counter(s);
	if (form == 5) {
		put_type(s, 57);
		put_count(s, 0);
		put(&s->body, 5, 4);
		end_message(s);
	}
	while (depth > 1 && *left && draw_shape(3)) {
		--*left;
		children += sample(s, depth - 1, left, marker);
	}
	s->time += draw(30);
	put_sample(s, 37, marker);
	end_message(s);
	total = to_ns(s->time - begin);
	count_sample(s, marker, total, total - children);
	return total;
}

static void put_frame(struct stream *s, uint64_t number)
{
	put_type(s, 34);
	put(&s->body, number, 4);
	put(&s->body, s->time, 8);
	end_message(s);
}

static void put_marker(struct stream *s, uint32_t id, const char *name, unsigned flags,
		       unsigned param)
{
	put_type(s, 1);
	put(&s->body, id, 4);
	put(&s->body, flags, 2);
	put(&s->body, id == GC_ALLOC_ID ? 17 : id % 6, 2);
	put_text(&s->body, name, opt.aligned);
	put_count(s, param > 0);
	if (param) {
		put(&s->body, param, 2);
		put_pad(&s->body, opt.aligned);
		put_text(&s->body, "value", opt.aligned);
	}
	end_message(s);
}

static void put_tables(struct stream *global, const struct stream *threads, size_t n)
{
	char name[64];

	for (size_t i = 0; i < n; i++) {
		put_type(global, 33);
		put(&global->body, threads[i].id, 8);
		if (ordinal() >= 0x20180123)
			put(&global->body, 1000, 8);
		put(&global->body, threads[i].untied, 4);
		put_text(&global->body, i ? "Job" : "", opt.aligned);
		put_text(&global->body, threads[i].name, opt.aligned);
		end_message(global);
	}
	for (uint32_t i = 0; i < MARKERS; i++) {
		snprintf(name, sizeof name, "Game.dll!Ns::Class%u.Method%u()", i / 8, i % 8);
		put_marker(global, i, name, 2, 0);
	}
	put_marker(global, GC_ALLOC_ID, "GC.Alloc", 0, 4);
	put_marker(global, COUNTER_ID, "Pool Size", 0x80, 0x0203);
	for (unsigned i = 0; ordinal() >= 0x20190514 && i < METHODS; i++) {
		put_type(global, 8);
		put(&global->body, 0x40000000 + i, 8);
		put(&global->body, 0x50000000 + i * 256, 8);
		put(&global->body, 200, 4);
		snprintf(name, sizeof name, "Ns.Jit:Method%u ()", i);
		put_text(&global->body, name, opt.aligned);
		put_text(&global->body, "Assets/Jit.cs", opt.aligned);
		put(&global->body, 10 + i, 4);
		end_message(global);
	}
	for (unsigned i = 0; ordinal() >= 0x20210412 && i < 20; i++) {
		put_type(global, 62);
		put(&global->body, i, 2);
		put(&global->body, 0, 2);
		put(&global->body, 0, 2);
		snprintf(name, sizeof name, "Category %u", i);
		put_text(&global->body, name, opt.aligned);
		end_message(global);
	}
	put_type(global, 0);
	put(&global->body, 1, 4);
	put(&global->body, threads[0].time, 8);
	put(&global->body, 1, 4);
	end_message(global);
	flush(global);
	send(global, true);
}

static void put_session(void)
{
	static const uint32_t release[] = {2022, 3, 10, 2, 1};
	struct buf b = BUF_INIT;

	put(&b, 0x55334450, 4);
	put(&b, 1, 1);
	put(&b, opt.aligned, 1);
	put(&b, 0, 2);
	put(&b, opt.version, 4);
	put(&b, opt.num, 8);
	put(&b, opt.den, 8);
	put(&b, 100, 8);
	for (int i = 0; opt.tail && i < 5; i++)
		put(&b, release[i], 4);
	write_data(&b);
	buf_release(&b);
}

static void tell(const struct stream *threads, size_t n)
{
	for (unsigned i = 0; i <= MARKERS; i++) {
		char name[64] = "GC.Alloc";

		if (i < MARKERS)
			snprintf(name, sizeof name, "Game.dll!Ns::Class%u.Method%u()", i / 8,
				 i % 8);
		if (markers[i].calls)
			fprintf(stderr, "marker\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", name,
				markers[i].calls, markers[i].total, markers[i].self);
	}
	for (uint64_t i = 1; i <= frame_now; i++)
		fprintf(stderr, "frame\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", i,
			frames[i].samples, frames[i].allocs, frames[i].bytes);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "thread\t%s%s\t%" PRIu64 "\n", i ? "Job." : "", threads[i].name,
			threads[i].samples);
	fprintf(stderr,
		"samples\t%" PRIu64 "\nallocs\t%" PRIu64 "\t%" PRIu64 "\ncallstacks\t%" PRIu64
		"\ncounters\t%" PRIu64 "\t%" PRIu64 "\nblocks\t%" PRIu64 "\nmessages\t%" PRIu64
		"\n",
		truth.samples, truth.allocs, truth.bytes, truth.callstacks, truth.counters,
		truth.sum, truth.blocks, truth.messages);
}

/* The frame of every thread: Frame opens it, on workers too. */
static void play(struct stream *threads, size_t n)
{
	uint64_t begin = threads[0].time, latest = begin;

	if (frame_now + 1 >= cap_frames)
		frames = mem_grow(frames, &cap_frames, frame_now + 2, sizeof *frames);
	frames[++frame_now] = (struct frame){.start = begin};
	if (opt.steady && frame_now % 16 != 0)
		shape = opt.seed;
	for (size_t i = 0; i < n; i++) {
		struct stream *s = &threads[i];
		uint64_t left = opt.calls;

		s->time = begin;
		if (!s->untied && (i || frame_now > 1))
			put_frame(s, frame_now);
		while (left) {
			left--;
			sample(s, opt.depth, &left, (unsigned)i);
		}
		latest = s->time > latest ? s->time : latest;
		if (!s->untied)
			flush(s);
	}
	for (size_t i = n; i--;)
		send(&threads[i], false);
	threads[0].time = latest + 10;
}

static bool set(const char *name, const char *v)
{
	static const struct {
		const char *name;
		uint64_t *to;
	} numbers[] = {{"--seed", &opt.seed},   {"--frames", &opt.frames},
		       {"--bytes", &opt.bytes}, {"--workers", &opt.workers},
		       {"--calls", &opt.calls}, {"--depth", &opt.depth},
		       {"--block", &opt.block}, {"--lag", &opt.lag},
		       {"--rich", &opt.rich},   {"--spread", &opt.spread}};
	const char *slash = strchr(v, '/');

	if (!strcmp(name, "--version"))
		return num_hex(v, strlen(v), &opt.version);
	if (!strcmp(name, "--tcp"))
		opt.tcp = v;
	if (!strcmp(name, "--ticks"))
		return slash && num_dec(v, (size_t)(slash - v), &opt.num) &&
		       num_dec(slash + 1, strlen(slash + 1), &opt.den);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(name, numbers[i].name))
			return num_size(v, strlen(v), numbers[i].to);
	return opt.tcp == v;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"Main Thread", "Loading"};
	struct stream global = {.id = UINT64_MAX, .name = ""}, *threads;
	char(*worker_names)[16];
	size_t n;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--aligned"))
			opt.aligned = true;
		else if (!strcmp(argv[i], "--tail"))
			opt.tail = true;
		else if (!strcmp(argv[i], "--steady"))
			opt.steady = true;
		else if (!strcmp(argv[i], "--split"))
			opt.split = true;
		else if (i + 1 < argc && set(argv[i], argv[i + 1]))
			i++;
		else {
			fprintf(stderr, "usage: see testdata/gen/unity.c\n");
			return 2;
		}
	}
	random_state = shape = opt.seed;
	if (opt.workers > 1000 || !opt.den || !opt.spread || opt.block < BODY_MIN)
		return 2;
	n = opt.workers + 2;
	threads = mem_zarray(n, sizeof *threads);
	worker_names = mem_zarray(n, sizeof *worker_names);
	for (size_t i = 0; i < n; i++) {
		bool last = i == n - 1;

		snprintf(worker_names[i], sizeof *worker_names, "Worker %zu", i);
		threads[i] =
		    (struct stream){.id = 100 + i,
				    .time = 69475207998,
				    .name = i ? last ? names[1] : worker_names[i] : names[0],
				    .block = (uint32_t)(i * 1000),
				    .lag = i && !last ? draw((uint32_t)opt.lag + 1) : 0,
				    .untied = last};
	}
	put_session();
	put_tables(&global, threads, n);
	while (opt.bytes ? truth.out < opt.bytes : frame_now < opt.frames)
		play(threads, n);
	for (size_t i = 0; i < n; i++) {
		flush(&threads[i]);
		send(&threads[i], true);
	}
	tell(threads, n);
	for (size_t i = 0; i < n; i++)
		end_stream(&threads[i]);
	end_stream(&global);
	free(threads);
	free(worker_names);
	free(frames);
	return fflush(stdout) ? 3 : 0;
}
