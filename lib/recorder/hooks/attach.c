/* SPDX-License-Identifier: MIT
 *
 * A recording of a process that was running: tm-record has loaded this library into it by dlopen and
 * calls tracemill_attach. No symbol of ours comes before the program's then, so its calls are redirected
 * to the hooks (redirect.h).
 *
 * At the end each slot gets back what was in it. This library stays: a thread may be in a hook, or
 * have a hook's address.
 */
#include "lib/recorder/base/symbols.h"
#include "lib/recorder/hooks/frames_at.h"
#include "lib/recorder/hooks/preload.h"
#include "lib/recorder/hooks/redirect.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

CAP_PUBLIC uintptr_t tracemill_attach(const char *text);

static struct cap_attached attached;

extern const char own_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

#ifdef CAP_CAN_REDIRECT
static _Atomic bool leading; /* calls to us */
static uint32_t beat;
static int64_t heard;
static bool looked_again;

static void *(*real_dlopen)(const char *, int);

static const char *const hooked[] = {
    "malloc", "calloc", "realloc", "reallocarray", "free", "memalign", "aligned_alloc",
    "posix_memalign", "valloc", "pvalloc", "mmap", "mmap64", "munmap", "mremap", "_exit", "_Exit",
    "abort", "daemon", "dlclose", "unshare", "setns", "execve", "execv", "execvpe", "execvp",
    "fexecve", "execl", "execlp", "execle",
    /* C++'s operators new and delete */
    "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm",
    "_ZdlPvRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t"};

static void attach_look(void)
{
	unsigned depth = cap_self.depth;
	int error = errno;

	cap_self.depth = depth | CAP_QUIET;
	if (atomic_load(&leading))
		cap_redirect_pass(true, false);
	cap_self.depth = depth;
	errno = error;
}

/* What is looked for along its caller's run path, or beside it, must see that as its caller: it is
 * jumped to, and the helper looks what has come. */
static void *attach_open(const char *file, int mode)
{
	void *p;

	if (!atomic_load(&leading) || !file || !strchr(file, '/') || strchr(file, '$')) {
		if (atomic_load(&leading))
			cap_helper_wake();
		CAP_JUMP return real_dlopen(file, mode);
	}
	p = real_dlopen(file, mode);
	attach_look();
	return p;
}

static int attach_find_hooks(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct cap_symbols own;
	bool *added = arg;

	(void)size;
	if (info->dlpi_addr != (uintptr_t)own_start || !cap_symbols_of(info, &own))
		return 0;
	for (unsigned i = 0; i < sizeof hooked / sizeof *hooked; i++) {
		void *hook = cap_symbol_find(&own, hooked[i]);

		*added &= !hook || cap_redirect_add(hooked[i], NULL, hook);
	}
	return 1;
}

/* Once. By the modules' own symbols: what dlsym gives for a function of a library may be an address that
 * the program's file has for it (a call in it, if that is not position-independent). */
static bool attach_names(void)
{
	static bool added;

	if (added)
		return true;
	added = true;
	dl_iterate_phdr(attach_find_hooks, &added);
	*(void **)&real_dlopen = cap_next_named("dlopen");
	added &= cap_redirect_add("dlopen", *(void **)&real_dlopen, (void *)attach_open);
	cap_redirect_find();
	return added && cap_malloc_ready();
}

static void attach_count(void)
{
	atomic_store(&attached.old, atomic_load(&cap.old));
	atomic_store(&attached.places, atomic_load(&cap_redirects.places));
	atomic_store(&attached.unwritable, atomic_load(&cap_redirects.unwritable));
}

static void attach_end(const char *note)
{
	atomic_store(&leading, false);
	cap_redirect_pass(false, true);
	cap_finish(note);
	cap_output_close(&cap.out);
	attach_count();
	atomic_store(&attached.state, CAP_ATTACH_ENDED);
}

static void attach_tick(void)
{
	uint32_t now = atomic_load(&attached.beat);

	attach_count();
	if (!looked_again) { /* a thread may have been binding a function meanwhile */
		looked_again = true;
		cap_redirect_pass(true, true);
	}
	if (now != beat) {
		beat = now;
		heard = cap_now();
	}
	if (atomic_load(&attached.leave))
		attach_end("detached: the program went on");
	else if (cap_now() - heard > (int64_t)CAP_SILENCE_MS * 1000000)
		attach_end("detached, since tm-record was gone: the program went on");
}

static void attach_loaded(void)
{
	cap_lock(&cap.modules.lock); /* for which a fork waits */
	cap_next_find(true);
	cap_unlock(&cap.modules.lock);
	cap_frames_at_look();
	cap_redirect_pass(true, true);
	cap_engine_look();
}

static enum cap_attach attach_begin(const char *text)
{
	static struct cap_settings s;

	/* Not what was started with us, even when its recording has ended. */
	if (cap_on() || atomic_load(&cap.ready) != cap_late)
		return CAP_ATTACH_TWICE;
	cap_late = true;
	if (!cap_settings_parse(&s, text) || !attach_names())
		return CAP_ATTACH_NO_ROOM;
	s.pid = (uint64_t)getpid();
	memset(&attached, 0, sizeof attached);
	atomic_store(&cap_redirects.places, 0);
	atomic_store(&cap_redirects.unwritable, 0);
	attached.mark = CAP_ATTACHED;
	attached.outcome.mark = CAP_OUTCOME;
	looked_again = false;
	heard = cap_now();
	if (!cap_start_late(&s))
		return CAP_ATTACH_NO_OUTPUT;
	cap_self.depth |= CAP_QUIET;
	cap.outcome = &attached.outcome;
	atomic_store(&attached.outcome.open, 1);
	atomic_store(&attached.outcome.loaded, CAP_LOADED);
	atomic_store(&attached.state, CAP_ATTACH_ON);
	cap.loaded = attach_loaded;
	cap.ticked = attach_tick;
	if (!cap_process_ready())
		return CAP_ATTACH_NO_ROOM;
	atomic_store(&leading, true);
	cap_frames_at_begin();
	cap_frames_at_look();
	cap_redirect_pass(true, true);
	attach_count();
	return CAP_ATTACH_ON;
}
#else
static enum cap_attach attach_begin(const char *text)
{
	(void)text;
	return CAP_ATTACH_NO_ROOM;
}
#endif

CAP_PUBLIC uintptr_t tracemill_attach(const char *text)
{
	unsigned depth = cap_self.depth;
	int error = errno;
	enum cap_attach got;

	cap_self.depth = depth | CAP_QUIET;
	got = attach_begin(text);
	cap_self.depth = depth;
	errno = error;
	return got == CAP_ATTACH_ON ? (uintptr_t)&attached : (uintptr_t)got;
}
