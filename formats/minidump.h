/* SPDX-License-Identifier: MIT
 *
 * Minidumps, the files that Windows' MiniDumpWriteDump, Breakpad and Crashpad write of a crashed process: the
 * directory of their streams, and the modules. Facts: Microsoft's minidumpapiset.h as its documentation has it,
 * Breakpad's minidump_format.h, minidump_cpu_*.h and minidump_exception_*.h, which name the fields and numbers.
 */
#ifndef TM_FORMATS_MINIDUMP_H
#define TM_FORMATS_MINIDUMP_H

#include "lib/input/input.h"
#include "lib/trace/model.h"

enum minidump_stream {
	MINIDUMP_THREADS = 3,
	MINIDUMP_MODULES = 4,
	MINIDUMP_MEMORY = 5,
	MINIDUMP_EXCEPTION = 6,
	MINIDUMP_SYSTEM = 7,
	MINIDUMP_MEMORY_64 = 9,
	MINIDUMP_THREAD_NAMES = 24,
	MINIDUMP_LINUX_MAPS = 0x47670009,
};

enum minidump_processor {
	MINIDUMP_X86 = 0,
	MINIDUMP_ARM = 5,
	MINIDUMP_X86_64 = 9,
	MINIDUMP_ARM64 = 12,
	MINIDUMP_ARM64_OLD = 0x8003, /* Breakpad's number */
};

enum minidump_platform {
	MINIDUMP_WINDOWS = 2,
	MINIDUMP_MAC = 0x8101,
	MINIDUMP_IOS = 0x8102,
	MINIDUMP_LINUX = 0x8201,
	MINIDUMP_ANDROID = 0x8203,
};

struct minidump_place { /* of bytes in the file */
	uint64_t at, size;
};

/* Either in or bytes has the file; both are the caller's. */
struct minidump {
	struct input *in; /* input_random was called */
	const uint8_t *bytes;
	uint64_t size;
	uint32_t n_streams, streams_at;
	uint16_t processor; /* enum minidump_processor */
	uint32_t platform;  /* enum minidump_platform; 0: not known */
};

static inline bool minidump_is(const uint8_t *head, size_t n)
{
	return n >= 4 && !memcmp(head, "MDMP", 4);
}

/* What lies behind the end of the file, of what its directory, threads and lists of memory say; NULL: nothing. */
const char *minidump_cut(const struct minidump *d);
/* Reads the header, with in or bytes and size set. */
enum status minidump_open(struct minidump *d, struct err *e);
/* Exactly n bytes at an offset of the file. */
enum status minidump_read(const struct minidump *d, uint64_t at, void *to, size_t n,
			  const char *what, struct err *e);
/* False: there is no such stream, or it is not in the file. */
bool minidump_find(const struct minidump *d, uint32_t type, struct minidump_place *place);
/* A list of records behind their number, which may stand in 4 or 8 bytes: where the first one is. Of a
 * list that is cut those that are in the file; 0: there are none. */
uint32_t minidump_list(const struct minidump *d, uint32_t type, uint32_t each, uint64_t *first);
/* A text, in UTF-8: an id of t's strings. */
uint32_t minidump_string(const struct minidump *d, uint64_t at, struct trace *t);
/* Where a module is loaded, [lo, hi), and the id that a binary or symbol file of it has. */
struct minidump_module {
	uint64_t lo, hi;
	uint32_t name; /* an id of t's strings */
	uint8_t id[64];
	uint8_t n_id;
	bool is_partial; /* the first bytes of a build-id */
};
/* All of them, by lo; those that overlap another one are left out. The caller frees *all. */
size_t minidump_loaded(const struct minidump *d, struct trace *t, struct minidump_module **all);
/* The modules, with their build-ids. ST_BAD: there are none. */
enum status minidump_modules(const struct minidump *d, struct trace *t, struct err *e);

#endif
