/* SPDX-License-Identifier: MIT */
#include "lib/find/files.h"

#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/pool.h"
#include "lib/find/call_check.h"
#include "lib/find/container.h"
#include "lib/index/debug_source.h"
#include "lib/object/id_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void files_load(struct find_file *f, const struct files_options *options)
{
	struct container_options o = {.cache = options->cache};
	struct err refused = ERR_INIT;
	enum status st =
	    f->zip ? container_open_member(&f->object, f->zip, f->member, f->path, &o, &f->e)
		   : container_open(&f->object, f->path, &o, &f->e);
	size_t n;

	f->zip = NULL;

	if (st) {
		f->object = NULL;
		f->reason = REASON_BAD_FILE;
		return;
	}
	object_find_debug(f->object, &options->search, &refused);
	f->e = refused;
	object_symbols(f->object, &n); /* built here, in parallel, and not at the first look-up */
}

struct load_job {
	struct find_files *files;
	size_t first;
};

static void files_load_item(size_t i, unsigned worker, void *arg)
{
	struct load_job *job = arg;
	struct find_file *item = job->files->items[job->first + i];

	(void)worker;
	if (!item->zip && !item->broken)
		files_load(item, &job->files->options);
}

static struct find_file *add(struct find_files *f, const char *path, const char *module,
			     size_t module_len)
{
	struct find_file *item = mem_zalloc(sizeof *item);
	struct stat st;

	*item =
	    (struct find_file){.e = ERR_INIT, .path = mem_strdup(path), .index = (uint32_t)f->n};
	if (!stat(path, &st)) {
		item->device = st.st_dev;
		item->inode = st.st_ino;
		item->size = (uint64_t)st.st_size;
		item->modified = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	}
	if (module)
		item->module = mem_strndup(module, module_len);
	VEC_PUSH(f->items, f->n, f->cap) = item;
	return item;
}

/* A library in the folder below, or the member of this name, whatever it is. */
static bool is_wanted_member(const char *name, const char *below)
{
	size_t n = strlen(below);

	if (n && !strcmp(name, below))
		return true;
	return container_is_library(name) && (!n || (!strncmp(name, below, n) && name[n] == '/'));
}

/* The libraries of a zip file below a folder of it, or one member. False: it is no zip file, or a broken one. */
static bool files_add_zip(struct find_files *f, const char *path, const char *below,
			  const char *module, size_t module_len)
{
	struct err e = ERR_INIT;
	struct buf name = BUF_INIT;
	struct zip *z;
	size_t n = strlen(below), before = f->n;

	if (!zip_looks_like(path))
		return false;
	z = mem_zalloc(sizeof *z);
	if (zip_open(z, path, &e)) {
		struct find_file *item = add(f, path, NULL, 0);

		item->given = true;
		item->broken = true;
		item->reason = REASON_BAD_FILE;
		item->e = e;
		free(z);
		return true;
	}
	VEC_PUSH(f->zips, f->n_zips, f->cap_zips) = z;
	for (size_t i = 0; i < z->n; i++) {
		const struct zip_member *m = &z->members[i];
		struct err ignored = ERR_INIT;
		struct find_file *item;

		if (!is_wanted_member(m->name, below))
			continue;
		name.len = 0;
		buf_addf(&name, "%s/%s", path, m->name);
		item = add(f, buf_str(&name), module, module_len);
		item->given = true;
		item->inode = 0;
		item->zip = z;
		item->member = m;
		item->n_archive = strlen(path);
		if (m->method == ZIP_STORED && zip_data(z, m, &item->stored, &ignored))
			item->stored = 0;
	}
	buf_release(&name);
	if (f->n == before) {
		struct find_file *item = add(f, path, NULL, 0);

		item->given = item->broken = true;
		item->reason = REASON_NO_FILE;
		err_set(&item->e, ST_UNSUPPORTED, "a zip file without a library%s%s",
			n ? " below " : "", below);
	}
	return true;
}

/* A path that goes on behind a file, as into a zip file. */
static bool add_in_zip(struct find_files *f, const char *path, const char *module,
		       size_t module_len)
{
	const char *below = "";
	struct stat st;
	size_t n;
	char *file;
	bool added;

	if (!stat(path, &st))
		return S_ISREG(st.st_mode) && files_add_zip(f, path, "", module, module_len);
	n = container_split_zip(path, &below);
	file = mem_strndup(path, n);
	added = n && files_add_zip(f, file, below, module, module_len);
	free(file);
	return added;
}

