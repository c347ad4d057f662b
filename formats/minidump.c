/* SPDX-License-Identifier: MIT */
#include "formats/minidump.h"

#include "formats/reader.h"

#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/utf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 32,
	STREAM = 12,
	STREAMS_MAX = 4096,
	MODULE = 108,
	THREAD = 48,
	MEMORY = 16,
	ROW_MAX = MODULE,
	MODULES_MAX = 1 << 16,
	NAME_BYTES_MAX = 8192,
	CODEVIEW_MAX = 64,
	MAPS_MAX = 64 << 20,
};

enum status minidump_read(const struct minidump *d, uint64_t at, void *to, size_t n,
			  const char *what, struct err *e)
{
	if (at > d->size || n > d->size - at)
		return err_at(e, ST_BAD, at, "%s: %zu bytes lie outside the file of %" PRIu64, what,
			      n, d->size);
	if (d->in)
		return input_at(d->in, at, to, n, what, e);
	memcpy(to, d->bytes + at, n);
	return ST_OK;
}

enum status minidump_open(struct minidump *d, struct err *e)
{
	struct minidump_place system;
	uint8_t head[HEADER], bytes[24];
	struct err ignored = ERR_INIT;

	if (minidump_read(d, 0, head, sizeof head, "minidump header", e))
		return err_failure(e);
	if (!minidump_is(head, sizeof head))
		return err_at(e, ST_BAD, 0, "not a minidump");
	d->n_streams = le32(head + 8);
	d->streams_at = le32(head + 12);
	if (d->n_streams > STREAMS_MAX || d->streams_at > d->size ||
	    d->n_streams > (d->size - d->streams_at) / STREAM)
		return err_at(e, ST_BAD, 8,
			      "minidump: %" PRIu32 " streams do not fit into the file",
			      d->n_streams);
	d->processor = UINT16_MAX;
	if (minidump_find(d, MINIDUMP_SYSTEM, &system) && system.size >= sizeof bytes &&
	    !minidump_read(d, system.at, bytes, sizeof bytes, "system", &ignored)) {
		d->processor = (uint16_t)le16(bytes);
		d->platform = le32(bytes + 20);
		if (d->platform < 4) /* Windows 95, NT, CE */
			d->platform = MINIDUMP_WINDOWS;
	}
	return ST_OK;
}

/* Where the directory has a stream, be it in the file or not. */
static bool listed(const struct minidump *d, uint32_t type, struct minidump_place *place)
{
	struct err ignored = ERR_INIT;
	uint8_t bytes[STREAM];

	for (uint32_t i = 0; i < d->n_streams; i++) {
		if (minidump_read(d, d->streams_at + (uint64_t)i * STREAM, bytes, sizeof bytes,
				  "stream", &ignored))
			return false;
		*place = (struct minidump_place){le32(bytes + 8), le32(bytes + 4)};
		if (le32(bytes) == type)
			return place->at <= d->size;
	}
	return false;
}

bool minidump_find(const struct minidump *d, uint32_t type, struct minidump_place *place)
{
	return listed(d, type, place) && place->size <= d->size - place->at;
}

uint32_t minidump_list(const struct minidump *d, uint32_t type, uint32_t each, uint64_t *first)
{
	struct err ignored = ERR_INIT;
	struct minidump_place p;
	uint8_t number[4];
	uint64_t n, there, head = sizeof number;

	if (!listed(d, type, &p) || p.size < sizeof number ||
	    minidump_read(d, p.at, number, sizeof number, "list", &ignored))
		return 0;
	n = le32(number);
	if (p.size == 2 * sizeof number + n * each) /* aligned to 8 bytes */
		head = 2 * sizeof number;
	*first = p.at + head;
	if (n > (p.size - sizeof number) / each || *first > d->size)
		return 0;
	there = (d->size - *first) / each; /* of a list that is cut the whole records */
	return (uint32_t)(n < there ? n : there);
}

uint32_t minidump_string(const struct minidump *d, uint64_t at, struct trace *t)
{
	struct err ignored = ERR_INIT;
	struct buf text = BUF_INIT;
	uint8_t size[4], *bytes;
	uint32_t n, id = 0;

	if (!at || minidump_read(d, at, size, sizeof size, "name", &ignored))
		return 0;
	n = le32(size) < NAME_BYTES_MAX ? le32(size) : NAME_BYTES_MAX;
	bytes = mem_alloc(n + 1);
	if (!minidump_read(d, at + 4, bytes, n, "name", &ignored)) {
		utf16_to_utf8(&text, bytes, n & ~UINT32_C(1), false);
		id = text.len ? trace_string(t, text.data, text.len) : 0;
	}
	free(bytes);
	buf_release(&text);
	return id;
}

