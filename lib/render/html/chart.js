// SPDX-License-Identifier: MIT
// Series over frames or time: a canvas for each line, all on one axis. A pixel's column runs from the least to the
// largest of its points, so no spike is lost.
import {make, button, showTip, hideTip, pencil, redraws, keeps} from "./dom.js";
import {format, shown} from "./format.js";

const LEFT = 84, RIGHT = 10, TOP = 8, BOTTOM = 20;

export class Chart {
	// section: as in tracemill-report(5). options: range [from, to] of x values, limits {key: [{title, value}]},
	// select(from, to) of x values or null, picked(x). Without select a drag zooms.
	constructor(section, options = {}) {
		this.s = section;
		this.o = options;
		this.x = section.x;
		this.lines = section.lines.filter(l => !options.select || l.y.some(v => v !== null));
		this.from = 0;
		this.to = this.x.length; // half-open
		this.element = this.build();
	}

	build() {
		const box = this.box = make("div", {class: "charts"});
		this.reset = button(say("reset zoom"), () => this.zoom(0, this.x.length));
		this.say = make("span", {class: "say"});
		if (!this.o.select) box.append(make("div", {class: "tools"}, this.reset, this.say));
		this.lanes = this.lines.map(line => {
			const canvas = make("canvas", {class: "chart", tabindex: 0, role: "img",
				"aria-label": say("{0} over {1}: arrow keys move, Shift selects, Enter opens, + and - zoom", translated(line.title), translated(this.s.x_title || "time"))});
			const value = make("span", {});
			box.append(make("div", {class: "lane"}, make("b", {}, translated(line.title)), value), canvas);
			canvas.onmousemove = e => this.move(e);
			canvas.onmouseleave = () => { hideTip(); this.hover = undefined; this.draw(); };
			canvas.onmousedown = e => {
				if (e.button !== 0) return;
				this.start = this.point(e);
				document.addEventListener("mouseup", up => this.up(up), {once: true});
				canvas.focus({preventScroll: true});
				e.preventDefault();
			};
			canvas.ondblclick = () => this.all();
			canvas.onkeydown = e => this.key(e);
			canvas.addEventListener("wheel", e => this.wheel(e), {passive: false});
			return {line, canvas, say: value};
		});
		if (this.o.select && !this.lanes.length) box.append(make("p", {class: "empty"}, say("nothing to draw")));
		redraws(box, () => this.draw());
		return keeps(box, this);
	}

	up(event) {
		if (this.start === undefined) return;
		const a = Math.min(this.start, this.point(event)), b = Math.max(this.start, this.point(event));
		this.start = undefined;
		if (this.o.select ? b > a : b > a + 1) this.choose(a, b);
		else if (this.o.picked && event.target.classList && event.target.classList.contains("chart")) this.o.picked(this.x[a]);
		this.draw();
	}

	choose(a, b) {
		if (this.o.select) this.o.select(this.x[a], this.x[b]);
		else this.zoom(a, b + 1);
	}

	all() {
		if (this.o.select) this.o.select(null);
		else this.zoom(0, this.x.length);
	}

	// All of it stays all of it, and grows.
	keep() {
		return this.whole() ? null : [this.x[this.from], this.x[this.to - 1]];
	}

	take(range) {
		if (range) this.zoom(this.x.findIndex(v => v >= range[0]), this.x.findLastIndex(v => v <= range[1]) + 1);
	}

	whole() {
		return this.from === 0 && this.to === this.x.length;
	}

	point(event) {
		const r = this.lanes[0].canvas.getBoundingClientRect(), x = (event.clientX - r.left - LEFT) / Math.max(1, r.width - LEFT - RIGHT);
		return Math.max(this.from, Math.min(this.to - 1, Math.floor(this.from + x * (this.to - this.from))));
	}

	zoom(from, to) {
		const n = this.x.length;
		this.from = Math.max(0, Math.min(from, n - 2));
		this.to = Math.min(n, Math.max(to, this.from + 2));
		this.draw();
	}

