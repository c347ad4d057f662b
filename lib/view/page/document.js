// SPDX-License-Identifier: MIT
// A report as it comes: each section by what it is.
import {panel} from "./parts.js";
import {flame} from "./canvas.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {Chart} from "./chart.js";

export function facts(doc) {
	const rows = Object.entries(doc.facts || {});
	return rows.length ? make("dl", {class: "facts"}, ...rows.map(([k, v]) => make("div", {class: "wide"}, make("dt", {}, translated(k, "fact")), make("dd", {}, translated(v))))) : null;
}

// options by section's name: passed to what draws it; false: not shown.
export function draw(doc, options = {}) {
	const out = [];
	for (const s of doc.sections) {
		const o = options[s.name] === undefined ? options[s.kind] : options[s.name];
		if (o === false) continue;
		if (s.kind === "table" && !s.rows.length && !(s.notes || []).length) continue;
		const drawn = s.kind === "table" ? new Table(s, o || {}) : s.kind === "flame" ? (s.nodes.length > 1 ? flame(s, o && o.pick) : null) : s.kind === "series" ? new Chart(s, o || {}) : null;
		if (drawn) out.push(panel(translated(s.title), "", drawn.element));
	}
	return out;
}

// Below a table: what can be done with the row that was picked.
export function picked(context, names) {
	const box = make("div", {class: "picked"}, make("span", {class: "faint"}, say("pick a row for its callers, its source and more")));
	const pick = row => {
		const name = names(row), keys = [];
		if (!name) return box.replaceChildren(make("span", {class: "faint"}, say("this row has no function")));
		const link = (word, to) => button(word, () => context.go(to));
		keys.push(link(say("who calls it"), {view: "callers", peek: name}), link(say("focus on it"), {focus: "\\Q" + name + "\\E"}), link(say("ignore it"), {ignore: "\\Q" + name + "\\E"}));
		if (row.file && row.line) keys.push(link(row.file.split("/").pop() + ":" + row.line, {view: "source", fn: name, line: row.line}));
		box.replaceChildren(make("b", {}, name), ...keys);
	};
	return {box, pick};
}

// The note of a ranking that a part of its times counts twice.
export const twiceOf = t => { const n = (t.notes || []).find(n => /^time of scripts /.test(n)); return n ? translated(n) : ""; };

export const nothing = text => make("p", {class: "empty"}, text);
