/* SPDX-License-Identifier: MIT
 *
 * System calls, by seccomp. What is not in a list here ends the process with a line that names the
 * call (SECCOMP_RET_TRAP, and a handler of SIGSYS); but
 *   clone3 is not there (ENOSYS), so that the C library uses clone, whose flags can be seen;
 *   memory to execute is denied (EACCES) without SANDBOX_CODE: compilers of expressions then
 *   interpret them;
 *   files are refused (EACCES) to a program that has SANDBOX_FILES and no folder for them: a cache
 *   that cannot be written to is no reason to end;
 *   descriptors from the kept one on are not there to be closed or replaced (EBADF);
 *   what libraries with SANDBOX_NETWORK try is denied (EPERM), except for exec;
 *   calls that are newer than this file are not there (ENOSYS), as on an older kernel: the C
 *   library that makes them knows what to do then.
 * Without libseccomp nothing is held (ENOSYS).
 */
#include "lib/sandbox/impl.h"

#include "lib/base/mem.h"

#include <errno.h>

#ifdef HAVE_LIBSECCOMP

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* Separated by blanks. Names that an architecture, or its libseccomp, does not have are passed
 * over. */
static const char always[] =
    "read readv pread64 preadv write writev lseek _llseek fstat newfstatat "
    "fstatat64 brk madvise futex exit exit_group rt_sigaction "
    "rt_sigprocmask rt_sigreturn sigaltstack restart_syscall clock_gettime "
    "gettimeofday time getpid gettid getrandom sched_yield sysinfo tgkill";
static const char opening[] =
    "stat lstat statx access faccessat faccessat2 readlink readlinkat getcwd "
    "getdents getdents64 fadvise64 readahead statfs fstatfs dup fcntl "
    "poll ppoll select pselect6 pipe pipe2 nanosleep clock_nanosleep clock_getres "
    "getppid getuid geteuid getgid getegid getresuid getresgid uname umask "
    "prlimit64 getrlimit setrlimit times getrusage wait4 waitid rt_sigpending "
    "rt_sigtimedwait sched_getaffinity sched_getparam sched_getscheduler getcpu "
    "membarrier mincore msync pwrite64 pwritev ftruncate fallocate fsync fdatasync "
    "sync_file_range flock set_robust_list get_robust_list rseq "
    "set_tid_address";
static const char naming[] = "link linkat rename renameat renameat2 unlink unlinkat";
static const char filing[] = "creat mkdir mkdirat rmdir";
/* Landlock holds none of these, whatever the path: so no path is given to them. A store's log gets the owner and
 * the mode of the store; where any file can be opened, an open one may be anybody's. */
static const char owning[] = "fchmod fchown";
static const char working[] = "fork kill seccomp";
static const char talking[] =
    "socket socketpair connect bind getsockname getpeername getsockopt setsockopt "
    "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown eventfd2 "
    "epoll_create1 epoll_ctl epoll_wait epoll_pwait timerfd_create timerfd_settime "
    "memfd_create";

/* No socket of its own. */
static const char serving[] =
    "accept accept4 getsockname getpeername getsockopt setsockopt sendto sendmsg recvfrom recvmsg "
    "shutdown sendfile epoll_ctl epoll_wait epoll_pwait";

enum {
	UNNAMED = O_TMPFILE & ~O_DIRECTORY, /* O_TMPFILE is two bits */
	WRITING = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | UNNAMED,
	NEW = O_CREAT | O_EXCL,
	SPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
		 CLONE_NEWPID | CLONE_NEWNET,
};

static void all(scmp_filter_ctx f, uint32_t action, const char *names)
{
	for (size_t n; *names; names += n + (names[n] == ' ')) {
		char name[32];
		int number;

		n = strcspn(names, " ");
		snprintf(name, sizeof name, "%.*s", (int)n, names);
		number = seccomp_syscall_resolve_name(name);
		if (number >= 0)
			seccomp_rule_add(f, action, number, 0);
	}
}

static void rule(scmp_filter_ctx f, uint32_t action, const char *name, unsigned n,
		 const struct scmp_arg_cmp *arguments)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number >= 0)
		seccomp_rule_add_array(f, action, number, n, arguments);
}

/* One argument, of which the bits of mask are value. */
static void some(scmp_filter_ctx f, uint32_t action, const char *name, unsigned argument,
		 uint64_t mask, uint64_t value)
{
	rule(f, action, name, 1,
	     &(struct scmp_arg_cmp){.arg = argument, SCMP_CMP_MASKED_EQ, mask, value});
}

