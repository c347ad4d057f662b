// SPDX-License-Identifier: MIT
// The mailed page: it puts graphs, charts and tables of its data in their places, and shows a function that is picked
// in one of them in the others.
import {Flame} from "./flame.js";
import {Chart} from "./chart.js";
import {LongTable, ShortTable} from "./table.js";

speak(document.documentElement.dataset.language);
translate(document.body);
languageButton(document.getElementById("language"));

// Parts are {pick(name, own)}; searches are {section, input}.
const parts = [], searches = [], graphs = [], tables = [];

// A section's data, or those further ones that are read when they are asked for.
function data(section, k = 0) {
	return JSON.parse(section.querySelectorAll("script[type='application/json']")[k].textContent);
}

// What the parts share: drawn(name) says whether a graph has a function; picked(name): it is shown by all.
function context(section) {
	return {
		drawn: name => graphs.some(g => g.ids.has(name)),
		picked: name => { for (const p of parts) p.part.pick(name, p.section === section); },
	};
}

function add(section, part) {
	parts.push({section, part});
	if (part.input) searches.push({section, input: part.input});
}

for (const section of document.querySelectorAll("section.flame")) {
	const graph = new Flame({...data(section), title: section.querySelector("h2").textContent}, {more: k => data(section, k), picked: context(section).picked});
	section.querySelector("script").before(graph.element);
	graphs.push(graph);
	if (!graph.n) continue;
	graph.draw();
	add(section, graph);
}
for (const section of document.querySelectorAll("section.series")) {
	const chart = new Chart(data(section));
	section.querySelector("script").before(chart.element);
	chart.draw();
}
for (const section of document.querySelectorAll("section.table")) {
	if (!section.querySelector("thead")) continue; // a table of no rows is a sentence that says why
	const long = section.querySelector("script"), table = long ? new LongTable(section, data(section), context(section)) : new ShortTable(section, context(section));
	if (long) tables.push(table);
	add(section, table);
}

document.getElementById("theme").onclick = () => {
	const root = document.documentElement, now = root.dataset.theme ||
		(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
	root.dataset.theme = now === "dark" ? "light" : "dark";
	document.dispatchEvent(new Event("themechange"));
};

// "/" goes to the search of the part that has the focus, or of the first in view; so does Ctrl+F where not
// all is in the page's text, and a second time it is the browser's.
addEventListener("keydown", event => {
	const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
	const find = event.key === "f" && (event.ctrlKey || event.metaKey);
	if (!slash && !find || event.target.closest("input, select")) return;
	const inView = s => { const r = s.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; };
	const s = searches.find(s => s.section.contains(event.target)) || slash && searches.find(s => inView(s.section));
	if (!s) return;
	event.preventDefault();
	s.input.focus();
	s.input.select();
});
