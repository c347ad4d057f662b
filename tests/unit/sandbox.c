/* SPDX-License-Identifier: MIT
 *
 * The rights of a process in each profile of the table, as the kernel enforces them: every attempt
 * is made by a child of its own, in an empty folder with the files "named" and "other".
 */
#include "lib/sandbox/sandbox.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { FINE = 100 /* and errno; what else a child may end with is SANDBOX_STATUS */ };

struct outcome {
	int status;
	char said[400];
};

static int failed(int result)
{
	return result < 0 ? errno : 0;
}

static int connects(void)
{
	return failed(socket(AF_INET, SOCK_STREAM, 0));
}

static int executes(void)
{
	char *argv[] = {(char[]){"true"}, NULL};

	return failed(execv("/bin/true", argv));
}

static int traces(void)
{
	return failed((int)ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int forks(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return failed(pid < 0 ? -1 : waitpid(pid, NULL, 0));
}

static int makes(void)
{
	return failed(open("made", O_WRONLY | O_CREAT, 0600));
}

static int writes_store(void)
{
	return failed(open("store/made", O_RDWR | O_CREAT, 0600));
}

static int reads_named(void)
{
	return failed(open("named", O_RDONLY));
}

static int reads_other(void)
{
	return failed(open("other", O_RDONLY));
}

static int spools(void)
{
	const char *dir = getenv("TMPDIR");

	return failed(open(dir ? dir : "/tmp", O_TMPFILE | O_RDWR, 0600));
}

static int removes_other(void)
{
	return failed(unlink("other"));
}

static int maps_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		       MAP_FAILED
		   ? errno
		   : 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int has_threads(void)
{
	pthread_t t;
	int error = pthread_create(&t, NULL, nothing, NULL);

	return error ? error : pthread_join(t, NULL);
}

static int calls_newer(void)
{
	return failed((int)syscall(460, 0, 0, 0, 0, 0, 0));
}

static void make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	CHECK(fd >= 0);
	close(fd);
}

static bool no_folder;      /* where files may be made */
static void (*begin)(void); /* in the child, before it enters; NULL: nothing */

static struct outcome in(const struct sandbox_profile *p, int (*attempt)(void))
{
	struct outcome o = {.status = -1};
	int fds[2], status, error;
	ssize_t n;
	pid_t pid;

	CHECK(!pipe(fds));
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		sandbox_allow(SANDBOX_READ, "named");
		if (!no_folder)
			sandbox_allow(SANDBOX_STORE, "store");
		if (begin)
			begin();
		sandbox_enter(p);
		error = attempt();
		_exit(error > 150 ? 255 : FINE + error);
	}
	close(fds[1]);
	n = read(fds[0], o.said, sizeof o.said - 1);
	o.said[n > 0 ? n : 0] = 0;
	close(fds[0]);
	if (waitpid(pid, &status, 0) == pid)
		o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	return o;
}

/* The way that a wrong call ends: a line, and the status. */
static void check_ended_as(const char *program, const struct sandbox_profile *p,
			   int (*attempt)(void), const char *call)
{
	struct outcome o = in(p, attempt);
	char want[200];

	snprintf(want, sizeof want,
		 "%s: sandbox: this program has no business calling %s(2) (number ", program, call);
	if (!CHECK_EQ(o.status, SANDBOX_STATUS) || !CHECK(strstr(o.said, want) == o.said) ||
	    !CHECK(strstr(o.said, "--no-sandbox turns this off") != NULL))
		printf("  %s, %s: status %d: %s\n", program, call, o.status, o.said);
}

static void check_ended(const struct sandbox_profile *p, int (*attempt)(void), const char *call)
{
	check_ended_as(p->program, p, attempt, call);
}

/* error 0: it is allowed. */
static void check_gives(const struct sandbox_profile *p, int (*attempt)(void), const char *what,
			int error)
{
	struct outcome o = in(p, attempt);

	if (!CHECK_EQ(o.status, FINE + error))
		printf("  %s (%s), %s: status %d: %s\n", p->program, p->when ? p->when : "usual",
		       what, o.status, o.said);
}

/* How open, rename and so on that are allowed by the calls of a profile end by its paths. */
static bool no_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1U) < 1;
}

/* Not in a sanitizer's build, nor under valgrind, nor without libseccomp. */
static bool calls_held(void)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(!strncmp(sandbox_enter(sandbox_profile("tm-dump", NULL)), "seccomp", 7));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static bool ready(void)
{
	char folder[] = "sandbox-XXXXXX";

	if (!calls_held())
		return false;
	CHECK(mkdtemp(folder) && !chdir(folder));
	make("named");
	make("other");
	CHECK(!mkdir("output", 0700) && !mkdir("store", 0700) && !mkdir("spool", 0700));
	CHECK(!setenv("TMPDIR", "spool",
		      1)); /* what lies beside temporary files is as open as they are */
	make("output/aside");
	return true;
}

