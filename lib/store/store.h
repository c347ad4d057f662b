/* SPDX-License-Identifier: MIT
 *
 * A store of sessions: captures that testers' devices send, kept as files beside a history (lib/history), which has
 * their sums. This room takes uploads, makes them whole, and knows what is there; it speaks no protocol and reads no
 * capture.
 *
 * On disk, in one folder:
 *
 *	history.db        the history, unless it is in PostgreSQL
 *	tokens            who may do what: lines "ROLE TOKEN"; made at the first start
 *	lock              held by the one process that writes here
 *	incoming/KEY      the bytes of an upload so far
 *	incoming/KEY.who  its record: name, labels, length and digest if known
 *	captures/DIGEST   a whole capture, by its SHA-256; several sessions may share it
 *	sessions/NUMBER   the record of an acknowledged upload
 *
 * KEY is the SHA-256 of an upload's name and labels: the same file, sent again with the same labels, goes on where it
 * was. Records are lines "NAME VALUE", of which VALUE is percent-encoded; they are written beside, synchronized, and
 * renamed.
 *
 * An upload's states:
 *
 *	arriving   its bytes are in incoming/. If the connection or the server ends, they stay, and the upload goes on
 *	           from their number.
 *	whole      The bytes and their digest are on the disk, then a second link in captures/, then the record, each
 *	           synchronized before the next; only then is it acknowledged, and incoming/ cleared.
 *	reading    sums are made of it; the record counts the attempts.
 *	added      the history has it as a run
 *	failed     the record says why
 *
 * After a crash, store_open: captures that no record names are removed (nobody was told of them, and incoming/ still
 * has the bytes), unless a record cannot be read; uploads that have all their bytes are made whole by the caller
 * (store_complete); a session that was being read is read again, once.
 *
 * All functions may be called by several threads, but for those of one upload.
 */
#ifndef TM_STORE_STORE_H
#define TM_STORE_STORE_H

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/sha256.h"

#include <stdbool.h>

#define STORE_UNKNOWN UINT64_MAX /* a length that was not told */

enum store_role {
	STORE_UPLOAD = 1 << 0,
	STORE_READ = 1 << 1,
	STORE_EDIT = 1 << 2, /* writes notes; reads, too */
};

/* What the request was answered; each is a status of HTTP. */
enum store_answer {
	STORE_DONE,  /* 201: a new session; or what was asked for is done */
	STORE_KNOWN, /* 200: the same bytes with the same labels were there */
	STORE_PART,  /* 202: what came is there, and more is to come */
	STORE_BAD, /* 400: a name or label that may not be, or bytes that are not those of the digest */
	STORE_OFFSET, /* 409: it goes on elsewhere */
	STORE_BUSY,   /* 423: the same upload is under way */
	STORE_LARGE,  /* 413: larger than may be */
	STORE_FULL,   /* 507: no room */
	STORE_FAILED, /* 500: the disk or the system */
};

/* What a request says of the whole file that it sends or asks for. */
struct store_file {
	uint64_t total;          /* bytes; STORE_UNKNOWN */
	char digest[SHA256_HEX]; /* "": not told */
};

enum { STORE_NAME = 129, STORE_LABELS = 16, STORE_WORD = 33, STORE_VALUE = 201 };

/* Who an upload is. */
struct store_meta {
	char name[STORE_NAME]; /* of its file: letters, digits, and ._- but none of these first */
	struct store_label {
		char name[STORE_WORD]; /* build, branch, commit, machine, date, status or any other:
					  * small letters, digits, _ and - */
		char value[STORE_VALUE]; /* UTF-8 without control characters, not empty */
	} labels[STORE_LABELS];          /* in the order of their names */
	size_t n;
};

/* ST_BAD: it may not be so. A label may be given once. */
enum status store_meta_name(struct store_meta *m, const char *name, struct err *e);
enum status store_meta_label(struct store_meta *m, const char *name, const char *value,
			     struct err *e);
const char *store_meta_get(const struct store_meta *m, const char *name); /* NULL: not given */

enum store_state {
	STORE_WAITING, /* to be read */
	STORE_READING,
	STORE_ADDED,
	STORE_UNREAD, /* reading failed */
	STORE_STATES,
};
extern const char *const store_states[]; /* as records have them */

