/* SPDX-License-Identifier: MIT */
#include "lib/view/query.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/resource_scope.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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

	*q = (struct query_args){.program = NULL};
	st = argv_split(&asked, &q->arena, text, n, e);
	if (!st && !asked.n)
		st = err_set(e, ST_BAD, "an empty question");
	if (!st) {
		p = find(by, asked.items[0]);
		if (p && p->captures && !by->n_binaries) {
			st = err_set(e, ST_BAD, "no binary was named: tm-view -e FILE");
		} else if (p) {
			q->program = p;
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
	free(q->formed);
}

enum status query_form_write(void *args, const struct table_document *d,
			     const struct render_options *o, FILE *out, struct err *e)
{
	struct query_args *q = args;
	struct table_section one;
	struct table_document chosen;
	enum status st = q->form.make ? render_chosen(d, o, &one, &chosen, e) : ST_NONE;

	(void)out;
	if (st)
		return st;
	free(q->formed);
	q->formed = NULL;
	q->formed = q->form.make(&q->form, &chosen, &q->n_formed);
	return ST_OK;
}

/* --- the thread of an answer --- */

enum { EXIT_MEMORY = 3 };

/* Of the thread, and of who waits for it; the last of both ends it. */
struct query_work {
	atomic_int holders;
	atomic_bool cancelled;
	atomic_int status;
	const struct query_runner *by;
	struct query_args args;
	int out, err;
	FILE *to, *messages;
};

static void work_drop(struct query_work *w)
{
	if (atomic_fetch_sub(&w->holders, 1) > 1)
		return;
	query_args_release(&w->args);
	free(w);
}

static void work_do(void *arg)
{
	struct query_work *w = arg;

	w->by->answer(w->by->arg, &w->args, w->to, w->messages);
}

/* What it took is given back, however it ends; who asked hears of the end by the ends of both streams. */
static void work_run(struct query_work *w)
{
	struct resource_scope *scope = resource_scope_new(&w->cancelled);
	enum resource_scope_end end = RESOURCE_SCOPE_NO_MEMORY;
	int status = EXIT_MEMORY;

	w->to = fdopen(w->out, "w");
	w->messages = fdopen(w->err, "w");
	if (scope && w->to && w->messages)
		end = resource_scope_run(scope, work_do, w);
	if (end == RESOURCE_SCOPE_DONE || end == RESOURCE_SCOPE_LEFT)
		status = w->by->status();
	else if (end == RESOURCE_SCOPE_NO_MEMORY && w->messages)
		fprintf(w->messages, "%s: out of memory\n", w->args.words.items[0]);
	resource_scope_free(scope);
	malloc_trim(0); /* for what comes next, in pieces of other sizes */
	atomic_store(&w->status, status);
	atomic_fetch_sub(w->by->working, 1); /* before who waits sees the ends of the streams */
	if (w->messages)
		fclose(w->messages);
	else
		close(w->err);
	if (w->to)
		fclose(w->to);
	else
		close(w->out);
}

void query_block_signals(sigset_t *before)
{
	static const int own[] = {SIGBUS, SIGSEGV, SIGSYS, SIGFPE, SIGILL, SIGABRT};
	sigset_t others;

	sigfillset(&others);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_SETMASK, &others, before);
}

static void *query_work(void *arg)
{
	work_run(arg);
	work_drop(arg);
	return NULL;
}

/* Where nobody waits for its output any more, a write fails, and no signal ends all. */
static bool work_start_thread(struct query_work *w)
{
	pthread_attr_t how;
	sigset_t before;
	pthread_t thread;
	bool started;

	if (pthread_attr_init(&how))
		return false;
	query_block_signals(&before);
	pthread_attr_setstacksize(&how, (size_t)8 << 20);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	atomic_fetch_add(w->by->working, 1);
	started = !pthread_create(&thread, &how, query_work, w);
	if (!started)
		atomic_fetch_sub(w->by->working, 1);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&how);
	return started;
}

/* What all answers may hold together: what is left of three quarters of the memory with what else is there. The rest
 * is for the one who serves them, for stacks, and for what lies between blocks. */
