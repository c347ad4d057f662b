/* SPDX-License-Identifier: MIT
 *
 *	nettrace [--samples N] VARIANT >FILE 2>TRUTH
 *
 * Events of .NET's runtime: process 42, 10,000,000 ticks a second, the clock at 1000 s. Sample i (of N) is of thread
 * 7 + i % 2 at i + 1 ms, in Game.Player.Update or, each third one, in code without a name at 0x9000, below
 * Game.Program.Main; each fourth is external. Each tenth has an allocation of 100000 + i bytes of Game.Texture, each
 * hundredth from the first on a pause of 3 ms of thread 9, with a collection of generation 0 of 2 ms in it and sizes of
 * the heap, and an exception. Blocks of 50 samples; each has its own stacks, and an end of what their ids mean after it.
 * The names stand at the end.
 * VARIANT:
 *
 *	plain	headers are packed
 *	wide	they are not
 *	cut	plain, but the last block of samples is cut in its middle
 *	old	a version of the object "Trace" that is not read
 *	new	version 6, whose head is another one
 *	stack	plain; a stack says that it has 2^31 bytes
 *	block	plain; a block says that it is longer than the file
 *	lone	plain; an event has the number of a stack that is not there
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAIN = 0x5000, UPDATE = 0x6000, ZERO = 1000 };
static struct buf out, body;
static unsigned long samples = 10;

static void put_name(struct buf *to, const char *s)
{
	do
		put(to, (unsigned char)*s, 2);
	while (*s++);
}

static void put_leb(struct buf *to, uint64_t v)
{
	for (; v > 127; v >>= 7)
		put(to, (v & 127) | 128, 1);
	put(to, v, 1);
}

static void begin_object(const char *name, unsigned version)
{
	put(&out, 5, 1);
	put(&out, 5, 1);
	put(&out, 1, 1);
	put(&out, version, 4);
	put(&out, version, 4);
	put(&out, strlen(name), 4);
	buf_adds(&out, name);
	put(&out, 6, 1);
}

static void end_block(const char *name)
{
	begin_object(name, 2);
	put(&out, is("block") && *name == 'E' ? 0x7fffffff : body.len, 4);
	while (out.len % 4)
		put(&out, 0, 1);
	buf_add(&out, body.data, body.len);
	put(&out, 6, 1);
	body.len = 0;
}

static void begin_blobs(void)
{
	put(&body, 20, 2);
	put(&body, !is("wide"), 2);
	put(&body, 0, 8);
	put(&body, 0, 8);
}

static uint64_t last_ticks;

/* A blob; as the first of its block where last_ticks is 0. */
static void put_blob(unsigned number, unsigned thread, unsigned stack, uint64_t ticks,
		     const struct buf *payload)
{
	if (is("wide")) {
		size_t at = body.len;

		put(&body, 76 + payload->len, 4);
		put(&body, number, 4);
		put(&body, 1, 4);
		put(&body, thread, 8);
		put(&body, thread, 8);
		put(&body, 0, 4);
		put(&body, stack, 4);
		put(&body, ticks, 8);
		for (unsigned i = 0; i < 4; i++)
			put(&body, 0, 8);
		put(&body, payload->len, 4);
		buf_add(&body, payload->data, payload->len);
		while ((body.len - at) % 4)
			put(&body, 0, 1);
		return;
	}
	put(&body, 1 | 2 | 4 | 8 | 128, 1);
	put_leb(&body, number);
	put_leb(&body, 1);
	put_leb(&body, thread);
	put_leb(&body, 0);
	put_leb(&body, thread);
	put_leb(&body, stack);
	put_leb(&body, ticks - last_ticks);
	last_ticks = ticks;
	put_leb(&body, payload->len);
	buf_add(&body, payload->data, payload->len);
}

static void put_kind(unsigned number, const char *provider, unsigned id, unsigned version)
{
	struct buf p = BUF_INIT;

	put(&p, number, 4);
	put_name(&p, provider);
	put(&p, id, 4);
	put_name(&p, "");
	put(&p, 0, 8);
	put(&p, version, 4);
	put(&p, 4, 4);
	put(&p, 0, 4);
	put_blob(0, 0, 0, last_ticks, &p);
	buf_release(&p);
}

enum {
	SAMPLE = 1,
	ALLOCATION,
	METHOD,
	GC_START,
	GC_END,
	HEAP,
	SUSPEND,
	RESTARTED,
	EXCEPTION,
	OTHER
};

static void put_kinds(void)
{
	static const char runtime[] = "Microsoft-Windows-DotNETRuntime";

	begin_blobs();
	last_ticks = 0;
	put_kind(SAMPLE, "Microsoft-DotNETCore-SampleProfiler", 0, 0);
	put_kind(ALLOCATION, runtime, 10, 3);
	put_kind(METHOD, "Microsoft-Windows-DotNETRuntimeRundown", 144, 1);
	put_kind(GC_START, runtime, 1, 2);
	put_kind(GC_END, runtime, 2, 1);
	put_kind(HEAP, runtime, 4, 2);
	put_kind(SUSPEND, runtime, 9, 1);
	put_kind(RESTARTED, runtime, 3, 1);
	put_kind(EXCEPTION, runtime, 80, 1);
	put_kind(OTHER, "Game", 10, 0);
	end_block("MetadataBlock");
}

static void put_stacks(void)
{
	put(&body, 1, 4);
	put(&body, 2, 4);
	put(&body, 16, 4);
	put(&body, UPDATE + 4, 8);
	put(&body, MAIN + 4, 8);
	put(&body, is("stack") ? 0x80000000 : 16, 4);
	put(&body, 0x9000, 8);
	put(&body, MAIN + 4, 8);
	end_block("StackBlock");
}

