/* SPDX-License-Identifier: MIT
 *
 * daemon FILE [handlers]: goes into the background as daemons do: two forks, a session of its own,
 * every descriptor closed, the first free ones for standard input, output and error. What it finds
 * is in FILE when it ends. With a second word its parents run their exit handlers, in which they
 * would write what they must not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void leave(int argc)
{
	if (argc > 2)
		exit(0);
	_exit(0);
}

int main(int argc, char **argv)
{
	char *lines[200];
	int fd[4];
	FILE *f;

	if (argc < 2)
		return 2;
	free(malloc(1000));
	if (fork())
		leave(argc);
	if (setsid() < 0)
		_exit(1);
	if (fork())
		leave(argc);
	umask(022);
	for (int i = (int)sysconf(_SC_OPEN_MAX) - 1; i >= 0; i--)
		close(i);
	for (int i = 0; i < 4; i++)
		fd[i] = open("/dev/null", O_RDWR | (i == 3 ? O_CLOEXEC : 0));
	f = fopen("log", "w");
	if (!f)
		_exit(1);
	for (int i = 0; i < 200; i++) {
		lines[i] = malloc(100);
		snprintf(lines[i], 100, "line %d", i);
	}
	fprintf(f, "descriptors %d %d %d %d, %s\n", fd[0], fd[1], fd[2], fd[3], lines[199]);
	for (int i = 0; i < 200; i++)
		free(lines[i]);
	fclose(f);
	return rename("log", argv[1]) != 0;
}