static void opens(scmp_filter_ctx f, uint32_t action, uint64_t mask, uint64_t value)
{
	some(f, action, "open", 1, mask, value);
	some(f, action, "openat", 2, mask, value);
}

/* One for what is below SANDBOX_LOW and one for what is above: no arguments are of two rules. */
static void mappings(scmp_filter_ctx f, const char *name, bool code)
{
	const struct scmp_arg_cmp above = {0, SCMP_CMP_GE, SANDBOX_LOW, 0},
				  below = {0, SCMP_CMP_LT, SANDBOX_LOW, 0},
				  runs = {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC},
				  lies = {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0},
				  anywhere = {3, SCMP_CMP_MASKED_EQ, MAP_FIXED, 0};
	bool protects = !strcmp(name, "mprotect");

	rule(f, SCMP_ACT_ALLOW, name, code ? 1 : 2, (struct scmp_arg_cmp[]){above, lies});
	if (!code)
		rule(f, SCMP_ACT_ERRNO(EACCES), name, 2, (struct scmp_arg_cmp[]){above, runs});
	if (protects)
		return;
	rule(f, SCMP_ACT_ALLOW, name, code ? 2 : 3, (struct scmp_arg_cmp[]){below, anywhere, lies});
	if (!code)
		rule(f, SCMP_ACT_ERRNO(EACCES), name, 2, (struct scmp_arg_cmp[]){below, runs});
}

static void memory(scmp_filter_ctx f, unsigned rights)
{
	const struct scmp_arg_cmp from = {0, SCMP_CMP_GE, SANDBOX_LOW, 0},
				  to = {4, SCMP_CMP_GE, SANDBOX_LOW, 0},
				  fixed = {3, SCMP_CMP_MASKED_EQ, MREMAP_FIXED, MREMAP_FIXED},
				  anywhere = {3, SCMP_CMP_MASKED_EQ, MREMAP_FIXED, 0};

	mappings(f, "mmap", rights & SANDBOX_CODE);
	mappings(f, "mmap2", rights & SANDBOX_CODE);
	mappings(f, "mprotect", rights & SANDBOX_CODE);
	rule(f, SCMP_ACT_ALLOW, "munmap", 1, &from);
	rule(f, SCMP_ACT_ALLOW, "mremap", 2, (struct scmp_arg_cmp[]){from, anywhere});
	rule(f, SCMP_ACT_ALLOW, "mremap", 3, (struct scmp_arg_cmp[]){from, fixed, to});
}

/* A descriptor is 32 bits: those above them, which have no meaning, make it another one that is not there. */
static void replace(scmp_filter_ctx f, const char *name, unsigned argument)
{
	const struct scmp_arg_cmp other = {argument, SCMP_CMP_LT, (unsigned)sandbox_kept_fd, 0},
				  kept = {argument, SCMP_CMP_GE, (unsigned)sandbox_kept_fd, 0};

	rule(f, SCMP_ACT_ALLOW, name, 1, &other);
	rule(f, SCMP_ACT_ERRNO(EBADF), name, 1, &kept);
}

/* What is known before, to the last argument. */
static void exactly(scmp_filter_ctx f, const struct sandbox_call *c)
{
	struct scmp_arg_cmp arguments[sizeof c->arguments / sizeof *c->arguments];

	for (unsigned i = 0; i < c->n; i++)
		arguments[i] = (struct scmp_arg_cmp){i, SCMP_CMP_EQ, c->arguments[i], 0};
	seccomp_rule_add_array(f, SCMP_ACT_ALLOW, (int)c->number, c->n, arguments);
}

/* No flags are of two rules. */
static void refuse_files(scmp_filter_ctx f)
{
	opens(f, SCMP_ACT_ERRNO(EACCES), O_ACCMODE | UNNAMED, O_WRONLY);
	opens(f, SCMP_ACT_ERRNO(EACCES), O_ACCMODE | UNNAMED | NEW, O_RDWR);
	opens(f, SCMP_ACT_ERRNO(EACCES), O_ACCMODE | UNNAMED | NEW, O_RDWR | O_CREAT);
	all(f, SCMP_ACT_ERRNO(EACCES), filing);
}

/* futimens(fd, NULL): an open file was used now. */
static void sandbox_calls_used(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp now[] = {{.arg = 1, SCMP_CMP_EQ, 0, 0},
					   {.arg = 2, SCMP_CMP_EQ, 0, 0}};

	rule(f, SCMP_ACT_ALLOW, "utimensat", 2, now);
}

