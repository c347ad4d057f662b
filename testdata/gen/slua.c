/* SPDX-License-Identifier: MIT
 *
 * A generator of sluaunreal's .sluastat, version 4, to standard output (formats/unreal/slua.c has
 * the layout), the same bytes for the same options, and the contents to standard error.
 *
 *	slua [--seed N] [--frames N] [--block N] [--variant NAME]
 *
 * --block: frames in a block. Blocks are zlib streams of stored bytes. Truth:
 *
 *	function NAME FILE:LINE calls self-ns     of all frames
 *	file NAME bytes                           in use at the end
 *	line FILE:LINE bytes                      the same, where the last frame has the full list
 *	heap BYTES at the end, frames N
 *
 * Variants: plain; oodle; v3; broken (the second block's bytes are damaged); cut (no end); nan;
 * negative (callees longer than their callers).
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 8, FILES = 4, LINES = 6, FULL_EVERY = 60, FIRST_NAME = 7000, DEPTH = 6 };

static const char *const files[FILES] = {"Main.lua", "UI/Bag.lua", "\xe6\xa0\x88.lua", "Net.lua"};
static struct function {
	const char *name;
	uint32_t file;
	int32_t line;
	uint64_t calls;
	int64_t self;
} functions[FUNCTIONS] = {
    {"Tick", 0, 12, 0, 0},  {"Update", 0, 40, 0, 0},      {"Update", 1, 9, 0, 0},
    {"Draw", 1, 77, 0, 0},  {"\xe5\xa0\x86", 2, 3, 0, 0}, {"Send", 3, 5, 0, 0},
    {"pcall", 3, -1, 0, 0}, {"Pack", 3, 60, 0, 0},
};
static struct use {
	int64_t bytes, change;
	bool listed;
} uses[FILES][LINES];

static struct {
	uint64_t seed, frames, block;
} opt = {1, 130, 20};

static struct buf raw;

static void put_string(const char *s)
{
	uint32_t units = 1;
	bool wide = false;

	for (const char *p = s; *p; p++) {
		wide |= *p < 0;
		units += (*p & 0xc0) != 0x80;
	}
	if (!wide) {
		put(&raw, strlen(s) + 1, 4);
		buf_add(&raw, s, strlen(s) + 1);
		return;
	}
	put(&raw, -units, 4);
	for (const uint8_t *p = (const uint8_t *)s; *p; p += *p < 128 ? 1 : 3)
		put(&raw, *p < 128 ? *p : (*p & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u), 2);
	put(&raw, 0, 2);
}

static uint32_t file_id(size_t file)
{
	return FIRST_NAME + (uint32_t)file;
}

static uint32_t function_id(size_t function)
{
	return FIRST_NAME + FILES + (uint32_t)function;
}

/* Files and the first functions in the first frame, the others in the second. */
static void put_names(uint64_t frame)
{
	size_t from = frame ? FUNCTIONS / 2 : 0, to = frame ? FUNCTIONS : FUNCTIONS / 2;

	if (frame > 1) {
		put(&raw, 0, 4);
		return;
	}
	put(&raw, to - from + (frame ? 0 : FILES), 4);
	for (size_t i = 0; !frame && i < FILES; i++) {
		put(&raw, file_id(i), 4);
		put_string(files[i]);
	}
	for (size_t i = from; i < to; i++) {
		put(&raw, function_id(i), 4);
		put_string(functions[i].name);
	}
}

static void put_key(size_t f)
{
	put(&raw, file_id(functions[f].file), 4);
	put(&raw, function_id(f), 4);
	put(&raw, (uint32_t)functions[f].line, 4);
}

/* Inclusive us of what it wrote. */
static int64_t put_node(uint64_t frame, uint32_t depth)
{
	size_t f = draw(frame ? FUNCTIONS : FUNCTIONS / 2), at;
	uint32_t calls = 1 + draw(9), children = depth < DEPTH ? draw(3) : 0;
	int64_t self = draw(800), total = self;

	if (is("negative") && children && draw(3) == 0)
		self = total = -self;
	if (depth)
		put_key(f);
	put_key(f);
	at = raw.len;
	put(&raw, 0, 8);
	put(&raw, calls, 4);
	put(&raw, depth + 1, 4);
	put(&raw, children, 4);
	functions[f].calls += calls;
	functions[f].self += self > 0 ? self * 1000 : 0;
	for (uint32_t i = 0; i < children; i++)
		total += put_node(frame, depth + 1);
	for (unsigned i = 0; i < 8; i++)
		raw.data[at + i] = (char)((uint64_t)total >> 8 * i & 255);
	return total;
}

static void put_size(size_t file, int32_t line, int64_t bytes, bool bad)
{
	float v = bad ? NAN : (float)bytes;
	uint32_t bits;

	memcpy(&bits, &v, 4);
	put(&raw, file_id(file), 4);
	put(&raw, (uint32_t)line, 4);
	put(&raw, bits, 4);
	put(&raw, 0, 4);
}

/* As the tool: a free of a line that did not allocate in this frame is in no list. */
static void change_heap(void)
{
	for (int i = 0; i < 6; i++) {
		struct use *u = &uses[draw(FILES)][draw(LINES)];
		int64_t bytes = 16 + draw(400);

		u->bytes += bytes;
		u->change += bytes;
		u->listed = true;
	}
	for (int i = 0; i < 4; i++) {
		struct use *u = &uses[draw(FILES)][draw(LINES)];
		int64_t bytes = u->bytes ? draw((uint32_t)u->bytes + 1) : 0;

		u->bytes -= bytes;
		u->change -= u->listed ? bytes : 0;
	}
}

