#!/bin/bash
# SPDX-License-Identifier: MIT
#
# texts.sh [ROOT]: the pages' table of texts, lib/render/html/texts.js: each text of the two pages is there, and the
# titles of the programs' tables and columns; none is there that no source has; none is the same in both languages
# but those below; what is put into a text is the same in both.
# lib/view/page/notes.js: each note of a reader on what was lost or guessed. No two scripts of the mailed page, which are
# joined to one, have a name in common.
set -u
cd "${1:-$SRC}" || exit 1
if ! command -v python3 >/dev/null; then
	echo 'skip - texts: no Python'
	exit 0
fi
exec python3 - <<'END'
import glob
import re
import sys

# The same in both languages: signs, and letters that statistics use.
SAME = {"#", "%", "p", "p95", "x", "25 %", "75 %", "{0} %", "{0} ~"}
# Of the pages' sources, words that are no texts: classes, selectors, what the program or the browser says.
NO_TEXTS = {"use strict", "cut folded", "growth faint", "goes on", "no writer", "bad panel", "input, select", "input, select, textarea",
            "tr.same, tr.at", "tbody tr:not(.wide)", "11px system-ui, sans-serif", "mid file", "tail file", "one file", "empty file", "sp one file", "sp row", "arrow file", "box me", "num faint", "in frames-two", "row grows", "row grows pair", "tag picked-side", "text prose", "faint one-line", "tag up", "tag warn", "quiet line-name"}
STRING = r'"((?:[^"\\\n]|\\.)*)"'
LEAST = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}")

bad = []


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def plain(s):
    return s.replace('\\"', '"').replace("\\\\", "\\")


table = read("lib/render/html/texts.js")
notes_js = glob.glob("lib/view/page/notes.js")
pages, programs, notes = {}, {}, {}
for block, texts in ((re.search(r"const PAGE_TEXTS = \{(.*?)^\};", table, re.S | re.M), pages),
                     (re.search(r"const PROGRAM_TEXTS = \{(.*?)^\};", table, re.S | re.M), programs),
                     *((re.search(r"^learn\(\{(.*?)^\}\);", read(p), re.S | re.M), notes) for p in notes_js)):
    for key, value in re.findall(r"^\t" + STRING + r":\s*" + STRING + r",$", block.group(1), re.M):
        key = plain(key)
        if key in pages or key in programs or key in notes:
            bad.append("twice in the table: %s" % key)
        texts[key] = plain(value)
known = {**pages, **programs, **notes}

# --- the scripts of a mailed page are joined to one
names = {}
for path in sorted(glob.glob("lib/render/html/*.js")):
    for line in re.findall(r"^(?:export )?(?:const|let|class|(?:async )?function) .*", read(path), re.M):
        for name in re.findall(r"(?:\b(?:const|let)|,) (\w+) = " if re.match(r"(?:export )?(?:const|let) ", line) else r"^\W*(?:\w+ )*?(?:class|function) (\w+)", line):
            if names.setdefault(name, path) != path:
                bad.append("%s: the name %s is in %s, too" % (path, name, names[name]))

# --- what the pages' sources say
scripts = {p: read(p) for p in glob.glob("lib/render/html/*.js") + glob.glob("lib/view/page/*.js") if not p.endswith(("/texts.js", "/notes.js"))}
literals = {}
for path, text in scripts.items():
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    for s in re.findall(STRING, text):
        literals.setdefault(plain(s), path)
    # The literals of the first argument: say(a ? "one" : "two", ...); of some(n, "one", "two").
    for call in re.finditer(r"\b(say|some)\(", text):
        depth, at, commas = 1, call.end(), 0
        while depth and at < len(text):
            if text[at] == '"':
                s = re.compile(STRING).match(text, at)
                # What is compared with is no text.
                if not re.search(r"[=!]== $", text[:at]) and (commas == 0 if call.group(1) == "say" else commas > 0) and depth == 1 and plain(s.group(1)) not in known:
                    bad.append("%s: not in the table: %s" % (path, s.group(0)))
                at = s.end()
                continue
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
            commas += text[at] == "," and depth == 1
            at += 1
for s, path in literals.items():
    if s not in known and s not in NO_TEXTS and ("{0}" in s or LEAST.search(s) and re.fullmatch(r"[\w ,.;:'()%…?+/-]+", s)):
        bad.append("%s: a text that is not in the table: %s" % (path, s))
for path in glob.glob("lib/view/page/*.html"):
    for s in re.findall(r">([^<>]*[a-z][^<>]*)<", read(path)) + re.findall(r'(?:aria-label|placeholder|title)="([^"]*)"', read(path)):
        literals.setdefault(s.strip(), path)
        if s.strip() not in known and s.strip() != "tracemill" and "SPDX" not in s:
            bad.append("%s: not in the table: %s" % (path, s.strip()))

