/* SPDX-License-Identifier: MIT
 *
 * Filters, site rules and owners applied to the names of a pass's calls (group_pass.h).
 */
#include "lib/group/group_pass.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static struct sites *rules(const struct grouped_profile *p)
{
	return p->options.sites ? p->options.sites : p->own_sites;
}

enum { SITE_ASKED = 0x80 };

static uint8_t *verdict(uint8_t **sites, size_t *cap, size_t i)
{
	*sites = mem_grow_zero(*sites, cap, i + 1, 1);
	return &(*sites)[i];
}

unsigned pass_verdict(struct grouped_profile *p, const struct names_call *c)
{
	const struct names_function *nf = &p->names.functions[c->function];
	struct pass_memo *memo = p->memo;
	uint8_t *f = verdict(&memo->function_sites, &memo->cap_function_sites, c->function);
	uint8_t *m = verdict(&memo->module_sites, &memo->cap_module_sites, nf->module);
	uint8_t *at = verdict(&memo->file_sites, &memo->cap_file_sites, c->file);

	if (!*f)
		*f = SITE_ASKED |
		     (uint8_t)sites_function(rules(p), names_text(&p->names, nf->display, NULL),
					     names_text(&p->names, nf->raw, NULL));
	if (!*m && nf->module)
		*m = SITE_ASKED |
		     (uint8_t)sites_module(rules(p), names_text(&p->names, nf->module, NULL));
	if (!*at && c->file)
		*at = SITE_ASKED |
		      (uint8_t)sites_file(rules(p), names_text(&p->names, c->file, NULL));
	return ((*f | *m | *at) & ~(unsigned)SITE_ASKED) |
	       (grouped_profile_passes_over(p, c->function) ? SITE_PASS : 0);
}

static const struct pass_named *pass_names_of_function(struct grouped_profile *p, uint32_t function)
{
	struct pass_memo *m = p->memo;
	const struct group_names *names = &p->names;
	const struct names_function *nf = &names->functions[function];
	struct filters *filters = p->options.filters;
	struct name_suffix_name name;
	struct pass_named *r;

	m->named_functions = mem_grow_zero(m->named_functions, &m->cap_named_functions,
					   names->n_functions, sizeof *m->named_functions);
	r = &m->named_functions[function];
	if (r->asked)
		return r;
	name.name = names_text(names, nf->display, &name.n);
	name.raw = names_text(names, nf->raw, &name.n_raw);
	*r = (struct pass_named){.asked = true, .owner = OWNER_NONE};
	if (p->options.owners)
		r->owner = owners_function(p->options.owners, name.name, name.raw);
	if (filters_any(filters)) {
		r->matched = filters_name(filters, &name);
		r->takes =
		    (filters_match_name(filters, FILTER_HIDE, &name) ? TAKE_HIDE : 0) |
		    (filters_match_name(filters, FILTER_SHOW, &name) ? TAKE_SHOW : 0) |
		    (filters_match_name(filters, FILTER_PRUNE, &name) ? TAKE_PRUNE : 0) |
		    (filters_match_name(filters, FILTER_RECURSION, &name) ? TAKE_RECURSION : 0);
	}
	return r;
}

static const struct pass_named *pass_names_of_module(struct grouped_profile *p, uint32_t module)
{
	struct pass_memo *m = p->memo;
	struct filters *filters = p->options.filters;
	struct pass_named *r;
	const char *s;
	size_t n;

	m->named_modules = mem_grow_zero(m->named_modules, &m->cap_named_modules,
					 (size_t)module + 1, sizeof *m->named_modules);
	r = &m->named_modules[module];
	if (r->asked)
		return r;
	s = names_text(&p->names, module, &n);
	*r = (struct pass_named){.asked = true, .owner = OWNER_NONE};
	if (module && p->options.owners)
		r->owner = owners_module(p->options.owners, s);
	if (module && filters) {
		r->matched = filters_module(filters, s, n);
		r->takes = filters_match(filters, FILTER_INSIDE, s, n) ? TAKE_INSIDE : 0;
	}
	return r;
}

