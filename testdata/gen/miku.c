/* SPDX-License-Identifier: MIT
 *
 * A generator of captures of Miku-LuaProfiler, to standard output, the same bytes for the same
 * options, and to standard error their contents:
 *
 *	miku [--seed N] [--frames N] [--variant NAME] LAYOUT
 *
 *	FRAME PATH CALLS TOTAL SELF LUA MONO    of each node: ns, ns, own bytes, own bytes
 *
 * LAYOUT: A0 A1 A2 A3 B0 B1 C D E of files; wire4 wire31 wire30 wire23 beta tool of the stream.
 * Variants:
 *
 *	merged     frames, fps and heaps are 0: a result save
 *	heap       E, wire4: currentLuaMemory is the heap, Lua bytes are its growth
 *	unclamped, collapsed   the truth is that of these options
 *	trailing   E: bytes of a longer file behind the last root
 *	floats     fps and power that are no numbers, times and heaps below 0
 *	deep       one root of a chain of 100000 nodes
 *	wide       E: 70000 nodes below one, as the u16 count cannot say
 *	lying      the second root claims a node more than it has
 *	number     E: a string is defined with a number that is not the next
 *	lost       streams: the first definitions are cut off, and junk comes between messages
 *	again      streams: a second connection follows
 */
#include "testdata/gen/gen.h"
#include "testdata/gen/miku_bytes.h"

#include "lib/base/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { DEPTH_MOST = 6, WIDE = 70000, DEEP = 100000 };

static struct {
	uint64_t seed, frames;
	const char *layout_name;
	enum put_layout layout;
	bool wire, old;
} opt = {.frames = 4};

static const struct {
	const char *name, *shown;
} names[] = {
    {"[lua]:Main.Update,game/main&line:12", "Main.Update"},
    {"[lua]:UI:Refresh,game/ui/panel&line:40", "UI:Refresh"},
    {"[lua]:\xe6\xad\xa5,game/ui/panel&line:55", "\xe6\xad\xa5"},
    {"[lua]:,game/ui/panel&line:70", "function_<game/ui/panel:70>"},
    {"[lua]:require game/x,game/x&line:1", "require_game/x"},
    {"[lua]:load chunk", "load_chunk"},
    {"[lua]:coroutine.resume", "coroutine.resume"},
    {"[lua]:coroutine.resume step,game/co&line:7", "coroutine.resume_step"},
    {"exception happen clear stack", "exception_happen_clear_stack"},
    {"Physics, my own&line:x", "Physics,_my_own&line:x"},
};

static const char *shown(const char *name)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].name, name))
			return names[i].shown;
	return "?";
}

static struct put_node leaf(const char *name, int32_t frame)
{
	return (struct put_node){.name = name, .calls = 1, .frame = frame};
}

/* A chain of the same coroutine's resumes is what a second resume leaves. */
static void make(struct put_node *n, unsigned depth, int32_t frame)
{
	bool resume = strstr(n->name, "resume") && draw(2);
	int32_t own_time = (int32_t)draw(40);

	n->calls = 1 + (int32_t)draw(9);
	n->time = own_time;
	n->lua = (int32_t)draw(600);
	n->mono = (int32_t)draw(3) * 64;
	n->n = depth < DEPTH_MOST ? draw(4) : 0;
	if (resume && depth < DEPTH_MOST && !n->n)
		n->n = 1;
	n->below = n->n ? mem_zarray(n->n, sizeof *n->below) : NULL;
	for (uint32_t i = 0; i < n->n; i++) {
		n->below[i] = leaf(names[draw(sizeof names / sizeof *names)].name, frame);
		if (resume && i == 0)
			n->below[i].name = n->name;
		make(&n->below[i], depth + 1, frame);
		n->time += n->below[i].time;
		n->lua += n->below[i].lua;
		n->mono += n->below[i].mono;
	}
	if (!draw(7)) /* a collection fell in */
		n->lua -= 900;
	if (!draw(9))
		n->mono -= 300;
	n->current_mono = 9000000;
}

static void drop(struct put_node *n)
{
	for (uint32_t i = 0; i < n->n; i++)
		drop(&n->below[i]);
	free(n->below);
}

