/* SPDX-License-Identifier: MIT
 *
 * second_reader [--unpack] < TRACE: a second reader of the trace stream, written from tracemill-trace(5)
 * and sharing no code with the first. It prints the lines that tm-dump(1) describes;
 * tests/sh/man_trace.sh compares them. Any damage ends it with status 1. With --unpack it writes the
 * bytes of the payloads instead, unpacked.
 */
#include "testdata/gen/second_reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

static void escaped(struct text t)
{
	putchar('"');
	for (size_t i = 0; i < t.n; i++) {
		if (t.s[i] == '"' || t.s[i] == '\\')
			printf("\\%c", t.s[i]);
		else
			putchar(t.s[i]);
	}
	putchar('"');
}

static void named(const char *key, enum table strings, uint64_t string)
{
	if (!string)
		return;
	printf(" %s=", key);
	escaped(tables[strings].rows[string].text);
}

static void hex(const char *key, enum table strings, uint64_t string)
{
	struct text t;

	if (!string)
		return;
	t = tables[strings].rows[string].text;
	printf(" %s=", key);
	for (size_t i = 0; i < t.n; i++)
		printf("%02x", t.s[i]);
}

static void number(const char *key, uint64_t v)
{
	if (v)
		printf(" %s=%" PRIu64, key, v);
}

static const char *const kinds[] = {"unstated", "return", "exact", "entry"};

static void print_call(uint64_t call)
{
	for (; call; call = tables[CALLS].rows[call].v[0]) {
		const uint64_t *v = tables[CALLS].rows[call].v;

		printf("\n  call");
		if (v[1]) {
			const uint64_t *f = tables[FUNCTIONS].rows[v[1]].v;

			named("function", SYMBOL_STRINGS, f[1]);
			if (f[0] != f[1])
				named("raw", SYMBOL_STRINGS, f[0]);
		}
		named("file", SYMBOL_STRINGS, v[2]);
		number("line", v[3]);
		number("column", v[4]);
	}
}

static void print_binding(size_t i, const uint64_t *v)
{
	static const char *const tiers[] = {"nothing", "module", "name", "line"};
	static const char *const reasons[] = {"resolved",
					      "not symbolized",
					      "the capture does not know the address",
					      "no module maps it",
					      "no file for its module",
					      "build-id differs",
					      "its module's file is unreadable",
					      "file offset or vaddr: nothing decides",
					      "outside every segment of its module",
					      "no function or symbol covers it",
					      "name only: no DWARF for it",
					      "malformed DWARF",
					      "gave up: limit of time or memory"};

	printf("binding %zu %s \"%s\"", i, tiers[v[1] & 3],
	       v[0] == 5 && v[2] & 16 ? "module was replaced: its file is another one"
				      : reasons[v[0] % 13]);
	if (v[3]) {
		named("object", SYMBOL_STRINGS, tables[OBJECTS].rows[v[3]].v[0]);
		printf(" vaddr=0x%" PRIx64 " kind=%s", v[4], kinds[v[1] >> 3 & 3]);
	}
	printf("%s%s%s%s%s", v[2] & 1 ? " from-symbol-table" : "",
	       v[2] & 2 ? " guess:symbol-without-size" : "", v[2] & 4 ? " bits-cleared" : "",
	       v[2] & 8 ? " folded" : "", v[2] & 32 ? " local" : "");
	print_call(v[5]);
}

static void print_module(size_t i, const struct row *r)
{
	printf("module %zu", i);
	named("name", STRINGS, r->v[0]);
	number("process", r->v[1]);
	number("epoch-from", r->v[2]);
	number("epoch-to", r->v[3]);
	hex("build-id", STRINGS, r->v[4]);
	if (r->v[5])
		printf(" slide=0x%" PRIx64, r->v[6]);
	for (uint64_t k = 0; k < r->v[7]; k++)
		printf(" %" PRIx64 "-%" PRIx64 "%s@%" PRIx64, r->ranges[k].lo,
		       r->ranges[k].lo + r->ranges[k].size, r->ranges[k].executable ? "x" : "",
		       r->ranges[k].offset);
}

static void print_location(size_t i, const uint64_t *v)
{
	static const char *const spaces[] = {"runtime",         "file-offset", "vaddr",
					     "offset-or-vaddr", "name",        "unknown"};

	printf("location %zu %s %s", i, spaces[v[0]], kinds[v[1]]);
	if (v[0] < 4)
		printf(" 0x%" PRIx64, v[2]);
	number("module", v[3]);
	number("process", v[4]);
	number("epoch", v[5]);
	named("name", STRINGS, v[6]);
	named("file", STRINGS, v[7]);
	number("line", v[8]);
}