	wheel(event) {
		if (!event.ctrlKey && !event.shiftKey && !event.altKey) return; // the page scrolls
		event.preventDefault();
		const at = this.point(event), f = (event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8;
		this.zoom(Math.round(at - (at - this.from) * f), Math.round(at + (this.to - at) * f));
	}

	key(event) {
		const at = this.hover ?? this.from, step = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10}[event.key];
		if (step) {
			const to = Math.max(this.from, Math.min(this.to - 1, at + step));
			if (event.shiftKey) this.anchor = this.anchor ?? at;
			else this.anchor = undefined;
			this.hover = to;
			for (const l of this.lanes) l.say.textContent = this.label(to) + ": " + this.value(l.line, to);
		} else if (event.key === "Enter" && this.anchor !== undefined) {
			this.choose(Math.min(this.anchor, at), Math.max(this.anchor, at));
			this.anchor = undefined;
		} else if (event.key === "Enter" && this.o.picked) this.o.picked(this.x[at]);
		else if (event.key === "+") this.zoom(at - Math.ceil((this.to - this.from) / 4), at + Math.ceil((this.to - this.from) / 4));
		else if (event.key === "-") this.zoom(0, this.x.length);
		else if (event.key === "Escape") this.all();
		else return;
		event.preventDefault();
		this.draw();
	}

	label(i) {
		const name = this.s.labels && this.s.labels[i];
		return (this.s.x_title ? translated(this.s.x_title) + " " : "") + format(this.s.x_type, this.x[i]) + (name ? ": " + labelled(shown(name)) : "");
	}

	value(line, i) {
		return line.y[i] === null ? say("not known") : format(line.type, line.y[i], line.decimals);
	}

	move(event) {
		const i = this.point(event);
		if (!this.x.length) return;
		this.hover = i;
		this.draw();
		const lines = this.s.lines.map(l => translated(l.title) + ": " + this.value(l, i));
		if (this.s.time_ns) lines.push(say("at {0}", format("ns", this.s.time_ns[i])));
		for (const m of this.s.marks || []) if (i >= m.first && i <= m.last && m.text) lines.push(translated(m.text));
		showTip(event, this.label(i), lines);
	}

	draw() {
		if (!this.box.isConnected) return;
		for (const l of this.lanes) this.drawOne(l);
		this.reset.disabled = this.whole();
		this.say.textContent = this.x.length === 0 ? say("no points") : this.whole()
			? say("drag to zoom, double click to see all")
			: say("{0} to {1}", this.label(this.from), this.label(this.to - 1));
	}

	// From where to where the axis of a line goes: 0 is on it, if no difference of large numbers is to be seen.
	span(line, limits) {
		let low = this.s.cropped ? Infinity : 0, high = this.s.cropped ? -Infinity : 0;
		const also = v => { if (v < low) low = v; if (v > high) high = v; };
		for (let i = this.from; i < this.to; i++) if (line.y[i] !== null) also(line.y[i]);
		for (const l of limits) also(l.value);
		if (low > high) low = high = 0;
		// Where differences matter, a tenth of them stands below the least value.
		else if (this.s.cropped) low -= (high - low || Math.abs(low) || 1) / 10;
		return [low, high === low ? low + 1 : high];
	}

	drawOne({line, canvas}) {
		const {g, w, h, get} = pencil(canvas), n = this.to - this.from;
		const limits = [...(this.s.limits || []).filter(l => l.line === line.key), ...((this.o.limits || {})[line.key] || [])], [low, high] = this.span(line, limits);
		const x = i => LEFT + (i - this.from) / Math.max(1, n) * (w - LEFT - RIGHT), y = v => TOP + (high - v) / (high - low) * (h - TOP - BOTTOM);
		g.font = "11px system-ui, sans-serif";
		g.lineWidth = 1;
		for (const m of this.s.marks || []) {
			if (m.last < this.from || m.first >= this.to) continue;
			const a = x(Math.max(m.first, this.from)), b = x(Math.min(m.last + 1, this.to));
			g.fillStyle = get(m.mark === "bad" ? "--shade-bad" : "--shade-warn");
			g.fillRect(a - 1, TOP, Math.max(3, b - a + 1), h - TOP - BOTTOM);
		}
		g.textAlign = "right";
		for (let k = 0; k <= 2; k++) {
			const v = low + (high - low) * k / 2, at = Math.round(y(v)) + .5, few = {decimal: +v.toPrecision(4), number: line.decimals === undefined ? +v.toPrecision(4) : v, percent: v}[line.type] ?? Math.round(v);
			g.strokeStyle = get("--line");
			g.beginPath(); g.moveTo(LEFT, at); g.lineTo(w - RIGHT, at); g.stroke();
			g.fillStyle = get("--faint");
			g.fillText(format(line.type, few, line.decimals), LEFT - 8, at + 4);
		}
		this.drawValues(g, line, x, y, w, get, this.s.cropped ? low : 0);
		this.drawLimits(g, limits, y, w, get);
		this.drawRange(g, x, h, get);
		g.fillStyle = get("--faint");
		if (n > 0) {
			g.textAlign = "left";
			g.fillText(this.label(this.from), LEFT, h - 5);
			g.textAlign = "right";
			if (n > 1) g.fillText(format(this.s.x_type, this.x[this.to - 1]), w - RIGHT, h - 5);
		}
	}

