# SPDX-License-Identifier: MIT
"""The text of ftrace added up: "NAME CALLS NS" of atrace's calls of threads, and "[cpu] TID NS" of the times on a processor.

A second reading of the format, for files of any origin: tests/sh/systrace.sh has it beside tracemill's."""
import collections
import re
import sys

LINE = re.compile(r'-(\d+)\s+(?:\(.*?\)\s+)?\[(\d+)\]\s+(?:\S+\s+)?(\d+)\.(\d+): (\w+): (.*?)(?:\\n\\)?$')
SWITCH = re.compile(r'prev_pid=(\d+) .*next_pid=(\d+)')
calls, cpu, stacks, since = collections.defaultdict(lambda: [0, 0]), collections.Counter(), collections.defaultdict(list), {}
events = []
for text in open(sys.argv[1], encoding='utf-8', errors='replace'):
    m = LINE.search(text.rstrip('\r\n'))
    if m:
        events.append((int(m[3]) * 10**9 + int(m[4].ljust(9, '0')), len(events), int(m[1]), m[5], m[6]))
for ns, _, tid, event, rest in sorted(events):
    if event == 'sched_switch' and (s := SWITCH.search(rest)):
        if int(s[1]) in since:
            cpu[int(s[1])] += ns - since.pop(int(s[1]))
        since[int(s[2])] = ns
    elif event == 'tracing_mark_write' and rest.startswith('B|'):
        stacks[tid].append((rest.split('|', 2)[2], ns))
    elif event == 'tracing_mark_write' and rest[:1] == 'E' and stacks[tid]:
        name, begin = stacks[tid].pop()
        calls[name][0] += 1
        calls[name][1] += ns - begin
for name, (n, ns) in sorted(calls.items()):
    print(name, n, ns)
for tid, ns in sorted(cpu.items()):
    if tid and ns:
        print('[cpu]', tid, ns)
