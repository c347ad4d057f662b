/* SPDX-License-Identifier: MIT
 *
 * Invented LoliProfiler captures of any size, the same bytes for the same options:
 *	loli [-n RECORDS] [-d DEPTH] [-s STACKS] [-S SEED] [-u] [-c POINTS] [-m MAPPED] KIND >FILE
 * KIND: stream, stream-v1.0.0, cache, loli-105, loli-106, loli-107, text, text-full, smaps, maps,
 * conf. -d: most locations in a stack; -s: different stacks; -u: an id for every record's stack.
 * -c: points in each series of the memory chart, one a second; -m: how many more sections a .loli's
 * map has, and how many more files a smaps text, all with sizes.
 * The truth (records, bytes, live records and bytes; of each series of the chart its last and its
 * sum in B; of each name in a map its Pss in B) goes to standard error.
 */
#include "testdata/gen/loli_bytes.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* The mappings of LoliProfiler's pull request 50: text's file offset and address differ. */
enum { TEXT_OFFSET = 0x59d8000, TEXT_SIZE = 0xbe11000 };
static const uint64_t module_lo = 0x78606f4000, text_lo = 0x78660cd000;
static const uint64_t heap = 0xb400007860010000;

enum { SLOTS = 4096, PACKET_RECORDS = 3000, UE4 = 0xfd4d8bab, FUNCTIONS = 25000 };

static struct {
	uint64_t records, seed;
	uint32_t depth, stacks;
	bool unshared;
	uint32_t points, mapped;
} opt = {1000, 1, 24, 100, false, 1, 0};

static struct {
	uint64_t records, bytes, live, live_bytes;
} truth;

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = opt.seed * 0x9e3779b97f4a7c15u + a * 0xbf58476d1ce4e5b9u + b;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Stacks are a tree: the further out, the more of them agree. Innermost first. */
static uint32_t frames_of(uint32_t stack, uint64_t *frames)
{
	uint32_t n = 1 + (uint32_t)(mix(stack, 1) % opt.depth);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t node = mix(stack >> (2 * i < 31 ? 2 * i : 31), 100 + i);

		frames[i] = text_lo + 0x1000 + node % FUNCTIONS * 1024 + (node >> 40) % 16 * 4;
	}
	return n;
}

static uint32_t stack_of(uint64_t record)
{
	uint64_t a = mix(record, 2) % opt.stacks, b = mix(record, 3) % opt.stacks;

	return (uint32_t)(a < b ? a : b); /* low ones more often */
}

static uint32_t size_of(uint64_t record)
{
	return (16u << mix(record, 4) % 12) + (uint32_t)(mix(record, 5) % 16);
}

static int64_t ms_of(uint64_t record)
{
	return (int64_t)(record / 50);
}

static void flush_out(struct buf *b)
{
	if (b->len && fwrite(b->data, 1, b->len, stdout) != b->len) {
		fprintf(stderr, "loli: cannot write: %s\n", strerror(errno));
		exit(3);
	}
	b->len = 0;
}

static void flush_some(struct buf *b)
{
	if (b->len > 1 << 20)
		flush_out(b);
}

static void stream(bool typed)
{
	static uint32_t held[SLOTS]; /* size + 1 of the block in a slot */
	struct buf out = BUF_INIT, raw = BUF_INIT;
	uint64_t *frames = mem_array(opt.depth, sizeof *frames);
	uint32_t seq = 1, in_packet = 0;

	for (uint64_t i = 0; i < opt.records; i++) {
		uint32_t slot = (uint32_t)(mix(i, 6) % SLOTS), size = size_of(i), n;
		uint64_t addr = heap + slot * (uint64_t)0x10000;

		if (held[slot]) {
			put_free(&raw, seq++, addr);
			truth.live--;
			truth.live_bytes -= held[slot] - 1;
			in_packet++;
		}
		if (i % 16 == 5) { /* of a block that the threshold left out */
			put_free(&raw, seq++, heap + 0x80000000 + i % 512 * 16);
			in_packet++;
		}
		n = frames_of(stack_of(i), frames);
		put_alloc(&raw, seq++, ms_of(i), size, addr, frames, n);
		in_packet++;
		held[slot] = size + 1;
		truth.records++;
		truth.bytes += size;
		truth.live++;
		truth.live_bytes += size;
		if (in_packet >= PACKET_RECORDS - 2) {
			put_packet(&out, &raw, typed);
			in_packet = 0;
		}
		flush_some(&out);
	}
	if (raw.len)
		put_packet(&out, &raw, typed);
	flush_out(&out);
	buf_release(&out);
	buf_release(&raw);
	free(frames);
}