struct store_session {
	uint64_t id; /* from 1 */
	struct store_meta meta;
	char key[SHA256_HEX], digest[SHA256_HEX];
	uint64_t bytes;
	char received[32]; /* YYYY-MM-DDTHH:MM:SSZ */
	enum store_state state;
	unsigned attempts;
	int64_t run; /* of the history; 0: none */
	bool
	    gone; /* the capture's file is no longer kept (retention); its sums stay in the history */
	char p99[32];     /* frame times in ns, of which 99 % are no longer; "": not known */
	char reason[400]; /* of STORE_UNREAD */
};

struct store_options {
	uint64_t most;      /* bytes of a capture */
	uint64_t keep_last; /* captures of each branch, the newest; 0: all */
	uint64_t keep_days; /* captures and unfinished uploads; 0: for ever */
};

struct session_store;

/* Makes the folder if need be, and takes its lock. NULL: *e says why; ST_LIMIT: another process has it. Of what was
 * found in disorder *said has lines. */
struct session_store *store_open(const char *folder, const struct store_options *o,
				 struct buf *said, struct err *e);
void store_close(struct session_store *s); /* accepts NULL */
/* What the token of n bytes allows: bits of enum store_role. Its time says nothing of how much was right. */
unsigned store_role_of(const struct session_store *s, const char *token, size_t n);
/* The first token of a role, or NULL. */
const char *store_token(const struct session_store *s, enum store_role role);

/* --- uploads --- */

struct store_upload;

/* offset: where the bytes go on; n: how many come, or STORE_UNKNOWN. STORE_OFFSET: *have is the only offset that goes on;
 * 0 also if what is there is of a file of another length or digest. An upload that has been silent for STORE_SILENT_MS, or is to go
 * on by its offset, is taken from the connection that had it. */
enum { STORE_SILENT_MS = 5000 };
enum store_answer store_begin(struct session_store *s, const struct store_meta *m, uint64_t offset,
			      uint64_t n, const struct store_file *file, struct store_upload **u,
			      uint64_t *have, struct err *e);
/* STORE_DONE: it goes on. After another answer the rest is not taken, and store_end gives the same again. */
enum store_answer store_append(struct store_upload *u, const void *p, size_t n);
/* The bytes came to their end, after which there are *have. STORE_DONE: call store_finish. */
enum store_answer store_end(struct store_upload *u, uint64_t *have, struct err *e);
/* Waits for the disk. Frees u. STORE_DONE, STORE_KNOWN: acknowledged as *id. STORE_BAD: the bytes are not those of the
 * digest, and are removed. */
enum store_answer store_finish(struct store_upload *u, uint64_t *id, struct err *e);
/* The connection broke: what came stays. Frees u, which may be NULL. */
void store_drop(struct store_upload *u);
/* Makes uploads whole that have all of their bytes and no connection. */
void store_complete(struct session_store *s);
/* How much is there of an upload of this file, whose length is known: *whole: all of it. False: nothing that it can go on
 * from. */
bool store_offset(struct session_store *s, const struct store_meta *m,
		  const struct store_file *file, uint64_t *have, bool *whole);
/* One that arrives or waits to go on. */
struct store_arrival {
	struct store_meta meta;
	char key[SHA256_HEX];
	uint64_t bytes; /* that are there */
	struct store_file file;
	bool live; /* a connection sends it */
};
/* The caller's to free. */
struct store_arrival *store_arrivals(struct session_store *s, size_t *n);

/* --- sessions --- */

/* Copies, oldest first; the caller's to free. */
struct store_session *store_sessions(struct session_store *s, size_t *n);
bool store_session(struct session_store *s, uint64_t id, struct store_session *to);
/* The next to be read, which is then STORE_READING. False: none. */
bool store_next(struct session_store *s, struct store_session *to);
/* How its reading ended; reason NULL: as run. */
enum status store_read(struct session_store *s, uint64_t id, int64_t run, const char *p99,
		       const char *reason, struct err *e);
/* The path of a capture; the caller's to free. */
char *store_capture_path(const struct session_store *s, const char *digest);
char *store_arrival_path(const struct session_store *s, const char *key);
/* Grows with each change of what there is. */
uint64_t store_version(struct session_store *s);
/* Removes by the rules what is not to be kept: files of captures, and uploads that did not go on. Records stay. */
void store_retain(struct session_store *s);

#endif
