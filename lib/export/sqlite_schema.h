/* SPDX-License-Identifier: MIT
 *
 * The tables of an exported database, as tm-export(1) describes them; version 1, and
 * what fills them.
 */
#ifndef TM_EXPORT_SQLITE_SCHEMA_H
#define TM_EXPORT_SQLITE_SCHEMA_H

#define DATABASE_SCHEMA                                                                          \
	"PRAGMA user_version = 1;"                                                               \
	"CREATE TABLE runs(id INTEGER PRIMARY KEY, file TEXT, format TEXT, complete INTEGER);"   \
	"CREATE TABLE attributes(run INTEGER REFERENCES runs, key TEXT, value TEXT);"            \
	"CREATE TABLE metrics(run INTEGER REFERENCES runs, metric TEXT, state TEXT,"             \
	" per_type INTEGER);"                                                                    \
	"CREATE TABLE notes(run INTEGER REFERENCES runs, severity TEXT, text TEXT,"              \
	" count INTEGER);"                                                                       \
	"CREATE TABLE threads(id INTEGER PRIMARY KEY, run INTEGER REFERENCES runs, name TEXT,"   \
	" process INTEGER, tid INTEGER, generation INTEGER);"                                    \
	"CREATE TABLE frames(id INTEGER PRIMARY KEY, run INTEGER REFERENCES runs,"               \
	" number INTEGER, label TEXT, time_ns INTEGER);"                                         \
	"CREATE TABLE frame_sums(frame INTEGER REFERENCES frames, domain TEXT, entries INTEGER," \
	" count INTEGER, requested INTEGER, real INTEGER);"                                      \
	"CREATE TABLE types(id INTEGER PRIMARY KEY, name TEXT);"                                 \
	"CREATE TABLE modules(id INTEGER PRIMARY KEY, name TEXT, build_id TEXT);"                \
	"CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT);"                                 \
	"CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, linkage_name TEXT);"          \
	"CREATE TABLE locations(id INTEGER PRIMARY KEY, module INTEGER REFERENCES modules,"      \
	" address INTEGER, known TEXT);"                                                         \
	"CREATE TABLE calls(location INTEGER REFERENCES locations, position INTEGER,"            \
	" function INTEGER REFERENCES functions, file INTEGER REFERENCES files, line INTEGER,"   \
	" PRIMARY KEY(location, position)) WITHOUT ROWID;"                                       \
	"CREATE TABLE stacks(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES stacks,"          \
	" location INTEGER REFERENCES locations, depth INTEGER);"                                \
	"CREATE TABLE allocations(run INTEGER REFERENCES runs, type INTEGER REFERENCES types,"   \
	" stack INTEGER REFERENCES stacks, domain TEXT, entries INTEGER, count INTEGER,"         \
	" requested INTEGER, real INTEGER, live_count INTEGER, live_requested INTEGER,"          \
	" live_real INTEGER);"                                                                   \
	"CREATE TABLE type_totals(run INTEGER REFERENCES runs, type INTEGER REFERENCES types,"   \
	" count INTEGER, requested INTEGER, real INTEGER);"                                      \
	"CREATE TABLE samples(run INTEGER REFERENCES runs, marker INTEGER REFERENCES types,"     \
	" stack INTEGER REFERENCES stacks, count INTEGER, time_ns INTEGER, calls INTEGER,"       \
	" period INTEGER);"                                                                      \
	"CREATE TABLE events(run INTEGER REFERENCES runs, position INTEGER, kind TEXT,"          \
	" frame INTEGER REFERENCES frames, time_ns INTEGER,"                                     \
	" thread INTEGER REFERENCES threads, type INTEGER REFERENCES types,"                     \
	" stack INTEGER REFERENCES stacks, domain TEXT, seq INTEGER, address INTEGER,"           \
	" count INTEGER, requested INTEGER, real INTEGER, value NUMERIC, target INTEGER,"        \
	" name TEXT);"                                                                           \
	"CREATE VIEW named_allocations AS SELECT a.run, t.name AS type, f.name AS function,"     \
	" p.path AS file, c.line, m.name AS module, a.domain, a.stack, a.entries, a.count,"      \
	" a.requested, a.real, a.live_count, a.live_requested, a.live_real"                      \
	" FROM allocations a LEFT JOIN types t ON t.id = a.type"                                 \
	" LEFT JOIN stacks s ON s.id = a.stack"                                                  \
	" LEFT JOIN calls c ON c.location = s.location AND c.position = 0"                       \
	" LEFT JOIN functions f ON f.id = c.function LEFT JOIN files p ON p.id = c.file"         \
	" LEFT JOIN locations l ON l.id = s.location LEFT JOIN modules m ON m.id = l.module;"