static void cache(void)
{
	struct buf out = BUF_INIT;
	uint64_t *frames = mem_array(opt.depth, sizeof *frames);

	for (uint64_t i = 0; i < opt.records; i++) {
		uint64_t left = opt.records - i;

		if (i % 100 == 0)
			put_be(&out, left < 100 ? left : 100, 4);
		put_cached(&out, (uint32_t)(i * 3 + 1), heap + i * 0x100, size_of(i), ms_of(i), 0,
			   1, frames, frames_of(stack_of(i), frames));
		truth.records++;
		truth.bytes += size_of(i);
		flush_some(&out);
	}
	truth.live = truth.records;
	truth.live_bytes = truth.bytes;
	flush_out(&out);
	buf_release(&out);
	free(frames);
}

static bool is_freed(uint64_t record)
{
	return mix(record, 7) % 4 != 0;
}

static void put_double(struct buf *out, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	put_be(out, bits, 8);
}

/* dumpsys gives kB; the program divides them by 1024. The first point is 0, 0. */
static void loli_chart(struct buf *out)
{
	static const char *const names[] = {"total",      "native-heap", "gfx-dev",
					    "egl-mtrack", "gl-mtrack",   "unknown"};

	put_be(out, 256, 4);
	put_be(out, 6, 4);
	for (uint32_t i = 0; i < 6; i++) {
		uint64_t sum = 0, kb = 0;

		put_be(out, opt.points, 4);
		for (uint32_t k = 0; k < opt.points; k++) {
			kb = k ? mix(i, 1000 + k) % 2000000 : 0;
			put_double(out, k);
			put_double(out, (double)kb / 1024);
			sum += kb;
		}
		if (opt.points > 1)
			fprintf(stderr, "chart meminfo.%s %llu %llu\n", names[i],
				(unsigned long long)kb << 10, (unsigned long long)sum << 10);
	}
}

/* Sizes of a mapping in kB: Pss, and what the other keys have in addition. */
static uint64_t pss_of(const char *name, uint32_t i)
{
	uint64_t kb = mix(i, 2000) % 100000;

	fprintf(stderr, "pss %s %llu\n", name, (unsigned long long)kb << 10);
	return kb;
}

static void loli_record(struct buf *out, uint64_t i, bool texts)
{
	uint32_t seq = (uint32_t)(i * 2 + 1), stack = stack_of(i);
	uint64_t addr = heap + i * 16;

	if (!texts) {
		put_loli_record(out, opt.unshared ? (uint32_t)i : stack, seq, (uint32_t)ms_of(i),
				size_of(i), addr, UE4);
		return;
	}
	put_uuid(out, opt.unshared ? (uint32_t)i : stack);
	put_be(out, seq, 4);
	put_be(out, (uint64_t)ms_of(i), 4);
	put_be(out, size_of(i), 4);
	put_hex(out, addr);
	put_qstring(out, "libUE4.so");
	put_hex(out, 0);
}

static void loli_stack(struct buf *out, uint32_t id, uint32_t stack, bool texts, uint64_t *frames)
{
	uint32_t n = frames_of(stack, frames);

	put_uuid(out, id);
	put_be(out, texts ? 2 * n : n, 4);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t offset = frames[i] - text_lo + TEXT_OFFSET;

		if (texts) {
			put_qstring(out, "libUE4.so");
			put_hex(out, offset);
		} else {
			put_be(out, UE4, 4);
			put_be(out, offset, 8);
		}
	}
}

static void loli_map(struct buf *out)
{
	put_be(out, 1 + opt.mapped, 4);
	put_qstring(out, "libUE4.so");
	put_be(out, 2, 4);
	put_loli_range(out, module_lo, text_lo, 0);
	put_loli_range(out, text_lo, text_lo + TEXT_SIZE, TEXT_OFFSET);
	put_zeros(out, 28);
	for (uint32_t i = 0; i < opt.mapped; i++) {
		uint64_t lo = 0x7c00000000 + i * (uint64_t)0x1000000, pss;
		char name[32];

		snprintf(name, sizeof name, "lib%u.so", i);
		pss = pss_of(name, i);
		put_qstring(out, name);
		put_be(out, 1, 4);
		put_loli_range(out, lo, lo + 0x1000000, 0);
		put_be(out, 16384, 4);
		put_be(out, pss + 3, 4); /* rss */
		put_be(out, pss, 4);
		put_be(out, 1, 4); /* private, then shared */
		put_be(out, pss - pss / 2, 4);
		put_be(out, 2, 4);
		put_be(out, pss / 2, 4);
	}
}

