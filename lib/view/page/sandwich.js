// SPDX-License-Identifier: MIT
// One function between its callers and its callees, both as graphs: of all stacks that have it, added up.
import {make, pencil, redraws, showTip, hideTip} from "./dom.js";
import {format, typeOf, share, shown} from "./format.js";
import {fit, named} from "./parts.js";

const ROW = 18, LEVELS = 5;

// Trees of what is above and below the outermost entries of a function in the nodes of a flame graph.
export function around(section, name) {
	const nodes = section.nodes, n = nodes.length, total = new Float64Array(n), above = {kids: new Map(), total: 0}, below = {kids: new Map(), total: 0, self: 0};
	for (let i = n - 1; i > 0; i--) { total[i] += nodes[i].self; total[nodes[i].parent] += total[i]; }
	const inside = new Uint8Array(n), at = new Array(n);
	const kid = (tree, node) => { const key = node.name + "\n" + (node.at || ""); let k = tree.kids.get(key); if (!k) tree.kids.set(key, k = {name: node.name, at: node.at, over: tree, kids: new Map(), total: 0}); return k; };
	for (let i = 1; i < n; i++) {
		const node = nodes[i], p = node.parent;
		if (inside[p]) {
			inside[i] = 1;
			// In a recursion what is below the innermost call of it counts, as tm-top --peek has it: so parts add up.
			at[i] = node.name === name ? below : kid(at[p], node);
			for (let k = at[i]; k !== below; k = k.over) k.total += node.self;
			if (at[i] === below) below.self += node.self;
			continue;
		}
		if (node.name !== name) continue;
		inside[i] = 1;
		at[i] = below;
		below.total += total[i];
		below.self += node.self;
		let up = above;
		above.total += total[i];
		for (let k = p; k; k = nodes[k].parent) { up = kid(up, nodes[k]); up.total += total[i]; }
	}
	return {above, below};
}

function graph(tree, section, up, pick, tone) {
	let placed = [];
	const depth = t => { let d = 0; for (const k of t.kids.values()) d = Math.max(d, 1 + (d > LEVELS ? 0 : depth(k))); return d; };
	const levels = Math.min(LEVELS, depth(tree)), canvas = make("canvas", {role: "img", "aria-label": up ? say("callers, the nearest at the bottom") : say("callees, the nearest at the top")});
	const draw = () => {
		for (const todo = [tree]; todo.length;) for (const k of todo.pop().kids.values()) { named(k.name); todo.push(k); }
		const {g, w, get} = pencil(canvas, Math.max(1, levels) * ROW), put = (t, x, wide, level) => {
			if (level >= levels) return;
			let left = x;
			for (const k of [...t.kids.values()].sort((a, b) => b.total - a.total)) {
				const own = wide * k.total / (t.total || 1);
				if (own < .5) break;
				const y = (up ? levels - 1 - level : level) * ROW;
				placed.push({x: left, y, w: own, k});
				g.fillStyle = get(tone(k.name, k.at));
				g.fillRect(left, y, Math.max(.6, own - 1), ROW - 1);
				if (own > 24) {
					const value = format(typeOf(section, section.metric), k.total), name = shown(labelled(named(k.name))), both = own > (name.length + value.length + 3) * letter;
					g.fillStyle = get("--on-flame");
					g.fillText(both ? name : fit(g, name, own - 8, letter), left + 4, y + ROW / 2);
					if (both) { g.textAlign = "right"; g.fillText(value, left + own - 6, y + ROW / 2); g.textAlign = "left"; }
				}
				put(k, left, own, level + 1);
				left += own;
			}
		};
		placed = [];
		g.font = "11px " + get("--mono");
		g.textBaseline = "middle";
		const letter = g.measureText("m").width;
		put(tree, 0, w, 0);
	};
	const hit = e => { const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top; return placed.find(p => x >= p.x && x < p.x + p.w && y >= p.y && y < p.y + ROW); };
	canvas.onmousemove = e => { const p = hit(e); if (!p) return hideTip(); showTip(e, p.k.name, [p.k.at || "", say("{0}, {1} of it", format(typeOf(section, section.metric), p.k.total), share(p.k.total, tree.total))].filter(Boolean)); };
	canvas.onmouseleave = hideTip;
	canvas.onclick = e => { const p = hit(e); if (p) pick(p.k.name); };
	redraws(canvas, draw);
	return levels ? canvas : up ? make("p", {class: "empty"}, say("no caller: it is outermost in its stacks")) : null;
}

// tone(name, place): the name of its colour.
export function sandwich(section, name, pick, tone) {
	const {above, below} = around(section, name);
	if (!below.total) return null;
	const all = section.nodes.reduce((a, v) => a + v.self, 0);
	return make("div", {class: "sandwich"}, make("span", {class: "side"}, say("called by")), graph(above, section, true, pick, tone),
		make("div", {class: "me"}, make("span", {class: "one file", title: name}, labelled(named(name))), make("span", {}, format(typeOf(section, section.metric), below.total) + " · " + share(below.total, all))),
		graph(below, section, false, pick, tone), make("span", {class: "side"}, below.kids.size ? say("calls; {0} are its own", format(typeOf(section, section.metric), below.self)) : say("calls nothing; all {0} are its own", format(typeOf(section, section.metric), below.self))));
}