/* The parts of a universal Mach-O file, each as a file of its own for the module of its name. */
static bool files_add_parts(struct find_files *f, const char *path, const char *module,
			    size_t module_len)
{
	enum { MOST = 32 };
	const char *archs[MOST];
	struct buf part = BUF_INIT;
	char bundled[4096];
	size_t n;

	if (object_in_bundle(path, bundled, sizeof bundled))
		path = bundled;
	n = object_archs(path, archs, MOST);
	for (size_t i = 0; i < n; i++) {
		struct find_file *item;

		part.len = 0;
		buf_addf(&part, "%s:%s", path, archs[i]);
		item = module ? add(f, buf_str(&part), module, module_len)
			      : add(f, buf_str(&part), path_base(path), strlen(path_base(path)));
		item->given = true;
	}
	buf_release(&part);
	return n;
}

static void add_given(struct find_files *f, const char *path, const char *module, size_t module_len)
{
	if (!add_in_zip(f, path, module, module_len) &&
	    !files_add_parts(f, path, module, module_len))
		add(f, path, module, module_len)->given = true;
}

/* game.exe is game, too, as debuggers call it. */
static bool is_name_of(const char *given, const char *base)
{
	size_t n = strlen(base);

	return !strcasecmp(given, base) ||
	       (path_is_program(base, strlen(base)) && strlen(given) == n - 4 &&
		!strncasecmp(given, base, n - 4));
}

/* Whether a file has the name that linkers give to the PDB of a program of Windows: game.pdb of game.exe. */
static bool is_pdb_of(const char *file, const char *module)
{
	size_t n = strlen(file);

	return n > 4 && strlen(module) == n && !strcasecmp(file + n - 4, ".pdb") &&
	       !strncasecmp(file, module, n - 4) && path_is_program(module, strlen(module));
}

/* A PDB, and a given program of its name names one of another build: only its own GUID leads to it. */
static void refuse_foreign(struct find_files *f, struct find_file *x)
{
	for (size_t i = 0; !x->module && i < f->n && !x->foreign; i++) {
		const struct find_file *p = f->items[i];
		struct buf ids = BUF_INIT;
		const char *why;

		if (p->module || !p->object || !object_debug_named(p->object) ||
		    !is_pdb_of(path_base(x->path), path_base(p->path)))
			continue;
		why =
		    object_build_id_differs(object_build_id(x->object), object_build_id(p->object));
		if (!why)
			continue;
		x->foreign = true;
		object_add_ids(&ids, "the program has", object_build_id(p->object), "the PDB",
			       object_build_id(x->object));
		err_set(&x->e, ST_UNSUPPORTED, "not the PDB that %s names: %s differs%s", p->path,
			why, buf_str(&ids));
		buf_release(&ids);
	}
}

static bool is_given_pdb(const struct find_file *x, const struct object_build_id *id)
{
	return x->given && x->object && object_pdb_age(x->object) &&
	       object_build_id_equal(object_build_id(x->object), id);
}

static const char *given_by_id(void *arg, const struct object_build_id *id, enum object_part part,
			       size_t n, struct search_log *log)
{
	(void)arg;
	(void)id;
	(void)part;
	(void)n;
	(void)log;
	return NULL;
}

static const char *given_pdb(void *arg, const struct object_pdb_name *pdb, struct search_log *log)
{
	const struct find_files *f = arg;

	(void)log;
	for (size_t i = 0; i < f->n; i++)
		if (is_given_pdb(f->items[i], pdb->guid))
			return f->items[i]->path;
	return NULL;
}

/* A PDB that was given is the debug file of a given program, wherever the program says that it is. */
static void give_pdb(struct find_files *f, struct find_file *x)
{
	struct object_finder *all = mem_array(f->options.search.n_finders + 1, sizeof *all);
	struct object_search s = f->options.search;
	struct err refused = ERR_INIT;

	all[0] = (struct object_finder){.find = given_by_id, .find_pdb = given_pdb, .arg = f};
	for (size_t i = 0; i < s.n_finders; i++)
		all[i + 1] = s.finders[i];
	s.finders = all;
	s.n_finders++;
	if (!object_find_debug(x->object, &s, &refused))
		x->e = (struct err)ERR_INIT;
	free(all);
}

