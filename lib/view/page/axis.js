// SPDX-License-Identifier: MIT
// The one axis of time that all tracks share, and values along it that are drawn at any zoom: of each range the least
// and the largest value are known without a look at all of them.
import {format} from "./format.js";

const GLIDE = 120;

export class Axis {
	// unit: "ns", or "count" where frames have no times. changed(): it shows another part.
	constructor(low, high, unit, changed) {
		Object.assign(this, {low, high: Math.max(high, low + 1), unit, changed, left: 0, width: 1});
		this.from = low;
		this.to = this.high;
	}

	x(t) { return (t - this.from) / (this.to - this.from) * this.width; }
	t(x) { return this.from + x / this.width * (this.to - this.from); }
	whole() { return this.from <= this.low && this.to >= this.high; }

	bounded(from, to) {
		const least = this.unit === "ns" ? 200 : 2, all = this.high - this.low, width = Math.min(all, Math.max(least, to - from));
		const mid = (from + to) / 2, a = Math.max(this.low, Math.min(this.high - width, mid - width / 2));
		return [a, a + width];
	}

	set(from, to) {
		cancelAnimationFrame(this.gliding);
		this.goal = null;
		[this.from, this.to] = this.bounded(from, to);
		this.changed();
	}

	// There in a moment; what comes meanwhile begins where this one leads to.
	glide(from, to) {
		const [a, b] = this.goal = this.bounded(from, to), [c, d] = [this.from, this.to], begin = performance.now();
		cancelAnimationFrame(this.gliding);
		if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.set(a, b);
		const step = now => {
			const k = Math.min(1, Math.max(0, (now - begin) / GLIDE)), e = k * (2 - k);
			this.from = c + (a - c) * e;
			this.to = d + (b - d) * e;
			if (k < 1) this.gliding = requestAnimationFrame(step);
			else { this.goal = null; [this.from, this.to] = [a, b]; }
			this.changed();
		};
		this.gliding = requestAnimationFrame(step);
	}

	zoom(at, factor, now) {
		const [from, to] = this.goal || [this.from, this.to];
		(now ? this.set : this.glide).call(this, at - (at - from) * factor, at + (to - at) * factor);
	}

	pan(part) {
		const [from, to] = this.goal || [this.from, this.to], d = (to - from) * part;
		this.glide(from + d, to + d);
	}

	// Round values, about so many pixels from each other.
	ticks(apart = 110) {
		const most = Math.max(2, this.width / apart), rough = (this.to - this.from) / most, ten = 10 ** Math.floor(Math.log10(rough));
		const step = Math.max(this.unit === "ns" ? 1 : 1, [1, 2, 5, 10].map(k => k * ten).find(k => k >= rough)), out = [];
		for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) out.push(t);
		return {step, at: out};
	}

	// A time as all ticks of this step have it; with more digits than they have.
	label(t, step, more = 0) {
		if (this.unit !== "ns") return format("count", Math.round(t));
		const [unit, word] = step >= 1e8 ? [1e9, "s"] : step >= 1e5 ? [1e6, "ms"] : step >= 100 ? [1e3, "µs"] : [1, "ns"];
		return (t / unit).toFixed(Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9)) + more) + " " + word;
	}
}

// Of values (null: none) the largest of any range, by halves.
export class Levels {
	constructor(values) {
		let at = Float64Array.from(values, v => v === null || v === undefined ? -Infinity : v);
		this.levels = [at];
		while (at.length > 1) {
			const next = new Float64Array((at.length + 1) >> 1);
			for (let i = 0; i < next.length; i++) next[i] = Math.max(at[2 * i], 2 * i + 1 < at.length ? at[2 * i + 1] : -Infinity);
			this.levels.push(at = next);
		}
		this.most = at.length ? at[0] : -Infinity;
	}

	max(from, to) {
		let m = -Infinity, k = 0;
		for (let a = from, b = to; a < b; k++, a >>= 1, b >>= 1) {
			const v = this.levels[k];
			if (a & 1) m = Math.max(m, v[a++]);
			if (b & 1) m = Math.max(m, v[--b]);
		}
		return m;
	}
}

// The first of ascending values that is not below v.
export function lower(values, v) {
	let a = 0, b = values.length;
	while (a < b) {
		const m = (a + b) >> 1;
		if (values[m] < v) a = m + 1;
		else b = m;
	}
	return a;
}
