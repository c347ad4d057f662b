// SPDX-License-Identifier: MIT
// A function's source with what each of its lines costs. The costs are there without the text, too.
import {make, panel} from "./dom.js";
import {section} from "./ask.js";
import {format, exact, literally} from "./format.js";
import {Table} from "./table.js";
import {nothing} from "./document.js";
import {choice} from "./view_table.js";

export const title = "Source";
export const own = true;
export const fits = has => has.calls;
const MOST = 20000, PARTS = "20", sorts = ["auto", "count", "requested", "real", "live", "self-time", "samples"];

// One function in one file: its lines, each with its costs.
function listing(t, head, rows, at) {
	const costs = t.columns.filter(c => c.key !== "line" && c.type !== "text"), share = costs.find(c => c.key === "total_share");
	const hot = head[share.key] / 4, body = make("tbody");
	for (const r of rows.slice(0, MOST)) {
		const here = r.line === at, tr = make("tr", {class: (r[share.key] && r[share.key] >= hot ? "hot" : "") + (here ? " at" : "")});
		for (const c of costs) tr.append(make("td", {class: "cost", title: r[c.key] ? exact(c.type, r[c.key]) : null}, r[c.key] === null ? "" : format(c.type, r[c.key])));
		tr.append(make("td", {class: "n"}, r.line === null ? "" : String(r.line)), make("td", {}, r.text || ""));
		body.append(tr);
	}
	const names = make("tr", {}, ...costs.map(c => make("th", {scope: "col"}, c.title)), make("th", {scope: "col", class: "n"}, "line"), make("th", {scope: "col"}, "source"));
	return make("div", {class: "source", tabindex: 0, role: "region", "aria-label": "source of " + head.function}, make("table", {}, make("thead", {}, names), body));
}

export async function show(context) {
	const {state: s, go} = context;
	if (!s.fn) {
		const a = await context.ask(["top", "--by", "function", "--cumulative", ...context.filters(), "-n", "2000", "--table", "top"], true), t = a.doc && section(a.doc, "table");
		return [panel("whose source?", context.sources.length ? "pick a function" : "pick a function; --source-dir DIR would show its text",
			t && t.rows.length ? new Table(t, {pick: r => r.function && go({fn: r.function, line: null})}).element : nothing("Nothing is left by these filters."))];
	}
	const sort = s.sort && s.sort !== "auto" ? ["--sort", s.sort] : [];
	const a = await context.ask(["top", "--source", literally(s.fn), ...context.sources.flatMap(d => ["--source-dir", d]), ...context.filters(), ...sort, "-n", PARTS, "--table", "source"], true);
	const t = section(a.doc, "table", "source"), heads = t.rows.map((r, i) => r._depth ? -1 : i).filter(i => i >= 0);
	const tools = make("div", {class: "tools"}, make("button", {type: "button", onclick: () => go({fn: null, line: null})}, "all functions"),
		make("button", {type: "button", onclick: () => go({view: "callers", peek: s.fn})}, "who calls it"), choice(context, "sort", sorts, s.sort || "auto", "costs by"));
	const out = [panel(s.fn, "", tools, heads.length ? null : nothing("This function costs nothing that counts here."), t.notes && t.notes.length ? make("ul", {class: "notes"}, ...t.notes.map(n => make("li", {}, n))) : null)];
	for (const [k, i] of heads.entries()) {
		const head = t.rows[i], end = heads[k + 1] === undefined ? t.rows.length : heads[k + 1], total = t.columns.find(c => c.key.startsWith("total_"));
		out.push(panel((head._details || []).join("; "), format(total.type, head[total.key]) + ", " + format("percent", head.total_share) + " of all", listing(t, head, t.rows.slice(i + 1, end), +s.line)));
	}
	out.shown = () => { for (const e of document.querySelectorAll(".source")) { const to = e.querySelector(".at") || e.querySelector(".hot"); if (to) e.scrollTop = to.offsetTop - 160; } };
	return out;
}
