/* SPDX-License-Identifier: MIT */
#include "lib/base/buf.h"
#include "lib/cli/cli.h"
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *resolved; /* target may point to it */
static const char *name = "standard output";
static const char *target; /* set while there is a file aside that is to become it */
static struct buf aside, folder;
static pid_t owner; /* children that are forked for other work must leave it alone */

const char *cli_output_name(void)
{
	return name;
}

static void remove_aside(void)
{
	if (target && owner == getpid())
		unlink(aside.data);
}

/* The handler was reset: at its end the signal does what it always does. */
static void on_signal(int number)
{
	remove_aside();
	raise(number);
}

static void clean_up_on_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction old, new = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};

		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &new, NULL);
	}
}

static _Noreturn void fail(const char *path)
{
	cli_error(path, "%s", strerror(errno));
	exit(EXIT_INPUT);
}

/* What stands aside gets its name there, or goes. */
static void allow_renaming(const char *path)
{
	const char *slash = strrchr(path, '/');

	buf_addf(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	sandbox_allow(SANDBOX_FOLDER, buf_str(&folder));
	sandbox_on_breach = remove_aside;
}

static void write_aside(const char *path)
{
	mode_t mask;
	int fd;

	buf_addf(&aside, "%s.XXXXXX", path);
	buf_str(&aside);
	fd = mkstemp(aside.data);
	if (fd < 0)
		fail(path);
	target = path;
	owner = getpid();
	atexit(remove_aside);
	allow_renaming(path);
	clean_up_on_signals();
	if (!freopen(aside.data, "w", stdout))
		fail(path);
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask); /* mkstemp's 0600 is not what the user asked for */
	close(fd);
}

/* False: it is standard output. */
static bool open_output(const char *path)
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
		write_aside(path);
	else if (!freopen(path, "w", stdout)) /* renaming cannot replace a device or a pipe */
		fail(path);
	return true;
}

void cli_output(const char *path)
{
	if (!open_output(path) && isatty(STDOUT_FILENO))
		cli_usage("a trace is not for a terminal: redirect it, pipe it, or use tm-dump");
}

void cli_output_report(const char *path)
{
	open_output(path);
}

const char *cli_output_aside(void)
{
	return target ? buf_str(&aside) : NULL;
}

void cli_output_done(bool written)
{
	struct stat st;
	bool kept = false;

	if (!target)
		return;
	if (written) {
		kept = !stat(aside.data, &st) && (st.st_size == 0 || !rename(aside.data, target));
		if (!kept) {
			cli_error(name, "%s", strerror(errno));
			cli_status(EXIT_INPUT);
		}
		kept = kept && st.st_size > 0;
	}
	if (!kept)
		remove_aside();
	target = NULL;
	free(resolved);
	resolved = NULL;
}

bool cli_into_pipe(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}
