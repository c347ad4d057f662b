# SPDX-License-Identifier: MIT
"""Threads, processes by fork and by a fresh start, and a pool of each."""
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor


def work(n):
    return len({str(i): [i] * 10 for i in range(n)})


def main():
    results = []
    threads = [threading.Thread(target=lambda: results.append(work(2000))) for _ in range(8)]
    for t in threads:
        t.start()
    pid = os.fork()  # while they run
    if pid == 0:
        os._exit(work(100))
    for t in threads:
        t.join()
    print(sum(results), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    with ThreadPoolExecutor(8) as pool:
        print(sum(pool.map(work, range(200))))
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(sum(pool.map(work, range(100))))
    print(subprocess.run([sys.executable, "-c", "print(1)"], stdout=subprocess.PIPE, check=True).stdout)


main()