static const struct pass_named *pass_names_of_file(struct grouped_profile *p, uint32_t file)
{
	struct pass_memo *m = p->memo;
	struct filters *filters = p->options.filters;
	struct pass_named *r;
	const char *s;
	size_t n;

	m->named_files = mem_grow_zero(m->named_files, &m->cap_named_files, (size_t)file + 1,
				       sizeof *m->named_files);
	r = &m->named_files[file];
	if (r->asked)
		return r;
	s = names_text(&p->names, file, &n);
	*r = (struct pass_named){.asked = true, .owner = OWNER_NONE};
	if (file && p->options.owners)
		r->owner = owners_file(p->options.owners, s);
	if (file && filters)
		r->matched = filters_file(filters, s, n);
	return r;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static struct pass_named of_call(struct grouped_profile *p, const struct names_call *c)
{
	struct pass_named r = *pass_names_of_function(p, c->function);
	const struct pass_named *m =
	    pass_names_of_module(p, p->names.functions[c->function].module);
	const struct pass_named *f = pass_names_of_file(p, c->file);

	r.matched |= m->matched | f->matched;
	r.owner = least(r.owner, least(m->owner, f->owner));
	return r;
}

static uint32_t find_site(struct grouped_profile *p, const struct names_location *l)
{
	for (uint32_t c = l->first; c < l->first + l->n_calls; c++)
		if (pass_verdict(p, &p->names.calls[c]) != SITE_PASS)
			return c;
	return UINT32_MAX;
}

/* Many stacks share a location, so the answer is kept. */
uint32_t pass_site(struct grouped_profile *p, uint32_t location)
{
	struct pass_memo *m = p->memo;
	uint32_t *site;

	m->location_sites = mem_grow_zero(m->location_sites, &m->cap_location_sites,
					  p->names.n_locations, sizeof *m->location_sites);
	site = &m->location_sites[location];
	if (!*site)
		*site = find_site(p, &p->names.locations[location]) + 2;
	return *site - 2;
}

uint32_t pass_site_of(struct grouped_profile *p, uint32_t location, uint32_t above)
{
	const struct names_location *l = &p->names.locations[location];
	uint32_t site = pass_site(p, location);

	if (site != UINT32_MAX)
		return site;
	return above ? above : (l->first + l->n_calls - 1) | SITE_INSIDE;
}

/* Finds what is left of a location when the calls of which take says so are taken out. */
static uint32_t pass_names_left_of(struct grouped_profile *p, uint32_t location, bool prune,
				   bool *match)
{
	const struct names_location *l = &p->names.locations[location];
	const struct filters *filters = p->options.filters;
	bool show = filters_has(filters, FILTER_SHOW);
	uint32_t n = l->n_calls, first = l->first, got;
	bool *keep = mem_zarray(n, sizeof *keep);

	*match = false;
	for (uint32_t i = 0; i < n; i++) {
		unsigned takes =
		    pass_names_of_function(p, p->names.calls[first + i].function)->takes;

		if (prune)
			keep[i] = *match |= takes & TAKE_PRUNE;
		else
			keep[i] = !(takes & TAKE_HIDE) && (!show || takes & TAKE_SHOW) &&
				  !(filters_hides_library(filters) &&
				    pass_verdict(p, &p->names.calls[first + i]) == SITE_PASS);
	}
	got = names_part(&p->names, location, keep);
	free(keep);
	return got;
}

const struct location_info *pass_location_info(struct grouped_profile *p, uint32_t location)
{
	struct pass_memo *m = p->memo;
	const struct filters *filters = p->options.filters;
	struct location_info r = {.asked = true, .owner = OWNER_NONE, .shown = location};
	const struct names_location *l = &p->names.locations[location];
	bool match = true;

	if (location < m->cap_location_info && m->location_info[location].asked)
		return &m->location_info[location];
	for (uint32_t c = l->first; c < l->first + l->n_calls; c++) {
		struct pass_named t = of_call(p, &p->names.calls[c]);

		r.matched |= t.matched;
		r.owner = least(r.owner, t.owner);
	}
	if (filters_has(filters, FILTER_HIDE) || filters_has(filters, FILTER_SHOW) ||
	    filters_hides_library(filters))
		r.shown = pass_names_left_of(p, location, false, &match);
	if (r.shown && filters_has(filters, FILTER_PRUNE)) {
		r.pruned = pass_names_left_of(p, r.shown, true, &match);
		if (!match)
			r.pruned = 0;
	}
	m->location_info = mem_grow_zero(m->location_info, &m->cap_location_info,
					 p->names.n_locations, sizeof *m->location_info);
	m->location_info[location] = r;
	return &m->location_info[location];
}

/* Whether a call is taken out because of the one that calls it. */
static bool is_collapsed(struct grouped_profile *p, const struct names_call *caller,
			 const struct names_call *c)
{
	const struct names_function *f = &p->names.functions[c->function];
	const struct names_function *of = &p->names.functions[caller->function];

	if (f->module != of->module)
		return false;
	return (f->module && pass_names_of_module(p, f->module)->takes & TAKE_INSIDE) ||
	       (f->display == of->display &&
		pass_names_of_function(p, c->function)->takes & TAKE_RECURSION);
}

/* Where the outermost call is taken out, the calls below it stand to its caller as they stand to it: the two are of
 * one module, and of one function if that is why. So there are two answers, whatever the caller. */
static const struct location_collapsed *collapse_location(struct grouped_profile *p,
							  uint32_t location)
{
	struct pass_memo *m = p->memo;
	struct location_collapsed r = {.asked = true};
	const struct names_location l = p->names.locations[location];
	bool *keep;

	if (location < m->cap_collapsed && m->collapsed[location].asked)
		return &m->collapsed[location];
	keep = mem_zarray(l.n_calls, sizeof *keep);
	for (uint32_t i = l.n_calls - 1; i-- > 0;)
		keep[i] = !is_collapsed(p, &p->names.calls[l.first + i + 1],
					&p->names.calls[l.first + i]);
	for (unsigned inside = 0; inside < 2; inside++) {
		keep[l.n_calls - 1] = !inside;
		r.left[inside] = names_part(&p->names, location, keep);
		r.innermost[inside] = !keep[0];
	}
	free(keep);
	m->collapsed = mem_grow_zero(m->collapsed, &m->cap_collapsed, p->names.n_locations,
				     sizeof *m->collapsed);
	m->collapsed[location] = r;
	return &m->collapsed[location];
}

uint32_t pass_collapsed(struct grouped_profile *p, uint32_t caller, uint32_t location,
			bool *innermost)
{
	const struct names_location *l = &p->names.locations[location];
	const struct location_collapsed *c;
	bool inside;

	*innermost = false;
	if (!filters_collapse(p->options.filters))
		return location;
	inside = caller && is_collapsed(p, &p->names.calls[p->names.locations[caller].first],
					&p->names.calls[l->first + l->n_calls - 1]);
	c = collapse_location(p, location);
	*innermost = c->innermost[inside];
	return c->left[inside];
}

const struct grouped_profile_owner *pass_owner(struct grouped_profile *p, uint32_t rule)
{
	struct pass_memo *m = p->memo;
	size_t i = rule == OWNER_NONE ? 0 : (size_t)rule + 1;
	struct grouped_profile_owner *o;
	const char *s;

	m->owners = mem_grow_zero(m->owners, &m->cap_owners, i + 1, sizeof *m->owners);
	o = &m->owners[i];
	if (!o->asked) {
		s = owners_name(p->options.owners, rule);
		o->text = intern_add(&p->texts, s, strlen(s));
		o->kept = !filters_has(p->options.filters, FILTER_OWNER) ||
			  filters_match(p->options.filters, FILTER_OWNER, s, strlen(s));
		o->asked = true;
	}
	return o;
}
