/* SPDX-License-Identifier: MIT
 *
 * lib/object/wasm.c: modules made byte by byte: sections, addresses, names of functions from each of their
 * places, the separate debug file, and what lies about its counts and sizes.
 */
#include "lib/base/buf.h"
#include "lib/object/object.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEM, CODE };

static void put_section(struct buf *b, unsigned id, const char *name, const char *bytes, size_t n)
{
	size_t n_name = strlen(name);

	buf_addc(b, (char)id);
	buf_add_uleb(b, n + (id ? 0 : 1 + n_name));
	if (!id) {
		buf_add_uleb(b, n_name);
		buf_add(b, name, n_name);
	}
	buf_add(b, bytes, n);
}
#define PUT(b, id, name, bytes) put_section(b, id, name, bytes, sizeof(bytes) - 1)

struct module {
	bool names, exports, debug, wide;
	const char *link;
};

/* Two functions are imported, between a table, a memory and a global; three are its own, numbers 2 to 4. */
static void make(struct buf *b, const struct module *m)
{
	struct buf link = BUF_INIT;

	buf_add(b, "\0asm\1\0\0\0", 8);
	PUT(b, TYPE, "", "\1\x60\0\0");
	PUT(b, IMPORT, "",
	    "\5"
	    "\3env\1a\0\0"
	    "\3env\1t\1\x70\0\1"
	    "\3env\1m\2\1\1\2"
	    "\3env\1g\3\x7f\1"
	    "\3env\1b\0\0");
	PUT(b, FUNCTION, "", "\3\0\0\0");
	if (m->wide)
		PUT(b, MEMORY, "", "\1\4\1");
	if (m->exports)
		PUT(b, EXPORT, "", "\2\3run\0\3\3mem\2\0");
	/* at 1 the size of the first, so that it begins at 2; a size may be written in more bytes than it needs */
	PUT(b, CODE, "", "\3\2\0\x0b\x84\0\0\1\1\x0b\2\0\x0b");
	if (m->debug)
		PUT(b, CUSTOM, ".debug_info", "0123");
	if (m->names)
		PUT(b, CUSTOM, "name",
		    "\0\5\4game"
		    "\1\x1a\4\0\1a\2\5first\3\6second\4\5"
		    "third");
	PUT(b, CUSTOM, "build_id", "\4\x11\x22\x33\x44");
	if (m->link) {
		buf_add_uleb(&link, strlen(m->link));
		buf_adds(&link, m->link);
		put_section(b, CUSTOM, "external_debug_info", link.data, link.len);
	}
	buf_release(&link);
}

static struct object *open_made(struct buf *b, const struct module *m)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;

	make(b, m);
	if (!CHECK_EQ(object_open_memory(&o, b->data, b->len, &e), ST_OK))
		fprintf(stderr, "  %s\n", e.msg);
	return o;
}

static void check_symbol(struct object *o, uint64_t at, const char *name)
{
	const struct object_symbol *s = object_symbol_at(o, at);

	if (!CHECK(!s == !name))
		fprintf(stderr, "  at 0x%llx\n", (unsigned long long)at);
	if (s && name)
		CHECK_STR(s->name, name);
}

TEST(sections_and_addresses)
{
	const struct module m = {.names = true, .debug = true};
	struct buf b = BUF_INIT;
	struct object *o = open_made(&b, &m);
	struct object_section s;
	struct err e = ERR_INIT;
	uint64_t vaddr = 0, start = 0;
	size_t at = 0, n;

	if (!o)
		return;
	while (memcmp(b.data + at, "\3\2\0\x0b\x84", 5) != 0)
		at++;
	CHECK_STR(object_kind(o)->name, "WebAssembly");
	CHECK_EQ(object_arch(o), ARCH_WASM);
	CHECK(!object_is_64(o) && object_has_dwarf(o));
	CHECK_MEM(object_build_id(o)->bytes, object_build_id(o)->len, "\x11\x22\x33\x44", 4);
	CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_OK);
	CHECK_MEM(s.data, s.size, "0123", 4);
	/* an address counts from the number of functions on */
	CHECK_EQ(object_offset_to_vaddr(o, at + 8, &vaddr), ST_OK);
	CHECK_EQ(vaddr, 8);
	CHECK_EQ(object_offset_to_vaddr(o, at + 13, &vaddr), ST_NONE);
	CHECK(object_is_code(o, 12) && !object_is_code(o, 13));
	/* behind the size of the second, which has two bytes */
	CHECK(object_function_start(o, 9, &start) && start == 6);
	CHECK(!object_function_start(o, 5, &start));
	CHECK_EQ(object_code(o, &n)->size, 13);
	object_free(o);
	buf_release(&b);
}

TEST(names_of_functions)
{
	const struct module m = {.names = true, .exports = true};
	struct buf b = BUF_INIT;
	struct object *o = open_made(&b, &m);
	size_t n;

	if (!o)
		return;
	check_symbol(o, 1, NULL);
	check_symbol(o, 2, "first");
	check_symbol(o, 3, "first");
	check_symbol(o, 4, NULL); /* the size of the next one */
	check_symbol(o, 6, "second");
	check_symbol(o, 11, "third");
	(void)object_symbols(o, &n);
	CHECK_EQ(n, 3); /* of these none is imported */
	object_free(o);
	buf_release(&b);
}

