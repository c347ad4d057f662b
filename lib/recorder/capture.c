/* SPDX-License-Identifier: MIT */
#include "lib/recorder/capture.h"

#include "lib/recorder/base/high_fd.h"
#include "lib/recorder/base/memory.h"
#include "lib/recorder/base/sample.h"
#include "lib/recorder/base/signal_guard.h"
#include "lib/recorder/stacks/unwind.h"
#include "lib/recorder/thread_exit.h"
#include "lib/recorder/timing.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* For threads in the middle of a record when the program ends: most are only waiting for a
 * processor. */
enum { YIELDS = 1000, NAPS = CAP_PATIENCE_MS };
enum { PATIENCE_NS = CAP_PATIENCE_MS * 1000000 };

struct capture cap;
__thread struct cap_self cap_self __attribute__((tls_model("initial-exec")));

int64_t cap_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* As it was started: a script by its own name. What calls fexecve has none. */
static void learn_program(void)
{
	const char *path = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	const char *slash = path ? strrchr(path, '/') : NULL;

	path = slash ? slash + 1 : path;
	strncpy(cap.program, path && *path ? path : "program", sizeof cap.program - 1);
}

/* OUT, or OUT.PROGRAM.PID of a child, with OUT's .tmt behind that. */
static void capture_name_output(const struct cap_settings *s)
{
	static const char tail[] = ".tmt";
	size_t n = strlen(s->out), k = strlen(cap.program);
	char digits[16], *p = digits + sizeof digits - 1, *to = cap.path;
	uint32_t v = cap.pid;
	bool has_tail = n > 4 && s->out[n - 5] != '/' && !strcmp(s->out + n - 4, tail);

	memcpy(to, s->out, n + 1);
	if (!n || !s->children || (s->fd >= 0 && s->pid == cap.pid))
		return;
	*p = 0;
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	to += has_tail ? n - 4 : n;
	*to++ = '.';
	memcpy(to, cap.program, k);
	to += k;
	*to++ = '.';
	memcpy(to, p, strlen(p) + 1);
	if (has_tail)
		memcpy(to + strlen(p), tail, sizeof tail);
}

int cap_output_open(const struct cap_settings *s)
{
	int truncate = O_TRUNC, fd;
	struct stat st;

	capture_name_output(s);
	if (s->fd >= 0 && s->pid == cap.pid)
		return s->fd;
	if (!*cap.path)
		return -1;
	/* A process that becomes the same program by exec goes on in its file. */
	if (stat(cap.path, &st) || (s->children && (uint64_t)st.st_mtime >= s->since))
		truncate = 0;
	fd = open(cap.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | truncate, 0666);
	return fd < 0 ? fd : cap_high_fd(fd, FD_CLOEXEC);
}

/* A pipe would not end before we do. */
static void close_foreign(const struct cap_settings *s)
{
	struct stat st;

	if (s->fd >= 0 && !fstat(s->fd, &st) && (uint64_t)st.st_ino == s->inode)
		close(s->fd);
}

static struct cap_outcome *find_outcome(int fd)
{
	struct cap_outcome *o;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size != sizeof *o)
		return NULL;
	o = cap_map_file(fd, sizeof *o);
	return o && o->mark == CAP_OUTCOME ? o : NULL;
}

void cap_settings_apply(const struct cap_settings *s)
{
	cap.settings = *s;
	if (s->stacks == CAP_STACKS_AUTO || (s->stacks == CAP_STACKS_FP && !CAP_HAS_FP))
		cap.settings.stacks = CAP_STACKS_UNWIND;
	cap.some = s->threshold || s->sample;
	atomic_store(&cap.picks, cap.some || atomic_load(&cap.owned));
}