static void sandbox_calls_files(scmp_filter_ctx f, const struct sandbox_held *h)
{
	bool named_spool = h->rights & SANDBOX_SPOOL && !h->unnamed_spool;

	if (h->rights & SANDBOX_FILES) {
		all(f, SCMP_ACT_ALLOW, "open openat");
		all(f, SCMP_ACT_ALLOW, filing);
	} else {
		opens(f, SCMP_ACT_ALLOW, WRITING, O_RDONLY);
		if (named_spool) { /* a file without a name is tried for first */
			opens(f, SCMP_ACT_ALLOW, O_ACCMODE | NEW | UNNAMED, O_RDWR | NEW);
			opens(f, SCMP_ACT_ERRNO(EOPNOTSUPP), UNNAMED, UNNAMED);
		} else if (h->rights & SANDBOX_SPOOL) {
			opens(f, SCMP_ACT_ALLOW, UNNAMED, UNNAMED);
		}
		if (h->refuses_files)
			refuse_files(f);
	}
	all(f,
	    h->stores && !(h->rights & SANDBOX_ANY_FILE) ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM),
	    owning);
	if (h->rights & SANDBOX_FILES)
		sandbox_calls_used(f);
	if (h->rights & SANDBOX_FILES || named_spool)
		all(f, SCMP_ACT_ALLOW, naming);
	else if (h->refuses_files)
		all(f, SCMP_ACT_ERRNO(EACCES), naming);
}

/* Arguments of 32 bits: the bits above them have no meaning. */
static void devices(scmp_filter_ctx f)
{
	static const unsigned long known[] = {TIOCGWINSZ, TCGETS, FIONREAD, FIONBIO};
	static const int options[] = {PR_SET_NAME, PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS,
				      PR_GET_DUMPABLE};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		some(f, SCMP_ACT_ALLOW, "ioctl", 1, UINT32_MAX, known[i]);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		some(f, SCMP_ACT_ALLOW, "prctl", 0, UINT32_MAX, (uint64_t)options[i]);
}

static void processes(scmp_filter_ctx f, unsigned rights)
{
	all(f, SCMP_ACT_ERRNO(ENOSYS), "clone3");
	if (rights & SANDBOX_WORKERS) {
		some(f, SCMP_ACT_ALLOW, "clone", 0, (uint32_t)SPACES, 0);
		all(f, SCMP_ACT_ALLOW, working);
	} else if (rights & SANDBOX_THREADS) {
		some(f, SCMP_ACT_ALLOW, "clone", 0, (uint32_t)SPACES | CLONE_THREAD, CLONE_THREAD);
	}
}

/* The entry into the next profile. */
static void sandbox_calls_narrow(scmp_filter_ctx f)
{
	all(f, SCMP_ACT_ALLOW, "seccomp");
#ifdef SYS_landlock_create_ruleset /* libseccomp may be older than these */
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SYS_landlock_create_ruleset, 0);
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SYS_landlock_add_rule, 0);
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SYS_landlock_restrict_self, 0);
#endif
}

static void rules(scmp_filter_ctx f, const struct sandbox_held *h)
{
	all(f, SCMP_ACT_ALLOW, always);
	memory(f, h->rights);
	replace(f, "close", 0);
	for (size_t i = 0; i < h->n_calls; i++)
		exactly(f, &h->calls[i]);
	if (h->rights) {
		all(f, SCMP_ACT_ALLOW, opening);
		replace(f, "dup2", 1);
		replace(f, "dup3", 1);
		sandbox_calls_files(f, h);
		devices(f);
		processes(f, h->rights);
	}
	if (h->rights & SANDBOX_NARROWS)
		sandbox_calls_narrow(f);
	if (h->rights & SANDBOX_SERVE)
		all(f, SCMP_ACT_ALLOW, serving);
	if (h->rights & SANDBOX_NETWORK) {
		all(f, SCMP_ACT_ALLOW, talking);
		all(f, SCMP_ACT_TRAP, "execve execveat");
	}
}

/* --- a call that is not allowed: only what a signal handler may do --- */

