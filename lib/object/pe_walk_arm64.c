/* SPDX-License-Identifier: MIT
 *
 * The caller of a frame of arm64 code of Windows, by .pdata and .xdata. Facts: Microsoft's "ARM64 exception handling"
 * (packed unwind data, .xdata records, unwind codes, canonical prologues); for save_any_reg, LLVM's
 * ARMWinEHPrinter.cpp.
 *
 * An entry becomes a list of operations, one for each instruction of the prologue, the last one first, or of an
 * epilogue, the first one first: what is undone from where the frame's code is until the list's end. A function
 * without an entry is a leaf: its return address is in lr.
 */
#include "lib/base/bytes.h"
#include "lib/base/sort.h"
#include "lib/object/pe_walk.h"

#include <string.h>

enum {
	ENTRY = 8,
	OPERATIONS_MAX = 1024, /* of one list; codes are at most 4 * 255 bytes */
	FP = FRAME_ARM64_FP,
	LR = FRAME_ARM64_LR,
	SP = FRAME_ARM64_SP,
	SAVED = 19, /* the first register that a function keeps */
};

enum operation_kind {
	NOTHING,
	ALLOCATE, /* size */
	SET_FP,   /* size: fp lies so far above sp */
	LOAD,     /* n registers from reg on at size */
	NEXT,     /* the two registers behind those of the operation that follows */
	SIGN_LR,
	BAD,
};

struct operation {
	uint8_t kind, reg, n;
	bool pops;   /* then sp goes up by size, and the registers are at 0 */
	bool other;  /* the second register is lr */
	bool enters; /* of a packed entry: the epilogue has nothing for it */
	uint32_t size;
};

struct operations {
	struct operation all[OPERATIONS_MAX];
	unsigned n;
};

/* --- codes of .xdata --- */

static struct operation load(unsigned reg, unsigned n, uint32_t at)
{
	if (reg + n > SP)
		return (struct operation){.kind = BAD};
	return (struct operation){.kind = LOAD, .reg = (uint8_t)reg, .n = (uint8_t)n, .size = at};
}

static struct operation pop_at(unsigned reg, unsigned n, uint32_t size)
{
	struct operation o = load(reg, n, size);

	o.pops = true;
	return o;
}

/* d8 to d15 are not followed, but sp may go up. */
static struct operation floats(bool pops, uint32_t size)
{
	return pops ? pop_at(0, 0, size) : (struct operation){.kind = NOTHING};
}

/* save_any_reg: p points behind the first byte. */
static struct operation any_register(const uint8_t *p)
{
	const bool pops = p[0] & 0x20, pair = p[0] & 0x40;
	const unsigned kind = p[1] >> 6, reg = p[0] & 31, n = pair ? 2 : 1;
	const uint32_t size = ((p[1] & 63U) + pops) * (pops || pair || kind == 2 ? 16 : 8);

	if (p[0] & 0x80 || kind == 3)
		return (struct operation){.kind = BAD};
	if (kind)
		return floats(pops, size);
	return pops ? pop_at(reg, n, size) : load(reg, n, size);
}

/* The bytes of a code. */
static unsigned code_size(uint8_t first)
{
	if (first < 0xc0)
		return 1;
	if (first < 0xe0)
		return 2;
	switch (first) {
	case 0xe0: return 4;
	case 0xe2: return 2;
	case 0xe7: return 3;
	case 0xf8: return 2;
	case 0xf9: return 3;
	case 0xfa: return 4;
	case 0xfb: return 5;
	default: return 1;
	}
}

/* A code of two bytes that saves registers, as one number: at bit 6, or 5 where sp goes down, the register. */
static struct operation saves(unsigned v)
{
	const uint32_t at = (v & 63) * 8, down = at + 8;
	const unsigned reg = SAVED + (v >> 6 & 15);
	struct operation o;

	if (v < 0xcc00) /* 110010: a pair */
		return load(reg, 2, at);
	if (v < 0xd000)
		return pop_at(reg, 2, down);
	if (v < 0xd400)
		return load(reg, 1, at);
	if (v < 0xd600)
		return pop_at(SAVED + (v >> 5 & 15), 1, (v & 31) * 8 + 8);
	if (v < 0xd800) { /* with lr */
		o = load(SAVED + 2 * (v >> 6 & 7), 2, at);
		o.other = true;
		return o;
	}
	if (v < 0xde00) /* 110110 a pair, 110111 one: bit 9 of the former lets sp go down */
		return floats(v >= 0xda00 && v < 0xdc00, down);
	if (v < 0xdf00)
		return floats(true, (v & 31) * 8 + 8);
	return (struct operation){.kind = BAD}; /* of a size that is not known here: SVE's */
}

