/* SPDX-License-Identifier: MIT
 *
 * Java's names before they were obfuscated. An obfuscated method may stand for several: R8 says of each the
 * lines at which it does, and those that have a line in common were inlined there, innermost first.
 *
 * Facts: comments of protos/perfetto/trace/profiling/deobfuscation.proto, and the tests of Perfetto's trace
 * processor that are called r8_retrace_compat.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/mem.h"

#include <string.h>

struct piece {
	const char *s;
	size_t n;
};

static uint64_t class_key(uint32_t package, struct piece c)
{
	return hash_u64(hash_bytes(c.s, c.n) + package);
}

static uint64_t member_key(uint64_t class, bool method, struct piece m)
{
	return hash_u64(class ^ hash_u64(hash_bytes(m.s, m.n) + method + 1));
}

/* Behind those of the same key; what was there already is passed over, as when a file has a mapping twice. */
static void add_member(struct perfetto_names *k, uint64_t key, const struct perfetto_member *m)
{
	const uint32_t words[] = {m->name, m->from, m->to, m->source, m->source_to};
	uint32_t *seen = map64_put(&k->members_seen,
				   hash_u64(key ^ hash_bytes((const char *)words, sizeof words)));
	uint32_t *at, first;

	if (*seen)
		return;
	*seen = 1;
	at = map64_put(&k->members, key);
	first = *at;
	if (first && k->member_list[first - 1].n == PERFETTO_LINES_MOST) {
		k->more_members++;
		return;
	}
	VEC_PUSH(k->member_list, k->n_members, k->cap_members) = *m;
	if (!first)
		*at = first = (uint32_t)k->n_members;
	else
		k->member_list[k->member_list[first - 1].last - 1].next = (uint32_t)k->n_members;
	k->member_list[first - 1].last = (uint32_t)k->n_members;
	k->member_list[first - 1].n++;
	k->member_list[first - 1].several |= k->member_list[first - 1].name != m->name;
}

static void perfetto_parse_member(struct perfetto *x, struct pb b, uint64_t class, bool method)
{
	struct pb_field f, from = {0}, to = {0};
	struct perfetto_member m = {0};

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: from = f.wire == PB_BYTES ? f : from; break;
		case 2: to = f.wire == PB_BYTES ? f : to; break;
		case 3:
			m.from = (uint32_t)f.value;
			m.ranged = true;
			break;
		case 4: m.to = (uint32_t)f.value; break;
		case 5: m.source = (uint32_t)f.value; break;
		case 6: m.source_to = (uint32_t)f.value; break;
		}
	if (b.bad || !from.n || !to.n)
		return;
	m.name = perfetto_name(x, to.s, to.n);
	if (!method || !m.ranged)
		m = (struct perfetto_member){.name = m.name};
	add_member(&x->names,
		   member_key(class, method, (struct piece){(const char *)from.s, from.n}), &m);
}

static void perfetto_parse_class(struct perfetto *x, struct pb b, uint32_t package)
{
	struct pb_field f, from = {0}, to = {0};
	struct pb again = b;
	uint64_t key;

	while (pb_next(&b, &f))
		if (f.wire == PB_BYTES && f.number == 1)
			from = f;
		else if (f.wire == PB_BYTES && f.number == 2)
			to = f;
	if (b.bad || !from.n || !to.n)
		return;
	key = class_key(package, (struct piece){(const char *)from.s, from.n});
	*map64_put(&x->names.classes, key) = perfetto_name(x, to.s, to.n);
	while (pb_next(&again, &f))
		if (f.wire == PB_BYTES && (f.number == 3 || f.number == 4))
			perfetto_parse_member(x, pb_of(&f), key, f.number == 4);
}

void perfetto_deobfuscation(struct perfetto *x, struct pb b)
{
	struct perfetto_names *names = &x->names;
	struct pb_field f, package = {0};
	struct pb again = b;
	uint32_t name, i = 0;

	while (pb_next(&b, &f))
		if (f.wire == PB_BYTES && f.number == 1)
			package = f;
	name = perfetto_name(x, package.n ? package.s : (const uint8_t *)"", package.n);
	while (i < names->n_packages && names->packages[i] != name)
		i++;
	if (i == PERFETTO_PACKAGES_MOST) {
		names->more_packages++;
		return;
	}
	names->packages[i] = name;
	names->n_packages += i == names->n_packages;
	while (pb_next(&again, &f))
		if (f.wire == PB_BYTES && f.number == 3)
			perfetto_parse_class(x, pb_of(&f), i);
}

/* Whether a file may have code of a package: /data/app/~~XYZ==/PACKAGE-XYZ==/base.apk, or none that says
 * (compiled at run time), or no file. */
static bool is_of_package(const struct perfetto *x, uint32_t package, const char *place)
{
	size_t n;
	const char *name = intern_text(&x->names.strings, x->names.packages[package], &n),
		   *at = place;

	if (!n || !*place || !strstr(place, "/data/app/"))
		return !n || !*place || !strncmp(place, "/memfd:", 7) ||
		       !strncmp(place, "[anon", 5) || strstr(place, name);
	for (; (at = strstr(at, name)); at++)
		if (at > place && at[-1] == '/' && (at[n] == '-' || at[n] == '/' || at[n] == '@'))
			return true;
	return false;
}

