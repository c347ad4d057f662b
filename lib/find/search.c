/* SPDX-License-Identifier: MIT */
#include "lib/find/search.h"

#include "lib/base/mem.h"
#include "lib/find/debuginfod.h"
#include "lib/find/id_index.h"
#include "lib/index/cache_dir.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct find_search *s, struct object_finder f)
{
	s->finders[s->object.n_finders++] = f;
}

void search_init(struct find_search *s, const struct search_options *o)
{
	struct index_cache cache;

	*s = (struct find_search){.object = {.dirs = o->dirs, .n_dirs = o->n_dirs, .system = true}};
	s->object.explain = o->explain;
	if (o->sysroot && *o->sysroot && strcmp(o->sysroot, "/") != 0)
		s->object.sysroot = o->sysroot;
	if (!o->cache.off)
		s->cache = o->cache.dir ? mem_strdup(o->cache.dir) : cache_dir_default();
	if (o->n_dirs) {
		s->index =
		    id_index_new(&(struct id_index_options){.dirs = o->dirs,
							    .n_dirs = o->n_dirs,
							    .cache = s->cache,
							    .jobs = o->jobs,
							    .progress = o->reading,
							    .progress_arg = o->progress_arg});
		add(s, (struct object_finder){.find = id_index_find, .arg = s->index});
	}
	if (o->n_urls) {
		cache_init(&cache, &o->cache);
		s->server =
		    debuginfod_new(&(struct debuginfod_options){.urls = o->urls,
								.n_urls = o->n_urls,
								.seconds = o->seconds,
								.cache = s->cache,
								.limit = cache.limit,
								.progress = o->fetching,
								.progress_arg = o->progress_arg});
		cache_release(&cache);
		for (size_t i = 0; i < o->n_urls; i++)
			s->object.symbol_servers |=
			    !strncmp(o->urls[i], DEBUGINFOD_SYMBOLS, sizeof DEBUGINFOD_SYMBOLS - 1);
		add(s, (struct object_finder){.find = debuginfod_find,
					      .find_pdb = debuginfod_find_pdb,
					      .remote = true,
					      .arg = s->server});
	}
	s->object.finders = s->finders;
}

void search_release(struct find_search *s)
{
	id_index_free(s->index);
	debuginfod_free(s->server);
	free(s->cache);
	*s = (struct find_search){.index = NULL};
}

const char *search_next_message(struct find_search *s, bool *bad, char *text, size_t n)
{
	struct id_index_counts c;
	const char *word = debuginfod_next_message(s->server);

	*bad = true;
	if (word || s->index_reported || !s->index)
		return word;
	c = id_index_counts(s->index);
	if (!c.walked)
		return NULL;
	s->index_reported = true;
	*bad = c.unreadable;
	if (c.unreadable)
		snprintf(text, n,
			 "--debug-dir: %" PRIu64 " folders could not be read, the first is %s",
			 c.unreadable, c.first);
	else
		snprintf(text, n,
			 "--debug-dir: %" PRIu64 " files, %" PRIu64 " with a build-id; %" PRIu64
			 " had to be opened",
			 c.files, c.ids, c.opened);
	return text;
}
