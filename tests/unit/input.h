/* SPDX-License-Identifier: MIT
 *
 * Helpers of the tests of lib/input: one temporary file, and bytes that come through a pipe to
 * standard input.
 */
#ifndef TM_TESTS_UNIT_INPUT_H
#define TM_TESTS_UNIT_INPUT_H

#include "lib/base/buf.h"
#include "lib/input/input.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[] = "/tmp/tm-unit-input-XXXXXX";

static inline void write_file(const void *p, size_t n)
{
	static bool made;
	FILE *f;

	if (!made) {
		close(mkstemp(path));
		made = true;
	}
	f = fopen(path, "wb");
	CHECK(f && fwrite(p, 1, n, f) == n && !fclose(f));
}

__attribute__((destructor)) static void remove_file(void)
{
	unlink(path);
}

/* The read end of a pipe, as standard input, into which a child writes. */
static inline pid_t pipe_to_stdin(const struct buf *b, int *saved)
{
	int fds[2];
	pid_t pid;

	*saved = dup(0);
	CHECK(!pipe(fds));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		size_t at = 0;

		close(fds[0]);
		while (at < b->len) {
			size_t n = at % 7919 + 1;
			ssize_t put =
			    write(fds[1], b->data + at, n < b->len - at ? n : b->len - at);

			if (put <= 0)
				break;
			at += (size_t)put;
		}
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], 0);
	close(fds[0]);
	return pid;
}

static inline void restore_stdin(pid_t pid, int saved)
{
	dup2(saved, 0);
	close(saved);
	waitpid(pid, NULL, 0);
}

#endif
