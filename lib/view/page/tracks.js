// SPDX-License-Identifier: MIT
// What is drawn along the axis of time, a track each: {id, title, height, draw(g, axis, h, get), now(t), tip(t, y)}.
// Where more than one value falls on a pixel, the largest is drawn, so that no spike is lost.
import {Levels, lower} from "./axis.js";
import {format, count, some, shown, matcher} from "./format.js";
import {kindOf} from "./flame.js";
import {named, fit, fitName, place, tenths} from "./parts.js";
import {make} from "./dom.js";

export const BUDGETS = {"30": 1e9 / 30, "60": 1e9 / 60, "90": 1e9 / 90, "120": 1e9 / 120};
// Of a display of 60 Hz, unless a limit is given: what tracemill-table(5) counts as missed, and what is over the budget.
export const missed = (ns, limit = BUDGETS["60"]) => Math.max(0, Math.round(ns / limit) - 1);
export const late = (ns, limit = BUDGETS["60"]) => ns > limit * 1.05;
// The budget that fits the frames, where none is chosen and there are enough: 30 Hz where half of them are over that of 60 Hz,
// and 120 or 90 Hz where half of them take what a display of that rate gives them.
const ENOUGH = 30;
export function rateOf(cost, hz) {
	const known = cost.filter(v => v !== null), paced = k => known.filter(v => Math.abs(v - BUDGETS[k]) <= BUDGETS[k] * .05).length * 2 >= known.length;
	return BUDGETS[hz] ? hz : known.length < ENOUGH ? "60" : late(percentile(known, 50)) ? "30" : ["120", "90"].find(paced) || "60";
}
// What the eye is to find: over the budget, and more than a quarter longer than half of the frames are.
const JANK = 1.25;
// By nearest rank, as tm-frames has it.
export const percentile = (values, p) => values.length ? values.slice().sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * p / 100) - 1)] : 0;
export const refreshes = (ns, limit = BUDGETS["60"]) => say("{0} refreshes of {1} Hz, rounded to {2}: {3} missed", (ns / limit).toFixed(2), Math.round(1e9 / limit), Math.round(ns / limit), missed(ns, limit)) +
	(late(ns, limit) && !missed(ns, limit) ? say("; late, as it takes {0} more than one", tenths(format("ns", ns - limit))) : "");

const TONES = ["--o1", "--o2", "--o3", "--o4", "--o5", "--o6", "--o7"];
export const tone = i => TONES[Math.min(i, 6)];

// What is to be read is drawn last: a veil over what is not selected does not dim it.
const over = (axis, f) => axis.over ? axis.over.push(f) : f();

// A text on a ground of its own, so that what is below does not run through it.
const label = (g, text, x, y, get, color) => {
	g.globalAlpha = .85;
	g.fillStyle = get("--panel");
	g.fillRect(x - 3, y - 7, g.measureText(text).width + 6, 14);
	g.globalAlpha = 1;
	g.fillStyle = get(color);
	g.fillText(text, x, y);
};

const scale = (g, text, axis, y, get) => over(axis, () => {
	const wide = g.measureText(text).width + 8, w = axis.width;
	g.globalAlpha = .9;
	g.fillStyle = get("--panel");
	g.fillRect(w - wide, y - 8, wide, 15);
	g.globalAlpha = 1;
	g.fillStyle = get("--ink2");
	g.textAlign = "right";
	g.fillText(text, w - 4, y);
	g.textAlign = "left";
});

const line = (g, y, w, color, dashed) => {
	g.strokeStyle = color;
	g.setLineDash(dashed ? [3, 3] : []);
	g.beginPath(); g.moveTo(0, Math.round(y) + .5); g.lineTo(w, Math.round(y) + .5); g.stroke();
	g.setLineDash([]);
};

