/* SPDX-License-Identifier: MIT */
#include "formats/known_types.h"

#include "formats/reader.h"
#include "lib/base/bytes.h"
#include "lib/base/num.h"
#include "lib/input/stack_line.h"

#include <elf.h>
#include <string.h>

/* Bytes at an offset; and words that may be anywhere in the first part of a text. */
struct mark {
	size_t at, n;
	const char *bytes, *within;
	struct known_type is;
};

enum { WITHIN = 4096 };

#define UNPACK  "unpack it, and give the captures inside"
#define IN_PDB  "tm-inspect checks it; tm-symbolize -e FILE takes its names"
#define SYMBOLS "tm-symbolize -e FILE adds its names to a trace"
#define OF_SOURCE_MAP                                                                  \
	{                                                                              \
		"a source map", NULL,                                                  \
		    "of WebAssembly: tm-symbolize -e MODULE.wasm finds it beside the " \
		    "module and in --debug-dir"                                        \
	}
#define GOES(how) "use it with a capture: tm-symbolize " how
#define UTRACE(how)                                                                     \
	{                                                                               \
		"a trace of Unreal Engine (.utrace)" how, NULL,                         \
		    "the format has no open description and no public file; tracemill " \
		    "reads what TimingInsights.ExportTimingEvents of Unreal Insights "  \
		    "writes of it, and memreport -full"                                 \
	}
#define OF_UFTRACE                                                                      \
	"names, clock and threads are in the files beside it: give the directory that " \
	"uftrace wrote, which has a file info"
#define TRACY                                                                         \
	{                                                                             \
		"a trace of Tracy", NULL,                                             \
		    "export it with tracy-csvexport -u, whose tables tracemill reads" \
	}

#define OF_PPROF(what)                                                       \
	{                                                                    \
		what, NULL, "convert it: go tool pprof -proto FILE >FILE.pb" \
	}
/* It may show a crash, a trace or a report as an example. */
#define MANUAL                                                     \
	{                                                          \
		"a page of the manual (roff)", NULL, "man -l FILE" \
	}
#define OF_APPLE                                                                         \
	{                                                                                \
		"a crash report of macOS or iOS", NULL,                                  \
		    "tm-symbolize --text -e PROGRAM FILE names its calls; of an app, -e" \
		    " takes the binary in its .dSYM"                                     \
	}
/* imageOffset is from the begin of the image usedImages[imageIndex]. */
#define OF_IPS                                                                                 \
	{                                                                                      \
		"a crash report of macOS or iOS (JSON)", NULL,                                 \
		    "tm-atos -o PROGRAM --offset IMAGEOFFSET names its calls: each frame has " \
		    "an imageOffset, in the image that imageIndex counts to in usedImages"     \
	}
#define V8_LOG      "node --prof-process --preprocess FILE >FILE.json makes a profile of it"
#define CPU_PROFILE OF_PPROF("a CPU profile of gperftools")

