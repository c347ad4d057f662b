/* SPDX-License-Identifier: MIT
 *
 * A chunk of a recording of Java's Flight Recorder: its metadata, which say how values of each class lie in it, its
 * constants, and its events. All of a chunk is in memory; constants are decoded when they are asked for, so that those
 * that refer to each other in a circle are harmless.
 *
 *	"FLR\0", u2 major, u2 minor; u8: bytes of the chunk, place of the last constants, of the metadata, ns since 1970
 *	and ns of the recording, ticks at its start, ticks a second; u4 flags, of which 1: numbers are compressed
 *	an event: bytes of it, id of its class, then its fields
 *	0: the metadata: time, duration, id, strings, a tree of elements with attributes
 *	1: constants: time, duration, distance to those before, a flag, pools: id of a class, constants: key, fields
 *
 * A number has 7 bits of each of the first 8 bytes, the lowest first, and 8 of a ninth. A string is a byte that says
 * how: 0 none, 1 empty, 2 key of a constant, 3 UTF-8, 4 characters, 5 Latin-1; then its number of bytes or characters.
 *
 * From OpenJDK's jdk.jfr.internal (consumer/ChunkHeader, MetadataReader, StringParser) and
 * jfr/recorder/checkpoint, and recordings of OpenJDK and async-profiler.
 */
#ifndef TM_FORMATS_JAVA_JFR_CHUNK_H
#define TM_FORMATS_JAVA_JFR_CHUNK_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"

enum { JFR_HEADER = 68, JFR_VALUES = 128 };

/* Fields that readers ask for, of any class. */
enum jfr_field {
	JFR_NONE,
	JFR_START,
	JFR_THREAD,  /* eventThread */
	JFR_SAMPLED, /* sampledThread */
	JFR_STACK,
	JFR_SAMPLES,
	JFR_TRUNCATED,
	JFR_FRAMES,
	JFR_METHOD,
	JFR_LINE,
	JFR_TYPE,
	JFR_NAME,
	JFR_OS_NAME,
	JFR_OS_ID,
	JFR_JAVA_NAME,
	JFR_JAVA_ID,
	JFR_OBJECT_CLASS,
	JFR_ALLOCATION_SIZE,
	JFR_TLAB_SIZE,
	JFR_WEIGHT,
	JFR_ADDRESS,
	JFR_SIZE,
	JFR_HEAP_USED,
	JFR_HEAP_COMMITTED,
	JFR_METASPACE_USED,
	JFR_JVM_USER,
	JFR_JVM_SYSTEM,
	JFR_MACHINE_TOTAL,
	JFR_USED_SIZE,
	JFR_ACTIVE_COUNT,
	JFR_LOADED_CLASSES,
	JFR_SUM_OF_PAUSES,
	JFR_MEMORY_USED,
	JFR_FIELDS
};

enum jfr_kind { JFR_BYTE, JFR_NUMBER, JFR_FLOAT, JFR_DOUBLE, JFR_STRING, JFR_CONSTANT, JFR_ARRAY };

/* A value of a class, where the classes of its fields are taken apart. */
struct jfr_op {
	uint8_t kind;   /* enum jfr_kind */
	bool constants; /* of an array: of keys */
	uint32_t class; /* of constants, and of an array's elements: a place in classes */
};

struct jfr_class {
	uint64_t id;
	uint32_t name;   /* of texts */
	size_t first, n; /* of fields; then of ops */
	size_t op, n_ops;
	uint8_t state;          /* enum layout_state, jfr_chunk.c */
	uint8_t at[JFR_FIELDS]; /* which of its ops a field is, from 1; 0: none */
	struct map64 constants; /* key -> offset in the chunk */
	uint32_t interest;      /* the reader's */
};

struct jfr_chunk {
	const uint8_t *p;
	size_t n;
	uint64_t offset; /* in the file */
	uint64_t nanos, ticks, rate;
	struct jfr_class *classes;
	size_t n_classes, cap_classes;
	struct jfr_metadata *metadata; /* jfr_chunk.c */
	struct jfr_op *ops;
	size_t n_ops, cap_ops;
	struct map64 ids;    /* of classes: a place and 1 */
	struct intern texts; /* of the metadata */
	uint64_t lost;       /* constants that could not be read */
};

/* Over n bytes that begin with a header, borrowed. ST_BAD: its metadata are not there, or damaged. */
enum status jfr_chunk_open(struct jfr_chunk *c, const uint8_t *p, size_t n, uint64_t offset,
			   struct err *e);
void jfr_chunk_release(struct jfr_chunk *c);

/* The events behind *at (0: the first), one after the other; false: there are no more. */
struct jfr_event {
	size_t at, body,
	    end; /* offsets in the chunk: of the event, its fields, what is behind it */
	struct jfr_class *class; /* NULL: metadata, constants, or a class that is not described */
};
bool jfr_event_next(struct jfr_chunk *c, size_t *at, struct jfr_event *ev);

/* A class's value at an offset, which ends before end: numbers as they are; of a string and of an array where it is; of
 * a constant its key. False: the bytes end within it. */
struct jfr_values {
	const struct jfr_class *class;
	uint64_t v[JFR_VALUES];
};
bool jfr_values(struct jfr_chunk *c, const struct jfr_class *class, size_t at, size_t end,
		struct jfr_values *to);
static inline bool jfr_has(const struct jfr_values *v, enum jfr_field f)
{
	return v->class && v->class->at[f];
}
static inline uint64_t jfr_value(const struct jfr_values *v, enum jfr_field f) /* 0: it has none */
{
	return jfr_has(v, f) ? v->v[v->class->at[f] - 1] : 0;
}
const struct jfr_op *jfr_op_of(const struct jfr_chunk *c, const struct jfr_values *v,
			       enum jfr_field f);
/* The constant that a field refers to; false: it is not there. */
bool jfr_constant(struct jfr_chunk *c, const struct jfr_values *v, enum jfr_field f,
		  struct jfr_values *to);
/* Appends the text of a field: a string, or a constant whose first string it is. */
void jfr_text(struct jfr_chunk *c, const struct jfr_values *v, enum jfr_field f, struct buf *to);
/* The elements of an array, one after the other: *at is the array's value at first, and *left 0. */
bool jfr_element(struct jfr_chunk *c, const struct jfr_op *array, size_t *at, uint64_t *left,
		 struct jfr_values *to);

#endif
