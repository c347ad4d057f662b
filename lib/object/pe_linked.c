/* SPDX-License-Identifier: MIT
 *
 * What a PE file imports: by its directory of imports, a function of another file has a slot that the loader fills, and
 * that code calls or jumps through. Facts: Microsoft's "PE Format", "The .idata Section".
 */
#include "lib/base/bytes.h"
#include "lib/object/pe.h"

enum {
	IMPORT_ENTRY = 20, /* names, time, forwarder, name of the file, slots */
	HINT = 2,          /* before a name */
	IMPORT_FILES_MAX = 1 << 14,
	IMPORTS_MAX = 1 << 20,
};

/* The slots of one file. False: there were too many. */
static bool each_slot(const struct object_image *f, struct pe_bytes *names, uint32_t list,
		      uint32_t slots, uint32_t *n,
		      void (*see)(void *arg, const struct object_linked *s), void *arg)
{
	const uint64_t by_number = f->is_64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	const uint32_t each = f->is_64 ? 8 : 4;
	struct pe_bytes table = {.bytes = NULL};
	const uint8_t *p, *name;

	for (uint32_t at = 0; (p = pe_bytes(&table, f, (uint64_t)list + at, each)); at += each) {
		uint64_t x = f->is_64 ? le64(p) : le32(p);

		if (!x || ++*n > IMPORTS_MAX)
			break;
		name = x & by_number ? NULL : pe_bytes(names, f, x + HINT, 1);
		see(arg, &(struct object_linked){.name = name ? (const char *)name : "",
						 .value = f->pe.base + slots + at,
						 .undefined = true});
	}
	pe_bytes_release(&table);
	return *n <= IMPORTS_MAX;
}

bool pe_each_import(const struct object_image *f,
		    void (*see)(void *arg, const struct object_linked *s), void *arg)
{
	struct pe_bytes files = {.bytes = NULL}, names = {.bytes = NULL};
	const uint8_t *p;
	uint32_t n = 0;

	for (uint32_t i = 0; f->pe.imports && i < IMPORT_FILES_MAX; i++) {
		uint32_t list, slots;

		p = pe_bytes(&files, f, f->pe.imports + (uint64_t)i * IMPORT_ENTRY, IMPORT_ENTRY);
		slots = p ? le32(p + 16) : 0;
		list = p && le32(p) ? le32(p) : slots;
		if (!slots || !each_slot(f, &names, list, slots, &n, see, arg))
			break;
	}
	pe_bytes_release(&files);
	pe_bytes_release(&names);
	return n;
}
