/* SPDX-License-Identifier: MIT
 *
 * lib/recorder/stacks/cfi.c and unwind.c: tables and a stack that anybody may have written. Nothing outside
 * of either is read, which the sanitizers see; a rule is one that the walk can follow; both walks
 * end, go upwards, and find no more than they may.
 *
 * The input: where .eh_frame_hdr is in the tables (u32), the address asked for, from there (i32),
 * bytes of stack (u16), where in the stack the frame is (u16); the tables, then the stack. A word
 * of the stack that begins with the bytes fa de is an address within it.
 */
#include "lib/recorder/stacks/unwind.h"

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
