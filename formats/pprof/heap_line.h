/* SPDX-License-Identifier: MIT
 *
 * Lines of the heap profiles that gperftools and jemalloc write as text.
 */
#ifndef TM_FORMATS_PPROF_HEAP_LINE_H
#define TM_FORMATS_PPROF_HEAP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_text {
	const char *s, *end;
};

struct heap_numbers { /* number and bytes: of what is in use, and of all */
	int64_t live, live_bytes, all, all_bytes;
};

/* "heap profile:  3:  1234 [  10:  5678] @ heap_v2/524288", the first line of gperftools' (and Go's);
 * "heap_v2/524288" of jemalloc's. */
struct heap_head {
	struct heap_numbers sum; /* of gperftools' */
	struct heap_text kind;   /* "heapprofile", "heap_v2"; empty: not given */
	uint64_t period;         /* 0: not given */
	bool jemalloc;
};

/* False: no such line. */
bool heap_line_head(const char *s, size_t n, struct heap_head *h);
/* "  3:  1234 [  10:  5678]" at *t, which then is behind it. */
bool heap_line_numbers(struct heap_text *t, struct heap_numbers *v);
/* "  t12: 3: 1234 [10: 5678] name", of jemalloc; total: "t*". */
struct heap_thread {
	uint64_t tid;
	bool total;
	struct heap_numbers v;
	struct heap_text name; /* in the head alone; may be empty */
};
bool heap_line_thread(const char *s, size_t n, struct heap_thread *th);
/* The next "0x55d0" at *t, which then is behind it; false: none. */
bool heap_line_address(struct heap_text *t, uint64_t *address);
/* "#	0x4054b1	main.f+0x21		/src/a.go:25" of Go: the function and line at an
 * address. */
struct heap_symbol {
	uint64_t address;
	uint32_t line; /* 0: none, and no file */
	struct heap_text name, file;
};
bool heap_line_symbol(const char *s, size_t n, struct heap_symbol *x);
/* "MAPPED_LIBRARIES:", from where on the text is that of /proc/PID/maps. */
bool heap_line_maps(const char *s, size_t n);

#endif
