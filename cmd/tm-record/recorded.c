/* SPDX-License-Identifier: MIT */
#include "cmd/tm-record/recorded.h"

#include "cmd/tm-record/ended.h"
#include "cmd/tm-record/package.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/cli/cli.h"
#include "lib/cli/distribution.h"
#include "lib/cli/front.h"
#include "lib/cli/session.h"
#include "lib/group/notes.h"
#include "lib/group/rank.h"
#include "lib/report/top/overview.h"
#include "lib/table/table.h"
#include "lib/trace/chunk_writer.h"
#include "lib/trace/stream.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMELESS = 3, LEAST = 100 }; /* binaries listed; one part in so many of all */

struct recorded_module {
	char *base, *path;
	uint64_t nameless; /* of the overview's bytes, in sites without a name */
	char *package;     /* once it is asked for; NULL: none is known */
};

struct recorded_look {
	const struct recorded *r;
	struct recorded_module *modules;
	size_t n, cap;
	bool some; /* not every block: samples, or large ones */
};

/* False: the trace is cut before its first events are whole, so that there is nothing to name. */
static bool has_events(const char *path)
{
	struct trace_stream s = {0};
	struct err e = ERR_INIT;
	struct input in = {0};
	enum status st = input_open(&in, path, &e);
	struct trace_chunk c = {0};
	const uint8_t *payload;

	if (!st)
		st = stream_mark(&s, &in.cur, &e);
	while (!st && c.kind != CHUNK_TOTALS && !stream_has_events(&s, &c))
		st = stream_next(&s, &c, &payload, &e);
	stream_release(&s);
	input_close(&in);
	return !st;
}

/* Written aside by tm-symbolize: until that is whole, the trace is as it was recorded. */
static bool put_names(const struct recorded *r)
{
	char quiet[] = "-q", output[] = "-o", *path = mem_strdup(r->path);
	char **argv = mem_zarray(r->servers->n + 6, sizeof *argv);
	size_t n = 1, first;
	int status;

	/* What a server says, and how much came of it, is not kept from who asked for it. */
	if (!r->servers->n || cli_now->quiet)
		argv[n++] = quiet;
	first = n;
	for (size_t i = 0; i < r->servers->n; i++) {
		const char *url = r->servers->items[i];
		struct buf option = BUF_INIT;

		buf_addf(&option, "--debuginfod%s%s", *url ? "=" : "", url);
		argv[n++] = mem_strdup(buf_str(&option));
		buf_release(&option);
	}
	argv[n] = output;
	argv[n + 1] = argv[n + 2] = path;
	status = front_run("symbolize", argv, -1);
	if (status)
		cli_note(r->path, "has no names: tm-symbolize has ended with status %d", status);
	while (n-- > first)
		free(argv[n]);
	free(argv);
	free(path);
	return !status;
}

static enum status pack_into(FILE *out, const char *path, struct err *e)
{
	struct input in = {0};
	enum status st = input_open(&in, path, e);

	if (!st)
		st = chunk_writer_copy(out, &in.cur, e);
	if (!st && fflush(out))
		st = err_sys(e, "write");
	input_close(&in);
	return st;
}

/* What tm-symbolize has not written anew is as the runtime wrote it: in plain chunks. A trace that
 * could not be read to its end stays so, and so does one for which there is no room twice. */
static void recorded_pack(const char *given)
{
	struct buf aside = BUF_INIT;
	struct err e = ERR_INIT;
	struct stat st;
	char *path = realpath(given, NULL);
	FILE *out = NULL;
	int fd = -1;

	buf_addf(&aside, "%s.XXXXXX", path ? path : given);
	buf_str(&aside);
	if (path)
		fd = mkostemp(aside.data, O_CLOEXEC);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (out && (pack_into(out, path, &e) || stat(path, &st) || fchmod(fd, st.st_mode & 07777) ||
		    rename(aside.data, path)))
		unlink(aside.data);
	if (out)
		fclose(out);
	buf_release(&aside);
	free(path);
}

