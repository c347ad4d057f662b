/* SPDX-License-Identifier: MIT
 *
 * Names by library and address, which identify a location in a capture's own file. Exporters that write this
 * file again use them to put names in it. Taken from a symbolized trace of that capture when it ends.
 */
#ifndef TM_EXPORT_CAPTURED_H
#define TM_EXPORT_CAPTURED_H

#include "lib/export/export.h"
#include "lib/names/names.h"

struct captured {
	struct sink sink; /* first */
	const char *format;
	struct group_names names;
	struct intern libraries; /* paths and base names as captured; "" is an address as such */
	struct intern keys;      /* (library, address) -> ids */
	uint32_t *ids;           /* of names; CAPTURED_SEVERAL: more than one answer */
	size_t n_ids, cap_ids;
	unsigned captures;
};

enum { CAPTURED_SEVERAL = UINT32_MAX };

/* format: the attribute that the trace must have. c stays where it is until its release. */
void captured_init(struct captured *c, const char *format);
void captured_release(struct captured *c);

/* True: the trace has the address; *l then is what it is called, or NULL when nothing names it. */
bool captured_find(const struct captured *c, const char *library, size_t n, uint64_t address,
		   const struct names_location **l);

#endif