static bool capture_begin(const struct cap_settings *s)
{
	int fd;

	cap.pid = (uint32_t)getpid();
	learn_program();
	cap_origin_learn(&cap.origin);
	cap_bounds_first_thread();
	cap_unwind_start();
	if (s->pid && s->pid != cap.pid && !s->children) {
		close_foreign(s);
		return false;
	}
	cap_settings_apply(s);
	/* Of a few blocks only the frees of those are recorded. */
	if (s->attached && !cap.some)
		cap_blocks_init(&cap.blocks);
	cap.start = cap_now();
	cap.outcome = find_outcome(s->outcome);
	fd = cap_output_open(s);
	if (fd < 0 || !cap_stacks_init(&cap.stacks, 0) ||
	    !cap_modules_init(&cap.modules, (struct cap_made){&cap.rings.seq, &cap.stacks.n}) ||
	    (cap.some && !cap_live_init(&cap.live)))
		return false;
	cap_thread_exit_register();
	if (s->stacks != CAP_STACKS_NONE && s->stacks != CAP_STACKS_SHADOW)
		cap_code_look(&cap.code);
	cap_original();
	cap_modules_scan(&cap.modules, true);
	cap_write_begin(fd);
	cap_write(CAP_WRITE_FLUSH);
	if (s->calls)
		cap_spikes_start();
	return true;
}

bool cap_start(const struct cap_settings *s)
{
	unsigned depth = cap_self.depth;
	int error = errno, cancel = cap_uncancelled();

	cap_self.depth = CAP_QUIET;
	cap_lock(&cap.starting);
	if (atomic_load(&cap.state) == CAP_UNSTARTED)
		atomic_store(&cap.state, capture_begin(s) ? CAP_ON : CAP_DONE);
	cap_unlock(&cap.starting);
	cap_self.depth = depth;
	cap_cancelled(cancel);
	errno = error;
	return cap_on();
}

static __attribute__((noinline)) struct cap_ring *ring_of_thread(void)
{
	int error = errno;
	struct cap_ring *ring = cap_is_forked_copy()
				    ? NULL
				    : cap_rings_consume(&cap.rings, (uint32_t)syscall(SYS_gettid));

	if (ring) {
		ring->random = ((uint64_t)cap_now() * 2654435769u ^ (uintptr_t)ring) | 1;
		cap_self.ring = ring;
		cap_thread_exit_register();
	}
	if (!atomic_load(&cap.helped) && atomic_load(&cap.ready))
		cap_helper_start();
	errno = error;
	return ring;
}

/* Waits until the writer has made room, or is the writer. Not for a thread that is stopped in the
 * middle of a record, and may be so until we go on. */
static __attribute__((noinline)) bool capture_wait_for_room(struct cap_ring *ring, unsigned n)
{
	int error = errno, cancel = cap_uncancelled();
	long pause = 1000;
	sigset_t before;

	while (!cap_is_forked_copy() && !cap_ring_room(ring, n) && cap_on()) {
		cap_hold_signals(&before);
		if (cap_trylock(&cap.writing)) {
			if (cap_on())
				cap_write(CAP_WRITE_ALL);
			if (!cap_ring_room(ring, n))
				cap_rings_wait(&cap.rings, cap_now(), PATIENCE_NS);
			cap_unlock(&cap.writing);
		}
		cap_release_signals(&before);
		if (cap_ring_room(ring, n) || cap.settings.drop)
			break;
		{
			struct timespec t = {0, pause};

			nanosleep(&t, NULL);
			pause = pause < 1000000 ? pause * 2 : pause;
		}
	}
	cap_cancelled(cancel);
	errno = error;
	return cap_ring_room(ring, n);
}

/* The ring, with room for n records; NULL: nothing is recorded. */
static inline struct cap_ring *room_for(unsigned n)
{
	struct cap_ring *ring = cap_self.ring;

	if (!ring) {
		ring = ring_of_thread();
		if (!ring)
			return NULL;
	}
	if (!cap_ring_room(ring, n + 1) && !capture_wait_for_room(ring, n + 1)) {
		if (cap_on()) /* else it comes behind the recording's end */
			atomic_fetch_add_explicit(&cap.dropped, 1, memory_order_relaxed);
		return NULL;
	}
	if (ring->announce)
		cap_ring_announce(&cap.rings, ring);
	return ring;
}

