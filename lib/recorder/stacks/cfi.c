/* SPDX-License-Identifier: MIT
 *
 * Sources: DWARF 5, section 6.4; Linux Standard Base, "Exception Frames" (.eh_frame,
 * .eh_frame_hdr); the register numbers of the System V ABI for x86-64 and of DWARF for the Arm
 * 64-bit architecture.
 */
#include "lib/recorder/stacks/cfi.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#if defined(__x86_64__)
enum { REG_FP = 6, REG_SP = 7, REG_RA = 16 };
#elif defined(__aarch64__)
enum { REG_FP = 29, REG_SP = 31, REG_RA = 30 };
#else /* nothing is known: libgcc walks */
enum { REG_FP = -1, REG_SP = -2, REG_RA = -3 };
#endif

struct bytes {
	const uint8_t *start, *p, *end;
	bool failed;
};

static uint64_t fixed(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	if (b->p < b->start || b->p > b->end || (size_t)(b->end - b->p) < n) {
		b->failed = true;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)b->p[i] << i * 8;
	b->p += n;
	return v;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && !b->failed; shift += 7) {
		uint8_t x = (uint8_t)fixed(b, 1);

		v |= (uint64_t)(x & 0x7f) << shift;
		if (x < 0x80)
			return v;
	}
	b->failed = true;
	return 0;
}

static int64_t sleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && !b->failed;) {
		uint8_t x = (uint8_t)fixed(b, 1);

		v |= (uint64_t)(x & 0x7f) << shift;
		shift += 7;
		if (x < 0x80) {
			if (x & 0x40 && shift < 64)
				v |= ~(uint64_t)0 << shift;
			return (int64_t)v;
		}
	}
	b->failed = true;
	return 0;
}

/* DW_EH_PE: how a pointer is written (low four bits), and what it is relative to. */
static uint64_t cfi_encoded(struct bytes *b, unsigned encoding, uint64_t data)
{
	uint64_t at = (uintptr_t)b->p, v;

	switch (encoding & 0x0f) {
	case 0x00: v = fixed(b, sizeof(void *)); break;
	case 0x01: v = uleb(b); break;
	case 0x02: v = fixed(b, 2); break;
	case 0x03: v = fixed(b, 4); break;
	case 0x04: v = fixed(b, 8); break;
	case 0x09: v = (uint64_t)sleb(b); break;
	case 0x0a: v = (uint64_t)(int16_t)fixed(b, 2); break;
	case 0x0b: v = (uint64_t)(int32_t)fixed(b, 4); break;
	case 0x0c: v = fixed(b, 8); break;
	default: b->failed = true; return 0;
	}
	switch (encoding & 0xf0) {
	case 0x00: return v;
	case 0x10: return v + at;
	case 0x30: return v + data;
	default: b->failed = true; return 0;
	}
}

/* Wraps, as what damaged tables say may. */
static int64_t times(uint64_t v, int64_t align)
{
	return (int64_t)(v * (uint64_t)align);
}

enum { EXPRESSION = -100, DEREF_FP }; /* a word at a distance from the frame pointer */

/* The state that the instructions make, as far as we use it. */
struct row {
	int64_t cfa;
	int64_t ra, fp; /* distance from the frame */
	int cfa_reg;    /* or one of below */
	/* AT_FP: at a distance from the frame pointer's value here. */
	enum saved { SAME, SAVED, AT_FP, UNDEFINED, ODD } ra_is, fp_is;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	const uint8_t *instructions, *end;
	unsigned encoding; /* of addresses */
	bool sized;        /* augmentation data has a size before it */
	bool signal;
};

enum { REMEMBERED = 16 };

struct machine {
	struct row row, first, kept[REMEMBERED];
	unsigned n_kept;
	uint64_t at; /* address that row is for */
};

static void rule(struct machine *m, uint64_t reg, enum saved is, int64_t offset)
{
	if (reg == (uint64_t)(int64_t)REG_RA) {
		m->row.ra_is = is;
		m->row.ra = offset;
	} else if (reg == (uint64_t)(int64_t)REG_FP) {
		m->row.fp_is = is;
		m->row.fp = offset;
	}
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg == (uint64_t)(int64_t)REG_RA)
		rule(m, reg, m->first.ra_is, m->first.ra);
	else
		rule(m, reg, m->first.fp_is, m->first.fp);
}

