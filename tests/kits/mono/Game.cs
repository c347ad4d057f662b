// SPDX-License-Identifier: MIT
//
// 60 frames with three shots each (an object: 16 bytes of header, and 16 of fields). Frame 30 makes 1000 tiles (16 + 16) and
// calls native code, which asks for 54321 bytes; frame 40 leaves four calls by an exception; frame 50 collects.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Arcade
{
	class Shot
	{
		public int A, B, C, D;
	}

	class Level
	{
		public class Tile
		{
			public long X, Y;
		}

		static readonly List<object> kept = new List<object>();

		[DllImport("__Internal")] static extern void tracemill_mark_frame();
		[DllImport("./libgame.so")] static extern IntPtr native_load(int n);

		static void Load()
		{
			for (int i = 0; i < 1000; i++)
				kept.Add(new Tile());
			native_load(54321);
		}

		static void Fire() { new Shot(); }

		static void Fail(int n)
		{
			if (n == 0)
				throw new Exception("as planned");
			Fail(n - 1);
		}

		static void Tick(int frame)
		{
			for (int i = 0; i < 3; i++)
				Fire();
			if (frame == 30)
				Load();
			if (frame == 40)
				try { Fail(3); } catch (Exception) {}
			if (frame == 50)
				GC.Collect();
		}

		static void Main(string[] words)
		{
			for (int frame = 0; frame < 60; frame++)
			{
				if (words.Length > 0)
					tracemill_mark_frame();
				Tick(frame);
			}
			Console.WriteLine("done");
		}
	}
}
