/* SPDX-License-Identifier: MIT
 *
 * The entries of .eh_frame. Linux Standard Base, "Exception Frames"; DWARF 5,
 * section 6.4.
 */
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/inspect/inspect.h"

#include <string.h>

struct cie {
	uint64_t at;
	uint8_t encoding;
	bool good, augmented;
};

struct frames {
	struct inspect *x;
	const uint8_t *p;
	uint64_t n, addr;
	struct cie cie; /* the last one that was asked for */
};

static uint64_t plain(struct cursor *c, const struct frames *f, uint8_t encoding)
{
	switch (encoding & 15) {
	case 0: return object_is_64(f->x->file.object) ? cursor_u64(c) : cursor_u32(c);
	case 1: return cursor_uleb(c);
	case 2: return cursor_u16(c);
	case 3: return cursor_u32(c);
	case 9: return (uint64_t)cursor_sleb(c);
	case 10: return (uint64_t)(int64_t)(int16_t)cursor_u16(c);
	case 11: return (uint64_t)(int64_t)(int32_t)cursor_u32(c);
	case 4:
	case 12: return cursor_u64(c);
	default: cursor_fail(c, ST_UNSUPPORTED, "pointer encoding %u", encoding); return 0;
	}
}

static uint64_t pointer(struct cursor *c, const struct frames *f, uint8_t encoding)
{
	uint64_t at = f->addr + (uint64_t)(c->pos - f->p), v;

	if (encoding == 0xff)
		return 0;
	v = plain(c, f, encoding);
	if ((encoding & 0x70) == 0x10)
		v += at;
	else if (encoding & 0x70)
		cursor_fail(c, ST_UNSUPPORTED, "pointer encoding %u", encoding);
	return object_is_64(f->x->file.object) ? v : (uint32_t)v;
}

static void start(struct cursor *c, const struct frames *f, uint64_t at, struct err *e)
{
	cursor_init(c, f->p + at, (size_t)(f->n - at), at, e);
	c->big_endian = object_is_big_endian(f->x->file.object);
}

static void eh_frame_read_cie(struct frames *f, uint64_t at)
{
	struct err e = ERR_INIT;
	struct cursor c;
	const char *words;
	uint8_t version;
	uint32_t id;
	size_t n;

	if (f->cie.good && f->cie.at == at)
		return;
	f->cie = (struct cie){.at = at};
	start(&c, f, at, &e);
	if (cursor_u32(&c) == 0xffffffff)
		cursor_u64(&c);
	id = cursor_u32(&c);
	version = cursor_u8(&c);
	words = cursor_cstr(&c, &n);
	if (!words || id || c.failed)
		return;
	cursor_uleb(&c);
	cursor_sleb(&c);
	if (version == 1)
		cursor_u8(&c);
	else
		cursor_uleb(&c);
	if (*words == 'z') {
		f->cie.augmented = true;
		cursor_uleb(&c);
		for (words++; *words && !c.failed; words++)
			if (*words == 'R')
				f->cie.encoding = cursor_u8(&c);
			else if (*words == 'L')
				cursor_u8(&c);
			else if (*words == 'P')
				pointer(&c, f, cursor_u8(&c));
	}
	f->cie.good = !c.failed;
}

/* A part of a function that begins with the frame set up (.cold): its first rule is not behind an
 * advance. DW_CFA_advance_loc*, DW_CFA_nop; all else is a rule. */
static bool is_fragment(struct cursor *c)
{
	uint8_t op = cursor_window(c) ? *c->pos : 0;

	return op && op >> 6 != 1 && (op < 2 || op > 4) && op != 1;
}

static void read_fde(struct frames *f, struct cursor *c, uint64_t cie)
{
	struct inspect *x = f->x;
	uint64_t lo, size, n;

	eh_frame_read_cie(f, cie);
	if (!f->cie.good)
		return;
	lo = pointer(c, f, f->cie.encoding);
	size = plain(c, f, f->cie.encoding & 15);
	n = f->cie.augmented ? cursor_uleb(c) : 0;
	if (n)
		cursor_skip(c, n, "augmentation");
	if (c->failed || !size || lo + size < lo || !code_holds(x->file.code, lo))
		return;
	VEC_PUSH(x->entries, x->n_entries, x->cap_entries) =
	    (struct inspect_entry){lo, lo + size, is_fragment(c)};
}

bool inspect_eh_frame(struct inspect *x, const uint8_t *p, uint64_t n, uint64_t addr)
{
	struct frames f = {.x = x, .p = p, .n = n, .addr = addr};
	struct err e = ERR_INIT;
	struct cursor c, entry;

	start(&c, &f, 0, &e);
	while (!cursor_done(&c)) {
		uint64_t size = cursor_u32(&c), at;
		uint32_t id;

		if (size == 0xffffffff)
			size = cursor_u64(&c);
		if (!size) /* of crtend.o, the last */
			continue;
		if (c.failed || size < 4 || size > cursor_window(&c))
			return false;
		at = (uint64_t)(c.pos - p);
		cursor_init(&entry, c.pos, (size_t)size, at, &e);
		entry.big_endian = c.big_endian;
		id = cursor_u32(&entry);
		if (id && id <= at)
			read_fde(&f, &entry, at - id);
		cursor_skip(&c, size, "entry");
	}
	return !c.failed;
}
