/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/sums.h"

#include "lib/base/resource_scope.h"
#include "lib/tally/snapshot.h"
#include "lib/view/query.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* What begins the memory; then the sums. */
struct sums_head {
	atomic_bool ready;
	size_t n;    /* captures; at most MORE than when it began */
	size_t at[]; /* of each; 0: none */
};

enum { MORE = 2, TICK_MS = 50 };

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

static void sums_make(void *arg)
{
	struct view_sums *s = arg;
	struct making m = {.to = s,
			   .head = (struct sums_head *)(void *)s->memory,
			   .at = head_size(&s->store),
			   .most = s->store.n + MORE};
	struct err e = ERR_INIT;
	struct tally a;

	s->options.done = sums_done;
	s->options.arg = &m;
	tally_init(&a, &s->options);
	if (!event_store_replay(&s->store, &a.sink, &e))
		atomic_store_explicit(&m.head->ready, true, memory_order_release);
	tally_release(&a);
}

static void *sums_work(void *arg)
{
	struct view_sums *s = arg;
	int end = s->ends;
	struct resource_scope *scope = resource_scope_new(&s->cancelled);

	if (scope)
		resource_scope_run(scope, sums_make, s);
	resource_scope_free(scope);
	close(end);
	return NULL;
}

static const void *sums_use(void *arg, size_t capture)
{
	const struct view_sums *s = arg;
	const struct sums_head *h = (const struct sums_head *)(const void *)s->memory;
	struct pollfd over = {s->done, POLLIN, 0};

	/* It began before the question, and does no more than the question would. */
	while (!atomic_load_explicit(&h->ready, memory_order_acquire) &&
	       !(over.revents & POLLHUP)) {
		if (poll(&over, 1, TICK_MS) < 0 && errno != EINTR)
			break;
		resource_scope_poll();
	}
	if (!atomic_load_explicit(&h->ready, memory_order_acquire) || capture >= h->n ||
	    !h->at[capture])
		return NULL;
	return s->memory + h->at[capture];
}

/* Sets done, when it has begun. */
static void sums_begin(struct view_sums *s, const struct event_store *k,
		       const struct tally_options *o)
{
	int ends[2] = {-1, -1};
	sigset_t before;

	s->done = -1;
	s->store = *k;
	s->store.made = s->store.made_selected = NULL;
	s->options = *o;
	s->memory = mmap(NULL, s->size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->memory == MAP_FAILED)
		s->memory = NULL;
	if (!s->memory || pipe2(ends, O_CLOEXEC))
		return;
	s->done = ends[0];
	s->ends = ends[1];
	query_block_signals(&before);
	if (pthread_create(&s->thread, NULL, sums_work, s)) {
		close(ends[0]);
		close(ends[1]);
		s->done = -1;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sums_start(struct view_sums *s, struct event_store *k)
{
	uint64_t may = k->events * VIEW_EVENT_BYTES;

	*s = (struct view_sums){.done = -1};
	if (k->why.code || !k->n || may <= k->bytes || k->captures[k->n - 1].open)
		return;
	s->size = (size_t)(may - k->bytes);
	if (s->size <= head_size(k))
		return;
	sums_begin(s, k, &tally_snapshot_options);
	if (s->done < 0) {
		sums_release(s, k);
		return;
	}
	k->made = sums_use;
	k->arg = s;
}

bool sums_busy(const struct view_sums *s)
{
	struct pollfd over = {s->done, POLLIN, 0};

	return s->memory && poll(&over, 1, 0) == 0;
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

/* The scope of the question ends. */
static void sums_end_selected(void *s)
{
	sums_release(s, NULL);
}

void sums_start_selected(struct view_sums *s, struct event_store *k, const struct tally_options *o)
{
	enum { CELL = 256, TABLES = 1 << 20 }; /* bytes, more than of one; of types and counters */

	*s = (struct view_sums){.done = -1, .size = (size_t)(k->events * CELL + TABLES)};
	if (!sums_can_select(s, k, o))
		return;
	sums_begin(s, k, o);
	resource_scope_hold(s, sums_end_selected);
	if (s->done < 0)
		return;
	k->made_selected = sums_use;
	k->arg_selected = s;
	k->selection = o->selection;
}

void sums_release(struct view_sums *s, struct event_store *k)
{
	if (s->memory && s->done >= 0) {
		atomic_store(&s->cancelled, true);
		pthread_join(s->thread, NULL);
		close(s->done);
	}
	if (s->memory) {
		munmap(s->memory, s->size);
		if (k)
			k->made = NULL;
	}
	*s = (struct view_sums){.done = -1};
}
