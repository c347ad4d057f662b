/* SPDX-License-Identifier: MIT */
#include "lib/object/eh_frame.h"

#include "lib/base/cursor.h"

struct cie {
	uint64_t at;
	uint8_t encoding;
	bool good, augmented;
};

struct frames {
	const struct eh_frame *f;
	struct cie cie; /* the last one that was asked for */
};

/* An entry's head. */
struct head {
	struct cursor c; /* behind the head, to the entry's end */
	uint64_t next;   /* where the next one is */
	uint64_t cie;    /* of a function: where its CIE is */
	bool is_cie, is_function;
};

static uint64_t plain(struct cursor *c, const struct eh_frame *f, uint8_t encoding)
{
	switch (encoding & 15) {
	case 0: return f->is_64 ? cursor_u64(c) : cursor_u32(c);
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

static uint64_t pointer(struct cursor *c, const struct eh_frame *f, uint8_t encoding)
{
	uint64_t at = f->addr + (uint64_t)(c->pos - f->data), v;

	if (encoding == 0xff)
		return 0;
	v = plain(c, f, encoding);
	if ((encoding & 0x70) == 0x10)
		v += at;
	else if (encoding & 0x70)
		cursor_fail(c, ST_UNSUPPORTED, "pointer encoding %u", encoding);
	return f->is_64 ? v : (uint32_t)v;
}

static void start(struct cursor *c, const struct eh_frame *f, uint64_t at, uint64_t n,
		  struct err *e)
{
	cursor_init(c, f->data + at, (size_t)n, at, e);
	c->big_endian = f->big_endian;
}

/* False: damaged. In .eh_frame the way back to the CIE is 4 bytes long in every form, and 0 of a CIE. */
static bool read_head(const struct eh_frame *f, uint64_t at, struct head *h, struct err *e)
{
	uint64_t size, id, from;
	bool wide;

	*h = (struct head){.next = at};
	start(&h->c, f, at, f->size - at, e);
	size = cursor_u32(&h->c);
	wide = size == 0xffffffff;
	if (wide)
		size = cursor_u64(&h->c);
	from = (uint64_t)(h->c.pos - f->data);
	h->next = from;
	if (!size && !h->c.failed) /* of crtend.o, the last */
		return true;
	if (h->c.failed || size < 4 || size > cursor_window(&h->c))
		return false;
	h->next = from + size;
	start(&h->c, f, from, size, e);
	id = wide && f->debug ? cursor_u64(&h->c) : cursor_u32(&h->c);
	if (f->debug) {
		h->is_cie = id == (wide ? UINT64_MAX : UINT32_MAX);
		h->cie = id;
		h->is_function = !h->is_cie && id < f->size;
	} else {
		h->is_cie = !id;
		h->cie = from - id;
		h->is_function = id && id <= from;
	}
	return true;
}

static void eh_frame_read_cie(struct frames *x, uint64_t at)
{
	struct err e = ERR_INIT;
	const char *words;
	uint8_t version;
	struct head h;
	size_t n;

	if (x->cie.good && x->cie.at == at)
		return;
	x->cie = (struct cie){.at = at};
	if (!read_head(x->f, at, &h, &e) || !h.is_cie)
		return;
	version = cursor_u8(&h.c);
	words = cursor_cstr(&h.c, &n);
	if (!words || h.c.failed)
		return;
	if (version >= 4 && cursor_u8(&h.c) != (x->f->is_64 ? 8 : 4)) /* bytes of an address */
		return;
	if (version >= 4 && cursor_u8(&h.c)) /* of a segment's number */
		return;
	cursor_uleb(&h.c);
	cursor_sleb(&h.c);
	if (version == 1)
		cursor_u8(&h.c);
	else
		cursor_uleb(&h.c);
	if (*words == 'z') {
		x->cie.augmented = true;
		cursor_uleb(&h.c);
		for (words++; *words && !h.c.failed; words++)
			if (*words == 'R')
				x->cie.encoding = cursor_u8(&h.c);
			else if (*words == 'L')
				cursor_u8(&h.c);
			else if (*words == 'P')
				pointer(&h.c, x->f, cursor_u8(&h.c));
	}
	x->cie.good = !h.c.failed;
}

/* A part of a function that begins with the frame set up (.cold): its first rule is not behind an
 * advance. DW_CFA_advance_loc*, DW_CFA_nop; all else is a rule. */
static bool is_fragment(struct cursor *c)
{
	uint8_t op = cursor_window(c) ? *c->pos : 0;

	return op && op >> 6 != 1 && (op < 2 || op > 4) && op != 1;
}

static bool read_entry(struct frames *x, struct head *h, struct eh_frame_entry *entry)
{
	uint64_t lo, size, n;

	if (!h->is_function)
		return false;
	eh_frame_read_cie(x, h->cie);
	if (!x->cie.good)
		return false;
	lo = pointer(&h->c, x->f, x->cie.encoding);
	size = plain(&h->c, x->f, x->cie.encoding & 15);
	n = x->cie.augmented ? cursor_uleb(&h->c) : 0;
	if (n)
		cursor_skip(&h->c, n, "augmentation");
	if (h->c.failed || !size || lo + size < lo)
		return false;
	*entry = (struct eh_frame_entry){lo, lo + size, is_fragment(&h->c)};
	return true;
}

bool eh_frame_read(const struct eh_frame *f, eh_frame_found *found, void *arg)
{
	struct frames x = {.f = f};

	for (uint64_t at = 0; at < f->size;) {
		struct err e = ERR_INIT;
		struct eh_frame_entry entry;
		struct head h;

		if (!read_head(f, at, &h, &e))
			return false;
		at = h.next;
		if (read_entry(&x, &h, &entry))
			found(arg, &entry);
	}
	return true;
}

bool eh_frame_at(const struct eh_frame *f, uint64_t offset, struct eh_frame_entry *entry)
{
	struct frames x = {.f = f};
	struct err e = ERR_INIT;
	struct head h;

	return offset < f->size && read_head(f, offset, &h, &e) && read_entry(&x, &h, entry);
}
