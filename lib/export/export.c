/* SPDX-License-Identifier: MIT */
#include "lib/export/export.h"

#include <errno.h>
#include <string.h>

const char *const value_words[] = {"count",      "entries",        "requested", "real",
				   "live-count", "live-requested", "live-real", "samples",
				   "period",     "calls",          "time",      NULL};

extern const struct exporter exporter_pprof, exporter_folded, exporter_speedscope, exporter_chrome,
    exporter_sqlite, exporter_loli, exporter_mem, exporter_loli_stream, exporter_memtracer,
    exporter_maps;

const struct exporter *const exporters[] = {
    &exporter_pprof,
    &exporter_folded,
    &exporter_speedscope,
    &exporter_chrome,
    &exporter_sqlite,
    &exporter_loli,
    &exporter_loli_stream,
    &exporter_mem,
    &exporter_memtracer,
    &exporter_maps,
    NULL,
};

const struct exporter *exporter_by_name(const char *name)
{
	for (size_t i = 0; exporters[i]; i++)
		if (!strcmp(exporters[i]->name, name))
			return exporters[i];
	return NULL;
}

enum status export_written(FILE *out, struct err *e)
{
	if (!ferror(out))
		return ST_OK;
	return err_sys(e, "write");
}
