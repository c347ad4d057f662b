// SPDX-License-Identifier: MIT
// The page of a server of sessions: the list of runs, the trend of a metric over builds, two runs side by side. Its
// state is its address: #view=trend&sort=peak&branch=main.
import {panel, segments, quote, named, place} from "./parts.js";
import {make, button, hideTip, showTip, pencil, redraws} from "./dom.js";
import {shown as seen, format, some} from "./format.js";
import {draw, nothing} from "./document.js";
import {Table} from "./table.js";
import {badge, verdict, metricOf, mostOf, sortOf} from "./gate.js";
import {card} from "./cards.js";

const el = id => document.getElementById(id), main = el("view"), EVERY_MS = 2000;
const views = {runs: "Sessions", trend: "Trend", compare: "Compare"};
const metrics = [["auto", "auto"], ["peak", "peak"], ["live", "live"], ["requested", "requested"], ["count", "count"], ["temporary", "temporary"], ["self-time", "self time"]], frameMetrics = [["p99-frame", "p99 frame"]];
const keys = [["total", "total"], ["owner", "owner"], ["type", "type"], ["site", "site"], ["function", "function"], ["module", "module"]];
let list = null, last = "", table = null, running = null, opened = null;

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

async function get(path, signal = running && running.signal) {
	const r = await fetch(path, {signal}), text = await r.text();
	if (!r.ok) throw new Error(text.trim());
	return JSON.parse(text);
}

const command = words => { el("command").textContent = seen(["tm-history", ...words].map(quote).join(" ")); };

// --- the list: runs of the history, with what is kept of them, and uploads that are no runs yet

// What to do about what cannot be read.
const adviceOf = reason => /^unknown capture format/.test(reason || "") ? say("; send a capture in one of these formats") : reason === "empty file" ? say("; record it again, and send the file when it is complete") : "";

function rowsOf() {
	const by = new Map(list.sessions.filter(s => s.run).map(s => [s.run, s]));
	const rows = list.runs.map(r => {
		const s = by.get(r.run);
		return {...r, session: s ? s.id : null, kept: !!s && s.kept, p99_ns: s && s.p99_ns !== null ? +s.p99_ns : null,
			verdict: r.status, state: r.losses ? say("something was lost") : null};
	});
	for (const s of list.sessions.filter(s => !s.run))
		rows.push({run: null, session: s.id, kept: s.kept, unread: s.state === "failed", date: s.received, build: s.labels.build || s.name, machine: s.labels.machine || null, branch: s.labels.branch || null,
			file: s.name, bytes: s.bytes, state: s.state === "failed" ? say("not readable: {0}", s.reason) + adviceOf(s.reason) : say("being read")});
	for (const a of list.arrivals)
		rows.push({run: null, session: null, live: a.live, date: "", build: a.labels.build || a.name, machine: a.labels.machine || null, branch: a.labels.branch || null, file: a.name, bytes: a.bytes,
			state: a.total !== null ? say(a.live ? "arriving: {0} of {1}" : "broken off: {0} of {1}", format("bytes", a.bytes), format("bytes", a.total)) : say(a.live ? "live: {0}" : "broken off: {0}", format("bytes", a.bytes))});
	return rows.sort((a, b) => a.date === b.date ? (b.run || 0) - (a.run || 0) : !a.date ? -1 : !b.date ? 1 : a.date < b.date ? 1 : -1);
}

const columns = [["build", "build", "text"], ["machine", "device", "text"], ["branch", "branch", "text"], ["date", "date", "text"], ["duration_ns", "duration", "ns"], ["peak", "peak", "bytes"],
	["p99_ns", "p99 frame", "ns"], ["frames", "frames", "count"], ["last", "peak, last 14 runs", "text"], ["verdict", "verdict", "text"], ["reason", "reason", "text"], ["note", "note", "text"], ["labels", "labels", "text"], ["file", "file", "text"]];

// What the policy says of a run, by the captures of both; it stays while the page does. With it, of each metric the
// function that grew most, and that which shrank most.
const judged = new Map(), tried = new Set(), waiting = new Set();
const pairOf = (base, r) => "session/" + base.session + "-" + r.session + "/";
function changedMost(doc) {
	const t = doc.sections.find(x => x.name === "changes"), most = new Map(), told = (c, r) => r && r[c.key] && {name: r.site || r.function || r.type, file: r.file, line: r.line, value: r[c.key], delta: format(c.type, r[c.key], undefined, true)};
	for (const c of t ? t.columns : []) if (c.key.startsWith("delta_") && c.type !== "percent") most.set(sortOf(c), {more: told(c, mostOf(t, c)), less: told(c, mostOf(t, c, true))});
	return most;
}
async function asked(pair) {
	const doc = await get(pair + "ask?q=" + encodeURIComponent(["compare", "--by", "site", "-n", "1000", "--gate", quote(list.gate)].join(" ")), null), checks = doc.sections.find(x => x.kind === "checks"), t = doc.sections.find(x => x.name === "changes"), most = changedMost(doc);
	const rule = checks && brokenOf(checks), c = rule && t && metricOf(t, rule);
	judged.set(pair, {...checks, most, metric: c ? sortOf(c) : null});
	for (const f of waiting) f();
}

// What changed most at a change point, as tm-history blame has it: of the runs on both sides of the step, of one branch and
// device, by the metric that stepped. null: it is being asked, or nothing changed.
const causes = new Map(), causeKey = t => [list.version, t.run, t.metric].join(" ");
async function askCause(t, line) {
	const key = causeKey(t);
	causes.set(key, null);
	const doc = await get("compare?" + new URLSearchParams({step: t.run, by: "site", sort: t.metric.replaceAll(" ", "-"), ...line}), null), blame = doc.sections.find(x => x.name === "blame"), c = blame && blame.columns.find(x => x.key === "change"), sign = t.direction === "down" ? -1 : 1;
	const found = blame ? blame.rows.filter(r => r.change * sign > 0) : [], sure = found.filter(r => r.presence !== "noise");
	const most = (sure.length ? sure : found).reduce((a, r) => !a || r.change * sign > a.change * sign ? r : a, null), of = most && /^(.*) \((.*):(\d+)\)$/.exec(most.name);
	if (most) causes.set(key, {name: of ? of[1] : most.name, file: of ? of[2] : null, line: of ? +of[3] : null, value: most.change, delta: format(c.type, most.change, undefined, true)});
}

