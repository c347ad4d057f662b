/* SPDX-License-Identifier: MIT
 *
 * .gnu_debugdata ("MiniDebugInfo" in GDB's manual): an ELF file, packed by xz, with the .symtab of
 * what .dynsym does not name. The only user of liblzma.
 *
 * Nothing in the section says how much comes out, and a few bytes can be very much: memory grows
 * with what really comes out, up to a limit and the process's allowance.
 */
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/object/impl.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>

enum {
	LIMIT_OUT = 256 << 20,
	LIMIT_DICTIONARY = 128 << 20, /* what the decoder may take */
};

static const char *what_is_wrong(lzma_ret r)
{
	switch (r) {
	case LZMA_FORMAT_ERROR: return "not an xz stream";
	case LZMA_MEMLIMIT_ERROR: return "xz: needs more memory than the limit";
	case LZMA_MEM_ERROR: return "xz: out of memory";
	case LZMA_BUF_ERROR: return "xz: cut short";
	default: return "damaged xz stream";
	}
}

/* Ours, and so the scope's (resource_scope.h). */
static void *minidebug_xz_alloc(void *arg, size_t n, size_t size)
{
	(void)arg;
	return calloc(n, size);
}

static void minidebug_xz_free(void *arg, void *p)
{
	(void)arg;
	free(p);
}

static const char *minidebug_unpack(const uint8_t *in, size_t n, struct minidebug *m)
{
	static const lzma_allocator ours = {minidebug_xz_alloc, minidebug_xz_free, NULL};
	lzma_stream z = LZMA_STREAM_INIT;
	size_t cap = 0;
	uint8_t *data;
	const char *why = NULL;
	lzma_ret r;

	z.allocator = &ours;
	r = lzma_stream_decoder(&z, LIMIT_DICTIONARY, LZMA_CONCATENATED);
	z.next_in = in;
	z.avail_in = n;
	while (r == LZMA_OK) {
		if (m->size == cap) {
			if (cap == LIMIT_OUT) {
				why = "xz: unpacks to more than 256 MiB";
				break;
			}
			cap = cap ? cap * 2 : 1 << 16;
			data = mem_budget_grow(m->data, cap);
			if (!data) {
				why = "xz: unpacks to more than the memory left for sections";
				break;
			}
			m->data = data;
		}
		z.next_out = m->data + m->size;
		z.avail_out = cap - m->size;
		r = lzma_code(&z, LZMA_FINISH);
		m->size = cap - z.avail_out;
	}
	lzma_end(&z);
	return why ? why : r == LZMA_STREAM_END ? NULL : what_is_wrong(r);
}

const struct object_image *minidebug_file(struct object *o, struct err *e)
{
	const struct section_header *s = image_section(&o->file, ".gnu_debugdata");
	struct minidebug *m = &o->mini;
	const char *why;
	uint64_t size;
	uint8_t *raw;

	if (m->tried || !s)
		return m->file.path ? &m->file : NULL;
	m->tried = true;
	if (section_read(&o->file, s, &raw, &size, e))
		return NULL;
	why = minidebug_unpack(raw, (size_t)size, m);
	mem_budget_free(raw);
	if (why)
		err_at(e, ST_BAD, s->offset, "section %s: %s", s->name, why);
	else if (image_open_memory(&m->file, m->data, m->size, e))
		err_prefix(e, "section %s", s->name);
	else if (m->file.is_64 != o->file.is_64 || m->file.machine != o->file.machine)
		err_at(e, ST_BAD, s->offset, "section %s: is for another machine", s->name);
	else
		return &m->file;
	minidebug_release(m);
	m->tried = true;
	return NULL;
}

void minidebug_release(struct minidebug *m)
{
	if (m->file.path)
		image_release(&m->file);
	mem_budget_free(m->data);
	*m = (struct minidebug){.tried = false};
}
