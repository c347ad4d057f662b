/* SPDX-License-Identifier: MIT */
#include "lib/profile/name_maps.h"

#include "lib/base/mem.h"
#include "lib/names/disambiguate.h"

#include <stdlib.h>
#include <string.h>

static const enum key name_maps_keys[] = {KEY_FUNCTION, KEY_SITE, KEY_LOCATION};

bool name_maps_is(const char *name, const char *asked, const char **rest)
{
	size_t n = strlen(asked);

	if (strncmp(name, asked, n) != 0)
		return false;
	*rest = name + n;
	return !name[n] || name[n] == '(' || !strncmp(name + n, " (", 2);
}

/* Behind this stands a part of an operator's name: "operator<" of "operator<=". */
static bool name_maps_is_operator(const char *s, size_t n)
{
	static const char word[] = "operator", signs[] = "=!<>+-*/%&|^";
	size_t end = n;

	while (end && n - end < 3 && memchr(signs, s[end - 1], sizeof signs - 1))
		end--;
	return end >= sizeof word - 1 &&
	       !memcmp(s + end - (sizeof word - 1), word, sizeof word - 1);
}

bool identity_map_parse(const char *s, bool function, struct arena *texts, struct identity_map *to)
{
	const char *now = strchr(s, '=');

	while (now && function && name_maps_is_operator(s, (size_t)(now - s)) &&
	       strchr(now + 1, '='))
		now = strchr(now + 1, '=');
	if (!now || now == s || !now[1])
		return false;
	*to = (struct identity_map){arena_strndup(texts, s, (size_t)(now - s)),
				    arena_strndup(texts, now + 1, strlen(now + 1))};
	return true;
}

bool name_maps_entity_is(const struct profile_entities *t, const struct profile_entity *of,
			 const char *asked, const char **rest)
{
	*rest = "";
	return name_maps_is(entities_text(t, of->name, NULL), asked, rest) ||
	       !strcmp(entities_text(t, of->raw, NULL), asked);
}

static const char *name_maps_file(const struct profile_entities *t, const struct profile_entity *of)
{
	size_t n;
	const char *s = entities_text(t, of->raw, &n);
	struct name_suffix a = name_suffix_of(0, s, n);

	return a.file ? a.file : "";
}

/* The entity of the new name that is most like this one: of its module, with its parameters, in its file. */
static bool name_maps_find(const struct name_maps *r, const struct identity_map *map,
			   const struct profile_entity *was, const char *rest,
			   struct name_maps_entity *to)
{
	int best = -1;

	for (size_t k = 0; k < 2; k++) /* locations have the names of functions */
		for (uint32_t i = 0; i < r->t->keys[name_maps_keys[k]].n; i++) {
			const struct profile_entity *now = &r->t->keys[name_maps_keys[k]].items[i];
			const char *now_rest;
			int score;

			if (!name_maps_entity_is(r->t, now, map->now, &now_rest))
				continue;
			score = 4 * (now->module == was->module) + 2 * !strcmp(rest, now_rest) +
				!strcmp(name_maps_file(r->t, was), name_maps_file(r->t, now));
			if (score <= best)
				continue;
			best = score;
			to->now = i;
			to->key = name_maps_keys[k];
		}
	return best >= 0;
}

static void name_maps_add(struct name_maps *r, enum key key, uint32_t map)
{
	const struct entities_key *entities = &r->t->keys[key];

	for (uint32_t i = 0; i < entities->n; i++) {
		struct name_maps_entity *to = &r->of[key][i];
		const char *rest;

		if (!to->map &&
		    name_maps_entity_is(r->t, &entities->items[i], r->maps[map].was, &rest) &&
		    name_maps_find(r, &r->maps[map], &entities->items[i], rest, to))
			to->map = map + 1;
	}
}

void name_maps_init(struct name_maps *r, const struct profile_entities *t,
		    const struct identity_map *maps, size_t n)
{
	*r = (struct name_maps){.t = t, .maps = maps, .n = n};
	for (size_t k = 0; n && k < sizeof name_maps_keys / sizeof *name_maps_keys; k++) {
		enum key key = name_maps_keys[k];

		r->of[key] = mem_zarray(t->keys[key].n + 1, sizeof *r->of[key]);
		for (uint32_t map = 0; map < n; map++)
			name_maps_add(r, key, map);
	}
}

void name_maps_release(struct name_maps *r)
{
	for (enum key k = 0; k < KEYS; k++)
		free(r->of[k]);
}