// Calls f(x, width, value, from, to) for each bar of [start, end) that is in view, or for each pixel where there are more.
function bars(axis, start, end, levels, values, f) {
	const a = Math.max(0, lower(start, axis.from) - 1), b = lower(start, axis.to);
	if (b - a <= axis.width / 2) {
		for (let i = a; i < b; i++)
			if (values[i] !== null && end[i] > axis.from) f(axis.x(start[i]), axis.x(end[i]) - axis.x(start[i]), values[i], i, i + 1);
		return;
	}
	let i = a;
	for (let px = 0; px < axis.width; px++) {
		const until = axis.t(px + 1);
		let j = i;
		if (b - i > 64) { j = lower(start, until); if (j > b) j = b; if (j < i) j = i; } else while (j < b && start[j] < until) j++;
		if (j > i) {
			const m = levels.max(i, j);
			if (m > -Infinity) f(px, 1, m, i, j);
		}
		i = j;
	}
}

// Frames: as wide as their time, as high as their cost.
export class Frames {
	constructor(model, budget) {
		Object.assign(this, {id: "frames", title: say("Frames"), height: 76, m: model});
		this.levels = new Levels(model.cost);
		const known = Float64Array.from(model.cost.filter(v => v !== null));
		this.median = percentile(known, 50);
		this.p99 = percentile(known, 99);
		this.high = Math.max(this.p99 * 1.3, Math.min(this.levels.most * 1.05, this.p99 * 3), this.median * 2, 1);
		this.hz = rateOf(model.cost, budget);
		this.fitted = !BUDGETS[budget] && this.hz !== "60";
		this.limit = BUDGETS[this.hz];
		this.steps = [this.limit, 2 * this.limit];
		this.over = this.m.cost.map((v, i) => v !== null && this.janks(v) ? i : -1).filter(i => i >= 0);
	}

	janks(v) { return late(v, this.limit) && v > this.median * JANK; }

	color(v, get) {
		return !this.janks(v) ? get("--own") : this.missed(v) > 1 ? get("--bad-fill") : get("--o4");
	}

	missed(v) { return missed(v, this.limit); }

	// A frame's time, with a sign where it janks.
	verdict(v) {
		const bad = this.missed(v) > 1, jank = this.janks(v);
		return make("span", {class: "tag" + (jank ? bad ? " up" : " warn" : "")}, (jank ? bad ? "✕ " : "! " : "") + format("ns", v));
	}

	draw(g, axis, h, get) {
		// Frames that are far below the budget have a scale of their own.
		const high = this.high * 8 < this.limit ? this.high : Math.max(this.high, this.limit * 1.15), y = v => h - Math.min(1, v / high) * (h - 14), w = axis.width, names = [], torn = [];
		bars(axis, this.m.start, this.m.end, this.levels, this.m.cost, (x, wide, v, i, j) => {
			g.fillStyle = this.color(v, get);
			const gap = wide > 3 ? 1 : 0;
			g.fillRect(x, y(v), Math.max(1, wide - gap), h - y(v));
			if (v > high) torn.push([x, Math.max(1, wide - gap)]);
			if (v > this.limit * 1.5 && this.janks(v)) names.push([v, x + wide, i, j]);
		});
		// What is higher than the scale is torn below its top.
		g.strokeStyle = get("--panel");
		g.lineWidth = 2;
		for (const [x, wide] of axis.map ? [] : torn) for (const at of [22, 27]) {
			g.beginPath();
			for (let k = 0, n = Math.max(2, Math.round(wide / 4)); k <= n; k++) g.lineTo(x + wide * k / n, at + (k % 2 ? -2 : 2));
			g.stroke();
		}
		g.lineWidth = 1;
		const steps = this.steps.filter(s => s <= high);
		for (const s of steps) line(g, y(s), w, get(s > this.limit ? "--bad" : "--faint"), true);
		if (axis.map) return;
		// The budget has its label in any case, a line near it none.
		let said = Infinity;
		for (const s of steps.length ? steps : [high]) {
			const at = y(s) - 7 < 8 ? y(s) + 9 : y(s) - 7;
			if (said - at < 15) continue;
			scale(g, tenths(format("ns", s)), axis, said = at, get);
		}
		// The worst have their number and time beside them, where there is room.
		const taken = [];
		for (const [v, x, i, j] of names.sort((a, b) => b[0] - a[0]).slice(0, 12)) {
			let worst = i;
			for (let k = i; k < j; k++) if (this.m.cost[k] > this.m.cost[worst]) worst = k;
			const text = "▼ " + (this.m.number[worst] ?? "") + " · " + format("ns", v), wide = g.measureText(text).width + 8, to = x + wide + 70 > w ? x - wide - 4 : x + 3, at = v > high * .8 ? Math.max(9, y(v) + 7) : y(v) - 7;
			if (to < 0 || taken.some(([a, b, c]) => to < b && to + wide > a && Math.abs(c - at) < 15)) continue;
			taken.push([to, to + wide, at]);
			over(axis, () => {
				g.font = "600 " + g.font.replace(/^\d+ (?=\d)/, "");
				label(g, text, to, at, get, this.missed(v) > 1 ? "--bad" : "--warn");
				g.font = g.font.replace(/^600 /, "");
			});
			if (taken.length > 4) break;
		}
	}

