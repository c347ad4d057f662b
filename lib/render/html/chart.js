// SPDX-License-Identifier: MIT
// Charts of series: a canvas per line over one range of points. A pixel's column runs from the least
// to the largest of its points, so no spike is lost.
"use strict";
const LEFT = 84, RIGHT = 10, TOP = 8, BOTTOM = 20;

class Chart {
	constructor(section) {
		this.d = data(section);
		this.section = section;
		this.from = 0;
		this.to = this.d.x.length; // half-open
		this.tools();
		this.draw();
		addEventListener("resize", () => this.draw());
	}

	tools() {
		const bar = this.section.querySelector(".tools");
		this.reset = make("button", "", say("reset zoom"));
		this.reset.onclick = () => this.zoom(0, this.d.x.length);
		this.say = make("span", "say");
		bar.append(this.reset, this.say);
		this.charts = this.d.lines.map((line, k) => {
			const canvas = make("canvas");
			this.section.querySelector(".charts").append(make("div", "line-title", translated(line.title)), canvas);
			canvas.onmousemove = event => this.move(event, k);
			canvas.onmouseleave = () => { hideTip(); this.hover = undefined; this.draw(); };
			canvas.onmousedown = event => { this.start = this.point(event); event.preventDefault(); };
			canvas.ondblclick = () => this.zoom(0, this.d.x.length);
			canvas.addEventListener("wheel", event => this.wheel(event), {passive: false});
			return {line, canvas};
		});
		addEventListener("mouseup", event => {
			if (this.start === undefined) return;
			const a = this.start, b = this.point(event);
			this.start = undefined;
			if (Math.abs(a - b) > 1) this.zoom(Math.min(a, b), Math.max(a, b) + 1);
			else this.draw();
		});
	}

	width() {
		return this.charts[0].canvas.clientWidth;
	}

	point(event) {
		const r = this.charts[0].canvas.getBoundingClientRect();
		const x = (event.clientX - r.left - LEFT) / Math.max(1, r.width - LEFT - RIGHT);
		const i = Math.floor(this.from + x * (this.to - this.from));
		return Math.max(this.from, Math.min(this.to - 1, i));
	}

	zoom(from, to) {
		const n = this.d.x.length;
		this.from = Math.max(0, Math.min(from, n - 1));
		this.to = Math.min(n, Math.max(to, this.from + Math.min(2, n)));
		this.draw();
	}

	wheel(event) {
		if (!event.ctrlKey && !event.shiftKey && !event.altKey) return; // the page scrolls
		event.preventDefault();
		const at = this.point(event), f = event.deltaY > 0 ? 1.25 : 0.8;
		this.zoom(Math.round(at - (at - this.from) * f), Math.round(at + (this.to - at) * f));
	}

	label(i) {
		const d = this.d, name = d.labels && d.labels[i];
		return (d.x_title ? translated(d.x_title) + " " : "") + format(d.x_type, d.x[i]) + (name ? ": " + name : "");
	}

	move(event) {
		const d = this.d, i = this.point(event);
		if (!d.x.length) return;
		this.hover = i;
		this.draw();
		const lines = d.lines.map(l => translated(l.title) + ": " +
			(l.y[i] === null ? say("not known") : format(l.type, l.y[i], l.decimals)));
		if (d.time) lines.push(say("at {0}", format("ns", d.time[i])));
		for (const m of d.marks) if (i >= m.first && i <= m.last && m.text) lines.push(translated(m.text));
		showTip(event, this.label(i), lines);
	}

	draw() {
		if (!this.charts.length) return;
		for (const c of this.charts) this.drawOne(c);
		const all = this.from === 0 && this.to === this.d.x.length;
		this.reset.disabled = all;
		this.say.textContent = this.d.x.length === 0 ? say("no points") : all
			? say("drag to zoom, double click to see all")
			: say("{0} to {1}", this.label(this.from), this.label(this.to - 1));
	}

