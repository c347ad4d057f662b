/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's live stream (formats/loli/stream.c) and its sequence numbers (seqs.h).
 */
#include "tests/unit/loli.h"

#include "formats/loli/seqs.h"

static const char packet_1[] =
    "alloc 1 @b400007860010010 10000000 100 78660cd100 78660cd300 790005a010\n"
    "alloc 2 @b400007860010020 11000000 100 78660cd100 78660cd300\n"
    "free 3 @b400007860010010\n";

TEST(sample)
{
	struct collector c = {0};
	size_t n;
	char *p = sample("synthetic_stream.bin", &n);

	if (!p)
		TEST_SKIP("../shared is not there");
	collect(&c, p, n, NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(!c.lossy);
	CHECK_STR(c.reader->name, "loli-stream");
	CHECK_EQ(c.allocs, 3);
	CHECK_EQ(c.frees, 1);
	CHECK_STR(c.text.data,
		  "alloc 1 @b400007860010000 10000000 4096 78660cd100 78666f4200 790005a010\n"
		  "alloc 2 @b400007860020000 12000000 512\n"
		  "alloc 3 @b400007860030000 13000000 77 libUE4.so!?\n"
		  "free 4 @b400007860020000\n"
		  "end\n");
	free(p);
	collect_release(&c);
}

TEST(out_of_order)
{
	struct collector c = {0};

	collect_trap(&c, "good-out-of-order.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(!c.lossy);
	CHECK_EQ(c.captures, 1);
	CHECK_EQ(c.allocs, 6);
	CHECK_EQ(c.frees, 3);
	CHECK(strstr(c.text.data, packet_1) != NULL);
	CHECK(!has_line(&c.notes, "ordered"));
	CHECK(has_line(&c.notes, "format=loli-stream"));
	CHECK(noted(&c, "info", 0, "--maps"));
	collect_release(&c);
}

/* Numbers 14, 15, 16 came; 17 to 20 did not, nor did 1 to 10. */
TEST(gap)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-gap.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 6);
	CHECK(noted(&c, "loss", 4, "never received"));
	CHECK(noted(&c, "loss", 10, "before the first record"));
	collect_release(&c);
}

TEST(restart)
{
	struct collector c = {0};
	const char *second;

	collect_trap(&c, "good-restart.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_EQ(c.captures, 3);
	CHECK(!c.lossy);
	CHECK_EQ(c.allocs, 10);
	second = strstr(c.text.data, "end\n");
	CHECK(second && !strncmp(second + 4, "alloc 4 ", 8));
	CHECK(strstr(second + 4, packet_1) != NULL);
	collect_release(&c);
}

TEST(old_framing)
{
	struct collector c = {0};

	collect_trap(&c, "good-old-framing.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_STR(c.reader->name, "loli-stream");
	CHECK_EQ(c.captures, 2); /* what follows the answer to the dump is another run */
	CHECK(!strncmp(c.text.data, packet_1, sizeof packet_1 - 1));
	CHECK_EQ(c.allocs, 4);
	collect_release(&c);
}

TEST(wrap)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-wrap.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_EQ(c.captures, 1);
	CHECK(strstr(c.text.data, "alloc 4294967295 ") != NULL);
	CHECK(strstr(c.text.data, "alloc 4294967296 ") != NULL);
	CHECK(strstr(c.text.data, "free 4294967297 ") != NULL);
	/* fffffff9 to fffffffe, ffffffff to 100000001: nothing between them */
	CHECK(!strstr(c.notes.data, "never received"));
	collect_release(&c);
}

TEST(no_frames)
{
	struct collector c = {0};

	collect_trap(&c, "good-no-frames.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_STR(c.text.data, "alloc 1 @b400007860010000 5000000 64\n"
			       "alloc 2 @b400007860010040 6000000 65 libUE4.so!?\n"
			       "alloc 3 @b400007860010080 6000000 66 libUE4.so!?\n"
			       "alloc 4 @b4000078600100c0 6000000 67\nend\n");
	CHECK(has_line(&c.notes, "module libUE4.so"));
	collect_release(&c);
}

TEST(lengths)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-lengths.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 4);
	CHECK(noted(&c, "loss", 2, "does not fit their kind"));
	CHECK(noted(&c, "loss", 1, "have an unknown kind"));
	CHECK(noted(&c, "loss", 1, "end within a record"));
	collect_release(&c);
}

