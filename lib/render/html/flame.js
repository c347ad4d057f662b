// SPDX-License-Identifier: MIT
// Flame graphs, icicles and tree maps. The data have all nodes in pre-order; elements are made of those
// in view. A node's children are in the order of their weight; those too narrow to be clicked are folded
// into one that says how many they are, and are there again when it or their parent is zoomed into. A
// picked function has its callers and callees below.
import {make, button, showTip, hideTip, onceAFrame, redraws, keeps} from "./dom.js";
import {format, typeOf, share, matcher, count, some, shown} from "./format.js";

export const ROW = 18;
const PASSES = 6, MAP = 460, LISTED = 15, NARROW = 2, FOLD = 26, TINY = 64, SMALLER = "(smaller)";

// Lays the weights out in a rectangle, nearly square where they fall: Bruls, Huizing and van Wijk, "Squarified
// treemaps" (2000). Calls put(index, x, y, w, h).
function squarify(weights, x, y, w, h, put) {
	let left = weights.reduce((a, b) => a + b, 0), i = 0;
	while (i < weights.length && weights[i] > 0 && w > 0 && h > 0) {
		const scale = w * h / left, side = Math.min(w, h);
		let sum = 0, n = 0, worst = Infinity;
		while (i + n < weights.length) {
			const more = sum + weights[i + n], thick = more * scale / side;
			const ratio = v => Math.max(thick * thick / (v * scale), v * scale / (thick * thick));
			const now = Math.max(ratio(weights[i]), ratio(weights[i + n]));
			if (!(weights[i + n] > 0) || now > worst) break;
			worst = now;
			sum = more;
			n++;
		}
		const thick = sum * scale / side;
		let at = 0;
		for (let k = i; k < i + n; k++) {
			const long = side * weights[k] / sum;
			if (w >= h) put(k, x, y + at, thick, long);
			else put(k, x + at, y, long, thick);
			at += long;
		}
		if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
		left -= sum;
		i += n;
	}
}

// What kind of code it is: by its file and name.
export function kindOf(name, at) {
	if (/\.(lua|luac|cs|py|js|ts|nut|wren)\b/.test(at || "")) return "script";
	if (/^(std::|__gnu|__cxx|_dl_|__libc|__GI_|_start$|clone3?$|start_thread|operator (new|delete)|m?alloc$|malloc|calloc|realloc|core::|alloc::|tokio::|void std::|std::__|luaL?_\w+$|liblua[\w.-]*\.so[\d.]*!)/.test(name) || /^(ld-linux|lib(c|m|stdc\+\+|gcc_s|pthread|dl)[.-])|\/usr\/(include|lib)|rustc\/|\/c\+\+\/\d/.test(at || "") || /^\w+ ?std::/.test(name)) return "library";
	// Names that C++ reserves for its library; __Z begins a mangled one, and Fortran's have _MOD_.
	if (/^(__(?!Z|\w*_MOD_|\w+__$)[a-z]|_[MS]_[a-z])/.test(name)) return "library";
	return "own";
}

// The nodes of a report's flame graph (tracemill-report(5)) in the form that lib/render/html_flame.h describes.
export function packed(section) {
	const {nodes, type, differential} = section, n = nodes.length, first = new Int32Array(n).fill(-1), next = new Int32Array(n).fill(-1);
	const d = {type, title: section.title, measure: section.metric, function: [], up: [], own: [], self: [], name: [], at: [], strings: []};
	if (differential) d.base = [];
	for (let i = n - 1; i > 0; i--) {
		next[i] = first[nodes[i].parent];
		first[nodes[i].parent] = i;
	}
	const ids = new Map(), functions = new Map(), id = s => ids.get(s) ?? (ids.set(s, d.strings.push(s) - 1), ids.get(s));
	for (let k = 0, at = 0, own = 0; k < n; k++) {
		let up = 0;
		if (k && first[at] >= 0) at = first[at];
		else if (k) {
			for (up = 1; next[at] < 0; up++) at = nodes[at].parent;
			at = next[at];
		}
		d.up.push(up);
		const v = nodes[at], key = v.name + "\n" + (v.at || "");
		if (!functions.has(key)) {
			functions.set(key, d.name.push(id(v.name)) - 1);
			d.at.push(v.at ? id(v.at) : -1);
		}
		d.function.push(functions.get(key));
		if (!v.self && !v.base) continue;
		d.own.push(k - own);
		d.self.push(v.self);
		if (differential) d.base.push(v.base);
		own = k;
	}
	return d;
}

