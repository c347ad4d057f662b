/* SPDX-License-Identifier: MIT */
#include "lib/managed/managed.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/text.h"
#include "lib/input/input.h"
#include "lib/managed/il2cpp_name.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOT_MAX = 4096 };
#define BACKUP "_BackUpThisFolder_ButDontShipItWithYourGame"

static void add_message(struct managed *m, const char *path, const char *text)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s: %s", path, text);
	intern_add(&m->messages, b.data, b.len);
	buf_release(&b);
}

void managed_init(struct managed *m, const struct managed_options *o)
{
	*m = (struct managed){.options = *o, .next_message = 1};
}

void managed_release(struct managed *m)
{
	for (size_t i = 0; i < m->n_files; i++) {
		line_map_free(m->files[i]->lines);
		usym_free(m->files[i]->usym);
		free(m->files[i]->path);
		free(m->files[i]->module);
		free(m->files[i]);
	}
	for (size_t i = 0; i < m->n_of; i++) {
		free(m->of[i]->maps);
		free(m->of[i]);
	}
	free(m->files);
	free(m->of);
	free(m->failures);
	method_map_release(&m->methods);
	jit_map_release(&m->jit);
	intern_release(&m->seen);
	intern_release(&m->messages);
	*m = (struct managed){.next_message = 1};
}

static void failed(struct managed *m, const char *path, bool given, const struct err *e)
{
	struct err copy = *e;

	if (given) {
		VEC_PUSH(m->failures, m->n_failures, m->cap_failures) =
		    (struct managed_failure){path, copy};
		return;
	}
	err_of_file(&copy, "not used", path);
	intern_add(&m->messages, copy.msg, strlen(copy.msg));
}

static struct managed_file *add(struct managed *m, const char *path, bool given)
{
	struct managed_file *f = mem_zalloc(sizeof *f);

	f->path = mem_strdup(path);
	f->given = given;
	VEC_PUSH(m->files, m->n_files, m->cap_files) = f;
	return f;
}

/* The folder that a line map's paths are below, which is next to it in a file of its own. */
static void read_root(const char *path, struct buf *root)
{
	struct err e = ERR_INIT;
	struct input in = {0};
	struct buf at = BUF_INIT;
	size_t n;
	const char *line;

	buf_addf(&at, "%.*sil2cppFileRoot.txt", (int)(path_base(path) - path), path);
	if (!input_open(&in, buf_str(&at), &e) && (line = cursor_line(&in.cur, &n, ROOT_MAX)))
		buf_add(root, line, n);
	input_close(&in);
	buf_release(&at);
}

static struct managed_file *managed_add_lines(struct managed *m, const char *path, bool given)
{
	struct buf root = BUF_INIT, word = BUF_INIT;
	struct err e = ERR_INIT;
	struct input in = {0};
	struct line_map *map = NULL;
	struct managed_file *f = NULL;
	enum status st = input_open(&in, path, &e);

	read_root(path, &root);
	if (!st)
		st = line_map_read(&map, &in.cur, buf_str(&root), &e);
	if (st) {
		failed(m, path, given, &e);
	} else {
		struct line_map_facts facts = line_map_facts(map);

		f = add(m, path, given);
		f->lines = map;
		buf_addf(&word, "a line map (%s) of %" PRIu64 " C++ files, %" PRIu64 " lines%s",
			 facts.sentry ? "Sentry's" : "Unity's", facts.files, facts.lines,
			 root.len ? ", with il2cppFileRoot.txt" : "");
		add_message(m, path, buf_str(&word));
		if (facts.odd)
			add_message(m, path, "members that are no lines were left out");
		if (facts.broken) {
			e = *facts.broken;
			failed(m, f->path, given, &e);
		}
	}
	input_close(&in);
	buf_release(&root);
	buf_release(&word);
	return f;
}

static void add_methods(struct managed *m, const char *path, bool given)
{
	uint64_t before = m->methods.methods;
	struct err e = ERR_INIT;
	struct input in = {0};
	struct buf word = BUF_INIT;

	if (input_open(&in, path, &e) || method_map_read(&m->methods, &in.cur, &e)) {
		failed(m, path, given, &e);
	} else {
		buf_addf(&word, "a method map of %" PRIu64 " method%s", m->methods.methods - before,
			 plural_s(m->methods.methods - before));
		add_message(m, path, buf_str(&word));
	}
	input_close(&in);
	buf_release(&word);
}

static void read_jit(struct managed *m, const char *path)
{
	struct err e = ERR_INIT;
	struct input in = {0};
	struct buf word = BUF_INIT;

	if (input_open(&in, path, &e) || jit_map_read(&m->jit, &in.cur, &e)) {
		failed(m, path, true, &e);
	} else {
		buf_addf(&word, "compiled code of %" PRIu64 " lines, %" PRIu64 " others",
			 m->jit.lines, m->jit.odd);
		add_message(m, path, buf_str(&word));
	}
	input_close(&in);
	buf_release(&word);
}

