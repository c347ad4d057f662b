// SPDX-License-Identifier: MIT
// Frame by frame: bars with percentiles and spikes; what one frame has.
import {panel, plainly} from "./parts.js";
import {make, button} from "./dom.js";
import {Table} from "./table.js";
import {Chart} from "./chart.js";
import {Boxes} from "./box.js";
import {section} from "./ask.js";
import {nothing} from "./document.js";
import {format, count} from "./format.js";
import {choice, ranksOf} from "./view_table.js";

export const title = "Frames";
export const own = true;
export const fits = has => has.frames || has.timed;

const lanes = ["duration_ns", "self_ns", "real", "requested", "count", "live_real", "live_requested", "lua_net", "mono_net", "calls", "samples", "period"];

// The columns of the table of frames as lines on one axis. Rows come as they are sorted.
export function series(doc) {
	const t = section(doc, "table", "frames"), c = section(doc, "series", "chart");
	if (!t || !t.rows.length) return null;
	const captures = new Set(t.rows.map(r => r.capture));
	if (captures.size > 1) return c || null;
	// What came before the first frame has no place among them.
	const rows = t.rows.filter(r => r.frame !== null).sort((a, b) => a.frame - b.frame);
	if (!rows.length) return null;
	const columns = t.columns.filter(k => lanes.includes(k.key) || /^counter:[^:]*$/.test(k.key));
	const lines = columns.map(k => ({key: k.key, title: plainly(k.title.replace(/^counter:/, "")), type: k.type, y: rows.map(r => r[k.key])}))
		.filter(l => l.y.some(v => v !== null) && l.y.some(v => v !== l.y[0]));
	lines.sort((a, b) => (lanes.indexOf(a.key) + 99) % 99 - (lanes.indexOf(b.key) + 99) % 99);
	const named = rows.some(r => r.name);
	return {title: "frames", x_title: c ? c.x_title : "frame", x_type: "count", x: rows.map(r => r.frame), labels: named ? rows.map(r => r.name) : null,
		lines: lines.slice(0, 8), marks: c && rows.every((r, i) => r.frame === c.x[i]) ? c.marks : [], limits: c ? c.limits : []};
}

// p50, p95 and p99 of each line.
export function limits(doc) {
	const t = section(doc, "table", "statistics"), out = {};
	if (!t) return out;
	for (const r of t.rows)
		for (const c of t.columns)
			if (/^p(50|95|99)$/.test(r.statistic) && typeof r[c.key] === "number" && !c.key.endsWith("_frame"))
				(out[c.key] = out[c.key] || []).push({title: r.statistic, value: r[c.key], faint: true});
	return out;
}

// Each limit is of a metric, and the values of a run are of its metric.
function runs(doc, t, frames, pick) {
	const titles = {metric: say("metric"), worst_frame: frames ? say("worst frame") : say("worst step"), worst: say("its value"), ...frames ? {} : {frames: say("time|steps")}}, all = section(doc, "table", "frames").columns;
	const metric = r => all.find(c => c.title === r.metric) || {type: "count"}, columns = t.columns.filter(c => c.key !== "capture" || t.files || t.rows.some(r => r.capture !== t.rows[0].capture));
	return new Table({...t, columns: columns.map(c => ({...c, title: titles[c.key] || c.title, type: c.key === "metric" ? "text" : c.type}))}, {pick,
		cell: (c, r) => ["limit", "worst"].includes(c.key) ? make("span", {}, format(metric(r).type, r[c.key])) : c.key === "metric" ? make("span", {}, translated(plainly(r.metric))) : null}).element;
}

// doc: has the rows of all frames.
async function one(context, frame, doc) {
	const a = await context.ask(["frames", "--frame", String(frame), "--detail", "--show-stacks", "3", ...context.filters(["frame", "time"])], true);
	const box = make("div", {}), same = section(doc, "table", "frames").rows.filter(r => r.frame === +frame).length;
	if (same > 1) box.append(make("p", {class: "hint"}, say("{0} frames have this number: what follows is of all of them.", count(same))));
	for (const s of a.doc ? a.doc.sections : []) if (s.kind === "table" && s.rows.length) box.append(panel(translated(s.title), "", new Table(s).element));
	return box;
}

const BOXES = 16, overs = ["type", "site", "file", "module", "thread"];

// How each marker, or each of another key, spreads over the frames.
async function spread(context, steps) {
	const {state: s, go, has} = context, keys = has.nested ? ["function", ...overs] : [overs[0], "function", ...overs.slice(1)], by = keys.includes(s.over) ? s.over : keys[0];
	const a = await context.ask(["frames", "--spread", "--by", by, ...steps, ...context.filters(), "-n", "500"]), t = a.doc && section(a.doc, "table", "spread");
	if (!t || !t.rows.length) return null;
	const pick = frame => has.frames && go({pick: frame});
	return panel(translated(t.title), say("a box holds the middle half of the frames, the line in it is the median; a click goes to the frame with the most"), make("div", {class: "tools"}, choice(context, "over", keys, by, say("of each"))),
		new Boxes(t, by, t.rows.slice(0, BOXES), pick).element, new Table(t, {keep: t.columns.map(c => c.key).filter(k => /^(median|max|max_frame)(_ns)?$/.test(k)), pick: r => pick(r.max_frame)}).element);
}

