// SPDX-License-Identifier: MIT
// Two files, or two ranges of one, side by side.
import {flame} from "./canvas.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {section, loaded} from "./ask.js";
import {draw, picked, nothing} from "./document.js";
import {choice} from "./view_table.js";
import {verdict} from "./gate.js";
import {card} from "./cards.js";
import {panel, literally} from "./parts.js";
import {format} from "./format.js";

export const title = "Compare";
export const named = true;
export const own = true;
export const every = true;
export const fits = has => has.calls;
const keys = ["site", "function", "location", "stack", "type", "file", "module", "thread"];

const part = c => /^(base|new|delta|percent)_(.*)$/.exec(c.key) || [];

// What is shown of itself: of the first metric both sides and the difference, of two others the difference. The title of
// each difference says of which metric it is.
function fewer(t) {
	const changed = t.columns.filter(c => c.key.startsWith("delta_") && t.rows.some(r => r[c.key])).map(c => c.key.slice(6));
	// As many entries as blocks say nothing new.
	if (["base_", "new_"].every(k => t.rows.every(r => r[k + "entries"] === r[k + "count"]))) changed.splice(0, changed.length, ...changed.filter(k => k !== "entries"));
	const first = changed[0], others = ["count", "live_real", "live_requested", "temporary", "self_ns", "samples"].filter(k => k !== first && changed.includes(k)).slice(0, 2), of = k => t.columns.find(c => c.key === "delta_" + k).title.replace(/ \+-$/, "");
	const keep = t.columns.filter(c => c.type === "text" || c.key === "line" || changed.includes(part(c)[2]));
	const order = c => c.type === "text" ? 9 : part(c)[2] === first ? 0 : others.includes(part(c)[2]) ? 1 : 2;
	const title = c => part(c)[1] === "delta" ? say("{0}: change", translated(of(part(c)[2]))) : part(c)[1] === "percent" ? say("{0}: change, %", translated(of(part(c)[2]))) : c.title;
	const columns = keep.slice().sort((a, b) => order(a) - order(b)).map(c => ({...c, title: title(c)}));
	return {...t, columns, quiet: c => c.type !== "text" && part(c)[0] && part(c)[2] !== first && !(part(c)[1] === "delta" && others.includes(part(c)[2])) || ["was", "renamed", "module"].includes(c.key) && t.rows.every(r => !r[c.key] || c.key === "module")};
}

const CHANGES = {grew: ["up", "▲"], shrank: ["less", "▼"], new: ["up", "✚"], gone: ["less", "–"]};
const changeOf = (c, r) => c.key === "change" && r.change ? make("span", {class: "tag " + (CHANGES[r.change] || [""])[0]}, ((CHANGES[r.change] || ["", ""])[1] + " " + translated(r.change, "relation")).trim()) : null;

