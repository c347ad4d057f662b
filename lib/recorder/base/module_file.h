/* SPDX-License-Identifier: MIT
 *
 * The file of a module: which one it was, and its symbol table, for the time when the path leads to
 * another file or to none. The table's part of the file stays mapped, which keeps the file where it
 * was deleted, costs addresses and no memory, and no descriptor of the program's. Each page is tried before
 * it is read, since a file that was cut short meanwhile has none there.
 *
 * A file that is written over in place is the same one with another time: then its table is not
 * that of the module any more, and is not used.
 *
 * Facts: System V ABI, chapter 4: section headers, symbols, string tables.
 */
#ifndef TM_RECORDER_BASE_MODULE_FILE_H
#define TM_RECORDER_BASE_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cap_module_file {
	bool known; /* the next four; size 0: it was replaced before we came */
	uint64_t device, inode, size;
	int64_t modified; /* ns since 1970 */
	uint8_t *map;     /* of the file, with both tables; NULL: none */
	size_t n_map;
	size_t symbols, n_symbols; /* in map; number */
	size_t strings, n_strings; /* in map; bytes */
};

/* What is to be named, in the order of address. */
struct cap_named {
	uint64_t address; /* link-time; of a return address the byte before */
	uint64_t start;   /* of its function */
	uint32_t name;    /* in the file's strings; 0: none */
	uint32_t location, string;
	unsigned rank;
};

/* Opens it. */
void cap_module_file_look(struct cap_module_file *f, const char *path);
void cap_module_file_release(struct cap_module_file *f);
/* Its tables are not wanted any more. */
void cap_module_file_unmap(struct cap_module_file *f);
/* What the path leads to. */
enum cap_file_state { CAP_FILE_THERE, CAP_FILE_OTHER, CAP_FILE_WRITTEN_OVER };
enum cap_file_state cap_module_file_state(const struct cap_module_file *f, const char *path);
bool cap_module_file_equal(const struct cap_module_file *a, const struct cap_module_file *b);
/* Finds the functions. */
void cap_module_file_find(const struct cap_module_file *f, struct cap_named *named, size_t n);
/* The text of a name; how long it is, at most size; 0: it cannot be read. */
size_t cap_module_file_name(const struct cap_module_file *f, uint32_t name, char *to, size_t size);

#endif
