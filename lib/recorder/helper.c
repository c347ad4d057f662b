/* SPDX-License-Identifier: MIT
 *
 * The helper thread: it writes what the others leave in their rings, looks whether modules have
 * come, samples the process's memory, and ends the recording when its time is over. A program that
 * makes no allocations still has its last events written within two ticks.
 */
#include "lib/recorder/capture.h"

#include "lib/recorder/base/signal_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RECLAIM_NS = 1000000000, ALONE_NS = 200000000 };

static sigset_t mask;           /* of its creator */
static _Atomic uint32_t helper; /* its tid; 0: it has not begun, or ended */
static _Atomic bool leave;

static void sleep_for(int64_t ns)
{
	/* The kernel's of old, also where the C library's has 64-bit time on a 32-bit machine. */
	struct {
		long s, ns;
	} t = {(long)(ns / 1000000000), (long)(ns % 1000000000)};

	atomic_store(&cap.wake_futex, 1);
	syscall(SYS_futex, &cap.wake_futex, FUTEX_WAIT_PRIVATE, 1, &t, NULL, 0);
	atomic_store(&cap.wake_futex, 0);
}

void cap_helper_wake(void)
{
	int error = errno;

	if (atomic_load_explicit(&cap.wake_futex, memory_order_relaxed) &&
	    atomic_exchange(&cap.wake_futex, 0))
		syscall(SYS_futex, &cap.wake_futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = error;
}

/* Rings of threads that are no more, and could not say so. */
static void reclaim(void)
{
	uint32_t n = atomic_load(&cap.rings.n);
	sigset_t before;

	if (!cap_lock_held(&cap.rings.lock, &before))
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct cap_ring *ring = atomic_load(&cap.rings.ring[i]);
		uint32_t owner = atomic_load(&ring->owner);

		if (owner && syscall(SYS_tgkill, (long)cap.pid, (long)owner, 0) && errno == ESRCH)
			cap_rings_gone(&cap.rings, ring);
	}
	cap_unlock_held(&cap.rings.lock, &before);
}

/* "Rss:    123 kB" of a file in /proc, in bytes; -1: not there. */
static int64_t field(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	int64_t v = 0;

	if (!p)
		return -1;
	for (p += strlen(key); *p == ' ' || *p == '\t'; p++)
		;
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (*p - '0');
	return v * 1024;
}

static void helper_sample_memory(void)
{
	char text[2048];
	int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	int64_t rss, pss;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return;
	text[n] = 0;
	rss = field(text, "\nRss:");
	pss = field(text, "\nPss:");
	cap_self.depth = 0;
	if (rss >= 0)
		cap_mark_reading("process.rss", "B", rss, 0);
	if (pss >= 0)
		cap_mark_reading("process.pss", "B", pss, 0);
	cap_self.depth = CAP_QUIET;
}

/* The first thread has left by pthread_exit and the others have ended: the process ends with its
 * last thread, which would be us. Of /proc/self/stat (proc(5)) field 3 is the first thread's state,
 * field 20 the number of threads, it among them. */
static bool alone(void)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[512];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	const char *p;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')'); /* a name may have any before it */
	if (!p || strncmp(p, ") Z ", 4) != 0)
		return false;
	for (int field = 2; p && field < 20; field++)
		p = strchr(p + 1, ' ');
	return p && !strncmp(p, " 2 ", 3);
}

static void *helper_run(void *arg)
{
	int64_t tick = (int64_t)CAP_TICK_MS * 1000000, rss = (int64_t)cap.settings.rss_ms * 1000000;
	int64_t next_rss = cap.start, next_reclaim = cap.start + RECLAIM_NS;
	int64_t next_alone = cap.start + ALONE_NS;
	uint64_t seen = cap.modules.adds;
	int64_t end = cap.settings.duration_ms
			  ? cap.start + (int64_t)cap.settings.duration_ms * 1000000
			  : INT64_MAX;

	(void)arg;
	cap_self.depth = CAP_QUIET;
	atomic_store(&helper, (uint32_t)syscall(SYS_gettid));
	while (cap_on() && !atomic_load(&leave)) {
		int64_t now = cap_now();

		if (now >= end) {
			cap_finish("the recording's time was over before the program ended");
			break;
		}
		if (rss && now >= next_rss) {
			helper_sample_memory();
			next_rss = now + rss;
		}
		if (now >= next_alone) {
			if (alone())
				break;
			next_alone = now + ALONE_NS;
		}
		if (now >= next_reclaim) {
			reclaim();
			next_reclaim = now + RECLAIM_NS;
		}
		if (cap_modules_scan(&cap.modules, false))
			cap_addresses_forget();
		cap_code_tick(&cap.code);
		if (cap.ticked)
			cap.ticked();
		if (cap.modules.adds != seen && cap.loaded) {
			seen = cap.modules.adds;
			cap.loaded();
		}
		if (cap_trylock(&cap.writing)) {
			if (cap_on())
				cap_write(CAP_WRITE_KNOWN);
			cap_unlock(&cap.writing);
		}
		sleep_for(rss && rss < tick ? rss : tick);
	}
	/* If we are the last thread, what the program does at exit is done by us. */
	cap_self.depth = 0;
	cap_release_signals(&mask);
	return NULL;
}

void cap_helper_start(void)
{
	unsigned depth = cap_self.depth;
	pthread_attr_t attr;
	pthread_t thread;

	if (atomic_exchange(&cap.helped, true))
		return;
	cap_self.depth |= CAP_QUIET;
	cap_hold_signals(&mask);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Without it the threads write when their rings are full, and the last one at the end. */
	if (!pthread_create(&thread, &attr, helper_run, NULL))
		pthread_setname_np(thread, "tracemill");
	pthread_attr_destroy(&attr);
	cap_release_signals(&mask);
	cap_self.depth = depth;
}

void cap_helper_stop(void)
{
	int error = errno, cancel = cap_uncancelled();
	uint32_t tid;

	atomic_store(&leave, true);
	for (int tries = 0; atomic_load(&cap.helped) && tries < 1000; tries++) {
		struct timespec t = {0, 1000000};

		tid = atomic_load(&helper);
		if (tid && syscall(SYS_tgkill, (long)cap.pid, (long)tid, 0)) {
			atomic_store(&helper, 0);
			atomic_store(&cap.helped, false);
		} else {
			cap_helper_wake();
			nanosleep(&t, NULL);
		}
	}
	atomic_store(&leave, false);
	cap_cancelled(cancel);
	errno = error;
}
