// SPDX-License-Identifier: MIT
// What there is at all, over time; a drag in any chart chooses the range for every view.
import {make, panel} from "./dom.js";
import {Table} from "./table.js";
import {Chart} from "./chart.js";
import {section} from "./ask.js";
import {facts, picked, nothing} from "./document.js";
import {series, limits} from "./frames.js";
import {format} from "./format.js";

export const title = "Overview";

function counts(context) {
	const sum = k => context.files.reduce((a, f) => a + (f[k] || 0), 0);
	const item = (k, v) => make("div", {}, make("dt", {}, k), make("dd", {}, v));
	const kinds = {};
	for (const f of context.files) for (const [k, n] of Object.entries(f.kinds)) kinds[k] = (kinds[k] || 0) + n;
	return make("dl", {class: "facts"}, item("events", sum("events").toLocaleString("en-US")), item("stacks", sum("stacks").toLocaleString("en-US")),
		...Object.entries(kinds).slice(0, 6).map(([k, n]) => item(k, n.toLocaleString("en-US"))),
		item("in memory", format("bytes", sum("bytes"))));
}

export async function show(context) {
	const {state: s, has, go} = context, out = [panel("What was loaded", "", counts(context))];
	const base = ["top", ...context.filters(), "-n", "12", "--table", "top"];
	const top = has.calls ? context.ask(base, true) : null;
	const memory = has.memory ? context.ask(["top", "--memory", ...context.filters(["frame", "time"])]) : null;
	const frames = has.frames || has.counters ? context.ask(["frames", ...context.filters(["frame", "time"]), "-n", "0"]) : null;
	const answers = await Promise.all([top, memory, frames]);
	const [t, m, f] = answers.map(a => a && a.doc);
	if (t && facts(t)) out.push(panel("The run", "", facts(t)));
	const charts = [];
	if (f) {
		const all = series(f), range = s.frame ? s.frame.split("..").map(Number) : null;
		if (all && all.x.length > 1) charts.push(panel("Over frames", all.lines.length + " lanes; drag to choose, double click for all", new Chart(all, {range: range && [range[0], range[1] ?? range[0]], limits: limits(f),
			select: (a, b) => go({frame: a === null ? null : a + ".." + b, time: null}), picked: x => go({view: "frames", pick: x})}).element));
	}
	const live = m && section(m, "series", "live");
	if (live && live.x.length > 1) {
		const range = s.time ? s.time.split("..").map(t => parseFloat(t)) : null;
		charts.push(panel("Live bytes over time", "drag to choose, double click for all", new Chart(live, {range,
			select: (a, b) => go({time: a === null ? null : a + "ns.." + b + "ns", frame: null})}).element));
	}
	if (charts.length) out.push(make("div", {class: "columns"}, ...charts), make("p", {}));
	const tops = t && section(t, "table", "top");
	if (tops && tops.rows.length) {
		const p = picked(context, r => r.site || r.function);
		out.push(panel(tops.title, "", new Table(tops, {pick: p.pick}).element, p.box));
	}
	if (out.length === 1) out.push(nothing(context.files.every(f => f.error) ? "No file could be read: the reasons stand above." : has.objects ? "These are snapshots of heaps: their view is Heap." : "There is nothing here that a chart or a table could show."));
	return out;
}
