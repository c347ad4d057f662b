/* SPDX-License-Identifier: MIT
 *
 * Requests of the drop-ins, one per line, from operands, a file or standard input.
 */
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/cli/cli.h"
#include "lib/cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_called(const char *base, const char *name)
{
	const char *at = strstr(base, name), *behind;

	if (!at || (at != base && at[-1] != '-'))
		return false;
	behind = at + strlen(name);
	return !*behind || (*behind == '-' && !behind[1 + strspn(behind + 1, "0123456789.")]);
}

const char *cli_called(const char *argv0, const char *const *names)
{
	const char *base = argv0 ? path_base(argv0) : NULL;

	if (!base || !strncmp(base, "tm-", 3))
		return NULL;
	for (; *names; names++)
		if (is_called(base, *names))
			return *names;
	return NULL;
}

static void answer_lines(struct input_lines *in, const char *path, cli_answer answer, void *arg)
{
	struct err e = ERR_INIT;
	enum status st = ST_OK;

	if (in->fd < 0)
		st = err_sys(&e, "cannot open");
	while (!st) {
		st = lines_next(in, &e);
		if (!st) {
			answer(arg, in->items, in->n);
			if (fflush(cli_out()))
				break;
		}
	}
	if (st && st != ST_NONE)
		cli_fail(path ? path : "<stdin>", &e);
}

void cli_request_lines(const char *path, cli_answer answer, void *arg)
{
	struct input_lines in = {.fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO};

	answer_lines(&in, path, answer, arg);
	if (path && in.fd >= 0)
		close(in.fd);
	lines_release(&in);
}

static void read_text_lines(bool is_text, size_t longest, cli_answer answer, void *arg)
{
	struct input_lines in = {.fd = STDIN_FILENO, .longest = longest, .is_text = is_text};

	answer_lines(&in, NULL, answer, arg);
	if (text_mark_broken(&in.mark))
		cli_note("<stdin>",
			 "characters were not UTF-16: each became U+FFFD, half a character at the "
			 "end was left out: %" PRIu64,
			 text_mark_broken(&in.mark));
	if (in.dropped)
		cli_note("<stdin>", "%" PRIu64 " bytes of lines longer than %zu are left out",
			 in.dropped, longest);
	lines_release(&in);
}

void cli_text_lines(size_t longest, cli_answer answer, void *arg)
{
	read_text_lines(false, longest, answer, arg);
}

void cli_log_lines(size_t longest, cli_answer answer, void *arg)
{
	read_text_lines(true, longest, answer, arg);
}

void cli_flush_if_large(struct buf *out)
{
	enum { ENOUGH = 256 << 10 };

	if (out->len < ENOUGH)
		return;
	cli_print(out->data, out->len);
	out->len = 0;
}

void cli_requests(int n, char **operands, cli_answer answer, void *arg)
{
	struct input_line *lines;

	if (!n) {
		cli_request_lines(NULL, answer, arg);
		return;
	}
	lines = mem_array((size_t)n, sizeof *lines);
	for (int i = 0; i < n; i++)
		lines[i] = (struct input_line){operands[i], strlen(operands[i])};
	answer(arg, lines, (size_t)n);
	free(lines);
}
