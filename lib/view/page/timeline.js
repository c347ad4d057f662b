// SPDX-License-Identifier: MIT
// Tracks over one axis of time. The wheel and pinches zoom at the pointer, a drag selects what every view then shows,
// and what a zoom asks for in addition comes behind it: what is known is drawn meanwhile.
import {card, legend, none} from "./cards.js";
import {Axis, lower} from "./axis.js";
import {Frames, Area, Rate, Counter, Marks, Calls, threads, kindsOf, rateOf, percentile, BUDGETS} from "./tracks.js";
import {named as brief, segments, chain, literally, place, tail, tenths} from "./parts.js";
import {make, redraws, showTip, hideTip, button, onceAFrame} from "./dom.js";
import {format, typeOf, count, some, shown, cells, matcher} from "./format.js";
import {kindOf} from "./flame.js";
import {modulesOf} from "./modules.js";
import {section, nameOf} from "./ask.js";
import {twiceOf} from "./document.js";

export const title = "Timeline";
export const part = "Tracks";
export const named = true;
export const fits = has => has.frames || has.timed;
// What changes in the address without a new question.
export const light = ["zoom"];
const LOW = {frames: 64, live: 88, rate: 28, log: 22, counter: 28};
const MOST_FILES = 4, UNFOLDED = 8, ROWS = 20000, PIXELS = 1500;

export const nice = ns => { const ten = 10 ** Math.floor(Math.log10(Math.max(1, ns))); return Math.max(1, Math.round([1, 2, 5, 10].map(k => k * ten).find(k => k >= ns))); };

export class Timeline {
	// o: m (rows along the axis), tracks, selected [from, to] or null, select(from, to or null), zoom [from, to] or null,
	// zoomed(from, to), pick(call), detail(from, to, every): more of the calls; strip: a part of another view; dense: low
	// tracks, and legends in two columns.
	constructor(o) {
		this.o = o;
		this.m = o.m;
		this.tracks = o.tracks;
		this.axis = new Axis(o.m.low, o.m.high, o.m.unit, () => this.moved());
		if (o.zoom) [this.axis.from, this.axis.to] = this.axis.bounded(...o.zoom);
		this.cursor = null;
		this.element = this.build();
		this.draw = onceAFrame(() => this.drawNow());
		// What is drawn already is not drawn again only because it has come into the page.
		redraws(this.element, () => { if (this.drawn === this.state()) return; this.palette = null; this.drawNow(); });
	}

	build() {
		this.two = !!this.o.dense && innerWidth > 1180;
		const row = (t, kind) => {
			t.canvas = make("canvas", {"aria-hidden": "true"});
			t.say = make("div", {class: "now"});
			if (t.legend && !this.o.strip) t.height = Math.max(t.height, this.two ? 42 + 14 * Math.ceil(t.legend.length / 2) : 46 + 15 * t.legend.length);
			const fold = t.foldable ? () => { t.open = !t.open; t.name.firstChild.textContent = t.open ? "▾" : "▸"; this.drawNow(); } : null;
			t.name = make(fold ? "button" : "div", {class: "name", type: fold ? "button" : null, onclick: fold, title: t.about || t.title}, fold ? make("span", {class: "fold"}, t.open ? "▾" : "▸") : "", make("span", {class: "one file"}, t.title));
			return t.row = make("div", {class: "track" + (kind ? " " + kind : "")}, make("div", {}, t.name, t.say, t.legend && !this.o.strip ? legend(t.legend, true) : null), t.canvas);
		};
		this.map = {id: "map", title: this.m.span, height: 44, now: () => say("drag to zoom")};
		this.ruler = {id: "ruler", title: "", height: 22};
		this.body = make("div", {class: "tracks"}, ...this.tracks.map(t => row(t)));
		this.line = make("div", {class: "cursor"});
		// The names of the largest legend, whole, where there is room.
		const letters = Math.max(0, ...this.tracks.flatMap(t => t.legend && !this.o.strip ? t.legend.map(([, text]) => cells(text)) : []));
		const parts = this.o.strip ? [this.body, row(this.ruler)] : [row(this.map, "map"), row(this.ruler), this.body];
		const e = make("div", {class: "timeline", tabindex: 0, role: "group", "aria-label": say("tracks: W and S zoom, A and D move, F fits the selection, Escape clears it"), onkeydown: k => this.key(k), onscroll: () => this.draw()}, ...parts, this.line);
		if (letters) e.style.setProperty("--names", "min(" + Math.max(172, Math.min(250, Math.round(letters * 7) * (this.two ? 2 : 1) + 42)) + "px, 30vw)");
		e.classList.toggle("dense", this.two);
		this.body.onscroll = () => this.draw();
		for (const t of [...this.tracks, this.ruler]) this.listen(t);
		// What was out of sight is drawn when it comes into sight, whatever scrolls it there.
		const watch = new IntersectionObserver(seen => { if (seen.some(x => x.isIntersecting && this.tracks.some(t => t.row === x.target && t.stale))) this.draw(); }, {rootMargin: "100px"});
		for (const t of this.tracks) watch.observe(t.row);
		if (!this.o.strip) this.listenMap();
		return e;
	}

	x(event) {
		const r = this.ruler.canvas.getBoundingClientRect();
		return Math.max(0, Math.min(r.width, event.clientX - r.left));
	}

	listen(t) {
		const c = t.canvas;
		c.addEventListener("wheel", e => {
			if (this.o.strip && !e.ctrlKey && !e.shiftKey) return; // the page scrolls
			e.preventDefault();
			if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.axis.pan((e.deltaX || e.deltaY) / 800);
			else this.axis.zoom(this.axis.t(this.x(e)), Math.exp(Math.max(-240, Math.min(240, e.deltaY * (e.deltaMode ? 30 : 1))) * .0022));
		}, {passive: false});
		c.onpointerdown = e => {
			if (e.button !== 0) return;
			c.setPointerCapture(e.pointerId);
			this.grip = {x: this.x(e), t: this.axis.t(this.x(e)), track: t, moved: false};
			this.element.focus({preventScroll: true});
			e.preventDefault();
		};
		c.onpointermove = e => this.move(e, t);
		c.onpointerup = e => {
			const g = this.grip;
			this.grip = null;
			if (!g) return;
			if (g.moved) this.choose(g.t, this.axis.t(this.x(e)));
			else this.click(e, t);
		};
		c.onpointercancel = () => { this.grip = null; this.draw(); };
		c.onpointerleave = () => { if (!this.grip) { hideTip(); this.cursor = null; this.draw(); } };
		c.ondblclick = e => this.into(e, t);
	}

	listenMap() {
		const c = this.map.canvas, axis = this.axis, t = e => { const r = c.getBoundingClientRect(); return axis.low + (e.clientX - r.left) / r.width * (axis.high - axis.low); };
		c.onpointerdown = e => { c.setPointerCapture(e.pointerId); this.grab = {t: t(e), from: axis.from, to: axis.to, inside: !axis.whole() && t(e) >= axis.from && t(e) <= axis.to}; };
		c.onpointermove = e => {
			const g = this.grab;
			if (!g) return;
			const d = t(e) - g.t;
			if (g.inside) axis.set(g.from + d, g.to + d);
			else if (Math.abs(d) > (axis.high - axis.low) / 200) axis.set(Math.min(g.t, t(e)), Math.max(g.t, t(e)));
		};
		c.onpointerup = e => { const g = this.grab; this.grab = null; if (g && !g.inside && axis.whole() === false && Math.abs(t(e) - g.t) < (axis.high - axis.low) / 200) { const w = axis.to - axis.from; axis.glide(t(e) - w / 2, t(e) + w / 2); } };
		c.ondblclick = () => axis.glide(axis.low, axis.high);
		c.addEventListener("wheel", e => { e.preventDefault(); axis.zoom(t(e), Math.exp(e.deltaY * .0022)); }, {passive: false});
	}

