/* SPDX-License-Identifier: MIT
 *
 * lib/base but for cursors and hashing, which have their own. Expected values come from the
 * definitions (Unicode, DWARF's LEB128, C's types), from xxHash's published vectors, or from a
 * naive second implementation.
 */
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/err.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/base/utf.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t random_state;

/* xorshift64: the same numbers in every run. */
static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* --- errors --- */

TEST(err_code_text_and_offset)
{
	struct err e = ERR_INIT;

	CHECK_EQ(err_set(&e, ST_LIMIT, "more than %d", 5), ST_LIMIT);
	CHECK_STR(e.msg, "more than 5");
	CHECK(e.offset == ERR_NO_OFFSET);
	CHECK_EQ(err_at(&e, ST_BAD, 17, "wrong"), ST_BAD);
	CHECK_EQ(e.code, ST_BAD);
	CHECK_EQ(e.offset, 17);
	CHECK_EQ(err_prefix(&e, "chunk %d", 3), ST_BAD);
	CHECK_STR(e.msg, "chunk 3: wrong");
	CHECK_EQ(e.offset, 17);
}

TEST(err_sys_adds_the_systems_text)
{
	struct err e = ERR_INIT;
	char want[200];

	errno = ENOENT;
	CHECK_EQ(err_sys(&e, "open"), ST_SYS);
	snprintf(want, sizeof want, "open: %s", strerror(ENOENT));
	CHECK_STR(e.msg, want);
	errno = EPIPE;
	CHECK_EQ(err_sys(&e, "write"), ST_PIPE);
}

TEST(err_long_text_is_cut)
{
	struct err e = ERR_INIT;
	char text[1000];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	err_set(&e, ST_BAD, "%s", text);
	CHECK_EQ(strlen(e.msg), sizeof e.msg - 1);
	for (int i = 0; i < 3; i++)
		err_prefix(&e, "%s", text);
	CHECK_EQ(strlen(e.msg), sizeof e.msg - 1);
	errno = EIO;
	err_sys(&e, "%s", text);
	CHECK_EQ(strlen(e.msg), sizeof e.msg - 1);
}

/* --- memory --- */

static void last_words(void)
{
	if (write(1, "  (out of memory, as asked)\n", 28) < 0)
		_exit(9);
}

