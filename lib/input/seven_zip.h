/* SPDX-License-Identifier: MIT
 *
 * The size of a 7z file's directory, which comes after the members and is mostly packed itself. libarchive makes
 * room for as many members as a directory announces, and one bit announces a member: packed, 2 KB would ask for
 * 8 GB.
 *
 * Source: 7zFormat.txt of the LZMA SDK.
 */
#ifndef TM_INPUT_SEVEN_ZIP_H
#define TM_INPUT_SEVEN_ZIP_H

#include "lib/input/input.h"

enum { SEVEN_ZIP_DIRECTORY = 256 << 10 }; /* bytes, unpacked: room for some thousand members */

/* Of an input in any order. ST_LIMIT: it is larger, or not of the one form that is written. */
enum status seven_zip_check(struct input *in, struct err *e);

#endif
