/* SPDX-License-Identifier: MIT
 *
 * lib/recorder/stacks/unwind.c and cfi.c: the fast walk finds what libgcc's unwinder finds, from code of
 * many shapes: the C library's qsort and bsearch, functions with alloca, with realigned stacks,
 * with many arguments, recursion.
 */
#include "lib/recorder/stacks/unwind.h"
#include "lib/recorder/stacks/bounds.h"
#include "tests/unit/test.h"

#include <alloca.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

static struct cap_rules rules;
static struct cap_bounds bounds;
static unsigned same, different, deepest, declined, starts;

/* As a hook: has a frame pointer, since it asks for its frame. */
__attribute__((noinline)) static void compare(void)
{
	uint64_t fast[200], slow[200];
	uintptr_t fp;
	unsigned n, m = cap_unwind_tables(__builtin_return_address(0), slow, NULL, 200);

	memcpy(&fp, __builtin_frame_address(0), sizeof fp);
	fast[0] = (uintptr_t)__builtin_return_address(0);
	n = cap_bounds_have(&bounds, (uintptr_t)__builtin_dwarf_cfa())
		? cap_unwind_cfi(&rules, (uintptr_t)__builtin_dwarf_cfa(), fp, bounds.hi, fast, 200)
		: 0;
	if (!CAP_HAS_CFI) { /* what there is instead */
		n = m;
		memcpy(fast, slow, sizeof fast);
	}
	declined += !n;
	for (unsigned i = 0; CAP_HAS_CFI && i < n; i++)
		starts += (void *)(uintptr_t)cfi_function(fast[i]) !=
			  _Unwind_FindEnclosingFunction((void *)(uintptr_t)fast[i]);
	if (n && n == m && !memcmp(fast, slow, n * sizeof *fast))
		same++;
	else if (n)
		different++;
	if (n > deepest)
		deepest = n;
}

static int order(const void *a, const void *b)
{
	compare();
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int by_qsort(int depth);

__attribute__((noinline)) static int with_alloca(int depth)
{
	volatile char *p = alloca((size_t)depth * 24 + 8);

	p[0] = (char)depth;
	compare();
	return p[0] + by_qsort(depth - 1);
}

__attribute__((noinline)) static int realigned(int depth)
{
	_Alignas(64) volatile char wide[128];

	wide[depth] = 1;
	compare();
	return wide[depth] + with_alloca(depth - 1);
}

__attribute__((noinline)) static int many(int a, int b, int c, int d, int e, int f, int g, int h,
					  int depth)
{
	compare();
	return a + b + c + d + e + f + g + h + realigned(depth - 1);
}

__attribute__((noinline)) static int by_qsort(int depth)
{
	int v[] = {5, 3, 9, 1, 7};

	if (depth <= 0)
		return 0;
	qsort(v, 5, sizeof *v, order);
	return v[0] + many(1, 2, 3, 4, 5, 6, 7, 8, depth - 1) + v[4];
}

static void *walk(void *arg)
{
	bounds = (struct cap_bounds){0};
	memset(&rules, 0, sizeof rules);
	by_qsort(60);
	return arg;
}

TEST(main_thread)
{
	walk(NULL);
	CHECK(same > 100);
	CHECK(!different);
	CHECK(deepest > 30);
	CHECK(!declined);
	CHECK(!starts);
}

TEST(other_thread)
{
	pthread_t id;

	same = different = deepest = declined = 0;
	CHECK(!pthread_create(&id, NULL, walk, NULL));
	pthread_join(id, NULL);
	CHECK(same > 100);
	CHECK(!different);
}

/* Nothing behind hi is read: the walk ends when a frame would be there. */
TEST(narrow_stack)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uint64_t pc[200];

	CHECK(cap_unwind_fp((void *)here, here + sizeof here, pc, 200) == 0);
	CHECK(cap_unwind_fp((void *)here, here, pc, 200) == 0);
	CHECK(cap_unwind_fp((void *)(here + 1), here + 4096, pc, 200) == 0);
	CHECK(cap_unwind_cfi(&rules, here, here, here, pc, 200) <= 1);
}

/* A range is what the thread has, as far as the process's own map says: within the mapping of this
 * frame, from there on, up to where nothing but the thread's descriptor, or the program's
 * arguments, are. */
