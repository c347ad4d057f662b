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

/* What operators ask an allocator for: one byte for none, and whole alignments for aligned_alloc. */
static size_t most_of(size_t n, size_t align)
{
	size_t unit = align && align < sizeof(void *) ? sizeof(void *) : align;

	n = n ? n : 1;
	return unit ? (n + unit - 1) & ~(unit - 1) : n;
}

static void begin(size_t n, size_t align, struct cap_where where)
{
	cap_self.outer = (struct cap_new){.where = where,
					  .size = n,
					  .most = most_of(n, align),
					  .depth = cap_self.depth,
					  .open = true};
}

/* Also when the operator throws. */
static void end(const struct cap_where *where)
{
	(void)where;
	cap_self.outer.open = false;
}

/* When no malloc of ours has seen it. */
static void *report_block(void *p, size_t n, struct cap_where where)
{
	if (p && cap_self.outer.block != p)
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

/* The real operator may call another that we hook: that one then leaves all to the first. */
#define NEW(name, align, may_fail, parameters, ...)                                          \
	CAP_PUBLIC void *name parameters;                                                    \
	CAP_PUBLIC void *name parameters                                                     \
	{                                                                                    \
		void *(*f)parameters = (void *(*)parameters)CAP_NEXT_LATE(name);             \
                                                                                             \
		if (cap_self.outer.open)                                                     \
			return f ? f(__VA_ARGS__) : from_malloc(n, align, may_fail);         \
		__attribute__((cleanup(end))) const struct cap_where where = CAP_HERE;       \
		begin(n, align, where);                                                      \
		return report_block(f ? f(__VA_ARGS__) : from_malloc(n, align, may_fail), n, \
				    where);                                                  \
	}
#define NEW_PLAIN(name)   NEW(name, 0, false, (size_t n), n)
#define NEW_NOTHROW(name) NEW(name, 0, true, (size_t n, const void *tag), n, tag)
#define NEW_ALIGN(name)   NEW(name, align, false, (size_t n, size_t align), n, align)
#define NEW_ALIGN_NOTHROW(name) \
	NEW(name, align, true, (size_t n, size_t align, const void *tag), n, align, tag)

NEW_PLAIN(CAP_CXX(_Znw, ))
NEW_PLAIN(CAP_CXX(_Zna, ))
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
