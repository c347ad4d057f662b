/* SPDX-License-Identifier: MIT */
#include "lib/disasm/disasm.h"

#include "lib/base/mem.h"
#include "lib/base/shared_library.h"

#include <capstone/capstone.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_PROLOGUE = 1 << 16 }; /* instructions without a call: data, not code */

struct disasm {
	const struct disasm_code *code;
	csh handle;
	cs_insn *insn;
	unsigned step; /* over what is no instruction */
};

static void *disasm_alloc_zeroed(size_t n, size_t size)
{
	return mem_zarray(n, size);
}

static void *disasm_alloc_again(void *p, size_t n)
{
	return mem_realloc(p, n, 1);
}

#define TEXT_OF(x)    #x
#define SONAME(major) "libcapstone.so." TEXT_OF(major)

static struct {
	__typeof__(&cs_option) option;
	__typeof__(&cs_open) open;
	__typeof__(&cs_close) close;
	__typeof__(&cs_malloc) new_instruction;
	__typeof__(&cs_free) free_instructions;
	__typeof__(&cs_disasm_iter) next;
} capstone;

static struct err why_not = ERR_INIT; /* capstone is not loaded */

/* Capstone 4 does not check what its own malloc gives. */
static void load_capstone(void)
{
	static const struct shared_function functions[] = {
	    {"cs_option", &capstone.option},
	    {"cs_open", &capstone.open},
	    {"cs_close", &capstone.close},
	    {"cs_malloc", &capstone.new_instruction},
	    {"cs_free", &capstone.free_instructions},
	    {"cs_disasm_iter", &capstone.next},
	};
	cs_opt_mem memory = {mem_alloc, disasm_alloc_zeroed, disasm_alloc_again, free, vsnprintf};

	if (!shared_library_load(SONAME(CS_API_MAJOR), functions,
				 sizeof functions / sizeof *functions, &why_not))
		capstone.option(0, CS_OPT_MEM, (size_t)&memory);
}

enum status disasm_load(struct err *e)
{
	static pthread_once_t loaded = PTHREAD_ONCE_INIT;

	pthread_once(&loaded, load_capstone);
	if (why_not.code)
		*e = why_not;
	return why_not.code;
}

struct disasm *disasm_new(const struct disasm_code *c, bool thumb)
{
	static const struct {
		cs_arch arch;
		cs_mode mode;
	} known[] = {[CODE_X86] = {CS_ARCH_X86, CS_MODE_32},
		     [CODE_X86_64] = {CS_ARCH_X86, CS_MODE_64},
		     [CODE_ARM] = {CS_ARCH_ARM, CS_MODE_ARM},
		     [CODE_ARM64] = {CS_ARCH_ARM64, CS_MODE_ARM}};
	struct err e = ERR_INIT;
	struct disasm *d;
	csh handle;

	if (disasm_load(&e) || !c->arch ||
	    capstone.open(known[c->arch].arch,
			  c->arch == CODE_ARM && thumb ? CS_MODE_THUMB : known[c->arch].mode,
			  &handle) != CS_ERR_OK)
		return NULL;
	d = mem_zalloc(sizeof *d);
	d->code = c;
	d->handle = handle;
	d->insn = capstone.new_instruction(handle);
	d->step = c->arch == CODE_ARM && !thumb ? 4 : code_alignment(c->arch);
	return d;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	capstone.free_instructions(d->insn, 1);
	capstone.close(&d->handle);
	free(d);
}

bool disasm_at(struct disasm *d, uint64_t addr, uint64_t end, struct instruction *out)
{
	const struct code_part *p = code_part_at(d->code, addr + 1);
	const uint8_t *bytes;
	uint64_t at = addr;
	size_t n;

	if (!p || addr < p->lo || addr - p->lo >= p->size || addr >= end)
		return false;
	bytes = p->data + (addr - p->lo);
	n = (size_t)(p->size - (addr - p->lo));
	if (n > end - addr)
		n = (size_t)(end - addr);
	*out = (struct instruction){.addr = addr, .bytes = bytes};
	if (capstone.next(d->handle, &bytes, &n, &at, d->insn)) {
		out->size = d->insn->size;
		out->name = d->insn->mnemonic;
		out->operands = d->insn->op_str;
		out->known = true;
		out->calls = code_call_before(d->code, addr + out->size);
	} else {
		out->size = d->step < n ? d->step : (unsigned)n;
		out->name = ".byte";
		out->operands = "";
	}
	return true;
}

static bool is_any(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (!strncmp(s, *words, strlen(*words)))
			return true;
	return false;
}

/* Saves the frame pointer, and sets it: as capstone writes them. */
static bool saves(enum code_arch arch, const struct instruction *i)
{
	if (arch == CODE_ARM64)
		return !strcmp(i->name, "stp") && !strncmp(i->operands, "x29, x30, [", 11);
	return !strcmp(i->name, "push") &&
	       (!strcmp(i->operands, "rbp") || !strcmp(i->operands, "ebp"));
}

/* The bytes that an instruction of x86 takes off the stack. */
static uint64_t takes(enum code_arch arch, const struct instruction *i)
{
	if (!strcmp(i->name, "push"))
		return arch == CODE_X86_64 ? 8 : 4;
	if (!strcmp(i->name, "sub") &&
	    is_any(i->operands, (const char *const[]){"rsp, ", "esp, ", NULL}))
		return strtoull(i->operands + 5, NULL, 0);
	return 0;
}

/* Sets the frame pointer to where it was saved: below bytes are taken off the stack since. Windows sets it into the
 * middle of the frame, too, and then no chain of frames leads through it. */
static bool sets(enum code_arch arch, const struct instruction *i, uint64_t below)
{
	static const char *const copies[] = {"rbp, rsp", "ebp, esp", NULL};
	static const char *const sums[] = {"rbp, [rsp", "ebp, [esp", NULL};
	static const char *const arm64[] = {"x29, sp", NULL};
	const char *plus = strchr(i->operands, '+');

	if (arch == CODE_ARM64)
		return (!strcmp(i->name, "mov") || !strcmp(i->name, "add")) &&
		       is_any(i->operands, arm64);
	if (!strcmp(i->name, "lea"))
		return is_any(i->operands, sums) &&
		       (plus ? strtoull(plus + 1, NULL, 0) : 0) == below;
	return !strcmp(i->name, "mov") && is_any(i->operands, copies) && !below;
}

enum prologue disasm_prologue(struct disasm *d, uint64_t lo, uint64_t hi)
{
	enum code_arch arch = d ? d->code->arch : CODE_NONE;
	struct instruction i;
	bool saved = false, framed = false, any = false;
	uint64_t below = 0;

	if (arch != CODE_X86 && arch != CODE_X86_64 && arch != CODE_ARM64)
		return PROLOGUE_UNKNOWN;
	for (unsigned n = 0; n < LIMIT_PROLOGUE && disasm_at(d, lo, hi, &i); n++) {
		/* What gcc and clang put behind a function's last call may be anything. */
		if (!i.known)
			return any ? PROLOGUE_LEAF : PROLOGUE_UNKNOWN;
		any = true;
		framed |= saved && sets(arch, &i, below);
		below += saved ? takes(arch, &i) : 0;
		saved |= saves(arch, &i);
		if (i.calls)
			return framed ? PROLOGUE_FRAME : PROLOGUE_NONE;
		lo += i.size;
	}
	return any ? PROLOGUE_LEAF : PROLOGUE_UNKNOWN;
}