static void give_pdbs(struct find_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct find_file *x = f->items[i];
		bool there = false;

		if (!x->object || !object_debug_named(x->object))
			continue;
		for (size_t k = 0; k < f->n; k++)
			there |= is_given_pdb(f->items[k], object_build_id(x->object));
		if (there && !object_has_pdb(x->object))
			give_pdb(f, x);
	}
}

void files_init(struct find_files *f, const struct files_options *options)
{
	struct load_job job = {.files = f};

	*f = (struct find_files){.options = *options};
	for (size_t i = 0; i < options->n_files; i++) {
		const char *text = options->files[i], *equals = strchr(text, '=');
		struct stat st;

		/* A file whose own name has a '=' is a file. */
		if (equals && stat(text, &st))
			add_given(f, equals + 1, text, (size_t)(equals - text));
		else
			add_given(f, text, NULL, 0);
	}
	for (size_t i = 0; i < options->n_modules; i++) {
		const char *text = options->modules[i], *equals = strchr(text, '=');

		if (equals)
			add_given(f, equals + 1, text, (size_t)(equals - text));
	}
	pool_run(options->jobs, f->n, files_load_item, &job);
	give_pdbs(f);
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i]->object && object_pdb_age(f->items[i]->object))
			refuse_foreign(f, f->items[i]);
}

bool files_open_members(struct find_files *f, size_t max)
{
	struct find_file **todo = mem_array(f->n, sizeof *todo);
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->items[i]->zip)
			todo[n++] = f->items[i];
	for (size_t i = 0; i < n && i < max; i++)
		files_load(todo[i], &f->options);
	free(todo);
	return n <= max;
}

void files_release(struct find_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		file_code_release(f->items[i]);
		object_free(f->items[i]->object);
		free((void *)(uintptr_t)f->items[i]->path);
		free((void *)(uintptr_t)f->items[i]->module);
		free(f->items[i]);
	}
	free(f->items);
	for (size_t i = 0; i < f->n_zips; i++) {
		zip_release(f->zips[i]);
		free(f->zips[i]);
	}
	free(f->zips);
	for (size_t i = 0; i < f->n_found; i++) {
		free(f->found[i].name);
		search_log_release(&f->found[i].log);
	}
	free(f->found);
	*f = (struct find_files){.n = 0};
}

/* libUE4.so is found as libUE4.sym.so, libUE4.dbg.so, libUE4.so and one of .debug, .dbg, .sym
 * (Breakpad), .gsym. Nothing looser: libgame.so must not take libgame.v2.so. */
static bool files_same_module(const char *file, const char *module)
{
	static const char *const inside[] = {".sym.so", ".dbg.so"}, *const after[] = {
									".debug", ".dbg", ".sym",
									".gsym"};
	size_t n = strlen(file), m = strlen(module);

	if (!strcmp(file, module) || is_pdb_of(file, module))
		return true;
	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
		size_t k = strlen(inside[i]);

		if (n > k && !strcmp(file + n - k, inside[i]) && m == n - k + 3 &&
		    !memcmp(file, module, n - k) && !strcmp(module + m - 3, ".so"))
			return true;
	}
	for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
		size_t k = strlen(after[i]);

		if (n == m + k && !memcmp(file, module, m) && !strcmp(file + m, after[i]))
			return true;
	}
	return false;
}

/* The file itself, or one that is copied from it with its time, which may be kept in seconds. */
static bool same_file(const struct find_file *x, const struct module_file *f, bool copy)
{
	enum { SECOND = 1000000000 };

	if (x->size != f->size)
		return false;
	return copy ? x->modified / SECOND == f->modified / SECOND
		    : x->modified == f->modified && x->inode == f->inode && x->device == f->device;
}

/* A file for 32 bits, and the module was where they do not reach; a build-id knows better. */
static bool is_too_narrow(const struct find_file *x, const struct files_module *m)
{
	const enum object_arch arch = object_arch(x->object);
	bool known;

	object_id_differs(x->object, &m->id, &known);
	return m->wide && !known && arch != ARCH_UNKNOWN && arch != ARCH_WASM &&
	       !object_is_64(x->object);
}

