/* SPDX-License-Identifier: MIT
 *
 * Program headers and notes: System V ABI, chapter 5; NT_GNU_BUILD_ID is the note of type 3 whose
 * name is "GNU".
 */
#include "lib/recorder/base/modules.h"

#include "lib/recorder/base/maps.h"
#include "lib/recorder/base/memory.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

bool cap_modules_init(struct cap_modules *m, struct cap_made made)
{
	memset(m, 0, sizeof *m);
	m->made = made;
	m->rows = cap_map(CAP_MODULES * sizeof *m->rows);
	return m->rows != NULL;
}

static uint64_t page_size(void)
{
	static uint64_t size;

	if (!size)
		size = (uint64_t)sysconf(_SC_PAGESIZE);
	return size;
}

/* Only notes that lie in a segment that is mapped and readable. */
static bool readable(const struct dl_phdr_info *info, uint64_t vaddr, uint64_t n)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_R && vaddr >= p->p_vaddr &&
		    n <= p->p_filesz && vaddr - p->p_vaddr <= p->p_filesz - n)
			return true;
	}
	return false;
}

static void cap_modules_find_build_id(struct cap_module *m, const struct dl_phdr_info *info,
				      const ElfW(Phdr) * note)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)(info->dlpi_addr + note->p_vaddr);
	size_t left = note->p_memsz, align = note->p_align == 8 ? 8 : 4;

	if (!readable(info, note->p_vaddr, note->p_memsz))
		return;
	while (left >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) head;
		size_t name, desc;

		memcpy(&head, p, sizeof head);
		name = ((size_t)head.n_namesz + align - 1) & ~(align - 1);
		desc = ((size_t)head.n_descsz + align - 1) & ~(align - 1);
		p += sizeof head;
		left -= sizeof head;
		if (name > left || head.n_descsz > left - name)
			return;
		if (head.n_type == 3 && head.n_namesz == 4 && !memcmp(p, "GNU", 4) &&
		    head.n_descsz <= CAP_BUILD_ID) {
			memcpy(m->build_id, p + name, head.n_descsz);
			m->n_build_id = (uint8_t)head.n_descsz;
			return;
		}
		if (desc > left - name)
			return;
		p += name + desc;
		left -= name + desc;
	}
}

static void cap_modules_describe(struct cap_module *m, const struct dl_phdr_info *info)
{
	uint64_t page = page_size();

	memset(m, 0, sizeof *m);
	m->slide = info->dlpi_addr;
	strncpy(m->name, info->dlpi_name ? info->dlpi_name : "", sizeof m->name - 1);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t lo = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_NOTE && !m->n_build_id)
			cap_modules_find_build_id(m, info, p);
		if (p->p_type != PT_LOAD || m->n_segments == CAP_SEGMENTS)
			continue;
		m->segment[m->n_segments++] = (struct cap_segment){
		    .lo = lo & ~(page - 1),
		    .hi = (lo + p->p_memsz + page - 1) & ~(page - 1),
		    .offset = p->p_offset & ~(page - 1),
		    .executable = p->p_flags & PF_X,
		};
	}
}

struct scan {
	struct cap_modules *m;
	bool first, always, reused;
};

static bool equal(const struct cap_module *a, const struct cap_module *b)
{
	return a->slide == b->slide && a->n_segments == b->n_segments &&
	       a->n_build_id == b->n_build_id && !memcmp(a->build_id, b->build_id, a->n_build_id) &&
	       !strcmp(a->name, b->name) &&
	       (!a->n_segments || a->segment[0].lo == b->segment[0].lo);
}

static bool overlap(const struct cap_module *a, const struct cap_module *b)
{
	for (unsigned i = 0; i < a->n_segments; i++)
		for (unsigned k = 0; k < b->n_segments; k++)
			if (a->segment[i].lo < b->segment[k].hi &&
			    b->segment[k].lo < a->segment[i].hi)
				return true;
	return false;
}

/* Does the map of this epoch say that another one is at these addresses? */
static bool is_occupied(const struct cap_modules *m, const struct cap_module *x)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (&m->rows[i] != x && m->rows[i].written == m->epoch + 1 &&
		    overlap(&m->rows[i], x))
			return true;
	return false;
}

