// SPDX-License-Identifier: MIT
// Flame graph, icicle and tree map of one set of stacks, on a canvas. Heavier children stand first;
// what is narrower than a pixel is not drawn, and is there again when zoomed into.
import {make, showTip, hideTip, pencil, redraws, fit} from "./dom.js";
import {format, share, matcher, shown} from "./format.js";
import {keeps} from "./keep.js";

const ROW = 19;

export class Flame {
	// options: mode "icicle" | "flame" | "map", moded(mode), pick(name, node)
	constructor(section, options = {}) {
		this.s = section;
		this.o = options;
		this.mode = options.mode || "icicle";
		this.nodes = section.nodes;
		this.type = section.type;
		const n = this.nodes.length;
		this.total = new Float64Array(n);
		this.base = section.differential ? new Float64Array(n) : null;
		this.depth = new Int32Array(n);
		this.children = Array.from({length: n}, () => []);
		this.nodes.forEach((d, i) => { this.total[i] = d.self; if (this.base) this.base[i] = d.base; });
		for (let i = n - 1; i > 0; i--) {
			this.total[this.nodes[i].parent] += this.total[i];
			if (this.base) this.base[this.nodes[i].parent] += this.base[i];
		}
		for (let i = 1; i < n; i++) {
			this.children[this.nodes[i].parent].push(i);
			this.depth[i] = this.depth[this.nodes[i].parent] + 1;
		}
		this.weight = this.total;
		this.hits = null;
		this.zoomed = 0;
		this.at = 0;
		this.order();
		this.element = this.build();
	}

	order() {
		for (const c of this.children) c.sort((a, b) => this.weight[b] - this.weight[a] || a - b);
	}

	build() {
		const tools = make("div", {class: "tools"});
		for (const [mode, word] of [["icicle", "icicle"], ["flame", "flame graph"], ["map", "tree map"]])
			tools.append(make("button", {type: "button", "data-mode": mode, onclick: () => { this.mode = mode; this.mark(); this.draw(); if (this.o.moded) this.o.moded(mode); }}, say(word)));
		this.search = make("input", {type: "search", placeholder: say("search"), "aria-label": say("search in the stacks"), oninput: () => this.find()});
		this.reset = make("button", {type: "button", onclick: () => this.zoom(0)}, say("reset zoom"));
		this.say = make("span", {class: "faint", "aria-live": "polite"});
		tools.append(this.search, this.reset);
		if (this.base) {
			const side = make("button", {type: "button"}, say("widths: new"));
			side.onclick = () => {
				this.weight = this.weight === this.total ? this.base : this.total;
				side.textContent = say(this.weight === this.total ? "widths: new" : "widths: base");
				this.order();
				this.find();
			};
			tools.append(side, make("span", {class: "faint"}, say("red grew, blue shrank")));
		}
		tools.append(this.say);
		this.tools = tools;
		this.canvas = make("canvas", {tabindex: 0, role: "img", "aria-label": say("{0}: arrow keys go from call to call, Enter zooms, Escape goes back", translated(this.s.title))});
		this.path = make("p", {class: "path", "aria-live": "polite"});
		this.box = make("div", {class: "stack"}, this.canvas);
		this.canvas.onclick = e => { const i = this.hit(e); if (i >= 0) { this.at = i; this.zoom(i === this.zoomed ? this.nodes[i].parent : i); this.tell(i); } };
		this.canvas.oncontextmenu = e => { const i = this.hit(e); if (i > 0 && this.o.pick) { e.preventDefault(); this.o.pick(this.nodes[i].name, i); } };
		this.canvas.onmousemove = e => this.hover(e);
		this.canvas.onmouseleave = () => { hideTip(); this.over = -1; };
		this.canvas.onkeydown = e => this.key(e);
		this.soon = redraws(this.box, () => this.draw());
		this.mark();
		return keeps(make("div", {}, tools, this.box, this.path), this);
	}

	// As it is shown: the names that are no function's are texts of the page.
	seen(i) {
		return i ? labelled(this.nodes[i].name) : translated(this.nodes[i].name);
	}

	names(i) {
		const out = [];
		for (; i; i = this.nodes[i].parent) out.unshift(this.nodes[i].name);
		return out;
	}

	named(names) {
		let i = 0;
		for (const n of names) {
			i = this.children[i].find(c => this.nodes[c].name === n);
			if (i === undefined) return 0;
		}
		return i;
	}

	keep() {
		return {zoomed: this.names(this.zoomed), at: this.names(this.at), mode: this.mode, search: this.search.value, top: this.box.scrollTop};
	}

