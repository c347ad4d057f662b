/* SPDX-License-Identifier: MIT
 *
 * Inputs larger than every buffer on their way, packed in every way: a reader sees the same bytes
 * from a file, a redirected file and a pipe, whether it reads on, asks for more than a window at
 * once, goes back to the beginning or reads in any order.
 */
#include "tests/unit/input.h"
#include "tests/unit/packed.h"

enum { WINDOW = 512 << 10 };
enum from { FROM_FILE, FROM_REDIRECTED, FROM_PIPE, FROMS };

static const char *const from_names[FROMS] = {"file", "redirected file", "pipe"};

struct given {
	struct buf plain, packed;
	struct input in;
	struct err e;
	struct input_digest digest;
};

/* Bytes that no compressor makes smaller: what is packed is larger than every buffer, too. */
static void fill_noise(struct buf *b, size_t n)
{
	uint64_t x = 88172645463325252u;

	while (b->len < n) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		buf_add(b, (const char *)&x, sizeof x);
	}
	b->len = n;
}

/* Reads n bytes as one token and compares them. */
static bool token(struct given *g, size_t n)
{
	uint64_t at = cursor_offset(&g->in.cur);
	const uint8_t *p = cursor_bytes(&g->in.cur, n, "token");

	return p && at + n <= g->plain.len && !memcmp(p, g->plain.data + at, n);
}

/* Reads to the end, by windows. */
static bool rest(struct given *g)
{
	while (!cursor_done(&g->in.cur))
		if (!token(g, cursor_window(&g->in.cur)))
			return false;
	return !g->in.cur.failed && cursor_offset(&g->in.cur) == g->plain.len;
}

static bool reads_on(struct given *g)
{
	return rest(g);
}

static bool reads_a_large_token(struct given *g)
{
	return token(g, 3) && token(g, g->plain.len - 10) && rest(g);
}

/* The window has grown by the large token when the file begins anew; once more, it has by what
 * the decoder gives at once. */
static bool goes_back(struct given *g)
{
	const uint8_t *head;
	size_t n;

	if (input_head(&g->in, &head, &n) || input_keep(&g->in))
		return false;
	for (int pass = 0; pass < 3; pass++)
		if (!token(g, pass == 1 ? g->plain.len - 1 : 100) || input_rewind(&g->in) ||
		    (pass && !rest(g)) || input_rewind(&g->in))
			return false;
	return rest(g);
}

static bool goes_back_from_the_end(struct given *g)
{
	return !input_keep(&g->in) && rest(g) && !input_rewind(&g->in) && rest(g) &&
	       !input_rewind(&g->in) && token(g, WINDOW + 1) && rest(g);
}

static bool piece(struct given *g, size_t at, void *p, size_t n)
{
	return !input_at(&g->in, at, p, n, "piece", &g->e) && !memcmp(p, g->plain.data + at, n);
}

static bool reads_in_any_order(struct given *g)
{
	size_t n = g->plain.len;
	uint8_t *p = malloc(n);
	bool ok;

	ok = p && !input_random(&g->in, &g->e) && g->in.size == n && piece(g, n - 1, p, 1) &&
	     piece(g, 0, p, n) && piece(g, WINDOW - 3, p, WINDOW) && piece(g, n, p, 0) &&
	     input_at(&g->in, n - 1, p, 2, "piece", &g->e) == ST_BAD;
	free(p);
	return ok;
}

/* The raw bytes distinguish a file from others, however it is read. */
static bool is_distinct_from_others(struct given *g)
{
	struct input_digest want = {0};
	bool same;

	digest_add(&want, g->packed.data, g->packed.len);
	digest_end(&want);
	same = !input_keep(&g->in) && token(g, WINDOW + 1) && !input_rewind(&g->in) && rest(g) &&
	       !input_digest(&g->in, &g->e) && g->digest.hash == want.hash &&
	       g->digest.bytes == g->packed.len;
	digest_release(&want);
	return same;
}

/* And so do those of a damaged one, of which the readers see a part. */
static bool damaged_is_told(struct given *g)
{
	struct input_digest want = {0};
	struct err e = ERR_INIT;
	bool same;

	digest_add(&want, g->packed.data, g->packed.len);
	digest_end(&want);
	same = input_random(&g->in, &g->e) == ST_BAD && !input_digest(&g->in, &e) &&
	       g->digest.hash == want.hash && g->digest.bytes == g->packed.len;
	digest_release(&want);
	return same;
}

