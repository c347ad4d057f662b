/* SPDX-License-Identifier: MIT
 *
 *	table [-n FRAMES] KIND >FILE 2>TRUTH
 *
 * A table of frames as a tool writes it. Frame i takes 16.6 ms and i % 7 times 0.1, but every 50th one (from the 49th
 * on) 130.25 ms, and the one before each 100th 90 ms. KIND:
 *
 *	presentmon   PresentMon 1: two processes, of which the second has every tenth row
 *	presentmon2  PresentMon 2: times of begin; values that are not there ("NA")
 *	ocat         names of hardware in the first row alone, behind shorter ones
 *	unreal       Unreal's CSV profile: events, the complete header at the end, two columns more from the middle on
 *	mangohud     a row a frame
 *	readings     the same at an interval of 100 ms
 *	framestats   Android's texts around two tables, of which each fifth row is unusual (Flags)
 *	perfdog      a row a second
 *	capframex    CapFrameX's JSON: a run with readings of sensors each 250 ms, and one with those of older versions
 *	capframex-bad  the same with values that are none, a column cut short, a run without frames
 *	meminfo      a dump of Android's meminfo a second: row k of dump i has 100 k + i, 10 k + i, k and i kB
 *	thermal      a dump of Android's thermalservice, and one of its battery, a time: sensor k of dump i has 30 + k + i / 10
 *	             degrees, the battery 30 + i / 10
 *	thermal-bad  the same with values that are none, and cached temperatures alone in the last
 *	semicolon    ';' between fields and ',' in numbers
 *	quoted       names and values in quotes, "" and ',' in them
 *	gaps         blank fields, NaN, a time that goes back, a row cut short, a row too long, a header in the middle
 *
 * The truth: "frames N", "ns N" their time, "rows N"; of meminfo and thermal "readings N".
 */
#include "testdata/gen/gen.h"

#include "lib/base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t duration_us(uint64_t i)
{
	if (i % 100 == 98)
		return 90000;
	return i % 50 == 49 ? 130250 : 16600 + (int64_t)(i % 7) * 100;
}

static void print_ms(int64_t us)
{
	printf("%" PRId64 ".%03" PRId64, us / 1000, us % 1000);
}

static uint64_t n = 200;
static int64_t total;

static void say(uint64_t frames)
{
	fprintf(stderr, "frames %" PRIu64 "\nns %" PRId64 "\nrows %" PRIu64 "\n", frames,
		total * 1000, n);
}

static void put_presentmon(void)
{
	int64_t now = 0;

	puts("Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,"
	     "TimeInSeconds,msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,"
	     "msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange,QPCTime");
	for (uint64_t i = 0; i < n; i++) {
		int64_t us = duration_us(i);
		bool other = i % 10 == 9;

		now += other ? 0 : us;
		total += other ? 0 : us;
		printf("%s.exe,%d,0x0000022%d0,DXGI,1,0,%d,%" PRId64 ".%06" PRId64 ",0.0893,",
		       other ? "dwm" : "game", other ? 77 : 4711, other, i % 3 == 0, now / 1000000,
		       now % 1000000);
		print_ms(us);
		printf(",0,%s,0.5,16.25,16.5,%" PRIu64 "\n",
		       i % 2 ? "Hardware: Legacy Flip" : "Composed: Flip", 1000 + i);
	}
	say(n - n / 10);
}

static void put_presentmon2(void)
{
	int64_t now = 1500;

	puts("Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,"
	     "AllowsTearing,PresentMode,CPUStartTime,FrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,"
	     "GPUBusy,GPUWait,DisplayLatency,DisplayedTime,AnimationError,ClickToPhotonLatency");
	for (uint64_t i = 0; i < n; i++) {
		int64_t us = duration_us(i);

		printf("game.exe,4711,0x1BF098B1ED0,DXGI,0,512,1,Composed: Flip,");
		print_ms(now);
		putchar(',');
		print_ms(us);
		printf(",8.1,8.5,4.2,9.9,9.8,0.1,20.1,16.6,%s,NA\n", i % 2 ? "-16.9430" : "NA");
		now += us;
		total += us;
	}
	say(n);
}