static int64_t total_of(size_t file)
{
	int64_t sum = 0;

	for (size_t l = 0; l < LINES; l++)
		sum += uses[file][l].bytes;
	return sum;
}

static void put_memory(uint64_t frame)
{
	bool full = frame % FULL_EVERY == 0;
	int64_t heap = 0;
	uint64_t bits;
	double kb;

	change_heap();
	for (size_t f = 0; f < FILES; f++)
		heap += total_of(f);
	kb = (double)heap / 1024;
	memcpy(&bits, &kb, 8);
	put(&raw, bits, 8);
	put(&raw, FILES, 4);
	for (size_t f = 0; f < FILES; f++) {
		size_t at = raw.len + 4;
		uint32_t n = 0;

		put(&raw, file_id(f), 4);
		put(&raw, 0, 4);
		for (size_t l = 0; l < LINES; l++) {
			struct use *u = &uses[f][l];

			if (full ? u->bytes : u->listed) {
				put(&raw, 10 * (l + 1), 4);
				put_size(f, 10 * ((int32_t)l + 1), full ? u->bytes : u->change,
					 is("nan") && l == 2);
				n++;
			}
			*u = (struct use){.bytes = u->bytes};
		}
		raw.data[at] = (char)n;
	}
	put(&raw, FILES, 4);
	for (size_t f = 0; f < FILES; f++) {
		put(&raw, file_id(f), 4);
		put_size(f, -1, total_of(f), false);
	}
}

static uint32_t adler(const char *p, size_t n)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < n; i++) {
		a = (a + (uint8_t)p[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

static void end_block(uint64_t number)
{
	struct buf z = BUF_INIT, head = BUF_INIT;
	uint32_t sum = adler(raw.data, raw.len);
	size_t at = 0;

	buf_add(&z, is("oodle") ? "\x8c\x06" : "\x78\x01", 2);
	do {
		size_t n = raw.len - at < 65535 ? raw.len - at : 65535;

		put(&z, at + n == raw.len, 1);
		put(&z, n, 2);
		put(&z, ~n, 2);
		buf_add(&z, raw.data + at, n);
		at += n;
	} while (at < raw.len);
	for (int i = 3; i >= 0; i--)
		put(&z, sum >> 8 * i, 1);
	if (is("broken") && number == 1)
		memset(z.data + z.len / 2, 0xff, 8);
	put(&head, raw.len, 4);
	put(&head, z.len, 4);
	fwrite(head.data, 1, head.len, stdout);
	fwrite(z.data, 1, z.len, stdout);
	buf_release(&head);
	buf_release(&z);
	raw.len = 0;
}

static void print_truth(void)
{
	int64_t heap = 0;

	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct function *f = &functions[i];

		fprintf(stderr, "function %s %s:%" PRId32 " %" PRIu64 " %" PRId64 "\n", f->name,
			files[f->file], f->line > 0 ? f->line : 0, f->calls, f->self);
	}
	for (size_t i = 0; i < FILES; i++) {
		heap += total_of(i);
		fprintf(stderr, "file %s %" PRId64 "\n", files[i], total_of(i));
	}
	for (size_t i = 0; (opt.frames - 1) % FULL_EVERY == 0 && i < FILES; i++)
		for (size_t l = 0; l < LINES; l++)
			if (uses[i][l].bytes)
				fprintf(stderr, "line %s:%zu %" PRId64 "\n", files[i], 10 * (l + 1),
					uses[i][l].bytes);
	fprintf(stderr, "heap %" PRId64 "\nframes %" PRIu64 "\n", heap, opt.frames);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {{"--seed", &opt.seed}, {"--frames", &opt.frames}, {"--block", &opt.block}};
	uint64_t blocks = 0;

	variant = "plain";
	for (int i = 1; i < argc; i += 2) {
		bool known = i + 1 < argc && !strcmp(argv[i], "--variant");

		if (known)
			variant = argv[i + 1];
		for (size_t k = 0; i + 1 < argc && k < sizeof numbers / sizeof *numbers; k++)
			if (!strcmp(argv[i], numbers[k].name))
				known = num_dec(argv[i + 1], strlen(argv[i + 1]), numbers[k].value);
		if (!known || !opt.block || !opt.frames) {
			fprintf(stderr, "usage: see testdata/gen/slua.c\n");
			return 2;
		}
	}
	random_state = opt.seed * 2 + 1;
	put(&raw, is("v3") ? 3 : 4, 4);
	put(&raw, 0, 8);
	fwrite(raw.data, 1, raw.len, stdout);
	raw.len = 0;
	for (uint64_t f = 0; f < opt.frames; f++) {
		uint32_t roots = 1 + draw(3);

		put(&raw, 0, 1);
		put_names(f);
		put(&raw, roots, 4);
		for (uint32_t i = 0; i < roots; i++)
			put_node(f, 0);
		put_memory(f);
		if (f % opt.block == opt.block - 1)
			end_block(blocks++);
	}
	if (!is("cut"))
		put(&raw, 1, 1);
	if (raw.len)
		end_block(blocks);
	print_truth();
	buf_release(&raw);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
