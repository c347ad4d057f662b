// SPDX-License-Identifier: MIT
// The page of a server of sessions: the list of runs, the trend of a metric over builds, two runs side by side. Its
// state is its address: #view=trend&sort=peak&branch=main.
import {panel, segments, quote, named} from "./parts.js";
import {make, button, hideTip, showTip, pencil, redraws} from "./dom.js";
import {shown as seen, format} from "./format.js";
import {draw, nothing} from "./document.js";
import {Table} from "./table.js";
import {badge, verdict} from "./gate.js";
import {card} from "./cards.js";

const el = id => document.getElementById(id), main = el("view"), EVERY_MS = 2000;
const views = {runs: "Sessions", trend: "Trend", compare: "Compare"};
const metrics = [["auto", "auto"], ["peak", "peak"], ["live", "live"], ["requested", "requested"], ["count", "count"], ["temporary", "temporary"], ["self-time", "self time"]], frameMetrics = [["p99-frame", "p99 frame"]];
const keys = [["total", "total"], ["owner", "owner"], ["type", "type"], ["site", "site"], ["function", "function"], ["module", "module"]];
let list = null, last = "", table = null, running = null;

const address = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function go(changes, quiet) {
	const now = address();
	for (const [k, v] of Object.entries(changes))
		if (v) now[k] = v;
		else delete now[k];
	const hash = "#" + new URLSearchParams(now);
	if (hash === location.hash) return;
	if (quiet) history.replaceState(null, "", hash);
	else location.hash = hash;
}

async function get(path) {
	const r = await fetch(path, {signal: running && running.signal}), text = await r.text();
	if (!r.ok) throw new Error(text.trim());
	return JSON.parse(text);
}

const command = words => { el("command").textContent = seen(["tm-history", ...words].map(quote).join(" ")); };

// --- the list: runs of the history, with what is kept of them, and uploads that are no runs yet

function rowsOf() {
	const by = new Map(list.sessions.filter(s => s.run).map(s => [s.run, s]));
	const rows = list.runs.map(r => {
		const s = by.get(r.run);
		return {...r, session: s ? s.id : null, kept: !!s && s.kept, p99_ns: s && s.p99_ns !== null ? +s.p99_ns : null,
			verdict: r.status, state: r.losses ? say("something was lost") : null};
	});
	for (const s of list.sessions.filter(s => !s.run))
		rows.push({run: null, session: s.id, kept: s.kept, date: s.received, build: s.labels.build || s.name, machine: s.labels.machine || null, branch: s.labels.branch || null,
			file: s.name, bytes: s.bytes, state: s.state === "failed" ? say("not readable: {0}", s.reason) : say("being read")});
	for (const a of list.arrivals)
		rows.push({run: null, session: null, date: "", build: a.labels.build || a.name, machine: a.labels.machine || null, branch: a.labels.branch || null, file: a.name, bytes: a.bytes,
			state: a.total !== null ? say(a.live ? "arriving: {0} of {1}" : "broken off: {0} of {1}", format("bytes", a.bytes), format("bytes", a.total)) : say(a.live ? "live: {0}" : "broken off: {0}", format("bytes", a.bytes))});
	return rows.sort((a, b) => a.date === b.date ? (b.run || 0) - (a.run || 0) : !a.date ? -1 : !b.date ? 1 : a.date < b.date ? 1 : -1);
}

const columns = [["build", "build", "text"], ["machine", "device", "text"], ["branch", "branch", "text"], ["date", "date", "text"], ["duration_ns", "duration", "ns"], ["peak", "peak", "bytes"],
	["p99_ns", "p99 frame", "ns"], ["frames", "frames", "count"], ["verdict", "verdict", "text"], ["reason", "reason", "text"], ["note", "note", "text"], ["labels", "labels", "text"], ["file", "file", "text"]];

// What the policy says of a run, by the captures of both; it stays while the page does.
const judged = new Map(), judging = new Set();
const pairOf = (base, r) => "session/" + base.session + "-" + r.session + "/";
const asked = async pair => { const doc = await get(pair + "ask?q=" + encodeURIComponent("compare --gate " + quote(list.gate))); judged.set(pair, doc.sections.find(x => x.kind === "checks")); };

