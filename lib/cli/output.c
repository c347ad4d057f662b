/* SPDX-License-Identifier: MIT
 *
 * Standard output or the file of --output, which gets its name only when it is complete. A process of its own
 * gives it the name, or removes what is not to stay: it is forked before the sandbox and hears one byte, so that
 * what reads inputs can make, replace and remove no file, and so that nothing stays of a program that is killed.
 */
#include "lib/base/buf.h"
#include "lib/cli/cli.h"
#include "lib/sandbox/sandbox.h"
#include "lib/trace/encode.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *resolved; /* target may point to it */
static const char *name = "standard output";
static const char *target; /* set while there is a file aside that is to become it */
/* The file aside: its descriptor, and a name while it has one. Where the file system can, it has
 * none until it is whole, so that nothing is left of a machine that stops. */
static int unnamed = -1;
static struct buf aside, folder;
static bool named;
static pid_t owner; /* children that are forked for other work must leave it alone */

const char *cli_output_name(void)
{
	return name;
}

/* --- the process that gives the name --- */

enum request { KEEP = 'k', DROP = 'd' };

static pid_t placer;
static int ask[2] = {-1, -1}, answers = -1;

/* A name of its own for what has none yet: only a rename replaces what is there. */
static bool link_aside(const char *from)
{
	unsigned n = 0;

	do {
		aside.len = 0;
		buf_addf(&aside, "%s.%ld-%u", target, (long)owner, n);
		buf_str(&aside);
		named = !linkat(AT_FDCWD, from, AT_FDCWD, aside.data, AT_SYMLINK_FOLLOW);
	} while (!named && errno == EEXIST && ++n < 1000);
	return named;
}

/* How the kernel names the file without a name. */
static const char *link_of(int fd)
{
	static char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return path;
}

/* False: errno says why. */
static bool give_name(void)
{
	if (unnamed >= 0 &&
	    !linkat(AT_FDCWD, link_of(unnamed), AT_FDCWD, target, AT_SYMLINK_FOLLOW))
		return true;
	if (unnamed >= 0 && (errno != EEXIST || !link_aside(link_of(unnamed))))
		return false;
	if (rename(aside.data, target))
		return false;
	named = false;
	return true;
}

/* What is empty gets no name. 0, or errno. */
static int placer_keep(void)
{
	struct stat st;

	if (unnamed >= 0 ? fstat(unnamed, &st) : stat(aside.data, &st))
		return errno;
	return st.st_size > 0 && !give_name() ? errno : 0;
}

/* Else it would hold pipes open that others wait for the end of. */
static void placer_close_others(int reply)
{
	for (int fd = 0, end = (int)sysconf(_SC_OPEN_MAX); fd < end && fd < 1024; fd++)
		if (fd != ask[0] && fd != reply && fd != unnamed)
			close(fd);
}

static _Noreturn void placer_work(int reply)
{
	static const int keys[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
	int error = 0;
	char what = DROP;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		signal(keys[i], SIG_IGN); /* it ends behind the one that was to be ended */
	placer_close_others(reply);
	while (read(ask[0], &what, 1) < 0 && errno == EINTR)
		;
	if (what == KEEP)
		error = placer_keep();
	if (named)
		unlink(aside.data);
	_exit(write(reply, &error, sizeof error) == sizeof error ? 0 : 1);
}

static _Noreturn void fail(const char *path)
{
	cli_error(path, "%s", strerror(errno));
	exit(EXIT_INPUT);
}

static void placer_start(const char *path)
{
	int reply[2];

	if (pipe2(ask, O_CLOEXEC) || pipe2(reply, O_CLOEXEC))
		fail(path);
	placer = fork();
	if (placer < 0) {
		placer = 0;
		if (named)
			unlink(aside.data);
		fail(path);
	}
	if (!placer)
		placer_work(reply[1]);
	close(reply[1]); /* but not ask[0]: a write then is no SIGPIPE */
	answers = reply[0];
}

/* 0, or errno. Only what a signal handler may do. */
static int placer_ask(enum request what)
{
	char c = (char)what;
	int error = EPIPE;

	if (write(ask[1], &c, 1) != 1)
		return errno;
	while (read(answers, &error, sizeof error) < 0 && errno == EINTR)
		;
	return error;
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

static void find_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	buf_addf(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	buf_str(&folder);
}

static bool open_unnamed(void)
{
	int fd = open(folder.data, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

	if (fd < 0)
		return false;
	unnamed = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* it outlives standard output */
	close(fd);
	if (unnamed >= 0 && access(link_of(unnamed), F_OK)) {
		close(unnamed);
		unnamed = -1;
	}
	return unnamed >= 0;
}

/* Gives the descriptor. */
static int open_named(const char *path)
{
	mode_t mask;
	int fd;

	buf_addf(&aside, "%s.XXXXXX", path);
	buf_str(&aside);
	fd = mkstemp(aside.data);
	if (fd < 0)
		fail(path);
	named = true;
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask); /* mkstemp's 0600 is not what the user asked for */
	return fd;
}

/* The file aside gets its name in the folder, or is removed. */
static void write_aside(const char *path, bool by_name)
{
	int fd;

	find_folder(path);
	fd = !by_name && open_unnamed() ? unnamed : open_named(path);
	target = path;
	owner = getpid();
	placer_start(path);
	atexit(output_remove_aside);
	sandbox_on_breach = output_remove_aside;
	clean_up_on_signals();
	fflush(stdout);
	if (dup2(fd, STDOUT_FILENO) < 0)
		fail(path);
	if (fd != unnamed && fd != STDOUT_FILENO)
		close(fd);
}

/* False: it is standard output. */
static bool output_open(const char *path, bool by_name)
{
	bool standard = !path || !strcmp(path, "-"), there;
	struct stat st, own;

	there = !standard && !stat(path, &st);
	if (there && !fstat(STDOUT_FILENO, &own)) /* /dev/stdout */
		standard = st.st_dev == own.st_dev && st.st_ino == own.st_ino;
	if (standard)
		return false;
	name = path;
	if (there && S_ISREG(st.st_mode)) {
		path = resolved = realpath(path, NULL); /* a link stays one */
		if (!path)
			fail(name);
	}
	if (!there || S_ISREG(st.st_mode))
		write_aside(path, by_name);
	else if (!freopen(path, "w", stdout)) /* renaming cannot replace a device or a pipe */
		fail(path);
	return true;
}

void cli_output_binary(const char *path)
{
	if (!output_open(path, false) && isatty(STDOUT_FILENO))
		cli_usage("a trace is not for a terminal: redirect it, pipe it, or use tm-dump");
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
	cli_output_binary(path);
}

/* What can be made again is replaced; what was recorded cannot. */
static bool is_recording(const char *path)
{
	char first[TRACE_MAGIC_SIZE];
	struct stat st;
	int fd =
	    path && !stat(path, &st) && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, first, sizeof first) == (ssize_t)sizeof first &&
	     !memcmp(first, TRACE_MAGIC, sizeof first);
	close(fd);
	return is;
}

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
	return output_open(path, true) && target ? aside.data : NULL;
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
	while (waitpid(placer, NULL, 0) < 0 && errno == EINTR)
		;
	free(resolved);
	resolved = NULL;
}

bool cli_into_pipe(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}
