// SPDX-License-Identifier: MIT
// A source file with what each of its lines costs. The costs are there without the file, too.
import {make, panel} from "./dom.js";
import {section, source} from "./ask.js";
import {format, literally} from "./format.js";
import {Table} from "./table.js";
import {nothing} from "./document.js";

export const title = "Source";
export const own = true;
export const fits = has => has.calls;
const MOST = 20000;

function listing(text, costs, columns, at) {
	const body = make("tbody"), most = Math.max(0, ...[...costs.values()].map(c => c[columns[0].key] || 0));
	const lines = text.split("\n");
	for (let i = 0; i < lines.length && i < MOST; i++) {
		const cost = costs.get(i + 1), tr = make("tr", {class: (cost && most && (cost[columns[0].key] || 0) > most / 4 ? "hot" : "") + (i + 1 === at ? " at" : "")});
		for (const c of columns) tr.append(make("td", {class: "cost"}, cost ? format(c.type, cost[c.key]) : ""));
		tr.append(make("td", {class: "n"}, String(i + 1)), make("td", {}, lines[i]));
		body.append(tr);
	}
	return make("div", {class: "source", tabindex: 0, role: "region", "aria-label": "source"}, make("table", {}, make("thead", {}, make("tr", {}, ...columns.map(c => make("th", {scope: "col"}, c.title)), make("th", {}), make("th", {}))), body));
}

export async function show(context) {
	const {state: s, go} = context;
	if (!s.file) {
		const a = await context.ask(["top", "--by", "file", ...context.filters(), "-n", "1000"], true), t = a.doc && section(a.doc, "table");
		return [panel("which file?", context.sources ? "" : "--source-dir DIR would show its text", t && t.rows.length ? new Table(t, {pick: r => r.file && go({file: r.file, line: null})}).element : nothing("No file is known: the capture has no lines."))];
	}
	const [a, text] = await Promise.all([context.ask(["top", "--by", "location", "--file", literally(s.file), ...context.filters(), "--metrics", "all", "-n", "0"], true),
		source(s.file, context.signal).catch(e => { if (e.name === "AbortError") throw e; return e; })]);
	const t = section(a.doc, "table"), rows = t ? t.rows.filter(r => r.file === s.file) : [], costs = new Map();
	const columns = t ? t.columns.filter(c => /^(total_)?(requested|real|count|self_ns|samples|total_ns|live_requested|live_real)$/.test(c.key) && rows.some(r => r[c.key])).slice(0, 4) : [];
	for (const r of rows) {
		if (!r.line) continue;
		const sum = costs.get(r.line) || {};
		for (const c of columns) if (r[c.key] !== null) sum[c.key] = (sum[c.key] || 0) + r[c.key];
		costs.set(r.line, sum);
	}
	const out = [], back = make("div", {class: "tools"}, make("button", {type: "button", onclick: () => go({file: null, line: null})}, "all files"));
	if (typeof text === "string" && columns.length) out.push(panel(s.file, columns.map(c => c.title).join(", ") + " by line", back, listing(text, costs, columns, +s.line)));
	else out.push(panel(s.file, "", back, nothing(typeof text === "string" ? "Nothing that counts here is of this file." : text.message)));
	if (t && rows.length) out.push(panel("its lines", "", new Table({...t, rows, totals: []}, {pick: r => go({line: r.line})}).element));
	out.shown = () => { const e = document.querySelector(".source .at, .source .hot"); if (e) e.closest(".source").scrollTop = e.offsetTop - 160; };
	return out;
}