static inline bool enter(void)
{
	if (!cap_on())
		return false;
	if (cap_self.depth) {
		/* Not what we call ourselves. */
		if ((cap_self.depth & (CAP_BUSY | CAP_QUIET)) == CAP_BUSY)
			atomic_fetch_add_explicit(&cap.nested, 1, memory_order_relaxed);
		return false;
	}
	cap_self.depth = CAP_BUSY;
	return true;
}

static inline void leave(const struct cap_ring *ring)
{
	uint64_t head = ring ? atomic_load_explicit(&ring->head, memory_order_relaxed) : 1;

	cap_self.depth = 0;
	if (head % (CAP_RECORDS / 4) == 0 &&
	    head - atomic_load_explicit(&ring->tail, memory_order_relaxed) >= CAP_RECORDS / 2)
		cap_helper_wake();
}

struct cap_ring *cap_open(unsigned n)
{
	struct cap_ring *ring;

	if (!enter())
		return NULL;
	ring = room_for(n);
	if (!ring)
		leave(NULL);
	return ring;
}

void cap_close(const struct cap_ring *ring)
{
	leave(ring);
}

/* The processor's ticks count without the price of the clock. TICKS of them are less than CAP_TIMES_NS_APART on all machines. */
#if defined __x86_64__ || defined __i386__
enum { TICKS = CAP_TIMES_NS_APART };
static inline uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined __aarch64__
enum { TICKS = 1000 };
static inline uint64_t ticks(void)
{
	uint64_t n;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(n));
	return n;
}
#else
enum { TICKS = 0 };
static inline uint64_t ticks(void)
{
	return 0;
}
#endif

static inline int64_t capture_block_time(struct cap_ring *ring)
{
	uint64_t now;

	if (cap.settings.times != CAP_TIMES_RATE ||
	    atomic_load_explicit(&cap_clock, memory_order_relaxed))
		return cap_time();
	now = ticks();
	if (now - ring->ticks + 1 > TICKS) { /* where there are none: always */
		ring->time = cap_now();
		ring->ticks = now;
	}
	return ring->time;
}

static inline struct cap_record *record(struct cap_ring *ring, uint64_t seq, unsigned kind)
{
	struct cap_record *rec = cap_ring_next(ring);
	bool block = kind == CAP_ALLOC || kind == CAP_FREE || kind == CAP_TYPED;

	rec->seq = seq;
	rec->time = block ? capture_block_time(ring) : cap_time();
	rec->kind = (uint8_t)kind;
	rec->stack = rec->name = 0;
	rec->count = 1;
	return rec;
}

/* How many allocations this one stands for; 0: it is not recorded. */
static uint32_t weight(struct cap_ring *ring, const void *p, size_t size)
{
	uint64_t interval = cap.settings.sample;
	uint32_t w = 1;

	if (!cap.some)
		return 1;
	if (size < cap.settings.threshold)
		return 0;
	if (interval) {
		if (!cap_sample_hit(&ring->until, &ring->random, size, interval))
			return 0;
		w = cap_sample_weight(&ring->random, size, interval);
	}
	cap_live_add(&cap.live, (uintptr_t)p);
	return w;
}

uint32_t cap_put_alloc(struct cap_ring *ring, const void *p, size_t requested, size_t real,
		       unsigned domain, uint32_t name, uint32_t stack, struct cap_where where)
{
	uint32_t w = weight(ring, p, requested);
	struct cap_record *rec;

	if (!w)
		return 0;
	if (!stack)
		stack = cap_stack_of(ring, where);
	rec = record(ring, cap_ring_number(&cap.rings, ring), CAP_ALLOC);
	rec->address = (uintptr_t)p;
	rec->requested = (uint64_t)requested * w;
	rec->real = real == (size_t)CAP_UNKNOWN ? CAP_UNKNOWN : (uint64_t)real * w;
	rec->count = w;
	rec->stack = stack;
	rec->name = name;
	rec->domain = (uint8_t)domain;
	cap_ring_put(ring);
	cap_ring_done(ring);
	return stack;
}