static void loli(uint32_t version)
{
	struct buf out = BUF_INIT;
	uint64_t *frames = mem_array(opt.depth, sizeof *frames), freed = 0;
	bool texts = version == 105;

	put_loli_head(&out, version);
	loli_chart(&out);
	if (!texts) {
		put_be(&out, 2, 4);
		put_be(&out, UE4, 4);
		put_qstring(&out, "libUE4.so");
		put_be(&out, 0, 4);
		put_qnull(&out);
	}
	put_be(&out, opt.records, 4);
	for (uint64_t i = 0; i < opt.records; i++) {
		loli_record(&out, i, texts);
		truth.records++;
		truth.bytes += size_of(i);
		truth.live += !is_freed(i);
		truth.live_bytes += is_freed(i) ? 0 : size_of(i);
		freed += is_freed(i);
		flush_some(&out);
	}
	put_be(&out, opt.unshared ? opt.records : opt.stacks, 4);
	for (uint64_t i = 0; i < (opt.unshared ? opt.records : opt.stacks); i++) {
		loli_stack(&out, (uint32_t)i, opt.unshared ? stack_of(i) : (uint32_t)i, texts,
			   frames);
		flush_some(&out);
	}
	put_be(&out, 0, 4); /* symbols */
	put_be(&out, freed, 4);
	for (uint64_t i = 0; i < opt.records; i++) {
		if (!is_freed(i))
			continue;
		if (texts)
			put_hex(&out, heap + i * 16);
		else
			put_be(&out, heap + i * 16, 8);
		put_be(&out, i * 2 + 2, 4);
		flush_some(&out);
	}
	put_be(&out, 0, 4); /* screenshots */
	loli_map(&out);
	if (version == 107)
		buf_adds(&out, "comparison tail of a fork");
	flush_out(&out);
	buf_release(&out);
	free(frames);
}

static void text(bool small)
{
	struct buf out = BUF_INIT;
	uint64_t *frames = mem_array(opt.depth, sizeof *frames);

	buf_adds(&out, "[seq,time,size,addr,library,funcaddr]\n");
	for (uint64_t i = 0; i < opt.records; i++) {
		uint32_t n = frames_of(stack_of(i), frames);

		buf_addf(&out, "%llu,%lld,%u,%llu,libUE4.so,%llu\n", (unsigned long long)i + 1,
			 (long long)ms_of(i), size_of(i), (unsigned long long)(heap + i * 16),
			 (unsigned long long)(frames[0] - text_lo));
		for (uint32_t k = 0; k < n; k++) {
			unsigned long long offset = frames[k] - text_lo + TEXT_OFFSET;

			if (small)
				buf_addf(&out, "libUE4.so,0x%llx,", offset);
			else
				buf_addf(&out, "libUE4.so,F%llx(int, char const*),", offset);
		}
		buf_adds(&out, "\n\n");
		truth.records++;
		truth.bytes += size_of(i);
		flush_some(&out);
	}
	if (small) {
		buf_adds(&out, "[stackAddrMap]\nlibUE4.so:\n");
		buf_addf(&out, "0x%llx, FMalloc::Malloc(unsigned long, unsigned int)\n\n",
			 (unsigned long long)TEXT_OFFSET + 0x1000);
	}
	flush_out(&out);
	buf_release(&out);
	free(frames);
}

