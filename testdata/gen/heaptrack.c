/* SPDX-License-Identifier: MIT
 *
 * heaptrack < CAPTURE: the same allocations and frees as a file that heaptrack_print reads, so
 * that both can be timed on one input. Every stack of the capture becomes a trace of it, every
 * location an instruction pointer with a function's name: nothing is left to symbolize.
 *
 * The layout is that of heaptrack 1.4's text files, format version 3, as `heaptrack ls` wrote it:
 * s LENGTH TEXT, i IP MODULE FUNCTION FILE LINE, t IP PARENT, a SIZE TRACE, + ALLOCATION, - the
 * same, c MILLISECONDS; numbers are hexadecimal, indices count from 1, those of a from 0.
 */
#include "formats/reader.h"
#include "lib/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct converter {
	struct sink sink;
	uint32_t strings, locations, stacks; /* written so far, by our ids */
	struct map64 infos;                  /* size and stack: index of the a line + 1 */
	struct map64 blocks;                 /* address: the same */
	uint32_t n_infos;
	uint64_t frames;
};

static void text(struct converter *c, const char *s)
{
	printf("s %zx %s\n", strlen(s), s);
	c->strings++;
}

static void tables(struct converter *c, const struct trace *t)
{
	char name[40];

	for (; c->locations < t->n_locations; c->locations++) {
		if (!c->locations)
			continue;
		snprintf(name, sizeof name, "f%" PRIx64, t->locations[c->locations].raw);
		text(c, name);
		printf("i %" PRIx64 " 1 %" PRIx32 " 0 0\n", t->locations[c->locations].raw,
		       c->strings);
	}
	for (; c->stacks < t->n_stacks; c->stacks++)
		if (c->stacks)
			printf("t %" PRIx32 " %" PRIx32 "\n", t->stacks[c->stacks].location,
			       t->stacks[c->stacks].parent);
}

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	struct converter *c = (struct converter *)s;

	(void)t;
	(void)e;
	printf("v 10400 3\nX capture\nI 1000 100000\n");
	text(c, "/capture");
	return ST_OK;
}

static enum status event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct converter *c = (struct converter *)s;
	uint32_t *place, info;

	(void)e;
	tables(c, t);
	switch (ev->kind) {
	case EV_FRAME: printf("c %" PRIx64 "\n", c->frames++ * 16); break;
	case EV_ALLOC:
		place = map64_put(&c->infos, ev->requested << 32 | ev->stack);
		if (!*place) {
			printf("a %" PRIx64 " %" PRIx32 "\n", ev->requested, ev->stack);
			*place = ++c->n_infos;
		}
		printf("+ %" PRIx32 "\n", *place - 1);
		info = *place;
		*map64_put(&c->blocks, ev->address) = info;
		break;
	case EV_FREE:
		printf("- %" PRIx32 "\n", map64_get(&c->blocks, ev->address) - 1);
		map64_remove(&c->blocks, ev->address);
		break;
	default: break;
	}
	return ST_OK;
}

static enum status batch(struct sink *s, struct trace *t, const struct sink_batch *b, struct err *e)
{
	return sink_each(s, t, b, e, event);
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

int main(void)
{
	struct converter c = {.sink = {.begin = begin, .batch = batch, .end = end}};
	struct import_options options = {.format = NULL};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy = false;

	if (input_open(&in, "-", &e) || capture_read(&in, &options, &c.sink, &lossy, &e) || lossy) {
		fprintf(stderr, "heaptrack: %s\n", lossy ? "the capture is damaged" : e.msg);
		return 1;
	}
	input_close(&in);
	map64_release(&c.infos);
	map64_release(&c.blocks);
	return 0;
}