/* What does not speak against it. */
static bool agrees(const struct find_file *x, const struct files_module *m)
{
	bool known;
	const char *differs = object_id_differs(x->object, &m->id, &known);

	if (known)
		return !differs;
	if (is_too_narrow(x, m))
		return false;
	return x->given || !m->file || same_file(x, m->file, strcmp(x->path, m->name) != 0);
}

bool files_proven(const struct find_file *x, const struct files_module *m)
{
	bool known;
	const char *differs = object_id_differs(x->object, &m->id, &known);

	if (known)
		return !differs;
	return m->file && same_file(x, m->file, strcmp(x->path, m->name) != 0);
}

/* The processor that a folder of a path stands for, in an APK (arm64-v8a) or on
 * a device (arm64); 0: none does. */
static enum object_arch arch_of_path(const char *path)
{
	static const struct {
		const char *folder;
		enum object_arch arch;
	} abis[] = {{"/arm64-v8a/", ARCH_ARM64}, {"/arm64/", ARCH_ARM64},
		    {"/armeabi-v7a/", ARCH_ARM}, {"/arm/", ARCH_ARM},
		    {"/x86_64/", ARCH_X86_64},   {"/x86/", ARCH_X86}};

	for (size_t i = 0; i < sizeof abis / sizeof *abis; i++)
		if (strstr(path, abis[i].folder))
			return abis[i].arch;
	return ARCH_UNKNOWN;
}

/* What is looked for. */
struct wanted {
	const struct files_module *module;
	enum object_arch arch; /* ARCH_UNKNOWN: any */
};

/* "game:arm64e", of a universal file. */
static bool is_part_for(const struct find_file *f, const char *arch)
{
	const char *colon = arch && *arch ? strrchr(f->path, ':') : NULL;

	return colon && !strcmp(colon + 1, arch);
}

/* Of the right build and processor; with debug information before a symbol table only. */
static int use_of(const struct find_file *f, const struct wanted *w)
{
	enum object_arch arch = f->object ? object_arch(f->object) : ARCH_UNKNOWN;

	if (!f->object)
		return 0;
	if (!agrees(f, w->module) || (w->arch && arch && arch != w->arch))
		return 1;
	return 2 + 2 * is_part_for(f, w->module->arch) + debug_source_of(f->object)->lines;
}

static struct find_file *by_path(struct find_files *f, const char *path)
{
	struct stat st;
	struct find_file *item;

	if (stat(path, &st) || !S_ISREG(st.st_mode)) {
		search_log_add(f->log, false, path, "not there");
		return NULL;
	}
	/* One file has as many paths as a capture cares to write. */
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i]->inode == st.st_ino && f->items[i]->device == st.st_dev)
			return f->items[i];
	item = add(f, path, NULL, 0);
	files_load(item, &f->options);
	return item;
}

static struct find_file *below_sysroot(struct find_files *f, const char *name)
{
	struct buf path = BUF_INIT;
	struct find_file *item;

	if (!f->options.sysroot || !f->options.sysroot[0] || name[0] != '/')
		return NULL;
	if (!path_in_sysroot(&path, f->options.sysroot, name))
		buf_adds(&path, name);
	item = by_path(f, buf_str(&path));
	buf_release(&path);
	return item;
}

/* Of what a build-id has led to. */
static bool has_id(const struct find_file *x, const struct object_build_id *id)
{
	const struct object_build_id *own = object_build_id(x->object);

	return !own->len || object_build_id_equal(own, id);
}

/* Of a file that was given: the id says that it is the module. */
static bool is_known_by(const struct find_file *x, const struct object_build_id *id)
{
	bool known = false;

	return x->object && !object_id_differs(x->object, id, &known) && known;
}

/* In a build-id tree: the binary itself, or its debug file, which has symbols and segments. */
static struct find_file *in_tree(struct find_files *f, const char *dir,
				 const struct object_build_id *id)
{
	static const char *const suffixes[] = {"", ".debug"};
	char path[8192];

	for (size_t i = 0; i < 2; i++) {
		struct find_file *x = object_build_id_path(dir, id, suffixes[i], path, sizeof path)
					  ? by_path(f, path)
					  : NULL;

		if (x && x->object && has_id(x, id))
			return x;
	}
	return NULL;
}

/* By build-id, cheapest first: trees, then what has to look into files or ask others. stamp: it is the time stamp and the
 * size of a PE file. */
