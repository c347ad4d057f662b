/* SPDX-License-Identifier: MIT
 *
 * The reference engine over an ELF file with any debug sections: its reading of units, in this
 * process, where a fuzzer sees what it reaches; and for one input of many the whole engine with its
 * workers. Scopes nest, ranges and rows are in order, what is matched holds the address.
 *
 * libdwarf is known to crash and to hang on such files, which in a worker is an answer. Here a
 * crash in it and a second of processor time end the input, and are counted and reported; reports
 * with libdwarf on their stack are passed over. Anything else is ours. Debian's 0.5.0 frees twice,
 * for ever, in dwarf_load_rnglists: this process goes without the tables of range lists, which only
 * the workers read.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/dwarf/reference/reference.h"
#include "tests/fuzz/answers.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ADDRESSES = 64, WHOLE_SHARE = 64, MOST_UNITS = 64, BURIED = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void __sanitizer_set_report_path(const char *path) __attribute__((weak));
void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));
void __asan_set_error_report_callback(void (*fn)(const char *)) __attribute__((weak));
const char *__asan_default_options(void);
int __lsan_is_turned_off(void);
int dwarf_set_de_alloc_flag(int v);

/* A free that libdwarf does twice is reported, and goes on. What our code does ends at once
 * anyway. */
const char *__asan_default_options(void)
{
	return "halt_on_error=0";
}

/* What libdwarf did not come back from is lost; a worker's end gives back everything. */
int __lsan_is_turned_off(void)
{
	return 1;
}

/* libdwarf's own: without its bookkeeping, which a worker has no use for, all would leak. */
int dwarf_set_de_alloc_flag(int v)
{
	(void)v;
	return 1;
}

typedef int load_lists_fn(void *dbg, unsigned long long *count, void *error);
load_lists_fn dwarf_load_rnglists;

static pid_t parent;
static bool foreign; /* the last report is libdwarf's */
static uintptr_t code_from, code_end;
static volatile sig_atomic_t inside;
static sigjmp_buf back;
static struct sigaction before[2]; /* of SIGSEGV and SIGBUS */

/* The text before it is the stack of the fault itself. */
static bool is_foreign(const char *text)
{
	static const char *const others[] = {"freed by thread", "allocated by thread", "SUMMARY"};
	const char *end = text + strlen(text), *lib = strstr(text, "libdwarf.so");

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const char *p = strstr(text, others[i]);

		if (p && p < end)
			end = p;
	}
	return lib && lib < end;
}

static void on_report(const char *text)
{
	foreign = is_foreign(text);
	if (getpid() == parent && foreign)
		return;
	if (getpid() == parent)
		abort();
	if (!foreign)
		kill(parent, SIGABRT);
	_exit(1); /* a worker that libdwarf has ended */
}

static void on_death(void)
{
	if (getpid() != parent && !foreign)
		kill(parent, SIGABRT);
}

static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; strstr(info->dlpi_name, "libdwarf.so") && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			code_from = info->dlpi_addr + p->p_vaddr;
			code_end = code_from + p->p_memsz;
		}
	}
	return 0;
}

static bool in_libdwarf(const void *context)
{
#ifdef __x86_64__
	const ucontext_t *u = context;
	uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];

	return inside && pc >= code_from && pc < code_end;
#else
	(void)context;
	return false;
#endif
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *old = &before[sig == SIGBUS];

	if (in_libdwarf(context))
		siglongjmp(back, 1);
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(sig, info, context);
		return;
	}
	signal(sig, SIG_DFL); /* and again, without us */
}

static void time_from_now(int ms)
{
	const struct itimerval t = {.it_value = {ms / 1000, ms % 1000 * 1000L}};

	setitimer(ITIMER_PROF, &t, NULL);
}

static void on_time(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (in_libdwarf(context))
		siglongjmp(back, 2);
	if (inside)
		time_from_now(20);
}

int dwarf_load_rnglists(void *dbg, unsigned long long *count, void *error)
{
	static load_lists_fn *real;

	if (getpid() == parent)
		return -1; /* DW_DLV_NO_ENTRY */
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "dwarf_load_rnglists");
	return real(dbg, count, error);
}

static void set_up(void)
{
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction timer = {.sa_sigaction = on_time, .sa_flags = SA_SIGINFO | SA_RESTART};

	parent = getpid();
	dl_iterate_phdr(find_code, NULL);
	sigaction(SIGSEGV, &fault, &before[0]);
	sigaction(SIGBUS, &fault, &before[1]);
	sigaction(SIGPROF, &timer, NULL);
	if (__sanitizer_set_report_path)
		__sanitizer_set_report_path("stderr");
	if (__asan_set_error_report_callback)
		__asan_set_error_report_callback(on_report);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(on_death);
}

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* What one input needs; kept where libdwarf did not come back. */
struct state {
	struct object *object;
	struct reader *reader;
	struct reference_unit unit;
	struct intern strings;
	uint64_t addrs[ADDRESSES];
	uint32_t query[ADDRESSES], found[ADDRESSES];
	struct state *next;
};

