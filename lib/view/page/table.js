// SPDX-License-Identifier: MIT
// A table of a report. Only rows that are seen are in the page, so a hundred thousand scroll as ten do.
import {make, showTip, hideTip, onceAFrame, keeps} from "./dom.js";
import {format, exact, cells, count, some} from "./format.js";
import {Rows} from "./rows.js";

// What a row is of, the likeliest first.
const names = ["site", "function", "location", "stack", "path", "name", "type", "file", "module", "thread", "owner", "root", "statistic", "frame", "run"];
const ROW = 25, HEAD = 28, SHARES = /share|percent/;
// Columns in the programs' own words, not of names.
const PROSE = /^(relation|change|blocks_of|statistic|verdict|category|measured|limit|told|message|waiver|same|presence)$/;
// These have a sign, and are no difference to anything before.
const BALANCES = /^(total_)?(slack|lua_net|mono_net|net)$/;

const widths = (c, rows) => {
	if (c.type !== "text") return Math.max(c.difference ? 106 : 94, Math.min(190, 28 + cells(title(c)) * 7.6));
	let longest = cells(title(c));
	for (let i = 0; i < rows.length && i < 400; i++) {
		const v = rows[i][c.key];
		if (v && 2 * v.length > longest) longest = Math.max(longest, cells(v));
	}
	return Math.max(90, Math.min(620, innerWidth * 0.48, 26 + longest * 7.7)); // numbers beside it are to be seen
};

const title = c => translated(c.title === c.key ? c.key.replace(/_ns$/, "").replaceAll("_", " ") : c.title, c.key);

export class Table {
	// options: pick(row), sort {key, down}, sorted(key, down), search text, searched(text), name
	constructor(section, options = {}) {
		this.s = section;
		this.o = options;
		this.tree = section.tree;
		this.columns = section.columns.filter(c => c.key !== "rank" && section.rows.some(r => r[c.key] !== null && r[c.key] !== undefined));
		// Names first: they say what the numbers are of.
		const main = this.main = (this.tree && this.columns.find(c => c.key === "name")) || names.map(k => this.columns.find(c => c.key === k)).find(Boolean) || this.columns.find(c => c.type === "text");
		// Of two keys the outer one comes before the inner.
		const outer = this.columns.filter(c => c.key.startsWith("outer_"));
		if (main) this.columns = [...outer, main, ...this.columns.filter(c => c !== main && !outer.includes(c))];
		this.width = this.columns.map(c => widths(c, section.rows) + (this.tree && c === this.main && innerWidth > 1000 ? 60 : 0));
		this.most = {};
		for (const c of this.columns)
			if (c.type !== "text" && !c.difference) this.most[c.key] = section.rows.reduce((m, r) => Math.max(m, r[c.key] || 0), 0);
		const words = this.columns.filter(c => c.type === "text");
		this.model = new Rows(section.rows.length, this.tree ? section.rows.map(r => r._depth) : null, (i, match) => words.some(c => section.rows[i][c.key] && match(section.rows[i][c.key])));
		this.sort = options.sort && this.columns.some(c => c.key === options.sort.key) ? options.sort : null;
		this.selected = -1;
		if (this.sort) this.order();
		this.element = this.build();
		this.arrange();
	}

	build() {
		const search = make("input", {type: "search", placeholder: say("search"), "aria-label": say("search in this table"), value: this.o.search || ""});
		search.oninput = () => {
			clearTimeout(this.later);
			this.later = setTimeout(() => { this.arrange(); if (this.o.searched) this.o.searched(search.value); }, 120);
		};
		this.search = search;
		this.say = make("span", {class: "faint", "aria-live": "polite"});
		this.inner = make("div", {class: "inner", role: "presentation"});
		this.head = make("div", {class: "head", role: "row"});
		this.grid = make("div", {class: "grid", role: this.tree ? "treegrid" : "grid", tabindex: 0, "aria-label": translated(this.s.title)}, this.inner);
		this.inner.append(this.head);
		this.columns.forEach((c, k) => {
			const b = make("button", {type: "button", class: c.type === "text" ? "" : "num", role: "columnheader", title: this.tree ? title(c) : say("sort by {0}", title(c))});
			b.style.width = this.width[k] + "px";
			b.onclick = () => this.sortBy(c.key);
			this.head.append(b);
		});
		this.total = this.width.reduce((a, b) => a + b, 0);
		this.inner.style.width = "max(100%, " + this.total + "px)";
		this.rows = new Map();
		this.grid.onscroll = onceAFrame(() => this.draw());
		this.grid.onkeydown = e => this.key(e);
		this.grid.onclick = e => this.click(e);
		this.grid.onmousemove = e => this.hint(e);
		this.grid.onmouseleave = hideTip;
		new ResizeObserver(() => { this.fit(); this.draw(); }).observe(this.grid);
		const notes = this.s.notes && this.s.notes.length ? make("ul", {class: "notes"}, ...this.s.notes.map(n => make("li", {}, translated(n)))) : null;
		return keeps(make("div", {}, make("div", {class: "tools"}, search, this.say), this.grid, notes), this);
	}

