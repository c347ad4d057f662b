/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/store: what its files share.
 */
#ifndef TM_STORE_IMPL_H
#define TM_STORE_IMPL_H

#include "lib/store/store.h"

#include <pthread.h>

enum { STORE_TOKEN_LEAST = 16, STORE_TOKENS = 64, STORE_RECORD_MOST = 64 << 10 };

struct store_known_token {
	unsigned role;
	char *text;
};

struct session_store {
	char *folder;
	int at, incoming, captures, sessions, lock; /* folders that are open, and the lock */
	struct store_options o;
	struct store_known_token tokens[STORE_TOKENS];
	size_t n_tokens;

	/* Held while records and captures are written, and taken first; who has it alone changes items. */
	pthread_mutex_t disk;
	/* Of what follows, and of the sizes of uploads; never held while the disk is waited for. */
	pthread_mutex_t mutex;
	struct store_session **items;
	size_t n, cap;
	struct store_upload *uploads; /* that have a connection, or are made whole */
	uint64_t version;
	bool unreadable; /* a record: then captures without one stay */
};

struct store_upload {
	struct session_store *store;
	struct store_meta meta;
	char key[SHA256_HEX];
	int fd;
	uint64_t size, coming; /* coming: STORE_UNKNOWN */
	struct store_file file;
	int64_t moved;         /* clock_ms of the last bytes */
	bool finishing, taken; /* taken: another connection has it now */
	enum store_answer failed;
	int error; /* errno of it */
	struct store_upload *next;
};

/* record.c: one value to a name, in the order they were added. */
struct store_record {
	struct buf text;
};
void record_add(struct store_record *r, const char *name, const char *value);
void record_add_number(struct store_record *r, const char *name, uint64_t v);
/* Meta and key are part of several records. */
void record_add_meta(struct store_record *r, const struct store_meta *m);
/* Replaces the file of that name in the folder, and waits for the disk if durable. Releases r. */
enum status record_write(struct store_record *r, int folder, const char *name, bool durable,
			 struct err *e);
/* Calls each with every line. ST_BAD: no record. */
enum status record_read(int folder, const char *name,
			bool (*each)(void *arg, const char *name, const char *value), void *arg,
			struct err *e);
bool record_meta(struct store_meta *m, const char *name, const char *value);
bool record_number(const char *text, uint64_t *v);
bool record_is_digest(const char *text);

/* The key of an upload. */
void meta_key(const struct store_meta *m, char key[SHA256_HEX]);

/* sessions.c */
enum status sessions_load(struct session_store *s, struct buf *said, struct err *e);
/* With either of both held. */
struct store_session *sessions_find(const struct session_store *s, uint64_t id);
struct store_session *sessions_of_key(const struct session_store *s,
				      const char *key); /* the newest */
bool sessions_use(const struct session_store *s, const char *digest);
/* Writes the record of *one, then changes what is in memory; a new one (id 0) gets its number. With disk held, and not
 * the mutex. */
enum status sessions_save(struct session_store *s, struct store_session *one, struct err *e);

/* upload.c: the digest of an open file. */
enum status file_digest(int fd, char hex[SHA256_HEX], struct err *e);
/* The record of an upload in incoming/. */
enum status upload_who(const struct session_store *s, const char *key, struct store_meta *m,
		       struct store_file *file, struct err *e);

#endif
