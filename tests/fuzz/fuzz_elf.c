/* SPDX-License-Identifier: MIT
 *
 * lib/object over any bytes: headers, segments, symbols, every section's contents.
 */
#include "lib/object/object.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_symbols(struct object *o)
{
	size_t n;
	const struct object_symbol *s = object_symbols(o, &n);

	for (size_t i = 0; i < n; i++) {
		const struct object_symbol *at = object_symbol_at(o, s[i].lo);

		if (s[i].hi < s[i].lo || (i && s[i].lo < s[i - 1].lo) || !*s[i].name)
			abort();
		if (!object_is_symbol_start(o, s[i].lo))
			abort();
		if (s[i].hi > s[i].lo && (!at || s[i].lo < at->lo || s[i].lo >= at->hi))
			abort();
		at = object_symbol_at(o, s[i].hi);
		if (at && (s[i].hi < at->lo || s[i].hi >= at->hi))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {".debug_info", ".debug_line", ".debug_str", ".text",
					    ".note.gnu.build-id"};
	struct err e = ERR_INIT;
	struct object *o;
	uint64_t vaddr;
	size_t n;

	if (object_open_memory(&o, data, size, &e))
		return 0;
	(void)object_segments(o, &n);
	for (size_t i = 0; i < n; i++)
		(void)object_is_code(o, object_segments(o, &n)[i].vaddr);
	(void)!object_offset_to_vaddr(o, size / 2, &vaddr);
	if (object_build_id(o)->len > OBJECT_BUILD_ID_MAX)
		abort();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct object_section s;
		volatile uint8_t last = 0;

		if (!object_section(o, names[i], &s, &e) && s.size)
			last = s.data[s.size - 1];
		(void)last;
	}
	check_symbols(o);
	object_free(o);
	return 0;
}
