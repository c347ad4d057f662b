/* SPDX-License-Identifier: MIT
 *
 * The search for the file on this machine that is a captured module: by build-id where the capture has it, else
 * by name (and, of several, by the processor that its folder names) among the files the user gave, else by its
 * path as captured, below a sysroot; else by build-id in build-id trees, in folders and from servers (search.h).
 *
 * A file that was found by its path has the captured build-id; where one of the two has none, it is the file
 * that was loaded if the capture says which one that was: by device, inode, size and time, or by size and
 * time where a sysroot or a debug folder has copies.
 *
 * A given file may be a zip file (symbols.zip of a Unity build): then its libraries are given, each
 * opened when a module has its name. FILE may be ZIP/FOLDER, too, for what is below it only, and
 * any other path that container.h knows.
 */
#ifndef TM_FIND_FILES_H
#define TM_FIND_FILES_H

#include "lib/index/cache.h"
#include "lib/object/object.h"
#include "lib/object/search_log.h"
#include "lib/object/zip.h"
#include "lib/trace/model.h"

#include <sys/types.h>

struct disasm_code;

struct find_file {
	const char *path;      /* owned by struct find_files */
	const char *module;    /* -e MODULE=FILE: the module's name; else NULL */
	struct object *object; /* NULL: could not be opened */
	enum reason reason;    /* why, when object is NULL or not to be used */
	struct err e;          /* the text for it; also what was refused as debug file */
	dev_t device;          /* with inode: which file path is */
	ino_t inode;           /* 0: none */
	uint64_t size;         /* with inode */
	int64_t modified;      /* with inode: ns since 1970 */
	uint32_t index;        /* in files.items */
	const struct zip *zip; /* member is of it, and not opened yet; NULL: it is, or is a file */
	const struct zip_member *member;
	size_t n_archive; /* of path, the part that is the zip file's; 0: it is no member */
	uint64_t stored;  /* where in the zip file its bytes are; 0: it is packed */
	bool given;       /* by the user, not found by its captured path */
	bool broken;      /* a zip file that cannot be used */
	bool wanted;      /* it was the file for some module */
	bool foreign;     /* a PDB, and a given program of its name names another one: e has it */
	struct disasm_code *code; /* call_check.c's; NULL: not asked for */
};

struct files_options {
	const char *const *files; /* -e: "FILE" or "MODULE=FILE" */
	size_t n_files;
	const char *const *modules; /* --module-file: "MODULE=FILE" */
	size_t n_modules;
	struct object_search search;
	const char *sysroot; /* "" or NULL: never look at captured paths */
	unsigned jobs;
	struct cache_options cache; /* where packed members of archives go */
};

/* How a module's file was found; kept when options.search.explain. */
struct file_found {
	char *name; /* as captured; "" when the capture has none */
	struct object_build_id id;
	struct find_file *file; /* NULL: none */
	enum reason reason;
	struct search_log log; /* what was tried, before its debug file: object_search_log */
};

struct find_files {
	struct files_options options;
	struct file_found *found;
	size_t n_found, cap_found, n_told; /* n_told: those already reported */
	struct search_log *log;            /* of the module being looked for; NULL: not wanted */
	struct find_file **items;          /* pointers stay valid */
	size_t n, cap;
	struct zip **zips;
	size_t n_zips, cap_zips;
	bool refused_narrow;             /* files_refused_narrow */
	const char *refused_differs;     /* files_refused_differs */
	const struct find_file *refused; /* the same */
};

/* Opens the given files, in parallel. A file that cannot be read is kept with its reason:
 * the caller reports it. options are borrowed. */
void files_init(struct find_files *f, const struct files_options *options);
void files_release(struct find_files *f);

/* Opens the members of zip files that were given, at most max of them: for callers that do not know
 * by a name which one they need. False: there are more. */
bool files_open_members(struct find_files *f, size_t max);

/* What the capture has of a module. */
struct files_module {
	const char *name;               /* path or base name; "" where the capture has no name */
	struct object_build_id id;      /* len 0: none */
	const struct module_file *file; /* NULL: not known */
	const char *arch;               /* as lipo calls it; NULL or "": not known */
	bool wide;                      /* it was above 4 GiB: a file for 32 bits is not it */
};
/* NULL: none, *reason says why. */
struct find_file *files_find(struct find_files *f, const struct files_module *m,
			     enum reason *reason);
/* A file for 32 bits, which the last files_find did not take for a module above 4 GiB. */
bool files_refused_narrow(const struct find_files *f);
/* What differs of a file of another build, which the last files_find did not take: "GUID"; NULL: no such file. */
const char *files_refused_differs(const struct find_files *f, const struct find_file **x);
/* Is it beyond doubt the file that was loaded? */
bool files_proven(const struct find_file *x, const struct files_module *m);
/* True when a given zip file has this name (path or base name). */
bool files_has_archive(const struct find_files *f, const char *name);
/* The library that is stored at that offset of it, as Android maps it; *offset becomes the
 * library's own. NULL: none. */
struct find_file *files_in_archive(struct find_files *f, const char *name, uint64_t *offset);

#endif
