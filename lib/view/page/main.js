// SPDX-License-Identifier: MIT
// The page's state is its address: #view=table&by=site&frame=10..20. Each view is a module that is
// given the state, asks, and draws; whatever it asks can be typed into a terminal, and is shown.
import {quote, switches, toggle, named} from "./parts.js";
import {make, hideTip, button} from "./dom.js";
import {shown as seen, count, some} from "./format.js";
import {ask, state, loaded, nameOf, onEnd, settled, saved as file} from "./ask.js";
import {page} from "./save.js";
import {remember, restore} from "./keep.js";
import * as overview from "./overview.js";
import * as frames from "./frames.js";
import * as table from "./view_table.js";
import * as tree from "./view_tree.js";
import * as flame from "./view_flame.js";
import * as callers from "./view_callers.js";
import * as memory from "./view_memory.js";
import * as source from "./view_source.js";
import * as heap from "./view_heap.js";
import * as timeline from "./timeline.js";
import * as spikes from "./view_spikes.js";
import * as calls from "./view_calls.js";
import * as compare from "./view_compare.js";
import {none} from "./cards.js";
import {showKeys} from "./keys.js";

const views = {overview, timeline, frames, spikes, memory, calls, flame, tree, table, callers, source, compare, heap};
// Each tab has its views, the first that fits is where it leads to.
const tabs = [["overview"], ["timeline", "frames", "spikes", "memory"], ["calls", "flame", "tree", "table", "callers", "source"], ["compare"], ["heap"]];
const el = id => document.getElementById(id), main = el("view");
let drawn = null, running = null, growing = false, held = false, said = "", saved = [];

// One frame is a range, too, as somebody types it.
function address() {
	const s = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
	if (/^\d+$/.test(s.frame)) s.frame += ".." + s.frame;
	return s;
}

// Changes of the state; null takes a key away. Each is a step for the back button, unless quiet.
function go(changes, quiet) {
	const now = address();
	for (const [k, v] of Object.entries(changes)) {
		if (v === null || v === undefined || v === "") delete now[k];
		else now[k] = v;
	}
	// Where a graph is zoomed to is a place in the answer to one question.
	if (["frame", "time", ...Object.keys(transforms), ...Object.keys(fields), "sort", "lib"].some(k => k in changes)) delete now.at;
	const hash = "#" + new URLSearchParams(now);
	if (hash === location.hash) return;
	if (quiet) history.replaceState(null, "", hash);
	else location.hash = hash;
}

const has = kind => loaded.files.some(f => f.kinds && f.kinds[kind]);
const what = () => ({
	calls: has("alloc") || has("profile") || has("sample") || has("enter") || has("delta") || has("type-total") || loaded.files.some(f => f.aggregate),
	memory: has("alloc") || has("profile"), frames: has("frame"), objects: has("object"), nested: has("enter"), by_time: has("enter") || has("sample") || has("delta"), several: loaded.files.length > 1,
	timed: has("alloc") || has("enter") || has("sample"), counters: has("counter"), samples: has("sample"), sums: has("delta"), ready: has("profile") || has("type-total") || loaded.files.some(f => f.aggregate), logs: has("log"), types: loaded.files.some(f => f.types > 1), several_threads: true,
});

// What the filters say, as options.
function filters(s, without = []) {
	const out = [];
	for (const k of ["focus", "ignore", "type", "thread", "frame", "time"])
		if (s[k] && !without.includes(k)) out.push("--" + k, s[k]);
	// Transforms: what is taken out of stacks, one for each line.
	for (const [k, option] of Object.entries(transforms))
		for (const v of (s[k] || "").split("\n")) if (v && !without.includes(k)) out.push("--" + option, v);
	return out;
}

const transforms = {hide: "hide", prune: "prune-from", recursion: "collapse-recursion", inside: "collapse-module"};
const plain = v => v.replace(/^\^?\\Q(.*?)\\E\$?$/, "$1");
const fields = {focus: ["focus", "a function"], ignore: ["ignore", "a function"], type: ["type", "a type"], thread: ["thread", "a name"]};

