// SPDX-License-Identifier: MIT
// The modules of the program's own code, for their colours: those that have most of the whole capture first, so that one
// has the same colour in every view, whatever is filtered or selected there. Of a program of one module, or of one whose
// modules are not known, the folders of its files, which end in '/'.
import {section} from "./ask.js";
import {kindOf} from "./flame.js";

const FILES = 200;

async function rowsBy(context, key, most) {
	const a = await context.ask(["top", "--by", key, "-n", String(most), "--table", "top"]).catch(e => { if (e.name === "AbortError") throw e; return {}; }), t = a.doc && section(a.doc, "table", "top");
	return t ? t.rows : [];
}

// Where the paths of files part: below what all have in common, a folder each.
export function foldersOf(files) {
	const all = files.filter(f => f && !f.startsWith("./") && /[^/]\/[^/]/.test(f) && kindOf("", f) === "own").map(f => f.split("/").slice(0, -1));
	let k = 0;
	while (all.length && all.every(d => d.length > k && d[k] === all[0][k])) k++;
	const found = new Set(all.filter(d => d.length > k).map(d => d.slice(0, k + 1).join("/") + "/"));
	return found.size > 1 ? [...found] : [];
}

export async function modulesOf(context) {
	const modules = (await rowsBy(context, "module", 0)).map(r => r.module).filter(m => m && !m.startsWith("[") && kindOf("", m) === "own");
	if (modules.length > 1) return modules;
	const folders = foldersOf((await rowsBy(context, "file", FILES)).map(r => r.file));
	return folders.length ? folders : modules;
}
