/* SPDX-License-Identifier: MIT */
#include "lib/view/query.h"

#include "lib/base/clock.h"
#include "lib/base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct query_program *find(const struct query_runner *by, const char *word)
{
	if (!strncmp(word, "tm-", 3))
		word += 3;
	for (const struct query_program *p = by->programs; p->name; p++)
		if (!strcmp(p->name, word))
			return p;
	return NULL;
}

static enum status no_program(const struct query_runner *by, const char *word, struct err *e)
{
	char names[160] = "";

	for (const struct query_program *p = by->programs; p->name; p++)
		snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
			 p == by->programs ? "" : ", ", p->name);
	return err_set(e, ST_BAD, "unknown question '%.40s'; known: %s", word, names);
}

static bool is_among(const char *const *names, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], word))
			return true;
	return false;
}

/* A word that names a loaded file, alone or as --trace=FILE. */
static bool is_file(const struct query_runner *by, const struct query_program *p, const char *word)
{
	size_t n = p->captures ? strlen(p->captures) : 0;

	if (n && !strncmp(word, p->captures, n) && word[n] == '=')
		word += n + 1;
	return is_among(by->files, by->n_files, word);
}

/* The value of -n and --top, wherever it is in its word; NULL: the word is neither of them. */
static const char *rows_of(char *const *words, size_t i)
{
	const char *w = words[i];

	if (!strcmp(w, "-n") || !strcmp(w, "--top"))
		return words[i + 1] ? words[i + 1] : "";
	if (!strncmp(w, "--top=", 6))
		return w + 6;
	return w[0] == '-' && w[1] == 'n' ? w + 2 : NULL;
}

static bool is_format_option(const char *word)
{
	return !strcmp(word, "--as") || !strncmp(word, "--as=", 5) || !strcmp(word, "--csv");
}

/* All of it is too much of it; how many there are of how many, the report says. */
static void query_limit_rows(struct query_args *q, const struct query_runner *by)
{
	char text[32];
	uint64_t n;

	snprintf(text, sizeof text, "%" PRIu64, by->rows);
	for (size_t i = 1; i < q->words.n && strcmp(q->words.items[i], "--") != 0; i++) {
		const char *rows = rows_of(q->words.items, i);

		if (!rows || !num_dec(rows, strlen(rows), &n) || (n && n <= by->rows))
			continue;
		if (rows == q->words.items[i + 1]) {
			q->words.items[i + 1] = arena_strndup(&q->arena, text, strlen(text));
			continue;
		}
		snprintf(text, sizeof text, "-n%" PRIu64, by->rows);
		q->words.items[i] = arena_strndup(&q->arena, text, strlen(text));
		snprintf(text, sizeof text, "%" PRIu64, by->rows);
	}
}

/* Its options that it always gets. */
static void query_add_also(struct query_args *q, const char *also)
{
	struct argv_list words = {.n = 0};
	struct err e = ERR_INIT;

	if (also && !argv_split(&words, &q->arena, also, strlen(also), &e))
		for (size_t i = 0; i < words.n; i++)
			argv_add(&q->words, &q->arena, words.items[i]);
	argv_release(&words);
}

/* The query, what is added, and behind all options the files, or the binaries. */
static void query_complete(struct query_args *q, const struct query_runner *by,
			   const struct query_program *p, const struct argv_list *asked)
{
	char name[32];
	bool form = false, files = false, binaries = false, named;
	const char *const *operands = p->captures ? by->binaries : by->files;
	size_t end = 1, n = p->captures ? by->n_binaries : by->n_files;

	snprintf(name, sizeof name, "tm-%s", p->name);
	argv_add(&q->words, &q->arena, name);
	for (; end < asked->n && strcmp(asked->items[end], "--") != 0; end++) {
		form |= is_format_option(asked->items[end]);
		files |= is_file(by, p, asked->items[end]);
		binaries |= is_among(by->binaries, by->n_binaries, asked->items[end]);
		argv_add(&q->words, &q->arena, asked->items[end]);
	}
	if (!form) {
		argv_add(&q->words, &q->arena, "--as");
		argv_add(&q->words, &q->arena, "json");
	}
	query_add_also(q, p->also);
	for (size_t i = 0; i < by->n_files && p->captures && !files; i++) {
		argv_add(&q->words, &q->arena, p->captures);
		argv_add(&q->words, &q->arena, by->files[i]);
	}
	named = p->captures ? binaries : files;
	if (end < asked->n || !named)
		argv_add(&q->words, &q->arena, "--");
	for (size_t i = end + 1; i < asked->n; i++)
		argv_add(&q->words, &q->arena, asked->items[i]);
	for (size_t i = 0; i < n && !named && end + 1 >= asked->n; i++)
		argv_add(&q->words, &q->arena, operands[i]);
	query_limit_rows(q, by);
}