/* Named, and others, for all profiles. */
#define EACH(p)                                                                   \
	for (const struct sandbox_profile *p = sandbox_profiles; p->program; p++) \
		if (!(p->rights & SANDBOX_FREE))

TEST(nobody_starts_programs)
{
	/* Newer glibc blocks all signals while it forks (2.41 does, 2.36 does not): the kernel ends the program
	 * without a line then. */
	bool forks_blocked = strverscmp(gnu_get_libc_version(), "2.40") > 0;

	if (!ready())
		TEST_SKIP("system calls are not held here");
	EACH(p)
	{
		bool libraries = p->rights & SANDBOX_NETWORK;

		check_ended(p, executes, "execve");
		if (libraries)
			check_gives(p, traces, "ptrace", EPERM);
		else
			check_ended(p, traces, "ptrace");
		if (p->rights & SANDBOX_WORKERS)
			check_gives(p, forks, "fork", 0);
		else if (libraries)
			check_gives(p, forks, "fork", EPERM);
		else if (p->rights && forks_blocked)
			CHECK_EQ(in(p, forks).status, -SIGSYS);
		else if (p->rights) /* a child without any right has its own end: below */
			check_ended(p, forks, "clone");
	}
}

TEST(the_network_is_for_those_who_ask)
{
	if (!ready())
		TEST_SKIP("system calls are not held here");
	EACH(p)
	{
		if (p->rights & SANDBOX_NETWORK)
			check_gives(p, connects, "socket", 0);
		else
			check_ended(p, connects, "socket");
	}
}

TEST(files_are_opened_as_the_profile_says)
{
	int outside = EACCES;

	if (!ready())
		TEST_SKIP("system calls are not held here");
	if (no_landlock())
		outside = 0;
	EACH(p)
	{
		if (!p->rights) {
			check_ended(p, reads_named, "openat");
			continue;
		}
		check_gives(p, reads_named, "a named file", 0);
		check_gives(p, reads_other, "another file",
			    p->rights & SANDBOX_ANY_FILE ? 0 : outside);
		if (p->rights & SANDBOX_FILES) {
			check_gives(p, makes, "a new file outside", outside);
			check_gives(p, writes_store, "a new file in the store", 0);
			check_gives(p, removes_other, "removing", outside);
		} else if (p->rights & SANDBOX_NETWORK) {
			check_gives(p, makes, "a new file", EPERM);
		} else {
			check_ended(p, makes, "openat");
		}
		if (p->rights & SANDBOX_SPOOL)
			check_gives(p, spools, "a file without a name", 0);
	}
}

/* --- a thread with a right of its own --- */

enum { KEPT = 900 };
static const char *aside_text, *final_text;
static struct sandbox_call renames;
static _Atomic(int (*)(void)) order;
static atomic_int result = -1;

static int call(const struct sandbox_call *c)
{
	const unsigned long *a = c->arguments;

	return failed((int)syscall(c->number, a[0], a[1], a[2], a[3], a[4]));
}

static void *obey(void *arg)
{
	sandbox_enter_thread("output", &renames, 1);
	atomic_store(&result, 0);
	while (!atomic_load(&order))
		;
	atomic_store(&result, atomic_load(&order)());
	return arg;
}

static void begin_thread(void)
{
	const unsigned long here = (unsigned long)AT_FDCWD;
	pthread_t t;

	dup2(open("output/aside", O_RDWR), KEPT);
	sandbox_keep(KEPT);
	aside_text = sandbox_text("output/aside");
	final_text = sandbox_text("output/final");
	renames = (struct sandbox_call){
	    SYS_renameat2,
	    5,
	    {here, (unsigned long)aside_text, here, (unsigned long)final_text, 0}};
	pthread_create(&t, NULL, obey, NULL);
	while (atomic_load(&result))
		;
}

static int in_thread(int (*fn)(void))
{
	atomic_store(&result, -1);
	atomic_store(&order, fn);
	while (atomic_load(&result) < 0)
		;
	return atomic_load(&result);
}

static int exact(void)
{
	return call(&renames);
}

static int of_same_text(void)
{
	struct sandbox_call c = renames;

	c.arguments[3] = (unsigned long)strdup(final_text);
	return call(&c);
}

