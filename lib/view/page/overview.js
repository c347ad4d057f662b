// SPDX-License-Identifier: MIT
// The answers first: what is worst in six tiles, by whom in short lists, and when. Each leads to its ranking.
import {card, none, legend} from "./cards.js";
import {named as brief, middle, place, literally, tenths, chain, switches} from "./parts.js";
import {make, pencil, redraws} from "./dom.js";
import {format, typeOf, count, share, shown} from "./format.js";
import {kindOf} from "./flame.js";
import {BUDGETS, late, missed, refreshes, rateOf, percentile} from "./tracks.js";
import {section, nameOf} from "./ask.js";
import {Table} from "./table.js";
import {Timeline, rowsOf, tracksOf, known, costOf, judged, unusual} from "./timeline.js";
import {nothing} from "./document.js";

export const title = "Overview";
export const named = true;
// Snapshots of heaps have a view of their own.
export const fits = has => has.calls || has.frames || !has.objects;

const first = (n, ...keys) => keys.map(k => n[k]).find(v => v !== undefined && v !== null);
const unitOf = text => { const m = /^(.*?)([ ]?(?:[KMGTPE]?i?B|ns|µs|us|ms|s|%))$/.exec(text); return m ? [m[1], m[2].trim()] : [text, ""]; };

// A small line: values along frames or steps, at: the place of the value that the tile has.
function spark(values, color, at) {
	const canvas = make("canvas", {"aria-hidden": "true"}), draw = () => {
		const {g, w, h, get} = pencil(canvas), n = values.length, most = Math.max(...values.map(v => v || 0), 1e-9), columns = Math.min(n, Math.ceil(w)), ys = [];
		for (let c = 0; c < columns; c++) {
			let m = null; // what is not known is no zero: the line goes on from the value before it to the next
			for (let i = Math.floor(n * c / columns); i < Math.max(Math.floor(n * c / columns) + 1, Math.floor(n * (c + 1) / columns)); i++) if (values[i] !== null && values[i] !== undefined) m = Math.max(m || 0, values[i]);
			if (m !== null) ys.push([c, h - 2 - m / most * (h - 6)]);
		}
		// A column has the most of what falls on it; where the line ends is what is true at the end.
		const last = values.findLast(v => v !== null && v !== undefined);
		if (ys.length && last !== undefined) ys.push([columns - 1, h - 2 - last / most * (h - 6)]);
		const x = c => columns > 1 ? c / (columns - 1) * w : w / 2;
		g.beginPath();
		ys.forEach(([c, y], k) => k ? g.lineTo(x(c), y) : g.moveTo(x(c), y));
		g.strokeStyle = g.fillStyle = get(color);
		g.lineWidth = 1.5;
		g.stroke();
		g.lineTo(w, h); g.lineTo(0, h); g.closePath();
		g.globalAlpha = .14;
		g.fill();
		g.globalAlpha = 1;
		if (at !== undefined && at >= 0) {
			g.strokeStyle = get("--bad");
			g.lineWidth = 1;
			g.setLineDash([2, 2]);
			const px = Math.round((at + .5) / n * w) + .5;
			g.beginPath(); g.moveTo(px, 0); g.lineTo(px, h); g.stroke();
		}
	};
	redraws(canvas, draw);
	return canvas;
}

// about: what the label means.
function tile({label, about, side, value, unit, line, why, to, id}) {
	const [number, word] = value === null || value === undefined ? ["–", ""] : unit !== undefined ? [value, unit] : unitOf(value);
	return make(to ? "a" : "div", {class: "tile", href: to || null, "data-tile": id}, make("div", {class: "top"}, make("span", {title: about || null}, label), side || ""),
		make("div", {class: "v"}, number, word ? make("small", {}, word) : ""), line || make("div", {class: "why", title: why || null}, why || ""));
}

const tag = (text, kind) => make("span", {class: "tag " + kind}, text);

// "by a < b < c: 76.74% of it" as a, b, c; with short names without what the library puts between.
export function callers(text) {
	const m = /^by (.*?)(?:: [<>]?[\d.]+% of it)?$/s.exec(text || ""), all = m ? m[1].split(" < ") : [], own = all.filter(n => kindOf(n) !== "library");
	return (switches.short && own.length ? own : all).map(n => shown(brief(n)));
}

// "33.3 of 37.21 ms": the unit once, where both have one.
function ofWhole(part, whole) {
	const [a, unit] = unitOf(part), [, other] = unitOf(whole);
	return say("{0} of {1}", unit === other ? a : part, whole);
}

// A row of a short list.
// time: what passed in it, of what the value is, both as texts.
function rank(r, {value, part, fill, color = "c1", chip, number, side, where, time, more, file, by = []}, to) {
	const bar = make("i", {class: color});
	bar.style.width = Math.max(0, Math.min(100, fill)) + "%";
	const name = brief(r.site || r.function || r.stack || r.thread || r.type || "");
	return make("a", {class: "rank", href: address(to)}, make("span", {class: "l"}, number !== undefined ? make("span", {class: "number"}, number) : null, name ? middle(labelled(name), {title: r.site || r.function || null}) : null, chip || null, make("span", {class: "value"}, value), part ? make("span", {class: "part"}, part) : null),
		make("span", {class: "s file"}, file ? make("b", {}, file) : null, where ? make("code", {title: r.file}, where) : null, time ? make("span", {class: "one", title: say("{0} of {1} passed in it", time, value)}, ofWhole(tenths(time), value)) : null, more ? make("span", {class: "one", title: say("So much more time than it has in the other frames on average.")}, say("{0} above usual", more)) : null, chain(by, name), side ? make("span", {class: "value"}, side) : null),
		make("span", {class: "fill"}, bar));
}