static void print_row(enum table kind, size_t i)
{
	const struct row *r = &tables[kind].rows[i];
	const uint64_t *v = r->v;

	switch (kind) {
	case MODULES: print_module(i, r); break;
	case LOCATIONS: print_location(i, v); break;
	case MODULE_FILES:
		printf("module-file module=%" PRIu64, v[0]);
		number("device", v[1]);
		number("inode", v[2]);
		number("size", v[3]);
		if (v[4])
			printf(" modified=%" PRId64, (int64_t)v[4]);
		break;
	case LOCATION_NAMES:
		printf("location-name location=%" PRIu64, v[0]);
		named("name", STRINGS, v[1]);
		break;
	case STACKS:
		printf("stack %zu location=%" PRIu64, i, v[1]);
		number("parent", v[0]);
		break;
	case TYPES:
		printf("type %zu", i);
		named("name", STRINGS, v[0]);
		break;
	case THREADS:
		printf("thread %zu tid=%" PRIu64, i, v[1]);
		number("process", v[0]);
		number("generation", v[2]);
		named("name", STRINGS, v[3]);
		break;
	case MARKERS:
	case COUNTERS:
		printf("%s %zu", kind == MARKERS ? "marker" : "counter", i);
		named("name", STRINGS, v[0]);
		named(kind == MARKERS ? "category" : "unit", STRINGS, v[1]);
		break;
	default: print_binding(i, v); break;
	}
	putchar('\n');
}

static void begin(void)
{
	static const char *const names[] = {"count", "requested", "real", "live", "time"};
	static const char *const states[] = {"absent", "exact", "lower-bound", "estimated"};

	capture.begun = 1;
	printf("capture%s", capture.flags & 1 ? " unordered" : "");
	for (int m = 0; m < 5; m++)
		printf(" %s=%s%s", names[m], states[capture.state[m] & 3],
		       capture.state[m] && capture.key[m] == 1 ? "@type" : "");
	putchar('\n');
	for (size_t i = 0; i < capture.n_attributes; i++) {
		printf("attribute %.*s=", (int)capture.attributes[i][0].n,
		       (const char *)capture.attributes[i][0].s);
		escaped(capture.attributes[i][1]);
		putchar('\n');
	}
}

static void print_tables(void)
{
	static const enum table order[] = {MODULES,  MODULE_FILES, LOCATIONS, LOCATION_NAMES,
					   STACKS,   TYPES,        THREADS,   MARKERS,
					   COUNTERS, BINDINGS};

	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		while (tables[order[k]].shown + 1 < tables[order[k]].n)
			print_row(order[k], ++tables[order[k]].shown);
}

static const char *const event_names[] = {"?",      "frame",      "alloc",  "free",
					  "freed",  "type-total", "enter",  "exit",
					  "sample", "counter",    "object", "reference"};

static void print_event(uint64_t kind, uint64_t mask, const uint64_t *v)
{
	static const char *const domains[] = {"malloc", "pool", "mmap", "mono", "lua"};
	static const struct {
		int bit;
		const char *key;
	} order[] = {{9, "value"},   {0, "seq"},     {6, "time"},  {8, "thread"},
		     {1, "address"}, {12, "target"}, {7, "count"}, {2, "requested"},
		     {3, "real"},    {4, "type"},    {5, "stack"}};

	fputs(event_names[kind], stdout);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		uint64_t x = v[order[i].bit];

		if (!(mask >> order[i].bit & 1))
			continue;
		if (order[i].bit == 1 || order[i].bit == 12)
			printf(" %s=0x%" PRIx64, order[i].key, x);
		else if (order[i].bit == 6 || order[i].bit == 9)
			printf(" %s=%" PRId64, order[i].key, (int64_t)x);
		else
			printf(" %s=%" PRIu64, order[i].key, x);
	}
	if (mask & 1 << 11)
		printf(" domain=%s", v[11] < 5 ? domains[v[11]] : "?");
	if (mask & 1 << 10)
		named("name", STRINGS, v[10]);
	putchar('\n');
}

static void events(struct bytes *b)
{
	uint64_t seq = 0, address = 0, time = 0;

	while (b->p < b->end) {
		uint64_t kind = fixed(b, 1), length = uleb(b), mask, v[13] = {0};
		struct bytes f = {b->p, b->p + length};

		if (length > (uint64_t)(b->end - b->p))
			damage(b->p, "event is cut");
		b->p += length;
		if (kind < 1 || kind > 11)
			continue;
		mask = uleb(&f);
		for (int bit = 0; bit < 13; bit++) {
			if (!(mask >> bit & 1))
				continue;
			switch (bit) {
			case 0: v[bit] = seq += zig(&f); break;
			case 1: v[bit] = address += zig(&f); break;
			case 4:
				v[bit] = id(&f, kind == 9                ? COUNTERS
						: kind >= 6 && kind <= 8 ? MARKERS
									 : TYPES);
				break;
			case 5: v[bit] = id(&f, STACKS); break;
			case 6: v[bit] = time += zig(&f); break;
			case 8: v[bit] = id(&f, THREADS); break;
			case 9: v[bit] = zig(&f); break;
			case 10: v[bit] = id(&f, STRINGS); break;
			default: v[bit] = uleb(&f); break;
			}
		}
		capture.events[kind]++;
		print_tables();
		print_event(kind, mask, v);
	}
}