/* The set is made when it has something: every free asks for it then. */
static __attribute__((noinline)) void keep_own(const void *p)
{
	unsigned depth = cap_self.depth;

	cap_self.depth = depth | CAP_QUIET | CAP_BUSY;
	if (!atomic_load(&cap.owned) && cap_lock_soon(&cap.starting)) {
		if (!atomic_load(&cap.owned) && cap_live_init(&cap.own)) {
			atomic_store(&cap.owned, true);
			atomic_store(&cap.picks, true);
		}
		cap_unlock(&cap.starting);
	}
	if (atomic_load(&cap.owned))
		cap_live_add(&cap.own, (uintptr_t)p);
	cap_self.depth = depth;
}

void cap_alloc(const void *p, size_t requested, size_t real, unsigned domain,
	       struct cap_where where)
{
	struct cap_ring *ring;

	cap_timing_flush();
	if (!enter()) {
		if (cap_self.depth & CAP_OWN && !domain)
			keep_own(p);
		return;
	}
	ring = room_for(1);
	if (ring)
		cap_put_alloc(ring, p, requested, real, domain, 0, 0, where);
	leave(ring);
}

uint32_t cap_alloc_mapping(const void *p, size_t requested, size_t real, uint32_t stack,
			   struct cap_where where)
{
	struct cap_ring *ring;

	cap_timing_flush();
	if (!enter())
		return 0;
	ring = room_for(1);
	if (ring)
		stack = cap_put_alloc(ring, p, requested, real, DOMAIN_MMAP, 0, stack, where);
	leave(ring);
	return stack;
}

void cap_alloc_typed(const void *p, size_t requested, unsigned domain, const char *type,
		     struct cap_where where)
{
	struct cap_ring *ring;
	uint32_t name;

	cap_timing_flush();
	if (!enter())
		return;
	name = type ? cap_name_id(type, NULL) : 0;
	ring = room_for(1);
	if (ring)
		cap_put_alloc(ring, p, requested, (size_t)CAP_UNKNOWN, domain, name, 0, where);
	leave(ring);
}

static void put_free(struct cap_ring *ring, uint64_t seq, const void *p, unsigned domain)
{
	struct cap_record *rec = record(ring, seq, CAP_FREE);

	rec->address = (uintptr_t)p;
	rec->domain = (uint8_t)domain;
	cap_ring_put(ring);
	cap_ring_done(ring);
}

/* Of a block that may have been sampled, or be our own. Its lock is taken for each of them, too often
 * for the signals to be held: so a handler must see that we may have it. */
static __attribute__((noinline)) bool was_in(struct cap_live *l, const void *p)
{
	unsigned depth = cap_self.depth;
	bool was;

	if ((depth & (CAP_BUSY | CAP_OWN)) == CAP_BUSY) {
		atomic_fetch_add_explicit(&cap.nested, 1, memory_order_relaxed);
		return false;
	}
	cap_self.depth = depth | CAP_BUSY;
	was = cap_live_remove(l, (uintptr_t)p);
	cap_self.depth = depth;
	return was;
}

static bool was_own(const void *p, unsigned domain)
{
	return !domain && atomic_load(&cap.owned) && cap_live_may(&cap.own, (uintptr_t)p) &&
	       was_in(&cap.own, p);
}

/* Of a recording that has only some blocks, or in which a profiler has its own. */
static __attribute__((noinline)) bool is_recorded(const void *p, unsigned domain, bool *own)
{
	*own = was_own(p, domain);
	return !*own &&
	       (!cap.some || (cap_live_may(&cap.live, (uintptr_t)p) && was_in(&cap.live, p)));
}

