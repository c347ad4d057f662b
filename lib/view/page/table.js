// SPDX-License-Identifier: MIT
// A table of a report. Only rows that are seen are in the page, so a hundred thousand scroll as ten do.
import {named, clashes, middle, place, plainly} from "./parts.js";
import {make, showTip, hideTip, onceAFrame, keeps} from "./dom.js";
import {format, exact, cells, count, some, shown} from "./format.js";
import {Rows} from "./rows.js";

// What a row is of, the likeliest first.
const names = ["site", "function", "location", "stack", "path", "name", "type", "file", "module", "thread", "owner", "root", "statistic", "frame", "run"];
const ROW = 25, HEAD = 28, SHARES = /share|percent/;
// Columns in the programs' own words, not of names.
const PROSE = /^(relation|change|blocks_of|statistic|verdict|category|measured|limit|told|message|waiver|same|presence|reason)$/;
// These have a sign, and are no difference to anything before.
const BALANCES = /^(total_)?(slack|lua_net|mono_net|net)$/;

// Names have what numbers leave, and give way first; a column of them is never narrower than this.
const LEAST = 150, LETTER = 7.4;

// A table of fewer rows is read, not searched.
const FEW = 10;

// How wide a number is, in pixels, by its letters: "%" and "+" are wider than digits, which all have one width.
const scale = document.createElement("canvas").getContext("2d"), widths = new Map();
function pixels(text, bold = "") {
	let sum = 0;
	for (const c of text) {
		let w = widths.get(bold + c);
		if (w === undefined) {
			const css = getComputedStyle(document.body);
			scale.font = bold + " " + css.fontSize + " " + css.fontFamily;
			widths.set(bold + c, w = scale.measureText(c).width);
		}
		sum += w;
	}
	return sum;
}

// What a column takes by itself, of its first rows and its sums.
const wanted = (c, rows, sums, cell) => {
	let longest = c.type === "text" ? 4 : 7;
	const bold = sums && c.type !== "text" ? 22 + pixels(format(c.type, sums[c.key], undefined, c.difference), "700") : 0;
	let wide = 0;
	for (let i = 0; i < rows.length && i < 400; i++) {
		const v = rows[i][c.key], own = cell && cell(c, rows[i]);
		if (own) longest = Math.max(longest, cells(own.textContent) + 3);
		else if (v !== null && v !== undefined && c.type !== "text") wide = Math.max(wide, pixels(format(c.type, v, undefined, c.difference)));
		else if (v !== null && v !== undefined) longest = Math.max(longest, cells(named(v)));
	}
	return c.type === "text" ? Math.max(70, 18 + longest * LETTER) : Math.max(64, 22 + longest * 7.3, 22 + wide, bold, 24 + Math.min(16, cells(title(c))) * 6.6);
};

const raw = c => c.title === c.key ? c.key.replace(/_ns$/, "").replaceAll("_", " ") : c.title;
const title = c => translated(c.type === "text" ? raw(c) : plainly(raw(c)), c.key);
// As a terminal has it.
const own = c => translated(c.told || raw(c), c.key);

// With the files of rows in place of the numbers of captures, where there are several: rows of two files may be alike.
const CAPTURE = /(^|_)capture$/;
function filed(s) {
	const columns = s.files ? s.columns.filter(c => CAPTURE.test(c.key) && c.type === "count") : [];
	if (!columns.length) return s;
	const rows = s.rows.map(r => ({...r, ...Object.fromEntries(columns.map(({key}) => [key, s.files[r[key] - 1] ?? r[key] ?? null]))}));
	return {...s, columns: s.columns.map(c => columns.includes(c) ? {...c, type: "text", title: c.key === "capture" ? "of file" : c.title === "of capture" ? "of file" : c.title} : c), rows};
}