	// To the edges of frames, where there are any.
	choose(a, b) {
		[a, b] = [Math.min(a, b), Math.max(a, b)];
		if (this.o.select) this.o.select(a, b);
	}

	click(event, t) {
		const at = this.axis.t(this.x(event)), call = t.hit && t.hit(at, event.offsetY);
		for (const o of this.tracks) if (o.picked) o.picked = null;
		if (call) { t.picked = call; if (this.o.pick) this.o.pick(call); }
		else if (t.id === "frames" && this.o.frame) { const i = t.at(at); if (i >= 0) this.o.frame(i); }
		this.draw();
	}

	into(event, t) {
		const at = this.axis.t(this.x(event)), call = t.hit && t.hit(at, event.offsetY);
		if (call) return this.axis.glide(call.start_ns - call.duration_ns * .1, call.start_ns + call.duration_ns * 1.1);
		const i = lower(this.m.start, at + 1e-6) - 1;
		if (i < 0) return;
		const w = this.m.end[i] - this.m.start[i];
		this.axis.glide(this.m.start[i] - w * .5, this.m.end[i] + w * .5);
	}

	move(event, t) {
		const x = this.x(event), at = this.axis.t(x);
		this.cursor = at;
		if (this.grip) {
			this.grip.moved = this.grip.moved || Math.abs(x - this.grip.x) > 3;
			this.draw();
			return hideTip();
		}
		this.draw();
		clearTimeout(this.hint);
		const show = () => {
			const i = lower(this.m.start, at + 1e-6) - 1, inside = i >= 0 && at <= this.m.end[i], lines = inside ? this.m.about(i) : [], frame = inside && this.m.framed ? [this.m.start[i], this.m.end[i]] : null;
			const call = t.hit && t.hit(at, event.offsetY), frames = inside && this.tracks.find(o => o instanceof Frames), cost = frames ? this.m.cost[i] : null;
			const more = t.tip ? t.tip(at, call, frame) : [], name = i >= 0 ? this.m.label(i) : this.axis.label(at, (this.axis.to - this.axis.from) / 100);
			if (!this.element.isConnected || this.cursor !== at) return;
			const when = say("at {0}", this.m.unit === "ns" ? this.axis.label(at, this.axis.ticks().step, 2) : count(Math.round(at)));
			const head = make("span", {class: "tip-head"}, name, cost === null ? null : frames.verdict(cost), make("span", {class: "faint"}, when));
			this.beside(showTip(event, head, [lines.length ? make("div", {}, lines.join(" · ")) : null, ...more].filter(Boolean)), t, i, frame);
		};
		this.hint = setTimeout(show, 80);
	}

	// A frame, those over the budget that stand with it, and more at each side: what is compared with it.
	around(i, more) {
		const f = this.tracks.find(t => t instanceof Frames), janks = k => f && this.m.cost[k] !== null && f.janks(this.m.cost[k]), last = this.m.start.length - 1, far = 12;
		let a = i, b = i;
		while (a > 0 && i - a < far && janks(a - 1)) a--;
		while (b < last && b - i < far && janks(b + 1)) b++;
		return [this.m.start[Math.max(0, a - more)], this.m.end[Math.min(last, b + more)]];
	}

	// The hint stands below the track under the pointer, and covers no frame near that of the pointer, nor what came before: it is
	// at the right of them where there is room; else below all tracks, at the left of them, or beside the frame or the pointer.
	beside(tip, t, i, frame) {
		const c = this.ruler.canvas.getBoundingClientRect(), r = tip.getBoundingClientRect(), all = this.element.getBoundingClientRect(), at = v => Math.max(c.left, Math.min(c.right, c.left + this.axis.x(v)));
		const cursor = at(this.cursor), near = frame ? this.around(i, 2).map(at) : [cursor, cursor], right = b => b + r.width + 20 <= innerWidth ? b + 12 : null, left = (a, least) => a - r.width - 12 >= least ? a - r.width - 12 : null;
		let x = right(near[1]) ?? (frame ? right(at(this.around(i, 0)[1])) : null), below = t.row.getBoundingClientRect().bottom + 4, y = Math.min(Math.min(innerHeight, all.bottom) - r.height - 4, below);
		// Of a low track it goes on below all tracks, and not up over it.
		if (y < below && below + r.height + 4 <= innerHeight) y = below;
		y = Math.max(4, y);
		if (x === null && frame && all.bottom + r.height + 8 <= innerHeight) [x, y] = [Math.max(4, Math.min(innerWidth - r.width - 8, cursor - r.width / 2)), all.bottom + 4];
		const [a, b] = frame ? frame.map(at) : near;
		tip.style.left = (x ?? left(near[0], c.left) ?? right(b) ?? left(a, 4) ?? right(cursor) ?? left(cursor, 4) ?? Math.max(4, innerWidth - r.width - 8)) + "px";
		tip.style.top = y + "px";
	}

	key(event) {
		if (event.ctrlKey || event.altKey || event.metaKey || event.target !== this.element) return;
		const axis = this.axis, at = this.cursor ?? (axis.from + axis.to) / 2, k = event.key.toLowerCase();
		if (k === "w" || k === "+") axis.zoom(at, .7);
		else if (k === "s" || k === "-") axis.zoom(at, 1 / .7);
		else if (k === "a" || k === "arrowleft") axis.pan(-.15);
		else if (k === "d" || k === "arrowright") axis.pan(.15);
		else if (k === "home") axis.glide(axis.low, axis.high);
		else if (k === "f") { const s = this.o.selected; if (s) axis.glide(s[0] - (s[1] - s[0]) * .1, s[1] + (s[1] - s[0]) * .1); else axis.glide(axis.low, axis.high); }
		else if (k === "escape") { if (this.grip) this.grip = null; else if (this.o.select) this.o.select(null); this.draw(); }
		else if (k === "n") this.jank(event.shiftKey ? -1 : 1);
		else return;
		event.preventDefault();
	}

	// To the next frame over the budget, and selects it: from the selection on, or from the edge of what is seen.
	jank(step) {
		const f = this.tracks.find(t => t.id === "frames");
		if (!f || !f.over || !f.over.length) return;
		const {start, end} = this.m, list = f.over, [a, b] = this.o.selected || (step > 0 ? [0, this.axis.from] : [this.axis.to, 0]);
		const at = this.janked !== undefined ? this.janked + step : step > 0 ? list.findIndex(i => start[i] >= b - 1) : list.findLastIndex(i => end[i] <= a + 1);
		this.janked = (Math.max(at, step > 0 ? 0 : -1) + list.length) % list.length;
		const i = list[this.janked], w = Math.max(end[i] - start[i], f.limit);
		this.axis.glide(start[i] - 4 * w, end[i] + 4 * w);
		this.cursor = (start[i] + end[i]) / 2;
		if (this.o.reached) this.o.reached(i, this.axis.bounded(start[i] - 4 * w, end[i] + 4 * w));
	}

	// Calls of functions with this text, in the order of time: of what is drawn of the whole capture.
	find(text) {
		const matches = text ? matcher(text) : null;
		for (const t of this.tracks) if (t.search) t.search(text);
		this.hits = matches ? this.tracks.filter(t => t.coarse).flatMap(t => t.coarse.levels.flatMap(l => l.rows.filter(r => matches(r.function)).map(r => [r, t]))).sort(([a], [b]) => a.start_ns - b.start_ns) : [];
		this.hit = -1;
		this.draw();
		return text ? this.hits.length ? some(this.hits.length, "{0} hit", "{0} hits") : say("no hits") : "";
	}