// What is in force is a chip, which a click takes away.
function showFilters(s) {
	const form = el("filters"), chips = [];
	const chip = (text, k) => chips.push(button(text, () => go({[k]: null}), {class: "chip", "data-filter": k, "aria-label": say("take away: {0}", text)}));
	if (s.frame) chip(timeline.framesOf(s.frame), "frame");
	if (s.time) chip(timeline.timeOf(s.time), "time");
	for (const [k, [word]] of Object.entries(fields)) if (s[k]) chip(say("{0}: {1}", say(word), named(plain(s[k]))), k);
	for (const [k, word] of [["hide", say("merged into callers")], ["prune", say("callees taken out")], ["recursion", say("recursion collapsed")], ["inside", say("module collapsed")]])
		(s[k] || "").split("\n").filter(Boolean).forEach((v, i, all) => chips.push(button(say("{0}: {1}", word, named(plain(v))), () => go({[k]: all.filter((_, j) => j !== i).join("\n")}), {class: "chip", "data-filter": k})));
	const field = ([key, [word, hint]]) => make("label", {}, say(word), make("input", {type: "search", name: key, placeholder: say(hint), value: s[key] || ""}));
	const more = make("details", {class: "menu"}, make("summary", {id: "more"}, say("+ filter")), make("div", {class: "panel"}, ...Object.entries(fields).map(field), make("button", {type: "submit"}, say("apply"))));
	more.onkeydown = e => { if (e.key === "Escape") more.open = false; };
	form.replaceChildren(...chips, file ? "" : more, chips.length > 1 ? button(say("clear all"), clear, {class: "quiet"}) : "");
	if (loaded.files.length > 1 && !(views[s.view] && views[s.view].every))
		form.prepend(make("label", {}, say("filter|of"), make("select", {"aria-label": say("file"), onchange: e => go({file_only: e.target.value || null})}, make("option", {value: ""}, say("all files")),
			...loaded.files.map(f => make("option", {value: f.name, selected: f.name === s.file_only}, f.name)))));
	if (views[s.view] && views[s.view].named) form.append(toggle(say("short names"), switches.short, on => { switches.short = on; show(); }));
	form.onsubmit = async e => {
		e.preventDefault();
		const changes = Object.fromEntries(Object.keys(fields).map(k => [k, form.elements[k].value || null])), wrong = await refused({...address(), ...changes});
		marks(wrong);
		if (!wrong) go(changes);
	};
}

// Says at a filter's field why it is none.
function marks(wrong) {
	for (const k of Object.keys(fields)) {
		const input = el("filters").elements[k], bad = wrong && wrong.key === k;
		if (!input) continue; // a saved page has none
		for (const old of input.parentNode.querySelectorAll("[role=alert]")) old.remove();
		input.setAttribute("aria-invalid", !!bad);
		if (bad) { input.after(make("span", {class: "up", role: "alert"}, translated(wrong.text))); input.focus({preventScroll: true}); }
	}
}

// A word of the address that a program refuses: its key, and why.
const keysOf = {"prune-from": ["prune"], "collapse-recursion": ["recursion"], "collapse-module": ["inside"], sort: ["sort", "rank"], by: ["by", "then", "over"], min: ["least"], n: ["rows"], "base-frame": ["basef"], "new-frame": ["newf"], "base-time": ["baset"], "new-time": ["newt"]};
function refusal(message) {
	const m = /(?:^|: )--?([\w-]+): (.*)/m.exec(message), s = address(), keys = m && (keysOf[m[1]] || [m[1]]).filter(k => s[k]);
	// Of two keys the one that is named.
	const key = keys && (keys.find(k => s[k].split(/[,\n]/).some(v => m[2].includes("'" + v + "'"))) || keys[0]);
	return key ? {key, text: m[2]} : null;
}

// In place of a view that has no answer: what in the address may be why, and buttons that take it away.
function refusedView(message, s) {
	const wrong = refusal(message), some = filters(s).length > 0;
	if (!wrong && !some) return null;
	const all = some && filters(s, wrong ? [wrong.key] : []).length ? [button(say("clear all"), clear)] : [];
	return wrong ? none(say("The address has a word that no program takes: {0}={1}", wrong.key, plain(s[wrong.key])), translated(wrong.text), button(say("take it away"), () => go({[wrong.key]: null})), ...all)
		: none(say("This view has no answer with these filters."), "", ...all);
}

// A filter that is none is said at its field, and what is shown stays. A program refuses it before it reads anything.
const REFUSES_MS = 300;
async function refused(s) {
	const stop = new AbortController(), later = setTimeout(() => stop.abort(), REFUSES_MS);
	const m = await ask(["top", ...filters(s), "-n", "1"], stop.signal).then(() => null, e => /--(focus|ignore|type|thread): (.*)/.exec(e.message));
	clearTimeout(later);
	return m && {key: m[1], text: m[2]};
}

