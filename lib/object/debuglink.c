/* SPDX-License-Identifier: MIT
 *
 * The search for the separate file with an object's debug sections, where GDB, elfutils and the
 * engines' build tools put it: .build-id trees, .gnu_debuglink, files of a related name.
 */
#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/path.h"
#include "lib/object/debug_map.h"
#include "lib/object/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hunt {
	struct object *o;
	char *
	    link; /* the file name in .gnu_debuglink, or what this kind of file has in its place; or NULL */
	uint32_t crc;
	bool has_crc;
	char *folder, *real_folder;  /* of the object; without a "/" at the end, "" for the root */
	const char *name;            /* of the object, without its folder */
	struct object_image symbols; /* a match that has no DWARF, only symbols */
	bool symbols_proven;
	struct buf path; /* the candidate */
	struct buf *refused;
	struct search_log *log; /* NULL: not wanted */
};

/* .gnu_debuglink: a NUL-terminated name, padding to 4 bytes, a CRC in the file's byte order. */
static void debuglink_read_link(struct hunt *h)
{
	const struct section_header *s = image_section(&h->o->file, ".gnu_debuglink");
	struct err e = ERR_INIT;
	struct cursor c;
	uint8_t *data;
	uint64_t size;
	const char *name;
	size_t n = 0;

	if (!s && h->o->file.format->debug_link)
		h->link = h->o->file.format->debug_link(&h->o->file);
	if (!s || s->size > 4096 + 8 || section_read(&h->o->file, s, &data, &size, &e))
		return;
	cursor_init(&c, data, (size_t)size, s->offset, &e);
	c.big_endian = h->o->file.big_endian;
	name = cursor_cstr(&c, &n);
	cursor_skip(&c, -(n + 1) & 3, "debug link");
	h->crc = cursor_u32(&c);
	/* a name with a folder in it could lead anywhere; no tool writes one */
	h->has_crc = !cursor_failed(&c) && n && !strchr(name, '/');
	if (h->has_crc)
		h->link = mem_strdup(name);
	mem_budget_free(data);
}

static const struct object_segment *code_segment(const struct object_image *f, size_t *i)
{
	while (*i < f->n_segments && !f->segments[*i].executable)
		++*i;
	return *i < f->n_segments ? &f->segments[(*i)++] : NULL;
}

static const struct section_header *code_section(const struct object_image *f, const char *name)
{
	for (size_t i = 0; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];

		if ((s->flags & SECTION_CODE) && !strcmp(s->name, name))
			return s;
	}
	return NULL;
}

/* By its code and not by its segments: prelink adds to them, and makes REL to larger RELA. */
uint64_t object_debug_shift(const struct object *o)
{
	const struct section_header *a, *b;

	if (!o->debug.path)
		return 0;
	a = code_section(&o->file, ".text");
	b = code_section(&o->debug, ".text");
	return a && b && a->size == b->size ? a->addr - b->addr : 0;
}

/* The executable segments agree: what there is to compare when a file carries no identity. */
static bool same_code(const struct object_image *a, const struct object_image *b)
{
	size_t i = 0, k = 0;

	for (;;) {
		const struct object_segment *x = code_segment(a, &i), *y = code_segment(b, &k);

		if (!x || !y)
			return !x && !y;
		if (x->vaddr != y->vaddr || x->memsz != y->memsz)
			return false;
	}
}

/* Of WebAssembly, whose files have no addresses that could differ: its code, which both have whole. */
static bool same_bytes(const struct object_image *a, const struct object_image *b)
{
	enum { CHUNK = 16384 };
	const struct section_header *x = image_section(a, "CODE"), *y = image_section(b, "CODE");
	uint8_t mine[CHUNK], its[CHUNK];
	struct err e = ERR_INIT;

	if (a->arch != ARCH_WASM || !x || !y)
		return true;
	for (uint64_t at = 0; at < x->size && at < y->size; at += CHUNK) {
		size_t n = x->size - at < CHUNK ? (size_t)(x->size - at) : CHUNK;

		if (image_read(a, x->offset + at, mine, n, &e) ||
		    image_read(b, y->offset + at, its, n, &e) || memcmp(mine, its, n) != 0)
			return false;
	}
	return true;
}

/* A file by the link's name has its checksum, however it was found. */
static bool is_linked(const struct hunt *h, const struct object_image *f, bool by_link)
{
	return h->has_crc && (by_link || !strcmp(path_base(f->path), h->link));
}

static const char *mismatch(const struct hunt *h, const struct object_image *f, bool by_link)
{
	const struct object_image *mine = &h->o->file;
	struct err e = ERR_INIT;
	uint32_t crc;

	if (!image_same_machine(f, mine))
		return "is for another machine";
	if (mine->build_id.len && f->build_id.len)
		return object_build_id_equal(&mine->build_id, &f->build_id) ? NULL
									    : "build-id differs";
	if (is_linked(h, f, by_link))
		return section_file_crc(f, &crc, &e) ? "cannot be read"
		       : crc == h->crc               ? NULL
						     : "checksum differs";
	if (!same_code(mine, f))
		return "has no build-id and its segments differ";
	return same_bytes(mine, f) ? NULL : "has no build-id and its code differs";
}

