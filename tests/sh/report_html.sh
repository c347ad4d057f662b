#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The HTML page: nothing is loaded, names are text, what is cut is told; and in a headless browser,
# where a script at the end of the page clicks and types as a person would: no error, and sorting,
# filter, search, zoom and charts do what they say. What a search must find comes from the JSON.
# timeout: 300
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

for k in sample hostile empty big; do
	"$GEN/report" --kind "$k" -o $k.html 2>err
	status=$?
	check "$k: the page is printed" [ $status = 0 ]
done
check 'the page names no other' eval '! grep -Eqi "(src|href)=\"?[a-z]*:?//|@import|url\(" sample.html'
check 'a big page is small' [ "$(wc -c <big.html)" -lt 4000000 ]
check 'and says what it has not: rows' grep -q 'Only the first 2000 of 50000 rows' big.html
check 'nodes' grep -q 'smallest of [0-9]* nodes are drawn as (smaller)' big.html
check 'points' grep -q 'Each point is the largest of 10 of the 200000' big.html
check 'a small one has all' eval '! grep -q "class=.cut" sample.html'
check 'a name closes no element' [ "$(grep -o '</script>' hostile.html | wc -l)" = "$(grep -o '</script>' sample.html | wc -l)" ]

browser=
for b in chromium chromium-browser google-chrome; do
	if [ -z "$browser" ] && command -v $b >/dev/null; then
		browser=$b
	fi
done
if [ -z "$browser" ]; then
	echo 'skip - in a browser: there is no Chromium'
	exit $failed
fi

# Its socket needs a short path.
short=$(TMPDIR='' mktemp -d)

# What a page's own script says of it, in the attribute data-result of the body.
look() { # NAME: NAME.html and the script NAME.js -> NAME.dom, NAME.log
	{
		sed 's|^<title>|<script>window.bad = []; onerror = m => { bad.push(m); };\
addEventListener("securitypolicyviolation", e => bad.push(e.blockedURI));</script><title>|' "$1.html"
		echo '<script>{'
		cat "$1.js"
		echo '}</script>'
	} >"$1.test.html"
	TMPDIR=$short timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-dev-shm-usage --user-data-dir="$short/profile" --enable-logging=stderr \
		--window-size=1300,1000 --dump-dom "file://$PWD/$1.test.html" >"$1.dom" 2>"$1.log"
	sed -n 's/.*data-result="\([^"]*\)".*/\1/p' "$1.dom" | tr '~' '\n' >"$1.result"
}

cat >sample.js <<'END'
const results = [], say = (what, ok) => results.push((ok ? "ok - " : "not ok - ") + what);
const one = s => document.querySelector(s), all = s => [...document.querySelectorAll(s)];
const type = (input, text) => { input.value = text; input.dispatchEvent(new Event("input")); };
const mouse = (target, kind, x, y) => target.dispatchEvent(new MouseEvent(kind,
	{bubbles: true, cancelable: true, clientX: x, clientY: y}));
