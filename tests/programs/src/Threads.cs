// SPDX-License-Identifier: MIT
//
// Threads of Mono, collections, a null reference (a fault the machine catches) and the thread pool.
using System;
using System.Collections.Generic;
using System.Threading;

class Threads
{
    static int all;

    static void Part()
    {
        var map = new Dictionary<string, byte[]>();
        int caught = 0;
        for (int i = 0; i < 20000; i++) {
            map["key " + i % 500] = new byte[1000];
            if (i % 5000 == 0) {
                GC.Collect();
                try {
                    string s = map.ContainsKey("no such key") ? "" : null;
                    caught += s.Length;
                } catch (NullReferenceException) {
                    caught++;
                }
            }
        }
        Interlocked.Add(ref all, caught);
    }

    static void Main()
    {
        var threads = new List<Thread>();
        for (int t = 0; t < 8; t++) {
            var thread = new Thread(Part);
            thread.Start();
            threads.Add(thread);
        }
        foreach (var thread in threads)
            thread.Join();
        using (var done = new CountdownEvent(50)) {
            for (int i = 0; i < 50; i++)
                ThreadPool.QueueUserWorkItem(delegate { Interlocked.Increment(ref all); done.Signal(); });
            done.Wait();
        }
        Console.WriteLine("caught " + all);
    }
}
