/* SPDX-License-Identifier: MIT
 *
 * The begin and the end of each capture of an import (one reading of one input by a reader). Readers call
 * import_begin and import_next (reader.h); formats/reader.c calls the functions here around them. Errors are
 * those of the sink, and of --maps.
 */
#ifndef TM_FORMATS_IMPORT_H
#define TM_FORMATS_IMPORT_H

#include "formats/reader.h"

/* The next capture, im->t, with the modules of --maps; import_capture_end frees it. */
enum status import_capture_new(struct import *im, struct err *e);
/* All of its input was read. A trace says so itself, by its totals. */
void import_capture_whole(struct import *im);
/* Begins it if no event did, and pushes what belongs at its end. */
enum status import_capture_finish(struct import *im, struct err *e);
/* The same, and ends it. *lossy becomes true if it has a note of a loss. */
enum status import_capture_end(struct import *im, bool *lossy, struct err *e);

#endif