enum { EVENTS_MAX = 65536 };

static struct made { /* what was unpacked: texts point there until the capture ends */
	struct made *before;
	unsigned char bytes[];
} * last_made;

static struct bytes unpacked(struct bytes *b, size_t n, size_t packed)
{
	struct made *m = malloc(sizeof *m + n + 1);

	if (packed > (size_t)(b->end - b->p))
		damage(b->p, "ends within packed bytes");
	if (!m)
		exit(1);
	if (ZSTD_findFrameCompressedSize(b->p, packed) != packed ||
	    ZSTD_decompress(m->bytes, n, b->p, packed) != n)
		damage(b->p, "packed bytes are not what they should be");
	m->before = last_made;
	last_made = m;
	b->p += packed;
	return (struct bytes){m->bytes, m->bytes + n};
}

static struct bytes column(struct bytes *b, size_t *all)
{
	uint64_t n = uleb(b), packed = uleb(b);
	struct bytes c = {b->p, b->p + n};

	if (n > 1048576 || (*all += (size_t)n) > 1048576)
		damage(b->p, "columns of more than 1048576 bytes");
	if (packed) {
		c = unpacked(b, (size_t)n, (size_t)packed);
	} else {
		if (n > (uint64_t)(b->end - b->p))
			damage(b->p, "ends within a column");
		b->p += n;
	}
	if (unpack)
		fwrite(c.p, 1, (size_t)(c.end - c.p), stdout);
	return c;
}

struct times {
	uint64_t unit, n; /* values so far */
	const unsigned char *bits;
};

static uint64_t next_time(struct times *t, struct bytes *c, uint64_t *before)
{
	if (t->bits[t->n / 8] >> t->n % 8 & 1)
		*before += zig(c);
	t->n++;
	return *before * t->unit;
}

static void event_columns(struct bytes *b)
{
	uint64_t n = uleb(b), n_shapes = uleb(b), any = 0, before[13] = {0}, timed = 0;
	struct {
		uint64_t kind, mask;
	} shapes[256];
	struct bytes which = {NULL, NULL}, fields[64];
	struct times times = {0};
	size_t all = 0;

	if (n > EVENTS_MAX || n_shapes > 256 || (n && !n_shapes))
		damage(b->p, "too many events or shapes");
	for (uint64_t i = 0; i < n_shapes; i++) {
		shapes[i].kind = fixed(b, 1);
		any |= shapes[i].mask = uleb(b);
	}
	if (n_shapes > 1)
		which = column(b, &all);
	if (n_shapes > 1 && (uint64_t)(which.end - which.p) != n)
		damage(b->p, "not a shape for each event");
	for (int bit = 0; bit < 64; bit++)
		if (any >> bit & 1)
			fields[bit] = column(b, &all);
	if (unpack)
		return;
	for (uint64_t i = 0; i < n; i++) {
		unsigned shape = n_shapes > 1 ? which.p[i] : 0;

		if (shape >= n_shapes)
			damage(b->p, "a shape that is not there");
		timed += shapes[shape].mask >> 6 & 1;
	}
	if (any >> 6 & 1) {
		times.unit = uleb(&fields[6]);
		times.bits = fields[6].p;
		if ((timed + 7) / 8 > (uint64_t)(fields[6].end - fields[6].p))
			damage(b->p, "times are cut");
		fields[6].p += (timed + 7) / 8;
	}
	for (uint64_t i = 0; i < n; i++) {
		unsigned shape = n_shapes > 1 ? which.p[i] : 0;
		uint64_t kind = shapes[shape].kind, mask = shapes[shape].mask & 8191, v[13] = {0};

		for (int bit = 0; bit < 13; bit++) {
			if (!(mask >> bit & 1))
				continue;
			switch (bit) {
			case 0:
			case 1: v[bit] = before[bit] += zig(&fields[bit]); break;
			case 5: v[bit] = before[bit] += zig(&fields[bit]); break;
			case 6: v[bit] = next_time(&times, &fields[bit], &before[bit]); break;
			case 9: v[bit] = zig(&fields[bit]); break;
			default: v[bit] = uleb(&fields[bit]); break;
			}
		}
		if (kind < 1 || kind > 11)
			continue;
		refers(v[4], kind == 9 ? COUNTERS : kind >= 6 && kind <= 8 ? MARKERS : TYPES);
		refers(v[5], STACKS);
		refers(v[8], THREADS);
		refers(v[10], STRINGS);
		capture.events[kind]++;
		print_tables();
		print_event(kind, mask, v);
	}
	for (int bit = 0; bit < 13; bit++)
		if (any >> bit & 1 && fields[bit].p != fields[bit].end)
			damage(b->p, "a column is longer than its events");
}