const clear = () => go(Object.fromEntries(["frame", "time", ...Object.keys(transforms), ...Object.keys(fields)].map(k => [k, null])));

const fit = name => !views[name].fits || views[name].fits(what());

// The address of a view with what is in force.
function addressOf(s, name) {
	const now = {...s, view: name};
	for (const k of views[name].own ? [] : ["pick"]) delete now[k];
	return "#" + new URLSearchParams(now);
}

function showTabs(s) {
	const to = name => addressOf(s, name);
	el("tabs").replaceChildren(...tabs.map(t => t.filter(fit)).filter(t => t.length).map((t, i) =>
		make("a", {href: to(t[0]), "aria-current": t.includes(s.view) ? "page" : null, title: say("key {0}", i + 1)}, translated(views[t[0]].title))));
	const parts = tabs.find(t => t.includes(s.view)).filter(fit);
	el("parts").replaceChildren(...parts.length < 2 ? [] : parts.map(name => make("a", {href: to(name), "data-part": name, "aria-current": name === s.view ? "true" : null}, translated(views[name].part || views[name].title))));
	el("parts").hidden = parts.length < 2;
}

function alertOf(kind, title, text) {
	return make("div", {class: kind, role: kind === "bad" ? "alert" : "status"},
		text ? make("details", {open: kind === "bad" || text.length < 220}, make("summary", {}, title), text) : title);
}

// A line of a program: "FILE: guess: what was guessed: 3" has a text between names and numbers.
function told(line) {
	const m = /^((?:.*?: )?)(guess|loss): (.*?)((?:: \d+)?)$/.exec(line), word = m && {guess: say("severity|guess"), loss: say("severity|loss")}[m[2]];
	return m ? m[1] + word + ": " + translated(m[3]) + m[4] : translated(line);
}

// Why a file could not be read, and where: what ends early in words of people.
function unread(f) {
	const cut = /: needs (\d+) bytes?, (\d+) (?:is|are) left/.exec(f.error), at = f.error_at;
	if (cut && at !== undefined) return say("The file ends too early, at byte {0}: what begins at byte {1} has {2} bytes, and {3} of them are there. Record or copy it again.", count(at + +cut[2]), count(at), count(+cut[1]), count(+cut[2]));
	return (at === undefined ? "" : say("at byte {0}: ", count(at))) + translated(f.error);
}

// Of a folder: which of its files are not shown, and why.
const LEFT_OUT = /: (is|are) not here, for /, PASSED_OVER = /, passed over: /;

const guessesOf = () => loaded.files.flatMap(f => f.notes.filter(n => n.severity === "guess" && !LEFT_OUT.test(n.text) && !PASSED_OVER.test(n.text)).map(n => f.name + ": " + translated(n.text) + (n.count ? ": " + n.count : "")));

// What was lost stands over every view: it is so of each.
function showAlerts(messages, failure) {
	const out = [];
	for (const f of loaded.files) {
		if (f.error) out.push(alertOf("bad", say("{0} could not be read", f.name), unread(f)));
		const lost = f.notes.filter(n => n.severity === "loss");
		if (lost.length) out.push(alertOf("loss", say("{0}: something was lost", f.name), lost.map(n => translated(n.text) + (n.count ? ": " + count(n.count) : "")).join("\n")));
	}
	for (const f of loaded.files.filter(f => f.folder)) {
		const absent = f.notes.filter(n => LEFT_OUT.test(n.text)), passed = f.notes.filter(n => PASSED_OVER.test(n.text));
		const all = absent.reduce((n, x) => n + (+(/^(\d+) more files: are not here/.exec(x.text) || [0, 1])[1]), 0);
		if (all) out.push(alertOf("note", some(all, "{0} file of the folder is not shown", "{0} files of the folder are not shown"), absent.map(n => translated(n.text)).join("\n")));
		if (passed.length) out.push(alertOf("note", say("Of the folder, something is passed over"), passed.map(n => translated(n.text)).join("\n")));
	}
	const known = new Set(loaded.files.flatMap(f => [...f.notes.map(n => n.text), ...f.error ? [f.name + ": " + (f.error_at === undefined ? "" : "byte " + f.error_at + ": ") + f.error] : []]));
	const said = (messages || "").split("\n").map(l => l.replace(/^tm-\w+: /, "")).filter(l => l && !/^shown: the last of \d+ snapshots|^--chart: the first capture alone/.test(l) && ![...known].some(k => l.includes(k))); // the heap's graph says it
	if (failure) out.push(alertOf("bad", say("no answer"), translated(failure)));
	else if (said.length) out.push(alertOf("note", [...new Set(said)].map(told).join("\n")));
	const guesses = guessesOf();
	if (guesses.length) out.push(make("div", {}, make("details", {}, make("summary", {}, some(guesses.length, "{0} guess", "{0} guesses")), guesses.join("\n"))));
	el("alerts").replaceChildren(...out);
}

