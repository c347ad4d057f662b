/* SPDX-License-Identifier: MIT
 *
 * A generator of saved frames of Unity's profiler, to standard output, and of their contents, to
 * standard error.
 *
 *	unity_data [--seed N] [--frames N] [--threads N] [--calls N] [--version HEX] data
 *	unity_data ... [--version 1-7] pdata
 *
 * The truth is that of unity.c: marker, frame, thread, samples, allocs, callstacks.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "testdata/gen/unity_bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MARKERS = 40, GC_ALLOC = 39, METHODS = 8, THREADS_MAX = 64 };

static uint64_t seed = 1, n_frames = 5, n_threads = 3, calls = 20, version = 0x20220328;

struct sample {
	uint64_t start, total, children_ns, children;
	unsigned marker, depth;
};

static struct {
	struct sample *s;
	size_t n, cap;
} tree;

static struct {
	uint64_t calls, total, self;
} markers[MARKERS];
static uint64_t samples, allocs, bytes, callstacks, in_thread[THREADS_MAX];
static uint64_t frame_samples, frame_allocs, frame_bytes;
static uint64_t unit; /* ns of a step */
static struct buf out;

static uint32_t ordinal(void)
{
	return version == 0x20180306 ? 0x20190306 : (uint32_t)version;
}

static void marker_text(char name[64], unsigned i)
{
	if (i == GC_ALLOC)
		snprintf(name, 64, "GC.Alloc");
	else
		snprintf(name, 64, "Game.dll!Ns::C%u.M%u()%.*s", i, i % 3, (int)(i % 4), "abc");
}

/* A sample and what it calls; returns its ns. */
static uint64_t grow(unsigned depth, uint64_t *left, uint64_t start, unsigned parent)
{
	unsigned marker = depth > 1 && draw(6) == 0 ? GC_ALLOC : (parent * 3 + draw(3)) % GC_ALLOC;
	size_t at = tree.n;
	uint64_t inner = 0, n = 0, total;

	VEC_PUSH(tree.s, tree.n, tree.cap) =
	    (struct sample){.start = start, .marker = marker, .depth = depth};
	while (marker != GC_ALLOC && depth < 7 && *left && draw(3)) {
		--*left;
		inner += grow(depth + 1, left, start + inner, marker);
		n++;
	}
	total = inner + unit * (1 + draw(50));
	tree.s[at].total = total;
	tree.s[at].children = n;
	tree.s[at].children_ns = inner;
	markers[marker].calls++;
	markers[marker].total += total;
	markers[marker].self += total - inner;
	return total;
}

static void make_tree(uint64_t start, unsigned thread)
{
	uint64_t left = calls;

	tree.n = 0;
	while (left) {
		left--;
		start += grow(1, &left, start, thread);
	}
	samples += tree.n;
	frame_samples += tree.n;
	in_thread[thread] += tree.n;
}

static void words(unsigned n)
{
	while (n--)
		put(&out, 0, 4);
}

static void cstr(const char *s)
{
	size_t n = strlen(s);

	buf_adds(&out, s);
	for (size_t i = n; i < (n / 4 + 1) * 4; i++)
		buf_addc(&out, 0);
}

static void real32(double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	put(&out, bits, 4);
}

static void real64(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	put(&out, bits, 8);
}

static void statistics(uint32_t frame)
{
	put(&out, 1000 + frame, 4); /* total used, KiB */
	words(32);
	put(&out, 2, 4);
	for (int i = 0; i < 2; i++) {
		put(&out, 20 + i, 4);
		put(&out, 3, 4);
	}
	put(&out, UINT32_MAX, 4);
	words(16);
	put(&out, 0, 4);
	put(&out, 0, 4);
	put(&out, 77, 4); /* draw calls */
	words(48);
	words(15);
	words(ordinal() >= 0x20171110 ? 23 : 0);
	words(39);
	words(ordinal() >= 0x20191122 ? 10 : 3);
	words(61);
	real32(1000);
	words(18 + 19);
	words(ordinal() >= 0x20180704 ? 10 : 0);
	words(ordinal() >= 0x20181101 ? 18 : 16);
}

static void arrays(void)
{
	bool wide = ordinal() >= 0x20260108;
	const unsigned sizes[] = {wide ? 18 : 16,
				  ordinal() >= 0x20210919 ? 14 : 11,
				  0,
				  wide ? 15 : 13,
				  0,
				  wide ? 4 : 3,
				  0,
				  wide ? 2 : 1};

	for (unsigned i = 0; i < 8; i++) {
		put(&out, sizes[i] ? 2 : 6, 4); /* two items, or six bytes of names */
		words(2 * (sizes[i] ? sizes[i] : 1));
	}
}

static void marker_tail(unsigned i)
{
	put(&out, i == GC_ALLOC ? 17u << 16 : (i % 5) << 16 | 2, 4);
	if (ordinal() >= 0x20191104) {
		put(&out, i % 2, 4);
		if (i % 2) {
			put(&out, 0x0203, 4);
			cstr("bytes");
		}
	}
}

