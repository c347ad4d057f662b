/* SPDX-License-Identifier: MIT
 *
 * The search for the PDB of a PE file: where LLVM looks, beside the file and at the recorded path, and the folders of
 * symbol servers, NAME/GUIDAGE/NAME (Microsoft's "SymStore"), where the last letter of a compressed file is "_". It
 * must have the GUID and the age of the CodeView record.
 */
#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/id_text.h"
#include "lib/base/path.h"
#include "lib/object/format.h"
#include "lib/object/id_text.h"
#include "lib/object/pdb.h"
#include "lib/object/pe.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct pdb_search {
	struct object *o;
	const char *name; /* of the PDB */
	char key[OBJECT_DEBUG_KEY];
	struct buf path, *refused;
	struct search_log *log; /* NULL: not wanted */
};

static void refuse_pdb(struct pdb_search *k, const char *path, const char *why)
{
	search_log_add(k->log, false, path, "%s", why);
	buf_adds(k->refused, k->refused->len ? "; " : "");
	buf_adds(k->refused, path);
	buf_addf(k->refused, ": %s", why);
}

/* A file of a symbol server that is still compressed. */
static bool is_packed(struct pdb_search *k)
{
	char *path = mem_strdup(buf_str(&k->path));
	size_t n = strlen(path);
	bool there;

	path[n - 1] = '_';
	there = n > 1 && !access(path, F_OK);
	if (there)
		refuse_pdb(k, path, "is compressed: expand it");
	free(path);
	return there;
}

/* The folder at k->path has builds, as symbol servers keep them: what is wrong with the one of this build has been said. */
static void refuse_folder(struct pdb_search *k)
{
	size_t n = k->path.len;
	bool there;

	buf_addf(&k->path, "/%s", k->key);
	there = !access(buf_str(&k->path), F_OK);
	k->path.len = n;
	if (there)
		search_log_add(k->log, false, buf_str(&k->path), "is a folder");
	else
		refuse_pdb(k, buf_str(&k->path), "is a folder of other builds");
}

/* The file at k->path. */
static bool try_pdb(struct pdb_search *k)
{
	const struct object_image *mine = &k->o->file;
	const char *path = buf_str(&k->path), *why = NULL, *differs;
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	struct object_image f;
	struct stat st;

	if (access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR)) {
		if (!is_packed(k))
			search_log_add(k->log, false, path, "not there");
		return false;
	}
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		refuse_folder(k);
		return false;
	}
	if (image_open(&f, path, &e)) {
		refuse_pdb(k, path, e.msg);
		return false;
	}
	differs = object_build_id_differs(&mine->build_id, &f.build_id);
	if (!f.pdb)
		why = "is no PDB";
	else if (differs)
		why = !strcmp(differs, "age") ? "age differs" : "GUID differs";
	if (why) {
		buf_adds(&text, why);
		if (differs && f.pdb)
			object_add_ids(&text, "the program has", &mine->build_id, "the PDB",
				       &f.build_id);
		refuse_pdb(k, path, buf_str(&text));
		buf_release(&text);
		image_release(&f);
		return false;
	}
	search_log_add(k->log, true, path, "GUID and age agree");
	k->o->debug = f;
	return true;
}

