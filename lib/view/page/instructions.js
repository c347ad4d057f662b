// SPDX-License-Identifier: MIT
// The instructions of a function with what each costs: the answer of tm-inspect --trace.
import {panel} from "./parts.js";
import {make} from "./dom.js";
import {section} from "./ask.js";
import {format, typeOf, exact} from "./format.js";
import {listing, place} from "./lines.js";

const LONG = 1500, AROUND = 30, FUNCTIONS = "4";

// Of a long function what is far from any cost is left out, with its number.
function left(rows, costs) {
	if (rows.length <= LONG) return rows;
	const near = new Uint8Array(rows.length), out = [];
	rows.forEach((r, i) => { if (r[costs[0].key] !== null) near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1); });
	if (!near.includes(1)) near.fill(1, 0, LONG);
	for (let i = 0; i < rows.length;) {
		let k = i;
		while (k < rows.length && !near[k]) k++;
		if (k > i) out.push({between: k - i});
		for (i = k; i < rows.length && near[i]; i++) out.push(rows[i]);
	}
	return out;
}

function part(t, head, rows) {
	const costs = t.columns.filter(c => c.type !== "text"), share = costs.find(c => c.key === "total_share"), hot = head[share.key] / 4;
	const heads = [...costs.map(c => make("th", {scope: "col"}, translated(c.title))), make("th", {scope: "col", class: "n"}, say("address")), make("th", {scope: "col"}, say("instruction"))];
	return listing(say("instructions of {0}", head.within), heads, left(rows, costs).map(r => {
		if (r.between) return {wide: say("… {0} instructions without costs", r.between)};
		const cells = costs.map(c => make("td", {class: "cost", title: r[c.key] === null ? null : exact(c.type, r[c.key])}, r[c.key] === null ? "" : format(c.type, r[c.key])));
		const places = [r.line, ...(r.inlined_at || "").split(" < ")].filter(Boolean), said = [r.function ? say("inlined: {0}", r.function) : null, ...places].filter(Boolean).join("\n");
		return {cells: [...cells, make("td", {class: "n"}, r.address || ""), make("td", {title: said || null}, r.instruction, r.function ? make("span", {class: "faint"}, "  " + r.function) : null)],
			places: places.map(p => place(p.slice(0, p.lastIndexOf(":")), p.slice(p.lastIndexOf(":") + 1))), hot: r[share.key] !== null && r[share.key] >= hot};
	}));
}

// {panels, listings}: beside the source of the function.
export async function instructions(context, name, sort) {
	const words = ["inspect", "--disassemble", name, ...context.debugDirs.flatMap(d => ["--debug-dir", d]), ...context.filters(), ...sort, "-n", FUNCTIONS, "--table", "instructions"];
	const same = make("p", {class: "same-command"}, make("span", {class: "faint"}, say("the same in a terminal") + " "), make("code", {}, context.command(words)));
	let t;
	try {
		t = section((await context.ask(words)).doc, "table", "instructions");
	} catch (e) {
		if (e.name === "AbortError") throw e;
		return {panels: [panel(say("instructions"), "", make("ul", {class: "notes"}, ...e.message.split("\n").map(l => make("li", {}, translated(l.replace(/^tm-\w+: /, ""))))), same)], listings: []};
	}
	const notes = t && t.notes && t.notes.length ? make("ul", {class: "notes"}, ...t.notes.map(n => make("li", {}, translated(n)))) : null;
	const heads = t ? t.rows.map((r, i) => r._depth ? -1 : i).filter(i => i >= 0) : [], panels = [], listings = [];
	for (const [k, i] of heads.entries()) {
		const head = t.rows[i], end = heads[k + 1] === undefined ? t.rows.length : heads[k + 1], total = t.columns.find(c => c.key.startsWith("total_"));
		listings.push(part(t, head, t.rows.slice(i + 1, end)));
		panels.push(panel(say("{0} in {1}", head.within, head.binary.split("/").pop()), say("{0}, {1} of all", format(typeOf(total), head[total.key]), format("percent", head.total_share)), listings[k], k === heads.length - 1 ? notes : null, k === heads.length - 1 ? same : null));
	}
	return {panels: panels.length ? panels : [panel(say("instructions"), "", make("p", {class: "empty"}, say("None of the binaries has costs of it.")), notes, same)], listings};
}
