// SPDX-License-Identifier: MIT
// The tables of a mailed page's text: sorted, filtered, and the way from a name to where it is in the flame graphs.
import {make, button, onceAFrame} from "./dom.js";
import {format, matcher, cells, count, some} from "./format.js";
import {Rows, compareRows} from "./rows.js";

const BLOCK = 50, FEW = 200;

function cellValue(row, k) {
	const cell = row.cells[k];
	if (!cell.classList.contains("num")) return cell.textContent;
	return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
}

// Clicks on the heads sort: numbers down at first.
function sortable(heads, sort) {
	heads.forEach((th, k) => th.querySelector("button").onclick = () => {
		const was = th.getAttribute("aria-sort"), down = was ? was === "ascending" : th.classList.contains("num");
		sort(k, down);
		for (const h of heads) h.removeAttribute("aria-sort");
		th.setAttribute("aria-sort", down ? "descending" : "ascending");
	});
}

// As it is in the capture, whatever the language.
function cellName(cell) {
	return cell.dataset.name ?? (cell.querySelector("summary") || cell).textContent;
}

// A name that a flame graph has, too, is a way to it.
function pickable(cell, name, context) {
	if (!cell.children.length && context.drawn(name))
		cell.replaceChildren(button(labelled(name), () => context.picked(name), {class: "pick", title: say("its callers and callees, and where it is in the flame graph")}));
}

// A table whose rows are all in the page's text.
export class ShortTable {
	constructor(section, context) {
		const table = this.table = section.querySelector("table"), body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
		// A column of short texts takes no room from long names.
		heads.forEach((th, k) => {
			const cells = [...table.rows].slice(1).map(row => row.cells[k]).filter(Boolean);
			if (!th.classList.contains("num") && cells.every(c => c.textContent.length <= 24))
				for (const c of cells) c.classList.add("short");
		});
		sortable(heads, (k, down) => {
			const values = rows.map(row => cellValue(row, k));
			body.append(...rows.map((_, i) => i).sort(compareRows(values, down)).map(i => rows[i]));
		});
		this.rows = new Map();
		for (const row of rows)
			for (const cell of row.cells) {
				const name = cellName(cell);
				if (!cell.classList.contains("name") || cell.children.length || !context.drawn(name)) continue;
				pickable(cell, name, context);
				if (!this.rows.has(name)) this.rows.set(name, row);
			}
		this.input = section.querySelector("input");
		if (this.input) this.input.oninput = () => {
			const match = matcher(this.input.value);
			for (const row of rows) row.hidden = this.input.value !== "" && !match(row.textContent);
			section.querySelector(".say").textContent = this.input.value ? some(rows.filter(row => !row.hidden).length, "{0} row matches", "{0} rows match") : "";
		};
	}

	pick(name, own) {
		for (const row of this.table.querySelectorAll("tr.picked")) row.classList.remove("picked");
		const row = this.rows.get(name);
		if (!row) return;
		row.classList.add("picked");
		if (!own) row.scrollIntoView({block: "nearest"});
	}
}

// A table of more rows than its text has. Rows are made in blocks as they come into view; a block that is
// not there has the height it had, or that of the others. The subtrees of a tree are folded at first.
export class LongTable {
	constructor(section, d, context) {
		const table = section.querySelector("table");
		this.d = d;
		this.context = context;
		this.section = section;
		this.table = table;
		this.heads = [...table.tHead.rows[0].cells];
		this.texts = [...table.tBodies[0].rows]; // the rows of the page's text
		this.n = this.texts.length + d.rows;
		// As they are before they get buttons.
		this.said = this.texts.map(row => [...row.cells].map(c => c.textContent).join(" "));
		this.names = this.texts.map(row => [...row.cells].map(cellName));
		this.marked = new Map(d.marks.map(([k, i, mark]) => [i * this.heads.length + k, mark]));
		this.details = new Map(d.details.map(([i, lines]) => [i, lines]));
		this.made = new Map();
		this.open = new Set();
		this.tree = d.depth ? d.columns.findIndex(c => c.tree) : -1;
		if (this.tree >= 0) this.n = Math.min(this.n, d.depth.length);
		this.model = new Rows(this.n, this.tree >= 0 ? d.depth : null, (i, match) => match(this.words(i)));
		if (this.tree >= 0) this.model.fold(FEW);
		this.tools();
		this.settle();
		this.arrange();
	}

	tools() {
		const bar = this.section.querySelector(".tools");
		this.input = bar.querySelector("input");
		this.say = bar.querySelector(".say");
		this.say.setAttribute("aria-live", "polite");
		this.input.oninput = () => {
			clearTimeout(this.later);
			this.later = setTimeout(() => this.arrange(), 120);
		};
		if (this.tree >= 0)
			this.say.before(button(say("unfold all"), () => { this.model.unfold(); this.arrange(); }), button(say("fold"), () => { this.model.fold(FEW); this.arrange(); }));
		sortable(this.heads, (k, down) => this.sortBy(k, down));
		this.scroller = this.section.querySelector(".scroll");
		this.scroller.tabIndex = 0;
		this.scroller.setAttribute("role", "region");
		this.scroller.setAttribute("aria-label", this.section.querySelector("h2").textContent);
		this.scroller.onscroll = onceAFrame(() => this.show());
		addEventListener("resize", () => this.arrange());
		// What is printed is what the page's text has.
		addEventListener("beforeprint", () => this.table.tBodies[0].replaceChildren(...this.texts));
		addEventListener("afterprint", () => this.arrange());
		this.table.addEventListener("toggle", event => this.toggle(event), true);
	}

