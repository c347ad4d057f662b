// SPDX-License-Identifier: MIT
// Series over frames or time: a lane for each line, all on one axis. A drag selects a range. A column of
// pixels runs from the least to the largest of its points, so no spike is lost.
import {make, showTip, hideTip, pencil, redraws} from "./dom.js";
import {format, shown} from "./format.js";
import {keeps} from "./keep.js";

const LEFT = 78, RIGHT = 8, TOP = 6, BOTTOM = 18;

export class Chart {
	// options: select(from, to) of x values or null, picked(x), range [from, to], limits {key: [{title, value}]}, bars, keys
	constructor(section, options = {}) {
		this.s = section;
		this.o = options;
		this.x = section.x;
		this.lines = section.lines.filter(l => (!options.keys || options.keys.includes(l.key)) && l.y.some(v => v !== null));
		this.from = 0;
		this.to = this.x.length;
		this.element = this.build();
	}

	build() {
		const box = this.box = make("div", {});
		this.lanes = this.lines.map(line => {
			const canvas = make("canvas", {class: "chart", tabindex: 0, role: "img",
				"aria-label": say("{0} over {1}: arrow keys move, Shift selects, Enter opens, + and - zoom", translated(line.title), translated(this.s.x_title || "time"))});
			const value = make("span", {});
			box.append(make("div", {class: "lane"}, make("b", {}, translated(line.title)), value), canvas);
			canvas.onmousemove = e => this.move(e, line);
			canvas.onmouseleave = () => { hideTip(); this.hover = undefined; this.draw(); };
			canvas.onmousedown = e => { if (e.button === 0) { this.start = this.point(e); canvas.focus(); e.preventDefault(); } };
			canvas.ondblclick = () => this.o.select && this.o.select(null);
			canvas.onkeydown = e => this.key(e);
			canvas.addEventListener("wheel", e => this.wheel(e), {passive: false});
			return {line, canvas, say: value};
		});
		if (!this.lanes.length) box.append(make("p", {class: "empty"}, say("nothing to draw")));
		this.up = e => {
			if (this.start === undefined) return;
			const a = this.start, b = this.point(e);
			this.start = undefined;
			if (Math.abs(a - b) >= 1 && this.o.select) this.o.select(this.x[Math.min(a, b)], this.x[Math.max(a, b)]);
			else if (this.o.picked && e.target.classList && e.target.classList.contains("chart")) this.o.picked(this.x[a]);
			this.draw();
		};
		const watch = () => { if (box.isConnected || !this.seen) { this.seen = this.seen || box.isConnected; } else document.removeEventListener("mouseup", up); };
		const up = e => { watch(); this.up(e); };
		document.addEventListener("mouseup", up);
		redraws(box, () => this.draw());
		return keeps(box, this);
	}

	// All of it stays all of it, and grows.
	keep() {
		return this.from || this.to < this.x.length ? [this.x[this.from], this.x[this.to - 1]] : null;
	}

	take(range) {
		if (range) this.zoom(this.x.findIndex(v => v >= range[0]), this.x.findLastIndex(v => v <= range[1]) + 1);
	}

	point(event) {
		const r = this.lanes[0].canvas.getBoundingClientRect(), x = (event.clientX - r.left - LEFT) / Math.max(1, r.width - LEFT - RIGHT);
		return Math.max(this.from, Math.min(this.to - 1, Math.floor(this.from + x * (this.to - this.from))));
	}

	zoom(from, to) {
		this.from = Math.max(0, Math.min(from, this.x.length - 2));
		this.to = Math.min(this.x.length, Math.max(to, this.from + 2));
		this.draw();
	}

