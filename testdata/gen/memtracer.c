/* SPDX-License-Identifier: MIT
 *
 * A generator of MemTracer files, to standard output: the same bytes for the same options.
 *
 *	memtracer [--seed N] [--frames N | --bytes N[k|M|G]] [--types N] [--stacks N] [--depth N]
 *	          [--slide HEX] [--separator C] [--addresses FILE] [--variant NAME]
 *
 * --addresses: a file of numbers, one on each line, of which stacks are made in its order; each record
 * has the next stacks, so that all are met.
 *
 * Every type owns a share of the stacks, as in a real game. r is s rounded up to 16 bytes and
 * the sum of sz. Memory: the stack texts. The variants:
 *
 *	lines      one frame on each line (default)
 *	array      all frames in one array
 *	late       d before f, sz before st before t
 *	decoded    stacks as atos prints them
 *	truncated  ends within the last record
 *	negative, overflow, mistyped, fraction
 *	           every 10th record has such a field
 *	uneven     every 10th record lacks its last size
 *	over       in every 10th record the sizes sum to more than r
 *	token      in every 10th stack one entry is no address
 *	utf8       every 10th type name is not valid UTF-8
 *	deep       an unknown key with 1000 nested arrays
 *	million    one record whose stack has a million addresses
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small numbers are much more likely: a few types and stacks do most of the allocating. */
static uint32_t draw_skewed(uint32_t below)
{
	return draw(draw(draw(below) + 1) + 1);
}

struct text {
	char *s;
	size_t n;
};

struct options {
	uint64_t seed, frames, bytes, types, stacks, depth, slide;
	bool has_slide;
	char separator;
	const char *path; /* of the addresses; NULL: they are drawn */
	uint64_t *addresses;
	size_t n_addresses, cap_addresses, next_address, next_stack;
};

static void read_addresses(struct options *o)
{
	FILE *f = fopen(o->path, "r");
	uint64_t v;

	while (f && fscanf(f, "%" SCNx64, &v) == 1)
		VEC_PUSH(o->addresses, o->n_addresses, o->cap_addresses) = v;
	if (f)
		fclose(f);
	if (!o->n_addresses) {
		fprintf(stderr, "memtracer: %s: no addresses\n", o->path);
		exit(2);
	}
}

static struct text make_stack(struct options *o, bool decoded)
{
	struct buf b = BUF_INIT;

	for (uint64_t i = 0; i < o->depth; i++) {
		uint64_t at = o->path ? o->addresses[o->next_address++ % o->n_addresses] + o->slide
				      : 0x12b000000u + (uint64_t)draw(0x2000000) * 4;

		if (decoded)
			buf_addf(&b,
				 "Class%u_Run<int, %u>_m%08X (in UnityFramework) (Class%u.cpp:%u)",
				 (unsigned)(at % 997), (unsigned)(at % 7), (unsigned)at,
				 (unsigned)(at % 997), (unsigned)(at % 5000) + 1);
		else
			buf_addf(&b, "0x%" PRIx64, at);
		buf_addc(&b, o->separator);
	}
	return (struct text){b.data, b.len};
}

static void add_type(struct buf *b, uint32_t type, bool bad)
{
	static const char *const forms[] = {"String",   "Collider[]",   "List`1",
					    "<Run>d__", "Dictionary`2", "\xe5\xa0\x86\xe6\xa0\x88"};

	buf_addf(b, "\"t\":\"%s%u%s\"", forms[type % 6], type, bad ? "\xff" : "");
}

static void add_record(struct buf *b, struct options *o, const struct text *stacks, uint64_t number)
{
	bool tenth = number % 10 == 9;
	uint32_t type = draw_skewed((uint32_t)o->types);
	uint32_t n = 1 + draw(3), requested = 0, real = 0;
	struct buf st = BUF_INIT, sz = BUF_INIT, t = BUF_INIT;
	const char *before = "", *after = ""; /* around s */

	for (uint32_t i = 0; i < n; i++) {
		/* a type's stacks lie together */
		uint64_t k = o->path ? o->next_stack++ % o->stacks
				     : (type * 37u + draw_skewed(200)) % o->stacks;
		uint32_t size = 8 + draw_skewed(500);

		requested += size;
		size = (size + 15) / 16 * 16;
		real += size;
		buf_addf(&st, "%s\"", i ? "," : "");
		if (tenth && is("token"))
			buf_addf(&st, "0x1000%cnothing%c", o->separator, o->separator);
		else
			buf_add(&st, stacks[k].s, stacks[k].n);
		buf_addc(&st, '"');
		if (tenth && is("over"))
			size++;
		if (!(tenth && is("uneven") && i == n - 1))
			buf_addf(&sz, "%s%u", i ? "," : "", size);
	}
	if (tenth && is("uneven") && n == 1)
		sz.len = 0;
	add_type(&t, type, tenth && is("utf8"));
	if (tenth && is("negative"))
		before = "-";
	else if (tenth && is("overflow"))
		before = "9999999999999999999";
	else if (tenth && is("fraction"))
		after = ".5";
	else if (tenth && is("mistyped"))
		before = after = "\"";
	if (is("late")) {
		buf_addf(b, "{\"sz\":[%s],", sz.len ? buf_str(&sz) : "");
		buf_addf(b, "\"st\":[%s],\"r\":%u,\"s\":%u,", buf_str(&st), real, requested);
		buf_addf(b, "%s}", buf_str(&t));
	} else {
		buf_addf(b, "{%s,\"s\":%s%u%s,\"r\":%u,", buf_str(&t), before, requested, after,
			 real);
		buf_addf(b, "\"st\":[%s],\"sz\":[%s]}", buf_str(&st), sz.len ? buf_str(&sz) : "");
	}
	buf_release(&st);
	buf_release(&sz);
	buf_release(&t);
}

