// SPDX-License-Identifier: MIT
// Two files, or two ranges of one, side by side.
import {panel} from "./parts.js";
import {flame} from "./canvas.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {section, loaded} from "./ask.js";
import {draw, picked, nothing} from "./document.js";
import {choice} from "./view_table.js";
import {verdict} from "./gate.js";

export const title = "Compare";
export const named = true;
export const own = true;
export const every = true;
export const fits = has => has.calls;
const keys = ["site", "function", "location", "stack", "type", "file", "module", "thread"];

// Of each metric the difference first, and only metrics that changed.
function fewer(t, all) {
	const changed = t.columns.filter(c => c.key.startsWith("delta_") && t.rows.some(r => r[c.key])).map(c => c.key.slice(6));
	// As many entries as blocks say nothing new.
	if (["base_", "new_"].every(k => t.rows.every(r => r[k + "entries"] === r[k + "count"]))) changed.splice(0, changed.length, ...changed.filter(k => k !== "entries"));
	const part = c => /^(base|new|delta|percent)_(.*)$/.exec(c.key) || [], keep = all ? t.columns : t.columns.filter(c => c.type === "text" || c.key === "line" || changed.slice(0, 4).includes(part(c)[2]));
	// Of the first metric all is seen, of the others the difference before its two sides.
	const order = c => c.type === "text" ? 9 : part(c)[2] === changed[0] ? 0 : part(c)[1] === "delta" ? 1 : 2;
	return {...t, columns: keep.slice().sort((a, b) => order(a) - order(b))};
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
	const a = await context.ask(words, true), t = a.doc && section(a.doc, "table", "changes"), f = a.doc && section(a.doc, "flame");
	const out = [], p = picked(context, r => r.function || r.site);
	out.push(panel(t ? translated(t.title) : say("Compare"), "", tools, t && t.rows.length ? new Table(fewer(t, s.all), {pick: p.pick}).element : nothing(say("Nothing changed.")), p.box));
	const c = a.doc && section(a.doc, "checks");
	if (c) out.unshift(verdict(c));
	if (f && f.nodes.length > 1) out.push(panel(translated(f.title), "", flame(f, n => go({view: "callers", peek: n}), s.mode, m => go({mode: m}, true)).element));
	if (a.doc) out.push(...draw(a.doc, {changes: false, flame: false}));
	return out;
}
