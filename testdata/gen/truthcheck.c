/* SPDX-License-Identifier: MIT
 *
 * truthcheck TRUTH < SYMBOLIZED: holds a symbolizer to the demo's truth (testdata/README.md).
 *
 * TRUTH is truth.sites: a line of input is module, link-time address as captured, then
 * function and file:line pairs, innermost first, separated by tabs; with "-" for the module the
 * address is the runtime one. The calls must be exactly the truth's.
 * TRUTH is truth.stacks: a line of input is the stack's runtime addresses, each followed by
 * ";" as in a .mem file, then the pairs of all its locations. The truth must be the beginning.
 *
 * Functions are compared by their last component without parameters, template arguments and
 * clone suffixes, files by their base name. Prints one line of counts, then up to five examples.
 * Exit status: 0 all of the truth was there and equal, 1 not, 2 usage or unreadable.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *key;
	char *runtime; /* sites only: the second key */
	char **call;   /* function, file:line, function, file:line ... */
	size_t count;
	bool seen;
};

struct truth {
	struct entry *entry;
	size_t count;
	bool stacks;
};

struct counts {
	size_t equal, function, line, length, extra, examples;
};

static void *grow(void *old, size_t size)
{
	void *p = realloc(old, size);
	if (!p) {
		fprintf(stderr, "truthcheck: out of memory\n");
		exit(2);
	}
	return p;
}

static char *copy(const char *text)
{
	size_t n = strlen(text) + 1;
	return memcpy(grow(NULL, n), text, n);
}

static void add_call(struct entry *e, const char *function, const char *where)
{
	e->call = grow(e->call, (e->count + 1) * 2 * sizeof(*e->call));
	e->call[2 * e->count] = copy(function);
	e->call[2 * e->count + 1] = copy(where);
	e->count++;
}

/* Cuts line at its tabs. Returns how many fields there are, at most max. */
static size_t cut(char *line, char **field, size_t max)
{
	size_t n = 0;
	line[strcspn(line, "\r\n")] = '\0';
	while (n < max) {
		field[n++] = line;
		line = strchr(line, '\t');
		if (!line)
			break;
		*line++ = '\0';
	}
	return n;
}

enum { FIELDS_MAX = 4096 };

static bool is_operator(const char *name, const char *end)
{
	return end - name >= 8 && strncmp(end - 8, "operator", 8) == 0;
}

/* arcade::f<int>(char)::{lambda(int)#1}::operator()(int) const -> operator() */
static void simple_name(const char *name, char *out, size_t size)
{
	/* GNU and LLVM write the clone suffixes of a demangled name each in their own way. */
	const char *end = strstr(name, " [clone") ? strstr(name, " [clone") : strstr(name, " (.");
	const char *start;
	size_t n;
	int depth = 0;

	if (!end)
		end = name + strlen(name);
	if (end - name > 6 && strncmp(end - 6, " const", 6) == 0)
		end -= 6;
	if (end > name && end[-1] == ')' &&
	    !(end - name >= 10 && strncmp(end - 10, "operator()", 10) == 0)) {
		const char *open = end;
		do {
			open--;
			depth += *open == ')' ? 1 : *open == '(' ? -1 : 0;
		} while (depth > 0 && open > name);
		if (open > name)
			end = open;
	}
	if (end > name && end[-1] == '>' && !is_operator(name, end - 1)) {
		const char *open = end;
		depth = 0;
		do {
			open--;
			depth += *open == '>' ? 1 : *open == '<' ? -1 : 0;
		} while (depth > 0 && open > name);
		if (open > name)
			end = open;
	}
	depth = 0;
	for (start = end; start > name; start--) {
		char c = start[-1];
		if (c == ')' || c == '>' || c == '}' || c == ']')
			depth++;
		else if (c == '(' || c == '<' || c == '{' || c == '[')
			depth--;
		else if (depth == 0 && (c == ':' || c == ' '))
			break;
	}
	n = (size_t)(end - start);
	if (memchr(start, '.', n))
		n = (size_t)((const char *)memchr(start, '.', n) - start);
	if (n >= size)
		n = size - 1;
	memcpy(out, start, n);
	out[n] = '\0';
}

static bool same_function(const char *truth, const char *got)
{
	char a[512], b[512];
	simple_name(truth, a, sizeof(a));
	simple_name(got, b, sizeof(b));
	return strcmp(a, b) == 0;
}

/* "dir/pool.cpp:12", "pool.cpp:12:5" and "pool.cpp:12 (discriminator 2)" are all pool.cpp:12. */
static bool same_place(const char *truth, const char *got)
{
	const char *slash = strrchr(got, '/');
	size_t n = strlen(truth);
	if (slash)
		got = slash + 1;
	return strncmp(truth, got, n) == 0 && (got[n] < '0' || got[n] > '9');
}

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return strcmp(x->key, y->key);
}

static struct entry *find(struct truth *t, const char *key)
{
	struct entry probe = {0};
	probe.key = copy(key);
	struct entry *found = bsearch(&probe, t->entry, t->count, sizeof(probe), by_key);
	free(probe.key);
	return found;
}

/* Spellings of one address differ in leading zeros and case. */
static void address_text(const char *text, char *out, size_t size)
{
	snprintf(out, size, "0x%llx", strtoull(text, NULL, 16));
}

static struct entry *new_entry(struct truth *t)
{
	if ((t->count & (t->count - 1)) == 0)
		t->entry = grow(t->entry, (t->count ? t->count * 2 : 1) * sizeof(*t->entry));
	memset(&t->entry[t->count], 0, sizeof(*t->entry));
	return &t->entry[t->count++];
}

