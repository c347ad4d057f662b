/* SPDX-License-Identifier: MIT
 *
 * The life of the process: its start, fork, exec, exit and what is loaded into it. A child of vfork
 * shares our memory but not our number, and so ends nothing.
 *
 * dlopen is not hooked, since it looks for libraries as its caller's run path says: what it has
 * loaded is seen at the next tick, or by dlclose, before it is gone.
 */
#include "lib/recorder/base/environment.h"
#include "lib/recorder/base/memory.h"
#include "lib/recorder/hooks/frames_at.h"
#include "lib/recorder/hooks/preload.h"
#include "lib/recorder/hooks/wrap_at.h"
#include "lib/recorder/spike_log.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

void cap_preload_start(void)
{
	static const char variable[] __attribute__((section(CAP_SECTION))) = CAP_VARIABLE;
	static struct cap_settings s;
	const char *text;

	if (atomic_load(&cap.state) != CAP_UNSTARTED)
		return;
	if (!environ) { /* called by .preinit_array, which comes before glibc's own constructor */
		atomic_fetch_add(&cap.unready, 1);
		return;
	}
	text = getenv(variable);
	if (!text || !cap_settings_parse(&s, text))
		atomic_store(&cap.state, CAP_DONE);
	else
		cap_start(&s);
}

/* PET's log is there without a recording too. */
static void start_log(void)
{
	const char *path = getenv("TRACEMILL_SPIKES"), *us = getenv("TRACEMILL_SPIKE_US");
	uint64_t v = 0;

	for (; us && *us >= '0' && *us <= '9' && v < UINT32_MAX; us++)
		v = v * 10 + (unsigned)(*us - '0');
	if (us && !*us)
		atomic_store(&cap_spikes.limit, v * 1000);
	if (path && *path)
		cap_spike_log_file(path);
}

#ifndef CAP_WRAP
/* Of what tm-record starts; words that were set by hand are meant for children too. */
static void hide(void)
{
	static const char here;
	Dl_info info;

	if (cap.settings.pid && !cap.settings.children && dladdr(&here, &info) && info.dli_fname)
		cap_environment_hide(environ, info.dli_fname);
}
#endif

/* The thread is in daemon(3), whose first process ends inside of the C library. */
static __thread bool leaving __attribute__((tls_model("initial-exec")));

static void process_forked(void)
{
	cap_fork_parent();
	if (leaving)
		cap_finish("the program went on in the background");
}

static void process_forked_child(void)
{
	leaving = false;
	cap_fork_child();
}

static void process_at_end(void)
{
	cap_finish(NULL);
}

bool cap_process_ready(void)
{
	unsigned depth = cap_self.depth;

	cap_self.depth = depth | CAP_QUIET;
	/* Not in the first malloc, which may be the unwinder's own, with its lock. */
	cap_walk_begin();
	if (!atomic_exchange(&cap.ready, true) &&
	    (pthread_atfork(cap_fork_prepare, process_forked, process_forked_child) ||
	     at_quick_exit(process_at_end)))
		cap_finish("the C library had no room for the recorder's handlers");
	cap_self.depth = depth;
	if (!cap_on())
		return false;
	cap_engine_look();
	cap_helper_start();
	return true;
}

/* In the helper. */
static void process_loaded(void)
{
#ifndef CAP_WRAP
	cap_lock(&cap.modules.lock); /* for which a fork waits */
	cap_next_find(true);
	cap_unlock(&cap.modules.lock);
#endif
	cap_frames_at_look();
	cap_engine_look();
}

static __attribute__((constructor)) void process_begin(void)
{
	cap_malloc_ready();
	cap_log_open();
	start_log();
	cap_preload_start();
	if (!cap_on())
		return;
#ifndef CAP_WRAP
	hide();
#endif
	cap.loaded = process_loaded;
	if (!cap_process_ready())
		return;
	cap_frames_at_begin();
	cap_frames_at_look();
	cap_wrap_begin();
}

static __attribute__((destructor)) void end(void)
{
	cap_finish(NULL);
}

#ifndef CAP_WRAP /* a program linked statically has nothing behind these */
static bool ours(void)
{
	return cap_on() && (uint32_t)getpid() == cap.pid;
}

/* Hooks call each other by functions of our own: of a hook's name the first may be another's, where
 * dlopen has loaded us. */
static _Noreturn void process_exit(int status)
{

	if (ours())
		cap_finish("the program ended without its exit handlers");
	CAP_NEXT(_exit)(status);
	__builtin_unreachable();
}

CAP_HOOK(void, _exit, (int status))
{
	process_exit(status);
}

CAP_HOOK(int, daemon, (int stay, int keep))
{
	int result;

	leaving = ours();
	result = CAP_NEXT(daemon)(stay, keep);
	if (leaving) /* there was no fork */
		cap_resume();
	leaving = false;
	return result;
}

CAP_HOOK(void, _Exit, (int status))
{
	process_exit(status);
}

/* The trace is not ended: a handler may go on. */
CAP_HOOK(void, abort, (void))
{

	if (ours())
		cap_flush();
	CAP_NEXT(abort)();
	__builtin_unreachable();
}

CAP_HOOK(int, dlclose, (void *handle))
{
	uint64_t before;
	int result;

	if (!cap_self.depth) {
		cap_modules_look();
		cap_flush();
	}
	before = cap.modules.subs;
	atomic_store(&cap.engine_unwind, NULL); /* it may go with the module */
	result = CAP_NEXT(dlclose)(handle);
	if (!cap_self.depth) {
		cap_modules_look();
		/* The helper may have looked first, and not be back from it. */
		if (cap_on() && cap.modules.subs != before)
			cap_addresses_forget();
	}
	cap_next_find(true);
	cap_engine_look();
	return result;
}