static void skip_block(struct bytes *b)
{
	uint64_t n = uleb(b);

	if (b->failed || n > (uint64_t)(b->end - b->p))
		b->failed = true;
	else
		b->p += n;
}

/* An expression that is the frame pointer plus *offset, and then the word there if deref says so:
 * what GCC writes in functions that realign the stack. */
static bool from_fp(struct bytes *b, bool deref, int64_t *offset)
{
	uint64_t n = uleb(b);
	struct bytes x = {b->p, b->p, b->p, false};

	if (b->failed || n > (uint64_t)(b->end - b->p)) {
		b->failed = true;
		return false;
	}
	b->p += n;
	x.end = b->p;
	if (fixed(&x, 1) != 0x70 + (uint64_t)(int64_t)REG_FP) /* DW_OP_breg0 + n */
		return false;
	*offset = sleb(&x);
	if (deref && fixed(&x, 1) != 0x06)
		return false;
	return !x.failed && x.p == x.end;
}

/* The instructions that are not packed into a byte. False: not known. */
static bool cfi_extended(struct machine *m, const struct cie *c, struct bytes *b, unsigned op)
{
	int64_t offset;
	uint64_t reg;

	switch (op) {
	case 0x00: break; /* nop */
	case 0x01: m->at = cfi_encoded(b, c->encoding, 0); break;
	case 0x02: m->at += fixed(b, 1) * c->code_align; break;
	case 0x03: m->at += fixed(b, 2) * c->code_align; break;
	case 0x04: m->at += fixed(b, 4) * c->code_align; break;
	case 0x05: /* offset_extended */
		reg = uleb(b);
		rule(m, reg, SAVED, times(uleb(b), c->data_align));
		break;
	case 0x06: restore(m, uleb(b)); break;
	case 0x07: rule(m, uleb(b), UNDEFINED, 0); break;
	case 0x08: rule(m, uleb(b), SAME, 0); break;
	case 0x09: /* register */
		rule(m, uleb(b), ODD, 0);
		uleb(b);
		break;
	case 0x0a:
		if (m->n_kept == REMEMBERED)
			return false;
		m->kept[m->n_kept++] = m->row;
		break;
	case 0x0b:
		if (!m->n_kept)
			return false;
		m->row = m->kept[--m->n_kept];
		break;
	case 0x0c: /* def_cfa */
		m->row.cfa_reg = (int)uleb(b);
		m->row.cfa = (int64_t)uleb(b);
		break;
	case 0x0d: m->row.cfa_reg = (int)uleb(b); break;
	case 0x0e: m->row.cfa = (int64_t)uleb(b); break;
	case 0x0f: /* def_cfa_expression */
		m->row.cfa_reg = from_fp(b, true, &m->row.cfa) ? DEREF_FP : EXPRESSION;
		break;
	case 0x10: /* expression */
		reg = uleb(b);
		if (from_fp(b, false, &offset))
			rule(m, reg, AT_FP, offset);
		else
			rule(m, reg, ODD, 0);
		break;
	case 0x16: /* val_expression */
		rule(m, uleb(b), ODD, 0);
		skip_block(b);
		break;
	case 0x11: /* offset_extended_sf */
		reg = uleb(b);
		rule(m, reg, SAVED, times((uint64_t)sleb(b), c->data_align));
		break;
	case 0x12: /* def_cfa_sf */
		m->row.cfa_reg = (int)uleb(b);
		m->row.cfa = times((uint64_t)sleb(b), c->data_align);
		break;
	case 0x13: m->row.cfa = times((uint64_t)sleb(b), c->data_align); break;
	case 0x14: /* val_offset, val_offset_sf */
	case 0x15:
		rule(m, uleb(b), ODD, 0);
		uleb(b);
		break;
	case 0x2d: break;          /* arm64: the return address is signed, or not any more */
	case 0x2e: uleb(b); break; /* GNU_args_size */
	case 0x2f:                 /* GNU_negative_offset_extended */
		reg = uleb(b);
		rule(m, reg, SAVED, times(0 - uleb(b), c->data_align));
		break;
	default: return false;
	}
	return true;
}