static int exact_in_thread(void)
{
	int error = in_thread(exact);

	return error ? error : failed(open("output/final", O_RDONLY) < 0 ? 0 : 1);
}

static int of_same_text_in_thread(void)
{
	return in_thread(of_same_text);
}

static int reads_in_thread(void)
{
	return in_thread(reads_named);
}

static char *page_of(const char *text)
{
	return (char *)((uintptr_t)text & ~(uintptr_t)4095);
}

static int makes_text_writable(void)
{
	return failed(mprotect(page_of(aside_text), 4096, PROT_READ | PROT_WRITE));
}

static int unmaps_text(void)
{
	return failed(munmap(page_of(aside_text), 4096));
}

static int unmaps_all_below(void)
{
	return failed(munmap(NULL, 1 << 30));
}

static int maps_over_text(void)
{
	return mmap(page_of(aside_text), 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED
		   ? errno
		   : 0;
}

static int moves_text(void)
{
	return mremap(page_of(aside_text), 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED ? errno : 0;
}

static int moves_over_text(void)
{
	void *own = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mremap(own, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, page_of(aside_text)) ==
		       MAP_FAILED
		   ? errno
		   : 0;
}

static int replaces_kept(void)
{
	return failed(dup2(STDERR_FILENO, KEPT));
}

static int closes_kept(void)
{
	int error = failed(close(KEPT));

	syscall(SYS_close, KEPT | 1l << 32);
	return fcntl(KEPT, F_GETFD) < 0 ? 1 : error;
}

/* It is beside what may be made to do anything else. */
TEST(a_thread_makes_its_calls_and_no_others)
{
	static int (*const texts[])(void) = {makes_text_writable, unmaps_text, unmaps_all_below,
					     maps_over_text,      moves_text,  moves_over_text};

	if (!ready())
		TEST_SKIP("system calls are not held here");
	begin = begin_thread;
	EACH(p)
	{
		bool libraries = p->rights & SANDBOX_NETWORK;

		if (!p->rights || p->rights & SANDBOX_FREE)
			continue;
		if (!(p->rights & SANDBOX_FILES) && !libraries)
			check_ended(p, exact, "renameat2");
		check_gives(p, replaces_kept, "replacing what is kept", EBADF);
		check_gives(p, closes_kept, "closing what is kept", EBADF);
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
			struct outcome o = in(p, texts[i]);

			if (!CHECK_EQ(o.status, libraries ? FINE + EPERM : SANDBOX_STATUS))
				printf("  %s, text %zu: %s\n", p->program, i, o.said);
		}
	}
	{
		const struct sandbox_profile *p = sandbox_profile("tm-dump", NULL);

		CHECK_EQ(in(p, of_same_text_in_thread).status, SANDBOX_STATUS);
		CHECK_EQ(in(p, reads_in_thread).status, SANDBOX_STATUS);
		check_gives(p, exact_in_thread, "its own call", 0);
		CHECK(!access("output/final", F_OK) && access("output/aside", F_OK));
	}
	begin = NULL;
}

static void narrow(void)
{
	sandbox_enter(sandbox_profile("tm-top", NULL));
}

static int reads_named_then(void)
{
	int before = reads_other();

	narrow();
	return before ? before : reads_named();
}

static int reads_other_then(void)
{
	narrow();
	return reads_other();
}

static int makes_then(void)
{
	narrow();
	return makes();
}

static int narrows_twice(void)
{
	narrow();
	narrow();
	return 0;
}

/* A program that looks up symbols before its report. */
TEST(the_second_profile_has_its_own_rights_only)
{
	const struct sandbox_profile *p = sandbox_profile(SANDBOX_SYMBOLS, NULL);

	if (!ready())
		TEST_SKIP("system calls are not held here");
	check_gives(p, reads_named_then, "another file before, a named one behind", 0);
	check_gives(p, reads_other_then, "another file behind", no_landlock() ? 0 : EACCES);
	check_ended_as("tm-top", p, makes_then, "openat");
	check_ended_as("tm-top", p, narrows_twice, "seccomp");
}

static int makes_folder(void)
{
	return failed(mkdir("folder", 0700));
}

static int changes(void)
{
	return failed(open("other", O_RDWR));
}

/* As a cache in a folder that cannot be made: it goes on without. */
TEST(without_a_folder_files_are_refused)
{
	if (!ready())
		TEST_SKIP("system calls are not held here");
	no_folder = true;
	EACH(p)
	{
		if (!(p->rights & SANDBOX_FILES) || p->rights & SANDBOX_NETWORK)
			continue;
		check_gives(p, makes, "a new file", EACCES);
		check_gives(p, changes, "another file", EACCES);
		check_gives(p, makes_folder, "a new folder", EACCES);
		check_gives(p, removes_other, "removing", EACCES);
		check_gives(p, reads_named, "a named file", 0);
		if (p->rights & SANDBOX_SPOOL)
			check_gives(p, spools, "a file without a name", 0);
	}
	no_folder = false;
}

/* --- what no profile does to a file that is not its own, by path and by descriptor --- */

static int reading(void)
{
	return open("other", O_RDONLY);
}

static int by_chmod(void)
{
	return (int)syscall(SYS_fchmodat, AT_FDCWD, "other", 0777);
}

static int by_chmod_newer(void)
{
	return (int)syscall(452 /* fchmodat2 */, AT_FDCWD, "other", 0777, 0);
}

static int by_fchmod(void)
{
	return fchmod(reading(), 0777);
}

static int by_chown(void)
{
	return fchownat(AT_FDCWD, "other", 65534, 65534, 0);
}

static int by_fchown(void)
{
	return fchown(reading(), 65534, 65534);
}

static const struct timespec old_times[2] = {{1000, 0}, {1000, 0}};

static int by_times(void)
{
	return utimensat(AT_FDCWD, "other", old_times, 0);
}

static int by_times_of_open(void)
{
	return futimens(reading(), old_times);
}

static int by_truncate(void)
{
	return truncate("other", 0);
}

static int by_open_truncate(void)
{
	return open("other", O_WRONLY | O_TRUNC);
}

static int by_open_append(void)
{
	return open("other", O_WRONLY | O_APPEND);
}

static int by_open_again(void)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", reading());
	return open(path, O_RDWR);
}