/* Runs fn in a child; gives its exit status, or -1 when a signal ended it. */
static int status_of(void (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		mem_on_failure = last_words;
		fn();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void *volatile sink;

static void product_overflows(void)
{
	sink = mem_array(SIZE_MAX / 8, 16);
}

static void half_the_address_space(void)
{
	sink = mem_alloc((size_t)PTRDIFF_MAX + 1);
}

static void grow_without_end(void)
{
	size_t cap = 0;

	sink = mem_grow(NULL, &cap, SIZE_MAX / 2 + 2, 1);
}

static void arena_without_end(void)
{
	struct arena a = ARENA_INIT;

	sink = arena_alloc(&a, SIZE_MAX - 4);
}

TEST(mem_out_of_memory_is_exit_3)
{
	CHECK_EQ(status_of(product_overflows), 3);
	CHECK_EQ(status_of(half_the_address_space), 3);
	CHECK_EQ(status_of(grow_without_end), 3);
	CHECK_EQ(status_of(arena_without_end), 3);
}

TEST(mem_basics)
{
	char *zeros = mem_zarray(7, 3), *copy = mem_strdup("abc"), *part = mem_strndup("abc", 2);
	void *nothing = mem_array(0, 8);

	for (int i = 0; i < 21; i++)
		CHECK_EQ(zeros[i], 0);
	CHECK_STR(copy, "abc");
	CHECK_STR(part, "ab");
	CHECK(nothing != NULL);
	free(zeros);
	free(copy);
	free(part);
	free(nothing);
}

TEST(mem_vec_push_keeps_everything)
{
	struct {
		uint32_t *v;
		size_t n, cap;
	} a = {0};

	for (uint32_t i = 0; i < 1000; i++) {
		VEC_PUSH(a.v, a.n, a.cap) = i * 3;
		CHECK_EQ(a.n, i + 1);
		CHECK(a.n <= a.cap);
	}
	for (uint32_t i = 0; i < 1000; i++)
		CHECK_EQ(a.v[i], i * 3);
	free(a.v);
}

/* --- arena --- */

/* So that a stale pointer is seen under the address sanitizer, and costs nothing elsewhere. */
TEST(arrays_move_where_it_is_seen)
{
	int *v = NULL;
	size_t n = 0, cap = 0;
	unsigned moves = 0;

	VEC_PUSH(v, n, cap) = 0;
	for (int i = 1; i < 16; i++) { /* the room of the first block */
		uintptr_t before = (uintptr_t)v;

		VEC_PUSH(v, n, cap) = i;
		moves += (uintptr_t)v != before;
		CHECK_EQ(cap, 16);
	}
	CHECK_EQ(moves, MEM_MOVES ? 15 : 0);
	for (int i = 0; i < 16; i++)
		CHECK_EQ(v[i], i);
	free(v);
}

TEST(arena_blocks_do_not_overlap)
{
	enum { N = 3000 };
	struct arena a = ARENA_INIT;
	unsigned char *p[N];
	size_t size[N];
	bool sound = true;

	random_state = 1;
	for (size_t i = 0; i < N; i++) {
		size[i] = i % 500 == 499 ? 5u << 20 : random_u64() % 700;
		p[i] = arena_alloc(&a, size[i]);
		sound &= (uintptr_t)p[i] % 16 == 0;
		memset(p[i], (int)(i & 0xff), size[i]);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < size[i]; k++)
			sound &= p[i][k] == (i & 0xff);
	CHECK(sound);
	arena_release(&a);
	CHECK_EQ(a.total, 0);
	CHECK(!a.head);
	arena_release(&a);
}

TEST(arena_strings)
{
	struct arena a = ARENA_INIT;
	const char *p, *z;

	CHECK_STR(arena_strndup(&a, "abcdef", 3), "abc");
	CHECK_STR(arena_strndup(&a, NULL, 0), "");
	CHECK_MEM(arena_strndup(&a, "a\0b", 3), 4, "a\0b", 4);
	/* Texts lie close to each other, and what comes behind them is aligned all the same. */
	p = arena_strndup(&a, "xy", 2);
	CHECK(arena_strndup(&a, "", 0) == p + 3);
	CHECK_EQ((uintptr_t)arena_alloc(&a, 1) % 16, 0);
	z = arena_zalloc(&a, 100);
	for (int i = 0; i < 100; i++)
		CHECK_EQ(z[i], 0);
	arena_release(&a);
}

/* --- buffers --- */

TEST(buf_appends)
{
	struct buf b = BUF_INIT;

	CHECK_STR(buf_str(&b), "");
	CHECK_EQ(b.len, 0);
	buf_adds(&b, "ab");
	buf_addc(&b, 'c');
	buf_add(&b, "de", 1);
	buf_add(&b, NULL, 0);
	buf_addf(&b, " %d %s", -5, "x");
	buf_add_u64(&b, 0);
	buf_addc(&b, ' ');
	buf_add_u64(&b, UINT64_MAX);
	CHECK_STR(buf_str(&b), "abcd -5 x0 18446744073709551615");
	buf_release(&b);
	CHECK(!b.data && !b.len && !b.cap);
}

TEST(buf_long_format)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%5000d|", 7);
	CHECK_EQ(b.len, 5001);
	CHECK_EQ(b.data[4999], '7');
	CHECK_EQ(b.data[5000], '|');
	buf_release(&b);
}

TEST(buf_escapes_what_a_terminal_would_obey)
{
	static const struct {
		const char *in;
		size_t n;
		const char *out;
	} t[] = {
	    {"plain", 5, "plain"},
	    {"a\nb\tc\\", 6, "a\\nb\\tc\\\\"},
	    {"\x1b[31m", 5, "\\x1b[31m"},
	    {"\0\x7f", 2, "\\x00\\x7f"},
	    {"\xc3\xa9", 2, "\xc3\xa9"},                  /* e acute */
	    {"\xc2\x9b", 2, "\\xc2\\x9b"},                /* C1 CSI */
	    {"\xff\xc3", 2, "\\xff\\xc3"},                /* no UTF-8; and cut short */
	    {"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"},       /* a surrogate */
	    {"\xc2\xa0\xc2\xad", 4, "\xc2\xa0\\u{00ad}"}, /* a blank; a soft hyphen */
	    {"\xe2\x80\xae", 3, "\\u{202e}"},             /* right to left */
	    {"\xf3\xa0\x81\x81", 4, "\\u{e0041}"},        /* a tag */
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct buf b = BUF_INIT;

		buf_add_escaped(&b, t[i].in, t[i].n);
		CHECK_STR(buf_str(&b), t[i].out);
		buf_release(&b);
	}
}

/* Of tables: what a text was can be told from what is shown, and paths of Windows stay as they are. */
TEST(readable)
{
	const struct {
		const char *in;
		size_t n;
		const char *out;
	} t[] = {
	    {"C:\\new\\x64\\t.cpp", 16, "C:\\new\\x64\\t.cpp"},
	    {"\\\\host\\u\\", 9, "\\\\host\\u\\"},
	    {"a\nb\tc", 5, "a\\x{0a}b\\x{09}c"},
	    {"\x1b[31m\xff", 6, "\\x{1b}[31m\\x{ff}"},
	    {"\xc2\x9b", 2, "\\x{c2}\\x{9b}"},
	    {"\xe2\x80\xae", 3, "\\u{202e}"},
	    {"\\x{1b}", 6, "\\\\x{1b}"}, /* it is no ESC */
	    {"\\\\u{1b}", 7, "\\\\\\\\u{1b}"},
	    {"\\\x1b", 2, "\\\\\\x{1b}"},
	    {"\\", 1, "\\"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct buf b = BUF_INIT;

		buf_add_readable(&b, t[i].in, t[i].n);
		CHECK_STR(buf_str(&b), t[i].out);
		buf_release(&b);
	}
}

/* --- UTF --- */

TEST(utf8_every_code_point)
{
	bool sound = true;

	for (uint32_t c = 0; c < 0x110000; c++) {
		bool surrogate = c >= 0xd800 && c < 0xe000;
		size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		char s[4];
		uint32_t got = 0;

		/* RFC 3629, section 3. */
		s[0] = (char)(len == 1 ? c : (0xf00u >> len & 0xff) | c >> 6 * (len - 1));
		for (size_t i = 1; i < len; i++)
			s[i] = (char)(0x80 | (c >> 6 * (len - 1 - i) & 0x3f));
		sound &= utf8_next(s, len, &got) == (surrogate ? 0 : len);
		sound &= surrogate || got == c;
		sound &= utf8_next(s, len - 1, NULL) == 0;
	}
	CHECK(sound);
}

TEST(utf8_refuses)
{
	static const char *const bad[] = {"\x80",
					  "\xc0\x80",
					  "\xc1\xbf",
					  "\xe0\x80\x80",
					  "\xf0\x80\x80\x80",
					  "\xf4\x90\x80\x80",
					  "\xf5\x80\x80",
					  "\xff",
					  "\xc3("};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		CHECK_EQ(utf8_next(bad[i], strlen(bad[i]), NULL), 0);
		CHECK(!utf8_valid(bad[i], strlen(bad[i])));
	}
	CHECK(utf8_valid("", 0));
	CHECK(utf8_valid("a\xe2\x82\xac", 4));
	CHECK_EQ(utf8_add_repaired(&b, "a\xff\xe2\x82z", 5), 3);
	CHECK_STR(buf_str(&b), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
	buf_release(&b);
}

TEST(utf16_both_orders)
{
	/* "A", euro sign, U+1F600, a lone high and a lone low surrogate. */
	static const uint8_t big[] = {0x00, 0x41, 0x20, 0xac, 0xd8, 0x3d, 0xde,
				      0x00, 0xd8, 0x00, 0x00, 0x42, 0xdc, 0x00};
	static const char want[] = "A\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"
				   "B\xef\xbf\xbd";
	uint8_t little[sizeof big];
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof big; i++)
		little[i] = big[i ^ 1];
	CHECK_EQ(utf16_to_utf8(&b, big, sizeof big, true), 2);
	CHECK_STR(buf_str(&b), want);
	b.len = 0;
	CHECK_EQ(utf16_to_utf8(&b, little, sizeof little, false), 2);
	CHECK_STR(buf_str(&b), want);
	b.len = 0;
	CHECK_EQ(utf16_to_utf8(&b, big + 8, 2, true), 1); /* a high surrogate at the very end */
	CHECK_STR(buf_str(&b), "\xef\xbf\xbd");
	buf_release(&b);
}

/* --- numbers --- */

TEST(num_edges)
{
	uint64_t u = 0;
	int64_t i = 0;

	CHECK(num_dec("18446744073709551615", 20, &u) && u == UINT64_MAX);
	CHECK(!num_dec("18446744073709551616", 20, &u));
	CHECK(!num_dec("99999999999999999999", 20, &u));
	CHECK(!num_dec("", 0, &u) && !num_dec("+1", 2, &u) && !num_dec(" 1", 2, &u));
	CHECK(!num_dec("-1", 2, &u) && !num_dec("1a", 2, &u) && !num_dec("1\0", 2, &u));
	CHECK(num_hex("fFfFfFfFfFfFfFfF", 16, &u) && u == UINT64_MAX);
	CHECK(!num_hex("10000000000000000", 17, &u) && !num_hex("0x1", 3, &u) &&
	      !num_hex("g", 1, &u));
	CHECK(num_auto("0x1F", 4, &u) && u == 31);
	CHECK(num_auto("0X1f", 4, &u) && u == 31);
	CHECK(num_auto("017", 3, &u) && u == 17); /* never octal */
	CHECK(!num_auto("0x", 2, &u) && !num_auto("1f", 2, &u));
	CHECK(num_i64("9223372036854775807", 19, &i) && i == INT64_MAX);
	CHECK(!num_i64("9223372036854775808", 19, &i));
	CHECK(num_i64("-9223372036854775808", 20, &i) && i == INT64_MIN);
	CHECK(!num_i64("-9223372036854775809", 20, &i));
	CHECK(!num_i64("-", 1, &i) && !num_i64("", 0, &i) && !num_i64("--1", 3, &i));
	CHECK(num_i64("-0", 2, &i) && i == 0);
	CHECK_EQ(num_hex_digit('a'), 10);
	CHECK_EQ(num_hex_digit('F'), 15);
	CHECK_EQ(num_hex_digit('g'), -1);
	CHECK_EQ(num_hex_digit((char)0xff), -1);
}

/* Eight digits are read at a time: every byte in every place, beside each digit on its own. */
TEST(num_hex_of_every_byte)
{
	size_t wrong = 0;

	random_state = 5;
	for (unsigned i = 0; i < 16 * 256 * 4; i++) {
		size_t n = 1 + i / 256 % 16, at = random_u64() % n;
		uint64_t u = 0, v = random_u64(), want = 0;
		char text[17], ours[NUM_HEX_DIGITS];
		bool good = true;

		snprintf(text, sizeof text, i % 2 ? "%016" PRIx64 : "%016" PRIX64, v);
		num_hex_text(v, ours);
		wrong += i % 2 && memcmp(text, ours, sizeof ours) != 0;
		text[at] = (char)(i % 256);
		for (size_t k = 0; k < n; k++) {
			good &= num_hex_digit(text[k]) >= 0;
			want = want << 4 | (uint64_t)(num_hex_digit(text[k]) & 15);
		}
		wrong += num_hex(text, n, &u) != good || (good && u != want);
	}
	CHECK_EQ(wrong, 0);
}

TEST(hex_with_as_many_digits_as_it_needs)
{
	static const uint64_t t[] = {0,         1,          0xf,         0x10,
				     0xfffffff, 0x10000000, 0x123456789, UINT64_MAX};
	struct buf b = BUF_INIT;
	char want[24];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		for (int digits = 0; digits <= 16; digits += 4) {
			b.len = 0;
			buf_add_hex(&b, t[i], (unsigned)digits);
			snprintf(want, sizeof want, "%0*" PRIx64, digits, t[i]);
			CHECK_STR(buf_str(&b), want);
		}
	buf_release(&b);
}

/* --- sorting --- */

TEST(sort_is_stable_and_ascending)
{
	static const struct {
		size_t n;
		uint64_t mask;
	} t[] = {{0, 0},          {1, UINT64_MAX},    {2, 1},
		 {48, 0xff},      {49, 0xff},         {5000, 0},
		 {5000, 0xff00},  {5000, 7},          {5000, 0xf000000000000000u},
		 {20000, 0xffff}, {20000, UINT64_MAX}};

	random_state = 3;
	for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
		struct sort_item *v = mem_zarray(t[k].n, sizeof *v);
		uint64_t sum = 0;
		size_t wrong = 0;

		for (size_t i = 0; i < t[k].n; i++) {
			v[i] = (struct sort_item){random_u64() & t[k].mask, (uint32_t)i};
			sum += v[i].key ^ hash_u64(i);
		}
		sort_radix(v, t[k].n);
		for (size_t i = 0; i < t[k].n; i++) {
			sum -= v[i].key ^ hash_u64(v[i].index);
			wrong += i && (v[i - 1].key > v[i].key ||
				       (v[i - 1].key == v[i].key && v[i - 1].index >= v[i].index));
		}
		CHECK_EQ(wrong, 0);
		CHECK_EQ(sum, 0); /* the same pairs of key and index as before */
		free(v);
	}
}

