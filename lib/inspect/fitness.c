/* SPDX-License-Identifier: MIT */
#include "lib/inspect/fitness.h"

#include "lib/base/path.h"
#include "lib/object/debug_map.h"
#include "lib/object/id_text.h"
#include "lib/object/pdb.h"
#include "lib/object/source_map.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const fit_names[FITS + 1] = {[FIT_IDENTITY] = "build-id",
					 [FIT_NAMES] = "names",
					 [FIT_LINES] = "lines",
					 [FIT_UNWIND] = "unwind-tables",
					 [FIT_FRAME_POINTERS] = "frame-pointers",
					 [FIT_INSTRUMENTED] = "instrumentation",
					 [FIT_LOLI_ALLOC] = "loli-alloc",
					 [FIT_LOLI_STACK] = "loli-stack",
					 [FIT_NO_WRAPS] = "no-wraps",
					 [FIT_PAGES] = "pages-16k"};
const char *const fit_words[] = {"yes", "partly", "no", "unknown"};

static void __attribute__((format(printf, 4, 5)))
say(struct fitness *f, enum fit fit, const char *fix, const char *why, ...)
{
	va_list args;

	f->fit = fit;
	f->fix = fix;
	va_start(args, why);
	vsnprintf(f->why, sizeof f->why, why, args);
	va_end(args);
}

static unsigned percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)(part * 100 / whole) : 0;
}

static bool elsewhere(const struct inspect *x)
{
	return strcmp(object_debug_path(x->file.object), x->file.path) != 0;
}

/* A .dwo or .dwp file: no program of its own. */
static bool is_split_part(const struct inspect *x)
{
	return !object_has_dwarf(x->file.object) && inspect_section(x, ".debug_info.dwo");
}

static bool is_macho(const struct object *o)
{
	return !strcmp(object_kind(o)->name, "Mach-O");
}

static void identity(const struct inspect *x, struct fitness *f)
{
	const struct object_build_id *id = object_build_id(x->file.object);
	char text[OBJECT_ID_TEXT];

	object_id_text(id, false, text);
	if (id->age)
		say(f, FIT_YES, NULL, "%sGUID and age %s",
		    object_kind(x->file.object)->pdata ? "CodeView record: " : "", text);
	else if (id->len && is_macho(x->file.object))
		say(f, FIT_YES, NULL, "UUID %s", text);
	else if (id->len)
		say(f, FIT_YES, NULL, "%u bytes", id->len);
	else if (object_kind(x->file.object)->pdata)
		say(f, FIT_NO,
		    "link with /DEBUG (mingw: -Wl,--build-id): the debug directory gets a "
		    "CodeView record",
		    "no CodeView record: a file of another build cannot be distinguished from "
		    "this file");
	else if (is_macho(x->file.object))
		say(f, FIT_NO, "link without -no_uuid",
		    "no UUID: a file of another build cannot be distinguished from this file");
	else
		say(f, FIT_NO, "link with -Wl,--build-id=sha1",
		    "no build-id: a file of another build cannot be distinguished from this "
		    "file");
}

/* Of a WebAssembly module without names only exported functions have symbols. */
static bool is_stripped_module(const struct inspect *x)
{
	return object_arch(x->file.object) == ARCH_WASM &&
	       x->n_symtab < object_n_starts(x->file.object);
}

static void names(const struct inspect *x, struct fitness *f)
{
	if (is_split_part(x))
		say(f, FIT_PARTLY,
		    "keep the split part beside the program, and inspect the "
		    "program",
		    "the split part: symbols are in the program");
	else if (x->has_symtab && is_stripped_module(x))
		say(f, FIT_PARTLY,
		    "link without --strip-all, or keep the name section or a symbol map "
		    "(--emit-symbol-map)",
		    "stripped: %" PRIu64 " of %zu functions have a name", x->n_symtab,
		    object_n_starts(x->file.object));
	else if (x->has_symtab && x->n_symtab)
		say(f, FIT_YES, NULL, "%" PRIu64 " symbol%s", x->n_symtab,
		    x->n_symtab == 1 ? "" : "s");
	else if (!x->from_tables && x->n_functions && elsewhere(x))
		say(f, FIT_YES, NULL, "in its debug file");
	else
		say(f, FIT_NO,
		    is_macho(x->file.object)
			? "keep the unstripped file, or the .dSYM, of every build"
			: "keep the unstripped file, or the debug file, of every build",
		    "stripped: only %" PRIu64 " exported symbol%s left", x->n_dynsym,
		    x->n_dynsym == 1 ? " is" : "s are");
}

