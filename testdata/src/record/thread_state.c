/* SPDX-License-Identifier: MIT
 *
 * thread_state EVENT: what lib/recorder/thread_state.txt lists is set, something happens that the recorder
 * catches, and each is looked at: "EVENT STATE is ...". The first time, the second, and the first in another
 * thread. "thread_state states" and "thread_state events" list them. C++ comes from a library that is linked,
 * or with -DLATE=PATH is loaded when it is wanted first.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LATE
static void (*made)(void), (*thrown)(void);
#else
extern void made(void), thrown(void);
#endif

static locale_t ours;
static char text[64] = "one,two,three", altstack[1 << 16];

static void set_errno(void)
{
	errno = 77;
}

static int get_errno(void)
{
	return errno;
}

static void set_dlerror(void)
{
	dlopen("libnothing-of-this-name.so", RTLD_NOW);
}

static int get_dlerror(void)
{
	const char *said = dlerror();

	return said ? (int)strlen(said) +
			  (strstr(said, "libnothing-of-this-name.so: cannot open") != NULL)
		    : -1;
}

static void set_flags(void)
{
	feclearexcept(FE_ALL_EXCEPT);
	feraiseexcept(FE_UNDERFLOW);
}

static int get_flags(void)
{
	return fetestexcept(FE_ALL_EXCEPT);
}

static void set_rounding(void)
{
	fesetround(FE_DOWNWARD);
}

static int get_rounding(void)
{
	return fegetround();
}

static void set_traps(void)
{
	feenableexcept(FE_DIVBYZERO);
}

static int get_traps(void)
{
	return fegetexcept();
}

static void set_h_errno(void)
{
	h_errno = 42;
}

static int get_h_errno(void)
{
	return h_errno;
}

static void set_locale(void)
{
	uselocale(ours);
}

static int get_locale(void)
{
	return uselocale((locale_t)0) == ours;
}

static void set_cancel(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static int get_cancel(void)
{
	int was;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
	return was;
}

static void set_type(void)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}

static int get_type(void)
{
	int was;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &was);
	return was;
}

static void set_mask(void)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	sigaddset(&s, SIGPIPE);
	sigaddset(&s, SIGRTMIN + 3);
	pthread_sigmask(SIG_SETMASK, &s, NULL);
}

static int bits(const sigset_t *s)
{
	int n = 0;

	for (int i = 1; i < 64; i++)
		n = n * 3 % 1000003 + sigismember(s, i);
	return n;
}

static int get_mask(void)
{
	sigset_t s;

	pthread_sigmask(SIG_SETMASK, NULL, &s);
	return bits(&s);
}

static void set_pending(void)
{
	pthread_kill(pthread_self(), SIGUSR1);
	pthread_kill(pthread_self(), SIGPIPE);
}

static int get_pending(void)
{
	sigset_t s;

	sigpending(&s);
	return bits(&s);
}

static void set_altstack(void)
{
	stack_t s = {.ss_sp = altstack, .ss_size = sizeof altstack};

	sigaltstack(&s, NULL);
}

static int get_altstack(void)
{
	stack_t s;

	sigaltstack(NULL, &s);
	return s.ss_sp == altstack;
}

static void *robust;

static void set_robust(void)
{
	size_t n;

	syscall(SYS_get_robust_list, 0, &robust, &n);
}

static int get_robust(void)
{
	void *now;
	size_t n;

	syscall(SYS_get_robust_list, 0, &now, &n);
	return now == robust;
}

static void set_name(void)
{
	prctl(PR_SET_NAME, "state");
}

static int get_name(void)
{
	char name[32] = "";

	prctl(PR_GET_NAME, name);
	return !strcmp(name, "state");
}

static const char *message;

static void set_strerror(void)
{
	message = strerror(98765);
}

static int get_strerror(void)
{
	return strstr(message, "98765") != NULL;
}

static void set_strtok(void)
{
	strcpy(text, "one,two,three");
	strtok(text, ",");
}

static int get_strtok(void)
{
	const char *next = strtok(NULL, ",");

	return next && !strcmp(next, "two");
}

static void set_random(void)
{
	srand(12345);
}

static int get_random(void)
{
	return rand() % 100000;
}

#define STATE(name)                           \
	{                                     \
#name, set_##name, get_##name \
	}
/* What others set comes before: errno last, and the pending text of dlerror next to it. */
static const struct state {
	const char *name;
	void (*set)(void);
	int (*get)(void);
} states[] = {STATE(mask),     STATE(pending), STATE(rounding), STATE(traps),   STATE(locale),
	      STATE(cancel),   STATE(type),    STATE(altstack), STATE(robust),  STATE(name),
	      STATE(strerror), STATE(strtok),  STATE(random),   STATE(h_errno), STATE(dlerror),
	      STATE(flags),    STATE(errno)};
