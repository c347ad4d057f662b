/* SPDX-License-Identifier: MIT
 *
 * The trace reader over hostile bytes. What is read must be writable again: the same events, and
 * from the second writing on the same bytes.
 */
#include "formats/reader.h"
#include "lib/trace/dump.h"
#include "lib/trace/encode.h"
#include "lib/trace/writer.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checksums stop nearly every mutation: they are made right first, chunk by chunk. */
static void repair(uint8_t *p, size_t n)
{
	size_t at = 0;

	while (n - at >= CHUNK_HEADER_SIZE) {
		struct chunk c;

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

static char *text_of(const void *p, size_t n, const struct dump_options *what, size_t *text_size)
{
	static const struct import_options options = {.format = "trace"};
	char *text = NULL;
	FILE *f = open_memstream(&text, text_size);
	struct dump *d = dump_new(f, what);
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	input_memory(&in, "fuzz", p, n, &e);
	if (capture_read(&in, &options, dump_sink(d), &lossy, &e) && !e.msg[0])
		abort(); /* a failure without a reason */
	input_close(&in);
	dump_free(d);
	fclose(f);
	return text;
}

static char *rewritten(const void *p, size_t n, size_t *size, bool *ok)
{
	static const struct import_options options = {.format = "trace"};
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, size);
	struct writer *w = writer_new(f);
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	input_memory(&in, "fuzz", p, n, &e);
	*ok = !capture_read(&in, &options, writer_sink(w), &lossy, &e);
	input_close(&in);
	writer_free(w);
	fclose(f);
	return bytes;
}

static void must_be_same(char *a, size_t na, char *b, size_t nb)
{
	if (na != nb || memcmp(a, b, na))
		abort();
	free(a);
	free(b);
}

static void once(const uint8_t *p, size_t n)
{
	static const struct dump_options everything = {true, true, true};
	static const struct dump_options events = {false, true, false};
	size_t before_size, bytes_size, after_size, again_size;
	bool ok, again_ok;
	char *bytes, *before, *after;

	free(text_of(p, n, &everything, &before_size));
	bytes = rewritten(p, n, &bytes_size, &ok);
	if (!ok) {
		free(bytes);
		return;
	}
	before = text_of(p, n, &events, &before_size);
	after = text_of(bytes, bytes_size, &events, &after_size);
	must_be_same(before, before_size, after, after_size);
	before = rewritten(bytes, bytes_size, &again_size, &again_ok);
	if (!again_ok)
		abort();
	must_be_same(bytes, bytes_size, before, again_size);
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
