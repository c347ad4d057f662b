# SPDX-License-Identifier: MIT
#
# What a report has to say of calls, worked out from a list of enters and exits alone, a line each:
# "enter|exit TIME THREAD NAME" (others are passed over). The plain way: every call is kept, with the
# path of names that were open around it.
#
#	calls.py functions [-NAME] [NAME]  self total calls name; NAME: of the paths that have it only,
#	                           -NAME: of those that have it not; name "(all)": everything
#	calls.py means             total / calls, name
#	calls.py threads           self total calls thread
#	calls.py tree              total self depth name, larger ones first, as a tree is printed
#	calls.py bottom-up         total depth name, likewise, from the innermost out
#	calls.py peek NAME         time relation name
#	calls.py folded [calls]    path;path self, or calls
#	calls.py prune NAME        self path, where what NAME calls is NAME's own
#
# Total is of outermost calls: those with the same name around them are in it already. An exit ends
# the innermost open call of its name and all inside it, and is ignored if there is no such call;
# what is open at the end lasts until its thread's last enter or exit; a time that goes back is the one
# before it.
import sys
from collections import defaultdict

calls = []  # (path, thread, self, total)


def read(lines):
    open_, last = defaultdict(list), {}
    for line in lines:
        word = line.split()
        if word[0] not in ("enter", "exit"):
            continue
        time, thread, name = int(word[1]), word[2], word[3]
        stack = open_[thread]
        passed = max(0, time - last.get(thread, time))
        last[thread] = time
        if stack:
            stack[-1][1] += passed
        if word[0] == "enter":
            stack.append([name, 0, 0])  # self, time of callees
        elif any(c[0] == name for c in stack):
            while close(stack, thread) != name:
                pass
    for thread, stack in open_.items():
        while stack:
            close(stack, thread)


def close(stack, thread):
    path = tuple(c[0] for c in stack)
    name, own, below = stack.pop()
    calls.append((path, thread, own, own + below))
    if stack:
        stack[-1][2] += own + below
    return name


def functions(*only):
    own, total, n = defaultdict(int), defaultdict(int), defaultdict(int)
    for path, _, s, t in calls:
        if any((o[1:] in path) if o[0] == "-" else (o not in path) for o in only):
            continue
        own[path[-1]] += s
        n[path[-1]] += 1
        for name in set(path):
            total[name] += s
        own["(all)"] += s
        total["(all)"] += s
        n["(all)"] += 1
    for name in total:
        print(own[name], total[name], n[name], name)


def means():
    total, n = defaultdict(int), defaultdict(int)
    for path, _, s, t in calls:
        total[path[-1]] += t if path[-1] not in path[:-1] else 0
        n[path[-1]] += 1
    for name in n:
        print((2 * total[name] + n[name]) // (2 * n[name]), name)  # rounded, half up


def threads():
    own, total, n = defaultdict(int), defaultdict(int), defaultdict(int)
    for path, thread, s, t in calls:
        own[thread] += s
        total[thread] += t if len(path) == 1 else 0
        n[thread] += 1
    for thread in own:
        print(own[thread], total[thread], n[thread], thread)


def paths():
    own = defaultdict(int)
    for path, _, s, _ in calls:
        own[path] += s
    return own


def show(tree, path, with_self):
    names = sorted(tree[path][2], key=lambda c: (-tree[path + (c,)][0], c))
    for c in names:
        total, own, _ = tree[path + (c,)]
        print(total, *([own] if with_self else []), len(path) + 1, c)
        show(tree, path + (c,), with_self)


def tree_of(weights, with_self):
    tree = defaultdict(lambda: [0, 0, set()])
    for path, s in weights:
        for i in range(len(path)):
            tree[path[: i + 1]][0] += s
            tree[path[:i]][2].add(path[i])
        tree[path][1] += s
    show(tree, (), with_self)


def tree():
    tree_of(paths().items(), True)


def bottom_up():
    tree_of([(p[::-1], s) for p, s in paths().items() if s], False)


def peek(name):
    sides = defaultdict(int)
    for path, s in paths().items():
        if name not in path:
            continue
        first, last = path.index(name), len(path) - 1 - path[::-1].index(name)
        sides["function", name] += s
        sides["called by", path[first - 1] if first else "(nobody: it is outermost)"] += s
        sides["calls", path[last + 1] if last + 1 < len(path) else "(nobody: its own)"] += s
    for (side, other), s in sides.items():
        if s:
            print(s, side, other)


def folded(what="self"):
    n = defaultdict(int)
    for path, *_ in calls:
        n[path] += 1
    for path, s in (n if what == "calls" else paths()).items():
        if s:
            print(";".join(path), s)


def prune(name):
    own = defaultdict(int)
    for path, s in paths().items():
        last = len(path) - 1 - path[::-1].index(name) if name in path else len(path) - 1
        own[path[: last + 1]] += s
    for path, s in own.items():
        if s:
            print(";".join(path), s)


sys.setrecursionlimit(100000)
read(sys.stdin)
globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
