/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/blocks.h"

#include "lib/recorder/base/memory.h"

enum { FIRST = 1 << 16 };

static uint64_t home(const struct cap_blocks *b, uint64_t block)
{
	return ((block >> 4) * 0x9e3779b97f4a7c15) >> 20 & (b->room - 1);
}

static bool blocks_make(struct cap_blocks *b, uint64_t room)
{
	*b = (struct cap_blocks){.slots = cap_map(room * sizeof *b->slots), .room = room};
	return b->slots != NULL;
}

bool cap_blocks_init(struct cap_blocks *b)
{
	return blocks_make(b, FIRST);
}

void cap_blocks_release(struct cap_blocks *b)
{
	if (b->slots)
		cap_unmap(b->slots, b->room * sizeof *b->slots);
	*b = (struct cap_blocks){.slots = NULL};
}

static void blocks_put(struct cap_blocks *b, uint64_t block)
{
	uint64_t i = home(b, block);

	while (b->slots[i] && b->slots[i] != block)
		i = (i + 1) & (b->room - 1);
	b->n += !b->slots[i];
	b->slots[i] = block;
}

bool cap_blocks_add(struct cap_blocks *b, uint64_t block)
{
	struct cap_blocks larger;

	if (b->n >= b->room / 2) {
		if (!blocks_make(&larger, b->room * 2))
			return false;
		for (uint64_t i = 0; i < b->room; i++)
			if (b->slots[i])
				blocks_put(&larger, b->slots[i]);
		cap_blocks_release(b);
		*b = larger;
	}
	blocks_put(b, block);
	return true;
}

bool cap_blocks_remove(struct cap_blocks *b, uint64_t block)
{
	uint64_t mask = b->room - 1, i = home(b, block);

	while (b->slots[i] && b->slots[i] != block)
		i = (i + 1) & mask;
	if (!b->slots[i])
		return false;
	/* What was pushed behind its home moves back into the gap. */
	for (uint64_t k = (i + 1) & mask; b->slots[k]; k = (k + 1) & mask)
		if (((k - home(b, b->slots[k])) & mask) >= ((k - i) & mask)) {
			b->slots[i] = b->slots[k];
			i = k;
		}
	b->slots[i] = 0;
	b->n--;
	return true;
}