	take(k) {
		this.zoomed = this.named(k.zoomed);
		this.at = this.named(k.at);
		this.mode = k.mode;
		this.mark();
		this.search.value = k.search;
		this.find();
		if (this.at) this.tell(this.at);
		this.box.scrollTop = k.top;
	}

	mark() {
		for (const b of this.tools.querySelectorAll("[data-mode]")) b.setAttribute("aria-pressed", b.dataset.mode === this.mode);
	}

	zoom(i) {
		this.zoomed = i;
		hideTip();
		this.draw();
	}

	// The share of what matches, counted once a stack.
	find() {
		const text = this.search.value, match = text ? matcher(text) : null, below = new Uint8Array(this.total.length);
		let sum = 0;
		this.hits = match && new Uint8Array(this.total.length);
		for (let i = 0; match && i < this.total.length; i++) {
			const hit = match(this.nodes[i].name);
			this.hits[i] = hit;
			below[i] = i && below[this.nodes[i].parent];
			if (hit && !below[i]) { sum += this.weight[i]; below[i] = 1; }
		}
		this.say.textContent = text ? say("{0} matches ({1})", share(sum, this.weight[0]), format(this.type, sum)) : "";
		this.draw();
	}

	colour(i) {
		if (this.hits && this.hits[i]) return "#c23bc2";
		if (this.base) {
			const d = this.total[i] - this.base[i], most = Math.max(this.total[i], this.base[i]);
			const s = most ? Math.round(85 * Math.min(1, Math.abs(d) / most * 1.5)) : 0;
			return `hsl(${d > 0 ? 4 : 214} ${s}% ${this.light})`;
		}
		const name = this.nodes[i].name;
		let h = 0;
		for (let k = 0; k < name.length; k++) h = (h * 31 + name.charCodeAt(k)) >>> 0;
		return `hsl(${18 + h % 38} ${52 + h % 25}% ${this.light})`;
	}

	// What is drawn, as [node, x, y, w, h]: in parts of the width and in pixels.
	place(w, room) {
		const out = [], up = [];
		for (let i = this.zoomed; i; i = this.nodes[i].parent) up.unshift(this.nodes[i].parent);
		if (this.mode === "map") {
			this.map(this.zoomed, 0, 0, w, room, 0, out);
			this.high = room;
			return out;
		}
		let deepest = up.length;
		for (const [k, i] of up.entries()) out.push([i, 0, k, w, ROW]);
		const todo = [[this.zoomed, 0, w]];
		while (todo.length) {
			const [i, x, wide] = todo.pop(), level = this.depth[i];
			out.push([i, x, level, wide, ROW]);
			deepest = Math.max(deepest, level);
			let from = x;
			for (const c of this.children[i]) {
				const cw = this.weight[i] ? wide * this.weight[c] / this.weight[i] : 0;
				if (cw < 0.7) break;
				todo.push([c, from, cw]);
				from += cw;
			}
		}
		for (const o of out) o[2] = (this.mode === "flame" ? deepest - o[2] : o[2]) * ROW;
		this.high = (deepest + 1) * ROW;
		return out;
	}

