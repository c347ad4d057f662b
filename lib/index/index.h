/* SPDX-License-Identifier: MIT
 *
 * The writer and the reader of one index file. It is written from the engine's answers for a whole binary. For
 * reading it is mapped into memory: only the pieces that a batch needs are looked at, and each of them is checked
 * then. The layout is in index_format.h; where the files are and what they are of, in cache.h.
 */
#ifndef TM_INDEX_INDEX_H
#define TM_INDEX_INDEX_H

#include "lib/dwarf/whole.h"

/* Writes at fd's start, which should be an empty file. w NULL: an index that says why (text) the
 * binary cannot be indexed. ST_LIMIT: too much for the format. *size: bytes written. */
enum status index_write(int fd, const struct dwarf_whole *w, const char *text, const void *key,
			size_t n_key, uint64_t *size, struct err *e);

struct index;

/* Maps the file at fd, which the caller may close. ST_BAD: not sound, or of another key. */
enum status index_open(struct index **out, int fd, const void *key, size_t n_key, struct err *e);
void index_free(struct index *x);           /* accepts NULL */
uint64_t index_size(const struct index *x); /* of the file */
/* Why the binary could not be indexed; NULL: it could. */
const char *index_refused(const struct index *x);
/* dwarf_whole.companions of when it was made. */
uint64_t index_companions(const struct index *x);
/* Checks all of it, not only what is used. */
enum status index_check(struct index *x, struct err *e);

/* Answers the addresses (ascending, unique) into out, which has been initialized for n and nothing
 * else; the index becomes its store, and must stay as long. Numbers of those that the engine has to
 * answer are put into ask, which has room for n, and their answer is left alone. Without
 * options->discriminators calls have none. ST_BAD: the index is damaged, and out is to be released.
 */
enum status index_answer(struct index *x, const uint64_t *addrs, size_t n,
			 const struct dwarf_options *options, struct dwarf_answers *out,
			 uint32_t *ask, size_t *n_ask, struct err *e);
/* False: the file has lost bytes since it was opened. */
bool index_intact(const struct index *x);

#endif