// The rule that failed; else one that cannot be decided.
const brokenOf = checks => checks.rules.find(x => x.verdict === "fail") || checks.rules.find(x => x.verdict === "inconclusive");

// What is judged of a run: [its base, what the policy says].
function judgedOf(r, all) {
	const base = r.run && list.gate && r.kept ? baseOf(r, all) : null;
	return [base, base && judged.get(pairOf(base, r))];
}

// A verdict and why: that of the policy where it was asked, else what was sent with the run.
const broke = checks => {
	const broken = brokenOf(checks), b = broken && (broken.breaches.find(x => x.verdict === broken.verdict) || broken), by = broken && (/, ([^,]*)\)$/.exec(b.measured || "") || [])[1], most = broken && !b.file && checks.metric && checks.most.get(checks.metric).more;
	return broken && {rule: broken.rule + (by ? " " + by : ""), limit: b.limit ? say(" (limit {0})", b.limit) : "", of: b.file ? ", " + named(b.subject) : most ? say(": {0} {1}", named(most.name), most.delta) : ""};
};
const SENT = {green: ["pass", "passed"], red: ["fail", "failed"]};
function reasonOf(r, rows, still) {
	const [base, checks] = judgedOf(r, rows), sent = SENT[r.status];
	if (!r.run) return null;
	if (checks) {
		const b = broke(checks);
		return (b ? b.rule + (still ? "" : b.limit) + b.of : say("the policy passes")) + say(", against build {0}", base.build);
	}
	const later = base && (pending(r, base) ? say("being judged") : say("not judged yet: click the run"));
	if (sent) return sent[0] === "fail" ? list.gate ? say("sent with the run") + say("; ") + (later || say("no green run before it of this branch and device")) : say("sent with the run; there is no policy here") : null;
	return list.gate ? later || say("no green run before it of this branch and device") : say("no status was sent, and there is no policy here");
}
function verdictOf(r, rows, still) {
	const [, checks] = judgedOf(r, rows), sent = SENT[r.status];
	if (!r.run) return r.live ? make("span", {class: "tag up"}, say("● live")) : r.unread ? make("span", {class: "tag warn"}, say("! not readable")) : null;
	if (still) return make("span", {class: "faint", title: say("The run before it of this branch and device failed for the same reason.")}, still.first ? say("✕ still failing since {0}", still.first.build || still.first.run) : say("✕ still failing"));
	if (sent) return badge(sent[0], say(sent[1]));
	return checks ? checks.counts.fail ? badge("fail", say("failed")) : checks.counts.inconclusive ? badge("inconclusive", say("cannot tell")) : badge("pass", say("passed")) : badge("skipped", say("no verdict"));
}
const failedOf = (r, all) => r.status === "red" || r.status !== "green" && (x => !!x && !!x.counts.fail)(judgedOf(r, all)[1]);

// Of each run the one before it of the same branch and device.
const lineOf = r => JSON.stringify([r.branch, r.machine]);
function beforeOf(all) {
	const before = new Map(), last = new Map();
	for (const r of all.slice().reverse()) if (r.run) { before.set(r, last.get(lineOf(r)) || null); last.set(lineOf(r), r); }
	return before;
}

// Why it failed: the rule, and of what. null: the policy did not say.
function causeOf(r, all) {
	const [, checks] = failedOf(r, all) ? judgedOf(r, all) : [], broken = checks && brokenOf(checks);
	if (!broken) return null;
	const b = broken.breaches.find(x => x.verdict === broken.verdict) || broken, most = checks.metric && checks.most.get(checks.metric).more;
	return JSON.stringify([broken.rule, b.file ? b.subject : most && most.name]);
}

// Of a run that fails for the reason of the run before it: {first: where that began, null: not known}.
function stillOf(r, all, before) {
	const cause = causeOf(r, all);
	let first = r, o = cause && before.get(r);
	while (o && causeOf(o, all) === cause) { first = o; o = before.get(o); }
	return first === r ? null : {first: o && o.status !== "green" && !judgedOf(o, all)[1] && baseOf(o, all) ? null : first};
}

// The peaks of a run and of those before it, of one branch and device.
const LAST = 14, SVG = "http://www.w3.org/2000/svg";
function lastOf(r, before, loud) {
	const values = [];
	for (let o = r, n = 0; o && n < LAST; o = before.get(o), n++) if (o.peak !== null && o.peak !== undefined) values.unshift(o.peak);
	if (values.length < 3) return null;
	const low = Math.min(...values), span = Math.max(...values) - low || 1, W = 108, H = 17, at = values.map((v, i) => (i / (values.length - 1) * W).toFixed(1) + "," + (H - 1.5 - (v - low) / span * (H - 3)).toFixed(1));
	const svg = document.createElementNS(SVG, "svg"), shape = (name, more) => { const e = document.createElementNS(SVG, name); for (const [k, v] of Object.entries(more)) e.setAttribute(k, v); svg.append(e); };
	svg.setAttribute("class", "last" + (loud ? " loud" : ""));
	svg.setAttribute("viewBox", "0 0 " + W + " " + H);
	svg.setAttribute("role", "img");
	svg.setAttribute("aria-label", say("peak of the last {0} runs: {1} to {2}", values.length, format("bytes", low), format("bytes", low + (span === 1 ? 0 : span))));
	shape("polygon", {points: "0," + H + " " + at.join(" ") + " " + W + "," + H});
	shape("polyline", {points: at.join(" ")});
	return svg;
}