static const struct mark marks[] = {
    {0,
     42,
     "version https://git-lfs.github.com/spec/v1",
     NULL,
     {"a Git LFS pointer, not the file", NULL, "fetch the file itself: git lfs pull"}},
    {0, 4, "tr\375P", NULL, TRACY},
    {0, 4, "tlZ\004", NULL, TRACY},
    {0, 4, "tZst", NULL, TRACY},
    {0, 4, "2CRT", NULL, UTRACE("")},
    {0, 4, "ECRT", NULL, UTRACE("")},
    {0, 24, "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", NULL, CPU_PROFILE},
    {0, 12, "\0\0\0\0\3\0\0\0\0\0\0\0", NULL, CPU_PROFILE},
    {0, 12, "\0\0\0\0\3\0\0\0\1\0\0\0", NULL, CPU_PROFILE},
    {0, 3, ".\\\"", "\n.TH ", MANUAL},
    {0, 3, ".\\\"", "\n.Dd ", MANUAL},
    {0, 3, "'\\\"", "\n.TH ", MANUAL},
    {0, 4, ".TH ", "\n.SH ", MANUAL},
    {0, 4, ".Dd ", "\n.Dt ", MANUAL},
    {0, 15, "--- contentionz", NULL, OF_PPROF("a profile of contention, as text")},
    {0, 8, "Process:", "\nCode Type:", OF_APPLE},
    {0, 19, "Incident Identifier", "\nException Type:", OF_APPLE},
    {0, 10, "----------", "\nTranslated Report", OF_APPLE},
    {0, 1, "{", "\"bug_type\":", OF_IPS},
    {0, 11, "--- threadz", NULL, OF_PPROF("a profile of threads, as text")},
    {0, 9, "--- heapz", NULL, OF_PPROF("a heap profile of Java, as text")},
    {0, 25, "goroutine profile: total ", NULL, OF_PPROF("a profile of Go, as text")},
    {0, 28, "threadcreate profile: total ", NULL, OF_PPROF("a profile of Go, as text")},
    {0,
     29,
     "Microsoft C/C++ MSF 7.00\r\n\032DS",
     NULL,
     {"debug information of Windows (PDB)", "inspect", IN_PDB}},
    {0,
     4,
     "BSJB",
     NULL,
     {"a portable PDB of .NET", NULL, "it is not read: tm-symbolize reads PDBs of Visual C++"}},
    {0, 4, "\0asm", NULL, {"a WebAssembly module", "inspect", SYMBOLS}},
    {0, 4, "\317\372\355\376", NULL, {"a Mach-O binary", "inspect", SYMBOLS}},
    {0, 4, "\316\372\355\376", NULL, {"a Mach-O binary of 32 bits", "inspect", SYMBOLS}},
    /* by the symbols that Microsoft's linkers give it, and binutils' dlltool */
    {0, 8, "!<arch>\n", "__IMPORT_DESCRIPTOR_", {"an import library of a DLL", "inspect", NULL}},
    {0, 8, "!<arch>\n", "_iname", {"an import library of a DLL", "inspect", NULL}},
    {0, 8, "!<arch>\n", NULL, {"an archive of objects (ar)", "inspect", NULL}},
    {0,
     8,
     "\211TMA\r\n\032\n",
     NULL,
     {"an aggregate of tracemill", "top",
      "an aggregate has no events: use tm-top, tm-frames, tm-compare, tm-merge or tm-dump"}},
    {0,
     16,
     "SQLite format 3",
     NULL,
     {"a database of SQLite", NULL,
      "a store of runs: tm-history list FILE; a file of tm-export: sqlite3 FILE"}},
    {0, 7, "MODULE ", "\nFUNC ", {"a symbol file of Breakpad", NULL, SYMBOLS}},
    {0, 4, "GSYM", NULL, {"a symbol file in GSYM format", NULL, SYMBOLS}},
    {0, 4, "MYSG", NULL, {"a symbol file in GSYM format", NULL, SYMBOLS}},
    {0, 8, "usym\2\0\0\0", NULL, {"Unity's symbols of a binary (usym)", NULL, GOES("--usym FILE")}},
    {0,
     8,
     "sym-\2\0\0\0",
     NULL,
     {"Unity's lines of a binary (usymlite)", NULL, GOES("--usym FILE")}},
    {0, 1, "{", "\"mappings\"", OF_SOURCE_MAP},
    {0, 1, "{", "\"sources\"", OF_SOURCE_MAP},
    {0, 1, "{", ".cpp\"", {"a line map of il2cpp", NULL, GOES("--linemap FILE")}},
    {0,
     2,
     "# ",
     "# compiler: R8\n",
     {"names that R8 obfuscated (mapping.txt)", NULL,
      "retrace restores them in a text, traceconv in a Perfetto trace, which tracemill reads"}},
    {0, 6, "Rar!\32\7", NULL, {"a rar file", NULL, UNPACK}},
    {0,
     6,
     "bplist",
     NULL,
     {"a property list of Apple (a memgraph is one)", NULL,
      "for a memgraph use malloc_history FILE --allByCount, heap FILE or leaks FILE; tracemill "
      "reads its stacks as folded stacks"}},
    {0,
     1,
     "{",
     "\"program\":\"tm-",
     {"a report of tracemill, as JSON", NULL, "give the capture, not its report"}},
    {0,
     15,
     "SESS timestamp=",
     NULL,
     {"uftrace's list of processes and threads (task.txt)", NULL, OF_UFTRACE}},
    {0, 11, "# symbols: ", "\n# path name: ", {"uftrace's symbols of a file", NULL, OF_UFTRACE}},
    {0, 5, "%PDF-", NULL, {"a PDF", NULL, NULL}},
    {0,
     10,
     "# tracer: ",
     NULL,
     {"a text of one of ftrace's tracers of functions", NULL,
      "only the text of its events is read: atrace, or trace-cmd report"}},
    {0, 10, "v8-version", NULL, {"a log of V8 (--prof)", NULL, V8_LOG}},
    {0,
     12,
     "go1.7 heap d",
     NULL,
     {"a heap dump of Go (debug.WriteHeapDump)", NULL,
      "it has objects without types; go tool pprof -proto of /debug/pprof/heap gives a profile, "
      "which is read"}},
    {0,
     7,
     "memray\0",
     NULL,
     {"a recording of memray", NULL, "memray table and memray flamegraph show it"}},
    {0, 8, "\211PNG\r\n\32\n", NULL, {"a picture (PNG)", NULL, NULL}},
    {0, 3, "\377\330\377", NULL, {"a picture (JPEG)", NULL, NULL}},
    {0, 4, "GIF8", NULL, {"a picture (GIF)", NULL, NULL}},
    {0, 5, "<?xml", "<svg", {"a picture (SVG)", NULL, NULL}},
    {0, 4, "RIFF", NULL, {"a sound or picture (RIFF)", NULL, NULL}},
    {0, 4, "OggS", NULL, {"a sound (Ogg)", NULL, NULL}},
    {0, 4, "\336\22\4\225", NULL, {"translated texts (gettext)", NULL, NULL}},
    {0, 4, "\225\4\22\336", NULL, {"translated texts (gettext)", NULL, NULL}},
    {2, 6, "\r\n\0\0\0", NULL, {"compiled Python", NULL, NULL}},
    {0, 2, "#!", NULL, {"a script", NULL, NULL}},
    {0, 0, NULL, NULL, {NULL, NULL, NULL}},
};