	at(t) {
		const i = lower(this.m.start, t + 1e-6) - 1;
		return i >= 0 && i < this.m.start.length && t < this.m.end[i] + (this.m.end[i] - this.m.start[i]) * .01 ? i : -1;
	}

	now(t) {
		const i = t === null ? -1 : this.at(t);
		return i < 0 ? this.fitted ? late(this.median, this.limit) ? say("{0} Hz, budget {1}: median {2}", this.hz, tenths(format("ns", this.limit)), tenths(format("ns", this.median))) : say("{0} Hz fits: median {1}", this.hz, tenths(format("ns", this.median))) : say("{0} Hz, budget {1}", this.hz, tenths(format("ns", this.limit))) : this.m.label(i) + " · " + format("ns", this.m.cost[i]);
	}
}

// Lines one on another; a value stays until the next.
export class Area {
	constructor(id, title, height, x, lines, note) {
		Object.assign(this, {id, title, height, note});
		this.take(x, lines);
		this.type = lines[0].type;
		this.legend = lines.length > 1 ? this.named(l => l.title) : null;
	}

	// A line that is there keeps its colour.
	take(x, lines) {
		const place = new Map((this.lines || []).map((l, i) => [l.title, i])), at = l => place.get(l.title) ?? place.size;
		this.x = x;
		this.lines = lines.slice().sort((a, b) => at(a) - at(b));
		this.sum = Float64Array.from(x, (_, i) => lines.reduce((a, l) => a + Math.max(0, l.y[i] || 0), 0));
		this.levels = new Levels(this.sum);
	}

	// For a legend: the lines that are two pixels high somewhere.
	named(f) {
		const tall = this.lines.map(l => l.y.reduce((a, v) => Math.max(a, v || 0), 0) >= this.levels.most * .02);
		return this.lines.map((l, i) => [tone(l.key === "others" ? 6 : i), f(l)]).filter((_, i) => tall[i] || !tall.some(Boolean));
	}

