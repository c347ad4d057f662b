/* SPDX-License-Identifier: MIT
 *
 * Another capture in the same process: behind an exec that has failed, and in a child of fork.
 */
#include "lib/recorder/capture.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/base/signal_guard.h"

#include <sys/mman.h>
#include <unistd.h>

/* Linux 4.14 and later empty the page in every copy of the memory, and vfork makes none. */
void cap_original(void)
{
#ifdef MADV_WIPEONFORK
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *mark = cap_map(page);

	if (!mark)
		return;
	if (madvise(mark, page, MADV_WIPEONFORK)) {
		cap_unmap(mark, page);
		return;
	}
	*mark = 1;
	cap.original = mark;
#endif
}

bool cap_is_forked_copy(void)
{
	if (!cap.original || *cap.original)
		return false;
	atomic_store(&cap.state, CAP_DONE);
	cap_output_close(&cap.out);
	return true;
}

/* What is in the rings belongs to what has been written already, or to another process, whose threads
 * are not here. */
static void anew(int fd, bool copy)
{
	if (copy) {
		cap_rings_reset(&cap.rings);
		cap_self.ring = NULL;
	} else {
		cap_rings_empty(&cap.rings);
	}
	cap_self.depth = 0;
	if (cap.some)
		cap_live_clear(&cap.live);
	cap_losses_forget();
	cap_lock_reset(&cap.mappings.lock);
	cap.mappings.n = 0;
	cap.start = cap_now();
	cap_modules_again(&cap.modules);
	cap_write_begin(fd);
	cap_write(CAP_WRITE_FLUSH);
	atomic_store(&cap.state, CAP_ON);
}

void cap_resume(void)
{
	if (atomic_load(&cap.state) != CAP_DONE || cap.out.fd < 0)
		return;
	cap_lock(&cap.writing);
	anew(cap.out.fd, false);
	cap_unlock(&cap.writing);
}

bool cap_start_late(const struct cap_settings *s)
{
	int fd;

	if (!cap.stacks.nodes) {
		atomic_store(&cap.state, CAP_UNSTARTED);
		return cap_start(s);
	}
	cap_helper_stop();
	cap_blocks_release(&cap.blocks);
	cap_settings_apply(s);
	atomic_store(&cap.old, 0);
	if (cap.some ? !cap.live.slots && !cap_live_init(&cap.live) : !cap_blocks_init(&cap.blocks))
		return false;
	fd = cap_output_open(&cap.settings);
	if (fd < 0)
		return false;
	cap_modules_scan(&cap.modules, true);
	cap_lock(&cap.writing);
	anew(fd, false);
	cap_unlock(&cap.writing);
	return true;
}

/* Of the thread that forks. A fork in a handler that has interrupted the recorder takes no locks,
 * which the thread may hold: its child is not recorded. */
static __thread struct {
	bool locked, no_scan;
	sigset_t before;
} forking __attribute__((tls_model("initial-exec")));

/* That of the modules: a copy of the process that is made while the helper asks the dynamic linker
 * has its lock (dl_iterate_phdr's) taken for ever. The helper may itself be waiting for it, even
 * for us: no longer than this. */
enum { SCAN_MS = 100 };

void cap_fork_prepare(void)
{
	forking.locked = !(cap_self.depth & CAP_BUSY) && !cap_is_forked_copy();
	if (!forking.locked)
		return;
	cap_self.depth |= CAP_QUIET;
	forking.no_scan =
	    cap_trylock(&cap.modules.lock) || cap_lock_wait(&cap.modules.lock, SCAN_MS);
	cap_hold_signals(&forking.before);
	cap_lock(&cap.writing);
	cap_lock(&cap.rings.lock);
	cap_lock(&cap.stacks.lock);
	cap_lock(&cap.live.lock);
	cap_lock(&cap.own.lock);
	cap_lock(&cap.naming);
	/* Not that of the mappings, whose holder may be waiting for the writer. */
}

void cap_fork_parent(void)
{
	if (!forking.locked)
		return;
	cap_unlock(&cap.naming);
	cap_unlock(&cap.own.lock);
	cap_unlock(&cap.live.lock);
	cap_unlock(&cap.stacks.lock);
	cap_unlock(&cap.rings.lock);
	cap_unlock(&cap.writing);
	cap_release_signals(&forking.before);
	if (forking.no_scan)
		cap_unlock(&cap.modules.lock);
	cap_self.depth &= ~(unsigned)CAP_QUIET;
}

void cap_fork_child(void)
{
	bool on = cap_on(), children = cap.settings.children && forking.locked;
	int cancel = cap_uncancelled(), fd;

	cap_fork_parent();
	cap_shadow_fork();
	cap_code_fork(&cap.code);
	atomic_store(&cap.state, CAP_DONE);
	atomic_store(&cap.helped, false);
	if (on) {
		cap_output_close(&cap.out);
		cap.pid = (uint32_t)getpid();
		fd = children ? cap_output_open(&cap.settings) : -1;
		if (fd >= 0) {
			cap_original();
			anew(fd, true);
		}
	}
	cap_cancelled(cancel);
}
