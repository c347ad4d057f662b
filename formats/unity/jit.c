/* SPDX-License-Identifier: MIT */
#include "formats/unity/jit.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Of equal starts the newer one, b's, comes later. */
static void merge(struct unity_run *a, struct unity_run *b)
{
	struct unity_method *out = mem_array(a->n + b->n, sizeof *out);
	size_t i = 0, k = 0, n = 0;

	while (i < a->n || k < b->n)
		if (k == b->n || (i < a->n && a->methods[i].lo <= b->methods[k].lo))
			out[n++] = a->methods[i++];
		else
			out[n++] = b->methods[k++];
	free(a->methods);
	free(b->methods);
	*a = (struct unity_run){out, n};
}

void unity_jit_add(struct unity_jit *j, uint64_t lo, uint64_t size, const char *name, size_t n_name,
		   const char *file, size_t n_file, uint32_t line)
{
	struct unity_method *m = mem_alloc(sizeof *m);

	*m = (struct unity_method){.lo = lo,
				   .hi = size > UINT64_MAX - lo ? UINT64_MAX : lo + size,
				   .name = intern_add(&j->texts, name, n_name),
				   .file = n_file ? intern_add(&j->texts, file, n_file) : 0,
				   .line = line};
	j->runs[j->n_runs++] = (struct unity_run){m, 1};
	while (j->n_runs > 1 && j->runs[j->n_runs - 2].n <= j->runs[j->n_runs - 1].n) {
		j->n_runs--;
		merge(&j->runs[j->n_runs - 1], &j->runs[j->n_runs]);
	}
}

const struct unity_method *unity_jit_find(const struct unity_jit *j, uint64_t address)
{
	for (size_t r = j->n_runs; r--;) {
		const struct unity_method *m = j->runs[r].methods;
		size_t lo = BISECT(i, 0, j->runs[r].n, m[i].lo <= address);

		if (lo && address < m[lo - 1].hi)
			return &m[lo - 1];
	}
	return NULL;
}

void unity_jit_release(struct unity_jit *j)
{
	for (size_t r = 0; r < j->n_runs; r++)
		free(j->runs[r].methods);
	intern_release(&j->texts);
	memset(j, 0, sizeof *j);
}
