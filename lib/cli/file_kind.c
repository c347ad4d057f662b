/* SPDX-License-Identifier: MIT */
#include "lib/cli/file_kind.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes at an offset; and what may stand anywhere in the first part of a text. */
struct kind_mark {
	size_t at, n;
	const char *bytes, *within;
	const char *what, *program, *advice;
};

enum { WITHIN = 4096, ENOUGH = 100000 };

static const char lfs[] = "fetch the file itself: git lfs pull";
static const char zipped[] = "unpack it, and show the captures that are in it";
static const char on_windows[] = "tm-inspect and tm-symbolize read ELF and Mach-O";

static const struct kind_mark marks[] = {
    {0, 42, "version https://git-lfs.github.com/spec/v1", NULL, "a Git LFS pointer, not the file",
     NULL, lfs},
    {0, 17, "{\"dhatFileVersion", NULL, "a heap profile of valgrind's DHAT", NULL,
     "dh_view.html shows it; to have what tracemill tells, record with tm-record"},
    {0, 4, "tr\375P", NULL, "a trace of Tracy", NULL, "tracy-csvexport prints it"},
    {0, 4, "tlZ\004", NULL, "a trace of Tracy", NULL, "tracy-csvexport prints it"},
    {0, 4, "tZst", NULL, "a trace of Tracy", NULL, "tracy-csvexport prints it"},
    {0, 4, "2CRT", NULL, "a trace of Unreal Engine (.utrace)", NULL, "Unreal Insights reads it"},
    {0, 4, "ECRT", NULL, "a trace of Unreal Engine (.utrace)", NULL, "Unreal Insights reads it"},
    {0, 4, "FLR\0", NULL, "a Java Flight Recorder file", NULL,
     "jfr print --events ObjectAllocationSample prints its allocations"},
    {0, 12, "JAVA PROFILE", NULL, "a heap dump of Java (HPROF)", NULL, "jhat or MAT reads it"},
    {0, 29, "Microsoft C/C++ MSF 7.00\r\n\032DS", NULL, "debug information of Windows (PDB)", NULL,
     on_windows},
    {0, 2, "MZ", NULL, "a program or library of Windows (PE)", NULL, on_windows},
    {0, 4, "\312\376\272\276", NULL, "a Mach-O binary for several machines", "inspect", NULL},
    {0, 4, "\317\372\355\376", NULL, "a Mach-O binary", "inspect", NULL},
    {0, 4, "\316\372\355\376", NULL, "a Mach-O binary of 32 bits", "inspect", NULL},
    {0, 8, "!<arch>\n", NULL, "an archive of objects (ar)", "inspect", NULL},
    {0, 8, "\211TMA\r\n\032\n", NULL, "an aggregate of tracemill", "top", NULL},
    {0, 16, "SQLite format 3", NULL, "a database of SQLite", NULL,
     "when it is a store of runs: tm-history list FILE; when tm-export made it: sqlite3 FILE"},
    {0, 7, "MODULE ", "\nFUNC ", "symbols of Breakpad", NULL,
     "tm-symbolize -e FILE puts them into a trace"},
    {0, 4, "GSYM", NULL, "symbols in the GSYM form", NULL,
     "tm-symbolize -e FILE puts them into a trace"},
    {0, 4, "MYSG", NULL, "symbols in the GSYM form", NULL,
     "tm-symbolize -e FILE puts them into a trace"},
    {0, 4, "PK\3\4", NULL, "a zip file", NULL, zipped},
    {257, 5, "ustar", NULL, "a tar file", NULL, zipped},
    {0, 1, "{", "\"program\":\"tm-", "a report of tracemill, as JSON", NULL,
     "a report is not a capture: show the capture"},
    {0, 5, "%PDF-", NULL, "a PDF", NULL, NULL},
    {0, 0, NULL, NULL, NULL, NULL, NULL},
};

/* Without a mark of their own; the name must do. */
static const struct {
	const char *suffix, *what, *advice;
} suffixes[] = {
    {".etl", "events of Windows (ETL), by its name", "Windows Performance Analyzer reads it"},
    {".utrace", "a trace of Unreal Engine, by its name", "Unreal Insights reads it"},
    {".perfetto-trace", "a trace of Perfetto, by its name", "ui.perfetto.dev shows it"},
    {".pftrace", "a trace of Perfetto, by its name", "ui.perfetto.dev shows it"},
};

__attribute__((format(printf, 2, 3))) static void kind_say(struct file_kind *k, const char *fmt,
							   ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(k->what, sizeof k->what, fmt, ap);
	va_end(ap);
}

static bool mark_fits(const struct kind_mark *m, const uint8_t *p, size_t n)
{
	if (n < m->at + m->n || memcmp(p + m->at, m->bytes, m->n) != 0)
		return false;
	return !m->within || memmem(p, n < WITHIN ? n : WITHIN, m->within, strlen(m->within));
}

