/* SPDX-License-Identifier: MIT */
#include "lib/view/route.h"

#include <string.h>

static bool is_host(const struct route_door *d, const char *host)
{
	for (size_t i = 0; i < ROUTE_HOSTS; i++)
		if (*d->hosts[i] && !strcmp(d->hosts[i], host))
			return true;
	return false;
}

/* In a time that says nothing of how much of it was right. */
static bool has_token(const struct route_door *d, const char *path)
{
	unsigned char differs = 0;

	if (path[0] != '/' || strlen(path) < ROUTE_TOKEN + 2)
		return false;
	for (size_t i = 0; i < ROUTE_TOKEN; i++)
		differs |= (unsigned char)(path[i + 1] ^ d->token[i]);
	return !differs && path[ROUTE_TOKEN + 1] == '/';
}

bool route_is_name(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_.";

	return strlen(s) < ROUTE_NAME && strspn(s, letters) == strlen(s) && !strstr(s, "..");
}

/* Of pages with TLS there are only those of the proxy before us. */
static bool is_own_page(const struct route_door *d, const char *origin)
{
	const char *proxy = d->hosts[ROUTE_PROXY];

	if (!strncmp(origin, "http://", 7))
		return is_host(d, origin + 7);
	return *proxy && !strncmp(origin, "https://", 8) && !strcmp(origin + 8, proxy);
}

bool route_is_ours(const struct route_door *d, const struct route_request *r, bool first)
{
	if (!r->host || !is_host(d, r->host) || (r->origin && !is_own_page(d, r->origin)))
		return false;
	/* The page may be opened from a terminal or a chat; what it asks comes from itself. */
	return !r->site || first || !strcmp(r->site, "same-origin");
}

enum route route_in_view(const char *method, const char *rest, char name[ROUTE_NAME])
{
	*name = 0;
	if (strcmp(method, "GET") != 0)
		return ROUTE_NO_METHOD;
	if (!strcmp(rest, "state"))
		return ROUTE_STATE;
	if (!strcmp(rest, "ask"))
		return ROUTE_ASK;
	if (!route_is_name(rest))
		return ROUTE_NOTHING;
	strcpy(name, rest);
	return ROUTE_ASSET;
}

enum route route_of(const struct route_door *d, const struct route_request *r,
		    char name[ROUTE_NAME])
{
	const char *rest;

	*name = 0;
	if (!has_token(d, r->path))
		return ROUTE_FORBIDDEN;
	rest = r->path + ROUTE_TOKEN + 2;
	return route_is_ours(d, r, !*rest) ? route_in_view(r->method, rest, name) : ROUTE_FORBIDDEN;
}
