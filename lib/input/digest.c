/* SPDX-License-Identifier: MIT */
#include "lib/input/digest.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 64 << 10 };

void digest_add(struct input_digest *d, const void *p, size_t n)
{
	const uint8_t *from = p;

	d->bytes += n;
	while (n) {
		size_t room = PART - d->n, take = n < room ? n : room;

		if (!d->n && n >= PART) { /* no copy */
			d->hash = hash_bytes_seeded(from, PART, d->hash);
			from += PART;
			n -= PART;
			continue;
		}
		if (!d->part)
			d->part = mem_alloc(PART);
		memcpy(d->part + d->n, from, take);
		d->n += take;
		from += take;
		n -= take;
		if (d->n == PART) {
			d->hash = hash_bytes_seeded(d->part, PART, d->hash);
			d->n = 0;
		}
	}
}

void digest_end(struct input_digest *d)
{
	if (d->n || !d->bytes)
		d->hash = hash_bytes_seeded(d->n ? (const void *)d->part : "", d->n, d->hash);
	d->n = 0;
}

void digest_release(struct input_digest *d)
{
	free(d->part);
	*d = (struct input_digest){.hash = 0};
}
