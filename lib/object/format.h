/* SPDX-License-Identifier: MIT
 *
 * The kinds of object files: a row for each, which is all that the other files of this folder know
 * of a kind. A new kind has a file that ends in its row, and a line in image.c's list.
 */
#ifndef TM_OBJECT_FORMAT_H
#define TM_OBJECT_FORMAT_H

#include "lib/object/impl.h"

struct buf;

struct object_format {
	struct object_kind about;
	/* Whether a file that begins so, with zeroes behind its end, is of this kind. */
	bool (*is)(const uint8_t head[8]);
	/* Fills all of f but path, fd, mem, base, size, dev and ino, which are set. On failure the
	 * caller releases f. */
	enum status (*open)(struct object_image *f, const struct object_want *want, struct err *e);
	/* The symbols of code, of the file or what it has instead (impl.h, symtab_add); s->own. */
	void (*symbols)(struct symtab *s, struct object *o);
	/* Those of the file's own table alone, and data among them, too. NULL: as symbols. */
	void (*own_symbols)(struct symtab *s, struct object *o);
	void (*any_symbols)(struct symtab *s, struct object *o);
	/* Finds the separate debug file, into o->debug; what was refused and why is added to the
	 * text. False: there is none. NULL: this kind never has one. */
	bool (*find_debug)(struct object *o, const struct object_search *s, struct buf *refused);
	/* Each symbol of the first table (object_each_linked). NULL: not known. */
	bool (*each_linked)(const struct object_image *f, bool dynamic, uint64_t *n,
			    void (*see)(void *arg, const struct object_linked *s), void *arg);
	/* The name of the debug file where the file has no .gnu_debuglink: the caller's, NULL: it names
	 * none. It has no checksum. */
	char *(*debug_link)(const struct object_image *f);
	bool frames; /* .eh_frame and .debug_frame say where functions begin (starts.c) */
	/* Calls see for each function that the file itself bounds, whatever its name is (starts.c). */
	void (*functions)(const struct object_image *f,
			  void (*see)(void *arg, uint64_t lo, uint64_t hi), void *arg);
};

extern const struct object_format format_elf, format_mach, format_pe, format_pdb, format_wasm,
    format_gsym, format_breakpad;
extern const struct object_format format_coff; /* has no is: see object_is_coff */

/* ST_UNSUPPORTED: want names another processor than that of f. */
enum status format_check_arch(const struct object_image *f, const struct object_want *want,
			      struct err *e);

/* Whether what begins so is an object of COFF, before it was linked. */
bool object_is_coff(const uint8_t *head, size_t n);

/* debuglink.c: find_debug by build-id, .gnu_debuglink and name, as GNU's tools have it. */
bool debuglink_find(struct object *o, const struct object_search *s, struct buf *refused);

#endif
