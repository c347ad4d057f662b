// SPDX-License-Identifier: MIT
// The tree of calls, from outside in or from what allocates out.
import {panel, libraryOf} from "./parts.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {section} from "./ask.js";
import {picked, nothing, twiceOf} from "./document.js";
import {choice} from "./view_table.js";

export const title = "Calls";
export const part = "Tree";
export const named = true;
export const fits = has => has.calls;

// How many threads the times are of. Threads of one name are one row, whose details have their number.
async function threadsOf(context) {
	const a = await context.ask(["top", "--by", "thread", ...context.filters(), "-n", "0", "--table", "top"]).catch(e => { if (e.name === "AbortError") throw e; return {}; }), t = a.doc && section(a.doc, "table", "top");
	return t ? {n: t.rows.filter(r => r.self_ns || r.total_ns).reduce((n, r) => n + (parseInt((r._details || [])[0], 10) || 1), 0), twice: twiceOf(t)} : null;
}

export async function show(context) {
	const {state: s, go} = context, up = s.up === "1", library = libraryOf(context), words = ["top", up ? "--bottom-up" : "--tree", ...library.words, ...context.filters(), "--min", s.least || "0.5", "--table", up ? "bottom-up" : "tree"];
	if (s.sort) words.push("--sort", s.sort);
	const a = await context.ask(words, true), t = a.doc && section(a.doc, "table");
	if (!t || !t.rows.length) return nothing(say("Nothing is left by these filters."));
	const p = picked(context, r => r.function), timed = t.columns.some(c => c.type === "ns"), threads = timed && !s.thread ? await threadsOf(context) : null;
	const several = threads && threads.n > 1 ? say("sum of {0} threads; what waits counts, too", threads.n) + (threads.twice ? say("; ") + threads.twice : "") : "";
	const tools = make("div", {class: "tools"},
		button(say("from the outermost"), () => go({up: null}), {"aria-pressed": !up}),
		button(timed ? say("from the innermost") : say("from what allocates"), () => go({up: "1"}), {"aria-pressed": up}),
		choice(context, "least", ["0.5", "0", "0.1", "1", "5"], s.least || "0.5", say("leave out below, %")), library.toggle);
	return [panel(translated(t.title), several, tools, new Table(t, {pick: p.pick}).element, p.box)];
}
