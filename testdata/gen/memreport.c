/* SPDX-License-Identifier: MIT
 *
 *	memreport [--rows N] LAYOUT >FILE 2>TRUTH
 *
 * A .memreport of Unreal Engine, with N rows (20) in each of its tables. LAYOUT:
 *
 *	4        as 4.27 writes it: no commands named, bytes, five columns of resources; the pools of
 *	         the binned allocator
 *	5        as 5.6 does: each command named, MB, three columns; the largest resources of the RHI
 *	broken   4, with an invalid row in each table
 *	commands 5, of DumpParticleMem and ListTextures alone
 *
 * The truth: "TABLE ROWS NUM REAL" in bytes (of resources of objects: "resources"), and "counter NAME
 * VALUE".
 */
#include "lib/base/buf.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint64_t rows = 20;
static bool five, broken;
static struct buf out;

static void truth(const char *table, uint64_t n, int64_t num, int64_t real)
{
	fprintf(stderr, "%s %" PRIu64 " %" PRId64 " %" PRId64 "\n", table, n, num, real);
}

static void counter(const char *name, int64_t value)
{
	fprintf(stderr, "counter %s %" PRId64 "\n", name, value);
}

/* Hundredths of a KB, as the rows have them, in bytes. */
static int64_t of_kb(uint64_t hundredths)
{
	return llround((double)hundredths / 100 * 1024);
}

static int64_t of_mb(uint64_t thousandths)
{
	return llround((double)thousandths / 1000 * 1048576);
}

static void begin(const char *command)
{
	if (five)
		buf_addf(&out, "MemReport: Begin command \"%s\"\n", command);
}

static void end(const char *command)
{
	if (five)
		buf_addf(&out, "MemReport: End command \"%s\"\n", command);
	buf_adds(&out, "\n");
}

static void stat(uint64_t thousandths, const char *text, const char *id)
{
	if (five)
		buf_addf(&out, "%10" PRIu64 ".%03" PRIu64 "MB", thousandths / 1000,
			 thousandths % 1000);
	else
		buf_addf(&out, "%16" PRId64, of_mb(thousandths));
	buf_addf(&out, "  -  %s - %s - STATGROUP_Memory - STATCAT_Advanced\n", text, id);
	counter(id, of_mb(thousandths));
}

static void add_head(void)
{
	if (five)
		buf_adds(&out, "Changelist: 44394996\nConfig: Development\n");
	buf_adds(&out, "CommandLine Options: -AUTH_PASSWORD=secret -epicusername=somebody\n"
		       "Time Since Boot: 106.40 Seconds\n\n");
}

static void add_pools(void)
{
	int64_t used = 0, real = 0;

	buf_adds(
	    &out,
	    "Allocator Stats for binned:\n"
	    "Current Memory 72.27 MB used, plus 2.81 MB waste\n"
	    "Current OS Memory 75.08 MB, peak 76.41 MB\n"
	    "Allocs        148926 Current /   2696475 Total\n\n"
	    " Block Size  Num Pools  Max Pools  Cur Allocs  Total Allocs  Min Req  Max Req  Mem "
	    "Used  Mem Slack  Mem Waste  Efficiency\n"
	    " ----------  ---------  ---------  ----------  ------------  -------  -------  "
	    "--------  ---------  ---------  ----------\n");
	counter("allocator Current Memory used", llround(72.27 * 1048576));
	counter("allocator Current Memory waste", llround(2.81 * 1048576));
	counter("allocator Current OS Memory", llround(75.08 * 1048576));
	counter("allocator Current OS Memory peak", llround(76.41 * 1048576));
	for (uint64_t i = 0; i < rows; i++) {
		buf_addf(&out,
			 " %10" PRIu64 "  %9d  %9d  %10" PRIu64 "  %12d  %7d  %7" PRIu64
			 "  %7" PRIu64 "K  %8" PRIu64 "K  %8" PRIu64 "K  %9.2f%%\n",
			 i * 16 + 8, 3, 4, i + 1, 100, 1, i * 16 + 8, i * 7, i % 5, i % 3, 95.0);
		used += (int64_t)(i * 7 * 1024);
		real += (int64_t)((i * 7 + i % 5 + i % 3) * 1024);
	}
	if (broken)
		buf_adds(&out, "         99          3          x        7\n");
	buf_adds(&out,
		 "\n24448K (23.875MB) allocated in pools (with 2312K slack and 1513K waste). "
		 "Efficiency 93.81%\nAllocations 148708 Current / 2661900 Total (in 382 pools)\n");
	truth("pools", rows, used, real);
}