export class Flame {
	// d: as lib/render/html_flame.h describes it, with a title. options:
	// more(k): the sums of d.more[k]
	// picked(name): a function was clicked, and is shown with its callers and callees
	// mode "icicle" | "flame" | "map", moded(mode): three buttons choose it
	// pick(name): the right button, or Shift+Enter, asks for more of a function; a path says what is chosen
	constructor(d, options = {}) {
		const n = this.n = d.function.length;
		this.d = d;
		this.o = options;
		this.ids = new Map();
		this.element = make("div", {});
		if (!n) {
			this.element.append(make("p", {class: "cut"}, say("nothing to draw")));
			return;
		}
		this.zoomed = this.at = 0;
		this.range = null;
		this.up = options.mode === "flame";
		this.map = options.mode === "map";
		this.grow(n);
		for (const s of d.name) this.ids.set(d.strings[s], s);
		this.hits = this.before = null;
		this.measure(d);
		this.tools();
		redraws(this.bar, () => this.draw());
	}

	// The tree: parents, depths, how many nodes are below and with each, children one after another.
	grow(n) {
		const {up, own} = this.d, parent = this.parent = new Uint32Array(n);
		this.depth = new Uint32Array(n);
		this.size = new Uint32Array(n).fill(1);
		this.first = new Uint32Array(n + 1);
		for (let i = 1; i < n; i++) {
			let p = i - 1;
			for (let k = up[i]; k; k--) p = parent[p];
			parent[i] = p;
			this.depth[i] = this.depth[p] + 1;
			this.first[p + 1]++;
		}
		for (let i = n - 1; i > 0; i--) this.size[parent[i]] += this.size[i];
		for (let i = 0; i < n; i++) this.first[i + 1] += this.first[i];
		const next = this.first.slice(0, n);
		this.children = new Uint32Array(n - 1);
		for (let i = 1; i < n; i++) this.children[next[parent[i]]++] = i;
		this.own = new Uint32Array(own.length);
		own.reduce((at, gap, k) => this.own[k] = at + gap, 0);
	}

	spread(values) {
		const out = new Float64Array(this.n);
		for (let k = 0; k < values.length; k++) out[this.own[k]] = values[k];
		return out;
	}

	sums(self) {
		const out = self.slice();
		for (let i = this.n - 1; i > 0; i--) out[this.parent[i]] += out[i];
		return out;
	}

	// m: {type, self}, and base of a differential graph
	measure(m) {
		this.type = typeOf(m, m.measure);
		this.self = this.spread(m.self);
		this.total = this.sums(this.self);
		this.ownBase = m.base ? this.spread(m.base) : null;
		this.base = m.base ? this.sums(this.ownBase) : null;
		this.weigh(this.total);
	}

	weigh(weight) {
		this.weight = weight;
		this.sorted = new Uint8Array(this.n);
	}

	name(i) {
		return this.d.strings[this.d.name[this.d.function[i]]];
	}

	// As it is shown: the names that are no function's are texts of the page.
	seen(i) {
		return i ? labelled(this.name(i)) : translated(this.name(i));
	}

	place(i) {
		const at = this.d.at[this.d.function[i]];
		return at < 0 ? "" : this.d.strings[at];
	}

	// The heaviest first; put in order when they are asked for.
	kids(i) {
		const kids = this.children.subarray(this.first[i], this.first[i + 1]), weight = this.weight;
		if (kids.length > 1 && !this.sorted[i]) kids.sort((a, b) => weight[b] - weight[a] || a - b);
		this.sorted[i] = 1;
		return kids;
	}