// What grew most in the metric of a rule about a sum: that metric whose sums read as the rule's do.
async function grewMost(context, t, rule) {
	const total = t && (t.totals || []).at(-1), sides = /^(.*) -> (.*?) \(/.exec(rule.measured || ""), plain = (c, v) => c.type === "count" ? String(v) : format(c.type, v);
	if (!total || !sides || rule.breaches.some(b => b.file)) return null;
	const c = t.columns.find(c => c.key.startsWith("delta_") && ["base", "new"].every((side, k) => plain(c, total[side + c.key.slice(5)]) === sides[k + 1]));
	const row = c && t.rows.reduce((a, r) => (r[c.key] || 0) > (a ? a[c.key] : 0) ? r : a, null), name = row && (row.site || row.function || row.type || row.file);
	if (!name) return null;
	const fn = row.site || row.function, peek = fn && !/^[(\[]/.test(fn) ? await context.ask(["top", "--peek", literally(fn), "--table", "peek", context.files.at(-1).name]).catch(e => { if (e.name === "AbortError") throw e; return {}; }) : {};
	const callers = peek.doc && section(peek.doc, "table", "peek"), caller = callers && callers.rows.find(r => r.relation === "called by" && !r.function.startsWith("("));
	return {most: 2 * row[c.key] > total[c.key], name, file: row.file, line: row.line, delta: format(c.type, row[c.key], undefined, true), metric: translated(c.title.replace(/ \+-$/, "")), caller: caller ? caller.function : null};
}

// Frame times of two files side by side, from their reports of frames.
async function frameTimes(context) {
	const sides = await Promise.all(context.files.map(f => context.ask(["frames", "-n", "0", ...context.filters(["frame", "time"]), f.name]).catch(e => { if (e.name === "AbortError") throw e; return {}; })));
	const stats = sides.map(a => a.doc && section(a.doc, "table", "statistics")), at = (k, word) => { const r = stats[k] && stats[k].rows.find(r => r.statistic === word); return r ? r.duration_ns : null; };
	const rows = [["p50", say("median")], ["p95", "p95"], ["p99", "p99"], ["max", say("worst")]].map(([word, text]) => [text, at(0, word), at(1, word)]).filter(r => r[1] && r[2]);
	if (!rows.length) return null;
	const most = Math.max(...rows.flatMap(r => [r[1], r[2]]), 34e6) * 1.05, x = v => (100 * v / most).toFixed(2) + "%";
	const dot = (v, kind) => { const e = make("i", {class: "dot " + kind}); e.style.left = x(v); return e; };
	const rule = v => { const e = make("i", {class: "at"}); e.style.left = x(v); return e; };
	const row = ([text, a, b]) => {
		const way = make("i", {class: "span " + (b > a ? "more" : "less")});
		way.style.left = x(Math.min(a, b));
		way.style.width = x(Math.abs(a - b));
		return [make("b", {}, text), make("span", {class: "num"}, format("ns", a)), make("span", {class: "num"}, make("b", {}, format("ns", b))), make("span", {class: "num " + (b > a ? "up" : "dn")}, format("ns", b - a, undefined, true)),
			make("span", {class: "num faint"}, format("percent", 100 * (b - a) / a, undefined, true)), make("span", {class: "dots"}, rule(1e9 / 60), rule(1e9 / 30), way, dot(a, "c1"), dot(b, "c6"))];
	};
	const head = [say("time of a frame"), say("base"), say("side|new"), say("change"), "%", make("span", {class: "faint"}, say("lines at {0} and {1}", format("ns", 16666667), format("ns", 33333333)))];
	return card(say("Frames"), make("span", {class: "sp"}, say("one run of each: what is small may be chance")), make("div", {class: "in frames-two"}, ...head.map((h, i) => make("span", {class: "h" + (i && i < 5 ? " num" : "")}, h)), ...rows.flatMap(row)));
}

export async function show(context) {
	const {state: s, go, has, files} = context, by = keys.includes(s.by) ? s.by : "site";
	const ranges = ["base", "new"].map(side => ({side, frame: s[side + "f"], time: s[side + "t"]}));
	const words = ["compare", "--by", by, ...context.filters(["frame", "time"]), "-n", "1000"];
	for (const r of ranges) {
		if (r.frame) words.push("--" + r.side + "-frame", r.frame);
		else if (r.time) words.push("--" + r.side + "-time", r.time);
	}
	if (loaded.gate) words.push("--gate", loaded.gate);
	if (s.same) words.push("--all");
	if (s.per) words.push("--per", s.per);
	const field = (r, kind, hint) => {
		const e = make("input", {type: "text", placeholder: hint, value: s[r.side + kind] || "", "aria-label": say(r.side === "base" ? "base range" : "new range"), onchange: () => go({[r.side + kind]: e.value || null})});
		return make("label", {}, say(r.side === "base" ? "base" : "side|new"), e);
	};
	const tools = make("div", {class: "tools"}, choice(context, "by", keys, by, say("by")), choice(context, "per", ["run", "frame", "second"], s.per || "run", say("per")),
		...ranges.map(r => has.frames ? field(r, "f", say("frames 1..100")) : field(r, "t", say("time 0s..1s"))),
		button(say("show unchanged"), () => go({same: s.same ? null : 1}), {"aria-pressed": !!s.same}));
	const ranged = ranges.some(r => r.frame || r.time);
	if (files.length < 2 && !ranged) return [panel(say("Compare"), say("two files, or two ranges of one"), tools), nothing(say("Give tm-view two files, or a base and a new range here."))];
	const changes = (t, pick) => { const f = fewer(t); return new Table(f, {pick, quiet: f.quiet, cell: changeOf}).element; };
	const a = await context.ask(words, true), t = a.doc && section(a.doc, "table", "changes"), f = a.doc && section(a.doc, "flame");
	const out = [], p = picked(context, r => r.function || r.site);
	out.push(panel(t ? translated(t.title) : say("Compare"), "", tools, t && t.rows.length ? changes(t, p.pick) : nothing(say("Nothing changed.")), p.box));
	const c = a.doc && section(a.doc, "checks");
	const failed = c ? c.rules.filter(r => r.verdict === "fail" || r.verdict === "inconclusive") : [], most = new Map();
	const [times] = await Promise.all([files.length === 2 && !ranged && has.frames ? frameTimes(context) : null, ...failed.slice(0, 3).map(async r => most.set(r, await grewMost(context, t, r)))]);
	if (c) out.unshift(verdict(c, r => most.get(r)));
	// What needs no reading of a table is on top; without a policy the table is.
	if (times) out.splice(c ? 1 : out.length, 0, times);
	if (f && f.nodes.length > 1) out.push(panel(translated(f.title), "", flame(f, n => go({view: "callers", peek: n}), s.mode, m => go({mode: m}, true)).element));
	if (a.doc) out.push(...draw(a.doc, {changes: false, flame: false}));
	return out;
}
