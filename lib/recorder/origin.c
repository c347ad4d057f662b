/* SPDX-License-Identifier: MIT
 *
 * Sources: proc(5) on cmdline, getauxval(3) on AT_EXECFN, execve(2) on interpreter scripts.
 */
#include "lib/recorder/origin.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define BASIS 0xcbf29ce484222325u
#define PRIME 0x100000001b3u

enum { SCRIPT_LAST = 2 }; /* "sh -e SCRIPT": the last word that can be a script's name */

static uint64_t origin_add(uint64_t h, char c)
{
	return (h ^ (unsigned char)c) * PRIME;
}

static uint64_t origin_of_text(const char *s)
{
	uint64_t h = BASIS;

	for (; s && *s; s++)
		h = origin_add(h, *s);
	return h;
}

struct origin_words {
	uint64_t all, whole,
	    base;        /* of those before; of this word, and of what is behind its last slash */
	uint64_t script; /* of what was started */
	unsigned n;
};

/* Behind the program's own name, and of a script behind its own. Folders are other ones in each job of a CI. */
static void origin_end_word(struct origin_words *w)
{
	if (w->n && w->n <= SCRIPT_LAST && w->whole == w->script)
		w->all = BASIS;
	else if (w->n)
		w->all = (w->all ^ w->base) * PRIME;
	w->whole = w->base = BASIS;
	w->n++;
}

static void origin_add_char(struct origin_words *w, char c)
{
	if (!c) {
		origin_end_word(w);
		return;
	}
	w->whole = origin_add(w->whole, c);
	w->base = c == '/' ? BASIS : origin_add(w->base, c);
}

void cap_origin_learn(struct cap_origin *o)
{
	struct origin_words w = {.all = BASIS, .whole = BASIS, .base = BASIS};
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char part[512];
	struct timespec now;
	off_t at = 0;
	ssize_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	o->began = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	w.script = origin_of_text((const char *)(uintptr_t)getauxval(AT_EXECFN));
	while (fd >= 0 && (n = pread(fd, part, sizeof part, at)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			origin_add_char(&w, part[i]);
		at += n;
	}
	if (fd >= 0)
		close(fd);
	o->arguments = w.all;
}

/* The finalizer of SplitMix64. */
static uint64_t origin_mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

uint64_t cap_origin_id(const struct cap_origin *o, uint32_t pid)
{
	return origin_mix(o->began + origin_mix(pid + 1));
}
