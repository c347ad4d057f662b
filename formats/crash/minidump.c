/* SPDX-License-Identifier: MIT
 *
 * Minidumps as captures: a sample for each thread, that of the crash first. Of a stack, the place where the thread
 * stopped is known; its callers are found by frame pointers, where the platform's compilers keep them. Unwind tables
 * are in the binaries, which a reader of captures does not open.
 */
#include "formats/minidump.h"
#include "formats/emit.h"

#include "lib/base/bytes.h"
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

/* Where registers are in a context of the processor: the next instruction, the frame pointer, the stack. */
static const struct processor {
	uint16_t id;
	uint8_t word; /* bytes */
	uint16_t pc, fp, sp, size;
} processors[] = {
    {MINIDUMP_X86, 4, 0xb8, 0xb4, 0xc4, 0xc8},
    {MINIDUMP_X86_64, 8, 0xf8, 0xa0, 0x98, 0x100},
    {MINIDUMP_ARM, 4, 0x40, 0, 0x38, 0x44}, /* fp 0: compilers do not agree which register it is */
    {MINIDUMP_ARM64, 8, 0x108, 0xf0, 0x100, 0x110},
    {MINIDUMP_ARM64_OLD, 8, 0x108, 0xf0, 0x100, 0x110},
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
	uint64_t alone, walked; /* stacks of one call; of more */
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

/* The calls, innermost first; 0: there is no context. */
static size_t walk(struct dump *x, const struct dump_thread *th, uint32_t *line)
{
	const struct processor *p = x->processor;
	const struct minidump_place *context =
	    x->has_exception && th->id == x->crashed && x->context.size ? &x->context
									: &th->context;
	struct err ignored = ERR_INIT;
	uint8_t bytes[CONTEXT_MAX];
	uint64_t fp, pc;
	size_t n = 0;

	if (!p || context->size < p->size ||
	    minidump_read(&x->d, context->at, bytes, p->size, "context", &ignored))
		return 0;
	pc = p->word == 4 ? le32(bytes + p->pc) : le64(bytes + p->pc);
	fp = p->word == 4 ? le32(bytes + p->fp) : le64(bytes + p->fp);
	line[n++] = dump_location(x, pc, LOCATION_EXACT);
	while (keeps_frames(x) && n < DEEPEST && fp % p->word == 0) {
		uint64_t next, caller;

		if (!stack_word(x, th, fp, &next) || !stack_word(x, th, fp + p->word, &caller) ||
		    !in_module(x, caller))
			break;
		line[n++] = dump_location(x, caller, LOCATION_RETURN);
		if (next <= fp)
			break;
		fp = next;
	}
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
	x->alone += n == 1;
	x->walked += n > 1;
	if (!stack)
		return ST_OK;
	sample.thread =
	    trace_thread(x->im->t, &(struct thread){.tid = th->id, .name = thread_name(x, th->id)});
	return emit_sample(x->im, &sample, e);
}

static enum status dump_push_threads(struct dump *x, struct err *e)
{
	struct trace *t = x->im->t;
	uint32_t crash = x->has_exception ? exception_marker(x) : 0;
	uint32_t other = trace_marker(
	    t, &(struct marker){trace_string(t, x->has_exception ? "other thread" : "thread",
					     x->has_exception ? 12 : 6),
				0});
	enum status st = import_begin(x->im, e);

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
	const struct trace_loss losses[] = {
	    LOSS(NOTE_GUESS, x->walked,
		 "stacks were walked by frame pointers: a function that keeps none is missing"),
	    LOSS(NOTE_LOSS, x->alone,
		 "stacks have only the place where the thread stopped: its callers are found by "
		 "unwind "
		 "tables, which are not read"),
	    LOSS_IF(NOTE_LOSS, !x->processor, "the processor of the minidump is not known"),
	};

	TRACE_LOSSES(x->im->t, losses);
}

static enum status minidump_capture(struct import *im, struct err *e)
{
	struct dump x = {.im = im, .d = {.in = im->in}};
	enum status st = input_random(im->in, e);

	x.d.size = im->in->size;
	if (!st)
		st = minidump_open(&x.d, e);
	if (!st && !im->options->maps)
		st = minidump_modules(&x.d, im->t, e);
	if (st)
		return st;
	for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
		if (processors[i].id == x.d.processor)
			x.processor = &processors[i];
	dump_read_threads(&x);
	dump_read_exception(&x);
	if (!x.n_threads)
		return err_at(e, ST_BAD, 0, "the minidump has no threads");
	x.modules = module_index_new(im->t);
	st = dump_push_threads(&x, e);
	if (!st)
		dump_add_notes(&x);
	module_index_free(x.modules);
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
