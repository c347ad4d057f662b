/* SPDX-License-Identifier: MIT
 *
 * Standard output or the file of --output, which gets its name only when it is complete. A thread gives it the name, or
 * removes what is not to stay: it begins before the sandbox, can make just these calls (sandbox_enter_thread), and hears
 * one byte, so that what reads inputs can make, replace and remove no other file.
 */
#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/sandbox/sandbox.h"
#include "lib/trace/encode.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FDS = 4096 };

static char *resolved; /* target may point to it */
static const char *name = "standard output";
static const char *target; /* set while there is a file aside that is to become it */
/* The file aside: a descriptor of it, and a name while it has one. Where the file system can, it has
 * none until it is whole, so that nothing is left of a machine that stops, or a program that is killed. */
static int whole = -1;
static const char *aside, *folder;
static bool named;
static pid_t owner; /* children that are forked for other work must leave it alone */

const char *cli_output_name(void)
{
	return name;
}

/* --- the thread that gives the name --- */

enum request { KEEP = 'k', DROP = 'd' };

static int ask[2] = {-1, -1}, answers[2] = {-1, -1};
static _Thread_local bool
    is_placer; /* which may run out of memory before it is ready, and then ends the program */
/* link names the file without a name. */
static struct sandbox_call link_target, link_aside, replace_target, remove_aside;

static int make(const struct sandbox_call *c)
{
	const unsigned long *a = c->arguments;

	return syscall(c->number, a[0], a[1], a[2], a[3], a[4]) ? errno : 0;
}

static unsigned long word(const char *text)
{
	return (unsigned long)(uintptr_t)text;
}

static void prepare_calls(const char *path)
{
	const unsigned long here = (unsigned long)AT_FDCWD, to = word(sandbox_text(path)),
			    from = word(aside);
	unsigned long link;
	char text[32];

	snprintf(text, sizeof text, "/proc/self/fd/%d", whole);
	link = word(sandbox_text(text));
	link_target =
	    (struct sandbox_call){SYS_linkat, 5, {here, link, here, to, AT_SYMLINK_FOLLOW}};
	link_aside =
	    (struct sandbox_call){SYS_linkat, 5, {here, link, here, from, AT_SYMLINK_FOLLOW}};
	replace_target = (struct sandbox_call){SYS_renameat2, 5, {here, from, here, to, 0}};
	remove_aside = (struct sandbox_call){SYS_unlinkat, 3, {here, from, 0}};
}

/* Only a rename replaces what is there. 0, or errno. */
static int give_name(void)
{
	int error = named ? EEXIST : make(&link_target);

	if (error != EEXIST)
		return error;
	if (!named && (error = make(&link_aside)))
		return error;
	named = true;
	error = make(&replace_target);
	named = error != 0;
	return error;
}

/* What is empty gets no name. 0, or errno. */
static int placer_keep(void)
{
	struct stat st;

	if (fstat(whole, &st))
		return errno;
	return st.st_size > 0 ? give_name() : 0;
}

static void *placer_work(void *arg)
{
	const struct sandbox_call calls[] = {link_target, link_aside, replace_target, remove_aside};
	int error = 0;
	char what;
	ssize_t n;

	is_placer = true;
	sandbox_enter_thread(folder, calls, sizeof calls / sizeof *calls);
	while (write(answers[1], &error, sizeof error) > 0) {
		while ((n = read(ask[0], &what, 1)) < 0 && errno == EINTR)
			;
		if (n != 1)
			break;
		error = what == KEEP ? placer_keep() : 0;
		if (named)
			make(&remove_aside);
	}
	return arg;
}

static _Noreturn void fail(const char *path)
{
	cli_error(path, "%s", strerror(errno));
	exit(EXIT_INPUT);
}

/* 0, or errno, which the thread says at its begin, too. Only what a signal handler may do. */
static int placer_answer(void)
{
	int error = EPIPE;

	while (read(answers[0], &error, sizeof error) < 0 && errno == EINTR)
		;
	return error;
}

static int placer_ask(enum request what)
{
	char c = (char)what;

	if (is_placer)
		return named ? make(&remove_aside) : 0;
	return write(ask[1], &c, 1) == 1 ? placer_answer() : errno;
}

/* Signals are for the others. */
static int placer_begin(void)
{
	sigset_t all, before;
	pthread_t thread;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, placer_work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error ? error : pthread_detach(thread);
}

static void placer_start(const char *path)
{
	int error;

	prepare_calls(path);
	error = pipe2(ask, O_CLOEXEC) || pipe2(answers, O_CLOEXEC) ? errno : placer_begin();
	if (error) {
		if (named)
			unlink(aside);
		errno = error;
		fail(path);
	}
	placer_answer();
}

static void output_remove_aside(void)
{
	if (target && owner == getpid())
		placer_ask(DROP);
	target = NULL;
}

/* The handler was reset: at its end the signal does what it always does. */
static void output_on_signal(int number)
{
	output_remove_aside();
	raise(number);
}

static void clean_up_on_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction old,
		    new = {.sa_handler = output_on_signal, .sa_flags = SA_RESETHAND};

		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &new, NULL);
	}
}

static const char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? mem_strndup(path, (size_t)(slash - path) + 1) : ".";
}