static struct find_file *files_by_build_id(struct find_files *f, const struct object_build_id *id,
					   bool stamp)
{
	const struct object_search *s = &f->options.search;
	struct buf path = BUF_INIT;
	struct find_file *x = NULL;

	for (size_t d = 0; !x && d < s->n_dirs; d++)
		x = in_tree(f, s->dirs[d], id);
	if (!x && path_in_sysroot(&path, s->sysroot, SYSTEM_DEBUG_DIR))
		x = in_tree(f, buf_str(&path), id);
	if (!x && s->system)
		x = in_tree(f, SYSTEM_DEBUG_DIR, id);
	for (unsigned part = 2; !x && part-- > 0;) /* OBJECT_BINARY has more than OBJECT_DEBUG */
		for (size_t i = 0; !x && i < s->n_finders; i++) {
			const struct object_finder *p = &s->finders[i];
			const char *at;

			for (size_t n = 0;
			     !x && !(stamp && p->remote) &&
			     (at = p->find(p->arg, id, (enum object_part)part, n, f->log));
			     n++) {
				x = by_path(f, at);
				if (x && (!x->object || !has_id(x, id)))
					x = NULL;
			}
		}
	buf_release(&path);
	return x;
}

/* The PDB of a module of Windows, from servers: by the module's name, as captures have no other, GUID and age. */
static struct find_file *from_symbol_servers(struct find_files *f, const char *base,
					     const struct object_build_id *id)
{
	const struct object_search *s = &f->options.search;
	struct object_pdb_name pdb = {.guid = id};
	struct find_file *x = NULL;
	struct buf name = BUF_INIT;

	if (!path_is_program(base, strlen(base)) || id->len != 20 || id->age)
		return NULL;
	object_pdb_key(id->bytes, le32(id->bytes + 16), pdb.key);
	buf_addf(&name, "%.*s.pdb", (int)strlen(base) - 4, base);
	pdb.name = buf_str(&name);
	for (size_t i = 0; !x && i < s->n_finders; i++) {
		const struct object_finder *p = &s->finders[i];
		const char *at = p->find_pdb ? p->find_pdb(p->arg, &pdb, f->log) : NULL;

		x = at ? by_path(f, at) : NULL;
		if (x && (!x->object || !has_id(x, id)))
			x = NULL;
	}
	buf_release(&name);
	return x;
}

/* Likewise in folders that are laid out as symbol servers are: PDB/GUIDAGE/PDB, and PROGRAM/TIMESIZE/PROGRAM, if time stamp
 * and size are what the capture has. What is there has the id, or is refused. */
static struct find_file *in_symbol_folders(struct find_files *f, const char *base,
					   const struct object_build_id *id)
{
	const struct object_search *s = &f->options.search;
	struct buf path = BUF_INIT, name = BUF_INIT;
	char key[OBJECT_ID_TEXT];
	struct find_file *x = NULL;

	if (!path_is_program(base, strlen(base)) || id->age ||
	    (id->len != OBJECT_PE_ID && id->len != 20))
		return NULL;
	if (id->len == OBJECT_PE_ID) {
		buf_adds(&name, base);
		object_id_text(id, true, key);
	} else {
		buf_addf(&name, "%.*s.pdb", (int)strlen(base) - 4, base);
		object_pdb_key(id->bytes, le32(id->bytes + 16), key);
	}
	for (size_t d = 0; !x && d < s->n_dirs; d++) {
		path.len = 0;
		buf_addf(&path, "%s/%s/%s/%s", s->dirs[d], buf_str(&name), key, buf_str(&name));
		x = by_path(f, buf_str(&path));
	}
	buf_release(&path);
	buf_release(&name);
	return x;
}

/* In the debug folders: one with the module's name, or that of its PDB. */
static struct find_file *in_debug_dirs(struct find_files *f, const char *base)
{
	struct buf path = BUF_INIT, pdb = BUF_INIT;
	struct find_file *x = NULL;
	size_t n = strlen(base);

	buf_addf(&pdb, "%.*s.pdb", n > 4 ? (int)n - 4 : 0, base);
	for (size_t d = 0; !x && base[0] && d < f->options.search.n_dirs; d++) {
		path.len = 0;
		buf_addf(&path, "%s/%s", f->options.search.dirs[d], base);
		x = by_path(f, buf_str(&path));
		if (x || !is_pdb_of(buf_str(&pdb), base))
			continue;
		path.len = 0;
		buf_addf(&path, "%s/%s", f->options.search.dirs[d], buf_str(&pdb));
		x = by_path(f, buf_str(&path));
	}
	buf_release(&pdb);
	buf_release(&path);
	return x;
}

