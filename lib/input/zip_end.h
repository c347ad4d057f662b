/* SPDX-License-Identifier: MIT
 *
 * The check of whether a zip file has the directory that ends it. libarchive reads one without it front to back
 * and is silent on that, so that a file cut between two members, or in its directory, would be whole.
 *
 * Source: PKWARE's APPNOTE, 4.3.12 and 4.3.16.
 */
#ifndef TM_INPUT_ZIP_END_H
#define TM_INPUT_ZIP_END_H

#include "lib/input/input.h"

/* Of an input in any order. *cut: the record that ends the directory is not there, or the directory is not
 * where that says. Its comment may be cut. */
enum status zip_end_check(struct input *in, bool *cut, struct err *e);

#endif
