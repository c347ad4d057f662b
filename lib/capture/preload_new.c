/* SPDX-License-Identifier: MIT
 *
 * C++'s operators by their names in the Itanium ABI. Those of libstdc++ and libc++ call malloc and
 * free, which are hooked too: the hooks are off meanwhile. Other allocators' need not.
 *
 * This file is compiled with -fexceptions: bad_alloc goes through, and the cleanup runs.
 */
#include "lib/capture/preload.h"

#include <dlfcn.h>
#include <stdlib.h>

#if UINTPTR_MAX == UINT64_MAX
#define Z                   "m"
#define NAME(before, after) before##m##after
#else
#define Z                   "j"
#define NAME(before, after) before##j##after
#endif

/* A C++ library may have been loaded by dlopen, beside the global names. */
static void *find(void *_Atomic *slot, const char *name)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1",
						"libc++_shared.so"};
	void *p = atomic_load_explicit(slot, memory_order_relaxed);
	unsigned depth = cap_self.depth;

	if (p)
		return p;
	p = cap_next(name);
	cap_self.depth = depth | CAP_QUIET;
	for (unsigned i = 0; !p && i < sizeof libraries / sizeof *libraries; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library) {
			p = dlsym(library, name);
			dlclose(library);
		}
	}
	cap_self.depth = depth;
	atomic_store_explicit(slot, p, memory_order_relaxed);
	return p;
}

static void restore(const unsigned *depth)
{
	cap_self.depth = *depth;
}

#define QUIETLY                                                            \
	__attribute__((cleanup(restore))) unsigned depth = cap_self.depth; \
	cap_self.depth = depth | CAP_QUIET

static void *told(void *p, size_t n, struct cap_where where)
{
	if (p)
		cap_alloc(p, n, cap_usable(p), 0, where);
	return p;
}

/* Without an operator to call: what libstdc++'s do. */
static void *from_malloc(size_t n, size_t align, bool may_fail)
{
	void *p = NULL;

	if (align <= _Alignof(max_align_t))
		p = malloc(n ? n : 1);
	else if (posix_memalign(&p, align, n))
		p = NULL;
	if (!p && !may_fail)
		abort();
	return p;
}

typedef void *(*new_fn)(size_t);
typedef void *(*new_extra_fn)(size_t, const void *);
typedef void *(*new_align_fn)(size_t, size_t);
typedef void *(*new_align_extra_fn)(size_t, size_t, const void *);

#define NEW(name, text)                                  \
	CAP_PUBLIC void *name(size_t n);                 \
	CAP_PUBLIC void *name(size_t n)                  \
	{                                                \
		static void *_Atomic next;               \
		new_fn f = (new_fn)find(&next, text);    \
		void *p;                                 \
                                                         \
		if (!f)                                  \
			return from_malloc(n, 0, false); \
		{                                        \
			QUIETLY;                         \
			p = f(n);                        \
		}                                        \
		return told(p, n, CAP_HERE);             \
	}
#define NEW_NOTHROW(name, text)                                   \
	CAP_PUBLIC void *name(size_t n, const void *tag);         \
	CAP_PUBLIC void *name(size_t n, const void *tag)          \
	{                                                         \
		static void *_Atomic next;                        \
		new_extra_fn f = (new_extra_fn)find(&next, text); \
		void *p;                                          \
                                                                  \
		if (!f)                                           \
			return from_malloc(n, 0, true);           \
		{                                                 \
			QUIETLY;                                  \
			p = f(n, tag);                            \
		}                                                 \
		return told(p, n, CAP_HERE);                      \
	}
#define NEW_ALIGN(name, text)                                     \
	CAP_PUBLIC void *name(size_t n, size_t align);            \
	CAP_PUBLIC void *name(size_t n, size_t align)             \
	{                                                         \
		static void *_Atomic next;                        \
		new_align_fn f = (new_align_fn)find(&next, text); \
		void *p;                                          \
                                                                  \
		if (!f)                                           \
			return from_malloc(n, align, false);      \
		{                                                 \
			QUIETLY;                                  \
			p = f(n, align);                          \
		}                                                 \
		return told(p, n, CAP_HERE);                      \
	}
