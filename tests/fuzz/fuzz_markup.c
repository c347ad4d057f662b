/* SPDX-License-Identifier: MIT
 *
 * Symbolizer markup of any text: lines go in, and out comes what is shown of them, with colours and
 * without, in pieces of any size. No build-id has a file, so that nothing is looked up. What has no
 * braces passes as it is; without colours no code is written; mappings stay sorted and apart.
 */
#include "cmd/tm-llvm-symbolizer/markup.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static struct tracemill_binary *none(void *arg, const char *id, size_t n)
{
	(void)arg;
	must(n > 0 && !(n % 2) && strspn(id, "0123456789abcdef") >= n);
	return NULL;
}

static void check_mmaps(const struct markup *m)
{
	for (size_t i = 1; i < m->n_mmaps; i++) {
		const struct markup_mmap *x = &m->mmaps[i - 1];

		must(x->addr < m->mmaps[i].addr);
		must(x->addr + x->size <= m->mmaps[i].addr || x->addr + x->size < x->addr);
	}
	must(m->n_mmaps <= MARKUP_MOST && m->n_modules <= MARKUP_MOST);
}

static void take(struct buf *out, struct markup *m)
{
	static const struct print_options o = {.names = NAMES_LINKAGE, .demangle = true};
	static const struct print_from nothing = {.options = &o};

	for (size_t i = 0; i <= m->n_parts; i++)
		markup_print(out, m, &nothing, i);
	must(!m->n_queries);
	markup_clear(m);
}

static void filter(struct buf *out, const char *s, size_t n, bool colors, size_t lines_each)
{
	struct markup m;
	size_t number = 0;

	markup_init(&m, colors);
	m.find = none;
	while (n) {
		const char *end = memchr(s, '\n', n);
		size_t length = end ? (size_t)(end - s) : n;

		markup_line(&m, s, length);
		check_mmaps(&m);
		if (++number % lines_each == 0)
			take(out, &m);
		s += length + (end != NULL);
		n -= length + (end != NULL);
	}
	markup_end(&m);
	take(out, &m);
	markup_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *s = (const char *)data;
	struct buf plain = BUF_INIT, again = BUF_INIT, colored = BUF_INIT;

	if (n > 1 << 16)
		return 0;
	filter(&plain, s, n, false, 1);
	filter(&again, s, n, false, 1 << 20);
	filter(&colored, s, n, true, 3);
	must(plain.len == again.len && (!plain.len || !memcmp(plain.data, again.data, plain.len)));
	must(colored.len >= plain.len);
	if (!memmem(s, n, "{{{", 3) && !memchr(s, '\033', n)) {
		must(plain.len == n + (n && s[n - 1] != '\n'));
		must(!n || !memcmp(plain.data, s, n));
	}
	buf_release(&plain);
	buf_release(&again);
	buf_release(&colored);
	return 0;
}
