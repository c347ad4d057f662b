/* SPDX-License-Identifier: MIT
 *
 * Members of an import library, as Microsoft's "PE Format" (Import Library Format) and binutils' dlltool have them:
 *
 *	short    u16 0, u16 0xffff, u16 version 0, u16 processor, u32 time, u32 size, u16, u16, name, name of the DLL
 *	object   COFF with sections .idata$2 to .idata$7: $2 the DLL's descriptor, $6 a symbol's name, or beside $2 the DLL's;
 *	         in binutils' last member $7 is the DLL's name
 */
#include "lib/object/coff_library.h"

#include "lib/base/bytes.h"
#include "lib/base/read_at.h"
#include "lib/object/format.h"

#include <string.h>

enum {
	HEAD = 20, /* of both forms */
	SECTION = 40,
	SECTIONS_MOST = 64,
	NAME_MOST = 256,
	TEXTS = 2 * NAME_MOST,
};

struct coff_library {
	const struct ar *a;
	size_t symbols, imports, objects; /* imports: members of both forms */
	char dll[NAME_MOST];
	bool others; /* there are symbols of another DLL */
};

static bool read_member(const struct coff_library *l, const struct ar_member *m, uint64_t at,
			void *to, size_t n)
{
	struct err ignored = ERR_INIT;

	return at <= m->size && n <= m->size - at &&
	       !read_at(l->a->fd, m->offset, at, to, n, &ignored);
}

static void note_dll(struct coff_library *l, const char *name, size_t n)
{
	if (!n || n >= NAME_MOST)
		return;
	if (!*l->dll)
		memcpy(l->dll, name, n);
	else if (strncmp(l->dll, name, n) != 0 || l->dll[n])
		l->others = true;
}

static void add_short(struct coff_library *l, const struct ar_member *m)
{
	char texts[TEXTS];
	uint64_t left = m->size - HEAD;
	size_t n = left < TEXTS ? (size_t)left : TEXTS;
	const char *end = read_member(l, m, HEAD, texts, n) ? memchr(texts, 0, n) : NULL;
	const char *dll = end ? end + 1 : NULL, *behind;

	l->symbols++;
	l->imports++;
	behind = dll ? memchr(dll, 0, n - (size_t)(dll - texts)) : NULL;
	if (behind)
		note_dll(l, dll, (size_t)(behind - dll));
}

/* Of an object without a symbol: what is in its section .idata$7. */
static void add_tail(struct coff_library *l, const struct ar_member *m, const uint8_t *section)
{
	const uint32_t size = le32(section + 16);
	char name[NAME_MOST] = "";
	size_t n = size < NAME_MOST - 1 ? size : NAME_MOST - 1;

	if (read_member(l, m, le32(section + 20), name, n))
		note_dll(l, name, strlen(name));
}

static void add_object(struct coff_library *l, const struct ar_member *m, unsigned n)
{
	bool has[8] = {false};
	uint8_t tail[SECTION] = {0};

	l->objects++;
	for (unsigned i = 0; i < n && i < SECTIONS_MOST; i++) {
		uint8_t section[SECTION];

		if (!read_member(l, m, HEAD + SECTION * (uint64_t)i, section, SECTION))
			return;
		if (memcmp(section, ".idata$", 7) != 0 || section[7] < '2' || section[7] > '7')
			continue;
		has[section[7] - '0'] = true;
		if (section[7] == '7')
			memcpy(tail, section, SECTION);
	}
	for (unsigned k = 2; k < 8; k++)
		if (has[k]) {
			l->imports++;
			break;
		}
	l->symbols += has[6] && !has[2];
	if (has[7] && !has[6])
		add_tail(l, m, tail);
}

enum status coff_library_refuse(const struct ar *a, struct err *e)
{
	struct coff_library l = {.a = a};

	for (size_t i = 0; i < a->n && !a->thin; i++) {
		const struct ar_member *m = &a->members[i];
		uint8_t head[HEAD];

		if (!read_member(&l, m, 0, head, HEAD))
			return ST_NONE;
		if (!le16(head) && le16(head + 2) == 0xffff && !le16(head + 4))
			add_short(&l, m);
		else if (object_is_coff(head, HEAD))
			add_object(&l, m, le16(head + 2));
		else
			return ST_NONE;
	}
	if (l.symbols && l.imports == a->n)
		return err_set(e, ST_UNSUPPORTED,
			       "an import library of %s%s: %zu symbol%s, no code: take the DLL",
			       *l.dll ? l.dll : "a DLL", l.others ? " and others" : "", l.symbols,
			       l.symbols == 1 ? "" : "s");
	if (l.objects)
		return err_set(e, ST_UNSUPPORTED,
			       "a static library of COFF objects, which are not read: link it, and "
			       "take the program");
	return ST_NONE;
}