// A reason in its column: in two lines where one is too short, and without its last words where two are.
const ruler = document.createElement("canvas").getContext("2d");
const wide = (text, font) => { ruler.font = font + getComputedStyle(document.documentElement).getPropertyValue("--sans"); return ruler.measureText(text).width; };
function twoLines(text, width) {
	const room = width - 18, parts = text.match(/[\u3000-\uffef]|[^\s\u3000-\uffef]+\s*|\s+/gu) || [], lines = ["", ""];
	if (wide(text, "12px ") <= room) return null;
	let k = 0, n = 0;
	for (; n < parts.length; n++) {
		const more = lines[k] + parts[n];
		if (wide(k ? more.trimEnd() + " …" : more.trimEnd(), "11px ") <= room || !lines[k]) lines[k] = more;
		else if (k++) break;
		else n--;
	}
	if (!lines[1]) return make("span", {class: "small", title: text}, text);
	return make("span", {class: "two", title: text}, lines[0].trimEnd() + " ", make("br"), lines[1].trimEnd() + (n < parts.length ? " …" : ""));
}

// Runs in sight are judged of themselves where their captures are small, the newest first, one after the other; those
// that were sent as failed, too. There is an end to it.
const MOST_JUDGED = 60, SMALL = 32 << 20;
let judging = false;
const sizeOf = x => (list.sessions.find(s => s.id === x.session) || {}).bytes || Infinity;
const pending = (r, base) => tried.size < MOST_JUDGED && !tried.has(pairOf(base, r)) && sizeOf(r) + sizeOf(base) <= SMALL || judging === pairOf(base, r);
async function judgeSeen(inSight) {
	if (judging || !list.gate) return;
	judging = true;
	try {
		for (;;) {
			const all = rowsOf(), before = beforeOf(all), begins = all.filter(r => causeOf(r, all)).map(r => before.get(r)).filter(Boolean);
			const todo = [...inSight(), ...begins, ...all.filter(r => r.status === "red")].filter(r => r.run && r.kept && r.status !== "green").map(r => [r, all.find(o => o.run === r.run)]).filter(([, r]) => r).map(([, r]) => [r, baseOf(r, all)]);
			const next = todo.find(([r, base]) => base && !judged.has(pairOf(base, r)) && !tried.has(pairOf(base, r)) && pending(r, base));
			if (!next) break;
			tried.add(judging = pairOf(next[1], next[0]));
			await asked(judging).catch(() => {});
		}
	} finally { judging = false; }
	for (const f of waiting) f();
}
// queued: it is among those that are judged of themselves.
function judge(base, r, queued) {
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
	const offer = () => box.replaceChildren(make("div", {class: "tools"}, button(say("judge by the policy, against run {0}", base.run), ask, {id: "judge"})));
	let open = queued && pending(r, base);
	if (judged.has(address)) show();
	else if (!open) offer();
	else {
		box.append(make("p", {class: "faint"}, say("being judged")));
		waiting.add(() => {
			if (!open || !judged.has(address) && pending(r, base)) return;
			open = false;
			if (judged.has(address)) show();
			else offer();
		});
	}
	return box;
}

// The newest green run before this one, of the same branch and device.
function baseOf(r, rows) {
	return rows.slice(rows.indexOf(r) + 1).find(o => o.run && o.kept && o.status === "green" && o.branch === r.branch && o.machine === r.machine) || null;
}

function details(r, s, base) {
	const box = [], facts = [["build", r.build], ["run", r.session && r.run && "#" + r.run], ["device", r.machine], ["branch", r.branch], ["commit", r.commit], ["labels", r.labels], ["format", r.format], ["program", r.program]].filter(([, v]) => v);
	if (r.state) box.push(make("p", {class: "warn"}, r.state));
	box.push(make("dl", {class: "facts"}, ...facts.map(([k, v]) => make("div", {class: "wide"}, make("dt", {}, say(k)), make("dd", {}, v)))));
	const tools = make("div", {class: "tools"});
	if (r.session && r.kept) tools.append(make("a", {id: "open", href: "session/" + r.session + "/"}, say("open the capture")), make("a", {href: "capture/" + r.session, download: r.file}, say("download the capture")));
	else if (r.session) tools.append(make("span", {class: "faint"}, say("the capture is no longer kept")));
	box.push(tools);
	if (list.gate && base && r.kept) box.push(judge(base, r, r.status !== "green"));
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
	// The number of an upload's answer and of the capture's address; the history numbers what could be read.
	return panel(r.session ? say("Session {0}", r.session) : say("Run {0}", r.run || "–"), r.date, ...box);
}

// Of two runs the older one is the base, whichever was clicked first: the list has the newest first.
const inOrder = (first, r, all) => all.findIndex(o => String(o.run) === first) < all.indexOf(r) ? {from: String(r.run), to: first} : {from: first, to: String(r.run)};