static void totals(struct bytes *b)
{
	static const char *const severities[] = {"info", "guess", "loss"};
	uint64_t n = uleb(b);

	for (uint64_t k = 0; k < n; k++)
		if (uleb(b) != (k < 12 ? capture.events[k] : 0))
			damage(b->p, "other numbers of events");
	n = uleb(b);
	for (uint64_t k = 0; k < n && k < 8; k++)
		if (uleb(b) != (tables[STRINGS + k].n ? tables[STRINGS + k].n - 1 : 0))
			damage(b->p, "other numbers of rows");
	print_tables();
	for (size_t i = 1; i < tables[NOTES].n; i++) {
		printf("note %s", severities[tables[NOTES].rows[i].v[0] % 3]);
		number("count", tables[NOTES].rows[i].v[1]);
		putchar(' ');
		escaped(tables[NOTES].rows[i].text);
		putchar('\n');
	}
	printf("totals");
	for (int k = 1; k < 12; k++)
		number(event_names[k], capture.events[k]);
	printf(" locations=%zu stacks=%zu types=%zu modules=%zu\n",
	       tables[LOCATIONS].n - (tables[LOCATIONS].n > 0),
	       tables[STACKS].n - (tables[STACKS].n > 0), tables[TYPES].n - (tables[TYPES].n > 0),
	       tables[MODULES].n - (tables[MODULES].n > 0));
}

static void forget(void)
{
	for (int k = 0; k < KINDS; k++) {
		for (size_t i = 0; i < tables[k].n; i++)
			free(tables[k].rows[i].ranges);
		free(tables[k].rows);
	}
	while (last_made) {
		struct made *before = last_made->before;

		free(last_made);
		last_made = before;
	}
	memset(tables, 0, sizeof tables);
	memset(&capture, 0, sizeof capture);
}

static void one_capture(struct bytes *in)
{
	uint64_t kind = 0;
	int major;

	if (in->end - in->p < 16 || memcmp(in->p, "\211TMT\r\n\032\n", 8) != 0 || in->p[8] < 1 ||
	    in->p[8] > 2 || in->p[9])
		damage(in->p, "no trace of version 1 or 2 begins here");
	major = in->p[8];
	in->p += 16;
	while (kind != 12) {
		struct bytes b;
		uint64_t length, sum;

		kind = fixed(in, 4);
		length = fixed(in, 4);
		sum = fixed(in, 8);
		if (length > 1048576 || length > (uint64_t)(in->end - in->p))
			damage(in->p, "a chunk of illegal length");
		b = (struct bytes){in->p, in->p + length};
		in->p += length;
		if (XXH3_64bits_withSeed(b.p, (size_t)length, kind) != sum)
			damage(b.p, "checksum differs");
		if (major == 2 && kind >> 16 & 1) {
			uint64_t n = uleb(&b);

			if (n > 1048576)
				damage(b.p, "a chunk of illegal length");
			b = unpacked(&b, (size_t)n, (size_t)(b.end - b.p));
			kind -= 65536;
		}
		if (unpack)
			fwrite(b.p, 1, (size_t)(b.end - b.p), stdout);
		if (unpack) {
			if (kind == 13 && major == 2)
				event_columns(&b);
			continue;
		}
		if (kind != 1 && !capture.begun)
			begin();
		if (kind == 1)
			header(&b);
		else if (kind == 10)
			events(&b);
		else if (kind == 13 && major == 2)
			event_columns(&b);
		else if (kind == 12)
			totals(&b);
		else if (kind == 37) /* symbol notes: as notes */
			table(&b, NOTES);
		else if ((kind >= STRINGS && kind <= NOTES) || kind == MODULE_FILES ||
			 kind == LOCATION_NAMES || (kind >= SYMBOL_STRINGS && kind < KINDS))
			table(&b, (enum table)kind);
	}
	forget();
}

int main(int argc, char **argv)
{
	struct bytes in;
	size_t n = 0, cap = 1 << 20, got;

	unpack = argc > 1 && !strcmp(argv[1], "--unpack");
	start = malloc(cap);
	while (start && (got = fread(start + n, 1, cap - n, stdin)) > 0) {
		n += got;
		if (n == cap)
			start = realloc(start, cap *= 2);
	}
	if (!start)
		return 1;
	in = (struct bytes){start, start + n};
	while (in.p < in.end)
		one_capture(&in);
	free(start);
	return fflush(stdout) ? 1 : 0;
}
