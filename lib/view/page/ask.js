// SPDX-License-Identifier: MIT
// Questions to the program that serves this page. The newest answers are kept, so that going back
// is at once; a view that is left takes its questions back.

const kept = new Map(), MOST = 24;
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

// {doc, text, exit, messages, ms, taken}; an Error where there is no answer. taken: percent of the file that was read.
import {quote} from "./parts.js";
export async function ask(words, signal) {
	const q = words.map(quote).join(" ");
	if (kept.has(q)) {
		const a = kept.get(q);
		kept.delete(q);
		kept.set(q, a);
		return a;
	}
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
	const a = {exit: +r.headers.get("X-Exit"), messages: decodeURIComponent(r.headers.get("X-Messages") || "").trim(),
		text, doc: null, ms: performance.now() - begin, taken: +(r.headers.get("X-Taken") || 100)};
	if (text.startsWith("{")) a.doc = JSON.parse(text);
	if (!a.doc && a.exit) throw new Error(a.messages || say("the program ended with {0}", a.exit));
	if (a.taken === 100) kept.set(q, a);
	if (kept.size > MOST) kept.delete(kept.keys().next().value);
	return a;
}

export const section = (doc, kind, name) => doc && doc.sections.find(s => s.kind === kind && (!name || s.name === name));