let chose = false;
function showRuns(s) {
	const fits = r => (!s.branch || r.branch === s.branch) && (!s.machine || r.machine === s.machine), all = rowsOf(), rows = all.filter(fits);
	const old = table && table.element.isConnected ? table.grid.scrollTop : 0;
	command(["list", list.store, ...s.branch ? ["--branch", s.branch] : [], ...s.machine ? ["--machine", s.machine] : []]);
	if (!rows.length) return [nothing(list.runs.length || list.sessions.length ? say("Nothing is left by these filters.") : say("No session is there yet. Send one: curl -T FILE ADDRESS, with the address of uploads that tm-view printed."))];
	// Two clicks choose two runs; the bar says which, and compares them. Where nobody chose, they are the newest run that
	// the policy failed, and its base.
	const choose = to => { chose = true; go(to); };
	const pick = r => !r.run ? choose({run: "s" + r.session, from: null, to: null}) : s.from && !s.to && String(r.run) !== s.from ? choose({...inOrder(s.from, r, all), run: null}) : choose({run: String(r.run), from: String(r.run), to: null});
	const one = s.run && all.find(r => s.run === (r.run ? String(r.run) : "s" + r.session)), newest = rows.find(r => r.date), timed = rows.some(r => r.date && !r.date.endsWith("T00:00:00Z"));
	let pair = s, barred = null;
	const side = r => r.run && String(r.run) === pair.from ? "A" : r.run && pair.to && String(r.run) === pair.to ? "B" : null;
	// Loud is the first failure of a series, and the one that is compared.
	const before = beforeOf(all), still = r => side(r) === "B" ? null : stillOf(r, all, before), loud = r => failedOf(r, all) && !still(r);
	const cell = (c, r, width) => c.key === "verdict" ? verdictOf(r, all, still(r)) : c.key === "last" ? lastOf(r, before, loud(r)) : c.key === "date" && r.date ? make("span", {title: r.date}, shortDate(r.date, newest.date, timed)) : c.key === "build" && side(r) ? make("span", {}, make("span", {class: "tag picked-side"}, side(r)), " ", r.build || "–") : c.key === "reason" && width && r.reason ? reasonIn(r, width) : null;
	const reasonIn = (r, width) => { const lines = twoLines(r.reason, width); return still(r) ? make("span", {class: "faint"}, lines || r.reason) : lines; };
	for (const r of rows) r.last = r.run ? " " : null;
	const reasons = () => { for (const r of rows) r.reason = [r.state, reasonOf(r, all, still(r))].filter(Boolean).join(say("; ")) || null; };
	reasons();
	const mine = table = new Table({name: "sessions", title: say("Sessions"), tree: false, columns: columns.map(([key, title, type]) => ({key, title, type, difference: false})), rows},
		{main: "build", ordered: true, quiet: c => ["frames", "file"].includes(c.key), keep: innerWidth < 1100 ? ["machine", "peak", "verdict", "note"] : ["machine", "date", "peak", "p99_ns", "last", "verdict", "reason", "note"], wide: innerWidth < 1100 ? {} : {reason: 300}, cell, pick, search: s.search || "", searched: t => go({search: t || null}, true)});
	// Room for what is to come.
	const longest = Math.min(200, wide(say("✕ still failing since {0}", rows.reduce((a, r) => r.run && (r.build || "").length > a.length ? r.build : a, "")), "13px ") + 20);
	for (const c of mine.all) if (["reason", "verdict", "build", "last", "date"].includes(c.key)) mine.want.set(c, c.key === "date" ? mine.want.get(c) - 20 : c.key === "verdict" ? Math.max(104, list.gate ? longest : 0) : c.key === "last" ? 126 : c.key === "build" ? mine.want.get(c) + 28 : 520);
	setTimeout(() => { mine.grid.scrollTop = old; });
	const bar = make("span", {class: "row grows"}), trend = make("div");
	let drawn = null;
	const update = () => {
		reasons();
		const worst = rows.find(r => failedOf(r, all) && (x => x && x.metric)(judgedOf(r, all)[1])), first = worst && trendOf(worst, all);
		pair = s.from || chose || !worst ? s : {...s, from: String(judgedOf(worst, all)[0].run), to: String(worst.run)};
		const chosen = pair.from + " " + pair.to; // what is pressed must not be another element when it is released
		if (chosen !== barred) { barred = chosen; bar.replaceChildren(pairBar(pair, all)); }
		// The trend stays as it is while what it shows does.
		const now = JSON.stringify([first, failedRuns(rows, all), [...judged.keys()].length]);
		if (now !== drawn && (worst || !judging)) { drawn = now; trend.replaceChildren(...[trendCard(s, rows, all, first)].filter(Boolean)); }
		// Rows stay under the pointer: what changed in them is replaced.
		for (const [at, e] of mine.rows) {
			const r = rows[mine.shown[at]], now = r && JSON.stringify([r.reason, failedOf(r, all), (x => x && [x.first && x.first.run])(still(r)), side(r)]);
			if (r && e.told !== now) { e.replaceChildren(...mine.row(mine.shown[at], at).childNodes); e.told = now; }
		}
	};
	waiting.add(() => { if (mine.element.isConnected) update(); });
	const inSight = () => mine.element.isConnected ? [...mine.rows.keys()].filter(k => k !== "total").sort((a, b) => a - b).map(at => rows[mine.shown[at]]).filter(Boolean) : [];
	mine.grid.addEventListener("scroll", () => setTimeout(() => judgeSeen(inSight), 300));
	setTimeout(() => { judgeSeen(inSight); update(); });
	return [one ? details(one, s, baseOf(one, all)) : null, trend, card(say("Sessions"), bar, make("div", {class: "in"}, mine.element))].filter(Boolean);
}

// What the trend is of, for a run that failed: the metric of the rule, the run's branch and device.
const trendOf = (r, all) => ({sort: (m => ({live_real: "live", "live-real": "live", "live-requested": "live", "peak-real": "peak", "peak-requested": "peak"})[m] || (metrics.some(([k]) => k === m) ? m : "peak"))(judgedOf(r, all)[1].metric), branch: r.branch, machine: r.machine, build: r.build || say("Run {0}", r.run)});
const failedRuns = (rows, all) => rows.filter(r => failedOf(r, all)).map(r => r.run);

// "29 Nov 14:05", with the year where it is not the newest one's; without the time where no run has one. As the server
// has it: in UTC.
function shortDate(iso, newest, timed) {
	const d = new Date(iso);
	if (isNaN(d)) return iso;
	return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", {day: "numeric", month: "short", ...timed && {hour: "2-digit", minute: "2-digit", hour12: false}, timeZone: "UTC", ...iso.slice(0, 4) !== newest.slice(0, 4) && {year: "numeric"}}).format(d).replace(",", "");
}

const runName = r => [r.build || say("Run {0}", r.run), r.machine, r.branch].filter(Boolean).join(" · ");

