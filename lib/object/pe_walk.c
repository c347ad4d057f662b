/* SPDX-License-Identifier: MIT
 *
 * The caller of a frame of x64 code of Windows, by .pdata and the unwind information that it points to. Facts:
 * Microsoft's "x64 exception handling" (struct UNWIND_INFO, struct UNWIND_CODE, "Unwind procedure") and "x64 prolog and
 * epilog".
 *
 * A function without an entry is a leaf: its return address is where the stack begins. In a prologue only what has been
 * done is undone. An epilogue is what it does: pops, then a return or a jump; the addition before them leaves the
 * stack as the tables have it.
 */
#include "lib/object/pe_walk.h"
#include "lib/base/bytes.h"
#include "lib/base/sort.h"

#include <string.h>

enum {
	ENTRY = 12, /* begin, end, unwind information */
	CHAINED_FLAG = 4,
	CHAIN_MAX = 32,
	EPILOGUE_MAX = 16, /* registers that are popped */
};

enum unwind_code {
	PUSH_NONVOL,
	ALLOC_LARGE,
	ALLOC_SMALL,
	SET_FPREG,
	SAVE_NONVOL,
	SAVE_NONVOL_FAR,
	EPILOG,
	SPARE,
	SAVE_XMM128,
	SAVE_XMM128_FAR,
	PUSH_MACHFRAME,
};

struct walk {
	const struct object_image *f;
	const struct frame_memory *memory;
	struct frame_state s;
	bool machine; /* a frame of the processor: it has the address and the stack */
};

/* The entry that holds an RVA. False: none. */
static bool find_entry(const struct object_image *f, struct pe_bytes *table, uint32_t rva,
		       uint8_t entry[ENTRY])
{
	const uint32_t n = f->pe.unwind_size / ENTRY;
	const uint8_t *p = n ? pe_bytes(table, f, f->pe.unwind, (uint64_t)n * ENTRY) : NULL;
	size_t at = p ? BISECT(i, 0, n, le32(p + i * ENTRY) <= rva) : 0;

	if (!at || rva >= le32(p + (at - 1) * ENTRY + 4))
		return false;
	memcpy(entry, p + (at - 1) * ENTRY, ENTRY);
	return true;
}

static bool read_word(const struct walk *w, uint64_t address, uint64_t *v)
{
	return w->memory->word(w->memory->arg, address, v);
}

static bool pop(struct walk *w, uint64_t *v)
{
	if (!read_word(w, w->s.r[FRAME_RSP], v))
		return false;
	w->s.r[FRAME_RSP] += 8;
	return true;
}

/* The 16-bit slots of a code, itself among them. */
static unsigned slots_of(unsigned op, unsigned info, unsigned version)
{
	switch (op) {
	case ALLOC_LARGE: return info ? 3 : 2;
	case SAVE_NONVOL:
	case SAVE_XMM128: return 2;
	case EPILOG: return version > 1 ? 1 : 2; /* of version 1: half a register of SSE */
	case SAVE_NONVOL_FAR:
	case SPARE:
	case SAVE_XMM128_FAR: return 3;
	default: return 1;
	}
}

/* Undoes what a code says; p is it and what follows; frame: where what was saved is counted from. */
static bool undo(struct walk *w, const uint8_t *p, const uint8_t *head, uint64_t frame)
{
	const unsigned op = p[1] & 15, info = p[1] >> 4;
	uint64_t *sp = &w->s.r[FRAME_RSP];

	switch (op) {
	case PUSH_NONVOL: return pop(w, &w->s.r[info]);
	case ALLOC_LARGE: *sp += info ? le32(p + 2) : le16(p + 2) * UINT64_C(8); return true;
	case ALLOC_SMALL: *sp += info * 8 + 8; return true;
	case SET_FPREG: *sp = w->s.r[head[3] & 15] - (uint64_t)(head[3] >> 4) * 16; return true;
	case SAVE_NONVOL: return read_word(w, frame + le16(p + 2) * UINT64_C(8), &w->s.r[info]);
	case SAVE_NONVOL_FAR: return read_word(w, frame + le32(p + 2), &w->s.r[info]);
	case PUSH_MACHFRAME:
		w->machine = true;
		*sp += info ? 8 : 0;
		return read_word(w, *sp, &w->s.pc) && read_word(w, *sp + 24, sp);
	default: return true; /* registers of SSE */
	}
}