static void append(char **text, const char *more)
{
	size_t old = *text ? strlen(*text) : 0;
	*text = grow(*text, old + strlen(more) + 1);
	strcpy(*text + old, more);
}

static bool load(struct truth *t, const char *path)
{
	static char *field[FIELDS_MAX];
	char *line = NULL;
	size_t room = 0;
	FILE *f = fopen(path, "r");

	if (!f) {
		perror(path);
		return false;
	}
	while (getline(&line, &room, f) > 0) {
		char key[600], address[32];
		size_t n;
		if (line[0] == '#') {
			t->stacks = strncmp(line, "# stack", 7) == 0;
			continue;
		}
		n = cut(line, field, FIELDS_MAX);
		if (!t->stacks) {
			if (n < 6 || strcmp(field[4], "1") != 0)
				continue;
			struct entry *e = new_entry(t);
			address_text(field[2], address, sizeof(address));
			snprintf(key, sizeof(key), "%s\t%s", field[1], address);
			e->key = copy(key);
			e->runtime = copy(field[0]);
			for (size_t i = 6; i + 2 < n; i += 3)
				add_call(e, field[i], field[i + 2]);
		} else if (n > 1 && strcmp(field[0], "stack") == 0) {
			new_entry(t)->key = copy("");
		} else if (n > 1 && strcmp(field[0], "addr") == 0 && t->count > 0) {
			append(&t->entry[t->count - 1].key, field[1]);
			append(&t->entry[t->count - 1].key, ";");
		} else if (n > 3 && strcmp(field[0], "call") == 0 && t->count > 0) {
			add_call(&t->entry[t->count - 1], field[1], field[3]);
		}
	}
	free(line);
	fclose(f);
	if (t->count > 0)
		qsort(t->entry, t->count, sizeof(*t->entry), by_key);
	return t->count > 0;
}

static void show(const struct entry *e, char **got, size_t calls, const char *what)
{
	printf("  %s: %s\n    truth:", what, e->key);
	for (size_t i = 0; i < e->count; i++)
		printf(" %s %s%s", e->call[2 * i], e->call[2 * i + 1], i + 1 < e->count ? "," : "");
	printf("\n    found:");
	for (size_t i = 0; i < calls; i++)
		printf(" %s %s%s", got[2 * i], got[2 * i + 1], i + 1 < calls ? "," : "");
	printf("\n");
}

static void compare(const struct truth *t, struct entry *e, char **got, size_t calls,
		    struct counts *c)
{
	const char *what = NULL;
	size_t *count = &c->equal;

	for (size_t i = 0; i < e->count && i < calls && !what; i++) {
		if (!same_function(e->call[2 * i], got[2 * i])) {
			what = "function";
			count = &c->function;
		} else if (!same_place(e->call[2 * i + 1], got[2 * i + 1])) {
			what = "line";
			count = &c->line;
		}
	}
	if (!what && (calls < e->count || (calls > e->count && !t->stacks))) {
		what = "length";
		count = &c->length;
	}
	++*count;
	e->seen = true;
	if (what && c->examples++ < 5)
		show(e, got, calls, what);
}

static struct entry *entry_of_line(struct truth *t, char **field, size_t *first)
{
	char key[600], address[32];

	*first = t->stacks ? 1 : 2;
	if (t->stacks)
		return find(t, field[0]);
	address_text(field[1], address, sizeof(address));
	if (strcmp(field[0], "-") != 0) {
		snprintf(key, sizeof(key), "%s\t%s", field[0], address);
		return find(t, key);
	}
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->entry[i].runtime, address) == 0)
			return &t->entry[i];
	return NULL;
}

static void release(struct truth *t)
{
	for (size_t i = 0; i < t->count; i++) {
		for (size_t k = 0; k < 2 * t->entry[i].count; k++)
			free(t->entry[i].call[k]);
		free(t->entry[i].call);
		free(t->entry[i].key);
		free(t->entry[i].runtime);
	}
	free(t->entry);
}

int main(int argc, char **argv)
{
	static char *field[FIELDS_MAX];
	struct truth truth = {0};
	struct counts c = {0};
	char *line = NULL;
	size_t room = 0, missing = 0, total;
	bool fine;

	if (argc != 2) {
		fprintf(stderr, "usage: truthcheck TRUTH < SYMBOLIZED\n");
		return 2;
	}
	if (!load(&truth, argv[1])) {
		fprintf(stderr, "truthcheck: %s: no truth in it\n", argv[1]);
		release(&truth);
		return 2;
	}
	while (getline(&line, &room, stdin) > 0) {
		size_t first;
		size_t n = cut(line, field, FIELDS_MAX);
		struct entry *e = n > 1 ? entry_of_line(&truth, field, &first) : NULL;
		if (!e) {
			c.extra++;
			continue;
		}
		compare(&truth, e, field + first, (n - first) / 2, &c);
	}
	for (size_t i = 0; i < truth.count; i++) {
		if (truth.entry[i].seen)
			continue;
		missing++;
		if (c.examples++ < 5)
			show(&truth.entry[i], NULL, 0, "missing");
	}
	total = truth.count;
	printf("truth %zu equal %zu function %zu line %zu length %zu missing %zu extra %zu\n",
	       total, c.equal, c.function, c.line, c.length, missing, c.extra);
	fine = missing == 0 && c.function + c.line + c.length == 0;
	free(line);
	release(&truth);
	return fine ? 0 : 1;
}