	draw(g, axis, h, get) {
		const high = Math.max(this.levels.most, this.peak ? this.peak.value : 1) * 1.06, w = Math.ceil(axis.width), y = v => h - Math.max(0, v) / high * (h - 12), xs = [], at = [];
		// The points that are seen: at most one for each pixel, the one where the sum is largest.
		let i = Math.max(0, lower(this.x, axis.from) - 1);
		const end = Math.min(this.x.length, lower(this.x, axis.to) + 1);
		while (i < end) {
			const px = Math.floor(axis.x(this.x[i]));
			let best = i, j = i + 1;
			while (j < end && Math.floor(axis.x(this.x[j])) === px) { if (this.sum[j] > this.sum[best]) best = j; j++; }
			xs.push(axis.x(this.x[i]));
			at.push(best);
			i = j;
		}
		if (!at.length) return;
		const base = new Float64Array(at.length);
		this.lines.forEach((l, k) => {
			g.beginPath();
			const top = new Float64Array(at.length);
			for (let p = 0; p < at.length; p++) {
				top[p] = base[p] + Math.max(0, l.y[at[p]] || 0);
				const x = Math.max(-2, xs[p]);
				if (p === 0) g.moveTo(x, y(top[p]));
				else { g.lineTo(x, y(top[p - 1])); g.lineTo(x, y(top[p])); }
			}
			const last = Math.min(w + 2, axis.x(axis.high));
			g.lineTo(last, y(top[at.length - 1]));
			g.lineTo(last, y(base[at.length - 1]));
			for (let p = at.length - 1; p >= 0; p--) {
				g.lineTo(Math.max(-2, p + 1 < at.length ? xs[p + 1] : last), y(base[p]));
				g.lineTo(Math.max(-2, xs[p]), y(base[p]));
			}
			g.closePath();
			g.globalAlpha = .85;
			g.fillStyle = get(tone(l.key === "others" ? 6 : k));
			g.fill();
			g.globalAlpha = 1;
			g.strokeStyle = get("--panel");
			g.lineWidth = .8;
			g.stroke();
			g.lineWidth = 1;
			base.set(top);
		});
		if (axis.map) return;
		const ten = 10 ** Math.floor(Math.log10(high)), two = 2 ** Math.floor(Math.log2(high)), step = this.type.endsWith("bytes") ? two : ten;
		for (const v of h > 60 ? [step, step / 2] : [step]) {
			g.globalAlpha = .5;
			line(g, y(v), w, get("--line2"), false);
			g.globalAlpha = 1;
			scale(g, format(this.type, v), axis, Math.max(8, y(v)), get);
		}
		// What falls within the last pixels is no more than an edge: its value is said.
		const ends = this.sum.at(-1), edge = axis.x(axis.high), before = this.sum[Math.max(0, this.at(axis.high - (axis.high - axis.low) / 100))];
		if (edge <= w + 1 && before > ends * 1.1) over(axis, () => {
			const text = say("{0} at the end", format(this.type, ends)), wide = g.measureText(text).width, py = y(ends);
			g.fillStyle = g.strokeStyle = get("--text");
			g.beginPath(); g.arc(edge - 3, py, 3, 0, 7); g.fill();
			g.beginPath(); g.moveTo(edge - 3, py); g.lineTo(w - 80, py); g.stroke();
			label(g, text, w - wide - 84, Math.min(py, h - 8), get, "--text");
		});
		// The peak's name stands above what is drawn, with a line to it; left of the scale.
		const x = this.peak ? axis.x(this.top()) : -1;
		if (x >= 0 && x <= w) over(axis, () => {
			const text = this.peak.text, py = y(this.peak.value), wide = g.measureText(text).width, to = Math.max(4, Math.min(x - wide / 2, w - wide - 72));
			g.fillStyle = g.strokeStyle = get("--text");
			g.beginPath(); g.arc(x, py, 3, 0, 7); g.fill();
			g.beginPath(); g.moveTo(x, py); g.lineTo(Math.max(to, Math.min(to + wide + 3, x)), x > to + wide + 3 ? 7 : 13); g.stroke();
			g.fillText(text, to, 7);
		});
	}

	// Where the peak is: where most is drawn of its frame, or what was live when it began.
	top() {
		const {from, to} = this.peak, end = lower(this.x, to);
		let best = Math.max(0, this.at(from) - 1);
		for (let i = best + 1; i < end; i++) if (this.sum[i] > this.sum[best]) best = i;
		return Math.max(from, this.x[best]);
	}

	at(t) { return lower(this.x, t + 1e-6) - 1; }

	now(t) {
		const i = t === null ? -1 : this.at(t);
		return i < 0 ? this.note || "" : say("{0} at the cursor", format(this.type, this.sum[i]));
	}

