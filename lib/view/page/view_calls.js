// SPDX-License-Identifier: MIT
// Where it goes: the graph, the functions, and of the chosen one its callers, its callees and its source, at once.
import {card, legend, none} from "./cards.js";
import {flame} from "./canvas.js";
import {menu} from "./menu.js";
import {sandwich} from "./sandwich.js";
import {lines} from "./view_source.js";
import {rowsOf} from "./lines.js";
import {literally, libraryOf, place, plainly, segments, named as brief} from "./parts.js";
import {make, button, pencil, redraws, showTip, hideTip} from "./dom.js";
import {count, format, typeOf, share} from "./format.js";
import {Table} from "./table.js";
import {section} from "./ask.js";
import {choice, offered} from "./view_table.js";
import {modulesOf} from "./modules.js";
import {shadeOf, kindsOf} from "./tracks.js";

export const title = "Calls";
export const part = "All at once";
export const named = true;
export const fits = has => has.calls;
export const light = ["peek", "at"];

const sorts = ["auto", "count", "requested", "real", "live", "peak", "temporary", "self-time", "samples", "period"];

// The stacks from their innermost call outward. What has less than the least part of all, which is no pixel wide, is not
// followed to its callers: they are one, and are there when a filter leaves less.
const LEAST = 1 / 20000;
function turned(s) {
	const nodes = s.nodes, out = [{...nodes[0], self: 0, base: 0}], at = Uint32Array.from(nodes, (_, i) => i), ids = new Map(), id = new Uint32Array(nodes.length);
	nodes.forEach((v, i) => { const key = v.name + "\n" + (v.at || ""); let k = ids.get(key); if (k === undefined) ids.set(key, k = ids.size); id[i] = k; });
	const ends = [...id.keys()].filter(i => i && nodes[i].self), least = LEAST * ends.reduce((sum, i) => sum + nodes[i].self, 0), todo = [[0, ends]];
	while (todo.length) {
		// In pre-order, as a report has them: a node is made when it is its turn. list: the stacks that begin with it.
		const [parent, list, more] = todo.pop(), weight = list.reduce((sum, i) => sum + nodes[i].self, 0);
		let i = 0;
		if (more) {
			const v = nodes[at[list[0]]];
			i = out.push({parent, name: v.name, at: v.at, self: 0}) - 1;
			for (const e of list) at[e] = nodes[at[e]].parent;
			const done = list.filter(e => !at[e]);
			for (const e of done) out[i].self += nodes[e].self;
			if (done.length === list.length) continue;
			if (weight < least) { out.push({parent: i, name: "(smaller)", self: weight - out[i].self}); continue; }
		}
		const by = new Map();
		for (const e of list) if (at[e]) { const k = id[at[e]], l = by.get(k); if (l) l.push(e); else by.set(k, [e]); }
		for (const l of [...by.values()].reverse()) todo.push([i, l, true]);
	}
	return {...s, nodes: out};
}

// What a function has in all, and the part of all that this is.
const sums = (t, head) => { const c = t.columns.find(x => x.key.startsWith("total_") && x.type !== "percent"); return [format(typeOf(c), head[c.key]), format("percent", head.total_share)]; };

// Functions with that line of theirs which has most, of the lines that are known. Functions of two modules may share a name.
function located(t, places) {
	if (!places || t.columns.some(c => c.key === "file")) return t;
	const at = new Map(), both = [t, places].every(x => x.columns.some(c => c.key === "module")), key = r => r.function + "\n" + (both && r.module || "");
	for (const r of places.rows) if (r.file && r.function && !at.has(key(r))) at.set(key(r), r);
	if (!at.size) return t;
	for (const r of t.rows) { const l = at.get(key(r)); r.file = l ? l.file : null; r.line = l ? l.line : null; }
	return {...t, columns: [...t.columns, {key: "file", title: "costliest line", type: "text"}, {key: "line", title: "line", type: "count"}]};
}