// An estimate is no bound.
const bounded = (bound, text) => text.startsWith("~") ? text : bound + text;

// whole: of what the shares are, where that is not the table's. bound: the sign of lower bounds, which columns do not have.
// left: what stands at the right of a row's second line. rest: what is to be said where these rows are all.
function list(title, side, t, key, color, context, more, why, whole, chip = () => null, bound = "", left = () => null, rest = "") {
	const rows = t ? t.rows.filter(r => (r[key] ?? null) !== null).slice(0, 5) : [], c = t && t.columns.find(c => c.key === key);
	if (!rows.length) return card(title, "", none(say("None"), why));
	const top = rows[0][key] || 1;
	return card(title, make("a", {class: "sp", href: more}, side || say("all →")), ...rows.map(r => {
		const name = r.site || r.function;
		return rank(r, {value: bounded(bound, format(typeOf(c), r[key])), part: whole ? tenths(share(r[key], whole)) : r.share === undefined || r.share === null ? "" : tenths(format("percent", r.share)), fill: 100 * r[key] / top, color, chip: chip(r), where: place(r.file, r.line), by: callers(r.callers), side: left(r)},
			{view: "calls", peek: name && !/^[(\[]/.test(name) ? name : null, sort: key.startsWith("peak") ? "peak" : key.startsWith("live") ? "live" : key === "temporary" ? "temporary" : null});
	}), ...rest && rows.length === t.rows.length && rows.length < 5 ? [make("p", {class: "rest"}, rest)] : []);
}

// What sites had at the peak and at the end, where both are known: {now: row -> what is live of it at the end}, and, where
// most of the first rows are the same, changes: rows with the key `change`, the largest first. A table that is cut knows
// nothing of the sites that it does not have.
const ASKED = 30, SAME = 3, CACHES = /^library caches, not counted: /;
function sincePeak(peak, peakKey, live, liveKey, ranked) {
	const site = r => [r.site || r.function, r.file, r.line].join("\n"), by = t => new Map(t.rows.map(r => [site(r), r])), at = by(peak), end = by(live), whole = t => t.rows.length < ASKED;
	// The table of what is live has no library caches, that of all sites has them.
	const all = ranked && ranked.columns.some(c => c.key === liveKey) ? by(ranked) : new Map(), caches = (live.notes || []).some(n => CACHES.test(n)), alone = all.size && all.size === ranked.rows.length;
	// Rows of one name are no rows of one site.
	if (at.size < peak.rows.length || end.size < live.rows.length) return {now: new Map(), cached: new Map()};
	const value = (map, t, key, s) => map.has(s) ? map.get(s)[key] ?? null : whole(t) ? 0 : null;
	const left = s => caches ? alone ? value(all, ranked, liveKey, s) : null : value(end, live, liveKey, s);
	const now = new Map(peak.rows.map(r => [r, left(site(r))]).filter(([, v]) => v !== null));
	const cached = new Map([...now].map(([r, v]) => [r, v - (caches ? value(end, live, liveKey, site(r)) ?? v : v)]).filter(([, v]) => v > 0));
	const five = t => t.rows.slice(0, 5).map(site), first = new Set(five(peak));
	if (five(live).filter(s => first.has(s)).length < Math.min(SAME, first.size)) return {now, cached};
	const changes = [...new Set([...at.keys(), ...end.keys()])].map(s => ({...at.get(s) || end.get(s), callers: (end.get(s) || at.get(s)).callers, a: value(at, peak, peakKey, s), b: left(s)})).filter(r => r.a !== null && r.b !== null && r.a !== r.b).map(r => ({...r, change: r.b - r.a}));
	return {now, cached, changes: changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change))};
}

// Of a run that has the same at its end as at its peak: what differs.
function changesCard(changes, type, context, more, all) {
	const most = changes.length ? Math.abs(changes[0].change) : 1, title = say("From the peak to the end"), side = make("a", {class: "sp", href: more}, all);
	if (!changes.length) return card(title, side, none(say("What made the peak is still live."), say("Nothing was freed after it that was live then.")));
	return card(title, side, ...changes.slice(0, 5).map(r => rank(r, {value: (r.change > 0 ? "+" : "−") + format(type, Math.abs(r.change)), fill: 100 * Math.abs(r.change) / most, color: r.change > 0 ? "c6" : "c2", chip: r.change > 0 ? tag(say("▲ grew"), "up") : tag(r.b ? say("▼ partly freed") : say("▼ freed"), "less"), where: place(r.file, r.line), by: callers(r.callers)},
		{view: "calls", peek: r.site || r.function, sort: "live"})));
}

// Where loading ends: after the first quarter, and after the last frame or step of the first three that alone added a
// fiftieth of the most that is live. What came until then is in the list of the peak.
const LOADING = 1 / 50;
function loaded(m) {
	const n = m.start.length, live = m.rows.map(r => r[m.live] ?? null), most = live.reduce((a, v) => Math.max(a, v), 0);
	let at = Math.floor(n / 4);
	for (let i = at; i < Math.floor(n * 3 / 4); i++) if (i > 0 && live[i] !== null && live[i - 1] !== null && live[i] - live[i - 1] > most * LOADING) at = i + 1;
	return at;
}

// Whether a site's live bytes rise until the end: the least of each quarter is above that of the quarter before it, by a
// twentieth of the last value.
function rises(y) {
	const n = y.length, low = k => Math.min(...y.slice(Math.floor(n * k / 4), Math.floor(n * (k + 1) / 4)).map(v => v || 0)), lows = [0, 1, 2, 3].map(low);
	return n >= 12 && lows.every((v, k) => !k || v - lows[k - 1] >= y[n - 1] / 20);
}

