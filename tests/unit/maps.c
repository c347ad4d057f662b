/* SPDX-License-Identifier: MIT */
#include "tests/unit/loli.h"

/* The modules of a text, as lines; "" when it is refused. */
static const char *modules(struct collector *c, const char *p, size_t n)
{
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	struct cursor in;

	collect_release(c);
	cursor_init(&in, p, n, 0, &e);
	c->status = maps_read(&in, t, &e);
	c->e = e;
	if (!c->status)
		on_end(&c->sink, t, &e);
	trace_free(t);
	return buf_str(&c->notes);
}

TEST(smaps)
{
	struct collector c = {0};
	struct buf b = BUF_INIT;

	trap_bytes("good-smaps.maps", &b);
	modules(&c, b.data, b.len);
	CHECK_EQ(c.status, ST_OK);
	CHECK(has_line(&c.notes, "module /data/app/a b/libUE4.so 78606f4000-78660cd000+0 "
				 "78660cd000-7871ede000+59d8000x 7871ede000-78733dc000+117e8000 "
				 "78733dc000-7873496000+12ce5000"));
	/* one path, loaded twice */
	CHECK(has_line(&c.notes, "module /apex/one/libc.so 7900000000-7900040000+0 "
				 "7900040000-79000d0000+3f000x"));
	CHECK(has_line(&c.notes, "module /apex/one/libc.so 7a00000000-7a00040000+0 "
				 "7a00040000-7a000d0000+3f000x"));
	/* one page mapped twice is one load */
	CHECK(has_line(&c.notes, "module /vendor/tiny.so 7b00000000-7b00001000+0x "
				 "7b00001000-7b00002000+0"));
	CHECK(has_line(&c.notes, "module /data/app/base.apk 7b00100000-7b00200000+432000x"));
	CHECK(has_line(&c.notes, "module [vdso] 7ff0000000-7ff0001000+0x"));
	CHECK(!strstr(c.notes.data, "module [anon"));
	CHECK(!strstr(c.notes.data, "/dev/"));
	CHECK(noted(&c, "info", 1, "deleted"));
	CHECK(!strstr(c.notes.data, "loss"));
	buf_release(&b);
	collect_release(&c);
}

/* The numbers of LoliProfiler's pull request 50. */
TEST(file_offset)
{
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	struct buf b = BUF_INIT;
	struct cursor in;
	const struct module *m;

	trap_bytes("good-smaps.maps", &b);
	cursor_init(&in, b.data, b.len, 0, &e);
	CHECK_EQ(maps_read(&in, t, &e), ST_OK);
	m = trace_module_at(t, 0, 0, 0x78660cd100);
	if (CHECK(m != NULL)) {
		CHECK_STR(trace_text(t, m->name), "/data/app/a b/libUE4.so");
		CHECK_EQ(0x78660cd100 - m->ranges[1].lo + m->ranges[1].offset, 0x59d8100);
		CHECK_EQ(0x78660cd100 - m->ranges[0].lo, 0x59d9100);
	}
	CHECK(trace_module_at(t, 0, 0, 0x12c00010) == NULL);
	CHECK(trace_module_at(t, 0, 0, 0x7900040010) != trace_module_at(t, 0, 0, 0x7a00040010));
	buf_release(&b);
	trace_free(t);
}

TEST(refused_lines)
{
	struct collector c = {0};
	struct buf b = BUF_INIT;

	trap_bytes("lossy-lines.maps", &b);
	modules(&c, b.data, b.len);
	CHECK_EQ(c.status, ST_OK);
	CHECK(noted(&c, "loss", 5, "make no sense"));
	CHECK(noted(&c, "loss", 1, "over an earlier one"));
	CHECK(has_line(&c.notes, "module /c.so 1000-3000+0x"));
	CHECK(has_line(&c.notes, "module /h.so 9000-a000+0x"));
	CHECK(!strstr(c.notes.data, "/d.so"));
	buf_release(&b);

	modules(&c, "hello\nworld\n", 12);
	CHECK_EQ(c.status, ST_BAD);
	modules(&c, "", 0);
	CHECK_EQ(c.status, ST_BAD);
	collect_release(&c);
}

TEST(order)
{
	static const char text[] = "9000-a000 r-xp 00001000 0:0 1 /a.so\n"
				   "8000-9000 r--p 00000000 0:0 1 /a.so\n"
				   "1000-2000 r-xp 00000000 0:0 1 \n"
				   "3000-4000 r-xp 00000000 0:0 1";
	struct collector c = {0};

	modules(&c, text, sizeof text - 1);
	CHECK_EQ(c.status, ST_OK);
	CHECK(has_line(&c.notes, "module /a.so 8000-9000+0 9000-a000+1000x"));
	collect_release(&c);
}

TEST(own_process)
{
	struct collector c = {0};
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	struct input in;
	const struct module *m;
	char exe[4096] = "";

	if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0 ||
	    input_open(&in, "/proc/self/maps", &e))
		TEST_SKIP("no /proc");
	CHECK_EQ(maps_read(&in.cur, t, &e), ST_OK);
	m = trace_module_at(t, 0, 0, (uintptr_t)&test_own_process);
	if (CHECK(m != NULL))
		CHECK_STR(trace_text(t, m->name), exe);
	on_end(&c.sink, t, &e);
	CHECK(!strstr(c.notes.data, "loss"));
	trace_free(t);
	input_close(&in);
	collect_release(&c);
}

TEST_MAIN()