#define NEW_ALIGN_NOTHROW(name, text)                                         \
	CAP_PUBLIC void *name(size_t n, size_t align, const void *tag);       \
	CAP_PUBLIC void *name(size_t n, size_t align, const void *tag)        \
	{                                                                     \
		static void *_Atomic next;                                    \
		new_align_extra_fn f = (new_align_extra_fn)find(&next, text); \
		void *p;                                                      \
                                                                              \
		if (!f)                                                       \
			return from_malloc(n, align, true);                   \
		{                                                             \
			QUIETLY;                                              \
			p = f(n, align, tag);                                 \
		}                                                             \
		return told(p, n, CAP_HERE);                                  \
	}

NEW(NAME(_Znw, ), "_Znw" Z)
NEW(NAME(_Zna, ), "_Zna" Z)
NEW_NOTHROW(NAME(_Znw, RKSt9nothrow_t), "_Znw" Z "RKSt9nothrow_t")
NEW_NOTHROW(NAME(_Zna, RKSt9nothrow_t), "_Zna" Z "RKSt9nothrow_t")
NEW_ALIGN(NAME(_Znw, St11align_val_t), "_Znw" Z "St11align_val_t")
NEW_ALIGN(NAME(_Zna, St11align_val_t), "_Zna" Z "St11align_val_t")
NEW_ALIGN_NOTHROW(NAME(_Znw, St11align_val_tRKSt9nothrow_t),
		  "_Znw" Z "St11align_val_tRKSt9nothrow_t")
NEW_ALIGN_NOTHROW(NAME(_Zna, St11align_val_tRKSt9nothrow_t),
		  "_Zna" Z "St11align_val_tRKSt9nothrow_t")

/* Of the arguments behind the block, sizes, alignments and tags, each is a word and is handed on;
 * a function does not mind the ones that it does not have. */
typedef void (*delete_fn)(void *, size_t, size_t);

static void delete (void *p, size_t a, size_t b, void *_Atomic *slot, const char *name)
{
	delete_fn f = (delete_fn)find(slot, name);

	if (!p)
		return;
	if (!f) {
		free(p);
		return;
	}
	cap_free(p, 0);
	{
		QUIETLY;
		f(p, a, b);
	}
}

#define DELETE(name, text)                                 \
	CAP_PUBLIC void name(void *p, size_t a, size_t b); \
	CAP_PUBLIC void name(void *p, size_t a, size_t b)  \
	{                                                  \
		static void *_Atomic next;                 \
                                                           \
		delete (p, a, b, &next, text);             \
	}

DELETE(_ZdlPv, "_ZdlPv")
DELETE(_ZdaPv, "_ZdaPv")
DELETE(NAME(_ZdlPv, ), "_ZdlPv" Z)
DELETE(NAME(_ZdaPv, ), "_ZdaPv" Z)
DELETE(_ZdlPvRKSt9nothrow_t, "_ZdlPvRKSt9nothrow_t")
DELETE(_ZdaPvRKSt9nothrow_t, "_ZdaPvRKSt9nothrow_t")
DELETE(_ZdlPvSt11align_val_t, "_ZdlPvSt11align_val_t")
DELETE(_ZdaPvSt11align_val_t, "_ZdaPvSt11align_val_t")
DELETE(NAME(_ZdlPv, St11align_val_t), "_ZdlPv" Z "St11align_val_t")
DELETE(NAME(_ZdaPv, St11align_val_t), "_ZdaPv" Z "St11align_val_t")
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, "_ZdlPvSt11align_val_tRKSt9nothrow_t")
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, "_ZdaPvSt11align_val_tRKSt9nothrow_t")