static struct operation decode(const uint8_t *p)
{
	const unsigned two = (unsigned)p[0] << 8 | p[1];

	if (p[0] < 0x20)
		return (struct operation){.kind = ALLOCATE, .size = p[0] * UINT32_C(16)};
	if (p[0] < 0x40) /* x19, x20; of 0 sp stays */
		return pop_at(SAVED, 2, (p[0] & 31) * UINT32_C(8));
	if (p[0] < 0x80)
		return load(FP, 2, (p[0] & 63) * UINT32_C(8));
	if (p[0] < 0xc0)
		return pop_at(FP, 2, (p[0] & 63) * UINT32_C(8) + 8);
	if (p[0] < 0xc8)
		return (struct operation){.kind = ALLOCATE, .size = (two & 0x7ff) * 16};
	if (p[0] < 0xe0)
		return saves(two);
	switch (p[0]) {
	case 0xe0:
		return (struct operation){.kind = ALLOCATE,
					  .size = (p[1] << 16 | p[2] << 8 | p[3]) * UINT32_C(16)};
	case 0xe1: return (struct operation){.kind = SET_FP};
	case 0xe2: return (struct operation){.kind = SET_FP, .size = p[1] * UINT32_C(8)};
	case 0xe3: return (struct operation){.kind = NOTHING};
	case 0xe6: return (struct operation){.kind = NEXT};
	case 0xe7: return any_register(p + 1);
	case 0xfc: return (struct operation){.kind = SIGN_LR};
	default: return (struct operation){.kind = BAD};
	}
}

/* CLEAR: what is behind the frame is no call; no instruction. */
enum { END = 0xe4, END_C = 0xe5, CLEAR = 0xec };

/* Operations from code i on. end_c ends the part of this fragment: what follows is of the function that it continues,
 * whose prologue is done. */
static bool read_codes(const uint8_t *codes, unsigned n_codes, unsigned i, struct operations *ops)
{
	uint8_t padded[8];

	ops->n = 0;
	while (i < n_codes && codes[i] != END) {
		const unsigned size = code_size(codes[i]);

		if (i + size > n_codes || ops->n == OPERATIONS_MAX)
			return false;
		memset(padded, 0, sizeof padded);
		memcpy(padded, codes + i, size);
		if (codes[i] != END_C && codes[i] != CLEAR)
			ops->all[ops->n++] = decode(padded);
		i += size;
	}
	return i < n_codes;
}

/* The instructions of the prologue or epilogue that begins at code i: up to end or end_c, which is its return. */
static unsigned count_codes(const uint8_t *codes, unsigned n_codes, unsigned i)
{
	unsigned n = 0;

	for (; i < n_codes && codes[i] != END && codes[i] != END_C; i += code_size(codes[i]))
		n += codes[i] != CLEAR;
	return n;
}

/* --- packed entries --- */

static void add(struct operations *ops, struct operation o)
{
	ops->all[ops->n++] = o;
}

/* Prologue, the first instruction first, of a function with RegI, RegF, H, CR and the frame's size. */
static bool packed_prologue(uint32_t v, struct operations *ops)
{
	const unsigned regf = v >> 13 & 7, regi = v >> 16 & 15, homes = v >> 20 & 1,
		       cr = v >> 21 & 3;
	const uint32_t ints = regi * 8 + (cr == 1 ? 8 : 0), fps = regf ? regf * 8 + 8 : 0;
	const uint32_t saved = (ints + fps + homes * 64 + 15) & ~UINT32_C(15);
	const uint32_t frame = (v >> 23) * 16, locals = frame - saved;
	bool down = false; /* the first store took what is saved off sp */

	ops->n = 0;
	if (frame < saved || regi > 10)
		return false;
	if (cr == 2)
		add(ops, (struct operation){.kind = SIGN_LR});
	for (unsigned i = 0; i < regi || (cr == 1 && i == regi); i += 2) {
		const bool alone = i + 1 >= regi;
		struct operation o = load(SAVED + i, alone ? 1 : 2, i * 8);

		if (cr == 1 && alone) {
			o = i < regi ? load(SAVED + i, 2, i * 8) : load(LR, 1, i * 8);
			o.other = i < regi;
		}
		o.pops = !i;
		o.size = i ? o.size : saved;
		down = true;
		add(ops, o);
		if (cr == 1 && alone)
			break;
	}
	for (unsigned i = 0; regf && i <= regf; i += 2) {
		add(ops, floats(!down, saved));
		down = true;
	}
	for (unsigned i = 0; homes && i < 4; i++) {
		add(ops, floats(!down, saved));
		ops->all[ops->n - 1].enters = down;
		down = true;
	}
	if (cr >= 2 && locals && locals <= 512) {
		add(ops, pop_at(FP, 2, locals));
		add(ops, (struct operation){.kind = SET_FP, .enters = true});
		return true;
	}
	if (locals > 4080)
		add(ops, (struct operation){.kind = ALLOCATE, .size = 4080});
	if (locals)
		add(ops, (struct operation){.kind = ALLOCATE,
					    .size = locals > 4080 ? locals - 4080 : locals});
	if (cr >= 2) {
		add(ops, load(FP, 2, 0));
		add(ops, (struct operation){.kind = SET_FP, .enters = true});
	}
	return true;
}

