// SPDX-License-Identifier: MIT
// What holds what: the tree of dominators as a graph, and the paths from roots to an object as boxes.
import {flame} from "./canvas.js";
import {legend, none} from "./cards.js";
import {make, button} from "./dom.js";
import {format} from "./format.js";
import {middle, named} from "./parts.js";

const TONES = ["--own", "--engine", "--script"];

// The rows of `heap --dominators` as a graph: as wide as what they retain, or where no size is known, as many objects.
// select(row): one was clicked.
export function icicle(t, select) {
	const k = t.rows.some(r => r.retained) ? "retained" : "retained_count", type = k === "retained" ? "bytes" : "count", open = [], rest = t.rows.map(r => r[k] || 0);
	const nodes = t.rows.map((r, i) => {
		open.length = r._depth;
		const parent = r._depth ? open[r._depth - 1] : 0;
		open.push(i);
		if (i) rest[parent] -= r[k] || 0;
		return {parent, name: r.name, at: r.path};
	});
	nodes.forEach((n, i) => { n.self = Math.max(0, rest[i]); });
	// The types that are most of it have a colour each.
	const types = new Map();
	t.rows.forEach((r, i) => { if (r.type) types.set(r.type, (types.get(r.type) || 0) + nodes[i].self); });
	const best = [...types].sort((a, b) => b[1] - a[1]).slice(0, TONES.length).map(([name]) => name), tone = i => TONES[best.indexOf(t.rows[i].type)] || "--library";
	const drawn = flame({title: t.title, metric: t.columns.find(c => c.key === k).title, type, nodes}, () => {}, "icicle", () => {}, {select: (_, i) => select(t.rows[i], i), tone});
	const names = legend([...best.map((name, i) => [TONES[i], name]), ...types.size > best.length ? [["--library", say("other types")]] : []]);
	names.classList.add("types");
	return {drawn, legend: names};
}

// "Player 0x10 -> .weapon -> Weapon 0x20 -> .owner": the objects, each with the step that leads on from it.
function stepsOf(through) {
	const out = [];
	for (const part of (through || "").split(" -> ").filter(Boolean)) {
		const m = /^(.*?) ?(0x[0-9a-f]+)$/.exec(part), more = /^\.\.\. \((\d+) more\)$/.exec(part);
		if (m) out.push({type: m[1], object: m[2], step: ""});
		else if (more) out.push({more: +more[1], step: ""});
		else if (out.length) out[out.length - 1].step = part;
	}
	return out;
}

// Paths as `heap --who OBJECT --paths K` has them, a column each, the root on top, and the object below them.
export function paths(rows, to) {
	const known = rows.filter(r => r.path);
	if (!known.length) return none(say("No path from a root leads here."), say("It is held by what no root reaches, or the capture has no references."));
	const box = (kind, top, text, object) => object ? button("", () => to(object), {class: "box " + kind, title: text}) : make("div", {class: "box " + kind, title: text});
	const fill = (e, top, under) => { e.append(top.length > 24 ? middle(top, {title: null}) : make("b", {class: "file"}, top), under ? make("small", {class: "file"}, under) : ""); return e; };
	const column = r => {
		const steps = stepsOf(r.through), tail = steps.map(s => s.step).join(""), root = r.path.endsWith(tail) ? r.path.slice(0, r.path.length - tail.length) : r.path;
		// A kind of roots stands in brackets, and the type of the object behind it: that is the next box.
		const kind = /^\[([^\]]+)\] ?/.exec(root);
		return make("div", {class: "way"}, fill(box("root", "", r.path), kind && steps.length ? labelled("[" + kind[1] + "]").replace(/^[[［]|[\]］]$/g, "") : steps.length || !r.through ? root : r.path, kind && kind[1] === "root" ? "" : say("root")),
			...steps.flatMap((s, i) => [i ? null : make("span", {class: "arrow"}, "↓"), s.more ? make("span", {class: "arrow"}, say("{0} more", s.more)) : fill(box("", "", s.type, s.object), named(s.type), s.object), make("span", {class: "arrow file"}, "↓ " + s.step)]), steps.length ? null : make("span", {class: "arrow"}, "↓"), make("i", {class: "rest"}), make("span", {class: "arrow"}, "▼"));
	};
	const r = known[0];
	return make("div", {class: "ways"}, make("div", {class: "abreast"}, ...known.map(column)), fill(make("div", {class: "box me"}), r.name || named(r.type || r.object), [r.elements ? say("{0} elements", format("count", r.elements)) : null, r.type, r.object, r.size ? format("bytes", r.size) : null].filter(Boolean).join(" · ")));
}
