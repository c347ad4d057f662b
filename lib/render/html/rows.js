// SPDX-License-Identifier: MIT
// Which rows of a table are shown, and in which order: sorted, searched, and those of a tree folded. Rows are numbers.
import {matcher} from "./format.js";

const PIECE = 3000;

// Of values by row: a blank one is last in both directions; equal rows keep their first order.
export function compareRows(values, down) {
	const blank = v => v === null || v === undefined || v === "";
	return (a, b) => {
		const x = values[a], y = values[b];
		if (blank(x) || blank(y)) return blank(x) - blank(y) || a - b;
		const d = typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
		return (down ? -d : d) || a - b;
	};
}

export class Rows {
	// depth: of each row of a tree; null where there is none. fits(i, match): whether a search finds a row.
	constructor(n, depth, fits) {
		this.n = n;
		this.depth = depth;
		this.fits = fits;
		this.order = this.shown = Uint32Array.from({length: n}, (_, i) => i);
		if (depth) this.grow();
	}

	// With each row, how many rows it and those below it are; its row above; which are folded.
	grow() {
		const {n, depth} = this, open = [];
		this.size = new Uint32Array(n).fill(1);
		this.parent = new Int32Array(n).fill(-1);
		for (let i = 0; i < n; i++) {
			while (open.length && depth[open[open.length - 1]] >= depth[i]) open.pop();
			if (open.length) this.parent[i] = open[open.length - 1];
			open.push(i);
		}
		for (let i = n - 1; i >= 0; i--) if (this.parent[i] >= 0) this.size[this.parent[i]] += this.size[i];
		this.closed = new Uint8Array(n);
	}

	// So many levels are open as make a few rows.
	fold(few) {
		const levels = [];
		for (let i = 0; i < this.n; i++) levels[this.depth[i]] = (levels[this.depth[i]] || 0) + 1;
		let rows = 0, level = 0;
		while (level < levels.length && (level < 1 || rows + (levels[level] || 0) <= few)) rows += levels[level++] || 0;
		for (let i = 0; i < this.n; i++) this.closed[i] = this.size[i] > 1 && this.depth[i] >= level - 1;
	}

	unfold() {
		this.closed.fill(0);
	}

	// Opens what a row is folded into.
	reveal(i) {
		if (this.depth) for (let p = this.parent[i]; p >= 0; p = this.parent[p]) this.closed[p] = 0;
	}

	sort(values, down) {
		const compare = compareRows(values, down);
		if (this.depth) this.sortTree(compare);
		else this.order = Uint32Array.from({length: this.n}, (_, i) => i).sort(compare);
	}

	// Each row's children among themselves: a tree stays one.
	sortTree(compare) {
		const below = new Map();
		for (let i = 0; i < this.n; i++) {
			const p = this.parent[i];
			if (below.has(p)) below.get(p).push(i);
			else below.set(p, [i]);
		}
		for (const list of below.values()) list.sort(compare);
		const todo = [...(below.get(-1) || [])].reverse();
		for (let at = 0; todo.length;) {
			const i = todo.pop(), kids = below.get(i) || [];
			this.order[at++] = i;
			for (let k = kids.length; k-- > 0;) todo.push(kids[k]);
		}
	}

	// Makes `shown` what a search leaves, or, without one, what is not folded. A search among many is made in pieces, so
	// that the page goes on; done() is called at its end, but not if another one came meanwhile.
	async arrange(text, done) {
		const mine = this.turn = {}, match = text ? matcher(text) : null, shown = [];
		if (match)
			for (let p = 0; p < this.n; p++) {
				if (p && p % PIECE === 0) {
					await new Promise(go => setTimeout(go));
					if (this.turn !== mine) return;
				}
				if (this.fits(this.order[p], match)) shown.push(this.order[p]);
			}
		else if (this.depth)
			for (let p = 0; p < this.n;) {
				const i = this.order[p];
				shown.push(i);
				p += this.closed[i] ? this.size[i] : 1;
			}
		this.shown = match || this.depth ? shown : this.order;
		done();
	}
}