/* ": game.pdb: GUID differs", of the PDBs that were there; "": none was. */
static const char *why_not_found(const struct inspect *x)
{
	static const char mark[] = "which was not found";
	const char *at = strstr(x->file.e.msg, mark);

	return at ? at + sizeof mark - 1 : "";
}

/* "its lines are in the source map app.wasm.map, which was not found" */
static bool is_elsewhere(const struct inspect *x)
{
	return !strncmp(x->file.e.msg, "its ", 4) && *why_not_found(x) == 0 &&
	       strstr(x->file.e.msg, "which was not found");
}

/* Of a Mach-O file without a .dSYM: its object files have the lines, as long as they are there. */
static void in_object_files(const struct inspect *x, struct fitness *f)
{
	const struct debug_map *m = object_debug_map(x->file.object);
	struct err e = ERR_INIT, first = ERR_INIT;
	size_t n = 0, lost = m->n_files;

	for (size_t i = 0; i < m->n_files; i++) {
		struct object *part;

		if (!debug_map_open(&part, x->file.object, (uint32_t)i, &e)) {
			object_free(part);
			n++;
		} else if (lost == m->n_files) {
			lost = i;
			first = e;
		}
	}
	if (n == m->n_files)
		say(f, FIT_YES, "keep the .dSYM that dsymutil makes: object files are overwritten",
		    "in %zu object file%s of its debug map", n, n == 1 ? "" : "s");
	else
		say(f, n ? FIT_PARTLY : FIT_NO,
		    "link again, and keep the .dSYM that dsymutil makes then",
		    "%zu of %zu object files of its debug map are there; %s: %s", n, m->n_files,
		    m->files[lost].path, first.msg);
}

/* The debug file is in the folder of the file. */
static bool is_beside(const struct inspect *x)
{
	const char *path = x->file.path, *debug = object_debug_path(x->file.object);
	size_t n = (size_t)(path_base(path) - path);

	return n == (size_t)(path_base(debug) - debug) && !memcmp(path, debug, n);
}

/* Of a folder of debug files, or from a server. */
static void in_pdb_elsewhere(const struct inspect *x, struct fitness *f)
{
	const bool has = pdb_has_lines(object_pdb(x->file.object));

	say(f, has ? FIT_YES : FIT_NO,
	    has ? NULL
		: "compile with /Z7 or /Zi (clang: -gcodeview); keep the PDB of /DEBUG, not "
		  "that of /PDBSTRIPPED",
	    "%sPDB %s%s", has && object_has_dwarf(x->file.object) ? "DWARF, and " : "",
	    object_debug_path(x->file.object), has ? "" : ", which has no lines");
}