	// Columns as wide as their longest number, so that they stay where they are.
	settle() {
		const g = document.createElement("canvas").getContext("2d"), style = getComputedStyle(this.table);
		g.font = style.fontSize + " " + style.fontFamily;
		let all = 0;
		const widths = this.d.columns.map((c, k) => {
			const th = this.heads[k], step = Math.max(1, Math.floor(this.n / 2000));
			let w = g.measureText(th.textContent).width + 30, longest = "";
			for (let i = 0; i < this.n; i += step) {
				const s = this.shown(i, k);
				if (2 * s.length > cells(longest) && cells(s) > cells(longest)) longest = s;
			}
			const text = c.type === "text";
			w = Math.max(w, g.measureText(text ? longest.slice(0, 60) : longest).width * (text ? 1.1 : 1) + (c.bar ? 30 : 20));
			if (text && (c.tree || w > 170)) w = Math.max(220, Math.min(w, 480));
			all += w;
			return w;
		});
		this.heads.forEach((th, k) => th.style.width = widths[k] + "px");
		this.table.style.tableLayout = "fixed";
		this.table.style.minWidth = all + "px";
		this.table.setAttribute("aria-rowcount", this.n + 1);
	}

	// Of a cell: what it is sorted by, null where it is blank.
	value(i, k) {
		if (i < this.texts.length) return this.d.columns[k].type === "text" ? this.names[i][k] : cellValue(this.texts[i], k);
		const v = this.d.cells[k][i - this.texts.length];
		return v === null ? null : this.d.columns[k].type === "text" ? this.d.strings[v] : Number(v);
	}

	// And what people see.
	shown(i, k) {
		if (i < this.texts.length) return this.names[i][k];
		const c = this.d.columns[k], v = this.d.cells[k][i - this.texts.length];
		if (v === null) return "";
		if (c.type === "text") return c.prose ? translated(this.d.strings[v], "relation") : this.d.strings[v];
		if (c.type === "count" || this.d.exact && (c.type === "bytes" || c.type === "ns"))
			return (c.signed && Number(v) > 0 ? "+" : "") + v + (c.type === "ns" ? " ns" : "");
		return format(c.type, Number(v), c.decimals, c.signed);
	}

	lines(i) {
		const lines = this.details.get(i - this.texts.length);
		return lines ? lines.map(s => this.d.strings[s]) : null;
	}

	row(i) {
		let row = this.made.get(i);
		if (row) return row;
		row = i < this.texts.length ? this.texts[i] : this.make(i);
		if (row.ready === undefined) this.prepare(row, i);
		row.classList.toggle("picked", this.picked !== undefined && this.nameCells(row).some(c => c.dataset.name === this.picked));
		if (this.tree >= 0) this.twist(row, i);
		this.made.set(i, row);
		return row;
	}

	make(i) {
		const row = make("tr", {}), details = this.lines(i);
		let owed = details;
		this.d.columns.forEach((c, k) => {
			const mark = this.marked.get((i - this.texts.length) * this.heads.length + k), text = c.type === "text";
			const cell = make("td", {class: (text ? c.prose ? "prose" : "name" : "num" + (c.bar ? " bar" : "")) + (mark ? " " + mark : "")});
			const shown = this.shown(i, k);
			if (c.tree && this.d.depth && this.d.depth[i]) cell.style.paddingLeft = 16 * Math.min(this.d.depth[i], 40) + "px";
			if (!text && c.bar && shown) cell.style.setProperty("--bar", shown);
			if (text && owed && !c.prose) {
				cell.append(make("details", {open: this.open.has(i) || row.cells.length === 0 && mark === "bad"},
					make("summary", {}, shown), ...owed.map(line => make("div", {}, detailed(line, false)))));
				owed = null;
			} else cell.textContent = text && !c.prose ? labelled(shown) : shown;
			row.append(cell);
		});
		return row;
	}

	nameCells(row) {
		return [...row.cells].filter(c => c.classList.contains("name"));
	}

	prepare(row, i) {
		row.ready = true;
		row.dataset.i = i;
		row.setAttribute("aria-rowindex", i + 2);
		for (const cell of this.nameCells(row)) {
			const name = cell.dataset.name = cellName(cell);
			pickable(cell, name, this.context);
		}
	}

