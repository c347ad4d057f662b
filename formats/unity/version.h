/* SPDX-License-Identifier: MIT
 *
 * Version numbers of Unity's profiler formats. They are dates, but for 0x20180306, which is newer
 * than 0x20181101: compare ordinals, never the numbers.
 */
#ifndef TM_FORMATS_UNITY_VERSION_H
#define TM_FORMATS_UNITY_VERSION_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* Ordinals at which something changed. */
enum {
	UNITY_2017_1 = 0x20170327,
	UNITY_PHYSICS2D = 0x20171110,
	UNITY_2018_2 = 0x20180123,
	UNITY_UI_STATS = 0x20180704,
	UNITY_2018_3 = 0x20181101,
	UNITY_2019_1 = 0x20190306, /* of version 0x20180306 */
	UNITY_JIT = 0x20190514,
	UNITY_WIDE_START = 0x20190821,
	UNITY_MARKER_PARAMS = 0x20191104,
	UNITY_2019_3 = 0x20191122,
	UNITY_FLOW = 0x20200312,
	UNITY_WIDE_STACKS = 0x20200828,
	UNITY_THREAD_IDS = 0x20200924,
	UNITY_CATEGORIES = 0x20210412,
	UNITY_2022_1 = 0x20210919,
	UNITY_CATEGORY_STATE = 0x20211025,
	UNITY_HEADER_2 = 0x20211028,
	UNITY_2022_2 = 0x20220328,
	UNITY_ENTITY_IDS = 0x20260108,
};

static inline uint32_t unity_ordinal(uint32_t version)
{
	return version == 0x20180306 ? UNITY_2019_1 : version;
}

/* A number that such a version can be. */
static inline bool unity_version_possible(uint32_t version)
{
	return version >= 0x20160101 && version <= 0x20991231;
}

/* Sets the attributes unity.version and unity.release, and notes an unknown version. */
void unity_version_attributes(struct trace *t, uint32_t version);
/* major.minor.revision, release type (a, b, f, p, x) and its number, as headers have them. */
void unity_release_attribute(struct trace *t, const uint32_t v[5]);
/* The name of a category before formats carried them; NULL: not known for this version. */
const char *unity_category(uint32_t ordinal, uint32_t category);

#endif