static void reverse(struct operations *ops)
{
	for (unsigned i = 0; i < ops->n / 2; i++) {
		struct operation o = ops->all[i];

		ops->all[i] = ops->all[ops->n - 1 - i];
		ops->all[ops->n - 1 - i] = o;
	}
}

/* Without what the epilogue has nothing for. */
static void keep_of_epilogue(struct operations *ops)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ops->n; i++)
		if (!ops->all[i].enters)
			ops->all[n++] = ops->all[i];
	ops->n = n;
}

/* at: the instruction of the function. *from: the first operation that is to be undone. */
static bool find_packed(uint32_t v, uint32_t at, struct operations *ops, unsigned *from)
{
	const uint32_t length = v >> 2 & 0x7ff;
	struct operations leaving;

	if ((v & 3) == 3 || !packed_prologue(v, ops))
		return false;
	reverse(ops);
	*from = 0;
	if ((v & 3) == 2) /* a part in the middle */
		return true;
	if (at < ops->n) {
		*from = ops->n - at;
		return true;
	}
	leaving = *ops;
	keep_of_epilogue(&leaving);
	if (length > leaving.n && at >= length - leaving.n - 1) { /* a return is at its end */
		*from = at - (length - leaving.n - 1);
		*ops = leaving;
	}
	return true;
}

/* --- .xdata --- */

struct record {
	uint32_t length; /* instructions, as all here */
	unsigned n_codes, n_epilogues;
	bool one_epilogue;         /* at the end; n_epilogues is its first code */
	uint32_t epilogues, codes; /* RVAs */
};

static bool read_record(const struct object_image *f, struct pe_bytes *info, uint32_t at,
			struct record *r)
{
	const uint8_t *p = pe_bytes(info, f, at, 4);
	uint32_t v = p ? le32(p) : 0, head = 4;

	if (!p || v >> 18 & 3) /* another version */
		return false;
	*r = (struct record){.length = v & 0x3ffff,
			     .n_codes = v >> 27,
			     .n_epilogues = v >> 22 & 31,
			     .one_epilogue = v >> 21 & 1};
	if (!r->n_codes && !r->n_epilogues) {
		p = pe_bytes(info, f, at, 8);
		if (!p)
			return false;
		r->n_epilogues = le16(p + 4);
		r->n_codes = p[6];
		head = 8;
	}
	r->n_codes *= 4;
	r->epilogues = at + head;
	r->codes = r->epilogues + (r->one_epilogue ? 0 : r->n_epilogues * 4);
	return r->codes >= at;
}

/* Whether instruction at is in the epilogue that begins at start and has the codes from i on. */
static bool is_in(const uint8_t *codes, unsigned n_codes, unsigned i, uint32_t start, uint32_t at)
{
	return at >= start && at - start <= count_codes(codes, n_codes, i);
}

static bool find_unpacked(const struct object_image *f, struct pe_bytes *info, uint32_t xdata,
			  uint32_t at, struct operations *ops, unsigned *from)
{
	struct pe_bytes scopes = {.bytes = NULL};
	struct record r;
	const uint8_t *codes, *scope;
	unsigned first = 0, n;
	bool leaves = false;

	if (!read_record(f, info, xdata, &r))
		return false;
	codes = pe_bytes(info, f, r.codes, r.n_codes);
	if (!codes || !r.n_codes)
		return false;
	n = count_codes(codes, r.n_codes, 0);
	*from = at < n ? n - at : 0;
	if (r.one_epilogue) {
		const unsigned last = count_codes(codes, r.n_codes, r.n_epilogues) + 1;

		first = r.n_epilogues;
		leaves = at >= n && last <= r.length && at >= r.length - last && first < r.n_codes;
		*from = leaves ? at - (r.length - last) : *from;
	}
	for (unsigned i = 0; !r.one_epilogue && at >= n && !leaves && i < r.n_epilogues; i++) {
		scope = pe_bytes(&scopes, f, r.epilogues + i * 4, 4);
		if (!scope)
			break;
		first = le32(scope) >> 22;
		leaves = is_in(codes, r.n_codes, first, le32(scope) & 0x3ffff, at);
		*from = leaves ? at - (le32(scope) & 0x3ffff) : *from;
	}
	pe_bytes_release(&scopes);
	return read_codes(codes, r.n_codes, leaves ? first : 0, ops);
}