static void time_of(uint64_t ns)
{
	if (ordinal() < 0x20190821)
		put(&out, ns / 1000, 4);
	else
		put(&out, ordinal() < 0x20200828 ? ns / 1000 : ns, 8);
}

static void put_samples(void)
{
	put(&out, tree.n, 4);
	for (size_t i = 0; i < tree.n; i++) {
		const struct sample *s = &tree.s[i];

		if (ordinal() >= 0x20211028)
			put(&out, s->marker, 4);
		if (ordinal() < 0x20190821)
			put(&out, s->total / 1000, 4);
		else
			real32((double)(ordinal() < 0x20200828 ? s->total / 1000 : s->total));
		time_of(s->start);
		put(&out, s->children, 4);
	}
}

static void put_sample_names(void)
{
	char name[64];

	for (size_t i = 0; ordinal() < 0x20211028 && i < tree.n; i++) {
		put(&out, 1, 4);
		marker_text(name, tree.s[i].marker);
		cstr(name);
		marker_tail(tree.s[i].marker);
	}
}

static void put_allocs(void)
{
	size_t at = out.len;
	uint32_t n = 0;

	put(&out, 0, 4);
	for (size_t i = 0; i < tree.n; i++)
		if (tree.s[i].marker == GC_ALLOC) {
			uint32_t size = 16 + draw(200);

			put(&out, i, 4);
			put(&out, size, 4);
			n++;
			frame_bytes += size;
		}
	frame_allocs += n;
	memcpy(out.data + at, &n, 4);
}

static void put_callstacks(void)
{
	unsigned size = ordinal() >= 0x20200828 ? 8 : 4;
	size_t at = out.len;
	uint32_t n = 0;

	if (ordinal() < 0x20190514)
		return;
	put(&out, 0, 4);
	for (size_t i = 0; i < tree.n; i++)
		if (tree.s[i].marker == GC_ALLOC && i % 2) {
			put(&out, i, 4);
			for (unsigned k = 0; k < 32; k++)
				put(&out,
				    k < 2    ? 0x50000000u + draw(METHODS) * 256 + 9
				    : k == 2 ? 0x70001234
					     : 0,
				    size);
			n++;
		}
	callstacks += n;
	memcpy(out.data + at, &n, 4);
}

static void put_thread(unsigned t, uint64_t start)
{
	char name[32];

	make_tree(start, t);
	if (ordinal() >= 0x20200924)
		put(&out, 500 + t, 8);
	snprintf(name, sizeof name, "Worker %u", t);
	cstr(t ? "Job" : "");
	cstr(t ? name : "Main Thread");
	put_samples();
	put(&out, 1, 4);
	words(3);
	if (ordinal() >= 0x20210919) {
		put(&out, 1, 4);
		words(ordinal() >= 0x20260108 ? 3 : 2);
	}
	put_allocs();
	put_sample_names();
	put(&out, 1, 4); /* a warning */
	words(1);
	put(&out, 1, 4); /* metadata of five bytes */
	put(&out, 0, 4);
	put(&out, 1, 4);
	put(&out, 8, 4);
	put(&out, 5, 4);
	words(2);
	if (ordinal() >= 0x20190306) {
		put(&out, 2, 4);
		words(2);
	}
	if (version == 0x20181101 && t % 2)
		put(&out, 0, 4); /* an empty list before the depth, in some of that version */
	if (ordinal() >= 0x20181101)
		put(&out, 7, 4);
	put_callstacks();
	if (ordinal() >= 0x20200312) {
		put(&out, 1, 4);
		words(3);
	}
}

static void put_tail(void)
{
	char name[64];

	if (ordinal() >= 0x20190514) {
		put(&out, METHODS, 4);
		for (unsigned i = 0; i < METHODS; i++) {
			snprintf(name, sizeof name, "Ns.Jit:Method%u ()", i);
			cstr(name);
			cstr("Assets/Jit.cs");
			put(&out, 0x50000000 + i * 256, ordinal() >= 0x20200828 ? 8 : 4);
			put(&out, 200, 4);
			put(&out, 10 + i, 4);
		}
	}
	if (ordinal() >= 0x20210412) {
		put(&out, 1, 4);
		words(3);
		cstr("Render");
		words(ordinal() >= 0x20211025);
	}
	if (ordinal() >= 0x20210919) {
		put(&out, 1, 4);
		words(1);
		cstr("Object");
		put(&out, 1, 4);
		words(ordinal() >= 0x20260108 ? 4 : ordinal() >= 0x20220328 ? 2 : 1);
		words(1);
		cstr("Camera");
		words(ordinal() >= 0x20220328 ? 2 : 0);
	}
	if (ordinal() >= 0x20220328) {
		put(&out, 1, 4);
		words(4);
	}
	put(&out, 0xAFAFAFAF, 4);
}

