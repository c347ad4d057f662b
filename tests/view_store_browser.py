# SPDX-License-Identifier: MIT
"""The walk of tests/sh/view_store_browser.sh, in its folder: the page of a server of sessions."""
import json
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser, check, finish  # noqa: E402

pictures = os.environ.get("PICTURES")
server = subprocess.Popen(["tm-view", "-q", "--store", "store", "--gate", "gate.ini"], stdout=subprocess.PIPE, text=True)
page, send = server.stdout.readline().strip(), server.stdout.readline().strip()


def put(file, labels):
    subprocess.run(["curl", "-s", "-o", "/dev/null", "-T", file, send + "?" + labels], check=True)


def rows():
    return b.run("[...document.querySelectorAll('[role=row].row')].map(e => e.textContent)")


def pick(name):
    """Clicks the row; once more where a list that is drawn again meanwhile took the click."""
    for _ in range(4):
        b.click(row(name))
        if b.wait("!!document.getElementById('note')", 5):
            return


def row(text):
    """A selector of the first row of this build."""
    b.run("for (const e of document.querySelectorAll('#this-row')) e.id = '';"
          "for (const e of document.querySelectorAll('[role=row].row')) if (e.querySelector('.cell').textContent.includes(%s)) { e.id = 'this-row'; break; }" % json.dumps(text))
    return "#this-row"


def click_text(selector, text):
    b.run("for (const e of document.querySelectorAll(%s)) if (e.textContent === %s) { e.click(); break; }" % (json.dumps(selector), json.dumps(text)))


def picture(name):
    if pictures:
        b.picture(os.path.join(pictures, name + ".png"))


b = Browser(sys.argv[1])
check("an empty store says what to do", b.open(page) and "curl -T" in b.run("document.getElementById('view').textContent"))
# Builds 101 to 112; from 107 on they allocate twice as much.
for i in range(101, 113):
    put("low.tmt" if i < 107 else "high.tmt", "build=b%d&branch=main&machine=pixel7&date=2026-10-%02d%s" % (i, i - 90, "&status=green" if i == 101 else ""))
put("junk.txt", "build=bad&branch=main")
put("low.tmt", "build=%3Cimg%20src=x%20onerror=alert(1)%3E&branch=%3Cb%3E&machine=%E2%80%AEevil")
check("sessions appear while it is open", b.wait("document.querySelectorAll('[role=row].row').length >= 14"))
check("and are read", b.wait("!document.body.textContent.includes('being read')", 60))
check("hostile names are text", any("<img src=x onerror=alert(1)>" in r for r in rows()) and not b.run("document.querySelectorAll('main img').length"))
check("what cannot be read says why", any("not readable: unknown capture format" in r for r in rows()))
check("... and what to do", any("send a capture in one of these formats" in r for r in rows()))
check("a verdict", any("b101" in r and "passed" in r for r in rows()))
picture("sessions")

# A run before the step passes, one behind it fails; none is left to a click.
check("runs in sight are judged of themselves: against the green one before them", b.wait("(r => ['b102.*passed.*the policy passes, against build b101', 'b106.*passed', 'b107.*failed', 'b110.*still failing since b107'].every(x => r.some(t => new RegExp(x).test(t))))"
      "([...document.querySelectorAll('[role=row].row')].map(e => e.textContent))", 60) and not any("not judged yet" in r for r in rows()))
check("the newest failed run and its base are picked, with the button that compares them", b.run("document.getElementById('compare').textContent") == "Compare b101 \u2192 b112" and
      b.run("[...document.querySelectorAll('.grid .picked-side')].map(e => e.parentElement.textContent).join()") == "B b112,A b101")