async function sourceOf(context, name, library) {
	const sort = context.state.sort && context.state.sort !== "auto" ? ["--sort", context.state.sort] : [];
	const a = await context.ask(["top", "--source", literally(name), ...library, ...context.sources.flatMap(d => ["--source-dir", d]), ...context.filters(), ...sort, "-n", "3", "--table", "source"]);
	const t = a.doc && section(a.doc, "table", "source"), heads = t ? t.rows.map((r, i) => r._depth ? -1 : i).filter(i => i >= 0) : [];
	const more = make("a", {class: "sp", href: "#" + new URLSearchParams({...context.state, view: "source", fn: name})}, say("instructions, all files →"));
	if (!heads.length) return card(say("Source"), more, none(say("This function costs nothing that counts here.")));
	const i = heads[0], head = t.rows[i], rows = t.rows.slice(i + 1, heads[1] ?? t.rows.length), text = rows.some(r => r.line !== null && r.text), where = head.file ? head.file.split("/").slice(-2).join("/") : "";
	const list = lines(t, head, rows, true);
	const cut = () => list.classList.toggle("more-right", list.scrollLeft + list.clientWidth < list.scrollWidth - 1);
	redraws(list, cut);
	list.addEventListener("scroll", cut);
	setTimeout(() => { cut(); const hot = rowsOf(list).find(r => r.classList.contains("hot")); if (hot) list.scrollTop = hot.offsetTop - list.clientHeight / 3; }, 50);
	const why = text ? null : head.file ? say("The text of {0} was not found: start with --source-dir DIR.", head.file) : say("The capture has no file and no line of this function.");
	return card(say("Source"), make("span", {class: "sp row"}, make("span", {class: "file", title: head.file}, where), more), why ? make("p", {class: "empty file"}, why) : null, head.file ? list : none(say("{0}, {1} of all", ...sums(t, head))));
}

// Where it is called from: the lines of its nearest callers, by the stacks of the report.
async function callLines(context, f, name, library, sort) {
	// One filter by function is all that a question has.
	if (context.state.focus) return null;
	const a = await context.ask(["top", "--by", "stack", "--focus", literally(name), ...library, ...context.filters(), ...sort, "-n", "1000", "--table", "top"]), t = a.doc && section(a.doc, "table", "top");
	const c = t && t.columns.find(c => c.title === f.metric) || null, by = new Map();
	if (!c) return null;
	let all = 0;
	for (const r of t.rows) {
		const calls = (r._details || []).map(d => /^(.*?)(?: {2}(\S.*):(\d+))?$/.exec(d)), at = calls.findLastIndex(m => m && m[1] === name), from = at >= 0 && calls[at + 1], v = r[c.key] || 0;
		all += v;
		if (!from || !v) continue;
		const key = from[0], e = by.get(key) || {name: from[1], file: from[2], line: +from[3] || 0, v: 0};
		e.v += v;
		by.set(key, e);
	}
	const rows = [...by.values()].filter(e => e.file).sort((a, b) => b.v - a.v);
	if (!rows.length) return null;
	return make("div", {class: "lines-of"}, make("span", {class: "side"}, say("calling lines")), ...rows.slice(0, 8).map(e => make("a", {href: "#" + new URLSearchParams({...context.state, view: "source", fn: e.name, line: e.line}), title: e.file + ":" + e.line},
		make("span", {class: "one file"}, brief(e.name)), make("code", {}, place(e.file, e.line)), make("b", {}, format(typeOf(c), e.v)), make("span", {class: "faint"}, share(e.v, all)))),
		rows.length > 8 ? make("span", {class: "side"}, say("and {0} more", count(rows.length - 8))) : null);
}