static void maps(bool smaps)
{
	static const char *const lines[] = {
	    "12c00000-2ac00000 rw-p 00000000 00:00 0                                  "
	    "[anon:dalvik-main space (region space)]",
	    "78606f4000-78660cd000 r--p 00000000 fd:05 123456                         "
	    "/data/app/~~x==/com.example.game-y==/lib/arm64/libUE4.so",
	    "78660cd000-7871ede000 r-xp 059d8000 fd:05 123456                         "
	    "/data/app/~~x==/com.example.game-y==/lib/arm64/libUE4.so",
	    "7871ede000-78733dc000 r--p 117e8000 fd:05 123456                         "
	    "/data/app/~~x==/com.example.game-y==/lib/arm64/libUE4.so",
	    "78733dc000-7873496000 rw-p 12ce5000 fd:05 123456                         "
	    "/data/app/~~x==/com.example.game-y==/lib/arm64/libUE4.so",
	    "7873496000-7873f00000 rw-p 00000000 00:00 0                              "
	    "[anon:.bss]",
	    "7900000000-7900040000 r--p 00000000 07:08 77                             "
	    "/apex/com.android.runtime/lib64/bionic/libc.so",
	    "7900040000-79000d0000 r-xp 0003f000 07:08 77                             "
	    "/apex/com.android.runtime/lib64/bionic/libc.so",
	    "7a00000000-7a00001000 rw-p 00000000 00:00 0 ",
	    "7ff0000000-7ff0001000 r-xp 00000000 00:00 0                              [vdso]",
	};
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		buf_addf(&out, "%s\n", lines[i]);
		if (smaps)
			buf_adds(&out, "Size:               2048 kB\nRss:                1024 kB\n"
				       "Pss:                 512 kB\nShared_Clean:          0 kB\n"
				       "VmFlags: rd ex mr mw me\n");
	}
	for (uint32_t i = 0; i < opt.mapped; i++) {
		unsigned long long lo = 0x7c00000000 + i * 0x1000000ull, pss;
		char name[32];

		snprintf(name, sizeof name, "lib%u.so", i / 2); /* two mappings of each */
		buf_addf(&out, "%llx-%llx r--p %08x fd:05 %u /data/app/~~%u==/%s\n", lo,
			 lo + 0x1000000, i % 2 * 0x1000000, 1000 + i / 2, i, name);
		if (!smaps)
			continue;
		pss = pss_of(name, i);
		buf_addf(&out, "Rss:      %8llu kB\nPss:      %8llu kB\nPrivate_Dirty: %llu kB\n",
			 pss + 3, pss, pss / 2);
	}
	flush_out(&out);
	buf_release(&out);
}

static void conf(void)
{
	fputs("threshold:256\nwhitelist:libUE4,\nblacklist:\nmode:strict\nbuild:default\n"
	      "type:white list\narch:arm64-v8a\ncompiler:llvm\nhook:malloc\nsaved:preset\n"
	      "threshold:1\nmode:loose\n",
	      stdout);
}

static int usage(void)
{
	fputs("usage: loli [-n RECORDS] [-d DEPTH] [-s STACKS] [-S SEED] [-u] [-c POINTS] "
	      "[-m MAPPED] KIND\n",
	      stderr);
	return 2;
}

static bool generate(const char *kind)
{
	if (!strcmp(kind, "stream") || !strcmp(kind, "stream-v1.0.0"))
		stream(!kind[6]);
	else if (!strcmp(kind, "cache"))
		cache();
	else if (!strcmp(kind, "loli-105") || !strcmp(kind, "loli-106") ||
		 !strcmp(kind, "loli-107"))
		loli((uint32_t)atoi(kind + 5));
	else if (!strcmp(kind, "text") || !strcmp(kind, "text-full"))
		text(!kind[4]);
	else if (!strcmp(kind, "smaps") || !strcmp(kind, "maps"))
		maps(kind[0] == 's');
	else if (!strcmp(kind, "conf"))
		conf();
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:d:s:S:uc:m:")) != -1) {
		if (c == 'n')
			opt.records = strtoull(optarg, NULL, 10);
		else if (c == 'd')
			opt.depth = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 's')
			opt.stacks = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 'S')
			opt.seed = strtoull(optarg, NULL, 10);
		else if (c == 'c')
			opt.points = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 'm')
			opt.mapped = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 'u')
			opt.unshared = true;
		else
			return usage();
	}
	if (optind + 1 != argc || !opt.depth || opt.depth > 8188 || !opt.stacks ||
	    !generate(argv[optind]))
		return usage();
	if (truth.records)
		fprintf(stderr, "records %llu bytes %llu live %llu live-bytes %llu\n",
			(unsigned long long)truth.records, (unsigned long long)truth.bytes,
			(unsigned long long)truth.live, (unsigned long long)truth.live_bytes);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "loli: cannot write: %s\n", strerror(errno));
		return 3;
	}
	return 0;
}
