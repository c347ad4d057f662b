# SPDX-License-Identifier: MIT
"""The walk of tests/sh/report_browser.sh, in its folder."""
import json
import os
import sys
import time

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser, check, finish  # noqa: E402


def section(name, kind):
    return [s for s in json.load(open(name + ".json"))["sections"] if s["kind"] == kind]


def totals(nodes, key="self"):
    out = [n[key] for n in nodes]
    for i in range(len(nodes) - 1, 0, -1):
        out[nodes[i]["parent"]] += out[i]
    return out


# As people read numbers, by integers alone.
def size(v):
    if v < 1024:
        return "%d B" % v
    for k, unit in enumerate("KMGTPE", 1):
        tenths = (v * 10 * 2 + 1024 ** k) // (2 * 1024 ** k)
        if tenths < 10240:
            return "%d.%d %siB" % (tenths // 10, tenths % 10, unit)


def duration(v):
    if v < 1000:
        return "%d ns" % v
    for unit, n in (("us", 10 ** 3), ("ms", 10 ** 6), ("s", 10 ** 9)):
        hundredths = (v * 100 * 2 + n) // (2 * n)
        if hundredths < 100000 or unit == "s":
            return "%d.%02d %s" % (hundredths // 100, hundredths % 100, unit)


def sign(v, plus=False):
    return "-" if v < 0 else "+" if plus and v > 0 else ""


def shown(r):
    """The cells of a row of the sample's table; percents and fractions are exact in the JSON."""
    out = [r["function"], size(r["base"]), size(r["new"]), sign(r["delta"], True) + size(abs(r["delta"]))]
    out.append("" if r["change"] is None else "%s%.2f%%" % (sign(r["change"], True), abs(r["change"])))
    out.append("" if r["time_ns"] is None else duration(r["time_ns"]))
    return out + ["%.3f" % r["per_call"], r["at"]]


def share(part, whole):
    return "%.2f%%" % (100 * part / whole)


def page(b, name):
    return b.open("file://%s/%s.html" % (os.getcwd(), name), "typeof graphs !== 'undefined'")


def elements(b, selector="*"):
    return b.run("document.querySelectorAll(%s).length" % json.dumps(selector))


def focus(b):
    return b.run("(() => { const e = document.activeElement; return e.getAttribute('aria-label') || e.tagName; })()")


GRAPH, TABLE = "section.flame", "section.table:not(.checks)"
b = Browser(sys.argv[1])

# --- everything is in the page, and little of it is an element
check("a page of 400,000 nodes opens", page(b, "big"))
check("big: few elements: %d" % elements(b), elements(b) < 6000)
flames, nodes = section("big", "flame"), section("big", "flame")[0]["nodes"]
check("big: it says how many are folded", b.run("graphs[0].folded.textContent").split(" nodes")[0] ==
      "%s of %s" % (format(b.run("graphs[0].placed.filter(o => o.i >= 0).length"), ","), format(len(nodes), ",")))
for k, f in enumerate(flames):
    # Each node by the names on the way to it; the page has them in another order.
    paths, sums = [""], {}
    for n in f["nodes"][1:]:
        paths.append("%s\x01%s\x02%s" % (paths[n["parent"]], n["name"], n["at"]))
    of = b.run("""(() => { const g = graphs[%d], paths = [""], out = [];
        for (let i = 1; i < g.n; i++) paths.push(paths[g.parent[i]] + "\\x01" + g.name(i) + "\\x02" + g.place(i));
        for (let i = 0; i < g.n; i++) out.push([paths[i], g.self[i], g.total[i], g.base ? g.base[i] : 0]);
        return out; })()""" % k)
    base = totals(f["nodes"], "base") if f["differential"] else [0] * len(f["nodes"])
    want = sorted([p, n["self"], t, x] for p, n, t, x in zip(paths, f["nodes"], totals(f["nodes"]), base))
    check("big: graph %d has the %d nodes of the JSON with their sums" % (k + 1, len(want)), sorted(of) == want)
rows = section("big", "table")[0]["rows"]
read = b.run("""(() => { const t = tables[0]; return Array.from({length: t.n}, (_, i) => t.heads.map((_, k) => t.shown(i, k))); })()""")
wrong = [i for i, r in enumerate(rows) if shown(r) != read[i]]
check("big: the table has the %d rows of the JSON, as people read them%s" % (len(rows), ": %s, %s" % (shown(rows[wrong[0]]), read[wrong[0]]) if wrong else ""),
      len(read) == len(rows) and not wrong)
lines = b.run("(() => { const t = tables[0]; return Array.from({length: t.n}, (_, i) => t.lines(i)); })()")
check("big: with the lines beneath them", all(lines[i] == ((r["_details"] + [r["_more"]]) if "_details" in r else None) for i, r in enumerate(rows) if i >= 1000))


# --- each node is reached by clicking
def to_node(i):
    """Clicks on what has the node in it until it is the one that is zoomed into; how often that was."""
    for clicks in range(40):
        # In a map, a chain of calls is one rectangle.
        if b.run("(() => { const g = graphs[0], o = g.placed.find(o => o.i === g.zoomed && !o.path); return %d >= o.i && %d <= (o.last ?? o.i); })()" % (i, i)):
            return clicks
        k = b.run("""(() => { const g = graphs[0], i = %d, of = []; for (let p = i; p; p = g.parent[p]) of.push(p);
            let o = g.placed.filter(o => o.i >= 0 && !o.path && of.includes(o.i)).pop();
            const f = g.placed.find(o => o.i < 0 && [...g.kids(o.of).subarray(o.from, o.to)].some(c => of.includes(c)));
            // A node that is there itself, else what is folded, else what it is below.
            if (!(o && o.i === i) && f && (!o || g.parent[of[of.indexOf(o.i) - 1]] === f.of || o.i === g.zoomed)) o = f;
            if (!o) return -1;
            g.reach(o);
            return o.k; })()""" % i)
        if k < 0:
            return -1
        b.click("section.flame [data-k='%d']" % k, (1.5, 1.5))  # what is inside does not begin there
    return -1


seed, far = 1, []
for _ in range(8):
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2 ** 64
    far.append(1 + (seed >> 33) % (len(nodes) - 1))
far += [len(nodes) - 1]
for mode in ("stacks", "map"):
    if mode == "map":
        b.click("section.flame .map")
    clicks = []
    for i in far:
        b.run("graphs[0].zoom(0)")
        clicks.append(to_node(i))
    check("big: %s: nodes are reached by clicks: %s" % (mode, clicks), min(clicks) > 0)
    check("big: %s: few elements still: %d" % (mode, elements(b)), elements(b) < 8000)
b.click("section.flame .map")

# --- rows are made as they come into view
b.click(TABLE + " .tools button")  # unfold all
check("big: unfolded", b.wait("tables[0].shownRows.length === 50000"))
check("big: few rows are elements: %d" % elements(b, TABLE + " tbody tr"), elements(b, TABLE + " tbody tr") < 400)
b.run("tables[0].scroller.scrollTop = tables[0].scroller.scrollHeight")
LAST = "[...document.querySelectorAll('%s tbody tr:not(.space)')].pop()" % TABLE
b.wait("%s.dataset.i === '49999'" % LAST)
cells = b.run("[...%s.cells].map(c => c.textContent)" % LAST)
check("big: scrolled to the last: %s" % cells, cells == shown(rows[-1]))
check("big: it is above the totals and in view", b.run("(() => { const r = %s.getBoundingClientRect(), s = tables[0].scroller.getBoundingClientRect(); return r.bottom <= s.bottom + 1 && r.top >= s.top; })()" % LAST))
b.run("tables[0].scroller.scrollTop = 400000")
time.sleep(0.3)
seen = b.run("(() => { const s = tables[0].scroller.getBoundingClientRect(); return [...document.querySelectorAll('%s tbody tr:not(.space)')].filter(r => r.getBoundingClientRect().bottom > s.top && r.getBoundingClientRect().top < s.bottom).map(r => +r.dataset.i); })()" % TABLE)
check("big: in the middle rows are there, in order: %s ..." % seen[:2], len(seen) > 8 and seen == list(range(seen[0], seen[0] + len(seen))) and seen[0] > 5000)
b.click(TABLE + " .tools button:nth-of-type(2)")  # fold
check("big: folded, and it is counted", b.wait("/^12,500 of 50,000 rows, 37,500 are folded$/.test(tables[0].say.textContent)"))
b.run("tables[0].scroller.scrollTop = 0")
b.wait("document.querySelector('%s tr[data-i=\"0\"] .twist') !== null" % TABLE)
b.click(TABLE + " tr[data-i='0'] .twist")
check("big: a row of the tree is unfolded", b.wait("/^12,501 of/.test(tables[0].say.textContent)") and elements(b, TABLE + " tr[data-i='1']") == 1)
b.click(TABLE + " thead th:nth-child(3) button")
time.sleep(0.3)
top = b.run("[...document.querySelectorAll('%s tbody tr:not(.space)')].slice(0, 20).map(r => +r.dataset.i)" % TABLE)
outer = sorted((i for i in range(0, 50000, 4)), key=lambda i: (-rows[i]["new"], i))
check("big: sorted, the tree's outer rows are: %s" % top[:3], [i for i in top if i % 4 == 0] == outer[:len([i for i in top if i % 4 == 0])])
b.run("tables[0].input.focus()")
b.type("Audio::Mix")
count = sum("Audio::Mix" in r["function"] + "".join(r.get("_details", [])) for r in rows)
check("big: the filter finds %d rows" % count, b.wait("tables[0].say.textContent.startsWith('%s rows match')" % format(count, ",")))
check("big: no complaint: %s" % b.complaints(), not b.complaints())

# --- keys
f = section("sample", "flame")[0]["nodes"]
total, kids = totals(f), {}
for i, n in enumerate(f[1:], 1):
    kids.setdefault(n["parent"], []).append(i)
for k in kids.values():
    k.sort(key=lambda i: -total[i])
first, second = kids[0][0], kids[0][1]
page(b, "sample")
b.run("graphs[0].reset.scrollIntoView({block: 'center'}); document.querySelector('section.flame .map').focus()")
b.key("Tab")  # the disabled button is passed over
check("keys: Tab goes to the graph: " + focus(b), focus(b).startswith("all, total"))
check("keys: where it is can be seen", b.run("document.activeElement.matches(':focus-visible') && parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2"))


def says(i):
    return focus(b).startswith(f[i]["name"] + ",") and "total %s  %s" % (size(total[i]), share(total[i], total[0])) in focus(b)


b.key("ArrowDown")
check("keys: down to the heaviest call: " + focus(b), says(first))
b.key("ArrowRight")
check("keys: right to the one beside it: " + focus(b), says(second))
b.key("ArrowLeft")
check("keys: left, and back", says(first))
b.key("ArrowDown")
check("keys: deeper", says(kids[first][0]))
b.key("ArrowUp")
check("keys: up to its caller", says(first))
check("keys: what is said is on the screen, too", b.run("tip.style.display === 'block' && tip.textContent.startsWith(%s)" % json.dumps(f[first]["name"])))
b.key("Enter")
here = "graphs[0].name(graphs[0].zoomed)"
check("keys: Enter zooms, and stays there", b.run(here) == f[first]["name"] and says(first) and b.run("document.activeElement.style.width") == "100%")
check("keys: and picks it", b.run("document.querySelector('section.flame .around b').textContent") == f[first]["name"])
b.key("ArrowDown")
b.key("Enter")
check("keys: and again", b.run("graphs[0].depth[graphs[0].zoomed]") == 2)
b.key("Backspace")
check("keys: Backspace goes out by one, and stays where it is", b.run("graphs[0].depth[graphs[0].zoomed]") == 1 and says(kids[first][0]))
b.key("Escape")
check("keys: Escape goes out of all", b.run("graphs[0].zoomed") == 0)
b.click("section.flame .flip")
b.run("document.querySelector('section.flame .node[tabindex=\"0\"]').focus()")
b.key("Home")
b.key("ArrowUp")
check("keys: a flame graph's calls are above: " + focus(b), says(first))
b.click("section.flame .flip")
b.click("section.flame .map")
b.run("document.querySelector('section.flame .node[tabindex=\"0\"]').focus()")
b.key("Home")
check("keys: a tree map has a focus", focus(b).startswith("all, total"))
# Boxes that hold no others, however deep: areas are as weights. Calls too small to be drawn leave their box larger or smaller.
spread = b.run("""(() => { const g = graphs[0], all = g.placed.filter(o => o.i >= 0 && !o.kids.length && o.w * o.h > 800).map(o => o.w * o.h / g.weight[o.i]).sort((a, b) => a - b);
    const at = part => all[Math.floor(all.length * part)] / all[all.length >> 1];
    return [all.length, new Set(g.placed.filter(o => !o.kids.length).map(o => o.level)).size, at(0.05), at(0.95)]; })()""")
check("a tree map: areas are as the weights: of %d boxes on %d levels nine of ten by %.2f to %.2f" % tuple(spread), spread[0] > 20 and spread[1] > 1 and spread[2] > 0.85 and spread[3] < 1.15)
b.key("ArrowDown")
check("keys: a tree map: down", f[first]["name"] in focus(b) and "total " + size(total[first]) in focus(b))
b.key("ArrowRight")
check("keys: a tree map: right", f[second]["name"] in focus(b) and "total " + size(total[second]) in focus(b))
check("keys: a tree map: what is inside of it is not covered", b.run("""(() => { const g = graphs[0], o = g.placed.find(o => o.i === g.at).kids[0];
    const r = document.querySelector("section.flame [data-k='" + o.k + "']").getBoundingClientRect();
    return +document.elementFromPoint((r.left + r.right) / 2, r.top + 2).dataset.k >= o.k; })()"""))
b.key("Enter")
check("keys: a tree map: Enter zooms", b.run(here) == f[second]["name"])
b.key("Backspace")
check("keys: a tree map: Backspace goes out", b.run("graphs[0].zoomed") == 0)
b.click("section.flame .map")
b.run("document.querySelector('section.flame .node[tabindex=\"0\"]').focus()")
b.key("/", "Slash", "/")
check("keys: / goes to the search", b.run("document.activeElement === graphs[0].input && graphs[0].input.value === ''"))
b.type("Audio::Mix")
hits = [i for i, n in enumerate(f) if "Audio::Mix" in n["name"]]
check("keys: the search counts %d nodes" % len(hits), (", in %d nodes" % len(hits)) in b.run("graphs[0].say.textContent"))
heaviest = max(hits, key=lambda i: total[i])
b.key("Enter")
check("keys: Enter goes to the heaviest of them", "%s\n" % f[heaviest]["name"] in b.run("tip.textContent") and size(total[heaviest]) in b.run("tip.textContent"))
b.run("been = new Set([graphs[0].at])")
for _ in range(len(hits) - 1):
    b.key("Enter")
    b.run("been.add(graphs[0].at)")
check("keys: Enter goes through all of them", b.run("been.size") == len(hits) and b.run("[...been].every(i => graphs[0].name(i).includes('Audio::Mix'))"))
check("keys: each is drawn then", b.run("graphs[0].placed.some(o => o.i === graphs[0].at)"))
b.run("document.querySelector('section.flame .node[tabindex=\"0\"]').focus()")
b.key("f", "KeyF", ctrl=True)
check("keys: so does Ctrl+F", b.run("document.activeElement === graphs[0].input"))
b.run("graphs[0].input.value = ''; graphs[0].search(''); graphs[0].zoom(0)")

# --- keys in a chart
b.run("document.querySelector('section.series canvas').focus()")
for _ in range(3):
    b.key("ArrowRight")
SAID, ABOVE = "document.querySelector('section.series .say').textContent", "document.querySelector('section.series .lane span').textContent"
series = section("sample", "series")[0]
check("keys: in a chart, arrows go from point to point: " + b.run(ABOVE), b.run(ABOVE) == "frame %d: %s" % (series["x"][3], size(series["lines"][0]["y"][3])))
b.call("Input.dispatchKeyEvent", type="keyDown", key="PageDown", code="PageDown", windowsVirtualKeyCode=34, modifiers=8)
b.key("Enter")
check("keys: a range is marked and zoomed to: " + b.run(SAID), b.run(SAID) == "frame %d to frame %d" % (series["x"][3], series["x"][13]))
b.key("Escape")
check("keys: and out", b.run(SAID).startswith("drag to zoom"))

# --- what a screen reader has
b.call("Accessibility.enable")
tree = b.call("Accessibility.getFullAXTree")["nodes"]
roles = {}
for n in tree:
    if not n.get("ignored"):
        roles.setdefault(n["role"]["value"], []).append(n.get("name", {}).get("value", ""))
items = roles.get("treeitem", [])
check("aria: the graph is a tree with a name: %s" % roles.get("tree"), "requested bytes by stack" in roles.get("tree", []))
check("aria: its items have names and values: %d" % len(items), len(items) > 100 and all(", total " in n for n in items))
check("aria: the heaviest says where it stands", any(n["role"]["value"] == "treeitem" and n["name"]["value"].startswith(f[first]["name"]) and
      {p["name"]: p["value"].get("value") for p in n["properties"]}.get("level") == 2 for n in tree if not n.get("ignored") and "role" in n))
check("aria: buttons and inputs have names", all(n for r in ("button", "searchbox", "combobox") for n in roles.get(r, [])))
b.call("Accessibility.disable")
check("keys: no complaint: %s" % b.complaints(), not b.complaints())

# --- names that would be markup
page(b, "hostile")
hostile = section("hostile", "table")[0]["rows"]
check("hostile: nothing of a name is an element", elements(b, "img") == 0 and b.run("document.title").startswith("</script><script>"))
b.run("document.querySelectorAll('%s .tools button')[0].click()" % TABLE)
b.wait("tables[0].shownRows.length === 3000")
b.run("tables[0].scroller.scrollTop = tables[0].scroller.scrollHeight")
b.wait("%s.dataset.i === '2999'" % LAST)
check("hostile: in rows that are made later neither", elements(b, "img") == 0 and elements(b, TABLE + " tbody script") == 0)
names = b.run("graphs[0].d.strings")
check("hostile: names are shown as text", "\"><img src=x onerror=\"document.title='owned'\">" in names and "</script><script>document.title='owned'</script>" in names and
      b.run("tables[0].shown(2001, 0)").startswith("\"><img src=x"))
check("hostile: what is hidden is escaped", not any(c in n for n in names for c in "\n\x1b\u202e\u2028") and any("\\u{202e}" in n for n in names))
check("hostile: no complaint: %s" % b.complaints(), not b.complaints())

# --- narrow and wide, light and dark
for width in (400, 1400):
    for dark in (False, True):
        b.size(width, 900)
        b.theme(dark)
        page(b, "big")
        how = "%d pixels, %s" % (width, "dark" if dark else "light")
        check("%s: nothing is wider than the page" % how, b.run("document.documentElement.scrollWidth") <= width)
        b.run("document.querySelector('%s').scrollIntoView()" % TABLE)
        b.picture("table-%d-%s.png" % (width, "dark" if dark else "light"))
        check("%s: rows of the table are in view" % how, b.run("[...document.querySelectorAll('%s tbody tr:not(.space)')].filter(r => r.getBoundingClientRect().top < 900).length" % TABLE) > 8)
        b.click("section.flame .node.fold")
        check("%s: what is folded is clicked" % how, b.run("graphs[0].range !== null && graphs[0].placed.length > 5"))
        b.run("document.querySelectorAll('section.flame')[1].scrollIntoView()")
        b.picture("flame-%d-%s.png" % (width, "dark" if dark else "light"))
        check("%s: what is drawn does not lie on another" % how, b.run("""(() => { const at = new Map();
            for (const o of graphs[1].placed) { if (!at.has(o.level)) at.set(o.level, []); at.get(o.level).push(o); }
            return [...at.values()].every(row => row.sort((a, b) => a.x - b.x).every((o, i) => !i || row[i - 1].x + row[i - 1].w <= o.x + 1e-9)); })()"""))
b.size(1400, 900)
b.theme(False)

# --- without scripts
b.call("Emulation.setScriptExecutionDisabled", value=True)
b.open("file://%s/big.html" % os.getcwd(), "true")
time.sleep(0.5)
b.picture("no-scripts.png")
text = b.run("document.body.innerText")
check("without scripts: the first rows are there, and it says so", elements(b, TABLE + " tbody tr") == 1000 and "Scripts do not run here: the first 1000 of 50000 rows are shown." in text)
check("without scripts: the heaviest nodes are drawn, and it says so", elements(b, ".node.still") > 10 and "of 407623 nodes these are the" in text)
check("without scripts: their titles have values", b.run("[...document.querySelectorAll('.node.still')].every(e => /: [0-9.]+ (B|KiB|MiB)/.test(e.title))"))

b.close()
finish()
