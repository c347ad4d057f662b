// SPDX-License-Identifier: MIT
// Listings side by side: rows of one line of a source file belong together. A click or the arrow keys choose a row,
// and what belongs to it is marked in all of them, and scrolled to.
import {some} from "./format.js";
import {make, keeps} from "./dom.js";

export const place = (file, line) => file && line ? file.split(/[\\/]/).pop() + ":" + line : null;

export const rowsOf = e => [...e.querySelectorAll("tbody tr:not(.wide)")];

// A table of rows {cells, places, hot, wide}: cells are elements, wide is a text instead of them; places are those of
// a row and of the calls that it was inlined into.
export function listing(label, heads, rows) {
	const body = make("tbody");
	for (const r of rows) {
		const row = r.wide ? make("tr", {class: "wide"}, make("td", {colspan: heads.length}, r.wide)) : make("tr", {class: r.hot ? "hot" : null}, ...r.cells);
		row.places = r.wide ? [] : r.places;
		body.append(row);
	}
	return make("div", {class: "source", tabindex: 0, role: "region", "aria-label": label}, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
}

// chosen(place): a person chose it.
export function link(listings, chosen) {
	const said = make("p", {class: "path", role: "status"});
	const choose = (row, quiet) => {
		const own = row.closest(".source"), others = listings.filter(e => e !== own).flatMap(rowsOf);
		const to = row.places.find(p => others.some(r => r.places.includes(p))) || row.places[0];
		let n = 0;
		for (const e of listings) {
			for (const r of e.querySelectorAll("tr.same, tr.at")) { r.classList.remove("same", "at"); r.removeAttribute("aria-current"); }
			const same = to ? rowsOf(e).filter(r => r.places.includes(to)) : [];
			for (const r of same) r.classList.add("same");
			n += same.length;
			if (same.length && (e !== own || quiet)) e.scrollTop = (same.find(r => r.classList.contains("hot")) || same[0]).offsetTop - e.clientHeight / 3;
		}
		row.classList.add("at");
		row.setAttribute("aria-current", "true");
		said.textContent = [...row.cells].map(c => c.textContent).filter(Boolean).join("  ") + (to ? " — " + to + ", " + some(n, "{0} row", "{0} rows") : "");
		if (!quiet && to) chosen(to);
	};
	for (const e of listings) {
		const rows = rowsOf(e);
		e.onclick = event => { const row = event.target.closest("tbody tr:not(.wide)"); if (row) choose(row); };
		e.onkeydown = event => {
			const now = rows.findIndex(r => r.classList.contains("at")), step = {ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity}[event.key];
			if (step === undefined || !rows.length || event.ctrlKey || event.altKey) return;
			event.preventDefault();
			const row = rows[Math.max(0, Math.min(rows.length - 1, now + step))];
			choose(row);
			row.scrollIntoView({block: "nearest"});
		};
		keeps(e, {
			keep: () => ({at: rows.findIndex(r => r.classList.contains("at")), top: e.scrollTop, left: e.scrollLeft}),
			// Choosing scrolls all of them: where they were comes after the last one.
			take: async was => { if (rows[was.at]) choose(rows[was.at], true); await null; e.scrollTo(was.left, was.top); },
		});
	}
	return {said, choose};
}
