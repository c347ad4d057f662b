/* SPDX-License-Identifier: MIT
 *
 * raw_fork: children that the C library's fork handlers hear nothing of (_Fork, the system call),
 * which allocate, and leave by exit and _exit; and one by vfork that allocates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 30000 };

static void work(void)
{
	for (int i = 0; i < BLOCKS; i++)
		free(malloc(10 + (size_t)i % 50));
}

static int reaped(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && status == 7 << 8;
}

int main(void)
{
	int good = 0;
	pid_t child;

	for (int i = 0; i < 4; i++) {
		work();
		child = i < 2 ? _Fork() : (pid_t)syscall(SYS_fork);
		if (!child) {
			work();
			i % 2 ? exit(7) : _exit(7);
		}
		work();
		good += reaped(child);
	}
	child = vfork();
	if (!child) {
		work();
		_exit(7);
	}
	good += reaped(child);
	work();
	printf("%d children\n", good);
	return 0;
}