// What is after loading, as a selection. null: no part of the run is.
function later(context, m) {
	const {state: s, files} = context, at = loaded(m);
	if (s.frame || s.time || files.length !== 1 || m.several || at < 2) return null;
	const framed = m.framed && m.ascends;
	const range = framed ? {frame: m.number[at] + ".." + m.number.at(-1)} : m.unit === "ns" ? {time: Math.round(m.start[at]) + "ns.."} : null;
	return range && {at, range};
}

// The list of what is live at the end as it was allocated after loading. It is more than what is live grew by: others were freed.
async function afterLoading(context, m, n, bound) {
	const all = first(n, "live_real", "live_requested"), part = later(context, m);
	if (!part || !all || n.unfiltered) return null;
	const {at, range} = part, framed = "frame" in range;
	const words = [...context.filters(["frame", "time"]), ...Object.entries(range).flatMap(([k, v]) => ["--" + k, v])], every = m.every ? ["--every", m.every] : [];
	const [a, chart] = await Promise.all([context.ask(["top", ...words, "-n", "5", "--table", "live"], false, true), context.ask(["frames", "--chart", m.live.replace("_", "-"), "--by", "site", ...every, ...words, "-n", "24", "--as", "json"], false, true).catch(e => { if (e.name === "AbortError") throw e; return {}; })]);
	const t = a.doc && section(a.doc, "table", "live"), left = a.doc && first(a.doc.numbers || {}, "live_real", "live_requested"), lines = chart.doc && section(chart.doc, "series", "lines");
	if (!t || left === undefined || left === null) return null;
	const column = ["live_real", "live_requested"].find(k => t.columns.some(c => c.key === k)), from = framed ? say("frame {0}", m.number[at - 1]) : format("ns", m.start[at]);
	const after = make("span", {title: say("Allocated after {0}, and live at the end. Until then it loads: the first quarter of the run, and what follows until no frame or step adds a fiftieth of the most that is live.", from)}, say("Allocated after {0}, still live", from));
	const grew = new Set(lines ? lines.lines.filter(l => l.key !== "others" && rises(l.y)).map(l => l.title) : []);
	const chip = r => grew.has(r.site) ? Object.assign(tag(say("▲ grew"), "up"), {title: say("What is live of it rises until the end.")}) : null;
	const type = typeOf(t.columns.find(c => c.key === column)), side = make("span", {title: say("{0} of what is live at the end", ofWhole(format(type, left), format(type, all)))}, bounded(bound(column), format(type, left)));
	return list(after, side, t, column, "c6", context, address({view: "table", sort: "live", ...range}), say("Nothing that was allocated after that is live at the end."), left, chip, bound(column), undefined, all > left ? say("The other {0} that is live at the end is older.", bounded(bound(column), format(type, all - left))) : "");
}

const address = changes => { const now = Object.fromEntries(new URLSearchParams(location.hash.slice(1))); for (const [k, v] of Object.entries(changes)) if (v === null) delete now[k]; else now[k] = v; return "#" + new URLSearchParams(now); };

const WORST = {duration_ns: "Worst frames", self_ns: "Frames with most time in calls", samples: "Frames with most samples"};

// What is unusual in slow frames, of each file beside its own frames: rows to what unusual() says.
async function causes(context, m, rows, files) {
	if (!m.several) return unusual(context, m, rows);
	const found = new Map();
	for (const [i, f] of files.entries()) {
		const mine = rows.filter(r => r.capture === i + 1), one = mine.length ? await rowsOf(context, f.name) : null;
		for (const [r, cause] of one ? await unusual(context, one, mine, f.name) : []) found.set(r, cause);
	}
	return found;
}

const TOTALS = {self_ns: "self-time", samples: "samples", count: "count", real: "real", requested: "requested"};

// Where what is live grew for good, as tm-frames says it: [by, place of the frame or step], the largest first. null: it has a
// slope.
function stepsOf(m) {
	const n = m.numbers, steps = [1, 2, 3].map(k => [n["growth_step_" + k], m.number.indexOf(n["growth_step_" + k + "_at"])]).filter(([by, at]) => by !== undefined && at >= 0);
	return steps.length ? {sum: steps.reduce((sum, [by]) => sum + by, 0), steps} : null;
}

// The selection in which it did. null: it did not, or in none that is known.
function grownIn(m, rises) {
	const n = m.numbers, at = rises ? rises.steps.map(([, i]) => i) : n.growth > 0 ? [m.number.indexOf(n.growth_from) + 1, m.number.indexOf(n.growth_to)] : [], [i, j] = [Math.min(...at), Math.max(...at)];
	return at.length && i >= 0 && j >= i ? m.option(m.start[i], m.end[j]) : null;
}

// How well each is known, as the terminal's lines on the run say it: a lower bound, an estimate.
function marks(facts) {
	const marked = (text, pattern) => ((pattern.exec(text || "") || [])[1] || "").replace(">=", "≥ ");
	return {count: marked(facts.run, /^([>=~]*)\d/), bytes: marked(facts.run, /(?:^|, )([>=~]*)[\d.]+ \S*B\b/), peak: marked(facts.memory, /^peak ([>=~]*)/), live: marked(facts.memory, /live at the end ([>=~]*)/), blocks: marked(facts.memory, / in ([>=~]*)\d/), temporary: marked(facts.memory, /; ([>=~]*)[\d.<>]+% temporary/)};
}