static void recorded_learn_modules(void *arg, struct trace *t)
{
	struct recorded_look *l = arg;
	const char *mode = trace_get(t, "capture.mode");

	l->some |= mode && strcmp(mode, "all") != 0;
	for (uint32_t m = 1; m < t->n_modules; m++) {
		const char *path = trace_text(t, t->modules[m].name);
		struct recorded_module row = {mem_strdup(path_base(path)), mem_strdup(path), 0,
					      NULL};

		VEC_PUSH(l->modules, l->n, l->cap) = row;
	}
}

static void add_nameless(struct recorded_look *l, const char *base, size_t n, uint64_t bytes)
{
	for (size_t i = 0; i < l->n; i++)
		if (strlen(l->modules[i].base) == n && !memcmp(l->modules[i].base, base, n)) {
			l->modules[i].nameless = add_saturating(l->modules[i].nameless, bytes);
			return;
		}
}

static int recorded_by_nameless(const void *a, const void *b)
{
	const struct recorded_module *x = a, *y = b;

	return x->nameless < y->nameless ? 1 : x->nameless > y->nameless ? -1 : 0;
}

/* Whether a package may have brought it. */
static bool is_of_system(const char *path)
{
	static const char *const folders[] = {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/games/",
					      "/bin/",     "/sbin/",     "/lib"};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return true;
	return false;
}

/* How names are had, of the system's binaries. */
struct recorded_advice {
	struct distribution d;
	bool some, install, apart; /* packages have them; and are in an archive of their own */
};

/* The package of a binary, and what is said of all of them. */
static void recorded_ask_package(struct recorded_module *m, struct recorded_advice *a)
{
	struct buf install = BUF_INIT;

	m->package = package_of(m->path);
	if (!m->package && !is_of_system(m->path))
		return;
	a->some = true;
	if (distribution_install(&a->d, m->package, m->path, &install)) {
		a->install = true;
		a->apart |= m->package && distribution_is_apart(&a->d, m->package);
	}
	buf_release(&install);
}

static void recorded_describe_missing(const struct recorded_module *m, uint64_t all,
				      const struct recorded_advice *a)
{
	struct table_column percent = {.type = COLUMN_PERCENT};
	struct table_cell share = cell_share(m->nameless, all);
	struct buf b = BUF_INIT, install = BUF_INIT;
	bool system = m->package || is_of_system(m->path);

	cell_for_people(&b, &percent, &share, false);
	if (system && distribution_install(&a->d, m->package, m->path, &install))
		cli_note(m->base, "no names for %s of the bytes: %s", buf_str(&b),
			 buf_str(&install));
	else if (m->package)
		cli_note(m->base,
			 "no names for %s of the bytes: package %s-dbgsym (or %s-dbg) has them",
			 buf_str(&b), m->package, m->package);
	else if (system)
		cli_note(m->base, "no names for %s of the bytes", buf_str(&b));
	else
		cli_note(m->base,
			 "no names for %s of the bytes: build with -g and without strip, or give "
			 "the folder of its symbols to tm-symbolize --debug-dir",
			 buf_str(&b));
	buf_release(&install);
	buf_release(&b);
}

/* Before the lines that install from it: packages of the archive are not found without. */
static void recorded_describe_archive(const struct recorded_advice *a)
{
	struct buf archive = BUF_INIT;
	const char *host;

	if (a->apart && distribution_archive(&a->d, &archive, &host) && !package_source(host))
		cli_note(NULL,
			 "-dbgsym packages are in an archive of their own, which this adds: %s",
			 buf_str(&archive));
	buf_release(&archive);
}

/* Once for all binaries: how their names come into the trace. A server is named and never asked. */
static void recorded_describe_how(const struct recorded *r, const struct recorded_advice *a)
{
	const char *name = distribution_name(&a->d);
	struct buf path = BUF_INIT;

	buf_add_shell(&path, r->path);
	if (a->install)
		cli_note(
		    NULL,
		    "with debug files installed, tm-symbolize -o %s %s puts names into the trace",
		    buf_str(&path), buf_str(&path));
	if (a->some && !r->servers->n)
		cli_note(NULL, "from %s%s server: tm-symbolize --debuginfod=%s -o %s %s",
			 name ? name : "elfutils", "'s", distribution_server(&a->d), buf_str(&path),
			 buf_str(&path));
	buf_release(&path);
}