static void add_memory(void)
{
	begin("Mem FromReport");
	buf_adds(&out, "Platform Memory Stats for Windows\n"
		       "Process Physical Memory: 1120.75 MB used, 1216.52 MB peak\n"
		       "Virtual Memory: 134189064.00 MB used,  28661.59 MB free, 134217728.00 MB "
		       "total\n\n");
	counter("Process Physical Memory used", llround(1120.75 * 1048576));
	counter("Process Physical Memory peak", llround(1216.52 * 1048576));
	counter("Virtual Memory free", llround(28661.59 * 1048576));
	if (five)
		buf_adds(&out, "Allocator Stats for Mimalloc: (not implemented)\n");
	else
		add_pools();
	buf_adds(&out,
		 "Memory Stats:\nFMemStack (gamethread) current size = 0.25 MB\n"
		 "FPageAllocator (all threads) allocation size [used/ unused] = [0.31 / 0.50] "
		 "MB\nNametable memory usage = 7.45 MB\n");
	counter("FMemStack (gamethread) current size", 262144);
	counter("FPageAllocator (all threads) allocation size used", llround(0.31 * 1048576));
	counter("FPageAllocator (all threads) allocation size unused", 524288);
	counter("Nametable memory usage", llround(7.45 * 1048576));
	stat(72211, "Texture Memory Used", "STAT_TextureMemory");
	stat(1000, "Pool - of textures [Texture]", "MCR_TexturePool");
	end("Mem FromReport");
}

static void add_numbers(uint64_t num, uint64_t max, uint64_t resources)
{
	const uint64_t v[] = {num, max, resources};

	for (int i = 0; i < 3; i++)
		buf_addf(&out, " %8" PRIu64 ".%02" PRIu64, v[i] / 100, v[i] % 100);
	buf_adds(&out, five ? "            0.00            0.00            0.00\n"
			    : "  0.00   0.00   0.00   0.00   0.00\n");
}

static const char *columns(void)
{
	return five ? "NumKB MaxKB ResExcKB ResExcDedSysKB ResExcDedVidKB ResExcUnkKB\n"
		    : "NumKB MaxKB ResExcKB ResExcDedSysKB ResExcShrSysKB ResExcDedVidKB "
		      "ResExcShrVidKB ResExcUnkKB\n";
}

static void add_classes(const char *list, bool told)
{
	int64_t num = 0, max = 0, resources = 0;
	uint64_t n = 0;

	buf_addf(&out, "\n%50s    Count %s", "Class", columns());
	for (uint64_t i = 0; i < rows; i++) {
		uint64_t r = i % 3 ? 0 : i * 1234567;
		char name[64];

		snprintf(name, sizeof name, i ? "Class%" PRIu64 : "Class", i);
		buf_addf(&out, "%50s %8" PRIu64, name, i + 1);
		add_numbers(i * 321 + 7, i * 322 + 9, r);
		n += i + 1;
		num += of_kb(i * 321 + 7);
		max += of_kb(i * 322 + 9);
		resources += of_kb(r);
	}
	if (broken)
		buf_addf(&out, "%50s        x       1.00\n", "Broken");
	buf_addf(&out,
		 "\n%" PRIu64
		 " Objects (Total: %.3fM / Max: %.3fM / Res: %.3fM | ResDedSys: 0.000M)\n",
		 n, (double)num / 1048576, (double)max / 1048576, (double)resources / 1048576);
	(void)list;
	if (!told)
		return;
	truth("classes", n, num, max);
	truth("resources", 0, resources, resources);
	counter("objects count", (int64_t)n);
}

