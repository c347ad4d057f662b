/* SPDX-License-Identifier: MIT
 *
 * libgcc's unwinder, for what cfi.h leaves out, and not libunwind: it is there wherever a
 * compiler's programs run (also as LLVM's libunwind, which has the same interface, under bionic),
 * needs no package, and since GCC 12 with glibc 2.35 finds a frame's tables without a lock.
 */
#include "lib/recorder/stacks/unwind.h"

#include <link.h>
#include <string.h>
#include <unwind.h>

/* Of the function that has called what has its frame here. On arm64 the frame's record is at its
 * bottom, so that of the caller is nearer. */
static inline uintptr_t caller_sp(uintptr_t at, uintptr_t caller)
{
#if defined(__aarch64__)
	return caller > at ? caller : at + 2 * sizeof at;
#else
	(void)caller;
	return at + 2 * sizeof at;
#endif
}

static inline __attribute__((always_inline)) unsigned walk_fp(const void *frame, uintptr_t hi,
							      uint64_t *pc, uintptr_t *sp,
							      unsigned max)
{
	uintptr_t at = (uintptr_t)frame;
	unsigned n = 0;

	while (CAP_HAS_FP && n < max && at < hi && hi - at >= 2 * sizeof at && !(at % sizeof at)) {
		uintptr_t pair[2];

		/* What the program keeps there is not the sanitizers' to check. */
		memcpy(pair, (const void *)at, sizeof pair);
		pair[1] = cap_code(pair[1]);
		if (!pair[1])
			break;
		if (sp)
			sp[n] = caller_sp(at, pair[0]);
		pc[n++] = pair[1];
		if (pair[0] <= at)
			break;
		at = pair[0];
	}
	return n;
}

unsigned cap_unwind_fp(const void *frame, uintptr_t hi, uint64_t *pc, unsigned max)
{
	return walk_fp(frame, hi, pc, NULL, max);
}

unsigned cap_unwind_fp_at(const void *frame, uintptr_t hi, uint64_t *pc, uintptr_t *sp,
			  unsigned max)
{
	return walk_fp(frame, hi, pc, sp, max);
}

static const struct cfi_rule *rule_at(struct cap_rules *rules, uint64_t pc)
{
	size_t i = (pc ^ pc >> 11) % CAP_RULES;

	if (rules->row[i].pc != pc) {
		rules->row[i].rule = cfi_find(pc);
		rules->row[i].pc = pc;
	}
	return &rules->row[i].rule;
}

static bool load(uintptr_t at, uintptr_t lo, uintptr_t hi, uintptr_t *v)
{
	if (at < lo || at >= hi || hi - at < sizeof *v || at % sizeof *v)
		return false;
	memcpy(v, (const void *)at, sizeof *v);
	return true;
}

static inline __attribute__((always_inline)) unsigned walk_cfi(struct cap_rules *rules,
							       uintptr_t cfa, uintptr_t fp,
							       uintptr_t hi, uint64_t *pc,
							       uintptr_t *sp, unsigned max)
{
	const uintptr_t lo = cfa;
	unsigned n = 1;

	if (!CAP_HAS_CFI)
		return 0;
	if (sp)
		sp[0] = cfa;
	while (n < max) {
		const struct cfi_rule *r = rule_at(rules, pc[n - 1]);
		uintptr_t frame, ra, caller_fp = fp;

		switch (r->kind) {
		case CFI_FROM_SP: frame = cfa + (uintptr_t)(intptr_t)r->cfa; break;
		case CFI_FROM_FP: frame = fp + (uintptr_t)(intptr_t)r->cfa; break;
		case CFI_AT_FP:
			if (!load(fp + (uintptr_t)(intptr_t)r->cfa, lo, hi, &frame))
				return n;
			break;
		case CFI_OTHER: return 0;
		default: return n;
		}
		/* The stack of the callers lies above, so this ends. */
		if (frame <= cfa || !load(frame + (uintptr_t)(intptr_t)r->ra, lo, hi, &ra))
			return n;
		if (r->fp != CFI_NOT_SAVED &&
		    !load((r->fp_at_fp ? fp : frame) + (uintptr_t)(intptr_t)r->fp, lo, hi,
			  &caller_fp))
			return n;
		ra = cap_code(ra);
		if (!ra)
			return n;
		if (sp)
			sp[n] = frame;
		pc[n++] = ra;
		fp = caller_fp;
		cfa = frame;
	}
	return n;
}

unsigned cap_unwind_cfi(struct cap_rules *rules, uintptr_t cfa, uintptr_t fp, uintptr_t hi,
			uint64_t *pc, unsigned max)
{
	return walk_cfi(rules, cfa, fp, hi, pc, NULL, max);
}

unsigned cap_unwind_cfi_at(struct cap_rules *rules, uintptr_t cfa, uintptr_t fp, uintptr_t hi,
			   uint64_t *pc, uintptr_t *sp, unsigned max)
{
	return walk_cfi(rules, cfa, fp, hi, pc, sp, max);
}

struct walk {
	uint64_t caller, *pc;
	uintptr_t *sp; /* NULL: not wanted */
	unsigned n, max, skipped;
	int found;
};

static _Unwind_Reason_Code unwind_step(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uint64_t ip = cap_code(_Unwind_GetIP(context));

	if (!w->found) {
		if (ip != w->caller)
			return ++w->skipped < 16 ? _URC_NO_REASON : _URC_END_OF_STACK;
		w->found = 1;
	}
	if (!ip || w->n == w->max)
		return _URC_END_OF_STACK;
	if (w->sp)
		w->sp[w->n] = (uintptr_t)_Unwind_GetCFA(context);
	w->pc[w->n++] = ip;
	return _URC_NO_REASON;
}

static struct {
	uintptr_t lo, hi;
} unwinder; /* its module; empty: not known, or it is ours too */

static int unwind_is_it(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t it = (uintptr_t)_Unwind_Backtrace, us = (uintptr_t)cap_unwind_tables;
	bool has_us = false;

	(void)size, (void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t lo = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uintptr_t n = info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (it - lo < n) {
			unwinder.lo = lo;
			unwinder.hi = lo + n;
		}
		has_us |= us - lo < n;
	}
	if (has_us && unwinder.lo != unwinder.hi)
		unwinder.hi = unwinder.lo;
	return unwinder.lo != 0;
}

void cap_unwind_start(void)
{
	dl_iterate_phdr(unwind_is_it, NULL);
}

static _Unwind_Reason_Code unwind_no_further(struct _Unwind_Context *context, void *arg)
{
	(void)context, (void)arg;
	return _URC_END_OF_STACK;
}

void cap_unwind_bind(void)
{
	/* A static program binds nothing, and its tables may not be found yet: that would abort. */
	if (unwinder.lo != unwinder.hi)
		_Unwind_Backtrace(unwind_no_further, NULL);
}

/* GCC's before 13 allocates with a lock of its own (object_mutex) when tables have been given to it
 * at run time (__register_frame). */
static bool unwinds(uintptr_t caller)
{
	return caller - unwinder.lo < unwinder.hi - unwinder.lo;
}

unsigned cap_unwind_tables(const void *caller, uint64_t *pc, uintptr_t *sp, unsigned max)
{
	struct walk w = {.caller = cap_code((uintptr_t)caller), .pc = pc, .sp = sp, .max = max};

	if (!unwinds(w.caller))
		_Unwind_Backtrace(unwind_step, &w);
	if (!w.n && max) {
		pc[0] = w.caller;
		if (sp)
			sp[0] = (uintptr_t)__builtin_frame_address(0);
		w.n = 1;
	}
	return w.n;
}