/* Sites of which nothing but the module is known, by module. */
static void recorded_report_missing(struct recorded_look *l, const struct grouped_profile *p)
{
	struct recorded_advice a = {.some = false};
	const struct profile *run = &p->now;
	enum sum bytes = (enum sum)run->totals.bytes;
	uint64_t all = run->all.v[bytes];
	size_t n = 0; /* modules in the list */

	for (uint32_t g = 0; g < p->groupings[0].n; g++) {
		const struct names_call *call = &p->names.calls[p->groupings[0].groups[g].site];
		const struct names_location *at = &p->names.locations[call->location];
		struct tally_sums s = columns_get(&run->keys[0].self, g);
		size_t len;
		const char *base = names_text(&p->names, at->module, &len);

		if (at->tier == TIER_MODULE && at->module)
			add_nameless(l, base, len, s.v[bytes]);
	}
	distribution_here(&a.d);
	if (l->n)
		qsort(l->modules, l->n, sizeof *l->modules, recorded_by_nameless);
	while (n < l->n && n < NAMELESS && l->modules[n].nameless >= all / LEAST &&
	       l->modules[n].nameless)
		recorded_ask_package(&l->modules[n++], &a);
	recorded_describe_archive(&a);
	for (size_t i = 0; i < n; i++)
		recorded_describe_missing(&l->modules[i], all, &a);
	if (a.some)
		recorded_describe_how(l->r, &a);
}