static void lines(const struct inspect *x, struct fitness *f)
{
	if (is_split_part(x))
		say(f, FIT_PARTLY,
		    "keep the split part beside the program, and inspect the "
		    "program",
		    "the split part: lines are in the program");
	else if (object_has_pdb(x->file.object) && elsewhere(x) && !is_beside(x))
		in_pdb_elsewhere(x, f);
	else if (object_has_pdb(x->file.object) && !pdb_has_lines(object_pdb(x->file.object)))
		say(f, FIT_NO,
		    "compile with /Z7 or /Zi (clang: -gcodeview); keep the PDB of /DEBUG, not that "
		    "of /PDBSTRIPPED",
		    "the PDB%s has no lines", elsewhere(x) ? " beside it" : "");
	else if (object_has_pdb(x->file.object))
		say(f, FIT_YES, NULL, "%sPDB%s",
		    object_has_dwarf(x->file.object) ? "DWARF, and " : "",
		    elsewhere(x) ? " beside it" : "");
	else if (object_debug_named(x->file.object) && object_has_dwarf(x->file.object))
		say(f, FIT_PARTLY,
		    "keep the PDB of every build, beside the file or in a --debug-dir",
		    "DWARF; what it lacks may be in the PDB %s, which was not found%s",
		    object_debug_named(x->file.object), why_not_found(x));
	else if (object_debug_named(x->file.object))
		say(f, FIT_NO, "keep the PDB of every build, beside the file or in a --debug-dir",
		    "in the PDB %s, which was not found%s", object_debug_named(x->file.object),
		    why_not_found(x));
	else if (object_has_source_map(x->file.object))
		say(f, FIT_YES, "compile with -g: DWARF has inlined calls, too", "source map");
	else if (object_has_debug_map(x->file.object))
		in_object_files(x, f);
	else if (!object_has_dwarf(x->file.object) && object_kind(x->file.object)->pdata)
		say(f, FIT_NO, "compile with /Zi and link with /DEBUG (mingw: -g); keep the PDB",
		    "no DWARF here, and no CodeView record names a PDB");
	else if (!object_has_dwarf(x->file.object) && is_elsewhere(x))
		say(f, FIT_NO, "keep it beside the file, or in a --debug-dir", "%s",
		    x->file.e.msg + sizeof "its " - 1);
	else if (!object_has_dwarf(x->file.object) && is_macho(x->file.object))
		say(f, FIT_NO, "compile with -g; keep the .dSYM that dsymutil makes",
		    "no DWARF here, and no .dSYM was found");
	else if (!object_has_dwarf(x->file.object))
		say(f, FIT_NO, "compile with -g; keep the unstripped file or the debug file",
		    "no DWARF here, and no debug file was found");
	else if (x->skeletons)
		say(f, FIT_PARTLY, "keep the .dwo files, or pack them into a .dwp",
		    "split DWARF: %" PRIu64 " units have their functions in .dwo files",
		    x->skeletons);
	else
		say(f, x->bad_debug ? FIT_PARTLY : FIT_YES, NULL, "DWARF%s%s",
		    elsewhere(x) ? " in its debug file" : "", x->bad_debug ? ", damaged" : "");
}

/* Without tables for all functions, as -fno-asynchronous-unwind-tables leaves them: those of a program's start are
 * the C library's, and there whatever the compiler does. */
static void few_entries(const struct inspect *x, bool debug, struct fitness *f)
{
	say(f, percent(x->n_unwound, x->n_functions) < 50 ? FIT_NO : FIT_PARTLY,
	    "compile with -fasynchronous-unwind-tables",
	    ".eh_frame has entries for %" PRIu64 " of %zu functions%s", x->n_unwound,
	    x->n_functions, debug ? "; the entries of .debug_frame are for debuggers" : "");
}

/* Functions that call nothing and leave the stack as it is need no entry. */
static void fitness_pdata(const struct inspect *x, struct fitness *f)
{
	const uint64_t n = x->sum.frame + x->sum.none;
	const unsigned share = percent(x->sum.unwound, n);
	const char *fix =
	    "compile with -fasynchronous-unwind-tables; assembler needs .pdata by hand";

	if (object_arch(x->file.object) == ARCH_X86)
		say(f, FIT_NO, "keep frame pointers: /Oy- (clang, mingw: -fno-omit-frame-pointer)",
		    "Windows has no unwind tables for x86: stacks are walked by frame pointers, or "
		    "by the PDB");
	else if (!x->has_entries)
		say(f, FIT_NO, fix, "no .pdata");
	else if (!n)
		say(f, FIT_YES, NULL, ".pdata has %zu entries", x->n_entries);
	else
		say(f,
		    share < 50   ? FIT_NO
		    : share < 90 ? FIT_PARTLY
				 : FIT_YES,
		    share < 90 ? fix : NULL,
		    ".pdata has entries for %" PRIu64 " of %" PRIu64
		    " functions that call others (%u%%)",
		    x->sum.unwound, n, share);
}

static void fitness_unwind(const struct inspect *x, struct fitness *f)
{
	bool eh = inspect_section(x, ".eh_frame"), hdr = inspect_section(x, ".eh_frame_hdr");
	bool arm = inspect_section(x, ".ARM.exidx"), debug = inspect_section(x, ".debug_frame");
	bool mini = inspect_section(x, ".gnu_debugdata");

	if (object_kind(x->file.object)->pdata)
		fitness_pdata(x, f);
	else if (inspect_section(x, ".unwind_info"))
		say(f, FIT_YES, NULL, "__unwind_info");
	else if (x->bad_tables)
		say(f, FIT_PARTLY, NULL, ".eh_frame is damaged");
	else if (eh && object_is_relocatable(x->file.object))
		say(f, FIT_YES, NULL, ".eh_frame");
	else if (x->has_entries && !arm && x->n_functions &&
		 percent(x->n_unwound, x->n_functions) < 90)
		few_entries(x, debug, f);
	else if ((eh && hdr) || arm)
		say(f, FIT_YES, NULL, "%s%s", arm ? ".ARM.exidx" : ".eh_frame with .eh_frame_hdr",
		    mini ? ", .gnu_debugdata" : "");
	else if (eh)
		say(f, FIT_PARTLY, "link with -Wl,--eh-frame-hdr",
		    "no .eh_frame_hdr: an unwinder must read all of .eh_frame");
	else if (debug)
		say(f, FIT_NO, "compile with -fasynchronous-unwind-tables",
		    ".debug_frame only, which is for debuggers");
	else
		say(f, FIT_NO, "compile with -fasynchronous-unwind-tables", "no unwind tables");
}