/* Namespaces of users and processes are only for a process of one thread. */
static int alone(int (*call)(int, int), int a, int b)
{
	bool mine = ours();
	int result, error;

	if (mine)
		cap_helper_stop();
	result = call(a, b);
	error = errno;
	if (mine)
		cap_helper_start();
	errno = error;
	return result;
}

static int process_call_unshare(int flags, int unused)
{

	(void)unused;
	return CAP_NEXT(unshare)(flags);
}

static int process_call_setns(int fd, int type)
{

	return CAP_NEXT(setns)(fd, type);
}

CAP_HOOK(int, unshare, (int flags))
{
	return alone(process_call_unshare, flags, 0);
}

CAP_HOOK(int, setns, (int fd, int type))
{
	return alone(process_call_setns, fd, type);
}

/* An exec of this process, with the environment that it gets. */
struct exec {
	char **env;
	size_t size; /* of what is ours; 0: the program's */
	bool mine;
};

static struct exec before_exec(char *const env[])
{
	struct exec x = {.mine = ours()};

	x.env = x.mine ? cap_environment_restored(env, &x.size) : (char **)(uintptr_t)env;
	if (x.mine) {
		cap_finish("the program called exec; what follows is another capture");
		if (cap.outcome && cap.settings.pid == cap.pid)
			atomic_store(&cap.outcome->loaded, CAP_LEFT);
	}
	return x;
}

/* It has failed. */
static int after_exec(const struct exec *x, int result)
{
	int error = errno;

	if (x->size)
		cap_unmap(x->env, x->size);
	if (x->mine)
		cap_resume();
	errno = error;
	return result;
}

static int process_exec(const char *path, char *const argv[], char *const env[])
{
	struct exec x;

	x = before_exec(env);
	return after_exec(&x, CAP_NEXT(execve)(path, argv, x.env));
}

CAP_HOOK(int, execve, (const char *path, char *const argv[], char *const env[]))
{
	return process_exec(path, argv, env);
}

CAP_HOOK(int, execv, (const char *path, char *const argv[]))
{
	return process_exec(path, argv, environ);
}

static int process_exec_found(const char *file, char *const argv[], char *const env[])
{
	struct exec x;

	x = before_exec(env);
	return after_exec(&x, CAP_NEXT(execvpe)(file, argv, x.env));
}

CAP_HOOK(int, execvpe, (const char *file, char *const argv[], char *const env[]))
{
	return process_exec_found(file, argv, env);
}

CAP_HOOK(int, execvp, (const char *file, char *const argv[]))
{
	return process_exec_found(file, argv, environ);
}

CAP_HOOK(int, fexecve, (int fd, char *const argv[], char *const env[]))
{
	struct exec x;

	if (!CAP_NEXT(fexecve)) { /* bionic before API 28 */
		errno = ENOSYS;
		return -1;
	}
	x = before_exec(env);
	return after_exec(&x, CAP_NEXT(fexecve)(fd, argv, x.env));
}

/* Of execl and its like. The heap is not ours here, and vfork may have lent us the stack. */
struct arguments {
	char *few[64], **argv;
	size_t n; /* before NULL */
};

static void count(struct arguments *a, const char *first, va_list *list)
{
	a->n = 0;
	for (const char *arg = first; arg; arg = va_arg(*list, const char *))
		a->n++;
}

/* argv is NULL, and errno set, when there is no memory. */
static void gather(struct arguments *a, const char *first, va_list *list)
{
	size_t room = sizeof a->few / sizeof *a->few;

	a->argv = a->few;
	if (a->n >= room)
		a->argv = cap_map((a->n + 1) * sizeof *a->argv);
	if (a->argv)
		a->argv[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i <= a->n; i++) {
		char *arg = va_arg(*list, char *);

		if (a->argv)
			a->argv[i] = arg;
	}
}

/* The program was not started. */
static int done(struct arguments *a, int result)
{
	int error = errno;

	if (a->argv && a->argv != a->few)
		cap_unmap(a->argv, (a->n + 1) * sizeof *a->argv);
	errno = error;
	return result;
}

CAP_HOOK(int, execl, (const char *path, const char *arg, ...))
{
	struct arguments a;
	va_list list;

	va_start(list, arg);
	count(&a, arg, &list);
	va_end(list);
	va_start(list, arg);
	gather(&a, arg, &list);
	va_end(list);
	return done(&a, a.argv ? process_exec(path, a.argv, environ) : -1);
}

CAP_HOOK(int, execlp, (const char *file, const char *arg, ...))
{
	struct arguments a;
	va_list list;

	va_start(list, arg);
	count(&a, arg, &list);
	va_end(list);
	va_start(list, arg);
	gather(&a, arg, &list);
	va_end(list);
	return done(&a, a.argv ? process_exec_found(file, a.argv, environ) : -1);
}

CAP_HOOK(int, execle, (const char *path, const char *arg, ...))
{
	struct arguments a;
	va_list list;
	char **env;

	va_start(list, arg);
	count(&a, arg, &list);
	va_end(list);
	va_start(list, arg);
	gather(&a, arg, &list);
	env = va_arg(list, char **);
	va_end(list);
	return done(&a, a.argv ? process_exec(path, a.argv, env) : -1);
}

#endif
