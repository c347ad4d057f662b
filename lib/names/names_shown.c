/* SPDX-License-Identifier: MIT
 *
 * Names as reports show them, functions of one name distinguished by their files.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/demangle/demangle.h"
#include "lib/match/match.h"
#include "lib/names/disambiguate.h"
#include "lib/names/names_memo.h"

#include <stdlib.h>
#include <string.h>

uint32_t names_shown(struct group_names *n, uint32_t name)
{
	struct names_memo *m = n->memo;
	size_t len;
	const char *s = names_text(n, name, &len);
	uint32_t *shown;
	char *text;

	if (!demangle_may_capture(s, len))
		return name;
	shown = map64_put(&m->shown, name);
	if (*shown)
		return *shown;
	*shown = name;
	text = demangle_captured(s, len);
	if (text) {
		uint32_t id = intern_add(&n->strings, text, strlen(text));

		*map64_put(&m->shown, name) = id;
		name = id;
	}
	free(text);
	return name;
}

void names_disambiguate(struct group_names *n)
{
	struct name_suffix *a = mem_zarray(n->n_functions + 1, sizeof *a);
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n->n_functions; i++) {
		size_t len;
		const char *raw = names_text(n, n->functions[i].raw, &len);

		a[i] = name_suffix_of(n->functions[i].display, raw, len);
	}
	name_suffixes_find(a, n->n_functions);
	for (size_t i = 0; i < n->n_functions; i++) {
		size_t len;
		const char *s = names_text(n, a[i].name, &len);

		if (!a[i].end && !n->functions[i].folded)
			continue;
		b.len = 0;
		buf_add(&b, s, len);
		if (a[i].end)
			name_suffix_text(&a[i], &b);
		if (n->functions[i].folded)
			buf_adds(&b, NAME_SUFFIX_FOLDED);
		n->functions[i].plain = n->functions[i].display;
		n->functions[i].display = intern_add(&n->strings, b.data, b.len);
	}
	buf_release(&b);
	free(a);
}

bool names_match(const struct group_names *n, uint32_t function, struct match *m)
{
	const struct names_function *f = &n->functions[function];
	size_t len, n_raw;
	const char *s = names_text(n, f->display, &len), *raw = names_text(n, f->raw, &n_raw);

	return name_suffix_match(m, &(struct name_suffix_name){s, len, raw, n_raw});
}
