// SPDX-License-Identifier: MIT
// Calls as bars, by thread: zoomed by the wheel, moved by a drag. What is narrower than a pixel is one
// bar with its neighbours. Beneath it the calls that took too long.
import {panel, fit} from "./parts.js";
import {make, pencil, redraws, showTip, hideTip, keeps, button} from "./dom.js";
import {format, matcher, shown} from "./format.js";
import {draw as document_, nothing} from "./document.js";

export const title = "Time line";
export const fits = has => has.nested;
const ROW = 17, DEPTH = 24;

// Chrome's events: ts and dur in µs.
function threads(events) {
	const by = new Map(), names = new Map();
	for (const e of events) {
		const id = e.pid + "/" + e.tid;
		if (e.ph === "M" && e.name === "thread_name") names.set(id, e.args.name);
		if (e.ph !== "X" && e.ph !== "B" && e.ph !== "E") continue;
		let t = by.get(id);
		if (!t) by.set(id, t = {id, calls: [], open: [], deepest: 0});
		if (e.ph === "E") {
			const c = t.open.pop();
			if (c) c.end = e.ts;
			continue;
		}
		while (e.ph === "X" && t.open.length && t.open[t.open.length - 1].end <= e.ts) t.open.pop();
		const c = {name: e.name, from: e.ts, end: e.ph === "X" ? e.ts + (e.dur || 0) : Infinity, level: t.open.length};
		t.calls.push(c);
		t.open.push(c);
		t.deepest = Math.max(t.deepest, c.level);
	}
	for (const [id, t] of by) t.name = names.get(id) || say("thread {0}", id.split("/")[1]);
	return [...by.values()];
}

class Timeline {
	constructor(list, options) {
		this.list = list;
		this.o = options;
		this.low = Infinity;
		this.high = -Infinity;
		for (const t of list) for (const c of t.calls) {
			this.low = Math.min(this.low, c.from);
			if (c.end < Infinity) this.high = Math.max(this.high, c.end);
			else this.high = Math.max(this.high, c.from);
		}
		this.from = this.low;
		this.to = this.high;
		this.canvas = make("canvas", {tabindex: 0, role: "img", "aria-label": say("calls by thread: + and - zoom, arrow keys move, Escape shows all")});
		this.canvas.addEventListener("wheel", e => this.wheel(e), {passive: false});
		this.canvas.onmousedown = e => { this.grip = {x: e.clientX, from: this.from, to: this.to}; };
		this.canvas.onmousemove = e => this.move(e);
		this.canvas.onmouseleave = () => { hideTip(); this.grip = null; };
		this.canvas.onmouseup = e => { const g = this.grip; this.grip = null; if (g && Math.abs(e.clientX - g.x) < 3) { const c = this.hit(e); if (c) options.pick(c); } };
		this.canvas.ondblclick = () => this.show(this.low, this.high);
		this.canvas.onkeydown = e => this.key(e);
		this.search = make("input", {type: "search", placeholder: say("search"), "aria-label": say("search in the calls"), oninput: () => { this.match = this.search.value ? matcher(this.search.value) : null; this.draw(); }});
		this.say = make("span", {class: "faint", "aria-live": "polite"});
		this.box = make("div", {class: "stack"}, this.canvas);
		redraws(this.box, () => this.draw());
		this.element = keeps(make("div", {}, make("div", {class: "tools"}, this.search, button(say("all"), () => this.show(this.low, this.high)), this.say), this.box), this);
	}

	keep() {
		return {range: this.from > this.low || this.to < this.high ? [this.from, this.to] : null, search: this.search.value, top: this.box.scrollTop};
	}

	take(k) {
		this.search.value = k.search;
		this.match = k.search ? matcher(k.search) : null;
		if (k.range) this.show(...k.range);
		this.box.scrollTop = k.top;
	}

	show(from, to) {
		const least = 0.01;
		this.from = Math.max(this.low, from);
		this.to = Math.min(this.high, Math.max(to, this.from + least));
		this.draw();
	}

	wheel(event) {
		event.preventDefault();
		const r = this.canvas.getBoundingClientRect(), at = this.from + (event.clientX - r.left) / r.width * (this.to - this.from), f = event.deltaY > 0 ? 1.25 : 0.8;
		this.show(at - (at - this.from) * f, at + (this.to - at) * f);
	}

	key(event) {
		const w = this.to - this.from, mid = (this.from + this.to) / 2;
		if (event.key === "+") this.show(mid - w / 4, mid + w / 4);
		else if (event.key === "-") this.show(mid - w, mid + w);
		else if (event.key === "ArrowLeft") this.show(this.from - w / 5, this.to - w / 5);
		else if (event.key === "ArrowRight") this.show(this.from + w / 5, this.to + w / 5);
		else if (event.key === "Escape") this.show(this.low, this.high);
		else return;
		event.preventDefault();
	}