static void *bounds_of_thread(void *arg)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), lo = 0, hi = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	struct cap_bounds b = {0};
	char line[512];

	errno = 77;
	CHECK(cap_bounds_have(&b, here));
	CHECK_EQ(errno, 77);
	while (maps && fgets(line, sizeof line, maps) && hi <= here)
		CHECK_EQ(sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &lo, &hi), 2);
	if (maps)
		fclose(maps);
	CHECK(b.lo >= lo && b.lo <= here && b.hi > here && b.hi <= hi);
	CHECK(hi - b.hi < (arg ? 64u << 10 : 8u << 20));
	/* Deeper: as far as it is mapped, and no further. */
	CHECK(cap_bounds_have(&b, lo + 64) && b.lo == lo);
	if (arg) { /* the first thread's stack would grow down to the wanted size */
		CHECK(!cap_bounds_have(&b, lo - 64));
		CHECK(b.lo == lo && b.floor == lo);
	}
	CHECK(!cap_bounds_have(&b, b.hi + 64));
	CHECK(!cap_bounds_have(&b, 0) && !cap_bounds_have(&b, UINTPTR_MAX));
	CHECK(cap_bounds_have(&b, here));
	return NULL;
}

TEST(bounds)
{
	pthread_t id;

	bounds_of_thread(NULL);
	CHECK(!pthread_create(&id, NULL, bounds_of_thread, &bounds));
	pthread_join(id, NULL);
}

/* A stack of the program's own, and coroutines' below it and on the heap, with a page between that
 * cannot be read: the thread's is distinguished from them, whichever is looked at first. (A stack is
 * large since ThreadSanitizer's own part of it takes a mebibyte.) */
enum { STACK = 4 << 20, HOLE = 4096 << 4 };
static uintptr_t others[3];

static void *bounds_beside(void *arg)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct cap_bounds before = {0}, behind = {0};

	for (int i = 0; i < 3; i++)
		CHECK(!cap_bounds_have(&before, others[i]));
	CHECK(cap_bounds_have(&before, here));
	CHECK(cap_bounds_have(&behind, here));
	for (int i = 0; i < 3; i++)
		CHECK(!cap_bounds_have(&before, others[i]) && !cap_bounds_have(&behind, others[i]));
	return arg;
}

TEST(bounds_of_coroutines)
{
	char *map =
	    mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t id;

	CHECK(map != MAP_FAILED);
	CHECK(!mprotect(map + STACK, HOLE, PROT_NONE));
	others[0] = (uintptr_t)map + STACK - 64;
	others[1] = (uintptr_t)map + 64;
	others[2] = (uintptr_t)malloc(STACK) + STACK / 2;
	pthread_attr_init(&attr);
	CHECK(!pthread_attr_setstack(&attr, map + 2 * STACK, STACK));
	CHECK(!pthread_create(&id, &attr, bounds_beside, NULL));
	pthread_join(id, NULL);
	pthread_attr_destroy(&attr);
	free((void *)(others[2] - STACK / 2));
	munmap(map, 3 * STACK);
}

/* A chain of frame pointers in a buffer, sound and corrupted in each way. */
TEST(frame_pointers)
{
	static uintptr_t s[64];
	uintptr_t end = (uintptr_t)(s + 64);
	uint64_t pc[8];

	if (!CAP_HAS_FP) {
		CHECK(cap_unwind_fp(s, end, pc, 8) == 0);
		TEST_SKIP("no frame pointers to follow on this machine");
	}
	for (int i = 0; i < 4; i++) {
		s[i * 10] = (uintptr_t)&s[(i + 1) * 10];
		s[i * 10 + 1] = 0x1000u + (unsigned)i;
	}
	s[40] = 0;
	s[41] = 0x2000;
	CHECK(cap_unwind_fp(s, end, pc, 8) == 5);
	CHECK(pc[0] == 0x1000 && pc[3] == 0x1003 && pc[4] == 0x2000);
	CHECK(cap_unwind_fp(s, end, pc, 2) == 2);
	s[20] = (uintptr_t)&s[10]; /* back */
	CHECK(cap_unwind_fp(s, end, pc, 8) == 3);
	s[20] = (uintptr_t)&s[20]; /* itself */
	CHECK(cap_unwind_fp(s, end, pc, 8) == 3);
	s[20] = end - sizeof *s; /* the pair would end outside */
	CHECK(cap_unwind_fp(s, end, pc, 8) == 3);
	s[20] = (uintptr_t)&s[30] + 3; /* not aligned */
	CHECK(cap_unwind_fp(s, end, pc, 8) == 3);
	s[20] = 0x10; /* outside */
	CHECK(cap_unwind_fp(s, end, pc, 8) == 3);
	s[21] = 0; /* no return address */
	CHECK(cap_unwind_fp(s, end, pc, 8) == 2);
}

TEST_MAIN()