/* clang-format off */
/* Of what may be worth a name; the number is printed in any case. */
static const struct {
	int number;
	const char *name;
} known[] = {
#define CALL(name) {SYS_##name, #name}
    CALL(socket), CALL(socketpair), CALL(connect), CALL(bind), CALL(listen), CALL(accept),
    CALL(accept4), CALL(sendto), CALL(sendmsg), CALL(recvfrom), CALL(recvmsg), CALL(execve),
    CALL(execveat), CALL(clone), CALL(ptrace), CALL(process_vm_readv), CALL(process_vm_writev),
    CALL(kill), CALL(tkill), CALL(openat), CALL(renameat2), CALL(unlinkat),
    CALL(linkat), CALL(symlinkat), CALL(mkdirat), CALL(mknodat), CALL(truncate), CALL(fchmodat),
    CALL(fchownat), CALL(fchown), CALL(utimensat), CALL(setxattr), CALL(mount), CALL(umount2),
    CALL(chroot), CALL(chdir), CALL(unshare), CALL(setns), CALL(setuid), CALL(setgid),
    CALL(setresuid), CALL(setresgid), CALL(setsid), CALL(keyctl), CALL(bpf),
    CALL(perf_event_open), CALL(memfd_create), CALL(shmget), CALL(mlock),
    CALL(init_module), CALL(reboot), CALL(personality), CALL(seccomp), CALL(timer_create),
    CALL(inotify_init1), CALL(sched_setaffinity), CALL(setpriority),
#ifdef SYS_openat2 /* 2020 */
    CALL(openat2), CALL(pidfd_open), CALL(io_uring_setup),
#endif
#ifdef SYS_open
    CALL(open), CALL(creat), CALL(fork), CALL(vfork), CALL(rename), CALL(unlink), CALL(link),
    CALL(symlink), CALL(mkdir), CALL(rmdir), CALL(mknod), CALL(chmod), CALL(chown), CALL(utime),
#endif
#undef CALL
};
/* clang-format on */

enum {
	NEWEST = 448
}; /* process_mrelease, of 2021; numbers since 424 are those of all processors */

static const char *program;

static char *put(char *at, const char *s)
{
	while (*s)
		*at++ = *s++;
	return at;
}

static char *put_number(char *at, unsigned n)
{
	if (n > 9)
		at = put_number(at, n / 10);
	*at++ = (char)('0' + n % 10);
	return at;
}

static const char *name_of(int number)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].number == number)
			return known[i].name;
	return NULL;
}

/* True: the call has given ENOSYS. */
static bool answer_newer(int number, ucontext_t *u)
{
	if (number <= NEWEST || number > 1 << 20)
		return false;
#if defined(__x86_64__)
	u->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
#elif defined(__aarch64__)
	u->uc_mcontext.regs[0] = (uint64_t)-ENOSYS;
#else
	(void)u;
	return false;
#endif
	return true;
}

static void sandbox_on_call(int sig, siginfo_t *info, void *context)
{
	char text[300], *at = text;
	const char *name = name_of(info->si_syscall);

	(void)sig;
	if (answer_newer(info->si_syscall, context))
		return;
	at = put(at, program);
	at = put(at, ": sandbox: this program has no business calling ");
	at = put(at, name ? name : "the system");
	at = put(at, name ? "(2) (number " : " (number ");
	at = put_number(at, (unsigned)info->si_syscall);
	at = put(at, ") so: it ends here; --no-sandbox turns this off, see tracemill(7)\n");
	if (write(STDERR_FILENO, text, (size_t)(at - text)) < 0)
		_exit(SANDBOX_STATUS);
	if (sandbox_on_breach)
		sandbox_on_breach();
	_exit(SANDBOX_STATUS);
}

enum { FILTER_MEMORY = 1 << 20 }; /* more than a filter of ours takes */

int sandbox_hold_calls(const struct sandbox_held *h)
{
	const struct sigaction breach = {.sa_sigaction = sandbox_on_call, .sa_flags = SA_SIGINFO};
	bool libraries = h->rights & SANDBOX_NETWORK;
	scmp_filter_ctx f;
	int error;

	free(mem_alloc(FILTER_MEMORY)); /* libseccomp 2.5 does not check what it is given */
	f = seccomp_init(libraries ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_TRAP);
	if (!f)
		return ENOMEM;
	/* A tree instead of a list; and no slower code against Spectre for readers of files, which
	 * kernels before 5.16 else give to who uses seccomp. */
	seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	seccomp_attr_set(f, SCMP_FLTATR_CTL_SSB, 1);
	rules(f, h);
	program = h->program;
	sigaction(SIGSYS, &breach, NULL);
	error = -seccomp_load(f);
	seccomp_release(f);
	return error;
}

#else

int sandbox_hold_calls(const struct sandbox_held *h)
{
	(void)h;
	return ENOSYS;
}

#endif
