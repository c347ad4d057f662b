// SPDX-License-Identifier: MIT
// Snapshots of heaps: what is there, who holds it, what came since.
import {panel} from "./parts.js";
import {make, button} from "./dom.js";
import {draw, nothing} from "./document.js";
import {choice} from "./view_table.js";

export const title = "Heap";
export const named = true;
export const own = true;
export const fits = has => has.objects;

export async function show(context) {
	const {state: s, go} = context, words = ["heap"];
	const tree = s.by === "dominators" && !s.who;
	if (s.who) words.push("--who", s.who, "--paths", "10");
	else if (tree) words.push("--dominators", "--min", s.least || "0.5", "-n", "2000", "--sort", ["count", "retained"].includes(s.sort) ? s.sort : "auto");
	else words.push("--by", s.by && ["type", "site", "root", "owner"].includes(s.by) ? s.by : "type", "--sort", s.sort && ["size", "count", "retained"].includes(s.sort) ? s.sort : "auto", "--objects", "200", "-n", "500");
	if (s.type) words.push("--type", s.type);
	if (s.snapshot) words.push("--snapshot", s.snapshot);
	if (s.set) words.push("--set", s.set);
	const a = await context.ask(words, true);
	const who = make("input", {type: "search", value: s.who || "", placeholder: say("an object, or a type"), "aria-label": say("who holds")});
	who.onkeydown = e => { if (e.key === "Enter") go({who: who.value}); };
	const tools = make("div", {class: "tools"}, choice(context, "by", ["type", "site", "root", "dominators"], s.by, say("by")),
		choice(context, "sort", tree ? ["auto", "count", "retained"] : ["auto", "size", "count", "retained"], s.sort, say("rank by")),
		tree ? choice(context, "least", ["0.5", "0", "0.1", "1", "5"], s.least, say("leave out below, %")) : null,
		make("label", {}, say("who holds"), who), s.who ? button(say("all objects"), () => go({who: null})) : null);
	const pick = r => r.object ? go({who: r.object}) : r.type && !s.who ? go({who: "^\\Q" + r.type + "\\E$"}) : null;
	const out = a.doc ? draw(a.doc, {table: {pick}}) : [];
	return [panel(say("Heap"), s.who ? say("who holds {0}", s.who) : say("pick a type or an object to see who holds it"), tools), ...(out.length ? out : [nothing(say("No object is left by these filters."))])];
}
