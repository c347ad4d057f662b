// SPDX-License-Identifier: MIT
//
// Allocations by frame, type and stack, as lines of MemTracer's JSON: what the game hands out itself (pools, native
// containers, buffers), where nothing else records. not compiled by the engine: README.md says where it goes.
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Text;

public static class TracemillAllocations
{
	sealed class Sum
	{
		public long requested, real;
		public readonly Dictionary<string, long> stacks = new Dictionary<string, long>();
	}

	static readonly object guard = new object();
	static readonly Dictionary<string, Sum> types = new Dictionary<string, Sum>();
	static StreamWriter file;
	static int frame;

	public static void Begin(string path)
	{
		lock (guard)
			file = new StreamWriter(path, false, new UTF8Encoding(false), 1 << 16) {NewLine = "\n"};
	}

	// Before the frame's first allocation, with Time.frameCount.
	public static void Frame(int number)
	{
		lock (guard)
		{
			Write();
			frame = number;
		}
	}

	// A block of this type was handed out: the bytes that were asked for, and those that it takes.
	public static void Add(string type, int requested, int real)
	{
		if (file == null)
			return;
		string stack = Stack(new StackTrace(1, false));

		lock (guard)
		{
			if (!types.TryGetValue(type, out Sum s))
				types[type] = s = new Sum();
			s.requested += requested;
			s.real += real;
			s.stacks.TryGetValue(stack, out long had);
			s.stacks[stack] = had + real;
		}
	}

	public static void End()
	{
		lock (guard)
		{
			Write();
			file?.Dispose();
			file = null;
		}
	}

	// Innermost first: "Namespace.Class.Method (in Assembly);".
	static string Stack(StackTrace trace)
	{
		var b = new StringBuilder();

		for (int i = 0; i < trace.FrameCount; i++)
		{
			var method = trace.GetFrame(i).GetMethod();

			if (method == null)
				continue;
			if (method.DeclaringType != null)
				b.Append(method.DeclaringType.FullName).Append('.');
			b.Append(method.Name).Append(" (in ").Append(method.Module.Name).Append(");");
		}
		return b.ToString();
	}

	static void Text(StringBuilder b, string s)
	{
		b.Append('"');
		foreach (char c in s)
			if (c == '"' || c == '\\')
				b.Append('\\').Append(c);
			else if (c < ' ')
				b.Append("\\u").Append(((int)c).ToString("x4"));
			else
				b.Append(c);
		b.Append('"');
	}

	static void Write()
	{
		if (file == null || types.Count == 0)
			return;
		var b = new StringBuilder("{\"f\":").Append(frame).Append(",\"d\":[");
		string comma = "";

		foreach (var t in types)
		{
			b.Append(comma).Append("{\"t\":");
			Text(b, t.Key);
			b.Append(",\"s\":").Append(t.Value.requested).Append(",\"r\":").Append(t.Value.real);
			b.Append(",\"st\":[");
			comma = "";
			foreach (var s in t.Value.stacks.Keys)
			{
				b.Append(comma);
				Text(b, s);
				comma = ",";
			}
			b.Append("],\"sz\":[").Append(string.Join(",", t.Value.stacks.Values)).Append("]}");
			comma = ",";
		}
		file.WriteLine(b.Append("]}").ToString());
		types.Clear();
	}
}
