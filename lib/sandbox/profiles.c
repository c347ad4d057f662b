/* SPDX-License-Identifier: MIT
 *
 * The profiles: the rights of each program. Every program has a row without `when`; the other rows
 * are its exceptions.
 */
#include "lib/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

/* Reads what the command line names. A pipe or a compressed file that is read twice is spooled. */
#define READS (SANDBOX_NAMED | SANDBOX_SPOOL | SANDBOX_THREADS)
/* The same with a history on a server, whose library is loaded and may read what configures it. */
#define READS_AND_ASKS (READS | SANDBOX_ANY_FILE | SANDBOX_NETWORK | SANDBOX_CODE)
/* A capture names binaries anywhere, and those name debug files anywhere; indexes are kept. */
#define SYMBOLIZES \
	(SANDBOX_ANY_FILE | SANDBOX_SPOOL | SANDBOX_FILES | SANDBOX_THREADS | SANDBOX_WORKERS)
/* The same, of files that grow, for whatever was named; what looks symbols up enters narrower profiles. */
#define FOLLOWS (SYMBOLIZES | SANDBOX_NAMED | SANDBOX_NARROWS)
/* Loads a library that talks to a server, and may read what configures it. */
#define ASKS (SANDBOX_ANY_FILE | SANDBOX_NETWORK | SANDBOX_CODE | SANDBOX_THREADS)

static const char binaries[] = "binaries and debug files are found by paths in what it reads";
static const char follows[] = "symbols are looked up as files grow";
static const char server[] = "libpq talks to the server";

const struct sandbox_profile sandbox_profiles[] = {
    {"tm-dump", NULL, READS, NULL},
    {"tm-import", NULL, READS, NULL},
    {"tm-export", NULL, READS, NULL},
    {"tm-filter", NULL, READS, NULL},
    {"tm-merge", NULL, READS, NULL},
    {"tm-merge", "--files-from", READS | SANDBOX_ANY_FILE, "names of files are read from a file"},
    {"tm-top", NULL, READS, NULL},
    {"tm-frames", NULL, READS, NULL},
    {"tm-heap", NULL, READS, NULL},
    {"tm-spikes", NULL, READS, NULL},
    {"tm-session", NULL, READS, NULL},
    {"tm-compare", NULL, READS, NULL},
    {"tm-compare", "--history", READS | SANDBOX_FILES, "SQLite has files beside its own"},
    {"tm-compare", "--history on PostgreSQL", READS_AND_ASKS, server},
    {"tm-history", NULL, READS | SANDBOX_FILES, "SQLite has files beside its own"},
    {"tm-history", "on PostgreSQL", READS_AND_ASKS, server},
    {"tm-view", NULL, READS | SANDBOX_SERVE, "it answers browsers"},
    {"tm-view", "without a browser", READS, NULL},
    {"tm-view", "--follow", FOLLOWS | SANDBOX_SERVE, follows},
    {"tm-view", "--follow without a browser", FOLLOWS, follows},
    {"tm-view", "--store", READS | SANDBOX_SERVE | SANDBOX_FILES,
     "it keeps what is uploaded, and SQLite has files beside its own"},
    {"tm-view", "--store on PostgreSQL", READS_AND_ASKS | SANDBOX_SERVE | SANDBOX_FILES,
     "it keeps what is uploaded, and libpq talks to the server"},
    {"tm-symbolize", NULL, SYMBOLIZES, binaries},
    {"tm-inspect", NULL, SYMBOLIZES, binaries},
    {"tm-addr2line", NULL, SYMBOLIZES, binaries},
    {"tm-atos", NULL, SYMBOLIZES, binaries},
    {"tm-llvm-symbolizer", NULL, SYMBOLIZES, binaries},
    {"tracemill", NULL, SANDBOX_FREE, "it starts the others, which are held"},
    {"tracemill", "show, looking", READS,
     "a child looks at the file, so that what starts programs reads none"},
    {"tm-record", NULL, SANDBOX_FREE, "it starts the program, which is not to be held"},
    {"tm-record", "--unity", ASKS, "it talks to the player"},
    {"tm-record", "--receive", ASKS, "it listens to the agent"},
    {SANDBOX_SYMBOLS, NULL, SYMBOLIZES | SANDBOX_NARROWS, binaries},
    {SANDBOX_READER, NULL, 0, NULL},
    {SANDBOX_READER, "split units", SANDBOX_ANY_FILE, "a binary names the files of its units"},
    {SANDBOX_FETCHER, NULL,
     SANDBOX_NAMED | SANDBOX_FILES | SANDBOX_NETWORK | SANDBOX_CODE | SANDBOX_THREADS,
     "libdebuginfod talks to the servers"},
    {.program = NULL},
};

const struct sandbox_profile *sandbox_profile(const char *program, const char *when)
{
	for (const struct sandbox_profile *p = sandbox_profiles; p->program; p++)
		if (!strcmp(p->program, program) &&
		    (when ? p->when && !strcmp(p->when, when) : !p->when))
			return p;
	abort();
}