static int base_by_key(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Items of few keys, with their places: sorted by key, and of one key by place. */
TEST(sort_stable_keeps_the_order_of_equal_items)
{
	static const size_t sizes[] = {0, 1, 2, 3, 17, 64, 1000, 4097};
	unsigned wrong = 0;

	for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
		size_t n = sizes[t];
		struct sort_item *v = mem_zarray(n + 1, sizeof *v);

		for (size_t i = 0; i < n; i++)
			v[i] = (struct sort_item){.key = i * 7919 % 13, .index = (uint32_t)i};
		sort_stable(v, n, sizeof *v, base_by_key);
		for (size_t i = 1; i < n; i++)
			wrong += v[i].key < v[i - 1].key ||
				 (v[i].key == v[i - 1].key && v[i].index < v[i - 1].index);
		free(v);
	}
	CHECK_EQ(wrong, 0);
}

TEST(sort_unique_says_where_each_key_went)
{
	static const struct {
		size_t n;
		uint64_t base, mask;
	} t[] = {{0, 0, 0},
		 {1, 5, UINT64_MAX},
		 {48, 0, 0xff},
		 {49, 1000, 0xff},
		 {5000, 7, 0},
		 {5000, 0x400000, 0xff00},
		 {20000, 0x7f0000000000, 0x1ffffff},
		 /* with 15 bits for an index: as many as fit, and one more */
		 {20000, 0, UINT64_MAX >> 15},
		 {20000, 0, UINT64_MAX >> 14},
		 {20000, 0, UINT64_MAX}};

	random_state = 4;
	for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
		uint64_t *before = mem_array(t[k].n, sizeof *before);
		uint64_t *keys = mem_array(t[k].n, sizeof *keys);
		uint32_t *at = mem_array(t[k].n, sizeof *at);
		size_t wrong = 0, left;

		for (size_t i = 0; i < t[k].n; i++)
			keys[i] = before[i] = t[k].base + (random_u64() & t[k].mask);
		left = sort_unique(keys, t[k].n, at);
		for (size_t i = 1; i < left; i++)
			wrong += keys[i - 1] >= keys[i];
		for (size_t i = 0; i < t[k].n; i++)
			wrong += at[i] >= left || keys[at[i]] != before[i];
		CHECK_EQ(wrong, 0);
		CHECK(left <= t[k].n && !left == !t[k].n);
		free(before);
		free(keys);
		free(at);
	}
}