static struct managed_file *managed_add_usym(struct managed *m, const char *path, bool given)
{
	struct err e = ERR_INIT;
	struct input in = {0};
	struct buf data = BUF_INIT, word = BUF_INIT;
	struct managed_file *f = NULL;
	struct usym *u = NULL;
	enum status st = input_open(&in, path, &e);

	while (!st && !cursor_done(&in.cur)) {
		size_t n = cursor_window(&in.cur);

		buf_add(&data, cursor_bytes(&in.cur, n, "usym"), n);
	}
	if (!st && cursor_failed(&in.cur))
		st = e.code;
	buf_addc(&data, 0);
	if (!st) {
		st = usym_read(&u, data.data, data.len - 1, &e);
		data = (struct buf)BUF_INIT;
	}
	if (st) {
		failed(m, path, given, &e);
	} else {
		struct usym_facts facts = usym_facts(u);

		f = add(m, path, given);
		f->usym = u;
		buf_addf(&word, "a %s of %.*s, %" PRIu32 " records",
			 facts.lite ? "usymlite" : "usym", (int)facts.name.n, facts.name.s,
			 facts.records);
		add_message(m, path, buf_str(&word));
	}
	input_close(&in);
	buf_release(&data);
	buf_release(&word);
	return f;
}

void managed_load(struct managed *m)
{
	const struct managed_options *o = &m->options;

	if (m->loaded)
		return;
	m->loaded = true;
	for (size_t i = 0; i < o->n_line_maps; i++)
		managed_add_lines(m, o->line_maps[i], true);
	for (size_t i = 0; i < o->n_method_maps; i++)
		add_methods(m, o->method_maps[i], true);
	if (o->jit_map)
		read_jit(m, o->jit_map);
	for (size_t i = 0; i < o->n_usyms; i++) {
		const char *text = o->usyms[i], *equals = strchr(text, '=');
		struct managed_file *f;

		/* A file whose own name has a '=' is a file. */
		if (equals && !access(text, F_OK))
			equals = NULL;
		f = managed_add_usym(m, equals ? equals + 1 : text, true);
		if (f && equals)
			f->module = mem_strndup(text, (size_t)(equals - text));
	}
}

static void in_folder(struct managed *m, const char *folder)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/LineNumberMappings.json", folder);
	if (!access(buf_str(&path), R_OK))
		managed_add_lines(m, path.data, false);
	path.len = 0;
	buf_addf(&path, "%s/MethodMap.tsv", folder);
	if (!access(buf_str(&path), R_OK))
		add_methods(m, path.data, false);
	buf_release(&path);
}

static void in_folders(struct managed *m, const char *folder)
{
	static const char *const below[] = {"", "/Symbols", "/il2cppOutput/Symbols",
					    "/il2cppOutput/cpp/Symbols"};
	struct buf path = BUF_INIT;

	for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
		path.len = 0;
		buf_addf(&path, "%s%s", folder, below[i]);
		in_folder(m, buf_str(&path));
	}
	buf_release(&path);
}

static void managed_around(struct managed *m, const char *folder)
{
	struct buf path = BUF_INIT;
	struct dirent *d;
	DIR *dir;

	if (intern_find(&m->seen, folder, strlen(folder)))
		return;
	intern_add(&m->seen, folder, strlen(folder));
	in_folders(m, folder);
	dir = opendir(folder);
	while (dir && (d = readdir(dir))) {
		size_t n = strlen(d->d_name), tail = sizeof BACKUP - 1;

		if (n <= tail || strcmp(d->d_name + n - tail, BACKUP) != 0)
			continue;
		path.len = 0;
		buf_addf(&path, "%s/%s", folder, d->d_name);
		in_folders(m, buf_str(&path));
	}
	if (dir)
		closedir(dir);
	buf_release(&path);
}

static void managed_look_beside(struct managed *m, const char *binary)
{
	char *real = realpath(binary, NULL), *slash;
	struct buf path = BUF_INIT;

	if (!real)
		return;
	buf_addf(&path, "%s.usym", real);
	if (!access(buf_str(&path), R_OK))
		managed_add_usym(m, path.data, false);
	slash = strrchr(real, '/');
	if (slash)
		*slash = 0;
	managed_around(m, *real ? real : "/");
	slash = strrchr(real, '/');
	if (slash && slash != real) {
		*slash = 0;
		managed_around(m, real);
	}
	free(real);
	buf_release(&path);
}

/* An id is the build-id in hexadecimal, or the beginning of one. */
static bool same_id(struct usym_text id, const uint8_t *bytes, size_t n)
{
	char hex[3];

	if (id.n < 16 || id.n / 2 > n)
		return false;
	for (size_t i = 0; i + 1 < id.n; i += 2) {
		snprintf(hex, sizeof hex, "%02x", bytes[i / 2]);
		if ((id.s[i] | 0x20) != (hex[0] | 0x20) || (id.s[i + 1] | 0x20) != (hex[1] | 0x20))
			return false;
	}
	return true;
}

static bool is_named(struct usym_text name, const char *module)
{
	const char *base = path_base_captured(module);

	return name.n && name.n == strlen(base) && !memcmp(name.s, base, name.n);
}