// A verdict and why: that of the policy where it was asked, else what was sent with the run.
const SENT = {green: ["pass", "passed"], red: ["fail", "failed"]};
function reasonOf(r, rows) {
	const base = r.run && list.gate && r.kept ? baseOf(r, rows) : null, checks = base && judged.get(pairOf(base, r)), sent = SENT[r.status];
	if (!r.run) return null;
	if (checks) {
		const broken = checks.rules.find(x => x.verdict === "fail") || checks.rules.find(x => x.verdict === "inconclusive"), b = broken && (broken.breaches.find(x => x.verdict === broken.verdict) || broken), by = broken && (/, ([^,]*)\)$/.exec(b.measured || "") || [])[1];
		return (broken ? broken.rule + (by ? " " + by : "") + (b.limit ? say(" (limit {0})", b.limit) : "") + (b.file ? ", " + named(b.subject) : "") : say("the policy passes")) + say(", against build {0}", base.build);
	}
	if (sent) return sent[0] === "fail" ? list.gate ? base ? say("sent with the run; not judged yet") : say("sent with the run; no green run before it of this branch and device") : say("sent with the run; there is no policy here") : null;
	return list.gate ? base ? say("not judged yet: click the run") : say("no green run before it of this branch and device") : say("no status was sent, and there is no policy here");
}
function verdictOf(r, rows) {
	const base = r.run && list.gate && r.kept ? baseOf(r, rows) : null, checks = base && judged.get(pairOf(base, r)), sent = SENT[r.status];
	if (!r.run) return null;
	if (sent) return badge(sent[0], say(sent[1]));
	return checks ? checks.counts.fail ? badge("fail", say("failed")) : checks.counts.inconclusive ? badge("inconclusive", say("cannot tell")) : badge("pass", say("passed")) : badge("skipped", say("no verdict"));
}

// The runs that failed, and the newest of each branch and device, are judged of themselves where their captures are
// small: few, and one after the other.
const MOST_JUDGED = 4, SMALL = 32 << 20;
async function judgeNewest(rows, done) {
	const seen = new Set(), size = x => (list.sessions.find(s => s.id === x.session) || {}).bytes || Infinity;
	const todo = rows.filter(r => { const k = r.branch + "\n" + r.machine, first = !seen.has(k); if (r.run) seen.add(k); return r.run && r.kept && (r.status === "red" || first && r.status !== "green"); }).slice(0, MOST_JUDGED);
	for (const r of todo) {
		const base = baseOf(r, rows), pair = base && pairOf(base, r);
		if (!base || judged.has(pair) || judging.has(pair) || size(r) + size(base) > SMALL) continue;
		judging.add(pair);
		try {
			await asked(pair);
			done();
		} catch { judging.delete(pair); }
	}
}
function judge(base, r) {
	const box = make("div", {id: "verdict", "aria-live": "polite"}), address = pairOf(base, r);
	const show = () => box.replaceChildren(verdict(judged.get(address), () => null, make("div", {class: "tools"}, make("span", {class: "faint"}, say("base: run {0}", base.run)), make("a", {href: address}, say("open both captures")))));
	const ask = async () => {
		box.replaceChildren(make("p", {class: "faint"}, say("being read")));
		try {
			await asked(address);
			show();
		} catch (e) {
			if (e.name !== "AbortError") box.replaceChildren(nothing(translated(e.message)));
		}
	};
	if (judged.has(address)) show();
	else box.append(make("div", {class: "tools"}, button(say("judge by the policy, against run {0}", base.run), ask, {id: "judge"})));
	return box;
}

// The newest green run before this one, of the same branch and device.
function baseOf(r, rows) {
	return rows.slice(rows.indexOf(r) + 1).find(o => o.run && o.kept && o.status === "green" && o.branch === r.branch && o.machine === r.machine) || null;
}

