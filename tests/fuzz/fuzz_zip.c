/* SPDX-License-Identifier: MIT
 *
 * Zip archives, as they are and with an end of the directory that is found in them. Members lie
 * within the file; their first bytes and, of small ones, all are unpacked; what is refused says
 * why.
 */
#include "lib/object/zip.h"
#include "lib/pack/deflate.h"
#include "tests/fuzz/forge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_it(const uint8_t *data, size_t n)
{
	struct err e = ERR_INIT;
	FILE *file = tmpfile(), *out = tmpfile();
	char path[64];
	struct zip z;

	if (!file || !out || (n && fwrite(data, 1, n, file) != n) || fflush(file))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	if (!zip_open(&z, path, &e)) {
		for (size_t i = 0; i < z.n && i < 16; i++) {
			uint8_t head[8];
			uint64_t offset;

			if (!zip_data(&z, &z.members[i], &offset, &e) &&
			    (offset > n || z.members[i].packed > n - offset))
				abort();
			zip_head(&z, &z.members[i], head, sizeof head, &e);
			if (z.members[i].size < 1 << 20)
				zip_unpack(&z, &z.members[i], fileno(out), &e);
		}
		zip_release(&z);
	} else if (!e.msg[0]) {
		abort();
	}
	fclose(out);
	fclose(file);
}

/* Nearly every change of size loses the directory: it is found, and its end put behind. */
static void with_end(const uint8_t *data, size_t n)
{
	static const uint8_t first[4] = {'P', 'K', 1, 2}, last[6] = {'P', 'K', 5, 6};
	const uint8_t *at = memmem(data, n, first, sizeof first);
	uint8_t *copy = calloc(n + 22, 1), *end = copy + n;
	size_t from = at ? (size_t)(at - data) : n, size = n - from, count = 0;

	if (!copy)
		abort();
	for (const uint8_t *p = at; p && n; count++)
		p = memmem(p + 4, n - (size_t)(p + 4 - data), first, sizeof first);
	memcpy(copy, data, n);
	memcpy(end, last, sizeof last);
	for (int i = 0; i < 4; i++) {
		end[8 + i] = (uint8_t)(count >> 8 * (i & 1));
		end[12 + i] = (uint8_t)(size >> 8 * i);
		end[16 + i] = (uint8_t)(from >> 8 * i);
	}
	read_it(copy, n + 22);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	read_it(data, n);
	if (n)
		with_end(data, n);
	return 0;
}

#ifdef LIBFUZZER

enum { LOCAL_HEADER = 30, ENTRY_HEADER = 46 };

/* A header, a name, a body: stored, as a stored block of deflate, or as noise. */
static void forge_member(struct forge *f)
{
	static const char *const names[] = {"a", "dir/", "libgame.so", "lib/arm64-v8a/libil2cpp.so",
					    "",  "../x", NULL};
	static const uint8_t fixed[] = {0x4b, 0x4c, 0x4a, 0x4e, 0x49,
					0x4d, 0x4b, 0x07, 0x00}; /* "abcdefg" */
	const char *name = forge_word(f, names);
	uint32_t how = forge_below(f, 4), n = forge_below(f, 48), body = n;
	size_t at = f->n, end;

	if (how == 1)
		body = n + 5;
	if (how == 2) {
		n = 7;
		body = sizeof fixed;
	}
	forge_text(f, "PK\3\4");
	forge_le(f, 20, 2);
	forge_le(f, forge_one_in(f, 12), 2); /* encrypted */
	forge_le(f, how == 0 ? 0 : how < 3 ? 8 : forge_below(f, 100), 2);
	forge_le(f, 0, 8); /* time, CRC: mended */
	forge_le(f, body, 4);
	forge_le(f, n, 4);
	forge_le(f, strlen(name), 2);
	forge_le(f, 0, 2);
	forge_text(f, name);
	if (how == 1) {
		forge_le(f, 1, 1);
		forge_le(f, n, 2);
		forge_le(f, ~n, 2);
	}
	end = f->n;
	if (how == 2)
		forge_bytes(f, fixed, sizeof fixed);
	else
		forge_noise(f, n);
	if (f->n >= at + LOCAL_HEADER && !forge_one_in(f, 4)) {
		uint32_t crc =
		    how == 2 ? crc32_add(0, "abcdefg", 7) : crc32_add(0, f->out + end, f->n - end);

		for (int i = 0; i < 4; i++)
			f->out[at + 14 + (size_t)i] = (uint8_t)(crc >> 8 * i);
	}
}

