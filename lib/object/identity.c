/* SPDX-License-Identifier: MIT
 *
 * The fingerprint and the place of a binary, by which the cache recognizes it.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/object/impl.h"
#include "lib/object/pdb.h"

#include <string.h>
#include <sys/stat.h>

enum { SAMPLE = 4096 };

/* Numbers one after the other, hashed at the end of it. */
struct digest {
	uint64_t sum;
};

static void add(struct digest *d, uint64_t v)
{
	uint8_t b[8];

	for (int i = 0; i < 8; i++)
		b[i] = (uint8_t)(v >> 8 * i);
	d->sum = hash_bytes_seeded(b, sizeof b, d->sum);
}

static void add_sample(struct digest *d, const struct object_image *f,
		       const struct section_header *s, uint64_t at)
{
	uint64_t n = s->size - at < SAMPLE ? s->size - at : SAMPLE;
	struct err ignored = ERR_INIT;
	uint8_t bytes[SAMPLE];

	if (image_read(f, s->offset + at, bytes, (size_t)n, &ignored))
		add(d, UINT64_MAX);
	else
		d->sum = hash_bytes_seeded(bytes, (size_t)n, d->sum);
}

static void identity_add_section(struct digest *d, const struct object *o, const char *name)
{
	const struct object_image *f = &o->debug;
	const struct section_header *s = f->path ? section_find(f, name) : NULL;

	if (!s) {
		f = &o->file;
		s = section_find(f, name);
	}
	add(d, s ? f == &o->debug ? 2 : 1 : 0);
	if (!s)
		return;
	d->sum = hash_bytes_seeded(s->name, strlen(s->name), d->sum);
	add(d, s->flags);
	add(d, s->kind);
	add(d, s->addr);
	add(d, s->size);
	if (s->offset > f->size || s->size > f->size - s->offset)
		return;
	add_sample(d, f, s, 0);
	if (s->size > SAMPLE)
		add_sample(d, f, s, s->size - SAMPLE);
	if (s->size > 3 * (uint64_t)SAMPLE)
		add_sample(d, f, s, s->size / 2);
}

uint64_t object_fingerprint(const struct object *o, const char *const *sections, size_t n)
{
	struct digest d = {0};

	add(&d, o->file.is_64 | o->file.big_endian << 1 | (uint64_t)o->file.arch << 8);
	for (size_t i = 0; i < o->file.n_segments; i++) {
		const struct object_segment *s = &o->file.segments[i];

		add(&d, s->vaddr);
		add(&d, s->offset);
		add(&d, s->filesz);
		add(&d, s->memsz);
		add(&d, s->executable);
	}
	for (size_t i = 0; i < n; i++)
		identity_add_section(&d, o, sections[i]);
	if (object_pdb(o))
		add(&d, pdb_fingerprint(object_pdb(o)));
	/* nothing is added where none is needed */
	if (o->supplement)
		add(&d, object_fingerprint(o->supplement, sections, n));
	else if (o->supplement_missing)
		add(&d, 0);
	return d.sum;
}

static bool add_file(struct digest *d, const struct object_image *f)
{
	struct stat st;

	if (!f->path) {
		add(d, 0);
		return true;
	}
	if (f->fd < 0 || fstat(f->fd, &st))
		return false;
	add(d, f->base);
	add(d, (uint64_t)st.st_dev);
	add(d, (uint64_t)st.st_ino);
	add(d, (uint64_t)st.st_size);
	add(d, (uint64_t)st.st_mtim.tv_sec);
	add(d, (uint64_t)st.st_mtim.tv_nsec);
	return true;
}

bool object_place(const struct object *o, uint64_t *place)
{
	struct digest d = {1};

	if (!o->file.path || !add_file(&d, &o->file) || !add_file(&d, &o->debug) ||
	    (o->supplement && !add_file(&d, &o->supplement->file)))
		return false;
	*place = d.sum;
	return true;
}