/* --- threads --- */

struct counts {
	atomic_uint seen[1000];
	atomic_bool used[8];
	atomic_uint wrong;
	unsigned limit;
};

static void count_item(size_t item, unsigned worker, void *arg)
{
	struct counts *c = arg;

	atomic_fetch_add(&c->seen[item], 1);
	if (worker >= c->limit || atomic_exchange(&c->used[worker], true))
		atomic_fetch_add(&c->wrong, 1); /* two threads as one worker */
	atomic_store(&c->used[worker], false);
}

TEST(pool_runs_each_item_once)
{
	static const struct {
		unsigned threads;
		size_t n;
	} t[] = {{0, 5}, {1, 1000}, {2, 1000}, {8, 1000}, {8, 3}, {4, 0}};

	for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
		struct counts *c = mem_zalloc(sizeof *c);
		size_t wrong = 0;

		c->limit = t[k].threads ? t[k].threads : 1;
		pool_run(t[k].threads, t[k].n, count_item, c);
		for (size_t i = 0; i < 1000; i++)
			wrong += atomic_load(&c->seen[i]) != (i < t[k].n);
		CHECK_EQ(wrong, 0);
		CHECK_EQ(atomic_load(&c->wrong), 0);
		free(c);
	}
	CHECK(pool_cpus() >= 1);
}

TEST(nearest_numbers_stay_in_64_bits)
{
	CHECK_EQ(num_nearest(2.5), 3);
	CHECK_EQ(num_nearest(-2.5), -3);
	CHECK_EQ(num_nearest(-0x1p63), INT64_MIN);
	CHECK_EQ(num_nearest(0x1p63), INT64_MAX);
	CHECK_EQ(num_nearest(1e300), INT64_MAX);
	CHECK_EQ(num_nearest(-1e300 * 1e300), INT64_MIN);
	CHECK_EQ(num_nearest(0x1p62), INT64_C(1) << 62);
	CHECK_EQ(num_nearest(__builtin_nan("")), 0);
}

TEST_MAIN()
