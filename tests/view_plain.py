# SPDX-License-Identifier: MIT
"""The walk of tests/sh/view_plain.sh, in its folder."""
import glob
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser, check, finish  # noqa: E402


class Page:
    """A program and its page, until the block ends."""

    def __init__(self, *files):
        self.p = subprocess.Popen(["tm-view", "-q", *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.p.stdout.readline().strip()

    def __enter__(self):
        b.open(self.address)
        return self.address

    def __exit__(self, *_):
        self.p.terminate()
        self.p.wait()


def report(*words):
    return json.loads(subprocess.run([words[0], "-q", "--as", "json", *words[1:]], stdout=subprocess.PIPE).stdout)


def text(selector):
    return b.run("[...document.querySelectorAll(%s)].map(e => e.textContent).join('\\n')" % json.dumps(selector))


def title(selector):
    return b.run("document.querySelector(%s)?.title || ''" % json.dumps(selector))


def tile(name):
    return text(".tile[data-tile=%s] .v" % name)


def shows(script, seconds=20):
    return b.wait(script, seconds)


def card(head):
    return "[...document.querySelectorAll('.card')].find(e => e.textContent.includes(%s))" % json.dumps(head)


b = Browser(sys.argv[1])
JUDGED = "document.querySelector('#hz')?.value === %s && !!document.querySelector('.tile[data-tile=worst] .tag')"

# --- the rate that frames are judged at: the same in tiles, lists and the timeline, of the user's choice, and in sight
# Frame 30 takes three times as long as a display of that rate gives it: two refreshes are missed.
for hz in "90", "120", "30":
    with Page("hz%s.tmt" % hz):
        check("frames of 1/%s s are judged at %s Hz" % (hz, hz), shows(JUDGED % json.dumps(hz)))
        check("... in the tile: " + title(".tile[data-tile=worst] .tag"), "3.00 refreshes of %s Hz, rounded to 3: 2 missed" % hz in title(".tile[data-tile=worst] .tag"))
        rows = text(".rank .tag").split("\n")
        check("... in the list: %s" % rows, rows == ["✕ 2 missed"])
        strip = shows("[...document.querySelectorAll('.track .now')].map(e => e.textContent).join('\\n').startsWith('%s Hz fits')" % hz)
        check("... and in the strip: " + text(".track .now").split("\n")[0], strip)
with Page("hzfree.tmt"):
    # 29.1 ms are 1.75 refreshes of 60 Hz, and 3.49 of 120 Hz.
    check("frames of 9.7 ms fit no display: they are judged at 60 Hz, which is said", shows(JUDGED % '"60"') and "60 Hz unless you choose another" in title(".judged"))
    check("... frame 30 missed one refresh: " + text(".rank .tag"), text(".rank .tag") == "! 1 missed" and "1.75 refreshes of 60 Hz" in title(".tile[data-tile=worst] .tag"))
    b.run("document.body.dataset.shown = ''; const e = document.querySelector('#hz'); e.value = '120'; e.dispatchEvent(new Event('change'))")
    check("another rate is chosen: it is in the address", b.wait("!!document.body.dataset.shown && location.hash.includes('hz=120')"))
    # All of 9.7 ms are late by 16 %, and none misses a refresh: 1.16 rounds to 1.
    check("... and all are judged at it: " + text(".rank .tag").replace("\n", " "), shows(JUDGED % '"120"') and text(".rank .tag").split("\n") == ["✕ 2 missed"] + ["! late"] * 4 and "3.49 refreshes of 120 Hz" in title(".tile[data-tile=worst] .tag"))
    b.go("#view=timeline&hz=120")
    check("... in the timeline, too: " + text(".tracks .now").split("\n")[0], b.run("document.querySelector('#hz').value") == "120" and text(".tracks .now").startswith("120 Hz, budget 8.3 ms"))

# --- at the end is what made the peak: the lists of both would be the same
CARD = "[...document.querySelectorAll('.lists .card')].find(c => c.querySelector('h2').textContent === %s)"
with Page("same.tmt"):
    found = shows("!!" + CARD % '"From the peak to the end"')
    # 5 * 40000, 10 * 8000 and 3 * 4000 bytes are 195.3, 78.1 and 11.7 KiB.
    rows = b.run("[...%s.querySelectorAll('.rank .l')].map(e => e.textContent)" % (CARD % '"From the peak to the end"'))
    check("what differs at the end, in place of the same list: %s" % rows, found and rows == ["load_level▼ partly freed−195.3 KiB", "read_pack▼ freed−78.1 KiB", "log▲ grew+11.7 KiB"])
    rows = b.run("[...%s.querySelectorAll('.rank')].map(e => [e.querySelector('.l').firstChild.textContent, (e.querySelector('.s .value') || {textContent: ''}).textContent].join(' '))" % (CARD % '"What makes the peak"'))
    check("... and what is left is said of each: %s" % rows, rows == ["load_level 195.3 KiB at the end", "open_bank ", "grow ", "read_pack freed by the end", "font "])
    check("growth needs times, which is said", "needs" in text(".tile[data-tile=growth] .why"))

# --- library caches are live at the end, though they are no leaks
with Page("cached.tmt"):
    found = shows("!!" + CARD % '"From the peak to the end"')
    rows = b.run("[...%s.querySelectorAll('.rank')].map(e => [e.querySelector('.l').firstChild.textContent, (e.querySelector('.s .value') || {textContent: ''}).textContent].join(' '))" % (CARD % '"What makes the peak"'))
    # 40000 and 9000 bytes are 39.1 and 8.8 KiB.
    check("a library cache is not freed: %s" % rows, rows == ["load_level 39.1 KiB at the end", "open_bank ", "setlocale 8.8 KiB at the end, in a library's cache", "font "])
    rows = b.run("[...%s.querySelectorAll('.rank .l')].map(e => e.textContent)" % (CARD % '"From the peak to the end"'))
    check("... and did not change: %s" % rows, found and rows == ["load_level▼ partly freed−39.1 KiB", "log▲ grew+3.9 KiB"])
with Page("cached.tmt", "same.tmt"):
    # 114000 and 830000 bytes are 921.9 KiB; 830000 are 810.5 KiB.
    b.go("#view=overview")
    found = shows("!!" + CARD % '"What makes the peaks"')
    side = found and b.run("%s.querySelector('.hd .sp').textContent" % (CARD % '"What makes the peaks"'))
    check("of two files the list is of both peaks, the tile of the highest: %s, %s" % (side, tile("peak")), side == "921.9 KiB" and tile("peak") == "810.5KiB")

# --- halves are of the time; what is hidden is said; where filters leave nothing, that is the reason
with Page("half.tmt"):
    b.go("#view=calls&peek=load")
    shows("!!document.querySelector('.growth-of')")
    # Of 1 to 101 ms the second half begins at 51 ms, and all was freed until 24 ms.
    check("nothing is freed in the second half: " + text(".growth-of"), "level in the second half" in text(".growth-of") and "1.00 ms" in text(".growth-of .ends") and "101.00 ms" in text(".growth-of .ends"))
    # 10 of 11 blocks: 10000 of 11000 bytes are 9.8 of 10.7 KiB, 90.91 %.
    check("what library code alone has is said: " + text(".four .hint").split("\n")[-1], shows("document.querySelector('.four .hd').textContent.includes('1000 B (9.09%) in stacks of library code alone is not shown')") and "filters kept 10 of 11 records" in text(".four .hint") and "9.8 KiB of 10.7 KiB (90.91%)" in text(".four .hint"))
with Page("early.tmt"):
    # Frames 20 to 30 begin at 320 and 480 ms.
    b.go("#view=overview&time=330ms..470ms")
    check("where filters leave nothing, that is said: " + text(".tile .why"), shows("document.querySelector('.tile[data-tile=live] .why')?.textContent === 'These filters leave no allocation.'") and "no frees" not in text(".tile") and "cannot be followed" not in text(".tile"))
with Page("first.tmt", "second.tmt"):
    b.go("#view=compare")
    shows("document.querySelectorAll('main .row .tag').length > 1")
    rows = b.run("[...document.querySelectorAll('main .row')].filter(r => r.querySelector('.tag')).map(r => r.children[0].textContent + ' ' + r.querySelector('.tag').textContent)")
    check("a row says what the metric did that it shows: %s" % rows, rows == ["small ▲ grew", "other ▲ grew"])

# --- a long frame in which no call has two thirds: what is more than in other frames
with Page("odd.tmt"):
    rows = shows("document.querySelector('.lists').textContent.includes('above usual')") and text(".rank:has(.number)").split("\n")[0]
    check("the cause is what is unusual in it: " + rows, all(t in rows for t in ("30", "load", "load.cpp:9", "+20.0 ms above usual", "← tick")))
    b.click(".rank:has(.number)")
    check("... and leads to its frame: " + b.run("location.hash"), shows("location.hash.includes('frame=30..30')") and shows("document.querySelectorAll('.sel .row').length > 2"))
    rows = b.run("[...document.querySelectorAll('.sel .row')].map(e => [e.cells[0].textContent, e.cells[2].textContent].join(' '))")
    # 39 other frames have 10 ms of update and 4 of tick each; the last mark, after which nothing comes, is no frame.
    check("the selection has it first, with what it has above the others: %s" % rows, rows == ["load +20.0 ms", "update 0 ns", "tick 0 ns"])
    check("own code of one module has the colours of its folders: " + text(".tools .legend"), sorted(b.run("[...document.querySelectorAll('.tools .legend > span')].map(e => e.textContent)")) == ["engine/", "game/"])
    # The hint at frame 30 of [464, 500) ms in 676 covers neither what came before it, nor a call after it.
    place = b.run("[...document.querySelectorAll('.tracks .track')].find(t => t.textContent.includes('Main')).querySelector('canvas').getBoundingClientRect().toJSON()")
    at = lambda ms: place["left"] + place["width"] * ms / 676
    b.mouse("mouseMoved", at(478), place["top"] + 10)
    b.mouse("mouseMoved", at(480), place["top"] + 10)
    shown = b.wait("document.querySelector('.tip').style.display === 'block'")
    hint = b.run("document.querySelector('.tip').getBoundingClientRect().toJSON()")
    check("the hint is right of the frame, and covers no call", shown and hint["left"] >= at(500) and hint["right"] <= 1400 and hint["top"] >= place["bottom"])

# --- nothing is live where all was freed at the exit: growth leads to what was live at once; the table says so, and goes there
with Page("freed.tmt"):
    shows("document.querySelector('.tile[data-tile=growth]')?.href && !document.body.textContent.includes('adding up')")
    where = b.run("document.querySelector('.tile[data-tile=growth]').href")
    check("growth leads to the peak of what grew: " + where, "sort=peak" in where and "frame=" in where)
    b.go("#view=table&sort=live&frame=10..39")
    check("a table without live bytes says why", shows("document.querySelector('.freed')?.textContent.includes('freed before the capture ends')"))
    b.click(".freed button")
    # Frames 10 to 39 allocate 30 blocks of 1 KiB.
    check("... and leads to what was live at once", shows("location.hash.includes('sort=peak') && document.querySelector('.row')?.textContent.includes('load') && document.querySelector('.row').textContent.includes('30.0 KiB')"))
    # A filter that is no expression: at its field, and the page stays.
    before = shows("document.querySelector('.row').textContent.includes('100.00%')") and text("main .row")
    b.run("document.querySelector('#more').click(); const i = document.querySelector('#filters input[name=focus]'); i.value = '('; i.form.requestSubmit()")
    check("an expression that is none is said at its field", shows("document.querySelector('#filters input[name=focus] + [role=alert]')?.textContent.includes('closing parenthesis')"))
    check("... the address and the rows stay", before and text("main .row") == before and "focus" not in b.run("location.hash"))
    b.run("const j = document.querySelector('#filters input[name=focus]'); j.value = 'load'; j.form.requestSubmit()")
    check("... and one that is a filter is taken", shows("location.hash.includes('focus=load')"))
    # By hand in the address, an error: nothing that comes later says that all is complete.
    for view in "calls", "overview", "table", "timeline":
        b.go("#view=%s&focus=(" % view)
        shows("!!document.querySelector('#alerts .bad')")
        time.sleep(1)
        check("... in the address of %s: %s" % (view, text("#whole")), "no answer" in text("#whole"))

# --- library code that nothing calls is not in the graph, which is said beside the switch
with Page("alone.tmt"):
    b.go("#view=calls")
    check("what is not in the graph is said", shows("document.querySelector('.four .hd').textContent.includes('25.00 ms (25.00%) in stacks of library code alone is not shown')"))
    b.click(".four .hd .faint button.quiet")
    check("... and a click shows it", shows("location.hash.includes('lib=1') && document.querySelector('.four .hd')?.textContent.includes('is not shown') === false"))
with Page("whole.tmt"):
    b.go("#view=calls")
    shows("!!document.querySelector('.four .tools .menu summary')")
    time.sleep(1)
    check("functions start at the top", b.run("[...document.querySelectorAll('.four .grid')].every(e => e.scrollTop === 0)"))
    b.click(".four .tools .menu summary")
    cut = b.run("(() => { const p = document.querySelector('.four .menu[open] .panel'), all = [...p.querySelectorAll('input')], r = p.getBoundingClientRect(); return document.elementFromPoint(r.left + r.width / 2, r.bottom - 4)?.closest('.panel') === p && all.length > 3; })()")
    check("the menu of columns is not cut by its card", cut)

# --- two files: counters in their unit, and whose the numbers are; no metric is offered that neither has
with Page("run6458652.tmt", "run3229326.tmt"):
    b.go("#view=compare")
    check("counters have their unit", shows("document.querySelector('main').textContent.includes('6.46 ms')") and "6,458,652" not in text("main"))
    b.go("#view=overview")
    check("tiles of two files say so", shows("document.querySelector('main').textContent.includes('Both files together')"))
    b.go("#view=table")
    offered = b.run("[...document.querySelectorAll('.tools select')].at(-1)") is not None and text(".tools label:last-of-type option").split("\n")
    check("metrics of the files alone are offered: %s" % offered, {"auto", "count", "requested"} == set(offered))

# --- of a folder it is said on each view which files are not shown
with Page("folder"):
    for view in "overview", "table":
        b.go("#view=" + view)
        check("a file that is left out is named: " + view, shows("document.querySelector('#alerts').textContent.includes('1 file of the folder is not shown') && document.querySelector('#alerts').textContent.includes('fps.csv')"))

# --- what has no duration has none
with Page("once.tmt"):
    shows("!!document.querySelector('.rank') && !document.body.textContent.includes('adding up')")
    heads = text(".lists h2").split("\n")
    check("20 ms in calls of two threads are no duration of a frame: %s" % heads, "Worst frames" not in heads and "Frames with most time in calls" in heads and tile("worst") == "–")

# --- what is estimated has the sign of the text report
with Page("samples.json") as address:
    shows("document.querySelectorAll('.rank .value').length > 3")
    values = text(".rank .l .value").split("\n")
    check("sampled times have the sign in lists: %s" % values, len(values) > 3 and all(v.startswith("~") for v in values) and tile("self_ns").startswith("~"))
    b.go("#view=calls&peek=load")
    shows("!!document.querySelector('.sandwich .me')")
    check("... in the graph's head, and where a function stands alone: " + text(".sandwich .me"), "self time ~" in text(".card .hd") and "~600.00 ms" in text(".sandwich .me"))
    check("... and so have calling lines: " + text(".lines-of"), shows("!!document.querySelector('.lines-of b')") and "~600.00 ms" in text(".lines-of"))
    b.go("#view=source&fn=load")
    check("... and the sum of its source: " + text("main .panel h2"), shows("/~600.00 ms, [\\d.]+% of all/.test(document.querySelector('main').textContent)"))
    b.go("#view=callers&peek=load")
    check("... callers, as a terminal has them", shows("document.querySelectorAll('[role=columnheader]').length > 1") and "time ~" in text("[role=columnheader]") and "self time" not in text("[role=columnheader]"))
    peek = report("tm-top", "--peek", "load", "samples.json")["sections"][0]["columns"][0]["title"]
    check("... and the report: " + peek, peek == "time ~")
with Page("sampled.tmt"):
    facts = report("tm-top", "sampled.tmt")["facts"]
    shows("document.querySelector('.tile[data-tile=growth] .v')?.textContent.length > 1 && document.querySelectorAll('.track').length > 2")
    marks = {k: tile(k).replace("about ", "~")[0] for k in ("peak", "live", "allocations", "growth")}
    check("tiles of a sampled heap have the sign, as the report has it: %s" % marks, set(marks.values()) == {"~"} and "~" in facts["run"] and "peak ~" in facts["memory"])
    check("... blocks, too: " + text(".tile[data-tile=live] .top"), "~120 blocks" in text(".tile[data-tile=live] .top") and "~120 total" in text(".tile[data-tile=allocations] .top"))
    values = text(".lists .rank .l .value").split("\n")
    check("... and lists, but not the durations of frames: %s" % values, [v for v in values if not v.startswith("~")] == ["16.00 ms"] * 5 and len(values) > 6)
    b.go("#view=timeline&frame=3..5")
    shows("!!document.querySelector('table.sel')")
    told = text(".card .row .faint") + " " + text("table.sel td.num").replace("\n", " ")
    check("... and the selection: " + told, "allocated ~205.1 KiB" in told and "~9" in text("table.sel td.num"))

# --- frames whose numbers go back: a selection is one of time, and has what the counter has
with Page("again.tmt") as address:
    b.go("#view=timeline")
    shows("!!document.querySelector('.track canvas')")
    x, y, w, h = b.place(".tracks .track canvas")
    # From the 5th to the 35th of 40 frames: of 30 frames 100 bytes each, 100 bytes of the last one are live.
    b.run("document.body.dataset.shown = ''")
    b.drag(".tracks .track canvas", (w * 5.5 / 40, 20), (w * 34.5 / 40, 20))
    b.wait("!!document.body.dataset.shown && !!document.querySelector('table.sel')")
    got = text(".card .row .faint")
    check("a selection over both runs is of time: " + b.run("location.hash") + " " + got, "time=" in b.run("location.hash") and "frame=" not in b.run("location.hash") and "30 frames" in got and "300.00 ms" in got and "2.9 KiB" in got and "100 B of it still live" in got)
    b.go("#view=overview&frame=0..10")
    check("a range of numbers has no live bytes, and says why: " + tile("live"), shows("document.querySelector('.tile[data-tile=live] .v')?.textContent === '–'") and tile("peak") == "–" and "frame numbers go back" in text(".tile[data-tile=live]"))

# --- a thread without a name has its time in calls; a session is as long as the report says it is
with Page("nameless.json"):
    b.go("#view=timeline")
    check("3 of 12 ms of a thread without a name are 25 %: " + text(".track .now").replace("\n", " "), shows("[...document.querySelectorAll('.track .now')].some(e => e.textContent.includes('in calls 25 %'))") and "in calls 0 %" not in text(".track .now"))
    check("... of a session of 12.00 ms: " + text(".track.map .name"), report("tm-top", "nameless.json")["numbers"]["duration_ns"] == 12e6 and "12.00 ms" in text(".track.map .name"))

# --- a selection takes what its frames take: where numbers repeat their sum, and nothing is said of a frame without an end
with Page("twice.tmt"):
    b.go("#view=timeline&frame=1..1")
    check("two frames of one number take 10 + 20 ms: " + text(".card .row .faint"), shows("!!document.querySelector('table.sel')") and "2 frames · 30.00 ms · 30.00 ms in calls" in text(".card .row .faint"))
    check("... all of it in calls: " + text(".track .now").replace("\n", " "), "in calls" not in text(".track .now"))
    b.run("document.body.dataset.shown = ''")
    b.go("#view=timeline&frame=2..2")
    check("a frame without an end has no time: " + text(".card .row .faint"), shows("document.querySelector('.card .row .faint')?.textContent === '2 frames · 13.00 ms in calls'"))
    check("the session is as long as the report says: " + text(".track.map .name"), "43.00 ms" in text(".track.map .name") and report("tm-top", "twice.tmt")["numbers"]["duration_ns"] == 43e6)
    b.go("#view=frames&pick=1")
    check("a number of two frames says so", shows("document.querySelector('main').textContent.includes('2 frames have this number')"))
    b.go("#view=compare")
    check("the hint of a range is one: " + b.run("document.querySelector('main input')?.placeholder || ''"), shows("document.querySelector('main input[aria-label=\"base range\"]')?.placeholder === '1..100'"))

# --- a metric that the files do not have is offered nowhere: this one has requested and live bytes, and no real ones
with Page("freed.tmt"):
    for view, label in (("table", "rank by"), ("calls", "widths"), ("flame", "widths"), ("compare&basef=0..9&newf=10..19", "rank by"), ("source&fn=load", "costs by")):
        b.go("#view=" + view)
        words = b.run("[...document.querySelectorAll('select[aria-label=\"%s\"] option')].map(e => e.value)" % label)
        check("%s: only metrics that are there are offered: %s" % (view, " ".join(words)), {"auto", "count", "requested", "live"} <= set(words) and
              not {"real", "slack", "self-time", "total-time", "calls", "samples", "period", "lua-net"} & set(words))

# --- a selection is of all files, though tracks are of the first four: 3 frames of 16 ms with 1 KiB each, in each of six
with Page(*["many%d.tmt" % i for i in range(1, 7)]):
    b.go("#view=timeline&frame=3..5")
    head = shows("!!document.querySelector('.sel .row')") and text(".card .hd .faint")
    check("a selection in six files is of all: " + str(head), head and all(t in head for t in ("18 frames", "288.00 ms", "18.0 KiB")))
    check("... and what has tracks is said: " + text(".whole-timeline > .hint"), "first 4 of 6 files" in text(".whole-timeline > .hint"))

# --- what is guessed is said in every view
with Page("guessed.json"):
    for view in "overview", "timeline", "calls":
        b.go("#view=" + view)
        check("a guess is told in " + view, shows("document.getElementById('alerts').textContent.includes('1 guess')", 5) and "calls have no end" in text("#alerts"))
        check("... and below it is not all green: " + text("#whole"), shows("document.getElementById('whole').textContent === '◐ complete, with 1 guess' && document.getElementById('whole').classList.contains('warn')", 5))

# --- what is picked is in sight; a search says how many hits there are, and Enter goes to them
with Page("whole.tmt"):
    b.go("#view=table&by=site&rows=0")
    shows("document.querySelectorAll('main .row').length > 5")
    b.click("main .row:nth-child(3)")
    check("what is known of a picked row is in the window", shows("document.querySelectorAll('.picked button').length > 2", 5) and b.run("(r => r.top > 0 && r.bottom <= innerHeight)(document.querySelector('.picked').getBoundingClientRect())"))
    b.go("#view=timeline")
    shows("document.querySelectorAll('.tools .seg').length > 0")
    b.go("#view=overview")
    shows("!!document.querySelector('.tile')")
    b.run("document.activeElement.blur()")
    b.key("/", "Slash", "/")
    check("/ in the overview goes to the filter of functions", b.run("document.activeElement.name === 'focus' && document.getElementById('more').parentNode.open"))
with Page("hz90.tmt"):
    b.go("#view=timeline")
    shows("!!document.querySelector('main input[type=search]')")
    b.run("document.querySelector('main input[type=search]').focus()")
    b.type("Tick")
    check("60 calls are hits: " + text("#hits"), shows("document.getElementById('hits').textContent === '60 hits'", 5))
    b.key("Enter")
    b.key("Enter")
    check("... Enter goes from one to the next: " + text("#hits"), shows("document.getElementById('hits').textContent === '2 of 60 hits'", 5))
    b.run("(i => { i.value = 'nobody'; i.dispatchEvent(new Event('input')); })(document.querySelector('main input[type=search]'))")
    check("... and none is said", text("#hits") == "no hits")

# --- names of a selection are cut to their room at once, and not each after another layout: twelve names, of which each would
# need some. A page is laid out 18 or 19 times until it is drawn.
with Page("whole.tmt") as address:
    b.call("Performance.enable")
    b.open(address + "#view=timeline&frame=10..19")
    drawn = shows("document.querySelectorAll('.sel .tail').length > 4")
    time.sleep(1)
    layouts = {m["name"]: m["value"] for m in b.call("Performance.getMetrics")["metrics"]}["LayoutCount"]
    check("a selection needs few layouts: %d" % layouts, drawn and layouts < 40)
    names = b.run("[...document.querySelectorAll('.sel .tail')].map(e => e.scrollWidth <= e.clientWidth && e.textContent.length > 3 && e.title.endsWith(e.textContent.replace(/^…/, '')))")
    check("... and %d names have room, and their ends" % len(names), len(names) > 5 and all(names))

# --- of two files each slow frame has the cause that it has alone
with Page("odd.tmt", "waits.tmt"):
    b.go("#view=overview")
    rows = shows("document.querySelector('.lists').textContent.includes('above usual')") and [r for r in b.run("[...document.querySelectorAll('.rank:has(.number)')].map(e => e.textContent)")]
    check("two files: %s" % rows, "waits.tmt" in rows[0] and "Load" in rows[0] and "+30.0 ms above usual" in rows[0] and not any("above usual" in r for r in rows[2:]) and any("odd.tmt" in r and "load.cpp:9" in r and "+20.0 ms above usual" in r and "← tick" in r for r in rows))

    # odd.tmt has 40 frames, waits.tmt has 60.
    b.go("#view=timeline")
    check("... the timeline says the frames of each: " + text(".track.map .name"), shows("/ · 40 \\+ 60 frames/.test(document.querySelector('.track.map .name').textContent)"))

# --- a thread that waits has more in a long frame, and is no cause: in frame 30 Load has 30 ms where usually it has none, Wait
# 48 ms of 48, as elsewhere 16 of 16
with Page("waits.tmt"):
    b.go("#view=timeline&frame=30..30")
    shows("document.querySelectorAll('.sel tbody tr').length > 2")
    rows = [r.split("|") for r in b.run("[...document.querySelectorAll('.sel tr')].map(tr => [...tr.children].map(e => e.innerText.trim()).join('|')).join('\\n')").split("\n")]
    at = {h: i for i, h in enumerate(rows[0])}
    got = [(r[at["function"]], r[at["thread"]], r[at["above usual"]]) for r in rows[1:]]
    check("a selection ranks what is above usual, by thread: %s" % got, got[0] == ("Load", "Main", "+30.0 ms") and dict((g[0], g[2]) for g in got)["Wait"] in ("0.0 ns", "0 ns"))
    b.run("document.querySelector('.sel tbody tr').click()")
    check("... and a click keeps the thread: %s" % b.run("location.hash"), shows("/[?&#]thread=[^&]*Main/.test(location.hash) && location.hash.includes('peek=Load')"))

# --- one file: its halves are compared by a click; frames 0 to 29, and 30 to 59
with Page("waits.tmt"):
    b.go("#view=compare")
    b.run("document.body.dataset.shown = ''; [...document.querySelectorAll('main button')].find(e => e.textContent === 'the first half against the second').click()")
    done = shows("location.hash === '#view=compare&basef=0..29&newf=30..59' && /Load[^]*\\+1.00 ms/.test(document.querySelector('main').innerText)")
    check("the first half against the second: " + b.run("location.hash"), done)

# --- a name of an address that is shown with its file here: of two the heavier
with Page("namesakes.tmt"):
    b.go("#view=calls&peek=Load")
    check("Load of an address is Load of level.cpp", shows("document.querySelector('.four .card .sp.file')?.title.startsWith('Load (level.cpp')") and "No stack has" not in text(".four"))

# --- frames that are far below the budget are no line at the bottom: 60 frames of 0.15 ms have a scale of their own
with Page("tiny.tmt"):
    b.go("#view=timeline")
    shows("document.querySelector('.track canvas')?.width > 0")
    high = b.run("(c => { const g = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, x = c.width >> 1; let n = 0; const own = getComputedStyle(document.documentElement).getPropertyValue('--own').trim(); for (let y = 0; y < c.height; y++) { const k = 4 * (y * c.width + x); if (g[k + 3] && '#' + [0, 1, 2].map(j => g[k + j].toString(16).padStart(2, '0')).join('') === own) n++; } return n / c.height; })(document.querySelector('.track canvas'))")
    check("... their bars have a part of the height: %s" % high, high > 0.2)

# --- a cause is of the main thread: its work has 20 ms in frame 6, 10 in others; that of Worker is another
with Page("worker.tmt"):
    b.go("#view=overview")
    row = shows("document.querySelector('.lists').textContent.includes('above usual')") and text(".rank:has(.number)").split("\n")[0]
    check("a worker's call is no cause: %s" % row, "work" in str(row) and "+10.0 ms above usual" in str(row) and "← game" in str(row))

# --- filters do not move the peak to another frame; the axis begins where the capture does
with Page("peaks.tmt"):
    for filter in "", "&hide=^nothing$":
        b.go("#view=overview" + filter)
        check("the peak is in frame 1: " + text(".tile[data-tile=peak]"), shows("document.querySelector('.tile[data-tile=peak]')?.textContent.includes('frame 1')"))
    b.go("#view=overview")
    check("what came before the first frame is said: " + text(".tile[data-tile=allocations] .top"), shows("document.querySelector('.tile[data-tile=allocations] .top')?.textContent.includes('4 total, 1 before the first frame')"))
    b.go("#view=calls")
    notes = shows("!!document.querySelector('.four .hint')", 3) and title(".four .hint") or ""
    check("what is there is not said to be absent: '%s'" % notes, shows("!!document.querySelector('.four [role=row], .four .row')") and "not in the capture" not in notes)

# --- parts of a recursion add up: main 0 to 100, beta 10 to 90, main 20 to 80, gamma 30 to 70; so main has 40 of its own, gamma 40, beta 20
    b.run("""import('./sandwich.js').then(m => { const {below} = m.around({nodes: [{self: 0}, {parent: 0, name: 'main', self: 20}, {parent: 1, name: 'beta', self: 20},
        {parent: 2, name: 'main', self: 20}, {parent: 3, name: 'gamma', self: 40}]}, 'main'); window.parts = [below.total, below.self, ...[...below.kids.values()].map(k => k.name + k.total)].join(); })""")
    check("parts of a recursion add up: %s" % b.run("window.parts"), shows("window.parts === '100,40,beta20,gamma40'"))

# --- a saved page opens where it was saved: the view, the selection, the zoom, what was sorted
os.makedirs("saved", exist_ok=True)
b.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=os.path.abspath("saved"))


def saved(state, prepare="", file="whole.tmt"):
    for f in glob.glob("saved/*"):
        os.remove(f)
    with Page(file):
        b.go(state)
        time.sleep(1)
        if prepare:
            b.run(prepare)
            time.sleep(0.5)
        b.click("#save")
        end = time.time() + 90
        while time.time() < end and not [f for f in glob.glob("saved/*.html") if open(f).read().rstrip().endswith("</html>")]:
            time.sleep(0.1)
        before = b.run("[location.hash, document.querySelector('main').innerText]")
    name = "file://" + os.path.abspath(glob.glob("saved/*.html")[0])
    b.open(name)
    same = b.wait("JSON.stringify([location.hash, document.querySelector('main').innerText]) === %s" % json.dumps(json.dumps(before, ensure_ascii=False, separators=(",", ":"))), 10)
    return name, same


name, same = saved("#view=timeline&frame=10..19&zoom=100-40000")
check("a saved timeline opens at its selection and zoom, without a program", same and "zoom " in text(".track .now"))
check("... it needs nothing else: %d KB" % (os.path.getsize(name[7:]) // 1000), "http://" not in open(name[7:]).read())
b.open(name + "#view=heap")
b.go("#view=table&by=module")
check("... what it does not have is said, once, and no failure: %s" % text("#whole"), "This saved page has the answers to what it shows" in text("main") and "no answer" not in text("body"))
name, same = saved("#view=table&by=site", "[...document.querySelectorAll('[role=columnheader]')].find(e => e.textContent.startsWith('site')).click()")
check("a saved table opens as it was sorted", same and "▴" in text("[role=columnheader]"))
name, same = saved("#view=overview", "", "early.tmt")
time.sleep(1)
check("in a saved overview questions without an answer are no notes, as before: '%s'" % text("#alerts"), same and text("#alerts") == "")
name, same = saved("#view=calls")
check("a saved graph opens with all beside it", same and len(text(".sandwich .me")) > 0)

complaints = b.complaints()
check("nothing on the console: " + " ".join(complaints), not complaints)
b.close()
finish()
