// SPDX-License-Identifier: MIT
//
// 20 frames of 16 ms, the tenth of 40 ms. GC Allocated In Frame is 100 times the frame. In each frame a block of 96 bytes
// (88 asked for) of type Shot, and in frame 10 a thousand of 64 of type Spark "x".
using System;
using System.Reflection;
using Unity.Profiling;
using UnityEngine;

static class Game
{
	static void Shoot() => TracemillAllocations.Add("Shot", 88, 96);

	static void Explode()
	{
		for (int i = 0; i < 1000; i++)
			TracemillAllocations.Add("Spark \"x\"", 64, 64);
	}

	static void Call(object o, string name) =>
		o.GetType().GetMethod(name, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(o, null);

	static void Main()
	{
		typeof(TracemillCounters).GetMethod("Begin", BindingFlags.Static | BindingFlags.NonPublic).Invoke(null, null);
		var counters = GameObject.All[0];

		ProfilerRecorder.Now["Total Used Memory"] = 5000000000;
		Call(counters, "OnEnable");
		TracemillAllocations.Begin("game.mem");
		for (int i = 0; i < 20; i++)
		{
			Time.frameCount = i;
			Time.realtimeSinceStartupAsDouble = 1 + i * 0.016 + (i > 10 ? 0.024 : 0);
			ProfilerRecorder.Now["GC Allocated In Frame"] = i * 100;
			Call(counters, "Update");
			TracemillAllocations.Frame(i);
			Shoot();
			if (i == 10)
				Explode();
		}
		TracemillAllocations.End();
		Call(counters, "OnDisable");
		TracemillSnapshot.Take("end");
	}
}