/* Of the local header at p an entry, with its sizes in place or in an extra field. */
static void forge_entry(struct forge *f, const uint8_t *p, size_t at)
{
	size_t n_name = p[26] | (size_t)p[27] << 8;
	bool large = forge_one_in(f, 4);

	forge_text(f, "PK\1\2");
	forge_le(f, 20, 2);
	forge_bytes(f, p + 4, 14);
	if (large)
		forge_le(f, UINT64_MAX, 8);
	else
		forge_bytes(f, p + 18, 8);
	forge_le(f, n_name, 2);
	forge_le(f, large ? 28 : 0, 2);
	forge_le(f, 0, 2);
	forge_le(f, 0, 8);
	forge_le(f, large ? UINT32_MAX : at, 4);
	forge_bytes(f, p + LOCAL_HEADER, n_name);
	if (!large)
		return;
	forge_le(f, 1, 2);
	forge_le(f, 24, 2);
	forge_bytes(f, p + 22, 4);
	forge_le(f, 0, 4);
	forge_bytes(f, p + 18, 4);
	forge_le(f, 0, 4);
	forge_le(f, at, 8);
}

static void forge_end(struct forge *f, size_t from, uint32_t count)
{
	size_t size = f->n - from, at = f->n;

	if (forge_one_in(f, 3)) {
		forge_text(f, "PK\6\6");
		forge_le(f, 44, 8);
		forge_le(f, 0, 12);
		forge_le(f, count, 8);
		forge_le(f, count, 8);
		forge_le(f, size, 8);
		forge_le(f, from, 8);
		forge_text(f, "PK\6\7");
		forge_le(f, 0, 4);
		forge_le(f, at, 8);
		forge_le(f, 1, 4);
	}
	forge_text(f, "PK\5\6");
	forge_le(f, 0, 4);
	forge_le(f, count, 2);
	forge_le(f, count, 2);
	forge_le(f, size, 4);
	forge_le(f, from, 4);
	forge_le(f, forge_one_in(f, 4) ? 3 : 0, 2);
	forge_text(f, "end");
}

/* From one signature to the next. */
static size_t part(const uint8_t *p, size_t n)
{
	const uint8_t *next = n > 4 ? memmem(p + 4, n - 4, "PK", 2) : NULL;

	return next ? (size_t)(next - p) : n;
}

/* A directory of the members that are there, and its end; what was behind them is dropped. */
static size_t mend_directory(uint8_t *p, size_t n, size_t max)
{
	struct forge f = {.state = n, .out = p, .max = max};
	size_t at[16], end = 0;
	uint32_t count = 0;

	for (size_t i = 0; i + LOCAL_HEADER <= n; i += part(p + i, n - i)) {
		size_t n_name = p[i + 26] | (size_t)p[i + 27] << 8;

		if (!memcmp(p + i, "PK\1\2", 4) || !memcmp(p + i, "PK\5\6", 4))
			break;
		end = i + part(p + i, n - i);
		if (!memcmp(p + i, "PK\3\4", 4) && n_name < n - i - LOCAL_HEADER && count < 16)
			at[count++] = i;
	}
	if (!count)
		return n;
	f.n = end;
	f.state += (uint64_t)p[end - 1] << 8;
	for (uint32_t i = 0; i < count; i++)
		forge_entry(&f, p + at[i], at[i]);
	forge_end(&f, end, count);
	return f.n;
}

static void forge_whole(struct forge *f)
{
	for (uint32_t i = 1 + forge_below(f, 5); i > 0; i--)
		forge_member(f);
	f->n = mend_directory(f->out, f->n, f->max);
}

static const struct forge_kind forge = {forge_whole, part, forge_member, 0, mend_directory};
FORGE(forge)

#endif
