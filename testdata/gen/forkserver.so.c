/* SPDX-License-Identifier: MIT
 *
 * A fork server (the term is AFL's), preloaded into a program: the program is loaded and linked
 * once, then forks a copy of itself, which runs main, for each byte that comes on descriptor
 * FORK_REQUESTS; how each copy ended goes to FORK_ENDS as a struct fork_end. manners.h is the other
 * side.
 */
#include "testdata/gen/manners.h"

__attribute__((constructor)) static void forkserver_start(void)
{
	char byte;

	if (!getenv(FORK_VARIABLE))
		return;
	unsetenv(FORK_VARIABLE);
	unsetenv("LD_PRELOAD");
	while (read(FORK_REQUESTS, &byte, 1) == 1) {
		struct fork_end end = {0};
		pid_t child = fork();

		if (!child) {
			close(FORK_REQUESTS);
			close(FORK_ENDS);
			alarm(20);
			return;
		}
		if (child < 0 || wait4(child, &end.status, 0, &end.usage) != child ||
		    write(FORK_ENDS, &end, sizeof end) != sizeof end)
			break;
	}
	_exit(0);
}