#define DATABASE_INDEXES                                         \
	"CREATE INDEX allocations_stack ON allocations(stack);"  \
	"CREATE INDEX allocations_type ON allocations(type);"    \
	"CREATE INDEX stacks_parent ON stacks(parent);"          \
	"CREATE INDEX stacks_location ON stacks(location);"      \
	"CREATE INDEX calls_function ON calls(function);"        \
	"CREATE INDEX functions_name ON functions(name);"        \
	"CREATE INDEX frames_number ON frames(run, number);"     \
	"CREATE INDEX frame_sums_frame ON frame_sums(frame);"    \
	"CREATE INDEX events_position ON events(run, position);" \
	"CREATE INDEX events_frame ON events(frame);"            \
	"CREATE INDEX events_stack ON events(stack);"

enum statement {
	INSERT_RUN,
	INSERT_ATTRIBUTE,
	INSERT_METRIC,
	INSERT_NOTE,
	INSERT_THREAD,
	INSERT_FRAME,
	INSERT_FRAME_SUM,
	INSERT_TYPE,
	INSERT_MODULE,
	INSERT_FILE,
	INSERT_FUNCTION,
	INSERT_LOCATION,
	INSERT_CALL,
	INSERT_STACK,
	INSERT_ALLOCATION,
	INSERT_TYPE_TOTAL,
	INSERT_SAMPLE,
	INSERT_EVENT,
	INSERT_MERGED,
	STATEMENTS
};

static const char *const statements[STATEMENTS] = {
    [INSERT_RUN] = "INSERT INTO runs VALUES(?,?,?,?)",
    [INSERT_ATTRIBUTE] = "INSERT INTO attributes VALUES(?,?,?)",
    [INSERT_METRIC] = "INSERT INTO metrics VALUES(?,?,?,?)",
    [INSERT_NOTE] = "INSERT INTO notes VALUES(?,?,?,?)",
    [INSERT_THREAD] = "INSERT INTO threads VALUES(?,?,?,?,?,?)",
    [INSERT_FRAME] = "INSERT INTO frames VALUES(?,?,?,?,?)",
    [INSERT_FRAME_SUM] = "INSERT INTO frame_sums VALUES(?,?,?,?,?,?)",
    [INSERT_TYPE] = "INSERT INTO types VALUES(?,?)",
    [INSERT_MODULE] = "INSERT INTO modules VALUES(?,?,?)",
    [INSERT_FILE] = "INSERT INTO files VALUES(?,?)",
    [INSERT_FUNCTION] = "INSERT INTO functions VALUES(?,?,?)",
    [INSERT_LOCATION] = "INSERT INTO locations VALUES(?,?,?,?)",
    [INSERT_CALL] = "INSERT INTO calls VALUES(?,?,?,?,?)",
    [INSERT_STACK] = "INSERT INTO stacks VALUES(?,?,?,?)",
    [INSERT_ALLOCATION] = "INSERT INTO allocations VALUES(?,?,?,?,?,?,?,?,?,?,?)",
    [INSERT_TYPE_TOTAL] = "INSERT INTO type_totals VALUES(?,?,?,?,?)",
    [INSERT_SAMPLE] = "INSERT INTO samples VALUES(?,?,?,?,?,?,?)",
    [INSERT_EVENT] = "INSERT INTO events VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [INSERT_MERGED] = "INSERT INTO temp.merged VALUES(?,?)",
};

#endif