static const struct {
	const char *name;
	bool (*read)(struct given *g);
} ways[] = {
    {"reads on", reads_on},
    {"reads a large token", reads_a_large_token},
    {"goes back", goes_back},
    {"goes back from the end", goes_back_from_the_end},
    {"reads in any order", reads_in_any_order},
    {"is told from others", is_distinct_from_others},
    {"damaged, is told from others", damaged_is_told},
};
enum { DAMAGED = sizeof ways / sizeof *ways - 1 };

static void read_from(struct given *g, enum from from, size_t way, const char *packing)
{
	int saved = -1;
	pid_t pid = 0;
	bool ok;

	g->e = (struct err)ERR_INIT;
	g->digest = (struct input_digest){0};
	if (from == FROM_PIPE) {
		pid = pipe_to_stdin(&g->packed, &saved);
	} else if (from == FROM_REDIRECTED) {
		saved = dup(0);
		CHECK(freopen(path, "r", stdin) != NULL);
	}
	ok = !input_open(&g->in, from == FROM_FILE ? path : "-", &g->e);
	if (ok && (ways[way].read == is_distinct_from_others || way == DAMAGED))
		input_want_digest(&g->in, &g->digest);
	if (!CHECK(ok && ways[way].read(g)))
		printf("    %s, %s, %s: %s\n", packing, from_names[from], ways[way].name, g->e.msg);
	input_close(&g->in);
	digest_release(&g->digest);
	if (from == FROM_PIPE) {
		restore_stdin(pid, saved);
	} else if (from == FROM_REDIRECTED) {
		dup2(saved, 0);
		close(saved);
	}
}

static void every_way(enum packing how, size_t n)
{
	struct given g = {.plain = BUF_INIT, .packed = BUF_INIT};

	fill_noise(&g.plain, n);
	CHECK(pack(&g.packed, how, g.plain.data, n));
	CHECK(g.packed.len > 2 * WINDOW);
	write_file(g.packed.data, g.packed.len);
	for (int from = 0; from < FROMS; from++)
		for (size_t way = 0; way < DAMAGED; way++)
			read_from(&g, (enum from)from, way, packing_kinds[how].name);
	buf_release(&g.plain);
	buf_release(&g.packed);
}

TEST(not_packed)
{
	every_way(PACK_NOT, 5000000);
}

TEST(gzip)
{
	every_way(PACK_GZIP, 2000000);
}

/* As slow as they are small. */
TEST(bzip2_and_xz)
{
	every_way(PACK_BZIP2, 1200000);
	every_way(PACK_XZ, 1200000);
}

TEST(zstd)
{
	every_way(PACK_ZSTD, 5000000);
	every_way(PACK_ZSTD_LONG, 5000000);
	every_way(PACK_ZSTD_SKIPPED, 2000000);
}

/* 4 MiB come at once. */
TEST(lz4)
{
	every_way(PACK_LZ4_SMALL, 2000000);
	every_way(PACK_LZ4_LARGE, 9000000);
	every_way(PACK_LZ4_SKIPPED, 2000000);
}

/* A frame's magic number is overwritten where a window and more are still to come. */
TEST(damaged)
{
	struct given g = {.plain = BUF_INIT, .packed = BUF_INIT};

	for (enum packing how = PACK_ZSTD; how <= PACK_LZ4_LARGE; how++) {
		size_t half;

		if (how == PACK_ZSTD_LONG || how == PACK_ZSTD_SKIPPED)
			continue;
		g.plain.len = g.packed.len = 0;
		fill_noise(&g.plain, 2 * WINDOW);
		CHECK(pack(&g.packed, how, g.plain.data, g.plain.len));
		half = g.packed.len;
		CHECK(pack(&g.packed, how, g.plain.data, g.plain.len));
		memset(g.packed.data + half, 'x', 4);
		write_file(g.packed.data, g.packed.len);
		for (int from = 0; from < FROMS; from++)
			read_from(&g, (enum from)from, DAMAGED, packing_kinds[how].name);
	}
	buf_release(&g.plain);
	buf_release(&g.packed);
}

TEST_MAIN()
