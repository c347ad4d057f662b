#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The HTML page: nothing is loaded, names are text, what is cut is reported; and in a headless
# browser, where a script at the end of the page clicks and types as a person would: no error, and
# sorting, filter, search, zoom and charts do what they say. What a search must find comes from the
# JSON. timeout: 600
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
# 407,623 and 2,140 nodes of at most 10 and 20 bytes, 50,000 rows of at most 70, half a megabyte of charts, and
# a picture, scripts and rows of the text.
check 'a big page is small' [ "$(wc -c <big.html)" -lt $((407623 * 10 + 2140 * 20 + 50000 * 70 + 1000000)) ]
check 'it has all rows and nodes' eval '! grep -Eq "<p class=.cut.>.*(rows are in this page|are drawn as \(smaller\))" big.html'
check 'and says what it has not: points' grep -q 'Each point is the largest of 10 of the 200000' big.html
check 'without scripts: rows' grep -q 'Scripts do not run here: the first 1000 of 50000 rows are shown' big.html
check 'without scripts: nodes' grep -q 'Scripts do not run here: of 407623 nodes these are the [0-9]* heaviest' big.html
# More than a page has room for.
"$GEN/report" --kind big --rows 900000 --stacks 400000 -o huge.html
check 'a huge page is bounded' [ "$(wc -c <huge.html)" -lt 70000000 ]
check 'and says what it has not: rows' grep -Eq 'Only the first [0-9]* of 900000 rows are in this page' huge.html
check 'nodes' grep -Eq 'smallest of [0-9]* nodes are drawn as \(smaller\)' huge.html
rm -f huge.html
check 'a small one has all' eval '! grep -Eq "<p class=.cut.>.*(rows are in this page|are drawn as|Each point is|of 24 rows are shown)" sample.html'
check 'a name closes no element' [ "$(grep -o '</script>' hostile.html | wc -l)" = "$(grep -o '</script>' sample.html | wc -l)" ]

# shellcheck source=tests/browser.bash
. "$SRC/tests/browser.bash"

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
// Red, green and blue as they are shown: "rgb(1, 2, 3)", or "color(srgb 0.1 0.2 0.3)" of what was mixed.
const shade = n => { const c = getComputedStyle(n).backgroundColor, v = c.match(/[\d.]+/g).map(Number); return c.startsWith("color") ? v.map(x => 255 * x) : v; };
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
	[...flame.querySelectorAll("button")].find(b => b.textContent === "reset zoom").click();
	say("reset zooms out", nodes().length === count);
	flame.querySelector(".flip").click();
	const lowest = Math.max(...nodes().map(n => parseInt(n.style.top)));
	say("a flame graph stands on its root", nodes().find(n => n.dataset.i === "0").style.top === lowest + "px");
	flame.querySelector(".flip").click();
	mouse(nodes()[0], "mousemove", 100, 100);
	say("a tooltip tells the total", /total .*100\.00%/.test(one(".tip").textContent) && one(".tip").style.display === "block");
	const hues = [...flames[1].querySelectorAll(".node:not(.fold)")].map(shade);
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

open_page() { # NAME: what its script says, as checks
	k=$1
	look "$k"
	sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' "$k.result"
	if [ ! -s "$k.result" ] || grep -q '^not ok' "$k.result"; then
		failed=1
	fi
	check "$k: the page's script came to its end" [ -s "$k.result" ]
	check "$k: nothing on the console" eval '! grep -i "console" $k.log'
}
for k in sample hostile empty big; do
	open_page $k
done

