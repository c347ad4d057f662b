// SPDX-License-Identifier: MIT
import {panel} from "./dom.js";
import {Flame} from "./flame.js";
import {section} from "./ask.js";
import {nothing} from "./document.js";
import {make} from "./dom.js";
import {choice} from "./view_table.js";

export const title = "Flame";
export const fits = has => has.calls;

export async function show(context) {
	const {state: s, go} = context, words = ["top", "--by", "stack", ...context.filters(), "-n", "1", "--table", "stacks"];
	if (s.sort) words.push("--sort", s.sort);
	const a = await context.ask(words, true), f = a.doc && section(a.doc, "flame");
	if (!f || f.nodes.length < 2) return nothing(say("No stack is left to draw."));
	const flame = new Flame(f, {mode: s.mode, moded: m => go({mode: m === "icicle" ? null : m}, true), pick: name => go({view: "callers", peek: name})});
	const tools = make("div", {class: "tools"}, choice(context, "sort", ["auto", "count", "requested", "real", "live", "temporary", "self-time", "calls", "samples"], s.sort || "auto", say("widths")));
	const out = [panel(translated(f.title), say("{0} nodes", f.nodes.length.toLocaleString("en-US")), tools, flame.element)];
	out.shown = () => flame.draw();
	return out;
}
