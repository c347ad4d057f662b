/* SPDX-License-Identifier: MIT
 *
 * Pieces of files as private, writable memory. A file that becomes shorter while it is mapped
 * would kill the program with SIGBUS; here the lost pages become zeroes and the piece says so.
 */
#ifndef TM_OBJECT_MAP_H
#define TM_OBJECT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_piece;

/* n bytes (not 0) at offset of the file, with a NUL behind them, at *data. NULL: cannot be mapped,
 * read it instead. In programs the first call is map_guard; in libtracemill the caller decides. */
struct map_piece *map_open(int fd, uint64_t offset, uint64_t n, uint8_t **data);
/* Installs the handler of SIGBUS, once, which passes on what is not its own to the handler before
 * it. Without it a file that becomes shorter ends the program. */
void map_guard(void);
/* Copies n bytes of it, which lie at from, to memory of the caller's by reading the file, whose
 * descriptor must still be open: the mapping's pages are not touched, which costs more than it
 * seems where each is to be found and mapped. What the file has lost is zeroes, here as there. */
void map_copy(struct map_piece *m, const uint8_t *from, size_t n, uint8_t *to);
/* Gives back the memory of its pages, which count as the program's as long as they are mapped: whoever looks at them next
 * has them read again. Only of a piece that nobody writes to. */
void map_drop(struct map_piece *m);
/* False when a page of it could not be read: the bytes there are zeroes. */
bool map_intact(const struct map_piece *m);
void map_close(struct map_piece *m); /* accepts NULL */

#endif