check("the trend is of the metric of the rule that failed", b.wait("document.querySelector('main h2').textContent === 'requested over builds'"))
check("a reason is whole, or in two lines", b.run("[...document.querySelectorAll('.row .cell.prose')].every(e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight + 1)"))
check("the newest is judged of itself: the rule, by how much, against what", b.wait("[...document.querySelectorAll('[role=row].row')].some(e => /b112.*failed.*memory \\+\\d+.*limit.*against build b101/.test(e.textContent))", 30))
check("the trend is above the list, with its change point: b107", b.wait("/Change points:.*b107: .*iB \u2192 .*iB/.test((document.querySelector('.steps') || {}).textContent)", 30) and b.run("document.querySelector('canvas.trend').clientHeight > 50"))
grown = [x for x in json.loads(subprocess.run(["tm-compare", "-q", "--by", "site", "-n", "0", "--sort", "requested", "--as", "json", "low.tmt", "high.tmt"], stdout=subprocess.PIPE).stdout)["sections"] if x.get("name") == "changes"][0]["rows"]
largest = max(grown, key=lambda r: r.get("delta_requested") or 0)
most = ("most of it " if largest["delta_requested"] * 2 > sum(r.get("delta_requested") or 0 for r in grown) else "the largest part ") + largest["site"]
check("it names who grew most there, though the base of the policy is no neighbour: " + most, b.wait("document.querySelector('.steps').textContent.includes(%s)" % json.dumps(most), 30))
check("dates are short, and whole on hover", b.run("[...document.querySelectorAll('[role=row].row span[title^=\"2026-10-11T\"]')].some(e => /^11 Oct \\d\\d:\\d\\d$/.test(e.textContent))"))

check("the first failure of a series is loud, and the one that is compared", b.run("[...document.querySelectorAll('[role=row].row')].filter(e => e.querySelector('.tag.up')).map(e => e.querySelector('.cell').textContent.slice(-4)).join()") == "b112,b107")
check("the last runs are a line, orange where a series of failures begins", b.run("document.querySelectorAll('.row svg.last').length") >= 10 and b.run("document.querySelectorAll('.row svg.last.loud').length") == 2)

# A note.
b.click(row("b103"))
check("a run is opened by a click", b.wait("!!document.getElementById('note')"))
b.click("#note")
b.type("stutters in the menu <b>")
b.click("#save-note")
check("a note is saved", b.wait("document.body.textContent.includes('saved')"))
b.run("document.activeElement.blur()")
check("and in the list", b.wait("[...document.querySelectorAll('[role=row].row')].some(e => e.textContent.includes('stutters in the menu <b>'))"))
picture("run")

# A run is opened, under an address of its own, and the list is one click away.
tip = b.run("document.getElementById('open').href")
check("a capture has an address", "/session/3/" in tip)
b.click("#open")
check("it opens the whole page", b.wait("location.pathname.endsWith('/session/3/') && !!document.body && !!document.body.dataset.shown && !!document.querySelector('.tiles, .tile')"))
check("of this capture", b.run("document.getElementById('files').textContent").startswith("low.tmt"))
check("with its device and build", " · device pixel7 · build b103" in b.run("document.getElementById('files').textContent"))
check("with the tabs of its views", all(t in b.run("document.getElementById('tabs').textContent") for t in ("Overview", "Timeline", "Calls")))
b.go("#view=table&by=function")
check("and its tables", b.wait("document.querySelectorAll('[role=row].row').length > 5"))
picture("run-open")
b.go("#view=calls")
check("calls have one search, for the graph and the functions", b.wait("document.querySelectorAll('.four .grid .row').length > 2") and b.run("document.querySelectorAll('.four input[type=search]').length") == 1)
b.run("(e => { e.value = 'nothing has this name'; e.dispatchEvent(new Event('input')); })(document.querySelector('.four input[type=search]'))")
check("... and it filters the functions", b.wait("document.querySelectorAll('.four .grid .row:not(.total)').length === 0"))
b.click("#home")
check("back to the list", b.wait("!location.pathname.includes('session') && document.querySelectorAll('[role=row].row').length >= 14"))