static const char *no_function_why(const struct inspect *x)
{
	const char *why = inspect_no_code(x);

	return why ? why : "no function with code was found";
}

/* What disassembly knows to look for. */
static bool prologues_are(const struct object *o)
{
	enum object_arch a = object_arch(o);

	return a == ARCH_ARM64 || a == ARCH_X86_64 || a == ARCH_X86;
}

static void fitness_frame_pointers(const struct inspect *x, struct fitness *f)
{
	uint64_t calling = x->sum.frame + x->sum.none;
	unsigned share = percent(x->sum.frame, calling);
	static const char *const fixes[] = {
	    "compile with -fno-omit-frame-pointer",
	    "not needed where .pdata is complete; clang and mingw: -fno-omit-frame-pointer",
	    "compile with /Oy- (clang, mingw: -fno-omit-frame-pointer)"};
	const struct object *o = x->file.object;
	const char *fix = fixes[!object_kind(o)->pdata ? 0 : object_arch(o) == ARCH_X86 ? 2 : 1];
	struct err e = ERR_INIT;

	if (!calling && x->n_functions && disasm_load(&e))
		say(f, FIT_UNKNOWN, NULL, "prologues were not checked: %s", e.msg);
	else if (!calling)
		say(f, FIT_UNKNOWN, NULL, "%s",
		    !x->n_functions    ? no_function_why(x)
		    : prologues_are(o) ? "no function calls another one"
				       : "prologues are checked only for arm64, x86-64 and x86");
	else
		say(f,
		    share >= 95   ? FIT_YES
		    : share >= 50 ? FIT_PARTLY
				  : FIT_NO,
		    share >= 95 ? NULL : fix,
		    "%" PRIu64 " of %" PRIu64
		    " functions that call others set up a frame pointer (%u%%)%s",
		    x->sum.frame, calling, share,
		    object_kind(o)->pdata ? "" /* the option is that of other compilers */
		    : share >= 95         ? ": -fno-omit-frame-pointer is in effect"
		    : share >= 5          ? ": -fno-omit-frame-pointer is in effect in parts only"
					  : ": -fno-omit-frame-pointer is not in effect");
}

static void fitness_instrumented(const struct inspect *x, struct fitness *f)
{
	uint64_t n = x->sum.n, enter = x->sum.enter;
	const char *fix =
	    object_kind(x->file.object)->pdata
		? "compile with /Gh and /GH (clang, mingw: -finstrument-functions)"
		: "compile with -finstrument-functions-after-inlining, or -finstrument-functions";

	if (!n)
		say(f, FIT_UNKNOWN, NULL, "%s", no_function_why(x));
	else if (!enter)
		say(f, FIT_NO, fix,
		    "no function calls __cyg_profile_func_enter, _penter or mcount");
	else
		say(f, enter * 2 >= n && x->sum.exit * 2 >= enter ? FIT_YES : FIT_PARTLY, NULL,
		    "%" PRIu64 " of %" PRIu64 " functions (%u%%) report their entry, %" PRIu64
		    " their exit; %s",
		    enter, n, percent(enter, n), x->sum.exit,
		    x->sum.twice ? "inlined functions too: instrumented before inlining"
				 : "no function more than once: instrumented after inlining, "
				   "or no inlining");
}

static bool exported(const struct inspect *x, enum role r)
{
	return x->roles[r] & ROLE_EXPORTED;
}