static void put_ocat(void)
{
	int64_t now = 0;

	puts("Application,ProcessID,SwapChainAddress,Runtime,TimeInSeconds,MsBetweenPresents,"
	     "Motherboard,GPU Memory (MB),Comment");
	for (uint64_t i = 0; i < n; i++) {
		int64_t us = duration_us(i);

		now += us;
		total += us;
		printf("game.exe,1,0x1,DXGI,%" PRId64 ".%06" PRId64 ",", now / 1000000,
		       now % 1000000);
		print_ms(us);
		puts(i ? "" : ",\"Board (\"\"7B17\"\"), a\",11264,");
	}
	say(n);
}

static void put_unreal(void)
{
	static const char header[] =
	    "EVENTS,FrameTime,GameThreadTime,RenderThreadTime,GPUTime,MemoryFreeMB,"
	    "Exclusive/GameThread/Slate,RHI/DrawCalls";

	puts(header);
	for (uint64_t i = 0; i < n; i++) {
		int64_t us = duration_us(i);

		printf("%s,", i == 10 ? "LevelLoad" : i == 150 ? "Boss;Shake##1.25" : "");
		print_ms(us);
		printf(",10.2500,9.1,8,%" PRIu64 ",1.25,%" PRIu64, 1000 - i % 100, 40 + i % 5);
		puts(i < n / 2 ? "" : ",0.125,7");
		total += us;
	}
	printf("%s,Exclusive/RenderThread/Fog,LLM/TotalMB\n", header);
	puts("[HasHeaderRowAtEnd],1,[platform],Android,[config],Test,[commandline],\"\"\" -log "
	     "-x=\"\"a, b\"\"\"\"\",[targetframerate],60");
	say(n);
}

static void put_mangohud(bool readings)
{
	int64_t now = 0;

	puts("os,cpu,gpu,ram,kernel,driver,cpuscheduler\n"
	     "Linux,A CPU,A GPU (RADV),65438132,6.17,,performance\n"
	     "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,"
	     "gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,elapsed");
	for (uint64_t i = 0; i < n; i++) {
		int64_t us = duration_us(i);

		now += readings ? 100000 : us;
		total += us;
		printf("60.5,");
		print_ms(us);
		printf(",21.6521,0,84,54,51,3121,1358,4.93264,255,10.734,0,0,%" PRId64 "\n",
		       now * 1000);
	}
	say(readings ? 0 : n);
}

static void put_framestats(void)
{
	int64_t now = 1538750837982;

	puts("Applications Graphics Acceleration Info:\nUptime: 1, 2 Realtime: 3, 4\n\n** Graphics "
	     "info "
	     "for pid 7 [game] **\nHISTOGRAM: 5ms=0 6ms=1\n");
	for (uint64_t i = 0; i < n; i++) {
		int64_t us = duration_us(i);

		if (i % 120 == 0)
			puts("---PROFILEDATA---\nFlags,IntendedVsync,Vsync,OldestInputEvent,"
			     "HandleInputStart,FrameDeadline,SwapBuffers,FrameCompleted,"
			     "DequeueBufferDuration,");
		printf("%d,%" PRId64 ",%" PRId64 ",9223372036854775807,%" PRId64 ",%" PRId64
		       ",%" PRId64 ",%" PRId64 ",5000,\n",
		       i % 5 == 4, now, now + 1000, now + 250000, now + 16000000, now + us * 999,
		       now + us * 1000);
		total += i % 5 == 4 ? 0 : us;
		now += us * 1000;
		if (i % 120 == 119)
			puts("---PROFILEDATA---\n");
	}
	puts("---PROFILEDATA---\n\nView hierarchy:\n");
	say(n - n / 5);
}

