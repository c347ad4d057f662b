// SPDX-License-Identifier: MIT
//
// A snapshot of the managed and native heap from the game's code, for tracemill heap. Development players only. not compiled
// by the engine: README.md says where it goes.
using System.IO;
using Unity.Profiling.Memory;
using UnityEngine;

public static class TracemillSnapshot
{
	// The file is NAME.snap in Application.persistentDataPath; it is there when the log says so, some frames later.
	public static void Take(string name)
	{
		MemoryProfiler.TakeSnapshot(
			Path.Combine(Application.persistentDataPath, name + ".snap"),
			(path, there) => Debug.Log(there ? "tracemill: snapshot " + path : "tracemill: no snapshot: " + path),
			CaptureFlags.ManagedObjects | CaptureFlags.NativeObjects | CaptureFlags.NativeAllocations);
	}
}