static int by_unlink(void)
{
	return unlink("output/aside");
}

static int by_unlink_below(void)
{
	return unlink("output/below/kept");
}

static int by_rename(void)
{
	return rename("output/aside", "output/final");
}

static int by_rename_over(void)
{
	return rename("store/own", "output/aside");
}

static int by_link(void)
{
	return link("store/own", "output/final");
}

static int by_link_of_open(void)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", open("named", O_RDONLY));
	return linkat(AT_FDCWD, path, AT_FDCWD, "output/final", AT_SYMLINK_FOLLOW);
}

static int by_symlink(void)
{
	return symlink("/etc/passwd", "output/final");
}

static int by_symlink_in_store(void)
{
	return symlink("/etc/passwd", "store/link");
}

static int by_mkdir(void)
{
	return mkdir("output/final", 0700);
}

static int by_rmdir(void)
{
	return rmdir("output/empty");
}

static int by_mknod(void)
{
	return mknod("output/final", S_IFIFO | 0600, 0);
}

static int by_creat(void)
{
	return (int)syscall(SYS_openat, AT_FDCWD, "output/final", O_CREAT | O_WRONLY, 0600);
}

static int by_xattr(void)
{
	return (int)syscall(SYS_setxattr, "other", "user.x", "y", (size_t)1, 0);
}

static int by_chdir_and_unlink(void)
{
	return chdir("output") ? -1 : unlink("aside");
}

static int by_kill(void)
{
	return kill(getppid(), SIGWINCH); /* ignored by who gets it */
}

static int by_memory_of_another(void)
{
	char at[8];
	struct iovec mine = {at, sizeof at}, other = {at, sizeof at};

	return (int)syscall(SYS_process_vm_readv, getppid(), &mine, 1UL, &other, 1UL, 0UL);
}

static int by_ring(void)
{
	char parameters[120] = {0};

	return (int)syscall(425 /* io_uring_setup */, 1, parameters);
}

static int by_openat2(void)
{
	uint64_t how[3] = {O_WRONLY, 0, 0};

	return (int)syscall(437 /* openat2 */, AT_FDCWD, "other", how, sizeof how);
}

static int by_spaces(void)
{
	return (int)syscall(SYS_unshare, 0x10000000 /* CLONE_NEWUSER */);
}