/* Up to the row that is in force at pc. */
static bool cfi_run(struct machine *m, const struct cie *c, struct bytes *b, uint64_t pc)
{
	while (b->p < b->end && !b->failed) {
		struct row before = m->row;
		unsigned op = (unsigned)fixed(b, 1), low = op & 0x3f;

		switch (op >> 6) {
		case 1: m->at += low * c->code_align; break;
		case 2: rule(m, low, SAVED, times(uleb(b), c->data_align)); break;
		case 3: restore(m, low); break;
		default:
			if (!cfi_extended(m, c, b, op))
				return false;
		}
		if (m->at > pc) {
			m->row = before;
			return !b->failed;
		}
	}
	return !b->failed;
}

static bool cfi_read_cie(struct bytes b, struct cie *c)
{
	uint64_t length = fixed(&b, 4);
	const char *augmentation;
	unsigned version;

	if (b.failed || length >= 0xfffffff0 || length > (uint64_t)(b.end - b.p) ||
	    fixed(&b, 4) != 0)
		return false;
	c->end = b.end = b.p + length - 4;
	version = (unsigned)fixed(&b, 1);
	augmentation = (const char *)b.p;
	if (b.failed || (version != 1 && version != 3) || !memchr(b.p, 0, (size_t)(b.end - b.p)))
		return false;
	b.p += strlen(augmentation) + 1;
	c->code_align = uleb(&b);
	c->data_align = sleb(&b);
	if ((version == 1 ? fixed(&b, 1) : uleb(&b)) != (uint64_t)(int64_t)REG_RA)
		return false;
	c->encoding = 0;
	c->signal = false;
	c->sized = *augmentation == 'z';
	c->instructions = b.p;
	if (!c->sized)
		return !*augmentation && !b.failed;
	{
		uint64_t n = uleb(&b);

		if (b.failed || n > (uint64_t)(b.end - b.p))
			return false;
		c->instructions = b.p + n;
	}
	for (const char *a = augmentation + 1; *a && !b.failed; a++)
		switch (*a) {
		case 'R': c->encoding = (unsigned)fixed(&b, 1); break;
		case 'L': fixed(&b, 1); break;
		case 'P': {
			unsigned encoding = (unsigned)fixed(&b, 1) & 0x0f;

			cfi_encoded(&b, encoding, 0);
			break;
		}
		case 'S': c->signal = true; break;
		case 'B': break; /* arm64: signed with the other key */
		default: return false;
		}
	return !b.failed;
}

static struct cfi_rule cfi_judge(const struct row *r)
{
	struct cfi_rule rule = {0};

	if (r->ra_is == UNDEFINED) {
		rule.kind = CFI_OUTERMOST;
		return rule;
	}
	switch (r->cfa_reg) {
	case REG_SP: rule.kind = CFI_FROM_SP; break;
	case REG_FP: rule.kind = CFI_FROM_FP; break;
	case DEREF_FP: rule.kind = CFI_AT_FP; break;
	default: return rule;
	}
	rule.cfa = (int32_t)r->cfa;
	rule.ra = (int16_t)r->ra;
	/* For an undefined one there is no query: the callers do not need it, or save it. */
	rule.fp = r->fp_is == SAVED || r->fp_is == AT_FP ? (int16_t)r->fp : CFI_NOT_SAVED;
	rule.fp_at_fp = r->fp_is == AT_FP;
	if (r->ra_is != SAVED || r->fp_is == ODD || (rule.fp_at_fp && rule.fp == CFI_NOT_SAVED) ||
	    r->cfa != rule.cfa || r->ra != rule.ra || r->fp != (int16_t)r->fp)
		rule.kind = CFI_OTHER;
	return rule;
}

/* *begin is where the function begins, when it has pc. */
static struct cfi_rule cfi_in_fde(struct bytes b, uint64_t pc, uint64_t *begin)
{
	static const struct cfi_rule none = {.kind = CFI_NO_TABLE}, other = {.kind = CFI_OTHER};
	uint64_t length = fixed(&b, 4), back, lo, n;
	struct machine m;
	struct bytes at;
	struct cie c;

	if (b.failed || length >= 0xfffffff0 || length > (uint64_t)(b.end - b.p))
		return other;
	at = b;
	at.p = b.p;
	back = fixed(&b, 4);
	if (back > (uint64_t)(at.p - at.start))
		return other;
	at.p -= back;
	b.end = b.p - 4 + length;
	if (!cfi_read_cie(at, &c) || c.signal)
		return other;
	lo = cfi_encoded(&b, c.encoding, 0);
	n = cfi_encoded(&b, c.encoding & 0x0f, 0);
	if (b.failed)
		return other;
	if (pc < lo || pc - lo >= n)
		return none;
	*begin = lo;
	if (c.sized)
		skip_block(&b);
	memset(&m, 0, sizeof m);
	m.row.cfa_reg = EXPRESSION;
	/* Not yet moved: on arm64 the return address is in its register. */
	at = (struct bytes){c.instructions, c.instructions, c.end, false};
	if (!cfi_run(&m, &c, &at, UINT64_MAX))
		return other;
	m.first = m.row;
	m.at = lo;
	return cfi_run(&m, &c, &b, pc) && !b.failed ? cfi_judge(&m.row) : other;
}

