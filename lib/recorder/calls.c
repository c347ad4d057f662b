/* SPDX-License-Identifier: MIT */
#include "lib/recorder/calls.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/capture.h"

#include <string.h>

enum { KNOWN = 1024 };

/* The stacks of one function that a thread has seen last, and what cap_stacks_id wants. */
struct cap_known {
	uint32_t flushed;
	struct {
		uint64_t pc;
		uint32_t stack;
	} row[KNOWN];
	struct cap_last last;
};

static uint32_t cap_calls_stack_of(struct cap_ring *ring, uint64_t pc)
{
	uint32_t flushed = atomic_load_explicit(&cap.stacks.flushed, memory_order_acquire);
	size_t i = (pc ^ pc >> 11) % KNOWN;
	struct cap_known *k = ring->known;

	if (!k)
		k = ring->known = cap_map(sizeof *k);
	if (!k)
		return 0;
	if (k->flushed != flushed)
		memset(k->row, 0, sizeof k->row);
	k->flushed = flushed;
	if (k->row[i].pc != pc) {
		k->row[i].stack = cap_stacks_id(&cap.stacks, &k->last, &pc, 1);
		k->row[i].pc = pc;
	}
	return k->row[i].stack;
}

static struct cap_record *record(struct cap_ring *ring, unsigned kind)
{
	struct cap_record *rec = cap_ring_next(ring);

	memset(rec, 0, sizeof *rec);
	rec->kind = (uint8_t)kind;
	return rec;
}

static void put(struct cap_ring *ring, struct cap_record *rec)
{
	rec->seq = cap_ring_number(&cap.rings, ring);
	cap_ring_put(ring);
	cap_ring_done(ring);
}

bool cap_call_put(enum cap_record_kind kind, const struct cap_call_info *info)
{
	unsigned texts = (unsigned)((info->n + CAP_TEXT_MAX - 1) / CAP_TEXT_MAX);
	struct cap_ring *ring = cap_open(texts + 1);
	struct cap_record *rec;

	if (!ring)
		return false;
	for (unsigned i = 0; i < texts; i++) {
		size_t part = info->n - i * CAP_TEXT_MAX;

		rec = record(ring, CAP_TEXT);
		rec->count = (uint32_t)(part < CAP_TEXT_MAX ? part : CAP_TEXT_MAX);
		memcpy(rec->text, info->text + i * CAP_TEXT_MAX, rec->count);
		put(ring, rec);
	}
	rec = record(ring, kind);
	rec->time = info->time;
	rec->count = info->time != CAP_NO_TIME;
	rec->address = (uint64_t)info->value;
	rec->stack = cap_calls_stack_of(ring, info->pc);
	rec->fiber = (uint16_t)info->fiber.place;
	rec->requested = info->fiber.number;
	rec->name = info->fiber.name;
	put(ring, rec);
	cap_close(ring);
	return true;
}