/* The codes of one entry whose part of the prologue has been done; into: how far the function is. */
static bool undo_codes(struct walk *w, const uint8_t *head, unsigned n, uint32_t into)
{
	const uint8_t *codes = head + 4;
	uint64_t frame = w->s.r[FRAME_RSP];

	for (unsigned i = 0; i < n && head[3] & 15;
	     i += slots_of(codes[2 * i + 1] & 15, codes[2 * i + 1] >> 4, head[0] & 7))
		if ((codes[2 * i + 1] & 15) == SET_FPREG && codes[2 * i] <= into)
			frame = w->s.r[head[3] & 15] - (uint64_t)(head[3] >> 4) * 16;
	for (unsigned i = 0; i < n && !w->machine;) {
		const uint8_t *p = codes + (size_t)2 * i;
		const unsigned slots = slots_of(p[1] & 15, p[1] >> 4, head[0] & 7);

		if (i + slots > n || (p[0] <= into && !undo(w, p, head, frame)))
			return false;
		i += slots;
	}
	return true;
}

/* The bytes of an entry's information, and of the parent's entry behind its codes. */
static const uint8_t *information(const struct walk *w, struct pe_bytes *info, uint32_t at)
{
	const uint8_t *head = pe_bytes(info, w->f, at, 4);
	uint64_t size = head ? 4 + (head[2] + (head[2] & 1)) * UINT64_C(2) +
				   (head[0] >> 3 & CHAINED_FLAG ? ENTRY : 0)
			     : 0;

	return head ? pe_bytes(info, w->f, at, size) : NULL;
}

/* A return, or a jump out of the function, whose entry is given. */
static bool leaves(const uint8_t *p, uint32_t rva, const uint8_t entry[ENTRY])
{
	uint32_t to;

	if (p[0] == 0xc3 || p[0] == 0xc2 || (p[0] == 0xf3 && p[1] == 0xc3))
		return true;
	if (p[0] == 0xff && p[1] == 0x25) /* through a slot */
		return true;
	if (p[0] == 0x48 && p[1] == 0xff && (p[2] & 0xf8) == 0xe0) /* to a register */
		return true;
	if (p[0] != 0xe9 && p[0] != 0xeb)
		return false;
	to = p[0] == 0xe9 ? rva + 5 + le32(p + 1) : rva + 2 + (uint32_t)(int8_t)p[1];
	return to < le32(entry) || to >= le32(entry + 4);
}

/* pop ...; ret, or jmp: where the code is in an epilogue, it is done. */
static bool in_epilogue(struct walk *w, struct pe_bytes *code, uint32_t rva,
			const uint8_t entry[ENTRY])
{
	enum { LONGEST = 5 };
	struct walk ahead = *w;
	const uint8_t *p;

	for (unsigned i = 0; i <= EPILOGUE_MAX; i++) {
		uint8_t bytes[LONGEST] = {0};
		unsigned rex, reg;

		for (unsigned k = 0; k < LONGEST && (p = pe_bytes(code, w->f, rva + k, 1)); k++)
			bytes[k] = *p;
		if (leaves(bytes, rva, entry)) {
			*w = ahead;
			return true;
		}
		rex = (bytes[0] & 0xfe) == 0x40;
		reg = bytes[rex] - 0x58U + (rex && bytes[0] & 1 ? 8 : 0);
		if (bytes[rex] < 0x58 || bytes[rex] > 0x5f || reg == FRAME_RSP ||
		    !pop(&ahead, &ahead.s.r[reg]))
			return false;
		rva += rex + 1;
	}
	return false;
}

static bool walk_tables(struct walk *w, uint32_t rva, struct pe_bytes *table, struct pe_bytes *info)
{
	uint8_t entry[ENTRY];
	uint32_t into;

	if (!find_entry(w->f, table, rva, entry))
		return true; /* a leaf */
	into = rva - le32(entry);
	if (in_epilogue(w, info, rva, entry))
		return true;
	for (unsigned i = 0; i < CHAIN_MAX && !w->machine; i++) {
		const uint8_t *head = information(w, info, le32(entry + 8));

		if (!head || (head[0] & 7) < 1 || (head[0] & 7) > 2 ||
		    !undo_codes(w, head, head[2], into < head[1] ? into : UINT32_MAX))
			return false;
		if (!(head[0] >> 3 & CHAINED_FLAG))
			return true;
		memcpy(entry, head + 4 + (head[2] + (head[2] & 1)) * (size_t)2, ENTRY);
		into = UINT32_MAX; /* the parent's prologue is done */
	}
	return w->machine;
}

bool pe_walk_x64(const struct object_image *f, uint32_t rva, const struct frame_memory *memory,
		 struct frame_state *s)
{
	struct pe_bytes table = {.bytes = NULL}, info = {.bytes = NULL};
	struct walk w = {.f = f, .memory = memory, .s = *s};
	const bool done = walk_tables(&w, rva, &table, &info) && (w.machine || pop(&w, &w.s.pc)) &&
			  w.s.r[FRAME_RSP] > s->r[FRAME_RSP];

	pe_bytes_release(&table);
	pe_bytes_release(&info);
	if (done)
		*s = w.s;
	return done;
}