export async function show(context) {
	const {state: s, go, has} = context, spike = s.spike || "3x", steps = has.frames ? [] : ["--every", s.every || "10ms"];
	const cut = !!(s.frame || s.time), words = without => ["frames", ...steps, ...context.filters(without), "--spike", spike, "-n", "0"];
	// A long frame is what people look for: a limit is of durations, where these are known and nobody asks for another metric.
	const limit = make("input", {type: "text", value: spike, "aria-label": say("what a spike is"), onchange: () => go({spike: limit.value})});
	const tools = make("div", {class: "tools"}, make("label", {}, say("spikes above"), limit));
	const asked = (without, main) => {
		const by = k => context.ask(k ? [...words(without), "--sort", k] : words(without), main);
		return s.sort || !has.frames ? by(s.sort) : by("duration").catch(e => { if (e.name === "AbortError") throw e; return by(); });
	};
	if (!has.frames) {
		const step = make("input", {type: "text", value: s.every || "10ms", "aria-label": say("step of time"), onchange: () => go({every: step.value})});
		tools.append(make("label", {}, say("steps of"), step));
	}
	context.fields = panel(say("Frames"), "", tools);
	// The chart is of all frames, with the range marked; numbers and tables are of the range.
	const {doc} = await asked([], !s.pick), whole = cut ? (await asked(["frame", "time"])).doc : doc, all = whole && series(whole), rows = doc ? (section(doc, "table", "frames") || {rows: []}).rows : [];
	if (!all || cut && !rows.length) return nothing(cut ? say("Nothing is left by these filters.") : say("No frame and no step of time has a value."));
	const numbers = of => of.map(r => r.frame ?? r.step ?? null).filter(v => v !== null), x = numbers(rows), range = cut && x.length ? [x.reduce((p, v) => Math.min(p, v)), x.reduce((p, v) => Math.max(p, v))] : s.pick ? [+s.pick, +s.pick] : null;
	const title = section(doc, "table", "frames").title, total = numbers(section(whole, "table", "frames").rows).length;
	const chart = new Chart(all, {range, limits: limits(whole),
		select: has.frames ? (x, y) => go({frame: x === null ? null : x + ".." + y, pick: null}) : null, picked: x => has.frames && go({pick: x})});
	const stats = section(doc, "table", "statistics"), median = stats && stats.rows.find(r => r.statistic === "p50");
	const first = stats && stats.columns.find(c => c.key.endsWith("_frame"));
	// Of several files: whose frame it is.
	const whose = r => { const t = section(doc, "table", "frames"), k = first.key.slice(0, -"_frame".length), is = t.files && t.rows.find(x => x.frame === r[first.key] && x[k] === r[k]); return is ? " · " + t.files[is.capture - 1] : ""; };
	if (has.frames && median && first && median[first.key] !== null)
		tools.append(button(say("median frame {0}", median[first.key]) + whose(median), () => go({pick: median[first.key]})));
	const worst = stats && stats.rows.find(r => r.statistic === "max");
	if (has.frames && worst && first && worst[first.key] !== null)
		tools.append(button(say("worst frame {0}", worst[first.key]) + whose(worst), () => go({pick: worst[first.key]}), {id: "worst"}));
	if (s.pick) tools.append(button(say("this frame's sites"), () => go({view: "table", frame: s.pick + ".." + s.pick, pick: null})),
		button(say("its call tree"), () => go({view: "tree", frame: s.pick + ".." + s.pick, pick: null})),
		button(say("all frames"), () => go({pick: null})));
	const out = [panel(translated(cut ? title.replace(/^\d+ of \d+ (frame|step)s?/, (_, word) => x.length + " of " + total + " " + word + "s") : title), has.frames ? say("drag for a range, click for a frame") : "", tools, chart.element, all.marks && all.marks.length ? make("p", {class: "faint"}, has.frames ? say("shaded: runs of frames above a limit") : say("shaded: runs of steps above a limit")) : null)];
	if (s.pick && has.frames) {
		const picked = await one(context, s.pick, whole);
		out.push(picked);
		out.shown = () => picked.scrollIntoView({block: "nearest"});
	}
	const spikes = section(doc, "table", "spikes");
	if (spikes && spikes.rows.length) out.push(panel(translated(spikes.title), "", runs(doc, spikes, has.frames, r => has.frames && go({pick: r.worst_frame}))));
	if (stats) out.push(panel(translated(stats.title), say("mean, percentiles, and the frame of each"), new Table(stats).element));
	if (!s.pick) out.push(await spread(context, steps));
	out.push(panel(cut ? translated(title) : say("all frames"), "", new Table(section(doc, "table", "frames"), {main: has.frames ? "frame" : "step", ordered: true, keep: ["name", "start_ns", "duration_ns", "self_ns"], ranked: s.sort ? ranksOf(s.sort) : [], pick: r => has.frames && go({pick: r.frame})}).element));
	return out;
}