static struct state *abandoned;

static void check_matches(struct state *s)
{
	struct reference_unit *u = &s->unit;

	for (size_t i = 0; i < u->n_scopes; i++) {
		const struct unit_scope *c = &u->scopes[i];

		must(c->parent <= i);
		must((uint64_t)c->first_range + c->n_ranges <= u->n_scope_ranges);
	}
	unit_match_scopes(u, s->addrs, s->query, ADDRESSES, s->found);
	for (size_t i = 0; i < ADDRESSES; i++) {
		const struct unit_scope *c = s->found[i] ? &u->scopes[s->found[i] - 1] : NULL;
		bool holds = !c;

		must(s->found[i] <= u->n_scopes);
		for (uint32_t k = 0; c && k < c->n_ranges; k++) {
			const struct unit_range *r = &u->scope_ranges[c->first_range + k];

			holds |= s->addrs[i] >= r->lo && s->addrs[i] < r->hi;
		}
		must(holds);
		if (c)
			must(reader_function(s->reader, c->die) <= intern_count(&s->strings));
	}
}

static void check_rows(struct state *s)
{
	struct reference_unit *u = &s->unit;

	unit_match_rows(u, s->addrs, s->query, ADDRESSES, s->found);
	for (size_t i = 0; i < ADDRESSES; i++) {
		uint32_t row = s->found[i];

		must(row == UNIT_NO_ROW || (row < u->n_rows && u->rows[row].addr <= s->addrs[i]));
	}
}

static void read_units(struct state *s)
{
	struct err e = ERR_INIT;
	int buried = 0;

	if (reader_new(&s->reader, s->object, &s->strings, NULL, 0, false, &e)) {
		must(e.msg[0]);
		return;
	}
	for (int n = 0; n < MOST_UNITS; n++) {
		const char *why = NULL;
		enum status st = reader_next(s->reader, &s->unit, &e);

		if (st == ST_NONE)
			return;
		must(!st || e.msg[0]);
		if (st && (buried++ == BURIED || !reader_bury(s->reader)))
			return;
		if (st || s->unit.is_type || reader_ranges(s->reader, &s->unit, &e))
			continue;
		if ((s->unit.split && reader_part(s->reader, &s->unit, &why, &e)) ||
		    reader_scopes(s->reader, &s->unit, &e))
			continue;
		check_matches(s);
		if (!reader_rows(s->reader, &s->unit, &e))
			check_rows(s);
	}
}

static void here(struct state *s)
{
	static unsigned long ended, told = 1;

	if (!sigsetjmp(back, 1)) {
		inside = 1;
		time_from_now(1000);
		read_units(s);
		inside = 0;
		time_from_now(0);
		reader_free(s->reader);
		unit_release(&s->unit);
		intern_release(&s->strings);
		object_free(s->object);
		free(s);
		return;
	}
	inside = 0;
	time_from_now(0);
	s->next = abandoned;
	abandoned = s;
	if (++ended >= told) {
		fprintf(stderr, "libdwarf crashed or took too long: %lu times\n", ended);
		told *= 2;
	}
}

static void whole(struct object *o, const uint64_t *addrs)
{
	struct dwarf_options options = {.jobs = 1, .seconds = 2, .memory = 256 << 20};
	struct dwarf_answers answers;
	struct dwarf_job job = {.object = o, .addrs = addrs, .n = ADDRESSES, .out = &answers};
	struct err e = ERR_INIT;

	dwarf_answers_init(&answers, job.n);
	if (dwarf_reference(&job, 1, &options, &e))
		abort();
	answers_check(&answers);
	dwarf_answers_release(&answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state *s = mem_zalloc(sizeof *s);
	uint64_t lo = 0x1000, span = 0x1000;
	struct err e = ERR_INIT;
	struct object_section text;

	if (!parent)
		set_up();
	if (object_open_memory(&s->object, data, size, &e)) {
		free(s);
		return 0;
	}
	if (!object_section(s->object, ".text", &text, &e) && text.size &&
	    text.addr < UINT64_MAX - text.size) {
		lo = text.addr;
		span = text.size < ADDRESSES ? ADDRESSES : text.size;
	}
	for (uint32_t i = 0; i < ADDRESSES; i++) {
		s->addrs[i] = lo + span / ADDRESSES * i;
		s->query[i] = i;
	}
	if (hash_bytes(data, size) % WHOLE_SHARE == 0)
		whole(s->object, s->addrs);
	here(s);
	return 0;
}