static void add_objects(void)
{
	int64_t num = 0, max = 0, resources = 0;

	begin(five ? "obj list -resourcesizesort" : "obj list");
	buf_adds(&out, "Obj List: -alphasort\nObjects:\n");
	add_classes("", true);
	end(five ? "obj list -resourcesizesort" : "obj list");
	for (int again = 0; again < 2; again++) { /* the same list, of which one counts */
		begin("obj list class=StaticMesh");
		buf_adds(&out, "Obj List: class=StaticMesh -alphasort\nObjects:\n\n");
		buf_addf(&out, "%80s %s", "Object", columns());
		for (uint64_t i = 0; i < rows; i++) {
			char name[100];

			snprintf(name, sizeof name,
				 "StaticMesh /Game/Maps/Town%" PRIu64 ".Town%" PRIu64 ":Wall",
				 i % 4, i);
			buf_addf(&out, "%80s", name);
			add_numbers(i * 11 + 1, i * 12 + 2, i * 99);
			num += again ? 0 : of_kb(i * 11 + 1);
			max += again ? 0 : of_kb(i * 12 + 2);
			resources += again ? 0 : of_kb(i * 99);
		}
		if (broken)
			buf_addf(&out, "%80s   1.00\n", "StaticMesh /Game/Broken");
		add_classes("class=StaticMesh", false);
		end("obj list class=StaticMesh");
	}
	truth("objects", rows, num, max);
	truth("objects-resources", 0, resources, resources);
}

static void add_rhi(void)
{
	int64_t sum = 0;
	uint64_t thousandths = 0;

	begin("rhi.DumpMemory");
	buf_adds(&out, "RHI resource memory (not tracked by our allocator)\n");
	for (uint64_t i = 0; i < rows; i++) {
		char name[64], id[64];

		snprintf(name, sizeof name, "Kind %" PRIu64 " memory (2D)", i);
		snprintf(id, sizeof id, "STAT_Kind%" PRIu64, i);
		stat(i * 777, name, id);
		sum += of_mb(i * 777);
		thousandths += i * 777;
	}
	if (broken)
		buf_adds(&out, "          -5  -  Below - STAT_Below - STATGROUP_RHI - STATCAT_A\n");
	buf_addf(&out, "%" PRIu64 ".%03" PRIu64 "MB total\n", thousandths / 1000,
		 thousandths % 1000);
	counter("RHI total", of_mb(thousandths));
	truth("rhi", rows, sum, sum);
	end("rhi.DumpMemory");
}

static void add_resources(void)
{
	int64_t sum = 0;

	begin("rhi.DumpResourceMemory");
	buf_addf(&out,
		 "Tracked RHIResources (1737 total with info, 8590 total tracked)\n"
		 "Showing %" PRIu64 " of %" PRIu64 " matched resources\n",
		 rows, rows + 13);
	for (uint64_t i = 0; i < rows; i++) {
		buf_addf(&out,
			 "Name: Nanite.Page - %" PRIu64 " - Type: %s - Size: %" PRIu64
			 ".250000000 MB - Flags: Resident | UAV - Owner: None\n",
			 i % 7, i % 2 ? "Buffer" : "Texture", i);
		sum += (int64_t)(i * 1048576 + 262144);
	}
	buf_adds(&out,
		 "Shown 50 entries. Size: 4680.25/5173.68 MB (90.46% of total non-transient)\n"
		 "Total tracked resource size: 8287.500000000 MB\n"
		 "    Non-Transient: 5173.000000000 MB\n"
		 "    Transient: 3114.500000000 MB\n");
	counter("RHI tracked", INT64_C(8287) * 1048576 + 524288);
	counter("RHI tracked Non-Transient", INT64_C(5173) * 1048576);
	truth("tracked", rows, sum, sum);
	end("rhi.DumpResourceMemory");
	begin("rhi.dumpresourcememory summary name=Lumen");
	buf_adds(&out,
		 "Shown 168 entries with name Lumen. Size: 1258.50/5173.68 MB (24.32% of total "
		 "non-transient)\n");
	counter("RHI tracked name Lumen", INT64_C(1258) * 1048576 + 524288);
	end("rhi.dumpresourcememory summary name=Lumen");
}

