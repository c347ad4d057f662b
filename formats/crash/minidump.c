/* SPDX-License-Identifier: MIT
 *
 * Minidumps as captures: a sample for each thread, that of the crash first. Of a stack, the place where the thread
 * stopped is known; its callers are found by the unwind tables of binaries or symbol files, which the caller of the reader
 * opens (import_options.walker), else by frame pointers, where the platform's compilers keep them.
 */
#include "formats/minidump.h"
#include "formats/emit.h"

#include "lib/base/bytes.h"
#include "lib/base/frame_walk.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/trace/module_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREAD = 48,
	THREAD_NAME = 12,
	THREADS_MAX = 1 << 16,
	EXCEPTION = 168,
	CONTEXT_MAX = 2048,
	DEEPEST = 1024,
};

/* Where registers are in a context of the processor: the next instruction, and those that frame_walk.h numbers. */
static const struct processor {
	uint16_t id;
	uint8_t frame, word; /* enum frame_processor; bytes */
	uint8_t n, fp; /* registers; the frame pointer; 0: compilers do not agree which one it is */
	uint16_t pc, first, size; /* first: of the registers, in their order; x86_registers */
} processors[] = {
    {MINIDUMP_X86, FRAME_X86, 4, 8, FRAME_RBP, 0xb8, 0, 0xc8},
    {MINIDUMP_X86_64, FRAME_X86_64, 8, 16, FRAME_RBP, 0xf8, 0x78, 0x100},
    {MINIDUMP_ARM, FRAME_ARM, 4, 16, 0, 0x40, 0x04, 0x44},
    {MINIDUMP_ARM64, FRAME_ARM64, 8, 32, FRAME_ARM64_FP, 0x108, 0x08, 0x110},
    {MINIDUMP_ARM64_OLD, FRAME_ARM64, 8, 32, FRAME_ARM64_FP, 0x108, 0x08, 0x110},
};

struct dump_thread {
	uint32_t id;
	uint64_t stack_lo; /* of the memory at place */
	struct minidump_place stack, context;
};

struct dump {
	struct import *im;
	struct minidump d;
	const struct processor *processor; /* NULL: none that is known */
	struct dump_thread *threads;
	size_t n_threads, cap_threads;
	bool has_exception;
	uint32_t crashed, code;        /* thread, and what happened */
	struct minidump_place context; /* of the exception */
	struct module_index *modules;
	struct minidump_module *loaded; /* by lo */
	size_t n_loaded;
	uint64_t by_tables, by_pointers; /* calls that each gave */
	uint64_t alone;                  /* stacks of one call */
	uint64_t outside;                /* stacks that tables lead out of all modules */
	uint64_t
	    unended; /* stacks of more, without calls by frame pointers, that tables do not end */
};

static void dump_read_threads(struct dump *x)
{
	uint64_t first = 0;
	uint32_t n = minidump_list(&x->d, MINIDUMP_THREADS, THREAD, &first);
	struct err ignored = ERR_INIT;

	for (uint32_t i = 0; i < n && i < THREADS_MAX; i++) {
		uint8_t row[THREAD];

		if (minidump_read(&x->d, first + (uint64_t)i * THREAD, row, sizeof row, "thread",
				  &ignored))
			return;
		VEC_PUSH(x->threads, x->n_threads, x->cap_threads) =
		    (struct dump_thread){.id = le32(row),
					 .stack_lo = le64(row + 24),
					 .stack = {le32(row + 36), le32(row + 32)},
					 .context = {le32(row + 44), le32(row + 40)}};
	}
}

static void dump_read_exception(struct dump *x)
{
	struct err ignored = ERR_INIT;
	struct minidump_place p;
	uint8_t row[EXCEPTION];

	if (!minidump_find(&x->d, MINIDUMP_EXCEPTION, &p) || p.size < EXCEPTION ||
	    minidump_read(&x->d, p.at, row, sizeof row, "exception", &ignored))
		return;
	x->has_exception = true;
	x->crashed = le32(row);
	x->code = le32(row + 8);
	x->context = (struct minidump_place){le32(row + 164), le32(row + 160)};
}