export class Table {
	// options: pick(row), main: the key of the column of names, ranked: keys of the number that never goes, the likeliest first,
	// quiet(column): it is shown to who chooses it, cell(column, row, width): an element instead of the text, or null,
	// small(column, row): a difference that is too small for a colour, bare: no search and no notes,
	// wide {key: pixels}: texts that have more room than others,
	// keep: keys of more that never go, ordered: the columns are as they come, sort {key, down}, sorted(key, down), search text, searched(text), name
	constructor(given, options = {}) {
		const section = filed(given);
		this.s = section;
		this.o = options;
		this.tree = section.tree;
		const all = section.columns.filter(c => c.key !== "rank" && c.key !== "through" && section.rows.some(r => r[c.key] !== null && r[c.key] !== undefined)), count = all.find(c => c.key === "count");
		// A file and its line are one column; what is the same as another in every row is none.
		const where = all.find(c => c.key === "file"), line = all.find(c => c.key === "line");
		this.columns = all.filter(c => !(where && c === line) && !(count && c.key === "entries" && section.rows.every(r => r.entries === r.count)));
		// Names first: they say what the numbers are of.
		const main = this.main = this.columns.find(c => c.key === options.main) || (this.tree && this.columns.find(c => c.key === "name")) || names.map(k => this.columns.find(c => c.key === k && 2 * section.rows.filter(r => r[k] !== null && r[k] !== undefined).length > section.rows.length)).find(Boolean) || this.columns.find(c => c.type === "text");
		// Of two keys the outer one comes before the inner.
		const outer = this.columns.filter(c => c.key.startsWith("outer_"));
		this.where = where && where !== main && line ? where : null;
		const files = this.columns.filter(c => c.key === "capture" && c.type === "text");
		const first = [...outer, main, ...files, this.where].filter(Boolean), numbers = this.columns.filter(c => !first.includes(c) && c.type !== "text"), texts = this.columns.filter(c => !first.includes(c) && c.type === "text");
		this.all = this.columns = options.ordered ? this.columns : [...first, ...numbers, ...texts];
		// What never goes: names, where they are, shares, and the number that they are of; else the first of those that all have.
		const head = section.rows.slice(0, 10), full = numbers.filter(c => head.every(r => r[c.key] !== null && r[c.key] !== undefined)), sums = (section.totals || []).at(-1);
		const usual = ["total_self_ns", "total_ns", "time_total_ns", "self_ns", "total_real", "total_requested", "total_samples", "samples", "total_period", "period", "total_count", "real", "requested", "count"];
		const shared = c => sums && sums[c.key] && head.every(r => typeof r.share === "number" && Math.abs(100 * (r[c.key] || 0) / sums[c.key] - r.share) <= .01);
		const find = (keys, list) => keys.map(k => list.find(c => c.key === k)).find(Boolean);
		const ranked = find(options.ranked || [], numbers) || find(usual, numbers.filter(shared)) || numbers.find(shared) || find(usual, full) || full.find(c => !SHARES.test(c.key)) || numbers[0];
		// What says little is there where all else has room: entries beside what they are of, and one capture in each row.
		this.minor = new Set(numbers.filter(c => /(^|_)entries$/.test(c.key) || /(^|_)capture$/.test(c.key) && section.rows.every(r => r[c.key] === section.rows[0][c.key])));
		this.fast = new Set([...first, ...numbers.filter(c => /^(self_|total_)?share$/.test(c.key) || options.sort && options.sort.key === c.key), ranked, ...numbers.filter(c => c.difference).slice(0, 1), ...this.all.filter(c => (options.keep || []).includes(c.key))]);
		this.full = new Set(full);
		this.few = section.rows.length < FEW && !options.search;
		this.want = new Map(this.all.map(c => [c, c === this.where ? Math.max(90, Math.min(230, 18 + LETTER * section.rows.slice(0, 400).reduce((m, r) => Math.max(m, cells(place(r.file, r.line))), 6))) : wanted(c, section.rows.slice(0, 400), (section.totals || []).at(-1), options.cell) + (this.tree && c === main ? 24 + 12 * Math.min(6, section.rows.reduce((m, r) => Math.max(m, r._depth), 0)) : 0)]));
		this.hidden = new Set();
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
		this.rows = new Map();
		this.choice = make("details", {class: "menu"}, make("summary", {}), make("div", {class: "panel"}, ...this.all.map(c => make("label", {}, make("input", {type: "checkbox", onchange: e => this.choose(c, e.target.checked)}), title(c)))));
		this.choice.onkeydown = e => { if (e.key === "Escape") this.choice.open = false; };
		this.widths();
		this.grid.onscroll = onceAFrame(() => this.draw());
		this.grid.onkeydown = e => this.key(e);
		this.grid.onclick = e => this.click(e);
		this.grid.onmousemove = e => this.hint(e);
		this.grid.onmouseleave = hideTip;
		new ResizeObserver(() => { if (this.widths()) this.arranged(); else { this.fit(); this.draw(); } }).observe(this.grid);
		const notes = !this.o.bare && this.s.notes && this.s.notes.length ? make("ul", {class: "notes"}, ...this.s.notes.map(n => make("li", {}, translated(n)))) : null;
		this.tools = make("div", {class: "tools", hidden: this.few && !this.hidden.length}, ...this.few ? [] : this.o.bare ? [this.say] : [search, this.say], this.all.length > 3 ? this.choice : null);
		return keeps(make("div", {}, this.tools, this.grid, notes), this);
	}