void cap_free(const void *p, unsigned domain)
{
	struct cap_ring *ring;
	bool own;

	if (atomic_load_explicit(&cap.picks, memory_order_relaxed) && !is_recorded(p, domain, &own))
		return;
	if (!enter())
		return;
	ring = room_for(1);
	if (ring)
		put_free(ring, cap_ring_number(&cap.rings, ring), p, domain);
	leave(ring);
}

struct cap_move cap_move(const void *p)
{
	struct cap_move m = {.old = p};
	struct cap_ring *ring;

	if (atomic_load_explicit(&cap.picks, memory_order_relaxed) && !is_recorded(p, 0, &m.own))
		return m;
	m.on = enter();
	if (!m.on)
		return m;
	ring = room_for(2);
	m.on = ring != NULL;
	if (ring)
		m.seq = cap_ring_number(&cap.rings, ring);
	cap_self.depth = m.on ? CAP_QUIET : 0;
	return m;
}

void cap_moved(const struct cap_move *m, const void *p, size_t requested, size_t real,
	       struct cap_where where)
{
	struct cap_ring *ring = cap_self.ring;

	if (m->own) {
		keep_own(p ? p : m->old);
		return;
	}
	if (!m->on) {
		/* A block that was not sampled may be sampled now. */
		if (cap.some && p)
			cap_alloc(p, requested, real, 0, where);
		return;
	}
	cap_self.depth = CAP_BUSY;
	if (p) {
		put_free(ring, m->seq, m->old, 0);
		cap_put_alloc(ring, p, requested, real, 0, 0, 0, where);
	} else {
		cap_ring_done(ring);
		if (cap.some)
			cap_live_add(&cap.live, (uintptr_t)m->old);
	}
	leave(ring);
}

void cap_put_typed(struct cap_ring *ring, const char *type, size_t requested, size_t real,
		   uint32_t stack)
{
	uint32_t name = cap_name_id(type ? type : "?", NULL);
	struct cap_record *rec = record(ring, cap_ring_number(&cap.rings, ring), CAP_TYPED);

	rec->requested = requested;
	rec->real = real;
	rec->stack = stack;
	rec->name = name;
	rec->domain = DOMAIN_MONO;
	cap_ring_put(ring);
	cap_ring_done(ring);
}

void cap_typed(const char *type, size_t requested, size_t real, struct cap_where where)
{
	struct cap_ring *ring;

	if (!enter())
		return;
	ring = room_for(1);
	if (ring)
		cap_put_typed(ring, type, requested, real, cap_stack_of(ring, where));
	leave(ring);
}

static void mark(enum cap_record_kind kind, const char *name, const char *unit, int64_t value,
		 uint64_t fraction)
{
	struct cap_ring *ring;
	uint32_t id = 0;

	if (!enter())
		return;
	if (name)
		id = cap_name_id(name, unit);
	ring = id || kind == CAP_FRAME ? room_for(1) : NULL;
	if (ring) {
		struct cap_record *rec = record(ring, cap_ring_number(&cap.rings, ring), kind);

		rec->address = (uint64_t)value;
		rec->requested = fraction;
		rec->name = id;
		cap_ring_put(ring);
		cap_ring_done(ring);
	}
	leave(ring);
}

void cap_thread_ends(void)
{
	struct cap_ring *ring = cap_self.ring;
	char name[CAP_TEXT_MAX] = {0}; /* the kernel's have 16 bytes */
	int error = errno;

	/* Without anything recorded there is no row of the thread. */
	if (!ring || ring->announce || !enter())
		return;
	if (!prctl(PR_GET_NAME, name) &&
	    (cap_ring_room(ring, 1) || capture_wait_for_room(ring, 1))) {
		struct cap_record *rec = record(ring, cap_ring_number(&cap.rings, ring), CAP_NAMED);

		rec->count = (uint32_t)strnlen(name, sizeof name);
		memcpy(rec->text, name, sizeof name);
		cap_ring_put(ring);
		cap_ring_done(ring);
	}
	leave(ring);
	errno = error;
}

