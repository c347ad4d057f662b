/* SPDX-License-Identifier: MIT
 *
 * Small LoliProfiler files, each with one trap, which the generator loli_traps writes into files
 * and the unit tests read from memory. good-: reads without loss; lossy-: something is lost and
 * said; bad- and unsupported-: refused. The numbers that must come out are in the tests.
 */
#ifndef TM_TESTDATA_LOLI_TRAPS_H
#define TM_TESTDATA_LOLI_TRAPS_H

#include "testdata/gen/loli_bytes.h"

enum { UE4_ID = 7, LIBC_ID = 9, UNKNOWN_ID = 5, MISSING_ID = 0x1234 };

static const uint64_t trap_block = 0xb400007860010000, trap_pc = 0x78660cd100;

/* Packets of three records, numbers from..from+2: two blocks of 100 bytes, one of them freed. */
static void trap_packet(struct buf *out, uint32_t from, bool typed)
{
	struct buf raw = BUF_INIT;
	uint64_t frames[] = {trap_pc, trap_pc + 0x200, 0x790005a010};

	put_alloc(&raw, from, 10, 100, trap_block + from * 16, frames, 3);
	put_alloc(&raw, from + 1, 11, 100, trap_block + from * 16 + 16, frames, 2);
	put_free(&raw, from + 2, trap_block + from * 16);
	put_packet(out, &raw, typed);
	buf_release(&raw);
}

static void trap_out_of_order(struct buf *out)
{
	trap_packet(out, 7, true);
	trap_packet(out, 4, true);
	trap_packet(out, 1, true);
}

static void trap_old_framing(struct buf *out)
{
	struct buf raw = BUF_INIT;

	trap_packet(out, 1, false);
	put(&raw, 5, 2); /* the answer to the dump command was a record then */
	put(&raw, 255, 1);
	put(&raw, 0, 4);
	put_packet(out, &raw, false);
	trap_packet(out, 1, false);
	buf_release(&raw);
}

static void trap_gap(struct buf *out)
{
	trap_packet(out, 11, true);
	trap_packet(out, 21, true);
	trap_packet(out, 14, true);
}

static void trap_restart(struct buf *out)
{
	trap_packet(out, 1, true);
	trap_packet(out, 4, true);
	trap_packet(out, 4, true);
	trap_packet(out, 1, true);
	put_command(out);
	trap_packet(out, 1, true);
}

static void trap_wrap(struct buf *out)
{
	trap_packet(out, UINT32_MAX - 3, true);
	trap_packet(out, UINT32_MAX - 6, true);
	trap_packet(out, UINT32_MAX, true); /* and 0 and 1 */
}

static void trap_no_frames(struct buf *out)
{
	struct buf raw = BUF_INIT;

	put_alloc(&raw, 1, 5, 64, trap_block, NULL, 0);
	put_alloc_library(&raw, 2, 6, 65, trap_block + 64, "libUE4.so");
	put_alloc_library(&raw, 3, 6, 66, trap_block + 128, "libUE4.so");
	put_alloc_library(&raw, 4, 6, 67, trap_block + 192, "");
	put_packet(out, &raw, true);
	buf_release(&raw);
}

static void trap_lengths(struct buf *out)
{
	struct buf raw = BUF_INIT;
	uint64_t frame = trap_pc;

	put_alloc(&raw, 1, 5, 64, trap_block, &frame, 1);
	put_alloc_head(&raw, 7, 2, 5, 64, trap_block, 1); /* 7 bytes are no frame */
	put_zeros(&raw, 7);
	put(&raw, 12, 2); /* a free, one byte too short */
	put_zeros(&raw, 12);
	put(&raw, 9, 2); /* a kind that no agent sends */
	put(&raw, 77, 1);
	put_zeros(&raw, 8);
	put_alloc(&raw, 3, 5, 64, trap_block + 64, &frame, 1);
	put(&raw, 500, 2); /* goes on after the end */
	put_packet(out, &raw, true);
	trap_packet(out, 4, true);
	buf_release(&raw);
}

static void trap_packets(struct buf *out)
{
	trap_packet(out, 1, true);
	put(out, 20, 4); /* of an unknown type */
	put(out, 9, 4);
	put_zeros(out, 16);
	put(out, 12, 4); /* that does not decompress */
	put(out, 0, 4);
	put(out, 99, 4);
	put(out, 0xffffffff, 4);
	put(out, 12, 4); /* that would be larger than any agent sends */
	put(out, 0, 4);
	put(out, 0xfffffff0, 4);
	put(out, 0, 4);
	trap_packet(out, 4, true);
}