static void recorded_report_process(const struct recorded *r)
{
	const struct rusage *u = &r->used;
	struct buf b = BUF_INIT;
	uint64_t us;

	if (r->runs) {
		time_text(&b, r->ns);
		cli_note(r->program, "was recorded for %s", buf_str(&b));
		buf_release(&b);
		return;
	}
	us = (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 +
	     (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
	buf_adds(&b, "ran ");
	time_text(&b, r->ns);
	buf_adds(&b, ", CPU ");
	time_text(&b, us * 1000);
	buf_adds(&b, ", peak RSS ");
	size_text(&b, (uint64_t)u->ru_maxrss * 1024);
	cli_note(r->program, "%s", buf_str(&b));
	b.len = 0;
	if (r->children) {
		time_text(&b, r->children * 1000);
		cli_note(NULL,
			 "child processes (%s of CPU time) are not in the trace: record them with "
			 "--pid-children",
			 buf_str(&b));
	}
	buf_release(&b);
}

/* A shell calls exec for each folder of PATH, until one has the program. */
static void recorded_report_captures(const struct grouped_profile *p)
{
	if (p->now.captures > 1)
		cli_note(NULL, "each call of exec begins another capture, also a call that fails");
}

static void recorded_report_run(const struct recorded *r, bool names)
{
	struct recorded_look l = {.r = r};
	struct grouped_profile_options o = {.n_by = 1,
					    .domain = DOMAIN_DEFAULT,
					    .captured = recorded_learn_modules,
					    .arg = &l,
					    .totals = true};
	struct import_options import = {.format = "trace"};
	struct grouped_profile p;
	struct top_overview v;
	struct buf domains = BUF_INIT;
	struct input in = {0};
	struct err e = ERR_INIT;
	bool lossy;

	grouped_profile_init(&p, &o);
	if (input_open(&in, r->path, &e) ||
	    capture_read(&in, &import, grouped_profile_sink(&p), &lossy, &e)) {
		cli_note(r->path, "%s", e.msg);
	} else if (overview_make(&p, &v)) {
		if (!r->report) {
			cli_note(NULL, "%s", v.run);
			cli_note(NULL, "%s", v.memory);
		}
		recorded_report_captures(&p);
		for (unsigned d = 0; d < DOMAIN_NOTES && !r->report; d++)
			if (domain_note(&p.now, d, &domains)) {
				cli_note(NULL, "%s", buf_str(&domains));
				domains.len = 0;
			}
		if (names)
			recorded_report_missing(&l, &p);
	} else if (!p.now.all.v[SUM_ENTRIES] && l.some) {
		cli_note(r->path, "no allocation was recorded: none was sampled, or reached --min");
	} else if (!p.now.all.v[SUM_ENTRIES]) {
		cli_note(r->path, "no allocation was recorded: the program made none, or not "
				  "through malloc (check the binary with tm-inspect)");
	}
	input_close(&in);
	buf_release(&domains);
	grouped_profile_release(&p);
	for (size_t i = 0; i < l.n; i++) {
		free(l.modules[i].base);
		free(l.modules[i].path);
		free(l.modules[i].package);
	}
	free(l.modules);
}

/* Of a word. */
static bool is_given(const struct opt_list *l, const char *option)
{
	size_t n = strlen(option);

	for (size_t i = 0; i < l->n; i++)
		if (!strncmp(l->items[i], option, n) && (!l->items[i][n] || l->items[i][n] == '='))
			return true;
	return false;
}

/* As wide as the terminal, or as a page of a log; the ten first rows, where no other form is asked for. */
static void print_report(const struct recorded *r)
{
	char quiet[] = "-q", pager[] = "--no-pager", callers[] = "--callers=3", top[] = "--top=10",
	     width[] = "--width=100", ends[] = "--";
	char **argv = mem_zarray(r->options->n + 9, sizeof *argv), *path = mem_strdup(r->path);
	size_t n = 1;

	argv[n++] = quiet;
	argv[n++] = pager;
	argv[n++] = callers;
	if (!is_given(r->options, "--as") && !is_given(r->options, "--csv"))
		argv[n++] = top;
	if (!isatty(STDERR_FILENO))
		argv[n++] = width;
	for (size_t i = 0; i < r->options->n; i++)
		argv[n++] = mem_strdup(r->options->items[i]);
	argv[n++] = ends;
	argv[n] = path;
	front_run("top", argv, STDERR_FILENO);
	for (size_t i = 0; i < r->options->n; i++)
		free(argv[n - 2 - i]);
	free(argv);
	free(path);
}

/* Traces of this run: OUT.PROGRAM.PID, with OUT's .tmt behind that. A process that calls exec has one under
 * each name, so these are no processes. */
static void recorded_report_apart(const struct recorded *r)
{
	const char *base = path_base(r->path);
	size_t n = strlen(base), tail = n > 4 && !strcmp(base + n - 4, ".tmt") ? 4 : 0;
	char *folder =
		 base > r->path ? mem_strndup(r->path, (size_t)(base - r->path)) : mem_strdup("."),
	     *one = NULL;
	uint64_t found = 0;
	struct dirent *d;
	DIR *dir = opendir(folder);

	n -= tail;
	while (dir && (d = readdir(dir))) {
		size_t k = strlen(d->d_name);
		struct stat st;

		if (k <= n + 1 + tail || strncmp(d->d_name, base, n) != 0 || d->d_name[n] != '.' ||
		    strcmp(d->d_name + k - tail, base + n) != 0 ||
		    fstatat(dirfd(dir), d->d_name, &st, 0) || st.st_mtime < r->since)
			continue;
		found++;
		free(one);
		one = mem_strdup(d->d_name);
	}
	if (dir)
		closedir(dir);
	if (found == 1)
		cli_note(NULL, "a child process has its own trace: %.*s%s", (int)(base - r->path),
			 r->path, one);
	else if (found)
		cli_note(NULL, "child processes have %" PRIu64 " traces: %.*s.PROGRAM.PID%s", found,
			 (int)(strlen(r->path) - tail), r->path, base + n);
	free(one);
	free(folder);
}

void recorded_end(const struct recorded *r)
{
	struct buf path = BUF_INIT;
	struct stat st;
	bool whole, names;

	if (!r->path || stat(r->path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	recorded_report_process(r);
	if (r->status)
		ended_note(r->path, r->status);
	whole = has_events(r->path);
	names = !r->no_symbols && whole && put_names(r);
	if (!names)
		recorded_pack(r->path);
	if (!whole)
		cli_note(r->path, "the trace ends before its first events: the recorder writes ten "
				  "times a second, and when the program ends by itself");
	if (whole && !cli_now->quiet)
		recorded_report_run(r, names);
	if (whole && r->report)
		print_report(r);
	buf_add_shell(&path, r->path);
	if (whole)
		cli_note(NULL, "the trace is in %s; to view it: tracemill view %s", r->path,
			 buf_str(&path));
	buf_release(&path);
	if (r->apart)
		recorded_report_apart(r);
}
