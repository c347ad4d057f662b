/* SPDX-License-Identifier: MIT */
#include "lib/sandbox/confined.h"

#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20, FILE_FD = 3, ANSWER_FD };

static bool write_all(int fd, const uint8_t *p, size_t n)
{
	for (ssize_t done; n; p += done, n -= (size_t)done) {
		done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return false;
	}
	return true;
}

static bool read_all(int fd, uint8_t *p, size_t n)
{
	for (ssize_t done; n; p += done, n -= (size_t)done) {
		done = read(fd, p, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return false;
	}
	return true;
}

/* The two descriptors under numbers of their own; the others are not the child's. */
static void keep_two(int file, int answer)
{
	int a = file < 0 ? 0 : fcntl(file, F_DUPFD, ANSWER_FD + 1),
	    b = fcntl(answer, F_DUPFD, ANSWER_FD + 1);

	if (a < 0 || b < 0 || (file >= 0 && dup2(a, FILE_FD) < 0) || dup2(b, ANSWER_FD) < 0)
		_exit(1);
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, ANSWER_FD + 1, ~0u, 0))
		return;
#endif
	for (int fd = ANSWER_FD + 1, end = (int)sysconf(_SC_OPEN_MAX); fd < end && fd < 1 << 16;
	     fd++)
		close(fd);
}

static void hold_all(void)
{
	setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
	sandbox_enter(sandbox_profile(SANDBOX_LOOK, NULL));
}

bool confined_look(void (*hold)(void), void (*look)(int fd, void *answer), int fd, void *answer,
		   size_t n)
{
	int pipes[2], status;
	bool done;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		keep_two(fd, pipes[1]);
		(hold ? hold : hold_all)();
		look(fd < 0 ? -1 : FILE_FD, answer);
		_exit(write_all(ANSWER_FD, answer, n) ? 0 : 1);
	}
	close(pipes[1]);
	done = pid > 0 && read_all(pipes[0], answer, n);
	close(pipes[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return done;
}