// done: m is all that is known; before, a tile that needs it has no value and no reason. hz: the rate that fits the whole capture.
function tiles(context, n, facts, m, doc, done, hz) {
	// A line is of one capture, values are of all.
	const out = [], rows = m && !m.several ? m.rows : [], of = k => rows.map(r => r[k] ?? null), has = k => rows.some(r => r[k] !== null && r[k] !== undefined), noLine = !done || m && m.several ? "" : say("no times, so no line");
	const {has: what} = context;
	const top = section(doc, "table", "top"), worst = section(doc, "table", "worst-frames");
	const known = marks(facts), ranged = !!(context.state.frame || context.state.time);
	const sizes = (v, k) => { const [a, b] = unitOf(format("bytes", v)); return [known[k] + a, b]; };
	const sums = top && top.totals && top.totals.at(-1) || {}, live = m && !m.several ? m.live : null, unknown = ((top && top.notes) || []).find(n => /\blive .*: not known, as /.test(n)), empty = context.filters().length && top && ["count", "requested", "real", "live_requested", "live_real"].every(k => !sums[k]) ? say("These filters leave no allocation.") : "", noFrees = !done ? "" : empty || (unknown ? translated(unknown).replace(/^.*?(?:: not known, as |：未知，因为)/, "") : say("This capture has no frees: what is live is not known.")), whole = n.unfiltered;
	const peak = first(n, "peak_real", "peak_requested");
	if (what.memory && live === null && peak === undefined) {
		const k = ["real", "requested"].find(x => sums[x] !== undefined && sums[x] !== null);
		if (k) { const [v, u] = sizes(sums[k], "bytes"); out.push(tile({id: "allocated", label: say("Allocated"), value: v, unit: u, line: m && has(k) ? spark(of(k), "--o1") : null, why: noLine, to: address({view: "table"})})); }
	}
	if (what.memory || peak !== undefined) {
		const line = live ? of(live) : null, peaks = live && m.live.replace("live", "peak"), exact = peaks && has(peaks), high = exact ? of(peaks) : line, at = n.peak_at_ns !== undefined && m && m.unit === "ns" ? m.start.findLastIndex(t => t <= n.peak_at_ns) : exact ? high.indexOf(Math.max(...high.filter(v => v !== null))) : -1;
		const [v, u] = peak !== undefined ? sizes(peak, "peak") : [null];
		out.push(tile({id: "peak", label: whole ? say("Peak memory, unfiltered") : ranged ? say("Peak of the selection") : say("Peak memory"), about: ranged ? say("The peak of what was allocated in the selection; what was allocated before is not in it.") : "", side: !whole && m && m.framed && at >= 0 ? make("span", {}, m.label(at)) : n.peak_at_ns !== undefined ? make("span", {}, say("after {0}", format("ns", n.peak_at_ns))) : null, value: v, unit: u, line: line && peak !== undefined && !whole ? spark(high, "--o1", at) : null, why: peak === undefined ? noFrees : whole ? say("The filters' own peak is not known.") : noLine, to: section(doc, "table", "peak") ? address({view: "table", sort: "peak"}) : null}));
		const left = first(n, "live_real", "live_requested"), [lv, lu] = left !== undefined ? sizes(left, "live") : [null];
		out.push(tile({id: "live", label: ranged ? say("Selection, live at the end") : say("Live at the end"), about: ranged ? say("What was allocated in the selection and is live when the capture ends.") : "", side: n.live_blocks !== undefined ? make("span", {}, say(n.live_blocks === 1 ? "{0} block" : "{0} blocks", known.blocks + count(n.live_blocks))) : null, value: lv, unit: lu, line: line && left !== undefined ? spark(line, "--o2") : null, why: left === undefined ? noFrees : noLine, to: left !== undefined ? address({view: "table", sort: "live"}) : null}));
	}
	const a = n.allocations ?? (what.memory ? sums.count : undefined);
	if (a !== undefined && a !== null) {
		// What came before the first frame is of none.
		const framed = m && m.framed && m.all.some(r => r.count !== null && r.count !== undefined), within = framed ? m.all.reduce((x, r) => x + (r.count || 0), 0) : a, early = !known.count && !ranged && framed && !m.several ? (m.sum.count ?? within) - within : 0, per = framed ? [within / m.all.length, say("/ frame")] : what.frames && !done ? [null, ""] : n.allocations_per_second ? [n.allocations_per_second, say("/ s")] : [a, ""];
		out.push(tile({id: "allocations", label: say("Allocations"), side: make("span", {}, say("{0} total", known.count + count(a)), early > 0 ? say(", {0} before the first frame", count(early)) : ""), value: per[0] === null ? null : known.count + (per[0] < 10 && per[0] !== Math.round(per[0]) ? per[0].toFixed(per[0] < 1 ? 2 : 1) : count(Math.round(per[0]))), unit: per[1], line: has("count") ? spark(of("count"), "--o3") : null, why: noLine, to: address({view: "table", sort: "count"})}));
	}
	if (what.memory) {
		const temp = has("temporary") ? of("temporary") : null;
		out.push(tile({id: "temporary", label: say("Temporary"), side: n.temporary_blocks !== undefined ? make("span", {}, say(n.temporary_blocks === 1 ? "{0} block" : "{0} blocks", known.temporary + count(n.temporary_blocks))) : null, value: n.temporary_percent === undefined ? null : known.temporary + format("percent", n.temporary_percent), line: temp && n.temporary_percent !== undefined ? spark(temp, "--o5") : null,
			why: n.temporary_percent !== undefined ? noLine : done ? empty || say("Blocks cannot be followed from their allocation to their free.") : "", to: n.temporary_percent === undefined ? null : address({view: "table", sort: "temporary"})}));
	}
	const costs = m && m.framed ? costsOf(m) : [];
	if (costs.length) {
		const limit = BUDGETS[hz], most = Math.max(...costs), r = m.all.find(x => costOf(x) === most), at = m.several ? -1 : m.rows.indexOf(r), skipped = m.timed ? missed(most, limit) : 0, over = m.timed && late(most, limit);
		const side = tag((skipped > 1 ? "✕ " : over ? "! " : m.timed ? "✓ " : "") + say("frame {0}", r.frame) + (r.name ? " " + shown(r.name) : ""), skipped > 1 ? "up" : over || !m.timed ? "warn" : "ok"), line = (color, i) => m.several ? null : spark(m.cost, color, i);
		const file = m.several && context.files.filter(f => !f.error)[r.capture - 1];
		side.title = [file && file.name, m.timed && refreshes(most, limit)].filter(Boolean).join("\n");
		out.push(tile({id: "worst", label: say("Worst frame"), side, value: format("ns", most), line: line("--o4", at), why: file ? nameOf(file) : "", to: address({view: "timeline", ...m.frame(r.frame, most), ...file && {file_only: file.name}})}));
		if (out.length < 5) {
			out.push(tile({id: "p50", label: say("Median frame"), value: format("ns", percentile(costs, 50)), line: line("--own"), to: address({view: "frames"})}));
			out.push(tile({id: "p99", label: say("p99 frame"), value: format("ns", percentile(costs, 99)), line: line("--o4"), to: address({view: "frames"})}));
		}
	} else if (what.memory || what.frames) {
		const by = worst && worst.rows.length ? worst.rows[0] : null, k = by && ["real", "requested", "count"].find(x => by[x] !== undefined && by[x] !== null);
		if (by && by.frame !== undefined && k) out.push(tile({id: "worst", label: k === "count" ? say("Worst frame by blocks") : say("Worst frame by bytes"), side: tag(say("frame {0}", by.frame), "warn"), value: format(k === "count" ? "count" : "bytes", by[k]), line: m && has(k) ? spark(of(k), "--o4", of(k).indexOf(by[k])) : null, to: address({view: "frames", pick: by.frame})}));
		else out.push(tile({id: "worst", label: say("Worst frame"), value: null, why: !done ? "" : what.frames ? say("No frame has a duration.") : say("No frames are marked: tracemill_frame() marks them.")}));
	}
	if (what.memory) {
		const g = m ? first(m.numbers, "growth_per_frame", "growth_per_step") : undefined, per = m && m.framed ? say("/ frame") : say("/ step");
		if (m && m.several) out.push(tile({id: "growth", label: say("Growth"), value: null, why: say("Growth is of one file: choose it above.")}));
		else if (g !== undefined && g !== null && live) {
			const v = Math.abs(g) < 1000 && Math.abs(g) !== Math.round(Math.abs(g)) ? [g.toFixed(1), "B"] : unitOf(format("bytes", Math.abs(Math.round(g))));
			const about = known.live.includes("~") ? "~" : "", slope = about + (g > 0 ? "+" : "−") + v[0].replace(/^-/, ""), rises = stepsOf(m), part = later(context, m), range = grownIn(m, rises) || part && part.range, to = address({view: "table", sort: first(n, "live_real", "live_requested") === 0 ? "peak" : "live", ...range || {}}), size = x => about + (x < 0 ? "−" : "+") + format("bytes", Math.abs(x)), step = rises && rises.steps[0], all = m.numbers.growth, place = k => m.label(m.number.indexOf(m.numbers[k]));
			if (rises) {
				const [a, u] = unitOf(size(step[0])), side = step[0] < 0 ? tag(say("▼ 1 step"), "less") : tag(rises.steps.length > 1 ? say("▲ {0} steps", rises.steps.length) : say("▲ 1 step"), "warn");
				side.title = rises.steps.map(([x, i]) => m.label(i) + ": " + size(x)).join("\n") + (step[0] > 0 ? "\n" + say("{0} of the growth", share(rises.sum, all)) : "");
				out.push(tile({id: "growth", label: say("Growth"), side, value: a, unit: u + " " + say("at {0}", m.label(step[1])), line: spark(of(live), step[0] < 0 ? "--o1" : "--o6", step[1]), to}));
			} else {
				const side = all > 0 ? tag(say("▲ grows"), "up") : all < 0 ? tag(say("▼ falls"), "less") : tag(say("✓ level"), "ok");
				side.title = all ? say("{0} in all. The rate is that from {1} to {2}.", size(all), place("growth_from"), place("growth_to")) : say("What came after the first quarter and is still live is less than 0.5 % of all, or than a quarter of what came and was freed.");
				out.push(tile({id: "growth", label: say("Growth"), side, value: all ? slope : say("none"), unit: all ? v[1] + " " + per : "", line: spark(of(live), all > 0 ? "--o6" : "--o1"), to}));
			}
		} else out.push(tile({id: "growth", label: say("Growth"), value: null, why: !done ? "" : live ? say("Growth needs 8 frames or steps.") : first(n, "live_real", "live_requested") !== undefined ? say("Growth needs frames or times.") : noFrees}));
	}
	if (!what.memory) {
		const t = sums;
		for (const [k, label] of [["self_ns", say("Time in calls")], ["calls", say("Calls made")], ["samples", say("Samples")], ["period", say("Events sampled")]])
			if (t[k] !== undefined && t[k] !== null && out.length < 6) out.push(tile({id: k, label: eventOf(top.columns.find(c => c.key === k)) || label, value: format(typeOf(top.columns.find(c => c.key === k)), t[k]), line: m && has(k) ? spark(of(k), "--o1") : null, why: "", to: address({view: "table", sort: TOTALS[k] || null})}));
	}
	return out.slice(0, 6);
}

