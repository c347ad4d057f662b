/* SPDX-License-Identifier: MIT
 *
 * A generator of lua_Alloc logs, to standard output, the same bytes for the same options, and their
 * contents to standard error.
 *
 *	lualloc [--seed N] [--events N] [--frames N] [--lua 51|52|53|54|0] [--variant NAME]
 *	        text|binary
 *
 * A heap is played through: objects of every kind and arrays come, grow, shrink and go. Truth:
 *
 *	kind NAME allocs frees reallocs allocated-bytes freed-bytes live live-bytes
 *	frame NUMBER allocs allocated-bytes heap-bytes-at-its-end
 *	heap BYTES, peak BYTES, records N
 *
 * allocs and frees do not count reallocs; the bytes do: nsize is allocated and osize freed.
 * Variants: plain (default); named (the kind is written too); nil (every 9th call fails, and
 * is not in the truth); before (the first blocks come from before the log); bare (no result
 * column: nothing is known to be freed); cut (no end); columns (another order of columns);
 * states (three ud).
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHER = 7, UNKNOWN = 8, KINDS = 9, EARLY = 20 };
static const char *const names[KINDS] = {"String", "Table", "Function", "UserData", "Thread",
					 "Proto",  "UpVal", "other",    "unknown"};

static struct kind {
	uint64_t allocs, frees, reallocs, allocated, freed;
} kinds[KINDS];

struct block {
	uint64_t ptr, size;
	int kind;
};

static struct {
	uint64_t seed, events, frames, lua;
	bool binary;
} opt = {.seed = 1, .events = 1000, .frames = 10, .lua = 54};

static struct block *blocks;
static size_t n_blocks, cap_blocks;
static uint64_t records, heap, peak, next_ptr = 0x55d000001000, now = 1000, frame = 1;
static uint64_t frame_allocs, frame_bytes;

static void put_out(uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		putchar((int)(v >> 8 * i & 255));
}

/* osize of a call that makes an object; Lua's own numbers. */
static uint64_t tag(int kind)
{
	switch (kind) {
	case 5: return opt.lua == 54 ? 10 : 9;
	case 6: return opt.lua == 54 ? 9 : 10;
	case OTHER: return draw(2) ? 0 : 37;
	default: return 4 + (uint64_t)kind;
	}
}

/* What a reader can know of a kind in this version. */
static int known(int kind)
{
	if (is("named") || kind >= OTHER)
		return kind;
	if (opt.lua == 51 || (opt.lua == 53 && kind == 6))
		return OTHER;
	return kind;
}

static void call(uint64_t ptr, uint64_t osize, uint64_t nsize, uint64_t result, int kind)
{
	uint64_t ud = is("states") ? 0x1000 + 16 * (records % 3) : 0x1000;
	const char *name = is("named") && nsize && !ptr ? names[kind] : "-";
	bool named = *name != '-';

	records++;
	now += 1 + draw(50);
	if (opt.binary) {
		put_out(ud, 8);
		put_out(ptr, 8);
		put_out(osize, 8);
		put_out(nsize, 8);
		put_out(is("bare") ? 0 : result, 8);
		put_out(now, 8);
		put_out(frame, 4);
		put_out(named && kind < 5 ? 4 + (uint64_t)kind : UINT32_MAX, 4);
	} else if (is("columns")) {
		printf("%" PRIu64 ",%" PRIu64 ",0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",0x%" PRIx64
		       "\n",
		       frame, now, ptr, osize, nsize, result);
	} else {
		printf("0x%" PRIx64 " ", ud);
		if (ptr)
			printf("0x%" PRIx64, ptr);
		else
			printf("(nil)");
		printf(" %" PRIu64 " %" PRIu64 " %s %" PRIu64 " %" PRIu64, osize, nsize, name, now,
		       frame);
		if (!is("bare"))
			printf(" 0x%" PRIx64, result);
		putchar('\n');
	}
}

static void grow_heap(uint64_t size, int kind)
{
	heap += size;
	peak = heap > peak ? heap : peak;
	kinds[kind].allocated += size;
	frame_allocs++;
	frame_bytes += size;
}

static uint64_t new_ptr(uint64_t size)
{
	uint64_t p = next_ptr;

	next_ptr += (size + 31) / 16 * 16;
	return p;
}

static void allocate(void)
{
	static const uint32_t weights[] = {30, 20, 12, 4, 1, 6, 7, 20};
	static const uint32_t bases[] = {25, 56, 32, 40, 208, 128, 40, 16};
	uint32_t at = draw(100);
	int kind = 0;
	struct block b;

	while (at >= weights[kind])
		at -= weights[kind++];
	/* there are no such objects */
	if (kind == 6 && (opt.lua == 53 || opt.lua == 51))
		kind = OTHER;
	b = (struct block){.size = bases[kind] + draw(64) * 8, .kind = known(kind)};
	b.ptr = new_ptr(b.size);
	call(0, opt.lua == 51 ? 0 : tag(kind), b.size, b.ptr, kind);
	kinds[b.kind].allocs++;
	grow_heap(b.size, b.kind);
	VEC_PUSH(blocks, n_blocks, cap_blocks) = b;
}