TEST(packets)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-packets.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 4);
	CHECK(noted(&c, "info", 1, "have an unknown type"));
	CHECK(noted(&c, "loss", 2, "cannot be decompressed"));
	collect_release(&c);

	/* Of what is in the file more is behind it than before it. */
	collect_trap(&c, "lossy-huge-packet.stream", NULL);
	CHECK_EQ(c.status, ST_BAD);
	collect_release(&c);
	collect_trap(&c, "lossy-huge-packet.stream",
		     &(struct import_options){.format = "loli-stream"});
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 2);
	CHECK(noted(&c, "loss", 0, "impossible packet size: 4026531840 bytes (at byte "));
	collect_release(&c);

	collect_trap(&c, "bad-packets.stream", &(struct import_options){.format = "loli-stream"});
	CHECK_EQ(c.status, ST_BAD);
	CHECK_EQ(c.captures, 0);
	collect_release(&c);

	collect_trap(&c, "unsupported-text-agent.stream", NULL);
	CHECK_EQ(c.status, ST_UNSUPPORTED);
	CHECK(strstr(c.e.msg, "before v0.9.9b") != NULL);
	collect_release(&c);
}

/* Raw addresses stay as they are: symbolizing takes pointer authentication off. */
TEST(raw_values)
{
	struct collector c = {0};

	collect_trap(&c, "good-pac.stream", NULL);
	CHECK(strstr(c.text.data, " 5e6c000219df5a10 78660cd100\n") != NULL);
	collect_release(&c);

	collect_trap(&c, "good-deep.stream", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(strstr(c.text.data, " 78660cd100 78660cd104 ") != NULL);
	collect_release(&c);
}

static void check_config(const char *config, uint8_t forced, const char *count, const char *live,
			 const char *kind)
{
	struct collector c = {0};
	const char *path = text_file(config, strlen(config));
	char line[64];

	collect_trap(&c, "good-pac.stream",
		     &(struct import_options){.config = path, .locations = forced});
	unlink(path);
	CHECK_EQ(c.status, ST_OK);
	snprintf(line, sizeof line, "count %s", count);
	CHECK(has_line(&c.notes, line));
	snprintf(line, sizeof line, "requested %s", count);
	CHECK(has_line(&c.notes, line));
	snprintf(line, sizeof line, "live %s", live);
	CHECK(has_line(&c.notes, line));
	CHECK(has_line(&c.notes, "real absent"));
	snprintf(line, sizeof line, " %s:78660cd100", kind);
	CHECK(strstr(c.text.data, line) != NULL);
	CHECK(noted(&c, "guess", 0, "false leak"));
	collect_release(&c);
}

TEST(config)
{
	struct collector c = {0};
	const char *path;

	check_config("mode:strict\nthreshold:256\nbuild:default\n", 0, "lower-bound", "lower-bound",
		     "return");
	check_config("mode:strict\nthreshold:0\nbuild:framepointer\n", 0, "exact", "exact",
		     "return");
	check_config("mode:loose\nthreshold:256\nbuild:instrumented\n", 0, "estimated", "estimated",
		     "entry");
	check_config("mode:nostack\nbuild:default\n", LOCATION_EXACT, "exact", "exact", "exact");

	collect_trap(&c, "good-pac.stream", NULL);
	CHECK(has_line(&c.notes, "count lower-bound"));
	CHECK(noted(&c, "guess", 0, "loli3.conf was not given"));
	CHECK(strstr(c.text.data, " 78660cd100\n") != NULL); /* no kind */
	collect_release(&c);

	path = text_file("mode:strict\nhook:mmap\n", 22);
	collect_trap(&c, "good-pac.stream", &(struct import_options){.config = path});
	unlink(path);
	CHECK(strstr(c.text.data, " 64 mmap ") != NULL);
	CHECK(has_line(&c.notes, "loli.hook=mmap"));
	collect_release(&c);

	collect_trap(&c, "good-pac.stream", &(struct import_options){.config = "/nowhere"});
	CHECK_EQ(c.status, ST_SYS);
	collect_release(&c);
}

TEST(maps_given)
{
	struct collector c = {0};
	struct buf maps = BUF_INIT;
	const char *path;

	trap_bytes("good-smaps.maps", &maps);
	path = text_file(maps.data, maps.len);
	collect_trap(&c, "good-restart.stream", &(struct import_options){.maps = path});
	CHECK_EQ(c.status, ST_OK);
	CHECK_EQ(c.captures, 3);
	CHECK(!strstr(c.notes.data, "--maps"));
	CHECK(strstr(c.notes.data, "module /data/app/a b/libUE4.so ") != NULL);
	collect_release(&c);
	/* A record's library finds the module with that base name. */
	collect_trap(&c, "good-no-frames.stream", &(struct import_options){.maps = path});
	CHECK(strstr(c.text.data, " 65 /data/app/a b/libUE4.so!?\n") != NULL);
	unlink(path);
	buf_release(&maps);
	collect_release(&c);
}

TEST(sink_fails)
{
	for (uint64_t n = 1; n < 16; n++) {
		struct collector c = {.fail_after = n};

		collect_trap(&c, "good-restart.stream", NULL);
		CHECK_EQ(c.status, ST_PIPE);
		collect_release(&c);
	}
}

TEST(cuts)
{
	check_cuts("good-out-of-order.stream");
	check_cuts("good-old-framing.stream");
	check_cuts("good-no-frames.stream");
	check_cuts("lossy-lengths.stream");
	check_cuts("lossy-packets.stream");
}

TEST(numbers)
{
	struct loli_seqs s = {0};

	CHECK_EQ(loli_seqs_missing(&s), 0);
	for (uint64_t i = 300000; i > 200000; i--)
		CHECK(loli_seqs_add(&s, i));
	CHECK_EQ(loli_seqs_missing(&s), 0);
	CHECK(!loli_seqs_add(&s, 250000));
	CHECK(loli_seqs_seen(&s, 200001) && !loli_seqs_seen(&s, 200000));
	CHECK(loli_seqs_add(&s, 199990));
	CHECK_EQ(loli_seqs_missing(&s), 10);
	/* More windows than are kept: the oldest are closed, the count stays right. */
	for (uint64_t i = 0; i < 6000; i++)
		CHECK(loli_seqs_add(&s, 1000000 + i * 65536));
	CHECK_EQ(s.distinct, 100000 + 1 + 6000);
	CHECK_EQ(loli_seqs_missing(&s), 1000000 + 5999 * 65536 - 199990 + 1 - s.distinct);
	CHECK(loli_seqs_seen(&s, 1000000 + (uint64_t)5999 * 65536));
	loli_seqs_release(&s);

	loli_seqs_add(&s, 0xfffffff0);
	CHECK_EQ(loli_seqs_extend(&s, 5), 0x100000005);
	CHECK_EQ(loli_seqs_extend(&s, 0x10000000), 0x10000000); /* too far for a wrap */
	loli_seqs_add(&s, 0x100000005);
	CHECK_EQ(loli_seqs_extend(&s, 0xfffffffe), 0xfffffffe);
	CHECK_EQ(loli_seqs_extend(&s, 6), 0x100000006);
	loli_seqs_release(&s);
}

TEST_MAIN()