function details(r, s, base) {
	const box = [], facts = [["build", r.build], ["device", r.machine], ["branch", r.branch], ["commit", r.commit], ["labels", r.labels], ["format", r.format], ["program", r.program]].filter(([, v]) => v);
	if (r.state) box.push(make("p", {class: "warn"}, r.state));
	box.push(make("dl", {class: "facts"}, ...facts.map(([k, v]) => make("div", {class: "wide"}, make("dt", {}, say(k)), make("dd", {}, v)))));
	const tools = make("div", {class: "tools"});
	if (r.session && r.kept) tools.append(make("a", {id: "open", href: "session/" + r.session + "/"}, say("open the capture")), make("a", {href: "capture/" + r.session, download: r.file}, say("download the capture")));
	else if (r.session) tools.append(make("span", {class: "faint"}, say("the capture is no longer kept")));
	box.push(tools);
	if (list.gate && base && r.kept) box.push(judge(base, r));
	else if (list.gate && r.run && r.kept) box.push(make("p", {class: "faint"}, say("The policy needs a green run before this one, of the same branch and device.")));
	if (r.run) {
		const text = make("textarea", {id: "note", rows: 2, "aria-label": say("note")}), told = make("span", {class: "faint", role: "status"});
		text.value = r.note || "";
		text.style.width = "100%";
		box.push(text, make("div", {class: "tools"}, button(say("save the note"), async () => {
			const a = await fetch("note/" + r.run, {method: "PUT", body: text.value});
			told.textContent = a.ok ? say("saved") : seen((await a.text()).trim());
		}, {id: "save-note"}), told));
	}
	return panel(say("Run {0}", r.run || "–"), r.date, ...box);
}

function showRuns(s) {
	const fits = r => (!s.branch || r.branch === s.branch) && (!s.machine || r.machine === s.machine), rows = rowsOf().filter(fits);
	const old = table && table.element.isConnected ? table.grid.scrollTop : 0;
	command(["list", list.store, ...s.branch ? ["--branch", s.branch] : [], ...s.machine ? ["--machine", s.machine] : []]);
	if (!rows.length) return [nothing(list.runs.length || list.sessions.length ? say("Nothing is left by these filters.") : say("No session is there yet. Send one: curl -T FILE ADDRESS, with the address of uploads that tm-view printed."))];
	// Two clicks choose two runs; the bar says which, and compares them.
	const pick = r => !r.run ? go({run: "s" + r.session, from: null, to: null}) : s.from && !s.to && String(r.run) !== s.from ? go({to: String(r.run), run: null}) : go({run: String(r.run), from: String(r.run), to: null});
	const all = rowsOf(), one = s.run && all.find(r => s.run === (r.run ? String(r.run) : "s" + r.session)), newest = rows.find(r => r.date);
	const why = (r, all) => [r.state, reasonOf(r, all)].filter(Boolean).join(say("; ")) || null;
	for (const r of rows) r.reason = why(r, all);
	const side = r => r.run && String(r.run) === s.from ? "A" : r.run && s.to && String(r.run) === s.to ? "B" : null;
	const cell = (c, r) => c.key === "verdict" ? verdictOf(r, all) : c.key === "date" && r.date ? make("span", {title: r.date}, shortDate(r.date, newest.date)) : c.key === "build" && side(r) ? make("span", {}, make("span", {class: "tag picked-side"}, side(r)), " ", r.build || "–") : null;
	table = new Table({name: "sessions", title: say("Sessions"), tree: false, columns: columns.map(([key, title, type]) => ({key, title, type, difference: false})), rows},
		{main: "build", ordered: true, keep: innerWidth < 1100 ? ["verdict", "note"] : ["date", "peak", "p99_ns", "verdict", "reason", "note"], cell, pick, search: s.search || "", searched: t => go({search: t || null}, true)});
	const mine = table;
	judgeNewest(all, () => { if (mine.element.isConnected && !["TEXTAREA", "INPUT"].includes((document.activeElement || {}).tagName)) show(); });
	setTimeout(() => { table.grid.scrollTop = old; });
	const t = trendCard(s, rows);
	return [one ? details(one, s, baseOf(one, all)) : null, t, card(say("Sessions"), make("span", {class: "row grows"}, pairBar(s, all)), make("div", {class: "in"}, table.element))].filter(Boolean);
}

// "29 Nov 14:05", with the year where it is not the newest one's. As the server has it: in UTC.
function shortDate(iso, newest) {
	const d = new Date(iso);
	if (isNaN(d)) return iso;
	return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", {day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hour12: false, timeZone: "UTC", ...iso.slice(0, 4) !== newest.slice(0, 4) && {year: "numeric"}}).format(d).replace(",", "");
}

const runName = r => [r.build || say("Run {0}", r.run), r.machine, r.branch].filter(Boolean).join(" · ");