static void release(size_t i)
{
	struct block b = blocks[i];

	call(b.ptr, b.size, 0, 0, b.kind);
	if (!is("bare")) {
		kinds[b.kind].frees++;
		kinds[b.kind].freed += b.size;
	}
	heap -= b.size;
	blocks[i] = blocks[--n_blocks];
}

static void reallocate(size_t i)
{
	struct block *b = &blocks[i], old = *b;

	b->size = draw(3) ? old.size * 2 : old.size / 2 + 8;
	b->ptr = draw(4) ? new_ptr(b->size) : old.ptr;
	if (is("bare"))
		b->kind = UNKNOWN;
	call(old.ptr, old.size, b->size, b->ptr, b->kind);
	heap -= old.size;
	if (!is("bare"))
		kinds[b->kind].freed += old.size;
	kinds[b->kind].reallocs++;
	grow_heap(b->size, b->kind);
}

static void end_frame(void)
{
	fprintf(stderr, "frame %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", frame,
		frame_allocs, frame_bytes, heap);
	frame_allocs = frame_bytes = 0;
	frame++;
}

static void head(void)
{
	static const char *const versions[] = {"5.1", "5.2", "5.3", "5.4"};

	if (opt.binary) {
		fwrite("LUALLOC", 1, 8, stdout);
		put_out(1, 2);
		put_out(56, 2);
		put_out(opt.lua, 1);
		put_out(is("bare") ? 7 : 15, 1);
		put_out(0, 2);
		put_out(1000, 8);
		put_out(0, 8);
		return;
	}
	fputs("lualloc 1 clock=us", stdout);
	if (opt.lua)
		printf(" lua=%s", versions[opt.lua - 51]);
	if (is("columns"))
		fputs(" columns=frame|time|ptr|osize|nsize|result", stdout);
	if (is("bare"))
		fputs(" columns=ud|ptr|osize|nsize|kind|time|frame", stdout);
	putchar('\n');
}

static void tail(void)
{
	if (is("cut"))
		return;
	if (!opt.binary) {
		printf("end %" PRIu64 "\n", records);
		return;
	}
	for (int i = 0; i < 3; i++)
		put_out(0, 8);
	put_out(records, 8);
	put_out(0, 8);
	put_out(0, 8);
	put_out(0, 4);
	put_out((uint32_t)-2, 4);
}

static void play(void)
{
	for (int i = 0; is("before") && i < EARLY; i++) {
		uint64_t size = 64 + draw(100);

		VEC_PUSH(blocks, n_blocks, cap_blocks) =
		    (struct block){new_ptr(size), size, UNKNOWN};
	}
	for (uint64_t i = 0; i < opt.events; i++) {
		uint32_t what = draw(100);

		if (frame < opt.frames && i >= opt.events * frame / opt.frames)
			end_frame();
		if (is("nil") && i % 9 == 8)
			call(n_blocks ? blocks[0].ptr : 0, n_blocks ? blocks[0].size : 5, 1 << 20,
			     0, 1);
		else if (!n_blocks || what < 50)
			allocate();
		else if (what < 80)
			release(draw((uint32_t)n_blocks));
		else
			reallocate(draw((uint32_t)n_blocks));
	}
	end_frame();
}

static void truth(void)
{
	for (int k = 0; k < KINDS; k++) {
		const struct kind *x = &kinds[k];
		uint64_t live = 0, bytes = 0;

		for (size_t i = 0; i < n_blocks; i++) {
			live += blocks[i].kind == k;
			bytes += blocks[i].kind == k ? blocks[i].size : 0;
		}
		if (x->allocs || x->reallocs)
			fprintf(stderr,
				"kind %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
				" %" PRIu64 " %" PRIu64 "\n",
				names[k], x->allocs, x->frees, x->reallocs, x->allocated, x->freed,
				live, bytes);
	}
	fprintf(stderr, "heap %" PRId64 "\npeak %" PRIu64 "\nrecords %" PRIu64 "\n", (int64_t)heap,
		peak, records);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {{"--seed", &opt.seed},
		       {"--events", &opt.events},
		       {"--frames", &opt.frames},
		       {"--lua", &opt.lua}};
	int i = 1;

	variant = "plain";
	for (; i + 1 < argc; i += 2) {
		bool known_option = !strcmp(argv[i], "--variant");

		if (known_option)
			variant = argv[i + 1];
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			if (!strcmp(argv[i], numbers[k].name))
				known_option =
				    num_dec(argv[i + 1], strlen(argv[i + 1]), numbers[k].value);
		if (!known_option)
			break;
	}
	opt.binary = i < argc && !strcmp(argv[i], "binary");
	if (i + 1 != argc || (!opt.binary && strcmp(argv[i], "text") != 0) || !opt.frames ||
	    (opt.lua && (opt.lua < 51 || opt.lua > 54))) {
		fprintf(stderr, "usage: see testdata/gen/lualloc.c\n");
		return 2;
	}
	random_state = opt.seed * 2 + 1;
	head();
	play();
	tail();
	truth();
	free(blocks);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
