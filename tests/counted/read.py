# SPDX-License-Identifier: MIT
"""Lines "FUNCTION COUNT" of a report or an export of tests/sh/counted.sh: read.py FORM FILE."""
import gzip, html, json, os, re, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from protobuf import fields, packed  # noqa: E402

FORM, FILE = sys.argv[1:3]
counts = {}


def add(name, n):
    name = name.split("(")[0]
    if name in ("many", "objects", "grow", "worker"):
        counts[name] = counts.get(name, 0) + int(n)
    counts["all"] = counts.get("all", 0) + int(n)


if FORM == "json":
    rows = json.load(open(FILE))["sections"][0]["rows"]
    for r in rows:
        add(r.get("function") or r.get("site"), r["count"])
elif FORM == "html":
    for row in re.findall(r"<tr\b.*?</tr>", open(FILE).read(), re.S):
        cells = re.findall(r'data-v="([^"]*)"', row)
        name = re.search(r">((?:many|objects|grow|worker)\([^<]*\))<", html.unescape(row))
        if len(cells) > 8:  # the table of functions; others have fewer numbers
            add(name.group(1) if name else "", cells[1])
elif FORM == "markdown":
    for line in open(FILE):
        cell = [c.strip().strip("`") for c in line.split("|")]
        if len(cell) > 12 and cell[1].isdigit():
            add(cell[11], cell[2])
elif FORM == "folded":
    for line in open(FILE):
        stack, n = line.rsplit(" ", 1)
        add(stack.split(";")[-1], n)
elif FORM == "speedscope":
    d = json.load(open(FILE))
    p = next(p for p in d["profiles"] if p["name"] == "count")
    for stack, n in zip(p["samples"], p["weights"]):
        add(d["shared"]["frames"][stack[-1]]["name"], n)
elif FORM == "pprof":
    top = list(fields(gzip.open(FILE).read()))
    strings = [v.decode() for k, v in top if k == 6]
    function = {}
    for k, v in top:
        if k == 5:
            f = dict(fields(v))
            function[f[1]] = strings[f.get(2, 0)]
    first = {}  # the innermost call of a location
    for k, v in top:
        if k == 4:
            lines = [dict(fields(x)) for n, x in fields(v) if n == 4]
            first[dict(fields(v))[1]] = function.get(lines[0].get(1), "") if lines else ""
    kinds = [strings[dict(fields(v)).get(1, 0)] for k, v in top if k == 1]
    at = next(i for i, n in enumerate(kinds) if n in ("count", "alloc_objects", "allocations"))
    for k, v in top:
        if k == 2:
            s = {n: packed(x) for n, x in fields(v) if n in (1, 2)}
            add(first[s[1][0]], s[2][at])
else:
    sys.exit("no such form: " + FORM)
print(*("%s %d" % (n, counts[n]) for n in sorted(counts)), sep="\n")