/* What speaks for a file that mismatch() lets through; the segments prove little. */
static const char *agrees(const struct hunt *h, const struct object_image *f, bool by_link,
			  bool *proven)
{
	*proven = true;
	if (h->o->file.build_id.len && f->build_id.len)
		return "build-id agrees";
	*proven = is_linked(h, f, by_link);
	return *proven ? "checksum agrees" : "segments agree";
}

static void refuse(struct hunt *h, const char *path, const char *why)
{
	search_log_add(h->log, false, path, "%s", why);
	if (h->refused->len)
		buf_adds(h->refused, "; ");
	buf_add_escaped(h->refused, path, strlen(path));
	buf_addf(h->refused, ": %s", why);
}

/* Looks at the file named in h->path. True: it is the debug file, and now the object's. */
static bool debuglink_try_path(struct hunt *h, bool by_link)
{
	const char *path = buf_str(&h->path), *why = NULL;
	const struct section_header *s;
	struct err e = ERR_INIT;
	struct object_image f;

	/* nothing there is the usual case, and not worth a word */
	if (access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR)) {
		search_log_add(h->log, false, path, "not there");
		return false;
	}
	if (image_open(&f, path, &e)) {
		if (e.code != ST_UNSUPPORTED)
			refuse(h, path, e.msg);
		else
			search_log_add(h->log, false, path, "%s", e.msg);
		return false;
	}
	if (f.dev == h->o->file.dev && f.ino == h->o->file.ino) {
		search_log_add(h->log, false, path, "is the binary itself");
		image_release(&f);
		return false;
	}
	why = mismatch(h, &f, by_link);
	s = section_find(&f, ".debug_info");
	if (!why && s && s->size) {
		search_log_add(h->log, true, path, "%s, has debug information",
			       agrees(h, &f, by_link, &h->o->debug_proven));
		h->o->debug = f;
		return true;
	}
	if (!why && image_section(&f, ".symtab") && !h->symbols.path) {
		search_log_add(h->log, true, path,
			       "%s, has only symbols: used unless better is found",
			       agrees(h, &f, by_link, &h->symbols_proven));
		h->symbols = f;
		return false;
	}
	refuse(h, path, why ? why : "has no debug information");
	image_release(&f);
	return false;
}

__attribute__((format(printf, 3, 4))) static bool try(struct hunt *h, bool by_link, const char *fmt,
						      ...)
{
	char text[8192];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof text)
		return false;
	h->path.len = 0;
	buf_add(&h->path, text, (size_t)n);
	return debuglink_try_path(h, by_link);
}

bool object_build_id_path(const char *dir, const struct object_build_id *id, const char *suffix,
			  char *text, size_t n)
{
	struct buf b = BUF_INIT;
	bool fits;

	if (id->len < 2)
		return false;
	buf_addf(&b, "%s/.build-id/%02x/", dir, id->bytes[0]);
	for (size_t i = 1; i < id->len; i++)
		buf_add_hex(&b, id->bytes[i], 2);
	buf_adds(&b, suffix);
	fits = b.len < n;
	if (fits)
		memcpy(text, buf_str(&b), b.len + 1);
	buf_release(&b);
	return fits;
}

static bool try_build_id(struct hunt *h, const char *dir)
{
	char text[8192];

	if (!object_build_id_path(dir, &h->o->file.build_id, ".debug", text, sizeof text))
		return false;
	h->path.len = 0;
	buf_adds(&h->path, text);
	return debuglink_try_path(h, false);
}

/* In the debug folder of a sysroot, below the object's folder as it is called there. */
static bool try_sysroot_link(struct hunt *h, const char *sysroot)
{
	char *real = realpath(sysroot, NULL);
	size_t n = real ? strlen(real) : 0;
	const char *inside = h->real_folder;

	if (n && !strncmp(inside, real, n) && (!inside[n] || inside[n] == '/'))
		inside += n;
	free(real);
	return try(h, true, "%s" SYSTEM_DEBUG_DIR "%s/%s", sysroot, inside, h->link);
}

static bool try_link(struct hunt *h, const struct object_search *s)
{
	if (!h->link)
		return false;
	if (try(h, true, "%s/%s", h->folder, h->link) ||
	    try(h, true, "%s/.debug/%s", h->folder, h->link))
		return true;
	for (size_t i = 0; i < s->n_dirs; i++) {
		if (try(h, true, "%s%s/%s", s->dirs[i], h->real_folder, h->link) ||
		    try(h, true, "%s/%s", s->dirs[i], h->link))
			return true;
	}
	if (s->sysroot && try_sysroot_link(h, s->sysroot))
		return true;
	return s->system && try(h, true, SYSTEM_DEBUG_DIR "%s/%s", h->real_folder, h->link);
}

