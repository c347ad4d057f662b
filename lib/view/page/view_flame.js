// SPDX-License-Identifier: MIT
import {count} from "./format.js";
import {make} from "./dom.js";
import {panel} from "./parts.js";
import {flame} from "./canvas.js";
import {section} from "./ask.js";
import {nothing} from "./document.js";
import {choice} from "./view_table.js";

export const title = "Flame";
export const named = true;
export const fits = has => has.calls;

export async function show(context) {
	const {state: s, go} = context, words = ["top", "--by", "stack", ...context.filters(), "-n", "1", "--table", "stacks"];
	if (s.sort) words.push("--sort", s.sort);
	context.shows(["top", "--tree", ...context.filters(), ...s.sort ? ["--sort", s.sort] : []]);
	const a = await context.ask(words), f = a.doc && section(a.doc, "flame");
	if (!f || f.nodes.length < 2) return nothing(say("No stack is left to draw."));
	const drawn = flame(f, name => go({view: "callers", peek: name}), s.mode, m => go({mode: m === "icicle" ? null : m}, true));
	const tools = make("div", {class: "tools"}, choice(context, "sort", ["auto", "count", "requested", "real", "live", "temporary", "self-time", "calls", "samples"], s.sort || "auto", say("widths")));
	const out = [panel(translated(f.title), say("{0} nodes", count(f.nodes.length)) + (f.metric ? " · " + translated(f.metric) : ""), tools, drawn.element)];
	out.shown = () => drawn.draw();
	return out;
}