TEST(exported_names)
{
	const struct module m = {.exports = true, .wide = true};
	struct buf b = BUF_INIT;
	struct object *o = open_made(&b, &m);

	if (!o)
		return;
	CHECK(object_is_64(o));
	check_symbol(o, 2, NULL);
	check_symbol(o, 6, "run");
	object_free(o);
	buf_release(&b);
}

static void write_file(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	CHECK(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

TEST(files_beside)
{
	static const char map[] = "0:a\n2:std::f\\28int\\29\r\n3:\nx\n4:third\n99:none";
	const struct module plain = {.link = "https://host/symbols/app.debug.wasm?x=1"},
			    debug = {.names = true, .debug = true};
	char folder[] = "/tmp/tm-wasm-XXXXXX", path[64], other[64];
	const struct object_search search = {.n_dirs = 0};
	struct buf b = BUF_INIT, d = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/app.wasm", folder);
	make(&b, &plain);
	write_file(path, b.data, b.len);
	snprintf(other, sizeof other, "%s/app.js.symbols", folder);
	write_file(other, map, sizeof map - 1);
	if (CHECK_EQ(object_open(&o, path, &e), ST_OK)) {
		check_symbol(o, 2, "std::f(int)");
		check_symbol(o, 6, NULL);
		check_symbol(o, 11, "third");
	}
	object_free(o);
	unlink(other);
	o = NULL;

	snprintf(other, sizeof other, "%s/app.debug.wasm", folder);
	make(&d, &debug);
	write_file(other, d.data, d.len);
	if (CHECK_EQ(object_open(&o, path, &e), ST_OK)) {
		CHECK_EQ(object_find_debug(o, &search, &e), ST_OK);
		CHECK_STR(object_debug_path(o), other);
		CHECK(object_has_dwarf(o));
		check_symbol(o, 6, "second");
	}
	object_free(o);
	o = NULL;
	d.data[d.len - 1] ^= 1; /* of the build-id */
	write_file(other, d.data, d.len);
	if (CHECK_EQ(object_open(&o, path, &e), ST_OK)) {
		CHECK_EQ(object_find_debug(o, &search, &e), ST_NONE);
		CHECK(strstr(e.msg, "build-id differs"));
	}
	object_free(o);
	unlink(other);
	unlink(path);
	rmdir(folder);
	buf_release(&b);
	buf_release(&d);
}

/* A memory of pages of 2^0 bytes before the function that is imported: the module's own begin at 1. */
TEST(pages_of_other_sizes)
{
	static const char after[] = "\3env\1f\0\0";
	struct err e = ERR_INIT;

	for (int unknown = 0; unknown < 2; unknown++) {
		struct buf b = BUF_INIT, imports = BUF_INIT;
		struct object *o = NULL;

		buf_add(&b, "\0asm\1\0\0\0", 8);
		PUT(&b, TYPE, "", "\1\x60\0\0");
		buf_add(&imports, "\2\3env\1m\2", 8);
		if (unknown)
			buf_add(&imports, "\x10\1", 2);
		else
			buf_add(&imports, "\x09\1\2\0", 4);
		buf_add(&imports, after, sizeof after - 1);
		put_section(&b, IMPORT, "", imports.data, imports.len);
		PUT(&b, FUNCTION, "", "\1\0");
		PUT(&b, CODE, "", "\1\2\0\x0b");
		PUT(&b, CUSTOM, "name", "\1\x07\1\1\4mine");
		if (unknown) {
			CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_UNSUPPORTED);
			CHECK(strstr(e.msg, "bounds with unknown flags 0x10"));
		} else if (CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK)) {
			check_symbol(o, 2, "mine");
		}
		object_free(o);
		buf_release(&imports);
		buf_release(&b);
	}
}

TEST(components_are_refused)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;

	CHECK_EQ(object_open_memory(&o, "\0asm\x0d\0\1\0", 8, &e), ST_UNSUPPORTED);
	CHECK(strstr(e.msg, "a component of WebAssembly"));
}

/* Every byte as large as it can be, and the file cut short everywhere. */
TEST(lies)
{
	const struct module m = {.names = true, .exports = true, .debug = true, .wide = true};
	struct buf b = BUF_INIT;
	size_t n, failed = 0;

	make(&b, &m);
	for (size_t i = 0; i < 2 * b.len; i++) {
		size_t at = i % b.len, size = i < b.len ? b.len : at;
		char was = b.data[at];
		struct err e = ERR_INIT;
		struct object *o = NULL;
		uint64_t start;

		if (i < b.len)
			b.data[at] = (char)0xff;
		if (object_open_memory(&o, b.data, size, &e)) {
			CHECK(e.msg[0]);
			failed++;
		} else {
			(void)object_symbols(o, &n);
			CHECK(n <= 3);
			(void)object_code(o, &n);
			(void)object_function_start(o, 7, &start);
		}
		object_free(o);
		b.data[at] = was;
	}
	CHECK(failed > b.len / 2);
	buf_release(&b);
}

TEST_MAIN()
