// SPDX-License-Identifier: MIT
// The modules of the program's own code, for their colours: those that have most of the whole capture first, so that one
// has the same colour in every view, whatever is filtered or selected there.
import {section} from "./ask.js";
import {kindOf} from "./flame.js";

export async function modulesOf(context) {
	const a = await context.ask(["top", "--by", "module", "-n", "0", "--table", "top"]).catch(e => { if (e.name === "AbortError") throw e; return {}; }), t = a.doc && section(a.doc, "table", "top");
	return t ? t.rows.map(r => r.module).filter(m => m && !m.startsWith("[") && kindOf("", m) === "own") : [];
}
