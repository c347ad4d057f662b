/* SPDX-License-Identifier: MIT */
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

static _Noreturn void become(char **words, int from, int tell)
{
	int number;

	dup2(from, STDIN_FILENO);
	setenv("LESS", "FRX", 0); /* ends at once with less than a screen, keeps colours */
	execvp(words[0], words);
	number = errno;
	while (write(tell, &number, sizeof number) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* The pipe `told` is closed by a successful exec: only then is standard output given away. */
static void run(char **words)
{
	int text[2], told[2], number = 0;
	ssize_t n;

	if (pipe2(text, O_CLOEXEC))
		return;
	if (pipe2(told, O_CLOEXEC)) {
		close(text[0]);
		close(text[1]);
		return;
	}
	fflush(stdout);
	pager = fork();
	if (pager == 0)
		become(words, text[0], told[1]);
	close(text[0]);
	close(told[1]);
	do
		n = pager > 0 ? read(told[0], &number, sizeof number) : -1;
	while (n < 0 && pager > 0 && errno == EINTR);
	close(told[0]);
	if (n == 0 && dup2(text[1], STDOUT_FILENO) >= 0) {
		/* The pager takes ^C for itself, and may end before the text does; the status of
		 * the program is still the report's. */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
	} else if (pager > 0) {
		waitpid(pager, NULL, 0);
		pager = 0;
	}
	close(text[1]);
}

void cli_pager_start(void)
{
	char *text, **words = pager_words(&text);

	if (words[0] && strcmp(words[0], "cat") != 0)
		run(words);
	free(words);
	free(text);
}

void cli_pager_end(void)
{
	if (pager > 0)
		while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
			;
	pager = 0;
}