function pairBar(s, all) {
	const run = id => all.find(r => r.run && String(r.run) === id), from = s.from && run(s.from), to = s.to && run(s.to);
	if (!from) return make("span", {class: "faint"}, say("Click a run for what is known of it, and a second one to compare the two."));
	const name = (word, r) => make("span", {}, make("span", {class: "tag picked-side"}, word), " ", make("b", {}, runName(r)));
	return make("span", {class: "row grows pair", role: "status"}, name("A", from), "→", to ? name("B", to) : make("span", {class: "faint"}, say("Click a second run: it is compared with build {0}.", from.build || from.run)),
		make("span", {class: "sp row"}, to ? button(say("Compare {0} → {1}", from.build || from.run, to.build || to.run), () => go({view: "compare", run: null}), {id: "compare", class: "primary"}) : null,
			to ? button(say("swap"), () => go({from: s.to, to: s.from})) : null, button(say("clear"), () => go({from: null, to: null, run: null}), {class: "quiet"})));
}

// --- the trend above the list: of one branch and device, that with most runs where none is chosen

const LEAST_RUNS = 5, trends = new Map();
function trendCard(s, rows) {
	const groups = new Map();
	for (const r of rows) if (r.run) { const k = JSON.stringify([r.branch, r.machine]); groups.set(k, (groups.get(k) || 0) + 1); }
	const best = [...groups].sort((a, b) => b[1] - a[1])[0];
	if (!best || best[1] < LEAST_RUNS) return null;
	const [branch, machine] = JSON.parse(best[0]), choices = [["peak", say("peak")], ["p99-frame", say("p99 frame")], ["live", say("live")], ["count", say("count")]].filter(([k]) => k !== "p99-frame" || rows.some(r => r.p99_ns));
	const sort = choices.some(([k]) => k === s.sort) ? s.sort : "peak", query = new URLSearchParams({by: "total", sort, ...branch && {branch}, ...machine && {machine}}).toString(), key = list.version + "?" + query;
	const box = make("div", {class: "in"}, make("p", {class: "faint"}, say("being read"))), said = make("span", {class: "faint"}), name = choices.find(([k]) => k === sort)[1];
	const put = doc => {
		const c = doc.sections.find(x => x.kind === "series"), steps = (doc.sections.find(x => x.name === "steps") || {rows: []}).rows;
		if (!c) return box.replaceChildren(nothing(say("nothing to draw")));
		said.textContent = [branch, machine].filter(Boolean).join(" · ");
		const type = c.lines[0].type, step = t => say("{0}: {1} → {2} ({3})", t.build || say("Run {0}", t.run), format(type, t.before), format(type, t.after), format("percent", t.change_percent, undefined, true));
		box.replaceChildren(trendPicture(c, steps, name, (x, y) => format(type, y)), make("p", {class: "steps"}, make("b", {}, steps.length ? say("Change points:") : say("No change point was found.")), ...steps.map(t => make("span", {class: t.direction === "down" ? "dn" : "up"}, " " + step(t)))));
	};
	if (trends.has(key)) put(trends.get(key));
	else get("trend?" + query).then(doc => { trends.clear(); trends.set(key, doc); put(doc); }).catch(e => { if (e.name !== "AbortError") box.replaceChildren(nothing(translated(e.message))); });
	return card(say("{0} over builds", name), make("span", {class: "row grows"}, said, make("span", {class: "sp row"}, segments(say("metric"), choices, sort, v => go({sort: v})), make("a", {href: "#" + new URLSearchParams({...s, view: "trend", sort, ...branch && {branch}, ...machine && {machine}})}, say("all metrics →")))), box);
}