	// To the next hit, which is picked, and in sight.
	next(step) {
		const n = (this.hits || []).length;
		if (!n) return say("no hits");
		this.hit = this.hit < 0 && step < 0 ? n - 1 : (this.hit + step + n) % n;
		const [r, t] = this.hits[this.hit], {axis} = this, from = r.start_ns, to = from + r.duration_ns;
		for (const o of this.tracks) if (o.picked) o.picked = null;
		t.picked = r;
		t.open = true;
		if (t.name.firstChild.nodeType === 1 && t.foldable) t.name.firstChild.textContent = "▾";
		t.row.scrollIntoView({block: "nearest"});
		this.cursor = (from + to) / 2;
		const few = axis.x(to) - axis.x(from) < 40, wide = few ? Math.max(to - from, (axis.to - axis.from) / 50) * 5 : axis.to - axis.from;
		if (few || to < axis.from || from > axis.to) axis.glide(this.cursor - wide / 2, this.cursor + wide / 2);
		this.draw();
		return say("{0} of {1} hits", count(this.hit + 1), count(n));
	}

	moved() {
		this.moving = true;
		this.draw();
		clearTimeout(this.settling);
		this.settling = setTimeout(() => {
			if (!this.element.isConnected) return;
			this.moving = false;
			this.draw();
			const a = this.axis;
			if (this.o.zoomed) this.o.zoomed(a.whole() ? null : a.from, a.to);
			this.refine();
		}, 160);
	}

	refine() {
		if (this.o.detail) this.o.detail(this.axis.from, this.axis.to);
		for (const t of this.tracks) if (t.finer && !this.o.strip && !this.axis.whole()) t.finer(this.axis.from, this.axis.to).then(more => { if (more) this.draw(); });
	}

	// A canvas as sharp as the screen is, and empty.
	brush(canvas, height) {
		const dpr = devicePixelRatio || 1, w = this.width;
		const W = Math.round(w * dpr), H = Math.round(height * dpr), g = canvas.getContext("2d");
		if (canvas.width !== W || canvas.height !== H) {
			canvas.style.height = height + "px";
			canvas.width = W;
			canvas.height = H;
		} else {
			g.setTransform(1, 0, 0, 1, 0, 0);
			g.clearRect(0, 0, W, H);
		}
		g.setTransform(dpr, 0, 0, dpr, 0, 0);
		g.font = "11px " + this.get("--sans");
		g.textBaseline = "middle";
		g.textAlign = "left";
		return g;
	}

	get(name) {
		if (!this.palette) { this.palette = new Map(); this.css = getComputedStyle(document.documentElement); }
		let v = this.palette.get(name);
		if (v === undefined) this.palette.set(name, v = this.css.getPropertyValue(name).trim());
		return v;
	}

	state() { return [this.ruler.canvas.clientWidth, innerHeight, document.documentElement.dataset.theme].join(); }

	drawNow() {
		if (!this.element.isConnected) return;
		this.drawn = this.state();
		const axis = this.axis, get = n => this.get(n), c = this.ruler.canvas;
		this.width = axis.width = c.clientWidth || 600;
		const range = this.grip && this.grip.moved && this.cursor !== null ? [Math.min(this.grip.t, this.cursor), Math.max(this.grip.t, this.cursor)] : this.o.selected;
		const ticks = axis.ticks();
		const g = this.brush(c, this.ruler.height);
		g.fillStyle = get("--faint");
		for (const t of ticks.at) {
			const x = axis.x(t);
			g.fillRect(Math.round(x), 17, 1, 5);
			if (x < this.width - 40) g.fillText(axis.label(t, ticks.step), Math.round(x) + 4, 10);
		}
		this.ruler.say.textContent = axis.whole() ? "" : say("zoom {0} ×", ((axis.high - axis.low) / (axis.to - axis.from)).toFixed(1));
		const view = this.element.getBoundingClientRect(), low = Math.max(0, view.top), high = innerHeight;
		for (const t of this.tracks) {
			if (t.layout) t.layout(axis, this.moving);
			if (t.canvas.style.height !== t.height + "px") t.canvas.style.height = t.height + "px";
			t.row.classList.toggle("low", t.height < 38);
		}
		// A canvas without a height is far higher than its track, and what is below it is not where it will be.
		if (!this.o.strip) this.map.canvas.style.height = this.map.height + "px";
		for (const t of this.tracks) {
			const r = t.row.getBoundingClientRect();
			t.stale = r.bottom < low - 100 || r.top > high + 100;
			if (t.stale) continue;
			const p = this.brush(t.canvas, t.height);
			axis.over = [];
			t.draw(p, axis, t.height, get);
			if (range) {
				const a = Math.max(0, axis.x(range[0])), b = Math.min(this.width, axis.x(range[1]));
				p.globalAlpha = .62;
				p.fillStyle = get("--panel");
				if (a > 0) p.fillRect(0, 0, Math.min(a, this.width), t.height);
				if (b < this.width) p.fillRect(Math.max(0, b), 0, this.width - Math.max(0, b), t.height);
				p.globalAlpha = 1;
				p.fillStyle = get("--accent");
				if (a > 0 && a < this.width) p.fillRect(a, 0, 1, t.height);
				if (b > 0 && b < this.width) p.fillRect(b, 0, 1, t.height);
			}
			for (const f of axis.over) f();
			const now = t.now ? t.now(this.cursor) : "";
			if (t.said !== now) { t.said = now; t.say.textContent = t.say.title = now; }
		}
		if (!this.o.strip) { this.drawMap(range, get); if (!this.map.said) { this.map.said = this.map.now(); this.map.say.textContent = this.map.said; } }
		const seen = this.cursor !== null && this.cursor >= axis.from && this.cursor <= axis.to;
		this.line.style.display = seen ? "block" : "none";
		if (seen) this.line.style.left = Math.round(c.offsetLeft + axis.x(this.cursor)) + "px";
	}

	drawMap(range, get) {
		const g = this.brush(this.map.canvas, this.map.height), h = this.map.height, axis = this.axis, all = {map: true, low: axis.low, high: axis.high, from: axis.low, to: axis.high, width: this.width, x: t => (t - axis.low) / (axis.high - axis.low) * this.width, t: x => axis.low + x / this.width * (axis.high - axis.low)};
		const area = this.tracks.find(t => t instanceof Area), frames = this.tracks.find(t => t instanceof Frames) || this.tracks.find(t => t instanceof Rate);
		if (area) { g.globalAlpha = .55; area.draw(g, all, h, get); g.globalAlpha = 1; }
		else if (frames) frames.draw(g, all, h, get);
		if (area && frames && frames.over) for (const i of frames.over) { g.fillStyle = frames.color(frames.m.cost[i], get); g.fillRect(all.x(frames.m.start[i]), 0, Math.max(2, all.x(frames.m.end[i]) - all.x(frames.m.start[i])), 6); }
		if (range) { g.globalAlpha = .18; g.fillStyle = get("--accent"); g.fillRect(all.x(range[0]), 0, Math.max(2, all.x(range[1]) - all.x(range[0])), h); g.globalAlpha = 1; }
		if (!axis.whole()) {
			const a = all.x(axis.from), b = all.x(axis.to);
			g.globalAlpha = .5;
			g.fillStyle = get("--soft");
			g.fillRect(0, 0, a, h);
			g.fillRect(b, 0, this.width - b, h);
			g.globalAlpha = 1;
			g.strokeStyle = get("--accent");
			g.lineWidth = 2;
			g.strokeRect(a + 1, 1, Math.max(4, b - a - 2), h - 2);
			g.lineWidth = 1;
		}
	}
}

// --- what is asked

export const known = (rows, k) => rows.some(r => r[k] !== null && r[k] !== undefined && r[k] !== 0);

// What a frame took: the time in calls of all threads is no duration.
export const costOf = r => r.duration_ns ?? null;

// A sum. null: a part of it is not known.
const together = values => values.includes(null) ? null : values.reduce((a, v) => a + v, 0);