void cap_mark_line(unsigned severity, const char *text, size_t n)
{
	struct cap_ring *ring;

	if (!enter())
		return;
	ring = room_for(cap_text_records(n) + 1);
	if (ring) {
		struct cap_record *rec;

		cap_put_text(ring, text, n);
		rec = record(ring, cap_ring_number(&cap.rings, ring), CAP_LINE);
		rec->count = severity;
		cap_ring_put(ring);
		cap_ring_done(ring);
	}
	leave(ring);
}

void cap_mark_frame(const char *name, int64_t number)
{
	mark(CAP_FRAME, name, NULL, number, 0);
}

void cap_mark_reading(const char *name, const char *unit, int64_t whole, uint64_t fraction)
{
	mark(CAP_COUNTER, name, unit, whole, fraction);
}

void cap_modules_look(void)
{
	unsigned depth = cap_self.depth;
	int error = errno;

	if (cap_is_forked_copy() || !cap_on())
		return;
	cap_self.depth = depth | CAP_QUIET;
	if (cap_modules_scan(&cap.modules, true))
		cap_addresses_forget();
	cap_self.depth = depth;
	errno = error;
}

/* The list first: a thread that has forgotten what was code reads it. */
void cap_addresses_forget(void)
{
	if (atomic_load(&cap.code.looks))
		cap_code_look(&cap.code);
	cap_stacks_forget(&cap.stacks);
}

bool cap_flush(void)
{
	unsigned depth = cap_self.depth;
	bool done = false;
	int error = errno, cancel = cap_uncancelled();
	sigset_t before;

	cap_self.depth = depth | CAP_QUIET;
	for (int tries = 0; !cap_is_forked_copy() && cap_on() && !done && tries < 1000; tries++) {
		struct timespec t = {0, 1000000};

		cap_hold_signals(&before);
		done = cap_trylock(&cap.writing);
		if (done) {
			cap_write(CAP_WRITE_FLUSH);
			cap_unlock(&cap.writing);
		}
		cap_release_signals(&before);
		if (!done)
			nanosleep(&t, NULL);
	}
	cap_self.depth = depth;
	cap_cancelled(cancel);
	errno = error;
	return done;
}

static bool all_quiet(void)
{
	uint32_t n = atomic_load(&cap.rings.n);

	for (uint32_t i = 0; i < n; i++)
		if (atomic_load(&atomic_load(&cap.rings.ring[i])->pending) != UINT64_MAX)
			return false;
	return true;
}

void cap_finish(const char *note)
{
	unsigned depth = cap_self.depth;
	int on = CAP_ON, cancel;
	sigset_t before;

	if (cap_is_forked_copy())
		return;
	cancel = cap_uncancelled();
	cap_hold_signals(&before);
	/* In a handler that has interrupted the recorder, whose locks may be held. */
	cap_self.depth = depth | CAP_QUIET;
	if (!(depth & CAP_BUSY) && cap_on())
		cap_modules_scan(&cap.modules, false);
	cap_lock(&cap.writing);
	if (atomic_compare_exchange_strong(&cap.state, &on, CAP_DONE)) {
		/* Threads in the middle of a record put it down; one that was stopped there is not
		 * waited for. */
		for (int i = 0; i < YIELDS + NAPS && !all_quiet(); i++)
			if (i < YIELDS)
				sched_yield();
			else
				nanosleep(&(struct timespec){0, 1000000}, NULL);
		cap_rings_wait(&cap.rings, cap_now(), 0);
		cap_write_end(note);
	}
	cap_unlock(&cap.writing);
	cap_self.depth = depth;
	cap_release_signals(&before);
	cap_cancelled(cancel);
}
