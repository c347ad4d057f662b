// SPDX-License-Identifier: MIT
// Flame graphs, icicles and tree maps. A node's children are in the order of their weight; nodes too
// small to see are not drawn, and are there again when zoomed into. A picked function has its callers
// and callees below.
"use strict";
const ROW = 18, MAP = 460, LISTED = 15, SMALLER = "(smaller)";

// Lays the weights (falling) out in a rectangle, nearly square: Bruls, Huizing and van Wijk, "Squarified
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

class Flame {
	constructor(section) {
		const d = this.d = data(section);
		const n = d.parent.length;
		this.section = section;
		if (!n) {
			section.append(make("p", "cut", "nothing to draw"));
			return;
		}
		this.zoomed = 0;
		this.up = false;
		this.depth = new Int32Array(n);
		this.children = Array.from({length: n}, () => []);
		this.measure(d);
		for (let i = 1; i < n; i++) {
			this.children[d.parent[i]].push(i);
			this.depth[i] = this.depth[d.parent[i]] + 1;
		}
		this.hits = new Set();
		this.named = new Map();
		for (let i = 1; i < n; i++) {
			const name = this.name(i);
			if (!this.named.has(name)) this.named.set(name, []);
			this.named.get(name).push(i);
		}
		this.tools();
		this.order();
		this.draw();
		addEventListener("resize", () => this.draw());
		parts.push(this);
	}

	// m: {type, self}, and base of a differential graph
	measure(m) {
		const parent = this.d.parent;
		this.type = m.type;
		this.self = m.self;
		this.total = m.self.slice();
		this.base = m.base ? m.base.slice() : null;
		for (let i = parent.length - 1; i > 0; i--) {
			this.total[parent[i]] += this.total[i];
			if (this.base) this.base[parent[i]] += this.base[i];
		}
		this.weight = this.total;
	}

	name(i) {
		return this.d.strings[this.d.name[i]];
	}

	at(i) {
		return this.d.at[i] < 0 ? "" : this.d.strings[this.d.at[i]];
	}

	order() {
		for (const c of this.children) c.sort((a, b) => this.weight[b] - this.weight[a] || a - b);
	}

	tools() {
		const bar = this.section.querySelector(".tools"), search = make("input");
		search.type = "search";
		search.placeholder = "search (regular expression)";
		search.oninput = () => this.search(search.value);
		const flip = make("button", "flip", "as flame graph");
		flip.onclick = () => {
			this.up = !this.up;
			flip.textContent = this.up ? "as icicle" : "as flame graph";
			this.draw();
		};
		const map = make("button", "map", "as tree map");
		map.onclick = () => {
			this.map = !this.map;
			map.textContent = this.map ? "as stacks" : "as tree map";
			flip.disabled = this.map;
			this.draw();
		};
		this.reset = make("button", "", "reset zoom");
		this.reset.onclick = () => this.zoom(0);
		this.say = make("span", "say");
		bar.append(search, flip, map, this.reset);
		if (this.base) {
			const side = make("button", "", "widths: new");
			side.onclick = () => {
				this.weight = this.weight === this.total ? this.base : this.total;
				side.textContent = this.weight === this.total ? "widths: new" : "widths: base";
				this.order();
				this.search(search.value); // its share is of these widths
				this.list();
			};
			bar.append(side);
		}
		if (this.d.more) {
			const choice = make("select");
			choice.title = "what the widths are";
			const all = [{title: this.d.measure, type: this.d.type, self: this.d.self}, ...this.d.more];
			for (const m of all) choice.append(make("option", "", m.title));
			choice.onchange = () => {
				this.measure(all[choice.selectedIndex]);
				this.order();
				this.search(search.value);
				this.list();
			};
			bar.append(choice);
		}
		bar.append(this.say);
		this.graph = make("div", "graph");
		this.rows = make("div", "rows");
		this.graph.append(this.rows);
		this.panel = make("div", "around");
		this.section.querySelector(".tools").after(this.graph, this.panel);
		const node = event => {
			const e = event.target.closest(".node");
			return e ? +e.dataset.i : -1;
		};
		this.rows.onclick = event => {
			const i = node(event);
			if (i < 0) return;
			this.zoom(i);
			if (i && this.name(i) !== SMALLER) pick(this.name(i), this.section);
		};
		this.rows.onmousemove = event => node(event) >= 0 ? this.tell(event, node(event)) : hideTip();
		this.rows.onmouseleave = hideTip;
		addEventListener("keydown", event => event.key === "Escape" && this.zoomed && this.zoom(0));
	}

