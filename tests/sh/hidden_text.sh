#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Names that a person would not see, or that drive what shows them, in every output: escaped for
# people, exact for programs, and never raw on a terminal. Which characters these are says perl's
# copy of Unicode's properties, and how they are to be shown a few lines of Python below.
# shellcheck disable=SC2016,SC2317 # check evaluates and calls
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

python=$(command -v /usr/bin/python3 || command -v python3)
for tool in perl script objcopy addr2line "${python:-python3}"; do
	if ! command -v "$tool" >/dev/null; then
		echo "skip - no $tool"
		exit 0
	fi
done

perl -e 'for my $c (0 .. 0x10ffff) {
	next if $c >= 0xd800 && $c < 0xe000;
	print "$c\n" if chr($c) =~ /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cc}]/;
}' >hidden

cat >text.py <<'X'
import csv, html.parser, io, json, re, sys

hidden = {int(line) for line in open("hidden")}

# The names: what spreadsheets take for formulas, what draws nothing, what turns text around, what
# drives terminals, what is no UTF-8, and what the formats themselves escape.
names = [n if isinstance(n, bytes) else n.encode() for n in (
    "=1+1", "+1", "-1", "@SUM(1)", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x", "'quoted", "''",
    "x\u202ey", "x\u2066y\u2069", "x\u200by", "\ufeffbom", "x\u2028y", "x\u2029y", "x\u061cy",
    "x\u200ey", "tag\U000e0041", "so\u00adft", "filler\u3164", "half\uffa0", "heart\u2764\ufe0f",
    "\U0001f469\u200d\U0001f469", "mongol\u180e", "x\x1b[31my", "x\x07y", "x\x7fy", "x\x08y",
    "nel\u0085", "csi\u009b31m", b"x\xffy", b"cut\xe2\x80", b"lone\xed\xa0\x80", b"long\xc0\xaf",
    "back\\slash", "as if\\x{1b}", "a,b", 'a"b', "a\rb", "a\tb", "a|b`c", "<script>", "plain", "\u00e4\u4e2d\u0301")]


def shown(name, keep="", table=False):
    """As the pages of tracemill-report(5), on tables, and tm-dump(1) say."""
    byte = "\\x{%02x}" if table else "\\x%02x"
    out, text = "", name.decode(errors="surrogateescape")
    if table:
        text = re.sub(r"(\\+)(?=[xu]\{)", r"\1\1", text)
    for c in text:
        cp = ord(c)
        if c in keep:
            out += c
        elif c == "\\" and table:
            out += c
        elif c in "\\\n\t" and not table:
            out += {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}[c]
        elif 0xDC80 <= cp <= 0xDCFF:
            out += byte % (cp - 0xDC00)
        elif cp < 0x20 or cp == 0x7F:
            out += byte % cp
        elif 0x80 <= cp < 0xA0:
            out += byte % 0xC2 + byte % cp
        elif cp in hidden:
            out += "\\u{%04x}" % cp
        else:
            out += c
    return out


def raw(data, but="\n"):
    """Nothing hidden stands in the bytes themselves, and all of them are UTF-8."""
    bad = {c for c in data.decode(errors="surrogateescape")
           if (ord(c) in hidden or 0xDC80 <= ord(c) <= 0xDCFF) and c not in but}
    assert not bad, sorted(map(ascii, bad))


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.cells, self.scripts, self.inside, self.text = set(), [], False, ""

    def handle_starttag(self, tag, attributes):
        self.inside = ("type", "application/json") in attributes
        self.text = ""

    def handle_data(self, data):
        self.text += data

    def handle_endtag(self, tag):
        self.cells.add(self.text)
        if self.inside:
            self.scripts.append(json.loads(self.text))
        self.inside = False


def strings(of):
    if isinstance(of, dict):
        of = list(of.values()) + list(of)
    if isinstance(of, list):
        return {s for x in of for s in strings(x)}
    return {of} if isinstance(of, str) else set()