	// Squarified: rows of children whose boxes are as square as can be.
	map(i, x, y, w, h, level, out) {
		out.push([i, x, y, w, h]);
		const pad = 2, head = h > 34 && w > 40 ? 16 : 2;
		let list = this.children[i].filter(c => this.weight[c] > 0), left = list.reduce((a, c) => a + this.weight[c], 0);
		const own = this.weight[i] - left;
		x += pad; y += head; w -= 2 * pad; h -= head + pad;
		if (w < 6 || h < 6 || !left || level > 60) return;
		const all = left + Math.max(0, own);
		if (own > 0) { if (w > h) w *= left / all; else h *= left / all; }
		while (list.length && w > 2 && h > 2) {
			const side = Math.min(w, h), scale = w * h / left;
			let n = 0, sum = 0, worst = Infinity;
			while (n < list.length) {
				const s = sum + this.weight[list[n]], most = this.weight[list[0]] * scale, least = this.weight[list[n]] * scale;
				const bad = Math.max(side * side * most / (s * scale) ** 2, (s * scale) ** 2 / (side * side * least));
				if (bad > worst) break;
				worst = bad;
				sum = s;
				n++;
			}
			const thick = sum * scale / side;
			let at = 0;
			for (const c of list.slice(0, n)) {
				const long = this.weight[c] * scale / thick;
				if (long > 1.5 && thick > 1.5) {
					if (w > h) this.map(c, x, y + at, thick, long, level + 1, out);
					else this.map(c, x + at, y, long, thick, level + 1, out);
				}
				at += long;
			}
			if (w > h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
			left -= sum;
			list = list.slice(n);
		}
	}

	draw() {
		if (!this.canvas.isConnected) return;
		const room = Math.max(260, Math.min(620, innerHeight * 0.6));
		this.placed = this.place(this.box.clientWidth || 600, room);
		const {g, get} = pencil(this.canvas, Math.max(this.high, 40)), bg = get("--panel"), ink = get("--on-flame");
		this.light = get("--flame-light");
		g.font = "11.5px " + get("--mono");
		g.textBaseline = "middle";
		const letter = g.measureText("m").width, map = this.mode === "map";
		for (const [i, x, y, w, h] of this.placed) {
			const up = !map && i !== this.zoomed && this.depth[i] < this.depth[this.zoomed];
			g.globalAlpha = up ? 0.5 : 1;
			g.fillStyle = this.colour(i);
			g.fillRect(x, y, Math.max(0.6, w - 1), h - 1);
			if (map) { g.strokeStyle = bg; g.strokeRect(x + .5, y + .5, w - 1, h - 1); }
			if (w > 26 && h > 12) {
				g.fillStyle = this.hits && this.hits[i] ? "#fff" : ink;
				g.fillText(fit(g, shown(this.seen(i)), w - 7, letter), x + 4, y + (map ? 9 : h / 2), w - 6);
			}
			if (i === this.at && document.activeElement === this.canvas) {
				g.strokeStyle = get("--accent");
				g.lineWidth = 2;
				g.strokeRect(x + 1, y + 1, Math.max(1, w - 3), h - 3);
				g.lineWidth = 1;
			}
		}
		g.globalAlpha = 1;
		if (this.mode === "flame") this.box.scrollTop = this.box.scrollHeight;
		this.reset.disabled = !this.zoomed;
		if (!this.path.textContent) this.tell(this.zoomed);
	}

	hit(event) {
		const r = this.canvas.getBoundingClientRect(), x = event.clientX - r.left, y = event.clientY - r.top;
		let found = -1;
		for (const [i, px, py, w, h] of this.placed || []) if (x >= px && x < px + w && y >= py && y < py + h) found = i;
		return found;
	}

	lines(i) {
		const f = v => format(this.type, v), out = [];
		if (this.nodes[i].at) out.push(this.nodes[i].at);
		out.push(say("total {0}  {1}", f(this.total[i]), share(this.total[i], this.total[0])));
		out.push(say("self {0}  {1}", f(this.nodes[i].self), share(this.nodes[i].self, this.total[0])));
		if (this.base) {
			const d = this.total[i] - this.base[i];
			out.push(say("base {0}", f(this.base[i])));
			out.push(say("change {0}  {1}", format(this.type, d, true), this.base[i] ? (d > 0 ? "+" : "") + share(d, this.base[i]) : say("new")));
		}
		return out;
	}

	hover(event) {
		const i = this.hit(event);
		if (i < 0) return hideTip();
		showTip(event, this.seen(i), this.lines(i));
	}

	tell(i) {
		const names = [];
		for (let k = i; k; k = this.nodes[k].parent) names.unshift(this.seen(k));
		this.path.textContent = i ? shown(names.join(" › ") + " — " + this.lines(i).join(", ")) : say("a click zooms; the right button, or Shift+Enter, shows its callers");
	}

	key(event) {
		const p = this.nodes[this.at].parent, among = this.children[p] || [], k = among.indexOf(this.at);
		const down = this.mode === "flame" ? "ArrowUp" : "ArrowDown", up = this.mode === "flame" ? "ArrowDown" : "ArrowUp";
		let to = -1;
		if (event.key === down) to = this.children[this.at][0] ?? -1;
		else if (event.key === up) to = this.at ? p : -1;
		else if (event.key === "ArrowRight" && this.at) to = among[k + 1] ?? -1;
		else if (event.key === "ArrowLeft" && this.at) to = among[k - 1] ?? -1;
		else if (event.key === "Enter" && event.shiftKey && this.at && this.o.pick) return this.o.pick(this.nodes[this.at].name, this.at);
		else if (event.key === "Enter") return this.zoom(this.at);
		else if (event.key === "Escape") { this.at = 0; return this.zoom(0); }
		else return;
		event.preventDefault();
		if (to < 0) return;
		this.at = to;
		this.tell(to);
		this.draw();
	}
}