static void data_frame(uint32_t frame)
{
	uint64_t start = UINT64_C(1000000000) + frame * UINT64_C(20000000);
	size_t head = out.len, body;
	uint32_t size;
	char name[64];

	if (ordinal() < 0x20171110) {
		put(&out, 1, 4);
		put(&out, version, 4);
		put(&out, 0, 4);
		put(&out, n_threads, 4);
	} else {
		put(&out, version, 4);
		put(&out, 0, 4);
		if (ordinal() < 0x20211028)
			put(&out, n_threads, 4);
		for (unsigned i = 0; ordinal() >= 0x20211028 && i < 5; i++)
			put(&out, i ? i : 2022, 4);
	}
	body = out.len;
	put(&out, frame, 4);
	put(&out, frame, 4);
	time_of(start);
	put(&out, 16000, 4);
	put(&out, 9000, 4);
	words(ordinal() >= 0x20191122);
	statistics(frame);
	arrays();
	if (ordinal() >= 0x20211028) { /* each marker once, in the first frame */
		put(&out, frame == 1 ? MARKERS : 0, 4);
		for (unsigned i = 0; frame == 1 && i < MARKERS; i++) {
			put(&out, i, 4);
			marker_text(name, i);
			cstr(name);
			marker_tail(i);
		}
	}
	put(&out, n_threads, 4);
	for (unsigned t = 0; t < n_threads; t++)
		put_thread(t, start);
	put_tail();
	size = (uint32_t)(out.len - body);
	memcpy(out.data + head + (ordinal() < 0x20171110 ? 8 : 4), &size, 4);
}

static void pdata_frame(uint32_t frame)
{
	double start = 5000.0 + frame * 20.0;

	if (version >= 2)
		real64(version >= 6 ? start : start / 1000);
	real32(16.5);
	put(&out, n_threads, 4);
	for (unsigned t = 0; t < n_threads; t++) {
		make_tree(0, t);
		put(&out, t, 4);
		put(&out, tree.n, 4);
		for (size_t i = 0; i < tree.n; i++) {
			put(&out, tree.s[i].marker, 4);
			real32((double)tree.s[i].total / 1e6);
			put(&out, tree.s[i].depth, 4);
			if (version == 3)
				real32((double)tree.s[i].children_ns / 1e6);
		}
	}
}

static void string(const char *s)
{
	buf_add_uleb(&out, strlen(s));
	buf_adds(&out, s);
}

static void pdata_names(void)
{
	char name[64];

	put(&out, MARKERS, 4);
	for (unsigned i = 0; i < MARKERS; i++) {
		marker_text(name, i);
		string(name);
	}
	put(&out, n_threads, 4);
	for (unsigned t = 0; t < n_threads; t++) {
		snprintf(name, sizeof name, "%u:%sWorker %u", t + 1,
			 version >= 5 && t ? "Job." : "", t);
		string(t ? name : "1:Main Thread");
	}
}

static void tell(bool pdata)
{
	char name[64];

	for (unsigned i = 0; i < MARKERS; i++)
		if (markers[i].calls) {
			marker_text(name, i);
			fprintf(stderr, "marker\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", name,
				markers[i].calls, markers[i].total, markers[i].self);
		}
	for (unsigned t = 0; t < n_threads; t++) {
		snprintf(name, sizeof name, "%sWorker %u", pdata && version < 5 ? "" : "Job.", t);
		fprintf(stderr, "thread\t%s\t%" PRIu64 "\n", t ? name : "Main Thread",
			in_thread[t]);
	}
	fprintf(stderr,
		"samples\t%" PRIu64 "\nallocs\t%" PRIu64 "\t%" PRIu64 "\ncallstacks\t%" PRIu64 "\n",
		samples, allocs, bytes, callstacks);
}

int main(int argc, char **argv)
{
	bool pdata;
	int i = 1;

	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
		const char *o = argv[i] + 2, *v = argv[i + 1];
		uint64_t *to = !strcmp(o, "seed")      ? &seed
			       : !strcmp(o, "frames")  ? &n_frames
			       : !strcmp(o, "threads") ? &n_threads
						       : &calls;

		if (!strcmp(o, "version") ? !num_hex(v, strlen(v), &version)
					  : !num_dec(v, strlen(v), to))
			break;
	}
	pdata = i + 1 == argc && !strcmp(argv[i], "pdata");
	if (i + 1 != argc || (!pdata && strcmp(argv[i], "data")) || n_threads > THREADS_MAX) {
		fprintf(stderr, "usage: see testdata/gen/unity_data.c\n");
		return 2;
	}
	random_state = seed;
	unit = pdata ? 15625 : 1000; /* exact as f32 */
	if (pdata) {
		put(&out, version, 4);
		put(&out, 100, 4);
		put(&out, n_frames, 4);
	}
	for (uint32_t f = 1; f <= n_frames; f++) {
		frame_samples = frame_allocs = frame_bytes = 0;
		if (pdata)
			pdata_frame(f);
		else
			data_frame(f);
		fprintf(stderr, "frame\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
			pdata ? 99 + f : f, frame_samples, frame_allocs, frame_bytes);
		allocs += frame_allocs;
		bytes += frame_bytes;
	}
	if (pdata)
		pdata_names();
	tell(pdata);
	if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout))
		return 3;
	buf_release(&out);
	free(tree.s);
	return 0;
}