static void trap_huge_packet(struct buf *out)
{
	trap_packet(out, 1, true);
	put(out, 0xf0000000, 4);
	put_zeros(out, 100);
}

static void trap_all_bad(struct buf *out)
{
	put(out, 40, 4);
	put(out, 0, 4);
	put(out, 100, 4);
	put_zeros(out, 32);
}

static void trap_text_agent(struct buf *out)
{
	struct buf raw = BUF_INIT;

	buf_adds(&raw,
		 "1\\1,100,256,0x7860010000\\0x78660cd100\\0x78660cd200\\\n0\\2\\0x7860010000\n");
	put_packet(out, &raw, false);
	buf_release(&raw);
}

static void trap_pac(struct buf *out)
{
	struct buf raw = BUF_INIT;
	uint64_t frames[] = {0x5e6c000219df5a10, trap_pc};

	put_alloc(&raw, 1, 5, 64, trap_block, frames, 2);
	put_packet(out, &raw, true);
	buf_release(&raw);
}

static void trap_deep(struct buf *out)
{
	struct buf raw = BUF_INIT;
	uint64_t *frames = mem_array(8000, sizeof *frames);

	for (uint64_t i = 0; i < 8000; i++)
		frames[i] = trap_pc + i * 4;
	put_alloc(&raw, 1, 5, 64, trap_block, frames, 8000);
	put_packet(out, &raw, true);
	free(frames);
	buf_release(&raw);
}

static void trap_cache(struct buf *out)
{
	uint64_t frames[] = {trap_pc, 0x790005a010};

	put_be(out, 2, 4);
	put_cached(out, 1, trap_block, 4096, 10, 0, 1, frames, 2);
	put_cached(out, 4, trap_block + 4096, 0xfffffff0, 12, 0x1234abcd, 0, NULL, 0);
	put_be(out, 0, 4);
	put_be(out, 1, 4);
	put_cached(out, 2, trap_block, 16, 11, 0, 1, frames, 0);
}

static void trap_cache_frames(struct buf *out)
{
	trap_cache(out);
	put_be(out, 1, 4);
	put_cached(out, 9, trap_block, 16, 11, 0, 1, NULL, 0);
	memset(out->data + out->len - 4, 0x7f, 4); /* a stack of two thousand million */
}

static void trap_cache_count(struct buf *out)
{
	uint64_t frame = trap_pc;

	put_be(out, 1 << 30, 4);
	put_cached(out, 1, trap_block, 4096, 10, 0, 1, &frame, 1);
}

/* A .loli file up to its records. */
static void trap_loli_begin(struct buf *out, uint32_t version, uint32_t records)
{
	put_loli_head(out, version);
	put_be(out, 512, 4);
	put_be(out, 1, 4);
	put_be(out, 1, 4);
	put_zeros(out, 16);
	if (version != 105) {
		put_be(out, 4, 4);
		put_be(out, UE4_ID, 4);
		put_qstring(out, "libUE4.so");
		put_be(out, LIBC_ID, 4);
		put_qstring(out, "libc.so");
		put_be(out, UNKNOWN_ID, 4);
		put_qstring(out, "unknown");
		put_be(out, 0, 4);
		put_qnull(out);
	}
	put_be(out, records, 4);
}

static void trap_frame(struct buf *out, uint32_t library, uint64_t addr)
{
	put_be(out, library, 4);
	put_be(out, addr, 8);
}

static void trap_loli_stacks(struct buf *out)
{
	put_be(out, 4, 4);
	put_uuid(out, 1);
	put_be(out, 3, 4);
	trap_frame(out, UE4_ID, 0x59d9100);
	trap_frame(out, LIBC_ID, 0x5a010);
	trap_frame(out, UNKNOWN_ID, 0x7f00001234);
	put_uuid(out, 2);
	put_be(out, 0, 4);
	put_uuid(out, 3);
	put_be(out, 2, 4);
	trap_frame(out, 0, 0x7f00001238);
	trap_frame(out, MISSING_ID, 0x7f0000123c);
	put_uuid(out, 1); /* again: the last one counts */
	put_be(out, 1, 4);
	trap_frame(out, LIBC_ID, 0x5a010);
}

