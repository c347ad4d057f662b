/* SPDX-License-Identifier: MIT
 *
 * gmon.out, which programs built with -pg write: samples of the program counter, and calls between functions.
 *
 *	"gmon", version 1 (4 bytes), 12 spare bytes; then records, each behind a tag of one byte:
 *	0  histogram: low and high address, number of bins and ticks a second (4 bytes each), "seconds" in 15 bytes,
 *	   its abbreviation; then 2 bytes for each bin
 *	1  arc: an address within the caller (0: it is not known), the callee's, calls (4 bytes)
 *	2  counts of basic blocks: their number (4 bytes), then an address and a count each
 *
 * Numbers have the byte order of the machine; addresses, its size: the dimension of the histogram, which comes
 * first, says which. Addresses are link-time ones: glibc takes the slide off. The program is not named.
 * From binutils' gprof/gmon_out.h and gmon_io.c (formats), glibc's gmon/gmon.c (what is written), and files of both.
 */
#include "formats/emit.h"
#include "formats/reader.h"

#include <inttypes.h>
#include <string.h>

enum { TAG_HISTOGRAM, TAG_ARC, TAG_BLOCKS };
enum { HEAD = 20, DIMENSION = 15, BINS_MOST = 1 << 28 };

struct gmon {
	struct import *im;
	struct cursor *c;
	unsigned pointer; /* bytes of an address */
	uint64_t wide;    /* the largest bin, bytes */
	uint64_t blocks, other, arcs, samples;
	bool begun;
};

static enum status gmon_begin(struct gmon *g, struct err *e)
{
	struct trace *t = g->im->t;
	/* Link-time addresses: those of a program that is loaded where it was linked. */
	struct module program = {.name = trace_string(t, "", 0), .has_slide = true, .slide = 0};

	if (g->begun)
		return ST_OK;
	g->begun = true;
	trace_module(t, &program);
	t->unordered = true;
	return import_begin(g->im, e);
}

static uint64_t gmon_address(struct gmon *g)
{
	return g->pointer == 8 ? cursor_u64(g->c) : cursor_u32(g->c);
}

static uint32_t gmon_location(struct gmon *g, uint64_t address, enum location_kind kind)
{
	struct location l = {.raw = address, .space = SPACE_RUNTIME, .kind = (uint8_t)kind};

	return trace_location(g->im->t, &l);
}

static enum status gmon_histogram(struct gmon *g, struct err *e)
{
	uint64_t low = gmon_address(g), high = gmon_address(g);
	uint32_t bins = cursor_u32(g->c), rate = cursor_u32(g->c);
	const uint8_t *words = cursor_bytes(g->c, DIMENSION + 1, "histogram");
	uint64_t wide = bins && high > low ? (high - low) / bins : 0;
	bool seconds;
	enum status st;

	if (cursor_failed(g->c))
		return err_failure(e);
	seconds = !memcmp(words, "seconds", 8);
	if (bins && (!wide || bins > BINS_MOST || !rate))
		return cursor_fail(g->c, ST_BAD,
				   "impossible histogram: %" PRIu32 " bins from 0x%" PRIx64
				   " to 0x%" PRIx64 ", %" PRIu32 " ticks a second",
				   bins, low, high, rate);
	g->wide = wide > g->wide ? wide : g->wide;
	st = gmon_begin(g, e);
	for (uint32_t i = 0; i < bins && !st; i++) {
		uint16_t n = cursor_u16(g->c);
		struct emit_sample s = {.samples = KNOWN(n)};

		if (cursor_failed(g->c))
			return err_failure(e);
		if (!n)
			continue;
		s.stack = trace_stack(
		    g->im->t, 0,
		    gmon_location(g, low + (uint64_t)((unsigned __int128)(high - low) * i / bins),
				  LOCATION_EXACT));
		if (seconds)
			s.self = KNOWN((uint64_t)((unsigned __int128)n * 1000000000 / rate));
		g->samples += n;
		st = emit_sample(g->im, &s, e);
	}
	return st;
}

