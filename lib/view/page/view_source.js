// SPDX-License-Identifier: MIT
// A function's source with what each of its lines costs, and its instructions beside it. The costs are there without
// the text, too.
import {panel, literally, plainly} from "./parts.js";
import {make, button} from "./dom.js";
import {section} from "./ask.js";
import {format, typeOf, exact} from "./format.js";
import {Table} from "./table.js";
import {nothing} from "./document.js";
import {choice, offered} from "./view_table.js";
import {instructions} from "./instructions.js";
import {link, listing, place, rowsOf} from "./lines.js";

export const title = "Source";
export const named = true;
export const own = true;
export const fits = has => has.calls;
const MOST = 20000, PARTS = "20", sorts = ["auto", "count", "requested", "real", "live", "self-time", "samples"];

// One function in one file: its lines, each with its costs. brief: what says the same as another column is none.
export function lines(t, head, rows, brief) {
	const every = t.columns.filter(c => c.key !== "line" && c.type !== "text"), total = every.find(c => c.key.startsWith("total_") && c.type !== "percent"), own = every.find(c => total && c.key === total.key.slice(6));
	const same = own && rows.every(r => (r[own.key] || 0) === (r[total.key] || 0)), costs = brief ? every.filter(c => c.type !== "percent" && !(same && c === own)) : every, share = every.find(c => c.key === "total_share"), hot = head[share.key] / 4;
	// A report has 8 columns for a tab; beside other cards 4 do.
	const wide = brief && rows.every(r => !/^ {1,7}\S/.test(r.text || "")), indented = text => wide && text ? text.replace(/^( {8})+/, m => m.slice(m.length / 2)) : text || "";
	const heads = [...costs.map(c => make("th", {scope: "col", title: translated(c.title)}, translated(plainly(same && brief ? own.title.replace(/ self$/, "") : c.title)))), make("th", {scope: "col", class: "n"}, say("line")), make("th", {scope: "col"}, say("source"))];
	return listing(say("source of {0}", head.function), heads, rows.slice(0, MOST).map(r => ({
		cells: [...costs.map(c => make("td", {class: "cost", title: r[c.key] ? exact(c.type, r[c.key]) + (brief ? ", " + format("percent", r[share.key]) : "") : null}, r[c.key] === null ? "" : format(c.type, r[c.key]))),
			make("td", {class: "n"}, r.line === null ? "" : String(r.line)), make("td", {}, indented(r.text))],
		places: [place(head.file, r.line)].filter(Boolean), hot: r[share.key] && r[share.key] >= hot,
	})));
}

export async function show(context) {
	const {state: s, go} = context;
	if (!s.fn) {
		const a = await context.ask(["top", "--by", "function", "--cumulative", ...context.filters(), "-n", "2000", "--table", "top"], true), t = a.doc && section(a.doc, "table");
		return [panel(say("whose source?"), say(context.sources.length ? "pick a function" : "pick a function; --source-dir DIR would show its text"),
			t && t.rows.length ? new Table(t, {pick: r => r.function && go({fn: r.function, line: null})}).element : nothing(say("Nothing is left by these filters.")))];
	}
	const sort = s.sort && s.sort !== "auto" ? ["--sort", s.sort] : [];
	const [a, beside] = await Promise.all([
		context.ask(["top", "--source", literally(s.fn), ...context.sources.flatMap(d => ["--source-dir", d]), ...context.filters(), ...sort, "-n", PARTS, "--table", "source"], true),
		context.binaries.length && context.coded ? instructions(context, s.fn, sort) : null]);
	const t = section(a.doc, "table", "source"), heads = t.rows.map((r, i) => r._depth ? -1 : i).filter(i => i >= 0);
	const tools = make("div", {class: "tools"}, button(say("all functions"), () => go({fn: null, line: null})),
		button(say("who calls it"), () => go({view: "callers", peek: s.fn})), choice(context, "sort", await offered(context, sorts, s.sort), s.sort || "auto", say("costs by")));
	const listings = [], sources = [];
	const out = [panel(s.fn, "", tools, heads.length ? null : nothing(say("This function costs nothing that counts here.")), t.notes && t.notes.length ? make("ul", {class: "notes"}, ...t.notes.map(n => make("li", {}, translated(n)))) : null)];
	for (const [k, i] of heads.entries()) {
		const head = t.rows[i], end = heads[k + 1] === undefined ? t.rows.length : heads[k + 1], total = t.columns.find(c => c.key.startsWith("total_"));
		listings.push(lines(t, head, t.rows.slice(i + 1, end)));
		sources.push(panel((head._details || []).map(d => translated(d)).join(say("; ")), say("{0}, {1} of all", format(typeOf(total), head[total.key]), format("percent", head.total_share)), listings[k]));
	}
	const linked = link(beside ? [...listings, ...beside.listings] : listings, to => go({line: to.slice(to.lastIndexOf(":") + 1)}, true));
	out[0].append(linked.said);
	if (!context.binaries.length && context.coded) out[0].append(make("p", {class: "faint"}, say("tm-view -e FILE, its binary, shows its instructions beside it.")));
	out.push(...beside ? [make("div", {class: "beside"}, make("div", {}, ...sources), make("div", {}, ...beside.panels))] : sources);
	out.shown = () => {
		const hot = e => rowsOf(e).filter(r => r.classList.contains("hot")), places = new Set(listings.flatMap(hot).flatMap(r => r.places));
		for (const e of document.querySelectorAll(".source")) { const to = hot(e).find(r => r.places.some(p => places.has(p))) || hot(e)[0]; if (to) e.scrollTop = to.offsetTop - 160; }
		const at = s.line && listings.flatMap(rowsOf).find(r => r.places.some(p => p.endsWith(":" + s.line)));
		if (at) linked.choose(at, true);
	};
	return out;
}
