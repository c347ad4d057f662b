/* SPDX-License-Identifier: MIT
 *
 * What fuzz_index begins with: an index of three calls, one inlined into the other, one that was
 * refused, and the first with one number wrong each, sealed again by the fuzz target.
 *
 *	index_seeds FOLDER
 *
 * tests/fuzz/corpus/index is its output, and is made again when INDEX_VERSION changes (unit/index
 * says so): build/plain/testdata-gen/index_seeds tests/fuzz/corpus/index
 */
#include "lib/base/mem.h"
#include "lib/index/index.h"
#include "lib/index/index_format.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char key[] = "a key";

static void stretch(struct dwarf_whole *w, uint64_t lo, uint32_t call, uint8_t found)
{
	VEC_PUSH(w->all, w->n, w->cap) = (struct dwarf_stretch){lo, call, found};
}

static void make(struct dwarf_whole *w)
{
	static const char *const names[] = {"outer", "middle", "inner"};
	struct dwarf_answers *a = &w->answers;
	uint32_t calls[3], file, outer = 0;

	*w = (struct dwarf_whole){.n = 0};
	dwarf_answers_init(a, 0);
	file = intern_add(&a->strings, "/src/tiny.c", 11);
	for (size_t i = 0; i < 3; i++) {
		uint32_t name = intern_add(&a->strings, names[i], strlen(names[i]));

		outer = calls[i] =
		    dwarf_answers_call(a, &(struct dwarf_call){outer, name, file, 5 + (uint32_t)i,
							       i == 1 ? 3000 : 2, 0});
	}
	stretch(w, 0x1000, calls[0], DWARF_FUNCTION);
	stretch(w, 0x1004, calls[1], DWARF_FUNCTION);
	stretch(w, 0x1008, calls[2], DWARF_FUNCTION);
	stretch(w, 0x100c, calls[0], DWARF_FUNCTION);
	stretch(w, 0x1010, calls[0], DWARF_LINE_ONLY);
	stretch(w, 0x1014, 0, DWARF_ASK);
	stretch(w, 0x1018, 0, DWARF_NOT_FOUND);
}

static const char *folder;

static void put(const char *name, const uint8_t *p, size_t n)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* The bytes of an index: as index_write's of w, or of the reason. */
static uint8_t *written(const struct dwarf_whole *w, const char *text, size_t *n)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct err e = ERR_INIT;
	uint64_t size;
	uint8_t *p;

	if (fd < 0 || index_write(fd, w, text, key, sizeof key, &size, &e)) {
		fprintf(stderr, "index_seeds: %s\n", e.msg);
		exit(1);
	}
	p = mem_alloc((size_t)size);
	if (pread(fd, p, (size_t)size, 0) != (ssize_t)size)
		exit(1);
	close(fd);
	*n = (size_t)size;
	return p;
}

/* Words of 4 bytes, of a part, every each bytes: from value on by step. */
struct damage {
	const char *name;
	enum index_part part;
	unsigned at, each; /* each 0: this one alone */
	uint32_t value, step;
};

static const struct damage damages[] = {
    {"block-empty", PART_BLOCKS, 12, 0, 0, 0},
    {"block-far", PART_BLOCKS, 8, 0, UINT32_MAX - 15, 0},
    {"block-huge", PART_BLOCKS, 12, 0, UINT32_MAX, 0},
    {"starts-fall", PART_STARTS, 4, 4, UINT32_MAX, UINT32_MAX},
    {"calls-far", PART_ANSWERS, 0, 4, INDEX_ASK - 1, 0},
    {"outer-is-itself", PART_CALLS, EACH_CALL, EACH_CALL, (uint32_t)1 << 31 | 1, 1},
    {"outer-is-later", PART_CALLS, EACH_CALL, 0, UINT32_MAX, 0},
    {"outer-zero", PART_CALLS, EACH_CALL, EACH_CALL, (uint32_t)1 << 31, 0},
    {"rest-behind-the-last", PART_CALLS, 16, EACH_CALL, UINT32_MAX, 0},
    {"function-far", PART_CALLS, EACH_CALL + 4, EACH_CALL, UINT32_MAX - 1, 0},
    {"file-far", PART_CALLS, EACH_CALL + 8, EACH_CALL, UINT32_MAX, 0},
    {"strings-fall", PART_STRINGS, 4, 4, UINT32_MAX, UINT32_MAX},
    {"strings-open", PART_TEXT, 0, 4, 0x78787878, 0}, /* no NUL */
};

static void write_damages(const uint8_t *good, size_t n)
{
	uint8_t *p = mem_alloc(n);

	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		const struct damage *d = &damages[i];
		const uint8_t *part = good + INDEX_PARTS_AT + (size_t)16 * d->part;
		size_t from = (size_t)le64(part), to = from + (size_t)le64(part + 8);
		uint32_t v = d->value;

		memcpy(p, good, n);
		for (size_t at = from + d->at; at + 4 <= to; at += d->each, v += d->step) {
			index_put32(p + at, v);
			if (!d->each)
				break;
		}
		put(d->name, p, n);
	}
	memcpy(p, good, n);
	index_put32(p + 32, UINT32_MAX);
	put("key-long", p, n);
	memcpy(p, good, n);
	index_put32(p + 36, UINT32_MAX);
	put("strings-many", p, n);
	memcpy(p, good, n);
	index_put64(p + INDEX_PARTS_AT + 16 * PART_TEXT, (uint64_t)1 << 63);
	put("part-far", p, n);
	memcpy(p, good, n);
	index_put64(p + INDEX_PARTS_AT + 16 * PART_STARTS + 8, UINT64_MAX - 19);
	put("part-huge", p, n);
	free(p);
}

int main(int argc, char **argv)
{
	struct dwarf_whole w;
	uint8_t *good, *refused;
	size_t n, n_refused;

	if (argc != 2) {
		fputs("usage: index_seeds FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	make(&w);
	good = written(&w, NULL, &n);
	put("good", good, n);
	write_damages(good, n);
	refused = written(NULL, "has a broken unit", &n_refused);
	put("refused", refused, n_refused);
	put("empty", refused, 0);
	free(refused);
	free(good);
	dwarf_whole_release(&w);
	return 0;
}