static void put_perfdog(void)
{
	puts("Device,A phone\nnum,Time(ms),Abs_time(ms),Label,Notes,FPS,Smooth(%),1%Low(FPS),"
	     "Jank(/10min),BigJank(/10min),Stutter(%),Memory[MB],CTemp[\302\260C]");
	for (uint64_t i = 0; i < n; i++)
		printf("%" PRIu64 ",%" PRIu64 ",1700000000%03" PRIu64 ",%s,,%" PRIu64
		       ",98.5,41.2,%d,0,0.25,512,35.2\n",
		       i + 1, i * 1000, i % 1000, i == 5 ? "lobby" : "", 58 + i % 3, i == 7);
	say(0);
}

static void put_semicolon(void)
{
	puts("Application;ProcessID;SwapChainAddress;TimeInSeconds;MsBetweenPresents;"
	     "MsInPresentAPI");
	for (uint64_t i = 0, now = 0; i < n; i++) {
		int64_t us = duration_us(i);

		now += (uint64_t)us;
		total += us;
		printf("game.exe;1;0x1;%" PRIu64 ",%06" PRIu64 ";%" PRId64 ",%03" PRId64 ";0,25\n",
		       now / 1000000, now % 1000000, us / 1000, us % 1000);
	}
	say(n);
}

static void put_quoted(void)
{
	puts("\"Application\",\"ProcessID\",\"SwapChainAddress\",\"TimeInSeconds\","
	     "\"MsBetweenPresents\","
	     "\"Load, all (%)\"");
	for (uint64_t i = 0, now = 0; i < n; i++) {
		int64_t us = duration_us(i);

		now += (uint64_t)us;
		total += us;
		printf("\"a \"\"game\"\", b.exe\",\"1\",\"0x1\",\"%" PRIu64 ".%06" PRIu64
		       "\",\"%" PRId64 ".%03" PRId64 "\",\"%" PRIu64 ".5\"\n",
		       now / 1000000, now % 1000000, us / 1000, us % 1000, i % 100);
	}
	say(n);
}

static void put_gaps(void)
{
	static const char header[] =
	    "Application,ProcessID,SwapChainAddress,TimeInSeconds,MsBetweenPresents,MsInPresentAPI";

	puts(header);
	for (uint64_t i = 0, now = 0; i < n; i++) {
		int64_t us = duration_us(i);

		now += (uint64_t)us;
		total += us;
		printf("game.exe,1,0x1,%" PRIu64 ".%06" PRIu64 ",%" PRId64 ".%03" PRId64 ",",
		       i == 30 ? 0 : now / 1000000, i == 30 ? 0 : now % 1000000, us / 1000,
		       us % 1000);
		puts(i == 3 ? "NaN" : i == 4 ? "" : i == 5 ? "0.25,1" : i == 6 ? "1e999" : "0.25");
		total -= i == 5 ? us : 0;
		if (i == 20)
			puts(header);
	}
	printf("game.exe,1\n");
	say(n - 1);
}

/* A column of a run: the values that `print` puts out for each frame. */
static void put_series(const char *name, uint64_t count, void (*print)(uint64_t i))
{
	printf("\"%s\":[", name);
	for (uint64_t i = 0; i < count; i++) {
		fputs(i ? "," : "", stdout);
		print(i);
	}
	putchar(']');
}

static bool damaged;