/* Names of Windows are equal in letters of either case. The folder is the first n bytes of k->path. */
static bool try_other_letters(struct pdb_search *k, size_t n)
{
	const struct dirent *d;
	bool found = false;
	DIR *folder;

	k->path.len = n;
	folder = opendir(n ? buf_str(&k->path) : ".");
	while (folder && !found && (d = readdir(folder))) {
		if (strcasecmp(d->d_name, k->name) != 0 || !strcmp(d->d_name, k->name))
			continue;
		k->path.len = n;
		buf_adds(&k->path, d->d_name);
		found = try_pdb(k);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* In a folder of n bytes, with its slash. */
static bool try_beside(struct pdb_search *k, const char *folder, size_t n)
{
	k->path.len = 0;
	buf_add(&k->path, folder, n);
	buf_adds(&k->path, k->name);
	return try_pdb(k) || try_other_letters(k, n);
}

/* In a folder for debug files: as a symbol server has it, or as it is. */
static bool try_dir(struct pdb_search *k, const char *dir)
{
	k->path.len = 0;
	buf_addf(&k->path, "%s/%s/%s/%s", dir, k->name, k->key, k->name);
	if (try_pdb(k))
		return true;
	k->path.len = 0;
	buf_addf(&k->path, "%s/%s", dir, k->name);
	return try_pdb(k) || try_other_letters(k, strlen(dir) + 1);
}

/* Of servers, which are asked last. */
static bool try_servers(struct pdb_search *k, const struct object_search *s)
{
	struct object_pdb_name pdb = {.name = k->name, .guid = &k->o->file.build_id};

	memcpy(pdb.key, k->key, sizeof pdb.key);
	for (size_t i = 0; i < s->n_finders; i++) {
		const struct object_finder *f = &s->finders[i];
		const char *path = f->find_pdb ? f->find_pdb(f->arg, &pdb, k->log) : NULL;

		k->path.len = 0;
		if (path)
			buf_adds(&k->path, path);
		if (path && try_pdb(k))
			return true;
	}
	return false;
}

static bool try_finders(struct pdb_search *k, const struct object_search *s)
{
	const char *path;

	for (size_t i = 0; i < s->n_finders; i++) {
		const struct object_finder *f = &s->finders[i];

		for (size_t n = 0;
		     (path = f->find(f->arg, &k->o->file.build_id, OBJECT_DEBUG, n, k->log)); n++) {
			k->path.len = 0;
			buf_adds(&k->path, path);
			if (try_pdb(k))
				return true;
		}
	}
	return false;
}

static bool hunt_pdb(struct pdb_search *k, const struct object_search *s)
{
	const struct object_image *f = &k->o->file;
	const char *slash = strrchr(f->path, '/');

	if (try_beside(k, f->path, slash ? (size_t)(slash + 1 - f->path) : 0))
		return true;
	for (size_t i = 0; i < s->n_dirs; i++)
		if (try_dir(k, s->dirs[i]))
			return true;
	if (f->pe.pdb[0] == '/') {
		k->path.len = 0;
		if (!path_in_sysroot(&k->path, s->sysroot, f->pe.pdb))
			buf_adds(&k->path, f->pe.pdb);
		if (try_pdb(k))
			return true;
	}
	return try_finders(k, s) || try_servers(k, s);
}

void object_pdb_key(const uint8_t guid[16], uint32_t age, char key[OBJECT_DEBUG_KEY])
{
	struct buf b = BUF_INIT;

	id_text_add_guid(&b, guid, age);
	if (!age) /* servers have it all the same */
		buf_addc(&b, '0');
	snprintf(key, OBJECT_DEBUG_KEY, "%s", buf_str(&b));
	buf_release(&b);
}

void object_id_text(const struct object_build_id *id, bool windows, char text[OBJECT_ID_TEXT])
{
	struct buf b = BUF_INIT;

	if (id->age)
		id_text_add_guid(&b, id->bytes, id->age == OBJECT_ANY_AGE ? 0 : id->age);
	else
		id_text_add(&b, windows, id->bytes, id->len);
	snprintf(text, OBJECT_ID_TEXT, "%s", buf_str(&b));
	buf_release(&b);
}

void object_debug_key(const struct object *o, char key[OBJECT_DEBUG_KEY])
{
	key[0] = 0;
	if (o->file.pe.pdb)
		object_pdb_key(o->file.build_id.bytes, o->file.pe.pdb_age, key);
}

uint32_t object_pdb_age(const struct object *o)
{
	return o->file.pdb ? o->file.pdb->age : 0;
}

bool pe_find_pdb(struct object *o, const struct object_search *s, struct buf *refused)
{
	struct pdb_search k = {.o = o,
			       .name = path_base_windows(o->file.pe.pdb),
			       .refused = refused,
			       .log = s->explain ? &o->log : NULL};
	bool found;

	object_debug_key(o, k.key);
	found = *k.name && hunt_pdb(&k, s);
	if (!found) {
		struct buf text = BUF_INIT;

		buf_adds(&text, object_has_dwarf(o)
				    ? "functions and lines that its DWARF lacks may be in the PDB "
				    : "its functions and lines are in the PDB ");
		buf_adds(&text, o->file.pe.pdb);
		buf_addf(&text, " (%s), which was not found%s", k.key, refused->len ? ": " : "");
		buf_add(&text, buf_at(refused, 0), refused->len);
		if (!s->n_dirs && !s->symbol_servers)
			buf_adds(&text, "; --debug-dir DIR looks for it in a folder, "
					"--symbol-server URL asks a server for it");
		else if (!s->symbol_servers)
			buf_adds(&text, "; --symbol-server URL asks a server for it");
		refused->len = 0;
		buf_add(refused, text.data, text.len);
		buf_release(&text);
	}
	buf_release(&k.path);
	return found;
}
