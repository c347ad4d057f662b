// SPDX-License-Identifier: MIT
// Two files, or two ranges of one, side by side.
import {flame} from "./canvas.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {section, loaded} from "./ask.js";
import {draw, picked, nothing} from "./document.js";
import {choice, offered} from "./view_table.js";
import {verdict, metricOf, mostOf, sortOf} from "./gate.js";
import {card} from "./cards.js";
import {panel, literally, plainly, place, middle, named as brief} from "./parts.js";
import {format} from "./format.js";
import {rowsOf} from "./timeline.js";

export const title = "Compare";
export const named = true;
export const own = true;
export const every = true;
export const fits = has => has.calls;
const keys = ["site", "function", "location", "stack", "type", "file", "module", "thread"];
const ranks = ["auto", "count", "requested", "real", "live", "peak", "temporary", "self-time", "total-time", "samples"];

const part = c => /^(base|new|delta|percent)_(.*)$/.exec(c.key) || [];

// A metric by the title of its difference column, in the page's words.
const wordOf = c => translated(plainly(c.title.replace(/ change$/, "")).replace(/^count\b/, "allocations"));

const told = title => plainly(title).replace(/^count (?=by )|(?<= by )count(?=:)/, m => m.replace("count", "allocations"));

// What is shown of itself: of one metric both sides and the difference, of two others the difference. The title of each
// difference says of which metric it is; that of a terminal is on hover. main: the key of the one metric.
function fewer(t, main) {
	const changed = t.columns.filter(c => c.key.startsWith("delta_") && t.rows.some(r => r[c.key])).map(c => c.key.slice(6));
	// As many entries as blocks say nothing new.
	if (["base_", "new_"].every(k => t.rows.every(r => r[k + "entries"] === r[k + "count"]))) changed.splice(0, changed.length, ...changed.filter(k => k !== "entries"));
	const first = changed.includes(main) ? main : changed[0], others = ["count", "real", "live_real", "live_requested", "temporary", "self_ns", "samples"].filter(k => k !== first && changed.includes(k)).slice(0, 2), of = k => wordOf(t.columns.find(c => c.key === "delta_" + k));
	const keep = t.columns.filter(c => c.type === "text" || c.key === "line" || changed.includes(part(c)[2]));
	const order = c => c.type === "text" ? 9 : part(c)[2] === first ? 0 : others.includes(part(c)[2]) ? 1 : 2;
	const title = c => part(c)[1] === "delta" ? say("{0}: change", of(part(c)[2])) : part(c)[1] === "percent" ? part(c)[2] === first ? "%" : say("{0}: change, %", of(part(c)[2])) : part(c)[2] === first ? say(part(c)[1] === "base" ? "base" : "side|new") : c.title;
	const columns = keep.slice().sort((a, b) => order(a) - order(b)).map(c => ({...c, title: title(c), told: part(c)[1] === "percent" ? (t.columns.find(d => d.key === "delta_" + part(c)[2]) || c).title + " %" : c.title}));
	const total = (t.totals || []).at(-1) || {}, little = (k, r) => Math.abs(r["delta_" + k] || 0) * 1000 < Math.max(Math.abs(total["base_" + k] || 0), Math.abs(total["new_" + k] || 0));
	return {...t, columns, first, little, shown: [first, ...others], name: first ? of(first) : "",
		quiet: c => c.type !== "text" && part(c)[0] && part(c)[2] !== first && !(part(c)[1] === "delta" && others.includes(part(c)[2])) || ["was", "renamed", "module"].includes(c.key) && t.rows.every(r => !r[c.key] || c.key === "module")};
}

// What a row did, in the metric that is shown first: the command below the view says the same of it.
const CHANGES = {grew: ["up", "▲"], shrank: ["less", "▼"], new: ["up", "✚"], gone: ["less", "–"]};
function changeOf(f, c, r) {
	if (c.key !== "change" || !r.change) return null;
	const by = r["delta_" + f.first], word = ["grew", "shrank", "changed"].includes(r.change) ? by > 0 ? "grew" : by < 0 ? "shrank" : "changed" : r.change;
	const title = by ? f.name + (f.little(f.first, r) ? say("; ") + say("less than a thousandth of all") : "") : null;
	return make("span", {class: "tag " + (CHANGES[word] || [""])[0], title}, ((CHANGES[word] || ["", ""])[1] + " " + translated(word, "relation")).trim());
}

