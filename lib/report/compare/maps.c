/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/maps.h"

#include "lib/base/mem.h"
#include "lib/names/names.h"
#include "lib/profile/name_maps.h"

#include <stdlib.h>
#include <string.h>

typedef bool map_in(const struct compare *c, size_t group, const char *name);

static bool map_has(const struct compare *c, size_t group, enum key key, uint32_t entity)
{
	return profiles_have(compare_runs(c, group), c->groups[group].n, key, entity);
}

/* Among the calls of a group's stacks. */
static bool map_call_in(const struct compare *c, size_t group, const char *name)
{
	const struct profile_entities *t = c->entities;
	const char *rest;
	bool *seen = mem_zarray(t->stacks.n + 1, sizeof *seen), found = false;

	for (uint32_t i = 0; i < t->keys[KEY_STACK].n && !found; i++) {
		uint32_t node = t->keys[KEY_STACK].items[i].node;

		if (!node || seen[node] || !map_has(c, group, KEY_STACK, i))
			continue;
		for (; node && !seen[node] && !found; node = t->stacks.rows[node].parent) {
			seen[node] = true;
			found = name_maps_entity_is(
			    t, &t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location], name,
			    &rest);
		}
	}
	free(seen);
	return found;
}

static bool map_function_in(const struct compare *c, size_t group, const char *name)
{
	static const enum key keys[] = {KEY_FUNCTION, KEY_SITE};
	const char *rest;

	for (size_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < c->entities->keys[keys[k]].n; i++)
			if (name_maps_entity_is(c->entities, &c->entities->keys[keys[k]].items[i],
						name, &rest) &&
			    map_has(c, group, keys[k], i))
				return true;
	return map_call_in(c, group, name);
}

static bool map_module_in(const struct compare *c, size_t group, const char *name)
{
	const struct compare_group *g = &c->groups[group];

	for (size_t r = 0; r < g->n; r++) {
		const struct profile *s = g->runs[r];

		for (size_t i = 0; i < s->n_modules; i++)
			if (!strcmp(entities_text(c->entities, s->modules[i].name, NULL), name))
				return true;
		if (s->program && s->program != PROFILE_MIXED &&
		    !strcmp(entities_text(c->entities, s->program, NULL), name))
			return true;
	}
	return false;
}

size_t compare_maps(const struct compare *c)
{
	return c->identity.n_modules + c->identity.n_functions;
}

void compare_map_text(const struct compare *c, size_t map, struct buf *to)
{
	bool module = map < c->identity.n_modules;
	const struct identity_map *m = module ? &c->identity.modules[map]
					      : &c->identity.functions[map - c->identity.n_modules];
	const char *word = module ? "module" : "function";
	const char *entity = module || compare_holds(c, KEY_FUNCTION) || compare_holds(c, KEY_STACK)
				 ? word
				 : "site"; /* callers are not known */
	map_in *in = module ? map_module_in : map_function_in;

	if (!in(c, 0, m->was))
		buf_addf(to, "map-%s %s=%s matches nothing: no %s of the base is called %s", word,
			 m->was, m->now, entity, m->was);
	else if (!in(c, c->n_groups - 1, m->now))
		buf_addf(to, "map-%s %s=%s matches nothing: no %s of the new side is called %s",
			 word, m->was, m->now, entity, m->now);
	else if (in(c, 0, m->now))
		buf_addf(to, "map-%s %s=%s matches nothing where the base has %s itself", word,
			 m->was, m->now, m->now);
	else
		buf_addf(to, "%s %s of the base is %s (map-%s)", word, m->was, m->now, word);
}

/* In a line of a policy (lib/base/ini.h). */
static bool map_can_stand(const char *s)
{
	return *s && !strpbrk(s, ";\n\r") && !strstr(s, " #") && *s != ' ' && *s != '"';
}

bool compare_map_proposal(const struct profile_entities *t, const struct profile_entity *was,
			  const struct profile_entity *now, struct buf *to)
{
	enum { NAME_BYTES = 80 };
	size_t n_was, n_now;
	const char *a = entities_text(t, was->name, &n_was),
		   *b = entities_text(t, now->name, &n_now);

	if (was->name == now->name || !map_can_stand(a) || !map_can_stand(b) ||
	    n_was > NAME_BYTES || n_now > NAME_BYTES || name_is_address(a, n_was) ||
	    name_is_address(b, n_now))
		return false;
	buf_addf(to, "map-function = %s=%s", a, b);
	return true;
}
