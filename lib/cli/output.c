/* SPDX-License-Identifier: MIT */
#include "lib/base/buf.h"
#include "lib/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *target;
static struct buf aside;

/* A device or a pipe cannot be replaced by renaming: it is written directly. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static void remove_aside(void)
{
	if (target && aside.len)
		unlink(buf_str(&aside));
}

void cli_output(const char *path)
{
	mode_t mask;
	int fd;

	if (!path || !strcmp(path, "-")) {
		if (isatty(STDOUT_FILENO))
			cli_usage(
			    "a trace is not for a terminal: redirect it, pipe it, or use tm-dump");
		return;
	}
	if (is_special(path)) {
		if (!freopen(path, "w", stdout)) {
			cli_error(path, "%s", strerror(errno));
			exit(EXIT_INPUT);
		}
		return;
	}
	buf_addf(&aside, "%s.XXXXXX", path);
	buf_str(&aside);
	fd = mkstemp(aside.data);
	if (fd < 0 || !freopen(aside.data, "w", stdout)) {
		cli_error(path, "%s", strerror(errno));
		exit(EXIT_INPUT);
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask); /* mkstemp's 0600 is not what the user asked for */
	close(fd);
	target = path;
	atexit(remove_aside);
}

void cli_output_done(bool written)
{
	struct stat st;

	if (!target)
		return;
	if (written && !stat(buf_str(&aside), &st) && st.st_size > 0) {
		if (rename(aside.data, target)) {
			cli_error(target, "%s", strerror(errno));
			cli_status(EXIT_INPUT);
			return;
		}
		target = NULL;
		return;
	}
	remove_aside();
	target = NULL;
}
