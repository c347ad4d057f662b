/* SPDX-License-Identifier: MIT */
#include "lib/export/export.h"

#include "lib/group/metric.h"

#include <errno.h>
#include <string.h>

const struct export_metric export_metrics[] = {
    {SUM_COUNT, "alloc_objects"},
    {SUM_ENTRIES, "entries"},
    {SUM_REQUESTED, "alloc_requested"},
    {SUM_REAL, "alloc_real"},
    {SUM_LIVE_COUNT, "inuse_objects"},
    {SUM_LIVE_REQUESTED, "inuse_requested"},
    {SUM_LIVE_REAL, "inuse_real"},
    {SUM_SAMPLES, "samples"},
    {SUM_PERIOD, "period"},
    {SUM_CALLS, "calls"},
    {SUM_TIME_SELF, "time"},
};

const char *export_metric_name(enum sum sum)
{
	return sum == SUM_TIME_SELF ? "time" : metric_table[sum].word;
}

const char *const *export_sort_words(void)
{
	static _Thread_local const char *words[EXPORT_METRICS + 3];

	words[0] = "auto";
	for (size_t i = 0; i < EXPORT_METRICS; i++)
		words[i + 1] = metric_table[export_metrics[i].sum].word;
	words[EXPORT_METRICS + 1] = "time";
	return words;
}

int export_sort_of(int word)
{
	if (!word)
		return SORT_AUTO;
	return word <= EXPORT_METRICS ? (int)export_metrics[word - 1].sum : SUM_TIME_SELF;
}

/* EXPORTER(exporter_x) for each exporter that a file of this folder defines, in their order: the Makefile finds them. */
#define EXPORTER(name) extern const struct exporter name;
#include "lib/export/exporters.h"
#undef EXPORTER

#define EXPORTER(name) &name,
const struct exporter *const exporters[] = {
#include "lib/export/exporters.h"
    NULL,
};

const char *const *export_words(void)
{
	static _Thread_local const char *words[sizeof exporters / sizeof *exporters];

	for (size_t i = 0; exporters[i]; i++)
		words[i] = exporters[i]->name;
	return words;
}

const struct exporter *exporter_by_name(const char *name)
{
	for (size_t i = 0; exporters[i]; i++)
		if (!strcmp(exporters[i]->name, name))
			return exporters[i];
	return NULL;
}

const struct exporter *exporter_of_file(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; exporters[i]; i++)
		for (size_t k = 0; k < EXPORT_ENDINGS && exporters[i]->endings[k]; k++) {
			const char *ending = exporters[i]->endings[k];
			size_t len = strlen(ending);

			if (n > len && !strcmp(name + n - len, ending))
				return exporters[i];
		}
	return NULL;
}

enum status export_written(FILE *out, struct err *e)
{
	if (!ferror(out))
		return ST_OK;
	return err_sys(e, "write");
}
