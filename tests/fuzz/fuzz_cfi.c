/* SPDX-License-Identifier: MIT
 *
 * lib/recorder/stacks/cfi.c and unwind.c: tables and a stack of any bytes. Nothing outside
 * of either is read, which the sanitizers see; a rule is one that the walk can follow; both walks
 * end, go upwards, and find no more than they may.
 *
 * The input: where .eh_frame_hdr is in the tables (u32), the address asked for, from there (i32),
 * bytes of stack (u16), where in the stack the frame is (u16); the tables, then the stack. A word
 * of the stack that begins with the bytes fa de is an address within it.
 */
#include "lib/recorder/stacks/unwind.h"
#include "tests/fuzz/forge.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 64 };

static void walk(const uint8_t *bytes, size_t n, size_t at, uint64_t pc,
		 const struct cfi_rule *rule)
{
	static struct cap_rules rules;
	size_t words = n / sizeof(uintptr_t), i = (pc ^ pc >> 11) % CAP_RULES;
	uintptr_t *stack = malloc(words * sizeof *stack + 1), lo = (uintptr_t)stack;
	uintptr_t hi = lo + words * sizeof *stack, from = lo + at / sizeof *stack * sizeof *stack;
	uint64_t found[MOST];
	unsigned k;

	if (!stack)
		abort();
	memcpy(stack, bytes, words * sizeof *stack);
	for (size_t w = 0; w < words; w++)
		if (stack[w] >> (sizeof *stack * 8 - 16) == 0xfade)
			stack[w] = lo + (stack[w] & 0xffff);
	k = cap_unwind_fp((const void *)from, hi, found, MOST);
	if (k > MOST || k > words)
		abort();
	rules.row[i].pc = pc;
	rules.row[i].rule = *rule;
	found[0] = pc;
	k = cap_unwind_cfi(&rules, from, lo + n / 2, hi, found, MOST);
	if (k > MOST || k > words + 1)
		abort();
	rules.row[i].pc = 0;
	free(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint16_t stack, at;
	struct cfi_rule rule;
	uint8_t *tables;
	uint32_t where;
	int32_t delta;
	uint64_t pc;

	if (n < 12)
		return 0;
	memcpy(&where, data, 4);
	memcpy(&delta, data + 4, 4);
	memcpy(&stack, data + 8, 2);
	memcpy(&at, data + 10, 2);
	data += 12;
	n -= 12;
	if (stack > n)
		stack = (uint16_t)n;
	n -= stack;
	tables = malloc(n + 1);
	if (!tables)
		abort();
	memcpy(tables, data, n);
	where = n ? where % (uint32_t)n : 0;
	pc = (uintptr_t)tables + where + (uint64_t)(int64_t)delta;
	rule = cfi_search(tables, tables + n, tables + where, pc);
	if (rule.kind > CFI_NO_TABLE ||
	    (rule.kind < CFI_OUTERMOST && rule.kind && rule.fp_at_fp && rule.fp == CFI_NOT_SAVED))
		abort();
	walk(data + n, stack, at, pc, &rule);
	free(tables);
	return 0;
}

#ifdef LIBFUZZER

enum { INPUT_HEAD = 12 };

static void put32(struct forge *f, size_t at, uint64_t v)
{
	if (at + 4 <= f->n)
		for (size_t i = 0; i < 4; i++)
			f->out[at + i] = (uint8_t)(v >> 8 * i);
}

static uint64_t some_register(struct forge *f)
{
	static const uint8_t registers[] = {6, 7, 16, 29, 30, 31, 3};

	return forge_one_in(f, 16) ? forge_number(f) : registers[forge_below(f, sizeof registers)];
}

static void forge_expression(struct forge *f)
{
	bool simple = !forge_one_in(f, 4);

	forge_uleb(f, simple ? 3 : 2);
	forge_le(f, 0x76, 1); /* DW_OP_breg6 */
	forge_le(f, forge_below(f, 0x80), 1);
	if (simple)
		forge_le(f, 0x06, 1);
}

static void forge_instruction(struct forge *f)
{
	/* Operands: r register, n number, 1 2 4 bytes, p pointer, e expression. */
	static const struct {
		uint8_t op;
		char operands[3];
	} all[] = {{0x00, ""},   {0x01, "p"},  {0x02, "1"},  {0x03, "2"},  {0x04, "4"},
		   {0x05, "rn"}, {0x06, "r"},  {0x07, "r"},  {0x08, "r"},  {0x09, "rr"},
		   {0x0a, ""},   {0x0b, ""},   {0x0c, "rn"}, {0x0d, "r"},  {0x0e, "n"},
		   {0x0f, "e"},  {0x10, "re"}, {0x11, "rn"}, {0x12, "rn"}, {0x13, "n"},
		   {0x14, "rn"}, {0x15, "rn"}, {0x16, "re"}, {0x2d, ""},   {0x2e, "n"},
		   {0x2f, "rn"}, {0x41, ""},   {0x44, ""},   {0x86, "n"},  {0x90, "n"},
		   {0x9d, "n"},  {0xc6, ""},   {0xd0, ""},   {0x3f, ""}};
	uint32_t which = forge_below(f, sizeof all / sizeof *all);

	forge_le(f, all[which].op, 1);
	for (const char *o = all[which].operands; *o; o++)
		switch (*o) {
		case 'r': forge_uleb(f, some_register(f)); break;
		case 'n':
			forge_uleb(f,
				   forge_one_in(f, 16) ? forge_number(f) : forge_below(f, 12) * 8);
			break;
		case '1': forge_le(f, forge_below(f, 16), 1); break;
		case '2': forge_le(f, forge_below(f, 64), 2); break;
		case 'e': forge_expression(f); break;
		default: forge_le(f, forge_below(f, 256), 4);
		}
}

/* Length, which end() puts right, then a CIE's or an FDE's own. */
static size_t begin(struct forge *f)
{
	forge_le(f, 0, 4);
	return f->n;
}

static void end(struct forge *f, size_t from)
{
	while ((f->n - from) % 4 && f->n < f->max)
		forge_le(f, 0, 1);
	put32(f, from - 4, f->n - from);
}

static void forge_whole(struct forge *f)
{
	static const char *const augmentations[] = {"zR",   "zR",  "zR", "",   "zRS",
						    "zPLR", "zRB", "R",  "zX", NULL};
	static const uint8_t encodings[] = {0x1b, 0x1b, 0x1b, 0x0b, 0x00, 0x03,
					    0x1a, 0x02, 0x10, 0x3b, 0x09};
	const char *augmentation = forge_word(f, augmentations);
	uint8_t encoding = encodings[forge_below(f, sizeof encodings)];
	uint32_t n_fdes = 1 + forge_below(f, 3), stack = 8 * forge_below(f, 32);
	size_t hdr, cie, fde[3], at;

	forge_le(f, 0, 4); /* where .eh_frame_hdr is */
	forge_le(f, 0x1000 + forge_below(f, 0x60), 4);
	forge_le(f, stack, 2);
	forge_le(f, forge_below(f, stack + 1), 2);
	hdr = f->n;
	forge_le(f, 0x3b031b01, 4); /* version 1; pcrel sdata4, udata4, datarel sdata4 */
	forge_le(f, 0, 4);
	forge_le(f, n_fdes, 4);
	for (uint32_t i = 0; i < n_fdes; i++)
		forge_le(f, 0, 8);
	put32(f, hdr + 4, f->n - (hdr + 4));
	cie = begin(f);
	forge_le(f, 0, 4);
	forge_le(f, forge_one_in(f, 4) ? 3 : 1, 1);
	forge_bytes(f, augmentation, strlen(augmentation) + 1);
	forge_uleb(f, 1);
	forge_le(f, 0x78, 1); /* -8 */
	forge_uleb(f, forge_one_in(f, 12) ? 30 : 16);
	if (*augmentation == 'z') {
		at = f->n;
		forge_le(f, 0, 1);
		for (const char *a = augmentation + 1; *a; a++) {
			if (*a == 'R')
				forge_le(f, encoding, 1);
			if (*a == 'L' || *a == 'P')
				forge_le(f, 0x0b, 1);
			if (*a == 'P')
				forge_le(f, 0, 4);
		}
		if (at < f->n)
			f->out[at] = (uint8_t)(f->n - at - 1);
	}
	forge_bytes(f, "\x0c\x07\x08\x90\x01", 5); /* def_cfa rsp + 8; ra at cfa - 8 */
	end(f, cie);
	for (uint32_t i = 0; i < n_fdes; i++) {
		uint32_t start = 0x1000 + 0x20 * i;

		fde[i] = begin(f);
		forge_le(f, f->n - (cie - 4), 4);
		/* relative to itself, or as it is, which is no address here */
		forge_le(f, encoding >> 4 == 1 ? hdr + start - f->n : start,
			 encoding & 0x0f ? 4 : 8);
		forge_le(f, 0x20, encoding & 0x0f ? 4 : 8);
		if (*augmentation == 'z')
			forge_uleb(f, 0);
		for (uint32_t k = forge_below(f, 8); k > 0; k--)
			forge_instruction(f);
		end(f, fde[i]);
		put32(f, hdr + 12 + 8 * i, start);
		put32(f, hdr + 16 + 8 * i, fde[i] - 4 - hdr);
	}
	for (uint32_t i = 0; i < stack / 8; i++) {
		forge_le(f,
			 forge_one_in(f, 3) ? forge_below(f, stack + 1) | (uint64_t)0xfade << 48
					    : forge_number(f),
			 8);
	}
}

static const struct forge_kind forge = {forge_whole, NULL, NULL, INPUT_HEAD, NULL};
FORGE(forge)

#endif