	move(event) {
		if (this.grip && event.buttons) {
			const r = this.canvas.getBoundingClientRect(), d = (this.grip.x - event.clientX) / r.width * (this.grip.to - this.grip.from);
			return this.show(this.grip.from + d, this.grip.to + d);
		}
		const c = this.hit(event);
		if (!c) return hideTip();
		showTip(event, c.name, [format("ns", (Math.min(c.end, this.high) - c.from) * 1000) + (c.end === Infinity ? say(", not ended") : ""), say("at {0}", format("ns", c.from * 1000))]);
	}

	hit(event) {
		const r = this.canvas.getBoundingClientRect(), x = event.clientX - r.left, y = event.clientY - r.top;
		return (this.placed || []).find(p => y >= p.y && y < p.y + ROW - 1 && x >= p.x && x < p.x + Math.max(2, p.w))?.c;
	}

	draw() {
		if (!this.canvas.isConnected) return;
		const high = this.list.reduce((h, t) => h + 20 + (Math.min(t.deepest, DEPTH) + 1) * ROW + 6, 18), {g, w, get} = pencil(this.canvas, high), scale = w / (this.to - this.from || 1);
		let top = 18;
		g.font = "11px " + get("--mono");
		g.textBaseline = "middle";
		this.placed = [];
		g.fillStyle = get("--faint");
		for (let k = 0; k <= 4; k++) {
			g.textAlign = k === 4 ? "right" : k ? "center" : "left";
			g.fillText(format("ns", (this.from + (this.to - this.from) * k / 4) * 1000), w * k / 4, 8);
		}
		g.textAlign = "left";
		const light = get("--flame-light"), ink = get("--on-flame");
		for (const t of this.list) {
			g.fillStyle = get("--text");
			g.fillText(shown(t.name), 3, top + 9);
			top += 20;
			const last = new Float64Array(DEPTH + 1).fill(-1);
			for (const c of t.calls) {
				if (c.end < this.from || c.level > DEPTH) continue;
				if (c.from > this.to) break;
				const x = Math.max(0, (c.from - this.from) * scale), end = Math.min(w, (Math.min(c.end, this.high) - this.from) * scale), wide = end - x;
				if (end < last[c.level] + 1 && wide < 1) continue;
				last[c.level] = end;
				let h = 0;
				for (let k = 0; k < c.name.length; k++) h = (h * 31 + c.name.charCodeAt(k)) >>> 0;
				const y = top + c.level * ROW;
				g.fillStyle = this.match && this.match(c.name) ? "#c23bc2" : this.o.limit && (c.end - c.from) * 1000 > this.o.limit ? `hsl(4 75% ${light})` : `hsl(${190 + h % 60} ${35 + h % 25}% ${light})`;
				g.fillRect(x, y, Math.max(1, wide - 0.5), ROW - 1);
				if (wide > 3) this.placed.push({c, x, y, w: wide});
				if (wide > 30) {
					g.fillStyle = ink;
					g.fillText(fit(g, shown(c.name), wide - 6, 6.7), x + 3, y + ROW / 2);
				}
			}
			top += (Math.min(t.deepest, DEPTH) + 1) * ROW + 6;
		}
		this.say.textContent = say("{0} of {1}", format("ns", (this.to - this.from) * 1000), format("ns", (this.high - this.low) * 1000));
	}
}

export async function show(context) {
	const {state: s, go} = context;
	const spikes = await context.ask(["spikes", "--threshold", s.threshold || "1ms", ...context.filters()], true);
	const limit = make("input", {type: "text", value: s.threshold || "1ms", "aria-label": say("what a call may take"), onchange: () => go({threshold: limit.value})});
	const out = [panel(say("thread|Calls"), "", make("div", {class: "tools"}, make("label", {}, say("a call may take"), limit)))];
	const a = await context.ask(["export", "--as", "chrome"]).catch(e => { if (e.name === "AbortError") throw e; return {error: e.message}; });
	const events = a.doc && (a.doc.traceEvents || a.doc);
	if (events && events.length) {
		const units = {ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9}, m = /^([\d.]+)(ns|us|µs|ms|s)$/.exec(s.threshold || "1ms");
		const t = new Timeline(threads(events), {limit: m ? m[1] * units[m[2]] : 0, pick: c => go({view: "callers", peek: c.name})});
		out.push(panel(say("by thread"), say("the wheel zooms, a drag moves, a click shows the callers; red took longer than it may"), t.element));
		out.shown = () => t.draw();
	} else out.push(nothing(a.error || say("No call has a begin and an end.")));
	const shown = out.shown;
	if (spikes.doc) out.push(...document_(spikes.doc, {table: {pick: r => r.function && go({view: "callers", peek: r.function})}}));
	out.shown = shown;
	return out;
}