	tip(t) {
		const i = this.at(t);
		const lines = i < 0 ? [] : this.lines.map((l, k) => [l.y[i] || 0, l, k]).filter(([v]) => v).reverse();
		return lines.length ? [make("div", {class: "opened"}, ...lines.flatMap(([v, l, k]) => [make("i", {class: "c" + (l.key === "others" ? 7 : Math.min(k, 6) + 1)}), make("span", {class: "file"}, labelled(named(l.title))), make("span", {class: "num"}, format(l.type, v)), make("span")]))] : [];
	}
}

// A value for each frame or step, as bars; the scale is a root where a few are far above the rest.
export class Rate {
	// marked: what the other colour says, where there may be one.
	constructor(id, title, height, m, y, type, color, note, marked) {
		Object.assign(this, {id, title, height, m, y, type, color, note});
		this.levels = new Levels(y);
		const sorted = y.filter(v => v !== null).sort((a, b) => a - b);
		this.root = this.levels.most > 8 * (sorted[Math.floor(sorted.length * .9)] || 1);
		this.usual = (sorted[Math.floor(sorted.length / 2)] || 0) * 6;
		if (marked && y.some(v => this.outlies(v))) this.note += " · " + marked;
	}

	outlies(v) { return this.root && v > this.usual && v > Math.max(this.levels.most, 1) / 4; }

	draw(g, axis, h, get) {
		const high = Math.max(this.levels.most, 1), part = v => this.root ? Math.sqrt(Math.max(0, v) / high) : Math.max(0, v) / high;
		bars(axis, this.m.start, this.m.end, this.levels, this.y, (x, wide, v) => {
			const tall = Math.max(v > 0 ? 1 : 0, part(v) * (h - 6));
			g.fillStyle = get(this.outlies(v) ? "--o4" : this.color);
			g.fillRect(x, h - tall, Math.max(1, wide - (wide > 3 ? 1 : 0)), tall);
		});
		if (!axis.map) scale(g, this.root ? say("max {0}, square-root scale", format(this.type, this.levels.most)) : say("max {0}", format(this.type, this.levels.most)), axis, 9, get);
	}

	at(t) { return lower(this.m.start, t + 1e-6) - 1; }

	now(t) {
		const i = t === null ? -1 : this.at(t);
		return i < 0 || this.y[i] === null || this.y[i] === undefined ? this.note || "" : format(this.type, this.y[i]);
	}
}

// A counter: a line.
export class Counter {
	constructor(title, m, y, type) {
		Object.assign(this, {id: "counter:" + title, title, height: 38, m, y, type});
		this.levels = new Levels(y);
		this.least = -new Levels(y.map(v => v === null ? null : -v)).most;
	}

	draw(g, axis, h, get) {
		const high = this.levels.most, low = this.least > high * .5 && high > this.least ? this.least - (high - this.least) / 5 : Math.min(0, this.least), y = v => h - 3 - (v - low) / (high - low || 1) * (h - 10);
		g.strokeStyle = get("--o2");
		g.lineWidth = 1.5;
		g.beginPath();
		let begun = false;
		bars(axis, this.m.start, this.m.end, this.levels, this.y, (x, wide, v) => {
			if (begun) g.lineTo(x, y(v));
			else g.moveTo(x, y(v));
			begun = true;
			if (wide > 1) g.lineTo(x + wide, y(v));
		});
		g.stroke();
		g.lineWidth = 1;
		scale(g, this.least < 0 ? say("min {0}, max {1}", format(this.type, this.least), format(this.type, high)) : say("max {0}", format(this.type, high)), axis, h - 9, get);
	}

	now(t) {
		const i = t === null ? -1 : lower(this.m.start, t + 1e-6) - 1;
		return i < 0 || this.y[i] === null || this.y[i] === undefined ? "" : format(this.type, this.y[i]);
	}
}

const TONE = {error: "--bad", fatal: "--bad", exception: "--bad", assert: "--bad", warning: "--warn", warn: "--warn"};

// Of a line of the log, by how severe it is.
const SIGN = ["", "! ", "✕ "];

// Lines of the log and other marks: a tick each, with its text where there is room.
export class Marks {
	constructor(id, title, rows) {
		Object.assign(this, {id, title, height: 24, rows});
		this.at = Float64Array.from(rows, r => r.time_ns);
	}

