// SPDX-License-Identifier: MIT
// The page of a server of sessions: the list of runs, the trend of a metric over builds, two runs side by side. Its
// state is its address: #view=trend&sort=peak&branch=main.
import {panel, segments, quote} from "./parts.js";
import {make, button, hideTip} from "./dom.js";
import {shown as seen, format, some} from "./format.js";
import {draw, nothing} from "./document.js";
import {Table} from "./table.js";
import {verdict} from "./gate.js";

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
			verdict: r.status === "green" ? say("green") : r.status === "red" ? say("red") : null, state: r.losses ? say("something was lost") : null};
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
	["p99_ns", "p99 frame", "ns"], ["frames", "frames", "count"], ["verdict", "verdict", "text"], ["state", "state", "text"], ["note", "note", "text"], ["labels", "labels", "text"], ["file", "file", "text"]];

// What the policy says of a run, by the captures of both; it stays while the page does.
const judged = new Map();
function judge(base, r) {
	const box = make("div", {id: "verdict", "aria-live": "polite"}), address = "session/" + base.session + "-" + r.session + "/";
	const show = () => box.replaceChildren(verdict(judged.get(address), make("div", {class: "tools"}, make("span", {class: "faint"}, say("base: run {0}", base.run)), make("a", {href: address}, say("open both captures")))));
	const ask = async () => {
		box.replaceChildren(make("p", {class: "faint"}, say("being read")));
		try {
			const doc = await get(address + "ask?q=" + encodeURIComponent("compare --gate " + quote(list.gate)));
			judged.set(address, doc.sections.find(x => x.kind === "checks"));
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
	// The second click of two compares.
	const pick = r => !r.run ? go({run: "s" + r.session, from: null}) : s.from && String(r.run) !== s.from ? go({view: "compare", to: String(r.run), run: null}) : go({run: String(r.run), from: String(r.run)});
	table = new Table({name: "sessions", title: say("Sessions"), tree: false, columns: columns.map(([key, title, type]) => ({key, title, type, difference: false})), rows},
		{main: "build", pick, search: s.search || "", searched: t => go({search: t || null}, true)});
	const hint = make("p", {class: "faint"}, s.from ? say("Click a second run: it is compared with run {0}.", s.from) : say("Click a run for what is known of it, and a second one to compare the two."));
	const all = rowsOf(), one = s.run && all.find(r => s.run === (r.run ? String(r.run) : "s" + r.session));
	setTimeout(() => { table.grid.scrollTop = old; });
	return [one ? details(one, s, baseOf(one, all)) : null, panel(say("Sessions"), some(rows.length, "{0} row", "{0} rows"), hint, table.element)].filter(Boolean);
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
	el("filters").replaceChildren(choice("branch", "branch"), choice("machine", "device"), s.from && s.view !== "compare" ? button(say("base: run {0}", s.from), () => go({from: null, run: null}), {class: "chip"}) : "");
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