enum { STATES = sizeof states / sizeof *states };

static void *volatile sink;

static void do_malloc(void)
{
	sink = malloc(100);
}

static void do_calloc(void)
{
	sink = calloc(10, 10);
}

static void do_realloc(void)
{
	sink = realloc(sink, 5000);
}

static void do_free(void)
{
	free(sink);
	sink = NULL;
}

static void do_memalign(void)
{
	void *p;

	if (!posix_memalign(&p, 64, 100))
		sink = p;
}

static void do_many(void) /* the thread writes what its ring held */
{
	for (int i = 0; i < 200000; i++)
		free(sink = malloc((size_t)i % 500));
	sink = NULL;
}

static void do_new(void)
{
	made();
}

static void do_throw(void)
{
	thrown();
}

static void do_longjmp(void)
{
	static __thread jmp_buf env;

	if (!setjmp(env))
		longjmp(env, 1);
}

static void do_siglongjmp(void)
{
	static __thread sigjmp_buf env;

	if (!sigsetjmp(env, 1))
		siglongjmp(env, 1);
}

static void do_mmap(void)
{
	void *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p, 1 << 16);
}

static void do_exec(void)
{
	char *const none[] = {NULL};

	execve("/nothing/of/this/name", none, none);
}

static void do_execvp(void)
{
	char *const none[] = {NULL};

	execvp("nothing-of-this-name", none);
}

static void do_unshare(void)
{
	unshare(0);
}

static void do_setns(void)
{
	setns(-1, 0);
}

static void do_fork(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void *library;

static void do_dlclose(void) /* not the last one of it; what it says itself goes */
{
	if (library)
		dlclose(library);
	library = NULL;
}

static void do_close_nothing(void)
{
	static long none[64];

	if (dlclose(none) == 0)
		puts("closed");
}

#define EVENT(name)              \
	{                        \
#name, do_##name \
	}
static const struct event {
	const char *name;
	void (*happens)(void);
} events[] = {EVENT(malloc), EVENT(calloc),  EVENT(realloc),      EVENT(free),    EVENT(memalign),
	      EVENT(many),   EVENT(new),     EVENT(throw),        EVENT(longjmp), EVENT(siglongjmp),
	      EVENT(mmap),   EVENT(exec),    EVENT(execvp),       EVENT(unshare), EVENT(setns),
	      EVENT(fork),   EVENT(dlclose), EVENT(close_nothing)};
enum { EVENTS = sizeof events / sizeof *events };

static void *look(void *arg)
{
	const struct event *e = arg;
	int is[STATES];

	library = dlopen("libm.so.6", RTLD_NOW);
	for (int i = 0; i < STATES; i++)
		states[i].set();
	e->happens();
	/* The one that was set last is looked at first: looking may change those before. */
	for (int i = STATES - 1; i >= 0; i--)
		is[i] = states[i].get();
	fesetenv(FE_DFL_ENV);
	for (int i = 0; i < STATES; i++)
		printf("%s %s is %d\n", e->name, states[i].name, is[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct event *e = NULL;
	pthread_t other;

	ours = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	for (int i = 0; argc > 1 && i < STATES && !strcmp(argv[1], "states"); i++)
		puts(states[i].name);
	for (int i = 0; argc > 1 && i < EVENTS; i++) {
		if (!strcmp(argv[1], "events"))
			puts(events[i].name);
		if (!strcmp(argv[1], events[i].name))
			e = &events[i];
	}
	if (!e)
		return 0;
#ifdef LATE
	{
		void *plugin = dlopen(LATE, RTLD_NOW | RTLD_LOCAL);

		if (!plugin)
			return 2;
		*(void **)&made = dlsym(plugin, "made");
		*(void **)&thrown = dlsym(plugin, "thrown");
	}
#endif
	look((void *)e);
	look((void *)e);
	if (pthread_create(&other, NULL, look, (void *)e))
		return 1;
	pthread_join(other, NULL);
	return 0;
}
