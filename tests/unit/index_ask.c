/* SPDX-License-Identifier: MIT
 *
 * An index that leaves all to the engine (lib/index/cache.h): the answers are as without one.
 */
#include "lib/base/err.h"
#include "lib/index/cache.h"
#include "lib/index/cache_dir.h"
#include "lib/index/index_format.h"
#include "tests/unit/dwarf_fast.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 4 }; /* functions, of 0x10 bytes each */

struct place {
	char dir[64], binary[80], cache[80], index[400];
};

/* Two units, so that several workers have one each. */
static bool write_binary(const char *path)
{
	struct dwarf_bytes d = {.big = false};
	FILE *f = fopen(path, "wb");
	bool ok = f;

	usual_abbrevs(&d);
	for (uint64_t i = 0; i < N; i += 2) {
		uint64_t lo = TEXT + 0x10 * i;
		char name[] = {'f', (char)('0' + i), 0};

		begin_unit(&d, 4, UT_COMPILE, 0);
		u8(&d, UNIT_NOTHING);
		text(&d, "/comp");
		function(&d, PLAIN, name, lo, 0x10);
		name[1]++;
		function(&d, PLAIN, name, lo + 0x10, 0x10);
		u8(&d, 0);
		end_unit(&d);
	}
	make_file(&d);
	ok = ok && fwrite(d.file.data, 1, d.file.len, f) == d.file.len;
	if (f)
		ok &= !fclose(f);
	release(&d);
	return ok;
}

/* The one file of the cache with the suffix of an index. */
static bool find_index(struct place *p)
{
	DIR *dir = opendir(p->cache);
	struct dirent *x;
	bool found = false;

	while (dir && (x = readdir(dir))) {
		size_t n = strlen(x->d_name), suffix = strlen(CACHE_SUFFIX);

		if (n <= suffix || strcmp(x->d_name + n - suffix, CACHE_SUFFIX) != 0)
			continue;
		snprintf(p->index, sizeof p->index, "%s/%s", p->cache, x->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* In the place of a real index, and with its key: n calls, and no stretch but one for the
 * engine. */
static bool ask_for_all(const char *path, size_t n)
{
	uint8_t header[INDEX_HEADER];
	struct dwarf_whole w = {.n = 0};
	struct err e = ERR_INIT;
	uint64_t size;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	bool ok =
	    fd >= 0 && pread(fd, header, sizeof header, 0) == INDEX_HEADER && !ftruncate(fd, 0);

	dwarf_answers_init(&w.answers, 0);
	while (w.answers.n_calls < n) {
		char name[24];
		int len = snprintf(name, sizeof name, "other %zu", w.answers.n_calls);
		struct dwarf_call c = {.line = 7};

		c.function = intern_add(&w.answers.strings, name, (size_t)len);
		dwarf_answers_call(&w.answers, &c);
	}
	VEC_PUSH(w.all, w.n, w.cap) = (struct dwarf_stretch){TEXT, 0, DWARF_ASK};
	ok = ok && !index_write(fd, &w, NULL, header + INDEX_KEY_AT, le32(header + 32), &size, &e);
	dwarf_whole_release(&w);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* "f0 f1 f2 f3 ", as far as the answers know. */
static void ask_all(struct place *p, unsigned jobs, bool cached, struct buf *out)
{
	const uint64_t addrs[N] = {TEXT, TEXT + 0x10, TEXT + 0x20, TEXT + 0x30};
	struct dwarf_options options = {.jobs = jobs, .seconds = 60};
	struct dwarf_answers a;
	struct dwarf_job job = {.addrs = addrs, .n = N, .out = &a};
	struct index_cache c;
	struct err e = ERR_INIT;

	out->len = 0;
	if (!CHECK_EQ(object_open(&job.object, p->binary, &e), ST_OK))
		return;
	cache_init(&c, &(struct cache_options){.dir = p->cache, .off = !cached});
	dwarf_answers_init(&a, N);
	CHECK_EQ(cache_run(&c, &job, 1, &options, &e), ST_OK);
	CHECK(!cache_next_message(&c)); /* the index was taken */
	for (size_t i = 0; i < N; i++) {
		struct dwarf_call x;
		bool there = dwarf_call_at(&a, a.of[i].call, &x);

		buf_addf(out, "%s ", there ? dwarf_text(&a, x.function, NULL) : "?");
	}
	dwarf_answers_release(&a);
	cache_release(&c);
	object_free(job.object);
}

static bool build_index(struct place *p)
{
	struct dwarf_options options = {.jobs = 1, .seconds = 60};
	struct object *o;
	struct index_cache c;
	struct err e = ERR_INIT;
	uint64_t size;
	bool ok;

	if (object_open(&o, p->binary, &e))
		return false;
	cache_init(&c, &(struct cache_options){.dir = p->cache});
	ok = !cache_prewarm(&c, o, &options, &size, &e);
	cache_release(&c);
	object_free(o);
	return ok && find_index(p);
}

static void place_remove(struct place *p)
{
	DIR *dir = opendir(p->cache);
	struct dirent *x;

	while (dir && (x = readdir(dir)))
		if (x->d_name[0] != '.' || (x->d_name[1] && x->d_name[1] != '.'))
			unlinkat(dirfd(dir), x->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(p->cache);
	unlink(p->binary);
	rmdir(p->dir);
}

/* Numbers of calls and strings around the end of a store's block, where the engine's would begin
 * if they followed those of the index. */
TEST(all_is_to_be_asked)
{
	static const size_t counts[] = {2, STORE_BLOCK - 2, STORE_BLOCK - 1, STORE_BLOCK,
					STORE_BLOCK + 1};
	static const unsigned jobs[] = {1, 8};
	struct place p = {.dir = "/tmp/index_ask.XXXXXX"};
	struct buf out = BUF_INIT;

	if (!CHECK(mkdtemp(p.dir)))
		return;
	snprintf(p.binary, sizeof p.binary, "%s/binary", p.dir);
	snprintf(p.cache, sizeof p.cache, "%s/cache", p.dir);
	if (CHECK(write_binary(p.binary)) && CHECK(build_index(&p)))
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
			if (!CHECK(ask_for_all(p.index, counts[i])))
				break;
			for (size_t k = 0; k < 2; k++) {
				ask_all(&p, jobs[k], true, &out);
				CHECK_STR(buf_str(&out), "f0 f1 f2 f3 ");
				ask_all(&p, jobs[k], false, &out);
				CHECK_STR(buf_str(&out), "f0 f1 f2 f3 ");
			}
		}
	place_remove(&p);
	buf_release(&out);
}

TEST_MAIN()