# The policy's verdict on a run, against the green one before it: as tm-compare gives it.
report = json.loads(subprocess.run(["tm-compare", "-q", "--gate", "gate.ini", "--as", "json", "low.tmt", "high.tmt"], stdout=subprocess.PIPE).stdout)
rules = [s for s in report["sections"] if s["kind"] == "checks"][0]["rules"]
broken = [r for r in rules if r["verdict"] == "fail"]
b.run("location.hash = ''")
b.wait("!document.getElementById('note')")
pick("b110")
check("a run was judged against the green one", b.wait("!!document.getElementById('verdict')") and b.wait("document.getElementById('verdict').textContent.includes('base: run 1')"))
check("the policy is broken, with its reasons", len(broken) == 1 and b.wait("document.querySelectorAll('#verdict [role=row].row').length > 0")
      and all(w in b.run("document.getElementById('verdict').textContent") for w in (broken[0]["rule"], broken[0]["message"], broken[0]["measured"], broken[0]["breaches"][0]["fact"])))
picture("verdict")
b.run("location.hash = ''")
b.wait("!document.getElementById('note')")
pick("b101")
check("the first has none before it", b.wait("document.getElementById('view').textContent.includes('needs a green run before')"))

# Two clicks compare.
b.run("location.hash = ''")
b.wait("!document.getElementById('note')")
pick("b102")
b.click(row("b110"))
check("two clicks choose two runs, and the bar says which", b.wait("(document.querySelector('.pair') || {}).textContent && document.querySelector('.pair').textContent.includes('B b110')") and "b102" in b.run("document.querySelector('.pair').textContent"))
b.click("#compare")
check("... and they are compared", b.wait("document.body.dataset.shown === 'compare' && document.querySelectorAll('[role=row].row').length > 0"))
check("the policy judges them, too", b.wait("!!document.getElementById('judge')"))
check("these two", b.run("document.querySelector('main h2').textContent").startswith("b110 \u00b7 pixel7 against b102 \u00b7 pixel7"))
check("no command is said: blame would take the runs beside these, too", b.run("document.getElementById('command').textContent") == "")
picture("compare")
b.click("#open")
check("both captures open as a comparison", b.wait("location.pathname.endsWith('/session/2-10/') && !!document.body && !!document.body.dataset.shown && document.querySelectorAll('[role=row].row').length > 0"))
check("of these two", b.run("document.getElementById('files').textContent").startswith("low.tmt → high.tmt"))
check("ranked by the metric of the rule, the sort in sight, with bars of the same rows", any(h == "requested: change \u25be" for h in b.run("[...document.querySelectorAll('[role=columnheader]')].map(e => e.textContent)")) and
      b.run("[...document.querySelectorAll('.change-bar')].slice(1, 3).map(e => e.title.split(' ')[0]).join() === [...[...document.querySelectorAll('.compared .grid')].find(g => g.textContent.includes('\u25be')).querySelectorAll('.row:not(.total)')].sort((x, y) => x.offsetTop - y.offsetTop).slice(0, 2).map(e => e.querySelector('.cell').textContent).join()"))
check("with the command", b.run("document.getElementById('command').textContent").startswith("tm-compare "))
picture("compare-open")
b.run("history.back()")
b.wait("!!document.body && document.body.dataset.shown === 'compare'")

# The newer one first: the older is the base all the same.
b.run("location.hash = 'view=runs'")
b.wait("document.body.dataset.shown === 'runs' && !document.getElementById('note')")
pick("b110")
for _ in range(4):  # as pick() does
    b.click(row("b102"))
    if b.wait("new URLSearchParams(location.hash.slice(1)).has('to')", 5):
        break
check("the older of two runs is the base, whichever was clicked first", b.wait("(document.getElementById('compare') || {}).textContent === 'Compare b102 \u2192 b110'", 20))