/* A descriptor of the file beyond all others, which is kept, and outlives standard output. */
static bool keep_descriptor(int fd)
{
	struct rlimit most;
	int top = MOST_FDS - 1;

	if (!getrlimit(RLIMIT_NOFILE, &most) && most.rlim_cur < MOST_FDS)
		top = (int)most.rlim_cur - 1;
	whole = fcntl(fd, F_DUPFD_CLOEXEC, top);
	if (whole < 0)
		return false;
	sandbox_keep(whole);
	return true;
}

/* Gives a descriptor; -1: there are none without a name here. */
static int open_unnamed(void)
{
	char path[32];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fd >= 0 && access(path, F_OK)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A name of its own for what has none yet. */
static void name_aside(const char *path)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s.%ld-%" PRIx64, path, (long)getpid(), (uint64_t)clock_ns());
	aside = sandbox_text(buf_str(&b));
	buf_release(&b);
}

/* The file aside gets its name in the folder, or is removed. */
static void write_aside(const char *path)
{
	int fd;

	folder = folder_of(path);
	name_aside(path);
	fd = open_unnamed();
	named = fd < 0;
	if (named)
		fd = open(aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || !keep_descriptor(fd))
		fail(path);
	target = path;
	owner = getpid();
	placer_start(path);
	atexit(output_remove_aside);
	sandbox_on_breach = output_remove_aside;
	clean_up_on_signals();
	fflush(stdout);
	if (dup2(fd, STDOUT_FILENO) < 0)
		fail(path);
	if (fd != STDOUT_FILENO)
		close(fd);
}

/* Of a regular file; zeros where it is none, or shorter. */
static void read_magic(const char *path, char first[TRACE_MAGIC_SIZE])
{
	struct stat st;
	int fd =
	    path && !stat(path, &st) && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	memset(first, 0, TRACE_MAGIC_SIZE);
	if (fd < 0)
		return;
	if (read(fd, first, TRACE_MAGIC_SIZE) != TRACE_MAGIC_SIZE)
		memset(first, 0, TRACE_MAGIC_SIZE);
	close(fd);
}

static bool is_recording(const char *path)
{
	char first[TRACE_MAGIC_SIZE];

	read_magic(path, first);
	return !memcmp(first, TRACE_MAGIC, sizeof first);
}

/* A trace or an aggregate, whose magics differ in one letter. */
static bool is_ours(const char *path)
{
	char first[TRACE_MAGIC_SIZE];

	read_magic(path, first);
	return !memcmp(first, TRACE_MAGIC, 3) && !memcmp(first + 4, TRACE_MAGIC + 4, 4);
}

/* False: it is standard output. A trace, or an aggregate, may take the place of the one that it is made of. */
static bool output_open(const char *path, bool trace)
{
	bool standard = !path || !strcmp(path, "-"), there;
	struct stat st, own;

	there = !standard && !stat(path, &st);
	if (there && !fstat(STDOUT_FILENO, &own)) /* /dev/stdout */
		standard = st.st_dev == own.st_dev && st.st_ino == own.st_ino;
	if (standard)
		return false;
	if (there && S_ISREG(st.st_mode) && opt_names_file(path, &st) && !(trace && is_ours(path)))
		cli_usage("-o %s: this is an input, too: give another name", path);
	name = path;
	if (there && S_ISREG(st.st_mode)) {
		path = resolved = realpath(path, NULL); /* a link stays one */
		if (!path)
			fail(name);
	}
	if (!there || S_ISREG(st.st_mode))
		write_aside(path);
	else if (!freopen(path, "w", stdout)) /* renaming cannot replace a device or a pipe */
		fail(path);
	return true;
}

static void output_bytes(const char *path, bool trace)
{
	if (!output_open(path, trace) && isatty(STDOUT_FILENO))
		cli_usage("a trace is not for a terminal: redirect it, pipe it, or use tm-dump");
}

void cli_output_binary(const char *path)
{
	output_bytes(path, false);
}

void cli_output_unpacked(const char *path)
{
	static const char *const packed[] = {".zst", ".gz", ".xz", ".bz2", ".lz4"};
	const char *dot = path ? strrchr(path, '.') : NULL;

	for (size_t i = 0; dot && i < sizeof packed / sizeof *packed; i++)
		if (!strcmp(dot, packed[i]))
			cli_usage("-o %s: traces are not compressed by -o: pipe standard output "
				  "into the compressor",
				  path);
}

void cli_output(const char *path)
{
	cli_output_unpacked(path);
	output_bytes(path, true);
}

/* What can be made again is replaced; what was recorded cannot. */
void cli_output_report(const char *path)
{
	if (is_recording(path))
		cli_usage("-o %s: a report would replace this recording: give another name, or "
			  "remove it first",
			  path);
	output_open(path, false);
}

const char *cli_output_by_name(const char *path)
{
	static char unnamed[32];

	if (!output_open(path, false) || !target)
		return NULL;
	snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", whole);
	return named ? aside : unnamed;
}

void cli_output_done(bool written)
{
	int error;

	if (!target || owner != getpid())
		return;
	error = placer_ask(written ? KEEP : DROP);
	target = NULL;
	if (error) {
		cli_error(name, "%s", strerror(error));
		cli_status(EXIT_INPUT);
	}
	free(resolved);
	resolved = NULL;
}

bool cli_into_pipe(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}