static const char *windows_code(uint32_t code)
{
	switch (code) {
	case 0x40000015: return "FATAL_APP_EXIT";
	case 0x80000003: return "EXCEPTION_BREAKPOINT";
	case 0x80000004: return "EXCEPTION_SINGLE_STEP";
	case 0xc0000005: return "EXCEPTION_ACCESS_VIOLATION";
	case 0xc0000006: return "EXCEPTION_IN_PAGE_ERROR";
	case 0xc0000017: return "NO_MEMORY";
	case 0xc000001d: return "EXCEPTION_ILLEGAL_INSTRUCTION";
	case 0xc0000094: return "EXCEPTION_INT_DIVIDE_BY_ZERO";
	case 0xc00000fd: return "EXCEPTION_STACK_OVERFLOW";
	case 0xc0000374: return "HEAP_CORRUPTION";
	case 0xc0000409: return "STACK_BUFFER_OVERRUN";
	case 0xe06d7363: return "C++ exception";
	default: return NULL;
	}
}

static const char *linux_code(uint32_t code)
{
	switch (code) {
	case 4: return "SIGILL";
	case 5: return "SIGTRAP";
	case 6: return "SIGABRT";
	case 7: return "SIGBUS";
	case 8: return "SIGFPE";
	case 11: return "SIGSEGV";
	case 0xffffffff: return "DUMP_REQUESTED";
	default: return NULL;
	}
}

static const char *mac_code(uint32_t code)
{
	switch (code) {
	case 1: return "EXC_BAD_ACCESS";
	case 2: return "EXC_BAD_INSTRUCTION";
	case 3: return "EXC_ARITHMETIC";
	case 5: return "EXC_SOFTWARE";
	case 6: return "EXC_BREAKPOINT";
	case 10: return "EXC_CRASH";
	case 11: return "EXC_RESOURCE";
	case 12: return "EXC_GUARD";
	default: return NULL;
	}
}

static uint32_t exception_marker(struct dump *x)
{
	char text[32];
	const char *name = NULL;

	switch (x->d.platform) {
	case MINIDUMP_WINDOWS: name = windows_code(x->code); break;
	case MINIDUMP_LINUX:
	case MINIDUMP_ANDROID: name = linux_code(x->code); break;
	case MINIDUMP_MAC:
	case MINIDUMP_IOS: name = mac_code(x->code); break;
	default: break;
	}
	if (!name) {
		snprintf(text, sizeof text, "exception 0x%" PRIx32, x->code);
		name = text;
	}
	return trace_marker(x->im->t,
			    &(struct marker){trace_string(x->im->t, name, strlen(name)), 0});
}

/* n bytes of the thread's stack. False: the dump does not have them. */
static bool stack_word(const struct dump *x, const struct dump_thread *th, uint64_t address,
		       uint64_t *v)
{
	struct err ignored = ERR_INIT;
	const size_t n = x->processor->word;
	uint64_t from = address - th->stack_lo;
	uint8_t bytes[8];

	if (address < th->stack_lo || from >= th->stack.size || n > th->stack.size - from ||
	    minidump_read(&x->d, th->stack.at + from, bytes, n, "stack", &ignored))
		return false;
	*v = n == 4 ? le32(bytes) : le64(bytes);
	return true;
}

static bool in_module(const struct dump *x, uint64_t address)
{
	const struct map_range *range;

	return module_index_at(x->modules, 0, 0, address, &range);
}

/* The stack of one thread. */
struct dump_memory {
	const struct dump *x;
	const struct dump_thread *th;
};

static bool dump_word(void *arg, uint64_t address, uint64_t *v)
{
	const struct dump_memory *m = arg;

	return stack_word(m->x, m->th, address, v);
}

