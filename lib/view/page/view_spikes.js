// SPDX-License-Identifier: MIT
// The calls that took longer than they may.
import {panel} from "./parts.js";
import {make} from "./dom.js";
import {draw, nothing} from "./document.js";

export const title = "Slow calls";
export const named = true;
export const fits = has => has.nested;

export async function show(context) {
	const {state: s, go} = context;
	const limit = make("input", {type: "text", value: s.threshold || "1ms", "aria-label": say("what a call may take"), onchange: () => go({threshold: limit.value})});
	context.fields = panel(say("Slow calls"), "", make("div", {class: "tools"}, make("label", {}, say("limit per call"), limit)));
	const a = await context.ask(["spikes", "--threshold", s.threshold || "1ms", ...context.filters()], true);
	const ended = x => x.kind === "table" ? {...x, columns: x.columns.map(c => c.key === "frame" ? {...c, told: say("ended in frame")} : c)} : x;
	const out = a.doc ? draw({...a.doc, sections: a.doc.sections.map(ended)}, {table: {keep: ["worst_ns", "total_ns", "frame"], pick: r => r.function && go({view: "calls", peek: r.function})}}) : [];
	return [context.fields, ...(out.length ? out : [nothing(say("Nothing is left by these filters."))])];
}
