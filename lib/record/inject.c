/* SPDX-License-Identifier: MIT */
#include "lib/record/inject.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined __x86_64__ && defined __LP64__
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum { STATE_MAX = 64 << 10, STACK = 1 << 20, TEXTS = 64 << 10, RED_ZONE = 128 };
enum { LOOKED_AT = 64 << 10 }; /* bytes of a stack */
enum { FIRST_MS = 300, ALL_MS = 5000, CALL_MS = 30000, STOP_MS = 1000, PAUSE_NS = 1000000 };
enum { SIGNALS = 8 }; /* bytes of a set, to the kernel */

struct inject_registers {
	struct user_regs_struct regs;
	uint64_t mask;
	int error;
	size_t n; /* of the state */
	unsigned char state[STATE_MAX];
};

static void inject_pause(void)
{
	nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
}

static uint64_t inject_ms(void)
{
	return (uint64_t)clock_ns() / 1000000;
}

/* The thread's next stop, as waitpid gives it; false: it did not stop in time, or has ended. */
static bool inject_wait(pid_t thread, unsigned ms, int *status)
{
	uint64_t end = inject_ms() + ms;
	pid_t got;

	do {
		got = waitpid(thread, status, __WALL | WNOHANG);
		if (got == thread)
			return WIFSTOPPED(*status);
		if (got < 0 && errno != EINTR)
			return false;
		inject_pause();
	} while (inject_ms() < end);
	*status = 0;
	return false;
}

/* Which may have been stopped before by a signal of its own, which it then gets. */
static bool inject_interrupt(pid_t thread)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, thread, 0, 0))
		return false;
	while (inject_wait(thread, STOP_MS, &status)) {
		if (status >> 16 == PTRACE_EVENT_STOP)
			return WSTOPSIG(status) == SIGTRAP;
		if (ptrace(PTRACE_CONT, thread, 0, WSTOPSIG(status)))
			return false;
	}
	return false;
}

/* Begun again by the kernel when it was interrupted, and it waits for what is outside. */
static const int patient[] = {SYS_read,         SYS_pread64, SYS_readv,    SYS_poll,
			      SYS_ppoll,        SYS_select,  SYS_pselect6, SYS_nanosleep,
			      SYS_wait4,        SYS_waitid,  SYS_accept,   SYS_accept4,
			      SYS_recvfrom,     SYS_recvmsg, SYS_pause,    SYS_clock_nanosleep,
			      SYS_rt_sigsuspend};
/* For another thread; or ended by EINTR. */
static const int others[] = {SYS_futex, SYS_epoll_wait, SYS_epoll_pwait, SYS_rt_sigtimedwait,
			     SYS_semop, SYS_msgrcv,     SYS_io_getevents};

static bool is_among(const int *list, size_t n, int64_t call)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == call)
			return true;
	return false;
}

static bool may_wait(int64_t call, bool any)
{
	return is_among(patient, sizeof patient / sizeof *patient, call) ||
	       (any && is_among(others, sizeof others / sizeof *others, call));
}

/* Before it is stopped: a thread that would be let go again need not be. */
static bool inject_is_worth(const struct running *r, pid_t thread, bool any)
{
	char path[64], text[32] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)r->pid, (int)thread);
	f = fopen(path, "re");
	if (!f)
		return true; /* a kernel without it */
	if (!fgets(text, sizeof text, f))
		*text = 0;
	fclose(f);
	return *text < '0' || *text > '9' || may_wait(strtol(text, NULL, 10), any);
}

/* The frame that the kernel makes for a handler (arch/x86/kernel/signal_64.c, struct rt_sigframe), in words
 * from the handler's return address, which is the restorer's. */
enum {
	FRAME_FLAGS = 1,
	FRAME_LINK = 2,
	FRAME_RSP = 21,
	FRAME_RIP = 22,
	FRAME_CS = 24,
	FRAME_FPSTATE = 29,
	FRAME_MASK = 38,
	FRAME_WORDS = 39
};
enum { FRAME_FLAGS_MOST = 7, USER_CS = 0x33 };

/* Is that a handler's frame, and of one that runs? sigaction and signal leave the restorer's address in
 * what was their stack, without a frame; what a handler that has returned leaves has one, and it stays
 * where a function does not write all of its variables. While a handler runs, its signal is held besides
 * those that were held before; not so if it was installed with SA_NODEFER, or has let it in: such a one is
 * taken for one that has returned. */
static bool is_frame(const struct running *r, const uint64_t *w, uint64_t at, uint64_t mask)
{
	const struct running_map *m = running_map_of(r, w[FRAME_RIP]);

	return at % 16 == 8 && w[FRAME_FLAGS] <= FRAME_FLAGS_MOST && !w[FRAME_LINK] &&
	       (w[FRAME_CS] & 0xffff) == USER_CS && m && m->executable &&
	       running_map_of(r, w[FRAME_RSP]) && (!w[FRAME_FPSTATE] || w[FRAME_FPSTATE] > at) &&
	       (mask & ~w[FRAME_MASK]);
}