/* Breakpad takes the first fields of a GUID for numbers, and Mach-O's UUID has them the other way round. */
static void swap_guid(uint8_t id[16])
{
	static const uint8_t from[] = {3, 2, 1, 0, 5, 4, 7, 6};
	uint8_t was[8];

	memcpy(was, id, sizeof was);
	for (size_t i = 0; i < sizeof was; i++)
		id[i] = was[from[i]];
}

/* Of a PE file that has no GUID: its time stamp and its size, as object_id_differs knows them. */
static void stamp_module(const uint8_t *row, struct minidump_module *m)
{
	const uint32_t stamp = le32(row + 16), size = le32(row + 8);

	for (unsigned i = 0; stamp && i < 4; i++) {
		m->id[i] = (uint8_t)(stamp >> (24 - 8 * i));
		m->id[4 + i] = (uint8_t)(size >> (24 - 8 * i));
	}
	m->n_id = stamp ? 8 : 0;
}

/* RSDS with a GUID and an age, or BpEL with a build-id. */
static void read_codeview(const struct minidump *d, const uint8_t *row, struct minidump_module *m)
{
	struct err ignored = ERR_INIT;
	uint32_t size = le32(row + 76), n = size < CODEVIEW_MAX ? size : CODEVIEW_MAX;
	bool mac = d->platform == MINIDUMP_MAC || d->platform == MINIDUMP_IOS;
	uint8_t bytes[CODEVIEW_MAX];

	if (n < 5 || minidump_read(d, le32(row + 80), bytes, n, "id", &ignored))
		return;
	if (!memcmp(bytes, "LEpB", 4)) {
		m->n_id = (uint8_t)(n - 4);
		memcpy(m->id, bytes + 4, n - 4);
	} else if (n >= 20 && !memcmp(bytes, "RSDS", 4)) {
		if (mac)
			swap_guid(bytes + 4);
		/* Of Linux only the first bytes of the build-id, or a hash of the code. */
		m->is_partial = !mac && d->platform && d->platform != MINIDUMP_WINDOWS;
		m->n_id = !mac && !m->is_partial && n >= 24 ? 20 : 16; /* with the age */
		memcpy(m->id, bytes + 4, m->n_id);
	}
}

static void read_module_id(const struct minidump *d, const uint8_t *row, struct minidump_module *m)
{
	m->n_id = 0;
	read_codeview(d, row, m);
	if (!m->n_id && d->platform == MINIDUMP_WINDOWS)
		stamp_module(row, m);
}

/* 0: none that names a file. */
static uint32_t module_id(const struct minidump *d, const uint8_t *row, struct trace *t)
{
	struct minidump_module m = {.n_id = 0};

	read_module_id(d, row, &m);
	return m.n_id && !m.is_partial ? trace_string(t, (const char *)m.id, m.n_id) : 0;
}

