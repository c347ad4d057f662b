// SPDX-License-Identifier: MIT
// Questions to the program that serves this page. The newest answers are kept, so that going back
// is at once; a view that is left takes its questions back.

const kept = new Map(), MOST = 24;
// In a page that was saved: the answers, and what was on it (save.js), as JSON by gzip in base64.
const file = document.getElementById("saved"), bytes = text => new Blob([Uint8Array.from(atob(text), c => c.charCodeAt(0))]);
export const saved = file && await new Response(bytes(file.textContent).stream().pipeThrough(new DecompressionStream("gzip"))).json();
// What is asked while a page is saved, and how many questions are open.
let recorded = null, open = 0;
let version = 0;
export let loaded = {files: [], limits: {}};
const listeners = [];

// The end of a file's path that tells it from the others.
export function nameOf(file) {
	const end = (f, n) => f.name.split("/").slice(-n).join("/"), most = file.name.split("/").length;
	let n = 1;
	while (n < most && loaded.files.some(f => f.name !== file.name && end(f, n) === end(file, n))) n++;
	return end(file, n);
}

export const onEnd = f => listeners.push(f);

export async function state() {
	if (saved) return loaded = saved.state;
	try {
		const r = await fetch("state");
		if (!r.ok) throw new Error(await r.text());
		loaded = await r.json();
		const changed = version && loaded.version !== version;
		if (changed) kept.clear();
		version = loaded.version;
		for (const f of listeners) f(null, changed);
		return loaded;
	} catch (e) {
		for (const f of listeners) f(e, false);
		return null;
	}
}

import {quote} from "./parts.js";

// Of what was asked of several files: which file each capture is of, by its number less 1.
function filesOf(doc) {
	const all = doc.inputs.length > 1 ? doc.inputs.flatMap(i => { const f = loaded.files.find(f => f.name === i.name); return f ? Array(f.captures).fill(nameOf(f)) : []; }) : [];
	for (const s of doc.sections) if (new Set(all).size > 1) s.files = all;
	return doc;
}

function learned(doc) {
	for (const s of doc.sections) if (s.columns) learnEvents(s.columns);
	return doc;
}
const answer = a => ({...a, doc: a.text.startsWith("{") ? learned(filesOf(JSON.parse(a.text))) : null});

async function fetched(q, signal) {
	const begin = performance.now();
	let r;
	try {
		r = await fetch("ask?q=" + encodeURIComponent(q) + "&page=1", {signal});
	} catch (e) {
		if (e.name !== "AbortError") state();
		throw e;
	}
	const text = await r.text();
	if (!r.ok) throw new Error(text.trim());
	return answer({exit: +r.headers.get("X-Exit"), messages: decodeURIComponent(r.headers.get("X-Messages") || "").trim(), text, ms: performance.now() - begin, taken: +(r.headers.get("X-Taken") || 100)});
}

// {doc, text, exit, messages, ms, taken}; an Error where there is no answer. taken: percent of the file that was read.
export async function ask(words, signal) {
	const q = words.map(quote).join(" ");
	if (saved) {
		if (!saved.asked[q]) throw Object.assign(new Error(say("This saved page has the answers to what it shows. For more, open the capture with tracemill view.")), {unsaved: true});
		const was = answer(saved.asked[q]);
		if (!was.doc && was.exit) throw new Error(was.messages);
		return was;
	}
	let a = kept.get(q);
	open++;
	try {
		if (a) kept.delete(q);
		else a = await fetched(q, signal);
	} finally {
		open--;
	}
	if (recorded) recorded.set(q, {exit: a.exit, messages: a.messages, text: a.text, ms: a.ms, taken: a.taken});
	if (!a.doc && a.exit) throw new Error(a.messages || say("the program ended with {0}", a.exit));
	if (a.taken === 100) kept.set(q, a);
	if (kept.size > MOST) kept.delete(kept.keys().next().value);
	return a;
}

// Waits until what was asked is answered, with all that this leads to.
export async function settled(ms) {
	for (let quiet = performance.now(); performance.now() - quiet < ms;) {
		await new Promise(done => setTimeout(done, 20));
		if (open) quiet = performance.now();
	}
}

// Questions and answers of what run() asks.
export async function record(run) {
	const all = recorded = new Map();
	try {
		await run();
	} finally {
		recorded = null;
	}
	return all;
}

export const section = (doc, kind, name) => doc && doc.sections.find(s => s.kind === kind && (!name || s.name === name));
