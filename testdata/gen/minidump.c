/* SPDX-License-Identifier: MIT
 *
 *	minidump VARIANT >FILE
 *
 * A minidump of a process with two threads, of which the first one crashed three calls deep. Each of its return addresses
 * is 0x100 more than the one inside it. VARIANT:
 *
 *	x86        Windows: frame pointers, an access violation, C:\g\game.exe at 0x400000 and a library
 *	x64        Windows: no frame pointers; the second thread's name is "loader"
 *	linux      x86-64: frame pointers, SIGSEGV, the text of /proc/self/maps, build-ids
 *	mac        arm64: frame pointers, EXC_BAD_ACCESS, a UUID
 *	requested  x86, without an exception
 *	many N     x86 with N threads, of which each has the stack of the first one
 *	loop       x86, whose frame pointers lead back to the first frame
 *	counts     x86, whose lists say that they have a thousand million entries
 *	empty      a header without streams
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

enum { STREAMS = 8, THREADS = 3, MODULES = 4, EXCEPTION = 6, SYSTEM = 7, NAMES = 24 };
enum { STACK = 0x20000, STACK_SIZE = 0x200, DEPTH = 3 };
#define LINUX_MAPS 0x47670009

static struct buf out = BUF_INIT;
static struct {
	uint32_t type, size, at;
} streams[STREAMS];
static unsigned n_streams;
static uint32_t n_threads = 2;

static void put_at(size_t at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		out.data[at + i] = (char)(v >> 8 * i);
}

static uint32_t here(void)
{
	return (uint32_t)out.len;
}

static void begin_stream(uint32_t type)
{
	streams[n_streams].type = type;
	streams[n_streams].at = here();
}

static void end_stream(void)
{
	streams[n_streams].size = here() - streams[n_streams].at;
	n_streams++;
}

static bool wide(void)
{
	return is("x64") || is("linux") || is("mac");
}

static uint64_t code(void)
{
	return is("linux") ? 0x555500001000
	       : is("mac") ? 0x100001000
	       : is("x64") ? 0x140001000
			   : 0x401000;
}

static uint32_t put_string(const char *s)
{
	uint32_t at = here();

	put(&out, 2 * strlen(s), 4);
	for (; *s; s++)
		put(&out, (unsigned char)*s, 2);
	put(&out, 0, 2);
	return at;
}

/* Frames at 0x40, 0x80, 0xc0 of the stack. */
static uint32_t put_stack(void)
{
	uint32_t at = here();
	unsigned word = wide() ? 8 : 4;

	for (unsigned i = 0; i < STACK_SIZE; i++)
		buf_addc(&out, 0);
	for (unsigned i = 1; i < DEPTH; i++) {
		uint64_t next = i + 1 < DEPTH ? STACK + 0x40 * (i + 1)
				: is("loop")  ? STACK + 0x40
					      : 0;

		put_at(at + 0x40 * i, next, word);
		put_at(at + 0x40 * i + word, code() + 0x100 * i, word);
	}
	return at;
}

/* Registers where each processor's context has them. */
static uint32_t put_context(uint64_t pc, uint64_t fp, uint64_t sp, uint32_t *size)
{
	uint32_t at = here();
	unsigned word = wide() ? 8 : 4;

	*size = is("mac") ? 0x318 : wide() ? 1232 : 716;
	for (uint32_t i = 0; i < *size; i++)
		buf_addc(&out, 0);
	put_at(at + (is("mac") ? 0x108 : wide() ? 0xf8 : 0xb8), pc, word);
	put_at(at + (is("mac") ? 0xf0 : wide() ? 0xa0 : 0xb4), fp, word);
	put_at(at + (is("mac") ? 0x100 : wide() ? 0x98 : 0xc4), sp, word);
	return at;
}

static void put_threads(void)
{
	uint32_t stack = put_stack(), size[2], context[2];

	context[0] = put_context(code() + 0x800, 0, 0, &size[0]); /* where it writes the dump */
	context[1] = put_context(code() + 0x900, is("many") ? STACK + 0x40 : 0,
				 is("many") ? STACK : 0, &size[1]);
	begin_stream(THREADS);
	put(&out, is("counts") ? 1000000000 : n_threads, 4);
	for (uint32_t i = 0; i < n_threads; i++) {
		bool has = !i || n_threads > 2;

		put(&out, 100 + i, 4);
		put(&out, 0, 12);
		put(&out, 0, 8);
		put(&out, has ? STACK : 0, 8);
		put(&out, has ? STACK_SIZE : 0, 4);
		put(&out, has ? stack : 0, 4);
		put(&out, size[i > 0], 4);
		put(&out, context[i > 0], 4);
	}
	end_stream();
}

