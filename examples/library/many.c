/* SPDX-License-Identifier: MIT
 *
 * Hundreds of thousands of addresses, in hexadecimal on standard input, in what time tm-addr2line takes and
 * with its text (-afi): every thread prints a piece of the answers as they lie, and waits for its turn.
 *
 *     cc -O2 -o many many.c $(pkg-config --cflags --libs tracemill)
 */
#include <tracemill/symbolize.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
	char *s;
	size_t n, room;
};

static struct tracemill_symbolizer *s;
static struct tracemill_query *queries;
static struct text *texts; /* by worker */

static char *put(char *to, const char *text, size_t n)
{
	return n ? (char *)memcpy(to, text, n) + n : memcpy(to, "??", 2) + 2;
}

static char *put_number(char *to, uint64_t v, unsigned base, int width)
{
	char digits[20];
	int n = 0;

	for (; v || n < width; v /= base)
		digits[19 - n++] = "0123456789abcdef"[v % base];
	return put(to, digits + 20 - n, (size_t)n);
}

static char *put_call(char *to, const struct tracemill_call *c, uint32_t discriminator)
{
	to = put(put(to, c->function, c->n_function), "\n", 1);
	to = put(put(to, c->file, c->n_file), ":", 1);
	to = c->line ? put_number(to, c->line, 10, 1) : put(to, "?", 1);
	if (c->line && discriminator)
		to = put(put_number(put(to, " (discriminator ", 16), discriminator, 10, 1), ")", 1);
	return put(to, "\n", 1);
}

static void print(void *arg, size_t from, size_t to, size_t piece, unsigned worker)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
	static size_t next;
	struct tracemill_views v = {0};
	struct text *t = &texts[worker];

	t->n = 0;
	for (size_t at = from, n; at < to; at += n) {
		n = to - at < TRACEMILL_VIEWS ? to - at : TRACEMILL_VIEWS;
		if (tracemill_view(s, queries + at, n, &v))
			*(bool *)arg = false;
		for (size_t i = 0; v.first && i < n; i++) {
			uint32_t first = v.first[i], end = v.first[i + 1];
			size_t need = 64;
			char *p;

			for (uint32_t k = first; k < end; k++)
				need += 64 + v.calls[k].n_function + v.calls[k].n_file;
			if (t->n + need > t->room)
				t->s = realloc(t->s, t->room = 2 * (t->n + need));
			p = put(t->s + t->n, "0x", 2);
			p = put(put_number(p, queries[at + i].address, 16, 16), "\n", 1);
			if (first == end)
				p = put(p, "??\n??:0\n", 8);
			for (uint32_t k = first; k < end; k++)
				p = put_call(p, &v.calls[k], v.calls[first].discriminator);
			t->n = (size_t)(p - t->s);
		}
	}
	tracemill_views_release(&v);
	pthread_mutex_lock(&lock);
	while (next != piece)
		pthread_cond_wait(&moved, &lock);
	fwrite(t->s, 1, t->n, stdout);
	next++;
	pthread_cond_broadcast(&moved);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	struct tracemill_options options = {.size = sizeof options};
	struct tracemill_binary *b;
	size_t n = 0, room = 1 << 20, lines = 0;
	char *text = malloc(room + 1), *p, *end;
	bool good = true;

	options.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	texts = calloc(options.threads, sizeof *texts);
	if (argc != 2 || tracemill_symbolizer_new(&s, &options))
		return 2;
	while ((n += fread(text + n, 1, room - n, stdin)) == room)
		text = realloc(text, (room *= 2) + 1);
	text[n] = 0;
	queries = malloc((n / 2 + 1) * sizeof *queries);
	good = !tracemill_binary_open(s, argv[1], &b);
	for (p = text; good && *p; p = *end ? end + 1 : end)
		queries[lines++] =
		    (struct tracemill_query){.binary = b, .address = strtoull(p, &end, 16)};
	good = good && !tracemill_symbolize(s, queries, lines) &&
	       !tracemill_parallel(s, lines, print, &good) && good;
	if (!good)
		fprintf(stderr, "%s: %s\n", argv[1], tracemill_error(s));
	for (unsigned i = 0; i < options.threads; i++)
		free(texts[i].s);
	free(texts);
	free(queries);
	free(text);
	tracemill_symbolizer_free(s);
	return !good;
}