# --- titles of the programs
sources = {p: re.sub(r"/\*.*?\*/", " ", read(p), flags=re.S) for p in glob.glob("lib/**/*.[ch]", recursive=True) + glob.glob("cmd/**/*.c", recursive=True)}
TITLES = [r'\{"[a-z_]+", ' + STRING + r", COLUMN_", r'(?:column|add_column|add_text_column|table_buf_column)\(\w*,? ?"[a-z_]+", ' + STRING, r"\.title = " + STRING]
for path, text in sources.items():
    if path.startswith(("lib/report/", "lib/table/", "lib/group/", "lib/history/", "lib/inspect/", "cmd/")):
        for s in (plain(s) for t in TITLES for s in re.findall(t, text)):
            if s and s not in known:
                bad.append("%s: a title that is not in the table: %s" % (path, s))
for path, name in (("lib/tally/metrics.h", r"(#define METRIC_ROWS.*?\n)\n"), ("lib/group/grouping.c", r"key_plurals\[\] = \{(.*?)\};"), ("lib/table/checks.c", r"verdict_words\[[^\]]*\] = \{(.*?)\};")):
    found = re.search(name, sources.get(path, ""), re.S)
    for s in re.findall(r'ROW\(\w+, +\d+, +"[^"]*", +' + STRING if "metrics" in path else STRING, found.group(1)) if found else []:
        if s not in known and s != "timed" and s != "waived":
            bad.append("%s: a word that is not in the table: %s" % (path, s))

# --- notes of readers: as the page puts them into Chinese, whole or by their parts; the end may be put together
readers = {p: re.sub(r"/\*.*?\*/", " ", read(p), flags=re.S) for p in glob.glob("formats/**/*.c", recursive=True)}
patterns = re.compile("|".join(re.sub(r"\\\{\d(\\#|!|\\\*)?\\\}", ".+?", re.escape(k)) for k in known))


def translated(s):
    return patterns.fullmatch(s) or "; " in s and all(patterns.fullmatch(p) for p in s.split("; "))


for path, text in readers.items():
    text = re.sub(r'"\s*"', "", re.sub(r"\bPRI([dux])\w+", r'"\1"', text))
    for m in re.finditer(r"NOTE_(?:LOSS|GUESS),|_refused_note\(", text):
        end = re.search(r"[;}]|\bNOTE_", re.sub(STRING, lambda s: "_" * len(s.group(0)), text[m.end():])).start()
        for s in re.findall(STRING, text[m.end():m.end() + end]):
            s = re.sub(r"%(?:\.\*|z|l*)[duxs]", "1", plain(s).removeprefix("; ")).replace("%%", "%").replace("{}", "1")
            if " " in s and not translated(s) and not translated(s.removesuffix("1")):
                bad.append("%s: a note that is not in lib/view/page/notes.js: %s" % (path, s))

# --- sentences on a metric have its verb from the table of metrics
if "lib/report/compare/gate_describe.c" in sources:
    sources["lib/report/compare/gate_describe.c"] += sources["lib/tally/metrics.h"]

# --- each of the table is of some source: of one file, all of its words
words = lambda s: set(re.findall(r"[A-Za-z]+", re.sub(r"%[-+.*0-9]*l*[a-zA-Z]|\\[nt]", " ", s)))
said = [set().union(*map(words, re.findall(STRING, text))) | {"s"} for text in (*sources.values(), *scripts.values(), *readers.values())]
said = [w | {x + "s" for x in w} for w in said]
for key in pages:
    if key not in literals and not any(key in re.sub(r'"\s*"', "", t) for p, t in sources.items() if p == "lib/render/html.c"):
        bad.append("the table has what no page says: %s" % key)
for key in {**programs, **notes}:
    if key not in literals and words(key) and not any(words(key.split("|")[-1]) <= w for w in said):
        bad.append("the table has what no program says: %s" % key)

# --- the two languages
for key, value in known.items():
    if (key == value) != (key in SAME):
        bad.append(("the same in both languages: %s" if key == value else "not the same in both languages, as it is said to be: %s") % key)
    if {n[1] for n in re.findall(r"\{\d[#!*]?\}", key)} != {n[1] for n in re.findall(r"\{\d\}", value)}:
        bad.append("the two have not the same put into them: %s" % key)
    if re.search(r"[\u4e00-\u9fff][,;:!?(]|[)][\u4e00-\u9fff]", value):
        bad.append("signs of English in Chinese: %s" % value)

for line in bad:
    print("  " + line)
print("%sok - texts: %d in two languages" % ("not " if bad else "", len(known)))
sys.exit(bool(bad))
END