static bool in_handler(const struct running *r, uint64_t sp, uint64_t mask)
{
	static uint64_t words[LOOKED_AT / 8];
	const struct running_map *m = running_map_of(r, sp);
	uint64_t from = sp & ~(uint64_t)7;
	size_t n = m && m->hi - from < LOOKED_AT ? (size_t)(m->hi - from) : LOOKED_AT;

	if (!r->restorer || !running_read(r, from, words, n))
		return false;
	for (size_t i = 0; i + FRAME_WORDS <= n / 8; i++)
		if (words[i] == r->restorer && is_frame(r, words + i, from + 8 * i, mask))
			return true;
	return false;
}

static bool is_quiet(const struct running *r, const struct user_regs_struct *regs, uint64_t mask,
		     bool any)
{
	const struct running_map *m = running_map_of(r, regs->rip);
	uint32_t state = 1;

	if (!running_read(r, r->r_state, &state, sizeof state) || state)
		return false;
	if ((int64_t)regs->orig_rax >= 0 ? !may_wait((int64_t)regs->orig_rax, any)
					 : !m || !m->executable || !m->quiet)
		return false;
	return !in_handler(r, regs->rsp, mask);
}

/* 0: stopped where it may; else errno, EAGAIN: not there. */
static int inject_try(const struct running *r, pid_t thread, bool any,
		      struct inject_registers *kept)
{
	struct iovec state = {kept->state, sizeof kept->state};
	int error = EAGAIN;

	if (ptrace(PTRACE_SEIZE, thread, 0, 0))
		return errno == ESRCH ? EAGAIN : errno;
	if (!inject_interrupt(thread))
		error = EAGAIN;
	else if (!ptrace(PTRACE_GETREGS, thread, 0, &kept->regs) &&
		 !ptrace(PTRACE_GETSIGMASK, thread, SIGNALS, &kept->mask) &&
		 is_quiet(r, &kept->regs, kept->mask, any) &&
		 !ptrace(PTRACE_GETREGSET, thread, NT_X86_XSTATE, &state))
		error = 0;
	kept->n = state.iov_len;
	if (error)
		ptrace(PTRACE_DETACH, thread, 0, 0);
	return error;
}

static int inject_try_all(struct inject *x, bool any)
{
	char path[64];
	struct dirent *d;
	DIR *tasks;
	int error = EAGAIN;

	snprintf(path, sizeof path, "/proc/%d/task", (int)x->process->pid);
	tasks = opendir(path);
	if (!tasks)
		return ESRCH;
	while (error == EAGAIN && (d = readdir(tasks))) {
		pid_t thread = (pid_t)strtol(d->d_name, NULL, 10);

		if (thread <= 0 || !inject_is_worth(x->process, thread, any))
			continue;
		error = inject_try(x->process, thread, any, x->kept);
		x->thread = thread;
	}
	closedir(tasks);
	return error;
}

/* What ended the call: a return to address 0; where the processor guards return addresses, the
 * return itself. */
static bool inject_has_returned(const struct user_regs_struct *regs, uint64_t sp)
{
	return (!regs->rip && regs->rsp == sp + 8) || regs->rsp == sp;
}

static enum status inject_fails(struct inject *x, struct err *e, const char *why)
{
	x->error = 1;
	return err_set(e, ST_UNSUPPORTED, "%s", why);
}