const costsOf = m => m.all.map(r => costOf(r)).filter(v => v !== null);

// The numbers on the run are of all stacks: what filters of stacks keep of it is in the table's sums. Of the peak it is not known.
function filtered(n, doc) {
	const t = section(doc, "table", "top"), sum = (t && t.totals || []).at(-1) || {}, given = o => Object.fromEntries(Object.entries(o).filter(([, v]) => v !== null && v !== undefined));
	return given({unfiltered: true, frames: n.frames, peak_real: n.peak_real, peak_requested: n.peak_requested, peak_at_ns: n.peak_at_ns, live_real: sum.live_real, live_requested: sum.live_requested, live_blocks: sum.live_count, allocations: sum.count,
		allocations_per_second: n.duration_ns && sum.count !== null && sum.count !== undefined ? sum.count * 1e9 / n.duration_ns : null});
}

// What is known of memory alone.
const MEMORY = ["peak_real", "peak_requested", "peak_at_ns", "live_real", "live_requested", "live_blocks", "temporary_blocks", "temporary_percent", "allocations"];

export async function show(context) {
	const {has, go} = context, page = make("div", {}, make("p", {class: "faint"}, say("adding up …")));
	if (!has.calls && !has.frames) {
		const text = nothing(say(context.files.every(f => f.error) ? "No file could be read: the reasons stand above." : has.objects ? "These are snapshots of heaps: their view is Heap." : "There is nothing here that a chart or a table could show."));
		if (has.objects) text.append(" ", make("a", {href: address({view: "heap"})}, say("Heap")));
		return [text];
	}
	// What is known at once, before the first sums.
	const read = context.files.find(f => f.taken_percent < 100);
	if (read) {
		page.replaceChildren(card(read.name.split("/").pop(), "", make("div", {class: "in"}, make("dl", {class: "facts"}, ...[[say("size of the file"), format("bytes", read.file_bytes)], [say("read so far"), say("{0} %", read.taken_percent)], [say("events so far"), count(read.events)],
			[say("frames so far"), read.kinds.frame ? count(read.kinds.frame) : null], [say("stacks so far"), count(read.stacks)]].filter(([, v]) => v !== null).map(([k, v]) => make("div", {}, make("dt", {}, k), make("dd", {}, v)))))),
			make("p", {class: "faint"}, say("adding up …")));
		context.begin(page);
	}
	const readable = context.files.filter(f => !f.error), several = readable.length > 1 && !context.state.file_only ? make("p", {class: "faint"}, readable.length === 2 ? say("Both files together: sums, and the highest peak.") : say("All {0} files together: sums, and the highest peak.", count(readable.length)), " ", make("a", {href: address({view: "compare"})}, say("Compare"))) : "";
	const strip = make("div", {}), head = make("div", {class: "tiles"}), lists = make("div", {class: "lists"});
	const top = has.calls ? context.ask(["top", ...context.filters(), "-n", "30"], true) : Promise.resolve({doc: null});
	// With two processors the program adds sums up on one of them: what comes second has the other.
	const rows = within => rowsOf(context, null, within, !has.calls).catch(e => { if (e.name === "AbortError") throw e; return null; });
	const along = has.timed || has.frames ? rows(false) : Promise.resolve(null);
	const a = await top, doc = a.doc, whole = doc ? doc.numbers || {} : {}, n = ["focus", "ignore", "type"].some(k => context.state[k]) ? filtered(whole, doc) : {...whole}, facts = doc ? {...doc.facts} : {};
	const table = name => doc && section(doc, "table", name), all = changes => address(changes);
	const columns = t => t ? t.columns.map(c => c.key) : [], key = (t, ...keys) => keys.find(k => columns(t).includes(k));
	const signs = marks(facts), bound = k => { const mark = {real: signs.bytes, requested: signs.bytes, count: signs.count}[k] ?? (/^(peak|live)_/.test(k) ? signs[k.slice(0, 4)] : ""); return mark.startsWith("≥") ? mark : ""; };
	// Files without memory know nothing of it: its numbers and lists are those of the others.
	const memory = doc && has.memory && !context.state.file_only ? readable.filter(f => f.kinds && (f.kinds.alloc || f.kinds.profile)) : [];
	if (memory.length && memory.length < readable.length && first(whole, "peak_real", "peak_requested", "live_real", "live_requested") === undefined) {
		const more = await context.ask(["top", ...context.filters(), "-n", "30", ...memory.map(f => f.name)]).catch(e => { if (e.name === "AbortError") throw e; return {}; });
		if (more.doc) {
			for (const k of MEMORY) if (more.doc.numbers && n[k] === undefined && more.doc.numbers[k] !== undefined) n[k] = more.doc.numbers[k];
			doc.sections.push(...more.doc.sections.filter(x => ["peak", "live", "temporary"].includes(x.name) && !table(x.name)));
			for (const k of ["run", "memory"]) if (facts[k] === undefined && more.doc.facts) facts[k] = more.doc.facts[k];
		}
	}
	const fill = (m, done, hz) => {
		const made = doc || m ? tiles(context, n, facts, m, doc || {sections: []}, done, hz) : [];
		head.replaceChildren(...made);
		if (made.length) head.style.setProperty("--columns", Math.max(4, made.length));
	};
	fill(null, !has.timed && !has.frames);
	// The tiles do not wait for what comes below them.
	if (doc) {
		page.replaceChildren(several, head, lists, strip);
		context.begin(page);
	}
	// Of a capture of calls and allocations, too: by bytes, where the first answer is by time. Where there are allocations
	// alone it has what is known.
	if (doc && has.memory && has.by_time && !table("peak") && !table("live")) {
		for (const name of ["peak", "live", "temporary"]) {
			const more = await context.ask(["top", ...context.filters(), "--table", name], false, true).catch(e => { if (e.name === "AbortError") throw e; return {}; });
			if (more.doc) doc.sections.push(...more.doc.sections);
		}
	}
	// Causes need the paths of calls, which the first answer does not keep.
	if (has.nested && table("worst-frames")) {
		const more = await context.ask(["top", ...context.filters(), "--table", "worst-frames"], false, true).catch(e => { if (e.name === "AbortError") throw e; return {}; }), found = more.doc && section(more.doc, "table", "worst-frames");
		if (found) doc.sections.splice(doc.sections.indexOf(table("worst-frames")), 1, found);
	}
	const worst = table("worst-frames"), peak = table("peak"), live = table("live"), temporary = table("temporary"), ranked = table("top");
	const cards = [];
	const best = ranked && ["self_ns", "samples", "period", "real", "requested", "count", "total_ns", "lua_net", "mono_net"].find(k => ranked.rows.some(r => r[k]));
	const event = best && eventOf(ranked.columns.find(c => c.key === best));
	// The rows of several files are sums, the peak is the highest; and blocks that are no leaks are not in the rows.
	const peakKey = key(peak, "peak_real", "peak_requested"), liveKey = key(live, "live_real", "live_requested"), since = peak && live && peak.rows.length && live.rows.length && context.files.length === 1 && !n.unfiltered && peakKey && liveKey && peakKey.slice(5) === liveKey.slice(5) && !bound(peakKey) && !bound(liveKey) ? sincePeak(peak, peakKey, live, liveKey, ranked) : {now: new Map(), cached: new Map()};
	const left = r => { const v = since.now.get(r), cache = since.cached.get(r); return cache ? say("{0} at the end, in a library's cache", format(typeOf(live.columns.find(c => c.key === liveKey)), cache)) : v === undefined || v >= r[peakKey] * .99 ? null : v ? say("{0} at the end", format(typeOf(live.columns.find(c => c.key === liveKey)), v)) : say("freed by the end"); };
	// Of several captures the rows are of the sum of their peaks, which the title has; the tile has the highest.
	const peaks = peak && /^what makes the peaks: (.*)$/.exec(peak.title);
	if (peak && peak.rows.length) cards.push(list(...peaks ? [say("What makes the peaks"), peaks[1]] : [say("What makes the peak"), context.files.length === 1 ? format(typeOf(peak.columns.find(c => c.key === peakKey)), first(n, "peak_real", "peak_requested")) : ""], peak, peakKey, "c1", context, all({view: "table", sort: "peak"}), "", n.unfiltered && first(n, "peak_real", "peak_requested"), undefined, bound(peakKey), left));
	let atEnd = null, slowest = null, slow = null;
	// Two lists that are nearly the same would say the same twice.
	if (live) cards.push(atEnd = since.changes ? changesCard(since.changes, typeOf(live.columns.find(c => c.key === liveKey)), context, all({view: "table", sort: "live"}), say("{0} at the end", format(typeOf(live.columns.find(c => c.key === liveKey)), first(n, "live_real", "live_requested")))) : list(say("Still live at the end"), "", live, liveKey, "c6", context, all({view: "table", sort: "live"}), first(n, "live_real", "live_requested") ? say("Only {0} that counts as no leak is left, such as caches of libraries.", format("bytes", first(n, "live_real", "live_requested"))) : say("Nothing that counts as a leak is left."), undefined, undefined, bound(liveKey)));
	if (temporary && temporary.rows.length) cards.push(list(say("Temporary blocks"), "", temporary, "temporary", "c5", context, all({view: "table", sort: "temporary"}), "", undefined, undefined, undefined, undefined, say("No other function has any.")));
	if (cards.length < 3 && ranked && ranked.rows.length && best) cards.unshift(list(event ? say("Where most of {0} is", event) : best === "self_ns" ? say("Where the time goes") : best === "samples" || best === "period" ? say("Where the samples are") : say("Who allocates most"), "", ranked, best, "c1", context, all({view: "table"}), "", undefined, undefined, bound(best)));
	if (worst && worst.rows.length) {
		const k = ["duration_ns", "self_ns", "real", "requested", "count"].find(x => worst.rows[0][x] !== undefined && worst.rows[0][x] !== null), c = worst.columns.find(x => x.key === k), most = worst.rows[0][k] || 1;
		// hz and m are not known at first: then nothing is judged, and a frame is what its number says.
		slow = (hz, found, m) => card(eventOf(c) ? say("Frames with most {0}", eventOf(c)) : WORST[k] ? say(WORST[k]) : say("Frames that allocate most"), make("a", {class: "sp", href: all({view: "timeline"})}, say("all →")), ...worst.rows.slice(0, 5).map(r => {
			const limit = k === "duration_ns" && BUDGETS[hz], skipped = limit ? missed(r[k], limit) : 0, odd = found && found.get(r), is = odd ? {...r, ...odd} : r.cause ? {...r, site: r.cause, file: r.cause_file, line: r.cause_line} : r, bytes = r.allocated_real ?? (k === "real" || k === "requested" ? null : r.real ?? r.requested);
			const chip = skipped > 0 ? tag((skipped > 1 ? "✕ " : "! ") + say("{0} missed", skipped), skipped > 1 ? "up" : "warn") : limit && late(r[k], limit) ? tag(say("! late"), "warn") : null;
			if (chip) chip.title = refreshes(r[k], limit);
			return rank(is, {number: r.frame, value: format(typeOf(c), r[k]), chip, fill: 100 * r[k] / most, color: skipped > 1 ? "c6" : limit && !late(r[k], limit) ? "c1" : "c4", where: place(is.file, is.line), time: !odd && r.cause && r.cause_ns < .95 * r.duration_ns ? format("ns", r.cause_ns) : null, more: odd ? "+" + tenths(format("ns", Math.round(odd.more))) : null, file: several && r.capture && readable[r.capture - 1] ? nameOf(readable[r.capture - 1]) : null, by: odd ? odd.callers : callers(r.callers), side: bytes ? "+" + format(typeOf(worst.columns.find(x => x.key === ["allocated_real", "real", "requested"].find(y => r[y] === bytes))), bytes) : null},
				{view: "timeline", ...m ? m.frame(r.frame, r.duration_ns) : {frame: r.frame + ".." + r.frame, time: null}});
		}));
		cards.push(slowest = slow());
	}
	if (cards.length < 4 && has.several_threads) cards.push(await threadsCard(context).catch(e => { if (e.name === "AbortError") throw e; return null; }));
	const seen = cards.filter(Boolean).slice(0, 4);
	lists.replaceChildren(...seen);
	if (seen.length) lists.style.setProperty("--columns", Math.max(2, seen.length));
	page.replaceChildren(several, head, lists, strip);
	context.begin(page);
	// The tiles and the lists are of the selected range; the strip is of all.
	const m = await along, ranged = m && (context.state.frame || context.state.time) ? await rows(true) : m;
	if (m && slowest && m.framed && known(m.rows, "duration_ns")) {
		const p = k => tenths(format("ns", percentile(ranged ? costsOf(ranged) : [], k))), hz = rateOf(m.cost, context.state.hz);
		const put = now => {
			slowest.replaceWith(now);
			slowest = now;
			if (m.timed) slowest.querySelector("h2").after(judged(m, context));
			const [p50, p99] = [p(50), p(99)], [number, unit] = unitOf(p50);
			if (ranged && ranged.framed) slowest.querySelector(".sp").textContent = "p50 " + (unit === unitOf(p99)[1] ? number : p50) + " · p99 " + p99;
		};
		put(slow(hz, null, m));
		// Where no call in a frame is long but its loop, what is longer than usual is named as soon as it is known.
		if (has.nested) causes(context, m, worst.rows.slice(0, 5), readable).then(found => { if (found.size && slowest.isConnected) put(slow(hz, found, m)); }).catch(() => {});
	}
	if (m && atEnd && seen.includes(atEnd) && live.rows.length) {
		const grown = await afterLoading(context, m, n, bound).catch(e => { if (e.name === "AbortError") throw e; return null; });
		if (grown) atEnd.replaceWith(grown);
	}
	if (n.unfiltered && ranged && ranged.sum.temporary !== null && ranged.sum.temporary !== undefined && ranged.sum.count) Object.assign(n, {temporary_blocks: ranged.sum.temporary, temporary_percent: 100 * ranged.sum.temporary / ranged.sum.count});
	fill(ranged, true, m ? rateOf(m.cost, context.state.hz) : null);
	if (m) {
		// Counters and the log are the timeline's, but of captures that have little else.
		const every = await tracksOf(context, m), drawn = every.filter(t => !/^(counter:|log$)/.test(t.id)), tracks = (drawn.length > 1 ? drawn : every).slice(0, 4), line = new Timeline({m, tracks, strip: true, selected: m.range(context.state), select: (x, y) => go(x === null ? {frame: null, time: null} : m.option(x, y)), frame: i => m.framed && go({view: "timeline", ...m.option(m.start[i], m.end[i])})});
		const area = tracks.find(t => t.legend);
		strip.replaceChildren(card(!m.several ? say("The whole session") : m.capture > 1 && m.framed ? say("The first file with frames") : say("The first file"), make("span", {class: "row grows"}, make("span", {class: "faint"}, (m.several ? nameOf(m.file || readable[0]) + " · " : "") + m.span), make("span", {class: "sp row"}, area ? legend(area.legend) : "", make("a", {href: all({view: "timeline"})}, say("Timeline →")))), line.element));
		line.element.classList.add("bare");
		// Memory has what is left of the window.
		if (area) {
			const view = document.getElementById("view"), least = area.height;
			const watch = new ResizeObserver(() => {
				if (!page.isConnected) return watch.disconnect();
				const now = Math.max(least, Math.min(least + 60, area.height + view.clientHeight - 34 - page.offsetHeight));
				if (now !== area.height) { area.height = now; line.draw(); }
			});
			requestAnimationFrame(() => { for (const e of [view, page]) watch.observe(e); });
		}
	}
	if (!cards.length && ranked && ranked.rows.length) lists.replaceWith(card(say("The largest"), "", make("div", {class: "in"}, new Table(ranked, {}).element)));
	return [page];
}

async function threadsCard(context) {
	const a = await context.ask(["top", "--by", "thread", ...context.filters(), "-n", "5", "--table", "top"]), t = a.doc && section(a.doc, "table", "top");
	if (!t || t.rows.length < 2) return null;
	const k = ["self_ns", "samples", "real", "requested", "count"].find(x => t.columns.some(c => c.key === x));
	if (!k) return null;
	const c = t.columns.find(x => x.key === k), all = t.totals && t.totals.length ? t.totals.at(-1)[k] : 0;
	return card(say("Threads"), make("a", {class: "sp", href: address({view: "table", by: "thread"})}, say("all →")), ...t.rows.slice(0, 5).map(r => rank(r, {value: format(typeOf(c), r[k]), part: tenths(share(r[k], all)), fill: 100 * r[k] / (t.rows[0][k] || 1), color: "c2"}, {thread: literally(r.thread)})));
}
