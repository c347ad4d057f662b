// SPDX-License-Identifier: MIT
import {count} from "./format.js";
import {make} from "./dom.js";
import {panel, libraryOf} from "./parts.js";
import {menu} from "./menu.js";
import {flame} from "./canvas.js";
import {section} from "./ask.js";
import {nothing} from "./document.js";
import {choice, offered} from "./view_table.js";
import {legend} from "./cards.js";
import {modulesOf} from "./modules.js";
import {shadeOf, kindsOf} from "./tracks.js";

export const title = "Flame";
export const named = true;
export const fits = has => has.calls;

const sorts = ["auto", "count", "requested", "real", "live", "temporary", "self-time", "calls", "samples", "period"];

export async function show(context) {
	const {state: s, go} = context, library = libraryOf(context), words = ["top", "--by", "stack", ...library.words, ...context.filters(), "-n", "1", "--table", "stacks"];
	if (s.sort) words.push("--sort", s.sort);
	context.shows(["top", "--tree", "--min", "0", ...library.words, ...context.filters(), ...s.sort ? ["--sort", s.sort] : []]);
	const [a, own, metrics] = await Promise.all([context.ask(words), modulesOf(context), offered(context, sorts, s.sort)]), f = a.doc && section(a.doc, "flame");
	if (!f || f.nodes.length < 2) return nothing(say("No stack is left to draw."));
	const drawn = flame(f, name => go({view: "callers", peek: name}), s.mode, m => go({mode: m === "icicle" ? null : m}, true),
		{tone: i => i ? "--" + shadeOf(drawn.name(i), drawn.place(i), drawn.place(i), own) : "--library", menu: (name, e) => menu(e, name, context)});
	const tools = make("div", {class: "tools"}, choice(context, "sort", metrics, s.sort || "auto", say("widths")), library.toggle, legend(kindsOf(own, f.nodes.slice(1).map(n => ({function: n.name, file: n.at, module: n.at})))));
	const out = [panel(translated(f.title), say("{0} nodes", count(f.nodes.length)) + (f.metric ? " · " + translated(f.metric) : ""), tools, drawn.element)];
	out.shown = () => drawn.draw();
	return out;
}
