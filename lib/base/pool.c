/* SPDX-License-Identifier: MIT */
#include "lib/base/pool.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct job {
	atomic_size_t next;
	size_t n;
	pool_fn fn;
	void *arg;
	struct resource_scope *scope; /* the caller's */
	_Atomic int end; /* enum resource_scope_end, of the first that did not finish */
};

struct worker {
	struct job *job;
	pthread_t thread;
	unsigned index;
};

static void pool_run_items(void *p)
{
	struct worker *w = p;

	for (;;) {
		size_t item = atomic_fetch_add_explicit(&w->job->next, 1, memory_order_relaxed);

		if (item >= w->job->n)
			return;
		if (resource_scope_cancelled())
			resource_scope_leave(RESOURCE_SCOPE_CANCELLED);
		w->job->fn(item, w->index, w->job->arg);
	}
}

static void *pool_work(void *p)
{
	struct worker *w = p;
	enum resource_scope_end end = resource_scope_run(w->job->scope, pool_run_items, w);

	if (end != RESOURCE_SCOPE_DONE) { /* the others need not go on */
		atomic_store(&w->job->end, (int)end);
		atomic_store(&w->job->next, w->job->n);
	}
	return NULL;
}

void pool_run(unsigned n_threads, size_t n, pool_fn fn, void *arg)
{
	struct job job = {.n = n, .fn = fn, .arg = arg, .scope = resource_scope_current()};
	unsigned started = 1;
	struct worker *w;

	if (n_threads > n)
		n_threads = (unsigned)n;
	if (n_threads < 1)
		n_threads = 1;
	w = mem_zarray(n_threads, sizeof *w);
	for (; started < n_threads; started++) {
		w[started] = (struct worker){.job = &job, .index = started};
		/* No thread to be had: those that are there do the rest. */
		if (pthread_create(&w[started].thread, NULL, pool_work, &w[started]))
			break;
	}
	w[0] = (struct worker){.job = &job, .index = 0};
	pool_work(&w[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(w[i].thread, NULL);
	free(w);
	if (job.end != RESOURCE_SCOPE_DONE)
		resource_scope_leave((enum resource_scope_end)job.end);
}

void pool_run_deep(size_t stack, pool_fn fn, void *arg)
{
	struct job job = {.n = 1, .fn = fn, .arg = arg, .scope = resource_scope_current()};
	struct worker w = {.job = &job};
	pthread_attr_t how;
	bool started;

	if (pthread_attr_init(&how))
		mem_exhausted();
	started = !pthread_attr_setstacksize(&how, stack) &&
		  !pthread_create(&w.thread, &how, pool_work, &w);
	pthread_attr_destroy(&how);
	if (!started)
		mem_exhausted();
	pthread_join(w.thread, NULL);
	if (job.end != RESOURCE_SCOPE_DONE)
		resource_scope_leave((enum resource_scope_end)job.end);
}

unsigned pool_cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);

	return n > 0 ? (unsigned)n : 1;
}