// The length of the longest of them, and the frames of each.
function spanOf(runs) {
	const lengths = runs.map(m => m.length), n = runs.map(m => m.framed ? m.start.length : 0);
	return [lengths.includes(null) ? null : format("ns", Math.max(...lengths)), n.length > 1 && n.some(Boolean) ? say("{0} frames", n.map(v => count(v)).join(" + ")) : n[0] ? some(n[0], "{0} frame", "{0} frames") : null].filter(Boolean).join(" · ");
}

// The first and the last number of "10..20", "10.." or "..20".
const numbersOf = frame => { const [a, b] = frame.split(".."); return [a === "" ? -Infinity : +a, b === undefined ? +a : b === "" ? Infinity : +b]; };

// The rows of frames, or of steps of time where there are none, along the axis. null: nothing has a time.
export function along(doc, framed, numbers) {
	const t = section(doc, "table", "frames");
	if (!t) return null;
	// Of several captures the first that has any.
	const key = framed ? "frame" : "step", has = r => (r[key] ?? r.frame ?? null) !== null, first = (t.rows.find(has) || {capture: 1}).capture;
	const rows = t.rows.filter(r => r.capture === first && has(r));
	if (!rows.length) return null;
	const number = r => r[key] ?? r.frame, timed = rows.every(r => r.start_ns !== null && r.start_ns !== undefined);
	rows.sort((a, b) => timed ? a.start_ns - b.start_ns : number(a) - number(b));
	const n = rows.length, start = new Float64Array(n), end = new Float64Array(n), durations = rows.map(r => r.duration_ns).filter(v => v > 0).sort((a, b) => a - b);
	const usual = durations[durations.length >> 1] || 1, last = numbers.start_ns !== undefined ? numbers.start_ns + numbers.duration_ns : 0;
	rows.forEach((r, i) => {
		start[i] = timed ? r.start_ns : i;
		end[i] = timed ? r.duration_ns !== null && r.duration_ns !== undefined ? r.start_ns + r.duration_ns : i + 1 < n ? rows[i + 1].start_ns : Math.max(r.start_ns + usual, last) : i + 1;
		if (!framed && last > start[i]) end[i] = Math.min(end[i], last); // the last step is cut where the capture ends
	});
	// To the end of the capture, if its frames leave out much of it.
	const high = timed && last - start[0] > (end[n - 1] - start[0]) * 1.25 ? last : end[n - 1], early = t.rows.some(r => r.capture === first && framed && r.frame === null);
	// From the start of the capture, if it has something before the first frame, or that is near.
	const low = timed && (early || start[0] < (high - start[0]) * .25) ? Math.min(0, numbers.start_ns ?? 0, start[0]) : start[0];
	const real = known(rows, "real") ? "real" : "requested", given = k => rows.some(r => r[k] !== null && r[k] !== undefined), live = ["live_real", "live_requested"].find(k => known(rows, k)) || ["live_real", "live_requested"].find(given) || null;
	const m = {rows, start, end, low, high, unit: timed ? "ns" : "count", framed, several: t.rows.length !== rows.length && new Set(t.rows.map(r => r.capture)).size > 1, columns: t.columns,
		capture: first, number: rows.map(number), real: known(rows, real) ? real : null, live, numbers: doc.numbers || {},
		// all: of every capture; sum: of all rows, with what is in no frame.
		all: t.rows.filter(r => (number(r) ?? null) !== null), sum: (t.totals || []).at(-1) || {}, cost: rows.map(r => framed ? costOf(r) : null), timed};
	m.label = i => framed ? say("frame {0}", m.number[i]) + (rows[i].name ? " " + shown(rows[i].name) : "") : format("ns", start[i]);
	m.type = k => typeOf(t.columns.find(c => c.key === k));
	m.about = i => {
		const r = rows[i], out = [];
		if (live && r[live] !== null) out.push(say("{0} live at its end", format(m.type(live), r[live])));
		if (m.real && r[m.real] !== null) out.push(say("allocated {0} in {1} blocks", format(m.type(m.real), r[m.real]), count(r.count ?? 0)));
		return out;
	};
	// As long as a terminal says that it is, and the last frame, if its end is known; the axis may be longer. Frames alone have
	// their own length, if all have an end.
	const ends = framed && m.cost[n - 1] !== null;
	m.length = !timed ? null : numbers.duration_ns !== undefined && numbers.duration_ns !== null ? ends ? Math.max(numbers.duration_ns, end[n - 1] - Math.min(numbers.start_ns ?? start[0], start[0])) : numbers.duration_ns : ends && m.cost.every(v => v !== null) ? end[n - 1] - start[0] : null;
	m.span = spanOf([m]);
	// Numbers that go back or repeat are no range of frames: between two of one come frames of others.
	m.ascends = m.number.every((v, i) => !i || v > m.number[i - 1]);
	// From a range of the axis to the option that selects it, and back.
	m.option = (a, b) => {
		let i = Math.max(0, lower(end, a + 1e-6)), j = lower(start, b) - 1;
		if (!framed || !timed && !framed) return {time: Math.max(0, Math.round(a)) + "ns.." + Math.round(b) + "ns", frame: null};
		if (i >= n) i = n - 1;
		if (j < i) j = i;
		if (!m.ascends && timed) return {time: Math.max(0, Math.round(start[i])) + "ns.." + Math.max(Math.round(start[i]), Math.round(end[j]) - 1) + "ns", frame: null};
		const seen = m.ascends ? [m.number[i], m.number[j]] : [m.number.slice(i, j + 1).reduce((a, b) => Math.min(a, b)), m.number.slice(i, j + 1).reduce((a, b) => Math.max(a, b))];
		return {frame: seen.join(".."), time: null};
	};
	// Of a frame by its number, and where numbers repeat by what it took.
	m.frame = (number, ns) => {
		const all = m.number.map((v, i) => v === number ? i : -1).filter(i => i >= 0), i = all.find(i => m.cost[i] === ns) ?? all[0];
		return i === undefined || m.several ? {frame: number + ".." + number, time: null} : m.option(start[i], end[i]);
	};
	// The frames of a selection: between two of one number may be others.
	m.within = s => {
		const [a, b] = numbersOf(s.frame || ""), range = s.frame ? null : m.range(s);
		// As tm-frames has it: a frame that a time cuts is one of them.
		return [...m.number.keys()].filter(i => range ? start[i] <= range[1] && (end[i] > range[0] || start[i] >= range[0]) : m.number[i] >= a && m.number[i] <= b);
	};
	// How much time a selection has, or all. null: not known, as that of a frame without an end is not.
	m.took = s => {
		const range = m.range(s), costs = s.frame ? m.within(s).map(i => m.cost[i]) : [];
		return s.frame ? costs.length && !costs.includes(null) ? costs.reduce((a, v) => a + v, 0) : null : range ? range[1] - range[0] : m.length;
	};
	m.range = s => {
		if (s.frame) {
			const [a, b] = numbersOf(s.frame), i = m.number.findIndex(v => v >= a), j = m.number.findLastIndex(v => v <= b);
			return i < 0 || j < 0 ? null : [start[i], end[j]];
		}
		if (s.time) {
			const unit = {ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9}, at = v => { const x = /^([\d.]+)(ns|us|µs|ms|s)?$/.exec(v || ""); return x ? x[1] * (unit[x[2]] || 1) : null; };
			const [a, b] = s.time.split("..").map(at);
			return [a ?? low, b ?? high];
		}
		return null;
	};
	return m;
}