/* --- the frame --- */

static bool read_register(const struct frame_memory *memory, struct frame_state *s, unsigned reg,
			  uint64_t at)
{
	s->known |= UINT32_C(1) << reg;
	return memory->word(memory->arg, at, &s->r[reg]);
}

/* The registers behind those of the operations that follow. */
static struct operation next_of(const struct operations *ops, unsigned i)
{
	unsigned behind = 1;
	struct operation o = {.kind = BAD};

	while (i + behind < ops->n && ops->all[i + behind].kind == NEXT)
		behind++;
	if (i + behind < ops->n)
		o = ops->all[i + behind];
	if (o.kind != LOAD || o.n != 2 || o.other || o.reg + behind * 2 + 2 > FP)
		return (struct operation){.kind = BAD};
	return load(o.reg + behind * 2, 2, (o.pops ? 0 : o.size) + behind * 16);
}

static bool undo_load(const struct frame_memory *memory, struct frame_state *s,
		      const struct operation *o)
{
	const uint64_t at = s->r[SP] + (o->pops ? 0 : o->size);

	for (unsigned i = 0; i < o->n; i++)
		if (!read_register(memory, s, o->other && i ? LR : o->reg + i, at + i * 8))
			return false;
	s->r[SP] += o->pops ? o->size : 0;
	return true;
}

static bool undo_operation(const struct frame_memory *memory, struct frame_state *s,
			   const struct operations *ops, unsigned i)
{
	struct operation o = ops->all[i];

	if (o.kind == NEXT)
		o = next_of(ops, i);
	switch (o.kind) {
	case ALLOCATE: s->r[SP] += o.size; return true;
	case SET_FP: s->r[SP] = s->r[FP] - o.size; return s->known >> FP & 1;
	case LOAD: return undo_load(memory, s, &o);
	case SIGN_LR: s->r[LR] &= (UINT64_C(1) << 47) - 1; return true;
	default: return o.kind == NOTHING;
	}
}

static bool find_arm64_entry(const struct object_image *f, struct pe_bytes *table, uint32_t rva,
			     uint32_t *begin, uint32_t *unwind)
{
	const uint32_t n = f->pe.unwind_size / ENTRY;
	const uint8_t *p = n ? pe_bytes(table, f, f->pe.unwind, (uint64_t)n * ENTRY) : NULL;
	size_t at = p ? BISECT(i, 0, n, le32(p + i * ENTRY) <= rva) : 0;

	if (!at)
		return false;
	*begin = le32(p + (at - 1) * ENTRY);
	*unwind = le32(p + (at - 1) * ENTRY + 4);
	return true;
}

bool pe_walk_arm64(const struct object_image *f, uint32_t rva, const struct frame_memory *memory,
		   struct frame_state *s)
{
	/* What a call leaves as it was. */
	static const uint32_t kept = UINT32_C(0xbff80000);
	struct pe_bytes table = {.bytes = NULL}, info = {.bytes = NULL};
	uint32_t begin = 0, unwind = 0, length = 0, at;
	struct operations ops = {.n = 0};
	unsigned from = 0;
	bool done = true;

	if (find_arm64_entry(f, &table, rva, &begin, &unwind))
		length = pe_arm_size(f, &info, unwind);
	at = (rva - begin) / 4;
	if (at < length / 4)
		done = unwind & 3 ? find_packed(unwind, at, &ops, &from)
				  : find_unpacked(f, &info, unwind, at, &ops, &from);
	else
		done = !s->is_caller; /* a leaf calls nothing */
	for (unsigned i = from; done && i < ops.n; i++)
		done = undo_operation(memory, s, &ops, i);
	pe_bytes_release(&table);
	pe_bytes_release(&info);
	if (!done || !(s->known >> LR & 1))
		return false;
	s->pc = s->r[LR];
	s->known &= kept;
	return true;
}
