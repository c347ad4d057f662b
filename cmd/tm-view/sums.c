/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/sums.h"

#include "lib/base/mem.h"
#include "lib/tally/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What begins the memory; then the sums. */
struct sums_head {
	atomic_bool ready;
	size_t n;    /* captures; at most MORE than when it began */
	size_t at[]; /* of each; 0: none */
};

enum { MORE = 2 };

struct making {
	struct view_sums *to;
	struct sums_head *head;
	size_t at, most;
};

static size_t aligned(size_t n)
{
	return (n + 63) / 64 * 64;
}

static enum status sums_done(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct making *m = arg;
	size_t n = aligned(tally_snapshot_size(a));

	(void)t;
	(void)e;
	if (m->head->n == m->most)
		return err_set(e, ST_LIMIT, "more captures than there were");
	if (n <= m->to->size - m->at) {
		tally_snapshot_make(a, m->to->memory + m->at);
		m->head->at[m->head->n] = m->at;
		m->at += n;
	}
	m->head->n++;
	return ST_OK;
}

static size_t head_size(const struct event_store *k)
{
	return aligned(sizeof(struct sums_head) + (k->n + MORE) * sizeof(size_t));
}

static _Noreturn void sums_make(struct view_sums *s, struct event_store *k,
				const struct tally_options *of)
{
	struct making m = {.to = s,
			   .head = (struct sums_head *)(void *)s->memory,
			   .at = head_size(k),
			   .most = k->n + MORE};
	struct tally_options o = *of;
	struct err e = ERR_INIT;
	struct tally a;

	signal(SIGINT, SIG_IGN); /* the one who answers ends this one */
	o.done = sums_done;
	o.arg = &m;
	tally_init(&a, &o);
	if (!event_store_replay(k, &a.sink, &e))
		atomic_store_explicit(&m.head->ready, true, memory_order_release);
	_exit(0);
}

static const void *sums_use(void *arg, size_t capture)
{
	const struct view_sums *s = arg;
	const struct sums_head *h = (const struct sums_head *)(const void *)s->memory;
	struct pollfd over = {s->done, POLLIN, 0};

	/* It began before the question, and does no more than the question would. */
	while (!atomic_load_explicit(&h->ready, memory_order_acquire) && !(over.revents & POLLHUP))
		if (poll(&over, 1, -1) < 0 && errno != EINTR)
			break;
	if (!atomic_load_explicit(&h->ready, memory_order_acquire) || capture >= h->n ||
	    !h->at[capture])
		return NULL;
	return s->memory + h->at[capture];
}

/* As fork: the child's is 0; below 0: it failed. */
static pid_t sums_fork(struct view_sums *s)
{
	int ends[2];

	s->memory = mmap(NULL, s->size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->memory == MAP_FAILED)
		s->memory = NULL;
	if (!s->memory || pipe2(ends, O_CLOEXEC))
		return -1;
	s->done = ends[0];
	s->pid = fork();
	if (!s->pid) {
		close(ends[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return 0;
	}
	close(ends[1]);
	if (s->pid < 0)
		s->pid = 0;
	return s->pid ? s->pid : -1;
}

void sums_start(struct view_sums *s, struct event_store *k, void (*settle)(void *arg), void *arg)
{
	uint64_t may = k->events * VIEW_EVENT_BYTES;
	pid_t pid;

	*s = (struct view_sums){.done = -1};
	if (k->why.code || !k->n || may <= k->bytes || k->captures[k->n - 1].open)
		return;
	s->size = (size_t)(may - k->bytes);
	pid = s->size > head_size(k) ? sums_fork(s) : -1;
	if (pid < 0) {
		sums_release(s, k);
		return;
	}
	if (!pid) {
		if (settle)
			settle(arg);
		sums_make(s, k, &tally_snapshot_options);
	}
	k->made = sums_use;
	k->arg = s;
}

bool sums_split(struct view_sums *s, uint64_t events)
{
	enum { CELL = 256, TABLES = 1 << 20 }; /* bytes, more than of one; of types and counters */

	*s = (struct view_sums){.done = -1, .size = (size_t)(events * CELL + TABLES)};
	return !sums_fork(s);
}

static bool sums_can_select(const struct view_sums *s, const struct event_store *k,
			    const struct tally_options *o)
{
	if (k->why.code || !k->n || k->made_selected || !o->selection || o->slicing != SLICE_NONE ||
	    s->size <= head_size(k))
		return false;
	for (size_t i = 0; i < k->n; i++)
		if (k->captures[i].measured || !k->captures[i].t)
			return false;
	return true;
}

void sums_make_selected(struct view_sums *s, struct event_store *k, const struct tally_options *o)
{
	if (k && sums_can_select(s, k, o))
		sums_make(s, k, o);
	_exit(0);
}

void sums_use_selected(struct view_sums *s, struct event_store *k, const struct tally_options *o)
{
	if (!s->pid || !sums_can_select(s, k, o))
		return;
	k->made_selected = sums_use;
	k->arg_selected = s;
	k->selection = o->selection;
}

void sums_release(struct view_sums *s, struct event_store *k)
{
	if (s->pid) {
		kill(s->pid, SIGKILL);
		while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (s->memory) {
		if (s->done >= 0)
			close(s->done);
		munmap(s->memory, s->size);
		k->made = NULL;
	}
	*s = (struct view_sums){.done = -1};
}
