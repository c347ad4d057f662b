/* SPDX-License-Identifier: MIT
 *
 * The rights of a process in each profile of the table, as the kernel enforces them: every attempt
 * is made by a child of its own, in an empty folder with the files "named" and "other".
 */
#include "lib/sandbox/sandbox.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

static int renames(void)
{
	return failed(rename("output/aside", "output/final"));
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

static bool no_folder; /* where files may be made */

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
		sandbox_allow(SANDBOX_FOLDER, "output");
		if (!no_folder)
			sandbox_allow(SANDBOX_STORE, "store");
		sandbox_enter(p);
		error = attempt();
		_exit(error > 150 ? 255 : FINE + error);
	}
	close(fds[1]);
	n = read(fds[0], o.said, sizeof o.said - 1);
	o.said[n > 0 ? n : 0] = 0;
	close(fds[0]);
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		o.status = WEXITSTATUS(status);
	return o;
}

/* The way that a wrong call ends: a line, and the status. */
static void check_ended(const struct sandbox_profile *p, int (*attempt)(void), const char *call)
{
	struct outcome o = in(p, attempt);
	char want[200];

	snprintf(want, sizeof want,
		 "%s: sandbox: this program has no business calling %s(2) (number ", p->program,
		 call);
	if (!CHECK_EQ(o.status, SANDBOX_STATUS) || !CHECK(strstr(o.said, want) == o.said) ||
	    !CHECK(strstr(o.said, "--no-sandbox turns this off") != NULL))
		printf("  %s, %s: status %d: %s\n", p->program, call, o.status, o.said);
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
	CHECK(!mkdir("output", 0700) && !mkdir("store", 0700));
	make("output/aside");
	return true;
}

/* Named, and others, for all profiles. */
#define EACH(p)                                                                   \
	for (const struct sandbox_profile *p = sandbox_profiles; p->program; p++) \
		if (!(p->rights & SANDBOX_FREE))

TEST(nobody_starts_programs)
{
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
		check_gives(p, removes_other, "removing",
			    p->rights & SANDBOX_OUTPUT && no_landlock() ? 0 : EACCES);
		check_gives(p, reads_named, "a named file", 0);
		if (p->rights & SANDBOX_SPOOL)
			check_gives(p, spools, "a file without a name", 0);
	}
	no_folder = false;
}

TEST(an_output_gets_its_name)
{
	if (!ready())
		TEST_SKIP("system calls are not held here");
	EACH(p)
	{
		if (p->rights & SANDBOX_OUTPUT) {
			check_gives(p, renames, "rename", 0);
			CHECK(!rename("output/final", "output/aside"));
			check_gives(p, removes_other, "removing elsewhere",
				    no_landlock() ? 0 : EACCES);
		} else if (!(p->rights & (SANDBOX_FILES | SANDBOX_NETWORK))) {
			check_ended(p, renames, "rename");
		}
	}
}

TEST(what_is_harmless_is_only_denied)
{
	if (!ready())
		TEST_SKIP("system calls are not held here");
	EACH(p)
	{
		check_gives(p, maps_code, "memory to execute",
			    p->rights & SANDBOX_CODE ? 0 : EACCES);
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