static void fitness_hooks(const struct inspect *x, struct fitness *f, enum role a, enum role b,
			  const char *names)
{
	unsigned how = x->roles[a] | x->roles[b];

	if (exported(x, a) && exported(x, b))
		say(f, FIT_YES, NULL, "%s", names);
	else if (exported(x, a) || exported(x, b))
		say(f, FIT_PARTLY, "export both", "only one of %s is exported", names);
	else if (how & ROLE_HIDDEN)
		say(f, FIT_NO,
		    object_kind(x->file.object)->pdata
			? "__declspec(dllexport), extern \"C\""
			: "__attribute__((visibility(\"default\"))), extern \"C\", and no "
			  "version script that hides it",
		    "%s: defined, but not exported", names);
	else if (how & ROLE_IMPORTED)
		say(f, FIT_NO, NULL, "%s: used, but not defined here", names);
	else
		say(f, FIT_NO, "add it to the engine's allocator and link it in", "%s: not found",
		    names);
}

static void wraps(const struct inspect *x, struct fitness *f)
{
	for (size_t i = 0; i < x->n_wraps; i++)
		if (x->wraps[i].undefined) {
			say(f, FIT_NO, "link everything with -Wl,--wrap=NAME, or nothing",
			    "--wrap %s: %s is not defined", x->wraps[i].name,
			    x->wraps[i].real ? "__real_ or __wrap_ of it" : "__wrap_ of it");
			return;
		}
	if (x->n_wraps)
		say(f, FIT_YES, NULL, "%zu functions are wrapped, %s first", x->n_wraps,
		    x->wraps[0].name);
	else
		say(f, FIT_YES, NULL, "nothing is wrapped");
}

static void fitness_pages(const struct inspect *x, struct fitness *f)
{
	enum { PAGE = 16384 };
	const struct object_segment *s;
	size_t n, i;

	s = object_segments(x->file.object, &n);
	if (!n || !object_is_64(x->file.object)) {
		say(f, FIT_UNKNOWN, NULL, n ? "checked only for 64-bit programs" : "no segments");
		return;
	}
	for (i = 0; i < n; i++)
		if (s[i].align < PAGE || (s[i].vaddr - s[i].offset) % PAGE)
			break;
	if (i == n)
		say(f, FIT_YES, NULL, "segments are aligned to %" PRIu64 " bytes", s[0].align);
	else
		say(f, FIT_NO, "link with -Wl,-z,max-page-size=16384",
		    "the segment at 0x%" PRIx64 " is aligned to %" PRIu64 " bytes", s[i].vaddr,
		    s[i].align);
}

/* What depends on exports and imports, or on calls that are linked. */
static bool of_linkage(enum capability c)
{
	return c == FIT_INSTRUMENTED || c == FIT_LOLI_ALLOC || c == FIT_LOLI_STACK ||
	       c == FIT_NO_WRAPS;
}

void fitness_of(const struct inspect *x, enum capability c, struct fitness *out)
{
	*out = (struct fitness){.fit = FIT_UNKNOWN};
	if ((!object_kind(x->file.object)->linkage && of_linkage(c)) ||
	    (!object_kind(x->file.object)->paged && c == FIT_PAGES) ||
	    (!object_kind(x->file.object)->unwound && c == FIT_UNWIND)) {
		say(out, FIT_UNKNOWN, NULL, "not checked for %s files",
		    object_kind(x->file.object)->name);
		return;
	}
	if (object_is_relocatable(x->file.object) && (of_linkage(c) || c == FIT_PAGES)) {
		say(out, FIT_UNKNOWN, NULL, "not linked yet: inspect the program or library");
		return;
	}
	switch (c) {
	case FIT_IDENTITY: identity(x, out); break;
	case FIT_NAMES: names(x, out); break;
	case FIT_LINES: lines(x, out); break;
	case FIT_UNWIND: fitness_unwind(x, out); break;
	case FIT_FRAME_POINTERS: fitness_frame_pointers(x, out); break;
	case FIT_INSTRUMENTED: fitness_instrumented(x, out); break;
	case FIT_LOLI_ALLOC:
		fitness_hooks(x, out, ROLE_LOLI_ALLOC, ROLE_LOLI_ALLOC, "loli_set_allocandfree");
		break;
	case FIT_LOLI_STACK:
		fitness_hooks(x, out, ROLE_LOLI_STACK, ROLE_LOLI_IGNORE,
			      "get_stack_backtrace, set_loli_ignore_func");
		break;
	case FIT_NO_WRAPS: wraps(x, out); break;
	case FIT_PAGES: fitness_pages(x, out); break;
	default: break;
	}
}