/* x, if it is more useful than the best so far; of equal ones the first. */
static void keep_better(struct find_file **best, struct find_file *x, const struct wanted *w)
{
	if (!*best || use_of(x, w) > use_of(*best, w))
		*best = x;
}

static void explain_other_build(struct find_files *f, const struct find_file *x,
				const struct files_module *m, const char *how, const char *differs)
{
	struct buf ids = BUF_INIT;

	object_add_captured_ids(&ids, x->object, &m->id);
	search_log_add(f->log, false, x->path, "%s, but is another build: %s differs%s", how,
		       differs, buf_str(&ids));
	buf_release(&ids);
}

/* Why a file was taken, or what it has that the module has not. */
static void explain_file(struct find_files *f, const struct find_file *x,
			 const struct files_module *m)
{
	bool known = false;
	const char *differs = x->object ? object_id_differs(x->object, &m->id, &known) : NULL;
	const char *how = !x->given ? "found" : x->module ? "given for this module" : "given";

	if (!x->object)
		search_log_add(f->log, false, x->path, "%s, but cannot be read: %s", how, x->e.msg);
	else if (differs)
		explain_other_build(f, x, m, how, differs);
	else if (is_too_narrow(x, m))
		search_log_add(f->log, false, x->path,
			       "%s, but is for 32 bits, and the module was above 4 GiB", how);
	else if (!agrees(x, m))
		search_log_add(
		    f->log, false, x->path,
		    "%s, but is not the file that was loaded: device, inode, size or time "
		    "differs",
		    how);
	else if (!known && files_proven(x, m))
		search_log_add(f->log, true, x->path, "%s, size and time agree", how);
	else if (!m->id.len)
		search_log_add(f->log, true, x->path, "%s; the capture has no build-id to compare",
			       how);
	else if (!known)
		search_log_add(f->log, true, x->path, "%s; it has no build-id to compare", how);
	else
		search_log_add(f->log, true, x->path, "%s, build-id agrees", how);
}

/* Both are of one build, as a program and its PDB. */
static bool is_same_build(const struct find_file *a, const struct find_file *b)
{
	return object_build_id(a->object)->len && object_build_id(b->object)->len &&
	       object_build_id_equal(object_build_id(a->object), object_build_id(b->object));
}

/* The one whose path is the name that is looked for, before another build of that name. */
static struct find_file *of_path(struct find_file *by_name, struct find_file *by_whole,
				 const struct wanted *w)
{
	if (!by_whole || by_whole == by_name || use_of(by_whole, w) < 2)
		return by_name;
	return by_name->object && is_same_build(by_name, by_whole) ? by_name : by_whole;
}

static struct find_file *files_candidate(struct find_files *f, const struct files_module *m)
{
	const struct object_build_id *id = &m->id;
	const char *name = m->name, *base = path_base_captured(name);
	const bool windows =
	    path_is_of_windows(name, strlen(name)); /* letters may be of either case */
	const struct wanted w = {m, m->arch && *m->arch ? object_arch_by_name(m->arch)
							: arch_of_path(name)};
	struct find_file *by_module = NULL, *by_stem = NULL, *by_id = NULL, *by_name = NULL,
			 *by_whole = NULL, *given = NULL, *found;
	size_t n_given = 0;
	bool exact = false; /* by_name has the whole name */

