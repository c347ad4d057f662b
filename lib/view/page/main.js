// SPDX-License-Identifier: MIT
// The page's state is its address: #view=table&by=site&frame=10..20. Each view is a module that is
// given the state, asks, and draws; whatever it asks can be typed into a terminal, and is shown.
import {quote} from "./parts.js";
import {make, hideTip, button} from "./dom.js";
import {shown as seen, count, some} from "./format.js";
import {ask, state, loaded, onEnd} from "./ask.js";
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
import * as compare from "./view_compare.js";

const views = {overview, frames, table, tree, flame, callers, memory, source, heap, timeline, compare};
const el = id => document.getElementById(id), main = el("view");
let running = null, growing = false, held = false, said = "";

export function address() {
	return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

// Changes of the state; null takes a key away. Each is a step for the back button, unless quiet.
function go(changes, quiet) {
	const now = address();
	for (const [k, v] of Object.entries(changes)) {
		if (v === null || v === undefined || v === "") delete now[k];
		else now[k] = v;
	}
	const hash = "#" + new URLSearchParams(now);
	if (hash === location.hash) return;
	if (quiet) history.replaceState(null, "", hash);
	else location.hash = hash;
}

const has = kind => loaded.files.some(f => f.kinds && f.kinds[kind]);
const what = () => ({
	calls: has("alloc") || has("sample") || has("enter") || has("delta") || has("type-total") || loaded.files.some(f => f.aggregate),
	memory: has("alloc"), frames: has("frame"), objects: has("object"), nested: has("enter"), several: loaded.files.length > 1,
	timed: has("alloc") || has("enter") || has("sample"), counters: has("counter"),
});

// What the filters say, as options.
function filters(s, without = []) {
	const out = [];
	for (const k of ["focus", "ignore", "type", "thread", "frame", "time"])
		if (s[k] && !without.includes(k)) out.push("--" + k, s[k]);
	return out;
}

function showFilters(s) {
	const form = el("filters"), chips = [];
	for (const k of ["frame", "time"])
		if (s[k]) chips.push(button(say(k === "frame" ? "frames {0}" : "time {0}", s[k]) + "  ✕", () => go({[k]: null}), {class: "chip", "aria-label": say(k === "frame" ? "take away frames {0}" : "take away time {0}", s[k])}));
	const field = (key, hint, label) => make("label", {}, label, make("input", {type: "search", name: key, placeholder: hint, value: s[key] || ""}));
	form.replaceChildren(field("focus", say("a function"), say("focus")), field("ignore", say("a function"), say("ignore")), field("type", say("a type"), say("type")),
		field("thread", say("a name"), say("thread")), make("button", {type: "submit"}, say("apply")), ...chips);
	if (!chips.length && what().frames) form.append(make("span", {class: "faint"}, say("drag in a chart to choose frames")));
	if (loaded.files.length > 1 && !(views[s.view] && views[s.view].every))
		form.prepend(make("label", {}, say("filter|of"), make("select", {"aria-label": say("file"), onchange: e => go({file_only: e.target.value || null})}, make("option", {value: ""}, say("all files")),
			...loaded.files.map(f => make("option", {value: f.name, selected: f.name === s.file_only}, f.name)))));
	form.onsubmit = e => {
		e.preventDefault();
		go(Object.fromEntries(["focus", "ignore", "type", "thread"].map(k => [k, form.elements[k].value || null])));
	};
}

function showTabs(s) {
	el("tabs").replaceChildren(...Object.entries(views).filter(([, v]) => !v.fits || v.fits(what())).map(([name, v], i) => {
		const now = {...s, view: name};
		for (const k of v.own ? [] : ["pick"]) delete now[k];
		return make("a", {href: "#" + new URLSearchParams(now), "aria-current": name === s.view ? "page" : null, title: i < 9 ? say("key {0}", i + 1) : ""}, translated(v.title));
	}));
}

function alertOf(kind, title, text) {
	return make("div", {class: kind, role: kind === "bad" ? "alert" : "status"},
		text ? make("details", {open: kind === "bad" || text.length < 220}, make("summary", {}, title), text) : title);
}

// What was lost stands over every view: it is so of each.
function showAlerts(messages, failure) {
	const out = [];
	for (const f of loaded.files) {
		if (f.error) out.push(alertOf("bad", say("{0} could not be read", f.name), f.error));
		const lost = f.notes.filter(n => n.severity === "loss");
		if (lost.length) out.push(alertOf("loss", say("{0}: something was lost", f.name), lost.map(n => translated(n.text) + (n.count ? ": " + count(n.count) : "")).join("\n")));
	}
	const known = new Set(loaded.files.flatMap(f => f.notes.map(n => n.text)));
	const said = (messages || "").split("\n").map(l => l.replace(/^tm-\w+: /, "")).filter(l => l && ![...known].some(k => l.includes(k)));
	if (failure) out.push(alertOf("bad", say("no answer"), translated(failure)));
	else if (said.length) out.push(alertOf("note", [...new Set(said)].map(translated).join("\n")));
	const guesses = loaded.files.flatMap(f => f.notes.filter(n => n.severity === "guess").map(n => f.name + ": " + translated(n.text) + (n.count ? ": " + n.count : "")));
	if (guesses.length && address().view === "overview") out.push(make("div", {}, make("details", {}, make("summary", {}, some(guesses.length, "{0} guess", "{0} guesses")), guesses.join("\n"))));
	el("alerts").replaceChildren(...out);
}

// again: the files have grown; what was done to the view stays.
async function show(again) {
	const s = address();
	if (!views[s.view] || (views[s.view].fits && !views[s.view].fits(what()))) s.view = what().objects && !what().calls ? "heap" : "overview";
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
	document.title = translated(views[s.view].title) + " – " + (seen(loaded.files.map(f => f.name.split("/").pop()).join(", ")) || "tracemill");
	const messages = [];
	let command = null, ms = 0;
	const only = !views[s.view].every && loaded.files.some(f => f.name === s.file_only) ? s.file_only : null;
	const files = only ? [only] : loaded.files.map(f => f.name), binaries = loaded.binaries || [];
	const stacks = files.filter(f => !loaded.files.some(l => l.name === f && (l.aggregate || l.error)));
	// What is asked with what it is asked of: of a binary's code the files are an option.
	const whole = words => words[0] === "inspect" ? [...words, ...stacks.flatMap(f => ["--trace", f]), ...binaries] : [...words, ...files];
	const typed = words => "tm-" + whole(words).map(quote).join(" ");
	const tell = () => {
		said = command ? typed(command) : "";
		el("command").textContent = seen(said);
		el("took").textContent = ms ? Math.round(ms) + " ms" : "";
	};
	const context = {
		state: s, go, has: what(), files: loaded.files, limits: loaded.limits, sources: loaded.sources || [], binaries, coded: stacks.length > 0, debugDirs: loaded.debug_dirs || [], command: typed, signal: mine.signal,
		filters: without => filters(s, without),
		// Shows what is there of a view that will be; not over one that grows.
		begin: content => {
			if (again || mine.signal.aborted) return;
			main.replaceChildren(content);
			main.classList.remove("busy");
		},
		// main: this is the view's question; the others are beside it.
		ask: async (words, main) => {
			if (main || !command) { command = words; tell(); }
			const a = await ask(only || words[0] === "inspect" ? whole(words) : words, mine.signal);
			if (a.messages) messages.push(a.messages);
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
		showAlerts(messages.join("\n"), null);
		if (was) await restore(main, was);
		else if (content.shown) content.shown();
	} catch (e) {
		if (e.name === "AbortError") return;
		if (!mine.signal.aborted) {
			main.replaceChildren();
			showAlerts("", e.message);
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
el("skip").onclick = e => { e.preventDefault(); main.focus(); };

// 1 to 9: views; / : the first search; ? is in the manual page.
addEventListener("keydown", e => {
	if (e.target.closest("input, select, textarea") || e.ctrlKey || e.altKey || e.metaKey) return;
	const tabs = el("tabs").children, k = "123456789".indexOf(e.key);
	if (k >= 0 && tabs[k]) tabs[k].click();
	else if (e.key === "/") { const i = main.querySelector("input[type=search]"); if (i) { i.focus(); e.preventDefault(); } }
});
addEventListener("hashchange", () => show());
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

function showGrowth() {
	const goes = loaded.files.filter(f => f.growth === "goes on"), ended = loaded.files.filter(f => f.growth === "ended").length;
	const deserted = loaded.files.filter(f => f.growth === "no writer").length;
	const silent = Math.min(...goes.map(f => f.silent_ms));
	el("growth").textContent = goes.length ? silent > 5000 ? say("recording, silent for {0} s", Math.round(silent / 1000)) : say("recording") : deserted ? say("no process writes the recording any more, and its end is missing") : ended && ended === loaded.files.length ? say("the recording has ended") : "";
	el("growth").className = goes.length ? "growth" : "growth faint";
	el("files").textContent = seen(loaded.files.map(f => f.events ? say("{0} ({1} events)", f.name, count(f.events)) : f.name).join(", "));
}

onEnd((error, changed) => {
	const old = document.getElementById("ended");
	if (error && !old) el("alerts").before(make("div", {id: "ended", class: "bad panel", role: "alert"}, say("tm-view has ended: what is shown stays, and nothing new can be asked. Start it again, and open the address that it prints.")));
	if (!error && old) old.remove();
	if (!error) showGrowth();
	if (changed) grow();
});

theme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", e => localStorage.getItem("theme") || theme(e.matches ? "dark" : "light"));
await state();
speak(loaded.language);
translate(document.body);
languageButton(el("language"));
showGrowth();
show();
setInterval(state, 2000);