static int minidump_module_order(const void *a, const void *b)
{
	const struct minidump_module *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

size_t minidump_loaded(const struct minidump *d, struct trace *t, struct minidump_module **all)
{
	uint64_t first = 0;
	uint32_t n = minidump_list(d, MINIDUMP_MODULES, MODULE, &first);
	struct err ignored = ERR_INIT;
	size_t n_all = 0, kept = 0, cap = 0;

	*all = NULL;
	for (uint32_t i = 0; i < n && i < MODULES_MAX; i++) {
		struct minidump_module m = {.n_id = 0};
		uint8_t row[MODULE];

		if (minidump_read(d, first + (uint64_t)i * MODULE, row, sizeof row, "module",
				  &ignored))
			break;
		m.lo = le64(row);
		m.hi = m.lo + le32(row + 8);
		m.name = minidump_string(d, le32(row + 20), t);
		read_module_id(d, row, &m);
		if (m.hi > m.lo)
			VEC_PUSH(*all, n_all, cap) = m;
	}
	if (n_all)
		sort_array(*all, n_all, sizeof **all, minidump_module_order);
	for (size_t i = 0; i < n_all; i++)
		if (!kept || (*all)[i].lo >= (*all)[kept - 1].hi)
			(*all)[kept++] = (*all)[i];
	return kept;
}

static struct module *mapped_at(struct trace *t, uint64_t address)
{
	for (size_t i = 1; i < t->n_modules; i++)
		for (size_t k = 0; k < t->modules[i].n_ranges; k++)
			if (address - t->modules[i].ranges[k].lo <
			    t->modules[i].ranges[k].hi - t->modules[i].ranges[k].lo)
				return &t->modules[i];
	return NULL;
}

/* The mappings of a process of Linux, which a module's range alone does not tell. */
static bool linux_maps(const struct minidump *d, struct trace *t)
{
	struct err ignored = ERR_INIT;
	struct minidump_place p;
	struct cursor c;
	uint8_t *text;
	bool read;

	if (!minidump_find(d, MINIDUMP_LINUX_MAPS, &p) || !p.size || p.size > MAPS_MAX)
		return false;
	text = mem_alloc((size_t)p.size);
	read = !minidump_read(d, p.at, text, (size_t)p.size, "maps", &ignored) &&
	       !minidump_is(text, (size_t)p.size);
	if (read) {
		cursor_init(&c, text, (size_t)p.size, p.at, &ignored);
		read = !maps_read(&c, t, NULL, &ignored);
	}
	free(text);
	return read;
}

enum status minidump_modules(const struct minidump *d, struct trace *t, struct err *e)
{
	uint64_t first = 0;
	uint32_t n = minidump_list(d, MINIDUMP_MODULES, MODULE, &first), added = 0;
	bool maps = linux_maps(d, t);

	for (uint32_t i = 0; i < n && i < MODULES_MAX; i++) {
		uint8_t row[MODULE];
		struct map_range range = {.executable = true};
		struct module m = {.ranges = &range, .n_ranges = 1};
		struct module *known;

		if (minidump_read(d, first + (uint64_t)i * MODULE, row, sizeof row, "module", e))
			return err_failure(e);
		range.lo = le64(row);
		range.hi = range.lo + le32(row + 8);
		if (range.hi <= range.lo)
			continue;
		known = maps ? mapped_at(t, range.lo) : NULL;
		if (known) {
			known->build_id = module_id(d, row, t);
			added++;
		} else if (!maps) {
			m.name = minidump_string(d, le32(row + 20), t);
			m.build_id = module_id(d, row, t);
			trace_module(t, &m);
			added++;
		}
	}
	return added || maps ? ST_OK : err_at(e, ST_BAD, 0, "the minidump has no modules");
}

static bool is_outside(const struct minidump *d, uint64_t at, uint64_t n)
{
	return n && (at > d->size || n > d->size - at);
}

static bool rows_end_outside(const struct minidump *d, uint32_t type, uint32_t each,
			     bool (*outside)(const struct minidump *d, const uint8_t *row))
{
	struct err ignored = ERR_INIT;
	uint64_t first = 0;
	uint32_t n = minidump_list(d, type, each, &first);
	uint8_t row[ROW_MAX];

	for (uint32_t i = 0; i < n; i++)
		if (minidump_read(d, first + (uint64_t)i * each, row, each, "row", &ignored) ||
		    outside(d, row))
			return true;
	return false;
}

static bool is_stack_outside(const struct minidump *d, const uint8_t *row)
{
	return is_outside(d, le32(row + 36), le32(row + 32)) ||
	       is_outside(d, le32(row + 44), le32(row + 40));
}

static bool is_memory_outside(const struct minidump *d, const uint8_t *row)
{
	return is_outside(d, le32(row + 12), le32(row + 8));
}

static bool is_module_outside(const struct minidump *d, const uint8_t *row)
{
	return is_outside(d, le32(row + 20), 4) || is_outside(d, le32(row + 80), le32(row + 76));
}

/* All of it lies in one piece behind a list of sizes. */
static bool is_memory_64_outside(const struct minidump *d)
{
	struct err ignored = ERR_INIT;
	struct minidump_place p;
	uint8_t head[16], row[16];
	uint64_t all = 0;

	if (!minidump_find(d, MINIDUMP_MEMORY_64, &p) || p.size < sizeof head ||
	    minidump_read(d, p.at, head, sizeof head, "memory", &ignored))
		return false;
	for (uint64_t i = 0; i < le64(head) && i < (p.size - sizeof head) / sizeof row; i++) {
		if (minidump_read(d, p.at + sizeof head + i * sizeof row, row, sizeof row, "memory",
				  &ignored) ||
		    __builtin_add_overflow(all, le64(row + 8), &all))
			return true;
	}
	return is_outside(d, le64(head + 8), all);
}

const char *minidump_cut(const struct minidump *d)
{
	struct err ignored = ERR_INIT;
	uint8_t row[STREAM];

	for (uint32_t i = 0; i < d->n_streams; i++)
		if (minidump_read(d, d->streams_at + (uint64_t)i * STREAM, row, sizeof row,
				  "stream", &ignored) ||
		    (le32(row) && is_outside(d, le32(row + 8), le32(row + 4))))
			return "a stream";
	if (rows_end_outside(d, MINIDUMP_THREADS, THREAD, is_stack_outside))
		return "the stack or the registers of a thread";
	if (rows_end_outside(d, MINIDUMP_MODULES, MODULE, is_module_outside))
		return "the name or the id of a module";
	if (rows_end_outside(d, MINIDUMP_MEMORY, MEMORY, is_memory_outside) ||
	    is_memory_64_outside(d))
		return "memory";
	return NULL;
}