static const struct {
	const char *what;
	int (*call)(void);
} forbidden[] = {
    {"chmod", by_chmod},
    {"fchmodat2", by_chmod_newer},
    {"fchmod of a file that was opened for reading", by_fchmod},
    {"chown", by_chown},
    {"fchown of a file that was opened for reading", by_fchown},
    {"utimensat", by_times},
    {"futimens", by_times_of_open},
    {"truncate", by_truncate},
    {"open, O_TRUNC", by_open_truncate},
    {"open, O_APPEND", by_open_append},
    {"open of /proc/self/fd", by_open_again},
    {"openat2", by_openat2},
    {"unlink beside an output", by_unlink},
    {"unlink below the folder of an output", by_unlink_below},
    {"rename", by_rename},
    {"rename out of the store", by_rename_over},
    {"link out of the store", by_link},
    {"link of an open file", by_link_of_open},
    {"symlink", by_symlink},
    {"symlink in the store", by_symlink_in_store},
    {"mkdir", by_mkdir},
    {"rmdir", by_rmdir},
    {"mknod", by_mknod},
    {"open, O_CREAT", by_creat},
    {"setxattr", by_xattr},
    {"chdir", by_chdir_and_unlink},
    {"kill of the parent", by_kill},
    {"process_vm_readv", by_memory_of_another},
    {"io_uring_setup", by_ring},
    {"unshare", by_spaces},
};

static int (*attempted)(void);

static int forbidden_call(void)
{
	errno = 0;
	return attempted() < 0 ? errno : 0;
}

/* All that a wrong call could have changed. */
static void seen(char *to, size_t size)
{
	static const char *const paths[] = {"other",        "output/aside", "output/below/kept",
					    "output/empty", "output/final", "store/link"};
	size_t n = 0;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct stat st = {0};
		int there = !lstat(paths[i], &st);

		n += (size_t)snprintf(to + n, size - n, "%s %d %o %u %lld %lld.%09ld %llu\n",
				      paths[i], there, (unsigned)st.st_mode, (unsigned)st.st_uid,
				      S_ISDIR(st.st_mode) ? 0LL : (long long)st.st_size,
				      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
				      (unsigned long long)st.st_ino);
	}
}

TEST(no_profile_changes_the_files_of_others)
{
	char before[2000], after[2000];

	if (!ready())
		TEST_SKIP("system calls are not held here");
	if (no_landlock())
		TEST_SKIP("paths are not held here");
	CHECK(!mkdir("output/below", 0700) && !mkdir("output/empty", 0700));
	make("output/below/kept");
	make("store/own");
	EACH(p)
	{
		for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
			struct outcome o;

			seen(before, sizeof before);
			attempted = forbidden[i].call;
			o = in(p, forbidden_call);
			seen(after, sizeof after);
			if (!CHECK(o.status == SANDBOX_STATUS || o.status > FINE) ||
			    !CHECK_STR(after, before))
				printf("  %s (%s), %s: status %d: %s\n", p->program,
				       p->when ? p->when : "usual", forbidden[i].what, o.status,
				       o.said);
		}
	}
}

static int fchmod_of_named(void)
{
	return failed(fchmod(open("named", O_RDONLY), 0600));
}

static int used_now(void)
{
	return failed(futimens(open("named", O_RDONLY), NULL));
}

/* SQLite gives its log the mode of the store; a cache says that a file was used. */
TEST(what_is_left_of_it)
{
	if (!ready())
		TEST_SKIP("system calls are not held here");
	EACH(p)
	{
		if (!p->rights)
			continue;
		check_gives(p, fchmod_of_named, "fchmod of an open file",
			    p->rights & SANDBOX_FILES && !(p->rights & SANDBOX_ANY_FILE) ? 0
											 : EPERM);
		if (p->rights & SANDBOX_FILES)
			check_gives(p, used_now, "futimens(fd, NULL)", 0);
	}
}

TEST(what_is_harmless_is_only_denied)
{
	if (!ready())
		TEST_SKIP("system calls are not held here");
	EACH(p)
	{
		/* of a library that is loaded, and so only where one talks to a server */
		check_gives(p, maps_code, "memory to execute",
			    p->rights & SANDBOX_NETWORK ? 0 : EACCES);
		if (p->rights & SANDBOX_NETWORK)
			check_gives(p, calls_newer, "a call that is newer", EPERM);
		else
			check_gives(p, calls_newer, "a call that is newer", ENOSYS);
		if (p->rights & SANDBOX_THREADS)
			check_gives(p, has_threads, "a thread", 0);
	}
}

TEST(what_turns_it_off)
{
	const struct sandbox_profile *p = sandbox_profile("tm-top", NULL);

	if (SANDBOX_SANITIZED)
		CHECK_STR(sandbox_enter(p), "off: a sanitizer's build");
	CHECK(strstr(sandbox_enter(sandbox_profile("tm-record", NULL)),
		     "off: it starts the program"));
	sandbox_off("--no-sandbox");
	CHECK_STR(sandbox_enter(p), "off: --no-sandbox");
	CHECK(!sandbox_entered());
}

TEST_MAIN()
