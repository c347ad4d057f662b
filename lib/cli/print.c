/* SPDX-License-Identifier: MIT
 *
 * Text of other tools' forms: names are in it unescaped, so that programs find them. A terminal
 * must not obey them.
 */
#include "lib/base/utf.h"
#include "lib/cli/cli.h"
#include "lib/cli/session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static FILE *shown;
static char held[4]; /* the beginning of a character whose rest was not written yet */
static size_t n_held;

bool cli_terminal(void)
{
	static int terminal = -1;

	if (cli_now->host)
		return false;
	if (terminal < 0)
		terminal = isatty(STDOUT_FILENO);
	return terminal;
}

static void put_failed(void)
{
	if (!cli_now->put_errno)
		cli_now->put_errno = errno;
}

void cli_write(const char *s, size_t n)
{
	if (n && fwrite(s, 1, n, cli_out()) < n)
		put_failed();
}

void cli_flush(void)
{
	if (fflush(cli_out()))
		put_failed();
}

void cli_print(const char *s, size_t n)
{
	struct buf b = BUF_INIT;

	if (cli_terminal()) {
		buf_add_visible(&b, s, n, "\n\t\\");
		s = b.data;
		n = b.len;
	}
	cli_write(s, n);
	buf_release(&b);
}

/* ESC [ digits and ; m, which does no more than colour; 0: none begins here. */
static size_t color_length(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 3 || memcmp(s, "\033[", 2) != 0)
		return 0;
	while (i < n && i < 16 && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'))
		i++;
	return i < n && s[i] == 'm' ? i + 1 : 0;
}

void cli_print_colored(const char *s, size_t n)
{
	while (cli_terminal() && n) {
		const char *code = memchr(s, '\033', n);
		size_t before = code ? (size_t)(code - s) : n;
		size_t length = code ? color_length(code, n - before) : 0;

		if (code && !length)
			length = 1;
		cli_print(s, before);
		if (length > 1)
			cli_write(code, length);
		else if (length)
			cli_print(code, 1);
		s += before + length;
		n -= before + length;
	}
	cli_print(s, n);
}

void cli_write_stderr(const char *s, size_t n)
{
	struct buf b = BUF_INIT;

	if (!cli_now->host && isatty(STDERR_FILENO)) {
		buf_add_visible(&b, s, n, "\n\t\\");
		s = b.data;
		n = b.len;
	}
	cli_progress_clear();
	if (n)
		fwrite(s, 1, n, cli_err());
	buf_release(&b);
}

/* How many bytes at the end begin a character of UTF-8 and do not end it. */
static size_t unfinished(const char *s, size_t n)
{
	for (size_t k = 1; k <= 3 && k <= n; k++) {
		unsigned char c = (unsigned char)s[n - k];

		if (c >= 0xc0)
			return k < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? k : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

static ssize_t print_write_shown(void *arg, const char *s, size_t n)
{
	struct buf b = BUF_INIT;

	(void)arg;
	buf_add(&b, held, n_held);
	buf_add(&b, s, n);
	n_held = unfinished(b.data, b.len);
	memcpy(held, b.data + b.len - n_held, n_held);
	cli_print(b.data, b.len - n_held);
	buf_release(&b);
	return ferror(stdout) ? 0 : (ssize_t)n; /* 0: an error, as fopencookie(3) says */
}

FILE *cli_text_stream(void)
{
	static const cookie_io_functions_t how = {.write = print_write_shown};

	if (!cli_terminal())
		return cli_out();
	if (!shown)
		shown = fopencookie(NULL, "w", how);
	return shown ? shown : stdout;
}

void cli_text_end(void)
{
	if (cli_now->host || !shown)
		return;
	fclose(shown);
	shown = NULL;
	cli_print(held, n_held);
	n_held = 0;
}