/* Which of several programs; a core has the form of one. */
static void kind_of_elf(struct file_kind *k, const uint8_t *p, size_t n)
{
	bool big = n > EI_DATA && p[EI_DATA] == ELFDATA2MSB;
	unsigned type = n < 18 ? 0 : big ? p[17] : p[16];

	if (type == ET_CORE) {
		kind_say(k, "a core of a process that died");
		k->advice = "gdb PROGRAM FILE reads it; it has no allocations";
		return;
	}
	kind_say(k, "%s", type == ET_REL ? "an object file (ELF)" : "a program or library (ELF)");
	k->program = "inspect";
}

/* Looks at events until they say what the capture is about. */
struct kind_sink {
	struct sink sink;
	uint64_t objects, calls, counters, seen;
	char format[64];
};

static enum status kind_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct kind_sink *k = (struct kind_sink *)s;
	const char *format = trace_get(t, "format");

	(void)e;
	if (format && !*k->format)
		snprintf(k->format, sizeof k->format, "%s", format);
	return ST_OK;
}

static enum status kind_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct kind_sink *k = (struct kind_sink *)s;

	(void)t;
	switch (ev->kind) {
	case EV_OBJECT: k->objects++; break;
	case EV_COUNTER: k->counters++; break;
	case EV_ALLOC:
	case EV_TYPE_TOTAL:
	case EV_DELTA:
	case EV_SAMPLE:
	case EV_ENTER: k->calls++; break;
	default: break;
	}
	if (k->objects || k->calls || ++k->seen > ENOUGH)
		return err_set(e, ST_PIPE, "enough");
	return ST_OK;
}

static enum status kind_end(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

static void kind_of_capture(struct input *in, const struct reader *r, struct file_kind *k)
{
	struct kind_sink sink = {.sink = {kind_begin, kind_event, kind_end, NULL}};
	struct import_options o = {.format = r->name};
	struct err e = ERR_INIT;
	const struct reader *from = NULL;
	bool lossy;

	/* What is wrong with it is for the report to say. */
	(void)capture_read(in, &o, &sink.sink, &lossy, &e);
	if (!strcmp(r->name, "trace") && *sink.format)
		from = reader_by_name(sink.format);
	kind_say(k, "%s%s%s%s", strcmp(r->name, "trace") ? r->what : "a trace of tracemill",
		 from ? ", from " : "", from ? from->what : "", "");
	k->program = !strcmp(r->name, "pet")        ? "spikes"
		     : sink.objects                 ? "heap"
		     : sink.calls || !sink.counters ? "top"
						    : "frames";
}

static void kind_of_rest(struct file_kind *k, const char *path, const uint8_t *p, size_t n)
{
	size_t len = strlen(path), texts = 0;

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t m = strlen(suffixes[i].suffix);

		if (len <= m || strcmp(path + len - m, suffixes[i].suffix) != 0)
			continue;
		kind_say(k, "%s", suffixes[i].what);
		k->advice = suffixes[i].advice;
		return;
	}
	for (size_t i = 0; i < n && i < WITHIN; i++)
		texts += p[i] >= ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r';
	kind_say(k, "%s, in no form that is known",
		 texts == (n < WITHIN ? n : (size_t)WITHIN) ? "text" : "binary data");
	k->advice = "the forms that are read: tm-import --list-formats";
}

static void kind_of_head(struct input *in, const char *path, struct file_kind *k, const uint8_t *p,
			 size_t n)
{
	const struct kind_mark *m = marks;
	int bid = 0;
	const struct reader *r = reader_by_bid(p, n, n < INPUT_HEAD, &bid);

	while (m->what && !mark_fits(m, p, n))
		m++;
	if (n > 4 && !memcmp(p, "\177ELF", 4))
		kind_of_elf(k, p, n);
	else if (m->what &&
		 (!r || (size_t)bid < 8 * (m->n + (m->within ? strlen(m->within) : 0)))) {
		kind_say(k, "%s", m->what);
		k->program = m->program;
		k->advice = m->advice;
	} else if (r)
		kind_of_capture(in, r, k);
	else if (maps_head(p, n)) {
		kind_say(k, "a module map (/proc/PID/maps)");
		k->advice = "it goes with a capture: --maps FILE";
	} else
		kind_of_rest(k, path, p, n);
}

enum status file_look(const char *path, struct file_kind *k, struct err *e)
{
	struct input in = {0};
	const uint8_t *p = NULL;
	struct stat st;
	size_t n = 0;
	enum status status;

	*k = (struct file_kind){.program = NULL};
	if (!stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size) {
		kind_say(k, "an empty file");
		k->advice = "whatever should have written it has not";
		return ST_OK;
	}
	status = input_open(&in, path, e);
	if (!status)
		status = input_head(&in, &p, &n);
	if (!status)
		kind_of_head(&in, path, k, p, n);
	input_close(&in);
	return status;
}
