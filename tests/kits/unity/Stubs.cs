// SPDX-License-Identifier: MIT
//
// Stubs of what examples/unity uses of Unity 2022.3, by its scripting reference. No line of the engine is here. A frame of
// the test sets the counters; a counter that it does not know is not valid, as in a player that lacks it.
using System;
using System.Collections.Generic;

namespace UnityEngine
{
	public enum RuntimeInitializeLoadType { AfterSceneLoad, BeforeSceneLoad }

	[AttributeUsage(AttributeTargets.Method)]
	public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute
	{
		public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType type) {}
	}

	[AttributeUsage(AttributeTargets.Class)]
	public sealed class DefaultExecutionOrder : Attribute
	{
		public DefaultExecutionOrder(int order) {}
	}

	public class Object
	{
		public static void DontDestroyOnLoad(Object target) {}
	}

	public class Component : Object {}
	public class Behaviour : Component {}
	public class MonoBehaviour : Behaviour {}

	public sealed class GameObject : Object
	{
		public static readonly List<Component> All = new List<Component>();
		public GameObject(string name) {}
		public T AddComponent<T>() where T : Component, new()
		{
			var c = new T();

			All.Add(c);
			return c;
		}
	}

	public static class Application
	{
		public static string persistentDataPath = ".";
	}

	public static class Time
	{
		public static int frameCount;
		public static double realtimeSinceStartupAsDouble;
	}

	public static class Debug
	{
		public static void Log(object message) => Console.WriteLine(message);
	}
}

namespace Unity.Profiling
{
	public struct ProfilerCategory
	{
		public static ProfilerCategory Memory, Render, Internal;
	}

	public struct ProfilerRecorder : IDisposable
	{
		public static readonly Dictionary<string, long> Now = new Dictionary<string, long>();
		string name;
		public static ProfilerRecorder StartNew(ProfilerCategory category, string statName, int capacity = 1) =>
			new ProfilerRecorder {name = statName};
		public bool Valid => Now.ContainsKey(name);
		public long LastValue => Now[name];
		public void Dispose() {}
	}
}

namespace Unity.Profiling.Memory
{
	[Flags]
	public enum CaptureFlags : uint { ManagedObjects = 1, NativeObjects = 2, NativeAllocations = 4 }

	public static class MemoryProfiler
	{
		public static void TakeSnapshot(string path, Action<string, bool> finishCallback, CaptureFlags captureFlags)
		{
			System.IO.File.WriteAllText(path, "");
			finishCallback(path, true);
		}
	}
}