enum status query_args_make(struct query_args *q, const struct query_runner *by, const char *text,
			    size_t n, struct err *e)
{
	struct argv_list asked = {.n = 0};
	const struct query_program *p;
	enum status st;

	*q = (struct query_args){.main = NULL};
	st = argv_split(&asked, &q->arena, text, n, e);
	if (!st && !asked.n)
		st = err_set(e, ST_BAD, "an empty question");
	if (!st) {
		p = find(by, asked.items[0]);
		if (p && p->captures && !by->n_binaries) {
			st = err_set(e, ST_BAD, "no binary was named: tm-view -e FILE");
		} else if (p) {
			q->main = p->main;
			query_complete(q, by, p, &asked);
		} else {
			st = no_program(by, asked.items[0], e);
		}
	}
	argv_release(&asked);
	if (st)
		query_args_release(q);
	return st;
}

void query_args_release(struct query_args *q)
{
	argv_release(&q->words);
	arena_release(&q->arena);
}

static _Noreturn void in_child(const struct query_runner *by, const struct query_args *q, int out,
			       int err)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(3);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (by->child)
		by->child(by->arg, &q->words);
	exit(q->main((int)q->words.n, q->words.items));
}

bool query_result_start(struct query_result *a, const struct query_runner *by,
			const struct query_args *q, struct err *e)
{
	int out[2], err[2];

	*a = (struct query_result){.out = -1, .err = -1, .bytes = by->bytes};
	if (pipe2(out, O_CLOEXEC)) {
		err_sys(e, "a pipe");
		return false;
	}
	if (pipe2(err, O_CLOEXEC)) {
		err_sys(e, "a pipe");
		close(out[0]);
		close(out[1]);
		return false;
	}
	fflush(NULL);
	a->pid = fork();
	if (!a->pid)
		in_child(by, q, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	a->out = out[0];
	a->err = err[0];
	if (a->pid < 0) {
		err_sys(e, "a process");
		a->pid = 0;
		close(a->out);
		close(a->err);
		return false;
	}
	fcntl(a->out, F_SETFL, O_NONBLOCK);
	fcntl(a->err, F_SETFL, O_NONBLOCK);
	a->until = clock_ms() + (int64_t)by->seconds * 1000;
	return true;
}

/* Closes *fd when there will be no more. */
static void read_some(int *fd, struct buf *to, size_t most)
{
	enum { PIECE = 64 << 10 };
	ssize_t n = 1;

	while (*fd >= 0 && n > 0 && to->len <= most) {
		n = read(*fd, buf_reserve(to, PIECE), PIECE);
		if (n > 0)
			to->len += (size_t)n;
	}
	if (*fd >= 0 && (!n || (n < 0 && errno != EAGAIN && errno != EINTR))) {
		close(*fd);
		*fd = -1;
	}
}

static void reap(struct query_result *a)
{
	int status = 0;

	while (waitpid(a->pid, &status, 0) < 0 && errno == EINTR)
		;
	a->pid = 0;
	a->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void end(struct query_result *a, const char *why)
{
	if (a->out >= 0)
		close(a->out);
	if (a->err >= 0)
		close(a->err);
	a->out = a->err = -1;
	if (why)
		kill(a->pid, SIGKILL);
	a->ended = why;
	reap(a);
}

bool query_result_go_on(struct query_result *a)
{
	enum { MESSAGES = 1 << 20 };

	if (!a->pid)
		return true;
	read_some(&a->out, &a->text, a->bytes);
	read_some(&a->err, &a->messages, MESSAGES);
	if (a->text.len > a->bytes || a->messages.len > MESSAGES)
		end(a, "the answer is longer than may be (--answer-bytes): ask for fewer rows");
	else if (clock_ms() >= a->until)
		end(a, "it took longer than may be (--time-limit)");
	else if (a->out < 0 && a->err < 0)
		end(a, NULL);
	return !a->pid;
}

int query_result_left(const struct query_result *a)
{
	int64_t left = a->until - clock_ms();

	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

void query_result_wait(struct query_result *a)
{
	while (!query_result_go_on(a)) {
		struct pollfd fds[2] = {{a->out, POLLIN, 0}, {a->err, POLLIN, 0}};

		poll(fds, 2, query_result_left(a) + 1);
	}
}

void query_result_release(struct query_result *a)
{
	if (a->pid)
		end(a, "nobody waits for it");
	buf_release(&a->text);
	buf_release(&a->messages);
}
