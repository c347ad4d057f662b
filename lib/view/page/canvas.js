// SPDX-License-Identifier: MIT
// A flame graph on a canvas as large as what is seen of it: tm-view's captures have more nodes in view than elements
// are quick for.
import {make, pencil, hideTip} from "./dom.js";
import {count, shown} from "./format.js";
import {Flame, ROW, packed} from "./flame.js";
import {fit} from "./parts.js";

class CanvasFlame extends Flame {
	surface() {
		this.canvas = make("canvas", {tabindex: 0, role: "img", "aria-label": say("{0}: arrow keys go from call to call, Enter zooms, Escape goes back", translated(this.d.title)),
			onfocus: () => this.show(), onblur: () => { hideTip(); this.show(); }});
		this.rows = make("div", {class: "rows"}, this.canvas);
		this.graph = make("div", {class: "graph"}, this.rows);
	}

	node(event) {
		if (event.clientX === undefined) return null;
		const r = this.rows.getBoundingClientRect(), x = event.clientX - r.left, y = event.clientY - r.top;
		return (this.placed || []).findLast(o => { const [ox, w, h] = this.room(o); return x >= ox && x < ox + w && y >= o.y && y < o.y + h; }) || null;
	}

	// From where in pixels, and how wide and high.
	room(o) {
		return this.map ? [o.x, o.w, o.h] : [o.x * this.width, o.w * this.width, ROW];
	}

	show() {
		if (!this.placed) return;
		const top = this.graph.scrollTop, high = Math.min(this.graph.clientHeight || innerHeight, this.rows.offsetHeight), {g, get} = pencil(this.canvas, high);
		const ink = get("--on-flame"), panel = get("--panel"), focused = document.activeElement === this.canvas;
		g.font = "11.5px " + get("--mono");
		g.textBaseline = "middle";
		const letter = g.measureText("m").width;
		for (const o of this.placed) {
			const [x, w, h] = this.room(o), y = o.y - top;
			if (y + h < 0 || y > high) continue;
			this.paint(g, o, x, y, w, h, {ink, panel, letter, faint: get});
			if (o.i !== this.at || !focused) continue;
			g.strokeStyle = get("--accent");
			g.lineWidth = 2;
			g.strokeRect(x + 1, y + 1, Math.max(1, w - 3), h - 3);
			g.lineWidth = 1;
		}
	}

	paint(g, o, x, y, w, h, {ink, panel, letter, faint}) {
		const fold = o.i < 0, hit = !fold && this.hits && this.hits[o.i], text = fold ? w > 60 ? this.foldName(o) : w > 6 + 7 * String(o.to - o.from).length ? count(o.to - o.from) : ""
			: w > 26 && h > 12 ? this.map ? o.names.join(" › ") : this.seen(o.i) : "";
		g.globalAlpha = o.path ? 0.5 : 1;
		g.fillStyle = hit ? "#c23bc2" : fold ? faint("--hover") : `hsl(${this.hue(this.map ? o.last : o.i)} ${this.light})`;
		g.fillRect(x, y, Math.max(0.6, w - 1), h - 1);
		if (this.map) { g.strokeStyle = panel; g.strokeRect(x + .5, y + .5, w - 1, h - 1); }
		g.fillStyle = hit ? "#fff" : fold ? o.hits ? "#c23bc2" : faint("--faint") : ink;
		if (text) g.fillText(fit(g, shown(text), w - 7, letter), x + 4, y + (this.map ? 9 : h / 2), w - 6);
		g.globalAlpha = 1;
	}

	focus() {
		if (document.activeElement !== this.canvas) this.canvas.focus({preventScroll: true});
	}

	tellAt(o) {
		if (o) this.showPath(Math.max(0, o.i));
	}
}

// pick(name): more of a function is asked for. mode, moded(mode): as what it is drawn is in the address.
export const flame = (section, pick, mode, moded) => new CanvasFlame(packed(section), {pick, mode, moded: moded || (() => {})});
