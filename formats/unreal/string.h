/* SPDX-License-Identifier: MIT
 *
 * Unreal Engine's FString in an archive: i32 n, then for n > 0 that many bytes with a NUL, for
 * n < 0 that many UTF-16 units, little-endian, with a NUL; n = 0 is empty.
 * Facts: CUE4Parse's FArchive.ReadFString, and Unreal's documented text encoding.
 */
#ifndef TM_FORMATS_UNREAL_STRING_H
#define TM_FORMATS_UNREAL_STRING_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"

/* As UTF-8 into *out, emptied before. False: the cursor failed. Units that are no text are
 * replaced and counted. */
bool ue_string(struct cursor *c, struct buf *out, uint64_t *repaired);

#endif