/* The first frame ends at 0. */
static void put_end(uint64_t i)
{
	static int64_t us;

	us = i ? us + duration_us(i) : 0;
	printf("%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
}

static void put_duration(uint64_t i)
{
	if (damaged && i == 2)
		fputs("null", stdout);
	else
		print_ms(duration_us(i));
}

static void put_displayed(uint64_t i)
{
	if (damaged && i < 3)
		fputs(i == 2 ? "1e999" : i ? "\"NaN\"" : "\"x\"", stdout);
	else
		printf("%" PRIu64 ".25", 50 + i % 10);
}

static void put_zero(uint64_t i)
{
	(void)i;
	putchar('0');
}

static void put_dropped(uint64_t i)
{
	fputs(i % 10 == 9 ? "true" : "false", stdout);
}

static void put_quarter(uint64_t i)
{
	printf("%" PRIu64 ".%02" PRIu64, i / 4, i % 4 * 25);
}

static void put_percent(uint64_t i)
{
	printf("%" PRIu64 ".5", 90 + i % 9);
}

static void put_run(uint64_t readings, bool old)
{
	static const char *const sensors[][3] = {
	    {"MeasureTime", "MeasureTime", "Time"},
	    {"/gpu/0/load/0", "GPU Core", "Load"},
	    {"/gpu/1/load/0", "GPU Core", "Load"},
	    {"/cpu/0/clock/7", "CPU Max Clock", "Clock"},
	};

	printf("{\"Hash\":\"x\",\"PresentMonRuntime\":\"DXGI\",\"CaptureData\":{");
	put_series("TimeInSeconds", n, put_end);
	putchar(',');
	put_series("MsBetweenPresents", n, put_duration);
	putchar(',');
	put_series("MsUntilRenderComplete", n, put_zero);
	putchar(',');
	put_series("MsUntilDisplayed", damaged ? n - 1 : n, put_displayed);
	putchar(',');
	put_series("QPCTime", n, put_percent);
	putchar(',');
	put_series("SyncInterval", n, put_zero);
	putchar(',');
	put_series("Dropped", n, put_dropped);
	fputs(old ? ",\"PcLatency\":null},\"SensorData\":{"
		  : ",\"PcLatency\":null},\"SensorData\":null,\"SensorData2\":{",
	      stdout);
	for (int i = 0; i < 4 && !old; i++) {
		printf("%s\"%s\":{\"Name\":\"%s\",\"Type\":\"%s\",", i ? "," : "", sensors[i][0],
		       sensors[i][1], sensors[i][2]);
		put_series("Values", readings, i ? put_percent : put_quarter);
		putchar('}');
	}
	if (old) {
		put_series("MeasureTime", readings, put_quarter);
		putchar(',');
		put_series("GpuTemp", readings, put_percent);
	}
	printf("},\"RTSSFrameTimes\":%s,\"SampleTime\":0}", damaged ? "[1,2]" : "null");
	for (uint64_t i = 0; i < n; i++)
		total += duration_us(i);
}

static void put_capframex(void)
{
	printf("{\"Hash\":\"x\",\"Info\":{\"AppVersion\":\"1.7.0.4\",\"GameName\":\"Game\","
	       "\"Comment\":null},\"Runs\":[");
	put_run(4, false);
	putchar(',');
	if (damaged)
		printf("{\"Hash\":\"y\",\"CaptureData\":null,\"SensorData2\":null}");
	else
		put_run(4, true);
	printf("]}\n");
	say(damaged ? n : 2 * n);
}

static void put_meminfo(void)
{
	static const char *const rows[] = {"Native Heap", "Dalvik Heap", ".so mmap", "EGL mtrack",
					   "TOTAL"};
	uint64_t readings = 0;

	for (uint64_t i = 0; i < n; i++) {
		printf("Applications Memory Usage (in Kilobytes):\nUptime: %" PRIu64
		       " Realtime: 9\n\n** MEMINFO in pid 4711 [com.example.game] **\n"
		       "                   Pss  Private  SwapPss      Rss     Heap\n"
		       "                 Total    Dirty    Dirty    Total     Size\n"
		       "                ------   ------   ------   ------   ------\n",
		       500000 + i * 1000);
		for (uint64_t k = 0; k < 5; k++) {
			printf("%13s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64, rows[k],
			       100 * k + i, 10 * k + i, k, i);
			printf(k % 4 ? "\n" : " %8d\n", 7);
			readings += 4 + !(k % 4);
		}
		printf(" \n App Summary\n"
		       "                       Pss(KB)                        Rss(KB)\n"
		       "                        ------                         ------\n"
		       "           Java Heap: %8" PRIu64 "                       %8" PRIu64 "\n"
		       "             Unknown:                                %8" PRIu64 "\n \n"
		       "           TOTAL PSS: %8" PRIu64 "            TOTAL RSS: %8" PRIu64
		       "       TOTAL SWAP (KB): %8d\n \n"
		       " Objects\n               Views: %8" PRIu64 "\n"
		       "       Parcel memory: %8d         Parcel count: %8d\n \n"
		       " Dalvik\n         isLargeHeap:    false\n \n",
		       i + 1, i + 2, i + 3, 400 + i, i, 4, i, 5, 6);
		readings += 9;
	}
	fprintf(stderr, "readings %" PRIu64 "\n", readings);
}

static void put_thermal(bool bad)
{
	static const char *const sensors[] = {"cpu0", "gpu0-usr", "battery", "skin"};
	uint64_t readings = 0;

	for (uint64_t i = 0; i < n; i++) {
		bool last = bad && i + 1 == n;

		printf("IsStatusOverride: false\nThermalEventListeners:\n\tcallbacks: 1\n"
		       "Thermal Status: %" PRIu64 "\nCached temperatures:\n",
		       i % 3);
		for (int k = 0; k < 4; k++)
			printf("\tTemperature{mValue=%d.25, mType=%d, mName=%s, mStatus=0}\n",
			       99 - k, k, sensors[k]);
		printf("HAL Ready: true\n%s", last ? "" : "Current temperatures from HAL:\n");
		for (uint64_t k = 0; k < 4 && !last; k++)
			printf("\tTemperature{mValue=%" PRIu64 ".%" PRIu64 "00001, mType=%" PRIu64
			       ", mName=%s, mStatus=0}\n",
			       30 + k + i / 10, i % 10, k, sensors[k]);
		printf("%s\tTemperature{mValue=%s, mType=6, mName=vbat, mStatus=0}\n"
		       "Current cooling devices from HAL:\n"
		       "\tCoolingDevice{mValue=%" PRIu64 ", mType=2, mName=thermal-cpufreq-0}\n"
		       "Temperature static thresholds from HAL:\n"
		       "\tTemperatureThreshold{mType=3, mName=skin, "
		       "mHotThrottlingThresholds=[25.0]}\n",
		       last ? "Headroom:\n" : "", bad ? "NaN" : "3900.0", i);
		printf("Current Battery Service state:\n  AC powered: false\n  USB powered: true\n"
		       "  level: %" PRIu64 "\n  voltage: %s\n  temperature: %" PRIu64
		       "\n  technology: Li-ion\n",
		       100 - i % 100, bad ? "3,9" : "3964", 300 + i);
		readings += bad ? 10 : 12;
	}
	fprintf(stderr, "readings %" PRIu64 "\n", readings);
}

int main(int argc, char **argv)
{
	int i = 1;

	if (argc > 3 && !strcmp(argv[1], "-n") && num_dec(argv[2], strlen(argv[2]), &n))
		i = 3;
	variant = i < argc ? argv[i] : "";
	if (is("presentmon"))
		put_presentmon();
	else if (is("presentmon2"))
		put_presentmon2();
	else if (is("ocat"))
		put_ocat();
	else if (is("unreal"))
		put_unreal();
	else if (is("mangohud") || is("readings"))
		put_mangohud(is("readings"));
	else if (is("thermal") || is("thermal-bad"))
		put_thermal(is("thermal-bad"));
	else if (is("framestats"))
		put_framestats();
	else if (is("perfdog"))
		put_perfdog();
	else if (is("capframex"))
		put_capframex();
	else if (is("capframex-bad"))
		damaged = true, put_capframex();
	else if (is("meminfo"))
		put_meminfo();
	else if (is("semicolon"))
		put_semicolon();
	else if (is("quoted"))
		put_quoted();
	else if (is("gaps"))
		put_gaps();
	else
		return fprintf(stderr, "table: unknown kind\n"), 2;
	return 0;
}
