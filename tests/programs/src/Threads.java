// SPDX-License-Identifier: MIT
//
// Threads that allocate until it collects, that meet null (a fault the machine catches) and the end of their stacks (another).
import java.util.*;
import java.util.concurrent.*;

public class Threads {
    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    static int part(int id) {
        Map<String, byte[]> map = new HashMap<>();
        int caught = 0;
        for (int i = 0; i < 20000; i++) {
            map.put("key " + i % 500, new byte[1000]);
            if (i % 1000 == 0) {
                try {
                    String s = map.get("no such key " + id) == null ? null : "";
                    caught += s.length();
                } catch (NullPointerException e) {
                    caught++;
                }
            }
        }
        try {
            deep(0);
        } catch (StackOverflowError e) {
            caught += 100;
        }
        return caught;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        List<Future<Integer>> parts = new ArrayList<>();
        for (int t = 0; t < 16; t++) {
            final int id = t;
            parts.add(pool.submit(() -> part(id)));
        }
        int all = 0;
        for (Future<Integer> p : parts)
            all += p.get();
        pool.shutdown();
        System.gc();
        System.out.println("caught " + all);
    }
}
