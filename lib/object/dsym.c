/* SPDX-License-Identifier: MIT
 *
 * The place of a Mach-O file's debug information: NAME.dSYM/Contents/Resources/DWARF/NAME, a
 * folder that dsymutil makes beside the file or beside the bundle (.app, .framework) that it is in;
 * Xcode's archives have them in a folder of their own. UUIDs must agree.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/object/mach.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUNDLES_MAX = 4096 }; /* in one folder */

/* The Mach-O file in a .dSYM folder into path; of several the one called name (NULL: any). */
static bool dsym_in_bundle(const char *bundle, const char *name, char *path, size_t n)
{
	char folder[4096];
	struct dirent *d;
	unsigned files = 0;
	bool found = false;
	struct stat sb;
	DIR *dir;

	if (snprintf(folder, sizeof folder, "%s/Contents/Resources/DWARF", bundle) >=
	    (int)sizeof folder)
		return false;
	if (name && snprintf(path, n, "%s/%s", folder, name) < (int)n && !stat(path, &sb) &&
	    S_ISREG(sb.st_mode))
		return true;
	dir = opendir(folder);
	while (dir && (d = readdir(dir)) && files++ < BUNDLES_MAX) {
		char one[4096];

		if (d->d_name[0] == '.' ||
		    snprintf(one, sizeof one, "%s/%s", folder, d->d_name) >= (int)sizeof one ||
		    stat(one, &sb) || !S_ISREG(sb.st_mode))
			continue;
		if (found) { /* of several none is the one */
			found = false;
			break;
		}
		found = snprintf(path, n, "%s", one) < (int)n;
	}
	if (dir)
		closedir(dir);
	return found;
}

bool object_in_bundle(const char *path, char *file, size_t n)
{
	return dsym_in_bundle(path, NULL, file, n);
}

enum status object_open_bundle(struct object **out, const char *path,
			       const struct object_want *want, struct err *e)
{
	char file[4096];

	if (!dsym_in_bundle(path, NULL, file, sizeof file))
		return err_set(e, ST_UNSUPPORTED,
			       "a folder: name the program in it, or search it by --debug-dir (a "
			       ".dSYM has one file in Contents/Resources/DWARF)");
	return object_open_wanted(out, file, want, e);
}

struct dsym_hunt {
	struct object *o;
	struct buf *refused;
};

static bool dsym_try_bundle(struct dsym_hunt *h, const char *bundle)
{
	struct object_image *mine = &h->o->file, f;
	struct object_want want = {.id = &mine->build_id};
	const struct section_header *s;
	struct err e = ERR_INIT;
	const char *why = NULL;
	char path[4096];

	if (!dsym_in_bundle(bundle, path_base(mine->path), path, sizeof path))
		return false;
	if (image_open_wanted(&f, path, &want, &e)) {
		why = e.msg;
	} else {
		s = image_section(&f, ".debug_info");
		if (f.format != mine->format || f.arch != mine->arch)
			why = "is for another machine";
		else if (!object_build_id_equal(&mine->build_id, &f.build_id))
			why = "UUID differs";
		else if (!s || !s->size)
			why = "has no debug information";
		if (!why) {
			h->o->debug = f;
			h->o->debug_proven = true; /* by its UUID */
			return true;
		}
		image_release(&f);
	}
	if (h->refused->len)
		buf_adds(h->refused, "; ");
	buf_add_escaped(h->refused, path, strlen(path));
	buf_addf(h->refused, ": %s", why);
	return false;
}

/* All bundles of a folder: they need not be called as the file is. */
static bool dsym_try_folder(struct dsym_hunt *h, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	unsigned n = 0;
	bool found = false;

	while (dir && !found && (d = readdir(dir)) && n++ < BUNDLES_MAX) {
		size_t len = strlen(d->d_name);
		char path[4096];

		if (len <= 5 || strcmp(d->d_name + len - 5, ".dSYM") != 0)
			continue;
		found =
		    snprintf(path, sizeof path, "%s/%s", folder, d->d_name) < (int)sizeof path &&
		    dsym_try_bundle(h, path);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool dsym_find(struct object *o, const struct object_search *s, struct buf *refused)
{
	struct dsym_hunt h = {o, refused};
	char path[4096], *slash;

	if (!o->file.build_id.len)
		return false;
	for (size_t i = 0; i < s->n_dirs; i++)
		if (dsym_try_bundle(&h, s->dirs[i]) || dsym_try_folder(&h, s->dirs[i]))
			return true;
	if (snprintf(path, sizeof path, "%s.dSYM", o->file.path) < (int)sizeof path &&
	    dsym_try_bundle(&h, path))
		return true;
	/* beside the bundles around it: App.app/App, Game.app/Frameworks/X.framework/X */
	if (snprintf(path, sizeof path, "%s", o->file.path) >= (int)sizeof path)
		return false;
	for (int up = 0; up < 4 && (slash = strrchr(path, '/')) && slash != path; up++) {
		char bundle[4096 + 8];

		*slash = 0;
		snprintf(bundle, sizeof bundle, "%s.dSYM", path);
		if (strchr(path_base(path), '.') && dsym_try_bundle(&h, bundle))
			return true;
	}
	return false;
}
