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

/* The number comes first: taking it waits for what was written, and the memory of a record may be with the writer. */
static struct cap_record *cap_calls_begin(struct cap_ring *ring, unsigned kind)
{
	uint64_t seq = cap_ring_number(&cap.rings, ring);
	struct cap_record *rec = cap_ring_next(ring);

	memset(rec, 0, sizeof *rec);
	rec->seq = seq;
	rec->kind = (uint8_t)kind;
	return rec;
}

static void cap_calls_end(struct cap_ring *ring)
{
	cap_ring_put(ring);
	cap_ring_done(ring);
}

void cap_put_text(struct cap_ring *ring, const char *text, size_t n)
{
	while (n) {
		struct cap_record *rec = cap_calls_begin(ring, CAP_TEXT);

		rec->count = n < CAP_TEXT_MAX ? (uint32_t)n : CAP_TEXT_MAX;
		memcpy(rec->text, text, rec->count);
		text += rec->count;
		n -= rec->count;
		cap_calls_end(ring);
	}
}

bool cap_call_put(enum cap_record_kind kind, const struct cap_call_info *info)
{
	struct cap_ring *ring = cap_open(cap_text_records(info->n) + 1);
	struct cap_record *rec;
	uint32_t stack;

	if (!ring)
		return false;
	cap_put_text(ring, info->text, info->n);
	stack = cap_calls_stack_of(ring, info->pc);
	rec = cap_calls_begin(ring, kind);
	rec->time = info->time;
	rec->count = info->time != CAP_NO_TIME;
	rec->address = (uint64_t)info->value;
	rec->stack = stack;
	rec->fiber = (uint16_t)info->fiber.place;
	rec->requested = info->fiber.number;
	rec->name = info->fiber.name;
	cap_calls_end(ring);
	cap_close(ring);
	return true;
}