// Steps of time where there are no frames. within: of the selected range alone.
export async function rowsOf(context, file, within, main = !file && !within) {
	const {has} = context, other = context.filters(within ? [] : ["frame", "time"]), more = file ? [file] : [];
	const words = ["frames"], span = async of => {
		const a = await context.ask(["top", "-n", "1", "--table", "top", ...other, ...of]).catch(e => { if (e.name === "AbortError") throw e; return {}; });
		return a.doc && a.doc.numbers || {};
	};
	if (!has.frames) words.push("--every", nice(((await span(more)).duration_ns || 1e9) / 800) + "ns");
	words.push(...other, "-n", "0", "--table", "frames", ...more);
	// Of several files the first is drawn that has a frame or a step.
	const files = context.files.filter(f => !f.error), one = !file && !context.state.file_only && files.length > 1 ? files[0] : null;
	const [a, numbers] = await Promise.all([context.ask(words, main), within ? {} : span(one ? [one.name] : more)]);
	let m = a.doc && along(a.doc, has.frames, numbers);
	if (m && one && !within && m.capture > 1 && files[m.capture - 1]) m = along(a.doc, has.frames, await span([files[m.capture - 1].name]));
	if (m) m.file = one ? files[m.capture - 1] || one : null;
	if (m) m.every = words[1] === "--every" ? words[2] : null;
	return m;
}

const lanes = {type: "by type", module: "by module", site: "by function", thread: "by thread"};

const STEPS = 1500, STEPS_MOST = 20000;

// Sites of one function are one line: all are drawn under its name.
function joined(lines) {
	if (!lines) return null;
	const by = new Map(), out = [];
	for (const l of lines.lines) {
		const of = l.key === "others" ? null : by.get(l.title);
		if (of) of.y = of.y.map((v, i) => v === null && l.y[i] === null ? null : (v || 0) + (l.y[i] || 0));
		else { const one = {...l}; by.set(l.title, one); out.push(one); }
	}
	return {...lines, lines: out};
}

// Of what is seen, steps of as many as there are pixels; as many as a capture's length allows.
function finer(area, m, asked) {
	let now = nice((m.high - m.low) / STEPS), last = null;
	return async (from, to) => {
		const step = Math.max(nice((to - from) / STEPS * 2), nice((m.high - m.low) / STEPS_MOST));
		if (step >= now || last) return false;
		last = asked(step);
		const lines = await last.catch(() => null);
		last = null;
		if (!lines || !lines.lines.length) return false;
		now = step;
		area.take(Float64Array.from(lines.x), lines.lines);
		return true;
	};
}

// The tracks that all of a capture's frames or steps have.
export async function tracksOf(context, m, file, prefix) {
	const {state: s, has} = context, other = context.filters(["frame", "time"]), tracks = [], more = file ? [file] : [];
	const framed = m.framed && m.cost.some(v => v !== null);
	const title = text => prefix ? prefix + " · " + text : text;
	if (framed) tracks.push(Object.assign(new Frames(m, s.hz), {title: title(say("Frames"))}));
	const every = m.every ? ["--every", m.every] : [];
	if (m.live && known(m.rows, m.live)) {
		let by = lanes[s.lane] ? s.lane : has.types ? "type" : "site";
		// Frames with times may be wider than what happens in them: so it is drawn by steps of time.
		const fine = m.framed && m.unit === "ns" && !m.several;
		const asked = async step => {
			const a = await context.ask(["frames", "--chart", m.live.replace("_", "-"), "--by", by, ...(step ? ["--every", step + "ns"] : every), ...other, "--as", "json", ...more]).catch(e => { if (e.name === "AbortError") throw e; return {}; });
			const lines = joined(a.doc && section(a.doc, "series", "lines"));
			for (const l of lines ? lines.lines : []) l.type = m.type(m.live);
			return lines;
		};
		let lines = await asked(fine ? nice((m.high - m.low) / STEPS) : 0);
		// One area of one colour says nothing: where all is of one type, or of none, it is drawn by function.
		if (!lanes[s.lane] && by === "type" && (!lines || lines.lines.length < 2)) {
			by = "site";
			lines = await asked(fine ? nice((m.high - m.low) / STEPS) : 0);
		}
		m.lane = by;
		const fits = lines && lines.lines.length && lines.x_type === (m.unit === "ns" ? "ns" : "count");
		const area = fits ? new Area("live", title(say("Live memory")), 108, Float64Array.from(m.unit === "ns" ? lines.x : lines.x.map((_, i) => i)), lines.lines, say(lanes[by]))
			: new Area("live", title(say("Live memory")), 108, m.start, [{key: m.live, title: say("live"), type: m.type(m.live), y: m.rows.map(r => r[m.live])}], "");
		// The last frame goes on to where the steps end: what is freed there is seen.
		if (fits && fine) m.high = m.end[m.end.length - 1] = Math.max(m.high, area.x.at(-1) + nice((m.high - m.low) / STEPS));
		if (fits && fine) area.finer = finer(area, m, asked);
		if (fits) area.legend = area.named(l => labelled(brief(l.title)));
		// What the area shows is live after each frame; the peak was within one.
		const key = m.live.replace("live", "peak"), peaks = m.rows.map(r => r[key] ?? null), most = Math.max(...peaks.filter(v => v !== null)), i = peaks.indexOf(most);
		if (i >= 0 && most >= area.levels.most) area.peak = {from: m.start[i], to: m.end[i], value: most, text: say("peak {0} · {1}", format(m.columns.some(c => c.key === key) ? m.type(key) : m.type(m.live), most), m.framed ? m.label(i) : m.label(i) + " … " + format("ns", m.end[i]))};
		tracks.push(area);
	}
	if (m.real) tracks.push(new Rate("rate", title(say("Allocation rate")), 38, m, m.rows.map(r => r[m.real]), m.type(m.real), "--o3", say(m.framed ? "/ frame" : "/ step"), say("yellow: far above the median")));
	if (!m.real && !(m.live && known(m.rows, m.live))) for (const [k, text] of [["self_ns", say("Time in calls")], ["samples", say("Samples")], ["count", say("Allocations")]])
		if (known(m.rows, k)) { tracks.push(new Rate(k, title(eventOf(m.columns.find(c => c.key === k)) || text), 48, m, m.rows.map(r => r[k]), m.type(k), "--o1", "")); break; }
	for (const c of m.columns.filter(c => /^counter:[^:]*$/.test(c.key)).slice(0, 8)) tracks.push(new Counter(title(c.title.replace(/^counter:/, "")), m, m.rows.map(r => r[c.key]), typeOf(c)));
	if (has.logs && m.unit === "ns") {
		const a = await context.ask(["frames", "--detail", "--table", "log", ...every, ...other, ...more]).catch(e => { if (e.name === "AbortError") throw e; return {}; });
		const t = a.doc && section(a.doc, "table", "log"), rows = t ? t.rows.filter(r => r.time_ns !== null && r.time_ns !== undefined).sort((x, y) => x.time_ns - y.time_ns) : [];
		if (rows.length) tracks.push(new Marks("log", title(say("Log")), rows));
	}
	return tracks;
}

// The main thread is that of its name, or the first that has calls, as tm-frames has it.
const MAIN = ["Main Thread", "MainThread", "main", "GameThread", "Main"], begins = t => Math.min(...t.levels.map(l => l.start.length ? l.start[0] : Infinity));
const mainOf = list => list.find(t => MAIN.includes(t.name)) || list.reduce((a, t) => !a || begins(t) < begins(a) ? t : a, null);

// Calls of threads at a level of detail: coarse for all of it, finer for what is seen.
class Detail {
	// file, title: whose threads these are, where there are several.
	constructor(context, m, file, title, line) {
		Object.assign(this, {context, m, file, title, line: () => line(), tracks: new Map(), at: null});
	}