	// What opens and closes the rows below one of a tree.
	twist(row, i) {
		const cell = row.cells[this.tree], {closed, size} = this.model;
		let twist = cell.querySelector(".twist");
		if (size[i] === 1) return;
		if (!twist) {
			twist = button("", () => {
				closed[i] = !closed[i];
				this.arrange();
				const now = this.table.querySelector(`tr[data-i="${i}"] .twist`);
				if (now) now.focus({preventScroll: true});
			}, {class: "twist"});
			cell.prepend(twist);
		}
		const below = some(size[i] - 1, "{0} row below", "{0} rows below");
		twist.textContent = closed[i] ? "\u25b8 " + count(size[i] - 1) : "\u25be";
		twist.title = below;
		twist.setAttribute("aria-label", below);
		twist.setAttribute("aria-expanded", !closed[i]);
	}

	sortBy(k, down) {
		this.model.sort(Array.from({length: this.n}, (_, i) => this.value(i, k)), down);
		this.scroller.scrollTop = 0;
		this.arrange();
	}

	words(i) {
		if (this.said[i] === undefined)
			this.said[i] = [...this.heads.map((_, k) => this.shown(i, k)), ...(this.lines(i) || [])].join(" ");
		return this.said[i];
	}

	arrange() {
		return this.model.arrange(this.input.value, () => {
			const shown = this.shownRows = this.model.shown, away = this.n - shown.length;
			this.heights = new Float64Array(Math.ceil(shown.length / BLOCK)).fill(NaN);
			this.say.textContent = this.input.value ? some(shown.length, "{0} row matches", "{0} rows match")
				: away ? say("{0} of {1} rows, {2} are folded", count(shown.length), count(this.n), count(away)) : "";
			this.made.clear();
			this.show();
		});
	}

	height(b) {
		return isNaN(this.heights[b]) ? this.typical() * Math.min(BLOCK, this.shownRows.length - b * BLOCK) : this.heights[b];
	}

	typical() {
		return this.mean || 28;
	}

	top(b) {
		let y = 0;
		for (let i = 0; i < b; i++) y += this.height(i);
		return y;
	}

	// The blocks in view between two rows that are as high as those that are not there. What is seen stays
	// where it is when a block above turns out higher than it was taken to be.
	show() {
		const s = this.scroller, n = this.heights.length, view = s.clientHeight || innerHeight, y = s.scrollTop;
		let first = 0, at = 0;
		while (first < n - 1 && at + this.height(first) < y - 200) at += this.height(first++);
		let last = first, end = at, anchor = first, anchorTop = at;
		while (last < n && end < y + view + 200) {
			if (end <= y) {
				anchor = last;
				anchorTop = end;
			}
			end += this.height(last++);
		}
		const before = make("tr", {class: "space"}), after = make("tr", {class: "space"}), rows = [], body = this.table.tBodies[0];
		const keep = new Map();
		for (let k = first * BLOCK; k < Math.min(last * BLOCK, this.shownRows.length); k++) {
			rows.push(this.row(this.shownRows[k]));
			keep.set(this.shownRows[k], rows[rows.length - 1]);
		}
		this.made = keep;
		const focused = document.activeElement;
		body.replaceChildren(before, ...rows, after);
		before.style.height = at + "px";
		if (focused !== document.activeElement && focused.isConnected) focused.focus({preventScroll: true});
		let high = 0;
		for (let b = first; b < last; b++) {
			const from = rows[(b - first) * BLOCK], to = rows[Math.min((b - first + 1) * BLOCK, rows.length) - 1];
			high += this.heights[b] = to.offsetTop + to.offsetHeight - from.offsetTop;
		}
		if (rows.length) this.mean = high / rows.length;
		let rest = 0;
		for (let b = last; b < n; b++) rest += this.height(b);
		after.style.height = rest + "px";
		let now = at;
		for (let b = first; b < anchor; b++) now += this.heights[b];
		if (Math.abs(now - anchorTop) > 0.5) s.scrollTop = y + now - anchorTop;
	}

	toggle(event) {
		const row = event.target.closest("tr");
		if (!row) return;
		if (event.target.open) this.open.add(+row.dataset.i);
		else this.open.delete(+row.dataset.i);
	}

	pick(name, own) {
		this.picked = name;
		this.made.clear();
		if (!this.where) {
			this.where = new Map();
			this.d.columns.forEach((c, k) => {
				if (c.type !== "text" || c.prose) return;
				for (let i = 0; i < this.n; i++) {
					const s = this.shown(i, k);
					if (!this.where.has(s)) this.where.set(s, i);
				}
			});
		}
		const i = this.where.get(name);
		if (i === undefined || own) this.show();
		else this.reveal(i);
	}

	// Scrolls to a row.
	async reveal(i) {
		this.model.reveal(i);
		await this.arrange();
		const at = this.shownRows.indexOf(i);
		if (at < 0) return;
		const b = Math.floor(at / BLOCK), go = () => this.scroller.scrollTop = this.top(b) + (at % BLOCK) * this.height(b) / BLOCK;
		go();
		this.show();
		const row = this.made.get(i);
		if (row) row.scrollIntoView({block: "nearest"});
	}
}