// What is shown is of so many percent of the file: the label goes when numbers of all of it have come.
function showTaken(answered, failed) {
	const taken = answered ?? (reads() ? reads().taken_percent : 100);
	const lost = loaded.files.some(f => f.lossy || f.notes.some(n => n.severity === "loss"));
	const absent = loaded.files.some(f => f.error), guesses = guessesOf().length;
	el("sofar").hidden = taken === 100;
	el("sofar").textContent = taken === 100 ? "" : say("So far: the first {0} % of the file. This view is drawn again when all of it is read.", taken);
	el("whole").textContent = failed ? say("✕ no answer") : taken < 100 ? say("so far, {0} %", taken) : absent ? say("! a file was not read") : lost ? say("! something was lost") : running.unsaved ? say("! parts of this view were not saved") : guesses ? some(guesses, "◐ complete, with {0} guess", "◐ complete, with {0} guesses") : say("● complete");
	el("whole").className = "whole " + (failed ? "bad" : taken < 100 || lost || absent || running.unsaved || guesses ? "warn" : "good");
}

// again: the files have grown; what was done to the view stays.
async function show(again) {
	const s = address();
	drawn = null;
	if (!s.view && what().several && what().calls) s.view = "compare";
	if (!views[s.view] || !fit(s.view)) s.view = what().objects && !what().calls ? "heap" : "overview";
	main.dataset.view = s.view;
	if (running) running.abort();
	const mine = running = new AbortController();
	showTabs(s);
	if (!again) {
		hideTip();
		showFilters(s);
		showAlerts("", null);
		main.classList.add("busy");
	}
	main.setAttribute("aria-busy", "true");
	document.title = translated(views[s.view].title) + " – " + (seen(loaded.files.map(nameOf).join(", ")) || "tracemill");
	const messages = [];
	let command = null, ms = 0;
	const only = !views[s.view].every && loaded.files.some(f => f.name === s.file_only) ? s.file_only : null;
	const files = only ? [only] : loaded.files.map(f => f.name), binaries = loaded.binaries || [];
	const stacks = files.filter(f => !loaded.files.some(l => l.name === f && (l.aggregate || l.error)));
	// What is asked with what it is asked of: of a binary's code the files are an option.
	const whole = words => loaded.files.some(f => words.includes(f.name)) ? words : words[0] === "inspect" ? [...words, ...stacks.flatMap(f => ["--trace", f]), ...binaries] : [...words, ...files];
	// A folder is a session here, and to no other program.
	const typed = words => loaded.files.some(f => f.folder)
		? "tm-view --query " + [[...whole(words), ...words.includes("--as") ? [] : ["--as", "text"]].map(quote).join(" "), ...loaded.files.map(f => f.name)].map(quote).join(" ")
		: "tm-" + whole(words).map(quote).join(" ");
	const tell = () => {
		said = command ? typed(command) : "";
		saved = command ? whole(command) : [];
		el("command").textContent = seen(said);
		for (const e of [el("copy"), document.querySelector("label[for=command]")]) e.hidden = !said;
		el("took").textContent = ms ? Math.round(ms) + " ms" : "";
	};
	let taken = null;
	const context = {
		state: s, go, has: what(), files: loaded.files, limits: loaded.limits, sources: loaded.sources || [], binaries, coded: stacks.length > 0, debugDirs: loaded.debug_dirs || [], clear, command: typed, signal: mine.signal,
		// Where there is no answer, what the view was asked with stays: it can be asked again.
		fields: null,
		filters: without => filters(s, without),
		// Shows what is there of a view that will be; not over one that grows.
		begin: content => {
			if (again || mine.signal.aborted) return;
			main.replaceChildren(content);
			showTaken(taken);
			main.classList.remove("busy");
		},
		// The question whose report has what is in sight, where no single one of the view's own does: to type, and to save.
		shows: words => { if (!mine.signal.aborted) { command = words; tell(); } },
		// main: this is the view's question; the others are beside it.
		// quiet: whether the files have an answer is not known, so that its messages are no notes.
		ask: async (words, main, quiet) => {
			if (main || !command) { command = words; tell(); }
			const a = await ask(only || words[0] === "inspect" ? whole(words) : words, mine.signal).catch(e => { mine.unsaved ||= e.unsaved; throw e; });
			if (a.messages && !quiet) messages.push(a.messages);
			taken = Math.min(taken ?? 100, a.taken);
			if (mine.done && !mine.signal.aborted) showTaken(taken, mine.failed);
			if (main || command === words) { ms = a.ms; tell(); }
			return a;
		},
	};
	try {
		const content = await views[s.view].show(context);
		if (mine.signal.aborted) return;
		while (again && held) await new Promise(done => addEventListener("pointerup", done, {once: true}));
		if (mine.signal.aborted) return;
		const was = again && remember(main);
		if (content.parentNode !== main) main.replaceChildren(...[content].flat().filter(Boolean));
		showTaken(taken);
		showAlerts(messages.join("\n"), null);
		// Where filters leave nothing, what helps is to take them away.
		const empty = filters(s).length && main.querySelector(":scope > .empty");
		if (empty) empty.append(" ", button(say("clear all"), clear));
		drawn = {state: s, moved: content.moved};
		if (was) await restore(main, was);
		else if (content.shown) content.shown();
	} catch (e) {
		if (e.name === "AbortError") return;
		if (!mine.signal.aborted) {
			mine.failed = !e.unsaved;
			main.replaceChildren(...[context.fields, e.unsaved ? none(e.message) : refusedView(e.message, s)].flat().filter(Boolean));
			if (refusal(e.message)) marks(refusal(e.message));
			showTaken(taken, mine.failed);
			showAlerts("", e.unsaved ? null : e.message);
		}
	} finally {
		mine.done = true;
		if (running === mine) {
			main.classList.remove("busy");
			main.setAttribute("aria-busy", "false");
			tell();
			document.body.dataset.shown = location.hash || "#";
		}
	}
}