static enum status gmon_arc(struct gmon *g, struct err *e)
{
	uint64_t from = gmon_address(g), to = gmon_address(g);
	uint32_t calls = cursor_u32(g->c), stack = 0;
	enum status st = cursor_failed(g->c) ? err_failure(e) : gmon_begin(g, e);

	if (st)
		return st;
	/* Behind the call, but of gprof -s the caller's first byte: gprof looks it up as it is. An arc is of whole
	 * functions, whatever is inlined at these places. */
	if (from)
		stack = trace_stack(g->im->t, 0, gmon_location(g, from, LOCATION_ENTRY));
	stack = trace_stack(g->im->t, stack, gmon_location(g, to, LOCATION_ENTRY));
	g->arcs++;
	/* Its time is in the histogram. */
	return emit_sample(
	    g->im, &(struct emit_sample){.stack = stack, .calls = KNOWN(calls), .self = KNOWN(0)},
	    e);
}

static enum status gmon_blocks(struct gmon *g, struct err *e)
{
	uint32_t n = cursor_u32(g->c);

	g->blocks += n;
	cursor_skip(g->c, (uint64_t)n * 2 * g->pointer, "counts of blocks");
	return cursor_failed(g->c) ? err_failure(e) : ST_OK;
}

/* The size of an address, from where the dimension stands; 0: the file does not begin with a histogram. */
static unsigned gmon_pointer(const uint8_t *head, size_t n)
{
	for (unsigned pointer = 4; pointer <= 8; pointer += 4) {
		size_t at = HEAD + 1 + 2 * (size_t)pointer + 8;

		if (n >= at + DIMENSION && !head[HEAD] && !memcmp(head + at, "seconds", 8))
			return pointer;
	}
	return 0;
}

static enum status gmon_read(struct import *im, struct err *e)
{
	struct gmon g = {.im = im, .c = &im->in->cur};
	const uint8_t *head;
	size_t n;
	enum status st = input_head(im->in, &head, &n);

	if (st)
		return err_failure(e);
	if (n < HEAD + 1)
		return err_at(e, ST_BAD, n, "the file ends within its head");
	g.pointer = gmon_pointer(head, n);
	g.c->big_endian = !head[4];
	if (!g.pointer)
		return err_at(e, ST_UNSUPPORTED, HEAD,
			      "the file does not begin with a histogram of seconds");
	cursor_skip(g.c, HEAD, "head");
	while (!st && !cursor_done(g.c)) {
		uint8_t tag = cursor_u8(g.c);

		st = cursor_failed(g.c)     ? err_failure(e)
		     : tag == TAG_HISTOGRAM ? gmon_histogram(&g, e)
		     : tag == TAG_ARC       ? gmon_arc(&g, e)
		     : tag == TAG_BLOCKS    ? gmon_blocks(&g, e)
					 : cursor_fail(g.c, ST_BAD, "unknown record: tag %u", tag);
	}
	if (!st)
		st = gmon_begin(&g, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, g.blocks, "counts of basic blocks were left out"),
	    LOSS(NOTE_GUESS, g.wide > 16 ? g.wide : 0,
		 "samples stand for so many bytes of code: some may be of a neighbour"),
	};

	if (g.begun)
		TRACE_LOSSES(im->t, losses);
	return st;
}

static int gmon_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n > HEAD && (!memcmp(head, "gmon\1\0\0\0", 8) || !memcmp(head, "gmon\0\0\0\1", 8))
		   ? 64
		   : 0;
}

const struct reader reader_gmon = {
    .name = "gmon",
    .family = "gprof",
    .page = "gprof",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME |
		    CAPABILITY_ADDRESSES,
    .advice = "the file does not name its program; for names of functions: tm-top -e PROGRAM",
    .what = "gprof's gmon.out: samples and calls of programs built with -pg",
    .suffixes = "out,sum",
    .cut = CUT_ANYWHERE,
    .bid = gmon_bid,
    .read = gmon_read,
};
