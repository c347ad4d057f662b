# SPDX-License-Identifier: MIT
"""The walk of tests/sh/texts_browser.sh, in its folder: no text of the pages is in English where they are in Chinese."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[2] + "/tests")
from browser import Browser, check, finish  # noqa: E402

# What stays as it is: options, programs, units, formats, keys, the pages' own names; and names of the captures.
SAME = re.compile(r"""--?[a-z][\w-]*(=[a-z]+|\ [A-Z]+)?|tm-[a-z]+|tracemill(_frame\(\))?|\b(CSV|JSON|Enter|Backspace|Escape|Shift|English|TOP|DIR|FILE|Lua|Mono)\b
    |\b\d[\d.,]*\s?([KMGT]?i?B|ns|us|µs|ms|s|x)\b|\bp\d\d\b|\b(malloc|pool|mmap|lua|mono)\b|(?<!\w)/[\w./-]+|“[^”]*”|\S*::.*(?=\s名下)|\S+::[^（\n]*(?=（(\d+\s个实例，)?\d+\s个调用者)|^查看：.*|^\[waiver.*|^(rule|max|match|until|reason)\ =.*""", re.X | re.M)
DATA = re.compile(r"\b(main|arcade|engine|libengine|game|worker|Update|Physics|Job|Main|Worker|load_level|src|cpp|tmt|snap|all|heap|il2cpp|mem|calls|none|txt|perf|callgrind)\b|(?<![A-Za-z])(cycles|Ir)(?![A-Za-z])")

# Every text that is seen, but for cells and rows of names, and what a hint or a screen reader would say.
SEEN = """(() => {
    const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const e = walk.currentNode.parentElement, text = walk.currentNode.data.trim();
        if (text && !(e.closest("td.name") && !e.closest(".checks details > div")) && !e.closest("script, style, noscript, code, .file, .rank .one, .tile small, .node, .brand, .box, .legend.types, .same-command, #alerts, tfoot .num") && !e.closest(".cell.text:not(.total .cell)") && e.checkVisibility()) out.push(text);
    }
    for (const e of document.querySelectorAll("[title], [placeholder], [aria-label]"))
        if (!e.closest(".node, .row, .source, .rank, .box, .change-bar, .legend.types") && !(e.closest(".legend") && /^[\\w.-]+\\.so$/.test(e.title)) && e.checkVisibility())
            for (const a of ["title", "placeholder", "aria-label"]) if (e.getAttribute(a)) out.push(e.getAttribute(a));
    out.push(document.title);
    return [...new Set(out)]; })()"""


def left(b):
    out = []
    b.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    for text in b.run(SEEN):
        rest = DATA.sub("", SAME.sub("", text))
        if re.search(r"[A-Za-z]{2}", rest):
            out.append(text)
    return out


def english(b, what):
    rest = left(b)
    check("%s: no English%s" % (what, ": " + json.dumps(rest, ensure_ascii=False) if rest else ""), not rest)


b = Browser(sys.argv[1])
READY = "typeof graphs !== 'undefined'"
for name in sorted(f[:-5] for f in os.listdir(".") if f.endswith(".html")):
    page = "file://%s/%s.html" % (os.getcwd(), name)
    b.open(page + "?lang=zh", READY)
    check("%s: it says that it is in Chinese" % name, b.run("document.documentElement.lang") == "zh-CN")
    english(b, name)
    b.open(page + "?lang=en", READY)
    check("%s: in English, no Chinese but the button" % name, b.run("""(() => { const e = document.body.cloneNode(true);
        for (const x of e.querySelectorAll("script, noscript, #language, td.name, .node, .file")) x.remove();
        return e.textContent.match(/[\\u4e00-\\u9fff].*/); })()""") is None)

# What is put together of parts is so of known parts only, and a name stays one.
b.open(page + "?lang=zh", READY)
for text, want in (("requested by stack, of its own", None), ("a thing of new", None), ("operator new", None), ("real / frame base", "每帧实际大小（基准）"),
                   ("requested, live count: lower bounds", "申请大小、未释放块数：下限"),
                   ("growth: +551.9 KiB a second, standard error 330.9 KiB: no more than its own noise", "增长：每秒 +551.9 KiB，标准误差 330.9 KiB：没有超出噪声"),
                   ("+5 % and +16.0 KiB", "+5 % 且 +16.0 KiB"), ("+5 % and a thing", None),
                   ("chat_push (/a/game.c:15) allocates 36.6 KiB a run, and is not in the base (limit +20 % and +16.0 KiB). Called by main.",
                    "chat_push (/a/game.c:15) 每次运行分配 36.6 KiB，基准中没有（阈值 +20 % 且 +16.0 KiB）。由 main 调用。"),
                   ("push (a.c:15) allocates 36.6 KiB a run, was 1.0 KiB (limit +2 %). All new runs together have 3.1 % more, which counts as the machine's difference. Called by main.",
                    "push (a.c:15) 每次运行分配 36.6 KiB，原为 1.0 KiB（阈值 +2 %）。新数据的各次运行整体多 3.1 %，这部分按机器差异计。由 main 调用。"),
                   ("Statistics: 200 B -> 195 B (medians; the estimate: +86 B, +42.86 %); above the limit, but not confirmed; detectable from +585 B, +292.69 %",
                    "统计：200 B -> 195 B（中位数；估计值 +86 B、+42.86 %）；超过阈值，但未能确认；增长达到 +585 B（+292.69 %）才能检出"),
                   ("2.9 KiB; estimated by sampling, give or take 1.7 KiB", "2.9 KiB；采样估计值，误差 ±1.7 KiB"),
                   ("build-ids differ for 1 module (game), agree for 6", "1 个模块的 build-id 不同（game），6 个相同"),
                   ("filters kept 5 of 7 records, live real 16.0 MiB of 16.1 MiB (99.57%): shares are of the kept part",
                    "筛选后剩下 5 条记录（共 7 条），存活字节 16.0 MiB（共 16.1 MiB，99.57%）：占比以筛选后的为准"),
                   ("shown: the last of 2 snapshots (--snapshot N shows another)", "显示的是 2 个快照中的最后一个（--snapshot N 显示其他快照）"),
                   ("7 rows are matched by a guess: the column 'was' has their names in the base", "7 行按猜测匹配，“原名”一列是它们在基准中的名称"),
                   ("p95 and median are estimated (~): at most 0.8 % off", "p95 和中位数是估计值（~）：误差不超过 0.8 %"), ("frames: 60; worst: frame 40 with real 2.0 MiB", "帧数：60；最差的是第 40 帧，实际大小 2.0 MiB")):
    check("%s: %s" % (text, want or "as it is"), b.run("translated(%s, %s)" % (json.dumps(text), "'fact'" if re.search(r"\.$|^Statistics", text) else "''")) == (want or text))
# An event is a name, which stands in texts as it is.
for name, title, want in (("ir", "calls by Ir", "调用树（按Ir）"), ("ir", "Ir self", "Ir（自身）"), ("cycles", "calls by samples of cycles", "调用树（按cycles 的采样数）"),
                          ("cycles", "self time, cycles: estimated (~)", "自身耗时、cycles：估计值（~）"), ("cycles", "calls by faults", None)):
    b.open("file://%s/%s.html?lang=zh" % (os.getcwd(), name), READY)
    check("%s: %s" % (name, title), b.run("translated(%s)" % json.dumps(title)) == (want or title))
b.open("file://%s/runs.html?lang=zh" % os.getcwd(), READY)
check("a column's key tells two meanings of a title apart", b.run("document.querySelector('th[data-key=worst_frame]')?.innerText.trim()") == "最差的帧")
for name in ("operator new", "count", "by", "real", "all", "The", "frames: 60"):
    check("a name stays: " + name, b.run("labelled(%s)" % json.dumps(name)) == name)

check("a group's own name is a text, another name stays", b.run("groupName('base') + groupName('new') + groupName('count')") == "基准新数据count")

# The button, who made the page, the browser.
b.open(page + "?lang=en", READY)
b.click("#language")
check("the button opens it in Chinese", b.wait("document.documentElement?.lang === 'zh-CN' && %s" % READY))
check("a page is as the browser asks", b.open(page, READY) and b.run("document.documentElement.lang") == "en")
with open("made.htm", "wb") as f:
    f.write(subprocess.run(["tm-top", "-q", "--as", "html", "a.tmt"], env={**os.environ, "LC_ALL": "zh_CN.UTF-8"}, stdout=subprocess.PIPE).stdout)
os.rename("made.htm", "made.html")
check("a page that was made in Chinese is", b.open("file://%s/made.html" % os.getcwd(), READY) and b.run("document.documentElement.lang") == "zh-CN")
b.call("Emulation.setUserAgentOverride", userAgent="x", acceptLanguage="zh-CN")
check("in a Chinese browser the same page is in Chinese", b.open(page, READY) and b.run("document.documentElement.lang") == "zh-CN")
b.call("Emulation.setUserAgentOverride", userAgent="x", acceptLanguage="en-US")


def serve(*files, language="C"):
    p = subprocess.Popen(["tm-view", "--listen", "127.0.0.1:0", *files], stdout=subprocess.PIPE, stderr=open("view.log", "ab"), text=True,
                         env={**os.environ, "LC_ALL": language})
    return p, re.search(r"http://\S+", p.stdout.readline()).group(0)


HASHES = {
    "a.tmt": ["view=overview", "view=frames", "view=frames&pick=3", "view=table", "view=table&all=1&frame=3..5", "view=table&by=thread&then=type", "view=tree", "view=tree&up=1",
              "view=flame", "view=callers", "view=callers&peek=main", "view=memory", "view=source", "view=source&fn=main"],
    "calls.tmt": ["view=overview", "view=table", "view=timeline", "view=frames"],
    "heap.snap": ["view=heap", "view=heap&by=dominators", "view=heap&who=."],
    "a.tmt b.tmt": ["view=compare", "view=compare&same=1&by=type&per=frame"],
    "none.txt": ["view=overview"],
}
for files, hashes in HASHES.items():
    p, address = serve(*files.split())
    b.open(address + "?lang=zh")
    for h in hashes:
        b.go("#" + h)
        english(b, "%s: %s" % (files, h))
    if files == "calls.tmt":
        b.go("#view=table")
        check("a Chinese name and titles have the room they take", b.run("""(() => { const e = [...document.querySelectorAll(".cell.text, .head button")];
            return e.some(c => c.textContent.includes("解压缩")) && e.some(c => c.textContent === "自身耗时") && e.every(c => c.scrollWidth <= c.clientWidth); })()"""))
    p.terminate()
    p.wait()
p, address = serve("a.tmt", language="zh_CN.UTF-8")
check("tm-view in a Chinese environment", b.open(address) and b.run("document.documentElement.lang") == "zh-CN")
b.click("#language")
check("its button opens it in English", b.wait("document.documentElement?.lang === 'en' && !!document.body && !!document.body.dataset.shown"))
p.terminate()
p.wait()
complaints = b.complaints()
check("nothing on the console: " + " ".join(complaints), not complaints)
b.close()
finish()
