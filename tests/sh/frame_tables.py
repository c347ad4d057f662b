# SPDX-License-Identifier: MIT
#
#	frame_tables.py FILE TM-DUMP-TEXT TM-FRAMES-CSV
#
# A second reading of a table of frames, by Python's csv module, and the platform's words for its frames from their
# public definitions (the comment at the head of lib/tally/pacing.h cites them). Prints each difference; no output and
# status 0: all is equal. The table is of PresentMon, Unreal or MangoHud.
import csv
import re
import sys
from fractions import Fraction

ABSENT = {"", "NA", "N/A", "-", "--", "null"}


def number(text):
    text = text.strip()
    if re.fullmatch(r"[-+]?\d+,\d+", text):
        text = text.replace(",", ".")
    try:
        return Fraction(text)
    except ValueError:
        return None


def rows_of(path):
    """The rows as dicts, by the most complete header, and the name of the duration's column."""
    with open(path, encoding="utf-8-sig", newline="") as f:
        text = [line for line in f.read().split("\n") if line.strip() and not line.startswith("//")]
    names = next(line for line in text if re.search(r"frametime|msbetween|cpu_load", line, re.I))
    separator = max(",;\t", key=names.count)
    rows = list(csv.reader(text, delimiter=separator))
    rows = [[cell.strip() for cell in row] for row in rows]
    first = next(i for i, row in enumerate(rows)
                 if {"processid", "swapchainaddress"} <= {c.lower() for c in row}
                 or {"frametime", "gamethreadtime"} <= {c.lower() for c in row}
                 or {"frametime", "fps"} <= {c.lower() for c in row})
    header = rows[first]
    body = []
    for row in rows[first + 1:]:
        if row[0].startswith("[") and row[0].endswith("]"):
            break
        if row[0] == header[0] and len(row) >= len(header) and row[1] == header[1]:
            header = row
            continue
        body.append(row)
    body = [row for row in body if not any(c not in ABSENT for c in row[len(header):])]
    lower = {name.lower(): name for name in header}
    duration = lower.get("msbetweenpresents") or lower.get("frametime") or lower.get("msbetweenappstart")
    return header, [dict(zip(header, row)) for row in body], duration


def nearest(v):
    """The nearest whole number, halves away from 0."""
    sign = -1 if v < 0 else 1
    return sign * int(abs(v) + Fraction(1, 2))


def captures_of(header, rows):
    keys = [c for c in header if c.lower() in ("processid", "swapchainaddress")]
    captures = {}
    for row in rows:
        captures.setdefault(tuple(row.get(k, "") for k in keys), []).append(row)
    return list(captures.values())


def durations_of(rows, column):
    values = [number(row.get(column, "")) for row in rows]
    return [None if v is None else nearest(v * 1000000) for v in values]


def words(ns):
    """Of durations in ns, None where one is not known: the words of the platform."""
    known = [d for d in ns if d is not None]
    total = sum(known)
    janks = {1: 0, 2: 0, 3: 0}
    stutter = judged = 0
    for i in range(3, len(ns)):
        if None in ns[i - 3:i + 1]:
            continue
        judged += 1
        if ns[i] > 2 * Fraction(sum(ns[i - 3:i]), 3):
            for films in janks:
                janks[films] += ns[i] > Fraction(films * 10**9, 24)
            stutter += ns[i] if ns[i] > Fraction(2 * 10**9, 24) else 0
    if not judged:
        return None
    minute = Fraction(60 * 10**9, total)
    slow = sorted(known, reverse=True)
    low = {part: slow[:-(-len(known) // part)] for part in (100, 1000)}
    second, begun = {}, 0
    for d in known:
        second[begun // 10**9] = second.get(begun // 10**9, 0) + 1
        begun += d
    whole = [second.get(k, 0) for k in range(total // 10**9)]
    changes = [abs(b - a) for a, b in zip(ns, ns[1:]) if a is not None and b is not None]
    missed = {hz: sum(max(0, nearest(Fraction(d * hz, 10**9)) - 1) for d in known) for hz in (30, 60, 90, 120)}
    result = {
        "frames": len(known), "time_ns": total,
        "small_janks": janks[1], "janks": janks[2], "big_janks": janks[3],
        "fps": Fraction(len(known) * 10**9, total),
        "low_1": Fraction(len(low[100]) * 10**9, sum(low[100])),
        "low_01": Fraction(len(low[1000]) * 10**9, sum(low[1000])),
        "small_jank_per_minute": janks[1] * minute,
        "jank_per_minute": janks[2] * minute,
        "big_jank_per_minute": janks[3] * minute,
        "stutter": Fraction(100 * stutter, total),
        "frame_pacing_ns": Fraction(sum(changes), len(changes)),
    }
    if whole:
        mean = Fraction(sum(whole), len(whole))
        result["fps_variance"] = sum((c - mean) ** 2 for c in whole) / len(whole)
    for hz, n in missed.items():
        result["missed_%d_per_minute" % hz] = n * minute
    return result


def dumped(path):
    """Of tm-dump's text: for each capture its frames' durations and the readings of each counter."""
    captures = []
    for line in open(path, encoding="utf-8"):
        if line.startswith("capture "):
            captures.append({"frames": [], "names": {}, "readings": {}})
        elif re.match(r"counter \d+ ", line):
            name = re.match(r'counter (\d+) name="((?:[^"\\]|\\.)*)"', line) or re.match(r'counter (\d+) "((?:[^"\\]|\\.)*)"', line)
            captures[-1]["names"][name[1]] = name[2]
        elif line.startswith("frame "):
            told = re.search(r" duration=(-?\d+)", line)
            captures[-1]["frames"].append(int(told[1]) if told else None)
        elif line.startswith("counter value="):
            value = re.search(r"value=(\S+)", line)[1]
            name = captures[-1]["names"][re.search(r"type=(\d+)", line)[1]]
            captures[-1]["readings"].setdefault(name, []).append(Fraction(value))
    return captures


def main():
    header, rows, duration = rows_of(sys.argv[1])
    captures = captures_of(header, rows)
    got = dumped(sys.argv[2])
    bad = []
    if len(got) != len(captures):
        bad.append("captures: %d, not %d" % (len(got), len(captures)))
    for capture, mine in zip(got, captures):
        ns = durations_of(mine, duration)
        if capture["frames"] and capture["frames"] != ns:
            bad.append("frames: %d, not %d, or other durations" % (len(capture["frames"]), len(ns)))
        for name, readings in capture["readings"].items():
            plain = [c for c in header if re.sub(r" *[(\[].*[)\]]$", "", c) == name]
            want = [number(row[plain[0]]) for row in mine if plain and row.get(plain[0], "") not in ABSENT]
            if [v for v in want if v is not None] != readings:
                bad.append("counter %s: other readings" % name)
    if any(capture["frames"] for capture in got):
        table = list(csv.DictReader(open(sys.argv[3], newline="")))
        table = [row for row in table if row["section"] == "[all frames]"]
        wants = [w for w in (words(durations_of(mine, duration)) for mine in captures) if w]
        if len(table) != len(wants):
            bad.append("pacing: %d rows, not %d" % (len(table), len(wants)))
        for row, want in zip(table, wants):
            for key, v in want.items():
                # A mean has 15 digits.
                if not row[key] or abs(Fraction(row[key]) - v) > abs(v) / 10**14 + Fraction(1, 10**17):
                    bad.append("%s: %s, not %s" % (key, row[key], float(v)))
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main())
