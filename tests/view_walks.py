# SPDX-License-Identifier: MIT
"""The walk of tests/sh/view_walks.sh, in its folder."""
import os
import json
import subprocess
import sys
import urllib.parse
import time

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser, check, finish  # noqa: E402


def serve(*files):
    p = subprocess.Popen(["tm-view", "-q", "--time-limit", "300", *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return p, p.stdout.readline().strip()


def report(*words):
    return json.loads(subprocess.run([words[0], "-q", "--as", "json", *words[1:]], stdout=subprocess.PIPE).stdout)


def text(selector):
    return b.run("[...document.querySelectorAll(%s)].map(e => e.textContent).join('\\n')" % json.dumps(selector))


def command():
    return b.run("document.getElementById('command').textContent")


def address_has(key):
    return b.run("new URLSearchParams(location.hash.slice(1)).get(%s)" % json.dumps(key))


def after(action):
    b.run("document.body.dataset.shown = ''")
    action()
    return b.wait("!!document.body.dataset.shown", 60)


def back():
    return after(lambda: b.run("history.back()"))


def size(n):
    """As the page writes sizes."""
    unit = 0
    while n >= 1023.95 and unit < 3:
        n, unit = n / 1024, unit + 1
    return "%.1f %s" % (n, ["B", "KiB", "MiB", "GiB"][unit])


def tile(name):
    return text(".tile[data-tile=%s] .v" % name)


b = Browser(sys.argv[1])

# --- the worst frame, and what took its time
p, address = serve("calls.tmt")
b.open(address)
check("the overview comes first, with the worst frame: " + tile("worst"), b.wait("(document.querySelector('.tile[data-tile=worst] .v') || {}).textContent === '50.00ms' && document.body.textContent.includes('Worst frames')") and tile("worst") == "50.00ms" and "frame 60" in text(".tile[data-tile=worst] .tag"))
# The worker's job is no cause: in it 5 of 50 ms passed.
b.run("[...document.querySelectorAll('.lists .card')].find(c => c.textContent.includes('Worst frames')).querySelector('.rank').id = 'first-worst'")
worst = "#first-worst"
check("the worst frame has its cause, not the call around it: " + text(worst).replace("\n", " "), all(t in text(worst) for t in ("60", "Load", "2 missed", "50.00 ms", "level.cpp:30", "40.0 of 50.00 ms", "← Tick")))
ranks = {r["statistic"]: r["duration_ns"] / 1e6 for t in report("tm-frames", "-n", "0", "calls.tmt")["sections"] if t["name"] == "statistics" for r in t["rows"]}
check("its p50 and p99 are those of tm-frames: " + text(".lists .sp").replace("\n", " "), b.wait("[...document.querySelectorAll('.lists .sp')].some(e => e.textContent === %s)" % json.dumps("p50 %.1f \u00b7 p99 %.1f ms" % (ranks["p50"], ranks["p99"])), 10))
check("it says nothing of events and stacks first", "events" not in text("main") and "stacks" not in text("main"))
check("a tile leads to it", after(lambda: b.click(".tile[data-tile=worst]")) and address_has("view") == "timeline" and address_has("frame") == "60..60")
check("the range is a chip: " + text(".chip[data-filter=frame]"), text(".chip[data-filter=frame]") == "frame 60")
check("what it took is below, the largest first", b.wait("document.querySelectorAll('.sel .row').length > 1") and b.run("document.querySelector('.sel .row td').textContent") == "Load")
check("its sum is 40 ms, where it is and its caller: " + text(".sel .row[data-i='0']"), all(t in text(".sel .row[data-i='0']") for t in ("40.0 ms", "level.cpp:30", "← Tick")))
check("... in sight, with the sum of the frame", b.run("document.querySelector('.sel .row').getBoundingClientRect().bottom < innerHeight - 30") and "50.00 ms" in text(".card .hd"))
check("the tracks: frames and threads", all(t in text(".track .name") for t in ("Frames", "Main", "Worker")))
# The axis: 1600 ms and 34. Load is from 60 * 16 + 9 = 969 ms on, for 40 ms.
high = 100 * 16 + 34
names = text(".track .name").split("\n")
canvases = b.run("[...document.querySelectorAll('.tracks .track')].map(t => [t.querySelector('.name').textContent.replace(/^[▾▸]/, ''), t.querySelector('canvas').getBoundingClientRect().toJSON()])")
main = next(r for n, r in canvases if n == "Main")
x = main["left"] + main["width"] * 989 / high
b.mouse("mouseMoved", x, main["top"] + 4)
b.mouse("mouseMoved", x + 1, main["top"] + 2 + 15 + 6)
check("a hint at the call has its stack and its time: " + text(".tip").replace("\n", " | "), b.wait("document.querySelector('.tip').style.display === 'block' && document.querySelector('.tip').textContent.includes('Load')") and "40.00 ms" in text(".tip") and "Tick" in text(".tip") and "level.cpp:30" in text(".tip"))
# Frame 60 is from 960 ms on, for 50.
frame = [main["left"] + main["width"] * t / high for t in (960, 1010)]
hint = b.run("document.querySelector('.tip').getBoundingClientRect().toJSON()")
frames_track = next(r for n, r in canvases if n == "Frames")
check("... beside the frame and below the frames, the time in a column", (hint["right"] <= frame[0] or hint["left"] >= frame[1]) and hint["top"] >= frames_track["bottom"] and b.run("[...document.querySelectorAll('.tip .num')].every(e => getComputedStyle(e).textAlign === 'right')"))
# Of the pixels at the right end, where "33.3 ms" stands on a ground of its own, the darkest and the lightest.
READ = """(() => { const c = document.querySelector('.tracks canvas'), k = devicePixelRatio, d = c.getContext('2d').getImageData(c.width - 46 * k, 2 * k, 44 * k, 40 * k).data, l = [];
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) l.push([.2126, .7152, .0722].reduce((a, f, j) => { const v = d[i + j] / 255; return a + f * (v > .04045 ? ((v + .055) / 1.055) ** 2.4 : v / 12.92); }, .05));
    return Math.max(...l) / Math.min(...l); })()"""
check("a label outside of the selection is read: contrast %.1f, at least 4.5" % b.run(READ), b.run(READ) >= 4.5)
worker = next(r for n, r in canvases if n == "Worker")
check("a thread's time within the selection: no job is in frame 60", "in calls 0 %" in text(".tracks .track:last-child .now") and worker["height"] > 10)
b.go("#view=timeline&frame=25..25")
check("... in frame 25: 5 of 16 ms are 31 %", b.wait("document.querySelector('.tracks .track:last-child .now')?.textContent.includes('in calls 31 %')"))
b.go("#view=timeline")
check("... in all: 10 jobs of 5 ms in 1634 are 3 %", b.wait("document.querySelector('.tracks .track:last-child .now')?.textContent.includes('in calls 3 %')"))
b.go("#view=timeline&frame=60..60")
b.wait("document.querySelectorAll('.sel .row').length > 1")
check("a row of the selection opens the calls with both", after(lambda: b.click(".sel .row")) and address_has("view") == "calls" and address_has("peek") == "Load" and address_has("frame") == "60..60")

# From 975 to 1000 ms Tick and Load are all the time: the inner one has the only row, the other is in the subtitle.
b.go("#view=timeline&zoom=975000000-1000000000")
check("calls around all that is seen take no row: " + text(".tracks .track .now"), b.wait("[...document.querySelectorAll('.track')].find(t => t.querySelector('.name').textContent.includes('Main')).querySelector('canvas').clientHeight === 24")
      and any(l.endswith("Tick") for l in text(".tracks .track .now").split("\n")))
check("a thread's time: 10 jobs of 5 ms in 1634 are 3 %", "in calls 3 %" in text(".tracks .track:last-child .now"))
b.go("#view=timeline&frame=60..60")

# --- zoom is in the address, and Back undoes it; a range is chosen by a drag
b.run("document.querySelector('.timeline').focus()")
b.key("Escape")
check("Escape clears the selection", b.wait("!new URLSearchParams(location.hash.slice(1)).get('frame')"))
b.wait("document.body.dataset.shown && !!document.querySelector('.timeline')")
time.sleep(0.3)
b.run("document.querySelector('.timeline').focus()")
b.key("w", "KeyW", "w")
check("W zooms in", b.wait("location.hash.includes('zoom=')"))
b.key("n", "KeyN", "n")
check("N goes to the frame over budget", b.wait("(z => z && +z.split('-')[0] < 969e6 && +z.split('-')[1] > 969e6)(new URLSearchParams(location.hash.slice(1)).get('zoom'))"))
zoomed = b.run("location.hash")
b.open(address + zoomed)
check("an address opens the same zoom", b.wait("/zoom \\d+\\.\\d ×/.test(document.querySelector('.timeline').textContent)"))
check("without a zoom it shows all", b.go("#view=timeline") and b.wait("!document.querySelector('.timeline').textContent.includes('×')"))
row = ".tracks .track:first-child canvas"
check("a drag selects frames", after(lambda: b.drag(row, (300, 30), (500, 30))) and bool(address_has("frame")))
low, end = (int(v) for v in address_has("frame").split(".."))
check("... those below the pointer: %d to %d" % (low, end), 0 < low < end < 99)
want = report("tm-top", "--frame", "%d..%d" % (low, end), "calls.tmt")["sections"][0]["totals"][-1]["self_ns"]
after(lambda: b.click("#tabs a[title='key 3']"))
check("the command of the calls has the range", "--frame %d..%d" % (low, end) in command())
check("... and the page its sum of time, %.2f ms" % (want / 1e6), b.wait("document.body.innerText.includes('%.2f ms')" % (want / 1e6)))
check("the chip is clicked, and it is gone", after(lambda: b.click(".chip[data-filter=frame]")) and not address_has("frame"))
check("Back has it again", back() and address_has("frame") == "%d..%d" % (low, end))
p.terminate()
p.wait()

# --- calls and allocations of one capture: a frame's selection is of its time, and of bytes by a button
p, address = serve("both.tmt")
b.open(address + "#view=timeline&frame=20..20")
check("first is who took most, not who allocated: " + text(".sel .row[data-i='0']"), b.wait("document.querySelectorAll('.sel .row').length > 2") and all(t in text(".sel .row[data-i='0']") for t in ("load", "40.0 ms", "level.cpp:30")))
check("... of bytes it is fill", after(lambda: b.run("[...document.querySelectorAll('.card .seg button')].find(e => e.textContent === 'allocated').click()")) and b.wait("document.querySelector('.sel .row')?.textContent.includes('fill')") and
      size(4096) in text(".sel .row[data-i='0']"))
b.go("#view=timeline")
b.run("document.querySelector('.timeline').focus()")
after(lambda: b.key("n", "KeyN", "n"))
check("N selects the first frame over the budget: %s" % address_has("frame"), address_has("frame") == "20..20" and bool(address_has("zoom")))
b.run("document.querySelector('.timeline').focus()")
b.key("f", "KeyF", "f")
# Frame 20 begins at 400 ms and takes 60.
check("... which F then fits", b.wait("(z => z && +z.split('-')[0] > 390e6 && +z.split('-')[1] < 470e6)(new URLSearchParams(location.hash.slice(1)).get('zoom'))", 10))
b.run("document.querySelector('.timeline').focus()")
after(lambda: b.key("n", "KeyN", "n"))
check("the next N: the next one: %s" % address_has("frame"), address_has("frame") == "50..50")
# Of 1580 ms in calls tick has the first 1280, 80 of them in load, and the script's job the last 300.
b.go("#view=calls")
b.wait("document.querySelectorAll('.four .row').length > 2")
DRAWN = """(([at, name]) => { const c = document.querySelector('.four .graph canvas'), d = c.getContext('2d').getImageData(c.width * at, 20, 1, 1).data, m = getComputedStyle(document.documentElement).getPropertyValue(name).trim().match(/\\w\\w/g).map(x => parseInt(x, 16));
    return m.every((v, i) => Math.abs(v - d[i]) < 3); })(%s)"""
check("a script's function has the script's colour, tick that of own code", b.run(DRAWN % '[.9, "--script"]') and b.run(DRAWN % '[.5, "--own"]'))
check("... as the legend says: " + text(".crumbs .legend"), "script" in text(".crumbs .legend") and "own code" in text(".crumbs .legend"))
b.go("#view=tree")
check("the tree says of how many threads its times are: " + text("main h2 small"), b.wait("document.querySelectorAll('main .row').length > 1") and "sum of 2 threads" in text("main h2 small"))
p.terminate()
p.wait()

# --- two builds: frame times side by side; the game's own: 50 ms at worst
subprocess.run(["cp", "calls.tmt", "again.tmt"], check=True)
p, address = serve("calls.tmt", "again.tmt")
b.open(address)
b.go("#view=compare")
check("compare has frame times of both, as tm-frames has them: " + text(".frames-two"), b.wait("!!document.querySelector('.frames-two')") and "worst50.00 ms50.00 ms" in text(".frames-two") and
      all("%.2f ms" % (r["duration_ns"] / 1e6) in text(".frames-two") for t in report("tm-frames", "-n", "0", "calls.tmt")["sections"] if t["name"] == "statistics" for r in t["rows"] if r["statistic"] in ("p50", "p95", "p99")))
p.terminate()
p.wait()

# --- the peak is within a frame, and memory is drawn within frames
p, address = serve("peak.tmt")
b.open(address)
check("the peak of 1000 bytes is in frame 1, though most is left after frame 2: " + text(".tile[data-tile=peak] .top"), b.wait("!!document.querySelector('.rank')") and "1000" in tile("peak") and b.wait("document.querySelector('.tile[data-tile=peak] .top').textContent.includes('frame 1')"))
b.run("[...document.querySelectorAll('.lists .card')].find(c => c.textContent.includes('Worst frames')).querySelector('.rank').id = 'first-worst'")
check("without calls the worst frame has who allocates most in it, and all that it allocated: " + text("#first-worst").replace("\n", " "), all(t in text("#first-worst") for t in ("50.00 ms", "2 missed", "temp", "temp.cpp:8", "← tick← main", "+900 B")))
b.go("#view=timeline")
check("live memory is asked for by steps of time", b.wait("performance.getEntriesByType('resource').some(e => /--chart.*--every/.test(decodeURIComponent(e.name)))"))
check("two sites of one function are one line: " + text(".track .legend"), b.wait("!!document.querySelector('.track .legend')") and sorted(text(".track .legend > span").split("\n")) == ["load", "temp"])
p.terminate()
p.wait()

# --- the budget that fits: of frames of 20 ms with one of 110 it is 33.3 ms, of which 110 are 3.3: 2 missed. Of those of 16 with
# some of 18, 18 is over 16.67 by more than 5 %, but no quarter above half of the frames: one colour, but for frame 60.
AMBER = """(() => { const c = document.querySelector('.tracks canvas'), d = c.getContext('2d').getImageData(0, 0, c.width - 60, c.height).data, s = new Set();
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) s.add([d[i], d[i + 1], d[i + 2]].join()); return ['--o4', '--bad-fill', '--own'].map(n => {
    const m = getComputedStyle(document.documentElement).getPropertyValue(n).trim().match(/\\w\\w/g).map(x => parseInt(x, 16)).join(); return s.has(m); }); })()"""
p, address = serve("slow.tmt")
b.open(address)
check("frames of 20 ms fit 30 Hz: " + tile("worst"), b.wait("document.querySelector('.tile[data-tile=worst] .tag')?.title.includes('3.30 refreshes of 30 Hz')"))
b.go("#view=timeline")
check("... which the track says: " + text(".track .now").replace("\n", " | "), b.wait("document.querySelector('.tracks .now').textContent === '30 Hz fits: median 20.0 ms'"))
check("... and red is the spike alone, nothing is amber", b.run(AMBER) == [False, True, True])
b.go("#view=overview&frame=5..9")
check("a range is judged at the rate of the whole capture: 20 ms are in time at 30 Hz: " + text(".tile[data-tile=worst] .tag"), b.wait("document.querySelector('.tile[data-tile=worst] .tag')?.textContent.startsWith('\u2713 frame ')"))
b.go("#view=timeline&hz=60")
check("a budget that is chosen is taken", b.wait("document.querySelector('.tracks .now').textContent === '60 Hz, budget 16.7 ms'"))
p.terminate()
p.wait()
p, address = serve("late.tmt")
b.open(address)
b.go("#view=timeline")
check("frames that are late by little have the colour of all", b.wait("document.querySelector('.tracks .now').textContent === '60 Hz, budget 16.7 ms'") and b.run(AMBER) == [False, True, True])
# Of modules that with most time is blue, 50 of 90 ms, the second one ochre, the third is as quiet as a library.
KINDS = """import('./tracks.js').then(m => { const rows = [['tick', 'game', 50], ['solve', 'libengine.so', 30], ['unpack', 'libstb.so', 10], ['std::sort', 'game', 5]].map(([f, module, d], i) => ({function: f, module, duration_ns: d, start_ns: 0, thread: 'Main', tid: 1, level: i, file: null})), all = ['game', 'libengine.so', 'libstb.so'];
    m.threads(rows, 0, 1, all); return [all, rows.map(r => r.kind), m.kindsOf(all, rows)]; })"""
kinds = b.run(KINDS)
check("own code has the colour of its module: %s" % kinds, kinds == [["game", "libengine.so", "libstb.so"], ["own", "engine", "library", "library"], [["--own", "game"], ["--engine", "libengine.so"], ["--library", "other modules"]]])
p.terminate()
p.wait()

# --- what came after loading: frame 12 adds 4000 of 5340 bytes, more than a fiftieth, so it is loading; after it come 100 in
# frame 15 and 10 in each of 24 frames. Of these 340, 240 are 70.6 %. The least of each quarter of the frames from 13 on: 0, 40,
# 110 and 180 of drip, which rises until the end; 0, 100, 100, 100 of log, which does not.
p, address = serve("step.tmt")
b.open(address)
later = "[...document.querySelectorAll('.lists .card')].find(c => c.textContent.includes('Allocated after frame 12, still live'))?.textContent"
check("what is live at the end, but from loading", b.wait(later) and all(t in b.run(later) for t in ("340 B", "drip▲ grew240 B70.6%", "log100 B29.4%")) and not any(t in b.run(later) for t in ("load.cpp", "ui::open")))
check("growth is one step: " + tile("growth"), tile("growth") == "+3.9KiB at frame 12" and "1 step" in text(".tile[data-tile=growth] .tag"))
check("... its tile leads to what that frame left", after(lambda: b.click(".tile[data-tile=growth]")) and "--frame 12..12" in command() and "--sort live" in command() and "ui::open" in text(".row"))
p.terminate()
p.wait()

# --- who calls it, library code, short names, transforms
p, address = serve("grow.mem")
b.open(address)
check("a capture without frees: dashes with the reason", tile("peak") == "–" and "no frees" in text(".tile[data-tile=peak] .why"))
check("and what it has: " + tile("allocated"), tile("allocated").replace("KiB", " KiB").replace("  ", " ") == size(150000))
b.go("#view=calls")
b.wait("document.querySelectorAll('.four .row').length > 2")
rows = text(".four .row .cell.text:first-child").split("\n")
check("library code is in its callers: " + ", ".join(rows), "--hide-library" in command() and "fill" in rows and not any("push_back" in r or "new" in r for r in rows))
check("the heaviest is chosen: keep, with its callers", b.wait("document.querySelector('.sandwich .me')?.textContent.includes('keep')") and size(100000) in text(".sandwich .me"))
check("a row is clicked: fill is chosen", after(lambda: b.click(".four .row[data-i='%d']" % next(i for i, r in enumerate(rows) if r == "fill"), (40, 10))) and "fill" in address_has("peek") and
      b.wait("document.querySelector('.sandwich .me').textContent.includes('fill')") and size(50000) in text(".sandwich .me"))
check("Back chooses the one before", back() and not address_has("peek"))
# In the graph: all, main, and below it tick with 100 of 150 kB and fill with 50; below tick is keep.
FOLLOWS = """(n => document.querySelector('.sandwich .me')?.textContent.includes(n) && document.querySelector('.four .row[aria-selected=true]')?.textContent.includes(n)
    && (a => a && new URLSearchParams(a.getAttribute('href').slice(1)).get('fn').startsWith(n) && !a.href.includes('undefined'))([...document.querySelectorAll('.four a[href*="view=source"]')].at(-1)))"""


def follows(name):
    return b.wait("%s(%s)" % (FOLLOWS, json.dumps(name)), 20)


wide = b.place(".four .graph canvas")[2]
b.click(".four .graph canvas", (wide * 5 / 6, 45))
check("a node is clicked: functions, callers and source are of fill", follows("fill") and "fill" in (address_has("peek") or ""))
check("Back: of the one before", back() and follows("keep"))
b.run("document.querySelector('.four .graph canvas').focus()")
b.key("Home")
b.key("ArrowDown")
b.key("ArrowDown")
b.key("ArrowRight")
b.key("Enter")
check("keys and Enter: they are of fill, too, which is zoomed into", follows("fill") and b.wait("new URLSearchParams(location.hash.slice(1)).get('at') === '0.1'"))
b.go("#view=calls")
b.wait("document.querySelectorAll('.four .row').length > 2")
b.run("document.querySelector('.four .tools input').focus()")
b.type("tick")
b.key("Enter")
check("Enter in the search: they are of tick", follows("tick") and (address_has("peek") or "").startswith("tick"))
b.go("#view=calls")
b.wait("document.querySelectorAll('.four .row').length > 2")
check("library code is shown", after(lambda: b.click(".four .switch")) and "--hide-library" not in command() and b.wait("[...document.querySelectorAll('.four .row')].some(r => r.textContent.includes('push_back'))"))
rows = text(".four .row .cell.text:first-child").split("\n")
check("names are short: " + ", ".join(rows), "vector<int>::push_back" in rows)
check("... and long by a switch", after(lambda: b.click("form .switch")) and b.wait("[...document.querySelectorAll('.four .row')].some(r => r.textContent.includes('std::vector<int, std::allocator<int> >::push_back(int&&)'))"))
after(lambda: b.click("form .switch"))
b.wait("document.querySelectorAll('.four .row').length > 2")
x, y, w, h = b.place(".four .row[data-i='1']")
b.mouse("mouseMoved", x + 40, y + 10)
b.mouse("mousePressed", x + 40, y + 10, "right", 2)
b.mouse("mouseReleased", x + 40, y + 10, "right")
check("the right button has a menu with options", b.wait("!!document.querySelector('.context')") and "--focus" in text(".context code") and "--prune-from" in text(".context code"))
check("drop is chosen: the command has it", after(lambda: b.click(".context button:nth-of-type(2)")) and "--ignore" in command() and bool(text(".chip[data-filter=ignore]")))
check("Back undoes it", back() and "--ignore" not in command())
b.go("#view=calls")
check("its source has the numbers of the graph: what the library's code below it has is its own", b.wait("document.querySelector('.sandwich .me')?.textContent.includes('keep')") and
      after(lambda: b.click(".four .row[data-i='%d']" % next(i for i, r in enumerate(text(".four .row .cell.text:first-child").split("\n")) if r == "fill"), (40, 10))) and
      b.wait("[...document.querySelectorAll('.four .source .hot .cost')].filter(e => e.textContent === %s).length === 1" % json.dumps(size(50000))))
check("... in one column, where self and total are the same", text(".four .source th").split("\n") == ["requested" if "requested" in text(".four .source th") else "allocated", "line", "source"])
check("the line of its caller, with the bytes", b.wait("document.querySelector('.lines-of a')?.textContent === %s" % json.dumps("mainmain.cpp:5" + size(50000) + "100.00%")))
b.go("#view=calls")
b.wait("document.querySelectorAll('.four .row').length > 2")
back()
b.wait("document.querySelectorAll('.four .row').length > 2")
row = next(i for i, r in enumerate(text(".four .row .cell.text:first-child").split("\n")) if r == "fill")
x, y, w, h = b.place(".four .row[data-i='%d']" % row)
b.mouse("mousePressed", x + 40, y + 10, "right", 2)
b.mouse("mouseReleased", x + 40, y + 10, "right")
check("the menu collapses recursion and the module: " + text(".context code").replace("\n", ", "), b.wait("!!document.querySelector('.context')") and "--collapse-recursion" in text(".context code") and "--collapse-module '^\\QGame\\E$'" in text(".context code"))
item = b.run("[...document.querySelectorAll('.context button')].findIndex(e => e.textContent.includes('--collapse-module')) + 1")
check("the module is collapsed: the command has it, and a chip", after(lambda: b.click(".context button:nth-of-type(%d)" % item)) and "--collapse-module" in command() and "Game" in text(".chip[data-filter=inside]"))
b.wait("document.querySelectorAll('.four .row').length > 0")
# The library is folded away, all else is of Game: main is left, and all is its own.
rows = report("tm-top", "--by", "function", "--cumulative", "--hide-library", "--collapse-module", "^\\QGame\\E$", "--table", "top", "grow.mem")["sections"][0]["rows"]
check("... the page has the command's rows: main with %s" % size(150000), [(r["function"], r["real"]) for r in rows] == [("main", 150000)] and text(".four .row:not(.total) .cell.text:first-child") == "main" and
      size(150000) in text(".four .row:not(.total)"))
check("the chip takes that one back", after(lambda: b.click(".chip[data-filter=inside]")) and "--collapse" not in command())
b.key("?", "Slash", "?")
check("? shows the keys", b.wait("document.getElementById('help').open") and "select a range" in text("#help"))
b.key("Escape")
b.go("#view=table&focus=nothing+has+this+name")
check("nothing is left: a button clears the filters", b.run("!!document.querySelector('main button')") and after(lambda: b.click("main .empty button")) and not address_has("focus"))
# A word that a program refuses, typed into the address.
for wrong, why in (("focus=(", "column 2: missing closing parenthesis"), ("frame=abc", "'abc' is not a frame number"), ("sort=abc", "'abc' is not one of its values"), ("by=site&then=abc", "'abc' is not one of its values")):
    b.go("#view=table&" + wrong)
    key = wrong.rsplit("=", 1)[0].split("&")[-1]
    check("%s in the address: the view says why, and what takes it away: %s" % (wrong, text("main .void")), why in text("main .void") and why in text("#alerts"))
    check("... and at its field, where it has one", (why in text("#filters [role=alert]")) == (key == "focus"))
    check("... a click takes it away, and the table is there", after(lambda: b.click("main .void button")) and not address_has(key) and b.wait("document.querySelectorAll('main .row').length > 1"))
p.terminate()
p.wait()

# --- two names that are short alike: each has what tells it from the other
p, address = serve("twins.mem")
b.open(address)
b.run("localStorage.setItem('names', 'short')")
b.open(address)
b.go("#view=table&by=function")
names = b.run("[...document.querySelectorAll('main .row:not(.total)')].map(r => r.children[0].textContent)")
check("overloads have their parameters, what is alone has none: " + ", ".join(names), [n for n in names if "push_back" in n] == [
    "vector<int>::push_back", "vector<char>::push_back(char const&)", "vector<char>::push_back(char&&)"])
b.go("#view=table&by=function&search=const")
check("... also where one is in sight", b.wait("[...document.querySelectorAll('main .row:not(.total)')].map(r => r.children[0].textContent).join() === 'vector<char>::push_back(char const&)'"))
b.run("window.painted = []; const f = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function (t, ...a) { painted.push(t); return f.call(this, t, ...a); }")
b.go("#view=flame&lib=1")
check("... in the graph: " + ", ".join(b.run("painted")), b.wait("['vector<int>::push_back', 'vector<char>::push_back(char const&)', 'vector<char>::push_back(char&&)'].every(t => painted.includes(t))", 10))
p.terminate()
p.wait()

# --- the tiles are the program's numbers; growth; live memory by type adds up to what is live
p, address = serve("whole.tmt")
b.open(address)
n = report("tm-top", "whole.tmt")["numbers"]
check("peak: " + tile("peak"), tile("peak").replace("≥ ", "") == size(n["peak_real"]).replace(" ", ""))
check("live: " + tile("live"), tile("live").replace("≥ ", "") == size(n["live_real"]).replace(" ", ""))
check("temporary: " + tile("temporary"), tile("temporary").replace("≥ ", "") == "%.2f%%" % n["temporary_percent"])
check("... and its blocks, those before the first frame, too", "{:,} blocks".format(n["temporary_blocks"]) in text(".tile[data-tile=temporary] .top"))
frames = report("tm-frames", "whole.tmt")
growth = frames["numbers"]["growth_per_frame"]
begins = lambda shown, growth: shown.lstrip("~").startswith("+" if growth > 0 else "−" if growth < 0 else "none")
check("growth: %s of %s" % (tile("growth"), growth), begins(tile("growth"), growth) and "/ frame" in tile("growth"))
rows = [r for r in frames["sections"][0]["rows"] if r["frame"] is not None]
lines = report("tm-frames", "--chart", "live-real", "-n", "3", "whole.tmt")["sections"][0]
check("live memory by type: three types and the others", len(lines["lines"]) == 4 and lines["lines"][3]["key"] == "others")
shown = b.run("location.hash")
b.go("#view=calls&sort=live")
heads = b.wait("document.querySelectorAll('.four .row').length > 2") and text(".four [role=columnheader]").split("\n")
check("calls: the numbers beside the shares are those of the graph: %s" % heads, "still live total" in heads and "allocated total" not in heads and text(".four .card .hd .grows > .faint").split("\n") == ["still live", "still live"])
first = report("tm-top", "--by", "function", "--cumulative", "--hide-library", "--sort", "live", "-n", "1", "--table", "top", "whole.tmt")["sections"][0]["rows"][0]
nodes = report("tm-top", "--by", "stack", "--hide-library", "--sort", "live", "-n", "1", "--table", "stacks", "whole.tmt")["sections"][0]["nodes"]
cells = b.run("[...document.querySelectorAll('.four .row[data-i=\"0\"] .cell')].map(e => e.textContent)")
check("... size and share have one base, all of the graph: %s" % cells, size(first["total_live_real"]) in cells and "%.2f%%" % (100 * first["total_live_real"] / sum(n["self"] for n in nodes)) in cells)
b.go(shown)
check("... adds up to what is live after each frame", [sum(l["y"][i] for l in lines["lines"]) for i in range(len(rows))] == [r["live_real"] for r in rows])
allocated = report("tm-frames", "--chart", "real", "--by", "thread", "whole.tmt")["sections"][0]
check("... and what threads allocate to what is allocated", [sum(l["y"][i] for l in allocated["lines"]) for i in range(len(rows))] == [r["real"] for r in rows])
part = report("tm-top", "--frame", "10..19", "whole.tmt")["numbers"]
b.go("#view=overview&frame=10..19")
check("a range: the tiles are of it: " + tile("peak"), tile("peak").replace("≥ ", "") == size(part["peak_real"]).replace(" ", ""))
growth = report("tm-frames", "--frame", "10..19", "whole.tmt")["numbers"].get("growth_per_frame")
check("... growth, too: %s of %s" % (tile("growth"), growth), growth is not None and begins(tile("growth"), growth))
b.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=os.path.abspath("saved"))
b.go("#view=calls")
b.wait("document.querySelectorAll('.four .row').length > 2")


def save(kept):
    b.click("#save")
    return b.wait("document.getElementById('took').textContent.startsWith('saved as')", 90) and b.wait("!document.body.inert") and any(time.sleep(0.1) or os.path.exists(kept) and open(kept).read().rstrip().endswith("</html>") for _ in range(100))


kept = "saved/calls-whole.tmt.html"
check("the view is saved as one file: " + text("#took"), save(kept) and os.path.exists(kept) and "<script>" in open(kept).read() and "http://" not in open(kept).read())
HEADS = "[...document.querySelectorAll('main [role=columnheader]')].map(e => e.textContent.replace(/ [▾▴]$/, ''))"


def heads(state, *wanted):
    b.go(state)
    b.wait("document.querySelectorAll('main .row').length > 1")
    shown = b.run(HEADS)
    check("%s: %s are in sight of %s" % (state, ", ".join(wanted), ", ".join(shown)), all(w in shown for w in wanted))


def narrow():
    b.size(800, 900)
    b.wait("(g => g && g.clientWidth < 800)(document.querySelector('.grid'))")


# What a table is ranked by is there, and what the share is of.
for sort, column in ("temporary", "temporary"), ("peak", "peak"), ("lifetime", "lifetime"):
    heads("#view=table&sort=" + sort, "file", column, *(["share"] if sort != "lifetime" else []))
heads("#view=compare&basef=1..20&newf=21..40", "base", "new", "%")
heads("#view=frames", "frame", "start")
narrow()
heads("#view=table&sort=live", "file", "still live", "share")
heads("#view=frames", "frame", "start")
b.size(1400, 900)
b.go("#view=table")
narrow()
time.sleep(0.3)
check("a table at 800 pixels: place and share are in sight, nothing scrolls", b.run("(g => g.scrollWidth <= g.clientWidth)(document.querySelector('.grid'))") and all(c in text("[role=columnheader]").split("\n") for c in ("file", "share")))
check("... and the page does not scroll sideways", b.run("document.documentElement.scrollWidth <= 800"))
p.terminate()
p.wait()

# --- what is asked amiss can be asked again; limits of frames are of durations; what is saved is what is seen
p, address = serve("calls.tmt")
b.open(address)
check("the overview's command prints its lists: " + command(), command() == "tm-top -n 30 calls.tmt")
b.go("#view=spikes&threshold=foo")
check("a threshold that is none: %s" % text("#alerts"), "'foo' is not a time" in text("#alerts") and "no answer" in text("#whole") and "good" not in b.run("document.getElementById('whole').className"))
check("... another one can be given", after(lambda: b.run("(e => { e.value = '30ms'; e.onchange(); })(document.querySelector('main .tools input'))")) and "Load" in text(".row") and "complete" in text("#whole"))
b.go("#view=frames&spike=foo")
check("... and another limit of frames", "no answer" in text("#whole") and b.run("document.querySelector('main .tools input').value") == "foo")
# 99 frames of 16 ms, one of 50: of durations the median is 16, 3 times that 48.
b.go("#view=frames")
row = text(".row .cell[role=gridcell]").split("\n")
check("runs of frames have units, and a metric: %s" % row[:8], row[:8] == ["3x", "48.00 ms", "60", "60", "1", "60", "50.00 ms", "duration"] and text("[role=columnheader]").split("\n")[:8] == ["rule", "limit", "first", "last", "frames", "worst frame", "its value", "metric"])
b.go("#view=calls&peek=Load")
b.wait("document.querySelector('.sandwich .me')?.textContent.includes('Load')")
check("calls: the command prints the chosen function: " + command(), "--peek '^\\QLoad (level.cpp)\\E$'" in command() and "json" not in command())
kept = "saved/calls-calls.tmt.html"
save(kept)
b.open("file://" + os.path.abspath(kept))
check("... and the file that is saved opens at it: " + text("#whole"), b.wait("document.querySelector('main').textContent.includes('level.cpp')") and "complete" in text("#whole"))
VIEWS = "overview", "timeline", "frames", "calls", "flame", "tree", "table", "callers", "compare"
kept = []
for view in VIEWS:
    b.go("#peek=Load&view=" + view)
    kept.append((view, b.wait("document.querySelector('main').getAttribute('aria-busy') === 'false'") and text("#whole"), text("#alerts")))
check("... and the answers of all other views: %s" % kept, all(k == (v, "● complete", "") for v, k in zip(VIEWS, kept)))
b.go("#view=overview")
b.wait("document.querySelectorAll('a.rank').length > 0")
links = b.run("[...new Set([...document.querySelectorAll('main a')].map(e => e.hash))].filter(h => h !== location.hash)")
told = []
for link in links:
    b.go(link)
    told.append(text("#whole"))
check("... also of the %d that the overview leads to" % len(links), len(links) > 5 and set(told) == {"● complete"})
b.go("#view=table&by=thread&focus=Nothing")
check("... what it does not have is said, and it is not complete: " + text("#whole"), "parts of this view were not saved" in text("#whole"))
b.open(address)
b.go("#view=compare&basef=1..9")
check("compare: one range alone asks for the other", "Give a new range, too." in text("main") and command() == "")
b.go("#view=compare&basef=foo&newf=1..9")
check("... what is no range is said, and stays in its field", "'foo' is not a frame number" in text("#alerts") and b.run("[...document.querySelectorAll('main input')].some(e => e.value === 'foo')"))
b.go("#view=compare&newf=1..9&frame=60..70")
check("... a selection is taken as one of them", after(lambda: b.run("[...document.querySelectorAll('main button')].find(e => e.textContent === 'selection as base').click()")) and "--base-frame 60..70 --new-frame 1..9" in command())
p.terminate()
p.wait()

# --- the end of a run is seen: all but 1 of 40 KB is freed in the last frame, which has no end
p, address = serve("ends.tmt")
b.open(address)
b.go("#view=timeline")
b.run("window.drawn = []; (f => { CanvasRenderingContext2D.prototype.fillText = function (t, ...at) { drawn.push(t); return f.call(this, t, ...at); }; })(CanvasRenderingContext2D.prototype.fillText); document.documentElement.dataset.theme = 'dark'; document.dispatchEvent(new Event('themechange'))")
check("what is live at the end is said where the line falls at its edge: %s" % b.run("[...new Set(drawn)].filter(t => t.includes('end')).join()"), b.wait("drawn.includes('1.0 KiB at the end')"))
# --- one number everywhere: that of the programs
p, address = serve("tiny.tmt")
b.open(address + "#view=timeline")
b.wait("document.querySelectorAll('.track .now').length > 3")
# 4 of 399.901 ms, and 199.901. Bars stand for many calls, with the gaps between them.
check("a thread's time in calls is that of its calls: " + text(".track .now").replace("\n", " | "), all("in calls %d %%" % n in text(".track .now").split("\n") for n in (1, 50)))
b.go("#view=timeline&time=0ns..100000000ns")
# Busy is one call; Main has 1000 calls of 1 us in 100 ms.
check("... of the selection: " + text(".track .now").replace("\n", " | "), b.wait("[...document.querySelectorAll('.track .now')].map(e => e.textContent).filter(t => t.includes('in calls')).join() === 'in calls 1 %'"))
b.go("#view=overview")
check("totals are of all 51 functions, not of the first 30: " + tile("calls"), b.wait("document.querySelector('.tile[data-tile=calls] .v')?.textContent === '4,002'") and tile("self_ns") == "203.90ms")
check("the session ends with the last call, not with a step", b.wait("[...document.querySelectorAll('.card')].some(e => e.textContent.includes('The whole session399.90 ms'))"))
p.terminate()
p.wait()
p, address = serve("once.tmt")
b.open(address)
check("a frame without an end has no duration", b.wait("document.querySelector('main').textContent.includes('The whole session10.00 ms')") and tile("worst") == "–")
p.terminate()
p.wait()
p, address = serve("load.tmt")
b.open(address)
mean = next(r["count"] for t in report("tm-frames", "load.tmt")["sections"] if t["name"] == "statistics" for r in t["rows"] if r["statistic"] == "mean")
check("allocations of a frame are without what came before the first: " + tile("allocations"), mean == 3 and b.wait("document.querySelector('.tile[data-tile=allocations] .v').textContent === '3/ frame'"))
b.go("#view=overview&focus=step")
kept = report("tm-top", "--focus", "step", "load.tmt")
b.wait("document.querySelector('.tile[data-tile=temporary] .v').textContent === '50.00%'")
check("tiles are of what a filter keeps: 20 blocks of 10 bytes are live of 40, each second is temporary: " + text(".tile .v").replace("\n", " "), kept["sections"][0]["totals"][-1]["live_requested"] == 200 and
      tile("live") == "200B" and "20 blocks" in text(".tile[data-tile=live]") and "40 total" in text(".tile[data-tile=allocations]") and tile("allocations") == "2/ frame" and tile("temporary") == "50.00%")
# At the peak, 5000 bytes are of load, 190 of step, 10 are the newest of step, and 7 of Worker: 190 and 10 of 5207.
check("... and the peak says that it is not: " + text(".tile[data-tile=peak]"), "unfiltered" in text(".tile[data-tile=peak]") and tile("peak") == size(kept["numbers"]["peak_requested"]).replace(" ", "") and
      "100" not in text(".lists .card:first-child .part"))
b.go("#view=overview&thread=Worker")
check("of a thread that frees all it is known that nothing is live: " + text(".tile[data-tile=live]"), b.wait("document.querySelector('.tile[data-tile=live] .v').textContent === '0B'") and not any(t in text(".tiles") for t in ("no frees", "no times", "step")))
p.terminate()
p.wait()
p, address = serve("order.tmt")
b.open(address)
b.wait("document.body.textContent.includes(', still live')")
after_loading = b.run("(c => c ? c.querySelector('.hd').textContent : '')([...document.querySelectorAll('.lists .card')].find(c => c.textContent.includes(', still live')))")
check("where frame numbers go back, loading ends at a time, and no more is live of what came then than of all: " + after_loading, tile("live") == "100B" and "frame" not in after_loading and "100 B" in after_loading)
b.wait("document.body.textContent.includes('The whole session') && !!document.querySelector('.chain span')")
check("a mark that turns the direction is written out, in callers, too: " + text(".chain").replace("\u202e", "RAW").replace("\n", " "), "a\\u{202e}b" in text(".chain") and "\u202e" not in text("main"))
p.terminate()
p.wait()
p, address = serve("tenth.tmt")
b.open(address + "#view=timeline")
b.wait("!!document.querySelector('.tracks .now').textContent")
check("30 Hz does not fit frames of 100 ms: " + text(".tracks .track:first-child .now"), text(".tracks .track:first-child .now") == "30 Hz, budget 33.3 ms: median 100.0 ms")
p.terminate()
p.wait()
p, address = serve("late.tmt", "slow.tmt")
b.open(address + "#view=overview")
ranks = {r["statistic"]: r["duration_ns"] / 1e6 for t in report("tm-frames", "-n", "0", "late.tmt", "slow.tmt")["sections"] if t["name"] == "statistics" for r in t["rows"]}
check("the worst frame of two captures, and whose it is: " + text(".tile[data-tile=worst]"), b.wait("document.querySelector('.tile[data-tile=worst] .v').textContent === '110.00ms'") and "slow.tmt" in text(".tile[data-tile=worst]"))
check("... and their p50 and p99: " + text(".lists .sp").replace("\n", " "), b.wait("[...document.querySelectorAll('.lists .sp')].some(e => e.textContent === %s)" % json.dumps("p50 %.1f \u00b7 p99 %.1f ms" % (ranks["p50"], ranks["p99"])), 10))
check("... a line along time says of which it is", "The first filelate.tmt" in text("main .card"))
p.terminate()
p.wait()
p, address = serve("late.tmt")
b.open(address + "#view=overview&frame=0..2")
# Frames 0 to 2 take 18, 16 and 16 ms.
check("p50 and p99 are of the range: " + text(".lists .sp").replace("\n", " "), b.wait("[...document.querySelectorAll('.lists .sp')].some(e => e.textContent === 'p50 16.0 \u00b7 p99 18.0 ms')", 10))
p.terminate()
p.wait()

# --- sizes that the capture does not have; less is one colour in table and graph
p, address = serve("plain.heaptrack")
b.open(address)
want = report("tm-top", "--table", "top", "plain.heaptrack")["sections"][0]["rows"][0]
most = b.run("(c => c ? c.querySelector('.rank .value').textContent : '')([...document.querySelectorAll('.lists .card')].find(c => c.textContent.includes('Who allocates most')))")
check("who allocates most has the bytes that are known: " + most, want["real"] is None and most == size(want["requested"]))
p.terminate()
p.wait()
p, address = serve("whole.tmt", "plain.tmt")
b.open(address + "#view=compare&by=type")
b.wait("document.querySelectorAll('.cell.num.good').length > 0")
less = b.run("getComputedStyle(document.querySelector('.cell.num.good')).color")
check("a number that is less is blue, as its name in the graph is: " + less, less == b.run("(e => { e.style.color = 'var(--less)'; document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c; })(document.createElement('p'))") and
      less != b.run("(e => { e.style.color = 'var(--good)'; document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c; })(document.createElement('p'))"))
check("the graph says which colour is which", text(".tools .scale") == "grewshrank")
b.run("document.querySelector('.graph canvas').scrollIntoView({block: 'center'})")
time.sleep(0.3)
b.go("#view=compare")
check("places of sites are in sight: two sites of one function differ in them", b.wait("[...document.querySelectorAll('[role=columnheader]')].some(e => e.textContent === 'file')", 10))
b.go("#view=compare&by=type")
b.run("document.querySelector('.graph canvas').scrollIntoView({block: 'center'})")
time.sleep(0.3)
shade = b.run("(c => { const d = c.getContext('2d').getImageData(3, 8, 1, 1).data; return [d[0], d[1], d[2]]; })(document.querySelector('.graph canvas'))")
check("... and all, of which there is less, is blue there: " + str(shade), shade[2] > shade[0] + 30)
p.terminate()
p.wait()

# --- of two files, each row says of which it is: the same frame, the same line of the log
p, address = serve("none.txt", "calls.tmt", "slow.tmt")
b.open(address)
CELLS = "[...document.querySelectorAll('main section.panel')].filter(p => p.querySelector('h2')?.textContent.includes(%s)).flatMap(p => [...p.querySelectorAll('.row')].map(r => [...r.children].map(c => c.textContent).join('|')))"
b.go("#view=spikes")
rows = b.run(CELLS % json.dumps("the worst"))
# Half of the calls take 20.00 ms, and a bucket's middle is 20.05: it is an estimate, and said to be.
heads = b.run("[...document.querySelectorAll('main [role=columnheader]')].map(e => e.textContent)")
check("percentiles from buckets have their sign: " + ", ".join(heads[:6]), "p95 ~" in heads and "median ~" in heads)
check("slow calls of two files: " + str(rows[:2]), rows[0].startswith("Tick|slow.tmt||110.00 ms") and rows[1].startswith("Tick (game.cpp)|calls.tmt|game.cpp:10|49.00 ms"))
check("what could not be read is said once", text("#alerts").count("unknown capture format") == 1)
b.go("#view=frames&file_only=")
rows = b.run(CELLS % json.dumps("runs of consecutive"))
check("frames above a limit have their file: " + str(rows), any("slow.tmt" in r and "110.00 ms" in r for r in rows))
check("the worst frame's button has its file: " + text("#worst"), text("#worst") == "worst frame 60 \u00b7 slow.tmt")
log = report("tm-frames", "--detail", "--table", "log", "unreal.csv", "log.csv")["sections"][0]["rows"]
check("a line of the log has its capture", [(r["capture"], r["text"]) for r in log] == [(k, t) for k in (1, 2) for t in ("LevelLoad", "Boss", "Shake##1.25")])
p.terminate()
p.wait()

# --- a file that was cut: in plain words, and where
p, address = serve("cut.tmt", "calls.tmt")
b.open(address + "#view=overview")
check("a file that ends early says at which byte: " + text("#alerts"), "The file ends too early, at byte 600: what begins at byte " in text("#alerts") and "needs" not in text("#alerts"))
p.terminate()
p.wait()

# --- lengths and ranges: 60 frames of 16.6 ms and one of 2 s are 2.996 s; a frame that a time cuts is in it
with open("last.csv", "w") as f:
    f.write("fr,dt,load (%)\n" + "".join("%d,%s,50.0\n" % (i, 2000 if i == 60 else 16.6) for i in range(61)))
subprocess.run(["tm-import", "-q", "--columns", "frame=fr,duration=dt:ms,counter=load (%):%", "-o", "last.tmt", "last.csv"], check=True)
p, address = serve("last.tmt")
b.open(address)
check("the last frame counts: " + text(".card"), b.wait("document.body.textContent.includes('3.00 s \u00b7 61 frames')", 5))
p.terminate()
p.wait()
p, address = serve("calls.tmt")
b.open(address)
b.go("#view=timeline&time=8ms..40ms")
rows = report("tm-frames", "--time", "8ms..40ms", "-n", "0", "calls.tmt")["sections"][0]["rows"]
check("8 to 40 ms are in frames 0, 1 and 2: " + text(".card .hd"), len(rows) == 3 and b.wait("document.querySelector('.card .hd')?.textContent.includes('3 frames \u00b7 32.00 ms')", 5))
b.go("#view=timeline&time=8ms..48ms")
check("... and frame 3 begins at 48, which is in the range: " + text(".card .hd"), b.wait("document.querySelector('.card .hd')?.textContent.includes('4 frames \u00b7 ')", 5) and len(report("tm-frames", "--time", "8ms..48ms", "-n", "0", "calls.tmt")["sections"][0]["rows"]) == 4)
b.go("#view=frames&time=8ms..40ms")
check("the view of frames has a range's three: " + command(), b.wait("[...document.querySelectorAll('main h2')].some(h => h.textContent.startsWith('3 of 100 frames'))", 5) and "--time 8ms..40ms" in command()
      and b.run("[...document.querySelectorAll('main .grid')].at(-1).getAttribute('aria-rowcount')") in ("3", "4", "5"))
check("... of which the worst is none of the others: " + text("#worst"), text("#worst") in ("worst frame 0", "worst frame 1", "worst frame 2"))
b.go("#view=overview&frame=60")
check("frame=60 is frame=60..60: " + tile("worst"), b.wait("document.querySelector('.tile[data-tile=worst] .v')?.textContent === '50.00ms'", 5) and "--frame 60..60" in command())
b.go("#view=timeline&frame=98..")
check("frame=98.. has the last two: " + text(".card .hd"), b.wait("document.querySelector('.card .hd')?.textContent.includes('2 frames \u00b7 ')", 5))
p.terminate()
p.wait()

# --- two files: frames 10 to 19 of late are 7 of 16 ms and 3 of 18, 166 ms; those of slow are 10 of 20. Slow is the longer one,
# 99 * 20 + 110 = 2090 ms. Of tiny and step only step has frames, of 16 ms, and memory: 1000 + 4000 + 100 + 24 * 10 = 5340 bytes.
p, address = serve("late.tmt", "slow.tmt")
b.open(address)
b.go("#view=timeline&frame=10..19")
check("a selection has the frames and the time of both files: " + text(".card .hd"), b.wait("document.querySelector('.card .hd')?.textContent.includes('20 frames \u00b7 366.00 ms')", 5))
check("... the axis has all frames, and is as long as the longer file: " + text(".track.map .name"), text(".track.map .name") == "2.09 s \u00b7 100 + 100 frames")
p.terminate()
p.wait()
p, address = serve("tiny.tmt", "step.tmt")
b.open(address + "#view=overview")
check("what the first file does not have is of the second: " + tile("worst"), b.wait("document.querySelector('.tile[data-tile=worst] .v')?.textContent === '16.00ms'", 5))
check("... its peak, and what is live: %s, %s" % (tile("peak"), tile("live")), tile("peak") == tile("live") == "5.2KiB")
check("... and the strip: " + text(".card h2"), "The first file with frames" in text(".card h2").split("\n") and "step.tmt \u00b7 " in text(".card .faint"))
p.terminate()
p.wait()

# --- lines of the log stand on the axis of time
p, address = serve("unreal.csv")
b.open(address)
b.go("#view=timeline")
b.wait("[...document.querySelectorAll('.track')].some(t => t.textContent.includes('Log'))")
index = b.run("[...document.querySelectorAll('.track')].findIndex(t => t.textContent.includes('Log'))")
b.run("[...document.querySelectorAll('.track')][%d].scrollIntoView({block: 'center'})" % index)
check("the log is a track of 3 lines", b.wait("[...document.querySelectorAll('.track')][%d].textContent.includes('3 lines')" % index, 10))
x, y, w, h = b.run("(r => [r.x, r.y, r.width, r.height])([...document.querySelectorAll('.track')][%d].querySelector('canvas').getBoundingClientRect())" % index)
frames = report("tm-frames", "unreal.csv")["sections"][0]["rows"]
end = max(r["start_ns"] + (r["duration_ns"] or 0) for r in frames if r["start_ns"] is not None)
b.mouse("mouseMoved", x + w * 2948450000 / end + 9, y + h / 2)
b.mouse("mouseMoved", x + w * 2948450000 / end + 1, y + h / 2)
check("hovering tells both lines of a moment", b.wait("document.body.innerText.includes('Boss') && document.body.innerText.includes('Shake##1.25')"))
p.terminate()
p.wait()

# --- what a heap holds: dominators as a graph, the paths to what is chosen in it, what is there twice, what is new
p, address = serve("heap.snap")
b.open(address + "#view=heap")
rows = report("tm-heap", "--dominators", "--min", "0.1", "-n", "4000", "heap.snap")["sections"][0]["rows"]
b.wait("document.querySelectorAll('.held .ways .box').length > 1")
check("dominators: a graph of %d nodes" % len(rows), b.wait("document.querySelector('.held .folded')?.textContent.includes('%d nodes')" % len(rows)))
check("each path ends at the object", b.run("(me => [...document.querySelectorAll('.held .way')].every(w => { const r = w.getBoundingClientRect(); return me.left < r.left + r.width / 2 && r.left + r.width / 2 < me.right; }))(document.querySelector('.held .box.me').getBoundingClientRect())"))
first = next(r for r in rows if r["object"])
check("the one that holds most is chosen: " + first["object"], first["object"] in text(".held .box.me"))
# Of the second row of the graph, the rightmost that is wide enough: what is beneath (all), by its part of the bytes.
beneath = [r for r in rows if r["_depth"] == 1 and r["object"]]
x, y, w, h = b.place(".held canvas")
at = beneath[0]["retained"] + beneath[1]["retained"] / 2
b.click(".held canvas", (w * at / rows[0]["retained"], 18 + 9))
check("another is clicked: " + beneath[1]["object"], b.wait("document.querySelector('.held .box.me')?.textContent.includes(%s)" % json.dumps(beneath[1]["object"])))
b.go("#view=heap&who=" + "%5E%5CQGame.Inventory%5CE%24")
check("a type is named as it is: " + text("h2 small").split("\n")[0], "who holds Game.Inventory" in text("h2 small").split("\n"))
held = next(r for r in rows if r["type"] == "Game.Inventory")
b.go("#view=heap&who=" + held["object"])
for k, r in enumerate(report("tm-heap", "--who", held["object"], "--paths", "10", "heap.snap")["sections"][1]["rows"][:6]):
    column = text(".ways .way:nth-of-type(%d)" % (k + 1))
    through = [t.rsplit(" ", 1) for t in (r["through"] or "").split(" -> ")[::2]]
    check("path %d: %s, through %d" % (k + 1, r["path"], r["distance"] - 1), len(through) == r["distance"] - 1 + (not r["through"]) and all(part in column for t in through for part in t if part) and
          (r["through"] or " -> " + r["path"]).rsplit(" -> ", 1)[1] in column)
b.go("#view=heap")
wasted = report("tm-heap", "--duplicates", "-n", "100", "heap.snap")["sections"][0]
b.wait("[...document.querySelectorAll('.panel')].some(p => p.textContent.includes('Duplicates'))")
twice = b.run("[...document.querySelectorAll('.panel')].find(p => p.textContent.includes('Duplicates')).textContent")
check("what is there twice: %d" % len(wasted["rows"]), len(wasted["rows"]) == 3 and all(r["type"] in twice for r in wasted["rows"]))
p.terminate()
p.wait()
p, address = serve("before.tmt", "after.tmt")
b.open(address + "#view=heap")
check("two snapshots: only what is new, by a switch", b.wait("!!document.querySelector('.panel .switch')") and after(lambda: b.click(".panel .switch")) and "--set add" in command())
want = report("tm-heap", "--set", "add", "--by", "type", "before.tmt", "after.tmt")["sections"][0]["rows"]
check("... its types: %d" % len(want), all(r["type"] in text("main .grid") and size(r["size"]).replace(".0 B", " B") in text("main .grid") for r in want))
p.terminate()
p.wait()

# --- a heap profile, which has sums and no events
p, address = serve("leaks.log")
b.open(address)
b.go("#view=table")
b.wait("document.querySelectorAll('.row').length > 1")
check("a heap profile has its rows", "f3" in b.run("document.body.innerText") and "40 B" in b.run("document.body.innerText"))
p.terminate()
p.wait()

# --- a folder: one session
p, address = serve("night")
b.open(address)
b.go("#view=frames")
check("a folder is one session: its frames", b.wait("document.querySelectorAll('.row').length > 20"))
check("... its command is one that reads folders: " + command(), command().startswith("tm-view --query ") and command().endswith(" night"))
b.go("#view=overview")
check("... and each file has a note", b.wait("document.querySelector('#alerts details')?.textContent.includes('lua.tmt (a recording of the Lua module): its clock is off by at most ')"))
BLANK = "[...document.querySelectorAll('.tracks canvas')].filter(c => { const r = c.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight && c.width === 300; }).length"
columns = "['.tiles', '.lists'].map(s => getComputedStyle(document.querySelector(s)).gridTemplateColumns.split(' ').length).join()"
b.size(800, 900)
check("a window that becomes narrow has no more columns than one that is opened so: " + b.run(columns), b.wait(columns + " === '3,2'", 5))
b.size(1400, 900)
b.run("location.hash = '#view=timeline'")
b.run("location.reload()")
b.wait("document.querySelectorAll('.tracks canvas').length > 4 && !!document.body.dataset.shown")
time.sleep(0.5)
# A canvas that nobody has drawn on is 300 pixels wide.
check("all tracks in sight are drawn as soon as the page is there: %d are not" % b.run(BLANK), b.run("innerHeight") == 900 and b.run(BLANK) == 0)
b.size(1400, 420)
b.run("location.reload()")
time.sleep(0.5)
b.wait("document.querySelectorAll('.tracks canvas').length > 4 && !!document.body.dataset.shown")
b.run("document.querySelector('main').scrollTop = 9999")
check("... and those that a scroll brings into sight", b.wait(BLANK + " === 0", 5))
b.size(1400, 900)
b.go("#view=overview")
b.wait("document.querySelector('#alerts details')")
check("... also that of the clock", "native.tmt (a recording of tm-record): its clock and frames are the session's" in b.run("document.querySelector('#alerts').textContent"))
p.terminate()
p.wait()

# --- no number of a table is cut, in narrow windows, too
p, address = serve("calls.tmt", "slow.tmt")
b.open(address)
CUT = "[...document.querySelectorAll('main .cell.num')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent).join()"
for width, view, least in ((1400, "compare", "+201.15%"), (800, "callers&peek=Tick", "100.00%"), (800, "table&by=function", "100.00%")):
    b.size(width, 900)
    b.go("#peek=Load&view=" + view)
    b.wait("document.querySelectorAll('main .cell.num').length > 3")
    check("%s at %d px: no number is cut: %s" % (view, width, b.run(CUT)), b.run(CUT) == "" and least in b.run("[...document.querySelectorAll('main .cell.num')].map(e => e.textContent).join()"))
b.size(1400, 900)
p.terminate()
p.wait()

# --- functions of one name in two files: each row has the line and the module of its own
p, address = serve("one.ht", "two.ht")
b.open(address + "#view=calls")
b.wait("document.querySelectorAll('.four .row').length > 3")
rows = b.run("[...document.querySelectorAll('.four .row')].map(r => [...r.querySelectorAll('.cell')].map(c => c.textContent).join(' ')).filter(t => t.startsWith('a::load'))")
check("namesakes: each has its costliest line and its module: " + " | ".join(rows), len(rows) == 2 and "two.cpp:8" in rows[0] and rows[0].endswith(" two") and "one.cpp:3" in rows[1] and rows[1].endswith(" one"))
check("... and what has the sum of both says so", b.wait("document.querySelector('[data-alike]')?.textContent.startsWith('The sum of 2 functions of this name')") and size(10000) in text(".sandwich .me"))

# --- the right button has the same menu in a flame graph of its own
b.go("#view=flame")
b.wait("document.querySelector('main .graph canvas')?.clientHeight > 20")
x, y, w, h = b.place("main .graph .rows")
b.mouse("mouseMoved", x + 40, y + 28)
b.mouse("mousePressed", x + 40, y + 28, "right", 2)
b.mouse("mouseReleased", x + 40, y + 28, "right")
check("the right button has a menu in Flame, too", b.wait("document.querySelector('.context code')?.textContent.startsWith('--focus')", 5) and address_has("view") == "flame")
p.terminate()
p.wait()

# --- a type that was clicked is named as it is, not as a pattern
p, address = serve("before.tmt")
kind = next(r["type"] for x in report("tm-heap", "before.tmt")["sections"] for r in x.get("rows", []) if r.get("type"))
b.open(address + "#" + urllib.parse.urlencode({"view": "heap", "who": "^\\Q" + kind + "\\E$"}))
heads_of = "[...document.querySelectorAll('main h2')].map(e => e.textContent)"
check("no heading has a pattern's quotes: " + kind, b.wait("(h => h.some(t => t.startsWith(%s)) && !h.some(t => t.includes('\\\\Q')))(%s)" % (json.dumps(kind + ":"), heads_of)))
p.terminate()
p.wait()

complaints = b.complaints()
check("nothing on the console: " + " ".join(complaints), not complaints)
b.close()
finish()