/* That lib/input/members.h knows; they are read, but not those within one. */
static const struct known_type archives[ARCHIVES] = {
    [ARCHIVE_ZIP] = {"a zip file", NULL, UNPACK},
    [ARCHIVE_7Z] = {"a 7z file", NULL, UNPACK},
    [ARCHIVE_TAR] = {"a tar file", NULL, UNPACK},
};

/* Without a mark of their own; the name must do. */
static const struct {
	const char *suffix;
	struct known_type is;
} suffixes[] = {
    {".etl",
     {"events of Windows (ETL), by its name", NULL,
      "Windows Performance Analyzer reads it; what xperf or wpaexporter print as folded stacks can "
      "be read"}},
    {".utrace", UTRACE(", by its name")},
    {".memgraph",
     {"a memory graph of Xcode, by its name", NULL, "print it with leaks, heap or malloc_history"}},
    {"il2cppFileRoot.txt",
     {"the folder of a line map of il2cpp, by its name", NULL,
      "tm-symbolize --linemap FILE finds it beside the map"}},
    {"MethodMap.tsv", {"a method map of il2cpp, by its name", NULL, GOES("--method-map FILE")}},
    {"tracemill.ini",
     {"a project's defaults for tracemill, by its name", NULL,
      "programs started below its folder read it: tracemill(7)"}},
};

static bool mark_fits(const struct mark *m, const uint8_t *p, size_t n)
{
	if (n < m->at + m->n || memcmp(p + m->at, m->bytes, m->n) != 0)
		return false;
	return !m->within || memmem(p, n < WITHIN ? n : WITHIN, m->within, strlen(m->within));
}

/* Which of several programs; a core has the form of one. */
static const struct known_type *of_elf(const uint8_t *p, size_t n)
{
	static const struct known_type core = {
	    "a core dump", NULL, "it has no allocations; open it with gdb PROGRAM FILE"};
	static const struct known_type object = {"an object file (ELF)", "inspect", SYMBOLS};
	static const struct known_type program = {"a program or library (ELF)", "inspect", SYMBOLS};
	bool big = n > EI_DATA && p[EI_DATA] == ELFDATA2MSB;
	unsigned type = n < 18 ? 0 : big ? p[17] : p[16];

	return type == ET_CORE ? &core : type == ET_REL ? &object : &program;
}

/* What begins with "MZ" and is no text. Behind its program for DOS there may be another. */
static const struct known_type *of_windows(const uint8_t *p, size_t n)
{
	static const struct known_type dos = {"a program of DOS (MZ)", NULL, NULL};
	static const struct known_type program = {"a program of Windows (PE)", "inspect", SYMBOLS};
	static const struct known_type library = {"a library of Windows (PE, a DLL)", "inspect",
						  SYMBOLS};
	static const struct known_type either = {"a program or library of Windows (PE)", "inspect",
						 SYMBOLS};
	enum { NEW_HEADER = 0x3c, FLAGS = 22, IS_DLL = 0x2000 };
	uint32_t at = n >= NEW_HEADER + 4 ? le32(p + NEW_HEADER) : 0;

	if (n < 4 || memcmp(p, "MZ", 2) != 0 || !memchr(p, 0, n < 64 ? n : 64))
		return NULL;
	if (n < NEW_HEADER + 4 || at > n || n - at < FLAGS + 2)
		return &either;
	if (memcmp(p + at, "PE\0", 4) != 0)
		return &dos;
	return le16(p + at + FLAGS) & IS_DLL ? &library : &program;
}