	draw(g, axis, h, get) {
		this.axis = axis;
		const a = lower(this.at, axis.from), b = lower(this.at, axis.to);
		this.seen = b - a;
		// Of those on one place the most severe is drawn, with the number of the others.
		for (let i = a, j; i < b; i = j) {
			const x = axis.x(this.at[i]), weight = r => ({"--bad": 2, "--warn": 1})[TONE[(r.level || "").toLowerCase()]] || 0;
			let r = this.rows[i];
			for (j = i + 1; j < b && axis.x(this.at[j]) - x < 3; j++) if (weight(this.rows[j]) > weight(r)) r = this.rows[j];
			const next = j < b ? axis.x(this.at[j]) : axis.width, more = j - i > 1 ? " +" + (j - i - 1) : "";
			g.fillStyle = get(TONE[(r.level || "").toLowerCase()] || "--o2");
			g.fillRect(x, 3, 2, h - 6);
			if (next - x > 40) over(axis, () => { g.fillStyle = get("--text"); g.fillText(fit(g, SIGN[weight(r)] + shown(r.text || "") + more, next - x - 10), x + 5, h / 2); });
		}
	}

	// Those within a few pixels.
	near(t) {
		const by = this.axis ? Math.abs(this.axis.t(4) - this.axis.t(0)) : 0;
		return this.rows.slice(lower(this.at, t - by), lower(this.at, t + by));
	}

	now(t) {
		const r = t === null ? [] : this.near(t);
		return r.length ? shown(r[0].text || "") : this.seen < this.rows.length ? say("{0} of {1} lines", count(this.seen), count(this.rows.length)) : some(this.rows.length, "{0} line", "{0} lines");
	}

	tip(t) { return this.near(t).slice(0, 12).map(r => format("ns", r.time_ns) + "  " + (r.level ? r.level + "  " : "") + shown(r.text || "")); }
}

export const BAR = 15, DEPTH = 24;
const THIN = 8, NAMED = 26, STRIP = 5;

// Calls of a thread as nested bars. coarse: of the whole capture; fine: of what is seen, or null. Each is {from, to, levels:
// [{start, end, rows}]}. It is as high as what is seen needs: the levels whose call is around all of that are one strip at its top, and a
// row where none has room for its name is thin if it is dense.
export class Calls {
	constructor(title, note) {
		Object.assign(this, {id: "thread:" + title, title, note, coarse: null, fine: null, open: true, around: [], lines: [], of: null});
	}

	get levels() { return (this.coarse || this.fine || {levels: []}).levels; }
	get height() { return Math.max(24, this.lines.reduce((y, l) => Math.max(y, l.y + l.high), 0) + 2); }

	// What is seen best at a place.
	parts(axis) {
		const f = this.fine, c = this.coarse, out = [];
		if (!f) return c ? [[c, axis.from, axis.to]] : [];
		if (c && f.from > axis.from) out.push([c, axis.from, f.from]);
		out.push([f, Math.max(axis.from, f.from), Math.min(axis.to, f.to)]);
		if (c && f.to < axis.to) out.push([c, f.to, axis.to]);
		return out.filter(([, a, b]) => b > a);
	}