/* The class's name; 0: it is no other. */
static uint32_t class_of(struct perfetto *x, struct piece c, const char *place, uint64_t *key)
{
	for (uint32_t i = 0; i < x->names.n_packages; i++) {
		uint32_t name;

		*key = class_key(i, c);
		name = map64_get(&x->names.classes, *key);
		if (name && is_of_package(x, i, place))
			return name;
	}
	return 0;
}

static void add_name(struct perfetto *x, uint32_t name)
{
	size_t n;
	const char *s = intern_text(&x->names.strings, name, &n);

	buf_add(&x->text, s, n);
}

/* Index + 1 of the first of those that CLASS.MEMBER stands for, 0: of none; *class: 0: no class is called so. */
static uint32_t members_of(struct perfetto *x, const char *s, size_t n, const char *place,
			   bool method, uint32_t *class)
{
	const char *dot = n ? memrchr(s, '.', n) : NULL;
	struct piece c = {s, dot ? (size_t)(dot - s) : 0};
	uint64_t key;

	*class = dot && x->names.n_packages ? class_of(x, c, place, &key) : 0;
	return *class ? map64_get(&x->names.members,
				  member_key(key, method, (struct piece){dot + 1, n - c.n - 1}))
		      : 0;
}

/* A name with its class is of another one, which this was joined with. */
static bool is_whole(struct perfetto *x, uint32_t name)
{
	return strchr(intern_text(&x->names.strings, name, NULL), '.') != NULL;
}

static bool perfetto_plain_member(struct perfetto *x, const char *s, size_t n, const char *place,
				  bool method)
{
	uint32_t class, at = members_of(x, s, n, place, method, &class);
	struct perfetto_member *m = at ? &x->names.member_list[at - 1] : NULL;

	if (!class)
		return false;
	x->text.len = 0;
	if (!m || !is_whole(x, m->name)) {
		add_name(x, class);
		buf_addc(&x->text, '.');
	}
	if (m) {
		x->names.ambiguous += m->several;
		m->several = false; /* it is counted */
		add_name(x, m->name);
	} else {
		const char *dot = memrchr(s, '.', n);

		buf_add(&x->text, dot + 1, (size_t)(s + n - dot) - 1);
	}
	return true;
}

static uint32_t source_line(const struct perfetto_member *m, uint32_t line)
{
	bool as_long = m->to >= m->from && m->source_to >= m->source &&
		       m->to - m->from == m->source_to - m->source;

	return m->source_to && as_long ? m->source + (line - m->from) : m->source;
}

size_t perfetto_plain_calls(struct perfetto *x, const char *s, size_t n, const char *place,
			    uint32_t line)
{
	uint32_t class, at = line ? members_of(x, s, n, place, true, &class) : 0, next;

	x->n_plain = 0;
	for (; at; at = next) {
		const struct perfetto_member *m = &x->names.member_list[at - 1];
		struct perfetto_plain call = {.line = source_line(m, line)};

		next = m->next;
		if (!m->ranged || line < m->from || (m->to && line > m->to))
			continue;
		if (x->n_plain == PERFETTO_INLINED_MOST) {
			x->names.more_inlined++;
			break;
		}
		x->text.len = 0;
		call.same_class = !is_whole(x, m->name);
		if (call.same_class) {
			add_name(x, class);
			buf_addc(&x->text, '.');
		}
		add_name(x, m->name);
		call.name = trace_string(x->im->t, buf_at(&x->text, 0), x->text.len);
		VEC_PUSH(x->plain, x->n_plain, x->cap_plain) = call;
	}
	return x->n_plain;
}

bool perfetto_plain_function(struct perfetto *x, const char *s, size_t n, const char *place)
{
	return perfetto_plain_member(x, s, n, place, true);
}

bool perfetto_plain_field(struct perfetto *x, const char *s, size_t n, const char *place)
{
	return perfetto_plain_member(x, s, n, place, false);
}

bool perfetto_plain_class(struct perfetto *x, const char *s, size_t n, const char *place)
{
	static const char of_class[] = "java.lang.Class<";
	size_t head = 0, tail = n;
	uint32_t name;
	uint64_t key;

	if (!x->names.n_packages)
		return false;
	if (n > sizeof of_class && !memcmp(s, of_class, sizeof of_class - 1) && s[n - 1] == '>') {
		head = sizeof of_class - 1;
		tail = n - 1;
	}
	while (tail - head > 2 && !memcmp(s + tail - 2, "[]", 2))
		tail -= 2;
	name = class_of(x, (struct piece){s + head, tail - head}, place, &key);
	if (!name)
		return false;
	x->text.len = 0;
	buf_add(&x->text, s, head);
	add_name(x, name);
	buf_add(&x->text, s + tail, n - tail);
	return true;
}
