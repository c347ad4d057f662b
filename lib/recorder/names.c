/* SPDX-License-Identifier: MIT
 *
 * The names that a program gives to frames, counters and types: looked up without a lock.
 */
#include "lib/recorder/capture.h"

#include <string.h>

/* The name's row, or 0 and the slot where it belongs. Names never go: no lock. */
static uint32_t name_find(const char *text, size_t n, uint32_t *slot)
{
	uint32_t h = 2166136261u, id;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)text[i]) * 16777619u;
	for (h ^= h >> 15;; h++) {
		*slot = h % CAP_NAME_SLOTS;
		id = atomic_load_explicit(&cap.name_slot[*slot], memory_order_acquire);
		if (!id || (!memcmp(cap.name[id].text, text, n) && !cap.name[id].text[n]))
			return id;
	}
}

uint32_t cap_name_id(const char *text, const char *unit)
{
	size_t n = strnlen(text, CAP_NAME_MAX - 1);
	uint32_t slot, id = name_find(text, n, &slot), count;
	sigset_t before;

	if (id)
		return id;
	if (!cap_lock_held(&cap.naming, &before)) {
		atomic_fetch_add_explicit(&cap.waited, 1, memory_order_relaxed);
		return 0;
	}
	id = name_find(text, n, &slot);
	count = atomic_load_explicit(&cap.n_names, memory_order_relaxed);
	if (!id && count + 1 < CAP_NAMES) {
		id = count + 1;
		memcpy(cap.name[id].text, text, n);
		cap.name[id].unit = unit;
		atomic_store_explicit(&cap.n_names, id, memory_order_release);
		atomic_store_explicit(&cap.name_slot[slot], (uint16_t)id, memory_order_release);
	}
	cap_unlock_held(&cap.naming, &before);
	if (!id)
		atomic_fetch_add_explicit(&cap.nameless, 1, memory_order_relaxed);
	return id;
}
