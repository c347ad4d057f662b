# SPDX-License-Identifier: MIT
#
#	capframex.py FILE TM-DUMP-TEXT
#
# A second reading of a record of CapFrameX, by Python's json module. Prints each difference; no output and status 0: all is
# equal.
import json
import re
import sys
from fractions import Fraction

TIMES = re.compile(r"Ms|PcLatency|AnimationError|GpuActive|CpuActive")


def nearest(v):
    """The nearest whole number, halves away from 0."""
    return (-1 if v < 0 else 1) * int(abs(v) + Fraction(1, 2))


def dumped(path):
    captures = []
    for line in open(path, encoding="utf-8"):
        if line.startswith("capture "):
            captures.append({"frames": [], "names": {}, "readings": {}})
        elif re.match(r"counter \d+ ", line):
            told = re.match(r'counter (\d+) name="(.*?)" unit=', line)
            captures[-1]["names"][told[1]] = told[2]
        elif line.startswith("frame "):
            captures[-1]["frames"].append(tuple(int(re.search(k + r"=(-?\d+)", line)[1]) for k in ("time", "duration")))
        elif line.startswith("counter value="):
            name = captures[-1]["names"][re.search(r"type=(\d+)", line)[1]]
            at = int(re.search(r"time=(-?\d+)", line)[1])
            captures[-1]["readings"].setdefault(name, []).append((at, Fraction(re.search(r"value=(\S+)", line)[1])))
    return captures


def wanted(run):
    data = {k: [Fraction(v) for v in column] for k, column in run["CaptureData"].items() if column}
    took = [nearest(v * 10**6) for v in data["MsBetweenPresents"]]
    frames = [(nearest(end * 10**9) - d, d) for end, d in zip(data["TimeInSeconds"], took)]
    readings = {}
    for name, column in data.items():
        if name not in ("TimeInSeconds", "MsBetweenPresents", "QPCTime") and (any(column) or not TIMES.match(name)):
            readings[name] = [(at, v) for (at, _), v in zip(frames, column)]
    sensors = run.get("SensorData2") or {
        k: {"Name": k, "Type": "", "Values": v} for k, v in (run["SensorData"] or {}).items()}
    times = [nearest(v * 10**9) for v in sensors["MeasureTime"]["Values"]]
    for place, sensor in sensors.items():
        if place in ("MeasureTime", "BetweenMeasureTime"):
            continue
        name = sensor["Name"] if sensor["Name"].endswith(sensor["Type"]) else sensor["Name"] + " " + sensor["Type"]
        readings[name + " " + place if name in readings else name] = list(zip(times, sensor["Values"]))
    return {"frames": frames, "readings": readings}


def main():
    with open(sys.argv[1], encoding="utf-8-sig") as f:
        runs = json.load(f, parse_float=Fraction, parse_int=Fraction)["Runs"]
    got = dumped(sys.argv[2])
    bad = [] if len(got) == len(runs) else ["captures: %d, not %d" % (len(got), len(runs))]
    for run, mine in zip(runs, got):
        want = wanted(run)
        if mine["frames"] != want["frames"]:
            bad.append("frames: %d, not %d, or other times" % (len(mine["frames"]), len(want["frames"])))
        if mine["readings"].keys() != want["readings"].keys():
            bad.append("counters: %s" % sorted(mine["readings"].keys() ^ want["readings"].keys()))
        for name, column in mine["readings"].items():
            expected = want["readings"].get(name, [])
            # A reading has 18 decimals.
            if len(expected) != len(column) or any(a != b or abs(v - w) * 2 * 10**18 > 1
                                                   for (a, v), (b, w) in zip(column, expected)):
                bad.append("counter %s: other readings" % name)
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main())
