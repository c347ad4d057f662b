/* SPDX-License-Identifier: MIT
 *
 * Facts: unity3d-jp/ProfilerReader, wotakuro/ProfilerBinarylogSplit (versions and releases), a log
 * of Unity 2019.4.4 (0x20191122, and categories 13, 15, 16, 17 and 25).
 */
#include "formats/unity/version.h"

#include "lib/trace/model.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
	uint32_t ordinal;
	const char *release;
} releases[] = {
    {0, "before 2017.1"},
    {UNITY_2017_1, "2017.1 to 2017.4"},
    {UNITY_PHYSICS2D, "2018.1"},
    {UNITY_2018_2, "2018.2"},
    {UNITY_2018_3, "2018.3, 2018.4"},
    {UNITY_2019_1, "2019.1, 2019.2"},
    {UNITY_2019_3, "2019.3 to 2020"},
    {UNITY_CATEGORIES, "2021.2"},
    {UNITY_2022_1, "2022.1"},
    {UNITY_2022_2, "2022.2 to 6000.4"},
    {UNITY_ENTITY_IDS, "6000.5"},
};

void unity_version_attributes(struct trace *t, uint32_t version)
{
	uint32_t ordinal = unity_ordinal(version);
	const char *release = releases[0].release;
	char text[16];

	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
		if (ordinal >= releases[i].ordinal)
			release = releases[i].release;
	snprintf(text, sizeof text, "0x%08" PRIx32, version);
	trace_set(t, "unity.version", text);
	trace_set(t, "unity.release", release);
	if (ordinal > UNITY_ENTITY_IDS)
		trace_note(t, NOTE_GUESS, 0,
			   "version %s is newer than the newest known version: it is read as "
			   "version 6000.5",
			   text);
}

void unity_release_attribute(struct trace *t, const uint32_t v[5])
{
	char text[64];

	snprintf(text, sizeof text, "%" PRIu32 ".%" PRIu32 ".%" PRIu32 "%c%" PRIu32, v[0], v[1],
		 v[2], v[3] < 5 ? "abfpx"[v[3]] : '?', v[4]);
	trace_set(t, "unity.release", text);
}

const char *unity_category(uint32_t ordinal, uint32_t category)
{
	static const char *const names[] = {
	    "Render",
	    "Scripts",
	    "ManagedJobs",
	    "BurstJobs",
	    "GUI",
	    "Physics",
	    "Animation",
	    "AI",
	    "Audio",
	    "AudioJob",
	    "AudioUpdateJob",
	    "Video",
	    "Particles",
	    "Gi",
	    "Network",
	    "Loading",
	    "Other",
	    "GC",
	    "VSync",
	    "Overhead",
	    "PlayerLoop",
	    "Director",
	    "VR",
	    "NativeMem",
	    "Internal",
	    "FileIO",
	    "UILayout",
	    "UIRender",
	    "VFX",
	    "BuildInterface",
	    "Input",
	    "VirtualTexturing",
	};

	return ordinal >= UNITY_2019_3 && category < sizeof names / sizeof *names ? names[category]
										  : NULL;
}
