/* SPDX-License-Identifier: MIT
 *
 * The trace reader over hostile bytes, as they are and with the checksums of every chunk put right,
 * since these stop nearly every mutation.
 */
#include "lib/trace/dump.h"
#include "lib/trace/encode.h"
#include "tests/fuzz/reading.h"

#include <stdio.h>
#include <string.h>

static void repair(uint8_t *p, size_t n)
{
	size_t at = 0;

	while (n - at >= CHUNK_HEADER_SIZE) {
		struct trace_chunk c;

		if (n - at >= TRACE_MARK_SIZE && !memcmp(p + at, TRACE_MAGIC, TRACE_MAGIC_SIZE)) {
			at += TRACE_MARK_SIZE;
			continue;
		}
		c = chunk_decode(p + at);
		if (c.length > n - at - CHUNK_HEADER_SIZE)
			return;
		chunk_encode(p + at, c.kind, p + at + CHUNK_HEADER_SIZE, c.length);
		at += CHUNK_HEADER_SIZE + c.length;
	}
}

/* Everything as text, for the sanitizers. */
static void dump_all(const uint8_t *p, size_t n)
{
	static const struct import_options options = {.format = "trace"};
	static const struct dump_options everything = {true, true, true};
	FILE *null = fopen("/dev/null", "w");
	struct dump *d = dump_new(null, &everything);
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	input_memory(&in, "fuzz", p, n, &e);
	capture_read(&in, &options, dump_sink(d), &lossy, &e);
	input_close(&in);
	dump_free(d);
	fclose(null);
}

static void once(const uint8_t *p, size_t n)
{
	dump_all(p, n);
	fuzz_reading("trace", p, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	once(data, size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	repair(copy, size);
	once(copy, size);
	free(copy);
	return 0;
}