// A line over the runs, with a mark at each change point.
function trendPicture(c, steps, name, value) {
	const y = c.lines[0].y, known = y.filter(v => v !== null), canvas = make("canvas", {class: "trend", role: "img", "aria-label": say("{0} over builds", name)});
	const low = Math.min(...known), high = Math.max(...known), span = high - low || Math.abs(high) || 1, from = low - span * .25, to = high + span * .25, LEFT = 12, RIGHT = 76, BOTTOM = 18;
	const label = i => (c.labels && c.labels[i]) || String(c.x[i]);
	let place = null;
	redraws(canvas, () => {
		const {g, w, h, get: color} = pencil(canvas, 120), x = i => LEFT + (w - LEFT - RIGHT) * (y.length > 1 ? i / (y.length - 1) : .5), up = v => 6 + (h - BOTTOM - 6) * (1 - (v - from) / (to - from));
		place = x;
		g.font = "11px " + color("--sans");
		g.textBaseline = "middle";
		for (const v of low === high ? [low] : [low, (low + high) / 2, high]) {
			g.fillStyle = color("--line");
			g.fillRect(LEFT, Math.round(up(v)), w - LEFT - RIGHT, 1);
			g.fillStyle = color("--faint");
			g.fillText(value(0, v), w - RIGHT + 8, up(v));
		}
		for (const t of steps) {
			const i = c.x.indexOf(t.run);
			if (i < 1) continue;
			const at = Math.round((x(i - 1) + x(i)) / 2), bad = t.direction !== "down";
			g.strokeStyle = g.fillStyle = color(bad ? "--bad" : "--less");
			g.setLineDash([3, 3]);
			g.beginPath(); g.moveTo(at + .5, 2); g.lineTo(at + .5, h - BOTTOM); g.stroke();
			g.setLineDash([]);
			const text = say("{0}: {1}", label(i), format("percent", t.change_percent, undefined, true)), wide = g.measureText(text).width;
			g.fillText(text, at + 6 + wide > w - RIGHT ? at - wide - 6 : at + 6, 10);
		}
		g.strokeStyle = g.fillStyle = color("--o1");
		g.lineWidth = 1.5;
		g.beginPath();
		let open = false;
		y.forEach((v, i) => { if (v === null) { open = false; return; } if (open) g.lineTo(x(i), up(v)); else g.moveTo(x(i), up(v)); open = true; });
		g.stroke();
		y.forEach((v, i) => { if (v !== null) { g.beginPath(); g.arc(x(i), up(v), 2.5, 0, 7); g.fill(); } });
		g.fillStyle = color("--faint");
		g.textAlign = "center";
		let last = -1e9;
		y.forEach((v, i) => { const text = seen(label(i)), wide = g.measureText(text).width; if (x(i) - wide / 2 > last + 14 && x(i) + wide / 2 < w) { g.fillText(text, Math.max(wide / 2, x(i)), h - 7); last = x(i) + wide / 2; } });
		g.textAlign = "left";
	});
	canvas.onmousemove = e => {
		if (!place) return;
		const at = e.clientX - canvas.getBoundingClientRect().left, i = y.reduce((best, _, k) => Math.abs(place(k) - at) < Math.abs(place(best) - at) ? k : best, 0);
		showTip(e, label(i), [y[i] === null ? say("not known") : value(0, y[i])]);
	};
	canvas.onmouseleave = hideTip;
	return canvas;
}

// --- the trend

async function showTrend(s) {
	const sort = s.sort || "auto", frames = frameMetrics.some(([k]) => k === sort), by = frames ? "total" : s.by || "total", asked = new URLSearchParams({by, sort, ...s.branch && {branch: s.branch}, ...s.machine && {machine: s.machine}, ...s.name && {name: s.name}});
	// Frame times are the server's: the history that a terminal asks has sums.
	if (frames) el("command").textContent = "";
	else command(["trend", list.store, "--by", by, "--sort", sort, ...s.branch ? ["--branch", s.branch] : [], ...s.machine ? ["--machine", s.machine] : [], ...s.name ? ["--name", s.name] : []]);
	const name = make("input", {type: "search", value: s.name || "", "aria-label": say("name"), placeholder: say("name (regular expression)"), onchange: () => go({name: name.value})});
	const tools = panel(say("Trend"), say("over builds, with change points"), make("div", {class: "tools"}, segments(say("metric"), [...metrics, ...frameMetrics].map(([k, t]) => [k, say(t)]), sort, v => go({sort: v})), frames ? null : segments(say("by"), keys.map(([k, t]) => [k, say(t)]), by, v => go({by: v})), by === "total" ? null : name));
	let doc;
	try {
		doc = await get("trend?" + asked);
	} catch (e) {
		if (e.name === "AbortError") throw e;
		return [tools, nothing(translated(e.message))];
	}
	doc.sections.sort((a, b) => (b.kind === "series") - (a.kind === "series")); // the picture first
	return [tools, ...draw(doc)];
}

// --- two runs

