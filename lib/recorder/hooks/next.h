/* SPDX-License-Identifier: MIT
 *
 * The search for the functions that the hooks call. Of each name it is the next definition after this library: the C
 * library's, or that of an allocator that the program links. If none comes after us (dlopen has loaded us), it is the
 * first one of the program.
 *
 * They are read from the modules' own symbol tables, all in one walk before the program runs; those of
 * a C++ library also when one has come by dlopen. Never by dlsym: it replaces, or takes, what the
 * thread's next dlerror shall say, and frees a text that the program may be reading.
 */
#ifndef TM_RECORDER_HOOKS_NEXT_H
#define TM_RECORDER_HOOKS_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX == UINT64_MAX
#define CAP_CXX(before, after) before##m##after
#else
#define CAP_CXX(before, after) before##j##after
#endif

/* Each name once. tests/lint/outside.sh reads the first list. */
/* clang-format off */
#define CAP_NEXT_C(X)                                                                          \
	X(malloc) X(calloc) X(realloc) X(reallocarray) X(free)                                 \
	X(memalign) X(aligned_alloc) X(posix_memalign) X(valloc) X(pvalloc)                    \
	X(malloc_usable_size)                                                                  \
	X(longjmp) X(_longjmp) X(siglongjmp) X(__longjmp_chk)                                  \
	X(abort) X(_exit) X(daemon) X(dlclose) X(unshare) X(setns)                             \
	X(execve) X(execvpe) X(fexecve)

#define CAP_NEXT_CXX(X)                                                                        \
	X(__cxa_begin_catch) X(_Unwind_RaiseException) X(_Unwind_Resume_or_Rethrow)            \
	X(CAP_CXX(_Znw, )) X(CAP_CXX(_Zna, ))                                                  \
	X(CAP_CXX(_Znw, RKSt9nothrow_t)) X(CAP_CXX(_Zna, RKSt9nothrow_t))                      \
	X(CAP_CXX(_Znw, St11align_val_t)) X(CAP_CXX(_Zna, St11align_val_t))                    \
	X(CAP_CXX(_Znw, St11align_val_tRKSt9nothrow_t))                                        \
	X(CAP_CXX(_Zna, St11align_val_tRKSt9nothrow_t))                                        \
	X(_ZdlPv) X(_ZdaPv) X(CAP_CXX(_ZdlPv, )) X(CAP_CXX(_ZdaPv, ))                          \
	X(_ZdlPvRKSt9nothrow_t) X(_ZdaPvRKSt9nothrow_t)                                        \
	X(_ZdlPvSt11align_val_t) X(_ZdaPvSt11align_val_t)                                      \
	X(CAP_CXX(_ZdlPv, St11align_val_t)) X(CAP_CXX(_ZdaPv, St11align_val_t))                \
	X(_ZdlPvSt11align_val_tRKSt9nothrow_t) X(_ZdaPvSt11align_val_tRKSt9nothrow_t)
/* clang-format on */

/* A pointer to a function each; NULL: no module has it. */
struct cap_next {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*reallocarray)(void *, size_t, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*malloc_usable_size)(void *);
	void (*longjmp)(void *, int);
	void (*_longjmp)(void *, int);
	void (*siglongjmp)(void *, int);
	void (*__longjmp_chk)(void *, int);
	void (*abort)(void);
	void (*_exit)(int);
	int (*daemon)(int, int);
	int (*dlclose)(void *);
	int (*unshare)(int);
	int (*setns)(int, int);
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
#define CAP_NEXT_MEMBER(name) void *name;
	CAP_NEXT_CXX(CAP_NEXT_MEMBER)
#undef CAP_NEXT_MEMBER
};
#ifndef CAP_WRAP
extern struct cap_next cap_next;
#endif

/* tm-record --pid has loaded us: all are the program's first. */
extern bool cap_late;
/* Finds what is missing; again: modules have come or gone, and those that could go are found anew. Takes
 * the dynamic linker's lock as dl_iterate_phdr does, allocates nothing and leaves errno. */
void cap_next_find(bool again);
/* Another one, by the same rule; NULL: none. */
void *cap_next_named(const char *name);

/* Of a hook that may be called before our constructor and without a malloc. */
#define CAP_NEXT(name) (cap_next.name ? cap_next.name : (cap_next_find(false), cap_next.name))

/* One of a C++ library, which may have come since. */
#define CAP_NEXT_LATE(name) cap_next_late(&cap_next.name)
static inline void *cap_next_late(void *const *slot)
{
	void *p = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (!p) {
		cap_next_find(false);
		p = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	}
	return p;
}

#endif