	async ask(from, to, every) {
		const {context, m} = this, thread = context.state.thread ? ["--thread", context.state.thread] : [];
		const range = from > m.low || to < m.high ? ["--time", Math.max(0, Math.floor(from)) + "ns.." + Math.ceil(to) + "ns"] : [];
		const a = await context.ask(["frames", "--bars", "--every", every + "ns", ...range, ...thread, "-n", String(ROWS), ...this.file ? [this.file] : []]);
		const t = a.doc && section(a.doc, "table", "calls");
		if (!t || !t.rows.length) return new Map();
		const rows = t.rows.filter(r => r.capture === t.rows[0].capture);
		this.modules = this.modules || await modulesOf(context);
		this.kinds = this.kinds || kindsOf(this.modules, rows);
		return threads(rows, from, to, this.modules);
	}

	// Of each thread its time in calls, within the selection: bars that stand for many calls have the gaps between them.
	async busy() {
		const {context} = this, s = context.state, file = this.file ? [this.file] : [];
		const a = await context.ask(["top", "--by", "thread", ...["thread", "frame", "time"].flatMap(k => s[k] ? ["--" + k, s[k]] : []), "-n", "0", "--table", "top", ...file]).catch(e => { if (e.name === "AbortError") throw e; return {}; }), t = a.doc && section(a.doc, "table", "top");
		return new Map((t ? t.rows : []).filter(r => typeof r.total_ns === "number").map(r => [r.thread, r.total_ns]));
	}

	async begin() {
		const {context, m} = this, [all, busy] = await Promise.all([this.ask(m.low, m.high, nice((m.high - m.low) / PIXELS)), this.busy()]);
		const took = m.took(context.state), of = t => busy.get(t.name) || 0, first = mainOf([...all.values()]);
		this.main = first && first.name;
		const list = [...all.values()].sort((a, b) => (b === first) - (a === first) || of(b) - of(a)), twice = new Set(list.map(t => t.name).filter((n, i, l) => l.indexOf(n) !== i));
		return list.map((t, i) => {
			// Of a thread that one call takes as a whole its time in calls tells nothing; threads of one name have one sum.
			const part = 100 * of(t) / took, c = new Calls((this.title ? this.title + " · " : "") + (twice.has(t.name) ? t.name + " " + t.tid : t.name), part > 95 || twice.has(t.name) || !busy.size || !took ? "" : say("in calls {0} %", part.toFixed(0)));
			c.about = say("thread {0}, tid {1}", t.name, t.tid) + (of(t) && !twice.has(t.name) ? say("; ") + say("{0} in calls", format("ns", of(t))) + (took ? " (" + part.toFixed(0) + " %)" : "") : "");
			c.coarse = t;
			c.foldable = true;
			c.open = i < UNFOLDED;
			this.tracks.set(t.name + (t.tid === null ? "" : "\n" + t.tid), c);
			return c;
		});
	}

	async finer(from, to) {
		const {m} = this, span = to - from, all = m.high - m.low, every = nice(span / PIXELS);
		if (span > all * .6) { if (this.at) { this.at = null; for (const c of this.tracks.values()) c.fine = null; this.line().draw(); } return; }
		const now = this.at;
		if (now && now.every <= every * 2 && now.from <= from && now.to >= to) return;
		const a = Math.max(m.low, from - span * .5), b = Math.min(m.high, to + span * .5), mine = this.asked = {};
		const got = await this.ask(a, b, every).catch(() => null);
		if (this.asked !== mine || !got) return;
		this.at = {from: a, to: b, every};
		for (const [id, c] of this.tracks) c.fine = got.get(id) || {from: a, to: b, levels: []};
		this.line().draw();
	}
}

// The frames of a selection, as "140..140" says.
export function framesOf(range) {
	const [a, b] = range.split("..");
	return b === undefined || a === b ? say("frame {0}", a) : say("frames {0}", a + "–" + b);
}

// The same of "2859760674ns..4331020185ns".
export const timeOf = range => say("time {0}", range.replace(/\d+ns/g, t => format("ns", parseInt(t, 10))).replace("..", " … "));

// Who called a site, by the first of its stacks: lines of "    name  file:line", the innermost first.
function callersOf(r, kept, word = n => shown(brief(n))) {
	const all = (r._details || []).slice(1).filter(l => /^ {4}\S/.test(l)).map(l => l.trim().replace(/ {2,}\S.*$/, "")), at = all.indexOf(bare(r.site, r.file));
	return at < 0 ? [] : all.slice(at + 1).filter(kept).map(word);
}

// At which rate frames are judged, which is for the user to choose: captures do not say at which a game is to run.
export function judged(m, {state: s, go}) {
	const now = rateOf(m.cost, s.hz), fits = rateOf(m.cost);
	return make("label", {class: "judged", title: BUDGETS[s.hz] ? null : fits === "60" ? say("60 Hz unless you choose another: the capture does not say which it is.") : say("{0} Hz fits what half of the frames take; the capture does not say which it is.", fits)},
		make("span", {}, say("judged at")), " ", make("select", {id: "hz", onchange: e => go({hz: e.target.value === fits ? null : e.target.value})}, ...Object.keys(BUDGETS).map(k => make("option", {value: k, selected: k === now}, k + " Hz"))));
}

const signed = (type, v) => { const n = Math.round(Math.abs(v)); return (n && v > 0 ? "+" : n && v < 0 ? "−" : "") + tenths(format(type, n)); };

// Sites by what they have, in all frames or in all of the time: what others are compared with. null: there is no answer.
const SELECTED = 300;
// One answer may tell functions of one name apart by their file, where another need not.
const bare = (name, file) => { const of = " (" + place(file) + ")"; return name && file && name.endsWith(of) ? name.slice(0, -of.length) : name; };
const siteOf = r => [r.outer_thread || "", bare(r.site || r.function, r.file), r.file, r.line].join("\n");
async function usualOf(context, m, key, file, by = []) {
	// What is in no frame is no frame's usual.
	const words = ["top", ...context.filters(["frame", "time"]), ...m.framed ? ["--frame", m.number[0] + ".." + m.number.at(-1)] : [], "--sort", key === "self_ns" ? "self-time" : key, "-n", "2000", "--table", "top", ...by, ...file ? [file] : []];
	const a = await context.ask(words, false, true).catch(e => { if (e.name === "AbortError") throw e; return {}; }), t = a.doc && section(a.doc, "table", "top");
	return t && t.rows;
}

function sumsOf(rows, key) {
	const sums = new Map();
	for (const r of rows) sums.set(siteOf(r), (sums.get(siteOf(r)) || 0) + (r[key] || 0));
	return sums;
}

// Of each row of a selection what it has more than as many of the other frames have on average, or than as much of the
// other time. Beside the main thread's frames a thread that waits has more in a long frame: what it has between the two is
// usual. null: the selection is most of what there is, or frames have no order.
// main: the names of those threads.
async function overUsual(context, runs, t, key, by, main) {
	// A range of time cuts frames.
	const s = context.state, framed = runs[0].framed && !s.time, n = together(runs.map(m => framed ? m.within(s).length : m.took(s))), all = together(runs.map(m => framed ? m.number.length : m.length));
	if (runs.some(m => m.several || m.framed !== runs[0].framed || framed && !m.ascends) || !n || !all || n * 2 > all) return null;
	const whole = await usualOf(context, {framed, number: framed ? [Math.min(...runs.map(m => m.number[0])), Math.max(...runs.map(m => m.number.at(-1)))] : []}, key, null, by);
	const part = n / (all - n), took = framed && runs[0].unit === "ns" ? together(runs.filter(m => m.within(s).length).map(m => m.took(s))) : 0, rest = together(runs.map(m => m.length)) - took, timed = took > 0 && rest > 0 ? took / rest : part;
	return whole && moreThan(sumsOf(whole, key), t.rows, key, r => r.outer_thread && !main.includes(r.outer_thread) ? [part, timed] : [part, part]);
}