	tools() {
		const search = this.input = make("input", {type: "search", placeholder: say(this.o.pick ? "search" : "search (regular expression)"), "aria-label": say("search in the stacks"), oninput: () => this.search(search.value)});
		search.onkeydown = event => {
			if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
			else if (event.key === "Escape" && !search.value) this.look(this.at, true);
			else return;
			event.preventDefault();
		};
		this.reset = button(say("reset zoom"), () => this.zoom(0));
		this.say = make("span", {class: "say", "aria-live": "polite"});
		const shapes = this.o.moded ? this.modes() : this.toggles();
		this.bar = make("div", {class: "tools"}, ...(this.o.moded ? [...shapes, search] : [search, ...shapes]), this.reset,
			this.base ? this.side() : null, this.base ? make("span", {class: "scale"}, say("grew"), make("i"), say("shrank")) : null, this.d.more && this.d.more.length ? this.choice() : null, this.say);
		this.surface();
		this.folded = make("p", {class: "cut folded"});
		this.panel = make("div", {class: "around"});
		this.path = make("p", {class: "path", "aria-live": "polite"});
		this.element.append(this.bar, this.graph, this.folded, this.o.pick ? this.path : this.panel);
		this.showPath(0);
		keeps(this.element, this);
		const on = (event, f) => { const o = this.node(event); return o && f(o); };
		this.rows.onclick = event => on(event, o => this.enter(o));
		this.rows.oncontextmenu = event => { if (on(event, o => this.ask(o))) event.preventDefault(); };
		this.rows.onmousemove = event => { if (!on(event, o => { this.tell(event, o); return true; })) hideTip(); };
		this.rows.onmouseleave = hideTip;
		this.rows.onfocusin = event => on(event, o => { this.at = o.i; });
		this.rows.onfocusout = hideTip;
		this.graph.onkeydown = event => this.key(event);
		this.graph.onscroll = onceAFrame(() => this.show());
		// In tm-view, graphs come and go.
		(this.o.moded ? this.element : window).addEventListener("keydown", event => {
			if (event.key === "Escape" && (this.zoomed || this.range) && !event.defaultPrevented && !event.target.closest("input, select")) this.zoom(0);
		});
	}

	// Where nodes are drawn; node() and show() belong to it.
	surface() {
		this.rows = make("div", {class: "rows", role: "presentation"});
		this.graph = make("div", {class: "graph", role: "tree", "aria-label": translated(this.d.title)}, this.rows);
	}

	// The one that an event is on.
	node(event) {
		const e = event.target.closest(".node");
		return e ? this.placed[+e.dataset.k] : null;
	}

	toggles() {
		const flip = button(say("as flame graph"), () => {
			this.up = !this.up;
			flip.textContent = say(this.up ? "as icicle" : "as flame graph");
			this.draw();
		}, {class: "flip"});
		const map = button(say("as tree map"), () => {
			this.map = !this.map;
			map.textContent = say(this.map ? "as stacks" : "as tree map");
			flip.disabled = this.map;
			this.draw();
		}, {class: "map"});
		return [flip, map];
	}

	mode() {
		return this.map ? "map" : this.up ? "flame" : "icicle";
	}

	modes() {
		const all = Object.entries({icicle: say("icicle"), flame: say("flame graph"), map: say("tree map")}).map(([mode, word]) => button(word, () => {
			this.shape(mode);
			this.o.moded(mode);
		}, {"data-mode": mode}));
		this.shape = mode => {
			this.up = mode === "flame";
			this.map = mode === "map";
			for (const b of all) b.setAttribute("aria-pressed", b.dataset.mode === mode);
			if (this.graph) this.draw();
		};
		this.shape(this.mode());
		return all;
	}

	// What a view that is drawn again keeps: nodes by the names on the way to them.
	keep() {
		return {zoomed: this.names(this.zoomed), at: this.names(this.at), mode: this.mode(), search: this.input.value, top: this.graph.scrollTop};
	}

	take(was) {
		this.zoomed = this.named(was.zoomed);
		this.at = this.named(was.at);
		if (this.shape) this.shape(was.mode);
		this.input.value = was.search;
		this.search(was.search);
		if (this.at) this.showPath(this.at);
		this.graph.scrollTop = was.top;
	}

	names(i) {
		const out = [];
		for (; i > 0; i = this.parent[i]) out.unshift(this.name(i));
		return out;
	}

	named(names) {
		let i = 0;
		for (const n of names) {
			i = this.kids(i).find(c => this.name(c) === n);
			if (i === undefined) return 0;
		}
		return i;
	}

	ask(o) {
		if (!o || !this.o.pick || o.i <= 0 || this.name(o.i) === SMALLER) return false;
		this.o.pick(this.name(o.i));
		return true;
	}

	showPath(i) {
		const names = [];
		for (let k = i; k; k = this.parent[k]) names.unshift(this.seen(k));
		this.path.textContent = i ? shown(names.join(" \u203a ") + " \u2014 " + this.lines({i}).join(", ")) : say("a click zooms; the right button, or Shift+Enter, shows its callers");
	}

	side() {
		const side = button(say("widths: new"), () => {
			this.weigh(this.weight === this.total ? this.base : this.total);
			side.textContent = say(this.weight === this.total ? "widths: new" : "widths: base");
			this.search(this.input.value); // its share is of these widths
			this.list();
		});
		return side;
	}

