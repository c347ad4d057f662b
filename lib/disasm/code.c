/* SPDX-License-Identifier: MIT */
#include "lib/disasm/code.h"

#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>

void code_init(struct disasm_code *c, enum code_arch arch, const struct code_part *parts, size_t n)
{
	*c = (struct disasm_code){.arch = arch, .n = n, .parts = mem_array(n, sizeof *parts)};
	for (size_t i = 0; i < n; i++) {
		c->parts[i] = parts[i];
		c->size += parts[i].size;
	}
}

void code_release(struct disasm_code *c)
{
	free(c->parts);
	*c = (struct disasm_code){.n = 0};
}

unsigned code_alignment(enum code_arch arch)
{
	return arch == CODE_ARM64 ? 4 : arch == CODE_ARM ? 2 : 1;
}

const struct code_part *code_part_at(const struct disasm_code *c, uint64_t addr)
{
	size_t lo = BISECT(i, 0, c->n, c->parts[i].lo < addr);

	/* The one before addr first: a return address may lie right behind a part. */
	if (lo && addr - c->parts[lo - 1].lo <= c->parts[lo - 1].size)
		return &c->parts[lo - 1];
	return lo < c->n && c->parts[lo].lo == addr ? &c->parts[lo] : NULL;
}

bool code_holds(const struct disasm_code *c, uint64_t addr)
{
	const struct code_part *p = code_part_at(c, addr + 1);

	return p && addr >= p->lo && addr - p->lo < p->size;
}

static uint64_t extend(uint64_t v, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((v & (2 * sign - 1)) ^ sign) - sign;
}