/* "./plugin.so" is where the program was when it was loaded, which is where it still is, we hope.
 */
static void make_absolute(char *name, size_t size)
{
	size_t n = strlen(name), folder;
	char path[CAP_NAME];

	if (*name == '/' || !strchr(name, '/') || !getcwd(path, sizeof path))
		return;
	folder = strlen(path);
	if (folder + 1 + n + 1 > size)
		return;
	memmove(name + folder + 1, name, n + 1);
	memcpy(name, path, folder);
	name[folder] = '/';
}

static int cap_modules_see(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct scan *s = arg;
	struct cap_modules *m = s->m;
	struct cap_module *x = &m->rows[m->n]; /* the room behind the last is scratch */

	/* A record has its nodes before its number. */
	if (s->first) {
		m->seen.records = atomic_load_explicit(m->made.records, memory_order_acquire);
		m->seen.nodes = atomic_load_explicit(m->made.nodes, memory_order_acquire);
	}
	if (s->first && size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
		if (!s->always && m->adds == info->dlpi_adds && m->subs == info->dlpi_subs)
			return 1;
		m->adds = info->dlpi_adds;
		m->subs = info->dlpi_subs;
	}
	if (s->first)
		for (uint32_t i = 0; i < m->n; i++)
			m->rows[i].seen = false;
	s->first = false;
	cap_modules_describe(x, info);
	/* The program's own name is empty; what it was started as need not be its path. */
	x->program = !*x->name;
	if (x->program) {
		ssize_t n = readlink("/proc/self/exe", x->name, sizeof x->name - 1);

		if (n > 0)
			x->name[n] = 0;
	}
	make_absolute(x->name, sizeof x->name);
	for (uint32_t i = 0; i < m->n; i++)
		if (!m->rows[i].gone && equal(&m->rows[i], x)) {
			m->rows[i].seen = true;
			return 0;
		}
	if (m->n == CAP_MODULES - 1) {
		m->lost++;
		return 0;
	}
	x->seen = true;
	m->n++;
	m->changed = true;
	return 0;
}

/* The modules from first on have come. */
struct come {
	struct cap_modules *m;
	uint32_t first;
};

/* A file that was replaced since it was loaded: of the one that was loaded only its number is known.
 */
static void see_inode(struct cap_module *x, uint64_t inode, bool deleted)
{
	if (x->file.known && x->file.inode == inode)
		return;
	cap_module_file_release(&x->file);
	if (deleted) {
		x->file.known = true;
		x->file.inode = inode;
	}
}

static void cap_modules_line(void *arg, const char *p, const char *end)
{
	static const char gone[] = " (deleted)";
	const size_t n = sizeof gone - 1;
	const struct come *come = arg;
	uintptr_t lo;
	uint64_t inode = 0;

	p = cap_maps_hex(p, &lo);
	for (int field = 0; field < 4; field++) {
		p = memchr(p, ' ', (size_t)(end - p));
		if (!p)
			return;
		p++;
	}
	for (; *p >= '0' && *p <= '9'; p++)
		inode = inode * 10 + (uint64_t)(*p - '0');
	for (uint32_t i = come->first; i < come->m->n; i++)
		if (come->m->rows[i].n_segments && come->m->rows[i].segment[0].lo == lo)
			see_inode(&come->m->rows[i], inode,
				  (size_t)(end - p) > n && !memcmp(end - n, gone, n));
}

/* It has been there before, at the same place, and is not there now. */
static struct cap_module *gone_before(const struct come *come, const struct cap_module *x)
{
	for (uint32_t i = 0; i < come->first; i++) {
		struct cap_module *old = &come->m->rows[i];

		if (old->gone && equal(old, x) && cap_module_file_equal(&old->file, &x->file))
			return old;
	}
	return NULL;
}

