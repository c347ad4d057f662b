// SPDX-License-Identifier: MIT
// The page as one file that needs no server: its scripts, and the answers to what its views ask. It opens at the same place.
import {record, loaded} from "./ask.js";
import {remember} from "./keep.js";

const text = async path => { const r = await fetch(path); if (!r.ok) throw new Error(await r.text()); return r.text(); };

// Scripts by their name, with what they import.
async function modules(name, all = new Map()) {
	if (all.has(name)) return all;
	all.set(name, "");
	const source = await text(name);
	all.set(name, source.replace(/(\bfrom |^import )"\.\/([\w-]+\.js)"/gm, '$1"page/$2"'));
	for (const [, , other] of source.matchAll(/(\bfrom |^import )"\.\/([\w-]+\.js)"/gm)) await modules(other, all);
	return all;
}

const inside = s => s.replace(/<\/(script|style)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const json = value => JSON.stringify(value).replaceAll("<", "\\u003c");

async function packed(value) {
	const all = await new Response(new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
	return new Promise(done => { const reader = new FileReader(); reader.onload = () => done(reader.result.replace(/^.*?,/, "")); reader.readAsDataURL(all); });
}

// draw(): draws all views, as they will be drawn from the file, so that all is asked that they then need; last the open one.
export async function page(draw) {
	const asked = await record(draw), scripts = await modules("main.js"), html = await text(location.pathname), element = (tag, inner, attributes = "") => "<" + tag + attributes + ">" + inner + "</" + tag + ">";
	const all = (tag, name) => Promise.all([...html.matchAll(tag)].map(([, path]) => text(path))).then(list => list.map(s => element(name, inside(s))));
	const sources = Object.fromEntries([...scripts].map(([name, source]) => ["page/" + name, "data:text/javascript;charset=utf-8," + encodeURIComponent(source)]));
	const head = ["<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' data:; base-uri 'none'; form-action 'none'\">",
		...await all(/<link rel="stylesheet" href="([^"]+)">/g, "style"), ...await all(/<script src="([^"]+)"><\/script>/g, "script"), element("script", json({imports: sources}), ' type="importmap"'),
		element("script", await packed({state: {...loaded, language, home: null}, asked: Object.fromEntries(asked), at: location.hash, theme: document.documentElement.dataset.theme, names: localStorage.getItem("names"), kept: remember(document.getElementById("view"))}), ' type="text/plain" id="saved"'),
		element("script", 'import "page/main.js";', ' type="module"')];
	return html.replace(/<(link|img)\b[^>]*>\n?|<script\b[^>]*><\/script>\n?|<button id="save"[^]*?<\/button>/g, "").replace("</head>", () => head.join("\n") + "\n</head>");
}