// Values in the unit of the largest: [its name, how a value reads].
const UNITS = {bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]], ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]};
function oneUnit(type, most) {
	const [size, unit] = (UNITS[type] || []).find(([n]) => most >= n) || [1, {bytes: "B", ns: "ns"}[type] || ""], digits = size === 1 ? 0 : most / size >= 100 ? 0 : most / size >= 10 ? 1 : 2;
	return [unit, v => (v > 0 ? "+" : "") + (v / size).toLocaleString("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits})];
}

// The changes as bars from one line, those of the table's first rows in their order, and their sum.
const BARS = 12;
function bars(f, rows, go) {
	const key = "delta_" + f.first, c = f.whole.find(x => x.key === key), total = (f.totals || []).at(-1), shown = rows.filter(r => r[key] && !f.little(f.first, r)), some = shown.length > BARS ? [...shown.filter(r => r[key] > 0).slice(0, BARS - 3), ...shown.slice(-3)].filter((r, i, l) => l.indexOf(r) === i).slice(0, BARS) : shown;
	if (!c || !some.length) return null;
	const values = [...some.map(r => r[key]), total ? total[key] || 0 : 0], low = Math.min(0, ...values), high = Math.max(0, ...values), x = v => 100 * (v - low) / (high - low || 1), [unit, value] = oneUnit(c.type, Math.max(high, -low));
	const row = (name, v, extra, to) => {
		const i = make("i", {class: v > 0 ? "more" : "less"}), zero = make("i", {class: "zero"});
		i.style.left = x(Math.min(0, v)) + "%";
		i.style.width = Math.max(.4, Math.abs(x(v) - x(0))) + "%";
		zero.style.left = x(0) + "%";
		return make("button", {type: "button", class: "change-bar", onclick: to, title: extra}, name, make("span", {class: "way"}, zero, i), make("span", {class: "num " + (v > 0 ? "up" : "dn")}, value(v)));
	};
	return card(say("Difference"), make("span", {class: "faint"}, f.name, unit && ", ", unit && make("code", {}, unit), (/[:：].*$/.exec(translated(told(f.title))) || [""])[0]), make("div", {class: "bars"}, total && total[key] ? row(make("b", {}, say("all")), total[key], null, null) : null,
		...some.map(r => { const n = r.site || r.function || r.location || r.type || r.file || r.stack || r.module || r.thread || "", fn = r.site || r.function; return row(middle(brief(n), {title: null}), r[key], n + (r.file ? " " + place(r.file, r.line) : ""), fn ? () => go({view: "callers", peek: fn}) : null); })));
}

// What grew most in the metric of a rule about a sum.
async function grewMost(context, t, rule) {
	const c = t && !rule.breaches.some(b => b.file) && metricOf(t, rule), total = c && (t.totals || []).at(-1), row = c && mostOf(t, c), name = row && (row.site || row.function || row.type || row.file);
	if (!name) return null;
	const fn = row.site || row.function, peek = fn && !/^[(\[]/.test(fn) ? await context.ask(["top", "--peek", literally(fn), "--table", "peek", context.files.at(-1).name]).catch(e => { if (e.name === "AbortError") throw e; return {}; }) : {};
	const callers = peek.doc && section(peek.doc, "table", "peek"), caller = callers && callers.rows.find(r => r.relation === "called by" && !r.function.startsWith("("));
	return {most: !!total && 2 * row[c.key] > total[c.key], name, file: row.file, line: row.line, delta: format(c.type, row[c.key], undefined, true), metric: wordOf(c), caller: caller ? caller.function : null};
}

// Frame times of two files side by side, from their reports of frames.
async function frameTimes(context) {
	const sides = await Promise.all(context.files.map(f => context.ask(["frames", "-n", "0", ...context.filters(), f.name]).catch(e => { if (e.name === "AbortError") throw e; return {}; })));
	const stats = sides.map(a => a.doc && section(a.doc, "table", "statistics")), at = (k, word) => { const r = stats[k] && stats[k].rows.find(r => r.statistic === word); return r ? r.duration_ns : null; };
	const rows = [["p50", say("median")], ["p95", "p95"], ["p99", "p99"], ["max", say("worst")]].map(([word, text]) => [text, at(0, word), at(1, word)]).filter(r => r[1] && r[2]);
	if (!rows.length) return null;
	const most = Math.max(...rows.flatMap(r => [r[1], r[2]]), 34e6) * 1.05, x = v => (100 * v / most).toFixed(2) + "%";
	const dot = (v, kind) => { const e = make("i", {class: "dot " + kind}); e.style.left = x(v); return e; };
	const rule = v => { const e = make("i", {class: "at"}); e.style.left = x(v); return e; };
	const row = ([text, a, b]) => {
		// Less than a thousandth is no change.
		const way = make("i", {class: "span " + (b > a ? "more" : "less")}), kind = Math.abs(b - a) * 1000 < a ? "faint" : b > a ? "up" : "dn";
		way.style.left = x(Math.min(a, b));
		way.style.width = x(Math.abs(a - b));
		return [make("b", {}, text), make("span", {class: "num"}, format("ns", a)), make("span", {class: "num"}, make("b", {}, format("ns", b))), make("span", {class: "num " + kind}, format("ns", b - a, undefined, true)),
			make("span", {class: "num faint"}, format("percent", 100 * (b - a) / a, undefined, true)), make("span", {class: "dots"}, rule(1e9 / 60), rule(1e9 / 30), way, dot(a, "c1"), dot(b, "c6"))];
	};
	const head = [say("time of a frame"), say("base"), say("side|new"), say("change"), "%", ""];
	return card(say("Frames"), "", make("div", {class: "in frames-two"}, ...head.map((h, i) => make("span", {class: "h" + (i && i < 5 ? " num" : "")}, h)), ...rows.flatMap(row),
		make("span", {class: "h all"}, say("lines at {0} and {1}", format("ns", 16666667), format("ns", 33333333)) + say("; ") + say("one run of each: what is small may be chance"))));
}

// Counters in their units: what has none has two decimals.
const counters = t => ({...t, columns: t.columns.map(c => ({...c, title: {delta_mean: say("change"), percent_mean: say("change %")}[c.key] || c.title}))});
function counted(c, r) {
	const v = r[c.key];
	// The unit is in the values.
	if (c.key === "unit" && ["ns", "bytes", "B"].includes(r.unit)) return make("span", {}, "");
	if (c.type !== "number" || v === null || v === undefined) return null;
	const type = {ns: "ns", bytes: "bytes", B: "bytes"}[r.unit];
	return make("span", {}, type ? format(type, v, undefined, c.difference) : (c.difference && v > 0 ? "+" : "") + v.toLocaleString("en-US", {maximumFractionDigits: 2}));
}

// The first half of a run as base, the second as new. Where memory is followed: what is live at two moments, between which it
// grew.
async function halves(context) {
	const m = await rowsOf(context), n = m ? m.number.length : 0, grew = m && m.live && m.numbers.growth > 0 ? ["growth_from", "growth_to"].map(k => m.number.indexOf(m.numbers[k])) : [-1];
	if (n < 2) return;
	const [i, j] = grew.includes(-1) ? [(n >> 1) - 1, n - 1] : grew, ns = t => Math.round(t) + "ns", rank = m.live ? "live" : null, from = m.live ? 0 : i + 1;
	if (m.framed && m.ascends) context.go({basef: m.number[0] + ".." + m.number[i], newf: m.number[from] + ".." + m.number[j], rank});
	else context.go({baset: ns(m.start[0]) + ".." + ns(m.end[i]), newt: ns(m.start[from]) + ".." + ns(m.end[j]), rank});
}

export async function show(context) {
	const {state: s, go, has, files} = context, by = keys.includes(s.by) ? s.by : "site";
	const ranges = ["base", "new"].map(side => ({side, frame: s[side + "f"], time: s[side + "t"]}));
	// Ranges of two sides, or one that is of both.
	const words = ["compare", "--by", by, ...context.filters(ranges.some(r => r.frame || r.time) ? ["frame", "time"] : []), "-n", "1000"];
	for (const r of ranges) {
		if (r.frame) words.push("--" + r.side + "-frame", r.frame);
		else if (r.time) words.push("--" + r.side + "-time", r.time);
	}
	if (loaded.gate) words.push("--gate", loaded.gate);
	if (s.same) words.push("--all");
	// Ranges are of different length: what a frame or a second has can be compared. What is live is of a moment.
	const all = k => ranges.every(r => r[k]), per = s.per || (["live", "peak"].includes(s.rank) ? "run" : all("frame") ? "frame" : all("time") ? "second" : "run");
	words.push("--per", per);
	const field = r => {
		const kind = has.frames ? "f" : "t", e = make("input", {type: "text", placeholder: has.frames ? "1..100" : "0s..1s", value: s[r.side + kind] || "", "aria-label": say(r.side === "base" ? "base range" : "new range"), onchange: () => go({[r.side + kind]: e.value || null})});
		return make("label", {}, r.side === "base" ? say(has.frames ? "base: only frames" : "base: only the time") : say(has.frames ? "new: only frames" : "new: only the time"), e);
	};
	// The selection of the other views, where there is one.
	const kept = s.frame || s.time, take = kept ? ranges.map(r => button(r.side === "base" ? say("selection as base") : say("selection as new"), () => go({[r.side + "f"]: s.frame || null, [r.side + "t"]: s.frame ? null : s.time}), {title: kept})) : [];
	const ranged = ranges.some(r => r.frame || r.time), few = files.length < 2, fields = ranges.map(field);
	const tools = make("div", {class: "tools"}, choice(context, "by", keys, by, say("by")), choice(context, "per", ["run", "frame", "second"], per, say("per")), few && !ranges.every(r => r.frame || r.time) ? null : choice(context, "rank", await offered(context, ranks, s.rank), s.rank || "auto", say("rank by")),
		...few || ranged ? [...fields, ...take] : [], button(say("show unchanged"), () => go({same: s.same ? null : 1}), {"aria-pressed": !!s.same}), few || ranged ? null : make("details", {class: "menu"}, make("summary", {}, say("more")), make("div", {class: "panel"}, ...fields, ...take)));
	context.fields = panel(say("Compare"), say("two files, or two ranges of one"), tools);
	const open = ranges.filter(r => !r.frame && !r.time);
	if (few && open.length > 1) {
		const text = nothing(say("Give tm-view two files, or a base and a new range here."));
		if (has.frames || has.timed) text.append(" ", button(has.memory ? say("how live memory grew") : say("the first half against the second"), () => halves(context)));
		return [context.fields, text];
	}
	if (few && open.length) return [context.fields, nothing(open[0].side === "base" ? say("Give a base range, too.") : say("Give a new range, too."))];
	// Ranked by the metric of the rule that failed, where nobody chose one.
	const broken = d => { const x = d && section(d, "checks"); return x ? x.rules.filter(r => r.verdict === "fail" || r.verdict === "inconclusive").sort((a, b) => (b.verdict === "fail") - (a.verdict === "fail")) : []; };
	let rank = s.rank && s.rank !== "auto" ? s.rank : null;
	if (!rank && loaded.gate) {
		const before = (await context.ask(words)).doc, t = before && section(before, "table", "changes"), c = t && broken(before).map(r => metricOf(t, r)).find(Boolean);
		if (c && c !== t.columns.find(x => x.key.startsWith("delta_"))) rank = sortOf(c);
	}
	if (rank) words.splice(3, 0, "--sort", rank);
	const a = await context.ask(words, true), t = a.doc && section(a.doc, "table", "changes"), f = a.doc && section(a.doc, "flame");
	const out = [], p = picked(context, r => r.function || r.site), first = t && t.columns.find(c => c.key.startsWith("delta_"));
	const slim = t && t.rows.length ? {...fewer(t, first && first.key.slice(6)), whole: t.columns} : null;
	const table = slim && new Table(slim, {pick: p.pick, quiet: slim.quiet, keep: ["change", ...["base", "new", "percent"].map(side => side + "_" + slim.first)], cell: (c, r) => changeOf(slim, c, r), small: (c, r) => /^(delta|percent)_/.test(c.key) && slim.little(c.key.replace(/^(delta|percent)_/, ""), r), sort: slim.first ? {key: "delta_" + slim.first, down: true} : null});
	const changes = panel(say("What changed"), t ? translated(told(t.title)) : "", tools, table ? table.element : nothing(say("Nothing changed.")), p.box);
	const c = a.doc && section(a.doc, "checks"), failed = broken(a.doc), most = new Map();
	const [times] = await Promise.all([files.length === 2 && !ranged && has.frames ? frameTimes(context) : null, ...failed.slice(0, 3).map(async r => most.set(r, await grewMost(context, t, r)))]);
	// What needs no reading of a table is on top, and beside it.
	const picture = slim ? bars(slim, [...table.model.order].map(i => t.rows[i]), go) : null, left = make("div", {}, c ? verdict(c, r => most.get(r)) : "", changes), graph = f && f.nodes.length > 1 ? panel(translated(told(f.title)), "", flame(f, n => go({view: "callers", peek: n}), s.mode, m => go({mode: m}, true)).element) : null;
	const right = times || picture ? make("div", {}, ...[times, picture, graph].filter(Boolean)) : null;
	out.push(right ? make("div", {class: "compared"}, left, right) : left);
	if (graph && !right) out.push(graph);
	if (a.doc) out.push(...draw({...a.doc, sections: a.doc.sections.map(x => x.name === "counters" ? counters(x) : x)}, {changes: false, flame: false, counters: {cell: counted}}));
	return out;
}
