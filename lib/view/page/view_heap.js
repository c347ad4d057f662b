// SPDX-License-Identifier: MIT
// Snapshots of heaps: what is there, what holds most, who holds one, what came since, what is there more than once.
import {panel, toggle} from "./parts.js";
import {make, button} from "./dom.js";
import {draw, nothing} from "./document.js";
import {section} from "./ask.js";
import {card, legend as key, none} from "./cards.js";
import {Table} from "./table.js";
import {icicle, paths} from "./holders.js";
import {choice} from "./view_table.js";

export const title = "Heap";
export const named = true;
export const own = true;
export const fits = has => has.objects;

const LAST = /(?:^|: )shown: the last of (\d+) snapshots/m;

// What changed says of what: two titles "change" are one of bytes and one of objects.
function titled(doc) {
	const titles = {size_change: say("change of size"), count_change: say("change of count"), retained_change: say("change of retained")};
	for (const s of doc.sections) for (const c of s.columns || []) if (titles[c.key]) c.title = titles[c.key];
	return doc;
}

// The graph of what holds most, and the paths to what is chosen in it.
async function holders(context, filters) {
	const a = await context.ask(["heap", "--dominators", "--min", "0.1", "-n", "4000", ...filters]).catch(e => { if (e.name === "AbortError") throw e; return {}; });
	const t = a.doc && section(a.doc, "table", "dominators");
	if (!t || t.rows.length < 2) return null;
	let way = make("section", {class: "card"}), turn = 0;
	const put = e => { way.replaceWith(e); way = e; };
	const choose = async row => {
		const mine = ++turn;
		if (!row || !row.object) return put(card(say("Paths from roots"), "", none(say("This stands for several objects."), say("A click on one object shows what holds it."))));
		const b = await context.ask(["heap", "--who", row.object, "--paths", "4", "--objects", "1", "-n", "1", ...filters.filter((w, i) => w !== "--set" && filters[i - 1] !== "--set")]).catch(e => e.name === "AbortError" ? null : {error: e.message});
		const p = b && b.doc && section(b.doc, "table", "paths");
		if (mine === turn && b) put(card(say("Paths from roots"), make("span", {class: "sp row"}, p ? key([["--script", say("root")], ["--own", say("object")]]) : null, make("a", {href: "#" + new URLSearchParams({...context.state, who: row.object})}, say("all who hold it →"))), make("div", {class: "in"}, p ? paths(p.rows, object => choose({object})) : none(say("no answer"), b.error || ""))));
	};
	const {drawn, legend} = icicle(t, choose);
	const last = LAST.exec(a.messages || "");
	const left = card(say("Dominators"), make("span", {class: "row grows"}, last ? make("span", {class: "faint"}, say("of the last of {0} snapshots", last[1])) : null, legend), make("div", {class: "in"}, drawn.element));
	const at = t.rows.findIndex((r, i) => i && r.object);
	drawn.one = at;
	const e = make("div", {class: "held"}, left, way);
	await choose(t.rows[at]).catch(() => {}); // what comes later would move the rows below it away from a pointer
	return e;
}

// A row leads to who holds it: an object, or all of a type.
const holdersOf = r => r.object ? {who: r.object} : r.type ? {who: "^\\Q" + r.type + "\\E$"} : null;

async function duplicates(context, filters) {
	const a = await context.ask(["heap", "--duplicates", "-n", "100", ...filters]).catch(e => { if (e.name === "AbortError") throw e; return {}; });
	const t = a.doc && section(a.doc, "table");
	if (!t || !t.rows.length) return make("p", {class: "faint one-line"}, say("No object is there more than once."));
	return panel(say("Duplicates"), say("objects of one type with the same content; where that is not known, those with the same name and size, which may be copies"), new Table(t, {main: "type", pick: r => holdersOf(r) && context.go(holdersOf(r))}).element);
}

export async function show(context) {
	const {state: s, go} = context, words = ["heap"];
	const tree = s.by === "dominators" && !s.who;
	if (s.who) words.push("--who", s.who, "--paths", "10");
	else if (tree) words.push("--dominators", "--min", s.least || "0.5", "-n", "2000", "--sort", ["count", "retained"].includes(s.sort) ? s.sort : "auto");
	else words.push("--by", s.by && ["type", "site", "root", "owner"].includes(s.by) ? s.by : "type", "--sort", s.sort && ["size", "count", "retained"].includes(s.sort) ? s.sort : "auto", "--objects", "200", "-n", "500");
	const filters = [...s.type ? ["--type", s.type] : [], ...s.snapshot ? ["--snapshot", s.snapshot] : [], ...s.set ? ["--set", s.set] : []];
	words.push(...filters);
	const a = await context.ask(words, true);
	const who = make("input", {type: "search", value: (s.who || "").replace(/^\^\\Q(.*?)\\E\$$/, "$1"), placeholder: say("an object's id, or a type"), "aria-label": say("who holds")});
	who.onkeydown = e => { if (e.key === "Enter") go({who: who.value}); };
	const tools = make("div", {class: "tools"}, choice(context, "by", ["type", "site", "root", "dominators"], s.by, say("by")),
		choice(context, "sort", tree ? ["auto", "count", "retained"] : ["auto", "size", "count", "retained"], s.sort, say("rank by")),
		tree ? choice(context, "least", ["0.5", "0", "0.1", "1", "5"], s.least, say("leave out below, %")) : null,
		make("label", {}, say("who holds"), who), s.who ? button(say("all objects"), () => go({who: null})) : null,
		context.files.length === 2 && !s.file_only ? toggle(say("only what is new since the first file"), s.set === "add", on => go({set: on ? "add" : null})) : null);
	const pick = r => (r.object || !s.who) && holdersOf(r) && go(holdersOf(r));
	// A name that was clicked is quoted for the program alone.
	for (const x of a.doc ? a.doc.sections : []) if (x.title) x.title = x.title.replace(/^\^\\Q(.*?)\\E\$(?=:)/, "$1");
	const out = a.doc ? draw(titled(a.doc), {table: {pick}}) : [];
	const head = panel(say("Heap"), s.who ? say("who holds {0}", s.who.replace(/^\^\\Q(.*)\\E\$$/, "$1")) : say("pick a type or an object to see who holds it"), tools);
	if (s.who) {
		const p = a.doc && section(a.doc, "table", "paths"), one = p && p.rows.length ? p.rows.filter(r => r.object === p.rows[0].object) : [];
		if (one.length) out.unshift(card(say("Paths from roots"), "", make("div", {class: "in"}, paths(one.slice(0, 6), object => go({who: object})))));
	}
	const more = s.who || tree ? [] : await Promise.all([holders(context, filters), duplicates(context, filters)]);
	return [...more.slice(0, 1).filter(Boolean), head, ...(out.length ? out : [nothing(say("No object is left by these filters."))]), ...more.slice(1)];
}
