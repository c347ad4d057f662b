/* SPDX-License-Identifier: MIT
 *
 * /proc/PID/maps and smaps (formats/maps.c, formats/smaps.h).
 */
#include "tests/unit/loli.h"

#include <fcntl.h>
#include <unistd.h>

/* The modules of a text, as lines; "" when it is refused. */
static const char *modules(struct collector *c, const char *p, size_t n)
{
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	struct cursor in;

	collect_release(c);
	cursor_init(&in, p, n, 0, &e);
	c->status = maps_read(&in, t, NULL, &e);
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
	CHECK_EQ(maps_read(&in, t, NULL, &e), ST_OK);
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
	CHECK(noted(&c, "loss", 5, "unreadable"));
	CHECK(noted(&c, "loss", 1, "overlap an earlier mapping"));
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

static struct smaps sizes_of(const char *text, size_t n)
{
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	struct smaps s = {.n = 0};
	struct cursor in;

	cursor_init(&in, text, n, 0, &e);
	CHECK_EQ(maps_read(&in, t, &s, &e), ST_OK);
	trace_free(t);
	return s;
}

static uint64_t kb_of(const struct smaps *s, const char *name, enum smaps_key key)
{
	uint32_t id = intern_find(&s->names, name, strlen(name));

	return id && id < s->n && s->items[id].has >> key & 1 ? s->items[id].kb[key] : UINT64_MAX;
}

TEST(sizes)
{
	static const char text[] =
	    "Pss:  1 kB\n" /* before any mapping */
	    "1000-2000 r--p 00000000 0:0 1 /data/a/libx.so\n"
	    "Size: 4 kB\nRss:\t10 kB\nPss: 7 kB\nPss_Dirty: 99 kB\n"
	    "3000-4000 r--p 00000000 0:0 2 /data/b/libx.so (deleted)\n"
	    "Pss: 5 kB\nPss: none\nVmFlags: rd\n"
	    "3800-5000 r--p 00000000 0:0 3 /over.so\nPss: 1000 kB\n"
	    "6000-7000 rw-p 00000000 0:0 0 \nPss: 2 kB\nSwapPss: 3 kB\n"
	    "9000-8000 rw-p 00000000 0:0 0 /absurd\nPss: 500 kB\n"
	    "a000-b000 rw-p 00000000 0:0 0 [heap]\nPss: 11 kB\n"
	    "c000-d000 rw-p 00000000 0:0 0 /huge\n"
	    "Pss: 18446744073709551615 kB\nRss: 99999999999999999999999 kB\n";
	struct smaps s = sizes_of(text, sizeof text - 1);

	CHECK_EQ(kb_of(&s, "libx.so", SMAPS_PSS), 12);
	CHECK_EQ(kb_of(&s, "libx.so", SMAPS_RSS), 10);
	CHECK_EQ(kb_of(&s, "libx.so", SMAPS_SWAP), UINT64_MAX); /* absent, not 0 */
	CHECK_EQ(kb_of(&s, "anonymous", SMAPS_PSS), 2);
	CHECK_EQ(kb_of(&s, "anonymous", SMAPS_SWAP_PSS), 3);
	CHECK_EQ(kb_of(&s, "[heap]", SMAPS_PSS), 11);
	CHECK_EQ(kb_of(&s, "over.so", SMAPS_PSS), UINT64_MAX);
	CHECK_EQ(kb_of(&s, "huge", SMAPS_PSS), UINT64_MAX);
	CHECK_EQ(s.items[0].kb[SMAPS_PSS], 25);
	CHECK_EQ(s.refused, 1);
	smaps_release(&s);
	s = sizes_of("1000-2000 r--p 0 0:0 1 /x\n", 25);
	CHECK_EQ(s.n, 0);
	smaps_release(&s);
}

/* Of a process that maps nothing while it is read: a sanitizer's allocator may, and what has grown since is
 * then twice in it. */
TEST(own_process)
{
	static char text[1 << 20];
	struct collector c = {0};
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const struct module *m;
	struct cursor in;
	size_t n = 0;
	ssize_t got;
	char exe[4096] = "";

	if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0 || fd < 0)
		TEST_SKIP("no /proc");
	while (n < sizeof text && (got = read(fd, text + n, sizeof text - n)) > 0)
		n += (size_t)got;
	close(fd);
	CHECK(n > 0 && n < sizeof text);
	cursor_init(&in, text, n, 0, &e);
	CHECK_EQ(maps_read(&in, t, NULL, &e), ST_OK);
	m = trace_module_at(t, 0, 0, (uintptr_t)&test_own_process);
	if (CHECK(m != NULL))
		CHECK_STR(trace_text(t, m->name), exe);
	on_end(&c.sink, t, &e);
	CHECK(!strstr(buf_str(&c.notes), "loss"));
	trace_free(t);
	collect_release(&c);
}

TEST_MAIN()
