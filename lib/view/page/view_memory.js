// SPDX-License-Identifier: MIT
// Sizes, live bytes over time, pages; and what is left at the end.
import {panel} from "./parts.js";
import {section} from "./ask.js";
import {draw} from "./document.js";
import {Table} from "./table.js";
import {make} from "./dom.js";
import {picked} from "./document.js";

export const title = "Memory";
export const named = true;
export const fits = has => has.memory;

export async function show(context) {
	const {go} = context;
	const a = await context.ask(["top", "--memory", ...context.filters()], true);
	const out = a.doc ? draw(a.doc, {live: {select: (x, y) => go({time: x === null ? null : x + "ns.." + y + "ns", frame: null})}}) : [];
	const l = await context.ask(["top", "--leaks", ...context.filters(), "-n", "50"]).catch(() => null), t = l && l.doc && section(l.doc, "table");
	if (t && t.rows.length) {
		const p = picked(context, r => r.site);
		out.push(panel(say("live at the end"), "", new Table(t, {pick: p.pick}).element, p.box));
	}
	return [make("div", {class: "columns"}, ...out)];
}
