/* SPDX-License-Identifier: MIT
 *
 * Each block has a head, by which its scope finds it; what is no memory has a note in a list.
 */
#ifdef TM_LIBRARY
#define RESOURCE_SCOPE_ITSELF
/* resource_names.h was included before this line could say so */
#undef malloc
#undef calloc
#undef realloc
#undef aligned_alloc
#undef free
#undef realpath
#undef open
#undef openat
#undef mkostemp
#undef dup
#undef close
#undef opendir
#undef fdopendir
#undef closedir
#undef pthread_mutex_lock
#undef pthread_mutex_unlock
#include "lib/base/resource_scope.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>

struct block {
	struct resource_scope *scope; /* NULL: made outside of all */
	struct block *next, *before;
	size_t pad; /* bytes before this, when what follows is aligned more than malloc's */
};

_Static_assert(sizeof(struct block) % _Alignof(max_align_t) == 0, "blocks are aligned");

struct held {
	struct held *next;
	void *thing;
	int fd; /* when thing is NULL */
	void (*end)(void *);
};

struct resource_scope {
	pthread_mutex_t lock;
	struct block *blocks;
	struct held *held;
	const atomic_bool *cancelled; /* the owner's, or NULL */
	atomic_int left;              /* enum resource_scope_end of the first thread that left */
	atomic_size_t bytes;
	size_t most; /* 0: no limit of its own */
};

static _Thread_local struct resource_scope *current;
static _Thread_local jmp_buf *way_out;
/* What this thread has locked, for who leaves: others wait for it. */
static _Thread_local pthread_mutex_t *locked[8];
static _Thread_local unsigned n_locked;
static atomic_size_t allocations, failing;
static atomic_size_t all_bytes,
    most_bytes; /* of all scopes; 0: no limit, and they are not counted */

struct resource_scope *resource_scope_new(const atomic_bool *cancelled)
{
	struct resource_scope *z = calloc(1, sizeof *z);

	if (z)
		z->cancelled = cancelled;
	if (z && pthread_mutex_init(&z->lock, NULL)) {
		free(z);
		z = NULL;
	}
	return z;
}

struct resource_scope *resource_scope_current(void)
{
	return current;
}

enum resource_scope_end resource_scope_run(struct resource_scope *z, void (*fn)(void *arg),
					   void *arg)
{
	struct resource_scope *outer = current;
	jmp_buf *outer_way = way_out, way;
	unsigned outer_locked = n_locked;
	volatile enum resource_scope_end end = RESOURCE_SCOPE_DONE;
	int left;

	left = setjmp(way);
	if (!left) {
		current = z;
		way_out = &way;
		fn(arg);
	} else {
		end = (enum resource_scope_end)left;
	}
	while (n_locked > outer_locked)
		pthread_mutex_unlock(locked[--n_locked]);
	current = outer;
	way_out = outer_way;
	return end;
}

void resource_scope_leave(enum resource_scope_end end)
{
	if (!way_out)
		abort();
	if (current)
		atomic_store(&current->left, (int)end);
	longjmp(*way_out, (int)end);
}

/* What a lock guards may have been left half done by its holder: so the next thread leaves, too. */
int scoped_mutex_lock(pthread_mutex_t *m)
{
	int error = pthread_mutex_lock(m);

	if (error || !way_out)
		return error;
	if (n_locked == sizeof locked / sizeof *locked)
		abort();
	locked[n_locked++] = m;
	if (current && atomic_load(&current->left) != RESOURCE_SCOPE_DONE)
		resource_scope_leave((enum resource_scope_end)atomic_load(&current->left));
	return 0;
}

int scoped_mutex_unlock(pthread_mutex_t *m)
{
	for (unsigned i = n_locked; way_out && i-- > 0;)
		if (locked[i] == m) {
			locked[i] = locked[--n_locked];
			break;
		}
	return pthread_mutex_unlock(m);
}

bool resource_scope_cancelled(void)
{
	return current && current->cancelled &&
	       atomic_load_explicit(current->cancelled, memory_order_relaxed);
}

void resource_scope_fail_at(size_t n)
{
	atomic_store(&allocations, 0);
	atomic_store(&failing, n);
}

size_t resource_scope_allocations(void)
{
	return atomic_load(&allocations);
}