	// Other sums are read when they are chosen.
	choice() {
		const title = say("what the widths are"), choice = make("select", {title, "aria-label": title}, ...[{title: this.d.measure}, ...this.d.more].map(m => make("option", {}, translated(m.title))));
		choice.onchange = () => {
			const k = choice.selectedIndex;
			this.measure(k ? {type: this.d.more[k - 1].type, measure: this.d.more[k - 1].title, self: this.o.more(k)} : this.d);
			this.search(this.input.value);
			this.list();
		};
		return choice;
	}

	// range [from, to): of its children these have all the room.
	zoom(i, range = null) {
		this.zoomed = i;
		this.range = range;
		hideTip();
		this.draw();
	}

	// What a click does, and Enter.
	enter(o) {
		this.at = o.i < 0 ? o.of : o.i;
		if (o.i < 0) {
			this.zoom(o.of, [o.from, o.to]);
			return;
		}
		this.zoom(this.o.pick && o.i === this.zoomed ? this.parent[o.i] : o.i);
		this.showPath(o.i);
		if (o.i && this.o.picked && this.name(o.i) !== SMALLER) this.o.picked(this.name(o.i));
	}

	// Out of what is zoomed into, by one.
	leave() {
		const i = this.zoomed;
		this.at = i;
		this.zoom(this.range ? i : this.parent[i]);
	}

	// Of the stacks with this function: its outermost entries, so that recursion counts once.
	outermost(id) {
		const out = [], {name, function: f} = this.d;
		for (let i = 1; i < this.n;)
			if (name[f[i]] === id) {
				out.push(i);
				i += this.size[i];
			} else i++;
		return out;
	}

	// own: it was picked here.
	pick(name, own) {
		if (!this.ids.has(name)) return;
		this.picked = name;
		this.list();
		this.draw();
		if (!own) this.graph.scrollIntoView({block: "nearest"});
	}

	// What the functions of this name weigh together.
	all(name) {
		let sum = 0;
		if (this.ids.has(name)) for (const i of this.outermost(this.ids.get(name))) sum += this.weight[i];
		return sum;
	}