/* An object of COFF has no mark: a machine, few sections, no optional header, and the table of symbols behind all. */
static const struct known_type *of_coff(const uint8_t *p, size_t n)
{
	static const struct known_type object = {
	    "an object file of Windows (COFF)", NULL,
	    "link it: the program or DLL, with its PDB, is what tm-inspect checks"};
	enum { HEADER = 20, SECTION = 40, BIG = 0xffff };
	unsigned machine = n < HEADER ? 0 : le16(p), sections = n < HEADER ? 0 : le16(p + 2);

	if (n >= 28 && !machine && sections == BIG && le16(p + 4) >= 2) /* /bigobj */
		return &object;
	if (machine != 0x8664 && machine != 0x14c && machine != 0xaa64 && machine != 0x1c4)
		return NULL;
	return sections && le16(p + 16) == 0 && le32(p + 8) >= HEADER + SECTION * sections &&
		       le32(p + 12)
		   ? &object
		   : NULL;
}

/* Both begin with 0xcafebabe: a number of machines follows, or a version from 45 on. */
static const struct known_type *of_cafebabe(const uint8_t *p, size_t n)
{
	static const struct known_type binary = {"a Mach-O binary for several machines", "inspect",
						 NULL};
	static const struct known_type class = {"a class of Java", NULL, NULL};

	if (n < 8 || memcmp(p, "\312\376\272\276", 4) != 0)
		return NULL;
	return be32(p + 4) < 45 ? &binary : &class;
}

/* The records of one thread, which have no mark: 16 bytes each (formats/instrument/uftrace.c), of which the
 * first enters a function, and the next one comes within a day. Arguments may stand between. */
static const struct known_type *of_uftrace(const uint8_t *p, size_t n)
{
	static const struct known_type records = {"the records of one thread, of uftrace", NULL,
						  OF_UFTRACE};
	enum { RECORD = 16, ARGUMENTS = 512 };
	const uint64_t day = UINT64_C(86400000000000), decade = 3650 * day;
	uint64_t first, bits;
	size_t last;

	if (n < 2 * RECORD)
		return NULL;
	first = le64(p);
	bits = le64(p + 8);
	if ((bits & 3) || (bits >> 3 & 7) != 5 || !(bits >> 16) || !first || first > decade)
		return NULL;
	last = bits & 4 ? RECORD + ARGUMENTS : RECORD;
	for (size_t i = RECORD; i <= last && i + RECORD <= n; i += 8)
		if ((p[i + 8] >> 3 & 7) == 5 && le64(p + i) - first < day && le64(p + i + 8) >> 16)
			return &records;
	return NULL;
}

/* Start, size, name. Words can be such digits too, but a start has more than four, and some below a. */
static bool jit_line(const char *p, size_t n)
{
	size_t i = 0, digits[2], decimals = 0;

	for (int field = 0; field < 2; field++) {
		size_t from = i;

		for (; i < n && num_hex_digit(p[i]) >= 0; i++)
			decimals += !field && p[i] <= '9';
		digits[field] = i - from;
		if (i == n || p[i++] != ' ')
			return false;
	}
	return decimals && digits[0] > 4 && digits[0] <= 16 && digits[1] && digits[1] <= 16 &&
	       i < n;
}

/* A perf-PID.map (lib/managed/jit_map.h), by its first two lines. */
static bool jit_head(const uint8_t *p, size_t n)
{
	const char *at = (const char *)p, *end = at + n;
	int lines = 0;

	for (const char *to; lines < 2 && (to = memchr(at, '\n', (size_t)(end - at))); at = to + 1)
		if (!jit_line(at, (size_t)(to - at)))
			return false;
		else
			lines++;
	return lines && (lines == 2 || at == end);
}

/* perf-cpuN.dat: perf's records of names, forks, ends and switches of threads, without a file's head
 * (formats/instrument/uftrace_switches.c). */