def repaired(name):
    return "".join("\ufffd" if 0xDC80 <= ord(c) <= 0xDCFF else c
                   for c in name.decode(errors="surrogateescape"))


# A negative number is a number.
formula = re.compile("(?!-[0-9]+$)[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def delimited(data, tabs, guard):
    text = data.decode(errors="surrogateescape")
    if tabs:
        rows = [line.split("\t") for line in text.split("\n")[:-1]]
        plain = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}
    else:
        rows = list(csv.reader(io.StringIO(text, newline="")))
        plain = {}
    column = rows[0].index("function")
    got = []
    for row in rows[1:]:
        cell = row[column]
        assert not guard or not formula.match(cell), cell
        if plain:
            cell = re.sub(r"\\[tnr\\]", lambda m: plain[m[0]], cell)
        if guard and cell.startswith("'"):
            cell = cell[1:]
        got.append(cell.encode(errors="surrogateescape"))
    assert sorted(got) == sorted(names), set(got) ^ set(names)


what, path = sys.argv[1:]
if what == "write":
    open(path, "wb").write(b"".join(b"%s %d\n" % (n, 100 + i) for i, n in enumerate(names)))
    sys.exit()
data = open(path, "rb").read()
if what in ("terminal", "has"):
    data = re.sub(rb"\r+\n", b"\n", data)  # a terminal's line ends are CR LF
if what in ("text", "markdown", "dump"):
    raw(data)
    text = data.decode()
    for n in names:
        want = shown(n, table=what != "dump")
        if what == "markdown":
            want = want.replace("|", "\\|")
        if what == "dump":
            want = want.replace('"', '\\"')
        assert want in text, want
elif what == "html":
    raw(data, "\n\t")
    page = Page()
    page.feed(data.decode())
    assert page.scripts
    for n in names:
        want = shown(n, "\\")
        assert want in page.cells, want
        assert want in strings(page.scripts), want
    raw("".join(strings(page.scripts)).encode())
elif what in ("json", "sarif"):
    raw(data)
    text = "\0".join(strings(json.loads(data)))
    for n in names:
        assert repaired(n) in text, n
elif what == "xml":
    raw(data)
    import xml.etree.ElementTree as tree
    text = " ".join(e.get("message", "") + (e.text or "") for e in tree.fromstring(data).iter())
    for n in names:
        assert shown(n, "\\") in text, n
elif what in ("csv", "tsv", "raw-csv", "raw-tsv"):
    delimited(data, what.endswith("tsv"), not what.startswith("raw"))
elif what == "terminal":
    raw(data, "\n\t")
elif what == "has":
    raw(data, "\n\t")
    assert "x\\u{202e}y" in data.decode(), data
elif what == "block":  # 256 characters in a name: those to be seen stand there, the others do not
    text = data.decode()
    escaped = {int(h, 16) for h in re.findall(r"\\u\{([0-9a-f]{4,})\}", text)}
    escaped |= {int(h, 16) for h in re.findall(r"\\x\{(?:c2\}\\x\{)?([0-9a-f]{2})\}", text)}
    tried = {cp for cp in range(1, 0x110000) if chr(cp) not in "\n;" and not 0xD800 <= cp < 0xE000}
    assert escaped == tried & hidden, [hex(cp) for cp in escaped ^ (tried & hidden)]
    seen = {ord(c) for c in text} - {0x0A}
    assert seen == tried - hidden, [hex(cp) for cp in seen ^ (tried - hidden)]
X
is() { "$python" text.py "$@" 2>err; }

"$python" text.py write names.folded
export PAGER=cat NO_COLOR=1
top() { tm-top -q -f folded --by function -n 0 "$@" names.folded; }

# --- every character
"$python" -c '
for block in range(0, 0x110000, 0x100):
    text = "".join(chr(c) for c in range(max(block, 1), block + 0x100)
                   if chr(c) not in "\n; " and not 0xd800 <= c < 0xe000)
    if text:
        print("a" + text + "z", 1)' >all.folded 2>err
