/* SPDX-License-Identifier: MIT
 *
 * Internal to the .snap reader: the chapters' numbers, and native allocations.
 */
#ifndef TM_FORMATS_UNITY_SNAP_H
#define TM_FORMATS_UNITY_SNAP_H

#include "formats/unity/heap.h"
#include "formats/unity/snap_file.h"

enum snap_chapters {
	SNAP_VERSION = 0,
	SNAP_VM = 4,
	SNAP_NATIVE_TYPE_NAME = 5,
	SNAP_NATIVE_TYPE = 7,
	SNAP_NATIVE_FLAGS = 9,
	SNAP_NATIVE_INSTANCE = 10,
	SNAP_NATIVE_NAME = 11,
	SNAP_NATIVE_ADDRESS = 12,
	SNAP_NATIVE_SIZE = 13,
	SNAP_NATIVE_ROOT = 14,
	SNAP_HANDLES = 15,
	SNAP_CONNECTIONS_FROM = 16,
	SNAP_CONNECTIONS_TO = 17,
	SNAP_SECTION_START = 18,
	SNAP_SECTION_BYTES = 19,
	SNAP_TYPE_FLAGS = 22,
	SNAP_TYPE_NAME = 23,
	SNAP_TYPE_ASSEMBLY = 24,
	SNAP_TYPE_FIELDS = 25,
	SNAP_TYPE_STATICS = 26,
	SNAP_TYPE_BASE = 27,
	SNAP_TYPE_SIZE = 28,
	SNAP_TYPE_INFO = 29,
	SNAP_FIELD_OFFSET = 31,
	SNAP_FIELD_TYPE = 32,
	SNAP_FIELD_NAME = 33,
	SNAP_FIELD_STATIC = 34,
	SNAP_ROOT_ID = 35,
	SNAP_ROOT_AREA = 36,
	SNAP_ALLOCATION_ROOT = 40,
	SNAP_ALLOCATION_SITE = 41,
	SNAP_ALLOCATION_ADDRESS = 42,
	SNAP_ALLOCATION_SIZE = 43,
	SNAP_ALLOCATION_OVERHEAD = 44,
	SNAP_ALLOCATION_PADDING = 45,
	SNAP_LABEL_NAME = 52,
	SNAP_SITE_ID = 53,
	SNAP_SITE_LABEL = 54,
	SNAP_SITE_STACK = 55,
	SNAP_SYMBOL = 56,
	SNAP_SYMBOL_TEXT = 57,
	SNAP_NATIVE_HANDLE = 58
};

/* The strings of a varied chapter as strings of the trace, in the file's arena. */
enum status snap_strings(struct snap_file *f, struct trace *t, unsigned i, const char *what,
			 uint32_t **ids, uint64_t *n, struct err *e);

/* Pushes the native allocations, with their sites' call stacks. Before the capture begins:
 * unity_snap_metrics. */
void unity_snap_metrics(const struct snap_file *f, struct trace *t);
enum status unity_snap_allocations(struct snap_file *f, struct import *im, struct err *e);

#endif
