// SPDX-License-Identifier: MIT
// What the views have in common and a mailed page does not need.
import {make} from "./dom.js";
import {style} from "./format.js";

Object.assign(style, {absent: "–", micro: "µs", grouped: true});

export function panel(title, small, ...inside) {
	return make("section", {class: "panel"}, title ? make("h2", {}, title, small ? make("small", {}, small) : "") : null, ...inside);
}

// As much of a text as fits, with a mark where it was cut. letter: the width of each, in a font where those of ASCII
// have one width; without it all texts are measured.
export function fit(g, text, width, letter) {
	if (letter && /^[\x20-\x7e]*$/.test(text)) {
		const n = Math.floor(width / letter);
		return text.length > n ? text.slice(0, Math.max(0, n - 1)) + "…" : text;
	}
	if (g.measureText(text).width <= width) return text;
	const letters = [...text].slice(0, Math.max(0, Math.floor(width / 3)));
	while (letters.length && g.measureText(letters.join("") + "…").width > width) letters.pop();
	return letters.join("") + "…";
}

// So that a name is an expression of that name alone.
export const literally = s => "^\\Q" + s.replaceAll("\\E", "\\E\\\\E\\Q") + "\\E$";

// As a word of a command in a terminal.
export function quote(word) {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}