static void limit_memory(const struct query_runner *by)
{
	struct mallinfo2 all = mallinfo2();
	size_t used = all.uordblks + all.hblkhd, held = resource_scopes_hold(),
	       own = used > held ? used - held : 0, most = by->memory / 4 * 3;

	resource_scopes_limit(!by->memory ? 0 : most > own ? most - own : 1);
}

bool query_result_start(struct query_result *a, const struct query_runner *by, struct query_args *q,
			struct err *e)
{
	int out[2], err[2];
	struct query_work *w;

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
	limit_memory(by);
	w = mem_zalloc(sizeof *w);
	w->holders = 2;
	w->by = by;
	w->out = out[1];
	w->err = err[1];
	w->args = *q;
	*q = (struct query_args){.program = NULL};
	if (!work_start_thread(w)) {
		err_sys(e, "a thread");
		for (int i = 0; i < 2; i++) {
			close(out[i]);
			close(err[i]);
		}
		w->holders = 1;
		work_drop(w);
		return false;
	}
	a->work = w;
	a->out = out[0];
	a->err = err[0];
	fcntl(a->out, F_SETFL, O_NONBLOCK);
	fcntl(a->err, F_SETFL, O_NONBLOCK);
	a->seconds = by->seconds;
	a->until = clock_ms() + (int64_t)by->seconds * 1000;
	return true;
}

bool query_none_works(const struct query_runner *by, int ms)
{
	const struct timespec pause = {0, 1000000};

	while (atomic_load(by->working) > 0 && ms-- > 0)
		nanosleep(&pause, NULL);
	return atomic_load(by->working) <= 0;
}

/* --- who waits for it --- */

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

/* A thread that was told to end may go on for a while, and holds no one up. */
static void end(struct query_result *a, const char *why)
{
	struct query_work *w = a->work;

	if (why)
		atomic_store(&w->cancelled, true);
	if (a->out >= 0)
		close(a->out);
	if (a->err >= 0)
		close(a->err);
	a->out = a->err = -1;
	a->ended = why;
	a->status = why ? 128 + SIGKILL : atomic_load(&w->status);
	if (!why) {
		a->formed = w->args.formed;
		a->n_formed = w->args.n_formed;
		w->args.formed = NULL;
	}
	a->work = NULL;
	work_drop(w);
}

static const char too_long[] =
    "the answer is longer than may be (--answer-bytes): ask for fewer rows";

static void query_end_late(struct query_result *a)
{
	snprintf(a->late, sizeof a->late,
		 "stopped after %" PRIu64 " s: start tm-view with --time-limit %" PRIu64
		 ", or choose a range",
		 a->seconds, 4 * a->seconds);
	end(a, a->late);
}

bool query_result_go_on(struct query_result *a)
{
	enum { MESSAGES = 1 << 20 };

	if (!a->work)
		return true;
	read_some(&a->out, &a->text, a->bytes);
	read_some(&a->err, &a->messages, MESSAGES);
	if (a->text.len > a->bytes || a->messages.len > MESSAGES)
		end(a, too_long);
	else if (clock_ms() >= a->until)
		query_end_late(a);
	else if (a->out < 0 && a->err < 0)
		end(a, NULL);
	return !a->work;
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
	if (a->work)
		end(a, "nobody waits for it");
	buf_release(&a->text);
	buf_release(&a->messages);
	free(a->formed);
}

void *query_ask(struct query_result *a, const struct query_runner *by, const char *question,
		const struct query_form *form, struct err *e)
{
	struct query_args q;
	void *formed;

	*a = (struct query_result){.out = -1, .err = -1};
	if (query_args_make(&q, by, question, strlen(question), e))
		return NULL;
	q.form = *form;
	if (!query_result_start(a, by, &q, e)) {
		query_args_release(&q);
		return NULL;
	}
	query_result_wait(a);
	buf_str(&a->messages);
	formed = a->formed;
	a->formed = NULL;
	if (formed && a->n_formed <= a->bytes)
		return formed;
	if (a->ended || formed)
		err_set(e, ST_LIMIT, "%s", a->ended ? a->ended : too_long);
	else
		err_set(e, ST_BAD, "%.380s",
			a->text.len ? "the answer is not a report as JSON" : a->messages.data);
	free(formed);
	return NULL;
}
