// SPDX-License-Identifier: MIT
// What there is at all, over time; a drag in any chart chooses the range for every view.
import {panel} from "./parts.js";
import {make} from "./dom.js";
import {Table} from "./table.js";
import {Chart} from "./chart.js";
import {section} from "./ask.js";
import {facts, picked, nothing} from "./document.js";
import {series, limits} from "./frames.js";
import {format, count} from "./format.js";

export const title = "Overview";

function counts(context) {
	const sum = k => context.files.reduce((a, f) => a + (f[k] || 0), 0);
	const item = (k, v) => make("div", {}, make("dt", {}, translated(k)), make("dd", {}, v));
	const kinds = {};
	for (const f of context.files) for (const [k, n] of Object.entries(f.kinds)) kinds[k] = (kinds[k] || 0) + n;
	return make("dl", {class: "facts"}, item(say("events"), count(sum("events"))), item(say("stacks"), count(sum("stacks"))),
		...Object.entries(kinds).slice(0, 6).map(([k, n]) => item(k, count(n))),
		item(say("in memory"), format("bytes", sum("bytes"))));
}

// A place on the page for what is still added up; what comes takes it, null takes it away.
function place(wanted, title) {
	const element = wanted ? panel(title, "", make("p", {class: "faint"}, say("adding up …"))) : null;
	return {element, take: e => e ? element.replaceWith(e) : element.remove()};
}

export async function show(context) {
	const {state: s, has, go} = context, other = context.filters(["frame", "time"]);
	const run = place(has.calls, say("The run")), lanes = place(has.frames || has.counters, say("Over frames"));
	const curve = place(has.memory, say("Live bytes over time")), best = place(has.calls, say("The largest"));
	const charts = make("div", {class: "columns"}, lanes.element, curve.element), page = make("div", {}, panel(say("What was loaded"), "", counts(context)),
		run.element, charts, make("p", {}), best.element);
	// What is there is seen before the rest is.
	context.begin(page);
	const top = async () => {
		const a = await context.ask(["top", ...context.filters(), "-n", "12", "--table", "top"], true);
		const f = a.doc && facts(a.doc), t = section(a.doc, "table", "top");
		run.take(f && panel(say("The run"), "", f));
		const p = picked(context, r => r.site || r.function);
		best.take(t && t.rows.length ? panel(translated(t.title), "", new Table(t, {pick: p.pick}).element, p.box) : null);
	};
	const memory = async () => {
		// A capture without times has no curve, which is no answer.
		const a = await context.ask(["top", "--memory", "--table", "live", ...other]).catch(e => { if (e.name === "AbortError") throw e; return {doc: null}; });
		const live = section(a.doc, "series", "live");
		const range = s.time ? s.time.split("..").map(t => parseFloat(t)) : null;
		curve.take(live && live.x.length > 1 ? panel(say("Live bytes over time"), say("drag to choose, double click for all"), new Chart(live, {range,
			select: (a, b) => go({time: a === null ? null : a + "ns.." + b + "ns", frame: null})}).element) : null);
	};
	const frames = async () => {
		const a = await context.ask(["frames", ...other, "-n", "0"]), all = a.doc && series(a.doc);
		const range = s.frame ? s.frame.split("..").map(Number) : null;
		lanes.take(all && all.x.length > 1 ? panel(say("Over frames"), say("{0} lanes; drag to choose, double click for all", all.lines.length), new Chart(all, {range: range && [range[0], range[1] ?? range[0]], limits: limits(a.doc),
			select: (a, b) => go({frame: a === null ? null : a + ".." + b, time: null}), picked: x => go({view: "frames", pick: x})}).element) : null);
	};
	// With two processors the program adds sums up on one of them: charts take turns on the other, and the first is early.
	const first = curve.element && memory(), turns = navigator.hardwareConcurrency < 4;
	await Promise.all([first, lanes.element && (turns ? Promise.resolve(first).then(frames) : frames()), run.element && top()]);
	if (page.querySelectorAll(".panel").length === 1)
		page.append(nothing(say(context.files.every(f => f.error) ? "No file could be read: the reasons stand above." : has.objects ? "These are snapshots of heaps: their view is Heap." : "There is nothing here that a chart or a table could show.")));
	return page;
}