tm-top -q -f folded --by function -n 0 all.folded >all.text 2>err
check 'all characters: the hidden ones are escaped, and no other' is block all.text

# --- to a file or a pipe: for people escaped, for programs exact
for as in text markdown html json; do
	top --as $as >out.$as 2>err
	check "--as $as" is $as out.$as
done
for as in csv tsv; do
	top --as $as >out.$as 2>err
	check "--as $as has a guard that is undone" is $as out.$as
	top --as $as --raw-csv >out.$as 2>err
	check "--as $as --raw-csv is exact" is raw-$as out.$as
done
tm-import -q -f folded names.folded -o names.tmt 2>err
tm-dump names.tmt >out.dump 2>err
check 'tm-dump' is dump out.dump
printf '[rule x]\nmetric = samples\nkey = function\nmax = 1\neach = yes\n' >p.ini
for as in junit sarif; do
	tm-compare -q --gate p.ini --as $as --by function names.tmt names.tmt >out.$as 2>err
	check "--as $as: its rule is broken" [ $? = 1 ]
	check "--as $as" is ${as/junit/xml} out.$as
done

# --- messages
name=$'x\xe2\x80\xaey'
tm-top "$name" 2>out.err
check 'a message' is has out.err
tm-top --by "$name" names.tmt 2>out.err
check 'a usage error' is has out.err
tm-top -q --sites "$name" names.tmt 2>out.err
check "a file's name" is has out.err

# --- to a terminal: nothing raw in any form
on_terminal() { # COMMAND...
	script -qec "$(printf '%q ' "$@")" /dev/null </dev/null >out.tty 2>err
}
for as in text markdown html json csv tsv; do
	on_terminal tm-top -q -f folded --by function -n 0 --as $as names.folded
	check "--as $as on a terminal" is terminal out.tty
	check "... and it printed" [ -s out.tty ]
done
on_terminal tm-top -q -f folded --by function -n 0 --csv --raw-csv names.folded
check '--raw-csv on a terminal' is has out.tty
for as in junit sarif; do
	on_terminal tm-compare -q --gate p.ini --as $as --by function names.tmt names.tmt
	check "--as $as on a terminal" is terminal out.tty
done
on_terminal tm-dump names.tmt
check 'tm-dump on a terminal' is has out.tty
for as in folded speedscope chrome memtracer maps; do
	on_terminal tm-export -q --as $as --sort samples names.tmt
	check "tm-export --as $as on a terminal" is terminal out.tty
done
on_terminal tm-export -q --as folded --sort samples names.tmt
check 'tm-export --as folded on a terminal shows it' is has out.tty
tm-export -q --as folded --sort samples names.tmt >out.folded 2>err
check '... but to a file it is exact' grep -qF $'x\xe2\x80\xaey' out.folded
printf '%s\n' "> 0 x"$'\xe2\x80\xae'"y" '< 9000' | "$GEN/calls" >calls.tmt
on_terminal tm-spikes -q --pet calls.tmt
check 'tm-spikes --pet on a terminal' is has out.tty

# --- the tools that take the place of others: byte for byte in a pipe, escaped on a terminal
echo 'int f(void) { return 1; }' >f.c
cc -c f.c -o plain.o 2>err && objcopy --redefine-sym f=$'x\xe2\x80\xaey\e[31m' plain.o f.o 2>err
addr2line -f -e f.o 0 2>err | head -n 1 >want
tm-addr2line -f -e f.o 0 2>err | head -n 1 >got
check 'tm-addr2line in a pipe: the name as addr2line prints it' cmp got want
for tool in 'tm-addr2line -f -e f.o 0' 'tm-llvm-symbolizer -e f.o 0' 'tm-atos -o f.o -l 0 0'; do
	$tool >got 2>err
	check "${tool%% *} in a pipe: the name as it is" grep -q $'x\xe2\x80\xaey\e\[31m' got
	# shellcheck disable=SC2086 # words
	on_terminal $tool
	check "${tool%% *} on a terminal" is has out.tty
done
exit $failed