/* Pointers of arm64 may have a signature above the address. */
static bool lead_into_module(const struct dump *x, uint64_t *pc)
{
	const uint64_t plain = *pc & ((UINT64_C(1) << 47) - 1);

	if (in_module(x, *pc))
		return true;
	if (x->processor->frame != FRAME_ARM64 || !in_module(x, plain))
		return false;
	*pc = plain;
	return true;
}

/* STEP_OUTSIDE: the caller is in no module; STEP_END: there is none. */
enum step { STEP_NONE, STEP_DONE, STEP_OUTSIDE, STEP_END };

/* One step by unwind tables. */
static enum step unwind(const struct dump *x, const struct dump_thread *th, struct frame_state *s)
{
	const struct frame_walker *walker = x->im->options->walker;
	struct dump_memory memory = {x, th};
	struct frame_state caller = *s;
	const uint64_t at = s->pc - s->is_caller;
	const size_t n = BISECT(i, 0, x->n_loaded, x->loaded[i].lo <= at);
	const struct minidump_module *in = n ? &x->loaded[n - 1] : NULL;
	struct frame_module m;

	if (!walker || !in || at >= in->hi)
		return STEP_NONE;
	m = (struct frame_module){.name = trace_text(x->im->t, in->name),
				  .id = in->id,
				  .n_id = in->n_id,
				  .is_partial = in->is_partial,
				  .base = in->lo};
	if (!walker->step(walker->arg, &m, &(struct frame_memory){dump_word, &memory}, &caller))
		return STEP_NONE;
	if (!lead_into_module(x, &caller.pc))
		return caller.pc ? STEP_OUTSIDE : STEP_END;
	*s = caller;
	return STEP_DONE;
}

/* Windows' compilers for x64 keep no frame pointers. */
static bool keeps_frames(const struct dump *x)
{
	return x->processor->fp &&
	       (x->processor->id != MINIDUMP_X86_64 || x->d.platform != MINIDUMP_WINDOWS);
}

static uint32_t dump_location(struct dump *x, uint64_t address, enum location_kind kind)
{
	return trace_location(
	    x->im->t,
	    &(struct location){.raw = address, .space = SPACE_RUNTIME, .kind = (uint8_t)kind});
}

static uint64_t context_word(const struct processor *p, const uint8_t *at)
{
	return p->word == 4 ? le32(at) : le64(at);
}

/* That of x86 has eax, ecx, edx, ebx, then esi, edi downwards; ebp and esp lie elsewhere. */
static const uint16_t x86_registers[] = {0xb0, 0xac, 0xa8, 0xa4, 0xc4, 0xb4, 0xa0, 0x9c};

static struct frame_state registers_of(const struct processor *p, const uint8_t *context)
{
	struct frame_state s = {.processor = p->frame, .pc = context_word(p, context + p->pc)};

	for (size_t i = 0; i < p->n; i++) {
		size_t at = p->frame == FRAME_X86 ? x86_registers[i] : p->first + i * p->word;

		s.r[i] = context_word(p, context + at);
		s.known |= UINT32_C(1) << i;
	}
	return s;
}

/* Where the thread stopped, the function of arm64 may have no frame: then lr leads to its caller, and the frame pointer is
 * the caller's. It may also be left from a call that has ended; which of both is not known, as Breakpad has it. */
static bool follow_link(const struct dump *x, const struct frame_state *s, uint64_t *caller)
{
	*caller = s->r[FRAME_ARM64_LR];
	return x->processor->frame == FRAME_ARM64 && !s->is_caller &&
	       s->known >> FRAME_ARM64_LR & 1 && lead_into_module(x, caller);
}