// parts(row): the least and the most of what all others have that is usual.
function moreThan(whole, rows, key, parts) {
	const mine = sumsOf(rows, key), over = r => {
		const v = r[key] || 0, rest = Math.max(0, whole.get(siteOf(r)) - v), usual = parts(r).map(p => p * rest), low = Math.min(...usual), high = Math.max(...usual);
		return v > high ? v - high : v < low ? v - low : 0;
	};
	return new Map(rows.filter(r => whole.has(siteOf(r)) && mine.get(siteOf(r)) === (r[key] || 0)).map(r => [r, over(r)]));
}

// Of a frame whose cause is in the other frames, too, as its loop is: of it and the calls below it that with the most time of
// its own above its mean in the other frames, if that is a third of what the frame has above the median, and a tenth of the frame.
// A cause is of the main thread: that of its name, or that in which the cause has most time.
// rows: {frame, duration_ns, cause}. file: of several the one that they are of.
export async function unusual(context, m, rows, file) {
	const found = new Map();
	if (!m.framed || !m.ascends || m.several || !m.timed || !rows.length) return found;
	const byThread = ["--by", "thread,site"], all = await usualOf(context, m, "self_ns", file, byThread), median = percentile(m.cost.filter(v => v !== null), 50), whole = all && sumsOf(all, "self_ns");
	const n = m.number.length - 1, others = [1 / n, 1 / n], main = all && (all.find(r => MAIN.includes(r.outer_thread)) || {}).outer_thread;
	// Two thirds are what makes a cause.
	const loop = name => all.reduce((sum, r) => sum + (bare(r.site || r.function, r.file) === name && r.total_ns || 0), 0) * 3 >= median * m.start.length * 2;
	for (const r of whole ? rows.filter(r => r.cause && loop(bare(r.cause, r.cause_file))) : []) {
		const a = await context.ask(["top", ...context.filters(["frame", "time"]), "--frame", r.frame + ".." + r.frame, "--sort", "self-time", "--show-stacks", "1", "-n", "50", "--table", "top", ...byThread, ...file ? [file] : []], false, true).catch(e => { if (e.name === "AbortError") throw e; return {}; }), t = a.doc && section(a.doc, "table", "top");
		if (!t) continue;
		const over = moreThan(whole, t.rows, "self_ns", () => others), cause = bare(r.cause, r.cause_file), thread = main || (t.rows.filter(x => bare(x.site, x.file) === cause).sort((x, y) => y.total_ns - x.total_ns)[0] || {}).outer_thread, inside = [...over.keys()].filter(x => x.outer_thread === thread).filter(x => bare(x.site, x.file) === cause || callersOf(x, () => true, n => n).includes(cause)).sort((x, y) => over.get(y) - over.get(x))[0];
		if (inside && over.get(inside) * 3 >= r.duration_ns - median && over.get(inside) * 10 >= r.duration_ns) found.set(r, {site: inside.site, file: inside.file, line: inside.line, more: over.get(inside), callers: callersOf(inside, n => kindOf(n) !== "library")});
	}
	return found;
}