	// The rows for what is seen. moving: none becomes less meanwhile.
	layout(axis, moving) {
		const of = [axis.from, axis.to, axis.width, this.coarse, this.fine, this.open, moving];
		if (this.of && of.every((v, i) => v === this.of[i])) return;
		this.of = of;
		const parts = this.parts(axis), slack = (axis.to - axis.from) * .02, wide = [], around = [];
		let whole = true;
		for (let k = 0; k < DEPTH && parts.some(([p]) => p.levels[k]); k++) {
			let most = -1, one = null, all = whole;
			for (const [p, from, to] of parts) {
				const l = p.levels[k] || {start: [], end: [], rows: []};
				let covers = false;
				for (let i = Math.max(0, lower(l.end, from)); i < l.start.length && l.start[i] < to; i++) {
					most = Math.max(most, (Math.min(to, l.end[i]) - Math.max(from, l.start[i])) / (axis.to - axis.from) * axis.width);
					if (l.start[i] > from + slack || l.end[i] < to - slack || l.rows[i].calls > 1) continue;
					covers = true;
					one = l.rows[i];
				}
				all = all && covers;
			}
			if (most < 0) break;
			wide.push(most);
			whole = all;
			if (all) around.push(one);
		}
		if (around.length && around.length >= wide.length) around.pop();
		if (moving && this.around.length < around.length) around.length = this.around.length;
		const before = new Map(moving ? this.lines.map(l => [l.k, l]) : []);
		this.around = around;
		this.lines = [];
		let y = around.length ? 2 + STRIP : 2;
		for (let k = around.length; k < (this.open ? Math.max(wide.length, ...before.keys(), 0) : around.length + 1); k++) {
			const high = !this.dense || wide[k] > NAMED || before.has(k) && before.get(k).high === BAR ? BAR : THIN;
			this.lines.push({k, y, high});
			y += high;
		}
	}

	draw(g, axis, h, get) {
		const ink = get("--on-flame"), colors = {own: get("--own"), engine: get("--engine"), library: get("--library"), script: get("--script")}, w = axis.width, hit = get("--hit");
		const color = r => this.match && this.match(r.function) ? hit : colors[r.kind];
		g.font = "11px " + get("--mono");
		const letter = g.measureText("m").width;
		for (const [part, from, to] of this.parts(axis)) {
			const left = axis.x(from), right = axis.x(to), found = this.around.some(r => this.match && this.match(r.function));
			// The strip has those beside what is around all, too.
			for (const l of part.levels.slice(0, this.around.length))
				for (let i = Math.max(0, lower(l.end, from)); i < l.start.length && l.start[i] < to; i++) {
					const x = Math.max(left, axis.x(l.start[i]));
					g.fillStyle = found ? hit : color(l.rows[i]);
					g.fillRect(x, 2, Math.max(1, Math.min(right, axis.x(l.end[i])) - x), STRIP - 1);
				}
			for (const {k, y, high} of this.lines) {
				const l = part.levels[k];
				if (!l) continue;
				let last = -1;
				for (let i = Math.max(0, lower(l.end, from)); i < l.start.length && l.start[i] < to; i++) {
					const x = Math.max(left, axis.x(l.start[i])), e = Math.min(right, axis.x(l.end[i])), wide = e - x;
					if (e < last + .6 && wide < 1) continue;
					last = Math.max(e, x + 1);
					const r = l.rows[i];
					g.fillStyle = color(r);
					g.fillRect(x, y, Math.max(1, wide - (wide > 3 ? 1 : 0)), high - 1);
					if (this.picked === r) { g.strokeStyle = get("--text"); g.lineWidth = 2; g.strokeRect(x + 1, y + 1, Math.max(1, wide - 3), high - 3); g.lineWidth = 1; }
					if (wide > NAMED && high === BAR) over(axis, () => {
						g.fillStyle = ink;
						const name = shown(named(r.function)), more = r.calls > 1 ? " ×" + count(r.calls) : "", room = Math.min(wide, w) - 7;
						// Two letters of a name say nothing.
						if (name.length * letter > room && room < 4 * letter) return;
						g.fillText((name.length + more.length) * letter > room ? fitName(g, name, room, letter) : name + more, x + 3, y + BAR / 2);
					});
				}
			}
		}
	}

	find(t, k) {
		for (const [part, from, to] of this.parts({from: t, to: t + 1e-3})) {
			const l = part.levels[k];
			if (!l || t < from || t > to + 1) continue;
			const i = lower(l.end, t);
			if (i < l.start.length && l.start[i] <= t) return l.rows[i];
		}
		return null;
	}

	// The calls that are open at a time, outermost first.
	stack(t) {
		const out = [];
		for (let k = 0; k < this.levels.length + 8; k++) { const r = this.find(t, k); if (!r) break; out.push(r); }
		return out;
	}