static struct cfi_rule cfi_search_table(const uint8_t *start, const uint8_t *end,
					const uint8_t *hdr, uint64_t pc, uint64_t *begin)
{
	static const struct cfi_rule none = {.kind = CFI_NO_TABLE}, other = {.kind = CFI_OTHER};
	struct bytes b = {start, hdr, end, false};
	unsigned version = (unsigned)fixed(&b, 1), frame = (unsigned)fixed(&b, 1);
	unsigned count = (unsigned)fixed(&b, 1), table = (unsigned)fixed(&b, 1);
	uint64_t data = (uintptr_t)hdr, n, lo = 0, hi;

	pc--; /* the call, not what follows it */
	cfi_encoded(&b, frame, data);
	n = cfi_encoded(&b, count, data);
	if (b.failed || version != 1 || table != 0x3b || n > (uint64_t)(b.end - b.p) / 8)
		return other;
	for (hi = n; lo < hi;) {
		uint64_t mid = lo + (hi - lo) / 2;
		struct bytes x = {start, b.p + mid * 8, end, false};

		if (cfi_encoded(&x, table, data) <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return none;
	b.p += (lo - 1) * 8 + 4;
	b.p = (const uint8_t *)(uintptr_t)cfi_encoded(&b, table, data);
	return cfi_in_fde(b, pc, begin);
}

struct cfi_rule cfi_search(const uint8_t *start, const uint8_t *end, const uint8_t *hdr,
			   uint64_t pc)
{
	uint64_t begin;

	return cfi_search_table(start, end, hdr, pc, &begin);
}

struct search {
	uint64_t pc, begin;
	struct cfi_rule rule;
};

static int cfi_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	const ElfW(Phdr) *table = NULL;
	bool here = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD)
			here |= s->pc - 1 - (info->dlpi_addr + p->p_vaddr) < p->p_memsz;
		else if (p->p_type == PT_GNU_EH_FRAME)
			table = p;
	}
	if (!here)
		return 0;
	for (unsigned i = 0; table && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint8_t *start = (const uint8_t *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);

		if (p->p_type == PT_LOAD && p->p_flags & PF_R &&
		    table->p_vaddr - p->p_vaddr < p->p_memsz)
			s->rule = cfi_search_table(start, start + p->p_filesz,
						   start + (table->p_vaddr - p->p_vaddr), s->pc,
						   &s->begin);
	}
	return 1;
}

#if defined DLFO_EH_SEGMENT_TYPE && \
    !defined CAP_WRAP /* a static program allocates before it works */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

/* dl_iterate_phdr holds a lock while it calls back, and what it calls may be waiting for a lock
 * that the program holds while it allocates. */
static bool find_object(struct search *s)
{
	struct dl_find_object o;

	if (!_dl_find_object)
		return false;
	if (!_dl_find_object((void *)(uintptr_t)(s->pc - 1), &o) && o.dlfo_eh_frame)
		s->rule = cfi_search_table(o.dlfo_map_start, o.dlfo_map_end, o.dlfo_eh_frame, s->pc,
					   &s->begin);
	return true;
}

bool cfi_of_module(uint64_t pc)
{
	struct dl_find_object o;

	return _dl_find_object && !_dl_find_object((void *)(uintptr_t)(pc - 1), &o);
}
#else
static bool find_object(struct search *s)
{
	(void)s;
	return false;
}

bool cfi_of_module(uint64_t pc)
{
	(void)pc;
	return false;
}
#endif

static struct search found(uint64_t pc)
{
	struct search s = {.pc = pc, .rule = {.kind = CFI_NO_TABLE}};

	if (!find_object(&s))
		dl_iterate_phdr(cfi_look, &s);
	return s;
}

struct cfi_rule cfi_find(uint64_t pc)
{
	return found(pc).rule;
}

uint64_t cfi_function(uint64_t pc)
{
	return found(pc).begin;
}
