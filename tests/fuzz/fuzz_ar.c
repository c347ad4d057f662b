/* SPDX-License-Identifier: MIT
 *
 * Static libraries (lib/object/ar.h): any bytes, and archives that are well formed.
 */
#include "lib/object/ar.h"
#include "tests/fuzz/forge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct err e = ERR_INIT;
	FILE *file = tmpfile();
	char path[64];
	struct ar a;

	if (!file || (n && fwrite(data, 1, n, file) != n) || fflush(file))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	if (!ar_open(&a, path, NULL, &e)) {
		for (size_t i = 0; i < a.n; i++) {
			const struct ar_member *m = &a.members[i];

			if (!a.thin && (m->offset > n || m->size > n - m->offset))
				abort();
			if (i < 64 && !ar_find(&a, NULL, m->name, strlen(m->name)))
				abort();
		}
		ar_release(&a);
	} else if (!e.msg[0]) {
		abort();
	}
	fclose(file);
	return 0;
}

#ifdef LIBFUZZER

enum { MEMBER = 60 };

static void forge_member(struct forge *f)
{
	static const char *const names[] = {
	    "a.o/",  "b.o",     "/",         "/SYM64/",          "//", "/0", "/7", "/99999", "#1/4",
	    "#1/20", "#1/5000", "__.SYMDEF", "__.SYMDEF SORTED", "",   "/x", NULL};
	static const char *const bodies[] = {"long_name.o/\nother.o/\n", "__.SYMDEF\0\0", "name",
					     "first/\nsecond\n", NULL};
	char header[MEMBER + 1];
	const char *name = forge_word(f, names);
	const char *body = forge_word(f, bodies);
	size_t n = forge_one_in(f, 4) ? forge_below(f, 64) : strlen(body);

	snprintf(header, sizeof header, "%-16.16s0           0     0     644     %-10zu`\n", name,
		 n);
	forge_bytes(f, header, MEMBER);
	if (n == strlen(body))
		forge_bytes(f, body, n);
	else
		forge_noise(f, n);
	if (n & 1)
		forge_text(f, "\n");
}

static void forge_whole(struct forge *f)
{
	forge_text(f, forge_one_in(f, 3) ? "!<thin>\n" : "!<arch>\n");
	for (uint32_t i = forge_below(f, 6); i > 0; i--)
		forge_member(f);
}

/* Up to the next header. */
static size_t member(const uint8_t *p, size_t n)
{
	const uint8_t *next = n > MEMBER ? memmem(p + MEMBER, n - MEMBER, "`\n", 2) : NULL;

	return next && next - p >= 2 * MEMBER - 2 ? (size_t)(next - p) - (MEMBER - 2) : n;
}

/* Each member's size becomes what there is up to the next one. */
static size_t mend_sizes(uint8_t *p, size_t n, size_t max)
{
	(void)max;
	for (size_t at = 8; at + MEMBER <= n;) {
		size_t len = member(p + at, n - at);
		char digits[24];

		snprintf(digits, sizeof digits, "%-10zu", len - MEMBER);
		memcpy(p + at + 48, digits, 10);
		at += len;
	}
	return n;
}

static const struct forge_kind forge = {forge_whole, member, forge_member, 8, mend_sizes};
FORGE(forge)

#endif