async function showCompare(s) {
	const rows = rowsOf(), run = id => rows.find(r => r.run && String(r.run) === id), from = run(s.from), to = run(s.to);
	if (!from || !to) return [nothing(say("Click two runs in the list of sessions."))];
	const by = s.by && s.by !== "total" ? s.by : "", sort = metrics.some(([k]) => k === s.sort) ? s.sort : "", asked = new URLSearchParams({from: s.from, to: s.to, ...by && {by}, ...sort && {sort}});
	command(["blame", list.store, "--from", "#" + s.from, "--to", "#" + s.to, ...by ? ["--by", by] : [], ...sort ? ["--sort", sort] : []]);
	const head = panel(say("{0} against {1}", to.build, from.build), "", make("div", {class: "tools"}, segments(say("metric"), metrics.map(([k, t]) => [k, say(t)]), sort || "auto", v => go({sort: v})),
		segments(say("by"), keys.map(([k, t]) => [k, say(k === "total" ? "stack" : t)]), by || "total", v => go({by: v})), button(say("the other way round"), () => go({from: s.to, to: s.from})), button(say("other runs"), () => go({view: "runs", from: null, to: null})),
		from.kept && to.kept ? make("a", {id: "open", href: "session/" + from.session + "-" + to.session + "/"}, say("open both captures")) : null),
		list.gate && from.kept && to.kept ? judge(from, to) : null);
	let doc;
	try {
		doc = await get("compare?" + asked);
	} catch (e) {
		if (e.name === "AbortError") throw e;
		return [head, nothing(translated(e.message))];
	}
	return [head, ...draw(doc)];
}

// --- all

function showFilters(s) {
	const all = key => [...new Set(list.runs.map(r => r[key]).concat(list.sessions.map(x => x.labels[key])).filter(Boolean))].sort();
	const choice = (key, word) => make("label", {}, say(word), make("select", {name: key, onchange: e => go({[key]: e.target.value})}, make("option", {value: ""}, say("all")), ...all(key).map(v => make("option", {value: v, selected: v === s[key]}, v))));
	el("filters").replaceChildren(choice("branch", "branch"), choice("machine", "device"));
	el("filters").onsubmit = e => e.preventDefault();
	el("tabs").replaceChildren(...Object.entries(views).map(([k, t]) => make("a", {href: "#" + new URLSearchParams({...s, view: k}), "aria-current": k === s.view ? "page" : null}, say(t))));
}

async function show() {
	const s = address();
	if (!views[s.view]) s.view = "runs";
	hideTip();
	if (running) running.abort();
	const mine = running = new AbortController();
	document.title = say(views[s.view]) + " – tracemill";
	el("files").textContent = seen(list.store);
	el("growth").textContent = list.arrivals.some(a => a.live) ? say("a session arrives") : "";
	showFilters(s);
	try {
		const content = await {runs: showRuns, trend: showTrend, compare: showCompare}[s.view](s);
		if (mine.signal.aborted) return;
		main.replaceChildren(...content);
		document.body.dataset.shown = s.view;
	} catch (e) {
		if (e.name !== "AbortError") el("alerts").replaceChildren(make("div", {class: "bad", role: "alert"}, seen(e.message)));
	}
}

// What changed is drawn again; not under the hands of who writes a note.
async function load() {
	try {
		const r = await fetch("sessions"), text = await r.text();
		if (!r.ok) throw new Error(text.trim());
		el("alerts").replaceChildren();
		if (text === last) return;
		last = text;
		const first = !list;
		list = JSON.parse(text);
		if (first) {
			speak(list.language);
			translate(document.body);
			languageButton(el("language"));
		}
		if (first || ((address().view || "runs") === "runs" && !["TEXTAREA", "INPUT"].includes((document.activeElement || {}).tagName))) await show();
	} catch (e) {
		el("alerts").replaceChildren(make("div", {class: "bad", role: "alert"}, list ? say("the server does not answer: {0}", seen(e.message)) : seen(e.message)));
	}
}

function theme(word) {
	document.documentElement.dataset.theme = word;
	document.dispatchEvent(new Event("themechange"));
}

el("theme").onclick = () => {
	const to = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
	localStorage.setItem("theme", to);
	theme(to);
};
theme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
addEventListener("hashchange", show);
await load();
setInterval(load, EVERY_MS);