	wheel(event) {
		if (!event.ctrlKey && !event.shiftKey) return;
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
			this.lanes.forEach(l => { l.say.textContent = this.label(to) + ": " + format(l.line.type, l.line.y[to]); });
		} else if (event.key === "Enter" && this.anchor !== undefined && this.o.select) {
			this.o.select(this.x[Math.min(this.anchor, at)], this.x[Math.max(this.anchor, at)]);
		} else if (event.key === "Enter" && this.o.picked) this.o.picked(this.x[at]);
		else if (event.key === "+") this.zoom(at - Math.ceil((this.to - this.from) / 4), at + Math.ceil((this.to - this.from) / 4));
		else if (event.key === "-") this.zoom(0, this.x.length);
		else if (event.key === "Escape" && this.o.select) this.o.select(null);
		else return;
		event.preventDefault();
		this.draw();
	}

	label(i) {
		const name = this.s.labels && this.s.labels[i];
		return (this.s.x_type === "ns" ? "" : translated(this.s.x_title || "") + " ") + format(this.s.x_type, this.x[i]) + (name ? ": " + shown(name) : "");
	}

	move(event) {
		const i = this.point(event);
		if (!this.x.length) return;
		this.hover = i;
		this.draw();
		const lines = this.lines.map(l => translated(l.title) + ": " + format(l.type, l.y[i]));
		for (const m of this.s.marks || []) if (i >= m.first && i <= m.last && m.text) lines.push(translated(m.text));
		showTip(event, this.label(i), lines);
	}

	draw() {
		for (const l of this.lanes) if (l.canvas.isConnected) this.drawOne(l);
	}

	drawOne({line, canvas}) {
		const {g, w, h, get} = pencil(canvas), n = this.to - this.from, wide = w - LEFT - RIGHT;
		const limits = [...(this.s.limits || []).filter(l => l.line === line.key), ...((this.o.limits || {})[line.key] || [])];
		let low = 0, high = 0;
		for (let i = this.from; i < this.to; i++) {
			const v = line.y[i];
			if (v !== null) { if (v > high) high = v; if (v < low) low = v; }
		}
		for (const l of limits) high = Math.max(high, l.value);
		if (high === low) high = low + 1;
		high += (high - low) * 0.04;
		const x = i => LEFT + (i - this.from) / Math.max(1, n) * wide, y = v => TOP + (high - v) / (high - low) * (h - TOP - BOTTOM);
		g.font = "11px " + get("--sans");
		g.textAlign = "right";
		g.lineWidth = 1;
		for (let k = 0; k <= 2; k++) {
			const v = low + (high - low) / 1.04 * k / 2, at = Math.round(y(v)) + .5;
			g.strokeStyle = get("--line");
			g.beginPath(); g.moveTo(LEFT, at); g.lineTo(w - RIGHT, at); g.stroke();
			g.fillStyle = get("--faint");
			g.fillText(format(line.type, line.type === "number" ? +v.toPrecision(4) : Math.round(v)), LEFT - 7, at + 4);
		}
		for (const m of this.s.marks || []) {
			if (m.last < this.from || m.first >= this.to) continue;
			g.fillStyle = get(m.mark === "bad" ? "--bad" : "--warn");
			g.globalAlpha = 0.16;
			g.fillRect(x(m.first) - 1, TOP, Math.max(3, x(m.last + 1) - x(m.first)), h - TOP - BOTTOM);
			g.globalAlpha = 1;
		}
		g.fillStyle = get(n < wide / 3 ? "--bar" : "--chart");
		const columns = Math.floor(wide), zero = y(0);
		if (n < wide / 3) {
			for (let i = this.from; i < this.to; i++) {
				if (line.y[i] === null) continue;
				const top = y(line.y[i]);
				g.fillStyle = get(i === this.hover ? "--accent" : "--bar");
				g.fillRect(x(i) + .5, Math.min(top, zero), Math.max(1, wide / n - 1), Math.max(1, Math.abs(zero - top)));
			}
		} else {
			for (let c = 0; c < columns; c++) {
				const a = this.from + Math.floor(c * n / columns), b = Math.max(a + 1, this.from + Math.floor((c + 1) * n / columns));
				let most = -Infinity;
				for (let i = a; i < b; i++) if (line.y[i] !== null && line.y[i] > most) most = line.y[i];
				if (most > -Infinity) g.fillRect(LEFT + c, Math.min(y(most), zero), 1, Math.max(1, Math.abs(zero - y(most))));
			}
		}
		g.textAlign = "left";
		const said = [];
		limits.forEach(l => {
			const at = Math.round(y(l.value)) + .5;
			g.strokeStyle = g.fillStyle = get(l.faint ? "--faint" : "--bad");
			g.setLineDash([5, 4]);
			g.beginPath(); g.moveTo(LEFT, at); g.lineTo(w - RIGHT, at); g.stroke();
			g.setLineDash([]);
			const ty = at > TOP + 14 ? at - 3 : at + 12;
			if (said.some(y => Math.abs(y - ty) < 11)) return;
			said.push(ty);
			g.textAlign = l.faint ? "right" : "left";
			g.strokeStyle = get("--panel");
			g.lineWidth = 3;
			g.strokeText(shown(translated(l.title || "")), l.faint ? w - RIGHT - 3 : LEFT + 4, ty);
			g.lineWidth = 1;
			g.fillText(shown(translated(l.title || "")), l.faint ? w - RIGHT - 3 : LEFT + 4, ty);
		});
		this.drawRange(g, x, h, get);
		g.fillStyle = get("--faint");
		if (n > 0) {
			g.textAlign = "left";
			g.fillText(this.label(this.from), LEFT, h - 4);
			g.textAlign = "right";
			if (n > 1) g.fillText(format(this.s.x_type, this.x[this.to - 1]), w - RIGHT, h - 4);
		}
	}

	drawRange(g, x, h, get) {
		let a, b;
		if (this.start !== undefined && this.hover !== undefined) [a, b] = [Math.min(this.start, this.hover), Math.max(this.start, this.hover) + 1];
		else if (this.anchor !== undefined && this.hover !== undefined) [a, b] = [Math.min(this.anchor, this.hover), Math.max(this.anchor, this.hover) + 1];
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
		if (this.hover !== undefined && this.hover >= this.from && this.hover < this.to) {
			const at = Math.round(x(this.hover + .5)) + .5;
			g.strokeStyle = get("--faint");
			g.beginPath(); g.moveTo(at, TOP); g.lineTo(at, h - BOTTOM); g.stroke();
		}
	}
}