	drawOne({line, canvas}) {
		const css = getComputedStyle(document.documentElement), get = n => css.getPropertyValue(n);
		const w = canvas.clientWidth, h = canvas.clientHeight, g = canvas.getContext("2d");
		const dpr = devicePixelRatio || 1, n = this.to - this.from;
		canvas.width = w * dpr;
		canvas.height = h * dpr;
		g.scale(dpr, dpr);
		g.font = "11px system-ui, sans-serif";
		const values = line.y.slice(this.from, this.to).filter(v => v !== null);
		const limits = this.d.limits.filter(l => this.d.lines[l.line] === line);
		for (const l of limits) values.push(l.value);
		if (!this.d.cropped) values.push(0);
		let low = values.reduce((a, b) => Math.min(a, b), Infinity);
		let high = values.reduce((a, b) => Math.max(a, b), -Infinity);
		if (!values.length) low = high = 0;
		// Where differences matter, a tenth of them stands below the least value.
		if (this.d.cropped && values.length) low -= Math.ceil((high - low || Math.abs(low) || 1) / 10);
		if (high === low) high = low + 1;
		const x = i => LEFT + (i - this.from) / Math.max(1, n) * (w - LEFT - RIGHT);
		const y = v => TOP + (high - v) / (high - low) * (h - TOP - BOTTOM);
		for (const m of this.d.marks) {
			if (m.last < this.from || m.first >= this.to) continue;
			const a = x(Math.max(m.first, this.from)), b = x(Math.min(m.last + 1, this.to));
			g.fillStyle = get(m.mark === "bad" ? "--shade-bad" : "--shade-warn");
			g.fillRect(a - 1, TOP, Math.max(3, b - a + 1), h - TOP - BOTTOM);
		}
		g.lineWidth = 1;
		g.textAlign = "right";
		for (let k = 0; k <= 2; k++) {
			const v = low + (high - low) * k / 2, at = Math.round(y(v)) + .5;
			g.strokeStyle = get("--line");
			g.beginPath(); g.moveTo(LEFT, at); g.lineTo(w - RIGHT, at); g.stroke();
			g.fillStyle = get("--faint");
			g.fillText(format(line.type, line.type === "decimal" ? +v.toPrecision(4) : Math.round(v), line.decimals), LEFT - 8, at + 4);
		}
		this.drawValues(g, line, x, y, w, get("--chart"), this.d.cropped ? low : 0);
		for (const l of limits) {
			const at = Math.round(y(l.value)) + .5;
			g.strokeStyle = g.fillStyle = get("--bad");
			g.setLineDash([5, 4]);
			g.beginPath(); g.moveTo(LEFT, at); g.lineTo(w - RIGHT, at); g.stroke();
			g.setLineDash([]);
			g.textAlign = "left";
			g.fillText(translated(l.title || ""), LEFT + 4, at > TOP + 14 ? at - 4 : at + 12);
		}
		g.fillStyle = get("--faint");
		if (n > 0) {
			g.textAlign = "left";
			g.fillText(this.label(this.from), LEFT, h - 5);
			g.textAlign = "right";
			if (n > 1) g.fillText(format(this.d.x_type, this.d.x[this.to - 1]), w - RIGHT, h - 5);
		}
		if (this.hover !== undefined && this.hover >= this.from && this.hover < this.to) {
			const at = Math.round(x(this.hover + .5)) + .5;
			g.strokeStyle = get("--faint");
			g.beginPath(); g.moveTo(at, TOP); g.lineTo(at, h - BOTTOM); g.stroke();
		}
		if (this.start !== undefined && this.hover !== undefined) {
			const a = x(Math.min(this.start, this.hover)), b = x(Math.max(this.start, this.hover) + 1);
			g.fillStyle = "#7ba3f244";
			g.fillRect(a, TOP, b - a, h - TOP - BOTTOM);
		}
	}

	// Bars where a point has a pixel and more, columns from least to largest where it has less.
	drawValues(g, line, x, y, w, colour, floor) {
		const n = this.to - this.from, columns = Math.max(1, w - LEFT - RIGHT);
		const css = getComputedStyle(document.documentElement);
		g.fillStyle = colour;
		if (n <= columns) {
			for (let i = this.from; i < this.to; i++) {
				if (line.y[i] === null) continue;
				const step = this.d.cropped && this.d.marks.find(m => i >= m.first && i <= m.last);
				g.fillStyle = step ? css.getPropertyValue(step.mark === "bad" ? "--bad" : "--good") : colour;
				const a = y(line.y[i]), b = y(floor), gap = n * 4 < columns ? 1 : 0;
				g.fillRect(x(i), Math.min(a, b), Math.max(1, x(i + 1) - x(i) - gap), Math.max(1, Math.abs(b - a)));
			}
			return;
		}
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
}

for (const section of document.querySelectorAll("section.series")) new Chart(section);