const struct usym *managed_usym(struct managed *m, const char *module, const uint8_t *build_id,
				size_t n_build_id)
{
	managed_load(m);
	for (size_t i = 0; i < m->n_files; i++) {
		const struct managed_file *f = m->files[i];
		struct usym_facts facts;

		if (!f->usym)
			continue;
		if (f->module) {
			if (!strcmp(f->module, module) ||
			    !strcmp(f->module, path_base_captured(module)))
				return f->usym;
			continue;
		}
		facts = usym_facts(f->usym);
		if (n_build_id && facts.id.n) {
			if (same_id(facts.id, build_id, n_build_id))
				return f->usym;
			continue;
		}
		if (is_named(facts.name, module) || (!*module && f->given))
			return f->usym;
	}
	return NULL;
}

/* A usym next to the binary under its name belongs to it, if its id does not say otherwise.
 */
static const struct usym *managed_beside(struct managed *m, const char *path,
					 const struct object_build_id *id)
{
	struct buf want = BUF_INIT;
	const struct usym *u = NULL;

	buf_addf(&want, "%s.usym", path_base(path));
	for (size_t i = 0; !u && i < m->n_files; i++) {
		const struct managed_file *f = m->files[i];

		if (!f->usym || f->given || strcmp(path_base(f->path), buf_str(&want)) != 0)
			continue;
		if (id->len && usym_facts(f->usym).id.n &&
		    !same_id(usym_facts(f->usym).id, id->bytes, id->len))
			add_message(m, f->path, "not used: it is of another build (id)");
		else
			u = f->usym;
	}
	buf_release(&want);
	return u;
}

static uint64_t lowest(const struct object *o)
{
	size_t n;
	const struct object_segment *s = object_segments(o, &n);
	uint64_t base = n ? s[0].vaddr : 0;

	for (size_t i = 1; i < n; i++)
		base = s[i].vaddr < base ? s[i].vaddr : base;
	return base;
}

struct managed_of *managed_of(struct managed *m, const struct object *o, const char *path)
{
	const struct object_build_id *id = object_build_id(o);
	struct managed_of *of;

	for (size_t i = 0; i < m->n_of; i++)
		if (m->of[i]->object == o)
			return m->of[i]->n_maps || m->of[i]->usym ? m->of[i] : NULL;
	managed_load(m);
	if (m->options.beside && path)
		managed_look_beside(m, path);
	of = mem_zalloc(sizeof *of);
	of->object = o;
	of->base = lowest(o);
	VEC_PUSH(m->of, m->n_of, m->cap_of) = of;
	for (size_t i = 0; i < m->n_files; i++) {
		const struct managed_file *f = m->files[i];

		if (f->lines && line_map_is_of(f->lines, id))
			VEC_PUSH(of->maps, of->n_maps, of->cap_maps) = f->lines;
		else if (f->lines)
			add_message(m, f->path,
				    "not used for a binary: it is of others (__debug-id__)");
	}
	of->usym = managed_usym(m, path ? path : "", id->bytes, id->len);
	if (!of->usym && path)
		of->usym = managed_beside(m, path, id);
	return of->n_maps || of->usym ? of : NULL;
}

void managed_forget(struct managed *m, const struct object *o)
{
	for (size_t i = 0; i < m->n_of; i++) {
		if (m->of[i]->object != o)
			continue;
		free(m->of[i]->maps);
		free(m->of[i]);
		m->of[i] = m->of[--m->n_of];
		return;
	}
}

bool managed_line(struct managed *m, struct managed_of *of, const struct managed_at *at,
		  const char **file, uint32_t *cs)
{
	bool generated = il2cpp_generated(at->function), known = false, no_source = false;
	uint64_t window = m->options.has_window ? m->options.window
			  : at->first           ? 0
						: LINE_MAP_WINDOW;

	for (size_t i = 0; i < of->n_maps; i++) {
		uint32_t *memo =
		    map64_put(at->memo, (uint64_t)(i << 1 | generated) << 32 | at->string);
		enum line_map_found found;

		if (!*memo)
			*memo = line_map_file(of->maps[i], at->path, generated) + 1;
		if (*memo == 1)
			continue;
		known = true;
		found = line_map_at(of->maps[i], *memo - 1, at->line, at->first, window, file, cs);
		if (found == LINE_MAP_FOUND && !*cs)
			found = LINE_MAP_NO_SOURCE;
		if (found == LINE_MAP_FOUND) {
			m->mapped++;
			return true;
		}
		no_source |= found == LINE_MAP_NO_SOURCE;
	}
	if (known || generated)
		(*(no_source ? &m->no_source : known ? &m->no_entry : &m->no_file))++;
	return false;
}

char *managed_name(const struct managed *m, const char *raw, const char *demangled)
{
	const char *name = demangled ? demangled : raw, *signature;

	if (!m->options.names)
		return NULL;
	signature = method_map_at(&m->methods, name, il2cpp_bare(name));
	return signature ? mem_strdup(signature) : il2cpp_display(name);
}

const char *managed_next_message(struct managed *m)
{
	if (m->next_message > intern_count(&m->messages))
		return NULL;
	return intern_text(&m->messages, m->next_message++, NULL);
}
