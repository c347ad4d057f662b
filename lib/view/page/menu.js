// SPDX-License-Identifier: MIT
// The menu of a function: each item with the command that does the same.
import {make} from "./dom.js";
import {literally, quote} from "./parts.js";

let shown = null;

function close() {
	if (shown) shown.remove();
	shown = null;
}

addEventListener("pointerdown", e => { if (shown && !shown.contains(e.target)) close(); }, true);
addEventListener("keydown", e => { if (e.key === "Escape") close(); });
addEventListener("hashchange", close);

// module: of the function, if it is known.
export function menu(event, name, context, module) {
	close();
	const {go, state: s} = context, it = literally(name), also = (k, v) => [...new Set([...(s[k] || "").split("\n").filter(Boolean), v])].join("\n");
	const items = [
		[say("Focus on it"), ["--focus", it], {focus: it}], [say("Drop its stacks"), ["--ignore", it], {ignore: s.ignore ? "(?:" + s.ignore + ")|" + it : it}],
		[say("Merge it into its callers"), ["--hide", it], {hide: also("hide", it)}], [say("Take out what it calls"), ["--prune-from", it], {prune: also("prune", it)}],
		[say("Collapse its recursion"), ["--collapse-recursion", it], {recursion: also("recursion", it)}],
		...module ? [[say("Collapse its module"), ["--collapse-module", literally(module)], {inside: also("inside", literally(module))}]] : [],
		[say("Who calls it"), ["--peek", it], {view: "callers", peek: name}], [say("Its source"), ["--source", it], {view: "source", fn: name, line: null}]];
	shown = make("div", {class: "context", role: "menu"}, make("b", {class: "file"}, name.length > 160 ? name.slice(0, 157) + "…" : name), ...items.map(([text, words, to]) =>
		make("button", {type: "button", role: "menuitem", onclick: () => { close(); go(to); }}, text, make("code", {}, words[0] + " " + (words[1].length > 60 ? quote(words[1].slice(0, 57)) + "…" : quote(words[1]))))));
	document.body.append(shown);
	const r = shown.getBoundingClientRect();
	shown.style.left = Math.max(4, Math.min(event.clientX, innerWidth - r.width - 8)) + "px";
	shown.style.top = Math.max(4, Math.min(event.clientY, innerHeight - r.height - 8)) + "px";
	const list = [...shown.querySelectorAll("button")];
	list[0].focus({preventScroll: true});
	shown.onkeydown = e => {
		const step = {ArrowDown: 1, ArrowUp: -1}[e.key], at = list.indexOf(document.activeElement);
		if (!step) return;
		e.preventDefault();
		list[(at + step + list.length) % list.length].focus();
	};
}
