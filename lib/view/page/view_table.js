// SPDX-License-Identifier: MIT
// Rows by a key, ranked by any metric.
import {panel, plainly} from "./parts.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {section} from "./ask.js";
import {picked, nothing} from "./document.js";

export const title = "Table";
export const named = true;
export const fits = has => has.calls;
const keys = ["site", "function", "location", "stack", "type", "file", "module", "thread", "frame"];
// These have no second key, or are none.
const alone = ["stack", "frame"], none = "no other key";
const sorts = ["auto", "count", "requested", "real", "live", "slack", "peak", "temporary", "lifetime", "self-time", "total-time", "calls", "mean-time", "waiting", "lua-net", "mono-net", "samples", "period"];

// Those that the files have: the report of all has their sums. The one that is in force is one of them in any case.
export async function offered(context, words, now) {
	const a = await context.ask(["top", "-n", "1", "--table", "top"]).catch(e => { if (e.name === "AbortError") throw e; return {}; }), t = a.doc && section(a.doc, "table", "top"), sum = t && (t.totals || []).at(-1), n = a.doc && a.doc.numbers || {};
	if (!sum) return words;
	const known = (...keys) => keys.some(k => (sum[k] ?? n[k] ?? null) !== null), merged = context.files.some(f => f.aggregate);
	const there = {live: known("live_real", "live_requested"), slack: known("real") && known("requested"), peak: merged || known("peak_real", "peak_requested"), temporary: merged || known("temporary_blocks"), lifetime: merged || known("temporary_blocks"),
		"self-time": known("self_ns"), "total-time": known("total_ns"), "mean-time": known("total_ns") && known("calls"), waiting: known("waiting_ns")};
	return words.filter(k => k === "auto" || k === now || (there[k] ?? known(k.replace("-", "_"))));
}

// The keys of columns that a word of --sort may mean, the likeliest first.
export function ranksOf(sort) {
	const k = sort.replaceAll("-", "_");
	return [k, k.replace(/_time$/, "_ns"), k + "_real", k + "_requested", k + "_ns"];
}

export function choice(context, key, words, now, label) {
	const e = make("select", {"aria-label": label, onchange: () => context.go({[key]: e.value === words[0] ? null : e.value})}, ...words.map(w => make("option", {value: w, selected: w === now, title: plainly(w) === w ? null : translated(w)}, translated(plainly(w)))));
	return make("label", {}, label, e);
}

// Why nothing is live: what a selection has may be free at the end of the capture, as at the exit of the program.
function freed({state: s, go}, t) {
	const live = s.sort === "live" ? t.columns.filter(c => /^live_(real|requested)$/.test(c.key)) : [];
	if (!live.length || t.rows.some(r => live.some(c => r[c.key]))) return null;
	return make("p", {class: "freed"}, s.frame || s.time ? say("All that was allocated in this range was freed before the capture ends.") : say("All was freed before the capture ends."), " ", button(say("rank by the peak"), () => go({sort: "peak"})));
}

export async function show(context) {
	const {state: s, go} = context, by = s.by || "site", then = !alone.includes(by) && s.then && s.then !== by ? s.then : null, words = ["top", "--by", then ? by + "," + then : by, ...context.filters(), "-n", s.rows || "2000", "--table", "top"];
	if (s.sort) words.push("--sort", s.sort);
	if (s.all) words.push("--metrics", "all");
	const a = await context.ask(words, true), t = a.doc && section(a.doc, "table");
	if (!t || !t.rows.length) return nothing(say("Nothing is left by these filters."));
	const p = picked(context, r => r.function || r.site || (r.stack || "").split(" < ")[0] || null);
	const table = new Table(t, {ranked: s.sort ? ranksOf(s.sort) : [], pick: p.pick, search: s.search, searched: v => go({search: v}, true),
		sort: s.order ? {key: s.order.replace(/^-/, ""), down: s.order.startsWith("-")} : null, sorted: (k, down) => go({order: (down ? "-" : "") + k}, true)});
	const tools = make("div", {class: "tools"}, choice(context, "by", keys, by, say("by")),
		alone.includes(by) ? null : choice(context, "then", [none, ...keys.filter(k => k !== by && k !== "frame")], then || none, say("then|and")), choice(context, "sort", await offered(context, sorts, s.sort), s.sort || "auto", say("rank by")),
		button(say("every metric"), () => go({all: s.all ? null : 1}), {"aria-pressed": !!s.all}),
		button(say("every row"), () => go({rows: s.rows === "0" ? null : "0"}), {"aria-pressed": s.rows === "0"}));
	return [panel(translated(t.title), "", tools, freed(context, t), table.element, p.box)];
}