/* sp is 16 bytes aligned before the return address. */
static enum status inject_call_at(struct inject *x, uint64_t sp, uint64_t function,
				  const uint64_t a[6], uint64_t *result, struct err *e)
{
	/* Forced ones must not find themselves held. */
	uint64_t mask = ~(uint64_t)0, zero = 0;
	struct user_regs_struct regs = x->kept->regs;
	static const int forced[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
	int status;

	for (size_t i = 0; i < sizeof forced / sizeof *forced; i++)
		mask &= ~((uint64_t)1 << (forced[i] - 1));
	sp = (sp & ~(uint64_t)15) - 8;
	regs.rdi = a[0], regs.rsi = a[1], regs.rdx = a[2], regs.rcx = a[3], regs.r8 = a[4],
	regs.r9 = a[5];
	regs.rsp = sp;
	regs.rip = function;
	regs.rax = 0;
	regs.orig_rax = ~(uint64_t)0;
	regs.eflags &= ~(uint64_t)0x400; /* DF is clear at calls */
	if (!running_write(x->process, sp, &zero, sizeof zero) ||
	    ptrace(PTRACE_SETSIGMASK, x->thread, SIGNALS, &mask) ||
	    ptrace(PTRACE_SETREGS, x->thread, 0, &regs) || ptrace(PTRACE_CONT, x->thread, 0, 0))
		return inject_fails(x, e, "cannot be called into");
	for (;;) {
		if (!inject_wait(x->thread, CALL_MS, &status)) {
			if (status)
				return inject_fails(x, e, "has ended");
			inject_interrupt(x->thread);
			return inject_fails(x, e,
					    "did not come back from its dynamic linker in 30 s: it "
					    "goes on where it was, and may stand still when it "
					    "loads a library");
		}
		if (ptrace(PTRACE_GETREGS, x->thread, 0, &regs))
			return inject_fails(x, e, "has ended");
		if (status >> 16 == 0 && WSTOPSIG(status) == SIGSEGV &&
		    inject_has_returned(&regs, sp))
			break;
		if (status >> 16 == 0 &&
		    is_among(forced, sizeof forced / sizeof *forced, WSTOPSIG(status)))
			return inject_fails(
			    x, e, "crashed in its dynamic linker; it goes on where it was");
		ptrace(PTRACE_CONT, x->thread, 0, 0);
	}
	*result = regs.rax;
	return ST_OK;
}

enum status inject_call(struct inject *x, uint64_t function, const uint64_t arguments[6],
			uint64_t *result, struct err *e)
{
	return inject_call_at(x, x->stack + STACK, function, arguments, result, e);
}

uint64_t inject_text(struct inject *x, const char *text)
{
	size_t n = strlen(text) + 1;
	uint64_t at = x->argument;

	if (at + n > x->stack + TEXTS || !running_write(x->process, at, text, n))
		return 0;
	x->argument += n;
	return at;
}

/* On the thread's own stack what is below what it may use without saying so is free. */
static enum status inject_prepare(struct inject *x, struct err *e)
{
	const struct running *r = x->process;
	const uint64_t none[6] = {0};
	const uint64_t map[6] = {
	    0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~(uint64_t)0, 0};
	uint64_t sp = x->kept->regs.rsp - RED_ZONE, at;
	enum status st = inject_call_at(x, sp, r->errno_location, none, &at, e);

	if (st)
		return st;
	running_read(r, at, &x->kept->error, sizeof x->kept->error);
	st = inject_call_at(x, sp, r->mmap, map, &x->stack, e);
	if (!st && x->stack + 4096 < 4096)
		st = inject_fails(x, e, "has no memory for a stack");
	x->argument = x->stack;
	return st;
}

enum status inject_begin(struct inject *x, const struct running *r, struct err *e)
{
	uint64_t begin = inject_ms(), now = begin;
	int error;

	*x = (struct inject){.process = r, .kept = mem_alloc(sizeof *x->kept)};
	while ((error = inject_try_all(x, now - begin > FIRST_MS)) == EAGAIN &&
	       (now = inject_ms()) - begin < ALL_MS)
		inject_pause();
	if (!error)
		return inject_prepare(x, e);
	x->thread = 0;
	if (error == ESRCH)
		return err_set(e, ST_NONE, "has ended");
	if (error != EAGAIN)
		return err_set(e, ST_UNSUPPORTED, "may not be attached to: %s", strerror(error));
	return err_set(e, ST_UNSUPPORTED,
		       "none of its threads was at a place where it can be called into: try again");
}

void inject_end(struct inject *x)
{
	struct inject_registers *kept = x->kept;
	const uint64_t none[6] = {0}, unmap[6] = {x->stack, STACK};
	struct iovec state = {kept->state, kept->n};
	uint64_t at, sp = kept->regs.rsp - RED_ZONE;
	struct err e = ERR_INIT;

	if (x->thread) {
		if (!x->error && x->stack)
			inject_call_at(x, sp, x->process->munmap, unmap, &at, &e);
		if (!x->error && !inject_call_at(x, sp, x->process->errno_location, none, &at, &e))
			running_write(x->process, at, &kept->error, sizeof kept->error);
		ptrace(PTRACE_SETREGSET, x->thread, NT_X86_XSTATE, &state);
		ptrace(PTRACE_SETREGS, x->thread, 0, &kept->regs);
		ptrace(PTRACE_SETSIGMASK, x->thread, SIGNALS, &kept->mask);
		ptrace(PTRACE_DETACH, x->thread, 0, 0);
	}
	free(kept);
	x->kept = NULL;
}
#else
struct inject_registers {
	char none;
};

enum status inject_begin(struct inject *x, const struct running *r, struct err *e)
{
	*x = (struct inject){.process = r};
	return err_set(e, ST_UNSUPPORTED, "cannot be attached to: only on x86-64 can any");
}

uint64_t inject_text(struct inject *x, const char *text)
{
	(void)x, (void)text;
	return 0;
}

enum status inject_call(struct inject *x, uint64_t function, const uint64_t arguments[6],
			uint64_t *result, struct err *e)
{
	(void)x, (void)function, (void)arguments, (void)result;
	return err_set(e, ST_UNSUPPORTED, "cannot be called into");
}

void inject_end(struct inject *x)
{
	(void)x;
}
#endif