/* One step by frame pointers. */
static bool follow_frame(const struct dump *x, const struct dump_thread *th, struct frame_state *s)
{
	const uint8_t word = x->processor->word, fp = x->processor->fp;
	const uint64_t at = s->r[fp];
	uint64_t next, caller;

	if (!keeps_frames(x) || !(s->known >> fp & 1))
		return false;
	if (follow_link(x, s, &caller)) {
		*s = (struct frame_state){.processor = s->processor,
					  .is_caller = true,
					  .pc = caller,
					  .r[FRAME_ARM64_FP] = at,
					  .known = UINT32_C(1) << FRAME_ARM64_FP};
		return true;
	}
	if (!at || at % word || !stack_word(x, th, at, &next) ||
	    !stack_word(x, th, at + word, &caller) || !lead_into_module(x, &caller))
		return false;
	*s = (struct frame_state){.processor = s->processor, .is_caller = true, .pc = caller};
	s->r[frame_sp(s)] = at + 2 * word;
	s->known = UINT32_C(1) << frame_sp(s);
	if (next > at) {
		s->r[fp] = next;
		s->known |= UINT32_C(1) << fp;
	}
	return true;
}

/* The calls, innermost first; 0: there is no context. */
static size_t walk(struct dump *x, const struct dump_thread *th, uint32_t *line)
{
	const struct processor *p = x->processor;
	const struct minidump_place *context =
	    x->has_exception && th->id == x->crashed && x->context.size ? &x->context
									: &th->context;
	struct err ignored = ERR_INIT;
	uint8_t bytes[CONTEXT_MAX];
	struct frame_state s;
	enum step step = STEP_NONE;
	bool guessed = false;
	size_t n = 0;

	if (!p || context->size < p->size ||
	    minidump_read(&x->d, context->at, bytes, p->size, "context", &ignored))
		return 0;
	s = registers_of(p, bytes);
	line[n++] = dump_location(x, s.pc, LOCATION_EXACT);
	while (n < DEEPEST && (step = unwind(x, th, &s)) < STEP_OUTSIDE) {
		if (step == STEP_DONE) {
			x->by_tables++;
		} else if (follow_frame(x, th, &s)) {
			x->by_pointers++;
			guessed = true;
		} else {
			break;
		}
		line[n++] = dump_location(x, s.pc, LOCATION_RETURN);
	}
	x->outside += step == STEP_OUTSIDE;
	x->alone += n == 1 && step < STEP_OUTSIDE;
	x->unended += n > 1 && !guessed && step < STEP_OUTSIDE;
	return n;
}

static uint32_t thread_name(const struct dump *x, uint32_t id)
{
	uint64_t first = 0;
	uint32_t n = minidump_list(&x->d, MINIDUMP_THREAD_NAMES, THREAD_NAME, &first);
	struct err ignored = ERR_INIT;
	uint8_t row[THREAD_NAME];

	for (uint32_t i = 0; i < n && i < THREADS_MAX; i++) {
		if (minidump_read(&x->d, first + (uint64_t)i * THREAD_NAME, row, sizeof row,
				  "thread name", &ignored))
			break;
		if (le32(row) == id)
			return minidump_string(&x->d, le64(row + 4), x->im->t);
	}
	return 0;
}

static enum status dump_push_thread(struct dump *x, const struct dump_thread *th, uint32_t marker,
				    struct err *e)
{
	uint32_t *line = mem_array(DEEPEST, sizeof *line);
	size_t n = walk(x, th, line);
	uint32_t stack = trace_stack_of(x->im->t, line, n);
	struct emit_sample sample = {.stack = stack, .marker = marker, .calls = KNOWN(1)};

	free(line);
	if (!stack)
		return ST_OK;
	sample.thread =
	    trace_thread(x->im->t, &(struct thread){.tid = th->id, .name = thread_name(x, th->id)});
	return emit_sample(x->im, &sample, e);
}

/* Which of the threads, whose stacks reports rank by their number, is that of the crash. */
static void say_crash(const struct dump *x, uint32_t marker)
{
	struct trace *t = x->im->t;
	char text[96];

	snprintf(text, sizeof text, "%.60s in thread %" PRIu32,
		 intern_text(&t->strings, t->markers[marker].name, NULL), x->crashed);
	trace_set(t, "crash", text);
	snprintf(text, sizeof text, "%" PRIu32, x->crashed);
	trace_set(t, "crash.thread", text);
}

