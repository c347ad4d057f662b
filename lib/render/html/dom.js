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

export const button = (text, onclick, more) => make("button", {type: "button", onclick, ...more}, text);

const tip = make("div", {class: "tip", role: "tooltip"});
document.body.append(tip);

export function showTip(event, title, lines) {
	tip.replaceChildren(make("b", {}, title), ...lines.map(l => typeof l === "string" ? seen("\n" + l) : l));
	tip.style.display = "block";
	const r = tip.getBoundingClientRect(), below = event.clientY + 18;
	tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - r.width - 8)) + "px";
	tip.style.top = Math.max(4, below + r.height > innerHeight ? event.clientY - r.height - 10 : below) + "px";
	return tip;
}

export function hideTip() {
	tip.style.display = "none";
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

// f, at most once in a frame of the screen.
export function onceAFrame(f) {
	let waiting = false;
	return () => {
		if (waiting) return;
		waiting = true;
		requestAnimationFrame(() => { waiting = false; f(); });
	};
}

// Calls f, and keeps nothing alive that belongs to it.
function onTheme(f) {
	const changed = () => { if (f.deref()) f.deref()(); else document.removeEventListener("themechange", changed); };
	document.addEventListener("themechange", changed);
}

// Drawn again when its place or the theme changes.
export function redraws(element, draw) {
	element.redraw = onceAFrame(() => element.isConnected && draw());
	new ResizeObserver(element.redraw).observe(element);
	onTheme(new WeakRef(element.redraw));
}

// What a person has done to a part of a page that is drawn again: keeper is {keep(), take(kept)}.
export function keeps(element, keeper) {
	element.dataset.keeps = "";
	element.keeper = keeper;
	return element;
}
