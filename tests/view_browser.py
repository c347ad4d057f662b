# SPDX-License-Identifier: MIT
"""The walk of tests/sh/view_browser.sh, in its folder."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from urllib.parse import quote

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser, check, finish  # noqa: E402


def serve(*files):
    p = subprocess.Popen(["tm-view", "-q", *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return p, p.stdout.readline().strip()


def truth(run, key):
    return [line.split("\t") for line in open(run + "/truth.totals") if line.startswith(key + "\t")]


def text(b, selector):
    return b.run("[...document.querySelectorAll(%s)].map(e => e.textContent).join('\\n')" % json.dumps(selector))


def command(b):
    return b.run("document.getElementById('command').textContent")


# What the page does after a click or a drag: another address, shown.
def after(b, action):
    b.run("document.body.dataset.shown = ''")
    action()
    return b.wait("!!document.body.dataset.shown")


def row_of(b, name):
    """A selector of the row of a table whose first cell has this."""
    b.run("for (const e of document.querySelectorAll('[role=row].row')) if (e.querySelector('.cell').textContent.includes(%s)) { e.id = 'this-row'; break; }" % json.dumps(name))
    return "#this-row"


b = Browser(sys.argv[1])
# Names are compared as they are; short ones have a test of their own.
LONG = b.call("Page.addScriptToEvaluateOnNewDocument", source="if (location.protocol === 'http:') localStorage.setItem('names', 'long')")["identifier"]

# --- which frame was worst, and why
p, address = serve("mem.tmt")
check("the page opens", b.open(address))
hinted, came = (set(b.run(s)) for s in ("[...document.querySelectorAll('link[rel=modulepreload]')].map(e => e.href)", "performance.getEntriesByType('resource').map(e => e.name).filter(n => n.endsWith('.js'))"))
check("the page names all %d modules that come" % len(hinted), len(hinted) > 30 and {n.split("/")[-1] for n in came - hinted} == {"main.js", "texts.js", "notes.js"} and hinted <= came)
frames = truth("a", "mem.frame")
worst = max(frames, key=lambda f: int(f[3]))[1]
b.go("#view=frames")
check("frames: the worst has a button: " + worst, "worst frame " + worst in text(b, "#worst"))
check("frames: it is clicked", after(b, lambda: b.click("#worst")))
check("frames: what it has is shown", ("frame " + worst) in text(b, "h2") and "--frame " + worst in command(b))
shown = b.run("location.hash")
check("frames: a drag chooses a range", after(b, lambda: b.drag("canvas.chart", (78 + 300, 50), (78 + 700, 50))))
chosen = b.run("new URLSearchParams(location.hash.slice(1)).get('frame')")
check("frames: %s is a range" % chosen, bool(chosen) and ".." in chosen)
low, high = (int(x) for x in chosen.split(".."))
after(b, lambda: b.click("#tabs a[title='key 3']"))
after(b, lambda: b.click("#parts a[data-part=table]"))
check("every view follows: " + command(b), "--frame " + chosen in command(b))
sum_ = sum(int(f[3]) for f in frames if low <= int(f[1]) <= high)
report = json.loads(subprocess.run(["tm-top", "-q", "--as", "json", "--frame", chosen, "mem.tmt"], stdout=subprocess.PIPE).stdout)
check("and has what the game counted in these frames", report["sections"][0]["totals"][-1]["real"] == sum_)
b.go("#view=frames")
spread = json.loads(subprocess.run(["tm-frames", "-q", "--spread", "--as", "json", "mem.tmt"], stdout=subprocess.PIPE).stdout)["sections"][0]
check("frames: how each type spreads over them", b.wait("!!document.querySelector('canvas.boxes')") and spread["title"] in text(b, "h2"))
check("... the box of the first is clicked: its frame of the most",
      after(b, lambda: b.click("canvas.boxes", (300, 11))) and ("frame %d" % spread["rows"][0]["max_frame"]) in text(b, "h2"))
b.run("history.back()")
time.sleep(0.3)
b.run("history.back()")
time.sleep(0.3)
b.run("history.back()")
time.sleep(0.3)
b.run("history.back()")
time.sleep(0.3)
b.run("history.back()")
check("back goes back", b.wait("location.hash === %s" % json.dumps(shown)))
b.open(address + shown)
check("an address opens its view again", b.wait("document.title.startsWith('Frames')") and ("frame " + worst) in text(b, "h2"))
b.key("3", "Digit3", "3")
check("keys change views", b.wait("document.title.startsWith('Calls') && document.body.dataset.shown === location.hash"))
b.go("#view=flame&lib=1")
nodes = json.loads(subprocess.run(["tm-top", "-q", "--by", "stack", "--table", "stacks", "--as", "json", "mem.tmt"], stdout=subprocess.PIPE).stdout)["sections"][0]["nodes"]
check("flame: all %d nodes of the stacks are there" % len(nodes), len(nodes) > 50 and "%d nodes" % len(nodes) in text(b, "h2"))
sums = [n["self"] for n in nodes]
for i in range(len(nodes) - 1, 0, -1):
    sums[nodes[i]["parent"]] += sums[i]
outer = max((i for i in range(1, len(nodes)) if nodes[i]["parent"] == 0), key=lambda i: sums[i])
inner = max((i for i in range(1, len(nodes)) if nodes[i]["parent"] == outer), key=lambda i: sums[i])
PATH, RESET = "document.querySelector('.path').textContent", "[...document.querySelectorAll('.tools button')].find(e => e.textContent === 'reset zoom').disabled"
b.click("main canvas", (30, 27))
check("flame: a click zooms: " + nodes[outer]["name"], b.run(PATH).startswith(nodes[outer]["name"]) and not b.run(RESET))
b.key("ArrowDown")
check("flame: keys go on: " + nodes[inner]["name"], b.run(PATH).startswith(nodes[outer]["name"] + " \u203a " + nodes[inner]["name"]))
b.key("Escape")
check("flame: and out", b.run(RESET))
b.run("document.querySelector('main input[type=search]').focus()")
b.type(nodes[inner]["name"].split("(")[0])
b.key("Enter")
check("flame: Enter in the search goes to the heaviest", nodes[inner]["name"] in b.run(PATH) and "matches" in text(b, "main .tools .say"))
x, y, w, h = b.place("main canvas")
b.mouse("mousePressed", x + 30, y + 27, "right", 2)
b.mouse("mouseReleased", x + 30, y + 27, "right")
check("flame: the right button has a menu", b.wait("!!document.querySelector('.context')") and "--focus" in text(b, ".context code"))
# What the engine keeps of its own comes and goes, by 150 KB, and is there after some rounds: of each four the least counts.
used = []
for _ in range(18):
    for view in ("flame", "frames", "overview"):
        b.go("#view=" + view)
    b.call("HeapProfiler.collectGarbage")
    used.append(b.call("Runtime.getHeapUsage")["usedSize"] // 1000)
check("views that were left take no memory: %s KB" % used, min(used[14:]) - min(used[6:10]) < 8 * 50)
b.go("#view=table&by=type&then=site")
check("two keys: the command has both", "--by type,site" in command(b))
check("two keys: the outer one comes first", text(b, "[role=columnheader]").split("\n")[:2] == ["type", "site"])

# --- the command below a graph gives what is drawn, when it is typed
def typed():
    return json.loads(subprocess.run([*shlex.split(command(b)), "-q", "--as", "json"], stdout=subprocess.PIPE).stdout)["sections"]


for state in ("flame", "flame&focus=gc_alloc", "flame&sort=real", "tree", "tree&least=0"):
    b.go("#view=" + state)
    rows = len(typed()[0]["rows"])
    seen = text(b, "h2 small") if state.startswith("flame") else text(b, ".tools .faint")
    check("%s: the command gives what is drawn, %d nodes: %s" % (state, rows, command(b)), rows > 20 and ("%d nodes" if state.startswith("flame") else "%d rows") % rows in seen)

# --- what is there is seen before the rest is: here the frames' answer is held back
hold = b.call("Page.addScriptToEvaluateOnNewDocument", source="""const real = window.fetch, held = new Promise(go => window.release = go);
    window.fetch = (u, o) => String(u).startsWith('ask?q=frames') ? held.then(() => real(u, o)) : real(u, o);""")["identifier"]
b.open(address, "!!document.querySelector('.rank')")
check("the overview shows what has come", text(b, ".tile .top") and "Frames that allocate most" in text(b, "h2") and not b.run("!!document.body.dataset.shown"))
check("... and all of it, when it has", after(b, lambda: b.run("release()")) and "The whole session" in text(b, "h2") and b.run("!!document.querySelector('.timeline canvas')"))
b.call("Page.removeScriptToEvaluateOnNewDocument", identifier=hold)
p.terminate()
p.wait()
check("a program that has ended is told", b.wait("!!document.getElementById('ended')") and "has ended" in text(b, "#ended"))

# --- what grew between two builds, and who calls it
p, address = serve("a.tmt", "b.tmt")
b.open(address)
b.go("#view=timeline")
check("a timeline of two files has a command of both: " + command(b), command(b).startswith("tm-frames ") and command(b).endswith(" a.tmt b.tmt"))
b.go("#view=compare&by=function")
check("compare: new against base", "new against base" in text(b, "h2") and command(b).startswith("tm-compare --by function"))
HUES = """(() => { const c = document.querySelector('.graph canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let red = 0, blue = 0; for (let i = 0; i < d.length; i += 4) { if (d[i] > d[i + 2] + 40) red++; if (d[i + 2] > d[i] + 40) blue++; } return [red, blue]; })()"""
b.run("document.querySelectorAll('input[aria-label=\"search in the stacks\"]')[0].focus()")
b.type("remember_frame")
leak = 20 * 64
share = "%.2f%% matches" % (100 * leak / int(truth("b", "stream.allocs")[0][2]))
check("compare: the leak is %s" % share, b.wait("document.body.textContent.includes(%s)" % json.dumps(share)))
b.key("Enter")  # to its place, where it is too narrow to be drawn by itself
b.run("document.querySelector('.graph').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
b.wait(HUES + "[0] > 20", 5)
hues = b.run(HUES)
check("compare: what grew is red, nothing is blue: %s" % hues, hues[0] > 20 and hues[1] == 0)
b.go("#view=table&by=function&file_only=b.tmt")
b.run("document.querySelector('.grid').previousElementSibling.querySelector('input').focus()")
b.type("remember_frame")
b.wait("[...document.querySelectorAll('.row')].filter(e => +e.dataset.i >= 0).length < 3")
b.click(row_of(b, "remember_frame"), (40, 10))
check("callers: a row is picked", "who calls it" in text(b, ".picked button"))
check("callers: of the picked one", after(b, lambda: b.click(".picked button")))
check("callers: " + command(b), "--peek" in command(b) and "remember_frame" in command(b))
who = json.loads(subprocess.run(["tm-top", "-q", "--as", "json", "--peek", "remember_frame", "b.tmt"], stdout=subprocess.PIPE).stdout)["sections"][0]["rows"]
by = [r["function"] for r in who if r["relation"] == "called by"]
check("callers: " + ", ".join(by), by and all(name in text(b, ".columns .row") for name in by))
check("callers: a caller is clicked", after(b, lambda: b.click(".columns .row[data-i='0']", (40, 10))))
check("callers: and is in the middle now", by[0] in b.run("document.querySelector('main input').value"))
p.terminate()
p.wait()

# --- what a policy says of them: the total grew by the leak at least, and is waived; the rest fails or passes
with open("gate.ini", "w") as f:
    f.write("[rule total]\nmetric = requested\npercent = 0\n[rule sites]\nmetric = requested\nkey = function\neach = yes\npercent = 0\n"
            "[rule bounded]\nmetric = requested\nmax = 1GiB\n[waiver w]\nrule = total\nuntil = 2099-01-01\nreason = \u5df2\u77e5\n")
p, address = serve("--gate", "gate.ini", "a.tmt", "b.tmt")
b.open(address)
b.go("#view=compare&by=function")
want = json.loads(subprocess.run(["tm-compare", "-q", "--as", "json", "--gate", "gate.ini", "a.tmt", "b.tmt"], stdout=subprocess.PIPE).stdout)
rules = next(s for s in want["sections"] if s["kind"] == "checks")["rules"]
shown = text(b, ".row")
check("gate: the command has it: " + command(b), "--gate gate.ini" in command(b))
check("gate: waived, failed and passed: " + " ".join(r["verdict"] for r in rules), sorted(r["verdict"] for r in rules) == ["fail", "pass", "waived"]
      and all(r["rule"] + sign + " " + r["verdict"] in shown.replace("\u25be", "").replace("\u25b8", "").replace("\u00b7", "") for r in rules for sign in {"fail": "\u2715", "pass": "\u2713", "waived": "!"}[r["verdict"]]))
check("gate: what failed is first", shown.index("\u2715 fail") < shown.index("! waived") < shown.index("\u2713 pass"))
broke = next(r for r in rules if r["verdict"] == "fail")["breaches"][0]
said = text(b, ".sentence")
check("gate: a sentence says which rule failed, of what, and by how much: " + said, all(w in said for w in (
    broke["subject"], re.search(r"\((.*)\)$", broke["measured"]).group(1), "Called by " + broke["callers"].split(" < ")[0])))
heads = text(b, "[role=columnheader]").split("\n")
check("gate: each title says of which metric it is: %s" % heads, not any(h == "change %" for h in heads) and any(h.startswith("requested: change") for h in heads))
check("gate: what was measured, why it is waived, what broke: " + shown.replace("\n", " "), rules[0]["measured"] in shown and "\u5df2\u77e5" in shown and "remember_frame" in shown)
p.terminate()
p.wait()

# --- what each line of it costs
p, address = serve("--source-dir", sys.argv[2] + "/testdata", "mem.tmt")
b.open(address)
b.go("#view=source")
b.run("document.querySelector('.grid').previousElementSibling.querySelector('input').focus()")
b.type("new_array<eng::Particle>")
b.wait("[...document.querySelectorAll('.row')].filter(e => +e.dataset.i >= 0).length < 3")
check("source: a function is picked", after(b, lambda: b.click(row_of(b, "new_array<eng::Particle>"), (40, 10))))
fn = b.run("new URLSearchParams(location.hash.slice(1)).get('fn')")
words = ["--source", "^\\Q" + fn + "\\E$", "--source-dir", sys.argv[2] + "/testdata"]
check("source: " + command(b), command(b).startswith("tm-top --source") and all(w in command(b) for w in words))
lines = json.loads(subprocess.run(["tm-top", "-q", "--as", "json", *words, "mem.tmt"], stdout=subprocess.PIPE).stdout)["sections"][0]["rows"]
check("source: the lines are those of the command: %d" % len(lines), len(lines) > 5 and text(b, ".source tbody tr td:last-child") == "\n".join(r["text"] for r in lines if r["_depth"]))
check("source: what costs stands beside its line", b.run("[...document.querySelectorAll('.source tr.hot td.n')].map(e => +e.textContent)")
      == [r["line"] for r in lines if r["_depth"] and r["total_share"]])
p.terminate()
p.wait()

# --- what its instructions cost, beside it
engine = [sys.argv[3] + "/bin/libengine.so", sys.argv[3] + "/bin/arcade"]
p, address = serve("--source-dir", sys.argv[2] + "/testdata", "-e", engine[0], "-e", engine[1], "mem.tmt")
b.open(address)
b.go("#view=source&fn=" + quote("eng::gc_alloc(eng::Klass const&, unsigned long)"))
said = text(b, ".same-command code")
check("instructions: their command: " + said, said.startswith("tm-inspect --disassemble") and all(f in said for f in engine))
asked = shlex.split(said)
code = json.loads(subprocess.run([asked[0], "-q", "--as", "json", *asked[1:]], stdout=subprocess.PIPE).stdout)["sections"][0]["rows"]
CODE = ".beside > :last-child .source"
check("instructions: all of them: %d" % len(code), len(code) > 20 and text(b, CODE + " tbody td.n") == "\n".join(r["address"] for r in code if r["_depth"]))
costs = [[r["address"], r["total_real"]] for r in code if r["_depth"] and r["total_real"] is not None]
check("instructions: one call has all: %s" % costs, len(costs) == 1 and costs[0][1] == code[0]["total_real"] and b.run(
    "[...document.querySelectorAll('%s tr.hot td.n')].map(e => e.textContent)" % CODE) == [costs[0][0]])
HERE = "[...document.querySelectorAll('%s tr.same')].map(r => r.cells[3].textContent).join(' ')"
b.run("document.querySelector('.beside > :first-child .source tr.hot').scrollIntoView({block: 'center'})")
b.click(".beside > :first-child .source tr.hot")
line = b.run("document.querySelector('.beside > :first-child tr.at').cells[3].textContent")
check("instructions: a click on line %s marks those of it" % line, b.run(HERE % CODE).split() == [
    r["address"] for r in code if r["_depth"] and any(x.endswith("/gc.cpp:" + line) for x in [r["line"], *(r["inlined_at"] or "").split(" < ")])] != [])
check("instructions: the line is in the address", "line=" + line in b.run("location.hash"))
b.run("document.querySelector('%s').focus()" % CODE)
b.key("End")
last = [r for r in code if r["_depth"]][-1]
check("instructions: keys choose a row: " + last["address"], b.run("document.querySelector('%s tr[aria-current=true]').cells[3].textContent" % CODE) == last["address"])
check("instructions: and it is read out", last["address"] in text(b, "[role=status].path"))
check("instructions: both sides have names", b.run("[...document.querySelectorAll('.beside [role=region]')].every(e => e.tabIndex === 0 && /^(source|instructions) of eng::gc_alloc/.test(e.getAttribute('aria-label')))"))
b.go("#view=source&fn=" + quote("eng::List<eng::Contact>::set_capacity(int)"))
check("instructions: of what was inlined", "collide" in text(b, ".beside > :last-child h2") and b.run("document.querySelectorAll('%s tr.hot').length" % CODE) > 0)
chosen = frames[0][1] + ".." + frames[3][1]
b.go("#view=source&frame=" + chosen + "&fn=" + quote("eng::gc_alloc(eng::Klass const&, unsigned long)"))
part = sum(int(f[3]) for f in frames[:4])
check("instructions: of a range of frames: %d" % part, text(b, CODE + " tr.hot td.cost").split("\n")[1] != "" and b.run(
    "document.querySelectorAll('%s tr.hot td.cost')[1].title" % CODE) == "{:,} bytes".format(part))
b.size(800, 900)
check("instructions: below each other where there is no room", b.wait(
    "document.querySelector('.beside > :last-child').getBoundingClientRect().top >= document.querySelector('.beside > :first-child').getBoundingClientRect().bottom"))
b.size(360, 900)
b.go("#view=table&by=thread")
b.wait("document.querySelectorAll('.grid .row').length > 1")
GRID = "document.querySelector('.grid')"
check("a narrow table keeps names and shares in sight", b.run("(g => g.scrollWidth <= g.clientWidth)(%s)" % GRID) and text(b, "[role=columnheader]").split("\n")[0] == "thread" and "share" in text(b, "[role=columnheader]"))
b.click(".tools .menu summary")
b.run("document.querySelectorAll('.tools .menu input').forEach(e => e.checked || e.click())")
check("a table has room for the bar below it", b.wait(
    "(g => g.scrollWidth > g.clientWidth && parseFloat(g.style.height) >= g.firstChild.offsetHeight + 15)(document.querySelector('.grid'))"))
b.size(1400, 900)
p.terminate()
p.wait()
# A file that has changed is loaded again, and what was chosen stays.
shutil.copy("mem.tmt", "again.tmt")
p, address = serve("--follow", "-e", engine[0], "again.tmt")
b.open(address)
b.go("#view=source&fn=" + quote("eng::gc_alloc(eng::Klass const&, unsigned long)"))
b.run("document.querySelector('%s').focus(); document.querySelector('%s').mark = 1" % (CODE, CODE))
b.key("End")
shutil.copy("mem.tmt", "other.tmt")
os.rename("other.tmt", "again.tmt")
check("instructions: they are drawn again", b.wait("document.querySelector('%s') && !document.querySelector('%s').mark" % (CODE, CODE)))
check("... and what was chosen stays chosen", b.wait("document.querySelector('%s tr[aria-current=true]')?.cells[3].textContent === %s" % (CODE, json.dumps(last["address"])))
      and b.run("document.activeElement.matches('%s')" % CODE))
p.terminate()
p.wait()
p, address = serve("mem.tmt")
b.open(address)
b.go("#view=source&fn=main")
check("instructions: without a binary the option is named", "tm-view -e FILE" in text(b, "main") and not b.run("document.querySelector('.beside')"))
p.terminate()
p.wait()

# --- what holds this texture
p, address = serve("heap.snap")
b.open(address)
b.go("#view=heap")
check("heap: what there is", "tm-heap" in command(b))
b.wait("document.getElementById('whole').textContent.includes('complete')")  # rows are not drawn again then
names = text(b, ".row")
texture = "Texture2D" if "Texture2D" in names else "Texture"
check("heap: there are textures", texture in names)
check("heap: a type is clicked", after(b, lambda: b.click(row_of(b, texture), (40, 10))))
check("heap: who holds it: " + command(b), "--who" in command(b) and b.run("document.querySelectorAll('.row').length") > 1)
b.go("#view=heap")
check("heap: the tree of dominators is chosen", after(b, lambda: b.run(
    "{const e = document.querySelector('select[aria-label=by]'); e.value = 'dominators'; e.dispatchEvent(new Event('change')); true}")))
held = json.loads(subprocess.run(["tm-heap", "-q", "--as", "json", "--dominators", "-n", "2000", "heap.snap"], stdout=subprocess.PIPE).stdout)["sections"][0]["rows"]
check("heap: dominators: " + command(b), "--dominators" in command(b) and b.run("!!document.querySelector('[role=treegrid]')") and all(
    r["name"] in text(b, ".row") for r in held[:4]))
check("heap: a row of it is picked", after(b, lambda: b.click(row_of(b, held[1]["name"]), (200, 10))))
check("heap: who holds that: " + command(b), "--who" in command(b) and held[1]["object"] in command(b))
p.terminate()
p.wait()

# --- where is the time of this thread
p, address = serve("calls.tmt")
b.open(address)
b.go("#view=timeline")
check("time line: both threads", "Main" in text(b, ".track .name") and "Worker" in text(b, ".track .name") and "渲染场景" in subprocess.run(
    ["tm-frames", "-q", "--bars", "calls.tmt"], stdout=subprocess.PIPE, text=True).stdout)
x, y, w, h = b.place(".track:last-child canvas")
b.call("Input.dispatchMouseEvent", type="mouseWheel", x=x + w / 2, y=y + 5, deltaX=0, deltaY=-240)
check("time line: the wheel zooms, and the address has it", b.wait("location.hash.includes('zoom=')"))
check("time line: how far is said", text(b, ".track .now").count("\u00d7") == 1)
b.run("history.back()")
check("time line: Back zooms out", b.wait("!location.hash.includes('zoom=') && !document.querySelector('.timeline').textContent.includes('\u00d7')"))
b.go("#view=spikes")
check("slow calls: the longest is Physics", "Physics" in text(b, ".row"))
b.click("#more")
b.run("document.querySelector('input[name=thread]').focus()")
b.type("Main")
after(b, lambda: b.key("Enter", text="\r"))
after(b, lambda: b.click("#tabs a[title='key 3']"))
after(b, lambda: b.click("#parts a[data-part=tree]"))
rows = text(b, ".row")
check("the calls of that thread alone", "--thread Main" in command(b) and "Physics" in rows and "Job" not in rows)
check("names of other scripts are shown", "渲染场景" in rows)
HIDDEN = "re\\u{202e}ver\\u{200b}se"
check("what would not be seen of a name is: " + HIDDEN, HIDDEN in rows)
check("... and finds it, as it is", after(b, lambda: (b.click(row_of(b, HIDDEN)), b.click(".picked button"))) and
      "Update" in text(b, ".row") and b.run("new URLSearchParams(location.hash.slice(1)).get('peek')") == "re\u202ever\u200bse")
RAW = "/[\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]/.test(document.title + document.body.innerText + [...document.querySelectorAll('[title], [aria-label]')].map(e => e.title + e.ariaLabel).join())"
check("... nothing of it is in the page unseen, but in the field to type in", not b.run(RAW))
p.terminate()
p.wait()

# --- a recording that goes on: the total moves, what was typed and picked stays, and its end is said
with open("whole.tmt", "rb") as f:
    whole = f.read()
grows = open("grows.tmt", "wb")
grows.write(whole[:len(whole) // 3])
grows.flush()
p, address = serve("--no-symbols", "--follow", "grows.tmt")
b.open(address)
b.go("#view=table&by=type")
TOTAL = "document.querySelector('.row.total')?.textContent"
first = b.run(TOTAL)
check("following: the page says so", b.wait("document.getElementById('growth').textContent.startsWith('recording')"))
b.run("document.querySelector('.grid').previousElementSibling.querySelector('input').focus()")
b.type("T")
name = b.run("document.querySelector('.row[data-i=\"2\"] .cell').textContent")
b.click(".row[data-i='2']", (40, 10))
b.run("document.body.mark = 1")
grows.write(whole[len(whole) // 3:len(whole) // 3 * 2])
grows.flush()
check("following: the total moves: " + first, b.wait(TOTAL + " !== " + json.dumps(first)))
check("following: without a reload", b.run("document.body.mark === 1"))
check("following: what was typed stays, and where", b.run("document.querySelector('.grid').previousElementSibling.querySelector('input').value") == "T")
check("following: what was picked stays picked: " + name, b.wait("document.querySelector('.row[aria-selected=true] .cell')?.textContent === " + json.dumps(name)))
grows.write(whole[len(whole) // 3 * 2:])
grows.close()
check("following: the end is said", b.wait("document.getElementById('growth').textContent.includes('has ended')"))
last = json.loads(subprocess.run(["tm-top", "-q", "--no-symbols", "--as", "json", "--by", "type", "grows.tmt"], stdout=subprocess.PIPE).stdout)["sections"][0]["totals"][-1]
check("following: and the total is that of the whole", b.wait(TOTAL + ".includes(%s)" % json.dumps("{:,}".format(last["count"]))))
p.terminate()
p.wait()

# --- a recording that was killed: its file is cut, and nobody has it open
with open("killed.tmt", "wb") as f:
    f.write(whole[:len(whole) // 3])
p, address = serve("--no-symbols", "--follow", "killed.tmt")
b.open(address)
check("a recording that was killed: the page says that no process writes it", b.wait("document.getElementById('growth').textContent.includes('no process writes')"))
p.terminate()
p.wait()

# --- what cannot be read
p, address = serve("none.txt")
b.open(address)
check("a file that cannot be read: the page says why", "unknown capture format" in text(b, "#alerts"))
p.terminate()
p.wait()

# --- a hundred thousand rows: elements are made for those that are seen alone, however far they are scrolled and
# filtered. (make bench says how long the page's tasks take.)
p, address = serve("--time-limit", "600", "many.tmt")
b.open(address)
b.go("#view=table&by=stack&rows=0")
b.wait("!!document.querySelector('.grid') && document.getElementById('sofar').hidden", 60)  # all of the file is read
b.wait("document.querySelector('.grid')?.getAttribute('aria-rowcount') === '100000'", 60)
rows = b.run("+document.querySelector('.grid').getAttribute('aria-rowcount')")
check("many rows are there: %d" % rows, rows == 100000)
check("few of them are drawn", b.run("document.querySelectorAll('.row').length") < 120)
b.run("""window.made = 0;
new MutationObserver(all => { for (const m of all) for (const e of m.addedNodes) made += e.nodeType === 1 && (e.matches('.row') ? 1 : e.querySelectorAll('.row').length); })
    .observe(document.querySelector('main'), {childList: true, subtree: true}); 1""")


def made():
    """Rows that were made since the last call, after the page has drawn what there is."""
    return b.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => { const n = made; made = 0; done(n); })))")


x, y, w, h = b.place(".grid")
for _ in range(30):
    b.call("Input.dispatchMouseEvent", type="mouseWheel", x=x + 200, y=y + 200, deltaX=0, deltaY=900)
b.wait("document.querySelector('.grid').scrollTop > 900")
wheel = made()
check("scrolling by 30 turns makes rows of 30 pictures at most: %d" % wheel, 0 < wheel <= 30 * 120)
b.run("document.querySelector('.grid').scrollTop = 1e6; 1")
check("the rows that are seen are the right ones", b.wait("Math.abs(+document.querySelector('.row:nth-child(20)').getAttribute('aria-rowindex') - 1e6 / 25) < 60"))
jump = made()
check("a jump of 40,000 rows makes those of one picture or two: %d" % jump, 0 < jump <= 2 * 120)
b.run("document.querySelector('.grid').previousElementSibling.querySelector('input').focus()")
b.type("a1")
check("filtering has an end", b.wait("/ of /.test(document.querySelector('.grid').previousElementSibling.textContent)"))
check("few rows are drawn after filtering", b.run("document.querySelectorAll('.row').length") < 120)
p.terminate()
p.wait()

# --- a large file: numbers of its first part are said to be that, and all of them come
SEEN = b.call("Page.addScriptToEvaluateOnNewDocument", source="""window.labels = [];
new MutationObserver(() => { const e = document.getElementById('sofar'), tiles = document.querySelectorAll('[data-tile]').length;
    if (e && e.textContent) labels.push([e.textContent, tiles]); }).observe(document, {subtree: true, childList: true, characterData: true});""")["identifier"]
for _ in range(5):  # where the machine is busy, all may have been read before the page asks
    p, address = serve("--no-symbols", "large.tmt")
    b.open(address)
    whole = b.wait("document.getElementById('sofar').hidden && document.getElementById('whole').textContent.includes('complete') && !!document.querySelector('[data-tile=allocations]')", 120)
    labels = b.run("labels")
    p.terminate()
    p.wait()
    if any(n for _, n in labels):
        break
check("large: all of it is shown", whole)
check("large: labels say that it is a part", all("So far: the first " in t for t, _ in labels))
if any(n for _, n in labels):
    check("large: before, what is known of the file, then tiles, with a label: %d" % len(labels), any(not n for _, n in labels))
else:
    print("skip - large: tiles of a part of the file (five times all was read before the page asked for them)")
b.call("Page.removeScriptToEvaluateOnNewDocument", identifier=SEEN)

complaints = b.complaints()
check("nothing on the console: " + " ".join(complaints), not complaints)
b.close()
finish()
