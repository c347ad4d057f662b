/* SPDX-License-Identifier: MIT
 *
 * The configuration of LoliProfiler's agent (formats/loli/config.h).
 */
#include "tests/unit/test.h"

#include "formats/loli/config.h"

static enum status parse(struct loli_config *c, const char *text)
{
	struct err e = ERR_INIT;
	struct cursor in;

	loli_config_release(c);
	cursor_init(&in, text, strlen(text), 0, &e);
	return loli_config_parse(c, &in, &e);
}

TEST(all_keys)
{
	static const char want[] =
	    "threshold\000256\0whitelist\0libUE4,libfoo,\0blacklist\0\0mode\0strict\0"
	    "build\0framepointer\0type\0white list\0hook\0mmap";
	struct loli_config c = {0};

	CHECK_EQ(parse(&c, "threshold:256\r\nwhitelist:libUE4,libfoo,\r\nblacklist:\r\n"
			   "mode: strict\r\nbuild:framepointer\r\ntype:white list\r\n"
			   "future:thing\r\nhook:mmap\r\nsaved:one\r\nmode:loose\r\nnonsense\r\n"),
		 ST_OK);
	CHECK_EQ(c.mode, LOLI_MODE_STRICT);
	CHECK_EQ(c.build, LOLI_BUILD_UNWIND);
	CHECK(c.has_threshold && c.threshold == 256);
	CHECK(c.hook_mmap);
	CHECK_EQ(c.refused, 0);
	CHECK_MEM(c.text.data, c.text.len, want, sizeof want);
	loli_config_release(&c);
}

TEST(values)
{
	struct loli_config c = {0};

	CHECK_EQ(parse(&c, "mode:loose\nbuild:instrumented\n"), ST_OK);
	CHECK_EQ(c.mode, LOLI_MODE_LOOSE);
	CHECK_EQ(c.build, LOLI_BUILD_INSTRUMENTED);
	CHECK(!c.has_threshold && !c.hook_mmap);
	CHECK_EQ(parse(&c, "mode:whatever\n"), ST_OK); /* as on the device */
	CHECK_EQ(c.mode, LOLI_MODE_NOSTACK);
	CHECK_EQ(parse(&c, "threshold:-1\nhook:malloc\nno colon\n\n"), ST_OK);
	CHECK(!c.has_threshold);
	CHECK_EQ(c.mode, LOLI_MODE_UNKNOWN);
	CHECK_EQ(c.refused, 2);
	CHECK_EQ(parse(&c, "threshold:99999999999999999999\nmode:strict"), ST_OK);
	CHECK_EQ(c.refused, 1);
	CHECK_EQ(parse(&c, ""), ST_BAD);
	CHECK_EQ(parse(&c, "key:value\n"), ST_BAD);
	loli_config_release(&c);
}

TEST_MAIN()