function pairBar(s, all) {
	const run = id => all.find(r => r.run && String(r.run) === id), from = s.from && run(s.from), to = s.to && run(s.to);
	if (!from) return make("span", {class: "faint"}, say("Click a run for what is known of it, and a second one to compare the two."));
	const name = (word, r) => make("span", {}, make("span", {class: "tag picked-side"}, word), " ", make("b", {}, runName(r)));
	return make("span", {class: "row grows pair", role: "status"}, name("A", from), "→", to ? name("B", to) : make("span", {class: "faint"}, say("Click a second session: it is compared with build {0}.", from.build || from.run)),
		make("span", {class: "sp row"}, to ? button(say("Compare {0} → {1}", from.build || from.run, to.build || to.run), () => go({view: "compare", run: null, from: s.from, to: s.to}), {id: "compare", class: "primary"}) : null,
			to ? button(say("swap"), () => go({from: s.to, to: s.from})) : null, button(say("clear"), () => { chose = true; go({from: null, to: null, run: null}); show(); }, {class: "quiet"})));
}

// --- the trend above the list: of one branch and device, that with most runs where none is chosen

const LEAST_RUNS = 5, trends = new Map();
function trendCard(s, rows, all, first) {
	const groups = new Map();
	for (const r of rows) if (r.run) groups.set(lineOf(r), (groups.get(lineOf(r)) || 0) + 1);
	const own = s.line || first && lineOf(first), best = own && groups.get(own) >= LEAST_RUNS ? own : ([...groups].sort((a, b) => b[1] - a[1])[0] || [])[0];
	if (!best || groups.get(best) < LEAST_RUNS) return null;
	const [branch, machine] = JSON.parse(best), words = [...first && !["peak", "live", "count"].includes(first.sort) ? [[first.sort, say(metrics.find(([k]) => k === first.sort)[1])]] : [], ["peak", say("peak")], ["p99-frame", say("p99 frame")], ["live", say("live")], ["count", say("allocations")]], choices = words.filter(([k]) => k !== "p99-frame" || rows.some(r => r.p99_ns));
	const sort = choices.some(([k]) => k === s.sort) ? s.sort : first ? first.sort : "peak", of = more => new URLSearchParams({by: "total", sort, ...branch && {branch}, ...more}).toString(), key = list.version + "?" + of({machine});
	// The lines of other devices of this branch are of one question more.
	const others = [...groups].filter(([k, n]) => k !== best && n >= LEAST_RUNS && JSON.parse(k)[0] === branch).map(([k]) => JSON.parse(k)[1]);
	const box = make("div", {class: "in"}, make("p", {class: "faint"}, say("being read"))), said = make("span", {class: "faint"}), name = choices.find(([k]) => k === sort)[1];
	const put = ([doc, whole]) => {
		const c = doc.sections.find(x => x.kind === "series"), found = (doc.sections.find(x => x.name === "steps") || {rows: []}).rows, isTrend = t => t.direction.startsWith("trend"), steps = found.filter(t => !isTrend(t));
		if (!c) return box.replaceChildren(nothing(say("nothing to draw")));
		const type = c.lines[0].type, failed = new Set(failedRuns(all, all)), drawn = new Lines(whole ? whole.sections.find(x => x.kind === "series") : c, c, machine, others, all, failed);
		said.textContent = [branch, machine].filter(Boolean).join(" · ") + (drawn.bands ? say(" · line: median of a build's runs, band: their spread") : "") + (first && sort === first.sort && best === lineOf(first) ? say(" · the rule that failed in build {0}", first.build) : "");
		// Who it was, of the last ones.
		const who = t => causes.get(causeKey(t)) || null;
		for (const t of steps.slice(-3)) if (t.metric !== "p99 frame" && !causes.has(causeKey(t))) askCause(t, {...branch && {branch}, ...machine && {machine}}).then(() => { if (box.isConnected) put([doc, whole]); }).catch(() => {});
		const told = steps.map(t => ({...t, amount: format(type, t.after - t.before, undefined, true), who: who(t), bad: failed.has(t.run), passed: (r => !!r && !!r.run && !failed.has(r.run) && (r.status === "green" || !!judgedOf(r, all)[1]))(all.find(o => o.run === t.run) || {})}));
		const step = t => say("{0}: {1} → {2} ({3})", t.build || say("Run {0}", t.run), format(type, t.before), format(type, t.after), format("percent", t.change_percent, undefined, true)) + (t.who ? say(Math.abs(t.who.value) > Math.abs(t.after - t.before) ? "; {0} changed most: {1}" : Math.abs(t.who.value) * 2 > Math.abs(t.after - t.before) ? "; most of it {0} {1}" : "; the largest part {0} {1}", named(t.who.name) + (t.who.file ? " " + place(t.who.file, t.who.line) : ""), t.who.delta) : "");
		const choose = m => { s.line = JSON.stringify([branch, m]); box.closest(".card").replaceWith(trendCard(s, rows, all, first)); };
		box.replaceChildren(trendPicture(drawn, told, name, v => format(type, type === "count" ? Math.round(v) : v), choose, all), make("p", {class: "steps"}, make("b", {}, steps.length ? say("Change points:") : say("No change point was found.")), ...told.map(t => make("span", {class: t.direction === "down" ? "dn" : t.bad ? "up" : ""}, " " + step(t))), ...found.filter(isTrend).map(t => make("span", {class: t.after < t.before ? "dn" : "up"}, " " + say("A trend from {0} to {1}: {2} → {3} ({4})", t.build_before || say("Run {0}", t.run_before), t.build || say("Run {0}", t.run), format(type, t.before), format(type, t.after), format("percent", t.change_percent, undefined, true)))),
			drawn.zero ? null : make("span", {class: "faint"}, " " + say("The axis does not start at 0: it begins at {0}.", format(type, drawn.from)))));
	};
	if (trends.has(key)) put(trends.get(key));
	else Promise.all([get("trend?" + of(machine && {machine})), others.length ? get("trend?" + of()) : null]).then(docs => { if (trends.size > 16) trends.clear(); trends.set(key, docs); put(docs); }).catch(e => { if (e.name !== "AbortError") box.replaceChildren(nothing(translated(e.message))); });
	return card(say("{0} over builds", name), make("span", {class: "row grows"}, said, make("span", {class: "sp row"}, segments(say("metric"), choices, sort, v => go({sort: v})), make("a", {href: "#" + new URLSearchParams({...Object.fromEntries(Object.entries(s).filter(([k]) => k !== "line")), view: "trend", sort, ...branch && {branch}, ...machine && {machine}})}, say("all metrics →")))), box);
}