	// Who calls the picked function and what it calls, with the share of its total.
	list() {
		if (this.picked === undefined) return;
		const id = this.ids.get(this.picked), {name, function: f} = this.d, callers = new Map(), callees = new Map();
		const add = (map, key, v) => v && map.set(key, (map.get(key) || 0) + v);
		let total = 0, self = 0;
		const own = this.weight === this.base ? this.ownBase : this.self;
		for (const top of this.outermost(id)) {
			total += this.weight[top];
			add(callers, this.parent[top] ? this.name(this.parent[top]) : say("(outermost)"), this.weight[top]);
			for (const below = [top]; below.length;) {
				const i = below.pop();
				self += own[i];
				for (const c of this.kids(i))
					if (name[f[c]] === id) below.push(c);
					else add(callees, this.name(c), this.weight[c]);
			}
		}
		const text = v => format(this.type, v), whole = this.weight[0];
		const cut = this.all(SMALLER), sum = (word, v) => make("span", {}, say(word, text(v), share(v, whole)));
		const head = make("p", {class: "meta"}, make("b", {}, this.picked), sum(cut ? "total at least {0}  {1}" : "total {0}  {1}", total),
			sum(cut ? "self at least {0}  {1}" : "self {0}  {1}", self),
			cut ? make("span", {}, say("{0} of all are in (smaller), whose functions are not in this page", text(cut))) : null);
		const line = (v, cell) => make("tr", {}, make("td", {class: "num"}, text(v)), make("td", {class: "num"}, share(v, total)), cell);
		const side = (title, map) => {
			const rows = [...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)), rest = rows.slice(LISTED);
			const table = make("tbody", {}, ...rows.slice(0, LISTED).map(([key, v]) => line(v, make("td", {class: "name"},
				this.ids.has(key) ? button(key, () => this.o.picked(key), {class: "pick"}) : labelled(key)))),
				rest.length ? line(rest.reduce((a, r) => a + r[1], 0), make("td", {class: "faint"}, say("{0} more", rest.length))) : null);
			return make("div", {}, make("h3", {}, title), rows.length ? make("table", {}, table) : make("p", {class: "faint"}, say("none")));
		};
		this.panel.replaceChildren(head, make("div", {class: "sides"}, side(say("called by"), callers), side(say("relation|calls"), callees)));
	}

	// The share of what matches, counted once per stack.
	search(text) {
		const {name, function: f, strings} = this.d;
		let sum = 0;
		this.hits = this.before = this.found = null;
		if (text) {
			const match = matcher(text), fits = new Map();
			for (const s of this.ids.values()) fits.set(s, match(strings[s]));
			const hit = Uint8Array.from(name, s => fits.get(s));
			this.hits = new Uint8Array(this.n);
			this.before = new Uint32Array(this.n + 1); // how many hits are before each
			for (let i = 0; i < this.n; i++) this.before[i + 1] = this.before[i] + (this.hits[i] = hit[f[i]]);
			for (let i = 0; i < this.n;)
				if (this.hits[i]) {
					sum += this.weight[i];
					i += this.size[i];
				} else i++;
		}
		const n = text ? this.before[this.n] : 0;
		this.say.textContent = text ? say("{0} matches ({1})", share(sum, this.weight[0]), format(this.type, sum)) +
			(n ? some(n, ", in {0} node: Enter goes to it", ", in {0} nodes: Enter goes to the largest, then to the next") : "") : "";
		this.draw();
	}

	// From hit to hit, the heaviest first, wherever it is folded away.
	next(step) {
		if (!this.hits) return;
		if (!this.found) {
			this.found = Uint32Array.from({length: this.n}, (_, i) => i).filter(i => this.hits[i]);
			this.found.sort((a, b) => this.weight[b] - this.weight[a] || a - b);
			this.last = step > 0 ? -1 : 0;
		}
		const n = this.found.length;
		if (!n) return;
		this.last = (this.last + step + n) % n;
		this.look(this.found[this.last], false);
	}

	// Goes to a node; zooms where that is what it takes to see it.
	look(i, focus) {
		const find = () => this.placed.find(o => o.i === i && !o.path), p = this.parent[i];
		if (!find()) this.zoom(p);
		if (!find()) {
			const k = this.kids(p).indexOf(i);
			this.zoom(p, [k, Math.min(k + 20, this.first[p + 1] - this.first[p])]);
		}
		this.at = i;
		this.reach(find());
		if (focus) this.focus();
		else this.tellAt(find());
	}

	// The colour of a node as a theme has it: of differences by how much, else by the kind of code. get(name): a colour
	// of the theme, where the theme's own names are not understood.
	fill(i, get = name => "var(" + name + ")") {
		if (!this.base) return get("--" + this.kind(i));
		const d = this.total[i] - this.base[i], most = Math.max(this.total[i], this.base[i]), part = most ? Math.min(1, Math.abs(d) / most * 1.5) : 0;
		return part ? `color-mix(in srgb, ${get(d > 0 ? "--grew" : "--shrank")} ${Math.round(100 * part)}%, ${get("--library")})` : get("--library");
	}

	kind(i) {
		if (!i) return "library";
		const f = this.d.function[i];
		this.kinds = this.kinds || [];
		return this.kinds[f] || (this.kinds[f] = kindOf(this.name(i), this.place(i)));
	}

	sum(kids) {
		let sum = 0;
		for (const c of kids) sum += this.weight[c];
		return sum;
	}

	// Children [from, to) of a node as one. Its i is below 0 and no other's.
	fold(over, of, from, to) {
		const kids = this.kids(of).subarray(from, to);
		let nodes = 0, hits = 0;
		for (const c of kids) {
			nodes += this.size[c];
			if (this.hits) hits += this.before[c + this.size[c]] - this.before[c];
		}
		return {i: ~(this.first[of] + from), of, from, to, nodes, hits, weight: this.sum(kids), over, kids: [], level: over.level + 1};
	}

	// The children of a node that have a place, each with its part of the whole. What has less than the least
	// part is folded; in what is zoomed into, that has a part that one can click on. Where even the first of a
	// range has too little, it is cut into as many ranges as there is room for.
	portions(o, i, whole, least, button, fits) {
		const main = o.i === this.zoomed, all = this.kids(i), [from, to] = main && this.range || [0, all.length], out = [];
		const one = (k, part) => out.push({i: all[k], over: o, kids: [], level: o.level + 1, at: k, part});
		const part = k => whole ? this.weight[all[k]] / whole : 0;
		if (main && this.range && part(from) < least) {
			const n = to - from, pieces = Math.min(n, Math.max(2, fits));
			for (let p = 0; p < pieces; p++) {
				const a = from + Math.floor(n * p / pieces), b = from + Math.floor(n * (p + 1) / pieces);
				if (b - a === 1) one(a, 1 / pieces);
				else out.push({...this.fold(o, i, a, b), part: 1 / pieces});
			}
			return out;
		}
		let k = from;
		for (; k < to && part(k) >= least; k++) one(k, part(k));
		if (k === to) return out;
		const f = this.fold(o, i, k, to), own = whole ? f.weight / whole : 0;
		f.part = main ? Math.max(own, Math.min(0.5, button)) : own;
		if (f.part > own) for (const c of out) c.part *= (1 - f.part) / (1 - own);
		if (f.part >= least) out.push(f);
		return out;
	}

	layout() {
		const width = this.width, path = [], out = [];
		for (let i = this.zoomed; i; i = this.parent[i]) path.unshift(this.parent[i]);
		let over = null;
		for (const i of [...path, this.zoomed]) {
			const o = {i, x: 0, w: 1, over, kids: [], level: this.depth[i], path: i !== this.zoomed};
			if (over) over.kids.push(o);
			out.push(o);
			over = o;
		}
		let deepest = over.level;
		for (let k = out.length - 1; k < out.length; k++) {
			const o = out[k];
			if (o.i < 0) continue;
			const whole = o.i === this.zoomed && this.range ? this.sum(this.kids(o.i).subarray(...this.range)) : this.weight[o.i];
			o.kids = this.portions(o, o.i, whole, NARROW / (o.w * width), FOLD / (o.w * width), Math.floor(width / FOLD));
			let x = o.x;
			for (const c of o.kids) {
				c.x = x;
				x += c.w = c.part * o.w;
				out.push(c);
			}
			deepest = Math.max(deepest, o.level + (o.kids.length ? 1 : 0));
		}
		this.levels = deepest + 1;
		for (const o of out) o.y = (this.up ? deepest - o.level : o.level) * ROW;
		return out;
	}

	// A node, and inside it what it calls; a chain of calls that each hand all on is one rectangle. What heads and
	// borders take of the room is added to what a node weighs, until its own room is as its weight: so any two boxes
	// are to each other as their weights, however deep they lie.
	layoutMap() {
		let taken = new Map(), out;
		for (let pass = 0; pass < PASSES; pass++) {
			const now = new Map();
			out = this.layoutMapWith(taken, now);
			taken = now;
		}
		return out;
	}

	// taken: of each box, pixels that heads and borders in it took last time; now gets those of this time.
	layoutMapWith(taken, now) {
		const out = [], main = this.zoomed, all = this.width * MAP, whole = this.range ? this.sum(this.kids(main).subarray(...this.range)) : this.weight[main];
		const pixels = Math.max(0, all - (taken.get(main) || 0)) / (whole || 1);
		const put = (o, x, y, w, h) => {
			Object.assign(o, {x, y, w, h});
			out.push(o);
			if (o.over) o.over.kids.push(o);
			if (o.i < 0) return 0;
			let last = o.i;
			o.names = [this.seen(last)];
			while (!(o.i === main && this.range) && this.first[last + 1] - this.first[last] === 1 && this.weight[this.children[this.first[last]]] === this.weight[last]) {
				last = this.children[this.first[last]];
				o.names.push(this.seen(last));
			}
			o.last = last;
			o.titled = w > 30 && h > 16;
			const head = o.titled ? 16 : 2;
			if (w < 12 || h < head + 8) return 0;
			const calls = this.kids(last), sum = this.sum(o.i === main && this.range ? calls.subarray(...this.range) : calls), own = o.i === main && this.range ? 0 : this.weight[last] - sum;
			const high = h - head - 2, area = (w - 4) * high;
			if (!(sum > 0) || area <= 0) return 0;
			const kids = this.portions(o, last, sum, TINY / area, 400 / area, 200);
			const needs = kids.map(c => c.part * sum * pixels + (taken.get(c.i) || 0)), need = needs.reduce((a, b) => a + b, 0), free = Math.max(0, own) * pixels;
			// What ends here keeps its room free.
			const used = high * need / (need + free || 1);
			if (used <= 2) return 0;
			let heads = w * h - area, any = false;
			// Those that are drawn as one are no less than what is beside them.
			const order = kids.map((_, k) => k).sort((a, b) => needs[b] - needs[a]);
			squarify(order.map(k => needs[k]), x + 2, y + head, w - 4, used, (k, kx, ky, kw, kh) => {
				if (kw < 3 || kh < 3) return;
				heads += put(Object.assign(kids[order[k]], {rank: order[k]}), kx, ky, kw, kh);
				any = true;
			});
			if (!any) return 0; // it is drawn as one that calls nothing
			o.kids.sort((a, b) => a.rank - b.rank); // the heaviest first, as keys go
			now.set(o.i, heads);
			return heads;
		};
		put({i: main, over: null, kids: [], level: this.depth[main]}, 0, 0, this.width, MAP);
		return out;
	}

	// What stands in a box of the map: calls that hand all on, and how much it is. letters: so many fit; 0: all.
	titled(o, letters, named = s => s) {
		const names = o.names.map(named), size = format(this.type, this.weight[o.i]) + " " + share(this.weight[o.i], this.weight[0]), last = names.at(-1);
		const forms = [names.join(" \u203a "), names.length > 2 ? names[0] + " \u203a … \u203a " + last : null, names.length > 1 ? "… \u203a " + last : null, last].filter(Boolean);
		const name = letters ? forms.find(f => f.length <= letters) || last : forms[0];
		return {name, size};
	}

	draw() {
		if (!this.element.isConnected) return;
		const had = this.rows.contains(document.activeElement);
		this.width = this.rows.clientWidth || 1;
		this.placed = this.map ? this.layoutMap() : this.layout();
		this.placed.forEach((o, k) => o.k = k);
		this.rows.style.height = (this.map ? MAP : this.levels * ROW) + "px";
		if (this.up && !this.map) this.graph.scrollTop = this.graph.scrollHeight;
		this.reset.disabled = !this.zoomed && !this.range;
		if (!this.placed.some(o => o.i === this.at)) this.at = this.zoomed; // its place has gone
		this.show();
		if (had) this.focus();
		const drawn = this.placed.reduce((a, o) => a + (o.i >= 0), 0);
		this.folded.textContent = (drawn === this.n ? some(this.n, "{0} node. ", "{0} nodes. ")
			: say("{0} of {1} nodes are drawn: not those that are 0, too small, or outside of the zoom. A click on +N, or on a node, shows what is below it. ", count(drawn), count(this.n))) +
			say("Keys: arrows go from node to node, Enter zooms in, Backspace out.");
	}

	// Elements of what is in view.
	show() {
		const out = document.createDocumentFragment(), top = this.graph.scrollTop, high = this.graph.clientHeight || innerHeight;
		const had = this.rows.contains(document.activeElement);
		for (const o of this.placed)
			if (this.map || o.i === this.at || o.y > top - 200 && o.y < top + high + 200) out.append(this.box(o));
		this.rows.replaceChildren(out);
		if (had) this.focus(true);
	}

	box(o) {
		const fold = o.i < 0, i = fold ? o.of : o.i, mark = this.map && !fold ? o.last : i;
		const e = make("div", {class: "node" + (this.map ? " map" : "") + (o.path ? " up" : "") + (fold ? " fold" + (o.hits ? " some" : "") : this.marks(i) || this.marks(mark))});
		const unit = this.map ? "px" : "%", scale = this.map ? 1 : 100, wide = this.map ? o.w : o.w * this.width;
		e.dataset.k = o.k;
		e.dataset.i = o.i;
		e.style.cssText = `left: ${o.x * scale}${unit}; width: ${o.w * scale}${unit}; top: ${o.y}px` +
			(this.map ? `; height: ${o.h}px` : "") + (fold ? "" : `; background: ${this.fill(mark)}`);
		if (fold ? wide > 60 : this.map ? o.titled : wide > 24) e.textContent = fold ? this.foldName(o) : this.map ? this.boxText(o) : this.seen(i);
		else if (fold && wide > 8) e.textContent = wide > 6 + 7 * String(o.to - o.from).length ? o.to - o.from : "\u2026";
		e.tabIndex = o.i === this.at ? 0 : -1;
		e.setAttribute("role", "treeitem");
		e.setAttribute("aria-level", o.level + 1);
		e.setAttribute("aria-label", [fold ? this.foldName(o) : this.map ? o.names.join(" \u203a ") : this.seen(i), ...this.lines(o)].join(", "));
		if (fold || this.size[i] > 1) e.setAttribute("aria-expanded", o.kids.length > 0);
		if (!fold && o.at !== undefined) {
			const p = o.over.last === undefined ? o.over.i : o.over.last;
			e.setAttribute("aria-posinset", o.at + 1);
			e.setAttribute("aria-setsize", this.first[p + 1] - this.first[p]);
		}
		if (!fold && i && this.name(i) === this.picked) e.setAttribute("aria-selected", "true");
		return e;
	}

	// Its name, and how much it is where there is room.
	boxText(o) {
		const letters = Math.floor((o.w - 8) / 6.6), {name, size} = this.titled(o, letters - 22);
		return name.length + size.length + 2 <= letters ? name + "  " + size : name;
	}

	foldName(o) {
		return say("({0} smaller)", count(o.to - o.from));
	}

	marks(i) {
		return (this.hits && this.hits[i] ? " hit" : "") + (i && this.name(i) === this.picked ? " picked" : "");
	}

	focus(still) {
		const e = this.rows.querySelector("[tabindex='0']");
		if (!e) return;
		e.focus({preventScroll: true});
		if (!still) this.tellAt(this.placed[+e.dataset.k]);
	}

	tellAt(o) {
		const e = o && this.rows.querySelector(`[data-k='${o.k}']`);
		if (!e) return;
		const r = e.getBoundingClientRect();
		this.tell({clientX: Math.max(r.left, 0), clientY: r.bottom - 12}, o);
	}

	// Scrolls to what the keys went to.
	reach(o) {
		if (!o) return;
		const high = this.graph.clientHeight;
		if (!this.map && (o.y < this.graph.scrollTop || o.y + 2 * ROW > this.graph.scrollTop + high))
			this.graph.scrollTop = o.y - high / 2;
		this.show();
		this.graph.scrollIntoView({block: "nearest"});
	}

	// Down is to the heaviest call inside, up to the caller, as they are drawn; left and right are beside it.
	key(event) {
		const o = this.placed.find(o => o.i === this.at), turned = this.up && !this.map;
		if (!o || event.ctrlKey || event.altKey || event.metaKey) return;
		const among = o.over ? o.over.kids : [o], k = among.indexOf(o);
		let to = null;
		switch (event.key) {
		case "ArrowLeft": to = among[k - 1]; break;
		case "ArrowRight": to = among[k + 1]; break;
		case "Home": to = this.placed.find(o => o.i === this.zoomed); break;
		case turned ? "ArrowDown" : "ArrowUp":
			to = o.over;
			if (!to && this.zoomed) { // a map has nothing around it
				this.leave();
				to = this.placed[0];
			}
			break;
		case turned ? "ArrowUp" : "ArrowDown":
			if (!o.kids.length && o.i >= 0 && this.size[o.i] > 1 && o.i !== this.zoomed) {
				this.zoom(o.i); // too narrow to have them
				to = this.placed.find(p => p.i === o.i).kids[0];
			} else to = o.kids[0];
			break;
		case "Enter": case " ":
			event.preventDefault();
			if (!event.shiftKey || !this.ask(o)) this.enter(o);
			return;
		case "Backspace":
			event.preventDefault();
			this.leave();
			return;
		default: return;
		}
		event.preventDefault();
		if (!to) return;
		this.at = to.i;
		this.showPath(Math.max(0, to.i));
		this.reach(this.placed.find(o => o.i === this.at));
		this.focus();
	}

	lines(o) {
		const f = v => format(this.type, v), i = o.i, lines = [];
		if (i < 0) {
			lines.push(say("total {0}  {1}", f(o.weight), share(o.weight, this.weight[0])), some(o.nodes, "{0} node", "{0} nodes") + (o.hits ? some(o.hits, ", {0} match", ", {0} matches") : ""));
			return lines;
		}
		if (this.place(i)) lines.push(this.place(i));
		lines.push(say("total {0}  {1}", f(this.total[i]), share(this.total[i], this.total[0])));
		lines.push(say("self {0}  {1}", f(this.self[i]), share(this.self[i], this.total[0])));
		if (this.base) {
			const change = this.total[i] - this.base[i], plus = change > 0 ? "+" : "";
			lines.push(say("base {0}  {1}", f(this.base[i]), share(this.base[i], this.base[0])));
			lines.push(say("change {0}  {1}", plus + f(change), this.base[i] ? plus + share(change, this.base[i]) : say("new")));
		}
		return lines;
	}

	tell(event, o) {
		showTip(event, o.i < 0 ? this.foldName(o) : this.seen(o.i), this.lines(o));
	}
}