static void put_exception(void)
{
	uint32_t size, context = put_context(code(), STACK + 0x40, STACK, &size);

	begin_stream(EXCEPTION);
	put(&out, 100, 4);
	put(&out, 0, 4);
	put(&out, is("linux") ? 11 : is("mac") ? 1 : 0xc0000005, 4);
	for (int i = 0; i < 148; i += 4)
		put(&out, 0, 4);
	put(&out, size, 4);
	put(&out, context, 4);
	end_stream();
}

static uint32_t put_id(uint32_t *size)
{
	uint32_t at = here();

	buf_add(&out, is("linux") ? "LEpB" : "RSDS", 4);
	for (int i = 0; i < (is("linux") ? 20 : 16); i++)
		put(&out, (uint64_t)i + 0x10, 1);
	if (!is("linux")) {
		put(&out, 1, 4);
		buf_add(&out, "game.pdb", 9);
	}
	*size = here() - at;
	return at;
}

static void put_modules(void)
{
	static const char *const names[] = {"C:\\g\\game.exe", "C:\\Windows\\ntdll.dll"};
	uint32_t name[2], size, id;

	for (int i = 0; i < 2; i++)
		name[i] = put_string(is("linux") || is("mac") ? (i ? "/lib/libc.so" : "/g/game")
							      : names[i]);
	id = put_id(&size);
	begin_stream(MODULES);
	put(&out, is("counts") ? 1000000000 : 2, 4);
	put(&out, 0, 4); /* to a multiple of 8 */
	for (uint32_t i = 0; i < 2; i++) {
		put(&out, code() - 0x1000 + 0x1000000 * i, 8);
		put(&out, 0x4000, 4);
		put(&out, 0, 8);
		put(&out, name[i], 4);
		for (int k = 0; k < 52; k += 4)
			put(&out, 0, 4);
		put(&out, i ? 0 : size, 4);
		put(&out, i ? 0 : id, 4);
		put(&out, 0, 8);
		put(&out, 0, 8);
		put(&out, 0, 8);
	}
	end_stream();
}

static void put_system(void)
{
	begin_stream(SYSTEM);
	put(&out, is("mac") ? 12 : wide() ? 9 : 0, 2);
	put(&out, 0, 2);
	for (int i = 0; i < 16; i += 4)
		put(&out, 0, 4);
	put(&out, is("linux") ? 0x8201 : is("mac") ? 0x8101 : 2, 4);
	for (int i = 0; i < 32; i += 4)
		put(&out, 0, 4);
	end_stream();
}

static void put_name(void)
{
	uint32_t name = put_string("loader");

	begin_stream(NAMES);
	put(&out, 1, 4);
	put(&out, 101, 4);
	put(&out, name, 8);
	end_stream();
}

static void put_maps(void)
{
	begin_stream(LINUX_MAPS);
	buf_adds(&out, "555500000000-555500001000 r--p 00000000 08:01 7 /g/game\n"
		       "555500001000-555500004000 r-xp 00001000 08:01 7 /g/game\n"
		       "7ffff7dd0000-7ffff7df0000 r-xp 00000000 08:01 8 /lib/ld.so\n");
	end_stream();
}

static void put_directory(size_t at)
{
	for (unsigned i = 0; i < n_streams; i++, at += 12) {
		put_at(at, streams[i].type, 4);
		put_at(at + 4, streams[i].size, 4);
		put_at(at + 8, streams[i].at, 4);
	}
}

int main(int argc, char **argv)
{
	bool front = argc > 2 && !strcmp(argv[2], "front"); /* the directory, as Windows has it */

	if (argc < 2)
		return 2;
	variant = argv[1];
	if (is("many") && argc > 2)
		n_threads = (uint32_t)strtoul(argv[2], NULL, 10);
	buf_adds(&out, "MDMP");
	put(&out, 0xa793, 4);
	for (int i = 0; i < (front ? 24 + 12 * STREAMS : 24); i += 4)
		put(&out, 0, 4);
	if (!is("empty")) {
		put_system();
		put_threads();
		if (!is("requested"))
			put_exception();
		put_modules();
		if (is("x64"))
			put_name();
		if (is("linux"))
			put_maps();
	}
	put_at(8, n_streams, 4);
	put_at(12, front ? 32 : here(), 4);
	for (unsigned i = 0; !front && i < 12 * n_streams; i++)
		put(&out, 0, 1);
	put_directory(front ? 32 : out.len - 12 * n_streams);
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return 0;
}