/* Bytes of FF with this ModRM and SIB, 0: not /2. */
static unsigned x86_indirect(uint8_t modrm, uint8_t sib)
{
	unsigned mod = modrm >> 6, rm = modrm & 7, n = 2;

	if ((modrm >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return n;
	if (rm == 4)
		n++;
	if (mod == 1)
		return n + 1;
	if (mod == 2 || (!mod && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
		return n + 4;
	return n;
}

static uint64_t x86_target(const struct disasm_code *c, uint64_t end, const uint8_t *rel)
{
	uint64_t target = end + extend(le32(rel), 32);

	return c->arch == CODE_X86 ? (uint32_t)target : target;
}

/* p: the byte behind the call, with n bytes before it. */
static bool x86_call(const struct disasm_code *c, uint64_t addr, const uint8_t *p, uint64_t n)
{
	if (n >= 5 && p[-5] == 0xe8 && code_holds(c, x86_target(c, addr, p - 4)))
		return true;
	for (unsigned k = 2; k <= 7 && k <= n; k++)
		if (p[-(int)k] == 0xff &&
		    x86_indirect(p[1 - (int)k], k > 2 ? p[2 - (int)k] : 0) == k)
			return true;
	return false;
}

static bool arm64_call(const struct disasm_code *c, uint64_t addr, uint32_t w)
{
	if ((w & 0xfc000000) == 0x94000000)
		return code_holds(c, addr - 4 + extend((uint64_t)w << 2, 28));
	return (w & 0xfffffc1f) == 0xd63f0000 || (w & 0xfefff800) == 0xd63f0800;
}

static uint64_t arm_target(uint64_t addr, uint32_t w, bool to_thumb)
{
	return (uint32_t)(addr + 4 + extend((uint64_t)w << 2, 26)) + (to_thumb ? w >> 23 & 2 : 0);
}

static bool arm_call(const struct disasm_code *c, uint64_t addr, const uint8_t *p, uint64_t n)
{
	uint32_t w = le32(p - 4);

	if (w >> 28 == 15)
		return (w & 0xfe000000) == 0xfa000000 && code_holds(c, arm_target(addr, w, true));
	if ((w & 0x0f000000) == 0x0b000000)
		return code_holds(c, arm_target(addr, w, false));
	return (w & 0x0ffffff0) == 0x012fff30 || (n >= 8 && le32(p - 8) == 0xe1a0e00f);
}

/* BL, B.W: bits as the manual calls them; BLX goes to a multiple of 4. */
static uint64_t thumb_target(uint64_t addr, uint32_t h, uint32_t l, bool to_arm)
{
	uint32_t s = h >> 10 & 1, i1 = !((l >> 13 & 1) ^ s), i2 = !((l >> 11 & 1) ^ s);
	uint64_t imm = s << 24 | i1 << 23 | i2 << 22 | (h & 0x3ff) << 12 | (l & 0x7ff) << 1;

	return (uint32_t)((to_arm ? addr & ~UINT64_C(3) : addr) + extend(imm, 25));
}

static bool thumb_call(const struct disasm_code *c, uint64_t addr, const uint8_t *p, uint64_t n)
{
	uint32_t l = le16(p - 2), h;

	if ((l & 0xff87) == 0x4780)
		return true;
	if (n < 4)
		return false;
	h = le16(p - 4);
	if ((h & 0xf800) != 0xf000)
		return false;
	if ((l & 0xd000) == 0xd000)
		return code_holds(c, thumb_target(addr, h, l, false));
	return (l & 0xd001) == 0xc000 && code_holds(c, thumb_target(addr, h, l, true));
}

bool code_call_before(const struct disasm_code *c, uint64_t addr)
{
	const struct code_part *part = code_part_at(c, addr);
	uint64_t n = part ? addr - part->lo : 0;
	const uint8_t *p = part ? part->data + n : NULL;

	if (n < 2)
		return false;
	switch (c->arch) {
	case CODE_X86:
	case CODE_X86_64: return x86_call(c, addr, p, n);
	case CODE_ARM64: return n >= 4 && !(addr & 3) && arm64_call(c, addr, le32(p - 4));
	case CODE_ARM:
		if (addr & 1)
			return false;
		return (n >= 4 && !(addr & 3) && arm_call(c, addr, p, n)) ||
		       thumb_call(c, addr, p, n);
	default: return false;
	}
}

static bool x86_to(const struct disasm_code *c, uint64_t addr, const uint8_t *p, uint64_t n,
		   bool jumps, uint64_t *target)
{
	if (n < 5 || (p[-5] != 0xe8 && (!jumps || p[-5] != 0xe9)))
		return false;
	*target = x86_target(c, addr, p - 4);
	return true;
}

static bool arm_to(uint64_t addr, const uint8_t *p, uint64_t n, bool jumps, uint64_t *target)
{
	uint32_t w = n >= 4 ? le32(p - 4) : 0;

	if (n < 4)
		return false;
	if ((w & 0x0f000000) == 0x0b000000 || (jumps && (w & 0x0f000000) == 0x0a000000) ||
	    (w & 0xfe000000) == 0xfa000000) {
		*target = arm_target(addr, w, w >> 28 == 15);
		return true;
	}
	return false;
}

static bool thumb_to(uint64_t addr, const uint8_t *p, uint64_t n, bool jumps, uint64_t *target)
{
	uint32_t h = n >= 4 ? le16(p - 4) : 0, l = n >= 4 ? le16(p - 2) : 0;
	bool to_arm = (l & 0xd001) == 0xc000;

	if ((h & 0xf800) != 0xf000 ||
	    ((l & 0xd000) != 0xd000 && !to_arm && (!jumps || (l & 0xd000) != 0x9000)))
		return false;
	*target = thumb_target(addr, h, l, to_arm);
	return true;
}

bool code_target_before(const struct disasm_code *c, uint64_t addr, bool jumps, uint64_t *target)
{
	const struct code_part *part = code_part_at(c, addr);
	uint64_t n = part ? addr - part->lo : 0;
	const uint8_t *p = part ? part->data + n : NULL;
	uint32_t w;

	if (n < 4)
		return false;
	switch (c->arch) {
	case CODE_X86:
	case CODE_X86_64: return x86_to(c, addr, p, n, jumps, target);
	case CODE_ARM64:
		w = le32(p - 4);
		if (addr & 3 || (w & (jumps ? 0x7c000000u : 0xfc000000u)) !=
				    (jumps ? 0x14000000u : 0x94000000u))
			return false;
		*target = addr - 4 + extend((uint64_t)w << 2, 28);
		return true;
	case CODE_ARM:
		/* Of two that fit the one that stays in the code. */
		if (!(addr & 3) && arm_to(addr, p, n, jumps, target) && code_holds(c, *target))
			return true;
		return !(addr & 1) && thumb_to(addr, p, n, jumps, target);
	default: return false;
	}
}

/* Forward: what begins here ends there, one bit for each end. */
static void x86_sites(const struct disasm_code *c, const struct code_part *part, uint8_t *ends)
{
	const uint8_t *p = part->data, *last = p + part->size;

	for (; p < last; p++) {
		uint64_t left = (uint64_t)(last - p), at = (uint64_t)(p - part->data), n = 0;

		if (*p == 0xe8 && left >= 5 &&
		    code_holds(c, x86_target(c, part->lo + at + 5, p + 1)))
			n = 5;
		else if (*p == 0xff && left >= 2)
			n = x86_indirect(p[1], left > 2 ? p[2] : 0);
		if (n && n <= left)
			ends[(at + n) / 8] |= (uint8_t)(1u << (at + n) % 8);
	}
}

static void disasm_code_part_sites(const struct disasm_code *c, const struct code_part *part,
				   uint64_t **sites, size_t *n, size_t *cap)
{
	uint64_t step = code_alignment(c->arch), at;
	uint8_t *ends;

	if (step > 1) {
		/* Aligned as addresses are, not as the part is. */
		for (at = -part->lo & (step - 1); at <= part->size; at += step)
			if (code_call_before(c, part->lo + at))
				VEC_PUSH(*sites, *n, *cap) = part->lo + at;
		return;
	}
	ends = mem_zalloc((size_t)(part->size / 8 + 1));
	x86_sites(c, part, ends);
	for (uint64_t byte = 0; byte <= part->size / 8; byte++)
		for (unsigned bit = 0; ends[byte] >> bit; bit++)
			if (ends[byte] >> bit & 1)
				VEC_PUSH(*sites, *n, *cap) = part->lo + byte * 8 + bit;
	free(ends);
}

size_t code_sites(const struct disasm_code *c, uint64_t **sites)
{
	size_t n = 0, cap = 0;

	*sites = NULL;
	for (size_t i = 0; c->arch && i < c->n; i++)
		disasm_code_part_sites(c, &c->parts[i], sites, &n, &cap);
	return n;
}

uint64_t code_chance(const struct disasm_code *c, uint64_t n)
{
	uint64_t hits = 0, step = code_alignment(c->arch);

	for (uint64_t i = 0; c->size && i < n; i++) {
		uint64_t at = hash_u64(i + 1) % c->size;
		size_t part = 0;

		while (at >= c->parts[part].size)
			at -= c->parts[part++].size;
		hits += code_call_before(c, (c->parts[part].lo + at) & -step);
	}
	return hits;
}
