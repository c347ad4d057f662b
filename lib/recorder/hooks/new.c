/* SPDX-License-Identifier: MIT
 *
 * C++'s operators by their names in the Itanium ABI. Those of libstdc++ and libc++ call malloc and
 * free, which are hooked too: what they do is recorded there, with the operator's caller as its
 * own. Other allocators' operators need not.
 *
 * This file is compiled with -fexceptions: bad_alloc goes through, and the cleanup runs.
 */
#include "lib/recorder/hooks/preload.h"

#include <stdlib.h>

static void new_restore(const struct cap_where *const *outer)
{
	cap_self.outer = *outer;
}

/* Around the call of the real operator, which may throw, and may call another that we hook:
 * that one then leaves all to the first. */
#define OUTERMOST(where, n)                                                           \
	__attribute__((cleanup(new_restore), unused)) const struct cap_where *outer = \
	    cap_self.outer;                                                           \
	cap_self.outer = &(where);                                                    \
	cap_self.outer_size = n

/* When no malloc of ours has seen it. */
static void *told(void *p, size_t n, const struct cap_where *where)
{
	if (p && cap_self.outer == where)
		cap_alloc(p, n, cap_usable(p), 0, *where);
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

#define NEW(name)                                        \
	CAP_PUBLIC void *name(size_t n);                 \
	CAP_PUBLIC void *name(size_t n)                  \
	{                                                \
		new_fn f = (new_fn)CAP_NEXT_LATE(name);  \
		void *p;                                 \
                                                         \
		if (!f)                                  \
			return from_malloc(n, 0, false); \
		if (cap_self.outer)                      \
			return f(n);                     \
		struct cap_where where = CAP_HERE;       \
		{                                        \
			OUTERMOST(where, n);             \
			p = told(f(n), n, &where);       \
		}                                        \
		return p;                                \
	}
#define NEW_NOTHROW(name)                                           \
	CAP_PUBLIC void *name(size_t n, const void *tag);           \
	CAP_PUBLIC void *name(size_t n, const void *tag)            \
	{                                                           \
		new_extra_fn f = (new_extra_fn)CAP_NEXT_LATE(name); \
		void *p;                                            \
                                                                    \
		if (!f)                                             \
			return from_malloc(n, 0, true);             \
		if (cap_self.outer)                                 \
			return f(n, tag);                           \
		struct cap_where where = CAP_HERE;                  \
		{                                                   \
			OUTERMOST(where, n);                        \
			p = told(f(n, tag), n, &where);             \
		}                                                   \
		return p;                                           \
	}
#define NEW_ALIGN(name)                                             \
	CAP_PUBLIC void *name(size_t n, size_t align);              \
	CAP_PUBLIC void *name(size_t n, size_t align)               \
	{                                                           \
		new_align_fn f = (new_align_fn)CAP_NEXT_LATE(name); \
		void *p;                                            \
                                                                    \
		if (!f)                                             \
			return from_malloc(n, align, false);        \
		if (cap_self.outer)                                 \
			return f(n, align);                         \
		struct cap_where where = CAP_HERE;                  \
		{                                                   \
			OUTERMOST(where, n);                        \
			p = told(f(n, align), n, &where);           \
		}                                                   \
		return p;                                           \
	}
#define NEW_ALIGN_NOTHROW(name)                                                 \
	CAP_PUBLIC void *name(size_t n, size_t align, const void *tag);         \
	CAP_PUBLIC void *name(size_t n, size_t align, const void *tag)          \
	{                                                                       \
		new_align_extra_fn f = (new_align_extra_fn)CAP_NEXT_LATE(name); \
		void *p;                                                        \
                                                                                \
		if (!f)                                                         \
			return from_malloc(n, align, true);                     \
		if (cap_self.outer)                                             \
			return f(n, align, tag);                                \
		struct cap_where where = CAP_HERE;                              \
		{                                                               \
			OUTERMOST(where, n);                                    \
			p = told(f(n, align, tag), n, &where);                  \
		}                                                               \
		return p;                                                       \
	}

NEW(CAP_CXX(_Znw, ))
NEW(CAP_CXX(_Zna, ))
NEW_NOTHROW(CAP_CXX(_Znw, RKSt9nothrow_t))
NEW_NOTHROW(CAP_CXX(_Zna, RKSt9nothrow_t))
NEW_ALIGN(CAP_CXX(_Znw, St11align_val_t))
NEW_ALIGN(CAP_CXX(_Zna, St11align_val_t))
NEW_ALIGN_NOTHROW(CAP_CXX(_Znw, St11align_val_tRKSt9nothrow_t))
NEW_ALIGN_NOTHROW(CAP_CXX(_Zna, St11align_val_tRKSt9nothrow_t))

/* Of the arguments behind the block, sizes, alignments and tags, each is a word and is handed on;
 * a function does not mind the ones that it does not have. */
typedef void (*delete_fn)(void *, size_t, size_t);

static void new_delete(void *p, size_t a, size_t b, void *const *slot)
{
	delete_fn f = (delete_fn)cap_next_late(slot);

	if (!p)
		return;
	if (!f) {
		free(p);
		return;
	}
	if (cap_self.freed == p) { /* one operator calls another */
		f(p, a, b);
		return;
	}
	cap_free(p, 0);
	cap_self.freed = p;
	f(p, a, b);
	cap_self.freed = NULL;
}

#define DELETE(name)                                       \
	CAP_PUBLIC void name(void *p, size_t a, size_t b); \
	CAP_PUBLIC void name(void *p, size_t a, size_t b)  \
	{                                                  \
		new_delete(p, a, b, &cap_next.name);       \
	}

DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(CAP_CXX(_ZdlPv, ))
DELETE(CAP_CXX(_ZdaPv, ))
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(CAP_CXX(_ZdlPv, St11align_val_t))
DELETE(CAP_CXX(_ZdaPv, St11align_val_t))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)