static void add_frame(struct buf *b, struct options *o, const struct text *stacks, uint64_t frame,
		      uint64_t *records)
{
	uint32_t n = draw(40);

	buf_addc(b, '{');
	if (is("deep") && frame == 9003) {
		buf_adds(b, "\"x\":");
		for (int i = 0; i < 1000; i++)
			buf_addc(b, '[');
		for (int i = 0; i < 1000; i++)
			buf_addc(b, ']');
		buf_addc(b, ',');
	}
	if (!is("late"))
		buf_addf(b, "\"f\":%" PRIu64 ",", frame);
	buf_adds(b, "\"d\":[");
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_addc(b, ',');
		add_record(b, o, stacks, (*records)++);
	}
	buf_addc(b, ']');
	if (is("late"))
		buf_addf(b, ",\"f\":%" PRIu64, frame);
	buf_addc(b, '}');
}

static void write_million(void)
{
	fputs("{\"f\":1,\"d\":[{\"t\":\"String\",\"s\":8,\"r\":16,\"st\":[\"", stdout);
	for (unsigned i = 0; i < 1000000; i++)
		printf("0x12b%06x;", i % 5000 * 4);
	fputs("\"],\"sz\":[16]}]}\n", stdout);
}

static void write_file(struct options *o)
{
	struct text *stacks = mem_array(o->stacks, sizeof *stacks);
	bool array = is("array");
	struct buf b = BUF_INIT;
	uint64_t bytes = 0, records = 0;

	random_state = o->seed * 2 + 1;
	if (o->path)
		read_addresses(o);
	for (uint64_t i = 0; i < o->stacks; i++)
		stacks[i] = make_stack(o, is("decoded"));
	if (array)
		putchar('[');
	if (o->has_slide)
		printf("{\"slide\":\"0x%" PRIx64 "\"}%s\n", o->slide, array ? "," : "");
	for (uint64_t f = 0; o->bytes ? bytes < o->bytes : f < o->frames; f++) {
		bool last = o->bytes ? false : f + 1 == o->frames;

		b.len = 0;
		if (array && f)
			buf_addc(&b, ',');
		add_frame(&b, o, stacks, 9000 + f, &records);
		buf_addc(&b, '\n');
		bytes += b.len;
		if (is("truncated") && last)
			b.len -= 10;
		if (fwrite(b.data, 1, b.len, stdout) != b.len)
			break;
	}
	if (array)
		puts("]");
	for (uint64_t i = 0; i < o->stacks; i++)
		free(stacks[i].s);
	free(stacks);
	free(o->addresses);
	buf_release(&b);
}

static bool parse_size(const char *s, uint64_t *v)
{
	size_t n = strlen(s);
	unsigned shift = 0;

	if (n && strchr("kMG", s[n - 1]))
		shift = s[--n] == 'k' ? 10 : s[n] == 'M' ? 20 : 30;
	if (!num_auto(s, n, v) || *v > UINT64_MAX >> shift)
		return false;
	*v <<= shift;
	return true;
}

int main(int argc, char **argv)
{
	struct options o = {
	    .frames = 50, .types = 300, .stacks = 5000, .depth = 10, .separator = ';'};
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
	    {"--seed", &o.seed},   {"--frames", &o.frames}, {"--bytes", &o.bytes},
	    {"--types", &o.types}, {"--stacks", &o.stacks}, {"--depth", &o.depth},
	    {"--slide", &o.slide},
	};

	variant = "lines";
	for (int i = 1; i + 1 < argc; i += 2) {
		bool known = true;

		if (!strcmp(argv[i], "--variant"))
			variant = argv[i + 1];
		else if (!strcmp(argv[i], "--separator"))
			o.separator = argv[i + 1][0];
		else if (!strcmp(argv[i], "--addresses"))
			o.path = argv[i + 1];
		else
			known = false;
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
			if (!strcmp(argv[i], numbers[k].name))
				known = parse_size(argv[i + 1], numbers[k].value);
		}
		o.has_slide |= !strcmp(argv[i], "--slide");
		if (!known) {
			fprintf(stderr, "memtracer: what is %s %s?\n", argv[i], argv[i + 1]);
			return 2;
		}
	}
	if (argc % 2 == 0 || !o.types || !o.stacks || o.types > 1000000 || o.stacks > 100000000) {
		fprintf(stderr, "usage: see testdata/gen/memtracer.c\n");
		return 2;
	}
	if (is("million"))
		write_million();
	else
		write_file(&o);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