	// Which row it is, whatever its place.
	path(i) {
		const words = this.columns.filter(c => c.type === "text").map(c => c.key), rows = this.s.rows, out = [];
		for (let depth = this.tree ? rows[i]._depth : 0; i >= 0 && depth >= 0; i--)
			if (!this.tree || rows[i]._depth === depth) { out.push(...words.map(k => rows[i][k])); depth--; }
		return JSON.stringify(out);
	}

	keep() {
		return {search: this.search.value, selected: this.selected < 0 ? null : this.path(this.selected), closed: this.s.rows.flatMap((_, i) => this.tree && this.model.closed[i] ? [this.path(i)] : []),
			sort: this.sort, top: this.grid.scrollTop, left: this.grid.scrollLeft};
	}

	async take(k) {
		this.search.value = k.search;
		this.sort = k.sort && this.columns.some(c => c.key === k.sort.key) ? k.sort : this.sort;
		if (this.sort) this.order();
		if (k.selected !== null || k.closed.length)
			for (let i = 0; i < this.s.rows.length; i++) {
				const p = this.path(i);
				if (k.closed.includes(p)) this.model.closed[i] = 1;
				if (p === k.selected) this.selected = i;
			}
		await this.arrange();
		if (this.selected >= 0) this.pick(this.selected);
		this.grid.scrollTop = k.top;
		this.grid.scrollLeft = k.left;
	}

	sortBy(key) {
		if (this.tree) return;
		const c = this.columns.find(c => c.key === key);
		const down = this.sort && this.sort.key === key ? !this.sort.down : c.type !== "text";
		this.sort = {key, down};
		this.order();
		this.arrange();
		if (this.o.sorted) this.o.sorted(key, down);
	}

	order() {
		if (!this.tree) this.model.sort(this.s.rows.map(r => r[this.sort.key]), this.sort.down);
	}

	arrange() {
		return this.model.arrange(this.search.value, () => this.arranged());
	}

	arranged() {
		const shown = this.shown = this.model.shown, all = this.s.rows.length;
		this.say.textContent = shown.length === all ? some(all, "{0} row", "{0} rows") : say("{0} of {1} rows", count(shown.length), count(all));
		[...this.head.children].forEach((b, k) => {
			const c = this.columns[k], is = this.sort && this.sort.key === c.key;
			b.textContent = title(c) + (is ? (this.sort.down ? " ▾" : " ▴") : "");
			b.setAttribute("aria-sort", is ? (this.sort.down ? "descending" : "ascending") : "none");
		});
		for (const e of this.rows.values()) e.remove();
		this.rows.clear();
		this.totals = (this.s.totals || []).slice(-1);
		this.inner.style.height = HEAD + (shown.length + this.totals.length) * ROW + "px";
		this.grid.setAttribute("aria-rowcount", shown.length);
		this.fit();
		this.draw();
	}

	// Before the grid is in the page, nothing says whether it needs a bar below.
	fit() {
		const height = HEAD + (this.shown.length + this.totals.length) * ROW, bar = this.total > (this.grid.clientWidth || 1e9) ? 16 : 2;
		this.grid.style.height = Math.min(height + bar, Math.max(220, innerHeight * 0.66)) + "px";
	}

	draw() {
		const top = this.grid.scrollTop, high = this.grid.clientHeight || 400;
		const from = Math.max(0, Math.floor((top - HEAD) / ROW) - 6), to = Math.min(this.shown.length, Math.ceil((top + high) / ROW) + 6);
		for (const [at, e] of this.rows)
			if (at !== "total" && (at < from || at >= to)) { e.remove(); this.rows.delete(at); }
		const more = document.createDocumentFragment();
		for (let at = from; at < to; at++) {
			if (this.rows.has(at)) continue;
			const e = this.row(this.shown[at], at);
			this.rows.set(at, e);
			more.append(e);
		}
		if (this.totals.length && !this.rows.has("total")) {
			const e = this.row(-1, this.shown.length);
			e.classList.add("total");
			e.style.top = "";
			e.style.transform = "translateY(" + this.shown.length * ROW + "px)";
			this.rows.set("total", e);
			more.append(e);
		}
		this.inner.append(more);
	}

