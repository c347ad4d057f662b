/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/natives.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WORDS_MAX = 1 << 20, BLOCK_MAX = 1 << 20, BLOCK_GUESS = 256, MAPS_LINE = 512 };
#define BYTES_MAX (UINT64_C(256) << 20)

static bool copied(uint64_t address, void *to, size_t n)
{
	struct iovec into = {to, n}, from = {(void *)(uintptr_t)address, n};

	return process_vm_readv(getpid(), &into, 1, &from, 1, 0) == (ssize_t)n;
}

/* "7f00-7f10 rw-p 00000000 00:00 0    [heap]": where malloc has its blocks. */
static void native_line(struct lua_natives *v, const char *line)
{
	unsigned long long start, end, inode;
	char access[8] = "", name[64] = "";

	if (sscanf(line, "%llx-%llx %7s %*x %*s %llu %63s", &start, &end, access, &inode, name) < 4)
		return;
	if (strncmp(access, "rw", 2) || inode ||
	    (*name && strcmp(name, "[heap]") && strncmp(name, "[anon", 5)))
		return;
	if (v->n_regions == v->cap_regions) {
		size_t cap = v->cap_regions ? v->cap_regions * 2 : 64;
		struct native_region *more = own_grow(v->regions, cap * sizeof *more);

		if (!more)
			return;
		v->regions = more;
		v->cap_regions = cap;
	}
	v->regions[v->n_regions++] = (struct native_region){start, end};
}

static void read_maps(struct lua_natives *v)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char line[MAPS_LINE], bytes[4096];
	size_t at = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (bytes[i] != '\n' && at < sizeof line - 1) {
				line[at++] = bytes[i];
			} else if (bytes[i] == '\n') {
				line[at] = 0;
				native_line(v, line);
				at = 0;
			}
		}
	if (fd >= 0)
		close(fd);
}

void natives_begin(struct lua_natives *v, struct lua_out *out, const struct lua_sizes *z,
		   const struct lua_slots *objects)
{
	*v = (struct lua_natives){.out = out, .z = z, .objects = objects};
	read_maps(v);
}

void natives_end(struct lua_natives *v)
{
	own_free(v->regions);
	own_free(v->waiting);
	slots_release(&v->seen);
	*v = (struct lua_natives){.n = 0};
}

/* The region that has the address; NULL: none. They are in order. */
static const struct native_region *region_of(const struct lua_natives *v, uint64_t address)
{
	size_t first = 0, end = v->n_regions;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (v->regions[middle].start <= address)
			first = middle + 1;
		else
			end = middle;
	}
	return first && address < v->regions[first - 1].end ? &v->regions[first - 1] : NULL;
}

static void wait_for(struct lua_natives *v, struct native_memory memory)
{
	if (v->n == v->cap) {
		size_t cap = v->cap ? v->cap * 2 : 256;
		struct native_memory *more = own_grow(v->waiting, cap * sizeof *more);

		v->cut |= !more;
		if (!more)
			return;
		v->waiting = more;
		v->cap = cap;
	}
	v->waiting[v->n++] = memory;
}

void natives_pointer(struct lua_natives *v, uint64_t from, uint64_t pointer, const char *name)
{
	if (region_of(v, pointer))
		wait_for(v, (struct native_memory){from, pointer, 0,
						   out_string(v->out, name, strlen(name))});
}

/* A userdata that is one number may stand for an object of a table elsewhere, as in xLua. */
static void put_number(struct lua_natives *v, uint64_t address)
{
	struct event ev = {.kind = EV_REFERENCE,
			   .has = EV_HAS_ADDRESS | EV_HAS_TARGET | EV_HAS_NAME | EV_HAS_VALUE,
			   .address = address};
	int32_t number;

	memcpy(&number, (const void *)(uintptr_t)address, sizeof number);
	if (number < 0)
		return;
	ev.target = (uint64_t)number + 1; /* 0 is no target */
	ev.name = out_string(v->out, "[number]", 8);
	out_event(v->out, &ev);
}

void natives_memory(struct lua_natives *v, uint64_t address, uint64_t bytes)
{
	if (bytes == sizeof(int32_t))
		put_number(v, address);
	else if (bytes)
		wait_for(v, (struct native_memory){address, address, bytes, 0});
}

/* A native block's bytes, as far as can be guessed: glibc's malloc has the size before it. */
static uint64_t guessed_size(const struct lua_natives *v, uint64_t address)
{
	const struct native_region *r = region_of(v, address);
	uint64_t left = r ? r->end - address : 0, size = BLOCK_GUESS;
	uintptr_t word;

	if (copied(address - sizeof word, &word, sizeof word)) {
		word &= ~(uintptr_t)7;
		if (word >= 4 * sizeof word && word % (2 * sizeof word) == 0 &&
		    word - sizeof word <= left)
			size = word - sizeof word;
	}
	return size < left ? size : left;
}

/* offset: of the word in from's memory. */
static void put_word(struct lua_natives *v, uint64_t from, uint64_t word, uint64_t offset,
		     uint32_t name)
{
	struct event ev = {.kind = EV_REFERENCE,
			   .has = EV_HAS_ADDRESS | EV_HAS_TARGET | EV_HAS_NAME | EV_HAS_VALUE,
			   .address = from,
			   .target = word,
			   .value = (int64_t)offset,
			   .name = name};
	uint32_t *seen;

	if (word % (2 * sizeof(void *)) || !region_of(v, word) ||
	    blocks_find(v->z->blocks, v->z->n, word) < v->z->n || slots_get(v->objects, word))
		return;
	if (v->words == WORDS_MAX) {
		v->cut = true;
		return;
	}
	v->words++;
	out_event(v->out, &ev);
	seen = slots_put(&v->seen, word);
	if (!seen || *seen)
		return;
	*seen = 1;
	wait_for(v, (struct native_memory){word, word, guessed_size(v, word), 0});
}

static void look_into(struct lua_natives *v, struct native_memory m, uint32_t name)
{
	uintptr_t words[512];

	if (m.bytes > BLOCK_MAX) {
		v->cut = true;
		m.bytes = BLOCK_MAX;
	}
	for (uint64_t at = 0; at < m.bytes; at += sizeof words) {
		size_t n = m.bytes - at < sizeof words ? m.bytes - at : sizeof words;

		if (v->bytes > BYTES_MAX) {
			v->cut = true;
			return;
		}
		v->bytes += n;
		if (!copied(m.address + at, words, n))
			return;
		for (size_t i = 0; i < n / sizeof *words; i++)
			if (words[i])
				put_word(v, m.from, words[i], at + i * sizeof *words, name);
	}
}

void natives_all(struct lua_natives *v)
{
	static const char by_address[] = "[by address]";
	uint32_t name = out_string(v->out, by_address, sizeof by_address - 1);

	for (size_t i = 0; i < v->n; i++) {
		struct native_memory m = v->waiting[i];

		if (m.bytes)
			look_into(v, m, name);
		else
			put_word(v, m.from, m.address, 0, m.name);
	}
	v->n = 0;
}
