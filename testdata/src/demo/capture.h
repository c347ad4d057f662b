/* SPDX-License-Identifier: MIT
 *
 * The capture agent inside the demo, in two roles at once: LoliProfiler's (pool hooks, LZ4
 * packets) and MemTracer's (managed allocations by frame and type). It walks frame pointers,
 * so everything between a hook and the thread's entry is built with them. At the end it also
 * writes the truth files that testdata/README.md describes.
 */
#ifndef DEMO_CAPTURE_H
#define DEMO_CAPTURE_H

/* Installs the hooks; files go to the directory out. False: said on stderr. */
bool capture_start(const char *out);

/* While a name is set, this thread's allocations carry it and no stack. */
void capture_nostack(const char *library);

/* End of frame number: one MemTracer line, at most one packet. */
void capture_frame(int number);

/* Removes the hooks and writes what is left. False when a file could not be written or the
 * truth contradicts itself. */
bool capture_finish();

#endif