/* ms since the start. */
static void put_event(unsigned number, unsigned thread, unsigned stack, double ms, struct buf *p)
{
	put_blob(number, thread, stack, ZERO * UINT64_C(10000000) + (uint64_t)(ms * 10000), p);
	p->len = 0;
}

static void put_collection(unsigned long i)
{
	static const uint64_t sizes[] = {1000, 2000, 3000, 4000};
	struct buf p = BUF_INIT;
	double ms = (double)i + 1;

	put(&p, 1, 4);
	put(&p, 0, 4);
	put(&p, 0, 2);
	put_event(SUSPEND, 9, 0, ms, &p);
	put(&p, 1, 4); /* count, generation, reason, type */
	put(&p, 0, 4);
	put(&p, 0, 4);
	put(&p, 0, 4);
	put_event(GC_START, 9, 0, ms + .5, &p);
	put(&p, 1, 4);
	put(&p, 0, 4);
	put_event(GC_END, 9, 0, ms + 2.5, &p);
	for (unsigned k = 0; k < 4; k++) {
		put(&p, sizes[k] + i, 8);
		put(&p, 0, 8);
	}
	put(&p, 0, 8);
	put(&p, 0, 8);
	put(&p, 0, 8);
	put(&p, 0, 4);
	put(&p, 0, 2);
	put(&p, 500, 8);
	put(&p, 0, 8);
	put_event(HEAP, 9, 0, ms + 2.5, &p);
	put(&p, 0, 2);
	put_event(RESTARTED, 9, 0, ms + 3, &p);
	put_name(&p, "System.Exception");
	put_name(&p, "no level");
	put(&p, 0, 8);
	put_event(EXCEPTION, 9, 0, ms + 3, &p);
	put(&p, 0, 4);
	put_event(OTHER, 9, 0, ms + 3, &p);
	buf_release(&p);
}

static void put_samples(unsigned long from, unsigned long to)
{
	struct buf p = BUF_INIT;

	begin_blobs();
	last_ticks = 0;
	for (unsigned long i = from; i < to; i++) {
		unsigned stack = i % 3 == 2 ? 2 : 1, thread = 7 + (unsigned)(i % 2);

		put(&p, i % 4 == 3 ? 1 : 2, 4);
		put_event(SAMPLE, thread, is("lone") && !i ? 77 : stack, (double)i + 1, &p);
		if (i % 10 == 9) {
			put(&p, 1, 4);
			put(&p, 0, 4);
			put(&p, 0, 2);
			put(&p, 100000 + i, 8);
			put(&p, 0x1234, 8);
			put_name(&p, "Game.Texture");
			put(&p, 0, 4);
			put(&p, 0x5678, 8);
			put_event(ALLOCATION, thread, stack, (double)i + 1, &p);
		}
	}
	end_block("EventBlock");
	for (unsigned long i = from; i < to; i++)
		if (i % 100 == 0) {
			begin_blobs();
			last_ticks = 0;
			put_collection(i);
			end_block("EventBlock");
		}
	buf_release(&p);
}

static void put_method(uint64_t start, const char *class, const char *name)
{
	struct buf p = BUF_INIT;

	put(&p, 1, 8);
	put(&p, 2, 8);
	put(&p, start, 8);
	put(&p, 0x100, 4);
	put(&p, 0, 8);
	put_name(&p, class);
	put_name(&p, name);
	put_name(&p, "void  ()");
	put(&p, 0, 2);
	put_event(METHOD, 9, 0, (double)samples, &p);
	buf_release(&p);
}

static void put_trace(void)
{
	if (is("new")) {
		buf_adds(&out, "Nettrace");
		put(&out, 0, 4);
		put(&out, 6, 4);
		put(&out, 0, 4);
		return;
	}
	buf_adds(&out, "Nettrace");
	put(&out, 20, 4);
	buf_adds(&out, "!FastSerialization.1");
	begin_object("Trace", is("old") ? 6 : 4);
	for (unsigned i = 0; i < 8; i++)
		put(&out, 1, 2);
	put(&out, ZERO * UINT64_C(10000000), 8);
	put(&out, 10000000, 8);
	put(&out, 8, 4);
	put(&out, 42, 4);
	put(&out, 8, 4);
	put(&out, 1000000, 4);
	put(&out, 6, 1);
}

int main(int argc, char **argv)
{
	unsigned long bytes = 0;
	size_t cut = 0;

	if (argc > 3 && !strcmp(argv[1], "--samples")) {
		samples = strtoul(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	if (argc != 2)
		return 2;
	variant = argv[1];
	put_trace();
	put_kinds();
	for (unsigned long i = 0; i < samples; i += 50) {
		size_t at = out.len;

		put_stacks();
		put_samples(i, i + 50 < samples ? i + 50 : samples);
		cut = at + (out.len - at) / 2;
		put(&body, 0, 8);
		put(&body, 0, 4);
		end_block("SPBlock");
	}
	begin_blobs();
	last_ticks = 0;
	put_method(MAIN, "Game.Program", "Main");
	put_method(UPDATE, "Game.Player", "Update");
	end_block("EventBlock");
	put(&out, 1, 1);
	for (unsigned long i = 9; i < samples; i += 10)
		bytes += 100000 + i;
	fprintf(stderr, "samples %lu\nbytes %lu\n", samples, bytes);
	fwrite(out.data, 1, is("cut") ? cut : out.len, stdout);
	buf_release(&out);
	buf_release(&body);
	return fflush(stdout) ? 1 : 0;
}