function theme(word) {
	document.documentElement.dataset.theme = word;
	document.dispatchEvent(new Event("themechange"));
}

el("theme").onclick = () => {
	const to = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
	localStorage.setItem("theme", to);
	theme(to);
};
el("copy").onclick = async () => {
	await navigator.clipboard.writeText(said).catch(() => getSelection().selectAllChildren(el("command")));
	el("took").textContent = say("copied");
};
// Every view as it begins, and all that the overview leads to; last, as it is, the view that is open.
const QUIET_MS = 100;
async function drawAll() {
	const at = location.hash, was = remember(main), left = tabs.flat().filter(fit).map(name => addressOf(address(), name)), known = new Set(left);
	const text = make("p", {}, ""), box = make("dialog", {id: "saving"}, text, button(say("cancel"), () => box.close()));
	document.body.append(box);
	box.showModal();
	try {
		for (let i = 0; i < left.length; i++) {
			if (!box.open) throw new Error(say("not saved"));
			text.textContent = say("saving view {0} of {1} …", i + 1, left.length);
			history.replaceState(null, "", left[i]);
			await show();
			await settled(QUIET_MS);
			for (const {hash} of main.dataset.view === "overview" ? main.querySelectorAll('a[href^="#"]') : [])
				if (!known.has(hash)) { known.add(hash); left.push(hash); }
		}
	} finally {
		history.replaceState(null, "", at || "#");
		await show();
		await settled(QUIET_MS);
		box.remove();
		await restore(main, was);
	}
}

// This page as one file, which needs no server.
if (!file) el("save").onclick = async () => {
	const name = (address().view || "overview") + "-" + loaded.files.map(nameOf).join("-").replaceAll("/", "-").slice(0, 80) + ".html";
	if (reads()) {
		el("took").textContent = say("the file is still being read");
		return;
	}
	try {
		el("took").textContent = say("saving …");
		const text = await page(drawAll), link = make("a", {href: URL.createObjectURL(new Blob([text], {type: "text/html"})), download: name});
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
		el("took").textContent = say("saved as {0}", name);
	} catch (e) {
		el("took").textContent = translated(e.message);
	}
};
el("keys").onclick = () => showKeys(el("help"), el("tabs").children.length);
el("skip").onclick = e => { e.preventDefault(); main.focus(); };