// What is live of it over the run: a line, and how much more it is at the end than at half of the time. One filter by function is
// all that a question has.
const STEPS = 120;
async function growth(context, numbers, name, library) {
	const {has, state: s} = context, span = numbers && numbers.duration_ns;
	if (!has.memory || !span || s.focus) return null;
	const a = await context.ask(["frames", "--chart", numbers.live_real === undefined ? "live-requested" : "live-real", "--focus", literally(name), ...library, ...context.filters(), "--every", Math.max(1, Math.ceil(span / STEPS)) + "ns", "--as", "json"], false, true), c = a.doc && section(a.doc, "series");
	if (!c || c.x.length < 8 || !c.lines.length) return null;
	const y = c.x.map((_, i) => c.lines.reduce((sum, l) => sum + (l.y[i] || 0), 0)), type = typeOf(c.lines[0], c.title), most = Math.max(...y), begin = numbers.start_ns, [low, high] = begin === undefined ? [c.x[0], c.x.at(-1)] : [begin, begin + span], middle = (low + high) / 2, last = c.x.findLastIndex(t => t <= middle), half = last < 0 ? 0 : y[last], more = y.at(-1) - half;
	if (!most || high <= low) return null;
	const canvas = make("canvas", {class: "growing", role: "img", "aria-label": say("live bytes over the run")});
	redraws(canvas, () => {
		const {g, w, h, get} = pencil(canvas, 64), x = t => (w - 2) * Math.max(0, Math.min(1, (t - low) / (high - low))) + 1, up = v => h - 3 - (h - 8) * v / most;
		g.fillStyle = get("--line");
		g.fillRect(Math.round(x(middle)), 0, 1, h);
		g.beginPath();
		g.moveTo(x(low), up(0));
		y.forEach((v, i) => { g.lineTo(x(c.x[i]), up(i ? y[i - 1] : 0)); g.lineTo(x(c.x[i]), up(v)); });
		g.lineTo(x(high), up(y.at(-1)));
		g.strokeStyle = get(more > 0 ? "--bad" : "--o1");
		g.lineWidth = 1.5;
		g.stroke();
		g.lineTo(x(high), h);
		g.lineTo(x(low), h);
		g.fillStyle = g.strokeStyle;
		g.globalAlpha = .12;
		g.fill();
		g.globalAlpha = 1;
	});
	canvas.onmousemove = e => { const t = low + (e.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth * (high - low), i = c.x.findLastIndex(at => at <= t); showTip(e, format(type, i < 0 ? 0 : y[i]), [format(c.x_type, Math.max(low, Math.min(high, Math.round(t))))]); };
	canvas.onmouseleave = hideTip;
	return make("div", {class: "growth-of"}, make("span", {class: "side"}, say("live bytes over the run"), " ", make("b", {class: more > 0 ? "up" : null}, more ? say("{0} in the second half", format(type, more, undefined, true)) : say("level in the second half"))), canvas,
		make("span", {class: "ends"}, make("span", {}, format(c.x_type, low)), make("span", {}, say("most {0}", format(type, most))), make("span", {}, format(c.x_type, high))));
}

// What is not in the graph as all of its stack is library code.
async function alone(context, sort, f, go) {
	const a = await context.ask(["top", "--by", "function", ...context.filters(), ...sort, "-n", "1", "--table", "top"]), t = a.doc && section(a.doc, "table", "top");
	const c = t && t.columns.find(c => c.title === f.metric || c.title === f.metric + " self"), all = c && t.totals && t.totals.at(-1)[c.key], left = all ? all - f.nodes.reduce((sum, n) => sum + n.self, 0) : 0;
	// What is rounded for the graph is no stack.
	if (left <= all / 1e6) return null;
	return [say("{0} ({1}) in stacks of library code alone is not shown", c.type === "count" ? count(left) + " " + translated(plainly(f.metric)) : format(typeOf(c), left), share(left, all)), " ", button(say("show"), () => go({lib: "1"}), {class: "quiet"})];
}

export async function show(context) {
	const {state: s, go} = context, {words: library, toggle: hides} = libraryOf(context), sort = s.sort && s.sort !== "auto" ? ["--sort", s.sort] : [];
	const graph = ["top", "--by", "stack", ...library, ...context.filters(), ...sort, "-n", "1", "--table", "stacks"];
	const words = ["top", "--by", "function", "--cumulative", ...library, ...context.filters(), ...sort, "-n", "500", "--table", "top"];
	const four = make("div", {class: "four"}, make("p", {class: "faint"}, say("adding up …")));
	context.begin(four);
	// The functions by what is in them and what they call; of some metrics only what is in them is known.
	const functions = context.ask(words).catch(e => { if (e.name === "AbortError") throw e; return context.ask(words.filter(w => w !== "--cumulative")).catch(x => ({doc: null, error: x.message})); });
	context.shows(words);
	const [a, own, metrics] = await Promise.all([context.ask(graph), modulesOf(context), offered(context, sorts, s.sort)]), f = a.doc && section(a.doc, "flame");
	if (!f || f.nodes.length < 2) return none(say("No stack is left to draw."), say("These filters leave nothing."), button(say("clear all"), () => context.clear()));
	const modules = new Map(), tone = (n, at) => "--" + shadeOf(n, at, at, own), up = s.up === "1", drawn = flame(up ? turned(f) : f, n => menuless(n), s.mode, m => go({mode: m === "icicle" ? null : m}, true),
		{tone: i => i ? tone(drawn.name(i), drawn.place(i)) : "--library", select: n => choose(n), menu: (n, e) => menu(e, n, context, modules.get(n)), zoomed: w => go({at: w || null})});
	function menuless(n) { go({view: "callers", peek: n}); }
	const folded = s.lib === "1" ? null : button(say("library code merged into its callers"), () => go({lib: "1"}), {class: "chip"});
	const head = make("span", {class: "sp row"}, segments(say("direction"), [["", say("from roots")], ["1", say("from leaves")]], s.up || "", v => go({up: v || null, at: null})), choice(context, "sort", metrics, s.sort || "auto", say("widths")),
		hides);
	const dropped = make("span", {class: "faint"});
	head.append(dropped);
	if (s.lib !== "1") alone(context, sort, f, go).then(e => e && dropped.replaceChildren(...e)).catch(() => {});
	const metric = make("span", {class: "faint", title: translated(f.metric)}, translated(plainly(f.metric)));
	const left = card(say("Call graph"), make("span", {class: "row grows"}, metric, head), make("div", {class: "in"}, make("div", {class: "crumbs"}, folded, make("span", {}, say("{0} nodes", count(f.nodes.length))), legend([...kindsOf(own, f.nodes.slice(1).map(n => ({function: n.name, file: n.at, module: n.at}))), ["--hit", say("found")]])), drawn.element));
	const right = make("div", {class: "card"}), under = make("div", {class: "card"}), source = make("div", {class: "card"});
	four.replaceChildren(left, right, under, source);
	let table = null, parts = [under, source], mine = 0, followed = null;
	const swap = (k, to) => { parts[k].replaceWith(to); parts[k] = to; };
	const alike = new Map(); // names of functions in several modules: how many
	// The heaviest is chosen where nobody chose.
	const names = new Map();
	const total = new Float64Array(f.nodes.length);
	for (let i = f.nodes.length - 1; i > 0; i--) { total[i] += f.nodes[i].self; total[f.nodes[i].parent] += total[i]; names.set(f.nodes[i].name, (names.get(f.nodes[i].name) || 0) + f.nodes[i].self); }
	const heaviest = [...names].sort((x, y) => y[1] - x[1])[0];
	async function follow(name) {
		const turn = ++mine;
		if (s.peek) context.shows(["top", "--peek", literally(name), ...library, ...context.filters(), ...sort]);
		drawn.chosen = followed = name; // the graph marks what is clicked before it is followed
		drawn.show();
		const of = sandwich(f, name, choose, tone);
		const from = make("div", {}), grown = make("div", {});
		growth(context, a.doc.numbers, name, library).then(e => e && grown.replaceChildren(e)).catch(() => {});
		callLines(context, f, name, library, sort).then(e => e && from.replaceChildren(e)).catch(() => {});
		swap(0, card(say("Callers and callees"), make("span", {class: "sp one file", title: name}, brief(name)), make("div", {class: "in"}, of ? make("div", {}, (alike.get(name) || 0) > 1 ? make("p", {class: "faint", "data-alike": ""}, say("The sum of {0} functions of this name, each in a module of its own.", count(alike.get(name)))) : "", of, from, grown) : none(say("No stack has this function."), say("It may be hidden as library code, or by a filter."), button(say("show library code"), () => go({lib: "1"}))))));
		if (table) table.reveal(table.s.rows.findIndex(r => r.function === name), !s.peek);
		const made = await sourceOf(context, name, library).catch(e => e.name === "AbortError" ? null : card(say("Source"), "", none(say("No source"), translated(e.message))));
		if (made && turn === mine) swap(1, made);
	}
	function choose(name) { go({peek: name}); }
	const [b, p] = await Promise.all([functions, context.ask(["top", "--by", "location", "--cumulative", ...library, ...context.filters(), ...sort, "-n", "2000", "--table", "top"]).catch(e => { if (e.name === "AbortError") throw e; return {}; })]);
	const t = b.doc && section(b.doc, "table", "top"), places = p.doc && section(p.doc, "table", "top");
	if (t && t.rows.length) {
		for (const r of t.rows) if (r.module) modules.set(r.function, r.module);
		// What one name is in several modules is told apart by them; the graph has their sums.
		for (const r of t.rows) if (r.function && r.module) alike.set(r.function, (alike.get(r.function) || 0) + 1);
		const namesakes = alike.size < t.rows.filter(r => r.function && r.module).length;
		// The number beside the shares is the one that they are of, as in the graph.
		const same = t.columns.filter(c => c.title === f.metric + " total" || c.title === f.metric || c.title === f.metric.replace("self", "total")).map(c => c.key).sort((a, b) => b.startsWith("total") - a.startsWith("total"));
		// In sight is what is not there, of the notes, before what is not known.
		const notes = (t.notes || []).filter(n => !/: not in the capture$/.test(n)), kept = notes.findIndex(n => /^filters kept /.test(n)), told = notes.map(n => language === "en" ? plainly(n) : translated(n)), search = drawn.input;
		table = new Table(located(t, places), {ranked: same, bare: true, keep: ["file", ...namesakes ? ["module"] : []], pick: r => r.function && !/^[(\[]/.test(r.function) && r.function !== s.peek && choose(r.function)});
		table.element.classList.add("fills");
		// One search for both.
		search.addEventListener("input", () => { table.search.value = search.value; table.arrange(); });
		if (search.value) { table.search.value = search.value; table.arrange(); }
		table.grid.oncontextmenu = e => { const row = e.target.closest(".row"), r = row && t.rows[+row.dataset.i]; if (r && r.function) { e.preventDefault(); menu(e, r.function, context, r.module); } };
		right.replaceWith(card(say("Functions"), make("span", {class: "row grows"}, make("span", {class: "faint"}, translated(plainly(f.metric)))), make("div", {class: "in"}, table.element, told.length ? make("p", {class: "hint", title: told.join("\n")}, told.at(kept)) : null)));
	} else right.replaceWith(card(say("Functions"), "", none(say("Nothing is left by these filters."), b.error || "")));
	// A name of another view may lack the file that is shown with it here: of those the heaviest.
	const named = name => names.has(name) ? name : ([...names].filter(([n]) => n.startsWith(name + " (")).sort((x, y) => y[1] - x[1])[0] || [name])[0];
	const most = heaviest && heaviest[0], first = s.peek ? named(s.peek) : most;
	if (first) follow(first).catch(() => {});
	four.shown = () => { drawn.draw(); if (s.at) drawn.go(s.at); };
	four.moved = now => {
		if ((now.at || "") !== drawn.way()) drawn.go(now.at || "");
		const to = now.peek ? named(now.peek) : most;
		for (const k of light) if (now[k]) s[k] = now[k]; else delete s[k]; // links to other views are of it
		if (to && to !== followed) follow(to).catch(() => {});
	};
	return four;
}
