/* SPDX-License-Identifier: MIT */
#include "lib/find/slide.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/find/call_check.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	CANDIDATES = 8,
	LIMIT_VOTES = 4 << 20,
};

struct buckets { /* sites by their low 12 bits */
	uint64_t *sites;
	uint32_t first[PAGE + 1];
};

static bool slide_buckets_fill(struct buckets *b, const struct disasm_code *c)
{
	uint32_t next[PAGE];
	uint64_t *sites;
	size_t n = code_sites(c, &sites);
	bool any = n && n < UINT32_MAX;

	memset(b->first, 0, sizeof b->first);
	for (size_t i = 0; any && i < n; i++)
		b->first[sites[i] % PAGE + 1]++;
	for (size_t i = 0; i < PAGE; i++)
		b->first[i + 1] += b->first[i];
	memcpy(next, b->first, sizeof next);
	b->sites = mem_array(n, sizeof *b->sites);
	for (size_t i = 0; any && i < n; i++)
		b->sites[next[sites[i] % PAGE]++] = sites[i];
	free(sites);
	return any;
}

static uint64_t sampled(const uint64_t *addrs, size_t n, size_t m, size_t i, uint64_t clear)
{
	return addrs[m < n ? (size_t)((double)i * (double)n / (double)m) : i] & ~clear;
}

/* One vote per address and slide; at most LIMIT_VOTES. */
static size_t vote(const struct buckets *b, const uint64_t *addrs, size_t n, uint64_t clear,
		   struct sort_item **out)
{
	size_t m = n < SLIDE_VOTERS ? n : SLIDE_VOTERS, n_votes = 0, cap = 0;

	for (size_t i = 0; i < m; i++) {
		uint64_t addr = sampled(addrs, n, m, i, clear);

		if (n_votes + b->first[addr % PAGE + 1] - b->first[addr % PAGE] > LIMIT_VOTES)
			break;
		for (uint32_t k = b->first[addr % PAGE]; k < b->first[addr % PAGE + 1]; k++)
			VEC_PUSH(*out, n_votes, cap) =
			    (struct sort_item){.key = addr - b->sites[k]};
	}
	return n_votes;
}

struct ballot {
	uint64_t slide;
	size_t votes;
};

static size_t slide_count(struct sort_item *votes, size_t n, struct ballot *top, uint64_t *tried)
{
	size_t n_top = 0, run;

	sort_radix(votes, n);
	for (size_t i = 0; i < n; i += run) {
		size_t at;

		for (run = 1; i + run < n && votes[i + run].key == votes[i].key;)
			run++;
		++*tried;
		if (n_top == CANDIDATES && run <= top[n_top - 1].votes)
			continue;
		n_top += n_top < CANDIDATES;
		for (at = n_top - 1; at && top[at - 1].votes < run; at--)
			top[at] = top[at - 1];
		top[at] = (struct ballot){votes[i].key, run};
	}
	return n_top;
}

static struct slide_at judge(const struct disasm_code *c, const uint64_t *addrs, size_t n,
			     uint64_t clear, uint64_t slide)
{
	size_t m = n < SLIDE_JUDGES ? n : SLIDE_JUDGES;
	struct slide_at s = {.slide = slide};

	for (size_t i = 0; i < m; i++) {
		uint64_t at = sampled(addrs, n, m, i, clear) - slide;

		if (!code_part_at(c, at))
			continue;
		s.inside++;
		s.pass += code_call_before(c, at);
	}
	return s;
}

void slide_find(const struct disasm_code *c, const uint64_t *addrs, size_t n,
		struct slide_guess *out)
{
	struct buckets *b = mem_alloc(sizeof *b);
	struct sort_item *votes = NULL;
	struct ballot top[CANDIDATES];
	struct call_check check;
	uint64_t clear = c->arch == CODE_ARM ? 1 : 0;
	size_t n_top = 0;

	*out = (struct slide_guess){.sure = false};
	if (slide_buckets_fill(b, c)) {
		size_t n_votes = vote(b, addrs, n, clear, &votes);

		n_top = slide_count(votes, n_votes, top, &out->tried);
	}
	for (size_t i = 0; i < n_top; i++) {
		struct slide_at s = judge(c, addrs, n, clear, top[i].slide);

		if (s.pass > out->best.pass) {
			out->next = out->best;
			out->best = s;
		} else if (s.pass > out->next.pass) {
			out->next = s;
		}
	}
	free(votes);
	free(b->sites);
	free(b);
	check = (struct call_check){.n = out->best.inside,
				    .pass = out->best.pass,
				    .tried = CALL_CHECK_TRIED,
				    .hits = code_chance(c, CALL_CHECK_TRIED)};
	out->sure =
	    call_check_stands_out(&check, out->tried) && out->next.pass * 3 <= out->best.pass * 2;
}
