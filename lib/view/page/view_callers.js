// SPDX-License-Identifier: MIT
// One function in the middle: who calls it, what it calls.
import {panel, literally, libraryOf} from "./parts.js";
import {flame} from "./canvas.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {section} from "./ask.js";
import {nothing} from "./document.js";

export const title = "Callers";
export const named = true;
export const own = true;
export const fits = has => has.calls;

export async function show(context) {
	const {state: s, go} = context, library = libraryOf(context);
	const input = make("input", {type: "search", value: s.peek || "", placeholder: say("a function's name"), "aria-label": say("function")});
	const form = make("div", {class: "tools"}, make("label", {}, say("function"), input), button(say("Show"), () => go({peek: input.value})), library.toggle);
	input.style.width = "min(480px, 60vw)";
	input.onkeydown = e => { if (e.key === "Enter") { e.preventDefault(); go({peek: input.value}); } };
	if (!s.peek) {
		const a = await context.ask(["top", "--by", "function", ...library.words, ...context.filters(), "-n", "200", "--table", "top"], true), t = a.doc && section(a.doc, "table");
		return [panel(say("whose callers?"), say("pick a function"), form, t ? new Table(t, {pick: r => go({peek: r.function})}).element : "")];
	}
	const name = /[\\^$.|?*+]/.test(s.peek) && s.pattern ? s.peek : literally(s.peek);
	const a = await context.ask(["top", "--peek", name, ...library.words, ...context.filters(), "--table", "peek"], true), t = a.doc && section(a.doc, "table", "peek");
	if (!t || !t.rows.length) return [panel(say("callers and callees"), "", form), nothing(say("No function is called {0}.", s.peek))];
	// The sandwich: callers above, itself, callees below.
	const plain = {"(nobody: it is outermost)": say("(no caller: it is outermost in its stacks)"), "(nobody: its own)": say("(its own: no further call)")};
	const rows = t.rows, self = rows.filter(r => r._depth === 0), part = relation => ({...t, tree: false, title: relation, columns: t.columns.filter(c => c.key !== "relation" && c.key !== "of"), rows: rows.filter(r => r.relation === relation).map(r => ({...r, function: plain[r.function] || r.function})), notes: []});
	const out = [panel(translated(t.title), self.map(r => r.function).join(", "), form)];
	const pick = r => r.function && !r.function.startsWith("(") && go({peek: r.function});
	const up = part("called by"), down = part("calls");
	out.push(make("div", {class: "columns"}, panel(say("who calls it"), "", up.rows.length ? new Table(up, {pick}).element : nothing(say("no caller: it is outermost in its stacks"))),
		panel(say("what it calls"), "", down.rows.length ? new Table(down, {pick}).element : nothing(say("no further call")))), make("p", {}));
	const f = section((await context.ask(["top", "--by", "stack", "--focus", name, ...library.words, ...context.filters(["focus"]), "-n", "1", "--table", "stacks"])).doc, "flame");
	if (f && f.nodes.length > 1) out.push(panel(say("all stacks through it"), "", flame(f, n => go({peek: n})).element));
	return out;
}
