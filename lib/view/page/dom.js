// SPDX-License-Identifier: MIT
// Elements, and the one hint beside the pointer. Text is always text, and all of it is to be seen.
import {shown} from "./format.js";

const seen = x => typeof x === "string" ? shown(x) : x;

export function make(tag, attributes = {}, ...inside) {
	const e = document.createElement(tag);
	for (const [k, v] of Object.entries(attributes)) {
		if (k.startsWith("aria-") && typeof v === "boolean") {
			e.setAttribute(k, v);
			continue;
		}
		if (v === undefined || v === null || v === false) continue;
		if (k.startsWith("on")) e[k] = v;
		else if (k === "class") e.className = v;
		else e.setAttribute(k, v === true ? "" : k === "title" || k === "aria-label" ? seen(v) : v);
	}
	e.append(...inside.filter(x => x !== null && x !== undefined && x !== false).map(seen));
	return e;
}

const tip = document.getElementById("tip");

export function showTip(event, title, lines) {
	tip.replaceChildren(make("b", {}, title), ...lines.map(l => seen("\n" + l)));
	tip.style.display = "block";
	const r = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - r.width - 8)) + "px";
	tip.style.top = (event.clientY + 18 + r.height < innerHeight ? event.clientY + 18 : Math.max(4, event.clientY - r.height - 10)) + "px";
}

export function hideTip() {
	tip.style.display = "none";
}

export function panel(title, small, ...inside) {
	return make("section", {class: "panel"}, title ? make("h2", {}, title, small ? make("small", {}, small) : "") : null, ...inside);
}

// What a canvas draws with: colours of the theme, text width, pixels as sharp as the screen's.
export function pencil(canvas, height) {
	const dpr = devicePixelRatio || 1, w = canvas.clientWidth || 600;
	if (height) canvas.style.height = height + "px";
	const h = height || canvas.clientHeight;
	canvas.width = Math.round(w * dpr);
	canvas.height = Math.round(h * dpr);
	const g = canvas.getContext("2d"), css = getComputedStyle(document.documentElement);
	g.scale(dpr, dpr);
	return {g, w, h, get: name => css.getPropertyValue(name).trim()};
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

// Drawn again when its place or the theme changes, once per frame of the screen.
export function redraws(element, draw) {
	let waiting = false;
	const soon = () => {
		if (waiting) return;
		waiting = true;
		requestAnimationFrame(() => { waiting = false; if (element.isConnected) draw(); });
	};
	new ResizeObserver(soon).observe(element);
	document.addEventListener("themechange", soon);
	return soon;
}