	hit(t, y) {
		if (y < 2 + STRIP) for (let k = this.around.length - 1; k >= 0; k--) { const r = this.find(t, k); if (r) return r; }
		const line = this.lines.find(l => y >= l.y && y < l.y + l.high);
		return line ? this.find(t, line.k) : null;
	}

	now(t) {
		const s = t === null ? [] : this.stack(t), last = name => name.endsWith("}::operator()") ? "{lambda}" : name.replace(/^.*::(?=\w+$)/s, ""), around = this.around.map(r => shown(last(named(r.function)))).join(" > ");
		return s.length > this.around.length ? shown(named(s[s.length - 1].function)) : [this.note, around].filter(Boolean).join(" · ");
	}

	// What is open then, the innermost first, in columns; the one under the pointer has a mark. What is around
	// all that is seen, or is far longer than the frame, tells nothing of it.
	tip(t, call, frame) {
		const all = this.stack(t), beyond = r => !frame || r.start_ns < frame[0] && r.start_ns + r.duration_ns > frame[1];
		const longer = (r, k) => beyond(r) && (k < this.around.length || frame && k + 1 < all.length && r.duration_ns > 10 * (frame[1] - frame[0]));
		let first = 0;
		while (first < all.length && all[first] !== call && longer(all[first], first)) first++;
		const rows = all.slice(first).reverse();
		return rows.length ? [make("div", {class: "opened"}, ...rows.flatMap(r => {
			return [make("i", {class: r.kind}), make("span", {class: "file" + (r === call ? " strong" : "")}, shown(named(r.function)) + (r.calls > 1 ? " ×" + count(r.calls) : "")), make("span", {class: "num"}, format("ns", r.duration_ns)), make("code", {class: "file"}, place(r.file, r.line))];
		}))] : [];
	}

	search(text) { this.match = text ? matcher(text) : null; }
}

// Own code has the colour of its module, or of its folder, where there is more than one: what is behind the second is as
// quiet as a library.
const OWN = ["own", "engine"];
const isFolder = m => !!m && m.endsWith("/");
export function shadeOf(name, at, module, modules) {
	const kind = kindOf(name, at), k = isFolder(modules[0]) ? modules.findIndex(m => (at || "").startsWith(m)) : modules.indexOf(module);
	return kind === "own" && k > 0 ? OWN[k] || "library" : kind;
}

// For a legend: of each colour what it means here.
export function kindsOf(modules, rows) {
	const has = kind => rows.some(r => shadeOf(r.function, r.file, r.module, modules) === kind), many = modules.length > 1, third = modules.length === 3 && !rows.some(r => kindOf(r.function, r.file) === "library"), word = m => isFolder(m) ? m.replace(/^.*\/(?=[^/]+\/$)/, "") : m;
	return [["own", many ? word(modules[0]) : say("own code")], ["engine", word(modules[1])], ["library", third ? word(modules[2]) : modules.length > 2 ? isFolder(modules[0]) ? say("other folders") : say("other modules") : say("library")], ["script", say("script")]].filter(([kind]) => kind === "own" || has(kind)).map(([kind, text]) => ["--" + kind, text]);
}

// Rows of `frames --bars` as threads, each with its levels.
export function threads(rows, from, to, modules) {
	const by = new Map();
	for (const r of rows) {
		r.kind = shadeOf(r.function, r.file, r.module, modules);
		const id = r.thread + (r.tid === null ? "" : "\n" + r.tid);
		let t = by.get(id);
		if (!t) by.set(id, t = {from, to, name: r.thread, tid: r.tid, levels: []});
		const l = t.levels[r.level] || (t.levels[r.level] = {start: [], end: [], rows: []});
		l.start.push(r.start_ns);
		l.end.push(r.start_ns + r.duration_ns);
		l.rows.push(r);
	}
	for (const t of by.values()) for (let k = 0; k < t.levels.length; k++) t.levels[k] = t.levels[k] || {start: [], end: [], rows: []};
	return by;
}
