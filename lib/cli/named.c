/* SPDX-License-Identifier: MIT */
#include "lib/cli/named.h"

#include "lib/base/mem.h"
#include "lib/cli/front.h"
#include "lib/trace/encode.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What begins as a trace, or packed, as a trace may be. */
static bool named_may_be_trace(const char *path)
{
	static const char *const packed[] = {"\x28\xb5\x2f\xfd", "\x1f\x8b",
					     "\xfd"
					     "7zXZ"};
	char first[TRACE_MAGIC_SIZE] = {0};
	struct stat st;
	int fd = !stat(path, &st) && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, first, sizeof first) == (ssize_t)sizeof first;
	close(fd);
	if (is && !memcmp(first, TRACE_MAGIC, sizeof first))
		return true;
	for (size_t i = 0; is && i < sizeof packed / sizeof *packed; i++)
		if (!memcmp(first, packed[i], strlen(packed[i])))
			return true;
	return false;
}

/* All that it writes into a file without a name. */
static int run_named(const char *path)
{
	char quiet[] = "-q", useful[] = "--if-useful", end[] = "--", *name = mem_strdup(path);
	struct err e = ERR_INIT;
	int fd = input_temporary(&e);

	if (fd >= 0)
		front_run("symbolize", (char *[]){NULL, quiet, useful, end, name, NULL}, fd);
	free(name);
	return fd;
}

static int named_start(const char *path)
{
	char quiet[] = "-q", useful[] = "--if-useful", end[] = "--", *name;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		name = mem_strdup(path);
		if (dup2(ends[1], STDOUT_FILENO) >= 0)
			front_exec("symbolize", (char *[]){NULL, quiet, useful, end, name, NULL});
		_exit(127);
	}
	close(ends[1]);
	if (pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

void cli_named_start(struct cli_named *m, int n, char **operands, const struct import_options *o,
		     bool again)
{
	m->again = again;
	if (n > NAMED_MOST || o->maps || o->config || o->has_slide || o->locations || o->offsets ||
	    (o->format && strcmp(o->format, "trace") != 0))
		return;
	for (int i = 0; i < n; i++)
		if (named_may_be_trace(operands[i])) {
			int fd = again ? run_named(operands[i]) : named_start(operands[i]);

			VEC_PUSH(m->items, m->n, m->cap) = (struct cli_named_one){operands[i], fd};
		}
}

int cli_named_take(struct cli_named *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].fd >= 0 && !strcmp(m->items[i].path, path)) {
			int fd = m->items[i].fd;

			if (m->again && lseek(fd, 0, SEEK_SET) >= 0)
				return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
			m->items[i].fd = -1;
			return fd;
		}
	return -1;
}

void cli_named_release(struct cli_named *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].fd >= 0)
			close(m->items[i].fd);
	free(m->items);
	*m = (struct cli_named){.n = 0};
}
