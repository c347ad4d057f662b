/* SPDX-License-Identifier: MIT */
#include "lib/recorder/hooks/next.h"

#ifndef CAP_WRAP
#include "lib/recorder/base/symbols.h"
#include "lib/recorder/capture.h"

#include <stddef.h>

struct cap_next cap_next;
bool cap_late;

/* late: a C++ library may come by dlopen, and go by dlclose. */
struct next_row {
	const char *name;
	size_t slot;
	bool late;
};

#define TEXT_OF(name)  #name
#define ROW(name)      {#name, offsetof(struct cap_next, name), false},
#define LATE_ROW(name) {TEXT_OF(name), offsetof(struct cap_next, name), true},
static const struct next_row rows[] = {CAP_NEXT_C(ROW) CAP_NEXT_CXX(LATE_ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

extern const char own_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

/* behind: what this walk meets comes behind us; of what does not, the first is kept in before. loaded: no
 * module is half loaded. */
struct next_walk {
	const char *const *name;
	void **found, **before;
	size_t n, missing;
	bool behind, loaded;
};

static int next_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct next_walk *w = arg;
	struct cap_symbols s;

	(void)size;
	if (info->dlpi_addr == (uintptr_t)own_start) {
		w->behind = true;
		return 0;
	}
	if (!cap_symbols_of(info, &s))
		return 0;
	s.loaded = w->loaded;
	for (size_t i = 0; i < w->n; i++) {
		void **to = w->behind ? &w->found[i] : &w->before[i];

		if (!w->name[i] || w->found[i] || *to)
			continue;
		*to = cap_symbol_find(&s, w->name[i]);
		w->missing -= *to && w->behind;
	}
	return !w->missing;
}

/* names may be NULL: none is wanted there. found is zeroed. */
static void next_walk(const char *const *names, void **found, size_t n, bool loaded)
{
	void *before[ROWS] = {NULL};
	struct next_walk w = {names, found, before, n, 0, cap_late, loaded};

	for (size_t i = 0; i < n; i++)
		w.missing += names[i] != NULL;
	if (!w.missing)
		return;
	dl_iterate_phdr(next_look, &w);
	for (size_t i = 0; i < n; i++)
		if (!found[i])
			found[i] = before[i];
}

static void **slot_of(const struct next_row *r)
{
	return (void **)((char *)&cap_next + r->slot);
}

void cap_next_find(bool again)
{
	static bool
	    kept[ROWS]; /* found as the process began, by one thread: such a library stays */
	static _Atomic bool began;
	bool first = !atomic_exchange(&began, true);
	const char *names[ROWS];
	void *found[ROWS] = {NULL};

	for (size_t i = 0; i < ROWS; i++) {
		bool there = __atomic_load_n(slot_of(&rows[i]), __ATOMIC_RELAXED) != NULL;

		names[i] = there && !(again && rows[i].late && !kept[i]) ? NULL : rows[i].name;
	}
	next_walk(names, found, ROWS, first);
	for (size_t i = 0; i < ROWS; i++) {
		if (names[i])
			__atomic_store_n(slot_of(&rows[i]), found[i], __ATOMIC_RELEASE);
		kept[i] |= first && found[i];
	}
}

void *cap_next_named(const char *name)
{
	void *found = NULL;

	next_walk(&name, &found, 1, true);
	return found;
}
#endif