/* Symbols, frees, screenshots, map. */
static void trap_loli_rest(struct buf *out)
{
	put_be(out, 2, 4);
	put_qstring(out, "/apex/lib64/libc.so");
	put_be(out, 2, 4);
	put_be(out, 0x5a010, 8);
	put_qstring(out, "malloc, caf\xe9");
	put_be(out, 0x77, 8);
	put_qstring(out, "never used");
	put_qstring(out, "libUE4.so");
	put_be(out, 1, 4);
	put_be(out, 0x59d9100, 8);
	put_qstring(out, "");
	put_be(out, 3, 4);
	put_be(out, trap_block, 8);
	put_be(out, 3, 4);
	put_be(out, trap_block, 8);
	put_be(out, 2, 4);
	put_be(out, 0x1000, 8);
	put_be(out, 99, 4);
	put_be(out, 2, 4);
	put_be(out, 5, 4);
	put_be(out, 8, 4);
	buf_add(out, "\x89PNG\r\n\x1a\n", 8);
	put_be(out, 10, 4);
	put_be(out, UINT32_MAX, 4);
	put_be(out, 3, 4);
	put_qstring(out, "libUE4.so");
	put_be(out, 2, 4);
	put_loli_range(out, 0x78660cd000, 0x7871ede000, 0x59d8000);
	put_loli_range(out, 0x78606f4000, 0x78660cd000, 0);
	put_zeros(out, 28);
	put_qstring(out, "anonymous");
	put_be(out, 1, 4);
	put_loli_range(out, 0x7a00000000, 0x7a00001000, 0);
	put_zeros(out, 28);
	put_qstring(out, "libbad.so");
	put_be(out, 1, 4);
	put_loli_range(out, 0x7a00002000, 0x7a00001000, 0);
	put_zeros(out, 28);
}

static void trap_loli_version(struct buf *out, uint32_t version)
{
	trap_loli_begin(out, version, 6);
	put_loli_record(out, 1, 1, 10, 100, trap_block, UE4_ID);
	put_loli_record(out, 1, 4, 20, 200, trap_block, UE4_ID);
	put_loli_record(out, 2, 5, 30, 0x80000001, trap_block + 0x100000, 0);
	put_loli_record(out, 3, 6, 40, 300, trap_block + 0x200, UNKNOWN_ID);
	put_loli_record(out, 99, 7, 50, 400, trap_block + 0x400, LIBC_ID);
	put_qnull(out); /* a record that has no stack id at all */
	put_be(out, 8, 4);
	put_be(out, 60, 4);
	put_be(out, 500, 4);
	put_be(out, trap_block + 0x600, 8);
	put_be(out, 0, 8);
	put_be(out, 0, 4);
	trap_loli_stacks(out);
	trap_loli_rest(out);
}

static void trap_loli(struct buf *out)
{
	trap_loli_version(out, 106);
}

static void trap_loli_107(struct buf *out)
{
	trap_loli_version(out, 107);
	buf_adds(out, "whatever the fork compares");
}

static void trap_loli_tail(struct buf *out)
{
	trap_loli_version(out, 106);
	buf_adds(out, "tail");
}

static void trap_loli_103(struct buf *out)
{
	trap_loli_version(out, 103);
}

/* Empty sections after the stacks; frees: none, or one that frees nothing here. */
static void trap_loli_end(struct buf *out, bool frees)
{
	put_be(out, 0, 4);
	put_be(out, frees, 4);
	if (frees) {
		put_be(out, trap_block, 8);
		put_be(out, 1, 4);
	}
	put_be(out, 0, 4);
	put_be(out, 0, 4);
}

static void trap_loli_retention(struct buf *out)
{
	trap_loli_begin(out, 106, 1);
	put_loli_record(out, 1, 1, 10, 100, trap_block, UE4_ID);
	put_be(out, 0, 4);
	trap_loli_end(out, true);
}

static void trap_loli_count(struct buf *out)
{
	trap_loli_begin(out, 106, INT32_MAX);
	put_loli_record(out, 1, 1, 10, 100, trap_block, UE4_ID);
	put_loli_record(out, 1, 2, 10, 100, trap_block, UE4_ID);
}

static void trap_loli_negative(struct buf *out)
{
	trap_loli_begin(out, 106, 1);
	put_loli_record(out, 1, 1, 10, 100, trap_block, UE4_ID);
	put_be(out, (uint32_t)-5, 4);
}

static void trap_loli_odd_string(struct buf *out)
{
	put_loli_head(out, 106);
	put_zeros(out, 8);
	put_be(out, 1, 4);
	put_be(out, UE4_ID, 4);
	put_be(out, 3, 4);
	put_zeros(out, 200);
}

static void trap_loli_deep(struct buf *out)
{
	enum { DEPTH = 1000000 };

	trap_loli_begin(out, 106, 1);
	put_loli_record(out, 1, 1, 10, 100, trap_block, UE4_ID);
	put_be(out, 1, 4);
	put_uuid(out, 1);
	put_be(out, DEPTH, 4);
	for (uint32_t i = 0; i < DEPTH; i++)
		trap_frame(out, UE4_ID, i % 1000 * 4);
	trap_loli_end(out, false);
}