# The pages of programs, on captures of the demo; what is found is what the game counted itself.
game=$DATA/demo/gcc-dwarf5-O2
truth() { awk -F '\t' -v key="$2" -v name="$3" -v k="$4" '$1 == key && (name == "" || $2 == name) { print $k }' "$1/truth.totals"; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f%%", 100 * a / b }'; }
if [ -x "$game/bin/arcade" ]; then
	mkdir -p a b
	"$game/bin/arcade" --frames 20 --out a && "$game/bin/arcade" --frames 20 --leak 64 --grow 7 --out b
	for run in a b; do
		tm-symbolize -q --maps $run/arcade.maps --locations return -e "$game/bin/arcade" \
			-e "$game/bin/libengine.so" $run/arcade.stream >$run.tmt
	done
	tm-symbolize -q --maps a/arcade.maps --locations return -e "$game/bin/arcade" \
		-e "$game/bin/libengine.so" a/arcade.mem >mem.tmt
	tm-top -q --by function -o top.html mem.tmt
	tm-frames -q --sort real -o frames.html mem.tmt
	tm-compare -q --by function -o compare.html a.tmt b.tmt

	cat >common.js <<'END'
const results = [], say = (what, ok) => results.push((ok ? "ok - " : "not ok - ") + what);
// Red, green and blue as they are shown: "rgb(1, 2, 3)", or "color(srgb 0.1 0.2 0.3)" of what was mixed.
const shade = n => { const c = getComputedStyle(n).backgroundColor, v = c.match(/[\d.]+/g).map(Number); return c.startsWith("color") ? v.map(x => 255 * x) : v; };
const one = s => document.querySelector(s), type = (input, text) => { input.value = text; input.dispatchEvent(new Event("input")); };
const mouse = (target, kind, x, y) => target.dispatchEvent(new MouseEvent(kind,
	{bubbles: true, cancelable: true, clientX: x, clientY: y}));
const flame = one("section.flame"), nodes = () => [...flame.querySelectorAll(".node")];
const told = () => flame.querySelector(".say").textContent;
const hint = () => one(".tip").textContent;
const overlaps = () => nodes().map(n => ({top: n.style.top, r: n.getBoundingClientRect()}))
	.sort((a, b) => parseInt(a.top) - parseInt(b.top) || a.r.left - b.r.left)
	.some((n, i, a) => i && n.top === a[i - 1].top && a[i - 1].r.right > n.r.left + 0.6);
END
	all=$(truth a mem.total '' 3)
	{
		cat common.js
		echo "const want = {collide: '$(percent "$(truth a mem.function eng::collide 5)" "$all") matches', " \
			"main: '$(percent "$(truth a mem.function main 5)" "$all")'," \
			"count: 'total $(truth a mem.function main 6) '};"
		cat <<'END'
try {
	type(flame.querySelector("input"), "eng::collide");
	say("tm-top: a search tells " + want.collide, told().startsWith(want.collide));
	const n = nodes().find(n => n.textContent === "main");
	mouse(n, "mousemove", 100, 100);
	say("tm-top: main has " + want.main, /total/.test(hint()) && hint().includes(want.main));
	say("tm-top: no node lies on another", !overlaps());
	const count = nodes().length;
	n.click();
	say("tm-top: zoomed into main", nodes().find(m => m.dataset.i === n.dataset.i).style.width === "100%" && nodes().length !== count);
	const button = text => [...flame.querySelectorAll("button")].find(b => b.textContent === text);
	button("reset zoom").click();
	say("tm-top: and out", nodes().length === count);

	// Picked in the table: shown in the graph, with callers and callees; and back.
	const link = [...document.querySelectorAll("section.table button.pick")].find(b => b.textContent.startsWith("eng::collide("));
	link.click();
	const around = () => flame.querySelector(".around");
	say("tm-top: a row's function has its total below the graph",
		around().querySelector("b").textContent.startsWith("eng::collide(") && around().textContent.includes(want.collide.split(" ")[0]));
	const sums = [...around().querySelectorAll(".sides > div")].map(side =>
		[...side.querySelectorAll("tr")].reduce((a, r) => a + parseFloat(r.cells[1].textContent), 0));
	say("tm-top: its callers add up to it: " + sums[0].toFixed(2), Math.abs(sums[0] - 100) < 0.1);
	say("tm-top: it is marked in the graph", nodes().some(n => n.classList.contains("picked")));
	const caller = around().querySelector(".sides button.pick"), up = caller.textContent;
	caller.click();
	say("tm-top: a caller is picked in turn", around().querySelector("b").textContent === up);
	const callee = [...around().querySelectorAll(".sides > div")[1].querySelectorAll("td.name")].map(c => c.textContent);
	say("tm-top: and calls what it is a caller of", callee.some(name => name.startsWith("eng::collide(")));
	const row = [...document.querySelectorAll("section.table tbody tr")].find(r => [...r.cells].some(c => c.textContent === "main"));
	nodes().find(n => n.textContent === "main").click();
	say("tm-top: a function picked in the graph has its row marked", row.classList.contains("picked"));
	button("reset zoom").click();
	button("as tree map").click();
	const area = n => parseFloat(n.style.width) * parseFloat(n.style.height);
	const root = nodes().find(n => n.dataset.i === "0");
	say("tm-top: a tree map lies within its root", nodes().length > 5 && nodes().every(n => area(n) <= area(root)));
	const boxes = nodes().map(n => n.getBoundingClientRect());
	say("tm-top: of two rectangles one has the other, or they do not meet", !boxes.some((a, i) => boxes.some((b, k) => k > i &&
		Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1 &&
		!(b.left >= a.left - 1 && b.right <= a.right + 1 && b.top >= a.top - 1 && b.bottom <= a.bottom + 1))));
	button("as stacks").click();

	// Other widths: each measure's main has the share that the truth has of it.
	const choice = flame.querySelector("select");
	const title = [...choice.options].map(o => o.textContent);
	say("tm-top: there are measures to choose: " + title.join(), title.length > 1 && title.includes("entries"));
	choice.selectedIndex = title.indexOf("entries");
	choice.dispatchEvent(new Event("change"));
	mouse(nodes().find(n => n.textContent === "main"), "mousemove", 100, 100);
	say("tm-top: of entries main has " + want.count, hint().includes(want.count));
} catch (e) { say("no exception: " + e, false); }
say("tm-top: no error: " + bad.join(), bad.length === 0);
document.body.dataset.result = results.join("~").replace(/"/g, "'");
END
	} >top.js
	worst=$(awk -F '\t' '$1 == "mem.frame" && $4 > most { most = $4; frame = $2 } END { print frame }' a/truth.totals)
	{
		echo "const worst = $worst;"
		grep -v '^const \(flame\|told\|overlaps\)\|^	\.s' common.js
		cat <<'END'
try {
	const chart = one("section.series"), canvas = chart.querySelector("canvas"), r = canvas.getBoundingClientRect();
	const at = frame => r.left + 84 + (frame - 0.5) / 20 * (r.width - 94);
	mouse(canvas, "mousemove", at(worst), r.top + 50);
	say("tm-frames: worst: frame " + worst, new RegExp("frame " + worst + "\\b").test(hint()));
	const first = one("section.table tbody tr").cells;
	say("tm-frames: it is the first row", [...first].some(c => c.textContent === String(worst)));
	mouse(canvas, "mousedown", at(5), r.top + 50);
	mouse(canvas, "mousemove", at(12), r.top + 50);
	mouse(canvas, "mouseup", at(12), r.top + 50);
	say("tm-frames: dragging zooms", /^frame 5 to frame 12$/.test(chart.querySelector(".say").textContent));
	mouse(canvas, "dblclick", at(5), r.top + 50);
	say("tm-frames: a double click zooms out", /^drag/.test(chart.querySelector(".say").textContent));
	say("tm-frames: the chart is drawn", canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(v => v));
} catch (e) { say("no exception: " + e, false); }
say("tm-frames: no error: " + bad.join(), bad.length === 0);
document.body.dataset.result = results.join("~").replace(/"/g, "'");
END
	} >frames.js
	# 20 frames leak 64 bytes each; of the base's widths nothing is remembered.
	{
		cat common.js
		echo "const leak = '$(percent 1280 "$(truth b stream.allocs '' 3)") matches';"
		cat <<'END'
try {
	const input = flame.querySelector("input"), buttons = () => [...flame.querySelectorAll("button")];
	type(input, "remember_frame");
	say("tm-compare: a search tells the leak's " + leak, told().startsWith(leak) && told().includes("1.3 KiB"));
	const hues = nodes().filter(n => !n.classList.contains("fold")).map(shade);
	say("tm-compare: what grew is red, nothing is blue", hues.some(c => c[0] > c[2] + 20) && !hues.some(c => c[2] > c[0] + 20));
	const tiles = nodes().find(n => n.textContent.startsWith("arcade::Tile* eng::create"));
	mouse(tiles, "mousemove", 100, 100);
	say("tm-compare: the tiles grew by 7 %", hint().includes("+7.00%"));
	tiles.click();
	say("tm-compare: a click zooms", nodes().find(n => n.dataset.i === tiles.dataset.i).style.width === "100%");
	buttons().find(b => b.textContent === "reset zoom").click();
	buttons().find(b => b.textContent === "widths: new").click();
	say("tm-compare: the base has nothing of it", told().startsWith("0.00% matches (0 B)"));
	say("tm-compare: a column of short texts does not wrap", [...document.querySelectorAll("td.prose")].some(c => c.textContent === "new" && c.offsetWidth < 140));
	say("tm-compare: no node lies on another", !overlaps());
} catch (e) { say("no exception: " + e, false); }
say("tm-compare: no error: " + bad.join(), bad.length === 0);
document.body.dataset.result = results.join("~").replace(/"/g, "'");
END
	} >compare.js
	for k in top frames compare; do
		open_page $k
	done
else
	echo 'skip - pages of the demo in a browser: there is no demo here'
fi

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
exit "$failed"
