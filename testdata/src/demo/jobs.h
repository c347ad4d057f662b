/* SPDX-License-Identifier: MIT
 *
 * A worker pool. Job i of a batch always goes to worker i % workers, so that which stacks
 * exist does not depend on the scheduler.
 */
#ifndef DEMO_JOBS_H
#define DEMO_JOBS_H

#include "site.h"
#include <pthread.h>

namespace eng
{

class JobSystem
{
      public:
	typedef void (*JobFn)(void *arg, int index);

	explicit JobSystem(int workers);
	~JobSystem();
	JobSystem(const JobSystem &) = delete;
	JobSystem &operator=(const JobSystem &) = delete;

	/* Runs body(0) .. body(count - 1) on the workers and waits for all of them. */
	template <class F> void parallel_for(int count, F body)
	{
		run(count, &JobSystem::trampoline<F>, &body);
	}

	NOINLINE void work(int worker);

      private:
	enum { WORKERS_MAX = 8 };
	struct Worker {
		JobSystem *system;
		int number;
		pthread_t thread;
	};

	template <class F> static void trampoline(void *arg, int index)
	{
		F &body = *static_cast<F *>(arg);
		CALL(body(index));
	}

	static void *worker_entry(void *arg);
	void run(int count, JobFn fn, void *arg);
	inline void run_share(int worker);

	Worker workers_[WORKERS_MAX];
	int worker_count_;
	pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t wake_ = PTHREAD_COND_INITIALIZER;
	pthread_cond_t done_ = PTHREAD_COND_INITIALIZER;
	JobFn fn_ = nullptr;
	void *arg_ = nullptr;
	int count_ = 0;
	int batch_ = 0;
	int pending_ = 0;
	bool stop_ = false;
};

} // namespace eng

#endif
