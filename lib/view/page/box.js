// SPDX-License-Identifier: MIT
// Box plots: a row each from its least to its most, a box from quartile to quartile, a line at the median. The table
// below has the numbers, so the drawing is an image to who does not see it.
import {fit} from "./parts.js";
import {make, pencil, redraws, showTip, hideTip} from "./dom.js";
import {format, typeOf, shown, count} from "./format.js";

const ROW = 22, NAME = 190, RIGHT = 84, FOOT = 4;

export class Boxes {
	// rows: of a section "spread"; picked(frame): the frame of a row's most
	constructor(section, key, rows, picked) {
		const column = word => section.columns.find(c => c.key.replace(/_ns$/, "") === word);
		this.at = Object.fromEntries(["min", "lower_quartile", "median", "upper_quartile", "max"].map(w => [w, column(w)]));
		this.key = key;
		this.rows = rows;
		this.most = Math.max(...rows.map(r => this.of(r, "max")), 1);
		this.canvas = make("canvas", {class: "boxes", role: "img", "aria-label": say("box plots of the first {0} rows; the table has their numbers", rows.length)});
		this.element = make("div", {}, this.canvas);
		this.canvas.onmousemove = e => this.hint(e);
		this.canvas.onmouseleave = hideTip;
		this.canvas.onclick = e => { const r = this.row(e); if (r && picked) picked(r.max_frame); };
		redraws(this.element, () => this.draw());
	}

	of(r, word) {
		return r[this.at[word].key];
	}

	row(e) {
		return this.rows[Math.floor((e.clientY - this.canvas.getBoundingClientRect().top) / ROW)];
	}

	hint(e) {
		const r = this.row(e);
		if (!r) return hideTip();
		showTip(e, r[this.key], Object.entries(this.at).map(([w, c]) => translated(w.replace("_", " ")) + " " + format(typeOf(c), r[c.key]))
			.concat(say("in {0} frames; the most in {1}", count(r.frames), r.max_frame)));
	}

	draw() {
		const {g, w, get} = pencil(this.canvas, this.rows.length * ROW + FOOT), name = Math.min(NAME, w * 0.38), width = Math.max(20, w - name - RIGHT);
		const x = v => name + v / this.most * width;
		g.font = "12px " + getComputedStyle(document.body).fontFamily;
		g.textBaseline = "middle";
		this.rows.forEach((r, i) => {
			const y = i * ROW + ROW / 2, [low, q1, q2, q3, high] = Object.keys(this.at).map(k => x(this.of(r, k)));
			g.fillStyle = get("--text");
			g.fillText(fit(g, shown(r[this.key] || ""), name - 10), 0, y);
			g.strokeStyle = get("--faint");
			g.beginPath();
			for (const [a, b] of [[[low, y], [high, y]], [[low, y - 4], [low, y + 4]], [[high, y - 4], [high, y + 4]]]) { g.moveTo(...a); g.lineTo(...b); }
			g.stroke();
			g.fillStyle = get("--chart-bar");
			g.fillRect(q1, y - 6, Math.max(2, q3 - q1), 12);
			g.fillStyle = get("--text");
			g.fillRect(q2 - 1, y - 8, 2, 16);
			g.fillStyle = get("--faint");
			g.fillText(format(this.at.max.type, this.of(r, "max")), Math.min(high + 6, w - RIGHT + 10), y);
		});
	}
}