# The trend.
click_text("#tabs a", "Trend")
check("a trend with its step", b.wait("document.body.dataset.shown === 'trend' && document.querySelectorAll('[role=row].row').length > 0"))
click_text(".seg button", "requested")
check("of a metric that is chosen, with the build of the change", b.wait("location.hash.includes('sort=requested') && [...document.querySelectorAll('[role=row].row')].some(e => e.textContent.includes('b107'))"))
check("numbers have the unit of their row", b.wait("(r => r.filter(t => /\\d [KM]iB/.test(t)).length > 10 && !r.some(t => /\\d{6}/.test(t)))([...document.querySelectorAll('[role=row].row')].map(e => e.textContent))", 20))
check("and dates are as in the list", b.run("(t => /22 Oct/.test(t) && !/\\d{4}-\\d\\d-\\d\\dT/.test(t))([...document.querySelectorAll('[role=row].row')].map(e => e.textContent).join(' '))"))
asked = b.run("performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('trend?')).pop()")
check("runs of another branch and device are another line: " + asked, "branch=main" in asked and "machine=pixel7" in asked and b.run("document.querySelectorAll('#line option').length") == 2 and
      b.run("document.querySelector('#line').selectedOptions[0].textContent") == "main \u00b7 pixel7 (12 runs)")
check("with a chart", b.wait("(document.querySelector('.charts .say') || {}).textContent && document.querySelector('main canvas').clientHeight > 50"))
picture("trend")

# Search and filters.
b.run("location.hash = 'view=runs&branch=main'")
check("a filter by branch", b.wait("document.body.dataset.shown === 'runs' && document.querySelectorAll('[role=row].row').length === 13"))
b.run("location.hash = 'view=runs&search=%5Eb10'")
check("a search, from the address", b.wait("document.querySelectorAll('[role=row].row').length === 9"))

# A second device: its line is in the trend of the first, named at its end, with the build since which it fails. From b109 on it
# allocates twice as much.
for i in range(101, 113):
    put("low.tmt" if i < 109 else "high.tmt", "build=b%d&branch=main&machine=deck&date=2026-10-%02d%s" % (i, i - 90, "&status=green" if i < 109 else ""))
b.open(page)
NAMES = "[...document.querySelectorAll('.line-name')].map(e => e.textContent).join()"
check("each device has its line in the trend, with the build since which it fails", b.wait("(t => t.includes('pixel7 \u2715 b107') && t.includes('deck \u2715 b109'))(" + NAMES + ")", 90))
TONES = "JSON.stringify(Object.fromEntries([...document.querySelectorAll('.line-name')].map(e => [e.textContent.split(' ')[0], getComputedStyle(e.querySelector('i')).backgroundColor]).sort()))"
tones = json.loads(b.run(TONES))
check("each line has a colour of its own: %s" % tones, len(set(tones.values())) == 2)
chosen = b.run("document.querySelector('.line-name[aria-pressed=true]').textContent.split(' ')[0]")
other = "deck" if chosen == "pixel7" else "pixel7"
b.run("[...document.querySelectorAll('.line-name')].find(e => e.textContent.startsWith('%s')).click()" % other)
check("a click on its name chooses it", b.wait("(document.querySelector('.line-name[aria-pressed=true]') || {textContent: ''}).textContent.startsWith('%s') && document.querySelector('.steps').textContent.includes('%s')" % (other, "b109" if other == "deck" else "b107")))
check("... and it keeps its colour", json.loads(b.run(TONES)) == tones)

# Runs that were sent as failed, without the policy's help: those of "sent" fail from s3 on, "mixed" may be older, as m2 says nothing.
for i in range(1, 7):
    put("few.tmt", "build=s%d&branch=sent&machine=sent&date=2026-11-%02d&status=%s" % (i, i, "green" if i < 3 else "red"))
    put("few.tmt", "build=m%d&branch=sent&machine=mixed&date=2026-11-%02d&status=%s" % (i, i, "unknown" if i == 2 else "red"))
b.open(page + "#branch=sent")
check("a device fails since the first failure of its last series, and where that is not known, nothing is said", b.wait("(t => t.includes('sent \u2715 s3') && /mixed \u2715 (?!m)/.test(t + ' '))(" + NAMES + ")", 90))
# 14 builds, each with 30 bytes more than the one before, and 0 to 4 beside them: 1032 to 1423.
for i in range(1, 15):
    put("up%d.tmt" % i, "build=u%d&branch=up&machine=up&date=2026-11-%02d&status=green" % (i, i))