static bool try_finder(struct hunt *h, const struct object_finder *f)
{
	const char *path;

	for (size_t i = 0; h->o->file.build_id.len; i++) {
		path = f->find(f->arg, &h->o->file.build_id, OBJECT_DEBUG, i, h->log);
		if (!path)
			break;
		h->path.len = 0;
		buf_adds(&h->path, path);
		if (debuglink_try_path(h, false))
			return true;
	}
	return false;
}

/* By name, in one folder; libgame.so may have libgame.sym.so (LoliProfiler's and Unity's
 * habit), and libgame.dbg.so. */
static bool try_names(struct hunt *h, const char *dir)
{
	size_t n = strlen(h->name);

	if (try(h, false, "%s/%s.debug", dir, h->name) || try(h, false, "%s/%s.dbg", dir, h->name))
		return true;
	return n > 3 && !strcmp(h->name + n - 3, ".so") &&
	       (try(h, false, "%s/%.*s.dbg.so", dir, (int)(n - 3), h->name) ||
		try(h, false, "%s/%.*s.sym.so", dir, (int)(n - 3), h->name));
}

static bool debuglink_hunt(struct hunt *h, const struct object_search *s)
{
	struct buf dir = BUF_INIT;
	bool found = false;

	for (size_t i = 0; i < s->n_dirs; i++) {
		if (try_build_id(h, s->dirs[i]))
			return true;
	}
	if (path_in_sysroot(&dir, s->sysroot, SYSTEM_DEBUG_DIR) && try_build_id(h, buf_str(&dir)))
		found = true;
	buf_release(&dir);
	if (found || (s->system && try_build_id(h, SYSTEM_DEBUG_DIR)))
		return true;
	if (try_link(h, s) || try_names(h, h->folder))
		return true;
	for (size_t i = 0; i < s->n_dirs; i++) {
		/* a folder of unstripped binaries under their own names is common too */
		if (try_names(h, s->dirs[i]) || try(h, false, "%s/%s", s->dirs[i], h->name))
			return true;
	}
	for (size_t i = 0; i < s->n_finders; i++)
		if (try_finder(h, &s->finders[i]))
			return true;
	return false;
}

/* The folder part of path, without the last "/". */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? mem_strndup(path, (size_t)(slash - path)) : mem_strdup(".");
}

bool debuglink_find(struct object *o, const struct object_search *s, struct buf *refused)
{
	struct hunt h = {
	    .o = o, .symbols.fd = -1, .log = s->explain ? &o->log : NULL, .refused = refused};
	char *real = realpath(o->file.path, NULL);

	h.folder = folder_of(o->file.path);
	h.real_folder = folder_of(real && *real == '/' ? real : "/");
	h.name = path_base(o->file.path);
	free(real);
	debuglink_read_link(&h);
	if (!debuglink_hunt(&h, s) && h.symbols.path) {
		o->debug = h.symbols;
		o->debug_proven = h.symbols_proven;
		h.symbols = (struct object_image){.fd = -1};
	}
	image_release(&h.symbols);
	free(h.link);
	free(h.folder);
	free(h.real_folder);
	buf_release(&h.path);
	return o->debug.path;
}

const char *object_debug_unproven(const struct object *o)
{
	const struct debug_map *m = object_debug_map(o);

	if (o->debug.path && !o->debug_proven && !o->debug.pdb)
		return "neither a build-id nor a checksum shows that its debug file is of this "
		       "build";
	for (size_t i = 0; m && !o->debug.path && i < m->n_files; i++)
		if (!m->files[i].time)
			return "it does not say when its object files were written: the files "
			       "that are there now may be of another build";
	return NULL;
}

enum status debug_file_find(struct object *o, const struct object_search *s, struct err *e)
{
	struct buf refused = BUF_INIT;
	bool found;

	/* a linker of Windows has put what objects have of CodeView in the PDB, and what they have of DWARF in the file */
	if ((object_has_dwarf(o) && !object_debug_named(o)) || object_has_pdb(o) ||
	    !o->file.format->find_debug)
		return ST_OK;
	if (o->file.fd < 0) {
		err_set(e, ST_NONE, "%s", "");
		return ST_NONE;
	}
	found = o->file.format->find_debug(o, s, &refused);
	if (found && o->symbols_loaded) { /* there may be more of them now */
		symtab_release(&o->symbols);
		o->symbols_loaded = false;
	}
	if (!found)
		err_set(e, ST_NONE, "%s", buf_str(&refused));
	buf_release(&refused);
	return found ? ST_OK : ST_NONE;
}