const middleOf = values => { const v = values.slice().sort((a, b) => a - b), h = v.length >> 1; return v.length % 2 ? v[h] : (v[h - 1] + v[h]) / 2; };

const LINE_TONES = ["--o1", "--o3", "--o5", "--o2", "--o4", "--o7"];

// A line for each device over builds: {machine, main, points: [{value, low, high, bad, n} or nothing, by build]}, and the
// range of values that is drawn.
class Lines {
	// c: all runs, own: those of the chosen device.
	constructor(c, own, machine, others, all, failed) {
		const of = new Map(all.map(r => [r.run, r])), label = (x, i) => (x.labels && x.labels[i]) || String(x.x[i]), mine = new Set(own.x);
		this.labels = [];
		this.place = new Map(); // by run
		// A device keeps its colour, whichever is chosen.
		const names = [machine, ...others].map(m => m || "").sort();
		this.lines = [machine, ...others].map((m, k) => ({machine: m, main: !k, tone: LINE_TONES[Math.min(names.indexOf(m || ""), LINE_TONES.length - 1)], points: []}));
		const by = new Map(this.lines.map(l => [l.machine, l])), builds = new Map();
		for (const x of [c, own]) x.x.forEach((run, i) => {
			if (this.place.has(run)) return;
			const text = label(x, i), line = mine.has(run) ? this.lines[0] : by.get((of.get(run) || {}).machine);
			if (!line) return;
			if (!builds.has(text)) { builds.set(text, this.labels.length); this.labels.push(text); }
			const at = builds.get(text);
			this.place.set(run, at);
			const v = x.lines[0].y[i];
			if (v === null) return;
			const p = line.points[at] = line.points[at] || {values: [], bad: false};
			p.values.push(v);
			p.bad = p.bad || failed.has(run);
		});
		for (const l of this.lines) l.points = Array.from(this.labels, (_, i) => l.points[i] && {...l.points[i], value: middleOf(l.points[i].values), low: Math.min(...l.points[i].values), high: Math.max(...l.points[i].values)});
		this.bands = this.lines[0].points.some(p => p && p.values.length > 1);
		const ends = l => { const p = l.points.filter(Boolean); return [Math.min(...p.map(o => l.main ? o.low : o.value)), Math.max(...p.map(o => l.main ? o.high : o.value))]; };
		// A change is seen at a third of the height at least: lines that would press it are named at the edge.
		const [low, high] = ends(this.lines[0]), most = Math.max(high - low, Math.abs(high) * .02 || 1) * 3;
		let [a, b] = [low, high];
		for (const l of this.lines.slice(1).filter(l => l.points.some(Boolean)).sort((x, y) => Math.abs(ends(x)[0] - low) - Math.abs(ends(y)[0] - low))) {
			const [x, y] = ends(l);
			if (Math.max(b, y) - Math.min(a, x) <= most) [a, b] = [Math.min(a, x), Math.max(b, y)];
			else l.beyond = y > b ? "▲" : "▼";
		}
		this.zero = low >= 0 && (low === high || high - low >= .34 * high);
		[this.low, this.high] = [a, b];
		this.from = this.zero ? 0 : Math.max(a < 0 ? -Infinity : 0, a - (b - a || Math.abs(b) || 1) * .12);
		this.to = this.zero ? (b || 1) * 1.18 : b + (b - a || Math.abs(b) || 1) * .22;
	}
}

