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

static pid_t pager;
static int text_to = -1; /* its standard input */

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

/* In the child. A successful exec closes the pipe `failed`; else it gets the number of the error. */
static _Noreturn void pager_become(char **words, int from, int failed)
{
	int number;

	dup2(from, STDIN_FILENO);
	setenv("LESS", "FRX", 0); /* ends at once with less than a screen, keeps colours */
	execvp(words[0], words);
	number = errno;
	while (write(failed, &number, sizeof number) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Waits for the exec. */
static bool pager_is_running(int failed)
{
	int number;
	ssize_t n;

	do
		n = read(failed, &number, sizeof number);
	while (n < 0 && errno == EINTR);
	return !n;
}

static void pager_run(char **words)
{
	int text[2], failed[2] = {-1, -1};

	if (pipe2(text, O_CLOEXEC))
		return;
	if (!pipe2(failed, O_CLOEXEC)) {
		pager = fork();
		if (!pager)
			pager_become(words, text[0], failed[1]);
		close(failed[1]);
		text_to = text[1];
		if (pager < 0 || !pager_is_running(failed[0]))
			cli_pager_end();
		close(failed[0]);
	} else {
		close(text[1]);
	}
	close(text[0]);
}

/* A program that ends by an error leaves the terminal to the shell only when the pager does. */
static void pager_give_up(void)
{
	if (text_to >= 0)
		cli_pager_end();
}

void cli_pager_prepare(void)
{
	char *text, **words = pager_words(&text);

	if (words[0] && strcmp(words[0], "cat") != 0)
		pager_run(words);
	if (pager > 0)
		atexit(pager_give_up);
	free(words);
	free(text);
}

void cli_pager_start(void)
{
	if (text_to < 0)
		return;
	fflush(stdout);
	if (dup2(text_to, STDOUT_FILENO) >= 0) {
		/* The pager takes ^C for itself, and may end before the text does; the status of
		 * the program is still the report's. */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
	}
	close(text_to);
	text_to = -1;
}

void cli_pager_end(void)
{
	if (text_to >= 0)
		close(text_to);
	text_to = -1;
	if (pager > 0)
		while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
			;
	pager = 0;
}
