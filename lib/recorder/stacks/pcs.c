/* SPDX-License-Identifier: MIT */
#include "lib/recorder/stacks/pcs.h"

#include "lib/recorder/base/memory.h"

#include <stddef.h>

static struct cap_pc *find(struct cap_pc *slots, uint32_t mask, uint64_t pc)
{
	uint32_t i = (uint32_t)(pc * 0x9e3779b97f4a7c15 >> 32) & mask;

	while (slots[i].id && slots[i].pc != pc)
		i = (i + 1) & mask;
	return &slots[i];
}

static bool enlarge(struct cap_pcs *p)
{
	uint32_t size = p->slots ? (p->mask + 1) * 2 : 1 << 12;
	struct cap_pc *slots = cap_map(size * sizeof *slots);

	if (!slots)
		return false;
	for (uint32_t i = 0; p->slots && i <= p->mask; i++)
		if (p->slots[i].id)
			*find(slots, size - 1, p->slots[i].pc) = p->slots[i];
	if (p->slots)
		cap_unmap(p->slots, (p->mask + 1) * sizeof *slots);
	p->slots = slots;
	p->mask = size - 1;
	return true;
}

uint32_t *cap_pcs_put(struct cap_pcs *p, uint64_t pc)
{
	struct cap_pc *s;

	if ((!p->slots || p->n >= (p->mask + 1) / 8 * 5) && !enlarge(p))
		return NULL;
	s = find(p->slots, p->mask, pc);
	if (!s->id) {
		s->pc = pc;
		p->n++;
	}
	return &s->id;
}

void cap_pcs_clear(struct cap_pcs *p)
{
	if (p->slots)
		cap_unmap(p->slots, (p->mask + 1) * sizeof *p->slots);
	*p = (struct cap_pcs){0};
}
