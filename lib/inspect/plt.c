/* SPDX-License-Identifier: MIT
 *
 * Stubs of a PLT, as GNU ld, gold and lld write them (System V psABI of each processor).
 */
#include "lib/base/bytes.h"
#include "lib/inspect/inspect.h"

#include <string.h>

static uint64_t got(const struct inspect *x)
{
	size_t section = inspect_section(x, ".got.plt");

	if (!section)
		section = inspect_section(x, ".got");
	return section ? object_section_info(x->file.object, section).addr : 0;
}

/* [endbr] [bnd] jmp *slot; in PIC of 32 bits relative to the GOT, which %ebx holds. */
static bool x86_slot(const struct inspect *x, uint64_t addr, const uint8_t *p, uint64_t n,
		     uint64_t *slot)
{
	const struct disasm_code *c = x->file.code;
	uint64_t at = 0;

	if (n >= 4 && p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && (p[3] & 0xfe) == 0xfa)
		at = 4;
	at += at < n && p[at] == 0xf2;
	if (n < 6 || at > n - 6 || p[at] != 0xff || (p[at + 1] != 0x25 && p[at + 1] != 0xa3))
		return false;
	*slot = le32(p + at + 2);
	if (p[at + 1] == 0xa3)
		*slot = (uint32_t)(got(x) + *slot);
	else if (c->arch == CODE_X86_64)
		*slot = addr + at + 6 + (uint64_t)(int64_t)(int32_t)*slot;
	return true;
}

/* [bti c] adrp x16, page; ldr x17, [x16, offset] */
static bool arm64_slot(uint64_t addr, const uint8_t *p, uint64_t n, uint64_t *slot)
{
	uint32_t adrp, ldr;
	uint64_t at = n >= 4 && le32(p) == 0xd503245f ? 4 : 0, page;

	if (n < at + 8)
		return false;
	adrp = le32(p + at);
	ldr = le32(p + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	page = (page ^ 1 << 20) - (1 << 20);
	*slot = ((addr + at) & ~UINT64_C(0xfff)) + (page << 12) + (ldr >> 10 & 0xfff) * 8;
	return true;
}

static uint32_t arm_immediate(uint32_t w)
{
	unsigned turn = (w >> 8 & 15) * 2;
	uint32_t v = w & 0xff;

	return turn ? v >> turn | v << (32 - turn) : v;
}

/* [bx pc; nop] add ip, pc, #a; add ip, ip, #b; ldr pc, [ip, #c]! */
static bool arm_slot(uint64_t addr, const uint8_t *p, uint64_t n, uint64_t *slot)
{
	uint64_t at = n >= 4 && (le32(p) == 0x46c04778 || le32(p) == 0xe7fd4778) ? 4 : 0, sum;

	if (n < at + 12 || le32(p + at) >> 12 != 0xe28fc)
		return false;
	sum = addr + at + 8 + arm_immediate(le32(p + at));
	for (at += 4; n >= at + 4 && le32(p + at) >> 12 == 0xe28cc; at += 4)
		sum += arm_immediate(le32(p + at));
	if (n < at + 4 || (le32(p + at) >> 12 != 0xe5bcf && le32(p + at) >> 12 != 0xe59cf))
		return false;
	*slot = (uint32_t)(sum + (le32(p + at) & 0xfff));
	return true;
}

bool inspect_plt_slot(const struct inspect *x, uint64_t addr, uint64_t *slot)
{
	const struct disasm_code *c = x->file.code;
	const struct code_part *part = code_holds(c, addr) ? code_part_at(c, addr + 1) : NULL;
	const uint8_t *p = part ? part->data + (addr - part->lo) : NULL;
	uint64_t n = part ? part->size - (addr - part->lo) : 0;

	switch (n ? c->arch : CODE_NONE) {
	case CODE_X86:
	case CODE_X86_64: return x86_slot(x, addr, p, n, slot);
	case CODE_ARM64: return arm64_slot(addr, p, n, slot);
	case CODE_ARM: return arm_slot(addr, p, n, slot);
	default: return false;
	}
}
