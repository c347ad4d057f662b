// SPDX-License-Identifier: MIT
// A flame graph on a canvas as large as what is seen of it: tm-view's captures have more nodes in view than elements
// are quick for.
import {make, pencil, hideTip} from "./dom.js";
import {count, format, shown} from "./format.js";
import {Flame, ROW, packed} from "./flame.js";
import {ends, fitName, named} from "./parts.js";

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
		for (const o of this.placed) if (o.i > 0) named(this.seen(o.i)); // two of one short name have more of it
		for (const o of this.placed) {
			const [x, w, h] = this.room(o), y = o.y - top;
			if (y + h < 0 || y > high) continue;
			this.paint(g, o, x, y, w, h, {ink, panel, letter, faint: get});
			const chosen = o.i > 0 && (this.o.menu ? this.chosen && this.name(o.i) === this.chosen : o.i === this.one);
			if ((o.i !== this.at || !focused) && !chosen) continue;
			g.strokeStyle = get(chosen ? "--text" : "--accent");
			g.lineWidth = 2;
			g.strokeRect(x + 1, y + 1, Math.max(1, w - 3), h - 3);
			g.lineWidth = 1;
		}
	}

	paint(g, o, x, y, w, h, {ink, panel, letter, faint}) {
		const fold = o.i < 0, hit = !fold && this.hits && this.hits[o.i], text = fold ? w > 60 ? this.foldName(o) : w > 13 + 7 * String(o.to - o.from).length ? "+" + count(o.to - o.from) : ""
			: w > 26 && h > 12 ? this.map ? " " : this.seen(o.i) : "";
		g.globalAlpha = o.path ? 0.5 : 1;
		if (this.o.select && !fold && !hit && this.hits) g.globalAlpha *= .4;
		g.fillStyle = hit ? faint("--hit") : fold ? faint("--hover") : this.o.tone ? faint(this.o.tone(this.map ? o.last : o.i)) : this.fill(this.map ? o.last : o.i, faint);
		g.fillRect(x, y, Math.max(0.6, w - 1), h - 1);
		if (this.map) { g.strokeStyle = panel; g.strokeRect(x + .5, y + .5, w - 1, h - 1); }
		g.fillStyle = hit ? "#fff" : fold ? o.hits ? faint("--hit") : faint("--faint") : ink;
		if (text && this.map && !fold) this.title(g, o, x, y, w, h, letter);
		else if (text) {
			// The value where there is room for both, if for the end of the name.
			const name = shown(named(text)), value = !fold && !this.map && this.o.pick ? this.base ? format(this.type, this.total[o.i] - this.base[o.i], undefined, true) : format(this.type, this.weight[o.i]) : "", room = w - (value.length + 3) * letter, both = value && [...ends(name)].find(f => f.length * letter < room);
			g.fillText(both || fitName(g, name, w - 7, letter), x + 4, y + (this.map ? 9 : h / 2), w - 6);
			if (both) { g.textAlign = "right"; g.globalAlpha *= .8; g.fillText(value, x + w - 6, y + h / 2); g.textAlign = "left"; }
		}
		g.globalAlpha = 1;
	}

	// A box of the map: its name, and how much it is beside it or below.
	title(g, o, x, y, w, h, letter) {
		const letters = Math.floor((w - 8) / letter), {name, size} = this.titled(o, letters, n => shown(named(n))), beside = name.length + size.length + 2 <= letters;
		g.fillText(fitName(g, name, w - 7, letter), x + 4, y + 9, w - 6);
		if (!beside && (o.kids.length || h < 34 || size.length > letters)) return;
		const before = g.globalAlpha;
		g.globalAlpha *= .8;
		if (beside) g.textAlign = "right";
		g.fillText(size, beside ? x + w - 6 : x + 4, y + (beside ? 9 : 25));
		g.textAlign = "left";
		g.globalAlpha = before;
	}

	// What a click chooses is outlined; it zooms where nothing is to be chosen, else a double click does.
	tools() {
		super.tools();
		const at = (event, f) => { const o = this.node(event); if (o) f(o); };
		if (this.o.menu) this.rows.oncontextmenu = event => at(event, o => { if (o.i > 0) { event.preventDefault(); this.o.menu(this.name(o.i), event); } });
		if (!this.o.select) return;
		this.path.textContent = this.o.menu ? say("a click selects, a double click zooms, the right button has more") : say("a click selects, a double click zooms");
		this.rows.onclick = event => at(event, o => {
			if (o.i < 0) return this.enter(o);
			this.at = o.i;
			this.showPath(o.i);
			this.focus();
			this.select(o.i);
		});
		this.rows.ondblclick = event => at(event, o => this.enter(o));
	}

	select(i) {
		this.chosen = i ? this.name(i) : null;
		this.one = i;
		this.show();
		if (i) this.o.select(this.chosen, i);
	}

	// What is zoomed into, and what a search goes to, is chosen, as what is clicked is.
	enter(o) {
		super.enter(o);
		if (this.o.select && o.i > 0) this.select(o.i);
	}

	next(step) {
		super.next(step);
		if (this.o.select && this.found && this.found.length) this.select(this.at);
	}

	// The way to what is zoomed into, as places among the calls of each call.
	way() {
		const out = [];
		for (let i = this.zoomed; i; i = this.parent[i]) out.unshift([...this.kids(this.parent[i])].indexOf(i));
		return out.join(".");
	}

	go(way) {
		let i = 0;
		for (const k of way ? way.split(".") : []) {
			const next = this.kids(i)[+k];
			if (next === undefined) break;
			i = next;
		}
		if (i !== this.zoomed) { this.quiet = true; this.zoom(i); this.quiet = false; }
	}

	zoom(...to) {
		super.zoom(...to);
		if (this.o.zoomed && !this.quiet) this.o.zoomed(this.way());
	}

	focus() {
		if (document.activeElement !== this.canvas) this.canvas.focus({preventScroll: true});
	}

	tellAt(o) {
		if (o) this.showPath(Math.max(0, o.i));
	}
}

// pick(name, event): more of a function is asked for. mode, moded(mode): as what it is drawn is in the address; so is
// where it is zoomed to: zoomed(way). select(name, node): what a click is then for; without a menu it is for that node
// alone. tone(node): the name of its colour.
export const flame = (section, pick, mode, moded, more) => new CanvasFlame(packed(section), {pick, mode, moded: moded || (() => {}), ...more});