	for (size_t i = 0; i < f->n; i++) {
		struct find_file *x = f->items[i];
		bool named = base[0] && (files_same_module(path_base(x->path), base) ||
					 (windows && !strcasecmp(path_base(x->path), base)));

		if (!x->given || x->broken)
			continue;
		if (x->module) {
			if (strcmp(x->module, name) != 0 && strcmp(x->module, base) != 0 &&
			    !(windows && is_name_of(x->module, base))) {
				search_log_add(f->log, false, x->path, "given for module '%s'",
					       x->module);
				continue;
			}
			if (x->zip)
				files_load(x, &f->options);
			if (windows && strcasecmp(x->module, base) != 0 &&
			    strcmp(x->module, name) != 0)
				keep_better(&by_stem, x, &w); /* game of game.exe */
			else
				keep_better(&by_module, x, &w);
			continue;
		}
		if (x->zip && named)
			files_load(x, &f->options);
		if (x->zip)
			continue;
		n_given++;
		given = x;
		if (is_known_by(x, id))
			keep_better(&by_id, x, &w);
		/* Of several with the name the most useful one, of equal ones the first: readable,
		 * not of another build, with debug information. */
		if (named && x->foreign)
			search_log_add(f->log, false, x->path, "given, but is %s", x->e.msg);
		else if (named) {
			keep_better(&by_name, x, &w);
			by_whole = strcmp(x->path, name) ? by_whole : x;
			exact |= !strcasecmp(path_base(x->path), base);
		} else if (by_id != x && base[0])
			search_log_add(f->log, false, x->path,
				       "given, but has neither the module's name nor its build-id");
	}
	if (!by_module && !exact)
		by_module = by_stem;
	if (by_module || by_id || by_name)
		return by_module ? by_module : by_id ? by_id : of_path(by_name, by_whole, &w);
	if (!base[0])
		return n_given == 1 ? given : NULL;
	found = below_sysroot(f, name);
	if (found && found->object && agrees(found, m))
		return found;
	if (id->len) {
		struct find_file *same =
		    files_by_build_id(f, id, windows && id->len == OBJECT_PE_ID);

		if (!same)
			same = from_symbol_servers(f, base, id);
		if (same && found)
			explain_file(f, found, m);
		if (same)
			return same;
	}
	if (!found)
		found = in_debug_dirs(f, base);
	return found ? found : in_symbol_folders(f, base, id);
}

/* x is a member of a given zip file of this name. */
static bool is_of_archive(const struct find_file *x, const char *name)
{
	const char *base = path_base(name), *mine;
	size_t n = strlen(base);

	if (!x->n_archive || !*base)
		return false;
	mine = x->path + x->n_archive;
	return x->n_archive >= n && !memcmp(mine - n, base, n) &&
	       (x->n_archive == n || mine[-(ptrdiff_t)n - 1] == '/');
}

bool files_has_archive(const struct find_files *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (is_of_archive(f->items[i], name))
			return true;
	return false;
}

struct find_file *files_in_archive(struct find_files *f, const char *name, uint64_t *offset)
{
	for (size_t i = 0; i < f->n; i++) {
		struct find_file *x = f->items[i];

		if (!x->stored || *offset < x->stored || *offset - x->stored >= x->member->size ||
		    !is_of_archive(x, name))
			continue;
		if (x->zip)
			files_load(x, &f->options);
		x->wanted = true;
		*offset -= x->stored;
		return x->object ? x : NULL;
	}
	return NULL;
}

struct find_file *files_find(struct find_files *f, const struct files_module *m,
			     enum reason *reason)
{
	struct search_log log = {.n = 0};
	struct find_file *x;
	bool known;

	f->log = f->options.search.explain ? &log : NULL;
	x = files_candidate(f, m);
	*reason = REASON_RESOLVED;
	if (x)
		x->wanted = true;
	if (!x)
		*reason = REASON_NO_FILE;
	else if (!x->object)
		*reason = x->reason;
	else if (!agrees(x, m))
		*reason = m->id.len && object_build_id(x->object)->len ? REASON_BUILD_ID_DIFFERS
								       : REASON_REPLACED;
	f->refused_narrow = x && x->object && is_too_narrow(x, m);
	f->refused_differs = *reason == REASON_BUILD_ID_DIFFERS
				 ? object_id_differs(x->object, &m->id, &known)
				 : NULL;
	f->refused = x;
	for (size_t i = 0; *reason == REASON_RESOLVED && i < f->n; i++) /* a program and its PDB */
		f->items[i]->wanted |= f->items[i]->object && is_same_build(x, f->items[i]);
	if (f->log && x)
		explain_file(f, x, m);
	if (f->log)
		VEC_PUSH(f->found, f->n_found, f->cap_found) =
		    (struct file_found){mem_strdup(m->name), m->id, x, *reason, log};
	f->log = NULL;
	return *reason == REASON_RESOLVED ? x : NULL;
}

const char *files_refused_differs(const struct find_files *f, const struct find_file **x)
{
	*x = f->refused;
	return f->refused_differs;
}

bool files_refused_narrow(const struct find_files *f)
{
	return f->refused_narrow;
}