static void add_targets(void)
{
	int64_t sum = 0;

	begin("r.DumpRenderTargetPoolMemory");
	buf_adds(&out, "Pooled Render Targets:\n");
	for (uint64_t i = 0; i < rows; i++) {
		buf_addf(&out,
			 "  %2" PRIu64 ".%03" PRIu64
			 "MB 1284x 524    [  2]  1mip(s) Scene Color%" PRIu64 " (Float%sRGBA)%s\n",
			 i, i * 37 % 1000, i % 5, i % 2 ? "R" : "",
			 i % 3 ? "   Unused frames: 1" : "  ");
		sum += of_mb(i * 1000 + i * 37 % 1000);
	}
	if (broken)
		buf_adds(&out, "   x MB 1284x 524           1mip(s) Broken (R)\n");
	buf_adds(&out, "229.250MB total, 148.500MB used, 16.750MB unused, 110 render targets\n"
		       "Deferred Render Targets:\n0.000MB Deferred total\n");
	counter("render targets total", INT64_C(229) * 1048576 + 262144);
	counter("render targets used", INT64_C(148) * 1048576 + 524288);
	truth("targets", rows, sum, sum);
	end("r.DumpRenderTargetPoolMemory");
}

static void add_textures(void)
{
	int64_t sum = 0;

	begin("ListTextures");
	buf_adds(&out,
		 "Listing all textures.\nMaxAllowedSize: Width x Height (Size in KB, Authored "
		 "Bias), Current/InMem: Width x Height (Size in KB), Format, LODGroup, Name, "
		 "Streaming, Usage Count\n");
	for (uint64_t i = 0; i < rows; i++) {
		buf_addf(&out,
			 "2048x2048 (%" PRIu64 " KB, %s), 512x512 (%" PRIu64
			 " KB), PF_%s, TEXTUREGROUP_%s, /Game/T%" PRIu64 "/A.A, YES, 3\n",
			 i * 999, i % 2 ? "0" : "?", i * 341, i % 2 ? "DXT1" : "BC5",
			 i % 3 ? "World" : "UI", i % 4);
		sum += (int64_t)(i * 341 * 1024);
	}
	if (broken)
		buf_adds(&out, "2048x2048 (x KB), PF_DXT1\n");
	buf_adds(&out, "Total size: InMem= 72.25 MB  OnDisk= 127.34 MB  Count=171, "
		       "CountApplicableToMin=86\n"
		       "Total PF_BC5 size: InMem= 0.50 MB  OnDisk= 9.42 MB \n");
	counter("textures", INT64_C(72) * 1048576 + 262144);
	counter("textures PF_BC5", 524288);
	truth("textures", rows, sum, sum);
	end("ListTextures");
}

static void add_others(void)
{
	begin("ListSpawnedActors");
	buf_adds(&out,
		 "Listing spawned actors in persistent level:\nTotal: 39\n"
		 "TimeUnseen,TimeAlive,Distance,Class,Name,Owner\n  5.11,  5.11,    1133,A,B,C\n");
	counter("spawned actors", 39);
	end("ListSpawnedActors");
	begin("DumpParticleMem");
	buf_adds(&out, "Particle Dynamic Memory Stats\nType,Count,MaxCount,Mem(Bytes)\n"
		       "Total PSysComponents,0,0,0\n");
	end("DumpParticleMem");
	begin("ConfigMem");
	buf_adds(&out,
		 "Config cache memory usage:\n   FileName    NumBytes   MaxBytes\n"
		 "   G:/A/Total Game.ini    784116    884964\n   Total   3467296   3813676\n");
	counter("config cache", 3467296);
	end("ConfigMem");
}

int main(int argc, char **argv)
{
	const char *layout = argc > 1 ? argv[argc - 1] : "";
	bool commands = !strcmp(layout, "commands");
	bool known = argc == 2 || (argc == 4 && !strcmp(argv[1], "--rows") &&
				   num_dec(argv[2], strlen(argv[2]), &rows));

	five = commands || !strcmp(layout, "5");
	broken = !strcmp(layout, "broken");
	if (!known || (!five && !broken && strcmp(layout, "4") != 0)) {
		fprintf(stderr, "usage: see testdata/gen/memreport.c\n");
		return 2;
	}
	add_head();
	if (!commands) {
		add_memory();
		add_objects();
		add_rhi();
	}
	if (five && !commands)
		add_resources();
	add_others();
	if (!commands)
		add_targets();
	add_textures();
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