/* Which files the new ones are, and which of them have only come again. */
static void settle(struct scan *s, uint32_t first)
{
	struct cap_modules *m = s->m;
	struct come come = {m, first};
	uint32_t n = first;

	for (uint32_t i = first; i < m->n; i++)
		cap_module_file_look(&m->rows[i].file,
				     m->rows[i].program ? "/proc/self/exe" : m->rows[i].name);
	if (m->n > first)
		cap_maps_read(m->text, sizeof m->text, cap_modules_line, &come);
	for (uint32_t i = first; i < m->n; i++) {
		struct cap_module *x = &m->rows[i], *old = gone_before(&come, x);

		if (old) {
			cap_module_file_release(&old->file);
			old->file = x->file;
			old->gone = old->named = false;
			old->seen = true;
		} else if (n != i) {
			m->rows[n] = *x;
		}
		s->reused |= is_occupied(m, old ? old : &m->rows[n]);
		n += !old;
	}
	m->n = n;
}

bool cap_modules_scan(struct cap_modules *m, bool always)
{
	struct scan s = {.m = m, .first = true, .always = always};
	bool went = false;
	uint32_t before;

	if (!cap_lock_soon(&m->lock))
		return false;
	before = m->n;
	dl_iterate_phdr(cap_modules_see, &s);
	settle(&s, before);
	for (uint32_t i = 0; !s.first && i < m->n; i++) {
		went |= !m->rows[i].gone && !m->rows[i].seen;
		m->rows[i].gone = !m->rows[i].seen;
	}
	m->went |= went;
	if (went)
		m->nodes_before = m->seen.nodes;
	if (s.reused) {
		m->epoch++;
		m->changed = true;
	}
	cap_unlock(&m->lock);
	return s.reused || went;
}

static void write_module(struct cap_modules *m, struct cap_module *x, struct cap_output *o)
{
	uint64_t name = cap_output_string(o, x->name, strlen(x->name));
	uint64_t id = x->n_build_id ? cap_output_string(o, x->build_id, x->n_build_id) : 0;
	uint8_t *p = cap_output_row(o, CHUNK_MODULES, ++o->modules, 100 + CAP_SEGMENTS * 40);

	p = cap_uleb(p, name);
	p = cap_uleb(p, 0); /* process */
	p = cap_uleb(p, m->epoch);
	p = cap_uleb(p, m->epoch + 1);
	p = cap_uleb(p, id);
	p = cap_uleb(p, 1);
	p = cap_uleb(p, x->slide);
	p = cap_uleb(p, x->n_segments);
	for (unsigned i = 0; i < x->n_segments; i++) {
		p = cap_uleb(p, x->segment[i].lo);
		p = cap_uleb(p, x->segment[i].hi - x->segment[i].lo);
		p = cap_uleb(p, x->segment[i].offset);
		p = cap_uleb(p, x->segment[i].executable);
	}
	cap_output_rows(o, p);
	x->written = m->epoch + 1;
	x->row = o->modules;
	x->reported = !x->file.known;
}

static void write_file(struct cap_module *x, struct cap_output *o)
{
	uint8_t *p = cap_output_row(o, CHUNK_MODULE_FILES, 1, 60);

	p = cap_uleb(p, x->row);
	p = cap_uleb(p, x->file.device);
	p = cap_uleb(p, x->file.inode);
	p = cap_uleb(p, x->file.size);
	cap_output_rows(o, cap_uleb(p, zigzag(x->file.modified)));
	x->reported = true;
}

void cap_modules_write(struct cap_modules *m, struct cap_output *o)
{
	if (!m->changed)
		return;
	m->changed = false;
	for (uint32_t i = 0; i < m->n; i++)
		if (m->rows[i].written != m->epoch + 1 && (!m->rows[i].gone || !m->rows[i].written))
			write_module(m, &m->rows[i], o);
	for (uint32_t i = 0; i < m->n; i++)
		if (m->rows[i].written && !m->rows[i].reported)
			write_file(&m->rows[i], o);
}

void cap_modules_again(struct cap_modules *m)
{
	cap_lock_reset(&m->lock);
	m->epoch = 0;
	m->changed = true;
	for (uint32_t i = 0; i < m->n; i++)
		m->rows[i].written = 0;
}