/* --- truth: what the tool would show --- */

static bool bytes_are_allocated(void)
{
	return opt.layout == PUT_E && !opt.old && !is("heap") && !is("merged");
}

/* As 3.1.4 does after reading: also a node without any below, whose sum is 0. */
static void raise_to_sums(struct put_node *n)
{
	int64_t lua = 0, mono = 0;

	for (uint32_t i = 0; i < n->n; i++) {
		raise_to_sums(&n->below[i]);
		lua += n->below[i].lua;
		mono += n->below[i].mono;
	}
	if (lua > n->lua)
		n->lua = (int32_t)lua;
	if (mono > n->mono)
		n->mono = (int32_t)mono;
}

static void sums_below(const struct put_node *n, int64_t *time, int64_t *lua, int64_t *mono)
{
	for (uint32_t i = 0; i < n->n; i++) {
		const struct put_node *b = &n->below[i];

		if (is("collapsed") && b->name == n->name && strstr(n->name, "resume")) {
			sums_below(b, time, lua, mono);
			continue;
		}
		*time += b->time;
		*lua += b->lua;
		*mono += b->mono;
	}
}

static int64_t own(int64_t total, int64_t below, bool clamp)
{
	return clamp && total < below ? 0 : total - below;
}

static void tell(const struct put_node *n, const struct put_node *above, const char *path)
{
	int64_t unit = opt.layout < PUT_B0 ? 1953125 : 10000, time = 0, lua = 0, mono = 0;
	bool has_mono = opt.layout >= PUT_B0;
	bool gone = is("collapsed") && above && above->name == n->name && strstr(n->name, "resume");
	struct buf b = BUF_INIT;

	buf_adds(&b, path);
	if (!gone) {
		buf_addf(&b, ";%s", shown(n->name));
		sums_below(n, &time, &lua, &mono);
		fprintf(stderr, "%d %s %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
			n->frame, buf_str(&b) + 1, n->calls, n->time * unit,
			own(n->time, time, true) * unit, own(n->lua, lua, !is("unclamped")),
			has_mono ? own(n->mono, mono, !is("unclamped")) : 0);
	}
	for (uint32_t i = 0; i < n->n; i++)
		tell(&n->below[i], n, buf_str(&b));
	buf_release(&b);
}

/* --- captures --- */

static struct put_node make_root(uint64_t i)
{
	int32_t frame = is("merged") ? 0 : 100 + (int32_t)(i / 2);
	struct put_node n = leaf(names[i % 2 ? 1 : 0].name, frame);

	make(&n, 1, frame);
	n.lua += 4096;
	n.fps = 60.5f;
	n.pss = opt.layout == PUT_D || opt.old ? 250000000 : 0;
	n.power = opt.layout == PUT_D ? 97.5f : 0;
	n.current_lua = bytes_are_allocated() ? n.lua : 7000000 + (int32_t)i * 1000;
	n.picture = i == 1 ? "cap/11.png" : NULL;
	if (is("merged")) {
		n.fps = n.power = 0;
		n.pss = 0;
		n.current_lua = n.current_mono = 0;
	}
	if (is("floats") && i == 1) {
		n.fps = NAN;
		n.power = INFINITY;
		n.time = -5;
		n.current_lua = -1;
		n.current_mono = -1;
	}
	if (is("lying") && i == 1)
		n.claims = 1;
	return n;
}

static void chain(struct put_node *roots, uint32_t n)
{
	struct put_node *at = roots;

	*at = leaf(names[0].name, 100);
	for (uint32_t i = 1; i < n; i++) {
		at->below = &roots[i];
		at->n = 1;
		at = &roots[i];
		*at = leaf(names[0].name, 100);
		at->lua = 8;
	}
}

