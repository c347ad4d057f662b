/* SPDX-License-Identifier: MIT
 *
 * The pager, for reports on a terminal.
 */
#include "lib/base/mem.h"
#include "lib/cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GO, TEXT, TOLD, PIPES };

static pid_t pager;
static int pipes[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}};

/* $PAGER's words, with blanks between; no shell looks at them, so quotes are not special. */
static char **pager_words(char **text)
{
	const char *s = getenv("PAGER");
	char **words = NULL, *save = NULL;
	size_t n = 0, cap = 0;

	*text = mem_strdup(s ? s : "less");
	for (char *w = strtok_r(*text, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
		VEC_PUSH(words, n, cap) = w;
	VEC_PUSH(words, n, cap) = NULL;
	return words;
}

/* In the child, which waits for the word: a program in its sandbox could not start one later. */
static _Noreturn void become(char **words, int from, int go, int tell)
{
	int number = 0;
	char word;

	if (read(go, &word, 1) != 1) /* there was nothing to show */
		_exit(0);
	dup2(from, STDIN_FILENO);
	setenv("LESS", "FRX", 0); /* ends at once with less than a screen, keeps colours */
	if (write(tell, &number, sizeof number) < 0)
		_exit(127);
	execvp(words[0], words);
	number = errno;
	while (write(tell, &number, sizeof number) < 0 && errno == EINTR)
		;
	_exit(127);
}

static void close_pipes(void)
{
	for (size_t i = 0; i < PIPES; i++)
		for (size_t k = 0; k < 2; k++)
			if (pipes[i][k] >= 0) {
				close(pipes[i][k]);
				pipes[i][k] = -1;
			}
}

static void pager_prepare(char **words)
{
	for (size_t i = 0; i < PIPES; i++)
		if (pipe2(pipes[i], O_CLOEXEC)) {
			pipes[i][0] = pipes[i][1] = -1;
			close_pipes();
			return;
		}
	pager = fork();
	if (pager == 0) {
		close(pipes[GO][1]);
		close(pipes[TEXT][1]);
		become(words, pipes[TEXT][0], pipes[GO][0], pipes[TOLD][1]);
	}
	close(pipes[TOLD][1]);
	pipes[TOLD][1] = -1;
	if (pager < 0)
		close_pipes();
}

void cli_pager_prepare(void)
{
	char *text, **words = pager_words(&text);

	if (words[0] && strcmp(words[0], "cat") != 0)
		pager_prepare(words);
	free(words);
	free(text);
}

/* Its next word; false: it has closed the pipe. */
static bool told(int *number)
{
	ssize_t n;

	do
		n = read(pipes[TOLD][0], number, sizeof *number);
	while (n < 0 && errno == EINTR);
	return n == sizeof *number;
}

/* It says 0 before the exec, and why not behind one that failed; a successful exec closes the pipe:
 * only then is standard output given away. */
void cli_pager_start(void)
{
	int number = 0;

	if (pager <= 0)
		return;
	fflush(stdout);
	if (write(pipes[GO][1], "", 1) == 1 && told(&number) && !number && !told(&number) &&
	    dup2(pipes[TEXT][1], STDOUT_FILENO) >= 0) {
		/* The pager takes ^C for itself, and may end before the text does; the status of
		 * the program is still the report's. */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
	}
	close_pipes();
}

void cli_pager_end(void)
{
	close_pipes();
	if (pager > 0)
		while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
			;
	pager = 0;
}