// The chosen device's line is strong, with a mark at each change point; each line has its device at its end, which chooses it, and
// red points where runs failed.
function trendPicture(d, steps, name, value, choose, all) {
	const canvas = make("canvas", {class: "trend", role: "img", "aria-label": say("{0} over builds", name)}), several = d.lines.length > 1, n = d.labels.length;
	const LEFT = 12, RIGHT = several ? 208 : 80, BOTTOM = 18, HIGH = several ? 164 : 120, before = beforeOf(all);
	// Of a device whose newest run fails: {first: the run since which all fail, null: not known}.
	const since = m => {
		const r = all.find(o => o.run && o.machine === m && d.place.has(o.run));
		if (!r || !failedOf(r, all)) return null;
		let first = r, o = before.get(r);
		for (; o && failedOf(o, all); o = before.get(o)) first = o;
		return {first: !o || o.status === "green" || judgedOf(o, all)[1] ? first : null};
	};
	const tags = several ? d.lines.filter(l => l.points.some(Boolean)).map(l => {
		const fails = since(l.machine), bad = fails && fails.first, text = (l.beyond ? l.beyond + " " : "") + (l.machine || say("no device")), dot = make("i", {class: l.tone.replace("--o", "c")});
		return {l, e: make("button", {type: "button", class: "quiet line-name" + (l.main ? " main" : ""), "aria-pressed": l.main, title: bad ? say("fails since build {0}", bad.build || bad.run) : null, onclick: () => choose(l.machine)}, dot, text, fails ? make("span", {class: "up"}, " ✕ " + (bad ? bad.build || bad.run : "")) : null)};
	}) : [];
	// Where the chosen device began to fail, as the policy says it; what it says of a change point is said there.
	const fails = since(d.lines[0].machine), began = fails && fails.first, [, checks] = began ? judgedOf(began, all) : [], b = checks && broke(checks), marks = steps.map(t => ({...t, text: seen(say("{0}: {1} ({2})", d.labels[d.place.get(t.run)], t.amount, format("percent", t.change_percent, undefined, true)) + (t.who ? say(", {0}", named(t.who.name)) : t.passed ? say(", passed") : ""))}));
	const since0 = began && d.place.get(began.run);
	for (const m of marks) if (began && m.direction !== "down" && d.place.get(m.run) === since0) Object.assign(m, {bad: true, text: seen("✕ " + say("{0} fails since {1}", d.lines[0].machine || say("no device"), m.text))});
	if (b && !steps.some(t => d.place.get(t.run) === d.place.get(began.run))) marks.push({run: began.run, bad: true, text: seen("✕ " + say("{0} fails since {1}", d.lines[0].machine || say("no device"), d.labels[since0] + " · " + b.rule + b.of))});
	let place = null;
	redraws(canvas, () => {
		const {g, w, h, get: color} = pencil(canvas, HIGH), x = i => LEFT + (w - LEFT - RIGHT) * (n > 1 ? i / (n - 1) : .5), up = v => 6 + (h - BOTTOM - 6) * (1 - (v - d.from) / (d.to - d.from));
		place = x;
		g.font = "11px " + color("--sans");
		g.textBaseline = "middle";
		for (const v of d.zero ? [0, d.high / 2, d.high] : d.low === d.high ? [d.low] : [d.low, (d.low + d.high) / 2, d.high]) {
			g.fillStyle = color("--line");
			g.fillRect(LEFT, Math.round(up(v)), w - LEFT - RIGHT, 1);
			g.fillStyle = color("--faint");
			g.fillText(v === 0 ? "0" : value(v), w - RIGHT + 12, up(v));
		}
		// The axis, which is broken where it does not begin at 0.
		g.strokeStyle = color("--faint");
		g.lineWidth = 1;
		g.beginPath();
		g.moveTo(w - RIGHT + 4.5, 4); g.lineTo(w - RIGHT + 4.5, h - BOTTOM - (d.zero ? 0 : 10));
		if (!d.zero) for (const [dx, dy] of [[-4, -8], [4, -5], [-4, -2], [0, 0]]) g.lineTo(w - RIGHT + 4.5 + dx, h - BOTTOM + dy);
		g.stroke();
		// Since when it fails.
		if (began) {
			const from = since0 ? (x(since0 - 1) + x(since0)) / 2 : x(0) - 4;
			g.fillStyle = color("--shade-bad");
			g.globalAlpha = .5;
			g.fillRect(from, 2, w - RIGHT - from, h - BOTTOM - 2);
			g.globalAlpha = 1;
		}
		const points = (l, f) => l.points.forEach((p, i) => { if (p) f(x(i), up(p.value), p, i); });
		for (const l of d.lines.filter(l => !l.beyond).sort((a, b) => a.main - b.main)) {
			if (l.main && d.bands) {
				g.fillStyle = color(l.tone);
				g.globalAlpha = .14;
				g.beginPath();
				points(l, (px, py, p) => g.lineTo(px, up(p.high)));
				l.points.map((p, i) => [p, i]).reverse().forEach(([p, i]) => { if (p) g.lineTo(x(i), up(p.low)); });
				g.closePath();
				g.fill();
				g.globalAlpha = 1;
			}
			g.strokeStyle = color(l.tone);
			g.lineWidth = l.main ? 2.2 : 1.3;
			g.beginPath();
			points(l, (px, py) => g.lineTo(px, py));
			g.stroke();
			points(l, (px, py, p) => {
				if (!l.main && !p.bad) return;
				g.fillStyle = color(p.bad ? "--bad" : l.tone);
				g.beginPath(); g.arc(px, py, p.bad ? l.main ? 3.5 : 3 : 2.8, 0, 7); g.fill();
			});
		}
		const lowest = d.lines[0].points.reduce((a, p) => p ? Math.min(a, p.low) : a, Infinity);
		const taken = [];
		for (const t of marks) {
			const i = d.place.get(t.run);
			if (i === undefined) continue;
			const at = Math.round(i ? (x(i - 1) + x(i)) / 2 : x(i)), tint = color(t.direction === "down" ? "--less" : t.bad ? "--bad" : "--ink2");
			g.strokeStyle = tint;
			g.lineWidth = 1;
			g.setLineDash([3, 3]);
			g.beginPath(); g.moveTo(at + .5, 2); g.lineTo(at + .5, h - BOTTOM); g.stroke();
			g.setLineDash([]);
			g.font = "600 11px " + color("--sans");
			// Where the line leaves room: below it, where the axis starts at 0.
			const text = t.text, wide = g.measureText(text).width, tx = at + 6 + wide > w - RIGHT ? at - wide - 6 : at + 6, first = d.zero ? up(lowest) > h / 2 ? 10 : h - BOTTOM - 14 : 10, ty = taken.some(([a, z, y]) => y === first && tx < z + 6 && tx + wide > a - 6) ? first + (first < h / 2 ? 15 : -15) : first;
			taken.push([tx, tx + wide, ty]);
			g.fillStyle = color("--panel");
			g.globalAlpha = .8;
			g.fillRect(tx - 3, ty - 8, wide + 6, 16);
			g.globalAlpha = 1;
			g.fillStyle = tint;
			g.fillText(text, tx, ty);
			g.font = "11px " + color("--sans");
		}
		g.fillStyle = color("--faint");
		g.textAlign = "center";
		let last = -1e9;
		d.labels.forEach((l, i) => { const text = seen(l), wide = g.measureText(text).width; if (x(i) - wide / 2 > last + 14 && x(i) + wide / 2 < w - RIGHT + 40) { g.fillText(text, Math.max(wide / 2, x(i)), h - 7); last = x(i) + wide / 2; } });
		g.textAlign = "left";
		// Names of lines stand at their ends, none on another.
		const ends = tags.map(t => ({...t, y: t.l.beyond === "▲" ? 0 : t.l.beyond ? h : up(t.l.points.findLast(Boolean).value)})).sort((a, b) => a.y - b.y), step = Math.min(17, (h - 4) / Math.max(1, ends.length));
		ends.forEach((t, i) => { t.y = Math.max(t.y, i ? ends[i - 1].y + step : 8); });
		for (let i = ends.length - 1, most = h - 8; i >= 0; i--) most = (ends[i].y = Math.min(ends[i].y, most)) - step;
		for (const t of ends) t.e.style.top = t.y - 9 + "px";
	});
	canvas.onmousemove = e => {
		if (!place) return;
		const at = e.clientX - canvas.getBoundingClientRect().left, i = d.labels.reduce((best, _, k) => Math.abs(place(k) - at) < Math.abs(place(best) - at) ? k : best, 0);
		const told = l => { const p = l.points[i]; return (several ? (l.machine || say("no device")) + ": " : "") + (p ? value(p.value) + (p.values.length > 1 ? say(", {0} runs: {1} to {2}", p.values.length, value(p.low), value(p.high)) : "") + (p.bad ? " ✕" : "") : say("not known")); };
		showTip(e, d.labels[i], d.lines.map(told));
	};
	canvas.onmouseleave = hideTip;
	return several ? make("div", {class: "line-names"}, canvas, ...tags.map(t => t.e)) : canvas;
}