static enum status dump_push_threads(struct dump *x, struct err *e)
{
	struct trace *t = x->im->t;
	uint32_t crash = x->has_exception ? exception_marker(x) : 0;
	uint32_t other = trace_marker(
	    t, &(struct marker){trace_string(t, x->has_exception ? "other thread" : "thread",
					     x->has_exception ? 12 : 6),
				0});
	enum status st;

	if (crash)
		say_crash(x, crash);
	st = import_begin(x->im, e);
	for (int crashed = 1; crashed >= 0; crashed--)
		for (size_t i = 0; !st && i < x->n_threads; i++) {
			bool is = x->has_exception && x->threads[i].id == x->crashed;

			if (is == (crashed == 1))
				st = dump_push_thread(x, &x->threads[i], is ? crash : other, e);
		}
	return st;
}

static void dump_add_notes(const struct dump *x)
{
	/* whose programs have no unwind tables */
	const bool x86 = x->processor && x->processor->frame == FRAME_X86;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, x->by_tables, "callers were found by unwind tables"),
	    LOSS(NOTE_GUESS, x->by_pointers,
		 "callers were found by frame pointers (functions that keep none are missing)"),
	    LOSS(NOTE_LOSS, x86 ? 0 : x->alone,
		 "stacks have only the innermost call (tm-import --unwind FILE finds callers, with "
		 "the .exe or .dll of that call)"),
	    LOSS(NOTE_LOSS, x86 ? x->alone : 0,
		 "stacks have only the innermost call (tm-import --unwind FILE finds callers, with "
		 "a Breakpad .sym file of that call's module)"),
	    LOSS(NOTE_INFO, x->unended,
		 "stacks were walked by unwind tables, up to a module whose file was not given"),
	    LOSS(NOTE_INFO, x->outside,
		 "stacks end at a caller that is in no module, such as code made at run time"),
	    LOSS_IF(NOTE_LOSS, !x->processor, "the processor of the minidump is not known"),
	};

	TRACE_LOSSES(x->im->t, losses);
}

static enum status minidump_capture(struct import *im, struct err *e)
{
	struct dump x = {.im = im, .d = {.in = im->in}};
	const char *cut;
	enum status st = input_random(im->in, e);

	x.d.size = im->in->size;
	if (!st)
		st = minidump_open(&x.d, e);
	if (st)
		return st;
	cut = minidump_cut(&x.d);
	if (!im->options->maps)
		st = minidump_modules(&x.d, im->t, e);
	if (st && !cut) /* of what was cut, threads may be left */
		return st;
	for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
		if (processors[i].id == x.d.processor)
			x.processor = &processors[i];
	dump_read_threads(&x);
	dump_read_exception(&x);
	if (!x.n_threads)
		return cut ? err_at(e, ST_BAD, x.d.size, "minidump: cut short: %s is missing", cut)
			   : err_at(e, ST_BAD, 0, "the minidump has no threads");
	x.modules = module_index_new(im->t);
	x.n_loaded = minidump_loaded(&x.d, im->t, &x.loaded);
	st = dump_push_threads(&x, e);
	if (!st)
		dump_add_notes(&x);
	if (!st && cut)
		st = err_at(e, ST_BAD, x.d.size, "minidump: cut short: %s is missing", cut);
	module_index_free(x.modules);
	free(x.loaded);
	free(x.threads);
	return st;
}

static int minidump_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return minidump_is(head, n) && n >= 6 && le16(head + 4) == 0xa793 ? 48 : 0;
}

const struct reader reader_minidump = {
    .name = "minidump",
    .family = "Logs",
    .page = "crash",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_THREADS |
		    CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "minidumps of Windows, Breakpad and Crashpad: threads of a crash",
    .suffixes = "dmp,mdmp",
    .cut = CUT_NEVER,
    .bid = minidump_bid,
    .read = minidump_capture,
};