	row(i, at) {
		const r = i < 0 ? this.totals[0] : this.s.rows[i], e = make("div", {class: "row", role: "row", "aria-rowindex": at + 2});
		e.style.top = HEAD + at * ROW + "px";
		e.dataset.i = i;
		e.setAttribute("aria-selected", i >= 0 && i === this.selected);
		this.columns.forEach((c, k) => {
			const v = r[c.key], cell = make("div", {class: "cell " + (c.type === "text" ? "text" : "num"), role: "gridcell"});
			cell.style.width = this.width[k] + "px";
			if (this.tree && c === this.main && i >= 0) {
				const parent = this.model.size[i] > 1;
				cell.style.paddingLeft = 4 + Math.min(r._depth, 40) * 12 + "px";
				e.setAttribute("aria-level", r._depth + 1);
				if (parent) e.setAttribute("aria-expanded", !this.model.closed[i]);
				cell.append(make("span", {class: "twist", "data-twist": parent ? "1" : null}, parent ? (this.model.closed[i] ? "▸" : "▾") : "·"));
			}
			if (v === null || v === undefined) {
				if (i >= 0 && c.type !== "text") { cell.classList.add("absent"); cell.append("–"); }
			} else {
				if (i >= 0 && c.type !== "text" && this.most[c.key] > 0 && !c.difference && (SHARES.test(c.key) || this.sort && this.sort.key === c.key)) {
					const fill = make("span", {class: "fill"});
					fill.style.width = Math.min(100, 100 * v / (SHARES.test(c.key) ? 100 : this.most[c.key])) + "%";
					cell.append(fill);
				}
				if (c.difference && v && !BALANCES.test(c.key)) cell.classList.add(v > 0 ? "bad" : "good");
				cell.append(format(c.type, c.type !== "text" ? v : PROSE.test(c.key) ? translated(v, "relation") : c.key === "group" ? groupName(v) : labelled(v), undefined, c.difference));
			}
			e.append(cell);
		});
		return e;
	}

	click(event) {
		const e = event.target.closest(".row");
		if (!e || +e.dataset.i < 0) return;
		const i = +e.dataset.i;
		if (event.target.dataset.twist) this.twist(i);
		else this.pick(i);
	}

	twist(i) {
		this.model.closed[i] = !this.model.closed[i];
		this.arrange();
	}

	pick(i) {
		this.selected = i;
		for (const e of this.rows.values()) e.setAttribute("aria-selected", +e.dataset.i === i);
		if (this.o.pick) this.o.pick(this.s.rows[i], i);
	}

	key(event) {
		const at = this.shown.indexOf(this.selected), page = Math.floor(this.grid.clientHeight / ROW) - 2;
		const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity}[event.key];
		if (this.tree && this.selected >= 0 && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
			if (!!this.model.closed[this.selected] === (event.key === "ArrowRight")) this.twist(this.selected);
			event.preventDefault();
			return;
		}
		if (step === undefined || event.target !== this.grid || !this.shown.length) return;
		event.preventDefault();
		const to = Math.max(0, Math.min(this.shown.length - 1, at + step)), y = to * ROW;
		this.pick(this.shown[to]);
		if (y < this.grid.scrollTop) this.grid.scrollTop = y;
		else if (y + HEAD + 2 * ROW > this.grid.scrollTop + this.grid.clientHeight) this.grid.scrollTop = y + HEAD + 2 * ROW - this.grid.clientHeight;
	}

	hint(event) {
		const cell = event.target.closest(".cell"), e = cell && cell.parentElement;
		if (!e || +e.dataset.i < 0) return hideTip();
		const c = this.columns[[...e.children].indexOf(cell)], r = this.s.rows[+e.dataset.i], v = r[c.key];
		const lines = (r._details && c === this.main ? r._details : []).slice(0, 12).map(l => detailed(l, false));
		if (c.type === "text" && cell.scrollWidth <= cell.clientWidth && !lines.length) return hideTip();
		showTip(event, c.type === "text" ? v || "" : title(c) + ": " + exact(c.type, v), lines);
	}
}