	// Bars where a point has a pixel and more, columns from least to largest where it has less.
	drawValues(g, line, x, y, w, get, floor) {
		const n = this.to - this.from, columns = Math.max(1, Math.floor(w - LEFT - RIGHT));
		if (n <= columns) {
			for (let i = this.from; i < this.to; i++) {
				if (line.y[i] === null) continue;
				const step = this.s.cropped && (this.s.marks || []).find(m => i >= m.first && i <= m.last);
				g.fillStyle = get(step ? step.mark === "bad" ? "--bad" : "--good" : i === this.hover && this.o.select ? "--accent" : "--chart-bar");
				const a = y(line.y[i]), b = y(floor), gap = n * 4 < columns ? 1 : 0;
				g.fillRect(x(i), Math.min(a, b), Math.max(1, x(i + 1) - x(i) - gap), Math.max(1, Math.abs(b - a)));
			}
			return;
		}
		g.fillStyle = get("--chart");
		for (let c = 0; c < columns; c++) {
			const a = this.from + Math.floor(n * c / columns), b = this.from + Math.floor(n * (c + 1) / columns);
			let least = Infinity, most = -Infinity;
			for (let i = a; i < b; i++) {
				if (line.y[i] === null) continue;
				least = Math.min(least, line.y[i]);
				most = Math.max(most, line.y[i]);
			}
			if (most === -Infinity) continue;
			g.globalAlpha = .35;
			g.fillRect(LEFT + c, Math.min(y(least), y(floor)), 1, Math.abs(y(floor) - y(least)));
			g.globalAlpha = 1;
			g.fillRect(LEFT + c, y(most), 1, Math.max(1, y(least) - y(most)));
		}
	}

	drawLimits(g, limits, y, w, get) {
		const said = [];
		for (const l of limits) {
			const at = Math.round(y(l.value)) + .5, ty = at > TOP + 14 ? at - 4 : at + 12, title = shown(translated(l.title || ""));
			g.strokeStyle = g.fillStyle = get(l.faint ? "--faint" : "--bad");
			g.setLineDash([5, 4]);
			g.beginPath(); g.moveTo(LEFT, at); g.lineTo(w - RIGHT, at); g.stroke();
			g.setLineDash([]);
			if (l.faint && said.some(y => Math.abs(y - ty) < 10)) continue;
			said.push(ty);
			g.textAlign = l.faint ? "right" : "left";
			g.strokeStyle = get("--panel");
			g.lineWidth = 3;
			g.strokeText(title, l.faint ? w - RIGHT - 3 : LEFT + 4, ty);
			g.lineWidth = 1;
			g.fillText(title, l.faint ? w - RIGHT - 3 : LEFT + 4, ty);
		}
	}

	drawRange(g, x, h, get) {
		let a, b;
		const begin = this.start ?? this.anchor, hover = this.hover;
		if (begin !== undefined && hover !== undefined) [a, b] = [Math.min(begin, hover), Math.max(begin, hover) + 1];
		else if (this.o.range) {
			a = this.x.findIndex(v => v >= this.o.range[0]);
			b = this.x.findIndex(v => v > this.o.range[1]);
			if (a < 0) return;
			if (b < 0) b = this.x.length;
		}
		if (a !== undefined) {
			g.fillStyle = get("--accent");
			g.globalAlpha = 0.16;
			g.fillRect(x(a), TOP, Math.max(2, x(b) - x(a)), h - TOP - BOTTOM);
			g.globalAlpha = 1;
		}
		if (hover !== undefined && hover >= this.from && hover < this.to) {
			const at = Math.round(x(hover + .5)) + .5;
			g.strokeStyle = get("--faint");
			g.beginPath(); g.moveTo(at, TOP); g.lineTo(at, h - BOTTOM); g.stroke();
		}
	}
}