	zoom(i) {
		this.zoomed = i;
		hideTip();
		this.draw();
	}

	// Of the stacks with this function: its outermost entries, so that recursion counts once.
	outermost(name) {
		return (this.named.get(name) || []).filter(i => {
			for (let p = this.d.parent[i]; p; p = this.d.parent[p]) if (this.name(p) === name) return false;
			return true;
		});
	}

	pick(name, from) {
		if (!this.named.has(name)) return;
		this.picked = name;
		this.list();
		this.draw();
		if (from !== this.section) this.graph.scrollIntoView({block: "nearest"});
	}

	// Who calls the picked function and what it calls, with the share of its total.
	list() {
		if (this.picked === undefined) return;
		const tops = this.outermost(this.picked), callers = new Map(), callees = new Map();
		const add = (map, name, v) => v && map.set(name, (map.get(name) || 0) + v);
		let total = 0, self = 0;
		const own = this.weight === this.base ? this.d.base : this.self;
		const below = i => {
			self += own[i];
			for (const c of this.children[i])
				if (this.name(c) === this.picked) below(c);
				else add(callees, this.name(c), this.weight[c]);
		};
		for (const i of tops) {
			total += this.weight[i];
			add(callers, this.d.parent[i] ? this.name(this.d.parent[i]) : "(outermost)", this.weight[i]);
			below(i);
		}
		const f = v => format(this.type, v), whole = this.weight[0];
		const head = make("p", "meta"), cut = (this.named.get(SMALLER) || []).reduce((a, i) => a + this.weight[i], 0);
		const least = cut ? "at least " : "";
		head.append(make("b", "", this.picked), make("span", "", "total " + least + f(total) + "  " + share(total, whole)),
			make("span", "", "self " + least + f(self) + "  " + share(self, whole)));
		if (cut) head.append(make("span", "", f(cut) + " of all are in " + SMALLER + ", whose functions are not in this page"));
		const side = (title, map) => {
			const box = make("div"), table = make("table");
			const rows = [...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
			box.append(make("h3", "", title));
			for (const [name, v] of rows.slice(0, LISTED)) {
				const row = table.insertRow(), cell = make("td", "name");
				row.append(make("td", "num", f(v)), make("td", "num", share(v, total)), cell);
				if (this.named.has(name)) {
					const link = make("button", "pick", name);
					link.onclick = () => pick(name, this.section);
					cell.append(link);
				} else cell.textContent = name;
			}
			const rest = rows.slice(LISTED).reduce((a, r) => a + r[1], 0);
			if (rows.length > LISTED)
				table.insertRow().append(make("td", "num", f(rest)), make("td", "num", share(rest, total)),
					make("td", "faint", rows.length - LISTED + " more"));
			box.append(rows.length ? table : make("p", "faint", "none"));
			return box;
		};
		const sides = make("div", "sides");
		sides.append(side("called by", callers), side("calls", callees));
		this.panel.replaceChildren(head, sides);
	}

	// The share of what matches, counted once per stack.
	search(text) {
		const match = text ? matcher(text) : () => false, below = new Uint8Array(this.total.length);
		let sum = 0;
		this.hits.clear();
		for (let i = 0; i < this.total.length; i++) {
			const hit = match(this.name(i));
			if (hit) this.hits.add(i);
			below[i] = i && below[this.d.parent[i]];
			if (hit && !below[i]) {
				sum += this.weight[i];
				below[i] = 1;
			}
		}
		this.say.textContent = text
			? share(sum, this.weight[0]) + " matches (" + format(this.type, sum) + ")" : "";
		this.draw();
	}

	colour(i) {
		const light = getComputedStyle(document.documentElement).getPropertyValue("--flame-l");
		if (this.base) {
			const d = this.total[i] - this.base[i], most = Math.max(this.total[i], this.base[i]);
			const s = most ? Math.round(85 * Math.min(1, Math.abs(d) / most * 1.5)) : 0;
			return `hsl(${d > 0 ? 4 : 214} ${s}% ${light})`;
		}
		let h = 0;
		for (const c of this.name(i)) h = (h * 31 + c.codePointAt(0)) >>> 0;
		return `hsl(${18 + h % 38} ${58 + h % 25}% ${light})`;
	}

	// A node, and inside it what it calls; a chain of calls that each hand all on is one rectangle.
	drawMap() {
		const out = document.createDocumentFragment(), width = this.rows.clientWidth || 1;
		const put = (i, x, y, w, h, depth) => {
			if (w < 3 || h < 3) return;
			let last = i;
			const names = [this.name(i)];
			while (this.children[last].length === 1 && this.weight[this.children[last][0]] === this.weight[last]) {
				last = this.children[last][0];
				if (names.length < 4) names.push(this.name(last));
			}
			const e = make("div", "node map" + (this.marks(i) || this.marks(last)));
			e.dataset.i = i;
			e.style.cssText = `left:${x}px;top:${y}px;width:${w}px;height:${h}px`;
			e.style.background = this.colour(last);
			const titled = w > 30 && h > 16;
			if (titled) e.textContent = names.join(" \u203a ");
			out.append(e);
			const head = titled ? 16 : 2;
			if (w < 12 || h < head + 8) return;
			const kids = this.children[last].filter(c => this.weight[c] > 0);
			const inner = (w - 4) * (h - head - 2), all = this.weight[last];
			// What ends here keeps its room free.
			const used = kids.reduce((a, c) => a + this.weight[c], 0);
			const high = all ? (h - head - 2) * used / all : 0;
			if (inner > 0 && high > 2)
				squarify(kids.map(c => this.weight[c]), x + 2, y + head, w - 4, high,
					(k, kx, ky, kw, kh) => put(kids[k], kx, ky, kw, kh, depth + 1));
		};
		put(this.zoomed, 0, 0, width, MAP, 0);
		this.rows.replaceChildren(out);
		this.rows.style.height = MAP + "px";
		this.reset.disabled = !this.zoomed;
	}

	marks(i) {
		return (this.hits.has(i) ? " hit" : "") + (i && this.name(i) === this.picked ? " picked" : "");
	}

	draw() {
		if (this.map) {
			this.drawMap();
			return;
		}
		const width = this.rows.clientWidth || 1, out = document.createDocumentFragment();
		const path = [], todo = [];
		let deepest = 0;
		for (let i = this.zoomed; i; i = this.d.parent[i]) path.unshift(this.d.parent[i]);
		const put = (i, x, w, up) => {
			const e = make("div", "node" + (up ? " up" : "") + this.marks(i));
			e.dataset.i = i;
			e.style.left = 100 * x + "%";
			e.style.width = 100 * w + "%";
			e.style.background = this.colour(i);
			if (w * width > 24) e.textContent = this.name(i);
			out.append(e);
			deepest = Math.max(deepest, this.depth[i]);
		};
		for (const i of path) put(i, 0, 1, true);
		todo.push([this.zoomed, 0, 1]);
		while (todo.length) {
			const [i, x, w] = todo.pop();
			put(i, x, w, false);
			let from = x;
			for (const c of this.children[i]) {
				const cw = this.weight[i] ? w * this.weight[c] / this.weight[i] : 0;
				if (cw * width < 1) break; // lighter ones follow
				todo.push([c, from, cw]);
				from += cw;
			}
		}
		for (const e of out.children) {
			const depth = this.depth[+e.dataset.i];
			e.style.top = (this.up ? deepest - depth : depth) * ROW + "px";
		}
		this.rows.replaceChildren(out);
		this.rows.style.height = (deepest + 1) * ROW + "px";
		if (this.up) this.graph.scrollTop = this.graph.scrollHeight;
		this.reset.disabled = !this.zoomed;
	}

	tell(event, i) {
		const d = this.d, lines = [], f = v => format(this.type, v);
		if (this.at(i)) lines.push(this.at(i));
		lines.push("total " + f(this.total[i]) + "  " + share(this.total[i], this.total[0]));
		lines.push("self " + f(this.self[i]) + "  " + share(this.self[i], this.total[0]));
		if (this.base) {
			const change = this.total[i] - this.base[i];
			lines.push("base " + f(this.base[i]) + "  " + share(this.base[i], this.base[0]));
			lines.push("change " + (change > 0 ? "+" : "") + f(change) +
				(this.base[i] ? "  " + (change > 0 ? "+" : "") + share(change, this.base[i]) : "  new"));
		}
		showTip(event, this.name(i), lines);
	}
}

for (const section of document.querySelectorAll("section.flame")) new Flame(section);
