// SPDX-License-Identifier: MIT
// Cards: a head, and what is in it; legends; and what stands where nothing is, with what helps.
import {make} from "./dom.js";
import {middle, tail} from "./parts.js";
import {shown} from "./format.js";

export function card(title, side, ...inside) {
	return make("section", {class: "card"}, make("div", {class: "hd"}, make("h2", {}, title), side ? typeof side === "string" ? make("span", {class: "sp"}, side) : side : null), ...inside);
}

// items: [a colour's name, text]. narrow: one below the other; of names that are too long their ends.
export function legend(items, narrow) {
	return make("span", {class: "legend"}, ...items.map(([color, name]) => [color, shown(name)]).map(([color, text]) => make("span", {title: text}, make("i", {class: color.replace(/^--o(\d)$/, "c$1").replace(/^--hit$/, "hits").replace(/^--/, "")}), narrow ? tail(text) : middle(text, {title: null}))));
}

// Why there is nothing, and a button that helps.
export function none(title, why, ...buttons) {
	return make("div", {class: "void"}, make("b", {}, title), why ? make("span", {}, why) : null, ...buttons);
}