void resource_scopes_limit(size_t bytes)
{
	atomic_store(&most_bytes, bytes);
}

size_t resource_scopes_hold(void)
{
	return atomic_load(&all_bytes);
}

void resource_scope_limit(struct resource_scope *z, size_t bytes)
{
	z->most = bytes;
}

size_t resource_scope_holds(const struct resource_scope *z)
{
	return atomic_load(&z->bytes);
}

/* limit 0: none. */
static bool is_over(const atomic_size_t *held, size_t bytes, size_t limit)
{
	return limit &&
	       (bytes > limit || atomic_load_explicit(held, memory_order_relaxed) > limit - bytes);
}

static bool fails(size_t bytes)
{
	size_t n = atomic_load_explicit(&failing, memory_order_relaxed),
	       limit = atomic_load_explicit(&most_bytes, memory_order_relaxed);

	if (current &&
	    (is_over(&all_bytes, bytes, limit) || is_over(&current->bytes, bytes, current->most)))
		return true;
	return current &&
	       atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1 == n && n;
}

static void *start_of(struct block *b)
{
	return (char *)b - b->pad;
}

static size_t size_of(struct block *b)
{
	return atomic_load_explicit(&most_bytes, memory_order_relaxed)
		   ? malloc_usable_size(start_of(b))
		   : 0;
}

/* Also down, by a negative number modulo 2^64. */
static void count(struct resource_scope *z, size_t bytes)
{
	atomic_fetch_add_explicit(&all_bytes, bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&z->bytes, bytes, memory_order_relaxed);
}

static void link_block(struct block *b)
{
	struct resource_scope *z = current;

	b->scope = z;
	b->before = b->next = NULL;
	if (!z)
		return;
	count(z, size_of(b));
	pthread_mutex_lock(&z->lock);
	b->next = z->blocks;
	if (b->next)
		b->next->before = b;
	z->blocks = b;
	pthread_mutex_unlock(&z->lock);
}

static void unlink_block(struct block *b)
{
	struct resource_scope *z = b->scope;

	if (!z)
		return;
	count(z, -size_of(b));
	pthread_mutex_lock(&z->lock);
	if (b->next)
		b->next->before = b->before;
	if (b->before)
		b->before->next = b->next;
	else
		z->blocks = b->next;
	pthread_mutex_unlock(&z->lock);
}

void *scoped_aligned_alloc(size_t align, size_t n)
{
	struct block *b;
	char *start = n > PTRDIFF_MAX - align || fails(n) ? NULL : aligned_alloc(align, n + align);

	if (!start)
		return NULL;
	b = (struct block *)(start + align) - 1;
	b->pad = align - sizeof *b;
	link_block(b);
	return b + 1;
}

void *scoped_malloc(size_t n)
{
	struct block *b = n > PTRDIFF_MAX - sizeof *b || fails(n) ? NULL : malloc(n + sizeof *b);

	if (!b)
		return NULL;
	b->pad = 0;
	link_block(b);
	return b + 1;
}

void *scoped_calloc(size_t n, size_t size)
{
	struct block *b;
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX - sizeof *b ||
	    fails(bytes))
		return NULL;
	b = calloc(1, bytes + sizeof *b);
	if (!b)
		return NULL;
	link_block(b);
	return b + 1;
}

void *scoped_realloc(void *p, size_t n)
{
	struct block *b = p ? (struct block *)p - 1 : NULL, *moved;
	struct resource_scope *z = b ? b->scope : NULL;

	if (!p)
		return scoped_malloc(n);
	if (n > PTRDIFF_MAX - sizeof *b || fails(n))
		return NULL;
	if (b->pad) { /* to a block of the usual kind */
		size_t had = malloc_usable_size(start_of(b)) - b->pad - sizeof *b;
		void *to = scoped_malloc(n);

		if (to) {
			memcpy(to, p, had < n ? had : n);
			scoped_release(p);
		}
		return to;
	}
	unlink_block(b);
	moved = realloc(b, n + sizeof *b);
	b = moved ? moved : b;
	if (z) { /* its own, whatever the current one is */
		struct resource_scope *now = current;

		current = z;
		link_block(b);
		current = now;
	}
	return moved ? moved + 1 : NULL;
}

void scoped_release(void *p)
{
	struct block *b = p ? (struct block *)p - 1 : NULL;

	if (!b)
		return;
	unlink_block(b);
	free(start_of(b));
}

