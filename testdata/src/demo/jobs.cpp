/* SPDX-License-Identifier: MIT
 *
 * See jobs.h.
 */
#include "jobs.h"
#include <stdlib.h>

namespace eng
{

JobSystem::JobSystem(int workers) : worker_count_(workers < WORKERS_MAX ? workers : WORKERS_MAX)
{
	for (int i = 0; i < worker_count_; i++) {
		workers_[i].system = this;
		workers_[i].number = i;
		if (pthread_create(&workers_[i].thread, nullptr, worker_entry, &workers_[i]) != 0)
			abort();
	}
}

JobSystem::~JobSystem()
{
	pthread_mutex_lock(&lock_);
	stop_ = true;
	pthread_cond_broadcast(&wake_);
	pthread_mutex_unlock(&lock_);
	for (int i = 0; i < worker_count_; i++)
		pthread_join(workers_[i].thread, nullptr);
}

void *JobSystem::worker_entry(void *arg)
{
	SITE_ROOT();
	Worker *worker = static_cast<Worker *>(arg);
	CALL(worker->system->work(worker->number));
	return nullptr;
}

inline void JobSystem::run_share(int worker)
{
	for (int i = worker; i < count_; i += worker_count_)
		CALL(fn_(arg_, i));
}

void JobSystem::work(int worker)
{
	int seen = 0;

	pthread_mutex_lock(&lock_);
	for (;;) {
		while (batch_ == seen && !stop_)
			pthread_cond_wait(&wake_, &lock_);
		if (batch_ == seen)
			break;
		seen = batch_;
		pthread_mutex_unlock(&lock_);
		CALL(run_share(worker));
		pthread_mutex_lock(&lock_);
		if (--pending_ == 0)
			pthread_cond_signal(&done_);
	}
	pthread_mutex_unlock(&lock_);
}

void JobSystem::run(int count, JobFn fn, void *arg)
{
	pthread_mutex_lock(&lock_);
	fn_ = fn;
	arg_ = arg;
	count_ = count;
	pending_ = worker_count_;
	batch_++;
	pthread_cond_broadcast(&wake_);
	while (pending_ > 0)
		pthread_cond_wait(&done_, &lock_);
	pthread_mutex_unlock(&lock_);
}

} // namespace eng