/* put_blob would need a stack of 100000 calls: lengths are written from the innermost out. */
static void write_deep(struct buf *b)
{
	struct put_node *nodes = mem_zarray(DEEP, sizeof *nodes);
	struct put_strings strings = {0};
	struct buf one = BUF_INIT;

	chain(nodes, DEEP);
	put_int(b, 1, 4);
	if (opt.layout < PUT_E) {
		size_t head = 0, tail = 0, size;

		nodes[0].n = 0; /* a leaf's bytes: the number of nodes below, then the tail */
		put_blob(&one, opt.layout, &nodes[0]);
		for (size_t i = 0; i + 4 < one.len && !head; i++)
			if (!memcmp(one.data + i, "&line:12", 8))
				head =
				    i + 8 + (opt.layout == PUT_B0 || opt.layout == PUT_B1 ? 8 : 4);
		tail = one.len - head - 4;
		for (uint32_t i = 0; i < DEEP; i++) {
			size = (DEEP - i) * one.len - 4;
			put_int(b, (int64_t)size, 4);
			buf_add(b, one.data + 4, head - 4);
			put_int(b, i + 1 < DEEP, 4);
		}
		for (uint32_t i = 0; i < DEEP; i++)
			buf_add(b, one.data + head + 4, tail);
	} else {
		for (uint32_t i = 0; i < DEEP; i++) {
			bool more = nodes[i].n;

			nodes[i].n = 0;
			nodes[i].claims = more;
			put_plain(b, opt.layout, &strings, &nodes[i]);
		}
	}
	buf_release(&one);
	free(strings.names);
	free(nodes);
}

static void write_wide(struct buf *b)
{
	struct put_node roots[2] = {leaf(names[0].name, 100), leaf(names[1].name, 101)};

	roots[0].below = mem_zarray(WIDE, sizeof *roots[0].below);
	roots[0].n = WIDE;
	for (uint32_t i = 0; i < WIDE; i++)
		roots[0].below[i] = leaf(names[1].name, 100);
	put_sample_file(b, opt.layout, roots, 2);
	free(roots[0].below);
}

static void write_file(struct buf *b, struct put_node *roots, uint32_t n)
{
	put_sample_file(b, opt.layout, roots, n);
	if (is("trailing"))
		for (int i = 0; i < 100; i++)
			put_int(b, i, 4);
	if (is("number")) /* the second definition; the first is at byte 32 */
		for (size_t i = 41; i + 9 < b->len; i++)
			if (!memcmp(b->data + i, "\0\1\0\0\0", 5)) {
				b->data[i + 1] = 9;
				break;
			}
}

static const char *path_of(bool second)
{
	static const char *const forms[][2] = {{"_G.UI.cache.1", "_G.UI"},
					       {"[_G].[UI].[cache].[1]", "[_G].[UI]"}};
	bool brackets = !strcmp(opt.layout_name, "wire31");

	return forms[brackets][second];
}

static void put_details(struct buf *b, struct put_strings *t, const char *key, const char *path)
{
	put_int(b, 1, 4);
	put_string(b, t, key);
	put_int(b, 2, 4);
	put_string(b, t, key);
	put_string(b, t, path);
}

/* A function and a table are new, the table is a leak, a userdata is destroyed. */
static void put_diff(struct buf *b, struct put_strings *t)
{
	static const char function[] = "function:@game/main.lua&line:14";
	bool grouped = !strcmp(opt.layout_name, "wire31"),
	     bare = !strcmp(opt.layout_name, "wire23");
	const char *keys[][2] = {
	    {function, path_of(false)}, {path_of(false), NULL}, {path_of(true), NULL}};
	static const int types[][2] = {{6, 5}, {5, 0}, {7, 0}};

	put_head(b, PUT_E, true, 2);
	for (int list = 0; list < 3; list++) {
		int n = keys[list][1] ? 2 : 1;

		put_int(b, n, 4);
		for (int i = 0; i < n; i++) {
			if (grouped) {
				put_int(b, types[list][i], 4);
				put_int(b, 1, 4);
			}
			put_string(b, t, keys[list][i]);
			if (!grouped && !(bare && list == 2))
				put_int(b, types[list][i], 4);
		}
		if (!(bare && list == 2))
			put_details(b, t, keys[list][0], path_of(list != 2));
	}
}