// --- the trend

async function showTrend(s) {
	// Runs of several branches or devices are several lines: one is drawn, that with most runs where none is chosen.
	const groups = new Map();
	for (const r of list.runs) if ((!s.branch || r.branch === s.branch) && (!s.machine || r.machine === s.machine)) groups.set(lineOf(r), (groups.get(lineOf(r)) || 0) + 1);
	const lines = [...groups].sort((a, b) => b[1] - a[1]).map(([k]) => k), now = lines.includes(s.line) ? s.line : lines[0], [branch, machine] = now ? JSON.parse(now) : [s.branch, s.machine], lineName = k => JSON.parse(k).filter(Boolean).join(" · ") || say("no branch or device");
	const sort = s.sort || "auto", frames = frameMetrics.some(([k]) => k === sort), by = frames ? "total" : s.by || "total", asked = new URLSearchParams({by, sort, ...branch && {branch}, ...machine && {machine}, ...s.name && {name: s.name}});
	// Frame times are the server's: the history that a terminal asks has sums.
	if (frames) el("command").textContent = "";
	else command(["trend", list.store, "--by", by, "--sort", sort, ...branch ? ["--branch", branch] : [], ...machine ? ["--machine", machine] : [], ...s.name ? ["--name", s.name] : []]);
	const name = make("input", {type: "search", value: s.name || "", "aria-label": say("name"), placeholder: say("name (regular expression)"), onchange: () => go({name: name.value})});
	const line = lines.length > 1 ? make("label", {}, say("branch and device"), make("select", {id: "line", onchange: e => go({line: e.target.value})}, ...lines.map(k => make("option", {value: k, selected: k === now}, lineName(k) + " (" + some(groups.get(k), "{0} run", "{0} runs") + ")")))) : null;
	const tools = panel(say("Trend"), say("over builds, with change points"), make("div", {class: "tools"}, line, segments(say("metric"), [...metrics, ...frameMetrics].map(([k, t]) => [k, say(t)]), sort, v => go({sort: v})), frames ? null : segments(say("by"), keys.map(([k, t]) => [k, say(t)]), by, v => go({by: v})), by === "total" ? null : name));
	let doc;
	try {
		doc = await get("trend?" + asked);
	} catch (e) {
		if (e.name === "AbortError") throw e;
		return [tools, nothing(translated(e.message))];
	}
	doc.sections.sort((a, b) => (b.kind === "series") - (a.kind === "series")); // the picture first
	// A row says the unit of its numbers; a date is as in the list of sessions.
	const dates = doc.sections.flatMap(x => x.name === "values" ? x.rows.map(r => r.date) : []).filter(Boolean).sort(), timed = dates.some(d => !d.endsWith("T00:00:00Z"));
	const cell = (c, r) => c.key === "date" && r.date ? make("span", {title: r.date}, shortDate(r.date, dates.at(-1), timed)) : r.unit && r[c.key] !== null && /^(before|after|first|last|value)$/.test(c.key) ? make("span", {}, format(r.unit, r[c.key])) : null, quiet = c => c.key === "unit";
	const few = (doc.notes || []).filter(n => /too few to find a step$/.test(n));
	return [tools, ...few.map(n => make("p", {class: "hint", "data-few": ""}, translated(n))), ...draw(doc, Object.fromEntries(["steps", "series", "values"].map(name => [name, {cell, quiet}])))];
}

// --- two runs

async function showCompare(s) {
	const rows = rowsOf(), run = id => rows.find(r => r.run && String(r.run) === id), from = run(s.from), to = run(s.to);
	if (!from || !to) return [nothing(say("Click two runs in the list of sessions."))];
	const by = s.by && s.by !== "total" ? s.by : "", sort = metrics.some(([k]) => k === s.sort) ? s.sort : "", asked = new URLSearchParams({from: s.from, to: s.to, ...by && {by}, ...sort && {sort}});
	el("command").textContent = ""; // that of a terminal takes the runs beside these two, too
	// Of another device or program not all that differs is a change of the build.
	const told = r => [r.build || say("Run {0}", r.run), r.machine].filter(Boolean).join(" · "), other = [["device", "machine"], ["branch", "branch"], ["format", "format"], ["program", "program"]].filter(([, k]) => from[k] && to[k] && from[k] !== to[k]).map(([word, k]) => say("{0}: {1} → {2}", say(word), seen(from[k]), seen(to[k])));
	const head = panel(say("{0} against {1}", told(to), told(from)), "", other.length ? make("p", {class: "warn", "data-other": ""}, say("These sessions differ in more than the build."), " ", other.join(" · ")) : "", make("div", {class: "tools"}, segments(say("metric"), metrics.map(([k, t]) => [k, say(t)]), sort || "auto", v => go({sort: v})),
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
	waiting.clear();
	const mine = running = new AbortController();
	document.title = say(views[s.view]) + " – tracemill";
	el("files").textContent = seen(list.store);
	el("growth").textContent = list.arrivals.some(a => a.live) ? say("a session arrives") : "";
	showFilters(s);
	try {
		const content = await {runs: showRuns, trend: showTrend, compare: showCompare}[s.view](s);
		if (mine.signal.aborted) return;
		main.replaceChildren(...content);
		if (s.run && s.run !== opened && document.getElementById("note")) document.getElementById("note").closest(".panel").scrollIntoView({block: "nearest"});
		opened = s.run;
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
