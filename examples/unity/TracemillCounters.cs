// SPDX-License-Identifier: MIT
//
// A table of what Unity's profiler counts in each frame, for tracemill session and tracemill view. Works in release players,
// too: ProfilerRecorder needs no profiler. not compiled by the engine: README.md says where it goes.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;
using Unity.Profiling;
using UnityEngine;

[DefaultExecutionOrder(-32000)]
public sealed class TracemillCounters : MonoBehaviour
{
	// Category, Unity's name, name in the table with its unit.
	static readonly (ProfilerCategory category, string counter, string column)[] Wanted =
	{
		(ProfilerCategory.Memory, "Total Used Memory", "memory.used (B)"),
		(ProfilerCategory.Memory, "System Used Memory", "memory.system (B)"),
		(ProfilerCategory.Memory, "GC Used Memory", "gc.used (B)"),
		(ProfilerCategory.Memory, "GC Allocated In Frame", "gc.allocated (B)"),
		(ProfilerCategory.Memory, "Gfx Used Memory", "gfx.used (B)"),
		(ProfilerCategory.Memory, "Texture Memory", "textures (B)"),
		(ProfilerCategory.Memory, "Mesh Memory", "meshes (B)"),
		(ProfilerCategory.Render, "Draw Calls Count", "draw_calls"),
		(ProfilerCategory.Render, "SetPass Calls Count", "setpass_calls"),
		(ProfilerCategory.Render, "Triangles Count", "triangles"),
		(ProfilerCategory.Internal, "Main Thread", "main_thread (ns)"),
	};

	readonly List<ProfilerRecorder> recorders = new List<ProfilerRecorder>();
	readonly StringBuilder row = new StringBuilder(512);
	StreamWriter file;

	// The file: -tracemill-table FILE on the command line, or frames.csv in Application.persistentDataPath.
	[RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.BeforeSceneLoad)]
	static void Begin()
	{
		var o = new GameObject("TracemillCounters");

		DontDestroyOnLoad(o);
		o.AddComponent<TracemillCounters>();
	}

	static string Place()
	{
		string[] words = Environment.GetCommandLineArgs();
		int at = Array.IndexOf(words, "-tracemill-table");

		return at >= 0 && at + 1 < words.Length
			? words[at + 1]
			: Path.Combine(Application.persistentDataPath, "frames.csv");
	}

	void OnEnable()
	{
		file = new StreamWriter(Place(), false, new UTF8Encoding(false), 1 << 16);
		file.NewLine = "\n";
		row.Clear().Append("time_us,frame");
		foreach (var w in Wanted)
		{
			recorders.Add(ProfilerRecorder.StartNew(w.category, w.counter));
			row.Append(',').Append(w.column);
		}
		file.WriteLine(row.ToString());
	}

	// LastValue is that of the frame before, which is over. A counter that this player does not have stays blank.
	void Update()
	{
		if (file == null)
			return;
		row.Clear();
		row.Append(((long)(Time.realtimeSinceStartupAsDouble * 1e6)).ToString(CultureInfo.InvariantCulture));
		row.Append(',').Append(Time.frameCount.ToString(CultureInfo.InvariantCulture));
		foreach (var r in recorders)
		{
			row.Append(',');
			if (r.Valid)
				row.Append(r.LastValue.ToString(CultureInfo.InvariantCulture));
		}
		file.WriteLine(row.ToString());
	}

	void OnApplicationPause(bool pause)
	{
		if (pause)
			file?.Flush(); // a phone may end the game without another word
	}

	void OnDisable()
	{
		foreach (var r in recorders)
			r.Dispose();
		recorders.Clear();
		file?.Dispose();
		file = null;
	}
}