static void write_connection(struct buf *b, struct put_node *roots, uint32_t n)
{
	struct put_strings strings = {0};
	struct put_node marker = {.name = "", .calls = 1, .fps = 60, .current_mono = 9000000};
	size_t first = 0;

	for (uint32_t i = 0; i < n; i++) {
		put_sample_message(b, opt.layout, opt.old, &strings, &roots[i]);
		if (i == 0)
			first = b->len;
		if (opt.layout == PUT_BETA && i % 2)
			put_int(b, 0, 4);
		if (i % 2 && opt.layout != PUT_BETA) {
			marker.frame = roots[i].frame;
			marker.current_lua = 52428800;
			put_sample_message(b, opt.layout, opt.old, &strings, &marker);
		}
		if (is("lost") && i == 2)
			buf_adds(b, "junk between messages");
	}
	if (opt.layout == PUT_E) {
		put_ref_message(b, opt.old, &strings, true, 101, "function:@game/main.lua&line:12",
				"0x1234", 1);
		put_ref_message(b, opt.old, &strings, true, 101, "_G.UI", "0x5678", 2);
		put_ref_message(b, opt.old, &strings, false, 102, "_G.UI", "0x5678", 2);
		put_ref_message(b, opt.old, &strings, false, 102, "_G.old", "0x9abc", 2);
	}
	if (opt.old && opt.layout == PUT_E)
		put_diff(b, &strings);
	if (!opt.old)
		put_head(b, PUT_E, false, 1);
	if (is("lost")) {
		memmove(b->data, b->data + first, b->len - first);
		b->len -= first;
	}
	free(strings.names);
}

static void write_capture(struct buf *b)
{
	uint32_t n = (uint32_t)opt.frames * 2;
	struct put_node *roots = mem_zarray(n, sizeof *roots);

	for (uint32_t i = 0; i < n; i++)
		roots[i] = make_root(i);
	if (opt.wire)
		write_connection(b, roots, n);
	else
		write_file(b, roots, n);
	if (opt.wire && is("again"))
		write_connection(b, roots, n);
	for (uint32_t i = 0; i < n; i++) {
		if (opt.layout == PUT_D && !is("unclamped"))
			raise_to_sums(&roots[i]);
		tell(&roots[i], NULL, "");
		drop(&roots[i]);
	}
	free(roots);
}

static bool set_layout(const char *name)
{
	static const struct {
		const char *name;
		enum put_layout layout;
		bool wire, old;
	} rows[] = {
	    {"A0", PUT_A0, false, false},   {"A1", PUT_A1, false, false},
	    {"A2", PUT_A2, false, false},   {"A3", PUT_A3, false, false},
	    {"B0", PUT_B0, false, false},   {"B1", PUT_B1, false, false},
	    {"C", PUT_C, false, false},     {"D", PUT_D, false, false},
	    {"E", PUT_E, false, false},     {"wire4", PUT_E, true, false},
	    {"wire31", PUT_E, true, true},  {"wire30", PUT_E, true, true},
	    {"wire23", PUT_E, true, true},  {"beta", PUT_BETA, true, true},
	    {"tool", PUT_TOOL, true, true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name)) {
			opt.layout_name = name;
			opt.layout = rows[i].layout;
			opt.wire = rows[i].wire;
			opt.old = rows[i].old;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	struct buf b = BUF_INIT;
	bool ok = argc >= 2 && argc % 2 == 0 && set_layout(argv[argc - 1]);

	variant = "history";
	for (int i = 1; ok && i + 1 < argc; i += 2) {
		const char *value = argv[i + 1];

		if (!strcmp(argv[i], "--variant"))
			variant = value;
		else if (!strcmp(argv[i], "--seed"))
			ok = num_dec(value, strlen(value), &opt.seed);
		else if (!strcmp(argv[i], "--frames"))
			ok = num_dec(value, strlen(value), &opt.frames) && opt.frames < 10000000;
		else
			ok = false;
	}
	if (!ok) {
		fputs("usage: see testdata/gen/miku.c\n", stderr);
		return 2;
	}
	random_state = opt.seed * 2 + 1;
	if (is("deep"))
		write_deep(&b);
	else if (is("wide"))
		write_wide(&b);
	else
		write_capture(&b);
	ok = fwrite(b.data, 1, b.len, stdout) == b.len && !fflush(stdout);
	buf_release(&b);
	return ok ? 0 : 1;
}