b.open(page + "#branch=up&sort=peak")
check("what rises by the same at each build is a trend, and no step", b.wait("/No change point was found. A trend from u1 to u14: 1.0 KiB \u2192 1.4 KiB/.test((document.querySelector('.steps') || {}).textContent)", 60))

# Of the runs from the step on y has 400 + 4 x 1000 of 5 x 1000 more: 880 on average. In the first of them x has more.
for i in range(1, 15):
    put("flat.tmt" if i < 10 else "turn.tmt" if i == 10 else "high2.tmt", "build=w%d&branch=why&machine=why&date=2026-11-%02d" % (i, i))
b.open(page + "#branch=why&sort=peak")
check("the cause of a change point is of all runs behind it, as blame has it", b.wait("/w10: .*; most of it y \\+880 B/.test((document.querySelector('.steps') || {}).textContent)", 60))

put("flat.tmt", "build=v1&branch=new&machine=new&date=2026-11-01")
b.open(page + "#branch=new")
b.wait("(r => r.length === 1 && !r[0].textContent.includes('being read'))([...document.querySelectorAll('[role=row].row')])", 60)
b.open(page + "#view=trend&branch=new&sort=peak")
check("a trend of too few builds says so: " + b.run("(document.querySelector('[data-few]') || {}).textContent || ''"), b.wait("/^1 series has fewer than \\d+ builds: too few to find a step$/.test((document.querySelector('[data-few]') || {}).textContent)", 20))
runs = json.loads(b.run("fetch('sessions').then(r => r.text())"))["runs"]
id_of = {r["build"]: r["run"] for r in runs if r["branch"] in ("new", "why")}
b.open(page + "#view=compare&from=%d&to=%d" % (id_of["w1"], id_of["v1"]))
check("two runs have their devices in the title", b.wait("(document.querySelector('main h2') || {}).textContent === 'v1 \u00b7 new against w1 \u00b7 why'", 20))
check("... and what differs beside the build is said", b.wait("/device: why \u2192 new/.test((document.querySelector('[data-other]') || {}).textContent)", 5))

# What cannot be read has a session, and no run: from then on the numbers differ.
session = next(x["id"] for x in json.loads(b.run("fetch('sessions').then(r => r.text())"))["sessions"] if x["run"] == id_of["v1"])
b.open(page + "#branch=new&run=%d" % id_of["v1"])
check("what an upload was answered is the number in the page, and in the capture's address: %d, run %d" % (session, id_of["v1"]), session != id_of["v1"] and
      b.wait("(document.querySelector('main h2') || {textContent: ''}).textContent.startsWith('Session %d') && document.getElementById('open').getAttribute('href') === 'session/%d/'" % (session, session), 20))

# A question that fails is asked once.
with open("gate.ini", "w") as f:
    f.write("[rule memory]\nmetric = nothing\n")
put("low.tmt", "build=c1&branch=c&machine=c&date=2026-11-01&status=green")
put("few.tmt", "build=c2&branch=c&machine=c&date=2026-11-02")
b.open(page + "#branch=c")
b.wait("performance.getEntriesByType('resource').some(e => e.name.includes('/ask?'))", 30)
b.run("new Promise(go => setTimeout(go, 1500))")
asks = b.run("performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('/ask?'))")
check("a question that fails is asked once: %d" % len(asks), len(asks) == len(set(asks)) > 0)

# In Chinese and dark, and narrow.
b.theme(True)
b.size(800, 900)
check("in Chinese", b.open(page + "?lang=zh") and "会话" in b.run("document.getElementById('tabs').textContent"))
check("no title is left in English", b.run("[...document.querySelectorAll('[role=columnheader]')].every(e => !/[a-z]{4}/i.test(e.textContent))"))
check("narrow, it never scrolls sideways", b.run("document.documentElement.scrollWidth <= innerWidth"))
picture("sessions-zh-dark-800")
b.run("location.hash = 'view=trend&sort=requested'")
b.wait("document.body.dataset.shown === 'trend'")
picture("trend-zh-dark-800")
errors = [e for e in b.events if e["method"] in ("Runtime.exceptionThrown",)]
check("no script failed", not errors)
server.terminate()
finish()