void *resource_scope_outside(size_t n)
{
	struct block *b = n > PTRDIFF_MAX - sizeof *b || fails(n) ? NULL : calloc(1, n + sizeof *b);

	if (!b)
		resource_scope_leave(RESOURCE_SCOPE_NO_MEMORY);
	return b + 1;
}

static bool note(void *thing, int fd, void (*end)(void *))
{
	struct resource_scope *z = current;
	struct held *h;

	if (!z)
		return true;
	h = fails(sizeof *h) ? NULL : malloc(sizeof *h);
	if (!h)
		return false;
	*h = (struct held){.thing = thing, .fd = fd, .end = end};
	pthread_mutex_lock(&z->lock);
	h->next = z->held;
	z->held = h;
	pthread_mutex_unlock(&z->lock);
	return true;
}

static void drop_note(const void *thing, int fd)
{
	struct resource_scope *z = current;
	struct held **at, *h;

	if (!z)
		return;
	pthread_mutex_lock(&z->lock);
	for (at = &z->held; *at; at = &(*at)->next)
		if ((*at)->thing == thing && (thing || (*at)->fd == fd))
			break;
	h = *at;
	if (h)
		*at = h->next;
	pthread_mutex_unlock(&z->lock);
	free(h);
}

void resource_scope_hold(void *thing, void (*end)(void *thing))
{
	if (note(thing, -1, end))
		return;
	end(thing);
	resource_scope_leave(RESOURCE_SCOPE_NO_MEMORY);
}

void resource_scope_forget(void *thing)
{
	drop_note(thing, -1);
}

void resource_scope_free(struct resource_scope *z)
{
	struct resource_scope *outer = current;

	if (!z)
		return;
	current = z; /* an end forgets what it has ended */
	while (z->held) {
		struct held h = *z->held, *first = z->held;

		z->held = h.next;
		free(first);
		if (h.thing)
			h.end(h.thing);
		else
			close(h.fd);
	}
	while (z->blocks) {
		struct block *b = z->blocks;

		z->blocks = b->next;
		atomic_fetch_sub_explicit(&all_bytes, size_of(b), memory_order_relaxed);
		free(start_of(b));
	}
	current = outer;
	pthread_mutex_destroy(&z->lock);
	free(z);
}

static int held_fd(int fd)
{
	if (fd < 0 || note(NULL, fd, NULL))
		return fd;
	close(fd);
	resource_scope_leave(RESOURCE_SCOPE_NO_MEMORY);
}

char *scoped_realpath(const char *path, char *to)
{
	char text[PATH_MAX], *copy;

	if (to)
		return realpath(path, to);
	if (!realpath(path, text))
		return NULL;
	copy = scoped_malloc(strlen(text) + 1);
	return copy ? strcpy(copy, text) : NULL;
}

static int mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
}

int scoped_open(const char *path, int flags, ...)
{
	va_list list;
	int mode;

	va_start(list, flags);
	mode = mode_of(flags, list);
	va_end(list);
	return held_fd(open(path, flags, mode));
}

int scoped_openat(int folder, const char *path, int flags, ...)
{
	va_list list;
	int mode;

	va_start(list, flags);
	mode = mode_of(flags, list);
	va_end(list);
	return held_fd(openat(folder, path, flags, mode));
}

int scoped_mkostemp(char *path, int flags)
{
	return held_fd(mkostemp(path, flags));
}

int scoped_dup(int fd)
{
	return held_fd(dup(fd));
}

int scoped_close(int fd)
{
	drop_note(NULL, fd);
	return close(fd);
}

static void resource_scope_end_folder(void *d)
{
	closedir(d);
}

DIR *scoped_opendir(const char *path)
{
	DIR *d = opendir(path);

	if (d)
		resource_scope_hold(d, resource_scope_end_folder);
	return d;
}

DIR *scoped_fdopendir(int fd)
{
	DIR *d = fdopendir(fd);

	if (!d)
		return NULL;
	drop_note(NULL, fd); /* it is the folder's now */
	resource_scope_hold(d, resource_scope_end_folder);
	return d;
}

int scoped_closedir(DIR *d)
{
	resource_scope_forget(d);
	return closedir(d);
}
#else
typedef int scoped_is_of_the_library_only;
#endif