static void trap_diff(struct buf *out)
{
	put_loli_head(out, 106);
	put_zeros(out, 8);
	put_be(out, 1, 4);
	put_be(out, UE4_ID, 4);
	put_qstring(out, "libUE4.so");
	put_be(out, 2, 4);
	put_loli_record(out, 1, 0, 0, (uint32_t)-4096, 0, UE4_ID);
	put_loli_record(out, 2, 1, 0, 8192, 0, UE4_ID);
	put_be(out, 0, 4);
	trap_loli_end(out, false);
}

static void trap_105_record(struct buf *out, uint32_t uuid, uint32_t seq, uint64_t addr)
{
	put_uuid(out, uuid);
	put_be(out, seq, 4);
	put_be(out, seq * 10, 4);
	put_be(out, seq * 100, 4);
	put_hex(out, addr);
	put_qstring(out, "libUE4.so");
	put_hex(out, 0x1000);
}

static void trap_105(struct buf *out)
{
	trap_loli_begin(out, 105, 3);
	trap_105_record(out, 1, 1, trap_block);
	trap_105_record(out, 1, 2, trap_block + 16);
	trap_105_record(out, 9, 3, trap_block + 32);
	put_be(out, 1, 4);
	put_uuid(out, 1);
	put_be(out, 4, 4);
	put_qstring(out, "libUE4.so");
	put_hex(out, 0x59d9100);
	put_qstring(out, "unknown");
	put_hex(out, 0x7f00001234);
	put_be(out, 1, 4);
	put_qstring(out, "libUE4.so");
	put_be(out, 1, 4);
	put_hex(out, 0x59d9100);
	put_qstring(out, "FMalloc");
	put_be(out, 1, 4);
	put_hex(out, trap_block + 16);
	put_be(out, 4, 4);
	put_be(out, 0, 4);
	put_be(out, 1, 4);
	put_qstring(out, "libUE4.so");
	put_be(out, 1, 4);
	put_loli_range(out, 0x78660cd000, 0x7871ede000, 0x59d8000);
	put_zeros(out, 28);
}

/* The second layout that called itself 105: numbers where the first has text. */
static void trap_105b(struct buf *out)
{
	trap_loli_begin(out, 105, 2);
	for (uint32_t i = 1; i < 3; i++) {
		put_uuid(out, i);
		put_be(out, i, 4);
		put_be(out, 10, 4);
		put_be(out, 100, 4);
		put_be(out, trap_block, 8);
		put_be(out, 0x59d9100, 8);
		put_qstring(out, "libUE4.so");
	}
	put_zeros(out, 200);
}

static void trap_text(struct buf *out)
{
	buf_adds(out, "[seq,time,size,addr,library,funcaddr]\r\n"
		      "1,10,100,12970367443833782272,libUE4.so,94212352\r\n"
		      "libUE4.so,0x59d9100,lib,comma.so,0x40,unknown,0x7f00001234,\r\n\r\n"
		      "2,20,-2147483647,12970367443833782288,libc.so,0\r\n\r\n"
		      "3,30,16,12970367443833782304,unknown,0\r\n"
		      "libUE4.so,0x59d9100,\r\n\r\n"
		      "[stackAddrMap]\r\n"
		      "libUE4.so:\r\n0x59d9100, TMap<int, float>::Add(int, float)\r\n0x44, \r\n\r\n"
		      "lib,comma.so:\r\n0x40, \r\n\r\n");
}

static void trap_text_full(struct buf *out)
{
	buf_adds(out, "[seq,time,size,addr,library,funcaddr]\n"
		      "1,10,100,12970367443833782272,libUE4.so,94212352\n"
		      "libUE4.so,TMap<int, float>::Add(int, float),libc.so,0x5a010,"
		      "libUE4.so,Foo::operator,(Bar const&, int),\n\n");
}

static void trap_text_ambiguous(struct buf *out)
{
	buf_adds(out, "[seq,time,size,addr,library,funcaddr]\n"
		      "1,10,100,12970367443833782272,libUE4.so,94212352\n"
		      "libUE4.so,pair<int,float>::pair(),libc.so,0x5a010,\n\n");
}

static void trap_text_cut(struct buf *out)
{
	trap_text_full(out);
	buf_adds(out, "2,20,200,12970367443833782272,libUE4.so,9421");
}