// 1 to 9: views; / : the first search; ? : all keys.
addEventListener("keydown", e => {
	if (e.target.closest("input, select, textarea") || e.ctrlKey || e.altKey || e.metaKey) return;
	const tabs = el("tabs").children, k = "123456789".indexOf(e.key);
	if (k >= 0 && tabs[k]) tabs[k].click();
	else if (e.key === "?") showKeys(el("help"), el("tabs").children.length);
	else if (e.key === "/") {
		// A view without a search has the filter of functions.
		const more = el("more") && el("more").parentNode, i = main.querySelector("input[type=search]") || more && more.querySelector("input");
		if (!i) return;
		if (more && more.contains(i)) more.open = true;
		i.focus();
		e.preventDefault();
	}
});
addEventListener("hashchange", () => {
	const s = address(), view = views[s.view];
	if (view && view.light && drawn && drawn.moved && drawn.state.view === s.view && Object.keys({...s, ...drawn.state}).every(k => s[k] === drawn.state[k] || view.light.includes(k))) {
		drawn.state = s;
		showTabs(s);
		drawn.moved(s);
		document.body.dataset.shown = location.hash || "#";
	} else show();
});
addEventListener("pointerdown", () => { held = true; }, true);
addEventListener("pointerup", () => { held = false; });
addEventListener("pointercancel", () => { held = false; });

// What has come of a recording, once what is being drawn is there.
async function grow() {
	if (growing) return;
	growing = true;
	while (running && !running.done) await new Promise(done => setTimeout(done, 50));
	growing = false;
	show(true);
}

const reads = () => loaded.files.find(f => f.taken_percent < 100);

// The device and the build of the files, where these or their sessions have them; what all have stands once. A build-id is
// cut, and whole on hover.
function madeOf(files) {
	const shortly = text => seen(text.length > 40 ? text.slice(0, 39) + "…" : text), id = f => f.build_id ? f.build_id.slice(0, 12) : null;
	const words = [["device {0}", f => f.device], ["build {0}", f => f.build || id(f)]].map(([text, of]) => [text, files.map(f => of(f) || "–")]).filter(([, values]) => values.some(v => v !== "–"))
		.map(([text, values]) => say(text, (new Set(values).size === 1 ? values.slice(0, 1) : values).map(shortly).join(" → ")));
	const title = files.flatMap(f => [f.device, f.build, f.build_id]).filter(Boolean).map(seen);
	return words.length ? make("span", {class: "file", title: [...new Set(title)].join("\n")}, " · " + words.join(" · ")) : "";
}

function showGrowth() {
	const goes = loaded.files.filter(f => f.growth === "goes on"), ended = loaded.files.filter(f => f.growth === "ended").length;
	const deserted = loaded.files.filter(f => f.growth === "no writer").length;
	const silent = Math.min(...goes.map(f => f.silent_ms));
	el("growth").textContent = goes.length ? silent > 5000 ? say("recording, silent for {0} s", Math.round(silent / 1000)) : say("recording") : deserted ? say("no process writes the recording any more, and its end is missing") : ended && ended === loaded.files.length ? say("the recording has ended") : "";
	if (reads()) el("growth").textContent = say("reading, {0} %", reads().taken_percent);
	if (file) el("growth").textContent = say("a saved page");
	el("growth").className = goes.length && !reads() ? "growth" : "growth faint";
	const one = loaded.files.length === 1 ? loaded.files[0] : null;
	el("files").replaceChildren(...loaded.files.flatMap((f, i) => [i ? " → " : "", make("b", {class: "file"}, nameOf(f))]), madeOf(loaded.files), " ", one ? say("{0} events", count(one.events)) : "");
	el("files").title = seen(loaded.files.map(f => f.events ? say("{0} ({1} events)", f.name, count(f.events)) : f.name).join(", "));
}

onEnd((error, changed) => {
	const old = document.getElementById("ended");
	if (error && !old) el("alerts").before(make("div", {id: "ended", class: "bad panel", role: "alert"}, say("tm-view has ended: what is shown stays, and nothing new can be asked. Start it again, and open the address that it prints.")));
	if (!error && old) old.remove();
	if (!error) showGrowth();
	if (changed) grow();
});

if (file) {
	if (!location.hash) history.replaceState(null, "", file.at || "#");
	if (file.names) localStorage.setItem("names", file.names);
	theme(file.theme);
} else theme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", e => localStorage.getItem("theme") || theme(e.matches ? "dark" : "light"));
await state();
speak(loaded.language);
translate(document.body);
languageButton(el("language"));
if (loaded.home) el("files").before(make("a", {id: "home", href: loaded.home}, say("Sessions")));
showGrowth();
show().then(() => file && restore(main, file.kept));
const look = () => setTimeout(async () => { await state(); if (!file) look(); }, reads() ? 250 : 2000);
if (!file) look();
