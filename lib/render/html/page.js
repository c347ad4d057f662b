// SPDX-License-Identifier: MIT
// What the page's parts share, and its tables. Text from input is only ever set as textContent.
"use strict";
const tip = document.createElement("div");
tip.className = "tip";
document.body.append(tip);

function make(tag, className, text) {
	const e = document.createElement(tag);
	if (className) e.className = className;
	if (text !== undefined) e.textContent = text;
	return e;
}

// As lib/table's size_text, time_text and cell_for_people do it.
function format(type, v, decimals) {
	const sign = v < 0 ? "-" : "";
	v = Math.abs(v);
	if (type === "bytes") {
		if (v < 1024) return sign + v + " B";
		let i = -1;
		do { v /= 1024; i++; } while (v >= 1023.95 && i < 5);
		return sign + v.toFixed(1) + " " + "KMGTPE"[i] + "iB";
	}
	if (type === "ns") {
		if (v < 1000) return sign + v + " ns";
		const units = ["us", "ms", "s"];
		let i = -1;
		do { v /= 1000; i++; } while (v >= 999.995 && i < 2);
		return sign + v.toFixed(2) + " " + units[i];
	}
	if (type === "percent") return sign + (v / 100).toFixed(2) + "%";
	if (type === "number") return sign + (v / 10 ** decimals).toFixed(decimals);
	return sign + v;
}

function share(part, whole) {
	return whole ? (100 * part / whole).toFixed(2) + "%" : "";
}

function showTip(event, head, lines) {
	tip.replaceChildren(make("b", "", head), document.createTextNode("\n" + lines.join("\n")));
	tip.style.display = "block";
	const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
	const y = event.clientY + 18 + tip.offsetHeight > innerHeight
		? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
	tip.style.left = Math.max(4, x) + "px";
	tip.style.top = Math.max(4, y) + "px";
}

function hideTip() {
	tip.style.display = "none";
}

function matcher(text) {
	try {
		const r = new RegExp(text, "i");
		return s => r.test(s);
	} catch (e) {
		const plain = text.toLowerCase();
		return s => s.toLowerCase().includes(plain);
	}
}

function data(section) {
	return JSON.parse(section.querySelector("script[type='application/json']").textContent);
}

// A function that is picked in one part of the page is shown by the others: parts are {pick(name, from)}.
const parts = [];
function pick(name, from) {
	for (const part of parts) part.pick(name, from);
}

document.getElementById("theme").onclick = () => {
	const root = document.documentElement, now = root.dataset.theme ||
		(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
	root.dataset.theme = now === "dark" ? "light" : "dark";
	dispatchEvent(new Event("resize"));
};

function cellValue(row, k) {
	const cell = row.cells[k];
	if (!cell.classList.contains("num")) return cell.textContent;
	return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
}

// What is blank is last in both directions; equal rows keep their first order.
function sortBy(table, k, down) {
	const body = table.tBodies[0];
	const rows = [...body.rows].map(row => ({row, v: cellValue(row, k), i: +row.dataset.i}));
	const blank = v => v === null || v === "";
	rows.sort((a, b) => {
		if (blank(a.v) || blank(b.v)) return blank(a.v) - blank(b.v) || a.i - b.i;
		const d = typeof a.v === "number" ? a.v - b.v : a.v < b.v ? -1 : a.v > b.v ? 1 : 0;
		return (down ? -d : d) || a.i - b.i;
	});
	body.append(...rows.map(r => r.row));
	for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
	table.tHead.rows[0].cells[k].setAttribute("aria-sort", down ? "descending" : "ascending");
}

// The functions that flame graphs of this page have.
const drawn = new Set();
for (const section of document.querySelectorAll("section.flame")) {
	const d = data(section);
	for (const i of d.name) drawn.add(d.strings[i]);
}

// A name that a flame graph has, too, is a way to it; picked there, its row is shown here.
function linkRows(section, table) {
	const rows = new Map();
	for (const row of table.tBodies[0].rows)
		for (const cell of row.cells) {
			const name = cell.textContent;
			if (!cell.classList.contains("name") || cell.children.length || !drawn.has(name)) continue;
			const link = make("button", "pick", name);
			link.title = "its callers and callees, and where it is in the flame graph";
			link.onclick = () => pick(name, section);
			cell.replaceChildren(link);
			if (!rows.has(name)) rows.set(name, row);
		}
	parts.push({pick: (name, from) => {
		for (const row of table.querySelectorAll("tr.picked")) row.classList.remove("picked");
		const row = rows.get(name);
		if (!row) return;
		row.classList.add("picked");
		if (from !== section) row.scrollIntoView({block: "nearest"});
	}});
}

for (const section of document.querySelectorAll("section.table")) {
	const table = section.querySelector("table"), heads = [...table.tHead.rows[0].cells];
	[...table.tBodies[0].rows].forEach((row, i) => row.dataset.i = i);
	// A column of short texts takes no room from long names.
	heads.forEach((th, k) => {
		const cells = [...table.rows].slice(1).map(row => row.cells[k]).filter(Boolean);
		if (!th.classList.contains("num") && cells.every(c => c.textContent.length <= 24))
			for (const c of cells) c.classList.add("short");
	});
	heads.forEach((th, k) => th.querySelector("button").onclick = () => {
		const number = th.classList.contains("num"), was = th.getAttribute("aria-sort");
		sortBy(table, k, was ? was === "ascending" : number);
	});
	linkRows(section, table);
	const filter = section.querySelector("input"), say = section.querySelector(".say");
	if (!filter) continue;
	filter.oninput = () => {
		const match = matcher(filter.value);
		let shown = 0;
		for (const row of table.tBodies[0].rows) {
			row.hidden = filter.value !== "" && !match(row.textContent);
			shown += !row.hidden;
		}
		say.textContent = filter.value ? shown + " rows match" : "";
	};
}