static const struct known_type *of_scheduler(const uint8_t *p, size_t n)
{
	static const struct known_type records = {
	    "the scheduler records of one processor, of uftrace", NULL, OF_UFTRACE};
	enum { HEAD = 8, NAME = 3, END = 4, FORK = 7, SWITCH = 14, SWITCH_SIZE = 24, WALKED = 64 };
	int switches = 0;

	for (int i = 0; i < WALKED && n >= HEAD; i++) {
		uint32_t type = le32(p), size = le16(p + 6);

		if ((type != NAME && type != END && type != FORK && type != SWITCH) ||
		    size < SWITCH_SIZE || size % 8 || (type == SWITCH && size != SWITCH_SIZE))
			return NULL;
		switches += type == SWITCH;
		if (size >= n)
			break;
		p += size;
		n -= size;
	}
	return switches > 1 ? &records : NULL;
}

/* A call of a stack as Apple's systems print it. */
static bool apple_head(const uint8_t *p, size_t n)
{
	const char *s = (const char *)p, *end = s + n, *next;

	for (; (next = memchr(s, '\n', (size_t)(end - s))); s = next + 1)
		if (stack_line_is_apple(s, (size_t)(next - s)))
			return true;
	return false;
}

/* A call of a stack in a log of Windows, of which no reader makes a capture. */
static bool windows_log_head(const uint8_t *p, size_t n)
{
	const char *s = (const char *)p, *end = s + n, *next;
	struct stack_line_fault fault = {.number = 0};
	struct stack_line l;

	for (; (next = memchr(s, '\n', (size_t)(end - s))); s = next + 1)
		if (stack_line_parse_windows(s, (size_t)(next - s), &l) ||
		    (stack_line_parse_fault(s, (size_t)(next - s), &fault) && fault.has_offset))
			return true;
	return false;
}

const struct known_type *known_type_of(const uint8_t *p, size_t n, int bid)
{
	static const struct known_type volume = {
	    "a later volume of a tar file", NULL,
	    "unpack it with those before it, tar -xMf FIRST -f SECOND, and show the captures that "
	    "are in it"};
	static const struct known_type map = {"a module map (/proc/PID/maps)", NULL,
					      "use it with a capture: --maps FILE"};
	static const struct known_type jit = {"code that a runtime compiled (perf-PID.map)", NULL,
					      GOES("--jit-map FILE")};
	static const struct known_type log = {
	    "a log with a stack of Windows", NULL,
	    "tm-symbolize --text -e PROGRAM FILE names its calls"};
	static const struct known_type apple = OF_APPLE;
	const struct mark *m = marks;
	enum archive archive;
	const struct known_type *f;
	int bits = 0;

	if (n > 4 && !memcmp(p, "\177ELF", 4))
		return of_elf(p, n);
	f = of_windows(p, n);
	if (!f)
		f = of_cafebabe(p, n);
	if (f)
		return f;
	while (m->bytes && !mark_fits(m, p, n))
		m++;
	if (m->bytes && (size_t)bid < 8 * (m->n + (m->within ? strlen(m->within) : 0)))
		return &m->is;
	if (members_tar_goes_on(p, n))
		return &volume;
	archive = members_head(p, n, &bits);
	if (archive && bid < bits)
		return &archives[archive];
	if (bid)
		return NULL;
	f = of_coff(p, n);
	if (f)
		return f;
	if (maps_head(p, n))
		return &map;
	if (jit_head(p, n))
		return &jit;
	if (apple_head(p, n))
		return &apple;
	if (windows_log_head(p, n))
		return &log;
	f = of_uftrace(p, n);
	return f ? f : of_scheduler(p, n);
}

const char *known_type_archive(enum archive what)
{
	return archives[what].what;
}

/* FILE.7z.002 */
static bool is_part(const char *path, size_t len)
{
	static const char *const before[] = {".7z", ".zip", ".tar"};
	const char *end = path + len - 4;

	if (len < 8 || *end != '.' || strspn(end + 1, "0123456789") != 3)
		return false;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		size_t n = strlen(before[i]);

		if (!memcmp(end - n, before[i], n))
			return true;
	}
	return false;
}

const struct known_type *known_type_of_folder(const char *path)
{
	static const struct known_type recording = {
	    "a file of a recording of Instruments (.trace)", NULL,
	    "tracemill reads the tables that xctrace export writes of it, and a call tree that was "
	    "copied (Deep Copy)"};

	return path && strstr(path, ".trace/") ? &recording : NULL;
}

const struct known_type *known_type_by_name(const char *path)
{
	static const struct known_type part = {"a part of an archive, by its name", NULL,
					       "put the parts together: cat FILE.0* >FILE"};
	size_t len;

	if (!path)
		return NULL;
	len = strlen(path);
	if (is_part(path, len))
		return &part;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t m = strlen(suffixes[i].suffix);

		if (len >= m && !strcmp(path + len - m, suffixes[i].suffix))
			return &suffixes[i].is;
	}
	return NULL;
}