static void trap_maps(struct buf *out)
{
	buf_adds(out, "12c00000-2ac00000 rw-p 00000000 00:00 0 [anon:dalvik-main space]\r\n"
		      "78606f4000-78660cd000 r--p 00000000 fd:05 1 /data/app/a b/libUE4.so\r\n"
		      "Size:              94052 kB\r\nVmFlags: rd mr\r\n"
		      "78660cd000-7871ede000 r-xp 059d8000 fd:05 1 /data/app/a b/libUE4.so\r\n"
		      "7871ede000-78733dc000 r--p 117e8000 fd:05 1 /data/app/a b/libUE4.so\r\n"
		      "78733dc000-7873496000 rw-p 12ce5000 fd:05 1 /data/app/a b/libUE4.so\r\n"
		      "7900000000-7900040000 r--p 00000000 07:08 7 /apex/one/libc.so\r\n"
		      "7900040000-79000d0000 r-xp 0003f000 07:08 7 /apex/one/libc.so (deleted)\r\n"
		      "7a00000000-7a00040000 r--p 00000000 07:08 7 /apex/one/libc.so\r\n"
		      "7a00040000-7a000d0000 r-xp 0003f000 07:08 7 /apex/one/libc.so\r\n"
		      "7b00000000-7b00001000 r-xp 00000000 07:08 8 /vendor/tiny.so\r\n"
		      "7b00001000-7b00002000 r--p 00000000 07:08 8 /vendor/tiny.so\r\n"
		      "7b00100000-7b00200000 r-xp 00432000 07:08 9 /data/app/base.apk\r\n"
		      "7b00300000-7b00301000 rw-p 00000000 00:00 0 \r\n"
		      "7b00400000-7b00401000 rw-s 00000000 00:05 4 /dev/kgsl-3d0\r\n"
		      "7ff0000000-7ff0001000 r-xp 00000000 00:00 0 [vdso]\r\n");
}

static void trap_maps_bad(struct buf *out)
{
	buf_adds(out, "zz-7b r-xp 0 0:0 1 /a.so\n"
		      "2000-1000 r-xp 0 0:0 1 /b.so\n"
		      "1000-3000 r-xp 0 0:0 1 /c.so\n"
		      "2000-4000 r-xp 0 0:0 1 /d.so\n"
		      "5000-ffffffffffffffff r-xp 0 0:0 1 /e.so\n"
		      "6000-7000 rwwp 0 0:0 1 /f.so\n"
		      "+8000-9000 r-xp 0 0:0 1 /g.so\n"
		      "9000-a000 r-xp 0 0:0 1 /h.so\n");
}

struct loli_trap {
	const char *name; /* verdict-what.format */
	void (*write)(struct buf *out);
};

static const struct loli_trap loli_traps[] = {
    {"good-out-of-order.stream", trap_out_of_order},
    {"good-old-framing.stream", trap_old_framing},
    {"lossy-gap.stream", trap_gap},
    {"good-restart.stream", trap_restart},
    {"lossy-wrap.stream", trap_wrap},
    {"good-no-frames.stream", trap_no_frames},
    {"lossy-lengths.stream", trap_lengths},
    {"lossy-packets.stream", trap_packets},
    {"lossy-huge-packet.stream", trap_huge_packet},
    {"bad-packets.stream", trap_all_bad},
    {"unsupported-text-agent.stream", trap_text_agent},
    {"good-pac.stream", trap_pac},
    {"good-deep.stream", trap_deep},
    {"good-small.cache", trap_cache},
    {"lossy-frames.cache", trap_cache_frames},
    {"lossy-count.cache", trap_cache_count},
    {"lossy-small.loli", trap_loli},
    {"lossy-107.loli", trap_loli_107},
    {"lossy-tail.loli", trap_loli_tail},
    {"unsupported-103.loli", trap_loli_103},
    {"good-retention.loli", trap_loli_retention},
    {"lossy-count.loli", trap_loli_count},
    {"lossy-negative-count.loli", trap_loli_negative},
    {"bad-odd-string.loli", trap_loli_odd_string},
    {"good-deep.loli", trap_loli_deep},
    {"unsupported-diff.loli", trap_diff},
    {"good-105.loli", trap_105},
    {"unsupported-105b.loli", trap_105b},
    {"good-small.text", trap_text},
    {"good-full.text", trap_text_full},
    {"unsupported-ambiguous.text", trap_text_ambiguous},
    {"lossy-cut.text", trap_text_cut},
    {"good-smaps.maps", trap_maps},
    {"lossy-lines.maps", trap_maps_bad},
};

enum { LOLI_TRAPS = sizeof loli_traps / sizeof *loli_traps };

#endif