	// As many columns as there is room for, in their order; what a person chose is there in any case. True: it changed.
	widths() {
		const room = this.grid.clientWidth || this.room || Math.min(innerWidth - 60, 1340), chosen = this.chosen || {};
		this.room = room;
		const text = c => c === this.main || c.key.startsWith("outer_");
		let left = room - 2 - this.all.reduce((sum, c) => sum + (text(c) ? Math.min(LEAST, this.want.get(c)) : 0), 0);
		const fixed = c => c.type === "text" && c !== this.where ? Math.min((this.o.wide || {})[c.key] || 220, this.want.get(c)) : this.want.get(c);
		const shown = new Set();
		for (const c of this.all)
			if (text(c)) shown.add(c);
			else if (chosen[c.key] || this.fast.has(c) && chosen[c.key] !== false) { shown.add(c); left -= fixed(c); }
		// Names get half of what is more than they need at least, before the next column does.
		const longing = Math.min(room * (room < 700 ? 0.16 : 0.36), [...shown].filter(text).reduce((m, c) => m + Math.max(0, this.want.get(c) - LEAST), 0));
		const rank = c => this.minor.has(c) ? 2 : this.full.has(c) ? 0 : 1;
		for (const c of this.all.slice().sort((a, b) => rank(a) - rank(b)))
			if (!shown.has(c) && chosen[c.key] !== false && !(this.o.quiet && this.o.quiet(c)) && left - fixed(c) >= longing) { shown.add(c); left -= fixed(c); }
		const columns = this.all.filter(c => shown.has(c)), before = this.columns, was = this.width;
		const wide = columns.filter(text), given = new Map();
		// Names get what they need, then sentences that are cut; what is left then stands at the right, not between a
		// name and its numbers.
		let rest = Math.max(0, left);
		const give = (c, least, most) => { const more = Math.max(0, Math.min(most, this.want.get(c) - least)); rest -= more; given.set(c, least + more); };
		wide.slice().sort((a, b) => this.want.get(a) - this.want.get(b)).forEach((c, k) => give(c, Math.min(LEAST, this.want.get(c)), rest / (wide.length - k)));
		for (const c of columns.filter(c => !text(c))) give(c, fixed(c), rest);
		// Rows that were not looked at may have longer names.
		if (wide.length && this.s.rows.length > 400) given.set(wide.at(-1), given.get(wide.at(-1)) + Math.min(rest, 200));
		this.columns = columns;
		this.width = columns.map(c => Math.floor(given.get(c)));
		this.total = this.width.reduce((a, b) => a + b, 0);
		this.inner.style.width = "max(100%, " + this.total + "px)";
		this.hidden = this.all.filter(c => !shown.has(c));
		const same = was && before.length === columns.length && this.width.every((w, k) => w === was[k]);
		if (same) return false;
		this.heads();
		return true;
	}

	heads() {
		this.head.replaceChildren(...this.columns.map((c, k) => {
			const b = make("button", {type: "button", class: c.type === "text" ? "" : "num", role: "columnheader", title: this.tree ? own(c) : say("sort by {0}", own(c)), onclick: () => this.sortBy(c.key)});
			b.style.width = this.width[k] + "px";
			return b;
		}));
		if (this.tools) this.tools.hidden = this.few && !this.hidden.length;
		this.choice.firstChild.textContent = say("Columns");
		this.choice.firstChild.title = this.hidden.length ? some(this.hidden.length, "{0} more column", "{0} more columns") : "";
		[...this.choice.querySelectorAll("input")].forEach((e, k) => { e.checked = this.columns.includes(this.all[k]); });
	}

	choose(c, on) {
		this.chosen = {...this.chosen, [c.key]: on};
		this.width = null;
		this.widths();
		this.arranged();
	}

	// Which row it is, whatever its place.
	path(i) {
		const words = this.all.filter(c => c.type === "text").map(c => c.key), rows = this.s.rows, out = [];
		for (let depth = this.tree ? rows[i]._depth : 0; i >= 0 && depth >= 0; i--)
			if (!this.tree || rows[i]._depth === depth) { out.push(...words.map(k => rows[i][k])); depth--; }
		return JSON.stringify(out);
	}

	keep() {
		return {search: this.search.value, selected: this.selected < 0 ? null : this.path(this.selected), closed: this.s.rows.flatMap((_, i) => this.tree && this.model.closed[i] ? [this.path(i)] : []),
			sort: this.sort, chosen: this.chosen, top: this.grid.scrollTop, left: this.grid.scrollLeft};
	}