try {
	const table = one("section.table:not(.checks)"), rows = () => [...table.querySelectorAll("tbody tr")];
	const values = k => rows().map(r => r.cells[k].dataset.v).map(v => v === undefined ? null : +v);
	const heads = [...table.querySelectorAll("thead button")];
	const before = rows().map(r => r.textContent).join();
	heads[1].click();
	say("a first click sorts numbers down", values(1).every((v, i, a) => !i || a[i - 1] >= v));
	heads[1].click();
	say("a second one up", values(1).every((v, i, a) => !i || a[i - 1] <= v));
	heads[5].click();
	const times = values(5);
	say("blank is last", times.slice(0, 16).every(v => v !== null) && times.slice(16).every(v => v === null));
	heads[0].click();
	say("names sort as text", rows()[0].cells[0].textContent.startsWith("Audio::Mix"));
	say("no row is lost", rows().length === 24 && before.length === rows().map(r => r.textContent).join().length);
	type(table.querySelector("input"), "Script::Ca");
	say("the filter keeps rows with the name, in details too",
		rows().filter(r => !r.hidden).length === 3 + 1 && rows().every(r => r.hidden !== /Script::Ca/.test(r.textContent)));
	type(table.querySelector("input"), "(");
	say("a broken expression is a plain text", rows().filter(r => !r.hidden).length > 0);
	type(table.querySelector("input"), "");
	say("no filter, all rows", rows().every(r => !r.hidden));

	const flames = all("section.flame"), flame = flames[0], nodes = () => [...flame.querySelectorAll(".node")];
	say("there are two flame graphs", flames.length === 2 && nodes().length > 50);
	const search = flame.querySelector("input"), count = nodes().length;
	type(search, "Spawn");
	say("search marks what matches", nodes().some(n => n.classList.contains("hit")) &&
		nodes().every(n => !n.textContent || n.classList.contains("hit") === /Spawn/.test(n.textContent)));
	document.body.dataset.found = flame.querySelector(".say").textContent;
	type(search, "");
	say("and forgets it", !nodes().some(n => n.classList.contains("hit")));
	const second = nodes().find(n => n.textContent && n.style.top === "18px"), name = second.textContent, i = second.dataset.i;
	second.click();
	const zoomed = nodes().find(n => n.dataset.i === i);
	say("a click zooms", zoomed.style.width === "100%" && nodes()[0].classList.contains("up") && !!name);
	say("and shows nothing beside it", nodes().filter(n => n.style.top === "18px").length === 1);
	flame.querySelectorAll("button")[1].click();
	say("reset zooms out", nodes().length === count);
	flame.querySelector(".flip").click();
	const lowest = Math.max(...nodes().map(n => parseInt(n.style.top)));
	say("a flame graph stands on its root", nodes().find(n => n.dataset.i === "0").style.top === lowest + "px");
	flame.querySelector(".flip").click();
	mouse(nodes()[0], "mousemove", 100, 100);
	say("a tooltip tells the total", /total .*100\.00%/.test(one(".tip").textContent) && one(".tip").style.display === "block");
	const colours = new Set([...flames[1].querySelectorAll(".node")].map(n => n.style.background));
	const hues = [...colours].map(c => c.match(/\d+/g).map(Number));
	say("a differential one has red and blue", hues.some(c => c[0] > c[2] + 20) && hues.some(c => c[2] > c[0] + 20));

	const chart = one("section.series"), canvas = chart.querySelector("canvas");
	const r = canvas.getBoundingClientRect(), at = part => r.left + 84 + part * (r.width - 94);
	mouse(canvas, "mousemove", at(0.0842), r.top + 50);
	say("a chart tells the point and its mark", /frame 51/.test(one(".tip").textContent) && /spike/.test(one(".tip").textContent));
	mouse(canvas, "mousedown", at(0.25), r.top + 50);
	mouse(canvas, "mousemove", at(0.5), r.top + 50);
	mouse(canvas, "mouseup", at(0.5), r.top + 50);
	say("dragging zooms: " + chart.querySelector(".say").textContent,
		/^frame 15[01] to frame 30[01]$/.test(chart.querySelector(".say").textContent));
	mouse(canvas, "dblclick", at(0.5), r.top + 50);
	say("a double click zooms out", /^drag/.test(chart.querySelector(".say").textContent));
	const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
	say("a chart is drawn", pixels.some(v => v !== 0));
	one("#theme").click();
	say("the theme changes", !!document.documentElement.dataset.theme);
} catch (e) {
	say("no exception: " + e, false);
}
say("no error: " + bad.join(), bad.length === 0);
document.body.dataset.result = results.join("~").replace(/"/g, "'");
END
cat >hostile.js <<'END'
const found = [...document.querySelectorAll("tbody td.name")].map(c => c.textContent);
const ok = bad.length === 0 && document.title.startsWith("<\/script><script>") &&
	!document.querySelector("img") && document.querySelectorAll("script").length === 6 &&
	found.some(t => t.startsWith("\"><img src=x")) && document.querySelectorAll(".node").length > 50;
document.body.dataset.result = ok ? "ok - hostile names are text" : "not ok - hostile names: " + bad.join();
END
for k in empty big; do
	cat >$k.js <<END
document.body.dataset.result = (bad.length ? "not ok" : "ok") + " - $k: no error" +
	(bad.length ? ": " + bad.join() : "");
END
done

for k in sample hostile empty big; do
	look $k
	sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' $k.result
	if [ ! -s $k.result ] || grep -q '^not ok' $k.result; then
		failed=1
	fi
	check "$k: the page's script came to its end" [ -s $k.result ]
	check "$k: nothing on the console" eval '! grep -i "console" $k.log'
done

rm -rf "$short"

# The same share by another way.
python3 - "$GEN" >want 2>/dev/null <<'END' || echo 'skip - the share of a search: no Python' >want
import json, subprocess, sys
report = json.loads(subprocess.run([sys.argv[1] + "/report", "--as", "json"], stdout=subprocess.PIPE).stdout)
nodes = [s for s in report["sections"] if s["kind"] == "flame"][0]["nodes"]
inside, total, found = [], 0, 0
for n in nodes:
    inside.append(bool(inside) and inside[n["parent"]] or "Spawn" in n["name"])
    total += n["self"]
    found += n["self"] if inside[-1] else 0
print("%.2f%% matches" % (100 * found / total))
END
if grep -q ^skip want; then
	cat want
else
	check "a search tells the share of its stacks: $(cat want)" grep -qF "data-found=\"$(cat want)" sample.dom
fi
exit $failed
