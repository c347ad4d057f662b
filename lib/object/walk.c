/* SPDX-License-Identifier: MIT */
#include "lib/object/walk.h"

#include "lib/object/breakpad_stack.h"
#include "lib/object/pe_walk.h"

static uint32_t arch_of_frame(const struct frame_state *s)
{
	switch (s->processor) {
	case FRAME_X86_64: return ARCH_X86_64;
	case FRAME_X86: return ARCH_X86;
	case FRAME_ARM64: return ARCH_ARM64;
	case FRAME_ARM: return ARCH_ARM;
	default: return ARCH_UNKNOWN;
	}
}

bool object_walk(const struct object *o, uint64_t base, const struct frame_memory *memory,
		 struct frame_state *s)
{
	const struct object_image *f = &o->file;
	const uint64_t rva = s->pc - s->is_caller - base;
	const unsigned sp = frame_sp(s);
	const bool may_stay =
	    !s->is_caller && (s->processor == FRAME_ARM64 || s->processor == FRAME_ARM);
	struct frame_state caller = *s;
	bool done = false;

	if (s->processor == FRAME_NO_PROCESSOR || f->arch != arch_of_frame(s) || rva > UINT32_MAX)
		return false;
	if (f->source && f->source->kind == &source_breakpad)
		done = breakpad_walk(f->source, base, memory, &caller);
	else if (f->format->about.pdata && s->processor == FRAME_X86_64)
		done = pe_walk_x64(f, (uint32_t)(s->pc - base), memory, &caller);
	else if (f->format->about.pdata && s->processor == FRAME_ARM64)
		done = pe_walk_arm64(f, (uint32_t)rva & ~UINT32_C(3), memory, &caller);
	if (!done || caller.r[sp] < s->r[sp] || (caller.r[sp] == s->r[sp] && !may_stay))
		return false;
	caller.is_caller = true;
	*s = caller;
	return true;
}