	async take(k) {
		this.search.value = k.search;
		this.sort = k.sort && this.all.some(c => c.key === k.sort.key) ? k.sort : this.sort;
		if (this.sort) this.order();
		if (k.chosen) { this.chosen = k.chosen; this.width = null; this.widths(); }
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
		if (!this.element || !this.element.classList.contains("fills")) this.grid.style.height = Math.min(height + bar, Math.max(220, innerHeight * 0.66)) + "px";
	}

	draw() {
		const top = this.grid.scrollTop, high = this.grid.clientHeight || 400;
		const from = Math.max(0, Math.floor((top - HEAD) / ROW) - 6), to = Math.min(this.shown.length, Math.ceil((top + high) / ROW) + 6);
		for (const [at, e] of this.rows)
			if (at !== "total" && (at < from || at >= to)) { e.remove(); this.rows.delete(at); }
		// Names that were short by themselves, and are not beside these.
		for (let at = from; at < to; at++) for (const c of this.columns) if (c.type === "text" && !PROSE.test(c.key)) named(this.s.rows[this.shown[at]][c.key]);
		if (clashes !== this.clashes) {
			for (const e of this.rows.values()) e.remove();
			this.rows.clear();
			this.clashes = clashes;
		}
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
			const v = r[c.key], cell = make("div", {class: "cell " + (c.type !== "text" ? "num" : PROSE.test(c.key) ? "text prose" : "text"), role: "gridcell"});
			cell.style.width = this.width[k] + "px";
			if (this.tree && c === this.main && i >= 0) {
				const parent = this.model.size[i] > 1;
				cell.style.paddingLeft = 4 + Math.min(r._depth, 40) * 12 + "px";
				e.setAttribute("aria-level", r._depth + 1);
				if (parent) e.setAttribute("aria-expanded", !this.model.closed[i]);
				cell.append(make("span", {class: "twist", "data-twist": parent ? "1" : null}, parent ? (this.model.closed[i] ? "▸" : "▾") : "·"));
			}
			const own = this.o.cell && i >= 0 ? this.o.cell(c, r, this.width[k]) : null;
			if (own) cell.append(own);
			else if (v === null || v === undefined) {
				if (i >= 0 && c.type !== "text") { cell.classList.add("absent"); cell.append("–"); }
			} else if (c === this.where && i >= 0) {
				cell.append(shown(place(v, r.line)));
			} else if (i >= 0 && c.type === "text" && !PROSE.test(c.key) && c.key !== "group") {
				const text = named(v), said = labelled(text);
				if (said === text && cells(text) * LETTER > this.width[k] - 20) cell.append(middle(text, {title: null}));
				else cell.append(shown(said));
			} else {
				if (i >= 0 && c.type !== "text" && this.most[c.key] > 0 && !c.difference && (SHARES.test(c.key) || this.sort && this.sort.key === c.key)) {
					const fill = make("span", {class: "fill"});
					fill.style.width = Math.min(100, 100 * v / (SHARES.test(c.key) ? 100 : this.most[c.key])) + "%";
					cell.append(fill);
				}
				if (c.difference && v && !BALANCES.test(c.key)) cell.classList.add(i >= 0 && this.o.small && this.o.small(c, r) ? "faint" : v > 0 ? "bad" : "good");
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

	// Chooses a row as a click does, asks nothing, and scrolls to it, unless it stays where it is.
	reveal(i, stays) {
		const at = this.shown.indexOf(i), y = at * ROW, g = this.grid;
		this.selected = i;
		if (!stays && at >= 0 && (y < g.scrollTop || y + HEAD + 2 * ROW > g.scrollTop + g.clientHeight)) g.scrollTop = Math.max(0, Math.floor((y - (g.clientHeight - HEAD) / 3) / ROW) * ROW);
		this.draw();
		for (const e of this.rows.values()) e.setAttribute("aria-selected", i >= 0 && +e.dataset.i === i);
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
		const lines = (r._details && c === this.main ? r._details : []).slice(0, 12).map(l => detailed(l, false)), text = c === this.where && v ? v + (r.line ? ":" + r.line : "") : v || "";
		if (c.type === "text" && !lines.length && (cell.textContent === text && !cell.querySelector(".mid") && cell.scrollWidth <= cell.clientWidth)) return hideTip();
		showTip(event, c.type === "text" ? text : title(c) + ": " + exact(c.type, v), lines);
	}
}