// What happened in the selection: a line that sums it up, and who allocated or took most.
// runs: what is along the axis, of each file; m: of the first.
// threads: how many have calls; main: the names of those that frames are of.
async function selection(context, runs, threads, main) {
	const m = runs[0];
	const {state: s, has, go} = context;
	if (!s.frame && !s.time || !has.calls) return null;
	// Where calls are timed, who took most: what is allocated then is one more column, and the order of a click.
	const size = m.real || "requested", ways = [["time", say("time")], ["bytes", say("allocated")]].filter(([k]) => k === "time" ? has.by_time : has.memory), way = (ways.find(([k]) => k === s.most) || ways[0] || [""])[0];
	// Time is of a thread, where there are several.
	const byThread = way === "time" && has.nested && threads > 1 ? ["--by", "thread,site"] : [];
	const question = ["top", ...context.filters(), ...(way === "bytes" ? ["--sort", size] : has.nested ? ["--sort", "self-time"] : []), ...byThread];
	context.shows(question);
	const a = await context.ask([...question, "--show-stacks", "1", "-n", String(SELECTED), "--table", "top"]), t = a.doc && section(a.doc, "table", "top");
	const range = m.range(s), sum = t && t.totals && t.totals.length ? t.totals.at(-1) : {}, keys = t ? t.columns.map(c => c.key) : [], known = k => keys.includes(k) && sum[k] !== null && sum[k] !== undefined;
	const bytes = ["real", "requested"].find(known), live = ["live_real", "live_requested"].find(known), frames = range ? together(runs.map(x => x.framed ? x.within(s).length : 0)) : 0;
	const took = !range || m.unit !== "ns" ? null : s.frame ? together(runs.filter(x => x.within(s).length).map(x => x.took(s))) : m.took(s);
	const type = k => typeOf(t.columns.find(c => c.key === k));
	const text = [frames > 1 ? say("{0} frames", count(frames)) : null, took === null ? null : format("ns", took), bytes ? say("allocated {0}", format(type(bytes), sum[bytes])) : null, bytes && live ? say("{0} of it still live", format(type(live), sum[live])) : null,
		known("samples") ? say("{0} samples", count(sum.samples)) : null, known("self_ns") ? say(threads > 1 ? "{0} in calls of all threads" : "{0} in calls", format(type("self_ns"), sum.self_ns)) : null].filter(Boolean).join(" · ");
	const head = make("span", {class: "row"}, button(s.frame ? framesOf(s.frame) : timeOf(s.time), () => go({frame: null, time: null}), {class: "chip", title: say("clear the selection")}), make("span", {class: "faint"}, text), ways.length > 1 ? segments(say("rank by"), ways, way, k => go({most: k === ways[0][0] ? null : k})) : null);
	if (!t || !t.rows.length) return card(say("Selection"), head, none(say("Nothing is left by these filters."), "", button(say("clear the selection"), () => go({frame: null, time: null}))));
	const columns = {time: ["self_ns", "total_ns", ...has.nested ? [] : ["samples", "calls"], bytes], bytes: [bytes, live, "count"]}[way] || ["self_ns", "total_ns", "samples", "calls"];
	// What is more than elsewhere comes first: it is what the selection is for.
	const by = (columns.filter(k => k && known(k)) || [])[0], over = ["self_ns", bytes].includes(by) ? await overUsual(context, runs, t, by, byThread, main) : null;
	if (over) t.rows.sort((x, y) => (over.get(y) ?? 0) - (over.get(x) ?? 0));
	t.rows.length = Math.min(t.rows.length, 12);
	const words = {self_ns: say("self time"), total_ns: say("total time"), samples: eventOf(t.columns.find(c => c.key === "samples")) || say("samples"), calls: say("relation|calls"), count: say("count"), [bytes]: say("allocated"), [live]: say("still live")}, shownColumns = columns.filter(k => k && known(k)).map(k => [k, words[k]]);
	const most = Math.max(...t.rows.map(r => (over ? over.get(r) : r[by]) || 0)) || 1;
	const open = r => { const name = r.function || r.site; go({view: "calls", peek: name && !/^[(\[](?!anonymous)/.test(name) ? name : null, sort: way === "bytes" ? size : null, ...byThread.length && r.outer_thread ? {thread: literally(r.outer_thread)} : {}}); };
	const own = name => kindOf(name) !== "library", list = make("table", {class: "sel"}, make("thead", {}, make("tr", {}, make("th", {}, say("function")), make("th", {}, say("where")), byThread.length ? make("th", {}, say("thread")) : null, over ? make("th", {class: "num" + " barred", title: byThread.length ? say("{0} beyond the mean of as many other frames; of other threads than the main one also beyond the mean of as much other time.", words[by]) : runs[0].framed ? say("{0} beyond the mean of as many other frames.", words[by]) : say("{0} beyond the mean of as much other time.", words[by])}, say("above usual")) : null, ...shownColumns.map(([k, word]) => make("th", {class: "num" + (k === by && !over ? " barred" : "")}, word)), make("th", {}, say("callers")))),
		make("tbody", {}, ...t.rows.map((r, i) => {
			const bar = make("i"), fill = make("span", {class: "fill"}, bar), more = over && over.get(r), cell = k => make("td", {class: "num"}, tenths(format(type(k), r[k])), k === by && !over ? fill : "");
			bar.style.width = Math.max(0, 100 * ((over ? more : r[by]) || 0) / most) + "%";
			return make("tr", {class: "row", "data-i": i, tabindex: 0, onclick: () => open(r), onkeydown: e => { if (e.key === "Enter") e.currentTarget.click(); }}, make("td", {class: "file", title: r.site}, make("code", {}, tail(labelled(brief(r.site || ""))))), make("td", {class: "file", title: r.file || null}, place(r.file, r.line)), byThread.length ? make("td", {class: "file"}, shown(r.outer_thread || "")) : null, over ? make("td", {class: "num"}, more === undefined ? "–" : signed(type(by), more), fill) : null, ...shownColumns.map(([k]) => cell(k)), make("td", {class: "file"}, chain(callersOf(r, own), brief(r.site || ""))));
		})));
	return card(say("Selection"), head, make("div", {class: "sels"}, list), twiceOf(t) ? make("p", {class: "hint"}, twiceOf(t)) : null);
}

export async function show(context) {
	const {state: s, go, has} = context, files = context.files.length > 1 && !s.file_only ? context.files.filter(f => !f.error) : [null], several = files.slice(0, MOST_FILES);
	const page = make("div", {class: "whole-timeline"}, make("p", {class: "faint"}, say("adding up …")));
	context.begin(page);
	const all = [];
	for (const f of several) {
		const m = await rowsOf(context, f && f.name);
		if (m) all.push([m, await tracksOf(context, m, f && f.name, f && nameOf(f)), f]);
	}
	if (!all.length) return none(say("There is no timeline."), context.filters().length ? say("The filters leave nothing of it.") : say("Nothing in it has a time of its own: samples without time stamps, or sums."), button(say("show the calls"), () => go({view: "calls"})));
	if (all.length > 1) context.shows(["frames", ...has.frames ? [] : ["--every", all[0][0].every], ...context.filters(), "-n", "0"]);
	const m = all[0][0], tracks = all.flatMap(([, t]) => t);
	m.span = spanOf(all.map(([x]) => x));
	if (all.length > 1) { m.low = Math.min(...all.map(([x]) => x.low)); m.high = Math.max(...all.map(([x]) => x.high)); }
	let line = null;
	const dense = !!(s.frame || s.time);
	const details = has.nested ? all.filter(([x]) => x.unit === "ns").map(([x, , f]) => new Detail(context, x, f && f.name, all.length > 1 && f ? nameOf(f) : "", () => line)) : [], calls = [];
	for (const d of details) calls.push(...await d.begin().catch(e => { if (e.name === "AbortError") throw e; return []; }));
	const shades = details.reduce((kinds, d) => [...kinds, ...(d.kinds || []).filter(k => !kinds.some(x => x[0] === k[0]))], []);
	if (calls.length) {
		// Beside a selection all threads are in sight, as far as that can be: what is around them is low. Counters come last.
		if (dense) {
			for (const t of tracks) t.height = LOW[t.id.replace(/:.*/, "")] || t.height;
			for (const t of calls) t.dense = true;
		}
		const last = t => t instanceof Counter;
		tracks.splice(0, tracks.length, ...tracks.filter(t => !last(t)), ...calls, ...tracks.filter(last));
	}
	// What splits nothing is not offered.
	let split = calls.length > 1 || all.length > 1;
	const part = m.real || (known(m.rows, "samples") ? "samples" : null);
	if (!calls.length && part && all.length === 1) {
		// Of captures of allocations and of samples: what each thread has.
		const a = await context.ask(["frames", "--chart", part, "--by", "thread", ...(m.every ? ["--every", m.every] : []), ...context.filters(["frame", "time"]), "-n", "64", "--as", "json"]).catch(e => { if (e.name === "AbortError") throw e; return {}; });
		const l = a.doc && section(a.doc, "series", "lines");
		split = !!l && l.lines.length > 1;
		if (l && l.lines.length > 1 && l.x_type === (m.unit === "ns" ? "ns" : "count")) {
			const start = Float64Array.from(m.unit === "ns" ? l.x : l.x.map((_, i) => i)), of = {start, end: Float64Array.from(start, (v, i) => i + 1 < start.length ? start[i + 1] : m.high)};
			l.lines.forEach((x, i) => tracks.push(Object.assign(new Rate("thread:" + x.title, labelled(x.title), i < 12 ? 30 : 22, of, x.y, m.type(part), "--own", m.real ? say("bytes allocated") : say("samples")), {foldable: false})));
		}
	}
	const zoom = s.zoom ? s.zoom.split("-").map(Number) : null;
	line = new Timeline({m, tracks, dense, zoom: zoom && zoom.every(Number.isFinite) ? zoom : null, selected: m.range(s),
		select: (a, b) => go(a === null ? {frame: null, time: null} : m.option(a, b)),
		zoomed: (a, b) => go({zoom: a === null ? null : Math.round(a) + "-" + Math.round(b)}),
		frame: i => m.framed && go(m.option(m.start[i], m.end[i])),
		reached: (i, [a, b]) => go({...m.option(m.start[i], m.end[i]), zoom: Math.round(a) + "-" + Math.round(b)}),
		detail: calls.length ? (a, b) => Promise.all(details.map(d => d.finer(a, b))) : null});
	const search = make("input", {type: "search", placeholder: say("search"), "aria-label": say("search in the calls"), oninput: () => { hits.textContent = line.find(search.value); }, onkeydown: e => { if (e.key === "Enter") hits.textContent = line.next(e.shiftKey ? -1 : 1); else if (e.key === "Escape") { search.value = ""; hits.textContent = line.find(""); } }}), hits = make("span", {class: "faint", id: "hits", "aria-live": "polite"});
	const tools = make("div", {class: "tools"}, m.framed && m.unit === "ns" ? judged(m, context) : null,
		m.live ? segments(say("live memory by"), Object.entries(lanes).filter(([k]) => k === m.lane || (k !== "type" || has.types) && (k !== "thread" || split)).map(([k, text]) => [k, say(text)]), m.lane, k => go({lane: k})) : null,
		calls.length ? search : null, calls.length ? hits : null, calls.length ? legend(shades) : null);
	// What is selected is of all files, and not of those alone that have tracks. Of a saved page the rest stays in sight.
	const others = s.frame || s.time ? await Promise.all(files.slice(MOST_FILES).map(f => rowsOf(context, f.name))) : [];
	const below = await selection(context, [...all.map(([x]) => x), ...others.filter(Boolean)], calls.length, details.map(d => d.main)).catch(e => { if (!e.unsaved) throw e; return card(say("Selection"), "", none(e.message)); });
	page.classList.toggle("divided", !!below);
	const undrawn = files.length > MOST_FILES ? make("p", {class: "hint"}, say("The tracks are those of the first {0} of {1} files; a selection is of all.", MOST_FILES, files.length)) : null;
	const clocks = all.length > 1 ? make("p", {class: "hint"}, say("Each file has its own clock: below each other are not the same moments. tracemill session puts files of one run on one clock.")) : null;
	page.replaceChildren(tools, line.element, ...[clocks, undrawn, below].filter(Boolean));
	const out = [page];
	out.shown = () => { line.drawNow(); line.refine(); if (document.activeElement === document.body) line.element.focus({preventScroll: true}); };
	out.moved = now => {
		const z = now.zoom ? now.zoom.split("-").map(Number) : null;
		const [a, b] = z ? z : [line.axis.low, line.axis.high];
		if (Math.round(line.axis.from) !== Math.round(a) || Math.round(line.axis.to) !== Math.round(b)) line.axis.glide(a, b);
	};
	return out;
}
