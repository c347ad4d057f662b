// SPDX-License-Identifier: MIT
// Flame graphs and icicles. A node's children are in the order of their weight; nodes too narrow to
// see are not drawn, and are there again when zoomed into.
"use strict";
const ROW = 18;

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
		this.total = d.self.slice();
		this.base = d.base ? d.base.slice() : null;
		this.depth = new Int32Array(n);
		this.children = Array.from({length: n}, () => []);
		for (let i = n - 1; i > 0; i--) {
			this.total[d.parent[i]] += this.total[i];
			if (this.base) this.base[d.parent[i]] += this.base[i];
		}
		for (let i = 1; i < n; i++) {
			this.children[d.parent[i]].push(i);
			this.depth[i] = this.depth[d.parent[i]] + 1;
		}
		this.weight = this.total;
		this.hits = new Set();
		this.tools();
		this.order();
		this.draw();
		addEventListener("resize", () => this.draw());
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
		this.reset = make("button", "", "reset zoom");
		this.reset.onclick = () => this.zoom(0);
		this.say = make("span", "say");
		bar.append(search, flip, this.reset);
		if (this.base) {
			const side = make("button", "", "widths: new");
			side.onclick = () => {
				this.weight = this.weight === this.total ? this.base : this.total;
				side.textContent = this.weight === this.total ? "widths: new" : "widths: base";
				this.order();
				this.search(search.value); // its share is of these widths
			};
			bar.append(side);
		}
		bar.append(this.say);
		this.graph = make("div", "graph");
		this.rows = make("div", "rows");
		this.graph.append(this.rows);
		this.section.querySelector(".tools").after(this.graph);
		const node = event => {
			const e = event.target.closest(".node");
			return e ? +e.dataset.i : -1;
		};
		this.rows.onclick = event => node(event) >= 0 && this.zoom(node(event));
		this.rows.onmousemove = event => node(event) >= 0 ? this.tell(event, node(event)) : hideTip();
		this.rows.onmouseleave = hideTip;
		addEventListener("keydown", event => event.key === "Escape" && this.zoomed && this.zoom(0));
	}

	zoom(i) {
		this.zoomed = i;
		hideTip();
		this.draw();
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
			? share(sum, this.weight[0]) + " matches (" + format(this.d.type, sum) + ")" : "";
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

	draw() {
		const width = this.rows.clientWidth || 1, out = document.createDocumentFragment();
		const path = [], todo = [];
		let deepest = 0;
		for (let i = this.zoomed; i; i = this.d.parent[i]) path.unshift(this.d.parent[i]);
		const put = (i, x, w, up) => {
			const e = make("div", "node" + (up ? " up" : "") + (this.hits.has(i) ? " hit" : ""));
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
		const d = this.d, lines = [], f = v => format(d.type, v);
		if (this.at(i)) lines.push(this.at(i));
		lines.push("total " + f(this.total[i]) + "  " + share(this.total[i], this.total[0]));
		lines.push("self " + f(d.self[i]) + "  " + share(d.self[i], this.total[0]));
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
